// Decompositions after Elias and Wen (2022), which extend Pieper (1968): each class is a short list
// of subproblems. Points p between axes are those of the arm at zero position, R_i = R(h_i, q_i).
#include "six.h"

#include "ik_kernels.h"
#include "subproblem.h"

#include <math.h>
#include <string.h>

// Whether three axes meet, at which point, and by what margin.
static bool is_spherical(const lwi_arm *arm, int k, double angle, double distance, lw_vec3 *center,
                         double *apart)
{
    lw_vec3 a, b, c, d;
    if (lwi_axis_angle(arm, k, k + 1) < angle || lwi_axis_angle(arm, k + 1, k + 2) < angle) {
        return false; // two of them are one
    }
    const double first = lwi_axis_distance(arm, k, k + 1, &a, &b),
                 second = lwi_axis_distance(arm, k + 1, k + 2, &c, &d);
    *apart = fmax(fmax(first, second), lw_norm3(lw_sub3(b, c)));
    *center = lw_scale3(0.25, lw_add3(lw_add3(a, b), lw_add3(c, d)));
    return *apart < distance;
}

static void add_fact(lwi_six *six, lw_ik_property property, int first, int last, double margin)
{
    six->fact[six->nfact++] = (lw_ik_fact){property, first, last, margin};
}

// Makes axes parallel that nearly are: each becomes the mean direction.
static void align(lwi_arm *arm, int first, int last)
{
    lw_vec3 sum = {0.0, 0.0, 0.0};
    for (int i = first; i <= last; ++i) {
        sum = lw_add3(sum, lw_scale3(copysign(1.0, lw_dot3(arm->h[i], arm->h[first])), arm->h[i]));
    }
    sum = lw_unit3(sum);
    for (int i = first; i <= last; ++i) {
        arm->h[i] = lw_scale3(copysign(1.0, lw_dot3(arm->h[i], sum)), sum);
    }
}

static bool try_spherical(lwi_six *six, double angle, double reach)
{
    lwi_arm *arm = &six->arm;
    lw_vec3 a, b, center;
    double off;
    if (!is_spherical(arm, 3, angle, reach, &center, &off)) {
        return false;
    }
    arm->c[3] = arm->c[4] = arm->c[5] = center;
    add_fact(six, LW_IK_SPHERICAL, 3, 5, off);
    if ((off = lwi_axis_angle(arm, 1, 2)) < angle) {
        six->kind = LWI_SIX_SPHERICAL_PARALLEL;
        add_fact(six, LW_IK_PARALLEL, 1, 2, off);
        align(arm, 1, 2);
    } else if ((off = lwi_axis_angle(arm, 0, 1)) < angle) {
        six->kind = LWI_SIX_PARALLEL_SPHERICAL;
        add_fact(six, LW_IK_PARALLEL, 0, 1, off);
        align(arm, 0, 1);
    } else if ((off = lwi_axis_distance(arm, 0, 1, &a, &b)) < reach) {
        six->kind = LWI_SIX_SPHERICAL_MEETING;
        arm->c[0] = arm->c[1] = lw_scale3(0.5, lw_add3(a, b));
        add_fact(six, LW_IK_INTERSECTING, 0, 1, off);
    } else {
        six->kind = LWI_SIX_SPHERICAL;
    }
    return true;
}

static bool try_parallel(lwi_six *six, double angle, double reach)
{
    lwi_arm *arm = &six->arm;
    lw_vec3 a, b;
    const double one = lwi_axis_angle(arm, 1, 2), two = lwi_axis_angle(arm, 2, 3);
    if (one >= angle || two >= angle || lwi_axis_angle(arm, 0, 1) <= angle ||
        lwi_axis_angle(arm, 3, 4) <= angle) {
        return false;
    }
    six->kind = LWI_SIX_PARALLEL;
    add_fact(six, LW_IK_PARALLEL, 1, 3, fmax(one, two));
    align(arm, 1, 3);
    const double off = lwi_axis_distance(arm, 4, 5, &a, &b);
    if (lwi_axis_angle(arm, 4, 5) > angle && off < reach) {
        six->kind = LWI_SIX_PARALLEL_MEETING;
        arm->c[4] = arm->c[5] = lw_scale3(0.5, lw_add3(a, b));
        add_fact(six, LW_IK_INTERSECTING, 4, 5, off);
    }
    return true;
}

static bool try_class(lwi_six *six, double angle, double distance)
{
    const double reach = distance * six->scale;
    return try_spherical(six, angle, reach) || try_parallel(six, angle, reach);
}

static lwi_orbit orbit_of(lw_vec3 k, lw_vec3 p)
{
    const lw_vec3 x = lw_cross3(k, p), y = lw_cross3(x, k);
    const lwi_orbit orbit = {lw_scale3(lw_dot3(k, p), k), y, x};
    return orbit;
}

// A unit vector across another.
static lw_vec3 across(lw_vec3 h)
{
    return lw_unit3(
        lw_cross3(h, fabs(h.x) < 0.6 ? lw_vec3_of(1.0, 0.0, 0.0) : lw_vec3_of(0.0, 1.0, 0.0)));
}

// What does not depend on the target.
static void fill_constants(lwi_six *six)
{
    const lw_vec3 *h = six->arm.h;
    lw_vec3 *p = six->p;
    for (int i = 0; i < 5; ++i) {
        p[i] = lw_sub3(six->arm.c[i + 1], six->arm.c[i]);
    }
    six->elbow = orbit_of(h[2], p[2]);
    six->sixth = orbit_of(h[4], h[5]);
    six->tail = orbit_of(h[4], p[4]);
    six->elbow_s = -lw_dot3(p[1], six->elbow.across);
    six->elbow_c = -lw_dot3(p[1], six->elbow.along);
    six->elbow_e =
        0.5 * (lw_dot3(p[1], p[1]) + lw_dot3(p[2], p[2])) + lw_dot3(p[1], six->elbow.fixed);
    // p45 is zero where the wrist is spherical.
    six->along_second = lw_dot3(h[1], lw_add3(lw_add3(p[0], p[1]), lw_add3(p[2], p[3])));
    six->cosine45 = lw_dot3(h[3], h[4]);
    six->cosine56 = lw_dot3(h[4], h[5]);
    six->sense3 = copysign(1.0, lw_dot3(h[1], h[2]));
    six->sense4 = copysign(1.0, lw_dot3(h[1], h[3]));
    six->normal = lw_cross3(h[4], h[3]);
    six->x2 = across(h[1]);
    six->x6 = across(h[5]);
    six->y6 = lw_cross3(h[5], six->x6);
}

lwi_six lwi_six_of(const lwi_arm *arm, double angle, double distance)
{
    lwi_six six = {.kind = LWI_SIX_GENERAL, .arm = *arm, .scale = lwi_arm_length(arm)};
    if (arm->n != 6) {
        return six;
    }
    for (int i = 0; i < 6; ++i) {
        if (arm->slides[i]) {
            return six;
        }
    }
    if (!try_class(&six, angle, distance)) {
        six.arm = lwi_arm_reversed(arm);
        six.is_reversed = try_class(&six, angle, distance);
        if (!six.is_reversed) {
            six.arm = *arm;
        }
    }
    for (int i = 0; i < six.nfact; ++i) {
        const lw_ik_fact *f = &six.fact[i];
        six.margin =
            fmax(six.margin, f->property == LW_IK_PARALLEL ? f->margin : f->margin / six.scale);
    }
    // A change of the geometry changes a root by its square root where it vanishes.
    six.least_root = lwi_six_is_near(&six) ? fmin(0.1, 3.0 * sqrt(six.margin)) : 0.0;
    fill_constants(&six);
    return six;
}

static void keep_front(lwi_six_target *t, int joint, const lwi_angle *a)
{
    for (int i = 0; i < t->nfront; ++i) {
        t->front_s[joint][i] = a[i].s;
        t->front_c[joint][i] = a[i].c;
    }
}

// Branches of q1 and q3 by subproblem 6: components along axis 2, and lengths, of both sides of
// R1' p16 - p12 = R2 (p23 + R3 p34). (Subproblem 5 is the same equation, but loses roots.)
static void find_one_and_three(const lwi_six *six, lwi_six_target *t)
{
    const lw_vec3 *axis = six->arm.h, *p = six->p;
    const lw_vec3 base = lw_scale3(-1.0, axis[0]);
    const double unit = 1.0 / six->scale;
    const lw_vec3 h[4] = {axis[1], lw_scale3(-1.0, axis[1]), lw_scale3(unit, p[0]),
                          lw_scale3(unit, p[1])},
                  k[4] = {base, axis[2], base, axis[2]}, v[4] = {t->p16, p[2], t->p16, p[2]};
    const double d[2] = {lw_dot3(axis[1], lw_add3(p[0], p[1])),
                         0.5 * unit *
                             (lw_dot3(t->p16, t->p16) + lw_dot3(p[0], p[0]) - lw_dot3(p[1], p[1]) -
                              lw_dot3(p[2], p[2]))};
    lwi_angle a[4], b[4];
    t->nfront = lwi_subproblem6(h, k, v, d, a, b);
    keep_front(t, 0, a);
    keep_front(t, 1, b);
}

// Branches of q1 and q5 by subproblem 6: positions and directions along the parallel axes.
static void find_one_and_five(const lwi_six *six, lwi_six_target *t)
{
    const lw_vec3 *axis = six->arm.h;
    const lw_vec3 base = lw_scale3(-1.0, axis[0]), minus = lw_scale3(-1.0, axis[1]);
    const double unit = 1.0 / six->scale;
    const lw_vec3 h[4] = {axis[1], minus, axis[1], minus}, k[4] = {base, axis[4], base, axis[4]},
                  v[4] = {lw_scale3(unit, t->p16), lw_scale3(unit, six->p[4]), t->v, axis[5]};
    const double d[2] = {unit * six->along_second, 0.0};
    lwi_angle a[4], b[4];
    t->nfront = lwi_subproblem6(h, k, v, d, a, b);
    keep_front(t, 0, a);
    keep_front(t, 1, b);
}

void lwi_six_solve(const lwi_six *six, const lw_pose *X, const lwi_angle *seed, lwi_candidates *out)
{
    const lwi_arm *arm = &six->arm;
    const lw_pose target = six->is_reversed ? lw_pose_inverse(X) : *X;
    const lw_mat3 back = lw_transpose3(&arm->X_BT.R);
    lwi_six_target t = {.R06 = lw_mul3(&target.R, &back), .nfront = 4};
    const lw_vec3 beyond = lw_rotate(&t.R06, lw_sub3(arm->X_BT.p, arm->c[5]));
    t.p16 = lw_sub3(lw_sub3(target.p, arm->c[0]), beyond);
    t.v = lw_rotate(&t.R06, arm->h[5]);
    t.x = lw_rotate(&t.R06, six->x6);
    for (int i = 0; i < 6; ++i) {
        t.seed[i] = seed[six->is_reversed ? 5 - i : i];
    }
    out->count = 0;
    if (six->kind == LWI_SIX_GENERAL) {
        return;
    }
    if (six->kind == LWI_SIX_SPHERICAL) {
        find_one_and_three(six, &t);
    } else if (six->kind == LWI_SIX_PARALLEL) {
        find_one_and_five(six, &t);
    }
    lwi_get_ik_kernels()->solve_six(six, &t, out);
}
