// Closes loops. Finds them, decides which degrees of freedom are dependent, orders the steps that
// give them, and closes the reference configuration.
#include "close.h"

#include "../loop/planar_loop.h"
#include "../model/joint.h"

#include "../base/report.h"
#include "../math/pi.h"

#include <string.h>

lw_status lwi_make_loop_work(lwi_build *b, int matrix, int damped, lwi_loop_work *work)
{
    *work = (lwi_loop_work){0};
    work->matrix = lwi_arena_take(b->arena, (size_t)matrix, sizeof *work->matrix);
    size_t motions = LW_MAX_DOF, rows = 0, most = 1; // all at most
    for (int k = 0; k < b->nloop; ++k) {
        motions += 1 + (size_t)b->loop[k].ndof; // a spherical loop has its closing axis as well
    }
    for (int k = 0; k < b->nstep; ++k) {
        const lwi_step *step = &b->step[k].step;
        most += (size_t)step->nrow;
        rows += 4 * (size_t)(step->nloop * (step->ntarget + step->nsource));
    }
    work->motion = lwi_arena_take(b->arena, 6 * motions, sizeof *work->motion);
    work->residual = lwi_arena_take(b->arena, most, sizeof *work->residual);
    work->pivot = lwi_arena_take(b->arena, most, sizeof *work->pivot);
    work->loop_end = lwi_arena_take(b->arena, 2 * (size_t)b->nloop, sizeof(lw_pose));
    work->candidate = lwi_arena_take(b->arena, (size_t)b->tree_nq, sizeof *work->candidate);
    work->damped = lwi_arena_take(b->arena, (size_t)damped, sizeof *work->damped);
    work->plane = lwi_arena_take(b->arena, (size_t)b->nplane_record, sizeof *work->plane);
    work->plane_solve = lwi_arena_take(b->arena, 4 * (size_t)b->nplane_solve, sizeof(double));
    work->leg_row = lwi_arena_take(b->arena, rows, sizeof *work->leg_row);
    work->branch_moving = lwi_arena_take(b->arena, 3 * (size_t)b->nloop, sizeof(lwi_moving));
    work->branch_pose = lwi_arena_take(b->arena, 3 * (size_t)b->nloop, sizeof(lw_pose));
    work->leg = lwi_arena_take(b->arena, (size_t)b->nloop, sizeof *work->leg);
    work->leg_motion = lwi_arena_take(b->arena, motions, sizeof *work->leg_motion);
    work->sine = lwi_arena_take(b->arena, (size_t)b->tree_nq, sizeof *work->sine);
    work->cosine = lwi_arena_take(b->arena, (size_t)b->tree_nq, sizeof *work->cosine);
    const bool is_good = work->matrix && work->motion && work->residual && work->pivot &&
                         work->loop_end && work->candidate && work->damped && work->plane &&
                         work->plane_solve && work->leg && work->leg_motion && work->leg_row &&
                         work->branch_pose && work->branch_moving && work->sine && work->cosine;
    return is_good ? LW_OK : lwi_build_no_memory(b);
}

// The common body of two, and the bodies from below it down to each.
static lw_status find_branches(lwi_build *b, lwi_built_loop *built)
{
    int i = built->end_body[0], j = built->end_body[1];
    int n[2] = {0, 0};
    while (i != j) { // parents have smaller numbers, so the larger one climbs
        if (i > j) {
            i = b->body[i].parent;
            ++n[0];
        } else {
            j = b->body[j].parent;
            ++n[1];
        }
    }
    int ndof = 0;
    for (int side = 0; side < 2; ++side) {
        int *path = lwi_arena_take(b->arena, (size_t)n[side], sizeof *path);
        if (!path) {
            return lwi_build_no_memory(b);
        }
        int body = built->end_body[side];
        for (int k = n[side] - 1; k >= 0; --k) {
            path[k] = body;
            ndof += b->body[body].nv;
            body = b->body[body].parent;
        }
        built->loop.path[side] = path;
        built->loop.npath[side] = n[side];
    }
    int *dof = lwi_arena_take(b->arena, (size_t)ndof, sizeof *dof);
    if (!dof) {
        return lwi_build_no_memory(b);
    }
    built->dof = dof;
    built->ndof = ndof;
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < n[side]; ++k) {
            const lwi_built_body *body = &b->body[built->loop.path[side][k]];
            for (int v = 0; v < body->nv; ++v) {
                *dof++ = body->v + v;
            }
        }
    }
    return LW_OK;
}

static lw_pose with_z_along(const lw_pose *X, lw_vec3 axis)
{
    const lw_pose turn = {lw_rotation_to_z(lw_scale3(1.0 / lw_norm3(axis), axis)), {0, 0, 0}};
    return lw_pose_mul(X, &turn);
}

// The joint frame as it is in the reference configuration, seen from the body of the other side.
static lw_pose seen_from_other(const lwi_build *b, const lwi_built_loop *built)
{
    const lw_pose X_W0 = lwi_reference_pose(b, built->end_body[0]);
    const lw_pose X_W1 = lwi_reference_pose(b, built->end_body[1]);
    const lw_pose X = lw_pose_mul(&X_W0, &built->X_placed[0]), back = lw_pose_inverse(&X_W1);
    return lw_pose_mul(&back, &X);
}

static lw_status set_closing_joint(lwi_build *b, const lw_joint_def *def, const lwi_flat *flat,
                                   lwi_built_loop *built)
{
    lwi_loop *loop = &built->loop;
    const lwi_joint_row *row = lwi_joint_row_of(def->type);
    loop->type = def->type;
    loop->nrow = row->nclosing;
    if (loop->nrow == 0) {
        return lwi_report_error(b->report, flat->location, LW_ERR_MODEL,
                                "joint \"%s\": a %s joint cannot close a loop", flat->name,
                                lw_joint_type_name(def->type));
    }
    for (int side = 0; side < 2; ++side) {
        loop->X[side] = lwi_place_after(&loop->X[side], side ? &def->after : &def->before);
        built->X_placed[side] = loop->X[side];
    }
    if (def->sides != LW_SIDES_FRAMES) {
        const lw_pose X = seen_from_other(b, built);
        loop->X[1].R = X.R;
        loop->X[1].p = def->sides == LW_SIDES_REFERENCE ? X.p : loop->X[1].p;
        built->X_placed[1] = loop->X[1];
    }
    if (row->has_axis) {
        const bool is_universal = row->has_axis2;
        loop->X[0] = with_z_along(&loop->X[0], def->axis);
        loop->X[1] = with_z_along(&loop->X[1], is_universal ? def->axis2 : def->axis);
        loop->cosine = is_universal ? lw_dot3(def->axis, def->axis2) /
                                          (lw_norm3(def->axis) * lw_norm3(def->axis2))
                                    : 1.0;
    }
    loop->lead = def->pitch / LWI_TWO_PI;
    return LW_OK;
}

static lw_status add_loop(lwi_build *b, int f)
{
    const lwi_flat *flat = &b->flat[f];
    const lwi_part *part = part_of(b, flat);
    lwi_built_loop *built = &b->loop[b->nloop];
    *built = (lwi_built_loop){.flat = f, .step = -1};
    lwi_loop *loop = &built->loop;
    loop->X[0] = lwi_port_pose(b, flat->feeder, flat->feeder_port, &built->end_body[0]);
    loop->X[1] = lwi_port_pose(b, flat->feeder2, flat->feeder2_port, &built->end_body[1]);
    loop->is_rod = flat->kind == LW_PART_ROD;
    if (loop->is_rod) {
        loop->nrow = 1;
        loop->type = LW_JOINT_SPHERICAL;
        loop->length = as_rod(part)->length;
    } else if (set_closing_joint(b, as_joint(part), flat, built) != LW_OK) {
        return LW_OK; // reported; others still count
    }
    const lw_status status = find_branches(b, built);
    if (status != LW_OK) {
        return status;
    }
    if (built->ndof == 0) {
        lwi_report_error(b->report, flat->location, LW_ERR_MODEL,
                         "%s \"%s\" closes no loop: both ends are on one body",
                         lw_part_kind_name(flat->kind), flat->name);
        return LW_OK;
    }
    ++b->nloop;
    return LW_OK;
}

// The largest length of a loop: between the joints that its branches begin with, between joints
// that follow each other, of slides and of the rod. What is far from the loop's common body is
// rounded by more, so that distance counts a little as well. A loop of axes through one point has
// no length, and is judged in metres.
static double size_of_loop(const lwi_build *b, const lwi_loop *loop)
{
    lw_vec3 start[2];
    double size = loop->length;
    for (int side = 0; side < 2; ++side) {
        const int n = loop->npath[side];
        start[side] = n ? b->body[loop->path[side][0]].X_PJ.p : loop->X[side].p;
        for (int k = 0; k < n; ++k) {
            const lwi_built_body *body = &b->body[loop->path[side][k]];
            size = k > 0 ? fmax(size, lw_norm3(body->X_PJ.p)) : size;
            if (body->carrier == LW_TREE_PRISMATIC) {
                size = fmax(size, fabs(b->tree_q_reference[body->q]));
            }
        }
        size = n ? fmax(size, lw_norm3(loop->X[side].p)) : size;
    }
    size = fmax(size, lw_norm3(lw_sub3(start[1], start[0])));
    size = fmax(size, 1e-4 * fmax(lw_norm3(start[0]), lw_norm3(start[1])));
    return size > 0.0 ? size : 1.0;
}

// What a change by one of each degree of freedom is judged against: an angle as it is, a slide by
// the size of the largest loop that it is in.
static lw_status set_units(lwi_build *b)
{
    b->unit = lwi_arena_take(b->arena, (size_t)b->tree_nv, sizeof *b->unit);
    if (!b->unit) {
        return lwi_build_no_memory(b);
    }
    for (int k = 0; k < b->nloop; ++k) {
        lwi_built_loop *built = &b->loop[k];
        built->loop.size = size_of_loop(b, &built->loop);
        lwi_set_loop_units(&built->loop);
        for (int i = 0; i < built->ndof; ++i) {
            const int v = built->dof[i];
            b->unit[v] = fmax(b->unit[v], built->loop.size);
        }
    }
    for (int v = 0; v < b->tree_nv; ++v) {
        b->unit[v] = lwi_is_slide(b, v) && b->unit[v] > 0.0 ? b->unit[v] : 1.0;
    }
    return LW_OK;
}

// A closing joint without an axis has that of its frame's z. Where all others of its loop turn
// about another direction, it was forgotten: the loop then holds five degrees of freedom instead of
// two.
static void warn_of_axis(lwi_build *b, const lwi_built_loop *built)
{
    const lwi_loop *loop = &built->loop;
    const lwi_flat *flat = &b->flat[built->flat];
    if (loop->is_rod || loop->type != LW_JOINT_REVOLUTE) {
        return;
    }
    const lw_vec3 given = as_joint(part_of(b, flat))->axis;
    const lw_pose X = lwi_reference_pose(b, built->end_body[0]);
    const lw_vec3 own = lw_rotate(&X.R, column_z(&loop->X[0].R));
    lw_vec3 common = {0, 0, 0};
    bool is_default = given.x == 0.0 && given.y == 0.0 && given.z == 1.0;
    for (int k = 0; k < loop->npath[0] + loop->npath[1] && is_default; ++k) {
        const int n = loop->npath[0], i = k < n ? loop->path[0][k] : loop->path[1][k - n];
        const lw_pose X_WB = lwi_reference_pose(b, i);
        const lw_vec3 z = column_z(&X_WB.R);
        common = k == 0 ? z : common;
        is_default =
            b->body[i].carrier == LW_TREE_REVOLUTE && lw_norm3(lw_cross3(z, common)) < 1e-6;
    }
    if (is_default && lw_norm3(lw_cross3(own, common)) > 1e-6) {
        lwi_report_warning(
            b->report, flat->location, LW_DIAG_CLOSING_AXIS,
            "closing joint \"%s\" has the axis (0, 0, 1), as where none is written, "
            "and all other joints of its loop rotate about another direction: give it "
            "their axis",
            flat->name);
    }
}

static lw_status make_draft(lwi_build *b)
{
    lwi_segment *segment = lwi_arena_take(b->arena, (size_t)b->nbody, sizeof *segment);
    lw_pose *X_PJ = lwi_arena_take(b->arena, (size_t)b->nbody, sizeof *X_PJ);
    lw_user_joint *user = lwi_arena_take(b->arena, (size_t)b->nbody, sizeof *user);
    if (!segment || !X_PJ || !user) {
        return lwi_build_no_memory(b);
    }
    for (int i = 0; i < b->nbody; ++i) {
        const lwi_built_body *body = &b->body[i];
        X_PJ[i] = body->X_PJ;
        segment[i] = (lwi_segment){.parent = body->parent,
                                   .carrier = (int)body->carrier,
                                   .q = body->q,
                                   .v = body->v,
                                   .nv = body->nv,
                                   .lead = body->lead};
        if (b->body[i].carrier == LW_TREE_USER) {
            user[i] = b->joint[b->body[i].joint].def->user;
        }
    }
    b->draft_kernel = (lwi_kernel){.segment = segment, .user = user};
    b->draft = (lw_model){.nbody = b->nbody,
                          .tree_nq = b->tree_nq,
                          .tree_nv = b->tree_nv,
                          .tree_q_reference = b->tree_q_reference,
                          .X_PJ = X_PJ,
                          .kernel = &b->draft_kernel};
    return LW_OK;
}

static bool closes_loop(const lwi_flat *flat)
{
    return flat->is_closer && flat->kind != LW_PART_SPRING && !flat->is_left_out;
}

// Where each rod and closing joint is connected, the branches of its loop, and a draft of the model
// that loops can be computed with.
static lw_status find_loops(lwi_build *b)
{
    int count = 0;
    for (int f = 0; f < b->nflat; ++f) {
        count += closes_loop(&b->flat[f]);
    }
    b->loop = lwi_arena_take(b->arena, (size_t)count, sizeof *b->loop);
    if (!b->loop) {
        return lwi_build_no_memory(b);
    }
    lw_status status = make_draft(b);
    for (int f = 0; f < b->nflat && count && status == LW_OK; ++f) {
        if (closes_loop(&b->flat[f])) {
            status = add_loop(b, f);
        }
    }
    for (int k = 0; k < b->nloop && status == LW_OK; ++k) {
        lwi_loop *loop = &b->loop[k].loop;
        const lwi_flat *flat = &b->flat[b->loop[k].flat];
        warn_of_axis(b, &b->loop[k]);
        if (loop->is_rod && loop->length == 0.0) {
            double row[LWI_MOST_ROWS];
            loop->length = lwi_loop_residual(&b->draft, loop, b->tree_q_reference, row);
        }
        if (loop->is_rod && !(loop->length > 0.0)) {
            lwi_report_error(b->report, flat->location, LW_ERR_MODEL,
                             "rod \"%s\": its ends meet in the reference configuration; give it a "
                             "length",
                             flat->name);
        }
    }
    if (status == LW_OK) {
        status = lw_report_errors(b->report) > 0 ? LW_ERR_MODEL : set_units(b);
    }
    return status;
}

lw_status lwi_pass_close(lwi_build *b)
{
    b->is_target = lwi_arena_take(b->arena, (size_t)b->tree_nv, 1);
    if (!b->is_target) {
        return lwi_build_no_memory(b);
    }
    lw_status status = find_loops(b);
    if (status == LW_OK) {
        status = lwi_find_gears(b);
    }
    if (status == LW_OK) {
        status = lwi_close_approximately(b);
    }
    if (status == LW_OK) {
        status = lwi_choose_dependents(b);
    }
    const bool is_tree = b->nloop + b->ngear + b->ncoupling == 0; // nothing to solve
    if (status == LW_OK && !is_tree) {
        status = lwi_order_steps(b);
    }
    if (status == LW_OK && !is_tree) {
        status = lwi_assemble(b);
    }
    return status == LW_OK ? lwi_find_independent(b) : status;
}
