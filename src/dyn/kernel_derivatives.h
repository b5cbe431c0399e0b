// The sweeps of the derivatives over the lanes of real.h; derivatives.c has the formulas.
//
// Everything but the outward recursion itself is the same for every body, or for every degree of
// freedom, and so is done for several of them side by side: bodies by themselves, what a degree of
// freedom makes of the composite body behind it, and all the degrees of freedom before a degree of
// freedom, which meet it in pairs.
//
// Bodies are numbered depth first. So while they are visited in order, the degrees of freedom
// between the world and the body at hand can be kept as a stack, of which each body overwrites what
// belongs to branches that are done: the degrees of freedom before it are then always the first
// entries of the rows.
#ifndef LWI_KERNEL_DERIVATIVES_H
#define LWI_KERNEL_DERIVATIVES_H

#include "../math/kernel_sincos.h"
#include "derivative_sweep.h"
#include "kernel_lanes.h"

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

static inline void outward(const lw_model *m, lw_data *d, const lwi_state *at)
{
    lwi_world_body ground, root;
    lwi_world_ground(d, &ground);
    LWI_SINCOS(m->tree_nq, at->q, d->sine, d->cosine);
    for (int i = 0; i < m->nbody; ++i) {
        if (m->kernel->segment[i].carrier == LW_TREE_REVOLUTE) {
            lwi_world_revolute(m, d, i, at, &ground, &root);
        } else {
            const lwi_world_body *P = lwi_world_any_joint(m, d, i, at, &ground, &root);
            lwi_sweep_columns(m, d, i, at, P);
        }
    }
}

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

// --- Composite bodies -------------------------------------------------------------------------

/// Adds `count` rows of body i to those of its parent p; four at a time, because the compiler will
/// not.
static inline void add_rows(double *row, size_t stride, int count, int i, int p)
{
    double *sum = row + p;
    const double *more = row + i;
    for (int r = 0; r < count; r += 4) {
        sum[0] += more[0];
        sum[stride] += more[stride];
        sum[2 * stride] += more[2 * stride];
        sum[3 * stride] += more[3 * stride];
        sum += 4 * stride;
        more += 4 * stride;
    }
}

_Static_assert(LWI_BODY_ROWS % 4 == 0 && LWI_LOAD_ROWS % 4 == 0, "rows are added in fours");

static inline void add_up(const lw_model *m, lw_data *d)
{
    const int rows = m->nload > 0 ? LWI_LOAD_ROWS : LWI_BODY_ROWS;
    for (int i = m->nbody - 1; i > 0; --i) {
        const int p = m->kernel->segment[i].parent;
        if (p >= 0) {
            add_rows(d->body_row, d->body_stride, rows, i, p);
        }
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

// --- Pairs of degrees of freedom
// ------------------------------------------------------------------------

/// What the innermost loops are to do, constant when compiling.
typedef enum task {
    PLAIN,     ///< derivatives by q and by v
    WITH_MASS, ///< the mass matrix too
    WITH_LOADS ///< and loads along the axes of the world
} task;

/// Where the degrees of freedom before the one at hand are.
typedef struct path {
    const double *row; ///< rows of columns
    size_t stride;
    const int *dof; ///< [count] null where they are 0, 1, 2 ...
    int count;      ///< degrees of freedom of all bodies before, and of its own body
} path;

/// Six or three numbers for all lanes.
static inline void spread(const double *row, size_t stride, size_t n, real *x)
{
    for (size_t k = 0; k < n; ++k) {
        x[k] = real_of(row[k * stride]);
    }
}

static inline real row_product(const real *x, const double *row, size_t stride, size_t n)
{
    real sum = x[0] * load(row);
    for (size_t k = 1; k < n; ++k) {
        sum += x[k] * load(row + k * stride);
    }
    return sum;
}

/// The first lanes alone.
static inline void put_some(real x, double *to, int count)
{
    double entry[LANES];
    store(x, entry);
    for (int l = 0; l < count; ++l) {
        to[l] = entry[l];
    }
}

/// Entries of a row of a matrix at degrees of freedom of the path, from number s on. In a chain,
/// what a whole block puts behind the last of them is put again by those after it.
static inline void put_before(real x, double *A, size_t n, const path *at, int s)
{
    const int count = at->count - s;
    if (!at->dof) {
        if (s + LANES <= (int)n) {
            store(x, A + s);
        } else {
            put_some(x, A + s, count);
        }
        return;
    }
    const int *dof = at->dof + s;
    if (count >= LANES && dof[LANES - 1] == dof[0] + LANES - 1) {
        store(x, A + dof[0]);
        return;
    }
    double entry[LANES];
    store(x, entry);
    for (int l = 0; l < LANES && l < count; ++l) {
        A[dof[l]] = entry[l];
    }
}

/// Row k of the matrices at the degrees of freedom before it, and at those of its own joint.
LWI_INLINE void pair_before(const lwi_matrices *out, size_t n, int k, const double *row,
                            const path *at, task goal)
{
    const size_t stride = at->stride;
    real IS[6], BS[3], loads[3];
    spread(row + LWI_ROW_IS * stride, stride, 6, IS);
    spread(row + LWI_ROW_BS * stride, stride, 3, BS);
    if (goal == WITH_LOADS) {
        spread(row + LWI_ROW_LOADS * stride, stride, 3, loads);
    }
    for (int s = 0; s < at->count; s += LANES) {
        const double *column = at->row + s, *S = column + LWI_ROW_S * stride;
        const size_t from = out->take ? 0 : (size_t)k * n;
        if (out->by_q) {
            real x = row_product(BS, column + LWI_ROW_PSI * stride, stride, 3) +
                     row_product(IS, column + LWI_ROW_CHI * stride, stride, 6);
            if (goal == WITH_LOADS) {
                x += row_product(loads, S, stride, 3);
            }
            put_before(x, out->by_q + from, n, at, s);
        }
        if (out->by_v) {
            const real x = row_product(BS, S, stride, 3) +
                           row_product(IS, column + LWI_ROW_ETA * stride, stride, 6);
            put_before(x, out->by_v + from, n, at, s);
        }
        if (goal != PLAIN && out->M) {
            put_before(row_product(IS, S, stride, 6), out->M + from, n, at, s);
        }
    }
}

/// Row k of the matrices at the degrees of freedom from `first` to `end` that it carries.
LWI_INLINE void pair_behind(const lwi_matrices *out, size_t n, int k, const double *row,
                            size_t stride, int first, int end, task goal)
{
    real S[6];
    spread(row + LWI_ROW_S * stride + (size_t)k, stride, 6, S);
    for (int i = first; i < end; i += LANES) {
        const double *column = row + i;
        double *const to[] = {out->by_q, out->by_v, goal != PLAIN ? out->M : NULL};
        const size_t from[] = {LWI_ROW_FQ, LWI_ROW_FV, LWI_ROW_IS};
        for (int which = 0; which < 3; ++which) {
            if (to[which]) {
                const real x = row_product(S, column + from[which] * stride, stride, 6);
                double *A = to[which] + (out->take ? 0 : (size_t)k * n) + i;
                if (i + LANES <= end) {
                    store(x, A);
                } else {
                    put_some(x, A, end - i);
                }
            }
        }
    }
}

/// The columns of a body's joint go to the end of the path.
static inline void extend_path(const lwi_segment *b, lw_data *d, int slot)
{
    const size_t stride = d->dof_stride;
    for (int k = 0; k < b->nv; ++k) {
        const double *from = d->dof_row + b->v + k;
        double *to = d->path_row + slot + k;
        for (size_t r = 0; r < LWI_COLUMN_ROWS; ++r) {
            to[r * stride] = from[r * stride];
        }
        d->path_dof[slot + k] = b->v + k;
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
static inline void clear(const lwi_matrices *out, size_t count, bool is_chain)
{
    double *const A[] = {out->by_q, out->by_v, out->M};
    for (int k = 0; k < 3 && !is_chain; ++k) {
        if (A[k]) {
            fill_zeros(A[k], count);
        }
    }
}

LWI_INLINE void pair_all(const lw_model *m, lw_data *d, const lwi_matrices *out, bool is_chain,
                         task goal)
{
    const lwi_segment *body = m->kernel->segment;
    const size_t stride = d->dof_stride, n = (size_t)m->tree_nv;
    for (int i = 0; i < m->nbody; ++i) {
        const lwi_segment *b = &body[i];
        // In a chain the rows of all degrees of freedom are the path already.
        path at = {d->dof_row, stride, NULL, b->v + b->nv};
        if (!is_chain) {
            const int slot = b->parent < 0 ? 0 : d->slot[b->parent] + body[b->parent].nv;
            d->slot[i] = slot;
            extend_path(b, d, slot);
            at = (path){d->path_row, stride, d->path_dof, slot + b->nv};
        }
        for (int k = b->v; k < b->v + b->nv; ++k) {
            if (out->take) {
                clear(out, n, is_chain);
            }
            pair_before(out, n, k, d->dof_row + k, &at, goal);
            if (out->take) {
                const int end = m->v_start[b->subtree_end];
                pair_behind(out, n, k, d->dof_row, stride, b->v + b->nv, end, goal);
                out->take(m, d, k, out);
            }
        }
    }
    if (out->take) {
        return;
    }
    // Bodies are numbered depth first: what a body carries follows it.
    for (int i = 0; i < m->nbody; ++i) {
        const lwi_segment *b = &body[i];
        const int end = m->v_start[b->subtree_end];
        for (int k = b->v; k < b->v + b->nv; ++k) {
            pair_behind(out, n, k, d->dof_row, stride, b->v + b->nv, end, goal);
        }
    }
}

static inline bool is_chain_of_bodies(const lw_model *m)
{
    for (int i = 0; i < m->nbody; ++i) {
        if (m->kernel->segment[i].parent != i - 1) {
            return false;
        }
    }
    return true;
}

static void derivative_columns(const lw_model *m, lw_data *d, const lwi_state *at,
                               const lw_force *f_ext)
{
    outward(m, d, at);
    take_bodies(m, d);
    if (f_ext || m->nload > 0 || d->nrod_mass > 0) {
        lwi_sweep_forces(m, d, f_ext);
    }
    add_up(m, d);
    take_dofs(m, d);
}

static void derivative_pairs(const lw_model *m, lw_data *d, const lwi_matrices *out)
{
    const bool is_chain = is_chain_of_bodies(m);
    if (!out->take) {
        clear(out, (size_t)m->tree_nv * (size_t)m->tree_nv, is_chain);
    }
    if (m->nload > 0) {
        pair_all(m, d, out, is_chain, WITH_LOADS);
    } else if (out->M) {
        pair_all(m, d, out, is_chain, WITH_MASS);
    } else {
        pair_all(m, d, out, is_chain, PLAIN);
    }
}

#endif
