// Where the parts of a compiled model were described, for the diagnostics of what reads it.
#ifndef LWI_PLACES_H
#define LWI_PLACES_H

#include <linkwork/model.h>

/// They end the block of a model, and do not count in its hash: the same mechanism from another
/// file is the same model.
typedef struct lwi_locations {
    size_t block_size;         ///< bytes of the whole model, these among them
    const lw_location *joint;  ///< [njoint]
    const lw_location *step;   ///< [nstep] of its coupling, or its first loop or gear
    const lw_location *spring; ///< [nspring]
} lwi_locations;

lw_location lwi_joint_location(const lw_model *m, int joint);
lw_location lwi_step_location(const lw_model *m, int step);
lw_location lwi_spring_location(const lw_model *m, int spring);

/// Of the joint that has a degree of freedom of the tree.
lw_location lwi_dof_location(const lw_model *m, int v);

#endif
