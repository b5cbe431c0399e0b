// Distances of surfaces: two trees of boxes are searched together, the nearer pair of boxes first.
// A solid is a tree of one box. The frames of all boxes of a tree are parallel, so that a pair of
// boxes costs two differences of intervals along the axes of either (van den Bergen 1997).
#include "surface.h"

#include "support.h"
#include "triangle_pair.h"

#include <float.h>
#include <math.h>

/// One of the two.
typedef struct side {
    const lw_surface *surface; ///< or null
    const lw_solid *solid;
    const lwi_box_node *node;
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

static lw_vec3 spread(const double abs[9], lw_vec3 h)
{
    return lw_vec3_of(abs[0] * h.x + abs[1] * h.y + abs[2] * h.z,
                      abs[3] * h.x + abs[4] * h.y + abs[5] * h.z,
                      abs[6] * h.x + abs[7] * h.y + abs[8] * h.z);
}

static lw_vec3 spread_back(const double abs[9], lw_vec3 h)
{
    return lw_vec3_of(abs[0] * h.x + abs[3] * h.y + abs[6] * h.z,
                      abs[1] * h.x + abs[4] * h.y + abs[7] * h.z,
                      abs[2] * h.x + abs[5] * h.y + abs[8] * h.z);
}

// The square of a distance that two boxes have at least.
static double box_gap(search_state *s, const lwi_box_node *a, const lwi_box_node *b)
{
    ++s->search->boxes;
    const lw_vec3 c = lw_sub3(lw_pose_apply(&s->X, b->center), a->center);
    const double in_a = squared_gaps(c, lw_add3(a->half, spread(s->abs, b->half)));
    const lw_vec3 d = lw_rotate_back(&s->X.R, c);
    return fmax(in_a, squared_gaps(d, lw_add3(b->half, spread_back(s->abs, a->half))));
}

static bool is_beyond(const search_state *s, double gap)
{
    const double limit = fmax(s->limit + s->reach, 0.0);
    return gap > limit * limit;
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
            is_near = lwi_triangle_distance(a, b, limit, s->size, s->work, &d);
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

static bool descends_first(const lwi_box_node *a, const lwi_box_node *b)
{
    return b->child == 0 ||
           (a->child > 0 && a->half.x + a->half.y + a->half.z >= b->half.x + b->half.y + b->half.z);
}

static void search_trees(search_state *s)
{
    struct {
        const lwi_box_node *a, *b;
        double gap;
    } stack[2 * LWI_TREE_DEPTH + 2];
    int top = 0;
    stack[top].a = s->a.node;
    stack[top].b = s->b.node;
    stack[top++].gap = box_gap(s, s->a.node, s->b.node);
    while (top > 0 && !is_done(s)) {
        --top;
        const lwi_box_node *a = stack[top].a, *b = stack[top].b;
        if (is_beyond(s, stack[top].gap)) {
            continue;
        }
        if (a->child == 0 && b->child == 0) {
            compare_items(s, a->item, b->item);
            continue;
        }
        const bool is_first = descends_first(a, b);
        const lwi_box_node *child = is_first ? &s->a.node[a->child] : &s->b.node[b->child];
        const double gap[2] = {
            is_first ? box_gap(s, child, b) : box_gap(s, a, child),
            is_first ? box_gap(s, child + 1, b) : box_gap(s, a, child + 1),
        };
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

// How far b must move along an axis of either frame so that the boxes around both are apart.
static double box_depth(const search_state *s)
{
    const lwi_box_node *a = s->a.node, *b = s->b.node;
    const lw_vec3 c = lw_sub3(lw_pose_apply(&s->X, b->center), a->center);
    const lw_vec3 x = lw_add3(a->half, spread(s->abs, b->half));
    const lw_vec3 d = lw_rotate_back(&s->X.R, c),
                  y = lw_add3(b->half, spread_back(s->abs, a->half));
    const double in_a = fmin(fmin(x.x - fabs(c.x), x.y - fabs(c.y)), x.z - fabs(c.z));
    const double in_b = fmin(fmin(y.x - fabs(d.x), y.y - fabs(d.y)), y.z - fabs(d.z));
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
        s->abs[3 * i] = fabs(row.x);
        s->abs[3 * i + 1] = fabs(row.y);
        s->abs[3 * i + 2] = fabs(row.z);
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
        search_trees(s);
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
    lwi_box_node node = {0};
    lwi_center_box(low, high, &node);
    search_state s = {.a = {a, NULL, a->node, a->info.radius},
                      .b = {NULL, b, &node, b->radius},
                      .search = search,
                      .work = work};
    return run(&s, X_a, X_b, lwi_core_size(b), distance, is_found);
}
