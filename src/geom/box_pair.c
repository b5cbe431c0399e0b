// By separating axes (Gottschalk, Lin and Manocha 1996), with the sines of the angles between edges
// for their lengths.
#include "box_pair.h"

#include <float.h>

enum { MOST_PROJECTIONS = 8 };

// What all axes are made of.
typedef struct box_axes {
    const double *R, *t, *h, *k; ///< edges of b along those of a; the way from a to b; half lengths
    double A[9];                 ///< magnitudes of R
} box_axes;

static inline void find_axes(const lwi_solid_pair *pair, box_axes *x)
{
    x->R = &pair->X.R.row[0].x;
    x->t = &pair->X.p.x;
    x->h = &pair->a->half.x;
    x->k = &pair->b->half.x;
    for (int i = 0; i < 9; ++i) {
        x->A[i] = fabs(x->R[i]);
    }
}

// Loops over axes are unrolled, so that indices are constants.

// Along the normal of face i of a: the way from centre to centre, and the gap.
static inline double gap_of_first(const box_axes *x, int i, double *way)
{
    *way = x->t[i];
    return fabs(*way) - (x->h[i] + x->k[0] * x->A[3 * i] + x->k[1] * x->A[3 * i + 1] +
                         x->k[2] * x->A[3 * i + 2]);
}

static inline double gap_of_second(const box_axes *x, int j, double *way)
{
    *way = x->t[0] * x->R[j] + x->t[1] * x->R[3 + j] + x->t[2] * x->R[6 + j];
    return fabs(*way) -
           (x->k[j] + x->h[0] * x->A[j] + x->h[1] * x->A[3 + j] + x->h[2] * x->A[6 + j]);
}

// Across edge i of a and edge j of b, times the sine of the angle between them.
static inline double gap_of_edges(const box_axes *x, int i, int j, double *way)
{
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    *way = x->t[i2] * x->R[3 * i1 + j] - x->t[i1] * x->R[3 * i2 + j];
    return fabs(*way) - (x->h[i1] * x->A[3 * i2 + j] + x->h[i2] * x->A[3 * i1 + j] +
                         x->k[j1] * x->A[3 * i + j2] + x->k[j2] * x->A[3 * i + j1]);
}

static inline double sine2_of(const box_axes *x, int i, int j)
{
    const double u = x->R[(i + 1) % 3 * 3 + j], v = x->R[(i + 2) % 3 * 3 + j];
    return u * u + v * v;
}

// The direction across edge i of a and edge j of b, as long as the sine.
static inline lw_vec3 across_edges(const box_axes *x, int i, int j)
{
    const double u = x->R[(i + 1) % 3 * 3 + j], v = x->R[(i + 2) % 3 * 3 + j];
    return i == 0   ? lw_vec3_of(0.0, -v, u)
           : i == 1 ? lw_vec3_of(u, 0.0, -v)
                    : lw_vec3_of(-v, u, 0.0);
}

lwi_box_axis lwi_box_pair_axis(const lwi_solid_pair *pair)
{
    box_axes x;
    find_axes(pair, &x);
    lwi_box_axis best = {.gap = -HUGE_VAL, .edge = {-1, -1}};
    double way, most = -HUGE_VAL;
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
        const double gap = gap_of_first(&x, i, &way);
        if (gap > best.gap) {
            best.gap = gap;
            best.normal = lw_scale3(way < 0.0 ? -1.0 : 1.0, lw_vec3_of(i == 0, i == 1, i == 2));
        }
    }
    for (int j = 0; j < 3; ++j) {
        const double gap = gap_of_second(&x, j, &way);
        if (gap > best.gap) {
            best.gap = gap;
            best.normal =
                lw_scale3(way < 0.0 ? -1.0 : 1.0, lw_vec3_of(x.R[j], x.R[3 + j], x.R[6 + j]));
        }
    }
    // Edges that are parallel up to a sine have no better axis than the faces up to this share of
    // the size; and rounding turns theirs by its inverse. Both are less than this.
    const double doubt = 2.0 * sqrt(DBL_EPSILON) * pair->size;
    const double worth = lwi_smaller(best.gap, 0.0) - doubt;
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
#pragma GCC unroll 3
        for (int j = 0; j < 3; ++j) {
            const double gap = gap_of_edges(&x, i, j, &way);
            if (gap < worth) { // the sine is at most one: below zero the true gap is less still
                continue;
            }
            const double sine2 = sine2_of(&x, i, j);
            if (!(sine2 > 1e-30) || (best.gap > 0.0 && gap * gap <= best.gap * best.gap * sine2)) {
                continue;
            }
            const double sine = sqrt(sine2), along = gap / sine;
            most =
                lwi_larger(most, along + pair->size * lwi_smaller(sine, 4.0 * DBL_EPSILON / sine));
            if (along > best.gap) {
                best.gap = along;
                best.normal = lw_scale3((way < 0.0 ? -1.0 : 1.0) / sine, across_edges(&x, i, j));
                best.edge[0] = i;
                best.edge[1] = j;
            }
        }
    }
    best.slack = lwi_larger(most - best.gap, 0.0);
    return best;
}

// Whether a point of the surface is one of the box, up to rounding.
static inline bool is_within(lw_vec3 p, lw_vec3 h, double rounding)
{
    return fabs(p.x) <= h.x + rounding && fabs(p.y) <= h.y + rounding &&
           fabs(p.z) <= h.z + rounding;
}

bool lwi_box_pair_points(const lwi_solid_pair *pair, const lwi_box_axis *axis, lw_vec3 *point_a,
                         lw_vec3 *point_b)
{
    const lw_vec3 n = axis->normal, back = lw_rotate_back(&pair->X.R, lw_scale3(-1.0, n));
    const lw_vec3 a = lwi_support(pair->a, n);
    const lw_vec3 b = lw_pose_apply(&pair->X, lwi_support(pair->b, back));
    const double rounding = 0.25 * pair->rounding;
    if (axis->edge[0] < 0) { // a corner of the one beside the face of the other
        const lw_vec3 on_a = lw_sub3(b, lw_scale3(axis->gap, n));
        if (is_within(on_a, pair->a->half, rounding)) {
            *point_a = on_a;
            *point_b = b;
            return true;
        }
        const lw_vec3 on_b = lw_add3(a, lw_scale3(axis->gap, n));
        *point_a = a;
        *point_b = on_b;
        return is_within(lw_rotate_back(&pair->X.R, lw_sub3(on_b, pair->X.p)), pair->b->half,
                         rounding);
    }
    // Edges through these corners: where their lines are nearest, if that is on both.
    const int i = axis->edge[0], j = axis->edge[1];
    const lw_vec3 u = {i == 0, i == 1, i == 2}, c = lw_sub3(b, a);
    const lw_vec3 v =
        j == 0   ? lw_vec3_of(pair->X.R.row[0].x, pair->X.R.row[1].x, pair->X.R.row[2].x)
        : j == 1 ? lw_vec3_of(pair->X.R.row[0].y, pair->X.R.row[1].y, pair->X.R.row[2].y)
                 : lw_vec3_of(pair->X.R.row[0].z, pair->X.R.row[1].z, pair->X.R.row[2].z);
    const double uv = lw_dot3(u, v), uc = lw_dot3(u, c), vc = lw_dot3(v, c);
    const double sine2 = 1.0 - uv * uv;
    if (!(sine2 > 1e-6)) {
        return false;
    }
    const double s = (uc - uv * vc) / sine2;
    *point_a = lw_add3(a, lw_scale3(s, u));
    *point_b = lw_add3(b, lw_scale3(uv * s - vc, v));
    return is_within(*point_a, pair->a->half, rounding) &&
           is_within(lw_rotate_back(&pair->X.R, lw_sub3(*point_b, pair->X.p)), pair->b->half,
                     rounding);
}

static inline lw_vec3 nearest_in_box(lw_vec3 p, lw_vec3 h)
{
    return lw_vec3_of(lwi_clamp(p.x, h.x), lwi_clamp(p.y, h.y), lwi_clamp(p.z, h.z));
}

void lwi_box_pair_corners(const lwi_solid_pair *pair, const lwi_box_axis *axis, lw_vec3 *point_a,
                          lw_vec3 *point_b)
{
    const lw_mat3 *R = &pair->X.R;
    const lw_vec3 t = pair->X.p, back = lw_rotate_back(R, lw_scale3(-1.0, axis->normal));
    lw_vec3 b = lwi_support(pair->b, back), p = lw_add3(lw_rotate(R, b), t), a;
    for (int i = 0;; ++i) {
        a = nearest_in_box(p, pair->a->half);
        const lw_vec3 next = nearest_in_box(lw_rotate_back(R, lw_sub3(a, t)), pair->b->half);
        const bool is_same = next.x == b.x && next.y == b.y && next.z == b.z;
        if (is_same || i == MOST_PROJECTIONS) {
            break;
        }
        b = next;
        p = lw_add3(lw_rotate(R, b), t);
    }
    *point_a = a;
    *point_b = p;
}

lw_verdict lwi_box_pair_verdict(const lw_solid *a, const lw_pose *X_a, const lw_solid *b,
                                const lw_pose *X_b, double margin, double skew)
{
    const double wide_a = a->core == LW_CORE_BOX, wide_b = b->core == LW_CORE_BOX;
    const double h[3] = {wide_a * a->half.x, wide_a * a->half.y, a->half.z};
    const double k[3] = {wide_b * b->half.x, wide_b * b->half.y, b->half.z};
    const lw_vec3 *S = X_b->R.row, c = lw_sub3(X_b->p, X_a->p);
    const double around = sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]) +
                          sqrt(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
    const double apart = lw_norm3(c);
    const double size = around + apart, rounded = a->radius + b->radius, beyond = rounded + margin;
    const double error =
        lwi_larger(16.0 * DBL_EPSILON, 6.0 * skew) * size + 4.0 * DBL_EPSILON * rounded;
    const double far = beyond + error;
    // Squares of lengths must neither vanish nor be infinite.
    if (!(size > 1e-60 && size < 1e50) || !(beyond >= 0.0)) {
        return LW_VERDICT_UNCERTAIN;
    }
    if (apart - around > far) {
        return LW_VERDICT_FREE;
    }
    double R[9], t[3], way, face = -HUGE_VAL;
    box_axes x = {.R = R, .t = t, .h = h, .k = k};
    bool is_doubtful = false;
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) { // row i of b's frame in that of a, which is along its edge i
        const double *column = &X_a->R.row[0].x + i;
        const double u = column[0], v = column[3], w = column[6];
        t[i] = u * c.x + v * c.y + w * c.z;
        R[3 * i] = u * S[0].x + v * S[1].x + w * S[2].x;
        R[3 * i + 1] = u * S[0].y + v * S[1].y + w * S[2].y;
        R[3 * i + 2] = u * S[0].z + v * S[1].z + w * S[2].z;
        x.A[3 * i] = fabs(R[3 * i]);
        x.A[3 * i + 1] = fabs(R[3 * i + 1]);
        x.A[3 * i + 2] = fabs(R[3 * i + 2]);
        face = lwi_larger(face, gap_of_first(&x, i, &way));
    }
    if (face > far) {
        return LW_VERDICT_FREE;
    }
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
        face = lwi_larger(face, gap_of_second(&x, j, &way));
    }
    if (face > far) {
        return LW_VERDICT_FREE;
    }
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
#pragma GCC unroll 3
        for (int j = 0; j < 3; ++j) {
            const double gap = gap_of_edges(&x, i, j, &way); // less than the true one
            if (gap > -error) {
                const double sine2 = sine2_of(&x, i, j);
                if (gap > error && (gap - error) * (gap - error) > far * far * sine2) {
                    return LW_VERDICT_FREE;
                }
                // Parallel edges: no better than the faces.
                is_doubtful |= !(face <= -(size * sqrt(sine2) + error));
            }
        }
    }
    return !is_doubtful && face <= beyond - error && face <= -error ? LW_VERDICT_HIT
                                                                    : LW_VERDICT_UNCERTAIN;
}
