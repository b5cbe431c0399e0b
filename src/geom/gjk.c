#include "gjk.h"

#include <math.h>

enum { MOST_ITERATIONS = 64 };

// Relative to the size: where both ends of the interval meet this closely, no step is worth it.
#define CLOSE_ENOUGH 2e-12

static bool has_point(const lwi_simplex *s, lw_vec3 w)
{
    for (int i = 0; i < s->n; ++i) {
        const lw_vec3 x = s->at[i].w;
        if (x.x == w.x && x.y == w.y && x.z == w.z) {
            return true;
        }
    }
    return false;
}

// Rounding may make a flat tetrahedron contain the origin; its weights then do not make it.
static bool contains_origin(const lwi_solid_pair *pair, const lwi_simplex *s)
{
    const lw_vec3 v = lwi_simplex_point(s);
    return lw_norm3(v) <= pair->rounding;
}

lwi_gjk lwi_gjk_run(const lwi_solid_pair *pair, lw_vec3 direction)
{
    lwi_gjk g = {.lower = -HUGE_VAL, .simplex.n = 1, .simplex.weight[0] = 1.0};
    g.simplex.at[0] = lwi_support_pair(pair, lw_scale3(-1.0, direction));
    g.v = g.simplex.at[0].w;
    for (g.iterations = 1; g.iterations <= MOST_ITERATIONS; ++g.iterations) {
        const double norm = lw_norm3(g.v);
        if (norm <= pair->rounding) {
            g.is_overlap = true;
            break;
        }
        const lwi_difference next = lwi_support_pair(pair, lw_scale3(-1.0, g.v));
        const double gap = lw_dot3(g.v, next.w) / norm;
        if (gap > g.lower) {
            g.lower = gap;
            g.normal = lw_scale3(-1.0 / norm, g.v);
        }
        if (norm - g.lower <= CLOSE_ENOUGH * pair->size || has_point(&g.simplex, next.w)) {
            break;
        }
        lwi_simplex tried = g.simplex;
        tried.at[tried.n++] = next;
        const lw_vec3 v = lwi_simplex_nearest(&tried);
        if (tried.n == 4) {
            g.is_overlap = contains_origin(pair, &tried);
            g.simplex = tried;
            g.v = v;
            break;
        }
        if (!(lw_dot3(v, v) < norm * norm)) {
            break; // rounding: the interval tells how good the last one is
        }
        g.simplex = tried;
        g.v = v;
    }
    return g;
}
