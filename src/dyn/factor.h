// Factors of a mass matrix along a tree of degrees of freedom, in place: M = L' D L.
#ifndef LWI_FACTOR_H
#define LWI_FACTOR_H

/// Degree of freedom parent[k] < k comes before degree of freedom k on the way to the world, -1 for
/// none; M couples a degree of freedom only with those before it and behind it. Only the lower
/// triangle [n*n] is touched. Returns -1, or the degree of freedom whose pivot is not above 64
/// epsilon of its entry on the diagonal.
/// @param diagonal [n] work space
int lwi_factor(int n, const int *parent, double *M, double *diagonal);

#endif
