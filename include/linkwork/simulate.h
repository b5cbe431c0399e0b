// linkwork/simulate.h: motion of a mechanism in time, under forces.
//
// Stable. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// The state is that of the independent coordinates: loops, gears and couplings hold at every
// instant and cannot drift. A simulation is made once; with the methods below it takes no memory
// after that, and a step is as real-time safe as its callbacks. One that adapts its step size
// repeats a step at most LW_SIM_TRIES times.
//
// Where a function fails, the simulation stays at the last state that it reached.
#ifndef LINKWORK_SIMULATE_H
#define LINKWORK_SIMULATE_H

#include <linkwork/dynamics.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Forces from outside of the model: drives, springs, contacts. The callback adds to what is there,
/// and depends on its arguments alone: it is called several times a step, at times that also go
/// back.
typedef struct lw_force_source {
    /// @param d     scratch of the simulation, for any function that needs one; its options hold
    /// @param tau   [nv] generalised forces, to be added to
    /// @param f_ext [nbody] forces on the bodies, as lw_inverse_dynamics() takes them, likewise
    lw_status (*add)(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                     const double *v, double *tau, lw_force *f_ext);
    void *context;
} lw_force_source;

/// A controller that samples the state at regular times, and whose forces are held in between.
typedef struct lw_sampler {
    double period; ///< s
    double delay;  ///< s between looking and acting, at most 1000 periods

    /// Gives the forces [nv] of one look. `step` counts the looks from 0.
    lw_status (*sample)(void *context, const lw_model *m, lw_data *d, long step, double t,
                        const double *q, const double *v, double *tau);
    void *context;
} lw_sampler;

/// A condition that the simulation stops at: where `value` passes zero. It must be a number.
typedef struct lw_event {
    double (*value)(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                    const double *v);
    int direction;    ///< 1: upward only, -1: downward only, 0: both
    bool is_terminal; ///< lw_sim_advance() ends there

    /// Changes the state at that time, where it is not NULL. Where one event happens again and
    /// again within roundings of the time, as hops that become ever shorter do in the end, that is
    /// LW_ERR_NO_CONVERGENCE.
    lw_status (*act)(void *context, const lw_model *m, lw_data *d, double t, double *q, double *v);
    void *context;
} lw_event;

typedef enum lw_method {
    LW_METHOD_EULER = 0,   ///< semi-implicit, fixed step: velocity first, then position with it
    LW_METHOD_RK4 = 1,     ///< of Kutta, fixed step
    LW_METHOD_DOPRI5 = 2,  ///< of Dormand and Prince, order 5, adapts its step
    LW_METHOD_DOPRI853 = 3 ///< of the same, order 8, adapts its step
} lw_method;

enum { LW_SIM_TRIES = 60 };

typedef struct lw_sim_def {
    lw_method method;
    double step;     ///< s; of fixed steps, or the first one; 0 for 1 ms, or one that is found
    double max_step; ///< s; of those that adapt
    double min_step; ///< s; likewise: one as short goes over a jump of a force, and more than a few
                     ///< in a row are LW_ERR_NO_CONVERGENCE

    /// The estimated error of a step is within relative * |y| + absolute, as a mean over all
    /// positions (rad, m) and velocities.
    double relative, absolute;

    int nsource;
    const lw_force_source *source; ///< [nsource]
    const lw_sampler *sampler;     ///< or NULL
    int nevent;
    const lw_event *event; ///< [nevent]

    /// Times, in ascending order, at which forces jump or bend: a step ends at each. Forces of the
    /// time before it are requested with a time that is smaller by a rounding.
    int nbreak;
    const double *breaks; ///< [nbreak] s

    /// Joints of one degree of freedom, dependent ones too, are stopped by their limits of
    /// position. `restitution` is the share of speed with which they bounce, 0 to 1; below 1e-4
    /// (rad/s or m/s), and with LW_METHOD_EULER where forces would bring them back within a step,
    /// they come to rest there.
    bool has_stops;
    double restitution;

    /// The jump of Coulomb friction is smoothed over this speed, as in lw_dynamics_options; in
    /// steps it counts in place of the one in the options of the simulation's data.
    double friction_speed;

    /// Friction is larger near rest (Stribeck), by the factor
    /// 1 + (static_friction - 1) exp(-(v / stribeck_speed)^2). At least 1; needs a friction_speed
    /// or sticks.
    double static_friction, stribeck_speed;

    /// Joints with friction stick, in place of the slope over friction_speed: a joint that is held
    /// rests to the last bit. With LW_METHOD_EULER each step finds the impulses of friction within
    /// their bounds that bring joints to rest (Moreau's time stepping); with other methods the
    /// moments at which a joint comes to rest or breaks loose are events.
    bool sticks;

    /// Integrates the work of all forces that the potential energy does not contain, and what of it
    /// damping, friction and impulses of joint limits take. What an event's act() does is not in
    /// it.
    bool counts_work;
} lw_sim_def;

/// Order 8, 1e-13 relative and 1e-14 absolute, steps of 1e-12 s at least, LW_FRICTION_SPEED,
/// friction as large at rest as in motion, nothing else.
LW_API lw_sim_def lw_default_sim_def(void);

typedef struct lw_sim lw_sim;

/// Bytes that lw_sim_init() needs; 0 where an argument is NULL or the definition makes no sense.
LW_API size_t lw_sim_size(const lw_model *m, const lw_sim_def *def);

/// Lays out a simulation in memory of the caller's, aligned to 64 bytes. The model and the
/// callbacks must outlive it. It begins at time 0 in the reference configuration, at rest; where it
/// cannot, because that is beyond a joint limit or loops do not close there, steps answer so until
/// lw_sim_reset() has given another. Keeps the callbacks; nothing else of the definition.
LW_API lw_status lw_sim_init(const lw_model *m, const lw_sim_def *def, void *mem, lw_sim **sim);

/// The same on the heap. LW_ERR_MEMORY if allocation fails, LW_ERR_ARGUMENT where the definition
/// makes no sense. Free with lw_sim_destroy().
LW_API lw_status lw_sim_create(const lw_model *m, const lw_sim_def *def, lw_sim **sim);
LW_API void lw_sim_destroy(lw_sim *sim);

/// Begins anew at this state. LW_ERR_NUMBER where it is not finite, LW_ERR_LOOP_OPEN where loops
/// cannot close there, LW_ERR_MOTION where joints stop at limits and one is beyond its own.
/// Real-time safe.
/// @param q [nq] or NULL for the reference
/// @param v [nv] or NULL for rest
LW_API lw_status lw_sim_reset(lw_sim *sim, double t, const double *q, const double *v);

/// One step, which ends at t_end at the latest and at any time where something changes: a sample,
/// an event. LW_ERR_NO_CONVERGENCE where the step would have to be too small. Real-time safe.
LW_API lw_status lw_sim_step(lw_sim *sim, double t_end);

/// Steps until t_end, or until a terminal event: lw_sim_info.event is then its index. Real-time
/// safe.
LW_API lw_status lw_sim_advance(lw_sim *sim, double t_end);

/// The current state, borrowed until the next step. Real-time safe.
LW_API double lw_sim_time(const lw_sim *sim);
LW_API const double *lw_sim_position(const lw_sim *sim); ///< [nq]
LW_API const double *lw_sim_velocity(const lw_sim *sim); ///< [nv]

/// The state at a time within the last step, by a polynomial that fits the method. Times outside
/// are taken as its ends. Real-time safe.
/// @param q [nq] or NULL
/// @param v [nv] or NULL
LW_API lw_status lw_sim_interpolate(lw_sim *sim, double t, double *q, double *v);

/// Accelerations and generalised forces of the sources and the sampler at the current state.
/// Real-time safe.
/// @param a,tau [nv] or NULL
LW_API lw_status lw_sim_forces(lw_sim *sim, double *a, double *tau);

// --- Another model ----------------------------------------------------------------------------

/// A link that the model before did not have, and how it moved: a part on a conveyor.
typedef struct lw_incoming {
    const char *link;
    lw_motion velocity; ///< along the axes of the world, at the origin of the link
} lw_incoming;

/// What happened as a simulation took over another one.
typedef struct lw_take_over {
    double energy_lost; ///< J; in the impacts of parts that became one body, never negative
    int nimpact;        ///< links that could not keep their velocity
    double shift;       ///< m; the largest distance between where a link was and where it is now
} lw_take_over;

/// Goes on with the state of another simulation, of the mechanism before it was changed: parts were
/// attached, detached, removed or updated, and the description was compiled again
/// (linkwork/machine.h). Time stays. Coordinates are taken over by name; new ones begin at the
/// reference, and new free joints where their link was. Counters, samples and events begin anew, as
/// with lw_sim_reset().
///
/// Links that both models have keep their velocity where the new model lets them. Links that become
/// one body collide without restitution: momentum along the independent degrees of freedom of the
/// new model is conserved. A link that is new was at rest, unless `incoming` has it. So a gripper
/// that takes a part at rest slows down, and detaching a part changes no velocity. Links with mass
/// are counted; rotors and rods that are new move with their joints from the first instant on.
///
/// Real-time safe, in time proportional to the square of the number of names: make the new
/// simulation (lw_sim_create) before, in another thread. Statuses as of lw_sim_reset() and
/// lw_forward_dynamics(); on failure both simulations are as they were.
/// @param incoming [nincoming] or null
/// @param result   may be null
LW_API lw_status lw_sim_take_over(lw_sim *sim, lw_sim *from, const lw_incoming *incoming,
                                  int nincoming, lw_take_over *result);

/// What a simulation has done since it began.
typedef struct lw_sim_info {
    long steps, rejected; ///< that were taken, and that were tried in vain
    long evaluations;     ///< of the equation of motion
    long events;          ///< that happened; joint limits, and begin and end of stiction, too
    int event;            ///< terminal event at which the last step ended, or -1
    double begin;         ///< time of the begin of the last step
    double work;          ///< by which the energy has grown since the begin, where it is counted, J
    double lost;          ///< to damping, friction and joint limits, J; so work + lost was fed
    double next_step;     ///< s; as the last one suggests
    double stiff; ///< share of the steps that adapt, of one in 16, which were as long as the
                  ///< method is stable: where most are, an implicit one (linkwork/stiff.h)
                  ///< needs far fewer
} lw_sim_info;

/// Real-time safe.
LW_API lw_sim_info lw_sim_get_info(const lw_sim *sim);

/// What the simulation holds about the status that its last function returned. Real-time safe.
LW_API lw_failure lw_sim_failure(const lw_sim *sim, lw_status status);

/// The simulation's scratch, for options of dynamics and for functions between steps.
LW_API lw_data *lw_sim_data(lw_sim *sim);

// --- For integrators from outside -------------------------------------------------------------
//
// linkwork/stiff.h uses these. The state is y = (q, v), with work and losses behind it where
// these are counted.

/// Its model, and its definition; borrowed.
LW_API const lw_model *lw_sim_model(const lw_sim *sim);
LW_API const lw_sim_def *lw_sim_get_def(const lw_sim *sim);

/// The length of the state, and the state, borrowed until the next step.
LW_API int lw_sim_state_size(const lw_sim *sim);
LW_API const double *lw_sim_state(const lw_sim *sim);

/// dy/dt at (t, y).
LW_API lw_status lw_sim_derivative(lw_sim *sim, double t, const double *y, double *dy);

/// The same as a residual, which is zero where dy fits y: dq - (rates of v), and inverse dynamics
/// of dv less the forces. It needs no inverse of the mass matrix: degrees of freedom that move no
/// inertia are allowed.
LW_API lw_status lw_sim_residual(lw_sim *sim, double t, const double *y, const double *dy,
                                 double *residual);

/// Lets the sampler look where that is due, and gives the time until which forces do not jump:
/// t_end or before.
LW_API lw_status lw_sim_next_change(lw_sim *sim, double t_end, double *t_stop);

/// A step of another method, from the simulation's state on.
typedef struct lw_outer_step {
    double t;        ///< its end
    const double *y; ///< the state there
    long steps;      ///< that it counts for

    /// The state at a time within the step, for events and lw_sim_interpolate(). It is called until
    /// the next step is accepted, or the simulation goes on by itself.
    lw_status (*at)(void *context, double t, double *y);
    void *context;
} lw_outer_step;

/// Goes to the end of the step, or to the first event within it.
/// @param goes_on false where the state or the forces have jumped: the method must begin anew
LW_API lw_status lw_sim_accept(lw_sim *sim, const lw_outer_step *step, bool *goes_on);

#ifdef __cplusplus
}
#endif
#endif
