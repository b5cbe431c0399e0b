// Sines and cosines that one call gives together: both of an angle, or those of four positions.

#include "emit_writer.h"

int lwi_position_of(const lwi_writer *w, uint32_t ref)
{
    const int value = (int)(ref >> 1);
    return value < w->tape->ninput && w->tape->input[value].kind == LWI_POSITION
               ? w->tape->input[value].index
               : -1;
}

void lwi_write_half(lwi_writer *w, const lwi_line *line, lwi_emit_value *p, lwi_text *out)
{
    lwi_emit_value *angle = &w->value[line->a >> 1];
    const int position = lwi_position_of(w, line->a);
    if (angle->sine) {
        p->is_flipped = line->op == LWI_OP_SIN && lwi_is_negative(w, line->a);
        p->text = line->op == LWI_OP_SIN ? angle->sine : angle->cosine;
        return;
    }
    const char *letter = position >= 0 ? "r" : "u";
    if (angle->pair < 0) {
        angle->pair = position >= 0 ? position : w->nname++;
        lwi_text_add(&w->line, w->syntax->pair_function);
        lwi_text_add(&w->line, "(");
        lwi_add_argument(w, line->a, false);
        lwi_text_add(&w->line, ")");
        lwi_writer_assign(w, out, w->syntax->pair_type,
                          lwi_writer_name(w, letter, angle->pair, ""));
    }
    p->is_flipped = line->op == LWI_OP_SIN && lwi_is_negative(w, line->a);
    p->text = lwi_writer_name(w, letter, angle->pair, line->op == LWI_OP_SIN ? ".s" : ".c");
}

// Sines and cosines of up to four positions; the last stands in for those that are missing.
static void write_four(lwi_writer *w, const int *value, int count, int number)
{
    static const char *const lane[4] = {"[0]", "[1]", "[2]", "[3]"};
    const char *x = lwi_writer_name(w, "x", number, ""), *s = lwi_writer_name(w, "sin", number, ""),
               *c = lwi_writer_name(w, "cos", number, "");
    lwi_text *out = w->body;
    lwi_text_add(out, w->syntax->declare);
    lwi_text_add(out, x);
    lwi_text_add(out, "[4] = {");
    for (int k = 0; k < 4; ++k) {
        lwi_emit_value *angle = &w->value[value[k < count ? k : count - 1]];
        lwi_text_add(out, k > 0 ? ", " : "");
        lwi_text_add(out, angle->text);
        if (k < count) {
            angle->sine = lwi_writer_name(w, "sin", number, lane[k]);
            angle->cosine = lwi_writer_name(w, "cos", number, lane[k]);
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

void lwi_write_fours(lwi_writer *w)
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

const char *lwi_angle_name(lwi_writer *w, bool is_sine, int position)
{
    return w->syntax->has_indexed_angles ? lwi_writer_name(w, is_sine ? "s[" : "c[", position, "]")
                                         : lwi_writer_name(w, is_sine ? "s" : "c", position, "");
}
