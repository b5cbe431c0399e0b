// linkwork verify: engines against each other.

#include "commands/commands.h"
#include "report/parameter_check.h"
#include "support/equations.h"
#include "support/job.h"
#include "support/message.h"
#include "support/numeral.h"

#include <math.h>
#include <string.h>

static int read_options(const command_line *args, const lw_model *m, lw_engine_options *engine,
                        lw_verify_options *verify)
{
    const char *frame = args_value(args, OPT_FRAME);
    *engine = lw_default_engine_options(m);
    *verify = lw_default_verify_options();
    if (equations_functions(args, &engine->functions) != EXIT_GOOD ||
        equations_effort(args, &engine->cost, &engine->effort) != EXIT_GOOD ||
        args_whole(args, OPT_STATES, 1, 1000000, &verify->nstate) != EXIT_GOOD ||
        args_number(args, OPT_TOLERANCE, ARGS_ABOVE_ZERO, 1e9, &verify->tolerance) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    engine->is_ideal = args_has(args, OPT_IDEAL);
    args_friction_speed(args, &engine->friction_speed);
    engine->frame = frame ? robot_find_frame(m, frame) : robot_tip(m);
    return frame && engine->frame < 0 ? EXIT_USAGE : EXIT_GOOD;
}

static json_t *state_of(output *out, const lw_engine_state *state)
{
    json_t *object = output_object(out);
    output_put(out, object, "q o, v o, a o, tau o", output_numbers(out, state->q, state->nq),
               output_numbers(out, state->v, state->nv), output_numbers(out, state->a, state->nv),
               output_numbers(out, state->tau, state->nv));
    return object;
}

static void print_pair(output *out, json_t *pairs, const engines *e, const lw_verify_pair *p)
{
    const char *first = lw_engine_name(e->engine[p->engine[0]]);
    const char *second = lw_engine_name(e->engine[p->engine[1]]);
    const char *function = lw_function_name(p->function);
    const char *why = lw_engine_interpreted(e->engine[p->engine[1]], p->function);
    why = why ? why : lw_engine_interpreted(e->engine[p->engine[0]], p->function);
    if (pairs) {
        const char *const names[] = {first, second};
        json_t *pair = output_item(out, pairs);
        output_put(out, pair,
                   "engines o, function s, worst f, size f, tolerance f, open d, "
                   "refused d, state o",
                   output_names(out, names, 2), function, p->worst, p->size, p->tolerance, p->nopen,
                   p->nrefused, state_of(out, &p->state));
        if (why) {
            output_put(out, pair, "interpreted s", why);
        }
        return;
    }
    char worst[NUMBER_SIZE], size[NUMBER_SIZE], tolerance[NUMBER_SIZE];
    fprintf(out->text, "%-12s %-12s %-18s %12s %12s %10s%s", first, second, function,
            number_text(p->worst, worst), number_text(p->size, size),
            number_text(p->tolerance, tolerance), p->worst <= p->tolerance ? "" : "  DIFFERENT");
    if (p->nrefused > 0) {
        fprintf(out->text, "  %d states refused by one", p->nrefused);
    }
    if (p->nopen > 0) {
        fprintf(out->text, "  %d open", p->nopen);
    }
    if (why) {
        fprintf(out->text, "  interpreted: %s", why);
    }
    fputc('\n', out->text);
}

static void print_difference(const engines *e, const lw_verify_pair *p)
{
    char worst[NUMBER_SIZE];
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
static int print_interpreted(const engines *e)
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
static int print_results(output *out, const engines *e, const lw_verification *v, int nstate,
                         bool is_named)
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
        print_pair(out, pairs, e, &pair);
        worst = fmax(worst, pair.worst);
        if (!(pair.worst <= pair.tolerance)) {
            print_difference(e, &pair);
            code = EXIT_NUMERIC;
        }
    }
    if (code == EXIT_GOOD && is_named) {
        code = print_interpreted(e);
    }
    if (code == EXIT_GOOD && !pairs) {
        fprintf(out->text, "\nall agree at %d random states; the worst difference is %.2g\n",
                nstate, worst);
    }
    return code;
}

static int run_parameters(job *work, const lw_engine_options *engine, const lw_verify_options *how)
{
    // What differences of models with other numbers leave.
    static const double usual = 1e-6;
    lw_derive_options options = lw_default_derive_options();
    options.cost = engine->cost;
    options.effort = engine->effort;
    options.is_ideal = engine->is_ideal;
    options.friction_speed = engine->friction_speed;
    work->prints_anyway = true;
    return check_parameters(work, args_value(work->args, OPT_INPUTS), &options, how->nstate,
                            how->tolerance > 0 ? how->tolerance : usual);
}

static int run(job *work)
{
    engines e = {0};
    lw_engine_options options;
    lw_verify_options how;
    lw_verification *v = NULL;
    int code = read_options(work->args, work->m, &options, &how);
    if (code == EXIT_GOOD && args_has(work->args, OPT_INPUTS)) {
        return run_parameters(work, &options, &how);
    }
    if (code == EXIT_GOOD) {
        code = engines_open(&e, work->args, work->m, &options, work->robot.report);
    }
    if (code == EXIT_GOOD && e.count < 2) {
        code = complain(EXIT_USAGE, "--engines needs two engines at least");
    }
    if (code == EXIT_GOOD) {
        const lw_status status = lw_verify(e.count, e.engine, &how, &v);
        code = status == LW_OK
                   ? print_results(&work->out, &e, v, how.nstate, args_has(work->args, OPT_ENGINES))
                   : complain(exit_code_of(status), "%s", lw_status_text(status));
        work->prints_anyway = v != NULL;
    }
    lw_verification_destroy(v);
    engines_close(&e);
    return code;
}

const command_def command_verify = {
    .name = "verify",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_EQUATIONS, OPT_STATES, OPT_TOLERANCE, OPT_ENGINES,
                       OPT_INPUTS),
    .summary = "compares engines with each other",
    .about =
        "Evaluates the functions of the model by several engines at random states: the numeric "
        "algorithms, the derived equations, and code that is generated, compiled (with CC, or cc) "
        "and loaded; and prints for each pair of engines the largest difference of an element, "
        "relative to the largest element of the result, or to the typical size for the model if "
        "that is larger. The exit code is 4 if it exceeds the tolerance, and 1 if --engines names "
        "generated but nothing can be compiled. Compiled code is kept in the user's cache folder. "
        "With --inputs it "
        "compares derivatives of forces by these parameters instead: derived ones with numeric "
        "ones, of inertias by recursion, of other numbers by differences of sixth order.",
    .keys = "pairs: engines (two names), function, worst, size (that it is relative to), "
            "tolerance, open (states at which a loop is open in both), refused (by one, "
            "where loops have no closed form), state (q, v, a, tau), "
            "interpreted (why code was not compiled, else absent); with --inputs parameters: name, "
            "compared, worst, size",
    .example = "verify arm.urdf\nverify arm.urdf --functions all --states 1000 --json\n"
               "verify arm.urdf --inputs m_forearm,a_forearm,f_elbow",
    .notes = NOTES({OPT_EFFORT, "How long to search for cheaper equations: not at all, seconds, or "
                                "minutes. Default: 0."}),
    .run = run,
};
