// linkwork/terrain.h: vehicles on rough ground: a height field, and the pose on it.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A terrain is a height over x and y of the world, with continuous slopes between the points of a
// grid (E. Catmull, R. Rom, 1974), or a plane. A vehicle stands on it where its energy is least
// while no wheel is in the ground: the unknowns are height, roll and pitch of the base and the
// passive joints between base and wheels, through the closure program. As many wheels and limits of
// joints as there are unknowns are active, or fewer where the vehicle balances on them; the other
// wheels are in the air.
#ifndef LINKWORK_TERRAIN_H
#define LINKWORK_TERRAIN_H

#include <linkwork/wheels.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_terrain lw_terrain;

/// Heights over a grid of nx by ny points.
typedef struct lw_terrain_def {
    int nx, ny;           ///< 2 to 20000
    double x, y;          ///< of the first point, m
    double cell;          ///< distance of points, m
    const double *height; ///< [nx*ny] at (i, k): height[k * nx + i]; copied
} lw_terrain_def;

/// LW_ERR_NUMBER for a height that is not finite: the report has its row and column.
LW_API lw_status lw_terrain_create(const lw_terrain_def *def, lw_terrain **terrain,
                                   lw_report *report);

/// A plane through a point. LW_ERR_ARGUMENT where the normal does not point upward.
LW_API lw_status lw_terrain_create_plane(lw_vec3 point, lw_vec3 normal, lw_terrain **terrain);

/// The highest of all collision shapes that are fixed to the world of a model, as those of a scene
/// are, over a grid of this cell: over what the meshes cover, or the boxes where there are none.
/// LW_ERR_MODEL, with the place, where they leave a hole between them; LW_ERR_NAME where there are
/// none.
LW_API lw_status lw_terrain_create_of_model(const lw_model *m, double cell, lw_terrain **terrain,
                                            lw_report *report);
LW_API void lw_terrain_destroy(lw_terrain *terrain);

/// The ground below one point.
typedef struct lw_ground_point {
    double height;       ///< m
    double slope[2];     ///< along x and y
    double curvature[3]; ///< second derivatives xx, xy, yy, 1/m
    lw_vec3 normal;      ///< upward, of length 1
} lw_ground_point;

/// False outside of the grid. Real-time safe.
LW_API bool lw_terrain_at(const lw_terrain *terrain, double x, double y, lw_ground_point *at);

/// The part of the plane that a grid covers: x and y of two corners; infinite for a plane.
/// Real-time safe.
LW_API void lw_terrain_bounds(const lw_terrain *terrain, double low[2], double high[2]);

/// How a pose is found. Zeros are the defaults.
typedef struct lw_stand_options {
    bool is_cold; ///< begins from above the ground, not from q and from the contacts of the last
                  ///< call
    double tolerance; ///< of the gap of a wheel that touches, m; 0: 1e-11
    int iterations;   ///< at most; 0: 40. As many again from above, where they lead nowhere, with
                      ///< the base level, and then along the ground
} lw_stand_options;

/// A wheel on the ground, or above it.
typedef struct lw_wheel_stand {
    lw_wheel_contact contact; ///< where it touches, or would first
    double gap;               ///< to the ground along its normal, m
    double load;              ///< along the normal, without friction, N; 0 in the air. Where more
                              ///< wheels touch than are needed, the least that are possible. Where
                              ///< a wheel in a hollow touches in several places, their sum
    bool is_lost;             ///< it has no contact
} lw_wheel_stand;

typedef struct lw_stand_result {
    int iterations;
    int changes;  ///< searches for other contacts and limits: 0 where those of the last call hold
    double gap;   ///< largest of a wheel that touches, m
    double least; ///< smallest gap of all wheels, m
    int nlost;    ///< wheels in the air
    int nlimit;   ///< passive joints at a limit
    int outside;  ///< wheel that is beyond the terrain where that is why it failed, or -1
} lw_stand_result;

/// Lets a vehicle down at x, y and heading (of the base, which a free joint carries).
/// @param q     [nq] configuration: joints that are not passive stay; on return the pose on the
///              ground. As it was where the function fails
/// @param wheel [nwheel], or null
/// @return LW_OK; LW_ERR_UNSUPPORTED where no free joint carries the base, LW_ERR_SINGULAR where
///         the wheels cannot hold it, or it overturns, LW_ERR_ARGUMENT beyond the terrain
///         (result.outside), LW_ERR_NO_CONVERGENCE; as lw_forward_position(). Real-time safe
LW_API lw_status lw_stand(const lw_model *m, lw_data *d, lw_wheels *wheels,
                          const lw_terrain *terrain, double x, double y, double heading,
                          const lw_stand_options *options, double *q, lw_wheel_stand *wheel,
                          lw_stand_result *result);

#ifdef __cplusplus
}
#endif
#endif
