// The Newton-Euler recursion over expressions with separate rates u and v, for every kind of joint
// and for inertias as they are. newton_euler.c has cheaper equations, but only for u = v and for
// regrouped bodies; this one serves what those cannot: columns of the mass matrix (u = v = 0), of
// the Coriolis matrix and the Christoffel symbols (unit u) of trees with quaternions, the regressor
// (unit inertias), and loads (no inertias).
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

static lwi_twist joint_motion(lwi_symbolic *k, const lwi_sym_body *b, const lwi_expr *rate)
{
    return lwi_joint_twist(k->g, b, rate ? rate + b->v_start : NULL);
}

static motion body_motion(lwi_symbolic *k, const lwi_sym_body *b, const motion *before,
                          const lwi_motion_input *in)
{
    lwi_graph *g = k->g;
    const lwi_mat *R = &b->X.R;
    const lwi_twist u = joint_motion(k, b, in->u), v = joint_motion(k, b, in->v),
                    a = joint_motion(k, b, in->a);
    const lwi_vec wu = mat_apply_t(g, R, before->wu), wv = mat_apply_t(g, R, before->wv);
    motion out;
    out.wu = vec_add(g, wu, u.ang);
    out.wv = vec_add(g, wv, v.ang);
    const lwi_vec own = vec_add(g, vec_cross(g, out.wv, u.ang), a.ang);
    out.dw = vec_add(g, mat_apply_t(g, R, before->dw), own);
    const lwi_vec inward = vec_cross(g, before->wu, vec_cross(g, before->wv, b->X.p));
    const lwi_vec carried = vec_add(g, vec_cross(g, before->dw, b->X.p), inward);
    out.A = mat_apply_t(g, R, vec_add(g, before->A, carried));
    out.A = vec_add(g, out.A, a.lin);
    out.A = vec_add(g, out.A, vec_cross(g, wu, v.lin));
    out.A = vec_add(g, out.A, vec_cross(g, out.wv, u.lin));
    return out;
}

static lwi_twist body_wrench(lwi_graph *g, const lwi_mass *I, const motion *o)
{
    const lwi_vec h = I->first;
    // E = tr(I)/2 - I
    const lwi_expr trace = lwi_sum3(g, I->tensor.xx, I->tensor.yy, I->tensor.zz);
    const lwi_expr half = lwi_scale(g, 0.5, trace);
    lwi_sym E;
    for (int i = 0; i < 6; ++i) {
        E.e[i] = lwi_sub(g, i < 3 ? half : LWI_ZERO, I->tensor.e[i]);
    }
    lwi_twist out;
    out.lin = vec_scale(g, I->mass, o->A);
    out.lin = vec_add(g, out.lin, vec_cross(g, o->dw, h));
    out.lin = vec_add(g, out.lin, vec_cross(g, o->wu, vec_cross(g, o->wv, h)));
    const lwi_vec spin = sym_apply(g, &I->tensor, o->dw);
    out.ang = vec_add(g, vec_cross(g, h, o->A), spin);
    out.ang = vec_sub(g, out.ang, vec_cross(g, o->wv, sym_apply(g, &E, o->wu)));
    return out;
}

// A force at the point p of a body.
static void push(lwi_graph *g, lwi_twist *w, lwi_vec p, lwi_vec f, lwi_vec n)
{
    w->lin = vec_add(g, w->lin, f);
    w->ang = vec_add(g, w->ang, vec_add(g, n, vec_cross(g, p, f)));
}

static void loads(lwi_symbolic *k, const lwi_frame *world, lwi_twist *w)
{
    lwi_graph *g = k->g;
    for (int i = 0; i < k->m->nload; ++i) {
        const lw_load_info *load = &k->m->load[i];
        if (load->body < 0) {
            continue;
        }
        lwi_vec f = vec_number(g, load->force), n = vec_number(g, load->torque);
        if (load->axes == LW_IN_WORLD) {
            f = mat_apply_t(g, &world[load->body].R, f);
            n = mat_apply_t(g, &world[load->body].R, n);
        } else {
            const lwi_mat R = mat_number(g, &load->X_BF.R);
            f = mat_apply(g, &R, f);
            n = mat_apply(g, &R, n);
        }
        push(g, &w[load->body], vec_number(g, load->X_BF.p), vec_neg(f), vec_neg(n));
    }
}

// The pull of an unbalanced rotor, m r w^2 (cos wt, sin wt, 0) along the axes of its frame.
static void unbalance(lwi_symbolic *k, lwi_twist *w)
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
    const lwi_mat R = mat_number(g, &at->X_BF.R);
    const lwi_expr x = lwi_mul(g, size, lwi_cos(g, angle));
    const lwi_vec f = vec_of(x, lwi_mul(g, size, lwi_sin(g, angle)), LWI_ZERO);
    const lwi_vec back = vec_neg(mat_apply(g, &R, f));
    push(g, &w[at->body], vec_number(g, at->X_BF.p), back, vec_zero());
}

// A slender rod needs m/6 (2 a1 + a2) at one end and m/6 (a1 + 2 a2) at the other.
static void rods(lwi_symbolic *k, const lwi_frame *world, const motion *o, const motion *root,
                 lwi_twist *w)
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
            a[side] = root->A;
            if (at->body >= 0) {
                const motion *b = &o[at->body];
                const lwi_vec inward = vec_cross(g, b->wu, vec_cross(g, b->wv, p[side]));
                const lwi_vec own = vec_add(g, b->A, vec_cross(g, b->dw, p[side]));
                a[side] = mat_apply(g, &world[at->body].R, vec_add(g, own, inward));
            }
        }
        const lwi_vec sum = vec_add(g, a[0], a[1]);
        for (int side = 0; side < 2; ++side) {
            const int body = k->m->frame[loop->frame[side]].body;
            if (body >= 0) {
                const lwi_expr share = lwi_number(g, loop->mass / 6);
                const lwi_vec f = vec_scale(g, share, vec_add(g, sum, a[side]));
                push(g, &w[body], p[side], mat_apply_t(g, &world[body].R, f), vec_zero());
            }
        }
    }
}

void lwi_bilinear_forces(lwi_symbolic *k, const lwi_motion_input *in, lwi_expr *tau)
{
    lwi_graph *g = k->g;
    const lw_model *m = k->m;
    motion *o = lwi_symbolic_alloc(k, m->nbody, sizeof *o);
    lwi_twist *w = lwi_symbolic_alloc(k, m->nbody, sizeof *w);
    lwi_frame *world = lwi_symbolic_alloc(k, m->nbody, sizeof *world);
    if (k->status != LW_OK) {
        return;
    }
    const motion root = {vec_zero(), vec_zero(), vec_zero(),
                         in->has_gravity ? vec_neg(k->gravity) : vec_zero()};
    for (int i = 0; i < m->nbody; ++i) {
        const lwi_sym_body *b = &k->body[i];
        o[i] = body_motion(k, b, b->parent < 0 ? &root : &o[b->parent], in);
        w[i] = body_wrench(g, in->mass ? &in->mass[i] : &b->own, &o[i]);
    }
    if ((in->has_loads && m->nload > 0) || (in->has_rods && m->nloop > 0)) {
        lwi_symbolic_world(k, world);
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
        const lwi_sym_body *b = &k->body[i];
        lwi_joint_force(g, b, w[i].ang, w[i].lin, tau + b->v_start);
        if (b->parent >= 0) {
            const lwi_vec couple = mat_apply(g, &b->X.R, w[i].ang);
            push(g, &w[b->parent], b->X.p, mat_apply(g, &b->X.R, w[i].lin), couple);
        }
    }
}

void lwi_load_forces(lwi_symbolic *k, lwi_expr *tau)
{
    const lwi_mass *none = lwi_symbolic_alloc(k, k->m->nbody, sizeof *none);
    lwi_bilinear_forces(k, &(lwi_motion_input){.mass = none, .has_loads = true}, tau);
}
