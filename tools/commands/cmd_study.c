// linkwork study: measures of a mechanism over parameters and structures.

#include "commands/commands.h"
#include "support/message.h"
#include "sweep/plan_text.h"
#include "sweep/sweep_drive.h"

static int run(job *work)
{
    file_draft draft;
    int code = plan_begin(&draft, work, 1.0);
    if (code != EXIT_GOOD && !draft.to) {
        return code;
    }
    code = code == EXIT_GOOD ? plan_add_inputs(&draft, work) : code;
    plan_add_measure(&draft, "inputs");
    code = code == EXIT_GOOD ? plan_add_measures(&draft, work) : code;
    return plan_run(&draft, work, code);
}

const command_def command_study = {
    .name = "study",
    .operands = "MODEL",
    .options = OPTIONS(OPT_VARY, OPT_MEASURE, OPT_STRUCTURE, OPT_RUN, OPT_COUNT, OPT_SEED, OPT_MODE,
                       OPT_LEVEL, OPTIONS_SWEEP),
    .summary = "measures over parameters and alternative structures",
    .about =
        "Computes measures, of one configuration or of a simulated run, for every point of a grid "
        "of parameters, for points of a Latin hypercube, or both, and for every structure. Each "
        "row has what varied. The least and the largest of each measure are printed with their "
        "cases; --case prints one.",
    .keys = KEYS_SWEEP,
    .example = "study arm.xml --vary wrist.ratio=50:120:5 --vary arm.mass='lhs(8,12)' --n 20 "
               "--run task.xml --measure 'max(abs(tau[R2]))' -o study\n"
               "study a.xml --structure b.xml --measure tool.manipulability -o study",
    .notes = NOTES(NOTE_SWEEP_OUTPUT, {OPT_COUNT, "Cases of each point of the grid. Default: 1."},
                   {OPT_RUN, "What a simulation of each case does: needed by measures of a run."}),
    .opens_itself = true,
    .run = run,
};
