// A local minimum of the depth is one over a whole cone of directions, if the cores bulge enough
// there. Let h(n) be how far a core reaches along n, which is convex and grows with the length of
// n, and p a point of the core. For x across n, shorter than d,
//
//     h(n + x) >= p . (n + x) + x M x / 2,
//
// where M holds while the core is as round as at p, or p is within a flat or an edge of it: a rim
// of radius r, e along it and q the part of n in its plane, adds r / (q + d) e e; an edge along e
// that goes on for k to both sides 2 k / d e e; an ellipsoid is a ball that was stretched. Both
// cores together reach w . (n + x) + x M x / 2 with w = f n + g. Where no direction has less of M
// than f + m, that is at least (f - g g / (2 m)) |n + x|: so deep they overlap in the whole cone.
#include "deep_cone.h"

#include <math.h>

enum { MOST_BULGES = 6, STEPS = 20 };

#define WIDEST 1.0 // d; the narrowest is that divided by 2^(STEPS / 2)
#define SURE 0.98  // of d: more than rounding turns what is compared with the cone
#define LEAST_ROOM 1e-3
#define LEAST_PART 1e-9    // of an edge: a point that is nearer to the end is at it
#define ON_SIDE 0.1        // share of a cone's rim that its side takes
#define CLOSE_ENOUGH 3e-11 // of the size: to the depth along the normal alone
#define ON_EDGE 1e-12      // of the size: what a point off an edge or a flat loses

/// M is the sum of along along^T top / (q + grow d).
typedef struct bulge {
    lw_vec3 along;
    double top, q, grow;
} bulge;

typedef struct both_cores {
    bulge of[MOST_BULGES];
    int n;
    double lost; ///< of the depth
} both_cores;

static void add_bulge(both_cores *c, const lw_pose *X, lw_vec3 along, double top, double q,
                      double grow)
{
    if (c->n < MOST_BULGES && top > 0.0) {
        c->of[c->n++] = (bulge){X ? lw_rotate(&X->R, along) : along, top, q, grow};
    }
}

// An edge of half length h along an axis: where the point is, and what bulges.
static double along_edge(both_cores *c, const lw_pose *X, lw_vec3 axis, double h, double d,
                         double at, double least)
{
    const double room = h - fabs(at), lost = room * fabs(d);
    if (!(room > LEAST_PART * h) || lost > least) {
        return copysign(h, d);
    }
    c->lost += lost;
    add_bulge(c, X, axis, 2.0 * room, 0.0, 1.0);
    return at;
}

// A disc that is h.x wide and has the point within.
static bool add_disc(both_cores *c, const lw_pose *X, double room, double h, double lost,
                     double least)
{
    if (!(room > LEAST_PART * h) || lost > least) {
        return false;
    }
    c->lost += lost;
    add_bulge(c, X, lw_vec3_of(1, 0, 0), 2.0 * room, 0.0, 1.0);
    add_bulge(c, X, lw_vec3_of(0, 1, 0), 2.0 * room, 0.0, 1.0);
    return true;
}

// The rim bulges as that of a cylinder. At a part t of the line f from there to the tip, let D be
// how much higher the tip is than the rim along n + x, and Q x M x / 2 of the rim. The higher one
// of both is (1 - t) Q + max(-t (D - Q), (1 - t) (D - Q)) above the point, and the latter no less
// than any share of min(t, 1 - t) (|f . x| - |f . n| - Q): an edge along f, for some of the rim's
// Q.
static lw_vec3 bulges_of_cone(both_cores *c, lw_vec3 h, const lw_pose *X, lw_vec3 d, lw_vec3 at,
                              double least)
{
    const double q = sqrt(d.x * d.x + d.y * d.y), t = 0.5 + 0.5 * at.z / h.z;
    const double room = h.x - sqrt(at.x * at.x + at.y * at.y);
    const lw_vec3 rim = lwi_rim(h.x, d, -h.z), tip = {0.0, 0.0, h.z}, f = lw_sub3(tip, rim);
    const double edge = ON_SIDE * lwi_smaller(t, 1.0 - t), lost = edge * fabs(lw_dot3(f, d));
    if (!(t > LEAST_PART) && add_disc(c, X, room, h.x, room * q, least)) {
        return lw_vec3_of(at.x, at.y, -h.z);
    }
    const bool is_side = edge > LEAST_PART && lost <= least;
    if (!is_side && lw_dot3(f, d) > 0.0) {
        return tip;
    }
    if (q > 0.0) {
        add_bulge(c, X, lw_vec3_of(-d.y / q, d.x / q, 0.0), is_side ? (1.0 - t - edge) * h.x : h.x,
                  q, 1.0);
    }
    if (!is_side) {
        return rim;
    }
    c->lost += lost;
    add_bulge(c, X, lw_unit3(f), 2.0 * edge * lw_norm3(f), 0.0, 1.0);
    return lw_add3(rim, lw_scale3(t, f));
}

// An edge of a hull as one of a box, and in a face the largest disc about the point.
static lw_vec3 bulges_of_hull(both_cores *c, const lw_solid *core, const lwi_corners *corners,
                              const lw_pose *X, lw_vec3 d, lw_vec3 at, double least)
{
    const lw_vec3 from = corners->at[0];
    if (corners->n == 1) {
        return from;
    }
    const lw_vec3 p = lw_sub3(at, from), e = lw_sub3(corners->at[1], from), u = lw_unit3(e);
    if (corners->n == 2) {
        const double t = lw_dot3(p, u), room = lwi_smaller(t, lw_norm3(e) - t);
        const double lost = room * fabs(lw_dot3(u, d));
        if (!(room > LEAST_PART * lw_norm3(e)) || lost > least) {
            return lwi_support(core, d);
        }
        c->lost += lost;
        add_bulge(c, X, u, 2.0 * room, 0.0, 1.0);
        return lw_add3(from, lw_scale3(t, u));
    }
    const lw_vec3 f = lw_sub3(corners->at[2], from), g = lw_cross3(e, f);
    const double gg = lw_dot3(g, g), twice = sqrt(gg);
    const double s = lw_dot3(lw_cross3(p, f), g) / gg, t = lw_dot3(lw_cross3(e, p), g) / gg;
    const double beside = lwi_smaller(s / lw_norm3(f), t / lw_norm3(e));
    const double room = twice * lwi_smaller(beside, (1.0 - s - t) / lw_norm3(lw_sub3(f, e)));
    const double lost = room * lw_norm3(lw_cross3(g, d)) / twice;
    if (!(room > LEAST_PART * lw_norm3(e)) || !(lost <= least)) {
        return lwi_support(core, d);
    }
    c->lost += lost;
    add_bulge(c, X, u, 2.0 * room, 0.0, 1.0);
    add_bulge(c, X, lw_scale3(1.0 / twice, lw_cross3(g, u)), 2.0 * room, 0.0, 1.0);
    return lw_add3(from, lw_add3(lw_scale3(s, e), lw_scale3(t, f)));
}

// A point of a core that is farthest along d, or nearly so, and what bulges about it.
static lw_vec3 bulges_of(both_cores *c, const lw_solid *core, const lwi_corners *corners,
                         const lw_pose *X, lw_vec3 d, lw_vec3 at, double least)
{
    const lw_vec3 h = core->half, x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    switch (core->core) {
    case LW_CORE_SEGMENT:
        return lw_vec3_of(0.0, 0.0, along_edge(c, X, z, h.z, d.z, at.z, least));
    case LW_CORE_BOX: {
        const double p = along_edge(c, X, x, h.x, d.x, at.x, least);
        const double q = along_edge(c, X, y, h.y, d.y, at.y, least);
        return lw_vec3_of(p, q, along_edge(c, X, z, h.z, d.z, at.z, least));
    }
    case LW_CORE_CYLINDER: {
        const double q = sqrt(d.x * d.x + d.y * d.y);
        const double room = h.x - sqrt(at.x * at.x + at.y * at.y);
        const double height = along_edge(c, X, z, h.z, d.z, at.z, least);
        if (add_disc(c, X, room, h.x, room * q, least)) { // within its cap
            return lw_vec3_of(at.x, at.y, height);
        }
        if (q > 0.0) {
            add_bulge(c, X, lw_vec3_of(-d.y / q, d.x / q, 0.0), h.x, q, 1.0);
        }
        return lwi_rim(h.x, d, height);
    }
    case LW_CORE_ELLIPSOID: {
        const lw_vec3 s = {h.x * d.x, h.y * d.y, h.z * d.z};
        const double norm = lw_norm3(s), most = lwi_larger(lwi_larger(h.x, h.y), h.z);
        if (norm > 0.0) {
            const lw_vec3 u = lw_scale3(1.0 / norm, s);
            const lw_vec3 p = lw_unit3(lw_cross3(u, fabs(u.x) < 0.6 ? x : y)), q = lw_cross3(u, p);
            add_bulge(c, X, lw_vec3_of(h.x * p.x, h.y * p.y, h.z * p.z), 1.0, norm, most);
            add_bulge(c, X, lw_vec3_of(h.x * q.x, h.y * q.y, h.z * q.z), 1.0, norm, most);
        }
        return lwi_support(core, d);
    }
    case LW_CORE_CONE:
        return bulges_of_cone(c, h, X, d, at, least);
    case LW_CORE_HULL:
        return bulges_of_hull(c, core, corners, X, d, at, least);
    default:
        return lwi_support(core, d);
    }
}

// The least of M across the normal, for directions up to d from it.
static double least_bulge(const both_cores *c, lw_vec3 u, lw_vec3 v, double d)
{
    double uu = 0.0, uv = 0.0, vv = 0.0;
    for (int i = 0; i < c->n; ++i) {
        const bulge *b = &c->of[i];
        const double m = b->top / (b->q + b->grow * d);
        const double x = lw_dot3(b->along, u), y = lw_dot3(b->along, v);
        uu += m * x * x;
        uv += m * x * y;
        vv += m * y * y;
    }
    const double half = 0.5 * (uu - vv);
    return 0.5 * (uu + vv) - sqrt(half * half + uv * uv);
}

lwi_deep_cone lwi_deep_cone_about(const lwi_solid_pair *pair, const lwi_near_points *deepest,
                                  const lwi_corners *corners)
{
    lwi_deep_cone cone = {.normal = deepest->normal, .depth = -HUGE_VAL, .cosine = 2.0};
    const lw_vec3 n = deepest->normal, on_b = lw_sub3(deepest->a, deepest->v);
    const double least = ON_EDGE * pair->size;
    both_cores c = {.n = 0};
    const lw_vec3 a = bulges_of(&c, pair->a, NULL, NULL, n, deepest->a, least);
    const lw_vec3 b =
        bulges_of(&c, pair->b, corners, &pair->X, lw_rotate_back(&pair->X.R, lw_scale3(-1.0, n)),
                  lw_rotate_back(&pair->X.R, lw_sub3(on_b, pair->X.p)), least);
    const lw_vec3 w = lw_sub3(a, lw_pose_apply(&pair->X, b));
    const double f = lw_dot3(w, n) - c.lost;
    const lw_vec3 g = lw_sub3(w, lw_scale3(lw_dot3(w, n), n));
    const lw_vec3 u =
        lw_unit3(lw_cross3(n, fabs(n.x) < 0.6 ? lw_vec3_of(1, 0, 0) : lw_vec3_of(0, 1, 0)));
    const lw_vec3 v = lw_cross3(n, u);
    double d = WIDEST;
    for (int i = 0; i < STEPS && f > 0.0; ++i, d *= 0.70710678118654752) {
        const double more = least_bulge(&c, u, v, d) - f;
        const double depth = f - lw_dot3(g, g) / (2.0 * more);
        if (more > LEAST_ROOM * f && depth >= -deepest->lower - CLOSE_ENOUGH * pair->size) {
            cone.depth = depth;
            cone.cosine = 1.0 / sqrt(1.0 + SURE * d * SURE * d);
            break;
        }
    }
    return cone;
}
