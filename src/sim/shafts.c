// Control through elastic shafts.

#include "shafts.h"

#include "../math/invert.h"

#include <linkwork/dynamics.h>
#include <linkwork/motion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lwi_shafts_free(lwi_shafts *shafts)
{
    free(shafts->G);
    free(shafts->follower);
    memset(shafts, 0, sizeof *shafts);
}

// Followers, and the joints whose motion moves one.
static void find_members(lwi_shafts *s, int *njoint)
{
    const int nv = s->nv;
    s->n = *njoint = 0;
    for (int k = 0; k < nv; ++k) {
        if (s->G[k * nv + k] == 0.0) {
            s->follower[s->n++] = k;
        }
    }
    for (int k = 0; k < nv; ++k) {
        bool is_turned = false;
        for (int i = 0; i < s->n; ++i) {
            is_turned = is_turned || s->G[s->follower[i] * nv + k] != 0.0;
        }
        if (is_turned && *njoint < nv) {
            s->joint[(*njoint)++] = k;
        }
    }
}

// How followers turn with the joints that turn them, the other way round; false where they do not
// tell.
static bool invert(const lwi_shafts *s, double *N, double *inverse)
{
    for (int i = 0; i < s->n; ++i) {
        for (int k = 0; k < s->n; ++k) {
            N[i * s->n + k] = s->G[s->follower[i] * s->nv + s->joint[k]];
        }
    }
    return lwi_invert(s->n, N, inverse, 1e-12);
}

lw_status lwi_shafts_create(const lw_model *m, lwi_shafts *s)
{
    const size_t nv = (size_t)m->nv;
    memset(s, 0, sizeof *s);
    if (m->nspring == 0) {
        return LW_OK;
    }
    s->nv = m->nv;
    s->G = calloc(3 * nv * nv + 2 * nv + 1, sizeof *s->G);
    s->follower = calloc(2 * nv + 1, sizeof *s->follower);
    lw_data *d = lw_data_create(m);
    lw_status status = s->G && s->follower && d ? LW_OK : LW_ERR_MEMORY;
    int nfollower = 0, njoint = 0;
    if (status == LW_OK) {
        s->inverse = s->G + nv * nv;
        s->seen = s->inverse + nv * nv;
        s->work = s->seen + nv;
        s->joint = s->follower + nv;
        status = lw_shaft_ratios(m, d, m->q_reference, &nfollower, s->G);
    }
    if (status == LW_OK && nfollower > 0) {
        find_members(s, &njoint);
    }
    if (status != LW_OK || s->n == 0 || s->n != njoint || !invert(s, s->work + nv, s->inverse)) {
        lwi_shafts_free(s);
    }
    lw_data_destroy(d);
    return status;
}

static double moved(const lw_model *m, const double *q, int k)
{
    const int i = lw_position_of_freedom(m, k);
    return i < 0 ? 0.0 : q[i] - m->q_reference[i];
}

const double *lwi_shafts_look(const lwi_shafts *s, const lw_model *m, const double *q,
                              const double *v, double *error)
{
    if (s->n == 0) {
        return v;
    }
    memcpy(s->seen, v, (size_t)s->nv * sizeof *v);
    for (int k = 0; k < s->n; ++k) {
        double x = 0.0, rate = 0.0;
        for (int i = 0; i < s->n; ++i) {
            x += s->inverse[k * s->n + i] * moved(m, q, s->follower[i]);
            rate += s->inverse[k * s->n + i] * v[s->follower[i]];
        }
        error[s->joint[k]] += moved(m, q, s->joint[k]) - x;
        s->seen[s->joint[k]] = rate;
    }
    return s->seen;
}

void lwi_shafts_follow_position(const lwi_shafts *s, const lw_model *m, double *q)
{
    for (int i = 0; i < s->n; ++i) {
        const int e = s->follower[i], at = lw_position_of_freedom(m, e);
        double x = 0.0;
        for (int k = 0; k < s->n; ++k) {
            x += s->G[e * s->nv + s->joint[k]] * moved(m, q, s->joint[k]);
        }
        if (at >= 0) {
            q[at] = m->q_reference[at] + x;
        }
    }
}

void lwi_shafts_follow(const lwi_shafts *s, double *x)
{
    for (int i = 0; i < s->n; ++i) {
        double sum = 0.0;
        for (int k = 0; k < s->n; ++k) {
            sum += s->G[s->follower[i] * s->nv + s->joint[k]] * x[s->joint[k]];
        }
        x[s->follower[i]] = sum;
    }
}

void lwi_shafts_gather(const lwi_shafts *s, double *tau)
{
    for (int i = 0; i < s->n; ++i) {
        for (int k = 0; k < s->n; ++k) {
            tau[s->joint[k]] += s->G[s->follower[i] * s->nv + s->joint[k]] * tau[s->follower[i]];
        }
    }
    for (int i = 0; i < s->n; ++i) {
        tau[s->follower[i]] = 0.0;
    }
}

void lwi_shafts_hand_over(const lwi_shafts *s, double *tau)
{
    for (int i = 0; i < s->n; ++i) {
        for (int k = 0; k < s->n; ++k) {
            tau[s->follower[i]] += s->inverse[k * s->n + i] * tau[s->joint[k]];
        }
    }
    for (int k = 0; k < s->n; ++k) {
        tau[s->joint[k]] = 0.0;
    }
}
