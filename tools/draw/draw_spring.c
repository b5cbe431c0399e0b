#include "draw/draw_spring.h"

#include <math.h>

enum { COILS = 7 };

static const picture_paint COIL = {.fill = NO_COLOR, .stroke = 0x2e7d4f, .opacity = 1, .pixels = 2};
static const picture_paint EYE = {
    .fill = 0xffffff, .stroke = 0x2e7d4f, .opacity = 1, .pixels = 1.6};

int drawn_springs(const lw_model *m)
{
    int count = 0;
    for (int i = 0; i < m->nspring; ++i) {
        count += !m->spring[i].is_torsion;
    }
    return count;
}

// Whether nothing but damping is in it.
static bool is_damper(const lw_spring_info *spring)
{
    for (int k = 0; k < spring->ncoefficient; ++k) {
        if (spring->coefficient[k] != 0) {
            return false;
        }
    }
    return spring->preload == 0;
}

static picture_point between(picture_point a, picture_point b, double share, double aside,
                             picture_point normal)
{
    return (picture_point){a.x + share * (b.x - a.x) + aside * normal.x,
                           a.y + share * (b.y - a.y) + aside * normal.y};
}

// A zigzag across the line of sight, with a straight piece at either end; a damper alone is a
// straight line with a box on it.
static void draw_spring(picture *pic, const lw_vec3 end[2], double unit, bool is_straight)
{
    const picture_point a = picture_see(pic, end[0]), b = picture_see(pic, end[1]);
    const double length = hypot(b.x - a.x, b.y - a.y);
    const double depth = 0.5 * (picture_depth(pic, end[0]) + picture_depth(pic, end[1])) + 4 * unit;
    const picture_look eye = {EYE, LAYER_BODY, 5 * unit};
    picture_begin(pic, PICTURE_LINE, LAYER_BODY, COIL, 0, depth);
    picture_add_seen(pic, a);
    if (length > 0) { // else it is seen along its line
        const picture_point normal = {-(b.y - a.y) / length, (b.x - a.x) / length};
        const double wide = fmin(0.8 * unit, 0.12 * length);
        if (!is_straight) {
            picture_add_seen(pic, between(a, b, 0.15, 0, normal));
        }
        for (int k = 0; k < 2 * COILS && !is_straight; ++k) {
            const double share = 0.15 + 0.7 * (k + 0.5) / (2 * COILS);
            picture_add_seen(pic, between(a, b, share, k % 2 == 0 ? wide : -wide, normal));
        }
        if (!is_straight) {
            picture_add_seen(pic, between(a, b, 0.85, 0, normal));
        } else {
            static const double corner[][2] = {{0.35, 0},  {0.35, 1}, {0.65, 1}, {0.65, -1},
                                               {0.35, -1}, {0.35, 0}, {0.5, 0}};
            for (size_t k = 0; k < sizeof corner / sizeof *corner; ++k) {
                picture_add_seen(pic, between(a, b, corner[k][0], corner[k][1] * wide, normal));
            }
        }
    }
    picture_add_seen(pic, b);
    picture_ball(pic, end[0], 0.22 * unit, eye);
    picture_ball(pic, end[1], 0.22 * unit, eye);
}

void draw_springs(picture *pic, const skeleton *s)
{
    for (int i = 0; i < s->m->nspring; ++i) {
        const lw_spring_info *spring = &s->m->spring[i];
        lw_vec3 end[2];
        for (int k = 0; k < 2 && !spring->is_torsion; ++k) {
            const skeleton_node *node = &s->node[s->node_of_body[spring->body[k] + 1]];
            end[k] = node->body < 0 ? spring->p[k] : lw_pose_apply(&node->X_WB, spring->p[k]);
        }
        if (!spring->is_torsion) {
            draw_spring(pic, end, s->unit, is_damper(spring));
        }
    }
}
