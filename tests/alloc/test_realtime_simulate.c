// D51, C44: motions, controllers and steps of simulations allocate nothing and make no system call.
#include "check.h"
#include "realtime.h"

#include <string.h>

// A machine without degrees of freedom has no motion.
#define MOVING(call) (s->m->nv > 0 ? (call) : LW_OK)

static lw_status steps(subject *s, int method)
{
    lw_sim *sim = s->sim[method];
    lw_status status = lw_sim_reset(sim, 0.0, NULL, NULL);
    for (int i = 0; i < 6 && status == LW_OK; ++i) { // three looks of the controller, or nearly so
        status = lw_sim_step(sim, lw_sim_time(sim) + 5e-5);
    }
    if (status == LW_OK) {
        status = lw_sim_interpolate(sim, lw_sim_time(sim) - 1e-5, s->q2, s->column);
    }
    if (status == LW_OK) {
        status = lw_sim_forces(sim, s->column, s->column);
    }
    // How many steps adaptive methods take depends on the model: up to millions for stiff ones.
    if (status == LW_OK && (method == LW_METHOD_EULER || method == LW_METHOD_RK4)) {
        status = lw_sim_advance(sim, lw_sim_time(sim) + 1e-4);
    }
    const lw_sim_info info = lw_sim_get_info(sim);
    if (!lw_sim_position(sim) || !lw_sim_velocity(sim) || info.steps < 0 ||
        lw_sim_failure(sim, status).status != status) {
        return LW_ERR_ARGUMENT;
    }
    // A reference may lie beyond a limit, or a step be too hard for a fixed one.
    return status == LW_ERR_NUMBER || status == LW_ERR_MOTION ? LW_ERR_NO_CONVERGENCE : status;
}

// The same mechanism, as if it had been compiled again.
static lw_status take_over(subject *s)
{
    const lw_status status = lw_sim_take_over(s->sim[1], s->sim[0], NULL, 0, NULL);
    return status == LW_ERR_NUMBER || status == LW_ERR_MOTION ? LW_ERR_NO_CONVERGENCE : status;
}

static lw_status position_of_dof(const subject *s)
{
    const int i = lw_position_of_dof(s->m, s->m->nv - 1);
    return i < s->m->nq ? LW_OK : LW_ERR_ARGUMENT;
}

// A turning unbalance at the last frame.
static lw_status timed_loads(subject *s)
{
    lw_timed_load load = lw_default_timed_load();
    load.frame = s->frame;
    load.unbalance = 1e-3;
    load.speed = 10.0;
    const lw_timed_loads loads = {1, &load};
    return lw_add_timed_loads(s->m, s->d, &loads, 0.1, s->q, s->tau, s->f_ext);
}

// A status that answers for a mechanism that is at a singular configuration, or sags too far.
static lw_status settled(lw_status status)
{
    return status == LW_ERR_NUMBER ? LW_ERR_NO_CONVERGENCE : status;
}

static lw_status deflect(subject *s)
{
    lw_deflection found;
    memcpy(s->q2, s->q, (size_t)s->m->nq * sizeof *s->q2);
    return settled(lw_deflect(s->statics, s->d, s->q, s->q2, &found));
}

static lw_status compensate(subject *s)
{
    memcpy(s->q2, s->q, (size_t)s->m->nq * sizeof *s->q2);
    return settled(lw_compensate(s->statics, s->d, s->q2, s->matrix[0]));
}

static lw_status compensate_frame(subject *s)
{
    memcpy(s->q2, s->q, (size_t)s->m->nq * sizeof *s->q2);
    lw_status status = lw_pose_of_frame(s->m, s->d, s->q, s->frame, &s->pose);
    if (status == LW_OK) {
        status = lw_compensate_frame(s->statics, s->d, s->frame, &s->pose, s->q2, s->matrix[0]);
    }
    return settled(status);
}

static lw_status compliance(subject *s)
{
    const lw_status status =
        lw_cartesian_compliance(s->statics, s->d, s->q, s->frame, LW_IN_WORLD, s->small[0]);
    return settled(status == LW_ERR_SINGULAR ? LW_ERR_NO_CONVERGENCE : status);
}

static lw_status stiffness(subject *s)
{
    int rank = 0;
    double value[6];
    lw_status status = lw_cartesian_stiffness(6, s->small[0], s->small[1], NULL, &rank);
    if (status == LW_OK) {
        status = lw_principal_axes(6, s->small[1], value, s->small[0]);
    }
    return status;
}

static lw_status load(subject *s)
{
    const lw_static_load force = {s->frame, LW_IN_WORLD, {{0, 1, 0}, {2, 0, -3}}};
    lw_status status = lw_statics_set_load(s->statics, 0, &force);
    if (status == LW_OK) {
        status = lw_statics_scale(s->statics, 1.0, 1.0);
    }
    return lw_statics_unknowns(s->statics, NULL) <= s->m->nv ? status : LW_ERR_ARGUMENT;
}

#define SIMULATION(DO)                                                                             \
    DO(lw_trajectory_evaluate,                                                                     \
       MOVING(lw_trajectory_evaluate(s->trajectory, 1e-4, s->column, s->column, NULL, NULL)))      \
    DO(lw_trajectory_state,                                                                        \
       MOVING(lw_trajectory_state(s->trajectory, s->m, 1e-4, s->q2, s->column, NULL)))             \
    DO(lw_position_of_dof, MOVING(position_of_dof(s)))                                             \
    DO(lw_controller_forces,                                                                       \
       MOVING(lw_controller_forces(s->controller, s->d, 1e-4, s->q, s->v, s->column)))             \
    DO(lw_controller_use, MOVING(lw_controller_use(s->controller, NULL)))                          \
    DO(lw_controller_forces_in_contact,                                                            \
       MOVING(lw_controller_forces(s->presser, s->d, 1e-4, s->q, s->v, s->column)))                \
    DO(lw_add_timed_loads, MOVING(timed_loads(s)))                                                 \
    DO(lw_statics_set_load, MOVING(load(s)))                                                       \
    DO(lw_deflect, MOVING(deflect(s)))                                                             \
    DO(lw_compensate, MOVING(compensate(s)))                                                       \
    DO(lw_compensate_frame, MOVING(compensate_frame(s)))                                           \
    DO(lw_cartesian_compliance, MOVING(compliance(s)))                                             \
    DO(lw_cartesian_stiffness, MOVING(stiffness(s)))                                               \
    DO(lw_sim_step_euler, MOVING(steps(s, LW_METHOD_EULER)))                                       \
    DO(lw_sim_take_over, MOVING(take_over(s)))                                                     \
    DO(lw_sim_step_rk4, MOVING(steps(s, LW_METHOD_RK4)))                                           \
    DO(lw_sim_step_dopri5, MOVING(steps(s, LW_METHOD_DOPRI5)))                                     \
    DO(lw_sim_step_dopri853, MOVING(steps(s, LW_METHOD_DOPRI853)))

SIMULATION(RT_DEFINE)
static const rt_function functions[] = {SIMULATION(RT_ENTRY)};
enum { NFUNCTION = sizeof functions / sizeof *functions };

TEST(D51_simulations_allocate_nothing)
{
    check_no_allocation(functions, NFUNCTION);
}

TEST(D51_simulations_make_no_system_call)
{
    check_no_system_call(functions, NFUNCTION);
}

int main(void)
{
    RUN(D51_simulations_allocate_nothing);
    RUN(D51_simulations_make_no_system_call);
    return REPORT();
}
