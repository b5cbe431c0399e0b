// Plots of simulations: signals over time, and spectra of forces, with several runs overlaid.
#ifndef SIMULATION_PLOT_H
#define SIMULATION_PLOT_H

#include "report/simulation.h"

/// Panels of positions, velocities, forces and energies. A colour stands for a joint, a dash for a
/// simulation; joints are told apart by their names, so that machines at several levels of detail
/// go together. Motors behind elastic shafts are shown at the joints that they turn: their forces
/// there, as if the shafts were rigid, and no curves of their own. Written whole or not at all;
/// complains and returns an exit code.
int plot_simulations(const simulation *sim, int count, const char *path);

/// The same for the amplitudes of the drives' forces over frequency.
int plot_spectra(const simulation *sim, int count, const char *path);

#endif
