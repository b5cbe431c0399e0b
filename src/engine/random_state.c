// Random states, for comparing and for timing.

#include "../base/splitmix.h"

#include <linkwork/engine.h>
#include <linkwork/kinematics.h>

#include <math.h>

// Uniform in [-1, 1), the same on every processor.
static double random_number(unsigned long long *seed)
{
    return 2.0 * lwi_random_share(seed) - 1.0;
}

static void fill(double *x, int n, double size, unsigned long long *seed)
{
    for (int i = 0; x && i < n; ++i) {
        x[i] = size * random_number(seed);
    }
}

// A step from the reference configuration, so that quaternions stay quaternions. That of a machine
// with loops stays within the limits of the joints, and is shorter where the loops cannot follow.
// `step` [nv] is scratch.
static void random_position(const lw_model *m, lw_data *d, unsigned long long *seed, double reach,
                            double *step, double *q)
{
    const bool has_loops = m->nloop > 0;
    lw_status status = LW_ERR_LOOP_OPEN;
    for (double size = 1.5 * reach; status != LW_OK && size > 1e-3; size *= 0.5) {
        fill(step, m->nv, size, seed);
        for (int i = 0; i < m->nv && has_loops && m->nq == m->nv; ++i) {
            const lw_dof *dof = &m->dof[m->v_tree[i]];
            const double way = (step[i] > 0 ? dof->upper : dof->lower) - m->q_reference[i];
            step[i] = isfinite(way) ? fabs(step[i]) / 1.5 * way : step[i];
        }
        lw_integrate(m, m->q_reference, step, 1.0, q);
        status = has_loops ? lw_forward_velocity(m, d, q, step) : LW_OK;
    }
    for (int i = 0; i < m->nq && status != LW_OK; ++i) {
        q[i] = m->q_reference[i];
    }
}

void lw_random_state(const lw_model *m, lw_data *d, unsigned long long *seed, double reach,
                     double *q, double *v, double *a, double *tau)
{
    if (!m || !d || !seed || !q || !v) {
        return;
    }
    random_position(m, d, seed, reach, v, q);
    fill(v, m->nv, 2, seed);
    fill(a, m->nv, 4, seed);
    fill(tau, m->nv, 10, seed);
}
