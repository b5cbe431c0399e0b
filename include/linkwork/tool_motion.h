// linkwork/tool_motion.h: motions of a tool along lines, circles and splines, as motions of joints.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A tool motion is a sequence of moves of a frame. It becomes a lw_trajectory of the joints, which
// is evaluated like any other (linkwork/motion.h): its coordinates are those of the degrees of
// freedom, and the tool follows its path to def->tolerance between the points that are computed,
// and to the rounding of inverse kinematics at them.
//
// Of the solutions of inverse kinematics one is taken for which the whole path is feasible: within
// reach and limits, and away from singular configurations. Where joint velocities, accelerations,
// jerks or forces would exceed their limits, all that lies between two rests is slowed by one
// factor, which leaves the path as it is.
#ifndef LINKWORK_TOOL_MOTION_H
#define LINKWORK_TOOL_MOTION_H

#include <linkwork/ik.h>
#include <linkwork/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lw_tool_move_type {
    LW_TOOL_JOINTS = 0,  ///< `joints`: any move of the joints, from rest to rest
    LW_TOOL_TO = 1,      ///< the joints go straight to a configuration with the tool at pose[0]:
                         ///< that one of the solutions for which the moves that follow, up to the
                         ///< next LW_TOOL_TO or LW_TOOL_JOINTS, are feasible
    LW_TOOL_LINE = 2,    ///< in a straight line to pose[0], orientation by slerp
    LW_TOOL_CIRCLE = 3,  ///< along a circle through pose[0].p to pose[1], orientation by slerp
    LW_TOOL_SPLINE = 4,  ///< through all poses, with continuous second derivatives
    LW_TOOL_WAIT = 5,    ///< rest for `duration`
    LW_TOOL_CHANGE = 6,  ///< from here on the tool is `frame`
    LW_TOOL_OVERRIDE = 7 ///< from here on all speeds are `factor` times as large
} lw_tool_move_type;

typedef struct lw_tool_move {
    lw_tool_move_type type;
    int npose;
    const lw_pose *pose;   ///< [npose] of the tool in the base
    const lw_move *joints; ///< of LW_TOOL_JOINTS; its coordinates are the nv degrees of freedom

    /// Of LW_TOOL_SPLINE: when each pose is reached, after the begin of the move, increasing; NULL
    /// for the speed of the tool.
    const double *time; ///< [npose]

    /// Of lines, circles and splines: the corner to the next of these is left out from this
    /// distance before it to this distance behind it, along the path, m, and not rested at. 0:
    /// rest.
    double blend;

    double speed;    ///< of the tool, m/s; 0 for that of the definition
    double duration; ///< of LW_TOOL_WAIT, s
    double factor;   ///< of LW_TOOL_OVERRIDE, > 0
    int frame;       ///< of LW_TOOL_CHANGE

    lw_location location; ///< for diagnostics
} lw_tool_move;

typedef struct lw_tool_motion_def {
    int base; ///< frame, fixed to the world, that poses are given in; -1 for the world
    int tool; ///< frame that moves
    lw_ik_task task;
    int hold; ///< of a redundant chain: index in q of the joint that keeps its value; -1 for the
              ///< one that lw_ik_create() chooses

    const double *start;  ///< [nq] where the motion begins; NULL for the reference
    bool begins_anywhere; ///< it begins at the pose of the first move, which is LW_TOOL_TO; `start`
                          ///< is what the choice of the solution is to be near

    const lw_axis_limits *limits; ///< [nv]; NULL for those of the model (lw_dof_limits)
    const double *force;          ///< [nv] largest joint forces; NULL for those of the model

    double speed, acceleration, jerk;           ///< of the tool, m/s and so on
    double angular_speed, angular_acceleration; ///< of its orientation, rad/s, rad/s^2
    lw_profile profile; ///< how speeds change: LW_PROFILE_QUINTIC has a polynomial of its own,
                        ///< LW_PROFILE_S_CURVE needs a jerk

    double spacing;   ///< m: points at which the path is solved; as many radians of rotation
    double tolerance; ///< m and rad: how far the tool may be from its path between them
    double slowest;   ///< a motion that would have to be slowed by more is refused

    int nmove;
    const lw_tool_move *move; ///< [nmove]
} lw_tool_motion_def;

/// The tool `tool` in the world: 0.25 m/s, 1 m/s^2, 1 rad/s, 4 rad/s^2, no limit of the jerk, by
/// LW_PROFILE_QUINTIC, points 1 mm apart, tolerance 1e-9, not more than 100 times slower. No moves.
LW_API lw_tool_motion_def lw_default_tool_motion_def(int tool);

/// What ends a path.
typedef enum lw_tool_end {
    LW_TOOL_COMPLETE = 0,     ///< nothing
    LW_TOOL_OUT_OF_REACH = 1, ///< no configuration has the tool there
    LW_TOOL_JOINT_LIMIT = 2,  ///< `dof` would leave its limits
    LW_TOOL_SINGULAR = 3,     ///< the configuration becomes singular: solutions meet, or joints
                              ///< would have to move too fast
    LW_TOOL_JOINT_FORCE = 4   ///< `dof` cannot hold the mechanism there, however slow it is
} lw_tool_end;

/// How a motion was made, or how far it got on the branch on which it got farthest.
typedef struct lw_tool_motion_info {
    lw_tool_end end;
    int move;            ///< at which it ends; -1
    double position;     ///< along the path from the last choice of a branch, m
    double length;       ///< of the whole of it
    int dof;             ///< in the tree, that ends it; -1
    lw_ik_branch branch; ///< of the last choice; index -1 where the start had it
    int nbranch;         ///< solutions that were tried there
    int npoint;          ///< at which the path was solved
    double deviation;    ///< of the tool from its path half-way between them, m and rad
    double slowed;       ///< the largest factor by which a move takes longer; 1
} lw_tool_motion_info;

/// Makes the joint motion. LW_ERR_MOTION where it cannot be made: *info has where it ends, and the
/// report the move and why. LW_ERR_NUMBER and LW_ERR_ARGUMENT for what makes no sense: moves
/// without length, blends larger than their segments, rotations by half a revolution, poses that
/// are no rotation or not finite. LW_ERR_UNSUPPORTED for chains that lw_ik_create() refuses, that
/// have degrees of freedom which the task leaves open, and for a base that moves. Notes of the
/// report name the moves that were slowed, and why (LW_DIAG_MOTION_SLOWED). *trajectory is NULL
/// where it fails, and else freed with lw_trajectory_destroy().
/// @param info may be NULL
LW_API lw_status lw_tool_motion_create(const lw_model *m, const lw_tool_motion_def *def,
                                       lw_trajectory **trajectory, lw_tool_motion_info *info,
                                       lw_report *report);

#ifdef __cplusplus
}
#endif
#endif
