// How the pieces of a model are put into its block. Each function runs twice: with a slicer that
// only counts, whose pieces are null, and with one that fills.
#ifndef LWI_PACK_H
#define LWI_PACK_H

#include "build.h"

/// A copy of a text in the block; null stands for an empty one.
const char *lwi_put_text(lwi_slicer *s, const char *text);

/// A copy of an array of n entries in the block.
void *lwi_put_array(lwi_slicer *s, const void *array, int n, size_t size);

/// The closure program (pack_program.c). Needs the kernel and the count of frames.
void lwi_put_program(const lwi_build *b, lwi_slicer *s, lw_model *m);

// --- Records of parts (pack_records.c) --------------------------------------------------------

void lwi_put_frames(const lwi_build *b, lwi_slicer *s, lw_model *m);
void lwi_put_joints(const lwi_build *b, lwi_slicer *s, lw_model *m);
void lwi_put_links(const lwi_build *b, lwi_slicer *s, lw_model *m);
void lwi_put_loads(const lwi_build *b, lwi_slicer *s, lw_model *m);
void lwi_put_wheels(const lwi_build *b, lwi_slicer *s, lw_model *m); // (wheel_axles.c)
void lwi_put_springs(const lwi_build *b, lwi_slicer *s, lw_model *m);
/// Lists the meshes of all shapes. False if allocation fails.
bool lwi_collect_meshes(lwi_build *b);
void lwi_put_shapes(const lwi_build *b, lwi_slicer *s, lw_model *m);

/// Where parts were described, at the end of the block (places.c). Needs the kernel.
void lwi_put_places(const lwi_build *b, lwi_slicer *s, lw_model *m);

/// Loads that the mechanism has.
int lwi_count_loads(const lwi_build *b);

#endif
