// Kinetic and potential energy.
#include "symbolic_model.h"

#include "tree_dynamics.h"

static lwi_expr body_energy(lwi_graph *g, const lwi_mass *I, const lwi_twist *o)
{
    const lwi_expr moving = lwi_mul(g, I->mass, vec_dot(g, o->lin, o->lin));
    const lwi_expr rotating = vec_dot(g, o->ang, sym_apply(g, &I->tensor, o->ang));
    const lwi_expr both = vec_dot(g, o->lin, vec_cross(g, o->ang, I->first));
    const lwi_expr half = lwi_number(g, 0.5);
    return lwi_add(g, lwi_mul(g, half, lwi_add(g, moving, rotating)), both);
}

static lwi_vec point_velocity(lwi_symbolic *k, const lwi_frame *world, const lwi_twist *o,
                              const lw_frame_info *at)
{
    if (at->body < 0) {
        return vec_zero();
    }
    const lwi_twist *b = &o[at->body];
    const lwi_vec v = vec_add(k->g, b->lin, vec_cross(k->g, b->ang, vec_number(k->g, at->X_BF.p)));
    return mat_apply(k->g, &world[at->body].R, v);
}

static lwi_expr rod_energy(lwi_symbolic *k, const lwi_frame *world, const lwi_twist *o)
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

static lwi_expr kinetic(lwi_symbolic *k, const lwi_expr *v)
{
    lwi_graph *g = k->g;
    lwi_expr sum = LWI_ZERO;
    lwi_twist *o = lwi_symbolic_alloc(k, k->m->nbody, sizeof *o);
    lwi_frame *world = lwi_symbolic_alloc(k, k->m->nbody, sizeof *world);
    if (k->status != LW_OK) {
        return LWI_ZERO;
    }
    for (int i = 0; i < k->m->nbody; ++i) {
        const lwi_sym_body *b = &k->body[i];
        o[i] = lwi_joint_twist(g, b, v + b->v_start);
        if (b->parent >= 0) {
            const lwi_twist *before = &o[b->parent];
            const lwi_vec u = vec_add(g, before->lin, vec_cross(g, before->ang, b->X.p));
            o[i].ang = vec_add(g, o[i].ang, mat_apply_t(g, &b->X.R, before->ang));
            o[i].lin = vec_add(g, o[i].lin, mat_apply_t(g, &b->X.R, u));
        }
        sum = lwi_add(g, sum, body_energy(g, &b->own, &o[i]));
    }
    if (k->m->nloop > 0) {
        lwi_symbolic_world(k, world);
        sum = lwi_add(g, sum, rod_energy(k, world, o));
    }
    return sum;
}

static lwi_expr potential(lwi_symbolic *k)
{
    lwi_graph *g = k->g;
    lwi_frame *world = lwi_symbolic_alloc(k, k->m->nbody, sizeof *world);
    if (!world) {
        return LWI_ZERO;
    }
    lwi_symbolic_world(k, world);
    lwi_vec moment = vec_zero();
    for (int i = 0; i < k->m->nbody; ++i) {
        const lwi_mass *I = &k->body[i].own;
        const lwi_vec own = vec_scale(g, I->mass, world[i].p);
        moment = vec_add(g, moment, vec_add(g, own, mat_apply(g, &world[i].R, I->first)));
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
    return lwi_neg(vec_dot(g, k->gravity, moment));
}

// Half of v' M v.
static lwi_expr motion_energy(lwi_symbolic *k)
{
    lwi_graph *g = k->g;
    const int n = k->m->nv;
    lwi_expr *M = lwi_symbolic_take(k, n * n), sum = LWI_ZERO;
    if (!M) {
        return LWI_ZERO;
    }
    lwi_projected_elements(k, M, NULL, NULL);
    for (int i = 0; i < n; ++i) {
        lwi_expr own = lwi_scale(g, 0.5, lwi_mul(g, M[i * n + i], k->v[i]));
        for (int j = i + 1; j < n; ++j) {
            own = lwi_add(g, own, lwi_mul(g, M[i * n + j], k->v[j]));
        }
        sum = lwi_add(g, sum, lwi_mul(g, k->v[i], own));
    }
    return sum;
}

static lwi_expr rotor_energy(lwi_symbolic *k, const lwi_expr *v)
{
    lwi_graph *g = k->g;
    lwi_expr sum = LWI_ZERO;
    for (int i = 0; i < k->m->tree_nv; ++i) {
        const lwi_expr half = lwi_scale(g, 0.5, k->passive[i].rotor);
        sum = lwi_add(g, sum, lwi_mul(g, half, lwi_mul(g, v[i], v[i])));
    }
    return sum;
}

void lwi_derive_energy(lwi_symbolic *k, lwi_expr *out)
{
    lwi_graph *g = k->g;
    // The mass matrix is the shorter way for six degrees of freedom (95 multiplications against 132
    // for the UR5), and the longer one for seven (337 against 270 for the Panda).
    enum { BY_MASS_MATRIX = 6 };
    if (lwi_is_plain(k) && k->m->nv <= BY_MASS_MATRIX) {
        out[0] = motion_energy(k);
    } else {
        lwi_expr *v = lwi_symbolic_take(k, k->m->tree_nv);
        if (!v) {
            return;
        }
        lwi_tree_rates(k, k->v, v);
        const lwi_expr rotors = rotor_energy(k, v);
        out[0] = lwi_add(g, kinetic(k, v), rotors);
    }
    const lwi_expr springs = lwi_spring_potential(k);
    out[1] = lwi_add(g, potential(k), springs);
    for (int i = 0; i < k->m->nbody; ++i) {
        const lwi_passive_joint *w = &k->passive[k->body[i].v_start];
        if (w->stiffness != LWI_ZERO) {
            const lwi_expr stretch = lwi_sub(g, lwi_symbolic_position(k, i), w->rest);
            const lwi_expr half = lwi_scale(g, 0.5, w->stiffness);
            out[1] = lwi_add(g, out[1], lwi_mul(g, half, lwi_mul(g, stretch, stretch)));
        }
    }
}
