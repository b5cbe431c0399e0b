// Boxes along the principal axes of points (Gottschalk, Lin and Manocha 1996).
#include "wide_tree.h"

#include <float.h>
#include <math.h>

enum { MOST_SWEEPS = 12 };

// Turns rows i and j of V, the axes, so that the element (i, j) of the symmetric A vanishes.
static void rotate_pair(double A[3][3], double V[3][3], int i, int j)
{
    if (A[i][j] == 0.0) {
        return;
    }
    const double theta = 0.5 * (A[j][j] - A[i][i]) / A[i][j];
    const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; ++k) {
        const double x = A[k][i], y = A[k][j];
        A[k][i] = c * x - s * y;
        A[k][j] = s * x + c * y;
    }
    for (int k = 0; k < 3; ++k) {
        const double x = A[i][k], y = A[j][k], u = V[i][k], v = V[j][k];
        A[i][k] = c * x - s * y;
        A[j][k] = s * x + c * y;
        V[i][k] = c * u - s * v;
        V[j][k] = s * u + c * v;
    }
}

// The principal axes as rows, by rotations of Jacobi's; orthonormal to the last digits.
static lw_mat3 principal_axes(const lw_vec3 *point, int count)
{
    lw_vec3 mean = {0.0, 0.0, 0.0};
    double A[3][3] = {{0.0}}, V[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int i = 0; i < count; ++i) {
        mean = lw_add3(mean, lw_scale3(1.0 / count, point[i]));
    }
    for (int i = 0; i < count; ++i) {
        const lw_vec3 d = lw_sub3(point[i], mean);
        const double x[3] = {d.x, d.y, d.z};
        for (int k = 0; k < 9; ++k) {
            A[k / 3][k % 3] += x[k / 3] * x[k % 3];
        }
    }
    for (int n = 0; n < MOST_SWEEPS; ++n) {
        rotate_pair(A, V, 0, 1);
        rotate_pair(A, V, 0, 2);
        rotate_pair(A, V, 1, 2);
    }
    lw_vec3 x = lw_unit3(lw_vec3_of(V[0][0], V[0][1], V[0][2]));
    const lw_vec3 y = lw_vec3_of(V[1][0], V[1][1], V[1][2]);
    const lw_vec3 z = lw_unit3(lw_cross3(x, y));
    if (!(fabs(lw_dot3(z, z) - 1.0) < 1e-9)) { // numbers that overflow
        return lw_mat3_identity();
    }
    return (lw_mat3){{x, lw_cross3(z, x), z}};
}

void lwi_fit_box(const lw_vec3 *point, int count, lwi_oriented_box *box)
{
    lwi_box_node turned;
    box->R = principal_axes(point, count);
    lw_vec3 low = lw_rotate(&box->R, point[0]), high = low;
    double size = lw_norm3(point[0]);
    for (int i = 1; i < count; ++i) {
        lwi_grow_box(&low, &high, lw_rotate(&box->R, point[i]));
        size = fmax(size, lw_norm3(point[i]));
    }
    lwi_center_box(low, high, &turned);
    const double slack = 8.0 * DBL_EPSILON * size;
    box->center = lw_rotate_back(&box->R, turned.center);
    box->half = lw_add3(turned.half, lw_vec3_of(slack, slack, slack));
}
