// What a lw_ik tells about its chain.
#ifndef LWI_DESCRIBE_H
#define LWI_DESCRIBE_H

#include "solve.h"

/// Fills in ik->info but for the positions of the joints, from the class.
void lwi_ik_describe(lw_ik *ik);

/// Class, properties and steps of six revolute joints; info->njoint is 6, and is_reversed is set.
void lwi_six_describe(const lwi_six *six, lw_ik_info *info);

/// Adds a step of the solution, of joints that count from the end where the class is reversed; a
/// joint of -1 is none.
void lwi_ik_add_step(lw_ik_info *info, const char *subproblem, int nsolution, int a, int b, int c,
                     const char *equation);

/// Adds a property of axes, likewise.
void lwi_ik_add_fact(lw_ik_info *info, lw_ik_property property, int first, int last, double margin);

#endif
