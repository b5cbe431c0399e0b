// linkwork generate: source code from derived equations.

#include "commands.h"
#include "equations.h"
#include "files.h"
#include "message.h"
#include "number.h"

#include <linkwork/generate.h>

#include <string.h>

static int read_options(const command_line *args, const lw_model *m, lw_derive_options *derive,
                        lw_generate_options *generate)
{
    static const char *const languages[] = {"c", "python", NULL};
    static const char *const sines[] = {"library", "inline", NULL};
    const int language = args_choice(args, OPT_LANGUAGE, languages);
    const int sincos = args_choice(args, OPT_SINCOS, sines);
    const char *lanes = args_value(args, OPT_VECTOR), *frame = args_value(args, OPT_FRAME);
    *derive = lw_default_derive_options();
    *generate = lw_default_generate_options();
    if (language < 0 || sincos < 0 || equations_functions(args, &derive->functions) != EXIT_GOOD ||
        equations_effort(args, &derive->cost, &derive->effort) != EXIT_GOOD) {
        return EXIT_USAGE;
    }
    if (lanes && !number_parse_count(lanes, strlen(lanes), 16, &generate->lanes)) {
        return complain(EXIT_USAGE, "--vector is 2, 4, 8 or 16, not \"%s\"", lanes);
    }
    derive->frame = frame ? robot_find_frame(m, frame) : robot_tip(m);
    if (frame && derive->frame < 0) {
        return EXIT_USAGE;
    }
    derive->is_apart = true;
    derive->is_symbolic = args_has(args, OPT_SYMBOLIC);
    derive->is_ideal = args_has(args, OPT_IDEAL);
    derive->is_sincos_input = args_has(args, OPT_SINCOS_INPUT);
    generate->language = (lw_language)language;
    generate->real = args_has(args, OPT_FLOAT) ? LW_REAL_FLOAT : LW_REAL_DOUBLE;
    const bool is_inline = sincos == 1 || (lanes && !args_has(args, OPT_SINCOS));
    generate->sincos = is_inline && !derive->is_sincos_input ? LW_SINCOS_INLINE : LW_SINCOS_LIBRARY;
    generate->prefix = args_value(args, OPT_PREFIX);
    return EXIT_GOOD;
}

static void tell(output *out, const lw_derivation *derivation, unsigned functions, const char *file)
{
    json_t *all = NULL;
    if (out->is_json) {
        out->json = output_object(out);
        all = output_object(out);
        output_set(out, out->json, "counts", all);
        output_set(out, out->json, "file", output_text(out, file));
    } else {
        fprintf(out->text, "%-18s %9s %9s %9s %9s %9s %9s\n", "function", "products", "sums",
                "divisions", "roots", "sin, cos", "others");
    }
    for (int i = 0; i < LW_FUNCTION_COUNT; ++i) {
        if ((functions & 1u << i) != 0) {
            const char *name = lw_function_name((lw_function)i);
            const lw_counts c = lw_derivation_counts(derivation, (lw_function)i);
            if (all) {
                output_set(out, all, name, equations_counts(out, c));
            } else {
                fprintf(out->text, "%-18s %9d %9d %9d %9d %9d %9d\n", name, c.mul, c.add, c.div,
                        c.sqrt, c.sincos, c.other);
            }
        }
    }
    if (!all) {
        fprintf(out->text, "\nwritten to %s\n", file);
    }
}

// Why a derivation or its code cannot be had; the findings say more.
static int refuse(const robot *r, int first, const char *what, lw_status status)
{
    print_findings(r->report, first);
    return complain(exit_code_of(status), "%s: %s", what, lw_status_text(status));
}

int command_generate(const command_line *args)
{
    robot r;
    output out = {0};
    lw_derivation *derivation = NULL;
    lw_derive_options derive;
    lw_generate_options generate;
    char *text = NULL;
    size_t size = 0;
    const char *file = args_value(args, OPT_OUTPUT);
    if (!file) {
        return complain(EXIT_USAGE, "generate needs -o FILE");
    }
    int code = robot_open(&r, args);
    if (code == EXIT_GOOD) {
        code = read_options(args, r.model, &derive, &generate);
    }
    if (code == EXIT_GOOD) {
        const int first = lw_report_count(r.report);
        const lw_status status = lw_derive(r.model, &derive, r.report, &derivation);
        if (status != LW_OK) {
            code = refuse(&r, first, "cannot derive the equations", status);
        }
    }
    if (code == EXIT_GOOD) {
        const int first = lw_report_count(r.report);
        const lw_status status = lw_generate(derivation, &generate, r.report, &text, &size);
        if (status != LW_OK) {
            code = refuse(&r, first, "cannot write code", status);
            code = status == LW_ERR_ARGUMENT ? EXIT_USAGE : code;
        }
    }
    if (code == EXIT_GOOD && !output_begin(&out, args_has(args, OPT_JSON))) {
        code = complain(EXIT_FILE, "%s", lw_status_text(LW_ERR_MEMORY));
    }
    if (code == EXIT_GOOD) {
        code = file_write(file, text, size);
    }
    // Code on standard output stands alone.
    if (code == EXIT_GOOD && strcmp(file, "-") != 0) {
        tell(&out, derivation, derive.functions, file);
    }
    code = output_finish(&out, code);
    lw_text_free(text);
    lw_derivation_destroy(derivation);
    robot_close(&r);
    return code;
}
