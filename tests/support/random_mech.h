// Random machines for tests: trees with joints of all types, odd axes, placements in every form,
// frames, inertias that a body can have, couplings and loads. The same seed gives the same machine.
#ifndef RANDOM_MECH_H
#define RANDOM_MECH_H

#include <linkwork/compile.h>

typedef struct random_mech_options {
    int njoint;     ///< joints that move
    unsigned types; ///< a bit for each lw_joint_type that may occur
    double chain;   ///< how often a joint hangs on the newest link instead of on any
    double coupled; ///< how often a scalar degree of freedom follows another one
    bool has_mass;
    bool has_joint_forces; ///< damping, friction, rotor inertia, stiffness
    int nload;
} random_mech_options;

/// Eight joints of any type, branched, coupled, with mass, without joint forces and loads.
random_mech_options random_mech_default(void);

/// A bit mask of joint types.
#define RANDOM_TYPE(type) (1u << (type))
#define RANDOM_ALL_TYPES ((1u << (LW_JOINT_USER + 1)) - 1u)
/// Those whose positions are not quaternions.
#define RANDOM_SCALAR_TYPES                                                                        \
    (RANDOM_ALL_TYPES & ~(RANDOM_TYPE(LW_JOINT_SPHERICAL) | RANDOM_TYPE(LW_JOINT_FREE)))

/// Null where memory is short. Free with lw_mech_destroy().
lw_mech *random_mech(unsigned long long seed, const random_mech_options *options);

/// The same, compiled; null with a failed check that prints the diagnostics.
lw_model *random_model(unsigned long long seed, const random_mech_options *options);

/// A state within a few radians and metres; quaternions of unit length. Null arrays are left out.
void random_state(const lw_model *m, double *q, double *v, double *a);

/// A unit vector, a rotation, a pose, a placement in any of the forms.
lw_vec3 random_unit(void);
lw_mat3 random_rotation(void);
lw_pose random_pose(void);
lw_placement random_placement(void);

/// A universal joint by callbacks, about z and then about y as turned: its motion depends on q.
lw_user_joint random_mech_user_joint(void);

#endif
