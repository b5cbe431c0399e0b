// With q2 + q3 + q4 known, R1' p = p12 + R2 (p23 + R3 p34) + tail, so that the first joint follows
// from the component along the parallel axes (subproblem 4), the third and the second from a
// triangle across them, and the last from what is left of the rotation (subproblem 1). An arm with
// a spherical wrist and two parallel axes is solved alike; here the loop stands for the wrist.
#include "level_chain.h"

#include "subproblem.h"

#include <math.h>

static lw_vec3 some_normal(lw_vec3 h)
{
    const lw_vec3 any = fabs(h.x) < 0.6 ? lw_vec3_of(1, 0, 0) : lw_vec3_of(0, 1, 0);
    return lw_unit3(lw_cross3(h, any));
}

lwi_level_chain lwi_level_chain_of(const lwi_arm *arm, double angle)
{
    lwi_level_chain level = {.n = arm->n, .arm = *arm};
    bool is_level = arm->n == 4 || arm->n == 5;
    for (int i = 0; i < arm->n && is_level; ++i) {
        is_level = !arm->slides[i];
    }
    for (int i = 0; i < 3 && is_level; ++i) {
        level.sign[i] = lw_dot3(arm->h[1], arm->h[1 + i]) > 0.0 ? 1.0 : -1.0;
        is_level = lw_norm3(lw_cross3(arm->h[1], arm->h[1 + i])) < angle;
    }
    if (!is_level || lw_norm3(lw_cross3(arm->h[0], arm->h[1])) < angle) {
        return level;
    }
    const lw_vec3 p23 = lw_sub3(arm->c[2], arm->c[1]), p34 = lw_sub3(arm->c[3], arm->c[2]);
    level.p12 = lw_sub3(arm->c[1], arm->c[0]);
    level.scale = lw_norm3(level.p12) + lw_norm3(p23) + lw_norm3(p34);
    level.along = lw_dot3(arm->h[1], lw_add3(lw_add3(level.p12, p23), p34));
    level.x = some_normal(arm->h[1]);
    level.y = lw_cross3(arm->h[1], level.x);
    level.a[0] = lw_dot3(level.x, p23), level.a[1] = lw_dot3(level.y, p23);
    level.b[0] = lw_dot3(level.x, p34), level.b[1] = lw_dot3(level.y, p34);
    level.is_level = hypot(level.a[0], level.a[1]) * hypot(level.b[0], level.b[1]) > 0.0;
    return level;
}

double lwi_level_chain_sum(const lwi_level_chain *level, const double *position)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        sum += level->sign[i] * position[1 + i];
    }
    return sum;
}

void lwi_level_chain_hold(lwi_level_chain *level, double sum)
{
    const lwi_arm *arm = &level->arm;
    level->sum = (lwi_angle){sin(sum), cos(sum)};
    if (level->is_level && level->n == 5) {
        const lw_vec3 across = some_normal(arm->h[4]);
        level->last = lw_rotate_back(&arm->X_BT.R, lw_sub3(arm->X_BT.p, arm->c[4]));
        level->hand = lw_rotate_back(&arm->X_BT.R, across);
        level->hand_level = lwi_rotate_about(arm->h[1], level->sum, across);
        level->axis_level = lwi_rotate_about(arm->h[1], level->sum, arm->h[4]);
    }
}

static inline lwi_angle opposite(lwi_angle a)
{
    return (lwi_angle){-a.s, a.c};
}

static inline lwi_angle signed_by(double sign, lwi_angle a)
{
    return (lwi_angle){sign * a.s, a.c};
}

static inline lwi_angle minus(lwi_angle a, lwi_angle b)
{
    return (lwi_angle){a.s * b.c - a.c * b.s, a.c * b.c + a.s * b.s};
}

// The triangle R2 (a + R3 b) = w in the plane; where w is out of reach, stretched or folded toward
// it. q2 keeps the seed's angle where w vanishes.
static void solve_triangle(const lwi_level_chain *level, const double w[2], lwi_angle seed,
                           lwi_angle q2[2], lwi_angle q3[2])
{
    const double *a = level->a, *b = level->b;
    const double A = a[0] * b[0] + a[1] * b[1], B = a[1] * b[0] - a[0] * b[1];
    const double size2 = A * A + B * B, over = 1.0 / size2;
    const double aa = a[0] * a[0] + a[1] * a[1], bb = b[0] * b[0] + b[1] * b[1];
    const double d = 0.5 * (w[0] * w[0] + w[1] * w[1] - aa - bb), rest = size2 - d * d;
    const double root = sqrt(rest > 0.0 ? rest : 0.0);
    const double e = rest > 0.0 ? d : copysign(sqrt(size2), d);
    for (int k = 0; k < 2; ++k) {
        const double t = k == 0 ? root : -root;
        q3[k] = (lwi_angle){(B * e + A * t) * over, (A * e - B * t) * over};
        const double u[2] = {a[0] + q3[k].c * b[0] - q3[k].s * b[1],
                             a[1] + q3[k].s * b[0] + q3[k].c * b[1]};
        const double c = u[0] * w[0] + u[1] * w[1], s = u[0] * w[1] - u[1] * w[0];
        const double length2 = c * c + s * s, scale2 = level->scale * level->scale;
        const double shorten = 1.0 / sqrt(length2);
        q2[k] = length2 > 1e-24 * scale2 * scale2 ? (lwi_angle){s * shorten, c * shorten} : seed;
    }
}

void lwi_level_chain_solve(const lwi_level_chain *level, lwi_ik_rows rows, const lw_pose *X,
                           const double *seed, lwi_candidates *out)
{
    const lwi_arm *arm = &level->arm;
    const lw_vec3 *h = arm->h;
    const bool has_last = level->n == 5, is_turned = has_last && rows == LWI_ROWS_POSE;
    lw_vec3 p = lw_sub3(X->p, arm->c[0]), end = arm->X_BT.p, hand = {0.0, 0.0, 0.0};
    lwi_angle q1[2], q2[2], q3[2], q5 = {0.0, 1.0};
    if (is_turned) { // axis 5, from the tip
        p = lw_sub3(p, lw_rotate(&X->R, level->last));
        hand = lw_rotate(&X->R, level->hand);
        end = arm->c[4];
    } else if (has_last) {
        q5 = (lwi_angle){sin(seed[4]), cos(seed[4])};
        end = lw_add3(arm->c[4], lwi_rotate_about(h[4], q5, lw_sub3(end, arm->c[4])));
    }
    // From axis 4 onward everything rotates by the sum.
    const lw_vec3 tail = lwi_rotate_about(h[1], level->sum, lw_sub3(end, arm->c[3]));
    const double along = level->along + lw_dot3(h[1], tail);
    const lw_vec3 offset = lw_add3(level->p12, tail);
    out->count = 0;
    int n1 = lwi_subproblem4(lw_scale3(-1.0, h[0]), p, h[1], along, level->scale, q1);
    const unsigned undetermined = (n1 == 0 ? 1u : 0u) | (has_last && !is_turned ? 1u << 4 : 0u);
    if (n1 == 0) {
        q1[0] = (lwi_angle){sin(seed[0]), cos(seed[0])};
        n1 = 1;
    }
    for (int i = 0; i < n1; ++i) {
        const lw_vec3 v = lw_sub3(lwi_rotate_about(h[0], opposite(q1[i]), p), offset);
        const double w[2] = {lw_dot3(level->x, v), lw_dot3(level->y, v)};
        if (is_turned) {
            lwi_subproblem1(level->axis_level, level->hand_level,
                            lwi_rotate_about(h[0], opposite(q1[i]), hand), 1.0, &q5);
        }
        solve_triangle(level, w, (lwi_angle){0.0, 1.0}, q2, q3);
        for (int k = 0; k < 2; ++k) {
            lwi_candidate *c = lwi_next_candidate(out);
            c->shoulder = i == 0 ? 1 : -1;
            c->elbow = k == 0 ? 1 : -1;
            c->wrist = 0;
            c->undetermined = undetermined;
            c->q[0] = q1[i];
            c->q[1] = q2[k];
            c->q[2] = signed_by(level->sign[1], q3[k]);
            c->q[3] = signed_by(level->sign[2], minus(minus(level->sum, q2[k]), q3[k]));
            c->q[4] = q5;
        }
    }
}
