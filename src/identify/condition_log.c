// Logs made ready for an estimate: positions filtered and differentiated, torques filtered alike.
//
// A Butterworth low-pass of order 4 runs forward and backward, so that nothing is delayed and
// positions and torques keep their phase to each other; it has the same gain for both. Where the
// motion is periodic, a Fourier series is fitted to the positions of all periods instead, which
// averages their noise and has exact derivatives; torques then stay as measured.
#include "dense.h"
#include "regression.h"

#include "../base/report.h"
#include "../math/pi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_SAMPLES = 50, EDGE = 2 };

static const double STEP_TOLERANCE = 1e-2; // of the time step: logs have rounded times

// --- Filter -----------------------------------------------------------------------------------

// One section of order 2 in the transposed direct form.
typedef struct section {
    double b0, b1, b2, a1, a2;
} section;

static section low_pass(double cutoff, double rate, double Q)
{
    const double w = tan(LWI_PI * cutoff / rate), n = 1.0 / (1.0 + w / Q + w * w);
    const section s = {w * w * n, 2.0 * w * w * n, w * w * n, 2.0 * (w * w - 1.0) * n,
                       (1.0 - w / Q + w * w) * n};
    return s;
}

// Runs a section over n samples, beginning at rest at the first.
static void run_section(const section *s, int n, double *x, int stride)
{
    const double rest = x[0];
    double z1 = (1.0 - s->b0) * rest, z2 = (s->b2 - s->a2) * rest;
    for (int i = 0; i < n; ++i) {
        double *at = x + (long)i * stride;
        const double y = s->b0 * *at + z1;
        z1 = s->b1 * *at - s->a1 * y + z2;
        z2 = s->b2 * *at - s->a2 * y;
        *at = y;
    }
}

// Zero phase: forward and backward over the samples, drawn out at both ends by point reflection.
static void filter(double cutoff, double rate, int n, double *padded, double *x)
{
    const section s[2] = {low_pass(cutoff, rate, 0.54119610014619698),
                          low_pass(cutoff, rate, 1.3065629648763766)};
    const int pad = n - 1, all = n + 2 * pad;
    for (int i = 0; i < all; ++i) {
        const int k = i - pad;
        padded[i] = k < 0 ? 2.0 * x[0] - x[-k] : k < n ? x[k] : 2.0 * x[n - 1] - x[2 * n - 2 - k];
    }
    for (int k = 0; k < 2; ++k) {
        run_section(&s[k], all, padded, 1);
    }
    for (int k = 0; k < 2; ++k) {
        run_section(&s[k], all, padded + all - 1, -1);
    }
    memcpy(x, padded + pad, (size_t)n * sizeof *x);
}

// First and second derivatives by central differences of order 4.
static void differentiate(int n, double dt, const double *x, double *v, double *a)
{
    for (int i = EDGE; i + EDGE < n; ++i) {
        const double *y = x + i;
        v[i] = (8.0 * (y[1] - y[-1]) - (y[2] - y[-2])) / (12.0 * dt);
        a[i] = (16.0 * (y[1] + y[-1]) - (y[2] + y[-2]) - 30.0 * y[0]) / (12.0 * dt * dt);
    }
}

// --- Fourier series ---------------------------------------------------------------------------

static lw_status fit_series(const lw_filter_def *def, int n, const double *t, const double *x,
                            double *v, double *a, double *fitted)
{
    const int H = def->harmonics > 0 ? def->harmonics : 10, columns = 1 + 2 * H;
    const double w = LWI_TWO_PI / def->period;
    double *A = malloc(((size_t)columns * (size_t)n + (size_t)n + (size_t)columns) * sizeof *A);
    if (!A) {
        return LW_ERR_MEMORY;
    }
    double *b = A + (size_t)columns * (size_t)n, *c = b + n;
    for (int i = 0; i < n; ++i) {
        A[i] = 1.0;
        b[i] = x[i];
        for (int l = 1; l <= H; ++l) {
            A[(size_t)(2 * l - 1) * (size_t)n + (size_t)i] = sin(l * w * t[i]);
            A[(size_t)(2 * l) * (size_t)n + (size_t)i] = cos(l * w * t[i]);
        }
    }
    const lw_status status = lwi_least_squares(n, columns, A, b, c, NULL, NULL);
    for (int i = 0; i < n && status == LW_OK; ++i) {
        fitted[i] = c[0];
        v[i] = a[i] = 0.0;
        for (int l = 1; l <= H; ++l) {
            const double f = l * w, s = sin(f * t[i]), k = cos(f * t[i]);
            fitted[i] += c[2 * l - 1] * s + c[2 * l] * k;
            v[i] += f * (c[2 * l - 1] * k - c[2 * l] * s);
            a[i] -= f * f * (c[2 * l - 1] * s + c[2 * l] * k);
        }
    }
    free(A);
    return status;
}

// --- The whole --------------------------------------------------------------------------------

static lw_status check(const lw_model *m, const lw_log *raw, const lw_filter_def *def,
                       lw_report *report)
{
    const lw_location nowhere = {0};
    if (m->nq != m->nv) {
        return lwi_report_error(report, nowhere, LW_ERR_UNSUPPORTED,
                                "logs of free and spherical joints cannot be conditioned");
    }
    if (raw->n < LEAST_SAMPLES) {
        return lwi_report_error(report, nowhere, LW_ERR_MOTION,
                                "the log has %d samples, and at least %d are needed", raw->n,
                                (int)LEAST_SAMPLES);
    }
    const double dt = (raw->t[raw->n - 1] - raw->t[0]) / (raw->n - 1);
    if (!(dt > 0.0)) {
        return lwi_report_error(report, nowhere, LW_ERR_MOTION, "time does not advance");
    }
    for (int i = 1; i < raw->n; ++i) {
        const double step = raw->t[i] - raw->t[i - 1];
        if (!(fabs(step - dt) <= STEP_TOLERANCE * dt)) {
            return lwi_report_error(report, nowhere, LW_ERR_MOTION,
                                    "sample %d: the time steps by %g s, the others by %g s", i + 1,
                                    step, dt);
        }
    }
    if (!(def->cutoff >= 0.0) || def->cutoff >= 0.45 / dt) {
        return lwi_report_error(
            report, nowhere, LW_ERR_MOTION,
            "the cutoff frequency of %g Hz must be below 0.45 of the %g samples "
            "per second",
            def->cutoff, 1.0 / dt);
    }
    if (def->period > 0.0 && raw->t[raw->n - 1] - raw->t[0] < def->period - 1.5 * dt) {
        return lwi_report_error(report, nowhere, LW_ERR_MOTION,
                                "the log is shorter than its period of %g s", def->period);
    }
    return LW_OK;
}

static lw_status condition_joint(const lw_log *raw, const lw_filter_def *def, int nv, int j,
                                 double cutoff, double dt, double *work, lw_log *all)
{
    const int n = raw->n;
    double *q = work, *v = q + n, *a = v + n, *tau = a + n, *padded = tau + n;
    for (int i = 0; i < n; ++i) {
        q[i] = raw->q[i * nv + j];
        tau[i] = raw->tau[i * nv + j];
    }
    lw_status status = LW_OK;
    if (def->period > 0.0) {
        memcpy(padded, q, (size_t)n * sizeof *q);
        status = fit_series(def, n, raw->t, padded, v, a, q);
    } else {
        filter(cutoff, 1.0 / dt, n, padded, q);
        filter(cutoff, 1.0 / dt, n, padded, tau);
        differentiate(n, dt, q, v, a);
    }
    for (int i = 0; i < n; ++i) {
        all->q[i * nv + j] = q[i];
        all->v[i * nv + j] = v[i];
        all->a[i * nv + j] = a[i];
        all->tau[i * nv + j] = tau[i];
    }
    return status;
}

static lw_status create_log(const lw_model *m, int n, lw_log *log)
{
    const size_t nv = (size_t)m->nv, nq = (size_t)m->nq;
    double *block = malloc((size_t)n * (1 + nq + 3 * nv) * sizeof *block);
    if (!block) {
        return LW_ERR_MEMORY;
    }
    log->n = n;
    log->t = block;
    log->q = log->t + n;
    log->v = log->q + (size_t)n * nq;
    log->a = log->v + (size_t)n * nv;
    log->tau = log->a + (size_t)n * nv;
    return LW_OK;
}

// Keeps every so many samples between the edges, in place.
static void keep(int nv, int first, int last, int every, lw_log *log)
{
    int n = 0;
    for (int i = first; i < last; i += every, ++n) {
        log->t[n] = log->t[i];
        double *const array[4] = {log->q, log->v, log->a, log->tau};
        for (int k = 0; k < 4; ++k) {
            memmove(array[k] + (size_t)n * (size_t)nv, array[k] + (size_t)i * (size_t)nv,
                    (size_t)nv * sizeof(double));
        }
    }
    log->n = n;
}

lw_status lw_log_condition(const lw_model *m, const lw_log *raw, const lw_filter_def *def,
                           lw_log *out, lw_report *report)
{
    if (!out) {
        return LW_ERR_ARGUMENT;
    }
    *out = (lw_log){0};
    const lw_filter_def standard = {0};
    def = def ? def : &standard;
    if (!m || !raw || !raw->t || !raw->q || !raw->tau || raw->n < 0) {
        return LW_ERR_ARGUMENT;
    }
    lw_status status = check(m, raw, def, report);
    double *work = NULL;
    if (status == LW_OK) {
        work = malloc(7 * (size_t)raw->n * sizeof *work);
        status = work ? create_log(m, raw->n, out) : LW_ERR_MEMORY;
    }
    const double dt = status == LW_OK ? (raw->t[raw->n - 1] - raw->t[0]) / (raw->n - 1) : 1.0;
    const double cutoff = def->cutoff > 0.0 ? def->cutoff : 0.2 / dt;
    for (int j = 0; j < m->nv && status == LW_OK; ++j) {
        status = condition_joint(raw, def, m->nv, j, cutoff, dt, work, out);
    }
    if (status == LW_OK) {
        memcpy(out->t, raw->t, (size_t)raw->n * sizeof *out->t);
        const bool is_series = def->period > 0.0;
        const int settle =
            is_series ? 0 : (int)fmin(ceil(1.0 / (cutoff * dt)) + EDGE, raw->n / 8.0);
        const int half = (int)fmax(1.0, 0.5 / (cutoff * dt));
        keep(m->nv, settle, raw->n - settle,
             def->decimate > 0 ? def->decimate
             : is_series       ? 1
                               : half,
             out);
    } else {
        lw_log_free(out);
    }
    free(work);
    return status;
}

void lw_log_free(lw_log *log)
{
    if (log) {
        free(log->t); // one block
        *log = (lw_log){0};
    }
}
