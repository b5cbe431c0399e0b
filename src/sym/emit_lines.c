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
    bool is_kept; ///< hangs on parameters only and is read by what does not
    int uses;
    int user;                  ///< the last line that reads it, or -1 for an output
    int pair;                  ///< number of the sine and cosine of it, -1 for none
    bool has_angle;            ///< its sine or cosine is read
    const char *sine, *cosine; ///< where they come with those of others, else null
} piece;

typedef struct writer {
    const lwi_tape *tape;
    const lwi_syntax *syntax;
    lwi_text *once, *body;
    lwi_arena arena;
    lwi_text line;    ///< scratch
    piece *value;     ///< [ninput + nnumber + nline]
    int first;        ///< value that is the first line
    int nname, nkept; ///< names and k[] given away
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

static bool has_second(lwi_op op)
{
    return op == LWI_OP_ADD || op == LWI_OP_MUL || op == LWI_OP_DIV || op == LWI_OP_ATAN2;
}

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

static void mark_all(writer *w, const char *result)
{
    const lwi_tape *tape = w->tape;
    for (int i = 0; i < tape->noutput; ++i) {
        if (strcmp(tape->output[i].name, result) == 0) {
            mark(w, tape->output[i].value, -1);
        }
    }
    for (int i = tape->nline - 1; i >= 0; --i) {
        const lwi_line *line = &tape->line[i];
        if (w->value[w->first + i].is_live) {
            mark(w, line->a, i);
            w->value[line->a >> 1].has_angle = w->value[line->a >> 1].has_angle ||
                                               line->op == LWI_OP_SIN || line->op == LWI_OP_COS;
            if (has_second(line->op)) {
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
        [LWI_SINE] = "s",         [LWI_COSINE] = "c",   [LWI_OTHER] = "x"};
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

static void name_line(writer *w, const lwi_line *line, piece *p, lwi_text *out)
{
    const bool is_sine = line->op == LWI_OP_SIN, is_cosine = line->op == LWI_OP_COS;
    const int position = is_sine || is_cosine ? position_of(w, line->a) : -1;
    if (p->is_kept) {
        p->text = make_name(w, "k[", w->nkept++, "]");
        assign(w, out, w->syntax->indent, p->text);
    } else {
        p->text = position >= 0 ? make_name(w, is_sine ? "s" : "c", position, "")
                                : make_name(w, "t", w->nname++, "");
        assign(w, out, w->syntax->declare, p->text);
    }
    p->binding = ATOM;
}

static bool is_inlined(const writer *w, const lwi_line *line, const piece *p)
{
    if (p->is_kept || p->uses != 1 || line->op > LWI_OP_DIV) {
        return false;
    }
    const bool is_fused =
        line->op == LWI_OP_MUL && p->user >= 0 && w->tape->line[p->user].op == LWI_OP_ADD;
    return w->line.used <= (is_fused ? LONG_PRODUCT : LONG_EXPRESSION);
}

static void write_line(writer *w, int i)
{
    const lwi_line *line = &w->tape->line[i];
    piece *p = &w->value[w->first + i];
    lwi_text *out = i < w->tape->nonce ? w->once : w->body;
    if (!p->is_live || fold(w, line, p)) {
        return;
    }
    if ((line->op == LWI_OP_SIN || line->op == LWI_OP_COS) && w->syntax->pair_function &&
        !p->is_kept) {
        write_half(w, line, p, out);
        return;
    }
    if (line->op == LWI_OP_ADD) {
        write_sum(w, line, p);
    } else if (line->op == LWI_OP_MUL || line->op == LWI_OP_DIV) {
        write_product(w, line, p);
    } else {
        write_call(w, line, p);
    }
    if (is_inlined(w, line, p)) {
        p->text = keep_text(w);
    } else {
        name_line(w, line, p, out);
    }
}

// All results at the end, so that they may lie where the inputs do. Places that no output names are
// zero.
static bool write_results(writer *w, const char *result, int size)
{
    const lwi_tape *tape = w->tape;
    int *place = lwi_arena_take(&w->arena, (size_t)size + 1, sizeof *place);
    if (!place) {
        return false;
    }
    for (int i = 0; i < tape->noutput; ++i) {
        const lwi_output *output = &tape->output[i];
        if (strcmp(output->name, result) == 0 && output->index >= 0 && output->index < size) {
            place[output->index] = i + 1;
        }
    }
    for (int i = 0; i < size; ++i) {
        if (place[i]) {
            add_argument(w, tape->output[place[i] - 1].value, true);
        } else {
            const char *convert = w->syntax->convert;
            lwi_text_add(&w->line, convert ? convert : "");
            lwi_text_add(&w->line, convert ? "(" : "");
            lwi_emit_number(&w->line, 0, w->syntax->suffix);
            lwi_text_add(&w->line, convert ? ")" : "");
        }
        lwi_text_add(w->body, w->syntax->indent);
        lwi_text_add(w->body, result);
        assign(w, w->body, "", make_name(w, "[", i, "]"));
    }
    return true;
}

lw_status lwi_emit_lines(const lwi_tape *tape, const char *result, int size,
                         const lwi_syntax *syntax, lwi_text *once, lwi_text *body, int *nkept)
{
    writer w = {.tape = tape, .syntax = syntax, .once = once, .body = body};
    const int nvalue = tape->ninput + tape->nnumber + tape->nline;
    w.first = tape->ninput + tape->nnumber;
    w.value = lwi_arena_take(&w.arena, (size_t)nvalue + 1, sizeof *w.value);
    bool is_good = w.value != NULL;
    if (is_good) {
        for (int i = 0; i < nvalue; ++i) {
            w.value[i].pair = -1;
        }
        mark_all(&w, result);
        name_inputs(&w);
        write_fours(&w);
        for (int i = 0; i < tape->nline; ++i) {
            write_line(&w, i);
        }
        is_good = write_results(&w, result, size);
    }
    *nkept = w.nkept;
    lwi_text_free(&w.line);
    lwi_arena_free(&w.arena);
    return is_good && !w.is_short && !body->is_short && !once->is_short ? LW_OK : LW_ERR_MEMORY;
}
