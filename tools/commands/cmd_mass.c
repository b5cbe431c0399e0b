// linkwork mass: the mass matrix, or its inverse.

#include "commands/commands.h"
#include "report/units.h"
#include "support/job.h"
#include "support/message.h"

#include <linkwork/derivatives.h>
#include <linkwork/dynamics.h>

static int evaluate(job *work, int i, json_t *result)
{
    const lw_model *m = work->m;
    output *out = &work->out;
    double *M = job_numbers(work, m->nv, m->nv);
    const bool is_inverse = args_has(work->args, OPT_INVERSE);
    const double *q = states_q(&work->states, i);
    const lw_status status =
        is_inverse ? lw_inverse_mass_matrix(m, work->d, q, M) : lw_mass_matrix(m, work->d, q, M);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    if (result) {
        output_put(out, result, is_inverse ? "inverse o, names o" : "M o, names o",
                   output_matrix(out, M, m->nv, m->nv), output_names(out, m->velocity_name, m->nv));
    } else if (is_inverse) {
        fputs("inverse of the mass matrix; columns in the order of the rows\n", out->text);
        output_table(out, "", m->velocity_name, m->nv, NULL, m->nv, M);
    } else {
        fprintf(out->text, "mass matrix, %s; columns in the order of the rows\n",
                unit_of_all(m, UNIT_OF_INERTIA));
        output_table(out, "", m->velocity_name, m->nv, NULL, m->nv, M);
    }
    return EXIT_GOOD;
}

const command_def command_mass = {
    .name = "mass",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION, OPT_INVERSE),
    .summary = "mass matrix, and its inverse",
    .about = "Computes the mass matrix at the given positions, rotor inertias included, or its "
             "inverse.",
    .keys = "M (rows; with --inverse inverse instead), names",
    .example = "mass arm.urdf -q 0,0.5,-0.5 --json\nmass arm.urdf --inverse",
    .evaluate = evaluate,
};
