// The chapter of a document on base parameters.
#include "../sym/base_parameters.h"
#include "chapters.h"
#include "latex.h"

#include <math.h>

enum { KINDS = 10 };

static const char *times(lwi_notation notation)
{
    return notation == LWI_NOTATION_LATEX ? "\\," : "*";
}

// A term of a share: a factor and lengths, the same twice as a square.
static void print_term(lwi_text *line, const lwi_base_shares *b, double factor, const int length[2],
                       lwi_notation notation)
{
    bool is_first = true;
    if (factor != 1.0 || length[0] < 0) {
        lwi_print_number(line, factor, notation);
        is_first = false;
    }
    for (int i = 0; i < 2 && length[i] >= 0; ++i) {
        lwi_text_add(line, is_first ? "" : times(notation));
        lwi_print_name(line, b->d->symbol[b->length[length[i]]].symbol, notation);
        is_first = false;
        if (i == 0 && length[1] == length[0]) {
            lwi_text_add(line, "^2");
            break;
        }
    }
}

// The share of a parameter without its sign, and a sign of product unless it is 1; a sum stands in
// brackets.
static void print_share(lwi_text *line, const lwi_base_shares *b, size_t i, int degree,
                        lwi_notation notation)
{
    const double *factor = b->factor + i * (size_t)b->nterm;
    int count = 0, first = -1;
    for (int t = 0; t < lwi_share_terms(b->nlength, degree); ++t) {
        first = factor[t] != 0.0 && first < 0 ? t : first;
        count += factor[t] != 0.0;
    }
    if (count == 1 && degree == 0 && fabs(factor[first]) == 1.0) {
        return;
    }
    const double sign = factor[first] < 0.0 ? -1.0 : 1.0;
    lwi_text_add(line, count > 1 ? "(" : "");
    for (int t = first; t < lwi_share_terms(b->nlength, degree); ++t) {
        int length[2];
        if (factor[t] != 0.0) {
            lwi_share_term(b->nlength, degree, t, length);
            lwi_text_add(line, t == first ? "" : sign * factor[t] < 0.0 ? " - " : " + ");
            print_term(line, b, fabs(factor[t]), length, notation);
        }
    }
    lwi_text_add(line, count > 1 ? ")" : "");
    lwi_text_add(line, times(notation));
}

// The sign of a share: of its first term where it has terms. 0 where there is no share.
static int sign_of(const lwi_base_shares *b, size_t i, int degree)
{
    if (!b->is_named[i]) {
        return (b->K[i] > 0.0) - (b->K[i] < 0.0);
    }
    const double *factor = b->factor + i * (size_t)b->nterm;
    for (int t = 0; t < lwi_share_terms(b->nlength, degree); ++t) {
        if (factor[t] != 0.0) {
            return factor[t] > 0.0 ? 1 : -1;
        }
    }
    return 0;
}

static void print_parameter(lwi_text *line, int parameter, lwi_notation notation)
{
    static const char *const kind[KINDS] = {"m",   "mx",  "my",  "mz",  "Jxx",
                                            "Jyy", "Jzz", "Jxy", "Jxz", "Jyz"};
    lwi_text name = {0};
    lwi_text_add(&name, kind[parameter % KINDS]);
    lwi_text_add_int(&name, parameter / KINDS + 1);
    if (!name.is_short) {
        lwi_print_name(line, name.at, notation);
    }
    line->is_short = line->is_short || name.is_short;
    lwi_text_free(&name);
}

static size_t at(const lwi_base_shares *b, int r, int c)
{
    return (size_t)r * (size_t)b->nparameter + (size_t)c;
}

// Whether two parameters, of one kind, have the same share, which is not 1: then it stands before
// the sum of both.
static bool share_alike(const lwi_base_shares *b, int r, int c, int other)
{
    const size_t i = at(b, r, c), k = at(b, r, other);
    if (c % KINDS != other % KINDS || !b->is_named[i] || !b->is_named[k] || other == b->column[r]) {
        return false;
    }
    const int degree = lwi_share_degree(b->column[r], c);
    for (int t = 0; t < lwi_share_terms(b->nlength, degree); ++t) {
        if (b->factor[i * (size_t)b->nterm + (size_t)t] !=
            b->factor[k * (size_t)b->nterm + (size_t)t]) {
            return false;
        }
    }
    return degree > 0;
}

static bool stands_already(const lwi_base_shares *b, int r, int c)
{
    bool does = false;
    for (int earlier = 0; earlier < c; ++earlier) {
        does = does || (earlier != b->column[r] && share_alike(b, r, earlier, c));
    }
    return does;
}

static void print_alike(lwi_text *line, const lwi_base_shares *b, int r, int c,
                        lwi_notation notation)
{
    int count = 1;
    for (int other = c + 1; other < b->nparameter; ++other) {
        count += share_alike(b, r, c, other);
    }
    lwi_text_add(line, count > 1 ? "(" : "");
    print_parameter(line, c, notation);
    for (int other = c + 1; other < b->nparameter; ++other) {
        if (share_alike(b, r, c, other)) {
            lwi_text_add(line, " + ");
            print_parameter(line, other, notation);
        }
    }
    lwi_text_add(line, count > 1 ? ")" : "");
}

// A line that has grown too long goes on below.
static void maybe_break(lwi_text *line, size_t *begin, lwi_notation notation)
{
    if (notation == LWI_NOTATION_LATEX) {
        lwi_text_add(line, LWI_BREAK);
    } else if (line->used - *begin > 70) {
        lwi_text_add(line, "\n     ");
        *begin = line->used;
    }
}

// Whether a parameter is printed as its negative: products of inertia may be integrals.
static bool is_negated(const lw_derivation *d, int parameter)
{
    return d->options.has_product_integrals && parameter % KINDS > 6;
}

// The parameter that leads stands first.
static void print_combination(lwi_text *line, const lw_derivation *d, const lwi_base_shares *b,
                              int r, lwi_notation notation)
{
    size_t begin = 0;
    lwi_text_add(line, is_negated(d, b->column[r]) ? "-" : "");
    print_parameter(line, b->column[r], notation);
    for (int c = 0; c < b->nparameter; ++c) {
        const size_t i = at(b, r, c);
        const int degree = lwi_share_degree(b->column[r], c), sign = sign_of(b, i, degree);
        if (sign == 0 || c == b->column[r] || stands_already(b, r, c)) {
            continue;
        }
        maybe_break(line, &begin, notation);
        lwi_text_add(line, (sign < 0) != is_negated(d, c) ? " - " : " + ");
        if (b->is_named[i]) {
            print_share(line, b, i, degree, notation);
        } else if (fabs(fabs(b->K[i]) - 1.0) > 1e-9) {
            lwi_print_number(line, fabs(b->K[i]), notation);
            lwi_text_add(line, times(notation));
        }
        print_alike(line, b, r, c, notation);
    }
}

void lwi_document_base(lwi_page *p, const lw_derivation *d)
{
    enum { MOST_BODIES = 12 };
    lwi_base_shares b;
    if (d->model->nbody > MOST_BODIES) {
        return;
    }
    const lw_status status = lwi_find_base_shares(d->model, d->options.is_symbolic, &b);
    p->text.is_short = p->text.is_short || status == LW_ERR_MEMORY;
    if (status == LW_OK && b.rank > 0) {
        lwi_page_heading(p, "Base parameters");
        lwi_page_text(
            p,
            "Of the %d inertial parameters the joint forces distinguish %d combinations. "
            "%s is the mass of a body, %s, %s, %s its first moment (mass times the centre "
            "of mass), and %s its tensor about the origin of its frame, along the axes of "
            "that, where %s is about the centre of mass:",
            b.nparameter, b.rank, LWI_SYMBOL("m"), LWI_SYMBOL("mx"), LWI_SYMBOL("my"),
            LWI_SYMBOL("mz"), LWI_SYMBOL("J"), LWI_SYMBOL("I"));
        lwi_page_equations(p);
        if (d->options.has_product_integrals) {
            lwi_page_line(p, "Jzz1 = Izz1 + m1*(rx1^2 + ry1^2),  Jxy1 = Ixy1 + m1*rx1*ry1",
                          "J_{zz1} = I_{zz1} + m_{1} (r_{x1}^2 + r_{y1}^2), \\quad J_{xy1} = "
                          "I_{xy1} + m_{1} r_{x1} r_{y1}");
        } else {
            lwi_page_line(p, "Jzz1 = Izz1 + m1*(rx1^2 + ry1^2),  Jxy1 = Ixy1 - m1*rx1*ry1",
                          "J_{zz1} = I_{zz1} + m_{1} (r_{x1}^2 + r_{y1}^2), \\quad J_{xy1} = "
                          "I_{xy1} - m_{1} r_{x1} r_{y1}");
        }
        lwi_page_equations_end(p);
        lwi_page_text(p, "The column of the regressor that belongs to the first parameter of a "
                         "combination, times the combination, is what these parameters add to the "
                         "joint forces:");
        lwi_page_equations(p);
        for (int r = 0; r < b.rank; ++r) {
            lwi_text plain = {0}, latex = {0};
            print_combination(&plain, d, &b, r, LWI_NOTATION_PLAIN);
            print_combination(&latex, d, &b, r, LWI_NOTATION_LATEX);
            p->text.is_short = p->text.is_short || plain.is_short || latex.is_short;
            lwi_page_line(p, plain.at ? plain.at : "", latex.at ? latex.at : "");
            lwi_text_free(&plain);
            lwi_text_free(&latex);
        }
        lwi_page_equations_end(p);
    }
    lwi_base_shares_free(&b);
}
