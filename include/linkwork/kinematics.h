// linkwork/kinematics.h: poses, velocities, accelerations and Jacobians of a compiled model.
//
// Stable. Real-time safe unless stated otherwise; thread safe by const (linkwork/base.h).
//
// The time of a function does not depend on the values, but for Newton blocks, which are bounded
// (lw_data_limit_iterations). Each returns LW_OK or a status; LW_ERR_ARGUMENT for NULL or an index
// out of range. Outputs are written only on LW_OK.
//
// Some functions need no earlier call and take q themselves. The others read what a lw_forward_...
// call left in the data, name the stage they need, and return LW_ERR_STAGE where it was not
// reached.
//
// Several functions at one state: lw_set_state(), below.
#ifndef LINKWORK_KINEMATICS_H
#define LINKWORK_KINEMATICS_H

#include <linkwork/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Lets the data hold a state, for several functions at that state. Copies q [nq] and v [nv],
/// closes the loops and finds the sines and cosines of the joints, once; of a closed mechanism that
/// is most of the work. Functions that are given the arrays of the data itself then begin behind
/// that, with the same results bit by bit:
///
///     lw_set_state(m, d, q, v);
///     const double *at = lw_held_position(d), *rate = lw_held_velocity(d);
///     lw_forward_position(m, d, at);
///     lw_frame_jacobian(m, d, at, tip, LW_IN_WORLD, NULL, J);
///     lw_inverse_dynamics(m, d, at, rate, a, NULL, tau);
///
/// lw_forward_position(), lw_forward_velocity(), lw_forward_acceleration(), lw_frame_jacobian(),
/// lw_inverse_dynamics(), lw_bias_forces(), lw_gravity_forces(), lw_mass_matrix(),
/// lw_mass_matrix_upper() and lw_forward_dynamics() do so and keep what is held; the last seven
/// keep the stage of the data too, and a Jacobian takes the poses of lw_forward_position(). They
/// may be mixed with those that only read the data. v may be another one; closure steps then hold
/// the position alone. Every other function, and these at any other q, overwrites what is held:
/// later ones find it again from the numbers, as at any q, until lw_set_state() is called again. So
/// no result is that of another state.
///
/// Closes all loops, whichever a function needs, and refuses singular configurations of these:
/// statuses are those of lw_forward_velocity(). Leaves the stage at LW_STAGE_NONE. Where it fails,
/// no state is held, and the arrays are NaN, which every function refuses.
/// @param v NULL where no velocities are needed; they are NaN then
LW_API lw_status lw_set_state(const lw_model *m, lw_data *d, const double *q, const double *v);

/// The state that the data holds, in arrays of the data itself: q [nq] and v [nv], which stay where
/// they are and have the numbers of the next state after the next lw_set_state(). NULL before the
/// first one, and where the last one failed.
LW_API const double *lw_held_position(const lw_data *d);
LW_API const double *lw_held_velocity(const lw_data *d);

/// How much the next function at this state need not find again: LW_STAGE_NONE where nothing is
/// held or it was overwritten, LW_STAGE_POSITION, or LW_STAGE_VELOCITY.
LW_API lw_stage lw_held_stage(const lw_data *d);

/// Poses of all bodies at q [nq]. LW_ERR_NUMBER where q is not finite; the stage is then
/// LW_STAGE_NONE. Quaternions within q are used as if normalised; LW_ERR_NUMBER for one of length
/// zero.
LW_API lw_status lw_forward_position(const lw_model *m, lw_data *d, const double *q);

/// Poses and velocities of all bodies at q [nq], v [nv].
LW_API lw_status lw_forward_velocity(const lw_model *m, lw_data *d, const double *q,
                                     const double *v);

/// Poses, velocities and accelerations of all bodies at q [nq], v [nv], a [nv].
LW_API lw_status lw_forward_acceleration(const lw_model *m, lw_data *d, const double *q,
                                         const double *v, const double *a);

/// Pose of a frame in the world. Needs LW_STAGE_POSITION.
LW_API lw_status lw_frame_pose(const lw_model *m, const lw_data *d, int frame, lw_pose *X_WF);

/// Poses of the frames 0 .. nframe - 1. Needs LW_STAGE_POSITION.
/// @param X_WF [nframe]
LW_API lw_status lw_frame_poses(const lw_model *m, const lw_data *d, lw_pose *X_WF);

/// Pose of frame G in frame F. Needs LW_STAGE_POSITION.
LW_API lw_status lw_relative_pose(const lw_model *m, const lw_data *d, int F, int G, lw_pose *X_FG);

/// Coordinates of all degrees of freedom of the tree, dependent ones too: what an encoder on a
/// passive joint would read. Joint j has tree_q[joints[j].q] and tree_v[joints[j].v], and as many
/// on from there as it has. Needs no earlier call, and leaves the stage at LW_STAGE_NONE; outputs
/// are not touched where it fails.
/// @param v,a    may be NULL where tree_v and tree_a, or tree_a, are
/// @param tree_q [tree_nq], tree_v [tree_nv], tree_a [tree_nv]; each NULL where it is not wanted
LW_API lw_status lw_tree_state(const lw_model *m, lw_data *d, const double *q, const double *v,
                               const double *a, double *tree_q, double *tree_v, double *tree_a);

/// Pose of one frame at q, evaluating only the joints that carry it and the loops and couplings
/// that these depend on: a loop that is open elsewhere in the mechanism does not matter. Needs no
/// earlier call, and leaves the stage at LW_STAGE_NONE.
LW_API lw_status lw_pose_of_frame(const lw_model *m, lw_data *d, const double *q, int frame,
                                  lw_pose *X_WF);

/// The widest gap that is left of all loops at q, m; 0 without loops. Needs no earlier call,
/// and leaves the stage at LW_STAGE_NONE.
LW_API lw_status lw_loop_gap(const lw_model *m, lw_data *d, const double *q, double *gap);

/// Condition numbers of the closure steps at q, as lw_step_info.condition has them for the
/// reference configuration: they rise beyond all bounds towards a singular configuration. 0 for
/// couplings, gears, linear steps, and those of more than 200 dependent coordinates. Needs no
/// earlier call, and leaves the stage at LW_STAGE_NONE.
/// @param condition [nstep]
LW_API lw_status lw_step_conditions(const lw_model *m, lw_data *d, const double *q,
                                    double *condition);

/// Angular velocity of a frame and velocity of its origin, along the chosen axes.
/// Needs LW_STAGE_VELOCITY.
LW_API lw_status lw_frame_velocity(const lw_model *m, const lw_data *d, int frame, lw_axes axes,
                                   lw_motion *velocity);

/// Angular acceleration of a frame and acceleration of its origin (the second derivative of its
/// position, not the spatial acceleration), along the chosen axes. Gravity is not in it.
/// Needs LW_STAGE_ACCELERATION.
LW_API lw_status lw_frame_acceleration(const lw_model *m, const lw_data *d, int frame, lw_axes axes,
                                       lw_motion *acceleration);

/// Jacobian of a frame at q: J v is the angular velocity of the frame (rows 0 to 2) and the
/// velocity of a point fixed to it (rows 3 to 5), along the chosen axes. Evaluates only what
/// lw_pose_of_frame() does, needs no earlier call, and leaves the stage at LW_STAGE_NONE.
/// LW_ERR_NUMBER where q or the point is not finite.
/// @param point  in the frame's coordinates; NULL for the frame's origin
/// @param J      [6*nv], row by row
LW_API lw_status lw_frame_jacobian(const lw_model *m, lw_data *d, const double *q, int frame,
                                   lw_axes axes, const lw_vec3 *point, double *J);

/// dJ/dt for the same Jacobian while q moves with v [nv]; through loops and gears too. With axes
/// LW_IN_FRAME it is the rate in the world, along the axes of the frame, not the rate of the
/// components. The one thing that is differenced is the motion subspace of a user joint that gives
/// a bias. Needs no earlier call, and leaves the stage at LW_STAGE_NONE.
/// @param point  as in lw_frame_jacobian()
/// @param dJ     [6*nv], row by row
LW_API lw_status lw_frame_jacobian_rate(const lw_model *m, lw_data *d, const double *q,
                                        const double *v, int frame, lw_axes axes,
                                        const lw_vec3 *point, double *dJ);

/// dJ/dt * v for the same Jacobian: the acceleration of the point that v causes by itself.
/// With axes LW_IN_FRAME it is the acceleration along the axes of the frame, not the rate of the
/// components. Needs no earlier call; leaves the stage at LW_STAGE_ACCELERATION.
LW_API lw_status lw_frame_jacobian_rate_times_v(const lw_model *m, lw_data *d, const double *q,
                                                const double *v, int frame, lw_axes axes,
                                                const lw_vec3 *point, lw_motion *rate);

/// Centre of mass of all that moves, in the world, at q. Needs no earlier call; leaves the stage at
/// LW_STAGE_POSITION. LW_ERR_SINGULAR where nothing that moves has mass.
/// @param J [3*nv] its Jacobian in world axes, row by row, or NULL
LW_API lw_status lw_center_of_mass(const lw_model *m, lw_data *d, const double *q, lw_vec3 *center,
                                   double *J);

/// q after moving with velocity v (held constant in body coordinates) for time dt; quaternions stay
/// on the sphere. q_out may be q. LW_ERR_NUMBER where an argument is not finite, or v dt is so
/// large that its square is not.
LW_API lw_status lw_integrate(const lw_model *m, const double *q, const double *v, double dt,
                              double *q_out);

/// The velocity that moves q0 to q1 in unit time: lw_integrate(q0, difference, 1) is q1, and the
/// rotation of a quaternion is the short one.
LW_API lw_status lw_difference(const lw_model *m, const double *q0, const double *q1,
                               double *difference);

/// Rates of the position coordinates, dq/dt [nq], for velocity v [nv]; quaternions included.
LW_API lw_status lw_position_rate(const lw_model *m, const double *q, const double *v,
                                  double *rate);

#ifdef __cplusplus
}
#endif
#endif
