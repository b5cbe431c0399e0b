// Mass matrix, Christoffel symbols and gravity forces as polynomials, in two ways that share only
// the placements: Lagrange's equations from energies (Wenz and Wörn), and Uicker and Kahn's traces.
#ifndef LWI_LAGRANGE_H
#define LWI_LAGRANGE_H

#include "poly.h"
#include "symbolic_model.h"

typedef struct lwi_poly_vec {
    lwi_poly x[3];
} lwi_poly_vec;

/// A pose: rows of the rotation, each with its entry of the position behind it.
typedef struct lwi_poly_pose {
    lwi_poly row[3][4];
} lwi_poly_pose;

typedef struct lwi_poly_body {
    lwi_poly_pose rest; ///< in the parent at zero position
    lwi_poly_pose X;    ///< in the parent
    lwi_poly mass;
    lwi_poly r[3]; ///< centre of mass
    lwi_poly I[6]; ///< about the centre of mass: xx yy zz xy xz yz
} lwi_poly_body;

/// A tree of revolute and prismatic joints as polynomials, and its equations.
typedef struct lwi_closed {
    lwi_polys s;
    const lw_model *m;
    int n; ///< bodies, each with one degree of freedom
    lwi_poly_body *body;
    lwi_poly gravity[3];
    lwi_poly *M; ///< [n*n]
    lwi_poly *B; ///< [n*n*n] Christoffel symbols
    lwi_poly *G; ///< [n]
} lwi_closed;

/// Derives M, B and G in this form from a model. lwi_closed_free() is due either way.
lw_status lwi_closed_init(lwi_closed *c, lwi_symbolic *k, lw_form form);
void lwi_closed_free(lwi_closed *c);

void lwi_lagrange(lwi_closed *c);
void lwi_uicker(lwi_closed *c);

/// Poses of all bodies of the subtree of body i, in its frame: X[j] for j = i .. subtree_end[i] -
/// 1; i = -1: of all bodies, in the world.
void lwi_closed_poses(lwi_closed *c, int i, lwi_poly_pose *X);

#endif
