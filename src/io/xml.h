// An XML file as a tree of elements with their places, read by expat.
//
// Nothing here recurses, neither in reading nor in freeing: all memory of a document is in one
// arena.
#ifndef LWI_XML_H
#define LWI_XML_H

#include <linkwork/base.h>

#include <stdbool.h>

/// Small, because a large model has millions of them; lwi_xml_attr_location() gives the whole
/// place.
typedef struct lwi_xml_attr {
    const char *name, *value;
    int line;             ///< of the value's first character
    unsigned column : 30; ///< likewise
    unsigned has_raw : 1; ///< the value as it stands in the file follows the zero of `value`
    unsigned is_used : 1;
} lwi_xml_attr;

typedef struct lwi_xml_node {
    const char *tag;
    const char *text; ///< character data directly inside, joined and trimmed; often empty
    lw_location at;   ///< of the '<'
    struct lwi_xml_node *parent, *first_child, *next; ///< next sibling
    lwi_xml_attr *attr;
    int nattr;
    short depth;  ///< 0 for the root
    bool is_used; ///< set by whoever understood the element
} lwi_xml_node;

typedef struct lwi_xml_doc lwi_xml_doc;

enum {
    LWI_XML_MAX_DEPTH = 256,     ///< nesting of elements; deeper is an error at its place
    LWI_XML_MAX_ATTR = 1000,     ///< attributes of one element
    LWI_XML_MAX_TOKEN = 1 << 20, ///< bytes of a tag, of a comment, or of the text of an element
    LWI_XML_MAX_NAMES = 20000,   ///< different names of elements and attributes
    LWI_XML_MAX_NODES = 4 * 1000 * 1000
};

/// Parses a text. DOCTYPE is refused at its place. `file` is kept by reference, `text` is not.
lw_status lwi_xml_parse(const char *file, const char *text, size_t size, lwi_xml_doc **doc,
                        lw_report *report);
void lwi_xml_destroy(lwi_xml_doc *doc);
lwi_xml_node *lwi_xml_root(lwi_xml_doc *doc);

/// The first child with this tag, or null; marks it as used. Likewise the next sibling of that tag.
lwi_xml_node *lwi_xml_child(lwi_xml_node *node, const char *tag);
lwi_xml_node *lwi_xml_next(lwi_xml_node *node, const char *tag);

/// Likewise the first child, but a second one of that tag is a warning that it is ignored.
lwi_xml_node *lwi_xml_only(lwi_xml_node *node, const char *tag, lw_report *report);

/// Marks an element and all below it as used, without a look at what they say.
void lwi_xml_skip(lwi_xml_node *node);

/// The place of the value's byte number `offset`.
lw_location lwi_xml_attr_location(const lwi_xml_node *node, const lwi_xml_attr *attr,
                                  size_t offset);

/// The same by the name of the attribute; the place of the element where it has none.
lw_location lwi_xml_location_in(lwi_xml_node *node, const char *attr, size_t offset);

/// The value of an attribute, or null; marks it as used, and tells its place where `at` is not
/// null.
const char *lwi_xml_value(lwi_xml_node *node, const char *attr, lw_location *at);

// Readers of one attribute. A missing one leaves *out as it is and is LW_OK unless `is_needed`.
// Each number must fill its token whole; a wrong count or a bad token is an error at that token.
lw_status lwi_xml_read_number(lwi_xml_node *node, const char *attr, bool is_needed, double *out,
                              lw_report *report);
lw_status lwi_xml_read_numbers(lwi_xml_node *node, const char *attr, bool is_needed, int count,
                               double *out, lw_report *report);
/// Any number of numbers up to `room`; *count tells how many.
lw_status lwi_xml_read_list(lwi_xml_node *node, const char *attr, bool is_needed, int room,
                            double *out, int *count, lw_report *report);
lw_status lwi_xml_read_bool(lwi_xml_node *node, const char *attr, bool *out, lw_report *report);
/// A non-empty text; an error where it is missing or empty.
lw_status lwi_xml_read_name(lwi_xml_node *node, const char *attr, const char **out,
                            lw_report *report);

/// Warns of every element and attribute below the root that nobody marked as used: once for each
/// name, at its first place, with how often it stands. `known` lists names that this format has
/// besides, for a "did you mean" (null-terminated, may be null).
void lwi_xml_report_unused(const lwi_xml_doc *doc, const char *const *known, lw_report *report);

/// A text for a message: cut where it is long, and with '?' for control characters.
enum { LWI_CLIP_SIZE = 200 };
const char *lwi_clip(const char *text, char room[LWI_CLIP_SIZE]);

#endif
