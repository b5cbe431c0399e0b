// Moving along velocities, for callers that check what comes out.
#ifndef LWI_INTEGRATE_H
#define LWI_INTEGRATE_H

#include <linkwork/model.h>

/// lw_position_rate() at a position and a velocity that are good.
void lwi_position_rate(const lw_model *m, const double *q, const double *v, double *rate);

/// lw_integrate() from a good position: a velocity that is not finite leaves no finite q_out.
void lwi_integrate(const lw_model *m, const double *q, const double *v, double dt, double *q_out);

#endif
