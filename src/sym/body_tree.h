// A tree of bodies as expressions: what all derivations read.
#ifndef LWI_BODY_TREE_H
#define LWI_BODY_TREE_H

#include <linkwork/model.h>

#include "expr_vector.h"

#define LWI_UNKNOWN UINT32_MAX

/// Inertia about the origin of the body, along its axes.
typedef struct lwi_mass {
    lwi_expr mass;
    lwi_vec first;  ///< mass times centre of mass
    lwi_sym tensor; ///< entries of the matrix: products of inertia have their minus
} lwi_mass;

/// A body and the joint that carries it. A joint of one degree of freedom acts about or along z of
/// the body's own frame; it reads q[0], v[0] and a[0], which may be any expressions (in closed
/// mechanisms they are). Spherical joints have a quaternion w, x, y, z in q and body rates in v;
/// free ones have position and quaternion in q, angular and linear body rates in v.
typedef struct lwi_sym_body {
    int parent; ///< -1 for the world; parents come before children
    lw_tree_joint type;
    int v_start, nv; ///< its degrees of freedom within the tree
    lwi_expr lead;   ///< of a screw, m per radian
    lwi_frame rest;  ///< in the parent at zero position
    lwi_expr q[7], v[6], a[6];
    lwi_expr c, s; ///< of a rotation about z; read if q[0] is LWI_UNKNOWN
    lwi_mat J;     ///< rotation of a spherical or free joint
    lwi_frame X;   ///< in the parent
    lwi_mass own;
    /// The same as described: centre of mass in `first`, the tensor about it. Each entry is a
    /// number, or a number times a symbol; zeros without mass.
    lwi_mass central;
    lwi_vec moment, force; ///< external load, in the body's frame, about its origin
} lwi_sym_body;

typedef struct lwi_sym_tree {
    int nbody;
    lwi_sym_body *body; ///< [nbody]
    lwi_vec gravity;    ///< in world coordinates
    /// A search for the cheapest ways follows: ways that cost least after it are derived first,
    /// even if they cost more as written.
    bool is_searched;
} lwi_sym_tree;

/// The rotation of a quaternion w, x, y, z, of any length but zero.
lwi_mat lwi_quaternion_rotation(lwi_graph *g, const lwi_expr q[4]);

/// Cosine and sine of a joint that rotates about z.
void lwi_joint_angle(lwi_graph *g, const lwi_sym_body *body, lwi_expr *c, lwi_expr *s);

/// The body without the rotation of its joint; its rates stay.
lwi_sym_body lwi_unrotated(const lwi_sym_body *body);

/// Pose in the parent; the second with this cosine and sine of the joint's angle.
lwi_frame lwi_body_pose(lwi_graph *g, const lwi_sym_body *body);
lwi_frame lwi_body_pose_at(lwi_graph *g, const lwi_sym_body *body, lwi_expr c, lwi_expr s);

/// A vector from the parent's axes to the body's, and back: the fixed rotation and the joint's
/// separately, which costs four multiplications where their product would cost up to nine.
lwi_vec lwi_to_body(lwi_graph *g, const lwi_sym_body *body, lwi_vec x);
lwi_vec lwi_to_parent(lwi_graph *g, const lwi_sym_body *body, lwi_vec x);

/// The joint's own motion for rates [nv], along the body's axes; zero for NULL.
lwi_twist lwi_joint_twist(lwi_graph *g, const lwi_sym_body *body, const lwi_expr *rate);

/// Its generalised forces tau [nv] from the wrench that it transmits.
void lwi_joint_force(lwi_graph *g, const lwi_sym_body *body, lwi_vec moment, lwi_vec force,
                     lwi_expr *tau);

/// Moves to the parents what the motion cannot distinguish from theirs (base parameters): of a
/// revolute joint mass, first moment and second moment along the axis, of a prismatic one all
/// second moments. The joint forces stay the same, exactly; the links do not. Bodies on the world
/// lose what no joint force depends on.
void lwi_tree_regroup(lwi_graph *g, lwi_sym_tree *tree);

/// Joint forces, by the recursive Newton-Euler algorithm, unrolled.
/// @param tau [sum of the degrees of freedom], in the order of the bodies
void lwi_derive_inverse_dynamics(lwi_graph *g, const lwi_sym_tree *tree, lwi_expr *tau);

/// Joint forces of a tree whose joints all rotate about or slide along one direction, which is
/// gravity's too, by absolute angles. False, and nothing done, for other trees.
bool lwi_derive_planar(lwi_graph *g, const lwi_sym_tree *tree, lwi_expr *tau);

/// Mass matrix, velocity forces and gravity forces separately, from composite bodies. Joints of one
/// degree of freedom only, n of them; the positions q are plain symbols or numbers.
/// @param H [n * n] symmetric
/// @param C [n * n * n] C[(i * n + k) * n + l] = C[(i * n + l) * n + k], so that the velocity
///          forces are the sum of C[i][k][l] v[k] v[l]; NULL: not wanted
/// @param gravity [n]; NULL: not wanted
void lwi_derive_elements(lwi_graph *g, const lwi_sym_tree *tree, lwi_expr *H, lwi_expr *C,
                         lwi_expr *gravity);

#endif
