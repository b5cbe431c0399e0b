// A small test frame: checks that print like a compiler, go on, and are counted.
//
//     TEST(D01_revolute_joint_turns_about_its_axis) { CHECK_NEAR(...); }
//     int main(void) { RUN(D01_revolute_joint_turns_about_its_axis); return REPORT(); }
//
// Names carry the identifiers of the papers' checklist where they cover an item of it.
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>

#define TEST(name) static void name(void)

typedef struct check_state {
    int failed_checks;
    bool is_skipped;
} check_state;

/// Runs one test and counts it as passed, failed or skipped.
#define RUN(name) check_run(#name, name)
void check_run(const char *name, void (*test)(void));

/// Prints "N passed, N failed, N skipped" and returns the exit code.
#define REPORT() check_report()
int check_report(void);

/// Marks the running test as skipped, for a reason that is printed. Then return.
void check_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// A line printed before the checks of one case, when one of them fails ("model, state").
void check_case(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define CHECK(condition) check_true(__FILE__, __LINE__, (condition), #condition)
#define CHECK_INT(actual, wanted) check_int(__FILE__, __LINE__, (actual), (wanted), #actual)
#define CHECK_NEAR(actual, wanted, tolerance)                                                      \
    check_near(__FILE__, __LINE__, (actual), (wanted), (tolerance), #actual)
#define CHECK_TEXT(actual, wanted) check_text(__FILE__, __LINE__, (actual), (wanted), #actual)
/// The text contains the other.
#define CHECK_HAS(actual, part) check_has(__FILE__, __LINE__, (actual), (part), #actual)

bool check_true(const char *file, int line, bool condition, const char *text);
bool check_int(const char *file, int line, long long actual, long long wanted, const char *text);
bool check_near(const char *file, int line, double actual, double wanted, double tolerance,
                const char *text);
bool check_text(const char *file, int line, const char *actual, const char *wanted,
                const char *text);
bool check_has(const char *file, int line, const char *actual, const char *part, const char *text);

/// Uniform in [low, high), from a fixed seed; the same on every machine.
double check_random(double low, double high);
void check_seed(unsigned long long seed);

#endif
