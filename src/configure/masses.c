// Masses from shapes and materials: homogeneous solids, put together.

#include "spec.h"

#include "../math/pi.h"

#include <string.h>

// Moments about the centre of a body of this volume and density 1.
static lw_sym3 sphere_moments(double r, double volume)
{
    const double i = 0.4 * volume * r * r;
    return (lw_sym3){i, i, i, 0, 0, 0};
}

static lw_sym3 cylinder_moments(double r, double length, double volume)
{
    const double across = volume * (3.0 * r * r + length * length) / 12.0;
    return (lw_sym3){across, across, 0.5 * volume * r * r, 0, 0, 0};
}

// A cylinder and two halves of a sphere, whose centres are at 3/8 of the radius.
static lw_sym3 capsule_moments(double r, double length, double tube, double ball)
{
    const lw_sym3 t = cylinder_moments(r, length, tube), b = sphere_moments(r, ball);
    const double away = ball * (0.25 * length * length + 0.375 * length * r);
    return (lw_sym3){t.xx + b.xx + away, t.yy + b.yy + away, t.zz + b.zz, 0, 0, 0};
}

// Volume, and moments for density 1.
static bool solid_of(const lw_spec *spec, const char *type, const char *const path[3],
                     double *volume, lw_sym3 *moments)
{
    double size[3], r = 0.0, length = 0.0;
    if (strcmp(type, "box") == 0) {
        if (!lwi_spec_numbers(spec, path[0], 3, size)) {
            return false;
        }
        const double x = size[0] * size[0], y = size[1] * size[1], z = size[2] * size[2];
        *volume = size[0] * size[1] * size[2];
        *moments = (lw_sym3){
            *volume * (y + z) / 12.0, *volume * (x + z) / 12.0, *volume * (x + y) / 12.0, 0, 0, 0};
        return true;
    }
    const bool is_sphere = strcmp(type, "sphere") == 0;
    if (!lwi_spec_numbers(spec, path[1], 1, &r) ||
        (!is_sphere && !lwi_spec_numbers(spec, path[2], 1, &length))) {
        return false;
    }
    const double ball = 4.0 / 3.0 * LWI_PI * r * r * r, tube = LWI_PI * r * r * length;
    if (is_sphere) {
        *volume = ball;
        *moments = sphere_moments(r, ball);
    } else if (strcmp(type, "cylinder") == 0) {
        *volume = tube;
        *moments = cylinder_moments(r, length, tube);
    } else {
        *volume = tube + ball;
        *moments = capsule_moments(r, length, tube, ball);
    }
    return true;
}

static bool add_shape(const lw_spec *spec, const char *at, lw_inertia *sum)
{
    static const char *const part[] = {"size", "radius", "length",   "xyz",
                                       "rpy",  "type",   "material", "density"};
    char path[8][LWI_SPEC_PATH];
    for (int k = 0; k < 8; ++k) {
        strcpy(path[k], at);
        strcat(path[k], part[k]);
    }
    const char *const sizes[3] = {path[0], path[1], path[2]};
    const char *type = lw_spec_get(spec, path[5]), *material = lw_spec_get(spec, path[6]);
    double volume, density = material ? lwi_density(material) : 0.0, p[3] = {0}, rpy[3] = {0};
    lw_sym3 moments;
    lwi_spec_numbers(spec, path[7], 1, &density);
    if (!(density > 0.0) || !solid_of(spec, type, sizes, &volume, &moments) ||
        (lw_spec_get(spec, path[3]) && !lwi_spec_numbers(spec, path[3], 3, p)) ||
        (lw_spec_get(spec, path[4]) && !lwi_spec_numbers(spec, path[4], 3, rpy))) {
        return false;
    }
    const lw_mat3 R = lw_rotation_rpy(rpy[0], rpy[1], rpy[2]);
    const lw_sym3 turned = lw_sym3_rotate(&R, &moments);
    const lw_sym3 tensor = {density * turned.xx, density * turned.yy, density * turned.zz,
                            density * turned.xy, density * turned.xz, density * turned.yz};
    const lw_inertia one = lw_inertia_of(density * volume, lw_vec3_of(p[0], p[1], p[2]), tensor);
    *sum = lw_inertia_add(sum, &one);
    return true;
}

bool lwi_shape_masses(const lw_spec *spec, int link, double *mass, lw_vec3 *center,
                      lw_sym3 *inertia)
{
    lw_inertia sum = {0};
    int count = 0;
    for (int i = 1; i <= LWI_SPEC_JOINTS; ++i) {
        char at[LWI_SPEC_PATH], path[LWI_SPEC_PATH];
        lwi_spec_path(path, "shape", i, "");
        lwi_spec_path(at, "link", link, path);
        strcpy(path, at);
        strcat(path, "type");
        if (lw_spec_get(spec, path)) {
            if (!add_shape(spec, at, &sum)) {
                return false;
            }
            ++count;
        }
    }
    if (count == 0 || !(sum.mass > 0.0)) {
        return false;
    }
    *mass = sum.mass;
    *center = lw_scale3(1.0 / sum.mass, sum.first_moment);
    // From the origin to the centre of mass.
    const lw_inertia at_center = lw_inertia_of(-sum.mass, *center, (lw_sym3){0, 0, 0, 0, 0, 0});
    const lw_sym3 a = sum.tensor, b = at_center.tensor;
    *inertia =
        (lw_sym3){a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
    return true;
}
