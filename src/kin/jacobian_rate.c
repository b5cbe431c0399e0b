// The rate of the Jacobian of a frame.
//
// The motion S of a degree of freedom is fixed to its body, so that it rotates with the body; only
// that of a user joint changes besides. With closure steps, where dv_tree = G dv, J G changes by
// dJ/dt G + J dG/dt.
#include <linkwork/kinematics.h>

#include "../loop/user_rate.h"
#include "../math/largest.h"
#include "../math/spatial.h"
#include "../model/fronts.h"
#include "closure.h"
#include "finite.h"
#include "motion_rates.h"
#include "unit.h"

#include <string.h>

void lwi_user_rates(const lw_model *m, const lw_data *d, const double *tree_q, const double *tree_v,
                    int i, lw_motion rate[LW_MAX_DOF])
{
    const lwi_segment *b = &m->kernel->segment[i];
    const lw_mat3 *R = &d->X_WB[i].R;
    memset(rate, 0, (size_t)b->nv * sizeof *rate);
    if (b->carrier != LW_TREE_USER || !m->kernel->user[i].bias) {
        return;
    }
    for (int k = 0; k < b->nv; ++k) {
        lw_motion along[LW_MAX_DOF];
        lwi_user_motion_rate(&m->kernel->user[i], tree_q + b->q, k, along);
        for (int j = 0; j < b->nv; ++j) {
            const lw_vec3 ang = lw_rotate(R, along[j].ang), lin = lw_rotate(R, along[j].lin);
            rate[j].ang = lw_add3(rate[j].ang, lw_scale3(tree_v[b->v + k], ang));
            rate[j].lin = lw_add3(rate[j].lin, lw_scale3(tree_v[b->v + k], lin));
        }
    }
}

// --- dG/dt ------------------------------------------------------------------------------------

// The bracket of two motions of the tree, joint by joint: that of the rotation of spherical joints,
// and of the screws of free ones. Degrees of freedom with a position of their own have none. True
// where any joint has one.
static bool tree_bracket(const lw_model *m, const double *x, const double *y, double *bracket)
{
    memset(bracket, 0, (size_t)m->tree_nv * sizeof *bracket);
    bool is_any = false;
    for (int i = 0; i < m->nbody; ++i) {
        if (m->carrier[i] != LW_TREE_SPHERICAL && m->carrier[i] != LW_TREE_FREE) {
            continue;
        }
        const int nv = m->v_start[i + 1] - m->v_start[i];
        lw_motion a = {{0, 0, 0}, {0, 0, 0}}, b = a;
        memcpy(&a, x + m->v_start[i], (size_t)nv * sizeof *x);
        memcpy(&b, y + m->v_start[i], (size_t)nv * sizeof *y);
        const lw_motion c = lwi_motion_cross(&a, b);
        memcpy(bracket + m->v_start[i], &c, (size_t)nv * sizeof *bracket);
        is_any = true;
    }
    return is_any;
}

// Tree accelerations that v causes by itself, where v is changed by `change` at degree of freedom
// k. They are a quadratic form of v.
static void bias_at(const lw_model *m, lw_data *d, const double *v, int k, double change)
{
    double *moved = d->v_work;
    memcpy(moved, v, (size_t)m->nv * sizeof *moved);
    moved[k] += change;
    lwi_closure_velocity(m, d, moved); // it was good for v, and the rates do not depend on that
    lwi_closure_acceleration(m, d, NULL);
}

// The form of bias_at() gives the symmetric part of the derivative of column k along v; the rest
// is half of how far derivatives along two motions x and y fail to commute: G [x, y] - [G x, G y],
// zero but for joints whose velocities are not the rates of coordinates.
void lwi_closure_rate_column(const lw_model *m, lw_data *d, const double *v, int k, double *x,
                             double *y)
{
    const double size = fmax(1.0, lwi_largest(v, m->nv));
    bias_at(m, d, v, k, -size);
    memcpy(x, d->tree_a, (size_t)m->tree_nv * sizeof *x);
    bias_at(m, d, v, k, size);
    for (int i = 0; i < m->tree_nv; ++i) {
        d->tree_a[i] = (d->tree_a[i] - x[i]) / (4 * size);
    }
    memset(x, 0, (size_t)m->tree_nv * sizeof *x);
    memset(y, 0, (size_t)m->tree_nv * sizeof *y);
    for (int i = 0; i < m->nv; ++i) {
        x[m->v_tree[i]] = v[i];
    }
    y[m->v_tree[k]] = 1.0;
    lwi_closure_spread(m, d, x);
    lwi_closure_spread(m, d, y);
    double *bracket = d->tree_v, *spread = x;
    if (tree_bracket(m, x, y, bracket)) {
        memcpy(spread, bracket, (size_t)m->tree_nv * sizeof *spread);
        lwi_closure_spread(m, d, spread);
        for (int i = 0; i < m->tree_nv; ++i) {
            d->tree_a[i] += (spread[i] - bracket[i]) / 2;
        }
    }
}

// --- The frame --------------------------------------------------------------------------------

// A point that is fixed to a frame, in world axes.
typedef struct moving_point {
    lw_vec3 p, v;
} moving_point;

static lw_vec3 velocity_at(const lw_data *d, int body, lw_vec3 p_B)
{
    const lw_motion *vel = &d->vel[body];
    return lw_rotate(&d->X_WB[body].R, lw_add3(vel->lin, lw_cross3(vel->ang, p_B)));
}

// Columns of the degrees of freedom of body i: J to d->S, and their rates to dJ [6*tree_nv].
static void set_columns(const lw_model *m, lw_data *d, const double *tree_q, const double *tree_v,
                        int i, const moving_point *at, double *dJ)
{
    lw_motion S[LW_MAX_DOF], own[LW_MAX_DOF];
    const size_t stride = (size_t)m->tree_nv;
    const int n = unit_motions(m, d, tree_q, i, S), first = m->kernel->segment[i].v;
    lwi_user_rates(m, d, tree_q, tree_v, i, own);
    const lw_vec3 w = lw_rotate(&d->X_WB[i].R, d->vel[i].ang);
    const lw_vec3 arm = lw_sub3(at->p, d->X_WB[i].p);
    const lw_vec3 arm_rate = lw_sub3(at->v, lw_rotate(&d->X_WB[i].R, d->vel[i].lin));
    for (int k = 0; k < n; ++k) {
        const lw_vec3 ang = lw_add3(lw_cross3(w, S[k].ang), own[k].ang);
        const lw_vec3 lin = lw_add3(lw_cross3(w, S[k].lin), own[k].lin);
        const lw_vec3 turn = lw_add3(lw_cross3(ang, arm), lw_cross3(S[k].ang, arm_rate));
        const lw_vec3 all = lw_add3(lin, turn);
        const double column[6] = {ang.x, ang.y, ang.z, all.x, all.y, all.z};
        for (size_t r = 0; r < 6; ++r) {
            dJ[r * stride + (size_t)(first + k)] = column[r];
        }
        d->S[first + k] = (lw_motion){S[k].ang, lw_add3(S[k].lin, lw_cross3(S[k].ang, arm))};
    }
}

// J dG/dt, where d->S has the columns of J for the bodies from `body` to the world.
static void add_closure_rates(const lw_model *m, lw_data *d, const double *v, int body, double *dJ)
{
    const lwi_fronts *plan = m->kernel->program->fronts;
    const size_t nv = (size_t)m->nv;
    for (size_t k = 0; k < nv; ++k) {
        if (plan && !plan->bends[k]) {
            continue;
        }
        lwi_closure_rate_column(m, d, v, (int)k, d->tree_J, d->tree_J + m->tree_nv);
        for (int i = body; i >= 0; i = m->parent[i]) {
            for (int t = m->v_start[i]; t < m->v_start[i + 1]; ++t) {
                const lw_motion *J = &d->S[t];
                const double column[6] = {J->ang.x, J->ang.y, J->ang.z,
                                          J->lin.x, J->lin.y, J->lin.z};
                for (size_t r = 0; r < 6; ++r) {
                    dJ[r * nv + k] += column[r] * d->tree_a[t];
                }
            }
        }
    }
}

static void rotate_back(const lw_mat3 *R, size_t n, double *dJ)
{
    for (size_t k = 0; k < n; ++k) {
        for (size_t half = 0; half < 2; ++half) {
            double *at = dJ + half * 3 * n + k;
            const lw_vec3 x = lw_rotate_back(R, (lw_vec3){at[0], at[n], at[2 * n]});
            at[0] = x.x;
            at[n] = x.y;
            at[2 * n] = x.z;
        }
    }
}

lw_status lw_frame_jacobian_rate(const lw_model *m, lw_data *d, const double *q, const double *v,
                                 int frame, lw_axes axes, const lw_vec3 *point, double *dJ)
{
    if (!m || !d || d->model != m || frame < 0 || frame >= m->nframe_all || !dJ ||
        (axes != LW_IN_FRAME && axes != LW_IN_WORLD)) {
        return LW_ERR_ARGUMENT;
    }
    const lw_status status = lwi_is_point(point) ? lw_forward_velocity(m, d, q, v) : LW_ERR_NUMBER;
    lwi_drop_results(d);
    if (status != LW_OK) {
        return status;
    }
    const lw_frame_info *f = &m->frame[frame];
    const double *tree_q = m->nstep ? d->tree_q : q, *tree_v = m->nstep ? d->tree_v : v;
    double *tree_dJ = m->nstep ? d->tree_J : dJ;
    memset(tree_dJ, 0, 6 * (size_t)m->tree_nv * sizeof *tree_dJ);
    if (f->body >= 0) {
        const lw_vec3 p_B = point ? lw_pose_apply(&f->X_BF, *point) : f->X_BF.p;
        const moving_point at = {lw_pose_apply(&d->X_WB[f->body], p_B),
                                 velocity_at(d, f->body, p_B)};
        for (int i = f->body; i >= 0; i = m->parent[i]) {
            set_columns(m, d, tree_q, tree_v, i, &at, tree_dJ);
        }
    }
    for (int r = 0; r < 6 && m->nstep; ++r) {
        lwi_closure_transpose(m, d, tree_dJ + r * m->tree_nv, 1, dJ + r * m->nv);
    }
    if (m->nstep) {
        add_closure_rates(m, d, v, f->body, dJ);
    }
    if (axes == LW_IN_FRAME && f->body >= 0) {
        const lw_mat3 R_WF = lw_mul3(&d->X_WB[f->body].R, &f->X_BF.R);
        rotate_back(&R_WF, (size_t)m->nv, dJ);
    }
    return LW_OK;
}
