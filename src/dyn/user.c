// Derivatives of a user joint's motion subspace, by differences of its callbacks.
//
// The callbacks give S(q) and the bias c = (dS/dt) v, but not their derivatives. Central
// differences of sixth order over the step h = 2^-7 leave h^6/140 of the seventh derivative, 2e-15
// where that is about 1, and a rounding of about 2 epsilon/h of the value, 5e-14. The bias is
// quadratic in v, so its derivative by v is an exact difference over any step.

#include "user.h"

static const double STEP = 0x1p-7; // rad or m
static const double WEIGHT[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};

void lwi_user_motion_rate(const lw_user_joint *joint, const double *q, int k, lw_motion *rate)
{
    double at[LW_MAX_FREEDOM];
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
        lw_motion S[LW_MAX_FREEDOM];
        at[k] = q[k] + step * STEP;
        joint->motion(joint->context, at, S);
        for (int j = 0; j < joint->nv; ++j) {
            rate[j] = lwi_motion_axpy(weight, S[j], rate[j]);
        }
    }
}

// Derivative of the bias by q_k.
static lw_motion bias_rate(const lw_user_joint *joint, const double *q, const double *v, int k)
{
    double at[LW_MAX_FREEDOM];
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

// Derivative of the bias by v_k.
static lw_motion bias_by_velocity(const lw_user_joint *joint, const double *q, const double *v,
                                  int k)
{
    double at[LW_MAX_FREEDOM];
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

void lwi_user_columns(const lw_user_joint *joint, const lwi_state *at, const lwi_body *b,
                      const lwi_world_body *P, const lwi_world_body *B, lwi_column *column)
{
    if (!joint->bias) {
        return;
    }
    const double *q = at->q + b->q, *v = at->v + b->v, *a = at->a + b->v;
    const lw_motion carried = lwi_motion_add(P->vel, B->vel);
    for (int k = 0; k < joint->nv; ++k) {
        lw_motion rate[LW_MAX_FREEDOM];
        lwi_user_motion_rate(joint, q, k, rate);
        lw_motion D = {{0, 0, 0}, {0, 0, 0}};
        lw_motion E = bias_rate(joint, q, v, k);
        for (int j = 0; j < joint->nv; ++j) {
            D = lwi_motion_axpy(v[j], rate[j], D);
            E = lwi_motion_axpy(a[j], rate[j], E);
        }
        D = lwi_motion_to_world(B, D);
        E = lwi_motion_to_world(B, E);
        const lw_motion K = lwi_motion_to_world(B, bias_by_velocity(joint, q, v, k));

        const lw_motion S = lwi_column_S(&column[k]);
        const lw_motion psi = lwi_motion_add(lwi_pair6_lane(&column[k].u, 0), D);
        const lw_motion chi = lwi_motion_add(lwi_motion_add(lwi_pair6_lane(&column[k].w, 0), E),
                                             lwi_motion_cross(&carried, D));
        const lw_motion eta = lwi_motion_add(lwi_pair6_lane(&column[k].w, 1), K);
        column[k].u = lwi_pair6_of(psi, S);
        column[k].w = lwi_pair6_of(chi, eta);
    }
}
