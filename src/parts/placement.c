// Placements: poses as people write them.
#include <linkwork/mech.h>

#include "../math/wide.h"

lw_placement lw_placement_identity(void)
{
    return (lw_placement){.form = LW_PLACEMENT_IDENTITY};
}

lw_placement lw_placement_xyz(double x, double y, double z)
{
    return (lw_placement){.form = LW_PLACEMENT_RPY, .value = {x, y, z, 0.0, 0.0, 0.0}};
}

lw_placement lw_placement_rpy(lw_vec3 xyz, lw_vec3 roll_pitch_yaw)
{
    return (lw_placement){
        .form = LW_PLACEMENT_RPY,
        .value = {xyz.x, xyz.y, xyz.z, roll_pitch_yaw.x, roll_pitch_yaw.y, roll_pitch_yaw.z}};
}

lw_placement lw_placement_quat(lw_vec3 xyz, lw_quat quat)
{
    return (lw_placement){.form = LW_PLACEMENT_QUAT,
                          .value = {xyz.x, xyz.y, xyz.z, quat.w, quat.x, quat.y, quat.z}};
}

lw_placement lw_placement_of_pose(const lw_pose *X)
{
    if (!X) {
        return lw_placement_identity();
    }
    const lw_vec3 *r = X->R.row;
    return (lw_placement){.form = LW_PLACEMENT_MATRIX,
                          .value = {r[0].x, r[0].y, r[0].z, r[1].x, r[1].y, r[1].z, r[2].x, r[2].y,
                                    r[2].z, X->p.x, X->p.y, X->p.z}};
}

lw_placement lw_placement_dh(double alpha, double a, double theta, double d)
{
    return (lw_placement){.form = LW_PLACEMENT_DH, .value = {alpha, a, theta, d}};
}

static lw_pose pose_of_dh(double alpha, double a, double theta, double d)
{
    double sa, ca, st, ct;
    lwi_rounded_sincos(alpha, &sa, &ca);
    lwi_rounded_sincos(theta, &st, &ct);
    const lw_pose X = {{{{ct, -st, 0.0}, {ca * st, ca * ct, -sa}, {sa * st, sa * ct, ca}}},
                       {a, -sa * d, ca * d}};
    return X;
}

lw_pose lw_placement_pose(const lw_placement *placement)
{
    lw_pose X = lw_pose_identity();
    if (!placement) {
        return X;
    }
    const double *v = placement->value;
    switch (placement->form) {
    case LW_PLACEMENT_IDENTITY:
        break;
    case LW_PLACEMENT_RPY:
        X.R = lw_rotation_rpy(v[3], v[4], v[5]);
        X.p = lw_vec3_of(v[0], v[1], v[2]);
        break;
    case LW_PLACEMENT_QUAT:
        X.R = lw_rotation_quat((lw_quat){v[3], v[4], v[5], v[6]});
        X.p = lw_vec3_of(v[0], v[1], v[2]);
        break;
    case LW_PLACEMENT_MATRIX:
        X.R.row[0] = lw_vec3_of(v[0], v[1], v[2]);
        X.R.row[1] = lw_vec3_of(v[3], v[4], v[5]);
        X.R.row[2] = lw_vec3_of(v[6], v[7], v[8]);
        X.p = lw_vec3_of(v[9], v[10], v[11]);
        break;
    case LW_PLACEMENT_DH:
        X = pose_of_dh(v[0], v[1], v[2], v[3]);
        break;
    }
    return X;
}
