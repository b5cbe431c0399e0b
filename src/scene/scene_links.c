// Links, joints, the shapes that cover them, and the ground.

#include "scene_builder.h"

#include <math.h>
#include <string.h>

// A plate: the mark of something that does not move.
static void add_ground(lwi_scene_builder *b, lw_vec3 at, double side)
{
    const double height = 0.55 * b->s->unit;
    lw_pose X = lw_pose_identity();
    X.p = at;
    X.p.z -= 0.5 * height;
    lwi_scene_add(b, LW_SCENE_BOX, LW_SCENE_GROUND, &X, lw_vec3_of(side, side, height),
                  -3 * b->s->unit, 0);
}

static void add_shadow(lwi_scene_builder *b, const lw_vec3 *p, int count, double width)
{
    lwi_scene_bar(b, LW_SCENE_SHADOW, p, count, width, 0, 0);
}

// Where the symbol of a child is drawn on the parent: the rail of a slider does not move with it.
static lw_vec3 joint_on_parent(const lwi_skeleton *s, const lwi_skeleton_node *child)
{
    const lw_joint_type type = s->m->joints[child->joint].type;
    const bool travels = type == LW_JOINT_PRISMATIC || type == LW_JOINT_PLANAR ||
                         type == LW_JOINT_FREE || type == LW_JOINT_CYLINDRICAL;
    return travels ? child->X_WJ.p : child->at;
}

static bool is_free(const lwi_skeleton *s, const lwi_skeleton_node *node)
{
    return node->joint >= 0 && s->m->joints[node->joint].type == LW_JOINT_FREE;
}

// --- Supports ---------------------------------------------------------------------------------

// Where mechanisms are supported in several places, each place is marked, and no link drawn
// between them: the ground has no shape. Returns how many there are, the first MOST_SUPPORTS of
// them in `at`.
enum { MOST_SUPPORTS = 64 };

static int add_support(const lwi_skeleton *s, lw_vec3 p, lw_vec3 axis, lw_vec3 at[MOST_SUPPORTS],
                       int n)
{
    // The symbol rests on its plate.
    p.z -= (fabs(axis.z) > 0.7 ? 1.05 : 1.7) * s->unit;
    for (int i = 0; i < n; ++i) {
        const lw_vec3 d = lw_sub3(p, at[i]);
        if (hypot(d.x, d.y) < 2 * s->unit && fabs(d.z) < 3 * s->unit) {
            at[i].z = fmin(at[i].z, p.z);
            return n;
        }
    }
    if (n < MOST_SUPPORTS) {
        at[n++] = p;
    }
    return n;
}

static int find_supports(const lwi_skeleton *s, lw_vec3 at[MOST_SUPPORTS])
{
    const lwi_skeleton_node *world = &s->node[0];
    int n = 0;
    for (int c = world->first_child; c >= 0; c = s->node[c].next_child) {
        if (!is_free(s, &s->node[c])) {
            n = add_support(s, joint_on_parent(s, &s->node[c]), s->node[c].axis, at, n);
        }
    }
    for (int e = world->first_end; e >= 0; e = s->end[e].next) {
        if (!s->end[e].is_wheel) {
            n = add_support(s, s->end[e].at, s->end[e].axis, at, n);
        }
    }
    return n;
}

static bool has_supports(const lwi_skeleton *s)
{
    lw_vec3 at[MOST_SUPPORTS];
    return (s->m->nloop > 0 || s->m->ngear > 0) && !s->node[0].has_shape &&
           find_supports(s, at) > 1;
}

static void add_supports(lwi_scene_builder *b)
{
    const lwi_skeleton *s = b->s;
    lw_vec3 at[MOST_SUPPORTS];
    const int n = find_supports(s, at);
    for (int i = 0; i < n; ++i) {
        const lw_vec3 post[2] = {at[i], lw_add3(at[i], lw_vec3_of(0, 0, 1.7 * s->unit))};
        add_ground(b, at[i], 3.6 * s->unit);
        lwi_scene_bar(b, LW_SCENE_GROUND, post, 2, 0.9 * s->unit, -1.5 * s->unit,
                      LW_SCENE_FLAT_BEGIN | LW_SCENE_FLAT_END);
    }
}

// --- Links ------------------------------------------------------------------------------------

// How far it is from the middle of a symbol to its surface.
static double way_out(const lwi_skeleton *s, const lwi_skeleton_node *node, lw_vec3 direction)
{
    const double u = node->unit;
    if (node->joint < 0) {
        return 0;
    }
    if (s->m->joints[node->joint].type != LW_JOINT_REVOLUTE) {
        return 0.8 * u;
    }
    const double along = fabs(lw_dot3(direction, node->axis));
    const double across = sqrt(fmax(0, 1 - along * along));
    const double end = lwi_symbol_reach(node->inner), side = lwi_symbol_radius(node->inner);
    const double to_end = along > 1e-3 ? end * u / along : HUGE_VAL;
    // A little less than the radius: the bar is wide, and the mantle falls away beside its middle.
    const double to_side = across > 1e-3 ? 0.8 * side * u / across : HUGE_VAL;
    return fmin(to_end, to_side);
}

// Takes from the beginning of a route what lies within a symbol. Returns how many points are left.
static int leave_symbol(const lwi_skeleton *s, const lwi_skeleton_node *node, lw_vec3 *p, int count)
{
    double share = 1;
    while (count >= 2) {
        const lw_vec3 way = lw_sub3(p[1], p[0]);
        const double length = lw_norm3(way);
        const double out =
            length > 0 ? share * way_out(s, node, lw_scale3(1 / length, way)) : HUGE_VAL;
        const double stub = count > 2 ? 0.6 * node->unit : 0;
        if (out + stub < length) {
            p[0] = lw_add3(p[0], lw_scale3(out / length, way));
            return count;
        }
        // This leg hardly shows. The next begins near the surface.
        share = 0.3;
        --count;
        memmove(p, p + 1, (size_t)count * sizeof *p);
    }
    return 0;
}

static void turn_round(lw_vec3 *p, int count)
{
    for (int i = 0; i < count / 2; ++i) {
        const lw_vec3 swap = p[i];
        p[i] = p[count - 1 - i];
        p[count - 1 - i] = swap;
    }
}

// A link from its joint to another point; `other` is the symbol there, or null.
static void add_arm(lwi_scene_builder *b, const lwi_skeleton_node *node, lw_vec3 end, lw_vec3 axis,
                    const lwi_skeleton_node *other)
{
    const lwi_skeleton *s = b->s;
    lw_vec3 route[LWI_SKELETON_ROUTE];
    int count = lwi_skeleton_route(node->at, node->axis, end, axis, route);
    const double symbols = 1.7 * fmin(node->unit, other ? other->unit : node->unit);
    const double width = fmin(node->thickness, symbols);
    add_shadow(b, route, count, width);
    count = leave_symbol(s, node, route, count);
    if (other) {
        turn_round(route, count);
        count = leave_symbol(s, other, route, count);
        turn_round(route, count);
    }
    if (count >= 2) {
        lwi_scene_bar(b, LW_SCENE_LINK, route, count, width, 0,
                      LW_SCENE_FLAT_BEGIN | (other ? LW_SCENE_FLAT_END : 0));
    }
}

// A link with shapes: what holds an end on them where they lie apart. The cover of a neighbour may
// bridge a small gap.
static void add_stalk(lwi_scene_builder *b, const lwi_skeleton_node *node, lw_vec3 end)
{
    const lwi_skeleton *s = b->s;
    const lw_vec3 bar[2] = {lwi_skeleton_nearest(s, node, end), end};
    const double gap = lw_norm3(lw_sub3(bar[1], bar[0]));
    if (gap > (lwi_skeleton_hides(s, end, 0) ? 4 : 2) * s->unit) {
        const double width = fmin(node->thickness, 1.7 * node->unit);
        add_shadow(b, bar, 2, width);
        lwi_scene_bar(b, LW_SCENE_LINK, bar, 2, width, -3 * s->unit, 0);
    }
}

static void add_stalks(lwi_scene_builder *b, const lwi_skeleton_node *node)
{
    const lwi_skeleton *s = b->s;
    if (node->joint >= 0 && !lwi_skeleton_is_carried(s, node) && !is_free(s, node)) {
        add_stalk(b, node, node->at);
    }
    for (int c = node->first_child; c >= 0; c = s->node[c].next_child) {
        if (!is_free(s, &s->node[c])) {
            add_stalk(b, node, joint_on_parent(s, &s->node[c]));
        }
    }
    for (int e = node->first_end; e >= 0; e = s->end[e].next) {
        add_stalk(b, node, s->end[e].at);
    }
    if (node->tip >= 0) {
        add_stalk(b, node, node->tip_at);
    }
}

// A link that carries several joints is a body with corners, not a bar.
static void add_body(lwi_scene_builder *b, const lwi_skeleton_node *node)
{
    const lwi_skeleton *s = b->s;
    for (int layer = 0; layer < 2; ++layer) {
        lwi_scene_add(b, LW_SCENE_HULL, layer == 0 ? LW_SCENE_LINK : LW_SCENE_SHADOW, NULL,
                      lw_vec3_of(1.3 * node->unit, 0, 0), -1.5 * node->unit, 0);
        for (int c = node->first_child; c >= 0; c = s->node[c].next_child) {
            lwi_scene_add_point(b, joint_on_parent(s, &s->node[c]));
        }
        for (int e = node->first_end; e >= 0; e = s->end[e].next) {
            if (!s->end[e].is_wheel) {
                lwi_scene_add_point(b, s->end[e].at);
            }
        }
        // The joint of a body that loops alone carry is no corner of it.
        if (!lwi_skeleton_is_carried(s, node)) {
            lwi_scene_add_point(b, node->at);
        }
    }
}

// How high the triangle over the longest way so far and another is. Keeps the longer of the two.
static double triangle_height(lw_vec3 *first, lw_vec3 way)
{
    const double base = fmax(lw_norm3(*first), lw_norm3(way));
    const double area = lw_norm3(lw_cross3(*first, way));
    *first = lw_norm3(way) > lw_norm3(*first) ? way : *first;
    return base > 0 ? area / base : 0;
}

// Whether a link is best seen as a body: its joints make a triangle or more.
static bool has_corners(const lwi_skeleton *s, const lwi_skeleton_node *node)
{
    double height = 0;
    lw_vec3 first = {0, 0, 0};
    for (int c = node->first_child; c >= 0; c = s->node[c].next_child) {
        const lwi_skeleton_node *child = &s->node[c];
        const lw_vec3 end = joint_on_parent(s, child);
        if (is_free(s, child)) {
            return false;
        }
        height = fmax(height, triangle_height(&first, lw_sub3(end, node->at)));
    }
    for (int e = node->first_end; e >= 0; e = s->end[e].next) {
        if (!s->end[e].is_wheel) {
            height = fmax(height, triangle_height(&first, lw_sub3(s->end[e].at, node->at)));
        }
    }
    return height > node->unit;
}

// To where loops and wheels are.
static void add_ends(lwi_scene_builder *b, const lwi_skeleton_node *node, bool is_body)
{
    const lwi_skeleton *s = b->s;
    for (int e = node->first_end; e >= 0; e = s->end[e].next) {
        const lwi_skeleton_end *end = &s->end[e];
        const double distance = lw_norm3(lw_sub3(end->at, node->at));
        if ((end->is_wheel || !is_body) && distance > 1.2 * node->unit) {
            add_arm(b, node, end->at, end->axis, NULL);
        }
    }
}

static void add_link(lwi_scene_builder *b, const lwi_skeleton_node *node)
{
    const lwi_skeleton *s = b->s;
    if (node->has_shape) {
        add_stalks(b, node);
        return;
    }
    if (node == s->node && has_supports(s)) {
        return;
    }
    const bool is_body = has_corners(s, node);
    add_ends(b, node, is_body || lwi_skeleton_is_carried(s, node));
    if (is_body) {
        add_body(b, node);
    } else {
        for (int c = node->first_child; c >= 0; c = s->node[c].next_child) {
            const lwi_skeleton_node *child = &s->node[c];
            const lw_vec3 end = joint_on_parent(s, child);
            if (!is_free(s, child)) {
                add_arm(b, node, end, child->axis, child);
            }
        }
    }
    if (node->tip >= 0) {
        add_arm(b, node, node->tip_at, node->axis, NULL);
    }
    if (node->has_center) {
        const lw_vec3 bar[2] = {node->at, node->center};
        lwi_scene_bar(b, LW_SCENE_LINK, bar, 2, 0.7 * node->thickness, 0, 0);
        add_shadow(b, bar, 2, 0.7 * node->thickness);
        lwi_scene_sphere(b, LW_SCENE_CENTER_OF_MASS, node->center, 0.9 * node->unit, node->unit);
    }
}

static void add_shapes(lwi_scene_builder *b)
{
    static const lw_scene_kind kind[] = {[LW_SHAPE_BOX] = LW_SCENE_BOX,
                                         [LW_SHAPE_SPHERE] = LW_SCENE_SPHERE,
                                         [LW_SHAPE_CYLINDER] = LW_SCENE_CYLINDER,
                                         [LW_SHAPE_CAPSULE] = LW_SCENE_CAPSULE};
    for (int i = 0; i < b->s->m->nshape; ++i) {
        if (!lwi_skeleton_draws_shape(b->s, i)) { // which draws no mesh that was not read
            continue;
        }
        const lw_shape_info *shape = &b->s->m->shape[i];
        const lw_pose X = lw_pose_mul(&lwi_skeleton_node_of(b->s, shape->body)->X_WB, &shape->X_BS);
        const bool is_envelope = lwi_skeleton_is_envelope(b->s, i);
        b->body = shape->body;
        b->cover = i;
        if (shape->type == LW_SHAPE_MESH) {
            lwi_scene_mesh(b, shape, &X, is_envelope);
            continue;
        }
        if (!is_envelope) {
            lwi_scene_add(b, kind[shape->type], LW_SCENE_SHADOW, &X, shape->size, 0, 0);
        }
        lwi_scene_add(b, kind[shape->type], LW_SCENE_COVER, &X, shape->size, 0,
                      is_envelope ? LW_SCENE_SEE_THROUGH : 0);
    }
    b->cover = -1;
}

// --- Joints -----------------------------------------------------------------------------------

// The guide of a slider, which is as long as the travel where that is limited.
static void add_guide(lwi_scene_builder *b, const lwi_skeleton_node *node)
{
    const lwi_skeleton *s = b->s;
    const double u = node->unit, longest = 12 * s->unit;
    const lw_vec3 origin = node->X_WJ.p;
    if (lwi_skeleton_covers(s, node, origin) ||
        lwi_skeleton_covers(s, &s->node[node->parent], origin)) {
        return; // the shapes show what slides in what
    }
    const lw_dof *dof = &s->m->dof[s->m->joints[node->joint].v];
    const double here = lw_dot3(lw_sub3(node->at, origin), node->axis);
    const double low = fmin(fmin(here, 0), fmax(dof->lower, here - longest)) - 1.6 * u;
    const double high = fmax(fmax(here, 0), fmin(dof->upper, here + longest)) + 1.6 * u;
    const bool is_limited = isfinite(dof->lower) && isfinite(dof->upper);
    const lw_vec3 rail[2] = {
        lw_add3(origin, lw_scale3(is_limited ? low : fmin(here, 0) - 1.6 * u, node->axis)),
        lw_add3(origin, lw_scale3(is_limited ? high : fmax(here, 0) + 1.6 * u, node->axis))};
    lwi_scene_bar(b, LW_SCENE_RAIL, rail, 2, 0.5 * u, 0, 0);
    add_shadow(b, rail, 2, 0.5 * u);
}

// Covers hide a symbol that lies within them, unless it is to be seen through them.
static void add_joint(lwi_scene_builder *b, const lwi_skeleton_node *node, bool shows_hidden)
{
    const lw_joint_type type = b->s->m->joints[node->joint].type;
    const bool is_hidden = lwi_skeleton_hides(b->s, node->at, 0.8 * node->unit);
    lw_pose X = node->X_WB;
    X.p = node->at;
    if (lwi_skeleton_is_carried(b->s, node) || (is_hidden && !shows_hidden)) {
        return; // loops alone carry the body, or nothing is seen
    }
    if (!is_hidden && type == LW_JOINT_PRISMATIC) {
        add_guide(b, node);
    } else if (!is_hidden && type != LW_JOINT_FREE && type != LW_JOINT_SPHERICAL &&
               type != LW_JOINT_PLANAR) {
        const lw_vec3 half = lw_scale3(2.6 * node->unit, node->axis);
        lwi_scene_line(b, LW_SCENE_AXIS, lw_sub3(node->at, half), lw_add3(node->at, half));
    }
    lwi_scene_symbol(b, node->is_dependent ? LW_SCENE_DEPENDENT_JOINT : LW_SCENE_JOINT, type, &X,
                     node->unit, node->inner, 0.5 * node->unit,
                     is_hidden ? LW_SCENE_SEE_THROUGH : 0);
}

void lwi_scene_links(lwi_scene_builder *b, bool shows_hidden)
{
    const lwi_skeleton *s = b->s;
    bool is_fixed = s->nnode == 1 && !s->node[0].has_shape;
    for (int c = s->node[0].first_child; c >= 0; c = s->node[c].next_child) {
        is_fixed = is_fixed || (!is_free(s, &s->node[c]) && !s->node[0].has_shape);
    }
    b->body = -1;
    if (has_supports(s)) {
        add_supports(b);
    } else if (is_fixed) {
        add_ground(b, s->node[0].at, 5.2 * s->unit);
    }
    for (int i = 0; i < s->nnode; ++i) {
        b->body = s->node[i].body;
        add_link(b, &s->node[i]);
        if (i > 0) {
            add_joint(b, &s->node[i], shows_hidden);
        }
    }
    add_shapes(b);
}
