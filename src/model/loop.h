// Loops in double: positions of dependent freedoms in closed form or by Newton's method, and rates.
#ifndef LWI_LOOP_H
#define LWI_LOOP_H

#include "program.h"

/// What went wrong in a closure sweep.
typedef struct lwi_closure_fault {
    int loop;        ///< that could not be closed, or -1
    int freedom;     ///< tree velocity that is not determined, or -1
    double gap;      ///< m
    double followed; ///< fraction of the path that a block followed
} lwi_closure_fault;

#define LWI_NO_FAULT ((lwi_closure_fault){-1, -1, 0.0, 1.0})

// How small a pivot may be, as a sine of the angle by which a loop misses its dead centre.
//
// A closed form finds a position from a square root: what is under it is good to rounding, about
// 1e-16, times the ratio of the longest side of the loop to the shortest. So rounding alone puts a
// loop that stands at its dead centre off it by the root of that, 1e-8 to 2e-7 for ratios up to a
// hundred. Whatever is nearer than LWI_DEAD cannot be told from the dead centre; rates are there
// good to one digit, and beyond they gain two digits each time the distance grows tenfold. Blocks
// end where their residual is below 1e-14, and so come as near as 1e-7 by themselves.
#define LWI_DEAD 3e-7
#define LWI_DEAD_BLOCK 1e-6
// Rows that no configuration has anything to do with: gears, and steps of Newton's method.
#define LWI_NO_PIVOT 1e-11

/// Iterations of Newton's method in blocks: those allowed a block in one sweep, and the most that
/// one took in the last.
typedef struct lwi_iterations {
    int most, used;
} lwi_iterations;

/// Work space of a step, sized by lwi_program.matrix and the longest loop.
typedef struct lwi_loop_work {
    double *matrix;    ///< [lwi_program.matrix] and the scales of its rows
    double *motion;    ///< [6 * lwi_program.longest]
    double *candidate; ///< [tree_nq]
    double *damped;    ///< [lwi_program.damped] for damped steps of blocks
    double *last;      ///< [lwi_program.nlast] joints of each block where it was closed last
    double *from;      ///< [tree_nq] the same for one block, and all targets; null in a compile
    double *between;   ///< [tree_nq] on the path
    double *before;    ///< [lwi_program.matrix] the Jacobian where a piece of it began
    struct lwi_iterations *count;
    struct lwi_plane_record *plane; ///< [lwi_program.nplane_record] see plane.h
    double *plane_solve;            ///< [4 * lwi_program.nplane_solve]
    double *sine, *cosine;          ///< [tree_nq] of all positions that are angles, as far as known
} lwi_loop_work;

/// Fills in the positions of the targets of a step; those of its sources, and for blocks a start
/// for the targets themselves, are in q [tree_nq].
lw_status lwi_step_position(const lw_model *m, const lwi_program *program, const lwi_step *step,
                            const lwi_loop_work *work, double *q, lwi_closure_fault *fault);

/// K [ntarget * nsource] of a step at q, for which its positions were found last.
lw_status lwi_step_rates(const lw_model *m, const lwi_program *program, const lwi_step *step,
                         const lwi_loop_work *work, const double *q, double *K,
                         lwi_closure_fault *fault);

/// The bias [ntarget] of a step at q and v [tree_nv], for which its rates were found last.
lw_status lwi_step_bias(const lw_model *m, const lwi_program *program, const lwi_step *step,
                        const lwi_loop_work *work, const double *q, const double *v, double *bias,
                        lwi_closure_fault *fault);

/// Residuals [nrow] of a loop, and the gap between its ends in metres.
double lwi_loop_residual(const lw_model *m, const lwi_loop *loop, const double *q,
                         double row[LWI_MOST_ROWS]);

/// The same residuals over what they are judged against, so that those of a mechanism of any size
/// can be compared: the root of the sum of their squares.
double lwi_loop_misfit(const lwi_loop *loop, const double row[LWI_MOST_ROWS]);

/// Sets what residuals of a loop are judged against, from its size.
void lwi_set_loop_units(lwi_loop *loop);

/// The matrix of a step at q, into work->matrix: the rows of all its loops, then those of its
/// gears. With v [tree_nv], the bias in the last column; else that column is zero.
void lwi_step_matrix(const lw_model *m, const lwi_program *program, const lwi_step *step,
                     const lwi_loop_work *work, const double *q, const double *v);

/// Solves that matrix for the targets: K and the bias stand in its first rows afterwards. Returns
/// the target that has no pivot above `least` times the scale of its row, or -1.
int lwi_step_eliminate(const lwi_step *step, const lwi_loop_work *work, double least);

/// What a loop exerts on the bodies at its two ends when its rows have these multipliers: a moment
/// and a force at the origin of each end frame, along the axes of that frame.
void lwi_loop_forces_at_ends(const lw_model *m, const lwi_loop *loop, const double *q,
                             const double lambda[LWI_MOST_ROWS], lw_force force[2]);

/// What the residuals [nrow] of a loop change by while its end frames, at X in some common frame,
/// move: V holds their turning and the velocities of their origins, along the axes of that frame.
void lwi_loop_end_rates(const lwi_loop *loop, const lw_pose X[2], const lw_motion V[2],
                        double row[LWI_MOST_ROWS]);

/// Adds the rows of a loop at q to `matrix`, whose columns loop->column tells; the last column of
/// `ncolumn` is left alone.
void lwi_loop_matrix(const lw_model *m, const lwi_loop *loop, const lwi_loop_work *work,
                     const double *q, double *matrix, int ncolumn);

/// The same with each row over what its entries would be where they are largest, so that those of a
/// machine of any size can be compared; for a matrix that is zero there before.
void lwi_loop_matrix_scaled(const lw_model *m, const lwi_loop *loop, const lwi_loop_work *work,
                            const double *q, double *matrix, int ncolumn);

/// The root of (q + b)^2 = L^2 - h^2 on the branch, 1 or -1, where h is how far a rod of length L
/// stands from the line of a slide; false where there is none.
bool lwi_solve_slide(double b, double L2, double h2, int branch, double *root);

#endif
