// Traces of a section: collected, and cut where they meet.
#ifndef LWI_BOUNDARY_CUT_H
#define LWI_BOUNDARY_CUT_H

#include "boundary_section.h"

/// A trace, and where it is cut: positions along it, as point number plus share of the segment.
typedef struct lwi_arc {
    lwi_trace t;
    bool is_closed;
    double low[2], high[2];
    double *cut;    ///< [ncut]
    double *cut_at; ///< [2*ncut] the points
    int ncut, space;
} lwi_arc;

typedef struct lwi_search {
    lwi_section s;
    lwi_cells cells;
    lwi_arc *arc;
    int narc, space;
    int ncut_arc;   ///< that pieces were made of
    double *corner; ///< [2*ncorner] where pieces may meet
    int ncorner, corner_space;
    lw_boundary *b;
    int point_space, curve_space;
} lwi_search;

const double *lwi_arc_point(const lwi_arc *a, int i);
double lwi_arc_distance(const lwi_arc *a, const double p[2], double *at);
void lwi_arc_free(lwi_arc *a);

/// Adds a trace to the lwi_search `context`: one arc, or several where it turns back.
lw_status lwi_add_trace(void *context, const lwi_trace *t, bool is_closed);

/// Two traces with the same image are one: joints that are mirrored, or that do not move the point
/// there, give several.
void lwi_drop_doubles(lwi_search *w);

/// How far a crossing of segments may be from that of their curves: the sag of a segment.
double lwi_arc_sag(const lwi_search *w);

/// The corner at p: one that is there already, so that all curves that meet at it agree, or a new
/// one. NULL without memory. Valid until the next corner is added.
const double *lwi_corner_at(lwi_search *w, const double p[2]);

/// False without memory.
bool lwi_cut_arcs(lwi_search *w);

bool lwi_search_is_cancelled(lwi_search *w);

#endif
