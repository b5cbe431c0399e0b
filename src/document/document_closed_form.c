// The chapter of a document on equations in closed form: matrices, elements, and which vanish.
#include "chapters.h"

#include "../sym/lagrange.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    NAME_SIZE = LWI_NUMBER_SIZE + 8,
    MOST_PRINTED = 120, // terms of one element that are still read
    MOST_PATTERN = 30   // rows of a pattern that is not wider than a page
};

static void element(lwi_page *p, lwi_closed *c, const char *name, lwi_poly poly)
{
    if (poly.n > MOST_PRINTED) {
        char plain[80];
        snprintf(plain, sizeof plain, "%s = (a sum of %d products)", name, poly.n);
        lwi_page_words(p, plain);
    } else {
        lwi_page_equation(p, name, &c->s, poly);
    }
}

// With numbers of one digit "M12", else "M1_12".
static void element_name(char name[NAME_SIZE], const char *stem, int n, int i, int j)
{
    snprintf(name, NAME_SIZE, n < 10 ? "%s%d%d" : "%s%d_%d", stem, i + 1, j + 1);
}

// The velocity force of joint i as one polynomial.
static lwi_poly velocity_force(lwi_closed *c, const int *rate, int i)
{
    lwi_polys *s = &c->s;
    lwi_poly sum = {NULL, 0};
    for (int k = 0; k < c->n; ++k) {
        for (int l = k; l < c->n; ++l) {
            lwi_poly part = c->B[(i * c->n + k) * c->n + l];
            part = lwi_poly_mul(s, part, lwi_poly_of(s, k == l ? 1.0 : 2.0, rate[k]));
            sum = lwi_poly_add(s, sum, lwi_poly_mul(s, part, lwi_poly_of(s, 1.0, rate[l])));
        }
    }
    return sum;
}

// A matrix or a vector with its elements in it, where the format has such and the page is wide
// enough; else with the names of those that do not vanish, and false: these must be listed.
static bool print_matrix(lwi_page *p, lwi_closed *c, const char *stem, const char *symbol,
                         int ncolumn, const lwi_poly *poly)
{
    const int n = c->n, count = n * ncolumn;
    bool is_whole = false, is_done = false;
    const bool is_latex = p->format == LW_DOCUMENT_LATEX;
    lwi_text *entry = is_latex ? calloc((size_t)count, sizeof *entry) : NULL;
    p->text.is_short = p->text.is_short || (is_latex && !entry);
    for (int pass = 0; pass < 2 && entry && !is_done; ++pass) {
        is_whole = pass == 0;
        for (int i = 0; i < count; ++i) {
            // The matrix is symmetric, and the names are those of its upper half.
            const int row = i / ncolumn, column = i % ncolumn;
            const bool is_lower = ncolumn > 1 && column < row;
            const lwi_poly e = poly[is_lower ? column * n + row : i];
            char name[NAME_SIZE];
            lwi_text_clear(&entry[i]);
            if (is_whole && e.n <= MOST_PRINTED) {
                lwi_print_poly(&entry[i], &c->s, e, LWI_NOTATION_LATEX, 0, 0);
                continue;
            }
            if (ncolumn == 1) {
                snprintf(name, sizeof name, "%s%d", stem, row + 1);
            } else {
                element_name(name, stem, n, is_lower ? column : row, is_lower ? row : column);
            }
            lwi_print_name(&entry[i], e.n ? name : "0", LWI_NOTATION_LATEX);
            is_whole = false;
        }
        is_done = is_whole == (pass == 0) && lwi_page_matrix(p, symbol, n, ncolumn, entry);
    }
    for (int i = 0; i < count && entry; ++i) {
        p->text.is_short = p->text.is_short || entry[i].is_short;
        lwi_text_free(&entry[i]);
    }
    free(entry);
    return is_done && is_whole;
}

static void list_elements(lwi_page *p, lwi_closed *c, const char *stem, int ncolumn,
                          const lwi_poly *poly)
{
    char name[NAME_SIZE];
    for (int i = 0; i < c->n; ++i) {
        for (int j = ncolumn > 1 ? i : 0; j < ncolumn; ++j) {
            const lwi_poly e = poly[i * ncolumn + j];
            if (ncolumn > 1) {
                element_name(name, stem, c->n, i, j);
            } else {
                snprintf(name, sizeof name, "%s%d", stem, i + 1);
            }
            if (e.n > 0 || ncolumn == 1) {
                element(p, c, name, e);
            }
        }
    }
}

static void print_elements(lwi_page *p, lwi_closed *c, lw_form form)
{
    const int n = c->n;
    const char *const stem[3] = {form == LW_FORM_UICKER ? "H" : "M", "C", "G"};
    const char *const symbol[3] = {form == LW_FORM_UICKER ? "H(q)" : "M(q)", "C(q, \\dot q)",
                                   "G(q)"};
    int *rate = lwi_arena_take(&c->s.arena, (size_t)n + 1, sizeof *rate);
    lwi_poly *force = lwi_arena_take(&c->s.arena, (size_t)n + 1, sizeof *force);
    if (!rate || !force) {
        p->text.is_short = true;
        return;
    }
    for (int i = 0; i < n; ++i) {
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "v%d", c->m->v_tree[i] + 1);
        rate[i] = lwi_poly_variable(&c->s, LWI_VAR_PARAMETER, -1, name);
    }
    for (int i = 0; i < n; ++i) {
        force[i] = velocity_force(c, rate, i);
    }
    const lwi_poly *const poly[3] = {c->M, force, c->G};
    // One block for all, but for matrices, each of which has its elements below it.
    const bool is_latex = p->format == LW_DOCUMENT_LATEX;
    for (int k = 0; k < 3; ++k) {
        const int ncolumn = k == 0 ? n : 1;
        if (print_matrix(p, c, stem[k], symbol[k], ncolumn, poly[k])) {
            continue;
        }
        if (is_latex || k == 0) {
            lwi_page_equations(p);
        }
        list_elements(p, c, stem[k], ncolumn, poly[k]);
        if (is_latex || k == 2) {
            lwi_page_equations_end(p);
        }
    }
}

// Which elements of the mass matrix vanish, as a picture.
static void print_pattern(lwi_page *p, const lwi_closed *c)
{
    const int n = c->n;
    lwi_text *entry = calloc((size_t)n * (size_t)n, sizeof *entry);
    for (int i = 0; entry && i < n * n; ++i) {
        lwi_text_add(&entry[i], c->M[i].n ? "\\times" : "\\cdot");
    }
    p->text.is_short = p->text.is_short || !entry;
    if (entry && !lwi_page_matrix(p, "M", n, n, entry)) {
        lwi_page_equations(p);
        for (int i = 0; i < n; ++i) {
            char line[2 * MOST_PATTERN + 24];
            int used = snprintf(line, sizeof line, "row %2d of M:", i + 1);
            for (int j = 0; j < n; ++j) {
                used += snprintf(line + used, sizeof line - (size_t)used, " %c",
                                 c->M[i * n + j].n ? 'x' : '.');
            }
            lwi_page_words(p, line);
        }
        lwi_page_equations_end(p);
    }
    for (int i = 0; entry && i < n * n; ++i) {
        lwi_text_free(&entry[i]);
    }
    free(entry);
}

static void zero_pattern(lwi_page *p, const lwi_closed *c, long long nproduct, long long nskipped)
{
    const int n = c->n, all = (1 + n) * (n * (n + 1) / 2) + n;
    int zeros[3] = {0};
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            zeros[0] += j >= i && c->M[i * n + j].n == 0;
            for (int l = j; l < n; ++l) {
                zeros[1] += c->B[(i * n + j) * n + l].n == 0;
            }
        }
        zeros[2] += c->G[i].n == 0;
    }
    const int sum = zeros[0] + zeros[1] + zeros[2];
    lwi_page_heading(p, "Zero pattern");
    lwi_page_text(
        p,
        "Of %d different elements (%d of the mass matrix, %d of the velocity forces, %d of "
        "the gravity forces) %d vanish: %d, %d and %d.",
        all, n * (n + 1) / 2, n * n * (n + 1) / 2, n, sum, zeros[0], zeros[1], zeros[2]);
    lwi_page_text(p,
                  "Of %lld products of elements of matrices on the way to them %lld have a factor "
                  "that is zero in every configuration, and were not made.",
                  nproduct, nskipped);
    if (n <= MOST_PATTERN) {
        print_pattern(p, c);
    }
}

void lwi_document_closed_form(lwi_page *p, const lw_derivation *d, lw_form form)
{
    lwi_symbolic k = {0};
    lwi_closed *c = calloc(1, sizeof *c);
    lwi_graph *g = lwi_graph_create(d->options.max_nodes);
    lw_status status = c && g ? LW_OK : LW_ERR_MEMORY;
    if (status == LW_OK) {
        status = lwi_symbolic_init(&k, d->model, &d->options, g, NULL);
    }
    if (status == LW_OK) {
        status = lwi_closed_init(c, &k, form);
    }
    if (status == LW_OK) {
        const long long nproduct = c->s.nproduct, nskipped = c->s.nskipped;
        lwi_page_heading(p, "Equations");
        lwi_page_formula(p, form == LW_FORM_UICKER ? "tau = H a + C + G" : "tau = M a + C + G",
                         form == LW_FORM_UICKER ? "\\tau = H(q)\\,\\ddot q + C(q, \\dot q) + G(q)"
                                                : "\\tau = M(q)\\,\\ddot q + C(q, \\dot q) + G(q)");
        lwi_page_text(p, "Elements that are not listed vanish; the matrix is symmetric. Joint "
                         "forces such as friction, and loads, come on top.");
        print_elements(p, c, form);
        zero_pattern(p, c, nproduct, nskipped);
        p->text.is_short = p->text.is_short || c->s.status != LW_OK;
    } else if (status == LW_ERR_LIMIT) {
        lwi_page_text(p, "Written out in sines and cosines the equations have too many terms to be "
                         "read.");
    } else {
        p->text.is_short = true;
    }
    if (c) {
        lwi_closed_free(c);
    }
    lwi_symbolic_free(&k);
    lwi_graph_destroy(g);
    free(c);
}
