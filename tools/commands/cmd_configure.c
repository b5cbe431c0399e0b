// linkwork configure: from a specification of a robot, through rules, to a mechanism.

#include "commands/commands.h"
#include "report/rules_report.h"
#include "support/job.h"
#include "support/message.h"

static int open_spec(const job *work, lw_report *report, lw_spec **spec)
{
    lw_status status = lw_spec_load(work->args->operand[0], spec, report);
    for (int i = 0; i < args_count(work->args, OPT_RULES) && status == LW_OK; ++i) {
        status = lw_rules_load(*spec, args_value_at(work->args, OPT_RULES, i), report);
    }
    return status == LW_OK ? EXIT_GOOD : exit_code_of(status);
}

static int run(job *work)
{
    lw_spec *spec = NULL;
    if (args_has(work->args, OPT_LIST)) {
        rules_list(&work->out);
        return EXIT_GOOD;
    }
    int code = report_open(work->args, &work->robot.report);
    lw_report *report = work->robot.report;
    if (code == EXIT_GOOD) {
        code = open_spec(work, report, &spec);
    }
    if (code == EXIT_GOOD) {
        const lw_status status = lw_spec_check(spec, report);
        work->out.json = work->out.is_json ? output_object(&work->out) : NULL;
        rules_report(&work->out, spec);
        work->prints_anyway = true;
        code = status == LW_OK ? EXIT_GOOD : exit_code_of(status);
    }
    print_diagnostics(report, 0);
    lw_spec_destroy(spec);
    return code;
}

static int check(const command_line *args)
{
    return args_has(args, OPT_CHECK) || args_has(args, OPT_LIST)
               ? EXIT_GOOD
               : complain(EXIT_USAGE, "configure needs --check or --list");
}

const command_def command_configure = {
    .name = "configure",
    .operands = "SPEC",
    .options = OPTIONS(OPT_CHECK, OPT_LIST, OPT_RULES, OPT_SILENCE, OPT_JSON),
    .summary = "rules for a robot from its specification",
    .about = "Reads a specification of a robot (docs/howto/configure.md): its class, the letters "
             "of its joints, lengths, limits and masses; completes what was left out, and "
             "evaluates the rules of a knowledge base, each of which holds, is violated, or cannot "
             "be decided yet. All violated rules are reported at once, with the fields that they "
             "involve. The exit code of --check is 1 where a requirement is violated.",
    .keys = "rules: name, kind (requirement, usual), state (holds, violated, undecided), index (of "
            "the joint or link, or 0), fields, reason, remedy, overridden, file, line, column; "
            "completions: field, value, rule, reason; with --list classes: name, letters, about, "
            "fields; rules: name, kind, classes, each, condition, set, to, reason, remedy",
    .example = "configure models/specs/scara.xml --check\n"
               "configure arm.xml --check --rules house.xml --json\n"
               "configure --list",
    .opens_itself = true,
    .check = check,
    .run = run,
};
