// Freedoms behind elastic shafts: what a motion of the other joints alone means for them.
#ifndef TOOL_SHAFTS_H
#define TOOL_SHAFTS_H

#include <linkwork/dynamics.h>

typedef struct shaft_map {
    const lw_model *m;
    int nfollower;
    double *G; ///< [nv*nv] of lw_shaft_ratios(), in the reference configuration
} shaft_map;

/// False where memory is short. A machine whose loops do not close has no followers.
bool shafts_find(const lw_model *m, shaft_map *map);
void shafts_free(shaft_map *map);

bool shafts_is_follower(const shaft_map *map, int freedom);

/// The freedom that follows and has this position; -1 for none.
int shafts_follower_at(const shaft_map *map, int position);

/// Fills in the followers of positions [nq], and of velocities or accelerations [nv].
void shafts_follow_position(const shaft_map *map, double *q);
void shafts_follow(const shaft_map *map, double *x);

/// Numbers of all joints but the followers, which stand at the begin of x, moved to their places,
/// and the followers filled in.
void shafts_spread_position(const shaft_map *map, double *q);
void shafts_spread(const shaft_map *map, double *x);

/// G' tau, in place; 0 for followers.
void shafts_gather(const shaft_map *map, double *tau);

#endif
