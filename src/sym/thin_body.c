// A thin body at the end of a chain: all that rotates with its joint lies along one axis x, besides
// an equal share S of the second moments along and across it. With X = U x, N = U z and
// D = S_xx - S,
//
//     force   h_x X + h_z N + m a
//     moment  x × (D X + S_xz N + h_x a) + z × (S_xz X + S_zz N + h_z a) + S's
//
// where only x, rotated by the joint, depends on its angle.
#include "body_motion.h"

int lwi_thin_axis(const lwi_pseudo *P)
{
    for (int k = 0; k < 2 && P->S.xy == LWI_ZERO; ++k) {
        if (P->h.e[1 - k] == LWI_ZERO && P->S.e[5 - k] == LWI_ZERO) {
            return k;
        }
    }
    return -1;
}

void lwi_thin_force(lwi_graph *g, const lwi_sym_body *body, const lwi_pseudo *P, int axis,
                    const lwi_body_motion *still)
{
    lwi_expr c, s;
    lwi_joint_angle(g, body, &c, &s);
    const lwi_vec x = vec_of(axis == 0 ? c : lwi_neg(s), axis == 0 ? s : c, LWI_ZERO);
    const lwi_vec N = mat_column(&still->U, 2), X = mat_apply(g, &still->U, x);
    const lwi_expr S = P->S.e[1 - axis], D = lwi_sub(g, P->S.e[axis], S);
    const lwi_expr hx = P->h.e[axis], hz = P->h.z, Sxz = P->S.e[4 + axis], Szz = P->S.zz;
    lwi_vec V, W;
    for (int k = 0; k < 3; ++k) {
        const lwi_expr a = still->a.e[k], xa = lwi_mul(g, hx, a);
        V.e[k] = lwi_add(g, lwi_add_products(g, D, X.e[k], Sxz, N.e[k]), xa);
        const lwi_expr za = lwi_mul(g, hz, a);
        W.e[k] = lwi_add(g, lwi_add_products(g, Sxz, X.e[k], Szz, N.e[k]), za);
        const lwi_expr ma = lwi_mul(g, P->m, a);
        lwi_add(g, lwi_add_products(g, hx, X.e[k], hz, N.e[k]), ma);
    }
    lwi_vec n = vec_cross(g, x, V);
    n.x = lwi_sub(g, n.x, W.y);
    n.y = lwi_add(g, n.y, W.x);
    lwi_add(g, n.x, lwi_mul(g, S, still->U.row[2].y));
    lwi_sub(g, n.y, lwi_mul(g, S, still->U.row[2].x));
    lwi_add(g, n.z, lwi_mul(g, lwi_add(g, S, S), still->dw.z));
}
