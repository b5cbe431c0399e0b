// Newton's method for the nearest points of curved cores. The nearest point v of a difference is
// its own support: v = s(-v). Where a core is curved, s moves with the direction, by the second
// derivative of its support function; where it is flat or straight the point is free to move
// along it, and v is across. Which of both holds is seen from the simplex of GJK, whose points are
// then at both ends, and where it was taken for the wrong one from a coordinate beyond its end. The
// line from the rim of a cone to its tip turns with the direction, and so much of the rim's bend as
// is left there with it. A hull has the corners that the simplex, or a face, has of it. GJK by
// itself takes a new point for every two digits.
#include "newton.h"

enum { MOST_STEPS = 6, MOST_ROUNDS = 3 };

#define FLAT 0.05 // sine of the angle below which a direction may be that of a cap
#define END 0.999 // of a half length
#define NEARLY 0.05

/// One of the cores in a direction.
typedef struct core_side {
    const lw_solid *core;
    const lwi_corners *corners; ///< of a hull
    const lw_pose *X;           ///< its frame, or null for that of the pair
    int nfree;                  ///< directions in which its point is free to move
    int axis[2];                ///< of its frame, each
    bool is_cap;                ///< of a cylinder or cone: they are those of its cap, or its base
    bool is_side;               ///< of a cone: it is the line from its rim to its tip
    bool is_tip;
    double part;       ///< of that line, from the rim
    unsigned held;     ///< axes along which its point is not free, one bit each
    lw_vec3 free[2];   ///< in the frame of the pair
    lw_vec3 at, local; ///< its point, with the free coordinates zero; in its own frame
    int nbend;
    lw_vec3 bend[2]; ///< the point moves by the sum of bend (bend . step), against the step
} core_side;

bool lwi_has_curvature(const lwi_solid_pair *pair)
{
    int curved = 0;
    const lw_core core[2] = {pair->a->core, pair->b->core};
    for (int i = 0; i < 2; ++i) {
        const bool is_round =
            core[i] == LW_CORE_CYLINDER || core[i] == LW_CORE_ELLIPSOID || core[i] == LW_CORE_CONE;
        if (core[i] == LW_CORE_HALF_SPACE) {
            return false;
        }
        curved += is_round;
    }
    return curved > 0;
}

lwi_corners lwi_corners_of(const lwi_solid_pair *pair, const lwi_simplex *simplex)
{
    lwi_corners c = {.n = 0};
    for (int i = 0; pair->b->core == LW_CORE_HULL && i < simplex->n && c.n < 3; ++i) {
        const int point = simplex->at[i].point[1];
        bool is_new = true;
        for (int k = 0; k < i; ++k) {
            is_new = is_new && simplex->at[k].point[1] != point;
        }
        if (point <= 0) { // Newton's method has found it: it is no corner
            return (lwi_corners){.n = 0};
        }
        if (is_new) {
            c.at[c.n++] = pair->b->point[point - 1];
        }
    }
    return c;
}

static double coordinate(lw_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static lw_vec3 with_coordinate(lw_vec3 v, int axis, double x)
{
    return lw_vec3_of(axis == 0 ? x : v.x, axis == 1 ? x : v.y, axis == 2 ? x : v.z);
}

static lw_vec3 into_pair(const core_side *c, lw_vec3 v)
{
    return c->X ? lw_rotate(&c->X->R, v) : v;
}

static lw_vec3 out_of_pair(const core_side *c, lw_vec3 v)
{
    return c->X ? lw_rotate_back(&c->X->R, v) : v;
}

// A point that is not at an end of an axis is free along it.
static void find_free(core_side *c, lw_vec3 point, lw_vec3 direction)
{
    const lw_core core = c->core->core;
    const lw_vec3 p = c->X ? lw_rotate_back(&c->X->R, lw_sub3(point, c->X->p)) : point;
    const lw_vec3 d = out_of_pair(c, direction), h = c->core->half;
    const bool is_cone = core == LW_CORE_CONE;
    if (core == LW_CORE_HULL) {
        c->nfree = c->corners->n - 1;
        for (int k = 0; k < c->nfree; ++k) {
            c->free[k] = into_pair(c, lw_sub3(c->corners->at[k + 1], c->corners->at[0]));
        }
        return;
    }
    if (is_cone) {
        c->is_tip = c->held >> 3 & 1u || (p.z > END * h.z && !(c->held >> 2 & 1u));
        c->is_side = !c->is_tip && !(c->held >> 2 & 1u) && p.z > -END * h.z;
        c->part = 0.5 + 0.5 * p.z / h.z;
        c->nfree = c->is_side;
    }
    for (int axis = core == LW_CORE_BOX ? 0 : 2; axis < 3 && core != LW_CORE_ELLIPSOID && !is_cone;
         ++axis) {
        if (fabs(coordinate(p, axis)) < END * coordinate(h, axis) && c->nfree < 2 &&
            !(c->held >> axis & 1u)) {
            c->axis[c->nfree++] = axis;
        }
    }
    c->is_cap = (core == LW_CORE_CYLINDER || (is_cone && !c->is_tip)) && c->nfree == 0 &&
                !(c->held & 1u) && p.x * p.x + p.y * p.y < END * END * h.x * h.x &&
                d.x * d.x + d.y * d.y < FLAT * FLAT * lw_dot3(d, d);
    if (c->is_cap) {
        c->axis[c->nfree++] = 0;
        c->axis[c->nfree++] = 1;
    }
    for (int k = 0; k < c->nfree && !c->is_side; ++k) {
        c->free[k] = into_pair(c, lw_vec3_of(c->axis[k] == 0, c->axis[k] == 1, c->axis[k] == 2));
    }
}

// A unit vector across another.
static lw_vec3 across(lw_vec3 u)
{
    const bool is_x = fabs(u.x) < 0.6;
    return lw_unit3(lw_cross3(u, lw_vec3_of(is_x, !is_x, 0.0)));
}

// The point in a direction, and how it moves with that.
static void place(core_side *c, lw_vec3 direction)
{
    const lw_vec3 d = out_of_pair(c, direction), h = c->core->half;
    const bool is_cone = c->core->core == LW_CORE_CONE;
    if (c->core->core == LW_CORE_HULL) {
        c->local = c->corners->at[0];
        c->at = lw_pose_apply(c->X, c->local);
        return;
    }
    c->local = !is_cone    ? lwi_support(c->core, d)
               : c->is_tip ? lw_vec3_of(0.0, 0.0, h.z)
                           : lwi_rim(h.x, d, -h.z);
    c->nbend = 0;
    if ((c->core->core == LW_CORE_CYLINDER || (is_cone && !c->is_tip)) && !c->is_cap) {
        const double radial = sqrt(d.x * d.x + d.y * d.y), left = c->is_side ? 1.0 - c->part : 1.0;
        const double scale = sqrt(lwi_larger(left, 0.0) * h.x / radial) / radial;
        if (radial > 0.0) {
            c->bend[c->nbend++] = into_pair(c, lw_vec3_of(-scale * d.y, scale * d.x, 0.0));
        }
    } else if (c->core->core == LW_CORE_ELLIPSOID) {
        const lw_vec3 s = {h.x * d.x, h.y * d.y, h.z * d.z};
        const double norm = lw_norm3(s), root = norm > 0.0 ? 1.0 / sqrt(norm) : 0.0;
        const lw_vec3 u = lw_unit3(s), p = across(u), q = lw_cross3(u, p);
        c->bend[0] = into_pair(c, lw_vec3_of(root * h.x * p.x, root * h.y * p.y, root * h.z * p.z));
        c->bend[1] = into_pair(c, lw_vec3_of(root * h.x * q.x, root * h.y * q.y, root * h.z * q.z));
        c->nbend = 2;
    }
    for (int k = 0; k < c->nfree && !c->is_side; ++k) {
        c->local = with_coordinate(c->local, c->axis[k], 0.0);
    }
    if (c->is_side) { // which turns with the direction: what is left of the rim's bend is that
        c->free[0] = into_pair(c, lw_sub3(lw_vec3_of(0.0, 0.0, h.z), c->local));
    }
    c->at = c->X ? lw_pose_apply(c->X, c->local) : c->local;
}

// The inverse of I + the sum of bend bend^T of both; or less that sum.
static lw_sym3 stiffness_inverse(const core_side *side, double sign)
{
    lw_sym3 M = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < side[k].nbend; ++i) {
            const lw_vec3 b = side[k].bend[i], c = lw_scale3(sign, b);
            M.xx += b.x * c.x;
            M.yy += b.y * c.y;
            M.zz += b.z * c.z;
            M.xy += b.x * c.y;
            M.xz += b.x * c.z;
            M.yz += b.y * c.z;
        }
    }
    const lw_sym3 C = {M.yy * M.zz - M.yz * M.yz, M.xx * M.zz - M.xz * M.xz,
                       M.xx * M.yy - M.xy * M.xy, M.xz * M.yz - M.xy * M.zz,
                       M.xy * M.yz - M.xz * M.yy, M.xy * M.xz - M.yz * M.xx};
    const double inverse = 1.0 / (M.xx * C.xx + M.xy * C.xy + M.xz * C.xz);
    return (lw_sym3){inverse * C.xx, inverse * C.yy, inverse * C.zz,
                     inverse * C.xy, inverse * C.xz, inverse * C.yz};
}

// Solves the 1 or 2 equations x . (sum of k_j y_j) = r for k.
static bool solve_free(int n, const lw_vec3 *x, const lw_vec3 *y, const double *r, double *k)
{
    const double a = lw_dot3(x[0], y[0]);
    if (n == 1) {
        k[0] = r[0] / a;
        return a != 0.0;
    }
    const double b = lw_dot3(x[0], y[1]), d = lw_dot3(x[1], y[1]), det = a * d - b * b;
    k[0] = (d * r[0] - b * r[1]) / det;
    k[1] = (a * r[1] - b * r[0]) / det;
    return fabs(det) > 1e-9 * fabs(a * d);
}

// In which directions the difference is free.
static int free_of_both(const core_side *side, lw_vec3 *free)
{
    const int n = side[0].nfree;
    for (int i = 0; i < n + side[1].nfree; ++i) {
        free[i] = i < n ? side[0].free[i] : side[1].free[i - n];
    }
    return n + side[1].nfree;
}

// A step of v; false where the free directions are parallel.
static bool step(core_side *side, double sign, lw_vec3 *v, double *moved)
{
    lw_vec3 free[4];
    const int nfree = free_of_both(side, free);
    const lw_sym3 K = stiffness_inverse(side, sign);
    lw_vec3 d = lw_sym3_mul(&K, lw_sub3(lw_sub3(side[0].at, side[1].at), *v)), y[2];
    double r[2], k[2] = {0.0, 0.0};
    for (int i = 0; i < nfree; ++i) {
        y[i] = lw_sym3_mul(&K, free[i]);
        r[i] = -lw_dot3(free[i], lw_add3(*v, d));
    }
    if (nfree > 0 && !solve_free(nfree, free, y, r, k)) {
        return false;
    }
    for (int i = 0; i < nfree; ++i) {
        d = lw_add3(d, lw_scale3(k[i], y[i]));
    }
    side[0].part = k[0];
    side[1].part = -k[nfree - 1 > 0]; // the last one
    *v = lw_add3(*v, d);
    *moved = lw_norm3(d);
    return true;
}

// The point of a core whose free coordinates are given, within the core: those that are not stay
// at an end, and are held there from now on.
static lw_vec3 point_at(core_side *c, const double *k)
{
    const lw_vec3 h = c->core->half;
    lw_vec3 p = c->local;
    double x[2] = {k[0], k[1]};
    if (c->core->core == LW_CORE_HULL) {
        double sum = 0.0;
        for (int i = 0; i < c->nfree; ++i) {
            x[i] = lwi_larger(x[i], 0.0);
            sum += x[i];
        }
        for (int i = 0; i < c->nfree; ++i) {
            const lw_vec3 edge = lw_sub3(c->corners->at[i + 1], c->corners->at[0]);
            p = lw_add3(p, lw_scale3(x[i] / lwi_larger(sum, 1.0), edge));
        }
        return lw_pose_apply(c->X, p);
    }
    if (c->is_cap) {
        const double away = sqrt(x[0] * x[0] + x[1] * x[1]);
        const double scale = away > h.x ? h.x / away : 1.0;
        c->held |= away > h.x;
        x[0] *= scale;
        x[1] *= scale;
    }
    if (c->is_side) {
        const double part = lwi_smaller(lwi_larger(x[0], 0.0), 1.0);
        c->held |= x[0] < 0.0 ? 4u : x[0] > 1.0 ? 8u : 0u;
        p = lw_vec3_of((1.0 - part) * p.x, (1.0 - part) * p.y, (2.0 * part - 1.0) * h.z);
    }
    for (int i = 0; i < c->nfree && !c->is_side; ++i) {
        const double most = coordinate(h, c->axis[i]);
        c->held |= (unsigned)(fabs(x[i]) > most) << c->axis[i];
        p = with_coordinate(p, c->axis[i], lwi_larger(lwi_smaller(x[i], most), -most));
    }
    return c->X ? lw_pose_apply(c->X, p) : p;
}

// With what is held of both cores; holds what turns out not to be free.
static lwi_near_points solve(const lwi_solid_pair *pair, lw_vec3 v, lw_vec3 on_a, lw_vec3 on_b,
                             const lwi_corners *corners, bool is_overlap, unsigned *held)
{
    const lwi_near_points none = {.lower = -HUGE_VAL};
    const double sign = is_overlap ? -1.0 : 1.0; // the farthest points are along -v, or along v
    core_side side[2] = {{.core = pair->a, .held = held[0]},
                         {.core = pair->b, .X = &pair->X, .corners = corners, .held = held[1]}};
    lw_vec3 free[4];
    find_free(&side[0], on_a, v);
    find_free(&side[1], on_b, v);
    held[0] |= side[0].is_cap; // unless something is found there
    held[1] |= side[1].is_cap;
    if (side[0].nfree + side[1].nfree > 2) {
        return none;
    }
    const double least = side[0].is_side || side[1].is_side ? 1e-9 : 1e-5;
    const double start = lw_norm3(v);
    double moved = HUGE_VAL, norm = 0.0;
    for (int i = 0; i < MOST_STEPS && moved > least * norm; ++i) {
        place(&side[0], lw_scale3(-sign, v));
        place(&side[1], lw_scale3(sign, v));
        if (!step(side, sign, &v, &moved)) {
            return none;
        }
        norm = lw_norm3(v);
        if (!(norm > 0.3 * start && norm < 2.0 * start)) {
            return none;
        }
    }
    place(&side[0], lw_scale3(-sign, v));
    place(&side[1], lw_scale3(sign, v));
    double r[2], k[4] = {0.0};
    const int nfree = free_of_both(side, free);
    for (int i = 0; i < nfree; ++i) {
        r[i] = lw_dot3(free[i], lw_sub3(v, lw_sub3(side[0].at, side[1].at)));
    }
    if (nfree > 0 && !solve_free(nfree, free, free, r, k)) {
        return none;
    }
    const double back[2] = {-k[side[0].nfree], -k[side[0].nfree + 1]};
    const lw_vec3 point_a = point_at(&side[0], k), point_b = point_at(&side[1], back);
    held[0] = side[0].held;
    held[1] = side[1].held;
    v = lw_sub3(point_a, point_b); // the way between the points proves both ends
    norm = lw_norm3(v);
    if (!(norm > 0.3 * start)) {
        return none;
    }
    const lw_vec3 normal = lw_scale3(-sign / norm, v);
    const lwi_difference w = lwi_support_pair(pair, normal);
    return (lwi_near_points){v, point_a, -lw_dot3(normal, w.w), normal};
}

lwi_near_points lwi_newton_points(const lwi_solid_pair *pair, lw_vec3 v, lw_vec3 on_a, lw_vec3 on_b,
                                  const lwi_corners *corners, bool is_overlap)
{
    unsigned held[2] = {0, 0};
    lwi_near_points best = {.lower = -HUGE_VAL};
    const bool is_known = pair->b->core != LW_CORE_HULL || (corners && corners->n > 0);
    for (int i = 0; i < MOST_ROUNDS && is_known; ++i) {
        const unsigned before[2] = {held[0], held[1]};
        const lwi_near_points p = solve(pair, v, on_a, on_b, corners, is_overlap, held);
        best = p.lower > best.lower ? p : best;
        if (held[0] == before[0] && held[1] == before[1]) {
            break;
        }
        if (fabs(lw_norm3(p.v) - fabs(p.lower)) < NEARLY * lw_norm3(p.v)) { // points at the ends
            v = p.v;
            on_a = p.a;
            on_b = lw_sub3(p.a, p.v);
        }
    }
    return best;
}
