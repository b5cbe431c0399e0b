#include "report/rules_report.h"

#include <string.h>

static const char *kind_name(lw_rule_kind kind)
{
    static const char *const name[] = {"requirement", "usual", "completion"};
    return name[kind];
}

static const char *given(const char *text)
{
    return text ? text : "";
}

// --- The knowledge base -----------------------------------------------------------------------

// The lengths of a class with loops: "sizes base, arm; joints ...".
static json_t *sizes_json(output *out, const char *fields)
{
    json_t *sizes = output_array(out);
    const char *at = strncmp(fields, "sizes ", 6) == 0 ? fields + 6 : "";
    while (*at != '\0' && *at != ';') {
        const size_t n = strcspn(at, ",;");
        output_append(out, sizes, json_stringn(at, n));
        at += n + (at[n] == ',' ? 2 : 0);
    }
    return sizes;
}

static void list_json(output *out)
{
    json_t *classes = output_array(out), *rules = output_array(out);
    out->json = output_object(out);
    output_put(out, out->json, "classes o, rules o", classes, rules);
    for (int i = 0; i < lw_class_count(); ++i) {
        const lw_robot_class *c = lw_class_at(i);
        output_put(out, output_item(out, classes), "name s, letters s, about s, fields s, sizes o",
                   c->name, c->letters, c->about, c->fields, sizes_json(out, c->fields));
    }
    for (int i = 0; i < lw_rule_count(); ++i) {
        const lw_rule *r = lw_rule_at(i);
        output_put(out, output_item(out, rules),
                   "name s, kind s, classes s, each s, condition s, set s, to s, reason s, "
                   "remedy s",
                   r->name, kind_name(r->kind), r->classes, r->each, r->condition, given(r->set),
                   given(r->to), r->reason, r->remedy);
    }
}

static void list_kind(output *out, lw_rule_kind kind, const char *title)
{
    fprintf(out->text, "\n%s\n", title);
    for (int i = 0; i < lw_rule_count(); ++i) {
        const lw_rule *r = lw_rule_at(i);
        if (r->kind == kind) {
            fprintf(out->text, "  %s%s%s%s\n", r->name, *r->classes ? " (" : "", r->classes,
                    *r->classes ? ")" : "");
            fprintf(out->text, "      %s%s%s\n", r->condition, *r->each ? ", for each " : "",
                    r->each);
            if (kind == LW_RULE_COMPLETION) {
                fprintf(out->text, "      then %s = %s\n", r->set, r->to);
            }
            fprintf(out->text, "      %s\n", r->reason);
        }
    }
}

void rules_list(output *out)
{
    if (out->is_json) {
        list_json(out);
        return;
    }
    fputs("classes\n", out->text);
    for (int i = 0; i < lw_class_count(); ++i) {
        const lw_robot_class *c = lw_class_at(i);
        fprintf(out->text, "  %-14s %-7s %s\n", c->name, *c->letters ? c->letters : "-", c->about);
        if (*c->fields) {
            fprintf(out->text, "  %22s %s\n", "", c->fields);
        }
    }
    list_kind(out, LW_RULE_REQUIREMENT, "requirements: must hold");
    list_kind(out, LW_RULE_USUAL, "usual: a warning where they do not hold");
    list_kind(out, LW_RULE_COMPLETION, "completions: what is left out follows from what is given");
}

// --- A specification --------------------------------------------------------------------------

static void report_json(output *out, const lw_spec *spec)
{
    json_t *rules = output_array(out), *completions = output_array(out);
    output_put(out, out->json, "rules o, completions o", rules, completions);
    for (int i = 0; i < lw_spec_result_count(spec); ++i) {
        const lw_rule_result r = lw_spec_result(spec, i);
        json_t *fields = output_array(out);
        int count = 0;
        char **field = memory_split(out->pool, r.fields, ' ', &count);
        for (int k = 0; k < count && *r.fields; ++k) {
            output_append(out, fields, output_text(out, field[k]));
        }
        output_put(out, output_item(out, rules),
                   "name s, kind s, state s, index d, fields o, reason s, remedy s, overridden d, "
                   "file s, line d, column d",
                   r.rule->name, kind_name(r.rule->kind), lw_rule_state_name(r.state), r.index,
                   fields, r.rule->reason, r.rule->remedy, (int)r.is_overridden,
                   given(r.location.file), r.location.line, r.location.column);
    }
    for (int i = 0; i < lw_spec_count(spec); ++i) {
        const lw_spec_entry e = lw_spec_at(spec, i);
        if (e.rule) {
            output_put(out, output_item(out, completions), "field s, value s, rule s, reason s",
                       e.field, e.value, e.rule->name, e.rule->reason);
        }
    }
}

void rules_report(output *out, const lw_spec *spec)
{
    if (out->is_json) {
        report_json(out, spec);
        return;
    }
    int count[3] = {0, 0, 0};
    for (int i = 0; i < lw_spec_result_count(spec); ++i) {
        ++count[lw_spec_result(spec, i).state];
    }
    fprintf(out->text, "rules: %d hold, %d violated, %d undecided\n", count[LW_RULE_HOLDS],
            count[LW_RULE_VIOLATED], count[LW_RULE_UNDECIDED]);
    for (int i = 0; i < lw_spec_result_count(spec); ++i) {
        const lw_rule_result r = lw_spec_result(spec, i);
        if (r.state == LW_RULE_VIOLATED) {
            fprintf(out->text, "  %-10s %s: %s\n",
                    r.is_overridden                 ? "overridden"
                    : r.rule->kind == LW_RULE_USUAL ? "unusual"
                                                    : "violated",
                    r.rule->name, r.fields);
        }
    }
    fputs("completed\n", out->text);
    for (int i = 0; i < lw_spec_count(spec); ++i) {
        const lw_spec_entry e = lw_spec_at(spec, i);
        if (e.rule) {
            fprintf(out->text, "  %s = %s  (%s: %s)\n", e.field, e.value, e.rule->name,
                    e.rule->reason);
        }
    }
}
