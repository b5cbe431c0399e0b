// Newton and Euler's recursion over expressions, for every kind of joint: out from the world for
// accelerations, back for forces. One recursion serves inverse dynamics, columns of the mass matrix
// (u = v = 0), of the Coriolis matrix and the Christoffel symbols (unit u), weight and the
// regressor (unit inertias).
//
// A particle at r of a body whose origin is O has, for rates u, the velocity U + w_u x r; followed
// along the motion v that changes by A + dw x r + w_u x (w_v x r). Summed over the body with its
// second moments E (which are tr(I)/2 - I):
//
//   force   m A + dw x h + w_u x (w_v x h)
//   moment  h x A + I dw - w_v x (E w_u)
#include "symbolic_model.h"

typedef struct motion {
    lwi_vec wu, wv; ///< angular velocities
    lwi_vec dw, A;  ///< rates: of w_u, of the velocity of the origin
} motion;

typedef struct wrench {
    lwi_vec n, f;
} wrench;

typedef struct joint_rates {
    lwi_vec ang, lin;
} joint_rates;

// What the degrees of freedom of a joint do, along the axes of the body.
static joint_rates joint_motion(lwi_machine *k, const lwi_sbody *b, const lwi_expr *rate)
{
    joint_rates out = {vec_zero(), vec_zero()};
    if (!rate) {
        return out;
    }
    const lwi_expr *x = rate + b->v;
    switch (b->carrier) {
    case LW_TREE_REVOLUTE:
        out.ang.z = x[0];
        break;
    case LW_TREE_PRISMATIC:
        out.lin.z = x[0];
        break;
    case LW_TREE_SCREW:
        out.ang.z = x[0];
        out.lin.z = lwi_mul(k->g, b->lead, x[0]);
        break;
    default:
        out.ang = (lwi_vec){x[0], x[1], x[2]};
        if (b->carrier == LW_TREE_FREE) {
            out.lin = (lwi_vec){x[3], x[4], x[5]};
        }
        break;
    }
    return out;
}

static motion body_motion(lwi_machine *k, const lwi_sbody *b, const motion *before,
                          const lwi_motion_input *in)
{
    lwi_graph *g = k->g;
    const lwi_rot *R = &b->X.R;
    const lwi_vec p = b->X.p;
    const joint_rates u = joint_motion(k, b, in->u), v = joint_motion(k, b, in->v),
                      a = joint_motion(k, b, in->a);
    const lwi_vec wu = rot_back(g, R, before->wu), wv = rot_back(g, R, before->wv);
    motion out;
    out.wu = vec_add(g, wu, u.ang);
    out.wv = vec_add(g, wv, v.ang);
    const lwi_vec own = vec_add(g, vec_cross(g, out.wv, u.ang), a.ang);
    out.dw = vec_add(g, rot_back(g, R, before->dw), own);
    const lwi_vec inward = vec_cross(g, before->wu, vec_cross(g, before->wv, p));
    const lwi_vec carried = vec_add(g, vec_cross(g, before->dw, p), inward);
    out.A = rot_back(g, R, vec_add(g, before->A, carried));
    out.A = vec_add(g, out.A, a.lin);
    out.A = vec_add(g, out.A, vec_cross(g, wu, v.lin));
    out.A = vec_add(g, out.A, vec_cross(g, out.wv, u.lin));
    return out;
}

// E = tr(I)/2 - I
static lwi_sym second_moments(lwi_graph *g, const lwi_sym *I)
{
    const lwi_expr half = lwi_number(g, 0.5);
    const lwi_expr sum = lwi_mul(g, half, lwi_add(g, lwi_add(g, I->xx, I->yy), I->zz));
    return (lwi_sym){lwi_sub(g, sum, I->xx), lwi_sub(g, sum, I->yy), lwi_sub(g, sum, I->zz),
                     lwi_neg(I->xy),         lwi_neg(I->xz),         lwi_neg(I->yz)};
}

static wrench body_wrench(lwi_machine *k, const lwi_mass *I, const motion *o)
{
    lwi_graph *g = k->g;
    const lwi_vec h = I->first;
    const lwi_sym E = second_moments(g, &I->tensor);
    wrench out;
    out.f = vec_scale(g, I->mass, o->A);
    out.f = vec_add(g, out.f, vec_cross(g, o->dw, h));
    out.f = vec_add(g, out.f, vec_cross(g, o->wu, vec_cross(g, o->wv, h)));
    const lwi_vec spin = sym_apply(g, &I->tensor, o->dw);
    out.n = vec_add(g, vec_cross(g, h, o->A), spin);
    out.n = vec_sub(g, out.n, vec_cross(g, o->wv, sym_apply(g, &E, o->wu)));
    return out;
}

// A force at the point p of a body.
static void push(lwi_graph *g, wrench *w, lwi_vec p, lwi_vec f, lwi_vec n)
{
    w->f = vec_add(g, w->f, f);
    w->n = vec_add(g, w->n, vec_add(g, n, vec_cross(g, p, f)));
}

static void loads(lwi_machine *k, const lwi_frame *world, wrench *w)
{
    lwi_graph *g = k->g;
    for (int i = 0; i < k->m->nload; ++i) {
        const lw_load_info *load = &k->m->load[i];
        if (load->body < 0) {
            continue;
        }
        lwi_vec f = vec_number(g, load->force), n = vec_number(g, load->torque);
        if (load->axes == LW_IN_WORLD) {
            f = rot_back(g, &world[load->body].R, f);
            n = rot_back(g, &world[load->body].R, n);
        } else {
            const lwi_rot R = rot_number(g, &load->X_BF.R);
            f = rot_apply(g, &R, f);
            n = rot_apply(g, &R, n);
        }
        push(g, &w[load->body], vec_number(g, load->X_BF.p), vec_neg(f), vec_neg(n));
    }
}

// The pull of an unbalanced rotor, m r w^2 (cos wt, sin wt, 0) along the axes of its frame.
static void unbalance(lwi_machine *k, wrench *w)
{
    lwi_graph *g = k->g;
    const lw_unbalance *u = k->unbalance;
    const lw_frame_info *at = &k->m->frame[u->frame];
    if (at->body < 0) {
        return;
    }
    const lwi_expr time = lwi_symbol_of(g, "time", LWI_TIME, 0);
    const lwi_expr angle = lwi_scale(g, u->speed, time);
    const lwi_expr size = lwi_number(g, u->mass * u->radius * u->speed * u->speed);
    const lwi_rot R = rot_number(g, &at->X_BF.R);
    const lwi_vec f = {lwi_mul(g, size, lwi_cos(g, angle)), lwi_mul(g, size, lwi_sin(g, angle)),
                       LWI_ZERO};
    const lwi_vec back = vec_neg(rot_apply(g, &R, f));
    push(g, &w[at->body], vec_number(g, at->X_BF.p), back, vec_zero());
}

// The acceleration of a point that is fixed to a body, along the axes of the world.
static lwi_vec point_acceleration(lwi_machine *k, const lwi_frame *world, const motion *o, int body,
                                  lwi_vec p, const motion *root)
{
    lwi_graph *g = k->g;
    if (body < 0) {
        return root->A;
    }
    const motion *b = &o[body];
    lwi_vec a = vec_add(g, b->A, vec_cross(g, b->dw, p));
    a = vec_add(g, a, vec_cross(g, b->wu, vec_cross(g, b->wv, p)));
    return rot_apply(g, &world[body].R, a);
}

// A slender rod needs m/6 (2 a1 + a2) at one end and m/6 (a1 + 2 a2) at the other.
static void rods(lwi_machine *k, const lwi_frame *world, const motion *o, const motion *root,
                 wrench *w)
{
    lwi_graph *g = k->g;
    for (int i = 0; i < k->m->nloop; ++i) {
        const lw_loop_info *loop = &k->m->loop[i];
        if (!loop->is_rod || !(loop->mass > 0.0)) {
            continue;
        }
        lwi_vec a[2], p[2];
        for (int side = 0; side < 2; ++side) {
            const lw_frame_info *at = &k->m->frame[loop->frame[side]];
            p[side] = vec_number(g, at->X_BF.p);
            a[side] = point_acceleration(k, world, o, at->body, p[side], root);
        }
        const lwi_vec sum = vec_add(g, a[0], a[1]);
        for (int side = 0; side < 2; ++side) {
            const int body = k->m->frame[loop->frame[side]].body;
            if (body >= 0) {
                const lwi_expr share = lwi_number(g, loop->mass / 6);
                const lwi_vec f = vec_scale(g, share, vec_add(g, sum, a[side]));
                push(g, &w[body], p[side], rot_back(g, &world[body].R, f), vec_zero());
            }
        }
    }
}

static void project(lwi_machine *k, const lwi_sbody *b, const wrench *w, lwi_expr *tau)
{
    lwi_expr *out = tau + b->v;
    switch (b->carrier) {
    case LW_TREE_REVOLUTE:
        out[0] = w->n.z;
        break;
    case LW_TREE_PRISMATIC:
        out[0] = w->f.z;
        break;
    case LW_TREE_SCREW:
        out[0] = lwi_add(k->g, w->n.z, lwi_mul(k->g, b->lead, w->f.z));
        break;
    default:
        out[0] = w->n.x;
        out[1] = w->n.y;
        out[2] = w->n.z;
        if (b->carrier == LW_TREE_FREE) {
            out[3] = w->f.x;
            out[4] = w->f.y;
            out[5] = w->f.z;
        }
        break;
    }
}

void lwi_newton_euler(lwi_machine *k, const lwi_motion_input *in, lwi_expr *tau)
{
    lwi_graph *g = k->g;
    const lw_model *m = k->m;
    const size_t n = (size_t)m->nbody;
    lwi_arena arena = {0};
    motion *o = lwi_arena_take(&arena, n + 1, sizeof *o);
    wrench *w = lwi_arena_take(&arena, n + 1, sizeof *w);
    lwi_frame *world = lwi_arena_take(&arena, n + 1, sizeof *world);
    if (!o || !w || !world) {
        k->status = LW_ERR_MEMORY;
        goto done;
    }
    const motion root = {vec_zero(), vec_zero(), vec_zero(),
                         in->has_gravity ? vec_neg(k->gravity) : vec_zero()};
    for (int i = 0; i < m->nbody; ++i) {
        const lwi_sbody *b = &k->body[i];
        o[i] = body_motion(k, b, b->parent < 0 ? &root : &o[b->parent], in);
        w[i] = body_wrench(k, in->mass ? &in->mass[i] : &b->own, &o[i]);
    }
    if ((in->has_loads && m->nload > 0) || (in->has_rods && m->nloop > 0)) {
        lwi_machine_world(k, world);
    }
    if (in->has_loads) {
        loads(k, world, w);
    }
    if (in->has_loads && k->unbalance) {
        unbalance(k, w);
    }
    if (in->has_rods) {
        rods(k, world, o, &root, w);
    }
    for (int i = m->nbody - 1; i >= 0; --i) {
        const lwi_sbody *b = &k->body[i];
        project(k, b, &w[i], tau);
        if (b->parent >= 0) {
            const lwi_vec couple = rot_apply(g, &b->X.R, w[i].n);
            push(g, &w[b->parent], b->X.p, rot_apply(g, &b->X.R, w[i].f), couple);
        }
    }
done:
    lwi_arena_free(&arena);
}

// --- Energies ---------------------------------------------------------------------------------

typedef struct velocity {
    lwi_vec w, u; ///< of the origin, along the axes of the body
} velocity;

static lwi_expr body_energy(lwi_graph *g, const lwi_mass *I, const velocity *o)
{
    const lwi_expr mass = lwi_mul(g, I->mass, vec_dot(g, o->u, o->u));
    const lwi_expr turn = vec_dot(g, o->w, sym_apply(g, &I->tensor, o->w));
    const lwi_expr both = vec_dot(g, o->u, vec_cross(g, o->w, I->first));
    const lwi_expr half = lwi_number(g, 0.5);
    return lwi_add(g, lwi_mul(g, half, lwi_add(g, mass, turn)), both);
}

static lwi_vec point_velocity(lwi_machine *k, const lwi_frame *world, const velocity *o,
                              const lw_frame_info *at)
{
    if (at->body < 0) {
        return vec_zero();
    }
    const velocity *b = &o[at->body];
    const lwi_vec v = vec_add(k->g, b->u, vec_cross(k->g, b->w, vec_number(k->g, at->X_BF.p)));
    return rot_apply(k->g, &world[at->body].R, v);
}

static lwi_expr rod_energy(lwi_machine *k, const lwi_frame *world, const velocity *o)
{
    lwi_graph *g = k->g;
    lwi_expr sum = LWI_ZERO;
    for (int i = 0; i < k->m->nloop; ++i) {
        const lw_loop_info *loop = &k->m->loop[i];
        if (loop->is_rod && loop->mass > 0.0) {
            const lwi_vec a = point_velocity(k, world, o, &k->m->frame[loop->frame[0]]);
            const lwi_vec b = point_velocity(k, world, o, &k->m->frame[loop->frame[1]]);
            const lwi_expr squares = vec_add_dots(g, a, a, b, b);
            const lwi_expr all = lwi_add(g, squares, vec_dot(g, a, b));
            sum = lwi_add(g, sum, lwi_scale(g, loop->mass / 6, all));
        }
    }
    return sum;
}

lwi_expr lwi_kinetic(lwi_machine *k, const lwi_expr *v)
{
    lwi_graph *g = k->g;
    const size_t n = (size_t)k->m->nbody;
    lwi_arena arena = {0};
    lwi_expr sum = LWI_ZERO;
    velocity *o = lwi_arena_take(&arena, n + 1, sizeof *o);
    lwi_frame *world = lwi_arena_take(&arena, n + 1, sizeof *world);
    if (!o || !world) {
        k->status = LW_ERR_MEMORY;
        goto done;
    }
    for (int i = 0; i < k->m->nbody; ++i) {
        const lwi_sbody *b = &k->body[i];
        const joint_rates own = joint_motion(k, b, v);
        o[i] = (velocity){own.ang, own.lin};
        if (b->parent >= 0) {
            const velocity *before = &o[b->parent];
            const lwi_vec u = vec_add(g, before->u, vec_cross(g, before->w, b->X.p));
            o[i].w = vec_add(g, o[i].w, rot_back(g, &b->X.R, before->w));
            o[i].u = vec_add(g, o[i].u, rot_back(g, &b->X.R, u));
        }
        sum = lwi_add(g, sum, body_energy(g, &b->own, &o[i]));
    }
    if (k->m->nloop > 0) {
        lwi_machine_world(k, world);
        sum = lwi_add(g, sum, rod_energy(k, world, o));
    }
done:
    lwi_arena_free(&arena);
    return sum;
}

lwi_expr lwi_potential(lwi_machine *k)
{
    lwi_graph *g = k->g;
    lwi_arena arena = {0};
    lwi_expr sum = LWI_ZERO;
    lwi_frame *world = lwi_arena_take(&arena, (size_t)k->m->nbody + 1, sizeof *world);
    if (!world) {
        k->status = LW_ERR_MEMORY;
        goto done;
    }
    lwi_machine_world(k, world);
    lwi_vec moment = vec_zero();
    for (int i = 0; i < k->m->nbody; ++i) {
        const lwi_mass *I = &k->body[i].own;
        const lwi_vec own = vec_scale(g, I->mass, world[i].p);
        moment = vec_add(g, moment, vec_add(g, own, rot_apply(g, &world[i].R, I->first)));
    }
    for (int i = 0; i < k->m->nloop; ++i) {
        const lw_loop_info *loop = &k->m->loop[i];
        for (int side = 0; side < 2 && loop->is_rod && loop->mass > 0.0; ++side) {
            const lw_frame_info *at = &k->m->frame[loop->frame[side]];
            const lwi_vec p = vec_number(g, at->X_BF.p);
            const lwi_vec there = at->body < 0 ? p : frame_apply(g, &world[at->body], p);
            moment = vec_add(g, moment, vec_scale(g, lwi_number(g, loop->mass / 2), there));
        }
    }
    sum = lwi_neg(vec_dot(g, k->gravity, moment));
done:
    lwi_arena_free(&arena);
    return sum;
}
