// Degrees of freedom behind elastic shafts, and the ratios by which they would follow were these
// rigid.
//
// Each torsion gives a row, the change of its twist for unit rates of the independent degrees of
// freedom: the transposed closure of a unit torque at its ends. A row in which the degrees of
// freedom that follow already are replaced determines one more, that of the transmission with the
// largest entry.
//
// A drive has such a row too, so motors over rigid gears and over elastic shafts are alike: those
// that rows tie to the same joints determine them where their rows have as high a rank.
#include <linkwork/dynamics.h>
#include <linkwork/shafts.h>

#include "../math/least_norm.h"
#include "arguments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An entry below this share of what makes up its row is rounding: ratios of gears are exact to
// about 1e-13.
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

// How far tree velocity `in` goes ahead of `out` (-1: that of the world), for unit rates of the
// degrees of freedom that lead: row [nv].
static void fill_row(const lw_model *m, lw_data *d, int in, int out, const double *G, double *row)
{
    const int nv = m->nv;
    double *tree = d->tree_a, size = 0.0;
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
        size = fmax(size, fabs(tree[k]));
    }
    for (int e = 0; e < nv; ++e) {
        for (int k = 0; k < nv && tree[e] != 0.0 && G[e * nv + e] == 0.0; ++k) {
            row[k] += tree[e] * G[e * nv + k];
            size = fmax(size, fabs(tree[e] * G[e * nv + k]));
        }
    }
    for (int k = 0; k < nv; ++k) {
        row[k] = fabs(row[k]) > smallest_share * size ? row[k] : 0.0;
    }
}

static bool is_elastic(const lw_spring_info *spring)
{
    return spring->is_torsion && spring->ncoefficient > 0;
}

// The degree of freedom that a row determines, or -1.
static int find_pivot(const lw_model *m, const double *row)
{
    int best = -1;
    for (int k = 0; k < m->nv; ++k) {
        if (row[k] != 0.0 && is_of_transmission(m, k) &&
            (best < 0 || fabs(row[k]) > fabs(row[best]))) {
            best = k;
        }
    }
    return best;
}

// Lets a degree of freedom follow by the row, and puts that into the rows of those that follow
// already.
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
        if (!is_elastic(&m->spring[i])) {
            continue;
        }
        fill_row(m, d, m->spring[i].dof[0], m->spring[i].dof[1], G, row);
        const int pivot = find_pivot(m, row);
        if (pivot >= 0) {
            let_follow(m->nv, row, pivot, G);
            ++*nfollower;
        }
    }
    return LW_OK;
}

// --- Reporting --------------------------------------------------------------------------------

// Motors, and the groups of degrees of freedom that they and shafts tie, each named by one of
// these.
typedef struct ties {
    const lw_model *m;
    int nmotor;
    int *motor;  // [nmotor] tree velocities: of the drives or, without any, of what follows
    int *of;     // [nmotor] the group of each
    int *group;  // [nv]
    int *joint;  // [nv] work
    double *row; // [nmotor*nv]
    double *A;   // [nv*nv] work
} ties;

static int group_of(const ties *t, const double *row)
{
    int k = 0;
    while (k < t->m->nv && row[k] == 0.0) {
        ++k;
    }
    return k < t->m->nv ? t->group[k] : -1;
}

static void unite(ties *t, const double *row)
{
    const int own = group_of(t, row);
    for (int k = 0; k < t->m->nv; ++k) {
        const int other = row[k] != 0.0 ? t->group[k] : own;
        for (int e = 0; e < t->m->nv && other != own; ++e) {
            t->group[e] = t->group[e] == other ? own : t->group[e];
        }
    }
}

static void find_ties(ties *t, lw_data *d, const double *G)
{
    const lw_model *m = t->m;
    for (int k = 0; k < m->nv; ++k) {
        t->group[k] = k;
        if (m->ndrive == 0 && G[k * m->nv + k] == 0.0) {
            t->motor[t->nmotor++] = m->v_tree[k];
        }
    }
    for (int i = 0; i < m->ndrive; ++i) {
        t->motor[t->nmotor++] = m->drive[i].dof;
    }
    for (int i = 0; i < t->nmotor; ++i) {
        fill_row(m, d, t->motor[i], -1, G, t->row + (size_t)i * (size_t)m->nv);
        unite(t, t->row + (size_t)i * (size_t)m->nv);
    }
    for (int i = 0; i < m->nspring; ++i) {
        if (is_elastic(&m->spring[i])) {
            fill_row(m, d, m->spring[i].dof[0], m->spring[i].dof[1], G, t->A);
            unite(t, t->A);
        }
    }
    for (int i = 0; i < t->nmotor; ++i) {
        t->of[i] = group_of(t, t->row + (size_t)i * (size_t)m->nv);
    }
}

enum { NAMES = 200 };

// "a", "b" and "c"; as many as fit.
static void add_name(char text[NAMES], const char *name, bool is_last)
{
    const size_t used = strlen(text);
    const char *before = used == 0 ? "" : is_last ? " and " : ", ";
    snprintf(text + used, NAMES - used, "%s\"%.40s\"", before, name);
}

static void report_group(const ties *t, int g, lw_location location, lw_report *report)
{
    char motors[NAMES] = "", joints[NAMES] = "";
    int n = 0, nmotor = 0, count = 0, rank = 0;
    for (int k = 0; k < t->m->nv; ++k) {
        if (t->group[k] == g) {
            t->joint[n++] = k;
        }
    }
    for (int i = 0; i < t->nmotor; ++i) {
        nmotor += t->of[i] == g;
    }
    for (int i = 0; i < t->nmotor && nmotor > 0; ++i) {
        if (t->of[i] != g) {
            continue;
        }
        const char *name =
            t->m->ndrive > 0 ? t->m->drive[i].name : t->m->tree_velocity_name[t->motor[i]];
        add_name(motors, name, ++count == nmotor);
        double before = 0.0;
        for (int r = 0; r < n && rank < n; ++r) {
            t->A[r * n + rank] = t->row[(size_t)i * (size_t)t->m->nv + (size_t)t->joint[r]];
            before = fmax(before, fabs(t->A[r * n + rank]));
        }
        rank += rank < n &&
                lwi_orthogonal_column(n, n, t->A, rank, NULL, NULL) > smallest_share * before;
    }
    for (int r = 0; r < n; ++r) {
        add_name(joints, t->m->velocity_name[t->joint[r]], r + 1 == n);
    }
    if (nmotor > 0 && rank < n) {
        lw_report_add(report, LW_WARNING, LW_OK, LW_DIAG_MOTORS_UNDETERMINED, location,
                      "%s do%s not determine %s: controllers act on the joints directly", motors,
                      nmotor == 1 ? "es" : "", joints);
    } else if (nmotor > n) {
        lw_report_add(report, LW_NOTE, LW_OK, LW_DIAG_MOTORS_SHARE, location,
                      "motors %s turn %s together: they share its force in proportion to their "
                      "ratios",
                      motors, joints);
    }
}

void lw_shafts_report(const lw_model *m, lw_location location, lw_report *report)
{
    if (!m || (m->ndrive == 0 && m->nspring == 0)) {
        return;
    }
    const size_t nv = (size_t)m->nv, most = nv + (size_t)m->ndrive;
    double *block = calloc((2 * nv + most) * nv + 1, sizeof *block), *G = block;
    int *list = calloc(2 * (most + nv) + 1, sizeof *list), nfollower = 0;
    lw_data *d = NULL;
    if (block && list && lw_data_create(m, &d) == LW_OK &&
        lw_shaft_ratios(m, d, m->q_reference, &nfollower, G) == LW_OK) {
        ties t = {.m = m, .motor = list, .of = list + most, .group = list + 2 * most};
        t.joint = t.group + nv;
        t.A = G + nv * nv;
        t.row = t.A + nv * nv;
        find_ties(&t, d, G);
        for (int k = 0; k < m->nv; ++k) {
            report_group(&t, k, location, report);
        }
    }
    lw_data_destroy(d);
    free(list);
    free(block);
}
