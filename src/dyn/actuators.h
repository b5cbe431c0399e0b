// Generalised forces, split onto drives that sit anywhere.
#ifndef LWI_ACTUATORS_H
#define LWI_ACTUATORS_H

#include "../model/data.h"

/// The forces [n] at degrees of freedom of the tree that together do the work of tau [nv], as
/// lw_actuator_forces() has them, and what they leave: rest [nv]. Returns the rank. Needs the rates
/// of the closure; n is at most d->nsplit where the model has steps. Uses d->tree_a and v_work.
int lwi_split_forces(const lw_model *m, lw_data *d, const double *tau, int n, const int *dof,
                     const double *weight, double *force, double *rest);

#endif
