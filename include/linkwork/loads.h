// linkwork/loads.h: loads as functions of time: constant, sine, table, rotating unbalance.
//
// Stable. Real-time safe only where stated; thread safe by const (linkwork/base.h).
#ifndef LINKWORK_LOADS_H
#define LINKWORK_LOADS_H

#include <linkwork/simulate.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A force along a degree of freedom, or at a point of a frame, over time t:
///
///   value or wrench, times sin(2 pi frequency t + phase) where the frequency is not 0, times the
///   table where it has points; and nothing before `begin`, from `end` on.
///
/// An unbalance, a mass that turns about z of the frame at a radius and at constant speed, pulls
/// the frame with mass * radius * speed^2 * (cos, sin, 0) of speed * t + phase, in its own axes,
/// times the table. Its weight and its inertia are the body's.
typedef struct lw_timed_load {
    int dof;      ///< index in v; -1 for a load at a frame
    double value; ///< N m or N

    int frame;       ///< of a load at a frame
    lw_axes axes;    ///< of the wrench
    lw_force wrench; ///< N m, N
    lw_vec3 point;   ///< where it acts, in coordinates of the frame, m

    double unbalance; ///< mass times radius, kg m; 0 for none
    double speed;     ///< rad/s, of the unbalance

    double begin, end;       ///< s; 0, inf
    double frequency, phase; ///< Hz, rad
    int npoint;              ///< of a table, or 0
    const double *time;      ///< [npoint] s, increasing
    const double *factor;    ///< [npoint] joined by straight lines, held before and after
} lw_timed_load;

/// At frame 0, of no size, from 0 s on. Real-time safe.
LW_API lw_timed_load lw_default_timed_load(void);

/// Several of them, as a source for lw_sim_def.
typedef struct lw_timed_loads {
    int count;
    const lw_timed_load *load; ///< [count]
} lw_timed_loads;

/// LW_ERR_ARGUMENT where the model has not that frame or degree of freedom, or times do not
/// increase; LW_ERR_NUMBER where a number is not finite, but for `end`.
LW_API lw_status lw_check_timed_load(const lw_model *m, const lw_timed_load *load);

/// What they give at time t, added to tau [nv] and f_ext [nbody]. Real-time safe.
LW_API lw_status lw_add_timed_loads(const lw_model *m, lw_data *d, const lw_timed_loads *loads,
                                    double t, const double *q, double *tau, lw_force *f_ext);

/// The same for lw_sim_def. Loads and their tables must outlive the simulation.
LW_API lw_force_source lw_timed_source(lw_timed_loads *loads);

#ifdef __cplusplus
}
#endif
#endif
