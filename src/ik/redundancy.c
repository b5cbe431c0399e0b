// Chains with one joint more than the task has rows: how the redundancy is given.
#include "solve.h"

#include "../base/report.h"

#include <math.h>

static const lw_location nowhere = {0};

static bool find_swivel(lw_ik *ik)
{
    const lw_ik_def *def = &ik->def;
    const bool is_conventional = def->redundancy == LW_IK_SWIVEL_CONVENTIONAL;
    ik->swivel = lwi_swivel_of(&ik->chain.arm, is_conventional, def->swivel_axis,
                               def->swivel_reference, 1e-9, 1e-9);
    // A joint that is given leaves all solutions of a nearly exact arm, a swivel angle is near
    // them.
    if (!ik->swivel.is_one && !(ik->def.is_certain && def->redundancy == LW_IK_FREE)) {
        ik->swivel = lwi_swivel_of(&ik->chain.arm, is_conventional, def->swivel_axis,
                                   def->swivel_reference, LWI_NEAR_ANGLE, LWI_NEAR_DISTANCE);
        ik->is_near = ik->swivel.is_one;
    }
    ik->kind = ik->swivel.is_one ? LWI_IK_SWIVEL : ik->kind;
    return ik->swivel.is_one;
}

static int joint_of(const lw_ik *ik, int position)
{
    for (int i = 0; i < ik->chain.arm.n; ++i) {
        if (ik->info.position[i] == position) {
            return i;
        }
    }
    return -1;
}

void lwi_redundant_classify(lw_ik *ik)
{
    const lw_ik_redundancy kind = ik->def.redundancy;
    if (kind != LW_IK_HOLD && ik->rows == LWI_ROWS_POSE && find_swivel(ik)) {
        return;
    }
    const int joint = kind == LW_IK_HOLD ? joint_of(ik, ik->def.hold) : -1;
    if (kind != LW_IK_FREE && joint < 0) { // refused
        return;
    }
    const lwi_arm *arm = &ik->chain.arm;
    lwi_locked *locked = &ik->locked;
    lwi_locked_of(arm, ik->rows, joint, 1e-9, 1e-9, ik->elimination, locked);
    if (locked->few.kind == LWI_FEW_ELIMINATION && !ik->def.is_certain) {
        lwi_locked_of(arm, ik->rows, joint, LWI_NEAR_ANGLE, LWI_NEAR_DISTANCE, ik->elimination,
                      locked);
        ik->is_near = locked->few.kind != LWI_FEW_NONE && locked->few.kind != LWI_FEW_ELIMINATION;
        if (!ik->is_near) {
            lwi_locked_of(arm, ik->rows, joint, 1e-9, 1e-9, ik->elimination, locked);
        }
    }
    if (ik->locked.few.kind == LWI_FEW_NONE) {
        return;
    }
    ik->kind = LWI_IK_LOCKED;
    ik->length = ik->locked.few.scale;
    ik->fixed = 1u << ik->locked.joint;
    ik->nrole = ik->locked.nrole == 1 ? 1 : ik->def.is_certain ? LWI_IK_ROLES : 2;
}

static bool is_active(const lw_ik *ik, int position)
{
    for (int i = 0; i < ik->ncoordinate; ++i) {
        if (ik->coordinate[i].q == position) {
            return true;
        }
    }
    return false;
}

lw_status lwi_redundancy_check(const lw_ik *ik, lw_report *report)
{
    const lw_ik_def *def = &ik->def;
    if (def->redundancy == LW_IK_FREE) {
        return LW_OK;
    }
    const bool is_hold = def->redundancy == LW_IK_HOLD;
    if (is_hold && !is_active(ik, def->hold)) {
        return lwi_report_error(report, nowhere, LW_ERR_ARGUMENT,
                                "joint \"%s\" is to be held, but is not part of the chain",
                                ik->model->position_name[def->hold]);
    }
    if (ik->info.dof <= ik->info.rows) {
        return lwi_report_error(report, nowhere, LW_ERR_UNSUPPORTED,
                                "%s needs a chain with more degrees of freedom than the target "
                                "determines: it has %d, and the target determines %d",
                                is_hold ? "holding a joint" : "a swivel angle", ik->info.dof,
                                ik->info.rows);
    }
    if (!is_hold && ik->kind != LWI_IK_SWIVEL) {
        return lwi_report_error(report, nowhere, LW_ERR_UNSUPPORTED,
                                "a swivel angle needs seven revolute joints of which the first "
                                "three axes meet in a point and the last three in another; hold a "
                                "joint instead");
    }
    return LW_OK;
}

void lwi_redundant_solve(lw_ik *ik, const lw_ik_target *target, const lwi_angle *start, int role)
{
    if (ik->kind == LWI_IK_SWIVEL) {
        const double angle =
            target->has_redundancy ? target->redundancy : lwi_swivel_angle(&ik->swivel, start);
        ik->result.redundancy = angle;
        lwi_swivel_solve(&ik->swivel, &ik->X, angle, start, &ik->candidates);
        return;
    }
    const int joint = ik->locked.joint;
    lwi_angle at = start[joint];
    ik->result.redundancy = ik->seed[ik->info.position[joint]];
    if (target->has_redundancy) {
        ik->result.redundancy = target->redundancy;
        const double x = target->redundancy;
        at = ik->chain.arm.slides[joint] ? (lwi_angle){x, 1.0} : (lwi_angle){sin(x), cos(x)};
    }
    lwi_locked_solve(&ik->locked, &ik->X, at, start, role, ik->elimination, &ik->candidates);
}
