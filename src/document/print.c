#include "print.h"

#include "latex.h"

#include "../base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct printer {
    lwi_text *text;
    lwi_polys *s;
    lwi_notation notation;
    size_t line; ///< where the line begins
    int width, indent;
} printer;

// The nearest number that has so few digits, which then prints as short as it is.
static double rounded(double value, int most)
{
    if (value == 0.0) {
        return value;
    }
    const int digits = most - 1 - (int)floor(log10(fabs(value)));
    if (digits > 300 || digits < -300) {
        return value;
    }
    // Powers of ten up to 22 are exact, so that the quotient is the nearest number.
    const double scale = pow(10.0, abs(digits));
    return digits > 0 ? round(value * scale) / scale : round(value / scale) * scale;
}

void lwi_short_number(double value, char out[LWI_NUMBER_SIZE])
{
    lwi_print_double(rounded(value, 6), out);
}

// With an exponent as a power of ten in LaTeX.
static void print_digits(lwi_text *text, double value, int digits, lwi_notation notation)
{
    char number[LWI_NUMBER_SIZE];
    lwi_print_double(rounded(value, digits), number);
    char *exponent = strchr(number, 'e');
    if (notation == LWI_NOTATION_PLAIN || !exponent) {
        lwi_text_add(text, number);
        return;
    }
    int power = 0;
    lwi_parse_int(exponent + 1, strlen(exponent + 1), &power);
    *exponent = '\0';
    lwi_text_format(text, "%s \\cdot 10^{%d}", number, power);
}

void lwi_print_number(lwi_text *text, double value, lwi_notation notation)
{
    print_digits(text, value, 6, notation);
}

void lwi_print_long_number(lwi_text *text, double value, lwi_notation notation)
{
    print_digits(text, value, 10, notation);
}

// Velocities are derivatives of positions; words stand upright, with what follows as their index.
void lwi_print_name(lwi_text *text, const char *name, lwi_notation notation)
{
    const size_t letters = strspn(name, "abcdefghijklmnopqrstuvwxyz");
    const bool is_word = letters > 2, is_rate = name[0] == 'v' && letters == 1;
    const size_t stem = is_word ? letters : 1;
    if (notation == LWI_NOTATION_PLAIN || name[0] == '\0') {
        lwi_text_add(text, name);
        return;
    }
    lwi_text_add(text, is_word ? "\\mathrm{" : is_rate ? "\\dot " : "");
    lwi_text_add_bytes(text, is_rate ? "q" : name, stem);
    lwi_text_add(text, is_word ? "}" : "");
    if (name[stem] == '\0') {
        return;
    }
    lwi_text_add(text, "_{");
    for (const char *at = name + stem; *at; ++at) {
        lwi_text_add_bytes(text, *at == '_' ? "," : at, 1); // M1_12
    }
    lwi_text_add(text, "}");
}

// A line that has grown too long goes on below.
static void maybe_break(printer *p)
{
    if (p->notation == LWI_NOTATION_LATEX) {
        lwi_text_add(p->text, LWI_WEAK_BREAK);
    } else if (p->width > 0 && p->text->used - p->line > (size_t)p->width) {
        lwi_text_add(p->text, "\n");
        p->line = p->text->used;
        for (int i = 0; i < p->indent; ++i) {
            lwi_text_add(p->text, " ");
        }
    }
}

static void between(printer *p)
{
    lwi_text_add(p->text, p->notation == LWI_NOTATION_PLAIN ? "*" : "\\,");
}

// The factors of a term, with powers; whether there was any.
static bool print_factors(printer *p, const lwi_term *t, bool is_first)
{
    for (int i = 0; i < LWI_MOST_FACTORS && t->factor[i] != LWI_NO_FACTOR;) {
        const int x = t->factor[i], power = lwi_term_power(t, x);
        if (!is_first) {
            between(p);
        }
        is_first = false;
        lwi_print_name(p->text, p->s->variable[x].name, p->notation);
        if (power > 1) {
            lwi_text_add(p->text, "^");
            lwi_text_add_int(p->text, power);
        }
        i += power;
    }
    return !is_first;
}

static void print_sign(printer *p, double number, bool is_first)
{
    if (!is_first) {
        maybe_break(p);
    }
    lwi_text_add(p->text, number < 0 ? (is_first ? "-" : " - ") : (is_first ? "" : " + "));
}

static void print_sum(printer *p, lwi_poly a)
{
    for (int i = 0; i < a.n; ++i) {
        const double size = fabs(a.term[i].number);
        const bool is_plain = a.term[i].factor[0] == LWI_NO_FACTOR;
        print_sign(p, a.term[i].number, i == 0);
        if (is_plain || size != 1.0) {
            lwi_print_number(p->text, size, p->notation);
        }
        print_factors(p, &a.term[i], is_plain || size == 1.0);
    }
}

// --- Groups -----------------------------------------------------------------------------------

// Terms that share a mass or a moment of inertia, or several whose cofactors agree.
typedef struct group {
    lwi_poly keys; ///< a sum of masses or moments; a plain 1 where there is none
    lwi_poly rest;
} group;

static bool is_key(const lwi_polys *s, int x)
{
    const char *name = s->variable[x].name;
    return s->variable[x].kind == LWI_VAR_PARAMETER && (name[0] == 'm' || name[0] == 'I');
}

static int key_of(const lwi_polys *s, const lwi_term *t)
{
    for (int i = 0; i < LWI_MOST_FACTORS && t->factor[i] != LWI_NO_FACTOR; ++i) {
        if (is_key(s, t->factor[i])) {
            return t->factor[i];
        }
    }
    return -1;
}

// The terms with this key, without it.
static lwi_poly cofactor(lwi_polys *s, lwi_poly p, int key)
{
    int n = 0;
    lwi_term *term = lwi_arena_take(&s->arena, (size_t)p.n + 1, sizeof *term);
    for (int i = 0; i < p.n && term; ++i) {
        if (key_of(s, &p.term[i]) == key) {
            term[n++] = key < 0 ? p.term[i] : lwi_term_without(&p.term[i], key);
        }
    }
    if (!term) {
        s->status = LW_ERR_MEMORY;
        return p;
    }
    return lwi_poly_from(s, term, n);
}

static int groups_of(lwi_polys *s, lwi_poly p, group *out)
{
    int n = 0;
    for (int key = -1; key < s->nvariable; ++key) {
        if (key >= 0 && !is_key(s, key)) {
            continue;
        }
        const lwi_poly rest = cofactor(s, p, key);
        if (rest.n == 0) {
            continue;
        }
        const lwi_poly own = key < 0 ? lwi_poly_number(s, 1.0) : lwi_poly_of(s, 1.0, key);
        int at = 0;
        while (at < n && (key < 0 || !lwi_poly_equal(s, out[at].rest, rest))) {
            ++at;
        }
        if (at == n) {
            out[n++] = (group){own, rest};
        } else {
            out[at].keys = lwi_poly_add(s, out[at].keys, own);
        }
    }
    return n;
}

// The factors that all terms have.
static lwi_term common_of(lwi_poly p)
{
    lwi_term common = p.term[0];
    common.number = 1.0;
    for (int i = 1; i < p.n; ++i) {
        for (int f = 0; f < LWI_MOST_FACTORS && common.factor[f] != LWI_NO_FACTOR;) {
            const int x = common.factor[f];
            if (lwi_term_power(&p.term[i], x) < lwi_term_power(&common, x)) {
                common = lwi_term_without(&common, x);
            } else {
                ++f;
            }
        }
    }
    return common;
}

static lwi_poly divided(lwi_polys *s, lwi_poly p, const lwi_term *common, double sign)
{
    lwi_term *term = lwi_arena_take(&s->arena, (size_t)p.n + 1, sizeof *term);
    for (int i = 0; i < p.n && term; ++i) {
        term[i] = p.term[i];
        term[i].number *= sign;
        for (int f = 0; f < LWI_MOST_FACTORS && common->factor[f] != LWI_NO_FACTOR; ++f) {
            term[i] = lwi_term_without(&term[i], common->factor[f]);
        }
    }
    if (!term) {
        s->status = LW_ERR_MEMORY;
        return p;
    }
    return lwi_poly_from(s, term, p.n);
}

static double sign_of(lwi_poly p)
{
    for (int i = 0; i < p.n; ++i) {
        if (p.term[i].number > 0.0) {
            return 1.0;
        }
    }
    return -1.0;
}

static bool is_one(lwi_poly p)
{
    return p.n == 1 && p.term[0].number == 1.0 && p.term[0].factor[0] == LWI_NO_FACTOR;
}

static void print_bracket(printer *p, lwi_poly a, bool *is_first)
{
    if (!*is_first) {
        between(p);
    }
    *is_first = false;
    lwi_text_add(p->text, a.n > 1 ? "(" : "");
    print_sum(p, a);
    lwi_text_add(p->text, a.n > 1 ? ")" : "");
}

static void print_group(printer *p, const group *g, bool is_first_group)
{
    lwi_polys *s = p->s;
    const bool has_keys = !is_one(g->keys);
    if (!has_keys) {
        // Without masses, as with numbers folded in: term by term.
        for (int i = 0; i < g->rest.n; ++i) {
            const lwi_poly one = {g->rest.term + i, 1};
            const double sign = sign_of(one);
            print_sign(p, sign, is_first_group && i == 0);
            print_sum(p, lwi_poly_scale(s, sign, one));
        }
        return;
    }
    if (g->rest.n == 1 && fabs(g->rest.term[0].number) == 1.0 &&
        g->rest.term[0].factor[0] == LWI_NO_FACTOR) {
        // A sum of moments alone.
        const double sign = g->rest.term[0].number;
        for (int i = 0; i < g->keys.n; ++i) {
            const lwi_poly one = {g->keys.term + i, 1};
            print_sign(p, sign, is_first_group && i == 0);
            print_sum(p, one);
        }
        return;
    }
    const double sign = sign_of(g->rest);
    const lwi_term common = common_of(g->rest);
    const lwi_poly rest = divided(s, g->rest, &common, sign);
    bool is_first = true;
    print_sign(p, sign, is_first_group);
    if (rest.n == 1 && rest.term[0].number != 1.0) {
        lwi_print_number(p->text, rest.term[0].number, p->notation);
        is_first = false;
    }
    print_bracket(p, g->keys, &is_first);
    if (common.factor[0] != LWI_NO_FACTOR) {
        print_factors(p, &common, false);
    }
    if (rest.n > 1) {
        maybe_break(p);
        print_bracket(p, rest, &is_first);
    }
}

void lwi_print_poly(lwi_text *text, lwi_polys *s, lwi_poly a, lwi_notation notation, int width,
                    int indent)
{
    printer p = {text, s, notation, text->used, width, indent};
    while (p.line > 0 && text->at[p.line - 1] != '\n') {
        --p.line;
    }
    const lwi_poly written = lwi_poly_sum_angles(s, a);
    group *list = lwi_arena_take(&s->arena, (size_t)s->nvariable + 1, sizeof *list);
    if (written.n == 0) {
        lwi_text_add(text, "0");
        return;
    }
    const int n = list ? groups_of(s, written, list) : 0;
    for (int i = 0; i < n && s->status == LW_OK; ++i) {
        if (i > 0 && notation == LWI_NOTATION_LATEX) {
            lwi_text_add(text, LWI_BREAK);
        }
        print_group(&p, &list[i], i == 0);
    }
    text->is_short = text->is_short || !list || s->status != LW_OK;
}
