// A thin body at the end of a chain: all that turns with its joint lies along one axis x, besides
// an equal share S of the second moments along and across it. With X = U x and N = U z, and D what
// S_xx is more than S,
//
//     force   h_x X + h_z N + m a
//     moment  x × (D X + S_xz N + h_x a) + z × (S_xz X + S_zz N + h_z a) + S's
//
// where x, turned by the joint, is all that hangs on its angle.
#include "body_axes.h"
#include "body_motion.h"
#include "vector.h"

int lwi_thin_axis(const lwi_pseudo *P)
{
    for (int k = 0; k < 2 && P->S[3] == LWI_ZERO; k++) {
        if (P->h[1 - k] == LWI_ZERO && P->S[5 - k] == LWI_ZERO) {
            return k;
        }
    }
    return -1;
}

void lwi_thin_force(lwi_graph *g, const lwi_robot_body *body, const lwi_pseudo *P, int axis,
                    const lwi_body_motion *still)
{
    lwi_expr c, s, X[3], V[3], W[3], n[3];
    lwi_joint_angle(g, body, &c, &s);
    const lwi_expr x[3] = {axis == 0 ? c : lwi_neg(s), axis == 0 ? s : c, LWI_ZERO};
    const lwi_expr N[3] = {still->U[2], still->U[5], still->U[8]};
    const lwi_expr S = P->S[1 - axis], D = lwi_sub(g, P->S[axis], S);
    const lwi_expr hx = P->h[axis], hz = P->h[2], Sxz = P->S[4 + axis], Szz = P->S[2];
    lwi_apply3(g, still->U, x, X);
    for (int k = 0; k < 3; k++) {
        const lwi_expr a = still->a[k];
        const lwi_expr xa = lwi_mul(g, hx, a);
        V[k] = lwi_add(g, lwi_add_products(g, D, X[k], Sxz, N[k]), xa);
        const lwi_expr za = lwi_mul(g, hz, a);
        W[k] = lwi_add(g, lwi_add_products(g, Sxz, X[k], Szz, N[k]), za);
        const lwi_expr ma = lwi_mul(g, P->m, a);
        lwi_add(g, lwi_add_products(g, hx, X[k], hz, N[k]), ma);
    }
    lwi_cross3(g, x, V, n);
    n[0] = lwi_sub(g, n[0], W[1]);
    n[1] = lwi_add(g, n[1], W[0]);
    lwi_add(g, n[0], lwi_mul(g, S, still->U[7]));
    lwi_sub(g, n[1], lwi_mul(g, S, still->U[6]));
    lwi_add(g, n[2], lwi_mul(g, lwi_add(g, S, S), still->dw[2]));
}
