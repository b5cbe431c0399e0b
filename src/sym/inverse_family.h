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
    LWI_FAMILY_POINT,  ///< three axes, the first or the last two parallel or the first two
                       ///< intersecting, for the position alone: legs
    LWI_FAMILY_SLIDES, ///< gantry and cylindrical types: inverse_slides.c
    LWI_FAMILY_SPHERES ///< a platform on three pairs of rods: inverse_closed.c
} lwi_inverse_family;

/// The solver of a chain as equations are derived for it: for the pose of its tip, or for the
/// position where the chain has two parallel axes, or three axes that are not all parallel. Refused
/// where its base moves.
lw_status lwi_inverse_solver(const lw_model *m, lw_ik_def def, lw_ik **ik, lw_report *report);

/// The class of arms with a spherical wrist whose first three joints solve LWI_FAMILY_POINT, and
/// its arm; LWI_SIX_GENERAL where there is none.
lwi_six_class lwi_point_class(const lw_ik *ik, lwi_arm *arm);

/// The family of a chain, and its arm as the equations of the family see it. With a leg, one joint
/// of the chain may depend on it: a loop that has equations.
lwi_inverse_family lwi_inverse_family_of(const lw_ik *ik, bool has_leg, lwi_arm *arm);

/// Branches that the equations begin with; each may have several rows.
int lwi_family_branches(lwi_inverse_family family);

/// Reports that there are no equations, and why.
lw_status lwi_refuse_inverse(const lw_ik *ik, int frame, lw_report *report);

#endif
