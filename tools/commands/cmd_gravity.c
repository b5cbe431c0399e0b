// linkwork gravity: generalised gravity forces.

#include "commands/commands.h"
#include "report/joint_vector.h"

#include <linkwork/dynamics.h>

static lw_status gravity(const lw_model *m, lw_data *d, const state_list *states, int i,
                         double *result)
{
    return lw_gravity_forces(m, d, states_q(states, i), result);
}

static int run_gravity(const command_line *args)
{
    return joint_vector_run(
        args, (joint_vector){.function = gravity, .key = "tau", .unit = UNIT_OF_FORCE});
}

const command_def command_gravity = {
    .name = "gravity",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION),
    .summary = "forces that hold the weight",
    .about = "Gives the joint forces and torques that hold the weight at rest.",
    .keys = "tau, names",
    .example = "gravity arm.urdf -q 0,0.5,-0.5",
    .run = run_gravity,
};
