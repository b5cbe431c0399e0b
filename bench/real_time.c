#include "real_time.h"

#include <stdlib.h>

static const double STEP = 1e-3;

// There and back by 0.3 rad at each joint.
static lw_trajectory *make_motion(const lw_model *m, double *block, lw_axis_limits *limits)
{
    double *start = block, *to = block + m->nv;
    for (int k = 0; k < m->nv; ++k) {
        limits[k] = lw_default_axis_limits();
        limits[k].velocity = 1.0;
        const int i = lw_position_of_dof(m, k);
        start[k] = i >= 0 ? m->q_reference[i] : 0.0;
        to[k] = start[k] + 0.3;
    }
    lw_move move[2] = {lw_default_move(), lw_default_move()};
    move[0].npoint = move[1].npoint = 1;
    move[0].point = to;
    move[1].point = start;
    const lw_trajectory_def def = {m->nv, start, limits, NULL, 2, move};
    lw_trajectory *trajectory = NULL;
    lw_trajectory_create(&def, &trajectory, NULL);
    return trajectory;
}

bool real_time_open(const lw_model *m, real_time *r)
{
    *r = (real_time){0};
    double *block = calloc(4 * (size_t)m->nv, sizeof *block);
    lw_axis_limits *limits = calloc((size_t)m->nv, sizeof *limits);
    if (block && limits) {
        double *kp = block + 2 * m->nv, *kd = kp + m->nv;
        for (int k = 0; k < m->nv; ++k) {
            kp[k] = 900.0;
            kd[k] = 60.0;
        }
        r->trajectory = make_motion(m, block, limits);
        const lw_controller_def control = {
            LW_CONTROL_COMPUTED_TORQUE, r->trajectory, kp, kd, NULL, STEP, 0.0, NULL, NULL};
        lw_controller_create(m, &control, &r->controller);
    }
    free(block);
    free(limits);
    const lw_sampler sampler = lw_controller_sampler(r->controller);
    lw_sim_def def = lw_default_sim_def();
    def.sampler = &sampler;
    def.step = STEP;
    for (int i = 0; i < 2 && r->controller; ++i) {
        def.method = i == 0 ? LW_METHOD_EULER : LW_METHOD_RK4;
        lw_sim_create(m, &def, &r->sim[i]);
    }
    return r->sim[0] && r->sim[1];
}

void real_time_close(real_time *r)
{
    lw_sim_destroy(r->sim[0]);
    lw_sim_destroy(r->sim[1]);
    lw_controller_destroy(r->controller);
    lw_trajectory_destroy(r->trajectory);
    *r = (real_time){0};
}

lw_status real_time_step(real_time *r, int method)
{
    lw_sim *sim = r->sim[method];
    if (lw_sim_time(sim) >= lw_trajectory_duration(r->trajectory)) {
        const lw_status status = lw_sim_reset(sim, 0.0, NULL, NULL);
        if (status != LW_OK) {
            return status;
        }
    }
    return lw_sim_step(sim, lw_sim_time(sim) + STEP);
}
