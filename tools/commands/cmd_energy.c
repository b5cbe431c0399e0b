// linkwork energy: kinetic and potential.

#include "commands/commands.h"
#include "support/job.h"
#include "support/message.h"

#include <linkwork/dynamics.h>

static int evaluate(job *work, int i, json_t *result)
{
    static const char *const key[2] = {"kinetic", "potential"}, *const head = "J";
    const double *q = states_q(&work->states, i);
    double energy[2];
    lw_status status =
        lw_kinetic_energy(work->m, work->d, q, states_v(&work->states, i), &energy[0]);
    if (status == LW_OK) {
        status = lw_potential_energy(work->m, work->d, q, &energy[1]);
    }
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    if (result) {
        output_put(&work->out, result, "kinetic f, potential f", energy[0], energy[1]);
    } else {
        output_table(&work->out, "energy", key, 2, &head, 1, energy);
    }
    return EXIT_GOOD;
}

const command_def command_energy = {
    .name = "energy",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION, OPT_V),
    .summary = "kinetic and potential energy",
    .about = "Computes the kinetic and the potential energy (J); that of gravity is zero at the "
             "origin of the world. Links fixed to the ground are not included: theirs is constant.",
    .keys = "kinetic, potential",
    .example = "energy arm.urdf -q 0,0.5,-0.5 -v 1,0,0",
    .evaluate = evaluate,
};
