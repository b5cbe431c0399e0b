// Decompositions after Elias and Wen (2022), which extend Pieper (1968): each class is a short list
// of subproblems. Points p between axes are those of the arm at zero position, R_i = R(h_i, q_i).
#include "six.h"

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
    } else if ((off = lwi_axis_angle(arm, 0, 1)) < angle) {
        six->kind = LWI_SIX_PARALLEL_SPHERICAL;
        add_fact(six, LW_IK_PARALLEL, 0, 1, off);
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
    return six;
}

// What the decompositions share: the pose, and solutions so far.
typedef struct solving {
    const lwi_six *six;
    const lwi_angle *seed;
    lw_mat3 R06;
    lw_vec3 p16;  // from the point of axis 1 to that of axis 6
    lw_vec3 p[5]; // between the points of neighbouring axes
    lwi_candidates *out;
    signed char shoulder, elbow, wrist; // roots that the next candidate belongs to
    unsigned undetermined;
} solving;

// The label of root i of two.
static signed char sign_of(int i)
{
    return i == 0 ? 1 : -1;
}

static lwi_angle opposite(lwi_angle a)
{
    const lwi_angle r = {-a.s, a.c};
    return r;
}

static void keep(solving *s, const lwi_angle q[6])
{
    lwi_candidate *c = lwi_next_candidate(s->out);
    memcpy(c->q, q, 6 * sizeof *q);
    c->shoulder = s->shoulder;
    c->elbow = s->elbow;
    c->wrist = s->wrist;
    c->undetermined = s->undetermined;
}

// q4, q5, q6 of a spherical wrist from the rotation that the first three joints leave to it.
static void solve_wrist(solving *s, lwi_angle q[6])
{
    const lw_vec3 *h = s->six->arm.h;
    lw_vec3 w = lw_rotate(&s->R06, h[5]); // W h6, W = R03' R06
    for (int i = 0; i < 3; ++i) {
        w = lwi_rotate_about(h[i], opposite(q[i]), w);
    }
    lw_vec3 back = h[3]; // W' h4
    for (int i = 2; i >= 0; --i) {
        back = lwi_rotate_about(h[i], q[i], back);
    }
    back = lw_rotate_back(&s->R06, back);
    lwi_angle q5[2];
    const int n = lwi_subproblem4(h[4], h[5], h[3], lw_dot3(h[3], w), 1.0, q5);
    for (int i = 0; i < n; ++i) {
        q[4] = q5[i];
        q[3] = s->seed[3];
        q[5] = s->seed[5];
        const bool has_q4 =
            lwi_subproblem1(h[3], lwi_rotate_about(h[4], q5[i], h[5]), w, 1.0, &q[3]);
        if (has_q4) {
            lwi_subproblem1(lw_scale3(-1.0, h[5]), lwi_rotate_about(h[4], opposite(q5[i]), h[3]),
                            back, 1.0, &q[5]);
        } else {
            // Axes 4 and 6 are in line: q4 stays, and q6 carries the rest of the rotation.
            lw_vec3 x = fabs(h[5].x) < 0.6 ? lw_vec3_of(1, 0, 0) : lw_vec3_of(0, 1, 0), y;
            x = lw_unit3(lw_cross3(h[5], x));
            y = lw_rotate(&s->R06, x);
            for (int k = 0; k < 5; ++k) {
                y = lwi_rotate_about(h[k], opposite(q[k]), y);
            }
            lwi_subproblem1(h[5], x, y, 1.0, &q[5]);
        }
        const unsigned before = s->undetermined;
        s->wrist = sign_of(i);
        s->undetermined |= has_q4 ? 0u : 1u << 3;
        keep(s, q);
        s->undetermined = before;
        if (!has_q4) {
            break; // the second root is the same wrist
        }
    }
}

// R(h2, q2) u = w
static void solve_second(solving *s, lwi_angle q[6], lw_vec3 u, lw_vec3 w)
{
    q[1] = s->seed[1];
    const bool is_free = !lwi_subproblem1(s->six->arm.h[1], u, w, s->six->scale, &q[1]);
    s->undetermined |= is_free ? 1u << 1 : 0u;
    solve_wrist(s, q);
    s->undetermined &= ~(1u << 1);
}

static void spherical_parallel(solving *s)
{
    const lw_vec3 *h = s->six->arm.h, *p = s->p;
    const double scale = s->six->scale;
    lwi_angle q[6], q1[2], q3[2];
    const double d = lw_dot3(h[1], lw_add3(p[0], lw_add3(p[1], p[2])));
    int n1 = lwi_subproblem4(lw_scale3(-1.0, h[0]), s->p16, h[1], d, scale, q1);
    if (n1 == 0) {
        q1[0] = s->seed[0];
        n1 = 1;
        s->undetermined = 1u << 0;
    }
    for (int i = 0; i < n1; ++i) {
        q[0] = q1[i];
        s->shoulder = sign_of(i);
        const lw_vec3 w = lw_sub3(lwi_rotate_about(h[0], opposite(q1[i]), s->p16), p[0]);
        const int n3 = lwi_subproblem3(h[2], p[2], lw_scale3(-1.0, p[1]), lw_norm3(w), scale, q3);
        for (int j = 0; j < n3; ++j) {
            q[2] = q3[j];
            s->elbow = sign_of(j);
            solve_second(s, q, lw_add3(p[1], lwi_rotate_about(h[2], q3[j], p[2])), w);
        }
    }
}

static void parallel_spherical(solving *s)
{
    const lw_vec3 *h = s->six->arm.h, *p = s->p;
    const double scale = s->six->scale;
    lwi_angle q[6], q1[2], q3[2];
    const double d = lw_dot3(h[1], lw_sub3(s->p16, lw_add3(p[0], p[1])));
    const int n3 = lwi_subproblem4(h[2], p[2], h[1], d, scale, q3);
    for (int j = 0; j < n3; ++j) {
        const lw_vec3 u = lw_add3(p[1], lwi_rotate_about(h[2], q3[j], p[2]));
        const int n1 = lwi_subproblem3(lw_scale3(-1.0, h[0]), s->p16, p[0], lw_norm3(u), scale, q1);
        for (int i = 0; i < n1; ++i) {
            q[0] = q1[i];
            q[2] = q3[j];
            s->shoulder = sign_of(i);
            s->elbow = sign_of(j);
            solve_second(s, q, u, lw_sub3(lwi_rotate_about(h[0], opposite(q1[i]), s->p16), p[0]));
        }
    }
}

static void spherical_meeting(solving *s)
{
    const lw_vec3 *h = s->six->arm.h, *p = s->p;
    lwi_angle q[6], q1[2], q2[2], q3[2];
    const int n3 =
        lwi_subproblem3(h[2], p[2], lw_scale3(-1.0, p[1]), lw_norm3(s->p16), s->six->scale, q3);
    for (int j = 0; j < n3; ++j) {
        const lw_vec3 u = lw_add3(p[1], lwi_rotate_about(h[2], q3[j], p[2]));
        const int n = lwi_subproblem2(lw_scale3(-1.0, h[0]), s->p16, h[1], u, q1, q2);
        for (int i = 0; i < n; ++i) {
            q[0] = q1[i];
            q[1] = q2[i];
            q[2] = q3[j];
            s->shoulder = sign_of(i);
            s->elbow = sign_of(j);
            solve_wrist(s, q);
        }
    }
}

static void spherical(solving *s)
{
    const lw_vec3 *h = s->six->arm.h, *p = s->p;
    lwi_angle q[6], q1[8], q2[8], q3[8];
    const int n = lwi_subproblem5(lw_scale3(-1.0, p[0]), lw_scale3(-1.0, h[0]), s->p16, h[1], p[1],
                                  h[2], p[2], q1, q2, q3);
    for (int i = 0; i < n; ++i) {
        q[0] = q1[i];
        q[1] = q2[i];
        q[2] = q3[i];
        solve_wrist(s, q);
    }
}

// q2, q3, q4, q6 of an arm with three parallel axes, where q1 and q5 are known.
static void solve_parallel(solving *s, lwi_angle q[6])
{
    const lw_vec3 *h = s->six->arm.h, *p = s->p;
    const double scale = s->six->scale;
    const lwi_angle back = opposite(q[0]);
    const lw_vec3 toward = lwi_rotate_about(h[0], back, lw_rotate(&s->R06, h[5]));
    lwi_angle sum = s->seed[3], q3[2];
    s->undetermined = 0;
    q[5] = s->seed[5];
    if (!lwi_subproblem1(h[1], lwi_rotate_about(h[4], q[4], h[5]), toward, 1.0, &sum)) {
        // Axis 6 is parallel to axes 2 to 4: q6 keeps the seed's value, and the sum of q2 to q4
        // follows from the rotation.
        lw_vec3 x = fabs(h[1].x) < 0.6 ? lw_vec3_of(1, 0, 0) : lw_vec3_of(0, 1, 0);
        x = lw_unit3(lw_cross3(h[1], x));
        // R01' R06 = R(h2, sum) R5 R6: apply both sides to (R5 R6)' x.
        lw_vec3 y =
            lwi_rotate_about(h[5], opposite(q[5]), lwi_rotate_about(h[4], opposite(q[4]), x));
        y = lwi_rotate_about(h[0], back, lw_rotate(&s->R06, y));
        lwi_subproblem1(h[1], x, y, 1.0, &sum);
        s->undetermined = 1u << 5;
    } else {
        const lw_vec3 w = lw_rotate_back(&s->R06, lwi_rotate_about(h[0], q[0], h[1]));
        lwi_subproblem1(lw_scale3(-1.0, h[5]), lwi_rotate_about(h[4], opposite(q[4]), h[1]), w, 1.0,
                        &q[5]);
    }
    const lw_vec3 tail = lw_add3(p[3], lwi_rotate_about(h[4], q[4], p[4]));
    const lw_vec3 delta = lw_sub3(lw_sub3(lwi_rotate_about(h[0], back, s->p16), p[0]),
                                  lwi_rotate_about(h[1], sum, tail));
    const int n = lwi_subproblem3(h[2], p[2], lw_scale3(-1.0, p[1]), lw_norm3(delta), scale, q3);
    for (int i = 0; i < n; ++i) {
        q[2] = q3[i];
        q[1] = s->seed[1];
        lwi_subproblem1(h[1], lw_add3(p[1], lwi_rotate_about(h[2], q3[i], p[2])), delta, scale,
                        &q[1]);
        const lwi_angle two = {q[1].s * q[2].c + q[1].c * q[2].s,
                               q[1].c * q[2].c - q[1].s * q[2].s};
        q[3] = (lwi_angle){sum.s * two.c - sum.c * two.s, sum.c * two.c + sum.s * two.s};
        s->elbow = sign_of(i);
        keep(s, q);
    }
}

static void parallel_meeting(solving *s)
{
    const lw_vec3 *h = s->six->arm.h, *p = s->p;
    lwi_angle q[6], q1[2], q5[2];
    const double d = lw_dot3(h[1], lw_add3(lw_add3(p[0], p[1]), lw_add3(p[2], p[3])));
    const int n1 = lwi_subproblem4(lw_scale3(-1.0, h[0]), s->p16, h[1], d, s->six->scale, q1);
    for (int i = 0; i < n1; ++i) {
        const lw_vec3 w = lwi_rotate_about(h[0], opposite(q1[i]), lw_rotate(&s->R06, h[5]));
        const int n5 = lwi_subproblem4(h[4], h[5], h[1], lw_dot3(h[1], w), 1.0, q5);
        for (int j = 0; j < n5; ++j) {
            q[0] = q1[i];
            q[4] = q5[j];
            s->shoulder = sign_of(i);
            s->wrist = sign_of(j);
            solve_parallel(s, q);
        }
    }
}

static void parallel(solving *s)
{
    const lw_vec3 *axis = s->six->arm.h, *p = s->p;
    const lw_vec3 base = lw_scale3(-1.0, axis[0]), minus = lw_scale3(-1.0, axis[1]);
    const lw_vec3 h[4] = {axis[1], minus, axis[1], minus}, k[4] = {base, axis[4], base, axis[4]},
                  v[4] = {s->p16, p[4], lw_rotate(&s->R06, axis[5]), axis[5]};
    const double d[2] = {lw_dot3(axis[1], lw_add3(lw_add3(p[0], p[1]), lw_add3(p[2], p[3]))), 0.0};
    lwi_angle q[6], q1[4], q5[4];
    const int n = lwi_subproblem6(h, k, v, d, q1, q5);
    for (int i = 0; i < n; ++i) {
        q[0] = q1[i];
        q[4] = q5[i];
        solve_parallel(s, q);
    }
}

// What was found for the arm seen from its tip, for the arm itself.
static void reverse(lwi_candidate *c)
{
    unsigned undetermined = 0;
    for (int k = 0; k < 6; ++k) {
        undetermined |= (c->undetermined >> k & 1u) << (5 - k);
    }
    c->undetermined = undetermined;
    for (int k = 0; k < 3; ++k) {
        const lwi_angle t = c->q[k];
        c->q[k] = c->q[5 - k];
        c->q[5 - k] = t;
    }
    const signed char t = c->shoulder;
    c->shoulder = c->wrist;
    c->wrist = t;
}

void lwi_six_solve(const lwi_six *six, const lw_pose *X, const lwi_angle *seed, lwi_candidates *out)
{
    const lwi_arm *arm = &six->arm;
    lwi_angle start[6];
    const lw_pose target = six->is_reversed ? lw_pose_inverse(X) : *X;
    for (int i = 0; i < 6; ++i) {
        start[i] = seed[six->is_reversed ? 5 - i : i];
    }
    solving s = {.six = six, .seed = start, .out = out};
    out->count = 0;
    const lw_mat3 back = lw_transpose3(&arm->X_BT.R);
    s.R06 = lw_mul3(&target.R, &back);
    const lw_vec3 beyond = lw_rotate(&s.R06, lw_sub3(arm->X_BT.p, arm->c[5]));
    s.p16 = lw_sub3(lw_sub3(target.p, arm->c[0]), beyond);
    for (int i = 0; i < 5; ++i) {
        s.p[i] = lw_sub3(arm->c[i + 1], arm->c[i]);
    }
    switch (six->kind) {
    case LWI_SIX_SPHERICAL_PARALLEL:
        spherical_parallel(&s);
        break;
    case LWI_SIX_PARALLEL_SPHERICAL:
        parallel_spherical(&s);
        break;
    case LWI_SIX_SPHERICAL_MEETING:
        spherical_meeting(&s);
        break;
    case LWI_SIX_SPHERICAL:
        spherical(&s);
        break;
    case LWI_SIX_PARALLEL_MEETING:
        parallel_meeting(&s);
        break;
    case LWI_SIX_PARALLEL:
        parallel(&s);
        break;
    case LWI_SIX_GENERAL:
        break;
    }
    for (int i = 0; six->is_reversed && i < out->count; ++i) {
        reverse(&out->at[i]);
    }
}
