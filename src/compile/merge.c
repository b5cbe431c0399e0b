// Bodies. Walking the tree outward, every joint that moves begins a new body (or several,
// where it is split into joints of one degree of freedom), and whatever is connected rigidly is
// added to the body it is connected to. Parts keep their frames; only the sum of their inertias
// remains of their masses.
//
// The frame of a body is the moving frame of its joint, rotated so that the joint acts about or
// along z. X_BA places the part's own frame in it.
#include "build.h"

#include "../base/report.h"
#include "../math/pi.h"

#include <string.h>

lw_pose lwi_place_after(const lw_pose *X, const lw_placement *placement)
{
    if (placement->form == LW_PLACEMENT_IDENTITY) {
        return *X;
    }
    const lw_pose Y = lw_placement_pose(placement);
    return lw_pose_mul(X, &Y);
}

lw_pose lwi_port_pose(const lwi_build *b, int flat_index, int port, int *body)
{
    const lwi_flat *flat = &b->flat[flat_index];
    const lw_mech *mech = mech_of(b, flat);
    if (flat->kind == LW_PART_JOINT && port == LWI_PORT_B) {
        const lwi_built_joint *joint = &b->joint[flat->joint];
        *body = joint->body_b;
        return joint->X_Bb;
    }
    *body = flat->body;
    if (port >= LWI_PORT_FIRST_FRAME) {
        const int frame = part_of(b, flat)->frames[port - LWI_PORT_FIRST_FRAME];
        return lwi_place_after(&flat->X_BA, &mech->frame.at[frame].placement);
    }
    if (flat->kind == LW_PART_LINK && port == LWI_PORT_B) {
        return lwi_place_after(&flat->X_BA, &as_link(part_of(b, flat))->b);
    }
    return flat->X_BA;
}

static int add_body(lwi_build *b, int parent, int joint, lw_tree_joint carrier, const lw_pose *X_PJ)
{
    static const int nq[] = {1, 1, 1, 4, 7}, nv[] = {1, 1, 1, 3, 6};
    const int n = carrier == LW_TREE_USER ? b->joint[joint].def->user.nv : 0;
    b->body[b->nbody] = (lwi_built_body){.parent = parent,
                                         .joint = joint,
                                         .carrier = carrier,
                                         .q = b->tree_nq,
                                         .nq = n ? n : nq[carrier],
                                         .v = b->tree_nv,
                                         .nv = n ? n : nv[carrier],
                                         .X_PJ = *X_PJ};
    b->tree_nq += b->body[b->nbody].nq;
    b->tree_nv += b->body[b->nbody].nv;
    ++b->joint[joint].info.nbody;
    return b->nbody++;
}

// One degree of freedom about or along `axis`, which is given in the frame X of the parent. Gives
// back the frame X, seen from the new body and at rest.
static int add_axis(lwi_build *b, int parent, int joint, lw_tree_joint carrier, const lw_pose *X,
                    lw_vec3 axis, lw_pose *X_B)
{
    const lw_pose turn = {lw_rotation_to_z(lw_unit3(axis)), {0.0, 0.0, 0.0}};
    const lw_pose X_PJ = lw_pose_mul(X, &turn);
    *X_B = lw_pose_inverse(&turn);
    return add_body(b, parent, joint, carrier, &X_PJ);
}

// The bodies of a joint whose frame at rest is X in `parent`. Sets where its port b is.
static void add_joint_bodies(lwi_build *b, int index, int parent, const lw_pose *X)
{
    lwi_built_joint *joint = &b->joint[index];
    const lw_joint_def *def = joint->def;
    const lw_vec3 z = {0.0, 0.0, 1.0};
    lw_pose X_B = lw_pose_identity(); // the moving joint frame in the last body
    int body = parent;
    joint->info.body = b->nbody;
    joint->info.q = b->tree_nq;
    joint->info.v = b->tree_nv;
    const lwi_joint_row *row = lwi_joint_row_of(joint->info.type);
    if (row->npiece == 0) { // fixed, or locked in its reference position
        const lw_pose moved = def ? lwi_reference_motion(def) : lw_pose_identity();
        X_B = def && def->type != joint->info.type ? lw_pose_mul(X, &moved) : *X;
    }
    for (int k = 0; k < row->npiece; ++k) {
        const lw_tree_joint carrier = row->piece[k].carrier;
        const lw_pose *from = k == 0 ? X : &X_B;
        const lw_vec3 axis =
            lwi_piece_axis(row->piece[k].axis, def ? def->axis : z, def ? def->axis2 : z);
        body = row->piece[k].axis == LWI_AXIS_NONE
                   ? add_body(b, body, index, carrier, from)
                   : add_axis(b, body, index, carrier, from, axis, &X_B);
        b->body[body].lead = carrier == LW_TREE_SCREW ? def->pitch / LWI_TWO_PI : 0.0;
    }
    joint->info.nq = b->tree_nq - joint->info.q;
    joint->info.nv = b->tree_nv - joint->info.v;
    joint->body_b = body;
    joint->X_Bb = def ? lwi_place_after(&X_B, &def->after) : X_B;
}

static void place_joint(lwi_build *b, int f)
{
    lwi_flat *flat = &b->flat[f];
    const lwi_part *part = part_of(b, flat);
    const lw_joint_def *def = b->held[f] ? b->held[f] : as_joint(part);
    flat->X_BA = lwi_place_after(&flat->X_BA, &def->before);
    flat->joint = b->njoint++;
    const lw_joint_type type = flat->is_locked ? LW_JOINT_FIXED : def->type;
    b->joint[flat->joint] =
        (lwi_built_joint){.info = {.name = flat->name, .type = type}, .def = def, .flat = f};
    add_joint_bodies(b, flat->joint, flat->body, &flat->X_BA);
}

static void place_link(lwi_build *b, const lwi_flat *flat)
{
    const lwi_part *part = part_of(b, flat);
    const lw_link_def *def = as_link(part);
    const lw_pose X = lwi_place_after(&flat->X_BA, &def->inertial);
    const lw_inertia own = {.mass = def->mass, .tensor = def->inertia};
    const lw_inertia moved = lw_inertia_move(&X, &own);
    if (flat->body < 0) {
        b->ground_mass += def->mass;
        return;
    }
    lwi_built_body *body = &b->body[flat->body];
    body->inertia = lw_inertia_add(&body->inertia, &moved);
    if (!body->name) {
        body->name = flat->name;
    }
}

// Whether a part belongs to the scene that stands round the mechanism.
static bool is_of_scene(const lwi_build *b, const lwi_flat *flat)
{
    int i = flat->instance;
    while (i > 0 && b->instance[i].parent > 0) {
        i = b->instance[i].parent;
    }
    const size_t length = strlen(b->instance[i].prefix);
    for (int k = 0; k < b->options.nscene && i > 0; ++k) {
        if (strlen(b->options.scene[k]) + 1 == length &&
            strncmp(b->options.scene[k], b->instance[i].prefix, length - 1) == 0) {
            return true;
        }
    }
    return false;
}

// Whether the option for a free base has anything to free: not where all that is connected to the
// ground is connected by free joints already.
static bool is_base_fixed(const lwi_build *b)
{
    const int root = b->order[0];
    if (b->flat[root].kind != LW_PART_GROUND || b->flat[root].instance != 0) {
        return true;
    }
    for (int i = 1; i < b->norder; ++i) {
        const lwi_flat *flat = &b->flat[b->order[i]];
        if (flat->feeder == root && !lwi_is_leaf(flat->kind) && !is_of_scene(b, flat) &&
            (flat->kind != LW_PART_JOINT || as_joint(part_of(b, flat))->type != LW_JOINT_FREE)) {
            return true;
        }
    }
    return b->norder == 1;
}

// The joint that the option for a free base puts under everything.
static int add_root_joint(lwi_build *b)
{
    const lw_pose X = lw_pose_identity();
    b->joint[b->njoint] =
        (lwi_built_joint){.info = {.name = "root", .type = LW_JOINT_FREE}, .flat = -1};
    add_joint_bodies(b, b->njoint, -1, &X);
    return b->joint[b->njoint++].body_b;
}

// Shafts of drives and between gearboxes: bodies without mass on the world, behind all others, so
// that they change neither the order nor the numbers of those.
static void add_shafts(lwi_build *b)
{
    const lw_pose X = lw_pose_identity();
    for (int k = 0; k < b->nshaft; ++k) {
        const lwi_shaft *shaft = &b->shaft[k];
        lwi_axis *axis = &b->axis[shaft->axis];
        const int j = b->njoint++;
        b->flat[axis->flat].body = -1;
        b->flat[axis->flat].X_BA = X;
        b->joint[j] = (lwi_built_joint){
            .info = {.name = shaft->name, .type = LW_JOINT_REVOLUTE, .is_shaft = true},
            .dof = shaft->dof,
            .flat = axis->flat};
        add_joint_bodies(b, j, -1, &X);
        axis->v = b->joint[j].info.v;
    }
}

static void find_subtrees(lwi_build *b)
{
    for (int i = b->nbody - 1; i >= 0; --i) {
        lwi_built_body *body = &b->body[i];
        body->subtree_end = body->subtree_end > i + 1 ? body->subtree_end : i + 1;
        if (body->parent >= 0) {
            lwi_built_body *parent = &b->body[body->parent];
            parent->subtree_end =
                parent->subtree_end > body->subtree_end ? parent->subtree_end : body->subtree_end;
        }
    }
}

lw_status lwi_pass_merge(lwi_build *b)
{
    enum { MOST_BODIES_A_JOINT = 3 };
    if (lw_report_errors(b->report) > 0) {
        return LW_ERR_MODEL; // axes and placements may not be numbers
    }
    int njoint = 1 + b->nshaft;
    for (int i = 0; i < b->norder; ++i) {
        njoint += b->flat[b->order[i]].kind == LW_PART_JOINT;
    }
    b->joint = lwi_arena_take(b->arena, (size_t)njoint, sizeof *b->joint);
    b->body = lwi_arena_take(b->arena, MOST_BODIES_A_JOINT * (size_t)njoint, sizeof *b->body);
    if (!b->joint || !b->body) {
        return lwi_build_no_memory(b);
    }
    const lw_status status = lwi_hold_idle_rotations(b);
    if (status != LW_OK) {
        return status;
    }
    const int base = b->options.free_base && is_base_fixed(b) ? add_root_joint(b) : -1;
    for (int i = 0; i < b->norder; ++i) {
        const int f = b->order[i];
        lwi_flat *flat = &b->flat[f];
        if (flat->feeder < 0) {
            flat->body = base;
            flat->X_BA = lw_pose_identity();
        } else {
            flat->X_BA = lwi_port_pose(b, flat->feeder, flat->feeder_port, &flat->body);
            flat->body = base >= 0 && flat->body == base && is_of_scene(b, flat) ? -1 : flat->body;
        }
        if (flat->kind == LW_PART_JOINT) {
            place_joint(b, f);
        } else if (flat->kind == LW_PART_LINK) {
            place_link(b, flat);
        }
    }
    add_shafts(b);
    for (int i = 0; i < b->nbody; ++i) {
        if (!b->body[i].name) {
            b->body[i].name = b->joint[b->body[i].joint].info.name;
        }
    }
    find_subtrees(b);
    return LW_OK;
}
