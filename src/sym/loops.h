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

/// Residuals of a loop at the poses of the model's bodies; [nrow].
void lwi_loop_values(lwi_symbolic *k, const lwi_loop *loop, lwi_expr *value);

/// Adds its rows over the columns of its step to matrix [nrow * ncolumn].
void lwi_loop_gradient(lwi_symbolic *k, const lwi_loop *loop, int ncolumn, lwi_expr *matrix);

/// What rates u along v [tree_nv] add to the second derivatives of the residuals; [nrow].
void lwi_loop_curvature(lwi_symbolic *k, const lwi_loop *loop, const lwi_expr *u, const lwi_expr *v,
                        lwi_expr *value);

/// The way from the first end of a loop to the second, its rate and its acceleration as the common
/// body sees them, for rates v and accelerations a [tree_nv]; NULL for none.
void lwi_loop_way(lwi_symbolic *k, const lwi_loop *loop, const lwi_expr *v, const lwi_expr *a,
                  lwi_vec way[3]);

/// The motions S of the degrees of freedom of a branch for unit rates, in path order, about the
/// origin of the common body; and the end of the branch.
void lwi_loop_screws(lwi_symbolic *k, const lwi_loop *loop, int side, lwi_twist *S, lwi_vec *end);

/// The positions of the targets of a planar loop with a closing joint.
lw_status lwi_plane_triangle(lwi_symbolic *k, const lwi_step *step, const lwi_loop *loop);

// --- Three spheres (three_sphere_equations.c) ----------------------------------------------------

/// The position of a platform, and its rates K for unit rates of the sources.
void lwi_meet_spheres(lwi_symbolic *k, const lwi_step *step);
lw_status lwi_symbolic_platform_rates(lwi_symbolic *k, int s, const lwi_step *step);

/// The rates x of the platform that take back what the rows of its three rods have.
void lwi_solve_platform(lwi_symbolic *k, int s, const lwi_expr right[3], lwi_expr x[6]);

// --- Rows over targets and sources (loop_rows.c, unrolled_newton.c) ----------------------------

/// The body that degree of freedom v of the tree belongs to.
int lwi_body_of_dof(const lw_model *m, int v);

/// The rows of a step at the poses of the model's bodies: [nrow * (ntarget + nsource)], targets
/// first. NULL if allocation fails.
lwi_expr *lwi_step_rows(lwi_symbolic *k, const lwi_step *step);

/// Decides the order of elimination of step s by the numbers of its rows in the reference
/// configuration, and whether its determinant is negative there.
lw_status lwi_choose_pivots(lwi_symbolic *k, int s, const lwi_step *step, const lwi_expr *matrix);

/// Whether a block has more rows than targets, and takes all by least squares.
bool lwi_is_fitted(const lwi_step *step);

/// The sum of n products of entries that lie dx and dy apart.
lwi_expr lwi_column_dot(lwi_graph *g, int n, const lwi_expr *x, int dx, const lwi_expr *y, int dy);

/// Factors the rows that were chosen: below the diagonal the multipliers, on it the inverse pivots;
/// [ntarget * ntarget]. Of a block with more rows than targets what lwi_solve_rows() needs for
/// least squares.
lwi_expr *lwi_factor_rows(lwi_symbolic *k, int s, const lwi_step *step, const lwi_expr *matrix);

/// x [ntarget] = -(target columns)^-1 right, where right[i * stride] are entries of all rows.
void lwi_solve_rows(lwi_symbolic *k, int s, const lwi_step *step, const lwi_expr *F,
                    const lwi_expr *right, int stride, lwi_expr *x);

/// The positions of the targets of a step without a closed form.
lw_status lwi_unrolled_newton(lwi_symbolic *k, int s, const lwi_step *step);

/// Promises that the determinant has its sign of the reference configuration, for the factors of
/// its rows at the positions that were found; of a fitted block, that which it had at the last
/// call.
void lwi_promise_branch(lwi_symbolic *k, int s, const lwi_step *step, const lwi_expr *F);

#endif
