// With G = goal - c1 seen from the first axis, and w = tip - c of the last revolute axis, every
// class is R1' G = p12 + (what the later joints do to w), reduced to subproblems of one or two
// joints. Equations that the class leaves over are not used: the caller verifies by forward
// kinematics.
#include "reach.h"

#include "quartic.h"
#include "subproblem.h"

#include <math.h>

// What the classes share.
typedef struct solving {
    const lwi_reach *r;
    const lwi_angle *seed; // in the order of the class
    lw_vec3 tip, goal;
    lwi_reach_solution now; // what is known of the solution that is being built
    lwi_reach_solution *out;
    int count;
} solving;

static lwi_angle opposite(lwi_angle a)
{
    return (lwi_angle){-a.s, a.c};
}

static lw_vec3 rotate_back(lw_vec3 h, lwi_angle a, lw_vec3 p)
{
    return lwi_rotate_about(h, opposite(a), p);
}

static lw_vec3 across(lw_vec3 h, lw_vec3 v)
{
    return lw_sub3(v, lw_scale3(lw_dot3(h, v), h));
}

static lwi_angle prismatic(double x)
{
    return (lwi_angle){x, 1.0};
}

static void keep(solving *s)
{
    if (s->count < LWI_REACH_SOLUTIONS) {
        s->out[s->count++] = s->now;
    }
}

static void keep_seed(solving *s, int i)
{
    s->now.q[i] = s->seed[i];
    s->now.undetermined |= 1u << i;
}

// R(h_i, q_i) u = w
static void rotate_to(solving *s, int i, lw_vec3 u, lw_vec3 w)
{
    s->now.undetermined &= ~(1u << i);
    if (!lwi_subproblem1(s->r->h[i], u, w, s->r->scale, &s->now.q[i])) {
        keep_seed(s, i);
    }
}

// One of the `n` roots of joint i, or the seed's angle where there is none.
static void take_root(solving *s, int i, int n, const lwi_angle root[2], int k)
{
    s->now.undetermined &= ~(1u << i);
    if (n == 0) {
        keep_seed(s, i);
    } else {
        s->now.q[i] = root[k];
    }
}

static int at_least_one(int n)
{
    return n > 0 ? n : 1;
}

static signed char sign_of(int n, int k)
{
    return (signed char)(n < 2 ? 0 : k == 0 ? 1 : -1);
}

// Roots of a x^2 + 2 b x + c; their mean where they are complex. Returns 0 where x has no
// influence.
static int quadratic(double a, double b, double c, double scale, double x[2])
{
    if (fabs(a) < 1e-14) {
        if (fabs(b) < 1e-12 * scale) {
            return 0;
        }
        x[0] = x[1] = -0.5 * c / b;
        return 1;
    }
    const double d = b * b - a * c, root = d > 0.0 ? sqrt(d) : 0.0,
                 far = b > 0.0 ? b + root : root - b;
    const double one = b > 0.0 ? -far / a : far / a,
                 two = far != 0.0 && d > 0.0 ? c / (a * one) : one;
    // In the order of the sign of the root, whichever of the two is computed by division.
    x[0] = b > 0.0 ? two : one;
    x[1] = b > 0.0 ? one : two;
    return 2;
}

// Positions q of a prismatic joint where |w + q h| = length.
static int travel_to_length(const solving *s, lw_vec3 w, lw_vec3 h, double length2, double q[2])
{
    return quadratic(1.0, lw_dot3(w, h), lw_dot3(w, w) - length2, s->r->scale, q);
}

// Two parallel axes i and j with p from the first to the second, w from there to the point:
// w_goal = R_i (p + R_j w), across the axes.
static void solve_planar(solving *s, int i, int j, lw_vec3 p, lw_vec3 w, lw_vec3 w_goal)
{
    const lw_vec3 h = s->r->h[i];
    lwi_angle root[2];
    p = across(h, p);
    w = across(h, w);
    w_goal = across(h, w_goal);
    const int n =
        lwi_subproblem3(s->r->h[j], w, lw_scale3(-1.0, p), lw_norm3(w_goal), s->r->scale, root);
    for (int k = 0; k < at_least_one(n); ++k) {
        take_root(s, j, n, root, k);
        s->now.elbow = sign_of(n, k);
        rotate_to(s, i, lw_add3(p, lwi_rotate_about(s->r->h[j], s->now.q[j], w)), w_goal);
        keep(s);
    }
}

static void solve_rr(solving *s)
{
    const lw_vec3 *h = s->r->h, *c = s->r->c;
    const lw_vec3 G = lw_sub3(s->goal, c[0]), p = lw_sub3(c[1], c[0]), w = lw_sub3(s->tip, c[1]);
    lwi_angle root[2];
    if (s->r->kind == LWI_REACH_RR_PARALLEL) {
        solve_planar(s, 0, 1, p, w, G);
        return;
    }
    const int n = lwi_subproblem4(h[1], w, h[0], lw_dot3(h[0], lw_sub3(G, p)), s->r->scale, root);
    for (int k = 0; k < at_least_one(n); ++k) {
        take_root(s, 1, n, root, k);
        s->now.elbow = sign_of(n, k);
        rotate_to(s, 0, lw_add3(p, lwi_rotate_about(h[1], s->now.q[1], w)), G);
        keep(s);
    }
}

// One rotation and one prismatic joint. On one side of the rotation is the vector `still`, on the
// other `moving` + q d.
static void solve_rp(solving *s)
{
    const bool is_rp = s->r->kind == LWI_REACH_RP;
    const int i = is_rp ? 0 : 1, j = 1 - i;
    const lw_vec3 h = s->r->h[i], v = lw_sub3(s->goal, s->r->c[i]), w = lw_sub3(s->tip, s->r->c[i]);
    const lw_vec3 still = is_rp ? v : w, moving = is_rp ? w : v,
                  d = is_rp ? s->r->h[j] : lw_scale3(-1.0, s->r->h[j]);
    const double along = lw_dot3(h, d);
    double q[2];
    int n = 1;
    if (fabs(along) > 0.1) {
        q[0] = lw_dot3(h, lw_sub3(still, moving)) / along;
    } else { // across the axis, where the length of the arm changes
        const lw_vec3 e = across(h, d), m = across(h, moving), g = across(h, still);
        n = quadratic(lw_dot3(e, e), lw_dot3(m, e), lw_dot3(m, m) - lw_dot3(g, g), s->r->scale, q);
    }
    for (int k = 0; k < n; ++k) {
        const lw_vec3 end = lw_add3(moving, lw_scale3(q[k], d));
        s->now.q[j] = prismatic(q[k]);
        s->now.elbow = sign_of(n, k);
        rotate_to(s, i, is_rp ? end : still, is_rp ? still : end);
        keep(s);
    }
}

// Prismatic joints i and j that bring v nearest to zero: v = q_i h_i + q_j h_j.
static void solve_prismatic_pair(solving *s, int i, int j, lw_vec3 v)
{
    const lw_vec3 a = s->r->h[i], b = s->r->h[j];
    const double ab = lw_dot3(a, b), av = lw_dot3(a, v), bv = lw_dot3(b, v), det = 1.0 - ab * ab;
    s->now.q[i] = prismatic((av - ab * bv) / det);
    s->now.q[j] = prismatic((bv - ab * av) / det);
    keep(s);
}

static void solve_ppp(solving *s)
{
    const lw_vec3 *h = s->r->h, v = lw_sub3(s->goal, s->tip);
    const double det = lw_dot3(h[0], lw_cross3(h[1], h[2]));
    s->now.q[0] = prismatic(lw_dot3(v, lw_cross3(h[1], h[2])) / det);
    s->now.q[1] = prismatic(lw_dot3(v, lw_cross3(h[2], h[0])) / det);
    s->now.q[2] = prismatic(lw_dot3(v, lw_cross3(h[0], h[1])) / det);
    keep(s);
}

static void solve_rpp(solving *s)
{
    const lw_vec3 *h = s->r->h, G = lw_sub3(s->goal, s->r->c[0]), w = lw_sub3(s->tip, s->r->c[0]);
    const lw_vec3 normal = lw_unit3(lw_cross3(h[1], h[2]));
    lwi_angle root[2];
    const int n =
        lwi_subproblem4(lw_scale3(-1.0, h[0]), G, normal, lw_dot3(normal, w), s->r->scale, root);
    for (int k = 0; k < at_least_one(n); ++k) {
        take_root(s, 0, n, root, k);
        s->now.shoulder = sign_of(n, k);
        solve_prismatic_pair(s, 1, 2, lw_sub3(rotate_back(h[0], s->now.q[0], G), w));
    }
}

// Along the axis the two prismatic joints are tied by a q1 + b q3 = e, which leaves one unknown t;
// equal distances from the point of the axis give it.
static void solve_prp(solving *s)
{
    const lw_vec3 *h = s->r->h, v = lw_sub3(s->goal, s->r->c[1]), w = lw_sub3(s->tip, s->r->c[1]);
    const double a = lw_dot3(h[1], h[0]), b = lw_dot3(h[1], h[2]), e = lw_dot3(h[1], lw_sub3(v, w));
    const double r2 = a * a + b * b, r = sqrt(r2);
    const double a1 = e * a / r2, a3 = e * b / r2, b1 = -b / r, b3 = a / r;
    const double vh = lw_dot3(v, h[0]), wh = lw_dot3(w, h[2]);
    double t[2];
    const int n =
        quadratic(b1 * b1 - b3 * b3, a1 * b1 - a3 * b3 - b1 * vh - b3 * wh,
                  a1 * a1 - a3 * a3 - 2.0 * (a1 * vh + a3 * wh) + lw_dot3(v, v) - lw_dot3(w, w),
                  s->r->scale, t);
    if (n == 0) {
        t[0] = b1 * s->seed[0].s + b3 * s->seed[2].s;
        s->now.undetermined |= 5u;
    }
    for (int k = 0; k < at_least_one(n); ++k) {
        const double q1 = a1 + b1 * t[k], q3 = a3 + b3 * t[k];
        s->now.q[0] = prismatic(q1);
        s->now.q[2] = prismatic(q3);
        s->now.elbow = sign_of(n, k);
        rotate_to(s, 1, lw_add3(w, lw_scale3(q3, h[2])), lw_sub3(v, lw_scale3(q1, h[0])));
        keep(s);
    }
}

// The prismatic joint follows from the component along the parallel axes, the rest is planar.
static void solve_parallel_prismatic(solving *s)
{
    const lw_vec3 *h = s->r->h, *c = s->r->c;
    const lw_vec3 G = lw_sub3(s->goal, c[0]), whole = lw_sub3(s->tip, c[0]);
    const int p = s->r->kind == LWI_REACH_RRP_PARALLEL ? 2 : 1, last = 3 - p;
    const double q = lw_dot3(h[0], lw_sub3(G, whole)) / lw_dot3(h[0], h[p]);
    const lw_vec3 d = lw_scale3(q, h[p]);
    lw_vec3 to_axis = lw_sub3(c[last], c[0]), w = lw_sub3(s->tip, c[last]);
    if (p == 1) {
        to_axis = lw_add3(to_axis, d);
    } else {
        w = lw_add3(w, d);
    }
    s->now.q[p] = prismatic(q);
    solve_planar(s, 0, last, to_axis, w, G);
}

// R1' G = R2 u for axes that intersect, both pairs of solutions.
static void solve_pair(solving *s, lw_vec3 G, lw_vec3 u)
{
    const lw_vec3 *h = s->r->h;
    lwi_angle a[2], b[2];
    const int n = lwi_subproblem2(lw_scale3(-1.0, h[0]), G, h[1], u, a, b);
    s->now.undetermined &= ~3u;
    for (int k = 0; k < n; ++k) {
        s->now.q[0] = a[k];
        s->now.q[1] = b[k];
        s->now.shoulder = sign_of(n, k);
        keep(s);
    }
    if (n == 0) { // one of the two points is on its axis, and that joint has no influence
        s->now.shoulder = 0;
        const lw_vec3 x = lw_cross3(h[0], G), y = lw_cross3(h[1], u);
        const bool is_first = lw_dot3(x, x) <= lw_dot3(y, y);
        keep_seed(s, is_first ? 0 : 1);
        rotate_to(s, is_first ? 1 : 0, u, G);
        keep(s);
    }
}

static void solve_rrp_meeting(solving *s)
{
    const lw_vec3 *h = s->r->h, G = lw_sub3(s->goal, s->r->c[0]), w = lw_sub3(s->tip, s->r->c[1]);
    double q[2];
    const int n = travel_to_length(s, w, h[2], lw_dot3(G, G), q);
    for (int k = 0; k < n; ++k) {
        s->now.q[2] = prismatic(q[k]);
        s->now.elbow = sign_of(n, k);
        solve_pair(s, G, lw_add3(w, lw_scale3(q[k], h[2])));
    }
}

// q1 is known: the prismatic joint follows from the length, q2 by subproblem 1.
static void finish_rrp(solving *s, lw_vec3 G, lw_vec3 p, lw_vec3 w)
{
    const lw_vec3 *h = s->r->h, a = lw_sub3(rotate_back(h[0], s->now.q[0], G), p);
    double q[2];
    const int n = travel_to_length(s, w, h[2], lw_dot3(a, a), q);
    for (int k = 0; k < n; ++k) {
        s->now.q[2] = prismatic(q[k]);
        s->now.elbow = sign_of(n, k);
        rotate_to(s, 1, lw_add3(w, lw_scale3(q[k], h[2])), a);
        keep(s);
    }
}

static void solve_rrp_square(solving *s)
{
    const lw_vec3 *h = s->r->h, *c = s->r->c;
    const lw_vec3 G = lw_sub3(s->goal, c[0]), p = lw_sub3(c[1], c[0]), w = lw_sub3(s->tip, c[1]);
    lwi_angle root[2];
    const int n = lwi_subproblem4(lw_scale3(-1.0, h[0]), G, h[1], lw_dot3(h[1], lw_add3(p, w)),
                                  s->r->scale, root);
    for (int k = 0; k < at_least_one(n); ++k) {
        take_root(s, 0, n, root, k);
        s->now.shoulder = sign_of(n, k);
        finish_rrp(s, G, p, w);
    }
}

// Components along axis 2, and lengths, of R1' G - p12 and w + q3 h3 are equal. Both are linear in
// sine and cosine of q1 on the left, and quadratic in q3 on the right: s^2 + c^2 = 1 is a quartic.
static void solve_rrp(solving *s)
{
    const lw_vec3 *h = s->r->h, *c = s->r->c;
    const lw_vec3 G = lw_sub3(s->goal, c[0]), p = lw_sub3(c[1], c[0]), w = lw_sub3(s->tip, c[1]);
    const lw_vec3 x = lw_cross3(G, h[0]), y = across(h[0], G), z = lw_sub3(G, y);
    const double ps = lw_dot3(p, x), pc = lw_dot3(p, y), hs = lw_dot3(h[1], x),
                 hc = lw_dot3(h[1], y);
    const double det = ps * hc - pc * hs, scale = s->r->scale;
    if (fabs(det) < 1e-10 * scale * scale * scale) {
        keep_seed(s, 0); // the goal is on axis 1
        finish_rrp(s, G, p, w);
        return;
    }
    // p . R1' G = (|G|^2 + |p|^2 - |B|^2) / 2, h2 . R1' G = h2 . (p + B), with B = w + q3 h3.
    const double left[3] = {0.5 * (lw_dot3(G, G) + lw_dot3(p, p) - lw_dot3(w, w)) - lw_dot3(p, z),
                            -lw_dot3(w, h[2]), -0.5};
    const double right[3] = {lw_dot3(h[1], lw_sub3(lw_add3(p, w), z)), lw_dot3(h[1], h[2]), 0.0};
    double sine[3], cosine[3], quartic[5] = {-1.0, 0.0, 0.0, 0.0, 0.0}, root[4];
    // Prismatic joints are measured in lengths of the arm, so that coefficients are comparable.
    double unit = 1.0;
    for (int i = 0; i < 3; ++i, unit *= scale) {
        sine[i] = unit * (hc * left[i] - pc * right[i]) / det;
        cosine[i] = unit * (ps * right[i] - hs * left[i]) / det;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            quartic[i + j] += sine[i] * sine[j] + cosine[i] * cosine[j];
        }
    }
    const int n = lwi_quartic_roots(quartic, root);
    for (int k = 0; k < n; ++k) {
        const double t = root[k], a = sine[0] + t * (sine[1] + t * sine[2]),
                     b = cosine[0] + t * (cosine[1] + t * cosine[2]), r = sqrt(a * a + b * b);
        s->now.q[2] = prismatic(scale * t);
        s->now.q[0] = r > 0.0 ? (lwi_angle){a / r, b / r} : s->seed[0];
        rotate_to(s, 1, lw_add3(w, lw_scale3(scale * t, h[2])),
                  lw_sub3(rotate_back(h[0], s->now.q[0], G), p));
        keep(s);
    }
}

// Across the prismatic joint R1' G - R3 w is c3 - c1: two equations in q1 and q3.
static void solve_rpr(solving *s)
{
    const lw_vec3 *h = s->r->h, *c = s->r->c;
    const lw_vec3 G = lw_sub3(s->goal, c[0]), p = lw_sub3(c[2], c[0]), w = lw_sub3(s->tip, c[2]);
    const lw_mat3 frame = lw_rotation_to_z(h[1]), axes = lw_transpose3(&frame);
    const lw_vec3 e1 = axes.row[0], e2 = axes.row[1], back = lw_scale3(-1.0, h[0]);
    const lw_vec3 rows[4] = {e1, lw_scale3(-1.0, e1), e2, lw_scale3(-1.0, e2)};
    const lw_vec3 k[4] = {back, h[2], back, h[2]}, v[4] = {G, w, G, w};
    const double d[2] = {lw_dot3(e1, p), lw_dot3(e2, p)};
    lwi_angle a[4], b[4];
    const int n = lwi_subproblem6(rows, k, v, d, a, b);
    for (int i = 0; i < n; ++i) {
        s->now.q[0] = a[i];
        s->now.q[2] = b[i];
        const lw_vec3 rest =
            lw_sub3(lw_sub3(rotate_back(h[0], a[i], G), p), lwi_rotate_about(h[2], b[i], w));
        s->now.q[1] = prismatic(lw_dot3(h[1], rest));
        keep(s);
    }
}

static void solve_rrr(solving *s)
{
    const lw_vec3 *h = s->r->h, *c = s->r->c;
    const lw_vec3 G = lw_sub3(s->goal, c[0]), p = lw_sub3(c[1], c[0]), q = lw_sub3(c[2], c[1]),
                  w = lw_sub3(s->tip, c[2]), back = lw_scale3(-1.0, h[0]);
    lwi_angle root[2], x[4], y[4], z[4];
    int n;
    switch (s->r->kind) {
    case LWI_REACH_RRR_PARALLEL:
        n = lwi_subproblem4(back, G, h[1], lw_dot3(h[1], lw_add3(p, lw_add3(q, w))), s->r->scale,
                            root);
        for (int k = 0; k < at_least_one(n); ++k) {
            take_root(s, 0, n, root, k);
            s->now.shoulder = sign_of(n, k);
            solve_planar(s, 1, 2, q, w, lw_sub3(rotate_back(h[0], s->now.q[0], G), p));
        }
        break;
    case LWI_REACH_RRR_MEETING:
        n = lwi_subproblem3(h[2], w, lw_scale3(-1.0, q), lw_norm3(G), s->r->scale, root);
        for (int k = 0; k < at_least_one(n); ++k) {
            take_root(s, 2, n, root, k);
            s->now.elbow = sign_of(n, k);
            solve_pair(s, G, lw_add3(q, lwi_rotate_about(h[2], s->now.q[2], w)));
        }
        break;
    default:
        n = lwi_subproblem5(lw_scale3(-1.0, p), back, G, h[1], q, h[2], w, x, y, z);
        for (int k = 0; k < n; ++k) {
            s->now.q[0] = x[k];
            s->now.q[1] = y[k];
            s->now.q[2] = z[k];
            keep(s);
        }
        break;
    }
}

static void solve_class(solving *s)
{
    const lwi_reach *r = s->r;
    switch (r->kind) {
    case LWI_REACH_NONE:
        keep(s);
        break;
    case LWI_REACH_P:
        s->now.q[0] = prismatic(lw_dot3(r->h[0], lw_sub3(s->goal, s->tip)));
        keep(s);
        break;
    case LWI_REACH_R:
        rotate_to(s, 0, lw_sub3(s->tip, r->c[0]), lw_sub3(s->goal, r->c[0]));
        keep(s);
        break;
    case LWI_REACH_PP:
        solve_prismatic_pair(s, 0, 1, lw_sub3(s->goal, s->tip));
        break;
    case LWI_REACH_RP:
    case LWI_REACH_PR:
        solve_rp(s);
        break;
    case LWI_REACH_RR_PARALLEL:
    case LWI_REACH_RR:
        solve_rr(s);
        break;
    case LWI_REACH_PPP:
        solve_ppp(s);
        break;
    case LWI_REACH_RPP:
        solve_rpp(s);
        break;
    case LWI_REACH_PRP:
        solve_prp(s);
        break;
    case LWI_REACH_RRP_PARALLEL:
    case LWI_REACH_RPR_PARALLEL:
        solve_parallel_prismatic(s);
        break;
    case LWI_REACH_RRP_SQUARE:
        solve_rrp_square(s);
        break;
    case LWI_REACH_RRP_MEETING:
        solve_rrp_meeting(s);
        break;
    case LWI_REACH_RRP:
        solve_rrp(s);
        break;
    case LWI_REACH_RPR:
        solve_rpr(s);
        break;
    case LWI_REACH_RRR_PARALLEL:
    case LWI_REACH_RRR_MEETING:
    case LWI_REACH_RRR:
        solve_rrr(s);
        break;
    }
}

// The order of the joints that were given, from that of the class.
static void restore_order(const lwi_reach *r, lwi_reach_solution *q)
{
    if (!r->is_reversed) {
        return;
    }
    const lwi_reach_solution t = *q;
    q->undetermined = 0;
    for (int i = 0; i < r->n; ++i) {
        q->q[i] = t.q[r->n - 1 - i];
        q->undetermined |= (t.undetermined >> (r->n - 1 - i) & 1u) << i;
    }
    q->shoulder = t.elbow;
    q->elbow = t.shoulder;
}

int lwi_reach_solve(const lwi_reach *reach, lw_vec3 tip, lw_vec3 goal, const lwi_angle *seed,
                    lwi_reach_solution q[LWI_REACH_SOLUTIONS])
{
    lwi_angle start[3];
    for (int i = 0; i < reach->n; ++i) {
        start[i] = seed[reach->is_reversed ? reach->n - 1 - i : i];
    }
    solving s = {.r = reach, .seed = start, .tip = tip, .goal = goal, .out = q};
    if (reach->is_reversed) {
        s.tip = goal;
        s.goal = tip;
    }
    for (int i = reach->n - 1; i >= reach->n - reach->held; --i) {
        keep_seed(&s, i);
        s.tip = reach->slides[i]
                    ? lw_add3(s.tip, lw_scale3(start[i].s, reach->h[i]))
                    : lw_add3(reach->c[i],
                              lwi_rotate_about(reach->h[i], start[i], lw_sub3(s.tip, reach->c[i])));
    }
    solve_class(&s);
    for (int i = 0; i < s.count; ++i) {
        restore_order(reach, &q[i]);
    }
    return s.count;
}
