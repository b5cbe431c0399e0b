// Paints a scene: colours and order for the roles of its shapes.
#ifndef SCENE_PICTURE_H
#define SCENE_PICTURE_H

#include <linkwork/scene.h>

#include "draw/picture.h"

/// Whether the floor is seen from above, and not edge on.
bool picture_has_floor(const picture *pic);

/// @param own       [of shapes of the model] what shapes have colors of their own
/// @param is_marked [of shapes of the model] which are painted red; NULL for none
void picture_scene(picture *pic, const lw_scene *scene, const lw_shape_info *own,
                   const bool *is_marked);

/// Paints what moves of a scene, pale and behind everything that picture_scene() paints but the
/// floor: another configuration of the same mechanism.
void picture_ghost(picture *pic, const lw_scene *scene);

#endif
