// How well a closure step is conditioned: the condition number of the matrix that it solves.
#include "loop.h"

#include <math.h>

bool lwi_has_condition(const lwi_step *step)
{
    enum { MOST_TARGETS = 200 };
    return step->nloop > 0 && step->kind != LW_STEP_LINEAR && step->ntarget <= MOST_TARGETS;
}

static double dot_columns(const double *at, int nrow, int ncolumn, int i, int j)
{
    double sum = 0.0;
    for (int r = 0; r < nrow; ++r) {
        sum += at[r * ncolumn + i] * at[r * ncolumn + j];
    }
    return sum;
}

// Turns pairs of columns until all are at right angles: their lengths are the singular values then
// (Hestenes 1958).
static void make_orthogonal(double *at, int nrow, int ncolumn, int n)
{
    enum { MOST_SWEEPS = 30 };
    bool is_changed = true;
    for (int sweep = 0; sweep < MOST_SWEEPS && is_changed; ++sweep) {
        is_changed = false;
        for (int k = 0; k < n * n; ++k) {
            const int i = k / n, j = k % n;
            const double a = j > i ? dot_columns(at, nrow, ncolumn, i, i) : 0.0;
            const double c = j > i ? dot_columns(at, nrow, ncolumn, j, j) : 0.0;
            const double d = j > i ? dot_columns(at, nrow, ncolumn, i, j) : 0.0;
            if (!(fabs(d) > 1e-15 * sqrt(a * c))) {
                continue;
            }
            const double zeta = (c - a) / (2.0 * d);
            const double t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
            const double cosine = 1.0 / sqrt(1.0 + t * t), sine = cosine * t;
            for (int r = 0; r < nrow; ++r) {
                double *x = &at[r * ncolumn + i], *y = &at[r * ncolumn + j];
                const double old = *x;
                *x = cosine * old - sine * *y;
                *y = sine * old + cosine * *y;
            }
            is_changed = true;
        }
    }
}

// Rows are over their largest possible entries, so that one condition on one joint has the inverse
// of its sine, and slides over their units.
double lwi_step_condition(const lw_model *m, const lwi_program *program, const lwi_step *step,
                          const lwi_loop_work *work, const double *q)
{
    const int n = step->ntarget, ncolumn = n + step->nsource + 1;
    double *at = work->matrix;
    const double *scale = at + step->nrow * ncolumn;
    lwi_step_matrix(m, program, step, work, q, NULL);
    for (int r = 0; r < step->nrow; ++r) {
        for (int t = 0; t < n; ++t) {
            at[r * ncolumn + t] *= step->target_unit[t] / (scale[r] > 0.0 ? scale[r] : 1.0);
        }
    }
    make_orthogonal(at, step->nrow, ncolumn, n);
    double largest = 1.0, smallest = (double)INFINITY;
    for (int t = 0; t < n; ++t) {
        const double size = sqrt(dot_columns(at, step->nrow, ncolumn, t, t));
        largest = fmax(largest, size);
        smallest = fmin(smallest, size);
    }
    return smallest > 0.0 ? largest / smallest : (double)INFINITY;
}
