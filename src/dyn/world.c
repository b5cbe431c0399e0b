// The outward pass: poses, velocities and accelerations of all bodies, in world axes.

#include "world.h"

#include "../kin/closure.h"

static bool is_finite(const double *x, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; ++k) {
        sum += 0.0 * x[k]; // zero, or not a number
    }
    return sum == 0.0;
}

static bool has_quaternions(const lw_model *m, const double *tree_q)
{
    for (int i = 0; i < m->nbody; ++i) {
        const lwi_body *b = &m->kernel->body[i];
        if (b->carrier == LW_TREE_SPHERICAL || b->carrier == LW_TREE_FREE) {
            const double *q = tree_q + b->q + (b->carrier == LW_TREE_FREE ? 3 : 0);
            if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0.0)) {
                return false;
            }
        }
    }
    return true;
}

lw_status lwi_bring_state(const lw_model *m, lw_data *d, const double *q, const double *v,
                          const double *a, lwi_state *at)
{
    if (!m || !d || d->model != m || !q || !v || !a) {
        return LW_ERR_ARGUMENT;
    }
    d->stage = LW_STAGE_NONE;
    if (!is_finite(q, m->nq) || !is_finite(v, m->nv) || !is_finite(a, m->nv)) {
        return LW_ERR_NUMBER;
    }
    at->q = lwi_closure_position(m, d, q);
    at->v = lwi_closure_velocity(m, d, v);
    at->a = lwi_closure_acceleration(m, d, a);
    return m->kernel->all_revolute || has_quaternions(m, at->q) ? LW_OK : LW_ERR_NUMBER;
}

lwi_world_body lwi_world_ground(const lw_data *d)
{
    const lw_dynamics_options o = lw_get_dynamics_options(d);
    lwi_world_body ground = {lw_mat3_identity(), {0, 0, 0}, o.base_velocity, o.base_acceleration};
    // The spatial acceleration of a point lacks the part that is due to the point's own motion.
    const lw_vec3 own = lw_cross3(o.base_velocity.ang, o.base_velocity.lin);
    ground.acc.lin = lw_sub3(lw_sub3(ground.acc.lin, own), o.gravity);
    return ground;
}

/// The frame in which the joint of a body acts, before the joint itself.
static inline void place(const lwi_body *b, const lwi_world_body *P, lwi_world_body *B)
{
    if (b->placement == LWI_PLACED_SHIFTED) {
        B->R_BW = P->R_BW;
    } else {
        for (int k = 0; k < 3; ++k) {
            const lw_vec3 axis = {b->R[k], b->R[3 + k], b->R[6 + k]};
            B->R_BW.row[k] = lw_rotate_back(&P->R_BW, axis);
        }
    }
    const lw_vec3 p = {b->p[0], b->p[1], b->p[2]};
    B->o = lw_add3(P->o, lw_rotate_back(&P->R_BW, p));
}

static inline void turn_about_z(lwi_world_body *B, double angle)
{
    const double s = sin(angle), c = cos(angle);
    const lw_vec3 x = B->R_BW.row[0], y = B->R_BW.row[1];
    B->R_BW.row[0] = lwi_axpy3(c, x, lw_scale3(s, y));
    B->R_BW.row[1] = lwi_axpy3(c, y, lw_scale3(-s, x));
}

static void turn(lwi_world_body *B, const lw_mat3 *R)
{
    const lw_mat3 back = lw_transpose3(R);
    B->R_BW = lw_mul3(&back, &B->R_BW);
}

static lw_quat quat_at(const double *q)
{
    const lw_quat r = {q[0], q[1], q[2], q[3]};
    return r;
}

// Every joint but the revolute one, which is far the most frequent.
static void move(const lw_model *m, int i, const double *q, lwi_world_body *B)
{
    const lwi_body *b = &m->kernel->body[i];
    switch (b->carrier) {
    case LW_TREE_PRISMATIC:
        B->o = lwi_axpy3(q[0], B->R_BW.row[2], B->o);
        break;
    case LW_TREE_SCREW:
        B->o = lwi_axpy3(b->lead * q[0], B->R_BW.row[2], B->o);
        turn_about_z(B, q[0]);
        break;
    case LW_TREE_SPHERICAL: {
        const lw_mat3 R = lw_rotation_quat(quat_at(q));
        turn(B, &R);
        break;
    }
    case LW_TREE_FREE: {
        const lw_mat3 R = lw_rotation_quat(quat_at(q + 3));
        B->o = lw_add3(B->o, lw_rotate_back(&B->R_BW, lw_vec3_of(q[0], q[1], q[2])));
        turn(B, &R);
        break;
    }
    case LW_TREE_USER: {
        lw_pose X;
        m->kernel->user[i].pose(m->kernel->user[i].context, q, &X);
        B->o = lw_add3(B->o, lw_rotate_back(&B->R_BW, X.p));
        turn(B, &X.R);
        break;
    }
    default:
        turn_about_z(B, q[0]);
        break;
    }
}

static inline lw_motion turning(const lwi_world_body *B, lw_vec3 axis)
{
    const lw_motion S = {axis, lw_cross3(B->o, axis)};
    return S;
}

static inline lw_motion sliding(lw_vec3 axis)
{
    const lw_motion S = {{0, 0, 0}, axis};
    return S;
}

// S of every joint but the revolute one.
static void motions(const lw_model *m, int i, const double *q, const lwi_world_body *B,
                    lw_motion *S)
{
    const lwi_body *b = &m->kernel->body[i];
    const lw_vec3 *axis = B->R_BW.row;
    switch (b->carrier) {
    case LW_TREE_PRISMATIC:
        S[0] = sliding(axis[2]);
        break;
    case LW_TREE_SCREW:
        S[0] = lwi_motion_axpy(b->lead, sliding(axis[2]), turning(B, axis[2]));
        break;
    case LW_TREE_SPHERICAL:
    case LW_TREE_FREE:
        for (int k = 0; k < 3; ++k) {
            S[k] = turning(B, axis[k]);
        }
        for (int k = 3; k < b->nv; ++k) {
            S[k] = sliding(axis[k - 3]);
        }
        break;
    case LW_TREE_USER:
        m->kernel->user[i].motion(m->kernel->user[i].context, q, S);
        for (int k = 0; k < b->nv; ++k) {
            S[k] = lwi_motion_to_world(B, S[k]);
        }
        break;
    default:
        S[0] = turning(B, axis[2]);
        break;
    }
}

// One freedom: S, its rate psi while it is carried along by the parent, and what it adds.
static inline void add_freedom(const lwi_state *at, int k, lw_motion S, const lwi_world_body *P,
                               lwi_world_body *B, lwi_column *column)
{
    const lw_motion psi = lwi_motion_cross(&P->vel, S);
    column->u = lwi_pair6_of(psi, S);
    B->vel = lwi_motion_axpy(at->v[k], S, B->vel);
    B->acc = lwi_motion_axpy(at->v[k], psi, lwi_motion_axpy(at->a[k], S, B->acc));
}

const lwi_world_body *lwi_world_step(const lw_model *m, lw_data *d, int i, const lwi_state *at,
                                     const lwi_world_body *ground, lwi_world_body *root)
{
    const lwi_body *b = &m->kernel->body[i];
    lwi_world_body *B = &d->world[i];
    const lwi_world_body *P = b->parent < 0 ? ground : &d->world[b->parent];
    const double *q = at->q + b->q;
    const bool is_revolute = b->carrier == LW_TREE_REVOLUTE;

    place(b, P, B);
    if (is_revolute) {
        turn_about_z(B, q[0]);
    } else {
        move(m, i, q, B);
    }
    if (b->parent < 0) {
        // The point that everything behind this root refers to.
        *root = *ground;
        root->vel.lin = lw_add3(root->vel.lin, lw_cross3(root->vel.ang, B->o));
        root->acc.lin = lw_add3(root->acc.lin, lw_cross3(root->acc.ang, B->o));
        P = root;
        B->o = lw_vec3_of(0, 0, 0);
    }

    B->vel = P->vel;
    B->acc = P->acc;
    if (is_revolute) {
        add_freedom(at, b->v, turning(B, B->R_BW.row[2]), P, B, &d->column[b->v]);
        return P;
    }
    lw_motion S[LW_MAX_FREEDOM];
    motions(m, i, q, B, S);
    for (int k = 0; k < b->nv; ++k) {
        add_freedom(at, b->v + k, S[k], P, B, &d->column[b->v + k]);
    }
    if (b->carrier == LW_TREE_USER && m->kernel->user[i].bias) {
        lw_motion bias;
        m->kernel->user[i].bias(m->kernel->user[i].context, q, at->v + b->v, &bias);
        B->acc = lwi_motion_add(B->acc, lwi_motion_to_world(B, bias));
    }
    return P;
}
