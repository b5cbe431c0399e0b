// Accelerations of a tree for one state: articulated bodies along the axes of the world.
//
// The recursion of kernel_aba.h, with inertias about the same origins. Along the axes of the world
// an articulated body goes to its parent by a shift alone; and where its matrices are kept by
// diagonals (quad.h), every step is a product of registers with each other, turned or not.
#ifndef LWI_KERNEL_ABA_LINKS_H
#define LWI_KERNEL_ABA_LINKS_H

#include "kernel_articulated.h"
#include "kernel_forces.h"
#include "kernel_links.h"
#include "kernel_rnea.h"

/// A symmetric matrix by diagonals.
typedef struct quad_sym {
    quad square;  ///< xx yy zz
    quad product; ///< xy yz zx
} quad_sym;

/// As struct articulated.
typedef struct articulated_link {
    quad_sym I, M;
    quad H, H_after, H_before; ///< xx yy zz, xy yz zx, and xz yx zy
    quad_pair bias;
    double size;
} articulated_link;

/// One body between the passes.
typedef struct aba_link {
    double axis[12];    ///< x, y and z
    double d[4];        ///< origin, from that of the parent
    double mass[12];    ///< first moment, and the tensor of inertia as a quad_sym
    double c[8];        ///< as in aba_body
    double bias[8];     ///< at last, of a fork: acceleration
    double w[4];        ///< of a fork: angular velocity
    double waiting[28]; ///< of a fork: inertia of what it carries besides the next body
    double size;        ///< see articulated
} aba_link;

/// A degree of freedom after its elimination: inertia times axis, by the inertia that the degree of
/// freedom itself moves.
typedef struct link_dof {
    double y[8];
} link_dof;

/// The work space of one evaluation.
typedef struct aba_links {
    aba_link *link;      ///< [nbody]
    link_dof *dof;       ///< [nv]
    const double *rotor; ///< [nv]
    double *drive;       ///< [nv] forces; after elimination, by the inertia that they move
} aba_links;

LWI_INLINE quad_pair load_pair(const double *x)
{
    return (quad_pair){load_quad(x), load_quad(x + 4)};
}

LWI_INLINE void store_pair(double *to, quad_pair x)
{
    store_quad(to, x.ang);
    store_quad(to + 4, x.lin);
}

LWI_INLINE quad_pair add_pairs(quad_pair a, quad_pair b)
{
    return (quad_pair){add4(a.ang, b.ang), add4(a.lin, b.lin)};
}

LWI_INLINE quad_pair scale_pair(double s, quad_pair a)
{
    return (quad_pair){scale4(s, a.ang), scale4(s, a.lin)};
}

LWI_INLINE double sum3(quad v)
{
    return lane_of(v, 0) + lane_of(v, 1) + lane_of(v, 2);
}

LWI_INLINE double dot_pairs(quad_pair a, quad_pair b)
{
    return sum3(add4(mul4(a.ang, b.ang), mul4(a.lin, b.lin)));
}

LWI_INLINE quad_sym add_quad_sym(quad_sym a, quad_sym b)
{
    return (quad_sym){add4(a.square, b.square), add4(a.product, b.product)};
}

LWI_INLINE quad quad_sym_times(quad_sym S, quad x)
{
    return add4(add4(mul4(S.square, x), mul4(S.product, turned(x))),
                turned_back(mul4(S.product, x)));
}

/// S - y x', where y is a multiple of x
LWI_INLINE quad_sym without_square(quad_sym S, quad y, quad x)
{
    return (quad_sym){sub4(S.square, mul4(y, x)), sub4(S.product, mul4(y, turned(x)))};
}

/// Moment and force for an angular acceleration.
LWI_INLINE quad_pair articulated_rotation(const articulated_link *A, quad x)
{
    const quad lin = add4(mul4(A->H, x), turned(mul4(A->H_before, x)));
    return (quad_pair){quad_sym_times(A->I, x), add4(lin, turned_back(mul4(A->H_after, x)))};
}

/// The same for any acceleration.
LWI_INLINE quad_pair articulated_link_times(const articulated_link *A, quad_pair x)
{
    const quad ang = add4(mul4(A->H, x.lin), mul4(A->H_after, turned(x.lin)));
    const quad_pair f = {add4(ang, mul4(A->H_before, turned_back(x.lin))),
                         quad_sym_times(A->M, x.lin)};
    return add_pairs(articulated_rotation(A, x.ang), f);
}

LWI_INLINE void clear_articulated(articulated_link *A)
{
    const quad zero = quad_of(0);
    A->I = A->M = (quad_sym){zero, zero};
    A->H = A->H_after = A->H_before = zero;
    A->bias = (quad_pair){zero, zero};
    A->size = 0;
}

/// Adds the inertia of the body itself to what it carries, and takes the force that it needs.
LWI_INLINE void add_rigid_link(const segment *b, const aba_link *l, articulated_link *A)
{
    const quad h = load_quad(l->mass);
    const quad_sym I = {load_quad(l->mass + 4), load_quad(l->mass + 8)};
    A->I = add_quad_sym(A->I, I);
    A->M.square = add4(A->M.square, quad_of(b->mass));
    A->H_after = sub4(A->H_after, turned_back(h));
    A->H_before = add4(A->H_before, turned(h));
    A->bias = add_pairs(A->bias, load_pair(l->bias));
}

/// Adds what waits at the body, where the bias has its own place.
LWI_INLINE void add_waiting(const aba_link *l, articulated_link *A)
{
    const double *from = l->waiting;
    A->I.square = add4(A->I.square, load_quad(from));
    A->I.product = add4(A->I.product, load_quad(from + 4));
    A->M.square = add4(A->M.square, load_quad(from + 8));
    A->M.product = add4(A->M.product, load_quad(from + 12));
    A->H = add4(A->H, load_quad(from + 16));
    A->H_after = add4(A->H_after, load_quad(from + 20));
    A->H_before = add4(A->H_before, load_quad(from + 24));
    A->size += l->size;
}

LWI_INLINE void store_articulated(const articulated_link *A, aba_link *l)
{
    double *to = l->waiting;
    store_quad(to, A->I.square);
    store_quad(to + 4, A->I.product);
    store_quad(to + 8, A->M.square);
    store_quad(to + 12, A->M.product);
    store_quad(to + 16, A->H);
    store_quad(to + 20, A->H_after);
    store_quad(to + 24, A->H_before);
    l->size = A->size;
    store_pair(l->bias, A->bias);
}

LWI_INLINE void load_articulated(const aba_link *l, articulated_link *A)
{
    clear_articulated(A);
    add_waiting(l, A);
    A->bias = load_pair(l->bias);
}

/// About the origin of the parent, from which that of the body is at d (articulated_to_parent()):
/// H becomes K = H + [d]x M, and I becomes I + E + E' with E = [d]x (H + K)' / 2.
LWI_INLINE void shift_articulated(articulated_link *A, quad d)
{
    const quad after = turned(d), before = turned_back(d);
    const quad_sym M = A->M;
    const quad next = turned(M.product);
    const quad K = add4(A->H, sub4(mul4(after, turned_back(M.product)), mul4(before, M.product)));
    const quad K_after = add4(A->H_after, sub4(mul4(after, next), mul4(before, turned(M.square))));
    const quad K_before =
        add4(A->H_before, sub4(mul4(after, turned_back(M.square)), mul4(before, next)));
    const quad S = add4(A->H, K), S_after = add4(A->H_after, K_after);
    const quad S_before = add4(A->H_before, K_before);
    const quad square = sub4(mul4(after, S_before), mul4(before, S_after));
    const quad product = sub4(add4(mul4(after, turned(S_after)), mul4(before, sub4(S, turned(S)))),
                              mul4(d, S_before));
    A->I.square = add4(A->I.square, square);
    A->I.product = add4(A->I.product, scale4(0.5, product));
    A->H = K;
    A->H_after = K_after;
    A->H_before = K_before;
    A->bias.ang = add4(A->bias.ang, cross_quad(d, A->bias.lin));
}

/// A - y U', where y is a multiple of U.
LWI_INLINE void take_square(articulated_link *A, quad_pair y, quad_pair U)
{
    A->I = without_square(A->I, y.ang, U.ang);
    A->M = without_square(A->M, y.lin, U.lin);
    A->H = sub4(A->H, mul4(y.ang, U.lin));
    A->H_after = sub4(A->H_after, mul4(y.ang, turned(U.lin)));
    A->H_before = sub4(A->H_before, mul4(y.ang, turned_back(U.lin)));
}

/// A degree of freedom against the articulated body that it moves, as eliminate(): keeps its drive
/// and returns the inverse of its inertia, or 0 where it moves none.
/// @param size, torque what rounding in `inertia` is measured by, and what the bias needs
LWI_INLINE double meet_link(double inertia, double size, double torque, const aba_links *work,
                            int v)
{
    const double rotor = work->rotor[v];
    const double inverse = 1 / (inertia + rotor);
    work->drive[v] = (work->drive[v] - torque) * inverse;
    return (size + rotor) * SMALLEST_SHARE < inertia + rotor ? inverse : 0;
}

LWI_INLINE quad_frame link_axes(const aba_link *l)
{
    return (quad_frame){load_quad(l->axis), load_quad(l->axis + 4), load_quad(l->axis + 8),
                        quad_of(0)};
}

/// Motion of the body for unit rate of degree of freedom k.
LWI_INLINE quad_pair dof_axis(const tree *t, int i, const aba_link *l, int k)
{
    const quad_frame f = link_axes(l);
    return link_axis(&t->segment[i], &t->joint[i], &f, k);
}

/// What velocities cause at a joint other than revolute. On entry c.lin has what the motion of the
/// parent causes. Returns the angular velocity of the body.
static __attribute__((noinline)) quad other_joint(const tree *t, int i, const real *q,
                                                  const real *v, const quad_frame *f, quad w,
                                                  quad_pair *c)
{
    const segment *b = &t->segment[i];
    const pair3 v_J = across_joint(b, &t->joint[i], &v[b->v]);
    const quad ang = along_frame3(f, v_J.ang), lin = along_frame3(f, v_J.lin);
    const quad w_P = w;
    w = add4(w, ang);
    c->ang = cross_quad(w_P, ang);
    c->lin = add4(c->lin, cross_quad(add4(w, w_P), lin));
    if (b->carrier == LW_TREE_USER) {
        const pair3 rate = user_bias(&t->user[i], &q[b->q], &v[b->v]);
        c->ang = add4(c->ang, along_frame3(f, rate.ang));
        c->lin = add4(c->lin, along_frame3(f, rate.lin));
    }
    return w;
}

/// Outward: frames, inertias, and what velocities cause.
LWI_INLINE void aba_links_outward(const tree *t, const real *q, const real *v, const moving *world,
                                  aba_link *links)
{
    static const number still[2] = {1, 0}; // axes of the world as rotated
    const quad_frame fixed = world_frame(still);
    const quad w_fixed = quad_of3(world->w);
    quad_frame f = fixed;
    quad w = w_fixed;
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        aba_link *l = &links[i];
        if (b->parent != i - 1) {
            f = fixed;
            w = w_fixed;
            if (b->parent >= 0) {
                const aba_link *P = &links[b->parent];
                f = link_axes(P);
                w = load_quad(P->w);
            }
        }
        LWI_BY_ROTATION(b, how, f = frame_after(t, i, q, &f, how))
        quad_pair c = {quad_of(0), cross_quad(w, cross_quad(w, f.o))};
        if (b->carrier == LW_TREE_REVOLUTE) {
            const quad ang = scale4(v[b->v], f.z);
            c.ang = cross_quad(w, ang);
            w = add4(w, ang);
        } else {
            w = other_joint(t, i, q, v, &f, w, &c);
        }
        const link_mass Z = mass_of(b, &f);
        const quad_sym I = {add4(turned(Z.square), turned_back(Z.square)), minus4(Z.product)};
        store_quad(l->axis, f.x);
        store_quad(l->axis + 4, f.y);
        store_quad(l->axis + 8, f.z);
        store_quad(l->d, f.o);
        store_quad(l->mass, Z.h);
        store_quad(l->mass + 4, I.square);
        store_quad(l->mass + 8, I.product);
        store_pair(l->c, c);
        store_quad(l->bias, cross_quad(w, quad_sym_times(I, w)));
        store_quad(l->bias + 4, cross_quad(w, cross_quad(w, Z.h)));
        if (b->is_fork) {
            store_quad(l->w, w);
            memset(l->waiting, 0, sizeof l->waiting);
            l->size = 0;
        }
    }
}

LWI_INLINE void subtract_from_link(aba_link *l, quad ang, quad lin)
{
    store_quad(l->bias, sub4(load_quad(l->bias), ang));
    store_quad(l->bias + 4, sub4(load_quad(l->bias + 4), lin));
}

/// Takes loads and external forces from those that the bodies need, as subtract_loads() and
/// subtract_external().
static inline void subtract_from_links(const tree *t, int nload, const constant_load *load,
                                       const lw_force *f_ext, aba_link *links)
{
    for (int k = 0; k < nload; ++k) {
        const constant_load *from = &load[k];
        aba_link *l = &links[from->body];
        const quad_frame f = link_axes(l);
        const vec3 ang = vec3_of(from->torque), lin = vec3_of(from->force);
        const quad force = from->is_in_world ? quad_of3(lin) : along_frame3(&f, lin);
        const quad torque = from->is_in_world ? quad_of3(ang) : along_frame3(&f, ang);
        const quad arm = cross_quad(along_frame3(&f, vec3_of(from->p)), force);
        subtract_from_link(l, add4(torque, arm), force);
    }
    const number *const lanes[] = {(const double *)f_ext};
    for (int i = 0; f_ext && i < t->nbody; ++i) {
        const quad_frame f = link_axes(&links[i]);
        const pair3 force = external_force(&t->segment[i], i, lanes);
        subtract_from_link(&links[i], along_frame3(&f, force.ang), along_frame3(&f, force.lin));
    }
}

/// Takes a revolute joint out, and hands what is left on to the parent. Returns whether the joint
/// moves no inertia. (What the parent gets of the joint is taken out there, so that the inertia
/// need not wait for the division.)
LWI_INLINE bool pass_revolute_link(const segment *b, const aba_link *l, double size,
                                   const aba_links *work, articulated_link *A)
{
    const quad z = load_quad(l->axis + 8), d = load_quad(l->d);
    quad_pair U = articulated_rotation(A, z);
    A->bias = add_pairs(A->bias, articulated_link_times(A, load_pair(l->c)));
    const double inverse =
        meet_link(sum3(mul4(z, U.ang)), size, sum3(mul4(z, A->bias.ang)), work, b->v);
    U.ang = add4(U.ang, cross_quad(d, U.lin));
    const quad_pair y = scale_pair(inverse, U);
    store_pair(work->dof[b->v].y, y);
    if (b->parent >= 0) {
        shift_articulated(A, d);
        take_square(A, y, U);
        A->bias = add_pairs(A->bias, scale_pair(work->drive[b->v], U));
    }
    return inverse == 0;
}

/// The same for any other joint, whose degrees of freedom are taken out one by one, the last one
/// first. The inertia waits at the body, before and after.
static __attribute__((noinline)) bool pass_other_link(const tree *t, int i, double size,
                                                      const aba_links *work)
{
    const segment *b = &t->segment[i];
    aba_link *l = &work->link[i];
    articulated_link A;
    load_articulated(l, &A);
    for (int k = b->nv - 1; k >= 0; --k) {
        const quad_pair S = dof_axis(t, i, l, k), U = articulated_link_times(&A, S);
        const double scale =
            sum3(mul4(S.ang, S.ang)) * size + sum3(mul4(S.lin, S.lin)) * b->mass_behind;
        const int v = b->v + k;
        const double inverse = meet_link(dot_pairs(S, U), scale, dot_pairs(S, A.bias), work, v);
        if (inverse == 0) {
            return true;
        }
        const quad_pair y = scale_pair(inverse, U);
        store_pair(work->dof[v].y, y);
        if (b->parent >= 0 || k > 0) {
            take_square(&A, y, U);
            A.bias = add_pairs(A.bias, scale_pair(work->drive[v], U));
        }
    }
    if (b->parent >= 0) {
        A.bias = add_pairs(A.bias, articulated_link_times(&A, load_pair(l->c)));
        shift_articulated(&A, load_quad(l->d));
        store_articulated(&A, l);
    }
    return false;
}

/// Inward: inertias of articulated bodies. Returns a tree velocity that moves no inertia, or -1.
LWI_INLINE int aba_links_inward(const tree *t, const aba_links *work)
{
    articulated_link A; // carried by body i
    clear_articulated(&A);
    for (int i = t->nbody - 1; i >= 0; --i) {
        const segment *b = &t->segment[i];
        aba_link *l = &work->link[i];
        add_rigid_link(b, l, &A);
        if (b->is_fork) {
            add_waiting(l, &A);
        }
        const double trace = sum3(A.I.square), size = trace + A.size;
        bool is_singular;
        A.size = trace;
        if (b->carrier == LW_TREE_REVOLUTE) {
            is_singular = pass_revolute_link(b, l, size, work, &A);
        } else {
            store_articulated(&A, l);
            is_singular = pass_other_link(t, i, size, work);
            load_articulated(l, &A);
        }
        if (__builtin_expect(is_singular, 0)) {
            return b->v; // the others only suffer from it
        }
        if (b->parent != i - 1) {
            if (b->parent >= 0) {
                aba_link *P = &work->link[b->parent];
                add_waiting(P, &A);
                A.bias = add_pairs(A.bias, load_pair(P->bias));
                store_articulated(&A, P);
            }
            clear_articulated(&A);
        }
    }
    return -1;
}

/// Outward again: accelerations.
LWI_INLINE void aba_links_accelerate(const tree *t, const moving *world, const aba_links *work,
                                     real *a)
{
    const quad_pair fixed = {quad_of3(world->wd), quad_of3(world->a)};
    quad_pair x = fixed;
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        aba_link *l = &work->link[i];
        if (b->parent != i - 1) {
            x = b->parent < 0 ? fixed : load_pair(work->link[b->parent].bias);
        }
        const quad_pair c = load_pair(l->c), P = x;
        x = (quad_pair){add4(x.ang, c.ang),
                        add4(add4(x.lin, c.lin), cross_quad(x.ang, load_quad(l->d)))};
        if (b->carrier == LW_TREE_REVOLUTE) {
            a[b->v] = work->drive[b->v] - dot_pairs(load_pair(work->dof[b->v].y), P);
            x.ang = add4(x.ang, scale4(a[b->v], load_quad(l->axis + 8)));
        } else {
            for (int k = b->v; k < b->v + b->nv; ++k) {
                a[k] = work->drive[k] - dot_pairs(load_pair(work->dof[k].y), x);
                x = add_pairs(x, scale_pair(a[k], dof_axis(t, i, l, k - b->v)));
            }
        }
        if (b->is_fork) {
            store_pair(l->bias, x);
        }
    }
}

#endif
