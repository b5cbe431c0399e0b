// By separating axes (Gottschalk, Lin and Manocha 1996), with the sines of the angles between edges
// for their lengths.
#include "box_pair.h"

#include <float.h>

// What all axes are made of.
typedef struct box_axes {
    double R[3][3], A[3][3]; ///< edges of b along those of a, and their magnitudes
    double t[3], h[3], k[3]; ///< the way from a to b, and half lengths
} box_axes;

static inline box_axes axes_of(const lwi_solid_pair *pair)
{
    const lw_vec3 *row = pair->X.R.row, p = pair->X.p, h = pair->a->half, k = pair->b->half;
    box_axes x = {.t = {p.x, p.y, p.z}, .h = {h.x, h.y, h.z}, .k = {k.x, k.y, k.z}};
    for (int i = 0; i < 3; ++i) {
        const double r[3] = {row[i].x, row[i].y, row[i].z};
        for (int j = 0; j < 3; ++j) {
            x.R[i][j] = r[j];
            x.A[i][j] = fabs(r[j]);
        }
    }
    return x;
}

// Along the normal of face i of a: the way from centre to centre, and the gap.
static inline double gap_of_first(const box_axes *x, int i, double *way)
{
    *way = x->t[i];
    return fabs(*way) -
           (x->h[i] + x->k[0] * x->A[i][0] + x->k[1] * x->A[i][1] + x->k[2] * x->A[i][2]);
}

static inline double gap_of_second(const box_axes *x, int j, double *way)
{
    *way = x->t[0] * x->R[0][j] + x->t[1] * x->R[1][j] + x->t[2] * x->R[2][j];
    return fabs(*way) -
           (x->k[j] + x->h[0] * x->A[0][j] + x->h[1] * x->A[1][j] + x->h[2] * x->A[2][j]);
}

// Across edge i of a and edge j of b, times the sine of the angle between them.
static inline double gap_of_edges(const box_axes *x, int i, int j, double *way)
{
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    *way = x->t[i2] * x->R[i1][j] - x->t[i1] * x->R[i2][j];
    return fabs(*way) - (x->h[i1] * x->A[i2][j] + x->h[i2] * x->A[i1][j] + x->k[j1] * x->A[i][j2] +
                         x->k[j2] * x->A[i][j1]);
}

static inline double sine2_of(const box_axes *x, int i, int j)
{
    const double u = x->R[(i + 1) % 3][j], v = x->R[(i + 2) % 3][j];
    return u * u + v * v;
}

static inline void take_larger(lwi_box_axis *best, double gap, double way, lw_vec3 n, double norm,
                               int i, int j)
{
    if (gap > best->gap) {
        best->gap = gap;
        best->normal = lw_scale3((way < 0.0 ? -1.0 : 1.0) / norm, n);
        best->edge[0] = i;
        best->edge[1] = j;
    }
}

lwi_box_axis lwi_box_pair_axis(const lwi_solid_pair *pair)
{
    const box_axes x = axes_of(pair);
    lwi_box_axis best = {.gap = -HUGE_VAL, .edge = {-1, -1}};
    double way, most = -HUGE_VAL;
    for (int i = 0; i < 3; ++i) {
        const double gap = gap_of_first(&x, i, &way);
        take_larger(&best, gap, way, lw_vec3_of(i == 0, i == 1, i == 2), 1.0, -1, -1);
    }
    for (int j = 0; j < 3; ++j) {
        const double gap = gap_of_second(&x, j, &way);
        take_larger(&best, gap, way, lw_vec3_of(x.R[0][j], x.R[1][j], x.R[2][j]), 1.0, -1, -1);
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double sine2 = sine2_of(&x, i, j);
            if (!(sine2 > 1e-30)) {
                continue;
            }
            const double sine = sqrt(sine2), gap = gap_of_edges(&x, i, j, &way) / sine;
            // Edges that are parallel up to this sine have no better axis than the faces up to this
            // share of the size; and rounding turns theirs by its inverse.
            most = lwi_larger(most, gap + pair->size * lwi_smaller(sine, 4.0 * DBL_EPSILON / sine));
            const double u = x.R[(i + 1) % 3][j], v = x.R[(i + 2) % 3][j];
            const lw_vec3 n = i == 0   ? lw_vec3_of(0.0, -v, u)
                              : i == 1 ? lw_vec3_of(u, 0.0, -v)
                                       : lw_vec3_of(-v, u, 0.0);
            take_larger(&best, gap, way, n, sine, i, j);
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

lw_verdict lwi_box_pair_verdict(const lwi_solid_pair *pair, double beyond, double error)
{
    const box_axes x = axes_of(pair);
    const double far = beyond + error;
    double way, face = -HUGE_VAL;
    bool is_doubtful = false;
    for (int i = 0; i < 3; ++i) {
        face = lwi_larger(face, gap_of_first(&x, i, &way));
    }
    if (face > far) {
        return LW_VERDICT_FREE;
    }
    for (int j = 0; j < 3; ++j) {
        face = lwi_larger(face, gap_of_second(&x, j, &way));
    }
    if (face > far) {
        return LW_VERDICT_FREE;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double gap = gap_of_edges(&x, i, j, &way); // less than the true one
            if (gap > -error) {
                const double sine2 = sine2_of(&x, i, j);
                if (gap > error && (gap - error) * (gap - error) > far * far * sine2) {
                    return LW_VERDICT_FREE;
                }
                // Parallel edges: no better than the faces.
                is_doubtful |= !(face <= -(pair->size * sqrt(sine2) + error));
            }
        }
    }
    return !is_doubtful && face <= beyond - error && face <= -error ? LW_VERDICT_HIT
                                                                    : LW_VERDICT_UNCERTAIN;
}
