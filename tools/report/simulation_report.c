#include "report/simulation.h"

#include "report/units.h"

#include <math.h>
#include <string.h>

static double relative_drift(const simulation *s)
{
    return s->energy_size > 0.0 ? s->energy_drift / s->energy_size : 0.0;
}

/// What the drive of one degree of freedom gave, from the rows.
typedef struct drive_use {
    double value[5]; ///< in the order of drive_key
    double at_limit; ///< share of the time
} drive_use;

static const char *const drive_key[] = {"peak_force", "rms_force", "peak_speed", "peak_power",
                                        "peak_error"};
enum { DRIVE_KEYS = sizeof drive_key / sizeof *drive_key };

static drive_use measure_drive(const simulation *s, int k)
{
    const table *rows = &s->rows;
    const bool has_limit = s->run && s->run->controller;
    const double limit = has_limit ? lw_controller_limits(s->run->controller)[k] : (double)INFINITY;
    drive_use use = {{0}, 0.0};
    double square = 0.0, held = 0.0;
    for (int i = 0; i < rows->nrow; ++i) {
        const double *row = rows->value + (size_t)i * (size_t)rows->ncolumn;
        const double tau = row[s->ncolumn_tau + k], v = row[s->ncolumn_v + k];
        const double before = i > 0 ? row[-rows->ncolumn + s->ncolumn_tau + k] : tau;
        const double step = i > 0 ? row[0] - row[-rows->ncolumn] : 0.0;
        use.value[0] = fmax(use.value[0], fabs(tau));
        square += 0.5 * step * (tau * tau + before * before);
        held += fabs(tau) >= limit && fabs(before) >= limit ? step : 0.0;
        use.value[2] = fmax(use.value[2], fabs(v));
        use.value[3] = fmax(use.value[3], fabs(tau * v));
    }
    use.value[1] = s->reached > 0.0 ? sqrt(square / s->reached) : use.value[0];
    use.value[4] = s->peak_error[k];
    use.at_limit = s->reached > 0.0 ? held / s->reached : 0.0;
    return use;
}

static drive_use *measure_drives(output *out, const simulation *s)
{
    const int nv = s->robot->model->nv;
    drive_use *use = memory_get(out->pool, (size_t)nv, sizeof *use);
    for (int k = 0; k < nv; ++k) {
        use[k] = measure_drive(s, k);
    }
    return use;
}

void report_json(output *out, const simulation *s, json_t *result)
{
    const lw_model *m = s->robot->model;
    drive_use *use = measure_drives(out, s);
    output_set(out, result, "run", output_text(out, s->name));
    if (s->levels) {
        output_set(out, result, "levels", output_text(out, s->levels));
    }
    output_put(out, result,
               "time f, steps l, rejected l, evaluations l, stiff f, events l, "
               "seconds f, energy_fed f, energy_lost f, energy_stored f, "
               "energy_drift f, energy_drift_relative f, constraint_drift f, names o",
               s->reached, s->info.steps, s->info.rejected, s->info.evaluations, s->info.stiff,
               s->info.events, s->seconds, s->info.work + s->info.lost, s->info.lost, s->info.work,
               s->energy_drift, relative_drift(s), s->gap,
               output_names(out, m->velocity_name, m->nv));
    const double *last = s->rows.value + (size_t)(s->rows.nrow - 1) * (size_t)s->rows.ncolumn;
    collision_report(out, s, result);
    output_put(out, result, "q o, v o", output_numbers(out, last + s->ncolumn_q, m->nq),
               output_numbers(out, last + s->ncolumn_v, m->nv));
    for (int i = 0; i < DRIVE_KEYS; ++i) {
        json_t *list = output_array(out);
        for (int k = 0; k < m->nv; ++k) {
            output_append(out, list, output_number(out, use[k].value[i]));
        }
        output_set(out, result, drive_key[i], list);
    }
    json_t *held = output_array(out);
    for (int k = 0; k < m->nv; ++k) {
        output_append(out, held, output_number(out, use[k].at_limit));
    }
    output_set(out, result, "at_limit", held);
    report_motors_json(out, s, result);
}

// Whether motors turn this joint over elastic shafts: the forces are at these then.
static bool is_behind_shafts(const simulation *s, int k)
{
    const int nv = s->robot->model->nv;
    for (int f = 0; f < nv && s->shafts.nfollower > 0; ++f) {
        if (f != k && lw_shafts_follows(&s->shafts, f) && s->shafts.G[f * nv + k] != 0.0) {
            return true;
        }
    }
    return false;
}

static void print_held(output *out, const simulation *s, const drive_use *use)
{
    const lw_model *m = s->robot->model;
    const char **unit = unit_list(out->pool, m, m->v_tree, m->nv, UNIT_OF_FORCE);
    for (int k = 0; k < m->nv; ++k) {
        if (use[k].at_limit > 0.0) {
            fprintf(out->text, "%s is held at its limit, %.6g %s, for %.3g %% of the time\n",
                    m->velocity_name[k], use[k].value[0], unit[k], 100.0 * use[k].at_limit);
        }
    }
}

static void print_drives(output *out, const simulation *s)
{
    const lw_model *m = s->robot->model;
    static const char *const head[DRIVE_KEYS] = {"peak force", "rms force", "peak speed",
                                                 "peak power", "peak error"};
    const char *const unit[DRIVE_KEYS] = {
        unit_of_all(m, UNIT_OF_FORCE), unit_of_all(m, UNIT_OF_FORCE),
        unit_of_all(m, UNIT_OF_VELOCITY), "W", unit_of_all(m, UNIT_OF_POSITION)};
    const int columns = s->run && s->run->controller ? DRIVE_KEYS : DRIVE_KEYS - 1;
    drive_use *use = measure_drives(out, s);
    double *value = memory_numbers(out->pool, m->nv, DRIVE_KEYS);
    for (int k = 0; k < m->nv; ++k) {
        const bool has_none = use[k].value[0] == 0.0 && is_behind_shafts(s, k);
        for (int i = 0; i < columns; ++i) {
            const bool is_of_force = i != 2 && i != 4;
            value[columns * k + i] = has_none && is_of_force ? OUTPUT_NONE : use[k].value[i];
        }
    }
    fputc('\n', out->text);
    output_unit_table(out, "joint", m->velocity_name, m->nv, head, columns, value, unit, NULL);
    print_held(out, s, use);
}

// Whether friction is smoothed somewhere.
static bool is_smoothed(const simulation *s)
{
    const lw_model *m = s->robot->model;
    bool any = false;
    for (int i = 0; i < m->tree_nv && !s->def.sticks; ++i) {
        any = any || m->dof[i].friction > 0.0;
    }
    return any;
}

void report_text(output *out, const simulation *s)
{
    const lw_model *m = s->robot->model;
    fprintf(out->text, "%s%s%s: %.6g s%s\n", m->name, *s->label ? ", " : "", s->label, s->reached,
            s->is_stopped ? " (stopped)" : "");
    fprintf(out->text, "  steps             %ld of %s, %ld rejected, %ld evaluations\n",
            s->info.steps, s->method, s->info.rejected, s->info.evaluations);
    if (s->info.stiff > 0.5) {
        fprintf(out->text,
                "  stiff             stability, not accuracy, limits %.0f %% of the steps: %s%s\n",
                100.0 * s->info.stiff,
                simulation_has_stiff ? "--method cvode needs fewer"
                                     : "a build with SUNDIALS has methods for that",
                is_smoothed(s) ? "; stiction (sticks) is not stiff" : "");
    }
    collision_report(out, s, NULL);
    if (s->info.events > 0) {
        fprintf(out->text, "  events            %ld\n", s->info.events);
    }
    fprintf(out->text, "  energy            %.6g J fed, %.6g J lost, %.6g J stored\n",
            s->info.work + s->info.lost, s->info.lost, s->info.work);
    fprintf(out->text, "  energy drift      %.3g J, %.3g of the largest energy\n", s->energy_drift,
            relative_drift(s));
    if (m->nloop > 0) {
        fprintf(out->text, "  loops stay within %.3g m\n", s->gap);
    }
    fprintf(out->text, "  time per step     %.3g us; %.3g times faster than real time\n",
            1e6 * s->seconds / fmax((double)s->info.steps, 1.0),
            s->seconds > 0.0 ? s->reached / s->seconds : 0.0);
    if (s->def.nsource > 0 || s->def.sampler) {
        print_drives(out, s);
        report_motors_text(out, s);
    }
}
