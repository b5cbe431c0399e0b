// Poses: of all bodies, of one frame, of frames against each other.
#include <linkwork/kinematics.h>

#include "../loop/loop.h"
#include "../model/data.h"
#include "../model/kernel.h"
#include "closure.h"
#include "finite.h"
#include "held_state.h"
#include "tree.h"

static lw_status held_poses(const lw_model *m, lw_data *d)
{
    if (!d->held.has_poses) {
        d->kernels->tree_poses(m, d, m->nstep > 0 ? d->tree_q : d->held.q);
        d->held.has_poses = true;
    }
    d->stage = LW_STAGE_POSITION;
    return LW_OK;
}

lw_status lw_forward_position(const lw_model *m, lw_data *d, const double *q)
{
    if (!m || !d || d->model != m || (!q && m->nq)) {
        return LW_ERR_ARGUMENT;
    }
    if (lwi_holds(d, q)) {
        return held_poses(m, d);
    }
    lwi_drop_results(d);
    const lw_status status = lwi_check_position(m, q);
    if (status != LW_OK) {
        return status;
    }
    const double *tree_q = lwi_closure_rotations(m, d, q);
    if (!tree_q) {
        return lwi_closure_status(d);
    }
    d->kernels->tree_poses(m, d, tree_q);
    d->stage = LW_STAGE_POSITION;
    return LW_OK;
}

static inline lw_pose pose_of(const lw_model *m, const lw_data *d, int frame)
{
    lw_pose X_WF;
    d->kernels->frame_poses(m, d, frame, 1, &X_WF);
    return X_WF;
}

static lw_status check_frame(const lw_model *m, const lw_data *d, int frame, lw_stage stage)
{
    if (!m || !d || d->model != m || frame < 0 || frame >= m->nframe_all) {
        return LW_ERR_ARGUMENT;
    }
    return d->stage < stage ? LW_ERR_STAGE : LW_OK;
}

lw_status lw_frame_pose(const lw_model *m, const lw_data *d, int frame, lw_pose *X_WF)
{
    const lw_status status = check_frame(m, d, frame, LW_STAGE_POSITION);
    if (status != LW_OK || !X_WF) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    *X_WF = pose_of(m, d, frame);
    return LW_OK;
}

lw_status lw_frame_poses(const lw_model *m, const lw_data *d, lw_pose *X_WF)
{
    if (!m || !d || d->model != m || !X_WF) {
        return LW_ERR_ARGUMENT;
    }
    if (d->stage < LW_STAGE_POSITION) {
        return LW_ERR_STAGE;
    }
    d->kernels->frame_poses(m, d, 0, m->nframe, X_WF);
    return LW_OK;
}

lw_status lw_relative_pose(const lw_model *m, const lw_data *d, int F, int G, lw_pose *X_FG)
{
    lw_status status = check_frame(m, d, F, LW_STAGE_POSITION);
    if (status == LW_OK) {
        status = check_frame(m, d, G, LW_STAGE_POSITION);
    }
    if (status != LW_OK || !X_FG) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    // On one body the world cancels before it can round.
    const lw_frame_info *f = &m->frame[F], *g = &m->frame[G];
    const bool is_rigid = f->body == g->body;
    const lw_pose X_WF = is_rigid ? f->X_BF : pose_of(m, d, F);
    const lw_pose X_WG = is_rigid ? g->X_BF : pose_of(m, d, G);
    const lw_pose X_FW = lw_pose_inverse(&X_WF);
    *X_FG = lw_pose_mul(&X_FW, &X_WG);
    return LW_OK;
}

int lwi_find_path(const lw_model *m, lw_data *d, int body)
{
    const int *parent = m->parent;
    int *path = d->path, n = 0;
    for (int i = body; i >= 0; i = parent[i]) {
        path[n++] = i;
    }
    return n;
}

int lwi_find_paths(const lw_model *m, lw_data *d, const int body[2])
{
    const int *parent = m->parent;
    int n = 0, a = body[0], b = body[1];
    while (a >= 0 || b >= 0) {
        const int i = a > b ? a : b;
        d->path[n++] = i;
        a = a == i ? parent[i] : a;
        b = b == i ? parent[i] : b;
    }
    return n;
}

lw_status lw_pose_of_frame(const lw_model *m, lw_data *d, const double *q, int frame, lw_pose *X_WF)
{
    lw_status status = check_frame(m, d, frame, LW_STAGE_NONE);
    if (status != LW_OK || !X_WF || (!q && m->nq)) {
        return LW_ERR_ARGUMENT;
    }
    lwi_drop_results(d);
    status = lwi_check_position(m, q);
    if (status != LW_OK) {
        return status;
    }
    const double *tree_q = lwi_closure_position_of_body(m, d, q, m->frame[frame].body);
    if (!tree_q) {
        return lwi_closure_status(d);
    }
    d->kernels->path_poses(m, d, tree_q, lwi_find_path(m, d, m->frame[frame].body));
    *X_WF = pose_of(m, d, frame);
    return LW_OK;
}

// Tree positions at q, of all joints.
static lw_status close_loops(const lw_model *m, lw_data *d, const double *q, const void *output,
                             const double **tree_q)
{
    if (!m || !d || d->model != m || (!q && m->nq) || !output) {
        return LW_ERR_ARGUMENT;
    }
    lwi_drop_results(d);
    const lw_status status = lwi_check_position(m, q);
    if (status != LW_OK) {
        return status;
    }
    *tree_q = lwi_closure_position(m, d, q);
    return *tree_q ? LW_OK : lwi_closure_status(d);
}

lw_status lw_loop_gap(const lw_model *m, lw_data *d, const double *q, double *gap)
{
    const double *tree_q;
    const lw_status status = close_loops(m, d, q, gap, &tree_q);
    if (status != LW_OK) {
        return status;
    }
    double widest = 0.0;
    for (int i = 0; i < m->nloop; ++i) {
        double row[LWI_MOST_ROWS];
        widest = fmax(widest, lwi_loop_residual(m, &m->kernel->program->loop[i], tree_q, row));
    }
    *gap = widest;
    return LW_OK;
}

lw_status lw_step_conditions(const lw_model *m, lw_data *d, const double *q, double *condition)
{
    const double *tree_q;
    const lw_status status = close_loops(m, d, q, condition, &tree_q);
    for (int i = 0; status == LW_OK && i < m->nstep; ++i) {
        const lwi_step *step = &m->kernel->program->step[i];
        condition[i] = lwi_has_condition(step)
                           ? lwi_step_condition(m, m->kernel->program, step, &d->loop_work, tree_q)
                           : 0.0;
    }
    return status;
}
