// A tree of bodies whose numbers are expressions: what the derivations read.
#ifndef LWI_ROBOT_H
#define LWI_ROBOT_H

#include "../expr/expr.h"

#include <linkwork/model.h>

/// A body and the joint that carries it. A joint of one degree of freedom acts about or along z of
/// the body's own frame; it reads q[0], v[0] and a[0], which may be any expressions (of closed
/// machines they are). Spherical joints have a quaternion w, x, y, z in q and body rates in v; free
/// ones have position and quaternion in q, angular and linear body rates in v.
typedef struct lwi_robot_body {
    int parent; ///< -1 for the world; parents come before children
    lw_tree_joint type;
    lwi_expr lead;       ///< of a screw, m per radian
    lwi_expr R[9], p[3]; ///< body frame at zero position, in the parent; rows of R
    lwi_expr q[7], v[6], a[6];
    bool is_turned;   ///< turn is given, and q tells no angle and no quaternion
    lwi_expr turn[9]; ///< then: the joint's own rotation; of one about z cosine and sine are read

    lwi_expr mass;
    lwi_expr h[3]; ///< first moment: mass times centre of mass, in the body's frame
    lwi_expr I[6]; ///< inertia about the body's origin: xx, yy, zz, xy, xz, yz, as they stand in
                   ///< the matrix (products with their minus)
    lwi_expr moment[3], force[3]; ///< external load on the body, in its frame, about its origin
} lwi_robot_body;

typedef struct lwi_robot {
    int nbody;
    lwi_robot_body *body; ///< [nbody]
    lwi_expr gravity[3];  ///< in world coordinates
    /// Somebody will search for the cheapest ways: those are derived first that cost least then,
    /// though they cost more as they stand.
    bool is_searched;
} lwi_robot;

/// Degrees of freedom of a joint: 1, 3 or 6.
int lwi_robot_dofs(lw_tree_joint type);

/// Where the body is in its parent: its axes are the columns of R, its origin is p.
void lwi_robot_pose(lwi_graph *g, const lwi_robot_body *body, lwi_expr R[9], lwi_expr p[3]);

/// Moves to the parents what the motion cannot tell apart from theirs (base parameters): of a
/// revolute joint mass, first moment and second moment along the axis, of a prismatic one all
/// second moments. What joints do stays the same, exactly; what the links are does not. Bodies on
/// the world lose what no joint force feels.
void lwi_robot_regroup(lwi_graph *g, lwi_robot *robot);

/// Joint forces, by Newton and Euler's recursion, written out.
/// @param tau [sum of the degrees of freedom], in the order of the bodies
void lwi_derive_inverse_dynamics(lwi_graph *g, const lwi_robot *robot, lwi_expr *tau);

/// Mass matrix, velocity forces and gravity forces separately, from composite bodies. Joints of one
/// degree of freedom only, n of them; the positions q are plain symbols or numbers.
/// @param H [n * n] symmetric
/// @param C [n * n * n] C[(i * n + k) * n + l] = C[(i * n + l) * n + k], so that the velocity
/// forces
///          are the sum of C[i][k][l] v[k] v[l]; null: not wanted
/// @param gravity [n]; null: not wanted
void lwi_derive_elements(lwi_graph *g, const lwi_robot *robot, lwi_expr *H, lwi_expr *C,
                         lwi_expr *gravity);

#endif
