// linkwork configure: from a specification of a robot, through rules, to a mechanism.

#include "commands/commands.h"
#include "report/robot_folder.h"
#include "report/rules_report.h"
#include "support/files.h"
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

// What is worth knowing of a robot that was made: not how equations were found.
static void print_warnings(const lw_report *report, int first)
{
    for (int i = first; i < lw_report_count(report); ++i) {
        const lw_diagnostic d = lw_report_diagnostic(report, i);
        const bool is_urdf = d.code == LW_DIAG_LOST || d.code == LW_DIAG_ROUNDED ||
                             d.code == LW_DIAG_FRAME_AS_LINK; // in report.txt
        if ((d.severity != LW_NOTE && !is_urdf) || d.code == LW_DIAG_SYMBOL_ASSUMED) {
            complain(EXIT_GOOD, "%s [%s]", d.message, lw_diagnostic_code_name(&d));
        }
    }
}

// The mechanism alone.
static int write_model(job *work, lw_spec *spec)
{
    robot *r = &work->robot;
    char *text = NULL;
    size_t size = 0;
    lw_status status = lw_spec_build(spec, &r->mech, r->report);
    if (status == LW_OK) {
        status = lw_save_text(r->mech, LW_FORMAT_LINKWORK, &text, &size, r->report);
    }
    const int code = status == LW_OK ? file_write(args_value(work->args, OPT_OUTPUT), text, size)
                                     : exit_code_of(status);
    lw_text_free(text);
    return code;
}

// The mechanism of a specification that keeps the rules, and all that follows from it.
static int make_folder(job *work, lw_spec *spec)
{
    robot *r = &work->robot;
    const int first = lw_report_count(r->report);
    lw_status status = lw_spec_build(spec, &r->mech, r->report);
    if (status == LW_OK) {
        status = lw_compile(r->mech, NULL, &r->model, r->report);
    }
    if (status == LW_OK) {
        status = lw_data_create(r->model, &r->data);
    }
    if (status != LW_OK) {
        print_diagnostics(r->report, first);
        return exit_code_of(status);
    }
    work->m = r->model;
    work->d = r->data;
    const int code = robot_folder_write(work, spec, args_value(work->args, OPT_OUTPUT));
    print_warnings(r->report, first);
    return code;
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
        if (args_has(work->args, OPT_CHECK) || work->out.is_json || status != LW_OK) {
            rules_report(&work->out, spec);
        }
        code = status == LW_OK ? EXIT_GOOD : exit_code_of(status);
        work->prints_anyway = code != EXIT_GOOD;
    }
    if (code == EXIT_GOOD && args_has(work->args, OPT_CHECK) && args_has(work->args, OPT_OUTPUT)) {
        lw_report_clear(report); // the rules are evaluated again
        code = write_model(work, spec);
        work->prints_anyway = true;
    }
    if (code != EXIT_GOOD || args_has(work->args, OPT_CHECK)) {
        print_diagnostics(report, 0);
    } else {
        lw_report_clear(report);
        code = make_folder(work, spec);
    }
    lw_spec_destroy(spec);
    return code;
}

static int check(const command_line *args)
{
    return args_has(args, OPT_CHECK) || args_has(args, OPT_LIST) || args_has(args, OPT_OUTPUT)
               ? EXIT_GOOD
               : complain(EXIT_USAGE, "configure needs -o DIR, --check or --list");
}

const command_def command_configure = {
    .name = "configure",
    .operands = "SPEC",
    .options =
        OPTIONS(OPT_OUTPUT, OPT_CHECK, OPT_LIST, OPT_RULES, OPT_SILENCE, OPT_PROGRESS, OPT_JSON),
    .summary = "a robot from its specification, by rules",
    .about =
        "Reads a specification of a robot (docs/howto/configure.md): its class, the letters "
        "of its joints, lengths, limits and masses; completes what was left out, and "
        "evaluates the rules of a knowledge base, each of which holds, is violated, or cannot "
        "be decided yet. All violated rules are reported at once, with the fields that they "
        "involve; the exit code is 1 where a requirement is violated.\n\n"
        "A specification that keeps the rules becomes a folder -o, whole or not at all: the "
        "model (linkwork XML, URDF), tables of Denavit and Hartenberg in both conventions, "
        "equations in symbols with how they were found (Markdown, LaTeX), C code of "
        "kinematics, inverse kinematics and dynamics, axis controllers (PD, PD with gravity, "
        "computed torque), a run file, a picture, and a self-check that is compiled and "
        "compared with the model. Symbols of the specification are named inputs of code of its "
        "own. Code that fails the self-check is replaced by the next engine that is "
        "verified, which is reported.",
    .keys = "rules: name, kind (requirement, usual), state (holds, violated, undecided), index (of "
            "the joint or link, or 0), fields, reason, remedy, overridden, file, line, column; "
            "completions: field, value, rule, reason; with -o files, engine (that is verified), "
            "self_check (largest relative difference, or null), inverse_kinematics (as code: "
            "yes, or why not), inputs (symbols of the specification, each with the parameter "
            "that it is), inputs_note; with --list classes: name, letters, about, fields, "
            "sizes (lengths of a class with loops); "
            "rules: name, kind, classes, each, condition, set, to, reason, remedy",
    .example = "configure models/specs/scara.spec -o scara\n"
               "configure arm.spec --check --rules house.xml --json\n"
               "configure --list",
    .notes = NOTES({OPT_OUTPUT, "The new folder, written whole or not at all; with --check a file, "
                                "the model alone (linkwork XML)."}),
    .opens_itself = true,
    .check = check,
    .run = run,
};
