// linkwork/motion.h: motions in time, from points and limits.
//
// Stable. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A trajectory gives n coordinates as functions of time: n joints of a mechanism, or the
// coordinates of any other path. It is made once, of moves that follow each other; each begins
// where the one before ends, at rest. Made so that no limit is exceeded, and refused where that is
// not possible.
#ifndef LINKWORK_MOTION_H
#define LINKWORK_MOTION_H

#include <linkwork/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a move goes from rest to rest.
typedef enum lw_profile {
    LW_PROFILE_TRAPEZOID = 0, ///< constant acceleration, constant velocity, constant deceleration;
                              ///< its acceleration jumps, and limits of jerk do not count
    LW_PROFILE_S_CURVE = 1,   ///< the same with limited jerk: acceleration is continuous
    LW_PROFILE_QUINTIC = 2    ///< one polynomial; acceleration is continuous and ends at zero
} lw_profile;

/// What holds the coordinates of a move together. All begin and end at the same time.
typedef enum lw_synchronization {
    LW_SYNCHRONIZE_STRAIGHT = 0, ///< in proportion: the move is a straight line in the coordinates
    LW_SYNCHRONIZE_TIME = 1      ///< each by its own profile, slowed to the time of the slowest
} lw_synchronization;

/// What one coordinate may do. No limit is written as an infinite value.
typedef struct lw_axis_limits {
    double lower, upper; ///< position
    double velocity, acceleration, jerk;
} lw_axis_limits;

/// No limits.
LW_API lw_axis_limits lw_default_axis_limits(void);

/// The limits that the model has for degree of freedom k of v; it has none for jerk.
LW_API lw_axis_limits lw_dof_limits(const lw_model *m, int k);

typedef enum lw_move_type {
    LW_MOVE_TO = 0,      ///< through each point, with a rest at each
    LW_MOVE_THROUGH = 1, ///< through the points without a rest, by a spline with continuous
                         ///< acceleration
    LW_MOVE_ARC = 2,     ///< a circle in two of the coordinates, the others at rest
    LW_MOVE_WAIT = 3     ///< rest for `duration`
} lw_move_type;

typedef struct lw_move {
    lw_move_type type;
    lw_profile profile;          ///< of LW_MOVE_TO and LW_MOVE_ARC
    lw_synchronization together; ///< of LW_MOVE_TO

    int npoint;
    const double *point; ///< [npoint*n]

    /// Of LW_MOVE_THROUGH: when each point is reached, after the begin of the move, increasing; or
    /// NULL for as soon as the limits allow.
    const double *time; ///< [npoint]

    /// s; 0 for as short as the limits allow. Of LW_MOVE_TO with several points: of each leg.
    double duration;

    int axis[2];      ///< of LW_MOVE_ARC: coordinates in which the circle lies
    double center[2]; ///< of LW_MOVE_ARC, in those
    double angle;     ///< of LW_MOVE_ARC, rad, from the first towards the second

    lw_location location; ///< for diagnostics
} lw_move;

/// To no point, by a quintic, in a straight line.
LW_API lw_move lw_default_move(void);

typedef struct lw_trajectory_def {
    int n;
    const double *start;          ///< [n]
    const lw_axis_limits *limits; ///< [n]
    const char *const *name;      ///< [n] for diagnostics; or NULL
    int nmove;
    const lw_move *move; ///< [nmove]
} lw_trajectory_def;

typedef struct lw_trajectory lw_trajectory;

/// LW_ERR_MOTION where a move cannot keep the limits (a point out of reach, a duration too short,
/// no limit at all where the profile needs one), LW_ERR_NUMBER for what is not finite, and
/// LW_ERR_ARGUMENT for definitions that make no sense; the report contains which move. *trajectory
/// is NULL then. Nothing of the definition is kept. Free with lw_trajectory_destroy().
LW_API lw_status lw_trajectory_create(const lw_trajectory_def *def, lw_trajectory **trajectory,
                                      lw_report *report);
LW_API void lw_trajectory_destroy(lw_trajectory *trajectory);

/// The number of its coordinates, n; and its duration, s.
LW_API int lw_trajectory_axes(const lw_trajectory *trajectory);
LW_API double lw_trajectory_duration(const lw_trajectory *trajectory);

/// Times within the motion at which a derivative may jump: ends of pieces of any coordinate, in
/// ascending order, each once. Their number; at most `size` of them are written.
LW_API int lw_trajectory_breaks(const lw_trajectory *trajectory, double *time, int size);

/// Coordinates and their derivatives at time t. Before the begin and after the end the coordinates
/// rest there. Where a derivative jumps, it is the one that follows. Real-time safe.
/// @param q,v,a,jerk [n]; any may be NULL
LW_API lw_status lw_trajectory_evaluate(const lw_trajectory *trajectory, double t, double *q,
                                        double *v, double *a, double *jerk);

/// State of a model whose degrees of freedom follow a trajectory with nv axes. Spherical and free
/// joints have no axes of their own: they stay at the reference, and what the trajectory has for
/// them is not looked at. Real-time safe.
/// @param q [nq]
/// @param v,a [nv]; may be NULL
LW_API lw_status lw_trajectory_state(const lw_trajectory *trajectory, const lw_model *m, double t,
                                     double *q, double *v, double *a);

#ifdef __cplusplus
}
#endif
#endif
