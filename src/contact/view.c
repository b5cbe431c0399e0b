// Views: a constraint set over the coordinates of one appendage, or of several.
//
// The coordinates of an appendage are those that move its ends against its base: the joints
// between, and what these depend on.
#include "wheel_rows.h"

#include "../base/report.h"
#include "../ik/constraint_set.h"

#include <linkwork/kinematics.h>
#include <linkwork/views.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lw_view {
    const lw_model *m;
    lw_view_kind kind;
    char *name;
    int base;
    int ntask, ndof;
    lw_constraint_def *task; ///< [ntask] names and postures are those of the set
    int *dof;                ///< [ndof]
    lw_constraints *set;
    lw_wheels *wheels;
    bool owns_wheels;
    lw_view_function *override;
    void *self;
    lw_data *d;
    double *q, *v;   ///< [nq] and [nv] of an override
    lw_pose *target; ///< [ntask]
};

lw_view_def lw_default_view_def(lw_view_kind kind, const char *name)
{
    return (lw_view_def){.kind = kind, .name = name, .base = -1};
}

const char *lw_view_kind_name(lw_view_kind kind)
{
    static const char *const name[] = {"mechanism", "manipulator", "wheeled", "legged"};
    return (unsigned)kind <= LW_VIEW_LEGGED ? name[kind] : "unknown";
}

// --- Coordinates ------------------------------------------------------------------------------

static bool has_frames(lw_constraint_type type)
{
    return type <= LW_CONSTRAINT_FACE || type == LW_CONSTRAINT_TWIST;
}

// Marks in `moves` [tree_nv] the joints between two bodies.
static void mark_between(const lw_model *m, int a, int b, double *moves)
{
    while (a != b) { // parents have smaller numbers
        int *upper = a > b ? &a : &b;
        for (int v = m->v_start[*upper]; v < m->v_start[*upper + 1]; ++v) {
            moves[v] = 1.0;
        }
        *upper = m->parent[*upper];
    }
}

static int body_of(const lw_model *m, int frame)
{
    return frame < 0 ? -1 : m->frame[frame].body;
}

// What carries a vehicle: of a free joint the rotation about z of the base and the translations
// across it. False where that axis is not one of the joint's, or nothing carries it.
static bool mark_base(const lw_model *m, const lw_wheels *wheels, double *moves)
{
    const int body = wheels->base;
    if (body < 0) {
        return false;
    }
    mark_between(m, body, -1, moves);
    if (m->carrier[body] == LW_TREE_FREE) {
        const lw_mat3 *R = &m->frame[wheels->base_frame].X_BF.R;
        const int v = m->v_start[body];
        moves[v] = moves[v + 1] = moves[v + 5] = 0.0;
        return m->parent[body] < 0 && fabs(R->row[2].z) > 1.0 - 1e-12;
    }
    return true;
}

static lw_status mark_moves(lw_view *view, const lw_view_def *def, double *tree, bool *moves,
                            lw_report *report)
{
    const lw_model *m = view->m;
    memset(tree, 0, (size_t)m->tree_nv * sizeof *tree);
    const bool is_chain = def->kind == LW_VIEW_MANIPULATOR || def->kind == LW_VIEW_LEGGED;
    for (int i = 0; i < def->ntask && is_chain; ++i) {
        if (has_frames(def->task[i].type)) {
            mark_between(m, body_of(m, def->task[i].frame), body_of(m, def->base), tree);
        }
    }
    if (def->kind == LW_VIEW_WHEELED && !mark_base(m, view->wheels, tree)) {
        return lwi_report_error(
            report, (lw_location){0}, LW_ERR_MODEL,
            "view \"%s\": what its wheels carry is fixed to the ground; connect "
            "it by a free joint with the same z axis, or by joints in x, y "
            "and heading",
            def->name);
    }
    lwi_mark_sources(m, tree);
    bool is_any = false;
    for (int k = 0; k < m->nv; ++k) {
        moves[k] = tree[m->v_tree[k]] > 0.0 || (def->kind == LW_VIEW_MECHANISM && !def->nmember);
        for (int i = 0; i < def->nmember && def->kind == LW_VIEW_MECHANISM; ++i) {
            for (int j = 0; j < def->member[i]->ndof; ++j) {
                moves[k] = moves[k] || def->member[i]->dof[j] == k;
            }
        }
        moves[k] = def->options.moves ? def->options.moves[k] : moves[k];
        is_any = is_any || moves[k];
    }
    return is_any ? LW_OK
                  : lwi_report_error(report, (lw_location){0}, LW_ERR_MODEL,
                                     "view \"%s\": no joint is between its base and its ends",
                                     def->name);
}

// --- Creation ---------------------------------------------------------------------------------

static lw_status check(const lw_model *m, const lw_view_def *def, lw_report *report)
{
    const char *wrong = NULL;
    const bool is_mechanism = def->kind == LW_VIEW_MECHANISM;
    if (def->ntask < 0 || def->nmember < 0 || (def->ntask > 0 && !def->task) ||
        (def->nmember > 0 && (!def->member || !is_mechanism))) {
        wrong = "an argument is null or out of range, or it has members and is no mechanism";
    }
    for (int i = 0; i < def->nmember && !wrong; ++i) {
        wrong = !def->member[i] || def->member[i]->m != m ? "a member is of another model" : NULL;
    }
    for (int i = 0; i < def->ntask && !wrong && def->kind == LW_VIEW_LEGGED; ++i) {
        for (int k = 0; k < i; ++k) {
            wrong = def->task[k].frame == def->task[i].frame ? "two tasks are of one foot" : wrong;
        }
    }
    if (wrong) {
        return lwi_report_error(report, (lw_location){0}, LW_ERR_ARGUMENT, "view \"%s\": %s",
                                def->name, wrong);
    }
    if (def->kind == LW_VIEW_WHEELED && m->nwheel == 0) {
        return lwi_report_error(report, (lw_location){0}, LW_ERR_MODEL,
                                "view \"%s\": mechanism \"%s\" has no <wheel>", def->name, m->name);
    }
    if (def->base < -1 || def->base >= m->nframe_all) {
        return lwi_report_error(report, (lw_location){0}, LW_ERR_MODEL,
                                "view \"%s\": the mechanism has no frame %d", def->name, def->base);
    }
    for (int i = 0; i < def->ntask; ++i) { // the set checks the rest
        const lw_constraint_def *task = &def->task[i];
        if (has_frames(task->type) && (task->frame < 0 || task->frame >= m->nframe_all)) {
            return lwi_report_error(report, task->location, LW_ERR_MODEL,
                                    "view \"%s\", task %d: the mechanism has no such frame",
                                    def->name, i + 1);
        }
    }
    return LW_OK;
}

static lw_view *lay_out(const lw_model *m, const lw_view_def *def, lwi_slicer *s)
{
    lw_view scratch;
    lw_view *block = lwi_slice(s, 1, sizeof *block);
    lw_view *view = block ? block : &scratch;
    const size_t nv = (size_t)m->nv;
    size_t ntask = (size_t)def->ntask;
    for (int i = 0; i < def->nmember; ++i) {
        ntask += (size_t)def->member[i]->ntask;
    }
    view->ntask = (int)ntask;
    view->name = lwi_slice(s, strlen(def->name) + 1, 1);
    view->task = lwi_slice(s, ntask, sizeof *view->task);
    view->target = lwi_slice(s, ntask, sizeof *view->target);
    view->dof = lwi_slice(s, nv, sizeof *view->dof);
    view->q = lwi_slice(s, (size_t)m->nq, sizeof *view->q);
    view->v = lwi_slice(s, nv > (size_t)m->tree_nv ? nv : (size_t)m->tree_nv, sizeof *view->v);
    return block;
}

// Tasks of members, then its own, and the set of all.
static lw_status make_set(lw_view *view, const lw_view_def *def, lw_report *report)
{
    const lw_model *m = view->m;
    int n = 0;
    for (int i = 0; i < def->nmember; ++i) {
        for (int k = 0; k < def->member[i]->ntask; ++k) {
            view->task[n++] = def->member[i]->task[k];
        }
    }
    for (int i = 0; i < def->ntask; ++i) {
        view->task[n++] = def->task[i];
    }
    bool *moves = calloc((size_t)m->nv + 1, sizeof *moves);
    lw_status status =
        moves ? mark_moves(view, def, view->v, moves, report)
              : lwi_report_error(report, (lw_location){0}, LW_ERR_MEMORY, "out of memory");
    for (int k = 0; k < m->nv && status == LW_OK; ++k) {
        if (moves[k]) {
            view->dof[view->ndof++] = k;
        }
    }
    if (status == LW_OK && n > 0) {
        lw_constraint_options options = def->options;
        options.moves = moves;
        options.starts = options.starts ? options.starts : 60;
        options.repeats = options.repeats ? options.repeats : 24;
        status = lw_constraints_create(m, n, view->task, &options, &view->set, report);
    }
    free(moves);
    for (int i = 0; i < n && status == LW_OK; ++i) {
        view->task[i] = view->set->item[i].def;
    }
    return status;
}

lw_status lw_view_create(const lw_model *m, const lw_view_def *def, lw_view **view,
                         lw_report *report)
{
    if (!view) {
        return LW_ERR_ARGUMENT;
    }
    *view = NULL;
    if (!m || !def || !def->name || (unsigned)def->kind > LW_VIEW_LEGGED) {
        return lwi_report_error(report, (lw_location){0}, LW_ERR_ARGUMENT,
                                "a view needs a model, a name and a kind");
    }
    lw_status status = check(m, def, report);
    if (status != LW_OK) {
        return status;
    }
    lwi_slicer s = {0};
    lay_out(m, def, &s);
    char *block = aligned_alloc(LWI_ALIGN, aligned_size(s.used));
    if (!block) {
        return lwi_report_error(report, (lw_location){0}, LW_ERR_MEMORY, "out of memory");
    }
    memset(block, 0, s.used);
    s = (lwi_slicer){.base = block};
    lw_view *made = lay_out(m, def, &s);
    made->m = m;
    made->kind = def->kind;
    memcpy(made->name, def->name, strlen(def->name) + 1);
    status = lw_data_create(m, &made->d);
    if (status == LW_OK && def->kind == LW_VIEW_WHEELED) {
        made->owns_wheels = true;
        status = lw_wheels_create(m, &made->wheels);
    }
    for (int i = 0; i < def->nmember && !made->wheels; ++i) {
        made->wheels = def->member[i]->wheels;
    }
    if (status == LW_OK) {
        status = make_set(made, def, report);
    }
    made->base =
        def->kind == LW_VIEW_WHEELED && made->wheels ? made->wheels->base_frame : def->base;
    if (status != LW_OK) {
        lw_view_destroy(made);
        return status;
    }
    *view = made;
    return LW_OK;
}

void lw_view_destroy(lw_view *view)
{
    if (view) {
        lw_constraints_destroy(view->set);
        lw_data_destroy(view->d);
        if (view->owns_wheels) {
            lw_wheels_destroy(view->wheels);
        }
        free(view);
    }
}

lw_view_info lw_view_describe(const lw_view *view)
{
    static const lw_view_info none = {.base = -1};
    return view ? (lw_view_info){.kind = view->kind,
                                 .name = view->name,
                                 .model = view->m,
                                 .base = view->base,
                                 .ntask = view->ntask,
                                 .task = view->task,
                                 .ndof = view->ndof,
                                 .dof = view->dof,
                                 .set = view->set,
                                 .wheels = view->wheels}
                : none;
}

// --- Solving ----------------------------------------------------------------------------------

lw_status lw_view_targets(lw_view *view, const double *q, lw_pose *target)
{
    if (!view || !q || (view->ntask > 0 && !target)) {
        return LW_ERR_ARGUMENT;
    }
    lw_status status = lw_forward_position(view->m, view->d, q);
    for (int i = 0; i < view->ntask && status == LW_OK; ++i) {
        const lw_constraint_def *task = &view->task[i];
        target[i] = task->target;
        if (task->type == LW_CONSTRAINT_DIRECTION || task->type == LW_CONSTRAINT_DISTANCE ||
            task->type > LW_CONSTRAINT_LOOK_AT) {
            continue;
        }
        lw_pose X = lw_pose_identity();
        if (task->relative_to < 0) {
            status = lw_frame_pose(view->m, view->d, task->frame, &X);
        } else {
            status = lw_relative_pose(view->m, view->d, task->relative_to, task->frame, &X);
        }
        const lw_vec3 ahead =
            task->type == LW_CONSTRAINT_LOOK_AT ? task->axis : lw_vec3_of(0.0, 0.0, 0.0);
        X.p = lw_add3(X.p, lw_rotate(&X.R, lw_add3(task->point, ahead)));
        target[i] = X;
    }
    return status;
}

// Gives the tasks other targets: all of them, or none where one is no target.
static lw_status take_targets(lw_view *view, const lw_pose *target)
{
    lw_status status = LW_OK;
    for (int i = 0; target && i < view->ntask && status == LW_OK; ++i) {
        lw_constraint_def task = view->set->item[i].def;
        task.target = target[i];
        if (has_frames(task.type) || task.type == LW_CONSTRAINT_CENTER_OF_MASS) {
            status = lw_constraints_update(view->set, i, &task);
        }
    }
    for (int i = 0; i < view->ntask; ++i) {
        lwi_constraint *c = &view->set->item[i];
        if (status != LW_OK) {
            c->def.target = view->task[i].target;
        }
        view->task[i] = c->def;
    }
    return status;
}

// What the override makes of a seed: its own coordinates alone, in view->q.
static lw_status ask_override(lw_view *view, const double *seed)
{
    const lw_model *m = view->m;
    memcpy(view->q, seed, (size_t)m->nq * sizeof *seed);
    for (int i = 0; i < view->ntask; ++i) {
        view->target[i] = view->task[i].target;
    }
    lw_status status = view->override(view->self, view, view->target, view->q);
    if (status == LW_OK) {
        status = lw_difference(m, seed, view->q, view->v);
    }
    for (int k = 0, i = 0; k < m->nv && status == LW_OK; ++k) {
        if (i < view->ndof && view->dof[i] == k) {
            ++i;
        } else {
            view->v[k] = 0.0;
        }
    }
    return status == LW_OK ? lw_integrate(m, seed, view->v, 1.0, view->q) : status;
}

lw_status lw_view_solve(lw_view *view, const double *seed, const lw_pose *target,
                        lw_constraint_result *result)
{
    if (!view || !view->set || !result) {
        return LW_ERR_ARGUMENT;
    }
    const lw_status status = take_targets(view, target);
    seed = seed ? seed : view->m->q_reference;
    if (status == LW_OK && view->override && ask_override(view, seed) == LW_OK) {
        seed = view->q;
    }
    return status == LW_OK ? lw_constraints_solve(view->set, seed, result) : status;
}

// --- Exchange ---------------------------------------------------------------------------------

lw_status lw_view_override(lw_view *view, lw_view_function *function, void *self)
{
    if (!view || !view->set) {
        return LW_ERR_ARGUMENT;
    }
    view->override = function;
    view->self = self;
    return LW_OK;
}

lw_status lw_view_by_ik(void *self, const lw_view *view, const lw_pose *target, double *q)
{
    if (!self || !view || view->ntask != 1 || view->task[0].type != LW_CONSTRAINT_POSE) {
        return LW_ERR_ARGUMENT;
    }
    lw_ik *ik = self;
    const lw_ik_target at = {.X_BT = *target};
    lw_ik_result found;
    const lw_status status = lw_ik_solve(ik, &at, q, &found);
    if (status != LW_OK) {
        return status;
    }
    return found.nwithin > 0 && lw_ik_nearest(ik, q, LW_IK_SUM_OF_SQUARES, NULL, q) >= 0
               ? LW_OK
               : LW_ERR_NO_CONVERGENCE;
}

// The residual of the first level of tasks, by their rows; infinite where a row is beyond the
// tolerance.
static double residual_at(lw_view *view, const double *q)
{
    lwi_rows *rows = &view->set->at[0];
    double square = 0.0;
    if (lwi_constraints_evaluate(view->set, rows, q) != LW_OK) {
        return HUGE_VAL;
    }
    for (int k = 0; k < view->set->nlevel; ++k) {
        if (!lwi_level_is_met(view->set, rows, k, view->set->tolerance)) {
            return HUGE_VAL;
        }
        square += 2.0 * rows->E[k];
    }
    return sqrt(square);
}

lw_status lw_view_compare(lw_view *view, int n, const double *q, const double *seed,
                          lw_view_comparison *comparison)
{
    if (!view || !view->set || n < 0 || (n > 0 && !q) || !comparison) {
        return LW_ERR_ARGUMENT;
    }
    lw_view_comparison made = {.ntarget = n};
    seed = seed ? seed : view->m->q_reference;
    for (int i = 0; i < n; ++i) {
        lw_constraint_result found;
        lw_status status = lw_view_targets(view, q + (size_t)i * (size_t)view->m->nq, view->target);
        status = status == LW_OK ? take_targets(view, view->target) : status;
        double residual = HUGE_VAL;
        if (status == LW_OK && view->override && ask_override(view, seed) == LW_OK) {
            residual = residual_at(view, view->q);
        }
        status = status == LW_OK ? lw_constraints_solve(view->set, seed, &found) : status;
        if (status != LW_OK) {
            return status;
        }
        const bool is_met = residual < HUGE_VAL, is_solved = found.status == LW_CONSTRAINTS_SOLVED;
        made.override_solved += is_met;
        made.generic_solved += is_solved;
        made.certified += found.status == LW_CONSTRAINTS_BEST;
        made.generic_only += is_solved && !is_met;
        made.override_only += is_met && !is_solved;
        made.worst = is_met ? fmax(made.worst, residual) : made.worst;
    }
    *comparison = made;
    return LW_OK;
}
