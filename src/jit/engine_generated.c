// Generated code as an engine.

#include <linkwork/generate.h>
#include <linkwork/generated.h>

#include "../base/number.h"
#include "../base/text.h"
#include "../engine/derived.h"
#include "compiler.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A compiled function, whatever it reads; q is the pose X of inverse kinematics.
typedef void compiled(const double *q, const double *v, const double *a, const double *tau,
                      double *x, double *result);

typedef struct generated {
    int nq;
    lwi_derived derived;
    compiled *function[LW_FUNCTION_COUNT]; ///< null: its operations are run one by one
    const char *why[LW_FUNCTION_COUNT];    ///< then: the reason
    void *handle;
    int nx;    ///< length of the state of loops of code
    double *x; ///< [nx] that all functions have in common
} generated;

static lw_status run(void *self, lw_function which, const lw_engine_state *state, double *result)
{
    static const double largest_angle = 1.6e6; // that the generated sine takes
    generated *g = self;
    int is_large = 0;
    for (int i = 0; i < g->nq; ++i) {
        is_large |= fabs(state->q[i]) > largest_angle;
    }
    if (g->function[which] && which == LW_FUNCTION_INVERSE_KINEMATICS) {
        double X[12];
        const lw_status status = lwi_derived_pose(&g->derived, state->q, X);
        if (status == LW_OK) {
            g->function[which](X, NULL, NULL, NULL, NULL, result);
        }
        return status;
    }
    if (g->function[which] && !is_large) {
        g->function[which](state->q, state->v, state->a, state->tau, g->x, result);
        return LW_OK;
    }
    return lwi_derived_run(&g->derived, which, state, result);
}

static const char *interpreted(void *self, lw_function which)
{
    const generated *g = self;
    return g->function[which] ? NULL : g->why[which] ? g->why[which] : "nothing could be compiled";
}

// Loops of code begin at the reference configuration again.
static void restart(void *self)
{
    generated *g = self;
    if (g->x) {
        memset(g->x, 0, (size_t)g->nx * sizeof *g->x);
    }
}

static void destroy(void *self)
{
    generated *g = self;
    free(g->x);
    lwi_derived_free(&g->derived);
    if (g->handle) {
        dlclose(g->handle);
    }
    free(g);
}

// --- Source -----------------------------------------------------------------------------------

// A function of one signature that calls the generated one, whose arguments are read off its head:
// "const double q[6], const double v[6], double tau[6])". Returns the length of x, 0 for none.
static int add_caller(lwi_text *t, const char *code, lw_function which)
{
    static const char tail[] =
        ");\n    (void)q;\n    (void)v;\n    (void)a;\n    (void)tau;\n    (void)x;\n}\n\n";
    int nx = 0;
    char piece[300], head[64];
    snprintf(head, sizeof head, "f%d_%s(", (int)which, lw_function_name(which));
    const char *at = strstr(code, head), *end = at ? strstr(at, ")\n{") : NULL;
    if (!end) {
        t->is_short = true;
        return 0;
    }
    snprintf(piece, sizeof piece,
             "__attribute__((visibility(\"default\")))\n"
             "void linkwork_f%d(const double *q, const double *v, const double *a,\n"
             "                  const double *tau, double *x, double *r)\n{\n    %s",
             (int)which, head);
    lwi_text_add(t, piece);
    for (at += strlen(head); at < end;) {
        const char *comma = strchr(at, ',');
        const bool is_last = !comma || comma > end;
        const char *stop = is_last ? end : comma;
        const char *word = strstr(at, "double ");
        word += strlen("double ");
        const size_t length = strcspn(word, "[,)");
        const bool is_time = length == 4 && strncmp(word, "time", 4) == 0;
        const bool is_pose = length == 1 && *word == 'X';
        if (length == 1 && *word == 'x') {
            (void)lwi_parse_int(word + 2, strspn(word + 2, "0123456789"), &nx);
        }
        snprintf(piece, sizeof piece, "%.*s", is_last || is_time ? 3 : (int)length,
                 is_last   ? "r"
                 : is_time ? "0.0"
                 : is_pose ? "q"
                           : word);
        lwi_text_add(t, piece);
        lwi_text_add(t, is_last ? tail : ", ");
        at = stop + 1;
    }
    return nx;
}

static lw_status add_function(lwi_text *t, lw_derivation *derivation, lw_function which,
                              lw_report *report, generated *g)
{
    char prefix[8], *code = NULL;
    size_t size = 0;
    snprintf(prefix, sizeof prefix, "f%d", (int)which);
    lw_generate_options options = lw_default_generate_options();
    options.prefix = prefix;
    const lw_status status = lw_generate(derivation, &options, &code, &size, report);
    if (status == LW_OK && size > LW_LONGEST_CODE) {
        g->why[which] = "its code is too long to be compiled soon";
        lw_report_add(report, LW_NOTE, LW_OK, LW_DIAG_FUNCTION_INTERPRETED, (lw_location){0, 0, 0},
                      "%s is run operation by operation: %s", lw_function_name(which),
                      g->why[which]);
    } else if (status == LW_OK) {
        lwi_text_add(t, code);
        const int own = add_caller(t, code, which);
        g->nx = own > g->nx ? own : g->nx;
    }
    lw_text_free(code);
    return status;
}

// --- All --------------------------------------------------------------------------------------

static lw_status compile_all(generated *g, const lw_compiler *compiler, lw_report *report)
{
    static const char head[] = "__attribute__((visibility(\"default\")))\n"
                               "extern const char linkwork_digest[];\n"
                               "const char linkwork_digest[] = \"" LWI_DIGEST_PLACE "\";\n";
    lwi_text t = {0};
    lw_status status = LW_OK;
    lwi_text_add(&t, head);
    for (int i = 0; i < LW_FUNCTION_COUNT && status != LW_ERR_MEMORY; ++i) {
        status = g->derived.of[i] ? add_function(&t, g->derived.of[i], (lw_function)i, report, g)
                                  : LW_OK;
        if (status != LW_OK) {
            g->why[i] = "no code can be written for it";
            lw_report_add(report, LW_WARNING, LW_OK, LW_DIAG_FUNCTION_INTERPRETED,
                          (lw_location){0, 0, 0}, "%s is run operation by operation: %s: %s",
                          lw_function_name((lw_function)i), g->why[i], lw_status_text(status));
        }
    }
    if (status != LW_ERR_MEMORY) {
        status =
            t.is_short ? LW_ERR_MEMORY : lwi_compile_and_load(compiler, t.at, report, &g->handle);
    }
    lwi_text_free(&t);
    g->x = calloc((size_t)g->nx + 1, sizeof *g->x);
    if (!g->x) {
        return LW_ERR_MEMORY;
    }
    for (int i = 0; i < LW_FUNCTION_COUNT && g->handle; ++i) {
        char name[32];
        snprintf(name, sizeof name, "linkwork_f%d", i);
        // dlsym() gives functions as pointers to objects, which C cannot convert but copy.
        void *address = g->derived.of[i] ? dlsym(g->handle, name) : NULL; // null: no code
        memcpy(&g->function[i], &address, sizeof address);
    }
    return status;
}

lw_status lw_engine_generated(const lw_model *m, const lw_engine_options *options,
                              const lw_compiler *compiler, lw_engine **engine, lw_report *report)
{
    static const lw_compiler plain = {0};
    if (!m || !engine) {
        return LW_ERR_ARGUMENT;
    }
    *engine = NULL;
    const lw_engine_options usual = lw_default_engine_options(m);
    options = options ? options : &usual;
    generated *g = calloc(1, sizeof *g);
    if (!g) {
        return LW_ERR_MEMORY;
    }
    g->nq = m->nq;
    lw_status status = lwi_derive_each(m, options, report, &g->derived);
    if (status == LW_OK) {
        const lw_status compile = compile_all(g, compiler ? compiler : &plain, report);
        status = compile == LW_ERR_MEMORY ? compile : LW_OK;
    }
    if (status == LW_OK) {
        const lw_engine_def def = {.name = g->handle ? "generated" : "interpreted",
                                   .functions = lwi_derived_functions(&g->derived),
                                   .run = run,
                                   .restart = restart,
                                   .interpreted = interpreted,
                                   .self = g,
                                   .destroy = destroy};
        status = lw_engine_create(m, options, &def, engine);
    }
    if (status != LW_OK) {
        destroy(g);
    }
    return status;
}
