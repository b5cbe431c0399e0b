// Derivatives of a user joint's motion subspace and bias, by differences of its callbacks.
//
// The callbacks give S(q) and the bias c = (dS/dt) v, but not their derivatives. Central
// differences of sixth order over the step h = 2^-7 leave h^6/140 of the seventh derivative, 2e-15
// where that is about 1, and a rounding of about 2 epsilon/h of the value, 5e-14. The bias is
// quadratic in v, so its derivative by v is an exact difference over any step.

#include "user_rate.h"

#include "../math/spatial.h"

static const double STEP = 0x1p-7; // rad or m
static const double WEIGHT[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};

void lwi_user_motion_rate(const lw_user_joint *joint, const double *q, int k, lw_motion *rate)
{
    double at[LW_MAX_DOF];
    for (int j = 0; j < joint->nv; ++j) {
        at[j] = q[j];
        rate[j] = (lw_motion){{0, 0, 0}, {0, 0, 0}};
    }
    for (int step = -3; step <= 3; ++step) {
        if (step == 0) {
            continue;
        }
        const int distance = step < 0 ? -step : step;
        const double weight = (step < 0 ? -1.0 : 1.0) * WEIGHT[distance - 1] / STEP;
        lw_motion S[LW_MAX_DOF];
        at[k] = q[k] + step * STEP;
        joint->motion(joint->context, at, S);
        for (int j = 0; j < joint->nv; ++j) {
            rate[j] = lwi_motion_axpy(weight, S[j], rate[j]);
        }
    }
}

lw_motion lwi_user_bias_rate(const lw_user_joint *joint, const double *q, const double *v, int k)
{
    double at[LW_MAX_DOF];
    for (int j = 0; j < joint->nv; ++j) {
        at[j] = q[j];
    }
    lw_motion rate = {{0, 0, 0}, {0, 0, 0}};
    for (int step = -3; step <= 3; ++step) {
        if (step == 0) {
            continue;
        }
        const int distance = step < 0 ? -step : step;
        const double weight = (step < 0 ? -1.0 : 1.0) * WEIGHT[distance - 1] / STEP;
        lw_motion bias;
        at[k] = q[k] + step * STEP;
        joint->bias(joint->context, at, v, &bias);
        rate = lwi_motion_axpy(weight, bias, rate);
    }
    return rate;
}

lw_motion lwi_user_bias_by_velocity(const lw_user_joint *joint, const double *q, const double *v,
                                    int k)
{
    double at[LW_MAX_DOF];
    for (int j = 0; j < joint->nv; ++j) {
        at[j] = v[j];
    }
    lw_motion ahead, behind;
    at[k] = v[k] + 1.0;
    joint->bias(joint->context, q, at, &ahead);
    at[k] = v[k] - 1.0;
    joint->bias(joint->context, q, at, &behind);
    const lw_motion none = {{0, 0, 0}, {0, 0, 0}};
    return lwi_motion_axpy(0.5, ahead, lwi_motion_axpy(-0.5, behind, none));
}
