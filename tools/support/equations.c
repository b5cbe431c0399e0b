#include "support/equations.h"

#include "support/message.h"
#include "support/numeral.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// --- Options ----------------------------------------------------------------------------------

static const char *function_name(int i)
{
    return lw_function_name((lw_function)i);
}

int equations_functions(const command_line *args, unsigned *functions)
{
    const char *text = args_value(args, OPT_FUNCTIONS);
    const int code = args_list(args, OPT_FUNCTIONS, function_name, LW_FUNCTION_COUNT, functions);
    // Not every mechanism is an arm that has inverse kinematics, and derivatives of humanoids come
    // to a hundred thousand operations: all is the others.
    for (int f = LW_FUNCTION_INVERSE_KINEMATICS; f < LW_FUNCTION_COUNT; ++f) {
        if (code == EXIT_GOOD && text && !strstr(text, lw_function_name((lw_function)f))) {
            *functions &= ~(1u << f);
        }
    }
    return code;
}

int equations_rounding(const command_line *args, double *rounding)
{
    return args_number(args, OPT_ROUND, ARGS_ABOVE_ZERO, 0.01, rounding);
}

int equations_effort(const command_line *args, lw_cost *cost, int *effort)
{
    static const char *const costs[] = {"operations", "products", "instructions", NULL};
    static const char *const efforts[] = {"0", "1", "2", "3", NULL};
    const int which = args_choice(args, OPT_COST, costs);
    const int how_long = args_choice(args, OPT_EFFORT, efforts);
    if (which < 0 || how_long < 0) {
        return EXIT_USAGE;
    }
    *cost = (lw_cost)which;
    *effort = args_has(args, OPT_EFFORT) ? how_long : *effort;
    return EXIT_GOOD;
}

json_t *equations_counts(output *out, lw_counts counts)
{
    json_t *object = output_object(out);
    output_put(out, object, "mul d, add d, div d, sqrt d, sincos d, other d", counts.mul,
               counts.add, counts.div, counts.sqrt, counts.sincos, counts.other);
    return object;
}

// Elements are n^3 in number: of long arms they are derived only where they are requested, and so
// are those of joints with several degrees of freedom and of loops that need Newton's method, where
// they come to thousands of operations.
enum { ELEMENTS_MOST = 7 };

bool equations_are_short(const lw_model *m)
{
    bool is_short = m->nv <= ELEMENTS_MOST && m->tree_nq == m->nbody && m->tree_nv == m->nbody;
    for (int i = 0; i < m->nstep; ++i) {
        is_short = is_short && m->step[i].kind != LW_STEP_BLOCK;
    }
    return is_short;
}

// --- Engines ----------------------------------------------------------------------------------

static const char *engine_name(int i)
{
    static const char *const name[ENGINES_MOST] = {"numeric", "symbolic", "generated"};
    return name[i];
}

// The user's cache folder with its parents; empty where there is none.
static void find_cache(char path[], size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    path[0] = '\0';
    if (cache && cache[0] == '/') {
        n = snprintf(path, size, "%s", cache);
    } else if (home && home[0] == '/') {
        n = snprintf(path, size, "%s/.cache", home);
    }
    if (n < 0 || (size_t)n + sizeof "/linkwork" > size) {
        path[0] = '\0';
        return;
    }
    mkdir(path, 0700); // where it exists this changes nothing, and where it cannot be made the
                       // next step fails
    strcat(path, "/linkwork");
}

void equations_compiler(lw_compiler *compiler, char cache[], size_t size)
{
    const char *command = getenv("CC"), *temporary = getenv("TMPDIR");
    find_cache(cache, size);
    *compiler = (lw_compiler){.command = command && *command ? command : NULL,
                              .cache = *cache ? cache : NULL,
                              .temporary = temporary && *temporary ? temporary : NULL};
}

static lw_status open_engine(int which, const lw_model *m, const lw_engine_options *options,
                             lw_report *report, lw_engine **engine)
{
    if (which == 0) {
        return lw_engine_numeric(m, options, engine);
    }
    if (which == 1) {
        return lw_engine_symbolic(m, options, engine, report);
    }
    char cache[1000];
    lw_compiler compiler;
    equations_compiler(&compiler, cache, sizeof cache);
    return lw_engine_generated(m, options, &compiler, engine, report);
}

// Notes on how equations were found are for 'derive'; what cannot be had is for everybody.
static void print_warnings(const lw_report *report, int first)
{
    for (int i = first; i < lw_report_count(report); ++i) {
        const lw_diagnostic diagnostic = lw_report_diagnostic(report, i);
        if (diagnostic.severity != LW_NOTE || diagnostic.code == LW_DIAG_FUNCTION_OMITTED ||
            diagnostic.code == LW_DIAG_FUNCTION_INTERPRETED) {
            complain(EXIT_GOOD, "%s [%s]", diagnostic.message,
                     lw_diagnostic_code_name(&diagnostic));
        }
    }
}

int engines_open(engines *e, const command_line *args, const lw_model *m,
                 const lw_engine_options *options, lw_report *report)
{
    unsigned bits = (1u << ENGINES_MOST) - 1;
    *e = (engines){0};
    if (args_list(args, OPT_ENGINES, engine_name, ENGINES_MOST, &bits) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    for (int i = 0; i < ENGINES_MOST; ++i) {
        if ((bits & 1u << i) == 0) {
            continue;
        }
        const int first = lw_report_count(report);
        const lw_status status = open_engine(i, m, options, report, &e->engine[e->count]);
        if (i == ENGINES_MOST - 1 || bits == 1u << i ||
            status != LW_OK) { // the others say the same
            print_warnings(report, first);
        }
        if (status != LW_OK) {
            return complain(exit_code_of(status), "no %s engine: %s", engine_name(i),
                            lw_status_text(status));
        }
        ++e->count;
    }
    // Solvers that know nothing of closed forms, where the chain has such.
    const unsigned inverse = options->functions & 1u << LW_FUNCTION_INVERSE_KINEMATICS;
    for (int i = LW_IK_BY_ELIMINATION; i <= LW_IK_BY_SEARCH; ++i) {
        if (inverse && !args_has(args, OPT_ENGINES) &&
            lw_engine_inverse_kinematics(m, options, (lw_ik_solver)i, &e->engine[e->count]) ==
                LW_OK) {
            ++e->count;
        }
    }
    return EXIT_GOOD;
}

void engines_close(engines *e)
{
    for (int i = 0; i < e->count; ++i) {
        lw_engine_destroy(e->engine[i]);
    }
    *e = (engines){0};
}

int equations_form(const command_line *args, lw_form *form)
{
    static const char *const forms[] = {"cheapest", "recursive", "lagrange", "uicker", NULL};
    const int choice = args_choice(args, OPT_FORM, forms);
    *form = choice < 0 ? LW_FORM_CHEAPEST : (lw_form)choice;
    return choice < 0 ? EXIT_USAGE : EXIT_GOOD;
}
