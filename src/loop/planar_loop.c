// Planar loops one step at a time, for those who close a mechanism while it is compiled; the
// closure sweeps have their own.
#include "planar_loop.h"

#include "../math/sincos.h"
#include "kernel_plane.h"

static void find_joint_sines(const lwi_plane *plane, const lwi_loop_work *work, const double *q)
{
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < plane->side[side].n; ++k) {
            const int at = plane->side[side].joint[k].q;
            sincos_real(q[at], &work->sine[at], &work->cosine[at]);
        }
    }
}

lw_status lwi_plane_position(const lw_model *m, const lwi_plane *plane, const lwi_step *step,
                             const lwi_loop_work *work, double *q, lwi_closure_fault *fault)
{
    find_joint_sines(plane, work, q);
    const lw_status status = step->kind == LW_STEP_PLANAR ? plane_three(plane, step, work, q, fault)
                                                          : plane_rod(plane, step, work, q, fault);
    if (status == LW_OK) {
        plane_angles(m, step, work, q);
    }
    return status;
}

lw_status lwi_plane_rates(const lwi_plane *plane, const lwi_step *step, const lwi_loop_work *work,
                          double *K, lwi_closure_fault *fault)
{
    return plane_rates(plane, step, work, K, fault);
}

void lwi_plane_bias(const lwi_plane *plane, const lwi_step *step, const lwi_loop_work *work,
                    const double *v, double *bias)
{
    plane_bias(plane, step, work, v, bias);
}
