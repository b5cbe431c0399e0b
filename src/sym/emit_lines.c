// A tape as statements with expressions.
//
// Signs are pulled out of products, sums and odd functions, and numbers are written without theirs,
// so that a text may stand for the negative of its value. Negation is exact: results do not change
// by it. The texts are made line by line, each from those of earlier lines, without recursion.

#include "emit.h"

#include "../base/arena.h"
#include "../base/number.h"

#include <math.h>
#include <string.h>

/// How strongly the outermost operator of a text binds.
typedef enum binding { ATOM, PRODUCT, SUM } binding;

typedef struct piece {
    const char *text;
    binding binding;
    bool is_flipped; ///< the text is the negative of the value
    bool is_number;
    double number; ///< the value, where it is one
    bool is_live;
    bool is_kept;  ///< hangs on parameters only and is read by what does not
    bool is_there; ///< its statement is written
    int slot;      ///< the first of the results that it is, -1 for none
    bool is_input; ///< the text reads an input that may change by what is written
    int uses;
    int user;                  ///< the last line that reads it, or -1 for an output
    int pair;                  ///< number of the sine and cosine of it, -1 for none
    bool has_angle;            ///< its sine or cosine is read
    const char *sine, *cosine; ///< where they come with those of others, else null
} piece;

/// A number of a result.
typedef struct slot {
    const char *array;
    int index;
    bool has_value;
    uint32_t value; ///< reference
    int next;       ///< slot with the same value, -1 for none
    bool is_done;   ///< it is written
} slot;

typedef struct writer {
    const lwi_tape *tape;
    const lwi_syntax *syntax;
    lwi_text *once, *body;
    lwi_arena arena;
    lwi_text line;        ///< scratch
    piece *value;         ///< [ninput + nnumber + nline]
    int first;            ///< value that is the first line
    unsigned char *place; ///< [nline] lwi_line_place
    bool is_placed;       ///< place is known; else it is found
    int nname, nkept;     ///< names and k[] given away
    slot *slot;           ///< [nslot] of the results
    int nslot;
    int nread; ///< places in statements to be written that read inputs; of the line at hand
    int held;
    bool is_short;
} writer;

enum {
    LONG_EXPRESSION = 56, ///< letters that may be put into another expression
    LONG_PRODUCT = 160    ///< the same for a product within a sum, which compilers fuse
};

void lwi_emit_number(lwi_text *out, double value, const char *suffix)
{
    char number[LWI_NUMBER_SIZE];
    lwi_print_double(value, number);
    lwi_text_add(out, number);
    if (!strpbrk(number, ".en")) {
        lwi_text_add(out, ".0");
    }
    lwi_text_add(out, suffix);
}

static const char *keep_text(writer *w)
{
    const char *text = w->line.is_short || !w->line.at
                           ? NULL
                           : lwi_arena_text(&w->arena, w->line.at, w->line.used);
    w->is_short = w->is_short || !text;
    lwi_text_clear(&w->line);
    return text ? text : "";
}

// --- Who reads what ---------------------------------------------------------------------------

static void mark(writer *w, uint32_t ref, int user)
{
    piece *p = &w->value[ref >> 1];
    const int line = (int)(ref >> 1) - w->first;
    p->is_live = true;
    p->user = user;
    ++p->uses;
    p->is_kept =
        p->is_kept || (line >= 0 && line < w->tape->nonce && (user < 0 || user >= w->tape->nonce));
}

// The numbers of the results, with their values. Those that no output names are zero.
static bool find_slots(writer *w, int nresult, const lwi_emit_result *result)
{
    int from = 0;
    for (int r = 0; r < nresult; ++r) {
        w->nslot += result[r].size;
    }
    w->slot = lwi_arena_take(&w->arena, (size_t)w->nslot + 1, sizeof *w->slot);
    for (int r = 0; w->slot && r < nresult; from += result[r++].size) {
        for (int i = 0; i < result[r].size; ++i) {
            w->slot[from + i] = (slot){.array = result[r].name, .index = i};
        }
        for (int i = 0; i < w->tape->noutput; ++i) {
            const lwi_output *output = &w->tape->output[i];
            if (strcmp(output->name, result[r].name) == 0 && output->index >= 0 &&
                output->index < result[r].size) {
                w->slot[from + output->index].has_value = true;
                w->slot[from + output->index].value = output->value;
            }
        }
    }
    return w->slot != NULL;
}

static void mark_all(writer *w)
{
    const lwi_tape *tape = w->tape;
    for (int i = w->nslot - 1; i >= 0; --i) {
        slot *s = &w->slot[i];
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
            w->value[line->a >> 1].has_angle = w->value[line->a >> 1].has_angle ||
                                               line->op == LWI_OP_SIN || line->op == LWI_OP_COS;
            if (lwi_is_binary(line->op)) {
                mark(w, line->b, i);
            }
        }
    }
}

// --- Inputs and numbers -----------------------------------------------------------------------

static void name_inputs(writer *w)
{
    static const char *const array[] = {
        [LWI_PARAMETER] = "p",    [LWI_POSITION] = "q", [LWI_VELOCITY] = "v",
        [LWI_ACCELERATION] = "a", [LWI_FORCE] = "tau",  [LWI_TIME] = "time",
        [LWI_SINE] = "s",         [LWI_COSINE] = "c",   [LWI_OTHER] = "d"};
    const lwi_tape *tape = w->tape;
    for (int i = 0; i < tape->ninput; ++i) {
        const lwi_symbol *input = &tape->input[i];
        lwi_text_add(&w->line, array[input->kind]);
        if (input->kind != LWI_TIME) {
            lwi_text_add(&w->line, "[");
            lwi_text_add_int(&w->line, input->index);
            lwi_text_add(&w->line, "]");
        }
        w->value[i].text = keep_text(w);
        w->value[i].is_input =
            input->kind != LWI_TIME && input->kind != LWI_PARAMETER && input->kind != LWI_OTHER;
    }
    for (int i = 0; i < tape->nnumber; ++i) {
        piece *p = &w->value[tape->ninput + i];
        lwi_emit_number(&w->line, fabs(tape->number[i]), w->syntax->suffix);
        p->text = keep_text(w);
        p->is_flipped = signbit(tape->number[i]) != 0;
        p->is_number = true;
        p->number = tape->number[i];
    }
}

// --- Expressions ------------------------------------------------------------------------------

static bool is_negative(const writer *w, uint32_t ref)
{
    return w->value[ref >> 1].is_flipped != ((ref & 1) != 0);
}

// The text behind a reference without its sign, within parentheses where it binds less than asked.
static void add_operand(writer *w, uint32_t ref, binding most)
{
    const piece *p = &w->value[ref >> 1];
    const bool is_wrapped = p->binding > most;
    lwi_text_add(&w->line, is_wrapped ? "(" : "");
    lwi_text_add(&w->line, p->text);
    lwi_text_add(&w->line, is_wrapped ? ")" : "");
}

// The same with its sign.
static void add_signed(writer *w, uint32_t ref)
{
    lwi_text_add(&w->line, is_negative(w, ref) ? "-" : "");
    add_operand(w, ref, is_negative(w, ref) ? PRODUCT : SUM);
}

// What hangs on numbers only is a number.
static bool fold(writer *w, const lwi_line *line, piece *p)
{
    const piece *a = &w->value[line->a >> 1], *b = &w->value[line->b >> 1];
    const double x = (line->a & 1) != 0 ? -a->number : a->number;
    const double y = (line->b & 1) != 0 ? -b->number : b->number;
    double value;
    if (line->op > LWI_OP_SQRT || !a->is_number || (line->op != LWI_OP_SQRT && !b->is_number)) {
        return false;
    }
    switch (line->op) {
    case LWI_OP_ADD:
        value = x + y;
        break;
    case LWI_OP_MUL:
        value = x * y;
        break;
    case LWI_OP_DIV:
        value = x / y;
        break;
    default:
        value = sqrt(x);
    }
    if (!isfinite(value)) {
        return false; // for the compiler to say
    }
    lwi_emit_number(&w->line, fabs(value), w->syntax->suffix);
    p->text = keep_text(w);
    p->number = value;
    p->is_number = true;
    p->is_flipped = signbit(value) != 0;
    return true;
}

static void write_sum(writer *w, const lwi_line *line, piece *p)
{
    const bool a = is_negative(w, line->a), b = is_negative(w, line->b);
    const bool is_swapped = a && !b;
    p->binding = SUM;
    p->is_flipped = a && b;
    add_operand(w, is_swapped ? line->b : line->a, SUM);
    lwi_text_add(&w->line, a == b ? " + " : " - ");
    add_operand(w, is_swapped ? line->a : line->b, PRODUCT);
}

static void write_product(writer *w, const lwi_line *line, piece *p)
{
    p->binding = PRODUCT;
    p->is_flipped = is_negative(w, line->a) != is_negative(w, line->b);
    add_operand(w, line->a, PRODUCT);
    lwi_text_add(&w->line, line->op == LWI_OP_DIV ? " / " : " * ");
    add_operand(w, line->b, ATOM);
}

static void add_argument(writer *w, uint32_t ref, bool is_signed)
{
    const char *convert = w->value[ref >> 1].is_number ? w->syntax->convert : NULL;
    if (convert) {
        lwi_text_add(&w->line, convert);
        lwi_text_add(&w->line, "(");
    }
    if (is_signed) {
        add_signed(w, ref);
    } else {
        add_operand(w, ref, SUM);
    }
    lwi_text_add(&w->line, convert ? ")" : "");
}

static void write_call(writer *w, const lwi_line *line, piece *p)
{
    const bool is_odd = line->op == LWI_OP_SIN || line->op == LWI_OP_TANH ||
                        line->op == LWI_OP_SIGN || line->op == LWI_OP_ATAN2;
    p->is_flipped = is_odd && is_negative(w, line->a);
    lwi_text_add(&w->line, w->syntax->function[line->op]);
    lwi_text_add(&w->line, "(");
    add_argument(w, line->a, line->op == LWI_OP_SQRT);
    if (line->op == LWI_OP_ATAN2) {
        lwi_text_add(&w->line, ", ");
        add_argument(w, line->b, true);
    }
    lwi_text_add(&w->line, ")");
}

// --- Statements -------------------------------------------------------------------------------

// name = what is in w->line.
static void assign(writer *w, lwi_text *out, const char *before, const char *name)
{
    lwi_text_add(out, before);
    lwi_text_add(out, name);
    lwi_text_add(out, " = ");
    lwi_text_add(out, w->line.at ? w->line.at : "");
    lwi_text_add(out, w->syntax->end);
    lwi_text_clear(&w->line);
}

static const char *make_name(writer *w, const char *letter, int number, const char *behind)
{
    lwi_text name = {0};
    lwi_text_add(&name, letter);
    lwi_text_add_int(&name, number);
    lwi_text_add(&name, behind);
    const char *text = name.at ? lwi_arena_text(&w->arena, name.at, name.used) : NULL;
    lwi_text_free(&name);
    w->is_short = w->is_short || !text;
    return text ? text : "";
}

// The index of the position that a reference is, or -1.
static int position_of(const writer *w, uint32_t ref)
{
    const int value = (int)(ref >> 1);
    return value < w->tape->ninput && w->tape->input[value].kind == LWI_POSITION
               ? w->tape->input[value].index
               : -1;
}

// Sine or cosine as one half of what a single call gives.
static void write_half(writer *w, const lwi_line *line, piece *p, lwi_text *out)
{
    piece *angle = &w->value[line->a >> 1];
    const int position = position_of(w, line->a);
    if (angle->sine) {
        p->is_flipped = line->op == LWI_OP_SIN && is_negative(w, line->a);
        p->text = line->op == LWI_OP_SIN ? angle->sine : angle->cosine;
        return;
    }
    const char *letter = position >= 0 ? "r" : "u";
    if (angle->pair < 0) {
        angle->pair = position >= 0 ? position : w->nname++;
        lwi_text_add(&w->line, w->syntax->pair_function);
        lwi_text_add(&w->line, "(");
        add_argument(w, line->a, false);
        lwi_text_add(&w->line, ")");
        assign(w, out, w->syntax->pair_type, make_name(w, letter, angle->pair, ""));
    }
    p->is_flipped = line->op == LWI_OP_SIN && is_negative(w, line->a);
    p->text = make_name(w, letter, angle->pair, line->op == LWI_OP_SIN ? ".s" : ".c");
}

// Sines and cosines of up to four positions; the last stands in for those that are missing.
static void write_four(writer *w, const int *value, int count, int number)
{
    static const char *const lane[4] = {"[0]", "[1]", "[2]", "[3]"};
    const char *x = make_name(w, "x", number, ""), *s = make_name(w, "sin", number, ""),
               *c = make_name(w, "cos", number, "");
    lwi_text *out = w->body;
    lwi_text_add(out, w->syntax->declare);
    lwi_text_add(out, x);
    lwi_text_add(out, "[4] = {");
    for (int k = 0; k < 4; ++k) {
        piece *angle = &w->value[value[k < count ? k : count - 1]];
        lwi_text_add(out, k > 0 ? ", " : "");
        lwi_text_add(out, angle->text);
        if (k < count) {
            angle->sine = make_name(w, "sin", number, lane[k]);
            angle->cosine = make_name(w, "cos", number, lane[k]);
        }
    }
    const char *const rest[] = {"}",
                                w->syntax->end,
                                w->syntax->four_type,
                                s,
                                "[4], ",
                                c,
                                "[4]",
                                w->syntax->end,
                                w->syntax->indent,
                                w->syntax->four_function,
                                "(",
                                x,
                                ", ",
                                s,
                                ", ",
                                c,
                                ")",
                                w->syntax->end};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; ++i) {
        lwi_text_add(out, rest[i]);
    }
}

// One alone is left to a call of its own.
static void write_fours(writer *w)
{
    int value[4], count = 0, number = 0;
    for (int i = 0; i < w->tape->ninput && w->syntax->four_function; ++i) {
        if (w->value[i].has_angle && w->tape->input[i].kind == LWI_POSITION) {
            value[count++] = i;
        }
        if (count == 4) {
            write_four(w, value, count, number++);
            count = 0;
        }
    }
    if (count > 1) {
        write_four(w, value, count, number);
    }
}

static const char *angle_name(writer *w, bool is_sine, int position)
{
    return w->syntax->has_indexed_angles ? make_name(w, is_sine ? "s[" : "c[", position, "]")
                                         : make_name(w, is_sine ? "s" : "c", position, "");
}

static void name_line(writer *w, const lwi_line *line, piece *p, lwi_text *out)
{
    const bool is_sine = line->op == LWI_OP_SIN, is_cosine = line->op == LWI_OP_COS;
    const int position = is_sine || is_cosine ? position_of(w, line->a) : -1;
    if (p->is_kept) {
        p->text = make_name(w, "k[", w->nkept++, "]");
        assign(w, out, w->syntax->indent, p->text);
    } else {
        p->text =
            position >= 0 ? angle_name(w, is_sine, position) : make_name(w, "t", w->nname++, "");
        assign(w, out, w->syntax->declare, p->text);
    }
    p->binding = ATOM;
}

static bool is_inlined(const writer *w, int i, const piece *p)
{
    const lwi_line *line = &w->tape->line[i];
    if (w->is_placed && i >= w->tape->nonce) {
        const bool is_result = p->uses == 1 && p->user < 0 && w->nread == 0;
        return w->place[i] == LWI_WITHIN || (is_result && w->line.used <= LONG_EXPRESSION);
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
static lwi_line_place write_line(writer *w, int i)
{
    const lwi_line *line = &w->tape->line[i];
    piece *p = &w->value[w->first + i];
    lwi_text *out = i < w->tape->nonce ? w->once : w->body;
    if (!p->is_live || fold(w, line, p)) {
        return p->is_live ? LWI_FIRST : LWI_NOWHERE;
    }
    if ((line->op == LWI_OP_SIN || line->op == LWI_OP_COS) && w->syntax->pair_function &&
        !p->is_kept) {
        write_half(w, line, p, out);
        return position_of(w, line->a) >= 0 ? LWI_FIRST : LWI_ALONE;
    }
    if (line->op == LWI_OP_ADD) {
        write_sum(w, line, p);
    } else if (line->op == LWI_OP_MUL || line->op == LWI_OP_DIV) {
        write_product(w, line, p);
    } else {
        write_call(w, line, p);
    }
    p->is_input = w->value[line->a >> 1].is_input ||
                  (lwi_is_binary(line->op) && w->value[line->b >> 1].is_input);
    if (is_inlined(w, i, p)) {
        p->text = keep_text(w);
        return LWI_WITHIN;
    }
    name_line(w, line, p, out);
    p->is_input = false;
    return LWI_ALONE;
}

// --- Results ----------------------------------------------------------------------------------

static void write_slot(writer *w, slot *s)
{
    const char *convert = w->syntax->convert;
    if (s->has_value) {
        add_argument(w, s->value, true);
    } else {
        lwi_text_add(&w->line, convert ? convert : "");
        lwi_text_add(&w->line, convert ? "(" : "");
        lwi_emit_number(&w->line, 0, w->syntax->suffix);
        lwi_text_add(&w->line, convert ? ")" : "");
    }
    lwi_text_add(w->body, w->syntax->indent);
    lwi_text_add(w->body, s->array);
    assign(w, w->body, "", make_name(w, "[", s->index, "]"));
    s->is_done = true;
}

// Results that are inputs get a name before anything is written.
static void name_passed(writer *w)
{
    for (int i = 0; i < w->nslot; ++i) {
        piece *p = &w->value[w->slot[i].value >> 1];
        if (w->slot[i].has_value && p->is_input && (int)(w->slot[i].value >> 1) < w->tape->ninput) {
            lwi_text_add(&w->line, p->text);
            p->text = make_name(w, "t", w->nname++, "");
            assign(w, w->body, w->syntax->declare, p->text);
            p->is_input = false;
        }
    }
}

// Places at which a line reads inputs itself.
static int reads_of(const writer *w, int i)
{
    const lwi_line *line = &w->tape->line[i];
    const uint32_t a = line->a >> 1, b = line->b >> 1;
    const uint32_t ninput = (uint32_t)w->tape->ninput;
    return (a < ninput && w->value[a].is_input) +
           (lwi_is_binary(line->op) && b < ninput && w->value[b].is_input);
}

static void write_slots_of(writer *w, const piece *p)
{
    for (int k = p->slot; k >= 0; k = w->slot[k].next) {
        write_slot(w, &w->slot[k]);
    }
}

// As soon as nothing reads inputs any more, every result is written when it is there: what is done
// with need not be kept.
static void write_ready(writer *w, int i)
{
    piece *line = &w->value[w->first];
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

static bool write_scheduled(writer *w)
{
    const int nline = w->tape->nline;
    int norder = 0, *order = lwi_arena_take(&w->arena, (size_t)nline + 1, sizeof *order);
    if (!order || lwi_emit_order(w->tape, w->place, order, &norder) != LW_OK) {
        return false;
    }
    for (int k = 0; k < norder; ++k) {
        const bool is_early = w->place[order[k]] == LWI_FIRST;
        w->nread += is_early ? 0 : reads_of(w, order[k]);
    }
    for (int k = 0; k < norder; ++k) {
        const int i = order[k];
        const bool is_early = w->place[i] == LWI_FIRST;
        w->held += is_early ? 0 : reads_of(w, i);
        write_line(w, i);
        if (w->place[i] == LWI_ALONE) {
            write_ready(w, i);
        }
    }
    return true;
}

static bool write_in_order(writer *w)
{
    for (int i = 0; i < w->tape->nline; ++i) {
        const lwi_line_place place = write_line(w, i);
        const bool is_result = place == LWI_WITHIN && w->value[w->first + i].user < 0;
        w->place[i] = (unsigned char)(i < w->tape->nonce ? LWI_FIRST
                                      : is_result        ? LWI_ALONE
                                                         : place);
    }
    return true;
}

/// A round; the first of two finds the places only.
static bool write_round(writer *w, int nresult, const lwi_emit_result *result)
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
    name_inputs(w);
    name_passed(w);
    write_fours(w);
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
    writer w = {.tape = tape, .syntax = syntax, .once = once, .body = body};
    lwi_tape sorted;
    w.place = lwi_arena_take(&w.arena, (size_t)tape->nline + 1, 1);
    bool is_good = w.place != NULL;
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
