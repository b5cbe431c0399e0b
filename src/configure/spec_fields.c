// Which fields there are, and how their values are read: words, letters, axes, numbers and symbols.

#include "spec.h"

#include "../base/number.h"

#include <math.h>
#include <string.h>

#define TEXT(path)                                                                                 \
    {                                                                                              \
        path, LWI_VALUE_TEXT, LWI_PLAIN, 0, 0, NULL                                                \
    }
#define WORD(path, words)                                                                          \
    {                                                                                              \
        path, LWI_VALUE_WORD, LWI_PLAIN, 0, 0, words                                               \
    }
#define NUMBER(path, quantity)                                                                     \
    {                                                                                              \
        path, LWI_VALUE_NUMBER, quantity, 1, 1, NULL                                               \
    }
#define VECTOR(path, quantity)                                                                     \
    {                                                                                              \
        path, LWI_VALUE_NUMBER, quantity, 3, 3, NULL                                               \
    }

static const lwi_field_kind kinds[] = {
    TEXT("name"),
    WORD("class", "class"),
    {"letters", LWI_VALUE_LETTERS, LWI_PLAIN, 1, LWI_SPEC_JOINTS, NULL},
    WORD("angle", "radian degree"),
    WORD("rows", "craig paul"),
    WORD("products", "tensor integral"),
    WORD("mounting", "floor wall ceiling"),
    VECTOR("gravity", LWI_GRAVITY),
    NUMBER("symbol.*", LWI_PLAIN),
    TEXT("override.*"),

    TEXT("joint#.name"),
    {"joint#.type", LWI_VALUE_LETTERS, LWI_PLAIN, 1, 1, NULL},
    {"joint#.axis", LWI_VALUE_AXIS, LWI_PLAIN, 3, 3, NULL},
    NUMBER("joint#.length", LWI_LENGTH),
    NUMBER("joint#.offset", LWI_LENGTH),
    VECTOR("joint#.shift", LWI_LENGTH),
    NUMBER("joint#.alpha", LWI_ANGLE),
    NUMBER("joint#.a", LWI_LENGTH),
    NUMBER("joint#.theta", LWI_ANGLE),
    NUMBER("joint#.d", LWI_LENGTH),
    NUMBER("joint#.lower", LWI_POSITION),
    NUMBER("joint#.upper", LWI_POSITION),
    NUMBER("joint#.reference", LWI_POSITION),
    NUMBER("joint#.max_velocity", LWI_SPEED),
    NUMBER("joint#.max_acceleration", LWI_ACCELERATION),
    NUMBER("joint#.max_force", LWI_FORCE),
    NUMBER("joint#.damping", LWI_PLAIN),
    NUMBER("joint#.friction", LWI_FORCE),
    NUMBER("joint#.rotor_inertia", LWI_INERTIA),
    NUMBER("drive#.inertia", LWI_INERTIA),
    NUMBER("drive#.ratio", LWI_PLAIN),
    NUMBER("drive#.max_force", LWI_FORCE),
    NUMBER("drive#.max_velocity", LWI_ROTATION),
    NUMBER("drive#.continuous_force", LWI_FORCE),

    TEXT("link#.name"),
    NUMBER("link#.mass", LWI_MASS),
    VECTOR("link#.center", LWI_LENGTH),
    {"link#.inertia", LWI_VALUE_NUMBER, LWI_INERTIA, 3, 6, NULL},
    WORD("link#.shape#.type", "box cylinder sphere capsule"),
    VECTOR("link#.shape#.size", LWI_LENGTH),
    NUMBER("link#.shape#.radius", LWI_LENGTH),
    NUMBER("link#.shape#.length", LWI_LENGTH),
    VECTOR("link#.shape#.xyz", LWI_LENGTH),
    VECTOR("link#.shape#.rpy", LWI_ANGLE),
    WORD("link#.shape#.material", "material"),
    NUMBER("link#.shape#.density", LWI_DENSITY),

    NUMBER("size.height", LWI_LENGTH),
    NUMBER("size.offset", LWI_LENGTH),
    NUMBER("size.base", LWI_LENGTH),
    NUMBER("size.arm", LWI_LENGTH),
    NUMBER("size.forearm", LWI_LENGTH),
    NUMBER("size.lever", LWI_LENGTH),
    NUMBER("size.bracket", LWI_LENGTH),
    NUMBER("size.rod", LWI_LENGTH),
    NUMBER("size.platform", LWI_LENGTH),
    NUMBER("size.width", LWI_LENGTH),
    NUMBER("size.wrist", LWI_LENGTH),
    NUMBER("size.drop", LWI_LENGTH),
    NUMBER("size.rise", LWI_LENGTH),
    NUMBER("size.neck", LWI_LENGTH),
    NUMBER("size.flange", LWI_LENGTH),
    NUMBER("size.pedestal", LWI_LENGTH),
    NUMBER("size.rod_mass", LWI_MASS),

    TEXT("tool.name"),
    VECTOR("tool.xyz", LWI_LENGTH),
    VECTOR("tool.rpy", LWI_ANGLE),
    NUMBER("tool.mass", LWI_MASS),
    VECTOR("tool.center", LWI_LENGTH),
    {"tool.inertia", LWI_VALUE_NUMBER, LWI_INERTIA, 3, 6, NULL},

    WORD("controller.law", "pd pd+gravity computed-torque"),
    NUMBER("controller.bandwidth", LWI_FREQUENCY),
    NUMBER("controller.damping", LWI_PLAIN),
    NUMBER("controller.period", LWI_TIME),
};

int lwi_field_kind_count(void)
{
    return (int)(sizeof kinds / sizeof *kinds);
}

const lwi_field_kind *lwi_field_kind_at(int i)
{
    return i >= 0 && i < lwi_field_kind_count() ? &kinds[i] : NULL;
}

// Whether a path is of a pattern: digits for '#', the rest for '*'.
static bool matches(const char *pattern, const char *path)
{
    for (; *pattern && *pattern != '*'; ++pattern) {
        if (*pattern == '#') {
            const size_t digits = strspn(path, "0123456789");
            if (digits == 0 || digits > 2 || *path == '0') {
                return false;
            }
            path += digits;
        } else if (*pattern != *path++) {
            return false;
        }
    }
    return *pattern == '*' ? *path != '\0' : *path == '\0';
}

const lwi_field_kind *lwi_field_kind_of(const char *path)
{
    for (int i = 0; i < lwi_field_kind_count(); ++i) {
        if (matches(kinds[i].path, path)) {
            return &kinds[i];
        }
    }
    return NULL;
}

// --- Words ------------------------------------------------------------------------------------

static const struct {
    const char *name;
    double density; ///< kg/m^3, rounded as handbooks do
} materials[] = {{"steel", 7850.0},     {"cast-iron", 7200.0},    {"aluminium", 2700.0},
                 {"magnesium", 1800.0}, {"titanium", 4500.0},     {"brass", 8500.0},
                 {"copper", 8900.0},    {"carbon-fibre", 1600.0}, {"glass-fibre", 1900.0},
                 {"nylon", 1140.0},     {"abs", 1040.0},          {"wood", 600.0}};

const char *lwi_material_name(int i)
{
    return i < (int)(sizeof materials / sizeof *materials) ? materials[i].name : NULL;
}

double lwi_density(const char *material)
{
    for (int i = 0; lwi_material_name(i); ++i) {
        if (strcmp(materials[i].name, material) == 0) {
            return materials[i].density;
        }
    }
    return 0.0;
}

// Word i of a list with blanks between, or of the tables of classes and materials, in `word`.
static bool word_at(const char *words, int i, char word[LWI_SPEC_PATH])
{
    const bool is_class = strcmp(words, "class") == 0;
    const char *named = NULL;
    if (is_class || strcmp(words, "material") == 0) {
        const lw_robot_class *c = is_class ? lw_class_at(i) : NULL;
        named = is_class ? c ? c->name : NULL : lwi_material_name(i);
        if (!named) {
            return false;
        }
        strcpy(word, named);
        return true;
    }
    for (; i > 0 && *words; --i) {
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
    const size_t length = strcspn(words, " ");
    memcpy(word, words, length);
    word[length] = '\0';
    return length > 0;
}

static lw_status read_word(lw_spec *spec, lwi_field *f, const char *value, lw_report *report)
{
    char word[LWI_SPEC_PATH], all[400] = "", best[LWI_SPEC_PATH] = "";
    lw_nearest nearest;
    lw_nearest_init(&nearest, value);
    for (int i = 0; word_at(f->kind->words, i, word); ++i) {
        if (strcmp(word, value) == 0) {
            f->text = lwi_arena_text(&spec->arena, word, strlen(word));
            return f->text ? LW_OK : LW_ERR_MEMORY;
        }
        const char *before = nearest.best;
        lw_nearest_offer(&nearest, word);
        if (nearest.best != before || nearest.best == word) {
            memcpy(best, word, sizeof best);
            nearest.best = best;
        }
        if (strlen(all) + strlen(word) + 3 < sizeof all) {
            strcat(all, i > 0 ? ", " : "");
            strcat(all, word);
        }
    }
    return lwi_report_error(report, f->at, LW_ERR_NAME, "%s=\"%.60s\" is none of %s%s%s%s", f->path,
                            value, all, *best ? "; did you mean \"" : "", best, *best ? "\"?" : "");
}

static lw_status read_letters(lw_spec *spec, lwi_field *f, const char *value, lw_report *report)
{
    const size_t length = strlen(value);
    if ((int)length < f->kind->least || (int)length > f->kind->most) {
        return lwi_report_error(report, f->at, LW_ERR_SYNTAX,
                                f->kind->most == 1
                                    ? "%s=\"%.60s\": a joint is R (revolute), or T or P (prismatic)"
                                    : "%s=\"%.60s\": letters R, T or P, one for each joint",
                                f->path, value);
    }
    char *text = lwi_arena_text(&spec->arena, value, length);
    for (size_t i = 0; i < length && text; ++i) {
        text[i] = text[i] == 'P' ? 'T' : text[i];
        if (text[i] != 'R' && text[i] != 'T') {
            return lwi_report_error(report, f->at, LW_ERR_SYNTAX,
                                    "%s=\"%.60s\": a joint is R (revolute), or T or P (prismatic), "
                                    "not %c",
                                    f->path, value, value[i] >= ' ' ? value[i] : '?');
        }
    }
    f->text = text;
    return text ? LW_OK : LW_ERR_MEMORY;
}

// --- Numbers ----------------------------------------------------------------------------------

static const struct {
    const char *unit, *quantity;
} units[LWI_QUANTITIES] = {
    [LWI_PLAIN] = {"", "a number"},
    [LWI_LENGTH] = {"m", "a length"},
    [LWI_ANGLE] = {"rad", "an angle"},
    [LWI_POSITION] = {"rad or m", "a position"},
    [LWI_SPEED] = {"rad/s or m/s", "a velocity"},
    [LWI_ACCELERATION] = {"rad/s^2 or m/s^2", "an acceleration"},
    [LWI_MASS] = {"kg", "a mass"},
    [LWI_INERTIA] = {"kg m^2", "a moment of inertia"},
    [LWI_FORCE] = {"N m or N", "a force"},
    [LWI_TIME] = {"s", "a time"},
    [LWI_FREQUENCY] = {"Hz", "a frequency"},
    [LWI_DENSITY] = {"kg/m^3", "a density"},
    [LWI_GRAVITY] = {"m/s^2", "gravity"},
    [LWI_ROTATION] = {"rad/s", "a velocity of a motor"},
};

// Units that people write behind numbers, and what they are in those of the field.
static const struct {
    const char *unit;
    lwi_quantity quantity;
    double factor;
} written[] = {{"mm", LWI_LENGTH, 1e-3},   {"cm", LWI_LENGTH, 1e-2}, {"m", LWI_LENGTH, 1.0},
               {"in", LWI_LENGTH, 0.0254}, {"kg", LWI_MASS, 1.0},    {"g", LWI_MASS, 1e-3},
               {"ms", LWI_TIME, 1e-3},     {"s", LWI_TIME, 1.0},     {"Hz", LWI_FREQUENCY, 1.0},
               {"kHz", LWI_FREQUENCY, 1e3}};

static bool is_name_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// "300mm": what it should be.
static lw_status refuse_number(const lwi_field *f, const char *token, size_t length, int offset,
                               lw_report *report)
{
    size_t digits = strspn(token, "+-.0123456789");
    digits = digits < length ? digits : length;
    const char *unit = token + digits;
    const size_t rest = length - digits;
    lw_location at = f->at;
    at.column += at.column > 0 ? offset : 0;
    double value = 0.0;
    if (digits > 0 && rest > 0 && lwi_parse_double(token, digits, &value)) {
        char text[LWI_NUMBER_SIZE];
        for (size_t i = 0; i < sizeof written / sizeof *written; ++i) {
            if (strlen(written[i].unit) == rest && memcmp(written[i].unit, unit, rest) == 0 &&
                written[i].quantity == f->kind->quantity) {
                lwi_print_double(value * written[i].factor, text);
                return lwi_report_error(report, at, LW_ERR_SYNTAX,
                                        "%s=\"%.60s\": numbers are without units, %s in %s here: "
                                        "write %s",
                                        f->path, token, units[f->kind->quantity].quantity,
                                        units[f->kind->quantity].unit, text);
            }
        }
        return lwi_report_error(
            report, at, LW_ERR_SYNTAX, "%s=\"%.60s\": numbers are without units, %s%s%s here",
            f->path, token, units[f->kind->quantity].quantity,
            *units[f->kind->quantity].unit ? " in " : "", units[f->kind->quantity].unit);
    }
    return lwi_report_error(report, at, LW_ERR_SYNTAX,
                            "%s=\"%.60s\": \"%.*s\" is neither a number nor the name of a symbol",
                            f->path, f->text ? f->text : token, (int)(length < 60 ? length : 60),
                            token);
}

// A number, or a symbol with a sign.
static bool read_token(lw_spec *spec, lwi_field *f, const char *token, size_t length)
{
    if (f->nnumber >= LWI_SPEC_NUMBERS) {
        return false;
    }
    double *number = &f->number[f->nnumber];
    const char **symbol = &f->symbol[f->nnumber];
    *symbol = NULL;
    if (lwi_parse_double(token, length, number)) {
        ++f->nnumber;
        return true;
    }
    *number = *token == '-' ? -1.0 : 1.0;
    const size_t sign = *token == '-' || *token == '+' ? 1 : 0;
    bool is_name =
        length > sign && length < LWI_SPEC_PATH / 2 && !(token[sign] >= '0' && token[sign] <= '9');
    for (size_t i = sign; i < length; ++i) {
        is_name = is_name && is_name_letter(token[i]);
    }
    // What other programs print for a number that is none is not a name either.
    static const char *const none[] = {"nan", "inf", "infinity"};
    for (int k = 0; k < 3 && is_name; ++k) {
        bool is_none = strlen(none[k]) == length - sign;
        for (size_t i = sign; i < length && is_none; ++i) {
            is_none = (token[i] | 0x20) == none[k][i - sign];
        }
        is_name = !is_none;
    }
    if (!is_name || strncmp(f->path, "symbol.", 7) == 0) {
        return false;
    }
    *symbol = lwi_arena_text(&spec->arena, token + sign, length - sign);
    spec->is_short = spec->is_short || !*symbol;
    ++f->nnumber;
    return true;
}

// A symbol has one quantity wherever it stands.
static lw_status check_meanings(const lw_spec *spec, const lwi_field *f, lw_report *report)
{
    for (int k = 0; k < f->nnumber; ++k) {
        for (int i = 0; f->symbol[k] && i < spec->nfield; ++i) {
            const lwi_field *other = &spec->field[i];
            const lwi_quantity a = f->kind->quantity, b = other->kind->quantity;
            for (int n = 0; n < other->nnumber && other->is_known && a != b; ++n) {
                if (other->symbol[n] && strcmp(other->symbol[n], f->symbol[k]) == 0 &&
                    strcmp(other->path, f->path) != 0) {
                    char place[LWI_LOCATION_SIZE];
                    lwi_location_text(other->at, place);
                    return lwi_report_error(
                        report, f->at, LW_ERR_MODEL,
                        "symbol \"%s\" has two meanings: %s in %s, and %s in %s%s%s%s",
                        f->symbol[k], units[a].quantity, f->path, units[b].quantity, other->path,
                        *place ? " (" : "", place, *place ? ")" : "");
                }
            }
        }
    }
    return LW_OK;
}

static lw_status read_numbers(lw_spec *spec, lwi_field *f, const char *value, lw_report *report)
{
    f->nnumber = 0;
    f->text = lwi_arena_text(&spec->arena, value, strlen(value));
    if (!f->text) {
        return LW_ERR_MEMORY;
    }
    int count = 0;
    for (const char *token = value + strspn(value, " \t\r\n"); *token;
         token += strspn(token, " \t\r\n")) {
        const size_t length = strcspn(token, " \t\r\n");
        if (f->nnumber == count && !read_token(spec, f, token, length) &&
            f->nnumber < LWI_SPEC_NUMBERS) {
            return refuse_number(f, token, length, (int)(token - value), report);
        }
        ++count;
        token += length;
    }
    if (count < f->kind->least || count > f->kind->most ||
        (count != f->kind->least && count != f->kind->most)) {
        char or_more[24] = "";
        if (f->kind->most != f->kind->least) {
            strcpy(or_more, " or 6");
        }
        return lwi_report_error(report, f->at, LW_ERR_SYNTAX,
                                "%s=\"%.60s\" has %d numbers, and must have %d%s", f->path, value,
                                count, f->kind->least, or_more);
    }
    return check_meanings(spec, f, report);
}

static lw_status read_axis(lw_spec *spec, lwi_field *f, const char *value, lw_report *report)
{
    const bool is_negative = *value == '-';
    const char *letter = value + (is_negative || *value == '+');
    if (*letter >= 'x' && *letter <= 'z' && letter[1] == '\0') {
        f->text = lwi_arena_text(&spec->arena, value, strlen(value));
        f->nnumber = 3;
        for (int k = 0; k < 3; ++k) {
            f->number[k] = *letter - 'x' == k ? is_negative ? -1.0 : 1.0 : 0.0;
            f->symbol[k] = NULL;
        }
        return f->text ? LW_OK : LW_ERR_MEMORY;
    }
    const lw_status status = read_numbers(spec, f, value, report);
    for (int k = 0; k < 3 && status == LW_OK; ++k) {
        if (f->symbol[k]) {
            return lwi_report_error(report, f->at, LW_ERR_SYNTAX,
                                    "%s=\"%.60s\": an axis is x, -y and so on, or three numbers",
                                    f->path, value);
        }
    }
    return status;
}

lw_status lwi_field_read(lw_spec *spec, lwi_field *f, const char *value, lw_report *report)
{
    lw_status status = LW_OK;
    switch (f->kind->kind) {
    case LWI_VALUE_TEXT:
        f->text = lwi_arena_text(&spec->arena, value, strlen(value));
        status = f->text ? LW_OK : LW_ERR_MEMORY;
        if (!*value) {
            return lwi_report_error(report, f->at, LW_ERR_SYNTAX, "%s is empty", f->path);
        }
        break;
    case LWI_VALUE_WORD:
        status = read_word(spec, f, value, report);
        break;
    case LWI_VALUE_LETTERS:
        status = read_letters(spec, f, value, report);
        break;
    case LWI_VALUE_AXIS:
        status = read_axis(spec, f, value, report);
        break;
    case LWI_VALUE_NUMBER:
        status = read_numbers(spec, f, value, report);
        break;
    }
    return status == LW_OK && spec->is_short ? LW_ERR_MEMORY : status;
}
