// Continuation of singular configurations (Haug et al. 1996). Unknown are the free joints x and the
// direction xi that they cannot move the frame along:
//
//   offset from the plane (x) = 0,  J(x)' xi = 0,  |xi| = 1
//
// one equation fewer than unknowns. Second derivatives of the position are differences of
// Jacobians: they only steer Newton's method, whose residual is exact.

#include "boundary_trace.h"

#include "../base/philox.h"
#include "../kin/joint_range.h"
#include "../math/pi.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWNS = LWI_BOUNDARY_JOINTS + 3, MOST_POINTS = 50000, MOST_CURVES = 16, ITERATIONS = 25 };

double *lwi_trace_add(lwi_trace *t)
{
    if (t->count == t->space) {
        const int space = 2 * t->space + 64;
        double *larger = realloc(t->at, (size_t)space * LWI_TRACE_WIDTH * sizeof *larger);
        if (!larger) {
            return NULL;
        }
        t->at = larger;
        t->space = space;
    }
    return t->at + (ptrdiff_t)t->count++ * LWI_TRACE_WIDTH;
}

double lwi_section_share(lwi_section *s)
{
    double u[2];
    lwi_philox_pair(s->def->seed, s->drawn++, 0, 2, u);
    return u[0];
}

// --- The mechanism ----------------------------------------------------------------------------

/// Position along u, v and off the plane at joint values x, and where J is not NULL its
/// derivatives, row by row.
static bool place(lwi_section *s, const double *x, double p[3], double *J)
{
    const lw_boundary_def *def = s->def;
    lw_pose X;
    for (int i = 0; i < s->njoint; ++i) {
        s->q[s->joint[i]] = x[i];
    }
    lw_data_restart(s->d);
    if (lw_forward_position(s->m, s->d, s->q) != LW_OK ||
        lw_frame_pose(s->m, s->d, def->frame, &X) != LW_OK) {
        return false;
    }
    const lw_vec3 r = lw_sub3(X.p, def->origin), axis[3] = {def->u, def->v, s->normal};
    for (int k = 0; k < 3; ++k) {
        p[k] = lw_dot3(axis[k], r);
    }
    if (!J) {
        return true;
    }
    const int nv = s->m->nv;
    if (lw_frame_jacobian(s->m, s->d, s->q, def->frame, LW_IN_WORLD, NULL, s->J) != LW_OK) {
        return false;
    }
    for (int i = 0; i < s->njoint; ++i) {
        const double *c = s->J + (ptrdiff_t)3 * nv + s->dof[i];
        const lw_vec3 column = lw_vec3_of(c[0], c[nv], c[2 * (ptrdiff_t)nv]);
        for (int k = 0; k < 3; ++k) {
            J[k * LWI_BOUNDARY_JOINTS + i] = lw_dot3(axis[k], column);
        }
    }
    return true;
}

static void random_joints(lwi_section *s, double *x)
{
    for (int i = 0; i < s->njoint; ++i) {
        x[i] = s->low[i] + (s->high[i] - s->low[i]) * lwi_section_share(s);
    }
}

// Joints that move the point, whether it leaves the plane, and how far it goes.
static lw_status look_around(lwi_section *s)
{
    enum { SAMPLES = 64 };
    double moves[LWI_BOUNDARY_JOINTS] = {0.0}, leaves = 0.0, x[LWI_BOUNDARY_JOINTS], p[3];
    double J[3 * LWI_BOUNDARY_JOINTS], low[3], high[3];
    int seen = 0;
    for (int n = 0; n < SAMPLES; ++n) {
        random_joints(s, x);
        if (!place(s, x, p, J)) {
            continue;
        }
        for (int i = 0; i < s->njoint; ++i) {
            for (int k = 0; k < 3; ++k) {
                moves[i] = fmax(moves[i], fabs(J[k * LWI_BOUNDARY_JOINTS + i]));
            }
            leaves = fmax(leaves, fabs(J[2 * LWI_BOUNDARY_JOINTS + i]));
        }
        for (int k = 0; k < 3; ++k) {
            low[k] = seen == 0 ? p[k] : fmin(low[k], p[k]);
            high[k] = seen == 0 ? p[k] : fmax(high[k], p[k]);
        }
        ++seen;
    }
    if (seen == 0) {
        return LW_ERR_LOOP_OPEN;
    }
    s->size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    s->is_planar = leaves < 1e-10 * s->size && fabs(p[2]) < 1e-9 * s->size;
    s->rows = s->is_planar ? 2 : 3;
    int kept = 0;
    for (int i = 0; i < s->njoint; ++i) {
        if (moves[i] > 1e-10 * s->size) {
            s->joint[kept] = s->joint[i];
            s->dof[kept] = s->dof[i];
            s->low[kept] = s->low[i];
            s->high[kept] = s->high[i];
            s->is_full[kept++] = s->is_full[i];
        }
    }
    s->njoint = kept;
    return LW_OK;
}

/// Configurations with the point in the plane, from random ones by Newton's method.
static lw_status fill_pool(lwi_section *s)
{
    enum { N = LWI_BOUNDARY_JOINTS, POOL = 4000, STEPS = 8 };
    double x[N], p[3], J[3 * N];
    for (int n = 0; n < POOL; ++n) {
        random_joints(s, x);
        bool is_good = place(s, x, p, J);
        for (int it = 0; it < STEPS && is_good && !s->is_planar && p[2] != 0.0; ++it) {
            double sum = 1e-12 * s->size * s->size;
            for (int i = 0; i < s->njoint; ++i) {
                sum += J[2 * N + i] * J[2 * N + i];
            }
            for (int i = 0; i < s->njoint; ++i) {
                x[i] -= J[2 * N + i] * p[2] / sum;
                x[i] = s->is_full[i] ? x[i] : fmin(fmax(x[i], s->low[i]), s->high[i]);
            }
            is_good = place(s, x, p, J);
        }
        if (!is_good || !(fabs(p[2]) < 1e-3 * s->size)) {
            continue;
        }
        double *at = lwi_trace_add(&s->pool);
        if (!at) {
            return LW_ERR_MEMORY;
        }
        memcpy(at, p, 2 * sizeof *at);
        memcpy(at + 2, x, sizeof x);
    }
    return LW_OK;
}

lw_status lwi_section_open(lwi_section *s, const lw_model *m, const lw_boundary_def *def)
{
    *s = (lwi_section){.m = m, .def = def};
    s->normal = lw_cross3(def->u, def->v);
    s->q = calloc((size_t)m->nq + 1, sizeof *s->q);
    s->J = calloc((size_t)6 * (size_t)(m->nv + 1), sizeof *s->J);
    const lw_status status = s->q && s->J ? lw_data_create(m, &s->d) : LW_ERR_MEMORY;
    if (status != LW_OK) {
        return status;
    }
    memcpy(s->q, m->q_reference, (size_t)m->nq * sizeof *s->q);
    for (int k = 0; k < m->nv; ++k) {
        const int q = lw_position_of_dof(m, k), i = s->njoint;
        if (i == LWI_BOUNDARY_JOINTS) {
            return LW_ERR_LIMIT;
        }
        if (q < 0 || !lwi_joint_range(m, q, &s->low[i], &s->high[i])) {
            return LW_ERR_UNSUPPORTED;
        }
        const lw_dof *dof = &m->dof[m->v_tree[k]];
        const bool has_limits = isfinite(dof->lower) && isfinite(dof->upper);
        double low, high;
        // A range of a revolution or more has no ends, but that of a slide has.
        s->is_full[i] = !has_limits;
        if (has_limits && dof->upper - dof->lower >= LWI_TWO_PI - 1e-9) {
            for (int b = 0; b < m->nbody; ++b) {
                if (m->v_start[b] == m->v_tree[k]) {
                    s->is_full[i] = m->carrier[b] == LW_TREE_REVOLUTE;
                }
            }
        }
        low = s->is_full[i] ? -LWI_PI : s->low[i];
        high = s->is_full[i] ? LWI_PI : s->high[i];
        s->low[i] = low;
        s->high[i] = high;
        s->joint[i] = q;
        s->dof[i] = k;
        ++s->njoint;
    }
    const lw_status seen = look_around(s);
    return seen == LW_OK ? fill_pool(s) : seen;
}

void lwi_section_close(lwi_section *s)
{
    lw_data_destroy(s->d);
    free(s->pool.at);
    free(s->q);
    free(s->J);
}

// --- Linear systems ---------------------------------------------------------------------------

/// Solves A y = b, n equations, by elimination with row exchanges. False where A is singular.
static bool solve_linear(int n, double A[UNKNOWNS][UNKNOWNS], double b[UNKNOWNS])
{
    for (int i = 0; i < n; ++i) {
        int pivot = i;
        for (int r = i + 1; r < n; ++r) {
            pivot = fabs(A[r][i]) > fabs(A[pivot][i]) ? r : pivot;
        }
        if (!(fabs(A[pivot][i]) > 1e-13)) {
            return false;
        }
        for (int c = 0; c < n && pivot != i; ++c) {
            const double keep = A[i][c];
            A[i][c] = A[pivot][c];
            A[pivot][c] = keep;
        }
        if (pivot != i) {
            const double keep = b[i];
            b[i] = b[pivot];
            b[pivot] = keep;
        }
        for (int r = i + 1; r < n; ++r) {
            const double f = A[r][i] / A[i][i];
            for (int c = i; c < n; ++c) {
                A[r][c] -= f * A[i][c];
            }
            b[r] -= f * b[i];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int c = i + 1; c < n; ++c) {
            b[i] -= A[i][c] * b[c];
        }
        b[i] /= A[i][i];
    }
    return true;
}

// --- Curves -----------------------------------------------------------------------------------

/// The curve that is traced: y has the free joints, then xi.
typedef struct curve {
    lwi_section *s;
    int nfree, free[LWI_BOUNDARY_JOINTS];
    int n; ///< unknowns; one equation fewer
    double x[LWI_BOUNDARY_JOINTS];
} curve;

/// Residuals [n-1] and derivatives [n-1][n] at y; the image of the point.
static bool equations(curve *c, const double *y, double *residual, double A[UNKNOWNS][UNKNOWNS],
                      double image[2])
{
    enum { N = LWI_BOUNDARY_JOINTS };
    lwi_section *s = c->s;
    const int nf = c->nfree, rows = s->rows;
    const double *xi = y + nf, h = 1e-5;
    double p[3], J[3 * N], plus[3 * N], minus[3 * N], ignored[3];
    for (int i = 0; i < nf; ++i) {
        c->x[c->free[i]] = y[i];
    }
    if (!place(s, c->x, p, J)) {
        return false;
    }
    image[0] = p[0];
    image[1] = p[1];
    memset(A, 0, sizeof(double[UNKNOWNS][UNKNOWNS]));
    int e = 0;
    for (int i = 0; i < nf; ++i, ++e) {
        residual[e] = 0.0;
        for (int k = 0; k < rows; ++k) {
            residual[e] += J[k * N + c->free[i]] * xi[k];
            A[e][nf + k] = J[k * N + c->free[i]];
        }
    }
    for (int j = 0; j < nf; ++j) {
        const double x = c->x[c->free[j]];
        c->x[c->free[j]] = x + h;
        bool is_good = place(s, c->x, ignored, plus);
        c->x[c->free[j]] = x - h;
        is_good = place(s, c->x, ignored, minus) && is_good;
        c->x[c->free[j]] = x;
        if (!is_good) {
            return false;
        }
        for (int i = 0; i < nf; ++i) {
            for (int k = 0; k < rows; ++k) {
                const int at = k * N + c->free[i];
                A[i][j] += (plus[at] - minus[at]) / (2.0 * h) * xi[k];
            }
        }
    }
    if (!s->is_planar) {
        residual[e] = p[2];
        for (int i = 0; i < nf; ++i) {
            A[e][i] = J[2 * N + c->free[i]];
        }
        ++e;
    }
    residual[e] = -1.0;
    for (int k = 0; k < rows; ++k) {
        residual[e] += xi[k] * xi[k];
        A[e][nf + k] = 2.0 * xi[k];
    }
    return true;
}

/// The shortest step b [n] with A b = -residual [n-1], slightly damped.
static bool shortest_step(int n, double A[UNKNOWNS][UNKNOWNS], const double *residual, double *b)
{
    double M[UNKNOWNS][UNKNOWNS], z[UNKNOWNS];
    for (int e = 0; e < n - 1; ++e) {
        for (int f = 0; f < n - 1; ++f) {
            M[e][f] = e == f ? 1e-10 : 0.0;
            for (int k = 0; k < n; ++k) {
                M[e][f] += A[e][k] * A[f][k];
            }
        }
        z[e] = -residual[e];
    }
    if (!solve_linear(n - 1, M, z)) {
        return false;
    }
    for (int k = 0; k < n; ++k) {
        b[k] = 0.0;
        for (int e = 0; e < n - 1; ++e) {
            b[k] += A[e][k] * z[e];
        }
    }
    return true;
}

/// Newton's method onto the curve, across `along` from y where that is not NULL, else by the
/// shortest way. Leaves the tangent of the curve in `tangent` [n].
static bool correct(curve *c, double *y, const double *along, double image[2], double *tangent)
{
    const int n = c->n;
    double A[UNKNOWNS][UNKNOWNS], M[UNKNOWNS][UNKNOWNS], residual[UNKNOWNS], b[UNKNOWNS];
    for (int it = 0; it < ITERATIONS; ++it) {
        if (!equations(c, y, residual, A, image)) {
            return false;
        }
        double worst = 0.0;
        for (int e = 0; e < n - 1; ++e) {
            worst = fmax(worst, fabs(residual[e]));
        }
        const bool is_done = worst < 1e-13 * (1.0 + c->s->size);
        memcpy(M, A, sizeof M);
        for (int k = 0; k < n; ++k) {
            M[n - 1][k] = along ? along[k] : 2.0 * lwi_section_share(c->s) - 1.0;
        }
        for (int e = 0; e < n; ++e) {
            b[e] = is_done ? (double)(e == n - 1) : e < n - 1 ? -residual[e] : 0.0;
        }
        if (!along && !is_done ? !shortest_step(n, A, residual, b) : !solve_linear(n, M, b)) {
            return false;
        }
        double length = 0.0;
        for (int k = 0; k < n; ++k) {
            length += b[k] * b[k];
        }
        length = sqrt(length);
        if (is_done) {
            for (int k = 0; k < n; ++k) {
                tangent[k] = b[k] / length;
            }
            return true;
        }
        const double share = length > 0.5 ? 0.5 / length : 1.0;
        for (int k = 0; k < n; ++k) {
            y[k] += share * b[k];
        }
    }
    return false;
}

/// The first free joint beyond its limits, or -1; *limit is the one that it met.
static int outside(const curve *c, const double *y, double *limit)
{
    for (int i = 0; i < c->nfree; ++i) {
        const int j = c->free[i];
        if (!c->s->is_full[j] && (y[i] < c->s->low[j] || y[i] > c->s->high[j])) {
            *limit = y[i] < c->s->low[j] ? c->s->low[j] : c->s->high[j];
            return i;
        }
    }
    return -1;
}

static bool put_point(const curve *c, const double *y, const double image[2], lwi_trace *t)
{
    double *at = lwi_trace_add(t);
    if (at) {
        memcpy(at, image, 2 * sizeof *at);
        memcpy(at + 2, c->x, sizeof c->x);
        for (int i = 0; i < c->nfree; ++i) {
            at[2 + c->free[i]] = y[i];
        }
    }
    return at != NULL;
}

/// The point at which joint i is at its limit: across that coordinate instead of the tangent.
static void end_at_limit(curve *c, const double *before, const double *beyond, int i, double limit,
                         lwi_trace *t)
{
    const double part = (limit - before[i]) / (beyond[i] - before[i]);
    double y[UNKNOWNS], across[UNKNOWNS] = {0.0}, tangent[UNKNOWNS], image[2];
    for (int k = 0; k < c->n; ++k) {
        y[k] = before[k] + part * (beyond[k] - before[k]);
    }
    across[i] = 1.0;
    y[i] = limit;
    if (correct(c, y, across, image, tangent)) {
        put_point(c, y, image, t);
    }
}

/// Follows the curve from y to one side. Returns whether it came back.
static bool follow(curve *c, const double *start, const double *first, lwi_trace *t)
{
    const int n = c->n;
    const double longest = c->s->def->step;
    double y[UNKNOWNS], next[UNKNOWNS], tangent[UNKNOWNS], turned[UNKNOWNS], image[2], limit;
    double step = longest;
    memcpy(y, start, (size_t)n * sizeof *y);
    memcpy(tangent, first, (size_t)n * sizeof *y);
    for (int points = 0; points < MOST_POINTS;) {
        double turn = 0.0, back = 0.0, ahead = 0.0;
        for (int k = 0; k < n; ++k) {
            next[k] = y[k] + step * tangent[k];
        }
        const bool is_found = correct(c, next, tangent, image, turned);
        for (int k = 0; k < n && is_found; ++k) {
            turn += turned[k] * tangent[k];
        }
        if (!is_found || turn < 0.9) {
            step *= 0.5;
            if (step < 1e-4 * longest) {
                return false;
            }
            continue;
        }
        const int i = outside(c, next, &limit);
        if (i >= 0) {
            end_at_limit(c, y, next, i, limit, t);
            return false;
        }
        memcpy(y, next, (size_t)n * sizeof *y);
        memcpy(tangent, turned, (size_t)n * sizeof *y);
        step = fmin(longest, 1.5 * step);
        for (int k = 0; k < n; ++k) {
            double gap = y[k] - start[k];
            if (k < c->nfree && c->s->is_full[c->free[k]]) {
                gap = remainder(gap, LWI_TWO_PI);
            }
            back += gap * gap;
            ahead += gap * first[k];
        }
        if (++points > 4 && sqrt(back) < 1.5 * longest && ahead <= 0.0 && ahead > -1.5 * longest) {
            put_point(c, y, image, t);
            return true;
        }
        if (!put_point(c, y, image, t)) {
            return false;
        }
    }
    return false;
}

/// Whether a trace passes this configuration.
static bool is_known(const curve *c, const lwi_trace *t, const double *y)
{
    const double most = 4.0 * c->s->def->step * c->s->def->step;
    for (int p = 0; p < t->count; ++p) {
        double sum = 0.0;
        for (int i = 0; i < c->nfree; ++i) {
            const int j = c->free[i];
            const double gap = t->at[(ptrdiff_t)p * LWI_TRACE_WIDTH + 2 + j] - y[i];
            sum += c->s->is_full[j] ? remainder(gap, LWI_TWO_PI) * remainder(gap, LWI_TWO_PI)
                                    : gap * gap;
        }
        if (sum < most) {
            return true;
        }
    }
    return false;
}

static void reverse(lwi_trace *t)
{
    double keep[LWI_TRACE_WIDTH];
    for (int a = 0, b = t->count - 1; a < b; ++a, --b) {
        double *x = t->at + (ptrdiff_t)a * LWI_TRACE_WIDTH;
        double *y = t->at + (ptrdiff_t)b * LWI_TRACE_WIDTH;
        memcpy(keep, x, sizeof keep);
        memcpy(x, y, sizeof keep);
        memcpy(y, keep, sizeof keep);
    }
}

/// The whole curve through y: back to its begin, then on. Returns whether it is closed.
static bool trace_both_ways(curve *c, const double *y, const double image[2], double *tangent,
                            lwi_trace *t)
{
    bool is_closed = follow(c, y, tangent, t);
    if (!is_closed) {
        reverse(t);
        put_point(c, y, image, t);
        for (int k = 0; k < c->n; ++k) {
            tangent[k] = -tangent[k];
        }
        follow(c, y, tangent, t);
    } else {
        double first[LWI_TRACE_WIDTH];
        put_point(c, y, image, t); // from y to y
        memcpy(first, t->at + (ptrdiff_t)(t->count - 1) * LWI_TRACE_WIDTH, sizeof first);
        double *room = lwi_trace_add(t);
        if (room) {
            memmove(t->at + LWI_TRACE_WIDTH, t->at,
                    (size_t)(t->count - 1) * LWI_TRACE_WIDTH * sizeof *first);
            memcpy(t->at, first, sizeof first);
        }
    }
    return is_closed;
}

static bool set_fixed(curve *c, unsigned fixed)
{
    lwi_section *s = c->s;
    for (int j = 0; j < s->njoint; ++j) {
        const unsigned how = fixed >> (2 * j) & 3u;
        if (how == 3u || (how != 0u && s->is_full[j])) {
            return false;
        }
        c->x[j] = how == 1u ? s->low[j] : s->high[j];
        if (how == 0u) {
            c->free[c->nfree++] = j;
        }
    }
    c->n = c->nfree + s->rows;
    return c->nfree >= s->rows - 1;
}

lw_status lwi_section_trace(lwi_section *s, unsigned fixed,
                            lw_status (*add)(void *context, const lwi_trace *t, bool is_closed),
                            void *context)
{
    curve c = {.s = s};
    lwi_trace known = {0};
    lw_status status = LW_OK;
    if (!set_fixed(&c, fixed)) {
        return LW_OK;
    }
    // Starts since the last new curve. Those of redundant arms have no end.
    int found = 0;
    for (int n = 0; n < s->def->starts && found < MOST_CURVES && status == LW_OK; ++n) {
        double y[UNKNOWNS], tangent[UNKNOWNS], image[2], limit, x[LWI_BOUNDARY_JOINTS];
        random_joints(s, x);
        for (int i = 0; i < c.nfree; ++i) {
            // From beyond the limits too: Newton's method reaches some curves from there alone.
            const double middle = 0.5 * (s->low[c.free[i]] + s->high[c.free[i]]);
            y[i] = middle + (n % 2 == 0 ? 1.0 : 1.3) * (x[c.free[i]] - middle);
        }
        for (int k = 0; k < s->rows; ++k) {
            y[c.nfree + k] = 2.0 * lwi_section_share(s) - 1.0;
        }
        if (!correct(&c, y, NULL, image, tangent) || outside(&c, y, &limit) >= 0 ||
            is_known(&c, &known, y)) {
            continue;
        }
        lwi_trace t = {0};
        n = -1;
        ++found;
        const bool is_closed = trace_both_ways(&c, y, image, tangent, &t);
        status = t.count > 1 ? add(context, &t, is_closed) : LW_OK;
        for (int p = 0; p < t.count && status == LW_OK; ++p) {
            double *at = lwi_trace_add(&known);
            if (!at) {
                status = LW_ERR_MEMORY;
            } else {
                memcpy(at, t.at + (ptrdiff_t)p * LWI_TRACE_WIDTH, LWI_TRACE_WIDTH * sizeof *at);
            }
        }
        free(t.at);
    }
    free(known.at);
    return status;
}

// --- Reach ------------------------------------------------------------------------------------

/// Damped least squares within the limits from x. True where the point is reached.
static bool descend(lwi_section *s, const double p[2], double *x)
{
    enum { N = LWI_BOUNDARY_JOINTS, STEPS = 60 };
    const double wanted[3] = {p[0], p[1], 0.0};
    double at[3], J[3 * N], A[UNKNOWNS][UNKNOWNS], b[UNKNOWNS], damping = 1e-6, last = 1e300;
    for (int it = 0; it < STEPS; ++it) {
        if (!place(s, x, at, J)) {
            return false;
        }
        double error = 0.0, r[3];
        for (int k = 0; k < s->rows; ++k) {
            r[k] = wanted[k] - at[k];
            error += r[k] * r[k];
        }
        if (error < 1e-20 * s->size * s->size) {
            return true;
        }
        damping = error < last ? 0.3 * damping : 10.0 * damping;
        last = error;
        // (J D J' + damping) z = r, step D J' z, where D leaves out joints that a limit holds.
        bool is_held[N] = {false};
        for (int pass = 0; pass < 2; ++pass) {
            double dx[N];
            memset(A, 0, sizeof A);
            for (int k = 0; k < s->rows; ++k) {
                for (int l = 0; l < s->rows; ++l) {
                    for (int i = 0; i < s->njoint; ++i) {
                        A[k][l] += is_held[i] ? 0.0 : J[k * N + i] * J[l * N + i];
                    }
                }
                A[k][k] += (1e-12 + damping) * s->size * s->size;
                b[k] = r[k];
            }
            if (!solve_linear(s->rows, A, b)) {
                return false;
            }
            bool is_changed = false;
            for (int i = 0; i < s->njoint; ++i) {
                dx[i] = 0.0;
                for (int k = 0; k < s->rows && !is_held[i]; ++k) {
                    dx[i] += J[k * N + i] * b[k];
                }
                const bool hits = !s->is_full[i] && ((x[i] <= s->low[i] && dx[i] < 0.0) ||
                                                     (x[i] >= s->high[i] && dx[i] > 0.0));
                is_changed = is_changed || (hits && !is_held[i]);
                is_held[i] = is_held[i] || hits;
            }
            if (is_changed && pass == 0) {
                continue;
            }
            for (int i = 0; i < s->njoint; ++i) {
                x[i] += fmin(fmax(dx[i], -0.5), 0.5);
                if (!s->is_full[i]) {
                    x[i] = fmin(fmax(x[i], s->low[i]), s->high[i]);
                }
            }
            break;
        }
    }
    return false;
}

/// The configuration of the pool that leads nearest to p, but further than *beyond from it.
static const double *near_in_pool(const lwi_section *s, const double p[2], double *beyond)
{
    const double *found = NULL;
    double least = 1e300;
    for (int i = 0; i < s->pool.count; ++i) {
        const double *at = s->pool.at + (ptrdiff_t)i * LWI_TRACE_WIDTH;
        const double gap = hypot(at[0] - p[0], at[1] - p[1]);
        if (gap > *beyond && gap < least) {
            least = gap;
            found = at;
        }
    }
    *beyond = least;
    return found ? found + 2 : NULL;
}

bool lwi_section_reaches(lwi_section *s, const double p[2], const double *near)
{
    enum { ABOUT = 8, POOL = 24, TRIES = 60 };
    double x[LWI_BOUNDARY_JOINTS], beyond = -1.0;
    for (int n = 0; n < TRIES; ++n) {
        // First about the configuration at hand, then from others that lead close, then from any.
        const double *from = n < ABOUT          ? near
                             : n < ABOUT + POOL ? near_in_pool(s, p, &beyond)
                                                : NULL;
        const double spread = n > 0 && n < ABOUT ? 0.3 : 0.0;
        random_joints(s, x);
        for (int i = 0; i < s->njoint && from; ++i) {
            x[i] = from[i] + spread * (lwi_section_share(s) - 0.5);
            x[i] = s->is_full[i] ? x[i] : fmin(fmax(x[i], s->low[i]), s->high[i]);
        }
        if (descend(s, p, x)) {
            return true;
        }
    }
    return false;
}
