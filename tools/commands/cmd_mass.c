// linkwork mass: the mass matrix.

#include "commands/commands.h"
#include "report/units.h"
#include "support/job.h"
#include "support/message.h"

#include <linkwork/dynamics.h>

static int evaluate(job *work, int i, json_t *result)
{
    const lw_model *m = work->m;
    output *out = &work->out;
    double *M = job_numbers(work, m->nv, m->nv);
    const lw_status status = lw_mass_matrix(m, work->d, states_q(&work->states, i), M);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    if (result) {
        output_put(out, result, "M o, names o", output_matrix(out, M, m->nv, m->nv),
                   output_names(out, m->velocity_name, m->nv));
    } else {
        fprintf(out->text, "mass matrix, %s; columns in the order of the rows\n",
                unit_of_all(m, UNIT_OF_INERTIA));
        output_table(out, "", m->velocity_name, m->nv, NULL, m->nv, M);
    }
    return EXIT_GOOD;
}

const command_def command_mass = {
    .name = "mass",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION),
    .summary = "mass matrix",
    .about = "Computes the mass matrix at the given positions, rotor inertias included.",
    .keys = "M (rows), names",
    .example = "mass arm.urdf -q 0,0.5,-0.5 --json",
    .evaluate = evaluate,
};
