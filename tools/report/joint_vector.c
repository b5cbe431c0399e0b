#include "report/joint_vector.h"

#include "support/message.h"

#include <stdlib.h>

static int prepare(job *work)
{
    joint_vector *vector = work->context;
    vector->result = job_numbers(work->robot.model->nv, 1);
    return vector->result ? EXIT_GOOD : EXIT_FILE;
}

static int evaluate(job *work, int i, json_t *result)
{
    const joint_vector *vector = work->context;
    const lw_model *m = work->robot.model;
    output *out = &work->out;
    const lw_status status =
        vector->function(m, work->robot.data, &work->states, i, vector->result);
    if (status != LW_OK) {
        return job_failure(work, i, status);
    }
    if (result) {
        output_set(out, result, vector->key, output_numbers(out, vector->result, m->nv));
        output_set(out, result, "names", output_names(out, m->velocity_name, m->nv));
    } else {
        const char **unit = unit_list(m, m->v_tree, m->nv, vector->unit);
        output_unit_table(out, "velocity", m->velocity_name, m->nv, &vector->key, 1, vector->result,
                          NULL, unit);
        out->is_short = out->is_short || !unit;
        free(unit);
    }
    return vector->more ? vector->more(work, i, result) : EXIT_GOOD;
}

int joint_vector_run(const command_line *args, joint_vector vector)
{
    const job_steps steps = {prepare, evaluate};
    const int code = job_run(args, &steps, &vector);
    free(vector.result);
    return code;
}
