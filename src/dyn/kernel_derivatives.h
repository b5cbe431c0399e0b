// The sweeps of the derivatives over the lanes of real.h; derivatives.c has the formulas.
//
// Everything but the outward recursion itself is the same for every body, or for every degree of
// freedom, and so is done for several of them side by side: bodies by themselves, what a degree of
// freedom makes of the composite body behind it, and all the degrees of freedom before a degree of
// freedom, which meet it in pairs.
#ifndef LWI_KERNEL_DERIVATIVES_H
#define LWI_KERNEL_DERIVATIVES_H

#include "kernel_elimination.h"
#include "kernel_lanes.h"
#include "kernel_outward.h"

/// How many bodies from i on are done side by side: revolute ones, or one of another kind.
static inline int block_length(const lw_model *m, int i)
{
    const lwi_segment *body = m->kernel->segment;
    if (body[i].carrier != LW_TREE_REVOLUTE) {
        return 1;
    }
    int n = 1;
    while (n < LANES && i + n < m->nbody && body[i + n].carrier == LW_TREE_REVOLUTE) {
        ++n;
    }
    return n;
}

// --- Bodies by themselves ---------------------------------------------------------------------

typedef struct lane_bodies {
    mat3 R; ///< axes
    vec3 o; ///< origin
    vec3 w, v, al, a;
    real mass;
    vec3 h;
    sym3 T;
} lane_bodies;

static inline lane_bodies gather_bodies(const lw_inertia *I, const lwi_world_body *B, int count)
{
    const spacing s = spacing_of(sizeof *B, count), t = spacing_of(sizeof *I, count);
    lane_bodies r;
    for (int k = 0; k < 3; ++k) {
        r.R.row[k] = gather3(&B->X.R.row[k], &s);
    }
    r.o = gather3(&B->X.p, &s);
    r.w = gather3(&B->vel.ang, &s);
    r.v = gather3(&B->vel.lin, &s);
    r.al = gather3(&B->acc.ang, &s);
    r.a = gather3(&B->acc.lin, &s);
    r.mass = gather(&I->mass, &t);
    r.h = gather3(&I->first_moment, &t);
    r.T = (sym3){gather(&I->tensor.xx, &t), gather(&I->tensor.yy, &t), gather(&I->tensor.zz, &t),
                 gather(&I->tensor.xy, &t), gather(&I->tensor.xz, &t), gather(&I->tensor.yz, &t)};
    return r;
}

/// From body axes and origin to the world's axes and the common point. Moving the origin by o adds
/// 2 (o.k) 1 - o k' - k o' to the tensor, where k = h + m/2 o.
static inline void move_inertia(lane_bodies *r)
{
    const vec3 *R = r->R.row;
    const vec3 t0 = sym_mul3(&r->T, R[0]), t1 = sym_mul3(&r->T, R[1]), t2 = sym_mul3(&r->T, R[2]);
    const vec3 o = r->o, half = scale3(0.5 * r->mass, o);
    const vec3 k = add3(mul3(&r->R, r->h), half);
    const real x = o.x * k.x, y = o.y * k.y, z = o.z * k.z;
    r->h = add3(k, half);
    r->T.xx = dot3(R[0], t0) + 2.0 * (y + z);
    r->T.yy = dot3(R[1], t1) + 2.0 * (x + z);
    r->T.zz = dot3(R[2], t2) + 2.0 * (x + y);
    r->T.xy = dot3(R[0], t1) - (o.x * k.y + o.y * k.x);
    r->T.xz = dot3(R[0], t2) - (o.x * k.z + o.z * k.x);
    r->T.yz = dot3(R[1], t2) - (o.y * k.z + o.z * k.y);
}

/// (v.h) 1 - v h' + [w]x T - tr(T)/2 [w]x
static inline mat3 matrix_B(const lane_bodies *r)
{
    const vec3 w = r->w, v = r->v, h = r->h;
    const sym3 *T = &r->T;
    const real vh = dot3(v, h);
    const vec3 t = scale3(0.5 * (T->xx + T->yy + T->zz), w);
    return (mat3){
        {{vh - v.x * h.x + w.y * T->xz - w.z * T->xy, t.z - v.x * h.y + w.y * T->yz - w.z * T->yy,
          w.y * T->zz - w.z * T->yz - v.x * h.z - t.y},
         {w.z * T->xx - w.x * T->xz - v.y * h.x - t.z, vh - v.y * h.y + w.z * T->xy - w.x * T->yz,
          t.x - v.y * h.z + w.z * T->xz - w.x * T->zz},
         {t.y - v.z * h.x + w.x * T->xy - w.y * T->xx, w.x * T->yy - w.y * T->xy - v.z * h.y - t.x,
          vh - v.z * h.z + w.x * T->yz - w.y * T->xz}}};
}

/// The rows of the bodies from the first of the block on.
static inline void put_bodies(const lane_bodies *r, double *row, size_t stride)
{
    const mat3 B = matrix_B(r);
    const vec3 p = add3(scale3(r->mass, r->v), cross3(r->w, r->h));
    const vec3 n = add3(add3(sym_mul3(&r->T, r->al), cross3(r->h, r->a)), mul3(&B, r->w));
    const vec3 f = add3(add3(scale3(r->mass, r->a), cross3(r->al, r->h)), cross3(r->w, p));
    const real T[6] = {r->T.xx, r->T.yy, r->T.zz, r->T.xy, r->T.xz, r->T.yz};
    store(r->mass, row + LWI_ROW_MASS * stride);
    store3(r->h, row + LWI_ROW_MOMENT * stride, stride);
    for (int k = 0; k < 6; ++k) {
        store(T[k], row + (size_t)(LWI_ROW_TENSOR + k) * stride);
    }
    for (int k = 0; k < 3; ++k) {
        store3(add3(B.row[k], B.row[k]), row + (size_t)(LWI_ROW_B + 3 * k) * stride, stride);
    }
    store3(add3(p, p), row + LWI_ROW_P * stride, stride);
    store3(n, row + LWI_ROW_FORCE * stride, stride);
    store3(f, row + (LWI_ROW_FORCE + 3) * stride, stride);
}

/// The columns of revolute joints. With one degree of freedom the motion of the body itself serves
/// as well as the parent's in psi and chi: the difference cancels.
LWI_INLINE void put_columns(const lane_bodies *r, double *row, size_t stride, int count)
{
    const vec3 z = {r->R.row[0].z, r->R.row[1].z, r->R.row[2].z};
    const vec3 s = cross3(r->o, z);
    const vec3 psi = cross3(r->w, z), slide = add3(cross3(r->w, s), cross3(r->v, z));
    const vec3 chi = add3(cross3(r->al, z), cross3(r->w, psi));
    const vec3 chi_slide =
        add3(add3(cross3(r->al, s), cross3(r->a, z)), add3(cross3(r->w, slide), cross3(r->v, psi)));
    store_some3(z, row + LWI_ROW_S * stride, stride, count);
    store_some3(s, row + (LWI_ROW_S + 3) * stride, stride, count);
    store_some3(psi, row + LWI_ROW_PSI * stride, stride, count);
    store_some3(chi, row + LWI_ROW_CHI * stride, stride, count);
    store_some3(chi_slide, row + (LWI_ROW_CHI + 3) * stride, stride, count);
    store_some3(add3(psi, psi), row + LWI_ROW_ETA * stride, stride, count);
    store_some3(add3(slide, slide), row + (LWI_ROW_ETA + 3) * stride, stride, count);
    store_some3(slide, row + LWI_ROW_PSI_LIN * stride, stride, count);
}

/// The rows of all bodies, and the columns of revolute joints.
static inline void take_bodies(const lw_model *m, lw_data *d)
{
    for (int i = 0, count; i < m->nbody; i += count) {
        const lwi_segment *b = &m->kernel->segment[i];
        count = block_length(m, i);
        lane_bodies r = gather_bodies(&m->inertia[i], &d->world[i], count);
        if (b->carrier == LW_TREE_REVOLUTE) {
            double *row = d->dof_row + b->v;
            // Behind the last body there is space; elsewhere another joint's columns may be there.
            if (count == LANES || i + count == m->nbody) {
                put_columns(&r, row, d->dof_stride, LANES);
            } else {
                put_columns(&r, row, d->dof_stride, count);
            }
        }
        move_inertia(&r);
        put_bodies(&r, d->body_row + i, d->body_stride);
    }
}

typedef struct lane_motion {
    vec3 ang, lin;
} lane_motion;

static inline lane_motion gather_motion(const lw_motion *x, int count)
{
    const spacing s = spacing_of(sizeof *x, count);
    return (lane_motion){gather3(&x->ang, &s), gather3(&x->lin, &s)};
}

static inline void add_rows3(vec3 x, double *row, size_t stride, int count)
{
    store_some3(add3(load3(row, stride), x), row, stride, count);
}

/// What the accelerations in d->acc add to the forces of bodies by themselves, and to CHI.
static inline void take_accelerations(const lw_model *m, lw_data *d)
{
    const lw_motion none = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0, count; i < m->nbody; i += count) {
        const lwi_segment *b = &m->kernel->segment[i];
        const bool is_shared = b->carrier != LW_TREE_REVOLUTE;
        count = block_length(m, i);
        const size_t stride = d->body_stride;
        double *row = d->body_row + i, *T = row + LWI_ROW_TENSOR * stride;
        const sym3 tensor = {load(T),
                             load(T + stride),
                             load(T + 2 * stride),
                             load(T + 3 * stride),
                             load(T + 4 * stride),
                             load(T + 5 * stride)};
        const vec3 h = load3(row + LWI_ROW_MOMENT * stride, stride);
        const lane_motion own = gather_motion(&d->acc[i], count);
        const vec3 n = add3(sym_mul3(&tensor, own.ang), cross3(h, own.lin));
        const vec3 f = sub3(scale3(load(row), own.lin), cross3(h, own.ang));
        add_rows3(n, row + LWI_ROW_FORCE * stride, stride, count);
        add_rows3(f, row + (LWI_ROW_FORCE + 3) * stride, stride, count);
        // With one degree of freedom the body's own motion serves as well (put_columns()).
        const lw_motion *before = b->parent >= 0 ? &d->acc[b->parent] : &none;
        const lane_motion moved = is_shared ? gather_motion(before, 1) : own;
        for (int k = 0; k < b->nv; k += LANES) {
            double *dofs = d->dof_row + b->v + k;
            const int some = is_shared ? b->nv - k : count, all = some < LANES ? some : LANES;
            const vec3 z = load3(dofs + LWI_ROW_S * d->dof_stride, d->dof_stride);
            const vec3 s = load3(dofs + (LWI_ROW_S + 3) * d->dof_stride, d->dof_stride);
            add_rows3(cross3(moved.ang, z), dofs + LWI_ROW_CHI * d->dof_stride, d->dof_stride, all);
            add_rows3(add3(cross3(moved.ang, s), cross3(moved.lin, z)),
                      dofs + (LWI_ROW_CHI + 3) * d->dof_stride, d->dof_stride, all);
        }
    }
}

// --- Composite bodies -------------------------------------------------------------------------

/// Adds up four rows, from the tips inward. What a body gives to the one before it stays in
/// registers; four rows at a time, because the compiler will not.
static inline void add_up_four(const lw_model *m, double *row, size_t stride)
{
    double sum[4] = {0};
    for (int i = m->nbody - 1; i >= 0; --i) {
        const int p = m->kernel->segment[i].parent;
        for (size_t r = 0; r < 4; ++r) {
            sum[r] += row[r * stride + (size_t)i];
            row[r * stride + (size_t)i] = sum[r];
        }
        if (p == i - 1) {
            continue;
        }
        for (size_t r = 0; r < 4; ++r) {
            if (p >= 0) {
                row[r * stride + (size_t)p] += sum[r];
            }
            sum[r] = 0.0;
        }
    }
}

_Static_assert(LWI_BODY_ROWS % 4 == 0 && LWI_LOAD_ROWS % 4 == 0, "rows are added in fours");

static inline void add_up(const lw_model *m, lw_data *d)
{
    const size_t rows = m->nload > 0 ? LWI_LOAD_ROWS : LWI_BODY_ROWS;
    for (size_t r = 0; r < rows; r += 4) {
        add_up_four(m, d->body_row + r * d->body_stride, d->body_stride);
    }
}

/// The composite bodies of a block of degrees of freedom.
typedef struct composites {
    real mass;
    vec3 h;
    sym3 T;
    mat3 B;
    vec3 p, n, f;
} composites;

/// One for each lane from `row` on, or the first of them for all.
static inline real load_body(const double *row, bool is_shared)
{
    return is_shared ? real_of(*row) : load(row);
}

static inline vec3 load_body3(const double *row, size_t stride, bool is_shared)
{
    return (vec3){load_body(row, is_shared), load_body(row + stride, is_shared),
                  load_body(row + 2 * stride, is_shared)};
}

static inline composites load_composites(const double *row, size_t stride, bool is_shared)
{
    composites c;
    const double *T = row + LWI_ROW_TENSOR * stride, *B = row + LWI_ROW_B * stride;
    c.mass = load_body(row + LWI_ROW_MASS * stride, is_shared);
    c.h = load_body3(row + LWI_ROW_MOMENT * stride, stride, is_shared);
    c.T = (sym3){load_body(T, is_shared),
                 load_body(T + stride, is_shared),
                 load_body(T + 2 * stride, is_shared),
                 load_body(T + 3 * stride, is_shared),
                 load_body(T + 4 * stride, is_shared),
                 load_body(T + 5 * stride, is_shared)};
    for (size_t k = 0; k < 3; ++k) {
        c.B.row[k] = load_body3(B + 3 * k * stride, stride, is_shared);
    }
    c.p = load_body3(row + LWI_ROW_P * stride, stride, is_shared);
    c.n = load_body3(row + LWI_ROW_FORCE * stride, stride, is_shared);
    c.f = load_body3(row + (LWI_ROW_FORCE + 3) * stride, stride, is_shared);
    return c;
}

/// I x + 2B y, of which only the angular part counts.
static inline void change_of_force(const composites *c, vec3 x, vec3 x_lin, vec3 y, vec3 *ang,
                                   vec3 *lin)
{
    *ang = add3(add3(sym_mul3(&c->T, x), cross3(c->h, x_lin)), mul3(&c->B, y));
    *lin = sub3(sub3(scale3(c->mass, x_lin), cross3(c->h, x)), cross3(c->p, y));
}

/// What the degrees of freedom of a block make of the composite bodies behind them.
static inline void reach(const composites *c, double *row, size_t stride)
{
    const vec3 z = load3(row + LWI_ROW_S * stride, stride);
    const vec3 s = load3(row + (LWI_ROW_S + 3) * stride, stride);
    const vec3 psi = load3(row + LWI_ROW_PSI * stride, stride);
    const vec3 chi = load3(row + LWI_ROW_CHI * stride, stride);
    const vec3 chi_lin = load3(row + (LWI_ROW_CHI + 3) * stride, stride);
    const vec3 eta = load3(row + LWI_ROW_ETA * stride, stride);
    const vec3 eta_lin = load3(row + (LWI_ROW_ETA + 3) * stride, stride);

    store3(add3(sym_mul3(&c->T, z), cross3(c->h, s)), row + LWI_ROW_IS * stride, stride);
    store3(sub3(scale3(c->mass, s), cross3(c->h, z)), row + (LWI_ROW_IS + 3) * stride, stride);
    store3(add3(transpose_mul3(&c->B, z), cross3(c->p, s)), row + LWI_ROW_BS * stride, stride);

    vec3 ang, lin;
    change_of_force(c, chi, chi_lin, psi, &ang, &lin);
    ang = add3(ang, add3(cross3(z, c->n), cross3(s, c->f)));
    lin = add3(lin, cross3(z, c->f));
    store3(ang, row + LWI_ROW_FQ * stride, stride);
    store3(lin, row + (LWI_ROW_FQ + 3) * stride, stride);
    change_of_force(c, eta, eta_lin, z, &ang, &lin);
    store3(ang, row + LWI_ROW_FV * stride, stride);
    store3(lin, row + (LWI_ROW_FV + 3) * stride, stride);
}

/// The same of the loads.
static inline void reach_loads(const double *load_row, size_t load_stride, bool is_shared,
                               double *row, size_t stride)
{
    const vec3 z = load3(row + LWI_ROW_S * stride, stride);
    const vec3 s = load3(row + (LWI_ROW_S + 3) * stride, stride);
    const vec3 f = load_body3(load_row + 9 * load_stride, load_stride, is_shared);
    mat3 L;
    for (size_t k = 0; k < 3; ++k) {
        L.row[k] = load_body3(load_row + 3 * k * load_stride, load_stride, is_shared);
    }
    double *FQ = row + LWI_ROW_FQ * stride;
    store3(add3(transpose_mul3(&L, z), cross3(f, s)), row + LWI_ROW_LOADS * stride, stride);
    store3(add3(load3(FQ, stride), mul3(&L, z)), FQ, stride);
    FQ += 3 * stride;
    store3(add3(load3(FQ, stride), cross3(z, f)), FQ, stride);
}

static inline void take_dofs(const lw_model *m, lw_data *d)
{
    const size_t stride = d->body_stride;
    for (int i = 0, count; i < m->nbody; i += count) {
        const lwi_segment *b = &m->kernel->segment[i];
        const bool is_shared = b->carrier != LW_TREE_REVOLUTE;
        count = block_length(m, i);
        for (int k = 0; k < b->nv; k += LANES) {
            const double *bodies = d->body_row + i;
            double *dofs = d->dof_row + b->v + k;
            const composites c = is_shared ? load_composites(bodies, stride, true)
                                           : load_composites(bodies, stride, false);
            reach(&c, dofs, d->dof_stride);
            if (m->nload > 0) {
                reach_loads(bodies + LWI_ROW_LOAD * stride, stride, is_shared, dofs, d->dof_stride);
            }
        }
    }
}

/// Whole matrices are short, so that this is done by hand.
static inline void fill_zeros(double *x, size_t count)
{
    size_t i = 0;
    for (; i + 4 * LANES <= count; i += 4 * LANES) {
        for (size_t k = 0; k < 4; ++k) {
            store((real){0}, x + i + k * LANES);
        }
    }
    for (; i < count; ++i) {
        x[i] = 0.0;
    }
}

/// Degrees of freedom of different branches are in no pair.
static inline void clear(const lwi_matrices *out, size_t count)
{
    double *const A[] = {out->by_q, out->by_v, out->M};
    for (int k = 0; k < 3; ++k) {
        if (A[k]) {
            fill_zeros(A[k], count);
        }
    }
}

// --- Pairs of degrees of freedom --------------------------------------------------------------
//
// Row k of a matrix has entries at the degrees of freedom before k, which are a few runs of
// neighbours, and at those behind it, which follow its own. Where a vector reaches beyond the end
// of a run, it puts entries that those behind k overwrite, or is moved back.

/// What is to be found, constant when compiling in most copies.
enum { BY_Q = 1, BY_V = 2, MASS = 4, LOADS = 8, FACTORS = 16 };

/// Rows of columns, `step` bytes apart.
typedef struct row_set {
    const char *at;
    size_t step;
} row_set;

LWI_INLINE row_set rows_at(row_set all, size_t first, int column)
{
    return (row_set){all.at + first * all.step + (size_t)column * sizeof(double), all.step};
}

/// x . the first n rows, which are addressed in threes.
LWI_INLINE real row_product(const real *x, row_set r, size_t n)
{
    real sum = {0};
    for (size_t k = 0; k < n; k += 3) {
        const char *p = r.at + k * r.step;
        const real ends =
            x[k] * load((const double *)p) + x[k + 2] * load((const double *)(p + 2 * r.step));
        const real part = ends + x[k + 1] * load((const double *)(p + r.step));
        sum = k == 0 ? part : sum + part;
    }
    return sum;
}

/// Six or three numbers for all lanes.
LWI_INLINE void spread(row_set r, size_t n, real *x)
{
    for (size_t k = 0; k < n; ++k) {
        x[k] = real_of(*(const double *)(r.at + k * r.step));
    }
}

/// The first lanes alone.
LWI_INLINE void put_some(real x, double *to, int count)
{
    if (count == LANES) {
        store(x, to);
        return;
    }
    for (int l = 0; l < LANES - 1; ++l) {
        if (l < count) {
            to[l] = real_lane(x, l);
        }
    }
}

/// One row of the matrices, and what its entries are products with.
typedef struct pair_row {
    double *by_q, *by_v, *M, *L;
    real IS[6], BS[3], loads[3], U[6], S[6];
} pair_row;

/// Entries at `count` degrees of freedom from c on, before the one of the row.
LWI_INLINE void pair_before(const pair_row *r, row_set all, int c, int count, int what)
{
    const row_set S = rows_at(all, LWI_ROW_S, c);
    if (what & BY_Q) {
        real x = row_product(r->BS, rows_at(all, LWI_ROW_PSI, c), 3) +
                 row_product(r->IS, rows_at(all, LWI_ROW_CHI, c), 6);
        if (what & LOADS) {
            x += row_product(r->loads, S, 3);
        }
        put_some(x, r->by_q + c, count);
    }
    if (what & BY_V) {
        const real x =
            row_product(r->BS, S, 3) + row_product(r->IS, rows_at(all, LWI_ROW_ETA, c), 6);
        put_some(x, r->by_v + c, count);
    }
    if (what & MASS) {
        put_some(row_product(r->IS, S, 6), r->M + c, count);
    }
    if (what & FACTORS) {
        put_some(row_product(r->U, S, 6), r->L + c, count);
    }
}

/// The same for those behind.
LWI_INLINE void pair_behind(const pair_row *r, row_set all, int c, int count, int what)
{
    if (what & BY_Q) {
        put_some(row_product(r->S, rows_at(all, LWI_ROW_FQ, c), 6), r->by_q + c, count);
    }
    if (what & BY_V) {
        put_some(row_product(r->S, rows_at(all, LWI_ROW_FV, c), 6), r->by_v + c, count);
    }
    if (what & MASS) {
        put_some(row_product(r->S, rows_at(all, LWI_ROW_IS, c), 6), r->M + c, count);
    }
}

/// The degrees of freedom from s to e, of which those up to `limit` may be overwritten.
LWI_INLINE void pair_run(const pair_row *r, row_set all, int s, int e, int limit, bool is_behind,
                         int what)
{
    for (int c = s; c < e; c += LANES) {
        const bool is_whole = c + LANES <= limit, is_moved = !is_whole && e - LANES >= s;
        const int first = is_moved ? e - LANES : c, count = is_whole || is_moved ? LANES : e - c;
        if (is_behind) {
            pair_behind(r, all, first, count, what);
        } else {
            pair_before(r, all, first, count, what);
        }
    }
}

/// Row k of the matrices, of a degree of freedom of body i.
LWI_INLINE void pair_one(const lw_model *m, const lw_data *d, const lwi_matrices *out, int i, int k,
                         int what)
{
    const lwi_segment *body = m->kernel->segment, *b = &body[i];
    const row_set all = {(const char *)d->dof_row, d->dof_stride * sizeof(double)};
    const size_t from = out->take ? 0 : (size_t)k * (size_t)m->tree_nv;
    const int end = m->v_start[b->subtree_end];
    pair_row r;
    r.by_q = what & BY_Q ? out->by_q + from : NULL;
    r.by_v = what & BY_V ? out->by_v + from : NULL;
    r.M = what & MASS ? out->M + from : NULL;
    r.L = what & FACTORS ? out->L + from : NULL;
    spread(rows_at(all, LWI_ROW_IS, k), 6, r.IS);
    spread(rows_at(all, LWI_ROW_BS, k), 3, r.BS);
    spread(rows_at(all, LWI_ROW_LOADS, k), 3, r.loads);
    spread(rows_at(all, LWI_ROW_U, k), 6, r.U);
    for (int j = i; j >= 0;) {
        const lwi_segment *first = &body[d->run[j]];
        const int e = body[j].v + body[j].nv;
        pair_run(&r, all, first->v, e, j == i ? end : e, false, what);
        j = first->parent;
    }
    if (what & FACTORS) {
        r.L[k] = d->dof_row[LWI_ROW_D * d->dof_stride + (size_t)k];
    }
    if (b->v + b->nv < end) {
        spread(rows_at(all, LWI_ROW_S, k), 6, r.S);
        pair_run(&r, all, b->v + b->nv, end, end, true, what);
    }
}

LWI_INLINE void pair_all(const lw_model *m, lw_data *d, const lwi_matrices *out, int what)
{
    const size_t n = (size_t)m->tree_nv;
    bool is_chain = true;
    for (int i = 0; i < m->nbody; ++i) {
        const bool is_next = i > 0 && m->kernel->segment[i].parent == i - 1;
        d->run[i] = is_next ? d->run[i - 1] : i;
        is_chain = d->run[i] == 0;
    }
    if (!out->take && !is_chain) {
        clear(out, n * n);
    }
    for (int i = 0; i < m->nbody; ++i) {
        const lwi_segment *b = &m->kernel->segment[i];
        for (int k = b->v; k < b->v + b->nv; ++k) {
            if (out->take && !is_chain) {
                clear(out, n);
            }
            pair_one(m, d, out, i, k, what);
            if (out->take) {
                out->take(m, d, k, out);
            }
        }
    }
}

/// After outward(): the rows of bodies by themselves, and the columns.
static inline void begin_rows(const lw_model *m, lw_data *d, const lw_force *f_ext)
{
    take_bodies(m, d);
    if (f_ext || m->nload > 0 || d->nrod_mass > 0) {
        lwi_sweep_forces(m, d, f_ext);
    }
}

static void derivative_columns(const lw_model *m, lw_data *d, const lwi_state *at,
                               const lw_force *f_ext)
{
    outward(m, d, at, false);
    begin_rows(m, d, f_ext);
    add_up(m, d);
    take_dofs(m, d);
}

static int forward_columns(const lw_model *m, lw_data *d, const lwi_state *at,
                           const lw_force *f_ext, const double *rotor, double *drive, double *a)
{
    outward(m, d, at, true);
    begin_rows(m, d, f_ext);
    eliminate_bodies(m, d, rotor, drive);
    accelerate_bodies(m, d, drive, a);
    take_accelerations(m, d);
    add_up(m, d);
    take_dofs(m, d);
    return find_singular(d, m->tree_nv, rotor);
}

static void derivative_pairs(const lw_model *m, lw_data *d, const lwi_matrices *out)
{
    const int what = (out->by_q ? BY_Q : 0) | (out->by_v ? BY_V : 0) | (out->M ? MASS : 0) |
                     (out->L ? FACTORS : 0) | (m->nload > 0 ? LOADS : 0);
    switch (what) {
    case BY_Q | BY_V:
        pair_all(m, d, out, BY_Q | BY_V);
        break;
    case BY_Q | BY_V | MASS:
        pair_all(m, d, out, BY_Q | BY_V | MASS);
        break;
    case BY_Q | BY_V | FACTORS:
        pair_all(m, d, out, BY_Q | BY_V | FACTORS);
        break;
    default:
        pair_all(m, d, out, what);
        break;
    }
}

#endif
