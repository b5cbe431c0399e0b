// A text that grows, for everything that writes.
#ifndef LWI_TEXT_H
#define LWI_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/// Starts as `= {0}`. When memory is short, or a text cannot be written, the additions that follow
/// do nothing; so a writer adds without looking and asks once, at the end.
typedef struct lwi_text {
    char *at; ///< null while empty; always ends with a zero
    size_t used, room;
    bool is_short; ///< memory was short: the text is not whole
    bool is_lossy; ///< a writer replaced a byte that its format cannot hold
} lwi_text;

void lwi_text_add(lwi_text *text, const char *piece);
void lwi_text_add_bytes(lwi_text *text, const char *piece, size_t size);
void lwi_text_add_int(lwi_text *text, int value);

/// The shortest decimal that reads back as the same number.
void lwi_text_add_number(lwi_text *text, double value);

/// Numbers with one blank between each.
void lwi_text_add_numbers(lwi_text *text, const double *value, int count);

/// A format in which %s is a text, %d an int and %% a per cent sign; no locale has a part in it.
void lwi_text_format(lwi_text *text, const char *format, ...);

/// The same for the first `size` bytes of a format, whose arguments are next in the list.
void lwi_text_format_part(lwi_text *text, const char *format, size_t size, va_list *list);

/// Forgets the text but keeps its memory.
void lwi_text_clear(lwi_text *text);
void lwi_text_free(lwi_text *text);

/// How many bytes the UTF-8 character has that begins here; 0 where it is malformed, too long a
/// form, a surrogate, a control character or no character.
size_t lwi_utf8_length(const char *text);
/// The number of a UTF-8 character of that length.
unsigned lwi_utf8_code(const char *text, size_t length);

#endif
