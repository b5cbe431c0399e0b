// Motions that excite the base parameters: finite Fourier series, searched for the largest
// determinant of the information of their columns (Swevers and others 1997).
//
// Each joint's series is scaled into its range of positions, velocities and accelerations whenever
// it changes, so the search has no bounds of its own; torque limits and collisions refuse a
// candidate. The search changes the coefficients of one joint at random, or of all, and keeps what
// is better, with strides that adapt (a (1+1) evolution strategy with the 1/5 rule): the columns
// have no cheap derivatives, and one evaluation takes a fraction of a millisecond.
#include "dense.h"
#include "regression.h"

#include "../base/report.h"
#include "../base/splitmix.h"
#include "../math/pi.h"

#include <linkwork/dynamics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 60, FINE = 200 };

lw_excite_def lw_default_excite_def(void)
{
    const lw_excite_def def = {.period = 10.0,
                               .harmonics = 5,
                               .share = 0.9,
                               .max_velocity = 2.0,
                               .max_acceleration = 5.0,
                               .evaluations = 4000,
                               .seed = 1};
    return def;
}

void lw_excitation_at(const lw_excitation *e, double t, double *q, double *v, double *a)
{
    const double w = LWI_TWO_PI / e->period;
    const int width = 1 + 2 * e->harmonics;
    for (int j = 0; j < e->nv; ++j) {
        const double *c = e->coefficient + (size_t)j * (size_t)width;
        q[j] = c[0];
        v[j] = a[j] = 0.0;
        for (int l = 1; l <= e->harmonics; ++l) {
            const double f = l * w, s = sin(f * t), k = cos(f * t);
            const double A = c[2 * l - 1], B = c[2 * l];
            q[j] += (A * s - B * k) / f;
            v[j] += A * k + B * s;
            a[j] += f * (B * k - A * s);
        }
    }
}

void lw_excitation_free(lw_excitation *e)
{
    if (e) {
        free(e->coefficient);
        *e = (lw_excitation){0};
    }
}

// Limits of a degree of freedom, with the defaults where the model has none.
typedef struct range {
    double lower, upper, velocity, acceleration;
} range;

typedef struct search {
    const lw_regression *r;
    const lw_excite_def *def;
    lwi_row_work w;
    range *limit;          ///< [nv]
    double *table;         ///< [FINE * (2*harmonics + 1) * 3]: q, v, a of unit coefficients
    double *state;         ///< [3*nv]
    double *tau;           ///< [nv]
    double *A, *N, *scale; ///< [SAMPLES*nv * nbase]; [nbase*nbase]; [nbase]
} search;

static range limits_of(const lw_model *m, const lw_excite_def *def, int k)
{
    const lw_dof *dof = &m->dof[m->v_tree[k]];
    const double middle = m->q_reference[k];
    range r = {dof->lower, dof->upper, dof->max_velocity, dof->max_acceleration};
    r.lower =
        isfinite(r.lower) ? r.lower : fmin(middle, isfinite(r.upper) ? r.upper : middle) - LWI_PI;
    r.upper = isfinite(r.upper) ? r.upper : r.lower + LWI_TWO_PI;
    r.velocity =
        def->share * (isfinite(r.velocity) && r.velocity > 0.0 ? r.velocity : def->max_velocity);
    r.acceleration =
        def->share *
        (isfinite(r.acceleration) && r.acceleration > 0.0 ? r.acceleration : def->max_acceleration);
    const double half = 0.5 * (r.upper - r.lower), centre = 0.5 * (r.upper + r.lower);
    r.lower = centre - def->share * half;
    r.upper = centre + def->share * half;
    return r;
}

// Scales the waves of a joint to the largest that its limits allow, and shifts its centre.
static void fit_joint(const search *s, int j, double *c)
{
    const int H = s->def->harmonics;
    const range *limit = &s->limit[j];
    const double w = LWI_TWO_PI / s->def->period;
    double low = 0.0, high = 0.0, fast = 0.0, sharp = 0.0;
    for (int i = 0; i < FINE; ++i) {
        double q = 0.0, v = 0.0, a = 0.0;
        for (int l = 1; l <= H; ++l) {
            const double sine = s->table[(size_t)(i * H + l - 1) * 2],
                         cosine = s->table[(size_t)(i * H + l - 1) * 2 + 1], f = l * w;
            q += (c[2 * l - 1] * sine - c[2 * l] * cosine) / f;
            v += c[2 * l - 1] * cosine + c[2 * l] * sine;
            a += f * (c[2 * l] * cosine - c[2 * l - 1] * sine);
        }
        low = fmin(low, q);
        high = fmax(high, q);
        fast = fmax(fast, fabs(v));
        sharp = fmax(sharp, fabs(a));
    }
    // Between the samples a wave goes no farther than one in a thousand beyond them.
    const double span = 1.001 * (high - low);
    double factor = span > 0.0 ? (limit->upper - limit->lower) / span : 1.0;
    factor = fmin(factor, fast > 0.0 ? limit->velocity / (1.01 * fast) : factor);
    factor = fmin(factor, sharp > 0.0 ? limit->acceleration / (1.03 * sharp) : factor);
    factor = fmin(factor, 1.0);
    for (int k = 1; k <= 2 * H; ++k) {
        c[k] *= factor;
    }
    const double slack = 0.0005 * factor * (high - low);
    c[0] = fmax(c[0], limit->lower - factor * low + slack);
    c[0] = fmin(c[0], limit->upper - factor * high - slack);
}

static bool is_allowed(const search *s, const double *q, const double *v, const double *a)
{
    const lw_model *m = s->r->m;
    if (s->def->is_free && !s->def->is_free(s->def->context, q)) {
        return false;
    }
    if (lw_inverse_dynamics(m, s->w.d, q, v, a, NULL, s->tau) != LW_OK) {
        return false;
    }
    for (int k = 0; k < m->nv; ++k) {
        const double most = m->dof[m->v_tree[k]].max_force; // 0 in URDF where it is not known
        if (most > 0.0 && fabs(s->tau[k]) > s->def->share * most) {
            return false;
        }
    }
    return true;
}

// The log of the determinant of the information with columns in fixed units, or -inf where the
// motion is not allowed. With `condition` also that of the columns scaled to length one.
static double information(search *s, const lw_excitation *e, double *condition)
{
    const lw_regression *r = s->r;
    const int nbase = r->info.nbase, nv = r->m->nv, rows = SAMPLES * nv;
    for (int i = 0; i < SAMPLES; ++i) {
        double *q = s->state, *v = q + nv, *a = v + nv;
        lw_excitation_at(e, e->period * i / SAMPLES, q, v, a);
        if (!is_allowed(s, q, v, a) || lw_regression_rows(r, s->w.d, q, v, a, s->w.W) != LW_OK) {
            return -(double)INFINITY;
        }
        for (int j = 0; j < nv; ++j) {
            const double *row = s->w.W + (size_t)j * (size_t)r->info.nparameter;
            for (int k = 0; k < nbase; ++k) {
                s->A[(size_t)k * (size_t)rows + (size_t)(i * nv + j)] = row[r->info.column[k]];
            }
        }
    }
    double log_det = 0.0;
    for (int c = 0; c < nbase; ++c) {
        for (int k = 0; k <= c; ++k) {
            double sum = 0.0;
            for (int i = 0; i < rows; ++i) {
                sum += s->A[(size_t)c * (size_t)rows + (size_t)i] *
                       s->A[(size_t)k * (size_t)rows + (size_t)i];
            }
            s->N[c * nbase + k] = sum;
        }
    }
    for (int c = 0; c < nbase; ++c) { // columns of length one: what is left is how they are skewed
        s->scale[c] = sqrt(s->N[c * nbase + c]);
    }
    for (int c = 0; c < nbase; ++c) {
        for (int k = 0; k <= c; ++k) {
            s->N[c * nbase + k] /= s->scale[c] * s->scale[k];
        }
    }
    if (condition) {
        double *value = s->scale;
        *condition = lwi_symmetric_eigen(nbase, s->N, value) && value[0] > 0.0
                         ? sqrt(value[nbase - 1] / value[0])
                         : (double)INFINITY;
        return 0.0;
    }
    if (!lwi_positive_factor(nbase, s->N)) {
        return -(double)INFINITY;
    }
    for (int c = 0; c < nbase; ++c) {
        log_det += 2.0 * log(s->N[c * nbase + c]);
    }
    return log_det;
}

// The condition number; infinite where the motion is not allowed.
static double worst(search *s, const lw_excitation *e)
{
    double condition = (double)INFINITY;
    return isfinite(information(s, e, &condition)) ? condition : (double)INFINITY;
}

static double normal(unsigned long long *seed)
{
    double sum = -6.0;
    for (int k = 0; k < 12; ++k) {
        sum += lwi_random_share(seed);
    }
    return sum;
}

static void draw(const search *s, unsigned long long *seed, lw_excitation *e)
{
    const int width = 1 + 2 * e->harmonics;
    for (int j = 0; j < e->nv; ++j) {
        double *c = e->coefficient + (size_t)j * (size_t)width;
        c[0] = s->limit[j].lower +
               (0.25 + 0.5 * lwi_random_share(seed)) * (s->limit[j].upper - s->limit[j].lower);
        for (int k = 1; k < width; ++k) {
            c[k] = s->limit[j].velocity * normal(seed);
        }
        fit_joint(s, j, c);
    }
}

// One joint's coefficients, or all of them, changed by a share of their ranges.
static void change(const search *s, double stride, unsigned long long *seed, lw_excitation *e)
{
    const int width = 1 + 2 * e->harmonics;
    const int only = lwi_random_share(seed) < 0.5 ? (int)(e->nv * lwi_random_share(seed)) : -1;
    for (int j = 0; j < e->nv; ++j) {
        double *c = e->coefficient + (size_t)j * (size_t)width;
        if (only >= 0 && j != only) {
            continue;
        }
        c[0] += 0.3 * stride * (s->limit[j].upper - s->limit[j].lower) * normal(seed);
        for (int k = 1; k < width; ++k) {
            c[k] += stride * s->limit[j].velocity * normal(seed);
        }
        fit_joint(s, j, c);
    }
}

static lw_status climb(search *s, lw_excitation *best, lw_excitation *trial)
{
    const lw_excite_def *def = s->def;
    const size_t size = (size_t)best->nv * (size_t)(1 + 2 * best->harmonics) * sizeof(double);
    unsigned long long seed = def->seed;
    double value = -(double)INFINITY, stride = 0.5;
    bool was_last = false;
    const int draws = def->evaluations / 10;
    for (int i = 0; i < def->evaluations; ++i) {
        const bool is_drawn = i < draws || !isfinite(value);
        memcpy(trial->coefficient, best->coefficient, size);
        if (is_drawn) {
            draw(s, &seed, trial);
        } else {
            change(s, stride, &seed, trial);
        }
        // First the volume, which every direction counts in; then the worst direction alone.
        const bool is_last = i >= def->evaluations / 2 && isfinite(value);
        if (is_last && !was_last) {
            value = -worst(s, best);
            was_last = true;
            stride = 0.1;
        }
        const double now = is_last ? -worst(s, trial) : information(s, trial, NULL);
        const bool is_better = now > value;
        if (is_better) {
            value = now;
            memcpy(best->coefficient, trial->coefficient, size);
        }
        if (!is_drawn) { // the 1/5 rule
            stride = fmin(1.0, fmax(1e-3, stride * (is_better ? 1.5 : 0.903)));
        }
        if (def->progress && i % 50 == 49) {
            const double condition = isfinite(value) ? worst(s, best) : (double)INFINITY;
            if (!def->progress(def->context, (double)(i + 1) / def->evaluations, condition)) {
                return LW_ERR_MOTION;
            }
        }
    }
    return isfinite(value) ? LW_OK : LW_ERR_MOTION;
}

static lw_status begin(const lw_regression *r, const lw_excite_def *def, search *s)
{
    const size_t nv = (size_t)r->m->nv, nbase = (size_t)r->info.nbase, H = (size_t)def->harmonics;
    *s = (search){.r = r, .def = def};
    lw_status status = lwi_row_work_create(r, &s->w);
    s->limit = malloc(nv * sizeof *s->limit);
    s->table = malloc((FINE * H * 2 + 4 * nv + SAMPLES * nv * nbase + nbase * nbase + nbase) *
                      sizeof *s->table);
    if (status == LW_OK && !(s->limit && s->table)) {
        status = LW_ERR_MEMORY;
    }
    if (status != LW_OK) {
        return status;
    }
    s->state = s->table + FINE * H * 2;
    s->tau = s->state + 3 * nv;
    s->A = s->tau + nv;
    s->N = s->A + SAMPLES * nv * nbase;
    s->scale = s->N + nbase * nbase;
    for (int k = 0; k < r->m->nv; ++k) {
        s->limit[k] = limits_of(r->m, def, k);
    }
    for (int i = 0; i < FINE; ++i) {
        for (int l = 1; l <= def->harmonics; ++l) {
            const double x = LWI_TWO_PI * l * i / FINE;
            s->table[(size_t)(i * def->harmonics + l - 1) * 2] = sin(x);
            s->table[(size_t)(i * def->harmonics + l - 1) * 2 + 1] = cos(x);
        }
    }
    return LW_OK;
}

lw_status lw_excite(const lw_regression *r, const lw_excite_def *def, lw_excitation *excitation,
                    lw_report *report)
{
    if (!r || !excitation) {
        return LW_ERR_ARGUMENT;
    }
    *excitation = (lw_excitation){0};
    const lw_excite_def standard = lw_default_excite_def();
    def = def ? def : &standard;
    if (!(def->period > 0.0) || def->harmonics < 1 || def->harmonics > 50 || def->evaluations < 1 ||
        !(def->share > 0.0 && def->share <= 1.0) || !(def->max_velocity > 0.0) ||
        !(def->max_acceleration > 0.0) || r->info.nbase < 1) {
        return LW_ERR_ARGUMENT;
    }
    if (r->m->nq != r->m->nv) {
        return lwi_report_error(report, (lw_location){0}, LW_ERR_UNSUPPORTED,
                                "free and spherical joints have no Fourier series");
    }
    search s;
    lw_status status = begin(r, def, &s);
    const size_t size = (size_t)r->m->nv * (size_t)(1 + 2 * def->harmonics) * sizeof(double);
    lw_excitation e = {r->m->nv, def->harmonics, def->period, malloc(size), 0.0, 0.0}, trial = e;
    trial.coefficient = malloc(size);
    if (status == LW_OK) {
        status = e.coefficient && trial.coefficient ? climb(&s, &e, &trial) : LW_ERR_MEMORY;
    }
    if (status == LW_OK) {
        e.log_det = information(&s, &e, NULL);
        e.condition = worst(&s, &e);
        *excitation = e;
        e.coefficient = NULL;
    } else if (status == LW_ERR_MOTION) {
        lwi_report_error(report, (lw_location){0}, status,
                         "no motion within the limits was found, or the search was cancelled");
    }
    free(e.coefficient);
    free(trial.coefficient);
    lwi_row_work_free(&s.w);
    free(s.limit);
    free(s.table);
    return status;
}
