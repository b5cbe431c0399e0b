// Inverse kinematics of arms: closed forms, elimination and the numeric solver, against solutions
// of independent programs and against each other (K10, C06, D34).
#include "arm_newton.h"
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "random_arm.h"
#include "random_mech.h"
#include "reference.h"

#include "ik/chain.h"
#include "ik/eliminate.h"
#include "ik/fold.h"
#include "ik/ik_kernels.h"
#include "ik/numeric.h"
#include "ik/six.h"
#include "ik/subproblem.h"

#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 * LWI_CANDIDATES };

static const double PI = 3.14159265358979323846;

typedef struct solution_set {
    int count;
    lwi_angle q[MOST][6];
    double residual; // the largest
} solution_set;

static lwi_elimination workspace;
static lwi_candidates candidates;

static bool contains(const solution_set *set, const lwi_angle *q, double tolerance)
{
    for (int i = 0; i < set->count; ++i) {
        if (joints_apart(6, set->q[i], q) <= tolerance) {
            return true;
        }
    }
    return false;
}

// Refines candidates, and keeps those that are solutions, each once.
static void keep_solutions(const lwi_arm *arm, const lw_pose *X, double scale, solution_set *set)
{
    for (int i = 0; i < candidates.count && set->count < MOST; ++i) {
        lwi_angle *q = candidates.at[i].q;
        const double r = arm_refine(arm, LWI_ROWS_POSE, X, scale, 0, 8, q);
        if (r <= 1e-11 * scale && !contains(set, q, 1e-6)) {
            memcpy(set->q[set->count++], q, sizeof set->q[0]);
            set->residual = fmax(set->residual, r / scale);
        }
    }
}

// By the closed form of its class; 0 solutions for an arm of no class.
static solution_set closed_form(const lwi_arm *arm, const lw_pose *X)
{
    solution_set set = {0};
    lwi_angle seed[6];
    for (int i = 0; i < 6; ++i) {
        seed[i] = angle_of(0.0);
    }
    const lwi_six six = lwi_six_of(arm, 1e-9, 1e-9);
    lwi_six_solve(&six, X, seed, &candidates);
    keep_solutions(arm, X, six.scale, &set);
    return set;
}

// By elimination, with the best four choices of roles.
static solution_set eliminated(const lwi_arm *arm, const lw_pose *X)
{
    solution_set set = {0};
    lwi_role role[4];
    lwi_choose_roles(arm, &workspace, 4, role);
    const double scale = lwi_six_of(arm, 1e-9, 1e-9).scale;
    for (int n = 0; n < 4; ++n) {
        lwi_eliminate(arm, X, role[n], &workspace, &candidates);
        keep_solutions(arm, X, scale, &set);
    }
    return set;
}

static lw_vec3 vector_of(const json_t *value)
{
    double v[3] = {0.0, 0.0, 0.0};
    reference_numbers(value, v, 3);
    return lw_vec3_of(v[0], v[1], v[2]);
}

static lw_pose origin_of(const json_t *item)
{
    const lw_vec3 rpy = vector_of(json_object_get(item, "origin_rpy"));
    const lw_pose X = {lw_rotation_rpy(rpy.x, rpy.y, rpy.z),
                       vector_of(json_object_get(item, "origin_xyz"))};
    return X;
}

// The axes of an arm of the file; false where it has not six revolute joints.
static bool read_arm(const json_t *entry, lwi_arm *arm)
{
    const json_t *joints = json_object_get(entry, "joints"), *joint;
    size_t i;
    lw_pose X = lw_pose_identity();
    memset(arm, 0, sizeof *arm);
    if (json_array_size(joints) != 6) {
        return false;
    }
    json_array_foreach(joints, i, joint)
    {
        const lw_pose step = origin_of(joint);
        X = lw_pose_mul(&X, &step);
        arm->h[i] = lw_vec3_of(X.R.row[0].z, X.R.row[1].z, X.R.row[2].z);
        arm->c[i] = X.p;
        if (strcmp(json_string_value(json_object_get(joint, "type")), "revolute") != 0) {
            return false;
        }
    }
    const lw_pose tool = origin_of(json_object_get(entry, "tool"));
    arm->X_BT = lw_pose_mul(&X, &tool);
    arm->n = 6;
    return true;
}

// Solves every pose of every arm in the file by one method, and compares with its solutions.
static void check_oracles(solution_set (*solve)(const lwi_arm *arm, const lw_pose *X),
                          bool needs_class)
{
    json_t *file = reference_read("ik_oracles.json");
    const json_t *entry, *pose, *row;
    size_t i, k, n;
    int poses = 0;
    json_array_foreach(json_object_get(file, "arms"), i, entry)
    {
        lwi_arm arm;
        if (!read_arm(entry, &arm) ||
            (needs_class && lwi_six_of(&arm, 1e-9, 1e-9).kind == LWI_SIX_GENERAL)) {
            continue;
        }
        json_array_foreach(json_object_get(entry, "poses"), k, pose)
        {
            double R[9];
            reference_numbers(json_object_get(pose, "R"), R, 9);
            const lw_pose X = {{{{R[0], R[1], R[2]}, {R[3], R[4], R[5]}, {R[6], R[7], R[8]}}},
                               vector_of(json_object_get(pose, "p"))};
            const solution_set set = solve(&arm, &X);
            const json_t *rows = json_object_get(pose, "solutions");
            check_case("%s, pose %zu", json_string_value(json_object_get(entry, "name")), k);
            CHECK_INT(set.count, (long long)json_array_size(rows));
            CHECK(set.residual <= 1e-12);
            json_array_foreach(rows, n, row)
            {
                double q[6];
                lwi_angle want[6];
                reference_numbers(json_is_array(row) ? row : json_object_get(row, "q"), q, 6);
                for (int j = 0; j < 6; ++j) {
                    want[j] = angle_of(q[j]);
                }
                CHECK(contains(&set, want, 1e-8));
            }
            ++poses;
        }
    }
    CHECK(!file || poses > 20);
    json_decref(file);
}

TEST(K10_closed_forms_find_every_solution_of_the_oracles)
{
    check_oracles(closed_form, true);
}

TEST(K10_elimination_finds_every_solution_of_the_oracles)
{
    check_oracles(eliminated, false);
}

// An arm of the class `kind`, or of none.
static lwi_arm random_arm(lwi_six_class kind)
{
    lwi_arm arm = random_axes(6);
    switch (kind) {
    case LWI_SIX_SPHERICAL_PARALLEL:
        arm.h[2] = arm.h[1];
        break;
    case LWI_SIX_PARALLEL_SPHERICAL:
        arm.h[1] = arm.h[0];
        break;
    case LWI_SIX_SPHERICAL_MEETING:
        arm.c[1] = arm.c[0];
        break;
    case LWI_SIX_PARALLEL_MEETING:
        arm.c[5] = arm.c[4];
        arm.h[2] = arm.h[3] = arm.h[1];
        return arm;
    case LWI_SIX_PARALLEL:
        arm.h[2] = arm.h[3] = arm.h[1];
        return arm;
    case LWI_SIX_SPHERICAL:
        break;
    case LWI_SIX_GENERAL:
        return arm;
    }
    arm.c[4] = arm.c[5] = arm.c[3];
    return arm;
}

TEST(K10_random_arms_of_every_class_give_back_their_joints)
{
    for (int kind = LWI_SIX_SPHERICAL_PARALLEL; kind <= LWI_SIX_PARALLEL; ++kind) {
        for (int n = 0; n < 200; ++n) {
            lwi_arm arm = random_arm((lwi_six_class)kind);
            lwi_angle q[6];
            random_joints(&arm, q);
            const bool is_reversed = n % 2;
            if (is_reversed) {
                arm = lwi_arm_reversed(&arm);
            }
            const lwi_six six = lwi_six_of(&arm, 1e-9, 1e-9);
            check_case("class %d, arm %d", kind, n);
            CHECK_INT(six.kind, kind);
            CHECK_INT(six.is_reversed, is_reversed);
            const lw_pose X = lwi_arm_pose(&arm, q);
            const solution_set set = closed_form(&arm, &X);
            CHECK(contains(&set, q, 1e-6));
            CHECK(set.count <= 8);
        }
    }
}

// Axes 5 and 6 parallel beside three others that are: subproblem 6 alone determines q5.
TEST(K10_three_and_two_parallel_axes_give_back_their_joints)
{
    for (int n = 0; n < 200; ++n) {
        lwi_arm arm = random_arm(LWI_SIX_PARALLEL);
        lwi_angle q[6];
        arm.h[5] = n % 4 < 2 ? arm.h[4] : lw_scale3(-1.0, arm.h[4]);
        arm = n % 2 ? lwi_arm_reversed(&arm) : arm;
        random_joints(&arm, q);
        const lw_pose X = lwi_arm_pose(&arm, q);
        check_case("arm %d", n);
        CHECK_INT(lwi_six_of(&arm, 1e-9, 1e-9).kind, LWI_SIX_PARALLEL);
        const solution_set set = closed_form(&arm, &X);
        CHECK(contains(&set, q, 1e-6));
        CHECK(set.count <= 8);
    }
}

// The same solutions whichever way the arm is seen: from its tip, or with the whole cell rotated.
TEST(K10_solutions_do_not_depend_on_the_base_or_on_the_direction_of_the_chain)
{
    for (int n = 0; n < 60; ++n) {
        const lwi_six_class kind = (lwi_six_class)(n % 7);
        const lwi_arm arm = random_arm(kind), reversed = lwi_arm_reversed(&arm);
        const lw_pose T = {random_rotation(), random_vector()};
        lwi_arm moved = arm;
        lwi_angle q[6];
        for (int i = 0; i < 6; ++i) {
            moved.h[i] = lw_rotate(&T.R, arm.h[i]);
            moved.c[i] = lw_pose_apply(&T, arm.c[i]);
        }
        moved.X_BT = lw_pose_mul(&T, &arm.X_BT);
        random_joints(&arm, q);
        const lw_pose X = lwi_arm_pose(&arm, q), X_inverse = lw_pose_inverse(&X),
                      X_moved = lw_pose_mul(&T, &X);
        solution_set (*solve)(const lwi_arm *, const lw_pose *) =
            kind == LWI_SIX_GENERAL ? eliminated : closed_form;
        const solution_set one = solve(&arm, &X), two = solve(&moved, &X_moved),
                           three = solve(&reversed, &X_inverse);
        check_case("class %d, arm %d", kind, n);
        CHECK(contains(&one, q, 1e-6));
        CHECK_INT(two.count, one.count);
        CHECK_INT(three.count, one.count);
        for (int i = 0; i < one.count; ++i) {
            lwi_angle back[6];
            for (int k = 0; k < 6; ++k) {
                back[k] = one.q[i][5 - k];
            }
            CHECK(contains(&two, one.q[i], 1e-6));
            CHECK(contains(&three, back, 1e-6));
        }
    }
}

TEST(K10_elimination_agrees_with_closed_forms)
{
    for (int n = 0; n < 24; ++n) {
        const lwi_arm arm = random_arm((lwi_six_class)(1 + n % 6));
        lwi_angle q[6];
        random_joints(&arm, q);
        const lw_pose X = lwi_arm_pose(&arm, q);
        const solution_set one = closed_form(&arm, &X), two = eliminated(&arm, &X);
        check_case("arm %d", n);
        for (int i = 0; i < two.count; ++i) {
            CHECK(contains(&one, two.q[i], 1e-6));
        }
        CHECK_INT(two.count, one.count);
    }
}

// The angle of joint 3 at which the elbow of an arm with parallel axes 2 and 3 is stretched.
static double stretched(const lwi_arm *arm)
{
    const lw_vec3 h = arm->h[2], a = lw_sub3(arm->c[2], arm->c[1]),
                  b = lw_sub3(arm->c[3], arm->c[2]);
    return atan2(lw_dot3(a, lw_cross3(h, b)), lw_dot3(a, lw_cross3(lw_cross3(h, b), h)));
}

// Compares what a fold has next to a start with the closed form: each of its solutions is one, near
// enough to be refined, and where it has none there is none. Adds to counts of pairs, of folds
// without solutions, of those that are not decided, and of errors.
static void check_fold(const lwi_arm *arm, double scale, const lw_pose *X, const lwi_angle *start,
                       int count[4])
{
    lwi_fold fold;
    const solution_set set = closed_form(arm, X);
    if (!lwi_fold_solve(arm, scale, X, start, &fold)) {
        ++count[2];
        return;
    }
    bool is_right = fold.count > 0 || !contains(&set, start, 0.2);
    for (int i = 0; i < fold.count; ++i) {
        is_right &= contains(&set, fold.q[i], 0.1);
    }
    ++count[fold.count > 0 ? 0 : 1];
    count[3] += !is_right;
}

// Next to a stretched elbow two solutions are close to each other; a little farther away there is
// none. Random arms may have other singular configurations next to it.
TEST(K10_both_solutions_next_to_a_fold_are_found_or_none)
{
    enum { ARMS = 400 };
    int near[4] = {0}, beyond[4] = {0};
    for (int n = 0; n < ARMS; ++n) {
        const lwi_arm arm = random_arm(LWI_SIX_SPHERICAL_PARALLEL);
        const double scale = lwi_six_of(&arm, 1e-9, 1e-9).scale, at = stretched(&arm);
        lwi_angle q[6], start[6];
        random_joints(&arm, q);
        memcpy(start, q, sizeof start);
        start[2] = angle_of(at + 0.1);
        q[2] = angle_of(at + check_random(0.02, 0.15));
        const lw_pose X = lwi_arm_pose(&arm, q);
        check_fold(&arm, scale, &X, start, near);
        // The pose of an arm with a longer link before the elbow.
        lwi_arm longer = arm;
        const lw_vec3 out = lw_scale3(0.01 * scale, lw_unit3(lw_sub3(arm.c[2], arm.c[1])));
        for (int i = 2; i < 6; ++i) {
            longer.c[i] = lw_add3(longer.c[i], out);
        }
        longer.X_BT.p = lw_add3(longer.X_BT.p, out);
        q[2] = angle_of(at);
        const lw_pose far = lwi_arm_pose(&longer, q);
        check_fold(&arm, scale, &far, start, beyond);
    }
    check_case("%d pairs, %d vanished, %d undecided, %d wrong; beyond %d, %d, %d, %d", near[0],
               near[1], near[2], near[3], beyond[0], beyond[1], beyond[2], beyond[3]);
    CHECK(near[0] > ARMS * 3 / 4 && near[1] < ARMS / 50 && near[3] < ARMS / 20);
    CHECK(beyond[1] > ARMS * 3 / 4 && beyond[3] < ARMS / 50);
}

// What processors without wide registers compute is the same but for rounding: residuals of random
// configurations, joint angles, and Newton's method from next to a solution.
TEST(K10_kernels_for_every_processor_agree)
{
    const lwi_ik_kernels *kernels[2] = {lwi_ik_kernels_generic(), lwi_get_ik_kernels()};
    static lwi_candidates list[2];
    for (int n = 0; n < 200; ++n) {
        const lwi_arm arm = random_arm((lwi_six_class)(n % 7));
        const lwi_frames frames = lwi_frames_of(&arm);
        const lwi_ik_rows rows = (lwi_ik_rows)(n % 3);
        const lwi_refine_def def = {1e-13, (double)INFINITY, 30, 0};
        double first[2][LWI_CANDIDATES], last[2][LWI_CANDIDATES],
            angle[2][LWI_ARM_JOINTS][LWI_CANDIDATES];
        lwi_angle q[6];
        random_joints(&arm, q);
        const lw_pose X = lwi_arm_pose(&arm, q);
        list[0].count = 7; // not a multiple of the lanes
        for (int i = 0; i < 7; ++i) {
            for (int k = 0; k < 6; ++k) {
                const double x = atan2(q[k].s, q[k].c) + 1e-4 * check_random(-1, 1);
                list[0].at[i].q[k] = angle_of(x);
            }
        }
        list[1] = list[0];
        check_case("arm %d", n);
        for (int k = 0; k < 2; ++k) {
            kernels[k]->verify(&frames, rows, &X, &list[k], first[k]);
            kernels[k]->positions(&frames, &list[k], angle[k]);
            memcpy(last[k], first[k], sizeof last[k]);
            kernels[k]->refine(&frames, rows, &X, &def, &list[k], last[k]);
        }
        for (int i = 0; i < 7; ++i) {
            CHECK_NEAR(first[0][i], first[1][i], 1e-14);
            for (int k = 0; k < 6; ++k) {
                CHECK_NEAR(angle[0][k][i], angle[1][k][i], 1e-15);
            }
            CHECK(last[0][i] < 1e-12 && last[1][i] < 1e-12);
        }
    }
}

// Joint positions within the limits, in the middle as seed: the protocol of TRAC-IK.
TEST(C06_the_numeric_solver_reaches_what_the_arm_reaches)
{
    json_t *file = reference_read("ik_arms.json");
    const json_t *entry;
    size_t i;
    json_array_foreach(json_object_get(file, "arms"), i, entry)
    {
        char path[300];
        snprintf(path, sizeof path, "models/%s", json_string_value(json_object_get(entry, "file")));
        lw_model *m = shared_model(path, false);
        if (!m) {
            continue;
        }
        lwi_chain chain;
        int body;
        const int base = lw_find_frame(m, json_string_value(json_object_get(entry, "base"))),
                  tip = lw_find_frame(m, json_string_value(json_object_get(entry, "tip")));
        CHECK_INT(lwi_chain_find(m, base, tip, m->tree_q_reference, &chain, &body), LW_OK);
        const int n = chain.arm.n;
        double lower[LWI_ARM_JOINTS], upper[LWI_ARM_JOINTS];
        for (int k = 0; k < n; ++k) {
            const lw_dof *dof = &m->dof[m->v_start[chain.body[k]]];
            const bool is_wide = !isfinite(dof->lower) || !isfinite(dof->upper);
            lower[k] = is_wide ? -PI : dof->lower;
            upper[k] = is_wide ? PI : dof->upper;
        }
        const lwi_numeric_def def = {
            lwi_get_ik_kernels(), LWI_ROWS_POSE, lower, upper, 1.0, 1e-10, 40, 400};
        const lwi_frames frames = lwi_frames_of(&chain.arm);
        int solved = 0;
        for (int pose = 0; pose < 100; ++pose) {
            double q[LWI_ARM_JOINTS];
            lwi_angle want[LWI_ARM_JOINTS], got[LWI_ARM_JOINTS];
            for (int k = 0; k < n; ++k) {
                const double x = check_random(lower[k], upper[k]);
                want[k] = chain.arm.slides[k] ? (lwi_angle){x, 1.0} : angle_of(x);
                q[k] = 0.5 * (lower[k] + upper[k]);
            }
            const lw_pose X = lwi_arm_pose(&chain.arm, want);
            const lwi_numeric_result r = lwi_numeric_solve(&frames, &X, &def, q);
            for (int k = 0; k < n; ++k) {
                CHECK(q[k] >= lower[k] && q[k] <= upper[k]);
                got[k] = chain.arm.slides[k] ? (lwi_angle){q[k], 1.0} : angle_of(q[k]);
            }
            // The flag is true: by forward kinematics, not by the solver's own word.
            solved += r.is_solved && arm_residual(&chain.arm, LWI_ROWS_POSE, &X, got, 1.0) < 3e-10;
        }
        check_case("%s", path);
        CHECK_INT(solved, 100);
        lw_model_destroy(m);
    }
    json_decref(file);
}

// Joints that a limit holds against the gradient leave the step, so that the others reach the pose:
// one start from the middle of the limits is enough for most poses. Where joints that could come
// back stay held, or held ones are asked to move on, many more starts end at a limit.
TEST(C06_limits_hold_only_joints_that_would_leave_them)
{
    lw_model *m = shipped_model("panda_class.xml");
    lwi_chain chain;
    int body, solved = 0;
    double lower[LWI_ARM_JOINTS], upper[LWI_ARM_JOINTS];
    if (!m) {
        return;
    }
    CHECK_INT(
        lwi_chain_find(m, -1, lw_find_frame(m, "hand.tool"), m->tree_q_reference, &chain, &body),
        LW_OK);
    for (int k = 0; k < chain.arm.n; ++k) {
        lower[k] = m->dof[m->v_start[chain.body[k]]].lower;
        upper[k] = m->dof[m->v_start[chain.body[k]]].upper;
    }
    const lwi_numeric_def def = {
        lwi_get_ik_kernels(), LWI_ROWS_POSE, lower, upper, 1.0, 1e-8, 60, 1};
    const lwi_frames frames = lwi_frames_of(&chain.arm);
    check_seed(20261117);
    for (int pose = 0; pose < 1000; ++pose) {
        double q[LWI_ARM_JOINTS];
        lwi_angle want[LWI_ARM_JOINTS];
        for (int k = 0; k < chain.arm.n; ++k) {
            want[k] = angle_of(check_random(lower[k], upper[k]));
            q[k] = 0.5 * (lower[k] + upper[k]);
        }
        const lw_pose X = lwi_arm_pose(&chain.arm, want);
        solved += lwi_numeric_solve(&frames, &X, &def, q).is_solved;
    }
    CHECK(solved >= 760); // 796; 668 where the signs of the slope are exchanged
    lw_model_destroy(m);
}

// The chain of a model moves its tip as forward kinematics does, from any frame to any other.
TEST(C42_chains_are_the_forward_kinematics_of_the_model)
{
    static const char *const models[] = {"puma560.xml", "scara.xml", "stanford.xml", "gantry.xml",
                                         "ur5_class.xml"};
    for (size_t i = 0; i < sizeof models / sizeof *models; ++i) {
        char path[300];
        snprintf(path, sizeof path, "%s/models/%s", LINKWORK_SOURCE_DIR, models[i]);
        lw_model *m = compile_file(path, false);
        lw_data *d = m ? new_data(m) : NULL;
        double q[LWI_ARM_JOINTS];
        for (int n = 0; d && n < 100; ++n) {
            const int base = (int)check_random(0, m->nframe), tip = (int)check_random(0, m->nframe);
            lwi_chain chain;
            lwi_angle angle[LWI_ARM_JOINTS];
            lw_pose want;
            int body = -1;
            for (int k = 0; k < m->nv; ++k) {
                q[k] = check_random(-2, 2);
            }
            const lw_status status = lwi_chain_find(m, base, tip, q, &chain, &body);
            if (m->frame[base].body == m->frame[tip].body) {
                CHECK_INT(status, LW_ERR_ARGUMENT);
                continue;
            }
            CHECK_INT(status, LW_OK);
            for (int k = 0; k < chain.arm.n; ++k) {
                const double x = q[m->q_start[chain.body[k]]];
                angle[k] = chain.arm.slides[k] ? (lwi_angle){x, 1.0} : angle_of(x);
            }
            CHECK_INT(lw_forward_position(m, d, q), LW_OK);
            CHECK_INT(lw_relative_pose(m, d, base, tip, &want), LW_OK);
            check_case("%s, frames %d and %d", models[i], base, tip);
            CHECK(arm_residual(&chain.arm, LWI_ROWS_POSE, &want, angle, 1.0) < 1e-12);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

int main(void)
{
    RUN(K10_closed_forms_find_every_solution_of_the_oracles);
    RUN(K10_elimination_finds_every_solution_of_the_oracles);
    RUN(K10_random_arms_of_every_class_give_back_their_joints);
    RUN(K10_three_and_two_parallel_axes_give_back_their_joints);
    RUN(K10_solutions_do_not_depend_on_the_base_or_on_the_direction_of_the_chain);
    RUN(K10_elimination_agrees_with_closed_forms);
    RUN(K10_both_solutions_next_to_a_fold_are_found_or_none);
    RUN(K10_kernels_for_every_processor_agree);
    RUN(C06_the_numeric_solver_reaches_what_the_arm_reaches);
    RUN(C06_limits_hold_only_joints_that_would_leave_them);
    RUN(C42_chains_are_the_forward_kinematics_of_the_model);
    return REPORT();
}
