// A state and what the equations come to there, for those who compute them by hand or by programs
// of their own.
#include "chapters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_NUMBERS = 36 };

/// A derivation with workspace of its own, and a state.
typedef struct check {
    lw_derivation d;
    double *q, *v, *a, *out;
} check;

static bool open_check(check *c, const lw_derivation *d)
{
    const lw_model *m = d->model;
    c->d = *d;
    c->q = malloc(((size_t)m->nq + 3 * (size_t)m->nv + 1) * sizeof(double));
    c->out = malloc(MOST_NUMBERS * sizeof(double));
    const lw_status status = lwi_derivation_workspace(&c->d);
    if (status != LW_OK || !c->q || !c->out) {
        return false;
    }
    c->v = c->q + m->nq;
    c->a = c->v + m->nv;
    return true;
}

static void close_check(check *c)
{
    lwi_derivation_workspace_free(&c->d);
    free(c->q);
    free(c->out);
}

// Near the reference configuration, in numbers of few digits, with no two alike.
static void set_state(check *c, double step)
{
    const lw_model *m = c->d.model;
    for (int i = 0; i < m->nq; ++i) {
        c->q[i] = round(1e3 * (m->q_reference[i] + step * (1 + i % 4))) / 1e3;
    }
    for (int i = 0; i < m->nv; ++i) {
        c->v[i] = 0.5 + 0.25 * (i % 5);
        c->a[i] = 1.5 - 0.5 * (i % 4);
    }
}

static bool has_few(const check *c, int function)
{
    return c->d.tape[function] && function != LW_FUNCTION_POSES &&
           function != LW_FUNCTION_INVERSE_KINEMATICS &&
           lw_derivation_size(&c->d, (lw_function)function) <= MOST_NUMBERS;
}

static lw_status run(check *c, int function)
{
    return lw_derivation_run(&c->d, (lw_function)function, c->q, c->v, c->a, 0.0, NULL, c->out);
}

// The first of some states at which all functions have numbers; whether there is one.
static bool find_state(check *c)
{
    static const double step[] = {0.1, 0.02, 0.0};
    for (int k = 0; k < 3; ++k) {
        int nfunction = 0;
        bool is_good = true;
        set_state(c, step[k]);
        for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
            if (has_few(c, f)) {
                is_good = is_good && run(c, f) == LW_OK;
                ++nfunction;
            }
        }
        if (is_good) {
            return nfunction > 0;
        }
    }
    return false;
}

static bool is_matrix(int function)
{
    return function == LW_FUNCTION_MASS_MATRIX || function == LW_FUNCTION_INVERSE_MASS_MATRIX ||
           function == LW_FUNCTION_CORIOLIS_MATRIX || function == LW_FUNCTION_JACOBIAN ||
           function == LW_FUNCTION_JACOBIAN_RATE ||
           function == LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES ||
           function == LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES;
}

// Rows as a matrix where the format has any and it fits the page, else each for itself.
static void write_matrix(lwi_page *p, const char *name, const char *symbol, int nrow, int ncolumn,
                         const double *x)
{
    lwi_text entry[MOST_NUMBERS] = {0};
    for (int i = 0; i < nrow * ncolumn; ++i) {
        lwi_print_long_number(&entry[i], x[i], LWI_NOTATION_LATEX);
    }
    if (!lwi_page_matrix(p, symbol, nrow, ncolumn, entry)) {
        lwi_page_equations(p);
        for (int r = 0; r < nrow; ++r) {
            char row[80], index[40];
            snprintf(row, sizeof row, "%s, row %d", name, r + 1);
            snprintf(index, sizeof index, "%s_{%d\\cdot}", symbol, r + 1);
            lwi_page_numbers(p, row, index, ncolumn, x + r * ncolumn);
        }
        lwi_page_equations_end(p);
    }
    for (int i = 0; i < nrow * ncolumn; ++i) {
        p->text.is_short = p->text.is_short || entry[i].is_short;
        lwi_text_free(&entry[i]);
    }
}

static void write_functions(lwi_page *p, check *c, bool are_matrices)
{
    static const char *const symbol[LW_FUNCTION_COUNT] = {"X",
                                                          "J",
                                                          "\\tau",
                                                          "M",
                                                          "C",
                                                          "B",
                                                          "G",
                                                          "\\ddot q",
                                                          "E",
                                                          "Y",
                                                          "H",
                                                          "Q",
                                                          "Q",
                                                          "\\partial\\tau",
                                                          "\\partial\\ddot q",
                                                          "\\dot J",
                                                          "\\partial_p\\tau",
                                                          "M^{-1}"};
    const lw_model *m = c->d.model;
    for (int f = 0; f < LW_FUNCTION_COUNT; ++f) {
        const int size = lw_derivation_size(&c->d, (lw_function)f);
        if (!has_few(c, f) || is_matrix(f) != are_matrices || run(c, f) != LW_OK) {
            continue;
        }
        const char *name = lw_function_name((lw_function)f);
        if (are_matrices) {
            write_matrix(p, name, symbol[f], size / m->nv, m->nv, c->out);
        } else {
            lwi_page_numbers(p, name, symbol[f], size, c->out);
        }
    }
}

void lwi_document_check(lwi_page *p, const lw_derivation *d)
{
    check c = {0};
    // Quaternions of few digits would have no unit length, which others may require.
    if (d->model->nq != d->model->nv || d->model->nv == 0) {
        return;
    }
    if (!open_check(&c, d)) {
        p->text.is_short = true;
    } else if (find_state(&c)) {
        lwi_page_heading(p, "A check by numbers");
        lwi_page_text(
            p, "At the state below (in the order of the table of bodies; forward "
               "dynamics takes accelerations for forces) the equations come to these numbers, with "
               "the values of the model. linkwork id, mass, gravity and fd "
               "compute them from the model by other algorithms.");
        lwi_page_equations(p);
        lwi_page_numbers(p, "q", "q", d->model->nq, c.q);
        lwi_page_numbers(p, "v", "\\dot q", d->model->nv, c.v);
        lwi_page_numbers(p, "a", "\\ddot q", d->model->nv, c.a);
        write_functions(p, &c, false);
        lwi_page_equations_end(p);
        write_functions(p, &c, true);
    }
    close_check(&c);
}
