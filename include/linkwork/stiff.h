// linkwork/stiff.h: implicit integration of stiff machines, by CVODE and IDA of SUNDIALS.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// Part of liblinkwork_stiff, which is built where SUNDIALS is found.
#ifndef LINKWORK_STIFF_H
#define LINKWORK_STIFF_H

#include <linkwork/simulate.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lw_stiff_method {
    LW_STIFF_CVODE = 0, ///< backward differentiation of order 1 to 5 on dy/dt = f
    LW_STIFF_IDA = 1    ///< the same on a residual, without an inverse of the mass matrix:
                        ///< degrees of freedom that move no inertia are allowed
} lw_stiff_method;

typedef struct lw_stiff lw_stiff;

/// An integrator for a simulation: its accuracy, sources, sampler, events and stops hold; its own
/// method is not used, but for stiction, which must not be LW_METHOD_EULER's.
/// LW_ERR_UNSUPPORTED where it is, LW_ERR_MEMORY where memory is short. The simulation must outlive
/// it. Free with lw_stiff_destroy().
LW_API lw_status lw_stiff_create(lw_sim *sim, lw_stiff_method method, lw_stiff **stiff);
LW_API void lw_stiff_destroy(lw_stiff *stiff);

/// One step, as lw_sim_step(); lw_sim_interpolate() gives states within it until the next. It
/// allocates. LW_ERR_NO_CONVERGENCE where the method gives up, or what a source answered; the
/// simulation is then at the last good state.
LW_API lw_status lw_stiff_step(lw_stiff *stiff, double t_end);

/// Moves the simulation from its current state to t_end, or to a terminal event.
LW_API lw_status lw_stiff_advance(lw_stiff *stiff, double t_end);

#ifdef __cplusplus
}
#endif
#endif
