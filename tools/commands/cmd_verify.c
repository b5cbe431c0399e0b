// linkwork verify: engines against each other.

#include "commands/commands.h"
#include "support/equations.h"
#include "support/message.h"
#include "support/numeral.h"

#include <math.h>
#include <string.h>

static int read_options(const command_line *args, const lw_model *m, lw_engine_options *engine,
                        lw_verify_options *verify)
{
    const char *states = args_value(args, OPT_STATES), *frame = args_value(args, OPT_FRAME);
    const char *tolerance = args_value(args, OPT_TOLERANCE);
    *engine = lw_default_engine_options(m);
    *verify = lw_default_verify_options();
    if (equations_functions(args, &engine->functions) != EXIT_GOOD ||
        equations_effort(args, &engine->cost, &engine->effort) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    if (states && !number_parse_count(states, strlen(states), 1000000, &verify->nstate)) {
        return complain(EXIT_USAGE, "--states is a number from 1 to 1000000, not \"%s\"", states);
    }
    if (tolerance && (!number_parse(tolerance, strlen(tolerance), &verify->tolerance) ||
                      !(verify->tolerance > 0))) {
        return complain(EXIT_USAGE, "--tolerance is a number above 0, not \"%s\"", tolerance);
    }
    engine->is_ideal = args_has(args, OPT_IDEAL);
    args_friction_speed(args, &engine->friction_speed);
    engine->frame = frame ? robot_find_frame(m, frame) : robot_tip(m);
    return frame && engine->frame < 0 ? EXIT_USAGE : EXIT_GOOD;
}

static json_t *state_of(output *out, const lw_engine_state *state)
{
    json_t *object = output_object(out);
    output_set(out, object, "q", output_numbers(out, state->q, state->nq));
    output_set(out, object, "v", output_numbers(out, state->v, state->nv));
    output_set(out, object, "a", output_numbers(out, state->a, state->nv));
    output_set(out, object, "tau", output_numbers(out, state->tau, state->nv));
    return object;
}

static void tell_pair(output *out, json_t *pairs, const engines *e, const lw_verify_pair *p)
{
    const char *first = lw_engine_name(e->engine[p->engine[0]]);
    const char *second = lw_engine_name(e->engine[p->engine[1]]);
    const char *function = lw_function_name(p->function);
    if (pairs) {
        json_t *pair = output_object(out), *names = output_array(out);
        output_append(out, names, output_text(out, first));
        output_append(out, names, output_text(out, second));
        output_set(out, pair, "engines", names);
        output_set(out, pair, "function", output_text(out, function));
        output_set(out, pair, "worst", output_number(out, p->worst));
        output_set(out, pair, "size", output_number(out, p->size));
        output_set(out, pair, "tolerance", output_number(out, p->tolerance));
        output_set(out, pair, "open", json_integer(p->nopen));
        output_set(out, pair, "refused", json_integer(p->nrefused));
        output_set(out, pair, "state", state_of(out, &p->state));
        output_append(out, pairs, pair);
        return;
    }
    char worst[NUMBER_ROOM], size[NUMBER_ROOM], tolerance[NUMBER_ROOM];
    fprintf(out->text, "%-12s %-12s %-18s %12s %12s %10s%s", first, second, function,
            number_text(p->worst, worst), number_text(p->size, size),
            number_text(p->tolerance, tolerance), p->worst <= p->tolerance ? "" : "  DIFFERENT");
    if (p->nrefused > 0) {
        fprintf(out->text, "  %d states refused by one", p->nrefused);
    }
    if (p->nopen > 0) {
        fprintf(out->text, "  %d open", p->nopen);
    }
    fputc('\n', out->text);
}

static void tell_difference(const engines *e, const lw_verify_pair *p)
{
    char worst[NUMBER_ROOM];
    const char *first = lw_engine_name(e->engine[p->engine[0]]);
    const char *second = lw_engine_name(e->engine[p->engine[1]]);
    if (p->nanswered == 0) {
        complain(EXIT_NUMERIC, "%s and %s answer no state both in %s", first, second,
                 lw_function_name(p->function));
    } else {
        complain(EXIT_NUMERIC, "%s and %s differ in %s by %s", first, second,
                 lw_function_name(p->function), number_text(p->worst, worst));
    }
    for (int k = 0; k < 2; ++k) {
        if (p->status[k] != LW_OK) {
            complain(EXIT_NUMERIC, "%s: %s", lw_engine_name(e->engine[p->engine[k]]),
                     lw_status_text(p->status[k]));
        }
    }
}

// Compiled code that was named but could not be had was not verified.
static int tell_interpreted(const engines *e)
{
    for (int i = 0; i < e->count; ++i) {
        if (strcmp(lw_engine_name(e->engine[i]), "interpreted") == 0) {
            return complain(exit_code_of(LW_ERR_UNSUPPORTED),
                            "--engines names generated, but nothing was compiled: its equations "
                            "agree, its code was not verified");
        }
    }
    return EXIT_GOOD;
}

/// @param is_named the engines are those of --engines
static int tell(output *out, const engines *e, const lw_verification *v, int nstate, bool is_named)
{
    json_t *pairs = NULL;
    int code = EXIT_GOOD;
    double worst = 0.0;
    if (out->is_json) {
        out->json = output_object(out);
        pairs = output_array(out);
        output_set(out, out->json, "pairs", pairs);
    } else {
        fprintf(out->text, "%-25s %-18s %12s %12s %10s\n", "engines", "function", "worst",
                "of a size of", "tolerance");
    }
    if (lw_verification_count(v) == 0) {
        return complain(exit_code_of(LW_ERR_UNSUPPORTED),
                        "no two of these engines have one of these functions");
    }
    for (int i = 0; i < lw_verification_count(v); ++i) {
        const lw_verify_pair pair = lw_verification_pair(v, i);
        tell_pair(out, pairs, e, &pair);
        worst = fmax(worst, pair.worst);
        if (!(pair.worst <= pair.tolerance)) {
            tell_difference(e, &pair);
            code = EXIT_NUMERIC;
        }
    }
    if (code == EXIT_GOOD && is_named) {
        code = tell_interpreted(e);
    }
    if (code == EXIT_GOOD && !pairs) {
        fprintf(out->text, "\nall agree at %d random states; the worst difference is %.2g\n",
                nstate, worst);
    }
    return code;
}

static int run_verify(const command_line *args)
{
    robot r;
    output out = {0};
    engines e = {0};
    lw_engine_options options;
    lw_verify_options how;
    lw_verification *v = NULL;
    int code = robot_open(&r, args);
    if (code == EXIT_GOOD) {
        code = read_options(args, r.model, &options, &how);
    }
    if (code == EXIT_GOOD) {
        code = engines_open(&e, args, r.model, &options, r.report);
    }
    if (code == EXIT_GOOD && e.count < 2) {
        code = complain(EXIT_USAGE, "--engines needs two engines at least");
    }
    if (code == EXIT_GOOD && !output_begin(&out, args_has(args, OPT_JSON))) {
        code = complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
    }
    if (code == EXIT_GOOD) {
        const lw_status status = lw_verify(e.count, e.engine, &how, &v);
        code = status == LW_OK ? tell(&out, &e, v, how.nstate, args_has(args, OPT_ENGINES))
                               : complain(exit_code_of(status), "%s", lw_status_text(status));
        code = v ? output_finish_anyway(&out, code) : output_finish(&out, code);
    } else {
        code = output_finish(&out, code);
    }
    lw_verification_destroy(v);
    engines_close(&e);
    robot_close(&r);
    return code;
}

const command_def command_verify = {
    .name = "verify",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_EQUATIONS, OPT_STATES, OPT_TOLERANCE, OPT_ENGINES),
    .summary = "compares the ways of computing the machine",
    .about = "Computes the machine in several ways at random states: by the numeric "
             "algorithms, by derived equations, and by code that is generated, compiled (with "
             "CC, or cc) and loaded; and tells for each pair of them the worst difference "
             "of an element, relative to the largest one of the answer, or to what is usual "
             "for the machine where that is less. Ends with 4 where it is larger than the "
             "tolerance, and with 1 where --engines names generated but nothing can be "
             "compiled. Compiled code is kept in the user's cache folder.",
    .keys = "pairs: engines (two names), function, worst, size (that it is relative to), "
            "tolerance, open (states at which both "
            "say that a loop is open), refused (by one, in straight-line code for loops "
            "without a closed form), state (q, v, a, tau)",
    .example = "verify arm.urdf\nverify arm.urdf --functions all --states 1000 --json",
    .notes = NOTES({OPT_EFFORT, "How long to search for cheaper equations: not at all, seconds, or "
                                "minutes. Default: 0."}),
    .run = run_verify,
};
