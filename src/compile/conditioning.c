// The assembled reference configuration: the mechanism a little way from there, how well each step
// is conditioned, and which joints are far from where the description puts them.
#include "close.h"

#include "../base/report.h"
#include "../loop/closed_form_loops.h"
#include "../math/pi.h"

#include <stdio.h>
#include <string.h>

lw_status lwi_make_probe(lwi_build *b, unsigned long long seed, lwi_probe *p)
{
    const size_t n = (size_t)b->tree_nv;
    int *target = lwi_arena_take(b->arena, n, sizeof *target);
    int *target_q = lwi_arena_take(b->arena, n, sizeof *target_q);
    int *target_body = lwi_arena_take(b->arena, n, sizeof *target_body);
    *p = (lwi_probe){0};
    p->change = lwi_arena_take(b->arena, n, sizeof *p->change);
    p->q = lwi_arena_take(b->arena, (size_t)b->tree_nq, sizeof *p->q);
    if (!target || !target_q || !target_body || !p->change || !p->q) {
        return lwi_build_no_memory(b);
    }
    unsigned long long state = seed;
    for (int v = 0; v < b->tree_nv; ++v) {
        if (!b->is_target[v]) {
            const int t = p->moving.ntarget++;
            target[t] = v;
            target_q[t] = lwi_q_of_v(b, v);
            target_body[t] = lwi_body_of_v(b, v);
            state = state * 6364136223846793005u + 1442695040888963407u;
            const double share = (double)(state >> 33) / 2147483648.0; // in [0, 1)
            p->change[t] = (state >> 40) & 1 ? 0.5 + 0.5 * share : -0.5 - 0.5 * share;
            p->change[t] *= b->unit[v];
        }
    }
    p->moving.target = target;
    p->moving.target_q = target_q;
    p->moving.target_body = target_body;
    return LW_OK;
}

int lwi_probe_at(lwi_build *b, const lwi_program *program, const lwi_loop_work *work,
                 const lwi_probe *p, double reach)
{
    memcpy(p->q, b->tree_q_reference, (size_t)b->tree_nq * sizeof *p->q);
    lwi_move_targets(&b->draft, &p->moving, p->change, 1, reach, b->tree_q_reference, p->q);
    int k = 0;
    for (; k < b->nstep; ++k) {
        lwi_closure_fault fault = LWI_NO_FAULT;
        if (lwi_step_position(&b->draft, program, &b->step[k].step, work, p->q, &fault) != LW_OK) {
            break;
        }
    }
    return k;
}

// --- Conditioning -----------------------------------------------------------------------------

// Beyond this a joint of the step turns a thousand times as far as its loops ask of the best one,
// and a configuration that differs by a thousandth may not close.
static const double poor = 1e3;

static lw_status warn_of_condition(lwi_build *b, const lwi_built_step *built)
{
    char better[400];
    const double condition = built->step.condition;
    const lw_status status = lwi_better_dependents(b, &built->step, better, sizeof better);
    if (status != LW_OK) {
        return status;
    }
    char advice[500] = "give another reference configuration";
    if (better[0]) {
        snprintf(advice, sizeof advice, "%s as dependent joints would do better", better);
    }
    if (condition > poor) {
        lwi_report_warning(b->report, built->location, LW_DIAG_LOOP_CONDITION,
                           "loop \"%s\" is close to a singular configuration in the reference: the "
                           "condition number of its dependent joints is %.2g; %s",
                           built->name, condition, advice);
    } else {
        lwi_report_warning(b->report, built->location, LW_DIAG_LOOP_SINGULAR,
                           "loop \"%s\" is singular or cannot be closed within %g rad of the "
                           "reference; %s",
                           built->name, LWI_NEARBY, advice);
    }
    return LW_OK;
}

lw_status lwi_judge_steps(lwi_build *b, const lwi_program *program, const lwi_loop_work *work)
{
    lw_status status = LW_OK;
    bool is_any = false;
    for (int k = 0; k < b->nstep; ++k) {
        lwi_step *step = &b->step[k].step;
        if (lwi_has_condition(step)) {
            step->condition =
                lwi_step_condition(&b->draft, program, step, work, b->tree_q_reference);
            step->condition_near = step->condition;
            is_any = true;
        }
    }
    for (int i = 0; i < LWI_MOST_NEAR && is_any && status == LW_OK; ++i) {
        lwi_probe p;
        status = lwi_make_probe(b, 1 + (unsigned long long)i, &p);
        const int reached =
            status == LW_OK ? lwi_probe_at(b, program, work, &p, LWI_NEARBY) : b->nstep;
        for (int k = 0; k <= reached && k < b->nstep && status == LW_OK; ++k) {
            lwi_step *step = &b->step[k].step;
            const bool is_open = k == reached;
            if (lwi_has_condition(step)) {
                const double own = is_open
                                       ? (double)INFINITY
                                       : lwi_step_condition(&b->draft, program, step, work, p.q);
                step->condition_near = fmax(step->condition_near, own);
            }
        }
    }
    for (int k = 0; k < b->nstep && status == LW_OK; ++k) {
        if (lwi_has_condition(&b->step[k].step) && b->step[k].step.condition_near > poor) {
            status = warn_of_condition(b, &b->step[k]);
        }
    }
    return status;
}

// --- Joints that moved ------------------------------------------------------------------------

// A description gives dependent joints roughly; what is further off than this is likely a slip, or
// another branch than the one meant.
static const double far = 0.5; // rad, or a share of the loop's size

void lwi_warn_of_moves(lwi_build *b, const double *given)
{
    for (int v = 0; v < b->tree_nv; ++v) {
        const int at = lwi_q_of_v(b, v);
        const lwi_built_joint *joint = &b->joint[b->body[lwi_body_of_v(b, v)].joint];
        if (at < 0 || given[at] == 0.0 || joint->flat < 0 || joint->info.is_shaft) {
            continue; // zero is what a description has that says nothing
        }
        const double used = b->tree_q_reference[at], moved = used - given[at];
        const bool is_slide = lwi_is_slide(b, v);
        const double way = is_slide ? moved / b->unit[v] : remainder(moved, LWI_TWO_PI);
        if (!(fabs(way) > far)) {
            continue;
        }
        const double degree = 360.0 / LWI_TWO_PI;
        char text[100];
        if (is_slide) {
            snprintf(text, sizeof text, "%.4g m is given, and %.4g m", given[at], used);
        } else {
            snprintf(text, sizeof text, "%.4g rad (%.4g deg) is given, and %.4g rad (%.4g deg)",
                     given[at], degree * given[at], used, degree * used);
        }
        lwi_report_warning(b->report, b->flat[joint->flat].location, LW_DIAG_REFERENCE_MOVED,
                           "joint \"%s\": its loops do not close near its reference: %s is used",
                           b->tree_v_name[v], text);
    }
}
