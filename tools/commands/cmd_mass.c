// linkwork mass: the mass matrix.

#include "commands/commands.h"
#include "report/units.h"
#include "support/job.h"
#include "support/message.h"

#include <linkwork/dynamics.h>

#include <stdlib.h>

static int prepare_mass(job *work)
{
    const int nv = work->robot.model->nv;
    double **M = work->context;
    *M = job_numbers(nv, nv);
    return *M ? EXIT_GOOD : EXIT_FILE;
}

static int evaluate_mass(job *work, int i, json_t *result)
{
    double *M = *(double **)work->context;
    const lw_model *m = work->robot.model;
    output *out = &work->out;
    const lw_status status = lw_mass_matrix(m, work->robot.data, states_q(&work->states, i), M);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    if (result) {
        output_set(out, result, "M", output_matrix(out, M, m->nv, m->nv));
        output_set(out, result, "names", output_names(out, m->velocity_name, m->nv));
    } else {
        fprintf(out->text, "mass matrix, %s; columns in the order of the rows\n",
                unit_of_all(m, UNIT_OF_INERTIA));
        output_table(out, "", m->velocity_name, m->nv, NULL, m->nv, M);
    }
    return EXIT_GOOD;
}

static int run_mass(const command_line *args)
{
    double *M = NULL;
    const job_steps steps = {prepare_mass, evaluate_mass};
    const int code = job_run(args, &steps, &M);
    free(M);
    return code;
}

const command_def command_mass = {
    .name = "mass",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_POSITION),
    .summary = "mass matrix",
    .about = "Gives the mass matrix at the given positions, rotor inertias included.",
    .keys = "M (rows), names",
    .example = "mass arm.urdf -q 0,0.5,-0.5 --json",
    .run = run_mass,
};
