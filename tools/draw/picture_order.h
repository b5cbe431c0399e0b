// In which order the solids of a picture are painted.
#ifndef PICTURE_ORDER_H
#define PICTURE_ORDER_H

#include "draw/picture.h"

/// Moves solids towards the viewer that are in front of others, for the sort by depth.
void picture_order(picture *pic);

#endif
