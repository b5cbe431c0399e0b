// What a level that is not met is held back by. In its minimum the gradient of the level and the
// forces of what holds it, rows of levels before it and limits, balance: constraints with a share
// in that balance are in conflict, with those that share coordinates with them. A constraint
// without one is out of reach by itself.
#include "constraint_set.h"

#include <math.h>
#include <string.h>

void lwi_constraints_clear(lw_constraints *set)
{
    set->nconflict = 0;
    memset(set->limit_multiplier, 0, (size_t)set->n * sizeof *set->limit_multiplier);
    for (int i = 0; i < set->ncopy; ++i) {
        set->outcome[i].conflict = -1;
    }
    for (int k = 0; k < set->n; ++k) {
        set->limit_group[k] = -1;
    }
}

static void add_share(lw_constraints *set, int item, double s, const double *row)
{
    double *share = set->share + (size_t)item * (size_t)set->n;
    for (int k = 0; k < set->n; ++k) {
        share[k] += s * row[k];
    }
}

static double norm_of(const lw_constraints *set, const lwi_constraint *c)
{
    double sum = 0.0;
    for (int r = c->first; r < c->first + c->nrow; ++r) {
        const double e = set->at[0].e[r] / set->weight[r];
        sum += e * e;
    }
    return sqrt(sum);
}

// What each constraint has in the balance, by coordinates; returns the largest entry.
static double find_shares(lw_constraints *set, int level)
{
    const lwi_rows *rows = &set->at[0];
    const lwi_stack *s = &set->stack;
    const size_t n = (size_t)set->n;
    memset(set->share, 0, (size_t)set->nitem * n * sizeof *set->share);
    for (int i = 0; i < set->nitem; ++i) {
        const lwi_constraint *c = &set->item[i];
        for (int r = c->first; r < c->first + c->nrow && c->level == level; ++r) {
            add_share(set, i, rows->e[r], rows->A + (size_t)r * n);
        }
        for (int k = 0; k < s->n && c->level < level; ++k) {
            const int r = s->row[k];
            // What holds a level that is not met belongs to those of its constraints that are not.
            const bool is_own = r >= c->first && r < c->first + c->nrow;
            const bool is_held =
                r < 0 && !set->is_met[c->level] && norm_of(set, c) > set->tolerance;
            if (is_own || is_held) {
                add_share(set, i, s->mu[k], s->C + (size_t)k * n);
            }
        }
    }
    double most = 0.0;
    for (size_t i = 0; i < (size_t)set->nitem * n; ++i) {
        most = fmax(most, fabs(set->share[i]));
    }
    return most;
}

// Constraints that share a coordinate get the lowest label of theirs, until nothing changes: each
// pass takes one label at least to its last value.
static void label_coordinates(lw_constraints *set, double least)
{
    for (int k = 0; k < set->n; ++k) {
        set->group[k] = k;
    }
    bool is_changed = true;
    for (int pass = 0; pass < set->n && is_changed; ++pass) {
        is_changed = false;
        for (int i = 0; i < set->nitem; ++i) {
            const double *share = set->share + (size_t)i * (size_t)set->n;
            int label = set->n;
            for (int k = 0; k < set->n; ++k) {
                label = fabs(share[k]) > least && set->group[k] < label ? set->group[k] : label;
            }
            for (int k = 0; k < set->n; ++k) {
                if (fabs(share[k]) > least && set->group[k] != label) {
                    set->group[k] = label;
                    is_changed = true;
                }
            }
        }
    }
}

// The label of a constraint, or -1 where it has no share.
static int label_of(const lw_constraints *set, int item, double least)
{
    for (int k = 0; k < set->n; ++k) {
        if (fabs(set->share[(size_t)item * (size_t)set->n + (size_t)k]) > least) {
            return set->group[k];
        }
    }
    return -1;
}

// Limits against which the level presses.
static int take_limits(lw_constraints *set, int label, double least, int group)
{
    int count = 0;
    for (int k = 0; k < set->n; ++k) {
        if (set->is_fixed[k] && !set->is_locked[k] && set->group[k] == label &&
            fabs(set->lagrangian[k]) > least) {
            set->limit_multiplier[k] = set->lagrangian[k];
            set->limit_group[k] = group;
            ++count;
        }
    }
    return count;
}

void lwi_constraints_explain(lw_constraints *set, int level)
{
    lwi_constraints_balance(set, level);
    const double least = 1e-6 * find_shares(set, level);
    if (!(least > 1e-14)) {
        return; // everything is out of reach by itself
    }
    label_coordinates(set, least);
    for (int label = 0; label < set->n; ++label) {
        int count = 0;
        for (int i = 0; i < set->nitem; ++i) {
            count += label_of(set, i, least) == label;
        }
        if (count == 0 || count + take_limits(set, label, least, set->nconflict) < 2) {
            continue;
        }
        for (int i = 0; i < set->ncopy; ++i) {
            if (label_of(set, i, least) == label && set->outcome[i].conflict < 0) {
                set->outcome[i].conflict = set->nconflict;
            }
        }
        ++set->nconflict;
    }
}

// A row with two bounds that is at one of them.
static bool is_at_bound(const lw_constraints *set, const lwi_constraint *c)
{
    bool is = false;
    for (int r = c->first; r < c->first + c->nrow; ++r) {
        const double x = set->at[0].value[r], near = set->tolerance;
        is = is || (set->lower[r] < set->upper[r] &&
                    (x <= set->lower[r] + near || x >= set->upper[r] - near));
    }
    return is;
}

void lwi_constraints_certify(lw_constraints *set, lw_constraint_result *result)
{
    for (int i = 0; i < set->ncopy; ++i) {
        const lwi_constraint *c = &set->item[i];
        lw_constraint_outcome *o = &set->outcome[i];
        o->name = c->def.name;
        o->level = c->def.level;
        o->residual = norm_of(set, c);
        o->is_met = true;
        for (int r = c->first; r < c->first + c->nrow; ++r) {
            o->is_met = o->is_met && fabs(set->at[0].e[r]) <= set->tolerance * set->weight[r];
        }
        o->is_at_bound = is_at_bound(set, c);
    }
    int n = 0;
    for (int k = 0; k < set->n; ++k) {
        const bool is_low = lwi_at_limit(set, &set->at[0], k, -1);
        if (is_low || lwi_at_limit(set, &set->at[0], k, 1)) {
            set->active[n++] = (lw_active_limit){.dof = set->column[k],
                                                 .is_upper = !is_low,
                                                 .multiplier = fabs(set->limit_multiplier[k]),
                                                 .conflict = set->limit_group[k]};
        }
    }
    result->nconstraint = set->ncopy;
    result->constraint = set->outcome;
    result->nlimit = n;
    result->limit = set->active;
    result->nconflict = set->nconflict;
}
