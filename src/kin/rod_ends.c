#include "rod_ends.h"

#include "unit.h"

#include <string.h>

lwi_rod_ends lwi_rod_at(const lw_model *m, const lw_data *d, int k, int level)
{
    lwi_rod_ends rod = {.mass = m->loop[k].mass};
    for (int side = 0; side < 2; ++side) {
        const lw_frame_info *frame = &m->frame[m->loop[k].frame[side]];
        const int body = frame->body;
        const lw_vec3 p_B = frame->X_BF.p;
        rod.body[side] = body;
        rod.p[side] = body < 0 ? p_B : lw_pose_apply(&d->X_WB[body], p_B);
        if (body < 0 || level < 1) {
            continue;
        }
        const lw_mat3 *R = &d->X_WB[body].R;
        const lw_motion *vel = &d->vel[body], *acc = &d->acc[body];
        const lw_vec3 rotation = lw_cross3(vel->ang, p_B);
        rod.v[side] = lw_rotate(R, lw_add3(vel->lin, rotation));
        if (level > 1) {
            const lw_vec3 inward = lw_cross3(vel->ang, rotation);
            const lw_vec3 a = lw_add3(acc->lin, lw_add3(lw_cross3(acc->ang, p_B), inward));
            rod.a[side] = lw_rotate(R, a);
        }
    }
    return rod;
}

double lwi_rod_moment(const lw_model *m, const lw_data *d, lw_vec3 *moment)
{
    double mass = 0.0;
    *moment = lw_vec3_of(0.0, 0.0, 0.0);
    for (int k = 0; k < m->nloop && d->nrod_mass > 0; ++k) {
        if (lwi_has_rod_mass(m, k)) {
            const lwi_rod_ends rod = lwi_rod_at(m, d, k, 0);
            mass += rod.mass;
            *moment = lw_add3(*moment, lw_scale3(rod.mass / 2, lw_add3(rod.p[0], rod.p[1])));
        }
    }
    return mass;
}

void lwi_rod_jacobian(const lw_model *m, const lw_data *d, const double *tree_q,
                      const lwi_rod_ends *rod, double *J)
{
    const size_t n = (size_t)m->tree_nv;
    memset(J, 0, 6 * n * sizeof *J);
    for (int side = 0; side < 2; ++side) {
        double *row = J + (size_t)(3 * side) * n;
        for (int i = rod->body[side]; i >= 0; i = m->parent[i]) {
            lw_motion S[LW_MAX_DOF];
            const int nv = unit_motions(m, d, tree_q, i, S);
            const lw_vec3 arm = lw_sub3(rod->p[side], d->X_WB[i].p);
            for (int k = 0; k < nv; ++k) {
                const lw_vec3 v = lw_add3(S[k].lin, lw_cross3(S[k].ang, arm));
                double *at = row + m->v_start[i] + k;
                at[0] = v.x;
                at[n] = v.y;
                at[2 * n] = v.z;
            }
        }
    }
}
