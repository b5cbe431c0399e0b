// Looking into the text of a file itself, for what expat does not tell: places of attributes,
// values as they are written, and what stands before the first element.
#ifndef LWI_XML_SCAN_H
#define LWI_XML_SCAN_H

#include <linkwork/base.h>

#include <stdbool.h>

/// The text, and how far its lines are counted.
typedef struct lwi_xml_cursor {
    const char *file, *text;
    size_t size;
    bool is_ascii;                 ///< each byte is a character
    const char *seen, *line_start; ///< how far lines are counted, and where the last one began
    int line, wide_bytes; ///< its number, and its bytes that are no characters of their own
} lwi_xml_cursor;

lwi_xml_cursor lwi_xml_cursor_at(const char *file, const char *text, size_t size);

/// The place of a character of the text. Each must lie at or behind the one requested before: lines
/// are counted from there, which is quicker than expat's own count from token to token.
lw_location lwi_xml_locate(lwi_xml_cursor *cursor, const char *at);

/// The value of an attribute as it stands in the file.
typedef struct lwi_xml_raw {
    const char *at, *end;
    bool is_changed; ///< expat gives it otherwise: it has entities or line ends
} lwi_xml_raw;

/// The next value behind `at`, in a tag that expat has accepted, so that its form is sure.
lwi_xml_raw lwi_xml_find_raw(const char *at, const char *end);

enum { LWI_XML_MAX_DECLARATION = 1000 }; ///< bytes; a longer one is left to expat

/// The declaration <?xml ... ?>; null where there is none.
typedef struct lwi_xml_declaration {
    const char *at, *end;
    bool is_late; ///< something stands before it, which XML forbids and published files have
} lwi_xml_declaration;

/// Looks for the declaration, and for a DOCTYPE, which expat would report too late in it.
lw_status lwi_xml_prolog(lwi_xml_cursor *cursor, lwi_xml_declaration *found, lw_report *report);

/// Whether expat knows the encoding that the declaration names, or it names none.
bool lwi_xml_has_known_encoding(const lwi_xml_declaration *found);

/// The diagnostic for a DOCTYPE, and its status.
lw_status lwi_xml_refuse_doctype(lw_location at, lw_report *report);

#endif
