// In which order a mass matrix with closure steps is factored without filling what is zero.
#ifndef LWI_FACTOR_TREE_H
#define LWI_FACTOR_TREE_H

#include "build.h"

/// For each independent degree of freedom the one after which it stands (dyn/factor.c): parent
/// [nv], -1 for none. Needs the rows of G in `f`. False without memory.
/// @param body_of [tree_nv]
bool lwi_find_factor_tree(const lwi_build *b, const lwi_fronts *f, const int *body_of, int *parent);

#endif
