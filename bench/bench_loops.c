// bench_loops: mechanisms with spatial loops along a motion at 1 kHz: inverse and forward dynamics
// by the algorithms and by compiled code, in one run, and the second as a part of the first.
#include "measure.h"

#include <linkwork/generated.h>
#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STATES = 2000, MOST = 8 };

typedef struct problem {
    lw_model *m;
    lw_engine *engine;
    double q[STATES][MOST], v[STATES][MOST], a[MOST], result[MOST];
    bool is_forward;
    int nfailed;
} problem;

static void evaluate(void *context, int state)
{
    problem *p = context;
    const double *q = p->q[state], *v = p->v[state];
    const lw_status status = p->is_forward
                                 ? lw_engine_forward_dynamics(p->engine, q, v, p->a, p->result)
                                 : lw_engine_inverse_dynamics(p->engine, q, v, p->a, p->result);
    p->nfailed += status != LW_OK;
    bench_keep(p->result);
}

// Back and forth from the reference configuration, so that the last state is next to the first.
static void make_motion(problem *p, double amplitude)
{
    for (int k = 0; k < STATES; ++k) {
        for (int i = 0; i < p->m->nv; ++i) {
            const double w = 3.141592653589793 * (1 + i % 3);
            p->q[k][i] = p->m->q_reference[i] + 0.5 * amplitude * (1.0 - cos(1e-3 * k * w));
            p->v[k][i] = 0.5 * amplitude * w * sin(1e-3 * k * w);
            p->a[i] = 1.0;
        }
    }
}

static void run_model(const char *folder, const char *name, double amplitude, problem *p)
{
    char path[500];
    lw_mech *mech = NULL;
    lw_engine *engine[2] = {NULL};
    snprintf(path, sizeof path, "%s/closed/%s.xml", folder, name);
    *p = (problem){.m = NULL};
    if (lw_load_file(path, NULL, &mech, NULL) == LW_OK &&
        lw_compile(mech, NULL, &p->m, NULL) == LW_OK) {
        lw_engine_options options = lw_default_engine_options(p->m);
        options.functions = 1u << LW_FUNCTION_INVERSE_DYNAMICS | 1u << LW_FUNCTION_FORWARD_DYNAMICS;
        make_motion(p, amplitude);
        if (lw_engine_numeric(p->m, &options, &engine[0]) == LW_OK &&
            lw_engine_generated(p->m, &options, NULL, &engine[1], NULL) == LW_OK) {
            for (int f = 0; f < 2; ++f) {
                double ns[2];
                p->is_forward = f == 1;
                for (int e = 0; e < 2; ++e) {
                    p->engine = engine[e];
                    ns[e] = bench_time(evaluate, p, STATES);
                }
                printf("%-10s %-18s %10.0f ns %10.0f ns %6.2f", name,
                       f ? "forward dynamics" : "inverse dynamics", ns[0], ns[1], ns[1] / ns[0]);
                printf(p->nfailed ? "  %d failed\n" : "\n", p->nfailed);
            }
        }
    } else {
        printf("%s: cannot be read\n", path);
    }
    lw_engine_destroy(engine[0]);
    lw_engine_destroy(engine[1]);
    lw_model_destroy(p->m);
    lw_mech_destroy(mech);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "models";
    problem *p = malloc(sizeof *p);
    if (!p) {
        return 1;
    }
    printf("%-10s %-18s %13s %13s %6s\n", "model", "at 1 kHz", "numeric", "generated", "ratio");
    run_model(folder, "delta", 0.3, p);
    run_model(folder, "stewart", 0.1, p);
    run_model(folder, "bennett", 3.0, p);
    run_model(folder, "bricard", 0.5, p);
    run_model(folder, "ankle", 0.5, p);
    run_model(folder, "agile_eye", 0.5, p);
    free(p);
    return 0;
}
