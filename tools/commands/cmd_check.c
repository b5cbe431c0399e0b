// linkwork check: all diagnostics of a model.

#include "commands/commands.h"
#include "report/output.h"
#include "support/message.h"
#include "support/robot_file.h"

static void findings_json(output *out, const lw_report *report)
{
    static const char *const severity[] = {"note", "warning", "error"};
    json_t *diagnostics = output_array(out);
    for (int i = 0; i < lw_report_count(report); ++i) {
        const lw_diagnostic diagnostic = lw_report_diagnostic(report, i);
        json_t *item = output_object(out);
        output_set(out, item, "file",
                   output_text(out, diagnostic.location.file ? diagnostic.location.file : ""));
        output_set(out, item, "line", json_integer(diagnostic.location.line));
        output_set(out, item, "column", json_integer(diagnostic.location.column));
        output_set(out, item, "severity", output_text(out, severity[diagnostic.severity]));
        output_set(out, item, "code", output_text(out, lw_diagnostic_code_name(&diagnostic)));
        output_set(out, item, "message", output_text(out, diagnostic.message));
        output_append(out, diagnostics, item);
    }
    out->json = output_object(out);
    output_set(out, out->json, "findings", diagnostics);
}

static void count_text(output *out, const char *before, int count, const char *what)
{
    fprintf(out->text, "%s%d %s%s", before, count, what, count == 1 ? "" : "s");
}

static int run_check(const command_line *args)
{
    robot r;
    output out = {0};
    int code = robot_open_silently(&r, args);
    if (!r.report || code == EXIT_USAGE) { // which was said
        robot_close(&r);
        return code;
    }
    if (!output_begin(&out, args_has(args, OPT_JSON))) {
        code = complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
        robot_close(&r);
        return code;
    }
    robot_check_drives(&r, args);
    if (out.is_json) {
        findings_json(&out, r.report);
    } else {
        print_diagnostics(r.report, 0);
        fprintf(out.text, "%s: ", args->operand[0]);
        count_text(&out, "", count_diagnostics(r.report, LW_ERROR), "error");
        count_text(&out, ", ", count_diagnostics(r.report, LW_WARNING), "warning");
        count_text(&out, ", ", count_diagnostics(r.report, LW_NOTE), "note");
        fputc('\n', out.text);
    }
    code = output_finish_anyway(&out, code);
    robot_close(&r);
    return code;
}

const command_def command_check = {
    .name = "check",
    .options = OPTIONS(OPTIONS_RESULT),
    .summary = "everything that is wrong or doubtful in the file",
    .about = "Reads and compiles a model and lists all diagnostics, as "
             "file:line:column: severity: message [code] on standard error. Ends with 1 where "
             "there is an error; warnings and notes leave it at 0. --silence drops those of "
             "one code.",
    .keys = "diagnostics: file, line, column, severity (note, warning, error), code, message",
    .example = "check arm.urdf\ncheck rover.xml --path ../parts --json\n"
               "check arm.urdf --silence mesh-missing",
    .run = run_check,
};
