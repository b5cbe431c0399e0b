#include "report/demo_equations.h"

#include "support/equations.h"
#include "support/message.h"
#include "support/numeral.h"

#include <string.h>

static const lw_function shown[] = {LW_FUNCTION_INVERSE_DYNAMICS, LW_FUNCTION_MASS_MATRIX,
                                    LW_FUNCTION_FORWARD_DYNAMICS};
enum { SHOWN = sizeof shown / sizeof *shown };

static const char *const shown_name[SHOWN] = {"inverse dynamics", "mass matrix",
                                              "forward dynamics"};

// Products that inverse dynamics takes by recursions for any arm of n joints, as published.
static void print_classics(output *out, int n)
{
    static const struct {
        const char *name;
        int factor, constant;
    } row[] = {{"Luh, Walker and Paul", 150, -48},
               {"Angeles", 105, -109},
               {"Balafoutis and Patel", 93, -69},
               {"Mata", 96, -101}};
    fprintf(out->text,
            "multiplications of general recursions for inverse dynamics of %d joints in a row:", n);
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        fprintf(out->text, "%s%s %d", i == 0 ? "\n  " : ", ", row[i].name,
                row[i].factor * n + row[i].constant);
    }
    fputc('\n', out->text);
}

static int print_counts(output *out, const lw_model *m)
{
    lw_derive_options options = lw_default_derive_options();
    lw_derivation *derivation = NULL;
    options.effort = 0; // as the engines have them; 'derive' and 'generate' search for cheaper ones
    fprintf(out->text, "\n%-22s %9s %9s %9s %9s\n", "equations", "multiply", "add", "divide",
            "sin, cos");
    for (int i = 0; i < SHOWN; ++i) {
        options.functions = 1u << shown[i];
        options.is_apart = true;
        const lw_status status = lw_derive(m, &options, &derivation, NULL);
        if (status != LW_OK) {
            return complain(exit_code_of(status), "no equations: %s", lw_status_text(status));
        }
        const lw_counts counts = lw_derivation_counts(derivation, shown[i]);
        fprintf(out->text, "%-22s %9d %9d %9d %9d\n", shown_name[i], counts.mul, counts.add,
                counts.div, counts.sincos);
        lw_derivation_destroy(derivation);
    }
    print_classics(out, m->tree_nv);
    return EXIT_GOOD;
}

static int print_verification(output *out, const engines *e, double seconds)
{
    lw_verification *v;
    const lw_status status = lw_verify(e->count, e->engine, NULL, &v);
    if (status != LW_OK) {
        return complain(exit_code_of(status), "%s", lw_status_text(status));
    }
    double worst = 0;
    for (int i = 0; i < lw_verification_count(v); ++i) {
        const lw_verify_pair pair = lw_verification_pair(v, i);
        worst = pair.worst > worst ? pair.worst : worst;
    }
    const bool is_compiled = strcmp(lw_engine_name(e->engine[e->count - 1]), "generated") == 0;
    fprintf(out->text,
            "%s in %.2g s; numeric, symbolic and %s results at 100 random states: worst "
            "difference %.0e\n",
            is_compiled ? "derived, written as C, compiled and loaded"
                        : "derived (there is no compiler, so that the equations are interpreted)",
            seconds, is_compiled ? "compiled" : "interpreted", worst);
    const bool is_good = lw_verification_agrees(v);
    lw_verification_destroy(v);
    return is_good ? EXIT_GOOD : complain(EXIT_NUMERIC, "the engines do not agree");
}

static void print_speed(output *out, const engines *e, timing_bench *bench, double seconds)
{
    fprintf(out->text, "%-22s %12s %12s\n", "times", lw_engine_name(e->engine[0]),
            lw_engine_name(e->engine[e->count - 1]));
    for (int i = 0; i < SHOWN; ++i) {
        double ns[2];
        bool is_good = true;
        for (int k = 0; k < 2; ++k) {
            long long calls;
            bench->engine = e->engine[k == 0 ? 0 : e->count - 1];
            bench->which = shown[i];
            is_good =
                is_good && timing_measure(bench, TIMING_ENGINE, seconds, &ns[k], &calls) == LW_OK;
        }
        if (is_good) {
            fprintf(out->text, "%-22s %9.0f ns %9.0f ns   %.1f times as fast\n", shown_name[i],
                    ns[0], ns[1], ns[0] / ns[1]);
        }
    }
}

int print_equations(output *out, const command_line *args, const robot *r, timing_bench *bench,
                    double seconds)
{
    const lw_model *m = r->model;
    engines e;
    lw_engine_options options = lw_default_engine_options(m);
    options.functions = 0;
    for (int i = 0; i < SHOWN; ++i) {
        options.functions |= 1u << shown[i];
    }
    const double start = timing_now();
    int code = engines_open(&e, args, m, &options, r->report);
    const double taken = timing_now() - start;
    bench->result = memory_numbers(args->pool, m->nv, m->nv);
    if (code == EXIT_GOOD) {
        code = print_counts(out, m);
    }
    if (code == EXIT_GOOD) {
        code = print_verification(out, &e, taken);
    }
    if (code == EXIT_GOOD) {
        print_speed(out, &e, bench, seconds);
    }
    engines_close(&e);
    return code;
}
