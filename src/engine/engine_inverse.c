#include "engine_inverse.h"

#include "../sym/inverse_family.h"

#include <linkwork/engine.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lwi_inverse {
    const lw_model *m;
    lw_data *d;
    lw_ik *ik;
    int frame;
    bool is_search; ///< finds one solution, and must not begin at the state that it looks for
};

lw_status lwi_inverse_create(const lw_model *m, int frame, lw_ik_solver solver,
                             lwi_inverse **inverse)
{
    lw_ik_def def = lw_default_ik_def(-1, frame);
    lwi_inverse *n = calloc(1, sizeof *n);
    *inverse = NULL;
    if (!n) {
        return LW_ERR_MEMORY;
    }
    def.ignores_limits = true;
    def.is_certain = true;
    def.solver = solver;
    n->is_search = solver == LW_IK_BY_SEARCH;
    n->m = m;
    n->frame = frame;
    lw_status status = lw_data_create(m, &n->d);
    const lw_status made = status == LW_OK ? lwi_inverse_solver(m, def, &n->ik, NULL) : status;
    const lw_ik_info *info = lw_ik_describe(n->ik);
    // Where loops tie joints of the chain to its others, these are all; shafts before it are not.
    if (!info || info->ndriven > 0) {
        lwi_inverse_destroy(n);
        return made == LW_ERR_MEMORY ? made : LW_OK;
    }
    *inverse = n;
    return LW_OK;
}

void lwi_inverse_destroy(lwi_inverse *inverse)
{
    if (inverse) {
        lw_ik_destroy(inverse->ik);
        lw_data_destroy(inverse->d);
        free(inverse);
    }
}

static int rows_of(const lw_model *m)
{
    return lw_function_size(m, LW_FUNCTION_INVERSE_KINEMATICS) / (m->nq + 1);
}

lw_status lwi_inverse_run(lwi_inverse *inverse, const double *q, double *Q)
{
    const lw_model *m = inverse->m;
    const lw_ik_info *info = lw_ik_describe(inverse->ik);
    const int width = m->nq + 1, most = rows_of(m);
    lw_ik_target target = {0};
    lw_ik_result result = {0};
    lw_status status = lw_pose_of_frame(m, inverse->d, q, inverse->frame, &target.X_BT);
    if (status == LW_OK) {
        status = lw_ik_solve(inverse->ik, &target, inverse->is_search ? NULL : q, &result);
    }
    if (status != LW_OK || result.nsolution > most) {
        return status != LW_OK ? status : LW_ERR_LIMIT;
    }
    memset(Q, 0, (size_t)(most * width) * sizeof *Q);
    for (int i = 0; i < result.nsolution; ++i) {
        double *row = Q + i * width;
        for (int k = 0; k < info->njoint; ++k) {
            if (info->position[k] >= 0) {
                row[info->position[k]] = result.solution[i].q[info->position[k]];
            }
        }
        row[m->nq] = !result.solution[i].is_exact ? 0.0 : inverse->is_search ? 2.0 : 1.0;
    }
    return LW_OK;
}

lw_status lwi_inverse_pose(const lw_model *m, lw_data *d, int frame, const double *q, double X[12])
{
    lw_pose pose;
    const lw_status status = lw_pose_of_frame(m, d, q, frame, &pose);
    if (status == LW_OK) {
        memcpy(X, pose.R.row, 9 * sizeof *X);
        memcpy(X + 9, &pose.p, 3 * sizeof *X);
    }
    return status;
}

// --- An engine of its own ---------------------------------------------------------------------

static lw_status compute(void *self, lw_function which, const lw_engine_state *state, double *Q)
{
    (void)which;
    return lwi_inverse_run(self, state->q, Q);
}

static void destroy(void *self)
{
    lwi_inverse_destroy(self);
}

lw_status lw_engine_inverse_kinematics(const lw_model *m, const lw_engine_options *options,
                                       lw_ik_solver solver, lw_engine **engine)
{
    static const char *const name[] = {"ik", "elimination", "search"};
    if (!m || !engine || (unsigned)solver > LW_IK_BY_SEARCH) {
        return LW_ERR_ARGUMENT;
    }
    *engine = NULL;
    const lw_engine_options plain = lw_default_engine_options(m);
    options = options ? options : &plain;
    lwi_inverse *n = NULL;
    if (options->frame < 0 || options->frame >= m->nframe_all) {
        return LW_ERR_ARGUMENT;
    }
    lw_status status = lwi_inverse_create(m, options->frame, solver, &n);
    if (status != LW_OK || !n) {
        return status != LW_OK ? status : LW_ERR_UNSUPPORTED;
    }
    const lw_engine_def def = {.name = name[solver],
                               .functions = 1u << LW_FUNCTION_INVERSE_KINEMATICS,
                               .run = compute,
                               .self = n,
                               .destroy = destroy};
    status = lw_engine_create(m, options, &def, engine);
    if (status != LW_OK) {
        lwi_inverse_destroy(n);
    }
    return status;
}

// --- Sets of solutions ------------------------------------------------------------------------

// Where a joint is in no solution it is zero in both, or not of the chain.
static double joints_apart(const lw_model *m, const double *a, const double *b, const bool *counts)
{
    static const double turn = 6.28318530717958647693;
    double worst = 0.0;
    int body = 0;
    for (int i = 0; i < m->nq; ++i) {
        while (m->q_start[body + 1] <= m->q_tree[i]) {
            ++body;
        }
        const double change = a[i] - b[i];
        if (counts[i]) {
            worst = fmax(worst, m->carrier[body] == LW_TREE_REVOLUTE ? fabs(remainder(change, turn))
                                                                     : fabs(change));
        }
    }
    return worst;
}

static double nearest(const lw_model *m, const double *q, const double *Q, const bool *counts)
{
    const int width = m->nq + 1, most = rows_of(m);
    double least = 1e3; // where there is none
    for (int i = 0; i < most; ++i) {
        if (Q[i * width + m->nq] >= 1.0) {
            least = fmin(least, joints_apart(m, q, Q + i * width, counts));
        }
    }
    return least;
}

double lwi_solutions_apart(const lw_model *m, const double *q, const double *Q, const double *other)
{
    enum { MOST = 64 };
    const int width = m->nq + 1, most = rows_of(m);
    const double *set[2] = {Q, other};
    bool counts[MOST] = {false};
    double worst = 0.0;
    for (int i = 0; i < most * width && m->nq <= MOST; ++i) {
        if (i % width < m->nq && (Q[i] != 0.0 || other[i] != 0.0)) {
            counts[i % width] = true;
        }
    }
    for (int k = 0; k < 2; ++k) {
        const bool is_whole = set[k][m->nq] != 2.0, is_other_whole = set[1 - k][m->nq] != 2.0;
        worst = is_whole ? fmax(worst, nearest(m, q, set[k], counts)) : worst;
        for (int i = 0; i < most; ++i) {
            const double *row = set[k] + i * width;
            if (row[m->nq] >= 1.0 && is_other_whole) {
                worst = fmax(worst, nearest(m, row, set[1 - k], counts));
            }
        }
    }
    return worst;
}
