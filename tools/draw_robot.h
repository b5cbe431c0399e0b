// Paints a machine: links, joint symbols, tool frames, ground.
#ifndef DRAW_ROBOT_H
#define DRAW_ROBOT_H

#include "picture.h"
#include "skeleton.h"

/// Paints everything into the picture, and tells the spacing of the grid on the floor, m.
void draw_robot(picture *pic, const skeleton *s, double *grid);

#endif
