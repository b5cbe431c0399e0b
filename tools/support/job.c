#include "support/job.h"

#include "support/message.h"

#include <stdlib.h>

static int evaluate_all(job *work, const job_steps *steps)
{
    output *out = &work->out;
    const bool is_array = work->states.is_array;
    if (out->is_json && is_array) {
        out->json = output_array(out);
    }
    for (int i = 0; i < work->states.count; ++i) {
        json_t *result = out->is_json ? output_object(out) : NULL;
        if (!out->is_json && is_array) {
            fprintf(out->text, "%sstate %d of %d\n", i > 0 ? "\n" : "", i + 1, work->states.count);
        }
        const int code = steps->evaluate(work, i, result);
        if (is_array && result) {
            output_append(out, out->json, result);
        } else {
            out->json = result;
        }
        if (code != EXIT_GOOD) {
            return code;
        }
    }
    return EXIT_GOOD;
}

int job_run(const command_line *args, const job_steps *steps, void *context)
{
    job work = {.args = args, .context = context};
    int code = robot_open(&work.robot, args);
    if (code == EXIT_GOOD) {
        code = states_read(&work.states, args, work.robot.model);
    }
    if (code == EXIT_GOOD && steps->prepare) {
        code = steps->prepare(&work);
    }
    if (code == EXIT_GOOD && !output_begin(&work.out, args_has(args, OPT_JSON))) {
        code = complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
    }
    if (code == EXIT_GOOD) {
        code = evaluate_all(&work, steps);
    }
    code = output_finish(&work.out, code);
    states_free(&work.states);
    robot_close(&work.robot);
    return code;
}

int job_failure(const job *work, int i, lw_status status)
{
    char which[32] = "";
    if (work->states.is_array) {
        snprintf(which, sizeof which, "state %d: ", i + 1);
    }
    char why[ROBOT_WHY_ROOM];
    return complain(exit_code_of(status), "%s%s", which,
                    robot_why(work->robot.model, work->robot.data, status, why));
}

double *job_numbers(int rows, int columns)
{
    double *block = calloc((size_t)rows * (size_t)columns + 1, sizeof *block);
    if (!block) {
        complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
    }
    return block;
}
