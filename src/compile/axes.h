// Axes of joints, drives and gearboxes as the compile sees them.
#ifndef LWI_AXES_H
#define LWI_AXES_H

#include "build.h"

/// At most how many rows lwi_add_axis_rows() adds.
int lwi_count_axis_rows(const lwi_build *b);

/// Adds the rows of drives and gearboxes to those of the gears.
lw_status lwi_add_axis_rows(lwi_build *b);

#endif
