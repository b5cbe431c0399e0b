// Moving along velocities, and the way between two positions. Everything but quaternions is linear;
// a quaternion is rotated by the rotation vector of its body-fixed angular velocity.
#include <linkwork/kinematics.h>

#include "../math/quaternion.h"
#include "../model/kernel.h"
#include "finite.h"
#include "integrate.h"

static bool is_free(const lw_model *m, const lwi_quat_at *at)
{
    return m->carrier[at->body] == LW_TREE_FREE;
}

// Between the quaternions q and v run side by side.
static void add_scaled(const double *q, const double *v, double t, double *out, int n)
{
    for (int i = 0; i < n; ++i) {
        out[i] = q[i] + t * v[i];
    }
}

// Whether v dt can be squared: rotations are measured by their length.
static bool is_step(const double *v, double dt, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += 0.0 * (dt * v[i] * (dt * v[i]));
    }
    return sum == 0.0;
}

void lwi_integrate(const lw_model *m, const double *q, const double *v, double dt, double *q_out)
{
    int iq = 0, iv = 0;
    for (int k = 0; k < m->kernel->nquat; ++k) {
        const lwi_quat_at *at = &m->kernel->quat[k];
        const int first = at->q - (is_free(m, at) ? 3 : 0);
        add_scaled(q + iq, v + iv, dt, q_out + iq, first - iq);
        const double *u = v + at->v;
        const lw_vec3 w = lw_scale3(dt, lw_vec3_of(u[0], u[1], u[2]));
        if (is_free(m, at)) {
            const lw_vec3 shift = lw_scale3(dt, lw_vec3_of(u[3], u[4], u[5]));
            quat_move_free(q + first, w, shift, q_out + first);
        } else {
            quat_move(q + at->q, w, q_out + at->q);
        }
        iq = at->q + 4;
        iv = at->v + (is_free(m, at) ? 6 : 3);
    }
    add_scaled(q + iq, v + iv, dt, q_out + iq, m->nq - iq);
}

lw_status lw_integrate(const lw_model *m, const double *q, const double *v, double dt,
                       double *q_out)
{
    if (!m || ((!q || !v || !q_out) && m->nq)) {
        return LW_ERR_ARGUMENT;
    }
    if (lwi_check_position(m, q) != LW_OK || !is_step(v, dt, m->nv) || !isfinite(dt)) {
        return LW_ERR_NUMBER;
    }
    if (m->nq > 0) { // else the arrays may be NULL
        lwi_integrate(m, q, v, dt, q_out);
    }
    return LW_OK;
}

static void subtract(const double *q0, const double *q1, double *out, int n)
{
    for (int i = 0; i < n; ++i) {
        out[i] = q1[i] - q0[i];
    }
}

lw_status lw_difference(const lw_model *m, const double *q0, const double *q1, double *difference)
{
    if (!m || ((!q0 || !q1 || !difference) && m->nq)) {
        return LW_ERR_ARGUMENT;
    }
    if (lwi_check_position(m, q0) != LW_OK || lwi_check_position(m, q1) != LW_OK) {
        return LW_ERR_NUMBER;
    }
    if (m->nq == 0) {
        return LW_OK;
    }
    int iq = 0, iv = 0;
    for (int k = 0; k < m->kernel->nquat; ++k) {
        const lwi_quat_at *at = &m->kernel->quat[k];
        const int first = at->q - (is_free(m, at) ? 3 : 0);
        subtract(q0 + iq, q1 + iq, difference + iv, first - iq);
        const lw_quat a = quat_read(q0 + at->q), b = quat_read(q1 + at->q);
        const lw_vec3 w = quat_log(quat_product((lw_quat){a.w, -a.x, -a.y, -a.z}, b));
        double *u = difference + at->v;
        if (is_free(m, at)) {
            const lw_mat3 R = lw_rotation_quat(a);
            const lw_vec3 p = {q1[first] - q0[first], q1[first + 1] - q0[first + 1],
                               q1[first + 2] - q0[first + 2]};
            const lw_vec3 lin = quat_screw_unshift(w, lw_rotate_back(&R, p));
            u[3] = lin.x;
            u[4] = lin.y;
            u[5] = lin.z;
        }
        u[0] = w.x;
        u[1] = w.y;
        u[2] = w.z;
        iq = at->q + 4;
        iv = at->v + (is_free(m, at) ? 6 : 3);
    }
    subtract(q0 + iq, q1 + iq, difference + iv, m->nq - iq);
    return LW_OK;
}

void lwi_position_rate(const lw_model *m, const double *q, const double *v, double *rate)
{
    int iq = 0, iv = 0;
    for (int k = 0; k < m->kernel->nquat; ++k) {
        const lwi_quat_at *at = &m->kernel->quat[k];
        const int first = at->q - (is_free(m, at) ? 3 : 0);
        for (; iq < first; ++iq, ++iv) {
            rate[iq] = v[iv];
        }
        const double *u = v + at->v;
        const lw_quat quat = {q[at->q], q[at->q + 1], q[at->q + 2], q[at->q + 3]};
        if (is_free(m, at)) {
            const lw_mat3 R = lw_rotation_quat(quat);
            const lw_vec3 p = lw_rotate(&R, lw_vec3_of(u[3], u[4], u[5]));
            rate[first] = p.x;
            rate[first + 1] = p.y;
            rate[first + 2] = p.z;
        }
        const lw_quat r = quat_product(quat, (lw_quat){0.0, 0.5 * u[0], 0.5 * u[1], 0.5 * u[2]});
        rate[at->q] = r.w;
        rate[at->q + 1] = r.x;
        rate[at->q + 2] = r.y;
        rate[at->q + 3] = r.z;
        iq = at->q + 4;
        iv = at->v + (is_free(m, at) ? 6 : 3);
    }
    for (; iq < m->nq; ++iq, ++iv) {
        rate[iq] = v[iv];
    }
}

lw_status lw_position_rate(const lw_model *m, const double *q, const double *v, double *rate)
{
    if (!m || ((!q || !v || !rate) && m->nq)) {
        return LW_ERR_ARGUMENT;
    }
    if (lwi_check_position(m, q) != LW_OK || !lwi_all_finite(v, m->nv)) {
        return LW_ERR_NUMBER;
    }
    lwi_position_rate(m, q, v, rate);
    return LW_OK;
}
