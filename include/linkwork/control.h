// linkwork/control.h: controllers made from the model, and what a motion asks of the drives.
//
// Stable. Real-time safe only where stated; thread safe by const (linkwork/base.h).
#ifndef LINKWORK_CONTROL_H
#define LINKWORK_CONTROL_H

#include <linkwork/motion.h>
#include <linkwork/simulate.h>
#include <linkwork/statics.h>

#ifdef __cplusplus
extern "C" {
#endif

/// With the errors e = q_d - q and v_d - v against the reference motion. Where elastic
/// shafts leave motors free against the joints that they drive (lw_shaft_ratios), a controller sees
/// these joints at their motors, and hands its forces to the motors: gains, limits and the motion
/// are those of the joints, and entries of the motors in them are not used. Motors that drive a
/// joint together share its force. On joints that their motors do not determine it acts directly;
/// lw_shafts_report() names both.
typedef enum lw_control_law {
    LW_CONTROL_PD = 0,              ///< tau = kp e + kd (v_d - v)
    LW_CONTROL_PD_GRAVITY = 1,      ///< the same, and what balances gravity at q
    LW_CONTROL_COMPUTED_TORQUE = 2, ///< inverse dynamics of a = a_d + kd (v_d - v) + kp e
    LW_CONTROL_IMPEDANCE = 3,       ///< a frame as if springs and dampers held it: lw_contact_task
    LW_CONTROL_HYBRID = 4           ///< the same, with given forces along some directions
} lw_control_law;

/// What a frame does in contact (Hogan 1985; Raibert and Craig 1981). Along each axis of the task,
/// about and through the origin of the frame, it exerts
///
///   stiffness * (where the motion has it - where it is) + damping * (difference of velocities),
///
/// or, along those that are controlled by force (LW_CONTROL_HYBRID), force - damping * velocity.
/// With PD at the joints (kp, kd; zero is usual) and what balances gravity at q these are
/// tau = J' w + g(q) + kp e + kd (v_d - v). At rest the frame then exerts the force exactly,
/// whatever it touches, but for friction in the joints. Springs of the model, contacts too, are not
/// compensated.
typedef struct lw_contact_task {
    int frame;
    lw_mat3 axes;        ///< of the task, as columns along the axes of the world
    double stiffness[6]; ///< rotations first: N m/rad, N/m; not negative
    double damping[6];   ///< N m s/rad, N s/m; not negative
    bool is_force[6];    ///< LW_CONTROL_HYBRID: controlled by force
    double force[6];     ///< what the frame exerts along these, N m, N
} lw_contact_task;

typedef struct lw_controller_def {
    lw_control_law law;
    const lw_trajectory *trajectory; ///< nv axes; must outlive the controller
    const double *kp, *kd;           ///< [nv] not negative
    const double *limit; ///< [nv] largest force of each drive; or NULL for those of the model
    double period;       ///< s between two looks; 0: at every instant
    double delay;        ///< s from a look to its action; of a controller with a period

    /// [nq] where spherical and free joints are held, which a trajectory does not move; or NULL for
    /// the reference.
    const double *hold;

    const lw_contact_task *task; ///< of LW_CONTROL_IMPEDANCE and LW_CONTROL_HYBRID; else NULL
} lw_controller_def;

typedef struct lw_controller lw_controller;

/// LW_ERR_ARGUMENT where the definition makes no sense, LW_ERR_NUMBER where a number is not finite
/// (limits may be infinite). Keeps the model and the trajectory. Free with lw_controller_destroy().
LW_API lw_status lw_controller_create(const lw_model *m, const lw_controller_def *def,
                                      lw_controller **controller);
LW_API void lw_controller_destroy(lw_controller *controller);

/// Forces at time t and state q, v, held within the limits and within what the motors of the model
/// can give (lw_limit_drives). Real-time safe.
/// @param tau [nv]
LW_API lw_status lw_controller_forces(lw_controller *controller, lw_data *d, double t,
                                      const double *q, const double *v, double *tau);

/// Lets another component compute the dynamics of the law, from the next look on; NULL for the
/// algorithms of dynamics.h. It must be of the same model, and outlive its use. Callers of the
/// controller see no difference. Real-time safe.
/// @return LW_ERR_ARGUMENT where it lacks a function
LW_API lw_status lw_controller_use(lw_controller *controller,
                                   const lw_dynamics_component *component);

/// [nv] forces within which each joint is held; infinite where it has no limit. What motors can
/// give, over their gears, is beside that.
LW_API const double *lw_controller_limits(const lw_controller *controller);

/// For lw_sim_def: as a source where the period is 0, else as a sampler. The controller must
/// outlive the simulation.
LW_API lw_force_source lw_controller_source(lw_controller *controller);
LW_API lw_sampler lw_controller_sampler(lw_controller *controller);

/// Gains for which each joint, were it alone, would return with this natural frequency (rad/s) and
/// damping ratio. For LW_CONTROL_PD and LW_CONTROL_PD_GRAVITY they are those times the mass that
/// the joint moves at q.
/// @param kp,kd [nv]
LW_API lw_status lw_controller_gains(const lw_model *m, lw_data *d, const double *q,
                                     lw_control_law law, double frequency, double damping,
                                     double *kp, double *kd);

/// What a motion asks of one drive.
typedef struct lw_drive_load {
    double peak_force, rms_force; ///< N m or N
    double peak_speed;            ///< rad/s or m/s
    double peak_power;            ///< W, given by the drive
    double peak_braking;          ///< W, taken by it
    double energy;                ///< J, given by it over the motion less what it takes
} lw_drive_load;

/// Loads of the drives at all independent degrees of freedom over a motion, by inverse dynamics at
/// `samples` + 1 times. Allocates.
/// @param load [nv]
LW_API lw_status lw_drive_loads(const lw_model *m, lw_data *d, const lw_trajectory *trajectory,
                                int samples, lw_drive_load *load);

/// What a motion asks of a motor, against what the motor has (lw_drive_range).
typedef struct lw_motor_load {
    lw_drive_load load;
    double use;      ///< largest share of what it has at its speed: beyond 1 the motion leaves it
    double use_time; ///< s; where that is
    double use_force, use_speed; ///< what is requested there
    double beyond;               ///< share of the time in which the motion asks for too much
    double first_beyond;         ///< s; where that begins; inf for nowhere
    double continuous_use;       ///< root mean square, as a share of continuous_force
} lw_motor_load;

/// The same for the motors of the model (lw_model.drive), through all gears between these and the
/// joints. `use` may be infinite, where a motor that has nothing left at its speed should give
/// something.
/// @param load [ndrive]
LW_API lw_status lw_motor_loads(const lw_model *m, lw_data *d, const lw_trajectory *trajectory,
                                int samples, lw_motor_load *load);

#ifdef __cplusplus
}
#endif
#endif
