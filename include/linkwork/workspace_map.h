// linkwork/workspace_map.h: where a frame can go, cell by cell, and how well. Part of
// liblinkwork_sweep.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A map divides space into cubes. Two ways fill it: sampling of the joints, which is fast and finds
// what it hits, and inverse kinematics of the centre of each cell for many orientations, which
// answers for each of them, with a configuration as witness. Joints without limits rotate once
// around; other joints than those that carry the frame stay at the reference. A map can be kept as
// bytes, and is queried by an index: lw_workspace_map_find().
#ifndef LINKWORK_WORKSPACE_MAP_H
#define LINKWORK_WORKSPACE_MAP_H

#include <linkwork/batch.h>
#include <linkwork/sweep.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What is measured of translations of the frame at a sample: the product of the axes of the
/// ellipsoid of velocities J v, |v| <= 1; the shortest axis of that of forces f, |J' f| <= 1: what
/// the frame can press with in every direction; or the product of the axes of that of accelerations
/// J M^-1 tau, |tau| <= 1, where tau_i counts in units of its limit if all joints have one. Only
/// translations count, so no length relates them to rotations. There are as many axes as the joints
/// can move the frame in directions, at most over random states: 2 for every planar arm.
typedef enum lw_frame_ellipsoid {
    LW_ELLIPSOID_VELOCITY = 0,
    LW_ELLIPSOID_FORCE = 1,
    LW_ELLIPSOID_DYNAMIC = 2
} lw_frame_ellipsoid;

/// A map. Cell (i, j, k) is number (k * n[1] + j) * n[0] + i, and has its corner at low + cell *
/// (i, j, k). Read it, do not write it.
typedef struct lw_workspace_map {
    double cell; ///< edge of a cell, m
    lw_vec3 low;
    int n[3];
    long long samples;      ///< configurations that were sampled
    long long failed;       ///< of which so many do not close, or are in contact
    unsigned *count;        ///< [cells] samples in each
    float *best;            ///< [cells] largest measure seen (lw_frame_ellipsoid); NULL without
    int naxis;              ///< of these ellipsoids; 0 without
    int ndirection;         ///< of inverse kinematics, 0 without
    int norientation;       ///< all rolls of all directions
    float *capability;      ///< [cells] share of orientations that are reached; NULL without
    unsigned char *reached; ///< [cells*((ndirection+7)/8)] bit k % 8 of byte k / 8: direction k is
                            ///< reached, with some roll; NULL without
    int nq;
    int nwitness;   ///< for each cell: ndirection, or 1 where they would need more than 1 GB
    float *witness; ///< [cells*nwitness*nq] configurations: lw_workspace_map_witness()
    unsigned long long hash; ///< of the model
    bool is_cancelled;
} lw_workspace_map;

typedef struct lw_workspace_map_def {
    int frame;
    double cell;       ///< m
    long long samples; ///< of the forward sweep, at most 2^32 - 1
    unsigned long long seed;
    lw_sweep_mode mode;
    bool has_measure;             ///< of each sample
    lw_frame_ellipsoid ellipsoid; ///< which
    bool checks_contact; ///< configurations in contact with themselves do not count; pairs of links
                         ///< that always overlap are not looked at (lw_collide_search_pairs())
    int ndirection;      ///< of the frame's z axis, spread evenly over the sphere; 0: no inverse
                         ///< kinematics
    int nroll;           ///< rotations about it, for each direction
    bool ignores_limits; ///< of inverse kinematics
    const lw_batch_runner *runner; ///< threads; NULL: the calling one. They change no number.
    bool (*cancel)(void *context); ///< on any of the threads; may be NULL
    void (*progress)(void *context, double share); ///< now and then, by one thread; may be NULL
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

/// A configuration [nq] that brings the frame to the centre of a cell, with its z axis along a
/// direction; a direction of -1 asks for any. NULL where there is none. It is rounded to float.
LW_API const float *lw_workspace_map_witness(const lw_workspace_map *map, long long cell,
                                             int direction);

/// The centre of a cell.
LW_API lw_vec3 lw_workspace_map_center(const lw_workspace_map *map, long long cell);

/// The largest box of whole cells that are all reached: by a sample or by inverse kinematics, or,
/// for a `capability` above 0, with at least that. *low and *high are its corners, equal where
/// there is no cell. LW_ERR_LIMIT where that needs more than 2^33 steps, cells times layers along
/// z; LW_ERR_ARGUMENT, for a map without capability too; LW_ERR_MEMORY.
LW_API lw_status lw_workspace_map_box(const lw_workspace_map *map, double capability, lw_vec3 *low,
                                      lw_vec3 *high);

/// The map as bytes: how many, and these. They have the byte order of the machine.
LW_API size_t lw_workspace_map_size(const lw_workspace_map *map);
LW_API void lw_workspace_map_write(const lw_workspace_map *map, void *bytes);

/// A map from its bytes. LW_ERR_SYNTAX for what is none, or of another byte order or version;
/// LW_ERR_MEMORY. Call lw_workspace_map_free() after failure too.
LW_API lw_status lw_workspace_map_read(const void *bytes, size_t size, lw_workspace_map *map);

/// Orientation number i of a map: its z axis is direction i / nroll.
LW_API lw_mat3 lw_workspace_orientation(int ndirection, int nroll, int i);

#ifdef __cplusplus
}
#endif
#endif
