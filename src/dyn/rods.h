// What rods with mass add to dynamics. Nothing is done, and nothing is read, where there are none.
#ifndef LWI_RODS_H
#define LWI_RODS_H

#include "../kin/rod_ends.h"

/// Adds the forces that balance gravity on the rods to tau [tree_nv]; what their motion needs is in
/// kernel_rods.h. Changes d->X_WB.
void lwi_add_rod_gravity(const lw_model *m, lw_data *d, const double *tree_q, double *tau);

/// What motion and gravity of a rod need, as forces of the rod on the bodies at its ends, in body
/// coordinates about the body's origin: two for each loop, for use by lw_data.loop_force [2*nloop].
/// Needs d->X_WB, d->vel, d->acc.
void lwi_rod_end_forces(const lw_model *m, const lw_data *d, int k, lw_force force[2]);

/// Adds what the rods have to M [nv*nv]. Needs the rates of the closure. Changes d->X_WB.
void lwi_add_rod_masses(const lw_model *m, lw_data *d, const double *tree_q, double *M);

/// Kinetic energy of the rods, and their momentum about the world's origin, the world's own motion
/// included. Both need d->X_WB and d->vel.
double lwi_rod_energy(const lw_model *m, const lw_data *d);
lw_force lwi_rod_momentum(const lw_model *m, const lw_data *d);

#endif
