// Paints frames, and names of frames and joints.
#ifndef DRAW_LABELS_H
#define DRAW_LABELS_H

#include "draw/picture.h"
#include "draw/skeleton.h"

/// What may be shown besides links, joints, covers and ground.
typedef enum draw_layer {
    DRAW_TIPS = 1,        ///< the frame at the end of each chain
    DRAW_FRAMES = 2,      ///< every frame
    DRAW_JOINTS = 4,      ///< names of joints
    DRAW_COORDINATES = 8, ///< "q1" and so on at the joints
    DRAW_SKELETON = 16    ///< joints within covers, through these
} draw_layer;

void draw_labels(picture *pic, const skeleton *s, unsigned show);

#endif
