#include "text.h"

#include "../base/number.h"

#include <stdlib.h>
#include <string.h>

// Room for `more` bytes and a closing zero.
static bool make_room(lwi_text *text, size_t more)
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
    if (make_room(text, size)) {
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

// How many bytes the UTF-8 character has that begins here; 0 where it is malformed, too long a
// form, a surrogate or not in XML's set.
static size_t character_length(const unsigned char *c)
{
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

static const char *escape_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\n':
        return "&#10;";
    case '\r':
        return "&#13;";
    case '\t':
        return "&#9;";
    default:
        return NULL;
    }
}

void lwi_text_add_escaped(lwi_text *text, const char *piece)
{
    while (*piece) {
        const char *escape = escape_of(*piece);
        if (escape) {
            lwi_text_add(text, escape);
            ++piece;
            continue;
        }
        const size_t length = character_length((const unsigned char *)piece);
        if (length) {
            lwi_text_add_bytes(text, piece, length);
            piece += length;
        } else {
            text->is_lossy = true;
            lwi_text_add(text, "?");
            ++piece;
        }
    }
}

void lwi_text_add_attr(lwi_text *text, const char *name, const char *value)
{
    lwi_text_add(text, " ");
    lwi_text_add(text, name);
    lwi_text_add(text, "=\"");
    lwi_text_add_escaped(text, value);
    lwi_text_add(text, "\"");
}

void lwi_text_add_attr_number(lwi_text *text, const char *name, double value)
{
    lwi_text_add_attr_numbers(text, name, &value, 1);
}

void lwi_text_add_attr_numbers(lwi_text *text, const char *name, const double *value, int count)
{
    lwi_text_add(text, " ");
    lwi_text_add(text, name);
    lwi_text_add(text, "=\"");
    lwi_text_add_numbers(text, value, count);
    lwi_text_add(text, "\"");
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
