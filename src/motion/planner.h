// A tool motion while it is planned: from moves to segments (path_build.c), from segments to a law
// of time (speed.c), along these to joint positions (follow.c), within limits (slow.c).
#ifndef LWI_PLANNER_H
#define LWI_PLANNER_H

#include <linkwork/tool_motion.h>

#include "path.h"
#include "trajectory.h"

/// A part of the law of time: the parameter of one segment over time.
typedef struct lwi_span {
    lwi_piece u; ///< its start counts from the begin of the section
    double duration;
    int segment;
    int count; ///< intervals between knots, of equal time
} lwi_span;

/// What lies between two rests: segments of the path, or none while waiting.
typedef struct lwi_section {
    int move;  ///< the first that it belongs to
    int frame; ///< that moves
    bool is_timed;
    int first, nsegment;
    int nspan;
    lwi_span *span;
    double begin;    ///< along the path since the last choice of a branch
    double length;   ///< of its path, m, or rad where it only rotates
    double duration; ///< before it is slowed
    int nknot, space;
    double *knot;  ///< [3*n*nknot] positions of the active joints, and derivatives by the parameter
    double slowed; ///< the factor; which joint asks for it, and whether it is its velocity (1), its
                   ///< acceleration, its jerk or its force (0)
    int slowed_by, slowed_order;
} lwi_section;

/// A joint that moves the tool, and all its numbers.
typedef struct lwi_active {
    int q, v;         ///< in the arrays of the model
    bool is_periodic; ///< whole revolutions change nothing
    lw_axis_limits limits;
    double turn;        ///< rad: revolutions that are added to what is followed
    double least, most; ///< that it took while it was followed
} lwi_active;

enum { LWI_ACTIVE = 6 }; ///< as many as a pose has rows, at most

typedef struct lwi_planner {
    const lw_model *m;
    const lw_tool_motion_def *def;
    lw_report *report;
    lw_data *d;
    lw_pose X_WB;
    int move; ///< that is looked at, for diagnostics

    lw_ik *ik; ///< of the tool
    int ik_frame;
    int frame;              ///< of the tool
    double factor;          ///< of all speeds
    lw_axis_limits *limits; ///< [nv]
    double *force;          ///< [nv]
    int n;                  ///< active joints
    lwi_active active[LWI_ACTIVE];
    double *q, *v, *a, *tau; ///< [nq], [nv]: scratch of one state; q is where the motion is
    double *at;              ///< [nq] where it is followed
    double *J;               ///< [6*nv]
    double *tree_q;          ///< [tree_nq]
    double *block;           ///< of all these

    lwi_segment *segment;
    int nsegment, segment_space;
    lwi_section *section;
    int nsection, section_space;
    lw_trajectory **part;
    int npart, part_space;

    lw_tool_motion_info info; ///< of the branch that is tried
    lw_tool_motion_info best; ///< of the one that got farthest
} lwi_planner;

/// Reports what is wrong with the current move; returns the status.
lw_status lwi_plan_error(const lwi_planner *p, lw_status status, const char *format, ...)
    LW_PRINTF(3, 4);

static inline lw_status lwi_plan_no_memory(const lwi_planner *p)
{
    return lwi_plan_error(p, LW_ERR_MEMORY, "%s", lw_status_text(LW_ERR_MEMORY));
}

/// Numbers and poses of a move: LW_ERR_ARGUMENT, LW_ERR_NUMBER.
lw_status lwi_plan_check(const lwi_planner *p, const lw_tool_move *move);

/// A pose of a move in the world; its rotation is made exact, and left out where the task has none.
lw_pose lwi_plan_pose(const lwi_planner *p, const lw_pose *X);

/// Makes sections of moves, from p->move on, up to a LW_TOOL_TO or LW_TOOL_JOINTS, which p->move
/// is afterwards. The tool begins at X, in the world.
lw_status lwi_plan_path(lwi_planner *p, lw_pose X);

/// The law of time of a section.
lw_status lwi_plan_speed(lwi_planner *p, lwi_section *section);

/// Whether p->at is within the limits, with some whole revolutions of joints that can take these.
/// LW_ERR_MOTION as below.
lw_status lwi_plan_limits(lwi_planner *p);

/// Follows a section from p->at, which is moved to its end: fills the knots. LW_ERR_MOTION, with
/// p->info and nothing reported, where the path ends.
lw_status lwi_plan_follow(lwi_planner *p, lwi_section *section);

/// Finds the factor of a section. LW_ERR_MOTION as above.
lw_status lwi_plan_slow(lwi_planner *p, lwi_section *section);

/// A configuration with the tool at the begin of a group.
typedef struct lwi_branch {
    double distance; ///< from where the motion is
    lw_ik_branch branch;
    const double *q; ///< [nq]
} lwi_branch;

/// All configurations with the tool at a pose, the nearest first, with their positions in one block
/// that is freed by free().
lw_status lwi_find_branches(lwi_planner *p, const lw_pose *X, lwi_branch **out, int *count);

/// Follows all sections from a configuration. LW_ERR_MOTION, and p->best where none got farther.
/// @param winds whole revolutions of joints are still to be chosen
lw_status lwi_try_branch(lwi_planner *p, const double *q, lw_ik_branch branch, bool winds);

/// Revolutions of a branch that keep each joint within its limits, as near to where the motion is
/// as can be.
void lwi_choose_turns(lwi_planner *p, const double *start);

/// Reports p->best.
lw_status lwi_refuse_path(lwi_planner *p);

static inline double *lwi_knot(const lwi_planner *p, const lwi_section *section, int k)
{
    return section->knot + (size_t)k * 3 * (size_t)p->n;
}

#endif
