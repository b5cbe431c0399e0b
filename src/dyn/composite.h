// What the motion of each body needs, and the sums of it over everything behind
// a joint.
#ifndef LWI_COMPOSITE_H
#define LWI_COMPOSITE_H

#include "world.h"

/// Fills composite [nbody] with each body by itself, after the outward pass:
/// inertia, B, momentum, and the force that its motion needs, less the external
/// force on it.
/// @param f_ext [nbody] in body coordinates, or null
void lwi_composite_bodies(const lw_model *m, lw_data *d, const lw_force *f_ext);

/// Takes the loads of the model off those forces, and fills load_sum [nbody].
void lwi_composite_loads(const lw_model *m, lw_data *d);

/// Adds a body and all behind it to its parent.
static inline void lwi_composite_add(lwi_composite *P, const lwi_composite *C)
{
    P->mass += C->mass;
    P->first_moment = lw_add3(P->first_moment, C->first_moment);
    P->tensor.xx += C->tensor.xx;
    P->tensor.yy += C->tensor.yy;
    P->tensor.zz += C->tensor.zz;
    P->tensor.xy += C->tensor.xy;
    P->tensor.xz += C->tensor.xz;
    P->tensor.yz += C->tensor.yz;
    for (int k = 0; k < 3; ++k) {
        P->B.row[k] = lw_add3(P->B.row[k], C->B.row[k]);
    }
    P->p2 = lw_add3(P->p2, C->p2);
    P->f.ang = lw_add3(P->f.ang, C->f.ang);
    P->f.lin = lw_add3(P->f.lin, C->f.lin);
}

static inline void lwi_load_sum_add(lwi_load_sum *P, const lwi_load_sum *C)
{
    for (int k = 0; k < 3; ++k) {
        P->L.row[k] = lw_add3(P->L.row[k], C->L.row[k]);
    }
    P->f = lw_add3(P->f, C->f);
}

#endif
