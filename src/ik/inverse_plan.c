// Making a plan: which condition gives which unknown coordinate, in which order.
//
// Local propagation: as long as an independent coordinate is unknown, a condition is looked for
// that what is known makes solvable. Linear rows with one unknown come first, then loops as legs,
// laws, steps forward, and at last linear rows that must be solved together. A coordinate of linear
// rows with more unknowns than rows is redundant, and keeps the caller's value.
#include "inverse_closure.h"

#include "../math/invert.h"
#include "../math/least_norm.h"
#include "../model/kernel.h"

#include <math.h>
#include <string.h>

lwi_inverse *lwi_inverse_lay_out(const lw_model *m, lwi_slicer *s)
{
    lwi_inverse scratch;
    lwi_inverse *block = lwi_slice(s, 1, sizeof *block);
    lwi_inverse *inverse = block ? block : &scratch;
    memset(inverse, 0, sizeof *inverse);
    const int most = m->nstep ? m->tree_nv + m->nloop : 0;
    inverse->model = m;
    inverse->most_operations = most < LWI_INVERSE_OPERATIONS ? most : LWI_INVERSE_OPERATIONS;
    inverse->known = lwi_slice(s, (size_t)m->tree_nv, sizeof *inverse->known);
    inverse->needed = lwi_slice(s, (size_t)m->nstep, sizeof *inverse->needed);
    inverse->is_used = lwi_slice(s, (size_t)m->nloop, sizeof *inverse->is_used);
    inverse->is_near = lwi_slice(s, (size_t)m->nloop, sizeof *inverse->is_near);
    inverse->given_by = lwi_slice(s, (size_t)m->tree_nq, sizeof *inverse->given_by);
    inverse->operation = lwi_slice(s, (size_t)inverse->most_operations, sizeof *inverse->operation);
    return block;
}

static const lwi_program *program_of(const lwi_inverse *inverse)
{
    return inverse->model->kernel->program;
}

// Marks the steps that give joints of the chain, and backward those that give their sources.
static void find_needed(lwi_inverse *inverse, const int *body, int nbody)
{
    const lw_model *m = inverse->model;
    const lwi_program *program = program_of(inverse);
    for (int k = 0; k < nbody; ++k) {
        for (int v = m->v_start[body[k]]; v < m->v_start[body[k] + 1]; ++v) {
            if (program->step_of[v] >= 0) {
                inverse->needed[program->step_of[v]] = true;
            }
        }
    }
    for (int s = m->nstep - 1; s >= 0; --s) {
        for (int k = 0; k < program->step[s].nsource && inverse->needed[s]; ++k) {
            const int from = program->step_of[program->step[s].source[k]];
            if (from >= 0) {
                inverse->needed[from] = true;
            }
        }
    }
}

// Known are the joints of the chain, and independent coordinates that no needed step reads: those
// keep the caller's values.
static void find_known(lwi_inverse *inverse, const int *body, int nbody)
{
    const lw_model *m = inverse->model;
    const lwi_program *program = program_of(inverse);
    for (int v = 0; v < m->tree_nv; ++v) {
        inverse->known[v] = program->step_of[v] < 0;
    }
    for (int s = 0; s < m->nstep; ++s) {
        for (int k = 0; k < program->step[s].nsource && inverse->needed[s]; ++k) {
            inverse->known[program->step[s].source[k]] = false;
        }
    }
    for (int k = 0; k < nbody; ++k) {
        for (int v = m->v_start[body[k]]; v < m->v_start[body[k] + 1]; ++v) {
            inverse->known[v] = true;
        }
    }
}

static bool is_determined(const lwi_inverse *inverse)
{
    const lw_model *m = inverse->model;
    for (int i = 0; i < m->nv; ++i) {
        if (!inverse->known[m->v_tree[i]]) {
            return false;
        }
    }
    return true;
}

// A new operation, or null where there is no space for it.
static lwi_operation *add_operation(lwi_inverse *inverse, lwi_operation_kind kind)
{
    if (inverse->noperation == inverse->most_operations) {
        return NULL;
    }
    lwi_operation *o = &inverse->operation[inverse->noperation++];
    memset(o, 0, sizeof *o);
    o->kind = kind;
    return o;
}

static void add_target(lwi_inverse *inverse, lwi_operation *o, int v, int position)
{
    o->target[o->ntarget++] = position;
    inverse->known[v] = true;
    inverse->given_by[position] = (int)(o - inverse->operation);
}

// An operation reads a position.
static void add_source(lwi_inverse *inverse, lwi_operation *o, int position)
{
    const int from = position >= 0 ? inverse->given_by[position] : -1;
    if (from >= 0 && from != (int)(o - inverse->operation)) {
        o->after |= 1ull << from;
        inverse->operation[from].before |= 1ull << (o - inverse->operation);
        for (int i = 0; i < inverse->operation[from].ntarget; ++i) {
            if (inverse->operation[from].target[i] == position) {
                inverse->operation[from].matters[i] = true;
            }
        }
    }
}

// --- Linear rows --------------------------------------------------------------------------------

static bool is_linear(const lwi_step *step)
{
    return step->kind == LW_STEP_LINEAR ||
           (step->kind == LW_STEP_FUNCTION && step->law == LW_LAW_POLYNOMIAL &&
            step->ncoefficient <= 2);
}

typedef struct row_set {
    int nrow, nunknown;
    lwi_inverse_row row[LWI_INVERSE_ROWS];
    int v[LWI_INVERSE_ROWS], position[LWI_INVERSE_ROWS]; ///< unknown coordinates
} row_set;

static double share_of(const lwi_inverse_row *row, int v)
{
    const lwi_step *step = row->step;
    double share = step->target[row->target] == v ? -1.0 : 0.0;
    for (int k = 0; k < step->nsource; ++k) {
        if (step->source[k] == v) {
            share += step->kind == LW_STEP_LINEAR
                         ? step->coefficient[row->target * (1 + step->nsource) + 1 + k]
                     : step->ncoefficient > 1 ? step->coefficient[1]
                                              : 0.0;
        }
    }
    return share;
}

static void add_unknown(const lwi_inverse *inverse, int v, int position, row_set *set, bool *fits)
{
    for (int i = 0; i < set->nunknown; ++i) {
        if (set->v[i] == v) {
            return;
        }
    }
    if (!inverse->known[v]) {
        *fits = *fits && set->nunknown < LWI_INVERSE_ROWS;
        if (*fits) {
            set->v[set->nunknown] = v;
            set->position[set->nunknown++] = position;
        }
    }
}

// The unknowns of a row join those of the set; false where these are too many.
static bool add_row(const lwi_inverse *inverse, lwi_inverse_row row, row_set *set)
{
    bool fits = set->nrow < LWI_INVERSE_ROWS;
    if (fits) {
        set->row[set->nrow++] = row;
    }
    add_unknown(inverse, row.step->target[row.target], row.step->target_q[row.target], set, &fits);
    for (int k = 0; k < row.step->nsource && fits; ++k) {
        if (share_of(&row, row.step->source[k]) != 0.0) {
            add_unknown(inverse, row.step->source[k], row.step->source_q[k], set, &fits);
        }
    }
    return fits;
}

static bool has_row(const row_set *set, lwi_inverse_row row)
{
    for (int i = 0; i < set->nrow; ++i) {
        if (set->row[i].step == row.step && set->row[i].target == row.target) {
            return true;
        }
    }
    return false;
}

static bool touches(const row_set *set, lwi_inverse_row row)
{
    for (int i = 0; i < set->nunknown; ++i) {
        if (share_of(&row, set->v[i]) != 0.0) {
            return true;
        }
    }
    return false;
}

// All rows that share unknowns with the given one, directly or through others.
static bool grow(const lwi_inverse *inverse, lwi_inverse_row first, row_set *set)
{
    memset(set, 0, sizeof *set);
    bool fits = add_row(inverse, first, set);
    for (int before = 0; fits && before < set->nrow;) {
        before = set->nrow;
        for (int s = 0; s < inverse->model->nstep; ++s) {
            const lwi_step *step = &program_of(inverse)->step[s];
            for (int t = 0; t < step->ntarget && inverse->needed[s] && is_linear(step); ++t) {
                const lwi_inverse_row row = {step, t};
                if (fits && !has_row(set, row) && touches(set, row)) {
                    fits = add_row(inverse, row, set);
                }
            }
        }
    }
    return fits;
}

// Keeps as many independent rows as there are unknowns; false where there are fewer.
static bool keep_independent(row_set *set)
{
    const int n = set->nunknown;
    double A[LWI_INVERSE_ROWS * LWI_INVERSE_ROWS]; // a column for each row that is kept
    int kept = 0;
    for (int r = 0; r < set->nrow && kept < n; ++r) {
        for (int k = 0; k < n; ++k) {
            A[k * LWI_INVERSE_ROWS + kept] = share_of(&set->row[r], set->v[k]);
        }
        if (lwi_orthogonal_column(n, LWI_INVERSE_ROWS, A, kept, NULL, NULL) > 1e-9) {
            set->row[kept++] = set->row[r];
        }
    }
    set->nrow = kept;
    return kept == n;
}

static bool add_rows(lwi_inverse *inverse, row_set *set)
{
    const int n = set->nunknown;
    double A[LWI_INVERSE_ROWS * LWI_INVERSE_ROWS], over[LWI_INVERSE_ROWS * LWI_INVERSE_ROWS];
    if (n == 0 || !keep_independent(set)) {
        return false;
    }
    for (int r = 0; r < n; ++r) {
        for (int k = 0; k < n; ++k) {
            A[r * n + k] = share_of(&set->row[r], set->v[k]);
        }
    }
    lwi_operation *o = lwi_invert(n, A, over, 0.0) ? add_operation(inverse, LWI_SOLVE_ROWS) : NULL;
    if (!o) {
        return false;
    }
    memcpy(o->inverse, over, (size_t)(n * n) * sizeof *over);
    memcpy(o->row, set->row, (size_t)n * sizeof *set->row);
    for (int k = 0; k < n; ++k) {
        add_target(inverse, o, set->v[k], set->position[k]);
    }
    for (int r = 0; r < n; ++r) {
        const lwi_step *step = o->row[r].step;
        add_source(inverse, o, step->target_q[o->row[r].target]);
        for (int k = 0; k < step->nsource; ++k) {
            add_source(inverse, o, step->source_q[k]);
        }
    }
    return true;
}

// Solves a set of rows: one row alone, or all that hang together. With `holds`, an unknown beyond
// what the rows determine keeps the caller's value instead: an independent one.
static bool plan_rows(lwi_inverse *inverse, bool is_alone, bool holds)
{
    const lw_model *m = inverse->model;
    row_set set;
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &program_of(inverse)->step[s];
        for (int t = 0; t < step->ntarget && inverse->needed[s] && is_linear(step); ++t) {
            const lwi_inverse_row row = {step, t};
            memset(&set, 0, sizeof set);
            const bool fits = is_alone ? add_row(inverse, row, &set) : grow(inverse, row, &set);
            if (!fits || set.nunknown == 0 || (is_alone && set.nunknown > 1)) {
                continue;
            }
            if (!holds && add_rows(inverse, &set)) {
                return true;
            }
            for (int k = set.nunknown - 1; k >= 0 && holds; --k) {
                if (program_of(inverse)->step_of[set.v[k]] < 0) {
                    inverse->known[set.v[k]] = true;
                    return true;
                }
            }
        }
    }
    return false;
}

// --- Loops, laws, steps forward -----------------------------------------------------------------

// Unknown coordinates of one side of a loop, and whether known joints are on it too.
static int unknowns_of_side(const lwi_inverse *inverse, const lwi_loop *loop, int side,
                            bool *has_known)
{
    const lw_model *m = inverse->model;
    int n = 0;
    *has_known = false;
    for (int k = 0; k < loop->npath[side]; ++k) {
        const int i = loop->path[side][k];
        for (int v = m->v_start[i]; v < m->v_start[i + 1]; ++v) {
            const bool is_axis =
                m->carrier[i] == LW_TREE_REVOLUTE || m->carrier[i] == LW_TREE_PRISMATIC;
            // Joints of other kinds are not solved for: too many.
            n += inverse->known[v] ? 0 : is_axis ? 1 : LWI_LEG_JOINTS + 1;
            *has_known |= inverse->known[v];
        }
    }
    return n;
}

static void add_loop_sources(lwi_inverse *inverse, lwi_operation *o)
{
    const lw_model *m = inverse->model;
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < o->loop->npath[side]; ++k) {
            const int i = o->loop->path[side][k];
            for (int p = m->q_start[i]; p < m->q_start[i + 1]; ++p) {
                add_source(inverse, o, p);
            }
        }
    }
}

// A leg that is one side of a loop, all of whose unknowns are there. Ends that a ball joint, a pin
// or a rod ties are points; what else a pin asks for holds by itself in a plane, or else the
// forward sweep says so.
static bool plan_leg(lwi_inverse *inverse, int which)
{
    const lw_model *m = inverse->model;
    const lwi_loop *loop = &program_of(inverse)->loop[which];
    bool has_known[2];
    int n[2];
    for (int side = 0; side < 2; ++side) {
        n[side] = unknowns_of_side(inverse, loop, side, &has_known[side]);
    }
    const int side = n[0] > 0 ? 0 : 1, count = n[0] + n[1];
    const bool is_point = loop->is_rod || loop->type == LW_JOINT_SPHERICAL ||
                          loop->type == LW_JOINT_REVOLUTE || loop->type == LW_JOINT_UNIVERSAL;
    if ((n[0] > 0 && n[1] > 0) || count == 0 || count > (loop->is_rod ? 1 : LWI_LEG_JOINTS) ||
        !is_point || (count < 2 && !loop->is_rod && m->loop[which].rank > 2)) {
        return false;
    }
    lwi_operation *o = add_operation(inverse, LWI_SOLVE_LEG);
    if (!o) {
        return false;
    }
    o->loop = loop;
    o->side = side;
    for (int k = 0; k < loop->npath[side]; ++k) {
        const int i = loop->path[side][k];
        if (m->v_start[i + 1] - m->v_start[i] == 1 && !inverse->known[m->v_start[i]]) {
            o->target[o->ntarget++] = m->q_start[i];
        }
    }
    lwi_inverse_set_leg(m, o, loop, m->tree_q_reference, &o->leg);
    if (!o->leg.is_solvable) {
        --inverse->noperation;
        return false;
    }
    o->is_fixed = !has_known[side];
    o->ntarget = 0;
    for (int k = 0; k < loop->npath[side]; ++k) {
        const int i = loop->path[side][k];
        if (m->v_start[i + 1] - m->v_start[i] == 1 && !inverse->known[m->v_start[i]]) {
            add_target(inverse, o, m->v_start[i], m->q_start[i]);
        }
    }
    add_loop_sources(inverse, o);
    inverse->is_used[which] = true;
    return true;
}

static bool plan_legs(lwi_inverse *inverse)
{
    for (int k = 0; k < inverse->model->nloop; ++k) {
        if (!inverse->is_used[k] && inverse->is_near[k] && plan_leg(inverse, k)) {
            return true;
        }
    }
    return false;
}

// A law backwards where its value is known, or a whole step forward where its sources are.
static bool plan_step(lwi_inverse *inverse, bool is_forward)
{
    const lw_model *m = inverse->model;
    for (int s = 0; s < m->nstep; ++s) {
        const lwi_step *step = &program_of(inverse)->step[s];
        int sources = 0, targets = 0; // that are not known
        for (int k = 0; k < step->nsource; ++k) {
            sources += !inverse->known[step->source[k]];
        }
        for (int t = 0; t < step->ntarget; ++t) {
            targets += !inverse->known[step->target[t]];
        }
        const bool is_law = step->kind == LW_STEP_FUNCTION && sources == 1 && targets == 0;
        const bool is_ready = sources == 0 && targets == step->ntarget && targets > 0 &&
                              targets <= LWI_INVERSE_ROWS && step->kind != LW_STEP_BLOCK &&
                              step->kind != LW_STEP_SPHERES;
        if (!inverse->needed[s] || !(is_forward ? is_ready : is_law)) {
            continue;
        }
        lwi_operation *o = add_operation(inverse, is_forward ? LWI_SOLVE_FORWARD : LWI_SOLVE_LAW);
        if (!o) {
            return false;
        }
        o->step = step;
        for (int t = 0; t < targets; ++t) {
            add_target(inverse, o, step->target[t], step->target_q[t]);
        }
        for (int k = 0; k < sources; ++k) {
            add_target(inverse, o, step->source[k], step->source_q[k]);
        }
        for (int k = 0; k < step->nsource; ++k) {
            add_source(inverse, o, step->source_q[k]);
        }
        for (int t = 0; t < step->ntarget; ++t) {
            add_source(inverse, o, step->target_q[t]);
        }
        return true;
    }
    return false;
}

// A loop between ends that the joints of one leg carry and what was known before it: it joins that
// leg, so that each result is checked once, not in every combination.
static bool join_leg(lwi_inverse *inverse, const lwi_loop *loop)
{
    const lw_model *m = inverse->model;
    int from = -1, side = -1, count = 0;
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < loop->npath[k]; ++i) {
            const int body = loop->path[k][i], given = inverse->given_by[m->q_start[body]];
            if (given < 0) {
                continue;
            }
            if ((from >= 0 && (given != from || k != side)) || loop->npath[k] > LWI_LEG_JOINTS) {
                return false;
            }
            from = given;
            side = k;
            ++count;
        }
    }
    lwi_operation *o = from >= 0 ? &inverse->operation[from] : NULL;
    if (!o || o->kind != LWI_SOLVE_LEG || o->side != side || !o->is_fixed ||
        o->ncompanion == LWI_COMPANIONS || count != o->ntarget || loop->npath[side] != count ||
        !(loop->is_rod || loop->type == LW_JOINT_SPHERICAL)) {
        return false;
    }
    lwi_companion *c = &o->companion[o->ncompanion++];
    c->loop = loop;
    lwi_inverse_set_leg(m, o, loop, m->tree_q_reference, &c->leg);
    return true;
}

// Loops that nothing was solved from, and all of whose joints are known by now, must close: what
// cannot lead to a solution is left early.
static bool plan_checks(lwi_inverse *inverse)
{
    bool is_found = false;
    for (int k = 0; k < inverse->model->nloop; ++k) {
        const lwi_loop *loop = &program_of(inverse)->loop[k];
        bool has_known;
        if (inverse->is_used[k] || !inverse->is_near[k] ||
            unknowns_of_side(inverse, loop, 0, &has_known) ||
            unknowns_of_side(inverse, loop, 1, &has_known)) {
            continue;
        }
        inverse->is_used[k] = true;
        is_found = true;
        if (join_leg(inverse, loop)) {
            continue;
        }
        lwi_operation *o = add_operation(inverse, LWI_CHECK_LOOP);
        if (!o) {
            inverse->is_complete = false;
            return false;
        }
        o->loop = loop;
        add_loop_sources(inverse, o);
    }
    return is_found;
}

// Loops of needed steps.
static void find_near(lwi_inverse *inverse)
{
    for (int s = 0; s < inverse->model->nstep; ++s) {
        const lwi_step *step = &program_of(inverse)->step[s];
        for (int k = 0; k < step->nloop && inverse->needed[s]; ++k) {
            inverse->is_near[step->loop[k]] = true;
        }
    }
}

// Nothing is left for a sweep where every needed step is a block of loops alone, or three spheres,
// all of which were solved from or checked.
static bool is_proved(const lwi_inverse *inverse)
{
    for (int s = 0; s < inverse->model->nstep; ++s) {
        const lwi_step *step = &program_of(inverse)->step[s];
        if (!inverse->needed[s]) {
            continue;
        }
        if ((step->kind != LW_STEP_BLOCK && step->kind != LW_STEP_SPHERES) || step->ngear > 0) {
            return false;
        }
        for (int k = 0; k < step->nloop; ++k) {
            const lwi_loop *loop = &program_of(inverse)->loop[step->loop[k]];
            // Of a pin a leg closes the point alone.
            if (!inverse->is_used[step->loop[k]] ||
                !(loop->is_rod || loop->type == LW_JOINT_SPHERICAL)) {
                return false;
            }
        }
    }
    return true;
}

void lwi_inverse_plan(lwi_inverse *inverse, const int *body, int nbody)
{
    const lw_model *m = inverse->model;
    memset(inverse->needed, 0, (size_t)m->nstep * sizeof *inverse->needed);
    memset(inverse->is_used, 0, (size_t)m->nloop * sizeof *inverse->is_used);
    memset(inverse->is_near, 0, (size_t)m->nloop * sizeof *inverse->is_near);
    for (int k = 0; k < m->tree_nq; ++k) {
        inverse->given_by[k] = -1;
    }
    inverse->noperation = 0;
    inverse->platform = -1;
    inverse->tolerance = 1e-9;
    find_needed(inverse, body, nbody);
    find_known(inverse, body, nbody);
    find_near(inverse);
    inverse->is_complete = true;
    bool is_moving = true;
    while (is_moving && !is_determined(inverse)) {
        is_moving = plan_rows(inverse, true, false) || plan_legs(inverse) ||
                    plan_step(inverse, false) || plan_step(inverse, true) ||
                    plan_rows(inverse, false, false) || plan_rows(inverse, false, true);
        plan_checks(inverse);
    }
    inverse->is_complete &= is_determined(inverse);
    for (int i = 0; i < inverse->noperation; ++i) {
        lwi_operation *o = &inverse->operation[i];
        for (int k = 0; k < o->ntarget; ++k) {
            for (int p = 0; p < m->nq; ++p) {
                o->matters[k] |= m->q_tree[p] == o->target[k];
            }
        }
    }
    inverse->is_proved = inverse->is_complete && is_proved(inverse);
}
