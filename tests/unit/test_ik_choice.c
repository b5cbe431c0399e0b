// Inverse kinematics by lw_ik: which of the solutions is taken, by seed, weights and limits, and
// what is refused (K10, C15).
#include "check.h"
#include "ik_arm.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"

#include <linkwork/ik.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static const char *const arms[][3] = {{"puma560.xml", "ground", "tool.flange"},
                                      {"ur5_class.xml", "ground", "wrist_3.tool"}};

static bool is_within(const ik_arm *a, const double *q)
{
    for (int k = 0; k < a->m->nv; ++k) {
        const lw_dof *dof = &a->m->dof[a->m->v_tree[k]];
        if (q[k] < dof->lower - 1e-8 || q[k] > dof->upper + 1e-8) {
            return false;
        }
    }
    return true;
}

static double largest_change(const double *a, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < 6; ++i) {
        worst = fmax(worst, fabs(a[i] - b[i]));
    }
    return worst;
}

// Every combination of whole turns within the limits, each once; the nearest of all of them.
TEST(K10_windings_and_the_nearest_solution_are_those_of_a_search)
{
    for (int k = 0; k < 2; ++k) {
        ik_arm a = open_ik_arm(arms[k][0], arms[k][1], arms[k][2]);
        for (int n = 0; n < 20; ++n) {
            double q[6], q0[6], w[6], near[6], least = (double)INFINITY;
            lw_ik_result r;
            random_ik_position(&a, q);
            random_ik_position(&a, q0);
            const lw_ik_target target = ik_target_at(&a, q);
            CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_OK);
            int within = 0;
            check_case("%s, pose %d", arms[k][0], n);
            for (int i = 0; i < r.nsolution; ++i) {
                long count = 0, expected = 1, cursor = 0;
                bool is_possible = true;
                for (int j = 0; j < 6; ++j) {
                    const lw_dof *dof = &a.m->dof[a.m->v_tree[j]];
                    int turns = 0;
                    for (int t = -4; t <= 4; ++t) {
                        const double x = r.solution[i].q[j] + 2.0 * PI * t;
                        turns += x >= dof->lower - 1e-9 && x <= dof->upper + 1e-9;
                    }
                    expected *= turns;
                    is_possible = is_possible && turns > 0;
                }
                CHECK(r.solution[i].in_limits == is_possible);
                within += is_possible;
                while (lw_ik_next_winding(a.ik, i, &cursor, w)) {
                    ++count;
                    CHECK(!is_possible || is_within(&a, w));
                    CHECK(ik_apart(lw_ik_describe(a.ik), w, r.solution[i].q) < 1e-12);
                    least = is_possible ? fmin(least, largest_change(w, q0)) : least;
                }
                CHECK(!is_possible || count == expected);
                CHECK_INT(count, lw_ik_winding_count(a.ik, i));
            }
            CHECK_INT(r.nwithin, within);
            const int best = lw_ik_nearest(a.ik, q0, LW_IK_LARGEST_CHANGE, NULL, near);
            CHECK((best >= 0) == (within > 0));
            if (best >= 0) {
                CHECK_NEAR(largest_change(near, q0), least, 1e-12);
                CHECK(is_within(&a, near));
            }
        }
        close_ik_arm(&a);
    }
}

TEST(K10_weights_decide_which_solution_is_nearest)
{
    ik_arm a = open_ik_arm("ur5_class.xml", "ground", "wrist_3.tool");
    double q[6] = {0.3, -1.2, 1.1, -0.7, 0.9, 0.4}, q0[6], one[6], two[6], weight[6];
    lw_ik_result r;
    const lw_ik_target target = ik_target_at(&a, q);
    CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_OK);
    int changed = 0;
    for (int n = 0; n < 50; ++n) {
        random_ik_position(&a, q0);
        for (int i = 0; i < 6; ++i) {
            weight[i] = i == n % 6 ? 100.0 : 0.01;
        }
        const int first = lw_ik_nearest(a.ik, q0, LW_IK_SUM_OF_SQUARES, NULL, one),
                  second = lw_ik_nearest(a.ik, q0, LW_IK_SUM_OF_SQUARES, weight, two);
        CHECK(first >= 0 && second >= 0);
        CHECK(fabs(two[n % 6] - q0[n % 6]) <= fabs(one[n % 6] - q0[n % 6]) + 1e-12);
        changed += first != second;
    }
    CHECK(changed > 10);
    close_ik_arm(&a);
}

// A common factor of the weights changes nothing, though their squares overflow or vanish; numbers
// that are not finite are refused.
TEST(K10_the_nearest_solution_does_not_depend_on_the_scale_of_the_weights)
{
    static const lw_ik_metric metrics[] = {LW_IK_LARGEST_CHANGE, LW_IK_SUM_OF_SQUARES};
    static const double factors[] = {1e300, -1e300, 1e-300, 1.5e308};
    ik_arm a = open_ik_arm("ur5_class.xml", "ground", "wrist_3.tool");
    double q[6] = {0.3, -1.2, 1.1, -0.7, 0.9, 0.4}, q0[6], one[6], two[6], weight[6];
    lw_ik_result r;
    const lw_ik_target target = ik_target_at(&a, q);
    CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_OK);
    for (int n = 0; n < 80; ++n) {
        const lw_ik_metric metric = metrics[n % 2];
        random_ik_position(&a, q0);
        check_case("factor %g, metric %d", factors[n % 4], n % 2);
        for (int i = 0; i < 6; ++i) {
            weight[i] = factors[n % 4];
        }
        const int first = lw_ik_nearest(a.ik, q0, metric, NULL, one);
        CHECK(first >= 0);
        CHECK_INT(lw_ik_nearest(a.ik, q0, metric, weight, two), first);
        CHECK(memcmp(one, two, sizeof one) == 0);
        weight[n % 6] = n % 3 == 0 ? (double)NAN : (double)INFINITY;
        CHECK_INT(lw_ik_nearest(a.ik, q0, metric, weight, two), -1);
    }
    q0[2] = 1e200; // far, but a number
    CHECK(lw_ik_nearest(a.ik, q0, LW_IK_SUM_OF_SQUARES, NULL, one) >= 0);
    q0[2] = (double)NAN;
    CHECK_INT(lw_ik_nearest(a.ik, q0, LW_IK_LARGEST_CHANGE, NULL, one), -1);
    close_ik_arm(&a);
}

// A robot on a free base, which stays where the seed has it; and a ball joint between the axes,
// which makes another arm of every position that it is held in.
TEST(C15_joints_of_several_dof_stay_where_the_seed_has_them)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/models/puma560.xml", LINKWORK_SOURCE_DIR);
    static const char ball[] =
        "<linkwork version='1' name='ball'><ground/>"
        "<joint name='j1' type='revolute' from='ground' to='l1' axis='0 0 1'/><link name='l1'/>"
        "<joint name='j2' type='revolute' from='l1' to='l2' axis='0 1 0' xyz='0 0 0.4'/>"
        "<link name='l2'/>"
        "<joint name='ball' type='spherical' from='l2' to='l3' xyz='0.3 0 0'/><link name='l3'/>"
        "<joint name='j3' type='revolute' from='l3' to='l4' axis='0 1 0'/><link name='l4'/>"
        "<joint name='j4' type='revolute' from='l4' to='l5' axis='1 0 0' xyz='0.4 0 0'/>"
        "<link name='l5'/>"
        "<joint name='j5' type='revolute' from='l5' to='l6' axis='0 1 0'/><link name='l6'/>"
        "<joint name='j6' type='revolute' from='l6' to='l7' axis='1 0 0'/>"
        "<link name='l7'><frame name='tool' xyz='0.1 0 0'/></link></linkwork>";
    for (int k = 0; k < 2; ++k) {
        ik_arm a = {.m = k == 0 ? compile_file(path, true) : compile_text("ball.xml", ball, NULL)};
        if (!CHECK(a.m != NULL)) {
            continue;
        }
        a.d = new_data(a.m);
        a.def = lw_default_ik_def(-1, lw_find_frame(a.m, k == 0 ? "tool.flange" : "tool"));
        CHECK_INT(lw_ik_create(a.m, &a.def, &a.ik, NULL), LW_OK);
        CHECK_INT(lw_ik_describe(a.ik)->njoint, 6);
        for (int n = 0; n < 20; ++n) {
            double q[16], seed[16];
            lw_ik_result r;
            random_ik_position(&a, q);
            memcpy(seed, q, sizeof seed);
            for (int i = 0; i < 6; ++i) {
                seed[lw_ik_describe(a.ik)->position[i]] = 0.1;
            }
            const lw_ik_target target = ik_target_at(&a, q);
            check_case("model %d, pose %d", k, n);
            CHECK_INT(lw_ik_solve(a.ik, &target, seed, &r), LW_OK);
            const int found = find_ik_solution(a.ik, &r, q, 1e-7);
            if (CHECK(found >= 0)) {
                lw_ik_target again = ik_target_at(&a, r.solution[found].q);
                CHECK(lw_norm3(lw_sub3(again.X_BT.p, target.X_BT.p)) < 1e-12);
                for (int i = 0; i < a.m->nq; ++i) { // the others are the seed's, to the bit
                    bool is_joint = false;
                    for (int j = 0; j < 6; ++j) {
                        is_joint |= lw_ik_describe(a.ik)->position[j] == i;
                    }
                    CHECK(is_joint || r.solution[found].q[i] == seed[i]);
                }
            }
        }
        close_ik_arm(&a);
    }
}

TEST(K10_memory_of_the_caller_gives_the_same_bits)
{
    ik_arm a = open_ik_arm("ur5_class.xml", "ground", "wrist_3.tool");
    const size_t size = lw_ik_size(a.m, &a.def);
    char *block = malloc(size + 128);
    lw_ik *ik = NULL;
    double q[6] = {0.3, -1.2, 1.1, -0.7, 0.9, 0.4};
    const lw_ik_target target = ik_target_at(&a, q);
    lw_ik_result one, two;
    CHECK(size > 0);
    if (CHECK(block != NULL)) {
        char *mem = block + (64 - (size_t)block % 64);
        memset(mem, 0x5a, size);
        mem[size] = 0x77;
        CHECK_INT(lw_ik_init(a.m, &a.def, mem, &ik, NULL), LW_OK);
        CHECK_INT(lw_ik_solve(ik, &target, NULL, &one), LW_OK);
        CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &two), LW_OK);
        CHECK_INT(mem[size], 0x77);
        CHECK_INT(one.nsolution, two.nsolution);
        for (int i = 0; i < one.nsolution; ++i) {
            CHECK(memcmp(one.solution[i].q, two.solution[i].q, 6 * sizeof(double)) == 0);
        }
    }
    free(block);
    close_ik_arm(&a);
}

// What creation says about frames and tasks.
static void check_refused(const lw_model *m, const lw_ik_def *def, lw_status want, const char *text)
{
    lw_report *report = new_report();
    lw_ik *ik = NULL;
    CHECK_INT(lw_ik_create(m, def, &ik, report), want);
    CHECK(want == LW_OK || ik == NULL);
    char *all = diagnostics_text(report);
    CHECK_HAS(all, text);
    free(all);
    lw_ik_destroy(ik);
    lw_report_destroy(report);
}

TEST(K10_bad_definitions_and_targets_have_their_own_messages)
{
    ik_arm a = open_ik_arm("puma560.xml", "ground", "tool.flange");
    char text[400];
    double q[6] = {0.1, -0.5, 0.6, 0.4, 0.8, 0.3};
    lw_ik_target target = ik_target_at(&a, q);
    lw_ik_result r;
    const lw_ik_target good = target;

    lw_ik_def def =
        lw_default_ik_def(lw_find_frame(a.m, "ground"), lw_find_frame(a.m, "ground.shoulder"));
    check_refused(a.m, &def, LW_ERR_ARGUMENT, "no joint of one degree of freedom is between them");
    def = lw_default_ik_def(-2, 0);
    check_refused(a.m, &def, LW_ERR_ARGUMENT, "out of range");
    CHECK(lw_ik_size(a.m, &def) == 0);
    def = lw_default_ik_def(-1, a.m->nframe_all);
    check_refused(a.m, &def, LW_ERR_ARGUMENT, "out of range");
    def = lw_default_ik_def(-1, lw_find_frame(a.m, "forearm"));
    check_refused(a.m, &def, LW_OK, "the task has 6 rows, but the chain has 3 degrees of freedom");
    def = a.def;
    def.redundancy = LW_IK_HOLD;
    check_refused(a.m, &def, LW_ERR_ARGUMENT, "out of range"); // no joint is named
    def.hold = 2;
    check_refused(a.m, &def, LW_ERR_UNSUPPORTED,
                  "holding a joint needs a chain with more degrees of freedom than the target "
                  "determines: it has 6, and the target determines 6");
    def.redundancy = LW_IK_SWIVEL;
    check_refused(a.m, &def, LW_ERR_UNSUPPORTED, "a swivel angle needs a chain with more");
    def.task = LW_IK_POSITION;
    check_refused(a.m, &def, LW_ERR_UNSUPPORTED, "a swivel angle needs seven revolute joints");
    def.redundancy = (lw_ik_redundancy)7;
    check_refused(a.m, &def, LW_ERR_ARGUMENT, "out of range");
    CHECK_INT(lw_ik_create(a.m, &a.def, NULL, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_ik_solve(a.ik, NULL, NULL, &r), LW_ERR_ARGUMENT);

    target.X_BT.R.row[1] = lw_scale3(1.01, target.X_BT.R.row[1]);
    CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_ERR_ARGUMENT);
    lw_ik_message(a.ik, text, sizeof text);
    CHECK_HAS(text, "not a rotation");
    target = good;
    target.X_BT.R.row[2] = lw_scale3(-1.0, target.X_BT.R.row[2]); // a reflection
    CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_ERR_ARGUMENT);
    target = good;
    target.X_BT.p.y = (double)NAN;
    CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_ERR_NUMBER);
    lw_ik_message(a.ik, text, sizeof text);
    CHECK_HAS(text, "not finite");
    q[3] = (double)INFINITY;
    CHECK_INT(lw_ik_solve(a.ik, &good, q, &r), LW_ERR_NUMBER);
    // Rounded to nine digits a rotation is one still.
    target = good;
    for (int i = 0; i < 3; ++i) {
        target.X_BT.R.row[i].x = 1e-9 * round(1e9 * target.X_BT.R.row[i].x);
    }
    CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_OK);
    CHECK_INT(r.nsolution, 8);
    CHECK(r.solution[0].is_exact);
    CHECK_INT(lw_ik_message(a.ik, text, sizeof text), 0);
    close_ik_arm(&a);
}

TEST(K10_limits_that_exclude_every_solution_are_named)
{
    ik_arm a = open_ik_arm("puma560.xml", "ground", "tool.flange");
    int excluded = 0;
    for (int n = 0; n < 200; ++n) {
        double q[6];
        char text[400];
        lw_ik_result r;
        random_ik_position(&a, q);
        const lw_ik_target target = ik_target_at(&a, q);
        CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_OK);
        if (r.nwithin > 0) {
            CHECK(r.limits == 0u);
            continue;
        }
        ++excluded;
        CHECK(r.limits != 0u);
        lw_ik_message(a.ik, text, sizeof text);
        CHECK_HAS(text, "limits exclude all 8 solutions");
        for (int i = 0; i < 6; ++i) {
            bool is_named = strstr(text, a.m->position_name[i]) != NULL;
            CHECK(is_named == ((r.limits >> i & 1u) != 0));
        }
        double near[6];
        CHECK_INT(lw_ik_nearest(a.ik, q, LW_IK_LARGEST_CHANGE, NULL, near), -1);
    }
    CHECK(excluded > 5);
    close_ik_arm(&a);
}

int main(void)
{
    RUN(K10_windings_and_the_nearest_solution_are_those_of_a_search);
    RUN(K10_weights_decide_which_solution_is_nearest);
    RUN(K10_the_nearest_solution_does_not_depend_on_the_scale_of_the_weights);
    RUN(C15_joints_of_several_dof_stay_where_the_seed_has_them);
    RUN(K10_memory_of_the_caller_gives_the_same_bits);
    RUN(K10_bad_definitions_and_targets_have_their_own_messages);
    RUN(K10_limits_that_exclude_every_solution_are_named);
    return REPORT();
}
