// By signed volumes (Montanari, Petrinic and Barbieri 2017): the signs of sub-determinants decide
// which points count, and none is divided by before its sign is known to agree.
#include "simplex.h"

#include <math.h>

static bool same_sign(double a, double b)
{
    return (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0);
}

static double component(lw_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static int largest_axis(lw_vec3 v)
{
    const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

lw_vec3 lwi_simplex_point(const lwi_simplex *s)
{
    lw_vec3 sum = {0, 0, 0};
    for (int i = 0; i < s->n; ++i) {
        sum = lw_add3(sum, lw_scale3(s->weight[i], s->at[i].w));
    }
    return sum;
}

lw_vec3 lwi_simplex_point_a(const lwi_simplex *s)
{
    lw_vec3 sum = {0, 0, 0};
    for (int i = 0; i < s->n; ++i) {
        sum = lw_add3(sum, lw_scale3(s->weight[i], s->at[i].a));
    }
    return sum;
}

// The simplex without one of its points.
static lwi_simplex without(const lwi_simplex *s, int left_out)
{
    lwi_simplex r = {0};
    for (int i = 0; i < s->n; ++i) {
        if (i != left_out) {
            r.at[r.n++] = s->at[i];
        }
    }
    return r;
}

static void nearest_of_one(lwi_simplex *s)
{
    s->weight[0] = 1.0;
}

static void nearest_of_two(lwi_simplex *s)
{
    const lw_vec3 a = s->at[0].w, b = s->at[1].w, t = lw_sub3(b, a);
    const double tt = lw_dot3(t, t);
    const double toward_b = -lw_dot3(a, t), toward_a = lw_dot3(b, t);
    if (tt > 0.0 && toward_a > 0.0 && toward_b > 0.0) {
        s->weight[1] = toward_b / (toward_a + toward_b);
        s->weight[0] = 1.0 - s->weight[1];
        return;
    }
    *s = without(s, lw_dot3(a, a) <= lw_dot3(b, b) ? 1 : 0);
    nearest_of_one(s);
}

// Keeps the nearer of two simplices.
static void keep_nearer(lwi_simplex *best, double *nearest, const lwi_simplex *other)
{
    const lw_vec3 v = lwi_simplex_point(other);
    const double vv = lw_dot3(v, v);
    if (vv < *nearest) {
        *nearest = vv;
        *best = *other;
    }
}

static void nearest_of_three(lwi_simplex *s)
{
    const lw_vec3 a = s->at[0].w, b = s->at[1].w, c = s->at[2].w;
    const lw_vec3 n = lw_cross3(lw_sub3(b, a), lw_sub3(c, a));
    const double nn = lw_dot3(n, n);
    bool counts[3] = {false, false, false};
    if (nn > 0.0) {
        // The projection of the origin onto the plane, seen along the axis that shows it largest.
        const lw_vec3 p = lw_scale3(lw_dot3(a, n) / nn, n);
        const int axis = largest_axis(n), i = (axis + 1) % 3, j = (axis + 2) % 3;
        const double all = component(n, axis);
        double area[3];
        for (int k = 0; k < 3; ++k) {
            const lw_vec3 u = lw_sub3(s->at[(k + 1) % 3].w, p),
                          v = lw_sub3(s->at[(k + 2) % 3].w, p);
            area[k] = component(u, i) * component(v, j) - component(u, j) * component(v, i);
            counts[k] = same_sign(all, area[k]);
        }
        if (counts[0] && counts[1] && counts[2]) {
            const double sum = area[0] + area[1] + area[2];
            for (int k = 0; k < 3; ++k) {
                s->weight[k] = area[k] / sum;
            }
            return;
        }
    }
    lwi_simplex best = {0};
    double nearest = HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        if (!counts[k]) {
            lwi_simplex edge = without(s, k);
            nearest_of_two(&edge);
            keep_nearer(&best, &nearest, &edge);
        }
    }
    *s = best;
}

static void nearest_of_four(lwi_simplex *s)
{
    const lw_vec3 a = s->at[0].w, b = s->at[1].w, c = s->at[2].w, d = s->at[3].w;
    const lw_vec3 bc = lw_cross3(b, c), ad = lw_cross3(a, d);
    const double volume[4] = {-lw_dot3(d, bc), -lw_dot3(c, ad), lw_dot3(b, ad), lw_dot3(a, bc)};
    const double all = volume[0] + volume[1] + volume[2] + volume[3];
    bool is_inside = true;
    for (int k = 0; k < 4; ++k) {
        is_inside &= same_sign(all, volume[k]);
    }
    if (is_inside) {
        for (int k = 0; k < 4; ++k) {
            s->weight[k] = volume[k] / all;
        }
        return;
    }
    lwi_simplex best = {0};
    double nearest = HUGE_VAL;
    for (int k = 0; k < 4; ++k) {
        if (!same_sign(all, volume[k])) {
            lwi_simplex face = without(s, k);
            nearest_of_three(&face);
            keep_nearer(&best, &nearest, &face);
        }
    }
    *s = best;
}

lw_vec3 lwi_simplex_nearest(lwi_simplex *s)
{
    switch (s->n) {
    case 1:
        nearest_of_one(s);
        break;
    case 2:
        nearest_of_two(s);
        break;
    case 3:
        nearest_of_three(s);
        break;
    default:
        nearest_of_four(s);
        break;
    }
    return lwi_simplex_point(s);
}
