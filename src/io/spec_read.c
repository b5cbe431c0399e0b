// Reading specifications and rules (linkwork/configure.h): elements and attributes are fields.

#include <linkwork/io.h>

#include "../base/report.h"
#include "file.h"
#include "xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 16 * 1024 * 1024, PATH_ROOM = 128 };

/// What an element stands for: the path of its attributes, with a number behind where it is
/// counted.
typedef struct element {
    const char *tag, *parent;
    const char *path;
    bool is_counted;
} element;

static const element elements[] = {
    {"specification", "", "", false},
    {"joint", "specification", "joint", true},
    {"drive", "joint", "drive", false}, // with the number of its joint
    {"link", "specification", "link", true},
    {"box", "link", "shape", true},
    {"cylinder", "link", "shape", true},
    {"sphere", "link", "shape", true},
    {"capsule", "link", "shape", true},
    {"size", "specification", "size.", false},
    {"tool", "specification", "tool.", false},
    {"controller", "specification", "controller.", false},
    {"symbol", "specification", "symbol.", false},
    {"override", "specification", "override.", false},
};

typedef struct reader {
    lw_spec *spec;
    lw_report *report;
    lw_status status; ///< the first failure
    int njoint, nlink, nshape;
} reader;

static void keep(reader *r, lw_status status)
{
    r->status = r->status == LW_OK ? status : r->status;
}

static const element *element_of(const lwi_xml_node *node)
{
    const char *parent = node->parent ? node->parent->tag : "";
    for (size_t i = 0; i < sizeof elements / sizeof *elements; ++i) {
        if (strcmp(elements[i].tag, node->tag) == 0 && strcmp(elements[i].parent, parent) == 0) {
            return &elements[i];
        }
    }
    return NULL;
}

static void refuse_element(reader *r, const lwi_xml_node *node)
{
    char room[LWI_CLIP_SIZE];
    lw_nearest nearest;
    lw_nearest_init(&nearest, node->tag);
    for (size_t i = 0; i < sizeof elements / sizeof *elements; ++i) {
        if (strcmp(elements[i].parent, node->parent->tag) == 0) {
            lw_nearest_offer(&nearest, elements[i].tag);
        }
    }
    keep(r, lwi_report_error(r->report, node->at, LW_ERR_NAME, "<%s> is not known in <%s>%s%s%s",
                             lwi_clip(node->tag, room), node->parent->tag,
                             nearest.best ? "; did you mean \"" : "",
                             nearest.best ? nearest.best : "", nearest.best ? "\"?" : ""));
}

// A name and a value instead of fields: <symbol name= value=>, <override rule= reason=>.
static void read_named(reader *r, lwi_xml_node *node, const char *path, const char *name_of,
                       const char *value_of)
{
    const char *name = NULL, *value = NULL;
    char field[PATH_ROOM];
    lw_location at = node->at;
    const lw_status one = lwi_xml_read_name(node, name_of, &name, r->report);
    const lw_status two = lwi_xml_read_name(node, value_of, &value, r->report);
    keep(r, one != LW_OK ? one : two);
    for (int i = 0; i < node->nattr; ++i) {
        if (strcmp(node->attr[i].name, name_of) != 0 && strcmp(node->attr[i].name, value_of) != 0) {
            char room[LWI_CLIP_SIZE];
            keep(r, lwi_report_error(r->report, lwi_xml_attr_location(node, &node->attr[i], 0),
                                     LW_ERR_NAME, "<%s> has no attribute \"%s\"", node->tag,
                                     lwi_clip(node->attr[i].name, room)));
        }
    }
    if (one != LW_OK || two != LW_OK) {
        return;
    }
    snprintf(field, sizeof field, "%s%.100s", path, name);
    const char *before = lw_spec_get(r->spec, field);
    lwi_xml_value(node, value_of, &at);
    if (before && strcmp(before, value) != 0) {
        keep(r, lwi_report_error(r->report, at, LW_ERR_NAME,
                                 "%s \"%.60s\" has two meanings: %.40s here, and %.40s before",
                                 node->tag, name, value, before));
        return;
    }
    keep(r, lw_spec_set(r->spec, field, value, at, r->report));
}

static void path_of(reader *r, const element *e, char path[PATH_ROOM])
{
    if (strcmp(e->path, "joint") == 0) {
        snprintf(path, PATH_ROOM, "joint%d.", ++r->njoint);
    } else if (strcmp(e->path, "drive") == 0) {
        snprintf(path, PATH_ROOM, "drive%d.", r->njoint);
    } else if (strcmp(e->path, "link") == 0) {
        r->nshape = 0;
        snprintf(path, PATH_ROOM, "link%d.", ++r->nlink);
    } else if (strcmp(e->path, "shape") == 0) {
        snprintf(path, PATH_ROOM, "link%d.shape%d.", r->nlink, ++r->nshape);
    } else {
        snprintf(path, PATH_ROOM, "%s", e->path);
    }
}

static void read_element(reader *r, lwi_xml_node *node, const element *e)
{
    char path[PATH_ROOM], field[2 * PATH_ROOM];
    if (strcmp(e->tag, "symbol") == 0) {
        read_named(r, node, e->path, "name", "value");
        return;
    }
    if (strcmp(e->tag, "override") == 0) {
        read_named(r, node, e->path, "rule", "reason");
        return;
    }
    path_of(r, e, path);
    if (strcmp(e->path, "shape") == 0) {
        snprintf(field, sizeof field, "%stype", path);
        keep(r, lw_spec_set(r->spec, field, node->tag, node->at, r->report));
    }
    for (int i = 0; i < node->nattr; ++i) {
        const lwi_xml_attr *attr = &node->attr[i];
        const bool is_version = !*e->parent && strcmp(attr->name, "version") == 0;
        if (!is_version && strncmp(attr->name, "xml", 3) != 0) {
            snprintf(field, sizeof field, "%s%.100s", path, attr->name);
            keep(r, lw_spec_set(r->spec, field, attr->value, lwi_xml_attr_location(node, attr, 0),
                                r->report));
        }
    }
    if (node->nattr == 0 && strcmp(e->path, "joint") == 0) { // as usual, but it counts
        snprintf(field, sizeof field, "%sname", path);
        char name[32];
        snprintf(name, sizeof name, "joint%d", r->njoint);
        keep(r, lw_spec_set(r->spec, field, name, node->at, r->report));
    }
}

static lw_status check_root(lwi_xml_node *root, const char *tag, lw_report *report)
{
    double version = 0.0;
    if (strcmp(root->tag, tag) != 0) {
        char room[LWI_CLIP_SIZE];
        return lwi_report_error(report, root->at, LW_ERR_SYNTAX,
                                "the file begins with <%s>, not <%s>", tag,
                                lwi_clip(root->tag, room));
    }
    const lw_status status = lwi_xml_read_number(root, "version", true, &version, report);
    return status == LW_OK && version != 1.0
               ? lwi_report_error(report, root->at, LW_ERR_SYNTAX,
                                  "version %g is not known; there is 1", version)
               : status;
}

static lwi_xml_node *following(lwi_xml_node *node, bool with_children)
{
    if (with_children && node->first_child) {
        return node->first_child;
    }
    while (node && !node->next) {
        node = node->parent;
    }
    return node ? node->next : NULL;
}

static void read_fields(reader *r, lwi_xml_node *root)
{
    for (lwi_xml_node *node = root; node;) {
        const element *e = element_of(node);
        if (e) {
            read_element(r, node, e);
            if (*node->text) {
                char room[LWI_CLIP_SIZE];
                keep(r, lwi_report_error(r->report, node->at, LW_ERR_SYNTAX,
                                         "text \"%s\" in <%s>: values belong in attributes here",
                                         lwi_clip(node->text, room), node->tag));
            }
        } else {
            refuse_element(r, node);
        }
        node = following(node, e != NULL);
    }
}

lw_status lw_spec_load_text(const char *name, const char *text, size_t size, lw_spec **spec,
                            lw_report *report)
{
    if (spec) {
        *spec = NULL;
    }
    if (!name || !text || !spec) {
        return LW_ERR_ARGUMENT;
    }
    lwi_xml_doc *doc = NULL;
    reader r = {.report = report};
    lw_status status = lwi_xml_parse(name, text, size, &doc, report);
    if (status == LW_OK) {
        status = check_root(lwi_xml_root(doc), "specification", report);
    }
    if (status == LW_OK) {
        status = lw_spec_create(&r.spec);
    }
    if (status == LW_OK) {
        read_fields(&r, lwi_xml_root(doc));
        status = r.status;
    }
    if (status == LW_OK) {
        *spec = r.spec;
    } else {
        lw_spec_destroy(r.spec);
    }
    lwi_xml_destroy(doc);
    return status;
}

lw_status lw_spec_load(const char *path, lw_spec **spec, lw_report *report)
{
    if (!path || !spec) {
        return LW_ERR_ARGUMENT;
    }
    char *text = NULL;
    size_t size = 0;
    *spec = NULL;
    const lw_location at = {.file = path};
    lw_status status = lwi_read_file(path, FILE_LIMIT, at, &text, &size, report);
    if (status == LW_OK) {
        status = lw_spec_load_text(path, text, size, spec, report);
    }
    free(text);
    return status;
}

// --- Rules ------------------------------------------------------------------------------------

static lw_status check_attributes(const lwi_xml_node *node, bool is_completion, lw_report *report)
{
    static const char *const rule[] = {"name",      "class",  "each",   "kind",
                                       "condition", "reason", "remedy", NULL};
    static const char *const completion[] = {"name", "class", "each",   "when",
                                             "set",  "to",    "reason", NULL};
    const char *const *known = is_completion ? completion : rule;
    for (int i = 0; i < node->nattr; ++i) {
        lw_nearest nearest;
        lw_nearest_init(&nearest, node->attr[i].name);
        int k = 0;
        for (; known[k] && strcmp(known[k], node->attr[i].name) != 0; ++k) {
            lw_nearest_offer(&nearest, known[k]);
        }
        if (!known[k]) {
            char room[LWI_CLIP_SIZE];
            return lwi_report_error(report, lwi_xml_attr_location(node, &node->attr[i], 0),
                                    LW_ERR_NAME, "<%s> has no attribute \"%s\"%s%s%s", node->tag,
                                    lwi_clip(node->attr[i].name, room),
                                    nearest.best ? "; did you mean \"" : "",
                                    nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
        }
    }
    return LW_OK;
}

static lw_status read_rule(lw_spec *spec, lwi_xml_node *node, lw_report *report)
{
    const bool is_completion = strcmp(node->tag, "completion") == 0;
    const char *condition = is_completion ? "when" : "condition";
    lw_rule rule = {.kind = is_completion ? LW_RULE_COMPLETION : LW_RULE_REQUIREMENT};
    lw_location at = node->at;
    if (!is_completion && strcmp(node->tag, "rule") != 0) {
        char room[LWI_CLIP_SIZE];
        return lwi_report_error(report, at, LW_ERR_NAME,
                                "<%s> is not known in <rules>: there are <rule> and <completion>",
                                lwi_clip(node->tag, room));
    }
    lw_status status = check_attributes(node, is_completion, report);
    const char **const needed[] = {&rule.name, &rule.condition, &rule.reason, &rule.set, &rule.to};
    const char *const name[] = {"name", condition, "reason", "set", "to"};
    for (int i = 0; i < (is_completion ? 5 : 3); ++i) {
        const lw_status one = lwi_xml_read_name(node, name[i], needed[i], report);
        status = status != LW_OK ? status : one;
    }
    rule.classes = lwi_xml_value(node, "class", NULL);
    rule.each = lwi_xml_value(node, "each", NULL);
    rule.remedy = lwi_xml_value(node, "remedy", NULL);
    lw_location kind_at = at;
    const char *kind = lwi_xml_value(node, "kind", &kind_at);
    if (kind && strcmp(kind, "usual") == 0) {
        rule.kind = LW_RULE_USUAL;
    } else if (kind && strcmp(kind, "requirement") != 0) {
        char room[LWI_CLIP_SIZE];
        status =
            lwi_report_error(report, kind_at, LW_ERR_SYNTAX,
                             "kind=\"%s\" is none of requirement, usual", lwi_clip(kind, room));
    }
    lwi_xml_value(node, condition, &at);
    return status == LW_OK ? lw_spec_add_rule(spec, &rule, at, report) : status;
}

lw_status lw_rules_load_text(lw_spec *spec, const char *name, const char *text, size_t size,
                             lw_report *report)
{
    if (!spec || !name || !text) {
        return LW_ERR_ARGUMENT;
    }
    lwi_xml_doc *doc = NULL;
    lw_status status = lwi_xml_parse(name, text, size, &doc, report);
    if (status == LW_OK) {
        status = check_root(lwi_xml_root(doc), "rules", report);
    }
    for (lwi_xml_node *node = status == LW_OK ? lwi_xml_root(doc)->first_child : NULL; node;
         node = node->next) {
        const lw_status one = read_rule(spec, node, report);
        status = status != LW_OK ? status : one;
    }
    lwi_xml_destroy(doc);
    return status;
}

lw_status lw_rules_load(lw_spec *spec, const char *path, lw_report *report)
{
    if (!spec || !path) {
        return LW_ERR_ARGUMENT;
    }
    char *text = NULL;
    size_t size = 0;
    const lw_location at = {.file = path};
    lw_status status = lwi_read_file(path, FILE_LIMIT, at, &text, &size, report);
    if (status == LW_OK) {
        status = lw_rules_load_text(spec, path, text, size, report);
    }
    free(text);
    return status;
}
