// Life and lookup of a compiled model.
#include <linkwork/model.h>

#include "../base/name_table.h"
#include "fronts.h"
#include "loop_work.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void lw_model_destroy(lw_model *m)
{
    free(m);
}

size_t lw_model_size(const lw_model *m)
{
    return m ? m->kernel->places->block_size : 0;
}

unsigned long long lw_model_hash(const lw_model *m)
{
    if (!m) {
        return 0;
    }
    // Word by word, up to the places of the description, which are aligned. A word that is an
    // address within the block counts as its distance from the beginning, wherever the block lies.
    const char *base = (const char *)m;
    const size_t size = (size_t)((const char *)m->kernel->places - base);
    unsigned long long hash = LWI_HASH_SEED;
    for (size_t at = 0; at < size; at += sizeof(uintptr_t)) {
        uintptr_t word;
        memcpy(&word, base + at, sizeof word);
        const uintptr_t offset = word - (uintptr_t)base;
        word = offset <= size ? offset + 1 : word; // an empty array may end the block
        hash = lwi_hash_bytes(hash, &word, sizeof word);
    }
    return hash;
}

// Where a pointer into the old block points in the new one.
typedef struct mover {
    const char *from;
    char *to;
} mover;

static void *moved(const mover *move, const void *pointer)
{
    return pointer ? move->to + ((const char *)pointer - move->from) : NULL;
}

static const char *const *moved_names(const mover *move, const char *const *names, int n)
{
    const char **list = moved(move, names);
    for (int i = 0; i < n; ++i) {
        list[i] = moved(move, list[i]);
    }
    return list;
}

static void move_infos(const mover *move, lw_model *m)
{
    lw_frame_info *frame = moved(move, m->frame);
    lw_link_info *link = moved(move, m->link);
    lw_joint_info *joint = moved(move, m->joints);
    lw_step_info *step = moved(move, m->step);
    lw_load_info *load = moved(move, m->load);
    lw_shape_info *shape = moved(move, m->shape);
    for (int i = 0; i < m->nframe_all; ++i) {
        frame[i].name = moved(move, frame[i].name);
    }
    for (int i = 0; i < m->nlink; ++i) {
        link[i].name = moved(move, link[i].name);
    }
    for (int i = 0; i < m->njoint; ++i) {
        joint[i].name = moved(move, joint[i].name);
    }
    for (int i = 0; i < m->nstep; ++i) {
        step[i].name = moved(move, step[i].name);
        step[i].target = moved(move, step[i].target);
        step[i].source = moved(move, step[i].source);
        step[i].loop = moved(move, step[i].loop);
        step[i].coefficient = moved(move, step[i].coefficient);
    }
    lw_loop_info *loop = moved(move, m->loop);
    for (int i = 0; i < m->nloop; ++i) {
        loop[i].name = moved(move, loop[i].name);
    }
    m->loop = loop;
    lw_gear_info *gear = moved(move, m->gear);
    for (int i = 0; i < m->ngear; ++i) {
        gear[i].name = moved(move, gear[i].name);
        gear[i].dof = moved(move, gear[i].dof);
        gear[i].share = moved(move, gear[i].share);
    }
    m->gear = gear;
    lw_drive_info *drive = moved(move, m->drive);
    for (int i = 0; i < m->ndrive; ++i) {
        drive[i].name = moved(move, drive[i].name);
        drive[i].curve = moved(move, drive[i].curve);
    }
    m->drive = drive;
    for (int i = 0; i < m->nload; ++i) {
        load[i].name = moved(move, load[i].name);
    }
    lw_wheel_info *wheel = moved(move, m->wheel);
    for (int i = 0; i < m->nwheel; ++i) {
        wheel[i].name = moved(move, wheel[i].name);
    }
    m->wheel = wheel;
    lw_spring_info *spring = moved(move, m->spring);
    for (int i = 0; i < m->nspring; ++i) {
        spring[i].name = moved(move, spring[i].name);
        spring[i].coefficient = moved(move, spring[i].coefficient);
    }
    m->spring = spring;
    for (int i = 0; i < m->nshape; ++i) {
        shape[i].name = moved(move, shape[i].name);
        shape[i].mesh = moved(move, shape[i].mesh);
        shape[i].mesh_file = moved(move, shape[i].mesh_file);
        shape[i].link = moved(move, shape[i].link);
    }
    lw_mesh *mesh = moved(move, m->mesh);
    for (int i = 0; i < m->nmesh; ++i) {
        mesh[i].vertex = moved(move, mesh[i].vertex);
        mesh[i].triangle = moved(move, mesh[i].triangle);
    }
    m->mesh = mesh;
    m->frame = frame;
    m->link = link;
    m->joints = joint;
    m->step = step;
    m->load = load;
    m->shape = shape;
}

static void move_step(const mover *move, lwi_step *step)
{
    step->target = moved(move, step->target);
    step->source = moved(move, step->source);
    step->target_q = moved(move, step->target_q);
    step->source_q = moved(move, step->source_q);
    step->target_unit = moved(move, step->target_unit);
    step->source_unit = moved(move, step->source_unit);
    step->target_body = moved(move, step->target_body);
    step->loop = moved(move, step->loop);
    step->span = moved(move, step->span);
    step->gear = moved(move, step->gear);
    step->gear_row = moved(move, step->gear_row);
    step->gear_unit = moved(move, step->gear_unit);
    step->coefficient = moved(move, step->coefficient);
    lwi_platform *platform = moved(move, step->platform);
    if (platform) {
        platform->leg = moved(move, platform->leg);
    }
    step->platform = platform;
}

static void move_legs(const mover *move, lwi_step *reduced)
{
    lwi_legs *legs = moved(move, reduced->legs);
    lwi_leg_branch *branch = moved(move, legs->branch);
    for (int k = 0; k < legs->nbranch; ++k) {
        branch[k].body = moved(move, branch[k].body);
        branch[k].column = moved(move, branch[k].column);
    }
    legs->branch = branch;
    legs->leg = moved(move, legs->leg);
    legs->kept = moved(move, legs->kept);
    reduced->legs = legs;
}

static const lwi_fronts *moved_fronts(const mover *move, const lwi_fronts *from)
{
    lwi_fronts *f = moved(move, from);
    if (f) {
        const int **list[] = {&f->row, &f->nrow, &f->column, &f->at,    &f->first,   &f->nkept,
                              &f->dof, &f->slot, &f->to,     &f->share, &f->v_parent};
        for (size_t k = 0; k < sizeof list / sizeof *list; ++k) {
            *list[k] = moved(move, *list[k]);
        }
        f->product = moved(move, f->product);
        f->role = moved(move, f->role);
        f->bends = moved(move, f->bends);
    }
    return f;
}

static void move_program(const mover *move, lwi_program *program)
{
    lwi_step *step = moved(move, program->step);
    lwi_loop *loop = moved(move, program->loop);
    for (int k = 0; k < program->nstep; ++k) {
        lwi_step *reduced = moved(move, step[k].reduced);
        move_step(move, &step[k]);
        if (reduced) {
            move_step(move, reduced);
            move_legs(move, reduced);
        }
        step[k].reduced = reduced;
    }
    for (int k = 0; k < program->nloop; ++k) {
        loop[k].path[0] = moved(move, loop[k].path[0]);
        loop[k].path[1] = moved(move, loop[k].path[1]);
        loop[k].column = moved(move, loop[k].column);
        lwi_plane *plane = moved(move, loop[k].plane);
        for (int side = 0; side < 2 && plane; ++side) {
            plane->side[side].joint = moved(move, plane->side[side].joint);
        }
        loop[k].plane = plane;
    }
    program->step = step;
    program->loop = loop;
    program->coefficient = moved(move, program->coefficient);
    program->step_of = moved(move, program->step_of);
    program->fronts = moved_fronts(move, program->fronts);
}

static void move_files(const mover *move, const lw_location *places, int n)
{
    lw_location *list = (lw_location *)places;
    for (int i = 0; i < n; ++i) {
        list[i].file = moved(move, list[i].file);
    }
}

static const lwi_locations *moved_locations(const mover *move, const lwi_locations *from,
                                            const lw_model *m)
{
    lwi_locations *places = moved(move, from);
    places->joint = moved(move, places->joint);
    places->step = moved(move, places->step);
    places->spring = moved(move, places->spring);
    move_files(move, places->joint, m->njoint);
    move_files(move, places->step, m->nstep);
    move_files(move, places->spring, m->nspring);
    return places;
}

lw_status lw_model_copy(const lw_model *source, void *mem, lw_model **copy)
{
    if (copy) {
        *copy = NULL;
    }
    if (!source || !mem || !copy) {
        return LW_ERR_ARGUMENT;
    }
    memcpy(mem, source, lw_model_size(source));
    lw_model *m = mem;
    const mover move = {(const char *)source, mem};
    m->name = moved(&move, m->name);
    m->parent = moved(&move, m->parent);
    m->subtree_end = moved(&move, m->subtree_end);
    m->carrier = moved(&move, m->carrier);
    m->joint = moved(&move, m->joint);
    m->q_start = moved(&move, m->q_start);
    m->v_start = moved(&move, m->v_start);
    m->lead = moved(&move, m->lead);
    m->X_PJ = moved(&move, m->X_PJ);
    m->inertia = moved(&move, m->inertia);
    m->q_tree = moved(&move, m->q_tree);
    m->v_tree = moved(&move, m->v_tree);
    m->q_reference = moved(&move, m->q_reference);
    m->tree_q_reference = moved(&move, m->tree_q_reference);
    m->dof = moved(&move, m->dof);
    m->body_name = moved_names(&move, m->body_name, m->nbody);
    m->position_name = moved_names(&move, m->position_name, m->nq);
    m->velocity_name = moved_names(&move, m->velocity_name, m->nv);
    m->tree_velocity_name = moved_names(&move, m->tree_velocity_name, m->tree_nv);
    move_infos(&move, m);
    lwi_kernel *kernel = moved(&move, m->kernel);
    kernel->user = moved(&move, kernel->user);
    lwi_program *program = moved(&move, kernel->program);
    move_program(&move, program);
    kernel->program = program;
    kernel->segment = moved(&move, kernel->segment);
    kernel->passive = moved(&move, kernel->passive);
    kernel->load = moved(&move, kernel->load);
    kernel->quat = moved(&move, kernel->quat);
    kernel->places = moved_locations(&move, kernel->places, m);
    m->kernel = kernel;
    *copy = m;
    return LW_OK;
}

static int find_name(const char *const *names, int n, const char *name)
{
    for (int i = 0; i < n; ++i) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

int lw_find_position(const lw_model *m, const char *name)
{
    return m && name ? find_name(m->position_name, m->nq, name) : -1;
}

int lw_find_velocity(const lw_model *m, const char *name)
{
    return m && name ? find_name(m->velocity_name, m->nv, name) : -1;
}

int lw_find_body(const lw_model *m, const char *name)
{
    return m && name ? find_name(m->body_name, m->nbody, name) : -1;
}

static bool ends_with_part(const char *full, const char *name)
{
    const size_t n = strlen(full), k = strlen(name);
    return n > k && strcmp(full + n - k, name) == 0 &&
           (full[n - k - 1] == '.' || full[n - k - 1] == '/');
}

int lw_find_frame(const lw_model *m, const char *name)
{
    if (!m || !name || !*name) {
        return -1;
    }
    for (int i = 0; i < m->nframe_all; ++i) {
        if (strcmp(m->frame[i].name, name) == 0) {
            return i;
        }
    }
    // Ports of joints are named in full: "b" alone would never be meant.
    int found = -1;
    for (int i = 0; i < m->nframe; ++i) {
        if (ends_with_part(m->frame[i].name, name)) {
            if (found >= 0) {
                return -1;
            }
            found = i;
        }
    }
    return found;
}

const char *lw_step_kind_name(lw_step_kind kind)
{
    static const char *const name[] = {
        "function",     "linear",        "rod, revolute", "rod, prismatic", "planar loop",
        "Newton block", "three spheres", "leg",           "spherical loop", "symmetric loop"};
    return (int)kind >= 0 && kind <= LW_STEP_SYMMETRIC ? name[kind] : "unknown";
}

int lw_position_of_dof(const lw_model *m, int k)
{
    if (!m || k < 0 || k >= m->nv) {
        return -1;
    }
    int shift = 0; // quaternions have one number more in q than in v
    for (int i = 0; i < m->kernel->nquat; ++i) {
        const lwi_quat_at *at = &m->kernel->quat[i];
        const bool is_free = m->carrier[at->body] == LW_TREE_FREE;
        if (k >= at->v && k < at->v + (is_free ? 6 : 3)) {
            return -1;
        }
        shift += k > at->v;
    }
    return k + shift;
}
