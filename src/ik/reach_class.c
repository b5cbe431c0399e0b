// Classes of positions by at most three joints, from their axes.
#include "reach.h"

#include <math.h>
#include <string.h>

static double angle_between(lw_vec3 a, lw_vec3 b)
{
    return asin(fmin(1.0, lw_norm3(lw_cross3(a, b))));
}

static bool is_across(lw_vec3 a, lw_vec3 b, double angle)
{
    return fabs(lw_dot3(a, b)) < angle;
}

static void reverse(lwi_reach *r)
{
    const lwi_reach t = *r;
    r->is_reversed = !t.is_reversed;
    for (int i = 0; i < t.n; ++i) {
        r->slides[i] = t.slides[t.n - 1 - i];
        r->h[i] = lw_scale3(-1.0, t.h[t.n - 1 - i]);
        r->c[i] = t.c[t.n - 1 - i];
    }
}

// Moves the points of two axes to their intersection where they have one.
static bool axes_meet(lwi_reach *r, int i, double distance)
{
    lwi_arm pair = {.n = 2, .h = {r->h[i], r->h[i + 1]}, .c = {r->c[i], r->c[i + 1]}};
    lw_vec3 a, b;
    const double apart = lwi_axis_distance(&pair, 0, 1, &a, &b) / r->scale;
    if (!(apart < distance)) {
        return false;
    }
    r->c[i] = r->c[i + 1] = lw_scale3(0.5, lw_add3(a, b));
    return true;
}

static lwi_reach_class class_of_rrr(lwi_reach *r, double angle, double distance)
{
    const double one = angle_between(r->h[0], r->h[1]), two = angle_between(r->h[1], r->h[2]);
    if (one < angle && two < angle) {
        return LWI_REACH_NONE; // within a plane
    }
    if (one < angle) {
        reverse(r);
    }
    if (one < angle || two < angle) {
        return LWI_REACH_RRR_PARALLEL;
    }
    if (axes_meet(r, 0, distance)) {
        return LWI_REACH_RRR_MEETING;
    }
    if (axes_meet(r, 1, distance)) {
        reverse(r);
        return LWI_REACH_RRR_MEETING;
    }
    return LWI_REACH_RRR;
}

static lwi_reach_class class_of_rrp(lwi_reach *r, double angle, double distance)
{
    const double off = angle_between(r->h[0], r->h[1]);
    if (off < angle) {
        return is_across(r->h[0], r->h[2], angle) ? LWI_REACH_NONE : LWI_REACH_RRP_PARALLEL;
    }
    if (axes_meet(r, 0, distance)) {
        return LWI_REACH_RRP_MEETING;
    }
    if (is_across(r->h[1], r->h[2], angle)) {
        return LWI_REACH_RRP_SQUARE;
    }
    return LWI_REACH_RRP;
}

static lwi_reach_class class_of_rpr(lwi_reach *r, double angle)
{
    const double off = angle_between(r->h[0], r->h[2]);
    if (!(off < angle)) {
        return LWI_REACH_RPR;
    }
    return is_across(r->h[0], r->h[1], angle) ? LWI_REACH_NONE : LWI_REACH_RPR_PARALLEL;
}

// The class of the first n joints; LWI_REACH_NONE where the last of them is redundant.
static lwi_reach_class class_of(lwi_reach *r, int n, double angle, double distance)
{
    const lw_vec3 *h = r->h;
    const int key = n == 1   ? r->slides[0]
                    : n == 2 ? 2 * r->slides[0] + r->slides[1]
                             : 4 * r->slides[0] + 2 * r->slides[1] + r->slides[2];
    if (n == 1) {
        return key ? LWI_REACH_P : LWI_REACH_R;
    }
    if (n == 2) {
        const double off = angle_between(h[0], h[1]);
        switch (key) {
        case 0:
            return off < angle ? LWI_REACH_RR_PARALLEL : LWI_REACH_RR;
        case 2:
            return LWI_REACH_PR;
        case 3:
            return off < angle ? LWI_REACH_NONE : LWI_REACH_PP;
        default:
            return LWI_REACH_RP;
        }
    }
    switch (key) {
    case 0:
        return class_of_rrr(r, angle, distance);
    case 4:
        reverse(r);
        return class_of_rrp(r, angle, distance);
    case 1:
        return class_of_rrp(r, angle, distance);
    case 2:
        return class_of_rpr(r, angle);
    case 5:
        return (is_across(h[0], h[1], angle) && is_across(h[1], h[2], angle)) ||
                       (angle_between(h[0], h[1]) < angle && angle_between(h[1], h[2]) < angle)
                   ? LWI_REACH_NONE
                   : LWI_REACH_PRP;
    case 6:
        reverse(r);
        // fall through
    case 3: {
        const lw_vec3 across = lw_cross3(h[1], h[2]);
        return lw_norm3(across) < angle || lw_norm3(lw_cross3(h[0], across)) < angle
                   ? LWI_REACH_NONE
                   : LWI_REACH_RPP;
    }
    default:
        return fabs(lw_dot3(h[0], lw_cross3(h[1], h[2]))) < angle ? LWI_REACH_NONE : LWI_REACH_PPP;
    }
}

lwi_reach lwi_reach_of(const lwi_arm *arm, int n, double scale, double angle, double distance)
{
    lwi_reach r = {.n = n, .scale = scale};
    memcpy(r.slides, arm->slides, (size_t)n * sizeof *r.slides);
    memcpy(r.h, arm->h, (size_t)n * sizeof *r.h);
    memcpy(r.c, arm->c, (size_t)n * sizeof *r.c);
    for (r.held = 0; r.held < n; ++r.held) {
        r.kind = class_of(&r, n - r.held, angle, distance);
        if (r.kind != LWI_REACH_NONE) {
            break;
        }
    }
    return r;
}
