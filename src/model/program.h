// The closure program as it runs: loops, and the steps that solve them.
//
// A step reads the rates of its sources and gives those of its targets, all of them tree
// velocities: dy = K dx, ddy = K ddx + b. Every kind of step has its own way to find positions; K
// and b come for all of them from the rows of its constraints, by elimination.
#ifndef LWI_PROGRAM_H
#define LWI_PROGRAM_H

#include <linkwork/model.h>

enum { LWI_MOST_ROWS = 6 };      ///< of one loop
enum { LWI_MOST_POSITIONS = 7 }; ///< of one body
enum { LWI_MOST_LEGS = 32 };     ///< of one reduced step

/// A rod or a closing joint between two frames. All is computed in the frame of the body on which
/// both branches are attached, so that nothing beyond the loop is touched.
typedef struct lwi_loop {
#define number double
#define pose lw_pose
#define plane_type struct lwi_plane
#include "loop_fields.inc"
#undef plane_type
#undef pose
#undef number
} lwi_loop;

/// The same for float arithmetic.
typedef struct lwi_vector32 {
    float x, y, z;
} lwi_vector32;

typedef struct lwi_place32 {
    struct {
        lwi_vector32 row[3];
    } R;
    lwi_vector32 p;
} lwi_place32;

typedef struct lwi_loop32 {
#define number float
#define pose lwi_place32
#define plane_type struct lwi_plane32
#include "loop_fields.inc"
#undef plane_type
#undef pose
#undef number
} lwi_loop32;

/// A leg of a platform: it holds a point of the platform, its tip, at a distance from its foot.
typedef struct lwi_platform_leg {
    int loop;       ///< into lwi_program.loop
    int side;       ///< of the loop: the branch that the leg is on; the platform is on the other
    int column;     ///< first entry of that branch in lwi_loop.column
    int motion;     ///< first entry in lwi_loop_work.leg_motion
    lw_vec3 tip;    ///< along the axes of the common body, for a platform that does not rotate
    lw_vec3 across; ///< from the foot of the other rod of the pair, likewise; constant
} lwi_platform_leg;

/// A platform on a free joint, all of whose degrees of freedom one step gives.
typedef struct lwi_platform {
    int body;
    int nleg;
    int first;                   ///< its first entry in lwi_loop_work.leg
    const lwi_platform_leg *leg; ///< [nleg]
    lw_mat3 R; ///< its axes along those of the common body, where it does not rotate
} lwi_platform;

/// Bodies that follow each other from a common body or a joint on, as legs begin or end.
typedef struct lwi_leg_branch {
    int n, ndof;
    const int *body;   ///< [n]
    const int *column; ///< [ndof] in the matrix of the reduced step
    int motion;        ///< first entry in lwi_loop_work.leg_motion
    bool is_given;     ///< sources alone move it
    bool is_free;      ///< one body on a free joint
} lwi_leg_branch;

/// A loop that holds two points at a distance, and the two passive joints, about axes that meet in
/// the first of these points, that follow once both points are known.
typedef struct lwi_torn_leg {
    int loop;                      ///< into lwi_program.loop
    int side;                      ///< of the loop: where its passive joints are, if any
    int foot, tip;                 ///< branches
    int beyond;                    ///< branch beyond the passive joints, in the frame of the second
    int swivel;                    ///< place on the path of the first passive joint, or -1: a rod
    int passive[2];                ///< of these joints: which targets of the step
    lw_vec3 foot_point, tip_point; ///< in the last bodies of the branches
    double unit;                   ///< what its residual is judged against
    double arm;                    ///< of a tip on a free joint: how far that moves it at most
} lwi_torn_leg;

/// What a block is reduced to where its loops are legs: the joints that only one of them has are
/// eliminated.
typedef struct lwi_legs {
    int nbranch, nleg, nsource;
    const lwi_leg_branch *branch;
    const lwi_torn_leg *leg;
    const int *kept; ///< [ntarget] of the step: where its targets are in the reduced one, or -1
    int first_pose;  ///< in lwi_loop_work.branch_pose
    int first_leg;   ///< in lwi_loop_work.leg
    int first_row;   ///< in lwi_loop_work.leg_row: three rows of each leg, then the inverse
} lwi_legs;

/// One step, and the layout of its matrix [nrow * (ntarget + nsource + 1)]: targets, sources, bias.
typedef struct lwi_step {
#define number double
#include "step_fields.inc"
#undef number
} lwi_step;

/// The same for float arithmetic, where no step has a platform or is reduced.
typedef struct lwi_step32 {
#define number float
#include "step_fields.inc"
#undef number
} lwi_step32;

typedef struct lwi_program {
    const lwi_step *step;            ///< [nstep]
    const lwi_loop *loop;            ///< [nloop]
    const struct lwi_fronts *fronts; ///< order of elimination; NULL where there is none
    const int *step_of;              ///< [tree_nv] step that gives this degree of freedom, or -1
    int nstep, nloop;
    const double *coefficient; ///< [ncoefficient] of all steps
    int ncoefficient;
    int nrate, nbias; ///< sizes of lw_data.rate and lw_data.rate_bias
    int matrix;       ///< largest nrow * (ntarget + nsource + 2): the rows, and their scales
    int nlast;        ///< size of lwi_loop_work.last
    int damped;       ///< largest ntarget * (ntarget + 1) of a block
    int longest;      ///< most degrees of freedom in the loops of one step
    int nrow, nend;   ///< most rows and most loops of one step
    int nplane_record, nplane_solve;          ///< sizes of the work space of planar closed forms
    int nleg, nleg_motion, nleg_row, nbranch; ///< the same of legs
} lwi_program;

#endif
