// Reading files of constraints: one element each, with the attributes that its type reads.
#include <linkwork/clearance.h>
#include <linkwork/constraint_file.h>

#include "../base/arena.h"
#include "../base/name_table.h"
#include "../base/report.h"
#include "../io/file.h"
#include "../io/xml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 16 * 1024 * 1024, MOST_CONSTRAINTS = 1000 };

typedef struct list {
    lw_constraint_list list; // first: what the user sees
    lwi_arena arena;
    lw_constraint_def *def;
    lw_clearance **clearance; // [n]
    double *seed;
    bool *moves;
} list;

typedef struct reader {
    const lw_model *m;
    list *out;
    lw_report *report;
    int suggestions; // how often a "did you mean" was looked for
} reader;

// What an element is, and the attributes that it takes besides those of all.
typedef struct element {
    const char *tag;
    lw_constraint_type type;
    bool has_frame, has_point, has_axis, has_position, has_rotation;
    const char *direction; // the attribute's name
} element;

static const element elements[] = {
    {"pose", LW_CONSTRAINT_POSE, true, false, false, true, true, NULL},
    {"position", LW_CONSTRAINT_POSITION, true, true, false, true, false, NULL},
    {"orientation", LW_CONSTRAINT_ORIENTATION, true, false, false, false, true, NULL},
    {"direction", LW_CONSTRAINT_DIRECTION, true, false, true, false, false, "direction"},
    {"plane", LW_CONSTRAINT_PLANE, true, true, false, true, false, "normal"},
    {"line", LW_CONSTRAINT_LINE, true, true, false, true, false, "direction"},
    {"distance", LW_CONSTRAINT_DISTANCE, true, true, false, true, false, NULL},
    {"look_at", LW_CONSTRAINT_LOOK_AT, true, true, true, true, false, NULL},
    {"face", LW_CONSTRAINT_FACE, true, true, true, true, false, "normal"},
    {"center_of_mass", LW_CONSTRAINT_CENTER_OF_MASS, false, false, false, true, false, NULL},
    {"balance", LW_CONSTRAINT_BALANCE, false, false, false, false, false, NULL},
    {"joint", LW_CONSTRAINT_JOINT, false, false, false, false, false, NULL},
    {"function", LW_CONSTRAINT_FUNCTION, false, false, false, false, false, NULL},
    {"posture", LW_CONSTRAINT_POSTURE, false, false, false, false, false, NULL},
    {"clearance", LW_CONSTRAINT_USER, false, false, false, false, false, NULL},
};

enum { NELEMENT = sizeof elements / sizeof *elements };

static lw_status first_error(lw_status a, lw_status b)
{
    return a != LW_OK ? a : b;
}

static lw_status no_memory(reader *r)
{
    return lwi_report_error(r->report, (lw_location){0}, LW_ERR_MEMORY, "%s",
                            lw_status_text(LW_ERR_MEMORY));
}

// --- Names ------------------------------------------------------------------------------------

static lw_status unknown_name(reader *r, lw_location at, const char *what, const char *name,
                              const lw_nearest *nearest)
{
    char room[LWI_CLIP_SIZE];
    return lwi_report_error(r->report, at, LW_ERR_NAME, "the mechanism has no %s \"%s\"%s%s%s",
                            what, lwi_clip(name, room), nearest->best ? "; did you mean \"" : "",
                            nearest->best ? nearest->best : "", nearest->best ? "\"?" : "");
}

static lw_status read_frame(reader *r, lwi_xml_node *node, const char *attr, bool is_needed,
                            int *frame)
{
    lw_location at = node->at;
    if (!is_needed && !lwi_xml_value(node, attr, NULL)) {
        return LW_OK;
    }
    const char *name = NULL;
    const lw_status status = lwi_xml_read_name(node, attr, &name, r->report);
    if (status != LW_OK) {
        return status;
    }
    lwi_xml_value(node, attr, &at);
    *frame = lw_find_frame(r->m, name);
    if (*frame >= 0) {
        return LW_OK;
    }
    lw_nearest nearest;
    lw_nearest_init(&nearest, name);
    for (int i = 0; i < r->m->nframe && r->suggestions < LWI_SUGGESTIONS; ++i) {
        const char *whole = r->m->frame[i].name, *last = strrchr(whole, '.');
        lw_nearest_offer(&nearest, whole);
        if (last && lw_find_frame(r->m, last + 1) == i) { // as it may be written
            lw_nearest_offer(&nearest, last + 1);
        }
    }
    ++r->suggestions;
    return unknown_name(r, at, "frame", name, &nearest);
}

// A degree of freedom of the tree, dependent ones too.
static lw_status read_dof(reader *r, lwi_xml_node *node, const char *attr, int *dof)
{
    const lw_model *m = r->m;
    lw_location at = node->at;
    const char *name = NULL;
    const lw_status status = lwi_xml_read_name(node, attr, &name, r->report);
    if (status != LW_OK) {
        return status;
    }
    lwi_xml_value(node, attr, &at);
    lw_nearest nearest;
    lw_nearest_init(&nearest, name);
    for (int k = 0; k < m->tree_nv; ++k) {
        if (strcmp(m->tree_velocity_name[k], name) == 0) {
            *dof = k;
            return LW_OK;
        }
        if (r->suggestions < LWI_SUGGESTIONS) {
            lw_nearest_offer(&nearest, m->tree_velocity_name[k]);
        }
    }
    ++r->suggestions;
    return unknown_name(r, at, "joint", name, &nearest);
}

// --- One constraint ---------------------------------------------------------------------------

static lw_status read_vector(reader *r, lwi_xml_node *node, const char *attr, bool is_needed,
                             lw_vec3 *out)
{
    double v[3] = {out->x, out->y, out->z};
    const lw_status status = lwi_xml_read_numbers(node, attr, is_needed, 3, v, r->report);
    *out = lw_vec3_of(v[0], v[1], v[2]);
    return status;
}

static lw_status read_rotation(reader *r, lwi_xml_node *node, lw_mat3 *R)
{
    double rpy[3] = {0.0, 0.0, 0.0}, quat[4] = {1.0, 0.0, 0.0, 0.0};
    lw_location at = node->at;
    lw_status status = lwi_xml_read_numbers(node, "rpy", false, 3, rpy, r->report);
    status = first_error(status, lwi_xml_read_numbers(node, "quat", false, 4, quat, r->report));
    if (status != LW_OK || !lwi_xml_value(node, "quat", &at)) {
        *R = lw_rotation_rpy(rpy[0], rpy[1], rpy[2]);
        return status;
    }
    const double length =
        sqrt(quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3]);
    if (lwi_xml_value(node, "rpy", NULL)) {
        return lwi_report_error(r->report, at, LW_ERR_SYNTAX, "rpy and quat exclude each other");
    }
    if (!(fabs(length - 1.0) < 1e-3)) {
        return lwi_report_error(r->report, at, LW_ERR_MODEL,
                                "quat has length %g, must have 1; its order is w x y z", length);
    }
    *R = lw_rotation_quat((lw_quat){quat[0], quat[1], quat[2], quat[3]});
    return LW_OK;
}

static lw_status read_polygon(reader *r, lwi_xml_node *node, lw_constraint_def *def)
{
    double xy[2 * LW_CONSTRAINT_POLYGON];
    int count = 0;
    lw_status status =
        lwi_xml_read_list(node, "polygon", true, 2 * LW_CONSTRAINT_POLYGON, xy, &count, r->report);
    if (status == LW_OK && (count % 2 != 0 || count < 6)) {
        lw_location at = node->at;
        lwi_xml_value(node, "polygon", &at);
        status =
            lwi_report_error(r->report, at, LW_ERR_SYNTAX,
                             "polygon has %d numbers, and must have x and y of 3 to %d corners",
                             count, LW_CONSTRAINT_POLYGON);
    }
    def->ncorner = status == LW_OK ? count / 2 : 0;
    memcpy(def->corner, xy, 2 * (size_t)def->ncorner * sizeof *xy);
    return first_error(status, lwi_xml_read_number(node, "margin", false, &def->value, r->report));
}

// Positions of all coordinates, or of some by name: the others are those of the reference.
static lw_status read_positions(reader *r, lwi_xml_node *node, double *q)
{
    const lw_model *m = r->m;
    lw_status status = lwi_xml_read_numbers(node, "q", false, m->nq, q, r->report);
    for (lwi_xml_node *one = lwi_xml_child(node, "joint"); one; one = lwi_xml_next(one, "joint")) {
        const char *name = NULL;
        lw_location at = one->at;
        double value = 0.0;
        lw_status read = lwi_xml_read_name(one, "name", &name, r->report);
        read = first_error(read, lwi_xml_read_number(one, "q", true, &value, r->report));
        const int k = read == LW_OK ? lw_find_position(m, name) : -1;
        if (read == LW_OK && k < 0) {
            lw_nearest nearest;
            lw_nearest_init(&nearest, name);
            for (int i = 0; i < m->nq && r->suggestions < LWI_SUGGESTIONS; ++i) {
                lw_nearest_offer(&nearest, m->position_name[i]);
            }
            ++r->suggestions;
            lwi_xml_value(one, "name", &at);
            read = unknown_name(r, at, "position", name, &nearest);
        }
        if (k >= 0) {
            q[k] = value;
        }
        status = first_error(status, read);
    }
    return status;
}

static double *reference_copy(reader *r)
{
    const size_t nq = (size_t)r->m->nq;
    double *q = lwi_arena_take(&r->out->arena, nq + 1, sizeof *q);
    if (q) {
        memcpy(q, r->m->q_reference, nq * sizeof *q);
    }
    return q;
}

static lw_status read_joints(reader *r, lwi_xml_node *node, lw_constraint_def *def)
{
    lw_status status = LW_OK;
    if (def->type == LW_CONSTRAINT_JOINT) {
        status = read_dof(r, node, "joint", &def->dof);
        return first_error(status,
                           lwi_xml_read_number(node, "value", false, &def->value, r->report));
    }
    if (def->type == LW_CONSTRAINT_FUNCTION) {
        status = read_dof(r, node, "joint", &def->dof);
        status = first_error(status, read_dof(r, node, "of", &def->source));
        return first_error(status, lwi_xml_read_list(node, "terms", true, LW_CONSTRAINT_TERMS,
                                                     def->term, &def->nterm, r->report));
    }
    double *q = reference_copy(r);
    def->posture = q;
    return q ? read_positions(r, node, q) : no_memory(r);
}

// The smallest distance of the links, of which all elements have one lw_collide.
static lw_status read_clearance(reader *r, lwi_xml_node *node, lw_constraint_def *def)
{
    list *out = r->out;
    lw_clearance **clearance = &out->clearance[def - out->def];
    lw_status status = LW_OK;
    if (!out->list.collide) {
        status = lw_collide_create(r->m, &out->list.collide, r->report);
    }
    if (status == LW_OK && lw_collide_describe(out->list.collide)->npair == 0) {
        return lwi_report_error(r->report, node->at, LW_ERR_MODEL,
                                "no two links have collision shapes that are used");
    }
    status = status == LW_OK
                 ? lw_clearance_create(r->m, out->list.collide, (double)INFINITY, clearance)
                 : status;
    def->nrow = 1;
    def->kind = lw_clearance_kind();
    def->self = *clearance;
    return status == LW_ERR_MEMORY ? no_memory(r) : status;
}

// Bounds, weight and level, which all types take. One bound alone leaves the other side open.
static lw_status read_common(reader *r, lwi_xml_node *node, lw_constraint_def *def)
{
    const bool has_lower = lwi_xml_value(node, "lower", NULL);
    const bool has_upper = lwi_xml_value(node, "upper", NULL);
    double level = 0.0;
    def->lower = has_upper && !has_lower ? -(double)INFINITY : 0.0;
    def->upper = has_lower && !has_upper ? (double)INFINITY : 0.0;
    lw_status status = lwi_xml_read_number(node, "lower", false, &def->lower, r->report);
    status = first_error(status, lwi_xml_read_number(node, "upper", false, &def->upper, r->report));
    status =
        first_error(status, lwi_xml_read_number(node, "weight", false, &def->weight, r->report));
    status = first_error(status, lwi_xml_read_number(node, "level", false, &level, r->report));
    if (status == LW_OK &&
        !(level >= 0.0 && level < LW_CONSTRAINT_LEVELS && level == floor(level))) {
        lw_location at = node->at;
        lwi_xml_value(node, "level", &at);
        status = lwi_report_error(r->report, at, LW_ERR_MODEL,
                                  "level is %g, must be a whole number from 0 to %d", level,
                                  LW_CONSTRAINT_LEVELS - 1);
    }
    def->level = status == LW_OK ? (int)level : 0;
    return status;
}

static lw_status read_constraint(reader *r, lwi_xml_node *node, const element *e,
                                 lw_constraint_def *def)
{
    const char *name = NULL;
    lw_status status = lwi_xml_read_name(node, "name", &name, r->report);
    *def = lw_default_constraint_def(NULL, e->type);
    def->location = node->at;
    if (status == LW_OK) {
        def->name = lwi_arena_text(&r->out->arena, name, strlen(name));
        status = def->name ? LW_OK : no_memory(r);
    }
    if (e->has_frame) {
        status = first_error(status, read_frame(r, node, "frame", true, &def->frame));
        status = first_error(status, read_frame(r, node, "relative_to", false, &def->relative_to));
    }
    if (e->has_point) {
        status = first_error(status, read_vector(r, node, "point", false, &def->point));
    }
    if (e->has_axis) {
        status = first_error(status, read_vector(r, node, "axis", false, &def->axis));
    }
    if (e->has_position) {
        status = first_error(status, read_vector(r, node, "xyz", true, &def->target.p));
    }
    if (e->has_rotation) {
        status = first_error(status, read_rotation(r, node, &def->target.R));
    }
    if (e->direction) {
        status = first_error(status, read_vector(r, node, e->direction, true, &def->direction));
    }
    if (e->type == LW_CONSTRAINT_DISTANCE) {
        status =
            first_error(status, lwi_xml_read_number(node, "value", false, &def->value, r->report));
    } else if (e->type == LW_CONSTRAINT_BALANCE) {
        status = first_error(status, read_polygon(r, node, def));
    } else if (e->type == LW_CONSTRAINT_USER) {
        status = first_error(status, read_clearance(r, node, def));
    } else if (!e->has_frame && e->type != LW_CONSTRAINT_CENTER_OF_MASS) {
        status = first_error(status, read_joints(r, node, def));
    }
    return first_error(status, read_common(r, node, def));
}

// --- The set ----------------------------------------------------------------------------------

// Coordinates that move: all, or those that <move> elements name, each a joint or an assembly.
static lw_status read_moves(reader *r, lwi_xml_node *root)
{
    const lw_model *m = r->m;
    lw_status status = LW_OK;
    lwi_xml_node *node = lwi_xml_child(root, "move");
    if (!node) {
        return LW_OK;
    }
    r->out->moves = lwi_arena_take(&r->out->arena, (size_t)m->nv + 1, sizeof *r->out->moves);
    r->out->list.options.moves = r->out->moves;
    for (; node && r->out->moves; node = lwi_xml_next(node, "move")) {
        const char *name = NULL;
        const lw_status one = lwi_xml_read_name(node, "name", &name, r->report);
        status = first_error(status, one);
        const size_t length = one == LW_OK ? strlen(name) : 0;
        bool is_any = false;
        lw_nearest nearest;
        lw_nearest_init(&nearest, name ? name : "");
        for (int k = 0; k < m->nv && one == LW_OK; ++k) {
            const char *has = m->velocity_name[k];
            if (strncmp(has, name, length) == 0 &&
                (has[length] == '\0' || has[length] == '/' || has[length] == '.')) {
                r->out->moves[k] = is_any = true;
            }
            lw_nearest_offer(&nearest, has);
        }
        if (one == LW_OK && !is_any) {
            lw_location at = node->at;
            lwi_xml_value(node, "name", &at);
            status = first_error(status, unknown_name(r, at, "joint or assembly", name, &nearest));
        }
    }
    return r->out->moves ? status : no_memory(r);
}

static lw_status read_count(reader *r, lwi_xml_node *root, const char *attr, int *out)
{
    double value = 0.0;
    lw_location at = root->at;
    const lw_status status = lwi_xml_read_number(root, attr, false, &value, r->report);
    if (status != LW_OK || !lwi_xml_value(root, attr, &at)) {
        return status;
    }
    if (!(value >= 1.0 && value <= 1e6 && value == floor(value))) {
        return lwi_report_error(r->report, at, LW_ERR_MODEL,
                                "%s is %g, must be a whole number from 1 to 1000000", attr, value);
    }
    *out = (int)value;
    return LW_OK;
}

static lw_status read_settings(reader *r, lwi_xml_node *root)
{
    lw_constraint_options *o = &r->out->list.options;
    double version = 0.0;
    bool has_limits = true;
    lw_location at = root->at;
    lw_status status = lwi_xml_read_number(root, "version", true, &version, r->report);
    if (status == LW_OK && version != 1.0) {
        status = lwi_report_error(r->report, root->at, LW_ERR_SYNTAX,
                                  "version %g is not known; there is 1", version);
    }
    const char *name = lwi_xml_value(root, "name", NULL);
    r->out->list.name = name ? lwi_arena_text(&r->out->arena, name, strlen(name)) : "";
    status = first_error(status,
                         lwi_xml_read_number(root, "tolerance", false, &o->tolerance, r->report));
    if (lwi_xml_value(root, "tolerance", &at) && !(o->tolerance > 0.0)) {
        status =
            first_error(status, lwi_report_error(r->report, at, LW_ERR_MODEL,
                                                 "tolerance is %g, must be above 0", o->tolerance));
    }
    status = first_error(status, read_count(r, root, "iterations", &o->iterations));
    status = first_error(status, read_count(r, root, "starts", &o->starts));
    status = first_error(status, read_count(r, root, "repeats", &o->repeats));
    status = first_error(status, lwi_xml_read_bool(root, "limits", &has_limits, r->report));
    o->ignores_limits = !has_limits;
    return r->out->list.name ? status : no_memory(r);
}

static const element *element_of(const lwi_xml_node *node)
{
    for (int i = 0; i < NELEMENT; ++i) {
        if (strcmp(elements[i].tag, node->tag) == 0) {
            return &elements[i];
        }
    }
    return NULL;
}

static lw_status read_root(reader *r, lwi_xml_node *root)
{
    if (strcmp(root->tag, "constraints") != 0) {
        return lwi_report_error(r->report, root->at, LW_ERR_SYNTAX,
                                "a file of constraints begins with <constraints>, not <%s>",
                                root->tag);
    }
    root->is_used = true;
    list *out = r->out;
    lw_status status = read_settings(r, root);
    status = first_error(status, read_moves(r, root));
    lwi_xml_node *start = lwi_xml_only(root, "start", r->report);
    out->seed = reference_copy(r);
    out->list.seed = out->seed;
    out->list.has_seed = start != NULL;
    if (!out->seed) {
        return no_memory(r);
    }
    status = start ? first_error(status, read_positions(r, start, out->seed)) : status;
    int count = 0;
    for (lwi_xml_node *node = root->first_child; node; node = node->next) {
        count += element_of(node) != NULL;
    }
    if (count == 0 || count > MOST_CONSTRAINTS) {
        return first_error(status, lwi_report_error(r->report, root->at, LW_ERR_MODEL,
                                                    count == 0 ? "it has no constraints"
                                                               : "it has too many constraints"));
    }
    out->def = lwi_arena_take(&out->arena, (size_t)count, sizeof *out->def);
    out->clearance = lwi_arena_take(&out->arena, (size_t)count, sizeof *out->clearance);
    out->list.def = out->def;
    if (!out->def || !out->clearance) {
        return no_memory(r);
    }
    for (lwi_xml_node *node = root->first_child; node; node = node->next) {
        const element *e = element_of(node);
        if (e) {
            node->is_used = true;
            out->clearance[out->list.n] = NULL;
            status = first_error(status, read_constraint(r, node, e, &out->def[out->list.n++]));
        }
    }
    return status;
}

// Locations outlive the document, but not the caller's name of the file.
static lw_status keep_file(list *out, const char *name)
{
    const char *file = lwi_arena_text(&out->arena, name, strlen(name));
    for (int i = 0; i < out->list.n && file; ++i) {
        out->def[i].location.file = file;
    }
    return file ? LW_OK : LW_ERR_MEMORY;
}

lw_status lw_constraint_list_load_text(const char *name, const char *text, size_t size,
                                       const lw_model *m, lw_constraint_list **made,
                                       lw_report *report)
{
    static const char *const known[] = {
        "pose",     "position", "orientation", "direction",      "plane",       "line",
        "distance", "look_at",  "face",        "balance",        "joint",       "function",
        "posture",  "start",    "move",        "center_of_mass", "xyz",         "rpy",
        "quat",     "point",    "axis",        "frame",          "relative_to", "normal",
        "polygon",  "level",    "weight",      "clearance",      NULL};
    if (made) {
        *made = NULL;
    }
    if (!name || !text || !m || !made) {
        return LW_ERR_ARGUMENT;
    }
    list *out = calloc(1, sizeof *out);
    reader r = {.m = m, .out = out, .report = report};
    lwi_xml_doc *doc = NULL;
    lw_status status = out ? lwi_xml_parse(name, text, size, &doc, report) : no_memory(&r);
    if (status == LW_OK) {
        status = read_root(&r, lwi_xml_root(doc));
        lwi_xml_report_unused(doc, known, report);
        status = first_error(status, keep_file(out, name));
    }
    lwi_xml_destroy(doc);
    if (status != LW_OK) {
        lw_constraint_list_destroy(out ? &out->list : NULL);
        return status;
    }
    *made = &out->list;
    return LW_OK;
}

lw_status lw_constraint_list_load(const char *path, const lw_model *m, lw_constraint_list **made,
                                  lw_report *report)
{
    if (made) {
        *made = NULL;
    }
    if (!path || !m || !made) {
        return LW_ERR_ARGUMENT;
    }
    char *text = NULL;
    size_t size = 0;
    const lw_location at = {.file = path};
    lw_status status = lwi_read_file(path, FILE_LIMIT, at, &text, &size, report);
    if (status == LW_OK) {
        status = lw_constraint_list_load_text(path, text, size, m, made, report);
    }
    free(text);
    return status;
}

void lw_constraint_list_destroy(lw_constraint_list *made)
{
    if (made) {
        list *own = (list *)(void *)made;
        lwi_arena arena = own->arena;
        for (int i = 0; i < made->n; ++i) {
            lw_clearance_destroy(own->clearance[i]);
        }
        lw_collide_destroy(made->collide);
        free(own);
        lwi_arena_free(&arena);
    }
}
