// Two triangles that are apart are nearest at two edges, or at a corner and a face (Larsen,
// Gottschalk, Lin and Manocha 1999). Edges come first: where both remaining corners lie beyond the
// planes across their nearest points, these are the nearest of all. What is found is proven as all
// distances are, by the gap along the line between the points; where that fails, the triangles
// overlap or are too thin to tell, and the general method decides.
#include "triangle_pair.h"

#include <float.h>
#include <math.h>

static double clamp01(double x)
{
    return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
}

// The nearest points of the segments p + s u and q + t v, 0 <= s, t <= 1.
static void nearest_on_segments(lw_vec3 p, lw_vec3 u, lw_vec3 q, lw_vec3 v, lw_vec3 *x, lw_vec3 *y)
{
    const lw_vec3 r = lw_sub3(p, q);
    const double uu = lw_dot3(u, u), vv = lw_dot3(v, v), uv = lw_dot3(u, v);
    const double ur = lw_dot3(u, r), vr = lw_dot3(v, r), sine = uu * vv - uv * uv;
    double s = sine > 0.0 ? clamp01((uv * vr - ur * vv) / sine) : 0.0;
    const double t = vv > 0.0 ? clamp01((uv * s + vr) / vv) : 0.0;
    s = uu > 0.0 ? clamp01((uv * t - ur) / uu) : 0.0;
    *x = lw_add3(p, lw_scale3(s, u));
    *y = lw_add3(q, lw_scale3(t, v));
}

static double least_along(const lw_vec3 a[3], lw_vec3 n)
{
    const double x = lw_dot3(a[0], n), y = lw_dot3(a[1], n), z = lw_dot3(a[2], n);
    const double least = x < y ? x : y;
    return least < z ? least : z;
}

static double most_along(const lw_vec3 a[3], lw_vec3 n)
{
    const double x = lw_dot3(a[0], n), y = lw_dot3(a[1], n), z = lw_dot3(a[2], n);
    const double most = x > y ? x : y;
    return most > z ? most : z;
}

static lw_vec3 normal_of(const lw_vec3 a[3])
{
    return lw_cross3(lw_sub3(a[1], a[0]), lw_sub3(a[2], a[0]));
}

/// The nearest points found so far.
typedef struct nearest {
    lw_vec3 x, y;
    double square; ///< of their distance
} nearest;

static bool is_nearer(nearest *best, lw_vec3 x, lw_vec3 y)
{
    const lw_vec3 d = lw_sub3(y, x);
    const double square = lw_dot3(d, d);
    if (!(square < best->square)) {
        return false;
    }
    *best = (nearest){x, y, square};
    return true;
}

// Whether two edges have the nearest points of all.
static bool try_edges(const lw_vec3 a[3], const lw_vec3 b[3], nearest *best)
{
    for (int i = 0; i < 3; ++i) {
        const lw_vec3 u = lw_sub3(a[(i + 1) % 3], a[i]);
        for (int j = 0; j < 3; ++j) {
            lw_vec3 x, y;
            nearest_on_segments(a[i], u, b[j], lw_sub3(b[(j + 1) % 3], b[j]), &x, &y);
            if (!is_nearer(best, x, y)) {
                continue;
            }
            const lw_vec3 d = lw_sub3(y, x);
            if (lw_dot3(lw_sub3(a[(i + 2) % 3], x), d) <= 0.0 &&
                lw_dot3(lw_sub3(b[(j + 2) % 3], y), d) >= 0.0) {
                return true;
            }
        }
    }
    return false;
}

// The corner of b that is nearest to the plane of a, where all are on one side and it is over the
// face.
static void try_face(const lw_vec3 a[3], lw_vec3 n, const lw_vec3 b[3], bool is_swapped,
                     nearest *best)
{
    const double square = lw_dot3(n, n);
    double height = 0.0;
    int corner = -1, above = 0;
    for (int j = 0; j < 3; ++j) {
        const double h = lw_dot3(n, lw_sub3(b[j], a[0]));
        above += h > 0.0 ? 1 : h < 0.0 ? -1 : 0;
        if (corner < 0 || fabs(h) < fabs(height)) {
            height = h;
            corner = j;
        }
    }
    if (!(square > 0.0) || (above != 3 && above != -3)) {
        return;
    }
    const lw_vec3 p = b[corner];
    for (int i = 0; i < 3; ++i) {
        const lw_vec3 inward = lw_cross3(n, lw_sub3(a[(i + 1) % 3], a[i]));
        if (lw_dot3(inward, lw_sub3(p, a[i])) < 0.0) {
            return;
        }
    }
    const lw_vec3 foot = lw_sub3(p, lw_scale3(height / square, n));
    if (is_swapped) {
        is_nearer(best, p, foot);
    } else {
        is_nearer(best, foot, p);
    }
}

bool lwi_triangle_distance(const lw_vec3 a[3], const lw_vec3 b[3], const lw_vec3 *hint,
                           double limit, double size, lw_distance_work *work, lw_distance *distance)
{
    const double rounding = 16.0 * DBL_EPSILON * size;
    if (hint && least_along(b, *hint) - most_along(a, *hint) > fmax(limit + 2.0 * rounding, 0.0)) {
        return false;
    }
    const lw_vec3 n[2] = {normal_of(a), normal_of(b)};
    for (int k = 0; k < 2; ++k) { // whether a face separates them
        const double length = lw_norm3(n[k]);
        const double gap = fmax(least_along(b, n[k]) - most_along(a, n[k]),
                                least_along(a, n[k]) - most_along(b, n[k]));
        if (gap > (limit + 2.0 * rounding) * length && gap > 0.0) {
            return false;
        }
    }
    nearest best = {.square = HUGE_VAL};
    if (!try_edges(a, b, &best)) {
        try_face(a, n[0], b, false, &best);
        try_face(b, n[1], a, true, &best);
    }
    const double apart = sqrt(best.square);
    if (apart > 1e-9 * size) {
        const lw_vec3 normal = lw_scale3(1.0 / apart, lw_sub3(best.y, best.x));
        const double lower = least_along(b, normal) - most_along(a, normal);
        if (apart - lower <= 4.0 * rounding) {
            *distance = (lw_distance){.distance = apart,
                                      .lower = lower - rounding,
                                      .upper = apart + rounding,
                                      .point = {best.x, best.y},
                                      .normal = normal};
            return distance->lower <= limit;
        }
    }
    const lw_pose here = lw_pose_identity();
    const lw_solid first = lw_hull(3, a), second = lw_hull(3, b);
    return lw_find_distance(&first, &here, &second, &here, work, distance) == LW_OK &&
           distance->lower <= limit;
}
