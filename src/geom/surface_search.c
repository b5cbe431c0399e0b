// Distances of surfaces: two trees of boxes are searched together, the nearer pair of boxes first.
// A solid is a tree of one box. The distance of two boxes is bounded by the gaps along the axes of
// either: these make the distance from the one to a box along its axes that encloses the other.
#include "surface_search.h"

#include "support.h"
#include "triangle_pair.h"

#include <float.h>
#include <math.h>

/// One of the two.
typedef struct side {
    const lw_surface *surface; ///< or null
    const lw_solid *solid;
    const lwi_oriented_node *node;
    double radius;
} side;

typedef struct search_state {
    side a, b;
    lw_pose X;     ///< the frame of b in that of a
    double abs[9]; ///< magnitudes of the elements of X.R
    double size;   ///< no point of either is farther than this from the origin of a
    double reach;  ///< of both roundings, and of rounding errors
    double limit;  ///< what is proven to be farther apart need not be found
    double least;  ///< the lower end of all intervals so far
    bool is_found;
    lw_distance best; ///< in the frame of a, without the rounding of surfaces
    lw_search *search;
    lw_distance_work *work;
} search_state;

lw_search lw_default_search(void)
{
    return (lw_search){.cutoff = HUGE_VAL};
}

static double squared_gaps(lw_vec3 distance, lw_vec3 reach)
{
    const double x = fabs(distance.x) - reach.x, y = fabs(distance.y) - reach.y;
    const double z = fabs(distance.z) - reach.z;
    return (x > 0.0 ? x * x : 0.0) + (y > 0.0 ? y * y : 0.0) + (z > 0.0 ? z * z : 0.0);
}

static bool is_beyond(const search_state *s, double gap)
{
    const double limit = fmax(s->limit + s->reach, 0.0);
    return gap > limit * limit;
}

static double reach_along(const lw_mat3 *R, lw_vec3 half, lw_vec3 n)
{
    const lw_vec3 d = lw_rotate(R, n);
    return fabs(d.x) * half.x + fabs(d.y) * half.y + fabs(d.z) * half.z;
}

// The sides of a box of b, as rows in the frame of a, and its centre there.
typedef struct placed_box {
    lw_mat3 R;
    lw_vec3 center, half;
} placed_box;

static placed_box placed(const search_state *s, const lwi_oriented_node *b)
{
    placed_box box = {.center = lw_pose_apply(&s->X, b->center), .half = b->half};
    for (int i = 0; i < 3; ++i) {
        box.R.row[i] = lw_rotate(&s->X.R, b->R.row[i]);
    }
    return box;
}

// The square of a distance that two boxes have at least.
static double box_gap(search_state *s, const lwi_oriented_node *a, const placed_box *b)
{
    ++s->search->boxes;
    const lw_vec3 c = lw_sub3(b->center, a->center);
    lw_mat3 M; // the sides of b along those of a
    for (int i = 0; i < 3; ++i) {
        M.row[i] = lw_rotate(&a->R, b->R.row[i]);
    }
    const double in_a =
        squared_gaps(lw_rotate(&a->R, c), lw_add3(a->half, lwi_spread_back(&M, b->half)));
    const double in_b =
        squared_gaps(lw_rotate(&b->R, c), lw_add3(b->half, lwi_spread(&M, a->half)));
    const double gap = in_a > in_b ? in_a : in_b;
    if (!s->is_found || is_beyond(s, gap)) {
        return gap;
    }
    const lw_vec3 n = s->best.normal; // where the nearest triangles so far are apart
    const double along =
        lw_dot3(n, c) - reach_along(&a->R, a->half, n) - reach_along(&b->R, b->half, n);
    return along > 0.0 && along * along > gap ? along * along : gap;
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
        s->limit = fmin(s->limit, d.upper - rounded);
    }
}

static bool is_done(const search_state *s)
{
    const double rounded = s->a.radius + (s->b.surface ? s->b.radius : 0.0);
    return s->is_found && s->best.upper - rounded <= s->search->stop;
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

static bool descends_first(const lwi_oriented_node *a, const lwi_oriented_node *b)
{
    return b->child == 0 ||
           (a->child > 0 && a->half.x + a->half.y + a->half.z >= b->half.x + b->half.y + b->half.z);
}

static void search_trees(search_state *s)
{
    struct {
        const lwi_oriented_node *a, *b;
        double gap;
    } stack[2 * LWI_TREE_DEPTH + 2];
    int top = 0;
    stack[top].a = s->a.node;
    stack[top].b = s->b.node;
    const placed_box root = placed(s, s->b.node);
    stack[top++].gap = box_gap(s, s->a.node, &root);
    while (top > 0 && !is_done(s)) {
        --top;
        const lwi_oriented_node *a = stack[top].a, *b = stack[top].b;
        if (is_beyond(s, stack[top].gap)) {
            continue;
        }
        if (a->child == 0 && b->child == 0) {
            for (int k = 0; k < a->count * b->count && !is_done(s); ++k) {
                compare_items(s, a->item + k / b->count, b->item + k % b->count);
            }
            continue;
        }
        const bool is_first = descends_first(a, b);
        const lwi_oriented_node *child = is_first ? &s->a.node[a->child] : &s->b.node[b->child];
        placed_box box = placed(s, is_first ? b : child);
        double gap[2] = {box_gap(s, is_first ? child : a, &box)};
        box = is_first ? box : placed(s, child + 1);
        gap[1] = box_gap(s, is_first ? child + 1 : a, &box);
        const int far = gap[1] >= gap[0];
        for (int k = 0; k < 2; ++k) { // the nearer one is on top
            const int which = k == 0 ? far : !far;
            if (!is_beyond(s, gap[which])) {
                stack[top].a = is_first ? child + which : a;
                stack[top].b = is_first ? b : child + which;
                stack[top++].gap = gap[which];
            }
        }
    }
}

static double least_overlap(lw_vec3 distance, lw_vec3 reach)
{
    const lw_vec3 d = {fabs(distance.x), fabs(distance.y), fabs(distance.z)};
    return fmin(fmin(reach.x - d.x, reach.y - d.y), reach.z - d.z);
}

// How far b must move along a side of either box so that the boxes around both are apart.
static double box_depth(const search_state *s)
{
    const lwi_oriented_node *a = s->a.node;
    const placed_box b = placed(s, s->b.node);
    const lw_vec3 c = lw_sub3(b.center, a->center);
    lw_mat3 M;
    for (int i = 0; i < 3; ++i) {
        M.row[i] = lw_rotate(&a->R, b.R.row[i]);
    }
    const double in_a =
        least_overlap(lw_rotate(&a->R, c), lw_add3(a->half, lwi_spread_back(&M, b.half)));
    const double in_b = least_overlap(lw_rotate(&b.R, c), lw_add3(b.half, lwi_spread(&M, a->half)));
    return fmax(fmin(in_a, in_b), 0.0) + s->reach;
}

// Whether a piece of one is inside of the other, and a point of it, in the frame of a.
static bool find_inside(const search_state *s, lw_vec3 *p)
{
    const lw_surface *f = s->a.surface, *g = s->b.surface;
    const int n = g ? g->npiece : 1;
    for (int i = 0; f->side != LW_SIDE_NONE && i < n; ++i) {
        const lw_vec3 own = g ? g->piece[i] : lwi_support(s->b.solid, lw_vec3_of(0.0, 0.0, 1.0));
        *p = lw_pose_apply(&s->X, own);
        if (lwi_is_inside_surface(f, *p)) {
            return true;
        }
    }
    for (int i = 0; g && g->side != LW_SIDE_NONE && i < f->npiece; ++i) {
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
    s->limit = s->search->cutoff;
    s->least = HUGE_VAL;
    s->search->boxes = s->search->items = 0;
    if (s->search->is_exhaustive) {
        search_all(s);
    } else {
        s->limit = fmin(s->search->stop, s->limit); // what overlaps is found sooner so
        search_trees(s);
        if (!is_done(s) && s->search->cutoff > s->search->stop) {
            s->limit = s->is_found ? fmin(s->search->cutoff, s->best.upper) : s->search->cutoff;
            search_trees(s);
        }
    }
    finish(s, X_a, distance);
    *is_found = s->is_found;
    return LW_OK;
}

lw_status lw_find_surface_distance(const lw_surface *a, const lw_pose *X_a, const lw_surface *b,
                                   const lw_pose *X_b, lw_search *search, lw_distance_work *work,
                                   lw_distance *distance, bool *is_found)
{
    if (!a || !b) {
        return LW_ERR_ARGUMENT;
    }
    search_state s = {.a = {a, NULL, a->node, a->info.radius},
                      .b = {b, NULL, b->node, b->info.radius},
                      .search = search,
                      .work = work};
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
    lwi_box_node box = {0};
    lwi_center_box(low, high, &box);
    const lwi_oriented_node node = {lw_mat3_identity(), box.center, box.half, 0, 0, 1};
    search_state s = {.a = {a, NULL, a->node, a->info.radius},
                      .b = {NULL, b, &node, b->radius},
                      .search = search,
                      .work = work};
    return run(&s, X_a, X_b, lwi_core_size(b), distance, is_found);
}
