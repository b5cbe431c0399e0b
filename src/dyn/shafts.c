// Freedoms behind elastic shafts, and the ratios by which they would follow were these rigid.
//
// Each torsion gives a row, the change of its twist for unit rates of the independent freedoms: the
// transposed closure of a unit torque at its ends. A row in which the freedoms that follow already
// are replaced determines one more, that of the transmission with the largest entry.
#include <linkwork/dynamics.h>

#include "arguments.h"

#include <math.h>
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

// The row of a torsion over the freedoms that lead: row [nv].
static void fill_row(const lw_model *m, lw_data *d, const lw_spring_info *spring, const double *G,
                     double *row)
{
    const int nv = m->nv, in = spring->freedom[0], out = spring->freedom[1];
    double *tree = d->tree_a;
    memset(tree, 0, (size_t)m->tree_nv * sizeof *tree);
    if (in >= 0) {
        tree[in] += 1.0;
    }
    if (out >= 0) {
        tree[out] -= 1.0;
    }
    lwi_closure_transpose(m, d, tree, 1, tree);
    for (int k = 0; k < nv; ++k) {
        row[k] = G[k * nv + k] != 0.0 ? tree[k] : 0.0;
        for (int e = 0; e < nv; ++e) {
            row[k] += G[e * nv + e] == 0.0 ? tree[e] * G[e * nv + k] : 0.0;
        }
    }
}

// The freedom that a row determines, or -1.
static int find_pivot(const lw_model *m, const double *row)
{
    int best = -1;
    double size = 0.0;
    for (int k = 0; k < m->nv; ++k) {
        size = fmax(size, fabs(row[k]));
    }
    for (int k = 0; k < m->nv; ++k) {
        if (fabs(row[k]) > smallest_share * size && is_of_transmission(m, k) &&
            (best < 0 || fabs(row[k]) > fabs(row[best]))) {
            best = k;
        }
    }
    return best;
}

// Lets a freedom follow by the row, and puts that into the rows of those that follow already.
static void let_follow(int nv, const double *row, int pivot, double *G)
{
    G[pivot * nv + pivot] = 0.0;
    for (int k = 0; k < nv; ++k) {
        G[pivot * nv + k] = k == pivot ? 0.0 : -row[k] / row[pivot];
    }
    for (int e = 0; e < nv; ++e) {
        const double share = G[e * nv + pivot];
        G[e * nv + pivot] = 0.0;
        for (int k = 0; k < nv; ++k) {
            G[e * nv + k] += share * G[pivot * nv + k];
        }
    }
}

lw_status lw_shaft_ratios(const lw_model *m, lw_data *d, const double *q, int *nfollower, double *G)
{
    const lw_status status = check_position(m, d, q);
    if (status != LW_OK || !nfollower || (!G && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    if (!lwi_closure_position(m, d, q) || !lwi_closure_rates(m, d)) {
        return lwi_closure_status(d);
    }
    const size_t nv = (size_t)m->nv;
    *nfollower = 0;
    memset(G, 0, nv * nv * sizeof *G);
    for (size_t k = 0; k < nv; ++k) {
        G[k * nv + k] = 1.0;
    }
    for (int i = 0; i < m->nspring; ++i) {
        double *row = d->v_work;
        if (!m->spring[i].is_torsion || m->spring[i].ncoefficient == 0) {
            continue;
        }
        fill_row(m, d, &m->spring[i], G, row);
        const int pivot = find_pivot(m, row);
        if (pivot >= 0) {
            let_follow(m->nv, row, pivot, G);
            ++*nfollower;
        }
    }
    return LW_OK;
}
