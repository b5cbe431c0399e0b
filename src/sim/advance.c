// Going through time: samples of the controller, steps, events.

#include "sim.h"

#include "../kin/finite.h"

#include <math.h>
#include <string.h>

static double sample_time(const lw_sim *sim, long i)
{
    return sim->t_start + (double)i * sim->sampler.period;
}

static double *sample_of(const lw_sim *sim, long i)
{
    return sim->ring + (size_t)(i % sim->nring) * (size_t)sim->model->nv;
}

lw_status lwi_sim_sample(lw_sim *sim, double *next)
{
    const lw_model *m = sim->model;
    const double now = sim->t + 1e-9 * sim->sampler.period; // a rounding is no delay
    bool is_changed = false;
    if (!(sample_time(sim, sim->samples + 1) > sample_time(sim, sim->samples))) {
        return LW_ERR_NO_CONVERGENCE; // the period is less than a rounding of the time
    }
    while (sample_time(sim, sim->samples) <= now) {
        double *tau = sample_of(sim, sim->samples);
        memset(tau, 0, (size_t)m->nv * sizeof *tau);
        const lw_status status = sim->sampler.sample(
            sim->sampler.context, m, sim->data, sim->samples, sim->t, sim->y, sim->y + m->nq, tau);
        if (status != LW_OK) {
            return status;
        }
        ++sim->samples;
        if (sample_time(sim, sim->acts) + sim->sampler.delay <= now) {
            memcpy(sim->held, sample_of(sim, sim->acts++), (size_t)m->nv * sizeof *sim->held);
            is_changed = true;
        }
    }
    while (sim->acts < sim->samples && sample_time(sim, sim->acts) + sim->sampler.delay <= now) {
        memcpy(sim->held, sample_of(sim, sim->acts++), (size_t)m->nv * sizeof *sim->held);
        is_changed = true;
    }
    *next = sample_time(sim, sim->samples);
    if (sim->acts < sim->samples) {
        *next = fmin(*next, sample_time(sim, sim->acts) + sim->sampler.delay);
    }
    if (is_changed) {
        sim->has_rate = sim->has_end_rate = sim->is_settled = false;
    }
    return LW_OK;
}

void lwi_sim_pass_breaks(lw_sim *sim)
{
    if (sim->t >= sim->t_break) {
        sim->has_rate = sim->has_end_rate = sim->is_settled = false;
        sim->last_error = 0.0;
    }
    while (sim->nbroken < sim->def.nbreak && sim->def.breaks[sim->nbroken] <= sim->t) {
        ++sim->nbroken;
    }
    sim->t_break =
        sim->nbroken < sim->def.nbreak ? sim->def.breaks[sim->nbroken] : (double)INFINITY;
}

lw_status lw_sim_step(lw_sim *sim, double t_end)
{
    if (!sim) {
        return LW_ERR_ARGUMENT;
    }
    if (!isfinite(t_end)) {
        return LW_ERR_NUMBER;
    }
    if (sim->start != LW_OK) {
        return sim->start;
    }
    sim->info.event = -1;
    if (t_end <= sim->t) {
        return t_end == sim->t ? LW_OK : LW_ERR_ARGUMENT;
    }
    double t_stop = t_end;
    lw_status status = LW_OK;
    lwi_sim_pass_breaks(sim);
    if (sim->def.sampler) {
        double next;
        status = lwi_sim_sample(sim, &next);
        t_stop = fmin(t_stop, next);
    }
    if (status == LW_OK) {
        status = lwi_stiction_settle(sim);
    }
    if (status == LW_OK) {
        status = lwi_sim_try(sim, t_stop);
    }
    return status == LW_OK ? lwi_sim_find_events(sim) : status;
}

lw_status lw_sim_advance(lw_sim *sim, double t_end)
{
    if (!sim) {
        return LW_ERR_ARGUMENT;
    }
    lw_status status = LW_OK;
    do {
        status = lw_sim_step(sim, t_end);
    } while (status == LW_OK && sim->t < t_end && sim->info.event < 0);
    return status;
}

// --- For integrators from outside -------------------------------------------------------------

lw_status lw_sim_next_change(lw_sim *sim, double t_end, double *t_stop)
{
    if (!sim || !t_stop) {
        return LW_ERR_ARGUMENT;
    }
    if (sim->start != LW_OK) {
        return sim->start;
    }
    double next = t_end;
    lwi_sim_pass_breaks(sim);
    lw_status status = sim->def.sampler ? lwi_sim_sample(sim, &next) : LW_OK;
    *t_stop = fmin(fmin(t_end, next), sim->t_break);
    if (status == LW_OK) {
        status = lwi_stiction_settle(sim);
    }
    return status;
}

lw_status lw_sim_accept(lw_sim *sim, const lw_outer_step *step, bool *goes_on)
{
    if (!sim || !step || !step->y || !step->at || !goes_on || step->steps < 0) {
        return LW_ERR_ARGUMENT;
    }
    *goes_on = false;
    if (!isfinite(step->t) || !lwi_all_finite(step->y, sim->ny) ||
        lwi_check_position(sim->model, step->y) != LW_OK) {
        return LW_ERR_NUMBER;
    }
    if (step->t < sim->t) {
        return LW_ERR_ARGUMENT;
    }
    const lw_status checked = lwi_assembly_check(sim, step->y, step->t - sim->t);
    if (checked != LW_OK) {
        return checked;
    }
    lwi_assembly_accept(sim);
    const size_t size = (size_t)sim->ny * sizeof *sim->y;
    memcpy(sim->y_old, sim->y, size);
    memcpy(sim->y, step->y, size);
    lwi_sim_normalise(sim->model, sim->y);
    sim->t_begin = sim->t;
    sim->t = step->t;
    sim->dense_h = sim->t - sim->t_begin;
    sim->outer = *step;
    sim->has_rate = sim->has_end_rate = sim->has_dense = false;
    sim->is_settled = true;
    sim->info.steps += step->steps;
    sim->info.event = -1;
    const lw_status status = lwi_sim_find_events(sim);
    *goes_on = status == LW_OK && !sim->has_jumped;
    return status;
}
