// Which degrees of freedom are dependent. All constraints together are a matrix on the rates of the
// tree's degrees of freedom (constraint_matrix.c). Columns are eliminated in an order of
// preference: targets of couplings, degrees of freedom marked dependent, transmission and shafts of
// drives, then, where no mark helps, degrees of freedom without a drive from the tips inward, ball
// and free joints, and driven ones last. Those that find a pivot are the dependent ones.
//
// Preference alone would take what hardly moves the loop: a pivot of 1e-8 is a mechanism that
// cannot move by a hundredth of a radian. So a degree of freedom is passed over while its pivot is
// small beside what the others offer (threshold pivoting, as for sparse matrices: Duff, Erisman and
// Reid 1986), at the reference or at one of the configurations around it, and is tried again with a
// lower threshold when the better ones are used up.
#include "close.h"

#include "../base/report.h"
#include "../base/text.h"
#include "constraint_matrix.h"

#include <stdio.h>
#include <string.h>

// Pivots are sines, more or less: 0.05 is three degrees off a singular configuration.
static const double good_pivot = 0.05, fair_pivot = 1e-3;

typedef struct choice {
    lwi_build *b;
    lwi_constraint_matrix s;
    int marked;
    char *is_coupled, *is_driven, *is_new; ///< [tree_nv]
    char *is_first;                        ///< [nbody] ball and free joints that go before scalars
    char *is_excluded;                     ///< [nbody] those that are determined in part only
} choice;

static bool take(choice *k, int v, double least)
{
    const int c = k->s.column ? k->s.column[v] : -1;
    if (c < 0 || k->b->is_target[v] || !lwi_constraint_eliminate(&k->s, c, least)) {
        return false;
    }
    k->b->is_target[v] = 1;
    return true;
}

static lw_location location_of(const lwi_build *b, int v)
{
    for (int j = 0; j < b->njoint; ++j) {
        const lw_joint_info *info = &b->joint[j].info;
        if (v >= info->v && v < info->v + info->nv && b->joint[j].flat >= 0) {
            return b->flat[b->joint[j].flat].location;
        }
    }
    return (lw_location){0};
}

static bool is_passive(const lw_dof *f)
{
    return f->rotor_inertia == 0.0 && !(f->max_force < (double)INFINITY);
}

static bool turns_driven(const lwi_build *b, const lwi_built_gear *row, const char *is_driven)
{
    for (int k = 0; k < row->ndof; ++k) {
        const int v = row->dof[k];
        if (is_driven[v] && b->joint[b->body[lwi_body_of_v(b, v)].joint].info.is_shaft) {
            return true;
        }
    }
    return false;
}

// Degrees of freedom that drives move, directly or over gearboxes in series.
static void find_driven(const lwi_build *b, char *is_driven)
{
    for (int k = 0; k < b->ndrive; ++k) {
        const lwi_axis *axis = &b->axis[b->drive[k]];
        is_driven[axis->v >= 0 ? axis->v : axis->shared] = 1;
    }
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (int g = 0; g < b->ngear; ++g) {
            const lwi_built_gear *row = &b->gear[g];
            if (row->def || !turns_driven(b, row, is_driven)) {
                continue;
            }
            for (int k = 0; k < row->ndof; ++k) {
                is_new |= !is_driven[row->dof[k]];
                is_driven[row->dof[k]] = 1;
            }
        }
    }
}

// What the conditions come from, for messages. A drive that turns a joint directly sets none.
static const char *source_of(const lwi_build *b)
{
    bool has_gear = false;
    for (int g = 0; g < b->ngear; ++g) {
        has_gear |= b->gear[g].def || b->gear[g].box;
    }
    return !has_gear ? "the loops" : b->nloop == 0 ? "the gears" : "the loops and gears";
}

static void report_taken(lwi_build *b, int v, const char *name, bool is_driven, bool has_part)
{
    if (is_driven) {
        lwi_report_warning(
            b->report, location_of(b, v), LW_DIAG_DRIVE_DEPENDENT,
            "joint \"%s\" has a drive, but has to be dependent: %s determine it, and %s", name,
            source_of(b),
            has_part ? "joints without a drive that could be in its place only in part"
                     : "leave no joint without a drive that could be in its place");
        return;
    }
    lwi_report_note(b->report, location_of(b, v), LW_DIAG_DEPENDENT_CHOSEN,
                    "joint \"%s\" is taken as dependent: %s determine it", name, source_of(b));
}

static void report_too_few(lwi_build *b, int v, const char *name)
{
    lwi_report_error(
        b->report, location_of(b, v), LW_ERR_MODEL,
        "%s determine more degrees of freedom than are marked dependent: \"%s\" would have to be "
        "one too",
        source_of(b), name);
}

// A joint that is said to be dependent, but that nothing could determine.
static void report_undetermined(lwi_build *b, int v, const lwi_constraint_matrix *s)
{
    const bool is_touched = s->column && s->column[v] >= 0;
    if (is_touched && b->open_loop >= 0) { // what it leaves free means nothing then
        const lwi_flat *flat = &b->flat[b->loop[b->open_loop].flat];
        lwi_report_error(b->report, flat->location, LW_ERR_LOOP_OPEN,
                         "loop \"%s\" cannot be closed near the reference configuration: a gap of "
                         "%.4g m stays open",
                         flat->name, b->open_gap);
        return;
    }
    if (b->is_simplified) { // what determines it at another level is not there
        lwi_report_note(b->report, location_of(b, v), LW_DIAG_DEPENDENT_RELEASED,
                        "joint \"%s\" is marked dependent, but nothing determines it at these "
                        "levels: it is independent here",
                        b->tree_v_name[v]);
        return;
    }
    lwi_report_error(
        b->report, location_of(b, v), LW_ERR_MODEL,
        is_touched ? "joint \"%s\" is marked dependent, but %s leave it free: too many are marked, "
                     "or the wrong ones"
                   : "joint \"%s\" is marked dependent, but no loop and no coupling "
                     "determines it",
        b->tree_v_name[v], source_of(b));
}

static lw_status check_couplings(lwi_build *b, char *is_coupled)
{
    int *first = lwi_arena_take(b->arena, (size_t)b->tree_nv, sizeof *first);
    if (!first) {
        return lwi_build_no_memory(b);
    }
    for (int k = 0; k < b->ncoupling; ++k) {
        const int target = b->coupling[k].target;
        if (is_coupled[target]) {
            const lwi_built_coupling *one = &b->coupling[first[target]], *two = &b->coupling[k];
            char here[LWI_LOCATION_SIZE + 3], there[LWI_LOCATION_SIZE + 3];
            lwi_report_error(
                b->report, two->def->location, LW_ERR_MODEL,
                "\"%s\" follows both \"%s\"%s and \"%s\"%s", b->tree_v_name[target],
                b->tree_v_name[one->source], lwi_location_aside(one->def->location, here),
                b->tree_v_name[two->source], lwi_location_aside(two->def->location, there));
            continue;
        }
        is_coupled[target] = 1;
        first[target] = k;
        b->is_target[target] = 1;
    }
    return LW_OK;
}

static void try_marked(choice *k)
{
    const lwi_build *b = k->b;
    k->marked = 0;
    for (int j = 0; j < b->njoint; ++j) {
        const lw_joint_info *info = &b->joint[j].info;
        if (!b->joint[j].def || !b->joint[j].def->dependent) {
            continue;
        }
        for (int v = info->v; v < info->v + info->nv; ++v) {
            if (k->is_coupled[v]) {
                continue;
            }
            ++k->marked;
            if (!take(k, v, LWI_LEAST_PIVOT)) {
                report_undetermined(k->b, v, &k->s);
            }
        }
    }
}

static bool is_of_quaternion(const lwi_build *b, int v)
{
    const lwi_built_body *body = &b->body[lwi_body_of_v(b, v)];
    return body->nq != body->nv;
}

// Joints of the transmission follow from the main joints rather than the other way round, so that a
// coordinate means the same at every level. One that nothing determines, behind an elastic shaft
// say, stays free.
static void try_transmission(choice *k)
{
    const lwi_build *b = k->b;
    for (int v = b->tree_nv - 1; v >= 0; --v) {
        const lwi_built_joint *joint = &b->joint[b->body[lwi_body_of_v(b, v)].joint];
        if (!is_of_quaternion(b, v) && joint->flat >= 0 && b->flat[joint->flat].is_transmission) {
            take(k, v, LWI_LEAST_PIVOT);
        }
    }
}

// Shafts follow the joints wherever they can, so that q is the same with drives and without.
static void try_shafts(choice *k)
{
    const lwi_build *b = k->b;
    for (int j = b->njoint - 1; j >= 0 && b->joint[j].info.is_shaft; --j) {
        take(k, b->joint[j].info.v, LWI_LEAST_PIVOT);
    }
}

// From the tips inward. First what is wholly passive, then what no drive turns, for limits of
// effort say little (URDF requires them of every joint).
static void try_scalars(choice *k, bool is_driven, double least)
{
    const lwi_build *b = k->b;
    for (int round = is_driven ? 2 : 0; round < (is_driven ? 3 : 2); ++round) {
        for (int v = b->tree_nv - 1; v >= 0; --v) {
            const int reluctance = k->is_driven[v] ? 2 : !is_passive(b->dof[v]);
            if (reluctance == round && !k->is_coupled[v] && !is_of_quaternion(b, v)) {
                k->is_new[v] |= take(k, v, least);
            }
        }
    }
}

// A quaternion is dependent as a whole or not at all. Returns a body of which only a part was, so
// that the choice has to be made again, or -1.
static int try_quaternions(choice *k, bool is_first, double least)
{
    const lwi_build *b = k->b;
    for (int i = b->nbody - 1; i >= 0; --i) {
        const lwi_built_body *body = &b->body[i];
        if (body->nq == body->nv || b->is_target[body->v] || k->is_excluded[i] ||
            (is_first && !k->is_first[i])) {
            continue;
        }
        int count = 0;
        for (int v = body->v; v < body->v + body->nv; ++v) {
            const bool is_taken = take(k, v, least);
            k->is_new[v] |= is_taken;
            count += is_taken;
        }
        if (count > 0 && count < body->nv) {
            return i;
        }
    }
    return -1;
}

// One pass over all classes. Returns the body of a quaternion that was taken in part, or -1.
static int choose(choice *k)
{
    const double level[] = {good_pivot, fair_pivot, LWI_LEAST_PIVOT};
    try_transmission(k);
    try_shafts(k);
    int part = try_quaternions(k, true, LWI_LEAST_PIVOT);
    try_scalars(k, false, level[0]);
    for (int i = 1; i < 3 && part < 0; ++i) {
        try_scalars(k, false, level[i]);
        part = try_quaternions(k, false, level[i]);
        if (part < 0) {
            try_scalars(k, true, level[i - 1]);
            try_scalars(k, true, level[i]);
        }
    }
    return part;
}

static void begin(choice *k)
{
    lwi_build *b = k->b;
    lwi_constraint_fill(b, &k->s);
    memcpy(b->is_target, k->is_coupled, (size_t)b->tree_nv);
    memset(k->is_new, 0, (size_t)b->tree_nv);
    for (int c = 0; c < b->ncoupling && k->s.column; ++c) {
        lwi_constraint_eliminate(&k->s, k->s.column[b->coupling[c].target], LWI_LEAST_PIVOT);
    }
    try_marked(k);
}

// Whether constraints are left that only a quaternion in part could meet.
static bool is_part_left(const choice *k)
{
    bool is_left = false;
    for (int v = 0; v < k->b->tree_nv && k->s.column; ++v) {
        const int c = k->s.column[v];
        is_left |= c >= 0 && k->is_excluded[lwi_body_of_v(k->b, v)] &&
                   lwi_constraint_pivot(&k->s, c) > 0.0;
    }
    return is_left;
}

// Takes the degree of freedom with the largest pivot of all quaternions that are determined in
// part.
static bool take_part(choice *k, double least)
{
    const lwi_build *b = k->b;
    int best = -1;
    double most = 0.0;
    for (int v = 0; v < b->tree_nv; ++v) {
        const bool is_part = k->is_excluded[lwi_body_of_v(b, v)] && !b->is_target[v];
        const int c = is_part ? k->s.column[v] : -1;
        const double pivot = c >= 0 ? lwi_constraint_pivot(&k->s, c) : 0.0;
        if (pivot > most) {
            best = v;
            most = pivot;
        }
    }
    if (best < 0 || !take(k, best, least)) {
        return false;
    }
    k->is_new[best] = 1;
    return true;
}

// The choice that there would be with joints of one degree of freedom each in place of these
// quaternions.
static void choose_split(choice *k)
{
    begin(k);
    try_transmission(k);
    try_shafts(k);
    try_scalars(k, false, good_pivot);
    while (take_part(k, fair_pivot)) {
    }
    choose(k);
    while (take_part(k, LWI_LEAST_PIVOT)) {
    }
}

static const char *name_of(const lwi_build *b, int v)
{
    const lwi_built_body *body = &b->body[lwi_body_of_v(b, v)];
    return body->nq != body->nv ? b->joint[body->joint].info.name : b->tree_v_name[v];
}

// The joints in place of body i, and those besides that are dependent then. Returns how many of the
// former.
static int write_split(const choice *k, int i, lwi_text *text)
{
    static const char *const axis[] = {"about x", "about y", "about z",
                                       "along x", "along y", "along z"};
    const lwi_build *b = k->b;
    int list[6], n = 0, nother = 0;
    for (int v = b->body[i].v; v < b->body[i].v + b->body[i].nv; ++v) {
        if (k->is_new[v]) {
            list[n++] = v;
        }
    }
    for (int j = 0; j < n; ++j) {
        lwi_text_add(text, j == 0 ? "" : j + 1 < n ? ", " : " and ");
        lwi_text_add(text, axis[list[j] - b->body[i].v]);
    }
    for (int v = 0; v < b->tree_nv; ++v) {
        const int body = lwi_body_of_v(b, v);
        if (k->is_new[v] && !k->is_excluded[body] &&
            (!is_of_quaternion(b, v) || v == b->body[body].v)) {
            lwi_text_add(text, nother++ == 0 ? ", and besides \"" : ", \"");
            lwi_text_add(text, name_of(b, v));
            lwi_text_add(text, "\"");
        }
    }
    return n;
}

static lw_status report_part(const choice *k, int i)
{
    lwi_build *b = k->b;
    const lwi_built_body *body = &b->body[i];
    const bool is_free = body->carrier == LW_TREE_FREE;
    lwi_text text = {0};
    const int count = write_split(k, i, &text);
    lw_status status = LW_OK;
    if (text.is_short) {
        status = lwi_build_no_memory(b);
    } else if (count > 0) {
        status = lwi_report_error(
            b->report, location_of(b, body->v), LW_ERR_MODEL,
            "%s determine joint \"%s\" only in part, and a %s joint is dependent as a whole or not "
            "at all: replace it by %s, one after another, and mark dependent of these the %s %s",
            source_of(b), b->joint[body->joint].info.name, is_free ? "free" : "spherical",
            is_free ? "prismatic joints along x, y and z and revolute joints about x, y and z"
                    : "three revolute joints, about x, y and z",
            count == 1 ? "one" : "ones", text.at);
    }
    lwi_text_free(&text);
    return status;
}

// What is left of the rank after the marks: an error where there were any, else the compiler's
// choice, said aloud.
static lw_status report_choice(choice *k)
{
    lwi_build *b = k->b;
    if (is_part_left(k)) {
        lw_status status = LW_OK;
        choose_split(k);
        for (int i = 0; i < b->nbody && status != LW_ERR_MEMORY; ++i) {
            status = k->is_excluded[i] ? report_part(k, i) : status;
        }
        return status;
    }
    const bool has_part = memchr(k->is_excluded, 1, (size_t)b->nbody) != NULL;
    for (int v = b->tree_nv - 1; v >= 0; --v) {
        if (!k->is_new[v] || (is_of_quaternion(b, v) && v != b->body[lwi_body_of_v(b, v)].v)) {
            continue;
        }
        if (k->marked) {
            report_too_few(b, v, name_of(b, v));
        } else {
            report_taken(b, v, name_of(b, v), k->is_driven[v], has_part);
        }
    }
    return LW_OK;
}

static lw_status make_choice(lwi_build *b, choice *k)
{
    const size_t nv = (size_t)b->tree_nv, nbody = (size_t)b->nbody;
    *k = (choice){.b = b};
    k->is_coupled = lwi_arena_take(b->arena, nv, 1);
    k->is_driven = lwi_arena_take(b->arena, nv, 1);
    k->is_new = lwi_arena_take(b->arena, nv, 1);
    k->is_first = lwi_arena_take(b->arena, nbody, 1);
    k->is_excluded = lwi_arena_take(b->arena, nbody, 1);
    if (!k->is_coupled || !k->is_driven || !k->is_new || !k->is_first || !k->is_excluded) {
        return lwi_build_no_memory(b);
    }
    const bool is_closed = b->nloop > 0 || b->ngear > 0;
    if (is_closed) {
        find_driven(b, k->is_driven);
    }
    return is_closed ? lwi_constraint_create(b, &k->s) : LW_OK;
}

lw_status lwi_choose_dependents(lwi_build *b)
{
    choice k;
    lw_status status = make_choice(b, &k);
    if (status == LW_OK) {
        status = check_couplings(b, k.is_coupled);
    }
    if (status != LW_OK) {
        return status;
    }
    begin(&k);
    const bool is_closed = b->nloop > 0 || b->ngear > 0;
    if (is_closed && lw_report_errors(b->report) == 0) {
        // A quaternion of which scalars left a part goes before them; one that even then is
        // determined in part only is left out. So each is changed twice at most.
        for (int part = choose(&k); part >= 0; part = choose(&k)) {
            k.is_excluded[part] = k.is_first[part];
            k.is_first[part] = 1;
            begin(&k);
        }
        status = report_choice(&k);
    }
    return status == LW_ERR_MEMORY           ? status
           : lw_report_errors(b->report) > 0 ? LW_ERR_MODEL
                                             : LW_OK;
}

// Eliminates degrees of freedom of a list: each time the outermost that has a good pivot, else the
// one with the largest. Returns the smallest of these pivots; what was eliminated stands first in
// the list.
static double take_best(choice *k, int *list, int n, int count)
{
    double smallest = 1.0;
    for (int i = 0; i < count; ++i) {
        int best = i;
        double most = -1.0, pivot = 0.0;
        for (int j = i; j < n; ++j) {
            const double own = lwi_constraint_pivot(&k->s, k->s.column[list[j]]);
            const double worth = own >= good_pivot ? 2.0 + list[j] : own;
            if (worth > most) {
                best = j;
                most = worth;
                pivot = own;
            }
        }
        const int v = list[best];
        smallest = fmin(smallest, pivot);
        list[best] = list[i];
        list[i] = v;
        if (!lwi_constraint_eliminate(&k->s, k->s.column[v], LWI_LEAST_PIVOT)) {
            return 0.0;
        }
    }
    return smallest;
}

// The matrix with everything eliminated that other steps determine, and scalars of a step that are
// or could be dependent: its own first. Returns how many there are, *own of them its own; 0 where
// the step has others.
static int gather_candidates(choice *k, const lwi_step *step, int *list, int *own)
{
    const lwi_build *b = k->b;
    int n = 0;
    lwi_constraint_fill(k->b, &k->s);
    for (int v = 0; v < b->tree_nv; ++v) {
        bool is_own = false;
        for (int t = 0; t < step->ntarget; ++t) {
            is_own |= step->target[t] == v;
        }
        if (b->is_target[v] && !is_own && k->s.column[v] >= 0) {
            lwi_constraint_eliminate(&k->s, k->s.column[v], LWI_LEAST_PIVOT);
        }
    }
    for (int t = 0; t < step->ntarget; ++t) {
        if (is_of_quaternion(b, step->target[t])) {
            return 0;
        }
        list[n++] = step->target[t];
    }
    *own = n;
    for (int t = 0; t < step->nsource; ++t) {
        const int v = step->source[t];
        if (!b->is_target[v] && !is_of_quaternion(b, v) && !k->is_driven[v]) {
            list[n++] = v;
        }
    }
    return n;
}

lw_status lwi_better_dependents(lwi_build *b, const lwi_step *step, char *text, size_t size)
{
    choice k;
    int *list = lwi_arena_take(b->arena, (size_t)(step->ntarget + step->nsource), sizeof *list);
    const lw_status status = make_choice(b, &k);
    text[0] = '\0';
    if (status != LW_OK || !list) {
        return status != LW_OK ? status : lwi_build_no_memory(b);
    }
    int own = 0;
    if (gather_candidates(&k, step, list, &own) == 0) {
        return LW_OK;
    }
    const double now = take_best(&k, list, own, own);
    const int n = gather_candidates(&k, step, list, &own);
    const double then = take_best(&k, list, n, own);
    size_t used = 0;
    for (int i = 0; i < own && then > 10.0 * now && used < size; ++i) {
        const char *between = i == 0 ? "" : i + 1 < own ? ", " : " and ";
        used += (size_t)snprintf(text + used, size - used, "%s\"%s\"", between,
                                 b->tree_v_name[list[i]]);
    }
    return LW_OK;
}
