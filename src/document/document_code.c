// Straight-line code within the document, in plain notation.
#include "chapters.h"

#include "../emit/emit.h"

#include <string.h>

enum { MOST_LINES = 700 }; ///< operations of a listing that a person may still follow

static const lwi_syntax plain = {
    .declare = "",
    .indent = "",
    .end = "\n",
    .suffix = "",
    .has_indexed_angles = true, // c1 is the cosine of q1 in the rest of the document, not of q[1]
    .function = {[LWI_OP_SQRT] = "sqrt",
                 [LWI_OP_SIN] = "sin",
                 [LWI_OP_COS] = "cos",
                 [LWI_OP_ATAN2] = "atan2",
                 [LWI_OP_TANH] = "tanh",
                 [LWI_OP_CLAMP] = "clamp",
                 [LWI_OP_SIGN] = "sign"},
};

bool lwi_document_is_short(const lwi_tape *tape)
{
    return tape->nline <= MOST_LINES;
}

void lwi_document_lines(lwi_page *p, const lwi_tape *tape, const char *result, int size)
{
    lwi_text once = {0}, body = {0};
    int nkept = 0;
    if (!lwi_document_is_short(tape)) {
        lwi_page_text(p,
                      "Written out these are %d operations, too many to be read here; linkwork "
                      "generate writes them as code.",
                      tape->nline);
        return;
    }
    const lwi_emit_result filled = {.name = result, .about = "", .size = size};
    const lw_status status = lwi_emit_lines(tape, 1, &filled, &plain, &once, &body, &nkept);
    p->text.is_short = p->text.is_short || status != LW_OK || once.is_short || body.is_short;
    if (once.at && once.used > 0) {
        lwi_page_text(p, "What depends on parameters only, computed once; p[i] is symbol i + 1 of "
                         "the table above:");
        lwi_page_listing(p, once.at);
    }
    if (body.at) {
        lwi_page_listing(p, body.at);
    }
    lwi_text_free(&once);
    lwi_text_free(&body);
}

// Where the elements stand in their array.
static void add_locations(lwi_page *p, const lw_model *m)
{
    const int n = m->nv, half = n * (n + 1) / 2;
    lwi_page_text(p,
                  "H[0] to H[%d] are the upper half of the mass matrix, row by row; H[%d] to H[%d] "
                  "the Christoffel symbols B_ikl with k <= l, for each i in turn, so that joint i "
                  "has the velocity force sum of B_ikl v_k v_l over all k and l; the last %d the "
                  "gravity forces.",
                  half - 1, half, half + n * half - 1, n);
}

void lwi_document_code(lwi_page *p, const lw_derivation *d)
{
    bool is_begun = false;
    for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
        const lw_function function = (lw_function)f;
        if (!d->tape[f] || d->form[f] != LW_FORM_RECURSIVE) {
            continue;
        }
        if (!is_begun) {
            lwi_page_heading(p, "Line by line");
            lwi_page_text(
                p, lwi_document_is_inverse(d)
                       ? "What the steps came to, with numbers of the model folded in; "
                         "lines that two results need stand once."
                       : "What the recursion came to, with numbers of the model folded in "
                         "unless they are symbols. q[0] is q1, v[0] and a[0] are its velocity "
                         "and acceleration, c[0] and s[0] its cosine and sine, which are c1 and "
                         "s1 elsewhere, and so on; lines that two results need stand once.");
            is_begun = true;
        }
        lwi_page_text(p, "%s:", lw_function_name(function));
        if (function == LW_FUNCTION_INVERSE_KINEMATICS) {
            lwi_page_text(p,
                          "X[0] to X[8] are the rotation of the frame, row by row, X[9] to X[11] "
                          "its position. Q[0] begins the first row, Q[%d] the second.",
                          d->model->nq + 1);
        }
        if (function == LW_FUNCTION_ELEMENTS) {
            add_locations(p, d->model);
        }
        lwi_document_lines(p, d->tape[f], lw_function_result(function),
                           lw_derivation_size(d, function));
    }
    char why[LWI_WHY_SIZE];
    if (!lwi_document_is_inverse(d) && !d->tape[LW_FUNCTION_ELEMENTS] &&
        !lwi_has_closed_form(d->model, why)) {
        lwi_page_text(
            p, "The elements of the mass matrix, of the velocity forces and of gravity "
               "are not among the functions that were requested. By itself linkwork "
               "derive adds them for up to seven joints of one degree of freedom whose loops have "
               "closed forms, because those of others come to thousands of operations; "
               "--functions elements adds them.");
    }
}
