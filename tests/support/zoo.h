// Machines of every kind of joint, made by calls: for laws that must hold for all of them.
#ifndef ZOO_H
#define ZOO_H

#include <linkwork/linkwork.h>

typedef enum zoo_kind {
    ZOO_REVOLUTE,  ///< a chain of six
    ZOO_MIXED,     ///< a chain: prismatic, screw, universal, cylindrical, planar, revolute
    ZOO_SPHERICAL, ///< spherical joints in a row, and a revolute one
    ZOO_FREE,      ///< a free body that carries three branches
    ZOO_BRANCHED,  ///< branches of branches, on the ground twice
    ZOO_LOADED,    ///< loads in both kinds of axes; damping, stiffness, rotors, no friction
    ZOO_COUPLED,   ///< dependent joints: linear, cubic, and a cubic of a quadratic
    ZOO_USER,      ///< a user joint of two degrees of freedom whose motion subspace changes
    ZOO_COUNT
} zoo_kind;

const char *zoo_name(zoo_kind kind);

/// Null, with a failed check that prints the diagnostics, when the compile fails.
/// Free with lw_model_destroy().
lw_model *zoo_model(zoo_kind kind);

/// The same with one number of one link changed.
lw_model *zoo_variant(zoo_kind kind, const char *link, lw_link_parameter parameter, double change);

/// Random state: angles and quaternions everywhere, other positions within 0.8, v and a within 2.
void zoo_state(const lw_model *m, double *q, double *v, double *a);

/// Calls `visit` for every machine there is: the zoo, the models that the project ships and, where
/// the shared folder is there, each URDF of it with the base as described and free. The running
/// case names the machine.
void every_machine(void (*visit)(const lw_model *m, lw_data *d));

#endif
