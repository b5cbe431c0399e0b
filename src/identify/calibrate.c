// Calibration: Levenberg's and Marquardt's method on singular values, which are also what tells the
// identifiable combinations from the others.
//
// Unknowns are in units of their expected errors and measurements in units of their noise, so that
// the rank does not depend on metres and radians. A step has no part in directions without effect:
// these stay at the description's values.
#include "calibrate.h"
#include "dense.h"

#include "../base/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Singular values below this share of the largest are directions without effect: rounding leaves
// 1e-15, and what 40 poses distinguish at all is above 1e-4.
static const double NO_EFFECT = 1e-8;
static const double TOO_FAR = 30.0; // times the expected error: not this robot, or other units
static const double NAMED = 1e-3; // share of the largest entry from which a name belongs to a group

lw_calibrate_def lw_default_calibrate_def(lw_measurement kind, const char *frame)
{
    const lw_calibrate_def def = {.kind = kind,
                                  .frame = frame,
                                  .known = {0.0, 0.0, kind == LW_MEASURE_PLANE ? 1.0 : 0.0},
                                  .sigma_length = 1e-4,
                                  .sigma_angle = 1e-4,
                                  .expected_length = 5e-3,
                                  .expected_angle = 1e-2,
                                  .iterations = 30};
    return def;
}

static bool is_def(const lw_calibrate_def *def, bool is_measured)
{
    return def && def->frame && def->n > 0 && def->q && def->kind >= LW_MEASURE_POSE &&
           def->kind <= LW_MEASURE_POINT &&
           (!is_measured || def->measured || def->kind >= LW_MEASURE_PLANE) &&
           def->sigma_length > 0.0 && def->sigma_angle > 0.0 && def->expected_length > 0.0 &&
           def->expected_angle > 0.0 && (def->nparameter <= 0 || def->parameter) &&
           (def->kind != LW_MEASURE_PLANE || lw_norm3(def->known) > 0.0);
}

// The directions of the unknowns: V' [n*n] by rows, singular values, and U'r.
typedef struct directions {
    double *A, *b, *s, *Vt; ///< [rows*n], [rows], [n], [n*n]
    int rank;
} directions;

static lw_status find_directions(const lwi_calibrating *c, directions *f)
{
    memcpy(f->A, c->J, (size_t)c->rows * (size_t)c->n * sizeof *f->A);
    memcpy(f->b, c->r, (size_t)c->rows * sizeof *f->b);
    const lw_status status = lwi_singular_values(c->rows, c->n, f->A, f->b, f->s, f->Vt);
    f->rank = 0;
    while (status == LW_OK && f->rank < c->n && f->s[f->rank] > NO_EFFECT * f->s[0]) {
        ++f->rank;
    }
    return status;
}

// Adds the damped step to the values.
static double take_step(lwi_calibrating *c, const directions *f, double damping)
{
    double longest = 0.0;
    for (int u = 0; u < c->n; ++u) {
        double x = 0.0;
        for (int k = 0; k < f->rank; ++k) {
            const double s = f->s[k];
            x += f->Vt[k * c->n + u] * f->b[k] * s / (s * s + damping * f->s[0] * f->s[0]);
        }
        longest = fmax(longest, fabs(x));
        c->at[u].value += x * c->at[u].scale;
    }
    return longest;
}

static lw_status iterate(lwi_calibrating *c, lw_mech *mech, directions *f, lw_calibration *out,
                         lw_report *report)
{
    double sum, damping = 1e-10;
    lw_status status = lwi_calibrating_evaluate(c, true, &sum);
    memcpy(out->before, c->error, sizeof out->before);
    double *value = malloc((size_t)c->n * sizeof *value);
    if (!value) {
        return LW_ERR_MEMORY;
    }
    bool is_done = false;
    while (status == LW_OK && !is_done && out->iterations < c->def->iterations) {
        ++out->iterations;
        for (int u = 0; u < c->n; ++u) {
            value[u] = c->at[u].value;
        }
        status = find_directions(c, f);
        double longest = 0.0, next = (double)INFINITY;
        for (int tries = 0; status == LW_OK && !(next <= sum * (1.0 + 1e-9) + 1e-20) && tries < 12;
             ++tries) {
            for (int u = 0; u < c->n; ++u) {
                c->at[u].value = value[u];
            }
            longest = take_step(c, f, damping);
            // A try that cannot be compiled or does not close is too far.
            const bool is_good = lwi_calibrating_compile(c, mech, NULL) == LW_OK &&
                                 lwi_calibrating_evaluate(c, true, &next) == LW_OK;
            next = is_good ? next : (double)INFINITY;
            damping = next <= sum ? fmax(0.1 * damping, 1e-14) : fmin(100.0 * damping, 1e6);
        }
        if (!isfinite(next)) {
            status = lwi_report_error(report, (lw_location){0}, LW_ERR_NO_CONVERGENCE,
                                      "no step makes the errors smaller");
        }
        is_done = longest < 1e-9 || fabs(sum - next) <= 1e-12 * sum;
        sum = next;
    }
    free(value);
    if (status == LW_OK && !is_done) {
        status = lwi_report_error(report, (lw_location){0}, LW_ERR_NO_CONVERGENCE,
                                  "%d iterations are not enough", c->def->iterations);
    }
    memcpy(out->after, c->error, sizeof out->after);
    return status;
}

// Corrections that are not errors of a robot: measurements in other units, of another frame, or of
// a kind that does not determine its size.
static lw_status check_sizes(const lwi_calibrating *c, lw_report *report)
{
    for (int u = 0; u < c->n; ++u) {
        const lwi_unknown *x = &c->at[u];
        if (x->kind == LWI_UNKNOWN_KINEMATIC &&
            !(fabs(x->value - x->nominal) <= TOO_FAR * x->scale)) {
            return lwi_report_error(
                report, (lw_location){0}, LW_ERR_NO_CONVERGENCE,
                "\"%s\" would have to change from %g to %g, far more than the error of %g that is "
                "expected: are the measurements of this frame, in metres and radians, and do they "
                "determine the size of the robot?",
                x->name, x->nominal, x->value, x->scale);
        }
    }
    return LW_OK;
}

// --- What cannot be distinguished -------------------------------------------------------------

// Directions without effect, brought to few entries each: the largest entry of a row is eliminated
// from the others.
static void sparsify(int n, int rank, double *N)
{
    const int rows = n - rank;
    for (int i = 0; i < rows; ++i) {
        int best = 0;
        for (int u = 0; u < n; ++u) {
            best = fabs(N[i * n + u]) > fabs(N[i * n + best]) ? u : best;
        }
        const double pivot = N[i * n + best];
        for (int u = 0; u < n; ++u) {
            N[i * n + u] /= pivot;
        }
        for (int k = 0; k < rows; ++k) {
            const double share = N[k * n + best];
            for (int u = 0; u < n && k != i; ++u) {
                N[k * n + u] -= share * N[i * n + u];
            }
        }
    }
}

static char *sentence(const lwi_calibrating *c, const double *direction)
{
    double largest = 0.0;
    size_t size = 64;
    int count = 0, done = 0;
    for (int u = 0; u < c->n; ++u) {
        largest = fmax(largest, fabs(direction[u]));
        size += strlen(c->at[u].name) + 8;
    }
    for (int u = 0; u < c->n; ++u) {
        count += fabs(direction[u]) > NAMED * largest;
    }
    char *text = malloc(size);
    size_t at = 0;
    for (int u = 0; u < c->n && text; ++u) {
        if (fabs(direction[u]) > NAMED * largest) {
            const char *between = done == 0 ? "" : done == count - 1 ? " and " : ", ";
            at += (size_t)sprintf(text + at, "%s%s", between, c->at[u].name);
            ++done;
        }
    }
    if (text) {
        sprintf(text + at,
                count == 1 ? " has no effect on the measurements" : " cannot be separated");
    }
    return text;
}

static lw_status name_directions(const lwi_calibrating *c, directions *f, lw_calibration *out)
{
    const int n = c->n;
    out->rank = f->rank;
    out->nnull = n - f->rank;
    out->condition = f->rank > 0 ? f->s[0] / f->s[f->rank - 1] : 0.0;
    out->null = calloc((size_t)out->nnull + 1, sizeof *out->null);
    double *N = f->Vt + (size_t)f->rank * (size_t)n;
    for (int u = 0; u < n; ++u) {
        lw_calibrated *p = &out->parameter[u];
        double alone = 0.0, square = 0.0;
        for (int k = f->rank; k < n; ++k) {
            alone += f->Vt[k * n + u] * f->Vt[k * n + u];
        }
        for (int k = 0; k < f->rank; ++k) {
            square += f->Vt[k * n + u] * f->Vt[k * n + u] / (f->s[k] * f->s[k]);
        }
        p->is_identifiable = alone < 1e-6;
        p->sigma = p->is_identifiable ? sqrt(square) * c->at[u].scale : (double)INFINITY;
    }
    sparsify(n, f->rank, N);
    bool is_good = out->null != NULL;
    for (int k = 0; k < out->nnull && is_good; ++k) {
        out->null[k] = sentence(c, N + (size_t)k * (size_t)n);
        is_good = out->null[k] != NULL;
    }
    return is_good ? LW_OK : LW_ERR_MEMORY;
}

static lw_status put_values(const lwi_calibrating *c, lw_calibration *out)
{
    out->n = c->n;
    out->parameter = calloc((size_t)c->n, sizeof *out->parameter);
    bool is_good = out->parameter != NULL;
    for (int u = 0; u < c->n && is_good; ++u) {
        char *name = malloc(strlen(c->at[u].name) + 1);
        is_good = name != NULL;
        if (name) {
            strcpy(name, c->at[u].name);
            out->parameter[u] =
                (lw_calibrated){.name = name, .nominal = c->at[u].nominal, .value = c->at[u].value};
        }
    }
    return is_good ? LW_OK : LW_ERR_MEMORY;
}

static bool create_directions(const lwi_calibrating *c, directions *f)
{
    const size_t n = (size_t)c->n, rows = (size_t)c->rows;
    f->A = malloc((rows * n + rows + n + n * n) * sizeof *f->A);
    if (f->A) {
        f->b = f->A + rows * n;
        f->s = f->b + rows;
        f->Vt = f->s + n;
    }
    return f->A != NULL;
}

lw_status lw_calibrate(lw_mech *mech, const lw_compile_options *options,
                       const lw_calibrate_def *def, lw_calibration *calibration, lw_report *report)
{
    if (!mech || !calibration || !is_def(def, true) || def->iterations < 1) {
        return LW_ERR_ARGUMENT;
    }
    *calibration = (lw_calibration){0};
    lwi_calibrating c;
    directions f = {0};
    lw_status status = lwi_calibrating_begin(&c, mech, options, def, report);
    const bool is_begun = status == LW_OK;
    if (is_begun) { // a description whose numbers cannot be set is refused before any work
        status = lwi_calibrating_compile(&c, mech, report);
    }
    if (status == LW_OK) {
        status =
            create_directions(&c, &f) ? iterate(&c, mech, &f, calibration, report) : LW_ERR_MEMORY;
    }
    if (status == LW_OK) {
        status = check_sizes(&c, report);
    }
    if (status == LW_OK) {
        status = find_directions(&c, &f);
    }
    if (status == LW_OK) {
        status = put_values(&c, calibration);
    }
    if (status == LW_OK) {
        status = name_directions(&c, &f, calibration);
    }
    if (status != LW_OK) {
        for (int u = 0; u < c.n && is_begun; ++u) { // as it was
            if (c.at[u].kind == LWI_UNKNOWN_KINEMATIC) {
                lw_set_parameter(mech, c.at[u].name, c.at[u].nominal);
            }
        }
        lw_calibration_free(calibration);
    }
    free(f.A);
    lwi_calibrating_end(&c);
    return status;
}

void lw_calibration_free(lw_calibration *c)
{
    if (c) {
        for (int i = 0; i < c->n && c->parameter; ++i) {
            free(c->parameter[i].name);
        }
        for (int i = 0; i < c->nnull && c->null; ++i) {
            free(c->null[i]);
        }
        free(c->parameter);
        free(c->null);
        *c = (lw_calibration){0};
    }
}

lw_status lw_calibration_error(const lw_mech *mech, const lw_compile_options *options,
                               const lw_calibrate_def *def, const lw_calibration *calibration,
                               double *error)
{
    if (!mech || !is_def(def, true) || !calibration || !error) {
        return LW_ERR_ARGUMENT;
    }
    lwi_calibrating c;
    double sum;
    lw_status status = lwi_calibrating_begin(&c, mech, options, def, NULL);
    for (int u = 0; u < c.n && status == LW_OK; ++u) {
        for (int i = 0; i < calibration->n && c.at[u].kind != LWI_UNKNOWN_KINEMATIC; ++i) {
            if (strcmp(c.at[u].name, calibration->parameter[i].name) == 0) {
                c.at[u].value = calibration->parameter[i].value;
            }
        }
    }
    c.has_reference = true;
    if (status == LW_OK) {
        status = lwi_calibrating_evaluate(&c, false, &sum);
    }
    if (status == LW_OK) {
        memcpy(error, c.error, sizeof c.error);
    }
    lwi_calibrating_end(&c);
    return status;
}

// --- Choice of configurations -----------------------------------------------------------------

// Information of the identifiable directions: B [n candidates][nrow * rank] rows of J V.
typedef struct choice {
    int rank, nrow;
    double *B, *N, *L; ///< N [rank*rank] so far
} choice;

static double log_det(const choice *h)
{
    double sum = 0.0;
    memcpy(h->L, h->N, (size_t)h->rank * (size_t)h->rank * sizeof *h->L);
    if (!lwi_positive_factor(h->rank, h->L)) {
        return -(double)INFINITY;
    }
    for (int k = 0; k < h->rank; ++k) {
        sum += 2.0 * log(h->L[k * h->rank + k]);
    }
    return sum;
}

static void add(const choice *h, int candidate, double weight)
{
    for (int r = 0; r < h->nrow; ++r) {
        const double *b = h->B + (size_t)(candidate * h->nrow + r) * (size_t)h->rank;
        for (int k = 0; k < h->rank; ++k) {
            for (int i = 0; i < h->rank; ++i) {
                h->N[k * h->rank + i] += weight * b[k] * b[i];
            }
        }
    }
}

// The candidate that adds most, or that is missed least.
static int best_of(const choice *h, int n, const int *is_chosen, bool is_added)
{
    int best = -1;
    double value = 0.0;
    for (int i = 0; i < n; ++i) {
        if ((is_chosen[i] != 0) == is_added) {
            continue;
        }
        add(h, i, is_added ? 1.0 : -1.0);
        const double now = log_det(h);
        add(h, i, is_added ? -1.0 : 1.0);
        if (best < 0 || now > value) {
            best = i;
            value = now;
        }
    }
    return best;
}

static lw_status choose(const lwi_calibrating *c, const directions *f, int nchosen, int *chosen)
{
    choice h = {.rank = f->rank, .nrow = c->nrow};
    const size_t rank = (size_t)f->rank, rows = (size_t)(c->nrow * c->def->n);
    h.B = calloc(rows * rank + 2 * rank * rank + 1, sizeof *h.B);
    int *is_chosen = calloc((size_t)c->def->n, sizeof *is_chosen);
    if (!h.B || !is_chosen) {
        free(h.B);
        free(is_chosen);
        return LW_ERR_MEMORY;
    }
    h.N = h.B + rows * rank;
    h.L = h.N + rank * rank;
    for (size_t i = 0; i < rows; ++i) {
        for (size_t k = 0; k < rank; ++k) {
            for (int u = 0; u < c->n; ++u) {
                h.B[i * rank + k] += c->J[(size_t)u * (size_t)c->rows + i] *
                                     f->Vt[k * (size_t)c->n + (size_t)u] / f->s[k];
            }
        }
    }
    for (size_t k = 0; k < rank; ++k) {
        h.N[k * rank + k] = 1e-9; // so that the first few have a determinant
    }
    for (int k = 0; k < nchosen; ++k) {
        const int i = best_of(&h, c->def->n, is_chosen, true);
        is_chosen[i] = 1;
        add(&h, i, 1.0);
    }
    for (int round = 0, last = -1; round < 2 * nchosen; ++round) { // exchange while it helps
        const int in = best_of(&h, c->def->n, is_chosen, true);
        if (in < 0) {
            break;
        }
        is_chosen[in] = 1;
        add(&h, in, 1.0);
        const int out = best_of(&h, c->def->n, is_chosen, false);
        is_chosen[out] = 0;
        add(&h, out, -1.0);
        if (in == out || in == last) {
            break;
        }
        last = out;
    }
    for (int i = 0, k = 0; i < c->def->n; ++i) {
        if (is_chosen[i]) {
            chosen[k++] = i;
        }
    }
    free(h.B);
    free(is_chosen);
    return LW_OK;
}

lw_status lw_calibrate_select(const lw_mech *mech, const lw_compile_options *options,
                              const lw_calibrate_def *def, int nchosen, int *chosen,
                              lw_report *report)
{
    if (!mech || !is_def(def, false) || nchosen < 1 || nchosen > def->n || !chosen) {
        return LW_ERR_ARGUMENT;
    }
    lw_calibrate_def unmeasured = *def;
    unmeasured.measured = NULL;
    lwi_calibrating c;
    directions f = {0};
    double sum;
    lw_status status = lwi_calibrating_begin(&c, mech, options, &unmeasured, report);
    if (status == LW_OK) {
        status = lwi_calibrating_evaluate(&c, true, &sum);
    }
    if (status == LW_OK) {
        status = create_directions(&c, &f) ? find_directions(&c, &f) : LW_ERR_MEMORY;
    }
    if (status == LW_OK) {
        status = choose(&c, &f, nchosen, chosen);
    }
    free(f.A);
    lwi_calibrating_end(&c);
    return status;
}
