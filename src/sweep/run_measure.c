// Measures of simulated runs.

#include "plan.h"

#include "../base/text.h"
#include "../model/data.h"
#include "../model/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 500 }; ///< of a run that states no distance of rows

typedef struct gathering {
    double most, least, sum, squares, last;
    long long count;
} gathering;

static lw_status gather(const lw_sweep *s, const lwi_case *c, const lw_run *run, lw_sim *sim,
                        double *scratch, gathering *all)
{
    const lw_model *m = c->m;
    double *tau = scratch, *aim = scratch + m->nv;
    const double *q = lw_sim_position(sim), *v = lw_sim_velocity(sim);
    lw_status status = lw_sim_forces(sim, NULL, tau);
    if (status == LW_OK && run->trajectory) {
        status = lw_trajectory_state(run->trajectory, m, lw_sim_time(sim), aim, NULL, NULL);
    }
    for (int i = 0; i < s->nmeasure && status == LW_OK; ++i) {
        const lwi_measure *x = &s->measure[i];
        if (x->kind != LWI_MEASURE_RUN) {
            continue;
        }
        const int k = x->at[c->structure], p = lw_position_of_dof(m, k);
        double value = x->signal == LWI_SIGNAL_V       ? v[k]
                       : x->signal == LWI_SIGNAL_TAU   ? tau[k]
                       : x->signal == LWI_SIGNAL_POWER ? tau[k] * v[k]
                       : p < 0                         ? 0.0
                       : x->signal == LWI_SIGNAL_Q     ? q[p]
                       : run->trajectory               ? aim[p] - q[p]
                                                       : 0.0;
        value = x->is_absolute ? fabs(value) : value;
        gathering *g = &all[i];
        g->most = g->count == 0 || value > g->most ? value : g->most;
        g->least = g->count == 0 || value < g->least ? value : g->least;
        g->sum += value;
        g->squares += value * value;
        g->last = value;
        ++g->count;
    }
    return status;
}

static double reduce(const gathering *g, lwi_reduce how)
{
    switch (how) {
    case LWI_REDUCE_MAX:
        return g->most;
    case LWI_REDUCE_MIN:
        return g->least;
    case LWI_REDUCE_MEAN:
        return g->sum / (double)g->count;
    case LWI_REDUCE_RMS:
        return sqrt(g->squares / (double)g->count);
    default:
        return g->last;
    }
}

static lw_status simulate(const lw_sweep *s, const lwi_case *c, const lw_run *run,
                          const double *start, double *scratch, gathering *all)
{
    lw_sim *sim = NULL;
    lw_status status = lw_sim_create(c->m, &run->sim, &sim);
    if (status == LW_OK && s->info.mode == LW_SWEEP_EXACT) {
        lw_sim_data(sim)->kernels = lwi_kernels_generic;
    }
    if (status == LW_OK) {
        status = lw_sim_reset(sim, 0.0, start ? start : run->q, run->v);
    }
    const double every = run->every > 0.0 ? run->every : run->duration / ROWS;
    const double last = floor(run->duration / every + 0.5);
    long long steps = 0;
    for (double row = 0.0; row <= last && status == LW_OK; ++row) {
        const double t = row < last ? row * every : run->duration;
        while (status == LW_OK && lw_sim_time(sim) < t) {
            const bool is_cancelled = ++steps % 64 == 0 && c->cancel && c->cancel(c->context);
            status = is_cancelled            ? LW_ERR_BUSY
                     : steps > s->most_steps ? LW_ERR_LIMIT
                                             : lw_sim_step(sim, t);
        }
        if (status == LW_OK) {
            status = gather(s, c, run, sim, scratch, all);
        }
    }
    lw_sim_destroy(sim);
    return status;
}

lw_status lwi_measure_run(const lw_sweep *s, const lwi_case *c, bool starts_at_q, double *row)
{
    lwi_text text = {0};
    lw_run *run = NULL;
    gathering all[LWI_SWEEP_MOST_MEASURES] = {{0}};
    double *scratch = calloc((size_t)(c->m->nv + c->m->nq) + 1, sizeof *scratch);
    lw_status status = scratch && lwi_run_fill_in(s, c->input, &text) ? LW_OK : LW_ERR_MEMORY;
    if (status == LW_OK) {
        status = lw_run_load_text(s->run_path, text.at, text.used, c->m, &run, NULL);
    }
    if (status == LW_OK && run->solver != LW_RUN_OWN) {
        status = LW_ERR_UNSUPPORTED;
    }
    if (status == LW_OK) {
        status = simulate(s, c, run, starts_at_q ? c->q : NULL, scratch, all);
    }
    for (int i = 0; i < s->nmeasure && status == LW_OK; ++i) {
        if (s->measure[i].kind == LWI_MEASURE_RUN) {
            row[s->measure[i].column] = reduce(&all[i], s->measure[i].reduce);
        }
    }
    lw_run_destroy(run);
    lwi_text_free(&text);
    free(scratch);
    return status;
}
