// A function in two, as VIBRAN wrote them (Bansevicius and others 2004): the first fills a
// dictionary of all products of sines and cosines, sorted by their exponents, each from shorter
// ones; the second computes what the results have in common, and the results, from these words.
//
// Both are tapes made from one, so that everything else writes them as it writes any other.

#include "emit.h"

#include "../math/wide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A product of sines and cosines.
typedef struct word {
    int line; ///< of the tape
    int degree;
    const unsigned char *exponent; ///< [2 * nq] of the sine and the cosine of each position
    int nq;
} word;

typedef struct splitter {
    lwi_arena *arena;
    const lwi_tape *tape;
    int first;               ///< value that is the first line
    int nq;                  ///< positions that there are
    unsigned char *exponent; ///< [value][2 * nq]
    unsigned char *is_word;  ///< [value] 1: a line that is a word; 2: an input that is a factor
    word *word;              ///< [nword] sorted
    int nword;
    int *rank; ///< [nline] place among the words
    int *kept; ///< [nword] place in the dictionary, or -1 where only words read it
    int nkept;
} splitter;

static unsigned char *exponent_of(const splitter *s, uint32_t value)
{
    return s->exponent + 2 * (size_t)s->nq * value;
}

static bool is_position(const splitter *s, uint32_t ref)
{
    return ref >> 1 < (uint32_t)s->tape->ninput && s->tape->input[ref >> 1].kind == LWI_POSITION;
}

static void find_words(splitter *s)
{
    const lwi_tape *t = s->tape;
    for (int i = 0; i < t->ninput; ++i) {
        const bool is_sine = t->input[i].kind == LWI_SINE,
                   is_cosine = t->input[i].kind == LWI_COSINE;
        if (is_sine || is_cosine) {
            s->is_word[i] = 2;
            exponent_of(s, (uint32_t)i)[2 * t->input[i].index + is_cosine] = 1;
        }
    }
    for (int k = t->nonce; k < t->nline; ++k) {
        const lwi_line *l = &t->line[k];
        const uint32_t value = (uint32_t)(s->first + k), a = l->a >> 1, b = l->b >> 1;
        unsigned char *own = exponent_of(s, value);
        if ((l->op == LWI_OP_SIN || l->op == LWI_OP_COS) && is_position(s, l->a)) {
            own[2 * t->input[a].index + (l->op == LWI_OP_COS)] = 1;
        } else if (l->op == LWI_OP_MUL && s->is_word[a] && s->is_word[b]) {
            for (int i = 0; i < 2 * s->nq; ++i) {
                own[i] = (unsigned char)(exponent_of(s, a)[i] + exponent_of(s, b)[i]);
            }
        } else {
            continue;
        }
        s->is_word[value] = 1;
        word *w = &s->word[s->nword++];
        *w = (word){.line = k, .exponent = own, .nq = s->nq};
        for (int i = 0; i < 2 * s->nq; ++i) {
            w->degree += own[i];
        }
    }
}

// Shorter ones first, so that each comes behind its factors.
static int compare(const void *a, const void *b)
{
    const word *x = a, *y = b;
    if (x->degree != y->degree) {
        return x->degree < y->degree ? -1 : 1;
    }
    const int order = memcmp(y->exponent, x->exponent, 2 * (size_t)x->nq);
    return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

static void keep(splitter *s, uint32_t ref)
{
    if (s->is_word[ref >> 1] == 1) {
        s->kept[s->rank[(int)(ref >> 1) - s->first]] = 0;
    }
}

static void sort_words(splitter *s)
{
    const lwi_tape *t = s->tape;
    qsort(s->word, (size_t)s->nword, sizeof *s->word, compare);
    for (int i = 0; i < s->nword; ++i) {
        s->rank[s->word[i].line] = i;
        s->kept[i] = -1;
    }
    for (int k = 0; k < t->nline; ++k) {
        if (s->is_word[s->first + k] != 1) {
            keep(s, t->line[k].a);
            if (lwi_is_binary(t->line[k].op)) {
                keep(s, t->line[k].b);
            }
        }
    }
    for (int i = 0; i < t->noutput; ++i) {
        keep(s, t->output[i].value);
    }
    for (int i = 0; i < s->nword; ++i) {
        s->kept[i] = s->kept[i] == 0 ? s->nkept++ : -1;
    }
}

// --- Two tapes --------------------------------------------------------------------------------

static uint32_t in_dictionary(const splitter *s, uint32_t ref)
{
    const uint32_t value = ref >> 1;
    const uint32_t to = s->is_word[value] == 1
                            ? (uint32_t)(s->tape->ninput + s->rank[(int)value - s->first])
                            : value;
    return 2 * to + (ref & 1u);
}

static lwi_tape *dictionary_of(const splitter *s)
{
    const lwi_tape *t = s->tape;
    lwi_tape *out = lwi_arena_take(s->arena, 1, sizeof *out);
    lwi_line *line = lwi_arena_take(s->arena, (size_t)s->nword + 1, sizeof *line);
    lwi_output *output = lwi_arena_take(s->arena, (size_t)s->nkept + 1, sizeof *output);
    if (!out || !line || !output) {
        return NULL;
    }
    for (int i = 0; i < s->nword; ++i) {
        line[i] = t->line[s->word[i].line];
        line[i].a = in_dictionary(s, line[i].a);
        line[i].b = lwi_is_binary(line[i].op) ? in_dictionary(s, line[i].b) : 0;
        if (s->kept[i] >= 0) {
            output[s->kept[i]] = (lwi_output){"d", s->kept[i], 2 * (uint32_t)(t->ninput + i)};
        }
    }
    *out = (lwi_tape){.ninput = t->ninput,
                      .nline = s->nword,
                      .noutput = s->nkept,
                      .input = t->input,
                      .number = t->number,
                      .line = line,
                      .output = output};
    return out;
}

// `place` [nline] where the lines that stay are now.
static uint32_t in_rest(const splitter *s, const int *location, uint32_t ref)
{
    const int value = (int)(ref >> 1), ninput = s->tape->ninput;
    const int to = value < ninput           ? value
                   : value < s->first       ? value + s->nkept
                   : s->is_word[value] == 1 ? ninput + s->kept[s->rank[value - s->first]]
                                            : s->first + s->nkept + location[value - s->first];
    return 2 * (uint32_t)to + (ref & 1u);
}

static lwi_tape *rest_of(const splitter *s)
{
    const lwi_tape *t = s->tape;
    const size_t nline = (size_t)t->nline + 1;
    lwi_tape *out = lwi_arena_take(s->arena, 1, sizeof *out);
    lwi_line *line = lwi_arena_take(s->arena, nline, sizeof *line);
    lwi_output *output = lwi_arena_take(s->arena, (size_t)t->noutput + 1, sizeof *output);
    lwi_symbol *input = lwi_arena_take(s->arena, (size_t)(t->ninput + s->nkept) + 1, sizeof *input);
    int *location = lwi_arena_take(s->arena, nline, sizeof *location), n = 0;
    if (!out || !line || !output || !input || !location) {
        return NULL;
    }
    memcpy(input, t->input, (size_t)t->ninput * sizeof *input);
    for (int i = 0; i < s->nkept; ++i) {
        input[t->ninput + i] = (lwi_symbol){"d", LWI_OTHER, i};
    }
    for (int k = 0; k < t->nline; ++k) {
        if (s->is_word[s->first + k] != 1) {
            location[k] = n;
            line[n] = t->line[k];
            line[n].a = in_rest(s, location, line[n].a);
            line[n].b = lwi_is_binary(line[n].op) ? in_rest(s, location, line[n].b) : 0;
            ++n;
        }
    }
    for (int i = 0; i < t->noutput; ++i) {
        output[i] = t->output[i];
        output[i].value = in_rest(s, location, output[i].value);
    }
    *out = (lwi_tape){.ninput = t->ninput + s->nkept,
                      .nnumber = t->nnumber,
                      .nline = n,
                      .noutput = t->noutput,
                      .nonce = t->nonce,
                      .input = input,
                      .number = t->number,
                      .line = line,
                      .output = output};
    return out;
}

// --- Two functions ----------------------------------------------------------------------------

// What the dictionary holds at a position.
static double *values_of(const splitter *s, const lwi_tape *tape, const double *q)
{
    double *value =
        lwi_arena_take(s->arena, (size_t)(tape->ninput + tape->nline) + 1, sizeof *value);
    double *out = lwi_arena_take(s->arena, (size_t)tape->noutput + 1, sizeof *out);
    if (!value || !out) {
        return NULL;
    }
    for (int i = 0; i < tape->ninput; ++i) {
        const lwi_symbol *x = &tape->input[i];
        double sine = 0, cosine = 0;
        if (x->kind == LWI_SINE || x->kind == LWI_COSINE) {
            lwi_rounded_sincos(q[x->index], &sine, &cosine);
        }
        value[i] = x->kind == LWI_POSITION ? q[x->index] : x->kind == LWI_SINE ? sine : cosine;
    }
    for (int k = 0; k < tape->nline; ++k) {
        const lwi_line *l = &tape->line[k];
        const double a = value[l->a >> 1], b = value[l->b >> 1];
        value[tape->ninput + k] =
            lwi_apply(l->op, (l->a & 1u) != 0 ? -a : a, (l->b & 1u) != 0 ? -b : b);
    }
    for (int i = 0; i < tape->noutput; ++i) {
        // Twelve digits are enough to check with, and the same on every computer.
        out[i] = round(value[tape->output[i].value >> 1] * 1e12) / 1e12;
    }
    return out;
}

static lw_status write_pair(const splitter *s, const lwi_emit_function *function, const double *q,
                            lwi_emit_function pair[2])
{
    static const char behind[] = "_dictionary";
    const size_t length = strlen(function->name);
    const lwi_tape *tape = dictionary_of(s);
    double *values = tape ? values_of(s, tape, q) : NULL;
    lwi_emit_result *result = lwi_arena_take(s->arena, 1, sizeof *result);
    char *name = lwi_arena_take(s->arena, length + sizeof behind, 1);
    const lwi_tape *rest = rest_of(s);
    if (!values || !result || !name || !rest) {
        return LW_ERR_MEMORY;
    }
    memcpy(name, function->name, length);
    memcpy(name + length, behind, sizeof behind);
    *result = (lwi_emit_result){.name = "d",
                                .about = "Products of sines and cosines, sorted by exponents.",
                                .size = s->nkept,
                                .want = values,
                                .scale = 1};
    pair[0] = (lwi_emit_function){.name = name,
                                  .nresult = 1,
                                  .result = result,
                                  .counts = lwi_tape_counts(tape),
                                  .tape = tape};
    pair[1] = *function;
    pair[1].tape = rest;
    pair[1].counts = lwi_tape_counts(rest);
    pair[1].ndictionary = s->nkept;
    pair[1].dictionary = values;
    return LW_OK;
}

lw_status lwi_emit_dictionary(lwi_arena *arena, const double *q, const lwi_emit_function *function,
                              lwi_emit_function pair[2], int *n)
{
    const lwi_tape *t = function->tape;
    const size_t nvalue = (size_t)(t->ninput + t->nnumber + t->nline) + 1;
    const size_t nline = (size_t)t->nline + 1;
    splitter s = {.arena = arena, .tape = t, .first = t->ninput + t->nnumber};
    for (int i = 0; i < t->ninput; ++i) {
        const lwi_symbol *x = &t->input[i];
        const bool is_angle =
            x->kind == LWI_POSITION || x->kind == LWI_SINE || x->kind == LWI_COSINE;
        s.nq = is_angle && x->index >= s.nq ? x->index + 1 : s.nq;
    }
    s.exponent = lwi_arena_take(arena, nvalue, 2 * (size_t)s.nq + 1);
    s.is_word = lwi_arena_take(arena, nvalue, 1);
    s.word = lwi_arena_take(arena, nline, sizeof *s.word);
    s.rank = lwi_arena_take(arena, nline, sizeof *s.rank);
    s.kept = lwi_arena_take(arena, nline, sizeof *s.kept);
    pair[0] = *function;
    *n = 1;
    if (!s.exponent || !s.is_word || !s.word || !s.rank || !s.kept) {
        return LW_ERR_MEMORY;
    }
    find_words(&s);
    sort_words(&s);
    if (s.nkept == 0) {
        return LW_OK;
    }
    *n = 2;
    return write_pair(&s, function, q, pair);
}
