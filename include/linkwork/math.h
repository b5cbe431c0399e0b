// linkwork/math.h: vectors, rotations, poses and spatial vectors, by value.
//
// Stable. Real-time safe unless stated otherwise; thread safe by const (linkwork/base.h).
//
// Conventions: right-handed frames, SI units, radians; `X_AB` is the pose of frame B in frame A and
// maps B coordinates to A; quaternions are (w, x, y, z); matrices are row-major; spatial vectors
// have the angular part first.
#ifndef LINKWORK_MATH_H
#define LINKWORK_MATH_H

#include <linkwork/base.h>

#ifndef LW_DECLARATIONS_ONLY
#include <math.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_vec3 {
    double x, y, z;
} lw_vec3;

typedef struct lw_mat3 {
    lw_vec3 row[3];
} lw_mat3;

/// A symmetric 3x3 matrix. As an inertia tensor it holds the entries of the tensor, so that
/// xy = -integral of x y dm.
typedef struct lw_sym3 {
    double xx, yy, zz, xy, xz, yz;
} lw_sym3;

/// A unit quaternion.
typedef struct lw_quat {
    double w, x, y, z;
} lw_quat;

/// Position and orientation of a frame: R turns its coordinates into those of the other, p is its
/// origin there, m.
typedef struct lw_pose {
    lw_mat3 R;
    lw_vec3 p;
} lw_pose;

/// A velocity or an acceleration of a body: rad/s and m/s, or rad/s^2 and m/s^2.
typedef struct lw_motion {
    lw_vec3 ang, lin;
} lw_motion;

/// A moment and a force on a body, N m and N, or a momentum. A distinct type on purpose: the
/// compiler then refuses a force where a motion is meant.
typedef struct lw_force {
    lw_vec3 ang, lin;
} lw_force;

/// The inertia of a rigid body about the origin of the frame it is expressed in.
typedef struct lw_inertia {
    double mass;          ///< kg
    lw_vec3 first_moment; ///< mass times centre of mass, kg m
    lw_sym3 tensor;       ///< about the origin of the frame, kg m^2
} lw_inertia;

/// Rotation by `angle` about the unit vector `axis`. Angles and axes that are multiples of a
/// quarter turn about a coordinate axis still carry the rounding of sin and cos.
LW_API lw_mat3 lw_rotation(lw_vec3 axis, double angle);

/// Fixed-axis roll, pitch, yaw: Rz(yaw) Ry(pitch) Rx(roll), as in URDF.
LW_API lw_mat3 lw_rotation_rpy(double roll, double pitch, double yaw);

/// Roll, pitch, yaw of a rotation; pitch lies in [-pi/2, pi/2], and at its ends roll is 0.
LW_API lw_vec3 lw_rpy_of(const lw_mat3 *R);

/// Rotation of a quaternion, which is normalised first.
LW_API lw_mat3 lw_rotation_quat(lw_quat quat);

/// Unit quaternion of a rotation, with w >= 0.
LW_API lw_quat lw_quat_of(const lw_mat3 *R);

/// The rotation vector (axis times angle, angle in [0, pi]) of a rotation, and back.
LW_API lw_vec3 lw_log3(const lw_mat3 *R);
LW_API lw_mat3 lw_exp3(lw_vec3 rotation_vector);

/// A rotation whose third column is the unit vector z. It is an exact signed permutation where z is
/// along a coordinate axis, and the identity where z is (0, 0, 1).
LW_API lw_mat3 lw_rotation_to_z(lw_vec3 z);

/// Inertia about the origin of a frame from mass, centre and the tensor about the centre.
LW_API lw_inertia lw_inertia_of(double mass, lw_vec3 center, lw_sym3 tensor_about_center);

/// The inertia, given in B, expressed in A and about the origin of A.
LW_API lw_inertia lw_inertia_move(const lw_pose *X_AB, const lw_inertia *inertia_B);

/// R * S * R'
LW_API lw_sym3 lw_sym3_rotate(const lw_mat3 *R, const lw_sym3 *S);

#ifndef LW_DECLARATIONS_ONLY

static inline lw_vec3 lw_vec3_of(double x, double y, double z)
{
    const lw_vec3 r = {x, y, z};
    return r;
}

static inline lw_vec3 lw_add3(lw_vec3 a, lw_vec3 b)
{
    const lw_vec3 r = {a.x + b.x, a.y + b.y, a.z + b.z};
    return r;
}

static inline lw_vec3 lw_sub3(lw_vec3 a, lw_vec3 b)
{
    const lw_vec3 r = {a.x - b.x, a.y - b.y, a.z - b.z};
    return r;
}

static inline lw_vec3 lw_scale3(double s, lw_vec3 a)
{
    const lw_vec3 r = {s * a.x, s * a.y, s * a.z};
    return r;
}

static inline double lw_dot3(lw_vec3 a, lw_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline lw_vec3 lw_cross3(lw_vec3 a, lw_vec3 b)
{
    const lw_vec3 r = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return r;
}

static inline double lw_norm3(lw_vec3 a)
{
    return sqrt(lw_dot3(a, a));
}

/// The unit vector along a, which may have any length but zero.
static inline lw_vec3 lw_unit3(lw_vec3 a)
{
    double n = lw_norm3(a);
    if (!(n > 1e-100 && n < 1e100)) {
        // The squares leave the range of double, or nearly so.
        const double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
        const double most = x > y ? (x > z ? x : z) : (y > z ? y : z);
        a = lw_vec3_of(a.x / most, a.y / most, a.z / most);
        n = lw_norm3(a);
    }
    return lw_vec3_of(a.x / n, a.y / n, a.z / n);
}

static inline lw_mat3 lw_mat3_identity(void)
{
    const lw_mat3 r = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return r;
}

static inline lw_mat3 lw_transpose3(const lw_mat3 *A)
{
    const lw_mat3 r = {{{A->row[0].x, A->row[1].x, A->row[2].x},
                        {A->row[0].y, A->row[1].y, A->row[2].y},
                        {A->row[0].z, A->row[1].z, A->row[2].z}}};
    return r;
}

/// R * a
static inline lw_vec3 lw_rotate(const lw_mat3 *R, lw_vec3 a)
{
    const lw_vec3 r = {lw_dot3(R->row[0], a), lw_dot3(R->row[1], a), lw_dot3(R->row[2], a)};
    return r;
}

/// R' * a
static inline lw_vec3 lw_rotate_back(const lw_mat3 *R, lw_vec3 a)
{
    const lw_vec3 r = {R->row[0].x * a.x + R->row[1].x * a.y + R->row[2].x * a.z,
                       R->row[0].y * a.x + R->row[1].y * a.y + R->row[2].y * a.z,
                       R->row[0].z * a.x + R->row[1].z * a.y + R->row[2].z * a.z};
    return r;
}

/// A * B
static inline lw_mat3 lw_mul3(const lw_mat3 *A, const lw_mat3 *B)
{
    lw_mat3 r;
    for (int i = 0; i < 3; ++i) {
        r.row[i] = lw_rotate_back(B, A->row[i]);
    }
    return r;
}

/// S * a
static inline lw_vec3 lw_sym3_mul(const lw_sym3 *S, lw_vec3 a)
{
    const lw_vec3 r = {S->xx * a.x + S->xy * a.y + S->xz * a.z,
                       S->xy * a.x + S->yy * a.y + S->yz * a.z,
                       S->xz * a.x + S->yz * a.y + S->zz * a.z};
    return r;
}

static inline lw_pose lw_pose_identity(void)
{
    const lw_pose r = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};
    return r;
}

/// X_AC = X_AB * X_BC
static inline lw_pose lw_pose_mul(const lw_pose *X_AB, const lw_pose *X_BC)
{
    lw_pose r;
    r.R = lw_mul3(&X_AB->R, &X_BC->R);
    r.p = lw_add3(X_AB->p, lw_rotate(&X_AB->R, X_BC->p));
    return r;
}

/// X_BA from X_AB
static inline lw_pose lw_pose_inverse(const lw_pose *X_AB)
{
    lw_pose r;
    r.R = lw_transpose3(&X_AB->R);
    r.p = lw_scale3(-1.0, lw_rotate_back(&X_AB->R, X_AB->p));
    return r;
}

/// Where the point p, given in B, is in A.
static inline lw_vec3 lw_pose_apply(const lw_pose *X_AB, lw_vec3 p_B)
{
    return lw_add3(X_AB->p, lw_rotate(&X_AB->R, p_B));
}

static inline lw_inertia lw_inertia_add(const lw_inertia *a, const lw_inertia *b)
{
    lw_inertia r;
    r.mass = a->mass + b->mass;
    r.first_moment = lw_add3(a->first_moment, b->first_moment);
    r.tensor.xx = a->tensor.xx + b->tensor.xx;
    r.tensor.yy = a->tensor.yy + b->tensor.yy;
    r.tensor.zz = a->tensor.zz + b->tensor.zz;
    r.tensor.xy = a->tensor.xy + b->tensor.xy;
    r.tensor.xz = a->tensor.xz + b->tensor.xz;
    r.tensor.yz = a->tensor.yz + b->tensor.yz;
    return r;
}

#endif // LW_DECLARATIONS_ONLY

#ifdef __cplusplus
}
#endif
#endif
