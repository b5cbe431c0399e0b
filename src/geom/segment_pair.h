// Spheres and capsules: closed forms in the world, without a frame of their own.
//
// What is usual is inline and calls nothing, so that it stays in registers; axes that are nearly
// parallel are left to segment_pair.c.
#ifndef LWI_SEGMENT_PAIR_H
#define LWI_SEGMENT_PAIR_H

#include "support.h"

#include <float.h>

/// A capsule in the world; a sphere is one of no length.
typedef struct lwi_capsule {
    lw_vec3 p, u; ///< centre, and unit vector along the axis
    double half, radius;
} lwi_capsule;

/// The way c between the centres of two segments, and its products with the unit vectors u and v.
typedef struct lwi_segment_way {
    lw_vec3 c;
    double uv, uc, vc, sine2;
} lwi_segment_way;

/// Nearest points p_a + s u and p_b + t v.
typedef struct lwi_segment_gap {
    double s, t;
    lw_vec3 d;      ///< from the one point to the other
    double dd, gap; ///< d.d, and how far the segments are apart along d, times |d|
} lwi_segment_gap;

static inline lwi_segment_way lwi_way_between(const lwi_capsule *a, const lwi_capsule *b)
{
    const lw_vec3 c = lw_sub3(b->p, a->p);
    const double uv = lw_dot3(a->u, b->u);
    return (lwi_segment_way){c, uv, lw_dot3(a->u, c), lw_dot3(b->u, c), 1.0 - uv * uv};
}

static inline bool lwi_is_nearly_parallel(const lwi_segment_way *w)
{
    return !(w->sine2 > 1e-4);
}

/// From a first value of s. The gap along d is true whatever s and t are, and so is d.d as the
/// squared distance of two points.
static inline lwi_segment_gap lwi_segment_gap_from(const lwi_segment_way *w, const lwi_capsule *a,
                                                   const lwi_capsule *b, double s)
{
    const double l = a->half, m = b->half;
    const lw_vec3 u = a->u, v = b->u, c = w->c;
    const double t = lwi_clamp(w->uv * s - w->vc, m);
    s = lwi_clamp(w->uv * t + w->uc, l);
    const lw_vec3 d = {c.x + t * v.x - s * u.x, c.y + t * v.y - s * u.y, c.z + t * v.z - s * u.z};
    const double gap = lw_dot3(d, c) - l * fabs(lw_dot3(d, u)) - m * fabs(lw_dot3(d, v));
    return (lwi_segment_gap){s, t, d, lw_dot3(d, d), gap};
}

static inline double lwi_steep_start(const lwi_segment_way *w, double l)
{
    return lwi_clamp((w->uc - w->uv * w->vc) * (1.0 / w->sine2), l);
}

static inline double lwi_capsule_size(const lwi_segment_way *w, const lwi_capsule *a,
                                      const lwi_capsule *b)
{
    return a->half + b->half + fabs(w->c.x) + fabs(w->c.y) + fabs(w->c.z);
}

/// By how much the squared lengths of the axes differ from one.
static inline double lwi_capsule_skew(const lwi_capsule *a, const lwi_capsule *b)
{
    return lwi_larger(fabs(lw_dot3(a->u, a->u) - 1.0), fabs(lw_dot3(b->u, b->u) - 1.0));
}

/// A bound of what rounding errors move either end of the interval.
static inline double lwi_capsule_error(double size, double rounded, double skew)
{
    return lwi_larger(16.0 * DBL_EPSILON, 6.0 * skew) * size + 4.0 * DBL_EPSILON * rounded;
}

/// Squares of lengths that are smaller have lost digits, or their products of four have, m^2.
#define LWI_LEAST_SQUARE 1e-140

/// The verdict on segments with this gap and these roundings.
static inline lw_verdict lwi_gap_verdict(const lwi_segment_gap *g, double beyond, double error)
{
    const double far = beyond + error, near = beyond - error;
    if (near > 0.0 && g->dd <= near * near - LWI_LEAST_SQUARE) {
        return LW_VERDICT_HIT;
    }
    // Where d is short its direction is chance, and the products that follow vanish.
    const bool is_free = g->gap > 0.0 && (far <= 0.0 || g->gap * g->gap > far * far * g->dd);
    return is_free && g->dd > error * error + LWI_LEAST_SQUARE ? LW_VERDICT_FREE
                                                               : LW_VERDICT_UNCERTAIN;
}

/// The distance of a and b, or of b and a where that is wanted. False where the axes nearly meet:
/// nothing is written then.
static inline bool lwi_gap_distance(const lwi_segment_gap *g, const lwi_capsule *a,
                                    const lwi_capsule *b, double size, double skew, bool is_swapped,
                                    lw_distance *distance)
{
    if (!(size < 1e50) || !(g->dd > 1e-12 * size * size + LWI_LEAST_SQUARE)) {
        return false;
    }
    const double norm = sqrt(g->dd), inverse = norm * (1.0 / g->dd); // side by side
    const double rounded = a->radius + b->radius;
    const double error = lwi_capsule_error(size, rounded, skew);
    const double lower = g->gap * inverse, sign = is_swapped ? -1.0 : 1.0;
    const lw_vec3 n = lw_scale3(inverse, g->d);
    const lw_vec3 to_a = lw_add3(lw_scale3(g->s, a->u), lw_scale3(a->radius, n));
    const lw_vec3 to_b = lw_sub3(lw_scale3(g->t, b->u), lw_scale3(b->radius, n));
    distance->lower = lower - rounded - error;
    distance->upper = norm - rounded + error;
    distance->distance = norm - rounded; // has more digits than the gap along d
    distance->iterations = 0;
    distance->normal = lw_scale3(sign, n);
    distance->point[is_swapped] = lw_add3(a->p, to_a);
    distance->point[!is_swapped] = lw_add3(b->p, to_b);
    return true;
}

// The same where the axes are nearly parallel.
lw_verdict lwi_parallel_verdict(const lwi_capsule *a, const lwi_capsule *b, double skew,
                                double margin);
bool lwi_parallel_distance(const lwi_capsule *a, const lwi_capsule *b, double skew, bool is_swapped,
                           lw_distance *distance);

/// The distance of any two capsules, as lw_find_distance() has it (distance.c).
lw_status lwi_find_capsule_distance(const lwi_capsule *a, const lwi_capsule *b,
                                    lw_distance *distance);

/// Whether two capsules are farther apart than a margin.
/// @param skew by how much the squared lengths of the axes differ from one at the most
static inline lw_verdict lwi_capsule_verdict(const lwi_capsule *a, const lwi_capsule *b,
                                             double skew, double margin)
{
    const lwi_segment_way w = lwi_way_between(a, b);
    if (lwi_is_nearly_parallel(&w)) {
        return lwi_parallel_verdict(a, b, skew, margin);
    }
    const lwi_segment_gap g = lwi_segment_gap_from(&w, a, b, lwi_steep_start(&w, a->half));
    const double rounded = a->radius + b->radius;
    const double error = lwi_capsule_error(lwi_capsule_size(&w, a, b), rounded, skew);
    return lwi_gap_verdict(&g, rounded + margin, error);
}

/// As lwi_gap_distance().
static inline bool lwi_capsule_distance(const lwi_capsule *a, const lwi_capsule *b, double skew,
                                        bool is_swapped, lw_distance *distance)
{
    const lwi_segment_way w = lwi_way_between(a, b);
    if (lwi_is_nearly_parallel(&w)) {
        return lwi_parallel_distance(a, b, skew, is_swapped, distance);
    }
    const lwi_segment_gap g = lwi_segment_gap_from(&w, a, b, lwi_steep_start(&w, a->half));
    return lwi_gap_distance(&g, a, b, lwi_capsule_size(&w, a, b), skew, is_swapped, distance);
}

#endif
