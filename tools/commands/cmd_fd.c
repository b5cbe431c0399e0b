// linkwork fd: forward dynamics.

#include "commands/commands.h"
#include "report/joint_vector.h"

#include <linkwork/dynamics.h>

static lw_status forward(const lw_model *m, lw_data *d, const state_list *states, int i,
                         double *result)
{
    return lw_forward_dynamics(m, d, states_q(states, i), states_v(states, i),
                               states_tau(states, i), NULL, result);
}

static int run_fd(const command_line *args)
{
    return joint_vector_run(
        args, (joint_vector){.function = forward, .key = "a", .unit = UNIT_OF_ACCELERATION});
}

const command_def command_fd = {
    .name = "fd",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION, OPT_V, OPT_T),
    .summary = "forward dynamics: motion that forces cause",
    .about = "Gives the accelerations that the given joint forces cause.",
    .keys = "a, names",
    .example = "fd arm.urdf -q 0,0.5,-0.5 -t elbow=3",
    .run = run_fd,
};
