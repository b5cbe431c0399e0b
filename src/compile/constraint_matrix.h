// The matrix of all loops, gears and couplings on the rates of the tree, for the choice of
// dependent degrees of freedom.
#ifndef LWI_CONSTRAINT_MATRIX_H
#define LWI_CONSTRAINT_MATRIX_H

#include "../loop/loop.h"
#include "build.h"

// Rows have entries of 1 where they are largest; what is left of a row that others imply, after
// elimination, is rounding below this, and sines of angles that mean something are above it.
#define LWI_LEAST_PIVOT 1e-9

/// Columns are the degrees of freedom that any loop, gear or coupling touches.
typedef struct lwi_constraint_matrix {
    int nrow, ncolumn;
    int first_gear; ///< row; couplings follow gears
    int used;       ///< rows that columns were eliminated with
    int *dof;       ///< [ncolumn]
    int *column;    ///< [tree_nv] -1 for degrees of freedom that nothing touches
    int nview;      ///< configurations; the first is where ranks are taken
    struct {
        double *at;   ///< [nrow * (ncolumn + 1)] the last column is not used
        bool is_lost; ///< a column without a pivot there was eliminated
    } view[1 + LWI_MOST_NEAR];
    const int **loop_column; ///< [nloop]
    lwi_loop_work work;
} lwi_constraint_matrix;

/// Memory for all, and its columns.
lw_status lwi_constraint_create(lwi_build *b, lwi_constraint_matrix *s);

/// Fills it, with nothing eliminated.
void lwi_constraint_fill(const lwi_build *b, lwi_constraint_matrix *s);

/// The pivot that a column has: the smallest over all configurations, but 0 where it has none in
/// the first.
double lwi_constraint_pivot(const lwi_constraint_matrix *s, int c);

/// Eliminates a column, where its pivot is at least that large and not 0.
bool lwi_constraint_eliminate(lwi_constraint_matrix *s, int c, double least);

#endif
