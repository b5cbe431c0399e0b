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

// Whether a line or an output reads an input of a kind.
static bool reads_kind(const lwi_tape *tape, lwi_symbol_kind kind)
{
    const uint32_t n = (uint32_t)tape->ninput;
    for (int k = 0; k < tape->nline; ++k) {
        const lwi_line *l = &tape->line[k];
        const uint32_t a = l->a >> 1, b = lwi_is_binary(l->op) ? l->b >> 1 : a;
        if ((a < n && tape->input[a].kind == kind) || (b < n && tape->input[b].kind == kind)) {
            return true;
        }
    }
    for (int i = 0; i < tape->noutput; ++i) {
        const uint32_t value = tape->output[i].value >> 1;
        if (value < n && tape->input[value].kind == kind) {
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

enum { MOST_ARGUMENTS = 12, PLAIN = -1 };

// What a function takes, by meaning; the result is the last.
static int arguments_of(const lwi_c_file *f, const lwi_emit_function *function, int nkept,
                        argument list[MOST_ARGUMENTS])
{
    const lwi_emit_source *source = f->source;
    const bool has_q = !function->reads_pose &&
                       (function->ndictionary == 0 || reads_kind(function->tape, LWI_POSITION)),
               has_sines = source->is_sincos_input && !function->reads_pose;
    const argument all[MOST_ARGUMENTS] = {
        {source->nparameter > 0 ? "p" : NULL, source->nparameter},
        {nkept > 0 ? "k" : NULL, nkept},
        {function->ndictionary > 0 ? "d" : NULL, function->ndictionary},
        {has_q ? "q" : NULL, source->nq},
        {function->reads_pose ? "X" : NULL, 12},
        {has_sines ? "s" : NULL, source->nq},
        {has_sines ? "c" : NULL, source->nq},
        {function->reads_v ? "v" : NULL, source->nv},
        {function->reads_a ? "a" : NULL, source->nv},
        {function->reads_tau ? "tau" : NULL, source->nv},
        {lwi_tape_has(function->tape, LWI_TIME) ? "time" : NULL, PLAIN},
        {has_loops(f, function) ? "x" : NULL, has_loops(f, function) ? source->loops->nstate : 0},
    };
    int n = 0;
    for (int i = 0; i < MOST_ARGUMENTS; ++i) {
        if (all[i].name) {
            list[n++] = all[i];
        }
    }
    return n;
}

// The head of what computes k[] once: a line without an end.
static void write_once_head(lwi_c_file *f, const lwi_emit_function *function, int nkept)
{
    lwi_c_print(f,
                "// What depends on parameters only, to be computed once for @%s().\n"
                "%svoid @%s_once(const $ p[%d], $ k[%d])",
                function->name, f->storage, function->name, c_length(f->source->nparameter), nkept);
}

// The head of a function: comments, and a line without an end.
static void write_function_head(lwi_c_file *f, const lwi_emit_function *function,
                                const argument *list, int n)
{
    const lwi_counts *c = &function->counts;
    lwi_emit_about(f->out, "// ", function);
    lwi_c_print(f,
                "// Cost: %d multiplications, %d additions, %d divisions, %d square roots, %d "
                "sines and cosines, %d others.\n%svoid @%s(",
                c->mul, c->add, c->div, c->sqrt, c->sincos, c->other, f->storage, function->name);
    for (int i = 0; i < n; ++i) {
        lwi_c_print(f, strcmp(list[i].name, "x") == 0 ? "" : "const ");
        lwi_c_print(f, list[i].size == PLAIN ? "$ %s, " : "$ %s[%d], ", list[i].name,
                    c_length(list[i].size));
    }
    for (int r = 0; r < function->nresult; ++r) {
        lwi_c_print(f, "%s$ %s[%d]", r > 0 ? ", " : "", function->result[r].name,
                    c_length(function->result[r].size));
    }
    lwi_c_print(f, ")");
}

// Where loops cannot be closed no result is a number.
static void close_first(lwi_c_file *f, const lwi_emit_function *function)
{
    lwi_c_print(f, "    if (!@close(%sq, x)) {\n", f->source->nparameter > 0 ? "p, " : "");
    for (int r = 0; r < function->nresult; ++r) {
        lwi_c_print(f,
                    "        for (int i = 0; i < %d; ++i) {\n            %s[i] = NAN;\n        }\n",
                    function->result[r].size, function->result[r].name);
    }
    lwi_c_print(f, "        return;\n    }\n");
}

static void write_body(lwi_c_file *f, const lwi_emit_function *function, const argument *list,
                       int n, const char *body)
{
    lwi_c_print(f, "\n{\n");
    for (int r = 0; r < function->nresult; ++r) {
        if (function->result[r].size == 0) {
            lwi_c_print(f, "    (void)%s;\n", function->result[r].name);
        }
    }
    for (int i = 0; i < n; ++i) {
        const bool is_used =
            has_loops(f, function) && strchr("pqx", list[i].name[0]) && !list[i].name[1];
        if (!is_used && !lwi_c_reads(body, list[i].name)) {
            lwi_c_print(f, "    (void)%s;\n", list[i].name);
        }
    }
    if (has_loops(f, function)) {
        close_first(f, function);
    }
    lwi_c_print(f, "%s}\n\n", body);
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
        lwi_c_print(f, form == LWI_C_DEFINITION ? "\n{\n%s}\n\n" : "%s",
                    form == LWI_C_DECLARATION ? end
                    : once.at                 ? once.at
                                              : "");
    }
    if (status == LW_OK) {
        const int n = arguments_of(f, function, *nkept, list);
        write_function_head(f, function, list, n);
        lwi_c_print(f, end);
        if (form == LWI_C_DEFINITION) {
            write_body(f, function, list, n, body.at ? body.at : "");
        }
    }
    lwi_text_free(&once);
    lwi_text_free(&body);
    return status;
}

// --- Plant ------------------------------------------------------------------------------------

// Rates of the positions from q on, which are the velocities from v on.
static void write_plain_rates(lwi_c_file *f, int q, int v, int count)
{
    if (count > 0) {
        lwi_c_print(f,
                    "    for (int i = 0; i < %d; ++i) {\n        dx[%d + i] = x[%d + i];\n    }\n",
                    count, q, f->source->nq + v);
    }
}

// Of a quaternion c and, of a free joint, the position before it: R(c) times the velocity l along
// the axes of the body.
static void write_quaternion_rates(lwi_c_file *f, const lwi_emit_quaternion *at)
{
    lwi_c_print(f, "    {\n        const $ *c = x + %d, *w = x + %d;\n", at->q,
                f->source->nq + at->v);
    lwi_c_print(f,
                "        dx[%d] = -(c[1] * w[0] + c[2] * w[1] + c[3] * w[2]) / 2;\n"
                "        dx[%d] = (c[0] * w[0] + c[2] * w[2] - c[3] * w[1]) / 2;\n"
                "        dx[%d] = (c[0] * w[1] + c[3] * w[0] - c[1] * w[2]) / 2;\n"
                "        dx[%d] = (c[0] * w[2] + c[1] * w[1] - c[2] * w[0]) / 2;\n",
                at->q, at->q + 1, at->q + 2, at->q + 3);
    if (at->is_free) {
        lwi_c_print(
            f,
            "        const $ *l = w + 3;\n"
            "        const $ t[3] = {2 * (c[2] * l[2] - c[3] * l[1]),\n"
            "            2 * (c[3] * l[0] - c[1] * l[2]), 2 * (c[1] * l[1] - c[2] * l[0])};\n"
            "        dx[%d] = l[0] + c[0] * t[0] + c[2] * t[2] - c[3] * t[1];\n"
            "        dx[%d] = l[1] + c[0] * t[1] + c[3] * t[0] - c[1] * t[2];\n"
            "        dx[%d] = l[2] + c[0] * t[2] + c[1] * t[1] - c[2] * t[0];\n",
            at->q - 3, at->q - 2, at->q - 1);
    }
    lwi_c_print(f, "    }\n");
}

static void write_position_rates(lwi_c_file *f)
{
    const lwi_emit_source *source = f->source;
    int q = 0, v = 0;
    for (int i = 0; i < source->nquaternion; ++i) {
        const lwi_emit_quaternion *at = &source->quaternion[i];
        write_plain_rates(f, q, v, at->q - (at->is_free ? 3 : 0) - q);
        write_quaternion_rates(f, at);
        q = at->q + 4;
        v = at->v + (at->is_free ? 6 : 3);
    }
    write_plain_rates(f, q, v, source->nq - q);
}

void lwi_c_plant(lwi_c_file *f, lwi_c_form form)
{
    const lwi_emit_source *source = f->source;
    const int nq = source->nq, nv = source->nv, n = nq + nv;
    const char *end = form == LWI_C_DECLARATION ? ";\n\n" : "\n{\n";
    lwi_c_print(
        f,
        "// The plant: states x are q, then v; inputs u are joint forces (N, N m). Rates of "
        "the states.\n%svoid @derivative(const $ x[%d], const $ u[%d], $ dx[%d])%s",
        f->storage, n, nv, n, end);
    if (form == LWI_C_DEFINITION) {
        write_position_rates(f);
        lwi_c_print(f, "    @forward_dynamics(x, x + %d, u, dx + %d);\n}\n\n", nq, nq);
    }
    lwi_c_print(
        f,
        "// One step of h (s) by the classic Runge-Kutta method of order four, with u held; "
        "loops of fixed length.\n%s"
        "%svoid @step($ x[%d], const $ u[%d], $ h)%s",
        source->nquaternion > 0 ? "// Quaternions are brought back to length 1 at its end.\n" : "",
        f->storage, n, nv, end);
    if (form == LWI_C_DEFINITION) {
        lwi_c_print(f,
                    "    const $ part[4] = {0, h / 2, h / 2, h};\n"
                    "    $ y[%d], sum[%d] = {0}, k[%d] = {0};\n"
                    "    for (int stage = 0; stage < 4; ++stage) {\n"
                    "        for (int i = 0; i < %d; ++i) {\n"
                    "            y[i] = x[i] + part[stage] * k[i];\n        }\n"
                    "        @derivative(y, u, k);\n"
                    "        for (int i = 0; i < %d; ++i) {\n"
                    "            sum[i] += (stage == 0 || stage == 3 ? 1 : 2) * k[i];\n        }\n"
                    "    }\n    for (int i = 0; i < %d; ++i) {\n"
                    "        x[i] += h / 6 * sum[i];\n    }\n",
                    n, n, n, n, n, n);
        for (int i = 0; i < source->nquaternion; ++i) {
            lwi_c_print(f,
                        "    {\n        $ *c = x + %d;\n"
                        "        const $ length = sqrt%s(c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + "
                        "c[3] * c[3]);\n        for (int i = 0; i < 4; ++i) {\n"
                        "            c[i] /= length;\n        }\n    }\n",
                        source->quaternion[i].q, f->suffix);
        }
        lwi_c_print(f, "}\n\n");
    }
}

// --- Self check -------------------------------------------------------------------------------

static void write_known(lwi_c_file *f, const char *name, const double *value, int n)
{
    lwi_c_print(f, "    static const $ %s[%d] = {", name, c_length(n));
    for (int i = 0; i < n; ++i) {
        lwi_c_print(f, i == 0 ? "" : i % 4 == 0 ? ",\n        " : ", ");
        lwi_c_number(f, value[i]);
    }
    if (n == 0) {
        lwi_c_print(f, is_vector(f) ? "{0.0%s}" : "0.0%s", f->suffix);
    }
    lwi_c_print(f, "};\n");
}

static void write_call(lwi_c_file *f, const lwi_emit_function *function, int nkept)
{
    argument list[MOST_ARGUMENTS];
    const int n = arguments_of(f, function, nkept, list);
    lwi_c_print(f, "        @%s(", function->name);
    for (int i = 0; i < n; ++i) {
        if (strcmp(list[i].name, "p") == 0) {
            lwi_c_print(f, "@parameters, ");
        } else if (strcmp(list[i].name, "time") == 0) {
            lwi_c_print(f, is_vector(f) ? "%s(0.5%s), " : "%s0.5%s, ",
                        is_vector(f) ? f->syntax.convert : "", f->suffix);
        } else {
            lwi_c_print(f, "%s, ", list[i].name);
        }
    }
    for (int r = 0; r < function->nresult; ++r) {
        lwi_c_print(f, "%s%s", function->result[r].name,
                    r + 1 < function->nresult ? "_, " : "_);\n");
    }
}

// The sum of the squares of all relative errors; NaN stays NaN.
static void write_errors(lwi_c_file *f, const lwi_emit_result *result)
{
    for (int i = 0; i < result->size; ++i) {
        const double want = result->want[i];
        lwi_c_print(f, "        e = (%s_[%d]%s", result->name, i, want < 0 ? " + " : " - ");
        lwi_emit_number(f->out, fabs(want), f->suffix);
        lwi_c_print(f, ") / ");
        lwi_emit_number(f->out, result->scale, f->suffix);
        lwi_c_print(f, ";\n        sum = sum + e * e;\n");
    }
}

static void write_comparison(lwi_c_file *f, const lwi_emit_function *function, int nkept)
{
    lwi_c_print(f, "    {\n");
    if (nkept > 0) {
        lwi_c_print(f, "        $ k[%d];\n", nkept);
    }
    if (function->ndictionary > 0) {
        lwi_c_print(f, "    ");
        write_known(f, "d", function->dictionary, function->ndictionary);
    }
    if (has_loops(f, function)) {
        lwi_c_print(f, "        $ x[%d] = {0};\n", f->source->loops->nstate);
    }
    for (int r = 0; r < function->nresult; ++r) {
        lwi_c_print(f, "        $ %s_[%d];\n", function->result[r].name,
                    c_length(function->result[r].size));
    }
    if (nkept > 0) {
        lwi_c_print(f, "        @%s_once(@parameters, k);\n", function->name);
    }
    write_call(f, function, nkept);
    for (int r = 0; r < function->nresult; ++r) {
        write_errors(f, &function->result[r]);
    }
    lwi_c_print(f, "    }\n");
}

void lwi_c_self_check(lwi_c_file *f, lwi_c_form form)
{
    const lwi_emit_source *source = f->source;
    const bool is_float = f->options->real == LW_REAL_FLOAT;
    lwi_c_print(
        f,
        "// Compares every function with a known answer, to check a compiler and a processor:\n"
        "// the root of the sum of the squares of relative errors. Good below %s.\n"
        "%s%s @self_check(void)%s\n",
        is_float ? "1e-3" : "1e-9", f->storage, f->number, form == LWI_C_DECLARATION ? ";" : "\n{");
    if (form == LWI_C_DECLARATION) {
        return;
    }
    write_known(f, "q", source->q, source->nq);
    write_known(f, "v", source->v, source->nv);
    write_known(f, "a", source->a, source->nv);
    write_known(f, "tau", source->tau, source->nv);
    if (source->pose) {
        write_known(f, "X", source->pose, 12);
    }
    if (source->is_sincos_input) {
        write_known(f, "s", source->sine, source->nq);
        write_known(f, "c", source->cosine, source->nq);
    }
    lwi_c_print(f,
                is_vector(f) ? "    $ e = %s(0.0%s), sum = e;\n" : "    $ e = %s0.0%s, sum = e;\n",
                is_vector(f) ? f->syntax.convert : "", f->suffix);
    lwi_c_print(f, "    (void)q;\n    (void)v;\n    (void)a;\n    (void)tau;\n");
    for (int i = 0; i < source->nfunction; ++i) {
        write_comparison(f, &source->function[i], f->nkept[i]);
    }
    lwi_c_print(f, "    return sqrt%s(", f->suffix);
    for (int k = 0; k < f->options->lanes; ++k) {
        lwi_c_print(f, is_vector(f) ? "%ssum[%d]" : "%ssum", k > 0 ? " + " : "", k);
    }
    lwi_c_print(f, ");\n}\n");
}
