// linkwork simulate: motion in time, by run files or free.

#include "commands.h"
#include "message.h"
#include "number.h"
#include "output.h"
#include "simulation.h"
#include "simulation_motors.h"
#include "simulation_plot.h"
#include "state.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/// The machine at one choice of levels, and its state by the options.
typedef struct variant {
    robot robot;
    char *spec; ///< of --levels, or null for the machine as it is
    state_list states;
    lw_force_source constant; ///< of -t
} variant;

typedef struct study {
    robot robot;
    variant at[MOST_LEVELS];
    int nlevel;
    simulation *sim; ///< [count] for each run one a level
    int count;       ///< that are simulated
    int nrun;        ///< that were set up
} study;

static const char *const methods[] = {"dopri853", "dopri5", "rk4", "euler", "cvode", "ida", NULL};
enum { FIRST_STIFF = 4 };
static const lw_method method_of[] = {LW_METHOD_DOPRI853, LW_METHOD_DOPRI5, LW_METHOD_RK4,
                                      LW_METHOD_EULER};
static const char *const method_name[] = {"euler", "rk4", "dopri5", "dopri853"};
#ifdef LINKWORK_HAS_STIFF
static const bool has_stiff = true;
#else
static const bool has_stiff = false;
#endif

// --- Set-up -----------------------------------------------------------------------------------

static int read_positive(const command_line *args, option_id id, bool may_be_zero, double *value)
{
    const char *text = args_value(args, id);
    double x = 0.0;
    if (!text) {
        return EXIT_GOOD;
    }
    if (!number_parse(text, strlen(text), &x) || x < 0.0 || (x == 0.0 && !may_be_zero) || x > 1e9) {
        return complain(EXIT_USAGE, "%s is a number %s 0, not \"%s\"", option_name(id),
                        may_be_zero ? "from" : "above", text);
    }
    *value = x;
    return EXIT_GOOD;
}

static lw_status add_constant(void *context, const lw_model *m, lw_data *d, double t,
                              const double *q, const double *v, double *tau, lw_force *f_ext)
{
    const double *force = context;
    (void)d;
    (void)t;
    (void)q;
    (void)v;
    (void)f_ext;
    for (int k = 0; k < m->nv; ++k) {
        tau[k] += force[k];
    }
    return LW_OK;
}

// The time between rows, where nobody said it; and whether memory and life are long enough for all
// of them.
static int choose_rows(simulation *s)
{
    const bool is_fixed =
        s->stiff == 0 && (s->def.method == LW_METHOD_EULER || s->def.method == LW_METHOD_RK4);
    const double step = s->def.step > 0.0 ? s->def.step : 1e-3;
    const double width = s->robot->model->nq + 2.0 * s->robot->model->nv + 5.0;
    if (is_fixed && s->duration / step > 1e11) {
        return complain(EXIT_USAGE, "steps of %g s are %.3g steps, which are too many", step,
                        s->duration / step);
    }
    if (s->every < 0.0) { // enough for a plot, at ends of fixed steps
        s->every = s->duration / 500.0;
        s->every = is_fixed ? fmax(1.0, nearbyint(s->every / step)) * step : s->every;
    }
    const double row = s->every > 0.0 ? s->every : is_fixed ? step : (double)INFINITY;
    if (s->duration / row * width > 0.5 * TABLE_MOST_VALUES) {
        return complain(EXIT_USAGE, "a row each %g s gives %.3g rows, which are too many", row,
                        s->duration / row);
    }
    return EXIT_GOOD;
}

// What options say goes before what a run file says.
static int apply_options(const command_line *args, simulation *s)
{
    const int method = args_choice(args, OPT_METHOD, methods);
    double accuracy = s->def.relative;
    if (method < 0) {
        return EXIT_USAGE;
    }
    s->method = s->stiff > 0 ? methods[FIRST_STIFF + s->stiff - 1] : method_name[s->def.method];
    if (args_has(args, OPT_METHOD)) {
        s->def.method = method < FIRST_STIFF ? method_of[method] : LW_METHOD_DOPRI5;
        s->method = methods[method];
        s->stiff = method < FIRST_STIFF ? 0 : method - FIRST_STIFF + 1;
    }
    if (s->stiff > 0 && !has_stiff) {
        return complain(EXIT_USAGE, "this build has no SUNDIALS, and so no method %s", s->method);
    }
    if (s->stiff > 0 && accuracy == lw_default_sim_def().relative) {
        accuracy = 1e-9; // of methods of order 5
    }
    int code = read_positive(args, OPT_TIME, true, &s->duration);
    code = code == EXIT_GOOD ? read_positive(args, OPT_STEP, false, &s->def.step) : code;
    code = code == EXIT_GOOD ? read_positive(args, OPT_ACCURACY, false, &accuracy) : code;
    code = code == EXIT_GOOD ? read_positive(args, OPT_EVERY, true, &s->every) : code;
    if (accuracy != s->def.relative) {
        s->def.relative = s->def.absolute = accuracy;
    }
    s->def.has_stops = s->def.has_stops || args_has(args, OPT_STOPS);
    s->def.counts_work = true;
    return code == EXIT_GOOD ? choose_rows(s) : code;
}

static int set_up_free(const command_line *args, variant *v, simulation *s)
{
    s->def = lw_default_sim_def();
    s->every = -1.0;
    s->q = v->states.q;
    s->v = v->states.v;
    if (args_has(args, OPT_T)) {
        v->constant = (lw_force_source){add_constant, v->states.tau};
        s->def.nsource = 1;
        s->def.source = &v->constant;
    }
    if (!args_has(args, OPT_TIME)) {
        return complain(EXIT_USAGE, "simulate needs --time T or --run FILE");
    }
    return apply_options(args, s);
}

static int set_up_run(const command_line *args, const variant *v, const char *path, simulation *s)
{
    const int opened = run_open(path, v->robot.model, &s->run);
    if (opened != EXIT_GOOD) {
        return opened;
    }
    const char *slash = strrchr(path, '/');
    s->name = *s->run->name ? s->run->name : slash ? slash + 1 : path;
    s->def = s->run->sim;
    s->stiff = (int)s->run->solver;
    s->duration = s->run->duration;
    s->every = s->run->every;
    s->q = args_has(args, OPT_Q) ? v->states.q : s->run->q;
    s->v = args_has(args, OPT_V) ? v->states.v : s->run->v;
    return apply_options(args, s);
}

// What plots and reports call it: the run, the levels, or both.
static int name_it(simulation *s, const char *spec)
{
    const bool has_both = *s->name && spec;
    const size_t size = strlen(s->name) + (spec ? strlen(spec) : 0) + 3;
    char *label = malloc(size);
    if (!label) {
        return complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
    }
    snprintf(label, size, "%s%s%s", s->name, has_both ? ", " : "", spec ? spec : "");
    s->label = label;
    s->levels = spec;
    return EXIT_GOOD;
}

// The machine, or one for each of --levels.
static int set_up_levels(const command_line *args, study *all)
{
    char *spec[MOST_LEVELS] = {NULL};
    const char *text = args_value(args, OPT_LEVELS);
    int code = robot_open(&all->robot, args), count = 0;
    if (code == EXIT_GOOD && text) {
        code = split_levels(text, spec, &count);
    }
    for (int i = 0; i < count; ++i) {
        all->at[i].spec = spec[i];
    }
    if (!text) { // the robot itself
        all->at[0].robot = all->robot;
        all->robot = (robot){0};
    }
    all->nlevel = text ? count : 1;
    for (int i = 0; i < all->nlevel && code == EXIT_GOOD; ++i) {
        variant *v = &all->at[i];
        code = text ? robot_open_at_levels(&v->robot, &all->robot, args, v->spec) : EXIT_GOOD;
        if (code == EXIT_GOOD) {
            code = states_read(&v->states, args, v->robot.model);
        }
        if (code == EXIT_GOOD && v->states.count != 1) {
            return complain(EXIT_USAGE, "simulate takes one state");
        }
    }
    return code;
}

static int set_up(const command_line *args, study *all)
{
    int code = set_up_levels(args, all);
    const int runs = args_count(args, OPT_RUN);
    if (code == EXIT_GOOD && (runs > 1 || all->nlevel > 1) && args_has(args, OPT_OUTPUT)) {
        return complain(EXIT_USAGE,
                        "-o takes one run at one choice of levels; --plot takes several");
    }
    if (code == EXIT_GOOD && runs > 0 && args_has(args, OPT_T)) {
        return complain(EXIT_USAGE, "-t is for free motion; a run file has <force>");
    }
    all->count = (runs > 0 ? runs : 1) * all->nlevel;
    all->nrun = all->count;
    all->sim = calloc((size_t)all->count + 1, sizeof *all->sim);
    if (!all->sim) {
        return complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
    }
    for (int i = 0; i < all->count && code == EXIT_GOOD; ++i) {
        simulation *s = &all->sim[i];
        variant *v = &all->at[i % all->nlevel];
        s->robot = &v->robot;
        s->name = "";
        code = runs > 0 ? set_up_run(args, v, args_value_at(args, OPT_RUN, i / all->nlevel), s)
                        : set_up_free(args, v, s);
        if (code == EXIT_GOOD) {
            code = name_it(s, v->spec);
        }
    }
    return code;
}

// --- Report -----------------------------------------------------------------------------------

static double relative_drift(const simulation *s)
{
    return s->energy_size > 0.0 ? s->energy_drift / s->energy_size : 0.0;
}

// What the drives give, from the rows.
static void measure_drives(const simulation *s, double *value)
{
    const lw_model *m = s->robot->model;
    const table *rows = &s->rows;
    for (int k = 0; k < m->nv; ++k) {
        double *peak = value + 5 * k;
        double square = 0.0;
        memset(peak, 0, 5 * sizeof *peak);
        for (int i = 0; i < rows->nrow; ++i) {
            const double *row = rows->value + (size_t)i * (size_t)rows->ncolumn;
            const double tau = row[s->ncolumn_tau + k], v = row[s->ncolumn_v + k];
            const double before = i > 0 ? row[-rows->ncolumn + s->ncolumn_tau + k] : tau;
            const double step = i > 0 ? row[0] - row[-rows->ncolumn] : 0.0;
            peak[0] = fmax(peak[0], fabs(tau));
            square += 0.5 * step * (tau * tau + before * before);
            peak[2] = fmax(peak[2], fabs(v));
            peak[3] = fmax(peak[3], fabs(tau * v));
        }
        peak[1] = s->reached > 0.0 ? sqrt(square / s->reached) : peak[0];
        peak[4] = s->peak_error[k];
    }
}

static const char *const drive_key[] = {"peak_force", "rms_force", "peak_speed", "peak_power",
                                        "peak_error"};

static void report_json(output *out, const simulation *s, json_t *result, const double *drives)
{
    const lw_model *m = s->robot->model;
    output_set(out, result, "run", output_text(out, s->name));
    if (s->levels) {
        output_set(out, result, "levels", output_text(out, s->levels));
    }
    output_set(out, result, "time", output_number(out, s->reached));
    output_set(out, result, "steps", json_integer(s->info.steps));
    output_set(out, result, "rejected", json_integer(s->info.rejected));
    output_set(out, result, "evaluations", json_integer(s->info.evaluations));
    output_set(out, result, "stiff", output_number(out, s->info.stiff));
    output_set(out, result, "events", json_integer(s->info.events));
    output_set(out, result, "seconds", output_number(out, s->seconds));
    output_set(out, result, "energy_fed", output_number(out, s->info.work + s->info.lost));
    output_set(out, result, "energy_lost", output_number(out, s->info.lost));
    output_set(out, result, "energy_stored", output_number(out, s->info.work));
    output_set(out, result, "energy_drift", output_number(out, s->energy_drift));
    output_set(out, result, "energy_drift_relative", output_number(out, relative_drift(s)));
    output_set(out, result, "constraint_drift", output_number(out, s->gap));
    output_set(out, result, "names", output_names(out, m->velocity_name, m->nv));
    const double *last = s->rows.value + (size_t)(s->rows.nrow - 1) * (size_t)s->rows.ncolumn;
    output_set(out, result, "q", output_numbers(out, last + s->ncolumn_q, m->nq));
    output_set(out, result, "v", output_numbers(out, last + s->ncolumn_v, m->nv));
    for (int i = 0; i < 5; ++i) {
        json_t *list = output_array(out);
        for (int k = 0; k < m->nv; ++k) {
            output_append(out, list, output_number(out, drives[5 * k + i]));
        }
        output_set(out, result, drive_key[i], list);
    }
    report_motors_json(out, s, result);
}

static void report_text(output *out, const simulation *s, const double *drives)
{
    const lw_model *m = s->robot->model;
    static const char *const head[] = {"peak force", "rms force", "peak speed", "peak power",
                                       "peak error"};
    const bool has_motion = s->run && s->run->controller;
    fprintf(out->text, "%s%s%s: %.6g s%s\n", m->name, *s->label ? ", " : "", s->label, s->reached,
            s->is_stopped ? " (stopped)" : "");
    fprintf(out->text, "  steps             %ld of %s, %ld rejected, %ld evaluations\n",
            s->info.steps, s->method, s->info.rejected, s->info.evaluations);
    if (s->info.stiff > 0.5) {
        fprintf(out->text,
                "  stiff             stability, not accuracy, limits %.0f %% of the steps: %s\n",
                100.0 * s->info.stiff,
                has_stiff ? "--method cvode needs fewer"
                          : "a build with SUNDIALS has methods for that");
    }
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
        fputc('\n', out->text);
        double *part = calloc((size_t)m->nv * 5 + 1, sizeof *part);
        const int columns = has_motion ? 5 : 4;
        for (int k = 0; part && k < m->nv; ++k) {
            memcpy(part + columns * k, drives + 5 * k, (size_t)columns * sizeof *part);
        }
        if (part) {
            output_table(out, "drive", m->velocity_name, m->nv, head, columns, part);
        }
        free(part);
        report_motors_text(out, s);
    }
}

static int report_all(const command_line *args, const study *all)
{
    output out;
    if (!output_begin(&out, args_has(args, OPT_JSON))) {
        return complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
    }
    if (out.is_json) {
        out.json = all->count > 1 ? output_array(&out) : output_object(&out);
    }
    int code = EXIT_GOOD;
    for (int i = 0; i < all->count && code == EXIT_GOOD; ++i) {
        const simulation *s = &all->sim[i];
        double *drives = calloc((size_t)s->robot->model->nv * 5 + 1, sizeof *drives);
        if (!drives) {
            code = complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
        } else {
            measure_drives(s, drives);
            if (out.is_json) {
                json_t *result = all->count > 1 ? output_object(&out) : out.json;
                report_json(&out, s, result, drives);
                if (all->count > 1) {
                    output_append(&out, out.json, result);
                }
            } else {
                fputs(i > 0 ? "\n" : "", out.text);
                report_text(&out, s, drives);
            }
        }
        free(drives);
    }
    return output_finish(&out, code);
}

int command_simulate(const command_line *args)
{
    study all = {0};
    bool is_stopped = false;
    int code = set_up(args, &all);
    for (int i = 0; i < all.count && code == EXIT_GOOD && !is_stopped; ++i) {
        code = simulation_run(&all.sim[i]);
        is_stopped = all.sim[i].is_stopped;
        all.count = is_stopped ? i + 1 : all.count; // those after it have no rows
    }
    const char *path = args_value(args, OPT_OUTPUT), *plot = args_value(args, OPT_PLOT);
    if (code == EXIT_GOOD && path) {
        code = table_write(&all.sim[0].rows, path);
    }
    if (code == EXIT_GOOD && plot) {
        code = plot_simulations(all.sim, all.count, plot);
    }
    if (code == EXIT_GOOD && args_has(args, OPT_SPECTRUM)) {
        code = plot_spectra(all.sim, all.count, args_value(args, OPT_SPECTRUM));
    }
    if (code == EXIT_GOOD && !(path && strcmp(path, "-") == 0)) {
        code = report_all(args, &all);
    }
    for (int i = 0; all.sim && i < all.nrun; ++i) {
        simulation_free(&all.sim[i]);
    }
    free(all.sim);
    for (int i = 0; i < all.nlevel; ++i) {
        states_free(&all.at[i].states);
        robot_close(&all.at[i].robot);
        free(all.at[i].spec);
    }
    robot_close(&all.robot);
    if (is_stopped) { // everything is written; now end as the user asked
        raise(SIGINT);
    }
    return code;
}
