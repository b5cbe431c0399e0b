// Which freedoms are dependent. All constraints together are a matrix on the rates of the tree's
// freedoms, taken near the reference, where loops are closed. Columns are eliminated in an order of
// preference: targets of couplings, freedoms marked dependent, shafts of drives, then, where no
// mark helps, freedoms without a drive from the tips inward. Those that find a pivot are the
// dependent ones.
#include "close.h"

#include "../base/report.h"

#include <string.h>

// Columns are the freedoms that any loop or coupling touches.
typedef struct system {
    int nrow, ncolumn; ///< the last column is not used
    double *at;
    int *freedom; ///< [ncolumn]
    int *column;  ///< [tree_nv] -1 for freedoms that nothing touches
} system;

static void touch(system *s, int v)
{
    if (s->column[v] < 0) {
        s->column[v] = s->ncolumn;
        s->freedom[s->ncolumn++] = v;
    }
}

// The rows of loops come from the very code that runs later, with columns of this system.
static lw_status fill_loops(lwi_build *b, system *s, const lwi_loop_work *work)
{
    int row = 0;
    for (int k = 0; k < b->nloop; ++k) {
        lwi_built_loop *built = &b->loop[k];
        int *column = lwi_arena_take(b->arena, (size_t)built->nfreedom, sizeof *column);
        if (!column) {
            return lwi_build_no_memory(b);
        }
        for (int i = 0; i < built->nfreedom; ++i) {
            column[i] = s->column[built->freedom[i]];
        }
        built->loop.column = column;
        lwi_loop_matrix_scaled(&b->draft, &built->loop, work, b->rank_q,
                               s->at + (size_t)row * (size_t)(s->ncolumn + 1), s->ncolumn + 1);
        row += built->loop.nrow;
    }
    return LW_OK;
}

static void fill_gears(const lwi_build *b, system *s, int row)
{
    for (int g = 0; g < b->ngear; ++g, ++row) {
        const lwi_built_gear *gear = &b->gear[g];
        double *at = s->at + (size_t)row * (size_t)(s->ncolumn + 1);
        for (int k = 0; k < gear->nfreedom; ++k) {
            at[s->column[gear->freedom[k]]] += gear->share[k];
        }
    }
}

// Any slope will do for the rank but one that vanishes by chance; a table's is that of its ends.
static double slope_of(const lw_coupling_def *def, double x)
{
    double f[3] = {0.0, 0.0, 0.0};
    const double *c = def->coefficient;
    const int n = def->ncoefficient;
    if (def->law == LW_LAW_FUNCTION) {
        def->function.at(def->function.context, x, f);
        return f[1];
    }
    if (def->law == LW_LAW_TABLE) {
        return (c[n - 1] - c[1]) / (c[n - 2] - c[0]);
    }
    for (int k = n - 1; k >= 0; --k) {
        f[1] = f[1] * x + f[0];
        f[0] = f[0] * x + c[k];
    }
    return f[1];
}

// y = f(x) is the row dy - f' dx.
static void fill_couplings(const lwi_build *b, system *s, int row)
{
    for (int k = 0; k < b->ncoupling; ++k, ++row) {
        const lwi_built_coupling *coupling = &b->coupling[k];
        const double x = b->rank_q[lwi_q_of_v(b, coupling->source)];
        const double slope = slope_of(coupling->def, x);
        double *at = s->at + (size_t)row * (size_t)(s->ncolumn + 1);
        at[s->column[coupling->target]] += 1.0;
        at[s->column[coupling->source]] -= slope;
    }
}

static lw_status make_system(lwi_build *b, system *s)
{
    const size_t nv = (size_t)b->tree_nv;
    s->column = lwi_arena_take(b->arena, nv, sizeof *s->column);
    s->freedom = lwi_arena_take(b->arena, nv, sizeof *s->freedom);
    if (!s->column || !s->freedom) {
        return lwi_build_no_memory(b);
    }
    memset(s->column, -1, nv * sizeof *s->column);
    for (int k = 0; k < b->nloop; ++k) {
        s->nrow += b->loop[k].loop.nrow;
        for (int i = 0; i < b->loop[k].nfreedom; ++i) {
            touch(s, b->loop[k].freedom[i]);
        }
    }
    const int first_gear = s->nrow;
    for (int g = 0; g < b->ngear; ++g) {
        ++s->nrow;
        for (int i = 0; i < b->gear[g].nfreedom; ++i) {
            touch(s, b->gear[g].freedom[i]);
        }
    }
    const int first_coupling = s->nrow;
    for (int k = 0; k < b->ncoupling; ++k) {
        ++s->nrow;
        touch(s, b->coupling[k].target);
        touch(s, b->coupling[k].source);
    }
    const size_t size = (size_t)s->nrow * (size_t)(s->ncolumn + 1);
    enum { MOST = 20 * 1000 * 1000 }; // numbers; about three thousand conditions at once
    if (size > MOST) {
        return lwi_report_error(b->report, (lw_place){0}, LW_ERR_LIMIT,
                                "\"%s\" has %d loop conditions on %d freedoms, which is more than "
                                "this compiler takes",
                                b->mech->name, s->nrow, s->ncolumn);
    }
    s->at = lwi_arena_take(b->arena, size, sizeof *s->at);
    lwi_loop_work work;
    const lw_status status = lwi_make_loop_work(b, 1, 0, &work);
    if (status != LW_OK || !s->at) {
        return lwi_build_no_memory(b);
    }
    fill_gears(b, s, first_gear);
    fill_couplings(b, s, first_coupling);
    return fill_loops(b, s, &work);
}

// Rows have entries of 1 where they are largest; what is left of a row that others imply, after
// elimination, is rounding below this, and sines of angles that mean something are above it.
static const double no_pivot = 1e-9;

// A row that is this small from the start sets no condition in any direction.
static const double no_row = 1e-12;

static void scale_rows(system *s)
{
    const int n = s->ncolumn + 1;
    for (int r = 0; r < s->nrow; ++r) {
        double largest = 0.0;
        for (int c = 0; c < s->ncolumn; ++c) {
            largest = fmax(largest, fabs(s->at[r * n + c]));
        }
        for (int c = 0; c < n && largest > no_row; ++c) {
            s->at[r * n + c] /= largest;
        }
        for (int c = 0; c < n && largest <= no_row; ++c) {
            s->at[r * n + c] = 0.0; // holds by itself, but for rounding
        }
    }
}

// Eliminates one column below and above its pivot, which is taken from the rows not used yet.
static bool eliminate_column(system *s, int c, int *used)
{
    const int n = s->ncolumn + 1;
    int best = -1;
    for (int r = *used; r < s->nrow; ++r) {
        if (fabs(s->at[r * n + c]) > no_pivot &&
            (best < 0 || fabs(s->at[r * n + c]) > fabs(s->at[best * n + c]))) {
            best = r;
        }
    }
    if (best < 0) {
        return false;
    }
    double *top = &s->at[*used * n], *pivot = &s->at[best * n];
    for (int k = 0; k < n && best != *used; ++k) {
        const double swap = top[k];
        top[k] = pivot[k];
        pivot[k] = swap;
    }
    for (int r = *used + 1; r < s->nrow; ++r) {
        const double factor = s->at[r * n + c] / top[c];
        for (int k = 0; k < n && factor != 0.0; ++k) {
            s->at[r * n + k] -= factor * top[k];
        }
        s->at[r * n + c] = 0.0;
    }
    ++*used;
    return true;
}

static lw_place place_of(const lwi_build *b, int v)
{
    for (int j = 0; j < b->njoint; ++j) {
        const lw_joint_info *info = &b->joint[j].info;
        if (v >= info->v && v < info->v + info->nv && b->joint[j].flat >= 0) {
            return b->flat[b->joint[j].flat].place;
        }
    }
    return (lw_place){0};
}

static bool is_passive(const lw_freedom *f)
{
    return f->rotor_inertia == 0.0 && !(f->max_effort < (double)INFINITY);
}

static bool turns_driven(const lwi_build *b, const lwi_built_gear *row, const char *is_driven)
{
    for (int k = 0; k < row->nfreedom; ++k) {
        const int v = row->freedom[k];
        if (is_driven[v] && b->joint[b->body[lwi_body_of_v(b, v)].joint].info.is_shaft) {
            return true;
        }
    }
    return false;
}

// Freedoms that drives turn, directly or over gearboxes in series.
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
            for (int k = 0; k < row->nfreedom; ++k) {
                is_new |= !is_driven[row->freedom[k]];
                is_driven[row->freedom[k]] = 1;
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

static void report_taken(lwi_build *b, int v, const char *name)
{
    lwi_report_note(b->report, place_of(b, v),
                    "joint \"%s\" is taken as dependent: %s determine it", name, source_of(b));
}

static void report_too_few(lwi_build *b, int v, const char *name)
{
    lwi_report_error(
        b->report, place_of(b, v), LW_ERR_MODEL,
        "%s determine more freedoms than are marked dependent: \"%s\" would have to be "
        "one too",
        source_of(b), name);
}

// A joint that is said to be dependent, but that nothing could determine.
static void report_undetermined(lwi_build *b, int v, const system *s)
{
    const bool is_touched = s->column && s->column[v] >= 0;
    if (is_touched && b->open_loop >= 0) { // what it leaves free means nothing then
        const lwi_flat *flat = &b->flat[b->loop[b->open_loop].flat];
        lwi_report_error(b->report, flat->place, LW_ERR_LOOP_OPEN,
                         "loop \"%s\" cannot be closed near the reference configuration: a gap of "
                         "%.4g m stays open",
                         flat->name, b->open_gap);
        return;
    }
    if (b->is_simplified) { // what determines it at another level is not there
        lwi_report_note(b->report, place_of(b, v),
                        "joint \"%s\" is marked dependent, but nothing determines it at these "
                        "levels: it is independent here",
                        b->tree_v_name[v]);
        return;
    }
    lwi_report_error(
        b->report, place_of(b, v), LW_ERR_MODEL,
        is_touched ? "joint \"%s\" is marked dependent, but %s leave it free: too many are marked, "
                     "or the wrong ones"
                   : "joint \"%s\" is marked dependent, but no loop and no coupling "
                     "determines it",
        b->tree_v_name[v], source_of(b));
}

static int try_marked(lwi_build *b, system *s, const char *is_coupled, int *used)
{
    int marked = 0;
    for (int j = 0; j < b->njoint; ++j) {
        const lw_joint_info *info = &b->joint[j].info;
        if (!b->joint[j].def || !b->joint[j].def->is_dependent) {
            continue;
        }
        for (int v = info->v; v < info->v + info->nv; ++v) {
            if (is_coupled[v]) {
                continue;
            }
            ++marked;
            const int c = s->column ? s->column[v] : -1;
            if (c >= 0 && eliminate_column(s, c, used)) {
                b->is_target[v] = 1;
            } else {
                report_undetermined(b, v, s);
            }
        }
    }
    return marked;
}

// Joints of the transmission follow from the main joints rather than the other way round, so that a
// coordinate means the same at every level. One that nothing determines, behind an elastic shaft
// say, stays free.
static void try_transmission(lwi_build *b, system *s, int *used)
{
    for (int v = b->tree_nv - 1; v >= 0; --v) {
        const lwi_built_joint *joint = &b->joint[b->body[lwi_body_of_v(b, v)].joint];
        const bool is_scalar = b->body[lwi_body_of_v(b, v)].nq == b->body[lwi_body_of_v(b, v)].nv;
        if (is_scalar && joint->flat >= 0 && b->flat[joint->flat].is_transmission &&
            !b->is_target[v] && s->column[v] >= 0 && eliminate_column(s, s->column[v], used)) {
            b->is_target[v] = 1;
        }
    }
}

// Shafts follow the joints wherever they can, so that q is the same with drives and without.
static void try_shafts(lwi_build *b, system *s, int *used)
{
    for (int j = b->njoint - 1; j >= 0 && b->joint[j].info.is_shaft; --j) {
        const int v = b->joint[j].info.v, c = s->column[v];
        if (c >= 0 && eliminate_column(s, c, used)) {
            b->is_target[v] = 1;
        }
    }
}

static bool is_of_quaternion(const lwi_build *b, int v)
{
    const lwi_built_body *body = &b->body[lwi_body_of_v(b, v)];
    return body->nq != body->nv;
}

// A quaternion is dependent as a whole or not at all, so each is tried only when the scalars do not
// suffice, and must then be determined whole.
static void try_quaternions(lwi_build *b, system *s, int marked, int *used)
{
    for (int i = b->nbody - 1; i >= 0; --i) {
        const lwi_built_body *body = &b->body[i];
        if (body->nq == body->nv || b->is_target[body->v] || s->column[body->v] < 0) {
            continue;
        }
        int count = 0;
        for (int v = body->v; v < body->v + body->nv; ++v) {
            count += eliminate_column(s, s->column[v], used);
        }
        if (count == 0) {
            continue;
        }
        const char *name = b->joint[body->joint].info.name;
        if (marked) {
            report_too_few(b, body->v, name);
            continue;
        }
        if (count < body->nv) {
            lwi_report_error(b->report, place_of(b, body->v), LW_ERR_MODEL,
                             "the loops determine joint \"%s\" only in part: mark the joints that "
                             "are dependent",
                             name);
            continue;
        }
        memset(&b->is_target[body->v], 1, (size_t)body->nv);
        report_taken(b, body->v, name);
    }
}

// What is left of the rank after the marks: an error where there were any, else the compiler's
// choice, said aloud. From the tips inward, in three rounds: first what is wholly passive, then
// what no drive turns, for limits of effort say little (URDF asks for them of every joint).
static void try_others(lwi_build *b, system *s, const char *is_coupled, const char *is_driven,
                       int marked, int *used)
{
    for (int round = 0; round < 3; ++round) {
        for (int v = b->tree_nv - 1; v >= 0; --v) {
            const int reluctance = is_driven[v] ? 2 : !is_passive(b->freedom[v]);
            if (s->column[v] < 0 || b->is_target[v] || is_coupled[v] || is_of_quaternion(b, v) ||
                reluctance > round || !eliminate_column(s, s->column[v], used)) {
                continue;
            }
            b->is_target[v] = 1;
            if (marked) {
                report_too_few(b, v, b->tree_v_name[v]);
            } else {
                report_taken(b, v, b->tree_v_name[v]);
            }
        }
    }
    try_quaternions(b, s, marked, used);
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
            char here[LWI_PLACE_ROOM + 3], there[LWI_PLACE_ROOM + 3];
            lwi_report_error(b->report, two->def->place, LW_ERR_MODEL,
                             "\"%s\" follows both \"%s\"%s and \"%s\"%s", b->tree_v_name[target],
                             b->tree_v_name[one->source], lwi_place_aside(one->def->place, here),
                             b->tree_v_name[two->source], lwi_place_aside(two->def->place, there));
            continue;
        }
        is_coupled[target] = 1;
        first[target] = k;
        b->is_target[target] = 1;
    }
    return LW_OK;
}

lw_status lwi_choose_dependents(lwi_build *b)
{
    char *is_coupled = lwi_arena_take(b->arena, (size_t)b->tree_nv, 1);
    char *is_driven = lwi_arena_take(b->arena, (size_t)b->tree_nv, 1);
    if (!is_coupled || !is_driven) {
        return lwi_build_no_memory(b);
    }
    lw_status status = check_couplings(b, is_coupled);
    system s = {0};
    int used = 0;
    const bool is_closed = b->nloop > 0 || b->ngear > 0;
    if (status == LW_OK && is_closed) {
        status = make_system(b, &s);
    }
    if (status != LW_OK) {
        return status;
    }
    scale_rows(&s);
    for (int k = 0; k < b->ncoupling && is_closed; ++k) {
        eliminate_column(&s, s.column[b->coupling[k].target], &used);
    }
    const int marked = try_marked(b, &s, is_coupled, &used);
    if (is_closed && lw_report_errors(b->report) == 0) {
        try_transmission(b, &s, &used);
        try_shafts(b, &s, &used);
        find_driven(b, is_driven);
        try_others(b, &s, is_coupled, is_driven, marked, &used);
    }
    return lw_report_errors(b->report) > 0 ? LW_ERR_MODEL : LW_OK;
}
