// Controllers from the model: PD, PD with gravity, computed torque.

#include <linkwork/control.h>
#include <linkwork/kinematics.h>

#include "../kin/finite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lw_controller {
    const lw_model *model;
    const lw_trajectory *trajectory;
    lw_control_law law;
    double period, delay;
    double *kp, *kd, *limit;         ///< [nv]
    double *q, *v, *a, *error, *tau; ///< [nq], [nv]: what is asked for, and work
    double block[];
};

static bool is_sensible(const lw_model *m, const lw_controller_def *def)
{
    return m && def && def->trajectory && lw_trajectory_axes(def->trajectory) == m->nv && def->kp &&
           def->kd && def->law >= LW_CONTROL_PD && def->law <= LW_CONTROL_COMPUTED_TORQUE &&
           def->period >= 0.0 && def->delay >= 0.0 && (def->delay == 0.0 || def->period > 0.0) &&
           isfinite(def->period) && def->delay <= 1000.0 * def->period;
}

static lw_status check_gains(const lw_model *m, const lw_controller_def *def)
{
    if (!lwi_all_finite(def->kp, m->nv) || !lwi_all_finite(def->kd, m->nv)) {
        return LW_ERR_NUMBER;
    }
    for (int k = 0; k < m->nv; ++k) {
        if (def->kp[k] < 0.0 || def->kd[k] < 0.0 || (def->limit && !(def->limit[k] >= 0.0))) {
            return LW_ERR_ARGUMENT;
        }
    }
    return LW_OK;
}

lw_status lw_controller_create(const lw_model *m, const lw_controller_def *def,
                               lw_controller **controller)
{
    if (controller) {
        *controller = NULL;
    }
    if (!controller || !is_sensible(m, def)) {
        return LW_ERR_ARGUMENT;
    }
    const lw_status status = check_gains(m, def);
    if (status != LW_OK) {
        return status;
    }
    const size_t nv = (size_t)m->nv, nq = (size_t)m->nq;
    lw_controller *c = calloc(1, sizeof *c + (7 * nv + nq) * sizeof(double));
    if (!c) {
        return LW_ERR_MEMORY;
    }
    c->model = m;
    c->trajectory = def->trajectory;
    c->law = def->law;
    c->period = def->period;
    c->delay = def->delay;
    c->kp = c->block;
    c->kd = c->kp + nv;
    c->limit = c->kd + nv;
    c->v = c->limit + nv;
    c->a = c->v + nv;
    c->error = c->a + nv;
    c->tau = c->error + nv;
    c->q = c->tau + nv;
    memcpy(c->kp, def->kp, nv * sizeof(double));
    memcpy(c->kd, def->kd, nv * sizeof(double));
    for (size_t k = 0; k < nv; ++k) {
        c->limit[k] = def->limit ? def->limit[k] : m->freedom[m->v_tree[k]].max_effort;
    }
    *controller = c;
    return LW_OK;
}

void lw_controller_destroy(lw_controller *controller)
{
    free(controller);
}

lw_status lw_controller_forces(lw_controller *c, lw_data *d, double t, const double *q,
                               const double *v, double *tau)
{
    if (!c || !tau) {
        return LW_ERR_ARGUMENT;
    }
    const lw_model *m = c->model;
    lw_status status = lw_trajectory_state(c->trajectory, m, t, c->q, c->v, c->a);
    if (status == LW_OK) {
        status = lw_difference(m, q, c->q, c->error);
    }
    if (status != LW_OK) {
        return status;
    }
    const bool is_computed = c->law == LW_CONTROL_COMPUTED_TORQUE;
    for (int k = 0; k < m->nv; ++k) {
        const double feedback = c->kp[k] * c->error[k] + c->kd[k] * (c->v[k] - v[k]);
        c->a[k] = is_computed ? c->a[k] + feedback : feedback;
        c->tau[k] = 0.0;
    }
    if (is_computed) {
        status = lw_inverse_dynamics(m, d, q, v, c->a, NULL, c->tau);
    } else if (c->law == LW_CONTROL_PD_GRAVITY) {
        status = lw_gravity_forces(m, d, q, c->tau);
    }
    for (int k = 0; k < m->nv && status == LW_OK; ++k) {
        const double force = is_computed ? c->tau[k] : c->tau[k] + c->a[k];
        tau[k] = fmin(fmax(force, -c->limit[k]), c->limit[k]);
    }
    return status == LW_OK ? lw_limit_drives(m, d, q, v, tau, NULL, NULL) : status;
}

static lw_status add_forces(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                            const double *v, double *tau, lw_force *f_ext)
{
    lw_controller *c = context;
    (void)f_ext;
    const lw_status status = lw_controller_forces(c, d, t, q, v, c->tau);
    for (int k = 0; k < m->nv && status == LW_OK; ++k) {
        tau[k] += c->tau[k];
    }
    return status;
}

static lw_status sample_forces(void *context, const lw_model *m, lw_data *d, long step, double t,
                               const double *q, const double *v, double *tau)
{
    (void)m;
    (void)step;
    return lw_controller_forces(context, d, t, q, v, tau);
}

lw_force_source lw_controller_source(lw_controller *controller)
{
    const lw_force_source source = {add_forces, controller};
    return source;
}

lw_sampler lw_controller_sampler(lw_controller *controller)
{
    const lw_sampler sampler = {controller ? controller->period : 0.0,
                                controller ? controller->delay : 0.0, sample_forces, controller};
    return sampler;
}

lw_status lw_controller_gains(const lw_model *m, lw_data *d, const double *q, lw_control_law law,
                              double frequency, double damping, double *kp, double *kd)
{
    if (!m || !kp || !kd) {
        return LW_ERR_ARGUMENT;
    }
    if (!isfinite(frequency) || !isfinite(damping) || frequency < 0.0 || damping < 0.0) {
        return LW_ERR_NUMBER;
    }
    for (int k = 0; k < m->nv; ++k) {
        kp[k] = 1.0;
    }
    if (law != LW_CONTROL_COMPUTED_TORQUE) {
        double energy;
        for (int k = 0; k < m->nv; ++k) { // v' M v / 2 for a unit velocity
            memset(kd, 0, (size_t)m->nv * sizeof *kd);
            kd[k] = 1.0;
            const lw_status status = lw_kinetic_energy(m, d, q, kd, &energy);
            if (status != LW_OK) {
                return status;
            }
            kp[k] = 2.0 * energy;
        }
    }
    for (int k = 0; k < m->nv; ++k) {
        kd[k] = 2.0 * damping * frequency * kp[k];
        kp[k] *= frequency * frequency;
    }
    return LW_OK;
}

// --- Loads of drives --------------------------------------------------------------------------

static void add_load(lw_drive_load *load, double tau, double v, double share, double step)
{
    load->peak_force = fmax(load->peak_force, fabs(tau));
    load->rms_force += share * tau * tau;
    load->peak_speed = fmax(load->peak_speed, fabs(v));
    load->peak_power = fmax(load->peak_power, tau * v);
    load->peak_braking = fmax(load->peak_braking, -tau * v);
    load->energy += step * tau * v;
}

lw_status lw_drive_loads(const lw_model *m, lw_data *d, const lw_trajectory *trajectory,
                         int samples, lw_drive_load *load)
{
    if (!m || !d || !trajectory || !load || samples < 1 ||
        lw_trajectory_axes(trajectory) != m->nv) {
        return LW_ERR_ARGUMENT;
    }
    const size_t nv = (size_t)m->nv;
    double *block = calloc((size_t)m->nq + 3 * nv + 1, sizeof *block);
    if (!block) {
        return LW_ERR_MEMORY;
    }
    double *v = block, *a = v + nv, *tau = a + nv, *q = tau + nv;
    const double duration = lw_trajectory_duration(trajectory);
    memset(load, 0, nv * sizeof *load);
    lw_status status = LW_OK;
    for (int i = 0; i <= samples && status == LW_OK; ++i) {
        status = lw_trajectory_state(trajectory, m, i * duration / samples, q, v, a);
        if (status == LW_OK) {
            status = lw_inverse_dynamics(m, d, q, v, a, NULL, tau);
        }
        // The rule of the trapezoid.
        const double share = (i == 0 || i == samples ? 0.5 : 1.0) / samples;
        for (int k = 0; k < m->nv && status == LW_OK; ++k) {
            add_load(&load[k], tau[k], v[k], share, share * duration);
        }
    }
    for (size_t k = 0; k < nv; ++k) {
        load[k].rms_force = sqrt(load[k].rms_force);
    }
    free(block);
    return status;
}
