#include "support/job.h"

#include "support/message.h"

// Where the result of state i goes: a JSON object, or NULL for text.
static json_t *begin_result(job *work, int i)
{
    output *out = &work->out;
    const bool is_array = work->states.is_array;
    if (out->is_json) {
        return is_array ? output_item(out, out->json) : (out->json = output_object(out));
    }
    if (is_array) {
        fprintf(out->text, "%sstate %d of %d\n", i > 0 ? "\n" : "", i + 1, work->states.count);
    }
    return NULL;
}

int job_run(const command_line *args)
{
    const command_def *command = args->command;
    job work = {.args = args, .pool = args->pool};
    work.context = memory_get(args->pool, 1, command->context_size);
    int code = command->check ? command->check(args) : EXIT_GOOD;
    output_begin(&work.out, args);
    if (code == EXIT_GOOD && !command->opens_itself) {
        code = robot_open(&work.robot, args);
        work.m = work.robot.model;
        work.d = work.robot.data;
    }
    if (code == EXIT_GOOD && command->evaluate) {
        code = states_read(&work.states, args, work.m);
    }
    if (code == EXIT_GOOD && command->run) {
        code = command->run(&work);
    }
    if (work.states.is_array && work.out.is_json) {
        work.out.json = output_array(&work.out); // also of no states
    }
    for (int i = 0; command->evaluate && i < work.states.count && code == EXIT_GOOD; ++i) {
        const struct memory_block *mark = args->pool->last;
        code = command->evaluate(&work, i, begin_result(&work, i));
        memory_free(args->pool, mark);
    }
    code = (work.prints_anyway ? output_finish_anyway : output_finish)(&work.out, code);
    code = code == EXIT_GOOD ? work.code : code;
    if (command->end) {
        command->end(&work);
    }
    robot_close(&work.robot);
    return code;
}

int job_failure(const job *work, int i, lw_status status)
{
    char which[32] = "";
    if (work->states.is_array) {
        snprintf(which, sizeof which, "state %d: ", i + 1);
    }
    return complain_of(work->m, work->d, status, "%s", which);
}

double *job_numbers(const job *work, int rows, int columns)
{
    return memory_numbers(work->pool, rows, columns);
}
