// Two rotations about axes that meet: the second canonical subproblem of Paden and Kahan, with
// sines and cosines alone.
#ifndef LWI_TWO_ROTATIONS_H
#define LWI_TWO_ROTATIONS_H

#include <linkwork/math.h>

#include <math.h>

/// The angles of the first and of the second joint.
typedef struct lwi_two_angles {
    double sine[2], cosine[2];
    bool is_moved; ///< the second axis moves y; else both angles are zero
    bool is_first; ///< the first one too; else its angle is zero
} lwi_two_angles;

/// How far Rz(q1) M Rz(q2) y is along z, as h0 cos q2 + h1 sin q2 + h2.
static inline void lwi_height_of(const lw_mat3 *M, lw_vec3 y, double height[3])
{
    const lw_vec3 row = M->row[2];
    height[0] = row.x * y.x + row.y * y.y;
    height[1] = row.y * y.x - row.x * y.y;
    height[2] = row.z * y.z;
}

/// Which of the two solutions has the second angle with this sine and cosine: 1 or -1.
static inline double lwi_branch_of_two(const double height[3], double sine, double cosine)
{
    return copysign(1.0, height[0] * sine - height[1] * cosine);
}

/// Rz(q1) M Rz(q2) y = x, where x and y have the same length. The second angle brings y to the
/// height of x over the plane across the first axis, on one of two branches; the first rotates it
/// there. Where there is no solution, false, and by how much the height is missed.
static inline bool lwi_two_rotations(const lw_mat3 *M, lw_vec3 y, lw_vec3 x, double branch,
                                     lwi_two_angles *out, double *gap)
{
    double h[3];
    lwi_height_of(M, y, h);
    const double C = x.z - h[2], square = h[0] * h[0] + h[1] * h[1], rest = square - C * C;
    *out = (lwi_two_angles){{0.0, 0.0}, {1.0, 1.0}, square > 0.0, false};
    if (!(rest >= -1e-13 * lw_dot3(y, y))) {
        *gap = fabs(C) - sqrt(square);
        return false;
    }
    if (!out->is_moved) {
        return true;
    }
    const double root = branch * sqrt(fmax(0.0, rest)), inverse = 1.0 / square;
    const double c2 = inverse * (h[0] * C - h[1] * root), s2 = inverse * (h[1] * C + h[0] * root);
    const lw_vec3 carried = lw_rotate(M, lw_vec3_of(c2 * y.x - s2 * y.y, s2 * y.x + c2 * y.y, y.z));
    const double c = carried.x * x.x + carried.y * x.y, s = carried.x * x.y - carried.y * x.x;
    const double size = sqrt(c * c + s * s);
    out->sine[1] = s2;
    out->cosine[1] = c2;
    out->is_first = size > 0.0;
    if (out->is_first) {
        out->sine[0] = s / size;
        out->cosine[0] = c / size;
    }
    return true;
}

#endif
