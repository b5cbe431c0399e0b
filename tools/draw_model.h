// A picture of a model in a file.
#ifndef DRAW_MODEL_H
#define DRAW_MODEL_H

#include <linkwork/model.h>

#include "picture.h"
#include "workspace.h"

/// Draws a model at q and writes it to a file. Complains and returns an exit code.
/// @param what a word on the configuration, for the line below the title
/// @param reach an area to draw behind it; may be null
int draw_model(const lw_model *m, lw_data *d, const double *q, const char *what, workspace *reach,
               picture_view view, int width, int height, const char *path);

#endif
