// A derivation, as the emitters and the engines read it.
#ifndef LWI_DERIVATION_H
#define LWI_DERIVATION_H

#include <linkwork/symbolic.h>

#include "../expr/tape.h"

/// The code of a function; null where it was not derived. Its outputs are named as
/// lw_function_result() tells, so that of a tape that functions share each finds its own. Inputs:
///
///   LWI_POSITION      q[index], independent positions
///   LWI_VELOCITY      v[index]
///   LWI_ACCELERATION  a[index]
///   LWI_FORCE         tau[index], of forward dynamics
///   LWI_SINE, _COSINE of q[index], where lw_derive_options.is_sincos_input
///   LWI_TIME
///   LWI_PARAMETER     lw_derivation_symbol(index)
///
/// An output that stands nowhere in the tape is zero: emitters write all lw_function_size() places.
const lwi_tape *lwi_derivation_tape(const lw_derivation *d, lw_function function);

const lw_model *lwi_derivation_model(const lw_derivation *d);
const lw_derive_options *lwi_derivation_options(const lw_derivation *d);

#endif
