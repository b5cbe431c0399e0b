// Taking a whole description into another one, without a prefix.
#ifndef LWI_INCLUDE_H
#define LWI_INCLUDE_H

#include "parts.h"

/// Adds copies of all parts of `other`, under their own names, with what is connected and what
/// holds between them. Assemblies within it are shared. Names that both have are found by the
/// compile, as everywhere. LW_ERR_MEMORY when memory is short.
lw_status lwi_include(lw_mech *mech, const lw_mech *other);

/// The definition of a joint, and another one for the same joint, which keeps its name, role and
/// connections and takes the place of the definition. False when memory is short.
lw_joint_def lwi_joint_def_of(const lw_mech *mech, int part);
bool lwi_adjust_joint(lw_mech *mech, int part, const lw_joint_def *def);

#endif
