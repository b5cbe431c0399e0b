// Blocks whose loops are legs, reduced to the joints that the legs share (tearing; Elmqvist and
// Otter 1994).
//
// A leg holds two points at a distance: a rod by itself; or a ball joint at the end of a body that
// hangs on two passive joints, whose axes meet in the first point (UPS, RUS and the like). The
// distance is then known from the sources, and gives one condition on the joints that carry the two
// points; the passive joints follow. What is left is one row for each leg: six unknowns of a
// Stewart platform in place of eighteen.
#ifndef LWI_TORN_BLOCK_H
#define LWI_TORN_BLOCK_H

#include "loop.h"

/// Where the legs of a reduced step are at q, into the work space; of those branches that unknowns
/// move alone, where `is_again`. Without motions, only those that lwi_legs_matrix() reads. Returns
/// the size of the residuals.
double lwi_legs_walk(const lw_model *m, const lwi_program *program, const lwi_step *torn,
                     const lwi_loop_work *work, const double *q, bool is_again, bool with_motions);

/// As lwi_step_matrix() for a reduced step, where lwi_legs_walk() was last; but the last column has
/// the residuals.
void lwi_legs_matrix(const lwi_program *program, const lwi_step *torn, const lwi_loop_work *work);

/// The leg that misses its distance by most, there.
void lwi_legs_gap(const lwi_step *torn, const lwi_loop_work *work, lwi_closure_fault *fault);

/// Fills in the passive joints in q, whose other joints are closed: on the branch on which they are
/// at `from` [tree_nq], and by as many whole turns. `from` may be q.
lw_status lwi_legs_passive(const lw_model *m, const lwi_program *program, const lwi_step *step,
                           const lwi_loop_work *work, const double *from, double *q,
                           lwi_closure_fault *fault);

/// As lwi_step_rates() and lwi_step_bias(), for a block that has a reduced step: where
/// lwi_legs_passive() was last.
lw_status lwi_legs_rates(const lw_model *m, const lwi_program *program, const lwi_step *step,
                         const lwi_loop_work *work, double *K, lwi_closure_fault *fault);
void lwi_legs_bias(const lw_model *m, const lwi_program *program, const lwi_step *step,
                   const lwi_loop_work *work, const double *v, double *bias);

#endif
