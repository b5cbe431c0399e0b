#include "inverse_family.h"

#include "inverse_solver.h"

#include "../base/report.h"

#include <math.h>

static bool are_parallel(lw_vec3 a, lw_vec3 b)
{
    return lw_norm3(lw_cross3(a, b)) < 1e-9;
}

// Stanford and SCARA types, whose closed forms are short. Where the axes of a wrist meet, its
// points become that.
static lwi_inverse_family family_of_few(lwi_arm *arm, double length)
{
    int nslide = 0;
    bool is_scara = arm->n == 4;
    for (int i = 0; i < arm->n; ++i) {
        nslide += arm->slides[i];
        is_scara = is_scara && are_parallel(arm->h[0], arm->h[i]);
    }
    if (is_scara && nslide == 1) {
        return LWI_FAMILY_SCARA;
    }
    if (arm->n == 2 && nslide == 0 && are_parallel(arm->h[0], arm->h[1])) {
        return LWI_FAMILY_PLANAR;
    }
    if (lwi_slides_of(arm)) {
        return LWI_FAMILY_SLIDES;
    }
    if (arm->n != 6 || nslide != 1 || !arm->slides[2] ||
        fabs(lw_dot3(arm->h[1], arm->h[2])) > 1e-9 || are_parallel(arm->h[0], arm->h[1]) ||
        are_parallel(arm->h[3], arm->h[4]) || are_parallel(arm->h[4], arm->h[5])) {
        return LWI_FAMILY_NONE;
    }
    lw_vec3 a, b, c, d;
    const double off =
        fmax(lwi_axis_distance(arm, 3, 4, &a, &b), lwi_axis_distance(arm, 4, 5, &c, &d));
    if (fmax(off, lw_norm3(lw_sub3(b, c))) > 1e-9 * length) {
        return LWI_FAMILY_NONE;
    }
    arm->c[3] = arm->c[4] = arm->c[5] = b;
    return LWI_FAMILY_SLIDING;
}

lw_status lwi_inverse_solver(const lw_model *m, int frame, lw_ik **ik, lw_report *report)
{
    lw_ik_def def = lw_default_ik_def(-1, frame);
    const lw_status status = lw_ik_create(m, &def, ik, NULL);
    const lw_ik_info *info = lw_ik_describe(*ik);
    if (status != LW_OK) {
        return lw_ik_create(m, &def, ik, report); // once more, for the reason
    }
    if (info->njoint != 2 || info->is_prismatic[0] || info->is_prismatic[1] ||
        !are_parallel(info->axis[0], info->axis[1])) {
        return status;
    }
    lw_ik_destroy(*ik);
    def.task = LW_IK_POSITION;
    return lw_ik_create(m, &def, ik, NULL);
}

int lwi_family_branches(lwi_inverse_family family)
{
    switch (family) {
    case LWI_FAMILY_SPHERICAL:
    case LWI_FAMILY_PARALLEL:
    case LWI_FAMILY_SLIDING:
        return 4;
    case LWI_FAMILY_LEVEL:
    case LWI_FAMILY_PLANAR:
        return 2;
    default:
        return 1;
    }
}

// Dependent joints of the chain are those of its leg, or the one that keeps it level.
static bool has_other_dependent(const lw_ik *ik, bool has_leg)
{
    int count = 0;
    for (int i = 0; i < ik->chain.arm.n; ++i) {
        const bool is_level = ik->kind == LWI_IK_LEVEL && i == 3;
        count += ik->info.position[i] < 0 && !is_level;
    }
    return count > (has_leg ? 1 : 0);
}

lwi_inverse_family lwi_inverse_family_of(const lw_ik *ik, bool has_leg, lwi_arm *arm)
{
    *arm = ik->chain.arm;
    const bool is_level = ik->kind == LWI_IK_LEVEL;
    if (lwi_spheres_of(ik)) {
        return LWI_FAMILY_SPHERES;
    }
    if ((ik->closed && !is_level && !has_leg) || ik->is_near || has_other_dependent(ik, has_leg)) {
        return LWI_FAMILY_NONE;
    }
    if (is_level) {
        return LWI_FAMILY_LEVEL;
    }
    if (ik->kind == LWI_IK_FEW) {
        return family_of_few(arm, ik->length);
    }
    if (ik->kind != LWI_IK_SIX) {
        return LWI_FAMILY_NONE;
    }
    *arm = ik->six.arm;
    const lwi_six_class kind = ik->six.kind;
    return kind == LWI_SIX_SPHERICAL_PARALLEL || kind == LWI_SIX_PARALLEL_SPHERICAL ||
                   kind == LWI_SIX_SPHERICAL_MEETING
               ? LWI_FAMILY_SPHERICAL
           : kind == LWI_SIX_PARALLEL_MEETING ? LWI_FAMILY_PARALLEL
                                              : LWI_FAMILY_NONE;
}

lw_status lwi_refuse_inverse(const lw_ik *ik, int frame, lw_report *report)
{
    return lwi_report_error(
        report, (lw_location){0}, LW_ERR_UNSUPPORTED,
        "inverse kinematics of frame \"%s\": no equations are derived for this class (%s); there "
        "are some for six joints with a spherical wrist behind two parallel or intersecting axes, "
        "three parallel axes, Stanford, SCARA, gantry, cylindrical and palletiser types, the "
        "latter where rods or parallelograms keep the tip level, forearms that a parallelogram "
        "moves, five-bars and deltas; "
        "lw_ik and `linkwork ik` solve this chain",
        ik->model->frame[frame].name, ik->info.class_name);
}
