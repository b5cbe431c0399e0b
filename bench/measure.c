#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LEAST_BLOCKS = 11, MOST_BLOCKS = 2001 };

/// A function is called in blocks, each timed by itself. A block is long against the clock and
/// short against the time after which a busy system lets another process run, so that most blocks
/// are not interrupted.
static const double block_time = 0.0002, budget = 0.04; // s a block, and a function

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// Evaluates `count` states from *next on, round and round.
static double block_by(clockid_t clock, bench_call *call, void *context, int nstate, int count,
                       int *next)
{
    int i = *next;
    const double start = now(clock);
    for (int k = 0; k < count; ++k) {
        call(context, i);
        i = i + 1 < nstate ? i + 1 : 0;
    }
    const double time = now(clock) - start;
    *next = i;
    return time;
}

static double block(bench_call *call, void *context, int nstate, int count, int *next)
{
    return block_by(CLOCK_MONOTONIC, call, context, nstate, count, next);
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
    // One round warms caches and branch predictors, of long functions less than one; the best of
    // three blocks shows how long one is.
    const int few = nstate < 100 ? 1 : nstate / 100;
    double once = block(call, context, nstate, few, &next) / few;
    block(call, context, nstate, (int)fmin(fmax(budget / once, 1.0), nstate), &next);
    once = HUGE_VAL;
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

bool bench_worst(bench_call *call, void *context, int nstate, int n, double *median,
                 double *largest)
{
    double *time = malloc((size_t)n * sizeof *time);
    int next = 0;
    if (!time) {
        return false;
    }
    block(call, context, nstate, nstate, &next);
    double clock = HUGE_VAL; // that a look at it takes
    for (int k = 0; k < n; ++k) {
        clock = fmin(clock, block_by(CLOCK_THREAD_CPUTIME_ID, call, context, nstate, 0, &next));
        time[k] = block_by(CLOCK_THREAD_CPUTIME_ID, call, context, nstate, 1, &next);
    }
    qsort(time, (size_t)n, sizeof *time, compare);
    *median = 1e9 * (time[n / 2] - clock);
    *largest = 1e9 * (time[n - 1] - clock);
    free(time);
    return true;
}

static double collected(const char *self, int function, int count, const char *arguments)
{
    char command[2000], line[400];
    double found = 0.0;
    snprintf(command, sizeof command,
             "valgrind --tool=callgrind --callgrind-out-file=/dev/null %s --calls %d %d %s 2>&1",
             self, function, count, arguments);
    FILE *pipe = popen(command, "r");
    while (pipe && fgets(line, sizeof line, pipe)) {
        const char *at = strstr(line, "Collected : ");
        found = at ? strtod(at + 12, NULL) : found;
    }
    if (pipe) {
        pclose(pipe);
    }
    return found;
}

double bench_instructions(const char *self, int function, int count, const char *arguments)
{
    const double none = collected(self, function, 0, arguments);
    return none > 0.0 ? (collected(self, function, count, arguments) - none) / count : 0.0;
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
