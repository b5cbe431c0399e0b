// A line picture of solid things: a camera, painted shapes in order of depth, and labels.
//
// Shapes are given in world coordinates and kept as they are seen: x to the right, y up, and depth
// towards the viewer, in metres. picture_layout.c fits them to a page.
#ifndef PICTURE_H
#define PICTURE_H

#include <linkwork/math.h>

#include "support/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum picture_view { VIEW_ISO, VIEW_FRONT, VIEW_SIDE, VIEW_TOP } picture_view;

typedef struct picture_point {
    double x, y;
} picture_point;

/// What is painted first lies below, whatever its depth.
typedef enum picture_layer {
    LAYER_FLOOR,
    LAYER_SHADOW,
    LAYER_PALE,  ///< other configurations, from far to near
    LAYER_BODY,  ///< from far to near
    LAYER_GHOST, ///< likewise; seen through bodies
    LAYER_MARK
} picture_layer;

enum { NO_COLOR = -1 };

/// How a shape is painted. Colours are 0xRRGGBB.
typedef struct picture_paint {
    int fill, stroke;
    double opacity; ///< of the fill
    double pixels;  ///< width of the stroke
    bool is_dashed;
} picture_paint;

/// Mixes a colour with white (share above 0) or black (below 0).
int picture_shade(int color, double share);

typedef enum picture_kind {
    PICTURE_POLYGON, ///< closed
    PICTURE_LINE,    ///< open, stroke only
    PICTURE_BAR,     ///< open, as thick as `width`, with round ends and an outline
    PICTURE_BLOB,    ///< closed, as a bar bent round it and filled
    PICTURE_DISC     ///< one point, `width` across
} picture_kind;

typedef struct picture_item {
    picture_kind kind;
    picture_layer layer;
    picture_paint paint;
    int first, count; ///< of the points
    int order;        ///< among items of one depth
    double depth;
    double width;    ///< metres
    double bulge[2]; ///< of a bar's first and last end: 1 for round, 0 for cut straight, or between
} picture_item;

/// A box around a body, and its items.
typedef struct picture_solid {
    picture_layer layer;
    int first, count;
    double depth;
    lw_vec3 center, axis[3];
    double half[3];
} picture_solid;

typedef struct picture_label {
    picture_point at;
    const char *text;
} picture_label;

typedef struct picture {
    picture_view view;
    lw_vec3 right, up, toward; ///< of the camera
    picture_point *point;
    int npoint, point_capacity;
    picture_item *item;
    int nitem, item_capacity;
    picture_solid *solid;
    int nsolid, solid_capacity;
    picture_label *label;
    int nlabel, label_capacity;
    memory *pool;
} picture;

void picture_init(picture *pic, memory *pool, picture_view view);

picture_point picture_see(const picture *pic, lw_vec3 p);
double picture_depth(const picture *pic, lw_vec3 p);

/// Begins an item; points are then added to it. Depth counts towards the viewer.
void picture_begin(picture *pic, picture_kind kind, picture_layer layer, picture_paint paint,
                   double width, double depth);
void picture_add(picture *pic, lw_vec3 p);
void picture_add_seen(picture *pic, picture_point p);

/// Replaces the points of the last item by the corners of their convex hull.
void picture_hull(picture *pic);

void picture_line(picture *pic, picture_layer layer, picture_paint paint, lw_vec3 a, lw_vec3 b);
void picture_label_at(picture *pic, lw_vec3 at, const char *text);

/// How a solid is painted, and in which order: `bias` moves it towards the viewer.
typedef struct picture_look {
    picture_paint paint;
    picture_layer layer;
    double bias;
    bool is_body; ///< no symbol: what it stands in front of tells the order too
} picture_look;

// Solids, painted as seen from the camera: visible faces only, shaded by where they face.
void picture_box(picture *pic, const lw_pose *X, lw_vec3 size, picture_look look);
void picture_cylinder(picture *pic, const lw_pose *X, double radius, double length,
                      picture_look look);
void picture_capsule(picture *pic, const lw_pose *X, double radius, double length,
                     picture_look look);
void picture_ball(picture *pic, lw_vec3 center, double radius, picture_look look);

/// A cone cut off: `radius` at the origin of X, `top` at z = -height.
void picture_cone(picture *pic, const lw_pose *X, double radius, double top, double height,
                  picture_look look);

/// A flat ring, and a circle without width, about z of X.
void picture_ring(picture *pic, const lw_pose *X, double inner, double outer, picture_look look);
void picture_circle(picture *pic, const lw_pose *X, double radius, picture_layer layer,
                    picture_paint paint);

/// Without an outline, so that a mesh is seen as a surface.
void picture_triangle(picture *pic, const lw_vec3 corner[3], picture_look look);

/// What solids cast straight down onto a floor at height z.
void picture_box_shadow(picture *pic, const lw_pose *X, lw_vec3 size, picture_paint paint,
                        double z);
void picture_round_shadow(picture *pic, const lw_pose *X, double radius, double length,
                          bool has_caps, picture_paint paint, double z);

/// A bar through points. Its ends are round, or cut straight where it meets something else; a
/// straight end is then seen as an ellipse.
void picture_bar(picture *pic, const lw_vec3 *p, int count, double width, picture_look look,
                 bool is_first_cut, bool is_last_cut);

/// Text between tags.
void svg_print(FILE *file, const char *text);

#endif
