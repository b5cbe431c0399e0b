// Rows of a set at a configuration: poses once, then constraint by constraint.
#include "constraint_set.h"

#include <linkwork/kinematics.h>

#include "../kin/closure.h"
#include "../kin/unit.h"

#include <math.h>
#include <string.h>

// Motions of all tree coordinates, with velocities at the world's origin.
static void find_motions(lw_constraints *set, const double *tree_q)
{
    const lw_model *m = set->m;
    for (int i = 0; i < m->nbody; ++i) {
        lw_motion *S = set->S + m->v_start[i];
        const lw_vec3 p = set->d->X_WB[i].p;
        lw_motion unit[LW_MAX_DOF];
        const int n = unit_motions(m, set->d, tree_q, i, unit);
        for (int k = 0; k < n; ++k) {
            S[k].ang = unit[k].ang;
            S[k].lin = lw_add3(unit[k].lin, lw_cross3(p, unit[k].ang));
        }
    }
}

static lw_status find_state(lw_constraints *set, const double *q, lw_constraint_state *at)
{
    const lw_model *m = set->m;
    lw_data *d = set->d;
    const lw_status status = set->has_center
                                 ? lw_center_of_mass(m, d, q, &set->center, set->center_J)
                                 : lw_forward_position(m, d, q);
    if (status != LW_OK) {
        return status;
    }
    if (!lwi_closure_rates(m, d)) {
        return lwi_closure_status(d);
    }
    lwi_closure_angles(m, d);
    const double *tree_q = m->nstep ? d->tree_q : q;
    find_motions(set, tree_q);
    *at = (lw_constraint_state){.model = m, .data = d, .q = q, .tree_q = tree_q, .S = set->S};
    return LW_OK;
}

// The rows of one constraint: beyond their bounds, weighted, by the coordinates that move. Rows
// within their bounds have a Jacobian too, which tells when a step would leave them.
static void take_rows(lw_constraints *set, const lwi_constraint *c, lwi_rows *rows)
{
    const lw_model *m = set->m;
    if (m->nstep > 0) {
        lwi_closure_transpose_rows(m, set->d, c->nrow, set->J);
    }
    for (int i = 0; i < c->nrow; ++i) {
        const int r = c->first + i;
        const double *from = set->J + (size_t)i * (size_t)m->tree_nv;
        const double w = set->weight[r];
        double *to = rows->A + (size_t)r * (size_t)set->n;
        for (int k = 0; k < set->n; ++k) {
            to[k] = w * from[set->column[k]];
        }
        const double x = rows->value[r];
        const double beyond = x < set->lower[r]   ? x - set->lower[r]
                              : x > set->upper[r] ? x - set->upper[r]
                                                  : 0.0;
        rows->e[r] = w * beyond;
        rows->E[c->level] += 0.5 * rows->e[r] * rows->e[r];
    }
}

lw_status lwi_constraints_evaluate(lw_constraints *set, lwi_rows *rows, const double *q)
{
    lw_constraint_state at;
    lw_status status = find_state(set, q, &at);
    memset(rows->E, 0, sizeof rows->E);
    for (int i = 0; i < set->nitem && status == LW_OK; ++i) {
        const lwi_constraint *c = &set->item[i];
        memset(set->J, 0, (size_t)c->nrow * (size_t)set->m->tree_nv * sizeof *set->J);
        status = c->kind.evaluate(c->self, &at, rows->value + c->first, set->J);
        if (status == LW_OK) {
            take_rows(set, c, rows);
        }
    }
    double sum = 0.0; // rows of the caller's may be anything
    for (int k = 0; k < set->nlevel; ++k) {
        sum += rows->E[k];
    }
    return status != LW_OK ? status : isfinite(sum) ? LW_OK : LW_ERR_NUMBER;
}

bool lwi_level_is_met(const lw_constraints *set, const lwi_rows *rows, int level, double tolerance)
{
    for (int r = 0; r < set->nrow; ++r) {
        if (set->row_level[r] == level && fabs(rows->e[r]) > tolerance * set->weight[r]) {
            return false;
        }
    }
    return true;
}
