// What nobody read of a document.
#include "xml_doc.h"

#include "../base/name_table.h"
#include "../base/report.h"
#include "xml_text.h"

#include <stdio.h>
#include <string.h>

/// An element, or an attribute of elements of one tag, that nobody read.
typedef struct unused {
    const char *tag, *attr; ///< attr is null for an element
    lw_location at;         ///< of the first
    int count;
} unused;

typedef struct unused_list {
    lwi_arena arena;
    lwi_names names;
    lwi_text key;
    unused *entry;
    int count;
} unused_list;

enum { MOST_LISTED = 1000 }; // different names; as many warnings as a report keeps

// Best effort: if allocation fails, or too many names differ, some are not listed.
static void note(unused_list *list, const char *tag, const char *attr, lw_location at)
{
    lwi_text_clear(&list->key);
    lwi_text_add(&list->key, tag);
    if (attr) {
        lwi_text_add(&list->key, " ");
        lwi_text_add(&list->key, attr);
    }
    if (list->key.is_short) {
        return;
    }
    const int known = lwi_names_find(&list->names, list->key.at);
    if (known >= 0) {
        ++list->entry[known].count;
        return;
    }
    if (list->count == MOST_LISTED) {
        return;
    }
    const char *key = lwi_arena_text(&list->arena, list->key.at, list->key.used);
    if (key && lwi_names_add(&list->names, key, list->count)) {
        list->entry[list->count++] = (unused){tag, attr, at, 1};
    }
}

static void collect(const lwi_xml_doc *doc, unused_list *list)
{
    const lwi_xml_node *node = doc->root;
    while (node) {
        const bool is_unused = node != doc->root && !node->is_used;
        if (is_unused) {
            note(list, node->tag, NULL, node->at);
        }
        for (int i = 0; i < node->nattr && !is_unused; ++i) {
            const char *name = node->attr[i].name;
            if (!node->attr[i].is_used && strncmp(name, "xmlns", 5) != 0) {
                note(list, node->tag, name, lwi_xml_attr_location(node, &node->attr[i], 0));
            }
        }
        node = lwi_xml_following(node, is_unused);
    }
}

static const char *nearest_known(const char *name, const char *const *known)
{
    lw_nearest nearest;
    lw_nearest_init(&nearest, name);
    for (; known && *known; ++known) {
        lw_nearest_offer(&nearest, *known);
    }
    // The very name: it is right, but stands where it has no meaning.
    return nearest.best && strcmp(nearest.best, name) != 0 ? nearest.best : NULL;
}

static void report_one(const unused *entry, const char *const *known, lw_report *report)
{
    char tag[LWI_CLIP_SIZE], attr[LWI_CLIP_SIZE], times[40] = "";
    const char *meant = nearest_known(entry->attr ? entry->attr : entry->tag, known);
    lwi_clip(entry->tag, tag);
    lwi_clip(entry->attr ? entry->attr : "", attr);
    if (entry->count > 1) {
        snprintf(times, sizeof times, " (%d times)", entry->count);
    }
    const char *open = meant ? "; did you mean \"" : "", *close = meant ? "\"?" : "";
    if (entry->attr) {
        lwi_report_warning(report, entry->at, LW_DIAG_UNUSED_ATTRIBUTE,
                           "attribute \"%s\" of <%s> is not used%s%s%s%s", attr, tag, times, open,
                           meant ? meant : "", close);
    } else {
        lwi_report_warning(report, entry->at, LW_DIAG_UNUSED_ELEMENT, "<%s> is not used%s%s%s%s",
                           tag, times, open, meant ? meant : "", close);
    }
}

void lwi_xml_report_unused(const lwi_xml_doc *doc, const char *const *known, lw_report *report)
{
    unused_list list = {0};
    if (!report || !doc->root) {
        return;
    }
    lwi_names_init(&list.names, &list.arena);
    list.entry = lwi_arena_take(&list.arena, MOST_LISTED, sizeof *list.entry);
    if (list.entry) {
        collect(doc, &list);
    }
    for (int i = 0; i < list.count; ++i) {
        report_one(&list.entry[i], known, report);
    }
    lwi_text_free(&list.key);
    lwi_arena_free(&list.arena);
}
