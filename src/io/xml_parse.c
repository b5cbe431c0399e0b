// From text to elements, by expat.
//
// Expat tells where an element begins, but not where its attributes do: these are found in the text
// itself. The text is fed in pieces, so that an endless tag is refused before it is copied, and
// each piece is as long as what waits, so that an unfinished token is not scanned over and over.
#include "xml_doc.h"

#include "../base/report.h"
#include "text.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    PIECE = 64 * 1024,          // bytes fed to expat at once
    BLOCK = 32 * 1024,          // bytes of the blocks in which texts are packed
    RECENT = 256,               // names kept for reuse
    LONGEST_DECLARATION = 1000, // bytes of <?xml ... ?>
};

/// An element whose end has not come yet.
typedef struct open_element {
    lwi_xml_node *node, *last_child;
    lwi_text text;
} open_element;

typedef struct parse {
    XML_Parser expat;
    lwi_xml_doc *doc;
    const char *file, *text;
    size_t size;
    bool is_wide; ///< UTF-16: places of attributes are not looked for
    int depth;    ///< of open elements
    int nnode;
    open_element open[LWI_XML_MAX_DEPTH];
    const char *recent[RECENT];
    char *next, *end; ///< free room in the block of texts
    lw_status status;
    lw_report *report;
} parse;

/// A position in the text, with its line and column.
typedef struct cursor {
    const char *at, *end;
    int line, column;
} cursor;

static void step(cursor *c)
{
    const char passed = *c->at++;
    const bool is_crlf = passed == '\r' && c->at < c->end && *c->at == '\n';
    if (is_crlf) {
        return; // the line ends at the '\n'
    }
    if (passed == '\n' || passed == '\r') {
        ++c->line;
        c->column = 1;
    } else {
        c->column += c->at == c->end || ((unsigned char)*c->at & 0xc0) != 0x80;
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(cursor *c)
{
    while (c->at < c->end && is_blank(*c->at)) {
        step(c);
    }
}

static lw_place place_now(parse *p)
{
    return (lw_place){p->file, (int)XML_GetCurrentLineNumber(p->expat),
                      (int)XML_GetCurrentColumnNumber(p->expat) + 1};
}

static void stop(parse *p, lw_status status)
{
    p->status = status;
    XML_StopParser(p->expat, XML_FALSE);
}

static void stop_short(parse *p)
{
    stop(p, LW_ERR_MEMORY);
}

// --- Texts ------------------------------------------------------------------------------------

// Room for `size` bytes, packed without gaps.
static char *take_text(parse *p, size_t size)
{
    if (size > (size_t)(p->end - p->next)) {
        if (size > BLOCK / 8) {
            return lwi_arena_take(&p->doc->arena, size, 1);
        }
        char *block = lwi_arena_take(&p->doc->arena, BLOCK, 1);
        if (!block) {
            return NULL;
        }
        p->next = block;
        p->end = block + BLOCK;
    }
    char *text = p->next;
    p->next += size;
    return text;
}

static const char *keep_text(parse *p, const char *text, size_t length)
{
    char *copy = take_text(p, length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

// Files have few different names, so that a small table of those seen last saves most copies.
static const char *keep_name(parse *p, const char *name)
{
    unsigned hash = 0;
    size_t length = 0;
    for (; name[length]; ++length) {
        hash = 31 * hash + (unsigned char)name[length];
    }
    const char **recent = &p->recent[hash % RECENT];
    if (!*recent || strcmp(*recent, name) != 0) {
        *recent = keep_text(p, name, length);
    }
    return *recent;
}

// --- Elements and attributes ------------------------------------------------------------------

// Moves past name, '=' and quote to the value, then past it. Expat has accepted the tag, so that
// its form is sure.
static cursor find_value(cursor *c, bool *is_changed)
{
    while (c->at < c->end && *c->at != '=') {
        step(c);
    }
    while (c->at < c->end && *c->at != '"' && *c->at != '\'') {
        step(c);
    }
    const char quote = c->at < c->end ? *c->at : '"';
    if (c->at < c->end) {
        step(c);
    }
    cursor value = *c;
    *is_changed = false;
    while (c->at < c->end && *c->at != quote) {
        *is_changed |= *c->at == '&' || *c->at == '\n' || *c->at == '\r';
        step(c);
    }
    value.end = c->at;
    if (c->at < c->end) {
        step(c);
    }
    return value;
}

// Keeps a value, and after it, where they differ, the value as it stands in the file.
static bool keep_value(parse *p, const char *value, const cursor *raw, bool is_changed,
                       lwi_xml_attr *attr)
{
    const size_t length = strlen(value);
    const size_t raw_length = is_changed ? (size_t)(raw->end - raw->at) : 0;
    char *copy = take_text(p, length + 1 + (is_changed ? raw_length + 1 : 0));
    if (!copy) {
        return false;
    }
    memcpy(copy, value, length + 1);
    if (is_changed) {
        memcpy(copy + length + 1, raw->at, raw_length);
        copy[length + 1 + raw_length] = '\0';
    }
    enum { WIDEST = (1 << 30) - 1 };
    attr->value = copy;
    attr->line = raw->line;
    attr->column = (unsigned)(raw->column < WIDEST ? raw->column : WIDEST) & WIDEST;
    attr->has_raw = is_changed;
    return true;
}

static bool add_attributes(parse *p, lwi_xml_node *node, const char **pair)
{
    const long long start = XML_GetCurrentByteIndex(p->expat);
    const long long length = XML_GetCurrentByteCount(p->expat);
    const bool is_found = !p->is_wide && start >= 0 && start + length <= (long long)p->size;
    cursor c = {p->text, p->text, node->at.line, node->at.column};
    if (is_found) {
        c.at = p->text + start;
        c.end = c.at + length;
    }
    node->attr = lwi_arena_take(&p->doc->arena, (size_t)node->nattr, sizeof *node->attr);
    if (!node->attr) {
        return false;
    }
    for (int i = 0; i < node->nattr; ++i) {
        bool is_changed;
        const cursor raw = find_value(&c, &is_changed);
        node->attr[i].name = keep_name(p, pair[2 * i]);
        if (!node->attr[i].name ||
            !keep_value(p, pair[2 * i + 1], &raw, is_changed, &node->attr[i])) {
            return false;
        }
    }
    return true;
}

static bool is_within_limits(parse *p, int nattr)
{
    const lw_place at = place_now(p);
    lw_status status = LW_OK;
    if (p->depth >= LWI_XML_MAX_DEPTH) {
        status = lwi_report_error(p->report, at, LW_ERR_LIMIT,
                                  "elements are nested more than %d deep", LWI_XML_MAX_DEPTH);
    } else if (p->nnode >= LWI_XML_MAX_NODES) {
        status = lwi_report_error(p->report, at, LW_ERR_LIMIT, "more than %d elements",
                                  LWI_XML_MAX_NODES);
    } else if (nattr > LWI_XML_MAX_ATTR) {
        status = lwi_report_error(p->report, at, LW_ERR_LIMIT,
                                  "an element with more than %d attributes", LWI_XML_MAX_ATTR);
    } else if (XML_GetCurrentByteCount(p->expat) > LWI_XML_MAX_TOKEN) {
        status = lwi_report_error(p->report, at, LW_ERR_LIMIT, "a tag of more than %d bytes",
                                  LWI_XML_MAX_TOKEN);
    }
    if (status != LW_OK) {
        stop(p, status);
    }
    return status == LW_OK;
}

static void XMLCALL start_element(void *user, const char *tag, const char **pair)
{
    parse *p = user;
    const int nattr = XML_GetSpecifiedAttributeCount(p->expat) / 2;
    if (p->status != LW_OK || !is_within_limits(p, nattr)) {
        return;
    }
    lwi_xml_node *node = lwi_arena_take(&p->doc->arena, 1, sizeof *node);
    if (!node) {
        stop_short(p);
        return;
    }
    ++p->nnode;
    node->tag = keep_name(p, tag);
    node->text = "";
    node->at = place_now(p);
    node->depth = (short)p->depth;
    node->nattr = nattr;
    if (!node->tag || (nattr > 0 && !add_attributes(p, node, pair))) {
        stop_short(p);
        return;
    }
    if (p->depth == 0) {
        p->doc->root = node;
    } else {
        open_element *parent = &p->open[p->depth - 1];
        node->parent = parent->node;
        if (parent->last_child) {
            parent->last_child->next = node;
        } else {
            parent->node->first_child = node;
        }
        parent->last_child = node;
    }
    open_element *opened = &p->open[p->depth++];
    opened->node = node;
    opened->last_child = NULL;
    lwi_text_clear(&opened->text);
}

static void XMLCALL end_element(void *user, const char *tag)
{
    (void)tag;
    parse *p = user;
    if (p->status != LW_OK || p->depth == 0) {
        return;
    }
    open_element *closed = &p->open[--p->depth];
    size_t length = closed->text.used;
    while (length > 0 && is_blank(closed->text.at[length - 1])) {
        --length;
    }
    if (length > 0) {
        closed->node->text = keep_text(p, closed->text.at, length);
        if (!closed->node->text) {
            stop_short(p);
        }
    }
}

static void XMLCALL character_data(void *user, const char *piece, int length)
{
    parse *p = user;
    if (p->status != LW_OK || p->depth == 0) {
        return;
    }
    lwi_text *text = &p->open[p->depth - 1].text;
    size_t size = (size_t)length;
    while (text->used == 0 && size > 0 && is_blank(*piece)) {
        ++piece;
        --size;
    }
    if (size == 0) {
        return;
    }
    if (text->used + size > LWI_XML_MAX_TOKEN) {
        stop(p, lwi_report_error(p->report, p->open[p->depth - 1].node->at, LW_ERR_LIMIT,
                                 "an element with more than %d bytes of text", LWI_XML_MAX_TOKEN));
        return;
    }
    lwi_text_add_bytes(text, piece, size);
    if (text->is_short) {
        stop_short(p);
    }
}

static lw_status refuse_doctype(lw_place at, lw_report *report)
{
    return lwi_report_error(report, at, LW_ERR_SYNTAX,
                            "<!DOCTYPE> is not allowed: it may name entities and other files");
}

// Only for what check_prolog() does not see, as in UTF-16.
static void XMLCALL start_doctype(void *user, const char *name, const char *system,
                                  const char *public, int has_subset)
{
    (void)name;
    (void)system;
    (void)public;
    (void)has_subset;
    parse *p = user;
    stop(p, refuse_doctype(place_now(p), p->report));
}

// --- What stands before the first element -----------------------------------------------------

/// The declaration <?xml ... ?>; null where there is none.
typedef struct declaration {
    const char *at, *end;
    bool is_late; ///< something stands before it, which XML forbids and published files have
} declaration;

static bool begins_with(const cursor *c, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(c->end - c->at) >= length && memcmp(c->at, word, length) == 0;
}

// Moves past the next `end`; to the end of the text where there is none.
static void skip_past(cursor *c, const char *end)
{
    while (c->at < c->end && !begins_with(c, end)) {
        step(c);
    }
    for (size_t i = 0; end[i] && c->at < c->end; ++i) {
        step(c);
    }
}

// Looks for the declaration, and for a DOCTYPE, which expat would report too late in it.
static lw_status check_prolog(parse *p, declaration *found)
{
    cursor c = {p->text, p->text + p->size, 1, 1};
    *found = (declaration){0};
    if (begins_with(&c, "\xef\xbb\xbf")) {
        c.at += 3;
    }
    const char *first = c.at;
    for (;;) {
        skip_blanks(&c);
        const lw_place at = {p->file, c.line, c.column};
        if (begins_with(&c, "<!--")) {
            skip_past(&c, "-->");
        } else if (begins_with(&c, "<?")) {
            const char *start = c.at;
            const bool is_xml = begins_with(&c, "<?xml") && c.end - c.at > 5 && is_blank(c.at[5]);
            skip_past(&c, "?>");
            if (is_xml && !found->at && c.at - start <= LONGEST_DECLARATION) {
                *found = (declaration){start, c.at, start != first};
                if (found->is_late) {
                    lwi_report_warning(p->report, at,
                                       "the XML declaration must come first; it is ignored here");
                }
            }
        } else if (begins_with(&c, "<!DOCTYPE")) {
            return refuse_doctype(at, p->report);
        } else {
            return LW_OK;
        }
    }
}

// Expat refuses encodings that it does not know. Most files that name one ("utf8", "ascii") are
// UTF-8 nevertheless, and one that is not fails at its first foreign byte.
static void choose_encoding(parse *p, const declaration *found)
{
    static const char *const known[] = {"UTF-8", "UTF-16", "ISO-8859-1", "US-ASCII"};
    cursor c = {found->at, found->end, 1, 1};
    while (c.at < c.end && !begins_with(&c, "encoding")) {
        step(&c);
    }
    if (c.at == c.end) {
        return;
    }
    bool is_changed;
    const cursor value = find_value(&c, &is_changed);
    const size_t length = (size_t)(value.end - value.at);
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (strlen(known[i]) == length && strncasecmp(known[i], value.at, length) == 0) {
            return;
        }
    }
    XML_SetEncoding(p->expat, "UTF-8");
}

// --- Feeding ----------------------------------------------------------------------------------

static const char *plain_words(enum XML_Error code)
{
    switch (code) {
    case XML_ERROR_INVALID_TOKEN:
        return "not well formed";
    case XML_ERROR_UNCLOSED_TOKEN:
        return "this is not closed before the file ends";
    case XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
        return "nothing may follow the root element";
    default:
        return XML_ErrorString(code);
    }
}

static lw_status report_expat(parse *p)
{
    const enum XML_Error code = XML_GetErrorCode(p->expat);
    const lw_place at = place_now(p);
    char clip[LWI_CLIP_SIZE];
    if (code == XML_ERROR_NO_MEMORY) {
        return LW_ERR_MEMORY;
    }
    if (p->depth > 0 && code == XML_ERROR_TAG_MISMATCH) {
        const lwi_xml_node *open = p->open[p->depth - 1].node;
        return lwi_report_error(p->report, at, LW_ERR_SYNTAX,
                                "mismatched tag: <%s> of line %d is still open",
                                lwi_clip(open->tag, clip), open->at.line);
    }
    if (p->depth > 0 && code == XML_ERROR_NO_ELEMENTS) {
        const lwi_xml_node *open = p->open[p->depth - 1].node;
        return lwi_report_error(p->report, at, LW_ERR_SYNTAX,
                                "the file ends, but <%s> of line %d is still open",
                                lwi_clip(open->tag, clip), open->at.line);
    }
    if (code == XML_ERROR_NO_ELEMENTS) {
        return lwi_report_error(p->report, at, LW_ERR_SYNTAX, "there is no element in this file");
    }
    return lwi_report_error(p->report, at, LW_ERR_SYNTAX, "%s", plain_words(code));
}

static lw_status feed(parse *p, const char *text, size_t size, bool is_last)
{
    const enum XML_Status status = XML_Parse(p->expat, text, (int)size, is_last);
    if (p->status != LW_OK) {
        return p->status;
    }
    return status == XML_STATUS_OK ? LW_OK : report_expat(p);
}

// A declaration that comes late is blanked out, so that all places stay true.
static lw_status feed_blanked(parse *p, const declaration *found)
{
    char blanked[LONGEST_DECLARATION];
    const size_t size = (size_t)(found->end - found->at);
    for (size_t i = 0; i < size; ++i) {
        blanked[i] = is_blank(found->at[i]) ? found->at[i] : ' ';
    }
    const lw_status status = feed(p, p->text, (size_t)(found->at - p->text), false);
    return status == LW_OK ? feed(p, blanked, size, false) : status;
}

static lw_status feed_all(parse *p)
{
    declaration found;
    lw_status status = check_prolog(p, &found);
    size_t fed = 0;
    if (status == LW_OK && found.is_late) {
        status = feed_blanked(p, &found);
        fed = (size_t)(found.end - p->text);
    } else if (found.at) {
        choose_encoding(p, &found);
    }
    while (status == LW_OK) {
        const long long index = XML_GetCurrentByteIndex(p->expat);
        const size_t waiting = index < 0 ? 0 : fed - (size_t)index;
        if (waiting > LWI_XML_MAX_TOKEN) {
            return lwi_report_error(p->report, place_now(p), LW_ERR_LIMIT,
                                    "a tag or comment of more than %d bytes", LWI_XML_MAX_TOKEN);
        }
        size_t piece = waiting > PIECE ? waiting : PIECE;
        piece = piece < p->size - fed ? piece : p->size - fed;
        const bool is_last = fed + piece == p->size;
        status = feed(p, p->text + fed, piece, is_last);
        fed += piece;
        if (is_last) {
            break;
        }
    }
    return status;
}

lw_status lwi_xml_parse(const char *file, const char *text, size_t size, lwi_xml_doc **doc,
                        lw_report *report)
{
    const XML_Memory_Handling_Suite memory = {malloc, realloc, free};
    lw_status status = LW_ERR_MEMORY;
    *doc = NULL;
    parse *p = calloc(1, sizeof *p);
    if (!p) {
        return status;
    }
    p->file = file;
    p->text = text;
    p->size = size;
    p->report = report;
    p->is_wide = size >= 2 && (!text[0] || !text[1] || (unsigned char)text[0] >= 0xfe);
    p->doc = calloc(1, sizeof *p->doc);
    p->expat = XML_ParserCreate_MM(NULL, &memory, NULL);
    if (!p->doc || !p->expat) {
        goto done;
    }
    XML_SetUserData(p->expat, p);
    XML_SetElementHandler(p->expat, start_element, end_element);
    XML_SetCharacterDataHandler(p->expat, character_data);
    XML_SetStartDoctypeDeclHandler(p->expat, start_doctype);
    status = feed_all(p);
    if (status == LW_OK) {
        *doc = p->doc;
        p->doc = NULL; // now the caller's
    }

done:
    for (int i = 0; i < LWI_XML_MAX_DEPTH; ++i) {
        lwi_text_free(&p->open[i].text);
    }
    if (p->expat) {
        XML_ParserFree(p->expat);
    }
    lwi_xml_destroy(p->doc);
    free(p);
    return status;
}
