// A tape as statements.
//
// A value that is read once stands within the expression that reads it, as far as lines stay
// readable; the others get a name, in a statement of their own. What expressions look like is in
// emit_expression.c and emit_angles.c.

#include "emit_writer.h"

#include "../base/arena.h"

#include <string.h>

enum {
    LONG_EXPRESSION = 56, ///< letters that may be put into another expression
    LONG_PRODUCT = 160    ///< the same for a product within a sum, which compilers fuse
};

// --- Who reads what ---------------------------------------------------------------------------

static void mark(lwi_writer *w, uint32_t ref, int user)
{
    lwi_emit_value *p = &w->value[ref >> 1];
    const int line = (int)(ref >> 1) - w->first;
    p->is_live = true;
    p->user = user;
    ++p->uses;
    p->is_kept =
        p->is_kept || (line >= 0 && line < w->tape->nonce && (user < 0 || user >= w->tape->nonce));
}

// The numbers of the results, with their values. Those that no output names are zero.
static bool find_slots(lwi_writer *w, int nresult, const lwi_emit_result *result)
{
    int from = 0;
    for (int r = 0; r < nresult; ++r) {
        w->nslot += result[r].size;
    }
    w->slot = lwi_arena_take(&w->arena, (size_t)w->nslot + 1, sizeof *w->slot);
    for (int r = 0; w->slot && r < nresult; from += result[r++].size) {
        const char *name = result[r].output ? result[r].output : result[r].name;
        for (int i = 0; i < result[r].size; ++i) {
            w->slot[from + i] = (lwi_emit_slot){.array = result[r].name, .index = i};
        }
        for (int i = 0; i < w->tape->noutput; ++i) {
            const lwi_output *output = &w->tape->output[i];
            if (strcmp(output->name, name) == 0 && output->index >= 0 &&
                output->index < result[r].size) {
                w->slot[from + output->index].has_value = true;
                w->slot[from + output->index].value = output->value;
            }
        }
    }
    return w->slot != NULL;
}

static void mark_all(lwi_writer *w)
{
    const lwi_tape *tape = w->tape;
    for (int i = w->nslot - 1; i >= 0; --i) {
        lwi_emit_slot *s = &w->slot[i];
        if (s->has_value) {
            mark(w, s->value, -1);
            s->next = w->value[s->value >> 1].slot;
            w->value[s->value >> 1].slot = i;
        }
    }
    for (int i = tape->nline - 1; i >= 0; --i) {
        const lwi_line *line = &tape->line[i];
        if (w->value[w->first + i].is_live) {
            mark(w, line->a, i);
            if (lwi_is_binary(line->op)) {
                mark(w, line->b, i);
            }
        }
    }
}

// --- Statements -------------------------------------------------------------------------------

static void name_line(lwi_writer *w, const lwi_line *line, lwi_emit_value *p, lwi_text *out)
{
    const bool is_sine = line->op == LWI_OP_SIN, is_cosine = line->op == LWI_OP_COS;
    const int position = is_sine || is_cosine ? lwi_position_of(w, line->a) : -1;
    if (p->is_kept) {
        p->text = lwi_writer_name(w, "k[", w->nkept++, "]");
        lwi_writer_assign(w, out, w->syntax->indent, p->text);
    } else {
        p->text = position >= 0 ? lwi_angle_name(w, is_sine, position)
                                : lwi_writer_name(w, "t", w->nname++, "");
        lwi_writer_assign(w, out, w->syntax->declare, p->text);
    }
    p->binding = LWI_ATOM;
}

static bool is_inlined(const lwi_writer *w, int i, const lwi_emit_value *p)
{
    const lwi_line *line = &w->tape->line[i];
    if (w->is_placed && i >= w->tape->nonce) {
        const bool is_result = p->uses == 1 && p->user < 0 && w->nread == 0;
        return w->location[i] == LWI_WITHIN || (is_result && w->line.used <= LONG_EXPRESSION);
    }
    // What reads inputs must not wait for the results.
    if (p->is_kept || p->uses != 1 || line->op > LWI_OP_DIV || (p->user < 0 && p->is_input)) {
        return false;
    }
    const bool is_fused =
        line->op == LWI_OP_MUL && p->user >= 0 && w->tape->line[p->user].op == LWI_OP_ADD;
    return w->line.used <= (is_fused ? LONG_PRODUCT : LONG_EXPRESSION);
}

// Returns where the line went.
static lwi_line_location write_line(lwi_writer *w, int i)
{
    const lwi_line *line = &w->tape->line[i];
    lwi_emit_value *p = &w->value[w->first + i];
    lwi_text *out = i < w->tape->nonce ? w->once : w->body;
    if (!p->is_live || lwi_fold_line(w, line, p)) {
        return p->is_live ? LWI_FIRST : LWI_NOWHERE;
    }
    if ((line->op == LWI_OP_SIN || line->op == LWI_OP_COS) && w->syntax->pair_function &&
        !p->is_kept) {
        lwi_write_half(w, line, p, out);
        return lwi_position_of(w, line->a) >= 0 ? LWI_ANGLE : LWI_ALONE;
    }
    lwi_write_expression(w, line, p);
    p->is_input = w->value[line->a >> 1].is_input ||
                  (lwi_is_binary(line->op) && w->value[line->b >> 1].is_input);
    if (is_inlined(w, i, p)) {
        p->text = lwi_writer_keep(w);
        return LWI_WITHIN;
    }
    name_line(w, line, p, out);
    p->is_input = false;
    return LWI_ALONE;
}

// --- Results ----------------------------------------------------------------------------------

static void write_slot(lwi_writer *w, lwi_emit_slot *s)
{
    const char *convert = w->syntax->convert;
    if (s->has_value) {
        lwi_add_argument(w, s->value, true);
    } else {
        lwi_text_format(&w->line, convert ? "%s(0.0%s)" : "%s0.0%s", convert ? convert : "",
                        w->syntax->suffix);
    }
    lwi_text_format(w->body, "%s%s", w->syntax->indent, s->array);
    lwi_writer_assign(w, w->body, "", lwi_writer_name(w, "[", s->index, "]"));
    s->is_done = true;
}

// Results that are inputs get a name before anything is written.
static void name_passed(lwi_writer *w)
{
    for (int i = 0; i < w->nslot; ++i) {
        lwi_emit_value *p = &w->value[w->slot[i].value >> 1];
        if (w->slot[i].has_value && p->is_input && (int)(w->slot[i].value >> 1) < w->tape->ninput) {
            lwi_text_add(&w->line, p->text);
            p->text = lwi_writer_name(w, "t", w->nname++, "");
            lwi_writer_assign(w, w->body, w->syntax->declare, p->text);
            p->is_input = false;
        }
    }
}

// Places at which a line reads inputs itself.
static int reads_of(const lwi_writer *w, int i)
{
    const lwi_line *line = &w->tape->line[i];
    const uint32_t a = line->a >> 1, b = line->b >> 1;
    const uint32_t ninput = (uint32_t)w->tape->ninput;
    return (a < ninput && w->value[a].is_input) +
           (lwi_is_binary(line->op) && b < ninput && w->value[b].is_input);
}

static void write_slots_of(lwi_writer *w, const lwi_emit_value *p)
{
    for (int k = p->slot; k >= 0; k = w->slot[k].next) {
        write_slot(w, &w->slot[k]);
    }
}

// As soon as nothing reads inputs any more, every result is written when it is there: what is done
// with need not be kept.
static void write_ready(lwi_writer *w, int i)
{
    lwi_emit_value *line = &w->value[w->first];
    const bool is_first = w->nread > 0;
    line[i].is_there = true;
    w->nread -= w->held;
    w->held = 0;
    if (w->nread == 0 && is_first) {
        for (int k = 0; k < w->tape->nline; ++k) {
            if (line[k].is_there) {
                write_slots_of(w, &line[k]);
            }
        }
    } else if (w->nread == 0) {
        write_slots_of(w, &line[i]);
    }
}

// --- All --------------------------------------------------------------------------------------

static bool write_scheduled(lwi_writer *w)
{
    const size_t capacity = (size_t)w->tape->nline + 1;
    const bool has_many = w->syntax->four_function != NULL;
    int norder = 0, *order = lwi_arena_take(&w->arena, capacity, sizeof *order);
    int *call = lwi_arena_take(&w->arena, capacity, sizeof *call);
    if (!order || !call ||
        lwi_emit_order(w->tape, w->location, has_many ? 4 : 1, order, &norder, call) != LW_OK) {
        return false;
    }
    for (int k = 0; k < norder; ++k) {
        const bool is_early = w->location[order[k]] == LWI_FIRST;
        w->nread += is_early ? 0 : reads_of(w, order[k]);
    }
    for (int k = 0; k < norder; ++k) {
        const int i = order[k];
        const bool is_early = w->location[i] == LWI_FIRST;
        w->held += is_early ? 0 : reads_of(w, i);
        if (has_many && w->location[i] == LWI_ANGLE && !w->value[w->tape->line[i].a >> 1].sine) {
            lwi_write_call_of(w, order + k, norder - k, call);
        }
        write_line(w, i);
        if (w->location[i] == LWI_ALONE) {
            write_ready(w, i);
        }
    }
    return true;
}

static bool write_in_order(lwi_writer *w)
{
    for (int i = 0; i < w->tape->nline; ++i) {
        const lwi_line_location location = write_line(w, i);
        const bool is_result = location == LWI_WITHIN && w->value[w->first + i].user < 0;
        w->location[i] = (unsigned char)(i < w->tape->nonce ? LWI_FIRST
                                         : is_result        ? LWI_ALONE
                                                            : location);
    }
    return true;
}

/// A round; the first of two finds the places only.
static bool write_round(lwi_writer *w, int nresult, const lwi_emit_result *result)
{
    const lwi_tape *tape = w->tape;
    const int nvalue = tape->ninput + tape->nnumber + tape->nline;
    w->first = tape->ninput + tape->nnumber;
    w->nname = w->nkept = w->nslot = 0;
    w->value = lwi_arena_take(&w->arena, (size_t)nvalue + 1, sizeof *w->value);
    if (!w->value || !find_slots(w, nresult, result)) {
        return false;
    }
    for (int i = 0; i < nvalue; ++i) {
        w->value[i].pair = w->value[i].slot = -1;
    }
    mark_all(w);
    lwi_name_inputs(w);
    name_passed(w);
    if (!(w->is_placed ? write_scheduled(w) : write_in_order(w))) {
        return false;
    }
    for (int i = 0; i < w->nslot; ++i) {
        if (!w->slot[i].is_done) {
            write_slot(w, &w->slot[i]);
        }
    }
    return true;
}

lw_status lwi_emit_lines(const lwi_tape *tape, int nresult, const lwi_emit_result *result,
                         const lwi_syntax *syntax, lwi_text *once, lwi_text *body, int *nkept)
{
    lwi_writer w = {.tape = tape, .syntax = syntax, .once = once, .body = body};
    lwi_tape sorted;
    w.location = lwi_arena_take(&w.arena, (size_t)tape->nline + 1, 1);
    bool is_good = w.location != NULL;
    if (is_good && syntax->is_scheduled) {
        is_good = lwi_emit_sums(&w.arena, tape, &sorted) == LW_OK;
        w.tape = &sorted;
    }
    is_good = is_good && write_round(&w, nresult, result);
    if (is_good && syntax->is_scheduled) {
        lwi_text_clear(once);
        lwi_text_clear(body);
        w.is_placed = true;
        is_good = write_round(&w, nresult, result);
    }
    *nkept = w.nkept;
    lwi_text_free(&w.line);
    lwi_arena_free(&w.arena);
    return is_good && !w.is_short && !body->is_short && !once->is_short ? LW_OK : LW_ERR_MEMORY;
}
