// linkwork convert: writes a model in another format.

#include "commands/commands.h"
#include "support/job.h"
#include "support/message.h"

#include <string.h>

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

// The format to write; LW_FORMAT_UNKNOWN after a complaint.
static lw_format choose_format(const command_line *args)
{
    static const char *const word[] = {"linkwork", "urdf", NULL};
    static const lw_format format[] = {LW_FORMAT_LINKWORK, LW_FORMAT_URDF};
    if (args_has(args, OPT_TO)) {
        const int choice = args_choice(args, OPT_TO, word);
        return choice < 0 ? LW_FORMAT_UNKNOWN : format[choice];
    }
    const char *path = args->operand[1];
    if (ends_with(path, ".urdf")) {
        return LW_FORMAT_URDF;
    }
    if (ends_with(path, ".xml")) {
        return LW_FORMAT_LINKWORK;
    }
    complain(EXIT_USAGE, "\"%s\" does not determine the format: give --to linkwork or --to urdf",
             path);
    return LW_FORMAT_UNKNOWN;
}

static void report_loss(output *out, const lw_report *report, const char *path)
{
    const int count = lw_report_count(report);
    if (out->is_json) {
        json_t *lost = output_array(out);
        for (int i = 0; i < count; ++i) {
            output_append(out, lost, output_text(out, lw_report_diagnostic(report, i).message));
        }
        out->json = output_object(out);
        output_set(out, out->json, "lost", lost);
        return;
    }
    fprintf(out->text, "%s is written, %s\n", path,
            count == 0 ? "and nothing is lost" : "with these differences:");
    for (int i = 0; i < count; ++i) {
        fprintf(out->text, "  %s\n", lw_report_diagnostic(report, i).message);
    }
}

static lw_status print_model(const lw_mech *mech, lw_format format, FILE *file, lw_report *report)
{
    char *text = NULL;
    size_t size = 0;
    const lw_status status = lw_save_text(mech, format, &text, &size, report);
    if (status == LW_OK) {
        fwrite(text, 1, size, file); // in memory; output_finish() reports where memory is short
    }
    lw_text_free(text);
    return status;
}

static int run(job *work)
{
    static const char *const forms[] = {"transform", "zero", "paul", "craig", NULL};
    const command_line *args = work->args;
    const char *path = args->operand[1];
    const bool has_form = args_has(args, OPT_JOINT_FORM), is_printed = strcmp(path, "-") == 0;
    const lw_format format = choose_format(args);
    const int form = has_form ? args_choice(args, OPT_JOINT_FORM, forms) : LW_FORM_TRANSFORM;
    if (format == LW_FORMAT_UNKNOWN || form < 0) {
        return EXIT_USAGE;
    }
    if (form != LW_FORM_TRANSFORM && format == LW_FORMAT_URDF) {
        return complain(EXIT_USAGE, "URDF places joints by transforms only: leave out --form");
    }
    if (is_printed && args_has(args, OPT_JSON)) {
        return complain(EXIT_USAGE, "the model takes standard output: leave out --json");
    }
    // What does not compile is not written either: a bad model stays where it can be corrected.
    int code = robot_open(&work->robot, args);
    if (code != EXIT_GOOD) {
        return code;
    }
    lw_report *loss = NULL;
    if (lw_report_create(&loss) != LW_OK) {
        return no_memory();
    }
    lw_mech *mech = work->robot.mech;
    lw_status status = has_form ? lw_set_joint_form(mech, (lw_joint_form)form, loss) : LW_OK;
    if (status == LW_OK) {
        status = is_printed ? print_model(mech, format, work->out.text, loss)
                            : lw_save_file(mech, format, path, loss);
    }
    code = exit_code_of(status);
    if (status != LW_OK && lw_report_errors(loss) == 0) {
        complain(code, "cannot write %s: %s", path, lw_status_text(status));
    } else if (status != LW_OK || is_printed) {
        print_diagnostics(loss, 0);
    } else {
        report_loss(&work->out, loss, path);
    }
    lw_report_destroy(loss);
    return code;
}

const command_def command_convert = {
    .name = "convert",
    .operands = "MODEL OUT",
    .options = OPTIONS(OPT_TO, OPT_JOINT_FORM, OPT_FIT, OPTIONS_FILE, OPT_JSON),
    .summary = "writes the model in another format",
    .about = "Writes the model to the file OUT, whole or not at all, and lists what that "
             "format cannot hold; '-' is standard output, and needs --to.",
    .keys = "lost (one line each)",
    .example = "convert arm.urdf arm.xml\nconvert arm.xml arm.out --to urdf\n"
               "convert arm.urdf arm_dh.xml --form craig\n"
               "convert arm.urdf arm_shapes.xml --fit 0.005",
    .opens_itself = true,
    .run = run,
};
