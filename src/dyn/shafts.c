// Freedoms behind elastic shafts, and the ratios by which they would follow were these rigid.
//
// Each torsion gives a row, the change of its twist for unit rates of the independent freedoms.
// Rows are reduced to those freedoms of the transmission that they determine, in the manner of
// Gauss and Jordan, with the largest entry as the pivot.
#include <linkwork/dynamics.h>

#include "../kin/tangent.h"
#include "arguments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// An entry below this share of its row is rounding: ratios of gears are exact to about 1e-13.
static const double smallest_share = 1e-9;

static bool is_of_transmission(const lw_model *m, int k)
{
    for (int j = 0; j < m->njoint; ++j) {
        const lw_joint_info *joint = &m->joints[j];
        if (joint->v <= m->v_tree[k] && m->v_tree[k] < joint->v + joint->nv) {
            return joint->is_transmission;
        }
    }
    return false;
}

// Rows [nrow*nv] of the torsions that have a force to hold with.
static int fill_rows(const lw_model *m, lw_data *d, double *row)
{
    int nrow = 0;
    double *column = d->tree_a;
    for (int i = 0; i < m->nspring; ++i) {
        nrow += m->spring[i].is_torsion && m->spring[i].ncoefficient > 0;
    }
    for (int k = 0; k < m->nv; ++k) {
        int r = 0;
        lwi_closure_column(m, d, k, column);
        for (int i = 0; i < m->nspring; ++i) {
            const lw_spring_info *spring = &m->spring[i];
            const int in = spring->freedom[0], out = spring->freedom[1];
            if (spring->is_torsion && spring->ncoefficient > 0) {
                row[r++ * m->nv + k] = (in < 0 ? 0.0 : column[in]) - (out < 0 ? 0.0 : column[out]);
            }
        }
    }
    return nrow;
}

// The freedom that a row determines, or -1.
static int find_pivot(const lw_model *m, const double *row, const double *G)
{
    int best = -1;
    double size = 0.0;
    for (int k = 0; k < m->nv; ++k) {
        size = fmax(size, fabs(row[k]));
    }
    for (int k = 0; k < m->nv; ++k) {
        const bool is_free = G[k * m->nv + k] != 0.0;
        if (is_free && fabs(row[k]) > smallest_share * size && is_of_transmission(m, k) &&
            (best < 0 || fabs(row[k]) > fabs(row[best]))) {
            best = k;
        }
    }
    return best;
}

// Makes entry `pivot` of `one` a 1, and that of all other rows zero.
static void eliminate(int nv, int nrow, double *row, int one, int pivot)
{
    double *own = row + one * nv;
    const double inverse = 1.0 / own[pivot];
    for (int k = 0; k < nv; ++k) {
        own[k] *= inverse;
    }
    for (int r = 0; r < nrow; ++r) {
        const double share = row[r * nv + pivot];
        for (int k = 0; k < nv && r != one; ++k) {
            row[r * nv + k] -= share * own[k];
        }
    }
}

static int reduce(const lw_model *m, int nrow, double *row, int *pivot, double *G)
{
    const int nv = m->nv;
    int nfollower = 0;
    for (int r = 0; r < nrow; ++r) {
        pivot[r] = find_pivot(m, row + r * nv, G);
        if (pivot[r] >= 0) {
            eliminate(nv, nrow, row, r, pivot[r]);
            G[pivot[r] * nv + pivot[r]] = 0.0; // taken
            ++nfollower;
        }
    }
    for (int r = 0; r < nrow; ++r) {
        for (int k = 0; k < nv && pivot[r] >= 0; ++k) {
            const bool is_leader = G[k * nv + k] != 0.0;
            G[pivot[r] * nv + k] = is_leader ? -row[r * nv + k] : 0.0;
        }
    }
    return nfollower;
}

lw_status lw_shaft_ratios(const lw_model *m, lw_data *d, const double *q, int *nfollower, double *G)
{
    lw_status status = check_position(m, d, q);
    if (status != LW_OK || !nfollower || (!G && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    const size_t nv = (size_t)m->nv;
    *nfollower = 0;
    memset(G, 0, nv * nv * sizeof *G);
    for (size_t k = 0; k < nv; ++k) {
        G[k * nv + k] = 1.0;
    }
    if (m->nspring == 0) {
        return LW_OK;
    }
    if (!lwi_closure_position(m, d, q) || !lwi_closure_rates(m, d)) {
        return lwi_closure_status(d);
    }
    double *row = calloc((size_t)m->nspring * nv, sizeof *row);
    int *pivot = calloc((size_t)m->nspring, sizeof *pivot);
    if (row && pivot) {
        *nfollower = reduce(m, fill_rows(m, d, row), row, pivot, G);
    } else {
        status = LW_ERR_MEMORY;
    }
    free(row);
    free(pivot);
    return status;
}
