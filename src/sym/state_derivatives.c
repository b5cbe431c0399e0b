// Derivatives by the state of a mechanism. The inertial forces of its tree are differentiated by
// the recursion of force_derivatives.c; what is around them, rates of dependent joints, springs,
// friction, loads and masses of rods, by the chain rule over expressions (expr/differentiate.c),
// into which the former enter as values whose derivatives are known. So do positions, whose rates
// are those of the closure program: no closed form of a loop is differentiated.
#include "force_derivatives.h"

#include "../base/report.h"
#include "../model/kernel.h"
#include "loops.h"
#include "symbols.h"
#include "tree_dynamics.h"

#include <string.h>

/// Values that change, and how fast.
typedef struct seeds {
    int n;
    lwi_expr *seed, *rate;
} seeds;

typedef struct work {
    lwi_expr *v, *a;         ///< [tree_nv] of the tree
    lwi_expr *force;         ///< [tree_nv] inertial ones
    lwi_expr *dq, *dv, *H;   ///< [tree_nv * tree_nv] their derivatives
    lwi_expr *tau, *result;  ///< [tree_nv] all, [nv] and those of the independent
    lwi_expr *column, *rate; ///< [tree_nv], [2 * tree_nv]
    seeds s;
} work;

static void add_seed(lwi_graph *g, seeds *s, lwi_expr value, lwi_expr rate)
{
    if (!lwi_is_number(g, value, NULL)) {
        s->seed[s->n] = value;
        s->rate[s->n++] = rate;
    }
}

static int count_seeds(const lwi_symbolic *k)
{
    int n = 9 * k->m->nbody + k->m->tree_nv + k->m->nv;
    for (int i = 0; i < k->nloop; ++i) {
        n += k->loop[i].ndof * k->loop[i].nrow;
    }
    return n;
}

// A quaternion w, x, y, z for the angular velocity w along the axes of the body.
static void quaternion_seeds(lwi_graph *g, const lwi_expr *q, const lwi_expr *w, seeds *s)
{
    const lwi_vec half = vec_scale(g, lwi_number(g, 0.5), vec_of(w[0], w[1], w[2]));
    const lwi_vec v = vec_of(q[1], q[2], q[3]), across = vec_cross(g, v, half);
    const lwi_vec rate = vec_add(g, vec_scale(g, q[0], half), across);
    add_seed(g, s, q[0], lwi_neg(vec_dot(g, v, half)));
    for (int i = 0; i < 3; ++i) {
        add_seed(g, s, q[1 + i], rate.e[i]);
    }
}

static void body_seeds(lwi_graph *g, const lwi_sym_body *b, const lwi_expr *u, seeds *s)
{
    if (b->type == LW_TREE_FREE) {
        const lwi_vec p = mat_apply(g, &b->J, vec_of(u[3], u[4], u[5]));
        for (int i = 0; i < 3; ++i) {
            add_seed(g, s, b->q[i], p.e[i]);
        }
    }
    if (b->nv > 1) {
        quaternion_seeds(g, b->q + (b->type == LW_TREE_FREE ? 3 : 0), u, s);
        return;
    }
    if (b->type != LW_TREE_PRISMATIC) {
        add_seed(g, s, b->c, lwi_neg(lwi_mul(g, b->s, u[0])));
        add_seed(g, s, b->s, lwi_mul(g, b->c, u[0]));
    }
    if (b->q[0] != LWI_UNKNOWN) {
        add_seed(g, s, b->q[0], u[0]);
    }
}

// The pseudo-inverse P of the derivatives J of a loop of code changes by -P dJ P: it is only ever
// applied to what the conditions can follow, so that what else it has is not seen.
static void loop_seeds(lwi_symbolic *k, const lwi_sym_loop *l, seeds *s)
{
    lwi_graph *g = k->g;
    const int nrow = l->nrow, n = l->ndof;
    lwi_expr *dJ = lwi_symbolic_take(k, nrow * n), *half = lwi_symbolic_take(k, n * n);
    if (!dJ || !half) {
        return;
    }
    lwi_differentiate(g, s->n, s->seed, s->rate, nrow * n, l->J, dJ);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            for (int r = 0; r < nrow; ++r) {
                const lwi_expr part = lwi_mul(g, l->P[i * nrow + r], dJ[r * n + j]);
                half[i * n + j] = lwi_add(g, half[i * n + j], part);
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int r = 0; r < nrow; ++r) {
            lwi_expr sum = LWI_ZERO;
            for (int j = 0; j < n; ++j) {
                sum = lwi_sub(g, sum, lwi_mul(g, half[i * n + j], l->P[j * nrow + r]));
            }
            add_seed(g, s, l->P[i * nrow + r], sum);
        }
    }
}

// Positions that move with rates u [tree_nv].
static void position_seeds(lwi_symbolic *k, const lwi_expr *u, seeds *s)
{
    s->n = 0;
    for (int i = 0; i < k->m->nbody; ++i) {
        body_seeds(k->g, &k->body[i], u + k->body[i].v_start, s);
    }
    for (int i = 0; i < k->nloop; ++i) {
        loop_seeds(k, &k->loop[i], s);
    }
}

static bool take_seeds(lwi_symbolic *k, seeds *s)
{
    const int n = count_seeds(k);
    *s = (seeds){0, lwi_symbolic_take(k, n), lwi_symbolic_take(k, n)};
    return k->status == LW_OK;
}

void lwi_time_derivative(lwi_symbolic *k, int n, lwi_expr *x)
{
    seeds s;
    lwi_expr *u = lwi_symbolic_take(k, k->m->tree_nv);
    if (u && take_seeds(k, &s)) {
        lwi_tree_rates(k, k->v, u);
        position_seeds(k, u, &s);
        lwi_differentiate(k->g, s.n, s.seed, s.rate, n, x, x);
    }
}

// --- Forces -----------------------------------------------------------------------------------

// Forces of the mechanism as functions of positions, rates and accelerations.
static void forces(lwi_symbolic *k, work *w)
{
    const int n = k->m->tree_nv;
    const lwi_mass *none = lwi_symbolic_alloc(k, k->m->nbody, sizeof *none);
    lwi_tree_rates(k, k->v, w->v);
    lwi_tree_accelerations(k, w->v, w->v, k->a, w->a);
    lwi_regrouped_derivatives(k, w->v, w->a, w->force, w->dq, w->dv, w->H);
    const lwi_motion_input in = {.u = w->v,
                                 .v = w->v,
                                 .a = w->a,
                                 .has_gravity = true,
                                 .mass = none,
                                 .has_loads = true,
                                 .has_rods = true};
    if (k->status == LW_OK) {
        lwi_bilinear_forces(k, &in, w->tau);
    }
    lwi_add_passive(k, w->v, w->a, w->tau);
    for (int i = 0; i < n; ++i) {
        w->tau[i] = lwi_add(k->g, w->tau[i], w->force[i]);
    }
    lwi_tree_project(k, w->tau, w->result);
}

// The derivative along one direction: the seeds are those of positions, velocities or
// accelerations, and u [tree_nv] the rates of positions, or NULL.
static void differentiate(lwi_symbolic *k, work *w, const lwi_expr *u, lwi_expr *out)
{
    lwi_graph *g = k->g;
    const int n = k->m->tree_nv;
    lwi_expr *rate = w->rate, *acceleration = w->rate + n;
    lwi_differentiate(g, w->s.n, w->s.seed, w->s.rate, n, w->v, rate);
    lwi_differentiate(g, w->s.n, w->s.seed, w->s.rate, n, w->a, acceleration);
    for (int i = 0; i < n; ++i) {
        lwi_expr sum = LWI_ZERO;
        for (int j = 0; j < n; ++j) {
            const int ij = i * n + j;
            sum = lwi_add(g, sum, u ? lwi_mul(g, w->dq[ij], u[j]) : LWI_ZERO);
            sum = lwi_add(g, sum, lwi_mul(g, w->dv[ij], rate[j]));
            sum = lwi_add(g, sum, lwi_mul(g, w->H[ij], acceleration[j]));
        }
        add_seed(g, &w->s, w->force[i], sum);
    }
    lwi_differentiate(g, w->s.n, w->s.seed, w->s.rate, k->m->nv, w->result, out);
}

lw_status lwi_inverse_derivatives(lwi_symbolic *k, lwi_expr *out)
{
    const int n = k->m->tree_nv, nv = k->m->nv;
    work w = {.v = lwi_symbolic_take(k, n),
              .a = lwi_symbolic_take(k, n),
              .force = lwi_symbolic_take(k, n),
              .dq = lwi_symbolic_take(k, n * n),
              .dv = lwi_symbolic_take(k, n * n),
              .H = lwi_symbolic_take(k, n * n),
              .tau = lwi_symbolic_take(k, n),
              .result = lwi_symbolic_take(k, nv),
              .column = lwi_symbolic_take(k, n),
              .rate = lwi_symbolic_take(k, 2 * n)};
    lwi_expr *one = lwi_symbolic_take(k, nv);
    if (!take_seeds(k, &w.s)) {
        return k->status;
    }
    forces(k, &w);
    for (int j = 0; j < 3 * nv && k->status == LW_OK; ++j) {
        const int block = j / nv, dof = j % nv;
        w.s.n = 0;
        if (block == 0) {
            lwi_tree_column(k, dof, w.column);
            position_seeds(k, w.column, &w.s);
        } else {
            add_seed(k->g, &w.s, block == 1 ? k->v[dof] : k->a[dof], LWI_ONE);
        }
        differentiate(k, &w, block == 0 ? w.column : NULL, one);
        for (int i = 0; i < nv; ++i) {
            out[(block * nv + i) * nv + dof] = one[i];
        }
    }
    return k->status == LW_OK ? lwi_graph_status(k->g) : k->status;
}

// --- By parameters ----------------------------------------------------------------------------

// Unknowns of a block. Its rows change by the parameter itself and by what moves before them, while
// the unknowns are held; so these make up for it. Closed forms are expressions of the parameters,
// and followed.
static void block_seeds(lwi_symbolic *k, const lwi_sym_loop *l, seeds *s)
{
    const lwi_step *step = &k->m->kernel->program->step[l->step];
    lwi_expr *x = lwi_symbolic_take(k, l->ndof), *row = lwi_symbolic_take(k, l->nrow);
    if (k->status != LW_OK) {
        return;
    }
    step = step->reduced ? step->reduced : step;
    lwi_differentiate(k->g, s->n, s->seed, s->rate, l->nrow, l->row, row);
    lwi_loop_solve(k, l, row, 1, x);
    for (int t = 0; t < step->ntarget; t += k->body[step->target_body[t]].nv) {
        body_seeds(k->g, &k->body[step->target_body[t]], x + t, s);
    }
    loop_seeds(k, l, s);
}

static void parameter_seeds(lwi_symbolic *k, lwi_expr parameter, seeds *s)
{
    s->n = 0;
    add_seed(k->g, s, parameter, LWI_ONE);
    for (int i = 0; i < k->nloop && k->status == LW_OK; ++i) {
        block_seeds(k, &k->loop[i], s);
    }
}

static lw_status check_parameters(lwi_symbolic *k)
{
    if (k->nsymbol == 0) {
        return lwi_report_error(k->report, (lw_location){0}, LW_ERR_ARGUMENT,
                                "derivatives by parameters need parameters that are symbols: name "
                                "them as inputs");
    }
    for (int s = 0; s < k->m->nstep; ++s) {
        const lw_symbol_info *held = lwi_number_in_loop(k, s);
        if (held) {
            return lwi_report_error(k->report, lwi_step_location(k->m, s), LW_ERR_UNSUPPORTED,
                                    "the equations of loop \"%s\" hold for this value of \"%s\" "
                                    "only: there are no derivatives by it",
                                    k->m->step[s].name, held->name);
        }
    }
    return LW_OK;
}

lw_status lwi_parameter_derivatives(lwi_symbolic *k, const lwi_expr *tau, lwi_expr *out)
{
    const int n = k->nsymbol, nv = k->m->nv, most = 1 + count_seeds(k);
    const lw_status status = check_parameters(k);
    seeds s = {0, lwi_symbolic_take(k, most), lwi_symbolic_take(k, most)};
    lwi_expr *one = lwi_symbolic_take(k, nv);
    if (status != LW_OK || k->status != LW_OK) {
        return status != LW_OK ? status : k->status;
    }
    for (int j = 0; j < n && k->status == LW_OK; ++j) {
        parameter_seeds(k, lwi_symbol_of(k->g, k->symbol[j].name, LWI_PARAMETER, j), &s);
        lwi_differentiate(k->g, s.n, s.seed, s.rate, nv, tau, one);
        for (int i = 0; i < nv; ++i) {
            out[i * n + j] = one[i];
        }
    }
    return k->status == LW_OK ? lwi_graph_status(k->g) : k->status;
}
