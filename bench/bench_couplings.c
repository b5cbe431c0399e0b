// bench_couplings: what joints that follow others cost in a chain, in one run, as ratios to the
// plain chain: forward dynamics, mass and Coriolis matrix, derivatives, and memory.
#include "measure.h"

#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 16, FUNCTIONS = 4, KINDS = 4 };

static const char *const function_name[FUNCTIONS] = {"forward dynamics", "mass matrix", "Coriolis",
                                                     "derivatives"};
static const char *const kind_name[KINDS] = {"plain", "one follows the next", "ten, likewise",
                                             "last follows first"};

typedef struct problem {
    lw_model *m;
    lw_data *d;
    int function;
    double *q, *v, *tau, *a; ///< [STATES * nv]
    double *matrix[3];       ///< [nv*nv]
} problem;

// The joint that joint i of n follows, or -1.
static int leader(int kind, int n, int i)
{
    if (kind == 3) {
        return i == n - 1 ? 0 : -1;
    }
    const int count = kind == 0 ? 0 : kind == 1 ? 1 : 10, gap = n / (count + 1);
    return i > 0 && i % gap == 0 && i / gap <= count ? i - 1 : -1;
}

static lw_model *make_chain(int n, int kind)
{
    static const char *const axis[] = {"0 0 1", "0 1 0", "1 0 0", "0.6 0 0.8"};
    const size_t room = 600 * (size_t)(n + 1);
    char *text = malloc(room);
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    if (!text) {
        return NULL;
    }
    size_t at = (size_t)snprintf(text, room, "<robot name=\"chain\"><link name=\"l0\"/>");
    for (int i = 0; i < n; ++i) {
        at += (size_t)snprintf(
            text + at, room - at,
            "<link name=\"l%d\"><inertial><origin xyz=\"0.05 0 0\"/><mass value=\"0.1\"/>"
            "<inertia ixx=\"1e-4\" ixy=\"0\" ixz=\"0\" iyy=\"1e-4\" iyz=\"0\" izz=\"1e-4\"/>"
            "</inertial></link><joint name=\"j%d\" type=\"continuous\"><parent link=\"l%d\"/>"
            "<child link=\"l%d\"/><origin xyz=\"0.1 0 0.01\"/><axis xyz=\"%s\"/>",
            i + 1, i, i, i + 1, axis[i % 4]);
        if (leader(kind, n, i) >= 0) {
            at +=
                (size_t)snprintf(text + at, room - at, "<mimic joint=\"j%d\" multiplier=\"-0.7\"/>",
                                 leader(kind, n, i));
        }
        at += (size_t)snprintf(text + at, room - at, "</joint>");
    }
    snprintf(text + at, room - at, "</robot>");
    if (lw_load_text("chain.urdf", text, strlen(text), NULL, &mech, NULL) == LW_OK) {
        lw_compile(mech, NULL, &m, NULL);
    }
    lw_mech_destroy(mech);
    free(text);
    return m;
}

static void evaluate(void *context, int state)
{
    problem *p = context;
    const size_t at = (size_t)state * (size_t)p->m->nv;
    const double *q = p->q + at, *v = p->v + at, *tau = p->tau + at;
    double *const *A = p->matrix;
    if (p->function == 0) {
        lw_forward_dynamics(p->m, p->d, q, v, tau, NULL, p->a);
    } else if (p->function == 1) {
        lw_mass_matrix(p->m, p->d, q, A[0]);
    } else if (p->function == 2) {
        lw_coriolis_matrix(p->m, p->d, q, v, A[0]);
    } else {
        lw_inverse_dynamics_derivatives(p->m, p->d, q, v, tau, NULL, A[0], A[1], A[2]);
    }
    bench_keep(p->function == 0 ? p->a : A[0]);
}

static bool make_states(problem *p)
{
    const size_t nv = (size_t)p->m->nv;
    double **const part[] = {&p->q, &p->v, &p->tau, &p->a};
    unsigned long long seed = 1;
    for (int k = 0; k < 4; ++k) {
        *part[k] = malloc(STATES * nv * sizeof(double));
    }
    for (int k = 0; k < 3; ++k) {
        p->matrix[k] = malloc(nv * nv * sizeof(double));
    }
    if (!p->q || !p->v || !p->tau || !p->a || !p->matrix[0] || !p->matrix[1] || !p->matrix[2]) {
        return false;
    }
    for (size_t k = 0; k < STATES; ++k) {
        lw_random_state(p->m, p->d, &seed, 1.0, p->q + k * nv, p->v + k * nv, NULL,
                        p->tau + k * nv);
    }
    return true;
}

static void run_chain(int n, int kind, double plain[FUNCTIONS + 1])
{
    problem p = {.m = make_chain(n, kind)};
    if (p.m && lw_data_create(p.m, &p.d) == LW_OK && make_states(&p)) {
        printf("%5d  %-20s", n, kind_name[kind]);
        for (p.function = 0; p.function < FUNCTIONS; ++p.function) {
            const double ns = bench_time(evaluate, &p, STATES);
            plain[p.function] = kind == 0 ? ns : plain[p.function];
            printf("  %10.0f ns %5.2f", ns, ns / plain[p.function]);
        }
        const double size = (double)lw_data_size(p.m);
        plain[FUNCTIONS] = kind == 0 ? size : plain[FUNCTIONS];
        printf("  %9.0f B %5.2f\n", size, size / plain[FUNCTIONS]);
    }
    free(p.q), free(p.v), free(p.tau), free(p.a);
    free(p.matrix[0]), free(p.matrix[1]), free(p.matrix[2]);
    lw_data_destroy(p.d);
    lw_model_destroy(p.m);
}

int main(int argc, char **argv)
{
    const int most = argc > 1 ? atoi(argv[1]) : 1000;
    static const int size[] = {30, 100, 300, 1000};
    printf("%5s  %-20s", "n", "joints");
    for (int f = 0; f < FUNCTIONS; ++f) {
        printf("  %16s   ", function_name[f]);
    }
    printf("  %14s\n", "lw_data");
    for (int k = 0; k < 4 && size[k] <= most; ++k) {
        double plain[FUNCTIONS + 1] = {0};
        for (int kind = 0; kind < KINDS; ++kind) {
            run_chain(size[k], kind, plain);
        }
    }
    return 0;
}
