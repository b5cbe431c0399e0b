// linkwork dataset: random configurations and what belongs to them, as rows for learning.

#include "commands/commands.h"
#include "support/message.h"
#include "sweep/plan_text.h"
#include "sweep/sweep_drive.h"

static int run(job *work)
{
    const command_line *args = work->args;
    file_draft draft;
    int count = 0;
    const char *columns = args_has(args, OPT_COLUMNS) ? args_value(args, OPT_COLUMNS) : "q";
    char **item = memory_split(work->pool, columns, ',', &count);
    int code = plan_begin(&draft, work, 100000.0);
    if (code != EXIT_GOOD && !draft.to) {
        return code;
    }
    fputs("  <vary q=\"*\"/>\n", draft.to);
    for (int k = 0; k < count; ++k) {
        plan_add_measure(&draft, item[k]);
    }
    return plan_run(&draft, work, code);
}

const command_def command_dataset = {
    .name = "dataset",
    .operands = "MODEL",
    .options = OPTIONS(OPT_COUNT, OPT_COLUMNS, OPT_SEED, OPT_MODE, OPT_LEVEL, OPTIONS_SWEEP),
    .summary = "random configurations and what belongs to them, as .npy or CSV",
    .about =
        "Samples all joints within their limits, a whole revolution where they rotate without any, "
        "and writes a row for each configuration. It is a sweep: it can be stopped, continued and "
        "shared as 'linkwork sweep' explains, and its plan is kept in the folder.",
    .keys = KEYS_SWEEP,
    .example = "dataset arm.urdf --n 1e8 --columns q,tool0.pose,tau_gravity -o data --threads 2",
    .notes =
        NOTES(NOTE_SWEEP_OUTPUT,
              {OPT_COLUMNS, "What each row has, as of --measure of 'linkwork study', separated "
                            "by commas. Default: q."},
              {OPT_COUNT, "How many configurations. Default: 100000."}),
    .opens_itself = true,
    .run = run,
};
