// The distance from a convex solid is a convex function: over another solid it is largest at a
// corner, at the end of a segment, or on a rim.
#include "enclose.h"

#include "box_tree.h"
#include "support.h"

#include <float.h>

enum { RIM_POINTS = 64, MOST_CORNERS = 2 * RIM_POINTS };

double lwi_point_outside(const lw_solid *outer, lw_vec3 p, lw_distance_work *work)
{
    const lw_solid point = lw_sphere(0.0);
    const lw_pose here = lw_pose_identity(), at = {here.R, p};
    lw_distance d;
    return lw_find_distance(outer, &here, &point, &at, work, &d) == LW_OK ? d.upper : HUGE_VAL;
}

// A rim about z as a polygon.
static int add_rim(double radius, double height, bool is_around, lw_vec3 *corner)
{
    const double pi = 3.14159265358979323846;
    const double r = is_around ? radius / cos(pi / RIM_POINTS) * (1.0 + 1e-15) : radius;
    for (int i = 0; i < RIM_POINTS; ++i) {
        const double angle = 2.0 * pi * i / RIM_POINTS;
        corner[i] = lw_vec3_of(r * cos(angle), r * sin(angle), height);
    }
    return RIM_POINTS;
}

// Corners of a core but a hull's; an ellipsoid has those of the box around it.
static int corners_of(const lw_solid *s, bool is_around, lw_vec3 *corner)
{
    const lw_vec3 h = s->half;
    int n = 0;
    switch (s->core) {
    case LW_CORE_SEGMENT:
        corner[n++] = lw_vec3_of(0.0, 0.0, h.z);
        corner[n++] = lw_vec3_of(0.0, 0.0, -h.z);
        return n;
    case LW_CORE_BOX:
    case LW_CORE_ELLIPSOID:
        for (; n < 8; ++n) {
            corner[n] = lw_vec3_of(n & 1 ? h.x : -h.x, n & 2 ? h.y : -h.y, n & 4 ? h.z : -h.z);
        }
        return n;
    case LW_CORE_CYLINDER:
        n = add_rim(h.x, h.z, is_around, corner);
        return n + add_rim(h.x, -h.z, is_around, &corner[n]);
    case LW_CORE_CONE:
        corner[n++] = lw_vec3_of(0.0, 0.0, h.z);
        return n + add_rim(h.x, -h.z, is_around, &corner[n]);
    default:
        corner[n++] = lw_vec3_of(0.0, 0.0, 0.0);
        return n;
    }
}

double lwi_solid_outside(const lw_solid *outer, const lw_pose *X_outer, const lw_solid *inner,
                         const lw_pose *X_inner, bool is_around, lw_distance_work *work)
{
    lw_vec3 room[MOST_CORNERS + 1];
    const bool is_hull = inner->core == LW_CORE_HULL;
    const int n = is_hull ? inner->npoint : corners_of(inner, is_around, room);
    const lw_vec3 *corner = is_hull ? inner->point : room;
    double most = -HUGE_VAL;
    for (int i = 0; i < n; ++i) {
        const lw_vec3 p = lw_sub3(lw_pose_apply(X_inner, corner[i]), X_outer->p);
        most = lwi_larger(most, lwi_point_outside(outer, lw_rotate_back(&X_outer->R, p), work));
    }
    return most + inner->radius;
}

void lwi_solid_box(const lw_solid *solid, const lw_pose *X, lw_vec3 *low, lw_vec3 *high)
{
    const lw_vec3 axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    *low = *high = lw_pose_apply(X, lwi_support(solid, lw_vec3_of(1.0, 0.0, 0.0)));
    for (int i = 0; i < 6; ++i) {
        const lw_vec3 d = lw_scale3(i & 1 ? -1.0 : 1.0, axis[i / 2]);
        lwi_grow_box(low, high, lw_pose_apply(X, lwi_support(solid, lw_rotate_back(&X->R, d))));
    }
    const double more =
        solid->radius + 8.0 * DBL_EPSILON * (lwi_core_size(solid) + lw_norm3(X->p) + solid->radius);
    *low = lw_sub3(*low, lw_vec3_of(more, more, more));
    *high = lw_add3(*high, lw_vec3_of(more, more, more));
}
