// Andrews' squeezing mechanism as the Test Set for IVP Solvers describes it, from its own numbers.
#ifndef SQUEEZER_H
#define SQUEEZER_H

#include <linkwork/linkwork.h>

#include <jansson.h>

enum { SQUEEZER_N = 7 };

/// Names of its angles, in the order of the test set.
extern const char *const squeezer_angle[SQUEEZER_N];

double squeezer_parameter(const json_t *file, const char *name);

/// Free with lw_mech_destroy().
lw_mech *squeezer(const json_t *file, const double *q0);

/// The spring between C and the point D of body 3: adds it to f [nbody].
lw_status squeezer_spring(const lw_model *m, lw_data *d, const json_t *file, const double *q,
                          lw_force *f);

#endif
