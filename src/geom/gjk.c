#include "gjk.h"

#include <math.h>

enum { MOST_ITERATIONS = 64 };

// Relative to the size: where both ends of the interval meet this closely, no step is worth it.
#define CLOSE_ENOUGH 1e-10
#define CLOSER 2e-12 // where the points are so near that their difference is a poor normal

static inline bool has_point(const lw_vec3 *x, int n, lw_vec3 w)
{
    for (int i = 0; i < n; ++i) {
        if (x[i].x == w.x && x[i].y == w.y && x[i].z == w.z) {
            return true;
        }
    }
    return false;
}

// The points that count, and what they make.
static void keep(lwi_gjk *g, lw_vec3 *w, const lwi_nearest *r)
{
    int n = 0;
    for (int i = 0; i < 4; ++i) {
        if (r->counts >> i & 1u) {
            w[n] = w[i];
            g->simplex.at[n] = g->simplex.at[i];
            g->simplex.weight[n++] = r->weight[i];
        }
    }
    g->simplex.n = n;
    g->v = r->v;
}

lwi_gjk lwi_gjk_run(const lwi_solid_pair *pair, lw_vec3 direction, const lwi_gjk_limits *limits)
{
    lwi_gjk g = {.lower = -HUGE_VAL, .simplex.n = 1, .simplex.weight[0] = 1.0};
    lw_vec3 w[4];
    g.simplex.at[0] = lwi_support_pair(pair, lw_scale3(-1.0, direction));
    g.v = w[0] = g.simplex.at[0].w;
    double vv = lw_dot3(g.v, g.v);
    for (g.iterations = 1; g.iterations <= MOST_ITERATIONS; ++g.iterations) {
        const double norm = sqrt(vv), inverse = 1.0 / norm;
        if (norm <= limits->near) {
            break;
        }
        if (norm <= pair->rounding) {
            g.is_overlap = true;
            break;
        }
        const lwi_difference next = lwi_support_pair(pair, lw_scale3(-1.0, g.v));
        const double gap = lw_dot3(g.v, next.w) * inverse;
        if (gap > g.lower) {
            g.lower = gap;
            g.normal = lw_scale3(-inverse, g.v);
        }
        const int n = g.simplex.n;
        if (norm - g.lower <= (norm > 1e-4 * pair->size ? CLOSE_ENOUGH : CLOSER) * pair->size ||
            g.lower > limits->far || has_point(w, n, next.w)) {
            break;
        }
        w[n] = next.w;
        const lwi_nearest r = lwi_nearest_of(w, n + 1);
        if (r.counts != 15u && !(r.vv < vv)) {
            break; // rounding: the interval tells how good the last one is
        }
        g.simplex.at[n] = next;
        keep(&g, w, &r);
        vv = r.vv;
        if (r.counts == 15u) { // rounding may make a flat tetrahedron contain the origin
            g.is_overlap = sqrt(vv) <= pair->rounding;
            break;
        }
    }
    return g;
}
