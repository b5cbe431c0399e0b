// linkwork/workspace_map.h: where a frame can go, cell by cell, and how well. Part of
// liblinkwork_sweep.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A map divides space into cubes. Two ways fill it: sampling of the joints, which is fast and finds
// what it hits, and inverse kinematics of the centre of each cell for many orientations, which
// answers for each of them, with a configuration as witness. Joints without limits rotate once
// around; other joints than those that carry the frame stay at the reference.
#ifndef LINKWORK_WORKSPACE_MAP_H
#define LINKWORK_WORKSPACE_MAP_H

#include <linkwork/sweep.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A map. Cell (i, j, k) is number (k * n[1] + j) * n[0] + i, and has its corner at low + cell *
/// (i, j, k). Read it, do not write it.
typedef struct lw_workspace_map {
    double cell; ///< edge of a cell, m
    lw_vec3 low;
    int n[3];
    long long samples; ///< configurations that were sampled
    long long failed;  ///< of which so many do not close, or are in contact
    unsigned *count;   ///< [cells] samples in each
    float *best;       ///< [cells] largest manipulability of translations seen; NULL without
    int norientation;  ///< of inverse kinematics, 0 without
    float *capability; ///< [cells] share of orientations that are reached; NULL without
    int nq;
    double
        *witness; ///< [cells*nq] a configuration that reaches the centre of the cell; NULL without
    bool is_cancelled;
} lw_workspace_map;

typedef struct lw_workspace_map_def {
    int frame;
    double cell;       ///< m
    long long samples; ///< of the forward sweep
    unsigned long long seed;
    lw_sweep_mode mode;
    bool has_measure;    ///< manipulability of each sample
    bool checks_contact; ///< configurations in contact with themselves do not count
    int ndirection;      ///< of the frame's z axis, spread evenly over the sphere; 0: no inverse
                         ///< kinematics
    int nroll;           ///< rotations about it, for each direction
    bool ignores_limits; ///< of inverse kinematics
    bool (*cancel)(void *context);
    void *context;
} lw_workspace_map_def;

/// Cells of 5 cm, a million samples with seed 1, exact; no inverse kinematics.
LW_API lw_workspace_map_def lw_default_workspace_map_def(int frame);

/// Makes a map. LW_ERR_ARGUMENT where the definition makes no sense, LW_ERR_LIMIT for more than
/// 2^28 cells, LW_ERR_UNSUPPORTED for a joint that slides without limits and for a chain that
/// lw_ik_create() refuses, LW_ERR_MEMORY. Call lw_workspace_map_free() after failure too.
LW_API lw_status lw_workspace_map_create(const lw_model *m, const lw_workspace_map_def *def,
                                         lw_workspace_map *map, lw_report *report);
LW_API void lw_workspace_map_free(lw_workspace_map *map);

/// The number of the cell that a point is in; -1 outside of the map.
LW_API long long lw_workspace_map_find(const lw_workspace_map *map, lw_vec3 p);

/// Orientation number i of a map: its z axis is direction i / nroll.
LW_API lw_mat3 lw_workspace_orientation(int ndirection, int nroll, int i);

#ifdef __cplusplus
}
#endif
#endif
