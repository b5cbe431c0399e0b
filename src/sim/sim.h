// The simulation as its parts see it.
#ifndef LWI_SIM_H
#define LWI_SIM_H

#include <linkwork/simulate.h>

#include "tableau.h"

/// Where a joint is held by a stop: at its upper (1) or lower (-1) limit; 0 while it is free.
typedef signed char lwi_contact;

/// A freedom of the tree that has friction, in one step.
typedef struct lwi_stick {
    int freedom;
    double impulse, bound; ///< N s or N m s
    double mass;           ///< that it moves
} lwi_stick;

struct lw_sim {
    const lw_model *model;
    lw_data *data;
    lw_sim_def def; ///< its arrays are those below
    const lwi_tableau *tableau;

    double t, t_begin; ///< now, and where the last step began
    double h;          ///< the next step
    int jumps;         ///< steps in a row that only went over a jump
    double last_error; ///< of the step before, for the control of the step; 0 for none
    int ny;            ///< nq + nv, and two for the work
    double *y, *y_old; ///< [ny] q, v, work, losses; and at t_begin
    double *k;         ///< [LWI_STAGES*ny] derivatives
    double *y_stage;   ///< [ny]
    double *dense;     ///< [LWI_DENSE_ROWS*ny]
    double dense_h;    ///< length of the step that it covers
    bool has_rate;     ///< k[0] is the derivative at (t, y)
    bool has_dense;    ///< dense is that of the last step
    bool has_end_rate; ///< the last stage of k is the derivative at the end of the last step

    // Forces.
    double *tau, *a, *held; ///< [nv] of all sources; accelerations; of the sampler
    double *tree;           ///< [tree_nv]
    lw_force *f_ext;        ///< [nbody]
    bool has_friction;

    // Sampler: looks that have been made and wait for their delay, in a ring.
    lw_sampler sampler;
    long looks, acts; ///< made, and in force
    double t_start;   ///< of the first look
    int nring;
    double *ring; ///< [nring*nv]

    // Events.
    double *value;        ///< [nevent + 2*nv] at t
    double *q_try;        ///< [ny]
    lwi_contact *contact; ///< [nv]
    double *inverse;      ///< [nv*nv] of the mass matrix, where stops are asked for
    double *push;         ///< [nv]

    // Friction that holds (stick.c).
    int nstick;
    lwi_stick *stick;                 ///< [nstick]
    double *stick_row, *stick_answer; ///< [nstick*nv]

    lw_sim_info info;
};

/// dy [ny] at (t, y). Leaves sim->a and sim->tau.
lw_status lwi_sim_rate(lw_sim *sim, double t, const double *y, double *dy);

/// Makes the look of the sampler that is due, and lets those act whose delay is over. *next is the
/// time of the next change.
lw_status lwi_sim_sample(lw_sim *sim, double *next);

/// One step of the method from (t, y) that ends at t_stop at the latest; moves t, y, t_begin,
/// y_old.
lw_status lwi_sim_try(lw_sim *sim, double t_stop);

/// Ends the last step at t_new, before where it ended, with the accuracy of the method and not of
/// its polynomial only, which stays as it is. The derivative at its begin must still be there.
lw_status lwi_sim_shorten(lw_sim *sim, double t_new);

/// Makes the polynomial of the last step, and evaluates it: y [ny].
lw_status lwi_sim_make_dense(lw_sim *sim);
void lwi_sim_dense_at(const lw_sim *sim, double t, double *y);

/// Values of all events at (t, q, v).
void lwi_sim_event_values(lw_sim *sim, double t, const double *y, double *value);

/// Looks for the first event in the last step, goes back to it and lets it act.
lw_status lwi_sim_find_events(lw_sim *sim);

/// Accelerations of joints that stops hold: pushes them back, never pulls.
lw_status lwi_sim_hold(lw_sim *sim, const double *q, const double *v, double *a);

/// The inverse of the mass matrix at q, into sim->inverse.
lw_status lwi_sim_invert_masses(lw_sim *sim, const double *q);

/// Size of the friction at a freedom of the tree that moves with v.
double lwi_sim_friction(const lw_sim *sim, int freedom, double v);

/// Lets friction act on the velocities v [nv] at the end of a step of length h from q and v_old.
/// The work of friction is added to *work.
lw_status lwi_sim_stick(lw_sim *sim, double h, const double *q, const double *v_old, double *v,
                        double *work);

/// Length 1 for the quaternions in q.
void lwi_sim_normalise(const lw_model *m, double *q);

#endif
