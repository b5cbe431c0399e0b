// Where the parts of a compiled model were described, for the findings of what reads it.
#ifndef LWI_PLACES_H
#define LWI_PLACES_H

#include <linkwork/model.h>

/// They end the block of a model, and do not count in its hash: the same machine from another file
/// is the same model.
typedef struct lwi_places {
    size_t block_size;      ///< bytes of the whole model, these among them
    const lw_place *joint;  ///< [njoint]
    const lw_place *step;   ///< [nstep] of its coupling, or its first loop or gear
    const lw_place *spring; ///< [nspring]
} lwi_places;

lw_place lwi_joint_place(const lw_model *m, int joint);
lw_place lwi_step_place(const lw_model *m, int step);
lw_place lwi_spring_place(const lw_model *m, int spring);

/// Of the joint that has a freedom of the tree.
lw_place lwi_freedom_place(const lw_model *m, int v);

#endif
