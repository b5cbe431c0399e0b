// How the inverse kinematics of a chain is solved, for people and programs.
#ifndef EXPLAIN_IK_H
#define EXPLAIN_IK_H

#include "report/output.h"

#include <linkwork/ik.h>

/// Names of the joints of a chain: those of their coordinates in the tree.
const char *ik_joint_name(const lw_model *m, const lw_ik_info *info, int joint);

/// One line: the class, the method and the most solutions.
void ik_class_text(const lw_ik_info *info, FILE *file);

/// The properties of the axes with their margins, and the steps of the solution in order.
void ik_derivation_text(const lw_model *m, const lw_ik_info *info, FILE *file);
json_t *ik_derivation_json(output *out, const lw_model *m, const lw_ik_info *info);

/// How each chain from the world to a tool frame is solved: the last frame of every body that
/// carries no other. Chains that no solver takes are left out.
void explain_ik_text(output *out, const lw_model *m);
json_t *explain_ik_json(output *out, const lw_model *m);

#endif
