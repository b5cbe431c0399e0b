// A load at a frame by recursive least squares, in information form: the normal matrix and its
// right-hand side grow by each sample, and are solved when a result is requested. That is exact at
// any number of samples, and needs no start.
#include <linkwork/dynamics.h>
#include <linkwork/payload.h>

#include <math.h>
#include <string.h>

enum { TEN = LW_BODY_PARAMETER_COUNT };

// Standard deviations of the load before anything is known.
static const double prior[TEN] = {1e3, 1e3, 1e3, 1e3, 1e2, 1e2, 1e2, 1e2, 1e2, 1e2};

static int at(int row, int column)
{
    return row * (row + 1) / 2 + column;
}

lw_status lw_payload_begin(const lw_model *m, int frame, double forgetting, lw_payload *payload)
{
    if (!m || !payload || frame < 0 || frame >= m->nframe_all || m->frame[frame].body < 0 ||
        !(forgetting > 0.0 && forgetting <= 1.0)) {
        return LW_ERR_ARGUMENT;
    }
    *payload = (lw_payload){.frame = frame, .forgetting = forgetting};
    for (int k = 0; k < TEN; ++k) {
        payload->information[at(k, k)] = 1.0 / (prior[k] * prior[k]);
    }
    return LW_OK;
}

// The parameters of the load as directions of the body that carries it.
static void load_parameters(const lw_model *m, int frame, lw_inertial_parameter *list)
{
    for (int k = 0; k < TEN; ++k) {
        double p[TEN] = {0};
        p[k] = 1.0;
        const lw_inertia one = {p[0], {p[1], p[2], p[3]}, {p[4], p[5], p[6], p[7], p[8], p[9]}};
        list[k].body = m->frame[frame].body;
        list[k].rate = lw_inertia_move(&m->frame[frame].X_BF, &one);
    }
}

lw_status lw_payload_add(const lw_model *m, lw_data *d, lw_payload *payload, const double *q,
                         const double *v, const double *a, const double *tau, const double *sigma,
                         double *work)
{
    if (!m || !payload || !tau || !sigma || !work || payload->frame < 0 ||
        payload->frame >= m->nframe_all) {
        return LW_ERR_ARGUMENT;
    }
    for (int i = 0; i < m->nv; ++i) {
        if (!isfinite(tau[i]) || !(sigma[i] > 0.0) || !isfinite(sigma[i])) {
            return LW_ERR_NUMBER;
        }
    }
    lw_inertial_parameter list[TEN];
    load_parameters(m, payload->frame, list);
    double *W = work, *own = work + TEN * m->nv;
    lw_status status = lw_inverse_dynamics(m, d, q, v, a, NULL, own);
    if (status == LW_OK) {
        status = lw_inertial_sensitivity(m, d, q, v, a, TEN, list, W);
    }
    if (status != LW_OK) {
        return status;
    }
    for (int k = 0; k < 55; ++k) {
        payload->information[k] *= payload->forgetting;
    }
    for (int k = 0; k < TEN; ++k) {
        payload->moment[k] *= payload->forgetting;
    }
    for (int i = 0; i < m->nv; ++i) {
        const double *w = W + TEN * i, weight = 1.0 / (sigma[i] * sigma[i]);
        for (int r = 0; r < TEN; ++r) {
            payload->moment[r] += weight * w[r] * (tau[i] - own[i]);
            for (int c = 0; c <= r; ++c) {
                payload->information[at(r, c)] += weight * w[r] * w[c];
            }
        }
    }
    ++payload->nsample;
    return LW_OK;
}

// L of information = L L'; with forgetting the prior fades, so a small share of it stays.
static bool factor(const lw_payload *payload, double *L)
{
    for (int r = 0; r < TEN; ++r) {
        for (int c = 0; c <= r; ++c) {
            double x = payload->information[at(r, c)];
            if (r == c) {
                x = fmax(x, 1e-6 / (prior[r] * prior[r]));
            }
            for (int k = 0; k < c; ++k) {
                x -= L[at(r, k)] * L[at(c, k)];
            }
            if (r == c && !(x > 0.0)) {
                return false;
            }
            L[at(r, c)] = r == c ? sqrt(x) : x / L[at(c, c)];
        }
    }
    return true;
}

lw_status lw_payload_result(const lw_payload *payload, lw_payload_estimate *estimate)
{
    double L[55], x[TEN];
    if (!payload || !estimate) {
        return LW_ERR_ARGUMENT;
    }
    if (!factor(payload, L)) {
        return LW_ERR_SINGULAR;
    }
    lw_payload_estimate e = {0};
    for (int unit = -1; unit < TEN; ++unit) { // the estimate, then columns of the covariance
        for (int r = 0; r < TEN; ++r) {
            x[r] = unit < 0 ? payload->moment[r] : r == unit;
            for (int k = 0; k < r; ++k) {
                x[r] -= L[at(r, k)] * x[k];
            }
            x[r] /= L[at(r, r)];
        }
        if (unit >= 0) { // e' (L L')^-1 e is the square of L^-1 e
            double sum = 0.0;
            for (int r = 0; r < TEN; ++r) {
                sum += x[r] * x[r];
            }
            e.sigma[unit] = sqrt(sum);
            continue;
        }
        for (int r = TEN - 1; r >= 0; --r) {
            for (int k = r + 1; k < TEN; ++k) {
                x[r] -= L[at(k, r)] * x[k];
            }
            x[r] /= L[at(r, r)];
        }
        const lw_inertia I = {x[0], {x[1], x[2], x[3]}, {x[4], x[5], x[6], x[7], x[8], x[9]}};
        e.inertia = I;
    }
    e.mass = e.inertia.mass;
    e.mass_sigma = e.sigma[LW_BODY_MASS];
    if (e.mass > 0.0) {
        e.center = lw_scale3(1.0 / e.mass, e.inertia.first_moment);
    }
    *estimate = e;
    return LW_OK;
}
