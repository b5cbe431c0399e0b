// Rotations by at most three revolute joints: wrists and shoulders whose axes meet.
#ifndef LWI_ORIENTATION_H
#define LWI_ORIENTATION_H

#include "arm.h"

/// All angles with R(h1, q1) R(h2, q2) R(h3, q3) = M for n <= 3 axes, of which neighbours are not
/// parallel; in the sense of least squares for the last joint where there is none. Where axes 1
/// and 3 are in line q1 keeps the angle of the seed, and q3 carries the rest: bit 0 of
/// *undetermined is then set. Returns 2 for three axes and 1 for fewer, or 1 where the two are
/// equal.
int lwi_orientation_solve(const lw_vec3 *h, int n, const lw_mat3 *M, const lwi_angle *seed,
                          lwi_angle q[2][3], unsigned *undetermined);

#endif
