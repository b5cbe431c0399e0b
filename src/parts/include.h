// Taking a whole description into another one, without a prefix.
#ifndef LWI_INCLUDE_H
#define LWI_INCLUDE_H

#include "parts.h"

/// Adds copies of all parts of `other`, under their own names, with what is connected and what
/// holds between them. Assemblies within it are shared. Names that both have are found by the
/// compile, as everywhere. LW_ERR_MEMORY if allocation fails.
lw_status lwi_include(lw_mech *mech, const lw_mech *other);

#endif
