// The geometry of a drawing that follows from the joints: where symbols are, how large they may be,
// and which frames are tips. scene_links.c makes shapes of it.
#ifndef LWI_SKELETON_H
#define LWI_SKELETON_H

#include "wheel_pair.h"

/// A point where a loop or a gear acts on a body.
typedef struct lwi_skeleton_end {
    int node;
    int next; ///< on the same node, or -1
    bool is_wheel;
    lw_vec3 at, axis;
} lwi_skeleton_end;

/// A joint with the body that it carries. Number 0 is the world, without a joint.
typedef struct lwi_skeleton_node {
    int joint; ///< in lw_model.joints; -1 for the world
    int body;  ///< the last that the joint carries; -1 for the world
    int parent;
    int nchild;
    int first_child, next_child; ///< or -1
    int nend, first_end;         ///< loops and gears that act on it, or -1
    bool is_dependent;           ///< a closure step gives its position
    int inner;                   ///< number of symbols before it on the same axis
    lw_pose X_WB;                ///< of the body
    lw_pose X_WJ;                ///< of the joint at zero position, on the parent
    lw_vec3 at;                  ///< where the symbol is drawn: on the axis, apart from others
    lw_vec3 axis;                ///< unit vector
    double unit;                 ///< radius of the symbol, m
    double thickness;            ///< that its link may have, m
    double reach;                ///< length of the chain beyond
    int tip;                     ///< frame at the end of the body, or -1
    lw_vec3 tip_at;
    bool is_tool;    ///< the tip has the name of a tool
    bool has_center; ///< without tip and shapes, but with a centre of mass that lies apart
    lw_vec3 center;
    bool has_shape;
    lw_vec3 shape_low, shape_high; ///< box round its shapes, in body coordinates
} lwi_skeleton_node;

typedef struct lwi_skeleton {
    const lw_model *m;
    lwi_skeleton_node *node; ///< [nnode] parents first
    int nnode;
    int *node_of_body;     ///< [nbody + 1], from body + 1
    lw_pose *X_WE;         ///< [2 * nloop] ends of the loops
    lwi_wheel_pair *pair;  ///< [ngear]
    lwi_skeleton_end *end; ///< [nend]
    int nend;
    lw_shape_info *shape; ///< [m->nshape] those of the model; of a mesh, the box round it
    lw_vec3 low, high;    ///< box round all joints, tips and centres
    double unit;          ///< radius of a symbol with enough space, m
} lwi_skeleton;

/// At the positions that lw_forward_position() left in the data. lwi_skeleton_free() is due either
/// way.
lw_status lwi_skeleton_init(lwi_skeleton *s, const lw_model *m, const lw_data *d);
void lwi_skeleton_free(lwi_skeleton *s);

/// The node of a body; -1 is the world.
const lwi_skeleton_node *lwi_skeleton_node_of(const lwi_skeleton *s, int body);

/// The way of a link from one joint axis to the next: along the first, along their common normal,
/// along the second, where that is no detour; else straight. Returns the number of points.
enum { LWI_SKELETON_ROUTE = 4 };
int lwi_skeleton_route(lw_vec3 from, lw_vec3 axis, lw_vec3 to, lw_vec3 next_axis,
                       lw_vec3 route[LWI_SKELETON_ROUTE]);

/// Whether a body is carried by loops alone: its joint is free, and dependent.
bool lwi_skeleton_is_carried(const lwi_skeleton *s, const lwi_skeleton_node *node);

/// Half the extent of a shape along its own axes.
lw_vec3 lwi_skeleton_half_size(const lw_shape_info *shape);

/// Whether a point of the world lies within the box round the shapes of a body, or almost.
bool lwi_skeleton_covers(const lwi_skeleton *s, const lwi_skeleton_node *node, lw_vec3 p);

/// The point of its shapes that is nearest to p.
lw_vec3 lwi_skeleton_nearest(const lwi_skeleton *s, const lwi_skeleton_node *node, lw_vec3 p);

/// Whether covers hide a ball of a radius: it lies within shapes that are drawn.
bool lwi_skeleton_hides(const lwi_skeleton *s, lw_vec3 center, double radius);

/// Whether a shape encloses most of the mechanism and would hide it.
bool lwi_skeleton_is_envelope(const lwi_skeleton *s, int shape);

/// Whether a shape is drawn: what is seen, or what may not touch where nothing else is known.
bool lwi_skeleton_draws_shape(const lwi_skeleton *s, int shape);

#endif
