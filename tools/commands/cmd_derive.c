// linkwork derive: equations of motion as a document, with their operation counts.

#include "commands/commands.h"
#include "draw/draw_model.h"
#include "support/equations.h"
#include "support/files.h"
#include "support/job.h"
#include "support/message.h"
#include "support/numeral.h"

#include <string.h>

// FRAME,M,R,W
static int read_unbalance(const command_line *args, const lw_model *m, lw_unbalance *u)
{
    const char *text = args_value(args, OPT_UNBALANCE);
    double *const number[] = {&u->mass, &u->radius, &u->speed};
    int count;
    char **part = memory_split(args->pool, text, ',', &count);
    bool is_good = count == 4;
    for (int i = 0; i < 3 && is_good; ++i) {
        is_good = number_parse(part[i + 1], strlen(part[i + 1]), number[i]);
    }
    if (!is_good) {
        return complain(EXIT_USAGE, "--unbalance is FRAME,M,R,W with three numbers, not \"%s\"",
                        text);
    }
    u->frame = robot_find_frame(m, part[0]);
    return u->frame >= 0 ? EXIT_GOOD : EXIT_USAGE;
}

static int read_options(const command_line *args, const lw_model *m, lw_derive_options *o,
                        lw_document *format, lw_unbalance *unbalance)
{
    static const char *const formats[] = {"txt", "md", "tex", NULL};
    static const char *const tensors[] = {"tensor", "integral", NULL};
    const int as = args_choice_by_ending(args, OPT_FORMAT, formats, formats);
    const int products = args_choice(args, OPT_PRODUCTS, tensors);
    const char *frame = args_value(args, OPT_FRAME), *file = args_value(args, OPT_OUTPUT);
    const size_t length = file ? strlen(file) : 0;
    if (length > 4 && strcmp(file + length - 4, ".pdf") == 0) {
        return complain(EXIT_USAGE,
                        "documents are text, Markdown or LaTeX: write %.*s.tex, and run pdflatex",
                        (int)length - 4, file);
    }
    *o = lw_default_derive_options();
    o->functions = 1u << LW_FUNCTION_INVERSE_DYNAMICS;
    o->functions |= equations_are_short(m) ? 1u << LW_FUNCTION_ELEMENTS : 0;
    if (as < 0 || products < 0 || equations_form(args, &o->form) != EXIT_GOOD ||
        equations_functions(args, &o->functions) != EXIT_GOOD ||
        equations_effort(args, &o->cost, &o->effort) != EXIT_GOOD ||
        equations_rounding(args, &o->rounding) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    o->frame = frame ? robot_find_frame(m, frame) : robot_tip(m);
    if (frame && o->frame < 0) {
        return EXIT_USAGE;
    }
    if (args_has(args, OPT_UNBALANCE)) {
        if (read_unbalance(args, m, unbalance) != EXIT_GOOD) {
            return EXIT_USAGE;
        }
        o->unbalance = unbalance;
        o->functions |= args_has(args, OPT_FUNCTIONS) ? 0 : 1u << LW_FUNCTION_LOADS;
    }
    o->is_apart = true;
    o->is_symbolic = args_has(args, OPT_SYMBOLIC);
    o->is_ideal = args_has(args, OPT_IDEAL);
    args_friction_speed(args, &o->friction_speed);
    o->has_product_integrals = products == 1;
    *format = (lw_document)as;
    return EXIT_GOOD;
}

// The form of inverse dynamics where that was requested, else that of the first function.
static lw_form main_form(const lw_derivation *d, unsigned functions)
{
    int first = LW_FUNCTION_INVERSE_DYNAMICS;
    while (!(functions & 1u << first)) {
        first = (first + 1) % LW_FUNCTION_COUNT;
    }
    return lw_derivation_form(d, (lw_function)first);
}

static void print_json(output *out, const lw_derivation *d, unsigned functions)
{
    json_t *counts = output_object(out), *all = output_object(out);
    out->json = output_object(out);
    output_put(out, out->json, "form s, counts o, forms o", lw_form_name(main_form(d, functions)),
               counts, all);
    for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
        if (!(functions & 1u << f)) {
            continue;
        }
        const lw_function function = (lw_function)f;
        json_t *tried = output_object(out);
        output_set(out, counts, lw_function_name(function),
                   equations_counts(out, lw_derivation_counts(d, function)));
        for (int form = LW_FORM_RECURSIVE; form <= LW_FORM_UICKER; ++form) {
            lw_counts own;
            if (lw_derivation_form_counts(d, function, (lw_form)form, &own)) {
                output_set(out, tried, lw_form_name((lw_form)form), equations_counts(out, own));
            }
        }
        output_set(out, all, lw_function_name(function), tried);
    }
}

static int print_results(job *work, const lw_derivation *d, const lw_derive_options *o,
                         lw_document format)
{
    char *text = NULL;
    output *out = &work->out;
    const char *file = args_value(work->args, OPT_OUTPUT);
    int code = EXIT_GOOD;
    if (file || !out->is_json) {
        const lw_status status = lw_derivation_document(d, format, &text);
        code = status == LW_OK ? EXIT_GOOD
                               : complain(exit_code_of(status), "%s", lw_status_text(status));
    }
    if (code == EXIT_GOOD && file) {
        code = file_write(file, text, strlen(text));
    }
    if (code == EXIT_GOOD && out->is_json) {
        print_json(out, d, o->functions);
    } else if (code == EXIT_GOOD && !file) {
        fputs(text, out->text);
    } else if (code == EXIT_GOOD && strcmp(file, "-") != 0) {
        fprintf(out->text, "written to %s\n", file);
    }
    lw_text_free(text);
    return code;
}

static int run(job *work)
{
    lw_derivation *derivation = NULL;
    lw_derive_options options;
    lw_unbalance unbalance;
    lw_document format = LW_DOCUMENT_TEXT;
    const char *figure = NULL;
    lw_report *report = work->robot.report;
    int code = read_options(work->args, work->m, &options, &format, &unbalance);
    if (code == EXIT_GOOD && format == LW_DOCUMENT_LATEX) {
        code = draw_figure(work->pool, work->m, work->d, &figure);
        options.figure = figure;
    }
    if (code == EXIT_GOOD) {
        const int first = lw_report_count(report);
        const lw_status status = lw_derive(work->m, &options, &derivation, report);
        print_diagnostics(report, first);
        code = status == LW_OK ? print_results(work, derivation, &options, format)
                               : complain(exit_code_of(status), "cannot derive the equations: %s",
                                          lw_status_text(status));
    }
    lw_derivation_destroy(derivation);
    return code;
}

const command_def command_derive = {
    .name = "derive",
    .options =
        OPTIONS(OPTIONS_RESULT, OPT_FUNCTIONS, OPT_FORM, OPT_FORMAT, OPT_SYMBOLIC, OPT_PRODUCTS,
                OPT_COST, OPT_EFFORT, OPT_ROUND, OPT_FRAME, OPT_UNBALANCE, OPT_OUTPUT),
    .summary = "equations of motion, as a document",
    .about = "Derives the equations of motion and writes how they were found: frames and table of "
             "Denavit and Hartenberg, symbols, each step, the equations element by element, which "
             "of them vanish, base parameters, and operation counts beside those of the "
             "literature; by default for inverse dynamics and, for mechanisms of a few joints, for "
             "all elements of its matrices. Loops in closed form are derived with the rest; those "
             "without one are closed by Newton's method before the equations are evaluated.",
    .keys = "form (taken for inverse dynamics), counts (function: mul, add, div, sqrt, sincos, "
            "other), forms (function: form: the same)",
    .example = "derive scara.xml --symbolic --form lagrange\n"
               "derive arm.urdf --format tex -o arm.tex\n"
               "derive arm.urdf --functions inverse_dynamics --cost products --json",
    .run = run,
};
