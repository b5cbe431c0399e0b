// linkwork/wheels.h: vehicles on wheels: from a motion to wheels and steering, and back.
//
// Experimental. Real-time safe unless stated otherwise; thread safe by const (linkwork/base.h).
//
// Wheels are parts of the description (lw_wheel_def). One code serves all machines: positions of
// axles, contacts and steering axes come from the configuration q, so suspensions enter by
// themselves. The **base** is what carries all wheels, and its motion is a twist along its own
// axes, of its own origin: that of its first link, or the world where a file has no base that
// moves.
//
// A wheel touches the ground where it is deepest against the normal of the ground. Rolling is
// along t = axle x normal, side slip across it in the ground. A wheel with rollers holds the
// ground along the axis of the roller that touches it, and nowhere else.
#ifndef LINKWORK_WHEELS_H
#define LINKWORK_WHEELS_H

#include <linkwork/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Work space of one thread and one model with wheels. The model must outlive it.
typedef struct lw_wheels lw_wheels;

/// Bytes that lw_wheels_init() needs; 0 for null, and for a model without wheels.
LW_API size_t lw_wheels_size(const lw_model *m);

/// Lays out a lw_wheels in memory that the caller owns.
/// @param mem aligned to 64 bytes, at least lw_wheels_size(m) bytes; must outlive the result
LW_API lw_status lw_wheels_init(const lw_model *m, void *mem, lw_wheels **wheels);

/// The same on the heap. LW_ERR_ARGUMENT for a model without wheels. Free with
/// lw_wheels_destroy(). Not real-time safe.
LW_API lw_status lw_wheels_create(const lw_model *m, lw_wheels **wheels);
LW_API void lw_wheels_destroy(lw_wheels *wheels);

/// What carries the wheels, and the joints between.
typedef struct lw_wheels_info {
    int base_body;      ///< -1 for the world
    int base_frame;     ///< its first link; -1 for the world
    int npassive;       ///< joints between base and wheels that are neither axles nor steered
    const int *passive; ///< [npassive] indices in v; castors are among them
} lw_wheels_info;

/// Borrowed from the work space; no base and no joints for null.
LW_API lw_wheels_info lw_wheels_describe(const lw_wheels *wheels);

/// Where a wheel is, and where it touches the ground; in the world.
typedef struct lw_wheel_contact {
    lw_vec3 center, axis;  ///< of the axle
    lw_vec3 point;         ///< that touches the ground
    lw_vec3 normal;        ///< of the ground, unit length
    lw_vec3 forward, side; ///< in the ground: the direction that it rolls along, and the axle's
    double angle;          ///< from the wheel's lowest point to the point that touches, about the
                           ///< axle, positive where the ground rises ahead: the contact angle
} lw_wheel_contact;

/// The contacts of all wheels at q. Needs no earlier call; leaves the stage at LW_STAGE_POSITION.
/// @param normal  [nwheel] of the ground, in the world; null: z of the base for all
/// @param contact [nwheel]
/// @return as lw_forward_position(); LW_ERR_SINGULAR where an axle is along its normal
LW_API lw_status lw_wheel_contacts(const lw_model *m, lw_data *d, lw_wheels *wheels,
                                   const double *q, const lw_vec3 *normal,
                                   lw_wheel_contact *contact);

// --- From a motion of the base to its wheels --------------------------------------------------

/// How a command is turned into wheels. Zeros are the defaults.
typedef struct lw_drive_options {
    const lw_vec3 *normal; ///< as lw_wheel_contacts()
    bool projects;         ///< brings the command to the nearest that wheels which are not steered
                           ///< can follow without side slip; else it is kept, and they slip
    bool ignores_limits;   ///< of steering angles and of speeds
} lw_drive_options;

/// What a wheel does for a command.
typedef struct lw_wheel_command {
    double steer;     ///< position of the steering joint, rad; 0 without one
    double speed;     ///< about the axle, rad/s; forward is positive
    double side_slip; ///< of the contact across its rolling direction, m/s
    bool is_reversed; ///< of the two angles the nearer one rolls backward
    bool is_at_limit; ///< the angle is that of a limit of the steering joint
    bool is_held;     ///< the wheel does not move over the ground: it keeps its angle
} lw_wheel_command;

/// What becomes of a command.
typedef struct lw_drive_result {
    lw_motion twist; ///< that the wheels follow
    double scale;    ///< of the command, for limits of speed: 1 where all are within theirs
    int limiting;    ///< wheel that has the scale, or -1
    double slip;     ///< root of the sum of squares of all side slips, m/s
} lw_drive_result;

/// Steering angles and wheel speeds for a twist of the base: the axle of a steered wheel goes
/// through the axis that the base turns about, whatever the offset of the wheel from its steering
/// joint. Of the two angles the nearer to q is taken that is within the limits of its joint. Where
/// a speed is beyond its limit all are reduced alike, forward and in reverse, so that the path
/// stays.
/// @param q       [nq] configuration, with the steering angles now
/// @param twist   of the base, along its axes
/// @param command [nwheel]
/// @return as lw_wheel_contacts(); LW_ERR_NUMBER where the twist is not finite
LW_API lw_status lw_drive(const lw_model *m, lw_data *d, lw_wheels *wheels, const double *q,
                          const lw_motion *twist, const lw_drive_options *options,
                          lw_wheel_command *command, lw_drive_result *result);

/// How free a vehicle is in the plane (G. Campion, G. Bastin, B. d'Andrea-Novel, 1996), at one
/// configuration.
typedef struct lw_mobility {
    int mobility;     ///< directions of motion without side slip as the wheels stand now, 0 to 3:
                      ///< 0 where the axles do not meet in one point
    int steerability; ///< directions that steering adds
} lw_mobility;

/// The two degrees at q, which has the steering angles. As lw_wheel_contacts() otherwise.
LW_API lw_status lw_wheel_mobility(const lw_model *m, lw_data *d, lw_wheels *wheels,
                                   const double *q, lw_mobility *mobility);

// --- From wheels to the motion of the base ----------------------------------------------------

/// Standard deviations of what is measured, and of how well wheels hold the ground. Zeros are the
/// defaults.
typedef struct lw_odometry_options {
    const lw_vec3 *normal; ///< as lw_wheel_contacts()
    double rolling;        ///< of the speed of a contact along its rolling direction, m/s; 0: 0.01
    double side;           ///< across it, m/s; 0: 0.01. Larger for wheels that skid
    double height;         ///< along the normal, m/s; 0: 0.01
    double threshold;      ///< of the test for slip, in standard deviations; 0: 3.09, which is
                           ///< reached by chance once in a thousand times
} lw_odometry_options;

/// What a wheel does to the ground by the motion that was found.
typedef struct lw_wheel_slip {
    double slip, side_slip; ///< m/s along and across the rolling direction: what is left of the
                            ///< rows of this wheel
    double score;           ///< of its rolling row: what is left, over its standard deviation; 0
                            ///< where the other wheels do not determine it
} lw_wheel_slip;

typedef struct lw_odometry_result {
    lw_motion twist;   ///< of the base, along its axes
    int rank;          ///< of the 6 + npassive unknowns; what the wheels do not determine is zero
    int redundancy;    ///< rows beyond the rank
    double chi_square; ///< sum of squares of what is left, over the standard deviations
    double limit;      ///< that it exceeds by chance as `threshold` says
    int slipping;      ///< wheel with the largest score where the limit is exceeded, else -1
} lw_odometry_result;

/// The twist of the base and the rates of passive joints that fit the turning wheels best, by
/// weighted least squares over rolling, side and normal directions of all wheels.
/// @param q          [nq] configuration, with the steering angles as measured
/// @param speed      [nwheel] about the axles, rad/s; NAN where a wheel has no encoder
/// @param steer_rate [nwheel] rates of the steering joints, rad/s; null: they rest
/// @param rate       [npassive] rates of lw_wheels_info.passive, or null
/// @param slip       [nwheel], or null
/// @return as lw_wheel_contacts(); LW_ERR_NUMBER where a speed is infinite
LW_API lw_status lw_odometry(const lw_model *m, lw_data *d, lw_wheels *wheels, const double *q,
                             const double *speed, const double *steer_rate,
                             const lw_odometry_options *options, double *rate, lw_wheel_slip *slip,
                             lw_odometry_result *result);

/// The pose after moving with a twist, held constant along its own axes, for time dt: exact on
/// SE(3).
LW_API lw_pose lw_pose_advance(const lw_pose *X_WB, const lw_motion *twist, double dt);

#ifdef __cplusplus
}
#endif
#endif
