// Names of the tree's coordinates, their reference, and which of them are independent.
#include "build.h"

#include "../base/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *coordinate_name(lwi_build *b, const lw_joint_info *joint, int i, bool positions)
{
    char text[16];
    const char *suffix = lwi_dof_suffix(joint->type, joint->nv, i, positions, text);
    if (!*suffix) {
        return joint->name;
    }
    return lwi_build_dotted(b, joint->name, suffix);
}

static lw_status name_coordinates(lwi_build *b)
{
    static const double infinity = (double)INFINITY;
    const size_t nq = (size_t)b->tree_nq, nv = (size_t)b->tree_nv;
    b->tree_q_name = lwi_arena_take(b->arena, nq, sizeof *b->tree_q_name);
    b->tree_v_name = lwi_arena_take(b->arena, nv, sizeof *b->tree_v_name);
    b->dof = lwi_arena_take(b->arena, nv, sizeof *b->dof);
    b->tree_q_reference = lwi_arena_take(b->arena, nq, sizeof *b->tree_q_reference);
    lw_dof *unlimited = lwi_arena_take(b->arena, 1, sizeof *unlimited);
    if (!b->tree_q_name || !b->tree_v_name || !b->dof || !b->tree_q_reference || !unlimited) {
        return lwi_build_no_memory(b);
    }
    *unlimited = (lw_dof){.lower = -infinity,
                          .upper = infinity,
                          .max_velocity = infinity,
                          .max_acceleration = infinity,
                          .max_force = infinity};
    for (int j = 0; j < b->njoint; ++j) {
        const lwi_built_joint *joint = &b->joint[j];
        const lw_joint_info *info = &joint->info;
        for (int i = 0; i < info->nq; ++i) {
            b->tree_q_name[info->q + i] = coordinate_name(b, info, i, true);
        }
        for (int i = 0; i < info->nv; ++i) {
            b->tree_v_name[info->v + i] = coordinate_name(b, info, i, false);
            b->dof[info->v + i] = joint->def   ? &joint->def->dof[i]
                                  : joint->dof ? joint->dof
                                               : unlimited;
        }
    }
    for (size_t i = 0; i < nq; ++i) {
        if (!b->tree_q_name[i]) {
            return lwi_build_no_memory(b);
        }
    }
    for (size_t i = 0; i < nv; ++i) {
        if (!b->tree_v_name[i]) {
            return lwi_build_no_memory(b);
        }
    }
    return LW_OK;
}

const char *lwi_location_aside(lw_location location, char text[LWI_LOCATION_SIZE + 3])
{
    char inner[LWI_LOCATION_SIZE];
    lwi_location_text(location, inner);
    snprintf(text, LWI_LOCATION_SIZE + 3, *inner ? " (%s)" : "%s", inner);
    return text;
}

static int tree_v_of(const lwi_build *b, const lwi_dof_at *at)
{
    return b->joint[b->flat[at->flat].joint].info.v + at->dof;
}

// Two coordinates of one name could not be told apart: "j.x" is a degree of freedom of a planar
// joint j, and the one of a revolute joint with that very name.
static lw_status check_names(lwi_build *b, const char *const *name, int n)
{
    lwi_names names;
    lwi_names_init(&names, b->arena);
    if (!lwi_names_reserve(&names, (size_t)n)) {
        return lwi_build_no_memory(b);
    }
    for (int i = 0; i < n; ++i) {
        if (lwi_names_find(&names, name[i]) >= 0) {
            lwi_report_error(b->report, (lw_location){0}, LW_ERR_NAME,
                             "there are two coordinates named \"%s\"", name[i]);
        } else if (!lwi_names_add(&names, name[i], i)) {
            return lwi_build_no_memory(b);
        }
    }
    return LW_OK;
}

lw_status lwi_find_independent(lwi_build *b)
{
    const char *follows = b->is_target;
    b->q_tree = lwi_arena_take(b->arena, (size_t)b->tree_nq, sizeof *b->q_tree);
    b->v_tree = lwi_arena_take(b->arena, (size_t)b->tree_nv, sizeof *b->v_tree);
    if (!b->q_tree || !b->v_tree) {
        return lwi_build_no_memory(b);
    }
    for (int i = 0; i < b->nbody; ++i) {
        const lwi_built_body *body = &b->body[i];
        for (int k = 0; k < body->nv; ++k) {
            if (!follows[body->v + k]) {
                b->v_tree[b->nv++] = body->v + k;
            }
        }
        for (int k = 0; k < body->nq; ++k) {
            const bool is_quaternion = body->nq != body->nv;
            if (!follows[body->v + (is_quaternion ? 0 : k)]) {
                b->q_tree[b->nq++] = body->q + k;
            }
        }
    }
    return LW_OK;
}

int lwi_body_of_v(const lwi_build *b, int v)
{
    int low = 0, high = b->nbody;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (b->body[middle].v <= v) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

int lwi_q_of_v(const lwi_build *b, int v)
{
    const lwi_built_body *body = &b->body[lwi_body_of_v(b, v)];
    return body->nq == body->nv ? body->q + v - body->v : -1;
}

bool lwi_is_slide(const lwi_build *b, int v)
{
    const lwi_built_body *body = &b->body[lwi_body_of_v(b, v)];
    return body->carrier == LW_TREE_PRISMATIC ||
           (body->carrier == LW_TREE_FREE && v - body->v >= 3);
}

static void set_reference(lwi_build *b)
{
    double *q = b->tree_q_reference;
    for (int i = 0; i < b->nbody; ++i) {
        const lwi_built_body *body = &b->body[i];
        const lw_dof *const *f = &b->dof[body->v];
        double *own = &q[body->q];
        if (body->nq == body->nv) {
            for (int k = 0; k < body->nq; ++k) {
                own[k] = f[k]->reference;
            }
            continue;
        }
        // The reference of a quaternion is given as a rotation vector.
        if (body->carrier == LW_TREE_FREE) {
            for (int k = 0; k < 3; ++k) {
                own[k] = f[3 + k]->reference;
            }
            own += 3;
        }
        const lw_mat3 R = lw_exp3(lw_vec3_of(f[0]->reference, f[1]->reference, f[2]->reference));
        const lw_quat quat = lw_quat_of(&R);
        own[0] = quat.w;
        own[1] = quat.x;
        own[2] = quat.y;
        own[3] = quat.z;
    }
}

lw_status lwi_pass_number(lwi_build *b)
{
    if (lw_report_errors(b->report) > 0) {
        return LW_ERR_MODEL;
    }
    lw_status status = name_coordinates(b);
    if (status == LW_OK) {
        status = check_names(b, b->tree_q_name, b->tree_nq);
    }
    if (status == LW_OK) {
        status = check_names(b, b->tree_v_name, b->tree_nv);
    }
    int kept = 0;
    for (int k = 0; k < b->ncoupling; ++k) {
        lwi_built_coupling *coupling = &b->coupling[k];
        const lwi_flat *source = &b->flat[coupling->source_at.flat];
        const lwi_flat *target = &b->flat[coupling->target_at.flat];
        if (source->is_left_out || target->is_left_out || source->is_locked || target->is_locked) {
            continue;
        }
        coupling->source = tree_v_of(b, &coupling->source_at);
        coupling->target = tree_v_of(b, &coupling->target_at);
        b->coupling[kept++] = *coupling;
    }
    b->ncoupling = kept;
    if (status == LW_OK) {
        set_reference(b);
    }
    return status;
}
