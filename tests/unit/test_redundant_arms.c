// Arms with seven joints: the swivel angle or a joint is given, samples and feasible arcs of the
// redundancy (K08, K10, C06).
#include "arm_newton.h"
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "random_arm.h"
#include "random_mech.h"
#include "reference.h"

#include "ik/locked.h"
#include "ik/swivel.h"

#include <linkwork/ik.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static lwi_elimination workspace;

// Seven random axes; the first and the last ones meet where asked.
static lwi_arm random_arm(bool has_shoulder, bool has_wrist)
{
    lwi_arm arm = random_axes(7);
    if (has_shoulder) {
        arm.c[1] = arm.c[2] = arm.c[0];
    }
    if (has_wrist) {
        arm.c[5] = arm.c[6] = arm.c[4];
    }
    return arm;
}

static double nearest(const lwi_candidates *list, const lwi_angle *q)
{
    double best = (double)INFINITY;
    for (int i = 0; i < list->count; ++i) {
        best = fmin(best, joints_apart(7, list->at[i].q, q));
    }
    return best;
}

static const lw_vec3 down = {0, 0, -1}, sideways = {0, 1, 0};

TEST(K10_arms_with_shoulder_elbow_and_wrist_are_solved_for_any_swivel_angle)
{
    for (int n = 0; n < 400; ++n) {
        const lwi_arm arm = random_arm(true, true);
        const lwi_swivel s = lwi_swivel_of(&arm, n % 2, down, sideways, 1e-9, 1e-9);
        lwi_angle q[7], seed[7];
        lwi_candidates list;
        random_joints(&arm, q);
        random_joints(&arm, seed);
        check_case("arm %d", n);
        CHECK(s.is_one);
        const lw_pose X = lwi_arm_pose(&arm, q);
        lwi_swivel_solve(&s, &X, lwi_swivel_angle(&s, q), seed, &list);
        CHECK(nearest(&list, q) < 1e-7);
        // Axes are skew, so that not every swivel angle has solutions; those that are have it.
        const double angle = check_random(-PI, PI);
        lwi_swivel_solve(&s, &X, angle, seed, &list);
        for (int i = 0; i < list.count; ++i) {
            if (arm_residual(&arm, LWI_ROWS_POSE, &X, list.at[i].q, 1.0) < 1e-10) {
                const double off = lwi_swivel_angle(&s, list.at[i].q) - angle;
                CHECK(fabs(remainder(off, 2.0 * PI)) < 1e-7);
            }
        }
    }
}

// The other solutions for a swivel angle or a held joint: by Newton's method from many starts.
TEST(K10_a_held_joint_leaves_all_solutions_of_the_others)
{
    for (int n = 0; n < 21; ++n) {
        const int joint = n % 7;
        const lwi_arm arm = random_arm(n % 3 == 0, n % 3 == 1);
        lwi_locked l;
        lwi_locked_of(&arm, LWI_ROWS_POSE, joint, 1e-9, 1e-9, &workspace, &l);
        lwi_angle q[7], start[7];
        lwi_candidates all = {.count = 0}, list;
        random_joints(&arm, q);
        const lw_pose X = lwi_arm_pose(&arm, q);
        for (int role = 0; role < l.nrole; ++role) {
            lwi_locked_solve(&l, &X, q[joint], q, role, &workspace, &list);
            for (int i = 0; i < list.count; ++i) {
                lwi_candidate *c = &list.at[i];
                CHECK(c->q[joint].s == q[joint].s && c->q[joint].c == q[joint].c);
                const double r = arm_refine(&arm, LWI_ROWS_POSE, &X, 1.0, 1u << joint, 8, c->q);
                if (r < 1e-11 && nearest(&all, c->q) > 1e-6) {
                    *lwi_next_candidate(&all) = *c;
                }
            }
        }
        check_case("joint %d, arm %d", joint, n);
        CHECK(nearest(&all, q) < 1e-7);
        for (int k = 0; k < 100; ++k) {
            random_joints(&arm, start);
            start[joint] = q[joint];
            if (arm_refine(&arm, LWI_ROWS_POSE, &X, 1.0, 1u << joint, 60, start) < 1e-11) {
                CHECK(nearest(&all, start) < 1e-6);
            }
        }
    }
}

// An arm of the iiwa type.
static lwi_arm upright_arm(void)
{
    static const double height[8] = {0.34, 0.34, 0.74, 0.74, 1.14, 1.14, 1.14, 1.266};
    lwi_arm arm = {.n = 7, .X_BT = lw_pose_identity()};
    for (int i = 0; i < 7; ++i) {
        arm.h[i] = i % 2 ? lw_vec3_of(0, 1, 0) : lw_vec3_of(0, 0, 1);
        arm.c[i] = lw_vec3_of(0, 0, height[i]);
    }
    arm.X_BT.p.z = height[7];
    return arm;
}

// An elbow whose axis passes through the shoulder or the wrist changes no distance: no swivel arm,
// but a joint can be held.
TEST(K10_an_elbow_that_changes_no_distance_has_no_swivel_angle)
{
    for (int n = 0; n < 2; ++n) {
        lwi_arm arm = upright_arm();
        CHECK(lwi_swivel_of(&arm, false, down, sideways, 1e-9, 1e-9).is_one);
        arm.c[3] = n == 0 ? arm.c[0] : arm.c[4];
        CHECK(!lwi_swivel_of(&arm, false, down, sideways, 1e-9, 1e-9).is_one);
    }
}

// Stretched or nearly so: every candidate reaches the pose before any refinement.
TEST(K10_stretched_arms_reach_their_poses)
{
    static const double bend[] = {0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3, -1e-4};
    const lwi_arm arm = upright_arm();
    const lwi_swivel s = lwi_swivel_of(&arm, false, down, sideways, 1e-9, 1e-9);
    for (int n = 0; n < 80; ++n) {
        lwi_angle q[7];
        lwi_candidates list;
        random_joints(&arm, q);
        q[3] = angle_of(bend[n % 8]);
        const lw_pose X = lwi_arm_pose(&arm, q);
        lwi_swivel_solve(&s, &X, lwi_swivel_angle(&s, q), q, &list);
        check_case("elbow at %g, arm %d", bend[n % 8], n);
        CHECK(list.count > 0);
        for (int i = 0; i < list.count; ++i) {
            CHECK(arm_residual(&arm, LWI_ROWS_POSE, &X, list.at[i].q, 1.0) < 1e-13);
        }
        // The error of the elbow is that of a cosine, over its sine.
        CHECK(n % 8 < 4 || nearest(&list, q) < 1e-13 / fabs(bend[n % 8]));
    }
}

TEST(K10_singular_poses_keep_the_seed_with_a_joint_held)
{
    int kept = 0;
    for (int n = 0; n < 40; ++n) {
        lwi_arm arm = random_arm(false, true);
        lwi_angle q[7], seed[7];
        lwi_candidates list;
        arm.h[6] = arm.h[4]; // in line at zero of joint 6
        random_joints(&arm, q);
        random_joints(&arm, seed);
        q[5] = angle_of(0.0);
        lwi_locked l;
        lwi_locked_of(&arm, LWI_ROWS_POSE, n % 4, 1e-9, 1e-9, &workspace, &l);
        const lw_pose X = lwi_arm_pose(&arm, q);
        lwi_locked_solve(&l, &X, q[n % 4], seed, 0, &workspace, &list);
        bool is_there = false;
        for (int i = 0; i < list.count; ++i) {
            const lwi_candidate *c = &list.at[i];
            if (c->undetermined == 1u << 4 && c->q[4].s == seed[4].s &&
                arm_residual(&arm, LWI_ROWS_POSE, &X, c->q, 1.0) < 1e-7) {
                is_there = true;
            }
        }
        kept += is_there;
    }
    // Where the joints before the wrist are badly determined their rounding decides about joint 5.
    CHECK(kept >= 36);
}

// An arm that is off by some tenths of a degree and some millimetres has the branches of the exact
// one.
TEST(K10_calibrated_arms_with_seven_joints_keep_their_branches)
{
    for (int n = 0; n < 40; ++n) {
        lwi_arm arm = upright_arm();
        lwi_angle q[7];
        lwi_candidates list, all = {.count = 0};
        for (int i = 0; i < 7; ++i) {
            q[i] = angle_of(check_random(0.4, 1.4));
        }
        const lwi_swivel exact = lwi_swivel_of(&arm, false, down, sideways, 1e-9, 1e-9);
        const lw_pose X = lwi_arm_pose(&arm, q);
        lwi_swivel_solve(&exact, &X, lwi_swivel_angle(&exact, q), q, &list);
        CHECK_INT(list.count, 8);
        for (int i = 0; i < 7; ++i) {
            arm.h[i] = lw_unit3(lw_add3(arm.h[i], lw_scale3(3e-3, random_vector())));
            arm.c[i] = lw_add3(arm.c[i], lw_scale3(1e-3, random_vector()));
        }
        const lwi_swivel near = lwi_swivel_of(&arm, false, down, sideways, 2e-2, 1e-2);
        check_case("arm %d", n);
        CHECK(!lwi_swivel_of(&arm, false, down, sideways, 1e-9, 1e-9).is_one && near.is_one);
        CHECK(near.margin > 0.0);
        lwi_candidates first = list;
        lwi_swivel_solve(&near, &X, lwi_swivel_angle(&near, q), q, &list);
        for (int i = 0; i < list.count; ++i) {
            lwi_candidate *c = &list.at[i];
            CHECK(arm_refine(&arm, LWI_ROWS_POSE, &X, 1.0, 0, 8, c->q) < 1e-12);
            CHECK(nearest(&all, c->q) > 0.1 && nearest(&first, c->q) < 0.1);
            *lwi_next_candidate(&all) = *c;
        }
        CHECK_INT(all.count, 8);
    }
}

static lw_ik *solver_of(const lw_model *m, const char *base, const char *tip,
                        lw_ik_redundancy redundancy, int hold, bool ignores_limits)
{
    lw_ik *ik = NULL;
    lw_ik_def def = lw_default_ik_def(lw_find_frame(m, base), lw_find_frame(m, tip));
    def.redundancy = redundancy;
    def.hold = hold;
    def.ignores_limits = ignores_limits;
    def.is_certain = true;
    CHECK_INT(lw_ik_create(m, &def, &ik, NULL), LW_OK);
    return ik;
}

static double change(const lw_ik_info *info, const double *a, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < info->njoint; ++i) {
        worst = fmax(worst, fabs(remainder(a[info->position[i]] - b[info->position[i]], 2.0 * PI)));
    }
    return worst;
}

static bool has_solution(const lw_ik *ik, const lw_ik_result *r, const double *q, double tolerance)
{
    for (int i = 0; i < r->nsolution; ++i) {
        if (r->solution[i].is_exact &&
            change(lw_ik_describe(ik), r->solution[i].q, q) <= tolerance) {
            return true;
        }
    }
    return false;
}

// Every row of the file, with the redundancy that it gives.
static int check_oracles(const char *name, const char *value, lw_ik_redundancy redundancy, int hold)
{
    json_t *file = reference_read("ik_oracles.json");
    const json_t *entry, *pose, *row;
    size_t i, k, n;
    int poses = 0;
    char path[300];
    snprintf(path, sizeof path, "models/urdf_ik/%s.urdf", name);
    lw_model *m = file ? shared_model(path, false) : NULL;
    lw_ik *ik = m ? solver_of(m, "base", "tool", redundancy, hold, true) : NULL;
    json_array_foreach(json_object_get(file, "arms"), i, entry)
    {
        if (!ik || strcmp(json_string_value(json_object_get(entry, "name")), name) != 0) {
            continue;
        }
        json_array_foreach(json_object_get(entry, "poses"), k, pose)
        {
            double R[9], p[3], q[7];
            reference_numbers(json_object_get(pose, "R"), R, 9);
            reference_numbers(json_object_get(pose, "p"), p, 3);
            const lw_ik_target target = {
                .X_BT = {{{{R[0], R[1], R[2]}, {R[3], R[4], R[5]}, {R[6], R[7], R[8]}}},
                         {p[0], p[1], p[2]}},
                .has_redundancy = true,
                .redundancy = json_number_value(json_object_get(pose, value))};
            const json_t *rows = json_object_get(pose, "solutions");
            lw_ik_result r;
            check_case("%s, pose %zu", name, k);
            CHECK_INT(lw_ik_solve(ik, &target, NULL, &r), LW_OK);
            CHECK_INT(r.nsolution, (long long)json_array_size(rows));
            for (int j = 0; j < r.nsolution; ++j) {
                CHECK(r.solution[j].residual <= 1e-12);
            }
            json_array_foreach(rows, n, row)
            {
                reference_numbers(json_is_array(row) ? row : json_object_get(row, "q"), q, 7);
                CHECK(has_solution(ik, &r, q, 1e-8));
            }
            ++poses;
        }
    }
    CHECK(!ik || lw_ik_describe(ik)->method == LW_IK_CLOSED_FORM);
    lw_ik_destroy(ik);
    lw_model_destroy(m);
    json_decref(file);
    return poses;
}

TEST(K10_seven_joint_arms_of_the_oracles)
{
    const int one = check_oracles("iiwa14", "swivel", LW_IK_SWIVEL, -1),
              two = check_oracles("panda", "q7", LW_IK_HOLD, 6);
    CHECK((one == 5 && two == 6) || (one == 0 && two == 0));
}

// Whichever redundancy is chosen, its value in a configuration gives the configuration back.
static void check_model(const lw_model *m, const char *base, const char *tip, int poses)
{
    for (int hold = -1; hold < 7; ++hold) {
        lw_ik *ik = solver_of(m, base, tip, LW_IK_FREE, -1, true);
        if (!ik) {
            return;
        }
        if (hold >= 0) {
            const int position = lw_ik_describe(ik)->position[hold];
            lw_ik_destroy(ik);
            ik = solver_of(m, base, tip, LW_IK_HOLD, position, true);
        }
        const lw_ik_info *info = lw_ik_describe(ik);
        lw_data *d = new_data(m);
        double q[64];
        CHECK(info->method != LW_IK_NUMERIC && info->nstep > 0);
        for (int n = 0; n < poses && d && m->nq <= 64; ++n) {
            lw_ik_target target = {.has_redundancy = false};
            lw_ik_result r;
            memcpy(q, m->q_reference, sizeof(double) * (size_t)m->nq);
            for (int i = 0; i < 7; ++i) {
                q[info->position[i]] = check_random(-PI, PI);
            }
            CHECK_INT(lw_forward_position(m, d, q), LW_OK);
            CHECK_INT(
                lw_relative_pose(m, d, lw_find_frame(m, base), lw_find_frame(m, tip), &target.X_BT),
                LW_OK);
            // The redundancy is that of the seed.
            check_case("%s to %s, joint %d held, pose %d", base, tip, hold, n);
            CHECK_INT(lw_ik_solve(ik, &target, q, &r), LW_OK);
            CHECK(has_solution(ik, &r, q, 1e-6));
        }
        lw_data_destroy(d);
        lw_ik_destroy(ik);
    }
}

TEST(C06_seven_joint_models_give_back_their_configurations)
{
    static const char *const models[][3] = {
        {"urdf_arms/kuka_iiwa7.urdf", "iiwa_link_0", "iiwa_link_ee"},
        {"urdf_arms/schunk_lwa4d.urdf", "world", "arm_ee_link"},
        {"urdf_arms/motoman_sia20d.urdf", "base_link", "tool0"},
        {"urdf_arms/flexiv_rizon4.urdf", "base_link", "flange"},
        {"urdf/panda.urdf", "panda_link0", "panda_link8"},
        {"urdf/baxter.urdf", "base", "right_hand"}};
    lw_model *m = compile_file(LINKWORK_SOURCE_DIR "/models/panda_class.xml", false);
    if (m) {
        check_model(m, "ground", "link7.flange", 20);
    }
    lw_model_destroy(m);
    for (size_t i = 0; i < sizeof models / sizeof *models; ++i) {
        char path[300];
        snprintf(path, sizeof path, "models/%s", models[i][0]);
        m = shared_model(path, false);
        if (m) {
            check_model(m, models[i][1], models[i][2], 4);
        }
        lw_model_destroy(m);
    }
}

// An arm of the iiwa type; limits in degrees.
static const char *const arm_text =
    "<linkwork version=\"1\" name=\"srs\" angle=\"degree\"><ground/>"
    "<joint name=\"j1\" type=\"revolute\" axis=\"0 0 1\" from=\"ground\" to=\"l1\" xyz=\"0 0 0.34\""
    " lower=\"-170\" upper=\"170\"/><link name=\"l1\"/>"
    "<joint name=\"j2\" type=\"revolute\" axis=\"0 1 0\" from=\"l1\" to=\"l2\" lower=\"-120\""
    " upper=\"120\"/><link name=\"l2\"/>"
    "<joint name=\"j3\" type=\"revolute\" axis=\"0 0 1\" from=\"l2\" to=\"l3\" xyz=\"0 0 0.4\""
    " lower=\"-170\" upper=\"170\"/><link name=\"l3\"/>"
    "<joint name=\"j4\" type=\"revolute\" axis=\"0 -1 0\" from=\"l3\" to=\"l4\" lower=\"-120\""
    " upper=\"120\"/><link name=\"l4\"/>"
    "<joint name=\"j5\" type=\"revolute\" axis=\"0 0 1\" from=\"l4\" to=\"l5\" xyz=\"0 0 0.4\""
    " lower=\"-170\" upper=\"170\"/><link name=\"l5\"/>"
    "<joint name=\"j6\" type=\"revolute\" axis=\"0 1 0\" from=\"l5\" to=\"l6\" lower=\"-120\""
    " upper=\"120\"/><link name=\"l6\"/>"
    "<joint name=\"j7\" type=\"revolute\" axis=\"0 0 1\" from=\"l6\" to=\"l7\" lower=\"-175\""
    " upper=\"175\"/><link name=\"l7\"><frame name=\"tool\" xyz=\"0 0 0.126\"/></link></linkwork>";

// Membership in an arc is what solving at the value says, and ends are where a joint is at its
// limit.
static void check_arcs(lw_ik *ik, const lw_ik_target *at, int values)
{
    lw_ik_arc arc[128];
    int count = 0, inside = 0;
    CHECK_INT(lw_ik_arcs(ik, at, NULL, 128, arc, &count), LW_OK);
    lw_ik_samples samples = {.count = values};
    lw_ik_target target = *at;
    lw_ik_result r;
    while (lw_ik_next_sample(ik, &target, NULL, &samples, &r)) {
        unsigned bits = 0, want = 0;
        bool is_close = false;
        for (int i = 0; i < count; ++i) {
            const double x = target.redundancy, a = arc[i].from, b = arc[i].to;
            const bool is_in = (x > a && x < b) || (x + 2 * PI > a && x + 2 * PI < b);
            const int key =
                9 * arc[i].branch.shoulder + 3 * arc[i].branch.elbow + arc[i].branch.wrist + 13;
            want |= is_in ? 1u << key : 0u;
            is_close = is_close || fabs(remainder(x - a, 2 * PI)) < 1e-7 ||
                       fabs(remainder(x - b, 2 * PI)) < 1e-7;
            CHECK(a < b);
        }
        for (int i = 0; i < r.nsolution; ++i) {
            const lw_ik_solution *s = &r.solution[i];
            if (s->is_exact && s->in_limits) {
                bits |= 1u << (9 * s->branch.shoulder + 3 * s->branch.elbow + s->branch.wrist + 13);
                ++inside;
            }
        }
        if (!is_close) {
            CHECK_INT(bits, want);
        }
    }
    CHECK_INT(samples.next, values);
    CHECK(count > 0 || inside == 0);
}

static lw_pose reachable_pose(const lw_model *m, lw_data *d, const lw_ik_info *info, int base,
                              int tip)
{
    double q[16];
    lw_pose X = lw_pose_identity();
    memcpy(q, m->q_reference, sizeof(double) * (size_t)m->nq);
    for (int i = 0; i < 7; ++i) {
        q[info->position[i]] = check_random(-2, 2);
    }
    CHECK_INT(lw_forward_position(m, d, q), LW_OK);
    CHECK_INT(lw_relative_pose(m, d, base, tip, &X), LW_OK);
    return X;
}

TEST(K08_arcs_of_the_swivel_angle_are_where_all_joints_are_within_their_limits)
{
    lw_mech *mech = NULL;
    lw_model *m = compile_text("srs", arm_text, &mech);
    lw_data *d = m ? new_data(m) : NULL;
    lw_ik *ik = m ? solver_of(m, "ground", "l7.tool", LW_IK_SWIVEL, -1, false) : NULL;
    for (int n = 0; n < 20 && d && ik; ++n) {
        const lw_ik_target target = {.X_BT = reachable_pose(m, d, lw_ik_describe(ik),
                                                            lw_find_frame(m, "ground"),
                                                            lw_find_frame(m, "l7.tool"))};
        check_case("pose %d", n);
        check_arcs(ik, &target, 360);
    }
    lw_ik_destroy(ik);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

TEST(K08_arcs_of_a_held_joint_are_found_by_samples_and_bisection)
{
    lw_model *m = compile_file(LINKWORK_SOURCE_DIR "/models/panda_class.xml", false);
    lw_data *d = m ? new_data(m) : NULL;
    lw_ik *ik = m ? solver_of(m, "ground", "link7.flange", LW_IK_FREE, -1, false) : NULL;
    for (int n = 0; n < 3 && d && ik; ++n) {
        lw_ik_arc arc[64];
        int count = 0;
        const lw_ik_info *info = lw_ik_describe(ik);
        const lw_ik_target target = {.X_BT = reachable_pose(m, d, info, lw_find_frame(m, "ground"),
                                                            lw_find_frame(m, "link7.flange"))};
        check_case("pose %d", n);
        CHECK_INT(lw_ik_arcs(ik, &target, NULL, 64, arc, &count), LW_OK);
        for (int i = 0; i < count; ++i) {
            lw_ik_target at = target;
            at.has_redundancy = true;
            lw_ik_result r;
            for (int k = 1; k < 4; ++k) { // well inside
                bool is_there = false;
                at.redundancy = arc[i].from + 0.25 * k * (arc[i].to - arc[i].from);
                CHECK_INT(lw_ik_solve(ik, &at, NULL, &r), LW_OK);
                for (int j = 0; j < r.nsolution; ++j) {
                    const lw_ik_branch *b = &r.solution[j].branch;
                    is_there = is_there ||
                               (r.solution[j].in_limits && b->shoulder == arc[i].branch.shoulder &&
                                b->elbow == arc[i].branch.elbow && b->wrist == arc[i].branch.wrist);
                }
                CHECK(is_there);
            }
        }
    }
    lw_ik_destroy(ik);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(K08_a_redundancy_that_the_chain_does_not_have_is_refused)
{
    lw_model *m = compile_file(LINKWORK_SOURCE_DIR "/models/panda_class.xml", false);
    lw_model *six = compile_file(LINKWORK_SOURCE_DIR "/models/puma560.xml", false);
    lw_ik *ik = NULL;
    if (!m || !six) {
        CHECK(false);
        return;
    }
    lw_ik_def def = lw_default_ik_def(lw_find_frame(m, "ground"), lw_find_frame(m, "link7.flange"));
    def.redundancy = LW_IK_SWIVEL; // shoulder of three axes, but no such wrist
    CHECK_INT(lw_ik_create(m, &def, &ik, NULL), LW_ERR_UNSUPPORTED);
    CHECK(!ik);
    def.redundancy = LW_IK_HOLD; // a finger
    def.hold = m->nq - 1;
    CHECK_INT(lw_ik_create(m, &def, &ik, NULL), LW_ERR_ARGUMENT);
    lw_ik_target target = {.X_BT = lw_pose_identity()};
    lw_ik_samples samples = {.count = 4};
    lw_ik_result r;
    int count;
    def = lw_default_ik_def(-1, six->nframe - 1);
    if (CHECK(lw_ik_create(six, &def, &ik, NULL) == LW_OK)) {
        CHECK_INT(lw_ik_arcs(ik, &target, NULL, 0, NULL, &count), LW_ERR_UNSUPPORTED);
        CHECK(!lw_ik_next_sample(ik, &target, NULL, &samples, &r));
    }
    lw_ik_destroy(ik);
    lw_model_destroy(six);
    lw_model_destroy(m);
}

TEST(K10_a_held_joint_keeps_its_value_out_of_reach)
{
    lw_model *m = compile_file(LINKWORK_SOURCE_DIR "/models/panda_class.xml", false);
    lw_ik_def def = lw_default_ik_def(-1, lw_find_frame(m, "hand"));
    def.redundancy = LW_IK_HOLD;
    def.hold = lw_find_position(m, "joint7");
    def.ignores_limits = true;
    lw_ik *ik = NULL;
    CHECK_INT(lw_ik_create(m, &def, &ik, NULL), LW_OK);
    // Within reach, but for no configuration in which the last joint is there.
    lw_ik_target target = {.has_redundancy = true, .redundancy = 2.5};
    target.X_BT.R = lw_rotation_quat((lw_quat){0, 1, 0, 0});
    target.X_BT.p = lw_vec3_of(0.4, 0.1, 0.5);
    lw_ik_result result;
    CHECK_INT(lw_ik_solve(ik, &target, NULL, &result), LW_OK);
    CHECK_INT(result.nsolution, 1);
    CHECK(!result.solution[0].is_exact && result.distance > 1e-3);
    CHECK_NEAR(result.solution[0].q[def.hold], 2.5, 1e-15);
    CHECK_NEAR(result.redundancy, 2.5, 1e-15);
    CHECK_INT(lw_ik_describe(ik)->redundancy, LW_IK_HOLD);
    CHECK_INT(lw_ik_describe(ik)->held, 6);
    lw_ik_destroy(ik);
    lw_model_destroy(m);
}

// Nothing gives the redundancy, and its value in the seed has no solution: others have, and their
// solutions have the labels of the closed form.
TEST(K10_a_redundancy_that_is_free_takes_a_value_with_solutions)
{
    lw_model *m = compile_file(LINKWORK_SOURCE_DIR "/models/panda_class.xml", false);
    const int tip = lw_find_frame(m, "hand");
    lw_ik_def def = lw_default_ik_def(-1, tip), held = def;
    held.redundancy = LW_IK_HOLD;
    held.hold = lw_find_position(m, "joint7");
    lw_data *d = new_data(m);
    lw_ik *free_ik = NULL, *held_ik = NULL;
    CHECK_INT(lw_ik_create(m, &def, &free_ik, NULL), LW_OK);
    CHECK_INT(lw_ik_create(m, &held, &held_ik, NULL), LW_OK);
    int without = 0;
    for (int n = 0; n < 200; ++n) {
        double q[9] = {0.0}, seed[9] = {0.0};
        for (int i = 0; i < 7; ++i) {
            q[i] = check_random(m->dof[i].lower, m->dof[i].upper);
            seed[i] = check_random(m->dof[i].lower, m->dof[i].upper);
        }
        lw_ik_target target = {.has_redundancy = false};
        lw_ik_result r;
        CHECK_INT(lw_pose_of_frame(m, d, q, tip, &target.X_BT), LW_OK);
        CHECK_INT(lw_ik_solve(held_ik, &target, seed, &r), LW_OK);
        if (r.distance == 0.0) {
            continue;
        }
        ++without;
        check_case("pose %d", n);
        CHECK_INT(lw_ik_solve(free_ik, &target, seed, &r), LW_OK);
        CHECK(r.nsolution > 1 && r.distance == 0.0);
        for (int i = 0; i < r.nsolution; ++i) {
            CHECK_NEAR(r.solution[i].q[held.hold], r.redundancy, 1e-12);
            CHECK(r.solution[i].branch.shoulder != 0);
        }
    }
    CHECK(without > 20);
    lw_ik_destroy(held_ik);
    lw_ik_destroy(free_ik);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(K10_arms_with_shoulder_elbow_and_wrist_are_solved_for_any_swivel_angle);
    RUN(K10_a_held_joint_leaves_all_solutions_of_the_others);
    RUN(K10_an_elbow_that_changes_no_distance_has_no_swivel_angle);
    RUN(K10_stretched_arms_reach_their_poses);
    RUN(K10_singular_poses_keep_the_seed_with_a_joint_held);
    RUN(K10_calibrated_arms_with_seven_joints_keep_their_branches);
    RUN(K10_seven_joint_arms_of_the_oracles);
    RUN(C06_seven_joint_models_give_back_their_configurations);
    RUN(K10_a_redundancy_that_is_free_takes_a_value_with_solutions);
    RUN(K10_a_held_joint_keeps_its_value_out_of_reach);
    RUN(K08_arcs_of_the_swivel_angle_are_where_all_joints_are_within_their_limits);
    RUN(K08_arcs_of_a_held_joint_are_found_by_samples_and_bisection);
    RUN(K08_a_redundancy_that_the_chain_does_not_have_is_refused);
    return REPORT();
}
