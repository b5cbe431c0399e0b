// Two solids as distances are computed: in the frame of the first, without their rounding.
#ifndef LWI_SUPPORT_H
#define LWI_SUPPORT_H

#include <linkwork/geometry.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

/// A point of the difference of two cores, a - b, and the point a of the first.
typedef struct lwi_difference {
    lw_vec3 w, a;
    int point[2]; ///< as lw_distance_start has them
} lwi_difference;

typedef struct lwi_solid_pair {
    const lw_solid *a, *b;
    lw_pose X;       ///< the frame of b in that of a
    double size;     ///< no point of either core is farther than this from the origin of a
    double rounding; ///< bound of the errors of a support's height, m
} lwi_solid_pair;

/// Of numbers; fmax() asks whether they are, and is a call.
static inline double lwi_larger(double x, double y)
{
    return x > y ? x : y;
}

static inline double lwi_smaller(double x, double y)
{
    return x < y ? x : y;
}

static inline double lwi_clamp(double x, double most)
{
    x = x < -most ? -most : x;
    return x > most ? most : x;
}

/// Whether a length is in order, by its bits: those of 1e50 and more, of negative numbers and of
/// what is not finite are larger.
static inline bool lwi_is_length(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0x4a511b0ec57e649au;
}

/// Whether a solid is in order, and if so the largest distance of a point of its core from the
/// origin of its frame.
bool lwi_has_size(const lw_solid *solid, double *size);

/// Which point of a hull is the farthest in a direction.
int lwi_farthest_point(const lw_solid *hull, const lw_vec3 *direction);

/// That distance alone.
double lwi_core_size(const lw_solid *solid);

/// The point of a disc of radius r about z at a height, in a direction.
static inline lw_vec3 lwi_rim(double r, lw_vec3 d, double height)
{
    const double across = sqrt(d.x * d.x + d.y * d.y);
    const double scale = across > 0.0 ? r / across : 0.0;
    return lw_vec3_of(scale * d.x, scale * d.y, height);
}

/// The farthest point of a core in a direction of any length but zero, in its own frame.
static inline lw_vec3 lwi_support(const lw_solid *solid, lw_vec3 d)
{
    const lw_vec3 h = solid->half;
    switch (solid->core) {
    case LW_CORE_SEGMENT:
        return lw_vec3_of(0.0, 0.0, copysign(h.z, d.z));
    case LW_CORE_BOX:
        return lw_vec3_of(copysign(h.x, d.x), copysign(h.y, d.y), copysign(h.z, d.z));
    case LW_CORE_CYLINDER:
        return lwi_rim(h.x, d, copysign(h.z, d.z));
    case LW_CORE_CONE: {
        const lw_vec3 base = lwi_rim(h.x, d, -h.z);
        return lw_dot3(base, d) > h.z * d.z ? base : lw_vec3_of(0.0, 0.0, h.z);
    }
    case LW_CORE_ELLIPSOID: {
        const lw_vec3 s = {h.x * d.x, h.y * d.y, h.z * d.z};
        const double norm = lw_norm3(s);
        const double scale = norm > 0.0 ? 1.0 / norm : 0.0;
        return lw_vec3_of(scale * h.x * s.x, scale * h.y * s.y, scale * h.z * s.z);
    }
    case LW_CORE_HULL:
        return solid->point[lwi_farthest_point(solid, &d)];
    case LW_CORE_POINT:
    case LW_CORE_HALF_SPACE: // has none but along z; its pairs are solved without
    case LW_CORE_COUNT:
        break;
    }
    return lw_vec3_of(0.0, 0.0, 0.0);
}

/// The point of a core that is farthest in a direction, or that of a hull with a number from 1.
static inline lw_vec3 lwi_support_or(const lw_solid *solid, lw_vec3 d, int *point)
{
    if (solid->core != LW_CORE_HULL) {
        return lwi_support(solid, d);
    }
    if (*point <= 0 || *point > solid->npoint) {
        *point = 1 + lwi_farthest_point(solid, &d);
    }
    return solid->point[*point - 1];
}

/// A point of the difference of the cores: the farthest in a direction, but for the points of hulls
/// that are known.
static inline lwi_difference lwi_support_from(const lwi_solid_pair *pair, lw_vec3 d, int first,
                                              int second)
{
    lwi_difference r = {.point = {first, second}};
    r.a = lwi_support_or(pair->a, d, &r.point[0]);
    const lw_vec3 back = lw_rotate_back(&pair->X.R, lw_scale3(-1.0, d));
    r.w = lw_sub3(r.a, lw_pose_apply(&pair->X, lwi_support_or(pair->b, back, &r.point[1])));
    return r;
}

/// The farthest point of the difference of the cores in a direction.
static inline lwi_difference lwi_support_pair(const lwi_solid_pair *pair, lw_vec3 d)
{
    return lwi_support_from(pair, d, 0, 0);
}

#endif
