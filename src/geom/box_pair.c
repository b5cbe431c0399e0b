#include "box_pair.h"

#include <float.h>
#include <math.h>

// Takes the axis n, not of unit length but with this norm, where it has the larger gap.
static void try_axis(const lwi_solid_pair *pair, lw_vec3 n, double norm, double slack,
                     lwi_box_axis *best)
{
    const lw_vec3 h = pair->a->half, k = pair->b->half;
    const lw_vec3 m = lw_rotate_back(&pair->X.R, n);
    const double center = lw_dot3(pair->X.p, n);
    const double reach = h.x * fabs(n.x) + h.y * fabs(n.y) + h.z * fabs(n.z) + k.x * fabs(m.x) +
                         k.y * fabs(m.y) + k.z * fabs(m.z);
    const double gap = (fabs(center) - reach) / norm;
    const double above = fmax(gap + slack, best->gap + best->slack);
    if (gap > best->gap) {
        best->gap = gap;
        best->normal = lw_scale3((center < 0.0 ? -1.0 : 1.0) / norm, n);
    }
    best->slack = above - best->gap;
}

lwi_box_axis lwi_box_pair_axis(const lwi_solid_pair *pair)
{
    lwi_box_axis best = {.gap = -HUGE_VAL};
    const lw_mat3 edges = lw_transpose3(&pair->X.R);
    const lw_mat3 one = lw_mat3_identity();
    best.slack = 0.0;
    for (int i = 0; i < 3; ++i) {
        try_axis(pair, one.row[i], 1.0, 0.0, &best);
        try_axis(pair, edges.row[i], lw_norm3(edges.row[i]), 0.0, &best);
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const lw_vec3 n = lw_cross3(one.row[i], edges.row[j]);
            const double sine = lw_norm3(n);
            if (sine > 1e-15) {
                // Edges that are parallel up to this sine have no better axis than the faces up to
                // this share of the size; and rounding turns theirs by its inverse.
                const double slack = pair->size * fmin(sine, DBL_EPSILON / sine);
                try_axis(pair, n, sine, slack, &best);
            }
        }
    }
    return best;
}
