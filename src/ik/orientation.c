#include "orientation.h"

#include "subproblem.h"

#include <math.h>

static lwi_angle opposite(lwi_angle a)
{
    return (lwi_angle){-a.s, a.c};
}

// The rotation about h that is nearest to M: the trace of R(h, q)' M is largest.
static lwi_angle nearest_rotation(lw_vec3 h, const lw_mat3 *M, lwi_angle seed)
{
    const lw_vec3 *r = M->row;
    const double s = h.x * (r[2].y - r[1].z) + h.y * (r[0].z - r[2].x) + h.z * (r[1].x - r[0].y);
    const double c = r[0].x + r[1].y + r[2].z - lw_dot3(h, lw_rotate(M, h));
    const double n = sqrt(s * s + c * c);
    return n > 1e-14 ? (lwi_angle){s / n, c / n} : seed;
}

static double angle_between(lw_vec3 a, lw_vec3 b)
{
    return atan2(lw_norm3(lw_cross3(a, b)), lw_dot3(a, b));
}

// Both angles q of h1 . R(h2, q) h3 = h1 . w. Subproblem 4 takes the root of r^2 - e^2, which is a
// difference of equal numbers where w is nearly in line with h1; the sines of the spherical
// triangle of the axes have all digits there.
static void middle_angles(const lw_vec3 *h, lw_vec3 w, lwi_angle q[2])
{
    const lw_vec3 x = lw_cross3(h[1], h[2]), y = lw_cross3(x, h[1]);
    const double s = lw_dot3(h[0], x), c = lw_dot3(h[0], y), r2 = s * s + c * c,
                 e = lw_dot3(h[0], w) - lw_dot3(h[0], h[1]) * lw_dot3(h[1], h[2]);
    double square = r2 - e * e;
    if (fabs(square) < 1e-6 * r2) {
        const double a = angle_between(h[0], h[1]), b = angle_between(h[1], h[2]),
                     g = angle_between(h[0], w);
        square = 4.0 * sin(0.5 * (a + b + g)) * sin(0.5 * (a + b - g)) * sin(0.5 * (g + a - b)) *
                 sin(0.5 * (g - a + b));
    }
    const double root = square > 0.0 ? sqrt(square) : 0.0,
                 n = square > 0.0 ? sqrt(e * e + square) * sqrt(r2) : fabs(e) * sqrt(r2);
    q[0] = (lwi_angle){(s * e + c * root) / n, (c * e - s * root) / n};
    q[1] = (lwi_angle){(s * e - c * root) / n, (c * e + s * root) / n};
}

int lwi_orientation_solve(const lw_vec3 *h, int n, const lw_mat3 *M, const lwi_angle *seed,
                          lwi_angle q[2][3], unsigned *undetermined)
{
    *undetermined = 0;
    if (n == 0) {
        return 1;
    }
    if (n == 1) {
        q[0][0] = nearest_rotation(h[0], M, seed[0]);
        return 1;
    }
    lwi_angle middle[2] = {{0.0, 1.0}, {0.0, 1.0}};
    int count = 1;
    // x is across the last axis: M x tells the last angle once the others are known, so that the
    // three agree also where the first is badly determined.
    const lw_vec3 w = lw_rotate(M, h[n - 1]), x = lw_cross3(h[n - 2], h[n - 1]),
                  x_goal = lw_rotate(M, x);
    if (n == 3) {
        middle_angles(h, w, middle);
        count = 2;
    }
    for (int i = 0; i < count; ++i) {
        const lw_vec3 u = n == 3 ? lwi_rotate_about(h[1], middle[i], h[2]) : h[1];
        q[i][0] = seed[0];
        const bool is_determined = lwi_subproblem1(h[0], u, w, 1.0, &q[i][0]);
        if (n == 3) {
            q[i][1] = middle[i];
        }
        lw_vec3 y = x_goal;
        for (int k = 0; k < n - 1; ++k) {
            y = lwi_rotate_about(h[k], opposite(q[i][k]), y);
        }
        q[i][n - 1] = seed[n - 1];
        lwi_subproblem1(h[n - 1], x, y, 1.0, &q[i][n - 1]);
        if (!is_determined) {
            *undetermined = 1u;
            return 1; // the second root is the same
        }
    }
    return count;
}
