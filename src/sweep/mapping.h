// A map while it is made.
#ifndef LWI_MAPPING_H
#define LWI_MAPPING_H

#include <linkwork/batch.h>
#include <linkwork/collide.h>
#include <linkwork/workspace_map.h>

#include "../model/data.h"
#include "../model/kernels.h"

typedef struct lwi_mapping {
    const lw_model *m;
    const lw_workspace_map_def *def;
    lw_workspace_map *map;
    lw_data *d;
    lw_batch *batch;     ///< or NULL
    lw_collide *collide; ///< or NULL
    int njoint;
    int *joint;                ///< [njoint] positions that move the frame
    double *low, *high;        ///< [njoint]
    double *q;                 ///< [LWI_SWEEP_CHUNK*nq]
    lw_pose *pose;             ///< [LWI_SWEEP_CHUNK]
    double *J;                 ///< scratch of ellipsoids
    double *rest;              ///< [tree_nq] positions in the reference configuration
    double *tree_q;            ///< [tree_nq]
    bool has_dependent_limits; ///< limits of joints that depend on others may cut the workspace
    long long samples, failed;
    struct lwi_map_solving *solving; ///< inverse kinematics
} lwi_mapping;

/// One pass over blocks of a map, by all workers.
typedef struct lwi_mapping_pass {
    lwi_mapping *worker;
    int nblock, done;
    bool is_cancelled;
    void (*work)(lwi_mapping *w, int block);
} lwi_mapping_pass;

enum { LWI_MAPPING_WITHIN = -1, LWI_MAPPING_OPEN = -2 };

/// The body of a dependent joint, such as a motor behind coupled gears, that is beyond its limits;
/// LWI_MAPPING_WITHIN where none is, LWI_MAPPING_OPEN where loops do not close. Joints that are
/// where they rest, as those of a gripper, do not count.
/// @param rest   [tree_nq] lwi_mapping_rest()
/// @param tree_q [tree_nq] scratch
int lwi_mapping_beyond(const lw_model *m, lw_data *d, const double *q, const double *rest,
                       double *tree_q);

/// Positions of all joints in the reference configuration; NAN where loops do not close there.
void lwi_mapping_rest(const lw_model *m, lw_data *d, double *rest);

/// Whether nothing is in contact, where that counts.
bool lwi_mapping_is_free(lwi_mapping *w, const double *q);

/// Runs a pass: calls work() for each block, tells progress, and ends early where it is cancelled.
void lwi_mapping_run(lwi_mapping *worker, int nblock, void (*work)(lwi_mapping *w, int block));

/// Witnesses of a cell: one for each direction, or one where these are too many.
int lwi_map_witnesses(size_t cells, int ndirection, int nq);

/// Fills capability and witnesses.
lw_status lwi_map_capability(lwi_mapping *worker, int nworker, lw_report *report);

#endif
