// The scalar that kernels compute in, and small vectors of it.
//
// A kernel is written once, in the plain operators of C, and compiled for the scalar that the
// including file chose before the include:
//
//   nothing                    real is double
//   #define LWI_REAL_FLOAT     real is float
//   #define LWI_REAL_LANES n   real is n doubles side by side, one state each (a vector of the
//                              compiler's, n a power of two)
//
// `number` is the type of the model's constants: a number times a real is a real. Everything here
// is static, so that all instances live side by side in one library.
#ifndef LWI_REAL_H
#define LWI_REAL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__FMA__) && defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(LWI_REAL_LANES)

typedef double number;
typedef double real __attribute__((vector_size(8 * LWI_REAL_LANES)));
typedef uint64_t bits __attribute__((vector_size(8 * LWI_REAL_LANES)));
enum { LANES = LWI_REAL_LANES };

static inline bits bits_of(real x)
{
    return (bits)x;
}

static inline real real_of_bits(bits b)
{
    return (real)b;
}

/// All bits set where a < b, lane by lane.
static inline bits is_less(real a, real b)
{
    return (bits)(a < b);
}

static inline bool is_any(bits mask)
{
#if defined(__AVX2__) && LWI_REAL_LANES == 4
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#elif defined(__AVX512F__) && LWI_REAL_LANES == 8
    return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#else
    uint64_t any = 0;
    for (int k = 0; k < LANES; ++k) {
        any |= mask[k];
    }
    return any != 0;
#endif
}

#if LWI_REAL_LANES >= 4
/// Four rows. (A struct, because arrays would live in memory.)
typedef struct square4 {
    real a, b, c, d;
} square4;

// Of two rows, out of each four numbers: every other one from number k on, and a pair of them.
#if LWI_REAL_LANES == 4
#define LWI_OTHERS(x, y, k) __builtin_shufflevector(x, y, k, 4 + k, 2 + k, 6 + k)
#define LWI_PAIRS(x, y, k) __builtin_shufflevector(x, y, k, 1 + k, 4 + k, 5 + k)
#else
#define LWI_OTHERS(x, y, k)                                                                        \
    __builtin_shufflevector(x, y, k, 8 + k, 2 + k, 10 + k, 4 + k, 12 + k, 6 + k, 14 + k)
#define LWI_PAIRS(x, y, k)                                                                         \
    __builtin_shufflevector(x, y, k, 1 + k, 8 + k, 9 + k, 4 + k, 5 + k, 12 + k, 13 + k)

/// The first or the last four numbers of two rows of eight.
#define LWI_HALVES(x, y, k)                                                                        \
    __builtin_shufflevector(x, y, k, 1 + k, 2 + k, 3 + k, 8 + k, 9 + k, 10 + k, 11 + k)
#endif

/// Rows become columns, in each four numbers of them.
static inline square4 transposed(square4 x)
{
    const real a = LWI_OTHERS(x.a, x.b, 0), b = LWI_OTHERS(x.a, x.b, 1);
    const real c = LWI_OTHERS(x.c, x.d, 0), d = LWI_OTHERS(x.c, x.d, 1);
    return (square4){LWI_PAIRS(a, c, 0), LWI_PAIRS(b, d, 0), LWI_PAIRS(a, c, 2),
                     LWI_PAIRS(b, d, 2)};
}

static inline real load_lanes(const double *x)
{
    real y;
    memcpy(&y, x, sizeof y);
    return y;
}

static inline void store_lanes(double *x, real y)
{
    memcpy(x, &y, sizeof y);
}
#endif

static inline number real_lane(real x, int lane)
{
    return x[lane];
}

static inline real real_set_lane(real x, int lane, number value)
{
    x[lane] = value;
    return x;
}

static inline bits bits_set_lane(bits b, int lane, uint64_t value)
{
    b[lane] = value;
    return b;
}

#else

#if defined(LWI_REAL_FLOAT)
typedef float number;
typedef float real;
typedef uint32_t bits;
#else
typedef double number;
typedef double real;
typedef uint64_t bits;
#endif
enum { LANES = 1 };

static inline bits bits_of(real x)
{
    bits b;
    memcpy(&b, &x, sizeof b);
    return b;
}

static inline real real_of_bits(bits b)
{
    real x;
    memcpy(&x, &b, sizeof x);
    return x;
}

static inline bits is_less(real a, real b)
{
    return (bits)0 - (bits)(a < b);
}

static inline bool is_any(bits mask)
{
    return mask != 0;
}

static inline number real_lane(real x, int lane)
{
    (void)lane;
    return x;
}

static inline real real_set_lane(real x, int lane, number value)
{
    (void)x;
    (void)lane;
    return value;
}

static inline bits bits_set_lane(bits b, int lane, uint64_t value)
{
    (void)b;
    (void)lane;
    return (bits)value;
}

#endif

// a * b + c, rounded once, where the processor has it and the scalar is double. The operators leave
// it to the compiler whether they are fused, so that nothing can be built on it.
#if defined(__FMA__) && defined(__AVX2__) && !defined(LWI_REAL_FLOAT)
#if !defined(LWI_REAL_LANES)
#define LWI_HAS_FUSED
static inline real fused(real a, real b, real c)
{
    return __builtin_fma(a, b, c);
}
#elif LWI_REAL_LANES == 4
#define LWI_HAS_FUSED
static inline real fused(real a, real b, real c)
{
    return (real)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
#elif LWI_REAL_LANES == 8 && defined(__AVX512F__)
#define LWI_HAS_FUSED
static inline real fused(real a, real b, real c)
{
    return (real)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
#endif
#endif

/// The same number in every lane. (Subtracting zero keeps the sign of zero.)
static inline real real_of(number x)
{
    return x - (real){0};
}

/// The square root of x.
static inline real root_of(real x)
{
#if defined(LWI_REAL_LANES) && defined(__AVX2__) && LWI_REAL_LANES == 4
    return (real)_mm256_sqrt_pd((__m256d)x);
#elif defined(LWI_REAL_LANES) && defined(__AVX512F__) && LWI_REAL_LANES == 8
    return (real)_mm512_sqrt_pd((__m512d)x);
#elif defined(LWI_REAL_LANES)
    for (int k = 0; k < LANES; ++k) {
        x[k] = __builtin_sqrt(x[k]);
    }
    return x;
#elif defined(LWI_REAL_FLOAT)
    return __builtin_sqrtf(x);
#else
    return __builtin_sqrt(x);
#endif
}

/// The same of a number, and its absolute value.
static inline number number_root(number x)
{
#if defined(LWI_REAL_FLOAT)
    return __builtin_sqrtf(x);
#else
    return __builtin_sqrt(x);
#endif
}

static inline number number_size(number x)
{
    return x < 0 ? -x : x;
}

/// a where the mask is set, b elsewhere.
static inline real select_real(bits mask, real a, real b)
{
#if defined(__AVX2__) && defined(LWI_REAL_LANES) && LWI_REAL_LANES == 4
    return (real)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
#endif
    return real_of_bits((bits_of(a) & mask) | (bits_of(b) & ~mask));
}

/// For functions that are one line of a loop: inlined even where the compiler finds them large, so
/// that arguments constant when compiling take their questions with them.
#define LWI_INLINE static inline __attribute__((always_inline))

typedef struct vec3 {
    real x, y, z;
} vec3;

/// Row by row.
typedef struct mat3 {
    vec3 row[3];
} mat3;

/// A symmetric matrix.
typedef struct sym3 {
    real xx, yy, zz, xy, xz, yz;
} sym3;

static inline vec3 add3(vec3 a, vec3 b)
{
    return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec3 sub3(vec3 a, vec3 b)
{
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec3 scale3(real s, vec3 a)
{
    return (vec3){s * a.x, s * a.y, s * a.z};
}

static inline real dot3(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3 cross3(vec3 a, vec3 b)
{
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// A * v
static inline vec3 mul3(const mat3 *A, vec3 v)
{
    return (vec3){dot3(A->row[0], v), dot3(A->row[1], v), dot3(A->row[2], v)};
}

/// A' * v
static inline vec3 transpose_mul3(const mat3 *A, vec3 v)
{
    return (vec3){A->row[0].x * v.x + A->row[1].x * v.y + A->row[2].x * v.z,
                  A->row[0].y * v.x + A->row[1].y * v.y + A->row[2].y * v.z,
                  A->row[0].z * v.x + A->row[1].z * v.y + A->row[2].z * v.z};
}

/// A * B
static inline mat3 mul33(const mat3 *A, const mat3 *B)
{
    return (mat3){
        {transpose_mul3(B, A->row[0]), transpose_mul3(B, A->row[1]), transpose_mul3(B, A->row[2])}};
}

/// Rotation of the quaternion q[0..3] = w x y z, which need not be normalised.
static inline mat3 rotation_of_quaternion(const real *q)
{
    const real w = q[0], x = q[1], y = q[2], z = q[3], one = real_of(1);
    const real two = 2 / (w * w + x * x + y * y + z * z);
    const real xx = two * x * x, yy = two * y * y, zz = two * z * z;
    const real xy = two * x * y, xz = two * x * z, yz = two * y * z;
    const real wx = two * w * x, wy = two * w * y, wz = two * w * z;
    return (mat3){{{one - (yy + zz), xy - wz, xz + wy},
                   {xy + wz, one - (xx + zz), yz - wx},
                   {xz - wy, yz + wx, one - (xx + yy)}}};
}

/// S * v
static inline vec3 sym_mul3(const sym3 *S, vec3 v)
{
    return (vec3){S->xx * v.x + S->xy * v.y + S->xz * v.z, S->xy * v.x + S->yy * v.y + S->yz * v.z,
                  S->xz * v.x + S->yz * v.y + S->zz * v.z};
}

/// The vector rotated about z by the angle whose cosine and sine are c and s.
static inline vec3 rotate_z(real c, real s, vec3 v)
{
    return (vec3){c * v.x - s * v.y, s * v.x + c * v.y, v.z};
}

/// The same backwards.
static inline vec3 rotate_back_z(real c, real s, vec3 v)
{
    return (vec3){c * v.x + s * v.y, c * v.y - s * v.x, v.z};
}

/// About x.
static inline vec3 rotate_x(number c, number s, vec3 v)
{
    return (vec3){v.x, c * v.y - s * v.z, s * v.y + c * v.z};
}

static inline vec3 rotate_back_x(number c, number s, vec3 v)
{
    return (vec3){v.x, c * v.y + s * v.z, c * v.z - s * v.y};
}

#endif
