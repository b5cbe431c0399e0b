// Distances of two solids by FCL.
#ifndef BENCH_DISTANCE_FCL_H
#define BENCH_DISTANCE_FCL_H

#include <linkwork/geometry.h>
#include <linkwork/kinds.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fcl_solid fcl_solid;

/// Null where FCL has no such solid: a rounded core that is neither a point nor a segment.
fcl_solid *fcl_solid_create(const lw_solid *solid);
void fcl_solid_destroy(fcl_solid *solid);

/// A mesh, in a tree of boxes and of rounded rectangles.
fcl_solid *fcl_mesh_create(const lw_mesh *mesh);

/// The distance with nearest points; -1 where they overlap.
double fcl_distance(const fcl_solid *a, const lw_pose *X_a, const fcl_solid *b, const lw_pose *X_b);

/// The same, and where they overlap less the depth of a contact, which libccd finds. FCL's own
/// signed distance aborts at some poses of cylinders, by an assertion in ComputeVisiblePatch().
double fcl_signed_distance(const fcl_solid *a, const lw_pose *X_a, const fcl_solid *b,
                           const lw_pose *X_b);

/// Whether they touch.
bool fcl_touch(const fcl_solid *a, const lw_pose *X_a, const fcl_solid *b, const lw_pose *X_b);

#ifdef __cplusplus
}
#endif
#endif
