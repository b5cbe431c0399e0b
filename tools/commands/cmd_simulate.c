// linkwork simulate: motion in time, by run files or free.

#include "commands/commands.h"
#include "report/output.h"
#include "report/simulation.h"
#include "report/simulation_plot.h"
#include "report/simulation_report.h"
#include "support/message.h"
#include "support/numeral.h"
#include "support/state.h"

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
    const double width = s->robot->model->nq + 3.0 * s->robot->model->nv + 5.0;
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
    if (s->stiff > 0 && !simulation_has_stiff) {
        return complain(EXIT_USAGE, "this build has no SUNDIALS, and so no method %s", s->method);
    }
    if (s->stiff > 0 && accuracy == lw_default_sim_def().relative) {
        accuracy = 1e-9; // of methods of order 5
    }
    int code = read_positive(args, OPT_TIME, true, &s->duration);
    code = code == EXIT_GOOD ? read_positive(args, OPT_STEP, false, &s->def.step) : code;
    code = code == EXIT_GOOD ? read_positive(args, OPT_ACCURACY, false, &accuracy) : code;
    code = code == EXIT_GOOD ? read_positive(args, OPT_EVERY, true, &s->every) : code;
    code = code == EXIT_GOOD ? args_friction_speed(args, &s->def.friction_speed) : code;
    if (accuracy != s->def.relative) {
        s->def.relative = s->def.absolute = accuracy;
    }
    if (s->def.friction_speed == 0.0 && s->def.static_friction > 1.0 && !s->def.sticks) {
        return complain(EXIT_USAGE, "static_friction needs sticks, or a --friction-speed above 0");
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
    const int opened = run_open(args, path, v->robot.model, &s->run);
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

// --- All of it --------------------------------------------------------------------------------

// Tells where results are.
static void tell_files(const command_line *args, output *out)
{
    static const option_id files[] = {OPT_OUTPUT, OPT_PLOT, OPT_SPECTRUM};
    const char *between = "\nwritten to ";
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        if (args_has(args, files[i])) {
            fprintf(out->text, "%s%s", between, args_value(args, files[i]));
            between = ", ";
        }
    }
    fputs(*between == '\n' ? "" : "\n", out->text);
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
    for (int i = 0; i < all->count; ++i) {
        const simulation *s = &all->sim[i];
        if (out.is_json) {
            json_t *result = all->count > 1 ? output_object(&out) : out.json;
            report_json(&out, s, result);
            if (all->count > 1) {
                output_append(&out, out.json, result);
            }
        } else {
            fputs(i > 0 ? "\n" : "", out.text);
            report_text(&out, s);
        }
    }
    if (!out.is_json) {
        tell_files(args, &out);
    }
    return output_finish(&out, EXIT_GOOD);
}

static int run_simulate(const command_line *args)
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

const command_def command_simulate = {
    .name = "simulate",
    .options =
        OPTIONS(OPTIONS_RESULT, OPT_Q, OPT_V, OPT_T, OPT_RUN, OPT_TIME, OPT_METHOD, OPT_STEP,
                OPT_ACCURACY, OPT_EVERY, OPT_STOPS, OPT_OUTPUT, OPT_PLOT, OPT_SPECTRUM, OPT_LEVELS),
    .summary = "motion in time, under forces and controllers",
    .about = "Simulates the machine: free from the state of -q and -v, under constant forces -t, "
             "or as a run file says. Loops, gears and couplings hold at every instant. Reports "
             "the drift of energy against the work that was done, how far loops open, and what "
             "drives gave: peak and rms force, speed and power; for motors of the model also how "
             "much "
             "the motion asks of what each has at its speed, and where that is too much.\n\n"
             "-o writes a table with one row each time: time (s), q.NAME, v.NAME, tau.NAME, "
             "kinetic, "
             "potential, work, lost (J), and error.NAME where a controller follows a motion. Files "
             "are written whole or not at all; Ctrl-C ends the "
             "simulation "
             "and writes what there is.\n\n"
             "Several run files, and several choices of --levels, are simulated one after the "
             "other, and overlaid in plots.",
    .keys = "time, steps, rejected, evaluations, stiff (share of the steps that stability "
            "limits, not accuracy), events, seconds (that it took), energy_fed, "
            "energy_lost, energy_stored and energy_drift (J), energy_drift_relative, "
            "constraint_drift (m), q and v at the end; for each "
            "of names: peak_force, rms_force, peak_speed, peak_power, peak_error, at_limit (share "
            "of the time); motors: name, "
            "peak_force, rms_force, peak_speed, peak_power, peak_braking, use (largest share of "
            "what it has) "
            "with use_time, use_force and use_speed, beyond (share of the time), first_beyond "
            "(s), continuous_use; several runs or levels give an array, each with run and levels",
    .example = "simulate arm.urdf -q 0,0.5,-0.5 --time 2 -o arm.csv --plot arm.svg\n"
               "simulate palletiser.xml --run pick.xml --plot pick.svg\n"
               "simulate palletiser.xml --run soft.xml --run stiff.xml --plot both.svg\n"
               "simulate hr120.xml --run lift.xml --levels high,low --plot levels.svg",
    .notes =
        NOTES({OPT_OUTPUT, "The table to write: NumPy's format where FILE ends with .npy, else "
                           "CSV. '-' is standard output, and leaves the report out."},
              {OPT_LEVELS,
               "Levels to simulate the machine at, one after the other: high, middle, low; or "
               "assemblies and their levels joined by '+', the rest as the file says: "
               "wrist=low+base=high, or high+wrist=low. Default: as the file says."}),
    .run = run_simulate,
};
