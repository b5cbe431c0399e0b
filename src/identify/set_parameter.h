// Writing a kinematic parameter into a description.
#ifndef LWI_SET_PARAMETER_H
#define LWI_SET_PARAMETER_H

#include <linkwork/mech.h>

/// Sets the number that a name of linkwork/parameters.h means: of a joint's placements, axes and
/// pitch, and of a rod's length. LW_ERR_UNSUPPORTED for others, and for parts of assemblies.
lw_status lwi_set_parameter(lw_mech *mech, const char *name, double value);

#endif
