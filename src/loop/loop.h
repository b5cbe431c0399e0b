// Loops in double: positions of dependent degrees of freedom in closed form or by Newton's method,
// and rates.
#ifndef LWI_LOOP_H
#define LWI_LOOP_H

#include "../model/loop_work.h"

// How small a pivot may be, as a sine of the angle by which a loop misses its singular
// configuration.
//
// A closed form finds a position from a square root: what is under it is good to rounding, about
// 1e-16, times the ratio of the longest side of the loop to the shortest. So rounding alone puts a
// loop that stands at its singular configuration off it by the root of that, 1e-8 to 2e-7 for
// ratios up to a hundred. Whatever is nearer than LWI_SINGULAR_SINE cannot be distinguished from
// the singular configuration; rates are there good to one digit, and beyond they gain two digits
// each time the distance grows tenfold. Blocks end where their residual is below 1e-14, and so come
// as near as 1e-7 by themselves.
#define LWI_SINGULAR_SINE 3e-7
#define LWI_SINGULAR_SINE_BLOCK 1e-6
// Rows that no configuration has anything to do with: gears, and steps of Newton's method.
#define LWI_NO_PIVOT 1e-11

/// Fills in the positions of the targets of a step; those of its sources, and for blocks a start
/// for the targets themselves, are in q [tree_nq].
lw_status lwi_step_position(const lw_model *m, const lwi_program *program, const lwi_step *step,
                            const lwi_loop_work *work, double *q, lwi_closure_fault *fault);

/// K [ntarget * nsource] of a step at q, for which its positions were found last.
lw_status lwi_step_rates(const lw_model *m, const lwi_program *program, const lwi_step *step,
                         const lwi_loop_work *work, const double *q, double *K,
                         lwi_closure_fault *fault);

/// The bias [ntarget] of a step at q and v [tree_nv], right after its rates were found there.
void lwi_step_bias(const lw_model *m, const lwi_program *program, const lwi_step *step,
                   const lwi_loop_work *work, const double *q, const double *v, double *bias);

/// Residuals [nrow] of a loop, and the gap between its ends in metres.
double lwi_loop_residual(const lw_model *m, const lwi_loop *loop, const double *q,
                         double row[LWI_MOST_ROWS]);

/// The same residuals over what they are judged against, so that those of a mechanism of any size
/// can be compared: the root of the sum of their squares.
double lwi_loop_relative_residual(const lwi_loop *loop, const double row[LWI_MOST_ROWS]);

/// Sets what residuals of a loop are judged against, from its size.
void lwi_set_loop_units(lwi_loop *loop);

/// The matrix of a step at q, into work->matrix: the rows of all its loops, then those of its
/// gears. With v [tree_nv], the bias in the last column; else that column is zero.
void lwi_step_matrix(const lw_model *m, const lwi_program *program, const lwi_step *step,
                     const lwi_loop_work *work, const double *q, const double *v);

/// The condition number of what a step solves at q, infinite where that is singular; of steps that
/// close loops, and have not too many targets.
bool lwi_has_condition(const lwi_step *step);
double lwi_step_condition(const lw_model *m, const lwi_program *program, const lwi_step *step,
                          const lwi_loop_work *work, const double *q);

/// Where the loops of a step are at q, into the work space, and its residuals [nrow]; returns the
/// size of these over what each is judged against.
double lwi_step_walk(const lw_model *m, const lwi_program *program, const lwi_step *step,
                     const lwi_loop_work *work, const double *q);

/// The matrix of a step where lwi_step_walk() was last, with zeros in the last column.
void lwi_step_matrix_there(const lw_model *m, const lwi_program *program, const lwi_step *step,
                           const lwi_loop_work *work);

/// Solves that matrix for the targets: K and the bias stand in its first rows afterwards. Returns
/// the target that has no pivot above `least` times the scale of its row, or -1.
int lwi_step_eliminate(const lwi_step *step, const lwi_loop_work *work, double least);

/// -(inverse) times work->residual, which is changed, by the factors that lwi_step_eliminate()
/// left; entries of the result are `apart` doubles apart.
void lwi_step_solve(const lwi_step *step, const lwi_loop_work *work, double *out, int apart);

/// What a loop exerts on the bodies at its two ends when its rows have these multipliers: a moment
/// and a force at the origin of each end frame, along the axes of that frame.
void lwi_loop_forces_at_ends(const lw_model *m, const lwi_loop *loop, const double *q,
                             const double lambda[LWI_MOST_ROWS], lw_force force[2]);

/// What the residuals [nrow] of a loop change by while its end frames, at X in some common frame,
/// move: V holds their rotation and the velocities of their origins, along the axes of that frame.
void lwi_loop_end_rates(const lwi_loop *loop, const lw_pose X[2], const lw_motion V[2],
                        double row[LWI_MOST_ROWS]);

/// The rows [nrow] of a closing joint, for rates of the second end frame against the first along
/// the axes of the first: rotation, z axis, origin.
void lwi_loop_pick(const lwi_loop *loop, lw_vec3 w, lw_vec3 z, lw_vec3 p,
                   double row[LWI_MOST_ROWS]);

/// Transposed: multipliers of the rows become factors of these rates.
void lwi_loop_spread(const lwi_loop *loop, const double *multiplier, lw_vec3 *w, lw_vec3 *z,
                     lw_vec3 *p);

/// Solves the first n columns of a matrix [nrow*ncolumn] for the others, which become -(inverse)
/// times themselves in the first n rows; rows that are left over are redundant. Returns a column
/// that has no pivot, or -1.
int lwi_eliminate_columns(double *matrix, int nrow, int ncolumn, int n);

/// Adds the rows of a loop at q to `matrix`, whose columns loop->column gives; the last column of
/// `ncolumn` is left alone.
void lwi_loop_matrix(const lw_model *m, const lwi_loop *loop, const lwi_loop_work *work,
                     const double *q, double *matrix, int ncolumn);

/// The same with each row over what its entries would be where they are largest, so that those of a
/// mechanism of any size can be compared; for a matrix that is zero there before.
void lwi_loop_matrix_scaled(const lw_model *m, const lwi_loop *loop, const lwi_loop_work *work,
                            const double *q, double *matrix, int ncolumn);

#endif
