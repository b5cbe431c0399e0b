// Moving along velocities, and the way between two positions. Everything but quaternions is linear;
// a quaternion is turned by the rotation vector of its body-fixed angular velocity.
#include <linkwork/kinematics.h>

#include "../model/kernel.h"
#include "finite.h"

static lw_quat product(lw_quat a, lw_quat b)
{
    return (lw_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                     a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

// sin(x) / x
static double sinc(double x)
{
    return fabs(x) < 1e-4 ? 1.0 - x * x / 6.0 : sin(x) / x;
}

static lw_quat quat_exp(lw_vec3 r)
{
    const double half = 0.5 * lw_norm3(r);
    const double s = 0.5 * sinc(half);
    return (lw_quat){cos(half), s * r.x, s * r.y, s * r.z};
}

// The rotation vector of a unit quaternion, the short way round.
static lw_vec3 quat_log(lw_quat q)
{
    const lw_vec3 v = {q.x, q.y, q.z};
    const double s = lw_norm3(v);
    const double sign = q.w < 0.0 ? -1.0 : 1.0;
    const double angle = 2.0 * atan2(s, fabs(q.w));
    return lw_scale3(sign * (s > 1e-8 ? angle / s : 2.0), v);
}

static lw_quat read_quat(const double *q)
{
    const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return (lw_quat){q[0] / n, q[1] / n, q[2] / n, q[3] / n};
}

static void write_quat(lw_quat quat, double *q)
{
    const double n = sqrt(quat.w * quat.w + quat.x * quat.x + quat.y * quat.y + quat.z * quat.z);
    q[0] = quat.w / n;
    q[1] = quat.x / n;
    q[2] = quat.y / n;
    q[3] = quat.z / n;
}

// The position of a free joint moves along its body axes: the path of constant body velocity is a
// screw, p += R V(w) v with V the integral of the turning.
static lw_vec3 screw_shift(lw_vec3 w, lw_vec3 v)
{
    const double angle = lw_norm3(w);
    const double half = sinc(0.5 * angle);
    const double b = 0.5 * half * half; // (1 - cos) / angle^2
    const double c = angle < 1e-2 ? 1.0 / 6.0 - angle * angle / 120.0 + pow(angle, 4) / 5040.0
                                  : (1.0 - sinc(angle)) / (angle * angle);
    const lw_vec3 wv = lw_cross3(w, v);
    return lw_add3(v, lw_add3(lw_scale3(b, wv), lw_scale3(c, lw_cross3(w, wv))));
}

// The inverse of screw_shift().
static lw_vec3 screw_unshift(lw_vec3 w, lw_vec3 shift)
{
    const double angle = lw_norm3(w);
    double k; // (1 - (angle / 2) cot(angle / 2)) / angle^2
    if (angle < 1e-2) {
        const double a2 = angle * angle;
        k = 1.0 / 12.0 + a2 / 720.0 + a2 * a2 / 30240.0;
    } else {
        k = (1.0 - 0.5 * angle * cos(0.5 * angle) / sin(0.5 * angle)) / (angle * angle);
    }
    const lw_vec3 ws = lw_cross3(w, shift);
    return lw_add3(shift, lw_add3(lw_scale3(-0.5, ws), lw_scale3(k, lw_cross3(w, ws))));
}

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

// Whether v dt can be squared: turns are measured by their length.
static bool is_step(const double *v, double dt, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += 0.0 * (dt * v[i] * (dt * v[i]));
    }
    return sum == 0.0;
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
    int iq = 0, iv = 0;
    for (int k = 0; k < m->kernel->nquat; ++k) {
        const lwi_quat_at *at = &m->kernel->quat[k];
        const int first = at->q - (is_free(m, at) ? 3 : 0);
        add_scaled(q + iq, v + iv, dt, q_out + iq, first - iq);
        const double *u = v + at->v;
        const lw_vec3 w = lw_scale3(dt, lw_vec3_of(u[0], u[1], u[2]));
        const lw_quat quat = read_quat(q + at->q);
        if (is_free(m, at)) {
            const lw_vec3 shift = screw_shift(w, lw_scale3(dt, lw_vec3_of(u[3], u[4], u[5])));
            const lw_mat3 R = lw_rotation_quat(quat);
            const lw_vec3 p = lw_rotate(&R, shift);
            q_out[first] = q[first] + p.x;
            q_out[first + 1] = q[first + 1] + p.y;
            q_out[first + 2] = q[first + 2] + p.z;
        }
        write_quat(product(quat, quat_exp(w)), q_out + at->q);
        iq = at->q + 4;
        iv = at->v + (is_free(m, at) ? 6 : 3);
    }
    add_scaled(q + iq, v + iv, dt, q_out + iq, m->nq - iq);
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
    int iq = 0, iv = 0;
    for (int k = 0; k < m->kernel->nquat; ++k) {
        const lwi_quat_at *at = &m->kernel->quat[k];
        const int first = at->q - (is_free(m, at) ? 3 : 0);
        subtract(q0 + iq, q1 + iq, difference + iv, first - iq);
        const lw_quat a = read_quat(q0 + at->q), b = read_quat(q1 + at->q);
        const lw_vec3 w = quat_log(product((lw_quat){a.w, -a.x, -a.y, -a.z}, b));
        double *u = difference + at->v;
        if (is_free(m, at)) {
            const lw_mat3 R = lw_rotation_quat(a);
            const lw_vec3 p = {q1[first] - q0[first], q1[first + 1] - q0[first + 1],
                               q1[first + 2] - q0[first + 2]};
            const lw_vec3 lin = screw_unshift(w, lw_rotate_back(&R, p));
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

lw_status lw_position_rate(const lw_model *m, const double *q, const double *v, double *rate)
{
    if (!m || ((!q || !v || !rate) && m->nq)) {
        return LW_ERR_ARGUMENT;
    }
    if (lwi_check_position(m, q) != LW_OK || !lwi_all_finite(v, m->nv)) {
        return LW_ERR_NUMBER;
    }
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
        const lw_quat r = product(quat, (lw_quat){0.0, 0.5 * u[0], 0.5 * u[1], 0.5 * u[2]});
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
    return LW_OK;
}
