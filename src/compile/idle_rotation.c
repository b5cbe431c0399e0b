// Legs between two ball joints (SPS, and couplers such as that of RSSR): such a leg may rotate
// about the line through the centres of both, which moves nothing else. A ball joint is dependent
// as a whole or not at all, and nothing determines this rotation, so it is held: the ball joint of
// the tree becomes a universal joint, about the two axes of its moving frame that are most at right
// angles to that line in the reference configuration. There its angles are zero; it is singular
// where the leg lies along the first axis, a quarter turn away for legs along an axis of their
// frame, and never less than 35 degrees.
#include "build.h"

#include "../base/report.h"

#include <math.h>
#include <string.h>

static const lw_joint_def *joint_of(const lwi_build *b, const lwi_flat *flat)
{
    return flat->kind == LW_PART_JOINT ? as_joint(part_of(b, flat)) : NULL;
}

lw_pose lwi_port_from_part(const lwi_build *b, const lwi_flat *flat, int port)
{
    const lw_mech *mech = mech_of(b, flat);
    const lwi_part *part = part_of(b, flat);
    const lw_pose one = lw_pose_identity();
    if (flat->kind == LW_PART_JOINT) {
        const lw_joint_def *def = as_joint(part);
        const lw_pose moved = lwi_reference_motion(def);
        return lwi_place_after(&moved, &def->after);
    }
    if (port >= LWI_PORT_FIRST_FRAME) {
        return lwi_place_after(
            &one, &mech->frame.at[part->frames[port - LWI_PORT_FIRST_FRAME]].placement);
    }
    if (flat->kind == LW_PART_LINK && port == LWI_PORT_B) {
        return lwi_place_after(&one, &as_link(part)->b);
    }
    return one;
}

// How many parts are connected to each; what has axes only, such as a drive, does not count.
static int *count_children(const lwi_build *b)
{
    int *count = lwi_arena_take(b->arena, (size_t)b->nflat, sizeof *count);
    for (int f = 0; f < b->nflat && count; ++f) {
        const lwi_flat *flat = &b->flat[f];
        if (flat->is_left_out || lwi_has_axes_only(flat->kind)) {
            continue;
        }
        if (flat->feeder >= 0) {
            ++count[flat->feeder];
        }
        if (flat->is_closer && flat->feeder2 >= 0) {
            ++count[flat->feeder2];
        }
    }
    return count;
}

// A ball joint of the tree whose degrees of freedom are all alike, and that nothing is coupled to.
static bool is_plain_ball(const lwi_build *b, int f)
{
    const lwi_flat *flat = &b->flat[f];
    const lw_joint_def *def = joint_of(b, flat);
    if (!def || def->type != LW_JOINT_SPHERICAL || flat->is_closer || flat->is_locked) {
        return false;
    }
    lw_dof first = def->dof[0];
    for (int k = 1; k < 3; ++k) {
        first.reference = def->dof[k].reference;
        if (memcmp(&first, &def->dof[k], sizeof first) != 0) {
            return false;
        }
    }
    for (int k = 0; k < b->ncoupling; ++k) {
        if (b->coupling[k].source_at.flat == f || b->coupling[k].target_at.flat == f) {
            return false;
        }
    }
    return true;
}

// Along the leg from one end of a closing ball joint: links, and joints that slide or are fixed,
// which nothing else is connected to. Returns the ball joint at its other end, and where the
// centre is there in its moving frame; or -1.
static int other_ball(const lwi_build *b, const int *nchild, const lwi_flat *closer, int side,
                      lw_vec3 *center)
{
    const lw_joint_def *closing = joint_of(b, closer);
    lw_pose X = lw_placement_pose(side ? &closing->after : &closing->before);
    int f = side ? closer->feeder2 : closer->feeder;
    int port = side ? closer->feeder2_port : closer->feeder_port;
    for (int steps = 0; f >= 0 && steps < b->nflat; ++steps) {
        const lwi_flat *flat = &b->flat[f];
        const lw_joint_def *def = joint_of(b, flat);
        if (nchild[f] != 1 || flat->is_left_out || (!def && flat->kind != LW_PART_LINK)) {
            return -1;
        }
        if (is_plain_ball(b, f)) {
            const lw_pose after = lw_placement_pose(&def->after);
            *center = lw_pose_apply(&after, X.p);
            return f;
        }
        if (def && def->type != LW_JOINT_PRISMATIC && def->type != LW_JOINT_FIXED &&
            !flat->is_locked) {
            return -1;
        }
        const lw_pose own = lwi_port_from_part(b, flat, port);
        X = lw_pose_mul(&own, &X);
        if (def) {
            const lw_pose before = lw_placement_pose(&def->before);
            X = lw_pose_mul(&before, &X);
        }
        port = flat->feeder_port;
        f = flat->feeder;
    }
    return -1;
}

// The universal joint in place of a ball joint, with the leg along `center` in its moving frame.
static lw_status hold(lwi_build *b, int f, lw_vec3 center)
{
    const lw_joint_def *ball = joint_of(b, &b->flat[f]);
    lw_joint_def *def = lwi_arena_take(b->arena, 1, sizeof *def);
    if (!def) {
        return lwi_build_no_memory(b);
    }
    *def = *ball;
    const lw_mat3 axes = lw_mat3_identity();
    const double along[3] = {fabs(center.x), fabs(center.y), fabs(center.z)};
    const int leg = along[2] >= along[0] && along[2] >= along[1] ? 2 : along[1] >= along[0] ? 1 : 0;
    const lw_pose before = lw_placement_pose(&ball->before), moved = lwi_reference_motion(ball);
    const lw_pose X = lw_pose_mul(&before, &moved);
    def->type = LW_JOINT_UNIVERSAL;
    def->before = lw_placement_of_pose(&X);
    def->axis = axes.row[(leg + 1) % 3];
    def->axis2 = axes.row[(leg + 2) % 3];
    for (int k = 0; k < 3; ++k) {
        def->dof[k].reference = 0.0;
    }
    b->held[f] = def;
    lwi_report_note(
        b->report, b->flat[f].location, LW_DIAG_ROTATION_HELD,
        "joint \"%s\": its leg may rotate about the line through the ball joints at its "
        "ends, which moves nothing else; that rotation is held, by a universal joint in "
        "place of this ball joint",
        b->flat[f].name);
    return LW_OK;
}

lw_status lwi_hold_idle_rotations(lwi_build *b)
{
    const int *nchild = count_children(b);
    b->held = lwi_arena_take(b->arena, (size_t)b->nflat, sizeof *b->held);
    if (!nchild || !b->held) {
        return lwi_build_no_memory(b);
    }
    lw_status status = LW_OK;
    for (int k = 0; k < b->nflat && status == LW_OK; ++k) {
        const lwi_flat *closer = &b->flat[k];
        const lw_joint_def *closing = joint_of(b, closer);
        if (!closing || !closer->is_closer || closer->is_left_out ||
            closing->type != LW_JOINT_SPHERICAL || closing->sides != LW_SIDES_FRAMES) {
            continue;
        }
        for (int side = 0; side < 2 && status == LW_OK; ++side) {
            lw_vec3 center;
            const int f = other_ball(b, nchild, closer, side, &center);
            if (f >= 0 && !b->held[f] && lw_norm3(center) > 0.0) {
                status = hold(b, f, center);
            }
        }
    }
    return status;
}
