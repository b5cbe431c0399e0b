// Distances of solids and verdicts on them. The two are brought into an order of their own and into
// the frame of the first; the interval is made at one place, from a direction and from two points.
#include "box_pair.h"
#include "core_pair.h"
#include "gjk.h"
#include "segment_pair.h"

#include <float.h>
#include <math.h>

#define MOST_SKEW 1e-6 // of a rotation matrix

static bool is_finite_pose(const lw_pose *X)
{
    double sum = fabs(X->p.x) + fabs(X->p.y) + fabs(X->p.z);
    for (int i = 0; i < 3; ++i) {
        sum += fabs(X->R.row[i].x) + fabs(X->R.row[i].y) + fabs(X->R.row[i].z);
    }
    return sum < 1e50;
}

// By how much two matrices are not orthonormal, side by side; not a number where one is not.
static double skew_of(const lw_mat3 *A, const lw_mat3 *B)
{
    typedef double two __attribute__((vector_size(16)));
    const double *a = &A->row[0].x, *b = &B->row[0].x;
    two x[9], sum = {0.0, 0.0};
    for (int i = 0; i < 9; ++i) {
        x[i] = (two){a[i], b[i]};
    }
    for (int i = 0; i < 3; ++i) {
        const two *u = &x[3 * i], *v = &x[i == 2 ? 0 : 3 * i + 3];
        const two length = u[0] * u[0] + u[1] * u[1] + u[2] * u[2] - 1.0;
        const two angle = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
        sum += length * length + angle * angle;
    }
    return sqrt(lwi_larger(sum[0], sum[1]) + 0.0 * (sum[0] + sum[1]));
}

// --- An order of two solids that does not depend on which is named first --------------------

static int compare_numbers(const double *x, const double *y, int n)
{
    for (int i = 0; i < n; ++i) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare(const lw_solid *a, const lw_pose *X_a, const lw_solid *b, const lw_pose *X_b)
{
    if (a->core != b->core) {
        return a->core < b->core ? -1 : 1;
    }
    int order = compare_numbers(&a->half.x, &b->half.x, 3);
    order = order ? order : compare_numbers(&a->radius, &b->radius, 1);
    order = order ? order : (a->npoint > b->npoint) - (a->npoint < b->npoint);
    for (int i = 0; order == 0 && i < a->npoint && a->core == LW_CORE_HULL; ++i) {
        order = compare_numbers(&a->point[i].x, &b->point[i].x, 3);
    }
    order = order ? order : compare_numbers(&X_a->p.x, &X_b->p.x, 3);
    for (int i = 0; order == 0 && i < 3; ++i) {
        order = compare_numbers(&X_a->R.row[i].x, &X_b->R.row[i].x, 3);
    }
    return order;
}

// The solid with the core of fewest dimensions that is the same: as it is, or made in `other`.
static const lw_solid *simplest(const lw_solid *solid, lw_solid *other)
{
    const lw_vec3 h = solid->half;
    const bool is_point = solid->core == LW_CORE_POINT; // has no measures, whatever stands there
    const bool is_thin = h.x == 0.0 && h.y == 0.0 && solid->core != LW_CORE_HULL &&
                         solid->core != LW_CORE_HALF_SPACE;
    if (!is_point && !is_thin) {
        return solid;
    }
    *other = *solid;
    other->half = lw_vec3_of(0.0, 0.0, is_point ? 0.0 : h.z);
    other->core = other->half.z == 0.0 ? LW_CORE_POINT : LW_CORE_SEGMENT;
    return other;
}

// --- Two solids in order ----------------------------------------------------------------------

// The two solids of a question, in the frame of the one that comes first.
typedef struct question {
    lw_solid other[2]; ///< in place of those that have cores of fewer dimensions
    lwi_solid_pair pair;
    const lw_pose *X; ///< of the first
    bool is_swapped;
    double apart;          ///< from origin to origin
    double rounded, error; ///< of both roundings; what rounding errors move either end
} question;

static lw_status bad_question(const lw_solid *a, const lw_pose *X_a, const lw_solid *b,
                              const lw_pose *X_b)
{
    lw_status status = a && b ? lw_check_solid(a) : LW_ERR_ARGUMENT;
    status = status == LW_OK ? lw_check_solid(b) : status;
    if (status != LW_OK || !X_a || !X_b) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    return is_finite_pose(X_a) && is_finite_pose(X_b) ? LW_ERR_ARGUMENT : LW_ERR_NUMBER;
}

static lw_status ask(const lw_solid *a, const lw_pose *X_a, const lw_solid *b, const lw_pose *X_b,
                     question *q)
{
    double size[2];
    if (!a || !b || !X_a || !X_b || !lwi_has_size(a, &size[0]) || !lwi_has_size(b, &size[1]) ||
        (a->core == LW_CORE_HALF_SPACE && b->core == LW_CORE_HALF_SPACE)) {
        return bad_question(a, X_a, b, X_b);
    }
    const double skew = skew_of(&X_a->R, &X_b->R);
    const lw_solid *x = simplest(a, &q->other[0]), *y = simplest(b, &q->other[1]);
    q->is_swapped = compare(x, X_a, y, X_b) > 0;
    const lw_pose *X = q->is_swapped ? X_b : X_a, *Y = q->is_swapped ? X_a : X_b;
    lwi_solid_pair *pair = &q->pair;
    pair->a = q->is_swapped ? y : x;
    pair->b = q->is_swapped ? x : y;
    q->X = X;
    const lw_vec3 *R = X->R.row, *S = Y->R.row;
    for (int i = 0; i < 3; ++i) { // row i of the product with R as its columns are
        const double u = (&R[0].x)[i], v = (&R[1].x)[i], w = (&R[2].x)[i];
        pair->X.R.row[i] =
            lw_vec3_of(u * S[0].x + v * S[1].x + w * S[2].x, u * S[0].y + v * S[1].y + w * S[2].y,
                       u * S[0].z + v * S[1].z + w * S[2].z);
    }
    pair->X.p = lw_rotate_back(&X->R, lw_sub3(Y->p, X->p));
    q->apart = lw_norm3(pair->X.p);
    pair->size = size[0] + size[1] + q->apart;
    if (!(skew <= MOST_SKEW) || !(pair->size < 1e51)) {
        return bad_question(a, X_a, b, X_b);
    }
    pair->rounding = lwi_larger(16.0 * DBL_EPSILON, 6.0 * skew) * pair->size;
    q->rounded = a->radius + b->radius;
    q->error = pair->rounding + 4.0 * DBL_EPSILON * q->rounded;
    return LW_OK;
}

static void answer(const question *q, const lwi_core_distance *r, lw_distance *distance)
{
    const lwi_solid_pair *pair = &q->pair;
    distance->lower = r->lower - q->rounded - q->error;
    distance->upper = r->upper - q->rounded + q->error;
    distance->distance = r->lower - q->rounded;
    distance->iterations = r->iterations;
    const lw_vec3 n = lw_rotate(&q->X->R, r->normal);
    distance->normal = q->is_swapped ? lw_scale3(-1.0, n) : n;
    // From points of the cores that are well apart, those of the rounded solids are on their line:
    // the normal is along it only as far as GJK went, which a large radius would show.
    const bool is_apart = q->rounded > 0.0 && r->lower > 1e-4 * pair->size && r->upper > r->lower;
    lw_vec3 m = n;
    if (is_apart) {
        m = lw_unit3(lw_rotate(&q->X->R, lw_sub3(r->point_b, r->point_a)));
    }
    const lw_vec3 point_a = lw_add3(lw_pose_apply(q->X, r->point_a), lw_scale3(pair->a->radius, m));
    const lw_vec3 point_b = lw_sub3(lw_pose_apply(q->X, r->point_b), lw_scale3(pair->b->radius, m));
    distance->point[q->is_swapped] = point_a;
    distance->point[!q->is_swapped] = point_b;
}

static lw_status find_any_distance(const lw_solid *a, const lw_pose *X_a, const lw_solid *b,
                                   const lw_pose *X_b, lw_distance_start *start,
                                   lw_distance_work *work, lw_distance *distance)
{
    question q;
    const lw_status status = work && distance ? ask(a, X_a, b, X_b, &q) : LW_ERR_ARGUMENT;
    if (status != LW_OK) {
        return status;
    }
    const lwi_core_distance r = lwi_find_core_distance(&q.pair, start, work);
    answer(&q, &r, distance);
    if (start) {
        start->normal = r.normal;
        start->nearest[0] = r.point_a;
        start->nearest[1] = lw_rotate_back(&q.pair.X.R, lw_sub3(r.point_b, q.pair.X.p));
    }
    return LW_OK;
}

// Whether a solid is a sphere or a capsule with measures that are in order.
static inline bool is_capsule(const lw_solid *s)
{
    return (unsigned)s->core <= LW_CORE_SEGMENT && lwi_is_length(s->half.x) &&
           lwi_is_length(s->half.y) && lwi_is_length(s->half.z) && lwi_is_length(s->radius);
}

static inline lwi_capsule capsule_at(const lw_solid *s, const lw_pose *X)
{
    return (lwi_capsule){X->p,
                         {X->R.row[0].z, X->R.row[1].z, X->R.row[2].z},
                         s->core == LW_CORE_POINT ? 0.0 : s->half.z,
                         s->radius};
}

// Whether the second solid is to be taken first: an order of two capsules that does not depend on
// how they are named.
static inline bool is_capsule_order_swapped(const lw_solid *a, const lw_pose *X_a,
                                            const lw_solid *b, const lw_pose *X_b)
{
    const double *x = &X_a->p.x, *y = &X_b->p.x;
    if (a->half.z != b->half.z || a->radius != b->radius) {
        return a->half.z != b->half.z ? a->half.z > b->half.z : a->radius > b->radius;
    }
    const int k = x[0] != y[0] ? 0 : x[1] != y[1] ? 1 : 2;
    return x[k] != y[k] ? x[k] > y[k] : compare(a, X_a, b, X_b) > 0;
}

// Axes that are nearly parallel, or not quite unit vectors; kept apart, so that the rest calls
// nothing.
static __attribute__((noinline)) lw_status find_odd_distance(const lw_solid *a, const lw_pose *X_a,
                                                             const lw_solid *b, const lw_pose *X_b,
                                                             lw_distance_work *work,
                                                             lw_distance *distance)
{
    const bool is_swapped = is_capsule_order_swapped(a, X_a, b, X_b);
    const lwi_capsule s = is_swapped ? capsule_at(b, X_b) : capsule_at(a, X_a);
    const lwi_capsule t = is_swapped ? capsule_at(a, X_a) : capsule_at(b, X_b);
    const double skew = lwi_capsule_skew(&s, &t);
    return skew <= MOST_SKEW && lwi_capsule_distance(&s, &t, skew, is_swapped, distance)
               ? LW_OK
               : find_any_distance(a, X_a, b, X_b, NULL, work, distance);
}

lw_status lw_find_distance(const lw_solid *a, const lw_pose *X_a, const lw_solid *b,
                           const lw_pose *X_b, lw_distance_work *work, lw_distance *distance)
{
    if (!a || !X_a || !b || !X_b || !work || !distance || !is_capsule(a) || !is_capsule(b)) {
        return find_any_distance(a, X_a, b, X_b, NULL, work, distance);
    }
    const bool is_swapped = is_capsule_order_swapped(a, X_a, b, X_b);
    const lw_solid *x = is_swapped ? b : a, *y = is_swapped ? a : b;
    const lwi_capsule s = capsule_at(x, is_swapped ? X_b : X_a);
    const lwi_capsule t = capsule_at(y, is_swapped ? X_a : X_b);
    const double skew = lwi_capsule_skew(&s, &t);
    const lwi_segment_way w = lwi_way_between(&s, &t);
    if (!(skew <= MOST_SKEW) || lwi_is_nearly_parallel(&w)) {
        return find_odd_distance(a, X_a, b, X_b, work, distance);
    }
    const lwi_segment_gap g = lwi_segment_gap_from(&w, &s, &t, lwi_steep_start(&w, s.half));
    const double size = lwi_capsule_size(&w, &s, &t);
    return lwi_gap_distance(&g, &s, &t, size, skew, is_swapped, distance)
               ? LW_OK
               : find_any_distance(a, X_a, b, X_b, NULL, work, distance);
}

lw_status lw_find_distance_from(const lw_solid *a, const lw_pose *X_a, const lw_solid *b,
                                const lw_pose *X_b, lw_distance_start *start,
                                lw_distance_work *work, lw_distance *distance)
{
    if (!start) {
        return LW_ERR_ARGUMENT;
    }
    return a && b && is_capsule(a) && is_capsule(b)
               ? lw_find_distance(a, X_a, b, X_b, work, distance)
               : find_any_distance(a, X_a, b, X_b, start, work, distance);
}

// A frame with its third axis along u, and a segment in it.
static lw_solid solid_at(const lwi_capsule *c, lw_pose *X)
{
    const lw_vec3 u = c->u, least = {fabs(u.x) < 0.6, !(fabs(u.x) < 0.6), 0.0};
    const lw_vec3 v = lw_unit3(lw_cross3(u, least)), w = lw_unit3(lw_cross3(u, v));
    *X = (lw_pose){{{{v.x, w.x, u.x}, {v.y, w.y, u.y}, {v.z, w.z, u.z}}}, c->p};
    return (lw_solid){.core = LW_CORE_SEGMENT, .half = {0.0, 0.0, c->half}, .radius = c->radius};
}

lw_status lwi_find_capsule_distance(const lwi_capsule *a, const lwi_capsule *b,
                                    lw_distance *distance)
{
    question q;
    lw_pose X_a, X_b;
    const lw_solid s = solid_at(a, &X_a), t = solid_at(b, &X_b);
    const double skew = lwi_capsule_skew(a, b);
    const lw_status status = ask(&s, &X_a, &t, &X_b, &q);
    if (status == LW_OK && !lwi_capsule_distance(a, b, skew, false, distance)) {
        const lwi_core_distance r = lwi_find_core_distance(&q.pair, NULL, NULL);
        answer(&q, &r, distance);
    }
    return status;
}

// Whether a solid is a box with measures that are in order, or a segment, which is one without
// width.
static inline bool is_box(const lw_solid *s)
{
    return (s->core == LW_CORE_BOX || s->core == LW_CORE_SEGMENT) && lwi_is_length(s->half.x) &&
           lwi_is_length(s->half.y) && lwi_is_length(s->half.z) && lwi_is_length(s->radius);
}

// Boxes need no frame: what is not decided here is left to the distance.
static lw_verdict box_verdict(const lw_solid *a, const lw_pose *X_a, const lw_solid *b,
                              const lw_pose *X_b, double margin)
{
    const double skew = skew_of(&X_a->R, &X_b->R);
    if (!(skew <= MOST_SKEW)) {
        return LW_VERDICT_UNCERTAIN;
    }
    return compare(a, X_a, b, X_b) > 0 ? lwi_box_pair_verdict(b, X_b, a, X_a, margin, skew)
                                       : lwi_box_pair_verdict(a, X_a, b, X_b, margin, skew);
}

// As far as it is proven without the distance.
static lw_verdict quick_verdict(const question *q, double margin)
{
    const lwi_solid_pair *pair = &q->pair;
    const lw_core a = pair->a->core, b = pair->b->core;
    const double beyond = q->rounded + margin;
    const double around = pair->size - q->apart; // of both cores
    if (b == LW_CORE_HALF_SPACE || !(beyond >= 0.0)) {
        return LW_VERDICT_UNCERTAIN;
    }
    if (q->apart - around > beyond + q->error) {
        return LW_VERDICT_FREE;
    }
    if (a == LW_CORE_POINT || b == LW_CORE_BOX) { // has a closed form, or was looked at before
        return LW_VERDICT_UNCERTAIN;
    }
    const lwi_gjk_limits limits = {beyond - q->error, beyond + q->error};
    const lwi_gjk g = lwi_gjk_run(pair, lwi_first_direction(pair), &limits, NULL);
    const double apart = lw_norm3(g.v);
    return g.lower > limits.far   ? LW_VERDICT_FREE
           : apart <= limits.near ? LW_VERDICT_HIT
           : g.is_overlap && lwi_simplex_depth(&g.simplex, q->pair.rounding) > q->error
               ? LW_VERDICT_HIT
               : LW_VERDICT_UNCERTAIN;
}

lw_status lw_find_verdict(const lw_solid *a, const lw_pose *X_a, const lw_solid *b,
                          const lw_pose *X_b, double margin, lw_distance_work *work,
                          lw_verdict *verdict)
{
    if (!work || !verdict || !isfinite(margin)) {
        return LW_ERR_ARGUMENT;
    }
    *verdict = LW_VERDICT_UNCERTAIN;
    if (a && X_a && b && X_b && is_capsule(a) && is_capsule(b)) {
        const lwi_capsule s = capsule_at(a, X_a), t = capsule_at(b, X_b);
        const double skew = lwi_capsule_skew(&s, &t);
        *verdict = skew <= MOST_SKEW ? lwi_capsule_verdict(&s, &t, skew, margin) : *verdict;
        if (*verdict != LW_VERDICT_UNCERTAIN) {
            return LW_OK;
        }
        lw_distance distance = {0};
        const lw_status status = lw_find_distance(a, X_a, b, X_b, work, &distance);
        *verdict = status == LW_OK ? lw_verdict_of(&distance, margin) : LW_VERDICT_UNCERTAIN;
        return status;
    }
    if (a && X_a && b && X_b && is_box(a) && is_box(b)) {
        *verdict = box_verdict(a, X_a, b, X_b, margin);
        if (*verdict != LW_VERDICT_UNCERTAIN) {
            return LW_OK;
        }
    }
    question q;
    const lw_status status = ask(a, X_a, b, X_b, &q);
    if (status != LW_OK) {
        return status;
    }
    *verdict = quick_verdict(&q, margin);
    if (*verdict == LW_VERDICT_UNCERTAIN) {
        const lwi_core_distance r = lwi_find_core_distance(&q.pair, NULL, work);
        lw_distance distance;
        answer(&q, &r, &distance);
        *verdict = lw_verdict_of(&distance, margin);
    }
    return LW_OK;
}

lw_verdict lw_verdict_of(const lw_distance *distance, double margin)
{
    return distance->lower > margin    ? LW_VERDICT_FREE
           : distance->upper <= margin ? LW_VERDICT_HIT
                                       : LW_VERDICT_UNCERTAIN;
}
