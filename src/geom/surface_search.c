// Distances of surfaces: two trees of boxes are searched together, the nearer pair of boxes first.
// A solid is a tree of one box. The distance of two boxes is bounded by the gaps along the axes of
// either, which make the distance from the one to a box along its axes that encloses the other, and
// by the gap along the normal of the nearest triangles so far. That is done in floats, for the four
// boxes of a node at once; what is left is compared in double.
#include "surface_search.h"

#include "support.h"
#include "triangle_pair.h"

#include <float.h>
#include <math.h>

/// One of the two.
typedef struct side {
    const lw_surface *surface; ///< or null
    const lw_solid *solid;
    const lwi_oriented_box *box; ///< round it
    const lwi_wide_node *node;
    double radius;
    lw_pose X;            ///< the middle of its box in that of the other
    lwi_floats normal[3]; ///< from this to the other, where the nearest items so far are apart
} side;

typedef struct search_state {
    side a, b;
    lw_pose X;    ///< the frame of b in that of a
    double size;  ///< no point of either is farther than this from the origin of a
    double reach; ///< of both roundings, and of rounding errors
    double slack; ///< of bounds in floats
    double limit; ///< what is proven to be farther apart need not be found
    float most;   ///< the same of the square of a gap between boxes
    double stop;  ///< an upper end that ends the search
    double least; ///< the lower end of all intervals so far
    bool is_found;
    lw_distance best; ///< in the frame of a, without the rounding of surfaces
    lw_search *search;
    lw_distance_work *work;
} search_state;

lw_search lw_default_search(void)
{
    return (lw_search){.cutoff = HUGE_VAL};
}

static void set_limit(search_state *s, double limit)
{
    const double most = fmax(limit + s->reach, 0.0) + s->slack;
    s->limit = limit;
    s->most = (float)(most * most * (1.0 + LWI_FLOAT_SLACK));
}

static lwi_floats all_lanes(double x)
{
    return (float)x - (lwi_floats){0};
}

static void set_normals(search_state *s, lw_vec3 n)
{
    const lw_vec3 back = lw_rotate_back(&s->X.R, n);
    const double a[3] = {n.x, n.y, n.z}, b[3] = {-back.x, -back.y, -back.z};
    for (int i = 0; i < 3; ++i) {
        s->a.normal[i] = all_lanes(a[i]);
        s->b.normal[i] = all_lanes(b[i]);
    }
}

// A box in the frame of the other side, the same in all lanes.
typedef struct placed_box {
    lwi_floats R[3][3], center[3], half[3];
} placed_box;

static placed_box placed(const side *from, int node, int lane)
{
    const lwi_wide_node *n = &from->node[node];
    placed_box box;
    const lw_vec3 c =
        lw_pose_apply(&from->X, lw_vec3_of((double)n->center[0][lane], (double)n->center[1][lane],
                                           (double)n->center[2][lane]));
    box.center[0] = all_lanes(c.x);
    box.center[1] = all_lanes(c.y);
    box.center[2] = all_lanes(c.z);
    for (int i = 0; i < 3; ++i) {
        const lw_vec3 row =
            lw_rotate(&from->X.R, lw_vec3_of((double)n->R[i][0][lane], (double)n->R[i][1][lane],
                                             (double)n->R[i][2][lane]));
        box.R[i][0] = all_lanes(row.x);
        box.R[i][1] = all_lanes(row.y);
        box.R[i][2] = all_lanes(row.z);
        box.half[i] = all_lanes((double)n->half[i][lane]);
    }
    return box;
}

typedef int32_t masks __attribute__((vector_size(4 * LWI_WIDE)));

static inline lwi_floats magnitude(lwi_floats x)
{
    return (lwi_floats)((masks)x & 0x7fffffff);
}

static inline lwi_floats positive(lwi_floats x)
{
    return (lwi_floats)((masks)x & (x > 0.0f));
}

static inline lwi_floats larger(lwi_floats x, lwi_floats y)
{
    const masks is_x = x > y;
    return (lwi_floats)(((masks)x & is_x) | ((masks)y & ~is_x));
}

static inline lwi_floats dot(const lwi_floats a[3], const lwi_floats b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The squares of distances that the boxes of a node have at least from another.
static lwi_floats box_gaps(const lwi_wide_node *a, const placed_box *b, const lwi_floats normal[3])
{
    const lwi_floats zero = {0};
    const lwi_floats c[3] = {b->center[0] - a->center[0], b->center[1] - a->center[1],
                             b->center[2] - a->center[2]};
    lwi_floats reach[3] = {b->half[0], b->half[1], b->half[2]}; // of both along the sides of b
    lwi_floats in_a = zero, in_b = zero, along = dot(normal, c);
    for (int i = 0; i < 3; ++i) {
        lwi_floats gap = magnitude(dot(a->R[i], c)) - a->half[i];
        for (int j = 0; j < 3; ++j) {
            const lwi_floats cosine = magnitude(dot(a->R[i], b->R[j]));
            gap -= cosine * b->half[j];
            reach[j] += cosine * a->half[i];
        }
        along -= magnitude(dot(a->R[i], normal)) * a->half[i] +
                 magnitude(dot(b->R[i], normal)) * b->half[i];
        gap = positive(gap);
        in_a += gap * gap;
    }
    for (int j = 0; j < 3; ++j) {
        const lwi_floats gap = positive(magnitude(dot(b->R[j], c)) - reach[j]);
        in_b += gap * gap;
    }
    along = positive(along);
    return larger(larger(in_a, in_b), along * along);
}

// A triangle or point as a solid.
static lw_solid item_solid(const lw_surface *f, const lw_vec3 *corner)
{
    return lw_hull(f->ncorner, corner);
}

static void compare_items(search_state *s, int i, int j)
{
    const lw_surface *f = s->a.surface, *g = s->b.surface;
    const lw_vec3 *a = &f->corner[(size_t)f->ncorner * (size_t)i];
    const double limit = s->limit + s->reach;
    lw_distance d;
    bool is_near;
    ++s->search->items;
    if (g) {
        const lw_vec3 *corner = &g->corner[(size_t)g->ncorner * (size_t)j];
        lw_vec3 b[3];
        for (int k = 0; k < g->ncorner; ++k) {
            b[k] = lw_pose_apply(&s->X, corner[k]);
        }
        if (f->ncorner == 3 && g->ncorner == 3) {
            is_near = lwi_triangle_distance(a, b, s->is_found ? &s->best.normal : NULL, limit,
                                            s->size, s->work, &d);
        } else {
            const lw_pose here = lw_pose_identity();
            const lw_solid x = item_solid(f, a), y = item_solid(g, b);
            is_near = lw_find_distance(&x, &here, &y, &here, s->work, &d) == LW_OK;
        }
    } else {
        const lw_pose here = lw_pose_identity();
        const lw_solid x = item_solid(f, a);
        is_near = lw_find_distance(&x, &here, s->b.solid, &s->X, s->work, &d) == LW_OK;
    }
    const double rounded = s->a.radius + (g ? s->b.radius : 0.0);
    if (!is_near || d.lower - rounded > s->limit) {
        return;
    }
    s->least = fmin(s->least, d.lower - rounded);
    if (!s->is_found || d.upper < s->best.upper) {
        s->best = d;
        s->is_found = true;
        set_limit(s, fmin(s->limit, d.upper - rounded));
        set_normals(s, d.normal);
    }
}

static bool is_done(const search_state *s)
{
    const double rounded = s->a.radius + (s->b.surface ? s->b.radius : 0.0);
    return s->is_found && s->best.upper - rounded <= s->stop;
}

static void search_all(search_state *s)
{
    const int n = s->a.surface->info.nitem, m = s->b.surface ? s->b.surface->info.nitem : 1;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < m; ++j) {
            compare_items(s, i, j);
        }
    }
}

// A pair of boxes, by their nodes and lanes.
typedef struct box_pair {
    int a, b;
    float gap;
} box_pair;

static int child_of(const side *x, int box)
{
    return x->node[box / LWI_WIDE].child[box % LWI_WIDE];
}

static float size_of(const side *x, int box)
{
    const lwi_floats *half = x->node[box / LWI_WIDE].half;
    return half[0][box % LWI_WIDE] + half[1][box % LWI_WIDE] + half[2][box % LWI_WIDE];
}

// Keeps a stack of pairs in order, the nearest on top.
static void push(box_pair *stack, int top, box_pair pair)
{
    for (; top > 0 && stack[top - 1].gap < pair.gap; --top) {
        stack[top] = stack[top - 1];
    }
    stack[top] = pair;
}

// What pairs of boxes that were left are apart at the least bounds the distance as well.
static void leave(search_state *s, const box_pair *stack, int top)
{
    for (int i = 0; i < top; ++i) {
        const double gap = sqrt((double)stack[i].gap / (1.0 + LWI_FLOAT_SLACK));
        s->least = fmin(s->least, gap - s->slack - s->reach);
    }
}

static void search_trees(search_state *s)
{
    box_pair stack[2 * (LWI_WIDE - 1) * LWI_WIDE_DEPTH + 1];
    int top = 0;
    stack[top++] = (box_pair){0, 0, 0.0f};
    while (top > 0 && !is_done(s)) {
        const box_pair p = stack[--top];
        if (p.gap > s->most) {
            continue;
        }
        const int a = child_of(&s->a, p.a), b = child_of(&s->b, p.b);
        if (a < 0 && b < 0) {
            compare_items(s, ~a, ~b);
            continue;
        }
        const bool is_first = b < 0 || (a > 0 && size_of(&s->a, p.a) >= size_of(&s->b, p.b));
        const side *x = is_first ? &s->a : &s->b, *y = is_first ? &s->b : &s->a;
        const int box = is_first ? p.b : p.a, node = is_first ? a : b;
        const placed_box other = placed(y, box / LWI_WIDE, box % LWI_WIDE);
        const lwi_floats gap = box_gaps(&x->node[node], &other, x->normal);
        const int count = x->node[node].count, bottom = top;
        s->search->boxes += count;
        for (int k = 0; k < count; ++k) {
            const int child = LWI_WIDE * node + k;
            const box_pair pair = {is_first ? child : p.a, is_first ? p.b : child, gap[k]};
            if (!(gap[k] > s->most)) {
                push(&stack[bottom], top++ - bottom, pair);
            }
        }
    }
    leave(s, stack, top);
}

// How far a box with half sides h reaches along axes that its own are the rows of R in, and, by
// spread(), along the rows.
static lw_vec3 spread_back(const lw_mat3 *R, lw_vec3 h)
{
    const lw_vec3 x = R->row[0], y = R->row[1], z = R->row[2];
    return lw_vec3_of(fabs(x.x) * h.x + fabs(y.x) * h.y + fabs(z.x) * h.z,
                      fabs(x.y) * h.x + fabs(y.y) * h.y + fabs(z.y) * h.z,
                      fabs(x.z) * h.x + fabs(y.z) * h.y + fabs(z.z) * h.z);
}

static lw_vec3 spread(const lw_mat3 *R, lw_vec3 h)
{
    const lw_vec3 x = R->row[0], y = R->row[1], z = R->row[2];
    return lw_vec3_of(fabs(x.x) * h.x + fabs(x.y) * h.y + fabs(x.z) * h.z,
                      fabs(y.x) * h.x + fabs(y.y) * h.y + fabs(y.z) * h.z,
                      fabs(z.x) * h.x + fabs(z.y) * h.y + fabs(z.z) * h.z);
}

static double least_overlap(lw_vec3 distance, lw_vec3 reach)
{
    const lw_vec3 d = {fabs(distance.x), fabs(distance.y), fabs(distance.z)};
    return fmin(fmin(reach.x - d.x, reach.y - d.y), reach.z - d.z);
}

// How far b must move along a side of either box so that the boxes around both are apart.
static double box_depth(const search_state *s)
{
    const lwi_oriented_box *a = s->a.box, *b = s->b.box;
    const lw_vec3 c = lw_sub3(lw_pose_apply(&s->X, b->center), a->center);
    lw_mat3 R, M; // the sides of b, and these along those of a
    for (int i = 0; i < 3; ++i) {
        R.row[i] = lw_rotate(&s->X.R, b->R.row[i]);
        M.row[i] = lw_rotate(&a->R, R.row[i]);
    }
    const double in_a =
        least_overlap(lw_rotate(&a->R, c), lw_add3(a->half, spread_back(&M, b->half)));
    const double in_b = least_overlap(lw_rotate(&R, c), lw_add3(b->half, spread(&M, a->half)));
    return fmax(fmin(in_a, in_b), 0.0) + s->reach;
}

// Whether a piece of one is inside of the other, and a point of it, in the frame of a.
static bool find_inside(const search_state *s, lw_vec3 *p)
{
    const lw_surface *f = s->a.surface, *g = s->b.surface;
    const int n = g ? g->npiece : 1;
    for (int i = 0; f->is_solid && i < n; ++i) {
        const lw_vec3 own = g ? g->piece[i] : lwi_support(s->b.solid, lw_vec3_of(0.0, 0.0, 1.0));
        *p = lw_pose_apply(&s->X, own);
        if (lwi_is_inside_surface(f, *p)) {
            return true;
        }
    }
    for (int i = 0; g && g->is_solid && i < f->npiece; ++i) {
        *p = f->piece[i];
        if (lwi_is_inside_surface(g, lw_rotate_back(&s->X.R, lw_sub3(*p, s->X.p)))) {
            return true;
        }
    }
    return false;
}

// What is inside without touching must move at least as far as it is from the surface.
static void turn_inside(search_state *s, lw_vec3 p, double rounded)
{
    if (!s->is_found) { // farther from the surface than the cut-off
        s->best = (lw_distance){.normal = {0.0, 0.0, 1.0}, .point = {p, p}};
        s->best.lower = s->best.upper = s->best.distance = fmax(s->limit, 0.0) + rounded;
        s->is_found = true;
    }
    lw_distance *d = &s->best;
    const double far = fmax(d->lower - rounded, 0.0);
    d->normal = lw_scale3(-1.0, d->normal);
    d->distance = d->upper = rounded - far;
    s->least = -HUGE_VAL; // as deep as the boxes are
}

static void finish(search_state *s, const lw_pose *X_a, lw_distance *distance)
{
    const double surface_radius = s->b.surface ? s->b.radius : 0.0;
    const double rounded = s->a.radius + surface_radius;
    lw_vec3 p;
    if (!(s->is_found && s->best.upper - rounded <= 0.0) && find_inside(s, &p)) {
        turn_inside(s, p, rounded);
    }
    if (!s->is_found) {
        return;
    }
    lw_distance d = s->best;
    d.distance -= rounded;
    d.upper -= rounded;
    d.lower = s->least > 0.0 ? s->least : fmin(-box_depth(s), d.upper);
    d.distance = fmin(fmax(d.distance, d.lower), d.upper);
    const lw_vec3 n = d.normal;
    d.point[0] = lw_pose_apply(X_a, lw_add3(d.point[0], lw_scale3(s->a.radius, n)));
    d.point[1] = lw_pose_apply(X_a, lw_sub3(d.point[1], lw_scale3(surface_radius, n)));
    d.normal = lw_rotate(&X_a->R, n);
    d.iterations = s->search->items;
    *distance = d;
}

// Where the boxes are; false where their squares are no floats.
static bool set_middles(search_state *s)
{
    const lw_vec3 p = lw_sub3(lw_pose_apply(&s->X, s->b.box->center), s->a.box->center);
    const double size = lw_norm3(s->a.box->half) + lw_norm3(s->b.box->half) + lw_norm3(p);
    s->b.X = (lw_pose){s->X.R, p};
    s->a.X.R = lw_transpose3(&s->X.R);
    s->a.X.p = lw_scale3(-1.0, lw_rotate(&s->a.X.R, p));
    s->slack = LWI_FLOAT_SLACK * size;
    set_normals(s, lw_vec3_of(0.0, 0.0, 0.0));
    return size > 1e-12 && size < 1e12;
}

static lw_status run(search_state *s, const lw_pose *X_a, const lw_pose *X_b, double size_b,
                     lw_distance *distance, bool *is_found)
{
    if (!X_a || !X_b || !s->search || !s->work || !distance || !is_found ||
        isnan(s->search->cutoff) || isnan(s->search->stop)) {
        return LW_ERR_ARGUMENT;
    }
    const lw_mat3 back = lw_transpose3(&X_a->R);
    s->X.R = lw_mul3(&back, &X_b->R);
    s->X.p = lw_rotate(&back, lw_sub3(X_b->p, X_a->p));
    const double sum = lw_norm3(X_a->p) + lw_norm3(X_b->p);
    if (!(sum < 1e50)) {
        return LW_ERR_NUMBER;
    }
    double skew = 0.0;
    for (int i = 0; i < 3; ++i) {
        const lw_vec3 row = s->X.R.row[i];
        skew = fmax(skew, fabs(lw_dot3(row, row) - 1.0));
        skew = fmax(skew, fabs(lw_dot3(row, s->X.R.row[(i + 1) % 3])));
    }
    if (!(skew <= 1e-6)) {
        return isnan(skew) ? LW_ERR_NUMBER : LW_ERR_ARGUMENT;
    }
    s->size = s->a.surface->info.size + size_b + lw_norm3(s->X.p);
    s->reach = s->a.radius + s->b.radius + fmax(32.0 * DBL_EPSILON, 6.0 * skew) * s->size;
    s->least = HUGE_VAL;
    s->search->boxes = s->search->items = 0;
    // A pair of triangles that are in touch is found whatever the cut-off: both surfaces may
    // overlap by much more than these two.
    const double cutoff = fmax(s->search->cutoff, 0.0);
    const bool is_deep = s->search->cutoff < 0.0;
    s->stop = is_deep ? fmin(s->search->stop, s->search->cutoff) : s->search->stop;
    set_limit(s, cutoff);
    if (s->search->is_exhaustive || !set_middles(s)) {
        search_all(s);
    } else {
        set_limit(s, fmin(s->stop, cutoff)); // what overlaps is found sooner so
        search_trees(s);
        if (!is_done(s) && cutoff > s->stop) {
            s->stop = is_deep ? 0.0 : s->stop;
            set_limit(s, s->is_found ? fmin(cutoff, s->best.upper) : cutoff);
            search_trees(s);
        }
    }
    finish(s, X_a, distance);
    *is_found = s->is_found && distance->lower <= s->search->cutoff;
    return LW_OK;
}

static side side_of(const lw_surface *f)
{
    return (side){.surface = f, .box = &f->box, .node = f->node, .radius = f->info.radius};
}

lw_status lw_find_surface_distance(const lw_surface *a, const lw_pose *X_a, const lw_surface *b,
                                   const lw_pose *X_b, lw_search *search, lw_distance_work *work,
                                   lw_distance *distance, bool *is_found)
{
    if (!a || !b) {
        return LW_ERR_ARGUMENT;
    }
    search_state s = {.a = side_of(a), .b = side_of(b), .search = search, .work = work};
    return run(&s, X_a, X_b, b->info.size, distance, is_found);
}

lw_status lw_find_surface_solid_distance(const lw_surface *a, const lw_pose *X_a, const lw_solid *b,
                                         const lw_pose *X_b, lw_search *search,
                                         lw_distance_work *work, lw_distance *distance,
                                         bool *is_found)
{
    const lw_status status = a ? lw_check_solid(b) : LW_ERR_ARGUMENT;
    if (status != LW_OK) {
        return status;
    }
    lw_vec3 low = lwi_support(b, lw_vec3_of(0.0, 0.0, -1.0)), high = low;
    for (int axis = 0; axis < 3; ++axis) {
        const lw_vec3 up = {axis == 0, axis == 1, axis == 2};
        lwi_grow_box(&low, &high, lwi_support(b, up));
        lwi_grow_box(&low, &high, lwi_support(b, lw_scale3(-1.0, up)));
    }
    if (b->core == LW_CORE_HALF_SPACE && X_a && X_b) { // as much of it as is near the surface
        const double far = 4.0 * (a->info.size + lw_norm3(lw_sub3(X_b->p, X_a->p)));
        low = lw_vec3_of(-far, -far, -far);
        high = lw_vec3_of(far, far, 0.0);
    }
    lwi_box_node along = {0};
    lwi_center_box(low, high, &along);
    const lwi_oriented_box box = {lw_mat3_identity(), along.center, along.half};
    const lw_vec3 corner[2] = {low, high};
    lwi_wide_node node = {.child = {~0}, .count = 1};
    lwi_set_lane(&box, corner, 2, box.center, &node, 0);
    search_state s = {.a = side_of(a),
                      .b = {.solid = b, .box = &box, .node = &node, .radius = b->radius},
                      .search = search,
                      .work = work};
    return run(&s, X_a, X_b, lwi_core_size(b), distance, is_found);
}
