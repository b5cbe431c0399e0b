// Attributes of a run file that vary: run.ELEMENT.ATTRIBUTE, or run.ELEMENT[WHICH].ATTRIBUTE where
// several elements have it. WHICH is the joint, frame or name of one, or its number among them.

#include "plan_read.h"

#include "../base/number.h"
#include "../base/text.h"
#include "../io/xml_doc.h"

#include <string.h>

/// A name in parts, borrowed from it.
typedef struct wanted {
    const char *tag, *which, *attr; ///< which: NULL without
    size_t ntag, nwhich;
} wanted;

/// An attribute that has that name.
typedef struct found {
    lwi_xml_node *node;
    const lwi_xml_attr *attr;
    int count;
} found;

static bool is_text(const char *a, size_t n, const char *b)
{
    return strlen(b) == n && memcmp(a, b, n) == 0;
}

static bool take_apart(const char *name, wanted *out)
{
    const char *tag = name + strlen("run."), *dot = strrchr(tag, '.'), *open = strchr(tag, '[');
    if (!dot || dot == tag) {
        return false;
    }
    const bool has_which = open && open + 2 < dot && dot[-1] == ']';
    out->tag = tag;
    out->ntag = (size_t)((has_which ? open : dot) - tag);
    out->which = has_which ? open + 1 : NULL;
    out->nwhich = has_which ? (size_t)(dot - open) - 2 : 0;
    out->attr = dot + 1;
    return true;
}

/// What tells an element from others of its kind, or NULL.
static const char *label_of(lwi_xml_node *node)
{
    const char *label = lwi_xml_value(node, "joint", NULL);
    label = label ? label : lwi_xml_value(node, "frame", NULL);
    return label ? label : lwi_xml_value(node, "name", NULL);
}

static const lwi_xml_attr *attribute_of(const lwi_xml_node *node, const char *name)
{
    for (int i = 0; i < node->nattr; ++i) {
        if (strcmp(node->attr[i].name, name) == 0) {
            return &node->attr[i];
        }
    }
    return NULL;
}

static found find(lwi_xml_node *root, const wanted *x)
{
    found all = {0};
    int number = 0;
    for (lwi_xml_node *node = root; node; node = lwi_xml_following(node, false)) {
        const lwi_xml_attr *attr =
            is_text(x->tag, x->ntag, node->tag) ? attribute_of(node, x->attr) : NULL;
        const char *label = label_of(node);
        int which = 0;
        number += attr != NULL;
        if (attr && (!x->which || (label && is_text(x->which, x->nwhich, label)) ||
                     (lwi_parse_int(x->which, x->nwhich, &which) && which == number))) {
            all.node = all.count == 0 ? node : all.node;
            all.attr = all.count == 0 ? attr : all.attr;
            ++all.count;
        }
    }
    return all;
}

static const char *name_of(lwi_plan_reader *r, lwi_xml_node *node, const lwi_xml_attr *attr)
{
    const char *label = label_of(node);
    lwi_text text = {0};
    if (label) {
        lwi_text_format(&text, "run.%s[%s].%s", node->tag, label, attr->name);
    } else {
        lwi_text_format(&text, "run.%s.%s", node->tag, attr->name);
    }
    const char *name = text.at && !text.is_short ? lwi_plan_keep(r, text.at) : NULL;
    lwi_text_free(&text);
    return name;
}

/// Whether the value is one number.
static bool is_number(const lwi_xml_attr *attr)
{
    double value;
    return lwi_parse_double(attr->value, strlen(attr->value), &value);
}

static lw_status report_unknown(lwi_plan_reader *r, const lwi_input *input, lwi_xml_node *root)
{
    lw_nearest near;
    lw_nearest_init(&near, input->name);
    for (lwi_xml_node *node = root; node; node = lwi_xml_following(node, false)) {
        for (int i = 0; i < node->nattr; ++i) {
            const char *name = is_number(&node->attr[i]) ? name_of(r, node, &node->attr[i]) : NULL;
            if (name) {
                lw_nearest_offer(&near, name);
            }
        }
    }
    return lwi_plan_unknown(r, input->at, "attribute of the run file", input->name, &near);
}

/// Where a value stands in the text; `size` where it does not stand there as it is read.
static size_t offset_of(const char *text, size_t size, const lwi_xml_attr *attr)
{
    const size_t length = strlen(attr->value);
    size_t i = 0;
    for (int line = 1; line < attr->line && i < size; ++i) {
        line += text[i] == '\n';
    }
    for (int column = 1; column < (int)attr->column && i < size; ++column) {
        do {
            ++i;
        } while (i < size && ((unsigned char)text[i] & 0xc0) == 0x80);
    }
    return i + length <= size && memcmp(text + i, attr->value, length) == 0 ? i : size;
}

static lw_status locate(lwi_plan_reader *r, lwi_input *input, lwi_xml_node *root)
{
    lw_sweep *s = r->s;
    char room[LWI_CLIP_SIZE], more[LWI_CLIP_SIZE];
    wanted x;
    const found all = take_apart(input->name, &x) ? find(root, &x) : (found){0};
    if (all.count == 0) {
        return report_unknown(r, input, root);
    }
    if (all.count > 1) {
        const char *label = x.which ? NULL : label_of(all.node);
        return lwi_report_error(r->report, input->at, LW_ERR_NAME,
                                "the run file has \"%s\" %d times: say which, as \"run.%s[%s].%s\"",
                                lwi_clip(input->name, room), all.count, all.node->tag,
                                label ? lwi_clip(label, more) : "1", x.attr);
    }
    input->run_at = offset_of(s->run_text, s->run_size, all.attr);
    input->run_length = strlen(all.attr->value);
    if (!is_number(all.attr) || input->run_at == s->run_size) {
        return lwi_report_error(r->report, input->at, LW_ERR_MODEL,
                                "\"%s\" cannot vary: it is \"%s\" in the run file, not one number",
                                lwi_clip(input->name, room), lwi_clip(all.attr->value, more));
    }
    for (const lwi_input *other = s->input; other < input; ++other) {
        if (other->kind == LWI_INPUT_RUN && other->run_at == input->run_at) {
            return lwi_report_error(r->report, input->at, LW_ERR_NAME, "\"%s\" varies twice",
                                    lwi_clip(input->name, room));
        }
    }
    return LW_OK;
}

lw_status lwi_plan_find_attribute(lwi_plan_reader *r, lwi_input *input)
{
    char room[LWI_CLIP_SIZE];
    lwi_xml_doc *doc = NULL;
    if (!r->s->run_text) {
        return lwi_report_error(r->report, input->at, LW_ERR_MODEL,
                                "\"%s\" needs a run: <run file=\"FILE\"/>",
                                lwi_clip(input->name, room));
    }
    lw_status status =
        lwi_xml_parse(r->s->run_path, r->s->run_text, r->s->run_size, &doc, r->report);
    if (status == LW_OK) {
        status = locate(r, input, lwi_xml_root(doc));
    }
    lwi_xml_destroy(doc);
    return status;
}

bool lwi_run_fill_in(const lw_sweep *s, const double *value, lwi_text *out)
{
    size_t from = 0;
    for (;;) {
        const lwi_input *next = NULL; // the attribute that stands next in the text
        for (int i = 0; i < s->info.ninput; ++i) {
            const lwi_input *input = &s->input[i];
            if (input->kind == LWI_INPUT_RUN && input->run_at >= from &&
                (!next || input->run_at < next->run_at)) {
                next = input;
            }
        }
        if (!next) {
            lwi_text_add_bytes(out, s->run_text + from, s->run_size - from);
            return !out->is_short;
        }
        lwi_text_add_bytes(out, s->run_text + from, next->run_at - from);
        lwi_text_add_number(out, value[(next - s->input) * LWI_SWEEP_CHUNK]);
        from = next->run_at + next->run_length;
    }
}
