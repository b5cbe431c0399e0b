// Blocks whose loops are legs, reduced to the joints that the legs share: src/loop/torn_block.h and
// torn_block.c explain which rows there are, src/loop/leg_swivel.c how passive joints follow. A
// loop of code finds the shared joints; all else is straight-line code, leg by leg.
#include "loops.h"

#include "../math/wide.h"
#include "../model/kernel.h"

#include <math.h>

/// A leg in the frame of the common body.
typedef struct lwi_sym_leg {
    lwi_vec foot, d,
        y; ///< d from the foot to the tip; y the same way as the passive joints carry it
    lwi_frame foot_frame, tip_frame;
    lwi_mat R;        ///< axes of the second passive body
    lwi_vec share[2]; ///< of velocities of the tip against the end of the leg: the passive joints'
} lwi_sym_leg;

static lwi_frame frame_of(lwi_symbolic *k, const lwi_leg_branch *branch)
{
    lwi_frame X = frame_identity();
    for (int i = 0; i < branch->n; ++i) {
        const lwi_frame *own = &k->body[branch->body[i]].X;
        X = i == 0 ? *own : frame_mul(k->g, &X, own);
    }
    return X;
}

static const lwi_loop *loop_of(const lwi_symbolic *k, const lwi_torn_leg *leg)
{
    return &k->m->kernel->program->loop[leg->loop];
}

static void place_leg(lwi_symbolic *k, const lwi_legs *legs, const lwi_torn_leg *leg,
                      lwi_sym_leg *out)
{
    lwi_graph *g = k->g;
    out->foot_frame = frame_of(k, &legs->branch[leg->foot]);
    out->tip_frame = frame_of(k, &legs->branch[leg->tip]);
    out->foot = frame_apply(g, &out->foot_frame,
                            leg->swivel < 0
                                ? vec_number(g, leg->foot_point)
                                : k->body[loop_of(k, leg)->path[leg->side][leg->swivel]].rest.p);
    const lwi_vec tip = frame_apply(g, &out->tip_frame, vec_number(g, leg->tip_point));
    out->d = vec_sub(g, tip, out->foot);
    if (leg->swivel >= 0) {
        const lwi_frame beyond = frame_of(k, &legs->branch[leg->beyond]);
        out->y = frame_apply(g, &beyond, vec_number(g, loop_of(k, leg)->X[leg->side].p));
    }
}

// --- Rows -------------------------------------------------------------------------------------

// The velocities that unit rates along a branch give to a point that its last body carries, along
// `way`, added to a row with a sign.
static void add_branch(lwi_symbolic *k, const lwi_leg_branch *branch, lwi_vec point, lwi_vec way,
                       bool is_negative, int ncolumn, lwi_expr *row)
{
    lwi_graph *g = k->g;
    lwi_frame X = frame_identity();
    for (int i = 0, j = 0; i < branch->n; ++i) {
        const lwi_sym_body *b = &k->body[branch->body[i]];
        lwi_twist S[LW_MAX_DOF];
        X = i == 0 ? b->X : frame_mul(g, &X, &b->X);
        lwi_unit_twists(k, b, &X, S);
        for (int e = 0; e < b->nv; ++e, ++j) {
            if (branch->column[j] < ncolumn) {
                const lwi_vec v = vec_add(g, S[e].lin, vec_cross(g, S[e].ang, point));
                const lwi_expr entry = vec_dot(g, way, v);
                lwi_expr *at = &row[branch->column[j]];
                *at = lwi_add(g, *at, is_negative ? lwi_neg(entry) : entry);
            }
        }
    }
}

// The same of a platform on a free joint: w x b along g is w along b x g, about its own axes.
static void add_platform(lwi_symbolic *k, const lwi_leg_branch *branch, const lwi_frame *X,
                         lw_vec3 tip, lwi_vec way, lwi_expr *row)
{
    lwi_graph *g = k->g;
    const lwi_vec own = mat_apply_t(g, &X->R, way);
    const lwi_vec turn = vec_cross(g, vec_number(g, tip), own);
    for (int e = 0; e < 6; ++e) {
        row[branch->column[e]] = e < 3 ? turn.e[e] : own.e[e - 3];
    }
}

// Velocities of the tip against the end of the leg along `way`, for unit rates of the first columns
// of the reduced step; `carried` is that direction as the passive joints carry it.
static void fill_row(lwi_symbolic *k, const lwi_legs *legs, const lwi_torn_leg *leg,
                     const lwi_sym_leg *l, lwi_vec way, lwi_vec carried, int ncolumn, lwi_expr *row)
{
    const lwi_leg_branch *tip = &legs->branch[leg->tip];
    const lwi_vec end = vec_add(k->g, l->foot, l->d);
    if (tip->is_free) {
        add_platform(k, tip, &l->tip_frame, leg->tip_point, way, row);
    } else {
        add_branch(k, tip, end, way, false, ncolumn, row);
    }
    add_branch(k, &legs->branch[leg->foot], leg->swivel >= 0 ? end : l->foot, way, true, ncolumn,
               row);
    if (leg->swivel >= 0) {
        add_branch(k, &legs->branch[leg->beyond], l->y, carried, true, ncolumn, row);
    }
}

// --- Passive joints -----------------------------------------------------------------------------

// The sign of an expression in the reference configuration.
static lwi_expr signed_as_there(lwi_symbolic *k, lwi_expr sign, lwi_expr value)
{
    double x = 1.0;
    const lw_status status = lwi_symbolic_evaluate(k, 1, &sign, k->m->q_reference, &x);
    k->status = k->status == LW_OK ? status : k->status;
    return x < 0.0 ? lwi_neg(value) : value;
}

// Rz(q1) M Rz(q2) y = x, on the branch of the reference configuration. Where the leg is closed x
// and y are equally long, so that the first joint needs no root.
static void place_passive(lwi_symbolic *k, const lwi_torn_leg *leg, const lwi_sym_leg *l)
{
    lwi_graph *g = k->g;
    const int *body = &loop_of(k, leg)->path[leg->side][leg->swivel];
    const lwi_sym_body *first = &k->body[body[0]], *second = &k->body[body[1]];
    const lwi_vec along = mat_apply_t(g, &l->foot_frame.R, l->d);
    const lwi_vec x = mat_apply_t(g, &first->rest.R, along), y = l->y;
    const lwi_mat *M = &second->rest.R;
    const lwi_vec row = M->row[2];
    const lwi_expr a = lwi_add_products(g, row.x, y.x, row.y, y.y);
    const lwi_expr b = lwi_sub_products(g, row.y, y.x, row.x, y.y);
    const double reference = k->m->tree_q_reference[k->m->q_start[body[1]]];
    double cosine, sine;
    lwi_rounded_sincos(reference, &sine, &cosine);
    const lwi_expr c0 = lwi_number(g, cosine), s0 = lwi_number(g, sine);
    const lwi_expr C = lwi_sub(g, x.z, lwi_mul(g, row.z, y.z));
    const lwi_expr square = lwi_add_products(g, a, a, b, b);
    const lwi_expr rest = lwi_sub(g, square, lwi_mul(g, C, C));
    const lwi_expr root = signed_as_there(k, lwi_sub_products(g, a, s0, b, c0), lwi_sqrt(g, rest));
    lwi_expr inverse = lwi_div(g, LWI_ONE, square);
    lwi_expr c = lwi_mul(g, inverse, lwi_sub_products(g, a, C, b, root));
    lwi_expr s = lwi_mul(g, inverse, lwi_add_products(g, b, C, a, root));
    lwi_unit_circle(g, &c, &s);
    lwi_symbolic_place(k, body[1], LWI_UNKNOWN, c, s);
    const lwi_expr along_x = lwi_sub_products(g, c, y.x, s, y.y);
    const lwi_vec turned = vec_of(along_x, lwi_add_products(g, s, y.x, c, y.y), y.z);
    const lwi_vec carried = mat_apply(g, M, turned);
    inverse = lwi_div(g, LWI_ONE, lwi_add_products(g, x.x, x.x, x.y, x.y));
    c = lwi_mul(g, inverse, lwi_add_products(g, carried.x, x.x, carried.y, x.y));
    s = lwi_mul(g, inverse, lwi_sub_products(g, carried.x, x.y, carried.y, x.x));
    lwi_unit_circle(g, &c, &s);
    lwi_symbolic_place(k, body[0], LWI_UNKNOWN, c, s);
}

// The axes of the passive joints, and the shares of velocities that are theirs.
static void find_shares(lwi_symbolic *k, const lwi_torn_leg *leg, lwi_sym_leg *l)
{
    lwi_graph *g = k->g;
    const int *body = &loop_of(k, leg)->path[leg->side][leg->swivel];
    lwi_vec z[2];
    l->R = l->foot_frame.R;
    for (int i = 0; i < 2; ++i) {
        const lwi_mat axes = mat_mul(g, &l->R, &k->body[body[i]].rest.R);
        z[i] = mat_column(&axes, 2);
        l->R = mat_mul(g, &l->R, &k->body[body[i]].X.R);
    }
    const lwi_vec across = vec_cross(g, z[0], z[1]);
    const lwi_expr inverse = lwi_div(g, LWI_ONE, vec_dot(g, l->d, across));
    l->share[0] = vec_scale(g, lwi_neg(inverse), z[1]);
    l->share[1] = vec_scale(g, inverse, z[0]);
}

// --- All --------------------------------------------------------------------------------------

// Rates of the passive joints of a leg, from those of all its other joints.
static void add_passive_rate(lwi_symbolic *k, int s, const lwi_step *step, int i)
{
    const lwi_step *torn = step->reduced;
    const lwi_torn_leg *leg = &torn->legs->leg[i];
    const lwi_sym_leg *l = &k->step[s].leg[i];
    const int n = torn->ntarget + torn->nsource;
    lwi_expr *row[2] = {lwi_symbolic_take(k, n), lwi_symbolic_take(k, n)};
    lwi_sym_rate *rate = &k->rate[k->nrate++];
    int *target = lwi_symbolic_alloc(k, 2, sizeof *target);
    int *source = lwi_symbolic_alloc(k, n, sizeof *source);
    *rate = (lwi_sym_rate){.step = s, .leg = i, .ntarget = 2, .target = target, .source = source};
    rate->K = lwi_symbolic_take(k, 2 * n);
    if (k->status != LW_OK) {
        return;
    }
    for (int e = 0; e < 2; ++e) {
        const lwi_vec carried = mat_apply_t(k->g, &l->R, l->share[e]);
        target[e] = step->target[leg->passive[e]];
        fill_row(k, torn->legs, leg, l, l->share[e], carried, n, row[e]);
    }
    for (int c = 0; c < n; ++c) {
        if (row[0][c] != LWI_ZERO || row[1][c] != LWI_ZERO) {
            source[rate->nsource++] =
                c < torn->ntarget ? torn->target[c] : torn->source[c - torn->ntarget];
        }
    }
    for (int c = 0, at = 0; c < n; ++c) {
        if (row[0][c] != LWI_ZERO || row[1][c] != LWI_ZERO) {
            rate->K[at] = row[0][c];
            rate->K[rate->nsource + at++] = row[1][c];
        }
    }
}

// Of the shared joints: K = -P S.
static void add_shared_rate(lwi_symbolic *k, int s, const lwi_step *torn, const lwi_expr *matrix)
{
    const int nt = torn->ntarget, ns = torn->nsource;
    lwi_sym_rate *rate = &k->rate[k->nrate++];
    lwi_expr *x = lwi_symbolic_take(k, nt);
    *rate = (lwi_sym_rate){.step = s,
                           .leg = LWI_NO_LEG,
                           .ntarget = nt,
                           .nsource = ns,
                           .target = torn->target,
                           .source = torn->source,
                           .K = lwi_symbolic_take(k, nt * ns)};
    for (int c = 0; c < ns && k->status == LW_OK; ++c) {
        lwi_loop_solve(k, k->step[s].loop, matrix + nt + c, nt + ns, x);
        for (int t = 0; t < nt; ++t) {
            rate->K[t * ns + c] = x[t];
        }
    }
}

lw_status lwi_leg_equations(lwi_symbolic *k, int s, const lwi_step *step)
{
    lwi_graph *g = k->g;
    const lwi_step *torn = step->reduced;
    const lwi_legs *legs = torn->legs;
    const int nt = torn->ntarget, n = nt + torn->nsource;
    double size = 0.0;
    for (int i = 0; i < legs->nleg; ++i) {
        size = fmax(size, legs->leg[i].unit);
    }
    lwi_sym_loop *loop = lwi_add_loop(k, s, torn, size);
    lwi_expr *matrix = lwi_symbolic_take(k, legs->nleg * n);
    k->step[s].loop = loop;
    k->step[s].leg = lwi_symbolic_alloc(k, legs->nleg, sizeof *k->step[s].leg);
    for (int i = 0; i < legs->nleg && k->status == LW_OK; ++i) {
        const lwi_torn_leg *leg = &legs->leg[i];
        lwi_sym_leg *l = &k->step[s].leg[i];
        place_leg(k, legs, leg, l);
        const lwi_expr square =
            leg->swivel >= 0 ? vec_dot(g, l->y, l->y) : lwi_rod_square(k, loop_of(k, leg));
        loop->row[i] = lwi_scale(g, 0.5, lwi_sub(g, vec_dot(g, l->d, l->d), square));
        fill_row(k, legs, leg, l, l->d, l->y, n, matrix + i * n);
        for (int t = 0; t < nt; ++t) {
            loop->J[i * nt + t] = matrix[i * n + t];
        }
    }
    if (k->status == LW_OK) {
        add_shared_rate(k, s, torn, matrix);
    }
    for (int i = 0; i < legs->nleg && k->status == LW_OK; ++i) {
        if (legs->leg[i].swivel >= 0) {
            place_passive(k, &legs->leg[i], &k->step[s].leg[i]);
            find_shares(k, &legs->leg[i], &k->step[s].leg[i]);
            add_passive_rate(k, s, step, i);
        }
    }
    return k->status;
}

// Of the tip against the end of the leg: what accelerates it where no joint does.
static lwi_vec leg_bias(lwi_symbolic *k, const lwi_torn_leg *leg, const lwi_expr *u,
                        const lwi_expr *v)
{
    const lwi_vec bias = lwi_loop_bias(k, loop_of(k, leg), u, v);
    return leg->side == 0 ? bias : vec_neg(bias);
}

void lwi_leg_bias(lwi_symbolic *k, const lwi_sym_rate *rate, const lwi_expr *u, const lwi_expr *v,
                  lwi_expr *bias)
{
    lwi_graph *g = k->g;
    const lwi_legs *legs = k->m->kernel->program->step[rate->step].reduced->legs;
    const lwi_sym_leg *l = k->step[rate->step].leg;
    if (rate->leg != LWI_NO_LEG) {
        const lwi_vec own = leg_bias(k, &legs->leg[rate->leg], u, v);
        for (int e = 0; e < 2; ++e) {
            bias[e] = vec_dot(g, l[rate->leg].share[e], own);
        }
        return;
    }
    lwi_expr *value = lwi_symbolic_take(k, legs->nleg);
    for (int i = 0; i < legs->nleg && value; ++i) {
        if (legs->leg[i].swivel >= 0) {
            value[i] = vec_dot(g, l[i].d, leg_bias(k, &legs->leg[i], u, v));
        } else {
            lwi_loop_curvature(k, loop_of(k, &legs->leg[i]), u, v, value + i);
        }
    }
    if (value) {
        lwi_loop_solve(k, k->step[rate->step].loop, value, 1, bias);
    }
}
