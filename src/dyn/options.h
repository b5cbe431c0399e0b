// Options as the computations keep them.
#ifndef LWI_OPTIONS_H
#define LWI_OPTIONS_H

#include <linkwork/dynamics.h>

#include "../model/data.h"

/// Options, NULL for the default, as settings. LW_ERR_NUMBER, with the settings untouched, where a
/// number is not finite.
lw_status lwi_settings_of(const lw_model *m, const lw_dynamics_options *options,
                          lwi_settings *settings);

#endif
