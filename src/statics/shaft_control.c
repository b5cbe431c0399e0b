// Motors behind elastic shafts.
//
// With the motors e of a group and the joints j that they drive, rigid shafts would give x_e = N
// x_j (lw_shaft_ratios). Seen at its motors a joint is at P x_e, and a force f on it is P' f on the
// motors, where P is the inverse of N, or (N'N)^-1 N' where motors drive joints together.

#include "shaft_control.h"

#include "../math/invert.h"

#include <linkwork/dynamics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lw_shafts_free(lw_shafts *shafts)
{
    if (shafts) {
        free((double *)shafts->G);
        free((int *)shafts->follower);
        memset(shafts, 0, sizeof *shafts);
    }
}

bool lw_shafts_follows(const lw_shafts *s, int k)
{
    return s->nfollower > 0 && s->G[k * s->model->nv + k] == 0.0;
}

bool lw_shafts_follows_at(const lw_shafts *s, int position)
{
    bool follows = false;
    for (int i = 0; i < s->nfollower && !follows; ++i) {
        follows = lw_position_of_dof(s->model, s->follower[i]) == position;
    }
    return follows;
}

static bool has_drive(const lw_model *m, int k)
{
    bool has = false;
    for (int i = 0; i < m->ndrive && !has; ++i) {
        has = m->drive[i].dof == m->v_tree[k];
    }
    return has;
}

// --- Groups -----------------------------------------------------------------------------------

// Numbers the groups: a follower and all that moves it are in one.
static void find_groups(lw_shafts *s, int *group)
{
    const int nv = s->model->nv;
    for (int i = 0; i < s->nfollower; ++i) {
        const int f = s->follower[i], own = nv + 1 + i;
        group[f] = own;
        for (int j = 0; j < nv; ++j) {
            const int other = group[j];
            if (s->G[f * nv + j] == 0.0) {
                continue;
            }
            group[j] = own;
            for (int e = 0; e < nv && other > 0; ++e) {
                group[e] = group[e] == other ? own : group[e];
            }
        }
    }
    for (int k = 0; k < nv; ++k) { // in the order of v
        const int found = group[k];
        s->ngroup += found > nv;
        for (int e = k; e < nv && found > nv; ++e) {
            group[e] = group[e] == found ? s->ngroup : group[e];
        }
    }
}

// Motors, joints and other followers of a group, [nv] each in `member`.
static void list_group(const lw_shafts *s, int g, int *member, int count[3])
{
    const int nv = s->model->nv;
    bool has_drives = false;
    for (int i = 0; i < s->nfollower; ++i) {
        const int k = s->follower[i];
        has_drives = has_drives || (s->group[k] == g && has_drive(s->model, k));
    }
    count[0] = count[1] = count[2] = 0;
    for (int k = 0; k < nv; ++k) {
        const int kind = !lw_shafts_follows(s, k)                ? 1
                         : !has_drives || has_drive(s->model, k) ? 0
                                                                 : 2;
        if (s->group[k] == g) {
            member[kind * nv + count[kind]++] = k;
        }
    }
}

// P of a group into inverse [nv*nv]; false where its motors do not determine its joints.
static bool invert(const lw_shafts *s, const int *member, const int count[3], double *work,
                   double *inverse)
{
    const int nv = s->model->nv, n = count[1], *motor = member, *joint = member + nv;
    double *A = work, *P = work + nv * nv, largest = 0.0;
    if (count[0] < n) {
        return false;
    }
    for (int i = 0; i < n * n; ++i) { // N, or N'N
        A[i] = count[0] == n ? s->G[motor[i / n] * nv + joint[i % n]] : 0.0;
        for (int e = 0; e < count[0] && count[0] > n; ++e) {
            const double *row = s->G + motor[e] * nv;
            A[i] += row[joint[i / n]] * row[joint[i % n]];
        }
        largest = fmax(largest, fabs(A[i]));
    }
    if (!lwi_invert(n, A, P, 1e-12 * largest)) {
        return false;
    }
    for (int j = 0; j < n; ++j) {
        for (int e = 0; e < count[0]; ++e) {
            double sum = 0.0;
            for (int i = 0; i < n && count[0] > n; ++i) {
                sum += P[j * n + i] * s->G[motor[e] * nv + joint[i]];
            }
            inverse[joint[j] * nv + motor[e]] = count[0] > n ? sum : P[j * n + e];
        }
    }
    return true;
}

lw_status lw_shafts_create(const lw_model *m, lw_shafts *s)
{
    if (!m || !s) {
        return LW_ERR_ARGUMENT;
    }
    const size_t nv = (size_t)m->nv;
    *s = (lw_shafts){.model = m};
    if (m->nspring == 0) {
        return LW_OK;
    }
    double *block = calloc(4 * nv * nv + 1, sizeof *block), *G = block;
    int *list = calloc(7 * nv + 1, sizeof *list);
    lw_data *d = NULL;
    int nfollower = 0;
    lw_status status = block && list ? lw_data_create(m, &d) : LW_ERR_MEMORY;
    if (status == LW_OK) {
        status = lw_shaft_ratios(m, d, m->q_reference, &nfollower, G);
    }
    lw_data_destroy(d);
    if (status != LW_OK || nfollower == 0) {
        free(block);
        free(list);
        return status;
    }
    int *follower = list, *group = list + nv, *motor = list + 2 * nv, *joint = list + 3 * nv,
        *member = list + 4 * nv;
    s->G = G;
    s->inverse = G + nv * nv;
    s->follower = follower;
    s->group = group;
    s->motor = motor;
    s->joint = joint;
    for (int k = 0; k < m->nv; ++k) {
        if (G[k * m->nv + k] == 0.0) {
            follower[s->nfollower++] = k;
        }
    }
    find_groups(s, group);
    for (int kind = 0; kind < 2; ++kind) { // joints stand before followers that are no motors
        for (int g = 1; g <= s->ngroup; ++g) {
            int count[3];
            list_group(s, g, member, count);
            if (!invert(s, member, count, G + 2 * nv * nv, G + nv * nv)) {
                continue;
            }
            for (int i = 0; i < count[0] && kind == 0; ++i) {
                motor[s->nmotor++] = member[i];
            }
            for (int i = 0; i < count[1 + kind]; ++i) {
                joint[s->nmoved++] = member[(size_t)(1 + kind) * nv + (size_t)i];
            }
        }
        s->njoint = kind == 0 ? s->nmoved : s->njoint;
    }
    return LW_OK;
}

// --- Following --------------------------------------------------------------------------------

static double moved(const lw_model *m, const double *q, int k)
{
    const int i = lw_position_of_dof(m, k);
    return i < 0 ? 0.0 : q[i] - m->q_reference[i];
}

void lw_shafts_follow_position(const lw_shafts *s, double *q)
{
    for (int i = 0; i < s->nfollower; ++i) {
        const int e = s->follower[i], at = lw_position_of_dof(s->model, e);
        double x = 0.0;
        for (int k = 0; k < s->model->nv && at >= 0; ++k) {
            const double ratio = s->G[e * s->model->nv + k];
            x += ratio != 0.0 ? ratio * moved(s->model, q, k) : 0.0;
        }
        if (at >= 0) {
            q[at] = s->model->q_reference[at] + x;
        }
    }
}

void lw_shafts_follow(const lw_shafts *s, double *x)
{
    for (int i = 0; i < s->nfollower; ++i) {
        double sum = 0.0;
        for (int k = 0; k < s->model->nv; ++k) {
            const double ratio = s->G[s->follower[i] * s->model->nv + k];
            sum += ratio != 0.0 ? ratio * x[k] : 0.0;
        }
        x[s->follower[i]] = sum;
    }
}

void lw_shafts_gather(const lw_shafts *s, double *tau)
{
    for (int i = 0; i < s->nfollower; ++i) {
        for (int k = 0; k < s->model->nv; ++k) {
            tau[k] += s->G[s->follower[i] * s->model->nv + k] * tau[s->follower[i]];
        }
    }
    for (int i = 0; i < s->nfollower; ++i) {
        tau[s->follower[i]] = 0.0;
    }
}

// --- Control ----------------------------------------------------------------------------------

const double *lwi_shafts_look(const lw_shafts *s, const double *q, const double *v, double *error,
                              double *seen)
{
    if (s->njoint == 0) {
        return v;
    }
    memcpy(seen, v, (size_t)s->model->nv * sizeof *v);
    for (int k = 0; k < s->njoint; ++k) {
        const double *row = s->inverse + s->joint[k] * s->model->nv;
        double x = 0.0, rate = 0.0;
        for (int i = 0; i < s->nmotor; ++i) {
            x += row[s->motor[i]] * moved(s->model, q, s->motor[i]);
            rate += row[s->motor[i]] * v[s->motor[i]];
        }
        error[s->joint[k]] += moved(s->model, q, s->joint[k]) - x;
        seen[s->joint[k]] = rate;
    }
    return seen;
}

void lwi_shafts_hand_over(const lw_shafts *s, double *tau)
{
    for (int i = 0; i < s->nmotor; ++i) {
        for (int k = 0; k < s->njoint; ++k) {
            tau[s->motor[i]] +=
                s->inverse[s->joint[k] * s->model->nv + s->motor[i]] * tau[s->joint[k]];
        }
    }
    for (int k = 0; k < s->njoint; ++k) {
        tau[s->joint[k]] = 0.0;
    }
}
