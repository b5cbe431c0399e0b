// Long sums, added in the order in which their terms are available.
//
// The search for few operations does not care how long one waits for another: a sum of which the
// last term is known early may begin with the one that is known last. Here the terms of every sum
// are sorted, so that what comes late is added last; the number of operations stays, and a product
// is still fused with the sum that takes it. The longest chain of operations of a mass matrix or of
// inverse dynamics gets shorter by a third.

#include "emit.h"

#include <string.h>

enum {
    MOST_TERMS = 64, ///< of a sum that is sorted

    NUMBER = -1, ///< when a number is there

    // Cycles.
    SUM = 3,
    PRODUCT = 3,
    FUSED = 4,
    DIVISION = 13,
    FUNCTION = 40
};

typedef struct term {
    uint32_t ref; ///< to a value of the new tape
    int there;    ///< when what a sum needs of it is there
    bool is_fused;
} term;

typedef struct sorter {
    const lwi_tape *tape;
    int first;
    int *uses;          ///< [value] how often it is read
    int *size;          ///< [line] terms of the sum that ends with it; 0 for no sum
    bool *is_inner;     ///< [line] a sum within the only other one that reads it
    uint32_t *location; ///< [value] where it is in the new tape
    int *there;         ///< [value of the new tape] when it is there
    lwi_line *line;     ///< of the new tape
    int nline;
    uint32_t *stack; ///< [MOST_TERMS + 2]
} sorter;

static void count_uses(sorter *s)
{
    const lwi_tape *t = s->tape;
    for (int i = 0; i < t->nline; ++i) {
        ++s->uses[t->line[i].a >> 1];
        if (lwi_is_binary(t->line[i].op)) {
            ++s->uses[t->line[i].b >> 1];
        }
    }
    for (int i = 0; i < t->noutput; ++i) {
        ++s->uses[t->output[i].value >> 1];
    }
}

// Sums that are read by one other sum belong to it, unless it gets too long.
static void find_inner(sorter *s)
{
    const lwi_tape *t = s->tape;
    for (int i = t->nonce; i < t->nline; ++i) {
        const lwi_line *l = &t->line[i];
        if (l->op != LWI_OP_ADD) {
            continue;
        }
        const int read[2] = {(int)(l->a >> 1) - s->first, (int)(l->b >> 1) - s->first};
        s->size[i] = 2;
        for (int k = 0; k < 2; ++k) {
            const bool is_sum =
                read[k] >= t->nonce && s->size[read[k]] > 0 && s->uses[s->first + read[k]] == 1;
            if (is_sum && s->size[i] + s->size[read[k]] - 1 <= MOST_TERMS) {
                s->is_inner[read[k]] = true;
                s->size[i] += s->size[read[k]] - 1;
            }
        }
    }
}

static uint32_t moved(const sorter *s, uint32_t ref)
{
    return 2 * s->location[ref >> 1] + (ref & 1u);
}

static int when(const sorter *s, uint32_t ref)
{
    return s->there[ref >> 1];
}

static int later(int a, int b)
{
    return a > b ? a : b;
}

static uint32_t append(sorter *s, lwi_line line, int there)
{
    const uint32_t value = (uint32_t)(s->first + s->nline);
    s->line[s->nline++] = line;
    s->there[value] = there;
    return value;
}

static term term_of(const sorter *s, uint32_t ref)
{
    const uint32_t to = moved(s, ref);
    const int line = (int)(to >> 1) - s->first;
    term out = {to, when(s, to), false};
    if (line >= s->tape->nonce && s->line[line].op == LWI_OP_MUL && s->uses[ref >> 1] == 1) {
        out.there = later(when(s, s->line[line].a), when(s, s->line[line].b));
        out.is_fused = true;
    }
    return out;
}

static int collect(sorter *s, int root, term list[MOST_TERMS])
{
    int n = 0, depth = 0;
    s->stack[depth++] = 2 * (uint32_t)(s->first + root);
    while (depth > 0) {
        const uint32_t ref = s->stack[--depth];
        const int line = (int)(ref >> 1) - s->first;
        if (line == root || (line >= 0 && s->is_inner[line])) {
            s->stack[depth++] = s->tape->line[line].b ^ (ref & 1u);
            s->stack[depth++] = s->tape->line[line].a ^ (ref & 1u);
        } else {
            list[n++] = term_of(s, ref);
        }
    }
    return n;
}

// By insertion, which keeps the order of terms that are there at the same time.
static void sort(term *list, int n)
{
    for (int i = 1; i < n; ++i) {
        const term one = list[i];
        int k = i;
        for (; k > 0 && list[k - 1].there > one.there; --k) {
            list[k] = list[k - 1];
        }
        list[k] = one;
    }
}

// Two numbers side by side would be one number in the code, and no operation: the counts that were
// reported would no longer be those of the code. The first other term goes between them.
static void part_numbers(term *list, int n)
{
    int other = 0;
    while (other < n && list[other].there == NUMBER) {
        ++other;
    }
    if (other > 1 && other < n) {
        const term one = list[other];
        memmove(&list[2], &list[1], (size_t)(other - 1) * sizeof *list);
        list[1] = one;
    }
}

static void write_sum(sorter *s, int root)
{
    term list[MOST_TERMS];
    const int n = collect(s, root, list);
    sort(list, n);
    part_numbers(list, n);
    uint32_t sum = list[0].ref;
    int there = list[0].there + (list[0].is_fused ? PRODUCT : 0);
    for (int k = 1; k < n; ++k) {
        there = later(there, list[k].there) + (list[k].is_fused ? FUSED : SUM);
        const lwi_line line = {LWI_OP_ADD, sum, list[k].ref};
        sum = 2 * append(s, line, there);
    }
    s->location[s->first + root] = sum >> 1;
}

static void write_line(sorter *s, int i)
{
    lwi_line line = s->tape->line[i];
    line.a = moved(s, line.a);
    int there = when(s, line.a);
    if (lwi_is_binary(line.op)) {
        line.b = moved(s, line.b);
        there = later(there, when(s, line.b));
    }
    const int takes = line.op == LWI_OP_ADD   ? SUM
                      : line.op == LWI_OP_MUL ? PRODUCT
                      : line.op == LWI_OP_DIV ? DIVISION
                                              : FUNCTION;
    const bool is_early = i < s->tape->nonce || there == NUMBER;
    s->location[s->first + i] = append(s, line, is_early ? there : there + takes);
}

lw_status lwi_emit_sums(lwi_arena *arena, const lwi_tape *tape, lwi_tape *out)
{
    const size_t nvalue = (size_t)(tape->ninput + tape->nnumber + tape->nline) + 1;
    const size_t nline = (size_t)tape->nline + 1;
    sorter s = {.tape = tape, .first = tape->ninput + tape->nnumber};
    lwi_output *output = lwi_arena_take(arena, (size_t)tape->noutput + 1, sizeof *output);
    s.uses = lwi_arena_take(arena, nvalue, sizeof *s.uses);
    s.size = lwi_arena_take(arena, nline, sizeof *s.size);
    s.is_inner = lwi_arena_take(arena, nline, sizeof *s.is_inner);
    s.location = lwi_arena_take(arena, nvalue, sizeof *s.location);
    s.there = lwi_arena_take(arena, nvalue, sizeof *s.there);
    s.line = lwi_arena_take(arena, nline, sizeof *s.line);
    s.stack = lwi_arena_take(arena, MOST_TERMS + 2, sizeof *s.stack);
    if (!output || !s.uses || !s.size || !s.is_inner || !s.location || !s.there || !s.line ||
        !s.stack) {
        return LW_ERR_MEMORY;
    }
    for (int i = 0; i < s.first; ++i) {
        s.location[i] = (uint32_t)i;
        s.there[i] = i < tape->ninput ? 0 : NUMBER;
    }
    count_uses(&s);
    find_inner(&s);
    for (int i = 0; i < tape->nline; ++i) {
        if (s.is_inner[i]) {
            continue;
        }
        if (s.size[i] > 2) {
            write_sum(&s, i);
        } else {
            write_line(&s, i);
        }
    }
    memcpy(output, tape->output, (size_t)tape->noutput * sizeof *output);
    for (int i = 0; i < tape->noutput; ++i) {
        output[i].value = moved(&s, output[i].value);
    }
    *out = *tape;
    out->line = s.line;
    out->output = output;
    out->nslot = 0;
    out->slot = NULL;
    return LW_OK;
}
