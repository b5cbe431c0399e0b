// Inverse dynamics over complex numbers, for derivatives without differences: the imaginary part of
// f(x + i h) is h f'(x) to the last digit, however small h is (Squire and Trapp 1998).
#ifndef COMPLEX_DYNAMICS_H
#define COMPLEX_DYNAMICS_H

#include <linkwork/linkwork.h>

#include <complex.h>
#include <stdbool.h>

/// Whether this reference can do the model: it has no user joints, whose callbacks are real.
bool complex_can(const lw_model *m);

/// tau [nv] of lw_inverse_dynamics() for complex q [nq], v and a [nv]. It reads the public arrays
/// of the model alone and is written from the equations of the textbook in body coordinates:
/// nothing is shared with the library.
void complex_inverse_dynamics(const lw_model *m, const lw_dynamics_options *options,
                              const double complex *q, const double complex *v,
                              const double complex *a, const lw_force *f_ext, double complex *tau);

/// q after an infinitesimal move by i h along velocity k.
void complex_move(const lw_model *m, const double *q, int k, double h, double complex *moved);

#endif
