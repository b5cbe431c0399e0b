// What lw_data keeps for the solution of closure steps (src/loop): work space, where blocks were
// closed last, and why a sweep failed.
#ifndef LWI_LOOP_WORK_H
#define LWI_LOOP_WORK_H

#include "kernel.h"
#include "program.h"

/// What went wrong in a closure sweep.
typedef struct lwi_closure_fault {
    int loop;        ///< that could not be closed, or -1
    int dof;         ///< tree velocity that is not determined, or -1
    double gap;      ///< m
    double followed; ///< fraction of the path that a block followed
} lwi_closure_fault;

/// The same of float arithmetic.
typedef struct lwi_closure_fault32 {
    int loop, dof;
    float gap, followed;
} lwi_closure_fault32;

#define LWI_NO_FAULT ((lwi_closure_fault){-1, -1, 0.0, 1.0})

/// Iterations of Newton's method in blocks: those allowed a block in one sweep, and the most that
/// one took in the last.
typedef struct lwi_iterations {
    int most, used;
    const lwi_step *walked; ///< the block whose loops the work space has where its positions were
                            ///< found last, or NULL
} lwi_iterations;

// --- Planar loops (loop/planar_loop.h)

#define number double
#define NAMED(x) x
#include "plane_types.inc"
#undef NAMED
#undef number

// The same for float arithmetic.
#define number float
#define NAMED(x) x##32
#include "plane_types.inc"
#undef NAMED
#undef number

enum { LWI_PLANE_ENDS = 2 }; ///< records behind those of the joints: p the end, dir the direction

/// Where a leg of a platform is, along the axes of the common body.
typedef struct lwi_leg_state {
    lw_vec3 foot;
    lw_vec3 d;    ///< from the foot to the tip
    lw_vec3 gain; ///< velocity of a platform for d . (velocity of the foot) = 1; of the bias of a
                  ///< leg, the acceleration of the tip against its end
    // Of a leg with passive joints:
    lw_mat3 R;        ///< axes of the body that the second carries
    lw_vec3 y;        ///< from the foot to the tip, along these
    lw_vec3 z[2];     ///< axes of the two
    lw_vec3 share[2]; ///< their rates, for a velocity of the tip against the leg
    double square;    ///< of the distance that it holds
    double length;    ///< that distance
    double residual;  ///< (d.d - square) / 2; of the bias, its second derivative
} lwi_leg_state;

/// How a body moves where no joint accelerates, about the origin of the common body.
typedef struct lwi_moving {
    lw_motion V, A;
} lwi_moving;

/// Work space of a step, sized by lwi_program.matrix and the longest loop.
typedef struct lwi_loop_work {
    double *matrix;    ///< [lwi_program.matrix] and the scales of its rows
    double *motion;    ///< [6 * lwi_program.longest]
    double *residual;  ///< [lwi_program.nrow] of a step; of the bias, their second derivatives
    int *pivot;        ///< [lwi_program.nrow] of the last elimination
    lw_pose *loop_end; ///< [2 * lwi_program.nend] where the branches of a step's loops end
    double *candidate; ///< [tree_nq]
    double *damped;    ///< [lwi_program.damped] for damped steps of blocks
    double *last;      ///< [lwi_program.nlast] joints of each block where it was closed last
    double *from;      ///< [tree_nq] the same for one block, and all targets; NULL in a compile
    double *between;   ///< [tree_nq] on the path
    double *before;    ///< [lwi_program.matrix] the Jacobian where a piece of it began
    struct lwi_iterations *count;
    struct lwi_plane_record *plane; ///< [lwi_program.nplane_record] see above
    double *plane_solve;            ///< [4 * lwi_program.nplane_solve]
    lwi_leg_state *leg;             ///< [lwi_program.nleg]
    lw_pose *branch_pose;           ///< [lwi_program.nbranch] of its last body
    lwi_moving *branch_moving;      ///< [lwi_program.nbranch] likewise
    double *leg_row;                ///< [lwi_program.nleg_row] three of each leg with its columns
    lw_motion *leg_motion; ///< [lwi_program.nleg_motion] of the joints of legs, about the origin of
                           ///< the common body
    double *sine, *cosine; ///< [tree_nq] of all positions that are angles, as far as known
} lwi_loop_work;

/// How many positions a body owns.
int lwi_position_count(const lwi_segment *body);

/// The i-th body on both branches of a loop, those of the first one first.
const lwi_segment *lwi_body_on_path(const lw_model *m, const lwi_loop *loop, int i);

/// Lets the next path of a block begin at q, where it is closed.
void lwi_block_restart(const lw_model *m, const lwi_step *step, const lwi_loop_work *work,
                       const double *q);

/// Copies the positions of all joints of a block's loops into the record of where it was closed
/// last (out is NULL), or from there to `out` [tree_nq].
void lwi_block_copy_joints(const lwi_step *step, const lwi_loop_work *work, const double *q,
                           double *out);

/// Copies the positions of a step's targets from one q [tree_nq] to another.
void lwi_copy_targets(const lw_model *m, const lwi_step *step, const double *from, double *to);

#endif
