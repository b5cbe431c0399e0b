// Terms that float cannot see beside the rest of their sum are left out.
//
// The size of a value is what its numbers make of sines and cosines of 1: sums add sizes, products
// multiply them. A term goes where its size is within half a rounding of that of its whole sum,
// whatever velocities, accelerations and forces are between a thousandth and a thousand: so the
// inertia seen at rest is not lost beside a force of velocities. Parameters, positions and
// quotients have no known size: they neither go nor let others go. Nothing goes from what something
// is divided by, or from what a root, a sign or another function is taken of.

#include "emit.h"

#include <math.h>
#include <string.h>

enum { CASES = 3 }; // of velocities, and of accelerations and forces

typedef struct size_bounds {
    double most;  ///< infinite where it is not known
    double known; ///< of the terms whose size is known
} size_bounds;

typedef struct rounder {
    const lwi_tape *tape;
    int first;              ///< value that is the first line
    int *uses;              ///< [value]
    bool *is_exact;         ///< [line] nothing is left out of it
    unsigned char *dropped; ///< [line] 1: the first term of the sum, 2: the second
    size_bounds *size;      ///< [value]
    double *whole;          ///< [line] known size of the sum that it is a part of
    uint32_t *location;     ///< [value] reference to what stands for it
} rounder;

static int line_of(const rounder *r, uint32_t ref)
{
    return (int)(ref >> 1) - r->first;
}

static void read_by(rounder *r, uint32_t ref, bool is_exact)
{
    const int line = line_of(r, ref);
    ++r->uses[ref >> 1];
    if (line >= 0) {
        r->is_exact[line] = r->is_exact[line] || is_exact;
    }
}

static void look_back(rounder *r)
{
    const lwi_tape *t = r->tape;
    for (int i = 0; i < t->noutput; ++i) {
        read_by(r, t->output[i].value, false);
    }
    for (int i = t->nline - 1; i >= 0; --i) {
        const lwi_line *l = &t->line[i];
        const bool is_linear = l->op == LWI_OP_ADD || l->op == LWI_OP_MUL;
        const bool is_exact = r->is_exact[i] || i < t->nonce;
        read_by(r, l->a, is_exact || !(is_linear || l->op == LWI_OP_DIV));
        if (lwi_is_binary(l->op)) {
            read_by(r, l->b, is_exact || !is_linear);
        }
        r->dropped[i] = l->op == LWI_OP_ADD && !is_exact ? 3 : 0;
    }
}

static size_bounds size_of_line(const rounder *r, const lwi_line *l)
{
    const size_bounds a = r->size[l->a >> 1], b = r->size[l->b >> 1];
    switch (l->op) {
    case LWI_OP_ADD:
        return (size_bounds){a.most + b.most, a.known + b.known};
    case LWI_OP_MUL:
        return (size_bounds){a.most * b.most, a.known * b.known};
    case LWI_OP_SIN:
    case LWI_OP_COS:
    case LWI_OP_TANH:
    case LWI_OP_CLAMP:
    case LWI_OP_SIGN:
        return (size_bounds){1, 1};
    default:
        return (size_bounds){(double)INFINITY, 0};
    }
}

static void find_sizes(rounder *r, double rate, double force)
{
    const lwi_tape *t = r->tape;
    for (int i = 0; i < t->ninput; ++i) {
        const lwi_symbol_kind kind = t->input[i].kind;
        const double size = kind == LWI_SINE || kind == LWI_COSINE          ? 1
                            : kind == LWI_VELOCITY                          ? rate
                            : kind == LWI_ACCELERATION || kind == LWI_FORCE ? force
                                                                            : 0;
        r->size[i] = (size_bounds){size > 0 ? size : (double)INFINITY, size};
    }
    for (int i = 0; i < t->nnumber; ++i) {
        r->size[t->ninput + i] = (size_bounds){fabs(t->number[i]), fabs(t->number[i])};
    }
    for (int i = 0; i < t->nline; ++i) {
        r->size[r->first + i] = size_of_line(r, &t->line[i]);
        r->whole[i] = r->size[r->first + i].known;
    }
}

static void keep_large(rounder *r)
{
    static const double share = 0x1p-25; // half of a rounding of float
    const lwi_tape *t = r->tape;
    for (int i = t->nline - 1; i >= 0; --i) {
        const uint32_t term[2] = {t->line[i].a, t->line[i].b};
        for (int k = 0; k < 2 && t->line[i].op == LWI_OP_ADD; ++k) {
            const int line = line_of(r, term[k]);
            if (line >= 0 && t->line[line].op == LWI_OP_ADD && r->uses[term[k] >> 1] == 1) {
                r->whole[line] = r->whole[i];
            }
            if (!(r->size[term[k] >> 1].most <= share * r->whole[i])) {
                r->dropped[i] &= (unsigned char)~(1u << k);
            }
        }
    }
}

static uint32_t placed(const rounder *r, uint32_t ref)
{
    return r->location[ref >> 1] ^ (ref & 1u);
}

// What is still read, and by which number. Lines and numbers that nothing reads are gone.
static void renumber(rounder *r, lwi_tape *out, double *number, lwi_line *line, lwi_output *output)
{
    const lwi_tape *t = r->tape;
    memset(r->uses, 0, (size_t)(r->first + t->nline) * sizeof *r->uses);
    for (int i = 0; i < t->noutput; ++i) {
        ++r->uses[placed(r, t->output[i].value) >> 1];
    }
    for (int i = t->nline - 1; i >= 0; --i) {
        if (r->uses[r->first + i] > 0) {
            ++r->uses[placed(r, t->line[i].a) >> 1];
            r->uses[placed(r, t->line[i].b) >> 1] += lwi_is_binary(t->line[i].op);
        }
    }
    for (int i = 0; i < t->nnumber; ++i) {
        if (r->uses[t->ninput + i] > 0) {
            r->location[t->ninput + i] = 2 * (uint32_t)(t->ninput + out->nnumber);
            number[out->nnumber++] = t->number[i];
        }
    }
    out->nonce = 0;
    for (int i = 0; i < t->nline; ++i) {
        const lwi_line *l = &t->line[i];
        const uint32_t a = placed(r, l->a), b = placed(r, l->b);
        if (r->dropped[i]) {
            r->location[r->first + i] = r->dropped[i] == 1 ? b : a;
        } else if (r->uses[r->first + i] > 0) {
            r->location[r->first + i] = 2 * (uint32_t)(t->ninput + out->nnumber + out->nline);
            line[out->nline++] = (lwi_line){l->op, a, lwi_is_binary(l->op) ? b : 0};
            out->nonce += i < t->nonce;
        }
    }
    for (int i = 0; i < t->noutput; ++i) {
        output[i] = t->output[i];
        output[i].value = placed(r, output[i].value);
    }
}

lw_status lwi_emit_round(lwi_arena *arena, const lwi_tape *tape, lwi_tape *out)
{
    static const double scale[CASES] = {1e-3, 1, 1e3};
    const size_t nline = (size_t)tape->nline + 1;
    const size_t nvalue = (size_t)(tape->ninput + tape->nnumber) + nline;
    rounder r = {.tape = tape, .first = tape->ninput + tape->nnumber};
    double *number = lwi_arena_take(arena, (size_t)tape->nnumber + 1, sizeof *number);
    lwi_line *line = lwi_arena_take(arena, nline, sizeof *line);
    lwi_output *output = lwi_arena_take(arena, (size_t)tape->noutput + 1, sizeof *output);
    r.uses = lwi_arena_take(arena, nvalue, sizeof *r.uses);
    r.is_exact = lwi_arena_take(arena, nline, sizeof *r.is_exact);
    r.dropped = lwi_arena_take(arena, nline, sizeof *r.dropped);
    r.size = lwi_arena_take(arena, nvalue, sizeof *r.size);
    r.whole = lwi_arena_take(arena, nline, sizeof *r.whole);
    r.location = lwi_arena_take(arena, nvalue, sizeof *r.location);
    if (!number || !line || !output || !r.uses || !r.is_exact || !r.dropped || !r.size ||
        !r.whole || !r.location) {
        return LW_ERR_MEMORY;
    }
    look_back(&r);
    for (int k = 0; k < CASES * CASES; ++k) {
        find_sizes(&r, scale[k / CASES], scale[k % CASES]);
        keep_large(&r);
    }
    for (uint32_t i = 0; i < (uint32_t)(r.first + tape->nline); ++i) {
        const int k = (int)i - r.first;
        r.location[i] = 2 * i;
        if (k >= 0 && r.dropped[k] == 3) {
            r.dropped[k] = 2; // a sum that is nothing beside another: one term is enough of it
        }
        if (k >= 0 && r.dropped[k]) {
            r.location[i] = placed(&r, r.dropped[k] == 1 ? tape->line[k].b : tape->line[k].a);
        }
    }
    *out = (lwi_tape){.ninput = tape->ninput,
                      .noutput = tape->noutput,
                      .input = tape->input,
                      .number = number,
                      .line = line,
                      .output = output};
    renumber(&r, out, number, line, output);
    return LW_OK;
}
