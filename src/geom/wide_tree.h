// A tree of turned boxes, four of them side by side in vectors of floats.
#ifndef LWI_WIDE_TREE_H
#define LWI_WIDE_TREE_H

#include "box_tree.h"

#include <float.h>

/// A box along axes of its own.
typedef struct lwi_oriented_box {
    lw_mat3 R; ///< its rows are the sides of the box
    lw_vec3 center, half;
} lwi_oriented_box;

/// The box round points along the axes of their spread.
void lwi_fit_box(const lw_vec3 *point, int count, lwi_oriented_box *box);

enum { LWI_WIDE = 4 };        ///< boxes of a node
enum { LWI_WIDE_DEPTH = 17 }; ///< quarters of an int, and the root

/// Errors of a bound computed from these boxes, over the size of what they enclose: each of its ten
/// steps is off by a few units in the last place.
#define LWI_FLOAT_SLACK (32.0 * (double)FLT_EPSILON)

typedef float lwi_floats __attribute__((vector_size(4 * LWI_WIDE)));

/// Boxes of floats, one in each lane. What one encloses is inside of it to the last digit of a
/// double; its sides are orthonormal as floats are.
typedef struct lwi_wide_node {
    lwi_floats R[3][3];         ///< rows as of lwi_oriented_box
    lwi_floats center[3];       ///< from the middle of the tree
    lwi_floats half[3];         ///< rounded up
    int child[LWI_WIDE], count; ///< the node with the boxes inside; of a leaf ~item
} lwi_wide_node;

/// Finds the nodes for a tree of lwi_box_tree_build() whose leaves have one item: node i has the
/// boxes that order[i] is opened into, and the first has the root alone.
/// @param order [as many as the tree has leaves, and one]
/// @return the number of nodes
int lwi_wide_tree_order(const lwi_box_node *tree, int *order);

/// Fills them: leaf i encloses the points point[npoint * i ...].
void lwi_wide_tree_fill(const lwi_box_node *tree, const int *order, int nnode, const lw_vec3 *point,
                        int npoint, lw_vec3 middle, lwi_wide_node *node);

/// Sets one lane to a box, made as large as the points need.
void lwi_set_lane(const lwi_oriented_box *box, const lw_vec3 *point, int npoint, lw_vec3 middle,
                  lwi_wide_node *node, int lane);

#endif
