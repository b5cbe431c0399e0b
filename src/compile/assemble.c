// The last piece of closing: which closed form fits each step, on which branch, and the reference
// configuration with every loop closed.
#include "close.h"

#include "../base/report.h"
#include "../loop/closed_form_loops.h"
#include "../loop/planar_loop.h"
#include "../model/joint.h"

#include <string.h>

// Gears alone are solved once and for all.
static lw_status solve_gears(lwi_build *b, lwi_step *step, const lwi_loop_work *work)
{
    const int nt = step->ntarget, ns = step->nsource;
    double *coefficient = lwi_arena_take(b->arena, (size_t)(nt * (1 + ns)), sizeof *coefficient);
    double *K = lwi_arena_take(b->arena, (size_t)(nt * ns), sizeof *K);
    if (!coefficient || !K) {
        return lwi_build_no_memory(b);
    }
    lwi_closure_fault fault = LWI_NO_FAULT;
    const lwi_program none = {0};
    step->kind = LW_STEP_BLOCK; // for the rates, which come from the rows
    const lw_status status =
        lwi_step_rates(&b->draft, &none, step, work, b->tree_q_reference, K, &fault);
    step->kind = LW_STEP_LINEAR;
    for (int t = 0; t < nt; ++t) {
        double offset = b->tree_q_reference[step->target_q[t]];
        for (int k = 0; k < ns; ++k) {
            coefficient[t * (1 + ns) + 1 + k] = K[t * ns + k];
            offset -= K[t * ns + k] * b->tree_q_reference[step->source_q[k]];
        }
        coefficient[t * (1 + ns)] = offset;
    }
    step->coefficient = coefficient;
    step->ncoefficient = nt * (1 + ns);
    return status;
}

static bool find_on_path(const lwi_build *b, const lwi_loop *loop, int v, int *side, int *at)
{
    for (*side = 0; *side < 2; ++*side) {
        for (*at = 0; *at < loop->npath[*side]; ++*at) {
            if (b->body[loop->path[*side][*at]].v == v) {
                return true;
            }
        }
    }
    return false;
}

static bool classify_rod(const lwi_build *b, const lwi_loop *loop, lwi_step *step)
{
    if (!loop->is_rod || step->ntarget != 1 ||
        !find_on_path(b, loop, step->target[0], &step->side, &step->at)) {
        return false;
    }
    const lw_tree_joint carrier = b->body[loop->path[step->side][step->at]].carrier;
    if (carrier != LW_TREE_REVOLUTE && carrier != LW_TREE_PRISMATIC) {
        return false;
    }
    step->kind = carrier == LW_TREE_REVOLUTE ? LW_STEP_ROD_REVOLUTE : LW_STEP_ROD_PRISMATIC;
    return true;
}

// Whether a joint whose z axis is `z` moves things within the plane normal to n. The two bounds are
// nearly the same angle, by its sine and by its cosine: an axis that is off by 1e-6 leaves the
// plane by 1e-6 of a length, and is left to Newton's method.
static bool is_within_plane(bool is_slide, lw_vec3 z, lw_vec3 n)
{
    const double along = lw_dot3(z, n);
    return is_slide ? fabs(along) < 1e-9 : 1.0 - fabs(along) < 1e-12;
}

// All joints of the loop rotate about one direction or slide across it. Joints of that kind keep
// each other so, whatever the configuration. The normal comes from any joint that turns.
static bool is_planar(const lwi_build *b, const lwi_loop *loop, lw_vec3 *out)
{
    lw_vec3 normal = {0.0, 0.0, 0.0};
    for (int round = 0; round < 2; ++round) {
        for (int side = 0; side < 2; ++side) {
            lw_pose X = lw_pose_identity();
            for (int k = 0; k < loop->npath[side]; ++k) {
                const int i = loop->path[side][k];
                const lw_tree_joint carrier = b->body[i].carrier;
                const bool is_slide = carrier == LW_TREE_PRISMATIC;
                if (!is_slide && carrier != LW_TREE_REVOLUTE) {
                    return false;
                }
                X = joint_frame_after(&b->draft, i, &X);
                const lw_vec3 z = column_z(&X.R);
                if (round == 0 && !is_slide) {
                    normal = z;
                } else if (round == 1 && !is_within_plane(is_slide, z, normal)) {
                    return false;
                }
                X = joint_pose_after(&b->draft, i, b->tree_q_reference, &X);
            }
            if (loop->is_rod) {
                continue;
            }
            X = lw_pose_mul(&X, &loop->X[side]);
            const bool is_slide = loop->type == LW_JOINT_PRISMATIC;
            if (round == 0 && !is_slide) {
                normal = column_z(&X.R);
            } else if (round == 1 && !is_within_plane(is_slide, column_z(&X.R), normal)) {
                return false;
            }
        }
    }
    *out = normal;
    return lw_dot3(normal, normal) > 0.5;
}

static lwi_vec2 within(const lw_vec3 axes[2], lw_vec3 a)
{
    return (lwi_vec2){lw_dot3(axes[0], a), lw_dot3(axes[1], a)};
}

// The branches of a planar loop in two dimensions; `axes` of a body are those of its parent where
// the joint between them is at zero. Null without an error where the rod is too short for its
// slant.
static lw_status make_plane(lwi_build *b, lwi_loop *loop, lw_vec3 normal)
{
    lwi_plane *plane = lwi_arena_take(b->arena, 1, sizeof *plane);
    if (!plane) {
        return lwi_build_no_memory(b);
    }
    double height[2] = {0.0, 0.0};
    int column = 0;
    for (int side = 0; side < 2; ++side) {
        const lw_mat3 N = lw_rotation_to_z(normal), basis = lw_transpose3(&N);
        lw_vec3 axes[2] = {basis.row[0], basis.row[1]};
        const int n = loop->npath[side];
        lwi_plane_joint *joint = lwi_arena_take(b->arena, (size_t)n, sizeof *joint);
        if (!joint) {
            return lwi_build_no_memory(b);
        }
        for (int k = 0; k < n; ++k) {
            const lwi_built_body *body = &b->body[loop->path[side][k]];
            const lw_vec3 p = body->X_PJ.p;
            height[side] += lw_dot3(lw_cross3(axes[0], axes[1]), p);
            joint[k] = (lwi_plane_joint){.q = body->q,
                                         .v = body->v,
                                         .column = loop->column[column++],
                                         .is_slide = body->carrier == LW_TREE_PRISMATIC,
                                         .offset = within(axes, p)};
            axes[0] = lw_rotate_back(&body->X_PJ.R, axes[0]);
            axes[1] = lw_rotate_back(&body->X_PJ.R, axes[1]);
            joint[k].sign = lw_cross3(axes[0], axes[1]).z > 0.0 ? 1.0 : -1.0;
            joint[k].slide = within(axes, lw_vec3_of(0.0, 0.0, 1.0));
        }
        const lw_pose *X = &loop->X[side];
        height[side] += lw_dot3(lw_cross3(axes[0], axes[1]), X->p);
        plane->side[side] =
            (lwi_plane_side){n, joint, within(axes, X->p), within(axes, column_z(&X->R))};
    }
    const double slant = height[1] - height[0];
    plane->length2 = loop->length * loop->length - slant * slant;
    plane->slides = !loop->is_rod && loop->type == LW_JOINT_PRISMATIC;
    plane->first = b->nplane_record;
    b->nplane_record += loop->npath[0] + loop->npath[1] + LWI_PLANE_ENDS;
    loop->plane = loop->is_rod && plane->length2 < 0.0 ? NULL : plane;
    return LW_OK;
}

static bool classify_planar(const lwi_build *b, const lwi_loop *loop, lwi_step *step)
{
    int side, at;
    if (loop->is_rod || step->ntarget != 2 ||
        (loop->type != LW_JOINT_REVOLUTE && loop->type != LW_JOINT_PRISMATIC) || !loop->plane) {
        return false;
    }
    int slides = loop->type == LW_JOINT_PRISMATIC;
    for (int t = 0; t < 2; ++t) {
        if (!find_on_path(b, loop, step->target[t], &side, &at)) {
            return false;
        }
        slides += b->body[loop->path[side][at]].carrier == LW_TREE_PRISMATIC;
    }
    if (slides > 2) {
        return false;
    }
    step->kind = LW_STEP_PLANAR;
    return true;
}

static double distance_from(const lwi_build *b, const lwi_step *step, const double *q)
{
    double sum = 0.0;
    for (int t = 0; t < step->ntarget; ++t) {
        const int at = step->target_q[t];
        if (at >= 0) {
            const double d = q[at] - b->tree_q_reference[at];
            sum += d * d;
        }
    }
    return sum;
}

// Both branches are tried, and the one that is nearer to the positions given for the targets stays,
// unless another is named.
static lw_status choose_branch(lwi_build *b, const lwi_program *program, lwi_step *step, int named,
                               const lwi_loop_work *work, double *q, lwi_closure_fault *fault)
{
    lw_status status[2];
    double distance[2];
    for (int k = 0; k < 2; ++k) {
        step->branch = k ? -1 : 1;
        status[k] = lwi_step_position(&b->draft, program, step, work, q, fault);
        distance[k] = status[k] == LW_OK ? distance_from(b, step, q) : (double)INFINITY;
    }
    const int nearer = distance[1] < distance[0] ? -1 : 1;
    step->branch = named == LW_BRANCH_OTHER ? -nearer : named ? named : nearer;
    return lwi_step_position(&b->draft, program, step, work, q, fault);
}

// A loop of four parallel axes whose opposite sides are equal, and that stands as a parallelogram:
// its angles stay equal or opposite through every singular configuration.
static bool is_parallelogram(lwi_build *b, const lwi_loop *loop, const lwi_step *step, double *K)
{
    if (loop->type != LW_JOINT_REVOLUTE || step->nsource != 1 ||
        loop->npath[0] + loop->npath[1] != 3) {
        return false;
    }
    lw_vec3 axis[4];
    int n = 0;
    for (int side = 0; side < 2; ++side) {
        lw_pose X = lw_pose_identity();
        for (int k = 0; k < loop->npath[side]; ++k) {
            const int i = loop->path[side][k];
            X = joint_frame_after(&b->draft, i, &X);
            // Down the first branch, then up the second, the closing joint in between.
            axis[side == 0 ? k : 3 - k] = X.p;
            X = joint_pose_after(&b->draft, i, b->tree_q_reference, &X);
            ++n;
        }
        if (side == 0) {
            X = lw_pose_mul(&X, &loop->X[0]);
            axis[loop->npath[0]] = X.p;
        }
    }
    lw_vec3 edge[4];
    const lw_pose one = lw_pose_identity();
    const lw_pose X0 = joint_frame_after(&b->draft, loop->path[loop->npath[0] ? 0 : 1][0], &one);
    const lw_vec3 z = column_z(&X0.R);
    for (int k = 0; k < 4; ++k) {
        edge[k] = lw_sub3(axis[(k + 1) % 4], axis[k]);
        edge[k] = lw_sub3(edge[k], lw_scale3(lw_dot3(edge[k], z), z)); // within the plane
    }
    static const double same_length = 1e-9, same_turn = 1e-6; // up to the rounding of a file
    const double size = lw_norm3(edge[0]) + lw_norm3(edge[1]);
    for (int k = 0; k < 2; ++k) {
        if (lw_norm3(lw_add3(edge[k], edge[k + 2])) > same_length * size) {
            return false;
        }
    }
    for (int t = 0; t < 2; ++t) {
        if (fabs(fabs(K[t]) - 1.0) > same_turn) {
            return false;
        }
        K[t] = K[t] > 0.0 ? 1.0 : -1.0;
    }
    return n == 3;
}

static lw_status try_parallelogram(lwi_build *b, const lwi_program *program, lwi_step *step,
                                   const lwi_loop_work *work)
{
    double K[2];
    lwi_closure_fault fault = LWI_NO_FAULT;
    const lwi_loop *loop = &program->loop[step->loop[0]];
    if (step->nsource != 1 ||
        lwi_step_rates(&b->draft, program, step, work, b->tree_q_reference, K, &fault) != LW_OK ||
        !is_parallelogram(b, loop, step, K)) {
        return LW_OK;
    }
    double *coefficient = lwi_arena_take(b->arena, 4, sizeof *coefficient);
    if (!coefficient) {
        return lwi_build_no_memory(b);
    }
    for (int t = 0; t < 2; ++t) {
        const double x = b->tree_q_reference[step->source_q[0]];
        coefficient[2 * t] = b->tree_q_reference[step->target_q[t]] - K[t] * x;
        coefficient[2 * t + 1] = K[t];
    }
    step->kind = LW_STEP_LINEAR;
    step->coefficient = coefficient;
    step->ncoefficient = 4;
    step->branch = 0;
    return LW_OK;
}

// Newton from the given positions; where that fails, from others around them. A fixed sequence, so
// that the same description always closes the same way.
static lw_status assemble_block(lwi_build *b, const lwi_program *program, const lwi_step *step,
                                const lwi_loop_work *work, double *q, lwi_closure_fault *fault)
{
    enum { MOST_TRIES = 200 };
    unsigned long long state = 1;
    for (int attempt = 0;; ++attempt) {
        *fault = LWI_NO_FAULT;
        const lw_status status = lwi_step_position(&b->draft, program, step, work, q, fault);
        if (status == LW_OK || attempt == MOST_TRIES) {
            return status;
        }
        const double reach = fmin(3.0, 0.2 * (1 + attempt));
        lwi_copy_targets(&b->draft, step, b->tree_q_reference, q);
        for (int t = 0; t < step->ntarget; ++t) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const double share = (double)(state >> 33) / 1073741824.0 - 1.0; // in [-1, 1)
            if (step->target_q[t] >= 0) {
                q[step->target_q[t]] += reach * share * b->unit[step->target[t]];
            } else {
                // Any quaternion will do: the turn is normalised where it is used.
                const lwi_built_body *body = &b->body[step->target_body[t]];
                q[body->q + (step->target[t] - body->v)] += 0.3 * reach * share;
            }
        }
    }
}

// The branch that the description of a loop names, or 0.
static int named_branch(const lwi_build *b, int loop)
{
    const lwi_flat *flat = &b->flat[b->loop[loop].flat];
    const lwi_part *part = part_of(b, flat);
    return flat->kind == LW_PART_ROD ? as_rod(part)->branch : as_joint(part)->branch;
}

// The branch that one of the loops of a step names, or 0.
static int named_by_any(const lwi_build *b, const lwi_step *step)
{
    int named = 0;
    for (int k = 0; k < step->nloop && named == 0; ++k) {
        named = named_branch(b, step->loop[k]);
    }
    return named;
}

// Newton's method knows no branches: it stays where the reference begins.
static void warn_of_branches(lwi_build *b, const lwi_step *step)
{
    for (int k = 0; k < step->nloop; ++k) {
        const lwi_flat *flat = &b->flat[b->loop[step->loop[k]].flat];
        if (named_branch(b, step->loop[k]) != 0) {
            lwi_report_warning(
                b->report, flat->location, LW_DIAG_LOOP_BRANCH_UNUSED,
                "loop \"%s\" has no closed form with branches, so the branch that it "
                "names is not used: the reference configuration decides",
                flat->name);
        }
    }
}

static lw_status close_step(lwi_build *b, const lwi_program *program, lwi_built_step *built,
                            const lwi_loop_work *work, double *q)
{
    lwi_step *step = &built->step;
    lwi_closure_fault fault = LWI_NO_FAULT;
    lw_status status;
    const bool is_alone = step->nloop == 1;
    const lwi_loop *loop = is_alone ? &program->loop[step->loop[0]] : NULL;
    if (step->nrow == 0) { // a coupling
        status = lwi_step_position(&b->draft, program, step, work, q, &fault);
    } else if (step->kind == LW_STEP_LINEAR) {
        status = solve_gears(b, step, work);
    } else if (is_alone && step->ngear == 0 &&
               (classify_rod(b, loop, step) || classify_planar(b, loop, step))) {
        const int named = named_branch(b, step->loop[0]);
        status = choose_branch(b, program, step, named, work, q, &fault);
    } else {
        status = assemble_block(b, program, step, work, q, &fault);
        lwi_copy_targets(&b->draft, step, q, b->tree_q_reference);
        if (status == LW_OK) {
            status = lwi_find_spheres(b, program, step, named_by_any(b, step), q);
        }
        if (status == LW_OK && step->kind == LW_STEP_BLOCK) {
            status = lwi_tear(b, program, step, q);
        }
        if (status == LW_OK) {
            status = lwi_find_spatial_loop(b, program, step, named_by_any(b, step), work, q);
        }
        if (status == LW_OK && step->kind != LW_STEP_BLOCK) {
            status = lwi_step_position(&b->draft, program, step, work, q, &fault);
        }
        if (status == LW_OK && step->branch == 0) {
            warn_of_branches(b, step);
        }
    }
    // From here on the reference is closed as far as this step.
    lwi_copy_targets(&b->draft, step, q, b->tree_q_reference);
    if (status == LW_OK && step->kind == LW_STEP_PLANAR) {
        status = try_parallelogram(b, program, step, work);
    }
    if (status == LW_ERR_LOOP_OPEN || status == LW_ERR_SINGULAR) {
        const char *name = fault.loop >= 0 ? b->flat[b->loop[fault.loop].flat].name : built->name;
        return lwi_report_error(
            b->report, built->location, LW_ERR_LOOP_OPEN,
            "loop \"%s\" cannot be closed in the reference configuration: a gap "
            "of %.4g m stays open",
            name, fault.gap);
    }
    return status;
}

// Closed loops must stay closed by themselves where nothing solves for them.
static void check_loops(lwi_build *b)
{
    static const double most = 1e-8; // what solved loops keep is a thousand times nearer
    for (int k = 0; k < b->nloop; ++k) {
        double row[LWI_MOST_ROWS];
        const lwi_built_loop *built = &b->loop[k];
        const lwi_flat *flat = &b->flat[built->flat];
        const double gap = lwi_loop_residual(&b->draft, &built->loop, b->tree_q_reference, row);
        if (!(lwi_loop_relative_residual(&built->loop, row) < most)) {
            lwi_report_error(b->report, flat->location, LW_ERR_LOOP_OPEN,
                             "loop \"%s\" stays open by %.4g: its joints cannot move across that",
                             flat->name, gap);
        }
    }
}

static lw_status close_steps(lwi_build *b, const lwi_program *program, const lwi_loop_work *work,
                             double *q)
{
    lw_status status = LW_OK;
    memcpy(q, b->tree_q_reference, (size_t)b->tree_nq * sizeof *q);
    for (int k = 0; k < b->nstep && status == LW_OK; ++k) {
        status = close_step(b, program, &b->step[k], work, q);
    }
    return status;
}

// The independent joints stay where the description puts them. Only where nobody has said which
// they are, and the loops cannot be closed so, all joints give way.
static lw_status close_or_give_way(lwi_build *b, const lwi_program *program,
                                   const lwi_loop_work *work, double *q)
{
    const size_t nstep = (size_t)b->nstep, nq = (size_t)b->tree_nq;
    lwi_built_step *step = lwi_arena_take(b->arena, nstep, sizeof *step);
    if (!step) {
        return lwi_build_no_memory(b);
    }
    memcpy(step, b->step, nstep * sizeof *step);
    lw_report *report = b->report;
    b->report = NULL;
    const lw_status status = close_steps(b, program, work, q);
    b->report = report;
    if (status != LW_ERR_LOOP_OPEN) {
        return status;
    }
    const lw_location location = b->nloop ? b->flat[b->loop[0].flat].location : (lw_location){0};
    lwi_report_warning(report, location, LW_DIAG_REFERENCE_OPEN,
                       "\"%s\": its loops do not close in the reference configuration; the closed "
                       "one nearby is taken in its place",
                       b->mech->name);
    memcpy(b->step, step, nstep * sizeof *step);
    memcpy(b->tree_q_reference, b->rank_q, nq * sizeof *b->tree_q_reference);
    return close_steps(b, program, work, q);
}

lw_status lwi_assemble(lwi_build *b)
{
    lwi_loop *loop = lwi_arena_take(b->arena, (size_t)b->nloop, sizeof *loop);
    double *q = lwi_arena_take(b->arena, (size_t)b->tree_nq, sizeof *q);
    double *given = lwi_arena_take(b->arena, (size_t)b->tree_nq, sizeof *given);
    int *column_of = lwi_arena_take(b->arena, (size_t)b->tree_nv, sizeof *column_of);
    if (!loop || !q || !given || !column_of) {
        return lwi_build_no_memory(b);
    }
    memcpy(given, b->tree_q_reference, (size_t)b->tree_nq * sizeof *given);
    int matrix = 1, damped = 0;
    for (int k = 0; k < b->nstep; ++k) {
        lwi_step *step = &b->step[k].step;
        const lw_status status = lwi_index_step(b, &b->step[k], column_of);
        if (status != LW_OK) {
            return status;
        }
        const int size = step->nrow * (step->ntarget + step->nsource + 2);
        matrix = size > matrix ? size : matrix;
        const int square = step->nloop ? step->ntarget * (step->ntarget + 1) : 0;
        damped = square > damped ? square : damped;
    }
    for (int k = 0; k < b->nloop; ++k) {
        lw_vec3 normal;
        if (b->loop[k].step >= 0 && b->step[b->loop[k].step].step.nloop == 1 &&
            is_planar(b, &b->loop[k].loop, &normal)) {
            const lw_status status = make_plane(b, &b->loop[k].loop, normal);
            if (status != LW_OK) {
                return status;
            }
            b->step[b->loop[k].step].step.plane_solve = b->nplane_solve++;
        }
        loop[k] = b->loop[k].loop;
    }
    const lwi_program program = {.loop = loop, .nloop = b->nloop};
    lwi_loop_work work;
    lw_status status = lwi_make_loop_work(b, matrix, damped, &work);
    if (b->nloop == 0) {
        b->draft.tree_nq = b->tree_nq;
        b->draft.tree_q_reference = b->tree_q_reference;
    }
    if (status == LW_OK) {
        status = b->may_give_way ? close_or_give_way(b, &program, &work, q)
                                 : close_steps(b, &program, &work, q);
    }
    if (status == LW_OK) {
        check_loops(b);
        status = lwi_check_redundant(b, &program, &work);
    }
    if (status == LW_OK && lw_report_errors(b->report) == 0 && b->nloop > 0) {
        lwi_warn_of_moves(b, given);
        status = lwi_judge_steps(b, &program, &work);
    }
    return status;
}
