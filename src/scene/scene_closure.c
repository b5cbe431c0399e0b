// What ties branches of the tree: rods, closing joints and gears.

#include "scene_builder.h"

#include <math.h>

// --- Loops ------------------------------------------------------------------------------------

static double unit_at(const lwi_skeleton *s, int loop)
{
    double unit = s->unit;
    for (int side = 0; side < 2; ++side) {
        const int body = s->m->frame[s->m->loop[loop].frame[side]].body;
        unit = fmin(unit, lwi_skeleton_node_of(s, body)->unit);
    }
    return unit;
}

static void add_rod(lwi_scene_builder *b, int loop)
{
    const double u = unit_at(b->s, loop), width = 0.5 * u;
    const lw_vec3 p[2] = {b->s->X_WE[2 * loop].p, b->s->X_WE[2 * loop + 1].p};
    lwi_scene_bar(b, LW_SCENE_ROD, p, 2, width, 0.8 * u, 0);
    for (int side = 0; side < 2; ++side) { // in front of its link
        lwi_scene_sphere(b, LW_SCENE_CLOSING_JOINT, p[side], 0.5 * u, 4 * u);
    }
    lwi_scene_bar(b, LW_SCENE_SHADOW, p, 2, width, 0, 0);
}

static void add_closing_joint(lwi_scene_builder *b, int loop)
{
    const double u = 0.9 * unit_at(b->s, loop);
    lwi_scene_symbol(b, LW_SCENE_CLOSING_JOINT, b->s->m->loop[loop].type, &b->s->X_WE[2 * loop], u,
                     0, u, 0);
}

// --- Gears ------------------------------------------------------------------------------------

static void add_cylinder(lwi_scene_builder *b, const lw_pose *X, double radius, double length)
{
    lwi_scene_add(b, LW_SCENE_CYLINDER, LW_SCENE_WHEEL, X, lw_vec3_of(radius, radius, length), 0,
                  0);
}

// A wheel that nothing else shows: a slice or, of a bevel wheel, a piece of its cone.
static void add_wheel(lwi_scene_builder *b, const lwi_wheel_pair *pair, int k)
{
    const double height = fmin(0.9 * b->s->unit, 0.5 * pair->radius[k]);
    if (pair->cone[k] > 0) {
        const double depth = fmin(height, 0.6 * pair->cone[k]);
        const double top = pair->radius[k] * (1 - depth / pair->cone[k]);
        lwi_scene_add(b, LW_SCENE_CONE, LW_SCENE_WHEEL, &pair->X[k],
                      lw_vec3_of(pair->radius[k], top, depth), 0, 0);
    } else {
        add_cylinder(b, &pair->X[k], pair->radius[k], height);
    }
}

// Between the points where a straight belt leaves the two wheels, on both sides.
static void add_belt(lwi_scene_builder *b, const lwi_wheel_pair *pair, lw_scene_role role)
{
    const lw_vec3 u = lwi_z_axis(&pair->X[0].R), way = lw_sub3(pair->X[1].p, pair->X[0].p);
    const double distance = lw_norm3(way);
    const lw_vec3 e = lw_scale3(1 / distance, way), n = lw_cross3(u, e);
    const double c = (pair->radius[0] - pair->radius[1]) / distance;
    for (int side = -1; side <= 1; side += 2) {
        const double sine = side * sqrt(fmax(0, 1 - c * c));
        const lw_vec3 normal = lw_add3(lw_scale3(c, e), lw_scale3(sine, n));
        lwi_scene_line(b, role, lw_add3(pair->X[0].p, lw_scale3(pair->radius[0], normal)),
                       lw_add3(pair->X[1].p, lw_scale3(pair->radius[1], normal)));
    }
}

static void add_rack(lwi_scene_builder *b, const lwi_wheel_pair *pair)
{
    const lw_vec3 half = lw_scale3(pair->radius[1], lwi_z_axis(&pair->X[1].R));
    const lw_vec3 out = lw_sub3(pair->mesh, pair->X[0].p);
    const lw_vec3 shift = lw_scale3(0.4 * b->s->unit / lw_norm3(out), out);
    const lw_vec3 p[2] = {lw_add3(lw_sub3(pair->X[1].p, half), shift),
                          lw_add3(lw_add3(pair->X[1].p, half), shift)};
    lwi_scene_bar(b, LW_SCENE_WHEEL, p, 2, 0.8 * b->s->unit, 0,
                  LW_SCENE_FLAT_BEGIN | LW_SCENE_FLAT_END);
}

// One side of a gear: its rack, its worm, or its wheel with the pitch circle.
static void add_side(lwi_scene_builder *b, const lw_gear_info *gear, const lwi_wheel_pair *pair,
                     int k)
{
    const bool is_ring =
        gear->type == LW_GEAR_INTERNAL && k == (gear->size[1] > gear->size[0] ? 1 : 0);
    const double r = pair->radius[k];
    b->body = gear->body[k];
    if (gear->type == LW_GEAR_RACK && k == 1) {
        add_rack(b, pair);
        return;
    }
    if (gear->type == LW_GEAR_WORM && k == 0) {
        add_cylinder(b, &pair->X[k], r, 1.6 * pair->radius[1]);
        return;
    }
    if (is_ring) {
        lwi_scene_add(b, LW_SCENE_RING, LW_SCENE_WHEEL, &pair->X[k], lw_vec3_of(r, 1.12 * r, 0), 0,
                      0);
    } else if (!lwi_skeleton_node_of(b->s, gear->body[k])->has_shape) {
        add_wheel(b, pair, k);
    }
    lwi_scene_add(b, LW_SCENE_CIRCLE, LW_SCENE_PITCH_CIRCLE, &pair->X[k], lw_vec3_of(r, r, 0), 0,
                  0);
}

static void add_gear(lwi_scene_builder *b, int g)
{
    const lw_gear_info *gear = &b->s->m->gear[g];
    const lwi_wheel_pair *pair = &b->s->pair[g];
    for (int k = 0; k < 2 && pair->is_known; ++k) {
        add_side(b, gear, pair, k);
    }
    b->body = -1;
    if (pair->is_known && (gear->type == LW_GEAR_BELT || gear->type == LW_GEAR_CHAIN)) {
        add_belt(b, pair, gear->type == LW_GEAR_CHAIN ? LW_SCENE_CHAIN : LW_SCENE_BELT);
    } else if (pair->is_known) {
        lwi_scene_sphere(b, LW_SCENE_MESH, pair->mesh, 0.36 * b->s->unit, 0);
    }
}

void lwi_scene_closure(lwi_scene_builder *b)
{
    b->body = -1;
    for (int i = 0; i < b->s->m->nloop; ++i) {
        if (b->s->m->loop[i].is_rod) {
            add_rod(b, i);
        } else {
            add_closing_joint(b, i);
        }
    }
    for (int g = 0; g < b->s->m->ngear; ++g) {
        add_gear(b, g);
    }
}
