// How moves become a trajectory: a file for each kind adds pieces behind those that there are.
#ifndef LWI_MOVE_H
#define LWI_MOVE_H

#include "profile.h"
#include "trajectory.h"

/// A trajectory while it is made. Moves are added behind each other; the tracks have space for all.
typedef struct lwi_builder {
    const lw_trajectory_def *def;
    lw_trajectory *trajectory;
    lw_report *report;
    int move; ///< number of the move that is added, for diagnostics
} lwi_builder;

/// Reports what is wrong with the current move, at an axis unless that is -1; returns the status.
lw_status lwi_move_error(const lwi_builder *b, int axis, lw_status status, const char *what);

/// Adds a piece to a track.
void lwi_track_add(lwi_track *track, const lwi_piece *piece);

/// Rests a coordinate where it is, from now on.
void lwi_track_hold(lw_trajectory *t, int axis);

/// Adds offset + scale * profile to a track, from now on.
lw_status lwi_track_profile(lwi_builder *b, int track, double offset, double scale,
                            const lwi_profile *profile);

/// Takes a duration that is wanted, unless 0, in place of the shortest one; reports one that is
/// shorter than the limits allow by more than a rounding.
lw_status lwi_check_duration(lwi_builder *b, double wanted, double *shortest);

/// Whether a position is within the limits.
bool lwi_is_within(const lw_axis_limits *limits, double x);

/// Adds a move of any kind. The trajectory's `last` is where it begins, and is moved to its end; so
/// it is for each kind.
lw_status lwi_move_add(lwi_builder *b, const lw_move *move);

/// Adds LW_MOVE_ARC.
lw_status lwi_arc_add(lwi_builder *b, const lw_move *move);

/// Adds LW_MOVE_THROUGH.
lw_status lwi_spline_add(lwi_builder *b, const lw_move *move);

/// Velocities of a cubic spline at its nleg + 1 points for which the acceleration is continuous: by
/// elimination without exchanges, because the diagonal dominates. At both ends it rests, or its
/// acceleration is zero.
/// @param h        [nleg] times of the legs
/// @param way      [nleg] what each leg adds to the coordinate, `stride` doubles apart
/// @param velocity [nleg+1]
/// @param diagonal [nleg+1] scratch
void lwi_spline_velocities(int nleg, const double *h, const double *way, int stride, bool rests,
                           double *velocity, double *diagonal);

/// The acceleration at point k that goes with these; taken as zero at both ends.
double lwi_spline_acceleration(int nleg, const double *h, const double *way, int stride,
                               const double *velocity, int k);

#endif
