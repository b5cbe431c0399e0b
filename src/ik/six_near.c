#include "six_near.h"

#include "numeric.h"

#include <math.h>

enum { MOST_ITERATIONS = 10 };

// The pose of the arm of the class, whichever way it is seen.
static lw_pose class_pose(const lwi_six *six, const lwi_angle *q)
{
    if (!six->is_reversed) {
        return lwi_arm_pose(&six->arm, q);
    }
    lwi_angle reversed[6];
    for (int i = 0; i < 6; ++i) {
        reversed[i] = q[5 - i];
    }
    const lw_pose X = lwi_arm_pose(&six->arm, reversed);
    return lw_pose_inverse(&X);
}

static double distance(const lwi_candidate *a, const lwi_candidate *b)
{
    double sum = 0.0;
    for (int i = 0; i < 6; ++i) {
        sum += fabs(a->q[i].s - b->q[i].s) + fabs(a->q[i].c - b->q[i].c);
    }
    return sum;
}

// The candidate with the label of c, of several the nearest one; null where there is none.
static const lwi_candidate *same_branch(const lwi_candidates *list, const lwi_candidate *c)
{
    const lwi_candidate *best = NULL;
    for (int i = 0; i < list->count; ++i) {
        const lwi_candidate *a = &list->at[i];
        const bool is_same =
            a->shoulder == c->shoulder && a->elbow == c->elbow && a->wrist == c->wrist;
        if (is_same && (!best || distance(a, c) < distance(best, c))) {
            best = a;
        }
    }
    return best;
}

static double distance_to(const lw_pose *T, const lw_pose *X)
{
    double e[6], sum = 0.0;
    lwi_pose_error(T, X, LWI_ROWS_POSE, e);
    for (int i = 0; i < 6; ++i) {
        sum += e[i] * e[i];
    }
    return sqrt(sum);
}

void lwi_six_near_solve(const lwi_six *six, const lwi_arm *arm, const lw_pose *X,
                        const lwi_angle *seed, lwi_candidates *work, lwi_candidate *c)
{
    lw_pose target = *X;
    lwi_candidate now = *c;
    double least = (double)INFINITY;
    for (int k = 0; k < MOST_ITERATIONS; ++k) {
        lwi_six_solve(six, &target, seed, work);
        const lwi_candidate *next = same_branch(work, &now);
        if (!next) {
            return;
        }
        now = *next;
        const lw_pose T = lwi_arm_pose(arm, now.q);
        const double r = distance_to(&T, X);
        if (r < least) {
            *c = now;
        }
        if (!(r < 0.7 * least) || r < 1e-15) {
            return;
        }
        least = r;
        const lw_pose back = lw_pose_inverse(&T), T_class = class_pose(six, now.q),
                      change = lw_pose_mul(&back, &T_class);
        target = lw_pose_mul(X, &change);
    }
}
