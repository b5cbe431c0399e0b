// The tree as the kernels read it.
//
// Parent, placement and inertia of a body are stored twice. lw_model has them as they were
// described, in body coordinates: users read these, and so do kinematics, loops and derivatives.
// lwi_segment has them once more, for the recursions of dynamics alone, in frames that are rotated
// so that the arithmetic is half as long (segment.h); computing these from the others takes longer
// than the recursion itself.
#ifndef LWI_KERNEL_H
#define LWI_KERNEL_H

#include "locations.h"
#include "segment.h"

/// A quaternion within q.
typedef struct lwi_quat_at {
    int q; ///< independent position of its w
    int v; ///< independent velocity of its wx
    int body;
} lwi_quat_at;

typedef struct lwi_kernel {
    const lwi_quat_at *quat; ///< [nquat]
    int nquat;
    const lw_user_joint *user; ///< [nbody] where any carrier is LW_TREE_USER, else null

    const struct lwi_program *program; ///< closure; its steps are lw_model.nstep

    const lwi_segment *segment; ///< [nbody]
    const lwi_passive *passive; ///< [tree_nv]
    const lwi_load *load;       ///< [nload]
    double world_phi[2];        ///< cosine and sine of the world's rotation
    int nload;                  ///< loads on bodies that move
    int ngeneral;               ///< joints that are not about or along z
    int all_revolute;           ///< every carrier is LW_TREE_REVOLUTE
    int has_joint_forces;       ///< any damping, friction, rotor inertia or stiffness

    const lwi_locations *places; ///< at the end of the block; NULL in a model under way
} lwi_kernel;

#endif
