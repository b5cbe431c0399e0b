// Singular configurations (Haug et al. 1996). Unknown are the free joints x and the direction xi
// that they cannot move the frame along:
//
//   J(x)' xi = 0,  offset from the plane (x) = 0,  |xi| = 1
//
// one equation fewer than unknowns. Joints that depend on others and whose limits cut the workspace
// are joints too, and the condition that ties each to the others is one more offset, with its
// multiplier in xi. Second derivatives of the position are differences of
// Jacobians: they only steer Newton's method, whose residual is exact. Where joints move without
// moving the point, as those of a wrist in a straight arm, solutions form surfaces with one image;
// the shortest steps do without a matrix of full rank.

#include "boundary_curve.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 25 };

bool lwi_solve_square(int n, lwi_curve_matrix A, double *b)
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

bool lwi_shortest_solution(int m, int n, lwi_curve_matrix A, const double *b, double *y)
{
    lwi_curve_matrix M;
    double z[LWI_CURVE_UNKNOWNS];
    for (int e = 0; e < m; ++e) {
        for (int f = 0; f < m; ++f) {
            M[e][f] = e == f ? 1e-10 : 0.0;
            for (int k = 0; k < n; ++k) {
                M[e][f] += A[e][k] * A[f][k];
            }
        }
        z[e] = b[e];
    }
    if (!lwi_solve_square(m, M, z)) {
        return false;
    }
    for (int k = 0; k < n; ++k) {
        y[k] = 0.0;
        for (int e = 0; e < m; ++e) {
            y[k] += A[e][k] * z[e];
        }
    }
    return true;
}

bool lwi_curve_open(lwi_curve *c, lwi_section *s, unsigned fixed)
{
    *c = (lwi_curve){.s = s, .fixed = fixed};
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

bool lwi_curve_equations(lwi_curve *c, const double *y, double *residual, lwi_curve_matrix A,
                         double image[2])
{
    enum { N = LWI_BOUNDARY_JOINTS, ROWS = LWI_BOUNDARY_ROWS };
    lwi_section *s = c->s;
    const int nf = c->nfree, rows = s->rows;
    const double *xi = y + nf, h = 1e-5;
    double p[ROWS], plus[ROWS * N], minus[ROWS * N], ignored[ROWS];
    for (int i = 0; i < nf; ++i) {
        c->x[c->free[i]] = y[i];
    }
    if (!lwi_section_place(s, c->x, p, c->J)) {
        return false;
    }
    image[0] = p[0];
    image[1] = p[1];
    memset(A, 0, sizeof(lwi_curve_matrix));
    int e = 0;
    for (int i = 0; i < nf; ++i, ++e) {
        residual[e] = 0.0;
        for (int k = 0; k < rows; ++k) {
            residual[e] += c->J[k * N + c->free[i]] * xi[k];
            A[e][nf + k] = c->J[k * N + c->free[i]];
        }
    }
    for (int j = 0; j < nf; ++j) {
        const double x = c->x[c->free[j]];
        c->x[c->free[j]] = x + h;
        bool is_good = lwi_section_place(s, c->x, ignored, plus);
        c->x[c->free[j]] = x - h;
        is_good = lwi_section_place(s, c->x, ignored, minus) && is_good;
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
    memcpy(c->H, A, sizeof c->H);
    for (int k = 2; k < rows; ++k, ++e) {
        residual[e] = p[k];
        for (int i = 0; i < nf; ++i) {
            A[e][i] = c->J[k * N + c->free[i]];
        }
    }
    residual[e] = -1.0;
    for (int k = 0; k < rows; ++k) {
        residual[e] += xi[k] * xi[k];
        A[e][nf + k] = 2.0 * xi[k];
    }
    return true;
}

bool lwi_curve_settle(lwi_curve *c, double *y, int held, double image[2])
{
    const int n = c->n;
    lwi_curve_matrix A;
    double residual[LWI_CURVE_UNKNOWNS], step[LWI_CURVE_UNKNOWNS];
    for (int it = 0; it < ITERATIONS; ++it) {
        if (!lwi_curve_equations(c, y, residual, A, image)) {
            return false;
        }
        double worst = 0.0, length = 0.0;
        for (int e = 0; e < n - 1; ++e) {
            worst = fmax(worst, fabs(residual[e]));
            if (held >= 0) {
                A[e][held] = 0.0;
            }
        }
        if (worst < 1e-13 * (1.0 + c->s->size)) {
            return true;
        }
        if (!lwi_shortest_solution(n - 1, n, A, residual, step)) {
            return false;
        }
        for (int k = 0; k < n; ++k) {
            length += step[k] * step[k];
        }
        length = sqrt(length);
        const double share = length > 0.5 ? 0.5 / length : 1.0;
        for (int k = 0; k < n; ++k) {
            y[k] -= share * step[k];
        }
    }
    return false;
}

int lwi_curve_outside(const lwi_curve *c, const double *y, double *limit)
{
    for (int i = 0; i < c->nfree; ++i) {
        const int j = c->free[i];
        // A joint that leaves its limit is there but for rounding.
        const double slack = 1e-11;
        if (!c->s->is_full[j] && (y[i] < c->s->low[j] - slack || y[i] > c->s->high[j] + slack)) {
            *limit = y[i] < c->s->low[j] ? c->s->low[j] : c->s->high[j];
            return i;
        }
    }
    return -1;
}

bool lwi_curve_put(const lwi_curve *c, const double *y, const double image[2], lwi_trace *t)
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
