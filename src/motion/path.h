// The geometry of a tool's path: segments in the order of the way, each over a parameter of its
// own, metres along the path (radians where it only rotates, seconds where a file gives times).
//
// The position of a segment is a polynomial or an arc, its orientation R exp(theta) with a
// polynomial theta. So a line with slerp, an arc, a span of a spline and a blend are one thing.
#ifndef LWI_PATH_H
#define LWI_PATH_H

#include <linkwork/math.h>

#include "polynomial.h"

#include <stdbool.h>

/// A pose of the path, and its first and second derivatives by the parameter: angular velocity and
/// velocity of the origin, and their derivatives, along the axes of the world.
typedef struct lwi_path_point {
    lw_pose X;
    lw_motion d1, d2;
} lwi_path_point;

typedef struct lwi_segment {
    double begin, end; ///< of the parameter; blends take away from both sides
    lwi_piece p[3];    ///< position; not looked at for an arc
    bool is_arc;
    lw_vec3 center, x, y; ///< of an arc: center + cos(rate u) x + sin(rate u) y
    double rate;
    lw_mat3 R;
    lwi_piece theta[3];
    double way, angle;                ///< length of the whole segment, m, and its rotation, rad
    double scale;                     ///< largest |dp/du|: 1 but for splines
    int move;                         ///< that it belongs to
    double speed, acceleration, jerk; ///< of the parameter
} lwi_segment;

/// The point of a segment at parameter u.
void lwi_segment_at(const lwi_segment *s, double u, lwi_path_point *point);

/// A straight line from X to `to`, with slerp.
lwi_segment lwi_segment_line(const lw_pose *X, const lw_pose *to);

/// An arc from X through a point to `to`, with slerp. False where the three points are on a line.
bool lwi_segment_arc(const lw_pose *X, lw_vec3 through, const lw_pose *to, lwi_segment *s);

/// The segment with these ends, over the length h of the parameter: quintics in position and in
/// the rotation vector from `R`. The derivatives are met exactly.
lwi_segment lwi_segment_between(const lw_mat3 *R, const lwi_path_point *from,
                                const lwi_path_point *to, double h);

/// The rotation vector from one orientation to another, the short way.
lw_vec3 lwi_rotation_between(const lw_mat3 *from, const lw_mat3 *to);

#endif
