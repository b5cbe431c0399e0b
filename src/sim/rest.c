// Where joints rest on elastic shafts, by Newton's method.

#include <linkwork/control.h>
#include <linkwork/derivatives.h>

#include "../math/least_norm.h"
#include "shafts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 50 };

// Below this share of the forces that balance, what is left of them is rounding.
static const double balanced = 1e-12;

/// Room for one search.
typedef struct search {
    double *tau, *zero; ///< [nv]
    double *by_q;       ///< [nv*nv]
    double *A, *c, *x;  ///< [n*n], [n], [n]
    double size;        ///< of the forces that balance
} search;

// Forces that joints would need at q, at rest; true where they need none.
static lw_status find_forces(const lw_model *m, lw_data *d, const double *q, const lwi_shafts *s,
                             search *at, bool *rests)
{
    const lw_status status = lw_inverse_dynamics(m, d, q, at->zero, at->zero, NULL, at->tau);
    double left = 0.0;
    for (int k = 0; k < s->n; ++k) {
        left = fmax(left, fabs(at->tau[s->joint[k]]));
    }
    at->size = fmax(at->size, left);
    *rests = left <= balanced * at->size;
    return status;
}

static lw_status improve(const lw_model *m, lw_data *d, double *q, const lwi_shafts *s, search *at)
{
    const int n = s->n;
    const lw_status status =
        lw_inverse_dynamics_derivatives(m, d, q, at->zero, at->zero, NULL, at->by_q, NULL, NULL);
    for (int k = 0; k < n; ++k) {
        at->c[k] = -at->tau[s->joint[k]];
        for (int i = 0; i < n; ++i) {
            at->A[i * n + k] = at->by_q[s->joint[k] * m->nv + s->joint[i]];
        }
    }
    lwi_least_norm(n, n, n, at->A, at->c, at->x, 1);
    for (int i = 0; i < n; ++i) {
        const int place = lw_position_of_freedom(m, s->joint[i]);
        if (place >= 0) {
            q[place] += at->x[i];
        }
    }
    return status;
}

static lw_status search_rest(const lw_model *m, lw_data *d, const lwi_shafts *s, double *q,
                             double *block)
{
    const size_t nv = (size_t)m->nv, n = (size_t)s->n;
    search at = {.tau = block, .zero = block + nv, .by_q = block + 2 * nv};
    at.A = at.by_q + nv * nv;
    at.c = at.A + n * n;
    at.x = at.c + n;
    bool rests = false;
    lw_status status = find_forces(m, d, q, s, &at, &rests);
    for (int round = 0; round < ROUNDS && status == LW_OK && !rests; ++round) {
        status = improve(m, d, q, s, &at);
        if (status == LW_OK) {
            status = find_forces(m, d, q, s, &at, &rests);
        }
    }
    return status == LW_OK && !rests ? LW_ERR_NO_CONVERGENCE : status;
}

lw_status lw_rest_on_shafts(const lw_model *m, lw_data *d, double *q)
{
    if (!m || !d || !q) {
        return LW_ERR_ARGUMENT;
    }
    lwi_shafts shafts;
    lw_status status = lwi_shafts_create(m, &shafts);
    if (status != LW_OK || shafts.n == 0) {
        return status;
    }
    const size_t nv = (size_t)m->nv, n = (size_t)shafts.n, nq = (size_t)m->nq;
    double *block = calloc(2 * nv + nv * nv + n * n + 2 * n + nq, sizeof *block);
    if (block) {
        double *found = block + 2 * nv + nv * nv + n * n + 2 * n;
        lwi_shafts_follow_position(&shafts, m, q);
        memcpy(found, q, nq * sizeof *q);
        status = search_rest(m, d, &shafts, found, block);
        if (status == LW_OK) {
            memcpy(q, found, nq * sizeof *q);
        }
    } else {
        status = LW_ERR_MEMORY;
    }
    free(block);
    lwi_shafts_free(&shafts);
    return status;
}
