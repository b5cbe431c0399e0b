// Distances of solids: closed forms where there are some, else those of the cores by GJK, and by an
// expanding polytope where these overlap. The interval is made at one place, from a direction and
// from two points.
#include "box_pair.h"
#include "expand.h"
#include "gjk.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_REFINEMENTS = 24, MOST_ROOT_STEPS = 60 };

#define LEAST_SIZE 1e-60 // m; products of four lengths that are smaller vanish
#define MOST_SKEW 1e-6   // of a rotation matrix

/// What a method found for two cores, in the frame of the first.
typedef struct core_distance {
    double lower, upper; ///< without rounding errors
    lw_vec3 normal;      ///< from a to b
    lw_vec3 point_a, point_b;
    int iterations;
} core_distance;

static bool is_finite_pose(const lw_pose *X)
{
    double sum = fabs(X->p.x) + fabs(X->p.y) + fabs(X->p.z);
    for (int i = 0; i < 3; ++i) {
        sum += fabs(X->R.row[i].x) + fabs(X->R.row[i].y) + fabs(X->R.row[i].z);
    }
    return sum < 1e50;
}

// By how much a matrix is not orthonormal.
static double skew_of(const lw_mat3 *R)
{
    const lw_vec3 x = R->row[0], y = R->row[1], z = R->row[2];
    const double length =
        fmax(fabs(lw_dot3(x, x) - 1.0), fmax(fabs(lw_dot3(y, y) - 1.0), fabs(lw_dot3(z, z) - 1.0)));
    return fmax(length, fmax(fabs(lw_dot3(x, y)), fmax(fabs(lw_dot3(y, z)), fabs(lw_dot3(z, x)))));
}

// --- An order of two solids that does not depend on which is named first --------------------

static int compare_numbers(const double *x, const double *y, int n)
{
    for (int i = 0; i < n; ++i) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare(const lw_solid *a, const lw_pose *X_a, const lw_solid *b, const lw_pose *X_b)
{
    if (a->core != b->core) {
        return a->core < b->core ? -1 : 1;
    }
    const double x[] = {a->half.x, a->half.y, a->half.z, a->radius, (double)a->npoint};
    const double y[] = {b->half.x, b->half.y, b->half.z, b->radius, (double)b->npoint};
    int order = compare_numbers(x, y, 5);
    for (int i = 0; order == 0 && i < a->npoint && a->core == LW_CORE_HULL; ++i) {
        order = compare_numbers(&a->point[i].x, &b->point[i].x, 3);
    }
    order = order ? order : compare_numbers(&X_a->p.x, &X_b->p.x, 3);
    for (int i = 0; order == 0 && i < 3; ++i) {
        order = compare_numbers(&X_a->R.row[i].x, &X_b->R.row[i].x, 3);
    }
    return order;
}

// The core of fewest dimensions that is the same.
static lw_solid simplest(const lw_solid *solid)
{
    lw_solid s = *solid;
    if (s.core == LW_CORE_POINT) { // has no measures, whatever stands there
        s.half = lw_vec3_of(0.0, 0.0, 0.0);
    }
    const lw_vec3 h = s.half;
    if (s.core != LW_CORE_HULL && s.core != LW_CORE_HALF_SPACE && h.x == 0.0 && h.y == 0.0) {
        s.core = h.z == 0.0 ? LW_CORE_POINT : LW_CORE_SEGMENT;
    }
    return s;
}

// --- Closed forms -----------------------------------------------------------------------------

// A unit vector across two directions, either of which may be zero.
static lw_vec3 across_both(lw_vec3 u, lw_vec3 v)
{
    lw_vec3 n = lw_cross3(u, v);
    if (!(lw_norm3(n) > 1e-12 * lw_norm3(u) * lw_norm3(v))) {
        const lw_vec3 along = lw_dot3(u, u) > 0.0 ? u : v;
        const double x = fabs(along.x), y = fabs(along.y), z = fabs(along.z);
        const lw_vec3 least = {x <= y && x <= z, y < x && y <= z, z < x && z < y};
        n = lw_cross3(along, least);
        n = lw_dot3(n, n) > 0.0 ? n : lw_vec3_of(0.0, 0.0, 1.0);
    }
    return lw_unit3(n);
}

static double clamp(double x, double most)
{
    return x < -most ? -most : x > most ? most : x;
}

// Points and segments: |s u - (c + t v)| least, for |s| <= l and |t| <= m along unit vectors.
static core_distance of_segments(const lwi_solid_pair *pair)
{
    const double l = pair->a->half.z, m = pair->b->half.z;
    const lw_vec3 u = {0.0, 0.0, 1.0}, c = pair->X.p;
    const lw_vec3 v = {pair->X.R.row[0].z, pair->X.R.row[1].z, pair->X.R.row[2].z};
    const double uv = v.z, uc = c.z, vc = lw_dot3(v, c);
    const double sine2 = v.x * v.x + v.y * v.y;
    double s;
    if (sine2 > 1e-24) {
        s = clamp((uc - uv * vc) / sine2, l);
    } else { // parallel: the middle of where they face each other
        const double low = fmax(-l, uc - m), high = fmin(l, uc + m);
        s = clamp(0.5 * (low + high), l);
    }
    double t = clamp(uv * s - vc, m);
    s = clamp(uv * t + uc, l);
    t = clamp(uv * s - vc, m); // s has moved where t was held at an end
    core_distance r = {.point_a = lw_scale3(s, u), .point_b = lw_add3(c, lw_scale3(t, v))};
    const lw_vec3 d = lw_sub3(r.point_b, r.point_a);
    r.upper = lw_norm3(d);
    r.normal =
        r.upper > 1e-10 * pair->size ? lw_unit3(d) : across_both(lw_scale3(l, u), lw_scale3(m, v));
    r.lower = -lw_dot3(lwi_support_pair(pair, r.normal).w, r.normal);
    if (r.lower < 0.0) {
        r.normal = lw_scale3(-1.0, r.normal);
        const double other = -lw_dot3(lwi_support_pair(pair, r.normal).w, r.normal);
        if (other > r.lower) {
            r.lower = other;
        } else {
            r.normal = lw_scale3(-1.0, r.normal);
        }
    }
    return r;
}

// A point and a box, whose frame the result is in: the box is b.
static core_distance of_point_and_box(const lwi_solid_pair *pair)
{
    const lw_vec3 h = pair->b->half;
    const lw_vec3 p = lw_rotate_back(&pair->X.R, lw_scale3(-1.0, pair->X.p)); // in the box
    const double q[3] = {p.x, p.y, p.z}, half[3] = {h.x, h.y, h.z};
    double nearest[3], n[3] = {0, 0, 0};
    int face = 0;
    bool is_inside = true;
    for (int i = 0; i < 3; ++i) {
        nearest[i] = clamp(q[i], half[i]);
        is_inside = is_inside && nearest[i] == q[i];
        face = half[i] - fabs(q[i]) < half[face] - fabs(q[face]) ? i : face;
    }
    core_distance r = {0};
    if (is_inside) {
        nearest[face] = q[face] < 0.0 ? -half[face] : half[face];
        n[face] = q[face] < 0.0 ? 1.0 : -1.0; // the box goes this way
        r.upper = -(half[face] - fabs(q[face]));
    }
    const lw_vec3 at = {nearest[0], nearest[1], nearest[2]}, d = lw_sub3(at, p);
    if (!is_inside) {
        r.upper = lw_norm3(d);
    }
    r.lower = r.upper;
    r.normal = lw_rotate(&pair->X.R, is_inside ? lw_vec3_of(n[0], n[1], n[2]) : lw_unit3(d));
    r.point_b = lw_pose_apply(&pair->X, at);
    return r;
}

// A point and a solid of revolution about z, the cylinder or cone b: in the half plane through the
// axis and the point, where the solid is a polygon with corners from the top axis down.
static core_distance of_point_and_round(const lwi_solid_pair *pair)
{
    const lw_vec3 h = pair->b->half;
    const lw_vec3 p = lw_rotate_back(&pair->X.R, lw_scale3(-1.0, pair->X.p)); // in b
    const double out = sqrt(p.x * p.x + p.y * p.y);
    const bool is_cone = pair->b->core == LW_CORE_CONE;
    const double corner[4][2] = {{0.0, h.z}, {is_cone ? 0.0 : h.x, h.z}, {h.x, -h.z}, {0.0, -h.z}};
    double inside = -HUGE_VAL, apart = HUGE_VAL, n[2] = {0.0, 1.0}, near[2] = {0.0, 0.0};
    for (int i = 0; i < 3; ++i) {
        const double u = corner[i + 1][0] - corner[i][0], v = corner[i + 1][1] - corner[i][1];
        const double length = sqrt(u * u + v * v);
        if (!(length > 0.0)) {
            continue;
        }
        const double x = out - corner[i][0], y = p.z - corner[i][1];
        const double above = (x * -v + y * u) / length; // outward of the edge
        const double t = fmin(fmax((x * u + y * v) / (length * length), 0.0), 1.0);
        const double at[2] = {corner[i][0] + t * u, corner[i][1] + t * v};
        const double far = hypot(out - at[0], p.z - at[1]);
        if (above > inside) {
            inside = above;
            n[0] = -v / length, n[1] = u / length;
        }
        if (far < apart) {
            apart = far;
            near[0] = at[0], near[1] = at[1];
        }
    }
    core_distance r = {0};
    // No edge tells beside a flat one; and the direction from nearby is chance.
    if ((inside > 0.0 || out > h.x) && apart > 0.25 * pair->rounding) {
        n[0] = (out - near[0]) / apart, n[1] = (p.z - near[1]) / apart;
        inside = apart;
    }
    const double c = out > 0.0 ? p.x / out : 1.0, s = out > 0.0 ? p.y / out : 0.0;
    const lw_vec3 outward = {c * n[0], s * n[0], n[1]};
    r.lower = r.upper = inside;
    r.normal = lw_rotate(&pair->X.R, lw_scale3(-1.0, outward));
    r.point_b = lw_scale3(inside, r.normal);
    return r;
}

// The point x of an ellipsoid with radii e, none of them zero, that is nearest to the point y:
// x_i = e_i^2 y_i / (t + e_i^2), where t is the largest root of sum (x_i / e_i)^2 = 1.
static void nearest_on_ellipsoid(const double e[3], const double y[3], double x[3])
{
    const int k = e[0] <= e[1] && e[0] <= e[2] ? 0 : e[1] <= e[2] ? 1 : 2;
    double ey[3], more[3]; // more: e_i^2 above the least
    double s = 0.0;        // t + the least e_i^2; no term of the sum alone exceeds 1 at the root
    for (int i = 0; i < 3; ++i) {
        ey[i] = e[i] * y[i];
        more[i] = (e[i] - e[k]) * (e[i] + e[k]);
        s = fmax(s, fabs(ey[i]) - more[i]);
    }
    double sum = HUGE_VAL;
    for (int n = 0; n < MOST_ROOT_STEPS && sum > 1.0; ++n) {
        double slope = 0.0;
        sum = 0.0;
        for (int i = 0; i < 3; ++i) {
            const double z = ey[i] == 0.0 ? 0.0 : ey[i] / (s + more[i]);
            sum += z * z;
            slope += ey[i] == 0.0 ? 0.0 : z * z / (s + more[i]);
        }
        if (sum > 1.0) { // Newton's method on 1 / sqrt(sum), which is nearly straight
            const double step = (sqrt(sum) - 1.0) * sum / slope;
            if (s + step == s) {
                break;
            }
            s += step;
        }
    }
    double rest = 1.0;
    for (int i = 0; i < 3; ++i) {
        const double z = ey[i] == 0.0 ? 0.0 : ey[i] / (s + more[i]);
        x[i] = e[i] * z;
        rest -= i == k ? 0.0 : z * z;
    }
    if (s == 0.0 && rest > 0.0) { // in the plane of the other axes: two points, or a circle
        x[k] = e[k] * sqrt(rest);
    }
}

// A point and the ellipsoid b.
static core_distance of_point_and_ellipsoid(const lwi_solid_pair *pair)
{
    const lw_vec3 h = pair->b->half;
    const lw_vec3 p = lw_rotate_back(&pair->X.R, lw_scale3(-1.0, pair->X.p)); // in b
    const double e[3] = {h.x, h.y, h.z}, y[3] = {p.x, p.y, p.z};
    double x[3];
    nearest_on_ellipsoid(e, y, x);
    const lw_vec3 at = {x[0], x[1], x[2]};
    const lw_vec3 out = {x[0] / (h.x * h.x), x[1] / (h.y * h.y), x[2] / (h.z * h.z)};
    core_distance r = {.normal = lw_rotate(&pair->X.R, lw_unit3(lw_scale3(-1.0, out)))};
    r.lower = -lw_dot3(lwi_support_pair(pair, r.normal).w, r.normal);
    const double apart = lw_norm3(lw_sub3(p, at));
    r.upper = fmax(r.lower, r.lower < 0.0 ? -apart : apart);
    r.point_b = lw_scale3(r.lower, r.normal);
    return r;
}

// The half-space is b.
static core_distance of_half_space(const lwi_solid_pair *pair)
{
    const lw_vec3 up = {pair->X.R.row[0].z, pair->X.R.row[1].z, pair->X.R.row[2].z};
    core_distance r = {.normal = lw_scale3(-1.0, up)};
    r.point_a = lwi_support(pair->a, r.normal);
    r.lower = r.upper = lw_dot3(up, lw_sub3(r.point_a, pair->X.p));
    r.point_b = lw_sub3(r.point_a, lw_scale3(r.upper, up));
    return r;
}

// --- Any cores --------------------------------------------------------------------------------

// Moves the second core out along the normal until it is a little apart, where GJK finds the
// direction well: it is at most as deep along that (Wu, Tao and others 2023). So a direction from
// which rounding, or the polytope's end, has kept the last digits gets them. Raises r->lower.
static void refine_normal(const lwi_solid_pair *pair, core_distance *r)
{
    const double apart = 1e-3 * pair->size;
    for (int i = 0; i < MOST_REFINEMENTS; ++i) {
        lwi_solid_pair moved = *pair;
        moved.X.p = lw_add3(pair->X.p, lw_scale3(apart - r->lower, r->normal));
        const lwi_gjk g = lwi_gjk_run(&moved, r->normal);
        r->iterations += g.iterations;
        if (g.is_overlap) {
            return;
        }
        const lwi_difference w = lwi_support_pair(pair, g.normal);
        const double gap = -lw_dot3(w.w, g.normal), gain = gap - r->lower;
        if (i == 0 || gain > 0.0) {
            r->point_a = lwi_simplex_point_a(&g.simplex);
            const lw_vec3 back = lw_sub3(moved.X.p, pair->X.p);
            r->upper = fmin(r->upper, fmax(lw_norm3(lw_add3(g.v, back)), 0.0));
        }
        if (gain > 0.0) {
            r->lower = gap;
            r->normal = g.normal;
        }
        r->point_b = lw_add3(r->point_a, lw_scale3(r->lower, r->normal));
        if (!(gain > pair->rounding)) {
            return;
        }
    }
}

static core_distance of_cores(const lwi_solid_pair *pair, lw_vec3 start, lw_distance_work *work)
{
    const lwi_gjk g = lwi_gjk_run(pair, start);
    core_distance r = {.iterations = g.iterations,
                       .lower = g.lower,
                       .upper = lw_norm3(g.v),
                       .normal = g.normal,
                       .point_a = lwi_simplex_point_a(&g.simplex)};
    r.point_b = lw_sub3(r.point_a, g.v);
    if (r.lower > 0.0 && r.upper > 1e-4 * pair->size) {
        r.normal = lw_scale3(-1.0 / r.upper, g.v); // from point to point
        return r;
    }
    if (!(r.lower > 0.0)) {
        const lwi_depth depth = lwi_find_depth(pair, &g.simplex, work);
        r.iterations += depth.iterations;
        r.upper = depth.inner >= 0.0 ? fmin(r.upper, -depth.inner) : r.upper;
        if (-depth.outer > r.lower) {
            r.lower = -depth.outer;
            r.normal = depth.normal;
            r.point_a = depth.point_a;
            r.point_b = lw_sub3(r.point_a, lw_scale3(depth.outer, depth.normal));
        }
    }
    if (r.upper - r.lower > pair->rounding) {
        refine_normal(pair, &r);
    }
    return r;
}

static core_distance of_boxes(const lwi_solid_pair *pair, lw_distance_work *work)
{
    const lwi_box_axis axis = lwi_box_pair_axis(pair);
    if (axis.gap > 0.0) {
        return of_cores(pair, axis.normal, work);
    }
    core_distance r = {.lower = axis.gap, .upper = axis.gap + axis.slack, .normal = axis.normal};
    refine_normal(pair, &r);
    return r;
}

static core_distance find_core_distance(const lwi_solid_pair *pair, lw_distance_work *work)
{
    const lw_core a = pair->a->core, b = pair->b->core;
    if (b == LW_CORE_HALF_SPACE) {
        return of_half_space(pair);
    }
    if (pair->size < LEAST_SIZE) {
        return (core_distance){
            .lower = -pair->size, .upper = pair->size, .normal = {0.0, 0.0, 1.0}};
    }
    if (b <= LW_CORE_SEGMENT) {
        return of_segments(pair);
    }
    if (a == LW_CORE_POINT && b <= LW_CORE_CONE) {
        return b == LW_CORE_BOX ? of_point_and_box(pair) : of_point_and_round(pair);
    }
    const lw_vec3 h = pair->b->half;
    if (a == LW_CORE_POINT && b == LW_CORE_ELLIPSOID && fmin(fmin(h.x, h.y), h.z) > 0.0) {
        return of_point_and_ellipsoid(pair);
    }
    if (a == LW_CORE_BOX && b == LW_CORE_BOX) {
        return of_boxes(pair, work);
    }
    const bool is_apart = lw_norm3(pair->X.p) > pair->rounding;
    return of_cores(pair, is_apart ? pair->X.p : lw_vec3_of(1.0, 0.0, 0.0), work);
}

lw_status lw_find_distance(const lw_solid *a, const lw_pose *X_a, const lw_solid *b,
                           const lw_pose *X_b, lw_distance_work *work, lw_distance *distance)
{
    lw_status status = lw_check_solid(a);
    status = status == LW_OK ? lw_check_solid(b) : status;
    if (status != LW_OK || !X_a || !X_b || !work || !distance ||
        (a->core == LW_CORE_HALF_SPACE && b->core == LW_CORE_HALF_SPACE)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    if (!is_finite_pose(X_a) || !is_finite_pose(X_b)) {
        return LW_ERR_NUMBER;
    }
    const double skew = fmax(skew_of(&X_a->R), skew_of(&X_b->R));
    if (skew > MOST_SKEW) {
        return LW_ERR_ARGUMENT;
    }
    const lw_solid first = simplest(a), second = simplest(b);
    const bool is_swapped = compare(&first, X_a, &second, X_b) > 0;
    lwi_solid_pair pair = {.a = is_swapped ? &second : &first, .b = is_swapped ? &first : &second};
    const lw_pose *X = is_swapped ? X_b : X_a, *Y = is_swapped ? X_a : X_b;
    const lw_mat3 back = lw_transpose3(&X->R);
    pair.X.R = lw_mul3(&back, &Y->R);
    pair.X.p = lw_rotate(&back, lw_sub3(Y->p, X->p));
    pair.size = lwi_core_size(pair.a) + lwi_core_size(pair.b) + lw_norm3(pair.X.p);
    pair.rounding = fmax(16.0 * DBL_EPSILON, 6.0 * skew) * pair.size;
    const core_distance r = find_core_distance(&pair, work);
    const double rounded = a->radius + b->radius;
    const double error = pair.rounding + 4.0 * DBL_EPSILON * rounded;
    distance->lower = r.lower - rounded - error;
    distance->upper = r.upper - rounded + error;
    distance->distance = r.lower - rounded;
    distance->iterations = r.iterations;
    const lw_vec3 n = lw_rotate(&X->R, r.normal);
    distance->normal = is_swapped ? lw_scale3(-1.0, n) : n;
    const lw_vec3 point_a = lw_add3(lw_pose_apply(X, r.point_a), lw_scale3(pair.a->radius, n));
    const lw_vec3 point_b = lw_sub3(lw_pose_apply(X, r.point_b), lw_scale3(pair.b->radius, n));
    distance->point[is_swapped] = point_a;
    distance->point[!is_swapped] = point_b;
    return LW_OK;
}

lw_verdict lw_verdict_of(const lw_distance *distance, double margin)
{
    return distance->lower > margin    ? LW_VERDICT_FREE
           : distance->upper <= margin ? LW_VERDICT_HIT
                                       : LW_VERDICT_UNCERTAIN;
}
