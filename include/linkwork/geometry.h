// linkwork/geometry.h: convex solids, and how far two of them are apart.
//
// Experimental. Real-time safe unless stated otherwise; thread safe by const (linkwork/base.h).
//
// A solid is a core, grown by a rounding radius: a sphere is a rounded point, a capsule a rounded
// segment. The distance of two solids is signed: where they overlap it is minus the smallest
// translation that separates them.
//
// Every answer carries an interval that contains the exact distance of the solids as they are
// given, rounding errors included: its lower end is proven by a direction, in which the solids are
// that far apart, and its upper end by two points, or for an overlap by a polytope inside of the
// differences of their points and by how round both are about the deepest two. A verdict that does
// not follow from the interval is not given.
#ifndef LINKWORK_GEOMETRY_H
#define LINKWORK_GEOMETRY_H

#include <linkwork/math.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What is left of a solid without its rounding, in its own frame.
typedef enum lw_core {
    LW_CORE_POINT = 0,      ///< the origin
    LW_CORE_SEGMENT = 1,    ///< along z, centred: half.z
    LW_CORE_BOX = 2,        ///< centred: half lengths along x, y, z
    LW_CORE_CYLINDER = 3,   ///< about z, centred: radius half.x, half length half.z
    LW_CORE_CONE = 4,       ///< about z: base of radius half.x at -half.z, apex at half.z
    LW_CORE_ELLIPSOID = 5,  ///< centred: radii along x, y, z
    LW_CORE_HULL = 6,       ///< the convex hull of points
    LW_CORE_HALF_SPACE = 7, ///< z <= 0
    LW_CORE_COUNT = 8
} lw_core;

typedef struct lw_solid {
    lw_core core;
    lw_vec3 half;         ///< m, as lw_core has it
    double radius;        ///< of the rounding, m
    int npoint;           ///< of a hull
    const lw_vec3 *point; ///< [npoint] in the frame of the solid; borrowed
} lw_solid;

// Solids by their usual measures, in m. Nothing is checked here; lw_check_solid() does.

/// A ball about the origin.
LW_API lw_solid lw_sphere(double radius);
/// About z, centred; its length is that between the centres of the caps.
LW_API lw_solid lw_capsule(double radius, double length);
/// Centred, with full lengths.
LW_API lw_solid lw_box(lw_vec3 size);
/// About z, centred.
LW_API lw_solid lw_cylinder(double radius, double length);
/// About z: the base at z = -length / 2, the apex at z = length / 2.
LW_API lw_solid lw_cone(double radius, double length);
/// Centred.
LW_API lw_solid lw_ellipsoid(lw_vec3 radii);
/// The convex hull of points, which are borrowed.
LW_API lw_solid lw_hull(int npoint, const lw_vec3 *point);
/// All points with z <= 0.
LW_API lw_solid lw_half_space(void);

/// Checks the measures of a solid.
/// @return LW_ERR_NUMBER where a measure is not finite or too large to be squared, LW_ERR_ARGUMENT
///         where one is negative, for a hull without points and for a core that does not exist.
LW_API lw_status lw_check_solid(const lw_solid *solid);

typedef struct lw_distance {
    double distance;     ///< signed, within the interval
    double lower, upper; ///< the interval
    lw_vec3 point[2];    ///< of each solid, in the world: point[1] - point[0] = distance * normal
    lw_vec3 normal;      ///< from the first solid to the second, in the world
    int iterations;      ///< 0 where a closed form was used
} lw_distance;

/// Memory of one computation, about 30 kB. Needs no initialization, and keeps nothing.
typedef struct lw_distance_work {
    double memory[3800];
} lw_distance_work;

/// The distance of two solids with their poses in the world. The order of the two changes no bit
/// but the signs of the normal. A rotation matrix that is not quite orthonormal widens the interval
/// by as much. Solids smaller than 1e-60 m are reported to be that small, no more.
/// @return as lw_check_solid(); LW_ERR_NUMBER for a pose that is not finite, LW_ERR_ARGUMENT for
///         two half-spaces and for a matrix that is not orthonormal to 1e-6 (of spheres and
///         capsules its third column alone is looked at).
LW_API lw_status lw_find_distance(const lw_solid *a, const lw_pose *X_a, const lw_solid *b,
                                  const lw_pose *X_b, lw_distance_work *work,
                                  lw_distance *distance);

/// Where a search of a distance begins: directions that the last one for the same two solids ended
/// with, the points of hulls that are farthest in them, and the points that were nearest, or the
/// deepest. It is the caller's; with n = 0 it says nothing. Whatever it holds, the answer is proven
/// as any other; what fits makes it faster where there is no closed form, and may change digits
/// within the interval.
typedef struct lw_distance_start {
    int n;                ///< of the directions
    lw_vec3 direction[4]; ///< in the frame of one of the solids
    int point[4][2];      ///< of both hulls, counted from 1; 0 where none is known
    lw_vec3 normal;
    lw_vec3 nearest[2]; ///< points of both cores, each in the frame of its solid
} lw_distance_start;

/// As lw_find_distance(), from where the last search ended, and keeps where this one does. For two
/// solids that have moved a little since.
/// @return as lw_find_distance(), which then leaves `start` as it was
LW_API lw_status lw_find_distance_from(const lw_solid *a, const lw_pose *X_a, const lw_solid *b,
                                       const lw_pose *X_b, lw_distance_start *start,
                                       lw_distance_work *work, lw_distance *distance);

typedef enum lw_verdict {
    LW_VERDICT_UNCERTAIN = 0, ///< the margin is inside of the interval
    LW_VERDICT_FREE = 1,      ///< proven to be farther apart than the margin
    LW_VERDICT_HIT = 2        ///< proven not to be
} lw_verdict;

/// Whether two solids are farther apart than a margin, as far as it is proven.
LW_API lw_verdict lw_verdict_of(const lw_distance *distance, double margin);

/// The same without the distance: it stops at the first proof.
/// @return as lw_find_distance(); LW_ERR_ARGUMENT for a margin that is not finite
LW_API lw_status lw_find_verdict(const lw_solid *a, const lw_pose *X_a, const lw_solid *b,
                                 const lw_pose *X_b, double margin, lw_distance_work *work,
                                 lw_verdict *verdict);

/// Capsules in arrays, one entry of each per capsule: what lw_find_distance() takes from a pose and
/// a solid. A sphere is a capsule of no length, with any axis.
typedef struct lw_capsules {
    const double *x, *y, *z;    ///< centres in the world, m
    const double *ux, *uy, *uz; ///< unit vectors along the axes
    const double *half;         ///< half lengths between the centres of the caps, m
    const double *radius;       ///< m
} lw_capsules;

/// Where the distances of pairs go, as lw_distance has them.
typedef struct lw_capsule_distances {
    double *distance;      ///< signed, within the interval
    double *lower, *upper; ///< the interval
    double *s, *t; ///< nearest points of the axes: centre + s u of the first, + t u of the second
} lw_capsule_distances;

/// The distances of n pairs of capsules, the first of `a` and the first of `b` and so on, several
/// at a time in the lanes of vectors. None depends on its place in the arrays. The intervals
/// contain the exact distances as that of lw_find_distance() does; digits within may differ from
/// it, and between processors.
/// @return LW_ERR_ARGUMENT for null and for n < 0. As lw_find_distance() for a pair that it
/// refuses,
///         the first of them; the interval of each such pair is infinite, and the others are
///         computed.
LW_API lw_status lw_find_capsule_distances(int n, const lw_capsules *a, const lw_capsules *b,
                                           const lw_capsule_distances *distances);

/// The same in float.
typedef struct lw_capsules32 {
    const float *x, *y, *z;
    const float *ux, *uy, *uz;
    const float *half, *radius;
} lw_capsules32;

typedef struct lw_capsule_distances32 {
    float *distance, *lower, *upper, *s, *t;
} lw_capsule_distances32;

/// The same in float, twice as many at a time: the intervals contain the exact distances of the
/// capsules that the floats are, and are at most 2e-5 of the size wide. Numbers that were rounded
/// to float move a distance by as much again.
LW_API lw_status lw_find_capsule_distances32(int n, const lw_capsules32 *a, const lw_capsules32 *b,
                                             const lw_capsule_distances32 *distances);

enum { LW_PATCH_POINTS = 64 };

/// Where two solids touch, or would along the normal: a polygon in the plane across the normal, in
/// the middle between the nearest points.
typedef struct lw_contact_patch {
    int npoint;                     ///< 3 and more of a face, 2 of an edge, 1 of a corner
    lw_vec3 point[LW_PATCH_POINTS]; ///< in the world, counter-clockwise seen against the normal
    double area;                    ///< m^2; 0 but for faces
    lw_vec3 normal;                 ///< that of the distance
} lw_contact_patch;

/// The patch of two solids, for a distance of theirs. Faces are those parts of a solid that are
/// within a slack of its farthest plane in the direction of the other one; rims are polygons of 32
/// corners. Real-time safe.
/// @param slack m, above zero: 1e-6 of the size, for example
/// @return LW_ERR_ARGUMENT, LW_ERR_NUMBER as of lw_check_solid()
LW_API lw_status lw_find_patch(const lw_solid *a, const lw_pose *X_a, const lw_solid *b,
                               const lw_pose *X_b, const lw_distance *distance, double slack,
                               lw_contact_patch *patch);

#ifdef __cplusplus
}
#endif
#endif
