// Joints given by their zero position (product of exponentials).
//
// Such a joint names a point of its axis, and its axis, in the base frame of the description: the
// ground, or the root where there is none. The link it carries may give the pose that its own frame
// has there at zero. The joint frame is then put at the point, parallel to the base, so that the
// axis keeps its numbers:
//
//     J = (1, point)    before = X_P^-1 J    after = J^-1 X_link
//
// where X_P is the zero pose of the port that the joint is connected to, found by walking the
// description outward with every joint at zero, whatever form each of them is given in.
#include "native.h"

#include <string.h>

typedef enum progress { TO_DO, UNDER_WAY, DONE, UNKNOWN } progress;

typedef struct zero_walk {
    lwi_native_scope *scope;
    lw_pose *X;           ///< [npart] zero pose of a link's frame, and of a joint's port b
    unsigned char *state; ///< [npart] progress
    int *stack;           ///< [npart]
    int *carried;         ///< [npart] of a joint: the link that gives its zero pose, or -1
} zero_walk;

static bool placement_of(lwi_native_scope *scope, lwi_xml_node *node, lw_pose *X)
{
    lw_placement placement = lw_placement_identity();
    const bool is_good = !node || lwi_native_placement(scope->reader, node, &placement) == LW_OK;
    *X = lw_placement_pose(&placement);
    return is_good;
}

// What is wrong with a placement is reported when its own element is read.
static bool quiet_placement_of(lwi_native_scope *scope, lwi_xml_node *node, lw_pose *X)
{
    lw_report *report = scope->reader->report;
    scope->reader->report = NULL;
    const bool is_good = placement_of(scope, node, X);
    scope->reader->report = report;
    return is_good;
}

// Zero pose of a port of a part of another file, which is in the description already.
static bool included_port_pose(const zero_walk *walk, int part, int port, lw_pose *X)
{
    const lw_mech *mech = walk->scope->mech;
    const lwi_part *p = &mech->part.at[part];
    const lw_placement *placement = NULL;
    *X = walk->X[part];
    if (p->kind == LW_PART_JOINT) {
        return port == LWI_PORT_B;
    }
    if (port >= LWI_PORT_FIRST_FRAME) {
        placement = &mech->frame.at[p->frames[port - LWI_PORT_FIRST_FRAME]].placement;
    } else if (p->kind == LW_PART_LINK && port == LWI_PORT_B) {
        placement = &as_link(p)->b;
    }
    if (placement) {
        const lw_pose X_port = lw_placement_pose(placement);
        *X = lw_pose_mul(X, &X_port);
    }
    return true;
}

// Zero pose of the port that a part is connected to; the base where it is connected to nothing.
static bool feeder_pose(zero_walk *walk, const lwi_native_part *part, lw_pose *X)
{
    *X = lw_pose_identity();
    if (part->feeder.part < 0) {
        return true;
    }
    const lwi_native_part *feeder = &walk->scope->part[part->feeder.part];
    if (walk->state[part->feeder.part] != DONE) {
        return false;
    }
    if (!feeder->node) {
        const lw_port port = lw_port_of(walk->scope->mech, feeder->part, part->feeder.port);
        return port.index >= 0 && included_port_pose(walk, feeder->part.index, port.index, X);
    }
    const lw_pose *X_F = &walk->X[part->feeder.part];
    if (feeder->kind == LW_PART_JOINT) {
        *X = *X_F;
        return true;
    }
    lwi_xml_node *node = lwi_native_frame(walk->scope, part->feeder.part, part->feeder.port);
    if (!node && feeder->kind == LW_PART_LINK) {
        node = lwi_xml_child(feeder->node, "b");
    }
    lw_pose X_port;
    if (!quiet_placement_of(walk->scope, node, &X_port)) {
        return false;
    }
    *X = lw_pose_mul(X_F, &X_port);
    return true;
}

static bool keep_pose(lwi_native_scope *scope, lwi_native_part *part, int which, const lw_pose *X)
{
    lw_pose *kept = lwi_arena_take(&scope->reader->arena, 1, sizeof *kept);
    if (!lwi_native_has_memory(scope->reader, kept != NULL, part->node->at)) {
        return false;
    }
    *kept = *X;
    part->zero[which] = kept;
    return true;
}

static progress place_zero_joint(zero_walk *walk, int index)
{
    lwi_native_scope *scope = walk->scope;
    lwi_native_part *part = &scope->part[index];
    char room[LWI_CLIP_SIZE];
    lw_pose X_P, J = lw_pose_identity(), X;
    if (!feeder_pose(walk, part, &X_P)) {
        lwi_native_good(
            scope->reader,
            lwi_report_error(
                scope->reader->report, part->node->at, LW_ERR_MODEL,
                "joint \"%s\": point needs to know where \"from\" is at zero, which cannot be told "
                "of "
                "the inside of an assembly or of a part with errors; place this joint by xyz",
                lwi_clip(part->name, room)));
        return UNKNOWN;
    }
    if (lwi_native_vector(scope->reader, part->node, "point", true, &J.p) != LW_OK) {
        return UNKNOWN;
    }
    const int link = walk->carried[index];
    lwi_zero_form *given = lwi_arena_take(&scope->reader->arena, 1, sizeof *given);
    if (!lwi_native_has_memory(scope->reader, given != NULL, part->node->at)) {
        return UNKNOWN;
    }
    *given = (lwi_zero_form){J.p, link < 0 ? lw_placement_xyz(J.p.x, J.p.y, J.p.z)
                                           : lw_placement_identity()};
    if (link >= 0 &&
        lwi_native_placement(scope->reader, lwi_xml_child(scope->part[link].node, "zero"),
                             &given->link) != LW_OK) {
        return UNKNOWN;
    }
    part->given = given;
    X = lw_placement_pose(&given->link);
    const lw_pose X_back = lw_pose_inverse(&X_P), J_back = lw_pose_inverse(&J);
    const lw_pose before = lw_pose_mul(&X_back, &J), after = lw_pose_mul(&J_back, &X);
    walk->X[index] = X;
    return keep_pose(scope, part, 0, &before) && keep_pose(scope, part, 1, &after) ? DONE : UNKNOWN;
}

static progress place_other_joint(zero_walk *walk, int index)
{
    lwi_native_scope *scope = walk->scope;
    lw_placement before = lw_placement_identity(), after = lw_placement_identity();
    lw_pose X_P;
    lw_report *report = scope->reader->report;
    scope->reader->report = NULL;
    const lw_status status =
        lwi_native_joint_placements(scope->reader, scope->part[index].node, &before, &after);
    scope->reader->report = report;
    if (status != LW_OK || !feeder_pose(walk, &scope->part[index], &X_P)) {
        return UNKNOWN;
    }
    const lw_pose X_before = lw_placement_pose(&before), X_after = lw_placement_pose(&after);
    const lw_pose X_J = lw_pose_mul(&X_P, &X_before);
    walk->X[index] = lw_pose_mul(&X_J, &X_after);
    return DONE;
}

static progress place_link(zero_walk *walk, int index)
{
    lwi_native_scope *scope = walk->scope;
    const lwi_native_part *part = &scope->part[index];
    lwi_xml_node *zero = lwi_xml_child(part->node, "zero");
    if (zero && part->feeder.part < 0) {
        return placement_of(scope, zero, &walk->X[index]) ? DONE : UNKNOWN;
    }
    const lwi_native_part *feeder = part->feeder.part >= 0 ? &scope->part[part->feeder.part] : NULL;
    if (zero && (feeder->kind != LW_PART_JOINT || !feeder->node ||
                 !lwi_native_has(feeder->node, "point"))) {
        char room[LWI_CLIP_SIZE];
        lwi_native_good(scope->reader,
                        lwi_report_error(scope->reader->report, zero->at, LW_ERR_MODEL,
                                         "link \"%s\": <zero> is for links that are connected to a "
                                         "joint with point; \"%s\" has none",
                                         lwi_clip(part->name, room), feeder->name));
        return UNKNOWN;
    }
    return feeder_pose(walk, part, &walk->X[index]) ? DONE : UNKNOWN;
}

// A part of another file is connected as that file has it, or as this one does.
static progress place_included(zero_walk *walk, int index)
{
    const lw_mech *mech = walk->scope->mech;
    const lwi_part *p = &mech->part.at[index];
    const lw_port feeder = p->feeder;
    lw_pose X = lw_pose_identity();
    bool is_good = p->kind == LW_PART_GROUND || p->kind == LW_PART_LINK || p->kind == LW_PART_JOINT;
    if (feeder.part.index >= 0) {
        is_good = is_good && walk->state[feeder.part.index] == DONE &&
                  included_port_pose(walk, feeder.part.index, feeder.index, &X);
    } else {
        is_good = is_good && feeder_pose(walk, &walk->scope->part[index], &X);
    }
    if (is_good && p->kind == LW_PART_JOINT) {
        const lw_joint_def *joint = as_joint(p);
        const lw_pose before = lw_placement_pose(&joint->before);
        const lw_pose after = lw_placement_pose(&joint->after);
        X = lw_pose_mul(&X, &before);
        X = lw_pose_mul(&X, &after);
    }
    walk->X[index] = X;
    return is_good ? DONE : UNKNOWN;
}

// What a part is connected to: as its own file has it, or this one.
static int feeder_of(const zero_walk *walk, int index)
{
    const lwi_native_part *part = &walk->scope->part[index];
    const int own = part->node ? -1 : walk->scope->mech->part.at[index].feeder.part.index;
    return own >= 0 ? own : part->feeder.part;
}

static progress place_part(zero_walk *walk, int index)
{
    const lwi_native_part *part = &walk->scope->part[index];
    if (!part->node) {
        return place_included(walk, index); // they come first, with the numbers they have there
    }
    switch (part->kind) {
    case LW_PART_GROUND:
        walk->X[index] = lw_pose_identity();
        return DONE;
    case LW_PART_LINK:
        return place_link(walk, index);
    case LW_PART_JOINT:
        return lwi_native_has(part->node, "point") ? place_zero_joint(walk, index)
                                                   : place_other_joint(walk, index);
    default:
        return UNKNOWN;
    }
}

// Climbs from a part to one that is placed already, and places the parts on the way back down. A
// cycle ends the climb; connecting it is refused later.
static void place_with_feeders(zero_walk *walk, int index)
{
    int depth = 0;
    while (index >= 0 && walk->state[index] == TO_DO) {
        walk->state[index] = UNDER_WAY;
        walk->stack[depth++] = index;
        index = feeder_of(walk, index);
    }
    while (depth > 0) {
        index = walk->stack[--depth];
        walk->state[index] = (unsigned char)place_part(walk, index);
    }
}

// Each joint takes the zero pose of one link.
static void assign_links(zero_walk *walk)
{
    lwi_native_scope *scope = walk->scope;
    for (int i = 0; i < scope->npart; ++i) {
        walk->carried[i] = -1;
    }
    for (int i = 0; i < scope->npart; ++i) {
        const lwi_native_part *part = &scope->part[i];
        lwi_xml_node *zero =
            part->kind == LW_PART_LINK && part->node ? lwi_xml_child(part->node, "zero") : NULL;
        const int joint = part->feeder.part;
        if (!zero || joint < 0 || scope->part[joint].kind != LW_PART_JOINT) {
            continue;
        }
        if (walk->carried[joint] < 0) {
            walk->carried[joint] = i;
            continue;
        }
        char room[LWI_CLIP_SIZE];
        lwi_native_good(
            scope->reader,
            lwi_report_error(
                scope->reader->report, zero->at, LW_ERR_MODEL,
                "joint \"%s\" carries link \"%s\" too, which gives its zero pose already",
                lwi_clip(scope->part[joint].name, room), scope->part[walk->carried[joint]].name));
    }
}

void lwi_native_place_zero(lwi_native_scope *scope)
{
    lwi_native_reader *reader = scope->reader;
    const size_t n = (size_t)scope->npart;
    zero_walk walk = {.scope = scope};
    walk.X = lwi_arena_take(&reader->arena, n, sizeof *walk.X);
    walk.state = lwi_arena_take(&reader->arena, n, sizeof *walk.state);
    walk.stack = lwi_arena_take(&reader->arena, n, sizeof *walk.stack);
    walk.carried = lwi_arena_take(&reader->arena, n, sizeof *walk.carried);
    const bool is_there = walk.X && walk.state && walk.stack && walk.carried;
    if (!lwi_native_has_memory(reader, is_there, scope->node->at)) {
        return;
    }
    assign_links(&walk);
    for (int i = 0; i < scope->npart; ++i) {
        place_with_feeders(&walk, i);
    }
}
