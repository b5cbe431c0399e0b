// What a machine looks like as far as its joints tell: where symbols stand, how large they may be,
// and which frames are tips. Geometry only; draw_robot.c paints it.
#ifndef SKELETON_H
#define SKELETON_H

#include "draw/wheels.h"

/// A place where a loop or a gear takes hold of a body.
typedef struct skeleton_end {
    int node;
    int next; ///< on the same node, or -1
    bool is_wheel;
    lw_vec3 at, axis;
} skeleton_end;

/// A joint with the body that it carries. Number 0 is the world, without a joint.
typedef struct skeleton_node {
    int joint; ///< in lw_model.joints; -1 for the world
    int body;  ///< the last that the joint carries; -1 for the world
    int parent;
    int nchild;
    int first_child, next_child; ///< or -1
    int nend, first_end;         ///< loops and gears that take hold of it, or -1
    bool is_dependent;           ///< a closure step gives its position
    int inner;                   ///< how many symbols before it stand on the same axis
    lw_pose X_WB;                ///< of the body
    lw_pose X_WJ;                ///< of the joint at zero position, on the parent
    lw_vec3 at;                  ///< where the symbol stands: on the axis, apart from others
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
} skeleton_node;

typedef struct skeleton {
    const lw_model *m;
    skeleton_node *node; ///< [nnode] parents first
    int nnode;
    int *node_of_body; ///< [nbody + 1], from body + 1
    lw_pose *X_WE;     ///< [2 * nloop] ends of the loops
    wheel_pair *pair;  ///< [ngear]
    skeleton_end *end; ///< [nend]
    int nend;
    lw_vec3 low, high; ///< box round all joints, tips and centres
    double unit;       ///< radius of a symbol that nothing cramps, m
} skeleton;

/// At the positions that lw_forward_position() left in the data. skeleton_free() is due either way.
lw_status skeleton_init(skeleton *s, const lw_model *m, const lw_data *d);
void skeleton_free(skeleton *s);

/// The way of a link from one joint axis to the next: along the first, along their common normal,
/// along the second, where that is no detour; else straight. Returns the number of points.
enum { SKELETON_ROUTE = 4 };
int skeleton_route(lw_vec3 from, lw_vec3 axis, lw_vec3 to, lw_vec3 next_axis,
                   lw_vec3 route[SKELETON_ROUTE]);

/// Whether a body is carried by loops alone: its joint is free, and dependent.
bool skeleton_is_carried(const skeleton *s, const skeleton_node *node);

/// Half the extent of a shape along its own axes.
lw_vec3 skeleton_half_size(const lw_shape_info *shape);

/// Whether a point of the world lies within the box round the shapes of a body, or almost.
bool skeleton_covers(const skeleton *s, const skeleton_node *node, lw_vec3 p);

/// The point of its shapes that is nearest to p.
lw_vec3 skeleton_nearest(const skeleton *s, const skeleton_node *node, lw_vec3 p);

/// Whether covers hide a ball of a radius: it lies within shapes that are drawn.
bool skeleton_hides(const skeleton *s, lw_vec3 center, double radius);

/// Whether a shape encloses most of the machine and would hide it.
bool skeleton_is_envelope(const skeleton *s, int shape);

/// Whether a shape is drawn: what is seen, or what may not touch where nothing else is known.
bool skeleton_draws_shape(const skeleton *s, int shape);

#endif
