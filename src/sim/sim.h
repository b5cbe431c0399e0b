// The simulation as its parts see it.
#ifndef LWI_SIM_H
#define LWI_SIM_H

#include <linkwork/simulate.h>

#include "tableau.h"

/// A limit, or the friction of a joint: a force (or an impulse, over a step or an instant) along
/// one degree of freedom of the tree that strives to give it some rate, within bounds.
typedef struct lwi_bounded_impulse {
    int dof;          ///< of the tree
    int own;          ///< the independent degree of freedom that it is, or -1
    int position;     ///< of a limit: in tree q
    int own_position; ///< in q, or -1
    bool is_angle;    ///< of a limit
    int side;         ///< of a limit: holds at the upper (1) or lower (-1) limit; 0 while free
    int slides;       ///< of friction: direction, 0 while it holds

    bool acts; ///< in the solution at hand, of which is the rest
    double low, high, force;
    double aim, bias; ///< row * x + bias shall become aim
    double missed;    ///< by how much it does not
    double mass;      ///< that it moves
} lwi_bounded_impulse;

struct lw_sim {
    const lw_model *model;
    lw_data *data;
    lw_sim_def def; ///< its arrays are those below
    const lwi_tableau *tableau;

    double t, t_begin;   ///< now, and where the last step began
    double h;            ///< the next step
    int jumps;           ///< steps in a row that only went over a jump
    double last_error;   ///< of the step before, for the control of the step; 0 for none
    int ny;              ///< nq + nv, and two for the work
    double *y, *y_old;   ///< [ny] q, v, work, losses; and at t_begin
    double *k;           ///< [LWI_STAGES*ny] derivatives
    double *y_stage;     ///< [ny]
    double *dense;       ///< [LWI_DENSE_ROWS*ny]
    double dense_h;      ///< length of the step that it covers
    bool has_rate;       ///< k[0] is the derivative at (t, y)
    bool has_dense;      ///< dense is that of the last step
    lw_outer_step outer; ///< the last step, where another method made it: `at` is NULL otherwise
    bool has_end_rate;   ///< the last stage of k is the derivative at the end of the last step
    double *noise;       ///< [ny] of the derivative, by roundings of the state (error.c)
    int noise_age;       ///< steps until it is tested again
    long nstiffness_test, nstiff; ///< steps that were tested for stiffness, and those that had it

    // Forces.
    int nkink;
    double *kink;           ///< [2*nkink] values that are zero where a force bends, now and later
    double t_kink;          ///< where a force is about to bend, or infinity
    int nbroken;            ///< breaks that are behind
    double t_break;         ///< the next one: until then forces are those of before
    double *tau, *a, *held; ///< [nv] of all sources; accelerations; of the sampler
    double *tree;           ///< [tree_nv]
    lw_force *f_ext;        ///< [nbody]
    bool adds_friction;     ///< friction that forward dynamics has not: of Stribeck, or that sticks
    double friction_rate;   ///< as in lwi_settings

    // Dependent joints that a loop gives (assembly_change.c).
    int nassembly;
    int *assembly_body;       ///< [nassembly]
    double *assembly_change;  ///< [4*nassembly] positions and rates at the start of a step, and at
                              ///< its end
    double *assembly_q;       ///< [2*tree_nq] in another assembly
    bool has_assembly_change; ///< those at the start are known

    // Sampler: samples that have been taken and wait for their delay, in a ring.
    lw_sampler sampler;
    long samples, acts; ///< made, and in force
    double t_start;     ///< of the first sample
    int nring;
    double *ring; ///< [nring*nv]

    // Events.
    int nvalue;          ///< of events, two of each limit, and friction
    double *value;       ///< [4*nvalue] at t, and at other times
    double t_event;      ///< of the last one
    int last_event;      ///< its number
    int ncrowded, nsame; ///< that followed each other at once, all and of one number
    double *q_try;       ///< [ny]

    // Joint limits, and stiction behind them (bounded_impulses.c).
    int nlimit, nstiction;
    lwi_bounded_impulse *clamp; ///< [nlimit + nstiction]
    double *clamp_row;      ///< [(nlimit + nstiction)*nv] rate of its degree of freedom for unit v
    double *clamp_response; ///< [the same] change of v by a unit impulse
    double *inverse;        ///< [nv*nv] of the mass matrix, where there are any
    double *clamp_matrix, *right; ///< [(nlimit + nstiction)^2], [nlimit + nstiction]
    double *dy_try;               ///< [ny]
    bool has_jumped;              ///< something happened in the last step
    bool is_settled;              ///< it is known what friction holds

    lw_status start; ///< why there is no state to go on from, where that is so
    lw_sim_info info;
};

/// dy [ny] at (t, y). Leaves sim->a and sim->tau.
lw_status lwi_sim_rate(lw_sim *sim, double t, const double *y, double *dy);

/// Forces of the sampler and of all sources at a time and state, into sim->tau and sim->f_ext.
lw_status lwi_sim_sources(lw_sim *sim, double t, const double *q, const double *v);

/// Power of these forces, sim->f_ext, loads, damping and friction at q, v; and what of it is lost.
/// @param is_swept the data has the coordinates and velocities of the tree for q and v
lw_status lwi_sim_power(const lw_sim *sim, const double *q, const double *v, bool is_swept,
                        double power[2]);

/// Before a step: forces change where the last one has reached a break.
void lwi_sim_pass_breaks(lw_sim *sim);

/// Samples the controller if a sample is due, and lets those act whose delay is over. *next is the
/// time of the next change.
lw_status lwi_sim_sample(lw_sim *sim, double *next);

/// One step of the method from (t, y) that ends at t_stop at the latest; moves t, y, t_begin,
/// y_old.
lw_status lwi_sim_try(lw_sim *sim, double t_stop);

/// The derivative of stage i [ny].
static inline double *lwi_sim_stage(const lw_sim *sim, int i)
{
    return sim->k + (size_t)i * (size_t)sim->ny;
}

/// out = y + h * sum of weight_j k_j over the first n stages.
void lwi_sim_combine(const lw_sim *sim, const double *y, double h, const double *weight, int n,
                     double *out);

// --- Errors of steps that adapt (error.c) -----------------------------------------------------

/// The estimated error of the step of length h to sim->y_stage, 1 where it is just good.
double lwi_error_of_step(const lw_sim *sim, double h);

/// A first step, from the derivative at the start.
double lwi_error_first_step(const lw_sim *sim);

/// Tests from time to time what roundings of the state do to its derivative, which is known.
lw_status lwi_error_find_noise(lw_sim *sim);

/// Looks from time to time whether stability limits the step of length h to sim->y_stage, whose
/// stages are there.
void lwi_error_note_stiffness(lw_sim *sim, double h);

// ----------------------------------------------------------------------------------------------

/// The bodies of these joints, and how many there are. (assembly_change.c)
/// @param bodies or NULL
int lwi_assembly_find(const lw_model *m, int *bodies);

/// Whether a step of length h to y stays in its assembly: LW_ERR_SINGULAR where a dependent joint
/// has leapt, with the loop and the degree of freedom in the data. lwi_assembly_accept() goes
/// there. (assembly_change.c)
lw_status lwi_assembly_check(lw_sim *sim, const double *y, double h);
void lwi_assembly_accept(lw_sim *sim);

/// Why no step is small enough: LW_ERR_SINGULAR where a loop is near its singular configuration,
/// likewise, else LW_ERR_NO_CONVERGENCE.
lw_status lwi_assembly_blame(lw_sim *sim);

/// Ends the last step at t_new, before where it ended, with the accuracy of the method and not of
/// its polynomial only, which stays as it is. The derivative at its start must still be there.
lw_status lwi_sim_shorten(lw_sim *sim, double t_new);

/// Makes the polynomial of the last step, and evaluates it: y [ny].
lw_status lwi_sim_make_dense(lw_sim *sim);
void lwi_sim_dense_at(const lw_sim *sim, double t, double *y);

/// Values of all events at the current state, at which none has happened yet.
lw_status lwi_sim_begin_events(lw_sim *sim);

/// Where forces of springs bend: the number of such places of all springs.
int lwi_kink_count(const lw_model *m);

/// After a step that adapts: the time at which a force of a spring will bend, if that comes within
/// the next one; sim->t_kink. (kink.c)
lw_status lwi_kinks_ahead(lw_sim *sim);

/// Looks for the first event in the last step, goes back to it and lets it act.
lw_status lwi_sim_find_events(lw_sim *sim);

// --- Forces within bounds (bounded_impulses.c) ------------------------------------------------

/// Rows, responses and masses of the clamps that act, at q.
lw_status lwi_bounded_impulses_prepare(lw_sim *sim, const double *q);

/// Forces of the clamps that act, and what they do to x [nv] (velocities or accelerations).
void lwi_bounded_impulses_solve(lw_sim *sim, double *x);

/// Rate of the degree of freedom of a grip, where it was prepared.
double lwi_bounded_impulse_rate(const lw_sim *sim, int i, const double *x);

// --- Joint limits (joint_limits.c) ------------------------------------------------------------

/// The way that the limit i has left to its upper (side 1) or lower (side -1) limit.
double lwi_limit_distance(const lw_sim *sim, int i, int side, const double *tree_q);

/// Whether no joint is beyond its limits.
bool lwi_limits_are_kept(const lw_sim *sim, const double *tree_q);

/// The limit i is met, at its upper (side 1) or lower (side -1) limit.
lw_status lwi_limit_meet(lw_sim *sim, int i, int side);

/// Frees what has left its limit, and lets it meet it anew where it is beyond.
lw_status lwi_stops_release(lw_sim *sim);

/// Stops that hold act in the next solution, for accelerations a [nv]; false where none is pushed
/// against.
bool lwi_limits_hold(lw_sim *sim, const double *tree_v, const double *a);

// --- Friction (stick.c) -----------------------------------------------------------------------

/// Whether the options of the data leave friction in.
bool lwi_sim_has_friction(const lw_sim *sim);

/// Size of the friction at a degree of freedom of the tree that moves with v.
double lwi_sim_friction(const lw_sim *sim, int dof, double v);

/// Whether stiction is a matter of events, and not of impulses over a step.
bool lwi_stiction_by_events(const lw_sim *sim);

/// Lets friction act on the velocities v [nv] at the end of a step of length h from q and v_old.
/// The work of friction is added to *work.
lw_status lwi_stiction_impulses(lw_sim *sim, double h, const double *q, const double *v_old,
                                double *v, double *work);

/// Whether friction is taken to hold a degree of freedom of the tree.
bool lwi_stiction_holds(const lw_sim *sim, int dof);

/// Friction that holds acts in the next solution, for accelerations; false where none does.
bool lwi_stiction_hold(lw_sim *sim);

/// Finds what friction holds and what slides at the current state, where something has jumped.
lw_status lwi_stiction_settle(lw_sim *sim);

/// The value of the event of friction i: speed while it slides, force that is left while it holds.
double lwi_stiction_value(const lw_sim *sim, int i, const double *tree_v);

/// Whether limits or friction may hold something at this time.
bool lwi_sim_may_hold(const lw_sim *sim);

/// Accelerations with the forces of all that holds: limits, which push and never pull, and
/// friction.
lw_status lwi_sim_hold(lw_sim *sim, const double *q, const double *v, double *a);

/// Length 1 for the quaternions in q.
void lwi_sim_normalise(const lw_model *m, double *q);

#endif
