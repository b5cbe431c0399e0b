// One joint is taken out of a leg of three by an equation that the other two do not enter: a
// distance from the point where their axes intersect, or a component along their common direction.
// Two joints are left; of these again the second follows from a distance or a component, and the
// first from a direction. Three revolute joints in any other arrangement are subproblem 5.
#include "leg.h"

#include "subproblem.h"

#include <math.h>

static const double parallel = 1e-9; ///< sine of the angle between axes that count as parallel

static inline lwi_angle opposite(lwi_angle a)
{
    return (lwi_angle){-a.s, a.c};
}

static inline lw_vec3 across(lw_vec3 axis, lw_vec3 a)
{
    return lw_sub3(a, lw_scale3(lw_dot3(axis, a), axis));
}

// Where a joint takes a point.
static inline lw_vec3 moved(const lwi_leg *leg, int i, lwi_angle q, lw_vec3 p)
{
    return leg->slides[i]
               ? lw_add3(p, lw_scale3(q.s, leg->h[i]))
               : lw_add3(leg->c[i], lwi_rotate_about(leg->h[i], q, lw_sub3(p, leg->c[i])));
}

static inline lw_vec3 moved_back(const lwi_leg *leg, int i, lwi_angle q, lw_vec3 p)
{
    return moved(leg, i, leg->slides[i] ? (lwi_angle){-q.s, q.c} : opposite(q), p);
}

static int single(lwi_angle a, lwi_angle q[2])
{
    q[0] = a;
    return 1;
}

// |p + q h - x| = d for a prismatic joint; where the line passes farther away, its nearest point.
static int slide_to_distance(lw_vec3 h, lw_vec3 p, lw_vec3 x, double d, lwi_angle q[2])
{
    const lw_vec3 w = lw_sub3(p, x);
    const double along = lw_dot3(h, w), rest = d * d - lw_dot3(w, w) + along * along;
    const double root = sqrt(rest > 0.0 ? rest : 0.0);
    q[0] = (lwi_angle){-along + root, 1.0};
    q[1] = (lwi_angle){-along - root, 1.0};
    return 2;
}

// Joint i brings p to distance d from x.
static int to_distance(const lwi_leg *leg, int i, lw_vec3 p, lw_vec3 x, double d, lwi_angle q[2])
{
    const lw_vec3 h = leg->h[i], c = leg->c[i];
    if (leg->slides[i]) {
        return slide_to_distance(h, p, x, d, q);
    }
    return lwi_subproblem3(h, lw_sub3(p, c), lw_sub3(x, c), d, leg->scale, q);
}

// Joint i brings p to x, which it can do up to the component that it does not move.
static int to_point(const lwi_leg *leg, int i, lw_vec3 p, lw_vec3 x, lwi_angle q[2])
{
    const lw_vec3 h = leg->h[i], c = leg->c[i];
    if (leg->slides[i]) {
        return single((lwi_angle){lw_dot3(h, lw_sub3(x, p)), 1.0}, q);
    }
    q[0] = (lwi_angle){0.0, 1.0}; // where the point is on the axis, any angle will do
    lwi_subproblem1(h, lw_sub3(p, c), lw_sub3(x, c), leg->scale, &q[0]);
    return 1;
}

// Joint i brings the component of p along `axis` to that of x.
static int to_component(const lwi_leg *leg, int i, lw_vec3 axis, lw_vec3 p, lw_vec3 x,
                        lwi_angle q[2])
{
    const lw_vec3 h = leg->h[i], c = leg->c[i];
    const double d = lw_dot3(axis, lw_sub3(x, leg->slides[i] ? p : c));
    if (leg->slides[i]) {
        return single((lwi_angle){d / lw_dot3(axis, h), 1.0}, q);
    }
    return lwi_subproblem4(h, lw_sub3(p, c), axis, d, leg->scale, q);
}

// Where joint i, which acts first, leaves p: the second joint k has to bring p to a place that i
// then takes to x. A revolute i keeps the distance from its axis and the component along it; a
// prismatic one keeps what is across it.
static int second_of_two(const lwi_leg *leg, int i, lw_vec3 p, lw_vec3 x, lwi_angle q[2])
{
    const int k = i + 1;
    const lw_vec3 h = leg->h[i], g = leg->h[k];
    const double sine = lw_norm3(lw_cross3(h, g)), cosine = fabs(lw_dot3(h, g));
    const bool moves_along = leg->slides[k] ? cosine > parallel : sine > parallel;
    if (!leg->slides[i]) {
        if (moves_along) {
            return to_component(leg, k, h, p, x, q);
        }
        // Both stay within planes across h: the distance from the axis, seen in that plane.
        const lw_vec3 c = lw_add3(leg->c[i], lw_scale3(lw_dot3(h, lw_sub3(p, leg->c[i])), h));
        return to_distance(leg, k, p, c, lw_norm3(across(h, lw_sub3(x, leg->c[i]))), q);
    }
    if (leg->slides[k]) { // two slides: across the first, in the plane of both
        const lw_vec3 n = lw_unit3(across(h, g));
        return to_component(leg, k, n, p, x, q);
    }
    // A slide, then a revolute joint: the line of places x - s h meets the circle of p, within the
    // plane of the circle or, where the slide leaves that plane, at one place.
    lwi_angle s[2];
    int n = 1;
    if (cosine > parallel) {
        s[0] = (lwi_angle){lw_dot3(g, lw_sub3(x, p)) / lw_dot3(g, h), 1.0};
    } else {
        const lw_vec3 c = leg->c[k], w = across(g, lw_sub3(x, c));
        n = slide_to_distance(lw_scale3(-1.0, h), w, lw_vec3_of(0, 0, 0),
                              lw_norm3(across(g, lw_sub3(p, c))), s);
    }
    for (int t = 0; t < n; ++t) {
        to_point(leg, k, p, lw_sub3(x, lw_scale3(s[t].s, h)), &q[t]);
    }
    return n;
}

// Joints i and i + 1 bring p to x.
static int solve_two(const lwi_leg *leg, int i, lw_vec3 p, lw_vec3 x, lwi_angle q[2][2])
{
    lwi_angle second[2];
    const int n = second_of_two(leg, i, p, x, second);
    for (int t = 0; t < n; ++t) {
        q[t][1] = second[t];
        to_point(leg, i, moved(leg, i + 1, second[t], p), x, q[t]);
    }
    return n;
}

static int solve_general(const lwi_leg *leg, lw_vec3 target, lwi_angle q[][LWI_LEG_JOINTS])
{
    lwi_angle a[8], b[8], c[8];
    const lw_vec3 *h = leg->h, *o = leg->c;
    const int n =
        lwi_subproblem5(lw_sub3(o[0], o[1]), lw_scale3(-1.0, h[0]), lw_sub3(target, o[0]), h[1],
                        lw_sub3(o[2], o[1]), h[2], lw_sub3(leg->end, o[2]), a, b, c);
    for (int t = 0; t < n; ++t) {
        q[t][0] = a[t];
        q[t][1] = b[t];
        q[t][2] = c[t];
    }
    return n;
}

// The third joint first, then the two before it; or the first one, then the two behind it.
static int solve_three(const lwi_leg *leg, lw_vec3 target, lwi_angle q[][LWI_LEG_JOINTS])
{
    lwi_angle one[2], two[2][2];
    const lw_vec3 end = leg->end, meet = leg->c[1];
    const bool is_last =
        leg->kind == LWI_LEG_MEET_FIRST || leg->kind == LWI_LEG_ALONG_FIRST; // it goes first
    int n, count = 0;
    switch (leg->kind) {
    case LWI_LEG_MEET_FIRST:
        n = to_distance(leg, 2, end, meet, lw_norm3(lw_sub3(target, meet)), one);
        break;
    case LWI_LEG_MEET_LAST:
        n = to_distance(leg, 0, meet, target, lw_norm3(lw_sub3(end, meet)), one);
        break;
    case LWI_LEG_ALONG_FIRST:
        n = to_component(leg, 2, leg->h[0], end, target, one);
        break;
    default: { // along the last two axes, seen from the target: joint 1 gone through backwards
        lwi_leg back = *leg;
        back.h[0] = lw_scale3(-1.0, leg->h[0]);
        n = to_component(&back, 0, leg->h[1], target, end, one);
        break;
    }
    }
    for (int t = 0; t < n; ++t) {
        const int first = is_last ? 0 : 1;
        const lw_vec3 p = is_last ? moved(leg, 2, one[t], end) : end;
        const lw_vec3 x = is_last ? target : moved_back(leg, 0, one[t], target);
        const int m = solve_two(leg, first, p, x, two);
        for (int k = 0; k < m; ++k, ++count) {
            q[count][is_last ? 2 : 0] = one[t];
            q[count][first] = two[k][0];
            q[count][first + 1] = two[k][1];
        }
    }
    return count;
}

int lwi_leg_solve(const lwi_leg *leg, lw_vec3 target, lwi_angle q[][LWI_LEG_JOINTS])
{
    lwi_angle one[2], two[2][2];
    int n = 0;
    switch (leg->kind) {
    case LWI_LEG_NONE:
        break;
    case LWI_LEG_ONE:
        n = leg->length > 0.0 ? to_distance(leg, 0, leg->end, target, leg->length, one)
                              : to_point(leg, 0, leg->end, target, one);
        for (int t = 0; t < n; ++t) {
            q[t][0] = one[t];
        }
        break;
    case LWI_LEG_TWO:
        n = solve_two(leg, 0, leg->end, target, two);
        for (int t = 0; t < n; ++t) {
            q[t][0] = two[t][0];
            q[t][1] = two[t][1];
        }
        break;
    case LWI_LEG_THREE_GENERAL:
        n = solve_general(leg, target, q);
        break;
    default:
        n = solve_three(leg, target, q);
        break;
    }
    return n;
}

double lwi_leg_gap(const lwi_leg *leg, lw_vec3 target, const lwi_angle *q)
{
    lw_vec3 p = leg->end;
    for (int i = leg->n - 1; i >= 0; --i) {
        p = moved(leg, i, q[i], p);
    }
    return fabs(lw_norm3(lw_sub3(p, target)) - leg->length);
}

// Whether axes i and i + 1 intersect; both points are then moved there.
static bool meet(lwi_leg *leg, int i)
{
    const lw_vec3 h = leg->h[i], g = leg->h[i + 1], normal = lw_cross3(h, g);
    const lw_vec3 d = lw_sub3(leg->c[i + 1], leg->c[i]);
    const double size2 = lw_dot3(normal, normal);
    if (leg->slides[i] || leg->slides[i + 1] || size2 < parallel * parallel ||
        fabs(lw_dot3(normal, d)) > 1e-9 * leg->scale * sqrt(size2)) {
        return false;
    }
    const double along = lw_dot3(lw_cross3(d, g), normal) / size2;
    leg->c[i] = lw_add3(leg->c[i], lw_scale3(along, h));
    leg->c[i + 1] = leg->c[i];
    return true;
}

static bool are_parallel(const lwi_leg *leg, int i)
{
    return !leg->slides[i] && !leg->slides[i + 1] &&
           lw_norm3(lw_cross3(leg->h[i], leg->h[i + 1])) < parallel;
}

// Whether joint i moves points along an axis, so that a component determines it.
static bool moves_along(const lwi_leg *leg, int i, lw_vec3 axis)
{
    return leg->slides[i] ? fabs(lw_dot3(axis, leg->h[i])) > parallel
                          : lw_norm3(lw_cross3(axis, leg->h[i])) > parallel;
}

void lwi_leg_classify(lwi_leg *leg)
{
    leg->kind = LWI_LEG_NONE;
    if (leg->n == 1) {
        leg->kind = LWI_LEG_ONE;
    } else if (leg->n == 2 && leg->length == 0.0) {
        const bool same_slides = leg->slides[0] && leg->slides[1] &&
                                 lw_norm3(lw_cross3(leg->h[0], leg->h[1])) < parallel;
        leg->kind = same_slides ? LWI_LEG_NONE : LWI_LEG_TWO;
    } else if (leg->n == 3 && leg->length == 0.0) {
        leg->kind = meet(leg, 0)                                             ? LWI_LEG_MEET_FIRST
                    : meet(leg, 1)                                           ? LWI_LEG_MEET_LAST
                    : are_parallel(leg, 1) && moves_along(leg, 0, leg->h[1]) ? LWI_LEG_ALONG_LAST
                    : are_parallel(leg, 0) && moves_along(leg, 2, leg->h[0]) ? LWI_LEG_ALONG_FIRST
                    : leg->slides[0] || leg->slides[1] || leg->slides[2]     ? LWI_LEG_NONE
                                                                         : LWI_LEG_THREE_GENERAL;
    }
}
