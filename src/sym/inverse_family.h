// Which chains have inverse kinematics as equations (inverse_kinematics.h).
#ifndef LWI_INVERSE_FAMILY_H
#define LWI_INVERSE_FAMILY_H

#include "../ik/solve.h"

typedef enum lwi_inverse_family {
    LWI_FAMILY_NONE,
    LWI_FAMILY_SPHERICAL, ///< six revolute joints with a spherical wrist, in either order
    LWI_FAMILY_PARALLEL,  ///< three parallel axes, the last two of six intersect
    LWI_FAMILY_SLIDING,   ///< Stanford type
    LWI_FAMILY_SCARA,
    LWI_FAMILY_LEVEL,  ///< palletiser type: level_chain.h
    LWI_FAMILY_PLANAR, ///< two parallel axes, for the position alone
    LWI_FAMILY_SLIDES, ///< gantry and cylindrical types: inverse_slides.c
    LWI_FAMILY_SPHERES ///< a platform on three pairs of rods: inverse_closed.c
} lwi_inverse_family;

/// The solver of a frame's chain that equations are derived for: for its pose, or for its position
/// where the chain has two parallel axes.
lw_status lwi_inverse_solver(const lw_model *m, int frame, lw_ik **ik, lw_report *report);

/// The family of a chain, and its arm as the equations of the family see it. With a leg, one joint
/// of the chain may depend on it: a loop that has equations.
lwi_inverse_family lwi_inverse_family_of(const lw_ik *ik, bool has_leg, lwi_arm *arm);

/// Branches that the equations begin with; each may have several rows.
int lwi_family_branches(lwi_inverse_family family);

/// Reports that there are no equations, and why.
lw_status lwi_refuse_inverse(const lw_ik *ik, int frame, lw_report *report);

#endif
