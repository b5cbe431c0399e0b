// Columns of user joints whose motion subspace changes.

#include "user.h"

void lwi_user_column(const lw_user_joint *joint, const lwi_state *at, const lwi_segment *b,
                     const lwi_world_body *P, const lwi_world_body *B, int k, lw_motion *psi,
                     lw_motion *chi, lw_motion *eta)
{
    if (!joint->bias) {
        return;
    }
    const double *q = at->q + b->q, *v = at->v + b->v, *a = at->a + b->v;
    lw_motion rate[LW_MAX_DOF];
    lwi_user_motion_rate(joint, q, k, rate);
    lw_motion D = {{0, 0, 0}, {0, 0, 0}};
    lw_motion E = lwi_user_bias_rate(joint, q, v, k);
    for (int j = 0; j < joint->nv; ++j) {
        D = lwi_motion_axpy(v[j], rate[j], D);
        E = lwi_motion_axpy(a[j], rate[j], E);
    }
    D = lwi_motion_to_world(B, D);
    E = lwi_motion_to_world(B, E);
    const lw_motion K = lwi_motion_to_world(B, lwi_user_bias_by_velocity(joint, q, v, k));
    const lw_motion carried = lwi_motion_add(P->vel, B->vel);
    *psi = lwi_motion_add(*psi, D);
    *chi = lwi_motion_add(lwi_motion_add(*chi, E), lwi_motion_cross(&carried, D));
    *eta = lwi_motion_add(*eta, K);
}
