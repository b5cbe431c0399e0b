// How the closure sweeps change along a direction: the derivatives of tree velocities,
// accelerations and forces through loops, by complex numbers (../model/loop_complex.h).
//
// For models with closure steps; d->tangent holds what they leave.
#ifndef LWI_TANGENT_H
#define LWI_TANGENT_H

#include "../loop/loop_complex.h"
#include "../model/data.h"

/// Rates stand in imaginary parts times this: a power of two, whose square is nothing beside 1.
static const double LWI_TANGENT_STEP = 0x1p-300;

static inline double lwi_tangent_rate(lwi_complex z)
{
    return lwi_rate_of(z) / LWI_TANGENT_STEP;
}

/// Column k of G, where tree velocities are G v. Needs lwi_closure_rates().
/// @param column [tree_nv]
void lwi_closure_column(const lw_model *m, const lw_data *d, int k, double *column);

/// Tree velocities, accelerations and transposed sweep while the tree moves along `along`
/// [tree_nv], which is column k of G, and the independent v [nv] and a [nv] are held. Steps that do
/// not depend on k are as the sweeps of position, velocity and acceleration left them, which it
/// needs. False at a singular configuration.
bool lwi_tangent_along_position(const lw_model *m, lw_data *d, int k, const double *along,
                                const double *v, const double *a);

/// The same while the tree's velocity grows by `along`, and positions are held.
bool lwi_tangent_along_velocity(const lw_model *m, lw_data *d, int k, const double *along,
                                const double *a);

/// Forces from the tree to independent degrees of freedom, in place.
void lwi_tangent_transpose(const lw_model *m, const lw_data *d, lwi_complex *tree);

#endif
