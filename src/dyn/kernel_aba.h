// Accelerations by articulated bodies, over the scalar of real.h.
//
// Featherstone (1983; 2008, table 7.1), with accelerations in the classical form, as in
// kernel_rnea.h: what a joint hands on is the acceleration of the origin, so that no linear
// velocity is needed. A joint of several degrees of freedom is taken degree of freedom by degree of
// freedom, as if massless bodies were in between: the same elimination, without a matrix to invert.
// Trees with closure steps carry fronts along (kernel_fronts.h); `fronts` is NULL for others.
#ifndef LWI_KERNEL_ABA_H
#define LWI_KERNEL_ABA_H

#include "kernel_fronts.h"
#include "kernel_rnea.h"

/// One body between the passes.
typedef struct aba_body {
    vec3 w;  ///< angular velocity
    pair3 c; ///< acceleration that velocities cause, against that of the parent
    pair3 a; ///< acceleration: angular, and of the origin
} aba_body;

/// The work space of one evaluation.
typedef struct aba_work {
    aba_body *body;    ///< [nbody]
    pair3 *bias;       ///< [nbody] forces that bodies need where none accelerates
    articulated *fork; ///< [nbody] what forks carry by branches
    eliminated *dof;   ///< [nv]
} aba_work;

/// All degrees of freedom of a joint other than revolute, the last one first.
static inline bits eliminate_joint(const segment *b, const placed_joint *j, articulated *A,
                                   real size, const real *rotor, const real *tau, eliminated *dof)
{
    bits is_singular = {0};
    for (int k = b->nv - 1; k >= 0; --k) {
        const pair3 S = joint_axis(b, j, k);
        const pair3 U = articulated_times(A, S);
        const real scale = dot3(S.ang, S.ang) * size + dot3(S.lin, S.lin) * b->mass_behind;
        is_singular |= eliminate(A, U, dot6(S, U) + rotor[k], scale + rotor[k],
                                 tau[k] - dot6(S, A->bias), &dof[k]);
    }
    return is_singular;
}

/// Force that the rotation of the body needs by itself, where W = [w]x [w]x.
LWI_INLINE pair3 gyroscopic(const segment *b, sym3 W)
{
    const number *Z = b->second;
    const vec3 twist = {
        W.xz * Z[3] + W.yz * Z[1] + W.zz * Z[5] - (W.xy * Z[4] + W.yy * Z[5] + W.yz * Z[2]),
        W.xx * Z[4] + W.xy * Z[5] + W.xz * Z[2] - (W.xz * Z[0] + W.yz * Z[3] + W.zz * Z[4]),
        W.xy * Z[0] + W.yy * Z[3] + W.yz * Z[4] - (W.xx * Z[3] + W.xy * Z[1] + W.xz * Z[5])};
    return (pair3){twist, sym_mul3(&W, vec3_of(b->h))};
}

static inline sym3 cross_twice(vec3 w)
{
    const real xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
    return (sym3){-(yy + zz), -(xx + zz), -(xx + yy), w.x * w.y, w.x * w.z, w.y * w.z};
}

/// Joint of body i and what velocities cause there. Takes the parent's angular velocity along its
/// own axes, and returns that of the body.
LWI_INLINE vec3 aba_step_out(const tree *t, int i, const real *q, const real *v, vec3 w_P,
                             const aba_work *work, lwi_rotation_class how)
{
    const segment *b = &t->segment[i];
    const placed_joint *j = &t->joint[i];
    pair3 *c = &work->body[i].c;
    place_joint(t, i, q, how);
    const sym3 W_P = cross_twice(w_P);
    c->lin = rotate_in(b, j, sym_mul3(&W_P, offset_of(b, j, how)), how);
    vec3 w = rotate_in(b, j, w_P, how);
    if (how != LWI_ROTATION_ANY || b->carrier == LW_TREE_REVOLUTE) {
        const real rate = v[b->v];
        c->ang = (vec3){w.y * rate, -w.x * rate, (real){0}};
        w.z += rate;
    } else {
        moving B = {.w = w, .a = c->lin};
        add_joint_velocity(t, i, q, v, &B);
        *c = (pair3){B.wd, B.a};
        w = B.w;
    }
    return w;
}

/// Outward: joints, and what velocities cause.
static inline void aba_outward(const tree *t, const real *q, const real *v, const moving *world,
                               const aba_work *work)
{
    vec3 w = world->w;
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        if (b->parent != i - 1) {
            w = b->parent < 0 ? world->w : work->body[b->parent].w;
        }
        LWI_BY_ROTATION(b, how, w = aba_step_out(t, i, q, v, w, work, how))
        if (b->is_fork) {
            work->body[i].w = w;
            work->fork[i] = (articulated){0};
        }
        work->bias[i] = gyroscopic(b, cross_twice(w));
    }
}

/// Takes the degrees of freedom of body i out of the inertia that it carries.
LWI_INLINE bits aba_take_out(const segment *b, const placed_joint *j, articulated *A,
                             const real *rotor, const real *tau, eliminated *dof,
                             lwi_rotation_class how)
{
    const real trace = A->I.xx + A->I.yy + A->I.zz;
    const real size = trace + A->size;
    A->size = trace;
    if (how != LWI_ROTATION_ANY || b->carrier == LW_TREE_REVOLUTE) {
        const pair3 U = {{A->I.xz, A->I.yz, A->I.zz}, A->H.row[2]};
        return eliminate(A, U, A->I.zz + *rotor, size + *rotor, *tau - A->bias.ang.z, dof);
    }
    return eliminate_joint(b, j, A, size, rotor, tau, dof);
}

/// Inward: inertias of articulated bodies. Returns a tree velocity that moves no inertia, or -1;
/// `singular` gets the mask of the lanes.
LWI_INLINE int aba_inward(const tree *t, const real *rotor, const real *tau, const aba_work *work,
                          const front_work *fronts, bits *singular)
{
    int singular_dof = -1;
    articulated carried = {0}; // to body i by body i + 1
    *singular = (bits){0};
    for (int i = t->nbody - 1; i >= 0; --i) {
        const segment *b = &t->segment[i];
        const placed_joint *j = &t->joint[i];
        const int v = b->v;
        articulated A = add_articulated(rigid(b), carried);
        A.bias = add6(A.bias, work->bias[i]);
        if (b->is_fork) {
            A = add_articulated(A, work->fork[i]);
        }
        int dof = v;
        bits is_singular;
        if (fronts && fronts->plan->role[i] == LWI_FRONT_MEETS) {
            articulated coupled = A; // whose address is taken
            is_singular = take_out_coupled(t, i, fronts, &coupled, rotor, tau, work->dof, &dof);
            A = coupled;
        } else if (b->rotation != LWI_ROTATION_ANY) {
            is_singular =
                aba_take_out(b, j, &A, &rotor[v], &tau[v], &work->dof[v], LWI_ROTATION_OBLIQUE);
        } else {
            is_singular =
                aba_take_out(b, j, &A, &rotor[v], &tau[v], &work->dof[v], LWI_ROTATION_ANY);
        }
        if (__builtin_expect(is_any(is_singular), 0)) {
            singular_dof = singular_dof < 0 ? dof : singular_dof; // the others only suffer from it
            *singular |= is_singular;
        }
        if (fronts && fronts->plan->nkept[i] > 0) {
            hand_front_on(t, i, fronts, work->dof, work->body[i].c);
        }
        carried = (articulated){0};
        if (b->parent < 0) {
            continue;
        }
        A.bias = add6(A.bias, articulated_times(&A, work->body[i].c));
        articulated moved;
        LWI_BY_ROTATION(b, how, moved = articulated_to_parent(b, j, &A, how))
        if (b->parent == i - 1) {
            carried = moved;
        } else {
            work->fork[b->parent] = add_articulated(work->fork[b->parent], moved);
        }
    }
    if (fronts) {
        int dof = -1;
        articulated world = {0};
        *singular |= close_front(fronts, t->nbody, 0, &world, work->dof, &dof);
        singular_dof = singular_dof < 0 ? dof : singular_dof;
    }
    return singular_dof;
}

/// Accelerations of body i and of its degrees of freedom, from that of its parent.
LWI_INLINE pair3 aba_step_again(const tree *t, int i, pair3 x, pair3 c, eliminated *dof,
                                const front_work *fronts, real *a, lwi_rotation_class how)
{
    const segment *b = &t->segment[i];
    const placed_joint *j = &t->joint[i];
    const vec3 lin = add3(x.lin, cross3(x.ang, offset_of(b, j, how)));
    x.ang = add3(rotate_in(b, j, x.ang, how), c.ang);
    x.lin = add3(rotate_in(b, j, lin, how), c.lin);
    if (fronts && fronts->plan->role[i] == LWI_FRONT_MEETS) {
        return step_again_coupled(t, i, fronts, dof, x, a);
    }
    if (fronts && fronts->plan->role[i] == LWI_FRONT_PASSES) {
        pass_front_again(b, i, fronts, dof, a);
    }
    dof += b->v;
    a += b->v;
    for (int k = 0; k < (how != LWI_ROTATION_ANY ? 1 : b->nv); ++k) {
        const eliminated *e = &dof[k];
        a[k] = (e->drive - dot6(e->U, x)) * e->inverse;
        if (how != LWI_ROTATION_ANY) {
            x.ang.z += a[k];
        } else {
            x = axpy6(a[k], joint_axis(b, j, k), x);
        }
    }
    return x;
}

/// Outward again: accelerations.
LWI_INLINE void aba_accelerate(const tree *t, const moving *world, const aba_work *work,
                               const front_work *fronts, real *a)
{
    pair3 x = {world->wd, world->a};
    if (fronts) {
        open_front(fronts, t->nbody, 0, work->dof, x, a);
    }
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        aba_body *B = &work->body[i];
        if (b->parent != i - 1) {
            x = b->parent < 0 ? (pair3){world->wd, world->a} : work->body[b->parent].a;
        }
        LWI_BY_ROTATION(b, how, x = aba_step_again(t, i, x, B->c, work->dof, fronts, a, how))
        if (b->is_fork) {
            B->a = x;
        }
    }
}

#endif
