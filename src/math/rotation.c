// Rotations in their usual forms, and inertias in other frames.
#include <linkwork/math.h>

#include "quaternion.h"
#include "wide.h"

lw_mat3 lw_rotation(lw_vec3 axis, double angle)
{
    double s, c, half, half_cosine;
    lwi_rounded_sincos(angle, &s, &c);
    lwi_rounded_sincos(0.5 * angle, &half, &half_cosine);
    const double t = 2.0 * half * half; // 1 - cos, without cancellation near zero
    const lw_vec3 a = axis;
    // Rodrigues; the diagonal as c + t a_i^2 keeps quarter turns about coordinate axes clean.
    const lw_mat3 R = {{{c + t * a.x * a.x, t * a.x * a.y - s * a.z, t * a.x * a.z + s * a.y},
                        {t * a.x * a.y + s * a.z, c + t * a.y * a.y, t * a.y * a.z - s * a.x},
                        {t * a.x * a.z - s * a.y, t * a.y * a.z + s * a.x, c + t * a.z * a.z}}};
    return R;
}

lw_mat3 lw_rotation_rpy(double roll, double pitch, double yaw)
{
    double sr, cr, sp, cp, sy, cy;
    lwi_rounded_sincos(roll, &sr, &cr);
    lwi_rounded_sincos(pitch, &sp, &cp);
    lwi_rounded_sincos(yaw, &sy, &cy);
    const lw_mat3 R = {{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                        {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                        {-sp, cp * sr, cp * cr}}};
    return R;
}

lw_vec3 lw_rpy_of(const lw_mat3 *R)
{
    lw_vec3 rpy;
    const double horizontal = hypot(R->row[0].x, R->row[1].x);
    rpy.y = lwi_rounded_atan2(-R->row[2].x, horizontal);
    // Straight up or down only yaw - roll or yaw + roll is known: 1e-12 is the size at which the
    // rounding of the entries would decide the split.
    if (horizontal <= 1e-12) {
        rpy.x = 0.0;
        rpy.z = lwi_rounded_atan2(-R->row[0].y, R->row[1].y);
        return rpy;
    }
    // Roll is what remains once yaw is taken away, so that near that place, where each of the two
    // is uncertain, they belong together all the same.
    rpy.z = lwi_rounded_atan2(R->row[1].x, R->row[0].x);
    const double s = R->row[1].x / horizontal, c = R->row[0].x / horizontal;
    rpy.x = lwi_rounded_atan2(s * R->row[0].z - c * R->row[1].z, c * R->row[1].y - s * R->row[0].y);
    return rpy;
}

static double quat_norm(lw_quat q)
{
    return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

lw_mat3 lw_rotation_quat(lw_quat quat)
{
    const double n = quat_norm(quat);
    if (!(n > 1e-100 && n < 1e100)) {
        // The squares leave the range of double, or nearly so.
        const double most =
            fmax(fmax(fabs(quat.w), fabs(quat.x)), fmax(fabs(quat.y), fabs(quat.z)));
        quat = (lw_quat){quat.w / most, quat.x / most, quat.y / most, quat.z / most};
    }
    return quat_rotation((const double[4]){quat.w, quat.x, quat.y, quat.z});
}

// The largest of the four components is found first, so that no difference of nearly equal numbers
// is divided by (Shepperd 1978).
lw_quat lw_quat_of(const lw_mat3 *R)
{
    const double xx = R->row[0].x, yy = R->row[1].y, zz = R->row[2].z;
    const double trace = xx + yy + zz;
    const lw_vec3 skew = {R->row[2].y - R->row[1].z, R->row[0].z - R->row[2].x,
                          R->row[1].x - R->row[0].y};
    const double xy = R->row[0].y + R->row[1].x, xz = R->row[0].z + R->row[2].x;
    const double yz = R->row[1].z + R->row[2].y;
    lw_quat q;
    if (trace >= xx && trace >= yy && trace >= zz) {
        q = (lw_quat){1.0 + trace, skew.x, skew.y, skew.z};
    } else if (xx >= yy && xx >= zz) {
        q = (lw_quat){skew.x, 1.0 + xx - yy - zz, xy, xz};
    } else if (yy >= zz) {
        q = (lw_quat){skew.y, xy, 1.0 + yy - xx - zz, yz};
    } else {
        q = (lw_quat){skew.z, xz, yz, 1.0 + zz - xx - yy};
    }
    const double n = quat_norm(q);
    const double s = q.w < 0.0 ? -1.0 / n : 1.0 / n;
    return (lw_quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

lw_vec3 lw_log3(const lw_mat3 *R)
{
    const lw_quat q = lw_quat_of(R);
    const lw_vec3 v = {q.x, q.y, q.z};
    const double s = lw_norm3(v);
    // angle / sin(angle / 2) by its series where the quotient is not a number any more.
    const double ratio = s > 1e-8 ? 2.0 * lwi_angle_of(s, q.w) / s : 2.0;
    return lw_scale3(ratio, v);
}

lw_mat3 lw_exp3(lw_vec3 rotation_vector)
{
    const double angle = lw_norm3(rotation_vector);
    if (angle < 1e-150) {
        return lw_mat3_identity();
    }
    return lw_rotation(lw_scale3(1.0 / angle, rotation_vector), angle);
}

lw_mat3 lw_rotation_to_z(lw_vec3 z)
{
    const lw_mat3 along_x = {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
    const lw_mat3 along_minus_x = {{{0, 0, -1}, {-1, 0, 0}, {0, 1, 0}}};
    const lw_mat3 along_y = {{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
    const lw_mat3 along_minus_y = {{{0, -1, 0}, {0, 0, -1}, {1, 0, 0}}};
    const lw_mat3 along_minus_z = {{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
    if (z.y == 0.0 && z.z == 0.0) {
        return z.x > 0.0 ? along_x : along_minus_x;
    }
    if (z.x == 0.0 && z.z == 0.0) {
        return z.y > 0.0 ? along_y : along_minus_y;
    }
    if (z.x == 0.0 && z.y == 0.0) {
        return z.z > 0.0 ? lw_mat3_identity() : along_minus_z;
    }
    // Any x across z will do; the coordinate axis that is farthest from z gives the safest.
    const lw_vec3 far = fabs(z.x) <= fabs(z.y) && fabs(z.x) <= fabs(z.z) ? lw_vec3_of(1, 0, 0)
                        : fabs(z.y) <= fabs(z.z)                         ? lw_vec3_of(0, 1, 0)
                                                                         : lw_vec3_of(0, 0, 1);
    lw_vec3 y = lw_cross3(z, far);
    y = lw_scale3(1.0 / lw_norm3(y), y);
    const lw_vec3 x = lw_cross3(y, z);
    const lw_mat3 R = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return R;
}

lw_sym3 lw_sym3_rotate(const lw_mat3 *R, const lw_sym3 *S)
{
    const lw_vec3 a = lw_sym3_mul(S, R->row[0]);
    const lw_vec3 b = lw_sym3_mul(S, R->row[1]);
    const lw_vec3 c = lw_sym3_mul(S, R->row[2]);
    const lw_sym3 r = {lw_dot3(R->row[0], a), lw_dot3(R->row[1], b), lw_dot3(R->row[2], c),
                       lw_dot3(R->row[0], b), lw_dot3(R->row[0], c), lw_dot3(R->row[1], c)};
    return r;
}

// Adds mass * (p.p 1 - p p') to a tensor.
static lw_sym3 add_point_mass(lw_sym3 S, double mass, lw_vec3 p)
{
    S.xx += mass * (p.y * p.y + p.z * p.z);
    S.yy += mass * (p.x * p.x + p.z * p.z);
    S.zz += mass * (p.x * p.x + p.y * p.y);
    S.xy -= mass * p.x * p.y;
    S.xz -= mass * p.x * p.z;
    S.yz -= mass * p.y * p.z;
    return S;
}

lw_inertia lw_inertia_of(double mass, lw_vec3 center, lw_sym3 tensor_about_center)
{
    lw_inertia r;
    r.mass = mass;
    r.first_moment = lw_scale3(mass, center);
    r.tensor = add_point_mass(tensor_about_center, mass, center);
    return r;
}

// With h the first moment rotated into A, moving the origin from B's to A's by p adds
// (2 h.p + m p.p) 1 - (h p' + p h' + m p p'). No division by the mass, so massless bodies that have
// a tensor keep it.
lw_inertia lw_inertia_move(const lw_pose *X_AB, const lw_inertia *inertia_B)
{
    const lw_vec3 p = X_AB->p;
    const double m = inertia_B->mass;
    const lw_vec3 h = lw_rotate(&X_AB->R, inertia_B->first_moment);
    lw_inertia r;
    r.mass = m;
    r.first_moment = lw_add3(h, lw_scale3(m, p));
    r.tensor = lw_sym3_rotate(&X_AB->R, &inertia_B->tensor);
    r.tensor = add_point_mass(r.tensor, m, p);
    const double hp = 2.0 * lw_dot3(h, p);
    r.tensor.xx += hp - 2.0 * h.x * p.x;
    r.tensor.yy += hp - 2.0 * h.y * p.y;
    r.tensor.zz += hp - 2.0 * h.z * p.z;
    r.tensor.xy -= h.x * p.y + h.y * p.x;
    r.tensor.xz -= h.x * p.z + h.z * p.x;
    r.tensor.yz -= h.y * p.z + h.z * p.y;
    return r;
}
