// D. Goldfarb, A. Idnani, A numerically stable dual method for solving strictly convex quadratic
// programs (1983), with the unit matrix as Hessian: the caller scales its unknowns. Plane rotations
// keep Q orthogonal and R triangular as rows come and go.
#include "dual_qp.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double dependent = 1e-11; ///< a row of which less is left is a combination of others

void lwi_qp_begin(lwi_qp *p)
{
    const size_t n = (size_t)p->n;
    memset(p->Q, 0, n * n * sizeof *p->Q);
    memset(p->x, 0, n * sizeof *p->x);
    for (size_t i = 0; i < n; ++i) {
        p->Q[i * n + i] = 1.0;
    }
    p->active = 0;
    p->nequal = 0;
    p->iterations = 0;
}

// Columns of Q are stored one after the other: rotates columns i and k.
static void rotate_columns(lwi_qp *p, int i, int k, double c, double s)
{
    double *a = p->Q + i * p->n, *b = p->Q + k * p->n;
    for (int j = 0; j < p->n; ++j) {
        const double x = a[j], y = b[j];
        a[j] = c * x + s * y;
        b[j] = c * y - s * x;
    }
}

// r = R^-1 d
static void back_substitute(const lwi_qp *p, const double *d, double *r)
{
    for (int i = p->active - 1; i >= 0; --i) {
        double sum = d[i];
        for (int k = i + 1; k < p->active; ++k) {
            sum -= p->R[k * p->n + i] * r[k];
        }
        r[i] = sum / p->R[i * p->n + i];
    }
}

// d = Q' c; z is the part of c that the active rows leave free, r = R^-1 d what they hold of it.
// Returns the square of the length of that part.
static double split(lwi_qp *p)
{
    const int n = p->n, q = p->active;
    double square = 0.0;
    memset(p->z, 0, (size_t)n * sizeof *p->z);
    for (int k = q; k < n; ++k) {
        const double *column = p->Q + k * n, share = p->d[k];
        square += share * share;
        for (int j = 0; j < n; ++j) {
            p->z[j] += share * column[j];
        }
    }
    back_substitute(p, p->d, p->r);
    return square;
}

// Takes the row whose d is there among the active ones.
static void push(lwi_qp *p, int row, double value, double multiplier)
{
    const int n = p->n, q = p->active;
    for (int k = n - 1; k > q; --k) {
        const double a = p->d[k - 1], b = p->d[k], length = hypot(a, b);
        if (b == 0.0) {
            continue;
        }
        p->d[k - 1] = length;
        rotate_columns(p, k - 1, k, a / length, b / length);
    }
    memcpy(p->R + q * n, p->d, (size_t)(q + 1) * sizeof *p->R);
    p->row[q] = row;
    p->b[q] = value;
    p->u[q] = multiplier;
    ++p->active;
}

// Lets active row i go.
static void drop(lwi_qp *p, int i)
{
    const int n = p->n;
    for (int k = i; k + 1 < p->active; ++k) {
        double *to = p->R + k * n;
        memcpy(to, p->R + (k + 1) * n, (size_t)(k + 2) * sizeof *to);
        p->row[k] = p->row[k + 1];
        p->b[k] = p->b[k + 1];
        p->u[k] = p->u[k + 1];
    }
    --p->active;
    for (int k = i; k < p->active; ++k) { // each column has one entry below the diagonal
        double *column = p->R + k * n;
        const double a = column[k], b = column[k + 1], length = hypot(a, b);
        const double c = a / length, s = b / length;
        if (b == 0.0) {
            continue;
        }
        for (int j = k; j < p->active; ++j) {
            double *at = p->R + j * n;
            const double x = at[k], y = at[k + 1];
            at[k] = c * x + s * y;
            at[k + 1] = c * y - s * x;
        }
        rotate_columns(p, k, k + 1, c, s);
    }
}

static void move(lwi_qp *p, double t)
{
    for (int j = 0; j < p->n; ++j) {
        p->x[j] += t * p->z[j];
    }
}

bool lwi_qp_equality(lwi_qp *p, const double *c, double value, double tolerance, bool *is_new)
{
    double s = -value, length = 0.0;
    for (int k = 0; k < p->n; ++k) {
        double sum = 0.0;
        const double *column = p->Q + k * p->n;
        for (int j = 0; j < p->n; ++j) {
            sum += column[j] * c[j];
        }
        p->d[k] = sum;
        s += c[k] * p->x[k];
        length += c[k] * c[k];
    }
    const double square = split(p);
    *is_new = square > dependent * dependent * length && length > 0.0;
    if (!*is_new) {
        return fabs(s) <= tolerance;
    }
    const double t = -s / square;
    move(p, t);
    for (int i = 0; i < p->active; ++i) {
        p->u[i] -= t * p->r[i];
    }
    push(p, -1, value, t);
    ++p->nequal;
    return true;
}

static double slack(const lwi_qp *p, const lwi_qp_row *row)
{
    const double *x = p->x + row->first;
    return row->c[0] * x[0] + row->c[1] * x[1] + row->c[2] * x[2] - row->least;
}

static bool is_active(const lwi_qp *p, int row)
{
    for (int i = p->nequal; i < p->active; ++i) {
        if (p->row[i] == row) {
            return true;
        }
    }
    return false;
}

// The inequality that is violated most.
static int find_violated(const lwi_qp *p, int nrow, const lwi_qp_row *row, double tolerance)
{
    int worst = -1;
    double least = -tolerance;
    for (int i = 0; i < nrow; ++i) {
        const double s = slack(p, &row[i]);
        if (s < least && !is_active(p, i)) {
            least = s;
            worst = i;
        }
    }
    return worst;
}

// Takes one violated inequality in, letting go of those whose multipliers vanish on the way. False
// where no x has it and the active ones.
static bool take_in(lwi_qp *p, const lwi_qp_row *row, int number)
{
    double multiplier = 0.0;
    for (; p->iterations < p->most; ++p->iterations) {
        for (int k = 0; k < p->n; ++k) {
            const double *column = p->Q + k * p->n + row->first;
            p->d[k] = column[0] * row->c[0] + column[1] * row->c[1] + column[2] * row->c[2];
        }
        const double square = split(p);
        const double length = row->c[0] * row->c[0] + row->c[1] * row->c[1] + row->c[2] * row->c[2];
        double most = HUGE_VAL; // until a multiplier vanishes
        int first = -1;
        for (int i = p->nequal; i < p->active; ++i) {
            if (p->r[i] > 0.0 && p->u[i] / p->r[i] < most) {
                most = p->u[i] / p->r[i];
                first = i;
            }
        }
        const bool moves = square > dependent * length;
        const double full = moves ? -slack(p, row) / square : HUGE_VAL;
        const double t = fmin(most, full);
        if (!isfinite(t)) {
            return false;
        }
        if (moves) {
            move(p, t);
        }
        for (int i = 0; i < p->active; ++i) {
            p->u[i] -= t * p->r[i];
        }
        multiplier += t;
        if (full <= most) {
            push(p, number, row->least, multiplier);
            ++p->iterations;
            return true;
        }
        drop(p, first);
    }
    return true;
}

// The least x that has the active rows, and its multipliers, from the factors: steps have added up
// their roundings, which are large where rows were nearly combinations of others.
static void refine(lwi_qp *p)
{
    const int n = p->n, q = p->active;
    memset(p->x, 0, (size_t)n * sizeof *p->x);
    for (int k = 0; k < q; ++k) { // x = Q y with R' y = b
        double sum = p->b[k];
        for (int i = 0; i < k; ++i) {
            sum -= p->R[k * n + i] * p->d[i];
        }
        p->d[k] = sum / p->R[k * n + k];
        for (int j = 0; j < n; ++j) {
            p->x[j] += p->d[k] * p->Q[k * n + j];
        }
    }
    back_substitute(p, p->d, p->u); // R u = y
}

lwi_qp_end lwi_qp_solve(lwi_qp *p, int nrow, const lwi_qp_row *row, double tolerance)
{
    while (p->iterations < p->most) {
        int worst = find_violated(p, nrow, row, tolerance);
        if (worst < 0) {
            refine(p);
            worst = find_violated(p, nrow, row, tolerance);
        }
        if (worst < 0) {
            return LWI_QP_DONE;
        }
        if (!take_in(p, &row[worst], worst)) {
            return LWI_QP_INFEASIBLE;
        }
    }
    return LWI_QP_STOPPED;
}
