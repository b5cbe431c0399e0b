// Boxes along the principal axes of points (Gottschalk, Lin and Manocha 1996).
#include "wide_tree.h"

#include "../math/eigen.h"

#include <float.h>
#include <math.h>

// The principal axes as rows.
static lw_mat3 principal_axes(const lw_vec3 *point, int count)
{
    lw_vec3 mean = {0.0, 0.0, 0.0};
    double A[3][3] = {{0.0}}, V[3][3];
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
    lwi_rotate_to_diagonal(3, &A[0][0], &V[0][0]);
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
