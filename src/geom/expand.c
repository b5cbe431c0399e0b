#include "expand.h"

#include <math.h>

enum { MOST_POINTS = 160, MOST_FACES = 2 * MOST_POINTS, MOST_EDGES = MOST_FACES };

#define CLOSE_ENOUGH 2e-11 // of the size: the depth of curved cores is approached by many points

typedef struct face {
    int at[3];       ///< counter-clockwise from outside
    lw_vec3 normal;  ///< outward, of unit length
    double distance; ///< of its plane from the origin
    double error;    ///< of the distance, by rounding: large for a sliver that the origin is beside
} face;

typedef struct polytope {
    int npoint, nface;
    lwi_difference point[MOST_POINTS];
    face face[MOST_FACES];
    lw_vec3 inside;  ///< a point within all faces
    double rounding; ///< of the points
    int edge[MOST_EDGES][2];
} polytope;

_Static_assert(sizeof(polytope) <= sizeof(lw_distance_work), "work space of a distance");

// A unit vector across another one.
static lw_vec3 across(lw_vec3 v)
{
    const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    const lw_vec3 least = x <= y && x <= z ? lw_vec3_of(1, 0, 0)
                          : y <= z         ? lw_vec3_of(0, 1, 0)
                                           : lw_vec3_of(0, 0, 1);
    return lw_unit3(lw_cross3(v, least));
}

// A direction that leaves the flat through the points, of unit length.
static lw_vec3 leaves(const lwi_difference *at, int n, int turn)
{
    if (n == 1) {
        return lw_vec3_of(turn == 0, turn == 1, turn == 2);
    }
    const lw_vec3 u = lw_sub3(at[1].w, at[0].w);
    if (n == 2) {
        const lw_vec3 s = across(u);
        return turn == 0 ? s : lw_unit3(lw_cross3(u, s));
    }
    return lw_unit3(lw_cross3(u, lw_sub3(at[2].w, at[0].w)));
}

// Adds points to the simplex until it has a volume. False where the difference has none: it is flat
// along `depth->normal`.
static bool fill(const lwi_solid_pair *pair, lwi_simplex *s, lwi_depth *depth)
{
    while (s->n < 4) {
        bool is_added = false;
        for (int turn = 0; turn < 4 - s->n && !is_added; ++turn) {
            const lw_vec3 n = leaves(s->at, s->n, turn);
            const lwi_difference side[2] = {lwi_support_pair(pair, n),
                                            lwi_support_pair(pair, lw_scale3(-1.0, n))};
            const double height[2] = {lw_dot3(n, lw_sub3(side[0].w, s->at[0].w)),
                                      -lw_dot3(n, lw_sub3(side[1].w, s->at[0].w))};
            const int higher = height[1] > height[0];
            if (height[higher] > pair->rounding) {
                s->at[s->n++] = side[higher];
                is_added = true;
            } else {
                depth->normal = n;
            }
        }
        if (!is_added) {
            return false;
        }
    }
    return true;
}

// False where the three points are in a line.
static bool add_face(polytope *p, int i, int j, int k)
{
    if (p->nface == MOST_FACES) {
        return false;
    }
    const lw_vec3 a = p->point[i].w, b = p->point[j].w, c = p->point[k].w;
    lw_vec3 n = lw_cross3(lw_sub3(b, a), lw_sub3(c, a));
    const double norm = lw_norm3(n);
    if (!(norm > 0.0)) {
        return false;
    }
    n = lw_scale3(1.0 / norm, n);
    const bool is_inward = lw_dot3(n, lw_sub3(p->inside, a)) > 0.0;
    n = is_inward ? lw_scale3(-1.0, n) : n;
    const double distance = lw_dot3(n, a);
    const double edge =
        fmax(lw_norm3(lw_sub3(b, a)), fmax(lw_norm3(lw_sub3(c, b)), lw_norm3(lw_sub3(a, c))));
    const double beside = lw_norm3(lw_sub3(a, lw_scale3(distance, n))) + edge;
    p->face[p->nface++] = (face){{i, is_inward ? k : j, is_inward ? j : k},
                                 n,
                                 distance,
                                 p->rounding * (1.0 + beside * edge / norm)};
    return true;
}

// The nearest face, and how near any of them is at the least.
static int nearest_face(const polytope *p, double *least)
{
    int best = 0;
    *least = HUGE_VAL;
    for (int f = 0; f < p->nface; ++f) {
        if (p->face[f].distance < p->face[best].distance) {
            best = f;
        }
        *least = fmin(*least, p->face[f].distance - p->face[f].error);
    }
    return best;
}

// Removes the faces that are seen from a new point, and connects it with the edges around them.
// False where rounding leaves no closed surface, or memory is at its end.
static bool add_point(polytope *p, const lwi_difference *point, double tolerance)
{
    int(*edge)[2] = p->edge;
    int nedge = 0, kept = 0;
    if (p->npoint == MOST_POINTS) {
        return false;
    }
    for (int f = 0; f < p->nface; ++f) {
        const face *seen = &p->face[f];
        if (lw_dot3(seen->normal, point->w) - seen->distance <= tolerance) {
            p->face[kept++] = *seen;
            continue;
        }
        for (int i = 0; i < 3; ++i) {
            const int from = seen->at[i], to = seen->at[(i + 1) % 3];
            int same = 0;
            while (same < nedge && (edge[same][0] != to || edge[same][1] != from)) {
                ++same;
            }
            if (same < nedge) { // between two faces that are both seen
                edge[same][0] = edge[nedge - 1][0];
                edge[same][1] = edge[--nedge][1];
            } else if (nedge == MOST_EDGES) {
                return false;
            } else {
                edge[nedge][0] = from;
                edge[nedge++][1] = to;
            }
        }
    }
    if (nedge < 3) {
        return false;
    }
    p->nface = kept;
    p->point[p->npoint++] = *point;
    for (int e = 0; e < nedge; ++e) {
        if (!add_face(p, edge[e][0], edge[e][1], p->npoint - 1)) {
            return false;
        }
    }
    return true;
}

// The point of a face nearest to the origin, on core a.
static lw_vec3 point_on_a(const polytope *p, const face *f)
{
    lwi_simplex s = {.n = 3};
    const lw_vec3 at_face = lw_scale3(f->distance, f->normal);
    for (int i = 0; i < 3; ++i) {
        s.at[i] = p->point[f->at[i]];
        s.at[i].w = lw_sub3(s.at[i].w, at_face);
    }
    lwi_simplex_nearest(&s);
    return lwi_simplex_point_a(&s);
}

lwi_depth lwi_find_depth(const lwi_solid_pair *pair, const lwi_simplex *simplex,
                         lw_distance_work *work)
{
    lwi_depth depth = {.inner = -HUGE_VAL, .outer = HUGE_VAL};
    lwi_simplex s = *simplex;
    if (!fill(pair, &s, &depth)) {
        depth.outer = lw_dot3(lwi_support_pair(pair, depth.normal).w, depth.normal);
        const lw_vec3 back = lw_scale3(-1.0, depth.normal);
        const double other = lw_dot3(lwi_support_pair(pair, back).w, back);
        if (other < depth.outer) {
            depth.outer = other;
            depth.normal = back;
        }
        depth.point_a = lwi_simplex_point_a(simplex);
        return depth;
    }
    polytope *p = (polytope *)(void *)work->memory;
    p->npoint = 4;
    p->nface = 0;
    p->rounding = 0.25 * pair->rounding;
    p->inside = lw_vec3_of(0.0, 0.0, 0.0);
    for (int i = 0; i < 4; ++i) {
        p->point[i] = s.at[i];
        p->inside = lw_add3(p->inside, lw_scale3(0.25, s.at[i].w));
    }
    bool is_sound = true;
    for (int i = 0; i < 4; ++i) {
        is_sound = is_sound && add_face(p, i, (i + 1) % 4, (i + 2) % 4);
    }
    while (is_sound) {
        ++depth.iterations;
        double least;
        const face near = p->face[nearest_face(p, &least)];
        const lwi_difference w = lwi_support_pair(pair, near.normal);
        const double height = lw_dot3(w.w, near.normal);
        depth.inner = fmax(least, depth.inner);
        if (height < depth.outer) {
            depth.outer = height;
            depth.normal = near.normal;
            depth.point_a = point_on_a(p, &near);
        }
        if (depth.outer - depth.inner <= CLOSE_ENOUGH * pair->size) {
            break;
        }
        is_sound = add_point(p, &w, 0.1 * pair->rounding);
    }
    return depth;
}
