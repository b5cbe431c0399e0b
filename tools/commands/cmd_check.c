// linkwork check: all diagnostics of a model.

#include "commands/commands.h"
#include "report/model_report.h"
#include "support/job.h"
#include "support/message.h"

static void count_text(output *out, const char *before, int count, const char *what)
{
    fprintf(out->text, "%s%d %s%s", before, count, what, count == 1 ? "" : "s");
}

static int run(job *work)
{
    robot *r = &work->robot;
    output *out = &work->out;
    const int code = robot_open_silently(r, work->args);
    if (!r->report || code == EXIT_USAGE) { // which was reported
        return code;
    }
    work->prints_anyway = true;
    robot_check_drives(r, work->args);
    if (out->is_json) {
        out->json = output_object(out);
        output_set(out, out->json, "findings", diagnostics_json(out, r->report));
        return code;
    }
    print_diagnostics(r->report, 0);
    fprintf(out->text, "%s: ", work->args->operand[0]);
    count_text(out, "", count_diagnostics(r->report, LW_ERROR), "error");
    count_text(out, ", ", count_diagnostics(r->report, LW_WARNING), "warning");
    count_text(out, ", ", count_diagnostics(r->report, LW_NOTE), "note");
    fputc('\n', out->text);
    return code;
}

const command_def command_check = {
    .name = "check",
    .options = OPTIONS(OPTIONS_RESULT),
    .summary = "all errors and warnings of the file",
    .about = "Reads and compiles a model and lists all diagnostics, as file:line:column: severity: "
             "message [code] on standard error. The exit code is 1 if there is an error, and 0 "
             "with warnings and notes. --silence drops those of one code.",
    .keys = "diagnostics: file, line, column, severity (note, warning, error), code, message",
    .example = "check arm.urdf\ncheck rover.xml --path ../parts --json\n"
               "check arm.urdf --silence mesh-missing",
    .opens_itself = true,
    .run = run,
};
