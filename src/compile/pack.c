// The model, in one block. The layout runs twice over the same code: first to count bytes, then to
// fill them, so that the two cannot disagree.
#include "pack.h"
#include "front_plan.h"

#include "../base/report.h"
#include "../model/kernel.h"

#include <stdlib.h>
#include <string.h>

const char *lwi_put_text(lwi_slicer *s, const char *text)
{
    const size_t size = strlen(text ? text : "") + 1;
    char *copy = s->base ? s->base + s->used : NULL;
    s->used += size;
    if (copy) {
        memcpy(copy, text ? text : "", size);
    }
    return copy;
}

void *lwi_put_array(lwi_slicer *s, const void *array, int n, size_t size)
{
    void *copy = lwi_slice(s, (size_t)n, size);
    if (copy && n) {
        memcpy(copy, array, (size_t)n * size);
    }
    return copy;
}

static const char *const *put_names(lwi_slicer *s, const char *const *name, const int *pick, int n)
{
    const char **copy = lwi_slice(s, (size_t)n, sizeof *copy);
    for (int i = 0; i < n; ++i) {
        const char *text = lwi_put_text(s, name[pick ? pick[i] : i]);
        if (copy) {
            copy[i] = text;
        }
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
        const char *text = lwi_put_text(s, body->name);
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
    m->q_tree = lwi_put_array(s, b->q_tree, b->nq, sizeof(int));
    m->v_tree = lwi_put_array(s, b->v_tree, b->nv, sizeof(int));
    m->tree_q_reference = lwi_put_array(s, b->tree_q_reference, b->tree_nq, sizeof(double));
    double *q_reference = lwi_slice(s, (size_t)b->nq, sizeof *q_reference);
    lw_dof *dof = lwi_slice(s, (size_t)b->tree_nv, sizeof *dof);
    if (s->base) {
        for (int i = 0; i < b->nq; ++i) {
            q_reference[i] = b->tree_q_reference[b->q_tree[i]];
        }
        for (int i = 0; i < b->tree_nv; ++i) {
            dof[i] = *b->dof[i];
        }
    }
    m->q_reference = q_reference;
    m->dof = dof;
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
    int nquat;
    const lwi_quat_at *quat = put_quaternions(b, s, &nquat);
    bool has_user = false, all_revolute = true;
    for (int i = 0; i < b->nbody; ++i) {
        has_user |= b->body[i].carrier == LW_TREE_USER;
        all_revolute &= b->body[i].carrier == LW_TREE_REVOLUTE;
    }
    lwi_segment *segment = lwi_slice(s, (size_t)b->nbody, sizeof *segment);
    lwi_passive *passive = lwi_slice(s, (size_t)b->tree_nv, sizeof *passive);
    lwi_load *load = lwi_slice(s, (size_t)lwi_count_loads(b), sizeof *load);
    lw_user_joint *user = has_user ? lwi_slice(s, (size_t)b->nbody, sizeof *user) : NULL;
    for (int i = 0; i < b->nbody && user; ++i) {
        if (b->body[i].carrier == LW_TREE_USER) {
            user[i] = b->joint[b->body[i].joint].def->user;
        }
    }
    if (kernel) {
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

// Of the ground that the mechanism begins at, which may be that of an assembly where the mechanism
// has none of its own.
static lw_vec3 gravity_of(const lwi_build *b)
{
    const lwi_flat *root = &b->flat[b->order[0]];
    return root->kind == LW_PART_GROUND ? as_ground(part_of(b, root))->gravity
                                        : lw_default_ground_def().gravity;
}

static lw_model *lay_out(const lwi_build *b, lwi_slicer *s)
{
    lw_model scratch = {0}; // counting: the pointers written below are thrown away
    lw_model *block = lwi_slice(s, 1, sizeof *block);
    lw_model *m = block ? block : &scratch;
    m->name = lwi_put_text(s, b->mech->name);
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
    lwi_put_frames(b, s, m);
    lwi_put_program(b, s, m);
    lwi_put_joints(b, s, m);
    lwi_put_links(b, s, m);
    lwi_put_loads(b, s, m);
    lwi_put_wheels(b, s, m);
    lwi_put_springs(b, s, m);
    lwi_put_shapes(b, s, m);
    lwi_put_places(b, s, m); // last: they do not count in the hash
    if (block) {
        fill_dynamics(m);
    }
    return block;
}

// Feeders come first, so that each part finds the answer of the one that it is connected to. A free
// joint that an option adds is above all that are connected to none other.
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
        b->joint_above[f] = b->flat[f].kind == LW_PART_GROUND ? -1 : root;
        if (feeder >= 0) {
            const bool is_joint = b->flat[feeder].kind == LW_PART_JOINT;
            b->joint_above[f] = is_joint ? b->flat[feeder].joint : b->joint_above[feeder];
        }
    }
    return true;
}

lw_status lwi_pass_pack(lwi_build *b)
{
    if (!find_joints_above(b) || !lwi_collect_meshes(b)) {
        return lwi_build_no_memory(b);
    }
    const lw_status status = lwi_plan_fronts(b);
    if (status != LW_OK) {
        return status;
    }
    lwi_slicer count = {0};
    lay_out(b, &count);
    const size_t size = aligned_size(count.used);
    void *block = b->reserve.block;
    if (block && size > b->reserve.size) {
        return lwi_report_error(b->report, (lw_location){0}, LW_ERR_MEMORY,
                                "the model of \"%s\" takes %zu bytes, and the capacity is %zu",
                                b->mech->name, size, b->reserve.size);
    }
    block = block ? block : aligned_alloc(LWI_ALIGN, size);
    if (!block) {
        return lwi_build_no_memory(b);
    }
    memset(block, 0, size); // padding too, so that equal models have equal bytes
    lwi_slicer fill = {.base = block};
    b->model = lay_out(b, &fill);
    ((lwi_locations *)b->model->kernel->places)->block_size = size;
    return LW_OK;
}
