// Elements and attributes of a parsed document.
#include "xml_doc.h"

#include "../base/name_table.h"
#include "../base/number.h"
#include "../base/report.h"

#include <stdlib.h>
#include <string.h>

void lwi_xml_destroy(lwi_xml_doc *doc)
{
    if (doc) {
        lwi_arena_free(&doc->arena);
        free(doc);
    }
}

lwi_xml_node *lwi_xml_root(lwi_xml_doc *doc)
{
    return doc->root;
}

static lwi_xml_node *first_of(lwi_xml_node *node, const char *tag)
{
    while (node && (node->tag[0] != tag[0] || strcmp(node->tag, tag) != 0)) {
        node = node->next;
    }
    if (node) {
        node->is_used = true;
    }
    return node;
}

lwi_xml_node *lwi_xml_child(lwi_xml_node *node, const char *tag)
{
    return first_of(node->first_child, tag);
}

lwi_xml_node *lwi_xml_next(lwi_xml_node *node, const char *tag)
{
    return first_of(node->next, tag);
}

lwi_xml_node *lwi_xml_only(lwi_xml_node *node, const char *tag, lw_report *report)
{
    lwi_xml_node *only = lwi_xml_child(node, tag);
    lwi_xml_node *second = only ? lwi_xml_next(only, tag) : NULL;
    if (second) {
        lwi_report_warning(report, second->at, LW_DIAG_REPEATED_ELEMENT,
                           "a second <%s> in this <%s> is ignored; the first is at %d:%d", tag,
                           node->tag, only->at.line, only->at.column);
    }
    for (; second; second = lwi_xml_next(second, tag)) {
        lwi_xml_skip(second);
    }
    return only;
}

lwi_xml_node *lwi_xml_following(const lwi_xml_node *node, bool is_over)
{
    if (node->first_child && !is_over) {
        return node->first_child;
    }
    while (node && !node->next) {
        node = node->parent;
    }
    return node ? node->next : NULL;
}

void lwi_xml_skip(lwi_xml_node *node)
{
    const int depth = node->depth;
    do {
        node->is_used = true;
        for (int i = 0; i < node->nattr; ++i) {
            node->attr[i].is_used = true;
        }
        node = lwi_xml_following(node, false);
    } while (node && node->depth > depth);
}

// --- Places within values ---------------------------------------------------------------------

static bool is_inside_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

// How many bytes of the file stand for the character of the value at this point: an entity, a line
// end, or the character itself.
static size_t raw_length(const char *raw)
{
    if (raw[0] == '&') {
        return strcspn(raw, ";") + 1;
    }
    if (raw[0] == '\r' && raw[1] == '\n') {
        return 2;
    }
    size_t length = 1;
    while (is_inside_character(raw[length])) {
        ++length;
    }
    return length;
}

lw_location lwi_xml_attr_location(const lwi_xml_node *node, const lwi_xml_attr *attr, size_t offset)
{
    lw_location at = {node->at.file, attr->line, (int)attr->column};
    const char *raw = attr->has_raw ? attr->value + strlen(attr->value) + 1 : attr->value;
    for (size_t i = 0; i < offset && attr->value[i] && *raw;) {
        const size_t length = raw_length(raw);
        if (raw[0] == '\n' || raw[0] == '\r') {
            ++at.line;
            at.column = 1;
        } else {
            at.column += raw[0] == '&' && attr->has_raw ? (int)length : 1;
        }
        // A value that is not kept as it stood in the file has its own text as `raw`, where '&' is
        // only a letter.
        raw += raw[0] == '&' && !attr->has_raw ? 1 : length;
        do {
            ++i;
        } while (is_inside_character(attr->value[i]));
    }
    return at;
}

// --- Attributes -------------------------------------------------------------------------------

static lwi_xml_attr *find_attr(lwi_xml_node *node, const char *name)
{
    for (int i = 0; i < node->nattr; ++i) {
        if (node->attr[i].name[0] == name[0] && strcmp(node->attr[i].name, name) == 0) {
            node->attr[i].is_used = true;
            return &node->attr[i];
        }
    }
    return NULL;
}

lw_location lwi_xml_location_in(lwi_xml_node *node, const char *attr, size_t offset)
{
    const lwi_xml_attr *found = find_attr(node, attr);
    return found ? lwi_xml_attr_location(node, found, offset) : node->at;
}

const char *lwi_xml_value(lwi_xml_node *node, const char *attr, lw_location *at)
{
    const lwi_xml_attr *found = find_attr(node, attr);
    if (found && at) {
        *at = lwi_xml_attr_location(node, found, 0);
    }
    return found ? found->value : NULL;
}

static lw_status report_not_found(const lwi_xml_node *node, const char *attr, lw_report *report)
{
    char clip[LWI_CLIP_SIZE];
    return lwi_report_error(report, node->at, LW_ERR_MODEL, "<%s> needs the attribute \"%s\"",
                            lwi_clip(node->tag, clip), attr);
}

/// A word of a value.
typedef struct token {
    const char *at;
    size_t length;
} token;

static token next_token(const char **rest)
{
    const char *at = *rest;
    while (is_blank(*at)) {
        ++at;
    }
    token found = {at, 0};
    while (at[found.length] && !is_blank(at[found.length])) {
        ++found.length;
    }
    *rest = at + found.length;
    return found;
}

// A number but for its size: with the last digit of its exponent dropped it is one.
static bool is_too_large(const token *word)
{
    double value;
    const char last = word->at[word->length - 1];
    return last >= '0' && last <= '9' && strcspn(word->at, "eE") < word->length &&
           lwi_parse_double(word->at, word->length - 1, &value);
}

// Why a word is not a number, for the three ways in which files go wrong most often.
static const char *explain(const token *word)
{
    static const char *const names[] = {"nan",  "inf",  "infinity", "NaN", "Inf",
                                        "-nan", "-inf", "NAN",      "INF", "-Inf"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (strlen(names[i]) == word->length && memcmp(names[i], word->at, word->length) == 0) {
            return " that is finite";
        }
    }
    if (memchr(word->at, ',', word->length)) {
        return "; the decimal mark is a point, and blanks part numbers";
    }
    if (is_too_large(word)) {
        return " that a double can hold";
    }
    return "";
}

static lw_status report_token(const lwi_xml_node *node, const lwi_xml_attr *attr, token word,
                              lw_report *report)
{
    char copy[2 * LWI_CLIP_SIZE], clip[LWI_CLIP_SIZE];
    const size_t length = word.length < sizeof copy ? word.length : sizeof copy - 1;
    memcpy(copy, word.at, length);
    copy[length] = '\0';
    const lw_location at = lwi_xml_attr_location(node, attr, (size_t)(word.at - attr->value));
    return lwi_report_error(report, at, LW_ERR_SYNTAX, "%s: \"%s\" is not a number%s", attr->name,
                            lwi_clip(copy, clip), explain(&word));
}

// Reads up to `room` numbers and counts them all; an error at the first word that is none.
static lw_status read_words(const lwi_xml_node *node, const lwi_xml_attr *attr, int room,
                            double *out, int *count, const char **surplus, lw_report *report)
{
    const char *rest = attr->value;
    *count = 0;
    *surplus = NULL;
    for (;;) {
        const token word = next_token(&rest);
        double value;
        if (word.length == 0) {
            return LW_OK;
        }
        if (!lwi_parse_double(word.at, word.length, &value)) {
            return report_token(node, attr, word, report);
        }
        if (*count == room) {
            *surplus = word.at;
            return LW_OK;
        }
        out[(*count)++] = value;
    }
}

static lw_status read_some(lwi_xml_node *node, const char *name, bool is_needed, int least,
                           int most, double *out, int *count, lw_report *report)
{
    enum { SMALL = 16 };
    double small[SMALL];
    char clip[LWI_CLIP_SIZE];
    *count = 0;
    const lwi_xml_attr *attr = find_attr(node, name);
    if (!attr) {
        return is_needed ? report_not_found(node, name, report) : LW_OK;
    }
    // Where something is wrong, *out stays as it was; long lists need not keep that promise.
    double *to = most <= SMALL ? small : out;
    const char *surplus;
    const lw_status status = read_words(node, attr, most, to, count, &surplus, report);
    if (status != LW_OK) {
        return status;
    }
    if (surplus) {
        const lw_location at = lwi_xml_attr_location(node, attr, (size_t)(surplus - attr->value));
        return lwi_report_error(report, at, LW_ERR_SYNTAX, "%s=\"%s\" has more than %d number%s",
                                name, lwi_clip(attr->value, clip), most, most == 1 ? "" : "s");
    }
    if (*count < least) {
        return lwi_report_error(report, lwi_xml_attr_location(node, attr, 0), LW_ERR_SYNTAX,
                                "%s=\"%s\" has %d number%s, needs %d", name,
                                lwi_clip(attr->value, clip), *count, *count == 1 ? "" : "s", least);
    }
    if (to == small) {
        memcpy(out, small, (size_t)*count * sizeof *out);
    }
    return LW_OK;
}

lw_status lwi_xml_read_number(lwi_xml_node *node, const char *attr, bool is_needed, double *out,
                              lw_report *report)
{
    int count;
    return read_some(node, attr, is_needed, 1, 1, out, &count, report);
}

lw_status lwi_xml_read_numbers(lwi_xml_node *node, const char *attr, bool is_needed, int count,
                               double *out, lw_report *report)
{
    int found;
    return read_some(node, attr, is_needed, count, count, out, &found, report);
}

lw_status lwi_xml_read_list(lwi_xml_node *node, const char *attr, bool is_needed, int room,
                            double *out, int *count, lw_report *report)
{
    return read_some(node, attr, is_needed, 0, room, out, count, report);
}

lw_status lwi_xml_read_bool(lwi_xml_node *node, const char *attr, bool *out, lw_report *report)
{
    lw_location at;
    char clip[LWI_CLIP_SIZE];
    const char *value = lwi_xml_value(node, attr, &at);
    if (!value) {
        return LW_OK;
    }
    const bool is_true = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
    if (!is_true && strcmp(value, "false") != 0 && strcmp(value, "0") != 0) {
        return lwi_report_error(report, at, LW_ERR_SYNTAX,
                                "%s=\"%s\" is neither \"true\" nor \"false\"", attr,
                                lwi_clip(value, clip));
    }
    *out = is_true;
    return LW_OK;
}

lw_status lwi_xml_read_name(lwi_xml_node *node, const char *attr, const char **out,
                            lw_report *report)
{
    lw_location at;
    const char *value = lwi_xml_value(node, attr, &at);
    if (!value) {
        return report_not_found(node, attr, report);
    }
    if (!*value) {
        return lwi_report_error(report, at, LW_ERR_NAME, "%s is empty", attr);
    }
    if (strnlen(value, LWI_NAME_LIMIT + 1) > LWI_NAME_LIMIT) {
        return lwi_report_error(report, at, LW_ERR_LIMIT, "%s is longer than %d bytes", attr,
                                LWI_NAME_LIMIT);
    }
    *out = value;
    return LW_OK;
}

const char *lwi_clip(const char *text, char room[LWI_CLIP_SIZE])
{
    static const char dots[] = "...";
    size_t length = strnlen(text, LWI_CLIP_SIZE);
    const bool is_cut = length == LWI_CLIP_SIZE;
    if (is_cut) {
        length = LWI_CLIP_SIZE - sizeof dots;
        while (length > 0 && is_inside_character(text[length])) {
            --length;
        }
    }
    for (size_t i = 0; i < length; ++i) {
        room[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
    }
    memcpy(room + length, is_cut ? dots : "", is_cut ? sizeof dots : 1);
    return room;
}
