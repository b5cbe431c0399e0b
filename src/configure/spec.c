// The table of fields.

#include "spec.h"

#include "../base/array.h"
#include "../base/number.h"
#include "../math/pi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lw_status lw_spec_create(lw_spec **spec)
{
    if (!spec) {
        return LW_ERR_ARGUMENT;
    }
    *spec = calloc(1, sizeof **spec);
    if (!*spec) {
        return LW_ERR_MEMORY;
    }
    lwi_names_init(&(*spec)->names, &(*spec)->arena);
    return LW_OK;
}

void lw_spec_destroy(lw_spec *spec)
{
    if (spec) {
        free(spec->field);
        free(spec->rule);
        free(spec->result);
        lwi_arena_free(&spec->arena);
        free(spec);
    }
}

const char *lwi_spec_path(char path[LWI_SPEC_PATH], const char *what, int index, const char *name)
{
    snprintf(path, LWI_SPEC_PATH, "%.20s%d.%.40s", what, index, name);
    return path;
}

const lwi_field *lwi_spec_find(const lw_spec *spec, const char *path)
{
    const int i = lwi_names_find(&spec->names, path);
    return i >= 0 && spec->field[i].is_known ? &spec->field[i] : NULL;
}

static lw_status report_memory(lw_report *report, lw_location at)
{
    return lwi_report_error(report, at, LW_ERR_MEMORY, "%s", lw_status_text(LW_ERR_MEMORY));
}

static lw_status refuse_path(const char *path, lw_location at, lw_report *report)
{
    // Numbers of joints are left out on both sides, so that "joint12.lenght" is near to "length".
    char wanted[LWI_SPEC_PATH];
    size_t n = 0;
    for (const char *c = path; *c && n + 1 < sizeof wanted; ++c) {
        const bool is_digit = *c >= '0' && *c <= '9';
        if (!is_digit || (n > 0 && wanted[n - 1] != '#')) {
            wanted[n++] = is_digit ? '#' : *c;
        }
    }
    wanted[n] = '\0';
    lw_nearest nearest;
    lw_nearest_init(&nearest, wanted);
    for (int i = 0; i < lwi_field_kind_count(); ++i) {
        lw_nearest_offer(&nearest, lwi_field_kind_at(i)->path);
    }
    return lwi_report_error(report, at, LW_ERR_NAME, "a specification has no field \"%.60s\"%s%s%s",
                            path, nearest.best ? "; did you mean \"" : "",
                            nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
}

// The field of a path, new where there is none.
static lwi_field *field_of(lw_spec *spec, const char *path)
{
    int i = lwi_names_find(&spec->names, path);
    if (i >= 0) {
        return &spec->field[i];
    }
    lwi_field *more = lwi_array_reserve(spec->field, spec->nfield, &spec->field_room, sizeof *more);
    const char *name = lwi_arena_text(&spec->arena, path, strlen(path));
    if (more) {
        spec->field = more;
    }
    if (!more || !name || !lwi_names_add(&spec->names, name, spec->nfield)) {
        return NULL;
    }
    i = spec->nfield++;
    more[i] = (lwi_field){.path = name};
    return &more[i];
}

// The number that a path names a joint or a link by; too large a one is above every limit.
static int number_at(const char *digit)
{
    const size_t length = strspn(digit, "0123456789");
    int number = length ? LWI_SPEC_JOINTS + 1 : 0;
    (void)lwi_parse_int(digit, length, &number);
    return number;
}

static void count_parts(lw_spec *spec, const lwi_field *f)
{
    int index = 0;
    if (strncmp(f->path, "joint", 5) == 0 || strncmp(f->path, "drive", 5) == 0) {
        index = number_at(f->path + 5);
        spec->njoint = index > spec->njoint ? index : spec->njoint;
    } else if (strncmp(f->path, "link", 4) == 0) {
        index = number_at(f->path + 4);
        spec->nlink = index > spec->nlink ? index : spec->nlink;
    } else if (strcmp(f->path, "letters") == 0) {
        const int count = (int)strlen(f->text);
        spec->njoint = count > spec->njoint ? count : spec->njoint;
    }
}

static lw_status set_field(lw_spec *spec, const char *path, const char *value, lw_location at,
                           const lw_rule *rule, lw_report *report)
{
    const lwi_field_kind *kind = lwi_field_kind_of(path);
    if (!kind) {
        return refuse_path(path, at, report);
    }
    int first = 0;
    const char *digit = path + strcspn(path, "0123456789");
    if (strchr(kind->path, '#') && (first = number_at(digit)) > LWI_SPEC_JOINTS) {
        return lwi_report_error(report, at, LW_ERR_LIMIT, "%.60s: at most %d joints and links",
                                path, LWI_SPEC_JOINTS);
    }
    if (spec->nfield >= LWI_SPEC_FIELDS) {
        return lwi_report_error(report, at, LW_ERR_LIMIT, "more than %d fields", LWI_SPEC_FIELDS);
    }
    lwi_field *f = field_of(spec, path);
    if (!f) {
        return report_memory(report, at);
    }
    f->kind = kind;
    lwi_field read = {.path = f->path, .kind = kind, .rule = rule, .at = at, .is_known = true};
    const lw_status status = lwi_field_read(spec, &read, value, report);
    if (status == LW_OK) {
        *f = read;
        count_parts(spec, f);
    }
    return status == LW_ERR_MEMORY ? report_memory(report, at) : status;
}

lw_status lw_spec_set(lw_spec *spec, const char *field, const char *value, lw_location location,
                      lw_report *report)
{
    if (!spec || !field || !value) {
        return LW_ERR_ARGUMENT;
    }
    if (strlen(field) >= LWI_SPEC_PATH) {
        return refuse_path(field, location, report);
    }
    return set_field(spec, field, value, location, NULL, report);
}

lw_status lwi_spec_complete(lw_spec *spec, const char *path, const char *value, const lw_rule *rule,
                            lw_report *report)
{
    return set_field(spec, path, value, (lw_location){0}, rule, report);
}

void lwi_spec_restart(lw_spec *spec)
{
    spec->njoint = 0;
    spec->nlink = 0;
    for (int i = 0; i < spec->nfield; ++i) {
        lwi_field *f = &spec->field[i];
        f->is_known = f->is_known && !f->rule;
        if (f->is_known) {
            count_parts(spec, f);
        }
    }
}

// --- Reading ----------------------------------------------------------------------------------

const char *lw_spec_get(const lw_spec *spec, const char *field)
{
    const lwi_field *f = spec && field ? lwi_spec_find(spec, field) : NULL;
    return f ? f->text : NULL;
}

bool lwi_spec_slides(const lw_spec *spec, int joint)
{
    char path[LWI_SPEC_PATH];
    const lwi_field *type = lwi_spec_find(spec, lwi_spec_path(path, "joint", joint, "type"));
    return type && *type->text == 'T';
}

double lwi_field_unit(const lw_spec *spec, const char *path)
{
    const lwi_field *angle = lwi_spec_find(spec, "angle");
    const lwi_quantity quantity = lwi_field_kind_of(path)->quantity;
    const bool is_of_joint = quantity >= LWI_POSITION && quantity <= LWI_ACCELERATION;
    const bool is_angle = quantity == LWI_ANGLE || quantity == LWI_ROTATION ||
                          (is_of_joint && !lwi_spec_slides(spec, number_at(path + 5)));
    return is_angle && angle && *angle->text == 'd' ? LWI_PI / 180.0 : 1.0;
}

// What a symbol without a value counts as, so that a model can be computed: of the usual size, and
// not the same for all.
static double assumed(const char *symbol, lwi_quantity quantity)
{
    const double size = quantity == LWI_LENGTH    ? 0.25
                        : quantity == LWI_INERTIA ? 0.02
                        : quantity == LWI_FORCE   ? 100.0
                                                  : 1.0;
    return size *
           (1.0 + 0.125 * (double)(lwi_hash_bytes(LWI_HASH_SEED, symbol, strlen(symbol)) % 8));
}

bool lwi_field_number(const lw_spec *spec, const lwi_field *f, int k, double *number)
{
    if (!f || k < 0 || k >= f->nnumber) {
        return false;
    }
    double value = f->number[k];
    if (f->symbol[k]) {
        char path[LWI_SPEC_PATH];
        snprintf(path, sizeof path, "symbol.%.60s", f->symbol[k]);
        const lwi_field *symbol = lwi_spec_find(spec, path);
        if (!symbol && !spec->assumes) {
            return false;
        }
        value *= symbol ? symbol->number[0] : assumed(f->symbol[k], f->kind->quantity);
    }
    *number = value * lwi_field_unit(spec, f->path);
    return true;
}

bool lwi_spec_numbers(const lw_spec *spec, const char *path, int count, double *number)
{
    const lwi_field *f = lwi_spec_find(spec, path);
    bool is_known = f && f->nnumber >= count;
    for (int k = 0; k < count && is_known; ++k) {
        is_known = lwi_field_number(spec, f, k, &number[k]);
    }
    return is_known;
}

bool lw_spec_number(const lw_spec *spec, const char *field, double *number)
{
    return spec && field && number && lwi_spec_numbers(spec, field, 1, number);
}

int lw_spec_count(const lw_spec *spec)
{
    int count = 0;
    for (int i = 0; spec && i < spec->nfield; ++i) {
        count += spec->field[i].is_known;
    }
    return count;
}

lw_spec_entry lw_spec_at(const lw_spec *spec, int i)
{
    for (int k = 0; spec && k < spec->nfield; ++k) {
        const lwi_field *f = &spec->field[k];
        if (f->is_known && i-- == 0) {
            return (lw_spec_entry){f->path, f->text, f->rule, f->at};
        }
    }
    return (lw_spec_entry){"", "", NULL, {0}};
}

// --- Symbols ----------------------------------------------------------------------------------

// Whether symbol k of a field stands in none before it.
static bool is_first(const lw_spec *spec, int field, int k)
{
    const char *name = spec->field[field].symbol[k];
    for (int i = 0; i <= field; ++i) {
        const lwi_field *f = &spec->field[i];
        for (int n = 0; n < (i < field ? f->nnumber : k); ++n) {
            if (f->symbol[n] && strcmp(f->symbol[n], name) == 0) {
                return false;
            }
        }
    }
    return true;
}

// The symbol that is number `wanted`, or how many there are.
static int walk_symbols(const lw_spec *spec, int wanted, int *field, int *k)
{
    int count = 0;
    for (int i = 0; i < spec->nfield; ++i) {
        for (int n = 0; n < spec->field[i].nnumber; ++n) {
            if (spec->field[i].symbol[n] && !spec->field[i].rule && is_first(spec, i, n) &&
                count++ == wanted) {
                *field = i;
                *k = n;
                return count;
            }
        }
    }
    return count;
}

int lw_spec_symbol_count(const lw_spec *spec)
{
    int field, k;
    return spec ? walk_symbols(spec, -1, &field, &k) : 0;
}

lw_spec_symbol lw_spec_symbol_at(const lw_spec *spec, int i)
{
    lw_spec_symbol out = {"", 0.0, false};
    int field = -1, k = 0;
    if (spec && i >= 0) {
        walk_symbols(spec, i, &field, &k);
    }
    if (field >= 0) {
        char path[LWI_SPEC_PATH];
        const lwi_field *f = &spec->field[field];
        out.name = f->symbol[k];
        snprintf(path, sizeof path, "symbol.%.60s", out.name);
        const lwi_field *given = lwi_spec_find(spec, path);
        out.is_assumed = !given;
        out.value = given ? given->number[0] : assumed(out.name, f->kind->quantity);
    }
    return out;
}
