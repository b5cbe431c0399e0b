// V20: robots with many joints. Equations are derived by unrolled recursion; the code grows in
// proportion to the number of joints, and thirty joints take less than a minute.
//
// CPU times are printed, not checked but for that bound: they depend on the processor, but not on
// what else runs.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/symbolic.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROOM = 400 };

// A chain whose axes turn by a right angle from joint to joint, with generic inertias.
static lw_model *chain(int n)
{
    char *text = malloc((size_t)(n + 2) * ROOM);
    if (!text) {
        return NULL;
    }
    int used = sprintf(text, "<linkwork version='1' name='chain' angle='degree'><ground/>");
    for (int i = 0; i < n; ++i) {
        char from[32] = "ground";
        if (i > 0) {
            snprintf(from, sizeof from, "l%d", i - 1);
        }
        used += snprintf(text + used, ROOM,
                         "<joint name='j%d' type='revolute' from='%s' to='l%d'><craig alpha='%d' "
                         "a='0.%d' theta='0' d='0.05'/></joint><link name='l%d' mass='1.%d' "
                         "center='0.1 0.02 0.03' inertia='0.1 0.11 0.12 0.01 0.02 0.03'/>",
                         i, from, i, i % 2 ? 90 : -90, i % 7 + 1, i, i % 9);
    }
    strcpy(text + used, "</linkwork>");
    lw_model *m = compile_text("chain.xml", text, NULL);
    free(text);
    return m;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Products of inverse dynamics for n joints; *time gets the CPU time it took.
static int products(int n, double *time)
{
    lw_model *m = chain(n);
    lw_derivation *d = NULL;
    lw_report *report = new_report();
    const double start = cpu_seconds();
    CHECK_INT(lw_derive(m, NULL, &d, report), LW_OK);
    *time = cpu_seconds() - start;
    if (n > 8) {
        CHECK_HAS(lw_report_diagnostic(report, 0).message, "unrolled recursion");
    }
    const lw_counts c = lw_derivation_counts(d, LW_FUNCTION_INVERSE_DYNAMICS);
    printf("%d joints: %d products, %d sums, %.2f s\n", n, c.mul, c.add, *time);
    lw_report_destroy(report);
    lw_derivation_destroy(d);
    lw_model_destroy(m);
    return c.mul;
}

TEST(V20_V24_code_of_many_joints_grows_in_proportion)
{
    double time;
    const int ten = products(10, &time), twenty = products(20, &time);
    const int thirty = products(30, &time);
    CHECK(time < 60.0);
    // Each ten joints cost about as much as the ten before; the first are cheaper, at rest.
    CHECK(ten > 100 && twenty > ten && thirty > twenty);
    CHECK(thirty - twenty < 1.2 * (twenty - ten));
    CHECK(thirty - twenty > 0.8 * (twenty - ten));
}

int main(void)
{
    RUN(V20_V24_code_of_many_joints_grows_in_proportion);
    return REPORT();
}
