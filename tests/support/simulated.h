// Small machines that are simulated in several tests, and their energy.
#ifndef SIMULATED_H
#define SIMULATED_H

#include <linkwork/simulate.h>

/// A pendulum, and a mass on a vertical slide between two stops, 0 and 3 m; as text.
extern const char *const pendulum, *const hopper;

/// Kinetic and potential, where a simulation is now.
double simulated_energy(const lw_model *m, lw_sim *sim);

#endif
