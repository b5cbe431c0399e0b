// The sweeps of the derivatives in tree coordinates (lwi_lane_kernels): derivative_columns() leaves
// the rows of bodies and degrees of freedom, with the forces of the joints among the former;
// derivative_pairs() fills all entries of the matrices but for what acts within the joints.
#ifndef LWI_DERIVATIVE_SWEEP_H
#define LWI_DERIVATIVE_SWEEP_H

#include "world.h"

/// Derivatives of tau in tree coordinates, [n*n] each, n = tree_nv; any may be NULL.
typedef struct lwi_matrices {
    double *by_q, *by_v, *M;
    double *L; ///< factors of M (factor.c), after forward_columns(): D, and L below it
    /// Where it is not NULL, by_q, by_v and M have space for one row, [n + LWI_ROW_SPARE]: it takes
    /// one row of the tree after the other.
    void (*take)(const lw_model *m, lw_data *d, int k, const struct lwi_matrices *row);
    const void *taker; ///< for its use
} lwi_matrices;

/// Whether forward_columns() serves: a tree without user joints and rods with mass.
static inline bool lwi_is_plain_tree(const lw_model *m, const lw_data *d)
{
    return m->nstep == 0 && d->nrod_mass == 0 && !m->kernel->user;
}

/// M^-1 [nv*nv] of a deep tree, after forward_columns().
void lwi_invert_deep(const lw_model *m, lw_data *d, double *inverse);

/// Three rows at degree of freedom k, for those who read degrees of freedom one by one.
static inline lw_vec3 lwi_row_vector(const lw_data *d, size_t row, int k)
{
    const size_t stride = d->dof_stride;
    const double *x = d->dof_row + row * stride + (size_t)k;
    const lw_vec3 r = {x[0], x[stride], x[2 * stride]};
    return r;
}

static inline lw_motion lwi_row_motion(const lw_data *d, size_t row, int k)
{
    const lw_motion r = {lwi_row_vector(d, row, k), lwi_row_vector(d, row + 3, k)};
    return r;
}

/// The columns of a joint that is not revolute: S (which is there), psi, chi and eta.
/// @param P the parent's motion
void lwi_sweep_columns(const lw_model *m, lw_data *d, int i, const lwi_state *at,
                       const lwi_world_body *P);

/// A force on body i, taken off the one that it needs: moment n and force f about the root's
/// origin.
void lwi_take_off_force(lw_data *d, int i, lw_vec3 n, lw_vec3 f);

/// The forces that rods with mass need (rod_derivatives.c), added to those of the bodies.
void lwi_sweep_rods(const lw_model *m, lw_data *d);

/// External forces, loads and rods with mass; the first two are taken off the forces that the
/// bodies by themselves need; and the rows of the loads.
void lwi_sweep_forces(const lw_model *m, lw_data *d, const lw_force *f_ext);

#endif
