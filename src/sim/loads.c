// Loads as functions of time.
//
// The rotating unbalance is formula (3) of Bansevicius et al.: m0 r w^2 (cos wt, sin wt, 0) in the
// gripper, across its direction.

#include <linkwork/kinematics.h>
#include <linkwork/loads.h>

#include "../kin/finite.h"
#include "../math/pi.h"

#include <math.h>

lw_timed_load lw_default_timed_load(void)
{
    const lw_timed_load load = {.dof = -1, .end = (double)INFINITY};
    return load;
}

static double table_at(const lw_timed_load *f, double t)
{
    if (t <= f->time[0]) {
        return f->factor[0];
    }
    int low = 0, high = f->npoint; // the last point at or before t
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (f->time[middle] <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    if (high == f->npoint) {
        return f->factor[low];
    }
    const double share = (t - f->time[low]) / (f->time[high] - f->time[low]);
    return f->factor[low] + share * (f->factor[high] - f->factor[low]);
}

static double factor_at(const lw_timed_load *f, double t)
{
    if (t < f->begin || t >= f->end) {
        return 0.0;
    }
    const double wave = f->frequency > 0.0 ? sin(LWI_TWO_PI * f->frequency * t + f->phase) : 1.0;
    return f->npoint > 0 ? wave * table_at(f, t) : wave;
}

// The wrench at the origin of the frame, along `axes`.
static lw_force wrench_at(const lw_timed_load *f, double t, const lw_pose *X_WF, double factor)
{
    lw_force w = {lw_scale3(factor, f->wrench.ang), lw_scale3(factor, f->wrench.lin)};
    if (f->unbalance != 0.0) { // in the axes of the frame
        const double size = factor * f->unbalance * f->speed * f->speed;
        const double angle = f->speed * t + f->phase;
        const lw_vec3 pull = lw_vec3_of(size * cos(angle), size * sin(angle), 0.0);
        w.lin = lw_add3(w.lin, f->axes == LW_IN_WORLD ? lw_rotate(&X_WF->R, pull) : pull);
    }
    const lw_vec3 arm = f->axes == LW_IN_WORLD ? lw_rotate(&X_WF->R, f->point) : f->point;
    w.ang = lw_add3(w.ang, lw_cross3(arm, w.lin));
    return w;
}

lw_status lw_check_timed_load(const lw_model *m, const lw_timed_load *f)
{
    if (!m || !f || f->dof >= m->nv || (f->dof < 0 && f->frame < 0) || f->frame >= m->nframe_all ||
        f->npoint < 0 || (f->npoint > 0 && (!f->time || !f->factor)) || !(f->frequency >= 0.0) ||
        ((int)f->axes != LW_IN_FRAME && f->axes != LW_IN_WORLD)) {
        return LW_ERR_ARGUMENT;
    }
    const double number[] = {f->value,        f->wrench.ang.x, f->wrench.ang.y, f->wrench.ang.z,
                             f->wrench.lin.x, f->wrench.lin.y, f->wrench.lin.z, f->point.x,
                             f->point.y,      f->point.z,      f->unbalance,    f->speed,
                             f->begin,        f->frequency,    f->phase};
    if (!lwi_all_finite(number, (int)(sizeof number / sizeof *number)) || isnan(f->end) ||
        !lwi_all_finite(f->time, f->npoint) || !lwi_all_finite(f->factor, f->npoint)) {
        return LW_ERR_NUMBER;
    }
    for (int i = 1; i < f->npoint; ++i) {
        if (!(f->time[i] > f->time[i - 1])) {
            return LW_ERR_ARGUMENT;
        }
    }
    return LW_OK;
}

lw_status lw_add_timed_loads(const lw_model *m, lw_data *d, const lw_timed_loads *loads, double t,
                             const double *q, double *tau, lw_force *f_ext)
{
    bool has_poses = false;
    if (!loads || !m || !tau || !f_ext) {
        return LW_ERR_ARGUMENT;
    }
    for (int i = 0; i < loads->count; ++i) {
        const lw_timed_load *f = &loads->load[i];
        const double factor = factor_at(f, t);
        if (f->dof >= 0) {
            tau[f->dof] += factor * f->value;
        } else if (factor != 0.0) {
            lw_pose X_WF;
            lw_status status = has_poses ? LW_OK : lw_forward_position(m, d, q);
            if (status == LW_OK) {
                status = lw_frame_pose(m, d, f->frame, &X_WF);
            }
            if (status == LW_OK) {
                const lw_force wrench = wrench_at(f, t, &X_WF, factor);
                status = lw_add_force_at_frame(m, d, f->frame, f->axes, &wrench, f_ext);
            }
            if (status != LW_OK) {
                return status;
            }
            has_poses = true;
        }
    }
    return LW_OK;
}

static lw_status add(void *context, const lw_model *m, lw_data *d, double t, const double *q,
                     const double *v, double *tau, lw_force *f_ext)
{
    (void)v;
    return lw_add_timed_loads(m, d, context, t, q, tau, f_ext);
}

lw_force_source lw_timed_source(lw_timed_loads *loads)
{
    const lw_force_source source = {add, loads};
    return source;
}
