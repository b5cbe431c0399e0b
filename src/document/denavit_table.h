// Denavit and Hartenberg's parameters of a chain, after Craig, found from its axes.
#ifndef LWI_DENAVIT_TABLE_H
#define LWI_DENAVIT_TABLE_H

#include <linkwork/model.h>

#include "../math/denavit.h"

/// Whether the model is one chain of joints of one degree of freedom, for which there is such a
/// table.
bool lwi_is_chain(const lw_model *m);

/// Fills row [nbody]. Where axes are parallel or meet, so that Denavit and Hartenberg leave a
/// choice, shifts are zero and x goes on as it was.
/// @param base pose of frame 0 in the world
/// @param tip  pose of the last body's own frame in the last frame
void lwi_denavit_table(const lw_model *m, lwi_denavit *row, lw_pose *base, lw_pose *tip);

#endif
