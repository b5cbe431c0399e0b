// Recursive Newton-Euler in body coordinates over complex numbers; Featherstone (2008), table 5.1.
#include "complex_dynamics.h"

#include <stdlib.h>
#include <string.h>

typedef double complex number;

typedef struct vec {
    number at[3];
} vec;

typedef struct mat {
    number at[3][3];
} mat;

typedef struct spatial { // a motion or a force
    vec ang, lin;
} spatial;

typedef struct placed_body {
    mat R;   // body in parent
    vec p;   // likewise
    mat R_W; // body in world
    spatial vel, acc, force;
} placed_body;

static number imaginary(double x)
{
    return x * (number)_Complex_I;
}

static vec vec_of(lw_vec3 a)
{
    return (vec){{a.x, a.y, a.z}};
}

static spatial motion_of(lw_motion a)
{
    return (spatial){vec_of(a.ang), vec_of(a.lin)};
}

static mat mat_of(const lw_mat3 *A)
{
    mat r;
    for (int i = 0; i < 3; ++i) {
        const vec row = vec_of(A->row[i]);
        memcpy(r.at[i], row.at, sizeof row.at);
    }
    return r;
}

static vec axpy(number s, vec x, vec y)
{
    for (int i = 0; i < 3; ++i) {
        y.at[i] += s * x.at[i];
    }
    return y;
}

static vec add(vec a, vec b)
{
    return axpy(1.0, a, b);
}

static vec cross(vec a, vec b)
{
    const number *x = a.at, *y = b.at;
    return (vec){{x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]}};
}

static vec mul(const mat *A, vec b)
{
    vec r = {{0, 0, 0}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r.at[i] += A->at[i][j] * b.at[j];
        }
    }
    return r;
}

static vec mul_back(const mat *A, vec b)
{
    vec r = {{0, 0, 0}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r.at[i] += A->at[j][i] * b.at[j];
        }
    }
    return r;
}

static mat mat_mul(const mat *A, const mat *B)
{
    mat r;
    memset(&r, 0, sizeof r);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k) {
                r.at[i][j] += A->at[i][k] * B->at[k][j];
            }
        }
    }
    return r;
}

static spatial to_child(const placed_body *B, spatial x)
{
    return (spatial){mul_back(&B->R, x.ang), mul_back(&B->R, add(x.lin, cross(x.ang, B->p)))};
}

static spatial to_parent(const placed_body *B, spatial f)
{
    const vec lin = mul(&B->R, f.lin);
    return (spatial){add(mul(&B->R, f.ang), cross(B->p, lin)), lin};
}

static spatial cross_motion(spatial a, spatial b)
{
    return (spatial){cross(a.ang, b.ang), add(cross(a.ang, b.lin), cross(a.lin, b.ang))};
}

static spatial cross_force(spatial a, spatial f)
{
    return (spatial){add(cross(a.ang, f.ang), cross(a.lin, f.lin)), cross(a.ang, f.lin)};
}

static spatial inertia_apply(const lw_inertia *inertia, spatial x)
{
    const lw_sym3 *T = &inertia->tensor;
    const lw_mat3 full = {{{T->xx, T->xy, T->xz}, {T->xy, T->yy, T->yz}, {T->xz, T->yz, T->zz}}};
    const mat tensor = mat_of(&full);
    const vec h = vec_of(inertia->first_moment);
    const vec none = {{0, 0, 0}};
    return (spatial){add(mul(&tensor, x.ang), cross(h, x.lin)),
                     add(axpy(inertia->mass, x.lin, none), cross(x.ang, h))};
}

static mat rotate_about_z(number angle)
{
    const number s = csin(angle), c = ccos(angle);
    return (mat){{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
}

static mat turn_of_quat(const number *q)
{
    const number n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    const number w = q[0], x = q[1], y = q[2], z = q[3];
    mat r = {{{w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)},
              {2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)},
              {2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z}}};
    for (int i = 0; i < 9; ++i) {
        r.at[i / 3][i % 3] /= n;
    }
    return r;
}

// The joint's own pose, and S of each degree of freedom in body coordinates.
static void joint_of(const lw_model *m, int i, const number *q, mat *R, vec *p, spatial *S)
{
    const lw_mat3 identity = lw_mat3_identity();
    *R = mat_of(&identity);
    *p = (vec){{0, 0, 0}};
    memset(S, 0, LW_MAX_DOF * sizeof *S);
    switch (m->carrier[i]) {
    case LW_TREE_REVOLUTE:
        *R = rotate_about_z(q[0]);
        S[0].ang.at[2] = 1.0;
        break;
    case LW_TREE_PRISMATIC:
        p->at[2] = q[0];
        S[0].lin.at[2] = 1.0;
        break;
    case LW_TREE_SCREW:
        *R = rotate_about_z(q[0]);
        p->at[2] = m->lead[i] * q[0];
        S[0].ang.at[2] = 1.0;
        S[0].lin.at[2] = m->lead[i];
        break;
    case LW_TREE_SPHERICAL:
    case LW_TREE_FREE: {
        const bool is_free = m->carrier[i] == LW_TREE_FREE;
        *R = turn_of_quat(is_free ? q + 3 : q);
        for (int k = 0; k < 3; ++k) {
            S[k].ang.at[k] = 1.0;
            p->at[k] = is_free ? q[k] : 0.0;
        }
        for (int k = 0; k < 3 && is_free; ++k) {
            S[3 + k].lin.at[k] = 1.0;
        }
        break;
    }
    default:
        break;
    }
}

bool complex_can(const lw_model *m)
{
    for (int i = 0; i < m->nbody; ++i) {
        if (m->carrier[i] == LW_TREE_USER) {
            return false;
        }
    }
    return true;
}

// --- Closure ----------------------------------------------------------------------------------

typedef struct tree_state {
    number *q, *v, *a, *tau, *slope;
} tree_state;

// Position of a velocity whose joint has as many of both.
static int position_of(const lw_model *m, int v)
{
    int i = 0;
    while (m->v_start[i + 1] <= v) {
        ++i;
    }
    return m->q_start[i] + v - m->v_start[i];
}

static void lift(const lw_model *m, const number *q, const number *v, const number *a,
                 tree_state *at)
{
    for (int k = 0; k < m->nq; ++k) {
        at->q[m->q_tree[k]] = q[k];
    }
    for (int k = 0; k < m->nv; ++k) {
        at->v[m->v_tree[k]] = v[k];
        at->a[m->v_tree[k]] = a[k];
    }
    for (int s = 0; s < m->nstep; ++s) {
        const lw_step_info *step = &m->step[s];
        const int source = step->source[0], target = step->target[0]; // polynomials only
        const number x = at->q[position_of(m, source)], dx = at->v[source];
        number power = 1.0, y = 0.0, slope = 0.0, curve = 0.0; // power of x, two behind
        number before = 0.0, before2 = 0.0;
        for (int k = 0; k < step->ncoefficient; ++k) {
            const double c = step->coefficient[k];
            y += c * power;
            slope += c * k * before;
            curve += c * k * (k - 1) * before2;
            before2 = before;
            before = power;
            power *= x;
        }
        at->q[position_of(m, target)] = y;
        at->v[target] = slope * dx;
        at->a[target] = slope * at->a[source] + curve * dx * dx;
        at->slope[s] = slope;
    }
}

// --- The two passes ---------------------------------------------------------------------------

static spatial load_on(const lw_load_info *load, const placed_body *B)
{
    const mat R = mat_of(&load->X_BF.R);
    vec f = vec_of(load->force), t = vec_of(load->torque);
    if (load->axes == LW_IN_WORLD) {
        f = mul_back(&B->R_W, f);
        t = mul_back(&B->R_W, t);
    } else {
        f = mul(&R, f);
        t = mul(&R, t);
    }
    return (spatial){add(t, cross(vec_of(load->X_BF.p), f)), f};
}

static void subtract(spatial *sum, spatial x)
{
    sum->ang = axpy(-1.0, x.ang, sum->ang);
    sum->lin = axpy(-1.0, x.lin, sum->lin);
}

static void outward(const lw_model *m, const placed_body *ground, const tree_state *at,
                    placed_body *body, spatial (*S)[LW_MAX_DOF])
{
    for (int i = 0; i < m->nbody; ++i) {
        placed_body *B = &body[i];
        const placed_body *P = m->parent[i] < 0 ? ground : &body[m->parent[i]];
        mat R;
        vec p;
        joint_of(m, i, at->q + m->q_start[i], &R, &p, S[i]);
        const mat R_PJ = mat_of(&m->X_PJ[i].R);
        B->R = mat_mul(&R_PJ, &R);
        B->p = add(vec_of(m->X_PJ[i].p), mul(&R_PJ, p));
        B->R_W = mat_mul(&P->R_W, &B->R);

        spatial v_J = {{{0}}, {{0}}}, a_J = v_J;
        for (int k = m->v_start[i]; k < m->v_start[i + 1]; ++k) {
            const spatial *s = &S[i][k - m->v_start[i]];
            v_J = (spatial){axpy(at->v[k], s->ang, v_J.ang), axpy(at->v[k], s->lin, v_J.lin)};
            a_J = (spatial){axpy(at->a[k], s->ang, a_J.ang), axpy(at->a[k], s->lin, a_J.lin)};
        }
        B->vel = to_child(B, P->vel);
        B->vel = (spatial){add(B->vel.ang, v_J.ang), add(B->vel.lin, v_J.lin)};
        const spatial carried = to_child(B, P->acc), turned = cross_motion(B->vel, v_J);
        B->acc.ang = add(add(carried.ang, a_J.ang), turned.ang);
        B->acc.lin = add(add(carried.lin, a_J.lin), turned.lin);

        const spatial momentum = inertia_apply(&m->inertia[i], B->vel);
        const spatial f = inertia_apply(&m->inertia[i], B->acc);
        const spatial g = cross_force(B->vel, momentum);
        B->force = (spatial){add(f.ang, g.ang), add(f.lin, g.lin)};
    }
}

static number joint_force(const lw_model *m, int i, int k, const tree_state *at)
{
    const lw_dof *f = &m->dof[k];
    const number x = at->v[k] / LW_FRICTION_SPEED;
    number tau = f->rotor_inertia * at->a[k] + f->damping * at->v[k];
    tau += f->friction * (creal(x) >= 1.0    ? 1.0
                          : creal(x) <= -1.0 ? -1.0
                                             : x * (1.5 - 0.5 * x * x));
    if (m->carrier[i] != LW_TREE_SPHERICAL && m->carrier[i] != LW_TREE_FREE) {
        tau += f->stiffness * (at->q[m->q_start[i] + k - m->v_start[i]] - f->spring_rest);
    }
    return tau;
}

static number power(spatial a, spatial f)
{
    number sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += a.ang.at[k] * f.ang.at[k] + a.lin.at[k] * f.lin.at[k];
    }
    return sum;
}

static void inward(const lw_model *m, bool is_ideal, placed_body *body, spatial (*S)[LW_MAX_DOF],
                   tree_state *at)
{
    for (int i = m->nbody - 1; i >= 0; --i) {
        for (int k = m->v_start[i]; k < m->v_start[i + 1]; ++k) {
            at->tau[k] = power(S[i][k - m->v_start[i]], body[i].force);
            at->tau[k] += is_ideal ? 0.0 : joint_force(m, i, k, at);
        }
        if (m->parent[i] >= 0) {
            placed_body *P = &body[m->parent[i]];
            const spatial f = to_parent(&body[i], body[i].force);
            P->force = (spatial){add(P->force.ang, f.ang), add(P->force.lin, f.lin)};
        }
    }
}

void complex_inverse_dynamics(const lw_model *m, const lw_dynamics_options *options,
                              const double complex *q, const double complex *v,
                              const double complex *a, const lw_force *f_ext, double complex *tau)
{
    const size_t n = (size_t)(m->tree_nq + m->tree_nv + m->nstep + 1);
    number *room = calloc(5 * n, sizeof *room);
    placed_body *body = calloc((size_t)m->nbody + 1, sizeof *body);
    spatial(*S)[LW_MAX_DOF] = calloc((size_t)m->nbody + 1, sizeof *S);
    tree_state at = {room, room + n, room + 2 * n, room + 3 * n, room + 4 * n};
    lift(m, q, v, a, &at);

    placed_body ground;
    memset(&ground, 0, sizeof ground);
    const lw_mat3 identity = lw_mat3_identity();
    ground.R_W = mat_of(&identity);
    ground.vel = motion_of(options->base_velocity);
    ground.acc = motion_of(options->base_acceleration);
    ground.acc.lin = axpy(-1.0, cross(ground.vel.ang, ground.vel.lin), ground.acc.lin);
    ground.acc.lin = axpy(-1.0, vec_of(options->gravity), ground.acc.lin);

    outward(m, &ground, &at, body, S);
    for (int i = 0; i < m->nbody && f_ext; ++i) {
        subtract(&body[i].force, (spatial){vec_of(f_ext[i].ang), vec_of(f_ext[i].lin)});
    }
    for (int k = 0; k < m->nload; ++k) {
        if (m->load[k].body >= 0) {
            subtract(&body[m->load[k].body].force, load_on(&m->load[k], &body[m->load[k].body]));
        }
    }
    inward(m, options->is_ideal, body, S, &at);
    for (int s = m->nstep - 1; s >= 0; --s) {
        at.tau[m->step[s].source[0]] += at.slope[s] * at.tau[m->step[s].target[0]];
    }
    for (int k = 0; k < m->nv; ++k) {
        tau[k] = at.tau[m->v_tree[k]];
    }
    free(S);
    free(body);
    free(room);
}

// --- Moves ------------------------------------------------------------------------------------

// A quaternion after a turn by i h about axis k of the body.
static void turn_quat(const double *q, int k, double h, number *moved)
{
    static const int SIGN[3][4] = {{-1, 1, 1, -1}, {-1, -1, 1, 1}, {-1, 1, -1, 1}};
    static const int FROM[3][4] = {{1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
    for (int c = 0; c < 4; ++c) {
        moved[c] = q[c] + imaginary(0.5 * h * SIGN[k][c] * q[FROM[k][c]]);
    }
}

// The independent position at which a tree position stands; a joint's positions stay together.
static int independent(const lw_model *m, int tree)
{
    for (int k = 0; k < m->nq; ++k) {
        if (m->q_tree[k] == tree) {
            return k;
        }
    }
    return -1;
}

void complex_move(const lw_model *m, const double *q, int k, double h, double complex *moved)
{
    for (int j = 0; j < m->nq; ++j) {
        moved[j] = q[j];
    }
    int i = 0;
    const int tree = m->v_tree[k];
    while (tree >= m->v_start[i + 1]) {
        ++i;
    }
    const int own = tree - m->v_start[i], at = independent(m, m->q_start[i]);
    if (m->carrier[i] == LW_TREE_SPHERICAL) {
        turn_quat(q + at, own, h, moved + at);
    } else if (m->carrier[i] == LW_TREE_FREE && own < 3) {
        turn_quat(q + at + 3, own, h, moved + at + 3);
    } else if (m->carrier[i] == LW_TREE_FREE) {
        const lw_quat quat = {q[at + 3], q[at + 4], q[at + 5], q[at + 6]};
        const lw_mat3 R = lw_rotation_quat(quat);
        const mat A = mat_of(&R);
        for (int c = 0; c < 3; ++c) {
            moved[at + c] += imaginary(h) * A.at[c][own - 3];
        }
    } else {
        moved[at + own] += imaginary(h);
    }
}
