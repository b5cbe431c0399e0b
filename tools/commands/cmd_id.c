// linkwork id: inverse dynamics, and what the drives must give.

#include "commands/commands.h"
#include "report/joint_vector.h"
#include "support/message.h"

#include <linkwork/dynamics.h>

#include <math.h>
#include <stdlib.h>

// What the drives leave to be done, coordinate by coordinate.
static void tell_rest(output *out, const lw_model *m, const double *rest)
{
    double largest = 0;
    for (int k = 0; k < m->nv; ++k) {
        largest = fmax(largest, fabs(rest[k]));
    }
    fputs("the drives alone cannot make this motion; still missing:", out->text);
    for (int k = 0, count = 0; k < m->nv; ++k) {
        if (fabs(rest[k]) > 1e-9 * largest) {
            fprintf(out->text, "%s %.6g at %s", count++ > 0 ? "," : "", rest[k],
                    m->velocity_name[k]);
        }
    }
    fputc('\n', out->text);
}

// What the drives must give for the motion, where the machine has any.
static int evaluate_drives(job *work, int i, json_t *result)
{
    const lw_model *m = work->robot.model;
    if (m->ndrive == 0) {
        return EXIT_GOOD;
    }
    const state_list *states = &work->states;
    output *out = &work->out;
    static const char *const head = "effort";
    int *dof = calloc((size_t)m->ndrive, sizeof *dof);
    const char **name = calloc((size_t)m->ndrive, sizeof *name);
    double *effort = job_numbers(m->ndrive, 1), *rest = job_numbers(m->nv, 1);
    int code = dof && name && effort && rest ? EXIT_GOOD : EXIT_FILE;
    for (int k = 0; k < m->ndrive && code == EXIT_GOOD; ++k) {
        dof[k] = m->drive[k].dof;
        name[k] = m->drive[k].name;
    }
    if (code == EXIT_GOOD) {
        const lw_status status =
            lw_actuator_forces(m, work->robot.data, states_q(states, i), states_v(states, i),
                               states_a(states, i), NULL, m->ndrive, dof, NULL, effort, NULL, rest);
        const bool is_whole = status == LW_OK;
        if (!is_whole && status != LW_ERR_SINGULAR) {
            code = job_failure(work, i, status);
        } else if (result) {
            output_set(out, result, "drives", output_names(out, name, m->ndrive));
            output_set(out, result, "effort", output_numbers(out, effort, m->ndrive));
            output_set(out, result, "drives_suffice", json_boolean(is_whole));
        } else {
            const char **unit = unit_list(m, dof, m->ndrive, UNIT_OF_FORCE);
            fputc('\n', out->text);
            output_unit_table(out, "drive", name, m->ndrive, &head, 1, effort, NULL, unit);
            out->is_short = out->is_short || !unit;
            free(unit);
            if (!is_whole) {
                tell_rest(out, m, rest);
            }
        }
    }
    free(dof);
    free(name);
    free(effort);
    free(rest);
    return code;
}

static lw_status inverse(const lw_model *m, lw_data *d, const state_list *states, int i,
                         double *result)
{
    return lw_inverse_dynamics(m, d, states_q(states, i), states_v(states, i), states_a(states, i),
                               NULL, result);
}

static int run_id(const command_line *args)
{
    return joint_vector_run(args, (joint_vector){.function = inverse,
                                                 .key = "tau",
                                                 .unit = UNIT_OF_FORCE,
                                                 .more = evaluate_drives});
}

const command_def command_id = {
    .name = "id",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_MOTION),
    .summary = "inverse dynamics: forces for a motion",
    .about = "Gives the joint forces and torques (N, N m) that produce the given "
             "accelerations, and what the drives must give for them where the machine has any: "
             "the least sum of squares where they can share it.",
    .keys = "tau, names; with drives: drives (names), effort, drives_suffice",
    .example = "id arm.urdf -q 0,0.5,-0.5 -v 1,0,0 -a 0,0,2",
    .run = run_id,
};
