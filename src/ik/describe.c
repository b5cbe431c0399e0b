// The class of a chain in words: which axes are parallel or intersect, and which subproblem gives
// which joint. Symbols: h axes, p points between neighbouring axes, R_i the rotation by joint i,
// p16 from axis 1 to axis 6 and R06 the rotation of all six joints, as the target has them.
#include "describe.h"

#include "closed_chain.h"

#include "describe_few.h"

#include <math.h>

void lwi_ik_add_step(lw_ik_info *info, const char *subproblem, int nsolution, int a, int b, int c,
                     const char *equation)
{
    const int joint[3] = {a, b, c};
    if (info->nstep == LW_IK_STEPS) {
        return;
    }
    lw_ik_step *step = &info->step[info->nstep++];
    *step = (lw_ik_step){.nsolution = nsolution, .subproblem = subproblem, .equation = equation};
    for (int i = 0; i < 3 && joint[i] >= 0; ++i) {
        step->joint[step->njoint++] = info->is_reversed ? info->njoint - 1 - joint[i] : joint[i];
    }
}

void lwi_ik_add_fact(lw_ik_info *info, lw_ik_property property, int first, int last, double margin)
{
    if (info->nfact == LW_IK_FACTS) {
        return;
    }
    if (info->is_reversed) {
        const int t = info->njoint - 1 - first;
        first = info->njoint - 1 - last;
        last = t;
    }
    info->fact[info->nfact++] = (lw_ik_fact){property, first, last, margin};
}

static const char *const six_names[] = {
    [LWI_SIX_GENERAL] = "six revolute joints of general geometry",
    [LWI_SIX_SPHERICAL_PARALLEL] = "spherical wrist, two parallel axes before the elbow",
    [LWI_SIX_PARALLEL_SPHERICAL] = "spherical wrist, first two axes parallel",
    [LWI_SIX_SPHERICAL_MEETING] = "spherical wrist, first two axes intersect",
    [LWI_SIX_SPHERICAL] = "spherical wrist",
    [LWI_SIX_PARALLEL_MEETING] = "three parallel axes, last two axes intersect",
    [LWI_SIX_PARALLEL] = "three parallel axes",
};

static void add_wrist(lw_ik_info *info)
{
    lwi_ik_add_step(info, "SP4", 2, 3, -1, -1, "h5 . R4' (R03' R06 h6) = h5 . h6");
    lwi_ik_add_step(info, "SP1", 1, 4, -1, -1, "R5 h6 = R4' R03' R06 h6");
    lwi_ik_add_step(info, "SP1", 1, 5, -1, -1, "R6 x = R5' R4' R03' R06 x for x across h6");
}

void lwi_six_describe(const lwi_six *six, lw_ik_info *info)
{
    info->class_name = six_names[six->kind];
    info->most_solutions = six->kind == LWI_SIX_GENERAL ? 16 : 8;
    for (int i = 0; i < six->nfact; ++i) {
        lwi_ik_add_fact(info, six->fact[i].property, six->fact[i].first, six->fact[i].last,
                        six->fact[i].margin);
    }
    switch (six->kind) {
    case LWI_SIX_SPHERICAL_PARALLEL:
        lwi_ik_add_step(info, "SP4", 2, 0, -1, -1, "h2 . R1' p16 = h2 . (p12 + p23 + p34)");
        lwi_ik_add_step(info, "SP3", 2, 2, -1, -1, "|p23 + R3 p34| = |R1' p16 - p12|");
        lwi_ik_add_step(info, "SP1", 1, 1, -1, -1, "R2 (p23 + R3 p34) = R1' p16 - p12");
        add_wrist(info);
        break;
    case LWI_SIX_PARALLEL_SPHERICAL:
        lwi_ik_add_step(info, "SP4", 2, 2, -1, -1, "h2 . R3 p34 = h2 . (p16 - p12 - p23)");
        lwi_ik_add_step(info, "SP3", 2, 0, -1, -1, "|R1' p16 - p12| = |p23 + R3 p34|");
        lwi_ik_add_step(info, "SP1", 1, 1, -1, -1, "R2 (p23 + R3 p34) = R1' p16 - p12");
        add_wrist(info);
        break;
    case LWI_SIX_SPHERICAL_MEETING:
        lwi_ik_add_step(info, "SP3", 2, 2, -1, -1, "|p23 + R3 p34| = |p16|");
        lwi_ik_add_step(info, "SP4", 2, 0, -1, -1, "h2 . R1' p16 = h2 . (p23 + R3 p34)");
        lwi_ik_add_step(info, "SP1", 1, 1, -1, -1, "R2 (p23 + R3 p34) = R1' p16");
        add_wrist(info);
        break;
    case LWI_SIX_SPHERICAL:
        lwi_ik_add_step(info, "SP6", 4, 0, 2, -1,
                        "h2 . R1' p16 - h2 . R3 p34 = h2 . (p12 + p23), "
                        "|R1' p16 - p12| = |p23 + R3 p34|");
        lwi_ik_add_step(info, "SP1", 1, 1, -1, -1, "R2 (p23 + R3 p34) = R1' p16 - p12");
        add_wrist(info);
        break;
    case LWI_SIX_PARALLEL_MEETING:
        lwi_ik_add_step(info, "SP4", 2, 0, -1, -1, "h2 . R1' p16 = h2 . (p12 + p23 + p34 + p45)");
        lwi_ik_add_step(info, "SP4", 2, 4, -1, -1, "h2 . R5 h6 = h2 . R1' R06 h6");
        break;
    case LWI_SIX_PARALLEL:
        lwi_ik_add_step(info, "SP6", 4, 0, 4, -1,
                        "h2 . R1' p16 - h2 . R5 p56 = h2 . (p12 + p23 + p34 + p45), "
                        "h2 . R1' R06 h6 - h2 . R5 h6 = 0");
        break;
    case LWI_SIX_GENERAL:
        break;
    }
    if (six->kind == LWI_SIX_PARALLEL_MEETING || six->kind == LWI_SIX_PARALLEL) {
        lwi_ik_add_step(info, "SP1", 1, 3, -1, -1,
                        "R234 (R5 h6) = R1' R06 h6, q4 = q234 - q2 - q3");
        lwi_ik_add_step(info, "SP1", 1, 5, -1, -1, "R6 x = R5' R234' R1' R06 x for x across h6");
        lwi_ik_add_step(info, "SP3", 2, 2, -1, -1,
                        "|p23 + R3 p34| = |R1' p16 - p12 - R234 (p45 + R5 p56)|");
        lwi_ik_add_step(info, "SP1", 1, 1, -1, -1,
                        "R2 (p23 + R3 p34) = R1' p16 - p12 - R234 (p45 + R5 p56)");
    }
}

static lw_ik_redundancy swivel_kind(const lw_ik *ik)
{
    return ik->swivel.is_conventional ? LW_IK_SWIVEL_CONVENTIONAL : LW_IK_SWIVEL;
}

void lwi_ik_describe(lw_ik *ik)
{
    static const lw_ik_method methods[] = {
        [LWI_IK_SIX] = LW_IK_CLOSED_FORM,      [LWI_IK_FEW] = LW_IK_CLOSED_FORM,
        [LWI_IK_PLATFORM] = LW_IK_CLOSED_FORM, [LWI_IK_LEVEL] = LW_IK_CLOSED_FORM,
        [LWI_IK_SWIVEL] = LW_IK_CLOSED_FORM,   [LWI_IK_LOCKED] = LW_IK_CLOSED_FORM,
        [LWI_IK_GENERAL] = LW_IK_ELIMINATION,  [LWI_IK_NUMERIC] = LW_IK_NUMERIC};
    lw_ik_info *info = &ik->info;
    const lwi_arm *arm = &ik->chain.arm;
    info->njoint = arm->n;
    info->length = ik->length;
    info->X_BT = arm->X_BT;
    for (int i = 0; i < arm->n; ++i) {
        info->body[i] = ik->chain.body[i];
        info->axis[i] = arm->h[i];
        info->point[i] = arm->c[i];
        info->is_prismatic[i] = arm->slides[i];
    }
    info->method = ik->is_near ? LW_IK_NEAR_CLOSED_FORM : methods[ik->kind];
    info->is_reversed = ik->kind == LWI_IK_SIX && ik->six.is_reversed;
    info->nfact = info->nstep = 0;
    info->class_name = "no closed form";
    // A search through loops keeps every solution that it meets; one of an open chain ends there.
    info->most_solutions = !ik->closed                         ? 1
                           : ik->def.starts < LWI_IK_SOLUTIONS ? ik->def.starts
                                                               : LWI_IK_SOLUTIONS;
    if (ik->kind == LWI_IK_SIX || ik->kind == LWI_IK_GENERAL) {
        lwi_six_describe(&ik->six, info);
    } else if (ik->kind == LWI_IK_FEW) {
        lwi_few_describe(ik);
    } else if (ik->kind == LWI_IK_SWIVEL || ik->kind == LWI_IK_LOCKED) {
        lwi_redundant_describe(ik);
    }
    if (ik->closed) {
        lwi_closed_chain_describe(ik);
    }
    info->redundancy = ik->kind == LWI_IK_SWIVEL   ? swivel_kind(ik)
                       : ik->kind == LWI_IK_LOCKED ? LW_IK_HOLD
                                                   : LW_IK_FREE;
    info->held = ik->kind == LWI_IK_LOCKED ? ik->locked.joint : -1;
}
