// Derived equations, a derivation for each function: one that cannot be derived leaves the others
// alone. The engine of derived equations runs them; that of compiled code runs what it has no code
// for.
#ifndef LWI_DERIVED_H
#define LWI_DERIVED_H

#include <linkwork/engine.h>

typedef struct lwi_derived {
    lw_derivation *of[LW_FUNCTION_COUNT]; ///< null: not asked for, or left out
    const lw_model *model;
    int frame;
    lw_data *data; ///< for the poses that inverse kinematics reads; null unless asked for
} lwi_derived;

/// Derives what the options ask for. Functions that this machine has not are left out with a note;
/// options that make no sense, and a lack of memory, are errors.
lw_status lwi_derive_each(const lw_model *m, const lw_engine_options *options, lw_report *report,
                          lwi_derived *d);

/// The functions that there are, as bits.
unsigned lwi_derived_functions(const lwi_derived *d);

/// The pose X that inverse kinematics reads, at q.
lw_status lwi_derived_pose(const lwi_derived *d, const double *q, double X[12]);

/// Runs the operations of a function, one after the other.
lw_status lwi_derived_run(lwi_derived *d, lw_function which, const lw_engine_state *state,
                          double *result);

void lwi_derived_free(lwi_derived *d);

#endif
