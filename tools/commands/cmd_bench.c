// linkwork bench: time per evaluation of each function of each engine.

#include "commands/commands.h"
#include "support/equations.h"
#include "support/job.h"
#include "support/message.h"
#include "support/timing.h"

#include <string.h>

/// @param note what a row is slow for, or NULL: its key, and why
static void add_row(output *out, json_t *rows, const char *engine, const char *function, double ns,
                    long long calls, const char *note, const char *why)
{
    if (!out->is_json) {
        fprintf(out->text, "%-12s %-30s %12.1f %12lld%s%s%s%s\n", engine, function, ns, calls,
                why ? "  " : "", why ? note : "", why ? ": " : "", why ? why : "");
        return;
    }
    json_t *row = output_item(out, rows);
    output_put(out, row, "engine s, function s, ns f, calls l", engine, function, ns, (long)calls);
    if (why) {
        output_set(out, row, note, output_text(out, why));
    }
}

static bool is_batch(timing_function what)
{
    return what == TIMING_INVERSE_BATCH || what == TIMING_FORWARD_BATCH;
}

static json_t *measure_numeric(output *out, timing_bench *bench, double seconds)
{
    json_t *rows = NULL;
    if (out->is_json) {
        rows = output_array(out);
        out->json = output_object(out);
        output_set(out, out->json, "rows", rows);
    } else {
        fprintf(out->text, "%s: %d bodies, %d velocities; Jacobian of %s\n\n", bench->m->name,
                bench->m->nbody, bench->m->nv, bench->m->frame[bench->frame].name);
        fprintf(out->text, "%-12s %-30s %12s %12s\n", "engine", "function", "ns", "calls");
    }
    for (const timing_case *what = timing_cases; what->function; ++what) {
        double ns;
        long long calls;
        const lw_status status = what->nmatrix > 0 && !bench->matrix[0]
                                     ? LW_ERR_LIMIT
                                     : timing_measure(bench, what->run, seconds, &ns, &calls);
        if (status == LW_OK) {
            add_row(out, rows, "numeric", what->function, ns, calls, "one_by_one",
                    is_batch(what->run) ? lw_batch_one_by_one(bench->batch) : NULL);
        } else {
            complain_of(bench->m, bench->d, status, "%s is left out: ", what->function);
        }
    }
    return rows;
}

// What functions are called in the rows of the numeric engine.
static const char *row_name(lw_function which)
{
    static const char *const name[LW_FUNCTION_COUNT] = {
        [LW_FUNCTION_POSES] = "frame_poses",
        [LW_FUNCTION_JACOBIAN] = "frame_jacobian",
        [LW_FUNCTION_GRAVITY] = "gravity_forces",
    };
    return name[which] ? name[which] : lw_function_name(which);
}

static void measure_engine(output *out, json_t *rows, timing_bench *bench, double seconds)
{
    for (int i = 0; i < LW_FUNCTION_COUNT; ++i) {
        double ns;
        long long calls;
        bench->which = (lw_function)i;
        if (lw_engine_has(bench->engine, bench->which) &&
            timing_measure(bench, TIMING_ENGINE, seconds, &ns, &calls) == LW_OK) {
            add_row(out, rows, lw_engine_name(bench->engine), row_name(bench->which), ns, calls,
                    "interpreted", lw_engine_interpreted(bench->engine, bench->which));
        }
    }
}

// The numeric engine is timed by its own functions, which take no detour.
static int measure_all(output *out, timing_bench *bench, const command_line *args,
                       lw_report *report, double seconds)
{
    enum { MOST_DOFS = 30 };
    const lw_model *m = bench->m;
    engines e = {0};
    lw_engine_options options = lw_default_engine_options(m);
    options.frame = bench->frame;
    options.is_ideal = args_has(args, OPT_IDEAL);
    args_friction_speed(args, &options.friction_speed);
    if (equations_effort(args, &options.cost, &options.effort) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    const bool is_small = m->nv <= MOST_DOFS || args_has(args, OPT_ENGINES);
    int code = is_small ? engines_open(&e, args, m, &options, report) : EXIT_GOOD;
    size_t largest = 1;
    for (int i = 0; i < LW_FUNCTION_COUNT; ++i) {
        const size_t size = (size_t)lw_function_size(m, (lw_function)i);
        const bool is_asked = (options.functions & 1u << i) != 0;
        largest = is_asked && size > largest ? size : largest;
    }
    bench->result = memory_get(out->pool, largest, sizeof *bench->result);
    json_t *rows = code == EXIT_GOOD ? measure_numeric(out, bench, seconds) : NULL;
    for (int i = 0; i < e.count && code == EXIT_GOOD; ++i) {
        bench->engine = e.engine[i];
        if (strcmp(lw_engine_name(bench->engine), "numeric") != 0) {
            measure_engine(out, rows, bench, seconds);
        }
    }
    engines_close(&e);
    return code;
}

static int run(job *work)
{
    double seconds = 0.1;
    timing_bench bench;
    const char *name = args_value(work->args, OPT_FRAME);
    if (args_number(work->args, OPT_SECONDS, ARGS_ABOVE_ZERO, 60, &seconds) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    const int frame = name ? robot_find_frame(work->m, name) : robot_tip(work->m);
    if (frame < 0) {
        return name ? EXIT_USAGE : complain(EXIT_INPUT, "the model has no frame");
    }
    timing_init(&bench, work->pool, work->m, work->d, frame);
    if (lw_batch_create(work->m, NULL, &bench.batch) != LW_OK) {
        return complain(EXIT_FILE, "out of memory");
    }
    lw_dynamics_options options = lw_default_dynamics_options(work->m);
    options.is_ideal = args_has(work->args, OPT_IDEAL);
    int code = args_friction_speed(work->args, &options.friction_speed);
    if (code == EXIT_GOOD) {
        lw_batch_set_options(bench.batch, &options);
        code = measure_all(&work->out, &bench, work->args, work->robot.report, seconds);
    }
    lw_batch_destroy(bench.batch);
    return code;
}

const command_def command_bench = {
    .name = "bench",
    .options = OPTIONS(OPTIONS_RESULT, OPT_FRAME, OPT_SECONDS, OPT_ENGINES, OPT_COST, OPT_EFFORT),
    .summary = "time per evaluation of each function",
    .about =
        "Measures how long each function takes for this model, in nanoseconds: the quickest "
        "of forty blocks over random states. Jacobians are those of the last frame of the "
        "longest chain, or of --frame. Derived equations and code that is generated and "
        "compiled are timed too, except for models of more than 30 degrees of freedom. Of batches "
        "the time of one state out of 64 is given.",
    .keys =
        "rows: engine, function, ns, calls, interpreted (why code was not compiled, else absent), "
        "one_by_one (what of a batch does not go side by side, else absent)",
    .example = "bench arm.urdf\nbench arm.urdf --seconds 0.5 --json",
    .notes = NOTES({OPT_EFFORT, "How long to search for cheaper equations: not at all, seconds, or "
                                "minutes. Default: 0."}),
    .run = run,
};
