// The pose of a body by points: Horn's quaternion, the eigenvector of a symmetric matrix.
#include <linkwork/stance.h>

#include "../math/eigen.h"

#include <math.h>
#include <string.h>

// The eigenvector of the largest eigenvalue of A [4*4], which is lost, and the two largest
// eigenvalues.
static void largest_eigenvector(double A[4][4], double v[4], double largest[2])
{
    double V[4][4];
    lwi_rotate_to_diagonal(4, &A[0][0], &V[0][0]);
    int best = 0;
    for (int k = 1; k < 4; ++k) {
        best = A[k][k] > A[best][best] ? k : best;
    }
    largest[0] = A[best][best];
    largest[1] = -HUGE_VAL;
    for (int k = 0; k < 4; ++k) {
        v[k] = V[best][k];
        largest[1] = k != best ? fmax(largest[1], A[k][k]) : largest[1];
    }
}

// Adds w b f' to the matrix whose largest eigenvector is the quaternion.
static void add_pair(double N[4][4], double w, lw_vec3 b, lw_vec3 f)
{
    const double xx = w * b.x * f.x, yy = w * b.y * f.y, zz = w * b.z * f.z;
    const lw_vec3 c = lw_scale3(w, lw_cross3(b, f));
    const double xy = w * (b.x * f.y + b.y * f.x), xz = w * (b.x * f.z + b.z * f.x);
    const double yz = w * (b.y * f.z + b.z * f.y);
    const double more[4][4] = {{xx + yy + zz, c.x, c.y, c.z},
                               {c.x, xx - yy - zz, xy, xz},
                               {c.y, xy, yy - xx - zz, yz},
                               {c.z, xz, yz, zz - xx - yy}};
    for (int i = 0; i < 16; ++i) {
        N[i / 4][i % 4] += more[i / 4][i % 4];
    }
}

static bool is_finite3(lw_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

lw_status lw_pose_of_points(int n, const lw_vec3 *body, const lw_vec3 *world, const double *weight,
                            const lw_pose *prior, lw_pose *X, double *error)
{
    if (n < 1 || !body || !world || !X) {
        return LW_ERR_ARGUMENT;
    }
    double sum = 0.0, size = 0.0;
    lw_vec3 mid_b = {0.0, 0.0, 0.0}, mid_f = mid_b;
    for (int i = 0; i < n; ++i) {
        const double w = weight ? weight[i] : 1.0;
        if (!(w > 0.0) || !isfinite(w)) {
            return LW_ERR_ARGUMENT;
        }
        if (!is_finite3(body[i]) || !is_finite3(world[i])) {
            return LW_ERR_NUMBER;
        }
        sum += w;
        mid_b = lw_add3(mid_b, lw_scale3(w, body[i]));
        mid_f = lw_add3(mid_f, lw_scale3(w, world[i]));
    }
    mid_b = lw_scale3(1.0 / sum, mid_b);
    mid_f = lw_scale3(1.0 / sum, mid_f);
    double N[4][4] = {{0.0}}, copy[4][4], v[4], largest[2];
    for (int i = 0; i < n; ++i) {
        const lw_vec3 b = lw_sub3(body[i], mid_b), f = lw_sub3(world[i], mid_f);
        add_pair(N, (weight ? weight[i] : 1.0) / sum, b, f);
        size += (weight ? weight[i] : 1.0) / sum * lw_norm3(b) * lw_norm3(f);
    }
    memcpy(copy, N, sizeof copy);
    largest_eigenvector(copy, v, largest);
    if (!(largest[0] - largest[1] > 1e-9 * size) || size == 0.0) {
        if (!prior) {
            return LW_ERR_SINGULAR;
        }
        // Axes of the prior as three more pairs, so light that they turn only what is open.
        const double light = size > 0.0 ? 1e-6 * size : 1.0;
        for (int k = 0; k < 3; ++k) {
            const lw_vec3 axis = lw_vec3_of(k == 0, k == 1, k == 2);
            add_pair(N, light, axis, lw_rotate(&prior->R, axis));
        }
        largest_eigenvector(N, v, largest);
    }
    X->R = lw_rotation_quat((lw_quat){v[0], v[1], v[2], v[3]});
    X->p = lw_sub3(mid_f, lw_rotate(&X->R, mid_b));
    double square = 0.0;
    for (int i = 0; i < n; ++i) {
        const lw_vec3 off = lw_sub3(lw_pose_apply(X, body[i]), world[i]);
        square += (weight ? weight[i] : 1.0) / sum * lw_dot3(off, off);
    }
    if (error) {
        *error = sqrt(square);
    }
    return LW_OK;
}
