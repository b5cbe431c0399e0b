#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LEAST_PASSES = 11, MOST_PASSES = 401 };
static const double budget = 0.04; // s a function; more processes gain more than longer ones

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double pass(bench_call *call, void *context, int nstate)
{
    const double start = now();
    for (int i = 0; i < nstate; ++i) {
        call(context, i);
    }
    return now() - start;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_time(bench_call *call, void *context, int nstate)
{
    double time[MOST_PASSES];
    pass(call, context, nstate); // warms caches and branch predictors
    const double once = pass(call, context, nstate);
    int passes = (int)fmin(budget / once, MOST_PASSES);
    passes = passes < LEAST_PASSES ? LEAST_PASSES : passes;
    for (int k = 0; k < passes; ++k) {
        time[k] = pass(call, context, nstate);
    }
    qsort(time, (size_t)passes, sizeof *time, compare);
    return 1e9 * time[passes / 2] / nstate;
}

void bench_print_time(const char *function, double ns, double worst)
{
    printf("time %s %.3f %.3g\n", function, ns, worst);
    fflush(stdout);
}

void bench_print_none(const char *function, const char *why)
{
    printf("none %s %s\n", function, why);
    fflush(stdout);
}

double bench_difference(const double *x, const double *y, int n)
{
    double scale = 1.0, worst = 0.0;
    for (int i = 0; i < n; ++i) {
        scale = fmax(scale, fabs(y[i]));
    }
    for (int i = 0; i < n; ++i) {
        const double difference = fabs(x[i] - y[i]);
        if (!(difference <= worst)) {
            worst = isnan(difference) ? HUGE_VAL : difference;
        }
    }
    return worst / scale;
}
