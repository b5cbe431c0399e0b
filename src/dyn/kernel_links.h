// Mass matrix and momentum of a tree for one state: composite rigid bodies along the axes of the
// world.
//
// Poses are multiplied out first, which takes few instructions where an axis is one register
// (quad.h). A composite body then goes to its parent by a shift alone, and the momentum that a
// degree of freedom causes goes nowhere at all: with all momenta about one point, an entry of the
// mass matrix is a product of an axis and a momentum. Composites are kept about the origins of
// their own bodies, so that small bodies far away keep their digits.
#ifndef LWI_KERNEL_LINKS_H
#define LWI_KERNEL_LINKS_H

#include "../math/quad.h"
#include "kernel_inertia.h"

/// First and second moments of mass along the axes of the world, about the origin of a body.
typedef struct link_mass {
    quad h;
    quad square;  ///< xx yy zz
    quad product; ///< xy yz zx
} link_mass;

/// Angular velocity, and velocity of an origin; or moment and force, or the momenta for these.
typedef struct quad_pair {
    quad ang, lin;
} quad_pair;

/// One body between the passes.
typedef struct link {
    double frame[16]; ///< quad_frame
    double mass[12];  ///< link_mass
} link;

LWI_INLINE quad_frame load_frame(const link *l)
{
    return (quad_frame){load_quad(l->frame), load_quad(l->frame + 4), load_quad(l->frame + 8),
                        load_quad(l->frame + 12)};
}

LWI_INLINE void store_frame(const quad_frame *f, link *l)
{
    store_quad(l->frame, f->x);
    store_quad(l->frame + 4, f->y);
    store_quad(l->frame + 8, f->z);
    store_quad(l->frame + 12, f->o);
}

LWI_INLINE link_mass load_mass(const link *l)
{
    return (link_mass){load_quad(l->mass), load_quad(l->mass + 4), load_quad(l->mass + 8)};
}

LWI_INLINE void store_mass(link_mass I, link *l)
{
    store_quad(l->mass, I.h);
    store_quad(l->mass + 4, I.square);
    store_quad(l->mass + 8, I.product);
}

LWI_INLINE link_mass add_mass(link_mass a, link_mass b)
{
    return (link_mass){add4(a.h, b.h), add4(a.square, b.square), add4(a.product, b.product)};
}

LWI_INLINE vec3 vec3_of_quad(quad v)
{
    return (vec3){lane_of(v, 0), lane_of(v, 1), lane_of(v, 2)};
}

LWI_INLINE quad quad_of3(vec3 v)
{
    return quad_with(v.x, v.y, v.z);
}

LWI_INLINE quad along_frame3(const quad_frame *f, vec3 v)
{
    return along_frame(f, v.x, v.y, v.z);
}

LWI_INLINE quad_frame world_frame(const number phi[2])
{
    return (quad_frame){quad_with(phi[0], phi[1], 0), quad_with(-phi[1], phi[0], 0),
                        quad_with(0, 0, 1), quad_of(0)};
}

LWI_INLINE quad_frame frame_after_general(const tree *t, int i, const real *q, const quad_frame *P)
{
    const placed_joint *j = &t->joint[i];
    place_general_joint(t, i, q, &t->joint[i]);
    const vec3 *R = j->general->R.row;
    return (quad_frame){along_frame3(P, (vec3){R[0].x, R[1].x, R[2].x}),
                        along_frame3(P, (vec3){R[0].y, R[1].y, R[2].y}),
                        along_frame3(P, (vec3){R[0].z, R[1].z, R[2].z}), along_frame3(P, j->p)};
}

/// The rotation of a joint about or along z.
LWI_INLINE placed_joint turned_joint(const tree *t, int i)
{
    const segment *b = &t->segment[i];
    const real c = t->cosine[i], s = t->sine[i];
    return (placed_joint){.c = c * b->cos_gamma - s * b->sin_gamma,
                          .s = s * b->cos_gamma + c * b->sin_gamma};
}

/// A vector along the parent's axes, along those of body i, which frame_after() placed.
LWI_INLINE vec3 into_link(const tree *t, int i, vec3 v, lwi_rotation_class how)
{
    const segment *b = &t->segment[i];
    if (how == LWI_ROTATION_ANY && b->general >= 0) {
        return rotate_in(b, &t->joint[i], v, how);
    }
    const placed_joint j = turned_joint(t, i);
    return rotate_in(b, &j, v, how);
}

/// Rz(alpha) Rx(beta) Rz(gamma + angle) of segment.h, one plane rotation of axes after the other.
/// The origin is returned from that of P.
LWI_INLINE quad_frame frame_after(const tree *t, int i, const real *q, const quad_frame *P,
                                  lwi_rotation_class how)
{
    const segment *b = &t->segment[i];
    if (how == LWI_ROTATION_ANY && b->general >= 0) {
        return frame_after_general(t, i, q, P);
    }
    const placed_joint j = turned_joint(t, i);
    quad_frame B = {P->x, P->y, P->z, along_frame3(P, vec3_of(b->p))};
    if (how == LWI_ROTATION_ANY && b->is_askew) {
        turn_axes(b->cos_alpha, b->sin_alpha, &B.x, &B.y);
    }
    if (how == LWI_ROTATION_SQUARE) {
        B.z = minus4(B.y);
        B.y = P->z;
    } else if (how != LWI_ROTATION_PARALLEL) {
        turn_axes(b->cos_beta, b->sin_beta, &B.y, &B.z);
    }
    turn_axes(j.c, j.s, &B.x, &B.y);
    if (how == LWI_ROTATION_ANY && b->carrier != LW_TREE_REVOLUTE) {
        const real along = b->carrier == LW_TREE_PRISMATIC ? q[b->q] : b->lead * q[b->q];
        B.o = add4(B.o, scale4(along, B.z));
    }
    return B;
}

LWI_INLINE quad sum_of_products(const quad_frame *f, quad x, quad y, quad z)
{
    return add4(add4(mul4(f->x, x), mul4(f->y, y)), mul4(f->z, z));
}

/// The mass of a body itself.
LWI_INLINE link_mass mass_of(const segment *b, const quad_frame *f)
{
    const number *Z = b->second;
    const quad x = along_frame3(f, (vec3){Z[0], Z[3], Z[4]});
    const quad y = along_frame3(f, (vec3){Z[3], Z[1], Z[5]});
    const quad z = along_frame3(f, (vec3){Z[4], Z[5], Z[2]});
    return (link_mass){along_frame3(f, vec3_of(b->h)), sum_of_products(f, x, y, z),
                       sum_of_products(f, turned(x), turned(y), turned(z))};
}

/// About a point that is d before: points r become r + d (see composite_to_parent()).
LWI_INLINE link_mass shift_mass(link_mass I, number mass, quad d)
{
    const quad half = scale4(0.5 * mass, d), k = add4(I.h, half);
    I.square = add4(I.square, mul4(add4(d, d), k));
    I.product = add4(I.product, add4(mul4(d, turned(k)), mul4(turned(d), k)));
    I.h = add4(k, half);
    return I;
}

/// Momentum of a rotation, about the body's origin.
LWI_INLINE quad_pair momentum_of_rotation(const link_mass *I, quad w)
{
    const quad trace = add4(turned(I->square), turned_back(I->square));
    const quad rest = sub4(mul4(trace, w), mul4(I->product, turned(w)));
    return (quad_pair){sub4(rest, turned_back(mul4(I->product, w))), cross_quad(w, I->h)};
}

/// The same of any motion.
LWI_INLINE quad_pair momentum_of(const link_mass *I, number mass, quad_pair v)
{
    const quad_pair p = momentum_of_rotation(I, v.ang);
    return (quad_pair){add4(p.ang, cross_quad(I->h, v.lin)), add4(scale4(mass, v.lin), p.lin)};
}

/// Motion of the body for unit rate of degree of freedom k, as joint_axis().
LWI_INLINE quad_pair link_axis(const segment *b, const placed_joint *j, const quad_frame *f, int k)
{
    const quad none = quad_of(0);
    switch (b->carrier) {
    case LW_TREE_REVOLUTE:
        return (quad_pair){f->z, none};
    case LW_TREE_PRISMATIC:
        return (quad_pair){none, f->z};
    case LW_TREE_SCREW:
        return (quad_pair){f->z, scale4(b->lead, f->z)};
    case LW_TREE_USER: {
        const pair3 S = j->general->S[k];
        return (quad_pair){along_frame3(f, S.ang), along_frame3(f, S.lin)};
    }
    default: { // spherical or free
        const quad axis = k % 3 == 0 ? f->x : k % 3 == 1 ? f->y : f->z;
        return k < 3 ? (quad_pair){axis, none} : (quad_pair){none, axis};
    }
    }
}

/// Frames and masses of all bodies. Returns the first moment of all that moves.
/// @param is_absolute origins in the world; else from that of the body that the world carries
LWI_INLINE quad links_outward(const tree *t, const real *q, const number phi[2], bool is_absolute,
                              link *links)
{
    const quad_frame world = world_frame(phi);
    quad_frame f = world;
    quad moment = quad_of(0);
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        if (b->parent != i - 1) {
            f = b->parent < 0 ? world : load_frame(&links[b->parent]);
        }
        const quad from = f.o;
        LWI_BY_ROTATION(b, how, f = frame_after(t, i, q, &f, how))
        f.o = b->parent < 0 && !is_absolute ? quad_of(0) : add4(from, f.o);
        const link_mass I = mass_of(b, &f);
        moment = add4(moment, add4(I.h, scale4(b->mass, f.o)));
        store_frame(&f, &links[i]);
        store_mass(I, &links[i]);
    }
    return moment;
}

/// The composite body that i's parent is with i.
LWI_INLINE link_mass mass_with(const tree *t, int i, link_mass I, quad o, const link *P)
{
    const quad d = sub4(o, load_quad(P->frame + 12));
    return add_mass(load_mass(P), shift_mass(I, t->segment[i].mass_behind, d));
}

LWI_INLINE link_mass last_mass(const tree *t, const link *links)
{
    if (t->nbody > 0) {
        return load_mass(&links[t->nbody - 1]);
    }
    return (link_mass){quad_of(0), quad_of(0), quad_of(0)};
}

/// Goes on from body i to i - 1, whose composite body it returns.
LWI_INLINE link_mass next_mass(const tree *t, int i, link_mass I, quad o, link *links)
{
    const int parent = t->segment[i].parent;
    if (parent >= 0) {
        I = mass_with(t, i, I, o, &links[parent]);
        if (parent == i - 1) {
            return I;
        }
        store_mass(I, &links[parent]);
    }
    return load_mass(&links[i > 0 ? i - 1 : 0]);
}

/// Momentum p about the body's origin, to column k of the rows F about the common point.
LWI_INLINE void put_momentum(quad_pair p, quad o, double *F, size_t stride)
{
    spread_quad(add4(p.ang, cross_quad(o, p.lin)), F, stride);
    spread_quad(p.lin, F + 3 * stride, stride);
}

/// An axis in all lanes, and the rows of momenta.
typedef struct row_product {
    row_part x, y, z, x_lin, y_lin, z_lin;
    const double *F;
    size_t stride;
} row_product;

LWI_INLINE void put_row_part(const row_product *S, ptrdiff_t at, double *row)
{
    const double *F = S->F + at, *G = F + 3 * S->stride;
    const size_t y = S->stride, z = 2 * y;
    const row_part sum = (S->x * load_row_part(F) + S->y * load_row_part(F + y)) +
                         (S->z * load_row_part(F + z) + S->x_lin * load_row_part(G)) +
                         (S->y_lin * load_row_part(G + y) + S->z_lin * load_row_part(G + z));
    store_row_part(row + at, sum);
}

/// Row r of the mass matrix from r to `end`, behind which degrees of freedom are not carried by r.
/// Parts are put from the end on, and the last one may begin before r: what is below the diagonal
/// is not there yet.
/// @param n at least four
LWI_INLINE void put_mass_row(quad ang, quad lin, const double *F, size_t stride, size_t r,
                             size_t end, size_t n, double *M)
{
    const row_product S = {.x = row_part_of(lane_of(ang, 0)),
                           .y = row_part_of(lane_of(ang, 1)),
                           .z = row_part_of(lane_of(ang, 2)),
                           .x_lin = row_part_of(lane_of(lin, 0)),
                           .y_lin = row_part_of(lane_of(lin, 1)),
                           .z_lin = row_part_of(lane_of(lin, 2)),
                           .F = F,
                           .stride = stride};
    double *row = M + r * n;
    ptrdiff_t k = (ptrdiff_t)n - ROW_PART;
    if (end < n) {
        // Were it a constant, gcc would call memset(), which takes longer than these few parts.
        const row_part zero = S.x - S.x;
        for (; k > (ptrdiff_t)end; k -= ROW_PART) {
            store_row_part(row + k, zero);
        }
        store_row_part(row + (k > 0 ? k : 0), zero);
    }
    for (k = (ptrdiff_t)end - ROW_PART; k > (ptrdiff_t)r; k -= ROW_PART) {
        put_row_part(&S, k, row);
    }
    put_row_part(&S, k > 0 ? k : 0, row);
    for (; end < ROW_PART; ++end) {
        row[end] = 0.0;
    }
}

/// Four rows of the triangle below the diagonal, from the one above. Where r is no multiple of
/// four, entries of the rows before that are mirrored already are put once more.
LWI_INLINE void mirror_four(size_t n, size_t r, double *M)
{
    ptrdiff_t k = (ptrdiff_t)r - 4;
    for (; k > 0; k -= 4) {
        transpose_quads(M + (size_t)k * n + r, n, M + r * n + (size_t)k);
    }
    if (r > 0) {
        transpose_quads(M + r, n, M + r * n);
    }
    double *block = M + r * n + r;
    block[n] = block[1];
    block[2 * n] = block[2];
    block[2 * n + 1] = block[n + 2];
    block[3 * n] = block[3];
    block[3 * n + 1] = block[n + 3];
    block[3 * n + 2] = block[2 * n + 3];
}

/// @param n at least four
static inline void mirror_mass(size_t n, double *M)
{
    for (size_t r = 0; r + 4 <= n; r += 4) {
        mirror_four(n, r, M);
    }
    if (n % 4 != 0) {
        mirror_four(n, n - 4, M);
    }
}

/// The rows of a joint that is not revolute.
static __attribute__((noinline)) void put_joint_rows(const tree *t, int i, const link *l, double *F,
                                                     size_t stride, size_t n, double *M)
{
    const segment *b = &t->segment[i];
    const link_mass I = load_mass(l);
    const quad_frame f = load_frame(l);
    for (int k = b->nv - 1; k >= 0; --k) {
        const size_t r = (size_t)(b->v + k);
        const quad_pair S = link_axis(b, &t->joint[i], &f, k);
        put_momentum(momentum_of(&I, b->mass_behind, S), f.o, F + r, stride);
        put_mass_row(S.ang, add4(S.lin, cross_quad(f.o, S.ang)), F, stride, r, (size_t)b->v_end, n,
                     M);
    }
}

/// The mass matrix, above the diagonal; what is below is overwritten.
/// @param n at least four: the matrix of fewer degrees of freedom has columns behind the last one
/// @param F [6*stride] workspace; behind the n entries of a row there is space for a quad
static inline void links_mass_matrix(const tree *t, size_t n, link *links, double *F, size_t stride,
                                     double *M)
{
    link_mass I = last_mass(t, links);
    for (int i = t->nbody - 1; i >= 0; --i) {
        const segment *b = &t->segment[i];
        link *l = &links[i];
        const quad o = load_quad(l->frame + 12);
        if (b->carrier == LW_TREE_REVOLUTE) {
            const size_t r = (size_t)b->v;
            const quad z = load_quad(l->frame + 8);
            put_momentum(momentum_of_rotation(&I, z), o, F + r, stride);
            put_mass_row(z, cross_quad(o, z), F, stride, r, (size_t)b->v_end, n, M);
        } else {
            store_mass(I, l);
            put_joint_rows(t, i, l, F, stride, n, M);
        }
        I = next_mass(t, i, I, o, links);
    }
}

/// Momenta of all degrees of freedom about the point c, in six rows.
LWI_INLINE void links_momentum_rows(const tree *t, quad c, link *links, double *rows, size_t n)
{
    link_mass I = last_mass(t, links);
    for (int i = t->nbody - 1; i >= 0; --i) {
        const segment *b = &t->segment[i];
        const quad_frame f = load_frame(&links[i]);
        if (b->carrier == LW_TREE_REVOLUTE) {
            put_momentum(momentum_of_rotation(&I, f.z), sub4(f.o, c), rows + b->v, n);
        } else {
            for (int k = 0; k < b->nv; ++k) {
                const quad_pair S = link_axis(b, &t->joint[i], &f, k);
                put_momentum(momentum_of(&I, b->mass_behind, S), sub4(f.o, c), rows + b->v + k, n);
            }
        }
        I = next_mass(t, i, I, f.o, links);
    }
}

/// Angular momentum of the body itself for an angular velocity along its own axes.
LWI_INLINE vec3 spin_of(const segment *b, vec3 w)
{
    const number *Z = b->second;
    return (vec3){(Z[1] + Z[2]) * w.x - Z[3] * w.y - Z[4] * w.z,
                  (Z[2] + Z[0]) * w.y - Z[3] * w.x - Z[5] * w.z,
                  (Z[0] + Z[1]) * w.z - Z[4] * w.x - Z[5] * w.y};
}

/// Momentum about the world's origin, and first moment.
/// @param world velocity of the world, at its origin
/// @param links [nbody] workspace
LWI_INLINE quad_pair links_momentum(const tree *t, const real *q, const real *v,
                                    const number phi[2], quad_pair world, link *links, quad *h)
{
    const quad_frame still = world_frame(phi);
    quad_frame f = still;
    quad_pair u = world, sum = {quad_of(0), quad_of(0)};
    const vec3 w_still = rotate_back_z(phi[0], phi[1], vec3_of_quad(world.ang));
    vec3 w = w_still; // u.ang along the axes of the body
    *h = quad_of(0);
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        if (b->parent != i - 1) {
            f = still;
            u = world;
            w = w_still;
            if (b->parent >= 0) {
                const link *P = &links[b->parent];
                f = load_frame(P);
                u = (quad_pair){load_quad(P->mass), load_quad(P->mass + 4)};
                w = (vec3){P->mass[8], P->mass[9], P->mass[10]};
            }
        }
        const quad from = f.o;
        LWI_BY_ROTATION(b, how, f = frame_after(t, i, q, &f, how); w = into_link(t, i, w, how))
        u.lin = add4(u.lin, cross_quad(u.ang, f.o));
        f.o = add4(from, f.o);
        if (b->carrier == LW_TREE_REVOLUTE) {
            u.ang = add4(u.ang, scale4(v[b->v], f.z));
            w.z += v[b->v];
        } else {
            const pair3 joint = across_joint(b, &t->joint[i], &v[b->v]);
            u.ang = add4(u.ang, along_frame3(&f, joint.ang));
            w = add3(w, joint.ang);
            u.lin = add4(u.lin, along_frame3(&f, joint.lin));
        }
        const quad h_own = along_frame3(&f, vec3_of(b->h));
        const quad lin = add4(scale4(b->mass, u.lin), cross_quad(u.ang, h_own));
        const quad moved = add4(cross_back(h_own, u.lin), cross_back(f.o, lin));
        sum.ang = add4(sum.ang, add4(along_frame3(&f, spin_of(b, w)), turned(moved)));
        sum.lin = add4(sum.lin, lin);
        *h = add4(*h, add4(h_own, scale4(b->mass, f.o)));
        if (b->is_fork) {
            store_frame(&f, &links[i]);
            store_quad(links[i].mass, u.ang);
            store_quad(links[i].mass + 4, u.lin);
            links[i].mass[8] = w.x;
            links[i].mass[9] = w.y;
            links[i].mass[10] = w.z;
        }
    }
    return sum;
}

#endif
