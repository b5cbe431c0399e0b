#include "model_reply.h"

#include "report/model_report.h"
#include "report/units.h"

#include <linkwork/kinematics.h>
#include <linkwork/scene.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// --- Pieces -----------------------------------------------------------------------------------

static json_t *vector_json(output *out, lw_vec3 v)
{
    const double value[] = {v.x, v.y, v.z};
    return output_numbers(out, value, 3);
}

static void put_pose(output *out, json_t *object, const lw_pose *X)
{
    const lw_quat r = lw_quat_of(&X->R);
    const double quaternion[] = {r.w, r.x, r.y, r.z};
    output_put(out, object, "position o, quaternion o", vector_json(out, X->p),
               output_numbers(out, quaternion, 4));
}

// Where a part is described: file, line and column.
static void put_location(output *out, json_t *object, const shown *s, const char *name,
                         lw_part_kind kind)
{
    const lw_location at = lw_locate_part(s->robot.mech, name, kind);
    if (at.file && at.file[0] != '\0' && at.line > 0) {
        output_put(out, object, "file s, line d, column d", shown_name(s, at.file), at.line,
                   at.column);
    }
}

// "angle", "length" or "quaternion": how a tree position is shown.
static const char *kind_of(const lw_model *m, int position)
{
    const int body = unit_body_of_position(m, position);
    if (m->carrier[body] == LW_TREE_SPHERICAL) {
        return "quaternion";
    }
    if (m->carrier[body] == LW_TREE_FREE) {
        return position < m->q_start[body] + 3 ? "length" : "quaternion";
    }
    const int v = m->v_start[body] + position - m->q_start[body];
    return unit_slides(m, v) ? "length" : "angle";
}

// --- The tree ---------------------------------------------------------------------------------

static json_t *bodies_json(output *out, const lw_model *m)
{
    json_t *bodies = output_array(out);
    for (int b = 0; b < m->nbody; ++b) {
        output_put(out, output_item(out, bodies), "name s, parent d, joint d", m->body_name[b],
                   m->parent[b], m->joint[b]);
    }
    return bodies;
}

static json_t *links_json(output *out, const shown *s)
{
    const lw_model *m = s->m;
    json_t *links = output_array(out);
    for (int i = 0; i < m->nlink; ++i) {
        const lw_link_info *link = &m->link[i];
        const lw_frame_info *frame = &m->frame[link->frame];
        const lw_pose X_BI = lw_pose_mul(&frame->X_BF, &link->X_FI);
        const lw_sym3 *t = &link->tensor;
        const double tensor[] = {t->xx, t->yy, t->zz, t->xy, t->xz, t->yz};
        json_t *item = output_item(out, links);
        output_put(out, item, "name s, body d, frame d, joint d, mass f, tensor o", link->name,
                   frame->body, link->frame, link->joint, link->mass,
                   output_numbers(out, tensor, 6));
        output_set(out, item, "center", vector_json(out, link->X_FI.p));
        put_pose(out, item, &X_BI);
        put_location(out, item, s, link->name, LW_PART_LINK);
    }
    return links;
}

static json_t *frames_json(output *out, const lw_model *m)
{
    json_t *frames = output_array(out);
    for (int i = 0; i < m->nframe; ++i) {
        json_t *item = output_item(out, frames);
        output_put(out, item, "name s, body d", m->frame[i].name, m->frame[i].body);
        put_pose(out, item, &m->frame[i].X_BF);
    }
    return frames;
}

// One row for each independent position, in the order of info.
static json_t *coordinates_json(output *out, const lw_model *m)
{
    json_t *rows = output_array(out);
    for (int k = 0; k < m->nq; ++k) {
        const int body = unit_body_of_position(m, m->q_tree[k]);
        const char *kind = kind_of(m, m->q_tree[k]);
        json_t *item = output_item(out, rows);
        output_put(out, item, "name s, kind s, body d, joint d, tree d, reference f",
                   m->position_name[k], kind, body, m->joint[body], m->q_tree[k],
                   m->q_reference[k]);
        if (m->carrier[body] != LW_TREE_SPHERICAL && m->carrier[body] != LW_TREE_FREE) {
            const lw_dof *f = &m->dof[m->v_start[body] + m->q_tree[k] - m->q_start[body]];
            output_put(out, item, "lower n, upper n", f->lower, f->upper);
        }
    }
    return rows;
}

static json_t *tree_json(output *out, const shown *s)
{
    const lw_model *m = s->m;
    json_t *rows = output_array(out);
    for (int j = 0; j < m->njoint; ++j) {
        const lw_joint_info *joint = &m->joints[j];
        json_t *item = output_item(out, rows);
        output_put(out, item, "name s, type s, body d, nbody d, q d, nq d, parent d", joint->name,
                   lw_joint_type_name(joint->type), joint->body, joint->nbody, joint->q, joint->nq,
                   joint->joint);
        if (joint->is_shaft) {
            output_set(out, item, "shaft", json_true());
        }
        put_location(out, item, s, joint->name, LW_PART_JOINT);
    }
    return rows;
}

// The closure program: which coordinates a step gives, how, and from which.
static json_t *steps_json(output *out, const lw_model *m)
{
    json_t *steps = output_array(out);
    for (int i = 0; i < m->nstep; ++i) {
        const lw_step_info *step = &m->step[i];
        json_t *item = output_item(out, steps), *solves = output_array(out),
               *from = output_array(out);
        for (int k = 0; k < step->ntarget; ++k) {
            output_append(out, solves, output_text(out, m->tree_velocity_name[step->target[k]]));
        }
        for (int k = 0; k < step->nsource; ++k) {
            output_append(out, from, output_text(out, m->tree_velocity_name[step->source[k]]));
        }
        output_put(out, item, "name s, kind s, solves o, from o, branch d, condition n", step->name,
                   lw_step_kind_name(step->kind), solves, from, step->branch, step->condition);
    }
    return steps;
}

// Dependent coordinates, with the step that determines each.
static json_t *dependent_json(output *out, const lw_model *m)
{
    json_t *rows = output_array(out);
    for (int i = 0; i < m->nstep; ++i) {
        for (int k = 0; k < m->step[i].ntarget; ++k) {
            const int v = m->step[i].target[k];
            int body = 0;
            while (body + 1 < m->nbody && m->v_start[body + 1] <= v) {
                ++body;
            }
            const bool has_quaternion =
                m->carrier[body] == LW_TREE_SPHERICAL || m->carrier[body] == LW_TREE_FREE;
            if (!has_quaternion) {
                const int position = m->q_start[body] + v - m->v_start[body];
                output_put(out, output_item(out, rows), "name s, kind s, body d, tree d, step d",
                           m->tree_velocity_name[v], kind_of(m, position), body, position, i);
            }
        }
    }
    return rows;
}

// --- What is drawn ----------------------------------------------------------------------------

static const char *ending_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : "";
}

static json_t *shapes_json(output *out, const shown *s)
{
    static const char *const role[] = {"collision", "visual", "bound"};
    static const char *const type[] = {"box", "sphere", "cylinder", "capsule", "mesh"};
    const lw_model *m = s->m;
    json_t *shapes = output_array(out);
    for (int i = 0; i < m->nshape; ++i) {
        const lw_shape_info *shape = &m->shape[i];
        json_t *item = output_item(out, shapes);
        output_put(out, item, "name s, link s, body d, role s, type s, size o", shape->name,
                   shape->link, shape->body, role[shape->role], type[shape->type],
                   vector_json(out, shape->size));
        put_pose(out, item, &shape->X_BS);
        if (shape->has_color) {
            const double color[] = {shape->color.r, shape->color.g, shape->color.b, shape->color.a};
            output_set(out, item, "color", output_numbers(out, color, 4));
        }
        if (shape->type == LW_SHAPE_MESH) {
            output_put(out, item, "mesh d, file s, ending s", shape->data,
                       shown_name(s, shape->mesh), ending_of(shape->mesh_file));
        }
    }
    return shapes;
}

// A point of the world at the reference configuration, in coordinates of a body.
static lw_vec3 point_in_body(const lw_pose *X_BW, lw_vec3 p)
{
    return lw_add3(X_BW->p, lw_rotate(&X_BW->R, p));
}

static bool is_of_skeleton(const lw_scene_shape *shape)
{
    switch (shape->role) {
    case LW_SCENE_GROUND:
    case LW_SCENE_LINK:
    case LW_SCENE_JOINT:
    case LW_SCENE_DEPENDENT_JOINT:
    case LW_SCENE_AXIS:
    case LW_SCENE_RAIL:
    case LW_SCENE_WHEEL:
    case LW_SCENE_PITCH_CIRCLE:
        return true;
    default:
        return false;
    }
}

static void put_scene_shape(output *out, json_t *item, const lw_scene *scene,
                            const lw_scene_shape *shape, const lw_pose *X_BW)
{
    static const char *const kind[] = {"line", "bar",      "hull",    "spring",
                                       "box",  "cylinder", "capsule", "sphere",
                                       "cone", "ring",     "circle",  "triangles"};
    static const char *const role[LW_SCENE_ROLE_COUNT] = {
        [LW_SCENE_GROUND] = "ground", [LW_SCENE_LINK] = "link",
        [LW_SCENE_JOINT] = "joint",   [LW_SCENE_DEPENDENT_JOINT] = "dependent",
        [LW_SCENE_AXIS] = "axis",     [LW_SCENE_RAIL] = "rail",
        [LW_SCENE_WHEEL] = "wheel",   [LW_SCENE_PITCH_CIRCLE] = "pitch_circle",
    };
    const lw_pose X_BS = lw_pose_mul(X_BW, &shape->X);
    json_t *points = output_array(out);
    for (int k = 0; k < shape->count; ++k) {
        output_append(out, points,
                      vector_json(out, point_in_body(X_BW, scene->point[shape->first + k])));
    }
    output_put(out, item, "kind s, role s, body d, size o, points o", kind[shape->kind],
               role[shape->role], shape->body, vector_json(out, shape->size), points);
    if (shape->count == 0) {
        put_pose(out, item, &X_BS);
    }
}

// The symbols of joints and the bars between them, which show models without shapes.
static void put_skeleton(output *out, json_t *root, shown *s)
{
    const lw_model *m = s->m;
    json_t *items = output_array(out);
    lw_scene *scene = NULL;
    double *q = calloc((size_t)m->nq + 1, sizeof *q);
    if (q) {
        memcpy(q, s->q, (size_t)m->nq * sizeof *q);
    }
    if (q && shown_move(s, m->q_reference) &&
        lw_forward_position(m, s->robot.data, m->q_reference) == LW_OK &&
        lw_scene_create(m, s->robot.data, LW_SCENE_SHOW_HIDDEN, &scene) == LW_OK) {
        for (int i = 0; i < scene->nshape; ++i) {
            const lw_scene_shape *shape = &scene->shape[i];
            const lw_pose X_BW =
                shape->body < 0 ? lw_pose_identity() : lw_pose_inverse(&s->X_WB[shape->body]);
            if (is_of_skeleton(shape)) {
                put_scene_shape(out, output_item(out, items), scene, shape, &X_BW);
            }
        }
        output_put(out, root, "low o, high o, unit f, floor f, grid f",
                   vector_json(out, scene->low), vector_json(out, scene->high), scene->unit,
                   scene->floor, scene->grid);
    }
    lw_scene_destroy(scene);
    if (q) {
        shown_move(s, q);
    }
    free(q);
    output_set(out, root, "skeleton", items);
}

static json_t *end_json(output *out, int body, lw_vec3 p)
{
    json_t *end = output_object(out);
    output_put(out, end, "body d, position o", body, vector_json(out, p));
    return end;
}

// What ties two bodies: rods, closing joints and springs, by their ends.
static json_t *ties_json(output *out, const shown *s)
{
    const lw_model *m = s->m;
    json_t *ties = output_array(out);
    for (int i = 0; i < m->nloop; ++i) {
        const lw_loop_info *loop = &m->loop[i];
        const lw_frame_info *a = &m->frame[loop->frame[0]], *b = &m->frame[loop->frame[1]];
        json_t *item = output_item(out, ties);
        output_put(out, item, "name s, kind s, loop d, step d, a o, b o", loop->name,
                   loop->is_rod ? "rod" : "joint", i, loop->step, end_json(out, a->body, a->X_BF.p),
                   end_json(out, b->body, b->X_BF.p));
        put_location(out, item, s, loop->name, loop->is_rod ? LW_PART_ROD : LW_PART_JOINT);
    }
    for (int i = 0; i < m->nspring; ++i) {
        const lw_spring_info *spring = &m->spring[i];
        if (!spring->is_torsion) {
            output_put(out, output_item(out, ties), "name s, kind s, a o, b o", spring->name,
                       "spring", end_json(out, spring->body[0], spring->p[0]),
                       end_json(out, spring->body[1], spring->p[1]));
        }
    }
    return ties;
}

// --- Replies ----------------------------------------------------------------------------------

json_t *findings_reply(const shown *s)
{
    output out = {0};
    json_t *findings = diagnostics_json(&out, s->last);
    size_t i;
    json_t *item;
    json_array_foreach(findings, i, item)
    {
        const char *file = json_string_value(json_object_get(item, "file"));
        output_set(&out, item, "file", output_text(&out, shown_name(s, file)));
    }
    json_t *root = output_object(&out);
    output_put(&out, root, "version d, stale o, findings o", s->version, json_boolean(s->is_stale),
               findings);
    return root;
}

static json_t *options_json(output *out, const shown *s)
{
    json_t *options = output_array(out);
    for (int i = 0; i < s->line.ngiven; ++i) {
        const given_option *given = &s->line.given[i];
        output_append(out, options, output_text(out, option_name(given->id)));
        if (given->value) {
            output_append(out, options, output_text(out, given->value));
        }
    }
    return options;
}

// Named configurations: positions by the names of joints, as far as these are independent.
static json_t *configurations_json(const shown *s)
{
    json_t *all = json_array();
    for (int i = 0; s->srdf && i < s->srdf->nstate; ++i) {
        const lw_group_state *state = &s->srdf->state[i];
        json_t *positions = json_object();
        for (int k = 0; k < state->njoint; ++k) {
            if (lw_find_position(s->m, state->joint[k]) >= 0) {
                json_object_set_new(positions, state->joint[k], json_real(state->position[k]));
            }
        }
        json_array_append_new(all, json_pack("{s:s, s:s, s:o}", "name", state->name, "group",
                                             state->group, "positions", positions));
    }
    return all;
}

json_t *model_reply(shown *s)
{
    output out = {0};
    const lw_model *m = s->m;
    json_t *root = model_json(&out, m);
    char hash[17];
    snprintf(hash, sizeof hash, "%016llx", lw_model_hash(m));
    output_put(&out, root, "version d, hash s, file s, options o, gravity o, q o", s->version, hash,
               shown_name(s, s->args->operand[0]), options_json(&out, s),
               vector_json(&out, m->gravity), output_numbers(&out, s->q, m->nq));
    output_put(&out, root, "bodies o, links o, frame_list o, coordinates o, tree o",
               bodies_json(&out, m), links_json(&out, s), frames_json(&out, m),
               coordinates_json(&out, m), tree_json(&out, s));
    output_put(&out, root, "steps o, dependent o, shapes o, ties o", steps_json(&out, m),
               dependent_json(&out, m), shapes_json(&out, s), ties_json(&out, s));
    put_skeleton(&out, root, s);
    output_put(&out, root, "poses o, tree_q o", shown_poses(s),
               output_numbers(&out, s->tree_q, m->tree_nq));
    output_put(&out, root, "configurations o", configurations_json(s));
    json_t *findings = findings_reply(s);
    json_object_update(root, findings);
    json_decref(findings);
    return root;
}

unsigned char *mesh_reply(const shown *s, int mesh, size_t *size)
{
    if (mesh < 0 || mesh >= s->m->nmesh) {
        return NULL;
    }
    const lw_mesh *of = &s->m->mesh[mesh];
    const size_t nv = (size_t)of->nvertex, ni = 3 * (size_t)of->ntriangle;
    *size = 16 + 12 * nv + 4 * ni;
    unsigned char *bytes = malloc(*size);
    if (!bytes) {
        return NULL;
    }
    const uint32_t head[] = {(uint32_t)nv, (uint32_t)ni, 0};
    memcpy(bytes, "LWM1", 4);
    memcpy(bytes + 4, head, sizeof head);
    for (size_t i = 0; i < nv; ++i) {
        const float p[] = {(float)of->vertex[i].x, (float)of->vertex[i].y, (float)of->vertex[i].z};
        memcpy(bytes + 16 + 12 * i, p, sizeof p);
    }
    for (size_t i = 0; i < ni; ++i) {
        const uint32_t index = (uint32_t)of->triangle[i];
        memcpy(bytes + 16 + 12 * nv + 4 * i, &index, sizeof index);
    }
    return bytes;
}
