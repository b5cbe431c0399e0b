#include "draw/picture.h"

#include "support/numeral.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Camera -----------------------------------------------------------------------------------

// z is up in every view but the one from above. Isometric: the three axes are seen equally short,
// x to the lower right, as a mechanism that works towards +x is usually shown.
void picture_init(picture *pic, memory *pool, picture_view view)
{
    static const lw_vec3 toward[] = {
        [VIEW_ISO] = {0.57735026918962576, -0.57735026918962576, 0.57735026918962576},
        [VIEW_FRONT] = {1, 0, 0},
        [VIEW_SIDE] = {0, -1, 0},
        [VIEW_TOP] = {0, 0, 1},
    };
    *pic = (picture){.view = view, .toward = toward[view], .pool = pool};
    const lw_vec3 up = view == VIEW_TOP ? lw_vec3_of(0, 1, 0) : lw_vec3_of(0, 0, 1);
    const lw_vec3 right = lw_cross3(up, pic->toward);
    pic->right = lw_scale3(1 / lw_norm3(right), right);
    pic->up = lw_cross3(pic->toward, pic->right);
}

picture_point picture_see(const picture *pic, lw_vec3 p)
{
    return (picture_point){lw_dot3(pic->right, p), lw_dot3(pic->up, p)};
}

double picture_depth(const picture *pic, lw_vec3 p)
{
    return lw_dot3(pic->toward, p);
}

// --- Items ------------------------------------------------------------------------------------

// The block, or a copy of it with twice the capacity if it is full.
static void *grown(picture *pic, void *block, int count, int *capacity, size_t size)
{
    if (count < *capacity) {
        return block;
    }
    *capacity = *capacity ? 2 * *capacity : 64;
    void *moved = memory_get(pic->pool, (size_t)*capacity, size);
    if (count > 0) {
        memcpy(moved, block, (size_t)count * size);
    }
    return moved;
}

void picture_begin(picture *pic, picture_kind kind, picture_layer layer, picture_paint paint,
                   double width, double depth)
{
    pic->item = grown(pic, pic->item, pic->nitem, &pic->item_capacity, sizeof *pic->item);
    pic->item[pic->nitem] = (picture_item){.kind = kind,
                                           .layer = layer,
                                           .paint = paint,
                                           .first = pic->npoint,
                                           .order = pic->nitem,
                                           .depth = depth,
                                           .width = width,
                                           .bulge = {1, 1}};
    ++pic->nitem;
}

void picture_add_seen(picture *pic, picture_point p)
{
    pic->point = grown(pic, pic->point, pic->npoint, &pic->point_capacity, sizeof *pic->point);
    pic->point[pic->npoint++] = p;
    ++pic->item[pic->nitem - 1].count;
}

void picture_add(picture *pic, lw_vec3 p)
{
    picture_add_seen(pic, picture_see(pic, p));
}

void picture_line(picture *pic, picture_layer layer, picture_paint paint, lw_vec3 a, lw_vec3 b)
{
    const double depth = 0.5 * (picture_depth(pic, a) + picture_depth(pic, b));
    picture_begin(pic, PICTURE_LINE, layer, paint, 0, depth);
    picture_add(pic, a);
    picture_add(pic, b);
}

void picture_label_at(picture *pic, lw_vec3 at, const char *text)
{
    pic->label = grown(pic, pic->label, pic->nlabel, &pic->label_capacity, sizeof *pic->label);
    pic->label[pic->nlabel++] = (picture_label){.at = picture_see(pic, at), .text = text};
}

// --- Convex hull ------------------------------------------------------------------------------

static int compare_points(const void *a, const void *b)
{
    const picture_point *p = a, *q = b;
    if (p->x != q->x) {
        return p->x < q->x ? -1 : 1;
    }
    return (p->y > q->y) - (p->y < q->y);
}

static double turn(picture_point a, picture_point b, picture_point c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Andrew's monotone chain: lower edge from left to right, upper edge back.
void picture_hull(picture *pic)
{
    picture_item *item = &pic->item[pic->nitem - 1];
    const int n = item->count;
    picture_point *p = pic->point + item->first;
    if (n < 3) {
        return;
    }
    picture_point *hull = memory_get(pic->pool, 2 * (size_t)n, sizeof *hull);
    qsort(p, (size_t)n, sizeof *p, compare_points);
    int k = 0;
    for (int i = 0; i < n; ++i) {
        while (k >= 2 && turn(hull[k - 2], hull[k - 1], p[i]) <= 0) {
            --k;
        }
        hull[k++] = p[i];
    }
    const int lower = k + 1;
    for (int i = n - 2; i >= 0; --i) {
        while (k >= lower && turn(hull[k - 2], hull[k - 1], p[i]) <= 0) {
            --k;
        }
        hull[k++] = p[i];
    }
    item->count = k - 1 < n ? k - 1 : n;
    memcpy(p, hull, (size_t)item->count * sizeof *p);
    pic->npoint = item->first + item->count;
}

// --- Solids -----------------------------------------------------------------------------------

int picture_shade(int color, double share)
{
    const double target = share > 0 ? 255 : 0, weight = fmin(fabs(share), 1);
    int mixed = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        const double part = (color >> shift) & 0xff;
        mixed = mixed << 8 | (int)lround(part + weight * (target - part));
    }
    return mixed;
}

// Light falls from above and from the viewer's left.
static picture_paint lit(const picture *pic, picture_paint paint, lw_vec3 normal)
{
    if (paint.fill != NO_COLOR) {
        const double light = 0.55 * normal.z - 0.35 * lw_dot3(normal, pic->right);
        paint.fill = picture_shade(paint.fill, light > 0 ? 0.55 * light : 0.28 * light);
    }
    return paint;
}

static lw_vec3 axis_of(const lw_mat3 *R, int k)
{
    const lw_vec3 unit = {k == 0, k == 1, k == 2};
    return lw_rotate(R, unit);
}

// Keeps the box around a body that was painted by the items from `first` on.
static void keep_solid(picture *pic, const lw_pose *X, lw_vec3 half, picture_look look, int first)
{
    if (!look.is_body) {
        return;
    }
    pic->solid = grown(pic, pic->solid, pic->nsolid, &pic->solid_capacity, sizeof *pic->solid);
    picture_solid *s = &pic->solid[pic->nsolid++];
    *s = (picture_solid){.layer = look.layer,
                         .first = first,
                         .count = pic->nitem - first,
                         .depth = picture_depth(pic, X->p) + look.bias,
                         .center = X->p,
                         .half = {half.x, half.y, half.z}};
    for (int k = 0; k < 3; ++k) {
        s->axis[k] = axis_of(&X->R, k);
    }
}

void picture_box(picture *pic, const lw_pose *X, lw_vec3 size, picture_look look)
{
    const int first = pic->nitem;
    const double half[3] = {0.5 * size.x, 0.5 * size.y, 0.5 * size.z};
    const double depth = picture_depth(pic, X->p) + look.bias;
    for (int k = 0; k < 3; ++k) {
        lw_vec3 normal = axis_of(&X->R, k);
        const double facing = lw_dot3(normal, pic->toward);
        if (fabs(facing) < 1e-6) {
            continue; // seen edge on
        }
        normal = lw_scale3(facing < 0 ? -1 : 1, normal);
        const lw_vec3 center = lw_add3(X->p, lw_scale3(half[k], normal));
        const lw_vec3 a = lw_scale3(half[(k + 1) % 3], axis_of(&X->R, (k + 1) % 3));
        const lw_vec3 b = lw_scale3(half[(k + 2) % 3], axis_of(&X->R, (k + 2) % 3));
        picture_begin(pic, PICTURE_POLYGON, look.layer, lit(pic, look.paint, normal), 0, depth);
        picture_add(pic, lw_add3(center, lw_add3(a, b)));
        picture_add(pic, lw_add3(center, lw_sub3(a, b)));
        picture_add(pic, lw_sub3(center, lw_add3(a, b)));
        picture_add(pic, lw_sub3(center, lw_sub3(a, b)));
    }
    keep_solid(pic, X, lw_scale3(0.5, size), look, first);
}

void picture_triangle(picture *pic, const lw_vec3 corner[3], picture_look look)
{
    const lw_vec3 across = lw_cross3(lw_sub3(corner[1], corner[0]), lw_sub3(corner[2], corner[0]));
    const double facing = lw_dot3(across, pic->toward), size = lw_norm3(across);
    if (fabs(facing) < 1e-6 * size || !(size > 0)) {
        return; // seen edge on
    }
    const lw_vec3 sum = lw_add3(corner[0], lw_add3(corner[1], corner[2]));
    picture_paint paint = look.paint; // darker, since nothing outlines it
    paint.fill = paint.fill == NO_COLOR ? NO_COLOR : picture_shade(paint.fill, -0.16);
    paint = lit(pic, paint, lw_scale3((facing < 0 ? -1 : 1) / size, across));
    paint.stroke = paint.fill; // no gaps between neighbours
    paint.pixels = 0.6;
    // The back of a thin body must not come before its front, whose triangles are as large.
    const double back = facing < 0 ? sqrt(size) : 0;
    picture_begin(pic, PICTURE_POLYGON, look.layer, paint, 0,
                  picture_depth(pic, sum) / 3 + look.bias - back);
    for (int k = 0; k < 3; ++k) {
        picture_add(pic, corner[k]);
    }
}

enum { ROUND = 40 }; // corners of a circle; enough to look smooth at the size of a page

// Point i of a circle about the z axis of X.
static lw_vec3 on_circle(const lw_pose *X, double radius, double z, int i)
{
    const double angle = TWO_PI * i / ROUND;
    const lw_vec3 p = {radius * cos(angle), radius * sin(angle), z};
    return lw_pose_apply(X, p);
}

static void add_circle(picture *pic, const lw_pose *X, double radius, double z)
{
    for (int i = 0; i < ROUND; ++i) {
        picture_add(pic, on_circle(X, radius, z, i));
    }
}

void picture_cylinder(picture *pic, const lw_pose *X, double radius, double length,
                      picture_look look)
{
    const int first = pic->nitem;
    const double depth = picture_depth(pic, X->p) + look.bias;
    const lw_vec3 axis = axis_of(&X->R, 2);
    const double facing = lw_dot3(axis, pic->toward);
    // The mantle is shaded as its middle, which faces the viewer.
    lw_vec3 side = lw_sub3(pic->toward, lw_scale3(facing, axis));
    const double norm = lw_norm3(side);
    if (norm > 1e-6) {
        side = lw_scale3(1 / norm, side);
        picture_begin(pic, PICTURE_POLYGON, look.layer, lit(pic, look.paint, side), 0, depth);
        add_circle(pic, X, radius, 0.5 * length);
        add_circle(pic, X, radius, -0.5 * length);
        picture_hull(pic);
    }
    if (fabs(facing) > 1e-6) {
        const double end = facing > 0 ? 0.5 : -0.5;
        const lw_vec3 normal = lw_scale3(2 * end, axis);
        picture_begin(pic, PICTURE_POLYGON, look.layer, lit(pic, look.paint, normal), 0, depth);
        add_circle(pic, X, radius, end * length);
    }
    keep_solid(pic, X, lw_vec3_of(radius, radius, 0.5 * length), look, first);
}

void picture_cone(picture *pic, const lw_pose *X, double radius, double top, double height,
                  picture_look look)
{
    const double depth = picture_depth(pic, X->p) + look.bias;
    const lw_vec3 axis = axis_of(&X->R, 2);
    const bool is_seen = lw_dot3(axis, pic->toward) > 0;
    picture_begin(pic, PICTURE_POLYGON, look.layer, lit(pic, look.paint, pic->toward), 0, depth);
    add_circle(pic, X, radius, 0);
    add_circle(pic, X, top, -height);
    picture_hull(pic);
    const lw_vec3 normal = lw_scale3(is_seen ? 1 : -1, axis);
    picture_begin(pic, PICTURE_POLYGON, look.layer, lit(pic, look.paint, normal), 0, depth);
    add_circle(pic, X, is_seen ? radius : top, is_seen ? 0 : -height);
}

// In pieces, so that a hole stays open without rules for filling.
void picture_ring(picture *pic, const lw_pose *X, double inner, double outer, picture_look look)
{
    const double depth = picture_depth(pic, X->p) + look.bias;
    picture_paint paint = look.paint;
    paint.stroke = paint.fill;
    for (int i = 0; i < ROUND; ++i) {
        picture_begin(pic, PICTURE_POLYGON, look.layer, paint, 0, depth);
        picture_add(pic, on_circle(X, inner, 0, i));
        picture_add(pic, on_circle(X, outer, 0, i));
        picture_add(pic, on_circle(X, outer, 0, i + 1));
        picture_add(pic, on_circle(X, inner, 0, i + 1));
    }
    paint = look.paint;
    paint.fill = NO_COLOR;
    picture_circle(pic, X, inner, look.layer, paint);
    picture_circle(pic, X, outer, look.layer, paint);
}

void picture_circle(picture *pic, const lw_pose *X, double radius, picture_layer layer,
                    picture_paint paint)
{
    picture_begin(pic, PICTURE_POLYGON, layer, paint, 0, picture_depth(pic, X->p));
    add_circle(pic, X, radius, 0);
}

void picture_capsule(picture *pic, const lw_pose *X, double radius, double length,
                     picture_look look)
{
    // A ball is seen as a disc from everywhere, so a capsule is seen as a bar.
    const lw_vec3 half = lw_scale3(0.5 * length, axis_of(&X->R, 2));
    picture_begin(pic, PICTURE_BAR, look.layer, look.paint, 2 * radius,
                  picture_depth(pic, X->p) + look.bias);
    picture_add(pic, lw_add3(X->p, half));
    picture_add(pic, lw_sub3(X->p, half));
    keep_solid(pic, X, lw_vec3_of(radius, radius, radius + 0.5 * length), look, pic->nitem - 1);
}

void picture_ball(picture *pic, lw_vec3 center, double radius, picture_look look)
{
    picture_begin(pic, PICTURE_DISC, look.layer, look.paint, 2 * radius,
                  picture_depth(pic, center) + look.bias);
    picture_add(pic, center);
    const lw_pose X = {lw_mat3_identity(), center};
    keep_solid(pic, &X, lw_vec3_of(radius, radius, radius), look, pic->nitem - 1);
}

// --- Shadows ----------------------------------------------------------------------------------

static void add_on_floor(picture *pic, lw_vec3 p, double z)
{
    p.z = z;
    picture_add(pic, p);
}

void picture_box_shadow(picture *pic, const lw_pose *X, lw_vec3 size, picture_paint paint, double z)
{
    picture_begin(pic, PICTURE_POLYGON, LAYER_SHADOW, paint, 0, 0);
    for (int i = 0; i < 8; ++i) {
        const lw_vec3 corner = {(i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y,
                                (i & 4 ? 0.5 : -0.5) * size.z};
        add_on_floor(pic, lw_pose_apply(X, corner), z);
    }
    picture_hull(pic);
}

void picture_round_shadow(picture *pic, const lw_pose *X, double radius, double length,
                          bool has_caps, picture_paint paint, double z)
{
    picture_begin(pic, PICTURE_POLYGON, LAYER_SHADOW, paint, 0, 0);
    for (int end = -1; end <= 1; end += 2) {
        // A ball casts a circle whatever its axes are.
        lw_pose X_WC = lw_pose_identity();
        X_WC.p = lw_pose_apply(X, lw_vec3_of(0, 0, 0.5 * end * length));
        for (int i = 0; i < ROUND; ++i) {
            const lw_vec3 p = has_caps ? on_circle(&X_WC, radius, 0, i)
                                       : on_circle(X, radius, 0.5 * end * length, i);
            add_on_floor(pic, p, z);
        }
    }
    picture_hull(pic);
}

// --- Bars -------------------------------------------------------------------------------------

// How round the end of a bar at p looks that comes from q and is cut straight.
static double seen_bulge(const picture *pic, lw_vec3 p, lw_vec3 q)
{
    const lw_vec3 way = lw_sub3(p, q);
    const double length = lw_norm3(way);
    return length > 0 ? fabs(picture_depth(pic, way)) / length : 1;
}

void picture_bar(picture *pic, const lw_vec3 *p, int count, double width, picture_look look,
                 bool is_first_cut, bool is_last_cut)
{
    double depth = 0, length = 0;
    for (int i = 0; i + 1 < count; ++i) {
        const double step = lw_norm3(lw_sub3(p[i + 1], p[i]));
        depth += 0.5 * step * (picture_depth(pic, p[i]) + picture_depth(pic, p[i + 1]));
        length += step;
    }
    if (!(length > 0)) {
        return;
    }
    picture_begin(pic, PICTURE_BAR, look.layer, look.paint, width, depth / length + look.bias);
    picture_item *item = &pic->item[pic->nitem - 1];
    item->bulge[0] = is_first_cut ? seen_bulge(pic, p[0], p[1]) : 1;
    item->bulge[1] = is_last_cut ? seen_bulge(pic, p[count - 1], p[count - 2]) : 1;
    for (int i = 0; i < count; ++i) {
        picture_add(pic, p[i]);
    }
}
