// Pieces that the closed forms of loops share.
#ifndef LWI_CLOSED_FORM_LOOPS_H
#define LWI_CLOSED_FORM_LOOPS_H

#include "loop.h"

/// Pose of the body at path[side][to - 1], seen from the one at path[side][from - 1] (from 0: from
/// the common body), at tree positions q. Identity where from == to.
lw_pose lwi_branch_pose(const lw_model *m, const lwi_loop *loop, int side, int from, int to,
                        const double *q);

/// q moved by `share` of the changes of a step's targets, which are rates and stand `apart` doubles
/// apart. `moved` may be q itself.
void lwi_move_targets(const lw_model *m, const lwi_step *step, const double *changes, int apart,
                      double share, const double *q, double *moved);

lw_status lwi_rod_position(const lw_model *m, const lwi_loop *loop, const lwi_step *step, double *q,
                           lwi_closure_fault *fault);
lw_status lwi_block_position(const lw_model *m, const lwi_program *program, const lwi_step *step,
                             const lwi_loop_work *work, double *q, lwi_closure_fault *fault);

/// For a block that cannot be closed: which loop stays open, and by how much where all come as near
/// as they can. q is where to start.
lw_status lwi_block_gap(const lw_model *m, const lwi_program *program, const lwi_step *step,
                        const lwi_loop_work *work, double *q, lwi_closure_fault *fault);

/// Three spheres (three_spheres.c): as lwi_step_position() and its like. Positions leave what rates
/// read in the work space, and rates what the bias reads.
lw_status lwi_spheres_position(const lw_model *m, const lwi_program *program, const lwi_step *step,
                               const lwi_loop_work *work, double *q, lwi_closure_fault *fault);
lw_status lwi_spheres_rates(const lwi_program *program, const lwi_step *step,
                            const lwi_loop_work *work, double *K, lwi_closure_fault *fault);
void lwi_spheres_bias(const lw_model *m, const lwi_program *program, const lwi_step *step,
                      const lwi_loop_work *work, const double *v, double *bias);

/// Loops of axes that meet in one point (spherical_loop.c), likewise; and the branch on which one
/// stands at q.
lw_status lwi_spherical_position(const lw_model *m, const lwi_program *program,
                                 const lwi_step *step, const lwi_loop_work *work, double *q,
                                 lwi_closure_fault *fault);
lw_status lwi_spherical_rates(const lw_model *m, const lwi_program *program, const lwi_step *step,
                              const lwi_loop_work *work, const double *q, double *K,
                              lwi_closure_fault *fault);
void lwi_spherical_bias(const lw_model *m, const lwi_program *program, const lwi_step *step,
                        const lwi_loop_work *work, const double *v, double *bias);
int lwi_spherical_branch(const lw_model *m, const lwi_loop *loop, const lwi_step *step,
                         const double *q);

/// Linkages of Bennett and Bricard (symmetric_loop.c), likewise.
lw_status lwi_symmetric_position(const lw_model *m, const lwi_program *program,
                                 const lwi_step *step, const lwi_loop_work *work, double *q,
                                 lwi_closure_fault *fault);
lw_status lwi_symmetric_rates(const lwi_step *step, const double *q, double *K,
                              lwi_closure_fault *fault);
void lwi_symmetric_bias(const lwi_step *step, const double *q, const double *v, double *bias);

/// A leg and one dependent joint (single_leg.c); rates and bias are those of legs (torn_block.h).
lw_status lwi_single_leg_position(const lw_model *m, const lwi_program *program,
                                  const lwi_step *step, const lwi_loop_work *work, double *q,
                                  lwi_closure_fault *fault);

#endif
