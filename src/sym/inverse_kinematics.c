// Inverse kinematics as straight-line equations: all solutions of an arm that has a closed form, by
// subproblems 1, 3 and 4 (Paden 1986, Kahan 1983) on pairs of sine and cosine. Roots are taken with
// both signs, arc tangents only of what is returned. Joints count from 1 in comments.
#include "inverse_kinematics.h"

#include "inverse_family.h"
#include "inverse_solver.h"
#include "symbols.h"

#include "../base/report.h"

#include <linkwork/kinematics.h>

#include <string.h>

// q3 from |p23 + R3 p34|^2 = length2.
static void set_elbow(lwi_solver *a, lwi_expr length2, int sign)
{
    lwi_graph *g = a->g;
    const double scale2 = a->scale * a->scale;
    const lw_vec3 *p = a->p;
    const lwi_orbit o = orbit_of(a->arm.h[2], p[2]);
    const double e = 0.5 * (lw_dot3(p[1], p[1]) + lw_dot3(p[2], p[2])) + lw_dot3(p[1], o.fixed);
    const lwi_expr s = lwi_number(g, cleaned(-lw_dot3(p[1], o.across), scale2));
    const lwi_expr c = lwi_number(g, cleaned(-lw_dot3(p[1], o.along), scale2));
    const lwi_expr half = lwi_scale(g, 0.5, length2);
    a->q[2] = root(a, s, c, lwi_sub(g, lwi_number(g, e), half), sign, scale2);
}

// q1 from k . R1' p16 = e.
static void set_shoulder(lwi_solver *a, lw_vec3 k, double size, lwi_expr e, int sign)
{
    lwi_graph *g = a->g;
    const lw_vec3 h = a->arm.h[0], across = lw_cross3(h, k);
    const lwi_expr s = vec_dot(g, number3(a, across, size), a->p16);
    const lwi_expr c = vec_dot(g, number3(a, lw_cross3(across, h), size), a->p16);
    const lwi_expr fixed = vec_dot(g, number3(a, lw_scale3(lw_dot3(k, h), h), size), a->p16);
    a->q[0] = root(a, s, c, lwi_sub(g, e, fixed), sign, size * a->scale);
}

// p23 + R3 p34
static lwi_vec beyond_second(lwi_solver *a)
{
    const lwi_orbit o = orbit_of(a->arm.h[2], a->p[2]);
    const lwi_vec elbow = on_orbit(a, &o, a->q[2], a->scale);
    return vec_add(a->g, number3(a, a->p[1], a->scale), elbow);
}

// R1' p16 - p12
static lwi_vec from_second(lwi_solver *a)
{
    const lwi_vec w = rotate(a, a->arm.h[0], opposite(a->q[0]), a->p16);
    return vec_sub(a->g, w, number3(a, a->p[0], a->scale));
}

// --- Wrists -----------------------------------------------------------------------------------

// q6 where `w` is h5 as all joints before rotate it: R6' h5 is w seen from behind joint 6.
static pair last_angle(lwi_solver *a, lwi_vec w, lwi_vec x, lwi_vec y)
{
    const lwi_expr s = lwi_neg(vec_dot(a->g, w, y));
    return (pair){s, vec_dot(a->g, w, x)};
}

// q4, q5 and q6 of a spherical wrist: h5 . R4' v = h5 . h6, R5 h6 = R4' v, R6' h5 = (R4 R5 R6)' R4
// h5.
void lwi_set_wrist(lwi_solver *a, const int at[3], lwi_vec v, lwi_vec x, lwi_vec y, int sign)
{
    lwi_graph *g = a->g;
    const lw_vec3 h4 = a->arm.h[at[0]], h5 = a->arm.h[at[1]], h6 = a->arm.h[at[2]];
    const lw_vec3 normal = lw_cross3(h5, h4);
    const lwi_orbit fifth = orbit_of(h4, h5), sixth = orbit_of(h5, h6),
                    across = orbit_of(h4, sixth.across), along = orbit_of(h4, sixth.along);
    const lwi_expr s = vec_dot(g, number3(a, lw_cross3(h4, h5), 1.0), v);
    const lwi_expr c = vec_dot(g, number3(a, lw_cross3(h4, normal), 1.0), v);
    const lwi_expr known = vec_dot(g, number3(a, fifth.fixed, 1.0), v);
    const lwi_expr want = lwi_number(g, cleaned(lw_dot3(h5, h6), 1.0));
    const pair q = root(a, s, c, lwi_sub(g, want, known), sign, 1.0);
    a->q[at[0]] = q;
    a->q[at[1]].s = vec_dot(g, on_orbit(a, &across, q, 1.0), v);
    a->q[at[1]].c = vec_dot(g, on_orbit(a, &along, q, 1.0), v);
    a->q[at[2]] = last_angle(a, on_orbit(a, &fifth, q, 1.0), x, y);
}

static void solve_wrist(lwi_solver *a, lwi_vec v, lwi_vec x, lwi_vec y)
{
    static const int at[3] = {3, 4, 5};
    const lwi_expr is_real = a->is_real;
    for (int sign = 1; sign >= -1; sign -= 2) {
        a->is_real = is_real;
        lwi_set_wrist(a, at, v, x, y, sign);
        lwi_keep_row(a);
    }
}

// The sum of two angles about parallel axes, of which the second may point the other way.
static pair parallel_sum(lwi_solver *a, lw_vec3 h, lw_vec3 other, pair q, pair r)
{
    return plus(a, q, lw_dot3(h, other) < 0.0 ? opposite(r) : r);
}

// The wrist behind joints 1 to 3.
static void solve_behind_three(lwi_solver *a, bool is_parallel)
{
    const lw_vec3 *h = a->arm.h;
    lwi_vec part[3] = {a->v, a->x, a->y};
    const pair both = is_parallel ? parallel_sum(a, h[1], h[2], a->q[1], a->q[2]) : a->q[1];
    for (int i = 0; i < 3; ++i) {
        part[i] = rotate(a, h[0], opposite(a->q[0]), part[i]);
        part[i] = rotate(a, h[1], opposite(both), part[i]);
        if (!is_parallel && !a->arm.slides[2]) {
            part[i] = rotate(a, h[2], opposite(a->q[2]), part[i]);
        }
    }
    solve_wrist(a, part[0], part[1], part[2]);
}

// --- Classes ----------------------------------------------------------------------------------

static void set_second(lwi_solver *a)
{
    const lwi_vec u = beyond_second(a);
    a->q[1] = between(a, a->arm.h[1], u, from_second(a), a->scale * a->scale);
}

// R1' p16 - p12 = R2 (p23 + R3 p34)
static void set_three(lwi_solver *a, lwi_six_class kind, int shoulder, int elbow)
{
    lwi_graph *g = a->g;
    const lw_vec3 *h = a->arm.h, *p = a->p;
    const double scale = a->scale;
    if (kind == LWI_SIX_SPHERICAL_PARALLEL) { // h2 . (p23 + R3 p34) does not depend on q3
        const double e = lw_dot3(h[1], lw_add3(p[0], lw_add3(p[1], p[2])));
        set_shoulder(a, h[1], 1.0, lwi_number(g, cleaned(e, scale)), shoulder);
        const lwi_vec w = from_second(a);
        set_elbow(a, vec_dot(g, w, w), elbow);
    } else if (kind == LWI_SIX_SPHERICAL_MEETING) { // p12 = 0
        set_elbow(a, vec_dot(g, a->p16, a->p16), elbow);
        const lwi_vec u = beyond_second(a);
        set_shoulder(a, h[1], 1.0, vec_dot(g, number3(a, h[1], 1.0), u), shoulder);
    } else { // h1 = h2: h2 . R3 p34 is known
        const lwi_orbit o = orbit_of(h[2], p[2]);
        const double known = lw_dot3(h[1], lw_add3(lw_add3(p[0], p[1]), o.fixed));
        const lwi_expr s = lwi_number(g, cleaned(lw_dot3(h[1], o.across), scale));
        const lwi_expr c = lwi_number(g, cleaned(lw_dot3(h[1], o.along), scale));
        const lwi_expr height = vec_dot(g, number3(a, h[1], 1.0), a->p16);
        const lwi_expr e = lwi_sub(g, height, lwi_number(g, cleaned(known, scale)));
        a->q[2] = root(a, s, c, e, elbow, scale);
        const lwi_vec u = beyond_second(a);
        const lwi_expr lengths =
            lwi_add(g, vec_dot(g, a->p16, a->p16), lwi_number(g, lw_dot3(p[0], p[0])));
        const lwi_expr rest = lwi_sub(g, lengths, vec_dot(g, u, u));
        set_shoulder(a, p[0], scale, lwi_scale(g, 0.5, rest), shoulder);
    }
    set_second(a);
}

static void solve_spherical(lwi_solver *a, int shoulder, int elbow)
{
    const lwi_six_class kind = a->ik->six.kind;
    set_three(a, kind, shoulder, elbow);
    solve_behind_three(a, kind == LWI_SIX_SPHERICAL_PARALLEL);
}

// The tip in place of the wrist's point.
static void solve_point(lwi_solver *a, int shoulder, int elbow)
{
    lwi_arm unused;
    a->p[2] = clean3(lw_sub3(a->arm.X_BT.p, a->arm.c[2]), a->scale);
    a->p16 = vec_sub(a->g, a->X.p, a->at[0]);
    set_three(a, lwi_point_class(a->ik, &unused), shoulder, elbow);
    lwi_keep_row(a);
}

// Three parallel axes 2, 3 and 4; axes 5 and 6 intersect. The sum of the three angles comes first.
static void solve_parallel(lwi_solver *a, int shoulder, int wrist)
{
    lwi_graph *g = a->g;
    const lw_vec3 *h = a->arm.h, *p = a->p;
    const double scale = a->scale,
                 far = lw_dot3(h[1], lw_add3(lw_add3(p[0], p[1]), lw_add3(p[2], p[3])));
    set_shoulder(a, h[1], 1.0, lwi_number(g, cleaned(far, scale)), shoulder);
    const pair back = opposite(a->q[0]);
    const lwi_vec v = rotate(a, h[0], back, a->v), x = rotate(a, h[0], back, a->x),
                  y = rotate(a, h[0], back, a->y);
    const lwi_orbit sixth = orbit_of(h[4], h[5]), fifth = orbit_of(h[1], h[4]),
                    tail = orbit_of(h[1], p[3]);
    const lwi_expr s = lwi_number(g, cleaned(lw_dot3(h[1], sixth.across), 1.0));
    const lwi_expr c = lwi_number(g, cleaned(lw_dot3(h[1], sixth.along), 1.0));
    const lwi_expr known = lwi_number(g, cleaned(lw_dot3(h[1], sixth.fixed), 1.0));
    const lwi_expr along = vec_dot(g, number3(a, h[1], 1.0), v);
    a->q[4] = root(a, s, c, lwi_sub(g, along, known), wrist, 1.0);
    const pair sum = between(a, h[1], on_orbit(a, &sixth, a->q[4], 1.0), v, 1.0);
    a->q[5] = last_angle(a, on_orbit(a, &fifth, sum, 1.0), x, y);
    const lwi_vec delta = vec_sub(g, from_second(a), on_orbit(a, &tail, sum, scale));
    const lwi_expr length2 = vec_dot(g, delta, delta), is_real = a->is_real;
    for (int elbow = 1; elbow >= -1; elbow -= 2) {
        a->is_real = is_real;
        set_elbow(a, length2, elbow);
        a->q[1] = between(a, h[1], beyond_second(a), delta, scale * scale);
        const pair two = parallel_sum(a, h[1], h[2], a->q[1], a->q[2]);
        const pair rest = plus(a, sum, opposite(two));
        a->q[3] = lw_dot3(h[1], h[3]) < 0.0 ? opposite(rest) : rest;
        lwi_keep_row(a);
    }
}

// Two revolute joints and a prismatic one across the second, before a spherical wrist (Stanford):
// R1' p16 - p12 = R2 (p23 + d h3), whose part along axis 2 does not depend on d.
static void solve_sliding(lwi_solver *a, int shoulder, int far)
{
    lwi_graph *g = a->g;
    const lw_vec3 *h = a->arm.h, *p = a->p, before = lw_add3(p[1], p[2]);
    const double scale = a->scale, e = lw_dot3(h[1], lw_add3(p[0], before)),
                 along = lw_dot3(h[2], before);
    set_shoulder(a, h[1], 1.0, lwi_number(g, cleaned(e, scale)), shoulder);
    const lwi_vec w = from_second(a);
    const lwi_expr known =
        lwi_number(g, cleaned(along * along - lw_dot3(before, before), scale * scale));
    // Beyond reach the root is that of the absolute value, and the branch is marked.
    const lwi_expr square = lwi_add(g, vec_dot(g, w, w), known);
    require(a, lwi_add(g, square, lwi_number(g, 1e-12 * scale * scale)));
    const lwi_expr length = lwi_sqrt(g, lwi_mul(g, square, lwi_sign(g, square)));
    a->slide[2] =
        lwi_sub(g, far > 0 ? length : lwi_neg(length), lwi_number(g, cleaned(along, scale)));
    const lwi_vec reach = vec_scale(g, a->slide[2], number3(a, h[2], 1.0));
    const lwi_vec u = vec_add(g, number3(a, before, scale), reach);
    a->q[1] = between(a, h[1], u, w, scale * scale);
    solve_behind_three(a, false);
}

// The part of a vector across an axis.
static lwi_vec across_axis(lwi_solver *a, lwi_vec axis, lwi_vec x)
{
    const lwi_vec along = vec_scale(a->g, vec_dot(a->g, axis, x), axis);
    return clean_vec(a, vec_sub(a->g, x, along), a->scale);
}

// R u for u across the axis.
static lwi_vec bent(lwi_solver *a, lwi_vec axis, lwi_vec u, pair q)
{
    const lwi_vec across = vec_scale(a->g, q.s, vec_cross(a->g, axis, u));
    return vec_add(a->g, vec_scale(a->g, q.c, u), across);
}

// The angle from |one + R two| = |w|, for vectors across the axis.
static pair bend_to(lwi_solver *a, lwi_vec axis, lwi_vec one, lwi_vec two, lwi_vec w, int sign)
{
    lwi_graph *g = a->g;
    const double scale2 = a->scale * a->scale;
    const lwi_expr s = clean_expr(a, vec_dot(g, one, vec_cross(g, axis, two)), scale2),
                   c = clean_expr(a, vec_dot(g, one, two), scale2),
                   lengths = lwi_add(g, vec_dot(g, one, one), vec_dot(g, two, two)),
                   rest = lwi_sub(g, vec_dot(g, w, w), lengths);
    return root(a, s, c, lwi_scale(g, 0.5, rest), sign, scale2);
}

// Three revolute joints and a prismatic one, all axes parallel (SCARA): the prismatic joint takes
// the height, the sum of the angles is that of the rotation.
static void solve_scara(lwi_solver *a)
{
    lwi_graph *g = a->g;
    const lwi_arm *arm = &a->arm;
    int turn[3], slide = 0, n = 0;
    for (int i = 0; i < arm->n; ++i) {
        if (arm->slides[i]) {
            slide = i;
        } else {
            turn[n++] = i;
        }
    }
    const lw_vec3 h = arm->h[turn[0]];
    const double scale = a->scale, scale2 = scale * scale;
    const lwi_vec axis = number3(a, h, 1.0), one = vec_sub(g, a->at[turn[1]], a->at[turn[0]]),
                  two = vec_sub(g, a->at[turn[2]], a->at[turn[1]]);
    const lwi_vec flat = across_axis(a, axis, one), along = across_axis(a, axis, two);
    const lwi_vec w = vec_sub(g, a->p16, vec_scale(g, vec_dot(g, axis, a->p16), axis));
    const lwi_expr height = clean_expr(a, vec_dot(g, axis, vec_add(g, one, two)), scale);
    const lwi_expr rise = lwi_sub(g, vec_dot(g, axis, a->p16), height);
    a->slide[slide] = lw_dot3(arm->h[slide], h) < 0.0 ? lwi_neg(rise) : rise;
    // x and y are x6 and y6 as the whole arm rotates them, v is the common axis.
    const lwi_expr sine = vec_dot(g, number3(a, a->y6, 1.0), a->x);
    const pair sum = {sine, vec_dot(g, number3(a, a->x6, 1.0), a->x)};
    const lwi_vec upright = number3(a, arm->h[arm->n - 1], 1.0);
    for (int elbow = 1; elbow >= -1; elbow -= 2) {
        a->is_real = LWI_ONE;
        require_same(a, a->v, upright);
        const pair bend = bend_to(a, axis, flat, along, w, elbow);
        const lwi_vec reach = vec_add(g, flat, bent(a, axis, along, bend));
        const pair first = between(a, h, reach, w, scale2);
        const pair last = plus(a, sum, opposite(plus(a, first, bend)));
        const pair q[3] = {first, bend, last};
        for (int i = 0; i < 3; ++i) {
            a->q[turn[i]] = lw_dot3(arm->h[turn[i]], h) < 0.0 ? opposite(q[i]) : q[i];
        }
        lwi_keep_row(a);
    }
}

// Marks the branch as not real where a rod is beyond its dead centre.
static void require_rods(lwi_solver *a)
{
    lwi_graph *g = a->g;
    const double scale2 = a->scale * a->scale;
    const lw_vec3 *h = a->arm.h;
    const pair both = parallel_sum(a, h[1], h[2], a->q[1], a->q[2]),
               third = lw_dot3(h[1], h[2]) < 0.0 ? opposite(a->q[2]) : a->q[2],
               angle[3] = {a->q[1], both, third};
    for (int i = 0; i < a->rods.n; ++i) {
        const lwi_level_rod *rod = &a->rods.rod[i];
        lwi_expr side = lwi_number(g, cleaned(rod->constant, scale2) + 1e-12 * scale2);
        for (int k = 0; k < 3; ++k) {
            const lwi_expr along = lwi_number(g, cleaned(rod->along[k], scale2)),
                           across = lwi_number(g, cleaned(rod->across[k], scale2));
            side = lwi_add(g, side, lwi_add_products(g, along, angle[k].c, across, angle[k].s));
        }
        require(a, side);
    }
}

// Joints 2, 3 and 4 are parallel and their sum is known (palletiser), so that the way p45 beyond
// them is: R1' p15 - p12 - R234 p45 = R2 (p23 + R3 p34). Without a fifth joint that way is zero.
static void solve_level(lwi_solver *a, int shoulder)
{
    lwi_graph *g = a->g;
    const lw_vec3 *h = a->arm.h, *p = a->p;
    const lwi_angle sum = a->rods.sum;
    const int last = a->arm.n - 1;
    const lw_vec3 tail = lwi_rotate_about(h[1], sum, p[3]),
                  across = clean3(lwi_rotate_about(h[1], sum, a->x6), 1.0),
                  axis = lwi_rotate_about(h[1], sum, h[last]);
    const double scale = a->scale,
                 far = lw_dot3(h[1], lw_add3(lw_add3(p[0], p[1]), lw_add3(p[2], p[3])));
    set_shoulder(a, h[1], 1.0, lwi_number(g, cleaned(far, scale)), shoulder);
    const pair back = opposite(a->q[0]);
    const lwi_vec v = rotate(a, h[0], back, a->v), x = rotate(a, h[0], back, a->x);
    require_same(a, v, number3(a, axis, 1.0));
    if (last == 4) {
        a->q[4] = between(a, clean3(axis, 1.0), number3(a, across, 1.0), x, 1.0);
    } else {
        require_same(a, x, number3(a, across, 1.0));
    }
    const lwi_vec delta = vec_sub(g, from_second(a), number3(a, tail, scale));
    const lwi_expr length2 = vec_dot(g, delta, delta), is_real = a->is_real;
    for (int elbow = 1; elbow >= -1; elbow -= 2) {
        a->is_real = is_real;
        set_elbow(a, length2, elbow);
        a->q[1] = between(a, h[1], beyond_second(a), delta, scale * scale);
        require_rods(a);
        lwi_keep_row(a);
    }
}

// Two parallel axes, for the position alone: |p12 + R2 p23| = |p - p1|, R1 (p12 + R2 p23) = p - p1.
static void solve_planar(lwi_solver *a, int elbow)
{
    lwi_graph *g = a->g;
    const lwi_arm *arm = &a->arm;
    const double scale = a->scale, scale2 = scale * scale;
    const lwi_vec axis = number3(a, arm->h[0], 1.0), one = vec_sub(g, a->at[1], a->at[0]),
                  two = vec_sub(g, a->tip, a->at[1]), from = vec_sub(g, a->X.p, a->at[0]);
    const lwi_vec flat = across_axis(a, axis, one), along = across_axis(a, axis, two),
                  w = across_axis(a, axis, from);
    const lwi_expr level = clean_expr(a, vec_dot(g, axis, vec_add(g, one, two)), scale),
                   off = lwi_sub(g, vec_dot(g, axis, from), level);
    require(a, lwi_sub(g, lwi_number(g, 1e-12 * scale2), lwi_mul(g, off, off)));
    const pair bend = bend_to(a, axis, flat, along, w, elbow);
    const lwi_vec reach = vec_add(g, flat, bent(a, axis, along, bend));
    a->q[0] = between(a, arm->h[0], reach, w, scale2);
    a->q[1] = lw_dot3(arm->h[1], arm->h[0]) < 0.0 ? opposite(bend) : bend;
    lwi_keep_row(a);
}

// --- The arm ----------------------------------------------------------------------------------

static void read_target(lwi_solver *a)
{
    a->scale = a->ik->length;
    for (int i = 0; i < 12; ++i) {
        const lwi_expr e = lwi_symbol_of(a->g, "X", LWI_POSE, i);
        *(i < 9 ? &a->X.R.row[i / 3].e[i % 3] : &a->X.p.e[i - 9]) = e;
    }
}

// The target as the arm of the class sees it.
static void set_target(lwi_solver *a)
{
    lwi_graph *g = a->g;
    const lwi_arm *arm = &a->arm;
    const int last = arm->n - 1;
    lwi_frame X = a->X;
    if (a->is_reversed) {
        X.p = vec_neg(mat_apply_t(g, &X.R, X.p));
        X.R = mat_transpose(&X.R);
    }
    // R06 a is R (R0' a), with R0 that of the tip at zero position; the products are numbers.
    const lw_mat3 back = lw_transpose3(&arm->X_BT.R);
    const lw_mat3 clean = {
        {clean3(back.row[0], 1.0), clean3(back.row[1], 1.0), clean3(back.row[2], 1.0)}};
    const lwi_mat R = mat_number(g, &clean);
    const lwi_vec tip = mat_apply(g, &R, clean_vec(a, vec_sub(g, a->tip, a->at[last]), a->scale));
    const lwi_vec behind = mat_apply(g, &X.R, clean_vec(a, tip, a->scale));
    const lwi_vec from = vec_sub(g, X.p, a->at[0]);
    a->p16 = vec_sub(g, from, behind);
    a->v = mat_apply(g, &X.R, number3(a, lw_rotate(&back, arm->h[last]), 1.0));
    a->x = mat_apply(g, &X.R, number3(a, lw_rotate(&back, a->x6), 1.0));
    a->y = mat_apply(g, &X.R, number3(a, lw_rotate(&back, a->y6), 1.0));
}

static bool takes_lengths(lwi_inverse_family which)
{
    return which == LWI_FAMILY_SCARA || which == LWI_FAMILY_PLANAR || which == LWI_FAMILY_SLIDES;
}

// The points of the axes at zero position: where lengths are symbols, in terms of these.
static void place_points(lwi_solver *a)
{
    lwi_graph *g = a->g;
    const lw_model *m = a->k->m;
    const lwi_arm *arm = &a->arm;
    a->tip = number3(a, arm->X_BT.p, a->scale);
    for (int i = 0; i < arm->n && i < JOINTS; ++i) {
        a->at[i] = number3(a, arm->c[i], a->scale);
    }
    for (int i = 0; a->has_lengths && i <= arm->n; ++i) {
        const int body = a->ik->chain.body[i < arm->n ? i : arm->n - 1];
        lwi_vec p = i < arm->n ? vec_zero() : number3(a, m->frame[a->ik->def.tip].X_BF.p, a->scale);
        for (int b = body; b >= 0; b = m->parent[b]) {
            const lwi_sym_body *own = &a->k->body[b];
            p = vec_add(g, own->rest.p, mat_apply(g, &own->rest.R, p));
        }
        *(i < arm->n ? &a->at[i] : &a->tip) = p;
    }
}

static void prepare(lwi_solver *a, const lw_ik *ik, lwi_inverse_family which)
{
    lwi_arm *arm = &a->arm;
    const int n = arm->n;
    a->is_reversed = ik->kind == LWI_IK_SIX && ik->six.is_reversed;
    for (int i = 0; i < n; ++i) {
        arm->h[i] = clean3(arm->h[i], 1.0);
        arm->c[i] = clean3(arm->c[i], a->scale);
    }
    place_points(a);
    for (int i = 0; i + 1 < n && i < 5; ++i) {
        a->p[i] = clean3(lw_sub3(arm->c[i + 1], arm->c[i]), a->scale);
    }
    const lw_vec3 h = arm->h[n - 1];
    const bool is_any = which != LWI_FAMILY_SPHERICAL && which != LWI_FAMILY_PARALLEL &&
                        which != LWI_FAMILY_SLIDING;
    const lw_vec3 other = !is_any           ? arm->h[n - 2]
                          : fabs(h.x) < 0.6 ? lw_vec3_of(1.0, 0.0, 0.0)
                                            : lw_vec3_of(0.0, 1.0, 0.0);
    a->x6 = clean3(lw_unit3(lw_sub3(other, lw_scale3(lw_dot3(h, other), h))), 1.0);
    a->y6 = clean3(lw_cross3(h, a->x6), 1.0);
    if (which ==
        LWI_FAMILY_SCARA) { // the axis that the angles count about, and the last one that turns
        int last = n - 1, first = 0;
        last -= arm->slides[last] ? 1 : 0;
        first += arm->slides[first] ? 1 : 0;
        a->at[n - 1] = a->at[last];
        a->at[0] = a->at[first];
        if (lw_dot3(arm->h[first], h) < 0.0) {
            a->y6 = lw_scale3(-1.0, a->y6);
        }
    }
}

static void solve(lwi_solver *a, lwi_inverse_family which)
{
    // Branches are those of the first two roots; a third one is taken with both signs further in.
    const int count = lwi_family_branches(which);
    for (int branch = 0; branch < count; ++branch) {
        const int half = count / BRANCHES, one = branch < half || half == 0 ? 1 : -1,
                  two = branch % BRANCHES == 0 ? 1 : -1;
        a->is_real = LWI_ONE;
        switch (which) {
        case LWI_FAMILY_SPHERICAL:
            solve_spherical(a, one, two);
            break;
        case LWI_FAMILY_PARALLEL:
            solve_parallel(a, one, two);
            break;
        case LWI_FAMILY_SLIDING:
            solve_sliding(a, one, two);
            break;
        case LWI_FAMILY_LEVEL:
            solve_level(a, one);
            break;
        case LWI_FAMILY_SCARA:
            solve_scara(a);
            break;
        case LWI_FAMILY_PLANAR:
            solve_planar(a, one);
            break;
        case LWI_FAMILY_POINT:
            solve_point(a, one, two);
            break;
        case LWI_FAMILY_SLIDES:
            lwi_solve_slides(a);
            break;
        case LWI_FAMILY_SPHERES:
            lwi_solve_spheres(a);
            break;
        case LWI_FAMILY_NONE:
            break;
        }
    }
}

int lwi_inverse_rows(const lw_model *m)
{
    bool has_plane = false;
    for (int i = 0; i < m->nstep; ++i) {
        has_plane = has_plane || m->step[i].kind == LW_STEP_PLANAR;
    }
    return has_plane ? 16 : 8;
}

lw_status lwi_derive_inverse_kinematics(lwi_symbolic *k, int frame, lwi_expr *out)
{
    lw_ik *ik = NULL;
    lw_status status = lwi_inverse_solver(k->m, lw_default_ik_def(-1, frame), &ik, k->report);
    if (status != LW_OK) {
        return status;
    }
    lwi_solver *a = lwi_arena_take(&k->arena, 1, sizeof *a);
    double *work = lwi_arena_take(&k->arena, 3 * (size_t)k->m->tree_nq, sizeof *work);
    if (!a || !work) {
        lw_ik_destroy(ik);
        return LW_ERR_MEMORY;
    }
    *a = (lwi_solver){.k = k, .g = k->g, .ik = ik, .out = out};
    a->has_leg = ik->closed && lwi_leg_of(a);
    const lwi_inverse_family which = lwi_inverse_family_of(ik, a->has_leg, &a->arm);
    for (int i = 0; i < k->nsymbol; ++i) {
        a->has_lengths = a->has_lengths || lwi_is_length(&k->symbol[i]);
    }
    if (which == LWI_FAMILY_NONE ||
        (which == LWI_FAMILY_LEVEL && !lwi_level_rods_of(ik, work, &a->rods))) {
        status = lwi_refuse_inverse(ik, frame, k->report);
    } else if (k->inputs && a->has_lengths && (!takes_lengths(which) || a->has_leg)) {
        status =
            lwi_report_error(k->report, (lw_location){0}, LW_ERR_UNSUPPORTED,
                             "inverse kinematics of frame \"%s\": lengths are inputs of SCARA, "
                             "gantry, cylindrical and planar types only; in the equations of "
                             "others they are numbers",
                             k->m->frame[frame].name);
    } else {
        a->has_lengths = a->has_lengths && takes_lengths(which) && !a->has_leg;
        read_target(a);
        if (a->arm.n > 0) { // else it is a platform
            prepare(a, ik, which);
            set_target(a);
        }
        solve(a, which);
    }
    lw_ik_destroy(ik);
    return status;
}

lw_status lwi_pose_of_frame(const lw_model *m, int frame, const double *q, double X[12])
{
    lw_data *d = NULL;
    lw_pose pose;
    lw_status status = lw_data_create(m, &d);
    if (status == LW_OK) {
        status = lw_pose_of_frame(m, d, q, frame, &pose);
    }
    if (status == LW_OK) {
        memcpy(X, pose.R.row, 9 * sizeof *X);
        memcpy(X + 9, &pose.p, 3 * sizeof *X);
    }
    lw_data_destroy(d);
    return status;
}
