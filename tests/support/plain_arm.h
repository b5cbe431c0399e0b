// An arm of two joints with names and places as if it were read from a file, for tests of
// diagnostics.
#ifndef PLAIN_ARM_H
#define PLAIN_ARM_H

#include <linkwork/linkwork.h>

/// ground - shoulder - upper - elbow - lower.
typedef struct arm {
    lw_mech *mech;
    lw_joint_def shoulder, elbow;
    lw_link_def upper, lower;
    lw_part lower_part;
} arm;

/// Line n of "arm.xml", column 3.
lw_location line(int n);

/// The definitions, which a test may change before it builds.
arm good_arm(void);
void build(arm *a);

/// A coupling with a law of n coefficients, at line `at`.
void couple(arm *a, const char *dependent, const char *source, int n, int at);

#endif
