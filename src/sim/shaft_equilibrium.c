// Where joints rest on elastic shafts: Newton's method, with a line search.
//
// At rest no force is left at the joints, and forces are the slope of an energy. Within backlash
// shafts have no slope of their own, and a step by the slope of gravity alone would go anywhere. So
// no joint goes further in a step than LONGEST, and where a step meets a shaft on its way that
// pushes back, it ends near where both balance; the next has the slope of that shaft. A joint that
// nothing pushes rests where it is: of all rests within the play that is the nearest.

#include <linkwork/control.h>
#include <linkwork/derivatives.h>

#include "../math/least_norm.h"
#include "shaft_control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 200, HALVINGS = 60 };

// rad or m; backlash is some thousandths of that at the joint.
static const double LONGEST = 0.1;

// Below this share of the forces that balance, what is left of them is rounding.
static const double balanced = 1e-12;

// A joint that less than this share of them pushes goes less far than LONGEST, so that a rounding
// moves nothing.
static const double slightest = 1e-6;

/// Workspace for one search.
typedef struct search {
    double *tau, *zero; ///< [nv]
    double *by_q;       ///< [nv*nv]
    double *A, *c, *x;  ///< [n*n], [n], [n]: the step
    double *from;       ///< [nq] where it begins
    double size;        ///< of the forces that balance
} search;

// Forces that joints would need at q, at rest; true where they need none.
static lw_status find_forces(const lw_model *m, lw_data *d, const double *q, const lw_shafts *s,
                             search *at, bool *rests)
{
    const lw_status status = lw_inverse_dynamics(m, d, q, at->zero, at->zero, NULL, at->tau);
    double left = 0.0;
    for (int k = 0; k < s->nmoved; ++k) {
        left = fmax(left, fabs(at->tau[s->joint[k]]));
    }
    at->size = fmax(at->size, left);
    *rests = left <= balanced * at->size;
    return status;
}

// A step by the slopes of the forces. Where one is too small for its force, or bends away from
// rest, it is taken as that with which the joint alone would go as far as it may.
static lw_status find_step(const lw_model *m, lw_data *d, const double *q, const lw_shafts *s,
                           search *at)
{
    const int n = s->nmoved;
    const lw_status status =
        lw_inverse_dynamics_derivatives(m, d, q, at->zero, at->zero, NULL, at->by_q, NULL, NULL);
    for (int k = 0; k < n; ++k) {
        const double force = at->tau[s->joint[k]];
        at->c[k] = -force;
        for (int i = 0; i < n; ++i) {
            at->A[i * n + k] = at->by_q[s->joint[k] * m->nv + s->joint[i]];
        }
        at->A[k * n + k] =
            fmax(at->A[k * n + k], fmax(fabs(force), slightest * at->size) / LONGEST);
    }
    lwi_least_norm(n, n, n, at->A, at->c, at->x, 1);
    double longest = 0.0;
    for (int i = 0; i < n; ++i) {
        longest = fmax(longest, fabs(at->x[i]));
    }
    for (int i = 0; i < n && longest > LONGEST; ++i) {
        at->x[i] *= LONGEST / longest;
    }
    return status;
}

// Forces along the step, which are negative where it leads downhill.
static double forces_along(const lw_shafts *s, const search *at)
{
    double sum = 0.0;
    for (int i = 0; i < s->nmoved; ++i) {
        sum += at->tau[s->joint[i]] * at->x[i];
    }
    return sum;
}

static void go(const lw_model *m, const lw_shafts *s, const search *at, double share, double *q)
{
    for (int i = 0; i < s->nmoved; ++i) {
        const int location = lw_position_of_dof(m, s->joint[i]);
        if (location >= 0) {
            q[location] = at->from[location] + share * at->x[i];
        }
    }
}

// Goes the step, or to where at most half of the force along it is left.
static lw_status go_step(const lw_model *m, lw_data *d, double *q, const lw_shafts *s, search *at,
                         bool *rests)
{
    // Uphill the slopes are no help, and the forces themselves give the direction.
    const bool is_uphill = forces_along(s, at) >= 0.0;
    for (int i = 0; i < s->nmoved && is_uphill; ++i) {
        at->x[i] = -at->tau[s->joint[i]] * LONGEST / at->size;
    }
    const double first = forces_along(s, at);
    double low = 0.0, high = 1.0, share = 1.0;
    lw_status status = LW_OK;
    memcpy(at->from, q, (size_t)m->nq * sizeof *q);
    for (int round = 0; round < HALVINGS; ++round) {
        go(m, s, at, share, q);
        status = find_forces(m, d, q, s, at, rests);
        const double left = forces_along(s, at);
        const bool is_far = left < 0.0 && share == 1.0; // and downhill still
        if (status != LW_OK || *rests || is_far || fabs(left) <= 0.5 * fabs(first)) {
            break;
        }
        *(left < 0.0 ? &low : &high) = share;
        share = 0.5 * (low + high);
    }
    return status;
}

static lw_status search_rest(const lw_model *m, lw_data *d, const lw_shafts *s, double *q,
                             double *block)
{
    const size_t nv = (size_t)m->nv, n = (size_t)s->nmoved;
    search at = {.tau = block, .zero = block + nv, .by_q = block + 2 * nv};
    at.A = at.by_q + nv * nv;
    at.c = at.A + n * n;
    at.x = at.c + n;
    at.from = at.x + n;
    bool rests = false;
    lw_status status = find_forces(m, d, q, s, &at, &rests);
    for (int round = 0; round < ROUNDS && status == LW_OK && !rests; ++round) {
        status = find_step(m, d, q, s, &at);
        if (status == LW_OK) {
            status = go_step(m, d, q, s, &at, &rests);
        }
    }
    return status == LW_OK && !rests ? LW_ERR_NO_CONVERGENCE : status;
}

lw_status lw_shaft_equilibrium(const lw_model *m, lw_data *d, double *q)
{
    if (!m || !d || !q) {
        return LW_ERR_ARGUMENT;
    }
    lw_shafts shafts;
    lw_status status = lw_shafts_create(m, &shafts);
    if (status == LW_OK) {
        lw_shafts_follow_position(&shafts, q);
    }
    if (status != LW_OK || shafts.nmoved == 0) {
        lw_shafts_free(&shafts);
        return status;
    }
    const size_t nv = (size_t)m->nv, n = (size_t)shafts.nmoved, nq = (size_t)m->nq;
    double *block = calloc(2 * nv + nv * nv + n * n + 2 * n + 2 * nq, sizeof *block);
    if (block) {
        double *found = block + 2 * nv + nv * nv + n * n + 2 * n + nq;
        memcpy(found, q, nq * sizeof *q);
        status = search_rest(m, d, &shafts, found, block);
        if (status == LW_OK) {
            memcpy(q, found, nq * sizeof *q);
        }
    } else {
        status = LW_ERR_MEMORY;
    }
    free(block);
    lw_shafts_free(&shafts);
    return status;
}
