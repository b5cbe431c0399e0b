// Convex solids: their measures, and their farthest points.
#include "support.h"

#include <math.h>

lw_solid lw_sphere(double radius)
{
    return (lw_solid){.core = LW_CORE_POINT, .radius = radius};
}

lw_solid lw_capsule(double radius, double length)
{
    return (lw_solid){.core = LW_CORE_SEGMENT, .half.z = 0.5 * length, .radius = radius};
}

lw_solid lw_box(lw_vec3 size)
{
    return (lw_solid){.core = LW_CORE_BOX, .half = lw_scale3(0.5, size)};
}

lw_solid lw_cylinder(double radius, double length)
{
    return (lw_solid){.core = LW_CORE_CYLINDER, .half = {radius, radius, 0.5 * length}};
}

lw_solid lw_cone(double radius, double length)
{
    return (lw_solid){.core = LW_CORE_CONE, .half = {radius, radius, 0.5 * length}};
}

lw_solid lw_ellipsoid(lw_vec3 radii)
{
    return (lw_solid){.core = LW_CORE_ELLIPSOID, .half = radii};
}

lw_solid lw_hull(int npoint, const lw_vec3 *point)
{
    return (lw_solid){.core = LW_CORE_HULL, .npoint = npoint, .point = point};
}

lw_solid lw_half_space(void)
{
    return (lw_solid){.core = LW_CORE_HALF_SPACE};
}

// Products of six lengths must not overflow.
static lw_status check_length(double x)
{
    return !(fabs(x) < 1e50) ? LW_ERR_NUMBER : x < 0.0 ? LW_ERR_ARGUMENT : LW_OK;
}

lw_status lw_check_solid(const lw_solid *solid)
{
    if (!solid || (unsigned)solid->core >= LW_CORE_COUNT ||
        (solid->core == LW_CORE_HULL && (solid->npoint < 1 || !solid->point))) {
        return LW_ERR_ARGUMENT;
    }
    const double length[] = {solid->half.x, solid->half.y, solid->half.z, solid->radius};
    for (int i = 0; i < 4; ++i) {
        const lw_status status = check_length(length[i]);
        if (status != LW_OK) {
            return status;
        }
    }
    for (int i = 0; solid->core == LW_CORE_HULL && i < solid->npoint; ++i) {
        const lw_vec3 p = solid->point[i];
        if (check_length(fabs(p.x)) || check_length(fabs(p.y)) || check_length(fabs(p.z))) {
            return LW_ERR_NUMBER;
        }
    }
    return LW_OK;
}

// The point of a disc of radius r about z at a height, in a direction.
static lw_vec3 rim(double r, lw_vec3 d, double height)
{
    const double across = sqrt(d.x * d.x + d.y * d.y);
    const double scale = across > 0.0 ? r / across : 0.0;
    return lw_vec3_of(scale * d.x, scale * d.y, height);
}

static lw_vec3 farthest_point(const lw_solid *solid, lw_vec3 d)
{
    int best = 0;
    double height = -HUGE_VAL;
    for (int i = 0; i < solid->npoint; ++i) {
        const double x = lw_dot3(solid->point[i], d);
        if (x > height) {
            height = x;
            best = i;
        }
    }
    return solid->point[best];
}

lw_vec3 lwi_support(const lw_solid *solid, lw_vec3 d)
{
    const lw_vec3 h = solid->half;
    switch (solid->core) {
    case LW_CORE_SEGMENT:
        return lw_vec3_of(0.0, 0.0, d.z < 0.0 ? -h.z : h.z);
    case LW_CORE_BOX:
        return lw_vec3_of(d.x < 0.0 ? -h.x : h.x, d.y < 0.0 ? -h.y : h.y, d.z < 0.0 ? -h.z : h.z);
    case LW_CORE_CYLINDER:
        return rim(h.x, d, d.z < 0.0 ? -h.z : h.z);
    case LW_CORE_CONE: {
        const lw_vec3 base = rim(h.x, d, -h.z);
        return lw_dot3(base, d) > h.z * d.z ? base : lw_vec3_of(0.0, 0.0, h.z);
    }
    case LW_CORE_ELLIPSOID: {
        const lw_vec3 s = {h.x * d.x, h.y * d.y, h.z * d.z};
        const double norm = lw_norm3(s);
        const double scale = norm > 0.0 ? 1.0 / norm : 0.0;
        return lw_vec3_of(scale * h.x * s.x, scale * h.y * s.y, scale * h.z * s.z);
    }
    case LW_CORE_HULL:
        return farthest_point(solid, d);
    case LW_CORE_POINT:
    case LW_CORE_HALF_SPACE: // has none but along z; its pairs are solved without
    case LW_CORE_COUNT:
        break;
    }
    return lw_vec3_of(0.0, 0.0, 0.0);
}

double lwi_core_size(const lw_solid *solid)
{
    if (solid->core == LW_CORE_HULL) {
        double size = 0.0;
        for (int i = 0; i < solid->npoint; ++i) {
            size = fmax(size, lw_norm3(solid->point[i]));
        }
        return size;
    }
    if (solid->core == LW_CORE_ELLIPSOID) {
        return fmax(fmax(solid->half.x, solid->half.y), solid->half.z);
    }
    const bool is_round = solid->core == LW_CORE_CYLINDER || solid->core == LW_CORE_CONE;
    return lw_norm3(lw_vec3_of(solid->half.x, is_round ? 0.0 : solid->half.y, solid->half.z));
}

lwi_difference lwi_support_pair(const lwi_solid_pair *pair, lw_vec3 d)
{
    const lw_vec3 a = lwi_support(pair->a, d);
    const lw_vec3 back = lw_rotate_back(&pair->X.R, lw_scale3(-1.0, d));
    const lw_vec3 b = lw_pose_apply(&pair->X, lwi_support(pair->b, back));
    return (lwi_difference){lw_sub3(a, b), a};
}
