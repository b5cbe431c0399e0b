// Adding shapes to a scene.
#ifndef LWI_SCENE_BUILDER_H
#define LWI_SCENE_BUILDER_H

#include <linkwork/scene.h>

#include "skeleton.h"

/// A scene that grows. Functions that add to it keep in `is_short` whether an allocation failed.
typedef struct lwi_scene_builder {
    const lwi_skeleton *s;
    lw_scene scene; ///< its counts, and what is known of the whole
    lw_scene_shape *shape;
    lw_vec3 *point;
    lw_scene_label *label;
    int shape_room, point_room, label_room;
    int body;  ///< of the shapes to come
    int cover; ///< lw_scene_shape.shape of those
    bool is_short;
} lwi_scene_builder;

/// A shape at a pose, which may get points.
void lwi_scene_add(lwi_scene_builder *b, lw_scene_kind kind, lw_scene_role role, const lw_pose *X,
                   lw_vec3 size, double bias, unsigned flags);
void lwi_scene_add_point(lwi_scene_builder *b, lw_vec3 p);

void lwi_scene_line(lwi_scene_builder *b, lw_scene_role role, lw_vec3 p, lw_vec3 q);
void lwi_scene_bar(lwi_scene_builder *b, lw_scene_role role, const lw_vec3 *p, int count,
                   double width, double bias, unsigned flags);
void lwi_scene_sphere(lwi_scene_builder *b, lw_scene_role role, lw_vec3 center, double radius,
                      double bias);
void lwi_scene_label(lwi_scene_builder *b, lw_vec3 at, const char *text, int first, int last);

/// The symbol of a joint: a cylinder for one that rotates, a box for one that slides, a sphere for
/// one that does both or rotates about every axis.
/// @param X its place, with z along its axis
/// @param unit its radius, m
/// @param inner number of symbols around it: it is thinner and longer accordingly
void lwi_scene_symbol(lwi_scene_builder *b, lw_scene_role role, lw_joint_type type,
                      const lw_pose *X, double unit, int inner, double bias, unsigned flags);

/// The radius and half the length of the cylinder of a revolute joint, in units.
double lwi_symbol_radius(int inner);
double lwi_symbol_reach(int inner);

/// The triangles of a mesh, as many as can be seen apart, and their shadow.
void lwi_scene_mesh(lwi_scene_builder *b, const lw_shape_info *shape, const lw_pose *X,
                    bool is_envelope);

// The parts of a scene.
void lwi_scene_floor(lwi_scene_builder *b);
void lwi_scene_links(lwi_scene_builder *b, bool shows_hidden); ///< links, joints, covers, ground
void lwi_scene_closure(lwi_scene_builder *b);                  ///< rods, closing joints, gears
void lwi_scene_springs(lwi_scene_builder *b);
void lwi_scene_labels(lwi_scene_builder *b, unsigned show); ///< frames and names

#endif
