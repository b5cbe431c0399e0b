// Damped least squares on independent coordinates (Chan and Lawrence 1988, as in numeric.c), with
// the closure sweep inside: for chains that no plan leads back from, for the configuration nearest
// to a target out of reach, and the rank of a chain.
#include "closed_chain.h"

#include "../kin/closure.h"
#include "../math/damped.h"
#include "../math/least_norm.h"
#include "numeric.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <string.h>

// Adds sign * the motion of frame `frame` for unit rates, seen from the world's axes, at point p_W.
static lw_status add_motion(lw_ik *ik, const double *q, int frame, double *J, lw_pose *X_WF)
{
    const lw_model *m = ik->model;
    const int body = frame < 0 ? -1 : m->frame[frame].body;
    const lw_pose X_BF = frame < 0 ? lw_pose_identity() : m->frame[frame].X_BF;
    *X_WF = X_BF;
    memset(J, 0, 6 * (size_t)m->nv * sizeof *J);
    if (body < 0) {
        return LW_OK;
    }
    const lw_status status = lw_frame_jacobian(m, ik->data, q, frame, LW_IN_WORLD, NULL, J);
    if (status == LW_OK) {
        *X_WF = lw_pose_mul(&ik->data->X_WB[body], &X_BF);
    }
    return status;
}

// Pose of the tip in the base frame at q, and its Jacobian J [6 * nv] there, rotation first.
static lw_status move_tip(lw_ik *ik, const double *q, double *J, lw_pose *X_BT)
{
    const int nv = ik->model->nv;
    double *J_base = J + 6 * nv;
    lw_pose X_WB, X_WT;
    lw_status status = add_motion(ik, q, ik->def.tip, J, &X_WT);
    if (status == LW_OK) {
        status = add_motion(ik, q, ik->def.base, J_base, &X_WB);
    }
    if (status != LW_OK) {
        return status;
    }
    const lw_vec3 arm = lw_sub3(X_WT.p, X_WB.p);
    for (int k = 0; k < nv; ++k) {
        lw_vec3 w[2], v[2];
        for (int f = 0; f < 2; ++f) {
            const double *at = J + 6 * nv * f + k;
            w[f] = lw_vec3_of(at[0], at[nv], at[2 * nv]);
            v[f] = lw_vec3_of(at[3 * nv], at[4 * nv], at[5 * nv]);
        }
        const lw_vec3 ang = lw_rotate_back(&X_WB.R, lw_sub3(w[0], w[1]));
        const lw_vec3 lin =
            lw_rotate_back(&X_WB.R, lw_sub3(v[0], lw_add3(v[1], lw_cross3(w[1], arm))));
        const double column[6] = {ang.x, ang.y, ang.z, lin.x, lin.y, lin.z};
        for (int r = 0; r < 6; ++r) {
            J[r * nv + k] = column[r];
        }
    }
    const lw_pose back = lw_pose_inverse(&X_WB);
    *X_BT = lw_pose_mul(&back, &X_WT);
    return LW_OK;
}

// The largest number of independent columns among rows first .. first + nrow - 1.
static int rank_of(const lw_ik *ik, const double *J, int nrow)
{
    const int nv = ik->model->nv;
    double basis[6 * 7], largest = 0.0;
    int rank = 0;
    for (int i = 0; i < 6 * nv; ++i) {
        largest = fmax(largest, fabs(J[i]));
    }
    for (int k = 0; k < nv && rank < nrow; ++k) {
        for (int r = 0; r < nrow; ++r) {
            basis[r * 7 + rank] = J[r * nv + k];
        }
        rank += lwi_orthogonal_column(nrow, 7, basis, rank, NULL, NULL) > 1e-7 * largest;
    }
    return rank;
}

// The sum of the three parallel joints of a chain that may be level.
static double level_sum(lw_ik *ik, const double *q)
{
    double position[LW_IK_JOINTS] = {0.0};
    const double *tree = lwi_closure_position(ik->model, ik->data, q);
    for (int i = 0; i < ik->chain.arm.n && tree; ++i) {
        position[i] = tree[ik->model->q_start[ik->chain.body[i]]];
    }
    return lwi_level_chain_sum(&ik->closed->level, position);
}

void lwi_closed_chain_rank(lw_ik *ik)
{
    const lw_model *m = ik->model;
    lwi_closed_chain *closed = ik->closed;
    closed->rank = closed->angular_rank = 0;
    closed->level = lwi_level_chain_of(&ik->chain.arm, 1e-9);
    double sum = 0.0;
    // A singular configuration has a smaller rank than those around it: three are looked at.
    for (int n = 0; n < 3; ++n) {
        double *q = closed->q;
        lw_pose X;
        memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
        for (int k = 0; k < closed->nactive; ++k) {
            q[lw_position_of_dof(m, closed->active[k])] += 0.037 * n * sin(1.0 + 2.3 * k + n);
        }
        if (move_tip(ik, q, closed->J, &X) == LW_OK) {
            const int rank = rank_of(ik, closed->J, 6), angular = rank_of(ik, closed->J, 3);
            closed->rank = rank > closed->rank ? rank : closed->rank;
            closed->angular_rank = angular > closed->angular_rank ? angular : closed->angular_rank;
            const double now = level_sum(ik, q);
            closed->level.is_level &= n == 0 || fabs(now - sum) < 1e-9;
            sum = now;
        }
    }
    lwi_level_chain_hold(&closed->level, sum);
    lw_data_restart(ik->data);
}

enum { MOST_ACTIVE = 12 }; ///< coordinates that a search moves; further ones keep their values

typedef struct search {
    lw_ik *ik;
    int n;               ///< active coordinates
    int at[MOST_ACTIVE]; ///< in q
    double lower[MOST_ACTIVE], upper[MOST_ACTIVE];
    bool is_held[MOST_ACTIVE]; ///< at a limit that the step points beyond
    double e[6];
    double J[6 * MOST_ACTIVE];
    double N[MOST_ACTIVE * MOST_ACTIVE];
} search;

// Errors of the rows of the task at q, and their Jacobian; infinite where a loop opens.
static __attribute__((noinline)) double evaluate(search *s, const double *q)
{
    lw_ik *ik = s->ik;
    const int nv = ik->model->nv;
    double *J = ik->closed->J;
    lw_pose X;
    if (move_tip(ik, q, J, &X) != LW_OK) {
        return (double)INFINITY;
    }
    lwi_pose_error(&X, &ik->X_BT, ik->rows, s->e);
    const lw_vec3 z = {X.R.row[0].z, X.R.row[1].z, X.R.row[2].z};
    double sum = 0.0;
    for (int k = 0; k < s->n; ++k) {
        const double *from = J + ik->closed->active[k];
        lw_vec3 w = lw_vec3_of(from[0], from[nv], from[2 * nv]);
        if (ik->rows == LWI_ROWS_DIRECTION) {
            w = lw_sub3(w, lw_scale3(lw_dot3(w, z), z));
        } else if (ik->rows == LWI_ROWS_POSITION) {
            w = lw_vec3_of(0.0, 0.0, 0.0);
        }
        const double column[6] = {w.x, w.y, w.z, from[3 * nv], from[4 * nv], from[5 * nv]};
        for (int r = 0; r < 6; ++r) {
            s->J[r * s->n + k] = column[r];
        }
    }
    for (int r = 0; r < 6; ++r) {
        sum += s->e[r] * s->e[r];
    }
    return sqrt(sum);
}

// Coordinates at a limit that the gradient points beyond leave the step.
static void hold_limits(search *s, const double *q)
{
    for (int k = 0; k < s->n; ++k) {
        double slope = 0.0;
        for (int r = 0; r < 6; ++r) {
            slope += s->J[r * s->n + k] * s->e[r];
        }
        const double x = q[s->at[k]];
        if ((x <= s->lower[k] && slope < 0.0) || (x >= s->upper[k] && slope > 0.0)) {
            for (int r = 0; r < 6; ++r) {
                s->J[r * s->n + k] = 0.0;
            }
        }
    }
}

// One start; q becomes the best configuration, and its residual is returned.
static __attribute__((noinline)) double descend(search *s, double *q, double *trial, double enough)
{
    const lw_ik *ik = s->ik;
    const size_t bytes = (size_t)ik->model->nq * sizeof *q;
    double r = evaluate(s, q), dq[MOST_ACTIVE];
    int slow = 0;
    for (int i = 0; i < ik->def.iterations && isfinite(r) && slow < 5; ++i) {
        if (r <= enough) {
            break;
        }
        hold_limits(s, q);
        for (int row = 0; row < 6; ++row) {
            s->e[row] = -s->e[row];
        }
        const double damping = fmax(0.05 * r * r, 1e-18);
        if (!lwi_damped_step(6, s->n, s->n, s->J, s->e, 1, damping, s->N, dq)) {
            break;
        }
        double share = 1.0, next = (double)INFINITY;
        for (int half = 0; half < 6 && !(next < r); ++half, share *= 0.5) {
            memcpy(trial, q, bytes);
            for (int k = 0; k < s->n; ++k) {
                const double x = q[s->at[k]] + share * dq[k];
                trial[s->at[k]] = fmax(s->lower[k], fmin(s->upper[k], x));
            }
            next = evaluate(s, trial);
        }
        if (!(next < r)) {
            break;
        }
        slow = next > 0.999 * r ? slow + 1 : 0;
        memcpy(q, trial, bytes);
        r = next;
    }
    return r;
}

// Start 0 is the seed, 1 the reference, others are points of Halton's sequence.
static void start_at(search *s, int start, double *q)
{
    static const int prime[] = {2, 3, 5, 7, 11, 13, 17, 19};
    const lw_model *m = s->ik->model;
    memcpy(q, s->ik->seed, (size_t)m->nq * sizeof *q);
    for (int k = 0; k < s->n && start > 0; ++k) {
        const double middle = m->q_reference[s->at[k]];
        const double low = fmax(s->lower[k], middle - 3.0), high = fmin(s->upper[k], middle + 3.0);
        const bool is_held = s->lower[k] == s->upper[k];
        const double share = lwi_halton(start + 9 + k / 8, prime[k % 8]);
        q[s->at[k]] = is_held ? s->lower[k] : start == 1 ? middle : low + (high - low) * share;
    }
}

// Whether a solution is there already.
static bool is_known(const lw_ik *ik, const search *s, const double *q)
{
    for (int i = 0; i < ik->nsolution; ++i) {
        double apart = 0.0;
        for (int k = 0; k < s->n; ++k) {
            apart = fmax(apart, fabs(ik->solution[i].q[s->at[k]] - q[s->at[k]]));
        }
        if (apart < 1e-6) {
            return true;
        }
    }
    return false;
}

// Takes over the tree at a configuration that a start has led to: a direct path there from the
// reference may be barred, and none is looked for again.
static bool take_tree(search *s, const double *q)
{
    const lw_model *m = s->ik->model;
    if (!isfinite(evaluate(s, q))) {
        return false;
    }
    memcpy(s->ik->closed->tree, s->ik->data->tree_q,
           (size_t)m->tree_nq * sizeof *s->ik->data->tree_q);
    return true;
}

void lwi_closed_chain_search(lw_ik *ik, int starts)
{
    enum { FRUITLESS = 16 }; ///< starts in a row that find nothing new, and end the search
    const lw_model *m = ik->model;
    lwi_closed_chain *closed = ik->closed;
    search s = {.ik = ik, .n = closed->nactive < MOST_ACTIVE ? closed->nactive : MOST_ACTIVE};
    double *q = closed->q, *trial = closed->q + m->nq, *best = closed->best;
    const size_t bytes = (size_t)m->nq * sizeof *q;
    const lwi_candidate none = {.undetermined = 0};
    double least = (double)INFINITY;
    for (int k = 0; k < s.n; ++k) {
        const lw_dof *dof = &m->dof[m->v_tree[closed->active[k]]];
        s.at[k] = lw_position_of_dof(m, closed->active[k]);
        s.lower[k] = ik->def.ignores_limits ? -(double)INFINITY : dof->lower;
        s.upper[k] = ik->def.ignores_limits ? (double)INFINITY : dof->upper;
        if (ik->def.redundancy == LW_IK_HOLD && s.at[k] == ik->def.hold) {
            s.lower[k] = s.upper[k] = ik->seed[s.at[k]];
        }
    }
    int fruitless = 0;
    for (int start = 0; start < starts && fruitless < FRUITLESS; ++start) {
        lw_data_restart(ik->data);
        start_at(&s, start, q);
        const double r = descend(&s, q, trial, 1e-3 * ik->tolerance);
        ++fruitless;
        const bool is_new = r <= ik->tolerance && !is_known(ik, &s, q);
        if ((is_new || (ik->nsolution == 0 && r < least)) && take_tree(&s, q)) {
            least = r;
            memcpy(best, q, bytes);
            if (is_new) {
                lwi_closed_chain_store(ik, q, &none, r, start);
                fruitless = 0;
            }
        }
        if (ik->nsolution == 0) {
            fruitless = 0;
        }
    }
    if (!isfinite(least)) { // coordinates of the seed that no start changes leave a loop open
        lw_data_restart(ik->data);
        memcpy(best, m->q_reference, bytes);
        least = evaluate(&s, best);
        take_tree(&s, best);
    }
    if (ik->nsolution == 0) {
        lwi_closed_chain_store(ik, best, &none, least, 0);
    }
}
