// The support polygon, and what it takes to tip over its edges.
#include "cone_forces.h"

#include <linkwork/stance.h>

#include <math.h>

double lwi_edge_distance(const double a[2], const double b[2])
{
    const double x = b[0] - a[0], y = b[1] - a[1], square = x * x + y * y;
    const double along = square > 0.0 ? -(a[0] * x + a[1] * y) / square : 0.0;
    const double at = fmin(fmax(along, 0.0), 1.0);
    return hypot(a[0] + at * x, a[1] + at * y);
}

// Which side of the line from a to b the point c is on, seen against gravity: positive left.
static double side_of(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// The hull, counter-clockwise, by walking around it (R. A. Jarvis, 1973); points on edges are left
// out.
static int walk_hull(int n, double (*p)[2], int *corner)
{
    int start = 0, count = 0;
    for (int i = 1; i < n; ++i) {
        start =
            p[i][0] < p[start][0] || (p[i][0] == p[start][0] && p[i][1] < p[start][1]) ? i : start;
    }
    for (int at = start; count < n; ++count) {
        int next = at == 0 ? 1 : 0;
        corner[count] = at;
        for (int i = 0; i < n; ++i) {
            const double side = side_of(p[at], p[next], p[i]);
            const double far = hypot(p[i][0] - p[at][0], p[i][1] - p[at][1]);
            const double size = hypot(p[next][0] - p[at][0], p[next][1] - p[at][1]);
            if (i != at &&
                (side < -1e-12 * far * size || (side <= 1e-12 * far * size && far > size))) {
                next = i;
            }
        }
        if (next == start) {
            return count + 1;
        }
        at = next;
    }
    return count;
}

// The energy that turns the centre of mass about an edge to where it is highest. Up is the unit
// vector against gravity.
static double energy_over(lw_vec3 a, lw_vec3 b, lw_vec3 center, lw_vec3 up, double weight)
{
    const lw_vec3 axis = lw_unit3(lw_sub3(b, a)), arm = lw_sub3(center, a);
    const lw_vec3 out = lw_sub3(arm, lw_scale3(lw_dot3(arm, axis), axis));
    const lw_vec3 tilt = lw_sub3(up, lw_scale3(lw_dot3(up, axis), axis));
    return weight * fmax(0.0, lw_norm3(out) * lw_norm3(tilt) - lw_dot3(out, tilt));
}

lw_status lw_support_polygon(int n, const lw_foot_contact *contact, lw_vec3 center, double mass,
                             lw_vec3 gravity, lw_support *support)
{
    if (n < 3 || n > LW_MAX_CONTACTS || !contact || !support) {
        return LW_ERR_ARGUMENT;
    }
    const double g = lw_norm3(gravity);
    if (!(g > 0.0) || !isfinite(g) || !isfinite(lw_norm3(center)) || !isfinite(mass)) {
        return g == 0.0 ? LW_ERR_SINGULAR : LW_ERR_NUMBER;
    }
    const lw_vec3 up = lw_scale3(-1.0 / g, gravity);
    const lw_mat3 R = lw_rotation_to_z(up); // columns: two across, and up
    double p[LW_MAX_CONTACTS][2], size = 0.0, area = 0.0;
    for (int i = 0; i < n; ++i) {
        const lw_vec3 at = lw_rotate_back(&R, lw_sub3(contact[i].point, center));
        if (!isfinite(lw_norm3(at))) {
            return LW_ERR_NUMBER;
        }
        p[i][0] = at.x;
        p[i][1] = at.y;
        for (int k = 0; k < i; ++k) {
            const double apart = lw_norm3(lw_sub3(contact[i].point, contact[k].point));
            if (apart == 0.0) {
                return LW_ERR_ARGUMENT;
            }
            size = fmax(size, apart);
        }
    }
    support->ncorner = walk_hull(n, p, support->corner);
    for (int i = 2; i < support->ncorner; ++i) {
        area += side_of(p[support->corner[0]], p[support->corner[i - 1]], p[support->corner[i]]);
    }
    if (!(area > 1e-9 * size * size)) {
        return LW_ERR_SINGULAR;
    }
    const double here[2] = {0.0, 0.0};
    bool is_inside = true;
    support->margin = support->energy = HUGE_VAL;
    support->tip = 0;
    for (int i = 0; i < support->ncorner; ++i) {
        const int a = support->corner[i], b = support->corner[(i + 1) % support->ncorner];
        const double inward = side_of(p[a], p[b], here);
        const double energy =
            inward > 0.0 ? energy_over(contact[a].point, contact[b].point, center, up, mass * g)
                         : 0.0;
        is_inside = is_inside && inward >= 0.0;
        support->margin = fmin(support->margin, lwi_edge_distance(p[a], p[b]));
        if (energy < support->energy) {
            support->energy = energy;
            support->tip = i;
        }
    }
    support->margin = is_inside ? support->margin : -support->margin;
    return LW_OK;
}
