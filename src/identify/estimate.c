// Estimation of base parameters from a log, by weighted least squares or with instruments.
//
// The equations of all samples stand below each other, each row over the standard deviation of its
// joint's torque, which is found from the residuals, and again with the new weights (Gautier 1997).
// Noise in the positions makes the columns noisy, and least squares then has a bias; instruments,
// the same columns from a motion with other noise, have none (Janot and others 2014).
#include "consistent.h"
#include "dense.h"
#include "regression.h"

#include "../base/report.h"

#include <linkwork/dynamics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4, ROBUST_ROUNDS = 12 };

static const double HUBER = 1.345; // sigma: 95 % efficiency for normal noise
static const double OUTLIER = 4.0; // sigma: one of 16,000 samples with normal noise
static const double FINEST = 1e-4; // of a joint's torque: no sensor has less noise, nor a filter

lw_identify_def lw_default_identify_def(void)
{
    const lw_identify_def def = {.is_consistent = true, .prior = 1.0};
    return def;
}

// The equations of a log: columns of unknown base parameters and gains, right-hand side.
typedef struct equations {
    int rows, columns, nbase, nv, n;
    int nsample; ///< n, or what n rows of each joint stand for
    double *A;   ///< [rows*columns] column by column; row = sample * nv + joint
    double *b;   ///< [rows]
    double *weight;
} equations;

static bool all_finite(size_t n, const double *x)
{
    bool is_finite = true;
    for (size_t i = 0; i < n; ++i) {
        is_finite = is_finite && isfinite(x[i]);
    }
    return is_finite;
}

static bool is_log(const lw_model *m, const lw_log *log)
{
    const size_t n = log && log->n > 0 ? (size_t)log->n : 0;
    return n > 0 && log->q && log->v && log->a && log->tau &&
           all_finite(n * (size_t)m->nq, log->q) && all_finite(n * (size_t)m->nv, log->v) &&
           all_finite(n * (size_t)m->nv, log->a) && all_finite(n * (size_t)m->nv, log->tau);
}

// The torque of all that is not estimated, [nv]: what is held, and what no column has (masses of
// rods, springs, loads, friction that is no column), with the values of the model.
static lw_status known_torque(const lw_regression *r, const lwi_row_work *w, const double *q,
                              const double *v, const double *a, double *known)
{
    const lw_status status = lw_inverse_dynamics(r->m, w->d, q, v, a, NULL, known);
    for (int i = 0; i < r->m->nv && status == LW_OK; ++i) {
        const double *row = w->W + (size_t)i * (size_t)r->info.nparameter;
        for (int c = 0; c < r->info.nparameter; ++c) {
            known[i] -= r->info.is_held[c] ? 0.0 : row[c] * r->info.value[c];
        }
    }
    return status;
}

// Columns and known torques of one sample.
static lw_status sample_rows(const lw_regression *r, const lw_log *log, int s, lwi_row_work *w,
                             double *known)
{
    const size_t nv = (size_t)r->m->nv, at = (size_t)s * nv;
    const double *q = log->q + (size_t)s * (size_t)r->m->nq, *v = log->v + at, *a = log->a + at;
    const lw_status status = lw_regression_rows(r, w->d, q, v, a, w->W);
    return status == LW_OK ? known_torque(r, w, q, v, a, known) : status;
}

static lw_status fill(const lw_regression *r, const lw_log *log, bool has_gains, equations *e)
{
    const lw_model *m = r->m;
    lwi_row_work w;
    lw_status status = lwi_row_work_create(r, &w);
    if (status != LW_OK) {
        return status;
    }
    for (int s = 0; s < log->n && status == LW_OK; ++s) {
        status = sample_rows(r, log, s, &w, w.known);
        for (int i = 0; i < m->nv && status == LW_OK; ++i) {
            const double *row = w.W + (size_t)i * (size_t)r->info.nparameter;
            const size_t to = (size_t)s * (size_t)m->nv + (size_t)i;
            const double known = w.known[i];
            for (int k = 0; k < e->nbase; ++k) {
                e->A[(size_t)k * (size_t)e->rows + to] = row[r->info.column[k]];
            }
            if (has_gains) { // W p - g i = -known
                e->A[(size_t)(e->nbase + i) * (size_t)e->rows + to] = -log->tau[to];
            }
            e->b[to] = has_gains ? -known : log->tau[to] - known;
        }
    }
    lwi_row_work_free(&w);
    return status;
}

static lw_status create_equations(const lw_regression *r, const lw_log *log, bool has_gains,
                                  equations *e)
{
    *e = (equations){.rows = log->n * r->m->nv,
                     .nbase = r->info.nbase,
                     .columns = r->info.nbase + (has_gains ? r->m->nv : 0),
                     .nv = r->m->nv,
                     .n = log->n,
                     .nsample = log->n};
    const size_t rows = (size_t)e->rows;
    e->A = calloc(rows * (size_t)e->columns + 1, sizeof *e->A);
    e->b = malloc(2 * rows * sizeof *e->b);
    if (!e->A || !e->b) {
        return LW_ERR_MEMORY;
    }
    e->weight = e->b + rows;
    for (size_t i = 0; i < rows; ++i) {
        e->weight[i] = 1.0;
    }
    return fill(r, log, has_gains, e);
}

static void free_equations(equations *e)
{
    free(e->A);
    free(e->b);
}

// Replaces the rows of each joint by the triangle of their elimination, right-hand side included:
// the same sums of squares in fewer rows, for weights that are one number a joint.
static lw_status compress(equations *e)
{
    const int width = e->columns + 1, n = e->n;
    if (n <= width) {
        return LW_OK;
    }
    const size_t rows = (size_t)(width * e->nv);
    double *block = malloc((size_t)n * (size_t)width * sizeof *block);
    double *A = calloc(rows * (size_t)e->columns, sizeof *A), *b = malloc(2 * rows * sizeof *b);
    lw_status status = block && A && b ? LW_OK : LW_ERR_MEMORY;
    for (int j = 0; j < e->nv && status == LW_OK; ++j) {
        for (int c = 0; c < width; ++c) {
            const double *from = c < e->columns ? e->A + (size_t)c * (size_t)e->rows : e->b;
            for (int s = 0; s < n; ++s) {
                block[(size_t)c * (size_t)n + (size_t)s] =
                    from[(size_t)s * (size_t)e->nv + (size_t)j];
            }
        }
        status = lwi_triangle(n, width, block);
        for (int c = 0; c < width && status == LW_OK; ++c) {
            double *to = c < e->columns ? A + (size_t)c * rows : b;
            for (int r = 0; r < width; ++r) {
                to[r * e->nv + j] = r <= c ? block[(size_t)c * (size_t)n + (size_t)r] : 0.0;
            }
        }
    }
    free(block);
    if (status != LW_OK) {
        free(A);
        free(b);
        return status;
    }
    free_equations(e);
    e->A = A;
    e->b = b;
    e->weight = b + rows;
    e->n = width;
    e->rows = (int)rows;
    for (size_t i = 0; i < rows; ++i) {
        e->weight[i] = 1.0;
    }
    return LW_OK;
}

// Weighted copy into A, b.
static void weigh(const equations *e, const equations *weights, double *A, double *b)
{
    for (int c = 0; c < e->columns; ++c) {
        for (int i = 0; i < e->rows; ++i) {
            const size_t at = (size_t)c * (size_t)e->rows + (size_t)i;
            A[at] = e->A[at] * weights->weight[i];
        }
    }
    for (int i = 0; i < e->rows && b; ++i) {
        b[i] = e->b[i] * weights->weight[i];
    }
}

static void residuals(const equations *e, const double *x, double *out)
{
    memcpy(out, e->b, (size_t)e->rows * sizeof *out);
    for (int c = 0; c < e->columns; ++c) {
        const double *column = e->A + (size_t)c * (size_t)e->rows;
        for (int i = 0; i < e->rows; ++i) {
            out[i] -= column[i] * x[c];
        }
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Standard deviation of each joint's residuals; of the middle ones where outliers are expected, but
// no less than a share of its torque: without noise, rounding has no outliers.
static void noise_of(const equations *e, const double *residual, bool is_robust, double *sorted,
                     double *noise)
{
    const double dof = e->nsample - (double)e->columns / e->nv;
    for (int j = 0; j < e->nv; ++j) {
        double sum = 0.0, size = 0.0;
        for (int s = 0; s < e->n; ++s) {
            const double x = residual[s * e->nv + j], b = e->b[s * e->nv + j];
            sum += x * x;
            size += b * b;
            sorted[s] = fabs(x);
        }
        noise[j] = sqrt(sum / fmax(dof, 1.0));
        if (is_robust) {
            qsort(sorted, (size_t)e->n, sizeof *sorted, ascending);
            noise[j] = fmax(sorted[e->n / 2] / 0.6744897501960817, FINEST * sqrt(size / e->n));
        }
    }
}

static int reweigh(equations *e, const double *residual, const double *noise, bool is_robust)
{
    double largest = 0.0;
    int outliers = 0;
    for (int j = 0; j < e->nv; ++j) {
        largest = fmax(largest, noise[j]);
    }
    for (int i = 0; i < e->rows; ++i) {
        // A joint without noise, as of one that no torque moves, must not outweigh all others.
        const double sigma = fmax(noise[i % e->nv], fmax(1e-6 * largest, 1e-300));
        const double x = fabs(residual[i]) / sigma;
        const bool is_far = is_robust && x > HUBER;
        e->weight[i] = is_far ? sqrt(HUBER / x) / sigma : 1.0 / sigma;
        outliers += is_robust && x > OUTLIER;
    }
    return outliers;
}

// Columns that the motion leaves dependent, by name, from the triangle of a pivoted elimination.
static lw_status report_dependent(const lw_regression *r, const equations *e, lw_report *report)
{
    for (int c = 0; c < e->nbase; ++c) {
        double size = 0.0, largest = 0.0;
        for (int i = 0; i < e->rows; ++i) {
            size = fmax(size, fabs(e->A[(size_t)c * (size_t)e->rows + (size_t)i]));
            for (int k = 0; k < e->nbase; ++k) {
                largest = fmax(largest, fabs(e->A[(size_t)k * (size_t)e->rows + (size_t)i]));
            }
        }
        if (size < 1e-9 * largest) {
            return lwi_report_error(report, (lw_location){0}, LW_ERR_SINGULAR,
                                    "the motion does not excite \"%s\": its torques are zero",
                                    r->info.name[r->info.column[c]]);
        }
    }
    return lwi_report_error(report, (lw_location){0}, LW_ERR_SINGULAR,
                            "the motion does not distinguish all %d unknowns: move more joints "
                            "together, farther and faster, or hold parameters",
                            e->columns);
}

// The work of one estimate.
typedef struct fit {
    double *x, *S, *A, *Z, *b, *residual, *noise;
} fit;

static lw_status solve(const equations *e, const equations *z, fit *f, double *condition)
{
    weigh(e, e, f->A, f->b);
    if (z) {
        weigh(z, e, f->Z, NULL);
        *condition = 0.0;
        return lwi_instrument_solve(e->rows, e->columns, f->A, f->Z, f->b, f->x, f->S);
    }
    return lwi_least_squares(e->rows, e->columns, f->A, f->b, f->x, f->S, condition);
}

static lw_status iterate(equations *e, const equations *z, const lw_identify_def *def, fit *f,
                         lw_estimate *estimate)
{
    lw_status status = LW_OK;
    const int rounds = def->is_robust ? ROBUST_ROUNDS : ROUNDS;
    for (int round = 0; round < rounds && status == LW_OK; ++round) {
        status = solve(e, z, f, &estimate->condition);
        if (status == LW_OK) {
            residuals(e, f->x, f->residual);
            noise_of(e, f->residual, def->is_robust, f->b, f->noise);
            if (round + 1 < rounds) {
                estimate->noutlier = reweigh(e, f->residual, f->noise, def->is_robust);
            }
        }
    }
    return status;
}

static lw_status create_estimate(const lw_regression *r, const equations *e,
                                 const lw_identify_def *def, lw_estimate *out)
{
    const size_t nbase = (size_t)r->info.nbase, nv = (size_t)r->m->nv;
    out->nbase = r->info.nbase;
    out->nparameter = r->info.nparameter;
    out->nv = r->m->nv;
    out->nsample = e->nsample;
    out->base = calloc(nbase + 1, sizeof *out->base);
    out->sigma = calloc(nbase + 1, sizeof *out->sigma);
    out->noise = calloc(nv + 1, sizeof *out->noise);
    out->gain = def->has_gains ? calloc(nv, sizeof *out->gain) : NULL;
    out->gain_sigma = def->has_gains ? calloc(nv, sizeof *out->gain_sigma) : NULL;
    return out->base && out->sigma && out->noise &&
                   (!def->has_gains || (out->gain && out->gain_sigma))
               ? LW_OK
               : LW_ERR_MEMORY;
}

static void put_result(const equations *e, const fit *f, lw_estimate *out)
{
    for (int k = 0; k < e->nbase; ++k) {
        out->base[k] = f->x[k];
        out->sigma[k] = sqrt(fmax(f->S[k * e->columns + k], 0.0));
    }
    for (int j = 0; j < e->nv && out->gain; ++j) {
        out->gain[j] = f->x[e->nbase + j];
        const int at = e->nbase + j;
        out->gain_sigma[j] = sqrt(fmax(f->S[at * e->columns + at], 0.0));
    }
    memcpy(out->noise, f->noise, (size_t)e->nv * sizeof *out->noise);
}

static lw_status run(const lw_regression *r, const lw_log *log, const lw_identify_def *def,
                     lw_estimate *out, lw_report *report)
{
    equations e = {0}, z = {0};
    lw_status status = create_equations(r, log, def->has_gains, &e);
    if (status == LW_OK && def->instruments) {
        status = create_equations(r, def->instruments, def->has_gains, &z);
    }
    if (status == LW_OK && !def->instruments && !def->is_robust) {
        status = compress(&e);
    }
    const size_t rows = (size_t)e.rows, columns = (size_t)e.columns;
    double *block =
        status != LW_OK
            ? NULL
            : malloc((2 * rows * columns + columns * columns + columns + 2 * rows + (size_t)e.nv) *
                     sizeof *block);
    if (status == LW_OK) {
        status = block ? create_estimate(r, &e, def, out) : LW_ERR_MEMORY;
    }
    if (status == LW_OK) {
        fit f = {.A = block, .Z = block + rows * columns};
        f.S = f.Z + rows * columns;
        f.x = f.S + columns * columns;
        f.b = f.x + columns;
        f.residual = f.b + rows;
        f.noise = f.residual + rows;
        status = iterate(&e, def->instruments ? &z : NULL, def, &f, out);
        if (status == LW_ERR_SINGULAR) {
            report_dependent(r, &e, report);
        } else if (status == LW_OK) {
            put_result(&e, &f, out);
            if (def->is_consistent) {
                status = lwi_consistent_fit(r, e.columns, f.S, def->prior, out, report);
            }
        }
    }
    free(block);
    free_equations(&e);
    free_equations(&z);
    return status;
}

lw_status lw_identify(const lw_regression *r, const lw_log *log, const lw_identify_def *def,
                      lw_estimate *estimate, lw_report *report)
{
    if (!r || !estimate) {
        return LW_ERR_ARGUMENT;
    }
    *estimate = (lw_estimate){0};
    const lw_identify_def standard = lw_default_identify_def();
    def = def ? def : &standard;
    if (!is_log(r->m, log) ||
        (def->instruments && (!is_log(r->m, def->instruments) || def->instruments->n != log->n)) ||
        !(def->prior > 0.0)) {
        return LW_ERR_ARGUMENT;
    }
    bool has_scale = !def->has_gains;
    for (int c = 0; c < r->info.nparameter; ++c) {
        has_scale =
            has_scale || (r->info.is_held[c] && r->info.has_effect[c] && r->info.value[c] != 0.0);
    }
    if (!has_scale) {
        return lwi_report_error(report, (lw_location){0}, LW_ERR_ARGUMENT,
                                "gains and parameters have no scale: hold a parameter of known "
                                "value that has an effect, such as the mass of a load");
    }
    const lw_status status = run(r, log, def, estimate, report);
    if (status != LW_OK) {
        lw_estimate_free(estimate);
    }
    return status;
}

void lw_estimate_free(lw_estimate *e)
{
    if (e) {
        free(e->base);
        free(e->sigma);
        free(e->full);
        free(e->gain);
        free(e->gain_sigma);
        free(e->noise);
        *e = (lw_estimate){0};
    }
}

// --- Prediction -------------------------------------------------------------------------------

lw_status lw_identify_predict(const lw_regression *r, const lw_estimate *estimate,
                              const lw_log *log, double *tau)
{
    if (!r || !estimate || !estimate->base || !tau || !is_log(r->m, log)) {
        return LW_ERR_ARGUMENT;
    }
    const lw_model *m = r->m;
    lwi_row_work w;
    lw_status status = lwi_row_work_create(r, &w);
    for (int s = 0; s < log->n && status == LW_OK; ++s) {
        status = sample_rows(r, log, s, &w, w.known);
        for (int i = 0; i < m->nv && status == LW_OK; ++i) {
            const double *row = w.W + (size_t)i * (size_t)r->info.nparameter;
            double sum = w.known[i];
            for (int k = 0; k < r->info.nbase; ++k) {
                sum += row[r->info.column[k]] * estimate->base[k];
            }
            tau[(size_t)s * (size_t)m->nv + (size_t)i] = sum;
        }
    }
    lwi_row_work_free(&w);
    return status;
}

lw_status lw_identify_error(const lw_regression *r, const lw_estimate *estimate, const lw_log *log,
                            double *error, double *size)
{
    if (!r || !error || !size || !log || log->n < 1) {
        return LW_ERR_ARGUMENT;
    }
    const int nv = r->m->nv;
    double *tau = malloc((size_t)log->n * (size_t)nv * sizeof *tau);
    const lw_status status = tau ? lw_identify_predict(r, estimate, log, tau) : LW_ERR_MEMORY;
    for (int j = 0; j < nv && status == LW_OK; ++j) {
        double wrong = 0.0, all = 0.0;
        const double gain = estimate->gain ? estimate->gain[j] : 1.0;
        for (int s = 0; s < log->n; ++s) {
            const double measured = gain * log->tau[s * nv + j];
            wrong += (measured - tau[s * nv + j]) * (measured - tau[s * nv + j]);
            all += measured * measured;
        }
        error[j] = sqrt(wrong / log->n);
        size[j] = sqrt(all / log->n);
    }
    free(tau);
    return status;
}
