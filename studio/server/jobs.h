// Operations: commands of the program, each in a child process with limits, in a folder of its own.
//
// The request of an operation is JSON: {"options": {"frame": "tool", "pose": [0.4, ...]},
// "operand": "task.xml", "files": {"task.xml": "<run ..."}}. It becomes the command line
// `linkwork OP MODEL --frame tool --pose 0.4,... --json`; what that prints is the reply.
#ifndef JOBS_H
#define JOBS_H

#include "shown.h"

#include <jansson.h>
#include <sys/types.h>

enum {
    JOBS_MOST = 16,   ///< that are kept, with their results
    JOBS_RUNNING = 4, ///< at the same time
    JOB_CPU_SECONDS = 300,
    JOB_MEMORY_MB = 4096,
    JOB_FILE_MB = 64
};

typedef struct operation {
    int id; ///< 0 for none
    pid_t child;
    int alive; ///< reading end of a pipe that the child holds; -1 when it has ended
    char *folder;
    const char *model_folder;
    char command[16];
    double began, ended; ///< s
    int code;            ///< exit code; -1 while it runs, -2 where it was ended by a signal
    int signal;
    bool is_cancelled;
    bool is_new; ///< it has ended, and nobody was informed yet
} operation;

typedef struct jobs {
    operation job[JOBS_MOST];
    int last; ///< id
} jobs;

/// Starts an operation. Returns its id; or -1 where the request is refused (400), -2 where too many
/// run (429), -3 where the system refuses (500). *why is then a sentence.
int jobs_start(jobs *all, const shown *s, const char *command, const json_t *request,
               const char **why);

/// Whether a command may be asked for.
bool jobs_has_command(const char *command);

operation *jobs_find(jobs *all, int id);

/// Collects what has ended. Returns one that is_new, or NULL.
operation *jobs_collect(jobs *all);

/// Ends a child; its result is that it was cancelled.
void jobs_cancel(operation *task);

/// The reply to GET /api/1/job/ID: job, command, running, seconds, log (standard error so far);
/// progress (0 to 1) and stage where the command reports them; when it has ended also code, result
/// (JSON, or text where it is none) and files (name: text, empty where it is binary).
json_t *job_reply(const operation *task);

/// Ends everything and removes the folders.
void jobs_close(jobs *all);

#endif
