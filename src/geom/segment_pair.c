#include "segment_pair.h"

#include <math.h>

static lwi_segment_gap parallel_gap(const lwi_segment_way *way, const lwi_capsule *a,
                                    const lwi_capsule *b)
{
    const lw_vec3 w = lw_cross3(a->u, b->u);
    const double sine2 = lw_dot3(w, w), l = a->half, m = b->half;
    // u less its part along v is v x w, without cancellation. Where they are parallel: the middle
    // of where they face each other.
    const double s = sine2 > 1e-24
                         ? lw_dot3(lw_cross3(b->u, w), way->c) / sine2
                         : 0.5 * (lwi_larger(-l, way->uc - m) + lwi_smaller(l, way->uc + m));
    return lwi_segment_gap_from(way, a, b, lwi_clamp(s, l));
}

lw_verdict lwi_parallel_verdict(const lwi_capsule *a, const lwi_capsule *b, double skew,
                                double margin)
{
    const lwi_segment_way w = lwi_way_between(a, b);
    const lwi_segment_gap g = parallel_gap(&w, a, b);
    const double rounded = a->radius + b->radius;
    const double error = lwi_capsule_error(lwi_capsule_size(&w, a, b), rounded, skew);
    return lwi_gap_verdict(&g, rounded + margin, error);
}

bool lwi_parallel_distance(const lwi_capsule *a, const lwi_capsule *b, double skew, bool is_swapped,
                           lw_distance *distance)
{
    const lwi_segment_way w = lwi_way_between(a, b);
    const lwi_segment_gap g = parallel_gap(&w, a, b);
    return lwi_gap_distance(&g, a, b, lwi_capsule_size(&w, a, b), skew, is_swapped, distance);
}
