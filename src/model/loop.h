// Loops in double: positions of dependent freedoms in closed form or by Newton's method, and rates.
#ifndef LWI_LOOP_H
#define LWI_LOOP_H

#include "program.h"

/// What went wrong in a closure sweep.
typedef struct lwi_closure_fault {
    int loop;    ///< that could not be closed, or -1
    int freedom; ///< tree velocity that is not determined, or -1
    double gap;  ///< m
} lwi_closure_fault;

/// Work space of a step, sized by lwi_program.matrix and the longest loop.
typedef struct lwi_loop_work {
    double *matrix;                 ///< [lwi_program.matrix]
    double *motion;                 ///< [6 * lwi_program.longest]
    double *candidate;              ///< [tree_nq]
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

/// The matrix of a step at q, into work->matrix: the rows of all its loops, then those of its
/// gears. With v [tree_nv], the bias in the last column; else that column is zero.
void lwi_step_matrix(const lw_model *m, const lwi_program *program, const lwi_step *step,
                     const lwi_loop_work *work, const double *q, const double *v);

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

/// The two equations of closed forms, A cos q + B sin q + C = 0 and q^2 + 2 b q + c = 0. Each gives
/// the root of the branch (1 or -1), and false where there is none.
bool lwi_solve_cosine(double A, double B, double C, int branch, double *root);
bool lwi_solve_square(double b, double c, int branch, double *root);

#endif
