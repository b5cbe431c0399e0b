// Where forces of springs bend: a cord that becomes tight, a backlash that is used up. No method is
// as good as its order across a bend, so steps end there: the polynomial of the last step, drawn
// out beyond its end, shows when one comes. A step that would go across goes half the way first,
// from where it can be predicted better.

#include "sim.h"

#include "../dyn/spring_forces_tree.h"
#include "../kin/closure.h"

#include <linkwork/kinematics.h>

#include <math.h>

// A spring without force on one side bends where that begins; one with backlash on both.
static int kinks_of(const lw_spring_info *spring)
{
    return spring->side != LW_SPRING_BOTH ? 1 : spring->backlash > 0.0 ? 2 : 0;
}

int lwi_kink_count(const lw_model *m)
{
    int count = 0;
    for (int k = 0; k < m->nspring; ++k) {
        count += kinks_of(&m->spring[k]);
    }
    return count;
}

// How far the springs are from their bends, at y; false where a loop cannot be closed.
static bool find_values(lw_sim *sim, const double *y, double *value)
{
    const lw_model *m = sim->model;
    if (lw_forward_velocity(m, sim->data, y, y + m->nq) != LW_OK) {
        return false;
    }
    lwi_closure_angles(m, sim->data);
    const double *tree_q = m->nstep > 0 ? sim->data->tree_q : y;
    const double *tree_v = m->nstep > 0 ? sim->data->tree_v : y + m->nq;
    for (int k = 0, n = 0; k < m->nspring; ++k) {
        const lw_spring_info *spring = &m->spring[k];
        if (kinks_of(spring) == 0) {
            continue;
        }
        lwi_spring_line line;
        const double s = lwi_spring_state(m, sim->data, k, tree_q, tree_v, &line).x - spring->free;
        const double half = spring->backlash / 2.0;
        if (spring->side != LW_SPRING_COMPRESSION) {
            value[n++] = s - half;
        }
        if (spring->side == LW_SPRING_COMPRESSION || kinks_of(spring) == 2) {
            value[n++] = s + half;
        }
    }
    return true;
}

static bool bends_until(lw_sim *sim, double t)
{
    double *now = sim->kink, *then = now + sim->nkink;
    lwi_sim_dense_at(sim, t, sim->q_try);
    bool any = false;
    if (find_values(sim, sim->q_try, then)) {
        for (int i = 0; i < sim->nkink; ++i) {
            any = any || now[i] * then[i] < 0.0;
        }
    }
    return any;
}

lw_status lwi_kinks_ahead(lw_sim *sim)
{
    const double t_new = sim->t + sim->h;
    sim->t_kink = (double)INFINITY;
    const lw_status status = lwi_sim_make_dense(sim);
    if (status != LW_OK || !find_values(sim, sim->y, sim->kink) || !bends_until(sim, t_new)) {
        return status;
    }
    // One that stands just before its bend is there.
    double low = sim->t + 1e-7 * sim->h, high = t_new;
    if (bends_until(sim, low)) {
        return LW_OK;
    }
    while (high - low > 4.0 * 2.220446049250313e-16 * fabs(high)) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) {
            break;
        }
        if (bends_until(sim, middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    sim->t_kink = high;
    return LW_OK;
}
