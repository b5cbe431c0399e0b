// Inverse kinematics by lw_ik: all solutions of models between two frames, against solutions of
// independent programs and by laws (K08, K10, C06, C15, D34).
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"

#include <linkwork/ik.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

// How far two configurations are apart, angles modulo full turns.
static double apart(const lw_ik_info *info, const double *a, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < info->njoint; ++i) {
        const int k = info->position[i];
        const double d = a[k] - b[k];
        worst = fmax(worst, info->is_prismatic[i] ? fabs(d) : fabs(remainder(d, 2.0 * PI)));
    }
    return worst;
}

static int find_solution(const lw_ik *ik, const lw_ik_result *r, const double *q, double tolerance)
{
    for (int i = 0; i < r->nsolution; ++i) {
        if (r->solution[i].is_exact &&
            apart(lw_ik_describe(ik), r->solution[i].q, q) <= tolerance) {
            return i;
        }
    }
    return -1;
}

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
        CHECK(find_solution(ik, &r, q, 1e-8) >= 0);
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

// A solver for a machine of the folder models, from the world or a frame to a frame.
typedef struct arm {
    lw_model *m;
    lw_data *d;
    lw_ik *ik;
    lw_ik_def def;
} arm;

static arm open_arm(const char *model, const char *base, const char *tip)
{
    arm a = {.m = shipped_model(model)};
    if (a.m) {
        a.d = new_data(a.m);
        a.def = lw_default_ik_def(base ? lw_find_frame(a.m, base) : -1, lw_find_frame(a.m, tip));
        CHECK_INT(lw_ik_create(a.m, &a.def, &a.ik, NULL), LW_OK);
    }
    return a;
}

static void close_arm(arm *a)
{
    lw_ik_destroy(a->ik);
    lw_data_destroy(a->d);
    lw_model_destroy(a->m);
}

// The pose of the tip at q.
static lw_ik_target target_at(const arm *a, const double *q)
{
    lw_ik_target t = {.has_redundancy = false};
    CHECK_INT(lw_forward_position(a->m, a->d, q), LW_OK);
    if (a->def.base < 0) {
        CHECK_INT(lw_frame_pose(a->m, a->d, a->def.tip, &t.X_BT), LW_OK);
    } else {
        CHECK_INT(lw_relative_pose(a->m, a->d, a->def.base, a->def.tip, &t.X_BT), LW_OK);
    }
    return t;
}

static void random_position(const arm *a, double *q)
{
    for (int k = 0; k < a->m->nq; ++k) {
        q[k] = check_random(-PI, PI);
    }
}

// All solutions of b are solutions of a, and there are as many; a and b are chains over the same
// joints.
static void check_same_solutions(const arm *a, const lw_ik_result *one, const lw_ik_result *two)
{
    CHECK_INT(one->nsolution, two->nsolution);
    for (int i = 0; i < two->nsolution; ++i) {
        CHECK(find_solution(a->ik, one, two->solution[i].q, 1e-9) >= 0);
    }
}

static const char *const arms[][3] = {{"puma560.xml", "ground", "tool.flange"},
                                      {"ur5_class.xml", "ground", "wrist_3.tool"}};

TEST(K10_solutions_do_not_depend_on_the_seed_or_the_direction_of_the_chain)
{
    for (int k = 0; k < 2; ++k) {
        arm a = open_arm(arms[k][0], arms[k][1], arms[k][2]),
            world = open_arm(arms[k][0], NULL, arms[k][2]),
            reversed = open_arm(arms[k][0], arms[k][2], arms[k][1]);
        for (int n = 0; n < 50; ++n) {
            double q[6], seed[6];
            lw_ik_result r, s, t, w;
            random_position(&a, q);
            random_position(&a, seed);
            const lw_ik_target target = target_at(&a, q), from_world = target_at(&world, q),
                               back = target_at(&reversed, q);
            check_case("%s, pose %d", arms[k][0], n);
            CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_OK);
            CHECK(find_solution(a.ik, &r, q, 1e-8) >= 0);
            CHECK_INT(lw_ik_solve(reversed.ik, &back, seed, &s), LW_OK);
            check_same_solutions(&a, &r, &s);
            CHECK_INT(lw_ik_solve(world.ik, &from_world, seed, &w), LW_OK);
            check_same_solutions(&a, &w, &s);
            CHECK_INT(lw_ik_solve(a.ik, &target, seed, &t), LW_OK);
            check_same_solutions(&reversed, &s, &t);
        }
        close_arm(&a);
        close_arm(&world);
        close_arm(&reversed);
    }
}

TEST(K10_every_solution_is_one_by_forward_kinematics_and_has_a_label_of_its_own)
{
    for (int k = 0; k < 2; ++k) {
        arm a = open_arm(arms[k][0], arms[k][1], arms[k][2]);
        for (int n = 0; n < 200; ++n) {
            double q[6];
            lw_ik_result r;
            random_position(&a, q);
            const lw_ik_target target = target_at(&a, q);
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
        close_arm(&a);
    }
}

// Along a path that stays away from singular poses every branch moves on without a jump.
TEST(K10_labels_of_branches_stay_along_a_path)
{
    for (int k = 0; k < 2; ++k) {
        arm a = open_arm(arms[k][0], arms[k][1], arms[k][2]);
        double last[2][2][2][6], q[6];
        int seen[2][2][2] = {{{0}}}, compared = 0;
        for (int n = 0; n < 10000; ++n) {
            lw_ik_result r;
            const double t = 2.0 * PI * n / 10000.0;
            for (int i = 0; i < 6; ++i) {
                q[i] = 0.5 + 0.1 * i + 0.1 * sin((1.0 + i) * t);
            }
            const lw_ik_target target = target_at(&a, q);
            CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_OK);
            for (int i = 0; i < r.nsolution; ++i) {
                const lw_ik_branch *b = &r.solution[i].branch;
                const int x = b->shoulder > 0, y = b->elbow > 0, z = b->wrist > 0;
                if (seen[x][y][z] == n && n > 0) {
                    // The joints of the path move by 5e-4 a step; those of other branches by more
                    // where they are closer to singular poses.
                    CHECK(apart(lw_ik_describe(a.ik), last[x][y][z], r.solution[i].q) < 0.05);
                    ++compared;
                }
                memcpy(last[x][y][z], r.solution[i].q, sizeof last[x][y][z]);
                seen[x][y][z] = n + 1;
            }
        }
        CHECK(compared > 30000);
        close_arm(&a);
    }
}

static bool is_within(const arm *a, const double *q)
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
        arm a = open_arm(arms[k][0], arms[k][1], arms[k][2]);
        for (int n = 0; n < 20; ++n) {
            double q[6], q0[6], w[6], near[6], least = (double)INFINITY;
            lw_ik_result r;
            random_position(&a, q);
            random_position(&a, q0);
            const lw_ik_target target = target_at(&a, q);
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
                    CHECK(apart(lw_ik_describe(a.ik), w, r.solution[i].q) < 1e-12);
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
        close_arm(&a);
    }
}

TEST(K10_weights_decide_which_solution_is_nearest)
{
    arm a = open_arm("ur5_class.xml", "ground", "wrist_3.tool");
    double q[6] = {0.3, -1.2, 1.1, -0.7, 0.9, 0.4}, q0[6], one[6], two[6], weight[6];
    lw_ik_result r;
    const lw_ik_target target = target_at(&a, q);
    CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_OK);
    int changed = 0;
    for (int n = 0; n < 50; ++n) {
        random_position(&a, q0);
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
    close_arm(&a);
}

// A common factor of the weights changes nothing, though their squares overflow or vanish; numbers
// that are not finite are refused.
TEST(K10_the_nearest_solution_does_not_depend_on_the_scale_of_the_weights)
{
    static const lw_ik_metric metrics[] = {LW_IK_LARGEST_CHANGE, LW_IK_SUM_OF_SQUARES};
    static const double factors[] = {1e300, -1e300, 1e-300, 1.5e308};
    arm a = open_arm("ur5_class.xml", "ground", "wrist_3.tool");
    double q[6] = {0.3, -1.2, 1.1, -0.7, 0.9, 0.4}, q0[6], one[6], two[6], weight[6];
    lw_ik_result r;
    const lw_ik_target target = target_at(&a, q);
    CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_OK);
    for (int n = 0; n < 80; ++n) {
        const lw_ik_metric metric = metrics[n % 2];
        random_position(&a, q0);
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
    close_arm(&a);
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
                CHECK(find_solution(ik, &r, q, 1e-7) >= 0);
            }
            reference_numbers(json_object_get(pose, "q_generating"), generating, 6);
            for (int j = 0; j < r.nsolution; ++j) {
                const lw_ik_solution *s = &r.solution[j];
                CHECK(s->is_exact && s->residual <= 1e-12);
                is_near |= apart(lw_ik_describe(ik), s->q, generating) < 1e-6;
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
        arm a = {.m = k == 0 ? compile_file(path, true) : compile_text("ball.xml", ball, NULL)};
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
            random_position(&a, q);
            memcpy(seed, q, sizeof seed);
            for (int i = 0; i < 6; ++i) {
                seed[lw_ik_describe(a.ik)->position[i]] = 0.1;
            }
            const lw_ik_target target = target_at(&a, q);
            check_case("model %d, pose %d", k, n);
            CHECK_INT(lw_ik_solve(a.ik, &target, seed, &r), LW_OK);
            const int found = find_solution(a.ik, &r, q, 1e-7);
            if (CHECK(found >= 0)) {
                lw_ik_target again = target_at(&a, r.solution[found].q);
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
        close_arm(&a);
    }
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
        arm a[2] = {{0}};
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
            const lw_ik_target target = target_at(&a[0], q);
            CHECK_INT(lw_ik_solve(a[0].ik, &target, NULL, &r), LW_OK);
            CHECK_INT(lw_ik_solve(a[1].ik, &target, NULL, &nominal), LW_OK);
            CHECK(find_solution(a[0].ik, &r, q, 1e-9) >= 0);
            for (int i = 0; i < r.nsolution; ++i) {
                CHECK(r.solution[i].is_exact && r.solution[i].residual <= 1e-12);
            }
            // The branch of q has the same label on both arms, and nearly the same joints.
            const int at = find_solution(a[1].ik, &nominal, q, 0.3);
            const int here = find_solution(a[0].ik, &r, q, 1e-9);
            if (at >= 0 && here >= 0) {
                CHECK_INT(nominal.solution[at].branch.shoulder, r.solution[here].branch.shoulder);
                CHECK_INT(nominal.solution[at].branch.elbow, r.solution[here].branch.elbow);
                CHECK_INT(nominal.solution[at].branch.wrist, r.solution[here].branch.wrist);
            }
        }
        close_arm(&a[0]);
        close_arm(&a[1]);
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
        arm a = {.m = shared_model(path, false)};
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
            random_position(&a, q);
            const lw_ik_target target = target_at(&a, q);
            check_case("%s, pose %d", names[k], n);
            CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_OK);
            CHECK_INT(lw_ik_solve(certain, &target, NULL, &s), LW_OK);
            CHECK(r.nsolution <= s.nsolution);
            fewer += r.nsolution < s.nsolution;
            missed += find_solution(a.ik, &r, q, 1e-5) < 0;
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
        close_arm(&a);
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
        arm one = {.m = scaled_arm(n, 1.0, 0.0)};
        one.d = new_data(one.m);
        one.def = lw_default_ik_def(-1, lw_find_frame(one.m, "tool"));
        CHECK_INT(lw_ik_create(one.m, &one.def, &one.ik, NULL), LW_OK);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
            arm a = {.m = scaled_arm(n, cases[k].unit, cases[k].away), .def = one.def};
            a.d = new_data(a.m);
            CHECK_INT(lw_ik_create(a.m, &a.def, &a.ik, NULL), LW_OK);
            CHECK_TEXT(lw_ik_describe(a.ik)->class_name, lw_ik_describe(one.ik)->class_name);
            for (int pose = 0; pose < 20; ++pose) {
                double q[6];
                lw_ik_result r, s;
                random_position(&a, q);
                const lw_ik_target target = target_at(&a, q), same = target_at(&one, q);
                check_case("arm %d, %g m, %g m away, pose %d", n, cases[k].unit, cases[k].away,
                           pose);
                CHECK_INT(lw_ik_solve(one.ik, &same, NULL, &s), LW_OK);
                CHECK_INT(lw_ik_solve(a.ik, &target, NULL, &r), LW_OK);
                CHECK(find_solution(a.ik, &r, q, cases[k].tolerance) >= 0);
                CHECK_INT(r.nsolution, s.nsolution);
                for (int i = 0; i < s.nsolution; ++i) {
                    CHECK(find_solution(a.ik, &r, s.solution[i].q, cases[k].tolerance) >= 0);
                }
            }
            close_arm(&a);
        }
        close_arm(&one);
    }
}

TEST(K10_memory_of_the_caller_gives_the_same_bits)
{
    arm a = open_arm("ur5_class.xml", "ground", "wrist_3.tool");
    const size_t size = lw_ik_size(a.m, &a.def);
    char *block = malloc(size + 128);
    lw_ik *ik = NULL;
    double q[6] = {0.3, -1.2, 1.1, -0.7, 0.9, 0.4};
    const lw_ik_target target = target_at(&a, q);
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
    close_arm(&a);
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
    arm a = open_arm("puma560.xml", "ground", "tool.flange");
    char text[400];
    double q[6] = {0.1, -0.5, 0.6, 0.4, 0.8, 0.3};
    lw_ik_target target = target_at(&a, q);
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
    close_arm(&a);
}

TEST(K10_limits_that_exclude_every_solution_are_named)
{
    arm a = open_arm("puma560.xml", "ground", "tool.flange");
    int excluded = 0;
    for (int n = 0; n < 200; ++n) {
        double q[6];
        char text[400];
        lw_ik_result r;
        random_position(&a, q);
        const lw_ik_target target = target_at(&a, q);
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
    close_arm(&a);
}

int main(void)
{
    RUN(K10_every_solution_of_the_oracles_is_found);
    RUN(K10_solutions_do_not_depend_on_the_seed_or_the_direction_of_the_chain);
    RUN(K10_every_solution_is_one_by_forward_kinematics_and_has_a_label_of_its_own);
    RUN(K10_labels_of_branches_stay_along_a_path);
    RUN(K10_windings_and_the_nearest_solution_are_those_of_a_search);
    RUN(K10_weights_decide_which_solution_is_nearest);
    RUN(K10_the_nearest_solution_does_not_depend_on_the_scale_of_the_weights);
    RUN(K10_singular_poses_keep_the_seed);
    RUN(K10_out_of_reach_gives_the_nearest_configuration_and_its_distance);
    RUN(C15_joints_of_several_dof_stay_where_the_seed_has_them);
    RUN(K10_calibrated_arms_have_the_branches_of_the_nominal_one);
    RUN(K10_calibrated_arms_have_all_branches_next_to_singular_poses);
    RUN(K10_solutions_do_not_depend_on_the_unit_of_length);
    RUN(K10_memory_of_the_caller_gives_the_same_bits);
    RUN(K10_bad_definitions_and_targets_have_their_own_messages);
    RUN(K10_limits_that_exclude_every_solution_are_named);
    return REPORT();
}
