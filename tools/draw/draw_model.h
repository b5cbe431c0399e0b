// A picture of a model in a file.
#ifndef DRAW_MODEL_H
#define DRAW_MODEL_H

#include <linkwork/scene.h>

#include "draw/workspace.h"

typedef struct draw_options {
    picture_view view;
    int width, height; ///< pixels
    unsigned show;     ///< lw_scene_layer bits
    const char *what;  ///< a word on the configuration, for the line below the title
    workspace *reach;  ///< an area to draw behind it; may be null
} draw_options;

/// Draws a model at q and writes it to a file, as SVG. Complains and returns an exit code.
int draw_model(const lw_model *m, lw_data *d, const double *q, const draw_options *o,
               const char *path);

/// A figure of a model in its reference configuration for a document in LaTeX, with the numbers of
/// its coordinates; free *text with free(). Null where none can be drawn, which is no failure.
/// Complains and returns an exit code.
int draw_figure(const lw_model *m, lw_data *d, char **text);

#endif
