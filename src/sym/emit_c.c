// C99: one header that needs <math.h> and nothing else.

#include "emit.h"

#include "../base/report.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct c_file {
    const lwi_emit_source *source;
    const lw_generate_options *options;
    lwi_text *out;
    char prefix[LWI_IDENTIFIER_SIZE];
    char real[LWI_IDENTIFIER_SIZE + 8];      ///< type of all values
    const char *number;                      ///< type of one number
    const char *suffix;                      ///< of numbers: "f" or ""
    char name[12][LWI_IDENTIFIER_SIZE + 16]; ///< texts that the syntax borrows
    lwi_syntax syntax;
} c_file;

static void add(c_file *f, const char *text)
{
    lwi_text_add(f->out, text);
}

static void add_int(c_file *f, int value)
{
    lwi_text_add_int(f->out, value);
}

// The length of an array. C has none without elements: a machine that cannot move has one each.
static void add_length(c_file *f, int length)
{
    add(f, "[");
    add_int(f, length > 0 ? length : 1);
    add(f, "]");
}

// PREFIX_name
static void add_own(c_file *f, const char *name)
{
    add(f, f->prefix);
    add(f, "_");
    add(f, name);
}

static bool is_vector(const c_file *f)
{
    return f->options->lanes > 1;
}

// --- What is used -----------------------------------------------------------------------------

// Whether a text reads an array or a name.
static bool reads(const char *body, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = body; (at = strstr(at, name)) != NULL; at += length) {
        const bool is_start =
            at == body || !(isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.');
        if (is_start && !isalnum((unsigned char)at[length]) && at[length] != '_') {
            return true;
        }
    }
    return false;
}

static bool has_op(const lwi_emit_source *source, lwi_op op)
{
    for (int i = 0; i < source->nfunction; ++i) {
        const lwi_tape *tape = source->function[i].tape;
        for (int k = 0; k < tape->nline; ++k) {
            if (tape->line[k].op == op) {
                return true;
            }
        }
    }
    return false;
}

static bool has_time(const lwi_tape *tape)
{
    for (int i = 0; i < tape->ninput; ++i) {
        if (tape->input[i].kind == LWI_TIME) {
            return true;
        }
    }
    return false;
}

// --- Syntax -----------------------------------------------------------------------------------

static const char *join(char *at, const char *a, const char *b, const char *c)
{
    return strcat(strcat(strcpy(at, a), b), c);
}

static void begin(c_file *f)
{
    static const char *const function[2][LWI_OP_SIGN + 1] = {{[LWI_OP_SQRT] = "sqrt",
                                                              [LWI_OP_SIN] = "sin",
                                                              [LWI_OP_COS] = "cos",
                                                              [LWI_OP_ATAN2] = "atan2",
                                                              [LWI_OP_TANH] = "tanh"},
                                                             {[LWI_OP_SQRT] = "sqrtf",
                                                              [LWI_OP_SIN] = "sinf",
                                                              [LWI_OP_COS] = "cosf",
                                                              [LWI_OP_ATAN2] = "atan2f",
                                                              [LWI_OP_TANH] = "tanhf"}};
    const bool is_float = f->options->real == LW_REAL_FLOAT;
    lw_identifier(f->options->prefix ? f->options->prefix : f->source->machine, f->prefix,
                  LWI_IDENTIFIER_SIZE - 16);
    f->number = is_float ? "float" : "double";
    f->suffix = is_float ? "f" : "";
    join(f->real, "", is_vector(f) ? f->prefix : f->number, is_vector(f) ? "_real" : "");
    f->syntax =
        (lwi_syntax){.indent = "    ", .end = ";\n", .suffix = f->suffix, .is_scheduled = true};
    f->syntax.declare = join(f->name[0], "    const ", f->real, " ");
    for (int op = LWI_OP_SQRT; op <= LWI_OP_SIGN; ++op) {
        const char *plain = op == LWI_OP_SIGN ? "sign" : function[is_float][op];
        const bool is_own = is_vector(f) || op == LWI_OP_SIGN;
        f->syntax.function[op] = is_own ? join(f->name[op], f->prefix, "_", plain) : plain;
    }
    if (f->options->sincos == LW_SINCOS_INLINE) {
        f->syntax.pair_type = join(f->name[1], "    const ", f->prefix, "_pair ");
        f->syntax.pair_function = join(f->name[2], f->prefix, "_sincos", "");
        if (!is_vector(f)) {
            f->syntax.four_type = join(f->name[3], "    ", f->real, " ");
            f->syntax.four_function = join(f->name[4], f->prefix, "_sincos4", "");
        }
    }
    if (is_vector(f)) {
        f->syntax.convert = join(f->name[3], f->prefix, "_of", "");
    }
}

// --- Head -------------------------------------------------------------------------------------

static void write_head(c_file *f)
{
    const lwi_emit_source *source = f->source;
    add(f, "// ");
    add(f, f->prefix);
    add(f, ".h: the machine ");
    lwi_emit_comment(f->out, source->machine);
    add(f, ", generated by linkwork " LW_VERSION ". Do not edit.\n//\n// Options: ");
    lwi_emit_comment(f->out, source->options);
    add(f, ".\n//\n");
    add(f, is_vector(f) ? "// C99 with vector types of GCC and Clang, and <math.h>."
                        : "// C99; needs <math.h> only.");
    add(f, " No allocation, no branch, no loop, nothing that can be written\n"
           "// but the results, which may lie where the inputs do: the time is the same for all\n"
           "// values. SI units, radians. No rights are claimed in generated code; it belongs to\n"
           "// whoever generated it.\n//\n"
           "// To let products and sums be fused: -ffp-contract=fast (gcc), and a processor that\n"
           "// can, such as -mfma.\n");
    char upper[LWI_IDENTIFIER_SIZE];
    strcpy(upper, f->prefix);
    for (char *c = upper; *c; ++c) {
        *c = (char)toupper((unsigned char)*c);
    }
    add(f, "#ifndef ");
    add(f, upper);
    add(f, "_H\n#define ");
    add(f, upper);
    add(f, "_H\n\n#include <math.h>\n\n"
           "#if defined(__clang__)\n#pragma STDC FP_CONTRACT ON\n#endif\n\n");
}

static lw_status write_places(c_file *f, const char *letter, int n, const char *const *name)
{
    char(*identifier)[LWI_IDENTIFIER_SIZE] = NULL;
    lwi_arena arena = {0};
    lw_status status = LW_ERR_MEMORY;
    identifier = lwi_arena_take(&arena, (size_t)n + 1, sizeof *identifier);
    if (identifier) {
        status = lwi_emit_identifiers(n, name, identifier);
    }
    if (status == LW_OK && n > 0) {
        add(f, "// Places in ");
        add(f, letter);
        add(f, ".\nenum {\n");
        for (int i = 0; i < n; ++i) {
            add(f, "    ");
            add_own(f, letter);
            add(f, "_");
            add(f, identifier[i]);
            add(f, " = ");
            add_int(f, i);
            add(f, i + 1 < n ? ", // " : " // ");
            lwi_emit_comment(f->out, name[i]);
            add(f, "\n");
        }
        add(f, "};\n\n");
    }
    lwi_arena_free(&arena);
    return status;
}

static void write_numbers(c_file *f, const double *value, int n)
{
    add(f, "{");
    for (int i = 0; i < n; ++i) {
        add(f, i == 0 ? "" : i % 4 == 0 ? ",\n        " : ", ");
        for (int k = 0; k < f->options->lanes; ++k) {
            add(f, k > 0 ? ", " : is_vector(f) ? "{" : "");
            lwi_emit_number(f->out, value[i], f->suffix);
        }
        add(f, is_vector(f) ? "}" : "");
    }
    if (n == 0) {
        add(f, is_vector(f) ? "{" : "");
        lwi_emit_number(f->out, 0, f->suffix);
        add(f, is_vector(f) ? "}" : "");
    }
    add(f, "}");
}

static void write_parameters(c_file *f)
{
    const lwi_emit_source *source = f->source;
    if (source->nparameter == 0) {
        return;
    }
    add(f, "// Parameters p, with their values in this machine.\n");
    for (int i = 0; i < source->nparameter; ++i) {
        add(f, "//   p[");
        add_int(f, i);
        add(f, "] ");
        lwi_emit_comment(f->out, source->parameter[i].name);
        add(f, "\n");
    }
    add(f, "static const ");
    add(f, f->real);
    add(f, " ");
    add_own(f, "parameters[");
    add_int(f, source->nparameter);
    add(f, "] = {\n");
    for (int i = 0; i < source->nparameter; ++i) {
        add(f, "    ");
        for (int k = 0; k < f->options->lanes; ++k) {
            add(f, k > 0 ? ", " : is_vector(f) ? "{" : "");
            lwi_emit_number(f->out, source->parameter[i].value, f->suffix);
        }
        add(f, is_vector(f) ? "}" : "");
        add(f, i + 1 < source->nparameter ? ",\n" : "};\n\n");
    }
}

// --- Helpers of the file ----------------------------------------------------------------------

// A function of <math.h>, lane by lane; or the sign of a number.
static void write_helper(c_file *f, lwi_op op)
{
    const char *name = f->syntax.function[op];
    const bool has_two = op == LWI_OP_ATAN2;
    add(f, "static inline ");
    add(f, f->real);
    add(f, " ");
    add(f, name);
    add(f, "(");
    add(f, f->real);
    add(f, " x");
    if (has_two) {
        add(f, ", ");
        add(f, f->real);
        add(f, " y");
    }
    add(f, ")\n{\n    const ");
    add(f, f->real);
    add(f, " r = ");
    for (int k = 0; k < f->options->lanes; ++k) {
        char lane[8] = "";
        if (is_vector(f)) {
            lane[0] = '[';
            lane[1] = (char)('0' + k / 10);
            lane[2] = (char)('0' + k % 10);
            lane[3] = ']';
            memmove(lane + 1, lane + 1 + (k < 10), 3);
        }
        add(f, k > 0 ? ", " : is_vector(f) ? "{" : "");
        if (op == LWI_OP_SIGN) {
            add(f, "(");
            add(f, f->number);
            add(f, ")((x");
            add(f, lane);
            add(f, " > 0) - (x");
            add(f, lane);
            add(f, " < 0))");
        } else {
            add(f, name + strlen(f->prefix) + 1);
            add(f, "(x");
            add(f, lane);
            add(f, has_two ? ", y" : "");
            add(f, has_two ? lane : "");
            add(f, ")");
        }
    }
    add(f, is_vector(f) ? "};\n" : ";\n");
    add(f, "    return r;\n}\n\n");
}

static void write_types(c_file *f)
{
    const bool is_inline = f->options->sincos == LW_SINCOS_INLINE;
    if (is_vector(f)) {
        add(f, "// One number for each of ");
        add_int(f, f->options->lanes);
        add(f, " states.\ntypedef ");
        add(f, f->number);
        add(f, " ");
        add(f, f->real);
        add(f, " __attribute__((vector_size(");
        add_int(f, f->options->lanes * (f->options->real == LW_REAL_FLOAT ? 4 : 8));
        add(f, ")));\n\nstatic inline ");
        add(f, f->real);
        add(f, " ");
        add(f, f->syntax.convert);
        add(f, "(");
        add(f, f->number);
        add(f, " x)\n{\n    const ");
        add(f, f->real);
        add(f, " r = {");
        for (int k = 0; k < f->options->lanes; ++k) {
            add(f, k > 0 ? ", x" : "x");
        }
        add(f, "};\n    return r;\n}\n\n");
    }
    if (is_inline && (has_op(f->source, LWI_OP_SIN) || has_op(f->source, LWI_OP_COS))) {
        const bool is_float = f->options->real == LW_REAL_FLOAT;
        lwi_emit_sincos(f->out, f->prefix, f->real, is_float, f->options->lanes);
        if (!is_vector(f)) {
            lwi_emit_sincos_four(f->out, f->prefix, f->real, is_float);
        }
    }
    for (int op = LWI_OP_SQRT; op <= LWI_OP_SIGN; ++op) {
        const bool is_pair = is_inline && (op == LWI_OP_SIN || op == LWI_OP_COS);
        if ((is_vector(f) || op == LWI_OP_SIGN) && !is_pair && has_op(f->source, (lwi_op)op)) {
            write_helper(f, (lwi_op)op);
        }
    }
}

// --- Functions --------------------------------------------------------------------------------

typedef struct argument {
    const char *name;
    int size; ///< PLAIN for a number that is no array
} argument;

enum { MOST_ARGUMENTS = 9, PLAIN = -1 };

// What a function takes, by meaning; the result is the last.
static int arguments_of(const c_file *f, const lwi_emit_function *function, int nkept,
                        argument list[MOST_ARGUMENTS])
{
    const lwi_emit_source *source = f->source;
    int n = 0;
    if (source->nparameter > 0) {
        list[n++] = (argument){"p", source->nparameter};
    }
    if (nkept > 0) {
        list[n++] = (argument){"k", nkept};
    }
    list[n++] = (argument){"q", source->nq};
    if (source->is_sincos_input) {
        list[n++] = (argument){"s", source->nq};
        list[n++] = (argument){"c", source->nq};
    }
    if (function->reads_v) {
        list[n++] = (argument){"v", source->nv};
    }
    if (function->reads_a) {
        list[n++] = (argument){"a", source->nv};
    }
    if (function->reads_tau) {
        list[n++] = (argument){"tau", source->nv};
    }
    if (has_time(function->tape)) {
        list[n++] = (argument){"time", PLAIN};
    }
    return n;
}

static void write_arguments(c_file *f, const argument *list, int n)
{
    for (int i = 0; i < n; ++i) {
        add(f, "const ");
        add(f, f->real);
        add(f, " ");
        add(f, list[i].name);
        if (list[i].size != PLAIN) {
            add_length(f, list[i].size);
        }
        add(f, ", ");
    }
}

static void write_cost(c_file *f, const lwi_counts *counts)
{
    const int count[6] = {counts->mul,  counts->add,    counts->div,
                          counts->sqrt, counts->sincos, counts->other};
    static const char *const what[6] = {
        " products, ", " sums, ", " divisions, ", " roots, ", " sines and cosines, ", " others.\n"};
    add(f, "// Cost: ");
    for (int i = 0; i < 6; ++i) {
        add_int(f, count[i]);
        add(f, what[i]);
    }
}

static void write_once(c_file *f, const lwi_emit_function *function, const char *body, int nkept)
{
    add(f, "// What hangs on parameters only, to be computed once for ");
    add_own(f, function->name);
    add(f, "().\nstatic inline void ");
    add_own(f, function->name);
    add(f, "_once(");
    const argument p = {"p", f->source->nparameter};
    write_arguments(f, &p, 1);
    add(f, f->real);
    add(f, " k[");
    add_int(f, nkept);
    add(f, "])\n{\n");
    add(f, body);
    add(f, "}\n\n");
}

// double M_[36]
static void write_array(c_file *f, const char *behind, const lwi_emit_result *result)
{
    add(f, f->real);
    add(f, " ");
    add(f, result->name);
    add(f, behind);
    add_length(f, result->size);
}

static lw_status write_function(c_file *f, const lwi_emit_function *function, int *nkept)
{
    lwi_text once = {0}, body = {0};
    argument list[MOST_ARGUMENTS];
    const lw_status status = lwi_emit_lines(function->tape, function->nresult, function->result,
                                            &f->syntax, &once, &body, nkept);
    if (status == LW_OK) {
        if (*nkept > 0) {
            write_once(f, function, once.at, *nkept);
        }
        lwi_emit_about(f->out, "// ", function);
        write_cost(f, &function->counts);
        add(f, "static inline void ");
        add_own(f, function->name);
        add(f, "(");
        const int n = arguments_of(f, function, *nkept, list);
        write_arguments(f, list, n);
        for (int r = 0; r < function->nresult; ++r) {
            add(f, r > 0 ? ", " : "");
            write_array(f, "", &function->result[r]);
        }
        add(f, ")\n{\n");
        for (int r = 0; r < function->nresult; ++r) {
            if (function->result[r].size == 0) {
                add(f, "    (void)");
                add(f, function->result[r].name);
                add(f, ";\n");
            }
        }
        for (int i = 0; i < n; ++i) {
            if (!reads(body.at ? body.at : "", list[i].name)) {
                add(f, "    (void)");
                add(f, list[i].name);
                add(f, ";\n");
            }
        }
        add(f, body.at ? body.at : "");
        add(f, "}\n\n");
    }
    lwi_text_free(&once);
    lwi_text_free(&body);
    return status;
}

// --- Self check -------------------------------------------------------------------------------

static void write_known(c_file *f, const char *name, const double *value, int n)
{
    add(f, "    static const ");
    add(f, f->real);
    add(f, " ");
    add(f, name);
    add_length(f, n);
    add(f, " = ");
    write_numbers(f, value, n);
    add(f, ";\n");
}

static void write_call(c_file *f, const lwi_emit_function *function, int nkept)
{
    argument list[MOST_ARGUMENTS];
    const int n = arguments_of(f, function, nkept, list);
    add(f, "        ");
    add_own(f, function->name);
    add(f, "(");
    for (int i = 0; i < n; ++i) {
        if (strcmp(list[i].name, "p") == 0) {
            add_own(f, "parameters");
        } else if (strcmp(list[i].name, "time") == 0) {
            add(f, f->syntax.convert ? f->syntax.convert : "");
            add(f, f->syntax.convert ? "(0.5" : "0.5");
            add(f, f->suffix);
            add(f, f->syntax.convert ? ")" : "");
        } else {
            add(f, list[i].name);
        }
        add(f, ", ");
    }
    for (int r = 0; r < function->nresult; ++r) {
        add(f, function->result[r].name);
        add(f, r + 1 < function->nresult ? "_, " : "_);\n");
    }
}

// The sum of the squares of all relative errors; what is not a number stays so.
static void write_errors(c_file *f, const lwi_emit_result *result)
{
    for (int i = 0; i < result->size; ++i) {
        const double want = result->want[i];
        add(f, "        e = (");
        add(f, result->name);
        add(f, "_[");
        add_int(f, i);
        add(f, want < 0 ? "] + " : "] - ");
        lwi_emit_number(f->out, fabs(want), f->suffix);
        add(f, ") / ");
        lwi_emit_number(f->out, result->scale, f->suffix);
        add(f, ";\n        sum = sum + e * e;\n");
    }
}

static void write_comparison(c_file *f, const lwi_emit_function *function, int nkept)
{
    add(f, "    {\n");
    if (nkept > 0) {
        add(f, "        ");
        add(f, f->real);
        add(f, " k[");
        add_int(f, nkept);
        add(f, "];\n");
    }
    for (int r = 0; r < function->nresult; ++r) {
        add(f, "        ");
        write_array(f, "_", &function->result[r]);
        add(f, ";\n");
    }
    if (nkept > 0) {
        add(f, "        ");
        add_own(f, function->name);
        add(f, "_once(");
        add_own(f, "parameters");
        add(f, ", k);\n");
    }
    write_call(f, function, nkept);
    for (int r = 0; r < function->nresult; ++r) {
        write_errors(f, &function->result[r]);
    }
    add(f, "    }\n");
}

static void write_self_check(c_file *f, const int *nkept)
{
    const lwi_emit_source *source = f->source;
    const bool is_float = f->options->real == LW_REAL_FLOAT;
    add(f, "// Compares every function with a known answer, to check a compiler and a processor:\n"
           "// the root of the sum of the squares of relative errors. Good below ");
    add(f, is_float ? "1e-3.\n" : "1e-9.\n");
    add(f, "static inline ");
    add(f, f->number);
    add(f, " ");
    add_own(f, "self_check(void)\n{\n");
    write_known(f, "q", source->q, source->nq);
    write_known(f, "v", source->v, source->nv);
    write_known(f, "a", source->a, source->nv);
    write_known(f, "tau", source->tau, source->nv);
    if (source->is_sincos_input) {
        write_known(f, "s", source->sine, source->nq);
        write_known(f, "c", source->cosine, source->nq);
    }
    add(f, "    ");
    add(f, f->real);
    add(f, " e, sum = ");
    add(f, f->syntax.convert ? f->syntax.convert : "");
    add(f, f->syntax.convert ? "(0.0" : "0.0");
    add(f, f->suffix);
    add(f, f->syntax.convert ? ");\n" : ";\n");
    add(f, "    (void)q;\n    (void)v;\n    (void)a;\n    (void)tau;\n");
    for (int i = 0; i < source->nfunction; ++i) {
        write_comparison(f, &source->function[i], nkept[i]);
    }
    add(f, is_float ? "    return sqrtf(" : "    return sqrt(");
    for (int k = 0; k < f->options->lanes; ++k) {
        add(f, k > 0 ? " + sum" : "sum");
        if (is_vector(f)) {
            add(f, "[");
            add_int(f, k);
            add(f, "]");
        }
    }
    add(f, ");\n}\n\n#endif\n");
}

// --- All --------------------------------------------------------------------------------------

// Numbers that a float cannot hold would become infinite or zero.
static bool fits_float(double number)
{
    const double size = fabs(number);
    return size == 0 || (size >= (double)FLT_MIN && size <= (double)FLT_MAX);
}

static lw_status check_numbers(const c_file *f, lw_report *report)
{
    const bool is_float = f->options->real == LW_REAL_FLOAT;
    for (int i = 0; i < f->source->nparameter && is_float; ++i) {
        if (!fits_float(f->source->parameter[i].value)) {
            return lwi_report_error(report, (lw_place){0}, LW_ERR_NUMBER,
                                    "%s, %g, does not fit a float", f->source->parameter[i].name,
                                    f->source->parameter[i].value);
        }
    }
    for (int i = 0; i < f->source->nfunction && is_float; ++i) {
        const lwi_tape *tape = f->source->function[i].tape;
        for (int k = 0; k < tape->nnumber; ++k) {
            if (!fits_float(tape->number[k])) {
                return lwi_report_error(report, (lw_place){0}, LW_ERR_NUMBER,
                                        "%s: a number of the machine, %g, does not fit a float",
                                        f->source->function[i].name, tape->number[k]);
            }
        }
    }
    return LW_OK;
}

lw_status lwi_emit_c(const lwi_emit_source *source, const lw_generate_options *options,
                     lw_report *report, lwi_text *out)
{
    c_file f = {.source = source, .options = options, .out = out};
    int nkept[LW_FUNCTION_COUNT] = {0};
    begin(&f);
    lw_status status = check_numbers(&f, report);
    if (status == LW_OK) {
        write_head(&f);
        status = write_places(&f, "q", source->nq, source->position_name);
    }
    if (status == LW_OK) {
        status = write_places(&f, "v", source->nv, source->velocity_name);
    }
    if (status == LW_OK) {
        write_types(&f);
        write_parameters(&f);
    }
    for (int i = 0; i < source->nfunction && status == LW_OK; ++i) {
        status = write_function(&f, &source->function[i], &nkept[i]);
    }
    if (status == LW_OK) {
        write_self_check(&f, nkept);
    }
    return status == LW_OK && out->is_short ? LW_ERR_MEMORY : status;
}
