// Sums of angles in polynomials: c_i c_j - s_i s_j is c_ij. Angles of joints and sums that were
// found before are treated alike, so that longer sums come step by step.
#include "poly.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TERMS = 400, NAME_SIZE = 40 }; // longer sums are not read

static size_t add_joints(char *name, size_t used, uint64_t joints, const char *between)
{
    bool is_first = true;
    for (int i = 0; i < 64; ++i) {
        if (joints >> i & 1) {
            const int n =
                snprintf(name + used, NAME_SIZE - used, "%s%d", is_first ? "" : between, i + 1);
            used += n > 0 ? (size_t)n : 0;
            used = used < NAME_SIZE ? used : NAME_SIZE - 1;
            is_first = false;
        }
    }
    return used;
}

// The cosine of an angle of several joints, made with its sine if there is none; -1 if there are
// too many.
static int cosine_of(lwi_polys *s, uint64_t plus, uint64_t minus)
{
    for (int i = 0; i < s->nvariable; ++i) {
        if (s->variable[i].kind == LWI_VAR_COSINE && s->variable[i].plus == plus &&
            s->variable[i].minus == minus) {
            return i;
        }
    }
    if (s->nvariable + 2 > LWI_MOST_VARIABLES) {
        return -1;
    }
    const char *between = (plus | minus) >> 9 ? "_" : "";
    int found = -1;
    for (int k = 0; k < 2; ++k) {
        char name[NAME_SIZE] = {k == 0 ? 'c' : 's'};
        size_t used = add_joints(name, 1, plus, between);
        if (minus && used + 1 < NAME_SIZE) {
            name[used++] = '-';
            add_joints(name, used, minus, between);
        }
        const int v = lwi_poly_variable(s, k == 0 ? LWI_VAR_COSINE : LWI_VAR_SINE, -1, name);
        if (s->status != LW_OK) {
            return -1;
        }
        s->variable[v].plus = plus;
        s->variable[v].minus = minus;
        found = k == 0 ? v : found;
    }
    return found;
}

static int find(const lwi_term *term, int n, const lwi_term *wanted)
{
    for (int i = 0; i < n; ++i) {
        if (memcmp(term[i].factor, wanted->factor, sizeof wanted->factor) == 0) {
            return i;
        }
    }
    return -1;
}

static lwi_term times(const lwi_term *t, int variable)
{
    lwi_term out = *t;
    int n = 0;
    while (n < LWI_MOST_FACTORS - 1 && out.factor[n] != LWI_NO_FACTOR) {
        ++n;
    }
    for (; n > 0 && out.factor[n - 1] > variable; --n) {
        out.factor[n] = out.factor[n - 1];
    }
    out.factor[n] = (uint8_t)variable;
    return out;
}

// Whether the numbers of two terms are the same, one times `sign`, but for rounding.
static bool is_same(const lwi_term *a, const lwi_term *b, double sign)
{
    return fabs(a->number - sign * b->number) <= 1e-14 * (a->size + b->size);
}

// A pair of terms that is one: x and y are cosines of different angles, and the term at `at` has x
// or its sine, and y or its sine. Returns the new length, or n where nothing was found.
static int join(lwi_polys *s, lwi_term *term, int n, int at, int x, int y, bool is_sine)
{
    const lwi_variable *a = &s->variable[x], *b = &s->variable[y];
    lwi_term rest = lwi_term_without(&term[at], is_sine ? x + 1 : x);
    rest = lwi_term_without(&rest, y);
    lwi_term other = times(&rest, is_sine ? x : x + 1);
    other = times(&other, y + 1);
    const int with = find(term, n, &other);
    if (with < 0 || ((a->plus | a->minus) & (b->plus | b->minus))) {
        return n;
    }
    // c c - s s and s c + c s are of the sum; with the other sign, of the difference.
    const bool is_sum = is_same(&term[at], &term[with], is_sine ? 1.0 : -1.0);
    const bool is_difference = is_same(&term[at], &term[with], is_sine ? -1.0 : 1.0);
    if (!is_sum && !is_difference) {
        return n;
    }
    const uint64_t plus = a->plus | (is_sum ? b->plus : b->minus);
    const uint64_t minus = a->minus | (is_sum ? b->minus : b->plus);
    const int cosine = cosine_of(s, plus, minus);
    if (cosine < 0) {
        return n;
    }
    term[at] = times(&rest, is_sine ? cosine + 1 : cosine);
    term[with] = term[n - 1];
    return n - 1;
}

static int join_term(lwi_polys *s, lwi_term *term, int n, int at)
{
    for (int i = 0; i < LWI_MOST_FACTORS && term[at].factor[i] != LWI_NO_FACTOR; ++i) {
        for (int j = 0; j < LWI_MOST_FACTORS && term[at].factor[j] != LWI_NO_FACTOR; ++j) {
            const int x = term[at].factor[i], y = term[at].factor[j];
            if (x == y || s->variable[y].kind != LWI_VAR_COSINE) {
                continue;
            }
            int left = n;
            if (s->variable[x].kind == LWI_VAR_COSINE && x < y) {
                left = join(s, term, n, at, x, y, false);
            } else if (s->variable[x].kind == LWI_VAR_SINE && x - 1 != y) {
                left = join(s, term, n, at, x - 1, y, true);
            }
            if (left != n) {
                return left;
            }
        }
    }
    return n;
}

lwi_poly lwi_poly_sum_angles(lwi_polys *s, lwi_poly a)
{
    if (a.n < 2 || a.n > MOST_TERMS) {
        return a;
    }
    lwi_term *term = lwi_arena_take(&s->arena, (size_t)a.n, sizeof *term);
    if (!term) {
        s->status = LW_ERR_MEMORY;
        return a;
    }
    memcpy(term, a.term, (size_t)a.n * sizeof *term);
    int n = a.n;
    bool is_changed = true;
    while (is_changed) {
        is_changed = false;
        for (int i = 0; i < n; ++i) {
            const int left = join_term(s, term, n, i);
            is_changed = is_changed || left != n;
            n = left;
        }
    }
    return lwi_poly_from(s, term, n);
}
