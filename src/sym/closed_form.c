// Closed forms: from a model to polynomials, and from polynomials to expressions.
//
// Lagrange's elements are written with common factors taken out, the most frequent one first
// (Horner's rule in several variables). Uicker and Kahn's are written over a dictionary: every
// product of sines and cosines that occurs is made once, from a shorter one by one factor, and the
// elements are sums of numbers times entries.
#include "derivation.h"

#include "lagrange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Where there are any -----------------------------------------------------------------------

// Joints that follow others at constant ratios leave polynomials polynomials.
static bool is_linear(const lw_step_info *step)
{
    return step->kind == LW_STEP_LINEAR ||
           (step->kind == LW_STEP_FUNCTION && step->law == LW_LAW_POLYNOMIAL &&
            step->ncoefficient <= 2);
}

bool lwi_has_closed_form(const lw_model *m, char why[LWI_WHY_SIZE])
{
    why[0] = '\0';
    if (m->nv > LWI_MOST_EXPANDED) {
        snprintf(why, LWI_WHY_SIZE,
                 "written out in sines and cosines, the equations of so many joints explode");
    }
    for (int s = 0; s < m->nstep && !why[0]; ++s) {
        const lw_step_info *step = &m->step[s];
        if (!is_linear(step)) {
            snprintf(why, LWI_WHY_SIZE,
                     "joint \"%.80s\" follows by a %s, which makes it no polynomial in sines and "
                     "cosines",
                     m->tree_velocity_name[step->target[0]],
                     step->kind == LW_STEP_FUNCTION ? "coupling that is not linear" : "loop");
        }
    }
    for (int i = 0; i < m->nbody && !why[0]; ++i) {
        const lw_sym3 *I = &m->inertia[i].tensor;
        if (m->carrier[i] != LW_TREE_REVOLUTE && m->carrier[i] != LW_TREE_PRISMATIC) {
            snprintf(why, LWI_WHY_SIZE, "joint \"%.80s\" is neither revolute nor prismatic",
                     m->joints[m->joint[i]].name);
        } else if (!(m->inertia[i].mass > 0.0) && (I->xx != 0.0 || I->yy != 0.0 || I->zz != 0.0)) {
            snprintf(why, LWI_WHY_SIZE,
                     "the link behind joint \"%.80s\" has moments of inertia but no mass",
                     m->joints[m->joint[i]].name);
        }
    }
    if (!why[0] && m->nloop > 0) {
        snprintf(why, LWI_WHY_SIZE, "it has loops");
    }
    return !why[0];
}

// --- From the model ---------------------------------------------------------------------------

// A number, or a number times a symbol.
static lwi_poly scalar(lwi_closed *c, lwi_symbolic *k, lwi_expr e)
{
    double number;
    if (lwi_is_number(k->g, e, &number)) {
        return lwi_poly_number(&c->s, number);
    }
    for (int i = 0; i < k->nsymbol; ++i) {
        const lwi_expr symbol = lwi_symbol_of(k->g, k->symbol[i].name, LWI_PARAMETER, i);
        if (lwi_is_number(k->g, lwi_div(k->g, e, symbol), &number) && number != 0.0) {
            return lwi_poly_of(&c->s, number, i);
        }
    }
    const lw_status failure = lwi_graph_status(k->g);
    c->s.status = failure == LW_OK ? LW_ERR_UNSUPPORTED : failure;
    return (lwi_poly){NULL, 0};
}

static void row_of(lwi_closed *c, lwi_symbolic *k, lwi_vec R, lwi_expr p, lwi_poly row[4])
{
    row[0] = scalar(c, k, R.x);
    row[1] = scalar(c, k, R.y);
    row[2] = scalar(c, k, R.z);
    row[3] = scalar(c, k, p);
}

static lwi_poly_pose pose_mul(lwi_polys *s, const lwi_poly_pose *X, const lwi_poly_pose *Y)
{
    lwi_poly_pose out;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c) {
            lwi_poly sum = c == 3 ? X->row[r][3] : (lwi_poly){NULL, 0};
            for (int e = 0; e < 3; ++e) {
                sum = lwi_poly_add(s, sum, lwi_poly_mul(s, X->row[r][e], Y->row[e][c]));
            }
            out.row[r][c] = sum;
        }
    }
    return out;
}

// The motion of a joint: a rotation about z, or a translation along it.
static lwi_poly_pose joint_pose(lwi_closed *c, int i)
{
    lwi_polys *s = &c->s;
    char name[24];
    const lwi_poly one = lwi_poly_number(s, 1.0), zero = {NULL, 0};
    lwi_poly_pose X = {{{one, zero, zero, zero}, {zero, one, zero, zero}, {zero, zero, one, zero}}};
    if (c->m->carrier[i] == LW_TREE_PRISMATIC) {
        snprintf(name, sizeof name, "q%d", i + 1);
        X.row[2][3] = lwi_poly_of(s, 1.0, lwi_poly_variable(s, LWI_VAR_POSITION, i, name));
        return X;
    }
    snprintf(name, sizeof name, "c%d", i + 1);
    const int cosine = lwi_poly_variable(s, LWI_VAR_COSINE, i, name);
    name[0] = 's';
    const int sine = lwi_poly_variable(s, LWI_VAR_SINE, i, name);
    X.row[0][0] = X.row[1][1] = lwi_poly_of(s, 1.0, cosine);
    X.row[0][1] = lwi_poly_of(s, -1.0, sine);
    X.row[1][0] = lwi_poly_of(s, 1.0, sine);
    return X;
}

static void body_of(lwi_closed *c, lwi_symbolic *k, int i)
{
    const lwi_sym_body *from = &k->body[i];
    const lwi_mass *d = &from->central;
    lwi_poly_body *b = &c->body[i];
    for (int r = 0; r < 3; ++r) {
        row_of(c, k, from->rest.R.row[r], from->rest.p.e[r], b->rest.row[r]);
    }
    const lwi_poly_pose J = joint_pose(c, i);
    b->X = pose_mul(&c->s, &b->rest, &J);
    b->mass = scalar(c, k, d->mass);
    for (int e = 0; e < 3; ++e) {
        b->r[e] = scalar(c, k, d->first.e[e]);
    }
    for (int e = 0; e < 6; ++e) {
        b->I[e] = scalar(c, k, d->tensor.e[e]);
    }
}

void lwi_closed_poses(lwi_closed *c, int i, lwi_poly_pose *X)
{
    const lwi_poly one = lwi_poly_number(&c->s, 1.0), zero = {NULL, 0};
    const lwi_poly_pose rest = {
        {{one, zero, zero, zero}, {zero, one, zero, zero}, {zero, zero, one, zero}}};
    const int first = i < 0 ? 0 : i, last = i < 0 ? c->n : c->m->subtree_end[i];
    for (int j = first; j < last && c->s.status == LW_OK; ++j) {
        const int parent = c->m->parent[j];
        if (j == i) {
            X[j] = rest;
        } else {
            X[j] = parent < 0 ? c->body[j].X : pose_mul(&c->s, &X[parent], &c->body[j].X);
        }
    }
}

static int terms(const lwi_poly *p, int n)
{
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += p[i].n;
    }
    return sum;
}

// Storage for the elements of n degrees of freedom; false if allocation fails.
static bool make_elements(lwi_closed *c, int count)
{
    const size_t n = (size_t)count;
    c->M = lwi_arena_take(&c->s.arena, n * n + 1, sizeof *c->M);
    c->B = lwi_arena_take(&c->s.arena, n * n * n + 1, sizeof *c->B);
    c->G = lwi_arena_take(&c->s.arena, n + 1, sizeof *c->G);
    return c->M && c->B && c->G;
}

static void add_product(lwi_polys *s, lwi_poly factor, lwi_poly p, lwi_poly *sum)
{
    *sum = lwi_poly_add(s, *sum, lwi_poly_mul(s, factor, p));
}

// From the tree to independent degrees of freedom, of which those of the tree are R times: constant
// rates, so that M = R'MR, and Christoffel symbols likewise. Positions stay those of the tree.
static void reduce(lwi_closed *c, lwi_symbolic *k)
{
    lwi_polys *s = &c->s;
    const int n = c->n, nv = c->m->nv;
    const lwi_poly *M = c->M, *B = c->B, *G = c->G;
    lwi_poly *R = lwi_arena_take(&s->arena, (size_t)(n * nv) + 1, sizeof *R);
    lwi_expr *tree = lwi_symbolic_take(k, n);
    if (!R || !tree || !make_elements(c, nv)) {
        s->status = LW_ERR_MEMORY;
        return;
    }
    for (int i = 0; i < nv; ++i) {
        lwi_tree_column(k, i, tree);
        for (int a = 0; a < n; ++a) {
            R[a * nv + i] = scalar(c, k, tree[a]);
        }
    }
    for (int a = 0; a < n; ++a) {
        for (int i = 0; i < nv && s->status == LW_OK; ++i) {
            add_product(s, R[a * nv + i], G[a], &c->G[i]);
            for (int at = 0; at < n * nv && R[a * nv + i].n > 0; ++at) {
                const int b = at / nv, j = at % nv;
                const lwi_poly both = lwi_poly_mul(s, R[a * nv + i], R[b * nv + j]);
                add_product(s, both, M[a * n + b], &c->M[i * nv + j]);
                for (int e = 0; e < n * nv && both.n > 0; ++e) {
                    const lwi_poly all = lwi_poly_mul(s, both, R[e]);
                    add_product(s, all, B[(a * n + b) * n + e / nv],
                                &c->B[(i * nv + j) * nv + e % nv]);
                }
            }
        }
    }
    c->n = nv;
}

lw_status lwi_closed_init(lwi_closed *c, lwi_symbolic *k, lw_form form)
{
    memset(c, 0, sizeof *c);
    c->m = k->m;
    c->n = k->m->nbody;
    c->s.most = 50ll * LWI_MOST_TERMS;
    c->body = lwi_arena_take(&c->s.arena, (size_t)c->n + 1, sizeof *c->body);
    if (!c->body || !make_elements(c, c->n)) {
        return LW_ERR_MEMORY;
    }
    for (int i = 0; i < k->nsymbol; ++i) {
        lwi_poly_variable(&c->s, LWI_VAR_PARAMETER, i, k->symbol[i].symbol);
    }
    for (int e = 0; e < 3; ++e) {
        c->gravity[e] = scalar(c, k, k->gravity.e[e]);
    }
    for (int i = 0; i < c->n; ++i) {
        body_of(c, k, i);
    }
    if (c->s.status == LW_OK) {
        if (form == LW_FORM_UICKER) {
            lwi_uicker(c);
        } else {
            lwi_lagrange(c);
        }
    }
    if (c->s.status == LW_OK && c->m->nstep > 0) {
        reduce(c, k);
    }
    const int all = terms(c->M, c->n * c->n) + terms(c->B, c->n * c->n * c->n) + terms(c->G, c->n);
    if (c->s.status == LW_OK && all > LWI_MOST_TERMS) {
        c->s.status = LW_ERR_LIMIT;
    }
    return c->s.status;
}

void lwi_closed_free(lwi_closed *c)
{
    lwi_polys_free(&c->s);
}

// --- To expressions ---------------------------------------------------------------------------

// A product of sines, cosines and positions with what stands before it.
typedef struct piece {
    lwi_expr factor;
    uint8_t x[LWI_MOST_FACTORS];
    int n;
} piece;

static lwi_expr variable(lwi_symbolic *k, const lwi_variable *v)
{
    lwi_graph *g = k->g;
    if (v->kind == LWI_VAR_PARAMETER) {
        return lwi_symbol_of(g, k->symbol[v->index].name, LWI_PARAMETER, v->index);
    }
    if (v->kind == LWI_VAR_POSITION) {
        return k->body[v->index].q[0];
    }
    lwi_expr angle = LWI_ZERO;
    for (int i = 0; i < k->m->nbody && i < 64; ++i) {
        if (v->plus >> i & 1) {
            angle = lwi_add(g, angle, k->body[i].q[0]);
        } else if (v->minus >> i & 1) {
            angle = lwi_sub(g, angle, k->body[i].q[0]);
        }
    }
    return v->kind == LWI_VAR_COSINE ? lwi_cos(g, angle) : lwi_sin(g, angle);
}

// Ascending by multi-index: what a product begins with stands before it.
static int by_product(const void *one, const void *other)
{
    const piece *a = one, *b = other;
    const int n = a->n < b->n ? a->n : b->n;
    const int order = memcmp(a->x, b->x, (size_t)n);
    return order != 0 ? order : a->n - b->n;
}

// Terms whose products agree become one piece, with a factor of parameters only.
static int pieces_of(lwi_closed *c, lwi_symbolic *k, lwi_poly p, piece *out)
{
    lwi_graph *g = k->g;
    int n = 0;
    for (int i = 0; i < p.n; ++i) {
        piece own = {.factor = lwi_number(g, p.term[i].number)};
        for (int f = 0; f < LWI_MOST_FACTORS && p.term[i].factor[f] != LWI_NO_FACTOR; ++f) {
            const uint8_t x = p.term[i].factor[f];
            if (c->s.variable[x].kind == LWI_VAR_PARAMETER) {
                own.factor = lwi_mul(g, own.factor, variable(k, &c->s.variable[x]));
            } else {
                own.x[own.n++] = x;
            }
        }
        out[i] = own;
    }
    qsort(out, (size_t)p.n, sizeof *out, by_product);
    for (int i = 0; i < p.n; ++i) {
        if (n > 0 && by_product(&out[n - 1], &out[i]) == 0) {
            out[n - 1].factor = lwi_add(g, out[n - 1].factor, out[i].factor);
        } else {
            out[n++] = out[i];
        }
    }
    return n;
}

static lwi_expr product_of(lwi_closed *c, lwi_symbolic *k, const piece *p)
{
    lwi_expr product = LWI_ONE;
    for (int i = 0; i < p->n; ++i) {
        product = lwi_mul(k->g, product, variable(k, &c->s.variable[p->x[i]]));
    }
    return lwi_mul(k->g, p->factor, product);
}

static lwi_expr by_dictionary(lwi_closed *c, lwi_symbolic *k, const piece *p, int n)
{
    lwi_expr sum = LWI_ZERO;
    for (int i = 0; i < n; ++i) {
        sum = lwi_add(k->g, sum, product_of(c, k, &p[i]));
    }
    return sum;
}

// The variable that stands in most pieces, and in how many.
static int most_frequent(const lwi_closed *c, const piece *p, int n, int *count)
{
    int own[LWI_MOST_VARIABLES] = {0}, best = -1;
    *count = 0;
    for (int i = 0; i < n; ++i) {
        for (int f = 0; f < p[i].n; ++f) {
            own[p[i].x[f]] += f == 0 || p[i].x[f] != p[i].x[f - 1];
        }
    }
    for (int x = 0; x < c->s.nvariable; ++x) {
        if (own[x] > *count) {
            *count = own[x];
            best = x;
        }
    }
    return best;
}

static void remove_factor(piece *p, int x)
{
    const uint8_t *at = memchr(p->x, x, (size_t)p->n);
    const size_t location = (size_t)(at - p->x);
    memmove(p->x + location, p->x + location + 1, (size_t)p->n - location - 1);
    --p->n;
}

// One level of nesting: x * (the first `inside` pieces) + the rest.
typedef struct level {
    int first, n, x;
    int inner, rest; ///< levels, or -1
    lwi_expr value;
} level;

// Splits the pieces of a level, those with x first.
static int split(piece *p, int n, int x)
{
    int inside = 0;
    for (int i = 0; i < n; ++i) {
        if (p[i].n > 0 && memchr(p[i].x, x, (size_t)p[i].n)) {
            const piece swap = p[i];
            p[i] = p[inside];
            p[inside] = swap;
            remove_factor(&p[inside], x);
            ++inside;
        }
    }
    return inside;
}

static lwi_expr by_horner(lwi_closed *c, lwi_symbolic *k, piece *p, int n, level *stack,
                          int capacity)
{
    int count, used = 1;
    stack[0] = (level){.first = 0, .n = n, .inner = -1, .rest = -1};
    for (int i = 0; i < used; ++i) {
        level *at = &stack[i];
        const int x = most_frequent(c, p + at->first, at->n, &count);
        if (count < 2 || used + 2 > capacity) {
            continue;
        }
        const int inside = split(p + at->first, at->n, x);
        at->x = x;
        at->inner = used++;
        stack[at->inner] = (level){.first = at->first, .n = inside, .inner = -1, .rest = -1};
        if (inside < at->n) {
            at->rest = used++;
            stack[at->rest] =
                (level){.first = at->first + inside, .n = at->n - inside, .inner = -1, .rest = -1};
        }
    }
    for (int i = used - 1; i >= 0; --i) {
        level *at = &stack[i];
        if (at->inner < 0) {
            at->value = by_dictionary(c, k, p + at->first, at->n);
            continue;
        }
        const lwi_expr x = variable(k, &c->s.variable[at->x]);
        at->value = lwi_mul(k->g, x, stack[at->inner].value);
        if (at->rest >= 0) {
            at->value = lwi_add(k->g, at->value, stack[at->rest].value);
        }
    }
    return stack[0].value;
}

static lwi_expr expression(lwi_closed *c, lwi_symbolic *k, lwi_poly p, lw_form form)
{
    if (p.n == 0) {
        return LWI_ZERO;
    }
    lwi_arena arena = {0};
    const lwi_poly written = form == LW_FORM_LAGRANGE ? lwi_poly_sum_angles(&c->s, p) : p;
    const int capacity = 4 * written.n * LWI_MOST_FACTORS;
    piece *list = lwi_arena_take(&arena, (size_t)written.n, sizeof *list);
    level *stack = lwi_arena_take(&arena, (size_t)capacity, sizeof *stack);
    lwi_expr out = LWI_ZERO;
    if (!list || !stack) {
        k->status = LW_ERR_MEMORY;
    } else {
        const int n = pieces_of(c, k, written, list);
        out = form == LW_FORM_LAGRANGE ? by_horner(c, k, list, n, stack, capacity)
                                       : by_dictionary(c, k, list, n);
    }
    lwi_arena_free(&arena);
    return out;
}

// --- Functions --------------------------------------------------------------------------------

typedef struct expressions {
    lwi_expr *M, *B, *G;
    int n;
} expressions;

static void add_rotors(lwi_symbolic *k, const expressions *e)
{
    const int n = k->m->tree_nv;
    lwi_expr *tree = lwi_symbolic_take(k, e->n * n);
    for (int i = 0; i < e->n && tree; ++i) {
        lwi_tree_column(k, i, tree + i * n);
    }
    for (int at = 0; at < e->n * e->n * n && tree; ++at) {
        const int i = at / n / e->n, j = at / n % e->n, a = at % n;
        const lwi_expr both = lwi_mul(k->g, tree[i * n + a], tree[j * n + a]);
        lwi_expr *to = &e->M[i * e->n + j];
        *to = lwi_add(k->g, *to, lwi_mul(k->g, both, k->passive[a].rotor));
    }
}

// The velocity forces with factor v_k taken out.
static lwi_expr velocity_force(lwi_symbolic *k, const expressions *e, int i)
{
    lwi_graph *g = k->g;
    const int n = e->n;
    const lwi_expr two = lwi_number(g, 2.0);
    lwi_expr sum = LWI_ZERO;
    for (int j = 0; j < n; ++j) {
        lwi_expr pairs = LWI_ZERO;
        for (int l = j + 1; l < n; ++l) {
            const lwi_expr part = lwi_mul(g, e->B[(i * n + j) * n + l], k->v[l]);
            pairs = lwi_add(g, pairs, part);
        }
        const lwi_expr own = lwi_mul(g, e->B[(i * n + j) * n + j], k->v[j]);
        const lwi_expr all = lwi_add(g, own, lwi_mul(g, two, pairs));
        sum = lwi_add(g, sum, lwi_mul(g, k->v[j], all));
    }
    return sum;
}

// What is no inertia and no gravity: joint forces, and loads.
static void add_others(lwi_symbolic *k, lwi_expr *tau)
{
    const int n = k->m->tree_nv;
    lwi_expr *other = lwi_symbolic_take(k, n), *v = lwi_symbolic_take(k, n);
    lwi_expr *own = lwi_symbolic_take(k, k->m->nv);
    if (!other || !v || !own) {
        return;
    }
    lwi_load_forces(k, other);
    lwi_tree_rates(k, k->v, v);
    lwi_add_passive(k, v, NULL, other);
    lwi_tree_project(k, other, own);
    for (int i = 0; i < k->m->nv; ++i) {
        tau[i] = lwi_add(k->g, tau[i], own[i]);
    }
}

static void inverse_dynamics(lwi_symbolic *k, const expressions *e, lwi_expr *tau)
{
    lwi_graph *g = k->g;
    for (int i = 0; i < e->n; ++i) {
        tau[i] = lwi_add(g, velocity_force(k, e, i), e->G[i]);
        for (int j = 0; j < e->n; ++j) {
            tau[i] = lwi_add(g, tau[i], lwi_mul(g, e->M[i * e->n + j], k->a[j]));
        }
    }
    add_others(k, tau);
}

static void fill(lwi_symbolic *k, lw_function function, const expressions *e, lwi_expr *out)
{
    lwi_graph *g = k->g;
    const int n = e->n;
    int at = 0;
    switch (function) {
    case LW_FUNCTION_INVERSE_DYNAMICS:
        inverse_dynamics(k, e, out);
        break;
    case LW_FUNCTION_MASS_MATRIX:
        memcpy(out, e->M, (size_t)(n * n) * sizeof *out);
        break;
    case LW_FUNCTION_CHRISTOFFEL:
        memcpy(out, e->B, (size_t)(n * n * n) * sizeof *out);
        break;
    case LW_FUNCTION_GRAVITY:
        memcpy(out, e->G, (size_t)n * sizeof *out);
        break;
    case LW_FUNCTION_CORIOLIS_MATRIX:
        for (int i = 0; i < n * n; ++i) {
            for (int l = 0; l < n; ++l) {
                out[i] = lwi_add(g, out[i], lwi_mul(g, e->B[i * n + l], k->v[l]));
            }
        }
        break;
    default: // the elements
        for (int i = 0; i < n; ++i) {
            for (int j = i; j < n; ++j) {
                out[at++] = e->M[i * n + j];
            }
        }
        for (int i = 0; i < n * n; ++i) {
            for (int l = i % n; l < n; ++l) {
                out[at++] = e->B[i * n + l];
            }
        }
        memcpy(out + at, e->G, (size_t)n * sizeof *out);
        break;
    }
}

lw_status lwi_derive_closed_form(lwi_symbolic *k, lw_function function, lw_form form, lwi_expr *out)
{
    const int n = k->m->nv;
    lwi_closed *c = lwi_arena_take(&k->arena, 1, sizeof *c);
    const expressions e = {lwi_symbolic_take(k, n * n), lwi_symbolic_take(k, n * n * n),
                           lwi_symbolic_take(k, n), n};
    if (!c || !e.M || !e.B || !e.G) {
        return LW_ERR_MEMORY;
    }
    lw_status status = lwi_closed_init(c, k, form);
    for (int i = 0; i < n * n && status == LW_OK; ++i) {
        e.M[i] = i % n >= i / n ? expression(c, k, c->M[i], form) : e.M[(i % n) * n + i / n];
    }
    for (int i = 0; i < n * n * n && status == LW_OK; ++i) {
        const int row = i / (n * n), j = i / n % n, l = i % n;
        e.B[i] = l >= j ? expression(c, k, c->B[i], form) : e.B[(row * n + l) * n + j];
    }
    for (int i = 0; i < n && status == LW_OK; ++i) {
        e.G[i] = expression(c, k, c->G[i], form);
    }
    if (status == LW_OK) {
        add_rotors(k, &e);
        fill(k, function, &e, out);
        status = k->status == LW_OK ? lwi_graph_status(k->g) : k->status;
    }
    lwi_closed_free(c);
    return status;
}
