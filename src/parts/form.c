// The forms in which joints are placed: homogeneous transforms, the zero position (product of
// exponentials), and Denavit-Hartenberg rows after Paul and after Craig. All are found from where
// axes and link frames are with every joint at zero, so that coordinates keep their meaning.
//
// A row has four numbers where a placement has six: x of the frame before must be the common normal
// of the two axes. So the frame of a link goes onto the axis of the joint that carries it, with x
// toward the axis of the first joint that the link carries, and what is on the link is placed
// anew. After Craig the link frame is there; after Paul it is where that normal meets the next
// axis, which groups the same numbers differently. Other joints on the link, and those on parts
// that keep their frames, are connected to frames that are added for them.
#include "edit.h"

#include "../base/report.h"
#include "../math/denavit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct form_joint {
    lw_pose axis;    ///< at zero: on the axis, with z along it
    lw_pose frame;   ///< the link's frame after Craig
    lwi_denavit row; ///< of that frame, from `from`
    lw_pose from;    ///< the frame that the row begins at
    int link;        ///< the link that it carries, -1 where it has no row
    int first;       ///< the first joint on that link that has a row, or -1
    bool has_helper; ///< `from` needs a frame of its own
} form_joint;

static bool zero_pose_of_port(const lw_mech *mech, const lwi_zero_poses *zero, lw_port port,
                              lw_pose *X)
{
    const lwi_part *part = &mech->part.at[port.part.index];
    const lw_placement *placement = NULL;
    if (part->kind == LW_PART_ASSEMBLY || !zero->is_known[port.part.index]) {
        return false;
    }
    if (part->kind != LW_PART_JOINT && port.index >= LWI_PORT_FIRST_FRAME) {
        placement = &mech->frame.at[part->frames[port.index - LWI_PORT_FIRST_FRAME]].placement;
    } else if (part->kind == LW_PART_LINK && port.index == LWI_PORT_B) {
        placement = &as_link(part)->b;
    }
    const lw_pose own = lw_placement_pose(placement);
    *X = lw_pose_mul(&zero->X[port.part.index], &own);
    return true;
}

bool lwi_zero_feeder(const lw_mech *mech, const lwi_zero_poses *zero, int part, lw_pose *X)
{
    const lw_port feeder = mech->part.at[part].feeder;
    *X = lw_pose_identity();
    return feeder.part.index < 0 || zero_pose_of_port(mech, zero, feeder, X);
}

static void place(const lw_mech *mech, lwi_zero_poses *zero, int index)
{
    const lwi_part *part = &mech->part.at[index];
    zero->is_known[index] = lwi_zero_feeder(mech, zero, index, &zero->X[index]) &&
                            !lwi_is_closer(part) && part->kind != LW_PART_ASSEMBLY;
    if (part->kind == LW_PART_JOINT) {
        const lw_joint_def *joint = as_joint(part);
        const lw_pose before = lw_placement_pose(&joint->before);
        const lw_pose after = lw_placement_pose(&joint->after);
        const lw_pose X_J = lw_pose_mul(&zero->X[index], &before);
        zero->X[index] = lw_pose_mul(&X_J, &after);
    }
}

bool lwi_find_zero_poses(const lw_mech *mech, lwi_arena *arena, lwi_zero_poses *zero)
{
    const size_t n = (size_t)mech->part.count;
    zero->X = lwi_arena_take(arena, n, sizeof *zero->X);
    zero->is_known = lwi_arena_take(arena, n, sizeof *zero->is_known);
    zero->order = lwi_arena_take(arena, n, sizeof *zero->order);
    char *is_placed = lwi_arena_take(arena, n, 1);
    int *stack = lwi_arena_take(arena, n, sizeof *stack);
    if (!zero->X || !zero->is_known || !zero->order || !is_placed || !stack) {
        return false;
    }
    int count = 0;
    for (int i = 0; i < mech->part.count; ++i) {
        int depth = 0;
        for (int p = i; p >= 0 && !is_placed[p]; p = mech->part.at[p].feeder.part.index) {
            is_placed[p] = 1; // connections of one description make no cycles
            stack[depth++] = p;
        }
        while (depth > 0) {
            zero->order[count++] = stack[--depth];
            place(mech, zero, stack[depth]);
        }
    }
    return true;
}

// --- Which joints can have a form -------------------------------------------------------------

// The only part that is connected to port b of a joint; -1 for none or several.
static void list_carried(const lw_mech *mech, int *carried)
{
    for (int i = 0; i < mech->part.count; ++i) {
        carried[i] = -1;
    }
    for (int i = 0; i < mech->part.count; ++i) {
        const lw_port feeder = mech->part.at[i].feeder;
        if (feeder.part.index >= 0 && mech->part.at[feeder.part.index].kind == LW_PART_JOINT) {
            int *c = &carried[feeder.part.index];
            *c = *c == -1 ? i : -2;
        }
        const int second = mech->part.at[i].feeder2.part.index;
        if (second >= 0 && mech->part.at[second].kind == LW_PART_JOINT) {
            carried[second] = -2; // what closes a loop has its end on the joint itself
        }
    }
}

static bool is_wheel(const lw_mech *mech, const char *link)
{
    bool is_named = false;
    for (int i = 0; i < mech->gear.count; ++i) {
        const lw_gear_def *gear = &mech->gear.at[i];
        is_named |= gear->wheel[0] && strcmp(gear->wheel[0], link) == 0;
        is_named |= gear->wheel[1] && strcmp(gear->wheel[1], link) == 0;
    }
    return is_named;
}

// Why a joint must stay a transform, or null.
static const char *obstacle(const lw_mech *mech, const lwi_zero_poses *zero, const int *carried,
                            int index, lw_joint_form form)
{
    const lw_joint_def *joint = as_joint(&mech->part.at[index]);
    const int link = carried[index];
    const bool has_row = form == LW_FORM_PAUL || form == LW_FORM_CRAIG;
    if (joint->closing) {
        return "it closes a loop";
    }
    const lwi_joint_row *row = lwi_joint_row_of(joint->type);
    if (!row->has_form || (has_row && row->has_axis2)) {
        return "it has not one axis";
    }
    if (!zero->is_known[index]) {
        return "it is connected to the inside of an assembly";
    }
    if (link < 0 || mech->part.at[link].kind != LW_PART_LINK) {
        return link == -2 ? "it carries several parts" : "it carries no link";
    }
    const int feeder = mech->part.at[index].feeder.part.index;
    if (has_row && (feeder < 0 || mech->part.at[feeder].kind == LW_PART_JOINT)) {
        return "it is connected to no link or ground, where its row could begin at a frame";
    }
    if (has_row && is_wheel(mech, mech->part.at[link].name)) {
        return "a gear takes the frame of its link for the centre of a wheel";
    }
    return NULL;
}

// --- Rows -------------------------------------------------------------------------------------

static lw_pose pose_of(double alpha, double a, double theta, double d)
{
    const lw_placement row = lw_placement_dh(alpha, a, theta, d);
    return lw_placement_pose(&row);
}

static bool is_near(const lw_pose *X, const lw_pose *Y, double tolerance)
{
    double off = lw_norm3(lw_sub3(X->p, Y->p)) / (1.0 + lw_norm3(X->p));
    for (int i = 0; i < 3; ++i) {
        off = fmax(off, lw_norm3(lw_sub3(X->R.row[i], Y->R.row[i])));
    }
    return off <= tolerance;
}

// Whether four numbers lead from one frame to the other, to rounding.
static bool find_row(const lw_pose *from, const lw_pose *to, bool is_on_axis, lwi_denavit *row)
{
    static const double rounding = 1e-15;
    const lw_pose back = lw_pose_inverse(from), want = lw_pose_mul(&back, to);
    *row = lwi_denavit_row(from, to, rounding);
    const lw_pose got = pose_of(row->alpha, row->a, row->theta, row->d);
    return is_near(&got, &want, 16.0 * rounding) &&
           (!is_on_axis || (row->alpha == 0.0 && row->a == 0.0));
}

// Where the row of a joint begins: at the frame of the link before it, at the port that it is
// connected on, at the common normal on the axis before, or else at its own frame.
static void find_begin(const lw_mech *mech, const lwi_zero_poses *zero, form_joint *all, int index,
                       lw_joint_form form, lw_report *report)
{
    form_joint *j = &all[index];
    const int link = mech->part.at[index].feeder.part.index;
    const int above = link >= 0 ? mech->part.at[link].feeder.part.index : -1;
    const form_joint *before = above >= 0 && all[above].link == link ? &all[above] : NULL;
    j->from = before ? before->frame : lw_pose_identity();
    if (before && before->first == index) {
        if (find_row(&j->from, &j->frame, false, &j->row)) {
            return;
        }
        lwi_report_warning(
            report, mech->part.at[index].location, LW_DIAG_LOST,
            "joint \"%s\": its axis is so nearly parallel to the one before that its "
            "row begins at a frame of its own",
            mech->part.at[index].name);
    } else if (lwi_zero_feeder(mech, zero, index, &j->from) &&
               find_row(&j->from, &j->frame, form == LW_FORM_PAUL, &j->row)) {
        return;
    }
    j->has_helper = true;
    j->from = before ? lwi_denavit_toward(&before->frame, &j->axis) : j->frame;
    if (!find_row(&j->from, &j->frame, false, &j->row)) {
        j->from = j->frame;
        j->row = (lwi_denavit){0.0, 0.0, 0.0, 0.0};
    }
}

static void find_rows(const lw_mech *mech, const lwi_zero_poses *zero, form_joint *all,
                      lw_joint_form form, lw_report *report)
{
    for (int k = mech->part.count - 1; k >= 0; --k) { // the first joint on a link comes last
        const int link = mech->part.at[k].feeder.part.index;
        const int above = link >= 0 ? mech->part.at[link].feeder.part.index : -1;
        if (all[k].link >= 0 && above >= 0 && all[above].link == link) {
            all[above].first = k;
        }
    }
    for (int k = 0; k < mech->part.count; ++k) {
        const int index = zero->order[k];
        form_joint *j = &all[index];
        if (j->link < 0) {
            continue;
        }
        const int link = mech->part.at[index].feeder.part.index;
        const int above = link >= 0 ? mech->part.at[link].feeder.part.index : -1;
        j->frame = above >= 0 && all[above].link == link
                       ? lwi_denavit_continue(&all[above].frame, &j->axis)
                       : j->axis;
        if (j->first >= 0) {
            j->frame = lwi_denavit_toward(&j->frame, &all[j->first].axis);
        }
        find_begin(mech, zero, all, index, form, report);
    }
}

// --- Placing anew -----------------------------------------------------------------------------

static void move(lw_placement *placement, const lw_pose *D)
{
    static const double rounding = 1e-15;
    const lw_pose X = lw_placement_pose(placement), moved = lw_pose_mul(D, &X);
    const lw_pose one = lw_pose_identity();
    *placement =
        is_near(&moved, &one, rounding) ? lw_placement_identity() : lw_placement_of_pose(&moved);
}

// The link frame goes to N: everything on the link is placed from there.
static void move_link(lw_mech *mech, int link, const lw_pose *N, lwi_zero_poses *zero)
{
    const lwi_part *part = &mech->part.at[link];
    lw_link_def *def = part->def;
    const lw_pose back = lw_pose_inverse(N), D = lw_pose_mul(&back, &zero->X[link]);
    move(&def->inertial, &D);
    move(&def->b, &D);
    for (int i = part->first_frame; i >= 0; i = mech->frame.at[i].next) {
        move(&mech->frame.at[i].placement, &D);
    }
    for (int i = part->first_shape; i >= 0; i = mech->shape.at[i].next) {
        move(&mech->shape.at[i].def.placement, &D);
    }
    zero->X[link] = *N;
}

// Whether anything but this joint is connected to port b of a link, or may mean it by name.
static bool is_b_taken(const lw_mech *mech, int link, int joint)
{
    const size_t length = strlen(mech->part.at[link].name);
    bool is_taken = false;
    for (int i = 0; i < mech->part.count; ++i) {
        const lw_port one = mech->part.at[i].feeder, other = mech->part.at[i].feeder2;
        is_taken |= i != joint && one.part.index == link && one.index == LWI_PORT_B;
        is_taken |= other.part.index == link && other.index == LWI_PORT_B;
    }
    for (int i = 0; i < mech->connection.count; ++i) {
        is_taken |= mech->connection.at[i].b.part.index == link;
    }
    for (int i = 0; i < mech->gateway.count; ++i) {
        is_taken |= mech->gateway.at[i].port.part.index == link;
    }
    for (int i = 0; i < mech->gear.count; ++i) {
        for (int k = 0; k < 2; ++k) {
            const char *wheel = mech->gear.at[i].wheel[k];
            is_taken |= wheel && strncmp(wheel, mech->part.at[link].name, length) == 0;
        }
    }
    return is_taken;
}

// A B port of the part at a pose, for a joint: port b where it is there or free, else a new frame.
static lw_port port_at(lw_mech *mech, int index, int joint, const lw_pose *X,
                       const lwi_zero_poses *zero)
{
    const lwi_part *part = &mech->part.at[index];
    const lw_pose back = lw_pose_inverse(&zero->X[index]), one = lw_pose_identity();
    const lw_pose local = lw_pose_mul(&back, X);
    lw_placement placement = lw_placement_of_pose(&local);
    move(&placement, &one);
    if (placement.form == LW_PLACEMENT_IDENTITY) {
        lw_placement *b = part->kind == LW_PART_LINK ? &((lw_link_def *)part->def)->b : NULL;
        if (b && b->form != LW_PLACEMENT_IDENTITY && !is_b_taken(mech, index, joint)) {
            *b = lw_placement_identity();
        }
        if (part->kind == LW_PART_GROUND || (b && b->form == LW_PLACEMENT_IDENTITY)) {
            return (lw_port){{index}, LWI_PORT_B};
        }
    }
    char name[24] = "dh";
    for (int n = 2; lwi_find_frame_of(mech, index, name) >= 0; ++n) {
        snprintf(name, sizeof name, "dh%d", n);
    }
    return lw_add_frame(mech, (lw_part){index}, name, &placement, part->location);
}

static lw_status apply_row(lw_mech *mech, lwi_zero_poses *zero, const form_joint *all, int index,
                           lw_joint_form form)
{
    const form_joint *j = &all[index];
    const lwi_denavit *r = &j->row;
    const lwi_denavit none = {0.0, 0.0, 0.0, 0.0};
    const lwi_denavit *n = j->first >= 0 && !all[j->first].has_helper ? &all[j->first].row : &none;
    lw_joint_def *joint = mech->part.at[index].def;
    const lw_port feeder = mech->part.at[index].feeder;
    const int link = feeder.part.index;
    const int above = link >= 0 ? mech->part.at[link].feeder.part.index : -1;
    const bool is_first = above >= 0 && all[above].link == link && all[above].first == index;
    lw_pose from = j->from, frame = j->frame;
    if (form == LW_FORM_PAUL) {
        const lw_pose here = pose_of(r->alpha, r->a, 0.0, 0.0),
                      next = pose_of(n->alpha, n->a, 0, 0);
        from = lw_pose_mul(&from, &here);
        frame = lw_pose_mul(&frame, &next);
        joint->before = lw_placement_dh(0.0, 0.0, r->theta, r->d);
        joint->after = lw_placement_dh(n->alpha, n->a, 0.0, 0.0);
    } else {
        joint->before = lw_placement_dh(r->alpha, r->a, r->theta, r->d);
        joint->after = lw_placement_identity();
    }
    joint->axis = lw_vec3_of(0.0, 0.0, 1.0);
    if (link >= 0 && (is_first || j->has_helper)) {
        const lw_port port = port_at(mech, link, index, &from, zero);
        if (port.index < 0) {
            return LW_ERR_MEMORY;
        }
        mech->part.at[index].feeder = port; // of the same part
    }
    move_link(mech, j->link, &frame, zero);
    zero->X[index] = frame;
    return LW_OK;
}

// --- The other forms --------------------------------------------------------------------------

// The joint frame goes parallel to the base, so that axes have their numbers there.
static bool make_zero(lw_mech *mech, const lwi_zero_poses *zero, int index)
{
    lw_joint_def *joint = mech->part.at[index].def;
    lw_pose X_P;
    lwi_zero_feeder(mech, zero, index, &X_P);
    const lw_pose before = lw_placement_pose(&joint->before), X_J = lw_pose_mul(&X_P, &before);
    const lw_pose J = {lw_mat3_identity(), X_J.p};
    const lw_pose back_P = lw_pose_inverse(&X_P), back_J = lw_pose_inverse(&J);
    const lw_pose new_before = lw_pose_mul(&back_P, &J);
    const lw_pose new_after = lw_pose_mul(&back_J, &zero->X[index]);
    joint->before = lw_placement_of_pose(&new_before);
    joint->after = lw_placement_of_pose(&new_after);
    joint->axis = lw_rotate(&X_J.R, joint->axis);
    joint->axis2 =
        lwi_joint_row_of(joint->type)->has_axis2 ? lw_rotate(&X_J.R, joint->axis2) : joint->axis2;
    return lwi_set_zero_form(mech, index,
                             &(lwi_zero_form){J.p, lw_placement_of_pose(&zero->X[index])});
}

bool lwi_set_zero_form(lw_mech *mech, int part, const lwi_zero_form *form)
{
    lwi_zero_form *kept = lwi_arena_take(&mech->arena, 1, sizeof *kept);
    if (kept) {
        *kept = *form;
        mech->part.at[part].zero = kept;
    }
    return kept != NULL;
}

// What it is connected to may have been connected elsewhere since.
bool lwi_has_zero_form(const lw_mech *mech, const lwi_zero_poses *zero, int part)
{
    static const double tolerance = 1e-12;
    const lw_joint_def *joint = as_joint(&mech->part.at[part]);
    lw_pose X_P;
    if (!mech->part.at[part].zero || !zero->is_known[part] ||
        !lwi_zero_feeder(mech, zero, part, &X_P)) {
        return false;
    }
    const lw_pose before = lw_placement_pose(&joint->before), X_J = lw_pose_mul(&X_P, &before);
    const lw_pose J = {lw_mat3_identity(), mech->part.at[part].zero->point};
    const lw_pose link = lw_placement_pose(&mech->part.at[part].zero->link);
    return is_near(&X_J, &J, tolerance) && is_near(&zero->X[part], &link, tolerance);
}

static void make_transform(lw_joint_def *joint)
{
    lw_placement *const both[] = {&joint->before, &joint->after};
    for (int i = 0; i < 2; ++i) {
        if (both[i]->form == LW_PLACEMENT_DH) {
            const lw_pose X = lw_placement_pose(both[i]);
            *both[i] = lw_placement_of_pose(&X);
        }
    }
}

static form_joint begin_joint(const lw_mech *mech, const lwi_zero_poses *zero, int index, int link)
{
    form_joint j = {.link = link, .first = -1};
    if (link >= 0) {
        const lw_joint_def *joint = as_joint(&mech->part.at[index]);
        lw_pose X_P;
        lwi_zero_feeder(mech, zero, index, &X_P);
        const lw_pose before = lw_placement_pose(&joint->before);
        const lw_mat3 to_axis = lw_rotation_to_z(lw_unit3(joint->axis));
        j.axis = lw_pose_mul(&X_P, &before);
        j.axis.R = lw_mul3(&j.axis.R, &to_axis);
    }
    return j;
}

static lw_status convert(lw_mech *mech, lw_joint_form form, lwi_arena *arena, lw_report *report)
{
    const int n = mech->part.count;
    lwi_zero_poses zero;
    int *carried = lwi_arena_take(arena, (size_t)n, sizeof *carried);
    form_joint *all = lwi_arena_take(arena, (size_t)n, sizeof *all);
    if (!carried || !all || !lwi_find_zero_poses(mech, arena, &zero)) {
        return LW_ERR_MEMORY;
    }
    list_carried(mech, carried);
    const bool has_row = form == LW_FORM_PAUL || form == LW_FORM_CRAIG;
    for (int i = 0; i < n; ++i) {
        lwi_part *part = &mech->part.at[i];
        all[i] = (form_joint){.link = -1, .first = -1};
        if (part->kind == LW_PART_ASSEMBLY) {
            lwi_report_warning(report, part->location, LW_DIAG_LOST,
                               "assembly \"%s\": its joints keep their form", part->name);
        }
        if (part->kind != LW_PART_JOINT) {
            continue;
        }
        lw_joint_def *joint = part->def;
        const char *why = form == LW_FORM_TRANSFORM || joint->type == LW_JOINT_FIXED
                              ? NULL
                              : obstacle(mech, &zero, carried, i, form);
        part->zero = NULL;
        make_transform(joint);
        if (why) {
            lwi_report_warning(report, part->location, LW_DIAG_LOST,
                               "joint \"%s\" is placed by a transform: %s", part->name, why);
        } else if (form == LW_FORM_ZERO && joint->type != LW_JOINT_FIXED) {
            if (!make_zero(mech, &zero, i)) {
                return LW_ERR_MEMORY;
            }
        } else if (has_row && joint->type != LW_JOINT_FIXED) {
            all[i] = begin_joint(mech, &zero, i, carried[i]);
        }
    }
    if (!has_row) {
        return LW_OK;
    }
    find_rows(mech, &zero, all, form, report);
    lw_status status = LW_OK;
    for (int k = 0; k < n && status == LW_OK; ++k) {
        if (all[zero.order[k]].link >= 0) {
            status = apply_row(mech, &zero, all, zero.order[k], form);
        }
    }
    return status;
}

lw_status lw_set_joint_form(lw_mech *mech, lw_joint_form form, lw_report *report)
{
    if (!mech || (int)form < 0 || form > LW_FORM_CRAIG) {
        return LW_ERR_ARGUMENT;
    }
    if (!lwi_may_edit(mech)) {
        return LW_ERR_FROZEN;
    }
    lwi_arena arena = {0};
    const lw_status status = convert(mech, form, &arena, report);
    lwi_arena_free(&arena);
    return status;
}
