// Paints springs and dampers between two points; torsions have no place and are not seen.
#ifndef DRAW_SPRING_H
#define DRAW_SPRING_H

#include "draw/picture.h"
#include "draw/skeleton.h"

void draw_springs(picture *pic, const skeleton *s);

/// How many of them a machine has.
int drawn_springs(const lw_model *m);

#endif
