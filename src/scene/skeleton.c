#include "skeleton.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Nodes ------------------------------------------------------------------------------------

static bool is_last_of_joint(const lw_model *m, int body)
{
    const lw_joint_info *joint = &m->joints[m->joint[body]];
    return body == joint->body + joint->nbody - 1 && !joint->is_shaft; // a shaft is nowhere
}

const lwi_skeleton_node *lwi_skeleton_node_of(const lwi_skeleton *s, int body)
{
    return &s->node[s->node_of_body[body + 1]];
}

static lw_status add_node(lwi_skeleton *s, const lw_data *d, int body)
{
    const lw_model *m = s->m;
    const lw_joint_info *joint = &m->joints[m->joint[body]];
    lw_pose X_WF;
    const lw_status status = lw_frame_pose(m, d, joint->frame_b, &X_WF);
    if (status != LW_OK) {
        return status;
    }
    const int number = s->nnode++;
    lwi_skeleton_node *node = &s->node[number];
    const lw_pose X_FB = lw_pose_inverse(&m->frame[joint->frame_b].X_BF);
    *node = (lwi_skeleton_node){.joint = m->joint[body],
                                .body = body,
                                .first_child = -1,
                                .next_child = -1,
                                .first_end = -1,
                                .tip = -1};
    node->X_WB = lw_pose_mul(&X_WF, &X_FB);
    node->parent = s->node_of_body[m->parent[joint->body] + 1];
    node->X_WJ = lw_pose_mul(&s->node[node->parent].X_WB, &m->X_PJ[joint->body]);
    node->axis = lwi_z_axis(&node->X_WB.R);
    node->at = node->X_WB.p;
    for (int b = joint->body; b <= body; ++b) {
        s->node_of_body[b + 1] = number;
    }
    return LW_OK;
}

// Marks the joint whose degree of freedom is the tree velocity v.
static void mark_dependent(lwi_skeleton *s, int v)
{
    const lw_model *m = s->m;
    int low = 0, high = m->nbody - 1;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        const bool is_later = m->v_start[middle] <= v;
        low = is_later ? middle : low;
        high = is_later ? high : middle - 1;
    }
    s->node[s->node_of_body[low + 1]].is_dependent = true;
}

// Lists children in the order of the bodies, and marks joints that closure steps move.
static void link_nodes(lwi_skeleton *s)
{
    const lw_model *m = s->m;
    for (int i = s->nnode - 1; i > 0; --i) {
        lwi_skeleton_node *parent = &s->node[s->node[i].parent];
        s->node[i].next_child = parent->first_child;
        parent->first_child = i;
        ++parent->nchild;
    }
    for (int i = 0; i < m->nstep; ++i) {
        for (int t = 0; t < m->step[i].ntarget; ++t) {
            mark_dependent(s, m->step[i].target[t]);
        }
    }
}

// --- Loops and gears --------------------------------------------------------------------------

// Several gears may share a wheel; one end is enough for them.
static void add_end(lwi_skeleton *s, int body, const lw_pose *X, bool is_wheel)
{
    const int number = s->node_of_body[body + 1];
    lwi_skeleton_node *node = &s->node[number];
    for (int e = node->first_end; e >= 0 && is_wheel; e = s->end[e].next) {
        if (s->end[e].is_wheel && lw_norm3(lw_sub3(s->end[e].at, X->p)) < 1e-9) {
            return;
        }
    }
    s->end[s->nend] = (lwi_skeleton_end){.node = number,
                                         .next = node->first_end,
                                         .is_wheel = is_wheel,
                                         .at = X->p,
                                         .axis = lwi_z_axis(&X->R)};
    node->first_end = s->nend++;
    ++node->nend;
}

static lw_status find_ends(lwi_skeleton *s, const lw_data *d)
{
    const lw_model *m = s->m;
    s->X_WE = calloc(2 * (size_t)m->nloop + 1, sizeof *s->X_WE);
    s->pair = calloc((size_t)m->ngear + 1, sizeof *s->pair);
    s->end = calloc(2 * ((size_t)m->nloop + (size_t)m->ngear) + 1, sizeof *s->end);
    if (!s->X_WE || !s->pair || !s->end) {
        return LW_ERR_MEMORY;
    }
    for (int i = 0; i < 2 * m->nloop; ++i) {
        const int frame = m->loop[i / 2].frame[i % 2];
        const lw_status status = lw_frame_pose(m, d, frame, &s->X_WE[i]);
        if (status != LW_OK) {
            return status;
        }
        add_end(s, m->frame[frame].body, &s->X_WE[i], false);
    }
    for (int g = 0; g < m->ngear; ++g) {
        const lw_gear_info *gear = &m->gear[g];
        const lw_pose X_WB[2] = {s->node[s->node_of_body[gear->body[0] + 1]].X_WB,
                                 s->node[s->node_of_body[gear->body[1] + 1]].X_WB};
        s->pair[g] = lwi_find_wheels(gear, X_WB);
        for (int k = 0; k < 2 && s->pair[g].is_known; ++k) {
            add_end(s, gear->body[k], &s->pair[g].X[k], true);
        }
    }
    return LW_OK;
}

bool lwi_skeleton_is_carried(const lwi_skeleton *s, const lwi_skeleton_node *node)
{
    return node->joint >= 0 && node->is_dependent && node->nend > 1 &&
           s->m->joints[node->joint].type == LW_JOINT_FREE;
}

// --- Tips -------------------------------------------------------------------------------------

static bool is_tool_name(const char *name)
{
    static const char *const word[] = {"tool", "tcp",    "tip",  "ee_",
                                       "_ee",  "flange", "grip", "hand"};
    for (size_t i = 0; i < sizeof word / sizeof *word; ++i) {
        if (strstr(name, word[i])) {
            return true;
        }
    }
    return false;
}

// Whether a loop or another joint is at a point of a body: a frame there is no free end.
static bool is_tied(const lwi_skeleton *s, const lwi_skeleton_node *node, lw_vec3 p)
{
    const double near = 0.5 * s->unit;
    for (int e = node->first_end; e >= 0; e = s->end[e].next) {
        if (!s->end[e].is_wheel && lw_norm3(lw_sub3(s->end[e].at, p)) < near) {
            return true;
        }
    }
    for (int c = node->first_child; c >= 0; c = s->node[c].next_child) {
        if (lw_norm3(lw_sub3(s->node[c].X_WB.p, p)) < near) {
            return true;
        }
    }
    return false;
}

// The frame at the end of each body: one with the name of a tool, else, on a body that carries no
// joint, the farthest.
static bool find_tips(lwi_skeleton *s)
{
    const lw_model *m = s->m;
    double *best = calloc((size_t)s->nnode, sizeof *best);
    for (int i = 0; best && i < m->nframe; ++i) {
        const int number = s->node_of_body[m->frame[i].body + 1];
        lwi_skeleton_node *node = &s->node[number];
        bool is_tool = is_tool_name(m->frame[i].name);
        const lw_vec3 p = lw_pose_apply(&node->X_WB, m->frame[i].X_BF.p);
        const double distance = lw_norm3(lw_sub3(p, node->X_WB.p));
        const bool is_inner = node->nchild > 0 || node->nend > 0;
        // Any end of a link may be called its tip.
        is_tool = is_tool && (strstr(m->frame[i].name, "tool") || !is_tied(s, node, p));
        if (number == 0 || (is_inner && (!is_tool || distance < s->unit))) {
            continue;
        }
        const double score = distance + (is_tool ? 4 * s->unit : 0);
        if (node->tip < 0 || score >= best[number]) {
            best[number] = score;
            node->tip = i;
            node->tip_at = p;
            node->is_tool = is_tool;
        }
    }
    free(best);
    return best != NULL;
}

static void find_centers(lwi_skeleton *s)
{
    for (int i = 1; i < s->nnode; ++i) {
        lwi_skeleton_node *node = &s->node[i];
        const lw_inertia *inertia = &s->m->inertia[node->body];
        const double tip = node->tip < 0 ? 0 : lw_norm3(lw_sub3(node->tip_at, node->X_WB.p));
        if (node->nchild > 0 || node->nend > 0 || node->has_shape || tip > s->unit ||
            !(inertia->mass > 0)) {
            continue;
        }
        const lw_vec3 c = lw_scale3(1 / inertia->mass, inertia->first_moment);
        node->center = lw_pose_apply(&node->X_WB, c);
        node->has_center = lw_norm3(c) > s->unit;
    }
}

// --- Sizes ------------------------------------------------------------------------------------

static void grow_box(lw_vec3 *low, lw_vec3 *high, lw_vec3 p)
{
    *low = lw_vec3_of(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
    *high = lw_vec3_of(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
}

static void include(lwi_skeleton *s, lw_vec3 p)
{
    grow_box(&s->low, &s->high, p);
}

static void include_shape(lwi_skeleton *s, int number)
{
    const lw_shape_info *shape = &s->shape[number];
    lwi_skeleton_node *node = &s->node[s->node_of_body[shape->body + 1]];
    const lw_vec3 half = lwi_skeleton_half_size(shape);
    const bool is_envelope = lwi_skeleton_is_envelope(s, number);
    for (int i = 0; i < 8; ++i) {
        const lw_vec3 corner = {(i & 1 ? 1 : -1) * half.x, (i & 2 ? 1 : -1) * half.y,
                                (i & 4 ? 1 : -1) * half.z};
        const lw_vec3 p = lw_pose_apply(&shape->X_BS, corner);
        include(s, lw_pose_apply(&node->X_WB, p));
        if (is_envelope) {
            continue;
        }
        if (!node->has_shape) {
            node->shape_low = node->shape_high = p;
            node->has_shape = true;
        }
        grow_box(&node->shape_low, &node->shape_high, p);
    }
}

static void include_wheels(lwi_skeleton *s, const lwi_wheel_pair *pair)
{
    for (int k = 0; k < 2 && pair->is_known; ++k) {
        const lw_mat3 *R = &pair->X[k].R;
        for (int i = 0; i < 4; ++i) {
            const double r = i % 2 ? pair->radius[k] : -pair->radius[k];
            const lw_vec3 rim = lw_rotate(R, i < 2 ? lw_vec3_of(r, 0, 0) : lw_vec3_of(0, r, 0));
            include(s, lw_add3(pair->X[k].p, rim));
        }
    }
}

static void find_size(lwi_skeleton *s)
{
    const lw_model *m = s->m;
    s->low = s->high = s->node[0].at;
    for (int i = 0; i < m->nframe; ++i) {
        const lwi_skeleton_node *node = &s->node[s->node_of_body[m->frame[i].body + 1]];
        if (node->nchild == 0 || node->body < 0) {
            include(s, lw_pose_apply(&node->X_WB, m->frame[i].X_BF.p));
        }
    }
    for (int i = 1; i < s->nnode; ++i) {
        include(s, s->node[i].X_WB.p);
        include(s, s->node[i].X_WJ.p);
    }
    for (int i = 0; i < s->nend; ++i) {
        include(s, s->end[i].at);
    }
    for (int g = 0; g < m->ngear; ++g) {
        include_wheels(s, &s->pair[g]);
    }
    const double size = lw_norm3(lw_sub3(s->high, s->low));
    s->unit = 0.026 * size;
    for (int i = 0; i < m->nshape; ++i) {
        if (lwi_skeleton_draws_shape(s, i)) {
            include_shape(s, i);
        }
    }
    const double whole = lw_norm3(lw_sub3(s->high, s->low));
    // Shapes may be a hall round a small arm: the symbols follow the arm. A mechanism without
    // extent, such as a single joint, gets some all the same.
    s->unit = whole > 0 ? fmax(s->unit, 0.012 * whole) : 0.05;
}

// How far the farthest end of the chain beyond each joint is.
static double find_reach(lwi_skeleton *s)
{
    double longest = 0;
    for (int i = s->nnode - 1; i >= 0; --i) {
        lwi_skeleton_node *node = &s->node[i];
        for (int e = node->first_end; e >= 0; e = s->end[e].next) {
            node->reach = fmax(node->reach, lw_norm3(lw_sub3(s->end[e].at, node->X_WB.p)));
        }
        if (node->tip >= 0) {
            node->reach = fmax(node->reach, lw_norm3(lw_sub3(node->tip_at, node->X_WB.p)));
        }
        if (i > 0) {
            lwi_skeleton_node *parent = &s->node[node->parent];
            const double step = lw_norm3(lw_sub3(node->X_WB.p, parent->X_WB.p));
            parent->reach = fmax(parent->reach, node->reach + step);
            longest = fmax(longest, node->reach);
        }
    }
    return longest;
}

// Symbols shrink towards the ends of chains, as mechanisms do, and where joints lie close together.
static void find_units(lwi_skeleton *s)
{
    const double longest = find_reach(s);
    for (int i = 1; i < s->nnode; ++i) {
        lwi_skeleton_node *node = &s->node[i];
        const double taper = longest > 0 ? 0.68 + 0.32 * node->reach / longest : 1;
        double room = taper * s->unit;
        const double near = 0.3 * s->unit;
        const double from_parent = lw_norm3(lw_sub3(node->X_WB.p, s->node[node->parent].X_WB.p));
        if (node->parent > 0 && from_parent > near) {
            room = fmin(room, 0.33 * from_parent);
        }
        for (int c = node->first_child; c >= 0; c = s->node[c].next_child) {
            const double distance = lw_norm3(lw_sub3(s->node[c].X_WB.p, node->X_WB.p));
            room = distance > near ? fmin(room, 0.33 * distance) : room;
        }
        node->thickness = 1.15 * taper * s->unit;
        node->unit = fmax(room, 0.5 * s->unit);
    }
    s->node[0].unit = s->unit;
    s->node[0].thickness = 1.15 * s->unit;
}

// --- Places -----------------------------------------------------------------------------------

static bool rotates(const lwi_skeleton *s, int i)
{
    return i > 0 && s->m->joints[s->node[i].joint].type == LW_JOINT_REVOLUTE;
}

// Joints that rotate about one line are nested, as their shafts would.
static void nest_symbols(lwi_skeleton *s)
{
    for (int i = 1; i < s->nnode; ++i) {
        lwi_skeleton_node *node = &s->node[i];
        const int parent = node->parent;
        for (int k = parent; k >= 0 && rotates(s, i);
             k = k == parent ? s->node[parent].first_child : s->node[k].next_child) {
            const lwi_skeleton_node *other = &s->node[k];
            if (k >= i) {
                break; // children are in the order of the nodes
            }
            const double apart = lw_norm3(lw_sub3(other->at, node->at));
            if (rotates(s, k) && apart < 0.5 * s->unit &&
                fabs(lw_dot3(other->axis, node->axis)) > 0.999) {
                node->inner = other->inner + 1 > node->inner ? other->inner + 1 : node->inner;
            }
        }
        node->inner = node->inner < 3 ? node->inner : 3;
    }
}

static bool is_close(const lwi_skeleton *s, int a, int b)
{
    const double distance = lw_norm3(lw_sub3(s->node[a].at, s->node[b].at));
    return distance < 1.9 * fmax(s->node[a].unit, s->node[b].unit);
}

// Moves a symbol along its axis, towards a point, where the axis leads there.
static bool slide_towards(lwi_skeleton_node *node, lw_vec3 target, double length)
{
    const lw_vec3 way = lw_sub3(target, node->at);
    const double distance = lw_norm3(way);
    if (!(distance > length) || fabs(lw_dot3(way, node->axis)) < 0.8 * distance) {
        return false;
    }
    const double along = lw_dot3(way, node->axis) > 0 ? length : -length;
    node->at = lw_add3(node->at, lw_scale3(along, node->axis));
    return true;
}

// Where axes meet in a point, as in a wrist, the symbols are separated along their own axes: the
// first towards where the chain comes from, the last towards where it goes. An axis is a line, so
// nothing false is shown.
static void part_symbols(lwi_skeleton *s)
{
    for (int i = 1; i < s->nnode; ++i) {
        lwi_skeleton_node *node = &s->node[i];
        if (!rotates(s, i)) {
            continue;
        }
        const bool is_close_before = rotates(s, node->parent) && is_close(s, i, node->parent);
        const int child = node->first_child;
        const bool is_close_after =
            child > 0 && node->nchild == 1 && rotates(s, child) && is_close(s, i, child);
        const double length = 2.0 * node->unit;
        if (is_close_after && !is_close_before) {
            slide_towards(node, s->node[node->parent].at, length);
        } else if (is_close_before && !is_close_after) {
            if (child > 0) {
                slide_towards(node, s->node[child].X_WB.p, length);
            } else if (node->tip < 0 || !slide_towards(node, node->tip_at, length)) {
                const lw_vec3 far = lw_add3(node->at, lw_scale3(9 * length, node->axis));
                slide_towards(node, far, length);
            }
        }
    }
}

// --- Together ---------------------------------------------------------------------------------

// A mesh covers what the box round it does.
static void box_meshes(lwi_skeleton *s)
{
    const lw_model *m = s->m;
    for (int i = 0; i < m->nshape; ++i) {
        lw_shape_info *shape = &s->shape[i];
        *shape = m->shape[i];
        if (shape->type != LW_SHAPE_MESH || shape->data < 0) {
            continue;
        }
        const lw_mesh *mesh = &m->mesh[shape->data];
        lw_vec3 low = mesh->vertex[0], high = low;
        for (int k = 1; k < mesh->nvertex; ++k) {
            grow_box(&low, &high, mesh->vertex[k]);
        }
        const lw_vec3 scale = shape->size, middle = lw_scale3(0.5, lw_add3(low, high));
        const lw_vec3 size = lw_sub3(high, low);
        shape->type = LW_SHAPE_BOX;
        shape->size =
            lw_vec3_of(fabs(size.x * scale.x), fabs(size.y * scale.y), fabs(size.z * scale.z));
        shape->X_BS.p = lw_pose_apply(
            &shape->X_BS, lw_vec3_of(middle.x * scale.x, middle.y * scale.y, middle.z * scale.z));
    }
}

lw_status lwi_skeleton_init(lwi_skeleton *s, const lw_model *m, const lw_data *d)
{
    *s = (lwi_skeleton){.m = m};
    s->node = calloc((size_t)m->nbody + 1, sizeof *s->node);
    s->node_of_body = calloc((size_t)m->nbody + 1, sizeof *s->node_of_body);
    s->shape = calloc((size_t)m->nshape + 1, sizeof *s->shape);
    if (!s->node || !s->node_of_body || !s->shape) {
        return LW_ERR_MEMORY;
    }
    box_meshes(s);
    s->node[0] = (lwi_skeleton_node){.joint = -1,
                                     .body = -1,
                                     .parent = -1,
                                     .first_child = -1,
                                     .next_child = -1,
                                     .first_end = -1,
                                     .tip = -1,
                                     .X_WB = lw_pose_identity(),
                                     .X_WJ = lw_pose_identity(),
                                     .axis = {0, 0, 1}};
    s->nnode = 1;
    for (int i = 0; i < m->nframe; ++i) {
        if (m->frame[i].body < 0) {
            s->node[0].at = m->frame[i].X_BF.p; // the root link
            break;
        }
    }
    for (int b = 0; b < m->nbody; ++b) {
        const lw_status status = is_last_of_joint(m, b) ? add_node(s, d, b) : LW_OK;
        if (status != LW_OK) {
            return status;
        }
    }
    link_nodes(s);
    const lw_status status = find_ends(s, d);
    if (status != LW_OK) {
        return status;
    }
    find_size(s);
    if (!find_tips(s)) {
        return LW_ERR_MEMORY;
    }
    find_centers(s);
    find_units(s);
    part_symbols(s);
    nest_symbols(s);
    return LW_OK;
}

void lwi_skeleton_free(lwi_skeleton *s)
{
    free(s->node);
    free(s->node_of_body);
    free(s->shape);
    free(s->X_WE);
    free(s->pair);
    free(s->end);
    *s = (lwi_skeleton){0};
}

// --- Routes -----------------------------------------------------------------------------------

static double route_length(const lw_vec3 *p, int count)
{
    double length = 0;
    for (int i = 0; i + 1 < count; ++i) {
        length += lw_norm3(lw_sub3(p[i + 1], p[i]));
    }
    return length;
}

// Feet of the common normal of two axes; of parallel axes, the one through `from`: arms are mostly
// straight from their joint on, and what lies aside is the next joint.
static void common_normal(lw_vec3 from, lw_vec3 a, lw_vec3 to, lw_vec3 b, lw_vec3 *foot_a,
                          lw_vec3 *foot_b)
{
    const lw_vec3 r = lw_sub3(to, from);
    const double cosine = lw_dot3(a, b), sine2 = 1 - cosine * cosine;
    if (sine2 < 0.01) {
        *foot_a = from;
        *foot_b = lw_sub3(to, lw_scale3(lw_dot3(r, a), a));
        return;
    }
    const double ra = lw_dot3(r, a), rb = lw_dot3(r, b);
    *foot_a = lw_add3(from, lw_scale3((ra - cosine * rb) / sine2, a));
    *foot_b = lw_add3(to, lw_scale3((cosine * ra - rb) / sine2, b));
}

int lwi_skeleton_route(lw_vec3 from, lw_vec3 axis, lw_vec3 to, lw_vec3 next_axis,
                       lw_vec3 route[LWI_SKELETON_ROUTE])
{
    const double straight = lw_norm3(lw_sub3(to, from));
    lw_vec3 foot[2];
    common_normal(from, axis, to, next_axis, &foot[0], &foot[1]);
    const lw_vec3 all[LWI_SKELETON_ROUTE] = {from, foot[0], foot[1], to};
    int count = 0;
    for (int i = 0; i < LWI_SKELETON_ROUTE; ++i) {
        if (count == 0 || i == LWI_SKELETON_ROUTE - 1 ||
            lw_norm3(lw_sub3(all[i], route[count - 1])) > 1e-6 * straight) {
            route[count++] = all[i];
        }
    }
    // A detour along three edges of a box is at most 1.74 times as long as its diagonal.
    if (!(route_length(route, count) < 1.75 * straight)) {
        route[0] = from;
        route[1] = to;
        count = 2;
    }
    return count;
}
