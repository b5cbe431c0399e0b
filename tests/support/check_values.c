#include "check.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int passed, failed, skipped;
static check_state now;
static char case_text[256];
static bool is_case_printed;
static uint64_t random_state = 0x9e3779b97f4a7c15u;

void check_run(const char *name, void (*test)(void))
{
    now = (check_state){0};
    case_text[0] = '\0';
    is_case_printed = false;
    check_seed(1);
    test();
    const char *word = now.failed_checks ? "FAILED" : now.is_skipped ? "skipped" : "ok";
    printf("%-8s%s\n", word, name);
    fflush(stdout);
    if (now.failed_checks) {
        ++failed;
    } else if (now.is_skipped) {
        ++skipped;
    } else {
        ++passed;
    }
}

int check_report(void)
{
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed != 0 || passed + skipped == 0;
}

void check_skip(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("skip: ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    now.is_skipped = true;
}

void check_case(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(case_text, sizeof case_text, format, args);
    va_end(args);
    is_case_printed = false;
}

static bool note(bool is_good, const char *file, int line)
{
    enum { MOST_PRINTED = 20 };
    if (is_good) {
        return true;
    }
    if (++now.failed_checks > MOST_PRINTED) {
        return false;
    }
    if (case_text[0] && !is_case_printed) {
        printf("in the case of %s:\n", case_text);
        is_case_printed = true;
    }
    const char *slash = strrchr(file, '/');
    printf("%s:%d: ", slash ? slash + 1 : file, line);
    return false;
}

static bool is_printed(void)
{
    return now.failed_checks <= 20;
}

bool check_true(const char *file, int line, bool condition, const char *text)
{
    if (!note(condition, file, line) && is_printed()) {
        printf("%s does not hold\n", text);
    }
    return condition;
}

bool check_int(const char *file, int line, long long actual, long long wanted, const char *text)
{
    if (!note(actual == wanted, file, line) && is_printed()) {
        printf("%s is %lld, want %lld\n", text, actual, wanted);
    }
    return actual == wanted;
}

bool check_near(const char *file, int line, double actual, double wanted, double tolerance,
                const char *text)
{
    const bool is_good = fabs(actual - wanted) <= tolerance; // false for NaN
    if (!note(is_good, file, line) && is_printed()) {
        printf("%s is %.17g, want %.17g (tol %g)\n", text, actual, wanted, tolerance);
    }
    return is_good;
}

bool check_text(const char *file, int line, const char *actual, const char *wanted,
                const char *text)
{
    const bool is_good = actual && strcmp(actual, wanted) == 0;
    if (!note(is_good, file, line) && is_printed()) {
        printf("%s is \"%s\", want \"%s\"\n", text, actual ? actual : "(null)", wanted);
    }
    return is_good;
}

bool check_has(const char *file, int line, const char *actual, const char *part, const char *text)
{
    const bool is_good = actual && strstr(actual, part);
    if (!note(is_good, file, line) && is_printed()) {
        printf("%s is \"%s\", want it to contain \"%s\"\n", text, actual ? actual : "(null)", part);
    }
    return is_good;
}

void check_seed(unsigned long long seed)
{
    random_state = seed * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
}

// splitmix64 (Steele, Lea, Flood 2014)
double check_random(double low, double high)
{
    uint64_t z = (random_state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return low + (high - low) * (double)(z >> 11) * 0x1p-53;
}
