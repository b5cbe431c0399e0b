// The canonical subproblems of inverse kinematics (Paden 1986, Kahan 1983; numbering and solutions
// after Elias and Wen 2022), on sines and cosines: angles are taken once, at the end.
//
// Each returns the number of solutions that it wrote. Where none is exact it writes the
// configuration that comes nearest, in the sense that its comment states; the caller decides by
// forward kinematics, never by a tolerance in here.
#ifndef LWI_SUBPROBLEM_H
#define LWI_SUBPROBLEM_H

#include "arm.h"

/// Subproblem 1: R(k, a) p1 = p2, in the sense of least squares. False where the angle is free
/// because p1 or p2 lies on the axis: *a is then unchanged.
bool lwi_subproblem1(lw_vec3 k, lw_vec3 p1, lw_vec3 p2, double scale, lwi_angle *a);

/// Subproblem 4: h . R(k, a) p = d; two solutions, equal at the boundary of existence and nearest
/// beyond it. Returns 0 where a has no influence.
int lwi_subproblem4(lw_vec3 k, lw_vec3 p, lw_vec3 h, double d, double scale, lwi_angle a[2]);

/// Subproblem 3: |R(k, a) p1 - p2| = d, by subproblem 4.
int lwi_subproblem3(lw_vec3 k, lw_vec3 p1, lw_vec3 p2, double d, double scale, lwi_angle a[2]);

/// Subproblem 2: R(k1, a) p1 = R(k2, b) p2; up to two pairs.
int lwi_subproblem2(lw_vec3 k1, lw_vec3 p1, lw_vec3 k2, lw_vec3 p2, lwi_angle a[2], lwi_angle b[2]);

/// Subproblem 5: p0 + R(k1, a) p1 = R(k2, b) (p2 + R(k3, c) p3); up to four triples.
int lwi_subproblem5(lw_vec3 p0, lw_vec3 k1, lw_vec3 p1, lw_vec3 k2, lw_vec3 p2, lw_vec3 k3,
                    lw_vec3 p3, lwi_angle a[4], lwi_angle b[4], lwi_angle c[4]);

/// Subproblem 6: h[0] . R(k[0], a) p[0] + h[1] . R(k[1], b) p[1] = d[0] and
/// h[2] . R(k[2], a) p[2] + h[3] . R(k[3], b) p[3] = d[1]; up to four pairs.
int lwi_subproblem6(const lw_vec3 h[4], const lw_vec3 k[4], const lw_vec3 p[4], const double d[2],
                    lwi_angle a[4], lwi_angle b[4]);

#endif
