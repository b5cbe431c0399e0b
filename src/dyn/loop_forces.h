// Dynamics between the closure sweeps, and forces within loops.
#ifndef LWI_LOOP_FORCES_H
#define LWI_LOOP_FORCES_H

#include "../model/data.h"

// After lwi_closure_motion() for the same motion:

/// Forces of the tree [tree_nv], rods included; NULL stands for zero. tree_tau may be v or a where
/// the model has no closure steps.
void lwi_tree_forces(const lw_model *m, lw_data *d, const double *q, const double *v,
                     const double *a, const lw_force *f_ext, double *tree_tau);

/// tau = M a + h - J' f_ext; NULL stands for zero.
lw_status lwi_inverse_dynamics(const lw_model *m, lw_data *d, const double *q, const double *v,
                               const double *a, const lw_force *f_ext, double *tau);

/// Needs the motion with zero accelerations; d->tree_v stays.
lw_status lwi_forward_dynamics(const lw_model *m, lw_data *d, const double *q, const double *v,
                               const double *tau, const lw_force *f_ext, double *a);

/// The mass matrix [nv*nv]. Needs positions and rates only.
lw_status lwi_mass_matrix(const lw_model *m, lw_data *d, const double *q, double *M);

/// The closure sweep and lwi_tree_forces(); d->tree_q has all angles afterwards.
lw_status lwi_sweep_and_tree_forces(const lw_model *m, lw_data *d, const double *q, const double *v,
                                    const double *a, const lw_force *f_ext, double *tree_tau);

/// Fills d->loop_force and d->tension for the motion, `coupling` [tree_nv] and `gear` [ngear], the
/// multipliers of the gears' rows, unless they are NULL.
/// d->tree_tau holds the forces of the closed mechanism afterwards, at its independent degrees of
/// freedom.
lw_status lwi_find_loop_forces(const lw_model *m, lw_data *d, const double *q, const double *v,
                               const double *a, const lw_force *f_ext, double *coupling,
                               double *gear);

/// Inverse dynamics of the tree with the forces of the loops acting on its bodies: those through
/// the joints stay for lwi_kernels.joint_wrenches(), and d->tree_tau has what is left for drives
/// and couplings. Needs lwi_find_loop_forces().
void lwi_apply_loop_forces(const lw_model *m, lw_data *d, const double *q, const double *v,
                           const double *a, const lw_force *f_ext);

#endif
