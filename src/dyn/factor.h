// Factors of a mass matrix along a tree of freedoms, in place: M = L' D L.
#ifndef LWI_FACTOR_H
#define LWI_FACTOR_H

/// Freedom parent[k] < k comes before freedom k on the way to the world, -1 for none; M couples a
/// freedom only with those before it and behind it. Only the lower triangle [n*n] is touched.
/// Returns -1, or the freedom whose pivot is not above 64 epsilon of its entry on the diagonal.
/// @param diagonal [n] work space
int lwi_factor(int n, const int *parent, double *M, double *diagonal);

/// Solves L' D L X = B for ncolumn right-hand sides, X [n*ncolumn] row by row, in place.
void lwi_factor_solve(int n, const int *parent, const double *L, int ncolumn, double *X);

/// The inverse of L' D L, in its place, both triangles.
void lwi_factor_invert(int n, const int *parent, double *L);

#endif
