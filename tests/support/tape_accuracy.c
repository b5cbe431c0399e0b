#include "tape_accuracy.h"
#include "objects.h"

#include "check.h"
#include "compiled.h"
#include "load_text.h"

#include <linkwork/compile.h>
#include <linkwork/dynamics.h>
#include <linkwork/engine.h>
#include <linkwork/io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static lw_derivation *derive(const lw_model *m, bool is_symbolic, int effort)
{
    lw_derivation *derivation = NULL;
    lw_derive_options options = lw_default_derive_options();
    options.is_symbolic = is_symbolic;
    options.effort = effort;
    CHECK_INT(lw_derive(m, &options, &derivation, NULL), LW_OK);
    return derivation;
}

static char *generate(lw_derivation *derivation, lw_sincos sincos)
{
    const lw_generate_options options = {.prefix = "arm", .lanes = 1, .sincos = sincos};
    char *text = NULL;
    size_t size = 0;
    CHECK_INT(lw_generate(derivation, &options, &text, &size, NULL), LW_OK);
    return text ? text : calloc(1, 1);
}

static void replace_all(FILE *out, const char *text, const char *const (*pair)[2], int count)
{
    while (*text) {
        int found = -1;
        for (int i = 0; i < count && found < 0; ++i) {
            found = strncmp(text, pair[i][0], strlen(pair[i][0])) == 0 ? i : -1;
        }
        if (found >= 0) {
            fputs(pair[found][1], out);
            text += strlen(pair[found][0]);
        } else {
            fputc(*text++, out);
        }
    }
}

// The truth: the equations with the machine's numbers as symbols, in long double.
static void write_truth(const lw_model *m, FILE *out)
{
    static const char *const wide[][2] = {{"double ", "long double "}, {" sin(", " sinl("},
                                          {" cos(", " cosl("},         {" sqrt(", " sqrtl("},
                                          {" tanh(", " tanhl("},       {"arm_", "true_"},
                                          {"ARM_H", "TRUE_H"}};
    lw_derivation *d = derive(m, true, 0);
    char *text = generate(d, LW_SINCOS_LIBRARY);
    replace_all(out, text, wide, sizeof wide / sizeof *wide);
    fprintf(out, "#define HAS_ONCE %d\n", strstr(text, "arm_inverse_dynamics_once(") != NULL);
    lw_text_free(text);
    lw_derivation_destroy(d);
}

static void write_array(FILE *out, const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        fprintf(out, "%a,", x[i]);
    }
    fputs("\n", out);
}

// States with what the numeric engine says: Newton and Euler's recursion, plainly.
static void write_states(const lw_model *m, int nstate, FILE *out)
{
    lw_data *d = new_data(m);
    unsigned long long seed = 3;
    double q[MOST], v[MOST], a[MOST], tau[MOST];
    fprintf(out, "enum { NQ = %d, N = %d, COUNT = %d };\nstatic const double state[] = {\n", m->nq,
            m->nv, nstate);
    for (int i = 0; i < nstate; ++i) {
        lw_random_state(m, d, &seed, 1, q, v, a, tau);
        CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, NULL, tau), LW_OK);
        write_array(out, q, m->nq);
        write_array(out, v, m->nv);
        write_array(out, a, m->nv);
        write_array(out, tau, m->nv);
    }
    fputs("};\n", out);
    lw_data_destroy(d);
}

static const char comparison[] =
    "int main(void)\n{\n"
    "    double plain = 0, own = 0;\n"
    "    long double k[20000], t[N];\n"
    "    (void)k;\n"
    "#if HAS_ONCE\n    true_inverse_dynamics_once(true_parameters, k);\n#endif\n"
    "    for (int i = 0; i < COUNT; ++i) {\n"
    "        const double *q = state + i * (NQ + 3 * N), *v = q + NQ, *a = v + N, *w = a + N;\n"
    "        long double Q[NQ], V[N], A[N];\n        double tau[N];\n"
    "        for (int j = 0; j < NQ; ++j) {\n            Q[j] = q[j];\n        }\n"
    "        for (int j = 0; j < N; ++j) {\n"
    "            V[j] = v[j];\n            A[j] = a[j];\n        }\n"
    "#if HAS_ONCE\n        true_inverse_dynamics(true_parameters, k, Q, V, A, t);\n"
    "#else\n        true_inverse_dynamics(true_parameters, Q, V, A, t);\n#endif\n"
    "        arm_inverse_dynamics(q, v, a, tau);\n"
    "        for (int j = 0; j < N; ++j) {\n"
    "            plain = fmax(plain, fabs((double)(w[j] - t[j])));\n"
    "            own = fmax(own, fabs((double)(tau[j] - t[j])));\n"
    "        }\n"
    "    }\n"
    "    printf(\"plain %g own %g\\n\", plain, own);\n"
    "    return own <= 4 * plain && plain > 0 && plain < 1e-9 ? 0 : 1;\n}\n";

void accuracy_check(const char *folder, const char *name, lw_sincos sincos, int effort)
{
    char path[512];
    check_case("%s", name);
    lw_model *m = shipped_model(name);
    snprintf(path, sizeof path, "%s/accuracy.c", folder);
    FILE *out = fopen(path, "w");
    if (CHECK(m && m->nq <= MOST && out)) {
        lw_derivation *d = derive(m, false, effort);
        char *text = generate(d, sincos);
        fputs("#include <stdio.h>\n", out);
        fputs(text, out);
        write_truth(m, out);
        write_states(m, 300, out);
        fputs(comparison, out);
        lw_text_free(text);
        lw_derivation_destroy(d);
    }
    if (out && CHECK(fclose(out) == 0) && m &&
        (!CHECK_INT(
             compiled_run(folder, LINKWORK_COMPILER " -std=c99 -O1 -w -o accuracy accuracy.c -lm"),
             0) ||
         !CHECK_INT(compiled_run(folder, "./accuracy"), 0))) {
        compiled_show_log(folder);
    }
    lw_model_destroy(m);
}
