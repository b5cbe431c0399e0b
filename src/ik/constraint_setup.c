// Creation of a set of constraints: checks, memory, and the coordinates that move.
#include "constraint_set.h"

#include "../base/report.h"
#include "../kin/finite.h"
#include "../math/pi.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

lw_constraint_def lw_default_constraint_def(const char *name, lw_constraint_type type)
{
    const lw_constraint_def def = {.name = name,
                                   .type = type,
                                   .relative_to = -1,
                                   .axis = {0.0, 0.0, 1.0},
                                   .target = lw_pose_identity(),
                                   .direction = {0.0, 0.0, 1.0},
                                   .weight = 1.0};
    return def;
}

const char *lw_constraint_status_name(lw_constraint_status status)
{
    static const char *const name[] = {"solved", "best", "stopped"};
    return (unsigned)status <= LW_CONSTRAINTS_STOPPED ? name[status] : "unknown";
}

// --- Checks -----------------------------------------------------------------------------------

static bool reads_frame(lw_constraint_type type)
{
    return type <= LW_CONSTRAINT_FACE || type == LW_CONSTRAINT_TWIST;
}

static bool reads_direction(lw_constraint_type type)
{
    return type == LW_CONSTRAINT_DIRECTION || type == LW_CONSTRAINT_PLANE ||
           type == LW_CONSTRAINT_LINE || type == LW_CONSTRAINT_FACE;
}

static bool reads_axis(lw_constraint_type type)
{
    return type == LW_CONSTRAINT_DIRECTION || type == LW_CONSTRAINT_LOOK_AT ||
           type == LW_CONSTRAINT_FACE;
}

static bool is_vector(lw_vec3 a)
{
    const double square = lw_dot3(a, a); // lengths are computed from it
    return isfinite(square);
}

static bool is_rotation(const lw_mat3 *R)
{
    double worst = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            worst = fmax(worst, fabs(lw_dot3(R->row[i], R->row[k]) - (i == k)));
        }
    }
    return worst < 1e-6 && lw_dot3(lw_cross3(R->row[0], R->row[1]), R->row[2]) > 0.0;
}

static bool is_direction(lw_vec3 a)
{
    return is_vector(a) && (a.x != 0.0 || a.y != 0.0 || a.z != 0.0);
}

// Corners turn the same way all around once, and no edge is a point.
static bool is_convex(const lw_constraint_def *def)
{
    const double sign = lwi_polygon_area(def) > 0.0 ? 1.0 : -1.0;
    bool is = def->ncorner >= 3 && lwi_polygon_area(def) != 0.0;
    for (int i = 0; i < def->ncorner && is; ++i) {
        const double *a = def->corner[i], *b = def->corner[(i + 1) % def->ncorner];
        is = hypot(b[0] - a[0], b[1] - a[1]) > 0.0;
        for (int k = 0; k < def->ncorner && is; ++k) { // every corner is on the inner side
            const double *c = def->corner[k];
            is = sign * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) >= 0.0;
        }
    }
    return is;
}

// What is wrong with the numbers of a constraint; null where nothing is.
static const char *wrong_numbers(const lw_constraint_def *def)
{
    const lw_constraint_type type = def->type;
    bool is_finite =
        isfinite(def->value) && isfinite(def->weight) && !isnan(def->lower) && !isnan(def->upper);
    if (reads_frame(type)) {
        is_finite = is_finite && is_vector(def->point) && is_vector(def->target.p);
    }
    is_finite =
        is_finite && (type != LW_CONSTRAINT_CENTER_OF_MASS || is_vector(def->target.p)) &&
        (!reads_axis(type) || is_vector(def->axis)) &&
        (!reads_direction(type) || is_vector(def->direction)) &&
        (type != LW_CONSTRAINT_FUNCTION || lwi_all_finite(def->term, def->nterm)) &&
        (type != LW_CONSTRAINT_BALANCE || lwi_all_finite(&def->corner[0][0], 2 * def->ncorner));
    if (!is_finite) {
        return "a number is not finite, or so large that its square is not";
    }
    if ((type == LW_CONSTRAINT_POSE || type == LW_CONSTRAINT_ORIENTATION) &&
        !is_rotation(&def->target.R)) {
        return "the orientation of the target is no rotation";
    }
    if (reads_axis(type) && !is_direction(def->axis)) {
        return "its axis has length zero";
    }
    if (reads_direction(type) && !is_direction(def->direction)) {
        return "its direction has length zero";
    }
    if (type == LW_CONSTRAINT_DISTANCE && def->value < 0.0) {
        return "its distance is negative";
    }
    if (type == LW_CONSTRAINT_BALANCE && !is_convex(def)) {
        return "its polygon is not convex, or its corners are not in order around it";
    }
    if (!(def->weight > 0.0)) {
        return "its weight must be above 0; leave the constraint out instead";
    }
    if (type == LW_CONSTRAINT_FACE && def->lower < def->upper) {
        return "a face contact has no bounds; give a plane and a direction bounds instead";
    }
    if (!(def->lower <= def->upper) || def->lower == (double)INFINITY ||
        def->upper == -(double)INFINITY) {
        return "its lower bound is above its upper bound: no value is within them";
    }
    return NULL;
}

static bool is_single(const lw_model *m, int dof)
{
    return dof >= 0 && dof < m->tree_nv && lwi_tree_position(m, dof) >= 0;
}

// What is wrong with the structure of a constraint: what lw_constraints_update() cannot change.
static const char *wrong_structure(const lw_model *m, const lw_constraint_def *def)
{
    const lw_constraint_type type = def->type;
    if ((unsigned)type > LW_CONSTRAINT_USER) {
        return "its type is unknown";
    }
    if (reads_frame(type) && (def->frame < 0 || def->frame >= m->nframe_all ||
                              def->relative_to < -1 || def->relative_to >= m->nframe_all)) {
        return "the mechanism has no such frame";
    }
    if (reads_frame(type) && def->frame == def->relative_to) {
        return "its two frames are the same";
    }
    if ((type == LW_CONSTRAINT_JOINT || type == LW_CONSTRAINT_FUNCTION) &&
        !is_single(m, def->dof)) {
        return "the mechanism has no such joint of one degree of freedom";
    }
    if (type == LW_CONSTRAINT_FUNCTION &&
        (!is_single(m, def->source) || def->nterm < 1 || def->nterm > LW_CONSTRAINT_TERMS)) {
        return "its function needs a joint of one degree of freedom and 1 to 8 coefficients";
    }
    if (type == LW_CONSTRAINT_BALANCE &&
        (def->ncorner < 3 || def->ncorner > LW_CONSTRAINT_POLYGON)) {
        return "its polygon needs 3 to 16 corners";
    }
    if (type == LW_CONSTRAINT_USER &&
        (!def->kind || !def->kind->evaluate || def->nrow < 1 || def->nrow > LW_CONSTRAINT_ROWS)) {
        return "its kind has no function, or no rows";
    }
    return def->level >= 0 && def->level < LW_CONSTRAINT_LEVELS ? NULL : "its level must be 0 to 7";
}

static bool is_same_vector(lw_vec3 a, lw_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Whether two equalities of one level want one thing to be at different targets.
static bool contradicts(const lw_constraint_def *a, const lw_constraint_def *b)
{
    if (a->type != b->type || a->level != b->level || a->lower < a->upper || b->lower < b->upper) {
        return false;
    }
    switch (a->type) {
    case LW_CONSTRAINT_POSE:
    case LW_CONSTRAINT_ORIENTATION:
    case LW_CONSTRAINT_POSITION:
        return a->frame == b->frame && a->relative_to == b->relative_to &&
               is_same_vector(a->point, b->point) &&
               memcmp(&a->target, &b->target, sizeof a->target) != 0;
    case LW_CONSTRAINT_JOINT:
        return a->dof == b->dof && a->value != b->value;
    case LW_CONSTRAINT_CENTER_OF_MASS:
        return !is_same_vector(a->target.p, b->target.p);
    default:
        return false;
    }
}

static lw_status check_all(const lw_model *m, int n, const lw_constraint_def *def,
                           lw_report *report)
{
    lw_status status = LW_OK;
    for (int i = 0; i < n; ++i) {
        const char *name = def[i].name ? def[i].name : "";
        const char *structure = wrong_structure(m, &def[i]);
        const char *numbers = structure ? NULL : wrong_numbers(&def[i]);
        if (!structure && !numbers && def[i].type == LW_CONSTRAINT_POSTURE && def[i].posture &&
            lwi_check_position(m, def[i].posture) != LW_OK) {
            numbers = "a number of its posture is not finite, or a quaternion has length zero";
        }
        lw_status one = structure || numbers || !*name ? LW_ERR_MODEL : LW_OK;
        if (!*name) {
            lwi_report_error(report, def[i].location, one, "a constraint has no name");
        } else if (one != LW_OK) {
            one = numbers && strncmp(numbers, "a number", 8) == 0 ? LW_ERR_NUMBER : LW_ERR_MODEL;
            lwi_report_error(report, def[i].location, one, "constraint \"%s\": %s", name,
                             structure ? structure : numbers);
        }
        for (int k = 0; k < i && one == LW_OK && def[k].name; ++k) {
            if (strcmp(def[k].name, name) == 0) {
                one = lwi_report_error(report, def[i].location, LW_ERR_NAME,
                                       "two constraints are named \"%s\"", name);
            } else if (contradicts(&def[k], &def[i])) {
                lwi_report_warning(report, def[i].location, LW_DIAG_CONSTRAINTS_CONTRADICT,
                                   "constraints \"%s\" and \"%s\" contradict each other: one thing "
                                   "has two targets; give them different levels",
                                   def[k].name, name);
            }
        }
        status = status != LW_OK ? status : one;
    }
    return status;
}

// --- Memory -----------------------------------------------------------------------------------

static void lay_out_rows(lw_constraints *set, lwi_slicer *s, lwi_rows *rows)
{
    const size_t nrow = (size_t)set->nrow;
    rows->q = lwi_slice(s, (size_t)set->m->nq, sizeof(double));
    rows->value = lwi_slice(s, nrow, sizeof(double));
    rows->e = lwi_slice(s, nrow, sizeof(double));
    rows->A = lwi_slice(s, nrow * (size_t)set->n, sizeof(double));
}

// A stack has the rows of all levels but the last, or n for each level that is not met.
static void lay_out_stack(lw_constraints *set, lwi_slicer *s, lwi_stack *stack)
{
    const size_t n = (size_t)set->n;
    const size_t most = set->nlevel > 1 ? (size_t)set->nrow + (size_t)set->nlevel * n : 0;
    stack->C = lwi_slice(s, most * n, sizeof(double));
    stack->V = lwi_slice(s, most * n, sizeof(double));
    stack->c = lwi_slice(s, most, sizeof(double));
    stack->mu = lwi_slice(s, most, sizeof(double));
    stack->z = lwi_slice(s, most, sizeof(double));
    stack->row = lwi_slice(s, most, sizeof(int));
    stack->work = lwi_slice(s, most * most, sizeof(double));
}

// Arrays of the sizes that are in *set; a null base counts.
static void lay_out(lw_constraints *set, lwi_slicer *s)
{
    const lw_model *m = set->m;
    const size_t nrow = (size_t)set->nrow, n = (size_t)set->n, nv = (size_t)m->nv;
    set->item = lwi_slice(s, (size_t)set->nitem, sizeof *set->item);
    set->lower = lwi_slice(s, nrow, sizeof(double));
    set->upper = lwi_slice(s, nrow, sizeof(double));
    set->weight = lwi_slice(s, nrow, sizeof(double));
    set->row_level = lwi_slice(s, nrow, sizeof(int));
    set->column = lwi_slice(s, n, sizeof(int));
    set->position = lwi_slice(s, n, sizeof(int));
    set->center_J = lwi_slice(s, set->has_center ? 3 * nv : 0, sizeof(double));
    set->dependent = lwi_slice(s, (size_t)set->ndependent, sizeof(int));
    set->S = lwi_slice(s, (size_t)m->tree_nv, sizeof *set->S);
    set->J = lwi_slice(s, (size_t)set->widest * (size_t)m->tree_nv, sizeof(double));
    for (int i = 0; i < LWI_ROWS_KEPT; ++i) {
        lay_out_rows(set, s, &set->at[i]);
    }
    set->v = lwi_slice(s, nv, sizeof(double));
    set->seed = lwi_slice(s, (size_t)m->nq, sizeof(double));
    lay_out_stack(set, s, &set->stack);
    set->is_fixed = lwi_slice(s, n, sizeof(bool));
    set->is_locked = lwi_slice(s, n, sizeof(bool));
    double **const vectors[] = {
        &set->g,   &set->lagrangian, &set->dq,  &set->rhs, &set->limit_multiplier,
        &set->low, &set->high,       &set->wide};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) {
        *vectors[i] = lwi_slice(s, n, sizeof(double));
    }
    const size_t larger = nrow > n ? nrow : n;
    set->reduced = lwi_slice(s, nrow * n, sizeof(double));
    set->transposed = lwi_slice(s, nrow * n, sizeof(double));
    set->H = lwi_slice(s, n * n, sizeof(double));
    set->reduced_H = lwi_slice(s, n * n, sizeof(double));
    set->held =
        lwi_slice(s, set->nlevel > 1 ? (size_t)set->nlevel * n * (n + 1) : 0, sizeof(double));
    set->N = lwi_slice(s, larger * larger, sizeof(double));
    set->dual = lwi_slice(s, larger, sizeof(double));
    set->outcome = lwi_slice(s, (size_t)set->ncopy, sizeof *set->outcome);
    set->active = lwi_slice(s, n, sizeof *set->active);
    set->group = lwi_slice(s, n, sizeof(int));
    set->limit_group = lwi_slice(s, n, sizeof(int));
    set->share = lwi_slice(s, (size_t)set->nitem * n, sizeof(double));
    set->posture =
        lwi_slice(s, set->has_posture ? (size_t)set->nitem * (size_t)m->nq : 0, sizeof(double));
    set->names = lwi_slice(s, set->name_bytes, 1);
}

// --- Creation ---------------------------------------------------------------------------------

static bool has_limits(const lw_dof *dof)
{
    return isfinite(dof->lower) || isfinite(dof->upper);
}

// Dependent joints with limits: all of them where dof is null.
static int list_dependent(const lw_model *m, int *dof)
{
    int n = 0;
    for (int k = 0; k < m->tree_nv; ++k) {
        bool is_independent = false;
        for (int i = 0; i < m->nv && !is_independent; ++i) {
            is_independent = m->v_tree[i] == k;
        }
        if (!is_independent && has_limits(&m->dof[k]) && lwi_tree_position(m, k) >= 0) {
            if (dof) {
                dof[n] = k;
            }
            ++n;
        }
    }
    return n;
}

// Sizes, before there is memory.
static void count(lw_constraints *set, int n, const lw_constraint_def *def,
                  const lw_constraint_options *options)
{
    const lw_model *m = set->m;
    set->ncopy = n;
    for (int k = 0; k < m->nv; ++k) {
        set->n += !options->moves || options->moves[k];
    }
    set->ndependent = options->ignores_limits ? 0 : list_dependent(m, NULL);
    set->nitem = n + (set->ndependent > 0);
    set->nrow = set->widest = set->ndependent;
    int last = 0;
    for (int i = 0; i < n; ++i) {
        const int rows = lwi_constraint_row_count(&def[i], set->n);
        set->nrow += rows;
        set->widest = rows > set->widest ? rows : set->widest;
        last = def[i].level > last ? def[i].level : last;
        set->name_bytes += strlen(def[i].name) + 1;
        set->has_posture = set->has_posture || def[i].type == LW_CONSTRAINT_POSTURE;
        set->has_center = set->has_center || def[i].type == LW_CONSTRAINT_CENTER_OF_MASS ||
                          def[i].type == LW_CONSTRAINT_BALANCE;
    }
    set->ncopy_rows = set->nrow - set->ndependent;
    set->nlevel = last + 1 + (set->ndependent > 0);
    set->tolerance = options->tolerance > 0.0 ? options->tolerance : 1e-9;
    set->iterations = options->iterations > 0 ? options->iterations : 60;
    set->starts = options->starts > 0 ? options->starts : 24;
    set->repeats = options->repeats > 0 ? options->repeats : 5;
}

static void list_columns(lw_constraints *set, const lw_constraint_options *options)
{
    const lw_model *m = set->m;
    int n = 0;
    for (int k = 0; k < m->nv; ++k) {
        if (options->moves && !options->moves[k]) {
            continue;
        }
        int body = 0;
        while (m->v_start[body + 1] <= m->v_tree[k]) {
            ++body;
        }
        const lw_dof *dof = &m->dof[m->v_tree[k]];
        const bool is_bounded = !options->ignores_limits && lw_position_of_dof(m, k) >= 0;
        set->column[n] = k;
        set->position[n] = lw_position_of_dof(m, k);
        set->wide[n] = m->carrier[body] == LW_TREE_PRISMATIC ? 0.5 : LWI_PI;
        set->low[n] = is_bounded ? dof->lower : -(double)INFINITY;
        set->high[n] = is_bounded ? dof->upper : (double)INFINITY;
        ++n;
    }
}

// Numbers of a constraint into its rows; directions to length 1.
static void take_numbers(lw_constraints *set, lwi_constraint *c, const lw_constraint_def *def)
{
    const char *name = c->def.name;
    double *posture = NULL;
    if (def->type == LW_CONSTRAINT_POSTURE) {
        posture = set->posture + (size_t)(c - set->item) * (size_t)set->m->nq;
        memcpy(posture, def->posture ? def->posture : set->m->q_reference,
               (size_t)set->m->nq * sizeof *posture);
    }
    c->def = *def;
    c->def.name = name;
    c->def.posture = posture;
    c->def.axis = reads_axis(def->type) ? lw_unit3(def->axis) : def->axis;
    c->def.direction = reads_direction(def->type) ? lw_unit3(def->direction) : def->direction;
    const bool is_balance = def->type == LW_CONSTRAINT_BALANCE;
    const bool is_twist = def->type == LW_CONSTRAINT_TWIST;
    for (int i = 0; i < c->nrow; ++i) {
        set->lower[c->first + i] = is_balance ? def->value : is_twist ? 0.0 : def->lower;
        set->upper[c->first + i] = is_balance ? (double)INFINITY : is_twist ? 0.0 : def->upper;
        set->weight[c->first + i] = sqrt(def->weight);
    }
}

static void take_items(lw_constraints *set, int n, const lw_constraint_def *def)
{
    char *name = set->names;
    int first = 0;
    for (int i = 0; i < set->nitem; ++i) {
        lwi_constraint *c = &set->item[i];
        c->set = set;
        c->self = c;
        c->first = first;
        c->nrow = i < n ? lwi_constraint_row_count(&def[i], set->n) : set->ndependent;
        c->level = i < n ? def[i].level + (set->ndependent > 0) : 0;
        first += c->nrow;
        for (int r = c->first; r < first; ++r) {
            set->row_level[r] = c->level;
        }
        if (i < n) {
            c->kind = def[i].type == LW_CONSTRAINT_USER ? *def[i].kind
                                                        : lwi_constraint_kind_of(def[i].type);
            c->self = def[i].type == LW_CONSTRAINT_USER ? def[i].self : c;
            c->def.name = name;
            memcpy(name, def[i].name, strlen(def[i].name) + 1);
            name += strlen(def[i].name) + 1;
            take_numbers(set, c, &def[i]);
        } else {
            c->kind = (lw_constraint_kind){"limits", lwi_dependent_limits};
        }
    }
    list_dependent(set->m, set->dependent);
    for (int i = 0; i < set->ndependent; ++i) {
        const int r = set->item[n].first + i;
        set->lower[r] = set->m->dof[set->dependent[i]].lower;
        set->upper[r] = set->m->dof[set->dependent[i]].upper;
        set->weight[r] = 1.0;
    }
}

// The chain of a pose, where it has a closed form and all its joints move.
static lw_status find_chain(lw_constraints *set, lwi_constraint *c)
{
    const lw_constraint_def *def = &c->def;
    if (def->type != LW_CONSTRAINT_POSE || def->level > 0 || def->lower < def->upper) {
        return LW_OK;
    }
    const lw_ik_def chain = lw_default_ik_def(def->relative_to, def->frame);
    const lw_status status = lw_ik_create(set->m, &chain, &c->chain, NULL);
    if (status != LW_OK) {
        return status == LW_ERR_MEMORY ? status : LW_OK; // others have no solver
    }
    const lw_ik_info *info = lw_ik_describe(c->chain);
    bool moves = info->method == LW_IK_CLOSED_FORM;
    for (int i = 0; i < info->njoint && moves; ++i) {
        bool is_among = false;
        for (int k = 0; k < set->n && !is_among; ++k) {
            is_among = set->position[k] == info->position[i] && info->position[i] >= 0;
        }
        moves = is_among;
    }
    if (!moves) {
        lw_ik_destroy(c->chain);
        c->chain = NULL;
    }
    return LW_OK;
}

static const lw_location nowhere = {0};

lw_status lw_constraints_create(const lw_model *m, int n, const lw_constraint_def *def,
                                const lw_constraint_options *options, lw_constraints **set,
                                lw_report *report)
{
    if (!set) {
        return LW_ERR_ARGUMENT;
    }
    *set = NULL;
    const lw_constraint_options none = {0};
    options = options ? options : &none;
    if (!m || n < 0 || (n > 0 && !def) || !(options->tolerance >= 0.0) ||
        !isfinite(options->tolerance) || options->iterations < 0 || options->starts < 0 ||
        options->repeats < 0) {
        return lwi_report_error(report, nowhere, LW_ERR_ARGUMENT,
                                "constraints: an argument is null or out of range");
    }
    if (n == 0) {
        return lwi_report_error(report, nowhere, LW_ERR_MODEL, "the set has no constraints");
    }
    const lw_status status = check_all(m, n, def, report);
    if (status != LW_OK) {
        return status;
    }
    lw_constraints sizes = {.m = m};
    count(&sizes, n, def, options);
    if (sizes.nrow > LW_CONSTRAINT_ROWS) {
        return lwi_report_error(report, nowhere, LW_ERR_LIMIT,
                                "the set has %d rows, and may have %d", sizes.nrow,
                                LW_CONSTRAINT_ROWS);
    }
    lwi_slicer s = {0};
    lwi_slice(&s, 1, sizeof sizes);
    lay_out(&sizes, &s);
    const size_t own = aligned_size(s.used);
    char *block = aligned_alloc(LWI_ALIGN, own + aligned_size(lw_data_size(m)));
    if (!block) {
        return lwi_report_error(report, nowhere, LW_ERR_MEMORY, "%s",
                                lw_status_text(LW_ERR_MEMORY));
    }
    memset(block, 0, own);
    s = (lwi_slicer){.base = block};
    lw_constraints *made = lwi_slice(&s, 1, sizeof *made);
    *made = sizes;
    lay_out(made, &s);
    lw_data_init(m, block + own, &made->d);
    list_columns(made, options);
    take_items(made, n, def);
    lw_status chains = LW_OK;
    for (int i = 0; i < n && chains == LW_OK; ++i) {
        chains = find_chain(made, &made->item[i]);
    }
    if (chains != LW_OK) {
        lw_constraints_destroy(made);
        return lwi_report_error(report, nowhere, chains, "%s", lw_status_text(chains));
    }
    *set = made;
    return LW_OK;
}

void lw_constraints_destroy(lw_constraints *set)
{
    for (int i = 0; set && i < set->nitem; ++i) {
        lw_ik_destroy(set->item[i].chain);
    }
    free(set);
}

lw_status lw_constraints_update(lw_constraints *set, int i, const lw_constraint_def *def)
{
    if (!set || i < 0 || i >= set->ncopy || !def) {
        return LW_ERR_ARGUMENT;
    }
    lwi_constraint *c = &set->item[i];
    const lw_constraint_def *old = &c->def;
    if (wrong_structure(set->m, def) || def->type != old->type || def->frame != old->frame ||
        def->relative_to != old->relative_to || def->level != old->level || def->dof != old->dof ||
        def->source != old->source || def->kind != old->kind ||
        (def->type == LW_CONSTRAINT_USER ? def->nrow : lwi_constraint_row_count(def, set->n)) !=
            c->nrow) {
        return LW_ERR_ARGUMENT;
    }
    if (wrong_numbers(def) || (def->posture && def->type == LW_CONSTRAINT_POSTURE &&
                               lwi_check_position(set->m, def->posture) != LW_OK)) {
        return LW_ERR_NUMBER;
    }
    take_numbers(set, c, def);
    return LW_OK;
}

int lw_constraints_rows(const lw_constraints *set, int i, int *first)
{
    const bool is_one = set && i >= 0 && i < set->ncopy;
    if (first) {
        *first = is_one ? set->item[i].first : 0;
    }
    return is_one ? set->item[i].nrow : 0;
}
