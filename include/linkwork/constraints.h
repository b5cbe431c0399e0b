// linkwork/constraints.h: a configuration that meets a set of constraints, or the best there is.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A constraint has rows: values that are functions of the configuration, and their Jacobian. Each
// row shall be zero, or within two bounds. Constraints of one level share their residuals in the
// sense of weighted least squares; levels are strict priorities: a level changes nothing of those
// before it. Joint limits come before all levels.
//
// Unknowns are the independent coordinates, through loops and gears; the steps of quaternions are
// rotations. A lw_constraints is made once for a model and a list of constraints; solving then
// allocates nothing, has bounded work, and gives the same bits on every run.
//
// Kinds of constraints are functions (lw_constraint_kind): those of lw_constraint_type are built
// in, others are the caller's.
#ifndef LINKWORK_CONSTRAINTS_H
#define LINKWORK_CONSTRAINTS_H

#include <linkwork/model.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    LW_CONSTRAINT_LEVELS = 8,   ///< priorities, at most
    LW_CONSTRAINT_ROWS = 1000,  ///< of one set, at most
    LW_CONSTRAINT_POLYGON = 16, ///< corners of a support polygon, at most
    LW_CONSTRAINT_TERMS = 8     ///< coefficients of a joint function, at most
};

/// What a constraint is about. "The frame" is lw_constraint_def.frame, "the other" is relative_to.
/// Targets, directions, normals are in coordinates of the other frame; point and axis in those of
/// the frame.
typedef enum lw_constraint_type {
    LW_CONSTRAINT_POSE = 0,     ///< 6 rows: rotation vector from target, along the target's axes,
                                ///< then position of the frame's origin less that of target
    LW_CONSTRAINT_POSITION = 1, ///< 3 rows: the point less target.p
    LW_CONSTRAINT_ORIENTATION = 2, ///< 3 rows: as the first of a pose
    LW_CONSTRAINT_DIRECTION = 3,   ///< axis along direction. 3 rows, of which 2 are independent:
                                   ///< the rotation vector between them; with bounds 1 row: the
                                   ///< angle
    LW_CONSTRAINT_PLANE = 4,       ///< 1 row: height of the point above the plane through target.p
                                   ///< with normal `direction`
    LW_CONSTRAINT_LINE = 5,        ///< the point on the line through target.p along direction. 3
                                   ///< rows, of which 2 are independent: what separates them; with
                                   ///< bounds 1 row: their distance
    LW_CONSTRAINT_DISTANCE = 6,    ///< 1 row: distance from the point to target.p, less `value`: on
                                   ///< a sphere
    LW_CONSTRAINT_LOOK_AT = 7,     ///< axis, from the point, through target.p. Rows as DIRECTION
    LW_CONSTRAINT_FACE = 8,        ///< face contact: a face through the point with outward normal
                                   ///< `axis` lies on the plane of PLANE. 4 rows: axis against the
                                   ///< normal, as DIRECTION without bounds, and height
    LW_CONSTRAINT_CENTER_OF_MASS =
        9,                       ///< 3 rows: of all that moves, less target.p; both in the world
    LW_CONSTRAINT_BALANCE = 10,  ///< centre of mass above a convex polygon: 1 row for each edge,
                                 ///< the horizontal distance inward from it, m; the bound is
                                 ///< `value` (a margin) and no upper one
    LW_CONSTRAINT_JOINT = 11,    ///< 1 row: tree coordinate `dof` less `value`
    LW_CONSTRAINT_FUNCTION = 12, ///< 1 row: tree coordinate `dof` less a polynomial of `source`
    LW_CONSTRAINT_POSTURE = 13,  ///< 1 row for each coordinate that moves: from `posture` to q
    LW_CONSTRAINT_TWIST = 14,    ///< 6 rows for lw_constraint_rates(): angular velocity, and
                                 ///< velocity of the point, along axes of the other. Values are 0
    LW_CONSTRAINT_USER = 15      ///< by lw_constraint_kind
} lw_constraint_type;

/// A configuration at which rows are evaluated.
typedef struct lw_constraint_state {
    const lw_model *model;
    const lw_data *data;  ///< at LW_STAGE_POSITION: lw_frame_pose(), lw_relative_pose()
    const double *q;      ///< [nq]
    const double *tree_q; ///< [tree_nq]
    const lw_motion *S;   ///< [tree_nv] motion for unit rate of each tree coordinate: angular
                          ///< velocity, and velocity of the point at the world's origin, in world
                          ///< axes; of what the coordinate carries
} lw_constraint_state;

/// A kind of constraint. One kind may serve many constraints, each with a `self` of its own.
typedef struct lw_constraint_kind {
    const char *name; ///< for messages
    /// Rows at a configuration. Must not allocate, and must depend on its arguments alone. LW_OK,
    /// or an error, which the solver treats as a configuration that cannot be entered.
    /// @param value [nrow]
    /// @param J     [nrow*tree_nv] zero on entry: derivatives by tree velocities. Write that of the
    ///              independent coordinate k at model->v_tree[k]; lw_constraint_add_row() writes
    ///              those of frames. Null where values alone are wanted
    lw_status (*evaluate)(void *self, const lw_constraint_state *at, double *value, double *J);
} lw_constraint_kind;

/// Adds to a row of a Jacobian: angular velocity of a frame times `ang` plus velocity of a point
/// that moves with it times `lin`, less the same of another frame; everything in world coordinates.
/// Real-time safe.
/// @param frame,relative_to of the model, -1 for the world
/// @param row [tree_nv]
LW_API lw_status lw_constraint_add_row(const lw_constraint_state *at, int frame, int relative_to,
                                       lw_vec3 point, lw_vec3 ang, lw_vec3 lin, double *row);

/// One constraint. lw_default_constraint_def() fills it; then set what its type reads.
typedef struct lw_constraint_def {
    const char *name; ///< unique, not empty; copied
    lw_constraint_type type;
    int frame;                        ///< of the model
    int relative_to;                  ///< of the model, -1 for the world
    lw_vec3 point;                    ///< in the frame, m
    lw_vec3 axis;                     ///< in the frame; of any length but zero
    lw_pose target;                   ///< in the other frame
    lw_vec3 direction;                ///< in the other frame; of any length but zero
    double value;                     ///< of a distance, m, of a joint, rad or m, or a margin, m
    int dof, source;                  ///< tree velocities: of one DoF each
    int nterm;                        ///< of FUNCTION
    double term[LW_CONSTRAINT_TERMS]; ///< [nterm] c0 + c1 x + c2 x^2 ...
    int ncorner;                      ///< of BALANCE
    double corner[LW_CONSTRAINT_POLYGON][2]; ///< [ncorner] x and y, in order around the polygon
    const double *posture;                   ///< [nq] copied; null for the reference configuration
    double lower, upper; ///< of each row; equal: the row shall have this value. May be infinite
    double weight;       ///< of the squares of the rows, > 0
    int level;           ///< 0 is the first priority
    int nrow;            ///< of LW_CONSTRAINT_USER
    const lw_constraint_kind *kind; ///< likewise; must outlive the set
    void *self;                     ///< likewise
    lw_location location;           ///< for diagnostics; copied by reference
} lw_constraint_def;

/// An equality of weight 1 at level 0, of frame 0 in the world; point, axis and direction are the
/// origin, z and z, the target is the identity. Real-time safe.
LW_API lw_constraint_def lw_default_constraint_def(const char *name, lw_constraint_type type);

/// How a set is solved. Zeros are the defaults.
typedef struct lw_constraint_options {
    const bool *moves; ///< [nv] coordinates that may change, copied; null for all. The coordinates
                       ///< of one appendage make this a solver for it, in the same mechanism
    bool ignores_limits;
    double tolerance; ///< of each row of a solved set, m and rad; 0 for 1e-9
    int iterations;   ///< of one start, for each level; 0 for 60
    int starts;  ///< 0 for 24: the seed, solutions of the chains of poses (linkwork/ik.h) where
                 ///< these have a closed form, the middle of the limits, Halton's sequence
    int repeats; ///< the search ends when so many starts have led to the least residual, as
                 ///< it does when one meets the first level; 0 for 5
} lw_constraint_options;

/// A set of constraints and its solver, used by one thread at a time. The model must outlive it.
typedef struct lw_constraints lw_constraints;

/// Makes a set. Errors are in the report, with the name of the constraint: an empty set, a number
/// that is not finite, a direction of length zero, an unknown frame, bounds that exclude all
/// values. Two constraints of one level that give the same thing different targets are a warning.
LW_API lw_status lw_constraints_create(const lw_model *m, int n, const lw_constraint_def *def,
                                       const lw_constraint_options *options, lw_constraints **set,
                                       lw_report *report);
LW_API void lw_constraints_destroy(lw_constraints *set);

/// Gives constraint i other numbers: targets, points, axes, bounds and its weight. Type, frames,
/// level and the number of rows stay. LW_ERR_ARGUMENT where they do not, LW_ERR_NUMBER for a number
/// that lw_constraints_create() refuses; the set is then as it was. Real-time safe.
LW_API lw_status lw_constraints_update(lw_constraints *set, int i, const lw_constraint_def *def);

/// How a solution ended.
typedef enum lw_constraint_status {
    LW_CONSTRAINTS_SOLVED = 0, ///< every row is within the tolerance
    LW_CONSTRAINTS_BEST = 1, ///< not every row can be, where the starts led: the residuals of each
                             ///< level are least, to first order (kkt)
    LW_CONSTRAINTS_STOPPED = 2 ///< the iterations ended before that
} lw_constraint_status;

/// "solved", "best", "stopped"; never null.
LW_API const char *lw_constraint_status_name(lw_constraint_status status);

/// What became of one constraint.
typedef struct lw_constraint_outcome {
    const char *name;
    int level;
    double residual;  ///< square root of the sum of squares of the rows beyond their bounds, m, rad
    bool is_met;      ///< every row is within the tolerance
    bool is_at_bound; ///< a row with two bounds is at one of them
    int conflict;     ///< group of constraints that it cannot be met with, or -1. Constraints that
                      ///< are not met and have -1 are out of reach by themselves
} lw_constraint_outcome;

/// A coordinate at its limit that holds a constraint back.
typedef struct lw_active_limit {
    int dof; ///< index in v
    bool is_upper;
    double multiplier; ///< how much the sum of half the squares of the first level that it holds
                       ///< back would fall for each radian or metre that the limit is moved outward
    int conflict;      ///< group of constraints that it holds back, or -1
} lw_active_limit;

/// A certificate: what was found, and what is in the way.
typedef struct lw_constraint_result {
    lw_constraint_status status;
    const double *q; ///< [nq], borrowed from the set until it solves again, as all below
    int nconstraint;
    const lw_constraint_outcome *constraint; ///< [nconstraint] in the order of the list
    int nlimit;
    const lw_active_limit *limit; ///< [nlimit]
    int nconflict;                ///< groups
    double kkt; ///< largest entry of the gradient of half the weighted sum of squares of a level,
                ///< within what limits and the levels before it leave free; after STOPPED as it was
    int iterations, starts; ///< that were used
} lw_constraint_result;

/// Solves for a configuration. LW_OK whatever the status of the result; LW_ERR_NUMBER where the
/// seed is not finite, and what lw_forward_position() returns where it fails at every start.
/// Real-time safe where the kinds are.
/// @param seed [nq] where coordinates that may not move stay; null for the reference configuration
LW_API lw_status lw_constraints_solve(lw_constraints *set, const double *seed,
                                      lw_constraint_result *result);

/// How rates are found. Zeros are the defaults.
typedef struct lw_rate_options {
    double threshold; ///< rows of a level whose smallest pivot is below it are damped: m, rad; 0
                      ///< for 0.05
    double damping;   ///< where that pivot is zero; 0 for 0.05
    double dt;        ///< s: coordinates stay within their limits for so long; 0: no matter where
} lw_rate_options;

/// Differential kinematics (resolved rate): rates of the coordinates for rates of the rows, through
/// loops and gears, with the levels of the set as strict priorities. Rates are within the velocity
/// limits of the model, and, with dt, keep coordinates within their limits; rows that cannot be had
/// then, or at a singular configuration, are approximated by damped least squares, and rates are
/// continuous there. Rows within their two bounds do not count. Real-time safe where the kinds are.
/// @param q    [nq]
/// @param rate [rows of all constraints] of the values, in the order of the list: of a
///             LW_CONSTRAINT_TWIST the twist itself
/// @param v    [nv]
/// @return as lw_forward_position(); LW_ERR_NUMBER where a number is not finite
LW_API lw_status lw_constraint_rates(lw_constraints *set, const double *q, const double *rate,
                                     const lw_rate_options *options, double *v);

/// The rows of constraint i among those of the set: how many, and which is the first. Real-time
/// safe.
LW_API int lw_constraints_rows(const lw_constraints *set, int i, int *first);

#ifdef __cplusplus
}
#endif
#endif
