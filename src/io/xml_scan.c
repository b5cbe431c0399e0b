// Looking into the text of a file itself, for what expat does not tell.
#include "xml_scan.h"

#include "../base/report.h"
#include "xml_doc.h"

#include <string.h>
#include <strings.h>

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at)) {
        ++at;
    }
    return at;
}

lwi_xml_cursor lwi_xml_cursor_at(const char *file, const char *text, size_t size)
{
    unsigned char all = 0;
    for (size_t i = 0; i < size; ++i) {
        all |= (unsigned char)text[i];
    }
    return (lwi_xml_cursor){.file = file,
                            .text = text,
                            .size = size,
                            .is_ascii = all < 0x80,
                            .seen = text,
                            .line_start = text,
                            .line = 1};
}

lw_location lwi_xml_locate(lwi_xml_cursor *p, const char *at)
{
    const char *newline;
    while (p->seen < at && (newline = memchr(p->seen, '\n', (size_t)(at - p->seen)))) {
        p->seen = newline + 1;
        p->line_start = newline + 1;
        p->wide_bytes = 0;
        ++p->line;
    }
    for (; !p->is_ascii && p->seen < at; ++p->seen) {
        p->wide_bytes += ((unsigned char)*p->seen & 0xc0) == 0x80;
    }
    p->seen = at > p->seen ? at : p->seen;
    return (lw_location){p->file, p->line, (int)(at - p->line_start) - p->wide_bytes + 1};
}

lwi_xml_raw lwi_xml_find_raw(const char *at, const char *end)
{
    while (at < end && *at != '=') {
        ++at;
    }
    while (at < end && *at != '"' && *at != '\'') {
        ++at;
    }
    lwi_xml_raw value = {at, at, false};
    if (at == end) {
        return value;
    }
    const char *close = memchr(at + 1, *at, (size_t)(end - at - 1));
    value.at = at + 1;
    value.end = close ? close : end;
    for (const char *c = value.at; c < value.end; ++c) {
        value.is_changed |= *c == '&' || *c == '\n' || *c == '\r';
    }
    return value;
}

static bool begins_with(const char *at, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

// Behind the next `word`; the end of the text where there is none.
static const char *skip_past(const char *at, const char *end, const char *word)
{
    while (at < end && !begins_with(at, end, word)) {
        ++at;
    }
    return at < end ? at + strlen(word) : end;
}

lw_status lwi_xml_refuse_doctype(lw_location at, lw_report *report)
{
    return lwi_report_error(report, at, LW_ERR_SYNTAX,
                            "<!DOCTYPE> is not allowed: it may name entities and other files");
}

lw_status lwi_xml_prolog(lwi_xml_cursor *p, lwi_xml_declaration *found, lw_report *report)
{
    const char *at = p->text, *end = p->text + p->size;
    *found = (lwi_xml_declaration){0};
    if (begins_with(at, end, "\xef\xbb\xbf")) {
        at += 3;
        p->line_start = at;
        p->seen = at;
    }
    const char *first = at;
    for (;;) {
        at = skip_blanks(at, end);
        const char *start = at;
        if (begins_with(at, end, "<!--")) {
            at = skip_past(at, end, "-->");
        } else if (begins_with(at, end, "<?")) {
            at = skip_past(at, end, "?>");
            const bool is_xml =
                begins_with(start, end, "<?xml") && end - start > 5 && is_blank(start[5]);
            if (is_xml && !found->at && at - start <= LWI_XML_MAX_DECLARATION) {
                *found = (lwi_xml_declaration){start, at, start != first};
                if (found->is_late) {
                    lwi_report_warning(report, lwi_xml_locate(p, start), LW_DIAG_XML_DECLARATION,
                                       "the XML declaration must come first; it is ignored here");
                }
            }
        } else if (begins_with(at, end, "<!DOCTYPE")) {
            return lwi_xml_refuse_doctype(lwi_xml_locate(p, at), report);
        } else {
            return LW_OK;
        }
    }
}

bool lwi_xml_has_known_encoding(const lwi_xml_declaration *found)
{
    static const char *const known[] = {"UTF-8", "UTF-16", "ISO-8859-1", "US-ASCII"};
    const char *at = skip_past(found->at, found->end, "encoding");
    if (at == found->end) {
        return true;
    }
    const lwi_xml_raw value = lwi_xml_find_raw(at, found->end);
    const size_t length = (size_t)(value.end - value.at);
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (strlen(known[i]) == length && strncasecmp(known[i], value.at, length) == 0) {
            return true;
        }
    }
    return false;
}
