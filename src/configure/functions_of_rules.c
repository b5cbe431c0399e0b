// What conditions call: fields by their paths, and functions over joints.

#include "condition.h"

#include "../base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Fields -----------------------------------------------------------------------------------

// Remembers that a path was read.
static void note(lwi_context *c, const char *path)
{
    const lwi_field *f = lwi_spec_find(c->spec, path);
    if (f && !f->rule && f->at.line > 0) {
        c->at = f->at;
    }
    if (!c->fields) {
        return;
    }
    const size_t used = strlen(c->fields), length = strlen(path);
    for (const char *at = strstr(c->fields, path); at; at = strstr(at + 1, path)) {
        const bool begins = at == c->fields || at[-1] == ' ';
        if (begins && (at[length] == ' ' || at[length] == '\0')) {
            return;
        }
    }
    if (used + length + 2 < c->room) {
        snprintf(c->fields + used, c->room - used, "%s%s", used > 0 ? " " : "", path);
    }
}

bool lwi_full_path(const lwi_context *c, const char *name, size_t length, char path[LWI_SPEC_PATH])
{
    static const char *const part[] = {"joint", "drive", "link"};
    if (length >= LWI_SPEC_PATH - 4) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        const size_t n = strlen(part[i]);
        const char *each = i == 1 ? "joint" : part[i];
        if (length > n && memcmp(name, part[i], n) == 0 && name[n] == '.' &&
            strcmp(c->each, each) == 0) {
            snprintf(path, LWI_SPEC_PATH, "%s%d%.*s", part[i], c->index, (int)(length - n),
                     name + n);
            return true;
        }
    }
    snprintf(path, LWI_SPEC_PATH, "%.*s", (int)length, name);
    return true;
}

static lwi_result number_of(double number)
{
    return (lwi_result){.kind = LWI_NUMBER, .number = number};
}

static const lwi_result unknown = {LWI_UNKNOWN, 0.0, "", 0};

static bool read_special(lwi_context *c, const char *path, lwi_result *out)
{
    if (strcmp(path, "joints") == 0) {
        note(c, "letters");
        *out = c->spec->njoint > 0 ? number_of(c->spec->njoint) : unknown;
    } else if (strcmp(path, "links") == 0) {
        *out = number_of(c->spec->nlink);
    } else if (strcmp(path, "principal") == 0) {
        const char *letters = lw_spec_get(c->spec, "letters");
        note(c, "letters");
        *out = letters ? (lwi_result){LWI_WORDS, 0.0, letters, (int)strnlen(letters, 3)} : unknown;
    } else if (c->index > 0 && strstr(path, ".index")) {
        *out = number_of(c->index);
    } else {
        return false;
    }
    return true;
}

bool lwi_read_path(lwi_context *c, const char *name, size_t length, lwi_result *out)
{
    char path[LWI_SPEC_PATH];
    if (!lwi_full_path(c, name, length, path)) {
        return false;
    }
    if (read_special(c, path, out)) {
        return true;
    }
    const lwi_field_kind *kind = lwi_field_kind_of(path);
    const lwi_field *f = lwi_spec_find(c->spec, path);
    if (!kind) {
        return false;
    }
    note(c, path);
    *out = unknown;
    if (f && kind->kind == LWI_VALUE_NUMBER && lwi_field_number(c->spec, f, 0, &out->number)) {
        out->kind = LWI_NUMBER;
    } else if (f && kind->kind != LWI_VALUE_NUMBER) {
        *out = (lwi_result){LWI_WORDS, 0.0, f->text, (int)strlen(f->text)};
    }
    return true;
}

// --- Functions of a path ----------------------------------------------------------------------

enum {
    GIVEN,
    KNOWN,
    UNIQUE,
    COMPONENT,
    COUNT,
    LETTER,
    PARALLEL,
    PERPENDICULAR,
    VERTICAL,
    DISTANCE,
    USUAL_AXIS,
    USUAL_LETTERS,
    USUAL_SHIFT,
    NEEDS_LENGTH,
    LETTERS,
    SHAPES_MASS,
    SHAPES_CENTER,
    SHAPES_INERTIA,
    NAME,
    ABS,
    SQRT,
    FUNCTIONS
};

static const struct {
    const char *name;
    int narg;
} functions[FUNCTIONS] = {
    [GIVEN] = {"given", 0},
    [KNOWN] = {"known", 0},
    [UNIQUE] = {"unique", 0},
    [COMPONENT] = {"component", 0},
    [COUNT] = {"count", 1},
    [LETTER] = {"letter", 1},
    [PARALLEL] = {"parallel", 2},
    [PERPENDICULAR] = {"perpendicular", 2},
    [VERTICAL] = {"vertical", 1},
    [DISTANCE] = {"distance", 2},
    [USUAL_AXIS] = {"usual_axis", 1},
    [USUAL_LETTERS] = {"usual_letters", 1},
    [USUAL_SHIFT] = {"usual_shift", 1},
    [NEEDS_LENGTH] = {"needs_length", 1},
    [LETTERS] = {"letters_of_joints", 1},
    [SHAPES_MASS] = {"shapes_mass", 1},
    [SHAPES_CENTER] = {"shapes_center", 1},
    [SHAPES_INERTIA] = {"shapes_inertia", 1},
    [NAME] = {"numbered", 2},
    [ABS] = {"abs", 1},
    [SQRT] = {"sqrt", 1},
};

int lwi_find_function(const char *name, size_t length)
{
    for (int i = 0; i < FUNCTIONS; ++i) {
        if (strlen(functions[i].name) == length && memcmp(functions[i].name, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

const char *lwi_function_name_at(int function)
{
    return functions[function].name;
}

bool lwi_takes_path(int function)
{
    return function <= COMPONENT;
}

static lwi_result truth_of(bool is_true)
{
    return (lwi_result){.kind = LWI_TRUTH, .number = is_true ? 1.0 : 0.0};
}

// Whether a joint or link before has the same text in this field.
static bool has_twin(lwi_context *c, const char *path, const lwi_field *f)
{
    const size_t stem = strcspn(path, "0123456789");
    const char *name = strchr(path, '.');
    bool has = false;
    for (int i = 1; i < c->index && name && !has; ++i) {
        char part[LWI_SPEC_PATH], other[LWI_SPEC_PATH];
        snprintf(part, sizeof part, "%.*s", (int)stem, path);
        const lwi_field *before = lwi_spec_find(c->spec, lwi_spec_path(other, part, i, name + 1));
        has = before && strcmp(before->text, f->text) == 0;
        if (has) {
            note(c, other);
            note(c, path); // whose location counts
        }
    }
    return has;
}

bool lwi_call_of_path(lwi_context *c, int function, const char *name, size_t length, int k,
                      lwi_result *out)
{
    char path[LWI_SPEC_PATH];
    if (!lwi_full_path(c, name, length, path) || !lwi_field_kind_of(path)) {
        return false;
    }
    const lwi_field *f = lwi_spec_find(c->spec, path);
    note(c, path);
    if (function == COMPONENT) {
        double number;
        const bool is_known = lwi_field_number(c->spec, f, k - 1, &number);
        *out = is_known ? number_of(number) : unknown;
        return k >= 1 && k <= LWI_SPEC_NUMBERS;
    }
    if (function == UNIQUE) {
        *out = f ? truth_of(!has_twin(c, path, f)) : unknown;
        return true;
    }
    const bool is_true = f && (function == KNOWN || !f->rule);
    *out = truth_of(is_true);
    return true;
}

// --- Functions of values ----------------------------------------------------------------------

// Sines and cosines of angles between axes below this count as zero.
static const double straight = 1e-9;

static void note_axis(lwi_context *c, int joint)
{
    char path[LWI_SPEC_PATH];
    if (joint >= 1 && joint <= c->spec->njoint) {
        note(c,
             lwi_spec_path(path, "joint", joint, lw_spec_get(c->spec, "rows") ? "alpha" : "axis"));
    }
}

static lwi_result relate_axes(lwi_context *c, int function, int i, int k)
{
    lw_vec3 a, b, p = {0, 0, 0}, q = {0, 0, 0};
    const bool has_points = function == DISTANCE;
    note_axis(c, i);
    note_axis(c, k);
    if (!lwi_chain_axis(c->spec, i, &a, has_points ? &p : NULL) ||
        !lwi_chain_axis(c->spec, k, &b, has_points ? &q : NULL)) {
        return unknown;
    }
    if (function == DISTANCE) {
        return number_of(lw_norm3(lw_cross3(lw_sub3(q, p), a)));
    }
    const double size = function == PARALLEL ? lw_norm3(lw_cross3(a, b)) : fabs(lw_dot3(a, b));
    return truth_of(size < straight);
}

static lwi_result is_vertical(lwi_context *c, int joint)
{
    lw_vec3 axis;
    double g[3];
    note_axis(c, joint);
    note(c, "gravity");
    if (!lwi_chain_axis(c->spec, joint, &axis, NULL) ||
        !lwi_spec_numbers(c->spec, "gravity", 3, g)) {
        return unknown;
    }
    const lw_vec3 down = lw_vec3_of(g[0], g[1], g[2]);
    return truth_of(lw_norm3(lw_cross3(axis, down)) <= straight * lw_norm3(down));
}

static lwi_result words_of(const char *words)
{
    return words ? (lwi_result){LWI_WORDS, 0.0, words, (int)strlen(words)} : unknown;
}

// One component of a shift: the length or the offset with the sign of its direction, or 0.
static void add_component(const lwi_context *c, const char *direction, const char *name, int joint,
                          char letter, const char **text, bool *is_minus)
{
    char path[LWI_SPEC_PATH];
    const char *value = lw_spec_get(c->spec, lwi_spec_path(path, "joint", joint, name));
    if (direction && value && direction[strlen(direction) - 1] == letter) {
        *text = value;
        *is_minus = *direction == '-';
    }
}

static lwi_result usual_shift(lwi_context *c, int joint)
{
    lwi_usual_joint usual = {NULL, NULL, NULL, false};
    if (!lwi_usual(c->spec, joint, &usual)) {
        return unknown;
    }
    c->scratch[0] = '\0';
    for (char letter = 'x'; letter <= 'z'; ++letter) {
        const char *text = "0";
        bool is_minus = false;
        add_component(c, usual.length, "length", joint, letter, &text, &is_minus);
        add_component(c, usual.offset, "offset", joint, letter, &text, &is_minus);
        is_minus = is_minus && strcmp(text, "0") != 0;
        const bool is_twice = is_minus && *text == '-';
        const size_t used = strlen(c->scratch);
        snprintf(c->scratch + used, sizeof c->scratch - used, "%s%s%.40s", used > 0 ? " " : "",
                 is_minus && !is_twice ? "-" : "", text + is_twice);
    }
    return words_of(c->scratch);
}

static lwi_result letters_of_joints(lwi_context *c)
{
    int n = 0;
    for (; n < c->spec->njoint; ++n) {
        char path[LWI_SPEC_PATH];
        const char *type = lw_spec_get(c->spec, lwi_spec_path(path, "joint", n + 1, "type"));
        if (!type) {
            return unknown;
        }
        c->scratch[n] = *type;
    }
    c->scratch[n] = '\0';
    return n > 0 ? words_of(c->scratch) : unknown;
}

static lwi_result of_shapes(lwi_context *c, int function, int link)
{
    double mass, number[6];
    lw_vec3 center;
    lw_sym3 t;
    if (!lwi_shape_masses(c->spec, link, &mass, &center, &t)) {
        return unknown;
    }
    if (function == SHAPES_MASS) {
        return number_of(mass);
    }
    const double parts[2][6] = {{center.x, center.y, center.z},
                                {t.xx, t.yy, t.zz, t.xy, t.xz, t.yz}};
    memcpy(number, parts[function == SHAPES_INERTIA], sizeof number);
    c->scratch[0] = '\0';
    for (int k = 0; k < (function == SHAPES_CENTER ? 3 : 6); ++k) {
        char text[LWI_NUMBER_SIZE];
        lwi_print_double(number[k], text);
        const size_t used = strlen(c->scratch);
        snprintf(c->scratch + used, sizeof c->scratch - used, "%s%s", used > 0 ? " " : "", text);
    }
    return words_of(c->scratch);
}

static lwi_result count_letters(lwi_context *c, const lwi_result *letter)
{
    const char *letters = lw_spec_get(c->spec, "letters");
    int count = 0;
    note(c, "letters");
    for (const char *l = letters; l && *l && letter->length == 1; ++l) {
        count += *l == *letter->words;
    }
    return letters ? number_of(count) : unknown;
}

// Functions whose argument is the number of a joint or a link.
static lwi_result call_with_index(lwi_context *c, int function, int i)
{
    const lw_robot_class *own = lwi_spec_class(c->spec);
    const char *letters = lw_spec_get(c->spec, "letters");
    lwi_usual_joint usual = {NULL, NULL, NULL, false};
    switch (function) {
    case LETTER:
        note(c, "letters");
        return letters && i >= 1 && i <= (int)strlen(letters)
                   ? (lwi_result){LWI_WORDS, 0.0, letters + i - 1, 1}
                   : unknown;
    case VERTICAL:
        return is_vertical(c, i);
    case USUAL_AXIS:
        return lwi_usual(c->spec, i, &usual) ? words_of(usual.axis) : unknown;
    case USUAL_LETTERS:
        return words_of(own && *own->letters ? own->letters : NULL);
    case NEEDS_LENGTH:
        return truth_of(!lwi_usual(c->spec, i, &usual) || usual.needs_length);
    case USUAL_SHIFT:
        return usual_shift(c, i);
    case LETTERS:
        return letters_of_joints(c);
    default:
        return of_shapes(c, function, i);
    }
}

bool lwi_call(lwi_context *c, int function, int n, const lwi_result *value, lwi_result *out)
{
    if (n != functions[function].narg) {
        return false;
    }
    const bool takes_words = function == COUNT || function == NAME;
    *out = unknown;
    for (int i = 0; i < n; ++i) {
        if (value[i].kind == LWI_UNKNOWN) {
            return true;
        }
        if (value[i].kind != (takes_words && i == 0 ? LWI_WORDS : LWI_NUMBER)) {
            return false;
        }
    }
    const double x = value[0].number;
    const int index = !takes_words && fabs(x) < 1000.0 ? (int)x : 0;
    if (function == COUNT) {
        *out = count_letters(c, &value[0]);
    } else if (function == NAME) {
        snprintf(c->scratch, sizeof c->scratch, "%.*s%d", value[0].length, value[0].words,
                 (int)value[1].number);
        *out = words_of(c->scratch);
    } else if (function == ABS || function == SQRT) {
        *out =
            function == SQRT && x < 0.0 ? unknown : number_of(function == SQRT ? sqrt(x) : fabs(x));
    } else if (n == 2) {
        const double y = value[1].number;
        *out = relate_axes(c, function, index, fabs(y) < 1000.0 ? (int)y : 0);
    } else {
        *out = call_with_index(c, function, index);
    }
    return true;
}
