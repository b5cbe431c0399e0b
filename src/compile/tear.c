// Tearing: which blocks are made of legs, so that what only one leg has can be left out of the
// simultaneous equations (loop/torn_block.h).
//
// A rod is a leg as it is. A closing ball joint is one where two revolute joints of its own, one
// right after the other and with axes that meet, carry all that is between them and the ball: they
// rotate the leg into any direction, and only its length is a condition on the others.
#include "close.h"

#include "../loop/closed_form_loops.h"
#include "../loop/torn_block.h"
#include "../model/joint.h"

#include <string.h>

/// A step while it is torn.
typedef struct tearing {
    lwi_build *b;
    const lwi_program *program;
    lwi_step *step, *reduced;
    int *kept; ///< as in lwi_legs
    lwi_leg_branch *branch;
    lwi_torn_leg *leg;
    int nbranch;
    bool is_short; ///< of memory
} tearing;

static int index_in(const int *list, int n, int value)
{
    for (int k = 0; k < n; ++k) {
        if (list[k] == value) {
            return k;
        }
    }
    return -1;
}

// How many loops of the step go through a body.
static int loops_through(const tearing *t, int body)
{
    int count = 0;
    for (int k = 0; k < t->step->nloop; ++k) {
        const lwi_loop *loop = &t->program->loop[t->step->loop[k]];
        count += index_in(loop->path[0], loop->npath[0], body) >= 0 ||
                 index_in(loop->path[1], loop->npath[1], body) >= 0;
    }
    return count;
}

static int target_of(const tearing *t, int body)
{
    return index_in(t->step->target, t->step->ntarget, t->b->body[body].v);
}

// A revolute joint that this loop alone has, and that the step gives.
static bool is_passive(const tearing *t, int body)
{
    return t->b->body[body].carrier == LW_TREE_REVOLUTE && target_of(t, body) >= 0 &&
           loops_through(t, body) == 1;
}

// Whether the joints at `at` and after it rotate a leg about its foot.
static bool is_swivel(const tearing *t, const lwi_loop *loop, int side, int at)
{
    static const double same = 1e-12;
    const int *body = &loop->path[side][at];
    if (!is_passive(t, body[0]) || !is_passive(t, body[1]) ||
        lw_norm3(t->b->body[body[1]].X_PJ.p) > same * loop->size) {
        return false;
    }
    for (int k = at + 2; k < loop->npath[side]; ++k) {
        const lwi_built_body *beyond = &t->b->body[loop->path[side][k]];
        if (beyond->nv != 1 || target_of(t, loop->path[side][k]) >= 0) {
            return false;
        }
    }
    return true;
}

static bool find_swivel(const tearing *t, const lwi_loop *loop, lwi_torn_leg *leg)
{
    for (leg->side = 0; leg->side < 2; ++leg->side) {
        for (int k = 0; k + 1 < loop->npath[leg->side]; ++k) {
            if (is_swivel(t, loop, leg->side, k)) {
                leg->swivel = k;
                for (int i = 0; i < 2; ++i) {
                    leg->passive[i] = target_of(t, loop->path[leg->side][k + i]);
                }
                return true;
            }
        }
    }
    return false;
}

// Joints that the legs are computed with.
static bool has_plain_joints(const tearing *t, const lwi_loop *loop)
{
    for (int k = 0; k < loop->npath[0] + loop->npath[1]; ++k) {
        const int n = loop->npath[0];
        const lw_tree_joint carrier =
            t->b->body[k < n ? loop->path[0][k] : loop->path[1][k - n]].carrier;
        if (carrier != LW_TREE_REVOLUTE && carrier != LW_TREE_PRISMATIC &&
            carrier != LW_TREE_SPHERICAL && carrier != LW_TREE_FREE) {
            return false;
        }
    }
    return true;
}

static bool ends_on_free(const tearing *t, const lwi_loop *loop, int side)
{
    return loop->npath[side] == 1 && t->b->body[loop->path[side][0]].carrier == LW_TREE_FREE;
}

// The columns of a branch in the reduced matrix.
static void set_columns(tearing *t, lwi_leg_branch *branch)
{
    for (int k = 0; k < branch->n; ++k) {
        branch->ndof += t->b->body[branch->body[k]].nv;
    }
    int *column = lwi_arena_take(t->b->arena, (size_t)branch->ndof, sizeof *column);
    t->is_short |= !column;
    branch->column = column;
    for (int k = 0, n = 0; k < branch->n && column; ++k) {
        const lwi_built_body *body = &t->b->body[branch->body[k]];
        for (int j = 0; j < body->nv; ++j, ++n) {
            const int target = index_in(t->step->target, t->step->ntarget, body->v + j);
            const int source = index_in(t->step->source, t->step->nsource, body->v + j);
            column[n] = target >= 0 ? t->kept[target] : t->reduced->ntarget + source;
            branch->is_given &= target < 0;
        }
    }
}

static int branch_of(tearing *t, const int *body, int n)
{
    for (int k = 0; k < t->nbranch; ++k) {
        if (t->branch[k].n == n &&
            (n == 0 || memcmp(t->branch[k].body, body, (size_t)n * sizeof *body) == 0)) {
            return k;
        }
    }
    lwi_leg_branch *branch = &t->branch[t->nbranch];
    branch->n = n;
    branch->body = body;
    branch->is_given = true;
    branch->is_free = n == 1 && t->b->body[body[0]].carrier == LW_TREE_FREE;
    branch->motion = t->b->nleg_motion;
    set_columns(t, branch);
    t->b->nleg_motion += branch->ndof;
    return t->nbranch++;
}

// The branches of a leg, once it is known which targets are kept.
static void set_branches(tearing *t, lwi_torn_leg *leg, const double *q)
{
    const lwi_loop *loop = &t->program->loop[leg->loop];
    const int side = leg->side, other = 1 - side, *path = loop->path[side];
    const bool is_rod = leg->swivel < 0;
    leg->tip = branch_of(t, loop->path[other], loop->npath[other]);
    leg->foot = branch_of(t, path, is_rod ? loop->npath[side] : leg->swivel);
    leg->tip_point = loop->X[other].p;
    leg->foot_point = is_rod ? loop->X[side].p : t->b->body[path[leg->swivel]].X_PJ.p;
    double length = loop->length;
    if (!is_rod) {
        const int beyond = leg->swivel + 2;
        leg->beyond = branch_of(t, path + beyond, loop->npath[side] - beyond);
        const lw_pose X = lwi_branch_pose(&t->b->draft, loop, side, beyond, loop->npath[side], q);
        length = lw_norm3(lw_pose_apply(&X, loop->X[side].p));
    }
    leg->unit = loop->size * length;
    const lw_vec3 b = leg->tip_point;
    const double least = fmin(b.x * b.x, fmin(b.y * b.y, b.z * b.z));
    leg->arm = fmax(loop->size, sqrt(lw_dot3(b, b) - least));
}

// Finds the legs; false where a loop is none.
static bool find_legs(tearing *t)
{
    for (int k = 0; k < t->step->nloop; ++k) {
        const lwi_loop *loop = &t->program->loop[t->step->loop[k]];
        lwi_torn_leg *leg = &t->leg[k];
        leg->loop = t->step->loop[k];
        leg->swivel = -1;
        if (!has_plain_joints(t, loop)) {
            return false;
        }
        if (loop->is_rod) {
            leg->side = ends_on_free(t, loop, 0);
        } else if (loop->type != LW_JOINT_SPHERICAL || !find_swivel(t, loop, leg)) {
            return false;
        } else {
            t->kept[leg->passive[0]] = t->kept[leg->passive[1]] = -1;
        }
    }
    return true;
}

// The reduced step: the targets that are kept.
static lw_status make_reduced(tearing *t)
{
    const lwi_step *step = t->step;
    const size_t n = (size_t)step->ntarget;
    int *target = lwi_arena_take(t->b->arena, n, sizeof *target);
    int *target_q = lwi_arena_take(t->b->arena, n, sizeof *target_q);
    int *target_body = lwi_arena_take(t->b->arena, n, sizeof *target_body);
    double *unit = lwi_arena_take(t->b->arena, n, sizeof *unit);
    if (!target || !target_q || !target_body || !unit) {
        return lwi_build_no_memory(t->b);
    }
    lwi_step *torn = t->reduced;
    for (int i = 0; i < step->ntarget; ++i) {
        if (t->kept[i] < 0) {
            continue;
        }
        const int at = torn->ntarget++;
        t->kept[i] = at;
        target[at] = step->target[i];
        target_q[at] = step->target_q[i];
        target_body[at] = step->target_body[i];
        unit[at] = step->target_unit[i];
    }
    torn->kind = LW_STEP_BLOCK;
    torn->nsource = step->nsource;
    torn->nrow = step->nloop;
    torn->target = target;
    torn->target_q = target_q;
    torn->target_body = target_body;
    torn->target_unit = unit;
    torn->source = step->source;
    torn->source_q = step->source_q;
    torn->source_unit = step->source_unit;
    torn->nloop = step->nloop;
    torn->loop = step->loop;
    return LW_OK;
}

lw_status lwi_tear(lwi_build *b, const lwi_program *program, lwi_step *step, const double *q)
{
    const size_t nloop = (size_t)step->nloop;
    lwi_step *torn = lwi_arena_take(b->arena, 1, sizeof *torn);
    lwi_legs *legs = lwi_arena_take(b->arena, 1, sizeof *legs);
    tearing t = {.b = b, .program = program, .step = step, .reduced = torn};
    t.kept = lwi_arena_take(b->arena, (size_t)step->ntarget, sizeof *t.kept);
    t.branch = lwi_arena_take(b->arena, 3 * nloop, sizeof *t.branch);
    t.leg = lwi_arena_take(b->arena, nloop, sizeof *t.leg);
    if (!torn || !legs || !t.kept || !t.branch || !t.leg) {
        return lwi_build_no_memory(b);
    }
    if (step->ngear > 0 || !find_legs(&t)) {
        return LW_OK;
    }
    const lw_status status = make_reduced(&t);
    if (status == LW_OK && (torn->ntarget != torn->nrow || torn->nrow > LWI_MOST_LEGS)) {
        return LW_OK; // over-constrained: some rows are left out, which elimination finds
    }
    for (int k = 0; k < step->nloop && status == LW_OK && !t.is_short; ++k) {
        set_branches(&t, &t.leg[k], q);
    }
    if (status != LW_OK || t.is_short) {
        return lwi_build_no_memory(b);
    }
    for (int k = 0; k < step->nloop; ++k) {
        t.branch[t.leg[k].foot].is_free = false; // its rows are short for tips
    }
    legs->nbranch = t.nbranch;
    legs->nleg = step->nloop;
    legs->nsource = step->nsource;
    legs->branch = t.branch;
    legs->leg = t.leg;
    legs->kept = t.kept;
    legs->first_pose = b->nbranch;
    legs->first_leg = b->nleg;
    legs->first_row = b->nleg_row;
    b->nbranch += t.nbranch;
    b->nleg += legs->nleg;
    b->nleg_row += legs->nleg * (3 * (torn->ntarget + torn->nsource) + torn->ntarget);
    torn->legs = legs;
    step->reduced = torn;
    return LW_OK;
}
