// Connecting rods in closed form (Höpler and Otter; Möller).
//
// The rod ties a point that is fixed beyond the dependent joint, at y in its moving frame, to a
// point that is known in its frame at rest, x. For a joint about z, |Rz(q) y - x|^2 = L^2 is
//
//   A cos q + B sin q + C = 0,   A = -2 (x1 y1 + x2 y2),  B = -2 (x2 y1 - x1 y2),
//                                C = x.x + y.y - 2 x3 y3 - L^2,
//
// and for one along z, |y + q z - x|^2 = L^2 is (q + b)^2 = L^2 - h^2 with b = y3 - x3 and
// h^2 = (y1 - x1)^2 + (y2 - x2)^2.
#include "../model/joint.h"

#include "../math/angle.h"
#include "../math/pi.h"
#include "closed_form_loops.h"
#include "loop.h"

// The root of A cos q + B sin q + C = 0 on the branch, 1 or -1; false where there is none.
static bool solve_cosine(double A, double B, double C, int branch, double *root)
{
    const double size = hypot(A, B);
    const double ratio = size > 0.0 ? -C / size : 2.0;
    // A hair beyond the end of the reach is rounding: the two branches meet there.
    const double slack = 1e-14;
    if (!(fabs(ratio) <= 1.0 + slack)) {
        return false;
    }
    // The angle from its sine and cosine keeps half the digits more than acos near the ends.
    const double sine = sqrt(fmax(0.0, (1.0 - ratio) * (1.0 + ratio)));
    *root = lwi_angle_of(B / size, A / size) + branch * lwi_angle_of(sine, ratio);
    return true;
}

static bool solve_slide(double b, double L2, double h2, int branch, double *root)
{
    const double rest = L2 - h2;
    if (!(rest >= -2e-14 * L2)) {
        return false;
    }
    *root = -b + branch * sqrt(fmax(0.0, rest));
    return true;
}

lw_pose lwi_branch_pose(const lw_model *m, const lwi_loop *loop, int side, int from, int to,
                        const double *q)
{
    lw_pose X = lw_pose_identity();
    for (int k = from; k < to; ++k) {
        const int i = loop->path[side][k];
        const lw_pose X_J = joint_frame_after(m, i, &X);
        X = joint_pose_after(m, i, q, &X_J);
    }
    return X;
}

// The angle plus whole turns that is nearest to a reference.
static double nearest_angle(double angle, double reference)
{
    const double away = angle - reference;
    if (fabs(away) <= 0.5 * LWI_TWO_PI) {
        return angle;
    }
    return angle - LWI_TWO_PI * floor(away / LWI_TWO_PI + 0.5);
}

// How far the two points are from the rod's length where they come nearest to it.
static double gap_of(lw_vec3 x, lw_vec3 y, double length, bool is_revolute)
{
    double nearest, farthest = (double)INFINITY;
    if (is_revolute) {
        const double rx = hypot(x.x, x.y), ry = hypot(y.x, y.y), dz = x.z - y.z;
        nearest = hypot(rx - ry, dz);
        farthest = hypot(rx + ry, dz);
    } else {
        nearest = hypot(x.x - y.x, x.y - y.y);
    }
    return length < nearest ? nearest - length : length > farthest ? length - farthest : 0.0;
}

lw_status lwi_rod_position(const lw_model *m, const lwi_loop *loop, const lwi_step *step, double *q,
                           lwi_closure_fault *fault)
{
    const int side = step->side, i = loop->path[side][step->at];
    const lwi_segment *body = &m->kernel->segment[i];
    const lw_pose X_CP = lwi_branch_pose(m, loop, side, 0, step->at, q);
    const lw_pose X_CJ = joint_frame_after(m, i, &X_CP);
    const lw_pose X_JE = lwi_branch_pose(m, loop, side, step->at + 1, loop->npath[side], q);
    const lw_pose X_CO = lwi_branch_pose(m, loop, 1 - side, 0, loop->npath[1 - side], q);
    const lw_vec3 other = lw_pose_apply(&X_CO, loop->X[1 - side].p);
    const lw_vec3 x = lw_rotate_back(&X_CJ.R, lw_sub3(other, X_CJ.p));
    const lw_vec3 y = lw_pose_apply(&X_JE, loop->X[side].p);
    const bool is_revolute = body->carrier == LW_TREE_REVOLUTE;
    const double square = loop->length * loop->length;
    double root;
    bool is_closed;
    if (is_revolute) {
        const double A = -2.0 * (x.x * y.x + x.y * y.y), B = -2.0 * (x.y * y.x - x.x * y.y);
        const double C = lw_dot3(x, x) + lw_dot3(y, y) - 2.0 * x.z * y.z - square;
        is_closed = solve_cosine(A, B, C, step->branch, &root);
    } else {
        const lw_vec3 d = lw_sub3(y, x);
        is_closed = solve_slide(d.z, square, d.x * d.x + d.y * d.y, step->branch, &root);
    }
    if (!is_closed) {
        fault->gap = gap_of(x, y, loop->length, is_revolute);
        return LW_ERR_LOOP_OPEN;
    }
    q[body->q] = is_revolute ? nearest_angle(root, m->tree_q_reference[body->q]) : root;
    return LW_OK;
}
