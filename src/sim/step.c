// One step of each method, and the dense output of it.
//
// The control of the step is the one of Hairer, Norsett and Wanner (1993), section II.4: the error
// of this step and of the one before give the next (a PI controller).

#include "sim.h"

#include "../kin/finite.h"
#include "../kin/integrate.h"

#include <math.h>
#include <string.h>

enum { MOST_JUMPS = 8 };

static double *stage(const lw_sim *sim, int i)
{
    return lwi_sim_stage(sim, i);
}

void lwi_sim_combine(const lw_sim *sim, const double *y, double h, const double *weight, int n,
                     double *out)
{
    const int ny = sim->ny;
    memcpy(out, y, (size_t)ny * sizeof *out);
    for (int j = 0; j < n; ++j) {
        if (weight[j] != 0.0) {
            const double w = h * weight[j], *k = stage(sim, j);
            for (int i = 0; i < ny; ++i) {
                out[i] += w * k[i];
            }
        }
    }
}

static lw_status first_rate(lw_sim *sim)
{
    if (sim->has_rate) {
        return LW_OK;
    }
    const lw_status status = lwi_sim_rate(sim, sim->t, sim->y, stage(sim, 0));
    sim->has_rate = status == LW_OK;
    return status;
}

// The new state of a step of length h, into sim->y_stage.
static lw_status run_stages(lw_sim *sim, double h)
{
    const lwi_tableau *T = sim->tableau;
    for (int i = 1; i < T->nstage; ++i) {
        lwi_sim_combine(sim, sim->y, h, T->a[i], i, sim->y_stage);
        const lw_status status =
            lwi_sim_rate(sim, sim->t + T->c[i] * h, sim->y_stage, stage(sim, i));
        if (status != LW_OK) {
            return status;
        }
    }
    lwi_sim_combine(sim, sim->y, h, T->a[T->nstage], T->nstage, sim->y_stage);
    return lwi_all_finite(sim->y_stage, sim->ny) ? LW_OK : LW_ERR_NUMBER;
}

// Takes over sim->y_stage as the state after a step.
static void accept(lw_sim *sim, double t_new)
{
    const size_t size = (size_t)sim->ny * sizeof(double);
    memcpy(sim->y_old, sim->y, size);
    memcpy(sim->y, sim->y_stage, size);
    lwi_sim_normalise(sim->model, sim->y);
    sim->t_begin = sim->t;
    sim->t = t_new;
    sim->dense_h = t_new - sim->t_begin;
    sim->has_dense = false;
    sim->outer.at = NULL;
    lwi_assembly_accept(sim);
    ++sim->info.steps;
}

// --- Fixed steps ------------------------------------------------------------------------------

// Work over a step of Euler's method that ends with the velocities v: forces of its start times the
// mean of both velocities, which is what they do to the kinetic energy. Times the velocities of the
// begin alone, every speeding up would leave a little behind.
static lw_status count_work(lw_sim *sim, double h, const double *v, double of_friction)
{
    const lw_model *m = sim->model;
    double *mean = sim->a, *total = sim->y_stage + m->nq + m->nv, power[2]; // a is used up
    for (int i = 0; i < m->nv; ++i) {
        mean[i] = 0.5 * (sim->y[m->nq + i] + v[i]);
    }
    const lw_status status = lwi_sim_power(sim, sim->y, mean, false, power);
    total[0] += h * power[0] + of_friction;
    total[1] += h * power[1] - of_friction;
    return status;
}

static lw_status step_euler(lw_sim *sim, double h, double t_new)
{
    const lw_model *m = sim->model;
    double *y = sim->y_stage, *v = y + m->nq;
    memcpy(y, sim->y, (size_t)sim->ny * sizeof *y);
    for (int i = 0; i < m->nv; ++i) {
        v[i] += h * sim->a[i];
    }
    double work = 0.0;
    lw_status status = lwi_stiction_impulses(sim, h, sim->y, sim->y + m->nq, v, &work);
    if (status == LW_OK && sim->def.counts_work) {
        status = count_work(sim, h, v, work);
    }
    if (status != LW_OK) {
        return status;
    }
    lwi_integrate(m, sim->y, v, h, y);
    if (!lwi_all_finite(y, sim->ny)) {
        return LW_ERR_NUMBER;
    }
    status = lwi_assembly_check(sim, y, h);
    if (status != LW_OK) {
        return status;
    }
    accept(sim, t_new);
    sim->has_rate = sim->has_end_rate = false;
    return LW_OK;
}

static lw_status step_fixed(lw_sim *sim, double t_stop)
{
    const double wanted = sim->def.step > 0.0 ? sim->def.step : 1e-3;
    sim->h = wanted;
    // A rest that is only the rounding of many steps belongs to this one.
    const bool is_last = t_stop - sim->t <= wanted * (1.0 + 1e-9);
    const double t_new = is_last ? t_stop : sim->t + wanted;
    const double h = t_new - sim->t;
    if (!(h > 0.0)) {
        return LW_ERR_NO_CONVERGENCE; // the step is less than a rounding of the time
    }
    sim->has_rate = sim->has_rate && sim->tableau;
    lw_status status = first_rate(sim);
    if (status != LW_OK) {
        return status;
    }
    if (!sim->tableau) {
        return step_euler(sim, h, t_new);
    }
    status = run_stages(sim, h);
    if (status == LW_OK) {
        status = lwi_assembly_check(sim, sim->y_stage, h);
    }
    if (status == LW_OK) {
        accept(sim, t_new);
        sim->has_rate = sim->has_end_rate = false;
    }
    return status;
}

// --- Steps that adapt -------------------------------------------------------------------------

static double next_step(const lw_sim *sim, double h, double error)
{
    const double q = sim->tableau->order, beta = sim->tableau->order == 5 ? 0.04 : 0.02;
    const double e = fmax(error, 1e-12);
    double factor = 0.9 * pow(e, -(1.0 / q - 0.75 * beta));
    if (sim->last_error > 0.0) {
        factor *= pow(sim->last_error, beta);
    }
    return fmin(h * fmin(fmax(factor, 0.2), 6.0), sim->def.max_step);
}

// Tries a step of length h; *error is the estimate. A loop that opens on the way is an error that
// a shorter step may avoid.
static lw_status try_step(lw_sim *sim, double h, double *error)
{
    lw_status status = run_stages(sim, h);
    if (status == LW_OK) {
        status = lwi_sim_rate(sim, sim->t + h, sim->y_stage, stage(sim, sim->tableau->nstage));
    }
    if (status == LW_OK) {
        *error = lwi_error_of_step(sim, h);
        if (!isfinite(*error)) {
            status = LW_ERR_NUMBER;
        }
    }
    if (status == LW_OK && *error <= 1.0) {
        status = lwi_assembly_check(sim, sim->y_stage, h);
    }
    return status;
}

// Where a force jumps, no step across it is small enough for its estimate. One as short as can be
// goes over it: its error is that of the force over this time. More than a few in a row are no
// jump.
static bool passes_jump(const lw_sim *sim, double h)
{
    return h <= sim->def.min_step && sim->jumps < MOST_JUMPS;
}

static lw_status step_adaptive(lw_sim *sim, double t_stop)
{
    lw_status status = first_rate(sim);
    if (status != LW_OK) {
        return status;
    }
    if (!(sim->h > 0.0)) {
        sim->h = lwi_error_first_step(sim);
    }
    sim->h = fmin(sim->h, sim->def.max_step);
    status = lwi_error_find_noise(sim);
    bool was_rejected = false;
    for (int attempt = 0; attempt < LW_SIM_TRIES && (attempt > 0 || status == LW_OK); ++attempt) {
        const double rest = t_stop - sim->t;
        const bool is_last = sim->h >= rest * (1.0 - 1e-10);
        const double h = is_last ? rest : sim->h > 0.5 * rest ? 0.5 * rest : sim->h;
        const double t_new = is_last ? t_stop : sim->t + h;
        if (!(t_new > sim->t) || (was_rejected && h < 0.01 * sim->def.min_step)) {
            break;
        }
        double error = 0.0;
        status = try_step(sim, h, &error);
        if (status != LW_OK) {
            sim->h = 0.25 * h;
        } else if (error > 1.0 && !passes_jump(sim, h)) {
            sim->h = h * fmax(0.2, 0.9 * pow(error, -1.0 / sim->tableau->order));
        } else {
            const double next = next_step(sim, h, error);
            lwi_error_note_stiffness(sim, h);
            accept(sim, t_new);
            sim->last_error = fmax(error, 1e-4);
            // A step that was cut short by t_stop is no guide for the next.
            if (h >= sim->h || next < sim->h) {
                sim->h = was_rejected ? fmin(next, h) : next;
            }
            sim->has_end_rate = true;
            sim->has_rate = false;
            sim->jumps = error > 1.0 ? sim->jumps + 1 : 0;
            sim->has_assembly_change =
                sim->has_assembly_change && error <= 1.0; // else it was not tested
            return LW_OK;
        }
        was_rejected = true;
        ++sim->info.rejected;
    }
    return status != LW_OK ? status : lwi_assembly_blame(sim);
}

lw_status lwi_sim_try(lw_sim *sim, double t_stop)
{
    if (sim->has_end_rate) { // the last stage of the step before is the first of this one
        if (!sim->has_rate) {
            memcpy(stage(sim, 0), stage(sim, sim->tableau->nstage),
                   (size_t)sim->ny * sizeof(double));
        }
        sim->has_rate = true;
        sim->has_end_rate = false;
    }
    t_stop = fmin(t_stop, sim->t_break);
    if (!sim->tableau || sim->tableau->order == 0) {
        return step_fixed(sim, t_stop);
    }
    const lw_status status = step_adaptive(sim, fmin(t_stop, sim->t_kink));
    return status == LW_OK && sim->nkink > 0 ? lwi_kinks_ahead(sim) : status;
}

lw_status lwi_sim_shorten(lw_sim *sim, double t_new)
{
    const size_t size = (size_t)sim->ny * sizeof(double);
    if (!sim->tableau || sim->outer.at) {
        lwi_sim_dense_at(sim, t_new, sim->q_try);
        memcpy(sim->y, sim->q_try, size);
        sim->t = t_new;
        return LW_OK;
    }
    const double h = t_new - sim->t_begin, t_old = sim->t;
    memcpy(sim->q_try, sim->y, size);
    memcpy(sim->y, sim->y_old, size);
    sim->t = sim->t_begin;
    const lw_status status = run_stages(sim, h);
    memcpy(sim->y, status == LW_OK ? sim->y_stage : sim->q_try, size);
    lwi_sim_normalise(sim->model, sim->y);
    sim->t = status == LW_OK ? t_new : t_old;
    return status;
}

// --- Dense output -----------------------------------------------------------------------------

// Rows of the polynomial
//
//   y(s) = y0 + s (F0 + (1 - s) (F1 + s (F2 + (1 - s) (F3 + ...)))),   s = (t - t_begin) / h.
//
// The first three are the cubic of Hermite; the others are the method's own.
lw_status lwi_sim_make_dense(lw_sim *sim)
{
    const lwi_tableau *T = sim->tableau;
    const int ny = sim->ny, last = T ? T->nstage : 1;
    const double h = sim->dense_h;
    double *k1 = stage(sim, last);
    if (sim->has_dense || sim->outer.at) {
        return LW_OK;
    }
    if (!sim->has_end_rate) {
        const lw_status status = lwi_sim_rate(sim, sim->t, sim->y, k1);
        if (status != LW_OK) {
            return status;
        }
    }
    for (int i = 0; T && i < T->nextra; ++i) {
        const int s = T->nstage + 1 + i;
        lwi_sim_combine(sim, sim->y_old, h, T->a[s], s, sim->y_stage);
        const lw_status status =
            lwi_sim_rate(sim, sim->t_begin + T->c[s] * h, sim->y_stage, stage(sim, s));
        if (status != LW_OK) {
            return status;
        }
    }
    for (int i = 0; i < ny; ++i) {
        const double change = sim->y[i] - sim->y_old[i], k0 = stage(sim, 0)[i];
        sim->dense[i] = change;
        sim->dense[ny + i] = h * k0 - change;
        sim->dense[2 * ny + i] = 2.0 * change - h * (k0 + k1[i]);
        for (int row = 3; T && row < T->ndense; ++row) {
            double sum = 0.0;
            for (int j = 0; j <= T->nstage + T->nextra; ++j) {
                sum += T->dense[row][j] * stage(sim, j)[i];
            }
            sim->dense[row * ny + i] = h * sum;
        }
    }
    sim->has_dense = true;
    return LW_OK;
}

void lwi_sim_dense_at(const lw_sim *sim, double t, double *y)
{
    const int ny = sim->ny, rows = sim->tableau ? sim->tableau->ndense : 3;
    if (t <= sim->t_begin || !(sim->dense_h > 0.0)) {
        memcpy(y, sim->y_old, (size_t)ny * sizeof *y);
        return;
    }
    if (sim->outer.at) {
        if (sim->outer.at(sim->outer.context, t, y) != LW_OK) {
            memcpy(y, sim->y, (size_t)ny * sizeof *y);
        }
        lwi_sim_normalise(sim->model, y);
        return;
    }
    const double s = (t - sim->t_begin) / sim->dense_h;
    for (int i = 0; i < ny; ++i) {
        double sum = 0.0;
        for (int row = rows - 1; row >= 0; --row) {
            sum = (sum + sim->dense[row * ny + i]) * (row % 2 == 0 ? s : 1.0 - s);
        }
        y[i] = sim->y_old[i] + sum;
    }
    lwi_sim_normalise(sim->model, y);
}

lw_status lw_sim_interpolate(lw_sim *sim, double t, double *q, double *v)
{
    if (!sim) {
        return LW_ERR_ARGUMENT;
    }
    if (isnan(t)) {
        return LW_ERR_NUMBER;
    }
    const lw_model *m = sim->model;
    const double *y = sim->y;
    if (t < sim->t && sim->t > sim->t_begin) {
        const lw_status status = lwi_sim_make_dense(sim);
        if (status != LW_OK) {
            return status;
        }
        lwi_sim_dense_at(sim, t, sim->q_try);
        y = sim->q_try;
    }
    if (q) {
        memcpy(q, y, (size_t)m->nq * sizeof *q);
    }
    if (v) {
        memcpy(v, y + m->nq, (size_t)m->nv * sizeof *v);
    }
    return LW_OK;
}
