// Pass 7: the model, in one block. The layout runs twice over the same code: first to count bytes,
// then to fill them, so that the two cannot disagree.
#include "build.h"

#include "../base/report.h"
#include "kernel.h"
#include "plane.h"

#include <stdlib.h>
#include <string.h>

static const char *put_text(lwi_slicer *s, const char *text)
{
    const size_t size = strlen(text ? text : "") + 1;
    char *copy = s->base ? s->base + s->used : NULL;
    s->used += size;
    if (copy) {
        memcpy(copy, text ? text : "", size);
    }
    return copy;
}

// A name within an assembly, written straight into the block.
static const char *put_prefixed(lwi_slicer *s, const char *prefix, const char *name)
{
    const char *start = put_text(s, prefix);
    s->used -= 1; // the name goes where the prefix ends
    put_text(s, name);
    return start;
}

static const char *const *put_names(lwi_slicer *s, const char *const *name, const int *pick, int n)
{
    const char **copy = lwi_slice(s, (size_t)n, sizeof *copy);
    for (int i = 0; i < n; ++i) {
        const char *text = put_text(s, name[pick ? pick[i] : i]);
        if (copy) {
            copy[i] = text;
        }
    }
    return copy;
}

static void *put_array(lwi_slicer *s, const void *array, int n, size_t size)
{
    void *copy = lwi_slice(s, (size_t)n, size);
    if (copy && n) {
        memcpy(copy, array, (size_t)n * size);
    }
    return copy;
}

static void put_bodies(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    const size_t n = (size_t)b->nbody;
    int *parent = lwi_slice(s, n, sizeof *parent);
    int *subtree_end = lwi_slice(s, n, sizeof *subtree_end);
    lw_tree_joint *carrier = lwi_slice(s, n, sizeof *carrier);
    int *joint = lwi_slice(s, n, sizeof *joint);
    int *q_start = lwi_slice(s, n + 1, sizeof *q_start);
    int *v_start = lwi_slice(s, n + 1, sizeof *v_start);
    double *lead = lwi_slice(s, n, sizeof *lead);
    lw_pose *X_PJ = lwi_slice(s, n, sizeof *X_PJ);
    lw_inertia *inertia = lwi_slice(s, n, sizeof *inertia);
    const char **name = lwi_slice(s, n, sizeof *name);
    double mass = b->ground_mass;
    for (int i = 0; i < b->nbody; ++i) {
        const lwi_built_body *body = &b->body[i];
        const char *text = put_text(s, body->name);
        mass += body->inertia.mass;
        if (!s->base) {
            continue;
        }
        parent[i] = body->parent;
        subtree_end[i] = body->subtree_end;
        carrier[i] = body->carrier;
        joint[i] = body->joint;
        q_start[i] = body->q;
        v_start[i] = body->v;
        lead[i] = body->lead;
        X_PJ[i] = body->X_PJ;
        inertia[i] = body->inertia;
        name[i] = text;
    }
    if (s->base) {
        q_start[n] = b->tree_nq;
        v_start[n] = b->tree_nv;
    }
    m->parent = parent;
    m->subtree_end = subtree_end;
    m->carrier = carrier;
    m->joint = joint;
    m->q_start = q_start;
    m->v_start = v_start;
    m->lead = lead;
    m->X_PJ = X_PJ;
    m->inertia = inertia;
    m->body_name = name;
    m->mass = mass;
}

static void put_coordinates(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    m->position_name = put_names(s, b->tree_q_name, b->q_tree, b->nq);
    m->velocity_name = put_names(s, b->tree_v_name, b->v_tree, b->nv);
    m->tree_velocity_name = put_names(s, b->tree_v_name, NULL, b->tree_nv);
    m->q_tree = put_array(s, b->q_tree, b->nq, sizeof(int));
    m->v_tree = put_array(s, b->v_tree, b->nv, sizeof(int));
    m->tree_q_reference = put_array(s, b->tree_q_reference, b->tree_nq, sizeof(double));
    double *q_reference = lwi_slice(s, (size_t)b->nq, sizeof *q_reference);
    lw_freedom *freedom = lwi_slice(s, (size_t)b->tree_nv, sizeof *freedom);
    if (s->base) {
        for (int i = 0; i < b->nq; ++i) {
            q_reference[i] = b->tree_q_reference[b->q_tree[i]];
        }
        for (int i = 0; i < b->tree_nv; ++i) {
            freedom[i] = *b->freedom[i];
        }
    }
    m->q_reference = q_reference;
    m->freedom = freedom;
}

static const int *put_ints(lwi_slicer *s, const int *array, int n)
{
    return put_array(s, array, n, sizeof *array);
}

static const lwi_plane *put_plane(lwi_slicer *s, const lwi_plane *plane)
{
    if (!plane) {
        return NULL;
    }
    lwi_plane *copy = put_array(s, plane, 1, sizeof *plane);
    for (int side = 0; side < 2; ++side) {
        const lwi_plane_joint *joint =
            put_array(s, plane->side[side].joint, plane->side[side].n, sizeof *joint);
        if (copy) {
            copy->side[side].joint = joint;
        }
    }
    return copy;
}

// The program that runs, and beside it what users may read of it. The lists are shared.
static void put_loops(const lwi_build *b, lwi_slicer *s, lw_model *m, lwi_program *program)
{
    lwi_loop *loop = lwi_slice(s, (size_t)b->nloop, sizeof *loop);
    lw_loop_info *info = lwi_slice(s, (size_t)b->nloop, sizeof *info);
    for (int k = 0; k < b->nloop; ++k) {
        const lwi_built_loop *built = &b->loop[k];
        const lwi_flat *flat = &b->flat[built->flat];
        const char *name = put_text(s, flat->name);
        const int *path[2];
        for (int side = 0; side < 2; ++side) {
            path[side] = put_ints(s, built->loop.path[side], built->loop.npath[side]);
        }
        const int *column = put_ints(s, built->loop.column, built->nfreedom);
        const lwi_plane *plane = put_plane(s, built->loop.plane);
        program->longest = built->nfreedom > program->longest ? built->nfreedom : program->longest;
        if (!loop) {
            continue;
        }
        const lw_mech *mech = b->instance[flat->instance].mech;
        const int item = mech->part.at[flat->part].item;
        loop[k] = built->loop;
        loop[k].path[0] = path[0];
        loop[k].path[1] = path[1];
        loop[k].column = column;
        loop[k].plane = plane;
        info[k] = (lw_loop_info){
            .name = name,
            .is_rod = built->loop.is_rod,
            .type = built->loop.type,
            .frame = {m->nframe + 2 * b->njoint + 2 * k, m->nframe + 2 * b->njoint + 2 * k + 1},
            .length = built->loop.length,
            .mass = built->loop.is_rod ? mech->rod.at[item].mass : 0.0,
            .nrow = built->loop.nrow,
            .rank = built->rank,
            .step = built->step};
    }
    program->loop = loop;
    program->nloop = b->nloop;
    program->nplane_record = b->nplane_record;
    program->nplane_solve = b->nplane_solve;
    for (int k = 0; k < b->nloop && info; ++k) {
        m->mass += info[k].mass;
    }
    m->loop = info;
    m->nloop = b->nloop;
}

static void put_steps(const lwi_build *b, lwi_slicer *s, lw_model *m, lwi_program *program)
{
    lwi_step *step = lwi_slice(s, (size_t)b->nstep, sizeof *step);
    lw_step_info *info = lwi_slice(s, (size_t)b->nstep, sizeof *info);
    int *step_of = lwi_slice(s, (size_t)b->tree_nv, sizeof *step_of);
    if (step_of) {
        memset(step_of, -1, (size_t)b->tree_nv * sizeof *step_of);
    }
    for (int k = 0; k < b->nstep; ++k) {
        program->ncoefficient += b->step[k].step.ncoefficient;
    }
    double *coefficient = lwi_slice(s, (size_t)program->ncoefficient, sizeof *coefficient);
    int first = 0;
    program->coefficient = coefficient;
    program->is_simple = true;
    program->matrix = 1;
    for (int k = 0; k < b->nstep; ++k) {
        lwi_step own = b->step[k].step;
        const char *name = put_text(s, b->step[k].name);
        for (int t = 0; t < own.ntarget && step_of; ++t) {
            step_of[own.target[t]] = k;
        }
        own.target = put_ints(s, own.target, own.ntarget);
        own.source = put_ints(s, own.source, own.nsource);
        own.target_q = put_ints(s, own.target_q, own.ntarget);
        own.source_q = put_ints(s, own.source_q, own.nsource);
        own.target_body = put_ints(s, own.target_body, own.ntarget);
        own.loop = put_ints(s, own.loop, own.nloop);
        own.gear = put_ints(s, b->step[k].gear, own.ngear);
        own.gear_row =
            put_array(s, own.gear_row, own.ngear * (own.ntarget + own.nsource + 1), sizeof(double));
        if (coefficient && own.ncoefficient) {
            memcpy(&coefficient[first], own.coefficient,
                   (size_t)own.ncoefficient * sizeof *coefficient);
        }
        own.first_coefficient = first;
        own.coefficient = coefficient ? &coefficient[first] : NULL;
        first += own.ncoefficient;
        program->is_simple &= own.nrow == 0 && own.law == LW_LAW_POLYNOMIAL;
        own.rate = program->nrate;
        own.bias = program->nbias;
        program->nrate += own.ntarget * own.nsource;
        program->nbias += own.ntarget;
        const int size = own.nrow * (own.ntarget + own.nsource + 2);
        program->matrix = size > program->matrix ? size : program->matrix;
        const int damped = own.kind == LW_STEP_BLOCK ? own.ntarget * (own.ntarget + 1) : 0;
        program->damped = damped > program->damped ? damped : program->damped;
        if (step) {
            step[k] = own;
            info[k] = (lw_step_info){.kind = own.kind,
                                     .name = name,
                                     .ntarget = own.ntarget,
                                     .nsource = own.nsource,
                                     .nloop = own.nloop,
                                     .target = own.target,
                                     .source = own.source,
                                     .loop = own.loop,
                                     .branch = own.branch,
                                     .ncoefficient = own.ncoefficient,
                                     .law = own.law,
                                     .coefficient = own.coefficient};
        }
    }
    program->step = step;
    program->step_of = step_of;
    program->nstep = b->nstep;
    m->step = info;
}

static int step_of_gear(const lwi_build *b, int gear)
{
    for (int k = 0; k < b->nstep; ++k) {
        for (int g = 0; g < b->step[k].ngear; ++g) {
            if (b->step[k].gear[g] == gear) {
                return k;
            }
        }
    }
    return -1;
}

static void put_gears(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    lw_gear_info *info = lwi_slice(s, (size_t)b->ngear, sizeof *info);
    for (int k = 0; k < b->ngear; ++k) {
        const lwi_built_gear *gear = &b->gear[k];
        const char *name = put_prefixed(s, gear->prefix, gear->name);
        const int *freedom = put_ints(s, gear->freedom, gear->nfreedom);
        const double *share = put_array(s, gear->share, gear->nfreedom, sizeof *share);
        if (info) {
            info[k] = (lw_gear_info){.name = name,
                                     .type = gear->type,
                                     .size = {gear->size[0], gear->size[1]},
                                     .body = {gear->body[0], gear->body[1]},
                                     .X_BW = {gear->X_BW[0], gear->X_BW[1]},
                                     .carrier = gear->carrier,
                                     .turn = {gear->turn[0], gear->turn[1]},
                                     .radius = {gear->radius[0], gear->radius[1]},
                                     .nfreedom = gear->nfreedom,
                                     .freedom = freedom,
                                     .share = share,
                                     .step = step_of_gear(b, k)};
        }
    }
    m->gear = info;
    m->ngear = b->ngear;
}

static lw_drive_info drive_info(const lw_drive_def *def)
{
    // Over zeros: the gaps between members are hashed with the model.
    lw_drive_info info;
    memset(&info, 0, sizeof info);
    info.ncurve = def->ncurve;
    info.inertia = def->inertia;
    info.max_effort = def->max_effort;
    info.max_velocity = def->max_velocity;
    info.stall_effort = def->stall_effort;
    info.no_load_velocity = def->no_load_velocity;
    info.continuous_effort = def->continuous_effort;
    return info;
}

static void put_drives(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    lw_drive_info *drive = lwi_slice(s, (size_t)b->ndrive, sizeof *drive);
    for (int k = 0; k < b->ndrive; ++k) {
        const lwi_axis *axis = &b->axis[b->drive[k]];
        const lwi_flat *flat = &b->flat[axis->flat];
        const lw_mech *mech = b->instance[flat->instance].mech;
        const lw_drive_def *def = &mech->drive.at[mech->part.at[flat->part].item];
        const char *name = put_text(s, flat->name);
        double *curve = lwi_slice(s, (size_t)def->ncurve, sizeof *curve);
        if (drive) {
            drive[k] = drive_info(def);
            drive[k].name = name;
            drive[k].freedom = axis->v >= 0 ? axis->v : axis->shared;
            drive[k].curve = curve;
            if (def->ncurve > 0) {
                memcpy(curve, def->curve, (size_t)def->ncurve * sizeof *curve);
            }
        }
    }
    m->drive = drive;
    m->ndrive = b->ndrive;
}

static void put_program(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    lwi_program own = {0};
    lwi_program *program = lwi_slice(s, 1, sizeof *program);
    put_loops(b, s, m, &own);
    put_steps(b, s, m, &own);
    put_gears(b, s, m);
    put_drives(b, s, m);
    if (program) {
        *program = own;
        ((lwi_kernel *)m->kernel)->program = program;
    }
}

static bool carries_frames(const lwi_flat *flat)
{
    return !flat->is_left_out && (flat->kind == LWI_LINK || flat->kind == LWI_GROUND);
}

// "link.frame", written straight into the block.
static const char *put_joined(lwi_slicer *s, const char *stem, const char *tail)
{
    const size_t n = strlen(stem), k = strlen(tail) + 1;
    char *text = s->base ? s->base + s->used : NULL;
    s->used += n + 1 + k;
    if (text) {
        memcpy(text, stem, n);
        text[n] = '.';
        memcpy(text + n + 1, tail, k);
    }
    return text;
}

static const lw_mech *mech_of(const lwi_build *b, const lwi_flat *flat)
{
    return b->instance[flat->instance].mech;
}

static const lwi_part *part_of(const lwi_build *b, const lwi_flat *flat)
{
    return &mech_of(b, flat)->part.at[flat->part];
}

static int count_frames(const lwi_build *b)
{
    int n = 0;
    for (int i = 0; i < b->norder; ++i) {
        const lwi_flat *flat = &b->flat[b->order[i]];
        n += carries_frames(flat) ? 1 + part_of(b, flat)->nframe : 0;
    }
    return n;
}

// Frames and links stand in the order of description. A part that was not reached is an error by
// now, so all are there. Records are filled member by member, here and below: the gaps between
// members stay zero and are hashed with the model.
static void put_frames(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    m->nframe = count_frames(b);
    m->nframe_all = m->nframe + 2 * b->njoint + 2 * b->nloop;
    lw_frame_info *frame = lwi_slice(s, (size_t)m->nframe_all, sizeof *frame);
    int n = 0;
    for (int f = 0; f < b->nflat; ++f) {
        const lwi_flat *flat = &b->flat[f];
        if (!carries_frames(flat)) {
            continue;
        }
        const lw_mech *mech = mech_of(b, flat);
        const lwi_part *part = part_of(b, flat);
        for (int i = -1; i < part->nframe; ++i) {
            const char *name =
                i < 0 ? put_text(s, flat->name)
                      : put_joined(s, flat->name, mech->frame.at[part->frames[i]].name);
            if (frame) {
                const int port = i < 0 ? LWI_PORT_A : LWI_PORT_FIRST_FRAME + i;
                frame[n].name = name;
                frame[n].X_BF = lwi_port_pose(b, f, port, &frame[n].body);
            }
            ++n;
        }
    }
    for (int j = 0; j < b->njoint; ++j) {
        const lwi_built_joint *joint = &b->joint[j];
        const char *name_a = put_joined(s, joint->info.name, "a");
        const char *name_b = put_joined(s, joint->info.name, "b");
        if (frame) {
            frame[n].name = name_a;
            frame[n].body = joint->flat >= 0 ? b->flat[joint->flat].body : -1;
            frame[n].X_BF = joint->flat >= 0 ? b->flat[joint->flat].X_BA : lw_pose_identity();
            frame[n + 1].name = name_b;
            frame[n + 1].body = joint->body_b;
            frame[n + 1].X_BF = joint->X_Bb;
        }
        n += 2;
    }
    for (int k = 0; k < b->nloop; ++k) {
        const lwi_built_loop *built = &b->loop[k];
        for (int side = 0; side < 2; ++side) {
            static const char *const end[2][2] = {{"a", "b"}, {"a1", "a2"}};
            const char *name =
                put_joined(s, b->flat[built->flat].name, end[built->loop.is_rod][side]);
            if (frame) {
                frame[n].name = name;
                frame[n].body = built->end_body[side];
                frame[n].X_BF = built->loop.X[side];
            }
            ++n;
        }
    }
    m->frame = frame;
}

static void put_joints(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    lw_joint_info *joints = lwi_slice(s, (size_t)b->njoint, sizeof *joints);
    for (int j = 0; j < b->njoint; ++j) {
        const char *name = put_text(s, b->joint[j].info.name);
        if (joints) {
            joints[j] = b->joint[j].info;
            joints[j].name = name;
            joints[j].frame_a = m->nframe + 2 * j;
            joints[j].frame_b = m->nframe + 2 * j + 1;
            joints[j].joint = b->joint[j].flat >= 0 ? b->joint_above[b->joint[j].flat] : -1;
            joints[j].is_transmission =
                b->joint[j].flat >= 0 && b->flat[b->joint[j].flat].is_transmission;
        }
    }
    m->joints = joints;
    m->njoint = b->njoint;
}

static void put_links(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    m->nlink = 0;
    for (int i = 0; i < b->norder; ++i) {
        m->nlink += b->flat[b->order[i]].kind == LWI_LINK;
    }
    lw_link_info *link = lwi_slice(s, (size_t)m->nlink, sizeof *link);
    int n = 0, frame = 0;
    for (int f = 0; f < b->nflat; ++f) {
        const lwi_flat *flat = &b->flat[f];
        if (flat->kind == LWI_LINK && !flat->is_left_out) {
            const char *name = put_text(s, flat->name);
            const lw_link_def *def = &mech_of(b, flat)->link.at[part_of(b, flat)->item];
            if (link) {
                link[n].name = name;
                link[n].frame = frame;
                link[n].mass = def->mass;
                link[n].X_FI = lw_placement_pose(&def->inertial);
                link[n].tensor = def->inertia;
                link[n].joint = b->joint_above[f];
            }
            ++n;
        }
        frame += carries_frames(flat) ? 1 + part_of(b, flat)->nframe : 0;
    }
    m->link = link;
}

static int count_loads(const lwi_build *b)
{
    int n = 0;
    for (int i = 0; i < b->norder; ++i) {
        n += b->flat[b->order[i]].kind == LWI_LOAD;
    }
    return n;
}

static void put_loads(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    m->nload = count_loads(b);
    lw_load_info *load = lwi_slice(s, (size_t)m->nload, sizeof *load);
    int n = 0;
    for (int f = 0; f < b->nflat; ++f) {
        const lwi_flat *flat = &b->flat[f];
        if (flat->kind != LWI_LOAD || flat->is_left_out) {
            continue;
        }
        const char *name = put_text(s, flat->name);
        const lw_load_def *def = &mech_of(b, flat)->load.at[part_of(b, flat)->item];
        if (load) {
            load[n].name = name;
            load[n].body = flat->body;
            load[n].X_BF = flat->X_BA;
            load[n].axes = def->axes;
            load[n].force = def->force;
            load[n].torque = def->torque;
            load[n++].joint = b->joint_above[f];
        }
    }
    m->load = load;
}

static void put_springs(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    m->nspring = b->nspring;
    lw_spring_info *spring = put_array(s, b->spring, b->nspring, sizeof *spring);
    for (int k = 0; k < b->nspring; ++k) {
        const lw_spring_info *from = &b->spring[k];
        const char *name = put_text(s, from->name);
        const double *coefficient =
            put_array(s, from->coefficient, from->ncoefficient, sizeof *coefficient);
        if (spring) {
            spring[k].name = name;
            spring[k].coefficient = coefficient;
        }
    }
    m->spring = spring;
}

static void put_shapes(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    m->nshape = 0;
    for (int i = 0; i < b->norder; ++i) {
        const lwi_flat *flat = &b->flat[b->order[i]];
        m->nshape += carries_frames(flat) ? part_of(b, flat)->nshape : 0;
    }
    lw_shape_info *shape = lwi_slice(s, (size_t)m->nshape, sizeof *shape);
    int n = 0;
    for (int f = 0; f < b->nflat; ++f) {
        const lwi_flat *flat = &b->flat[f];
        if (!carries_frames(flat)) {
            continue;
        }
        const lw_mech *mech = mech_of(b, flat);
        const int first = n;
        for (int i = part_of(b, flat)->first_shape; i >= 0; i = mech->shape.at[i].next) {
            const lw_shape_def *def = &mech->shape.at[i].def;
            const char *name = put_text(s, def->name), *mesh = put_text(s, def->mesh);
            const char *file = put_text(s, def->mesh_file), *link = put_text(s, flat->name);
            if (shape) {
                const lw_pose X = lw_placement_pose(&def->placement);
                shape[n] = (lw_shape_info){.name = name,
                                           .mesh = mesh,
                                           .mesh_file = file,
                                           .link = link,
                                           .body = flat->body,
                                           .X_BS = lw_pose_mul(&flat->X_BA, &X),
                                           .role = def->role,
                                           .type = def->type,
                                           .size = def->size,
                                           .bound = def->bound < 0 ? -1 : first + def->bound};
            }
            ++n;
        }
    }
    m->shape = shape;
}

static bool is_identity(const lw_mat3 *R)
{
    const lw_mat3 one = lw_mat3_identity();
    for (int i = 0; i < 3; ++i) {
        if (R->row[i].x != one.row[i].x || R->row[i].y != one.row[i].y ||
            R->row[i].z != one.row[i].z) {
            return false;
        }
    }
    return true;
}

lwi_body lwi_kernel_body(const lwi_built_body *body)
{
    const lw_mat3 *R = &body->X_PJ.R;
    const lw_sym3 *I = &body->inertia.tensor;
    const lw_vec3 h = body->inertia.first_moment, p = body->X_PJ.p;
    const double weight[] = {
        body->inertia.mass, h.x, h.y, h.z, I->xx, I->yy, I->zz, I->xy, I->xz, I->yz};
    int has_mass = 0;
    for (int i = 0; i < 10; ++i) {
        has_mass |= weight[i] != 0.0;
    }
    return (lwi_body){
        .parent = body->parent,
        .carrier = (int)body->carrier,
        .placement = is_identity(R) ? LWI_PLACED_SHIFTED : LWI_PLACED_GENERAL,
        .q = body->q,
        .v = body->v,
        .nv = body->nv,
        .subtree_end = body->subtree_end,
        .has_mass = has_mass,
        .R = {R->row[0].x, R->row[0].y, R->row[0].z, R->row[1].x, R->row[1].y, R->row[1].z,
              R->row[2].x, R->row[2].y, R->row[2].z},
        .p = {p.x, p.y, p.z},
        .mass = body->inertia.mass,
        .h = {h.x, h.y, h.z},
        .I = {I->xx, I->yy, I->zz, I->xy, I->xz, I->yz},
        .lead = body->lead,
    };
}

// Where the independent coordinates hold quaternions. A joint that has one is dependent as a whole
// or not at all, so its coordinates stand together in q and v too.
static const lwi_quat_at *put_quaternions(const lwi_build *b, lwi_slicer *s, int *nquat)
{
    int count = 0;
    for (int i = 0; i < b->nbody; ++i) {
        count += b->body[i].nq != b->body[i].nv && !b->is_target[b->body[i].v];
    }
    lwi_quat_at *quat = lwi_slice(s, (size_t)count, sizeof *quat);
    int q = 0, v = 0, n = 0;
    for (int i = 0; i < b->nbody && quat; ++i) {
        const lwi_built_body *body = &b->body[i];
        while (q < b->nq && b->q_tree[q] < body->q) {
            ++q;
        }
        while (v < b->nv && b->v_tree[v] < body->v) {
            ++v;
        }
        if (body->nq != body->nv && !b->is_target[body->v]) {
            quat[n++] = (lwi_quat_at){q + (body->carrier == LW_TREE_FREE ? 3 : 0), v, i};
        }
    }
    *nquat = count;
    return quat;
}

static void put_kernel(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    lwi_kernel *kernel = lwi_slice(s, 1, sizeof *kernel);
    lwi_body *body = lwi_slice(s, (size_t)b->nbody, sizeof *body);
    int nquat;
    const lwi_quat_at *quat = put_quaternions(b, s, &nquat);
    bool has_user = false, all_revolute = true;
    for (int i = 0; i < b->nbody; ++i) {
        has_user |= b->body[i].carrier == LW_TREE_USER;
        all_revolute &= b->body[i].carrier == LW_TREE_REVOLUTE;
    }
    lwi_segment *segment = lwi_slice(s, (size_t)b->nbody, sizeof *segment);
    lwi_passive *passive = lwi_slice(s, (size_t)b->tree_nv, sizeof *passive);
    lwi_load *load = lwi_slice(s, (size_t)count_loads(b), sizeof *load);
    lw_user_joint *user = has_user ? lwi_slice(s, (size_t)b->nbody, sizeof *user) : NULL;
    for (int i = 0; i < b->nbody && body; ++i) {
        body[i] = lwi_kernel_body(&b->body[i]);
        if (user && b->body[i].carrier == LW_TREE_USER) {
            user[i] = b->joint[b->body[i].joint].def->user;
        }
    }
    if (kernel) {
        kernel->body = body;
        kernel->user = user;
        kernel->segment = segment;
        kernel->passive = passive;
        kernel->load = load;
        kernel->quat = quat;
        kernel->nquat = nquat;
        kernel->all_revolute = all_revolute;
    }
    m->kernel = kernel;
}

// What dynamics reads is made of the public arrays, once they are filled.
static void fill_dynamics(lw_model *m)
{
    lwi_kernel *kernel = (lwi_kernel *)m->kernel;
    lwi_segment *segment = (lwi_segment *)kernel->segment;
    kernel->ngeneral = lwi_fill_segments(m, segment, kernel->world_phi);
    kernel->has_joint_forces = lwi_fill_passive(m, (lwi_passive *)kernel->passive);
    kernel->nload = lwi_fill_loads(m, segment, kernel->world_phi, (lwi_load *)kernel->load);
}

// Of the ground that the machine hangs by, which may be that of an assembly where the machine has
// none of its own.
static lw_vec3 gravity_of(const lwi_build *b)
{
    const lwi_flat *root = &b->flat[b->order[0]];
    return root->kind == LWI_GROUND ? mech_of(b, root)->grounds.at[part_of(b, root)->item].gravity
                                    : lw_default_ground_def().gravity;
}

static lw_model *lay_out(const lwi_build *b, lwi_slicer *s)
{
    lw_model scratch = {0}; // counting: the pointers written below are thrown away
    lw_model *block = lwi_slice(s, 1, sizeof *block);
    lw_model *m = block ? block : &scratch;
    m->name = put_text(s, b->mech->name);
    m->nbody = b->nbody;
    m->nq = b->nq;
    m->nv = b->nv;
    m->nstep = b->nstep;
    m->tree_nq = b->tree_nq;
    m->tree_nv = b->tree_nv;
    m->gravity = gravity_of(b);
    put_kernel(b, s, m); // first: what computations read lies together
    put_bodies(b, s, m);
    put_coordinates(b, s, m);
    put_frames(b, s, m);
    put_program(b, s, m);
    put_joints(b, s, m);
    put_links(b, s, m);
    put_loads(b, s, m);
    put_springs(b, s, m);
    put_shapes(b, s, m);
    if (block) {
        fill_dynamics(m);
    }
    return block;
}

// Feeders come first, so that each part finds the answer of the one that it hangs on. A free joint
// that an option adds is above all that hangs on none other.
static bool find_joints_above(lwi_build *b)
{
    b->joint_above = lwi_arena_take(b->arena, (size_t)b->nflat, sizeof *b->joint_above);
    if (!b->joint_above) {
        return false;
    }
    for (int f = 0; f < b->nflat; ++f) {
        b->joint_above[f] = -1; // of what is not in the tree
    }
    int root = -1;
    for (int j = 0; j < b->njoint; ++j) {
        root = b->joint[j].flat < 0 ? j : root;
    }
    for (int k = 0; k < b->norder; ++k) {
        const int f = b->order[k], feeder = b->flat[f].feeder;
        b->joint_above[f] = root;
        if (feeder >= 0) {
            const bool is_joint = b->flat[feeder].kind == LWI_JOINT;
            b->joint_above[f] = is_joint ? b->flat[feeder].joint : b->joint_above[feeder];
        }
    }
    return true;
}

lw_status lwi_pass_pack(lwi_build *b)
{
    if (!find_joints_above(b)) {
        return lwi_build_no_memory(b);
    }
    lwi_slicer count = {0};
    lay_out(b, &count);
    const size_t size = (count.used + LWI_ALIGN - 1) / LWI_ALIGN * LWI_ALIGN;
    void *block = b->room.block;
    if (block && size > b->room.size) {
        return lwi_report_error(b->report, (lw_place){0}, LW_ERR_MEMORY,
                                "the model of \"%s\" takes %zu bytes, and there is room for %zu",
                                b->mech->name, size, b->room.size);
    }
    block = block ? block : aligned_alloc(LWI_ALIGN, size);
    if (!block) {
        return lwi_build_no_memory(b);
    }
    memset(block, 0, size); // padding too, so that equal models have equal bytes
    lwi_slicer fill = {.base = block};
    b->model = lay_out(b, &fill);
    ((lwi_kernel *)b->model->kernel)->block_size = size;
    return LW_OK;
}
