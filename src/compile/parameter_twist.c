#include "parameter_twist.h"

#include <string.h>

static const lw_vec3 UNIT[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static lw_motion shift(lw_vec3 u)
{
    const lw_motion twist = {{0, 0, 0}, u};
    return twist;
}

// A rotation about an axis through the point p.
static lw_motion turn(lw_vec3 axis, lw_vec3 p)
{
    const lw_motion twist = {axis, lw_cross3(p, axis)};
    return twist;
}

// R = Rz(yaw) Ry(pitch) Rx(roll) about the point where the frame is.
static int rpy_numbers(const double *v, lwi_placed_number *number)
{
    const lw_vec3 p = {v[0], v[1], v[2]};
    const lw_mat3 yaw = lw_rotation(UNIT[2], v[5]), pitch = lw_rotation(UNIT[1], v[4]);
    const lw_vec3 along_x = lw_rotate(&pitch, UNIT[0]);
    number[3] = (lwi_placed_number){"roll", 3, turn(lw_rotate(&yaw, along_x), p)};
    number[4] = (lwi_placed_number){"pitch", 4, turn(lw_rotate(&yaw, UNIT[1]), p)};
    number[5] = (lwi_placed_number){"yaw", 5, turn(UNIT[2], p)};
    return 6;
}

// Twice the vector part of dq times the conjugate of q, over q.q: growing along q turns nothing.
static int quat_numbers(const double *v, lwi_placed_number *number)
{
    static const char *const name[4] = {"qw", "qx", "qy", "qz"};
    const lw_vec3 p = {v[0], v[1], v[2]}, q = {v[4], v[5], v[6]};
    const double two = 2.0 / (v[3] * v[3] + lw_dot3(q, q));
    for (int k = 0; k < 4; ++k) {
        const lw_vec3 w = k == 0 ? lw_scale3(-1.0, q)
                                 : lw_sub3(lw_scale3(v[3], UNIT[k - 1]), lw_cross3(UNIT[k - 1], q));
        number[3 + k] = (lwi_placed_number){name[k], 3 + k, turn(lw_scale3(two, w), p)};
    }
    return 7;
}

// Rx(alpha) Tx(a) Rz(theta) Tz(d)
static int dh_numbers(const double *v, lwi_placed_number *number)
{
    const lw_vec3 origin = {0, 0, 0}, z = {0.0, -sin(v[0]), cos(v[0])};
    number[0] = (lwi_placed_number){"alpha", 0, turn(UNIT[0], origin)};
    number[1] = (lwi_placed_number){"a", 1, shift(UNIT[0])};
    number[2] = (lwi_placed_number){"theta", 2, turn(z, lw_vec3_of(v[1], 0.0, 0.0))};
    number[3] = (lwi_placed_number){"d", 3, shift(z)};
    return 4;
}

int lwi_placed_numbers(const lw_placement *placement, lwi_placed_number number[LWI_MOST_PLACED])
{
    static const char *const xyz[3] = {"x", "y", "z"};
    static const char *const turns[3] = {"turn.x", "turn.y", "turn.z"};
    const bool is_matrix = placement->form == LW_PLACEMENT_MATRIX;
    const double *v = placement->value;
    if (placement->form == LW_PLACEMENT_DH) {
        return dh_numbers(v, number);
    }
    for (int k = 0; k < 3; ++k) {
        number[k] = (lwi_placed_number){xyz[k], is_matrix ? 9 + k : k, shift(UNIT[k])};
        number[3 + k] =
            (lwi_placed_number){turns[k], -1, turn(UNIT[k], lw_vec3_of(v[9], v[10], v[11]))};
    }
    return is_matrix                              ? 6
           : placement->form == LW_PLACEMENT_QUAT ? quat_numbers(v, number)
                                                  : rpy_numbers(v, number);
}

lw_vec3 lwi_axis_turning(lw_vec3 axis, int k)
{
    const lw_vec3 z = lw_unit3(axis);
    // The size of the axis without squares that leave the range of double.
    const double size = lw_dot3(axis, z);
    const double along[3] = {z.x, z.y, z.z};
    const lw_vec3 dz = lw_scale3(1.0 / size, lw_sub3(UNIT[k], lw_scale3(along[k], z)));
    const lw_vec3 across = lw_cross3(z, dz);
    if ((z.x == 0.0) + (z.y == 0.0) + (z.z == 0.0) >= 2) {
        return across;
    }
    // As lw_rotation_to_z(): y = z x far over its length.
    const lw_mat3 N = lw_rotation_to_z(z), columns = lw_transpose3(&N);
    const lw_vec3 x = columns.row[0], y = columns.row[1];
    const lw_vec3 far = fabs(z.x) <= fabs(z.y) && fabs(z.x) <= fabs(z.z) ? UNIT[0]
                        : fabs(z.y) <= fabs(z.z)                         ? UNIT[1]
                                                                         : UNIT[2];
    const lw_vec3 change = lw_cross3(dz, far);
    const double length = lw_norm3(lw_cross3(z, far));
    const lw_vec3 dy = lw_scale3(1.0 / length, lw_sub3(change, lw_scale3(lw_dot3(y, change), y)));
    // Turning about z shows in how y moves along x.
    return lw_sub3(across, lw_scale3(lw_dot3(x, dy), z));
}

lw_motion lwi_twist_in_body(const lw_pose *X, const lw_motion *twist)
{
    lw_motion r;
    r.ang = lw_rotate(&X->R, twist->ang);
    r.lin = lw_add3(lw_rotate(&X->R, twist->lin), lw_cross3(X->p, r.ang));
    return r;
}
