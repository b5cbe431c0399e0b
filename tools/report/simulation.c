#include "report/simulation.h"

#include "support/message.h"
#include "support/timing.h"

#include <linkwork/kinematics.h>
#include <linkwork/linearize.h>
#ifdef LINKWORK_HAS_STIFF
#include <linkwork/stiff.h>
#else
typedef struct lw_stiff lw_stiff; // none in this build
#endif

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

// --- Interrupts and progress ------------------------------------------------------------------

static volatile sig_atomic_t is_interrupted;

static void note_interrupt(int signal_number)
{
    (void)signal_number;
    is_interrupted = 1;
}

static void show_progress(const simulation *s, double time, double *last)
{
    const double now = s->progress == PROGRESS_NONE ? *last : timing_now();
    if (now - *last < 0.1) {
        return;
    }
    *last = now;
    char stage[64];
    snprintf(stage, sizeof stage, "%.4g s of %.4g s", time, s->duration);
    progress_show(s->progress, time / s->duration, stage);
}

// --- Rows -------------------------------------------------------------------------------------

static void name_columns(simulation *s)
{
    const lw_model *m = s->robot->model;
    s->ncolumn_q = 1;
    s->ncolumn_v = s->ncolumn_q + m->nq;
    s->ncolumn_tau = s->ncolumn_v + m->nv;
    s->ncolumn_energy = s->ncolumn_tau + m->nv;
    s->ncolumn_error = s->ncolumn_energy + 4;
    s->follows = s->run && s->run->trajectory && s->run->controller;
    table_begin(&s->rows, s->pool, s->ncolumn_error + (s->follows ? m->nv : 0));
    table_name(&s->rows, 0, NULL, "time");
    for (int i = 0; i < m->nq; ++i) {
        table_name(&s->rows, s->ncolumn_q + i, "q", m->position_name[i]);
    }
    for (int k = 0; k < m->nv; ++k) {
        table_name(&s->rows, s->ncolumn_v + k, "v", m->velocity_name[k]);
        table_name(&s->rows, s->ncolumn_tau + k, "tau", m->velocity_name[k]);
    }
    static const char *const energy[] = {"kinetic", "potential", "work", "lost"};
    for (int k = 0; k < 4; ++k) {
        table_name(&s->rows, s->ncolumn_energy + k, NULL, energy[k]);
    }
    for (int k = 0; k < m->nv && s->follows; ++k) {
        table_name(&s->rows, s->ncolumn_error + k, "error", m->velocity_name[k]);
    }
    s->peak_error = memory_numbers(s->pool, m->nv + m->nq, 1);
}

// How far the mechanism is behind its motion: of joints with one position each.
static lw_status follow_error(simulation *s, const lw_sim *sim, double *row)
{
    const lw_model *m = s->robot->model;
    if (!s->follows) {
        return LW_OK;
    }
    double *aim = s->peak_error + m->nv;
    const lw_status status =
        lw_trajectory_state(s->run->trajectory, m, lw_sim_time(sim), aim, NULL, NULL);
    lw_shafts_follow_position(&s->shafts, aim);
    for (int k = 0; k < m->nv && status == LW_OK; ++k) {
        const int i = lw_position_of_dof(m, k);
        if (i >= 0) {
            const double error = aim[i] - lw_sim_position(sim)[i];
            row[s->ncolumn_error + k] = error;
            s->peak_error[k] = fmax(s->peak_error[k], fabs(error));
        }
    }
    return status;
}

static lw_status add_row(simulation *s, lw_sim *sim)
{
    const lw_model *m = s->robot->model;
    lw_data *d = lw_sim_data(sim);
    const double *q = lw_sim_position(sim), *v = lw_sim_velocity(sim);
    double *row = table_add_row(&s->rows), gap = 0.0;
    if (!row) {
        return LW_ERR_MEMORY;
    }
    row[0] = lw_sim_time(sim);
    memcpy(row + s->ncolumn_q, q, (size_t)m->nq * sizeof *row);
    memcpy(row + s->ncolumn_v, v, (size_t)m->nv * sizeof *row);
    double *energy = row + s->ncolumn_energy;
    lw_status status = lw_sim_forces(sim, NULL, row + s->ncolumn_tau);
    if (status == LW_OK) {
        status = lw_kinetic_energy(m, d, q, v, &energy[0]);
    }
    if (status == LW_OK) {
        status = lw_potential_energy(m, d, q, &energy[1]);
    }
    if (status == LW_OK) {
        status = lw_loop_gap(m, d, q, &gap);
    }
    if (status == LW_OK) {
        status = follow_error(s, sim, row);
    }
    energy[2] = lw_sim_get_info(sim).work;
    energy[3] = lw_sim_get_info(sim).lost;
    const double *first = s->rows.value + s->ncolumn_energy;
    const double drift = energy[0] + energy[1] - energy[2] - first[0] - first[1];
    if (status == LW_OK && !isfinite(drift)) {
        status = LW_ERR_NUMBER; // velocities may have an energy beyond all numbers, and no forces
    }
    s->energy_drift = fmax(s->energy_drift, fabs(drift));
    s->energy_size = fmax(s->energy_size, fabs(energy[0]) + fabs(energy[1] - first[1]));
    s->gap = fmax(s->gap, gap);
    return status;
}

static lw_status step(lw_sim *sim, lw_stiff *stiff, double t_end)
{
#ifdef LINKWORK_HAS_STIFF
    if (stiff) {
        return lw_stiff_step(stiff, t_end);
    }
#else
    (void)stiff;
#endif
    return lw_sim_step(sim, t_end);
}

static lw_status look(simulation *s, const lw_sim *sim)
{
    return collision_step(s, lw_sim_time(sim), lw_sim_position(sim));
}

// By the user, or by a collision.
static bool is_ended(const simulation *s)
{
    return is_interrupted || (s->watch.is_found && s->watch.mode == COLLISION_STOPS);
}

static lw_status run_all(simulation *s, lw_sim *sim, lw_stiff *stiff)
{
    double shown = timing_now();
    const double begin = shown;
    lw_status status = add_row(s, sim);
    status = status == LW_OK ? look(s, sim) : status;
    for (long i = 1; status == LW_OK && lw_sim_time(sim) < s->duration && !is_ended(s); ++i) {
        if (s->every > 0.0) {
            const double next = fmin((double)i * s->every, s->duration);
            // Step by step, so that an interrupt does not wait for the next row.
            while (status == LW_OK && lw_sim_time(sim) < next && !is_ended(s)) {
                status = step(sim, stiff, next);
                status = status == LW_OK ? look(s, sim) : status;
                show_progress(s, lw_sim_time(sim), &shown);
            }
        } else {
            status = step(sim, stiff, s->duration);
            status = status == LW_OK ? look(s, sim) : status;
            show_progress(s, lw_sim_time(sim), &shown);
        }
        if (status == LW_OK) {
            status = add_row(s, sim);
        }
    }
    s->seconds = timing_now() - begin;
    progress_clear(s->progress);
    return status;
}

// The first joint that begins beyond its limits; NULL if none is found.
static const char *joint_beyond(const simulation *s, lw_data *d)
{
    const lw_model *m = s->robot->model;
    double *tree_q = memory_numbers(s->pool, m->tree_nq, 1);
    if (lw_tree_state(m, d, s->q, NULL, NULL, tree_q, NULL, NULL) != LW_OK) {
        return NULL;
    }
    for (int i = 0; i < m->nbody; ++i) {
        const int at = m->q_start[i], k = m->v_start[i];
        if (m->q_start[i + 1] - at == 1 && m->v_start[i + 1] - k == 1 &&
            (tree_q[at] < m->dof[k].lower || tree_q[at] > m->dof[k].upper)) {
            return m->tree_velocity_name[k];
        }
    }
    return NULL;
}

// The largest magnitude of the eigenvalues of the motion about its start, 1/s, by differences; 0
// where there is none to be had.
static double fastest_rate(const simulation *s, lw_sim *sim)
{
    const lw_model *m = s->robot->model;
    const int n = m->nq + m->nv, ny = lw_sim_state_size(sim);
    double *J = memory_numbers(s->pool, n, n + 2), *re = J + n * n, *im = re + n;
    double *y = memory_numbers(s->pool, 3, ny), *dy = y + ny, *more = dy + ny, fastest = 0;
    memcpy(y, s->q, (size_t)m->nq * sizeof *y);
    memcpy(y + m->nq, s->v, (size_t)m->nv * sizeof *y);
    bool is_good = lw_sim_derivative(sim, 0, y, dy) == LW_OK;
    for (int j = 0; j < n && is_good; ++j) {
        const double at = y[j], step = 1e-7 * (1 + fabs(at));
        y[j] = at + step;
        is_good = lw_sim_derivative(sim, 0, y, more) == LW_OK;
        y[j] = at;
        for (int i = 0; i < n; ++i) {
            J[i * n + j] = (more[i] - dy[i]) / step;
        }
    }
    is_good = is_good && lw_eigenvalues(n, J, re, im) == LW_OK;
    for (int i = 0; i < n && is_good; ++i) {
        fastest = fmax(fastest, hypot(re[i], im[i]));
    }
    return fastest;
}

// Fixed steps that are too long end in numbers that are not finite.
static int complain_of_step(const simulation *s, lw_sim *sim)
{
    const double step = s->def.step > 0 ? s->def.step : 1e-3;
    const double longest = 2 / fastest_rate(s, sim); // the limit of both methods, or near to it
    if (longest < step) {
        return complain(EXIT_NUMERIC,
                        "at %.6g s: the motion grows beyond all numbers: steps of %g s are too "
                        "long for %s, which is stable to about %.2g s at the start",
                        s->reached, step, s->method, longest);
    }
    return complain(EXIT_NUMERIC,
                    "at %.6g s: the motion grows beyond all numbers: steps of %g s are too long "
                    "for %s, or forces have no bound",
                    s->reached, step, s->method);
}

int simulation_run(simulation *s)
{
    const robot *r = s->robot;
    lw_sim *sim = NULL;
    name_columns(s);
    if (lw_sim_create(r->model, &s->def, &sim) != LW_OK ||
        lw_shafts_create(r->model, &s->shafts) == LW_ERR_MEMORY) {
        lw_sim_destroy(sim);
        return no_memory();
    }
    const lw_dynamics_options options = lw_get_dynamics_options(r->data);
    lw_status status = lw_set_dynamics_options(lw_sim_data(sim), &options);
    if (status == LW_OK) {
        status = lw_sim_reset(sim, 0.0, s->q, s->v);
    }
    const struct sigaction act = {.sa_handler = note_interrupt};
    struct sigaction before;
    is_interrupted = 0;
    sigaction(SIGINT, &act, &before);
    lw_stiff *stiff = NULL;
#ifdef LINKWORK_HAS_STIFF
    if (status == LW_OK && s->stiff > 0) {
        status = lw_stiff_create(sim, s->stiff == 1 ? LW_STIFF_CVODE : LW_STIFF_IDA, &stiff);
    }
#endif
    if (status == LW_OK) {
        status = run_all(s, sim, stiff);
    }
#ifdef LINKWORK_HAS_STIFF
    lw_stiff_destroy(stiff);
#endif
    sigaction(SIGINT, &before, NULL);
    s->is_stopped = is_interrupted != 0;
    s->info = lw_sim_get_info(sim);
    s->reached = lw_sim_time(sim);
    int code = EXIT_GOOD;
    if (status == LW_ERR_MOTION) {
        const char *name = joint_beyond(s, lw_sim_data(sim));
        code = complain(EXIT_INPUT, "%s%s%s starts beyond its joint limits", name ? "\"" : "",
                        name ? name : "a joint", name ? "\"" : "");
    } else if (status == LW_ERR_NUMBER && s->stiff == 0 &&
               (s->def.method == LW_METHOD_EULER || s->def.method == LW_METHOD_RK4)) {
        code = complain_of_step(s, sim);
    } else if (status != LW_OK) {
        code = complain_of(r->model, lw_sim_data(sim), status, "at %.6g s: ", s->reached);
    }
    lw_sim_destroy(sim);
    return code;
}

void simulation_free(simulation *s)
{
    collision_free(&s->watch);
    table_free(&s->rows);
    lw_shafts_free(&s->shafts);
    lw_run_destroy(s->run);
}
