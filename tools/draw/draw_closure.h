// Paints what closes loops: rods, closing joints and gears.
#ifndef DRAW_CLOSURE_H
#define DRAW_CLOSURE_H

#include "draw/picture.h"
#include "draw/skeleton.h"

/// @param floor height of the floor that shadows fall on, or null for none
void draw_closure(picture *pic, const skeleton *s, const double *floor);

#endif
