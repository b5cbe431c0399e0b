// What a frame does in contact: impedance (Hogan 1985), and forces along some directions with
// motion along the others (Raibert and Craig 1981). The inertia of the arm is not shaped, which
// would take a measured force: at rest that makes no difference.

#include "controller.h"

#include "../kin/finite.h"

#include <linkwork/kinematics.h>

#include <math.h>

lw_status lwi_check_task(const lw_model *m, const lw_controller_def *def)
{
    const lw_contact_task *task = def->task;
    const bool has_task = def->law >= LW_CONTROL_IMPEDANCE;
    if (has_task != (task != NULL)) {
        return LW_ERR_ARGUMENT;
    }
    if (!has_task) {
        return LW_OK;
    }
    if (task->frame < 0 || task->frame >= m->nframe_all) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_all_finite(task->stiffness, 6) || !lwi_all_finite(task->damping, 6) ||
        !lwi_all_finite(task->force, 6) || !lwi_all_finite(&task->axes.row[0].x, 9)) {
        return LW_ERR_NUMBER;
    }
    bool is_good = true;
    for (int i = 0; i < 6; ++i) {
        is_good = is_good && task->stiffness[i] >= 0.0 && task->damping[i] >= 0.0 &&
                  (!task->is_force[i] || def->law == LW_CONTROL_HYBRID);
    }
    return is_good ? LW_OK : LW_ERR_ARGUMENT;
}

// Rotation and translation, or moment and force.
typedef struct pair {
    lw_vec3 ang, lin;
} pair;

// The pose of the frame, its Jacobian in c->J, and its velocity.
static lw_status see_frame(lw_controller *c, lw_data *d, const double *q, const double *v,
                           lw_pose *X, pair *velocity)
{
    const lw_model *m = c->model;
    lw_status status = lw_pose_of_frame(m, d, q, c->task.frame, X);
    if (status == LW_OK) {
        status = lw_frame_jacobian(m, d, q, c->task.frame, LW_IN_WORLD, NULL, c->J);
    }
    double *x = &velocity->ang.x;
    for (int r = 0; r < 6 && status == LW_OK; ++r) {
        x[r] = 0.0;
        for (int k = 0; k < m->nv; ++k) {
            x[r] += c->J[r * m->nv + k] * v[k];
        }
    }
    return status;
}

static pair into_task(const lw_mat3 *axes, pair x)
{
    return (pair){lw_rotate_back(axes, x.ang), lw_rotate_back(axes, x.lin)};
}

lw_status lwi_add_task_forces(lw_controller *c, lw_data *d, const double *q, const double *v,
                              double *tau)
{
    const lw_contact_task *task = &c->task;
    const int nv = c->model->nv;
    lw_pose goal, X;
    pair wanted, has;
    lw_status status = see_frame(c, d, c->q, c->v, &goal, &wanted);
    if (status == LW_OK) {
        status = see_frame(c, d, q, v, &X, &has);
    }
    if (status != LW_OK) {
        return status;
    }
    const lw_mat3 back = lw_transpose3(&X.R), R = lw_mul3(&goal.R, &back);
    const pair e = into_task(&task->axes, (pair){lw_log3(&R), lw_sub3(goal.p, X.p)});
    wanted = into_task(&task->axes, wanted);
    has = into_task(&task->axes, has);
    pair w;
    for (int i = 0; i < 6; ++i) {
        const double rate = (&has.ang.x)[i];
        (&w.ang.x)[i] = task->is_force[i] ? task->force[i] - task->damping[i] * rate
                                          : task->stiffness[i] * (&e.ang.x)[i] +
                                                task->damping[i] * ((&wanted.ang.x)[i] - rate);
    }
    const lw_vec3 n = lw_rotate(&task->axes, w.ang), f = lw_rotate(&task->axes, w.lin);
    const double wrench[] = {n.x, n.y, n.z, f.x, f.y, f.z};
    for (int k = 0; k < nv; ++k) {
        for (int r = 0; r < 6; ++r) {
            tau[k] += c->J[r * nv + k] * wrench[r];
        }
    }
    return LW_OK;
}
