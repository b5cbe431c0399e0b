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

/// A trajectory while it is made. Moves are added behind each other; the tracks have room for all.
typedef struct lwi_builder {
    const lw_trajectory_def *def;
    lw_trajectory *trajectory;
    lw_report *report;
    int move; ///< number of the move that is added, for findings
} lwi_builder;

/// Reports what is wrong with the current move, at an axis unless that is -1; returns the status.
lw_status lwi_move_error(const lwi_builder *b, int axis, lw_status status, const char *what);

/// Adds a piece to a track.
void lwi_track_add(lwi_track *track, const lwi_piece *piece);

/// Adds LW_MOVE_THROUGH. The trajectory's `last` is where it begins, and is moved to its end.
lw_status lwi_spline_add(lwi_builder *b, const lw_move *move);

#endif
