// Sums merge sorted lists; products are made term by term, reduced, sorted and joined.
//
// A number that is no more than what rounding leaves where larger ones cancel is dropped: below
// 1e-14 of the sum of their sizes. Terms keep that sum, since a small difference of large numbers
// may cancel once more, against another one with other rounding errors.
#include "poly.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double rounding = 1e-14;

void lwi_polys_free(lwi_polys *s)
{
    lwi_arena_free(&s->arena);
    free(s->work);
    s->work = NULL;
}

static void fail(lwi_polys *s, lw_status status)
{
    s->status = s->status == LW_OK ? status : s->status;
}

int lwi_poly_variable(lwi_polys *s, lwi_variable_kind kind, int index, const char *name)
{
    if (s->nvariable == LWI_MOST_VARIABLES) {
        fail(s, LW_ERR_LIMIT);
        return 0;
    }
    char *copy = lwi_arena_text(&s->arena, name, strlen(name));
    if (!copy) {
        fail(s, LW_ERR_MEMORY);
        return 0;
    }
    const bool is_joint = kind != LWI_VAR_PARAMETER && index >= 0 && index < 64;
    s->variable[s->nvariable] =
        (lwi_variable){kind, index, copy, is_joint ? (uint64_t)1 << index : 0, 0};
    return s->nvariable++;
}

static lwi_term constant(double number)
{
    lwi_term t = {.number = number, .size = fabs(number)};
    memset(t.factor, LWI_NO_FACTOR, sizeof t.factor);
    return t;
}

static lwi_term *take(lwi_polys *s, int n)
{
    if (s->status != LW_OK) {
        return NULL;
    }
    s->made += n;
    if (s->most > 0 && s->made > s->most) {
        fail(s, LW_ERR_LIMIT);
        return NULL;
    }
    lwi_term *t = lwi_arena_take(&s->arena, n > 0 ? (size_t)n : 1, sizeof *t);
    if (!t) {
        fail(s, LW_ERR_MEMORY);
    }
    return t;
}

static lwi_poly zero(void)
{
    return (lwi_poly){NULL, 0};
}

lwi_poly lwi_poly_number(lwi_polys *s, double number)
{
    lwi_term *t = number != 0.0 ? take(s, 1) : NULL;
    if (!t) {
        return zero();
    }
    *t = constant(number);
    return (lwi_poly){t, 1};
}

lwi_poly lwi_poly_of(lwi_polys *s, double number, int variable)
{
    lwi_term *t = number != 0.0 ? take(s, 1) : NULL;
    if (!t) {
        return zero();
    }
    *t = constant(number);
    t->factor[0] = (uint8_t)variable;
    return (lwi_poly){t, 1};
}

static int compare(const lwi_term *a, const lwi_term *b)
{
    return memcmp(a->factor, b->factor, sizeof a->factor);
}

lwi_poly lwi_poly_add(lwi_polys *s, lwi_poly a, lwi_poly b)
{
    if (a.n == 0 || b.n == 0) {
        return a.n == 0 ? b : a;
    }
    lwi_term *out = take(s, a.n + b.n);
    int n = 0, i = 0, j = 0;
    while (out && (i < a.n || j < b.n)) {
        const int order = i == a.n ? 1 : j == b.n ? -1 : compare(&a.term[i], &b.term[j]);
        if (order != 0) {
            out[n++] = order < 0 ? a.term[i++] : b.term[j++];
            continue;
        }
        out[n] = a.term[i];
        out[n].number += b.term[j].number;
        out[n].size += b.term[j].size;
        n += fabs(out[n].number) > rounding * out[n].size;
        ++i;
        ++j;
    }
    return out ? (lwi_poly){out, n} : zero();
}

lwi_poly lwi_poly_scale(lwi_polys *s, double number, lwi_poly a)
{
    if (number == 1.0) {
        return a;
    }
    lwi_term *out = number != 0.0 ? take(s, a.n) : NULL;
    for (int i = 0; i < a.n && out; ++i) {
        out[i] = a.term[i];
        out[i].number *= number;
        out[i].size *= fabs(number);
    }
    return out ? (lwi_poly){out, a.n} : zero();
}

lwi_poly lwi_poly_sub(lwi_polys *s, lwi_poly a, lwi_poly b)
{
    return lwi_poly_add(s, a, lwi_poly_scale(s, -1.0, b));
}

// --- Products ---------------------------------------------------------------------------------

static int by_factors(const void *a, const void *b)
{
    return compare(a, b);
}

lwi_poly lwi_poly_from(lwi_polys *s, lwi_term *term, int n)
{
    qsort(term, (size_t)n, sizeof *term, by_factors);
    int used = 0;
    for (int i = 0; i < n;) {
        double sum = 0.0, size = 0.0;
        int j = i;
        for (; j < n && compare(&term[i], &term[j]) == 0; ++j) {
            sum += term[j].number;
            size += term[j].size;
        }
        term[used] = term[i];
        term[used].number = sum;
        term[used].size = size;
        used += fabs(sum) > rounding * size;
        i = j;
    }
    lwi_term *out = used > 0 ? take(s, used) : NULL;
    if (!out) {
        return zero();
    }
    memcpy(out, term, (size_t)used * sizeof *out);
    return (lwi_poly){out, used};
}

static int degree(const lwi_term *t)
{
    int n = 0;
    while (n < LWI_MOST_FACTORS && t->factor[n] != LWI_NO_FACTOR) {
        ++n;
    }
    return n;
}

static bool multiply(const lwi_term *a, const lwi_term *b, lwi_term *out)
{
    const int na = degree(a), nb = degree(b);
    if (na + nb > LWI_MOST_FACTORS) {
        return false;
    }
    *out = constant(a->number * b->number);
    out->size = a->size * b->size;
    int i = 0, j = 0;
    for (int k = 0; k < na + nb; ++k) {
        const bool is_a = j == nb || (i < na && a->factor[i] <= b->factor[j]);
        out->factor[k] = is_a ? a->factor[i++] : b->factor[j++];
    }
    return true;
}

int lwi_term_power(const lwi_term *t, int variable)
{
    int n = 0;
    for (int i = 0; i < LWI_MOST_FACTORS && t->factor[i] != LWI_NO_FACTOR; ++i) {
        n += t->factor[i] == variable;
    }
    return n;
}

lwi_term lwi_term_without(const lwi_term *t, int variable)
{
    lwi_term out = constant(t->number);
    out.size = t->size;
    bool is_gone = false;
    int n = 0;
    for (int i = 0; i < LWI_MOST_FACTORS && t->factor[i] != LWI_NO_FACTOR; ++i) {
        if (t->factor[i] == variable && !is_gone) {
            is_gone = true;
        } else {
            out.factor[n++] = t->factor[i];
        }
    }
    return out;
}

static lwi_term with(const lwi_term *t, int variable)
{
    lwi_term one = constant(1.0), out = *t;
    one.factor[0] = (uint8_t)variable;
    multiply(t, &one, &out);
    return out;
}

// The sine that stands twice in a term, or -1.
static int square_sine(const lwi_polys *s, const lwi_term *t)
{
    for (int i = 0; i + 1 < LWI_MOST_FACTORS && t->factor[i + 1] != LWI_NO_FACTOR; ++i) {
        if (t->factor[i] == t->factor[i + 1] && s->variable[t->factor[i]].kind == LWI_VAR_SINE) {
            return t->factor[i];
        }
    }
    return -1;
}

static bool grow(lwi_polys *s, int n)
{
    if (n <= s->work_capacity) {
        return true;
    }
    if (s->most > 0 && n > s->most) {
        fail(s, LW_ERR_LIMIT);
        return false;
    }
    const int capacity = 2 * n + 64;
    lwi_term *longer = realloc(s->work, (size_t)capacity * sizeof *longer);
    if (!longer) {
        fail(s, LW_ERR_MEMORY);
        return false;
    }
    s->work = longer;
    s->work_capacity = capacity;
    return true;
}

// s^2 = 1 - c^2, in the list of work; returns its new length.
static int reduce(lwi_polys *s, int n)
{
    for (int i = 0; i < n; ++i) {
        int sine = square_sine(s, &s->work[i]);
        while (sine >= 0 && grow(s, n + 1)) {
            lwi_term t = lwi_term_without(&s->work[i], sine);
            t = lwi_term_without(&t, sine);
            lwi_term other = with(&t, sine - 1);
            other = with(&other, sine - 1);
            other.number = -other.number;
            s->work[i] = t;
            s->work[n++] = other;
            sine = square_sine(s, &s->work[i]);
        }
        if (s->status != LW_OK) {
            return 0;
        }
    }
    return n;
}

lwi_poly lwi_poly_mul(lwi_polys *s, lwi_poly a, lwi_poly b)
{
    ++s->nproduct;
    s->nskipped += a.n == 0 || b.n == 0;
    if (a.n == 0 || b.n == 0 || s->status != LW_OK || !grow(s, a.n * b.n)) {
        return zero();
    }
    int n = 0;
    for (int i = 0; i < a.n; ++i) {
        for (int j = 0; j < b.n; ++j) {
            if (!multiply(&a.term[i], &b.term[j], &s->work[n++])) {
                fail(s, LW_ERR_LIMIT);
                return zero();
            }
        }
    }
    n = reduce(s, n);
    return lwi_poly_from(s, s->work, n);
}

// --- Derivatives ------------------------------------------------------------------------------

lwi_poly lwi_poly_derivative(lwi_polys *s, lwi_poly a, int joint)
{
    int n = 0;
    for (int i = 0; i < a.n; ++i) {
        uint8_t last = LWI_NO_FACTOR;
        for (int f = 0; f < LWI_MOST_FACTORS && a.term[i].factor[f] != LWI_NO_FACTOR; ++f) {
            const uint8_t x = a.term[i].factor[f];
            const lwi_variable *v = &s->variable[x];
            if (x == last || v->kind == LWI_VAR_PARAMETER || v->index != joint || !grow(s, n + 1)) {
                continue;
            }
            last = x;
            lwi_term t = lwi_term_without(&a.term[i], x);
            t.number *= lwi_term_power(&a.term[i], x);
            t.size *= lwi_term_power(&a.term[i], x);
            if (v->kind == LWI_VAR_COSINE) {
                t = with(&t, x + 1);
                t.number = -t.number;
            } else if (v->kind == LWI_VAR_SINE) {
                t = with(&t, x - 1);
            }
            s->work[n++] = t;
        }
    }
    n = reduce(s, n);
    return n > 0 ? lwi_poly_from(s, s->work, n) : zero();
}

bool lwi_poly_equal(lwi_polys *s, lwi_poly a, lwi_poly b)
{
    const lwi_poly rest = lwi_poly_sub(s, a, b);
    double size = 0.0;
    for (int i = 0; i < a.n; ++i) {
        size = fmax(size, fabs(a.term[i].number));
    }
    for (int i = 0; i < rest.n; ++i) {
        if (fabs(rest.term[i].number) > 1e-12 * size) {
            return false;
        }
    }
    return s->status == LW_OK;
}
