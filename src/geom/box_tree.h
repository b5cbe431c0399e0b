// A binary tree of boxes over anything that has boxes, in one array.
#ifndef LWI_BOX_TREE_H
#define LWI_BOX_TREE_H

#include <linkwork/math.h>

/// A box along the axes of the tree's frame, round the leaves first .. first + count - 1. Its
/// children are node[child] and node[child + 1]; with child 0 it is a leaf.
typedef struct lwi_box_node {
    lw_vec3 center, half;
    int child, item; ///< of a leaf of one, what the caller has put there
    int first, count;
} lwi_box_node;

enum { LWI_TREE_DEPTH = 32 }; ///< halves of an int

/// Builds the tree over the leaves leaf[0 .. n - 1], which have their boxes and items, into
/// tree[0 .. 2 n - 2], root first; no more than `most` share a leaf. Boxes are halved at the middle
/// of their longest side, by number, so that no leaf is deeper than LWI_TREE_DEPTH; the leaves are
/// put into the order of the tree. Returns the number of nodes.
int lwi_box_tree_build(lwi_box_node *leaf, int n, int most, lwi_box_node *tree);

/// The box around two points, and around a box and a point.
static inline void lwi_grow_box(lw_vec3 *low, lw_vec3 *high, lw_vec3 p)
{
    low->x = p.x < low->x ? p.x : low->x;
    low->y = p.y < low->y ? p.y : low->y;
    low->z = p.z < low->z ? p.z : low->z;
    high->x = p.x > high->x ? p.x : high->x;
    high->y = p.y > high->y ? p.y : high->y;
    high->z = p.z > high->z ? p.z : high->z;
}

/// The same box by its center and half its sides, which are rounded up.
void lwi_center_box(lw_vec3 low, lw_vec3 high, lwi_box_node *node);

#endif
