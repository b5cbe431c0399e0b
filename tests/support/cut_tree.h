// A closed machine as its tree without loops, and the conditions that the loops set, written anew
// from frames of the tree: the equations that the library's own sweeps must agree with.
#ifndef CUT_TREE_H
#define CUT_TREE_H

#include "closed_zoo.h"

enum { CUT_MOST = 64 };

typedef struct cut_tree {
    const lw_model *closed;
    lw_model *tree;
    lw_data *d;
    int n, nrow;
    double q[CUT_MOST], v[CUT_MOST], a[CUT_MOST];
    double J[CUT_MOST * CUT_MOST]; ///< [nrow*n] conditions on velocities
    double bias[CUT_MOST];         ///< [nrow] and on accelerations: J a + bias = 0
} cut_tree;

/// The tree of a machine; its coordinates must be those of the closed model. False, with a failed
/// check, where that is not so.
bool cut_open(const closed_machine *machine, const lw_model *closed, cut_tree *cut);
void cut_close(cut_tree *cut);

/// Takes over the tree coordinates of the last function on the closed model's data, which must have
/// had accelerations, and writes down the conditions there.
void cut_update(cut_tree *cut, lw_data *closed);

/// Solves nrow equations for ncolumn unknowns by elimination with complete pivoting: unknowns that
/// are not determined are zero. Returns the rank; *left is what contradicting equations leave. A
/// [nrow*ncolumn] and b are used up.
int solve_any(int nrow, int ncolumn, double *A, double *b, double *x, double *left);

#endif
