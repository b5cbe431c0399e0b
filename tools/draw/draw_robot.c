#include "draw/draw_robot.h"

#include "draw/draw_closure.h"
#include "draw/draw_labels.h"
#include "draw/draw_spring.h"
#include "draw/draw_symbol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Colours ----------------------------------------------------------------------------------

static const picture_paint LINK = {
    .fill = 0xdde3ea, .stroke = 0x3d4753, .opacity = 1, .pixels = 1.3};
static const picture_paint SHAPE = {
    .fill = 0xe1e6ec, .stroke = 0x5f6b78, .opacity = 1, .pixels = 1.1};
static const picture_paint JOINT = {
    .fill = 0x4d8bbf, .stroke = 0x1d3c57, .opacity = 1, .pixels = 1.2};
static const picture_paint DEPENDENT = {
    .fill = 0xb7c9d9, .stroke = 0x4b6073, .opacity = 1, .pixels = 1.2};
static const picture_paint RAIL = {.fill = 0x8b96a3, .stroke = 0x3d4753, .opacity = 1, .pixels = 1};
static const picture_paint AXIS = {
    .fill = NO_COLOR, .stroke = 0x1d3c57, .pixels = 0.9, .is_dashed = true};
static const picture_paint MASS = {
    .fill = 0xc9d1da, .stroke = 0x3d4753, .opacity = 1, .pixels = 1.3};
static const picture_paint PLATE = {
    .fill = 0xf0f2f4, .stroke = 0x6c7885, .opacity = 1, .pixels = 1};
static const picture_paint HATCH = {.fill = NO_COLOR, .stroke = 0x6c7885, .pixels = 1};
static const picture_paint GRID = {.fill = NO_COLOR, .stroke = 0xe3e7eb, .pixels = 1};
static const picture_paint GRID_BOLD = {.fill = NO_COLOR, .stroke = 0xcfd5db, .pixels = 1};
static const picture_paint SHADOW = {.fill = 0x000000, .stroke = NO_COLOR, .opacity = 1};

static picture_look solid(picture_paint paint, double bias)
{
    return (picture_look){paint, LAYER_BODY, bias};
}

// --- Floor ------------------------------------------------------------------------------------

// The largest of 1, 2, 5, 10, ... that is not above x.
static double round_step(double x)
{
    const double power = pow(10, floor(log10(x)));
    return power * (x >= 5 * power ? 5 : x >= 2 * power ? 2 : 1);
}

static double floor_height(const skeleton *s)
{
    const double size = lw_norm3(lw_sub3(s->high, s->low));
    return s->low.z < -0.03 * size ? s->low.z : 0;
}

// In some views the floor is seen edge on.
static bool has_floor(const picture *pic)
{
    return pic->view == VIEW_ISO || pic->view == VIEW_TOP;
}

// Grid lines from a to b in steps; every fifth is stronger. Lines of one direction at a time.
static void draw_grid_lines(picture *pic, bool is_along_x, double step, const double low[2],
                            const double high[2], double z)
{
    const int k = is_along_x ? 1 : 0;
    for (long i = lround(low[k] / step); i <= lround(high[k] / step); ++i) {
        const double at = (double)i * step;
        const lw_vec3 a = {is_along_x ? low[0] : at, is_along_x ? at : low[1], z};
        const lw_vec3 b = {is_along_x ? high[0] : at, is_along_x ? at : high[1], z};
        picture_line(pic, LAYER_FLOOR, i % 5 == 0 ? GRID_BOLD : GRID, a, b);
    }
}

static double draw_floor(picture *pic, const skeleton *s)
{
    const double size = lw_norm3(lw_sub3(s->high, s->low));
    const double step = round_step(fmax(size, 4 * s->unit) / 8);
    const double margin = 2.5 * s->unit, z = floor_height(s);
    const double low[2] = {step * floor((s->low.x - margin) / step),
                           step * floor((s->low.y - margin) / step)};
    const double high[2] = {step * ceil((s->high.x + margin) / step),
                            step * ceil((s->high.y + margin) / step)};
    draw_grid_lines(pic, true, step, low, high, z);
    draw_grid_lines(pic, false, step, low, high, z);
    return step;
}

// The mark of something that stands still: a plate with hatched edges.
static void draw_ground(picture *pic, const skeleton *s, lw_vec3 at, double side)
{
    const double height = 0.55 * s->unit;
    lw_pose X = lw_pose_identity();
    X.p = at;
    X.p.z -= 0.5 * height;
    picture_box(pic, &X, lw_vec3_of(side, side, height), solid(PLATE, -3 * s->unit));
    const lw_vec3 corner[3] = {{at.x - 0.5 * side, at.y - 0.5 * side, at.z},
                               {at.x + 0.5 * side, at.y - 0.5 * side, at.z},
                               {at.x + 0.5 * side, at.y + 0.5 * side, at.z}};
    for (int edge = 0; edge < 2; ++edge) {
        const lw_vec3 way = lw_sub3(corner[edge + 1], corner[edge]);
        const lw_vec3 normal = edge == 0 ? lw_vec3_of(0, -1, 0) : lw_vec3_of(1, 0, 0);
        if (lw_dot3(normal, pic->toward) < 1e-6) {
            continue;
        }
        for (int i = 0; i < 9; ++i) {
            const lw_vec3 top = lw_add3(corner[edge], lw_scale3((i + 0.75) / 9, way));
            lw_vec3 bottom = lw_add3(corner[edge], lw_scale3((i + 0.25) / 9, way));
            bottom.z -= height;
            picture_begin(pic, PICTURE_LINE, LAYER_BODY, HATCH, 0,
                          picture_depth(pic, X.p) - 3 * s->unit);
            picture_add(pic, top);
            picture_add(pic, bottom);
        }
    }
}

static void draw_shadow(picture *pic, const skeleton *s, const lw_vec3 *p, int count, double width)
{
    if (!has_floor(pic)) {
        return;
    }
    picture_begin(pic, PICTURE_BAR, LAYER_SHADOW, SHADOW, width, 0);
    for (int i = 0; i < count; ++i) {
        picture_add(pic, lw_vec3_of(p[i].x, p[i].y, floor_height(s)));
    }
}

// Where the symbol of a child stands on the parent: a slider's guide stays behind.
static lw_vec3 joint_on_parent(const skeleton *s, const skeleton_node *child)
{
    const lw_joint_type type = s->m->joints[child->joint].type;
    const bool travels = type == LW_JOINT_PRISMATIC || type == LW_JOINT_PLANAR ||
                         type == LW_JOINT_FREE || type == LW_JOINT_CYLINDRICAL;
    return travels ? child->X_WJ.p : child->at;
}

static bool is_free(const skeleton *s, const skeleton_node *node)
{
    return node->joint >= 0 && s->m->joints[node->joint].type == LW_JOINT_FREE;
}

// --- Supports ---------------------------------------------------------------------------------

// Where machines stand on the ground in several places, each place is marked, and no link drawn
// between them: the ground has no shape. Returns how many there are, the first MOST_SUPPORTS of
// them in `at`.
enum { MOST_SUPPORTS = 64 };

static int add_support(const skeleton *s, lw_vec3 p, lw_vec3 axis, lw_vec3 at[MOST_SUPPORTS], int n)
{
    // The symbol stands on its plate.
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

static int find_supports(const skeleton *s, lw_vec3 at[MOST_SUPPORTS])
{
    const skeleton_node *world = &s->node[0];
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

static bool has_supports(const skeleton *s)
{
    lw_vec3 at[MOST_SUPPORTS];
    return (s->m->nloop > 0 || s->m->ngear > 0) && !s->node[0].has_shape &&
           find_supports(s, at) > 1;
}

static void draw_supports(picture *pic, const skeleton *s)
{
    lw_vec3 at[MOST_SUPPORTS];
    const int n = find_supports(s, at);
    for (int i = 0; i < n; ++i) {
        const lw_vec3 post[2] = {at[i], lw_add3(at[i], lw_vec3_of(0, 0, 1.7 * s->unit))};
        draw_ground(pic, s, at[i], 3.6 * s->unit);
        picture_bar(pic, post, 2, 0.9 * s->unit, solid(PLATE, -1.5 * s->unit), true, true);
    }
}

// --- Links ------------------------------------------------------------------------------------

// How far it is from the middle of a symbol to its surface.
static double way_out(const skeleton *s, const skeleton_node *node, lw_vec3 direction)
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
    const double end = draw_symbol_reach(node->inner), side = draw_symbol_girth(node->inner);
    const double to_end = along > 1e-3 ? end * u / along : HUGE_VAL;
    // A little less than the radius: the bar is wide, and the mantle falls away beside its middle.
    const double to_side = across > 1e-3 ? 0.8 * side * u / across : HUGE_VAL;
    return fmin(to_end, to_side);
}

// Takes from the beginning of a route what lies within a symbol. Returns how many points are left.
static int leave_symbol(const skeleton *s, const skeleton_node *node, lw_vec3 *p, int count)
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
static void draw_arm(picture *pic, const skeleton *s, const skeleton_node *node, lw_vec3 end,
                     lw_vec3 axis, const skeleton_node *other)
{
    lw_vec3 route[SKELETON_ROUTE];
    int count = skeleton_route(node->at, node->axis, end, axis, route);
    const double symbols = 1.7 * fmin(node->unit, other ? other->unit : node->unit);
    const double width = fmin(node->thickness, symbols);
    draw_shadow(pic, s, route, count, width);
    count = leave_symbol(s, node, route, count);
    if (other) {
        turn_round(route, count);
        count = leave_symbol(s, other, route, count);
        turn_round(route, count);
    }
    if (count >= 2) {
        picture_bar(pic, route, count, width, solid(LINK, 0), true, other != NULL);
    }
}

// A link with shapes: what holds an end on them where they lie apart. The cover of a neighbour may
// bridge a small gap.
static void draw_stalk(picture *pic, const skeleton *s, const skeleton_node *node, lw_vec3 end)
{
    const lw_vec3 bar[2] = {skeleton_nearest(s, node, end), end};
    const double gap = lw_norm3(lw_sub3(bar[1], bar[0]));
    if (gap > (skeleton_hides(s, end, 0) ? 4 : 2) * s->unit) {
        const double width = fmin(node->thickness, 1.7 * node->unit);
        draw_shadow(pic, s, bar, 2, width);
        picture_bar(pic, bar, 2, width, solid(LINK, -3 * s->unit), false, false);
    }
}

static void draw_stalks(picture *pic, const skeleton *s, const skeleton_node *node)
{
    if (node->joint >= 0 && !skeleton_is_carried(s, node) && !is_free(s, node)) {
        draw_stalk(pic, s, node, node->at);
    }
    for (int c = node->first_child; c >= 0; c = s->node[c].next_child) {
        if (!is_free(s, &s->node[c])) {
            draw_stalk(pic, s, node, joint_on_parent(s, &s->node[c]));
        }
    }
    for (int e = node->first_end; e >= 0; e = s->end[e].next) {
        draw_stalk(pic, s, node, s->end[e].at);
    }
    if (node->tip >= 0) {
        draw_stalk(pic, s, node, node->tip_at);
    }
}

// A link that carries several joints is a body with corners, not a bar.
static void draw_blob(picture *pic, const skeleton *s, const skeleton_node *node)
{
    // The joint of a body that loops alone carry is no corner of it.
    const bool has_joint = !skeleton_is_carried(s, node);
    lw_vec3 middle = has_joint ? node->at : lw_vec3_of(0, 0, 0);
    int count = has_joint;
    for (int c = node->first_child; c >= 0; c = s->node[c].next_child) {
        middle = lw_add3(middle, joint_on_parent(s, &s->node[c]));
        ++count;
    }
    for (int e = node->first_end; e >= 0; e = s->end[e].next) {
        if (!s->end[e].is_wheel) {
            middle = lw_add3(middle, s->end[e].at);
            ++count;
        }
    }
    middle = lw_scale3(1.0 / (count > 0 ? count : 1), middle);
    for (int layer = 0; layer < 2; ++layer) {
        const bool is_shadow = layer == 1;
        if (is_shadow && !has_floor(pic)) {
            break;
        }
        picture_begin(pic, PICTURE_BLOB, is_shadow ? LAYER_SHADOW : LAYER_BODY,
                      is_shadow ? SHADOW : LINK, 1.3 * node->unit,
                      picture_depth(pic, middle) - 1.5 * node->unit);
        for (int c = node->first_child; c >= 0; c = s->node[c].next_child) {
            lw_vec3 p = joint_on_parent(s, &s->node[c]);
            p.z = is_shadow ? floor_height(s) : p.z;
            picture_add(pic, p);
        }
        for (int e = node->first_end; e >= 0; e = s->end[e].next) {
            lw_vec3 p = s->end[e].at;
            p.z = is_shadow ? floor_height(s) : p.z;
            if (!s->end[e].is_wheel) {
                picture_add(pic, p);
            }
        }
        lw_vec3 p = node->at;
        p.z = is_shadow ? floor_height(s) : p.z;
        if (has_joint) {
            picture_add(pic, p);
        }
        picture_hull(pic);
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
static bool is_blob(const skeleton *s, const skeleton_node *node)
{
    double height = 0;
    lw_vec3 first = {0, 0, 0};
    for (int c = node->first_child; c >= 0; c = s->node[c].next_child) {
        const skeleton_node *child = &s->node[c];
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
static void draw_ends(picture *pic, const skeleton *s, const skeleton_node *node, bool is_body)
{
    for (int e = node->first_end; e >= 0; e = s->end[e].next) {
        const skeleton_end *end = &s->end[e];
        const double distance = lw_norm3(lw_sub3(end->at, node->at));
        if ((end->is_wheel || !is_body) && distance > 1.2 * node->unit) {
            draw_arm(pic, s, node, end->at, end->axis, NULL);
        }
    }
}

static void draw_link(picture *pic, const skeleton *s, const skeleton_node *node)
{
    if (node->has_shape) {
        draw_stalks(pic, s, node);
        return;
    }
    if (node == s->node && has_supports(s)) {
        return;
    }
    const bool is_body = is_blob(s, node);
    draw_ends(pic, s, node, is_body || skeleton_is_carried(s, node));
    if (is_body) {
        draw_blob(pic, s, node);
    } else {
        for (int c = node->first_child; c >= 0; c = s->node[c].next_child) {
            const skeleton_node *child = &s->node[c];
            const lw_vec3 end = joint_on_parent(s, child);
            if (!is_free(s, child)) {
                draw_arm(pic, s, node, end, child->axis, child);
            }
        }
    }
    if (node->tip >= 0) {
        draw_arm(pic, s, node, node->tip_at, node->axis, NULL);
    }
    if (node->has_center) {
        const lw_vec3 bar[2] = {node->at, node->center};
        picture_bar(pic, bar, 2, 0.7 * node->thickness, solid(LINK, 0), false, false);
        draw_shadow(pic, s, bar, 2, 0.7 * node->thickness);
        picture_ball(pic, node->center, 0.9 * node->unit, solid(MASS, node->unit));
    }
}

static void draw_shape(picture *pic, const lw_shape_info *shape, const lw_pose *X,
                       picture_look look)
{
    const double radius = shape->size.x, length = shape->size.z;
    switch (shape->type) {
    case LW_SHAPE_BOX:
        picture_box(pic, X, shape->size, look);
        break;
    case LW_SHAPE_SPHERE:
        picture_ball(pic, X->p, radius, look);
        break;
    case LW_SHAPE_CYLINDER:
        picture_cylinder(pic, X, radius, length, look);
        break;
    case LW_SHAPE_CAPSULE:
        picture_capsule(pic, X, radius, length, look);
        break;
    case LW_SHAPE_MESH:
        return;
    }
}

static void draw_shape_shadow(picture *pic, const lw_shape_info *shape, const lw_pose *X,
                              double floor)
{
    const double radius = shape->size.x, length = shape->size.z;
    if (shape->type == LW_SHAPE_BOX) {
        picture_box_shadow(pic, X, shape->size, SHADOW, floor);
    } else {
        const bool is_ball = shape->type == LW_SHAPE_SPHERE;
        picture_round_shadow(pic, X, radius, is_ball ? 0 : length, shape->type != LW_SHAPE_CYLINDER,
                             SHADOW, floor);
    }
}

static void draw_shapes(picture *pic, const skeleton *s)
{
    for (int i = 0; i < s->m->nshape; ++i) {
        if (!skeleton_draws_shape(s, i)) {
            continue;
        }
        const lw_shape_info *shape = &s->m->shape[i];
        const skeleton_node *node = &s->node[s->node_of_body[shape->body + 1]];
        const lw_pose X = lw_pose_mul(&node->X_WB, &shape->X_BS);
        picture_look look = solid(SHAPE, 0);
        if (skeleton_is_envelope(s, i)) {
            look.layer = LAYER_GHOST;
            look.paint.opacity = 0.12;
            look.paint.pixels = 0.7;
        } else if (has_floor(pic)) {
            draw_shape_shadow(pic, shape, &X, floor_height(s));
        }
        draw_shape(pic, shape, &X, look);
    }
}

// --- Joints -----------------------------------------------------------------------------------

static void draw_axis(picture *pic, const skeleton_node *node, double reach)
{
    const lw_vec3 half = lw_scale3(reach * node->unit, node->axis);
    const lw_vec3 a = lw_sub3(node->at, half), b = lw_add3(node->at, half);
    picture_line(pic, LAYER_BODY, AXIS, a, b);
}

// The guide of a slider, which is as long as the travel where that is limited.
static void draw_guide(picture *pic, const skeleton *s, const skeleton_node *node)
{
    const double u = node->unit, longest = 12 * s->unit;
    const lw_vec3 origin = node->X_WJ.p;
    if (skeleton_covers(s, node, origin) || skeleton_covers(s, &s->node[node->parent], origin)) {
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
    picture_bar(pic, rail, 2, 0.5 * u, solid(RAIL, 0), false, false);
    draw_shadow(pic, s, rail, 2, 0.5 * u);
}

// Covers hide a symbol that lies within them, unless it is to be seen through them.
static void draw_joint(picture *pic, const skeleton *s, const skeleton_node *node, bool is_through)
{
    const lw_joint_type type = s->m->joints[node->joint].type;
    picture_look look = solid(node->is_dependent ? DEPENDENT : JOINT, 0.5 * node->unit);
    lw_pose X = node->X_WB;
    X.p = node->at;
    if (skeleton_is_carried(s, node)) {
        return; // nothing is there but the loops
    }
    if (skeleton_hides(s, node->at, 0.8 * node->unit)) {
        if (is_through) {
            look.layer = LAYER_GHOST;
            look.paint.opacity = 0.35;
            look.paint.pixels = 0.6;
            draw_symbol(pic, type, &X, node->unit, node->inner, look);
        }
        return;
    }
    if (type == LW_JOINT_PRISMATIC) {
        draw_guide(pic, s, node);
    } else if (type != LW_JOINT_FREE && type != LW_JOINT_SPHERICAL && type != LW_JOINT_PLANAR) {
        draw_axis(pic, node, 2.6);
    }
    draw_symbol(pic, type, &X, node->unit, node->inner, look);
}

void draw_robot(picture *pic, const skeleton *s, unsigned show, double *grid)
{
    *grid = draw_floor(pic, s);
    bool is_fixed = s->nnode == 1 && !s->node[0].has_shape;
    for (int c = s->node[0].first_child; c >= 0; c = s->node[c].next_child) {
        is_fixed = is_fixed || (!is_free(s, &s->node[c]) && !s->node[0].has_shape);
    }
    if (has_supports(s)) {
        draw_supports(pic, s);
    } else if (is_fixed) {
        draw_ground(pic, s, s->node[0].at, 5.2 * s->unit);
    }
    for (int i = 0; i < s->nnode; ++i) {
        draw_link(pic, s, &s->node[i]);
        if (i > 0) {
            draw_joint(pic, s, &s->node[i], (show & DRAW_SKELETON) != 0);
        }
    }
    draw_shapes(pic, s);
    const double floor = floor_height(s);
    draw_closure(pic, s, has_floor(pic) ? &floor : NULL);
    draw_springs(pic, s);
    draw_labels(pic, s, show);
}
