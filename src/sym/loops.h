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

#endif
