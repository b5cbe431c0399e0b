// The tree as the kernels read it: one record a body, everything a recursion touches side by side.
#ifndef LWI_KERNEL_H
#define LWI_KERNEL_H

#include <linkwork/model.h>

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
    double lead; ///< m a radian, of a screw
} lwi_body;

typedef struct lwi_kernel {
    const lwi_body *body;      ///< [nbody]
    const lw_user_joint *user; ///< [nbody] where any carrier is LW_TREE_USER, else null
    int all_revolute;          ///< every carrier is LW_TREE_REVOLUTE
    int has_joint_forces;      ///< any damping, friction, rotor inertia or stiffness
    size_t block_size;         ///< bytes of the whole model
} lwi_kernel;

#endif
