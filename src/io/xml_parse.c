// From text to elements, by expat.
//
// Expat tells where an element begins, but not where its attributes do: these are found in the text
// itself. The text is fed in pieces, so that an endless tag is refused before it is copied, and
// each piece is as long as what waits, so that an unfinished token is not scanned over and over.
#include "xml_doc.h"

#include "../base/name_table.h"
#include "../base/report.h"
#include "xml_scan.h"
#include "xml_text.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 64 * 1024, // bytes fed to expat at once
    BLOCK = 32 * 1024, // bytes of the blocks in which texts are packed
    RECENT = 256,      // names kept for reuse
};

/// An element whose end has not come yet.
typedef struct open_element {
    lwi_xml_node *node, *last_child;
    lwi_text text;
} open_element;

typedef struct parse {
    XML_Parser expat;
    lwi_xml_doc *doc;
    lwi_xml_cursor cursor;
    bool is_wide; ///< UTF-16: places of attributes are not looked for
    int depth;    ///< of open elements
    int nnode;
    open_element open[LWI_XML_MAX_DEPTH];
    const char *recent[RECENT];
    lwi_arena name_arena;
    lwi_names names;
    const char **name; ///< [LWI_XML_MAX_NAMES] of which nname are known
    int nname;
    char *next, *end; ///< free room in the block of texts
    lw_status status;
    lw_report *report;
} parse;

// Where expat is, as it counts itself.
static lw_location place_now(parse *p)
{
    return (lw_location){p->cursor.file, (int)XML_GetCurrentLineNumber(p->expat),
                         (int)XML_GetCurrentColumnNumber(p->expat) + 1};
}

// Where the token is that expat reports; null where the text cannot be looked into.
static const char *token_now(const parse *p)
{
    const long long start = XML_GetCurrentByteIndex(p->expat);
    const long long length = XML_GetCurrentByteCount(p->expat);
    const bool is_there = !p->is_wide && start >= 0 && start + length <= (long long)p->cursor.size;
    return is_there ? p->cursor.text + start : NULL;
}

static void stop(parse *p, lw_status status)
{
    p->status = status;
    XML_StopParser(p->expat, XML_FALSE);
}

// Memory is short, unless something worse has been said already.
static void stop_short(parse *p)
{
    if (p->status == LW_OK) {
        stop(p, LW_ERR_MEMORY);
    }
}

// --- Texts ------------------------------------------------------------------------------------

// Capacity for `size` bytes, packed without gaps.
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

// A name that was not among those seen last.
static const char *find_name(parse *p, const char *name, size_t length)
{
    const int known = lwi_names_find(&p->names, name);
    if (known >= 0) {
        return p->name[known];
    }
    if (p->nname == LWI_XML_MAX_NAMES) {
        stop(p, lwi_report_error(p->report, place_now(p), LW_ERR_LIMIT,
                                 "more than %d different names of elements and attributes",
                                 LWI_XML_MAX_NAMES));
        return NULL;
    }
    const char *kept = keep_text(p, name, length);
    if (!kept || !lwi_names_add(&p->names, kept, p->nname)) {
        return NULL;
    }
    p->name[p->nname++] = kept;
    return kept;
}

// Each name is kept once; a small table of those seen last saves most searches.
static const char *keep_name(parse *p, const char *name)
{
    unsigned hash = 0;
    size_t length = 0;
    for (; name[length]; ++length) {
        hash = 31 * hash + (unsigned char)name[length];
    }
    const char **recent = &p->recent[hash % RECENT];
    if (!*recent || strcmp(*recent, name) != 0) {
        *recent = find_name(p, name, length);
    }
    return *recent;
}

// --- Elements and attributes ------------------------------------------------------------------

// Keeps a value, and after it, where they differ, the value as it stands in the file.
static bool keep_value(parse *p, const char *value, const lwi_xml_raw *raw, lwi_xml_attr *attr)
{
    const size_t length = strlen(value);
    const size_t raw_length = raw->is_changed ? (size_t)(raw->end - raw->at) : 0;
    char *copy = take_text(p, length + 1 + (raw->is_changed ? raw_length + 1 : 0));
    if (!copy) {
        return false;
    }
    memcpy(copy, value, length + 1);
    if (raw->is_changed) {
        memcpy(copy + length + 1, raw->at, raw_length);
        copy[length + 1 + raw_length] = '\0';
    }
    attr->value = copy;
    attr->has_raw = raw->is_changed;
    return true;
}

static bool add_attributes(parse *p, lwi_xml_node *node, const char **pair)
{
    enum { WIDEST = (1 << 30) - 1 };
    const char *token = token_now(p);
    const char *end = token ? token + XML_GetCurrentByteCount(p->expat) : NULL;
    node->attr = lwi_arena_take(&p->doc->arena, (size_t)node->nattr, sizeof *node->attr);
    if (!node->attr) {
        return false;
    }
    for (int i = 0; i < node->nattr; ++i) {
        lwi_xml_attr *attr = &node->attr[i];
        lwi_xml_raw raw = {0};
        lw_location at = node->at;
        if (token) {
            raw = lwi_xml_find_raw(token, end);
            at = lwi_xml_locate(&p->cursor, raw.at);
            token = raw.end < end ? raw.end + 1 : end;
        }
        attr->name = keep_name(p, pair[2 * i]);
        attr->line = at.line;
        attr->column = (unsigned)(at.column < WIDEST ? at.column : WIDEST) & WIDEST;
        if (!attr->name || !keep_value(p, pair[2 * i + 1], &raw, attr)) {
            return false;
        }
    }
    return true;
}

static bool is_within_limits(parse *p, int nattr, lw_location at)
{
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
    if (p->status != LW_OK) {
        return;
    }
    const int nattr = XML_GetSpecifiedAttributeCount(p->expat) / 2;
    const char *token = token_now(p);
    const lw_location at = token ? lwi_xml_locate(&p->cursor, token) : place_now(p);
    if (!is_within_limits(p, nattr, at)) {
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
    node->at = at;
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

// Only for what lwi_xml_prolog() does not see, as in UTF-16.
static void XMLCALL start_doctype(void *user, const char *name, const char *system,
                                  const char *public, int has_subset)
{
    (void)name;
    (void)system;
    (void)public;
    (void)has_subset;
    parse *p = user;
    stop(p, lwi_xml_refuse_doctype(place_now(p), p->report));
}

// --- Feeding ----------------------------------------------------------------------------------

static const char *plain_words(enum XML_Error code, bool has_begun)
{
    switch (code) {
    case XML_ERROR_SYNTAX:
        return "this is not XML";
    case XML_ERROR_INVALID_TOKEN:
        return has_begun ? "not well formed: a name, a quote or a bracket is amiss"
                         : "this is not XML";
    case XML_ERROR_UNCLOSED_TOKEN:
        return "this is not closed before the file ends";
    case XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
        return "nothing may follow the root element";
    default:
        return XML_ErrorString(code);
    }
}

// Whether a character in UTF-8 begins here, as RFC 3629 has it.
static bool is_utf8(const unsigned char *at, size_t left)
{
    const int more = at[0] < 0x80                    ? 0
                     : at[0] >= 0xc2 && at[0] < 0xe0 ? 1
                     : at[0] >= 0xe0 && at[0] < 0xf0 ? 2
                     : at[0] >= 0xf0 && at[0] < 0xf5 ? 3
                                                     : -1;
    if (more < 0 || (size_t)more >= left) {
        return false;
    }
    for (int i = 1; i <= more; ++i) {
        if ((at[i] & 0xc0) != 0x80) {
            return false;
        }
    }
    return !(at[0] == 0xe0 && at[1] < 0xa0) && !(at[0] == 0xed && at[1] >= 0xa0) &&
           !(at[0] == 0xf0 && at[1] < 0x90) && !(at[0] == 0xf4 && at[1] >= 0x90);
}

static lw_status report_expat(parse *p)
{
    const enum XML_Error code = XML_GetErrorCode(p->expat);
    const lw_location at = place_now(p);
    char clip[LWI_CLIP_SIZE];
    const unsigned char *bad = (const unsigned char *)token_now(p);
    const size_t left = bad ? p->cursor.size - (size_t)((const char *)bad - p->cursor.text) : 0;
    if ((code == XML_ERROR_INVALID_TOKEN || code == XML_ERROR_PARTIAL_CHAR) && left > 0 &&
        !is_utf8(bad, left)) {
        return lwi_report_error(
            p->report, at, LW_ERR_SYNTAX,
            "byte 0x%02X is not UTF-8: save the file as UTF-8; the other encodings "
            "that are read are ISO-8859-1 and UTF-16, where the XML declaration "
            "names them",
            (unsigned)bad[0]);
    }
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
    return lwi_report_error(p->report, at, LW_ERR_SYNTAX, "%s",
                            plain_words(code, p->doc->root != NULL || p->depth > 0));
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
static lw_status feed_blanked(parse *p, const lwi_xml_declaration *found)
{
    char blanked[LWI_XML_MAX_DECLARATION];
    const size_t size = (size_t)(found->end - found->at);
    for (size_t i = 0; i < size; ++i) {
        blanked[i] = is_blank(found->at[i]) ? found->at[i] : ' ';
    }
    const lw_status status = feed(p, p->cursor.text, (size_t)(found->at - p->cursor.text), false);
    return status == LW_OK ? feed(p, blanked, size, false) : status;
}

static lw_status feed_all(parse *p)
{
    lwi_xml_declaration found;
    lw_status status = lwi_xml_prolog(&p->cursor, &found, p->report);
    size_t fed = 0;
    if (status == LW_OK && found.is_late) {
        status = feed_blanked(p, &found);
        fed = (size_t)(found.end - p->cursor.text);
    } else if (found.at && !lwi_xml_has_known_encoding(&found)) {
        // Expat refuses encodings that it does not know. Most files that name one ("utf8", "ascii")
        // are UTF-8 nevertheless, and one that is not fails at its first foreign byte.
        XML_SetEncoding(p->expat, "UTF-8");
    }
    while (status == LW_OK) {
        const long long index = XML_GetCurrentByteIndex(p->expat);
        const size_t waiting = index < 0 ? 0 : fed - (size_t)index;
        if (waiting > LWI_XML_MAX_TOKEN) {
            return lwi_report_error(p->report, place_now(p), LW_ERR_LIMIT,
                                    "a tag or comment of more than %d bytes", LWI_XML_MAX_TOKEN);
        }
        size_t piece = waiting > PIECE ? waiting : PIECE;
        piece = piece < p->cursor.size - fed ? piece : p->cursor.size - fed;
        const bool is_last = fed + piece == p->cursor.size;
        status = feed(p, p->cursor.text + fed, piece, is_last);
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
    p->cursor = lwi_xml_cursor_at(file, text, size);
    p->report = report;
    p->is_wide = size >= 2 && (!text[0] || !text[1] || (unsigned char)text[0] >= 0xfe);
    lwi_names_init(&p->names, &p->name_arena);
    p->name = lwi_arena_take(&p->name_arena, LWI_XML_MAX_NAMES, sizeof *p->name);
    p->doc = calloc(1, sizeof *p->doc);
    p->expat = XML_ParserCreate_MM(NULL, &memory, NULL);
    if (!p->doc || !p->expat || !p->name) {
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
    lwi_arena_free(&p->name_arena);
    free(p);
    return status;
}
