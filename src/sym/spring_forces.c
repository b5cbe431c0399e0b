// A spring of length x(q) needs the generalised forces F dx/dq. The way d between its ends is seen
// from the common body of both branches, so that joints before it do not come in; with u = d / x
// and s the rate of d for unit rate of a degree of freedom, dx/dq is u . s.
//
// What a program would branch on is written with signs: |y| = y sign(y), the step that is 1 above
// zero and else 0 is sign(y) (sign(y) + 1) / 2, and y held within -e and e is
// (|y + e| - |y - e|) / 2. So is a short table, a natural cubic spline that goes on straight: with
// j_k the jumps of its third derivative at the points x_k, its value is a straight line plus the
// sum of j_k max(y - x_k, 0)^3 / 6.
#include "symbolic_model.h"

#include "../base/report.h"
#include "../model/locations.h"
#include "loops.h"
#include "symbols.h"

#include <stdio.h>

// Points of a table that is written out; each costs a sign and five multiplications.
enum { LONGEST_TABLE = 16 };

static lwi_expr number_of(lwi_symbolic *k, int spring, const char *stem, const char *meaning,
                          double value)
{
    return lwi_new_symbol(k, stem, spring + 1, k->m->spring[spring].name, meaning, value);
}

static void number_spring(lwi_symbolic *k, int i, lwi_spring_numbers *out)
{
    const lw_spring_info *spring = &k->m->spring[i];
    out->free = number_of(k, i, "x0_", "free length or angle of the spring", spring->free);
    out->play = number_of(k, i, "play", "backlash, both sides together", spring->backlash);
    out->preload = number_of(k, i, "P", "preload of the spring", spring->preload);
    out->damping = number_of(k, i, "ds", "damping of the spring", spring->damping);
    out->loss = number_of(k, i, "loss", "share of the torque that is lost", spring->loss);
    out->law = lwi_symbolic_take(k, spring->ncoefficient);
    for (int p = 0; p < spring->ncoefficient && out->law && spring->law != LW_LAW_TABLE; ++p) {
        char stem[16];
        snprintf(stem, sizeof stem, "e%d_", p);
        out->law[p] = number_of(k, i, stem, "coefficient of that power in the law of the spring",
                                spring->coefficient[p]);
    }
}

lw_status lwi_number_springs(lwi_symbolic *k)
{
    const lw_model *m = k->m;
    if (m->nspring == 0 || k->is_ideal) {
        return k->status;
    }
    k->spring = lwi_arena_take(&k->arena, (size_t)m->nspring, sizeof *k->spring);
    if (!k->spring) {
        return LW_ERR_MEMORY;
    }
    for (int i = 0; i < m->nspring; ++i) {
        const int points = m->spring[i].ncoefficient / 3;
        if (m->spring[i].law == LW_LAW_TABLE && points > LONGEST_TABLE) {
            return lwi_report_error(k->report, lwi_spring_location(m, i), LW_ERR_UNSUPPORTED,
                                    "%s \"%s\" follows a table of %d points, and equations are "
                                    "derived for %d at most; a polynomial has a formula, and so "
                                    "has the model without springs and friction (ideal)",
                                    m->spring[i].is_torsion ? "torsion" : "spring",
                                    m->spring[i].name, points, LONGEST_TABLE);
        }
        number_spring(k, i, &k->spring[i]);
    }
    return k->status;
}

// --- The law ----------------------------------------------------------------------------------

static lwi_expr half_of(lwi_graph *g, lwi_expr y)
{
    return lwi_scale(g, 0.5, y);
}

static lwi_expr size_of(lwi_graph *g, lwi_expr y)
{
    return lwi_mul(g, y, lwi_sign(g, y));
}

static lwi_expr step_at(lwi_graph *g, lwi_expr y)
{
    const lwi_expr sign = lwi_sign(g, y);
    return half_of(g, lwi_mul(g, sign, lwi_add(g, sign, LWI_ONE)));
}

static lwi_expr held_within(lwi_graph *g, lwi_expr y, lwi_expr e)
{
    const lwi_expr above = size_of(g, lwi_add(g, y, e)), below = size_of(g, lwi_sub(g, y, e));
    return half_of(g, lwi_sub(g, above, below));
}

// What the law sees of the length x: beyond the free length and half of the play.
static lwi_expr stretch_of(lwi_symbolic *k, int i, lwi_expr x)
{
    lwi_graph *g = k->g;
    const lwi_expr s = lwi_sub(g, x, k->spring[i].free);
    if (k->spring[i].play == LWI_ZERO) {
        return s;
    }
    return lwi_sub(g, s, held_within(g, s, half_of(g, k->spring[i].play)));
}

// 1 where the spring acts, 0 where it does not.
static lwi_expr acting(lwi_symbolic *k, int i, lwi_expr stretch)
{
    lwi_graph *g = k->g;
    const lw_spring_info *spring = &k->m->spring[i];
    if (spring->side == LW_SPRING_BOTH) {
        return k->spring[i].play != LWI_ZERO ? step_at(g, size_of(g, stretch)) : LWI_ONE;
    }
    return step_at(g, spring->side == LW_SPRING_TENSION ? stretch : lwi_neg(stretch));
}

// The integral of the law from 0, or the law itself.
static lwi_expr polynomial(lwi_symbolic *k, int i, lwi_expr y, bool is_integral)
{
    lwi_graph *g = k->g;
    lwi_expr sum = LWI_ZERO;
    for (int p = k->m->spring[i].ncoefficient - 1; p >= 0; --p) {
        const lwi_expr share = is_integral ? lwi_number(g, 1.0 / (p + 1)) : LWI_ONE;
        sum = lwi_add_products(g, sum, y, share, k->spring[i].law[p]);
    }
    return is_integral ? lwi_mul(g, sum, y) : sum;
}

// The same up to a constant, which the caller takes off.
static lwi_expr table(lwi_symbolic *k, int i, lwi_expr y, bool is_integral)
{
    lwi_graph *g = k->g;
    const int n = k->m->spring[i].ncoefficient / 3;
    const double *x = k->m->spring[i].coefficient, *f = x + n, *bend = f + n;
    const double slope = (f[1] - f[0]) / (x[1] - x[0]) - bend[1] * (x[1] - x[0]) / 6.0;
    const lwi_expr t = lwi_sub(g, y, lwi_number(g, x[0]));
    const lwi_expr line = lwi_scale(g, is_integral ? slope / 2.0 : slope, t);
    lwi_expr sum = lwi_add(g, lwi_number(g, f[0]), line);
    sum = is_integral ? lwi_mul(g, t, sum) : sum;
    double before = 0.0;
    for (int p = 0; p < n; ++p) {
        const double after = p + 1 < n ? (bend[p + 1] - bend[p]) / (x[p + 1] - x[p]) : 0.0;
        const lwi_expr from = lwi_sub(g, y, lwi_number(g, x[p]));
        const lwi_expr jump = lwi_number(g, (after - before) / (is_integral ? 24.0 : 6.0));
        const lwi_expr square = lwi_mul(g, from, from);
        const lwi_expr power = lwi_mul(g, square, is_integral ? square : from);
        const lwi_expr part = lwi_mul(g, lwi_mul(g, jump, step_at(g, from)), power);
        sum = lwi_add(g, sum, part);
        before = after;
    }
    return sum;
}

static lwi_expr law_at(lwi_symbolic *k, int i, lwi_expr y, bool is_integral)
{
    if (k->m->spring[i].law != LW_LAW_TABLE) {
        return polynomial(k, i, y, is_integral);
    }
    const lwi_expr at = table(k, i, y, is_integral);
    return is_integral ? lwi_sub(k->g, at, table(k, i, LWI_ZERO, true)) : at;
}

static lwi_expr elastic_force(lwi_symbolic *k, int i, lwi_expr stretch)
{
    const lwi_expr sum = lwi_add(k->g, law_at(k, i, stretch, false), k->spring[i].preload);
    return lwi_mul(k->g, acting(k, i, stretch), sum);
}

static lwi_expr whole_force(lwi_symbolic *k, int i, lwi_expr x, lwi_expr rate)
{
    lwi_graph *g = k->g;
    const lw_spring_info *spring = &k->m->spring[i];
    const lwi_expr elastic = elastic_force(k, i, stretch_of(k, i, x));
    lwi_expr damping = lwi_mul(g, k->spring[i].damping, rate);
    // One-sided springs have no more damping than elastic force.
    if (damping != LWI_ZERO && (spring->side != LW_SPRING_BOTH || k->spring[i].play != LWI_ZERO)) {
        damping = held_within(g, damping, size_of(g, elastic));
    }
    return lwi_add(g, elastic, damping);
}

// --- Lengths ----------------------------------------------------------------------------------

// The ends of a spring as the ends of a loop: the bodies between them and their common body.
static bool find_way(lwi_symbolic *k, const lw_spring_info *spring, lwi_loop *way)
{
    int *path[2] = {lwi_symbolic_alloc(k, k->m->nbody, sizeof *path[0]),
                    lwi_symbolic_alloc(k, k->m->nbody, sizeof *path[1])};
    int at[2] = {spring->body[0], spring->body[1]};
    if (!path[0] || !path[1]) {
        return false;
    }
    *way = (lwi_loop){.is_rod = true};
    // Bodies with larger numbers are farther out.
    while (at[0] != at[1]) {
        const int side = at[0] > at[1] ? 0 : 1;
        path[side][way->npath[side]++] = at[side];
        at[side] = k->body[at[side]].parent;
    }
    for (int side = 0; side < 2; ++side) {
        for (int i = 0, j = way->npath[side] - 1; i < j; ++i, --j) {
            const int swap = path[side][i];
            path[side][i] = path[side][j];
            path[side][j] = swap;
        }
        way->path[side] = path[side];
        way->X[side].R = lw_mat3_identity();
        way->X[side].p = spring->p[side];
    }
    return true;
}

// The normal of a plane, seen from the common body, and the height of `end`[1] above it.
static lwi_expr height(lwi_symbolic *k, const lw_spring_info *spring, lwi_loop *way, lwi_twist *S,
                       const lwi_vec end[2], lwi_vec *normal)
{
    lwi_vec above;
    way->X[0].p = lw_add3(spring->p[0], spring->normal);
    lwi_loop_screws(k, way, 0, S, &above);
    way->X[0].p = spring->p[0];
    *normal = vec_sub(k->g, above, end[0]);
    return vec_dot(k->g, *normal, vec_sub(k->g, end[1], end[0]));
}

// Length of a spring, and its rate row [tree_nv] for unit rates, which is zero before; NULL: not
// wanted.
static lwi_expr line_length(lwi_symbolic *k, const lw_spring_info *spring, lwi_expr *row)
{
    lwi_graph *g = k->g;
    lwi_loop way;
    lwi_twist *S = lwi_symbolic_alloc(k, k->m->tree_nv, sizeof *S);
    if (!S || !find_way(k, spring, &way)) {
        return LWI_ZERO;
    }
    lwi_vec end[2];
    for (int side = 0; side < 2; ++side) {
        lwi_loop_screws(k, &way, side, S, &end[side]);
    }
    const bool is_height = spring->along == LW_SPRING_NORMAL;
    const lwi_vec d = vec_sub(g, end[1], end[0]);
    lwi_vec u;
    const lwi_expr length =
        is_height ? height(k, spring, &way, S, end, &u) : lwi_sqrt(g, vec_dot(g, d, d));
    if (!row || length == LWI_ZERO) {
        return length;
    }
    if (!is_height) {
        u = vec_scale(g, lwi_div(g, LWI_ONE, length), d);
    }
    const lwi_vec point = end[1];
    for (int side = 0; side < 2; ++side) {
        int n = 0;
        lwi_loop_screws(k, &way, side, S, &end[side]);
        for (int i = 0; i < way.npath[side]; ++i) {
            const lwi_sym_body *b = &k->body[way.path[side][i]];
            for (int j = b->v_start; j < b->v_start + b->nv; ++j, ++n) {
                const lwi_vec at = is_height ? point : end[side];
                const lwi_vec s = vec_add(g, S[n].lin, vec_cross(g, S[n].ang, at));
                const lwi_expr along = vec_dot(g, u, s);
                row[j] = side ? along : lwi_neg(along);
            }
        }
    }
    return length;
}

static lwi_expr twist_angle(lwi_symbolic *k, const lw_spring_info *spring, lwi_expr *row)
{
    lwi_expr x = LWI_ZERO;
    for (int side = 0; side < 2; ++side) {
        const int v = spring->dof[side];
        if (v >= 0) {
            const lwi_expr q = lwi_symbolic_position(k, lwi_body_of_dof(k->m, v));
            x = side ? lwi_sub(k->g, x, q) : lwi_add(k->g, x, q);
            if (row) {
                row[v] = lwi_add(k->g, row[v], side ? lwi_neg(LWI_ONE) : LWI_ONE);
            }
        }
    }
    return x;
}

static lwi_expr length_of(lwi_symbolic *k, int i, lwi_expr *row)
{
    const lw_spring_info *spring = &k->m->spring[i];
    return spring->is_torsion ? twist_angle(k, spring, row) : line_length(k, spring, row);
}

// --- Forces and energy ------------------------------------------------------------------------

// What a torsion loses brakes its axis out.
static lwi_expr loss_of(lwi_symbolic *k, int i, lwi_expr force, lwi_expr speed)
{
    lwi_graph *g = k->g;
    const lw_spring_info *spring = &k->m->spring[i];
    const lwi_expr slow = lwi_number(g, 1.0 / spring->loss_speed);
    const lwi_expr direction = lwi_tanh(g, lwi_mul(g, slow, speed));
    return lwi_mul(g, lwi_mul(g, k->spring[i].loss, size_of(g, force)), direction);
}

void lwi_add_springs(lwi_symbolic *k, const lwi_expr *v, lwi_expr *tau)
{
    lwi_graph *g = k->g;
    const int n = k->m->tree_nv;
    for (int i = 0; i < k->m->nspring && k->spring; ++i) {
        const lw_spring_info *spring = &k->m->spring[i];
        lwi_expr *row = lwi_symbolic_take(k, n), rate = LWI_ZERO;
        if (!row) {
            return;
        }
        const lwi_expr x = length_of(k, i, row);
        for (int j = 0; j < n; ++j) {
            rate = lwi_add(g, rate, lwi_mul(g, row[j], v[j]));
        }
        const lwi_expr force = whole_force(k, i, x, rate);
        for (int j = 0; j < n; ++j) {
            tau[j] = lwi_add(g, tau[j], lwi_mul(g, force, row[j]));
        }
        const int out = spring->dof[1];
        if (spring->is_torsion && k->spring[i].loss != LWI_ZERO && out >= 0) {
            tau[out] = lwi_add(g, tau[out], loss_of(k, i, force, v[out]));
        }
    }
}

lwi_expr lwi_spring_potential(lwi_symbolic *k)
{
    lwi_graph *g = k->g;
    lwi_expr all = LWI_ZERO;
    for (int i = 0; i < k->m->nspring && k->spring; ++i) {
        const lwi_expr s = stretch_of(k, i, length_of(k, i, NULL));
        const lwi_expr preload = lwi_mul(g, s, k->spring[i].preload);
        const lwi_expr sum = lwi_add(g, law_at(k, i, s, true), preload);
        all = lwi_add(g, all, lwi_mul(g, acting(k, i, s), sum));
    }
    return all;
}
