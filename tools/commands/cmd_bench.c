// linkwork bench: time per evaluation of each function of each engine.

#include "commands/commands.h"
#include "report/output.h"
#include "support/equations.h"
#include "support/message.h"
#include "support/numeral.h"
#include "support/robot_file.h"
#include "support/timing.h"

#include <stdlib.h>
#include <string.h>

static int read_seconds(const command_line *args, double *seconds)
{
    const char *text = args_value(args, OPT_SECONDS);
    *seconds = 0.1;
    if (text && (!number_parse(text, strlen(text), seconds) || !(*seconds > 0 && *seconds <= 60))) {
        return complain(EXIT_USAGE, "--seconds is a number above 0, at most 60, not \"%s\"", text);
    }
    return EXIT_GOOD;
}

static void add_row(output *out, json_t *rows, const char *engine, const char *function, double ns,
                    long long calls)
{
    if (!out->is_json) {
        fprintf(out->text, "%-12s %-30s %12.1f %12lld\n", engine, function, ns, calls);
        return;
    }
    json_t *row = output_object(out);
    output_set(out, row, "engine", output_text(out, engine));
    output_set(out, row, "function", output_text(out, function));
    output_set(out, row, "ns", output_number(out, ns));
    output_set(out, row, "calls", json_integer(calls));
    output_append(out, rows, row);
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
        const lw_status status = timing_measure(bench, what, seconds, &ns, &calls);
        if (status == LW_OK) {
            add_row(out, rows, "numeric", what->function, ns, calls);
        } else {
            char why[ROBOT_WHY_ROOM];
            complain(EXIT_GOOD, "%s is left out: %s", what->function,
                     robot_why(bench->m, bench->d, status, why));
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
            timing_measure(bench, &timing_engine, seconds, &ns, &calls) == LW_OK) {
            add_row(out, rows, lw_engine_name(bench->engine), row_name(bench->which), ns, calls);
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
    bench->result = calloc(largest, sizeof *bench->result);
    if (code == EXIT_GOOD && !bench->result) {
        code = complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
    }
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

static int run_bench(const command_line *args)
{
    double seconds;
    if (read_seconds(args, &seconds) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    robot r;
    output out = {0};
    timing_bench bench = {0};
    int code = robot_open(&r, args);
    if (code == EXIT_GOOD) {
        const char *name = args_value(args, OPT_FRAME);
        const int frame = name ? robot_find_frame(r.model, name) : robot_tip(r.model);
        if (frame < 0) {
            code = name ? EXIT_USAGE : complain(EXIT_INPUT, "the model has no frame");
        } else if (!timing_init(&bench, r.model, r.data, frame) ||
                   !output_begin(&out, args_has(args, OPT_JSON))) {
            code = complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
        }
    }
    if (code == EXIT_GOOD) {
        code = measure_all(&out, &bench, args, r.report, seconds);
    }
    code = output_finish(&out, code);
    free(bench.result);
    timing_free(&bench);
    robot_close(&r);
    return code;
}

const command_def command_bench = {
    .name = "bench",
    .options = OPTIONS(OPTIONS_RESULT, OPT_FRAME, OPT_SECONDS, OPT_ENGINES, OPT_COST, OPT_EFFORT),
    .summary = "time per evaluation of each function",
    .about = "Measures how long each function takes for this model, in nanoseconds: the "
             "quickest of forty blocks over random states. Jacobians are those of the last "
             "frame of the longest chain, or of --frame. Derived equations and code that is "
             "generated and compiled are timed too, but for machines of more than 30 "
             "degrees of freedom.",
    .keys = "rows: engine, function, ns, calls",
    .example = "bench arm.urdf\nbench arm.urdf --seconds 0.5 --json",
    .notes = NOTES({OPT_EFFORT, "How long to search for cheaper equations: not at all, seconds, or "
                                "minutes. Default: 0."}),
    .run = run_bench,
};
