// x of frame i goes along the common normal of its axis and the next one.
#include "denavit.h"

#include "../math/wide.h"

#include <math.h>

bool lwi_is_chain(const lw_model *m)
{
    for (int i = 0; i < m->nbody; ++i) {
        if (m->parent[i] != i - 1 ||
            (m->carrier[i] != LW_TREE_REVOLUTE && m->carrier[i] != LW_TREE_PRISMATIC)) {
            return false;
        }
    }
    return m->nbody > 0 && m->nstep == 0;
}

static lw_vec3 column(const lw_mat3 *R, int c)
{
    const lw_mat3 T = lw_transpose3(R);
    return T.row[c];
}

// A frame with this origin and these axes.
static lw_pose frame_of(lw_vec3 p, lw_vec3 x, lw_vec3 z)
{
    const lw_vec3 y = lw_cross3(z, x);
    const lw_mat3 columns = {{x, y, z}};
    const lw_pose X = {lw_transpose3(&columns), p};
    return X;
}

// The frame on the axis of `before` (origin, x as it would go on, z) whose x points to the axis of
// `next`.
static lw_pose toward(const lw_pose *before, const lw_pose *next)
{
    static const double nothing = 1e-10;
    const lw_vec3 z = column(&before->R, 2), z2 = column(&next->R, 2);
    const lw_vec3 way = lw_sub3(next->p, before->p), n = lw_cross3(z, z2);
    lw_vec3 x = column(&before->R, 0), p = before->p;
    if (lw_norm3(n) > nothing) {
        // Where the normal leaves the first axis: way = s z + t z2 + u n.
        const double nn = lw_dot3(n, n), u = lw_dot3(way, n) / nn;
        const double s = lw_dot3(lw_cross3(way, z2), n) / nn;
        const double side = fabs(u) > nothing ? u : lw_dot3(n, x) < -nothing ? -1.0 : 1.0;
        p = lw_add3(p, lw_scale3(s, z));
        x = lw_unit3(lw_scale3(side < 0.0 ? -1.0 : 1.0, n));
    } else {
        const lw_vec3 across = lw_sub3(way, lw_scale3(lw_dot3(way, z), z));
        x = lw_norm3(across) > nothing ? lw_unit3(across) : x;
    }
    return frame_of(p, x, z);
}

static double near_zero(double x)
{
    return fabs(x) < 1e-10 ? 0.0 : x;
}

// Frame Y from frame X, whose x is the common normal.
static lwi_denavit row_of(const lw_pose *X, const lw_pose *Y)
{
    const lw_pose back = lw_pose_inverse(X), Z = lw_pose_mul(&back, Y);
    lwi_denavit row;
    row.alpha = near_zero(lwi_rounded_atan2(-Z.R.row[1].z, Z.R.row[2].z));
    row.a = near_zero(Z.p.x);
    double s, c;
    lwi_rounded_sincos(row.alpha, &s, &c);
    row.d = near_zero(-s * Z.p.y + c * Z.p.z);
    row.theta = near_zero(lwi_rounded_atan2(-Z.R.row[0].y, Z.R.row[0].x));
    return row;
}

void lwi_denavit_table(const lw_model *m, lwi_denavit *row, lw_pose *base, lw_pose *tip)
{
    lw_pose at = lw_pose_identity(), frame = at, before = at;
    for (int i = 0; i < m->nbody; ++i) {
        // Joint frames at zero position.
        at = i == 0 ? m->X_PJ[0] : lw_pose_mul(&at, &m->X_PJ[i]);
        // x goes on where the next axis leaves it free: as the frame before has it, turned into the
        // plane across the axis; and the origin as near to that frame as it can be.
        lw_pose own = at;
        if (i > 0) {
            const lw_vec3 z = column(&at.R, 2), x = column(&before.R, 0);
            const lw_vec3 flat = lw_sub3(x, lw_scale3(lw_dot3(x, z), z));
            const double along = lw_dot3(lw_sub3(before.p, at.p), z);
            const bool crosses = lw_norm3(lw_cross3(z, column(&before.R, 2))) > 1e-10;
            const lw_vec3 way = lw_sub3(before.p, at.p);
            double shift = along;
            if (crosses) {
                // Where the normal of the two meets this axis.
                const lw_vec3 z0 = column(&before.R, 2), n = lw_cross3(z, z0);
                shift = lw_dot3(lw_cross3(way, z0), n) / lw_dot3(n, n);
            }
            own = frame_of(lw_add3(at.p, lw_scale3(shift, z)),
                           lw_norm3(flat) > 1e-10 ? lw_unit3(flat) : column(&at.R, 0), z);
        }
        lw_pose next = own;
        if (i + 1 < m->nbody) {
            next = lw_pose_mul(&at, &m->X_PJ[i + 1]);
            frame = toward(&own, &next);
        } else {
            frame = own;
        }
        if (i == 0) {
            *base = frame; // frame 0 is frame 1 at zero position
            before = frame;
        }
        row[i] = row_of(&before, &frame);
        before = frame;
    }
    const lw_pose back = lw_pose_inverse(&frame);
    *tip = lw_pose_mul(&back, &at);
}
