// One state for several functions: its loops are closed, and sines and cosines found, once.
#include "held_state.h"

#include <linkwork/kinematics.h>

#include "closure.h"

#include <math.h>
#include <string.h>

// As the recursions take them: where a joint does not rotate, of zero.
static void find_sines(const lw_model *m, lw_data *d, const double *q)
{
    for (int i = 0; i < m->nbody; ++i) {
        const lwi_segment *b = &m->kernel->segment[i];
        const bool is_angle = b->carrier == LW_TREE_REVOLUTE || b->carrier == LW_TREE_SCREW;
        d->angle[i] = is_angle ? q[b->q] : 0.0;
    }
    d->kernels->lane->sincos(m->nbody, d->angle, d->held.sine, d->held.cosine);
}

static lw_status find_state(const lw_model *m, lw_data *d, const double *q, const double *v)
{
    if (lwi_check_position(m, q) != LW_OK || (v && !lwi_all_finite(v, m->nv))) {
        return LW_ERR_NUMBER;
    }
    if (m->nstep == 0) {
        find_sines(m, d, q);
        return LW_OK;
    }
    const bool is_closed = lwi_closure_rotations(m, d, q) &&
                           (v ? lwi_closure_velocity(m, d, v) != NULL : lwi_closure_rates(m, d));
    return is_closed ? LW_OK : lwi_closure_status(d);
}

// Numbers, or without any what every function refuses: addresses of the array may be around.
static void set(double *to, const double *from, int n)
{
    for (int i = 0; i < n; ++i) {
        to[i] = from ? from[i] : (double)NAN;
    }
}

lw_status lw_set_state(const lw_model *m, lw_data *d, const double *q, const double *v)
{
    if (!m || !d || d->model != m || (!q && m->nq > 0)) {
        return LW_ERR_ARGUMENT;
    }
    lwi_drop_results(d);
    const lw_status status = find_state(m, d, q, v);
    const bool is_found = status == LW_OK;
    set(d->held.q, is_found ? q : NULL, m->nq);
    set(d->held.v, is_found ? v : NULL, m->nv);
    d->held.is_set = is_found;
    d->held.stage = !is_found         ? LW_STAGE_NONE
                    : v || m->nv == 0 ? LW_STAGE_VELOCITY
                                      : LW_STAGE_POSITION;
    return status;
}

const double *lw_held_position(const lw_data *d)
{
    return d && d->held.is_set ? d->held.q : NULL;
}

const double *lw_held_velocity(const lw_data *d)
{
    return d && d->held.is_set ? d->held.v : NULL;
}

lw_stage lw_held_stage(const lw_data *d)
{
    return d ? d->held.stage : LW_STAGE_NONE;
}
