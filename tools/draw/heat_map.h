// A map of a number over a plane, as SVG: coloured cells, axes and a scale of colours.
#ifndef HEAT_MAP_H
#define HEAT_MAP_H

#include "support/memory.h"

enum { HEAT_CELLS = 72 }; ///< along the longer side

typedef struct heat_map {
    const char *title, *subtitle;
    const char *x_name, *y_name; ///< with their units
    const char *value_name;
    int count;
    const double *x, *y, *value; ///< [count] points; a cell has the largest value in it
} heat_map;

/// Writes the file whole or not at all. Complains and returns an exit code.
int heat_map_write(memory *pool, const heat_map *map, const char *path);

#endif
