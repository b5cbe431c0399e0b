// The order of elimination for forward dynamics (model/fronts.h), from the steps alone.
#include "front_plan.h"

#include "factor_tree.h"

#include <math.h>
#include <string.h>

// More entries than this are as good as a dense matrix of 2000 rows; no plan is made then.
enum { MOST_ENTRIES = 4000000 };

typedef struct plan {
    const lwi_build *b;
    lwi_fronts *f;
    int *row, *nrow;      // [tree_nv]
    int *column, *at;     // [nentry]
    int *body_of;         // [tree_nv]
    int *noccurrence;     // [nv] joints that a coordinate moves
    int *close;           // [nv] body at which it is eliminated; nbody for the world
    int *last;            // [nv] last body that it moves
    int *mark, *place;    // [nbody+1] coordinate that was here last, and its place in the front
    int *first, *nkept;   // fronts
    int *dof, *slot, *to; // [nfront]
    lwi_product *product;
    char *bends; // [nv]
} plan;

static void *take(const plan *p, int n, size_t size)
{
    return lwi_arena_take(p->b->arena, (size_t)n + 1, size);
}

static int parent_of(const lwi_build *b, int body)
{
    return b->body[body].parent < 0 ? b->nbody : b->body[body].parent;
}

// The union of the rows of a step's sources, in the order in which they are met. Returns how many
// coordinates these are; `set` gets them, `seen` [nv] their number in it.
static int unite_sources(const plan *p, const lwi_step *step, int *set, int *seen)
{
    int n = 0;
    for (int k = 0; k < step->nsource; ++k) {
        const int source = step->source[k];
        for (int e = p->row[source]; e < p->row[source] + p->nrow[source]; ++e) {
            const int c = p->column[e];
            if (seen[c] < 0) {
                seen[c] = n;
                set[n++] = c;
            }
        }
    }
    return n;
}

// One walk counts, with no arrays of entries, the other fills them; but counting needs columns, so
// these grow.
static bool grow_columns(plan *p, int *room, int needed)
{
    if (needed <= *room) {
        return true;
    }
    const int more = 2 * needed;
    int *column = take(p, more, sizeof *column);
    if (column) {
        if (*room > 0) { // memcpy takes no null, even for nothing
            memcpy(column, p->column, (size_t)*room * sizeof *column);
        }
        p->column = column;
        *room = more;
    }
    return column != NULL;
}

static bool grow_products(plan *p, int *room, int needed)
{
    if (needed <= *room) {
        return true;
    }
    const int more = 2 * needed;
    lwi_product *product = take(p, more, sizeof *product);
    if (product) {
        if (*room > 0) {
            memcpy(product, p->product, (size_t)*room * sizeof *product);
        }
        p->product = product;
        *room = more;
    }
    return product != NULL;
}

// The products of one target, whose row begins at `row`; `seen` has the places within it.
static void add_products(plan *p, const lwi_step *step, int rate, int row, const int *seen)
{
    for (int k = 0; k < step->nsource; ++k) {
        const int source = step->source[k];
        for (int e = p->row[source]; e < p->row[source] + p->nrow[source]; ++e) {
            p->product[p->f->nproduct++] =
                (lwi_product){.to = row + seen[p->column[e]], .from = e, .rate = rate + k};
        }
    }
}

static bool is_constant(const lwi_step *step)
{
    return step->kind == LW_STEP_LINEAR ||
           (step->kind == LW_STEP_FUNCTION && step->law == LW_LAW_POLYNOMIAL &&
            step->ncoefficient <= 2);
}

// Rows of G. False where there are too many entries, or no memory: *status has which.
static bool make_rows(plan *p, lw_status *status)
{
    const lwi_build *b = p->b;
    int *set = take(p, b->nv, sizeof *set), *seen = take(p, b->nv, sizeof *seen);
    int room = 0, product_room = 0, rate = 0;
    *status = LW_ERR_MEMORY;
    if (!set || !seen || !grow_columns(p, &room, b->nv + b->tree_nv)) {
        return false;
    }
    memset(seen, -1, (size_t)b->nv * sizeof *seen);
    for (int c = 0; c < b->nv; ++c) {
        p->row[b->v_tree[c]] = c;
        p->nrow[b->v_tree[c]] = 1;
        p->column[c] = c;
    }
    p->f->nentry = b->nv;
    for (int s = 0; s < b->nstep; ++s) {
        const lwi_step *step = &b->step[s].step;
        const int n = unite_sources(p, step, set, seen);
        int terms = 0;
        for (int k = 0; k < step->nsource; ++k) {
            terms += p->nrow[step->source[k]];
        }
        const double entries = (double)p->f->nentry + (double)step->ntarget * n;
        const double products = (double)p->f->nproduct + (double)step->ntarget * terms;
        if (entries > MOST_ENTRIES || products > MOST_ENTRIES) {
            *status = LW_OK;
            return false;
        }
        if (!grow_columns(p, &room, (int)entries) ||
            !grow_products(p, &product_room, (int)products)) {
            return false;
        }
        for (int t = 0; t < step->ntarget; ++t) {
            const int row = p->f->nentry;
            memcpy(&p->column[row], set, (size_t)n * sizeof *set);
            add_products(p, step, rate + t * step->nsource, row, seen);
            p->row[step->target[t]] = row;
            p->nrow[step->target[t]] = n;
            p->f->nentry += n;
        }
        for (int k = 0; k < n; ++k) {
            seen[set[k]] = -1;
            p->bends[set[k]] |= (char)!is_constant(step);
            p->f->is_bent |= p->bends[set[k]];
        }
        rate += step->ntarget * step->nsource;
    }
    *status = LW_OK;
    return true;
}

// How often each coordinate occurs, and the body that carries all of its joints. Tree velocities
// are in the order of the bodies.
static void find_ends(plan *p)
{
    const lwi_build *b = p->b;
    for (int v = 0; v < b->tree_nv; ++v) {
        const int body = p->body_of[v];
        for (int e = p->row[v]; e < p->row[v] + p->nrow[v]; ++e) {
            const int c = p->column[e];
            int at = p->noccurrence[c]++ == 0 ? body : p->close[c];
            while (at < b->nbody && !(at <= body && body < b->body[at].subtree_end)) {
                at = parent_of(b, at);
            }
            p->close[c] = at;
            p->last[c] = body;
        }
    }
}

// Calls for each coordinate and each of the bodies on its way. Where `p->dof` is NULL places are
// counted, in p->first[body] and p->nkept[body]; else they are filled.
static void enter(plan *p, int c, int body)
{
    const int nbody = p->b->nbody;
    int before = -1;
    for (int at = body;; at = parent_of(p->b, at)) {
        const bool is_known = p->mark[at] == c;
        if (!is_known) {
            p->mark[at] = c;
            p->place[at] = at == p->close[c] ? p->first[at]++ : p->nkept[at]++;
        }
        if (p->dof && !is_known) {
            p->dof[p->place[at]] = p->b->v_tree[c];
            p->slot[p->place[at]] = c; // for now
            p->to[p->place[at]] = -1;
        }
        if (p->dof && before >= 0) {
            p->to[before] = p->place[at];
        }
        before = p->place[at];
        if (is_known || at == p->close[c] || at == nbody) {
            return;
        }
    }
}

// Entries by coordinate: entry_of[start[c] ..] lists the tree velocities that c moves.
typedef struct by_coordinate {
    int *start, *dof, *entry;
} by_coordinate;

static bool sort_by_coordinate(const plan *p, by_coordinate *s)
{
    const lwi_build *b = p->b;
    s->start = take(p, b->nv, sizeof *s->start);
    s->dof = take(p, p->f->nentry, sizeof *s->dof);
    s->entry = take(p, p->f->nentry, sizeof *s->entry);
    if (!s->start || !s->dof || !s->entry) {
        return false;
    }
    for (int c = 0; c < b->nv; ++c) {
        s->start[c + 1] = s->start[c] + p->noccurrence[c];
    }
    for (int v = 0; v < b->tree_nv; ++v) {
        for (int e = p->row[v]; e < p->row[v] + p->nrow[v]; ++e) {
            const int at = s->start[p->column[e]]++;
            s->dof[at] = v;
            s->entry[at] = e;
        }
    }
    for (int c = b->nv; c > 0; --c) {
        s->start[c] = s->start[c - 1];
    }
    s->start[0] = 0;
    return true;
}

// Counts or fills the fronts, coordinate by coordinate; p->mark is cleared.
static void enter_all(plan *p, const by_coordinate *s)
{
    memset(p->mark, -1, (size_t)(p->b->nbody + 1) * sizeof *p->mark);
    for (int c = 0; c < p->b->nv; ++c) {
        for (int k = s->start[c]; k < s->start[c + 1] && p->noccurrence[c] > 1; ++k) {
            const int body = p->body_of[s->dof[k]];
            enter(p, c, body);
            if (p->dof) {
                p->at[s->entry[k]] = p->place[body];
            }
        }
    }
}

static bool make_fronts(plan *p, lw_status *status)
{
    const int nbody = p->b->nbody;
    by_coordinate sorted;
    *status = LW_ERR_MEMORY;
    if (!sort_by_coordinate(p, &sorted)) {
        return false;
    }
    enter_all(p, &sorted);
    double sum = 0.0;
    for (int i = 0; i <= nbody; ++i) {
        sum += (double)p->first[i] + p->nkept[i];
    }
    if (sum > MOST_ENTRIES) {
        *status = LW_OK;
        return false;
    }
    p->f->nfront = (int)sum;
    p->dof = take(p, p->f->nfront, sizeof *p->dof);
    p->slot = take(p, p->f->nfront, sizeof *p->slot);
    p->to = take(p, p->f->nfront, sizeof *p->to);
    p->at = take(p, p->f->nentry, sizeof *p->at);
    if (!p->dof || !p->slot || !p->to || !p->at) {
        return false;
    }
    memset(p->at, -1, (size_t)p->f->nentry * sizeof *p->at);
    // Counts become the next place for each kind: those that go on first.
    int next = 0;
    for (int i = 0; i <= nbody; ++i) {
        const int nclosed = p->first[i], nkept = p->nkept[i];
        p->nkept[i] = next;
        p->first[i] = next + nkept;
        next += nkept + nclosed;
    }
    enter_all(p, &sorted);
    next = 0;
    for (int i = 0; i <= nbody; ++i) {
        const int end = p->first[i];
        p->nkept[i] -= next;
        p->first[i] = next;
        next = end;
    }
    p->first[nbody + 1] = next;
    *status = LW_OK;
    return true;
}

// A row of the matrix for each coordinate under way, given back when it is eliminated. Coordinates
// begin at the last body that they move.
static bool give_slots(plan *p)
{
    const lwi_build *b = p->b;
    int *begin = take(p, b->nbody, sizeof *begin), *next = take(p, b->nv, sizeof *next);
    int *slot = take(p, b->nv, sizeof *slot), *unused = take(p, b->nv, sizeof *unused);
    if (!begin || !next || !slot || !unused) {
        return false;
    }
    memset(begin, -1, (size_t)b->nbody * sizeof *begin);
    for (int c = 0; c < b->nv; ++c) {
        if (p->noccurrence[c] > 1) {
            next[c] = begin[p->last[c]];
            begin[p->last[c]] = c;
        }
    }
    int nunused = 0;
    for (int i = b->nbody; i >= 0; --i) {
        for (int c = i < b->nbody ? begin[i] : -1; c >= 0; c = next[c]) {
            slot[c] = nunused > 0 ? unused[--nunused] : p->f->nslot++;
        }
        for (int k = p->first[i] + p->nkept[i]; k < p->first[i + 1] && i < b->nbody; ++k) {
            unused[nunused++] = slot[p->slot[k]];
        }
    }
    for (int k = 0; k < p->f->nfront; ++k) {
        p->slot[k] = slot[p->slot[k]];
    }
    return true;
}

// What takes the fewest instructions, by rough fits to those of the shipped models. Elimination
// costs 200 more for each body than bias forces, 400 more where it meets a front, and 60 for each
// place in one. The mass matrix takes 15 for each entry of the tree's triangle that is not zero,
// and its factors 2 nv^3. Inverse dynamics takes 300 for each body.
static void choose_methods(const plan *p, const char *role, const int *depth)
{
    const lwi_build *b = p->b;
    double fronts = 60.0 * p->f->nfront, matrix = 0.0;
    for (int i = 0; i < b->nbody; ++i) {
        fronts += role[i] == LWI_FRONT_MEETS ? 600.0 : 200.0;
        matrix += 15.0 * b->body[i].nv * depth[i];
    }
    p->f->is_sparse = fronts < matrix + 2.0 * b->nv * b->nv * b->nv;
    p->f->has_few_columns = 300.0 * b->nbody * (b->nv + 1) < matrix;
}

static bool finish(plan *p)
{
    const lwi_build *b = p->b;
    int *share = take(p, b->nbody + 1, sizeof *share);
    int *depth = take(p, b->nbody, sizeof *depth); // degrees of freedom up to the world
    char *role = take(p, b->nbody, sizeof *role);
    if (!share || !role || !depth) {
        return false;
    }
    double sum = 0.0;
    for (int i = 0; i <= b->nbody; ++i) {
        const int n = p->first[i + 1] - p->first[i], nv = i < b->nbody ? b->body[i].nv : 0;
        share[i] = (int)sum;
        sum += (double)n * (nv + n - p->nkept[i]);
        bool is_plain = n == p->nkept[i];
        for (int k = 0; k < nv; ++k) {
            const int row = p->row[b->body[i].v + k];
            is_plain &= row < b->nv && p->at[row] < 0;
        }
        if (i < b->nbody) {
            const int parent = b->body[i].parent;
            depth[i] = nv + (parent < 0 ? 0 : depth[parent]);
            role[i] = (char)(!is_plain ? LWI_FRONT_MEETS
                             : n > 0   ? LWI_FRONT_PASSES
                                       : LWI_FRONT_NONE);
        }
    }
    const double matrix = (double)p->f->nslot * p->f->nslot;
    p->f->nshare = fmax(sum, matrix) > MOST_ENTRIES ? -1 : (int)sum;
    p->f->share = share;
    p->f->role = role;
    choose_methods(p, role, depth);
    return true;
}

static lw_status make(plan *p)
{
    const lwi_build *b = p->b;
    p->row = take(p, b->tree_nv, sizeof *p->row);
    p->nrow = take(p, b->tree_nv, sizeof *p->nrow);
    p->body_of = take(p, b->tree_nv, sizeof *p->body_of);
    p->noccurrence = take(p, b->nv, sizeof *p->noccurrence);
    p->close = take(p, b->nv, sizeof *p->close);
    p->last = take(p, b->nv, sizeof *p->last);
    p->bends = take(p, b->nv, sizeof *p->bends);
    p->mark = take(p, b->nbody, sizeof *p->mark);
    p->place = take(p, b->nbody, sizeof *p->place);
    p->first = take(p, b->nbody + 1, sizeof *p->first);
    p->nkept = take(p, b->nbody, sizeof *p->nkept);
    if (!p->row || !p->nrow || !p->body_of || !p->noccurrence || !p->close || !p->last ||
        !p->mark || !p->place || !p->first || !p->nkept || !p->bends) {
        return LW_ERR_MEMORY;
    }
    for (int i = 0; i < b->nbody; ++i) {
        for (int k = 0; k < b->body[i].nv; ++k) {
            p->body_of[b->body[i].v + k] = i;
        }
    }
    lw_status status;
    if (!make_rows(p, &status)) {
        p->f->nshare = -1;
        return status;
    }
    find_ends(p);
    if (!make_fronts(p, &status)) {
        p->f->nshare = -1;
        return status;
    }
    return give_slots(p) && finish(p) ? LW_OK : LW_ERR_MEMORY;
}

lw_status lwi_plan_fronts(lwi_build *b)
{
    if (b->nstep == 0) {
        return LW_OK;
    }
    plan p = {.b = b, .f = lwi_arena_take(b->arena, 1, sizeof *p.f)};
    const lw_status status = p.f ? make(&p) : LW_ERR_MEMORY;
    if (status != LW_OK) {
        return lwi_build_no_memory(b);
    }
    if (p.f->nshare < 0) {
        return LW_OK; // as good as dense
    }
    p.f->row = p.row;
    p.f->nrow = p.nrow;
    p.f->column = p.column;
    p.f->at = p.at;
    p.f->product = p.product;
    p.f->bends = p.bends;
    p.f->first = p.first;
    p.f->nkept = p.nkept;
    p.f->dof = p.dof;
    p.f->slot = p.slot;
    p.f->to = p.to;
    int *v_parent = take(&p, b->nv, sizeof *v_parent);
    if (!v_parent || !lwi_find_factor_tree(b, p.f, p.body_of, v_parent)) {
        return lwi_build_no_memory(b);
    }
    p.f->v_parent = v_parent;
    b->fronts = p.f;
    return LW_OK;
}
