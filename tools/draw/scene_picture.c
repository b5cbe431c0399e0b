#include "draw/scene_picture.h"

#include <math.h>

/// How the shapes of a role are painted.
typedef struct role_look {
    picture_paint paint;
    picture_layer layer;
} role_look;

#define SOLID(f, s, p)                                                                             \
    {                                                                                              \
        {.fill = f, .stroke = s, .opacity = 1, .pixels = p}, LAYER_BODY                            \
    }
#define STROKE(s, p, where)                                                                        \
    {                                                                                              \
        {.fill = NO_COLOR, .stroke = s, .opacity = 1, .pixels = p}, where                          \
    }
#define DASHES(s, p, where)                                                                        \
    {                                                                                              \
        {.fill = NO_COLOR, .stroke = s, .pixels = p, .is_dashed = true}, where                     \
    }

static const role_look looks[LW_SCENE_ROLE_COUNT] = {
    [LW_SCENE_GRID] = STROKE(0xe3e7eb, 1, LAYER_FLOOR),
    [LW_SCENE_GRID_MAJOR] = STROKE(0xcfd5db, 1, LAYER_FLOOR),
    [LW_SCENE_SHADOW] = {{.fill = 0x000000, .stroke = NO_COLOR, .opacity = 1}, LAYER_SHADOW},
    [LW_SCENE_GROUND] = SOLID(0xf0f2f4, 0x6c7885, 1),
    [LW_SCENE_LINK] = SOLID(0xdde3ea, 0x3d4753, 1.3),
    [LW_SCENE_COVER] = SOLID(0xe1e6ec, 0x5f6b78, 1.1),
    [LW_SCENE_CENTER_OF_MASS] = SOLID(0xc9d1da, 0x3d4753, 1.3),
    [LW_SCENE_JOINT] = SOLID(0x4d8bbf, 0x1d3c57, 1.2),
    [LW_SCENE_DEPENDENT_JOINT] = SOLID(0xb7c9d9, 0x4b6073, 1.2),
    [LW_SCENE_CLOSING_JOINT] = SOLID(0xe6b265, 0x6b4a17, 1.2),
    [LW_SCENE_AXIS] = DASHES(0x1d3c57, 0.9, LAYER_BODY),
    [LW_SCENE_RAIL] = SOLID(0x8b96a3, 0x3d4753, 1),
    [LW_SCENE_ROD] = SOLID(0xfbf3e4, 0x6b4a17, 1.1),
    [LW_SCENE_WHEEL] = {{.fill = 0xe9edf1, .stroke = 0x6c7885, .opacity = 0.7, .pixels = 1},
                        LAYER_BODY},
    [LW_SCENE_PITCH_CIRCLE] = DASHES(0x8a5a12, 1.3, LAYER_GHOST),
    [LW_SCENE_BELT] = STROKE(0x3d4753, 2, LAYER_GHOST),
    [LW_SCENE_CHAIN] = DASHES(0x3d4753, 2, LAYER_GHOST),
    [LW_SCENE_MESH] = {{.fill = 0xc8322f, .stroke = 0xffffff, .opacity = 1, .pixels = 1},
                       LAYER_MARK},
    [LW_SCENE_ELASTIC] = STROKE(0x2e7d4f, 2, LAYER_BODY),
    [LW_SCENE_DAMPER] = STROKE(0x2e7d4f, 2, LAYER_BODY),
    [LW_SCENE_SPRING_END] = SOLID(0xffffff, 0x2e7d4f, 1.6),
    [LW_SCENE_FRAME_X] = STROKE(0xc8322f, 2.2, LAYER_MARK),
    [LW_SCENE_FRAME_Y] = STROKE(0x2e8b3d, 2.2, LAYER_MARK),
    [LW_SCENE_FRAME_Z] = STROKE(0x2563b8, 2.2, LAYER_MARK),
};

bool picture_has_floor(const picture *pic)
{
    return pic->view == VIEW_ISO || pic->view == VIEW_TOP;
}

static picture_look look_of(const lw_scene_shape *shape)
{
    picture_look look = {looks[shape->role].paint, looks[shape->role].layer, shape->bias,
                         shape->role == LW_SCENE_COVER};
    if (shape->flags & LW_SCENE_HOLLOW) {
        look.paint.fill = 0xffffff;
    }
    if (shape->flags & LW_SCENE_SEE_THROUGH) {
        const bool is_cover = shape->role == LW_SCENE_COVER;
        look.layer = LAYER_GHOST;
        look.paint.opacity = is_cover ? 0.12 : 0.35;
        look.paint.pixels = is_cover ? 0.7 : 0.6;
    }
    return look;
}

// --- Springs ----------------------------------------------------------------------------------

enum { COILS = 7 };

// A zigzag across the line of sight, with a straight piece at either end; a damper is a straight
// line with a box on it.
static void paint_spring(picture *pic, const lw_vec3 end[2], double widest, bool is_damper,
                         picture_look look)
{
    static const double box[][2] = {{0.35, 0},  {0.35, 1}, {0.65, 1}, {0.65, -1},
                                    {0.35, -1}, {0.35, 0}, {0.5, 0}};
    enum { CORNERS = sizeof box / sizeof *box };
    const picture_point a = picture_see(pic, end[0]), b = picture_see(pic, end[1]);
    const double length = hypot(b.x - a.x, b.y - a.y), wide = fmin(widest, 0.12 * length);
    const double depth = 0.5 * (picture_depth(pic, end[0]) + picture_depth(pic, end[1]));
    picture_begin(pic, PICTURE_LINE, look.layer, look.paint, 0, depth + look.bias);
    picture_add_seen(pic, a);
    const int corners = is_damper ? CORNERS : 2 * COILS + 2;
    for (int k = 0; k < corners && length > 0; ++k) { // else it is seen along its line
        const bool is_end = k == 0 || k == corners - 1;
        const double share = is_damper ? box[k][0]
                             : is_end  ? (k == 0 ? 0.15 : 0.85)
                                       : 0.15 + 0.7 * (k - 0.5) / (2 * COILS);
        const double aside = is_damper ? wide * box[k][1] : is_end ? 0 : k % 2 ? wide : -wide;
        picture_add_seen(pic,
                         (picture_point){a.x + share * (b.x - a.x) - aside * (b.y - a.y) / length,
                                         a.y + share * (b.y - a.y) + aside * (b.x - a.x) / length});
    }
    picture_add_seen(pic, b);
}

// --- Shapes -----------------------------------------------------------------------------------

// The edges of what does not move are hatched, where they are seen.
static void paint_hatches(picture *pic, const lw_scene_shape *shape)
{
    static const picture_paint HATCH = {.fill = NO_COLOR, .stroke = 0x6c7885, .pixels = 1};
    const double side = shape->size.x, height = shape->size.z;
    const lw_vec3 at = lw_add3(shape->X.p, lw_vec3_of(0, 0, 0.5 * height));
    const lw_vec3 corner[3] = {{at.x - 0.5 * side, at.y - 0.5 * side, at.z},
                               {at.x + 0.5 * side, at.y - 0.5 * side, at.z},
                               {at.x + 0.5 * side, at.y + 0.5 * side, at.z}};
    for (int edge = 0; edge < 2; ++edge) {
        const lw_vec3 way = lw_sub3(corner[edge + 1], corner[edge]);
        const lw_vec3 normal = edge == 0 ? lw_vec3_of(0, -1, 0) : lw_vec3_of(1, 0, 0);
        for (int i = 0; i < 9 && lw_dot3(normal, pic->toward) >= 1e-6; ++i) {
            lw_vec3 bottom = lw_add3(corner[edge], lw_scale3((i + 0.25) / 9, way));
            bottom.z -= height;
            picture_begin(pic, PICTURE_LINE, LAYER_BODY, HATCH, 0,
                          picture_depth(pic, shape->X.p) + shape->bias);
            picture_add(pic, lw_add3(corner[edge], lw_scale3((i + 0.75) / 9, way)));
            picture_add(pic, bottom);
        }
    }
}

// A hull, at the depth of the middle of its corners.
static void paint_hull(picture *pic, const lw_scene_shape *shape, const lw_vec3 *p,
                       picture_look look)
{
    lw_vec3 sum = {0, 0, 0};
    for (int i = 0; i < shape->count; ++i) {
        sum = lw_add3(sum, p[i]);
    }
    const double depth = picture_depth(pic, sum) / (shape->count > 0 ? shape->count : 1);
    picture_begin(pic, PICTURE_BLOB, look.layer, look.paint, shape->size.x, depth + look.bias);
    for (int i = 0; i < shape->count; ++i) {
        picture_add(pic, p[i]);
    }
    picture_hull(pic);
}

// What a shape casts straight down.
static void paint_shadow(picture *pic, const lw_scene_shape *shape, const lw_vec3 *p, double z)
{
    const picture_paint paint = looks[LW_SCENE_SHADOW].paint;
    const double r = shape->size.x, length = shape->kind == LW_SCENE_SPHERE ? 0 : shape->size.z;
    if (shape->kind == LW_SCENE_BOX) {
        picture_box_shadow(pic, &shape->X, shape->size, paint, z);
        return;
    }
    if (shape->count == 0) {
        picture_round_shadow(pic, &shape->X, r, length, shape->kind != LW_SCENE_CYLINDER, paint, z);
        return;
    }
    picture_begin(pic, shape->kind == LW_SCENE_HULL ? PICTURE_BLOB : PICTURE_BAR, LAYER_SHADOW,
                  paint, r, 0);
    for (int i = 0; i < shape->count; ++i) {
        picture_add(pic, lw_vec3_of(p[i].x, p[i].y, z));
    }
    if (shape->kind == LW_SCENE_HULL) {
        picture_hull(pic);
    }
}

static void paint_shape(picture *pic, const lw_scene_shape *shape, const lw_vec3 *p,
                        picture_look look)
{
    const lw_pose *X = &shape->X;
    const lw_vec3 size = shape->size;
    switch (shape->kind) {
    case LW_SCENE_LINE:
        picture_line(pic, look.layer, look.paint, p[0], p[1]);
        break;
    case LW_SCENE_BAR:
        picture_bar(pic, p, shape->count, size.x, look, (shape->flags & LW_SCENE_FLAT_BEGIN) != 0,
                    (shape->flags & LW_SCENE_FLAT_END) != 0);
        break;
    case LW_SCENE_HULL:
        paint_hull(pic, shape, p, look);
        break;
    case LW_SCENE_SPRING:
        paint_spring(pic, p, size.x, shape->role == LW_SCENE_DAMPER, look);
        break;
    case LW_SCENE_BOX:
        picture_box(pic, X, size, look);
        if (shape->role == LW_SCENE_GROUND) {
            paint_hatches(pic, shape);
        }
        break;
    case LW_SCENE_CYLINDER:
        picture_cylinder(pic, X, size.x, size.z, look);
        break;
    case LW_SCENE_CAPSULE:
        picture_capsule(pic, X, size.x, size.z, look);
        break;
    case LW_SCENE_SPHERE:
        picture_ball(pic, X->p, size.x, look);
        break;
    case LW_SCENE_CONE:
        picture_cone(pic, X, size.x, size.y, size.z, look);
        break;
    case LW_SCENE_RING:
        picture_ring(pic, X, size.x, size.y, look);
        break;
    case LW_SCENE_CIRCLE:
        picture_circle(pic, X, size.x, look.layer, look.paint);
        break;
    case LW_SCENE_TRIANGLES:
        for (int i = 0; i + 2 < shape->count; i += 3) {
            picture_triangle(pic, p + i, look);
        }
        break;
    }
}

// A shape in its own color; what stands for a mesh, or round others, keeps the look of its role.
static void paint_own(picture_look *look, const lw_scene_shape *shape, const lw_shape_info *own)
{
    if (shape->role != LW_SCENE_COVER || !own->has_color) {
        return;
    }
    const lw_color *c = &own->color;
    look->paint.fill =
        (int)lround(255 * c->r) << 16 | (int)lround(255 * c->g) << 8 | (int)lround(255 * c->b);
    look->paint.stroke = picture_shade(look->paint.fill, -0.45);
    look->paint.opacity *= c->a;
}

void picture_scene(picture *pic, const lw_scene *scene, const lw_shape_info *own,
                   const bool *is_marked)
{
    for (int i = 0; i < scene->nshape; ++i) {
        const lw_scene_shape *shape = &scene->shape[i];
        const lw_vec3 *p = scene->point + shape->first;
        if (shape->role != LW_SCENE_SHADOW) {
            picture_look look = look_of(shape);
            if (shape->shape >= 0) {
                paint_own(&look, shape, &own[shape->shape]);
            }
            if (is_marked && shape->shape >= 0 && is_marked[shape->shape]) {
                look.paint.fill = 0xe58a80;
            }
            paint_shape(pic, shape, p, look);
        } else if (picture_has_floor(pic)) {
            paint_shadow(pic, shape, p, scene->floor);
        }
    }
    for (int i = 0; i < scene->nlabel; ++i) {
        const lw_scene_label *label = &scene->label[i];
        picture_label_at(
            pic, label->at,
            label->text ? label->text
            : label->first == label->last
                ? memory_text(pic->pool, "q%d", label->first + 1)
                : memory_text(pic->pool, "q%d to q%d", label->first + 1, label->last + 1));
    }
}

// The floor, the ground and frames are those of the configuration in front.
static bool is_of_ghost(lw_scene_role role)
{
    return role >= LW_SCENE_LINK && role <= LW_SCENE_SPRING_END && role != LW_SCENE_AXIS &&
           role != LW_SCENE_MESH && role != LW_SCENE_PITCH_CIRCLE;
}

void picture_ghost(picture *pic, const lw_scene *scene)
{
    static const double WHITE = 0.62; // as much as still separates links from the paper
    for (int i = 0; i < scene->nshape; ++i) {
        const lw_scene_shape *shape = &scene->shape[i];
        if (is_of_ghost(shape->role)) {
            picture_look look = look_of(shape);
            look.layer = LAYER_PALE;
            look.paint.stroke = picture_shade(look.paint.stroke, WHITE);
            look.paint.fill =
                look.paint.fill == NO_COLOR ? NO_COLOR : picture_shade(look.paint.fill, WHITE);
            paint_shape(pic, shape, scene->point + shape->first, look);
        }
    }
}
