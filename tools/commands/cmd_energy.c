// linkwork energy: kinetic and potential.

#include "commands/commands.h"
#include "support/job.h"
#include "support/message.h"

#include <linkwork/dynamics.h>

static int evaluate_energy(job *work, int i, json_t *result)
{
    const lw_model *m = work->robot.model;
    const double *q = states_q(&work->states, i);
    output *out = &work->out;
    double energy[2];
    lw_status status =
        lw_kinetic_energy(m, work->robot.data, q, states_v(&work->states, i), &energy[0]);
    if (status == LW_OK) {
        status = lw_potential_energy(m, work->robot.data, q, &energy[1]);
    }
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    static const char *const key[2] = {"kinetic", "potential"};
    if (result) {
        output_set(out, result, key[0], output_number(out, energy[0]));
        output_set(out, result, key[1], output_number(out, energy[1]));
    } else {
        static const char *const head = "J";
        output_table(out, "energy", key, 2, &head, 1, energy);
    }
    return EXIT_GOOD;
}

static int run_energy(const command_line *args)
{
    const job_steps steps = {NULL, evaluate_energy};
    return job_run(args, &steps, NULL);
}

const command_def command_energy = {
    .name = "energy",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION, OPT_V),
    .summary = "kinetic and potential energy",
    .about = "Gives the kinetic and the potential energy (J); that of gravity is zero at the "
             "origin of the world. Links fixed to the ground are not included: theirs is "
             "constant.",
    .keys = "kinetic, potential",
    .example = "energy arm.urdf -q 0,0.5,-0.5 -v 1,0,0",
    .run = run_energy,
};
