#include "wheel_pair.h"

#include <math.h>

lw_vec3 lwi_z_axis(const lw_mat3 *R)
{
    return lw_vec3_of(R->row[0].z, R->row[1].z, R->row[2].z);
}

// The part of a vector across a unit vector.
static lw_vec3 across(lw_vec3 a, lw_vec3 unit)
{
    return lw_sub3(a, lw_scale3(lw_dot3(a, unit), unit));
}

static lw_vec3 between(lw_vec3 a, lw_vec3 b, double share)
{
    return lw_add3(a, lw_scale3(share, lw_sub3(b, a)));
}

// Wheels on parallel axes lie in one plane: that of the first. Only the ratio of the sizes counts,
// so their size follows from the distance of the axes.
static void find_parallel(lwi_wheel_pair *pair, const lw_gear_info *gear)
{
    const lw_vec3 u = lwi_z_axis(&pair->X[0].R);
    const lw_vec3 way = across(lw_sub3(pair->X[1].p, pair->X[0].p), u);
    const double distance = lw_norm3(way), *size = gear->size;
    pair->X[1].p = lw_add3(pair->X[0].p, way);
    if (!(distance > 0)) {
        return;
    }
    const lw_vec3 e = lw_scale3(1 / distance, way);
    double scale = 1, contact = 0.5 * distance;
    if (gear->type == LW_GEAR_SPUR) {
        scale = distance / (size[0] + size[1]);
        contact = scale * size[0];
    } else if (gear->type == LW_GEAR_INTERNAL) {
        scale = distance / fabs(size[1] - size[0]);
        contact = size[0] > size[1] ? scale * size[0] : -scale * size[0];
    } else if (size[0] + size[1] > 0.8 * distance) {
        scale = 0.6 * distance / (size[0] + size[1]); // teeth, not metres
    }
    pair->radius[0] = scale * size[0];
    pair->radius[1] = scale * size[1];
    pair->mesh = lw_add3(pair->X[0].p, lw_scale3(contact, e));
    pair->is_known = isfinite(scale);
}

// The nearest points of two lines, and the distance of the lines; false where they are parallel.
static bool nearest_points(const lw_pose X[2], lw_vec3 p[2])
{
    const lw_vec3 u[2] = {lwi_z_axis(&X[0].R), lwi_z_axis(&X[1].R)};
    const lw_vec3 d = lw_sub3(X[1].p, X[0].p);
    const double c = lw_dot3(u[0], u[1]), sine2 = 1 - c * c;
    if (sine2 < 1e-9) {
        return false;
    }
    const double a = lw_dot3(d, u[0]), b = lw_dot3(d, u[1]);
    p[0] = lw_add3(X[0].p, lw_scale3((a - c * b) / sine2, u[0]));
    p[1] = lw_add3(X[1].p, lw_scale3((c * a - b) / sine2, u[1]));
    return true;
}

// Pitch cones from the point V where the axes meet: their half angles add up to that of the axes,
// and the ratio of their sines is that of the sizes.
static void find_bevel(lwi_wheel_pair *pair, const lw_gear_info *gear)
{
    lw_vec3 p[2], toward[2], mesh[2];
    if (!nearest_points(pair->X, p)) {
        return;
    }
    const lw_vec3 V = between(p[0], p[1], 0.5);
    for (int k = 0; k < 2; ++k) {
        const lw_vec3 way = lw_sub3(pair->X[k].p, V);
        pair->cone[k] = lw_norm3(way);
        if (!(pair->cone[k] > 0)) {
            return;
        }
        toward[k] = lw_scale3(1 / pair->cone[k], way);
    }
    const double c = lw_dot3(toward[0], toward[1]), s = sqrt(fmax(0, 1 - c * c));
    for (int k = 0; k < 2; ++k) {
        const double slope = s / (gear->size[1 - k] / gear->size[k] + c);
        if (!(slope > 0 && slope < 12)) {
            return;
        }
        pair->radius[k] = slope * pair->cone[k];
        const lw_vec3 side = across(toward[1 - k], toward[k]);
        const double norm = lw_norm3(side);
        mesh[k] = lw_add3(pair->X[k].p, lw_scale3(pair->radius[k] / norm, side));
        // z points away from V, so that the cone narrows behind the wheel.
        pair->X[k].R = lw_rotation_to_z(toward[k]);
    }
    pair->mesh = between(mesh[0], mesh[1], 0.5);
    pair->is_known = true;
}

// The worm is drawn a third as thick as its wheel: descriptions give numbers of teeth.
static void find_worm(lwi_wheel_pair *pair)
{
    lw_vec3 p[2];
    if (!nearest_points(pair->X, p)) {
        return;
    }
    const double distance = lw_norm3(lw_sub3(p[1], p[0]));
    pair->X[0].p = p[0];
    pair->X[1].p = p[1];
    pair->radius[0] = 0.25 * distance;
    pair->radius[1] = 0.75 * distance;
    pair->mesh = between(p[0], p[1], 0.25);
    pair->is_known = distance > 0;
}

static void find_rack(lwi_wheel_pair *pair, const lw_gear_info *gear)
{
    const lw_vec3 u = lwi_z_axis(&pair->X[0].R), slide = lwi_z_axis(&pair->X[1].R);
    const lw_vec3 way = across(across(lw_sub3(pair->X[1].p, pair->X[0].p), u), slide);
    const double distance = lw_norm3(way);
    if (!(distance > 0)) {
        return;
    }
    pair->radius[0] = gear->size[0];
    pair->radius[1] = 3 * gear->size[0];
    pair->mesh = lw_add3(pair->X[0].p, lw_scale3(gear->size[0] / distance, way));
    const double along = lw_dot3(lw_sub3(pair->X[1].p, pair->mesh), slide);
    pair->X[1].p = lw_add3(pair->mesh, lw_scale3(along, slide));
    pair->is_known = true;
}

lwi_wheel_pair lwi_find_wheels(const lw_gear_info *gear, const lw_pose X_WB[2])
{
    lwi_wheel_pair pair = {0};
    for (int k = 0; k < 2; ++k) {
        pair.X[k] = lw_pose_mul(&X_WB[k], &gear->X_BW[k]);
    }
    switch (gear->type) {
    case LW_GEAR_BOX:
    case LW_GEAR_SHAFT:
    case LW_GEAR_PLANETARY:
        break; // between axes, or by planets that are no parts: no place where wheels mesh
    case LW_GEAR_BEVEL:
        find_bevel(&pair, gear);
        break;
    case LW_GEAR_WORM:
        find_worm(&pair);
        break;
    case LW_GEAR_RACK:
        find_rack(&pair, gear);
        break;
    default:
        find_parallel(&pair, gear);
        break;
    }
    return pair;
}
