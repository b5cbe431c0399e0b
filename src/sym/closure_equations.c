// The closure program over expressions: positions of the dependent degrees of freedom in closed
// form, and for all kinds of loops the rates from the rows of their conditions, by elimination.
// Which rows lead is decided by their numbers in the reference configuration.
#include "loops.h"

#include "../base/report.h"
#include "../model/kernel.h"

static const char *step_name(const lwi_symbolic *k, int s)
{
    return k->m->step[s].name;
}

// --- Couplings --------------------------------------------------------------------------------

static lw_status function_step(lwi_symbolic *k, int s, const lwi_step *step)
{
    lwi_graph *g = k->g;
    if (step->law != LW_LAW_POLYNOMIAL) {
        return lwi_report_error(k->report, lwi_step_location(k->m, s), LW_ERR_UNSUPPORTED,
                                "coupling \"%s\" is a %s: it has no formula that equations could "
                                "be derived from",
                                step_name(k, s),
                                step->law == LW_LAW_TABLE ? "table" : "function by callback");
    }
    const lwi_expr x = lwi_symbolic_position(k, lwi_body_of_dof(k->m, step->source[0]));
    lwi_expr y = LWI_ZERO, first = LWI_ZERO, second = LWI_ZERO;
    for (int i = step->ncoefficient - 1; i >= 0; --i) {
        second = lwi_add(g, lwi_mul(g, second, x), first);
        first = lwi_add(g, lwi_mul(g, first, x), y);
        y = lwi_add(g, lwi_mul(g, y, x), k->step[s].coefficient[i]);
    }
    lwi_symbolic_place(k, lwi_body_of_dof(k->m, step->target[0]), y, LWI_ZERO, LWI_ZERO);
    k->step[s].K[0] = first;
    k->step[s].curve = lwi_scale(g, 2.0, second);
    return LW_OK;
}

// Gears mesh as they do in the reference configuration, whatever their ratio is.
static lwi_expr meshing_shift(lwi_symbolic *k, int s, const lwi_step *step, int t, int i)
{
    const int at = t * (1 + step->nsource) + 1 + i;
    const double reference = k->m->tree_q_reference[step->source_q[i]];
    const lwi_expr change =
        lwi_sub(k->g, lwi_number(k->g, step->coefficient[at]), k->step[s].coefficient[at]);
    return lwi_scale(k->g, reference, change);
}

static void linear_step(lwi_symbolic *k, int s, const lwi_step *step)
{
    lwi_graph *g = k->g;
    for (int t = 0; t < step->ntarget; ++t) {
        const lwi_expr *row = &k->step[s].coefficient[t * (1 + step->nsource)];
        lwi_expr y = row[0];
        for (int i = 0; i < step->nsource; ++i) {
            k->step[s].K[t * step->nsource + i] = row[1 + i];
            if (row[1 + i] != LWI_ZERO) {
                const lwi_expr x = lwi_symbolic_position(k, lwi_body_of_dof(k->m, step->source[i]));
                y = lwi_add(g, y, lwi_mul(g, row[1 + i], x));
                y = lwi_add(g, y,
                            lwi_is_coupling(k->m, s) ? LWI_ZERO : meshing_shift(k, s, step, t, i));
            }
        }
        lwi_symbolic_place(k, lwi_body_of_dof(k->m, step->target[t]), y, LWI_ZERO, LWI_ZERO);
    }
}

// --- Rods -------------------------------------------------------------------------------------

// A cos q + B sin q + C = 0: with w^2 = A^2 + B^2 - C^2 the sine and cosine are rational in w.
static void solve_cosine(lwi_graph *g, lwi_expr A, lwi_expr B, lwi_expr C, int branch, lwi_expr *c,
                         lwi_expr *s)
{
    const lwi_expr size = lwi_add_products(g, A, A, B, B);
    lwi_expr w = lwi_sqrt(g, lwi_sub(g, size, lwi_mul(g, C, C)));
    w = branch < 0 ? lwi_neg(w) : w;
    const lwi_expr inverse = lwi_div(g, LWI_ONE, size);
    *c = lwi_mul(g, lwi_neg(lwi_add_products(g, A, C, B, w)), inverse);
    *s = lwi_mul(g, lwi_sub_products(g, A, w, B, C), inverse);
}

// The rod ties a point y beyond the joint to the point x, known in the joint's frame at rest.
static void rod_step(lwi_symbolic *k, const lwi_step *step, const lwi_loop *loop)
{
    lwi_graph *g = k->g;
    const int side = step->side, at = step->at, i = loop->path[side][at];
    const lwi_frame X_CP = lwi_branch(k, loop, side, 0, at);
    const lwi_frame X_CJ = frame_mul(g, &X_CP, &k->body[i].rest);
    const lwi_frame X_JE = lwi_branch(k, loop, side, at + 1, loop->npath[side]);
    const lwi_frame X_CO = lwi_branch(k, loop, 1 - side, 0, loop->npath[1 - side]);
    const lwi_vec other = frame_apply(g, &X_CO, vec_number(g, loop->X[1 - side].p));
    const lwi_vec x = mat_apply_t(g, &X_CJ.R, vec_sub(g, other, X_CJ.p));
    const lwi_vec y = frame_apply(g, &X_JE, vec_number(g, loop->X[side].p));
    const lwi_expr square = lwi_rod_square(k, loop);
    if (k->body[i].type == LW_TREE_REVOLUTE) {
        // Half of the textbook's A, B and C.
        const lwi_expr A = lwi_neg(lwi_add_products(g, x.x, y.x, x.y, y.y));
        const lwi_expr B = lwi_sub_products(g, x.x, y.y, x.y, y.x);
        const lwi_expr squares = vec_add_dots(g, x, x, y, y);
        const lwi_expr all = lwi_scale(g, 0.5, lwi_sub(g, squares, square));
        const lwi_expr C = lwi_sub(g, all, lwi_mul(g, x.z, y.z));
        lwi_expr c, s;
        solve_cosine(g, A, B, C, step->branch, &c, &s);
        lwi_unit_circle(g, &c, &s);
        lwi_symbolic_place(k, i, LWI_UNKNOWN, c, s);
        return;
    }
    const lwi_vec d = vec_sub(g, y, x);
    const lwi_expr rest = lwi_sub(g, vec_dot(g, d, d), square);
    const lwi_expr w = lwi_sqrt(g, lwi_sub(g, lwi_mul(g, d.z, d.z), rest));
    lwi_symbolic_place(k, i, lwi_sub(g, step->branch < 0 ? lwi_neg(w) : w, d.z), LWI_ZERO,
                       LWI_ZERO);
}

// --- The program ------------------------------------------------------------------------------

static lw_status loop_rates(lwi_symbolic *k, int s, const lwi_step *step)
{
    const int nt = step->ntarget, ns = step->nsource;
    lwi_expr *matrix = lwi_step_rows(k, step), *x = lwi_symbolic_take(k, nt);
    lw_status status = k->status;
    if (status == LW_OK && !k->step[s].row) {
        status = lwi_choose_pivots(k, s, step, matrix);
    }
    if (status != LW_OK) {
        return status;
    }
    k->step[s].factor = lwi_factor_rows(k, s, step, matrix);
    for (int i = 0; i < ns && k->step[s].factor; ++i) {
        lwi_solve_rows(k, s, step, k->step[s].factor, matrix + nt + i, nt + ns, x);
        for (int t = 0; t < nt; ++t) {
            k->step[s].K[t * ns + i] = x[t];
        }
    }
    return k->status;
}

// Positions of a step, and its rates where they are one matrix.
static lw_status close_step(lwi_symbolic *k, int s, const lwi_step *step)
{
    const lwi_program *program = k->m->kernel->program;
    lw_status status = LW_OK;
    switch (step->kind) {
    case LW_STEP_FUNCTION:
        return function_step(k, s, step);
    case LW_STEP_LINEAR:
        linear_step(k, s, step);
        return LW_OK;
    case LW_STEP_ROD_REVOLUTE:
    case LW_STEP_ROD_PRISMATIC:
        rod_step(k, step, &program->loop[step->loop[0]]);
        break;
    case LW_STEP_PLANAR:
        status = lwi_plane_triangle(k, step, &program->loop[step->loop[0]]);
        break;
    case LW_STEP_SPHERES:
        lwi_meet_spheres(k, step);
        return lwi_symbolic_platform_rates(k, s, step);
    case LW_STEP_SYMMETRIC:
        return lwi_symmetric_equations(k, s, step);
    default:
        return lwi_block_equations(k, s, step);
    }
    return status == LW_OK ? loop_rates(k, s, step) : status;
}

// How many rates there are at most.
static int most_rates(const lw_model *m)
{
    int n = m->nstep;
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *torn = m->kernel->program->step[s].reduced;
        n += torn ? torn->legs->nleg : 0;
    }
    return n;
}

lw_status lwi_symbolic_close(lwi_symbolic *k)
{
    k->rate = lwi_symbolic_alloc(k, most_rates(k->m), sizeof *k->rate);
    k->loop = lwi_symbolic_alloc(k, k->m->nstep, sizeof *k->loop);
    k->nstate = 1 + k->m->nq;
    lw_status status = k->status;
    for (int s = 0; s < k->m->nstep && status == LW_OK; ++s) {
        const lwi_step *step = &k->m->kernel->program->step[s];
        if (step->reduced) {
            status = lwi_leg_equations(k, s, step);
            continue;
        }
        k->step[s].K = lwi_symbolic_take(k, step->ntarget * step->nsource);
        k->rate[k->nrate++] = (lwi_sym_rate){.step = s,
                                             .leg = LWI_NO_LEG,
                                             .ntarget = step->ntarget,
                                             .nsource = step->nsource,
                                             .target = step->target,
                                             .source = step->source,
                                             .K = k->step[s].K};
        status = k->step[s].K ? close_step(k, s, step) : LW_ERR_MEMORY;
    }
    return status;
}

// u and v of the whole tree, for the curvature of loops.
static void curvature(lwi_symbolic *k, int s, const lwi_step *step, const lwi_expr *u,
                      const lwi_expr *v, lwi_expr *bias)
{
    const lwi_program *program = k->m->kernel->program;
    if (step->kind == LW_STEP_FUNCTION) {
        const lwi_expr product = lwi_mul(k->g, u[step->source[0]], v[step->source[0]]);
        bias[0] = lwi_mul(k->g, k->step[s].curve, product);
        return;
    }
    if (step->kind == LW_STEP_SYMMETRIC) {
        const lwi_expr product = lwi_mul(k->g, u[step->source[0]], v[step->source[0]]);
        lwi_symmetric_curvature(k, s, step, product, bias);
        return;
    }
    lwi_expr *value = lwi_symbolic_take(k, step->nrow);
    if (value && step->kind == LW_STEP_SPHERES) {
        for (int i = 0; i < 3; ++i) {
            lwi_loop_curvature(k, &program->loop[step->platform->leg[i].loop], u, v, value + i);
        }
        lwi_solve_platform(k, s, value, bias);
        return;
    }
    int row = 0;
    for (int i = 0; i < step->nloop && value; ++i) {
        const lwi_loop *loop = &program->loop[step->loop[i]];
        lwi_loop_curvature(k, loop, u, v, value + row);
        row += loop->nrow;
    }
    if (value && k->step[s].loop) {
        lwi_block_bias(k, s, step, value, bias);
    } else if (value && step->kind != LW_STEP_LINEAR) {
        lwi_solve_rows(k, s, step, k->step[s].factor, value, 1, bias);
    }
}

// Fills the dependent entries of out [tree_nv] from the independent ones.
static void follow(lwi_symbolic *k, const lwi_expr *u, const lwi_expr *v, lwi_expr *out)
{
    lwi_graph *g = k->g;
    for (int i = 0; i < k->nrate; ++i) {
        const lwi_sym_rate *rate = &k->rate[i];
        const lwi_step *step = &k->m->kernel->program->step[rate->step];
        lwi_expr *bias = lwi_symbolic_take(k, rate->ntarget);
        if (!bias) {
            return;
        }
        if (u && step->reduced) {
            lwi_leg_bias(k, rate, u, v, bias);
        } else if (u) {
            curvature(k, rate->step, step, u, v, bias);
        }
        for (int t = 0; t < rate->ntarget; ++t) {
            lwi_expr sum = bias[t];
            for (int c = 0; c < rate->nsource; ++c) {
                const lwi_expr share = rate->K[t * rate->nsource + c];
                sum = lwi_add(g, sum, lwi_mul(g, share, out[rate->source[c]]));
            }
            out[rate->target[t]] = sum;
        }
    }
}

void lwi_tree_accelerations(lwi_symbolic *k, const lwi_expr *u, const lwi_expr *v,
                            const lwi_expr *x, lwi_expr *out)
{
    for (int i = 0; i < k->m->nv; ++i) {
        out[k->m->v_tree[i]] = x ? x[i] : LWI_ZERO;
    }
    follow(k, u, v, out);
}

void lwi_tree_rates(lwi_symbolic *k, const lwi_expr *x, lwi_expr *out)
{
    lwi_tree_accelerations(k, NULL, NULL, x, out);
}

void lwi_tree_column(lwi_symbolic *k, int j, lwi_expr *out)
{
    for (int i = 0; i < k->m->nv; ++i) {
        out[k->m->v_tree[i]] = i == j ? LWI_ONE : LWI_ZERO;
    }
    follow(k, NULL, NULL, out);
}

void lwi_tree_project(lwi_symbolic *k, lwi_expr *tree, lwi_expr *out)
{
    lwi_graph *g = k->g;
    const lw_model *m = k->m;
    for (int i = k->nrate - 1; i >= 0; --i) {
        const lwi_sym_rate *rate = &k->rate[i];
        for (int t = 0; t < rate->ntarget; ++t) {
            for (int c = 0; c < rate->nsource; ++c) {
                const lwi_expr share = rate->K[t * rate->nsource + c];
                lwi_expr *at = &tree[rate->source[c]];
                *at = lwi_add(g, *at, lwi_mul(g, share, tree[rate->target[t]]));
            }
        }
    }
    for (int i = 0; i < m->nv; ++i) {
        out[i] = tree[m->v_tree[i]];
    }
}
