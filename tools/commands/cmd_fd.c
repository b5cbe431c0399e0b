// linkwork fd: forward dynamics.

#include "commands/commands.h"
#include "report/result_tables.h"
#include "support/message.h"

#include <linkwork/dynamics.h>

static int evaluate(job *work, int i, json_t *result)
{
    double *a = job_numbers(work, work->m->nv, 1);
    const lw_status status =
        lw_forward_dynamics(work->m, work->d, states_q(&work->states, i),
                            states_v(&work->states, i), states_tau(&work->states, i), NULL, a);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    print_joint_vector(work, result, "a", a, UNIT_OF_ACCELERATION);
    return EXIT_GOOD;
}

const command_def command_fd = {
    .name = "fd",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION, OPT_V, OPT_T),
    .summary = "forward dynamics: motion that forces cause",
    .about = "Computes the accelerations that the given joint forces cause.",
    .keys = "a, names",
    .example = "fd arm.urdf -q 0,0.5,-0.5 -t elbow=3",
    .evaluate = evaluate,
};
