// Sines and cosines that one call gives together: both of an angle, or those of up to four
// positions.

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
        lwi_text_format(&w->line, "%s(", w->syntax->pair_function);
        lwi_add_argument(w, line->a, false);
        lwi_text_add(&w->line, ")");
        lwi_writer_assign(w, out, w->syntax->pair_type,
                          lwi_writer_name(w, letter, angle->pair, ""));
    }
    p->is_flipped = line->op == LWI_OP_SIN && lwi_is_negative(w, line->a);
    p->text = lwi_writer_name(w, letter, angle->pair, line->op == LWI_OP_SIN ? ".s" : ".c");
}

// Sines and cosines of up to four positions; the last stands in for those that are missing.
static void write_many(lwi_writer *w, const int *value, int count, int number)
{
    const int size = count > 2 ? 4 : 2;
    const lwi_syntax *syntax = w->syntax;
    lwi_text_format(w->body, "%sx%d[%d] = {", syntax->declare, number, size);
    for (int k = 0; k < size; ++k) {
        static const char *const lane[4] = {"[0]", "[1]", "[2]", "[3]"};
        lwi_emit_value *angle = &w->value[value[k < count ? k : count - 1]];
        lwi_text_format(w->body, "%s%s", k > 0 ? ", " : "", angle->text);
        if (k < count) {
            angle->sine = lwi_writer_name(w, "sin", number, lane[k]);
            angle->cosine = lwi_writer_name(w, "cos", number, lane[k]);
        }
    }
    lwi_text_format(w->body, "}%s%ssin%d[%d], cos%d[%d]%s%s%s(x%d, sin%d, cos%d)%s", syntax->end,
                    syntax->many_type, number, size, number, size, syntax->end, syntax->indent,
                    count > 2 ? syntax->four_function : syntax->two_function, number, number,
                    number, syntax->end);
}

void lwi_write_call_of(lwi_writer *w, const int *order, int n, const int *call)
{
    int value[4], count = 0;
    for (int k = 0; k < n && w->location[order[k]] == LWI_ANGLE && call[order[k]] == call[*order];
         ++k) {
        const int one = (int)(w->tape->line[order[k]].a >> 1);
        if (count == 0 || value[count - 1] != one) {
            value[count++] = one;
        }
    }
    write_many(w, value, count, call[*order]);
}

const char *lwi_angle_name(lwi_writer *w, bool is_sine, int position)
{
    return w->syntax->has_indexed_angles ? lwi_writer_name(w, is_sine ? "s[" : "c[", position, "]")
                                         : lwi_writer_name(w, is_sine ? "s" : "c", position, "");
}
