// A scene: its memory, the symbols of joints, the floor, springs, and all of it in order.

#include <linkwork/scene.h>

#include "scene_builder.h"

#include <math.h>
#include <stdlib.h>

// --- Shapes -----------------------------------------------------------------------------------

// Storage for one more element; NULL if allocation fails.
static void *grown(lwi_scene_builder *b, void *block, int count, int *room, size_t size)
{
    if (count < *room) {
        return block;
    }
    const int larger = *room ? 2 * *room : 64;
    void *moved = realloc(block, (size_t)larger * size);
    *room = moved ? larger : *room;
    b->is_short = b->is_short || !moved;
    return moved;
}

void lwi_scene_add(lwi_scene_builder *b, lw_scene_kind kind, lw_scene_role role, const lw_pose *X,
                   lw_vec3 size, double bias, unsigned flags)
{
    lw_scene_shape *shape = grown(b, b->shape, b->scene.nshape, &b->shape_room, sizeof *b->shape);
    if (shape) {
        b->shape = shape;
        shape[b->scene.nshape++] = (lw_scene_shape){.kind = kind,
                                                    .role = role,
                                                    .flags = flags,
                                                    .body = b->body,
                                                    .shape = b->cover,
                                                    .first = b->scene.npoint,
                                                    .X = X ? *X : lw_pose_identity(),
                                                    .size = size,
                                                    .bias = bias};
    }
}

void lwi_scene_add_point(lwi_scene_builder *b, lw_vec3 p)
{
    lw_vec3 *point = b->is_short ? NULL
                                 : grown(b, b->point, b->scene.npoint, &b->point_room,
                                         sizeof *b->point); // no point without a shape
    if (point) {
        b->point = point;
        point[b->scene.npoint++] = p;
        ++b->shape[b->scene.nshape - 1].count;
    }
}

void lwi_scene_line(lwi_scene_builder *b, lw_scene_role role, lw_vec3 p, lw_vec3 q)
{
    lwi_scene_add(b, LW_SCENE_LINE, role, NULL, lw_vec3_of(0, 0, 0), 0, 0);
    lwi_scene_add_point(b, p);
    lwi_scene_add_point(b, q);
}

void lwi_scene_bar(lwi_scene_builder *b, lw_scene_role role, const lw_vec3 *p, int count,
                   double width, double bias, unsigned flags)
{
    lwi_scene_add(b, LW_SCENE_BAR, role, NULL, lw_vec3_of(width, 0, 0), bias, flags);
    for (int i = 0; i < count; ++i) {
        lwi_scene_add_point(b, p[i]);
    }
}

void lwi_scene_sphere(lwi_scene_builder *b, lw_scene_role role, lw_vec3 center, double radius,
                      double bias)
{
    lw_pose X = lw_pose_identity();
    X.p = center;
    lwi_scene_add(b, LW_SCENE_SPHERE, role, &X, lw_vec3_of(radius, radius, radius), bias, 0);
}

void lwi_scene_label(lwi_scene_builder *b, lw_vec3 at, const char *text, int first, int last)
{
    lw_scene_label *label = grown(b, b->label, b->scene.nlabel, &b->label_room, sizeof *b->label);
    if (label) {
        b->label = label;
        label[b->scene.nlabel++] = (lw_scene_label){at, text, first, last};
    }
}

// --- Symbols of joints ------------------------------------------------------------------------

double lwi_symbol_radius(int inner)
{
    return pow(0.66, inner);
}

double lwi_symbol_reach(int inner)
{
    return 1.05 + 0.45 * inner;
}

void lwi_scene_symbol(lwi_scene_builder *b, lw_scene_role role, lw_joint_type type,
                      const lw_pose *X, double unit, int inner, double bias, unsigned flags)
{
    const double radius = lwi_symbol_radius(inner), reach = lwi_symbol_reach(inner);
    lw_scene_kind kind = LW_SCENE_SPHERE;
    lw_vec3 size = {1, 1, 1}; // in units
    switch (type) {
    case LW_JOINT_REVOLUTE:
        kind = LW_SCENE_CYLINDER;
        size = lw_vec3_of(radius, radius, 2 * reach);
        break;
    case LW_JOINT_PRISMATIC:
        kind = LW_SCENE_BOX;
        size = lw_vec3_of(1.7, 1.7, 2.4);
        break;
    case LW_JOINT_SCREW:
    case LW_JOINT_CYLINDRICAL:
        kind = LW_SCENE_CYLINDER;
        size = lw_vec3_of(0.75, 0.75, 3.4);
        break;
    case LW_JOINT_PLANAR:
        kind = LW_SCENE_BOX;
        size = lw_vec3_of(3.2, 3.2, 0.5);
        break;
    case LW_JOINT_UNIVERSAL:
        lwi_scene_add(b, LW_SCENE_CYLINDER, role, X, lw_vec3_of(0.4 * unit, 0.4 * unit, 2.6 * unit),
                      bias, flags);
        size = lw_vec3_of(0.8, 0.8, 0.8);
        break;
    case LW_JOINT_FREE:
        flags |= LW_SCENE_HOLLOW;
        size = lw_vec3_of(0.8, 0.8, 0.8);
        break;
    default:
        break;
    }
    lwi_scene_add(b, kind, role, X, lw_scale3(unit, size), bias, flags);
}

// --- Floor ------------------------------------------------------------------------------------

// The largest of 1, 2, 5, 10, ... that is not above x.
static double round_step(double x)
{
    const double power = pow(10, floor(log10(x)));
    return power * (x >= 5 * power ? 5 : x >= 2 * power ? 2 : 1);
}

// Lines of one direction; every fifth is stronger.
static void add_grid(lwi_scene_builder *b, bool is_along_x, const double low[2],
                     const double high[2])
{
    const int k = is_along_x ? 1 : 0;
    const double step = b->scene.grid, z = b->scene.floor;
    for (long i = lround(low[k] / step); i <= lround(high[k] / step); ++i) {
        const double at = (double)i * step;
        lwi_scene_line(b, i % 5 == 0 ? LW_SCENE_GRID_MAJOR : LW_SCENE_GRID,
                       lw_vec3_of(is_along_x ? low[0] : at, is_along_x ? at : low[1], z),
                       lw_vec3_of(is_along_x ? high[0] : at, is_along_x ? at : high[1], z));
    }
}

void lwi_scene_floor(lwi_scene_builder *b)
{
    const lwi_skeleton *s = b->s;
    const double size = lw_norm3(lw_sub3(s->high, s->low)), margin = 2.5 * s->unit;
    const double step = round_step(fmax(size, 4 * s->unit) / 8);
    const double low[2] = {step * floor((s->low.x - margin) / step),
                           step * floor((s->low.y - margin) / step)};
    const double high[2] = {step * ceil((s->high.x + margin) / step),
                            step * ceil((s->high.y + margin) / step)};
    b->scene.floor = s->low.z < -0.03 * size ? s->low.z : 0;
    b->scene.grid = step;
    add_grid(b, true, low, high);
    add_grid(b, false, low, high);
}

// --- Springs ----------------------------------------------------------------------------------

static bool is_damper(const lw_spring_info *spring)
{
    for (int k = 0; k < spring->ncoefficient; ++k) {
        if (spring->coefficient[k] != 0) {
            return false;
        }
    }
    return spring->preload == 0;
}

// Between two points; torsions and planes have no place.
void lwi_scene_springs(lwi_scene_builder *b)
{
    const double unit = b->s->unit;
    b->body = -1;
    for (int i = 0; i < b->s->m->nspring; ++i) {
        const lw_spring_info *spring = &b->s->m->spring[i];
        if (spring->is_torsion || spring->along == LW_SPRING_NORMAL) {
            continue;
        }
        lw_vec3 end[2];
        for (int k = 0; k < 2; ++k) {
            end[k] =
                lw_pose_apply(&lwi_skeleton_node_of(b->s, spring->body[k])->X_WB, spring->p[k]);
        }
        lwi_scene_add(b, LW_SCENE_SPRING, is_damper(spring) ? LW_SCENE_DAMPER : LW_SCENE_ELASTIC,
                      NULL, lw_vec3_of(0.8 * unit, 0, 0), 4 * unit, 0);
        lwi_scene_add_point(b, end[0]);
        lwi_scene_add_point(b, end[1]);
        lwi_scene_sphere(b, LW_SCENE_SPRING_END, end[0], 0.22 * unit, 5 * unit);
        lwi_scene_sphere(b, LW_SCENE_SPRING_END, end[1], 0.22 * unit, 5 * unit);
    }
}

// --- Together ---------------------------------------------------------------------------------

// The axis that all joints rotate about, or slide across; zero if there is none.
static lw_vec3 common_normal(const lwi_skeleton *s)
{
    lw_vec3 normal = {0, 0, 0};
    for (int i = 1; i < s->nnode; ++i) {
        if (s->m->joints[s->node[i].joint].type == LW_JOINT_REVOLUTE) {
            normal = s->node[i].axis;
        }
    }
    for (int i = 1; i < s->nnode; ++i) {
        const lw_joint_type type = s->m->joints[s->node[i].joint].type;
        const double along = fabs(lw_dot3(normal, s->node[i].axis));
        if (!(type == LW_JOINT_REVOLUTE && along > 0.999) &&
            !(type == LW_JOINT_PRISMATIC && along < 0.001)) {
            return lw_vec3_of(0, 0, 0);
        }
    }
    return normal;
}

lw_status lw_scene_create(const lw_model *m, const lw_data *d, unsigned show, lw_scene **scene)
{
    if (!scene) {
        return LW_ERR_ARGUMENT;
    }
    *scene = NULL;
    if (!m || !d) {
        return LW_ERR_ARGUMENT;
    }
    lwi_skeleton s;
    lwi_scene_builder b = {.s = &s, .body = -1, .cover = -1};
    lw_scene *made = NULL;
    lw_status status = lwi_skeleton_init(&s, m, d);
    if (status == LW_OK && !isfinite(lw_norm3(lw_sub3(s.high, s.low)))) {
        status = LW_ERR_NUMBER;
    }
    if (status == LW_OK) {
        lwi_scene_floor(&b);
        lwi_scene_links(&b, (show & LW_SCENE_SHOW_HIDDEN) != 0);
        lwi_scene_closure(&b);
        lwi_scene_springs(&b);
        lwi_scene_labels(&b, show);
        made = b.is_short ? NULL : malloc(sizeof *made);
        status = made ? LW_OK : LW_ERR_MEMORY;
    }
    if (made) {
        *made = b.scene;
        made->shape = b.shape;
        made->point = b.point;
        made->label = b.label;
        made->low = s.low;
        made->high = s.high;
        made->unit = s.unit;
        made->normal = common_normal(&s);
        *scene = made;
    } else {
        free(b.shape);
        free(b.point);
        free(b.label);
    }
    lwi_skeleton_free(&s);
    return status;
}

void lw_scene_destroy(lw_scene *scene)
{
    if (scene) {
        free((lw_scene_shape *)scene->shape);
        free((lw_vec3 *)scene->point);
        free((lw_scene_label *)scene->label);
        free(scene);
    }
}
