// Inverse kinematics through closures (C06, C15, D34, K10): palletiser, excavator, geared wrists,
// parallelograms and parallel robots, against the forward model.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include "ik/closed_chain.h"
#include "loop/closed_form_loops.h"

#include <linkwork/ik.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct solver {
    lw_model *m;
    lw_data *d;
    lw_ik *ik;
    int base, tip;
    double *q; // the generating configuration
    lw_pose X; // and its pose
} solver;

static solver begin(lw_model *m, const char *base, const char *tip, lw_ik_task task)
{
    solver s = {.m = m, .d = new_data(m), .base = -1};
    s.tip = lw_find_frame(m, tip);
    s.base = base ? lw_find_frame(m, base) : -1;
    lw_ik_def def = lw_default_ik_def(s.base, s.tip);
    def.task = task;
    lw_report *report = new_report();
    CHECK_INT(lw_ik_create(m, &def, &s.ik, report), LW_OK);
    if (!s.ik) {
        print_diagnostics(report);
    }
    lw_report_destroy(report);
    s.q = calloc((size_t)m->nq + 1, sizeof *s.q);
    return s;
}

static void end(solver *s)
{
    lw_ik_destroy(s->ik);
    free(s->q);
    lw_data_destroy(s->d);
    lw_model_destroy(s->m);
}

static bool pose_at(solver *s, const double *q, lw_pose *X)
{
    lw_pose X_WT, X_WB = lw_pose_identity();
    if (lw_pose_of_frame(s->m, s->d, q, s->tip, &X_WT) != LW_OK ||
        (s->base >= 0 && lw_pose_of_frame(s->m, s->d, q, s->base, &X_WB) != LW_OK)) {
        return false;
    }
    const lw_pose back = lw_pose_inverse(&X_WB);
    *X = lw_pose_mul(&back, &X_WT);
    return true;
}

static double apart(const lw_pose *X, const lw_pose *Y, lw_ik_task task)
{
    const lw_mat3 back = lw_transpose3(&X->R), R = lw_mul3(&back, &Y->R);
    const double turned = task == LW_IK_POSITION ? 0.0 : lw_norm3(lw_log3(&R));
    return fmax(lw_norm3(lw_sub3(X->p, Y->p)), turned);
}

// A configuration within the limits that closes, at most `width` from the reference.
static bool draw_state(solver *s, double width)
{
    const lw_model *m = s->m;
    lw_data_restart(s->d);
    memcpy(s->q, m->q_reference, (size_t)m->nq * sizeof *s->q);
    for (int k = 0; k < m->nv; ++k) {
        const int at = lw_position_of_dof(m, k);
        if (at >= 0) {
            const lw_dof *dof = &m->dof[m->v_tree[k]];
            const double x = m->q_reference[at];
            s->q[at] = check_random(fmax(dof->lower, x - width), fmin(dof->upper, x + width));
        }
    }
    return pose_at(s, s->q, &s->X);
}

// How far the nearest solution is from the generating configuration, windings included.
static double nearest(const solver *s)
{
    double q[32], worst = 0.0;
    if (lw_ik_nearest(s->ik, s->q, LW_IK_LARGEST_CHANGE, NULL, q) < 0) {
        return (double)INFINITY;
    }
    for (int k = 0; k < s->m->nq; ++k) {
        worst = fmax(worst, fabs(q[k] - s->q[k]));
    }
    return worst;
}

typedef struct outcome {
    int states, most;       // states drawn, and the largest number of solutions
    double worst, residual; // nearest solution to the generating q; largest residual
    double forward;         // largest distance of a solution's pose by the forward model
    int elsewhere;          // solutions that the forward model puts elsewhere
} outcome;

static outcome run_states(solver *s, lw_ik_task task, double width, int count)
{
    outcome o = {0};
    for (int n = 0; n < count && s->ik; ++n) {
        lw_ik_result r;
        if (!draw_state(s, width)) {
            continue;
        }
        const lw_ik_target target = {.X_BT = s->X};
        ++o.states;
        CHECK_INT(lw_ik_solve(s->ik, &target, NULL, &r), LW_OK);
        o.most = r.nsolution > o.most ? r.nsolution : o.most;
        o.worst = fmax(o.worst, nearest(s));
        for (int i = 0; i < r.nsolution; ++i) {
            lw_pose X;
            o.residual = fmax(o.residual, r.solution[i].residual);
            if (!r.solution[i].in_limits) {
                continue;
            }
            lw_data_restart(s->d);
            const bool is_closed = pose_at(s, r.solution[i].q, &X);
            const double off = is_closed ? apart(&X, &s->X, task) : (double)INFINITY;
            o.elsewhere += !(off <= 1e-7);
            o.forward = off <= 1e-7 ? fmax(o.forward, off) : o.forward;
        }
    }
    return o;
}

static outcome run_model(const char *name, const char *tip, lw_ik_task task, double width,
                         int count)
{
    solver s = begin(shipped_model(name), NULL, tip, task);
    check_case("%s", name);
    const outcome o = run_states(&s, task, width, count);
    if (getenv("SHOW")) {
        printf(
            "%s: %d states, most %d, q off %.2g, residual %.2g, forward %.2g, elsewhere %d, %s\n",
            name, o.states, o.most, o.worst, o.residual, o.forward, o.elsewhere,
            s.ik ? lw_ik_describe(s.ik)->class_name : "");
    }
    CHECK(o.states > count / 4);
    end(&s);
    return o;
}

TEST(D34_palletiser_every_branch_through_its_rods)
{
    const outcome o = run_model("closed/palletiser.xml", "flange", LW_IK_POSE, 3.0, 10000);
    CHECK_NEAR(o.worst, 0.0, 1e-8);
    CHECK_INT(o.elsewhere, 0);
}

TEST(D34_excavator_cylinders_from_the_pose_of_its_bucket)
{
    const outcome o = run_model("closed/excavator.xml", "bucket.tip", LW_IK_POSE, 1.0, 10000);
    CHECK_NEAR(o.worst, 0.0, 1e-8);
    CHECK_INT(o.elsewhere, 0);
}

TEST(C06_geared_wrists)
{
    outcome o = run_model("closed/bendix.xml", "flange", LW_IK_POSE, 1.0, 10000);
    CHECK_NEAR(o.worst, 0.0, 1e-7);
    o = run_model("closed/geared_wrist.xml", "flange", LW_IK_POSE, 1.0, 10000);
    CHECK_NEAR(o.worst, 0.0, 1e-7);
    o = run_model("closed/driven_wrist.xml", "flange", LW_IK_POSE, 1.0, 10000);
    CHECK_NEAR(o.worst, 0.0, 1e-7);
}

TEST(C15_parallel_robots)
{
    outcome o = run_model("closed/five_bar.xml", "left_forearm.tool", LW_IK_POSITION, 0.5, 10000);
    CHECK_NEAR(o.worst, 0.0, 1e-8);
    CHECK_INT(o.elsewhere, 0);
    o = run_model("closed/delta.xml", "tool", LW_IK_POSITION, 0.4, 1000);
    CHECK_NEAR(o.worst, 0.0, 1e-9);
    o = run_model("closed/stewart.xml", "tool", LW_IK_POSE, 0.1, 1000);
    CHECK_NEAR(o.worst, 0.0, 1e-9);
}

int main(void)
{
    RUN(D34_palletiser_every_branch_through_its_rods);
    RUN(D34_excavator_cylinders_from_the_pose_of_its_bucket);
    RUN(C06_geared_wrists);
    RUN(C15_parallel_robots);
    return REPORT();
}
