// linkwork generate: source code from derived equations.

#include "commands/commands.h"
#include "support/equations.h"
#include "support/files.h"
#include "support/job.h"
#include "support/message.h"

#include <linkwork/generate.h>
#include <linkwork/generated.h>

#include <string.h>
#include <unistd.h>

static int read_options(const command_line *args, const lw_model *m, lw_derive_options *derive,
                        lw_generate_options *generate)
{
    static const char *const languages[] = {"c", "python", "javascript", "fortran", NULL};
    static const char *const sines[] = {"inline", "library", NULL};
    static const char *const endings[] = {"h", "py", "mjs", "f90", NULL};
    const int language = args_choice_by_ending(args, OPT_LANGUAGE, languages, endings);
    const int sincos = args_choice(args, OPT_SINCOS, sines);
    const char *frame = args_value(args, OPT_FRAME);
    *derive = lw_default_derive_options();
    *generate = lw_default_generate_options();
    if (language < 0 || sincos < 0 || equations_form(args, &derive->form) != EXIT_GOOD ||
        equations_functions(args, &derive->functions) != EXIT_GOOD ||
        equations_effort(args, &derive->cost, &derive->effort) != EXIT_GOOD ||
        equations_rounding(args, &derive->rounding) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    if (args_whole(args, OPT_VECTOR, 1, 16, &generate->lanes) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    if (args_has(args, OPT_KEEP_SMALL) && !args_has(args, OPT_FLOAT)) {
        return complain(EXIT_USAGE, "--keep-small needs --float: double leaves nothing out");
    }
    if (args_has(args, OPT_PLANT)) {
        generate->has_plant = true;
        derive->functions = (args_has(args, OPT_FUNCTIONS) ? derive->functions : 0) |
                            1u << LW_FUNCTION_FORWARD_DYNAMICS;
    }
    derive->frame = frame ? robot_find_frame(m, frame) : robot_tip(m);
    if (frame && derive->frame < 0) {
        return EXIT_USAGE;
    }
    derive->is_apart = !args_has(args, OPT_JOIN);
    derive->is_symbolic = args_has(args, OPT_SYMBOLIC);
    derive->inputs = args_value(args, OPT_INPUTS);
    derive->is_ideal = args_has(args, OPT_IDEAL);
    args_friction_speed(args, &derive->friction_speed);
    derive->is_sincos_input = args_has(args, OPT_SINCOS_INPUT);
    generate->language = (lw_language)language;
    generate->real = args_has(args, OPT_FLOAT) ? LW_REAL_FLOAT : LW_REAL_DOUBLE;
    generate->sincos =
        sincos == 0 && !derive->is_sincos_input ? LW_SINCOS_INLINE : LW_SINCOS_LIBRARY;
    generate->prefix = args_value(args, OPT_PREFIX);
    generate->is_joined = args_has(args, OPT_JOIN);
    generate->keeps_small = args_has(args, OPT_KEEP_SMALL);
    generate->has_dictionary = args_has(args, OPT_DICTIONARY);
    return EXIT_GOOD;
}

// --- Files ------------------------------------------------------------------------------------

/// One text, or two for two files.
typedef struct code_text {
    char *text[2];
    size_t size[2];
    const char *path[2]; ///< NULL for none
} code_text;

// The header keeps its name; the source file is called the same with .c behind.
static int name_files(const command_line *args, code_text *code)
{
    const char *file = args_value(args, OPT_OUTPUT);
    const size_t length = strlen(file);
    const bool is_split = args_has(args, OPT_SPLIT);
    if (is_split && !(length > 2 && strcmp(file + length - 2, ".h") == 0)) {
        return complain(EXIT_USAGE, "--split needs a file of its own that ends with .h, not \"%s\"",
                        file);
    }
    code->path[0] = file;
    code->path[1] = is_split ? memory_text(args->pool, "%.*sc", (int)length - 1, file) : NULL;
    return EXIT_GOOD;
}

static lw_status write_code(lw_derivation *derivation, const lw_generate_options *options,
                            lw_report *report, code_text *code)
{
    lw_generate_options o = *options;
    const bool is_split = code->path[1] != NULL;
    const char *slash = strrchr(code->path[0], '/');
    o.header = slash ? slash + 1 : code->path[0];
    o.part = is_split ? LW_C_HEADER : LW_C_WHOLE;
    lw_status status = lw_generate(derivation, &o, &code->text[0], &code->size[0], report);
    if (status == LW_OK && is_split) {
        o.part = LW_C_SOURCE;
        status = lw_generate(derivation, &o, &code->text[1], &code->size[1], report);
    }
    return status;
}

// Both or none: a source file that was not there before goes again where its header cannot be
// written.
static int keep_code(const code_text *code)
{
    const bool was_there = code->path[1] && access(code->path[1], F_OK) == 0;
    int exit_code = EXIT_GOOD;
    if (code->path[1]) {
        exit_code = file_write(code->path[1], code->text[1], code->size[1]);
    }
    if (exit_code == EXIT_GOOD) {
        exit_code = file_write(code->path[0], code->text[0], code->size[0]);
        if (exit_code != EXIT_GOOD && code->path[1] && !was_there) {
            unlink(code->path[1]);
        }
    }
    return exit_code;
}

// --- What is printed -----------------------------------------------------------------------------

/// A function whose code the engine of compiled code would not compile.
static bool is_long(const code_text *made, unsigned functions)
{
    const bool is_one = (functions & (functions - 1)) == 0;
    return is_one && made->size[0] + made->size[1] > LW_LONGEST_CODE;
}

// Functions that are one have one line, which is the cost of all together.
static int print_results(output *out, const lw_derivation *derivation,
                         const lw_generate_options *options, unsigned functions,
                         const code_text *made)
{
    const char *why = "engines do not compile code this long";
    const bool is_joined = options->is_joined, has_why = is_long(made, functions);
    json_t *all = NULL;
    if (out->is_json) {
        out->json = output_object(out);
        all = output_object(out);
        output_put(out, out->json, "counts o, file s", all, made->path[0]);
        if (has_why) {
            output_put(out, out->json, "interpreted s", why);
        }
    } else {
        fprintf(out->text, "%-18s %9s %9s %9s %9s %9s %9s\n", "function", "products", "sums",
                "divisions", "roots", "sin, cos", "others");
    }
    for (int i = 0; i < LW_FUNCTION_COUNT; ++i) {
        if ((functions & 1u << i) != 0) {
            const char *name = is_joined ? "all" : lw_function_name((lw_function)i);
            lw_counts c;
            if (lw_generate_counts(derivation, options, (lw_function)i, &c) != LW_OK) {
                return no_memory();
            }
            if (all) {
                output_set(out, all, name, equations_counts(out, c));
            } else {
                fprintf(out->text, "%-18s %9d %9d %9d %9d %9d %9d\n", name, c.mul, c.add, c.div,
                        c.sqrt, c.sincos, c.other);
            }
            functions = is_joined ? 0 : functions;
        }
    }
    if (!all) {
        fprintf(out->text, "\nwritten to %s%s%s, %zu bytes%s%s\n", made->path[0],
                made->path[1] ? " and " : "", made->path[1] ? made->path[1] : "",
                made->size[0] + made->size[1], has_why ? "; interpreted: " : "",
                has_why ? why : "");
    }
    return EXIT_GOOD;
}

static int check(const command_line *args)
{
    return args_has(args, OPT_OUTPUT) ? EXIT_GOOD : complain(EXIT_USAGE, "generate needs -o FILE");
}

static int run(job *work)
{
    lw_derivation *derivation = NULL;
    lw_derive_options derive;
    lw_generate_options generate;
    code_text made = {0};
    lw_report *report = work->robot.report;
    const int first = lw_report_count(report);
    const char *what = "cannot derive the equations";
    // Nothing but the code is written to standard output.
    const bool is_printed = strcmp(args_value(work->args, OPT_OUTPUT), "-") == 0;
    int code = read_options(work->args, work->m, &derive, &generate);
    if (code == EXIT_GOOD) {
        code = name_files(work->args, &made);
    }
    if (code != EXIT_GOOD) {
        return code;
    }
    lw_status status = lw_derive(work->m, &derive, &derivation, report);
    if (status != LW_OK || !is_printed) {
        print_diagnostics(report, first);
    }
    if (status == LW_OK) {
        const int before = lw_report_count(report);
        what = "cannot write code";
        generate.origin = args_again(work->args);
        status = write_code(derivation, &generate, report, &made);
        print_diagnostics(report, status == LW_OK ? lw_report_count(report) : before);
        code = status == LW_ERR_ARGUMENT ? EXIT_USAGE : exit_code_of(status);
    } else {
        code = exit_code_of(status);
    }
    if (status == LW_OK) {
        code = keep_code(&made);
    } else if (count_diagnostics(report, LW_ERROR) == 0) { // whose reason is more than the status
        complain(code, "%s: %s", what, lw_status_text(status));
    }
    if (code == EXIT_GOOD && !is_printed) {
        code = print_results(&work->out, derivation, &generate, derive.functions, &made);
    }
    lw_text_free(made.text[0]);
    lw_text_free(made.text[1]);
    lw_derivation_destroy(derivation);
    return code;
}

const command_def command_generate = {
    .name = "generate",
    .options =
        OPTIONS(OPTIONS_RESULT, OPTIONS_EQUATIONS, OPT_FORM, OPT_OUTPUT, OPT_LANGUAGE, OPT_SYMBOLIC,
                OPT_INPUTS, OPT_FLOAT, OPT_KEEP_SMALL, OPT_VECTOR, OPT_SINCOS, OPT_SINCOS_INPUT,
                OPT_JOIN, OPT_PLANT, OPT_DICTIONARY, OPT_SPLIT, OPT_ROUND, OPT_PREFIX),
    .summary = "C, Fortran, Python or JavaScript code for the equations of motion",
    .about =
        "Derives the equations of the mechanism and writes them as code to the file -o, whole "
        "or not at all: a header in C99 that needs <math.h> only, or a module in Fortran, Python "
        "or JavaScript. The code allocates nothing and has no branch and no loop, but for a "
        "bounded iteration where "
        "a loop of the mechanism has no closed form; in it are what it costs, units and "
        "shapes, and a self check. By default it is inverse dynamics.",
    .keys = "counts: function, with mul, add, div, sqrt, sincos, other; file; "
            "interpreted (why engines do not compile it, else absent)",
    .example = "generate arm.urdf -o arm.h\n"
               "generate arm.urdf -o arm.h --functions inverse_dynamics,mass_matrix --float\n"
               "generate arm.urdf -o arm.h --functions mass_matrix,gravity --join --split\n"
               "generate arm.urdf -o arm.h --functions elements --form uicker --dictionary\n"
               "generate arm.urdf -o arm.h --inputs m_tool,b_wrist\n"
               "generate arm.urdf -o plant.h --plant\n"
               "generate arm.urdf -o arm.py --language python",
    .check = check,
    .run = run,
};
