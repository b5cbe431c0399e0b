// Vectors to the axes of a body and back.
#ifndef LWI_BODY_AXES_H
#define LWI_BODY_AXES_H

#include "robot.h"

/// Cosine and sine of a joint that turns about z.
void lwi_joint_angle(lwi_graph *g, const lwi_robot_body *body, lwi_expr *c, lwi_expr *s);

/// The body without the turn of its joint; its rates stay.
lwi_robot_body lwi_still_body(const lwi_robot_body *body);

/// From the parent's axes to the body's: first the fixed turn, then the joint's, which costs four
/// products where the product of both would cost up to nine. out is not x.
void lwi_to_body(lwi_graph *g, const lwi_robot_body *body, const lwi_expr x[3], lwi_expr out[3]);
void lwi_to_parent(lwi_graph *g, const lwi_robot_body *body, const lwi_expr x[3], lwi_expr out[3]);

#endif
