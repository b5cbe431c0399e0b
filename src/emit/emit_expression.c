// Lines of a tape as expressions.
//
// Signs are pulled out of products, sums and odd functions, and numbers are written without theirs,
// so that a text may stand for the negative of its value. Negation is exact: results do not change
// by it. The texts are made line by line, each from those of earlier lines, without recursion.

#include "emit_writer.h"

#include "../base/number.h"

#include <math.h>
#include <string.h>

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

const char *lwi_writer_keep(lwi_writer *w)
{
    const char *text = w->line.is_short || !w->line.at
                           ? NULL
                           : lwi_arena_text(&w->arena, w->line.at, w->line.used);
    w->is_short = w->is_short || !text;
    lwi_text_clear(&w->line);
    return text ? text : "";
}

const char *lwi_writer_name(lwi_writer *w, const char *letter, int number, const char *behind)
{
    lwi_text name = {0};
    lwi_text_format(&name, "%s%d%s", letter, number, behind);
    const char *text = name.at ? lwi_arena_text(&w->arena, name.at, name.used) : NULL;
    lwi_text_free(&name);
    w->is_short = w->is_short || !text;
    return text ? text : "";
}

void lwi_writer_assign(lwi_writer *w, lwi_text *out, const char *before, const char *name)
{
    lwi_text_format(out, "%s%s = %s%s", before, name, w->line.at ? w->line.at : "", w->syntax->end);
    lwi_text_clear(&w->line);
}

void lwi_name_inputs(lwi_writer *w)
{
    static const char *const array[] = {
        [LWI_PARAMETER] = "p", [LWI_POSITION] = "q", [LWI_VELOCITY] = "v", [LWI_ACCELERATION] = "a",
        [LWI_FORCE] = "tau",   [LWI_TIME] = "time",  [LWI_SINE] = "s",     [LWI_COSINE] = "c",
        [LWI_POSE] = "X",      [LWI_OTHER] = "d",    [LWI_SOLVED] = "x"};
    const lwi_tape *tape = w->tape;
    for (int i = 0; i < tape->ninput; ++i) {
        const lwi_symbol *input = &tape->input[i];
        lwi_text_format(&w->line, input->kind == LWI_TIME ? "%s" : "%s[%d]", array[input->kind],
                        input->index);
        w->value[i].text = lwi_writer_keep(w);
        w->value[i].is_input =
            input->kind != LWI_TIME && input->kind != LWI_PARAMETER && input->kind != LWI_OTHER;
    }
    for (int i = 0; i < tape->nnumber; ++i) {
        lwi_emit_value *p = &w->value[tape->ninput + i];
        lwi_emit_number(&w->line, fabs(tape->number[i]), w->syntax->suffix);
        p->text = lwi_writer_keep(w);
        p->is_flipped = signbit(tape->number[i]) != 0;
        p->is_number = true;
        p->number = tape->number[i];
    }
}

bool lwi_is_negative(const lwi_writer *w, uint32_t ref)
{
    return w->value[ref >> 1].is_flipped != ((ref & 1) != 0);
}

// The text behind a reference without its sign, within parentheses where it binds less than
// required.
static void add_operand(lwi_writer *w, uint32_t ref, lwi_binding most)
{
    const lwi_emit_value *p = &w->value[ref >> 1];
    lwi_text_format(&w->line, p->binding > most ? "(%s)" : "%s", p->text);
}

// The same with its sign.
static void add_signed(lwi_writer *w, uint32_t ref)
{
    lwi_text_add(&w->line, lwi_is_negative(w, ref) ? "-" : "");
    add_operand(w, ref, lwi_is_negative(w, ref) ? LWI_PRODUCT : LWI_SUM);
}

// What depends on numbers only is a number.
bool lwi_fold_line(lwi_writer *w, const lwi_line *line, lwi_emit_value *p)
{
    const lwi_emit_value *a = &w->value[line->a >> 1], *b = &w->value[line->b >> 1];
    const double x = (line->a & 1) != 0 ? -a->number : a->number;
    const double y = (line->b & 1) != 0 ? -b->number : b->number;
    if (line->op > LWI_OP_SQRT || !a->is_number || (line->op != LWI_OP_SQRT && !b->is_number)) {
        return false;
    }
    const double value = lwi_apply(line->op, x, y);
    if (!isfinite(value)) {
        return false; // for the compiler to report
    }
    lwi_emit_number(&w->line, fabs(value), w->syntax->suffix);
    p->text = lwi_writer_keep(w);
    p->number = value;
    p->is_number = true;
    p->is_flipped = signbit(value) != 0;
    return true;
}

static void write_sum(lwi_writer *w, const lwi_line *line, lwi_emit_value *p)
{
    const bool a = lwi_is_negative(w, line->a), b = lwi_is_negative(w, line->b);
    const bool is_swapped = a && !b;
    p->binding = LWI_SUM;
    p->is_flipped = a && b;
    add_operand(w, is_swapped ? line->b : line->a, LWI_SUM);
    lwi_text_add(&w->line, a == b ? " + " : " - ");
    add_operand(w, is_swapped ? line->a : line->b, LWI_PRODUCT);
}

static void write_product(lwi_writer *w, const lwi_line *line, lwi_emit_value *p)
{
    p->binding = LWI_PRODUCT;
    p->is_flipped = lwi_is_negative(w, line->a) != lwi_is_negative(w, line->b);
    add_operand(w, line->a, LWI_PRODUCT);
    lwi_text_add(&w->line, line->op == LWI_OP_DIV ? " / " : " * ");
    add_operand(w, line->b, LWI_ATOM);
}

void lwi_add_argument(lwi_writer *w, uint32_t ref, bool is_signed)
{
    const char *convert = w->value[ref >> 1].is_number ? w->syntax->convert : NULL;
    lwi_text_format(&w->line, convert ? "%s(" : "", convert);
    if (is_signed) {
        add_signed(w, ref);
    } else {
        add_operand(w, ref, LWI_SUM);
    }
    lwi_text_add(&w->line, convert ? ")" : "");
}

static void write_call(lwi_writer *w, const lwi_line *line, lwi_emit_value *p)
{
    const bool is_odd = line->op == LWI_OP_SIN || line->op == LWI_OP_TANH ||
                        line->op == LWI_OP_CLAMP || line->op == LWI_OP_SIGN ||
                        line->op == LWI_OP_ATAN2;
    p->is_flipped = is_odd && lwi_is_negative(w, line->a);
    lwi_text_format(&w->line, "%s(", w->syntax->function[line->op]);
    lwi_add_argument(w, line->a, line->op == LWI_OP_SQRT);
    if (line->op == LWI_OP_ATAN2) {
        lwi_text_add(&w->line, ", ");
        lwi_add_argument(w, line->b, true);
    }
    lwi_text_add(&w->line, ")");
}

void lwi_write_expression(lwi_writer *w, const lwi_line *line, lwi_emit_value *p)
{
    if (line->op == LWI_OP_ADD) {
        write_sum(w, line, p);
    } else if (line->op == LWI_OP_MUL || line->op == LWI_OP_DIV) {
        write_product(w, line, p);
    } else {
        write_call(w, line, p);
    }
}
