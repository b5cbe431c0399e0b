// Distances of any two cores: closed forms where there are some, else GJK, and an expanding
// polytope where they overlap.
#include "core_pair.h"

#include "box_pair.h"
#include "expand.h"
#include "gjk.h"
#include "newton.h"

enum { MOST_REFINEMENTS = 24, MOST_POINTS = 12 };

#define WORTH_REFINING 5e-10 // of the size: width of an interval
#define MOST_TOUCH 1e-4      // of the size: cores are well apart, or deep, beyond it
#define LEAST_SIZE 1e-60     // m; products of four lengths that are smaller vanish
#define LEAST_NORM 1e-150    // m; norms of shorter vectors vanish

static const lwi_gjk_limits any_distance = {-1.0, HUGE_VAL};

// Moves the second core out along the normal until it is a little apart, where GJK finds the
// direction well: it is at most as deep along that (Wu, Tao and others 2023). So a direction from
// which rounding, or the polytope's end, has kept the last digits gets them. Raises r->lower.
static void refine_normal(const lwi_solid_pair *pair, lwi_core_distance *r)
{
    const double apart = 1e-3 * pair->size;
    for (int i = 0; i < MOST_REFINEMENTS; ++i) {
        lwi_solid_pair moved = *pair;
        moved.X.p = lw_add3(pair->X.p, lw_scale3(apart - r->lower, r->normal));
        const lwi_gjk g = lwi_gjk_run(&moved, r->normal, &any_distance, NULL);
        r->iterations += g.iterations;
        if (g.is_overlap) {
            return;
        }
        const lwi_difference w = lwi_support_pair(pair, g.normal);
        const double gap = -lw_dot3(w.w, g.normal), gain = gap - r->lower;
        const lw_vec3 back = lw_sub3(moved.X.p, pair->X.p), from = r->normal;
        r->point_a = lwi_simplex_point_a(&g.simplex);
        r->upper = lwi_smaller(r->upper, lwi_larger(lw_norm3(lw_add3(g.v, back)), 0.0));
        if (gain > 0.0) {
            r->lower = gap;
            r->normal = g.normal;
            // The way on is short where many directions are nearly as good: go farther.
            const lw_vec3 step = lw_sub3(g.normal, from);
            for (double far = 2.0; far * lw_norm3(step) < 1.0; far *= 2.0) {
                const lw_vec3 n = lw_unit3(lw_add3(from, lw_scale3(far, step)));
                const double there = -lw_dot3(lwi_support_pair(pair, n).w, n);
                if (!(there > r->lower)) {
                    break;
                }
                r->lower = there;
                r->normal = n;
            }
        }
        r->point_b = lw_add3(r->point_a, lw_scale3(r->lower, r->normal));
        if (!(gain > pair->rounding)) {
            return;
        }
    }
}

// The signed distance of a point from a core, in closed form; false where there is none.
static bool find_point_distance(const lwi_solid_pair *pair, lwi_core_distance *r)
{
    const lw_vec3 h = pair->b->half;
    switch (pair->b->core) {
    case LW_CORE_BOX:
        *r = lwi_point_box_distance(pair);
        return true;
    case LW_CORE_CYLINDER:
    case LW_CORE_CONE:
        *r = lwi_point_round_distance(pair);
        return true;
    case LW_CORE_ELLIPSOID:
        if (lwi_smaller(lwi_smaller(h.x, h.y), h.z) > 0.0) {
            *r = lwi_point_ellipsoid_distance(pair);
            return true;
        }
        return false;
    default:
        return false;
    }
}

// Where a point of a, or of b, is in the other core.
static bool find_depth_of_point(const lwi_solid_pair *pair, int side, lw_vec3 p,
                                lwi_core_distance *depth)
{
    static const lw_solid point = {.core = LW_CORE_POINT};
    lwi_solid_pair inside = *pair;
    inside.a = &point;
    inside.b = side ? pair->a : pair->b;
    inside.X = side ? lw_pose_identity() : pair->X;
    inside.X.p = lw_sub3(inside.X.p, p);
    return find_point_distance(&inside, depth) && depth->upper < 0.0;
}

// Two cores overlap at least as deep as any point of the one is inside of the other, which proves
// the upper end; and the way out of that point is a direction to try. Where the farthest point of
// the core that way is the same again, both ends meet: about the axis of a cylinder, where nearly
// all directions are as good, no polytope has points enough for that.
static void refine_by_points(const lwi_solid_pair *pair, lwi_core_distance *r)
{
    for (int side = 0; side < 2; ++side) { // points of a in b, then those of b in a
        lw_vec3 p = side ? r->point_b : r->point_a;
        for (int i = 0; i < MOST_POINTS; ++i) {
            lwi_core_distance depth;
            if (!find_depth_of_point(pair, side, p, &depth)) {
                break;
            }
            const lw_vec3 n = lw_scale3(side ? -1.0 : 1.0, depth.normal);
            const lwi_difference w = lwi_support_pair(pair, n);
            const double gap = -lw_dot3(w.w, n), gain = gap - r->lower;
            ++r->iterations;
            r->upper = i > 0 ? lwi_smaller(r->upper, depth.upper) : r->upper;
            p = side ? lw_sub3(w.a, w.w) : w.a;
            if (gain > 0.0) {
                r->lower = gap;
                r->normal = n;
                r->point_a = side ? lw_sub3(p, lw_scale3(gap, n)) : p;
                r->point_b = lw_add3(r->point_a, lw_scale3(gap, n));
            }
            if (i > 1 && !(gain > pair->rounding)) {
                break;
            }
        }
    }
}

static bool is_known_start(const lw_distance_start *start)
{
    return start && start->n > 0 && lw_dot3(start->normal, start->normal) > 0.5 &&
           lw_dot3(start->normal, start->normal) < 2.0;
}

// Curved cores that were apart and have moved a little: Newton's method from the points that were
// nearest, before any other search. False where that leaves the interval wide.
static bool find_near_start(const lwi_solid_pair *pair, const lw_distance_start *start,
                            lwi_core_distance *r)
{
    const lw_vec3 a = start->nearest[0], b = lw_pose_apply(&pair->X, start->nearest[1]);
    const lw_vec3 v = lw_sub3(a, b);
    if (!lwi_has_curvature(pair) || !(lw_dot3(start->normal, v) < -MOST_TOUCH * pair->size)) {
        return false;
    }
    const lwi_near_points p = lwi_newton_points(pair, v, a, b, NULL, false);
    *r = (lwi_core_distance){p.lower, lw_norm3(p.v), p.normal, p.a, lw_sub3(p.a, p.v), 1};
    return r->lower > MOST_TOUCH * pair->size && r->upper - r->lower <= LWI_CLOSE * pair->size;
}

static lwi_core_distance of_cores(const lwi_solid_pair *pair, lw_vec3 first,
                                  lw_distance_start *start, lw_distance_work *work)
{
    const bool is_known = is_known_start(start);
    const lwi_gjk g = lwi_gjk_run(pair, first, &any_distance, start);
    lwi_core_distance r = {.iterations = g.iterations,
                           .lower = g.lower,
                           .upper = lw_norm3(g.v),
                           .normal = g.normal,
                           .point_a = lwi_simplex_point_a(&g.simplex)};
    r.point_b = lw_sub3(r.point_a, g.v);
    if (!(lw_dot3(r.normal, r.normal) > 0.5)) { // in touch before any direction was tried
        r.normal = lw_unit3(first);
        r.lower = -lw_dot3(lwi_support_pair(pair, r.normal).w, r.normal);
    }
    if (r.lower > 0.0 && r.upper > MOST_TOUCH * pair->size) {
        return r;
    }
    lwi_core_distance parallel = {.lower = -HUGE_VAL, .upper = HUGE_VAL};
    if (!(r.lower > 0.0) && lwi_parallel_depth(pair, &parallel) &&
        parallel.upper - parallel.lower <= WORTH_REFINING * pair->size) {
        parallel.iterations = r.iterations;
        return parallel;
    }
    if (!(r.lower > 0.0)) {
        const lwi_depth depth = lwi_find_depth(pair, &g.simplex, is_known ? start : NULL, work);
        r.iterations += depth.iterations;
        r.upper = depth.inner >= 0.0 ? lwi_smaller(r.upper, -depth.inner) : r.upper;
        if (-depth.outer > r.lower) {
            r.lower = -depth.outer;
            r.normal = depth.normal;
            r.point_a = depth.point_a;
            r.point_b = lw_sub3(r.point_a, lw_scale3(depth.outer, depth.normal));
        }
        r.upper = lwi_smaller(r.upper, parallel.upper);
    }
    // Where the cores are nearly in touch, points and normal have to agree.
    const double enough =
        r.upper < -MOST_TOUCH * pair->size ? WORTH_REFINING * pair->size : pair->rounding;
    if (r.upper - r.lower > enough && r.lower < 0.0) {
        refine_by_points(pair, &r);
    }
    if (r.upper - r.lower > enough) {
        refine_normal(pair, &r);
    }
    return r;
}

static lwi_core_distance of_boxes(const lwi_solid_pair *pair, lw_distance_start *start,
                                  lw_distance_work *work)
{
    lwi_box_axis axis = lwi_box_pair_axis(pair);
    const double square = lw_dot3(axis.normal, axis.normal); // one, but for a skewed matrix
    axis.normal = lw_scale3(1.5 - 0.5 * square, axis.normal);
    lwi_core_distance r = {.upper = axis.gap + axis.slack, .normal = axis.normal};
    r.lower = -lw_dot3(lwi_support_pair(pair, axis.normal).w, axis.normal);
    if (axis.gap > -pair->rounding) { // two points prove the other end
        r.upper = HUGE_VAL;
    }
    if (lwi_box_pair_points(pair, &axis, &r.point_a, &r.point_b)) {
        r.upper = lwi_smaller(r.upper, lw_norm3(lw_sub3(r.point_b, r.point_a)));
        if (r.upper - r.lower <= pair->rounding) {
            return r;
        }
    }
    if (axis.gap > 0.0) {
        lwi_box_pair_corners(pair, &axis, &r.point_a, &r.point_b);
        const lw_vec3 d = lw_sub3(r.point_b, r.point_a);
        r.upper = lw_norm3(d);
        if (r.upper > MOST_TOUCH * pair->size) {
            r.normal = lw_scale3(1.0 / r.upper, d);
            r.lower = -lw_dot3(lwi_support_pair(pair, r.normal).w, r.normal);
            if (r.upper - r.lower <= pair->rounding) {
                return r;
            }
        }
        return of_cores(pair, r.normal, start, work);
    }
    refine_normal(pair, &r);
    return r;
}

// A segment is a box without width, too, where it overlaps with one.
static lwi_core_distance of_segment_and_box(const lwi_solid_pair *pair, lw_distance_start *start,
                                            lw_distance_work *work)
{
    const lwi_core_distance r = lwi_segment_box_distance(pair);
    if (r.upper - r.lower <= pair->rounding) {
        return r;
    }
    const lw_solid box = {.core = LW_CORE_BOX, .half = {0.0, 0.0, pair->a->half.z}};
    lwi_solid_pair boxes = *pair;
    boxes.a = &box;
    return of_boxes(&boxes, start, work);
}

lwi_core_distance lwi_find_core_distance(const lwi_solid_pair *pair, lw_distance_start *start,
                                         lw_distance_work *work)
{
    const lw_core a = pair->a->core, b = pair->b->core;
    if (b == LW_CORE_HALF_SPACE) {
        return lwi_half_space_distance(pair);
    }
    if (pair->size < LEAST_SIZE) {
        const lw_vec3 p = pair->X.p;
        const bool is_point = pair->size == 0.0 && p.x == 0.0 && p.y == 0.0 && p.z == 0.0;
        const double size = is_point && b <= LW_CORE_SEGMENT ? 0.0 : pair->size + LEAST_NORM;
        return (lwi_core_distance){.lower = -size, .upper = size, .normal = {0.0, 0.0, 1.0}};
    }
    if (b <= LW_CORE_SEGMENT) {
        return lwi_segments_distance(pair);
    }
    lwi_core_distance r;
    if (a == LW_CORE_POINT && find_point_distance(pair, &r)) {
        return r;
    }
    if (b == LW_CORE_BOX) {
        return a == LW_CORE_BOX ? of_boxes(pair, start, work)
                                : of_segment_and_box(pair, start, work);
    }
    const bool is_known = is_known_start(start);
    if (is_known && find_near_start(pair, start, &r)) {
        return r;
    }
    return of_cores(pair, is_known ? start->normal : lwi_first_direction(pair), start, work);
}
