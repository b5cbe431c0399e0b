// Pseudo-inertia: the second moments of a body's mass, as a symmetric matrix of four rows
//
//     P = [ Sigma  h ]    Sigma = integral of r r^T dm, h of r dm, m of dm.
//         [ h^T    m ]
//
// It moves from frame to frame as X P X^T, and the inertia tensor is trace(Sigma) 1 - Sigma.
// A revolute joint cannot tell apart from its parent what lies on its axis: m, h_z and Sigma_zz.
#ifndef LWI_PSEUDO_H
#define LWI_PSEUDO_H

#include "robot.h"

typedef struct lwi_pseudo {
    lwi_expr S[6]; ///< xx, yy, zz, xy, xz, yz
    lwi_expr h[3];
    lwi_expr m;
} lwi_pseudo;

/// Where S[i][k] is in the list of six.
static inline int lwi_pseudo_place(int i, int k)
{
    return i == k ? i : i + k + 2;
}

lwi_pseudo lwi_pseudo_of(lwi_graph *g, const lwi_robot_body *body);
/// Writes it back as mass, first moment and tensor.
void lwi_pseudo_store(lwi_graph *g, const lwi_pseudo *P, lwi_robot_body *body);

lwi_pseudo lwi_pseudo_add(lwi_graph *g, const lwi_pseudo *a, const lwi_pseudo *b);

/// The same mass seen from a frame in which the old one is at R, p.
lwi_pseudo lwi_pseudo_move(lwi_graph *g, const lwi_pseudo *P, const lwi_expr R[9],
                           const lwi_expr p[3]);

/// The same mass after the turn of its joint, along axes that do not turn with it; for joints of
/// one degree of freedom.
lwi_pseudo lwi_pseudo_turn(lwi_graph *g, const lwi_pseudo *P, const lwi_robot_body *body);

/// The same mass seen from the parent, for joints of one degree of freedom: first the joint's turn,
/// which touches few entries, then the fixed placement.
lwi_pseudo lwi_pseudo_to_parent(lwi_graph *g, const lwi_pseudo *P, const lwi_robot_body *body);

#endif
