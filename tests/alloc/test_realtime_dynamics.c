// D51 for dynamics, derivatives and batches: as test_realtime.c.

#include "check.h"
#include "realtime.h"

static lw_status set_and_get_options(subject *s)
{
    lw_dynamics_options options = lw_default_dynamics_options(s->m);
    options.gravity.x = 0.1;
    const lw_status status = lw_set_dynamics_options(s->d, &options);
    options = lw_get_dynamics_options(s->d);
    return status == LW_OK && options.gravity.x == 0.1 ? LW_OK : LW_ERR_ARGUMENT;
}

// Names, parameters and sensitivities of the last link and of the last body.
static lw_status parameter_of_link(subject *s)
{
    return s->m->nlink == 0
               ? LW_OK
               : lw_parameter_of_link(s->m, s->m->nlink - 1, LW_LINK_CENTER_X, &s->parameter[0]);
}

static lw_status parameter_of_body(subject *s)
{
    return s->m->nbody == 0
               ? LW_OK
               : lw_parameter_of_body(s->m, s->m->nbody - 1, LW_BODY_TENSOR_XY, &s->parameter[1]);
}

static lw_status find_parameter(subject *s)
{
    const lw_status status = lw_find_parameter(s->m, "no such link.mass", &s->parameter[0]);
    return status == LW_ERR_NAME && lw_link_parameter_name(LW_LINK_MASS) ? LW_OK : status;
}

static lw_status reaction_at_frame(subject *s)
{
    if (s->m->njoint == 0 || s->m->joints[s->joint].nbody == 0) {
        return LW_OK;
    }
    const lw_status status = lw_forward_position(s->m, s->d, s->q);
    return status != LW_OK ? status
                           : lw_reaction_at_frame(s->m, s->d, s->reaction, s->joint, s->frame,
                                                  LW_IN_FRAME, &s->force);
}

static lw_status actuator_forces(subject *s)
{
    int rank = -1;
    const lw_status status = lw_actuator_forces(s->m, s->d, s->q, s->v, s->a, s->f_ext, s->m->nv,
                                                s->m->v_tree, NULL, s->tau, &rank, s->column);
    return rank == s->m->nv ? status : LW_ERR_ARGUMENT;
}

static lw_status shaft_ratios(subject *s)
{
    int nfollower;
    return lw_shaft_ratios(s->m, s->d, s->q, &nfollower, s->matrix[0]);
}

static lw_status drive_range(subject *s)
{
    double least, most;
    return s->m->ndrive > 0 ? lw_drive_range(s->m, 0, 1.0, &least, &most) : LW_OK;
}

static lw_status gear_forces(subject *s)
{
    return lw_gear_forces(s->m, s->d, s->q, s->v, s->a, s->f_ext, s->gear, s->gear + s->m->ngear);
}

static lw_status spring_states(subject *s)
{
    enum { MOST = 16 };
    lw_spring_state state[MOST];
    return s->m->nspring > MOST ? LW_ERR_LIMIT : lw_spring_states(s->m, s->d, s->q, s->v, state);
}

static lw_status failure(const subject *s)
{
    const lw_failure f = lw_data_failure(s->d, LW_ERR_SINGULAR);
    return f.loop == -1 && f.tree_dof == -1 && f.dof >= -1 && f.dof < s->m->nv && f.gap == 0.0 &&
                   f.followed == 1.0
               ? LW_OK
               : LW_ERR_LOOP_OPEN;
}

static lw_status restart(const subject *s)
{
    lw_data_restart(s->d);
    return lw_data_stage(s->d) == LW_STAGE_NONE ? LW_OK : LW_ERR_STAGE;
}

enum { MOST_CARRYING = 60 };

static lw_status payload_begin(subject *s)
{
    return s->m->frame[s->frame].body < 0 ? LW_OK
                                          : lw_payload_begin(s->m, s->frame, 1.0, &s->payload);
}

static lw_status payload_add(subject *s)
{
    double sigma[MOST_CARRYING], work[11 * MOST_CARRYING];
    if (s->m->frame[s->frame].body < 0 || s->m->nv > MOST_CARRYING) {
        return LW_OK;
    }
    for (int i = 0; i < s->m->nv; ++i) {
        sigma[i] = 1.0;
    }
    return lw_payload_add(s->m, s->d, &s->payload, s->q, s->v, s->a, s->tau, sigma, work);
}

static lw_status payload_result(subject *s)
{
    lw_payload_estimate estimate;
    return s->m->frame[s->frame].body < 0 ? LW_OK : lw_payload_result(&s->payload, &estimate);
}

#define DYNAMICS(DO)                                                                               \
    DO(lw_integrate, lw_integrate(s->m, s->m->q_reference, s->v, 0.02, s->q))                      \
    DO(lw_set_dynamics_options, set_and_get_options(s))                                            \
    DO(lw_inverse_dynamics, lw_inverse_dynamics(s->m, s->d, s->q, s->v, s->a, s->f_ext, s->tau))   \
    DO(lw_forward_dynamics, lw_forward_dynamics(s->m, s->d, s->q, s->v, s->tau, s->f_ext, s->a))   \
    DO(lw_gravity_forces, lw_gravity_forces(s->m, s->d, s->q, s->tau))                             \
    DO(lw_bias_forces, lw_bias_forces(s->m, s->d, s->q, s->v, s->tau))                             \
    DO(lw_coriolis_matrix, lw_coriolis_matrix(s->m, s->d, s->q, s->v, s->matrix[0]))               \
    DO(lw_forward_position, lw_forward_position(s->m, s->d, s->q))                                 \
    DO(lw_add_force_at_frame,                                                                      \
       lw_add_force_at_frame(s->m, s->d, s->frame, LW_IN_WORLD, &s->force, s->f_ext))              \
    DO(lw_reaction_forces,                                                                         \
       lw_reaction_forces(s->m, s->d, s->q, s->v, s->a, s->f_ext, s->reaction))                    \
    DO(lw_reaction_at_frame, reaction_at_frame(s))                                                 \
    DO(lw_loop_forces, lw_loop_forces(s->m, s->d, s->q, s->v, s->a, s->f_ext, NULL, NULL, NULL))   \
    DO(lw_gear_forces, gear_forces(s))                                                             \
    DO(lw_spring_states, spring_states(s))                                                         \
    DO(lw_actuator_forces, actuator_forces(s))                                                     \
    DO(lw_limit_drives, lw_limit_drives(s->m, s->d, s->q, s->v, s->tau, NULL, NULL))               \
    DO(lw_shaft_ratios, shaft_ratios(s))                                                           \
    DO(lw_drive_range, drive_range(s))                                                             \
    DO(lw_data_failure, failure(s))                                                                \
    DO(lw_data_restart, restart(s))                                                                \
    DO(lw_kinetic_energy, lw_kinetic_energy(s->m, s->d, s->q, s->v, &s->number))                   \
    DO(lw_potential_energy, lw_potential_energy(s->m, s->d, s->q, &s->number))                     \
    DO(lw_momentum, lw_momentum(s->m, s->d, s->q, s->v, &s->force))                                \
    DO(lw_centroidal_momentum,                                                                     \
       lw_centroidal_momentum(s->m, s->d, s->q, s->v, &s->force, &s->point))                       \
    DO(lw_centroidal_momentum_rate,                                                                \
       lw_centroidal_momentum_rate(s->m, s->d, s->q, s->v, s->a, &s->force))                       \
    DO(lw_centroidal_momentum_matrix,                                                              \
       lw_centroidal_momentum_matrix(s->m, s->d, s->q, s->matrix[0]))                              \
    DO(lw_mass_matrix, lw_mass_matrix(s->m, s->d, s->q, s->matrix[0]))                             \
    DO(lw_mass_matrix_upper, lw_mass_matrix_upper(s->m, s->d, s->q, s->matrix[0]))                 \
    DO(lw_frame_jacobian,                                                                          \
       lw_frame_jacobian(s->m, s->d, s->q, s->frame, LW_IN_WORLD, NULL, s->matrix[1]))

#define DERIVATIVES(DO)                                                                            \
    DO(lw_mass_factor, lw_mass_factor(s->m, s->d, s->matrix[0]))                                   \
    DO(lw_mass_solve, lw_mass_solve(s->m, s->d, s->matrix[0], 1, s->column))                       \
    DO(lw_mass_inverse, lw_mass_inverse(s->m, s->d, s->matrix[0], s->matrix[2]))                   \
    DO(lw_inverse_mass_matrix, lw_inverse_mass_matrix(s->m, s->d, s->q, s->matrix[2]))             \
    DO(lw_operational_inertia, lw_operational_inertia(s->m, s->d, s->matrix[0], 6, s->matrix[1],   \
                                                      s->small[0], s->small[1]))                   \
    DO(lw_parameter_of_link, parameter_of_link(s))                                                 \
    DO(lw_parameter_of_body, parameter_of_body(s))                                                 \
    DO(lw_find_parameter, find_parameter(s))                                                       \
    DO(lw_inertial_sensitivity,                                                                    \
       lw_inertial_sensitivity(s->m, s->d, s->q, s->v, s->a, 2, s->parameter, s->matrix[3]))       \
    DO(lw_linearize, lw_linearize(s->m, s->d, s->q, s->tau, &s->number, s->linear,                 \
                                  s->linear + 4 * s->m->nv * s->m->nv))                            \
    DO(lw_payload_begin, payload_begin(s))                                                         \
    DO(lw_payload_add, payload_add(s))                                                             \
    DO(lw_payload_result, payload_result(s))                                                       \
    DO(lw_regressor, lw_regressor(s->m, s->d, s->q, s->v, s->a, s->regressor))                     \
    DO(lw_inertial_parameters, lw_inertial_parameters(s->m, s->parameters))                        \
    DO(lw_inverse_dynamics_derivatives,                                                            \
       lw_inverse_dynamics_derivatives(s->m, s->d, s->q, s->v, s->a, s->f_ext, s->matrix[1],       \
                                       s->matrix[2], s->matrix[3]))                                \
    DO(lw_forward_dynamics_derivatives,                                                            \
       lw_forward_dynamics_derivatives(s->m, s->d, s->q, s->v, s->tau, NULL, s->a, s->matrix[1],   \
                                       s->matrix[2], s->matrix[3]))

#define BATCHES(DO)                                                                                \
    DO(lw_forward_position_batch, lw_forward_position_batch(s->m, s->batch, MANY, s->many_q,       \
                                                            s->m->nframe, NULL, s->many_poses))    \
    DO(lw_inverse_dynamics_batch,                                                                  \
       lw_inverse_dynamics_batch(s->m, s->batch, MANY, s->many_q, s->many_v, s->many_a, NULL,      \
                                 s->many_a))                                                       \
    DO(lw_forward_dynamics_batch,                                                                  \
       lw_forward_dynamics_batch(s->m, s->batch, MANY, s->many_q, s->many_v, s->many_a, NULL,      \
                                 s->many_a))                                                       \
    DO(lw_mass_matrix_batch, lw_mass_matrix_batch(s->m, s->batch, MANY, s->many_q, s->many_M))

DYNAMICS(RT_DEFINE)
DERIVATIVES(RT_DEFINE)
BATCHES(RT_DEFINE)
static const rt_function functions[] = {DYNAMICS(RT_ENTRY) DERIVATIVES(RT_ENTRY) BATCHES(RT_ENTRY)};
enum { NFUNCTION = sizeof functions / sizeof *functions };

TEST(D51_dynamics_allocate_nothing)
{
    check_no_allocation(functions, NFUNCTION);
}

TEST(D51_dynamics_make_no_system_call)
{
    check_no_system_call(functions, NFUNCTION);
}

int main(void)
{
    RUN(D51_dynamics_allocate_nothing);
    RUN(D51_dynamics_make_no_system_call);
    return REPORT();
}
