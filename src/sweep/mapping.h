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
    int *joint;         ///< [njoint] positions that move the frame
    double *low, *high; ///< [njoint]
    double *q;          ///< [LWI_SWEEP_CHUNK*nq]
    lw_pose *pose;      ///< [LWI_SWEEP_CHUNK]
    double *J;          ///< [6*nv]
    double *tree_q;     ///< [tree_nq]
} lwi_mapping;

/// Whether nothing is in contact, where that counts.
bool lwi_mapping_is_free(lwi_mapping *w, const double *q);

/// Fills capability and witnesses.
lw_status lwi_map_capability(lwi_mapping *w, lw_report *report);

#endif
