// A parsed document, for the files that read and walk it.
#ifndef LWI_XML_DOC_H
#define LWI_XML_DOC_H

#include "../base/arena.h"
#include "xml.h"

struct lwi_xml_doc {
    lwi_arena arena; ///< everything below, the texts too
    lwi_xml_node *root;
};

/// White space as XML knows it.
static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// The element that follows in document order, or null at the end; its children come first unless
/// `is_over` says to pass over them.
lwi_xml_node *lwi_xml_following(const lwi_xml_node *node, bool is_over);

#endif
