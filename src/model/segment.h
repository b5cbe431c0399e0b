// The bodies as the recursions of dynamics read them, in frames that make the arithmetic short.
//
// A body that rotates about or moves along z may have its frame rotated about that z by any
// constant angle phi. Any placement of a child is, as three Euler angles, Rz(alpha) Rx(beta)
// Rz(gamma): the last of the three adds to the joint's own angle, and with phi = alpha of one child
// the first vanishes for it. What is left is one plane rotation about x and one about z for a
// joint, whatever its axes are: 8 products where a general rotation takes 9 and a joint's own 4
// more, and the congruences of inertias gain more than twice that. Only further children of a body
// with several keep an alpha. The world is rotated in the same way, for the sake of its first
// child.
//
// The rotation from parent to child is R = Rz(alpha) Rx(beta) Rz(gamma + angle). Joints with more
// degrees of freedom than one have a frame that is not rotated (phi = 0).
#ifndef LWI_SEGMENT_H
#define LWI_SEGMENT_H

#include <linkwork/model.h>

/// What is known about the rotation from a parent to its child, so that kernels can leave work out.
/// All but the last stand for a revolute joint with alpha = 0.
typedef enum lwi_rotation_class {
    LWI_ROTATION_PARALLEL, ///< beta = 0: the axes of the two are parallel
    LWI_ROTATION_SQUARE,   ///< beta is a right angle: the axes cross at one
    LWI_ROTATION_OBLIQUE,  ///< any beta
    LWI_ROTATION_ANY       ///< any joint, any placement
} lwi_rotation_class;

typedef struct lwi_segment {
#define number double
#include "segment_fields.inc"
#undef number
    double unused; ///< so that 256 bytes are one, and its place is a shift and no product
} lwi_segment;

/// The same for float arithmetic.
typedef struct lwi_segment32 {
#define number float
#include "segment_fields.inc"
#undef number
} lwi_segment32;

/// What acts within a degree of freedom of the tree, besides its drive.
typedef struct lwi_passive {
#define number double
#include "passive_fields.inc"
#undef number
} lwi_passive;

typedef struct lwi_passive32 {
#define number float
#include "passive_fields.inc"
#undef number
} lwi_passive32;

/// A load of the model, where its body moves.
typedef struct lwi_load {
#define number double
#include "load_fields.inc"
#undef number
} lwi_load;

typedef struct lwi_load32 {
#define number float
#include "load_fields.inc"
#undef number
} lwi_load32;

/// Fills segment [nbody] from the public arrays of a model (parent, subtree_end, carrier, q_start,
/// v_start, lead, X_PJ, inertia, loop, frame). Returns how many joints are not about or along z.
/// @param world_phi cosine and sine of the angle by which the world is rotated
int lwi_fill_segments(const lw_model *m, lwi_segment *segment, double world_phi[2]);

/// Fills passive [tree_nv]. Returns whether anything acts at all.
bool lwi_fill_passive(const lw_model *m, lwi_passive *passive);

/// Fills load [nload] with the loads that act on bodies; returns how many these are.
int lwi_fill_loads(const lw_model *m, const lwi_segment *segment, const double world_phi[2],
                   lwi_load *load);

void lwi_segment_to_float(const lwi_segment *from, lwi_segment32 *to);
void lwi_passive_to_float(const lwi_passive *from, lwi_passive32 *to);
void lwi_load_to_float(const lwi_load *from, lwi_load32 *to);

#endif
