#include "locked.h"

#include <math.h>
#include <string.h>

static lw_pose motion_of(const lwi_arm *arm, int joint, lwi_angle at)
{
    const lwi_arm one = {.n = 1,
                         .slides = {arm->slides[joint]},
                         .h = {arm->h[joint]},
                         .c = {arm->c[joint]},
                         .X_BT = lw_pose_identity()};
    return lwi_arm_pose(&one, &at);
}

lwi_arm lwi_arm_locked(const lwi_arm *arm, int joint, lwi_angle at)
{
    const lw_pose E = motion_of(arm, joint, at);
    lwi_arm r = {.n = arm->n - 1, .X_BT = lw_pose_mul(&E, &arm->X_BT)};
    for (int i = 0; i < r.n; ++i) {
        const int k = i < joint ? i : i + 1;
        r.slides[i] = arm->slides[k];
        r.h[i] = i < joint ? arm->h[k] : lw_rotate(&E.R, arm->h[k]);
        r.c[i] = i < joint ? arm->c[k] : lw_pose_apply(&E, arm->c[k]);
    }
    return r;
}

static bool is_closed(const lwi_few *few)
{
    return few->kind != LWI_FEW_NONE && few->kind != LWI_FEW_ELIMINATION;
}

// Whether the others have a closed form wherever this joint is.
static bool leaves_closed_form(const lwi_locked *l)
{
    if (!is_closed(&l->few) || l->is_constant) {
        return is_closed(&l->few);
    }
    for (int i = 1; i < 3; ++i) {
        const lwi_angle at = l->arm.slides[l->joint] ? (lwi_angle){0.37 * i, 1.0}
                                                     : (lwi_angle){sin(1.1 * i), cos(1.1 * i)};
        const lwi_arm arm = lwi_arm_locked(&l->arm, l->joint, at);
        lwi_few few;
        lwi_few_of(&arm, l->few.rows, l->few.angle, l->few.distance, &few);
        if (!is_closed(&few)) {
            return false;
        }
    }
    return true;
}

// How regular the elimination of the others is, at a general value of the joint.
static double score_of(lwi_locked *l, lwi_elimination *work)
{
    const lwi_angle at = {sin(0.8), cos(0.8)};
    lwi_few few = l->few;
    if (!l->is_constant) {
        const lwi_arm arm = lwi_arm_locked(&l->arm, l->joint, at);
        lwi_few_of(&arm, l->few.rows, l->few.angle, l->few.distance, &few);
    }
    if (few.kind != LWI_FEW_ELIMINATION) {
        return 0.0;
    }
    lwi_choose_roles(&few.arm, work, LWI_LOCKED_ROLES, l->role);
    lwi_angle q[LWI_ARM_JOINTS];
    for (int i = 0; i < few.arm.n; ++i) {
        q[i] = (lwi_angle){sin(0.9 * i + 0.4), cos(0.9 * i + 0.4)};
    }
    const lw_pose X = lwi_arm_pose(&few.arm, q);
    return lwi_role_score(&few.arm, &X, l->role[0], work);
}

static void lock_joint(const lwi_arm *arm, lwi_ik_rows rows, int joint, double angle,
                       double distance, lwi_locked *l)
{
    const lwi_angle zero = {0.0, 1.0};
    const lwi_arm others = lwi_arm_locked(arm, joint, zero);
    memset(l, 0, sizeof *l);
    l->joint = joint;
    l->arm = *arm;
    // A joint at an end moves only the target; at the tip that needs the whole pose. A prismatic
    // joint moves no direction, but points of axes behind it.
    l->is_constant = joint == 0 || (joint == arm->n - 1 && rows == LWI_ROWS_POSE);
    lwi_few_of(&others, rows, angle, distance, &l->few);
    l->nrole = is_closed(&l->few) ? 1 : LWI_LOCKED_ROLES;
}

// The joint whose elimination is the most regular; those at the ends are preferred.
static int most_regular(const lwi_arm *arm, lwi_ik_rows rows, double angle, double distance,
                        lwi_elimination *work, lwi_locked *l)
{
    double most = -1.0;
    int best = -1;
    for (int i = 0; i < arm->n; ++i) {
        const int k = i == 0 ? arm->n - 1 : i - 1;
        lock_joint(arm, rows, k, angle, distance, l);
        const double score = score_of(l, work) * (l->is_constant ? 2.0 : 1.0);
        if (score > most) {
            most = score;
            best = k;
        }
    }
    return best;
}

void lwi_locked_of(const lwi_arm *arm, lwi_ik_rows rows, int joint, double angle, double distance,
                   lwi_elimination *work, lwi_locked *l)
{
    for (int i = 0; i < arm->n && joint < 0; ++i) { // the last, the first, then the others
        lock_joint(arm, rows, i == 0 ? arm->n - 1 : i - 1, angle, distance, l);
        if (leaves_closed_form(l)) {
            return;
        }
    }
    if (joint < 0) {
        joint = most_regular(arm, rows, angle, distance, work, l);
    }
    lock_joint(arm, rows, joint, angle, distance, l);
    if (l->nrole > 1 || l->few.kind == LWI_FEW_ELIMINATION) {
        score_of(l, work);
    }
}

void lwi_locked_solve(const lwi_locked *l, const lw_pose *X, lwi_angle at, const lwi_angle *seed,
                      int role, lwi_elimination *work, lwi_candidates *out)
{
    lwi_angle start[LWI_ARM_JOINTS];
    for (int i = 0; i < l->arm.n - 1; ++i) {
        start[i] = seed[i < l->joint ? i : i + 1];
    }
    if (l->is_constant) {
        lw_pose E = motion_of(&l->arm, l->joint, at), target;
        E = lw_pose_inverse(&E);
        if (l->joint == 0) {
            target = lw_pose_mul(&E, X);
        } else {
            const lw_pose back = lw_pose_inverse(&l->arm.X_BT);
            target = lw_pose_mul(X, &back);
            target = lw_pose_mul(&target, &E);
            target = lw_pose_mul(&target, &l->arm.X_BT);
        }
        lwi_few_solve(&l->few, &target, start, l->role[role], work, out);
    } else {
        const lwi_arm others = lwi_arm_locked(&l->arm, l->joint, at);
        lwi_few few;
        lwi_few_of(&others, l->few.rows, l->few.angle, l->few.distance, &few);
        lwi_few_solve(&few, X, start, l->role[role], work, out);
    }
    for (int i = 0; i < out->count; ++i) {
        lwi_candidate *c = &out->at[i];
        const unsigned low = (1u << l->joint) - 1u;
        for (int k = l->arm.n - 1; k > l->joint; --k) {
            c->q[k] = c->q[k - 1];
        }
        c->q[l->joint] = at;
        c->undetermined = (c->undetermined & low) | (c->undetermined & ~low) << 1;
    }
}
