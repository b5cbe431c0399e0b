// Solving a set: starts, level after level, and the certificate.
#include "constraint_set.h"

#include "../kin/finite.h"
#include "numeric.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <string.h>

enum { FIRST_HALTON = 11 }; ///< the first points of the sequence are all near the origin

// Coordinate k of a point of Halton's sequence. Large primes make poor points, so that coordinates
// beyond the eighth take the same primes at other places of the sequence.
static double halton(int point, int k)
{
    static const int prime[] = {2, 3, 5, 7, 11, 13, 17, 19};
    return lwi_halton(point + FIRST_HALTON + 31 * (k / 8), prime[k % 8]);
}

// From the seed, each chain at the solution that is nearest to it, if it has one. False without
// chains.
static bool start_at_chains(lw_constraints *set, double *q)
{
    bool is_any = false;
    memcpy(q, set->seed, (size_t)set->m->nq * sizeof *q);
    for (int i = 0; i < set->ncopy; ++i) {
        lw_ik *chain = set->item[i].chain;
        const lw_ik_target target = {.X_BT = set->item[i].def.target};
        lw_ik_result result;
        if (chain && lw_ik_solve(chain, &target, q, &result) == LW_OK && result.nwithin > 0) {
            is_any = lw_ik_nearest(chain, q, LW_IK_SUM_OF_SQUARES, NULL, q) >= 0 || is_any;
        }
    }
    return is_any;
}

// Where a start begins: the seed, the middle of the limits, then Halton's sequence within them.
// Coordinates without limits are taken within half a revolution or half a metre of the seed; those
// of spherical and free joints keep the seed.
static void start_at(lw_constraints *set, int start, double *q)
{
    const lw_model *m = set->m;
    memcpy(q, set->seed, (size_t)m->nq * sizeof *q);
    for (int k = 0; k < set->n; ++k) {
        const int i = set->position[k];
        if (i < 0) {
            continue;
        }
        const double low = isfinite(set->low[k]) ? set->low[k] : set->seed[i] - set->wide[k];
        const double high = isfinite(set->high[k]) ? set->high[k] : set->seed[i] + set->wide[k];
        if (start > 0) {
            const double share = start == 1 ? 0.5 : halton(start - 2, k);
            q[i] = low + (high - low) * share;
        }
        q[i] = fmax(set->low[k], fmin(set->high[k], q[i]));
    }
}

// The levels that a start has to meet: that of the limits of dependent joints, and the first.
static int levels_of_starts(const lw_constraints *set)
{
    return set->ndependent > 0 ? 2 : 1;
}

// Whether a configuration is better than another: in the first level that tells them apart.
static bool is_better(const lw_constraints *set, const lwi_rows *a, const lwi_rows *b)
{
    for (int k = 0; k < set->nlevel; ++k) {
        if (fabs(a->E[k] - b->E[k]) > 1e-9 * b->E[k] + 1e-20) {
            return a->E[k] < b->E[k];
        }
    }
    return false;
}

// Whether the residuals of the levels that starts have to meet are the same to a thousandth: starts
// stop where progress is slow, a little before the minimum.
static bool is_alike(const lw_constraints *set, const lwi_rows *a, const lwi_rows *b)
{
    for (int k = 0; k < levels_of_starts(set); ++k) {
        if (fabs(a->E[k] - b->E[k]) > 1e-3 * fmax(a->E[k], b->E[k])) {
            return false;
        }
    }
    return true;
}

static void copy_rows(const lw_constraints *set, const lwi_rows *from, lwi_rows *to)
{
    const size_t nrow = (size_t)set->nrow;
    memcpy(to->q, from->q, (size_t)set->m->nq * sizeof *to->q);
    memcpy(to->value, from->value, nrow * sizeof *to->value);
    memcpy(to->e, from->e, nrow * sizeof *to->e);
    memcpy(to->A, from->A, nrow * (size_t)set->n * sizeof *to->A);
    memcpy(to->E, from->E, sizeof to->E);
}

static void reset_levels(lw_constraints *set)
{
    for (int k = 0; k < set->nlevel; ++k) {
        set->is_met[k] = true;
    }
    set->has_held = false;
    memset(set->is_locked, 0, (size_t)set->n * sizeof *set->is_locked);
}

// Starts until one meets the first level; the best is in at[0]. Returns the status of the last
// evaluation that failed where none succeeded.
static lw_status search(lw_constraints *set, lw_constraint_result *result)
{
    lw_status status = LW_ERR_NO_CONVERGENCE;
    bool is_any = false;
    int point = 0, repeats = 0; // of the fixed sequence; how often the least residual came
    for (int start = 0; start < set->starts; ++start) {
        lw_data_restart(set->d);
        if (start != 1 || !start_at_chains(set, set->at[0].q)) {
            start_at(set, point++, set->at[0].q);
        }
        const lw_status one = lwi_constraints_evaluate(set, &set->at[0], set->at[0].q);
        result->starts = start + 1;
        if (one != LW_OK) {
            status = one;
            continue;
        }
        bool is_met = true;
        for (int k = 0; k < levels_of_starts(set) && is_met; ++k) {
            double kkt;
            result->iterations += lwi_constraints_minimise(set, k, false, &kkt);
            is_met = lwi_level_is_met(set, &set->at[0], k, set->tolerance);
        }
        const bool is_again = is_any && is_alike(set, &set->at[0], &set->at[2]);
        const bool is_best = !is_any || is_better(set, &set->at[0], &set->at[2]);
        repeats = is_again ? repeats + 1 : is_best ? 1 : repeats;
        if (is_best) {
            copy_rows(set, &set->at[0], &set->at[2]);
        }
        is_any = true;
        if (is_met || repeats >= set->repeats) {
            break;
        }
    }
    if (is_any) {
        copy_rows(set, &set->at[2], &set->at[0]);
    }
    return is_any ? LW_OK : status;
}

// Limits that hold a level back stay for those after it.
static void lock_limits(lw_constraints *set)
{
    for (int k = 0; k < set->n; ++k) {
        set->is_locked[k] = set->is_locked[k] || fabs(set->limit_multiplier[k]) > 1e-9;
    }
}

lw_status lw_constraints_solve(lw_constraints *set, const double *seed,
                               lw_constraint_result *result)
{
    if (!set || !result) {
        return LW_ERR_ARGUMENT;
    }
    const lw_model *m = set->m;
    seed = seed ? seed : m->q_reference;
    if (lwi_check_position(m, seed) != LW_OK) {
        return LW_ERR_NUMBER;
    }
    memcpy(set->seed, seed, (size_t)m->nq * sizeof *seed);
    lw_constraint_result made = {.q = set->at[0].q};
    reset_levels(set);
    lw_status status = search(set, &made);
    if (status != LW_OK) {
        return status;
    }
    lwi_constraints_clear(set);
    bool is_solved = true;
    for (int k = 0; k < set->nlevel; ++k) {
        double kkt = 0.0;
        made.iterations += lwi_constraints_minimise(set, k, true, &kkt);
        set->is_met[k] = lwi_level_is_met(set, &set->at[0], k, set->tolerance);
        made.kkt = fmax(made.kkt, set->is_met[k] ? 0.0 : kkt);
        if (!set->is_met[k]) {
            is_solved = false;
            lwi_constraints_explain(set, k);
            lock_limits(set);
            set->has_held = true;
        }
    }
    made.status = is_solved          ? LW_CONSTRAINTS_SOLVED
                  : made.kkt <= 1e-9 ? LW_CONSTRAINTS_BEST
                                     : LW_CONSTRAINTS_STOPPED;
    made.q = set->at[0].q;
    lwi_constraints_certify(set, &made);
    *result = made;
    return LW_OK;
}
