// Completions first, until nothing more follows; then every rule.

#include "spec.h"

#include "../base/array.h"
#include "../base/number.h"

#include <stdio.h>
#include <string.h>

// --- Which rules, for what --------------------------------------------------------------------

static int rule_count(const lw_spec *spec)
{
    return lw_rule_count() + spec->nrule;
}

static const lw_rule *rule_at(const lw_spec *spec, int i)
{
    return i < lw_rule_count() ? lw_rule_at(i) : spec->rule[i - lw_rule_count()];
}

static const lw_rule *find_rule(const lw_spec *spec, const char *name, lw_nearest *nearest)
{
    for (int i = 0; i < rule_count(spec); ++i) {
        if (strcmp(rule_at(spec, i)->name, name) == 0) {
            return rule_at(spec, i);
        }
        if (nearest) {
            lw_nearest_offer(nearest, rule_at(spec, i)->name);
        }
    }
    return NULL;
}

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; *at; at += strspn(at, " ")) {
        const size_t n = strcspn(at, " ");
        if (n == length && memcmp(at, word, n) == 0) {
            return true;
        }
        at += n;
    }
    return false;
}

static bool concerns(const lw_spec *spec, const lw_rule *rule)
{
    const lw_robot_class *own = lwi_spec_class(spec);
    return !*rule->classes || (own && (has_word(rule->classes, own->name) ||
                                       (own->is_serial && has_word(rule->classes, "serial"))));
}

// How often a rule is evaluated. A chain has a link behind each joint.
static int repeats(const lw_spec *spec, const lw_rule *rule)
{
    if (!*rule->each) {
        return 1;
    }
    const lw_robot_class *own = lwi_spec_class(spec);
    const bool is_serial = own && own->is_serial;
    return strcmp(rule->each, "joint") == 0          ? spec->njoint
           : is_serial && spec->njoint > spec->nlink ? spec->njoint
                                                     : spec->nlink;
}

// --- Completions ------------------------------------------------------------------------------

static lw_status complete_one(lw_spec *spec, const lw_rule *rule, int index, int *changes,
                              lw_report *report)
{
    lwi_context context = {.spec = spec, .each = rule->each, .index = index};
    lwi_result result;
    char path[LWI_SPEC_PATH];
    if (!lwi_full_path(&context, rule->set, strlen(rule->set), path) || lwi_spec_find(spec, path) ||
        !lwi_evaluate(&context, rule->condition, &result) || result.kind != LWI_TRUTH ||
        result.number == 0.0 || !lwi_evaluate(&context, rule->to, &result)) {
        return LW_OK;
    }
    char text[LWI_NUMBER_SIZE];
    if (result.kind == LWI_NUMBER) {
        lwi_print_double(result.number / lwi_field_unit(spec, path), text);
        ++*changes;
        return lwi_spec_complete(spec, path, text, rule, report);
    }
    if (result.kind != LWI_WORDS) {
        return LW_OK;
    }
    char words[sizeof context.scratch];
    snprintf(words, sizeof words, "%.*s", result.length, result.words);
    ++*changes;
    return lwi_spec_complete(spec, path, words, rule, report);
}

static lw_status complete(lw_spec *spec, lw_report *report)
{
    enum { MOST_ROUNDS = 12 }; // each follows at least one field further
    lw_status status = LW_OK;
    int changes = 1;
    for (int round = 0; round < MOST_ROUNDS && changes > 0 && status == LW_OK; ++round) {
        changes = 0;
        for (int i = 0; i < rule_count(spec) && status == LW_OK; ++i) {
            const lw_rule *rule = rule_at(spec, i);
            const bool is_due = rule->kind == LW_RULE_COMPLETION && concerns(spec, rule);
            for (int k = 1; is_due && k <= repeats(spec, rule) && status == LW_OK; ++k) {
                status = complete_one(spec, rule, *rule->each ? k : 0, &changes, report);
            }
        }
    }
    return status;
}

// --- Rules ------------------------------------------------------------------------------------

// "letters=RRR class=scara"
static void print_fields(const lw_spec *spec, const char *fields, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (const char *at = fields; *at && used + 120 < room; at += strspn(at, " ")) {
        char path[LWI_SPEC_PATH];
        const size_t n = strcspn(at, " ");
        snprintf(path, sizeof path, "%.*s", (int)n, at);
        const char *value = lw_spec_get(spec, path);
        if (value) {
            used += (size_t)snprintf(out + used, room - used, "%s%s=\"%.30s\"",
                                     used > 0 ? ", " : "", path, value);
        }
        at += n;
    }
}

static void report_violation(const lw_spec *spec, const lw_rule_result *r, lw_report *report)
{
    char values[500];
    const lw_rule *rule = r->rule;
    print_fields(spec, r->fields, values, sizeof values);
    const char *form = "%s%s: %s%s%s%s%s%s";
    const char *const open = *values ? " (" : "", *const close = *values ? ")" : "";
    const char *const semicolon = *rule->remedy ? "; remedy: " : "";
    if (r->is_overridden) {
        lwi_report_warning(report, r->location, LW_DIAG_RULE_OVERRIDDEN, form, "overridden rule ",
                           rule->name, rule->reason, open, values, close, "", "");
    } else if (rule->kind == LW_RULE_USUAL) {
        lwi_report_warning(report, r->location, LW_DIAG_RULE_UNUSUAL, form, "unusual by rule ",
                           rule->name, rule->reason, open, values, close, semicolon, rule->remedy);
    } else {
        lwi_report_error(report, r->location, LW_ERR_MODEL, form, "violates rule ", rule->name,
                         rule->reason, open, values, close, semicolon, rule->remedy);
    }
}

static bool is_overridden(const lw_spec *spec, const char *name)
{
    char path[LWI_SPEC_PATH];
    snprintf(path, sizeof path, "override.%.60s", name);
    return lwi_spec_find(spec, path) != NULL;
}

static lw_status evaluate_one(lw_spec *spec, const lw_rule *rule, int index, lw_report *report)
{
    char fields[500] = "";
    const lwi_field *own = lwi_spec_find(spec, "class");
    lwi_context context = {
        .spec = spec, .each = rule->each, .index = index, .fields = fields, .room = sizeof fields};
    lwi_result result;
    context.at = own ? own->at : (lw_location){0};
    if (!lwi_evaluate(&context, rule->condition, &result)) {
        return lwi_report_error(report, (lw_location){0}, LW_ERR_SYNTAX, "rule %s: %s", rule->name,
                                context.message);
    }
    lw_rule_result *more =
        lwi_array_reserve(spec->result, spec->nresult, &spec->result_room, sizeof *more);
    char *kept = lwi_arena_text(&spec->arena, fields, strlen(fields));
    spec->result = more ? more : spec->result;
    if (!more || !kept) {
        return lwi_report_error(report, (lw_location){0}, LW_ERR_MEMORY, "%s",
                                lw_status_text(LW_ERR_MEMORY));
    }
    lw_rule_result *r = &more[spec->nresult++];
    *r = (lw_rule_result){.rule = rule,
                          .state = result.kind != LWI_TRUTH ? LW_RULE_UNDECIDED
                                   : result.number != 0.0   ? LW_RULE_HOLDS
                                                            : LW_RULE_VIOLATED,
                          .index = index,
                          .fields = kept,
                          .location = context.at};
    if (r->state != LW_RULE_VIOLATED) {
        return LW_OK;
    }
    r->is_overridden = is_overridden(spec, rule->name);
    report_violation(spec, r, report);
    return r->is_overridden || rule->kind == LW_RULE_USUAL ? LW_OK : LW_ERR_MODEL;
}

static lw_status check_overrides(const lw_spec *spec, lw_report *report)
{
    lw_status status = LW_OK;
    for (int i = 0; i < spec->nfield; ++i) {
        const lwi_field *f = &spec->field[i];
        if (!f->is_known || strncmp(f->path, "override.", 9) != 0) {
            continue;
        }
        lw_nearest nearest;
        lw_nearest_init(&nearest, f->path + 9);
        if (!find_rule(spec, f->path + 9, &nearest)) {
            status =
                lwi_report_error(report, f->at, LW_ERR_NAME, "there is no rule \"%.60s\"%s%s%s",
                                 f->path + 9, nearest.best ? "; did you mean \"" : "",
                                 nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
        }
    }
    return status;
}

lw_status lw_spec_check(lw_spec *spec, lw_report *report)
{
    if (!spec) {
        return LW_ERR_ARGUMENT;
    }
    lwi_spec_restart(spec);
    spec->nresult = 0;
    lw_status status = complete(spec, report);
    if (status != LW_OK) {
        return status;
    }
    status = check_overrides(spec, report);
    for (int i = 0; i < rule_count(spec); ++i) {
        const lw_rule *rule = rule_at(spec, i);
        const bool is_due = rule->kind != LW_RULE_COMPLETION && concerns(spec, rule);
        for (int k = 1; is_due && k <= repeats(spec, rule); ++k) {
            const lw_status one = evaluate_one(spec, rule, *rule->each ? k : 0, report);
            status = status == LW_OK ? one : status;
        }
    }
    return status;
}

int lw_spec_result_count(const lw_spec *spec)
{
    return spec ? spec->nresult : 0;
}

lw_rule_result lw_spec_result(const lw_spec *spec, int i)
{
    return spec && i >= 0 && i < spec->nresult ? spec->result[i] : (lw_rule_result){.fields = ""};
}

const char *lw_rule_state_name(lw_rule_state state)
{
    static const char *const name[] = {"undecided", "holds", "violated"};
    return (unsigned)state < 3 ? name[state] : "";
}

// --- Rules of the user's ----------------------------------------------------------------------

static lw_status check_classes(const lw_rule *rule, lw_location at, lw_report *report)
{
    for (const char *word = rule->classes; *word; word += strspn(word, " ")) {
        char name[LWI_SPEC_PATH];
        const size_t n = strcspn(word, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, word);
        bool is_known = strcmp(name, "serial") == 0;
        lw_nearest nearest;
        lw_nearest_init(&nearest, name);
        for (int i = 0; i < lw_class_count() && !is_known; ++i) {
            is_known = strcmp(lw_class_at(i)->name, name) == 0;
            lw_nearest_offer(&nearest, lw_class_at(i)->name);
        }
        if (!is_known) {
            return lwi_report_error(report, at, LW_ERR_NAME,
                                    "rule \"%.60s\": there is no class \"%.60s\"%s%s%s", rule->name,
                                    name, nearest.best ? "; did you mean \"" : "",
                                    nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
        }
        word += n;
    }
    return LW_OK;
}

static lw_status check_text(const lw_spec *spec, const lw_rule *rule, const char *text,
                            bool is_condition, lw_location at, lw_report *report)
{
    lwi_context context = {.spec = spec, .each = rule->each, .index = *rule->each ? 1 : 0};
    lwi_result result;
    const bool is_good = lwi_evaluate(&context, text, &result);
    if (is_good && (!is_condition || result.kind == LWI_TRUTH || result.kind == LWI_UNKNOWN)) {
        return LW_OK;
    }
    return lwi_report_error(report, at, LW_ERR_SYNTAX,
                            "rule \"%.60s\": \"%.80s\" makes no sense: %s at character %d",
                            rule->name, text, is_good ? "it is not true or false" : context.message,
                            context.column + 1);
}

static lw_status check_rule(const lw_spec *spec, const lw_rule *rule, lw_location at,
                            lw_report *report)
{
    lwi_context context = {.spec = spec, .each = rule->each, .index = 1};
    char path[LWI_SPEC_PATH];
    if (find_rule(spec, rule->name, NULL) || strlen(rule->name) > 60) {
        return lwi_report_error(report, at, LW_ERR_NAME,
                                "rule \"%.60s\": the name is taken or too long", rule->name);
    }
    if (*rule->each && strcmp(rule->each, "joint") != 0 && strcmp(rule->each, "link") != 0) {
        return lwi_report_error(report, at, LW_ERR_NAME,
                                "rule \"%.60s\": each=\"%.60s\" is none of joint, link", rule->name,
                                rule->each);
    }
    lw_status status = check_classes(rule, at, report);
    if (status == LW_OK) {
        status = check_text(spec, rule, rule->condition, true, at, report);
    }
    if (status == LW_OK && rule->kind == LW_RULE_COMPLETION) {
        if (!lwi_full_path(&context, rule->set, strlen(rule->set), path) ||
            !lwi_field_kind_of(path)) {
            return lwi_report_error(report, at, LW_ERR_NAME,
                                    "rule \"%.60s\": a specification has no field \"%.60s\"",
                                    rule->name, rule->set);
        }
        status = check_text(spec, rule, rule->to, false, at, report);
    }
    return status;
}

lw_status lw_spec_add_rule(lw_spec *spec, const lw_rule *rule, lw_location location,
                           lw_report *report)
{
    if (!spec || !rule || !rule->name || !*rule->name || !rule->condition ||
        (unsigned)rule->kind > LW_RULE_COMPLETION ||
        (rule->kind == LW_RULE_COMPLETION && (!rule->set || !rule->to))) {
        return LW_ERR_ARGUMENT;
    }
    lw_rule full = *rule;
    const char **const text[] = {&full.name, &full.classes, &full.each,   &full.condition,
                                 &full.set,  &full.to,      &full.reason, &full.remedy};
    for (size_t i = 0; i < sizeof text / sizeof *text; ++i) {
        *text[i] = *text[i] ? lwi_arena_text(&spec->arena, *text[i], strlen(*text[i])) : "";
        if (!*text[i]) {
            return LW_ERR_MEMORY;
        }
    }
    const lw_status status = spec->nrule < LWI_SPEC_RULES
                                 ? check_rule(spec, &full, location, report)
                                 : lwi_report_error(report, location, LW_ERR_LIMIT,
                                                    "more than %d rules", LWI_SPEC_RULES);
    if (status != LW_OK) {
        return status;
    }
    const lw_rule **more =
        lwi_array_reserve(spec->rule, spec->nrule, &spec->rule_room, sizeof *more);
    lw_rule *kept = lwi_arena_take(&spec->arena, 1, sizeof *kept);
    spec->rule = more ? more : spec->rule;
    if (!more || !kept) {
        return LW_ERR_MEMORY;
    }
    *kept = full;
    more[spec->nrule++] = kept;
    return LW_OK;
}
