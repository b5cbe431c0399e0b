// Recursive Newton-Euler in body coordinates, over the scalar of real.h.
//
// Luh, Walker, Paul (1980), in the classical form: angular velocity and acceleration, and the
// acceleration of the origin; no linear velocity is needed. Three things differ from the textbook.
// Inertias are taken about the body's origin, not about its centre. The acceleration of the body's
// point r is a + U r with U = [wd]x + [w]x [w]x, which is made once a body and serves its force,
// its moment and the origins of its children. The moment comes from the second moments Z of the
// mass instead of its tensor: it is twice the axial vector of U Z, which takes 18 products where I
// wd + w x I w takes 24.
#ifndef LWI_KERNEL_RNEA_H
#define LWI_KERNEL_RNEA_H

#include "kernel_tree.h"

/// Motion of a body, in its own axes.
typedef struct moving {
    vec3 w, wd; ///< angular velocity and acceleration
    vec3 a;     ///< acceleration of the origin; gravity is an upward acceleration
    mat3 U;
} moving;

LWI_INLINE mat3 acceleration_matrix(vec3 w, vec3 wd)
{
    const real xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
    const real xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    return (mat3){{{-(yy + zz), xy - wd.z, xz + wd.y},
                   {xy + wd.z, -(xx + zz), yz - wd.x},
                   {xz - wd.y, yz + wd.x, -(xx + yy)}}};
}

/// Force and moment that the motion of the body itself needs.
LWI_INLINE pair3 newton_euler(const segment *b, const mat3 *U, vec3 a)
{
    const vec3 h = vec3_of(b->h);
    const number *Z = b->second;
    const vec3 *u = U->row;
    const vec3 twist = {u[2].x * Z[3] + u[2].y * Z[1] + u[2].z * Z[5] -
                            (u[1].x * Z[4] + u[1].y * Z[5] + u[1].z * Z[2]),
                        u[0].x * Z[4] + u[0].y * Z[5] + u[0].z * Z[2] -
                            (u[2].x * Z[0] + u[2].y * Z[3] + u[2].z * Z[4]),
                        u[1].x * Z[0] + u[1].y * Z[3] + u[1].z * Z[4] -
                            (u[0].x * Z[3] + u[0].y * Z[1] + u[0].z * Z[5])};
    return (pair3){add3(twist, cross3(h, a)), add3(scale3(real_of(b->mass), a), mul3(U, h))};
}

/// The world as a body: gravity, and its own motion.
static inline void set_moving_world(vec3 w, vec3 wd, vec3 a, vec3 gravity, moving *world)
{
    world->w = w;
    world->wd = wd;
    world->a = sub3(a, gravity);
    world->U = acceleration_matrix(w, wd);
}

/// Joints other than revolute: what the velocity of the body against its parent adds. On entry B
/// has the motion of the parent, in body axes.
static inline void add_joint_velocity(const tree *t, int i, const real *q, const real *v, moving *B)
{
    const segment *b = &t->segment[i];
    const placed_joint *j = &t->joint[i];
    const pair3 v_J = across_joint(b, j, &v[b->v]);
    const vec3 w_P = B->w;
    B->w = add3(w_P, v_J.ang);
    B->wd = add3(B->wd, cross3(w_P, v_J.ang));
    B->a = add3(B->a, cross3(add3(B->w, w_P), v_J.lin));
#if !defined(LWI_REAL_FLOAT)
    if (b->carrier == LW_TREE_USER) {
        const pair3 rate = user_bias(&t->user[i], &q[b->q], &v[b->v]);
        B->wd = add3(B->wd, rate.ang);
        B->a = add3(B->a, rate.lin);
    }
#else
    (void)q;
#endif
}

/// Joint and motion of body i, from its parent's motion.
LWI_INLINE moving move_body(const tree *t, int i, const real *q, const real *v, const real *a,
                            moving P, lwi_rotation_class how)
{
    const segment *b = &t->segment[i];
    const placed_joint *j = &t->joint[i];
    place_joint(t, i, q, how);
    const vec3 w = rotate_in(b, j, P.w, how);
    const vec3 wd = rotate_in(b, j, P.wd, how);
    moving B;
    B.a = rotate_in(b, j, add3(P.a, mul3(&P.U, offset_of(b, j, how))), how);
    if (how != LWI_ROTATION_ANY || b->carrier == LW_TREE_REVOLUTE) {
        const real rate = v[b->v];
        B.w = (vec3){w.x, w.y, w.z + rate};
        B.wd = (vec3){wd.x + w.y * rate, wd.y - w.x * rate, wd.z + a[b->v]};
    } else {
        B.w = w;
        B.wd = wd;
        const pair3 a_J = across_joint(b, j, &a[b->v]);
        add_joint_velocity(t, i, q, v, &B);
        B.wd = add3(B.wd, a_J.ang);
        B.a = add3(B.a, a_J.lin);
    }
    B.U = acceleration_matrix(B.w, B.wd);
    return B;
}

/// Outward: the motion of each body, and the force that this motion needs. Most bodies are attached
/// to the one before, whose motion is at hand; only that of forks is kept, and where rods with mass
/// end.
/// @param kept  [nbody] motions, of few bodies only
/// @param force [nbody]
static inline void rnea_outward(const tree *t, const real *q, const real *v, const real *a,
                                const moving *world, moving *kept, pair3 *force)
{
    moving B = *world;
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        if (b->parent != i - 1) {
            B = b->parent < 0 ? *world : kept[b->parent];
        }
        LWI_BY_ROTATION(b, how, B = move_body(t, i, q, v, a, B, how);
                        force[i] = newton_euler(b, &B.U, B.a))
        if (b->is_kept) {
            kept[i] = B;
        }
    }
}

/// Inward: each joint carries its own body and everything behind it. `force` has the forces through
/// the joints afterwards.
static inline void rnea_inward(const tree *t, pair3 *force, real *tau)
{
    pair3 carried = {0}; // to body i by body i + 1
    for (int i = t->nbody - 1; i >= 0; --i) {
        const segment *b = &t->segment[i];
        const placed_joint *j = &t->joint[i];
        const pair3 f = add6(force[i], carried);
        force[i] = f;
        joint_force(b, j, f, &tau[b->v]);
        LWI_BY_ROTATION(b, how, carried = force_to_parent(b, j, f, how))
        if (b->parent != i - 1) {
            if (b->parent >= 0) {
                force[b->parent] = add6(force[b->parent], carried);
            }
            carried = (pair3){0};
        }
    }
}

/// Outward with gravity alone: nothing moves, and all of the world accelerates by `up`.
static inline void rnea_gravity(const tree *t, const real *q, vec3 up, moving *fork, pair3 *force)
{
    vec3 a = up;
    for (int i = 0; i < t->nbody; ++i) {
        const segment *b = &t->segment[i];
        if (b->parent != i - 1) {
            a = b->parent < 0 ? up : fork[b->parent].a;
        }
        LWI_BY_ROTATION(b, how, place_joint(t, i, q, how); a = rotate_in(b, &t->joint[i], a, how))
        fork[i].a = a;
        force[i] = (pair3){cross3(vec3_of(b->h), a), scale3(real_of(b->mass), a)};
    }
}

#endif
