// Four doubles side by side, of which the first three are a vector of space. Columns of rotations
// are kept in these by kernels that take one state: an axis or a point is then one register where
// the processor has registers of four, and two where it has those of two. (Compilers keep
// vectors in memory that are longer than registers; hence the struct, and functions in place of
// operators.)
#ifndef LWI_QUAD_H
#define LWI_QUAD_H

#include "real.h"

#if defined(__AVX__)

typedef double quad __attribute__((vector_size(32)));
/// The same in memory that is aligned for doubles alone.
typedef double quad_in_memory __attribute__((vector_size(32), aligned(8), may_alias));

LWI_INLINE quad load_quad(const double *x)
{
    return *(const quad_in_memory *)x;
}

LWI_INLINE void store_quad(double *x, quad y)
{
    *(quad_in_memory *)x = y;
}

LWI_INLINE quad quad_with(double x, double y, double z)
{
    return (quad){x, y, z, 0.0};
}

LWI_INLINE quad quad_of(double x)
{
    return (quad){x, x, x, x};
}

LWI_INLINE double lane_of(quad v, int lane)
{
    return v[lane];
}

LWI_INLINE quad minus4(quad v)
{
    return -v;
}

LWI_INLINE quad add4(quad a, quad b)
{
    return a + b;
}

LWI_INLINE quad sub4(quad a, quad b)
{
    return a - b;
}

/// Lane by lane.
LWI_INLINE quad mul4(quad a, quad b)
{
    return a * b;
}

LWI_INLINE quad div4(quad a, double b)
{
    return a / b;
}

/// y z x
LWI_INLINE quad turned(quad v)
{
    return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}

/// z x y
LWI_INLINE quad turned_back(quad v)
{
    return __builtin_shufflevector(v, v, 2, 0, 1, 3);
}

/// Four rows of four, to the columns of another matrix; `stride` is the length of a row of both.
LWI_INLINE void transpose_quads(const double *from, size_t stride, double *to)
{
    const quad a = load_quad(from), b = load_quad(from + stride);
    const quad c = load_quad(from + 2 * stride), d = load_quad(from + 3 * stride);
    const quad ab = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const quad ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const quad cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const quad cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    store_quad(to, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
    store_quad(to + stride, __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5));
    store_quad(to + 2 * stride, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
    store_quad(to + 3 * stride, __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7));
}

/// As many doubles as a register has.
typedef quad row_part;
typedef quad_in_memory row_part_in_memory;
enum { ROW_PART = 4 };

LWI_INLINE row_part row_part_of(double x)
{
    return quad_of(x);
}

#else

typedef double half_quad __attribute__((vector_size(16)));
typedef double half_in_memory __attribute__((vector_size(16), aligned(8), may_alias));

typedef struct quad {
    half_quad xy, zw;
} quad;

LWI_INLINE quad load_quad(const double *x)
{
    return (quad){*(const half_in_memory *)x, *(const half_in_memory *)(x + 2)};
}

LWI_INLINE void store_quad(double *x, quad y)
{
    *(half_in_memory *)x = y.xy;
    *(half_in_memory *)(x + 2) = y.zw;
}

LWI_INLINE quad quad_with(double x, double y, double z)
{
    return (quad){{x, y}, {z, 0.0}};
}

LWI_INLINE quad quad_of(double x)
{
    return (quad){{x, x}, {x, x}};
}

LWI_INLINE double lane_of(quad v, int lane)
{
    return lane < 2 ? v.xy[lane] : v.zw[lane - 2];
}

LWI_INLINE quad minus4(quad v)
{
    return (quad){-v.xy, -v.zw};
}

LWI_INLINE quad add4(quad a, quad b)
{
    return (quad){a.xy + b.xy, a.zw + b.zw};
}

LWI_INLINE quad sub4(quad a, quad b)
{
    return (quad){a.xy - b.xy, a.zw - b.zw};
}

LWI_INLINE quad mul4(quad a, quad b)
{
    return (quad){a.xy * b.xy, a.zw * b.zw};
}

LWI_INLINE quad div4(quad a, double b)
{
    return (quad){a.xy / b, a.zw / b};
}

// The fourth, which is no part of a vector of space, is then what costs nothing.
LWI_INLINE quad turned(quad v)
{
    return (quad){__builtin_shufflevector(v.xy, v.zw, 1, 2), v.xy};
}

LWI_INLINE quad turned_back(quad v)
{
    return (quad){__builtin_shufflevector(v.zw, v.xy, 0, 2),
                  __builtin_shufflevector(v.xy, v.xy, 1, 1)};
}

LWI_INLINE void transpose_quads(const double *from, size_t stride, double *to)
{
    for (size_t r = 0; r < 4; r += 2) {
        const quad a = load_quad(from + r * stride), b = load_quad(from + (r + 1) * stride);
        *(half_in_memory *)(to + r) = __builtin_shufflevector(a.xy, b.xy, 0, 2);
        *(half_in_memory *)(to + stride + r) = __builtin_shufflevector(a.xy, b.xy, 1, 3);
        *(half_in_memory *)(to + 2 * stride + r) = __builtin_shufflevector(a.zw, b.zw, 0, 2);
        *(half_in_memory *)(to + 3 * stride + r) = __builtin_shufflevector(a.zw, b.zw, 1, 3);
    }
}

typedef half_quad row_part;
typedef half_in_memory row_part_in_memory;
enum { ROW_PART = 2 };

LWI_INLINE row_part row_part_of(double x)
{
    return (half_quad){x, x};
}

#endif

LWI_INLINE row_part load_row_part(const double *x)
{
    return *(const row_part_in_memory *)x;
}

LWI_INLINE void store_row_part(double *x, row_part y)
{
    *(row_part_in_memory *)x = y;
}

LWI_INLINE quad scale4(double x, quad v)
{
    return mul4(quad_of(x), v);
}

/// a x b, to be turned: of a sum once.
LWI_INLINE quad cross_back(quad a, quad b)
{
    return sub4(mul4(a, turned(b)), mul4(turned(a), b));
}

/// a x b
LWI_INLINE quad cross_quad(quad a, quad b)
{
    return turned(cross_back(a, b));
}

/// Rotates two axes in their plane.
LWI_INLINE void turn_axes(double c, double s, quad *x, quad *y)
{
    const quad before = *x;
    *x = add4(scale4(c, before), scale4(s, *y));
    *y = sub4(scale4(c, *y), scale4(s, before));
}

/// Axes and origin of a body, along those of the world.
typedef struct quad_frame {
    quad x, y, z, o;
} quad_frame;

/// A vector along the axes of a frame.
LWI_INLINE quad along_frame(const quad_frame *f, double x, double y, double z)
{
    return add4(add4(scale4(x, f->x), scale4(y, f->y)), scale4(z, f->z));
}

/// The first three, [0], [stride] and [2*stride].
LWI_INLINE void spread_quad(quad x, double *to, size_t stride)
{
    to[0] = lane_of(x, 0);
    to[stride] = lane_of(x, 1);
    to[2 * stride] = lane_of(x, 2);
}

/// Three rows of the rotation, and the origin.
LWI_INLINE void store_frame_rows(const quad_frame *f, double *to)
{
#if defined(__AVX__)
    const quad xy = __builtin_shufflevector(f->x, f->y, 0, 4, 2, 6);
    const quad xy_odd = __builtin_shufflevector(f->x, f->y, 1, 5, 3, 7);
    const quad zx = __builtin_shufflevector(f->z, xy_odd, 0, 4, 2, 6);
    const quad yz = __builtin_shufflevector(xy_odd, f->z, 1, 5, 3, 7);
    const quad o = __builtin_shufflevector(f->o, f->o, 3, 0, 1, 2);
    store_quad(to, __builtin_shufflevector(xy, zx, 0, 1, 4, 5));
    store_quad(to + 4, __builtin_shufflevector(yz, xy, 0, 1, 6, 7));
    store_quad(to + 8,
               __builtin_shufflevector(__builtin_shufflevector(zx, zx, 2, 3, 0, 1), o, 0, 5, 6, 7));
#else
    spread_quad(f->x, to, 3);
    spread_quad(f->y, to + 1, 3);
    spread_quad(f->z, to + 2, 3);
    spread_quad(f->o, to + 9, 1);
#endif
}

#endif
