// Timing one function, and the lines in which a timed process reports to the one that compares.
//
//   time FUNCTION NS WORST    the median time of a call, and the largest difference from linkwork
//   none FUNCTION WORDS       why there is no time
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Evaluates one state.
typedef void bench_call(void *context, int state);

/// Time of a call in ns: the median over blocks of calls that go through the states in order, round
/// and round.
double bench_time(bench_call *call, void *context, int nstate);

/// Times n calls one by one, by the clock of the thread, which stands still while other processes
/// run; interrupts count. The median and the largest, in ns.
/// @return false where there is no memory
bool bench_worst(bench_call *call, void *context, int nstate, int n, double *median,
                 double *largest);

/// Instructions of a call: callgrind counts a run of `self` as "--calls FUNCTION COUNT ARGUMENTS",
/// which does nothing but so many calls, and one of none. 0 where valgrind is not there.
double bench_instructions(const char *self, int function, int count, const char *arguments);

/// Prints the line of a function. `worst` is the largest difference from linkwork over all compared
/// states, relative to the largest number of the answer; 0 for linkwork itself.
void bench_print_time(const char *function, double ns, double worst);
void bench_print_none(const char *function, const char *why);

/// The largest |x - y|, relative to the largest |y| or 1; a NaN counts as infinitely far.
double bench_difference(const double *x, const double *y, int n);

/// Keeps the compiler from leaving out what nobody reads.
static inline void bench_keep(const void *result)
{
    __asm__ volatile("" : : "r"(result) : "memory");
}

/// Cycles that the function "cycles" of a runner takes.
enum { BENCH_CYCLES = 1000 };

#ifdef __cplusplus
}
#endif
#endif
