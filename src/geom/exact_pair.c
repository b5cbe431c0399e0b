// Pairs whose nearest points are known without iteration, but for a root.
#include "exact_pair.h"

#include "segment_pair.h"

#include <math.h>

#define NEARLY_PARALLEL 1e-3 // sine of the angle between two axes

enum { MOST_ROOT_STEPS = 60 };

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

// Takes a normal if the cores are farther apart along it.
static void try_normal(const lwi_solid_pair *pair, lw_vec3 n, lwi_core_distance *r)
{
    const double gap = -lw_dot3(lwi_support_pair(pair, n).w, n);
    if (gap > r->lower) {
        r->lower = gap;
        r->normal = n;
    }
}

// Points and segments: |s u - (c + t v)| least, for |s| <= l and |t| <= m along unit vectors.
lwi_core_distance lwi_segments_distance(const lwi_solid_pair *pair)
{
    const double l = pair->a->half.z, m = pair->b->half.z;
    const lw_vec3 u = {0.0, 0.0, 1.0}, c = pair->X.p;
    const lw_vec3 v = {pair->X.R.row[0].z, pair->X.R.row[1].z, pair->X.R.row[2].z};
    const double uv = v.z, uc = c.z, vc = lw_dot3(v, c);
    const double sine2 = v.x * v.x + v.y * v.y;
    double s;
    if (sine2 > 1e-24) {
        s = lwi_clamp((uc - uv * vc) / sine2, l);
    } else { // parallel: the middle of where they face each other
        const double low = lwi_larger(-l, uc - m), high = lwi_smaller(l, uc + m);
        s = lwi_clamp(0.5 * (low + high), l);
    }
    double t = lwi_clamp(uv * s - vc, m);
    s = lwi_clamp(uv * t + uc, l);
    t = lwi_clamp(uv * s - vc, m); // s has moved where t was held at an end
    lwi_core_distance r = {.point_a = lw_scale3(s, u), .point_b = lw_add3(c, lw_scale3(t, v))};
    lw_vec3 d = lw_sub3(r.point_b, r.point_a);
    r.upper = lw_norm3(d);
    // Within a segment its nearest point is across it: d is so only as far as rounding lets it. The
    // product of two axes is, but has no digits where they are nearly parallel.
    const bool is_within_a = fabs(s) < l, is_within_b = fabs(t) < m;
    if (is_within_a || is_within_b) {
        const lw_vec3 along = is_within_a ? u : v;
        d = lw_sub3(d, lw_scale3(lw_dot3(d, along), along));
    }
    const bool is_apart = r.upper > 1e-10 * pair->size;
    r.normal = is_apart ? lw_unit3(d) : across_both(lw_scale3(l, u), lw_scale3(m, v));
    r.lower = -lw_dot3(lwi_support_pair(pair, r.normal).w, r.normal);
    if (is_within_a && is_within_b && sine2 > 1e-24) {
        const lw_vec3 n = lw_unit3(lw_cross3(u, v));
        try_normal(pair, lw_dot3(n, d) < 0.0 ? lw_scale3(-1.0, n) : n, &r);
    }
    if (r.lower < 0.0) {
        try_normal(pair, lw_scale3(-1.0, r.normal), &r);
    }
    return r;
}

// A point and a box, whose frame the result is in: the box is b.
lwi_core_distance lwi_point_box_distance(const lwi_solid_pair *pair)
{
    const lw_vec3 h = pair->b->half;
    const lw_vec3 p = lw_rotate_back(&pair->X.R, lw_scale3(-1.0, pair->X.p)); // in the box
    const double q[3] = {p.x, p.y, p.z}, half[3] = {h.x, h.y, h.z};
    double nearest[3], n[3] = {0, 0, 0};
    int face = 0;
    bool is_inside = true;
    for (int i = 0; i < 3; ++i) {
        nearest[i] = lwi_clamp(q[i], half[i]);
        is_inside = is_inside && nearest[i] == q[i];
        face = half[i] - fabs(q[i]) < half[face] - fabs(q[face]) ? i : face;
    }
    lwi_core_distance r = {0};
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

// How far the point (out, z) is above the polygon along n.
static double height_above(const double corner[4][2], const double n[2], double out, double z)
{
    double most = -HUGE_VAL;
    for (int i = 0; i < 4; ++i) {
        most = lwi_larger(most, fabs(n[0]) * corner[i][0] + n[1] * corner[i][1]);
    }
    return n[0] * out + n[1] * z - most;
}

// A point and a solid of revolution about z, the cylinder or cone b: in the half plane through the
// axis and the point, where the solid is a polygon with corners from the top axis down.
lwi_core_distance lwi_point_round_distance(const lwi_solid_pair *pair)
{
    const lw_vec3 h = pair->b->half;
    const lw_vec3 p = lw_rotate_back(&pair->X.R, lw_scale3(-1.0, pair->X.p)); // in b
    const double out = sqrt(p.x * p.x + p.y * p.y);
    const bool is_cone = pair->b->core == LW_CORE_CONE;
    const double corner[4][2] = {{0.0, h.z}, {is_cone ? 0.0 : h.x, h.z}, {h.x, -h.z}, {0.0, -h.z}};
    double inside = -HUGE_VAL, apart = HUGE_VAL, n[2] = {0.0, 1.0}, out_of[2] = {0.0, 1.0};
    for (int i = 0; i < 3; ++i) {
        const double u = corner[i + 1][0] - corner[i][0], v = corner[i + 1][1] - corner[i][1];
        const double length = sqrt(u * u + v * v);
        if (!(length > 0.0)) {
            continue;
        }
        const double x = out - corner[i][0], y = p.z - corner[i][1];
        const double above = (x * -v + y * u) / length; // outward of the edge
        const double t = lwi_smaller(lwi_larger((x * u + y * v) / (length * length), 0.0), 1.0);
        const double at[2] = {corner[i][0] + t * u, corner[i][1] + t * v};
        const double far = hypot(out - at[0], p.z - at[1]);
        if (above > inside) {
            inside = above;
            n[0] = -v / length, n[1] = u / length;
        }
        if (far < apart || (far == apart && above > 0.0)) {
            apart = far; // beside an edge its normal is better than the direction from nearby
            const bool is_beside = t > 0.0 && t < 1.0 && above > 0.0;
            out_of[0] = is_beside ? -v / length : (out - at[0]) / far;
            out_of[1] = is_beside ? u / length : (p.z - at[1]) / far;
        }
    }
    lwi_core_distance r = {.lower = inside, .upper = inside};
    // No edge tells beside a flat one; and the direction from nearby is chance.
    if ((inside > 0.0 || out > h.x) && apart > 0.25 * pair->rounding) {
        r.upper = apart;
        const double gap = height_above(corner, out_of, out, p.z);
        if (gap >= inside) {
            n[0] = out_of[0], n[1] = out_of[1];
            r.lower = gap;
        }
    }
    const double c = out > 0.0 ? p.x / out : 1.0, s = out > 0.0 ? p.y / out : 0.0;
    const lw_vec3 outward = {c * n[0], s * n[0], n[1]};
    r.normal = lw_rotate(&pair->X.R, lw_scale3(-1.0, outward));
    r.point_b = lw_scale3(r.upper, r.normal);
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
        s = lwi_larger(s, fabs(ey[i]) - more[i]);
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
lwi_core_distance lwi_point_ellipsoid_distance(const lwi_solid_pair *pair)
{
    const lw_vec3 h = pair->b->half;
    const lw_vec3 p = lw_rotate_back(&pair->X.R, lw_scale3(-1.0, pair->X.p)); // in b
    const double e[3] = {h.x, h.y, h.z}, y[3] = {p.x, p.y, p.z};
    double x[3];
    nearest_on_ellipsoid(e, y, x);
    const lw_vec3 at = {x[0], x[1], x[2]};
    const lw_vec3 out = {x[0] / (h.x * h.x), x[1] / (h.y * h.y), x[2] / (h.z * h.z)};
    lwi_core_distance r = {.normal = lw_rotate(&pair->X.R, lw_unit3(lw_scale3(-1.0, out)))};
    r.lower = -lw_dot3(lwi_support_pair(pair, r.normal).w, r.normal);
    const double apart = lw_norm3(lw_sub3(p, at));
    r.upper = lwi_larger(r.lower, r.lower < 0.0 ? -apart : apart);
    r.point_b = lw_scale3(r.lower, r.normal);
    return r;
}

// How deep a point is inside of a cylinder of this size at the origin: along u, or across it.
static double depth_in(double out, double along, double radius, double half)
{
    return lwi_smaller(radius - out, half - fabs(along));
}

// A cylinder about one axis that is inside of the difference of two, which is centred at c from the
// origin, and how deep the origin is in it: `first` has the axis, from which c is `out` and
// `along`. A disc and a segment through it reach beyond the disc across the segment. What the other
// axis adds to the length it takes from the radius.
static double depth_about(lw_vec3 first, lw_vec3 other, double sine, double out, double along)
{
    const double cosine = sqrt(1.0 - sine * sine);
    const double radius = first.x + cosine * other.x, half = first.z - sine * other.x;
    const double longer = depth_in(out, along, radius - sine * other.z, half + cosine * other.z);
    return half >= 0.0 ? lwi_larger(depth_in(out, along, radius, half), longer) : -HUGE_VAL;
}

// Two such cores are no less deep than cylinders inside of their difference: about the axis, where
// nearly all directions are as good, no polytope has points enough for that.
bool lwi_parallel_depth(const lwi_solid_pair *pair, lwi_core_distance *r)
{
    const lw_vec3 v = {pair->X.R.row[0].z, pair->X.R.row[1].z, pair->X.R.row[2].z}, c = pair->X.p;
    const double sine = sqrt(v.x * v.x + v.y * v.y);
    const lw_core core[2] = {pair->a->core, pair->b->core};
    if ((core[0] != LW_CORE_SEGMENT && core[0] != LW_CORE_CYLINDER) ||
        (core[1] != LW_CORE_SEGMENT && core[1] != LW_CORE_CYLINDER) || !(sine < NEARLY_PARALLEL)) {
        return false;
    }
    lw_vec3 a = pair->a->half, b = pair->b->half;
    a.x = core[0] == LW_CORE_CYLINDER ? a.x : 0.0;
    b.x = core[1] == LW_CORE_CYLINDER ? b.x : 0.0;
    const double out = sqrt(c.x * c.x + c.y * c.y), vc = lw_dot3(v, c);
    const double first = depth_about(a, b, sine, out, c.z);
    const double second = depth_about(b, a, sine, lw_norm3(lw_sub3(c, lw_scale3(vc, v))), vc);
    const double depth = lwi_larger(first, second);
    if (!(depth > 0.0)) { // what is outside of a rim may be farther than from cap and side
        return false;
    }
    const lw_vec3 z = {0.0, 0.0, 1.0}, w = across_both(z, v);
    const lw_vec3 radial = out > 0.0 ? lw_vec3_of(c.x / out, c.y / out, 0.0) : w;
    *r = (lwi_core_distance){.lower = -HUGE_VAL, .upper = -depth};
    try_normal(pair, lw_scale3(c.z < 0.0 ? -1.0 : 1.0, z), r);
    try_normal(pair, lw_scale3(vc < 0.0 ? -1.0 : 1.0, v), r);
    try_normal(pair, radial, r);
    try_normal(pair, lw_scale3(lw_dot3(w, c) < 0.0 ? -1.0 : 1.0, w), r);
    // In the middle of where the caps, or the sides, face each other.
    const bool is_cap = fabs(r->normal.z) > 0.5; // z or v
    const double low = is_cap ? lwi_larger(-a.x, out - b.x) : lwi_larger(-a.z, c.z - b.z);
    const double high = is_cap ? lwi_smaller(a.x, out + b.x) : lwi_smaller(a.z, c.z + b.z);
    r->point_a = is_cap ? lw_scale3(0.5 * (low + high), radial) : lw_scale3(0.5 * (low + high), z);
    r->point_a = lw_add3(r->point_a, lw_scale3(is_cap ? a.z : a.x, r->normal));
    r->point_b = lw_add3(r->point_a, lw_scale3(r->lower, r->normal));
    return true;
}

// The half-space is b.
lwi_core_distance lwi_half_space_distance(const lwi_solid_pair *pair)
{
    const lw_vec3 up = {pair->X.R.row[0].z, pair->X.R.row[1].z, pair->X.R.row[2].z};
    lwi_core_distance r = {.normal = lw_scale3(-1.0, up)};
    r.point_a = lwi_support(pair->a, r.normal);
    r.lower = r.upper = lw_dot3(up, lw_sub3(r.point_a, pair->X.p));
    r.point_b = lw_sub3(r.point_a, lw_scale3(r.upper, up));
    return r;
}

// How fast the squared distance from the box grows along p + t v, in halves: it grows faster and
// faster, evenly between where a coordinate enters or leaves its slab.
static inline double slope_at(const double p[3], const double v[3], const double h[3], double t)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double x = p[i] + t * v[i];
        sum += v[i] * (x - lwi_clamp(x, h[i]));
    }
    return sum;
}

lwi_core_distance lwi_segment_box_distance(const lwi_solid_pair *pair)
{
    const lw_vec3 half = pair->b->half, *R = pair->X.R.row;
    const lw_vec3 c = lw_rotate_back(&pair->X.R, lw_scale3(-1.0, pair->X.p)); // in the box
    const double p[3] = {c.x, c.y, c.z}, v[3] = {R[2].x, R[2].y, R[2].z};
    const double h[3] = {half.x, half.y, half.z};
    double low = -pair->a->half.z, high = pair->a->half.z, t;
    double below = slope_at(p, v, h, low), above = slope_at(p, v, h, high);
    if (below >= 0.0 || above <= 0.0) {
        t = below >= 0.0 ? low : high;
    } else {
        for (int i = 0; i < 6; ++i) {
            const double at = ((i & 1 ? h[i / 2] : -h[i / 2]) - p[i / 2]) / v[i / 2];
            if (at > low && at < high) { // not where v is zero
                const double slope = slope_at(p, v, h, at);
                low = slope < 0.0 ? at : low;
                below = slope < 0.0 ? slope : below;
                high = slope < 0.0 ? high : at;
                above = slope < 0.0 ? above : slope;
            }
        }
        t = above > below ? low - below * ((high - low) / (above - below)) : 0.5 * (low + high);
        t = lwi_larger(low, lwi_smaller(t, high));
    }
    const lw_vec3 at = {lwi_clamp(p[0] + t * v[0], h[0]), lwi_clamp(p[1] + t * v[1], h[1]),
                        lwi_clamp(p[2] + t * v[2], h[2])};
    lwi_core_distance r = {.point_a = {0.0, 0.0, t}, .point_b = lw_pose_apply(&pair->X, at)};
    const lw_vec3 d = lw_sub3(r.point_b, r.point_a);
    r.upper = lw_norm3(d);
    r.lower = -HUGE_VAL;
    if (r.upper > 1e-4 * pair->size) {
        r.normal = lw_scale3(1.0 / r.upper, d);
        r.lower = -lw_dot3(lwi_support_pair(pair, r.normal).w, r.normal);
    }
    return r;
}
