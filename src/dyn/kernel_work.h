// One evaluation over the scalar of real.h: what it reads, its work space, and the recursions put
// together.
#ifndef LWI_KERNEL_WORK_H
#define LWI_KERNEL_WORK_H

#include "../base/arena.h"
#if !defined(LWI_REAL_FLOAT)
#include "../math/kernel_sincos.h"
#endif
#include "../model/kernel_sizes.h"
#include "kernel_aba.h"
#include "kernel_crba.h"
#include "kernel_forces.h"
#include "kernel_rnea.h"

typedef struct evaluation {
    tree tree;
    int nv;                 ///< degrees of freedom of the tree
    const passive *passive; ///< [nv], NULL where the joints are ideal
    number friction_rate;   ///< as in lwi_settings, 0 without friction
    int nload;
    const constant_load *load;
    moving world;

    // Work space. Newton-Euler and composite bodies work side by side, articulated bodies alone.
    pair3 *force;         ///< [nbody]
    moving *moving;       ///< [nbody]
    composite *composite; ///< [nbody]
    aba_work aba;
    pair3 *column; ///< [nv]
    real *drive;   ///< [nv] forces within the joints, or what is left of tau by them
    real *rotor;   ///< [nv]
} evaluation;

typedef struct work_body {
    placed_joint joint;
    real sine, cosine, angle;
    pair3 force;
    union {
        struct {
            moving moving;
            composite composite;
        } rigid;
        struct {
            aba_body body;
            articulated fork;
        } articulated;
    } by;
} work_body;

typedef struct work_dof {
    real drive, rotor;
    union {
        pair3 column;
        eliminated eliminated;
    } by;
} work_dof;

_Static_assert(sizeof(work_body) <= LWI_WORK_BODY * sizeof(real), "work space of a body");
_Static_assert(sizeof(work_dof) <= LWI_WORK_DOF * sizeof(real), "of a degree of freedom");
_Static_assert(sizeof(general_joint) <= LWI_WORK_GENERAL * sizeof(real), "of a general joint");

/// Lays the arrays out in a block that has LWI_WORK_... reals for each body, degree of freedom and
/// general joint.
static inline void lay_out_work(evaluation *e, int ngeneral, void *block)
{
    const int n = e->tree.nbody;
    char *next = block;
    e->tree.joint = lwi_take(&next, n, sizeof(placed_joint)); // first: it holds pointers
    e->tree.general = lwi_take(&next, ngeneral, sizeof(general_joint));
    e->tree.sine = lwi_take(&next, n, sizeof(real));
    e->tree.cosine = lwi_take(&next, n, sizeof(real));
    e->tree.angle = lwi_take(&next, n, sizeof(real));
    e->drive = lwi_take(&next, e->nv, sizeof(real));
    e->rotor = lwi_take(&next, e->nv, sizeof(real));
    e->force = lwi_take(&next, n, sizeof(pair3));
    char *rest = next;
    e->moving = lwi_take(&next, n, sizeof(moving));
    e->composite = lwi_take(&next, n, sizeof(composite));
    e->column = lwi_take(&next, e->nv, sizeof(pair3));
    e->aba.bias = e->force;
    e->aba.body = lwi_take(&rest, n, sizeof(aba_body));
    e->aba.fork = lwi_take(&rest, n, sizeof(articulated));
    e->aba.dof = lwi_take(&rest, e->nv, sizeof(eliminated));
}

/// Sines and cosines of n reals.
static inline void sincos_reals(int n, const real *x, real *s, real *c)
{
#if defined(LWI_REAL_FLOAT)
    for (int i = 0; i < n; ++i) {
        sincos_real(x[i], &s[i], &c[i]);
    }
#else
    LWI_SINCOS(LANES * n, (const double *)x, (double *)s, (double *)c);
#endif
}

/// Sines and cosines of the joints' angles; where a joint does not rotate, of zero.
static inline void find_sines(const tree *t, const real *q)
{
    if (t->all_revolute) {
        sincos_reals(t->nbody, q, t->sine, t->cosine);
        return;
    }
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        const bool is_angle = b->carrier == LW_TREE_REVOLUTE || b->carrier == LW_TREE_SCREW;
        t->angle[i] = is_angle ? q[b->q] : (real){0};
    }
    sincos_reals(t->nbody, t->angle, t->sine, t->cosine);
}

/// Places the joints, whose sines are there already.
static inline void set_joints(const tree *t, const real *q)
{
    for (int i = 0; i < t->nbody; ++i) {
        if (t->segment[i].rotation != LWI_ROTATION_ANY) {
            place_joint(t, i, q, LWI_ROTATION_OBLIQUE);
        } else {
            place_joint(t, i, q, LWI_ROTATION_ANY);
        }
    }
}

static inline void place_joints(const tree *t, const real *q)
{
    find_sines(t, q);
    set_joints(t, q);
}

static inline void subtract_applied(const evaluation *e, const number *const *f_ext)
{
    if (e->nload > 0) {
        subtract_loads(&e->tree, e->nload, e->load, e->force);
    }
    if (f_ext) {
        subtract_external(&e->tree, f_ext, e->force);
    }
}

/// The way inward, and what acts within the joints. `tau` may be `a` or `v`.
static inline void joint_forces(const evaluation *e, const real *q, const real *v, const real *a,
                                real *tau)
{
    if (!e->passive) {
        rnea_inward(&e->tree, e->force, tau);
        return;
    }
    for (int k = 0; k < e->nv; ++k) {
        const passive *p = &e->passive[k];
        e->drive[k] = p->rotor * a[k] + passive_force(p, e->friction_rate, q, v[k]);
    }
    rnea_inward(&e->tree, e->force, tau);
    for (int k = 0; k < e->nv; ++k) {
        tau[k] += e->drive[k];
    }
}

/// tau = M a + h - J' f_ext. The forces through the joints stay in e->force. `tau` may be `a` or
/// `v`.
static inline void inverse_dynamics(const evaluation *e, const real *q, const real *v,
                                    const real *a, const number *const *f_ext, real *tau)
{
    find_sines(&e->tree, q);
    rnea_outward(&e->tree, q, v, a, &e->world, e->moving, e->force);
    subtract_applied(e, f_ext);
    joint_forces(e, q, v, a, tau);
}

/// The joints are placed already.
/// @param fold, M as for crba()
LWI_INLINE void mass_matrix(const evaluation *e, const folding *fold, real *M)
{
    crba(&e->tree, e->nv, e->composite, e->column, e->passive, fold, M);
}

/// What is left of tau by the forces within the joints, and the inertias there.
LWI_INLINE void find_drives(const evaluation *e, const real *q, const real *v, const real *tau)
{
    for (int k = 0; k < e->nv; ++k) {
        e->rotor[k] = (real){0};
        e->drive[k] = tau[k];
        if (e->passive) {
            e->rotor[k] = real_of(e->passive[k].rotor);
            e->drive[k] = tau[k] - passive_force(&e->passive[k], e->friction_rate, q, v[k]);
        }
    }
}

/// Accelerations of the tree, in the `a` of which the independent ones are those of the mechanism.
/// Returns a tree velocity that moves no inertia, or -1; `singular` gets the mask of the lanes
/// where it was so. Sines are there already. `a` may be `tau`.
/// @param fronts NULL without closure steps
LWI_INLINE int accelerations(const evaluation *e, const real *q, const real *v, const real *tau,
                             const number *const *f_ext, const front_work *fronts, real *a,
                             bits *singular)
{
    aba_outward(&e->tree, q, v, &e->world, &e->aba);
    subtract_applied(e, f_ext);
    find_drives(e, q, v, tau);
    const int singular_dof = aba_inward(&e->tree, e->rotor, e->drive, &e->aba, fronts, singular);
    if (LANES == 1 && singular_dof >= 0) {
        return singular_dof;
    }
    aba_accelerate(&e->tree, &e->world, &e->aba, fronts, a);
    return singular_dof;
}

/// The same for trees without closure steps.
static inline int forward_dynamics(const evaluation *e, const real *q, const real *v,
                                   const real *tau, const number *const *f_ext, real *a,
                                   bits *singular)
{
    find_sines(&e->tree, q);
    return accelerations(e, q, v, tau, f_ext, NULL, a, singular);
}

#endif
