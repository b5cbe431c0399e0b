#include "leg.h"

#include "subproblem.h"

#include <math.h>

static const double exact = 1e-9; ///< angles and distances of classes, rad and share of the scale

void lwi_leg_classify(lwi_leg *leg)
{
    const int n = leg->arm.n;
    leg->is_solvable = n == 1;
    if (leg->length == 0.0 && n > 0 && n <= LWI_LEG_JOINTS) {
        leg->reach = lwi_reach_of(&leg->arm, n, leg->scale, exact, exact);
        leg->is_solvable = leg->reach.kind != LWI_REACH_NONE && leg->reach.held == 0;
    }
}

// |p + q h - x| = d; where the line passes farther away, its nearest point.
static int slide_to_distance(lw_vec3 h, lw_vec3 p, lw_vec3 x, double d, lwi_angle q[2])
{
    const lw_vec3 w = lw_sub3(p, x);
    const double along = lw_dot3(h, w), rest = d * d - lw_dot3(w, w) + along * along;
    const double root = sqrt(rest > 0.0 ? rest : 0.0);
    q[0] = (lwi_angle){-along + root, 1.0};
    q[1] = (lwi_angle){-along - root, 1.0};
    return 2;
}

int lwi_leg_solve(const lwi_leg *leg, lw_vec3 target, lwi_angle q[][LWI_LEG_JOINTS])
{
    if (leg->length > 0.0) {
        const lw_vec3 h = leg->arm.h[0], c = leg->arm.c[0];
        lwi_angle one[2];
        const int n = leg->arm.slides[0]
                          ? slide_to_distance(h, leg->end, target, leg->length, one)
                          : lwi_subproblem3(h, lw_sub3(leg->end, c), lw_sub3(target, c),
                                            leg->length, leg->scale, one);
        for (int k = 0; k < n; ++k) {
            q[k][0] = one[k];
        }
        return n;
    }
    static const lwi_angle zero[LWI_LEG_JOINTS] = {{0.0, 1.0}, {0.0, 1.0}, {0.0, 1.0}};
    lwi_reach_solution solution[LWI_REACH_SOLUTIONS];
    const int n = lwi_reach_solve(&leg->reach, leg->end, target, zero, solution);
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < leg->arm.n; ++i) {
            q[k][i] = solution[k].q[i];
        }
    }
    return n;
}

double lwi_leg_gap(const lwi_leg *leg, lw_vec3 target, const lwi_angle *q)
{
    const lwi_arm *arm = &leg->arm;
    lw_vec3 p = leg->end;
    for (int i = arm->n - 1; i >= 0; --i) {
        p = arm->slides[i]
                ? lw_add3(p, lw_scale3(q[i].s, arm->h[i]))
                : lw_add3(arm->c[i], lwi_rotate_about(arm->h[i], q[i], lw_sub3(p, arm->c[i])));
    }
    return fabs(lw_norm3(lw_sub3(p, target)) - leg->length);
}
