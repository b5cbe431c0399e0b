#include "orientation.h"

#include "subproblem.h"

#include <math.h>

// The rotation about h that is nearest to M: the trace of R(h, q)' M is largest.
static lwi_angle nearest_rotation(lw_vec3 h, const lw_mat3 *M, lwi_angle seed)
{
    const lw_vec3 *r = M->row;
    const double s = h.x * (r[2].y - r[1].z) + h.y * (r[0].z - r[2].x) + h.z * (r[1].x - r[0].y);
    const double c = r[0].x + r[1].y + r[2].z - lw_dot3(h, lw_rotate(M, h));
    const double n = sqrt(s * s + c * c);
    return n > 1e-14 ? (lwi_angle){s / n, c / n} : seed;
}

// Both angles of the first joint: h2 . R(h1, -q1) w = h2 . h3. Its root shrinks with the distance
// of w from h1, without a difference of equal numbers, so that next to singular poses no digit is
// lost.
static int first_angles(const lw_vec3 *h, lw_vec3 w, lwi_angle q[2])
{
    const lw_vec3 x = lw_cross3(h[0], w);
    if (lw_dot3(x, x) <= 4e-26) {
        return 0; // rounding
    }
    return lwi_subproblem4(lw_scale3(-1.0, h[0]), w, h[1], lw_dot3(h[1], h[2]), 1e-3, q);
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
    // x is across the last axis: M x gives the last angle once the others are known, so that the
    // three agree also where the first is badly determined.
    const lw_vec3 w = lw_rotate(M, h[n - 1]), x = lw_cross3(h[n - 2], h[n - 1]),
                  x_goal = lw_rotate(M, x);
    lwi_angle first[2] = {seed[0], seed[0]};
    int count;
    if (n == 3) {
        count = first_angles(h, w, first);
        *undetermined = count == 0;
        count = count == 0 ? 1 : count;
    } else {
        *undetermined = !lwi_subproblem1(h[0], h[1], w, 1.0, &first[0]);
        count = 1;
    }
    for (int i = 0; i < count; ++i) {
        const lwi_angle back = {-first[i].s, first[i].c};
        q[i][0] = first[i];
        lw_vec3 y = lwi_rotate_about(h[0], back, x_goal);
        if (n == 3) {
            q[i][1] = seed[1];
            lwi_subproblem1(h[1], h[2], lwi_rotate_about(h[0], back, w), 1.0, &q[i][1]);
            y = lwi_rotate_about(h[1], (lwi_angle){-q[i][1].s, q[i][1].c}, y);
        }
        q[i][n - 1] = seed[n - 1];
        lwi_subproblem1(h[n - 1], x, y, 1.0, &q[i][n - 1]);
    }
    return count;
}
