// Solvers of inverse kinematics for arms between two frames, and what tests ask of them.
#ifndef TESTS_IK_ARM_H
#define TESTS_IK_ARM_H

#include <linkwork/ik.h>

/// A solver for a machine, from the world or a frame to a frame.
typedef struct ik_arm {
    lw_model *m;
    lw_data *d;
    lw_ik *ik;
    lw_ik_def def;
} ik_arm;

/// Of the folder models; `base` NULL is the world.
ik_arm open_ik_arm(const char *model, const char *base, const char *tip);

void close_ik_arm(ik_arm *a);

/// The pose of the tip at q.
lw_ik_target ik_target_at(const ik_arm *a, const double *q);

/// Every position within half a turn of 0.
void random_ik_position(const ik_arm *a, double *q);

/// How far two configurations are apart, angles modulo full turns.
double ik_apart(const lw_ik_info *info, const double *a, const double *b);

/// The index of the exact solution that is at q, or -1.
int find_ik_solution(const lw_ik *ik, const lw_ik_result *r, const double *q, double tolerance);

#endif
