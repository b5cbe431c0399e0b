// Derivatives of tau by inertial parameters, one by one and all at once.
//
// The force that the motion of a body needs is, in body coordinates about its
// origin,
//
//   f = m A + al x h + w x (w x h),   n = h x A + T al + w x T w,
//
// with A the acceleration of the origin (gravity as an upward acceleration), w
// and al the angular velocity and acceleration, and m, h, T mass, first moment
// and tensor: linear in these ten numbers.
//
// A sensitivity is the recursive Newton-Euler algorithm for the rate of change
// of one inertia: its force goes inward along the path from its body to the
// world and does nothing elsewhere. The regressor reverses the same product.
// The motion (s, sigma) of a joint before the body, in the body's coordinates,
// gives its torque as s.f + sigma.n, so the coefficients of the ten are
//
//   m: s.A    h: s x al + w x (w x s) + A x sigma    T: sym(sigma al' + (sigma
//   x w) w'),
//
// which is less work than ten forces.

#include "arguments.h"
#include "world.h"

#include <linkwork/derivatives.h>

#include <string.h>

// Motion of a body in its own coordinates.
typedef struct own_motion {
    lw_vec3 A, w, al;
} own_motion;

static own_motion own_motion_of(const lwi_world_body *B)
{
    const lw_motion v = lwi_motion_to_body(B, B->vel), a = lwi_motion_to_body(B, B->acc);
    const own_motion r = {lw_add3(a.lin, lw_cross3(v.ang, v.lin)), v.ang, a.ang};
    return r;
}

static lw_status outward(const lw_model *m, lw_data *d, const double *q, const double *v,
                         const double *a)
{
    lwi_state at;
    const lw_status status = lwi_bring_state(m, d, q, v, a, &at);
    if (status != LW_OK) {
        return status;
    }
    if (is_unplanned(m)) {
        return LW_ERR_LIMIT;
    }
    d->kernels->lane->outward(m, d, &at, false);
    for (int i = 0; i < m->nbody; ++i) {
        if (m->carrier[i] == LW_TREE_REVOLUTE) {
            const lw_pose *X = &d->world[i].X;
            d->S[m->v_start[i]] = lwi_rotation_about(X, column_z(&X->R));
        }
    }
    if (m->nstep > 0) {
        lwi_closure_compose(m, d);
    }
    return LW_OK;
}

// --- One by one -------------------------------------------------------------------------------

static lw_force force_of(const own_motion *at, const lw_inertia *I)
{
    const lw_vec3 h = I->first_moment;
    lw_force f;
    f.lin = lw_add3(lwi_axpy3(I->mass, at->A, lw_cross3(at->al, h)),
                    lw_cross3(at->w, lw_cross3(at->w, h)));
    f.ang = lw_add3(lw_add3(lw_cross3(h, at->A), lw_sym3_mul(&I->tensor, at->al)),
                    lw_cross3(at->w, lw_sym3_mul(&I->tensor, at->w)));
    return f;
}

lw_status lw_inertial_sensitivity(const lw_model *m, lw_data *d, const double *q, const double *v,
                                  const double *a, int nparameter,
                                  const lw_inertial_parameter *parameter, double *dtau)
{
    if (!m || nparameter < 0 || (nparameter > 0 && (!parameter || !dtau))) {
        return LW_ERR_ARGUMENT;
    }
    for (int k = 0; k < nparameter; ++k) {
        if (parameter[k].body < -1 || parameter[k].body >= m->nbody) {
            return LW_ERR_ARGUMENT;
        }
    }
    const lw_status status = outward(m, d, q, v, a);
    if (status != LW_OK || nparameter == 0) {
        return status;
    }
    memset(dtau, 0, (size_t)m->nv * (size_t)nparameter * sizeof *dtau);
    for (int k = 0; k < nparameter; ++k) {
        if (parameter[k].body < 0) {
            continue;
        }
        const lwi_world_body *B = &d->world[parameter[k].body];
        const own_motion at = own_motion_of(B);
        const lw_force f = lwi_force_to_world(B, force_of(&at, &parameter[k].rate));
        double *tree = m->nstep > 0 ? d->tree_tau : dtau + k;
        const int stride = m->nstep > 0 ? 1 : nparameter;
        memset(d->tree_tau, 0, (size_t)m->tree_nv * sizeof *tree);
        for (int i = parameter[k].body; i >= 0; i = m->parent[i]) {
            for (int j = m->v_start[i]; j < m->v_start[i + 1]; ++j) {
                tree[j * stride] = lwi_power(d->S[j], f);
            }
        }
        if (m->nstep > 0) {
            lwi_closure_transpose(m, d, d->tree_tau, 1, d->v_work);
            for (int i = 0; i < m->nv; ++i) {
                dtau[i * nparameter + k] = d->v_work[i];
            }
        }
    }
    return LW_OK;
}

// --- All at once ------------------------------------------------------------------------------

// The ten coefficients of a body for a degree of freedom that moves it by x.
static inline void put_coefficients(const own_motion *at, lw_motion x, double *row)
{
    const lw_vec3 s = x.lin, sigma = x.ang;
    const lw_vec3 w = at->w, al = at->al, t = lw_cross3(sigma, w);
    const lw_vec3 h =
        lw_add3(lw_add3(lw_cross3(s, al), lw_cross3(w, lw_cross3(w, s))), lw_cross3(at->A, sigma));
    row[LW_BODY_MASS] = lw_dot3(s, at->A);
    row[LW_BODY_FIRST_MOMENT_X] = h.x;
    row[LW_BODY_FIRST_MOMENT_Y] = h.y;
    row[LW_BODY_FIRST_MOMENT_Z] = h.z;
    row[LW_BODY_TENSOR_XX] = sigma.x * al.x + t.x * w.x;
    row[LW_BODY_TENSOR_YY] = sigma.y * al.y + t.y * w.y;
    row[LW_BODY_TENSOR_ZZ] = sigma.z * al.z + t.z * w.z;
    row[LW_BODY_TENSOR_XY] = sigma.x * al.y + sigma.y * al.x + t.x * w.y + t.y * w.x;
    row[LW_BODY_TENSOR_XZ] = sigma.x * al.z + sigma.z * al.x + t.x * w.z + t.z * w.x;
    row[LW_BODY_TENSOR_YZ] = sigma.y * al.z + sigma.z * al.y + t.y * w.z + t.z * w.y;
}

// Motions of body i, in world axes, for unit rates of all independent degrees of freedom: x [nv].
static void motions_of(const lw_model *m, const lw_data *d, int i, lw_motion *x)
{
    const lwi_fronts *p = m->kernel->program->fronts;
    memset(x, 0, (size_t)m->nv * sizeof *x);
    for (; i >= 0; i = m->parent[i]) {
        for (int j = m->v_start[i]; j < m->v_start[i + 1]; ++j) {
            for (int e = p->row[j]; e < p->row[j] + p->nrow[j]; ++e) {
                x[p->column[e]] = lwi_motion_axpy(d->fronts.g[e], d->S[j], x[p->column[e]]);
            }
        }
    }
}

lw_status lw_regressor(const lw_model *m, lw_data *d, const double *q, const double *v,
                       const double *a, double *Y)
{
    if (!Y) {
        return LW_ERR_ARGUMENT;
    }
    const lw_status status = outward(m, d, q, v, a);
    if (status != LW_OK) {
        return status;
    }
    const size_t width = (size_t)m->nbody * LW_BODY_PARAMETER_COUNT;
    memset(Y, 0, (size_t)m->nv * width * sizeof *Y);
    for (int i = 0; i < m->nbody; ++i) {
        const lwi_world_body *B = &d->world[i];
        const own_motion at = own_motion_of(B);
        double *column = Y + (size_t)i * LW_BODY_PARAMETER_COUNT;
        lw_motion *motion = (lw_motion *)d->tree_J;
        if (m->nstep > 0) {
            motions_of(m, d, i, motion);
        }
        for (int k = 0; k < m->nv && m->nstep > 0; ++k) {
            const lw_motion x = lwi_motion_to_body(B, motion[k]);
            put_coefficients(&at, x, column + (size_t)k * width);
        }
        for (int p = i; p >= 0 && m->nstep == 0; p = m->parent[p]) {
            for (int j = m->v_start[p]; j < m->v_start[p + 1]; ++j) {
                const lw_motion x = lwi_motion_to_body(B, d->S[j]);
                put_coefficients(&at, x, column + (size_t)j * width);
            }
        }
    }
    return LW_OK;
}

lw_status lw_inertial_parameters(const lw_model *m, double *p)
{
    if (!m || !p) {
        return LW_ERR_ARGUMENT;
    }
    for (int i = 0; i < m->nbody; ++i) {
        const lw_inertia *I = &m->inertia[i];
        const lw_vec3 h = I->first_moment;
        const lw_sym3 T = I->tensor;
        const double ten[] = {I->mass, h.x, h.y, h.z, T.xx, T.yy, T.zz, T.xy, T.xz, T.yz};
        memcpy(p + (size_t)i * LW_BODY_PARAMETER_COUNT, ten, sizeof ten);
    }
    return LW_OK;
}
