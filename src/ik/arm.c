#include "arm.h"

#include "frames.h"

#include <math.h>

lw_pose lwi_arm_pose(const lwi_arm *arm, const lwi_angle *q)
{
    lw_vec3 p = arm->X_BT.p;
    lw_mat3 R = lw_transpose3(&arm->X_BT.R); // rows are the columns of the rotation
    for (int i = arm->n - 1; i >= 0; --i) {
        if (arm->slides[i]) {
            p = lw_add3(p, lw_scale3(q[i].s, arm->h[i]));
            continue;
        }
        p = lw_add3(arm->c[i], lwi_rotate_about(arm->h[i], q[i], lw_sub3(p, arm->c[i])));
        for (int k = 0; k < 3; ++k) {
            R.row[k] = lwi_rotate_about(arm->h[i], q[i], R.row[k]);
        }
    }
    const lw_pose X = {lw_transpose3(&R), p};
    return X;
}

lwi_arm lwi_arm_reversed(const lwi_arm *arm)
{
    const lw_pose X_TB = lw_pose_inverse(&arm->X_BT);
    lwi_arm r = {.n = arm->n, .X_BT = X_TB};
    for (int i = 0; i < arm->n; ++i) {
        const int k = arm->n - 1 - i;
        r.slides[i] = arm->slides[k];
        r.h[i] = lw_scale3(-1.0, lw_rotate(&X_TB.R, arm->h[k]));
        r.c[i] = lw_pose_apply(&X_TB, arm->c[k]);
    }
    return r;
}

double lwi_axis_angle(const lwi_arm *arm, int i, int j)
{
    return asin(fmin(1.0, lw_norm3(lw_cross3(arm->h[i], arm->h[j]))));
}

double lwi_axis_distance(const lwi_arm *arm, int i, int j, lw_vec3 *on_i, lw_vec3 *on_j)
{
    const lw_vec3 a = arm->h[i], b = arm->h[j], w = lw_sub3(arm->c[j], arm->c[i]);
    const double ab = lw_dot3(a, b), det = 1.0 - ab * ab;
    double s = 0.0;
    if (det > 4e-4) { // 0.02 rad: beyond, where they come nearest is far away and ill-determined
        s = (lw_dot3(w, a) - lw_dot3(w, b) * ab) / det;
    }
    *on_i = lw_add3(arm->c[i], lw_scale3(s, a));
    const double t = lw_dot3(lw_sub3(*on_i, arm->c[j]), b);
    *on_j = lw_add3(arm->c[j], lw_scale3(t, b));
    return lw_norm3(lw_sub3(*on_i, *on_j));
}

double lwi_arm_length(const lwi_arm *arm)
{
    double length = 0.0;
    lw_vec3 a, b;
    for (int i = 0; i + 1 < arm->n; ++i) {
        length += lwi_axis_distance(arm, i, i + 1, &a, &b);
    }
    // Offsets along axes count too: the distance of the points where neighbours come nearest.
    for (int i = 1; i + 1 < arm->n; ++i) {
        lw_vec3 in, out;
        lwi_axis_distance(arm, i - 1, i, &a, &in);
        lwi_axis_distance(arm, i, i + 1, &out, &b);
        length += lw_norm3(lw_sub3(in, out));
    }
    return length > 0.0 ? length : 1.0;
}

lwi_frames lwi_frames_of(const lwi_arm *arm)
{
    lwi_frames frames = {.n = arm->n};
    lw_pose before = lw_pose_identity();
    for (int i = 0; i <= arm->n; ++i) {
        const lw_pose F =
            i < arm->n ? (lw_pose){lw_rotation_to_z(arm->h[i]), arm->c[i]} : arm->X_BT;
        const lw_pose back = lw_pose_inverse(&before);
        frames.W[i] = lw_pose_mul(&back, &F);
        frames.slides[i < arm->n ? i : 0] |= i < arm->n && arm->slides[i];
        before = F;
    }
    return frames;
}
