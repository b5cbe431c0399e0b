// The trajectory: for each coordinate pieces of polynomials in the order of time.
#ifndef LWI_TRAJECTORY_H
#define LWI_TRAJECTORY_H

#include <linkwork/motion.h>

#include "polynomial.h"

/// Pieces of one coordinate, or of the angle of an arc.
typedef struct lwi_track {
    lwi_piece *piece;
    int npiece;
} lwi_track;

/// From `begin` to `end` two coordinates are those of a point on a circle, whose angle is a track.
typedef struct lwi_arc {
    double begin, end;
    int axis[2];
    double center[2], radius;
    int track;
} lwi_arc;

struct lw_trajectory {
    int n, narc;
    double duration;
    lwi_track *track; ///< [n + narc]
    lwi_arc *arc;     ///< [narc]
    double *last;     ///< [n] where it ends
};

/// A trajectory without pieces, with space for `npiece` of each coordinate and for arcs, that rests
/// at `start` [n]. NULL if allocation fails.
lw_trajectory *lwi_trajectory_allocate(int n, size_t npiece, size_t narc, const double *start);

/// Trajectories one behind the other; `start` [n] where there are none. NULL if allocation fails.
lw_trajectory *lwi_trajectory_join(int n, const double *start, lw_trajectory *const *part,
                                   int npart);

/// The largest speed of each coordinate between two times of the motion, 0 <= from < to <=
/// duration.
/// @param speed [n]
void lwi_trajectory_speeds(const lw_trajectory *trajectory, double from, double to, double *speed);

#endif
