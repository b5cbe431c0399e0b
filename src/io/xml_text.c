#include "xml_text.h"

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

// A piece as character data or attribute value of XML; line ends and tabs survive in attributes.
static void add_escaped(lwi_text *text, const char *piece)
{
    while (*piece) {
        const char *escape = escape_of(*piece);
        if (escape) {
            lwi_text_add(text, escape);
            ++piece;
            continue;
        }
        const size_t length = lwi_utf8_length(piece);
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
    add_escaped(text, value);
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
