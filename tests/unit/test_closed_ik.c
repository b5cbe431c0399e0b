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
            // Newton blocks take their time from the reference, and may not get elsewhere.
            if (!r.solution[i].in_limits ||
                (s->ik->closed && s->ik->closed->has_blocks && n % 10)) {
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

static outcome run_states_of(lw_model *m, const char *name, const char *tip, lw_ik_task task,
                             double width, int count)
{
    solver s = begin(m, NULL, tip, task);
    check_case("%s", name);
    const outcome o = run_states(&s, task, width, count);
    CHECK(o.states > count / 4);
    CHECK_INT(o.elsewhere, 0);
    end(&s);
    return o;
}

static outcome run_model(const char *name, const char *tip, lw_ik_task task, double width,
                         int count)
{
    return run_states_of(shipped_model(name), name, tip, task, width, count);
}

// Its forearm is bent: neither along the upper arm nor across it.
TEST(D34_palletiser_with_a_bent_forearm)
{
    lw_model *m = shipped_model_with("closed/palletiser.xml", "<b xyz=\"1.3 0 0\"/>",
                                     "<b xyz=\"1.2 0 0.5\"/>");
    const outcome o = run_states_of(m, "bent palletiser", "flange", LW_IK_POSE, 3.0, 2000);
    CHECK_NEAR(o.worst, 0.0, 1e-13);
    CHECK_NEAR(o.residual, 0.0, 1e-11);
    CHECK_INT(o.most, 2);
}

TEST(D34_palletiser_every_branch_through_its_rods)
{
    const outcome o = run_model("closed/palletiser.xml", "flange", LW_IK_POSE, 3.0, 10000);
    CHECK_NEAR(o.worst, 0.0, 1e-13);
    CHECK_NEAR(o.residual, 0.0, 1e-11); // near dead centres the rods lose half the digits
    CHECK_INT(o.most, 2);
}

TEST(D34_excavator_cylinders_from_the_pose_of_its_bucket)
{
    const outcome o = run_model("closed/excavator.xml", "bucket.tip", LW_IK_POSE, 1.0, 10000);
    CHECK_NEAR(o.worst, 0.0, 1e-13);
    CHECK_NEAR(o.residual, 0.0, 1e-12);
    CHECK_INT(o.most, 8); // each cylinder may be of negative length, which its limits exclude
}

// Both motors turn both axes of the wrist: two equations for two unknown motors.
TEST(C06_a_differential_is_solved_at_its_motors)
{
    lw_model *m = shipped_model_with("closed/driven_wrist.xml", "<joint name=\"wrist\"",
                                     "<joint name=\"wrist\" dependent=\"true\"");
    const outcome o = run_states_of(m, "driven wrist", "flange", LW_IK_POSE, 1.0, 2000);
    CHECK_NEAR(o.worst, 0.0, 1e-9); // of motors that turn a hundred times as far as their joints
    CHECK_INT(o.most, 2);
}

TEST(C06_geared_wrists_are_solved_at_their_shafts)
{
    outcome o = run_model("closed/bendix.xml", "flange", LW_IK_POSE, 1.0, 10000);
    CHECK_NEAR(o.worst, 0.0, 1e-12);
    CHECK_INT(o.most, 2);
    o = run_model("closed/geared_wrist.xml", "flange", LW_IK_POSE, 1.0, 10000);
    CHECK_NEAR(o.worst, 0.0, 1e-12);
    o = run_model("closed/driven_wrist.xml", "flange", LW_IK_POSE, 1.0, 10000);
    CHECK_NEAR(o.worst, 0.0, 1e-12);
}

TEST(C15_five_bar_delta_and_stewart_platform_leg_by_leg)
{
    outcome o = run_model("closed/five_bar.xml", "left_forearm.tool", LW_IK_POSITION, 0.5, 10000);
    CHECK_NEAR(o.worst, 0.0, 1e-13);
    CHECK_NEAR(o.residual, 0.0, 1e-12);
    CHECK_INT(o.most, 4);
    o = run_model("closed/delta.xml", "tool", LW_IK_POSITION, 0.4, 10000);
    CHECK_NEAR(o.worst, 0.0, 1e-12);
    CHECK_NEAR(o.residual, 0.0, 1e-14);
    CHECK_INT(o.most, 8);
    o = run_model("closed/stewart.xml", "tool", LW_IK_POSE, 0.1, 10000);
    CHECK_NEAR(o.worst, 0.0, 1e-12);
    CHECK_NEAR(o.residual, 0.0, 1e-14);
    CHECK_INT(o.most, 64);
}

// The search on independent coordinates, which knows neither chains nor legs, finds nothing that
// the closed forms have not. The number of solutions that it found for all poses.
static int compare_with_search(const char *name, const char *tip, lw_ik_task task, double width)
{
    enum { POSES = 60 };
    solver s = begin(shipped_model(name), NULL, tip, task);
    lw_ik *search = NULL;
    lw_ik_def def = lw_default_ik_def(-1, s.tip);
    def.task = task;
    CHECK_INT(lw_ik_create(s.m, &def, &search, NULL), LW_OK);
    search->kind = LWI_IK_NUMERIC;
    check_case("%s", name);
    int found = 0;
    for (int n = 0; n < POSES; ++n) {
        lw_ik_result all, some;
        while (!draw_state(&s, width)) {
        }
        const lw_ik_target target = {.X_BT = s.X};
        CHECK_INT(lw_ik_solve(search, &target, NULL, &some), LW_OK);
        CHECK(some.nsolution > 0 && some.solution[0].is_exact);
        for (int i = 0; i < some.nsolution; ++i) {
            // From there, so that gears are wound alike.
            memcpy(s.q, some.solution[i].q, (size_t)s.m->nq * sizeof *s.q);
            CHECK_INT(lw_ik_solve(s.ik, &target, s.q, &all), LW_OK);
            CHECK_NEAR(nearest(&s), 0.0, 1e-5);
        }
        found += some.nsolution;
    }
    lw_ik_destroy(search);
    end(&s);
    return found;
}

TEST(K10_closed_forms_through_closures_miss_nothing_that_many_starts_find)
{
    CHECK(compare_with_search("closed/palletiser.xml", "flange", LW_IK_POSE, 1.0) >= 60);
    CHECK(compare_with_search("closed/excavator.xml", "bucket.tip", LW_IK_POSE, 0.5) >= 60);
    CHECK(compare_with_search("closed/five_bar.xml", "left_forearm.tool", LW_IK_POSITION, 0.5) >
          150); // of about three each
    CHECK(compare_with_search("closed/delta.xml", "tool", LW_IK_POSITION, 0.3) >= 60);
    CHECK(compare_with_search("closed/stewart.xml", "tool", LW_IK_POSE, 0.05) >= 60);
    CHECK(compare_with_search("closed/bendix.xml", "flange", LW_IK_POSE, 0.5) > 60);
}

TEST(K10_every_frame_of_every_closed_model_gives_back_its_coordinates)
{
    static const char *const names[] = {"andrews",    "bennett",    "bricard",   "four_bar",
                                        "stephenson", "watt",       "planetary", "four_bar_crossed",
                                        "excavator",  "palletiser", "five_bar",  "slider_crank"};
    int solved = 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        char path[64];
        snprintf(path, sizeof path, "closed/%s.xml", names[k]);
        lw_model *m = shipped_model(path);
        const int nframe = m->nframe;
        lw_model_destroy(m);
        for (int f = 0; f < nframe; ++f) {
            solver s = {.m = shipped_model(path), .base = -1, .tip = f};
            const lw_ik_def def = lw_default_ik_def(-1, f);
            check_case("%s, frame %s", names[k], s.m->frame[f].name);
            s.d = new_data(s.m);
            s.q = calloc((size_t)s.m->nq + 1, sizeof *s.q);
            if (lw_ik_create(s.m, &def, &s.ik, NULL) == LW_OK) {
                const outcome o = run_states(&s, LW_IK_POSE, 0.1, 20);
                CHECK_NEAR(o.residual, 0.0, 1e-8);
                CHECK_INT(o.elsewhere, 0);
                solved += o.states;
            }
            end(&s);
        }
    }
    CHECK(solved > 500);
}

// A turning column, an upper arm and a forearm that a crank on the column drives through a rod
// parallel to the upper arm.
static const char parallelogram[] =
    "<linkwork version='1' name='arm'><ground/>"
    "<joint name='turn' type='revolute' axis='0 0 1' from='ground' to='column'/>"
    "<link name='column' mass='9'><frame name='pivot' xyz='0.1 0 0.5'/></link>"
    "<joint name='shoulder' type='revolute' axis='0 1 0' from='column.pivot' to='upper'/>"
    "<link name='upper' mass='5'><frame name='elbow' xyz='0 0 0.8'/></link>"
    "<joint name='crank' type='revolute' axis='0 1 0' from='column.pivot' to='crank'/>"
    "<link name='crank' mass='1'><frame name='end' xyz='-0.2 0 0'/></link>"
    "<joint name='elbow' type='revolute' axis='0 1 0' from='upper.elbow' to='fore'"
    " dependent='true'/>"
    "<link name='fore' mass='3'><frame name='lever' xyz='-0.2 0 0'/>"
    "<frame name='tool' xyz='0.7 0 0'/></link>"
    "<rod name='rod' from='crank.end' to='fore.lever' length='0.8'/></linkwork>";

TEST(D34_parallelogram_arm_from_the_position_of_its_tool)
{
    solver s = begin(compile_text("arm.xml", parallelogram, NULL), NULL, "tool", LW_IK_POSITION);
    const outcome o = run_states(&s, LW_IK_POSITION, 0.7, 10000);
    CHECK(o.states > 9000);
    CHECK_NEAR(o.worst, 0.0, 1e-8); // a crank in line with its rod
    CHECK_INT(o.elsewhere, 0);
    CHECK(o.most >= 2);
    CHECK_INT(lw_ik_describe(s.ik)->ndriven, 1);
    CHECK_TEXT(s.m->position_name[lw_ik_describe(s.ik)->driven[0]], "crank");
    end(&s);
}

// Three columns with a carriage each, two rods to the platform.
static lw_model *linear_delta(void)
{
    char text[8192];
    size_t n = 0;
    const char *const head = "<linkwork version='1' name='linear_delta'><ground/>"
                             "<joint name='platform' type='free' from='ground' to='platform'"
                             " dependent='true'><dof name='vz' reference='-0.8'/></joint>"
                             "<link name='platform' mass='1'>";
    n += (size_t)snprintf(text + n, sizeof text - n, "%s", head);
    for (int i = 0; i < 3; ++i) {
        const double c = cos(2.0943951023931953 * i), s = sin(2.0943951023931953 * i);
        for (int k = -1; k < 2; k += 2) {
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "<frame name='p%d%d' xyz='%.17g %.17g 0'/>", i, k + 1,
                                  0.06 * c - 0.05 * k * s, 0.06 * s + 0.05 * k * c);
        }
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "</link>");
    for (int i = 0; i < 3; ++i) {
        const double c = cos(2.0943951023931953 * i), s = sin(2.0943951023931953 * i);
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "<joint name='c%d' type='prismatic' axis='0 0 1' from='ground'"
                              " to='carriage%d' lower='-1' upper='0.4'/>"
                              "<link name='carriage%d' mass='1'>",
                              i, i, i);
        for (int k = -1; k < 2; k += 2) {
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "<frame name='e%d' xyz='%.17g %.17g 0'/>", k + 1,
                                  0.36 * c - 0.05 * k * s, 0.36 * s + 0.05 * k * c);
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "</link>");
        for (int k = 0; k < 3; k += 2) {
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "<rod name='r%d%d' from='carriage%d.e%d' to='platform.p%d%d'"
                                  " length='0.8'/>",
                                  i, k, i, k, i, k);
        }
    }
    snprintf(text + n, sizeof text - n, "</linkwork>");
    return compile_text("linear_delta.xml", text, NULL);
}

TEST(C15_delta_with_carriages_instead_of_arms)
{
    solver s = begin(linear_delta(), NULL, "platform", LW_IK_POSITION);
    const outcome o = run_states(&s, LW_IK_POSITION, 0.2, 2000);
    CHECK(o.states > 1000);
    CHECK_NEAR(o.worst, 0.0, 1e-12);
    CHECK_INT(o.most, 8); // the platform below or above each carriage
    end(&s);
}

// Two motors share bend and roll of a wrist by a differential; a second finger mimics the first;
// a lever follows its motor by a cubic.
static const char differential[] =
    "<linkwork version='1' name='wrist'><ground/>"
    "<joint name='m1' type='revolute' axis='0 1 0' from='ground' to='w1'/>"
    "<link name='w1' mass='1'><frame name='wheel' xyz='0 0.05 0'/></link>"
    "<joint name='m2' type='revolute' axis='0 1 0' from='ground' to='w2'/>"
    "<link name='w2' mass='1'><frame name='wheel' xyz='0 -0.05 0'/></link>"
    "<joint name='bend' type='revolute' axis='0 1 0' from='ground' to='cage' dependent='true'/>"
    "<link name='cage' mass='1'/>"
    "<joint name='roll' type='revolute' axis='1 0 0' from='cage' to='hand' dependent='true'/>"
    "<link name='hand' mass='1'><frame name='wheel' xyz='0.05 0 0'/>"
    "<frame name='tip' xyz='0.3 0.1 0'/></link>"
    "<gear name='g1' type='bevel' first='w1.wheel' second='hand.wheel' teeth='20 20'/>"
    "<gear name='g2' type='bevel' first='w2.wheel' second='hand.wheel' teeth='20 20'/>"
    "</linkwork>";

TEST(C06_a_differential_is_mapped_back_by_two_rows_at_once)
{
    solver s = begin(compile_text("wrist.xml", differential, NULL), NULL, "tip", LW_IK_POSE);
    const outcome o = run_states(&s, LW_IK_POSE, 1.0, 2000);
    CHECK_INT(o.states, 2000);
    CHECK_NEAR(o.worst, 0.0, 1e-12);
    CHECK_INT(lw_ik_describe(s.ik)->ndriven, 2);
    end(&s);
}

static const char lawful[] =
    "<linkwork version='1' name='lever'><ground/>"
    "<joint name='motor' type='revolute' axis='0 0 1' from='ground' to='shaft' xyz='0 0.2 0'"
    " lower='-1.5' upper='1.5'/><link name='shaft' mass='1'/>"
    "<joint name='lever' type='revolute' axis='0 0 1' from='ground' to='lever'/>"
    "<link name='lever' mass='1'><frame name='tip' xyz='0.4 0 0'/></link>"
    "<coupling name='law' joint='lever' of='motor' polynomial='0 0.5 0 0.2'/>"
    "</linkwork>";

TEST(C06_a_law_is_mapped_back_by_its_roots)
{
    solver s = begin(compile_text("lever.xml", lawful, NULL), NULL, "tip", LW_IK_POSE);
    const outcome o = run_states(&s, LW_IK_POSE, 1.4, 2000);
    CHECK_INT(o.states, 2000);
    CHECK_NEAR(o.worst, 0.0, 1e-12);
    end(&s);
}

TEST(C15_arm_of_a_rover_leaves_its_rockers_and_wheels_alone)
{
    solver s = begin(shipped_model("rover/rover.xml"), "body", "imager", LW_IK_POSE);
    const lw_model *m = s.m;
    double seed[64];
    for (int n = 0; n < 10000; ++n) {
        lw_ik_result r;
        CHECK(draw_state(&s, 0.5));
        const lw_ik_target target = {.X_BT = s.X};
        // The arm begins elsewhere; what else there is stays.
        memcpy(seed, s.q, (size_t)m->nq * sizeof *seed);
        const lw_ik_info *info = lw_ik_describe(s.ik);
        for (int i = 0; i < info->njoint; ++i) {
            seed[info->position[i]] = m->q_reference[info->position[i]];
        }
        CHECK_INT(lw_ik_solve(s.ik, &target, seed, &r), LW_OK);
        CHECK_NEAR(nearest(&s), 0.0, 1e-7);
        for (int i = 0; i < r.nsolution; ++i) {
            for (int k = 0; k < info->njoint; ++k) {
                seed[info->position[k]] = r.solution[i].q[info->position[k]];
            }
            CHECK(memcmp(seed, r.solution[i].q, (size_t)m->nq * sizeof *seed) == 0);
        }
    }
    end(&s);
}

TEST(C15_tasks_with_fewer_rows_keep_what_they_leave_open)
{
    lw_ik_result r;
    // A Stewart platform keeps its orientation where a position is asked for.
    solver s = begin(shipped_model("closed/stewart.xml"), NULL, "tool", LW_IK_POSITION);
    double seed[6];
    while (!draw_state(&s, 0.05)) {
    }
    memcpy(seed, s.q, sizeof seed);
    lw_pose X = s.X;
    X.p.x += 0.02;
    X.p.z -= 0.01;
    lw_ik_target target = {.X_BT = {lw_mat3_identity(), X.p}};
    CHECK_INT(lw_ik_solve(s.ik, &target, seed, &r), LW_OK);
    CHECK(r.nwithin > 0);
    CHECK(lw_ik_nearest(s.ik, seed, LW_IK_LARGEST_CHANGE, NULL, s.q) >= 0);
    lw_pose Y;
    CHECK(pose_at(&s, s.q, &Y) && apart(&X, &Y, LW_IK_POSE) < 1e-10);
    end(&s);
    // A palletiser keeps the angle of its hand, an excavator that of its bucket.
    s = begin(shipped_model("closed/palletiser.xml"), NULL, "flange", LW_IK_POSITION);
    CHECK(draw_state(&s, 0.5));
    target.X_BT = s.X;
    CHECK_INT(lw_ik_solve(s.ik, &target, s.q, &r), LW_OK);
    CHECK_NEAR(nearest(&s), 0.0, 1e-10);
    end(&s);
    s = begin(shipped_model("closed/excavator.xml"), NULL, "bucket.tip", LW_IK_POSITION);
    CHECK(draw_state(&s, 0.2));
    target.X_BT = s.X;
    CHECK_INT(lw_ik_solve(s.ik, &target, s.q, &r), LW_OK);
    CHECK_NEAR(nearest(&s), 0.0, 1e-10);
    end(&s);
}

// A search through gears may meet several solutions: the info does not promise fewer. A chain of
// four joints of which three determine the position, with a joint that follows another.
TEST(K10_the_number_of_solutions_is_at_most_what_the_info_states)
{
    static const char text[] =
        "<linkwork version='1' name='coupled'><ground/>"
        "<joint name='a' type='revolute' axis='0 0 1' from='ground' to='l1'/><link name='l1'/>"
        "<joint name='b' type='revolute' axis='0 1 0' from='l1' to='l2' xyz='0 0 0.4'/>"
        "<link name='l2'/>"
        "<joint name='c' type='revolute' axis='0 1 0' from='l2' to='l3' xyz='0.5 0 0'/>"
        "<link name='l3'/>"
        "<joint name='d' type='revolute' axis='1 0 0' from='l3' to='l4' xyz='0.3 0 0'/>"
        "<link name='l4'><frame name='tool' xyz='0.1 0.1 0'/></link>"
        "<coupling name='k' joint='d' of='c' polynomial='0 0.5'/></linkwork>";
    solver s = begin(compile_text("coupled.xml", text, NULL), NULL, "tool", LW_IK_POSITION);
    int most = 0;
    CHECK_INT(lw_ik_describe(s.ik)->method, LW_IK_NUMERIC);
    for (int n = 0; n < 20; ++n) {
        lw_ik_result r;
        while (!draw_state(&s, 1.0)) {
        }
        const lw_ik_target target = {.X_BT = s.X};
        CHECK_INT(lw_ik_solve(s.ik, &target, NULL, &r), LW_OK);
        CHECK(r.nsolution <= lw_ik_describe(s.ik)->most_solutions);
        most = r.nsolution > most ? r.nsolution : most;
    }
    CHECK(most > 1);
    end(&s);
}

// Where a joint of a closed chain is held, exact solutions and the nearest one have its value.
TEST(C15_a_held_joint_of_a_closed_chain_keeps_its_value)
{
    lw_model *m = shipped_model("closed/palletiser.xml");
    solver s = begin(m, NULL, "flange", LW_IK_POSITION);
    lw_ik_def def = lw_default_ik_def(-1, s.tip);
    def.task = LW_IK_POSITION;
    def.redundancy = LW_IK_HOLD;
    def.hold = lw_find_position(m, "R5");
    lw_ik *held = NULL;
    CHECK_INT(lw_ik_create(m, &def, &held, NULL), LW_OK);
    for (int n = 0; n < 20; ++n) {
        lw_ik_result r;
        while (!draw_state(&s, 0.5)) {
        }
        lw_ik_target target = {.X_BT = s.X, .has_redundancy = n % 2 == 0, .redundancy = 0.1 * n};
        target.X_BT.p.x += n % 4 == 3 ? 5.0 : 0.0;
        const double want = n % 2 == 0 ? 0.1 * n : s.q[def.hold];
        CHECK_INT(lw_ik_solve(held, &target, s.q, &r), LW_OK);
        CHECK(r.nsolution > 0 && r.solution[0].is_exact == (n % 4 != 3));
        for (int i = 0; i < r.nsolution; ++i) {
            CHECK_NEAR(r.solution[i].q[def.hold], want, 1e-15);
        }
    }
    lw_ik_destroy(held);
    end(&s);
}

// A solution is of the same assembly exactly where forward kinematics of fresh data leads from its
// independent coordinates to the target.
static void check_assembly(const char *name, lw_ik_task task, double width, int poses)
{
    solver s = begin(shipped_model(name), NULL, "tool", task);
    s.ik->def.ignores_limits = true;
    int same = 0, all = 0;
    for (int n = 0; n < poses; ++n) {
        lw_ik_result r;
        while (!draw_state(&s, width)) {
        }
        const lw_ik_target target = {.X_BT = s.X};
        CHECK_INT(lw_ik_solve(s.ik, &target, NULL, &r), LW_OK);
        check_case("%s, pose %d", name, n);
        for (int i = 0; i < r.nsolution; ++i) {
            lw_pose X;
            lw_data_restart(s.d);
            const bool is_reached =
                pose_at(&s, r.solution[i].q, &X) && apart(&X, &s.X, LW_IK_POSE) < 1e-6;
            CHECK(r.solution[i].is_same_assembly == is_reached);
            same += r.solution[i].is_same_assembly;
            ++all;
        }
    }
    CHECK(same >= poses && same < all);
    end(&s);
}

TEST(C15_what_the_forward_model_reaches_is_of_the_same_assembly)
{
    check_assembly("closed/delta.xml", LW_IK_POSITION, 0.4, 40);
    check_assembly("closed/stewart.xml", LW_IK_POSE, 0.1, 10);
}

// Also where a search ends behind a singular configuration, seen from the reference: a leg of a
// platform that is to reach far beyond its own length.
TEST(C15_out_of_reach_there_is_always_a_nearest_configuration)
{
    solver s = begin(shipped_model("closed/stewart.xml"), NULL, "leg4.b", LW_IK_POSE);
    for (int n = 0; n < 4; ++n) {
        lw_ik_result r;
        memcpy(s.q, s.m->q_reference, (size_t)s.m->nq * sizeof *s.q);
        s.q[3] += 0.004133085217326915 * (1 + n);
        CHECK(pose_at(&s, s.q, &s.X));
        lw_ik_target target = {.X_BT = s.X};
        target.X_BT.p.x = 9.7050636740174827 - n;
        check_case("target %d", n);
        CHECK_INT(lw_ik_solve(s.ik, &target, s.q, &r), LW_OK);
        if (CHECK_INT(r.nsolution, 1)) {
            CHECK(isfinite(r.solution[0].residual) && !r.solution[0].is_exact);
            CHECK(r.distance == r.solution[0].residual);
        }
    }
    end(&s);
}

TEST(C15_degrees_of_freedom_are_those_of_the_tip)
{
    static const struct {
        const char *name, *tip;
        int dof;
    } cases[] = {{"closed/palletiser.xml", "flange", 4}, {"closed/delta.xml", "tool", 3},
                 {"closed/stewart.xml", "tool", 6},      {"closed/five_bar.xml", "tool", 2},
                 {"closed/excavator.xml", "tip", 4},     {"closed/bendix.xml", "flange", 3},
                 {"closed/four_bar.xml", "coupler", 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        solver s = begin(shipped_model(cases[k].name), NULL, cases[k].tip, LW_IK_POSE);
        check_case("%s", cases[k].name);
        CHECK_INT(lw_ik_describe(s.ik)->dof, cases[k].dof);
        end(&s);
    }
}

TEST(C15_out_of_reach_names_the_leg_and_the_gap)
{
    char text[200];
    lw_ik_result r;
    solver s = begin(shipped_model("closed/delta.xml"), NULL, "tool", LW_IK_POSITION);
    // Straight below, rods of 0.7 m and arms of 0.3 m reach down to 1 m less what they lean.
    lw_ik_target target = {.X_BT = {lw_mat3_identity(), {0.0, 0.0, -1.25}}};
    CHECK_INT(lw_ik_solve(s.ik, &target, NULL, &r), LW_OK);
    CHECK_INT(r.nsolution, 1);
    CHECK(!r.solution[0].is_exact && isfinite(r.solution[0].residual));
    CHECK(r.distance > 0.1 && r.distance < 1.0);
    CHECK(r.open_loop >= 0);
    // The arm straight down the rod's direction: the distance of the rod's ends less their lengths.
    const double lean = 0.2 - 0.05, down = 1.25 - 0.05;
    CHECK_NEAR(r.gap, hypot(lean, down) - 1.0, 1e-12);
    lw_ik_message(s.ik, text, sizeof text);
    CHECK_HAS(text, "out of reach: loop \"left1\" stays open by 0.209");
    // To the side two legs are too short, and the one whose plane the target is farther from is
    // named: the other one for the mirrored target.
    target.X_BT.p = lw_vec3_of(0.75, 0.1, -0.65);
    CHECK_INT(lw_ik_solve(s.ik, &target, NULL, &r), LW_OK);
    CHECK_TEXT(s.m->loop[r.open_loop].name, "left2");
    const double gap = r.gap;
    target.X_BT.p.y = -0.1;
    CHECK_INT(lw_ik_solve(s.ik, &target, NULL, &r), LW_OK);
    CHECK_TEXT(s.m->loop[r.open_loop].name, "left3");
    CHECK_NEAR(r.gap, gap, 1e-12);
    // Tilted, which no delta can be.
    end(&s);
    s = begin(shipped_model("closed/delta.xml"), NULL, "tool", LW_IK_POSE);
    target.X_BT = (lw_pose){lw_rotation_rpy(0.2, 0.0, 0.0), {0.0, 0.0, -0.65}};
    CHECK_INT(lw_ik_solve(s.ik, &target, NULL, &r), LW_OK);
    CHECK_INT(r.nsolution, 1);
    CHECK(!r.solution[0].is_exact);
    CHECK_NEAR(r.distance, 0.2, 0.05);
    end(&s);
    // A palletiser cannot tilt its hand either.
    s = begin(shipped_model("closed/palletiser.xml"), NULL, "flange", LW_IK_POSE);
    CHECK(draw_state(&s, 0.3));
    const lw_mat3 tilt = lw_rotation_rpy(0.1, 0.0, 0.0);
    target.X_BT = (lw_pose){lw_mul3(&s.X.R, &tilt), s.X.p};
    CHECK_INT(lw_ik_solve(s.ik, &target, NULL, &r), LW_OK);
    CHECK(r.nsolution == 1 && !r.solution[0].is_exact);
    CHECK_NEAR(r.distance, 0.1, 0.02);
    end(&s);
}

TEST(C15_limits_and_bad_numbers_have_their_messages)
{
    char text[300];
    lw_ik_result r;
    solver s = begin(shipped_model("closed/stewart.xml"), NULL, "tool", LW_IK_POSE);
    lw_ik_target target = {.X_BT = {lw_mat3_identity(), {0.0, 0.0, 0.3}}};
    CHECK_INT(lw_ik_solve(s.ik, &target, NULL, &r), LW_OK);
    CHECK_INT(r.nwithin, 0);
    CHECK(r.nsolution > 1 && (r.limits & 1u << LW_IK_JOINTS) != 0);
    lw_ik_message(s.ik, text, sizeof text);
    CHECK_HAS(text, "leg1 must be within 0.5 and 0.95");
    target.X_BT.p.x = (double)NAN;
    CHECK_INT(lw_ik_solve(s.ik, &target, NULL, &r), LW_ERR_NUMBER);
    target.X_BT.p.x = 0.0;
    target.X_BT.R.row[0].x = 2.0;
    CHECK_INT(lw_ik_solve(s.ik, &target, NULL, &r), LW_ERR_ARGUMENT);
    double seed[6] = {(double)INFINITY, 0, 0, 0, 0, 0};
    target.X_BT.R = lw_mat3_identity();
    CHECK_INT(lw_ik_solve(s.ik, &target, seed, &r), LW_ERR_NUMBER);
    // A frame of the ground moves against nothing.
    lw_report *report = new_report();
    lw_ik *none = NULL;
    const lw_ik_def def = lw_default_ik_def(-1, lw_find_frame(s.m, "foot1"));
    CHECK(lw_ik_create(s.m, &def, &none, report) == LW_ERR_ARGUMENT && !none);
    lw_report_destroy(report);
    end(&s);
}

int main(void)
{
    RUN(D34_palletiser_every_branch_through_its_rods);
    RUN(D34_palletiser_with_a_bent_forearm);
    RUN(D34_excavator_cylinders_from_the_pose_of_its_bucket);
    RUN(C06_a_differential_is_solved_at_its_motors);
    RUN(C06_geared_wrists_are_solved_at_their_shafts);
    RUN(C15_five_bar_delta_and_stewart_platform_leg_by_leg);
    RUN(K10_closed_forms_through_closures_miss_nothing_that_many_starts_find);
    RUN(K10_every_frame_of_every_closed_model_gives_back_its_coordinates);
    RUN(D34_parallelogram_arm_from_the_position_of_its_tool);
    RUN(C15_delta_with_carriages_instead_of_arms);
    RUN(C06_a_differential_is_mapped_back_by_two_rows_at_once);
    RUN(C06_a_law_is_mapped_back_by_its_roots);
    RUN(C15_arm_of_a_rover_leaves_its_rockers_and_wheels_alone);
    RUN(C15_tasks_with_fewer_rows_keep_what_they_leave_open);
    RUN(K10_the_number_of_solutions_is_at_most_what_the_info_states);
    RUN(C15_a_held_joint_of_a_closed_chain_keeps_its_value);
    RUN(C15_what_the_forward_model_reaches_is_of_the_same_assembly);
    RUN(C15_out_of_reach_there_is_always_a_nearest_configuration);
    RUN(C15_degrees_of_freedom_are_those_of_the_tip);
    RUN(C15_out_of_reach_names_the_leg_and_the_gap);
    RUN(C15_limits_and_bad_numbers_have_their_messages);
    return REPORT();
}
