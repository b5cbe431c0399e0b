// The area that the points of a workspace fill in a picture.
#ifndef REACH_AREA_H
#define REACH_AREA_H

#include <linkwork/workspace.h>

#include "draw/picture.h"

/// The largest upright rectangle within the area, as it is seen: left, right, bottom, top.
typedef struct reach_area {
    bool has_box;
    double box[4];
} reach_area;

/// Paints the area behind everything that is on the floor, and the rectangle in it; none in the
/// isometric view, where a rectangle of the picture is none of the workspace.
void reach_area_paint(reach_area *a, const lw_workspace *w, picture *pic);

#endif
