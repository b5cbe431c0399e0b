// Where a frame can go: its places at many configurations within the limits of the joints, and the
// area that they fill in a picture.
#ifndef WORKSPACE_H
#define WORKSPACE_H

#include <linkwork/model.h>

#include "draw/picture.h"
#include "support/args.h"

typedef struct workspace {
    lw_vec3 *location; ///< [count] in the world
    int count;
    int open;          ///< configurations that were left out, because a loop does not close there
    lw_vec3 low, high; ///< of all places
    double reach;      ///< farthest from the z axis of the world
    double nearest;    ///< and nearest

    /// The largest upright rectangle that lies in the area as it is seen: left, right, bottom, top.
    /// Known once the area is painted.
    bool has_box;
    double box[4];
} workspace;

/// Samples what --workspace, --hold and --samples say; does nothing without the first. Joints that
/// are held stay at q. Complains and returns an exit code; workspace_free() is due either way.
int workspace_sample(workspace *w, const command_line *args, const lw_model *m, lw_data *d,
                     const double *q);
void workspace_free(workspace *w);

/// Paints the area behind everything that stands on the floor, and the rectangle in it, where it is
/// to be: seen aslant, a rectangle of the picture is none of the machine.
void workspace_paint(workspace *w, picture *pic, bool has_box);

#endif
