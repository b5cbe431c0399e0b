// A plane section of a workspace while its boundary is found.
#ifndef LWI_BOUNDARY_SECTION_H
#define LWI_BOUNDARY_SECTION_H

#include <linkwork/workspace_boundary.h>

#include <stdint.h>

/// Joints that move the point, joints that depend on them and whose limits cut the workspace, and
/// conditions: u, v and the plane, and that each dependent joint is where the others put it.
enum {
    LWI_BOUNDARY_MOVING = 8,
    LWI_BOUNDARY_DEPENDENT = 3,
    LWI_BOUNDARY_JOINTS = LWI_BOUNDARY_MOVING + LWI_BOUNDARY_DEPENDENT,
    LWI_BOUNDARY_ROWS = 3 + LWI_BOUNDARY_DEPENDENT
};

/// A growing list of points: u, v and joint values, 2 + LWI_BOUNDARY_JOINTS numbers each.
enum { LWI_TRACE_WIDTH = 2 + LWI_BOUNDARY_JOINTS };
typedef struct lwi_trace {
    double *at;
    int count, space;
} lwi_trace;

/// A mechanism that moves a point, as seen from the plane: along u, along v, and off the plane.
typedef struct lwi_section {
    const lw_model *m;
    lw_data *d;
    const lw_boundary_def *def;
    lw_vec3 normal;
    bool is_planar; ///< the point never leaves the plane
    int rows;       ///< 2 where it is planar, else 3, and one for each dependent joint
    int njoint;     ///< nmoving that are independent, then ndependent that depend on them
    int nmoving, ndependent;
    int joint[LWI_BOUNDARY_MOVING];   ///< positions in q
    int dof[LWI_BOUNDARY_MOVING];     ///< in v
    int body[LWI_BOUNDARY_DEPENDENT]; ///< of dependent joints; their values go from -1 to 1
    double low[LWI_BOUNDARY_JOINTS], high[LWI_BOUNDARY_JOINTS];
    bool is_full[LWI_BOUNDARY_JOINTS]; ///< rotates all around: no limits
    double *q;                         ///< [nq]
    double *J;                         ///< [6*nv]
    double *v, *tree_q, *tree_v;       ///< [nv], [tree_nq], [tree_nv]
    double *rest;                      ///< [tree_nq] lwi_mapping_rest()
    double size;                       ///< of the workspace, m
    uint64_t drawn;                    ///< random numbers so far
    lwi_trace pool;                    ///< points of the plane that are reached, at random
} lwi_section;

/// The plane in squares: which of their centres can be reached.
typedef struct lwi_cells {
    int n[2];
    double low[2], edge;
    unsigned char *is_reached; ///< [n[0]*n[1]]
    double *x;                 ///< [n[0]*n[1]*LWI_BOUNDARY_JOINTS] how, where it is reached
    int nstuck;                ///< ways to a neighbour of a reached cell that ended before it
    int stuck_space;
    struct lwi_stuck {
        int cell;
        double x[LWI_BOUNDARY_JOINTS]; ///< as near as it came
    } * stuck;
} lwi_cells;

double *lwi_trace_add(lwi_trace *t);
const double *lwi_trace_point(const lwi_trace *t, int i);
void lwi_trace_reverse(lwi_trace *t);

lw_status lwi_section_open(lwi_section *s, const lw_model *m, const lw_boundary_def *def);
void lwi_section_close(lwi_section *s);

/// Position along u, v and off the plane at joint values x, how far each dependent joint is from
/// where it would be there, times the size, and where J is not NULL the derivatives, row by row.
bool lwi_section_place(lwi_section *s, const double *x, double p[LWI_BOUNDARY_ROWS], double *J);

/// Puts the dependent joints of x where the others have them, but within their limits. False where
/// that is another place, or loops do not close.
bool lwi_section_follow(lwi_section *s, double *x);

/// Joint values of a configuration.
void lwi_section_joints(lwi_section *s, const double *q, double *x);

/// A random share, and random joint values.
double lwi_section_share(lwi_section *s);
void lwi_section_draw(lwi_section *s, double *x);

/// A value of joint i within its limits.
double lwi_section_clip(const lwi_section *s, int i, double x);

/// Takes what is traced.
typedef struct lwi_trace_sink {
    lw_status (*add)(void *context, const lwi_trace *t, bool is_closed);
    /// Whether a trace passes a point of the plane along a direction, or against it.
    bool (*has)(void *context, const double image[2], const double direction[2]);
    void *context;
} lwi_trace_sink;

/// Traces the curves with the joints of `fixed` (two bits each: 1 low, 2 high) at their limits.
lw_status lwi_section_trace(lwi_section *s, unsigned fixed, const lwi_trace_sink *sink);

/// Traces the curves on which no joint within its limits can move the point further out, from where
/// ways into cells that are not reached ended.
lw_status lwi_section_trace_extremal(lwi_section *s, const lwi_cells *cells,
                                     const lwi_trace_sink *sink);

/// The same about a point p of the plane, at which the boundary has an open end; q [nq] is the
/// configuration of that end, or close to it.
lw_status lwi_section_trace_about(lwi_section *s, const lwi_cells *cells, const double p[2],
                                  const double *q, const lwi_trace_sink *sink);

/// From x towards p. True where the point is reached; else x is as near as it came.
bool lwi_section_descend(lwi_section *s, const double p[2], double *x);

/// The configuration of the pool that leads nearest to p, but further than *beyond from it; both
/// are squares of distances.
const double *lwi_section_near(const lwi_section *s, const double p[2], double *beyond);

/// Whether the point (u, v) of the plane can be reached; `near` [njoint] is a configuration to
/// begin with.
bool lwi_section_reaches(lwi_section *s, const double p[2], const double *near);

/// Finds which cells are reached, from those of the pool to their neighbours.
lw_status lwi_cells_open(lwi_cells *cells, lwi_section *s);
void lwi_cells_close(lwi_cells *cells);
void lwi_cell_center(const lwi_cells *cells, int cell, double p[2]);

/// Whether all cells about the point are reached, two on each side.
bool lwi_cells_surround(const lwi_cells *cells, const double p[2]);

/// The next end of a piece at which no other goes on nearer than `near`, or NULL; *from counts
/// ends, and is 0 at first.
const double *lwi_boundary_open_end(const lw_boundary *b, double near, int *from);

/// Joins pieces whose ends are nearer to each other than `most`, and drops those that lead nowhere.
void lwi_boundary_join(lw_boundary *b, double near, double most);

/// Finds what the pieces enclose: open ends, the area, the largest square and rectangle.
void lwi_boundary_measure(lw_boundary *b, double near, uint64_t seed);

/// Distance of a point from a polyline of n points, `width` numbers each; *at is the nearest point
/// of it, as number plus share of the segment, where it is not NULL.
double lwi_polyline_distance(const double *point, int n, int width, const double p[2], double *at);

#endif
