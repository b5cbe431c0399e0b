// linkwork simulate: motion in time, by run files or free.

#include "commands/commands.h"
#include "report/set_points.h"
#include "report/simulation.h"
#include "support/job.h"
#include "support/message.h"

#include <math.h>
#include <signal.h>
#include <string.h>

/// The mechanism at one choice of levels, and its state by the options.
typedef struct variant {
    robot own;
    const robot *robot; ///< its own, or that of the job
    const char *spec;   ///< of --levels, or NULL for the mechanism as it is
    state_list states;
    lw_force_source constant; ///< of -t
} variant;

typedef struct study {
    variant at[MOST_LEVELS];
    int nlevel;
    simulation *sim; ///< [count] for each run one a level
    int count;       ///< that are simulated
    int nrun;        ///< that were set up
    bool is_stopped; ///< by the user
} study;

static const char *const methods[] = {"dopri853", "dopri5", "rk4", "euler", "cvode", "ida", NULL};
enum { FIRST_STIFF = 4 };
static const lw_method method_of[] = {LW_METHOD_DOPRI853, LW_METHOD_DOPRI5, LW_METHOD_RK4,
                                      LW_METHOD_EULER};
static const char *const method_name[] = {"euler", "rk4", "dopri5", "dopri853"};

// --- Set-up -----------------------------------------------------------------------------------

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

// The time between rows, if it is not given; and whether memory and time are sufficient for all
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

// Options override the run file.
static int apply_options(const command_line *args, simulation *s)
{
    const int method = args_choice(args, OPT_METHOD, methods);
    double accuracy = s->def.relative;
    if (method < 0 || progress_open(args, &s->progress) != EXIT_GOOD) {
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
    if (args_number(args, OPT_TIME, 0, 1e9, &s->duration) != EXIT_GOOD ||
        args_number(args, OPT_STEP, ARGS_ABOVE_ZERO, 1e9, &s->def.step) != EXIT_GOOD ||
        args_number(args, OPT_ACCURACY, ARGS_ABOVE_ZERO, 1e9, &accuracy) != EXIT_GOOD ||
        args_number(args, OPT_EVERY, 0, 1e9, &s->every) != EXIT_GOOD ||
        args_friction_speed(args, &s->def.friction_speed) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    if (accuracy != s->def.relative) {
        s->def.relative = s->def.absolute = accuracy;
    }
    if (s->def.friction_speed == 0.0 && s->def.static_friction > 1.0 && !s->def.sticks) {
        return complain(EXIT_USAGE, "static_friction needs sticks, or a --friction-speed above 0");
    }
    static const char *const modes[] = {"ignore", "warn", "stop", NULL};
    const int mode = args_choice(args, OPT_COLLISION, modes);
    s->watch.mode = s->run ? (collision_mode)s->run->collision : COLLISION_IGNORED;
    s->watch.margin = s->run ? s->run->margin : 0.0;
    if (mode < 0 || args_number(args, OPT_CLEARANCE, -1e6, 1e6, &s->watch.margin) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    s->watch.mode = args_has(args, OPT_COLLISION) ? (collision_mode)mode : s->watch.mode;
    s->def.has_stops = s->def.has_stops || args_has(args, OPT_STOPS);
    s->def.counts_work = true;
    return choose_rows(s);
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
    const int opened = run_open(args, path, v->robot->model, &s->run);
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

// The mechanism, or one for each of --levels.
static int set_up_levels(job *work, study *all)
{
    const char *text = args_value(work->args, OPT_LEVELS);
    char **spec = NULL;
    int code = EXIT_GOOD;
    all->nlevel = 1;
    if (text) {
        code = split_levels(work->args, text, &spec, &all->nlevel);
    }
    for (int i = 0; i < all->nlevel && code == EXIT_GOOD; ++i) {
        variant *v = &all->at[i];
        v->spec = text ? spec[i] : NULL;
        v->robot = text ? &v->own : &work->robot;
        code = text ? robot_open_at_levels(&v->own, &work->robot, work->args, v->spec) : EXIT_GOOD;
        if (code == EXIT_GOOD) {
            code = states_read(&v->states, work->args, v->robot->model);
        }
        if (code == EXIT_GOOD && v->states.count != 1) {
            return complain(EXIT_USAGE, "simulate takes one state");
        }
    }
    return code;
}

static int set_up(job *work, study *all)
{
    const command_line *args = work->args;
    int code = set_up_levels(work, all);
    const int runs = args_count(args, OPT_RUN);
    if (code == EXIT_GOOD && (runs > 1 || all->nlevel > 1) && args_has(args, OPT_OUTPUT)) {
        return complain(EXIT_USAGE,
                        "-o takes one run at one choice of levels; --plot takes several");
    }
    if (code == EXIT_GOOD && args_has(args, OPT_SET_POINTS) && (runs != 1 || all->nlevel > 1)) {
        return complain(EXIT_USAGE, "--set-points takes one run file at one choice of levels");
    }
    if (code == EXIT_GOOD && runs > 0 && args_has(args, OPT_T)) {
        return complain(EXIT_USAGE, "-t is for free motion; a run file has <force>");
    }
    all->count = all->nrun = (runs > 0 ? runs : 1) * all->nlevel;
    all->sim = memory_get(work->pool, (size_t)all->count, sizeof *all->sim);
    for (int i = 0; i < all->count && code == EXIT_GOOD; ++i) {
        simulation *s = &all->sim[i];
        variant *v = &all->at[i % all->nlevel];
        s->pool = work->pool;
        s->robot = v->robot;
        s->name = "";
        code = runs > 0 ? set_up_run(args, v, args_value_at(args, OPT_RUN, i / all->nlevel), s)
                        : set_up_free(args, v, s);
        s->levels = v->spec;
        s->label = memory_text(work->pool, "%s%s%s", s->name, *s->name && v->spec ? ", " : "",
                               v->spec ? v->spec : "");
    }
    return code;
}

// --- All of it --------------------------------------------------------------------------------

// Prints where results are.
static void print_files(const command_line *args, output *out)
{
    static const option_id files[] = {OPT_OUTPUT, OPT_SET_POINTS, OPT_PLOT, OPT_SPECTRUM};
    const char *between = "\nwritten to ";
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        if (args_has(args, files[i])) {
            fprintf(out->text, "%s%s", between, args_value(args, files[i]));
            between = ", ";
        }
    }
    fputs(*between == '\n' ? "" : "\n", out->text);
}

static void report_all(job *work, const study *all)
{
    output *out = &work->out;
    if (out->is_json && all->count > 1) {
        out->json = output_array(out);
    }
    for (int i = 0; i < all->count; ++i) {
        if (out->is_json) {
            report_json(out, &all->sim[i],
                        all->count > 1 ? output_item(out, out->json)
                                       : (out->json = output_object(out)));
        } else {
            fputs(i > 0 ? "\n" : "", out->text);
            report_text(out, &all->sim[i]);
        }
    }
    if (!out->is_json) {
        print_files(work->args, out);
    }
}

static int run(job *work)
{
    study *all = work->context;
    int code = set_up(work, all);
    for (int i = 0; i < all->count && code == EXIT_GOOD && !all->is_stopped; ++i) {
        code = collision_start(&all->sim[i], work->args);
        code = code == EXIT_GOOD ? simulation_run(&all->sim[i]) : code;
        all->is_stopped = all->sim[i].is_stopped;
        all->count = all->is_stopped ? i + 1 : all->count; // those after it have no rows
    }
    const char *path = args_value(work->args, OPT_OUTPUT);
    const char *plot = args_value(work->args, OPT_PLOT);
    const char *spectrum = args_value(work->args, OPT_SPECTRUM);
    if (code == EXIT_GOOD && path) {
        code = table_write(&all->sim[0].rows, path);
    }
    if (code == EXIT_GOOD && args_has(work->args, OPT_SET_POINTS) && !all->is_stopped) {
        const simulation *s = &all->sim[0];
        const double T = lw_trajectory_duration(s->run->trajectory);
        code = set_points_write(s->robot->model, s->robot->data, s->run->trajectory,
                                s->every > 0.0 ? s->every : T / 500.0, work->pool,
                                args_value(work->args, OPT_SET_POINTS));
    }
    if (code == EXIT_GOOD && plot) {
        code = plot_simulations(all->sim, all->count, plot);
    }
    if (code == EXIT_GOOD && spectrum) {
        code = plot_spectra(all->sim, all->count, spectrum);
    }
    if (code == EXIT_GOOD && !(path && strcmp(path, "-") == 0)) {
        report_all(work, all);
    }
    for (int i = 0; i < all->count && code == EXIT_GOOD; ++i) { // after all is written
        const int found = collision_complain(&all->sim[i]);
        work->code = found != EXIT_GOOD ? found : work->code;
    }
    return code;
}

static void end(job *work)
{
    const study *all = work->context;
    for (int i = 0; i < all->nrun; ++i) {
        simulation_free(&all->sim[i]);
    }
    for (int i = 0; i < all->nlevel; ++i) {
        robot_close((robot *)&all->at[i].own);
    }
    if (all->is_stopped) { // everything is written; now end by the signal
        raise(SIGINT);
    }
}

const command_def command_simulate = {
    .name = "simulate",
    .options = OPTIONS(OPTIONS_RESULT, OPT_Q, OPT_SRDF, OPT_V, OPT_T, OPT_RUN, OPT_TIME, OPT_METHOD,
                       OPT_STEP, OPT_ACCURACY, OPT_EVERY, OPT_STOPS, OPT_OUTPUT, OPT_SET_POINTS,
                       OPT_PLOT, OPT_SPECTRUM, OPT_LEVELS, OPT_COLLISION, OPT_CLEARANCE, OPT_SCENE,
                       OPT_ATTACH, OPT_PROGRESS),
    .summary = "motion in time, under forces and controllers",
    .about = "Simulates the mechanism: free from the state of -q and -v, under constant forces -t, "
             "or as defined by a run file. Loops, gears and couplings are satisfied at every "
             "instant. Reports the drift of energy against the work done, the largest gap of the "
             "loops, and for each drive peak and RMS force, speed and power; for motors of the "
             "model also the load relative to what each can deliver at its speed, and where it "
             "exceeds that.\n\n-o writes a table with one row per time: time (s), q.NAME, v.NAME, "
             "tau.NAME, kinetic, potential, work, lost (J), and error.NAME where a controller "
             "follows a motion. Files are written whole or not at all; Ctrl-C ends the simulation "
             "and writes the rows so far.\n\nSeveral run files, and several choices of --levels, "
             "are simulated one after the other, and overlaid in plots.\n\n"
             "--collision looks for links that come nearer than --clearance, at every instant: "
             "each step is a motion from one state to the next that is proven free, or is not. "
             "What was found is printed with the two links and the time; stop ends the "
             "simulation there, and the program with exit code 4, after all files are written. "
             "Pairs that are not free at the begin do not count, nor do those that "
             "<disable_collisions> of --srdf names.",
    .keys =
        "time, steps, rejected, evaluations, stiff (share of the steps that stability "
        "limits, not accuracy), events, seconds (that it took), energy_fed, "
        "energy_lost, energy_stored and energy_drift (J), energy_drift_relative, "
        "constraint_drift (m), q and v at the end; for each "
        "of names: peak_force, rms_force, peak_speed, peak_power, peak_error, at_limit (share "
        "of the time); motors: name, "
        "peak_force, rms_force, peak_speed, peak_power, peak_braking, use (largest share of "
        "what it has) "
        "with use_time, use_force and use_speed, beyond (share of the time), first_beyond "
        "(s), continuous_use; with --collision also collision: found, a, b, t, free_before (s), "
        "distance (m), proven, left_out (pairs); several runs or levels give an array, each with "
        "run and levels",
    .example = "simulate arm.urdf -q 0,0.5,-0.5 --time 2 -o arm.csv --plot arm.svg\n"
               "simulate palletiser.xml --run pick.xml --plot pick.svg\n"
               "simulate palletiser.xml --run soft.xml --run stiff.xml --plot both.svg\n"
               "simulate hr120.xml --run lift.xml --levels high,low --plot levels.svg\n"
               "simulate arm.urdf --run pick.xml --scene cell.xml --collision stop",
    .notes = NOTES(
        {OPT_OUTPUT, "The table to write: NumPy's format where FILE ends with .npy, else "
                     "CSV. '-' is standard output, and leaves the report out."},
        {OPT_LEVELS, "Levels of detail to simulate at, one after the other: high, middle, low; or "
                     "assemblies and their levels joined by '+', the rest as in the file: "
                     "wrist=low+base=high, or high+wrist=low. Default: as in the file."}),
    .context_size = sizeof(study),
    .run = run,
    .end = end,
};
