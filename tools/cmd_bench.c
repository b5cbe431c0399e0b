// linkwork bench: time per evaluation of each function of the numeric engine.

#include "commands.h"
#include "message.h"
#include "model.h"
#include "number.h"
#include "output.h"
#include "timing.h"

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

static void add_row(output *out, json_t *rows, const timing_case *what, double ns, long long calls)
{
    if (!out->is_json) {
        fprintf(out->text, "numeric  %-30s %12.1f %12lld\n", what->function, ns, calls);
        return;
    }
    json_t *row = output_object(out);
    output_set(out, row, "engine", output_text(out, "numeric"));
    output_set(out, row, "function", output_text(out, what->function));
    output_set(out, row, "ns", output_number(out, ns));
    output_set(out, row, "calls", json_integer(calls));
    output_append(out, rows, row);
}

static void measure_all(output *out, timing_bench *bench, double seconds)
{
    json_t *rows = NULL;
    if (out->is_json) {
        rows = output_array(out);
        out->json = output_object(out);
        output_set(out, out->json, "rows", rows);
    } else {
        fprintf(out->text, "%s: %d bodies, %d velocities; Jacobian of %s\n\n", bench->m->name,
                bench->m->nbody, bench->m->nv, bench->m->frame[bench->frame].name);
        fprintf(out->text, "engine   %-30s %12s %12s\n", "function", "ns", "calls");
    }
    for (const timing_case *what = timing_cases; what->function; ++what) {
        double ns;
        long long calls;
        const lw_status status = timing_measure(bench, what, seconds, &ns, &calls);
        if (status == LW_OK) {
            add_row(out, rows, what, ns, calls);
        } else {
            char why[ROBOT_WHY_ROOM];
            complain(EXIT_GOOD, "%s is left out: %s", what->function,
                     robot_why(bench->m, bench->d, status, why));
        }
    }
}

int command_bench(const command_line *args)
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
        measure_all(&out, &bench, seconds);
    }
    code = output_finish(&out, code);
    timing_free(&bench);
    robot_close(&r);
    return code;
}
