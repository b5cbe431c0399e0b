#include "symbols.h"

#include "../base/report.h"
#include "../base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct stem_text {
    const char *stem, *meaning;
} stem_text;

static const stem_text meanings[] = {
    {"m", "mass, kg"},
    {"rx", "centre of mass along x, m"},
    {"ry", "centre of mass along y, m"},
    {"rz", "centre of mass along z, m"},
    {"mx", "first moment along x, kg m"},
    {"my", "first moment along y, kg m"},
    {"mz", "first moment along z, kg m"},
    {"Ixx", "moment of inertia about x through the centre of mass, kg m^2"},
    {"Iyy", "moment of inertia about y through the centre of mass, kg m^2"},
    {"Izz", "moment of inertia about z through the centre of mass, kg m^2"},
    {"Ixy", "entry xy of the tensor, kg m^2"},
    {"Ixz", "entry xz of the tensor, kg m^2"},
    {"Iyz", "entry yz of the tensor, kg m^2"},
    {"a", "distance of the joint's axis from the one before, m"},
    {"d", "offset along the joint's axis, m"},
    {"px", "position of the joint along x of the body before, m"},
    {"py", "position of the joint along y of the body before, m"},
    {"pz", "position of the joint along z of the body before, m"},
    {"lead", "travel of the screw, m per radian"},
    {"b", "damping"},
    {"f", "Coulomb friction"},
    {"k", "stiffness"},
    {"rest", "position where the spring is relaxed"},
    {"Jr", "rotor inertia, reflected to the joint"},
    {"l", "length of the rod, m"},
    {"n", "ratio, rate of the dependent joint for unit rate of the other"},
    {"g", "gravitational acceleration, m/s^2"},
    {"gx", "gravitational acceleration along x, m/s^2"},
    {"gy", "gravitational acceleration along y, m/s^2"},
    {"gz", "gravitational acceleration along z, m/s^2"},
};

static const char *meaning_of(const char *stem)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; ++i) {
        if (strcmp(meanings[i].stem, stem) == 0) {
            return meanings[i].meaning;
        }
    }
    return "";
}

static bool is_length(const char *meaning)
{
    static const char *const stem[] = {"a", "d", "px", "py", "pz", "lead"};
    for (size_t i = 0; i < sizeof stem / sizeof *stem; ++i) {
        if (strcmp(meaning, meaning_of(stem[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool grow(lwi_symbolic *k)
{
    if (k->nsymbol < k->symbol_capacity) {
        return true;
    }
    const int capacity = k->symbol_capacity ? 2 * k->symbol_capacity : 64;
    lw_symbol_info *longer = lwi_arena_take(&k->arena, (size_t)capacity, sizeof *longer);
    if (!longer) {
        k->status = LW_ERR_MEMORY;
        return false;
    }
    for (int i = 0; i < k->nsymbol; ++i) {
        longer[i] = k->symbol[i];
    }
    k->symbol = longer;
    k->symbol_capacity = capacity;
    return true;
}

lwi_expr lwi_new_symbol(lwi_symbolic *k, const char *stem, int number, const char *part,
                        const char *meaning, double value)
{
    lwi_input input = {0};
    const bool is_zero_length = value == 0.0 && is_length(meaning);
    const bool is_input = lwi_find_input(k, stem, part, !is_zero_length, &input);
    if (!is_input && !(k->has_all && value != 0.0)) {
        return lwi_number(k->g, value);
    }
    const size_t capacity = strlen(stem) + strlen(part) + input.length + 16;
    char *name = lwi_arena_take(&k->arena, capacity, 1),
         *symbol = lwi_arena_take(&k->arena, capacity, 1);
    if (!name || !symbol || !grow(k)) {
        k->status = LW_ERR_MEMORY;
        return LWI_ZERO;
    }
    if (input.length > 0) {
        memcpy(name, input.name, input.length);
        memcpy(symbol, input.name, input.length);
    } else {
        snprintf(name, capacity, *part ? "%s_%s" : "%s", stem, part);
        snprintf(symbol, capacity, number >= 0 ? "%s%d" : "%s", stem, number);
    }
    value = input.is_negative ? -value : value;
    int at = 0; // names that the user gave may stand for several parameters
    while (at < k->nsymbol && (input.length == 0 || strcmp(k->symbol[at].name, name) != 0)) {
        ++at;
    }
    if (at == k->nsymbol) {
        k->symbol[k->nsymbol++] = (lw_symbol_info){name, symbol, meaning, value, ""};
    } else if (fabs(k->symbol[at].value - value) > 1e-9 * fabs(value) && k->status == LW_OK) {
        k->status = lwi_report_error(k->report, (lw_location){0}, LW_ERR_ARGUMENT,
                                     "input \"%s\" stands for %.9g and, as %s_%s, for %.9g", name,
                                     k->symbol[at].value, stem, part, value);
    }
    ++k->nrequest;
    const lwi_expr e = lwi_symbol_of(k->g, name, LWI_PARAMETER, at);
    return input.is_negative ? lwi_neg(e) : e;
}

// --- Axes of links ----------------------------------------------------------------------------

// The frame of the link that the body is named after; NULL for a body without links.
static const lw_pose *link_pose(const lw_model *m, int body)
{
    for (int i = 0; i < m->nlink && body >= 0; ++i) {
        const lw_frame_info *f = &m->frame[m->link[i].frame];
        if (f->body == body && strcmp(m->link[i].name, m->body_name[body]) == 0) {
            return &f->X_BF;
        }
    }
    return NULL;
}

static double near_whole(double x, double noise)
{
    const double whole = round(x);
    return fabs(x - whole) < noise ? whole + 0.0 : x;
}

static void add_triple(lwi_text *out, lw_vec3 v, double noise)
{
    const double entry[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; ++i) {
        lwi_text_add(out, i > 0 ? ", " : "(");
        lwi_text_add_number(out, near_whole(entry[i], noise));
    }
    lwi_text_add(out, ")");
}

// Records for a symbol that is new since there were `before` of them along which axes of the frame
// of the link it is: the body's frame has z along the joint's axis, and its origin on that.
static void describe_axes(lwi_symbolic *k, int before, const char *axes, int body, bool has_origin)
{
    const lw_pose *X = k->nsymbol > before && *axes ? link_pose(k->m, body) : NULL;
    lwi_text out = {0};
    bool is_turned = false;
    if (!X) {
        return;
    }
    for (const char *a = axes; *a; ++a) {
        const lw_vec3 own = lw_vec3_of(*a == 'x', *a == 'y', *a == 'z');
        is_turned = is_turned || lw_norm3(lw_sub3(X->R.row[*a - 'x'], own)) > k->noise;
    }
    for (const char *a = axes; *a && is_turned; ++a) {
        if (a == axes || *a != a[-1]) {
            lwi_text_add(&out, a > axes ? ", " : "");
            lwi_text_add_bytes(&out, a, 1);
            lwi_text_add(&out, " is ");
            add_triple(&out, X->R.row[*a - 'x'], k->noise);
        }
    }
    const lw_vec3 origin = lw_scale3(-1.0, lw_rotate_back(&X->R, X->p));
    if (has_origin && lw_norm3(origin) > k->noise) {
        lwi_text_add(&out, is_turned ? ", from " : "from ");
        add_triple(&out, origin, k->noise);
    }
    lwi_text_add(&out, out.used > 0 ? " in the frame of the link" : "");
    char *copy = lwi_arena_take(&k->arena, out.used + 1, 1);
    if (!copy || out.is_short) {
        k->status = LW_ERR_MEMORY;
    } else if (out.used > 0) {
        memcpy(copy, out.at, out.used);
        k->symbol[k->nsymbol - 1].axes = copy;
    }
    lwi_text_free(&out);
}

// The axes in a stem: "x" of "rx" and "px", "xy" of "Ixy", none of "m".
static const char *axes_of(const char *stem)
{
    return stem + strcspn(stem, "xyz");
}

// A symbol of a body, with a note on its axes in the frame of the link of another or the same.
static lwi_expr symbol_with_axes(lwi_symbolic *k, const char *stem, int body, int number,
                                 const char *meaning, double value, int link, bool has_origin)
{
    const int before = k->nsymbol;
    const lwi_expr e = lwi_new_symbol(k, stem, number, k->m->body_name[body], meaning, value);
    describe_axes(k, before, axes_of(stem), link, has_origin);
    return e;
}

lwi_expr lwi_body_symbol(lwi_symbolic *k, const char *stem, int body, double value)
{
    return symbol_with_axes(k, stem, body, body + 1, meaning_of(stem), value, body, *stem != 'I');
}

lwi_expr lwi_product_symbol(lwi_symbolic *k, const char *stem, int body, double value)
{
    const char *meaning = stem[1] == 'y'   ? "product of inertia, integral of y z dm, kg m^2"
                          : stem[2] == 'y' ? "product of inertia, integral of x y dm, kg m^2"
                                           : "product of inertia, integral of x z dm, kg m^2";
    return symbol_with_axes(k, stem, body, body + 1, meaning, value, body, false);
}

lwi_expr lwi_length_symbol(lwi_symbolic *k, const char *stem, int body, int number, double value)
{
    return symbol_with_axes(k, stem, body, number, meaning_of(stem), value, k->m->parent[body],
                            true);
}

bool lwi_is_length(const lw_symbol_info *symbol)
{
    return is_length(symbol->meaning);
}

bool lwi_is_rod_length(const lw_symbol_info *symbol)
{
    return strcmp(symbol->meaning, meaning_of("l")) == 0;
}

lwi_expr lwi_dof_symbol(lwi_symbolic *k, const char *stem, int dof, double value)
{
    return lwi_new_symbol(k, stem, dof + 1, k->m->tree_velocity_name[dof], meaning_of(stem), value);
}

lwi_expr lwi_closure_symbol(lwi_symbolic *k, const char *stem, const char *part, double value)
{
    const char *meaning = *stem == 'c'   ? "coefficient of the coupling"
                          : *stem == 'n' ? meaning_of("n")
                          : *stem == 'm' ? meaning_of("m")
                                         : meaning_of("l");
    return lwi_is_input(k, stem, part, true) ? lwi_new_symbol(k, stem, -1, part, meaning, value)
                                             : lwi_number(k->g, value);
}

lwi_vec lwi_gravity_symbols(lwi_symbolic *k)
{
    const double w[3] = {k->m->gravity.x, k->m->gravity.y, k->m->gravity.z};
    static const char *const stem[3] = {"gx", "gy", "gz"};
    lwi_vec out;
    const bool are_inputs = lwi_is_input(k, stem[0], "", true) ||
                            lwi_is_input(k, stem[1], "", true) ||
                            lwi_is_input(k, stem[2], "", true);
    const int n = are_inputs ? 3 : (w[0] != 0.0) + (w[1] != 0.0) + (w[2] != 0.0);
    for (int i = 0; i < 3; ++i) {
        if (n == 1 && w[i] != 0.0) {
            const double size = w[i] < 0.0 ? -w[i] : w[i];
            const lwi_expr g = lwi_new_symbol(k, "g", -1, "", meaning_of("g"), size);
            out.e[i] = w[i] < 0.0 ? lwi_neg(g) : g;
        } else {
            out.e[i] = lwi_new_symbol(k, stem[i], -1, "", meaning_of(stem[i]), w[i]);
        }
    }
    return out;
}
