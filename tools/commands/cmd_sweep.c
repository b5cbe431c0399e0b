// linkwork sweep: many cases of one plan, on one machine or on many.

#include "commands/commands.h"
#include "support/files.h"
#include "support/message.h"
#include "sweep/sweep_drive.h"

#include <stdlib.h>
#include <sys/stat.h>

static int run(job *work)
{
    const command_line *args = work->args;
    const char *path = args->operand[0];
    if (args_has(args, OPT_MERGE)) {
        return drive_merge(work, path);
    }
    if (args_has(args, OPT_STATUS)) {
        return drive_status(work, path);
    }
    struct stat what;
    if (stat(path, &what) == 0 && S_ISDIR(what.st_mode)) {
        return complain(EXIT_USAGE,
                        "%s is a folder: --status prints what is finished there, --merge makes "
                        "its result; to go on, give its plan and -o %s",
                        path, path);
    }
    char *text = NULL;
    size_t size = 0;
    int code = file_read(path, &text, &size);
    if (code == EXIT_GOOD) {
        code = drive_plan(work, path, text, size);
    }
    free(text);
    return code;
}

const command_def command_sweep = {
    .name = "sweep",
    .operands = "PLAN",
    .options = OPTIONS(OPTIONS_SWEEP, OPT_MERGE, OPT_STATUS),
    .summary = "many cases of one plan, on one machine or on many",
    .about =
        "A plan (docs/howto/sweeps.md) says what varies and what is measured. Results are rows "
        "that depend on the plan and the number of the case alone: neither on threads, ranks, "
        "shards nor interruptions. What is finished is kept in the folder whatever happens, and "
        "the same command goes on from there.\n\n"
        "Under mpirun the ranks share the work. SIGTERM ends it after at most a moment, with exit "
        "code 75; a case that fails is a row with its reason, and --case replays it.",
    .keys = KEYS_SWEEP,
    .example = "sweep plan.xml -o results --threads 2\nsweep plan.xml -o results --shard 3/10\n"
               "sweep results --merge\nsweep plan.xml --case 17",
    .notes = NOTES(NOTE_SWEEP_OUTPUT),
    .opens_itself = true,
    .run = run,
};
