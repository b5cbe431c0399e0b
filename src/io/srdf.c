// Pairs of links that are not checked for collisions, and named configurations, as SRDF has them.
#include <linkwork/io.h>

#include "../base/arena.h"
#include "../base/name_table.h"
#include "../base/report.h"
#include "file.h"
#include "xml.h"
#include "xml_text.h"

#include <stdlib.h>
#include <string.h>

/// What lw_srdf points into.
typedef struct srdf_block {
    lw_srdf srdf;
    lwi_arena arena;
} srdf_block;

static const char *kept(srdf_block *block, const char *text)
{
    return lwi_arena_text(&block->arena, text ? text : "", text ? strlen(text) : 0);
}

// A pair that does not name two links disables nothing, and says so; the others still do.
static const char *read_link(lwi_xml_node *node, const char *attr, lw_report *report)
{
    lw_location at = node->at;
    const char *name = lwi_xml_value(node, attr, &at);
    const size_t length = name ? strnlen(name, LWI_NAME_LIMIT + 1) : 0;
    if (length == 0 || length > LWI_NAME_LIMIT) {
        lwi_report_warning(report, name ? at : node->at, LW_DIAG_UNUSED_ELEMENT,
                           "<%s> is not used: %s %s; it is the name of a link", node->tag, attr,
                           !name         ? "is missing"
                           : length == 0 ? "is empty"
                                         : "is too long");
        return NULL;
    }
    return name;
}

static lw_status take_pair(srdf_block *block, lwi_xml_node *node, const char *file,
                           lw_disabled_pair *pair, lw_report *report)
{
    const char *first = read_link(node, "link1", report),
               *second = read_link(node, "link2", report);
    const char *reason = lwi_xml_value(node, "reason", NULL);
    if (!first || !second) {
        return LW_OK;
    }
    pair->link[0] = kept(block, first);
    pair->link[1] = kept(block, second);
    pair->reason = kept(block, reason);
    pair->location = (lw_location){file, node->at.line, node->at.column};
    ++block->srdf.npair;
    return pair->link[0] && pair->link[1] && pair->reason ? LW_OK : LW_ERR_MEMORY;
}

static size_t count_children(lwi_xml_node *node, const char *tag)
{
    size_t count = 0;
    for (lwi_xml_node *child = lwi_xml_child(node, tag); child; child = lwi_xml_next(child, tag)) {
        ++count;
    }
    return count;
}

// A joint with several positions, or none, is not used; the others of its state are.
static lw_status take_state(srdf_block *block, lwi_xml_node *node, const char *file,
                            lw_group_state *state, lw_report *report)
{
    const size_t most = count_children(node, "joint");
    const char **joint = lwi_arena_take(&block->arena, most + 1, sizeof *joint);
    double *position = lwi_arena_take(&block->arena, most + 1, sizeof *position);
    const char *name = NULL;
    lw_status status = joint && position ? LW_OK : LW_ERR_MEMORY;
    status = status == LW_OK ? lwi_xml_read_name(node, "name", &name, report) : status;
    for (lwi_xml_node *child = lwi_xml_child(node, "joint"); child && status == LW_OK;
         child = lwi_xml_next(child, "joint")) {
        double value[7];
        int count = 0;
        const char *who = NULL;
        status = lwi_xml_read_name(child, "name", &who, report);
        if (status == LW_OK) {
            status = lwi_xml_read_list(child, "value", true, 7, value, &count, report);
        }
        if (status == LW_OK && count != 1) {
            lwi_report_warning(report, child->at, LW_DIAG_UNUSED_ELEMENT,
                               "<joint> is not used: it has %d positions, not one", count);
        } else if (status == LW_OK) {
            joint[state->njoint] = kept(block, who);
            position[state->njoint] = value[0];
            status = joint[state->njoint++] ? LW_OK : LW_ERR_MEMORY;
        }
    }
    state->name = kept(block, name);
    state->group = kept(block, lwi_xml_value(node, "group", NULL));
    state->joint = joint;
    state->position = position;
    state->location = (lw_location){file, node->at.line, node->at.column};
    return status == LW_OK && !(state->name && state->group) ? LW_ERR_MEMORY : status;
}

static lw_status take_states(srdf_block *block, lwi_xml_node *root, const char *file,
                             lw_report *report)
{
    static const char tag[] = "group_state";
    lw_group_state *state =
        lwi_arena_take(&block->arena, count_children(root, tag) + 1, sizeof *state);
    lw_status status = state ? LW_OK : LW_ERR_MEMORY;
    block->srdf.state = state;
    for (lwi_xml_node *node = lwi_xml_child(root, tag); node && status == LW_OK;
         node = lwi_xml_next(node, tag)) {
        state[block->srdf.nstate] = (lw_group_state){0};
        status = take_state(block, node, file, &state[block->srdf.nstate++], report);
    }
    return status;
}

static lw_status take_pairs(srdf_block *block, lwi_xml_node *root, const char *path,
                            lw_report *report)
{
    static const char tag[] = "disable_collisions";
    if (strcmp(root->tag, "robot") != 0) {
        char clip[LWI_CLIP_SIZE];
        return lwi_report_error(report, root->at, LW_ERR_SYNTAX,
                                "the root element is <%s>, not <robot>: this is no SRDF file",
                                lwi_clip(root->tag, clip));
    }
    lw_disabled_pair *pair =
        lwi_arena_take(&block->arena, count_children(root, tag) + 1, sizeof *pair);
    const char *file = kept(block, path);
    block->srdf.robot = kept(block, lwi_xml_value(root, "name", NULL));
    block->srdf.pair = pair;
    lw_status status = pair && file && block->srdf.robot ? LW_OK : LW_ERR_MEMORY;
    for (lwi_xml_node *node = lwi_xml_child(root, tag); node && status == LW_OK;
         node = lwi_xml_next(node, tag)) {
        status = take_pair(block, node, file, &pair[block->srdf.npair], report);
    }
    return status == LW_OK ? take_states(block, root, file, report) : status;
}

lw_status lw_srdf_load(const char *path, lw_srdf **srdf, lw_report *report)
{
    if (!srdf) {
        return LW_ERR_ARGUMENT;
    }
    *srdf = NULL;
    if (!path) {
        return LW_ERR_ARGUMENT;
    }
    char *text = NULL;
    size_t size = 0;
    lwi_xml_doc *doc = NULL;
    const lw_location nowhere = {NULL, 0, 0};
    srdf_block *block = calloc(1, sizeof *block);
    lw_status status =
        block ? lwi_read_file(path, LWI_MODEL_FILE_LIMIT, nowhere, &text, &size, report)
              : LW_ERR_MEMORY;
    status = status == LW_OK ? lwi_xml_parse(path, text, size, &doc, report) : status;
    status = status == LW_OK ? take_pairs(block, lwi_xml_root(doc), path, report) : status;
    if (status == LW_OK) {
        lwi_xml_report_unused(doc, NULL, report);
        *srdf = &block->srdf;
    } else if (block) {
        lw_srdf_destroy(&block->srdf);
    }
    lwi_xml_destroy(doc);
    free(text);
    return status;
}

void lw_srdf_destroy(lw_srdf *srdf)
{
    if (srdf) {
        srdf_block *block = (srdf_block *)srdf; // its first member
        lwi_arena_free(&block->arena);
        free(block);
    }
}

lw_status lw_srdf_save_text(const lw_srdf *srdf, char **text, size_t *size)
{
    if (!srdf || !text || !size || srdf->npair < 0 || (srdf->npair > 0 && !srdf->pair)) {
        return LW_ERR_ARGUMENT;
    }
    lwi_text out = {0};
    lwi_text_add(&out, "<?xml version=\"1.0\"?>\n<robot");
    lwi_text_add_attr(&out, "name", srdf->robot ? srdf->robot : "");
    lwi_text_add(&out, ">\n");
    for (int i = 0; i < srdf->npair; ++i) {
        const lw_disabled_pair *pair = &srdf->pair[i];
        lwi_text_add(&out, "  <disable_collisions");
        lwi_text_add_attr(&out, "link1", pair->link[0]);
        lwi_text_add_attr(&out, "link2", pair->link[1]);
        lwi_text_add_attr(&out, "reason", pair->reason ? pair->reason : "");
        lwi_text_add(&out, "/>\n");
    }
    lwi_text_add(&out, "</robot>\n");
    *text = NULL;
    if (out.is_short) {
        lwi_text_free(&out);
        return LW_ERR_MEMORY;
    }
    *text = out.at; // lw_text_free() frees it
    *size = out.used;
    return LW_OK;
}

lw_status lw_srdf_save(const lw_srdf *srdf, const char *path, lw_report *report)
{
    char *text = NULL;
    size_t size = 0;
    lw_status status = path ? lw_srdf_save_text(srdf, &text, &size) : LW_ERR_ARGUMENT;
    status = status == LW_OK ? lwi_write_file(path, text, size, report) : status;
    lw_text_free(text);
    return status;
}
