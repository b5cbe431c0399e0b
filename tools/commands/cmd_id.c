// linkwork id: inverse dynamics, and what the drives must give.

#include "commands/commands.h"
#include "report/result_tables.h"
#include "support/message.h"

#include <linkwork/dynamics.h>

#include <math.h>

// What the drives leave to be done, coordinate by coordinate.
static void print_rest(output *out, const lw_model *m, const double *rest)
{
    double largest = 0;
    for (int k = 0; k < m->nv; ++k) {
        largest = fmax(largest, fabs(rest[k]));
    }
    fputs("the drives alone cannot produce this motion; residual:", out->text);
    for (int k = 0, count = 0; k < m->nv; ++k) {
        if (fabs(rest[k]) > 1e-9 * largest) {
            fprintf(out->text, "%s %.6g at %s", count++ > 0 ? "," : "", rest[k],
                    m->velocity_name[k]);
        }
    }
    fputc('\n', out->text);
}

// What the drives must give for the motion, if the mechanism has any.
static int evaluate_drives(job *work, int i, json_t *result)
{
    const lw_model *m = work->m;
    const state_list *states = &work->states;
    output *out = &work->out;
    static const char *const head = "effort";
    int *dof = memory_get(work->pool, (size_t)m->ndrive, sizeof *dof);
    const char **name = memory_get(work->pool, (size_t)m->ndrive, sizeof *name);
    double *force = job_numbers(work, m->ndrive, 1), *rest = job_numbers(work, m->nv, 1);
    for (int k = 0; k < m->ndrive; ++k) {
        dof[k] = m->drive[k].dof;
        name[k] = m->drive[k].name;
    }
    const lw_status status =
        lw_actuator_forces(m, work->d, states_q(states, i), states_v(states, i),
                           states_a(states, i), NULL, m->ndrive, dof, NULL, force, NULL, rest);
    if (status != LW_OK && status != LW_ERR_SINGULAR) {
        return job_failure(work, i, status);
    }
    if (result) {
        output_put(out, result, "drives o, effort o, drives_suffice o",
                   output_names(out, name, m->ndrive), output_numbers(out, force, m->ndrive),
                   json_boolean(status == LW_OK));
        return EXIT_GOOD;
    }
    fputc('\n', out->text);
    output_unit_table(out, "drive", name, m->ndrive, &head, 1, force, NULL,
                      unit_list(work->pool, m, dof, m->ndrive, UNIT_OF_FORCE));
    if (status != LW_OK) {
        print_rest(out, m, rest);
    }
    return EXIT_GOOD;
}

static int evaluate(job *work, int i, json_t *result)
{
    double *tau = job_numbers(work, work->m->nv, 1);
    const lw_status status =
        lw_inverse_dynamics(work->m, work->d, states_q(&work->states, i),
                            states_v(&work->states, i), states_a(&work->states, i), NULL, tau);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    print_joint_vector(work, result, "tau", tau, UNIT_OF_FORCE);
    return work->m->ndrive > 0 ? evaluate_drives(work, i, result) : EXIT_GOOD;
}

const command_def command_id = {
    .name = "id",
    .options = OPTIONS(OPTIONS_RESULT, OPTIONS_MOTION),
    .summary = "inverse dynamics: forces for a motion",
    .about = "Computes the joint forces and torques (N, N m) that produce the given accelerations, "
             "and the forces of the drives if the model has any: those with the least sum of "
             "squares if drives share a load.",
    .keys = "tau, names; with drives: drives (names), effort, drives_suffice",
    .example = "id arm.urdf -q 0,0.5,-0.5 -v 1,0,0 -a 0,0,2",
    .evaluate = evaluate,
};
