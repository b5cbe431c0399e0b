// Paints a machine: links, joint symbols, covers, ground, frames and names.
#ifndef DRAW_ROBOT_H
#define DRAW_ROBOT_H

#include "draw/draw_labels.h"

/// Paints everything into the picture, and returns in *grid the spacing of the grid on the floor,
/// m.
/// @param show draw_layer bits
void draw_robot(picture *pic, const skeleton *s, unsigned show, double *grid);

#endif
