#include "text.h"

#include <linkwork/base.h>

#include "number.h"

#include <stdlib.h>
#include <string.h>

// Room for `more` bytes and a closing zero.
static bool reserve(lwi_text *text, size_t more)
{
    if (text->is_short) {
        return false;
    }
    if (text->at && more < text->room - text->used) {
        return true;
    }
    size_t room = text->room ? 2 * text->room : 256;
    while (room - text->used <= more) {
        room *= 2;
    }
    char *at = realloc(text->at, room);
    if (!at) {
        text->is_short = true;
        return false;
    }
    text->at = at;
    text->room = room;
    return true;
}

void lwi_text_add_bytes(lwi_text *text, const char *piece, size_t size)
{
    if (reserve(text, size)) {
        if (size) {
            memcpy(text->at + text->used, piece, size);
        }
        text->used += size;
        text->at[text->used] = '\0';
    }
}

void lwi_text_add(lwi_text *text, const char *piece)
{
    lwi_text_add_bytes(text, piece, strlen(piece));
}

void lwi_text_add_int(lwi_text *text, int value)
{
    lwi_text_add_number(text, value);
}

void lwi_text_add_number(lwi_text *text, double value)
{
    char number[LWI_NUMBER_SIZE];
    const int length = lwi_print_double(value, number);
    lwi_text_add_bytes(text, number, (size_t)length);
}

void lwi_text_add_numbers(lwi_text *text, const double *value, int count)
{
    for (int i = 0; i < count; ++i) {
        if (i > 0) {
            lwi_text_add(text, " ");
        }
        lwi_text_add_number(text, value[i]);
    }
}

void lwi_text_format_part(lwi_text *text, const char *format, size_t size, va_list *list)
{
    for (size_t i = 0; i < size; ++i) {
        const size_t plain = i;
        while (i < size && format[i] != '%') {
            ++i;
        }
        lwi_text_add_bytes(text, format + plain, i - plain);
        if (++i >= size) {
            break;
        }
        if (format[i] == 's') {
            lwi_text_add(text, va_arg(*list, const char *));
        } else if (format[i] == 'd') {
            lwi_text_add_int(text, va_arg(*list, int));
        } else {
            lwi_text_add_bytes(text, format + i, 1);
        }
    }
}

void lwi_text_format(lwi_text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    lwi_text_format_part(text, format, strlen(format), &list);
    va_end(list);
}

void lwi_text_clear(lwi_text *text)
{
    text->used = 0;
    text->is_lossy = false;
    if (text->at) {
        text->at[0] = '\0';
    }
}

void lwi_text_free(lwi_text *text)
{
    free(text->at);
    *text = (lwi_text){0};
}

size_t lwi_utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80) {
        return c[0] >= 0x20;
    }
    const size_t length = c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < length; ++i) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool is_bad = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0) ||
                        (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] >= 0x90) ||
                        (c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe);
    return is_bad ? 0 : length;
}

void lw_text_free(char *text)
{
    free(text);
}

unsigned lwi_utf8_code(const char *text, size_t length)
{
    const unsigned char *c = (const unsigned char *)text;
    unsigned code = length == 1 ? c[0] : c[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; ++i) {
        code = code << 6 | (c[i] & 0x3fu);
    }
    return code;
}
