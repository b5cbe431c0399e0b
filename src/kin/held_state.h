// The state that the data holds: lw_set_state().
//
// A function is given q as an array; where that is the data's own, its results may be there
// already. So an address decides, which costs others two instructions, and numbers of another state
// cannot be taken for those of this one: whatever overwrites the results lowers the stage, by
// lwi_drop_results() where a public function begins, and in the closure sweeps themselves.
#ifndef LWI_HELD_STATE_H
#define LWI_HELD_STATE_H

#include "../model/data.h"
#include "finite.h"

/// Whether q is the position that the data holds, with all that lw_set_state() found.
static inline bool lwi_holds(const lw_data *d, const double *q)
{
    return q == d->held.q && d->held.stage >= LW_STAGE_POSITION;
}

static inline bool lwi_holds_velocity(const lw_data *d, const double *v)
{
    return v == d->held.v && d->held.stage >= LW_STAGE_VELOCITY;
}

/// Whether the data holds the state of these numbers, wherever they lie.
static inline bool lwi_holds_numbers(const lw_model *m, const lw_data *d, const double *q,
                                     const double *v)
{
    bool is_same = d->held.stage >= LW_STAGE_VELOCITY;
    for (int i = 0; i < m->nq && is_same; ++i) {
        is_same = q[i] == d->held.q[i];
    }
    for (int i = 0; i < m->nv && is_same; ++i) {
        is_same = v[i] == d->held.v[i];
    }
    return is_same;
}

/// Begins a computation at q that leaves what the data holds of that state as it is, and checks q
/// unless that was done.
static inline lw_status lwi_begin_at(const lw_model *m, lw_data *d, const double *q)
{
    if (lwi_holds(d, q)) {
        return LW_OK;
    }
    lwi_drop_results(d);
    return lwi_check_position(m, q);
}

#endif
