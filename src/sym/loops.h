// Conditions of loops as expressions.
#ifndef LWI_LOOPS_H
#define LWI_LOOPS_H

#include "../model/program.h"
#include "symbolic_model.h"

/// The end of one branch of a loop, in the frame of the common body. Twists are about its origin.
typedef struct lwi_end {
    lwi_frame X;
    lwi_twist U, V; ///< for rates u and v
    lwi_twist A;    ///< rate of U along v
} lwi_end;

/// Pose of the body at path[side][to - 1] from that at path[side][from - 1].
lwi_frame lwi_branch(lwi_symbolic *k, const lwi_loop *loop, int side, int from, int to);

/// The square of the length of a rod.
lwi_expr lwi_rod_square(lwi_symbolic *k, const lwi_loop *loop);

/// Residuals of a loop at the poses of the model's bodies; [nrow].
void lwi_loop_values(lwi_symbolic *k, const lwi_loop *loop, lwi_expr *value);

/// Adds its rows over the columns of its step to matrix [nrow * ncolumn].
void lwi_loop_gradient(lwi_symbolic *k, const lwi_loop *loop, int ncolumn, lwi_expr *matrix);

/// What rates u along v [tree_nv] add to the second derivatives of the residuals; [nrow].
void lwi_loop_curvature(lwi_symbolic *k, const lwi_loop *loop, const lwi_expr *u, const lwi_expr *v,
                        lwi_expr *value);

/// What rates u along v [tree_nv] add to the acceleration of the second end against the first.
lwi_vec lwi_loop_bias(lwi_symbolic *k, const lwi_loop *loop, const lwi_expr *u, const lwi_expr *v);

/// Motions of the degrees of freedom of a body that is at X, about the origin of the common frame.
void lwi_unit_twists(lwi_symbolic *k, const lwi_sym_body *b, const lwi_frame *X,
                     lwi_twist S[LW_MAX_DOF]);

/// The way from the first end of a loop to the second, its rate and its acceleration as the common
/// body sees them, for rates v and accelerations a [tree_nv]; NULL for none.
void lwi_loop_way(lwi_symbolic *k, const lwi_loop *loop, const lwi_expr *v, const lwi_expr *a,
                  lwi_vec way[3]);

/// The motions S of the degrees of freedom of a branch for unit rates, in path order, about the
/// origin of the common body; and the end of the branch.
void lwi_loop_screws(lwi_symbolic *k, const lwi_loop *loop, int side, lwi_twist *S, lwi_vec *end);

/// How far the second end of a planar loop is above the first, across the plane.
lwi_expr lwi_plane_height(lwi_symbolic *k, const lwi_loop *loop);

/// The positions of the targets of a planar loop with a closing joint.
lw_status lwi_plane_triangle(lwi_symbolic *k, const lwi_step *step, const lwi_loop *loop);

// --- Three spheres (three_sphere_equations.c) ----------------------------------------------------

/// The position of a platform, and its rates K for unit rates of the sources.
void lwi_meet_spheres(lwi_symbolic *k, const lwi_step *step);
lw_status lwi_symbolic_platform_rates(lwi_symbolic *k, int s, const lwi_step *step);

/// The rates x of the platform that take back what the rows of its three rods have.
void lwi_solve_platform(lwi_symbolic *k, int s, const lwi_expr right[3], lwi_expr x[6]);

// --- Linkages that move by their symmetry (symmetric_equations.c)
// ---------------------------------

/// The positions of the targets, and their rates K.
lw_status lwi_symmetric_equations(lwi_symbolic *k, int s, const lwi_step *step);

/// Their bias [ntarget], for the product of two rates of the source.
void lwi_symmetric_curvature(lwi_symbolic *k, int s, const lwi_step *step, lwi_expr square,
                             lwi_expr *bias);

// --- Rows over targets and sources (loop_rows.c) ------------------------------------------------

/// The body that degree of freedom v of the tree belongs to.
int lwi_body_of_dof(const lw_model *m, int v);

/// The rows of a step at the poses of the model's bodies: [nrow * (ntarget + nsource)], targets
/// first. NULL if allocation fails.
lwi_expr *lwi_step_rows(lwi_symbolic *k, const lwi_step *step);

/// Decides the order of elimination of step s by the numbers of its rows in the reference
/// configuration.
lw_status lwi_choose_pivots(lwi_symbolic *k, int s, const lwi_step *step, const lwi_expr *matrix);

/// The sum of n products of entries that lie dx and dy apart.
lwi_expr lwi_column_dot(lwi_graph *g, int n, const lwi_expr *x, int dx, const lwi_expr *y, int dy);

/// Factors the rows that were chosen: below the diagonal the multipliers, on it the inverse pivots;
/// [ntarget * ntarget].
lwi_expr *lwi_factor_rows(lwi_symbolic *k, int s, const lwi_step *step, const lwi_expr *matrix);

/// x [ntarget] = -(target columns)^-1 right, where right[i * stride] are entries of all rows.
void lwi_solve_rows(lwi_symbolic *k, int s, const lwi_step *step, const lwi_expr *F,
                    const lwi_expr *right, int stride, lwi_expr *x);

// --- Blocks, by loops of code (block_equations.c, leg_equations.c)
// --------------------------------

/// Symbols for the unknowns of a step, which are placed, and for the pseudo-inverse of its rows;
/// rows and their derivatives are to be filled in. NULL if allocation fails.
/// @param size what residuals are judged against
lwi_sym_loop *lwi_add_loop(lwi_symbolic *k, int s, const lwi_step *step, double size);

/// x [ndof] = -P right.
void lwi_loop_solve(lwi_symbolic *k, const lwi_sym_loop *l, const lwi_expr *right, int apart,
                    lwi_expr *x);

/// Positions and rates K of a block.
lw_status lwi_block_equations(lwi_symbolic *k, int s, const lwi_step *step);

/// Its bias, from the curvatures [nrow] of its rows, which are changed.
void lwi_block_bias(lwi_symbolic *k, int s, const lwi_step *step, lwi_expr *value, lwi_expr *bias);

/// Positions and rates of a block that is reduced to the joints that its legs share, in the list of
/// the model: of these joints, then of the passive ones leg by leg.
lw_status lwi_leg_equations(lwi_symbolic *k, int s, const lwi_step *step);

/// The bias [ntarget] of one of these rates.
void lwi_leg_bias(lwi_symbolic *k, const lwi_sym_rate *rate, const lwi_expr *u, const lwi_expr *v,
                  lwi_expr *bias);

#endif
