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

typedef double two __attribute__((vector_size(16), aligned(8)));

// Heights of two points, from the three pairs of numbers that they are.
static inline two heights_of(const lw_vec3 *p, two dx, two dy, two dz)
{
    two u, v, w;
    memcpy(&u, &p[0].x, sizeof u);
    memcpy(&v, &p[0].z, sizeof v);
    memcpy(&w, &p[1].y, sizeof w);
    return (two){u[0], v[1]} * dx + (two){u[1], w[0]} * dy + (two){v[0], w[1]} * dz;
}

// Several heights at a time: none waits for the one before.
lw_vec3 lwi_farthest_point(const lw_solid *solid, lw_vec3 d)
{
    const lw_vec3 *p = solid->point;
    const two dx = {d.x, d.x}, dy = {d.y, d.y}, dz = {d.z, d.z};
    int best = 0, i = 0;
    double height = -HUGE_VAL;
    for (; i + 4 <= solid->npoint; i += 4) {
        const two x = heights_of(p + i, dx, dy, dz), y = heights_of(p + i + 2, dx, dy, dz);
        const double most = lwi_larger(lwi_larger(x[0], x[1]), lwi_larger(y[0], y[1]));
        if (most > height) {
            height = most;
            best = i + (x[0] == most ? 0 : x[1] == most ? 1 : y[0] == most ? 2 : 3);
        }
    }
    for (; i < solid->npoint; ++i) {
        const double x = lw_dot3(p[i], d);
        best = x > height ? i : best;
        height = lwi_larger(x, height);
    }
    return p[best];
}

static bool hull_has_size(const lw_solid *solid, double *size)
{
    double sum = 0.0, most = 0.0; // the sum is no number where one of them is not
    if (solid->npoint < 1 || !solid->point) {
        return false;
    }
    for (int i = 0; i < solid->npoint; ++i) {
        const double x = lw_dot3(solid->point[i], solid->point[i]);
        sum += x;
        most = lwi_larger(x, most);
    }
    *size = sqrt(most);
    return sum < 1e100;
}

bool lwi_has_size(const lw_solid *solid, double *size)
{
    const lw_vec3 h = solid->half;
    if (!lwi_is_length(h.x) || !lwi_is_length(h.y) || !lwi_is_length(h.z) ||
        !lwi_is_length(solid->radius)) {
        if (lw_check_solid(solid) != LW_OK) { // zeros may have a sign
            return false;
        }
    }
    switch (solid->core) {
    case LW_CORE_POINT:
    case LW_CORE_HALF_SPACE:
        *size = 0.0;
        return true;
    case LW_CORE_SEGMENT:
        *size = h.z;
        return true;
    case LW_CORE_BOX:
        *size = lw_norm3(h);
        return true;
    case LW_CORE_CYLINDER:
    case LW_CORE_CONE:
        *size = sqrt(h.x * h.x + h.z * h.z);
        return true;
    case LW_CORE_ELLIPSOID:
        *size = lwi_larger(lwi_larger(h.x, h.y), h.z);
        return true;
    case LW_CORE_HULL:
        return hull_has_size(solid, size);
    case LW_CORE_COUNT:
        break;
    }
    return false;
}

double lwi_core_size(const lw_solid *solid)
{
    double size = 0.0;
    lwi_has_size(solid, &size);
    return size;
}
