// Functions of C, and the check of them against known answers.

#include "emit_c.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

bool lwi_c_reads(const char *body, const char *name)
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

// Whether any line reads an input of a kind.
static bool reads_kind(const lwi_tape *tape, lwi_symbol_kind kind)
{
    for (int k = 0; k < tape->nline; ++k) {
        const lwi_line *l = &tape->line[k];
        const uint32_t a = l->a >> 1, b = lwi_is_binary(l->op) ? l->b >> 1 : a;
        const uint32_t n = (uint32_t)tape->ninput;
        if ((a < n && tape->input[a].kind == kind) || (b < n && tape->input[b].kind == kind)) {
            return true;
        }
    }
    for (int i = 0; i < tape->noutput; ++i) {
        const uint32_t value = tape->output[i].value >> 1;
        if (value < (uint32_t)tape->ninput && tape->input[value].kind == kind) {
            return true;
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

// --- Functions --------------------------------------------------------------------------------

typedef struct argument {
    const char *name;
    int size; ///< PLAIN for a number that is no array
} argument;

enum { MOST_ARGUMENTS = 10, PLAIN = -1 };

// What a function takes, by meaning; the result is the last.
static int arguments_of(const lwi_c_file *f, const lwi_emit_function *function, int nkept,
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
    if (function->ndictionary > 0) {
        list[n++] = (argument){"d", function->ndictionary};
    }
    if (function->ndictionary == 0 || reads_kind(function->tape, LWI_POSITION)) {
        list[n++] = (argument){"q", source->nq};
    }
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

static void write_arguments(lwi_c_file *f, const argument *list, int n)
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

static void write_cost(lwi_c_file *f, const lwi_counts *counts)
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

// The head of what computes k[] once: a line without an end.
static void write_once_head(lwi_c_file *f, const lwi_emit_function *function, int nkept)
{
    const argument p = {"p", f->source->nparameter};
    add(f, "// What hangs on parameters only, to be computed once for ");
    add_own(f, function->name);
    add(f, "().\n");
    add(f, f->storage);
    add(f, "void ");
    add_own(f, function->name);
    add(f, "_once(");
    write_arguments(f, &p, 1);
    add(f, f->real);
    add(f, " k");
    add_length(f, nkept);
    add(f, ")");
}

// double M_[36]
static void write_array(lwi_c_file *f, const char *behind, const lwi_emit_result *result)
{
    add(f, f->real);
    add(f, " ");
    add(f, result->name);
    add(f, behind);
    add_length(f, result->size);
}

// The head of a function: comments, and a line without an end.
static void write_function_head(lwi_c_file *f, const lwi_emit_function *function,
                                const argument *list, int n)
{
    lwi_emit_about(f->out, "// ", function);
    write_cost(f, &function->counts);
    add(f, f->storage);
    add(f, "void ");
    add_own(f, function->name);
    add(f, "(");
    write_arguments(f, list, n);
    for (int r = 0; r < function->nresult; ++r) {
        add(f, r > 0 ? ", " : "");
        write_array(f, "", &function->result[r]);
    }
    add(f, ")");
}

static void write_unused(lwi_c_file *f, const char *name)
{
    add(f, "    (void)");
    add(f, name);
    add(f, ";\n");
}

static void write_body(lwi_c_file *f, const lwi_emit_function *function, const argument *list,
                       int n, const char *body)
{
    add(f, "\n{\n");
    for (int r = 0; r < function->nresult; ++r) {
        if (function->result[r].size == 0) {
            write_unused(f, function->result[r].name);
        }
    }
    for (int i = 0; i < n; ++i) {
        if (!lwi_c_reads(body, list[i].name)) {
            write_unused(f, list[i].name);
        }
    }
    add(f, body);
    add(f, "}\n\n");
}

lw_status lwi_c_function(lwi_c_file *f, int number, lwi_c_form form)
{
    const lwi_emit_function *function = &f->source->function[number];
    const char *end = form == LWI_C_DECLARATION ? ";\n\n" : "";
    lwi_text once = {0}, body = {0};
    argument list[MOST_ARGUMENTS];
    int *nkept = &f->nkept[number];
    const lw_status status = lwi_emit_lines(function->tape, function->nresult, function->result,
                                            &f->syntax, &once, &body, nkept);
    if (status == LW_OK && *nkept > 0) {
        write_once_head(f, function, *nkept);
        add(f, end);
        if (form == LWI_C_DEFINITION) {
            add(f, "\n{\n");
            add(f, once.at ? once.at : "");
            add(f, "}\n\n");
        }
    }
    if (status == LW_OK) {
        const int n = arguments_of(f, function, *nkept, list);
        write_function_head(f, function, list, n);
        add(f, end);
        if (form == LWI_C_DEFINITION) {
            write_body(f, function, list, n, body.at ? body.at : "");
        }
    }
    lwi_text_free(&once);
    lwi_text_free(&body);
    return status;
}

// --- Self check -------------------------------------------------------------------------------

static void write_numbers(lwi_c_file *f, const double *value, int n)
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

static void write_known(lwi_c_file *f, const char *name, const double *value, int n)
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

static void write_call(lwi_c_file *f, const lwi_emit_function *function, int nkept)
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
static void write_errors(lwi_c_file *f, const lwi_emit_result *result)
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

static void write_comparison(lwi_c_file *f, const lwi_emit_function *function, int nkept)
{
    add(f, "    {\n");
    if (nkept > 0) {
        add(f, "        ");
        add(f, f->real);
        add(f, " k[");
        add_int(f, nkept);
        add(f, "];\n");
    }
    if (function->ndictionary > 0) {
        add(f, "    ");
        write_known(f, "d", function->dictionary, function->ndictionary);
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

void lwi_c_self_check(lwi_c_file *f, lwi_c_form form)
{
    const lwi_emit_source *source = f->source;
    const bool is_float = f->options->real == LW_REAL_FLOAT;
    add(f, "// Compares every function with a known answer, to check a compiler and a processor:\n"
           "// the root of the sum of the squares of relative errors. Good below ");
    add(f, is_float ? "1e-3.\n" : "1e-9.\n");
    add(f, f->storage);
    add(f, f->number);
    add(f, " ");
    add_own(f, form == LWI_C_DECLARATION ? "self_check(void);\n" : "self_check(void)\n{\n");
    if (form == LWI_C_DECLARATION) {
        return;
    }
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
        write_comparison(f, &source->function[i], f->nkept[i]);
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
    add(f, ");\n}\n");
}
