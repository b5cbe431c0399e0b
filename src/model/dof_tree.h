// The independent degrees of freedom as a tree, along which mass matrices are factored
// (dyn/factor.c).
#ifndef LWI_DOF_TREE_H
#define LWI_DOF_TREE_H

#include <stdbool.h>

/// A mass matrix has entries only between a degree of freedom and those before it and behind it.
typedef struct lwi_dof_tree {
    int n;
    const int *parent; ///< [n] parent[k] < k, before k on the way to the world; -1 for none
    const int *end;    ///< [n] all that are behind k are among k + 1 .. end[k] - 1
    bool is_deep;      ///< so many are before others that articulated bodies solve faster
} lwi_dof_tree;

#endif
