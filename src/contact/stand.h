// A vehicle that is let down on a terrain: the pose that is tried, and the bounds there.
#ifndef LWI_STAND_H
#define LWI_STAND_H

#include "wheel_rows.h"
#include "wheel_touch.h"

#include <string.h>

/// The base as it is tried.
typedef struct stance_pose {
    double x, y, z, heading, pitch, roll;
} stance_pose;

typedef struct standing {
    const lw_model *m;
    lw_data *d;
    lw_wheels *w;
    const lw_terrain *terrain;
    double tolerance;
    double *q; ///< of the trial
    int at;    ///< first position of the base in q
    stance_pose pose;
    bool is_thorough; ///< looks for second contacts in every trial
    double energy;    ///< over the gravity load: a height, m; with the gradient
    lw_stand_result *result;
} standing;

static inline double *bound_row(const lw_wheels *w, int bound)
{
    return w->bound_row + bound * w->nunknown;
}

/// Whether a bound is a side of the trust region.
static inline bool is_side(const lw_wheels *w, int bound)
{
    return bound >= w->nbound;
}

static inline bool is_active(const lw_wheels *w, int bound)
{
    for (int i = 0; i < w->nunknown; ++i) {
        if (w->active[i] == bound) {
            return true;
        }
    }
    return false;
}

/// The contact of a wheel that has the smallest gap.
int lwi_nearest_place(const lw_wheels *w, int wheel);

/// Gaps and rows of all bounds at the trial.
lw_status lwi_stand_evaluate(standing *s);

/// dE/du, N and N m.
lw_status lwi_stand_gradient(standing *s);

/// Looks for the lowest contact of a wheel besides its first one and those that are active.
lw_status lwi_stand_look(standing *s, int wheel);

/// u += share * step.
void lwi_stand_move(standing *s, const double *step, double share);

/// The inverse of the rows of the active bounds; false where they are dependent.
bool lwi_stand_invert(lw_wheels *w);

/// Forces of the active bounds: A' f = dE/du.
void lwi_stand_forces(lw_wheels *w);

/// Finds the pose of least energy from the trial, whatever bounds are active there.
lw_status lwi_stand_search(standing *s, int most);

#endif
