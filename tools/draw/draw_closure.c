#include "draw/draw_closure.h"

#include "draw/draw_symbol.h"

#include <math.h>

static const picture_paint ROD = {
    .fill = 0xfbf3e4, .stroke = 0x6b4a17, .opacity = 1, .pixels = 1.1};
static const picture_paint CLOSER = {
    .fill = 0xe6b265, .stroke = 0x6b4a17, .opacity = 1, .pixels = 1.2};
static const picture_paint WHEEL = {
    .fill = 0xe9edf1, .stroke = 0x6c7885, .opacity = 0.7, .pixels = 1};
static const picture_paint PITCH = {
    .fill = NO_COLOR, .stroke = 0x8a5a12, .pixels = 1.3, .is_dashed = true};
static const picture_paint BELT = {.fill = NO_COLOR, .stroke = 0x3d4753, .pixels = 2};
static const picture_paint MESH = {.fill = 0xc8322f, .stroke = 0xffffff, .opacity = 1, .pixels = 1};
static const picture_paint SHADOW = {.fill = 0x000000, .stroke = NO_COLOR, .opacity = 1};

static picture_look solid(picture_paint paint, double bias)
{
    return (picture_look){paint, LAYER_BODY, bias};
}

static lw_vec3 z_axis(const lw_pose *X)
{
    return lw_vec3_of(X->R.row[0].z, X->R.row[1].z, X->R.row[2].z);
}

// --- Loops ------------------------------------------------------------------------------------

static double unit_at(const skeleton *s, int loop)
{
    double unit = s->unit;
    for (int side = 0; side < 2; ++side) {
        const int body = s->m->frame[s->m->loop[loop].frame[side]].body;
        unit = fmin(unit, s->node[s->node_of_body[body + 1]].unit);
    }
    return unit;
}

static void draw_rod(picture *pic, const skeleton *s, int loop, const double *floor)
{
    const double u = unit_at(s, loop), width = 0.5 * u;
    const lw_vec3 p[2] = {s->X_WE[2 * loop].p, s->X_WE[2 * loop + 1].p};
    picture_bar(pic, p, 2, width, solid(ROD, 0.8 * u), false, false);
    for (int side = 0; side < 2; ++side) {
        picture_ball(pic, p[side], 0.5 * u, solid(CLOSER, 4 * u)); // in front of its link
    }
    if (floor) {
        picture_begin(pic, PICTURE_BAR, LAYER_SHADOW, SHADOW, width, 0);
        for (int side = 0; side < 2; ++side) {
            picture_add(pic, lw_vec3_of(p[side].x, p[side].y, *floor));
        }
    }
}

static void draw_closing_joint(picture *pic, const skeleton *s, int loop)
{
    const double u = 0.9 * unit_at(s, loop);
    draw_symbol(pic, s->m->loop[loop].type, &s->X_WE[2 * loop], u, 0, solid(CLOSER, u));
}

// --- Gears ------------------------------------------------------------------------------------

// A wheel that nothing else shows, as a slice or, of a bevel wheel, as a piece of its cone.
static void draw_wheel(picture *pic, const skeleton *s, const wheel_pair *pair, int k)
{
    const double height = fmin(0.9 * s->unit, 0.5 * pair->radius[k]);
    lw_pose X = pair->X[k];
    if (pair->cone[k] > 0) {
        const double depth = fmin(height, 0.6 * pair->cone[k]);
        const double top = pair->radius[k] * (1 - depth / pair->cone[k]);
        picture_cone(pic, &X, pair->radius[k], top, depth, solid(WHEEL, 0));
        return;
    }
    picture_cylinder(pic, &X, pair->radius[k], height, solid(WHEEL, 0));
}

// Where a straight belt leaves the two wheels, on both sides.
static void draw_belt(picture *pic, const wheel_pair *pair, bool is_chain)
{
    const lw_vec3 u = z_axis(&pair->X[0]), way = lw_sub3(pair->X[1].p, pair->X[0].p);
    const double distance = lw_norm3(way);
    const lw_vec3 e = lw_scale3(1 / distance, way), n = lw_cross3(u, e);
    const double c = (pair->radius[0] - pair->radius[1]) / distance;
    picture_paint paint = BELT;
    paint.is_dashed = is_chain;
    for (int side = -1; side <= 1; side += 2) {
        const double sine = side * sqrt(fmax(0, 1 - c * c));
        const lw_vec3 normal = lw_add3(lw_scale3(c, e), lw_scale3(sine, n));
        picture_line(pic, LAYER_GHOST, paint,
                     lw_add3(pair->X[0].p, lw_scale3(pair->radius[0], normal)),
                     lw_add3(pair->X[1].p, lw_scale3(pair->radius[1], normal)));
    }
}

static void draw_rack(picture *pic, const skeleton *s, const wheel_pair *pair)
{
    const lw_vec3 slide = z_axis(&pair->X[1]), half = lw_scale3(pair->radius[1], slide);
    const lw_vec3 out = lw_sub3(pair->mesh, pair->X[0].p);
    const lw_vec3 shift = lw_scale3(0.4 * s->unit / lw_norm3(out), out);
    const lw_vec3 p[2] = {lw_add3(lw_sub3(pair->X[1].p, half), shift),
                          lw_add3(lw_add3(pair->X[1].p, half), shift)};
    picture_bar(pic, p, 2, 0.8 * s->unit, solid(WHEEL, 0), true, true);
}

static void draw_gear(picture *pic, const skeleton *s, int g)
{
    const lw_gear_info *gear = &s->m->gear[g];
    const wheel_pair *pair = &s->pair[g];
    if (!pair->is_known) {
        return;
    }
    const int ring = gear->type == LW_GEAR_INTERNAL ? gear->size[1] > gear->size[0] : -1;
    for (int k = 0; k < 2; ++k) {
        const bool has_shape = s->node[s->node_of_body[gear->body[k] + 1]].has_shape;
        const bool is_rack = gear->type == LW_GEAR_RACK && k == 1;
        const bool is_worm = gear->type == LW_GEAR_WORM && k == 0;
        if (is_rack) {
            draw_rack(pic, s, pair);
            continue;
        }
        if (is_worm) {
            picture_cylinder(pic, &pair->X[k], pair->radius[k], 1.6 * pair->radius[1],
                             solid(WHEEL, 0));
            continue;
        }
        if (k == ring) {
            picture_ring(pic, &pair->X[k], pair->radius[k], 1.12 * pair->radius[k],
                         solid(WHEEL, 0));
        } else if (!has_shape) {
            draw_wheel(pic, s, pair, k);
        }
        picture_circle(pic, &pair->X[k], pair->radius[k], LAYER_GHOST, PITCH);
    }
    if (gear->type == LW_GEAR_BELT || gear->type == LW_GEAR_CHAIN) {
        draw_belt(pic, pair, gear->type == LW_GEAR_CHAIN);
    } else {
        const picture_look look = {MESH, LAYER_MARK, 0};
        picture_ball(pic, pair->mesh, 0.36 * s->unit, look);
    }
}

void draw_closure(picture *pic, const skeleton *s, const double *floor)
{
    for (int i = 0; i < s->m->nloop; ++i) {
        if (s->m->loop[i].is_rod) {
            draw_rod(pic, s, i, floor);
        } else {
            draw_closing_joint(pic, s, i);
        }
    }
    for (int g = 0; g < s->m->ngear; ++g) {
        draw_gear(pic, s, g);
    }
}
