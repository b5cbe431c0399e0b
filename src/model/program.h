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
    bool is_rod;
    lw_joint_type type; ///< of a closing joint; it acts about or along z of both end frames
    int nrow;
    int npath[2];
    const int *path[2]; ///< bodies of each branch, the one next to the common body first
    const int
        *column;   ///< column of each degree of freedom of the two paths in the matrix of the step
    lw_pose X[2];  ///< end frames, in the last body of the path or in the common body
    double length; ///< of a rod
    double lead;   ///< of a screw, m per radian
    double cosine; ///< of a universal joint: of the angle between its axes
    double size;   ///< m: its largest length, against which gaps are judged
    double unit[LWI_MOST_ROWS]; ///< what residuals are judged against: 1 rad, size, size * length
    const struct lwi_plane *plane; ///< where a closed form works within a plane, else null
} lwi_loop;

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
    lw_step_kind kind;
    int ntarget, nsource, nrow;
    const int *target, *source; ///< tree velocities
    int nloop;
    const int *loop;               ///< into lwi_program.loop
    lw_law law;                    ///< of a function
    lw_coupling_function function; ///< where the law is the user's
    int ncoefficient;
    int first_coefficient;     ///< in lwi_program.coefficient
    const double *coefficient; ///< as in lw_step_info
    const int *target_q; ///< [ntarget] tree positions; -1 for degrees of freedom of a quaternion
    const int *source_q; ///< [nsource] likewise
    const double *target_unit; ///< [ntarget] 1 for angles, the size of a loop for slides
    const double *source_unit; ///< [nsource] likewise
    const int *target_body;  ///< [ntarget] the body that each belongs to; a quaternion's degrees of
                             ///< freedom are targets all together and stand in a row
    int ngear;               ///< gears solved together, with loops or alone
    const int *gear;         ///< [ngear] which
    const double *gear_row;  ///< [ngear * (ntarget + nsource + 1)] shares, then the constant
    const double *gear_unit; ///< [ngear] what their residuals are judged against
    int branch;              ///< of a closed form: 1 or -1
    const lwi_platform *platform;     ///< of a step that gives one, else NULL
    const struct lwi_step *reduced;   ///< of a block of legs: the step of what is left, else NULL
    const lwi_legs *legs;             ///< of a reduced step, else NULL
    double condition, condition_near; ///< as in lw_step_info
    int side, at;    ///< of a rod: which branch holds the target, and where on its path
    int side2, at2;  ///< of a spherical loop: the same of the second target
    int motion;      ///< of a spherical loop: its first entry in lwi_loop_work.leg_motion
    int rate;        ///< first entry of K in lw_data.rate
    int bias;        ///< first entry of b in lw_data.rate_bias
    int last;        ///< of a block: its first entry in lwi_loop_work.last
    int nspan;       ///< of a block: positions of its sources and of all joints of its loops,
    const int *span; ///< [2 * nspan] as first ones and counts
    int plane_solve; ///< of a planar closed form: where its inverse is in the work space
} lwi_step;

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
