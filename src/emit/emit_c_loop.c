// Loops of code in C: src/expr/tape_loop.c with the numbers of a mechanism filled in.

#include "emit_c.h"

#include "../expr/tape_loop.h"

#include <math.h>

enum { PER_LINE = 4 };

static void write_array(lwi_c_file *f, const char *name, const double *value, int n)
{
    lwi_c_print(f, "    static const $ %s[%d] = {", name, c_length(n));
    for (int i = 0; i < n; ++i) {
        lwi_c_print(f, i == 0 ? "" : i % PER_LINE == 0 ? ",\n        " : ", ");
        lwi_c_number(f, value[i]);
    }
    lwi_c_print(f, n == 0 ? "0};\n" : "};\n");
}

// A number of the rules; those of float are the second.
static void write_rule(lwi_c_file *f, double of_double, double of_float)
{
    lwi_c_number(f, f->options->real == LW_REAL_FLOAT ? of_float : of_double);
}

// The arguments that all parts of a loop take, by their names or with their types.
static void write_common(lwi_c_file *f, bool is_typed)
{
    const char *type = is_typed ? "const $ *" : "";
    if (f->source->nparameter > 0) {
        lwi_c_print(f, type);
        lwi_c_print(f, "p, ");
    }
    lwi_c_print(f, type);
    lwi_c_print(f, "q, ");
}

// --- Straight-line parts ------------------------------------------------------------------------

static lw_status write_tape(lwi_c_file *f, const lwi_tape *tape, int nresult,
                            const lwi_emit_result *result)
{
    static const char *const inputs[] = {"p", "q", "x", "d", "s", "c"};
    lwi_text once = {0}, body = {0};
    lwi_tape whole = *tape;
    int nkept = 0;
    whole.nonce = 0; // nothing is kept between calls
    const lw_status status =
        lwi_emit_lines(&whole, nresult, result, &f->syntax, &once, &body, &nkept);
    const char *text = body.at ? body.at : "";
    lwi_c_print(f, "\n{\n");
    // Sines and cosines that others have as inputs.
    for (int i = 4; i < 6 && f->source->is_sincos_input; ++i) {
        if (lwi_c_reads(text, inputs[i])) {
            lwi_c_print(f,
                        "    $ %s[%d];\n    for (int i = 0; i < %d; ++i) {\n"
                        "        %s[i] = %s%s(q[i]);\n    }\n",
                        inputs[i], c_length(f->source->nq), f->source->nq, inputs[i],
                        i == 4 ? "sin" : "cos", f->suffix);
        }
    }
    lwi_c_print(f, "%s", text);
    lwi_text_free(&once);
    lwi_text_free(&body);
    return status;
}

static lw_status write_rows(lwi_c_file *f, int i)
{
    const lwi_tape_loop *l = &f->source->loops->loop[i];
    const lwi_emit_result rows[] = {{.name = "r", .size = l->nrow},
                                    {.name = "J", .size = l->nrow * l->ndof}};
    const lwi_emit_result moved = {.name = "y", .size = l->nx};
    lwi_c_print(f, "// Conditions r of loop ");
    lwi_emit_comment(f->out, l->name);
    lwi_c_print(f, ", and their derivatives J.\nstatic void @rows%d(", i);
    write_common(f, true);
    lwi_c_print(f, "const $ *x, $ *r, $ *J)");
    lw_status status = write_tape(f, l->rows, 2, rows);
    lwi_c_print(f, "%s    (void)q;\n}\n\n", f->source->nparameter > 0 ? "    (void)p;\n" : "");
    if (status == LW_OK) {
        lwi_c_print(f,
                    "// Its unknowns, moved by d.\n"
                    "static void @move%d(const $ *x, const $ *d, $ *y)",
                    i);
        status = write_tape(f, l->move, 1, &moved);
        lwi_c_print(f, "}\n\n");
    }
    return status;
}

// --- Iterations
// -----------------------------------------------------------------------------------

static void write_invert(lwi_c_file *f)
{
    lwi_c_print(f,
                "// P, the pseudo-inverse of J [m * n], by orthogonal columns Q and their shares "
                "R (Gram and\n// Schmidt); 0 where a column is in the span of those before.\n"
                "static inline int @invert(int m, int n, const $ *J, $ *Q, $ *R, $ *P)\n{\n"
                "    for (int i = 0; i < m * n; ++i) {\n        Q[i] = J[i];\n    }\n"
                "    for (int k = 0; k < n; ++k) {\n"
                "        $ own = 0, square = 0;\n"
                "        for (int i = 0; i < m; ++i) {\n"
                "            own += J[i * n + k] * J[i * n + k];\n"
                "            square += Q[i * n + k] * Q[i * n + k];\n        }\n"
                "        if (!(square > ");
    write_rule(f, LWI_LOOP_SINGULAR, 1e-8);
    lwi_c_print(f, " * own)) {\n            return 0;\n        }\n"
                   "        R[k * n + k] = 1 / square;\n"
                   "        for (int c = k + 1; c < n; ++c) {\n"
                   "            $ share = 0;\n"
                   "            for (int i = 0; i < m; ++i) {\n"
                   "                share += Q[i * n + k] * Q[i * n + c];\n            }\n"
                   "            R[k * n + c] = share *= R[k * n + k];\n"
                   "            for (int i = 0; i < m; ++i) {\n"
                   "                Q[i * n + c] -= share * Q[i * n + k];\n            }\n"
                   "        }\n    }\n"
                   "    for (int k = n - 1; k >= 0; --k) {\n"
                   "        for (int i = 0; i < m; ++i) {\n"
                   "            P[k * m + i] = R[k * n + k] * Q[i * n + k];\n        }\n"
                   "        for (int c = k + 1; c < n; ++c) {\n"
                   "            for (int i = 0; i < m; ++i) {\n"
                   "                P[k * m + i] -= R[k * n + c] * P[c * m + i];\n            }\n"
                   "        }\n    }\n    return 1;\n}\n\n");
}

static void write_iteration(lwi_c_file *f, int number)
{
    const lwi_tape_loop *l = &f->source->loops->loop[number];
    const int n = l->ndof, m = l->nrow;
    lwi_c_print(f,
                "// Newton's method, first by the P of before: the change of J, or 2 where it "
                "fails.\nstatic $ @iterate%d(",
                number);
    write_common(f, true);
    lwi_c_print(f, "$ *x)\n{\n");
    write_array(f, "unit", l->unit, n);
    lwi_c_print(f,
                "    $ r[%d], J[%d], Q[%d], R[%d], P0[%d], d[%d], *P = x + %d, before = 1;\n"
                "    for (int i = 0; i < %d; ++i) {\n        P0[i] = P[i];\n    }\n"
                "    for (int k = 0; k < %d; ++k) {\n        $ sum = 0;\n        @rows%d(",
                m, m * n, m * n, n * n, m * n, n, l->first + l->nx, m * n, LWI_LOOP_ITERATIONS,
                number);
    write_common(f, false);
    lwi_c_print(
        f,
        "x, r, J);\n"
        "        if (k > 0 && !@invert(%d, %d, J, Q, R, P)) {\n            break;\n        }\n"
        "        for (int i = 0; i < %d; ++i) {\n            d[i] = 0;\n"
        "            for (int j = 0; j < %d; ++j) {\n"
        "                d[i] -= P[i * %d + j] * r[j];\n            }\n"
        "            sum += d[i] / unit[i] * (d[i] / unit[i]);\n        }\n"
        "        @move%d(x, d, x + %d);\n"
        "        const $ change = sqrt%s(sum);\n        if (k > 0 && (change <= ",
        m, n, n, m, m, number, l->first, f->suffix);
    write_rule(f, LWI_LOOP_ENOUGH, 2e-6);
    lwi_c_print(f, " || (change <= ");
    write_rule(f, LWI_LOOP_LEAST, 1e-4);
    lwi_c_print(f,
                " && change > before / 2))) {\n            sum = 0;\n"
                "            for (int i = 0; i < %d; ++i) {\n"
                "                sum += r[i] * r[i];\n            }\n"
                "            if (!(sqrt%s(sum) <= ",
                m, f->suffix);
    write_rule(f, LWI_LOOP_CLOSED * l->size, 1e-5 * l->size);
    lwi_c_print(f,
                ")) {\n                break;\n            }\n            sum = 0;\n"
                "            for (int i = 0; i < %d; ++i) {\n"
                "                for (int j = 0; j < %d; ++j) {\n"
                "                    $ e = (i == j) ? -1 : 0;\n"
                "                    for (int c = 0; c < %d; ++c) {\n"
                "                        e += P0[i * %d + c] * J[c * %d + j];\n"
                "                    }\n                    e *= unit[j] / unit[i];\n"
                "                    sum += e * e;\n                }\n            }\n"
                "            return sqrt%s(sum);\n        }\n"
                "        if (!(change <= before / 2)) {\n            break;\n        }\n"
                "        before = change;\n    }\n    return 2;\n}\n\n",
                n, n, m, m, n, f->suffix);
}

// The reference configuration.
static void write_start(lwi_c_file *f)
{
    const lwi_tape_loops *all = f->source->loops;
    lwi_c_print(f, "static int @begin(");
    if (f->source->nparameter > 0) {
        lwi_c_print(f, "const $ *p, ");
    }
    lwi_c_print(f, "$ *x)\n{\n");
    write_array(f, "q", all->q, all->nq);
    lwi_c_print(f,
                "    x[0] = 1;\n    for (int i = 0; i < %d; ++i) {\n        x[1 + i] = q[i];\n"
                "    }\n",
                all->nq);
    for (int i = 0; i < all->nloop; ++i) {
        const lwi_tape_loop *l = &all->loop[i];
        const int n = l->ndof, m = l->nrow;
        lwi_c_print(f, "    {\n        $ r[%d], J[%d], Q[%d], R[%d];\n    ", m, m * n, m * n,
                    n * n);
        write_array(f, "start", l->start, l->nx);
        lwi_c_print(f,
                    "        for (int i = 0; i < %d; ++i) {\n            x[%d + i] = start[i];\n"
                    "        }\n        @rows%d(",
                    l->nx, l->first, i);
        write_common(f, false);
        lwi_c_print(f,
                    "x, r, J);\n        if (!@invert(%d, %d, J, Q, R, x + %d)) {\n"
                    "            return 0;\n        }\n    }\n",
                    m, n, l->first + l->nx);
    }
    lwi_c_print(f, "    return 1;\n}\n\n");
}

// What a way along each position counts, so that a piece is 1 long at most.
static void write_weights(lwi_c_file *f)
{
    const lwi_tape_loops *all = f->source->loops;
    lwi_c_print(f, "    static const $ weight[%d] = {", c_length(all->nq));
    for (int i = 0; i < all->nq; ++i) {
        lwi_c_print(f, i == 0 ? "" : i % PER_LINE == 0 ? ",\n        " : ", ");
        lwi_c_number(f, 1.0 / all->reach[i]);
    }
    lwi_c_print(f, all->nq == 0 ? "0};\n" : "};\n");
}

static void write_close(lwi_c_file *f)
{
    const lwi_tape_loops *all = f->source->loops;
    const bool has_parameters = f->source->nparameter > 0;
    lwi_c_print(f, "// Closes the loops at q, from where they are in x along the straight way, in "
                   "pieces; 0, and x as it\n// was, where that fails.\nstatic int @close(");
    write_common(f, true);
    lwi_c_print(f, "$ *x)\n{\n");
    write_weights(f);
    lwi_c_print(f,
                "    $ y[%d], z[%d], at[%d], way = 0, done = 0;\n    int is_there = x[0] != 0;\n"
                "    for (int i = 0; i < %d; ++i) {\n        y[i] = x[i];\n    }\n"
                "    if (!is_there && !@begin(%sy)) {\n        return 0;\n    }\n"
                "    for (int i = 0; i < %d; ++i) {\n"
                "        const $ own = fabs%s(q[i] - y[1 + i]) * weight[i];\n"
                "        way = own > way ? own : way;\n"
                "        is_there = is_there && q[i] == y[1 + i];\n    }\n",
                all->nstate, all->nstate, c_length(all->nq), all->nstate,
                has_parameters ? "p, " : "", all->nq, f->suffix);
    // Other parameters close elsewhere.
    lwi_c_print(f, has_parameters ? "    (void)is_there;\n"
                                  : "    if (is_there) {\n        return 1;\n    }\n");
    lwi_c_print(f,
                "    const $ longest = way > 1 ? 1 / way : 1;\n    $ piece = longest;\n"
                "    for (int k = 0; k < %d && piece >= ",
                LWI_LOOP_PIECES);
    write_rule(f, LWI_LOOP_SHORTEST, 1e-4);
    lwi_c_print(f,
                "; ++k) {\n        const $ to = done + piece < 1 ? done + piece : 1;\n"
                "        $ change = 0;\n"
                "        for (int i = 0; i < %d; ++i) {\n            z[i] = y[i];\n        }\n"
                "        for (int i = 0; i < %d; ++i) {\n"
                "            at[i] = to < 1 ? y[1 + i] + to * (q[i] - y[1 + i]) : q[i];\n"
                "        }\n",
                all->nstate, all->nq);
    for (int i = 0; i < all->nloop; ++i) {
        lwi_c_print(f, "        if (change <= ");
        lwi_c_number(f, LWI_LOOP_ALIKE);
        lwi_c_print(f,
                    ") {\n            const $ own = @iterate%d(%sat, z);\n"
                    "            change = own > change ? own : change;\n        }\n",
                    i, has_parameters ? "p, " : "");
    }
    lwi_c_print(f, "        if (change <= ");
    lwi_c_number(f, LWI_LOOP_ALIKE);
    lwi_c_print(f,
                ") {\n            for (int i = 0; i < %d; ++i) {\n                y[i] = z[i];\n"
                "            }\n            done = to;\n        }\n"
                "        if (done >= 1) {\n            for (int i = 0; i < %d; ++i) {\n"
                "                x[i] = i >= 1 && i <= %d ? q[i - 1] : y[i];\n            }\n"
                "            return 1;\n        }\n        $ factor = ",
                all->nstate, all->nstate, all->nq);
    lwi_c_number(f, LWI_LOOP_WANTED);
    lwi_c_print(f, " / change;\n        factor = factor > 2 ? 2 : factor < ");
    lwi_c_number(f, 0.1);
    lwi_c_print(f, " ? ");
    lwi_c_number(f, 0.1);
    lwi_c_print(f,
                " : factor;\n        piece = piece * factor < longest ? piece * factor : longest;\n"
                "    }\n    return 0;\n}\n\n");
}

lw_status lwi_c_loops(lwi_c_file *f)
{
    lw_status status = LW_OK;
    for (int i = 0; i < f->source->loops->nloop && status == LW_OK; ++i) {
        status = write_rows(f, i);
    }
    write_invert(f);
    for (int i = 0; i < f->source->loops->nloop; ++i) {
        write_iteration(f, i);
    }
    write_start(f);
    write_close(f);
    return status;
}
