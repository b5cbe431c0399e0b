// Inverse kinematics by lw_ik: all solutions of models between two frames, against solutions of
// independent programs and by laws (K08, K10, C06, C15, D34).
#include "check.h"
#include "ik_arm.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"

#include <linkwork/ik.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static lw_pose pose_of(const json_t *entry)
{
    double R[9], p[3];
    reference_numbers(json_object_get(entry, "R"), R, 9);
    reference_numbers(json_object_get(entry, "p"), p, 3);
    const lw_pose X = {{{{R[0], R[1], R[2]}, {R[3], R[4], R[5]}, {R[6], R[7], R[8]}}},
                       {p[0], p[1], p[2]}};
    return X;
}

// The solver of an arm of ik_oracles.json, from its URDF file.
static lw_ik *oracle_solver(const json_t *entry, bool is_certain, bool ignores_limits, lw_model **m)
{
    char path[300];
    lw_ik *ik = NULL;
    snprintf(path, sizeof path, "models/urdf_ik/%s",
             json_string_value(json_object_get(entry, "urdf")));
    *m = shared_model(path, false);
    if (*m) {
        const int base = lw_find_frame(*m, json_string_value(json_object_get(entry, "base"))),
                  tip = lw_find_frame(*m, json_string_value(json_object_get(entry, "tip")));
        lw_ik_def def = lw_default_ik_def(base, tip);
        def.is_certain = is_certain;
        def.ignores_limits = ignores_limits;
        CHECK_INT(lw_ik_create(*m, &def, &ik, NULL), LW_OK);
    }
    return ik;
}

// The residual of a solution by forward kinematics of the model, an independent computation.
static double residual_of(const lw_model *m, lw_data *d, int base, int tip, const lw_pose *X,
                          const double *q)
{
    lw_pose now;
    if (lw_forward_position(m, d, q) != LW_OK || lw_relative_pose(m, d, base, tip, &now) != LW_OK) {
        return (double)INFINITY;
    }
    const lw_mat3 back = lw_transpose3(&now.R), R = lw_mul3(&X->R, &back);
    const lw_vec3 w = lw_log3(&R), e = lw_sub3(X->p, now.p);
    return sqrt(lw_dot3(w, w) + lw_dot3(e, e));
}

static void check_pose(const json_t *pose, const lw_model *m, lw_data *d, lw_ik *ik, int base,
                       int tip)
{
    const json_t *rows = json_object_get(pose, "solutions"), *row;
    const lw_ik_target target = {.X_BT = pose_of(pose)};
    size_t n;
    lw_ik_result r;
    CHECK_INT(lw_ik_solve(ik, &target, NULL, &r), LW_OK);
    CHECK_INT(r.nsolution, (long long)json_array_size(rows));
    CHECK(r.distance == 0.0);
    for (int i = 0; i < r.nsolution; ++i) {
        const double length = fmax(1.0, lw_ik_describe(ik)->length);
        CHECK(r.solution[i].is_exact && r.solution[i].residual <= 1e-12 * length);
        CHECK(residual_of(m, d, base, tip, &target.X_BT, r.solution[i].q) <= 1e-12 * length);
    }
    json_array_foreach(rows, n, row)
    {
        double q[6];
        reference_numbers(json_is_array(row) ? row : json_object_get(row, "q"), q, 6);
        CHECK(find_ik_solution(ik, &r, q, 1e-8) >= 0);
    }
}

TEST(K10_every_solution_of_the_oracles_is_found)
{
    json_t *file = reference_read("ik_oracles.json");
    const json_t *entry, *pose;
    size_t i, k;
    int poses = 0;
    json_array_foreach(json_object_get(file, "arms"), i, entry)
    {
        lw_model *m = NULL;
        const json_t *joints = json_object_get(entry, "joints");
        const char *name = json_string_value(json_object_get(entry, "name"));
        if (json_array_size(joints) != 6 || strcmp(name, "stanford") == 0) {
            continue;
        }
        lw_ik *ik = oracle_solver(entry, true, false, &m);
        lw_data *d = m ? new_data(m) : NULL;
        json_array_foreach(json_object_get(entry, "poses"), k, pose)
        {
            if (!ik || !d) {
                break;
            }
            check_case("%s, pose %zu", name, k);
            check_pose(pose, m, d, ik, lw_find_frame(m, "base"), lw_find_frame(m, "tool"));
            ++poses;
        }
        lw_data_destroy(d);
        lw_ik_destroy(ik);
        lw_model_destroy(m);
    }
    CHECK(!file || poses > 100);
    json_decref(file);
}

// All solutions of b are solutions of a, and there are as many; a and b are chains over the same
// joints.
static void check_same_solutions(const ik_arm *a, const lw_ik_result *one, const lw_ik_result *two)
{
    CHECK_INT(one->nsolution, two->nsolution);
    for (int i = 0; i < two->nsolution; ++i) {
        CHECK(find_ik_solution(a->ik, one, two->solution[i].q, 1e-9) >= 0);
    }
}

static const char *const arms[][3] = {{"puma560.xml", "ground", "tool.flange"},
                                      {"ur5_class.xml", "ground", "wrist_3.tool"}};

TEST(K10_solutions_do_not_depend_on_the_seed_or_the_direction_of_the_chain)
{
    for (int k = 0; k < 2; ++k) {
        ik_arm a = open_ik_arm(arms[k][0], arms[k][1], arms[k][2]),
               world = open_ik_arm(arms[k][0], NULL, arms[k][2]),
               reversed = open_ik_arm(arms[k][0], arms[k][2], arms[k][1]);
        for (int n = 0; n < 50; ++n) {
            double q[6], seed[6];
            lw_ik_result r, s, t, w;
            random_ik_position(&a, q);
            random_ik_position(&a, seed);
            const lw_ik_target target = ik_target_at(&a, q), from_world = ik_target_at(&world, q),
                               back = ik_target_at(&reversed, q);
            check_case("%s, pose %d", arms[k][0], n);
            CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_OK);
            CHECK(find_ik_solution(a.ik, &r, q, 1e-8) >= 0);
            CHECK_INT(lw_ik_solve(reversed.ik, &back, seed, &s), LW_OK);
            check_same_solutions(&a, &r, &s);
            CHECK_INT(lw_ik_solve(world.ik, &from_world, seed, &w), LW_OK);
            check_same_solutions(&a, &w, &s);
            CHECK_INT(lw_ik_solve(a.ik, &target, seed, &t), LW_OK);
            check_same_solutions(&reversed, &s, &t);
        }
        close_ik_arm(&a);
        close_ik_arm(&world);
        close_ik_arm(&reversed);
    }
}

TEST(K10_every_solution_is_one_by_forward_kinematics_and_has_a_label_of_its_own)
{
    for (int k = 0; k < 2; ++k) {
        ik_arm a = open_ik_arm(arms[k][0], arms[k][1], arms[k][2]);
        for (int n = 0; n < 200; ++n) {
            double q[6];
            lw_ik_result r;
            random_ik_position(&a, q);
            const lw_ik_target target = ik_target_at(&a, q);
            CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_OK);
            check_case("%s, pose %d", arms[k][0], n);
            for (int i = 0; i < r.nsolution; ++i) {
                const lw_ik_branch *b = &r.solution[i].branch;
                const double by_model =
                    residual_of(a.m, a.d, a.def.base, a.def.tip, &target.X_BT, r.solution[i].q);
                CHECK(r.solution[i].residual <= 1e-12 && by_model <= 1e-12);
                CHECK(abs(b->shoulder) == 1 && abs(b->elbow) == 1 && abs(b->wrist) == 1);
                CHECK_INT(b->index, i);
                for (int j = 0; j < i; ++j) {
                    const lw_ik_branch *c = &r.solution[j].branch;
                    CHECK(b->shoulder != c->shoulder || b->elbow != c->elbow ||
                          b->wrist != c->wrist);
                }
            }
        }
        close_ik_arm(&a);
    }
}

// Along a path that stays away from singular poses every branch moves on without a jump.
TEST(K10_labels_of_branches_stay_along_a_path)
{
    for (int k = 0; k < 2; ++k) {
        ik_arm a = open_ik_arm(arms[k][0], arms[k][1], arms[k][2]);
        double last[2][2][2][6], q[6];
        int seen[2][2][2] = {{{0}}}, compared = 0;
        for (int n = 0; n < 10000; ++n) {
            lw_ik_result r;
            const double t = 2.0 * PI * n / 10000.0;
            for (int i = 0; i < 6; ++i) {
                q[i] = 0.5 + 0.1 * i + 0.1 * sin((1.0 + i) * t);
            }
            const lw_ik_target target = ik_target_at(&a, q);
            CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_OK);
            for (int i = 0; i < r.nsolution; ++i) {
                const lw_ik_branch *b = &r.solution[i].branch;
                const int x = b->shoulder > 0, y = b->elbow > 0, z = b->wrist > 0;
                if (seen[x][y][z] == n && n > 0) {
                    // The joints of the path move by 5e-4 a step; those of other branches by more
                    // where they are closer to singular poses.
                    CHECK(ik_apart(lw_ik_describe(a.ik), last[x][y][z], r.solution[i].q) < 0.05);
                    ++compared;
                }
                memcpy(last[x][y][z], r.solution[i].q, sizeof last[x][y][z]);
                seen[x][y][z] = n + 1;
            }
        }
        CHECK(compared > 30000);
        close_ik_arm(&a);
    }
}

// Singular poses of the oracles: isolated solutions are found, the joint that is not determined
// keeps the seed's value, and nothing is NaN.
TEST(K10_singular_poses_keep_the_seed)
{
    static const char *const lists[][2] = {{"singular_puma560", "puma560"},
                                           {"singular_ur5", "ur5"}};
    json_t *file = reference_read("ik_oracles.json");
    const json_t *special = json_object_get(file, "special"), *entry, *pose, *row;
    size_t i, k, n;
    for (int list = 0; list < 2; ++list) {
        lw_model *m = NULL;
        lw_ik *ik = NULL;
        json_array_foreach(json_object_get(file, "arms"), i, entry)
        {
            if (strcmp(json_string_value(json_object_get(entry, "name")), lists[list][1]) == 0) {
                ik = oracle_solver(entry, false, false, &m);
            }
        }
        json_array_foreach(json_object_get(special, lists[list][0]), k, pose)
        {
            const lw_ik_target target = {.X_BT = pose_of(pose)};
            double q[6], generating[6];
            const double seed[6] = {0.11, 0.22, 0.33, 0.44, 0.55, 0.66};
            bool has_undetermined = false, is_near = false;
            lw_ik_result r;
            if (!ik) {
                break;
            }
            check_case("%s, pose %zu", lists[list][0], k);
            CHECK_INT(lw_ik_solve(ik, &target, seed, &r), LW_OK);
            json_array_foreach(json_object_get(pose, "isolated"), n, row)
            {
                reference_numbers(row, q, 6);
                CHECK(find_ik_solution(ik, &r, q, 1e-7) >= 0);
            }
            reference_numbers(json_object_get(pose, "q_generating"), generating, 6);
            for (int j = 0; j < r.nsolution; ++j) {
                const lw_ik_solution *s = &r.solution[j];
                CHECK(s->is_exact && s->residual <= 1e-12);
                is_near |= ik_apart(lw_ik_describe(ik), s->q, generating) < 1e-6;
                for (int joint = 0; joint < 6; ++joint) {
                    CHECK(isfinite(s->q[joint]));
                    if ((s->undetermined >> joint & 1u) != 0) {
                        has_undetermined = true;
                        CHECK(s->q[joint] == seed[joint]);
                    }
                }
            }
            const char *note = json_string_value(json_object_get(pose, "note"));
            CHECK(has_undetermined == (strncmp(note, "wrist singular", 14) == 0));
            CHECK(has_undetermined || is_near);
        }
        lw_ik_destroy(ik);
        lw_model_destroy(m);
    }
    json_decref(file);
}

TEST(K10_out_of_reach_gives_the_nearest_configuration_and_its_distance)
{
    static const char *const lists[][2] = {{"out_of_reach_puma560", "puma560"},
                                           {"out_of_reach_ur5", "ur5"}};
    json_t *file = reference_read("ik_oracles.json");
    const json_t *special = json_object_get(file, "special"), *entry, *pose;
    size_t i, k;
    for (int list = 0; list < 2; ++list) {
        lw_model *m = NULL;
        lw_ik *ik = NULL;
        json_array_foreach(json_object_get(file, "arms"), i, entry)
        {
            if (strcmp(json_string_value(json_object_get(entry, "name")), lists[list][1]) == 0) {
                ik = oracle_solver(entry, false, true, &m);
            }
        }
        json_array_foreach(json_object_get(special, lists[list][0]), k, pose)
        {
            const lw_ik_target target = {.X_BT = pose_of(pose)};
            const double want = json_number_value(json_object_get(pose, "residual_norm"));
            lw_ik_result r;
            char text[200];
            if (!ik) {
                break;
            }
            check_case("%s, pose %zu", lists[list][0], k);
            CHECK_INT(lw_ik_solve(ik, &target, NULL, &r), LW_OK);
            CHECK_INT(r.nsolution, 1);
            CHECK(!r.solution[0].is_exact);
            CHECK(r.nwithin == 0);
            CHECK_NEAR(r.distance, want, 1e-3 * want);
            CHECK(r.distance == r.solution[0].residual);
            CHECK(lw_ik_message(ik, text, sizeof text) > 0);
            CHECK_HAS(text, "out of reach");
        }
        lw_ik_destroy(ik);
        lw_model_destroy(m);
    }
    json_decref(file);
}

// Calibrated arms: axes off by up to half a degree and two millimetres. Where the nominal arm is
// away from singular poses the true one has the same branches, with residuals as those of closed
// forms.
TEST(K10_calibrated_arms_have_the_branches_of_the_nominal_one)
{
    static const char *const pairs[][2] = {
        {"calibrated_d00_puma560.urdf", "puma560.urdf"},
        {"calibrated_d01_ur5.urdf", "ur5.urdf"},
        {"calibrated_d02_irb2400_like.urdf", "irb2400_like.urdf"}};
    for (int k = 0; k < 3; ++k) {
        ik_arm a[2] = {{0}};
        for (int j = 0; j < 2; ++j) {
            char path[300];
            snprintf(path, sizeof path, "models/urdf_ik/%s", pairs[k][j]);
            a[j].m = shared_model(path, false);
            if (!a[j].m) {
                return;
            }
            a[j].d = new_data(a[j].m);
            a[j].def =
                lw_default_ik_def(lw_find_frame(a[j].m, "base"), lw_find_frame(a[j].m, "tool"));
            CHECK_INT(lw_ik_create(a[j].m, &a[j].def, &a[j].ik, NULL), LW_OK);
        }
        check_case("%s", pairs[k][0]);
        CHECK_INT(lw_ik_describe(a[0].ik)->method, LW_IK_NEAR_CLOSED_FORM);
        CHECK_INT(lw_ik_describe(a[1].ik)->method, LW_IK_CLOSED_FORM);
        CHECK_TEXT(lw_ik_describe(a[0].ik)->class_name, lw_ik_describe(a[1].ik)->class_name);
        for (int n = 0; n < 100; ++n) {
            // Away from singular poses: q5 and the elbow are bent.
            double q[6] = {check_random(-2, 2),    check_random(-1.2, -0.4),
                           check_random(0.8, 1.6), check_random(-1.5, 1.5),
                           check_random(0.7, 2.0), check_random(-2, 2)};
            lw_ik_result r, nominal;
            const lw_ik_target target = ik_target_at(&a[0], q);
            CHECK_INT(lw_ik_solve(a[0].ik, &target, NULL, &r), LW_OK);
            CHECK_INT(lw_ik_solve(a[1].ik, &target, NULL, &nominal), LW_OK);
            CHECK(find_ik_solution(a[0].ik, &r, q, 1e-9) >= 0);
            for (int i = 0; i < r.nsolution; ++i) {
                CHECK(r.solution[i].is_exact && r.solution[i].residual <= 1e-12);
            }
            // The branch of q has the same label on both arms, and nearly the same joints.
            const int at = find_ik_solution(a[1].ik, &nominal, q, 0.3);
            const int here = find_ik_solution(a[0].ik, &r, q, 1e-9);
            if (at >= 0 && here >= 0) {
                CHECK_INT(nominal.solution[at].branch.shoulder, r.solution[here].branch.shoulder);
                CHECK_INT(nominal.solution[at].branch.elbow, r.solution[here].branch.elbow);
                CHECK_INT(nominal.solution[at].branch.wrist, r.solution[here].branch.wrist);
            }
        }
        close_ik_arm(&a[0]);
        close_ik_arm(&a[1]);
    }
}

// Of calibrated arms at any pose, next to singular ones too: the certain mode has more at few poses
// alone, half of which have more solutions than the eight branches of the nominal arm; each
// of these branches has a label of its own.
TEST(K10_calibrated_arms_have_all_branches_next_to_singular_poses)
{
    static const char *const names[] = {"calibrated_d00_puma560.urdf", "calibrated_d01_ur5.urdf",
                                        "calibrated_d02_irb2400_like.urdf"};
    enum { POSES = 1500 };
    for (int k = 0; k < 3; ++k) {
        char path[300];
        snprintf(path, sizeof path, "models/urdf_ik/%s", names[k]);
        ik_arm a = {.m = shared_model(path, false)};
        if (!a.m) {
            return;
        }
        lw_ik *certain = NULL;
        a.d = new_data(a.m);
        a.def = lw_default_ik_def(lw_find_frame(a.m, "base"), lw_find_frame(a.m, "tool"));
        CHECK_INT(lw_ik_create(a.m, &a.def, &a.ik, NULL), LW_OK);
        lw_ik_def def = a.def;
        def.is_certain = true;
        CHECK_INT(lw_ik_create(a.m, &def, &certain, NULL), LW_OK);
        int fewer = 0, missed = 0;
        for (int n = 0; n < POSES; ++n) {
            double q[6];
            lw_ik_result r, s;
            random_ik_position(&a, q);
            const lw_ik_target target = ik_target_at(&a, q);
            check_case("%s, pose %d", names[k], n);
            CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_OK);
            CHECK_INT(lw_ik_solve(certain, &target, NULL, &s), LW_OK);
            CHECK(r.nsolution <= s.nsolution);
            fewer += r.nsolution < s.nsolution;
            missed += find_ik_solution(a.ik, &r, q, 1e-5) < 0;
            for (int i = 0; i < r.nsolution && i < 8 && r.nsolution <= 8; ++i) {
                const lw_ik_branch *b = &r.solution[i].branch;
                CHECK(b->shoulder != 0 && b->elbow != 0 && b->wrist != 0);
                for (int j = 0; j < i; ++j) {
                    const lw_ik_branch *other = &r.solution[j].branch;
                    CHECK(b->shoulder != other->shoulder || b->elbow != other->elbow ||
                          b->wrist != other->wrist);
                }
            }
        }
        check_case("%s: %d of %d poses with fewer, %d without the joints", names[k], fewer, POSES,
                   missed);
        CHECK(fewer <= POSES / 200 && missed <= POSES / 500);
        lw_ik_destroy(certain);
        close_ik_arm(&a);
    }
}

// An arm of six revolute joints with lengths in another unit, on a base far away. Axes are the same
// for the same number: general ones, three and two parallel, or a spherical wrist.
static lw_model *scaled_arm(int number, double unit, double away)
{
    static const double axis[][3] = {{0, 0, 1},     {0.2, 1, -0.1}, {0.5, -0.3, 1},
                                     {1, 0.4, 0.2}, {-0.3, 1, 0.6}, {0.1, -0.2, 1}};
    static const int parallel[] = {0, 1, 1, 1, 4, 4};
    char text[4000];
    int used = snprintf(text, sizeof text, "<linkwork version='1' name='arm'><ground/>");
    for (int i = 0; i < 6; ++i) {
        const double *h = axis[number % 3 == 1 ? parallel[i] : i];
        const bool is_wrist = number % 3 == 2 && i > 3;
        const double x = is_wrist ? 0.0 : 0.3 + 0.1 * sin(1.0 + i + number),
                     y = is_wrist ? 0.0 : 0.2 * sin(2.0 + 3.0 * i + number);
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "<joint name='j%d' type='revolute' axis='%.17g %.17g %.17g' from='%s%.0d' "
                         "to='l%d' xyz='%.17g %.17g %.17g'/>",
                         i + 1, h[0], h[1], h[2], i == 0 ? "ground" : "l", i, i + 1,
                         unit * x + (i == 0 ? away : 0.0), unit * y,
                         is_wrist ? 0.0 : 0.1 * unit * (i % 2));
        used += snprintf(text + used, sizeof text - (size_t)used,
                         i < 5 ? "<link name='l%d'/>" : "<link name='l%d'>", i + 1);
    }
    snprintf(text + used, sizeof text - (size_t)used,
             "<frame name='tool' xyz='%.17g 0 %.17g'/></link></linkwork>", 0.1 * unit, 0.2 * unit);
    return compile_text("arm.xml", text, NULL);
}

// Arms of micrometres, of kilometres and of thousands of them, and an arm in coordinates of a map,
// have the joint angles of the arm of a metre. Nothing that the arm reaches is out of reach.
TEST(K10_solutions_do_not_depend_on_the_unit_of_length)
{
    static const struct {
        double unit, away, tolerance;
    } cases[] = {{1e-6, 0, 1e-5},
                 {1e-3, 0, 1e-5},
                 {1e3, 0, 1e-5},
                 {5e6, 0, 1e-5},
                 {1, 5e6, 1e-4}}; // the root of the rounding, 1e-9 m, next to singular poses
    for (int n = 0; n < 9; ++n) {
        ik_arm one = {.m = scaled_arm(n, 1.0, 0.0)};
        one.d = new_data(one.m);
        one.def = lw_default_ik_def(-1, lw_find_frame(one.m, "tool"));
        CHECK_INT(lw_ik_create(one.m, &one.def, &one.ik, NULL), LW_OK);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
            ik_arm a = {.m = scaled_arm(n, cases[k].unit, cases[k].away), .def = one.def};
            a.d = new_data(a.m);
            CHECK_INT(lw_ik_create(a.m, &a.def, &a.ik, NULL), LW_OK);
            CHECK_TEXT(lw_ik_describe(a.ik)->class_name, lw_ik_describe(one.ik)->class_name);
            for (int pose = 0; pose < 20; ++pose) {
                double q[6];
                lw_ik_result r, s;
                random_ik_position(&a, q);
                const lw_ik_target target = ik_target_at(&a, q), same = ik_target_at(&one, q);
                check_case("arm %d, %g m, %g m away, pose %d", n, cases[k].unit, cases[k].away,
                           pose);
                CHECK_INT(lw_ik_solve(one.ik, &same, NULL, &s), LW_OK);
                CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_OK);
                CHECK(find_ik_solution(a.ik, &r, q, cases[k].tolerance) >= 0);
                CHECK_INT(r.nsolution, s.nsolution);
                for (int i = 0; i < s.nsolution; ++i) {
                    CHECK(find_ik_solution(a.ik, &r, s.solution[i].q, cases[k].tolerance) >= 0);
                }
            }
            close_ik_arm(&a);
        }
        close_ik_arm(&one);
    }
}

int main(void)
{
    RUN(K10_every_solution_of_the_oracles_is_found);
    RUN(K10_solutions_do_not_depend_on_the_seed_or_the_direction_of_the_chain);
    RUN(K10_every_solution_is_one_by_forward_kinematics_and_has_a_label_of_its_own);
    RUN(K10_labels_of_branches_stay_along_a_path);
    RUN(K10_singular_poses_keep_the_seed);
    RUN(K10_out_of_reach_gives_the_nearest_configuration_and_its_distance);
    RUN(K10_calibrated_arms_have_the_branches_of_the_nominal_one);
    RUN(K10_calibrated_arms_have_all_branches_next_to_singular_poses);
    RUN(K10_solutions_do_not_depend_on_the_unit_of_length);
    return REPORT();
}
