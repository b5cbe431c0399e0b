// Records of the scratch in which derivatives, sensitivities and regressors work (dyn/world.h).
#ifndef LWI_RECORDS_H
#define LWI_RECORDS_H

#include <linkwork/math.h>

/// One body, along the axes of the world, about the origin of the root that carries it.
typedef struct lwi_world_body {
    lw_pose X;          ///< axes and origin of the body
    lw_motion vel, acc; ///< spatial velocity and acceleration; gravity is an upward acceleration
} lwi_world_body;

// What the derivatives keep of bodies and of degrees of freedom lies in rows: one kind of number
// for all of them, so that several are computed side by side. Behind the last entry of a row there
// is space for LWI_ROW_SPARE more, which blocks of several may overwrite.

enum { LWI_ROW_SPARE = 8 };

/// Rows of bodies: a body by itself at first, then with all that it carries. In the same frame.
typedef enum lwi_body_row {
    LWI_ROW_MASS = 0,
    LWI_ROW_MOMENT = 1, ///< first moment
    LWI_ROW_TENSOR = 4, ///< xx yy zz xy xz yz
    LWI_ROW_B = 10,     ///< twice the sum of r.u 1 - u r' over all mass, at r with velocity u
    LWI_ROW_P = 19,     ///< twice the momentum
    LWI_ROW_FORCE = 22, ///< force through the joint: moment, force
    LWI_BODY_ROWS = 28,
    LWI_ROW_LOAD = 28,   ///< sum of r.f 1 - f r' - [t]x over loads f, t at r along the world's axes
    LWI_ROW_LOAD_F = 37, ///< sum of their f
    LWI_LOAD_ROWS = 40   ///< rows of bodies where the model has loads
} lwi_body_row;

/// Rows of degrees of freedom. Motions and forces have the angular part first.
typedef enum lwi_dof_row {
    LWI_ROW_S = 0,        ///< motion of all that the degree of freedom carries, for unit velocity
    LWI_ROW_PSI = 6,      ///< what a change of q adds to its velocity; the angular part
    LWI_ROW_CHI = 9,      ///< and to its acceleration
    LWI_ROW_ETA = 15,     ///< what a change of v adds to its acceleration
    LWI_ROW_IS = 21,      ///< inertia times S
    LWI_ROW_BS = 27,      ///< 2B' S, which has no linear part
    LWI_ROW_FQ = 30,      ///< change of the force through the joint by q
    LWI_ROW_FV = 36,      ///< and by v
    LWI_ROW_LOADS = 42,   ///< what BS is to B, for the loads
    LWI_ROW_PSI_LIN = 45, ///< the linear part of psi, which rods with mass need
    LWI_ROW_U = 48,       ///< articulated inertia times S, divided by D (kernel_elimination.h)
    LWI_ROW_D = 54,       ///< what a degree of freedom moves where those behind it are free
    LWI_DOF_ROWS = 55
} lwi_dof_row;

#endif
