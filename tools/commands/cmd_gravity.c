// linkwork gravity: generalised gravity forces.

#include "commands/commands.h"
#include "report/result_tables.h"
#include "support/message.h"

#include <linkwork/dynamics.h>

static int evaluate(job *work, int i, json_t *result)
{
    double *tau = job_numbers(work, work->m->nv, 1);
    const lw_status status = lw_gravity_forces(work->m, work->d, states_q(&work->states, i), tau);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    print_joint_vector(work, result, "tau", tau, UNIT_OF_FORCE);
    return EXIT_GOOD;
}

const command_def command_gravity = {
    .name = "gravity",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION),
    .summary = "joint forces that balance gravity",
    .about = "Computes the joint forces and torques that balance gravity at rest.",
    .keys = "tau, names",
    .example = "gravity arm.urdf -q 0,0.5,-0.5",
    .evaluate = evaluate,
};
