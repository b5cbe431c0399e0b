// The contact of a wheel with a terrain.
//
// A torus of section s around a circle of radius r - s has its deepest point against a normal n at
// T(n) = C - (r - s) m - s n, where m is n without its part along the axle, of length 1. Ground and
// wheel are parallel at the point x, y of the ground where T(n(x, y)) is above it: two equations,
// which Newton's method solves. The distance is then n . (T - ground), and its derivative by a
// motion of the wheel that of the velocity of T along n, because T is the deepest point.
#include "wheel_touch.h"

#include "wheel_rows.h"

#include <math.h>

enum { NEWTON_STEPS = 16, SAMPLES = 15 };

// T(n) and its derivative for a change of n.
static lw_vec3 deepest_change(const lw_wheel_info *wheel, lw_vec3 axis, lw_vec3 m, double across,
                              lw_vec3 dn)
{
    const double ring = wheel->radius - wheel->section;
    const lw_vec3 flat = lw_sub3(dn, lw_scale3(lw_dot3(dn, axis), axis));
    const lw_vec3 dm = lw_scale3(1.0 / across, lw_sub3(flat, lw_scale3(lw_dot3(flat, m), m)));
    return lw_sub3(lw_scale3(-ring, dm), lw_scale3(wheel->section, dn));
}

// One step from x, y; *off is how far T is from above that point.
static lw_status newton_step(const lw_terrain *t, const lw_wheel_info *wheel, double xy[2],
                             lw_wheel_contact *at, double *gap, double *off)
{
    lw_ground_point g;
    if (!lw_terrain_at(t, xy[0], xy[1], &g)) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_place_contact(wheel, g.normal, at)) {
        return LW_ERR_SINGULAR;
    }
    const lw_vec3 n = g.normal, T = at->point;
    const double fx = T.x - xy[0], fy = T.y - xy[1];
    *gap = lw_dot3(n, lw_sub3(T, lw_vec3_of(xy[0], xy[1], g.height)));
    *off = hypot(fx, fy);
    const lw_vec3 m = lw_cross3(at->forward, at->axis);
    const double across = lw_dot3(n, m), z = n.z;
    // dn = (1 - n n') (-hxx, -hxy, 0) z for a step along x, and likewise along y.
    lw_vec3 change[2];
    for (int k = 0; k < 2; ++k) {
        const lw_vec3 h = lw_vec3_of(-g.curvature[k] * z, -g.curvature[k + 1] * z, 0.0);
        const lw_vec3 dn = lw_sub3(h, lw_scale3(lw_dot3(h, n), n));
        change[k] = deepest_change(wheel, at->axis, m, across, dn);
    }
    const double a = change[0].x - 1.0, b = change[1].x, c = change[0].y, e = change[1].y - 1.0;
    const double det = a * e - b * c;
    double dx = fx, dy = fy; // towards where T is, if the ground is hollower than the wheel
    if (a + e < 0.0 && det > 1e-3) {
        dx = -(e * fx - b * fy) / det;
        dy = -(a * fy - c * fx) / det;
    }
    const double length = hypot(dx, dy), most = 0.3 * wheel->radius;
    const double scale = length > most ? most / length : 1.0;
    xy[0] += scale * dx;
    xy[1] += scale * dy;
    return LW_OK;
}

// Heights of points of the rim above the ground below them: of the lowest, x and y. The angle is
// from straight down, forward positive.
static bool rim_point(const lw_terrain *t, const lw_wheel_info *wheel, const lw_wheel_contact *at,
                      double angle, double xy[2], double *above)
{
    const lw_vec3 up = {0.0, 0.0, 1.0};
    const lw_vec3 ahead = lw_unit3(lw_cross3(at->axis, up)), top = lw_cross3(ahead, at->axis);
    const double ring = wheel->radius - wheel->section;
    const lw_vec3 p = lw_add3(at->center, lw_add3(lw_scale3(ring * sin(angle), ahead),
                                                  lw_scale3(-ring * cos(angle), top)));
    double height;
    if (!lwi_terrain_height(t, p.x, p.y, &height)) {
        return false;
    }
    xy[0] = p.x;
    xy[1] = p.y;
    *above = p.z - wheel->section - height;
    return true;
}

static bool lowest_sample(const lw_terrain *t, const lw_wheel_info *wheel,
                          const lw_wheel_contact *at, double xy[2], double *above, double *angle)
{
    *above = HUGE_VAL;
    for (int i = 0; i < SAMPLES; ++i) {
        const double turn = 1.5 * (2.0 * i / (SAMPLES - 1) - 1.0);
        double here[2], height;
        if (rim_point(t, wheel, at, turn, here, &height) && height < *above) {
            *above = height;
            *angle = turn;
            xy[0] = here[0];
            xy[1] = here[1];
        }
    }
    return isfinite(*above);
}

// Where Newton's method has no answer, as on a crest in a hollow: the lowest point of the rim near
// a sample, by thirds.
static lw_status search(const lw_terrain *t, const lw_wheel_info *wheel, lw_wheel_contact *at,
                        double *gap)
{
    double xy[2] = {0.0, 0.0}, above, angle = 0.0;
    if (!lowest_sample(t, wheel, at, xy, &above, &angle)) {
        return LW_ERR_ARGUMENT;
    }
    double low = angle - 3.0 / (SAMPLES - 1), high = angle + 3.0 / (SAMPLES - 1);
    for (int i = 0; i < 60; ++i) {
        const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
        double one = HUGE_VAL, two = HUGE_VAL;
        rim_point(t, wheel, at, a, xy, &one);
        rim_point(t, wheel, at, b, xy, &two);
        if (one < two) {
            high = b;
        } else {
            low = a;
        }
    }
    lw_ground_point g;
    if (!rim_point(t, wheel, at, 0.5 * (low + high), xy, &above) ||
        !lw_terrain_at(t, xy[0], xy[1], &g)) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_place_contact(wheel, g.normal, at)) {
        return LW_ERR_SINGULAR;
    }
    at->point = lw_vec3_of(xy[0], xy[1], g.height + above);
    *gap = above * g.normal.z;
    return LW_OK;
}

lw_status lwi_touch(const lw_terrain *t, const lw_wheel_info *wheel, const double *start,
                    lw_wheel_contact *at, double *gap)
{
    double xy[2] = {0.0, 0.0}, above, angle, off = HUGE_VAL;
    if (start) {
        xy[0] = start[0];
        xy[1] = start[1];
    } else if (!lowest_sample(t, wheel, at, xy, &above, &angle)) {
        return LW_ERR_ARGUMENT;
    }
    for (int i = 0; i < NEWTON_STEPS; ++i) {
        const lw_status status = newton_step(t, wheel, xy, at, gap, &off);
        if (status != LW_OK) {
            return status;
        }
        // The gap is off by the square of this.
        if (off < 1e-8 * wheel->radius) {
            return LW_OK;
        }
    }
    return search(t, wheel, at, gap);
}

bool lwi_touch_jumps(const lw_terrain *t, const lw_wheel_info *wheel, const lw_wheel_contact *at,
                     double gap, double most, double start[2])
{
    double above, angle;
    return lowest_sample(t, wheel, at, start, &above, &angle) && above * at->normal.z < gap - most;
}
