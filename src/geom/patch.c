// Where two solids touch along faces: the face of each in the direction of the other, as a polygon
// in the plane between them, and what both have in common (Sutherland and Hodgman 1974).
#include "support.h"

#include <float.h>

enum { MOST_FACE = 32, RIM = 32 };

typedef struct point2 {
    double x, y;
} point2;

/// Convex, counter-clockwise; of 1 or 2 points where it is a point or a segment.
typedef struct polygon {
    int n;
    point2 p[LW_PATCH_POINTS];
} polygon;

/// A plane with two axes, in the world.
typedef struct plane {
    lw_vec3 origin, u, v, n;
} plane;

static point2 in_plane(const plane *f, lw_vec3 p)
{
    const lw_vec3 d = lw_sub3(p, f->origin);
    return (point2){lw_dot3(f->u, d), lw_dot3(f->v, d)};
}

static double turn(point2 a, point2 b, point2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// The farthest of those points of a solid that are as high as the highest, within a slack, in a
// direction beside; in the frame of the solid.
static lw_vec3 face_corner(const lw_solid *s, lw_vec3 n, lw_vec3 beside, double slack)
{
    const double top = lw_dot3(n, lwi_support(s, n));
    lw_vec3 best = lwi_support(s, n);
    for (int i = 0; s->core == LW_CORE_HULL && i < s->npoint; ++i) {
        const lw_vec3 p = s->point[i];
        best =
            lw_dot3(n, p) >= top - slack && lw_dot3(beside, p) > lw_dot3(beside, best) ? p : best;
    }
    // Of other cores: turned a little, by as much as the slack allows.
    const double size = lwi_core_size(s), tilt = size > 0.0 ? 0.5 * slack / size : 0.0;
    if (s->core != LW_CORE_HULL) {
        const lw_vec3 p = lwi_support(s, lw_add3(n, lw_scale3(tilt, beside)));
        best = lw_dot3(n, p) >= top - slack ? p : best;
    }
    return best;
}

// The face in a direction (of the world), as corners in the plane.
static void find_face(const lw_solid *s, const lw_pose *X, const plane *f, lw_vec3 n, double slack,
                      polygon *out)
{
    const lw_vec3 own = lw_rotate_back(&X->R, n);
    out->n = 0;
    for (int i = 0; i < RIM; ++i) {
        const double angle = 2.0 * 3.14159265358979323846 * (i + 0.31) / RIM;
        const lw_vec3 way = lw_add3(lw_scale3(cos(angle), f->u), lw_scale3(sin(angle), f->v));
        const lw_vec3 at = face_corner(s, own, lw_rotate_back(&X->R, way), slack);
        const point2 p = in_plane(f, lw_pose_apply(X, at));
        bool is_new = true;
        for (int k = 0; k < out->n; ++k) {
            is_new = is_new && hypot(out->p[k].x - p.x, out->p[k].y - p.y) > slack;
        }
        if (is_new) { // in the order of the directions: counter-clockwise
            out->p[out->n++] = p;
        }
    }
}

static void clip(polygon *a, point2 p, point2 q)
{
    polygon out = {.n = 0};
    for (int i = 0; i < a->n; ++i) {
        const point2 x = a->p[i], y = a->p[(i + 1) % a->n];
        const double s = turn(p, q, x), t = turn(p, q, y);
        if (s >= 0.0 && out.n < LW_PATCH_POINTS) {
            out.p[out.n++] = x;
        }
        if (((s < 0.0 && t > 0.0) || (s > 0.0 && t < 0.0)) && out.n < LW_PATCH_POINTS) {
            const double share = s / (s - t);
            out.p[out.n++] = (point2){x.x + share * (y.x - x.x), x.y + share * (y.y - x.y)};
        }
    }
    *a = out;
}

static double area_of(const polygon *a)
{
    double sum = 0.0;
    for (int i = 2; i < a->n; ++i) {
        sum += 0.5 * turn(a->p[0], a->p[i - 1], a->p[i]);
    }
    return sum;
}

lw_status lw_find_patch(const lw_solid *a, const lw_pose *X_a, const lw_solid *b,
                        const lw_pose *X_b, const lw_distance *distance, double slack,
                        lw_contact_patch *patch)
{
    lw_status status = a && X_a && b && X_b && distance && patch ? LW_OK : LW_ERR_ARGUMENT;
    status = status == LW_OK ? lw_check_solid(a) : status;
    status = status == LW_OK ? lw_check_solid(b) : status;
    if (status != LW_OK || !(slack > 0.0) || !isfinite(slack)) {
        return status == LW_OK ? LW_ERR_ARGUMENT : status;
    }
    const lw_vec3 n = distance->normal;
    const lw_vec3 x = {fabs(n.x) <= fabs(n.y) && fabs(n.x) <= fabs(n.z),
                       fabs(n.y) < fabs(n.x) && fabs(n.y) <= fabs(n.z),
                       fabs(n.z) < fabs(n.x) && fabs(n.z) < fabs(n.y)};
    plane f = {.n = n, .u = lw_unit3(lw_cross3(n, x))};
    f.origin = lw_scale3(0.5, lw_add3(distance->point[0], distance->point[1]));
    f.v = lw_cross3(n, f.u);
    polygon side[2] = {{.n = 0}, {.n = 0}};
    const bool is_plane[2] = {a->core == LW_CORE_HALF_SPACE, b->core == LW_CORE_HALF_SPACE};
    find_face(a, X_a, &f, n, slack, &side[0]);
    find_face(b, X_b, &f, lw_scale3(-1.0, n), slack, &side[1]);
    // What has an area cuts the other.
    const int cuts = side[0].n >= side[1].n ? 0 : 1;
    polygon *common = is_plane[0] ? &side[1] : is_plane[1] ? &side[0] : &side[1 - cuts];
    for (int i = 0; !is_plane[0] && !is_plane[1] && side[cuts].n >= 3 && i < side[cuts].n; ++i) {
        clip(common, side[cuts].p[i], side[cuts].p[(i + 1) % side[cuts].n]);
    }
    *patch = (lw_contact_patch){.normal = n};
    if (side[cuts].n < 3 && !is_plane[0] && !is_plane[1]) { // edges and corners
        common->n = 1;
        common->p[0] = (point2){0.0, 0.0};
    }
    patch->area = lwi_larger(area_of(common), 0.0);
    for (int i = 0; i < common->n; ++i) {
        bool is_new = true; // a segment comes back from a cut with an end twice
        for (int k = 0; k < i; ++k) {
            is_new = is_new && hypot(common->p[i].x - common->p[k].x,
                                     common->p[i].y - common->p[k].y) > 0.1 * slack;
        }
        if (!is_new) {
            continue;
        }
        patch->point[patch->npoint++] = lw_add3(
            f.origin, lw_add3(lw_scale3(common->p[i].x, f.u), lw_scale3(common->p[i].y, f.v)));
    }
    return LW_OK;
}
