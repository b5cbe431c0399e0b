// bench_growth [MOST]: inverse dynamics of chains of 2, 4, ... MOST (32) revolute joints: numeric
// Uicker-Kahn beside the recursion of the library, and the power of n that their times grow by.
//
// Operations of Uicker-Kahn are counted as they are made; that they are a polynomial of degree four
// in n shows in their differences. Times of the recursion have a constant part, which is no growth.
#include "bench_problem.h"
#include "measure.h"
#include "uicker_kahn.h"
#include "yardstick.h"

#include <linkwork/dynamics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_JOINTS = 64, MOST_ROWS = MOST_JOINTS / 2 };

typedef struct growth {
    bench_problem p;
    hand_link link[MOST_JOINTS];
    uicker_matrix work[UICKER_WORK(MOST_JOINTS)];
    double gravity[3], tau[MOST_JOINTS];
    long long operations; ///< of the last call
} growth;

static void call_uicker(void *context, int i)
{
    growth *g = context;
    const int n = g->p.m->nv, at = i * n;
    g->operations = uicker_kahn_chain(n, g->link, g->gravity, g->p.q + at, g->p.v + at, g->p.a + at,
                                      g->tau, g->work);
}

static void call_recursion(void *context, int i)
{
    growth *g = context;
    const int at = i * g->p.m->nv;
    lw_inverse_dynamics(g->p.m, g->p.d, g->p.q + at, g->p.v + at, g->p.a + at, NULL, g->tau);
}

/// The slope of log y over log x from the second half of the rows on, by least squares.
static double power_of(int nrow, const double *x, const double *y)
{
    double sum[4] = {0}, count = 0;
    for (int i = nrow / 2; i < nrow; ++i) {
        const double u = log(x[i]), w = log(y[i]);
        sum[0] += u;
        sum[1] += w;
        sum[2] += u * u;
        sum[3] += u * w;
        ++count;
    }
    return (count * sum[3] - sum[0] * sum[1]) / (count * sum[2] - sum[0] * sum[0]);
}

static bool measure_chain(growth *g, int n, double *uicker, double *recursion, double *operations)
{
    char name[20];
    snprintf(name, sizeof name, "chain:%d", n);
    if (problem_open(name, ".", ".", 16, &g->p) != BENCH_GOOD) {
        return false;
    }
    const lw_model *m = g->p.m;
    for (int i = 0; i < n; ++i) {
        g->link[i] = hand_link_of(m, i);
    }
    g->gravity[0] = m->gravity.x;
    g->gravity[1] = m->gravity.y;
    g->gravity[2] = m->gravity.z;
    double worst = 0.0;
    for (int i = 0; i < g->p.nstate; ++i) {
        call_uicker(g, i);
        worst = fmax(worst, bench_difference(g->tau, g->p.tau + i * n, n));
    }
    *operations = (double)g->operations;
    *uicker = bench_time(call_uicker, g, g->p.nstate);
    *recursion = bench_time(call_recursion, g, g->p.nstate);
    printf("%6d %18lld %18.0f %12.0f %12.1e\n", n, g->operations, *uicker, *recursion, worst);
    problem_free(&g->p);
    return worst < 1e-9;
}

int main(int argc, char **argv)
{
    static growth g;
    double n[MOST_ROWS], uicker[MOST_ROWS], recursion[MOST_ROWS], operations[MOST_ROWS];
    const int most = argc == 2 ? atoi(argv[1]) : 32;
    int nrow = 0;
    if (argc > 2 || most < 12 || most > MOST_JOINTS) {
        fprintf(stderr, "usage: bench_growth [MOST], 12 to %d joints\n", MOST_JOINTS);
        return 2;
    }
    printf("Inverse dynamics of chains of n revolute joints\n\n%6s %18s %18s %12s %12s\n", "n",
           "Uicker-Kahn, ops", "Uicker-Kahn, ns", "recursion, ns", "difference");
    for (int k = 2; k <= most; k += 2, ++nrow) {
        n[nrow] = k;
        if (!measure_chain(&g, k, &uicker[nrow], &recursion[nrow], &operations[nrow])) {
            fprintf(stderr, "bench_growth: no answer for %d joints, or another one\n", k);
            return 1;
        }
    }
    // Differences of differences: of a polynomial of degree four the fifth are zero.
    double rest[MOST_ROWS], fourth = 0.0;
    for (int i = 0; i < nrow; ++i) {
        rest[i] = operations[i];
    }
    for (int order = 1; order <= 5; ++order) {
        for (int i = 0; i + order < nrow; ++i) {
            rest[i] = rest[i + 1] - rest[i];
        }
        fourth = order == 4 ? rest[0] : fourth;
    }
    printf("\noperations of Uicker-Kahn: %g n^4 + ..., fifth difference %g\n", fourth / (24 * 16),
           rest[0]);
    printf("power of n: Uicker-Kahn %.2f by operations, %.2f by time; recursion %.2f by time\n",
           power_of(nrow, n, operations), power_of(nrow, n, uicker), power_of(nrow, n, recursion));
    return 0;
}
