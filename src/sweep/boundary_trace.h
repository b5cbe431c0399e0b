// Curves of singular configurations, and whether points of the plane can be reached.
#ifndef LWI_BOUNDARY_TRACE_H
#define LWI_BOUNDARY_TRACE_H

#include <linkwork/workspace_boundary.h>

#include <stdint.h>

enum { LWI_BOUNDARY_JOINTS = 8 };

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
    int rows;       ///< 2 where it is planar, else 3
    int njoint;
    int joint[LWI_BOUNDARY_JOINTS]; ///< positions in q
    int dof[LWI_BOUNDARY_JOINTS];   ///< in v
    double low[LWI_BOUNDARY_JOINTS], high[LWI_BOUNDARY_JOINTS];
    bool is_full[LWI_BOUNDARY_JOINTS]; ///< rotates all around: no limits
    double *q;                         ///< [nq]
    double *J;                         ///< [6*nv]
    double size;                       ///< of the workspace, m
    uint64_t drawn;                    ///< random numbers so far
    lwi_trace pool;                    ///< points of the plane that are reached, at random
} lwi_section;

double *lwi_trace_add(lwi_trace *t);

lw_status lwi_section_open(lwi_section *s, const lw_model *m, const lw_boundary_def *def);
void lwi_section_close(lwi_section *s);

/// A random share.
double lwi_section_share(lwi_section *s);

/// Traces the curves with the joints of `fixed` (two bits each: 1 low, 2 high) at their limits, and
/// calls `add` for each; ends[k] of a trace are its first points.
lw_status lwi_section_trace(lwi_section *s, unsigned fixed,
                            lw_status (*add)(void *context, const lwi_trace *t, bool is_closed),
                            void *context);

/// Whether the point (u, v) of the plane can be reached; `near` [njoint] is a configuration to
/// begin with.
bool lwi_section_reaches(lwi_section *s, const double p[2], const double *near);

/// Finds what the pieces enclose: open ends, of those that are further than `near` from each other,
/// the area, the largest square and rectangle.
void lwi_boundary_measure(lw_boundary *b, double near, uint64_t seed);

#endif
