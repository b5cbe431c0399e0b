// Branches of inverse kinematics at the begin of a group: which there are, how far each can be
// followed, and whole revolutions of the one that is taken.

#include "planner.h"

#include "../math/pi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Whether whole revolutions of a joint change nothing: gears would wind what is before them.
static bool is_periodic(const lw_model *m, int v)
{
    for (int i = 0; i < m->nbody && m->nstep == 0; ++i) {
        if (m->v_start[i] == m->v_tree[v] && m->v_start[i + 1] > m->v_start[i]) {
            return m->carrier[i] == LW_TREE_REVOLUTE;
        }
    }
    return false;
}

static int compare(const void *a, const void *b)
{
    const lwi_branch *x = a, *y = b;
    if (x->distance != y->distance) {
        return x->distance < y->distance ? -1 : 1;
    }
    return (x->branch.index > y->branch.index) - (x->branch.index < y->branch.index);
}

static double distance_of(const lwi_planner *p, const double *q)
{
    double most = 0.0;
    for (int k = 0; k < p->n; ++k) {
        const double d = q[p->active[k].q] - p->q[p->active[k].q];
        const double rest = p->active[k].is_periodic ? remainder(d, LWI_TWO_PI) : d;
        most = fmax(most, fabs(rest));
    }
    return most;
}

// All solutions at a pose, the nearest first; the block behind them has their positions.
lw_status lwi_find_branches(lwi_planner *p, const lw_pose *X, lwi_branch **out, int *count)
{
    const lw_ik_target target = {.X_BT = *X};
    lw_ik_result found;
    *out = NULL;
    *count = 0;
    for (int k = 0; k < p->n; ++k) {
        p->active[k].is_periodic = is_periodic(p->m, p->active[k].v);
    }
    const lw_status status = lw_ik_solve(p->ik, &target, p->q, &found);
    if (status != LW_OK) {
        char text[300];
        lw_ik_message(p->ik, text, sizeof text);
        return lwi_plan_error(p, status, "%s", text);
    }
    const size_t nq = (size_t)p->m->nq, most = (size_t)found.nsolution + 1;
    lwi_branch *list = malloc(most * (sizeof *list + nq * sizeof(double)));
    if (!list) {
        return lwi_plan_no_memory(p);
    }
    double *q = (double *)(list + most);
    for (int i = 0; i < found.nsolution; ++i) {
        const lw_ik_solution *s = &found.solution[i];
        if (s->is_exact && s->is_same_assembly) {
            memcpy(q, s->q, nq * sizeof *q);
            list[(*count)++] = (lwi_branch){distance_of(p, q), s->branch, q};
            q += nq;
        }
    }
    qsort(list, (size_t)*count, sizeof *list, compare);
    *out = list;
    return LW_OK;
}

// What a branch ends with: a computation that has no answer is a singular configuration.
static lw_status failed_branch(lwi_planner *p, lw_status status, int at)
{
    const lwi_section none = {.move = p->info.move},
                      *section = at < p->nsection ? &p->section[at] : &none;
    if (status == LW_ERR_MEMORY || status == LW_ERR_LIMIT || status == LW_ERR_ARGUMENT) {
        p->move = section->move;
        return lwi_plan_error(p, status, "%s", lw_status_text(status));
    }
    if (status != LW_ERR_MOTION) {
        p->info.end = LW_TOOL_SINGULAR;
        p->info.move = section->move;
        p->info.position = section->begin;
    }
    return LW_ERR_MOTION;
}

// Follows all sections from a configuration.
lw_status lwi_try_branch(lwi_planner *p, const double *q, lw_ik_branch branch, bool winds)
{
    const lw_tool_motion_info before = p->info;
    lw_status status = LW_OK;
    int at = 0;
    p->info.branch = branch;
    memcpy(p->at, q, (size_t)p->m->nq * sizeof *q);
    for (int k = 0; k < p->n; ++k) {
        lwi_active *a = &p->active[k];
        a->is_periodic = winds && is_periodic(p->m, a->v);
        a->least = a->most = p->at[a->q];
        a->turn = 0.0;
    }
    lw_data_restart(p->d); // or Newton blocks would go on from where the last branch left them
    if (winds) {           // where it begins
        p->info.position = 0.0;
        p->info.move = p->best.move;
        status = lwi_plan_limits(p);
    }
    for (int i = 0; i < p->nsection && status == LW_OK; ++i) {
        if (p->section[i].nsegment > 0) {
            double end[LWI_ACTIVE];
            at = i;
            status = lwi_plan_follow(p, &p->section[i]);
            for (int k = 0; k < p->n; ++k) {
                end[k] = p->at[p->active[k].q];
            }
            status = status == LW_OK ? lwi_plan_slow(p, &p->section[i]) : status;
            for (int k = 0; k < p->n; ++k) {
                p->at[p->active[k].q] = end[k];
            }
        }
    }
    if (status != LW_OK) {
        status = failed_branch(p, status, at);
        const lw_tool_motion_info failed = p->info;
        p->info = before;
        if (status == LW_ERR_MOTION && failed.position >= p->best.position) {
            p->best = failed;
        }
    }
    return status;
}

// Revolutions that keep each joint within its limits, as near to where the motion is as can be.
void lwi_choose_turns(lwi_planner *p, const double *start)
{
    for (int k = 0; k < p->n; ++k) {
        lwi_active *a = &p->active[k];
        if (a->is_periodic) {
            const double slack = 1e-9;
            const double low = ceil((a->limits.lower - slack - a->least) / LWI_TWO_PI);
            const double high = floor((a->limits.upper + slack - a->most) / LWI_TWO_PI);
            const double nearest = nearbyint((p->q[a->q] - start[a->q]) / LWI_TWO_PI);
            a->turn = LWI_TWO_PI * fmin(fmax(nearest, low), high);
        }
    }
}

lw_status lwi_refuse_path(lwi_planner *p)
{
    const lw_tool_motion_info *info = &p->best;
    const char *name = info->dof >= 0 ? p->m->tree_velocity_name[info->dof] : "";
    char why[300], on[60] = "";
    switch (info->end) {
    case LW_TOOL_JOINT_LIMIT:
        snprintf(why, sizeof why, "\"%.150s\" would leave its limits", name);
        break;
    case LW_TOOL_SINGULAR:
        snprintf(why, sizeof why, "the configuration becomes singular%s%.150s%s",
                 *name ? ": \"" : "", name, *name ? "\" would have to move too fast" : "");
        break;
    case LW_TOOL_JOINT_FORCE:
        snprintf(why, sizeof why, "the force limit of \"%.150s\" is exceeded however slow it is",
                 name);
        break;
    default:
        snprintf(why, sizeof why, "the tool is out of reach");
    }
    if (info->nbranch > 1) {
        snprintf(on, sizeof on, ", on the best of %d branches", info->nbranch);
    }
    p->info = *info;
    p->move = info->move;
    return lwi_plan_error(p, LW_ERR_MOTION, "the path ends after %g of %g m%s: %s", info->position,
                          info->length, on, why);
}
