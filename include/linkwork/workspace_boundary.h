// linkwork/workspace_boundary.h: the boundary of a workspace in a plane, by continuation. Part of
// liblinkwork_sweep.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A point of the boundary is singular: with some joints at their limits, there is a direction in
// which the other joints cannot move the frame. These configurations form curves (Haug, Luh, Adkins
// and Wang, "Numerical algorithms for mapping boundaries of manipulator workspaces", J. Mech. Des.
// 1996). Curves are found from random starts for every set of joints at limits, and from where
// inverse kinematics of the cells of the section ends; they are traced by Newton's method, cut
// where they meet, and each piece is the boundary where one of its sides alone can be reached, or a
// barrier inside the workspace where both can. Arms with two or more joints to spare have too many
// singular configurations: of these only extremal ones are traced, so that barriers are incomplete.
#ifndef LINKWORK_WORKSPACE_BOUNDARY_H
#define LINKWORK_WORKSPACE_BOUNDARY_H

#include <linkwork/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_boundary_def {
    int frame;
    lw_vec3 origin; ///< of the plane
    lw_vec3 u, v;   ///< its axes: of length one and orthogonal
    double step;    ///< between two points of a curve, rad or m in the space of joints
    int starts;     ///< without a new curve, after which a set of joints at limits is done with
    int cells;      ///< across the section, to compare with: 8 to 1000
    unsigned long long seed;
    bool (*cancel)(void *context);
    void *context;
} lw_boundary_def;

/// A piece of a curve.
typedef struct lw_boundary_curve {
    int first, count; ///< its points
    bool is_barrier;  ///< both sides can be reached; else it is the boundary, and the workspace is
                      ///< on the left
    bool is_closed;   ///< its last point is the first again
    double low[2], high[2]; ///< least and largest coordinates of its points
} lw_boundary_curve;

typedef struct lw_boundary {
    int npoint;
    double *point; ///< [2*npoint] along u and v
    double *q; ///< [npoint*nq] configurations; ends of cut pieces have those of their neighbours
    int ncurve;
    lw_boundary_curve *curve;
    int nopen;     ///< ends of boundary pieces at which no other goes on: 0 where it is closed
    int ndisagree; ///< cells that inverse kinematics reaches outside of the boundary, or does not
                   ///< reach within it, further than a cell away: 0 where no hole was missed
    double area;   ///< within the boundary, m^2
    bool has_box;
    double box[3]; ///< centre and edge of the largest square along u and v within the boundary
    double rectangle[4]; ///< centre, width along u and height along v of that with the largest area
    bool is_cancelled;
} lw_boundary;

/// The plane y = 0 of the world, steps of 0.01, 200 starts, 64 cells.
LW_API lw_boundary_def lw_default_boundary_def(int frame);

/// Finds the boundary. Joints without limits, or with a whole revolution, have none. Dependent
/// joints, such as motors behind coupled gears, bound the workspace by their limits as others do.
/// LW_ERR_LIMIT for more than 8 joints that move the frame, or limits of more than 3 dependent ones
/// that cut its workspace; LW_ERR_UNSUPPORTED for a joint that slides without limits, for spherical
/// and free joints, and for a dependent one that has one limit alone and is beyond it;
/// LW_ERR_MEMORY, LW_ERR_ARGUMENT. Call lw_boundary_free() after failure too.
LW_API lw_status lw_boundary_create(const lw_model *m, const lw_boundary_def *def,
                                    lw_boundary *boundary);
LW_API void lw_boundary_free(lw_boundary *boundary);

/// Whether the boundary encloses the point (u, v) of its plane.
LW_API bool lw_boundary_contains(const lw_boundary *boundary, double u, double v);

#ifdef __cplusplus
}
#endif
#endif
