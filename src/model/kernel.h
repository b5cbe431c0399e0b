// The tree as the kernels read it: one record a body, everything a recursion touches side by side.
#ifndef LWI_KERNEL_H
#define LWI_KERNEL_H

#include "locations.h"
#include "segment.h"

/// What is known about the rotation part of a placement, so that kernels can skip work.
typedef enum lwi_placement_class {
    LWI_PLACED_SHIFTED, ///< R is the identity
    LWI_PLACED_GENERAL
} lwi_placement_class;

/// Body i hangs on its parent by X_PJ(R, p), then its joint about or along z.
typedef struct lwi_body {
    int parent;
    int carrier;   ///< lw_tree_joint
    int placement; ///< lwi_placement_class
    int q, v;      ///< first tree coordinate
    int nv;
    int subtree_end;
    int has_mass; ///< 0: no inertia of its own
    double R[9];  ///< row by row
    double p[3];
    double mass;
    double h[3]; ///< first moment
    double I[6]; ///< xx yy zz xy xz yz, about the body's origin
    double lead; ///< m per radian, of a screw
} lwi_body;

/// A quaternion within q.
typedef struct lwi_quat_at {
    int q; ///< independent position of its w
    int v; ///< independent velocity of its wx
    int body;
} lwi_quat_at;

typedef struct lwi_kernel {
    const lwi_body *body;    ///< [nbody]
    const lwi_quat_at *quat; ///< [nquat]
    int nquat;
    const lw_user_joint *user; ///< [nbody] where any carrier is LW_TREE_USER, else null

    const struct lwi_program *program; ///< closure; its steps are lw_model.nstep

    const lwi_segment *segment; ///< [nbody] for the recursions of dynamics
    const lwi_passive *passive; ///< [tree_nv]
    const lwi_load *load;       ///< [nload]
    double world_phi[2];        ///< cosine and sine of the world's turn
    int nload;                  ///< loads on bodies that move
    int ngeneral;               ///< joints that are not about or along z
    int all_revolute;           ///< every carrier is LW_TREE_REVOLUTE
    int has_joint_forces;       ///< any damping, friction, rotor inertia or stiffness

    const lwi_locations *places; ///< at the end of the block; null in a model under way
} lwi_kernel;

#endif
