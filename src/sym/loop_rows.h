// Rows of the conditions of a step over its targets and sources, and their elimination.
#ifndef LWI_LOOP_ROWS_H
#define LWI_LOOP_ROWS_H

#include "loops.h"

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
