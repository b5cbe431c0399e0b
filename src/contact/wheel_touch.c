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
#include <stdlib.h>
#include <string.h>

enum { NEWTON_STEPS = 16, SAMPLES = 69 };

// Points of the rim that are looked at: so far from straight down, and so far apart, rad. Two
// contacts that are nearer than that are found where one of them has become deeper.
static const double REACH = 1.7, SPACING = 0.05;

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

// The circle within a wheel that its section goes round.
typedef struct rim {
    lw_vec3 center, ahead, top;
    double ring, section;
} rim;

static rim rim_of(const lw_wheel_info *wheel, const lw_wheel_contact *at)
{
    const lw_vec3 up = {0.0, 0.0, 1.0}, ahead = lw_unit3(lw_cross3(at->axis, up));
    return (rim){.center = at->center,
                 .ahead = ahead,
                 .top = lw_cross3(ahead, at->axis),
                 .ring = wheel->radius - wheel->section,
                 .section = wheel->section};
}

// A point of the rim, the section below the circle. The angle is from straight down, forward
// positive.
static lw_vec3 rim_at(const rim *r, double c, double s)
{
    lw_vec3 p = lw_add3(r->center,
                        lw_add3(lw_scale3(r->ring * s, r->ahead), lw_scale3(-r->ring * c, r->top)));
    p.z -= r->section;
    return p;
}

// Its height above the ground, infinite beyond the terrain.
static double clearance(const lw_terrain *t, lw_vec3 p)
{
    double height;
    return lwi_terrain_height(t, p.x, p.y, &height) ? p.z - height : HUGE_VAL;
}

// Samples from behind forward; infinite beyond the terrain. High above the ground some are left
// out, as many as the slopes of the ground allow, and interpolated.
static void sample_rim(const lw_terrain *t, const rim *r, double xy[SAMPLES][2], double *above)
{
    const double one = cos(SPACING), two = sin(SPACING),
                 over = 1.0 / (SPACING * r->ring * hypot(1.0, t->steep));
    double c = cos(-REACH), s = sin(-REACH);
    int last = 0, next = 0;
    for (int i = 0; i < SAMPLES; ++i) {
        const lw_vec3 p = rim_at(r, c, s);
        xy[i][0] = p.x;
        xy[i][1] = p.y;
        if (i == next || i == SAMPLES - 1) {
            above[i] = clearance(t, p);
            for (int k = last + 1; k < i; ++k) {
                above[k] = above[last] + (above[i] - above[last]) * (k - last) / (i - last);
            }
            last = i;
            next = i + 1 +
                   (above[i] > 0.0 && isfinite(above[i]) ? (int)fmin(above[i] * over, 8.0) : 0);
        }
        const double turned = c * one - s * two;
        s = s * one + c * two;
        c = turned;
    }
}

static bool lowest_sample(const lw_terrain *t, const rim *r, double xy[2], double *angle)
{
    double above[SAMPLES], at[SAMPLES][2];
    int lowest = 0;
    sample_rim(t, r, at, above);
    for (int i = 1; i < SAMPLES; ++i) {
        lowest = above[i] < above[lowest] ? i : lowest;
    }
    *angle = SPACING * lowest - REACH;
    memcpy(xy, at[lowest], sizeof at[lowest]);
    return isfinite(above[lowest]);
}

// Where Newton's method has no answer, as on a crest in a hollow or where the curvature jumps: the
// lowest point of the rim near a sample, by thirds.
static lw_status search(const lw_terrain *t, const lw_wheel_info *wheel, const rim *r, double angle,
                        lw_wheel_contact *at, double *gap)
{
    double low = angle - SPACING, high = angle + SPACING;
    for (int i = 0; i < 60; ++i) {
        const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
        if (clearance(t, rim_at(r, cos(a), sin(a))) < clearance(t, rim_at(r, cos(b), sin(b)))) {
            high = b;
        } else {
            low = a;
        }
    }
    lw_ground_point g;
    const double middle = 0.5 * (low + high);
    const lw_vec3 p = rim_at(r, cos(middle), sin(middle));
    if (!lw_terrain_at(t, p.x, p.y, &g)) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_place_contact(wheel, g.normal, at)) {
        return LW_ERR_SINGULAR;
    }
    at->point = p;
    *gap = (p.z - g.height) * g.normal.z;
    return LW_OK;
}

static lw_status newton(const lw_terrain *t, const lw_wheel_info *wheel, double xy[2],
                        lw_wheel_contact *at, double *gap, bool *is_found)
{
    double off = HUGE_VAL;
    lw_status status = LW_OK;
    *is_found = false;
    for (int i = 0; i < NEWTON_STEPS && status == LW_OK && !*is_found; ++i) {
        status = newton_step(t, wheel, xy, at, gap, &off);
        *is_found = off < 1e-8 * wheel->radius; // the gap is off by the square of this
    }
    return status;
}

lw_status lwi_touch(const lw_terrain *t, const lw_wheel_info *wheel, const double *start,
                    lw_wheel_contact *at, double *gap)
{
    const rim r = rim_of(wheel, at);
    bool is_found;
    double xy[2], angle;
    if (start) {
        memcpy(xy, start, sizeof xy);
    } else if (!lowest_sample(t, &r, xy, &angle)) {
        return LW_ERR_ARGUMENT;
    }
    const lw_status status = newton(t, wheel, xy, at, gap, &is_found);
    if (status != LW_OK || is_found) {
        return status;
    }
    return lowest_sample(t, &r, xy, &angle) ? search(t, wheel, &r, angle, at, gap)
                                            : LW_ERR_ARGUMENT;
}

// The sample that is nearest to a contact.
static int sample_at(double xy[SAMPLES][2], const lw_wheel_contact *at)
{
    int nearest = 0;
    double least = HUGE_VAL;
    for (int i = 0; i < SAMPLES; ++i) {
        const double dx = xy[i][0] - at->point.x, dy = xy[i][1] - at->point.y;
        const double away = dx * dx + dy * dy;
        nearest = away < least ? i : nearest;
        least = fmin(away, least);
    }
    return nearest;
}

// Takes a contact that Newton's method finds from x, y if it is lower than *gap, near there, and
// none that is known.
static lw_status take_lower(const lw_terrain *t, const lw_wheel_info *wheel, const double xy[2],
                            int n, const lw_wheel_contact *const *known, lw_wheel_contact *other,
                            double *gap, bool *is_found)
{
    lw_wheel_contact at = *other;
    double start[2] = {xy[0], xy[1]}, low = HUGE_VAL;
    const lw_status status = newton(t, wheel, start, &at, &low, is_found);
    *is_found &= hypot(at.point.x - xy[0], at.point.y - xy[1]) < 2.0 * SPACING * wheel->radius;
    bool is_new = *is_found && low < *gap;
    for (int k = 0; k < n && is_new; ++k) {
        is_new = lw_norm3(lw_sub3(at.point, known[k]->point)) > 1e-3 * wheel->radius;
    }
    if (status == LW_OK && is_new) {
        *other = at;
        *gap = low;
    }
    return status == LW_ERR_ARGUMENT ? LW_OK : status;
}

// Whether the ground below the wheel is nowhere as hollow as the wheel is: there is no other place
// then. A torus lies within the ball that touches it where it touches the ground, of radius s +
// (r - s) / (n . m), and ground that bends less than that ball is below it.
static bool is_alone(const lw_terrain *t, const lw_wheel_info *wheel, const lw_wheel_contact *at)
{
    const double ring = wheel->radius - wheel->section;
    const double across = lw_dot3(at->normal, lw_cross3(at->forward, at->axis));
    const double bend = lwi_terrain_bend(t, at->center.x, at->center.y, wheel->radius);
    return bend * (wheel->section * across + ring) < across;
}

// The lowest of the samples that are lower than their neighbours, and not beside a contact that is
// known; -1 where there is none.
static int lowest_other(const double *above, double xy[SAMPLES][2], int n,
                        const lw_wheel_contact *const *known)
{
    bool is_known[SAMPLES + 2] = {false}; // of the sample before
    int lowest = -1;
    for (int k = 0; k < n; ++k) {
        const int at = sample_at(xy, known[k]);
        is_known[at] = is_known[at + 1] = is_known[at + 2] = true;
    }
    for (int i = 0; i < SAMPLES; ++i) {
        const double before = i > 0 ? above[i - 1] : 0.0; // an end counts that is in the ground
        const double after = i < SAMPLES - 1 ? above[i + 1] : 0.0;
        if (above[i] <= before && above[i] <= after && !is_known[i + 1] &&
            (lowest < 0 || above[i] < above[lowest])) {
            lowest = i;
        }
    }
    return lowest < 0 || !isfinite(above[lowest]) ? -1 : lowest;
}

// Whether the ground is nearly as hollow as the wheel beside a sample.
static bool is_hollow(const rim *r, const double *above, int at)
{
    bool is = false;
    for (int i = at > 2 ? at - 1 : 1; i <= at + 1 && i < SAMPLES - 1; ++i) {
        const double bend = above[i - 1] - 2.0 * above[i] + above[i + 1];
        is |= bend < 0.25 * SPACING * SPACING * r->ring; // 1 on level ground
    }
    return is;
}

lw_status lwi_touch_other(const lw_terrain *t, const lw_wheel_info *wheel, int n,
                          const lw_wheel_contact *const *known, lw_wheel_contact *other,
                          double *gap)
{
    *gap = HUGE_VAL;
    if (is_alone(t, wheel, known[0])) {
        return LW_OK;
    }
    const rim r = rim_of(wheel, known[0]);
    double above[SAMPLES], xy[SAMPLES][2];
    sample_rim(t, &r, xy, above);
    const int one = sample_at(xy, known[0]), lowest = lowest_other(above, xy, n, known);
    lw_status status = LW_OK;
    bool is_found;
    if (is_hollow(&r, above, one)) { // between samples, beside the first
        status = take_lower(t, wheel, xy[one > 0 ? one - 1 : 1], n, known, other, gap, &is_found);
        if (status == LW_OK && one > 0 && one < SAMPLES - 1) {
            status = take_lower(t, wheel, xy[one + 1], n, known, other, gap, &is_found);
        }
    }
    if (status != LW_OK || lowest < 0) {
        return status;
    }
    status = take_lower(t, wheel, xy[lowest], n, known, other, gap, &is_found);
    return status != LW_OK || is_found || isfinite(*gap)
               ? status
               : search(t, wheel, &r, SPACING * lowest - REACH, other, gap);
}
