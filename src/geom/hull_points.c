// Points are added to a hull, each the farthest in a direction in which one of the others is
// outside, until none is.
#include "hull_points.h"

#include "enclose.h"
#include "support.h"

#define ENOUGH 1e-6 // of the size

static lw_vec3 scaled(const lw_mesh *mesh, lw_vec3 scale, int i)
{
    const lw_vec3 p = mesh->vertex[i];
    return lw_vec3_of(p.x * scale.x, p.y * scale.y, p.z * scale.z);
}

static lw_vec3 farthest(const lw_mesh *mesh, lw_vec3 scale, lw_vec3 way)
{
    lw_vec3 best = scaled(mesh, scale, 0);
    for (int i = 1; i < mesh->nvertex; ++i) {
        const lw_vec3 p = scaled(mesh, scale, i);
        best = lw_dot3(p, way) > lw_dot3(best, way) ? p : best;
    }
    return best;
}

// Returns whether it was new.
static bool add_point(lw_vec3 p, lw_solid *hull, lw_vec3 *point)
{
    for (int i = 0; i < hull->npoint; ++i) {
        if (point[i].x == p.x && point[i].y == p.y && point[i].z == p.z) {
            return false;
        }
    }
    point[hull->npoint++] = p;
    return true;
}

lw_solid lwi_hull_of_mesh(const lw_mesh *mesh, lw_vec3 scale, lw_vec3 *point,
                          lw_distance_work *work)
{
    const lw_pose here = lw_pose_identity();
    const lw_solid dot = lw_sphere(0.0);
    lw_solid hull = lw_hull(0, point);
    double size = 0.0, left = 0.0;
    for (int i = 0; i < 27; ++i) {
        const lw_vec3 way = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        add_point(farthest(mesh, scale, way), &hull, point);
        size = lwi_larger(size, lw_norm3(point[hull.npoint - 1]));
    }
    for (int i = 0; i < mesh->nvertex; ++i) {
        const lw_pose at = {here.R, scaled(mesh, scale, i)};
        lw_distance d = {.upper = HUGE_VAL};
        bool is_new = true;
        while (is_new && lw_find_distance(&hull, &here, &dot, &at, work, &d) == LW_OK &&
               d.upper > ENOUGH * size) {
            is_new = hull.npoint < mesh->nvertex &&
                     add_point(farthest(mesh, scale, d.normal), &hull, point);
            if (!is_new && hull.npoint < mesh->nvertex) { // rounding: the point itself then
                is_new = add_point(at.p, &hull, point);
            }
        }
        left = lwi_larger(left, d.upper);
    }
    hull.radius = left;
    return hull;
}
