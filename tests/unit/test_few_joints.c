// Chains of one to five joints, and chains with prismatic joints: closed forms against generating
// joint positions, many starts of Newton's method, and other programs (K08, K10, C15).
#include "arm_newton.h"
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "random_arm.h"
#include "random_mech.h"
#include "reference.h"

#include "ik/few.h"

#include <linkwork/ik.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

enum { MOST = 64 };

typedef struct solution_set {
    int count;
    lwi_candidate at[MOST];
    double residual; // the largest
} solution_set;

static lwi_elimination workspace;

// Makes an arm from a text with three characters per joint: R or P; a letter for its direction,
// the same for parallel axes, upper case for one across that of its lower case; a letter for a
// point on the axis. '-' is any. A last letter t puts the tip's z axis through that point.
static lwi_arm random_arm(const char *spec)
{
    lw_vec3 direction[26], point[26];
    for (int i = 0; i < 26; ++i) {
        direction[i] = random_unit();
        point[i] = random_vector();
    }
    lwi_arm arm = {.X_BT = {random_rotation(), random_vector()}};
    for (; spec[0] && spec[1] && spec[2]; spec += spec[3] == ' ' ? 4 : 3) {
        const char d = spec[1], c = spec[2];
        arm.slides[arm.n] = spec[0] == 'P';
        arm.h[arm.n] = d >= 'a' && d <= 'z' ? direction[d - 'a'] : random_unit();
        if (d >= 'A' && d <= 'Z') {
            arm.h[arm.n] = lw_unit3(lw_cross3(direction[d - 'A'], arm.h[arm.n]));
        }
        arm.c[arm.n] = c != '-' ? point[c - 'a'] : random_vector();
        ++arm.n;
    }
    return arm;
}

static bool contains(const lwi_arm *arm, const solution_set *set, const lwi_angle *q,
                     double tolerance)
{
    for (int i = 0; i < set->count; ++i) {
        if (joints_apart(arm->n, set->at[i].q, q) <= tolerance) {
            return true;
        }
    }
    return false;
}

static void accept(const lwi_arm *arm, lwi_ik_rows rows, const lw_pose *X, int steps,
                   lwi_candidate *c, solution_set *set)
{
    double r = arm_residual(arm, rows, X, c->q, 1.0);
    if (r > 1e-13) {
        r = arm_refine(arm, rows, X, 1.0, 0, steps, c->q);
    }
    if (r <= 1e-11 && set->count < MOST && !contains(arm, set, c->q, 1e-6)) {
        set->at[set->count++] = *c;
        set->residual = fmax(set->residual, r);
    }
}

static lwi_few few_of(const lwi_arm *arm, lwi_ik_rows rows)
{
    lwi_few few;
    lwi_few_of(arm, rows, 1e-9, 1e-9, &few);
    return few;
}

static solution_set solve(const lwi_arm *arm, lwi_ik_rows rows, const lw_pose *X,
                          const lwi_angle *seed)
{
    const lwi_few few = few_of(arm, rows);
    solution_set set = {0};
    lwi_candidates list;
    lwi_role role[4] = {{0, 0}};
    int nrole = 1;
    if (few.kind == LWI_FEW_ELIMINATION) {
        nrole = 4;
        lwi_choose_roles(&few.arm, &workspace, nrole, role);
    }
    for (int k = 0; k < nrole; ++k) {
        lwi_few_solve(&few, X, seed, role[k], &workspace, &list);
        for (int i = 0; i < list.count; ++i) {
            for (int j = 0; j < arm->n; ++j) {
                CHECK(isfinite(list.at[i].q[j].s) && isfinite(list.at[i].q[j].c));
            }
            accept(arm, rows, X, 20, &list.at[i], &set);
        }
    }
    return set;
}

// The same by Newton's method from random configurations.
static solution_set many_starts(const lwi_arm *arm, lwi_ik_rows rows, const lw_pose *X, int starts)
{
    solution_set set = {0};
    for (int i = 0; i < starts; ++i) {
        lwi_candidate c = {.undetermined = 0};
        random_joints(arm, c.q);
        for (int k = 0; k < arm->n; ++k) {
            c.q[k].s *= arm->slides[k] ? 4.0 : 1.0;
        }
        accept(arm, rows, X, 60, &c, &set);
    }
    return set;
}

typedef struct arm_case {
    const char *spec;
    lwi_ik_rows rows;
    lwi_few_class kind;
    int most; // solutions
} arm_case;

static const arm_case cases[] = {
    // Positions of a point.
    {"R--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 1},
    {"P--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 1},
    {"R-- R--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 2},
    {"Ra- Ra-", LWI_ROWS_POSITION, LWI_FEW_POSITION, 2},
    {"R-p R-p", LWI_ROWS_POSITION, LWI_FEW_POSITION, 2},
    {"R-- P--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 2},
    {"Ra- PA-", LWI_ROWS_POSITION, LWI_FEW_POSITION, 2},
    {"P-- R--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 2},
    {"PA- Ra-", LWI_ROWS_POSITION, LWI_FEW_POSITION, 2},
    {"P-- P--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 1},
    {"P-- P-- P--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 1},
    {"R-- P-- P--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 2},
    {"Ra- PA- Pa-", LWI_ROWS_POSITION, LWI_FEW_POSITION, 2},
    {"P-- R-- P--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 2},
    {"Pa- Ra- PA-", LWI_ROWS_POSITION, LWI_FEW_POSITION, 2},
    {"P-- P-- R--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 2},
    {"R-- R-- P--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 4},
    {"R-p R-p P--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 4},
    {"R-- Rb- PB-", LWI_ROWS_POSITION, LWI_FEW_POSITION, 4},
    {"R-p Rbp PB-", LWI_ROWS_POSITION, LWI_FEW_POSITION, 4},
    {"Ra- Ra- P--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 2},
    {"Ra- Ra- Pa-", LWI_ROWS_POSITION, LWI_FEW_POSITION, 2},
    {"R-- Rb- Pb-", LWI_ROWS_POSITION, LWI_FEW_POSITION, 4},
    {"R-- P-- R--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 4},
    {"Ra- P-- Ra-", LWI_ROWS_POSITION, LWI_FEW_POSITION, 2},
    {"Ra- Pa- R--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 4},
    {"P-- R-- R--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 4},
    {"P-- Ra- Ra-", LWI_ROWS_POSITION, LWI_FEW_POSITION, 2},
    {"PB- Rb- R--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 4},
    {"P-- R-p R-p", LWI_ROWS_POSITION, LWI_FEW_POSITION, 4},
    {"R-- R-- R--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 4},
    {"R-p R-p R--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 4},
    {"R-- R-p R-p", LWI_ROWS_POSITION, LWI_FEW_POSITION, 4},
    {"R-- Ra- Ra-", LWI_ROWS_POSITION, LWI_FEW_POSITION, 4},
    {"Ra- Ra- R--", LWI_ROWS_POSITION, LWI_FEW_POSITION, 4},
    // Poses: fewer than six joints.
    {"R--", LWI_ROWS_POSE, LWI_FEW_WRIST, 1},
    {"P--", LWI_ROWS_POSE, LWI_FEW_WRIST, 1},
    {"R-- R--", LWI_ROWS_POSE, LWI_FEW_WRIST, 1},
    {"Ra- Ra-", LWI_ROWS_POSE, LWI_FEW_WRIST, 1},
    {"R-- P--", LWI_ROWS_POSE, LWI_FEW_WRIST, 1},
    {"R-- R-- R--", LWI_ROWS_POSE, LWI_FEW_WRIST, 1},
    {"Ra- Ra- Ra-", LWI_ROWS_POSE, LWI_FEW_WRIST, 2},
    {"R-w R-w R-w", LWI_ROWS_POSE, LWI_FEW_WRIST, 2},
    {"R-- P-- P--", LWI_ROWS_POSE, LWI_FEW_WRIST, 1},
    {"R-- R-- P--", LWI_ROWS_POSE, LWI_FEW_WRIST, 1},
    {"R-- R-- R-- R--", LWI_ROWS_POSE, LWI_FEW_WRIST, 1},
    {"R-- Ra- Ra- Ra-", LWI_ROWS_POSE, LWI_FEW_WRIST, 2},
    {"Ra- Ra- Ra- R--", LWI_ROWS_POSE, LWI_FEW_WRIST, 2},
    {"R-- Ra- Ra- R--", LWI_ROWS_POSE, LWI_FEW_WRIST, 2},
    {"Ra- Ra- Pa- Ra-", LWI_ROWS_POSE, LWI_FEW_WRIST, 2}, // SCARA
    {"Ra- Ra- Ra- Pa-", LWI_ROWS_POSE, LWI_FEW_WRIST, 2},
    {"Pa- Ra- Ra- Ra-", LWI_ROWS_POSE, LWI_FEW_WRIST, 2},
    {"Ra- Pa- Ra- Ra-", LWI_ROWS_POSE, LWI_FEW_WRIST, 2},
    {"Ra- Ra- P-- Ra-", LWI_ROWS_POSE, LWI_FEW_WRIST, 2},
    {"P-- P-- P-- R--", LWI_ROWS_POSE, LWI_FEW_WRIST, 1},
    {"R-- Ra- Ra- Raw R-w", LWI_ROWS_POSE, LWI_FEW_WRIST, 4},
    {"R-- R-- R-- R-w R-w", LWI_ROWS_POSE, LWI_FEW_WRIST, 2},
    {"R-w R-w R-- R-- R--", LWI_ROWS_POSE, LWI_FEW_WRIST, 2},
    {"R-- R-- R-w R-w R-w", LWI_ROWS_POSE, LWI_FEW_WRIST, 2},
    {"Ra- Ra- Pa- Raw R-w", LWI_ROWS_POSE, LWI_FEW_WRIST, 2},
    {"R-- Ra- Ra- Ra- R--", LWI_ROWS_POSE, LWI_FEW_SIX, 4},
    {"Ra- Ra- Ra- R-- R--", LWI_ROWS_POSE, LWI_FEW_SIX, 4},
    {"R-- R-- Ra- Ra- Ra-", LWI_ROWS_POSE, LWI_FEW_SIX, 4},
    {"R-- R-- R-- R-- R--", LWI_ROWS_POSE, LWI_FEW_ELIMINATION, 2},
    {"Ra- Ra- Pa- Ra- R--", LWI_ROWS_POSE, LWI_FEW_ORIENTATION, 2},
    // Poses: six joints, prismatic ones among them.
    {"P-- P-- P-- R-w R-w R-w", LWI_ROWS_POSE, LWI_FEW_WRIST, 2},
    {"P-- P-- P-- R-- R-- R--", LWI_ROWS_POSE, LWI_FEW_ORIENTATION, 2},
    {"P-- R-- P-- R-- P-- R--", LWI_ROWS_POSE, LWI_FEW_ORIENTATION, 2},
    {"R-p Rbp PB- R-w R-w R-w", LWI_ROWS_POSE, LWI_FEW_WRIST, 8}, // Stanford
    {"R-- R-- P-- R-w R-w R-w", LWI_ROWS_POSE, LWI_FEW_WRIST, 8},
    {"R-w R-w R-w P-- R-- R--", LWI_ROWS_POSE, LWI_FEW_WRIST, 8},
    {"P-- R-- R-- R-w R-w R-w", LWI_ROWS_POSE, LWI_FEW_WRIST, 8},
    {"R-- P-- R-- R-w R-w R-w", LWI_ROWS_POSE, LWI_FEW_WRIST, 8},
    {"R-- P-- P-- R-w R-w R-w", LWI_ROWS_POSE, LWI_FEW_WRIST, 4},
    {"Ra- Pa- PA- R-w R-w R-w", LWI_ROWS_POSE, LWI_FEW_WRIST, 4},
    {"P-- R-- Ra- Ra- Ra- R--", LWI_ROWS_POSE, LWI_FEW_ORIENTATION, 4},
    {"Ra- Ra- R-- P-- P-- R--", LWI_ROWS_POSE, LWI_FEW_ORIENTATION, 4},
    // Position and direction.
    {"R-- R--", LWI_ROWS_DIRECTION, LWI_FEW_WRIST, 1},
    {"R-- R-- R--", LWI_ROWS_DIRECTION, LWI_FEW_WRIST, 1},
    {"R-- Ra- Ra- Ra- R--", LWI_ROWS_DIRECTION, LWI_FEW_SIX, 8},
    {"R-- R-- R-- R-- R--", LWI_ROWS_DIRECTION, LWI_FEW_ELIMINATION, 16},
    {"R-- Ra- Ra- R--", LWI_ROWS_DIRECTION, LWI_FEW_ELIMINATION, 4},
};

TEST(K10_random_arms_of_every_class_give_back_their_joints)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const arm_case *c = &cases[i];
        for (int n = 0; n < 60; ++n) {
            const lwi_arm arm = random_arm(c->spec);
            lwi_angle q[LWI_ARM_JOINTS], seed[LWI_ARM_JOINTS];
            random_joints(&arm, q);
            random_joints(&arm, seed);
            check_case("%s, rows %d, arm %d", c->spec, c->rows, n);
            CHECK_INT(few_of(&arm, c->rows).kind, c->kind);
            const lw_pose X = lwi_arm_pose(&arm, q);
            const solution_set set = solve(&arm, c->rows, &X, seed);
            CHECK(contains(&arm, &set, q, 1e-6));
            CHECK(set.count <= c->most);
            CHECK(set.residual <= 1e-12);
        }
    }
}

TEST(K10_closed_forms_find_what_many_starts_find)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const arm_case *c = &cases[i];
        for (int n = 0; n < 3; ++n) {
            const lwi_arm arm = random_arm(c->spec);
            lwi_angle q[LWI_ARM_JOINTS], seed[LWI_ARM_JOINTS];
            random_joints(&arm, q);
            random_joints(&arm, seed);
            const lw_pose X = lwi_arm_pose(&arm, q);
            const solution_set one = solve(&arm, c->rows, &X, seed),
                               two = many_starts(&arm, c->rows, &X, 30 * c->most);
            check_case("%s, rows %d, arm %d", c->spec, c->rows, n);
            for (int k = 0; k < two.count; ++k) {
                CHECK(contains(&arm, &one, two.at[k].q, 1e-6));
            }
        }
    }
}

// The same solutions for any seed, whichever way the arm is seen and wherever it stands.
TEST(K10_solutions_do_not_depend_on_seed_base_or_direction_of_the_chain)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const arm_case *c = &cases[i];
        const lwi_arm arm = random_arm(c->spec), reversed = lwi_arm_reversed(&arm);
        const lw_pose T = {random_rotation(), random_vector()};
        lwi_angle q[LWI_ARM_JOINTS], seed[LWI_ARM_JOINTS], other[LWI_ARM_JOINTS];
        lwi_arm moved = arm;
        for (int k = 0; k < arm.n; ++k) {
            moved.h[k] = lw_rotate(&T.R, arm.h[k]);
            moved.c[k] = lw_pose_apply(&T, arm.c[k]);
        }
        moved.X_BT = lw_pose_mul(&T, &arm.X_BT);
        random_joints(&arm, q);
        random_joints(&arm, seed);
        random_joints(&arm, other);
        const lw_pose X = lwi_arm_pose(&arm, q), X_inverse = lw_pose_inverse(&X),
                      X_moved = lw_pose_mul(&T, &X);
        const solution_set one = solve(&arm, c->rows, &X, seed),
                           two = solve(&moved, c->rows, &X_moved, other),
                           three = c->rows == LWI_ROWS_POSE
                                       ? solve(&reversed, c->rows, &X_inverse, seed)
                                       : one;
        check_case("%s, rows %d", c->spec, c->rows);
        CHECK(one.count > 0);
        CHECK_INT(two.count, one.count);
        CHECK_INT(three.count, one.count);
        for (int k = 0; k < one.count; ++k) {
            lwi_angle back[LWI_ARM_JOINTS];
            for (int j = 0; j < arm.n; ++j) {
                back[j] = one.at[k].q[c->rows == LWI_ROWS_POSE ? arm.n - 1 - j : j];
            }
            CHECK(contains(&arm, &two, one.at[k].q, 1e-6));
            CHECK(contains(&reversed, &three, back, 1e-6));
        }
    }
}

// A label is one of the branches: along a path on which no two solutions meet it stays with them.
TEST(K10_labels_of_branches_are_distinct_and_stay_along_a_path)
{
    const lwi_arm arm = random_arm("R-- Ra- Ra- R-w R-w R-w");
    const lwi_arm stanford = random_arm("R-p Rbp PB- R-w R-w R-w");
    const lwi_arm *arms[] = {&arm, &stanford};
    for (int n = 0; n < 2; ++n) {
        lwi_arm a = *arms[n];
        if (n == 0) {
            a.slides[0] = true; // a slide and two parallel axes before the wrist
        }
        const lwi_few few = few_of(&a, LWI_ROWS_POSE);
        CHECK_INT(few.kind, LWI_FEW_WRIST);
        lwi_angle q[LWI_ARM_JOINTS];
        lwi_candidates before = {.count = 0}, now;
        random_joints(&a, q);
        for (int step = 0; step < 50; ++step) {
            for (int k = 0; k < a.n; ++k) {
                const lwi_angle by = angle_of(1e-6);
                q[k] = a.slides[k] ? (lwi_angle){q[k].s + 1e-6, 1.0}
                                   : (lwi_angle){q[k].s * by.c + q[k].c * by.s,
                                                 q[k].c * by.c - q[k].s * by.s};
            }
            const lw_pose X = lwi_arm_pose(&a, q);
            lwi_few_solve(&few, &X, q, (lwi_role){0, 0}, NULL, &now);
            for (int i = 0; i < now.count; ++i) {
                const lwi_candidate *c = &now.at[i];
                for (int k = 0; k < i; ++k) {
                    const lwi_candidate *o = &now.at[k];
                    CHECK(c->shoulder != o->shoulder || c->elbow != o->elbow ||
                          c->wrist != o->wrist);
                }
                for (int k = 0; k < before.count; ++k) {
                    const lwi_candidate *o = &before.at[k];
                    if (c->shoulder == o->shoulder && c->elbow == o->elbow &&
                        c->wrist == o->wrist) {
                        CHECK(joints_apart(a.n, c->q, o->q) < 1e-3);
                    }
                }
            }
            before = now;
        }
    }
}

// Joints that the pose does not determine keep the angles of the seed, and the pose is reached.
TEST(K10_singular_poses_keep_the_seed)
{
    static const char *const specs[] = {"R-p Rbp PB- R-w R-w R-w", "P-- P-- P-- R-w R-w R-w",
                                        "R-- P-- P-- R-w R-w R-w"};
    for (int n = 0; n < 60; ++n) {
        lwi_arm arm = random_arm(specs[n % 3]);
        lwi_angle q[LWI_ARM_JOINTS], seed[LWI_ARM_JOINTS];
        arm.h[5] = arm.h[3]; // in line at zero of the middle joint
        random_joints(&arm, q);
        random_joints(&arm, seed);
        q[4] = angle_of(0.0);
        const lw_pose X = lwi_arm_pose(&arm, q);
        const solution_set set = solve(&arm, LWI_ROWS_POSE, &X, seed);
        bool is_there = false;
        for (int i = 0; i < set.count; ++i) {
            const lwi_candidate *c = &set.at[i];
            if (fabs(c->q[4].s) < 1e-6 && c->q[4].c > 0.0) {
                CHECK_INT(c->undetermined, 8);
                CHECK(hypot(c->q[3].s - seed[3].s, c->q[3].c - seed[3].c) < 1e-15);
                is_there = true;
            }
        }
        check_case("%s, arm %d", specs[n % 3], n);
        CHECK(is_there);
    }
}

// With the wrist on the first axis the position leaves joint 1 open; the orientation gives it.
TEST(K10_five_joints_with_the_wrist_on_the_first_axis)
{
    for (int n = 0; n < 60; ++n) {
        lwi_arm arm = random_arm(n % 2 ? "R-- Ra- Ra- Raw R-w" : "R-w Raw Ra- Ra- R--");
        lwi_angle q[LWI_ARM_JOINTS], seed[LWI_ARM_JOINTS];
        random_joints(&arm, q);
        random_joints(&arm, seed);
        // At zero of joints 2 and 3, or of 3 and 4, the wrist is on the axis at the other end.
        if (n % 2) {
            arm.c[0] = arm.c[3];
            q[1] = q[2] = angle_of(0.0);
        } else {
            arm.c[4] = arm.c[0];
            q[2] = q[3] = angle_of(0.0);
        }
        const lw_pose X = lwi_arm_pose(&arm, q);
        const solution_set set = solve(&arm, LWI_ROWS_POSE, &X, seed);
        check_case("arm %d", n);
        CHECK(contains(&arm, &set, q, 1e-6));
    }
}

static lwi_arm planar_arm(int n)
{
    lwi_arm arm = {.n = n, .X_BT = lw_pose_identity()};
    for (int i = 0; i < n; ++i) {
        arm.h[i] = lw_vec3_of(0, 0, 1);
        arm.c[i] = lw_vec3_of(i, 0, 0);
    }
    arm.X_BT.p.x = n;
    return arm;
}

static void check_rows(const lwi_arm *arm, const solution_set *set, const json_t *rows)
{
    const json_t *row;
    size_t n;
    CHECK_INT(set->count, (long long)json_array_size(rows));
    json_array_foreach(rows, n, row)
    {
        double q[LWI_ARM_JOINTS];
        lwi_angle want[LWI_ARM_JOINTS];
        reference_numbers(json_is_array(row) ? row : json_object_get(row, "q"), q, arm->n);
        for (int k = 0; k < arm->n; ++k) {
            want[k] = arm->slides[k] ? (lwi_angle){q[k], 1.0} : angle_of(q[k]);
        }
        CHECK(contains(arm, set, want, 1e-8));
    }
}

static double number_of(const json_t *item, const char *name)
{
    return json_number_value(json_object_get(item, name));
}

TEST(K08_planar_arms_of_the_oracles)
{
    json_t *file = reference_read("ik_oracles.json");
    const json_t *special = json_object_get(file, "special"), *item;
    const lwi_angle zero[3] = {{0.0, 1.0}, {0.0, 1.0}, {0.0, 1.0}};
    const lwi_arm two = planar_arm(2), three = planar_arm(3);
    size_t i;
    json_array_foreach(json_object_get(special, "planar_2r"), i, item)
    {
        double p[2];
        reference_numbers(json_object_get(item, "tip"), p, 2);
        const lw_pose X = {lw_mat3_identity(), {p[0], p[1], 0.0}};
        const solution_set set = solve(&two, LWI_ROWS_POSITION, &X, zero);
        check_rows(&two, &set, json_object_get(item, "solutions"));
    }
    json_array_foreach(json_object_get(special, "planar_3r_pose"), i, item)
    {
        const lw_pose X = {lw_rotation_rpy(0, 0, number_of(item, "phi")),
                           {number_of(item, "x"), number_of(item, "y"), 0.0}};
        const solution_set set = solve(&three, LWI_ROWS_POSE, &X, zero);
        check_rows(&three, &set, json_object_get(item, "solutions"));
    }
    const lwi_few few = few_of(&two, LWI_ROWS_POSITION);
    json_array_foreach(json_object_get(special, "planar_2r_out_of_reach"), i, item)
    {
        double p[2];
        lwi_candidates list;
        reference_numbers(json_object_get(item, "tip"), p, 2);
        const lw_pose X = {lw_mat3_identity(), {p[0], p[1], 0.0}};
        lwi_few_solve(&few, &X, zero, (lwi_role){0, 0}, NULL, &list);
        for (int k = 0; k < list.count; ++k) {
            CHECK_NEAR(arm_residual(&two, LWI_ROWS_POSITION, &X, list.at[k].q, 1.0),
                       number_of(item, "residual"), 1e-14);
        }
        CHECK(list.count > 0);
    }
    json_decref(file);
}

// Through the public interface: from a file, between two frames.
static lw_ik *solver_of(const lw_model *m, const char *base, const char *tip, lw_ik_task task)
{
    lw_ik *ik = NULL;
    lw_ik_def def = lw_default_ik_def(lw_find_frame(m, base), lw_find_frame(m, tip));
    def.task = task;
    def.is_certain = true;
    def.ignores_limits = true;
    CHECK_INT(lw_ik_create(m, &def, &ik, NULL), LW_OK);
    return ik;
}

static double change(const lw_ik_info *info, const double *a, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < info->njoint; ++i) {
        const double d = a[info->position[i]] - b[info->position[i]];
        worst = fmax(worst, info->is_prismatic[i] ? fabs(d) : fabs(remainder(d, 2.0 * PI)));
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

TEST(K10_arms_of_the_oracles_with_four_and_five_joints_and_with_slides)
{
    static const char *const names[] = {"stanford", "scara_cobra600", "arm_5r"};
    json_t *file = reference_read("ik_oracles.json");
    const json_t *entry, *pose, *row;
    size_t i, k, n;
    int poses = 0;
    json_array_foreach(json_object_get(file, "arms"), i, entry)
    {
        const char *name = json_string_value(json_object_get(entry, "name"));
        bool is_one = false;
        for (int j = 0; j < 3; ++j) {
            is_one = is_one || strcmp(name, names[j]) == 0;
        }
        char path[300];
        snprintf(path, sizeof path, "models/urdf_ik/%s.urdf", name);
        lw_model *m = is_one ? shared_model(path, false) : NULL;
        if (!m) {
            continue;
        }
        lw_ik *ik = solver_of(m, "base", "tool", LW_IK_POSE);
        CHECK_INT(lw_ik_describe(ik)->method, LW_IK_CLOSED_FORM);
        json_array_foreach(json_object_get(entry, "poses"), k, pose)
        {
            double R[9], p[3], q[6];
            reference_numbers(json_object_get(pose, "R"), R, 9);
            reference_numbers(json_object_get(pose, "p"), p, 3);
            const lw_ik_target target = {
                .X_BT = {{{{R[0], R[1], R[2]}, {R[3], R[4], R[5]}, {R[6], R[7], R[8]}}},
                         {p[0], p[1], p[2]}}};
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
                reference_numbers(json_is_array(row) ? row : json_object_get(row, "q"), q,
                                  lw_ik_describe(ik)->njoint);
                CHECK(has_solution(ik, &r, q, 1e-8));
            }
            ++poses;
        }
        lw_ik_destroy(ik);
        lw_model_destroy(m);
    }
    CHECK(!file || poses == 15);
    json_decref(file);
}

// Random positions of the chain are among the solutions of their pose.
static void check_chain(const lw_model *m, const char *base, const char *tip, lw_ik_task task,
                        int poses)
{
    lw_ik *ik = solver_of(m, base, tip, task);
    lw_data *d = new_data(m);
    double q[64];
    for (int n = 0; n < poses && d && ik && m->nq <= 64; ++n) {
        const lw_ik_info *info = lw_ik_describe(ik);
        lw_ik_target target = {.has_redundancy = false};
        lw_ik_result r;
        memcpy(q, m->q_reference, sizeof(double) * (size_t)m->nq);
        for (int i = 0; i < info->njoint; ++i) {
            q[info->position[i]] =
                info->is_prismatic[i] ? check_random(-0.5, 0.5) : check_random(-PI, PI);
        }
        CHECK_INT(lw_forward_position(m, d, q), LW_OK);
        CHECK_INT(
            lw_relative_pose(m, d, lw_find_frame(m, base), lw_find_frame(m, tip), &target.X_BT),
            LW_OK);
        check_case("%s to %s, task %d, pose %d", base, tip, task, n);
        CHECK_INT(lw_ik_solve(ik, &target, NULL, &r), LW_OK);
        CHECK(r.nsolution > 0 && r.solution[0].is_exact);
        CHECK(has_solution(ik, &r, q, 1e-7));
        CHECK(info->nstep > 0 || info->nfact > 0);
    }
    lw_data_destroy(d);
    lw_ik_destroy(ik);
}

TEST(C15_every_instrument_of_the_turret_reaches_its_target)
{
    static const char *const instruments[] = {"arm/turret.imager", "arm/turret.abrader",
                                              "arm/turret.alpha_spectrometer",
                                              "arm/turret.mossbauer_spectrometer"};
    lw_model *m = compile_file(LINKWORK_SOURCE_DIR "/models/rover/rover.xml", false);
    for (int i = 0; m && i < 4; ++i) {
        check_chain(m, "body.arm_mount", instruments[i], LW_IK_POSE, 50);
        check_chain(m, "body.arm_mount", instruments[i], LW_IK_DIRECTION, 50);
    }
    lw_model_destroy(m);
}

TEST(C42_models_with_slides_are_solved_in_closed_form)
{
    static const char *const models[][3] = {{"scara.xml", "ground", "flange.tool"},
                                            {"gantry.xml", "ground", "hand.tool"},
                                            {"stanford.xml", "ground", "hand.tool"}};
    for (int i = 0; i < 3; ++i) {
        char path[300];
        snprintf(path, sizeof path, "%s/models/%s", LINKWORK_SOURCE_DIR, models[i][0]);
        lw_model *m = compile_file(path, false);
        if (m) {
            check_chain(m, models[i][1], models[i][2], LW_IK_POSE, 100);
        }
        lw_model_destroy(m);
    }
    lw_model *m = shared_model("models/urdf_arms/fanuc_m430ia2f.urdf", false);
    if (m) {
        check_chain(m, "base_link", "tool0", LW_IK_POSE, 100);
    }
    lw_model_destroy(m);
}

// Tasks with fewer rows than an arm has joints: the joints that are left over keep the seed's
// values.
TEST(K08_position_and_direction_tasks_of_arms_with_six_joints)
{
    lw_model *m = compile_file(LINKWORK_SOURCE_DIR "/models/puma560.xml", false);
    lw_data *d = m ? new_data(m) : NULL;
    for (int k = 0; k < 2 && d; ++k) {
        const lw_ik_task task = k == 0 ? LW_IK_POSITION : LW_IK_DIRECTION;
        lw_ik *ik = solver_of(m, "ground", "tool.flange", task);
        CHECK_INT(lw_ik_describe(ik)->method, LW_IK_CLOSED_FORM);
        for (int n = 0; n < 50; ++n) {
            double q[6];
            lw_ik_target target = {.has_redundancy = false};
            lw_ik_result r;
            for (int i = 0; i < 6; ++i) {
                q[i] = check_random(-PI, PI);
            }
            CHECK_INT(lw_forward_position(m, d, q), LW_OK);
            CHECK_INT(lw_relative_pose(m, d, lw_find_frame(m, "ground"),
                                       lw_find_frame(m, "tool.flange"), &target.X_BT),
                      LW_OK);
            check_case("task %d, pose %d", task, n);
            // A rotation about the flange's axis is none of the task.
            const lw_mat3 spin = lw_rotation_rpy(0, 0, check_random(-3, 3));
            target.X_BT.R = lw_mul3(&target.X_BT.R, &spin);
            CHECK_INT(lw_ik_solve(ik, &target, q, &r), LW_OK);
            CHECK(has_solution(ik, &r, q, 1e-7));
            CHECK(r.nsolution >= 2);
            for (int i = 0; i < r.nsolution; ++i) {
                lw_pose X;
                const double *s = r.solution[i].q;
                CHECK_INT(lw_forward_position(m, d, s), LW_OK);
                CHECK_INT(lw_relative_pose(m, d, lw_find_frame(m, "ground"),
                                           lw_find_frame(m, "tool.flange"), &X),
                          LW_OK);
                CHECK(lw_norm3(lw_sub3(X.p, target.X_BT.p)) < 1e-12);
                for (int row = 0; row < 3 && task == LW_IK_DIRECTION; ++row) {
                    CHECK_NEAR(X.R.row[row].z, target.X_BT.R.row[row].z, 1e-12);
                }
                for (int j = task == LW_IK_POSITION ? 3 : 5; j < 6; ++j) {
                    CHECK(s[j] == q[j] && r.solution[i].undetermined >> j & 1u);
                }
            }
        }
        lw_ik_destroy(ik);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Joints that the target leaves open have the seed's values, and the solution is one with them: the
// links are so short that Newton's method is tried on every candidate.
TEST(K10_solutions_of_short_links_hold_with_the_seed_of_open_joints)
{
    lw_mech *mech = NULL;
    lw_model *m = compile_text(
        "short.xml",
        "<linkwork version='1' name='short'><ground/>"
        "<joint name='a' type='revolute' from='ground' to='A' axis='0 0 1'/>"
        "<link name='A' mass='1' inertia='1 1 1'><b xyz='5e-4 0 1e-4'/></link>"
        "<joint name='b' type='revolute' from='A' to='B' axis='0 0 1'/>"
        "<link name='B' mass='1' inertia='1 1 1'><b xyz='4e-4 0 0'/></link>"
        "<joint name='c' type='revolute' from='B' to='C' axis='0 0 1'/>"
        "<link name='C' mass='1' inertia='1 1 1'><b xyz='3e-4 0 0'/></link>"
        "<joint name='d' type='revolute' from='C' to='D' axis='0 0 1'/>"
        "<link name='D' mass='1' inertia='1 1 1'><frame name='tool' xyz='2e-4 1e-4 0'/></link>"
        "</linkwork>",
        &mech);
    lw_data *d = m ? new_data(m) : NULL;
    lw_ik *ik = d ? solver_of(m, "ground", "D.tool", LW_IK_POSITION) : NULL;
    CHECK(ik != NULL);
    for (int n = 0; n < 200 && ik; ++n) {
        double q[4], seed[4];
        lw_ik_target target = {.has_redundancy = false};
        lw_ik_result r;
        const int tip = lw_find_frame(m, "D.tool");
        for (int i = 0; i < 4; ++i) {
            q[i] = check_random(-PI, PI);
            seed[i] = check_random(-PI, PI);
        }
        check_case("pose %d", n);
        CHECK_INT(lw_pose_of_frame(m, d, q, tip, &target.X_BT), LW_OK);
        CHECK_INT(lw_ik_solve(ik, &target, seed, &r), LW_OK);
        for (int i = 0; i < r.nsolution; ++i) {
            lw_pose X;
            CHECK_INT(lw_pose_of_frame(m, d, r.solution[i].q, tip, &X), LW_OK);
            CHECK(!r.solution[i].is_exact || lw_norm3(lw_sub3(X.p, target.X_BT.p)) < 2e-12);
            for (int j = 0; j < 4; ++j) {
                CHECK(!(r.solution[i].undetermined >> j & 1u) || r.solution[i].q[j] == seed[j]);
            }
        }
    }
    lw_ik_destroy(ik);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

TEST(K10_a_prismatic_joint_in_the_plane_of_two_axes_has_a_class)
{
    for (int k = 0; k < 2; ++k) {
        lw_mech *mech = NULL;
        char text[700];
        snprintf(text, sizeof text,
                 "<linkwork version='1' name='flat'><ground/>"
                 "<joint name='a' type='prismatic' from='ground' to='A' axis='1 0 0'/>"
                 "<link name='A' mass='1' inertia='1 1 1'/>"
                 "<joint name='b' type='%s' from='A' to='B' axis='%s'/>"
                 "<link name='B' mass='1' inertia='1 1 1'><b xyz='0.4 0 0'/></link>"
                 "<joint name='c' type='revolute' from='B' to='C' axis='0 0 1'/>"
                 "<link name='C' mass='1' inertia='1 1 1'>"
                 "<frame name='tool' xyz='0.3 0 0'/></link></linkwork>",
                 k ? "revolute" : "prismatic", k ? "0 0 1" : "0 1 0");
        lw_model *m = compile_text("flat.xml", text, &mech);
        lw_ik *ik = m ? solver_of(m, "ground", "C.tool", LW_IK_POSITION) : NULL;
        CHECK(ik && lw_ik_describe(ik)->class_name);
        CHECK_TEXT(ik ? lw_ik_describe(ik)->class_name : "",
                   k ? "two parallel axes" : "a prismatic joint and an axis");
        lw_ik_destroy(ik);
        lw_model_destroy(m);
        lw_mech_destroy(mech);
    }
}

int main(void)
{
    RUN(K10_random_arms_of_every_class_give_back_their_joints);
    RUN(K10_closed_forms_find_what_many_starts_find);
    RUN(K10_solutions_do_not_depend_on_seed_base_or_direction_of_the_chain);
    RUN(K10_labels_of_branches_are_distinct_and_stay_along_a_path);
    RUN(K10_singular_poses_keep_the_seed);
    RUN(K10_five_joints_with_the_wrist_on_the_first_axis);
    RUN(K08_planar_arms_of_the_oracles);
    RUN(K10_arms_of_the_oracles_with_four_and_five_joints_and_with_slides);
    RUN(C15_every_instrument_of_the_turret_reaches_its_target);
    RUN(C42_models_with_slides_are_solved_in_closed_form);
    RUN(K08_position_and_direction_tasks_of_arms_with_six_joints);
    RUN(K10_solutions_of_short_links_hold_with_the_seed_of_open_joints);
    RUN(K10_a_prismatic_joint_in_the_plane_of_two_axes_has_a_class);
    return REPORT();
}
