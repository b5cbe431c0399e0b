#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LEAST_BLOCKS = 11, MOST_BLOCKS = 2001 };

/// A function is called in blocks, each timed by itself. A block is long against the clock and
/// short against the time after which a busy system lets another process run, so that most blocks
/// are not interrupted.
static const double block_time = 0.0002, budget = 0.04; // s a block, and a function

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// Evaluates `count` states from *next on, round and round.
static double block(bench_call *call, void *context, int nstate, int count, int *next)
{
    int i = *next;
    const double start = now();
    for (int k = 0; k < count; ++k) {
        call(context, i);
        i = i + 1 < nstate ? i + 1 : 0;
    }
    const double time = now() - start;
    *next = i;
    return time;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_time(bench_call *call, void *context, int nstate)
{
    double time[MOST_BLOCKS];
    int next = 0;
    // One round warms caches and branch predictors; the best of three blocks tells how long one is.
    block(call, context, nstate, nstate, &next);
    const int few = nstate < 100 ? 1 : nstate / 100;
    double once = HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        once = fmin(once, block(call, context, nstate, few, &next) / few);
    }
    const int count = (int)fmin(fmax(block_time / once, 1.0), nstate);
    int blocks = (int)fmin(budget / (once * count), MOST_BLOCKS);
    blocks = blocks < LEAST_BLOCKS ? LEAST_BLOCKS : blocks;
    for (int k = 0; k < blocks; ++k) {
        time[k] = block(call, context, nstate, count, &next);
    }
    qsort(time, (size_t)blocks, sizeof *time, compare);
    return 1e9 * time[blocks / 2] / count;
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
