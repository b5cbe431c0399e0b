// linkwork derive: equations of motion as a document, with their operation counts.

#include "commands/commands.h"
#include "draw/draw_model.h"
#include "support/equations.h"
#include "support/files.h"
#include "support/message.h"
#include "support/numeral.h"

#include <stdlib.h>
#include <string.h>

// Elements are n^3 in number: of long arms they are derived only where they are asked for, and so
// are those of joints with several degrees of freedom and of loops that need Newton's method, where
// they come to thousands of operations.
enum { ELEMENTS_MOST = 7 };

static bool has_short_elements(const lw_model *m)
{
    bool is_short = m->nv <= ELEMENTS_MOST && m->tree_nq == m->nbody && m->tree_nv == m->nbody;
    for (int i = 0; i < m->nstep; ++i) {
        is_short = is_short && m->step[i].kind != LW_STEP_BLOCK;
    }
    return is_short;
}

// FRAME,M,R,W
static int read_unbalance(const command_line *args, const lw_model *m, lw_unbalance *u)
{
    char frame[200] = "";
    const char *text = args_value(args, OPT_UNBALANCE);
    double *const number[] = {&u->mass, &u->radius, &u->speed};
    size_t length = strcspn(text, ",");
    bool is_good = length < sizeof frame;
    if (is_good) {
        memcpy(frame, text, length);
    }
    for (int i = 0; i < 3 && is_good; ++i) {
        text += length;
        is_good = *text == ',';
        text += is_good;
        length = strcspn(text, ",");
        is_good = is_good && number_parse(text, length, number[i]);
    }
    if (!is_good || text[length] != '\0') {
        return complain(EXIT_USAGE, "--unbalance is FRAME,M,R,W with three numbers, not \"%s\"",
                        args_value(args, OPT_UNBALANCE));
    }
    u->frame = robot_find_frame(m, frame);
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
    o->functions |= has_short_elements(m) ? 1u << LW_FUNCTION_ELEMENTS : 0;
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

// The form of inverse dynamics where that was asked for, else that of the first function.
static lw_form main_form(const lw_derivation *d, unsigned functions)
{
    int first = LW_FUNCTION_INVERSE_DYNAMICS;
    while (!(functions & 1u << first)) {
        first = (first + 1) % LW_FUNCTION_COUNT;
    }
    return lw_derivation_form(d, (lw_function)first);
}

static void tell_json(output *out, const lw_derivation *d, unsigned functions)
{
    json_t *counts = output_object(out), *all = output_object(out);
    out->json = output_object(out);
    output_set(out, out->json, "form", output_text(out, lw_form_name(main_form(d, functions))));
    output_set(out, out->json, "counts", counts);
    output_set(out, out->json, "forms", all);
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

static int tell(const command_line *args, const lw_derivation *d, const lw_derive_options *o,
                lw_document format)
{
    char *text = NULL;
    output out = {0};
    const char *file = args_value(args, OPT_OUTPUT);
    const bool is_json = args_has(args, OPT_JSON);
    int code = EXIT_GOOD;
    if (file || !is_json) {
        const lw_status status = lw_derivation_document(d, format, &text);
        code = status == LW_OK ? EXIT_GOOD
                               : complain(exit_code_of(status), "%s", lw_status_text(status));
    }
    if (code == EXIT_GOOD && file) {
        code = file_write(file, text, strlen(text));
    }
    if (code == EXIT_GOOD && !output_begin(&out, is_json)) {
        code = complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
    }
    if (code == EXIT_GOOD && is_json) {
        tell_json(&out, d, o->functions);
    } else if (code == EXIT_GOOD && !file) {
        fputs(text, out.text);
    } else if (code == EXIT_GOOD && strcmp(file, "-") != 0) {
        fprintf(out.text, "written to %s\n", file);
    }
    code = output_finish(&out, code);
    lw_text_free(text);
    return code;
}

static int run_derive(const command_line *args)
{
    robot r;
    lw_derivation *derivation = NULL;
    lw_derive_options options;
    lw_unbalance unbalance;
    lw_document format = LW_DOCUMENT_TEXT;
    char *figure = NULL;
    int code = robot_open(&r, args);
    if (code == EXIT_GOOD) {
        code = read_options(args, r.model, &options, &format, &unbalance);
    }
    if (code == EXIT_GOOD && format == LW_DOCUMENT_LATEX) {
        code = draw_figure(r.model, r.data, &figure);
        options.figure = figure;
    }
    if (code == EXIT_GOOD) {
        const int first = lw_report_count(r.report);
        const lw_status status = lw_derive(r.model, &options, &derivation, r.report);
        print_diagnostics(r.report, first);
        if (status != LW_OK) {
            code = complain(exit_code_of(status), "cannot derive the equations: %s",
                            lw_status_text(status));
        }
    }
    if (code == EXIT_GOOD) {
        code = tell(args, derivation, &options, format);
    }
    lw_derivation_destroy(derivation);
    free(figure);
    robot_close(&r);
    return code;
}

const command_def command_derive = {
    .name = "derive",
    .options =
        OPTIONS(OPTIONS_RESULT, OPT_FUNCTIONS, OPT_FORM, OPT_FORMAT, OPT_SYMBOLIC, OPT_PRODUCTS,
                OPT_COST, OPT_EFFORT, OPT_ROUND, OPT_FRAME, OPT_UNBALANCE, OPT_OUTPUT),
    .summary = "equations of motion, as a document",
    .about =
        "Derives the equations of motion and writes how they were found: frames and table of "
        "Denavit and Hartenberg, symbols, each step, the equations element by element, which "
        "of them vanish, base parameters, and operation counts beside those of the "
        "literature; by default for inverse dynamics and, of machines of a few joints, for all "
        "elements of its matrices. Loops in closed form are derived with the rest; those "
        "without one are "
        "written out as rounds of Newton's method.",
    .keys = "form (taken for inverse dynamics), counts (function: mul, add, div, sqrt, sincos, "
            "other), forms (function: form: the same)",
    .example = "derive scara.xml --symbolic --form lagrange\n"
               "derive arm.urdf --format tex -o arm.tex\n"
               "derive arm.urdf --functions inverse_dynamics --cost products --json",
    .run = run_derive,
};
