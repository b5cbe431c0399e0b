#include "body_motion.h"

bool lwi_is_parallel(const lwi_sym_body *body)
{
    const lwi_vec *row = body->rest.R.row;
    return row[0].z == LWI_ZERO && row[1].z == LWI_ZERO && row[2].x == LWI_ZERO &&
           row[2].y == LWI_ZERO;
}

/// The only child of body i; -1 if it has none or several.
static int only_child(const lwi_sym_tree *tree, int i)
{
    int child = -1;
    for (int k = i + 1; k < tree->nbody; ++k) {
        if (tree->body[k].parent == i) {
            if (child >= 0) {
                return -1;
            }
            child = k;
        }
    }
    return child;
}

/// Whether body i + 1 is the only one on body i, and rotates about the same direction.
static bool goes_on(const lwi_sym_tree *tree, int i)
{
    return only_child(tree, i) == i + 1 && tree->body[i + 1].type == LW_TREE_REVOLUTE &&
           lwi_is_parallel(&tree->body[i + 1]);
}

static bool has_angle(const lwi_sym_body *body)
{
    return body->type == LW_TREE_REVOLUTE && body->q[0] != LWI_UNKNOWN;
}

int lwi_end_of_run(const lwi_sym_tree *tree, int first)
{
    int last = first;
    while (has_angle(&tree->body[first]) && goes_on(tree, last) &&
           has_angle(&tree->body[last + 1]) && tree->body[last + 1].rest.R.row[0].x == LWI_ONE &&
           tree->body[last + 1].rest.R.row[2].z == LWI_ONE) {
        ++last;
    }
    return last;
}

lwi_run lwi_find_run(const lwi_sym_tree *tree)
{
    const lwi_run none = {0, 1, 0};
    if (tree->nbody == 0 || tree->body[0].type != LW_TREE_REVOLUTE) {
        return none;
    }
    int base = 0;
    while (goes_on(tree, base)) {
        ++base;
    }
    if (only_child(tree, base) != base + 1) {
        return none;
    }
    const int last = lwi_end_of_run(tree, base + 1);
    return last > base + 1 ? (lwi_run){base, base + 1, last} : none;
}
