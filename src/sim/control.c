// Controllers from the model: PD, PD with gravity, computed torque; contact_control.c has what
// frames do in contact.

#include "controller.h"

#include <linkwork/kinematics.h>

#include "../dyn/drives.h"
#include "../kin/closure.h"
#include "../kin/finite.h"
#include "../model/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_sensible(const lw_model *m, const lw_controller_def *def)
{
    return m && def && def->trajectory && lw_trajectory_axes(def->trajectory) == m->nv && def->kp &&
           def->kd && def->law >= LW_CONTROL_PD && def->law <= LW_CONTROL_HYBRID &&
           def->period >= 0.0 && def->delay >= 0.0 && (def->delay == 0.0 || def->period > 0.0) &&
           isfinite(def->period) && def->delay <= 1000.0 * def->period;
}

static lw_status check_gains(const lw_model *m, const lw_controller_def *def)
{
    if (!lwi_all_finite(def->kp, m->nv) || !lwi_all_finite(def->kd, m->nv) ||
        (def->hold && lwi_check_position(m, def->hold) != LW_OK)) {
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
    lw_status status = check_gains(m, def);
    if (status == LW_OK) {
        status = lwi_check_task(m, def);
    }
    if (status != LW_OK) {
        return status;
    }
    const size_t nv = (size_t)m->nv, nq = (size_t)m->nq;
    lw_controller *c = calloc(1, sizeof *c + (14 * nv + 2 * nq) * sizeof(double));
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
    c->hold = c->q + nq;
    c->seen = c->hold + nq;
    c->J = c->seen + nv;
    c->task = def->task ? *def->task : c->task;
    memcpy(c->kp, def->kp, nv * sizeof(double));
    memcpy(c->kd, def->kd, nv * sizeof(double));
    memcpy(c->hold, def->hold ? def->hold : m->q_reference, nq * sizeof(double));
    for (size_t k = 0; k < nv; ++k) {
        c->limit[k] = def->limit ? def->limit[k] : m->dof[m->v_tree[k]].max_force;
    }
    const lw_status found = lw_shafts_create(m, &c->shafts);
    if (found != LW_OK) {
        free(c);
        return found;
    }
    *controller = c;
    return LW_OK;
}

void lw_controller_destroy(lw_controller *controller)
{
    if (controller) {
        lw_shafts_free(&controller->shafts);
        free(controller);
    }
}

lw_status lw_controller_use(lw_controller *controller, const lw_dynamics_component *component)
{
    if (!controller || (component && !(component->inverse_dynamics && component->gravity_forces))) {
        return LW_ERR_ARGUMENT;
    }
    controller->component = component ? *component : (lw_dynamics_component){NULL, NULL, NULL};
    return LW_OK;
}

const double *lw_controller_limits(const lw_controller *controller)
{
    return controller ? controller->limit : NULL;
}

// Forces of joints within their limits, then those of the motors that drive them.
static void hold_within(const lw_controller *c, double *tau)
{
    const int nv = c->model->nv;
    for (int round = 0; round < (c->shafts.nmotor > 0 ? 2 : 1); ++round) {
        if (round > 0) {
            lwi_shafts_hand_over(&c->shafts, tau);
        }
        for (int k = 0; k < nv; ++k) {
            tau[k] = fmin(fmax(tau[k], -c->limit[k]), c->limit[k]);
        }
    }
}

// What the trajectory has no axes for is held where the definition specifies.
static void hold_others(const lw_controller *c)
{
    const lw_model *m = c->model;
    for (int i = 0; i < m->kernel->nquat; ++i) {
        const lwi_quat_at *at = &m->kernel->quat[i];
        const int first = at->q - (m->carrier[at->body] == LW_TREE_FREE ? 3 : 0);
        memcpy(c->q + first, c->hold + first, (size_t)(at->q + 4 - first) * sizeof *c->q);
    }
}

// Forces of the law at c->a, or of gravity alone, by whoever computes them.
static lw_status compute_forces(lw_controller *c, lw_data *d, const double *q, const double *v)
{
    const lw_dynamics_component *by = &c->component;
    if (c->law == LW_CONTROL_COMPUTED_TORQUE) {
        return by->inverse_dynamics ? by->inverse_dynamics(by->self, q, v, c->a, c->tau)
                                    : lw_inverse_dynamics(c->model, d, q, v, c->a, NULL, c->tau);
    }
    return c->law == LW_CONTROL_PD ? LW_OK
           : by->gravity_forces    ? by->gravity_forces(by->self, q, c->tau)
                                   : lw_gravity_forces(c->model, d, q, c->tau);
}

lw_status lwi_controller_ask(lw_controller *c, lw_data *d, double t, const double *q,
                             const double *v, double *tau)
{
    const lw_model *m = c->model;
    lw_status status = lw_trajectory_state(c->trajectory, m, t, c->q, c->v, c->a);
    if (status == LW_OK) {
        hold_others(c);
        status = lw_difference(m, q, c->q, c->error);
    }
    if (status != LW_OK) {
        return status;
    }
    const bool is_computed = c->law == LW_CONTROL_COMPUTED_TORQUE;
    const double *seen = lwi_shafts_look(&c->shafts, q, v, c->error, c->seen);
    for (int k = 0; k < m->nv; ++k) {
        const double feedback = c->kp[k] * c->error[k] + c->kd[k] * (c->v[k] - seen[k]);
        c->a[k] = is_computed ? c->a[k] + feedback : feedback;
        c->tau[k] = 0.0;
    }
    if (is_computed) {
        lw_shafts_follow(&c->shafts, c->a);
    }
    status = compute_forces(c, d, q, v);
    if (status == LW_OK && c->law >= LW_CONTROL_IMPEDANCE) {
        status = lwi_add_task_forces(c, d, q, v, c->tau);
    }
    if (status != LW_OK) {
        return status;
    }
    lw_shafts_gather(&c->shafts, c->tau);
    for (int k = 0; k < m->nv; ++k) {
        tau[k] = is_computed ? c->tau[k] : c->tau[k] + c->a[k];
    }
    for (int i = 0; i < c->shafts.nfollower; ++i) {
        tau[c->shafts.follower[i]] = 0.0;
    }
    return LW_OK;
}

lw_status lw_controller_forces(lw_controller *c, lw_data *d, double t, const double *q,
                               const double *v, double *tau)
{
    if (!c || !q || !v || !tau) {
        return LW_ERR_ARGUMENT;
    }
    const lw_status status = lwi_controller_ask(c, d, t, q, v, tau);
    if (status != LW_OK) {
        return status;
    }
    hold_within(c, tau);
    return lw_limit_drives(c->model, d, q, v, tau, NULL, NULL);
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
    if (!m || !kp || !kd || (unsigned)law > LW_CONTROL_COMPUTED_TORQUE) {
        return LW_ERR_ARGUMENT;
    }
    if (!isfinite(frequency) || !isfinite(damping) || frequency < 0.0 || damping < 0.0) {
        return LW_ERR_NUMBER;
    }
    lw_shafts shafts;
    lw_status status = lw_shafts_create(m, &shafts);
    for (int k = 0; k < m->nv; ++k) {
        kp[k] = 1.0;
    }
    for (int k = 0; k < m->nv && law != LW_CONTROL_COMPUTED_TORQUE && status == LW_OK; ++k) {
        double energy; // v' M v / 2 for a unit velocity
        memset(kd, 0, (size_t)m->nv * sizeof *kd);
        kd[k] = 1.0;
        lw_shafts_follow(&shafts, kd);
        status = lw_kinetic_energy(m, d, q, kd, &energy);
        kp[k] = 2.0 * energy;
    }
    for (int i = 0; i < shafts.nfollower; ++i) {
        kp[shafts.follower[i]] = 0.0;
    }
    for (int k = 0; k < m->nv; ++k) {
        kd[k] = 2.0 * damping * frequency * kp[k];
        kp[k] *= frequency * frequency;
    }
    lw_shafts_free(&shafts);
    return status;
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

// A motion that is sampled: buffers for a state, and the forces that it takes.
typedef struct sampled {
    lw_shafts shafts;
    double *block, *q, *v, *a, *tau, *effort;
} sampled;

static lw_status begin_samples(const lw_model *m, sampled *s)
{
    const size_t nv = (size_t)m->nv;
    s->block = calloc((size_t)m->nq + 3 * nv + (size_t)m->ndrive + 1, sizeof *s->block);
    if (!s->block) {
        return LW_ERR_MEMORY;
    }
    s->v = s->block;
    s->a = s->v + nv;
    s->tau = s->a + nv;
    s->effort = s->tau + nv;
    s->q = s->effort + m->ndrive;
    return lw_shafts_create(m, &s->shafts);
}

static void end_samples(sampled *s)
{
    lw_shafts_free(&s->shafts);
    free(s->block);
}

// Forces of the joints at a time of the motion; motors behind elastic shafts follow these.
static lw_status sample_at(const lw_model *m, lw_data *d, const lw_trajectory *trajectory, double t,
                           sampled *s)
{
    lw_status status = lw_trajectory_state(trajectory, m, t, s->q, s->v, s->a);
    if (status == LW_OK) {
        lw_shafts_follow_position(&s->shafts, s->q);
        lw_shafts_follow(&s->shafts, s->v);
        lw_shafts_follow(&s->shafts, s->a);
        status = lw_inverse_dynamics(m, d, s->q, s->v, s->a, NULL, s->tau);
        lw_shafts_gather(&s->shafts, s->tau);
    }
    return status;
}

static bool can_sample(const lw_model *m, const lw_data *d, const lw_trajectory *trajectory,
                       int samples)
{
    return m && d && trajectory && samples >= 1 && lw_trajectory_axes(trajectory) == m->nv;
}

// The share of sample i, by the rule of the trapezoid.
static double share_of(int i, int samples)
{
    return (i == 0 || i == samples ? 0.5 : 1.0) / samples;
}

lw_status lw_drive_loads(const lw_model *m, lw_data *d, const lw_trajectory *trajectory,
                         int samples, lw_drive_load *load)
{
    if (!can_sample(m, d, trajectory, samples) || !load) {
        return LW_ERR_ARGUMENT;
    }
    sampled s = {.block = NULL};
    const double duration = lw_trajectory_duration(trajectory);
    lw_status status = begin_samples(m, &s);
    memset(load, 0, (size_t)m->nv * sizeof *load);
    for (int i = 0; i <= samples && status == LW_OK; ++i) {
        status = sample_at(m, d, trajectory, i * duration / samples, &s);
        const double share = share_of(i, samples);
        for (int k = 0; k < m->nv && status == LW_OK; ++k) {
            add_load(&load[k], s.tau[k], s.v[k], share, share * duration);
        }
    }
    for (int k = 0; k < m->nv; ++k) {
        load[k].rms_force = sqrt(load[k].rms_force);
    }
    end_samples(&s);
    return status;
}

// How much of what a motor has at this speed is requested: above 1 it is not there.
static double use_of(const lw_model *m, int k, double effort, double speed)
{
    double least, most;
    lw_drive_range(m, k, speed, &least, &most);
    const double range = effort < 0.0 ? -least : most;
    return effort == 0.0 || isinf(range) ? 0.0 : fabs(effort) / range;
}

static void add_use(lw_motor_load *load, double use, double t, double effort, double speed,
                    double share)
{
    if (use > 1.0) {
        load->first_beyond = fmin(load->first_beyond, t);
        load->beyond += share;
    }
    if (use > load->use) {
        load->use = use;
        load->use_time = t;
        load->use_force = effort;
        load->use_speed = speed;
    }
}

lw_status lw_motor_loads(const lw_model *m, lw_data *d, const lw_trajectory *trajectory,
                         int samples, lw_motor_load *load)
{
    if (!can_sample(m, d, trajectory, samples) || (!load && m->ndrive > 0)) {
        return LW_ERR_ARGUMENT;
    }
    sampled s = {.block = NULL};
    const double duration = lw_trajectory_duration(trajectory);
    lw_status status = begin_samples(m, &s);
    for (int k = 0; k < m->ndrive; ++k) {
        load[k] = (lw_motor_load){.first_beyond = (double)INFINITY};
    }
    for (int i = 0; i <= samples && status == LW_OK && m->ndrive > 0; ++i) {
        const double t = i * duration / samples, share = share_of(i, samples);
        status = sample_at(m, d, trajectory, t, &s);
        if (status == LW_OK) {
            lwi_shafts_hand_over(&s.shafts, s.tau);
            const double *tree_v = lwi_split_onto_drives(m, d, s.q, s.v, s.tau, s.effort);
            status = tree_v ? LW_OK : lwi_closure_status(d);
            for (int k = 0; k < m->ndrive && tree_v; ++k) {
                const double speed = tree_v[m->drive[k].dof];
                add_load(&load[k].load, s.effort[k], speed, share, share * duration);
                add_use(&load[k], use_of(m, k, s.effort[k], speed), t, s.effort[k], speed, share);
            }
        }
    }
    for (int k = 0; k < m->ndrive; ++k) {
        load[k].load.rms_force = sqrt(load[k].load.rms_force);
        load[k].continuous_use = load[k].load.rms_force / m->drive[k].continuous_force;
    }
    end_samples(&s);
    return status;
}
