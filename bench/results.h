// All times of a run of the benchmarks, and the report on them.
#ifndef BENCH_RESULTS_H
#define BENCH_RESULTS_H

#include <stdbool.h>
#include <stdio.h>

enum {
    TEXT_SIZE = 200,
    MOST_BUILDS = 8,
    MOST_CASES = 64,
    MOST_ROUNDS = 32,
    MOST_RECORDS = 8192,
    ALL_ROUNDS = -1
};

/// The medians that processes reported for one function.
typedef struct record {
    int build; ///< index of the build whose runner it was
    int which; ///< index of the case
    char engine[16], function[32];
    double ns;                    ///< the smallest of them, 0 where there is no time
    double in_round[MOST_ROUNDS]; ///< each of them, likewise
    double worst;                 ///< largest difference from linkwork
    char why[TEXT_SIZE];          ///< why there is no time
} record;

/// One way of compiling everything.
typedef struct bench_build {
    const char *name, *folder;
    const char *level;         ///< at which the library is held; NULL for that of the processor
    char about[3 * TEXT_SIZE]; ///< compiler and flags
} bench_build;

typedef struct results {
    int nbuild, ncase, nrecord, rounds;
    int round; ///< that lines are taken in for
    bench_build build[MOST_BUILDS];
    char name[MOST_CASES][TEXT_SIZE];       ///< of the cases
    char kdl[TEXT_SIZE], mujoco[TEXT_SIZE]; ///< versions; empty where absent
    record record[MOST_RECORDS];
} results;

/// Takes in a line that a runner printed. False for a line that is not understood.
bool results_add(results *r, int build, int which, const char *engine, const char *line);

/// The time of a function, or 0: of one build, or the smallest of all builds for build -1. Times of
/// an engine whose answers differ from linkwork's by more than the tolerance do not count.
double results_ns(const results *r, int which, int build, const char *engine, const char *function);

/// The same in one round.
double results_ns_in(const results *r, int round, int which, int build, const char *engine,
                     const char *function);

/// The largest difference within the tolerance that an engine reported for a case; negative where
/// it reported none.
double results_worst(const results *r, int which, const char *engine);

/// Writes the report as Markdown; the number of goals that were missed, in the first build.
int report_markdown(const results *r, FILE *out);
void report_json(const results *r, FILE *out);

#endif
