// Solutions of inverse kinematics as rows of a table, for people.
#ifndef IK_TABLE_H
#define IK_TABLE_H

#include "report/output.h"

#include <linkwork/ik.h>

/// The names of the joints that a solution is printed for.
void ik_table_heads(output *out, const lw_model *m, const lw_ik_info *info);

/// "shoulder +, elbow -"; empty where the class has no such roots.
void ik_branch_text(const lw_ik_branch *branch, char text[64]);

/// Solution i at q, its branch, and whether it respects the limits and is exact.
void ik_table_row(output *out, const lw_model *m, const lw_ik_info *info, int i,
                  const lw_ik_solution *s, const double *q);

#endif
