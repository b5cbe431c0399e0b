// A picture of a model in a file.
#ifndef DRAW_MODEL_H
#define DRAW_MODEL_H

#include <linkwork/scene.h>

#include "draw/reach_area.h"

/// A line over the mechanism; a ball where it has no length.
typedef struct draw_line {
    lw_vec3 from, to;
    int color; ///< 0xRRGGBB
    bool is_dashed;
    bool is_arrow; ///< with its head at `to`
} draw_line;

typedef struct draw_options {
    picture_view view;
    int width, height;         ///< pixels
    unsigned show;             ///< lw_scene_layer bits
    const char *what;          ///< the configuration, for the line below the title
    const lw_workspace *reach; ///< whose area is drawn behind it; NULL for none
    reach_area *area;          ///< what is found of that
    const double *ghosts;      ///< [nghost * nq] configurations that are drawn pale behind it
    int nghost;
    const char *ghost_label; ///< of the legend; NULL: they are other solutions
    const bool *is_marked;   ///< shapes of the model that are painted red; NULL for none
    const lw_vec3 *points;   ///< [2 * npair] of lines between two points
    int npair;
    const lw_vec3 *curve; ///< [ncurve * curve_points] closed lines
    int ncurve, curve_points;
    const draw_line *line; ///< [nline]
    int nline;
} draw_options;

/// Draws a model at q and writes it to a file, as SVG. Complains and returns an exit code.
int draw_model(memory *pool, const lw_model *m, lw_data *d, const double *q, const draw_options *o,
               const char *path);

/// A figure of a model in its reference configuration for a document in LaTeX, with the numbers of
/// its coordinates; *text is NULL if none can be drawn, which is no failure. Complains and returns
/// an exit code.
int draw_figure(memory *pool, const lw_model *m, lw_data *d, const char **text);

#endif
