// Unit quaternions in q: rotated by a rotation vector, and the way between two of them.
#ifndef LWI_QUATERNION_H
#define LWI_QUATERNION_H

#include <linkwork/math.h>

#include "angle.h"
#include "sincos.h"

static inline lw_quat quat_product(lw_quat a, lw_quat b)
{
    return (lw_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                     a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/// Rotation of the quaternion q[0..3] = w x y z, which need not be normalised.
static inline lw_mat3 quat_rotation(const double *q)
{
    const mat3 R = rotation_of_quaternion(q);
    return (lw_mat3){{{R.row[0].x, R.row[0].y, R.row[0].z},
                      {R.row[1].x, R.row[1].y, R.row[1].z},
                      {R.row[2].x, R.row[2].y, R.row[2].z}}};
}

/// sin(x) / x; by its series where the next term, x^4 / 120, is below the rounding of 1.
static inline double quat_sinc(double x)
{
    double s, c;
    sincos_real(x, &s, &c);
    return fabs(x) < 1e-4 ? 1.0 - x * x / 6.0 : s / x;
}

/// The rotation by a rotation vector.
static inline lw_quat quat_exp(lw_vec3 r)
{
    const double half = 0.5 * lw_norm3(r);
    const double share = 0.5 * quat_sinc(half);
    double s, c;
    sincos_real(half, &s, &c);
    return (lw_quat){c, share * r.x, share * r.y, share * r.z};
}

/// The rotation vector of a unit quaternion, the short way round.
static inline lw_vec3 quat_log(lw_quat q)
{
    const lw_vec3 v = {q.x, q.y, q.z};
    const double s = lw_norm3(v);
    const double sign = q.w < 0.0 ? -1.0 : 1.0;
    const double angle = 2.0 * lwi_angle_of(s, fabs(q.w)); // 2 s, to the last bit, below 1e-8
    return lw_scale3(sign * (s > 1e-8 ? angle / s : 2.0), v);
}

/// The quaternion in q[0..3], normalised.
static inline lw_quat quat_read(const double *q)
{
    const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return (lw_quat){q[0] / n, q[1] / n, q[2] / n, q[3] / n};
}

static inline void quat_write(lw_quat quat, double *q)
{
    const double n = sqrt(quat.w * quat.w + quat.x * quat.x + quat.y * quat.y + quat.z * quat.z);
    q[0] = quat.w / n;
    q[1] = quat.x / n;
    q[2] = quat.y / n;
    q[3] = quat.z / n;
}

/// Where the origin of a body goes, in its axes before the motion, that rotates by w and moves by v
/// in its own axes all along: a screw, V(w) v with V the integral of the rotation.
static inline lw_vec3 quat_screw_shift(lw_vec3 w, lw_vec3 v)
{
    const double angle = lw_norm3(w);
    const double half = quat_sinc(0.5 * angle);
    const double b = 0.5 * half * half; // (1 - cos) / angle^2
    const double c =
        angle < 1e-2 ? 1.0 / 6.0 - angle * angle / 120.0 + angle * angle * angle * angle / 5040.0
                     : (1.0 - quat_sinc(angle)) / (angle * angle);
    const lw_vec3 wv = lw_cross3(w, v);
    return lw_add3(v, lw_add3(lw_scale3(b, wv), lw_scale3(c, lw_cross3(w, wv))));
}

/// The inverse of quat_screw_shift().
static inline lw_vec3 quat_screw_unshift(lw_vec3 w, lw_vec3 shift)
{
    const double angle = lw_norm3(w);
    double k;           // (1 - (angle / 2) cot(angle / 2)) / angle^2
    if (angle < 1e-2) { // where the numerator would cancel; the next term is below 1e-18
        const double a2 = angle * angle;
        k = 1.0 / 12.0 + a2 / 720.0 + a2 * a2 / 30240.0;
    } else {
        double s, c;
        sincos_real(0.5 * angle, &s, &c);
        k = (1.0 - 0.5 * angle * c / s) / (angle * angle);
    }
    const lw_vec3 ws = lw_cross3(w, shift);
    return lw_add3(shift, lw_add3(lw_scale3(-0.5, ws), lw_scale3(k, lw_cross3(w, ws))));
}

/// A free joint's x y z qw qx qy qz, moved along its own axes by v after, and while, rotating by w.
static inline void quat_move_free(const double *q, lw_vec3 w, lw_vec3 v, double *out)
{
    const lw_quat quat = quat_read(q + 3);
    const lw_mat3 R = quat_rotation(q + 3);
    const lw_vec3 p = lw_rotate(&R, quat_screw_shift(w, v));
    out[0] = q[0] + p.x;
    out[1] = q[1] + p.y;
    out[2] = q[2] + p.z;
    quat_write(quat_product(quat, quat_exp(w)), out + 3);
}

/// A spherical joint's quaternion, rotated.
static inline void quat_move(const double *q, lw_vec3 w, double *out)
{
    quat_write(quat_product(quat_read(q), quat_exp(w)), out);
}

#endif
