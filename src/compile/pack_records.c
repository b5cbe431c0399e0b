// What users read of the parts of a model by name: frames, joints, links, loads, springs and
// shapes.
//
// They stand in the order of description. A part that was not reached is an error by now, so all
// are there. Records are filled member by member: the gaps between members stay zero and are hashed
// with the model.
#include "pack.h"

#include <string.h>

static bool carries_frames(const lwi_flat *flat)
{
    return !flat->is_left_out && (flat->kind == LW_PART_LINK || flat->kind == LW_PART_GROUND);
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

static int count_frames(const lwi_build *b)
{
    int n = 0;
    for (int i = 0; i < b->norder; ++i) {
        const lwi_flat *flat = &b->flat[b->order[i]];
        n += carries_frames(flat) ? 1 + part_of(b, flat)->nframe : 0;
    }
    return n;
}

void lwi_put_frames(const lwi_build *b, lwi_slicer *s, lw_model *m)
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
                i < 0 ? lwi_put_text(s, flat->name)
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

void lwi_put_joints(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    lw_joint_info *joints = lwi_slice(s, (size_t)b->njoint, sizeof *joints);
    for (int j = 0; j < b->njoint; ++j) {
        const char *name = lwi_put_text(s, b->joint[j].info.name);
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

void lwi_put_links(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    m->nlink = 0;
    for (int i = 0; i < b->norder; ++i) {
        m->nlink += b->flat[b->order[i]].kind == LW_PART_LINK;
    }
    lw_link_info *link = lwi_slice(s, (size_t)m->nlink, sizeof *link);
    int n = 0, frame = 0;
    for (int f = 0; f < b->nflat; ++f) {
        const lwi_flat *flat = &b->flat[f];
        if (flat->kind == LW_PART_LINK && !flat->is_left_out) {
            const char *name = lwi_put_text(s, flat->name);
            const lw_link_def *def = as_link(part_of(b, flat));
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

int lwi_count_loads(const lwi_build *b)
{
    int n = 0;
    for (int i = 0; i < b->norder; ++i) {
        n += b->flat[b->order[i]].kind == LW_PART_LOAD;
    }
    return n;
}

void lwi_put_loads(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    m->nload = lwi_count_loads(b);
    lw_load_info *load = lwi_slice(s, (size_t)m->nload, sizeof *load);
    int n = 0;
    for (int f = 0; f < b->nflat; ++f) {
        const lwi_flat *flat = &b->flat[f];
        if (flat->kind != LW_PART_LOAD || flat->is_left_out) {
            continue;
        }
        const char *name = lwi_put_text(s, flat->name);
        const lw_load_def *def = as_load(part_of(b, flat));
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

void lwi_put_springs(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    m->nspring = b->nspring;
    lw_spring_info *spring = lwi_put_array(s, b->spring, b->nspring, sizeof *spring);
    for (int k = 0; k < b->nspring; ++k) {
        const lw_spring_info *from = &b->spring[k];
        const char *name = lwi_put_text(s, from->name);
        const double *coefficient =
            lwi_put_array(s, from->coefficient, from->ncoefficient, sizeof *coefficient);
        if (spring) {
            spring[k].name = name;
            spring[k].coefficient = coefficient;
        }
    }
    m->spring = spring;
}

// The number of a mesh in the model; that of the next one where it is not there yet.
static int mesh_number(const lwi_build *b, const lw_mesh *data)
{
    int k = 0;
    while (k < b->nmesh && b->mesh[k] != data) {
        ++k;
    }
    return k;
}

// Shapes of all parts that are in the model call for meshes; each is kept once.
bool lwi_collect_meshes(lwi_build *b)
{
    size_t most = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < b->norder; ++i) {
            const lwi_flat *flat = &b->flat[b->order[i]];
            const lw_mech *mech = mech_of(b, flat);
            const int first = carries_frames(flat) ? part_of(b, flat)->first_shape : -1;
            for (int k = first; k >= 0; k = mech->shape.at[k].next) {
                const lw_mesh *data = mech->shape.at[k].def.data;
                most += pass == 0 && data;
                if (pass == 1 && data && mesh_number(b, data) == b->nmesh) {
                    b->mesh[b->nmesh++] = data;
                }
            }
        }
        if (pass == 0 && most > 0) {
            b->mesh = lwi_arena_take(b->arena, most, sizeof *b->mesh);
            if (!b->mesh) {
                return false;
            }
        }
    }
    return true;
}

static void put_meshes(const lwi_build *b, lwi_slicer *s, lw_model *m)
{
    lw_mesh *mesh = lwi_slice(s, (size_t)b->nmesh, sizeof *mesh);
    for (int k = 0; k < b->nmesh; ++k) {
        const lw_mesh *data = b->mesh[k];
        const lw_vec3 *vertex = lwi_put_array(s, data->vertex, data->nvertex, sizeof *vertex);
        const int *triangle =
            lwi_put_array(s, data->triangle, 3 * data->ntriangle, sizeof *triangle);
        if (mesh) {
            mesh[k].nvertex = data->nvertex;
            mesh[k].ntriangle = data->ntriangle;
            mesh[k].is_terrain = data->is_terrain;
            mesh[k].vertex = vertex;
            mesh[k].triangle = triangle;
        }
    }
    m->nmesh = b->nmesh;
    m->mesh = mesh;
}

void lwi_put_shapes(const lwi_build *b, lwi_slicer *s, lw_model *m)
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
            const char *name = lwi_put_text(s, def->name), *mesh = lwi_put_text(s, def->mesh);
            const char *file = lwi_put_text(s, def->mesh_file), *link = lwi_put_text(s, flat->name);
            if (shape) {
                const lw_pose X = lw_placement_pose(&def->placement);
                lw_shape_info *at = &shape[n]; // field by field: padding stays zero for the hash
                at->name = name;
                at->mesh = mesh;
                at->mesh_file = file;
                at->link = link;
                at->body = flat->body;
                at->joint = b->joint_above[f];
                at->X_BS = lw_pose_mul(&flat->X_BA, &X);
                at->role = def->role;
                at->type = def->type;
                at->size = def->size;
                at->bound = def->bound < 0 ? -1 : first + def->bound;
                at->data = def->data ? mesh_number(b, def->data) : -1;
                at->is_convex = def->is_convex;
                at->has_color = def->has_color;
                at->color = def->color;
            }
            ++n;
        }
    }
    m->shape = shape;
    put_meshes(b, s, m);
}
