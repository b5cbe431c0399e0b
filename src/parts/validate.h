// What is wrong with a definition by itself, recorded in mech->bad as it is added.
#ifndef LWI_VALIDATE_H
#define LWI_VALIDATE_H

#include "parts.h"

void lwi_check_name(lw_mech *mech, lwi_kind kind, const char *name, lw_location location);
void lwi_report_duplicate(lw_mech *mech, lwi_kind kind, const char *name, lw_location location,
                          lw_location first);
void lwi_check_ground(lw_mech *mech, const lw_ground_def *def, lw_part part);
void lwi_check_link(lw_mech *mech, const lw_link_def *def, lw_part part);
void lwi_check_joint(lw_mech *mech, const lw_joint_def *def, lw_part part);
void lwi_check_load(lw_mech *mech, const lw_load_def *def, lw_part part);
/// @param twin  another frame of the same name on the same part, or -1
void lwi_check_rod(lw_mech *mech, const lw_rod_def *def, lw_part part);
void lwi_check_gear(lw_mech *mech, const lw_gear_def *def);
void lwi_check_frame(lw_mech *mech, const lwi_part *owner, const lwi_part_frame *frame, int twin);
void lwi_check_shape(lw_mech *mech, const lwi_part *owner, const lw_shape_def *def);
void lwi_check_coupling(lw_mech *mech, const lw_coupling_def *def);
void lwi_check_role(lw_mech *mech, lw_role role, lw_location location, const char *what,
                    const char *name);

#endif
