// Accelerations of trees with closure steps, over the scalar of real.h: articulated bodies that
// carry the shared coordinates of model/fronts.h along.
//
// The force on an articulated body is A a + sum of F_k x_k + bias, where x_k are the accelerations
// of the shared coordinates under way; the equation of such a coordinate, as far as it has been
// met, is F_k . a + sum of D_kl x_l = r_k. A joint gives its part to these, a plain coordinate is
// taken out of them with the same arithmetic that takes it out of A, and so is a shared one where
// it ends. Inertias of dependent bodies may vanish: what is divided by is always the inertia that
// a coordinate of the mechanism moves.
#ifndef LWI_KERNEL_FRONTS_H
#define LWI_KERNEL_FRONTS_H

#include "../model/fronts.h"
#include "kernel_articulated.h"

typedef struct front_work {
    const lwi_fronts *plan;
    int nv;           ///< independent degrees of freedom
    const real *g;    ///< [nentry] entries of G
    const real *bias; ///< [tree_nv] accelerations that velocities cause by the closure
    pair3 *F;         ///< [nfront]
    real *D;          ///< [nslot*nslot] of the coordinates under way; zeros elsewhere
    real *r, *size;   ///< [nslot] their forces, and what rounding in D is measured by
    real *along;      ///< [nslot] workspace
    real *share;      ///< [nshare] rows of the coordinates that were taken out
} front_work;

/// A degree of freedom against the articulated body that it moves.
typedef struct met_dof {
    pair3 S, U; ///< axis, and inertia times axis
    real inertia, size, drive;
} met_dof;

LWI_INLINE met_dof meet_dof(const segment *b, const placed_joint *j, int k, const articulated *A,
                            real size, real rotor, real tau)
{
    if (b->carrier == LW_TREE_REVOLUTE) {
        const pair3 S = {.ang = {.z = real_of(1)}}, U = {{A->I.xz, A->I.yz, A->I.zz}, A->H.row[2]};
        return (met_dof){S, U, A->I.zz + rotor, size + rotor, tau - A->bias.ang.z};
    }
    const pair3 S = joint_axis(b, j, k);
    const pair3 U = articulated_times(A, S);
    return (met_dof){S, U, dot6(S, U) + rotor,
                     dot3(S.ang, S.ang) * size + dot3(S.lin, S.lin) * b->mass_behind + rotor,
                     tau - dot6(S, A->bias)};
}

/// What is left of the first n coordinates of a front without one that is coupled to them by `row`,
/// and to the body by U.
static inline void leave_front(const front_work *w, int first, int n, const eliminated *out,
                               const real *row)
{
    const lwi_fronts *p = w->plan;
    for (int k = 0; k < n; ++k) {
        const real part = row[k] * out->inverse;
        real *D = &w->D[p->slot[first + k] * p->nslot];
        w->F[first + k] = axpy6(-part, out->U, w->F[first + k]);
        w->r[p->slot[first + k]] -= part * out->drive;
        for (int l = 0; l < n; ++l) {
            D[p->slot[first + l]] -= part * row[l];
        }
    }
}

/// The same for all degrees of freedom of a body that are plain, after they were taken out of its
/// inertia.
static inline void pass_front(const tree *t, int i, const front_work *w, const eliminated *dof)
{
    const lwi_fronts *p = w->plan;
    const segment *b = &t->segment[i];
    const int first = p->first[i], n = p->first[i + 1] - first;
    for (int k = b->nv - 1; k >= 0; --k) {
        real *row = &w->share[p->share[i] + k * n];
        for (int l = 0; l < n; ++l) {
            row[l] = dot6(joint_axis(b, &t->joint[i], k), w->F[first + l]);
        }
        leave_front(w, first, n, &dof[b->v + k], row);
    }
}

/// Outward: what the coordinates of the front leave of the drives of plain degrees of freedom.
static inline void pass_front_again(const segment *b, int i, const front_work *w, eliminated *dof,
                                    const real *a)
{
    const lwi_fronts *p = w->plan;
    const int first = p->first[i], n = p->first[i + 1] - first;
    const real *row = &w->share[p->share[i]];
    for (int k = 0; k < b->nv; ++k, row += n) {
        for (int l = 0; l < n; ++l) {
            dof[b->v + k].drive -= row[l] * a[p->dof[first + l]];
        }
    }
}

/// Degree of freedom v, whose acceleration is that of the shared coordinates of its row, and bias.
/// @param along [n] S' F of the coordinates of the front
static inline void join_front(const front_work *w, int v, int first, int n, const met_dof *met,
                              const real *along)
{
    const lwi_fronts *p = w->plan;
    const real bias = w->bias[v];
    for (int k = 0; k < n; ++k) {
        w->r[p->slot[first + k]] -= along[k] * bias;
    }
    const int end = p->row[v] + p->nrow[v];
    for (int e = p->row[v]; e < end; ++e) {
        const real g = w->g[e];
        const int s = p->slot[p->at[e]];
        for (int k = 0; k < n; ++k) {
            const int other = p->slot[first + k];
            w->D[s * p->nslot + other] += g * along[k];
            w->D[other * p->nslot + s] += g * along[k];
        }
        for (int other = p->row[v]; other < end; ++other) {
            w->D[s * p->nslot + p->slot[p->at[other]]] += g * met->inertia * w->g[other];
        }
        w->r[s] += g * (met->drive - met->inertia * bias);
        w->size[s] += g * g * met->size;
    }
    for (int e = p->row[v]; e < end; ++e) {
        w->F[p->at[e]] = axpy6(w->g[e], met->U, w->F[p->at[e]]);
    }
}

/// Takes the coordinates out that end in the front of body i, the last one first.
static inline bits close_front(const front_work *w, int i, int nv, articulated *A, eliminated *dof,
                               int *singular_dof)
{
    const lwi_fronts *p = w->plan;
    const int first = p->first[i], n = p->first[i + 1] - first, nkept = p->nkept[i];
    bits is_singular = {0};
    for (int k = n - 1; k >= nkept; --k) {
        const int s = p->slot[first + k];
        real *row = &w->share[p->share[i] + (nv + k - nkept) * n], *D = &w->D[s * p->nslot];
        for (int l = 0; l <= k; ++l) {
            const int other = p->slot[first + l];
            row[l] = D[other];
            D[other] = (real){0};
            w->D[other * p->nslot + s] = (real){0};
        }
        eliminated *out = &dof[p->dof[first + k]];
        const bits is_small = eliminate(A, w->F[first + k], row[k], w->size[s], w->r[s], out);
        if (__builtin_expect(is_any(is_small & ~is_singular), 0)) {
            *singular_dof = p->dof[first + k];
        }
        is_singular |= is_small;
        leave_front(w, first, k, out, row);
        w->r[s] = (real){0};
        w->size[s] = (real){0};
    }
    return is_singular;
}

/// Takes the degrees of freedom of body i out, as far as they end there.
static inline bits take_out_coupled(const tree *t, int i, const front_work *w, articulated *A,
                                    const real *rotor, const real *tau, eliminated *dof,
                                    int *singular_dof)
{
    const lwi_fronts *p = w->plan;
    const segment *b = &t->segment[i];
    const placed_joint *j = &t->joint[i];
    const int first = p->first[i], n = p->first[i + 1] - first;
    const real trace = A->I.xx + A->I.yy + A->I.zz;
    const real size = trace + A->size;
    A->size = trace;
    bits is_singular = {0};
    for (int k = b->nv - 1; k >= 0; --k) {
        const int v = b->v + k;
        const bool is_plain = p->row[v] < w->nv && p->at[p->row[v]] < 0;
        const met_dof met = meet_dof(b, j, k, A, size, rotor[v], tau[v]);
        real *along = is_plain ? &w->share[p->share[i] + k * n] : w->along;
        for (int l = 0; l < n; ++l) {
            const pair3 *F = &w->F[first + l];
            along[l] = b->carrier == LW_TREE_REVOLUTE ? F->ang.z : dot6(met.S, *F);
        }
        if (is_plain) {
            const bits is_small = eliminate(A, met.U, met.inertia, met.size, met.drive, &dof[v]);
            *singular_dof = is_any(is_small) ? v : *singular_dof;
            is_singular |= is_small;
            leave_front(w, first, n, &dof[v], along);
        } else {
            join_front(w, v, first, n, &met, along);
            A->bias = axpy6(w->bias[v], met.U, A->bias);
        }
    }
    return is_singular | close_front(w, i, b->nv, A, dof, singular_dof);
}

/// The coordinates that go on, from body i to its parent. c is what velocities cause at the joint.
LWI_INLINE void front_to_parent(const front_work *w, const segment *b, const placed_joint *j, int i,
                                pair3 c, lwi_rotation_class how)
{
    const lwi_fronts *p = w->plan;
    for (int k = p->first[i]; k < p->first[i] + p->nkept[i]; ++k) {
        w->r[p->slot[k]] -= dot6(w->F[k], c);
        w->F[p->to[k]] = add6(w->F[p->to[k]], force_to_parent(b, j, w->F[k], how));
    }
}

/// pass_front() and front_to_parent() in one, for a revolute joint: most bodies on a long way.
LWI_INLINE void pass_revolute(const front_work *w, const segment *b, const placed_joint *j, int i,
                              const eliminated *out, pair3 c, lwi_rotation_class how)
{
    const lwi_fronts *p = w->plan;
    const int first = p->first[i], n = p->first[i + 1] - first;
    const int *slot = &p->slot[first];
    real *row = &w->share[p->share[i]];
    for (int k = 0; k < n; ++k) {
        row[k] = w->F[first + k].ang.z;
    }
    for (int k = 0; k < n; ++k) {
        const real part = row[k] * out->inverse;
        const pair3 F = axpy6(-part, out->U, w->F[first + k]);
        pair3 *to = &w->F[p->to[first + k]];
        real *D = &w->D[slot[k] * p->nslot];
        w->r[slot[k]] -= part * out->drive + dot6(F, c);
        *to = add6(*to, force_to_parent(b, j, F, how));
        for (int l = 0; l < n; ++l) {
            D[slot[l]] -= part * row[l];
        }
    }
}

/// The front of body i goes to its parent, after its degrees of freedom were taken out.
LWI_INLINE void hand_front_on(const tree *t, int i, const front_work *w, const eliminated *dof,
                              pair3 c)
{
    const segment *b = &t->segment[i];
    const placed_joint *j = &t->joint[i];
    const bool passes = w->plan->role[i] == LWI_FRONT_PASSES;
    if (passes && b->rotation != LWI_ROTATION_ANY) {
        LWI_BY_ROTATION(b, how, pass_revolute(w, b, j, i, &dof[b->v], c, how))
        return;
    }
    if (passes) {
        pass_front(t, i, w, dof);
    }
    LWI_BY_ROTATION(b, how, front_to_parent(w, b, j, i, c, how))
}

/// Accelerations of the shared coordinates that end in front i, where the body has x before its own
/// joint.
static inline void open_front(const front_work *w, int i, int nv, const eliminated *dof, pair3 x,
                              real *a)
{
    const lwi_fronts *p = w->plan;
    const int first = p->first[i], n = p->first[i + 1] - first, nkept = p->nkept[i];
    for (int k = nkept; k < n; ++k) {
        const real *row = &w->share[p->share[i] + (nv + k - nkept) * n];
        const eliminated *e = &dof[p->dof[first + k]];
        real drive = e->drive - dot6(e->U, x);
        for (int l = 0; l < k; ++l) {
            drive -= row[l] * a[p->dof[first + l]];
        }
        a[p->dof[first + k]] = drive * e->inverse;
    }
}

/// The degrees of freedom of a coupled body whose acceleration is x before its own joint. Returns
/// that after it.
static inline pair3 step_again_coupled(const tree *t, int i, const front_work *w,
                                       const eliminated *dof, pair3 x, real *a)
{
    const lwi_fronts *p = w->plan;
    const segment *b = &t->segment[i];
    const int first = p->first[i], n = p->first[i + 1] - first;
    open_front(w, i, b->nv, dof, x, a);
    for (int k = 0; k < b->nv; ++k) {
        const int v = b->v + k, row = p->row[v];
        if (row >= w->nv) {
            a[v] = w->bias[v];
            for (int e = row; e < row + p->nrow[v]; ++e) {
                a[v] += w->g[e] * a[p->dof[p->at[e]]];
            }
        } else if (p->at[row] < 0) {
            const real *share = &w->share[p->share[i] + k * n];
            real drive = dof[v].drive - dot6(dof[v].U, x);
            for (int l = 0; l < n; ++l) {
                drive -= share[l] * a[p->dof[first + l]];
            }
            a[v] = drive * dof[v].inverse;
        }
        x = axpy6(a[v], joint_axis(b, &t->joint[i], k), x);
    }
    return x;
}

#endif
