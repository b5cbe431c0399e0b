#include "denavit_table.h"

#include <linkwork/symbolic.h>

#include <math.h>

static const double nothing = 1e-10; ///< a table has no use for roundings

static bool is_of_one(const lw_model *m, int body)
{
    return m->carrier[body] == LW_TREE_REVOLUTE || m->carrier[body] == LW_TREE_PRISMATIC;
}

bool lwi_is_chain(const lw_model *m)
{
    for (int i = 0; i < m->nbody; ++i) {
        if (m->parent[i] != i - 1 || !is_of_one(m, i)) {
            return false;
        }
    }
    return m->nbody > 0 && m->nstep == 0;
}

// Rows of the bodies that lead to `last`, of which there are n. The path is walked from its end, so
// that no list of it is needed: body number i of n is found anew each time.
static int body_at(const lw_model *m, int last, int n, int i)
{
    for (int k = n - 1; k > i; --k) {
        last = m->parent[last];
    }
    return last;
}

static void fill_table(const lw_model *m, int last, int n, lwi_denavit *row, lw_pose *base,
                       lw_pose *tip)
{
    lw_pose at = lw_pose_identity(), frame = at, before = at;
    for (int i = 0; i < n; ++i) {
        // Joint frames at zero position.
        const lw_pose *X = &m->X_PJ[body_at(m, last, n, i)];
        at = i == 0 ? *X : lw_pose_mul(&at, X);
        frame = i == 0 ? at : lwi_denavit_continue(&before, &at);
        if (i + 1 < n) {
            const lw_pose next = lw_pose_mul(&at, &m->X_PJ[body_at(m, last, n, i + 1)]);
            frame = lwi_denavit_toward(&frame, &next);
        }
        if (i == 0) {
            *base = frame; // frame 0 is frame 1 at zero position
            before = frame;
        }
        row[i] = lwi_denavit_row(&before, &frame, nothing);
        before = frame;
    }
    const lw_pose back = lw_pose_inverse(&frame);
    *tip = lw_pose_mul(&back, &at);
}

void lwi_denavit_table(const lw_model *m, lwi_denavit *row, lw_pose *base, lw_pose *tip)
{
    fill_table(m, m->nbody - 1, m->nbody, row, base, tip);
}

// --- Of any chain, in both conventions --------------------------------------------------------

static double drop(double x)
{
    return fabs(x) < nothing ? 0.0 : x;
}

// Takes the rotation about z and the shift along z at the begin of a pose out of it, as far as only
// a rotation about x and a shift along x are left then; else leaves it as it is.
static bool split_off(lw_pose *X, double *theta, double *d, bool may_leave_x)
{
    const double angle = atan2(X->R.row[1].x, X->R.row[0].x);
    const lw_pose back = {lw_rotation(lw_vec3_of(0, 0, 1), -angle), {0, 0, 0}};
    lw_pose rest = lw_pose_mul(&back, X);
    const double shift = rest.p.z;
    rest.p.z = 0.0;
    const bool is_along_x = fabs(rest.R.row[0].x - 1.0) < nothing && fabs(rest.p.y) < nothing;
    const bool is_nothing = fabs(rest.R.row[2].z - 1.0) < nothing && fabs(rest.p.x) < nothing;
    if (!is_along_x || (!may_leave_x && !is_nothing)) {
        return false;
    }
    *theta = drop(*theta + angle);
    *d = drop(*d + shift);
    *X = rest;
    return true;
}

// Count of the joints that lead to a body; 0 where one has several degrees of freedom, depends on
// others, or where there is none.
static int count_joints(const lw_model *m, int body)
{
    int n = 0;
    for (int i = body; i >= 0; i = m->parent[i], ++n) {
        bool is_independent = false;
        for (int k = 0; k < m->nv; ++k) {
            is_independent = is_independent || m->v_tree[k] == m->v_start[i];
        }
        if (!is_of_one(m, i) || !is_independent) {
            return 0;
        }
    }
    return n;
}

lw_status lw_dh_table(const lw_model *m, int frame, lw_dh_convention convention, int most,
                      lw_dh_row *row, int *count, lw_pose *base, lw_pose *tip)
{
    if (!m || !row || !count || !base || !tip || frame < 0 || frame >= m->nframe ||
        (unsigned)convention > LW_DH_PAUL) {
        return LW_ERR_ARGUMENT;
    }
    const int last = m->frame[frame].body, n = count_joints(m, last);
    if (n == 0 || n > most) {
        return n == 0 ? LW_ERR_UNSUPPORTED : LW_ERR_LIMIT;
    }
    // A row of four numbers is the begin of a row with its joint.
    lwi_denavit table[LW_DH_MOST];
    if (n > LW_DH_MOST) {
        return LW_ERR_LIMIT;
    }
    fill_table(m, last, n, table, base, tip);
    *tip = lw_pose_mul(tip, &m->frame[frame].X_BF);
    // What is along the first and the last axis goes into their rows.
    split_off(base, &table[0].theta, &table[0].d, false);
    split_off(tip, &table[n - 1].theta, &table[n - 1].d, convention == LW_DH_PAUL);
    for (int i = 0; i < n; ++i) {
        const int body = body_at(m, last, n, i);
        row[i] = (lw_dh_row){.alpha = table[i].alpha,
                             .a = table[i].a,
                             .theta = table[i].theta,
                             .d = table[i].d,
                             .dof = m->v_start[body],
                             .is_prismatic = m->carrier[body] == LW_TREE_PRISMATIC};
    }
    if (convention == LW_DH_PAUL) { // alpha and a of a row are those of the next one after Craig
        for (int i = 0; i < n; ++i) {
            row[i].alpha = i + 1 < n ? row[i + 1].alpha : 0.0;
            row[i].a = i + 1 < n ? row[i + 1].a : 0.0;
        }
        if (fabs(tip->R.row[0].x - 1.0) < nothing && fabs(tip->p.y) < nothing &&
            fabs(tip->p.z) < nothing) {
            row[n - 1].alpha = drop(atan2(tip->R.row[2].y, tip->R.row[1].y));
            row[n - 1].a = drop(tip->p.x);
            *tip = lw_pose_identity();
        }
    }
    *count = n;
    return LW_OK;
}
