#include "gjk.h"

#include "newton.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 64 };

#define CLOSER                                                                                     \
    2e-12 // of the size: where the points are so near that their difference is a poor normal

#define GOOD_START 0.05

static inline bool has_point(const lw_vec3 *x, int n, lw_vec3 w)
{
    for (int i = 0; i < n; ++i) {
        if (x[i].x == w.x && x[i].y == w.y && x[i].z == w.z) {
            return true;
        }
    }
    return false;
}

// The points that count, and what they make; and the directions that they were found in.
static void keep(lwi_gjk *g, lw_vec3 *w, lw_vec3 *direction, const lwi_nearest *r)
{
    int n = 0;
    for (int i = 0; i < 4; ++i) {
        if (r->counts >> i & 1u) {
            w[n] = w[i];
            direction[n] = direction[i];
            g->simplex.at[n] = g->simplex.at[i];
            g->simplex.weight[n++] = r->weight[i];
        }
    }
    g->simplex.n = n;
    g->v = r->v;
}

// The direction of v, across the points to the last digit: v is a sum of them, and where they are
// far apart rounding turns it.
static lw_vec3 across_points(const lw_vec3 *w, int n, lw_vec3 v)
{
    const lw_vec3 e = n > 1 ? lw_sub3(w[1], w[0]) : v;
    if (n == 2) {
        return lw_sub3(v, lw_scale3(lw_dot3(v, e) / lw_dot3(e, e), e));
    }
    const lw_vec3 normal = n == 3 ? lwi_triangle_normal(e, lw_sub3(w[2], w[0])) : v;
    return lw_dot3(normal, v) < 0.0 ? lw_scale3(-1.0, normal) : normal;
}

// The simplex of directions that may be any numbers; false where none is a direction.
static bool begin(const lwi_solid_pair *pair, const lw_distance_start *start, lwi_gjk *g,
                  lw_vec3 *w, lw_vec3 *direction)
{
    int n = 0;
    for (int i = 0; i < start->n && i < 4; ++i) {
        const lw_vec3 d = start->direction[i];
        const double square = lw_dot3(d, d);
        if (square > 0.5 && square < 2.0) {
            const lwi_difference next =
                lwi_support_from(pair, d, start->point[i][0], start->point[i][1]);
            if (!has_point(w, n, next.w)) {
                w[n] = next.w;
                direction[n] = d;
                g->simplex.at[n++] = next;
            }
        }
    }
    if (n > 0) {
        const lwi_nearest r = lwi_nearest_of(w, n);
        keep(g, w, direction, &r);
    }
    return n > 0;
}

lwi_gjk lwi_gjk_run(const lwi_solid_pair *pair, lw_vec3 first, const lwi_gjk_limits *limits,
                    lw_distance_start *start)
{
    lwi_gjk g = {.lower = -HUGE_VAL, .simplex.n = 1, .simplex.weight[0] = 1.0};
    lw_vec3 w[4], direction[4];
    if (!start || !begin(pair, start, &g, w, direction)) {
        direction[0] = lw_unit3(lw_scale3(-1.0, first));
        g.simplex.at[0] = lwi_support_pair(pair, direction[0]);
        g.v = w[0] = g.simplex.at[0].w;
    }
    double vv = lw_dot3(g.v, g.v);
    int used = 0; // directions that the simplex has, were Newton's method not to replace it
    if (g.simplex.n == 4) {
        g.is_overlap = sqrt(vv) <= pair->rounding;
    }
    bool is_across = false; // since rounding has ended the first search
    // Nearer than this share of the distance, Newton's method has the rest.
    double good_start = limits->far == HUGE_VAL && lwi_has_curvature(pair) ? GOOD_START : 0.0;
    for (g.iterations = 1; g.iterations <= MOST_ITERATIONS && g.simplex.n < 4; ++g.iterations) {
        const double norm = sqrt(vv);
        if (norm <= limits->near) {
            break;
        }
        if (norm <= pair->rounding) {
            g.is_overlap = true;
            break;
        }
        const int n = g.simplex.n;
        const lw_vec3 along =
            is_across ? lw_unit3(across_points(w, n, g.v)) : lw_scale3(1.0 / norm, g.v);
        const lwi_difference next = lwi_support_pair(pair, lw_scale3(-1.0, along));
        const double gap = lw_dot3(along, next.w);
        const double enough = (norm > 1e-4 * pair->size ? LWI_CLOSE : CLOSER) * pair->size;
        const bool is_close = norm - gap <= enough; // then one direction proves both ends
        if (gap > g.lower || is_close) {
            g.lower = gap;
            g.normal = lw_scale3(-1.0, along);
        }
        if (is_close || g.lower > limits->far) {
            break;
        }
        if (norm - gap < good_start * norm) {
            const lw_vec3 on_a = lwi_simplex_point_a(&g.simplex), on_b = lw_sub3(on_a, g.v);
            const lwi_corners corners = lwi_corners_of(pair, &g.simplex);
            const lwi_near_points p = lwi_newton_points(pair, g.v, on_a, on_b, &corners, false);
            if (lw_norm3(p.v) - p.lower <= enough) {
                g.v = p.v;
                g.lower = p.lower;
                g.normal = p.normal;
                used = g.simplex.n;
                g.simplex = (lwi_simplex){1, {{.w = p.v, .a = p.a}}, {1.0}};
                break;
            }
            good_start *= 0.1;
        }
        w[n] = next.w;
        direction[n] = lw_scale3(-1.0, along);
        const lwi_nearest r = lwi_nearest_of(w, n + 1);
        if (has_point(w, n, next.w) || (r.counts != 15u && !(r.vv < vv))) {
            if (is_across) {
                break; // the interval tells how good the last one is
            }
            is_across = true;
            continue;
        }
        g.simplex.at[n] = next;
        keep(&g, w, direction, &r);
        vv = r.vv;
        if (r.counts == 15u) { // rounding may make a flat tetrahedron contain the origin
            g.is_overlap = sqrt(vv) <= pair->rounding;
            break;
        }
    }
    if (start) {
        start->n = used > 0 ? used : g.simplex.n;
        memcpy(start->direction, direction, (size_t)start->n * sizeof *direction);
        for (int i = 0; i < start->n; ++i) {
            memcpy(start->point[i], g.simplex.at[i].point, sizeof start->point[i]);
        }
    }
    return g;
}
