// Results that several commands print: one number per degree of freedom, and poses.
#ifndef RESULT_TABLES_H
#define RESULT_TABLES_H

#include "report/units.h"
#include "support/job.h"

/// Prints a number per degree of freedom [nv] with its unit, or puts them into `result` under a
/// key.
void print_joint_vector(job *work, json_t *result, const char *key, const double *value,
                        unit_of unit);

/// x, y, z, qw, qx, qy, qz
extern const char *const pose_head[7];

/// Prints poses [count], or sets "frames" in `result`.
void print_poses(output *out, json_t *result, const char *const *name, int count, const lw_pose *X);

#endif
