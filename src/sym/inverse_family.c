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

static bool asks_position(const lw_ik_info *info)
{
    bool turns = true, is_flat = true;
    for (int i = 0; i < info->njoint; ++i) {
        turns = turns && !info->is_prismatic[i];
        is_flat = is_flat && are_parallel(info->axis[0], info->axis[i]);
    }
    return turns && (info->njoint == 2 ? is_flat : info->njoint == 3 && !is_flat);
}

// The joint before a chain that its equations would have to know; -1 where all before is fixed.
static int held_before(const lw_model *m, const lwi_chain *chain)
{
    int i = chain->arm.n > 0 ? m->parent[chain->body[0]] : -1;
    while (i >= 0 && m->carrier[i] != LW_TREE_FREE && m->carrier[i] != LW_TREE_SPHERICAL) {
        i = m->parent[i];
    }
    return i;
}

lw_status lwi_inverse_solver(const lw_model *m, lw_ik_def def, lw_ik **ik, lw_report *report)
{
    const lw_status status = lw_ik_create(m, &def, ik, NULL);
    if (status != LW_OK) {
        return lw_ik_create(m, &def, ik, report); // once more, for the reason
    }
    const int held = held_before(m, &(*ik)->chain);
    if (held >= 0) {
        lw_ik_destroy(*ik);
        *ik = NULL;
        return lwi_report_error(
            report, (lw_location){0}, LW_ERR_UNSUPPORTED,
            "inverse kinematics of frame \"%s\": equations begin at the world, "
            "and joint \"%s\" moves the base of this chain; the file of the leg "
            "or arm alone has equations, and `linkwork ik` solves this chain",
            m->frame[def.tip].name, m->joints[m->joint[held]].name);
    }
    if (!asks_position(lw_ik_describe(*ik))) {
        return status;
    }
    lw_ik_destroy(*ik);
    def.task = LW_IK_POSITION;
    return lw_ik_create(m, &def, ik, NULL);
}

lwi_six_class lwi_point_class(const lw_ik *ik, lwi_arm *arm)
{
    const lwi_reach *reach = &ik->few.reach;
    const double least = 1e-9 * ik->length;
    *arm = ik->chain.arm;
    if (ik->few.kind != LWI_FEW_POSITION || arm->n != 3 || reach->held > 0 ||
        (reach->kind != LWI_REACH_RRR_PARALLEL && reach->kind != LWI_REACH_RRR_MEETING) ||
        (reach->kind == LWI_REACH_RRR_MEETING && reach->is_reversed)) {
        return LWI_SIX_GENERAL;
    }
    if (reach->kind == LWI_REACH_RRR_MEETING) {
        arm->c[0] = arm->c[1] = reach->c[0];
    }
    // Of two links on either side of one of two joints, neither may be along its axis.
    const int elbow = reach->is_reversed ? 0 : 2, before = reach->is_reversed ? 0 : 1;
    const lw_vec3 link = lw_sub3(arm->c[before + 1], arm->c[before]),
                  last = lw_sub3(arm->X_BT.p, arm->c[2]);
    if (lw_norm3(lw_cross3(arm->h[elbow], link)) < least ||
        lw_norm3(lw_cross3(arm->h[2], last)) < least) {
        return LWI_SIX_GENERAL;
    }
    return reach->kind == LWI_REACH_RRR_MEETING ? LWI_SIX_SPHERICAL_MEETING
           : reach->is_reversed                 ? LWI_SIX_PARALLEL_SPHERICAL
                                                : LWI_SIX_SPHERICAL_PARALLEL;
}

int lwi_family_branches(lwi_inverse_family family)
{
    switch (family) {
    case LWI_FAMILY_SPHERICAL:
    case LWI_FAMILY_PARALLEL:
    case LWI_FAMILY_SLIDING:
    case LWI_FAMILY_POINT:
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
    if (ik->kind == LWI_IK_FEW && lwi_point_class(ik, arm) != LWI_SIX_GENERAL) {
        return LWI_FAMILY_POINT;
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
        "moves, five-bars and deltas, and for the position of a frame behind three axes of which "
        "the first or the last two are parallel or the first two intersect; "
        "lw_ik and `linkwork ik` solve this chain",
        ik->model->frame[frame].name, ik->info.class_name);
}
