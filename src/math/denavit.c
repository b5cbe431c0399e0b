// x of a frame goes along the common normal of its axis and the next one.
#include "denavit.h"

#include "wide.h"

#include <math.h>

static const double parallel = 1e-10; ///< sines, and lengths in m, that count as none

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

lw_pose lwi_denavit_continue(const lw_pose *before, const lw_pose *at)
{
    const lw_vec3 z = column(&at->R, 2), z0 = column(&before->R, 2), x = column(&before->R, 0);
    const lw_vec3 flat = lw_sub3(x, lw_scale3(lw_dot3(x, z), z));
    const lw_vec3 way = lw_sub3(before->p, at->p), n = lw_cross3(z, z0);
    const double shift =
        lw_norm3(n) > parallel ? lw_dot3(lw_cross3(way, z0), n) / lw_dot3(n, n) : lw_dot3(way, z);
    return frame_of(lw_add3(at->p, lw_scale3(shift, z)),
                    lw_norm3(flat) > parallel ? lw_unit3(flat) : column(&at->R, 0), z);
}

lw_pose lwi_denavit_toward(const lw_pose *own, const lw_pose *next)
{
    const lw_vec3 z = column(&own->R, 2), z2 = column(&next->R, 2);
    const lw_vec3 way = lw_sub3(next->p, own->p), n = lw_cross3(z, z2);
    lw_vec3 x = column(&own->R, 0), p = own->p;
    if (lw_norm3(n) > parallel) {
        // Where the normal leaves the first axis: way = s z + t z2 + u n.
        const double nn = lw_dot3(n, n), u = lw_dot3(way, n) / nn;
        const double s = lw_dot3(lw_cross3(way, z2), n) / nn;
        const double side = fabs(u) > parallel ? u : lw_dot3(n, x) < -parallel ? -1.0 : 1.0;
        p = lw_add3(p, lw_scale3(s, z));
        x = lw_unit3(lw_scale3(side < 0.0 ? -1.0 : 1.0, n));
    } else {
        const lw_vec3 across = lw_sub3(way, lw_scale3(lw_dot3(way, z), z));
        x = lw_norm3(across) > parallel ? lw_unit3(across) : x;
    }
    return frame_of(p, x, z);
}

static double drop(double x, double nothing)
{
    return fabs(x) < nothing ? 0.0 : x;
}

lwi_denavit lwi_denavit_row(const lw_pose *X, const lw_pose *Y, double nothing)
{
    const lw_pose back = lw_pose_inverse(X), Z = lw_pose_mul(&back, Y);
    lwi_denavit row;
    row.alpha = drop(lwi_rounded_atan2(-Z.R.row[1].z, Z.R.row[2].z), nothing);
    row.a = drop(Z.p.x, nothing);
    double s, c;
    lwi_rounded_sincos(row.alpha, &s, &c);
    row.d = drop(-s * Z.p.y + c * Z.p.z, nothing);
    row.theta = drop(lwi_rounded_atan2(-Z.R.row[0].y, Z.R.row[0].x), nothing);
    return row;
}
