// Making a simulation, beginning anew, and what it reports.

#include "sim.h"

#include "../base/arena.h"
#include "../dyn/arguments.h"
#include "../dyn/friction.h"
#include "../kin/closure.h"
#include "../kin/finite.h"
#include "../loop/loop.h"
#include "../model/kernel.h"
#include "../model/program.h"

#include <linkwork/kinematics.h>
#include <linkwork/motion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

lw_sim_def lw_default_sim_def(void)
{
    const lw_sim_def def = {
        .method = LW_METHOD_DOPRI853,
        .max_step = (double)INFINITY,
        .min_step = 1e-12,
        .relative = 1e-13,
        .absolute = 1e-14,
        .friction_speed = LW_FRICTION_SPEED,
        .static_friction = 1.0,
        .stribeck_speed = 0.01,
    };
    return def;
}

static bool is_friction_sensible(const lw_sim_def *def)
{
    const bool acts_over_speed = def->friction_speed > 0.0 || def->sticks;
    return def->static_friction >= 1.0 && isfinite(def->static_friction) &&
           def->stribeck_speed > 0.0 && isfinite(def->stribeck_speed) &&
           (def->static_friction == 1.0 || acts_over_speed);
}

static bool is_sensible(const lw_sim_def *def)
{
    const lw_sampler *s = def->sampler;
    if (s && (!(s->period > 0.0) || !isfinite(s->period) || !(s->delay >= 0.0) ||
              !(s->delay <= 1000.0 * s->period) || !s->sample)) {
        return false;
    }
    for (int i = 0; i < def->nsource; ++i) {
        if (!def->source || !def->source[i].add) {
            return false;
        }
    }
    for (int i = 0; i < def->nbreak; ++i) {
        if (!def->breaks || !isfinite(def->breaks[i]) ||
            (i > 0 && def->breaks[i] < def->breaks[i - 1])) {
            return false;
        }
    }
    for (int i = 0; i < def->nevent; ++i) {
        if (!def->event || !def->event[i].value) {
            return false;
        }
    }
    return def->method >= LW_METHOD_EULER && def->method <= LW_METHOD_DOPRI853 &&
           def->step >= 0.0 && isfinite(def->step) && def->max_step > 0.0 && def->min_step >= 0.0 &&
           def->min_step <= def->max_step && isfinite(def->min_step) && def->relative >= 0.0 &&
           def->absolute > 0.0 && isfinite(def->relative) && isfinite(def->absolute) &&
           def->nsource >= 0 && def->nevent >= 0 && def->nbreak >= 0 && def->restitution >= 0.0 &&
           def->restitution <= 1.0 && def->friction_speed >= 0.0 && isfinite(def->friction_speed) &&
           is_friction_sensible(def);
}

static int count_friction(const lw_model *m)
{
    int count = 0;
    for (int i = 0; i < m->tree_nv; ++i) {
        count += m->dof[i].friction > 0.0;
    }
    return count;
}

static bool is_limited(const lw_model *m, int i)
{
    return isfinite(m->dof[i].lower) || isfinite(m->dof[i].upper);
}

// Joints of one degree of freedom that have limits; fills in their records where `clamp` is not
// NULL.
static int find_limits(const lw_model *m, lwi_bounded_impulse *clamp)
{
    int count = 0;
    for (int body = 0; body < m->nbody; ++body) {
        const int i = m->v_start[body], at = m->q_start[body];
        if (m->v_start[body + 1] - i != 1 || m->q_start[body + 1] - at != 1 || !is_limited(m, i)) {
            continue;
        }
        if (clamp) {
            clamp[count] = (lwi_bounded_impulse){.dof = i, .position = at};
            clamp[count].is_angle = m->carrier[body] == LW_TREE_REVOLUTE;
        }
        ++count;
    }
    return count;
}

static void find_clamps(lw_sim *sim)
{
    const lw_model *m = sim->model;
    find_limits(m, sim->nlimit > 0 ? sim->clamp : NULL);
    for (int i = 0, n = sim->nlimit; i < m->tree_nv && sim->nstiction > 0; ++i) {
        if (m->dof[i].friction > 0.0) {
            sim->clamp[n++] = (lwi_bounded_impulse){.dof = i};
        }
    }
    for (int n = 0; n < sim->nlimit + sim->nstiction; ++n) {
        lwi_bounded_impulse *clamp = &sim->clamp[n];
        clamp->own = -1;
        for (int k = 0; k < m->nv && clamp->own < 0; ++k) {
            clamp->own = m->v_tree[k] == clamp->dof ? k : -1;
        }
        clamp->own_position = clamp->own >= 0 ? lw_position_of_dof(m, clamp->own) : -1;
    }
}

static lw_sim *lay_out(const lw_model *m, const lw_sim_def *def, lwi_slicer *s)
{
    const size_t nv = (size_t)m->nv, ny = (size_t)m->nq + nv + 2;
    lw_sim scratch;
    lw_sim *sim = lwi_slice(s, 1, sizeof *sim);
    sim = sim ? sim : &scratch; // counting: the pointers written below are thrown away
    memset(sim, 0, sizeof *sim);
    sim->nring = def->sampler ? (int)ceil(def->sampler->delay / def->sampler->period) + 2 : 0;
    void *data = lwi_slice(s, lw_data_size(m), 1);
    sim->y = lwi_slice(s, ny, sizeof(double));
    sim->y_old = lwi_slice(s, ny, sizeof(double));
    sim->k = lwi_slice(s, LWI_STAGES * ny, sizeof(double));
    sim->y_stage = lwi_slice(s, ny, sizeof(double));
    sim->noise = lwi_slice(s, ny, sizeof(double));
    sim->dense = lwi_slice(s, LWI_DENSE_ROWS * ny, sizeof(double));
    sim->tau = lwi_slice(s, nv, sizeof(double));
    sim->a = lwi_slice(s, nv, sizeof(double));
    sim->held = lwi_slice(s, nv, sizeof(double));
    sim->tree = lwi_slice(s, (size_t)m->tree_nv, sizeof(double));
    sim->f_ext = lwi_slice(s, (size_t)m->nbody, sizeof *sim->f_ext);
    sim->ring = lwi_slice(s, (size_t)sim->nring * nv, sizeof(double));
    sim->nlimit = def->has_stops ? find_limits(m, NULL) : 0;
    sim->nstiction = def->sticks ? count_friction(m) : 0;
    const bool adapts = def->method == LW_METHOD_DOPRI5 || def->method == LW_METHOD_DOPRI853;
    sim->nkink = adapts ? lwi_kink_count(m) : 0;
    sim->nvalue = def->nevent + 2 * sim->nlimit + sim->nstiction;
    const size_t nclamp = (size_t)sim->nlimit + (size_t)sim->nstiction;
    sim->value = lwi_slice(s, 4 * (size_t)sim->nvalue, sizeof(double));
    sim->q_try = lwi_slice(s, ny, sizeof(double));
    sim->dy_try = lwi_slice(s, ny, sizeof(double));
    sim->nassembly = lwi_assembly_find(m, NULL);
    sim->assembly_body = lwi_slice(s, (size_t)sim->nassembly, sizeof(int));
    sim->assembly_change = lwi_slice(s, 4 * (size_t)sim->nassembly, sizeof(double));
    sim->assembly_q = lwi_slice(s, sim->nassembly > 0 ? 2 * (size_t)m->tree_nq : 0, sizeof(double));
    sim->kink = lwi_slice(s, 2 * (size_t)sim->nkink, sizeof(double));
    sim->clamp = lwi_slice(s, nclamp, sizeof *sim->clamp);
    sim->clamp_row = lwi_slice(s, nclamp * nv, sizeof(double));
    sim->clamp_response = lwi_slice(s, nclamp * nv, sizeof(double));
    sim->clamp_matrix = lwi_slice(s, nclamp * nclamp, sizeof(double));
    sim->right = lwi_slice(s, nclamp, sizeof(double));
    sim->inverse = lwi_slice(s, nclamp > 0 ? nv * nv : 0, sizeof(double));
    lw_force_source *source = lwi_slice(s, (size_t)def->nsource, sizeof *source);
    lw_event *event = lwi_slice(s, (size_t)def->nevent, sizeof *event);
    double *breaks = lwi_slice(s, (size_t)def->nbreak, sizeof *breaks);
    if (!s->base) {
        return NULL;
    }
    if (def->nsource > 0) {
        memcpy(source, def->source, (size_t)def->nsource * sizeof *source);
    }
    if (def->nevent > 0) {
        memcpy(event, def->event, (size_t)def->nevent * sizeof *event);
    }
    if (def->nbreak > 0) {
        memcpy(breaks, def->breaks, (size_t)def->nbreak * sizeof *breaks);
    }
    sim->def = *def;
    sim->def.breaks = breaks;
    sim->def.source = source;
    sim->def.event = event;
    if (def->sampler) {
        sim->sampler = *def->sampler;
        sim->def.sampler = &sim->sampler;
    }
    lw_data_init(m, data, &sim->data);
    return (lw_sim *)(void *)s->base; // the first slice
}

size_t lw_sim_size(const lw_model *m, const lw_sim_def *def)
{
    if (!m || !def || !is_sensible(def)) {
        return 0;
    }
    lwi_slicer s = {0};
    lay_out(m, def, &s);
    return s.used;
}

lw_status lw_sim_init(const lw_model *m, const lw_sim_def *def, void *mem, lw_sim **out)
{
    if (out) {
        *out = NULL;
    }
    if (!m || !def || !mem || !out || !is_sensible(def)) {
        return LW_ERR_ARGUMENT;
    }
    lwi_slicer s = {.base = mem};
    lw_sim *sim = lay_out(m, def, &s);
    sim->model = m;
    sim->tableau = lwi_tableau_of(def->method);
    sim->ny = m->nq + m->nv + (def->counts_work ? 2 : 0);
    sim->adds_friction = (def->static_friction > 1.0 || def->sticks) && count_friction(m) > 0;
    sim->friction_rate = lwi_friction_rate(def->friction_speed);
    find_clamps(sim);
    lwi_assembly_find(m, sim->assembly_body);
    // The reference may be no state to begin from, beyond a limit for instance: then steps wait for
    // another.
    memset(sim->y, 0, (size_t)(m->nq + m->nv + 2) * sizeof *sim->y);
    memcpy(sim->y, m->q_reference, (size_t)m->nq * sizeof *sim->y);
    memset(sim->held, 0, (size_t)m->nv * sizeof *sim->held);
    sim->start = lw_sim_reset(sim, 0.0, NULL, NULL);
    *out = sim;
    return LW_OK;
}

lw_status lw_sim_create(const lw_model *m, const lw_sim_def *def, lw_sim **sim)
{
    if (sim) {
        *sim = NULL;
    }
    const size_t size = lw_sim_size(m, def);
    if (!sim || size == 0) {
        return LW_ERR_ARGUMENT;
    }
    void *mem = aligned_alloc(LWI_ALIGN, aligned_size(size));
    return mem ? lw_sim_init(m, def, mem, sim) : LW_ERR_MEMORY;
}

lw_failure lw_sim_failure(const lw_sim *sim, lw_status status)
{
    return lw_data_failure(sim ? sim->data : NULL, status);
}

void lw_sim_destroy(lw_sim *sim)
{
    free(sim);
}

void lwi_sim_normalise(const lw_model *m, double *q)
{
    for (int i = 0; i < m->kernel->nquat; ++i) {
        double *p = q + m->kernel->quat[i].q;
        const double norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
        for (int k = 0; k < 4; ++k) {
            p[k] /= norm;
        }
    }
}

static lw_status check_start(const lw_sim *sim, const double *q, const double *v)
{
    const lw_model *m = sim->model;
    const lw_status status = lw_forward_velocity(m, sim->data, q, v);
    if (status != LW_OK || sim->nlimit == 0) {
        return status;
    }
    const double *tree_q = lwi_closure_position(m, sim->data, q);
    return !tree_q                            ? lwi_closure_status(sim->data)
           : lwi_limits_are_kept(sim, tree_q) ? LW_OK
                                              : LW_ERR_MOTION;
}

lw_status lw_sim_reset(lw_sim *sim, double t, const double *q, const double *v)
{
    if (!sim) {
        return LW_ERR_ARGUMENT;
    }
    const lw_model *m = sim->model;
    const size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
    if (!isfinite(t) || (q && lwi_check_position(m, q) != LW_OK) ||
        (v && !lwi_all_finite(v, m->nv))) {
        return LW_ERR_NUMBER;
    }
    double *y = sim->y_stage;
    memcpy(y, q ? q : m->q_reference, nq * sizeof *y);
    lwi_sim_normalise(m, y);
    memset(y + nq, 0, (nv + 2) * sizeof *y);
    if (v) {
        memcpy(y + nq, v, nv * sizeof *y);
    }
    const lw_status status = check_start(sim, y, y + nq);
    if (status != LW_OK) {
        return status;
    }
    memcpy(sim->y, y, (nq + nv + 2) * sizeof *y);
    memcpy(sim->y_old, y, (nq + nv + 2) * sizeof *y);
    sim->t = sim->t_begin = sim->t_start = t;
    sim->h = sim->def.step;
    sim->last_error = 0.0;
    sim->jumps = 0;
    sim->noise_age = 0;
    sim->nstiffness_test = sim->nstiff = 0;
    memset(sim->noise, 0, (nq + nv + 2) * sizeof *y);
    sim->has_rate = sim->has_dense = sim->has_end_rate = false;
    sim->samples = sim->acts = 0;
    sim->info = (lw_sim_info){.event = -1, .begin = t};
    memset(sim->held, 0, nv * sizeof(double));
    for (int i = 0; i < sim->nlimit; ++i) {
        sim->clamp[i].side = 0;
    }
    sim->is_settled = false;
    sim->outer.at = NULL;
    sim->has_assembly_change = false;
    sim->nbroken = 0;
    sim->t_kink = (double)INFINITY;
    sim->t_break = -(double)INFINITY;
    lwi_sim_pass_breaks(sim);
    sim->start = LW_OK;
    return lwi_sim_begin_events(sim);
}

double lw_sim_time(const lw_sim *sim)
{
    return sim ? sim->t : 0.0;
}

const double *lw_sim_position(const lw_sim *sim)
{
    return sim ? sim->y : NULL;
}

const double *lw_sim_velocity(const lw_sim *sim)
{
    return sim ? sim->y + sim->model->nq : NULL;
}

const lw_model *lw_sim_model(const lw_sim *sim)
{
    return sim ? sim->model : NULL;
}

const lw_sim_def *lw_sim_get_def(const lw_sim *sim)
{
    return sim ? &sim->def : NULL;
}

int lw_sim_state_size(const lw_sim *sim)
{
    return sim ? sim->ny : 0;
}

const double *lw_sim_state(const lw_sim *sim)
{
    return sim ? sim->y : NULL;
}

lw_data *lw_sim_data(lw_sim *sim)
{
    return sim ? sim->data : NULL;
}

lw_sim_info lw_sim_get_info(const lw_sim *sim)
{
    if (!sim) {
        return (lw_sim_info){.event = -1};
    }
    lw_sim_info info = sim->info;
    info.begin = sim->t_begin;
    info.work = sim->def.counts_work ? sim->y[sim->ny - 2] : 0.0;
    info.lost = sim->def.counts_work ? sim->y[sim->ny - 1] : 0.0;
    info.next_step = sim->h;
    info.stiff =
        sim->nstiffness_test > 0 ? (double)sim->nstiff / (double)sim->nstiffness_test : 0.0;
    return info;
}

lw_status lw_sim_forces(lw_sim *sim, double *a, double *tau)
{
    if (!sim) {
        return LW_ERR_ARGUMENT;
    }
    double next;
    lw_status status = sim->def.sampler ? lwi_sim_sample(sim, &next) : LW_OK;
    if (status == LW_OK) {
        status = lwi_stiction_settle(sim);
    }
    const double t_break = sim->t_break; // at a break: those from now on
    sim->t_break = (double)INFINITY;
    if (status == LW_OK) { // if the caller wants no accelerations, there need be none
        status = a ? lwi_sim_rate(sim, sim->t, sim->y, sim->y_stage)
                   : lwi_sim_sources(sim, sim->t, sim->y, sim->y + sim->model->nq);
    }
    sim->t_break = t_break;
    if (status == LW_OK) {
        const size_t size = (size_t)sim->model->nv * sizeof(double);
        if (a) {
            memcpy(a, sim->a, size);
        }
        if (tau) {
            memcpy(tau, sim->tau, size);
        }
    }
    return status;
}
