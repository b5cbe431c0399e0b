// The constraint solver (C02, C11, C12, C22, C35, C43): rows against differences, closed-form
// answers, priorities, limits, conflicts, and what is refused.
#include "arrays.h"
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"

#include "ik/constraint_set.h"

#include <linkwork/constraints.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A planar arm of three links of 1 m about z.
static const char planar[] =
    "<linkwork version='1' name='planar'><ground/>"
    "<joint name='j1' type='revolute' from='ground' to='a'/>"
    "<link name='a' mass='1' center='0.5 0 0'><frame name='tip' xyz='1 0 0'/></link>"
    "<joint name='j2' type='revolute' from='a.tip' to='b'/>"
    "<link name='b' mass='1' center='0.5 0 0'><frame name='tip' xyz='1 0 0'/></link>"
    "<joint name='j3' type='revolute' from='b.tip' to='c'/>"
    "<link name='c' mass='1' center='0.5 0 0'><frame name='tip' xyz='1 0 0'/></link></linkwork>";

typedef struct solver {
    lw_model *m;
    lw_data *d;
    lw_constraints *set;
    lw_constraint_result found;
} solver;

static solver solve(lw_model *m, int n, const lw_constraint_def *def,
                    const lw_constraint_options *options, const double *seed)
{
    solver s = {.m = m, .d = new_data(m)};
    lw_report *report = new_report();
    CHECK_INT(lw_constraints_create(m, n, def, options, &s.set, report), LW_OK);
    if (!s.set) {
        print_diagnostics(report);
    }
    lw_report_destroy(report);
    CHECK_INT(lw_constraints_solve(s.set, seed, &s.found), LW_OK);
    return s;
}

static void end(solver *s)
{
    lw_constraints_destroy(s->set);
    lw_data_destroy(s->d);
    lw_model_destroy(s->m);
}

static lw_pose pose_at(solver *s, const double *q, const char *frame)
{
    lw_pose X = lw_pose_identity();
    CHECK_INT(lw_pose_of_frame(s->m, s->d, q, lw_find_frame(s->m, frame), &X), LW_OK);
    return X;
}

static lw_constraint_def of_frame(const lw_model *m, const char *name, lw_constraint_type type,
                                  const char *frame)
{
    lw_constraint_def def = lw_default_constraint_def(name, type);
    def.frame = lw_find_frame(m, frame);
    CHECK(def.frame >= 0);
    return def;
}

static lw_constraint_def position_of(const lw_model *m, const char *name, const char *frame,
                                     double x, double y, double z)
{
    lw_constraint_def def = of_frame(m, name, LW_CONSTRAINT_POSITION, frame);
    def.target.p = lw_vec3_of(x, y, z);
    return def;
}

// --- Closed-form answers ----------------------------------------------------------------------

TEST(an_arm_out_of_reach_points_at_its_target_C43)
{
    lw_model *m = compile_text("planar.xml", planar, NULL);
    const lw_constraint_def def = position_of(m, "reach", "c.tip", 2.1, 2.8, 0.0); // 3.5 m away
    solver s = solve(m, 1, &def, NULL, NULL);
    CHECK_INT(s.found.status, LW_CONSTRAINTS_BEST);
    CHECK(s.found.kkt <= 1e-9);
    CHECK_NEAR(s.found.constraint[0].residual, 0.5, 1e-9);
    CHECK_NEAR(s.found.q[0], atan2(2.8, 2.1), 1e-8);
    CHECK_NEAR(s.found.q[1], 0.0, 1e-8);
    CHECK_NEAR(s.found.q[2], 0.0, 1e-8);
    CHECK_INT(s.found.constraint[0].conflict, -1); // out of reach by itself
    CHECK_INT(s.found.nconflict, 0);
    end(&s);
}

TEST(an_arm_within_reach_meets_its_target_C43)
{
    lw_model *m = compile_text("planar.xml", planar, NULL);
    const lw_constraint_def def = position_of(m, "reach", "c.tip", 1.5, 1.0, 0.0);
    solver s = solve(m, 1, &def, NULL, NULL);
    CHECK_INT(s.found.status, LW_CONSTRAINTS_SOLVED);
    const lw_pose X = pose_at(&s, s.found.q, "c.tip");
    CHECK_NEAR(X.p.x, 1.5, 1e-9);
    CHECK_NEAR(X.p.y, 1.0, 1e-9);
    end(&s);
}

// One level is a compromise, two are not.
TEST(levels_are_strict_priorities_C12)
{
    lw_model *m = compile_text("planar.xml", planar, NULL);
    lw_constraint_def def[2] = {position_of(m, "first", "c.tip", 1.5, 1.0, 0.0),
                                position_of(m, "second", "c.tip", 1.5, 2.0, 0.0)};
    solver s = solve(m, 2, def, NULL, NULL);
    CHECK_INT(s.found.status, LW_CONSTRAINTS_BEST);
    CHECK_NEAR(s.found.constraint[0].residual, 0.5, 1e-9);
    CHECK_NEAR(s.found.constraint[1].residual, 0.5, 1e-9);
    CHECK_INT(s.found.constraint[0].conflict, 0);
    CHECK_INT(s.found.constraint[1].conflict, 0);
    CHECK_INT(s.found.nconflict, 1);
    lw_constraints_destroy(s.set);
    lw_data_destroy(s.d);
    def[1].level = 1;
    s = solve(m, 2, def, NULL, NULL);
    CHECK_INT(s.found.status, LW_CONSTRAINTS_BEST);
    CHECK(s.found.constraint[0].residual < 1e-9);
    CHECK_NEAR(s.found.constraint[1].residual, 1.0, 1e-9);
    CHECK_INT(s.found.constraint[1].conflict, 0);
    CHECK(s.found.kkt <= 1e-9);
    end(&s);
}

// A level that cannot be met is not given up for the one after it.
TEST(a_level_out_of_reach_is_held_at_its_best_C12)
{
    lw_model *m = compile_text("planar.xml", planar, NULL);
    lw_constraint_def def[2] = {position_of(m, "reach", "c.tip", 3.5, 0.0, 0.0),
                                lw_default_constraint_def("posture", LW_CONSTRAINT_POSTURE)};
    const double posture[3] = {0.3, 0.8, -0.4};
    def[1].posture = posture;
    def[1].level = 1;
    solver s = solve(m, 2, def, NULL, NULL);
    CHECK_NEAR(s.found.constraint[0].residual, 0.5, 1e-9);
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(s.found.q[k], 0.0, 1e-7);
    }
    CHECK_INT(s.found.status, LW_CONSTRAINTS_BEST);
    end(&s);
}

TEST(a_posture_is_kept_in_the_null_space_C12)
{
    lw_model *m = compile_text("planar.xml", planar, NULL);
    lw_constraint_def def[2] = {position_of(m, "reach", "c.tip", 1.5, 1.0, 0.0),
                                lw_default_constraint_def("posture", LW_CONSTRAINT_POSTURE)};
    const double posture[3] = {0.1, 0.9, 0.2};
    def[1].posture = posture;
    def[1].level = 1;
    solver s = solve(m, 2, def, NULL, NULL);
    CHECK(s.found.constraint[0].residual < 1e-9);
    CHECK(s.found.kkt <= 1e-9);
    // What is left of the posture has no component along the self-motion: J dq = 0.
    double J[18];
    CHECK_INT(lw_frame_jacobian(m, s.d, s.found.q, lw_find_frame(m, "c.tip"), LW_IN_WORLD, NULL, J),
              LW_OK);
    const lw_vec3 x = {J[9], J[10], J[11]}, y = {J[12], J[13], J[14]}, self = lw_cross3(x, y);
    const lw_vec3 left = {s.found.q[0] - posture[0], s.found.q[1] - posture[1],
                          s.found.q[2] - posture[2]};
    CHECK_NEAR(lw_dot3(self, left), 0.0, 1e-8);
    end(&s);
}

// --- Rows -------------------------------------------------------------------------------------

// A user's row: half a metre and the square of the height of a frame.
static lw_status squared_height(void *self, const lw_constraint_state *at, double *value, double *J)
{
    const int frame = *(const int *)self;
    lw_pose X;
    const lw_status status = lw_frame_pose(at->model, at->data, frame, &X);
    value[0] = 0.5 + X.p.z * X.p.z;
    if (status == LW_OK && J) {
        const lw_vec3 none = {0.0, 0.0, 0.0}, up = {0.0, 0.0, 2.0 * X.p.z};
        return lw_constraint_add_row(at, frame, -1, X.p, none, up, J);
    }
    return status;
}

static const lw_constraint_kind height_kind = {"height", squared_height};

// A constraint of each type between two frames, with numbers that none of them meets.
static lw_constraint_def of_type(const lw_model *m, lw_constraint_type type, int frame, int other,
                                 const int *user)
{
    lw_constraint_def def = lw_default_constraint_def("law", type);
    def.frame = frame;
    def.relative_to = other;
    def.point = random3(0.2);
    def.axis = lw_vec3_of(0.3, -0.8, 0.4);
    def.target.R = lw_rotation_rpy(0.4, -0.9, 1.3);
    def.target.p = random3(0.6);
    def.direction = lw_vec3_of(-0.2, 0.5, 0.7);
    def.value = 0.3;
    def.dof = m->v_tree[m->nv - 1];
    def.source = m->v_tree[m->nv - 2];
    def.nterm = 3;
    def.term[0] = 0.4;
    def.term[1] = -0.7;
    def.term[2] = 0.6;
    const double corner[4][2] = {{2.0, 1.0}, {1.5, 2.0}, {1.0, 1.5}, {1.2, 1.0}};
    def.ncorner = 4;
    memcpy(def.corner, corner, sizeof corner);
    def.weight = 2.3;
    def.kind = &height_kind;
    def.nrow = 1;
    def.self = (void *)(size_t)user;
    return def;
}

static void move_coordinate(const lw_model *m, const double *q, int k, double step, double *out)
{
    double *v = numbers(m->nv);
    v[k] = step;
    CHECK_INT(lw_integrate(m, q, v, 1.0, out), LW_OK);
    free(v);
}

// The gradient of half the squares by rows and by differences. Rows of a twist have no value.
static void check_gradient(const lw_model *m, const lw_constraint_def *def, const double *q)
{
    lw_constraints *set = NULL;
    CHECK_INT(lw_constraints_create(m, 1, def, NULL, &set, NULL), LW_OK);
    if (!set) {
        return;
    }
    const int level = set->ndependent > 0;
    double *moved = numbers(m->nq);
    CHECK_INT(lwi_constraints_evaluate(set, &set->at[0], q), LW_OK);
    CHECK(set->at[0].E[level] > 1e-6 || def->type == LW_CONSTRAINT_TWIST);
    for (int k = 0; k < m->nv; ++k) {
        const double h = 1e-6;
        double g = 0.0, E[2];
        for (int r = 0; r < set->item[0].nrow; ++r) {
            g += set->at[0].e[r] * set->at[0].A[r * set->n + k];
        }
        for (int side = 0; side < 2; ++side) {
            move_coordinate(m, q, k, side ? h : -h, moved);
            CHECK_INT(lwi_constraints_evaluate(set, &set->at[1], moved), LW_OK);
            E[side] = set->at[1].E[level];
        }
        check_case("type %d, coordinate %d", (int)def->type, k);
        // Central differences: h^2 times third derivatives, and roundings of E over h.
        CHECK_NEAR(g, (E[1] - E[0]) / (2.0 * h), 1e-7 * (1.0 + fabs(g)));
    }
    free(moved);
    lw_constraints_destroy(set);
}

static void check_every_type(lw_model *m, const char *frame, const char *other)
{
    const int user = lw_find_frame(m, frame), to = other ? lw_find_frame(m, other) : -1;
    CHECK(user >= 0);
    double *q = numbers(m->nq);
    for (int type = LW_CONSTRAINT_POSE; type <= LW_CONSTRAINT_USER; ++type) {
        memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
        for (int k = 0; k < m->nv; ++k) {
            move_coordinate(m, q, k, check_random(-0.1, 0.1), q);
        }
        lw_constraint_def def = of_type(m, (lw_constraint_type)type, user, to, &user);
        check_gradient(m, &def, q);
        if (type == LW_CONSTRAINT_FACE) {
            continue; // has no bounds
        }
        def.lower = 0.01; // one row of angle or distance, or hinges
        def.upper = 0.02;
        check_gradient(m, &def, q);
    }
    free(q);
    lw_model_destroy(m);
}

TEST(rows_have_the_gradient_of_their_squares_C11_C35)
{
    check_every_type(shipped_model("humanoid/humanoid.xml"), "left_arm/forearm.hand", NULL);
    check_every_type(shipped_model("humanoid/humanoid.xml"), "left_arm/forearm.hand",
                     "right_leg/foot.sole");
    check_every_type(shipped_model("rover/rover.xml"), "arm/turret.imager", NULL);
    check_every_type(shipped_model("closed/palletiser.xml"), "Payload.flange", NULL);
    check_every_type(shipped_model("closed/five_bar.xml"), "left_forearm.tool", "right_arm.elbow");
}

// --- Loops, views, limits ---------------------------------------------------------------------

// The four-bar of the models as a tree, whose loop is a constraint.
TEST(a_cut_four_bar_equals_its_closed_form_C22)
{
    static const char cut[] =
        "<linkwork version='1' name='cut'><ground><frame name='right' xyz='0.4 0 0'/></ground>"
        "<joint name='crank' type='revolute' axis='0 -1 0' from='ground' to='crank' reference='1'/>"
        "<link name='crank' mass='1'><frame name='tip' xyz='0.1 0 0'/></link>"
        "<joint name='coupler' type='revolute' axis='0 -1 0' from='crank.tip' to='coupler' "
        "reference='-0.4'/><link name='coupler' mass='1'><frame name='tip' xyz='0.35 0 0'/></link>"
        "<joint name='rocker' type='revolute' axis='0 -1 0' from='ground.right' to='rocker' "
        "reference='1.6'/><link name='rocker' mass='1'><frame name='tip' xyz='0.3 0 0'/></link>"
        "</linkwork>";
    lw_model *closed = shipped_model("closed/four_bar.xml");
    lw_data *d = new_data(closed);
    lw_model *m = compile_text("cut.xml", cut, NULL);
    lw_constraint_def def[2] = {lw_default_constraint_def("crank", LW_CONSTRAINT_JOINT),
                                position_of(m, "loop", "coupler.tip", 0.0, 0.0, 0.0)};
    def[1].relative_to = lw_find_frame(m, "rocker.tip");
    double seed[3], tree[3];
    memcpy(seed, m->q_reference, sizeof seed);
    for (int i = 0; i <= 40; ++i) { // from one configuration to the next, once around
        def[0].value = 1.0 + 0.05 * 3.14159 * i;
        seed[0] = def[0].value;
        solver s = {.m = m};
        CHECK_INT(lw_constraints_create(m, 2, def, NULL, &s.set, NULL), LW_OK);
        CHECK_INT(lw_constraints_solve(s.set, seed, &s.found), LW_OK);
        CHECK_INT(s.found.status, LW_CONSTRAINTS_SOLVED);
        CHECK_INT(lw_tree_state(closed, d, &def[0].value, NULL, NULL, tree, NULL, NULL), LW_OK);
        check_case("crank at %g", def[0].value);
        for (int k = 0; k < 3; ++k) { // tree order: crank, coupler, rocker
            CHECK_NEAR(cos(s.found.q[k] - tree[k]), 1.0, 1e-12);
        }
        memcpy(seed, s.found.q, sizeof seed);
        lw_constraints_destroy(s.set);
    }
    lw_data_destroy(d);
    lw_model_destroy(closed);
    lw_model_destroy(m);
}

// One model, two sets: the mast alone, and everything together.
TEST(an_appendage_and_the_whole_are_solved_on_one_model_C02)
{
    lw_model *m = shipped_model("rover/rover.xml");
    lw_constraint_def def[2] = {of_frame(m, "eye", LW_CONSTRAINT_LOOK_AT, "mast/head.left_eye"),
                                position_of(m, "arm", "arm/turret.imager", 1.4, 0.1, 0.5)};
    def[0].target.p = lw_vec3_of(2.0, 0.5, 0.0);
    bool moves[64] = {false};
    CHECK(m->nv <= 64);
    for (int k = 0; k < m->nv; ++k) {
        moves[k] = strncmp(m->velocity_name[k], "mast/", 5) == 0;
    }
    const lw_constraint_options mast = {.moves = moves};
    solver s = solve(m, 1, def, &mast, NULL);
    CHECK_INT(s.found.status, LW_CONSTRAINTS_SOLVED);
    for (int k = 0; k < m->nv; ++k) {
        const int i = lw_position_of_dof(m, k);
        CHECK(moves[k] || i < 0 || s.found.q[i] == m->q_reference[i]);
    }
    const lw_pose eye = pose_at(&s, s.found.q, "mast/head.left_eye");
    const lw_vec3 z = {eye.R.row[0].z, eye.R.row[1].z, eye.R.row[2].z};
    CHECK_NEAR(lw_norm3(lw_cross3(z, lw_unit3(lw_sub3(def[0].target.p, eye.p)))), 0.0, 1e-9);
    lw_constraints_destroy(s.set);
    lw_data_destroy(s.d);
    s = solve(m, 2, def, NULL, NULL);
    CHECK_INT(s.found.status, LW_CONSTRAINTS_SOLVED);
    CHECK_NEAR(distance3(pose_at(&s, s.found.q, "arm/turret.imager").p, def[1].target.p), 0.0,
               1e-9);
    end(&s);
}

TEST(a_limit_that_holds_a_constraint_back_is_named)
{
    static const char limited[] =
        "<linkwork version='1' name='limited'><ground/>"
        "<joint name='j' type='revolute' from='ground' to='a' lower='-1' upper='0.5'/>"
        "<link name='a' mass='1'><frame name='tip' xyz='1 0 0'/></link></linkwork>";
    lw_model *m = compile_text("limited.xml", limited, NULL);
    const lw_constraint_def def = position_of(m, "reach", "a.tip", cos(0.8), sin(0.8), 0.0);
    solver s = solve(m, 1, &def, NULL, NULL);
    CHECK_INT(s.found.status, LW_CONSTRAINTS_BEST);
    CHECK_NEAR(s.found.q[0], 0.5, 0.0);
    CHECK_INT(s.found.nlimit, 1);
    CHECK(s.found.limit[0].is_upper);
    CHECK_INT(s.found.limit[0].conflict, s.found.constraint[0].conflict);
    CHECK_INT(s.found.constraint[0].conflict, 0);
    // dE/dq at the limit, E = |p - p*|^2 / 2 = 1 - cos(q - 0.8).
    CHECK_NEAR(s.found.limit[0].multiplier, sin(0.3), 1e-12);
    end(&s);
}

// Two conflicts on two arms of one mechanism are two groups.
TEST(conflicts_are_grouped_by_what_they_push)
{
    lw_model *m = shipped_model("two_arms/two_arms.xml");
    lw_constraint_def def[5] = {position_of(m, "a", "left_arm/hand.grip", 0.5, 0.25, 0.6),
                                position_of(m, "b", "left_arm/hand.grip", 0.5, 0.25, 0.7),
                                position_of(m, "c", "right_arm/hand.grip", 0.5, -0.25, 0.6),
                                position_of(m, "d", "right_arm/hand.grip", 0.5, -0.25, 0.65),
                                position_of(m, "e", "front_left/shin.foot", 0.25, 0.16, 0.0)};
    bool moves[64];
    for (int k = 0; k < m->nv; ++k) {
        moves[k] = k >= 6; // the base stands
    }
    const lw_constraint_options options = {.moves = moves};
    solver s = solve(m, 5, def, &options, NULL);
    CHECK_INT(s.found.status, LW_CONSTRAINTS_BEST);
    CHECK_INT(s.found.nconflict, 2);
    CHECK_INT(s.found.constraint[0].conflict, s.found.constraint[1].conflict);
    CHECK_INT(s.found.constraint[2].conflict, s.found.constraint[3].conflict);
    CHECK(s.found.constraint[0].conflict != s.found.constraint[2].conflict);
    CHECK_INT(s.found.constraint[4].conflict, -1);
    CHECK(s.found.constraint[4].is_met);
    end(&s);
}

// Twins: the relative pose of two hands does not depend on where the base is.
TEST(a_relative_pose_is_invariant_to_the_base_C12)
{
    lw_model *m = shipped_model("two_arms/two_arms.xml");
    lw_constraint_def def = of_frame(m, "bar", LW_CONSTRAINT_POSITION, "left_arm/hand.grip");
    def.relative_to = lw_find_frame(m, "right_arm/hand.grip");
    def.target.p = lw_vec3_of(0.05, 0.3, 0.02);
    double q[64];
    memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
    solver s = solve(m, 1, &def, NULL, NULL);
    CHECK_INT(s.found.status, LW_CONSTRAINTS_SOLVED);
    double first[64];
    memcpy(first, s.found.q, (size_t)m->nq * sizeof *first);
    const lw_quat turned = {0.8, 0.36, -0.48, 0.0};
    memcpy(&q[3], &turned, sizeof turned);
    q[0] += 3.0;
    CHECK_INT(lw_constraints_solve(s.set, q, &s.found), LW_OK);
    CHECK_INT(s.found.status, LW_CONSTRAINTS_SOLVED);
    for (int i = 7; i < m->nq; ++i) {
        CHECK_NEAR(s.found.q[i], first[i], 1e-9);
    }
    end(&s);
}

// Nothing may move: the residual is that of the seed, and no start fails.
TEST(a_set_that_moves_nothing_is_evaluated)
{
    lw_model *m = compile_text("planar.xml", planar, NULL);
    const lw_constraint_def def = position_of(m, "reach", "c.tip", 1.0, 0.0, 0.0);
    const bool moves[3] = {false, false, false};
    const lw_constraint_options options = {.moves = moves};
    solver s = solve(m, 1, &def, &options, NULL);
    CHECK_INT(s.found.status, LW_CONSTRAINTS_BEST);
    CHECK_NEAR(s.found.constraint[0].residual, 2.0, 1e-15);
    end(&s);
}

TEST(the_same_bits_come_out_on_every_run)
{
    lw_model *m = shipped_model("humanoid/humanoid.xml");
    lw_constraint_def def[2] = {position_of(m, "hand", "left_arm/forearm.hand", 0.4, 0.3, 1.2),
                                lw_default_constraint_def("rest", LW_CONSTRAINT_POSTURE)};
    def[1].level = 1;
    solver s = solve(m, 2, def, NULL, NULL);
    double first[64];
    memcpy(first, s.found.q, (size_t)m->nq * sizeof *first);
    lw_constraint_def other = def[0];
    other.target.p.x = 0.1;
    CHECK_INT(lw_constraints_update(s.set, 0, &other), LW_OK);
    CHECK_INT(lw_constraints_solve(s.set, NULL, &s.found), LW_OK);
    CHECK(memcmp(first, s.found.q, (size_t)m->nq * sizeof *first) != 0);
    CHECK_INT(lw_constraints_update(s.set, 0, &def[0]), LW_OK);
    CHECK_INT(lw_constraints_solve(s.set, NULL, &s.found), LW_OK);
    CHECK(memcmp(first, s.found.q, (size_t)m->nq * sizeof *first) == 0);
    other.level = 3;
    CHECK_INT(lw_constraints_update(s.set, 0, &other), LW_ERR_ARGUMENT);
    other = def[0];
    other.target.p.y = (double)NAN;
    CHECK_INT(lw_constraints_update(s.set, 0, &other), LW_ERR_NUMBER);
    end(&s);
}

// --- Numbers of other programs ----------------------------------------------------------------

// The best of many starts of another program: ours is as good or better, and certified.
TEST(out_of_reach_is_as_near_as_another_program_found_C43)
{
    static const char *const lists[][2] = {{"out_of_reach_puma560", "puma560"},
                                           {"out_of_reach_ur5", "ur5"},
                                           {"out_of_reach_panda_limits", "panda"}};
    json_t *file = reference_read("ik_oracles.json");
    const json_t *special = json_object_get(file, "special"), *entry;
    size_t i;
    for (int list = 0; list < 3 && file; ++list) {
        char path[100];
        snprintf(path, sizeof path, "models/urdf_ik/%s.urdf", lists[list][1]);
        lw_model *m = shared_model(path, false);
        if (!m) {
            break;
        }
        lw_constraint_def def = of_frame(m, "tool", LW_CONSTRAINT_POSE, "tool");
        def.relative_to = lw_find_frame(m, "base");
        const lw_constraint_options options = {.ignores_limits = list < 2};
        solver s = solve(m, 1, &def, &options, NULL);
        json_array_foreach(json_object_get(special, lists[list][0]), i, entry)
        {
            double R[9], p[3];
            reference_numbers(json_object_get(entry, "R"), R, 9);
            reference_numbers(json_object_get(entry, "p"), p, 3);
            const lw_pose X = {{{{R[0], R[1], R[2]}, {R[3], R[4], R[5]}, {R[6], R[7], R[8]}}},
                               {p[0], p[1], p[2]}};
            def.target = X;
            CHECK_INT(lw_constraints_update(s.set, 0, &def), LW_OK);
            CHECK_INT(lw_constraints_solve(s.set, NULL, &s.found), LW_OK);
            check_case("%s, pose %zu", lists[list][0], i);
            CHECK_INT(s.found.status, LW_CONSTRAINTS_BEST);
            CHECK(s.found.constraint[0].residual <=
                  1.001 * json_number_value(json_object_get(entry, "residual_norm")));
        }
        end(&s);
    }
    json_decref(file);
}

TEST(a_head_looks_where_atan2_says)
{
    static const char head[] =
        "<linkwork version='1' name='head'><ground/>"
        "<joint name='pan' type='revolute' axis='0 0 1' from='ground' to='neck'/>"
        "<link name='neck' mass='1'/>"
        "<joint name='tilt' type='revolute' axis='0 -1 0' from='neck' to='head'/>"
        "<link name='head' mass='1'/></linkwork>";
    json_t *file = reference_read("ik_oracles.json");
    const json_t *cases =
        json_object_get(json_object_get(json_object_get(file, "special"), "look_at"), "cases");
    const json_t *entry;
    size_t i;
    json_array_foreach(cases, i, entry)
    {
        lw_model *m = compile_text("head.xml", head, NULL);
        lw_constraint_def def = of_frame(m, "look", LW_CONSTRAINT_LOOK_AT, "head");
        double p[3], q[2];
        reference_numbers(json_object_get(entry, "target"), p, 3);
        reference_numbers(json_object_get(entry, "q"), q, 2);
        def.axis = lw_vec3_of(1.0, 0.0, 0.0);
        def.target.p = lw_vec3_of(p[0], p[1], p[2]);
        const double seed[2] = {q[0] + 0.4, q[1] + 0.3};
        solver s = solve(m, 1, &def, NULL, seed);
        CHECK_INT(s.found.status, LW_CONSTRAINTS_SOLVED);
        CHECK_NEAR(s.found.q[0], q[0], 1e-9);
        CHECK_NEAR(s.found.q[1], q[1], 1e-9);
        end(&s);
    }
    json_decref(file);
}

// --- Many tasks -------------------------------------------------------------------------------

static const char *const whole[] = {"left_arm/hand.grip",   "right_arm/hand.grip",
                                    "front_left/shin.foot", "front_right/shin.foot",
                                    "hind_left/shin.foot",  "hind_right/shin.foot"};

// Both hands and four feet where a random configuration has them, the base moved a little.
static void random_task(const lw_model *m, lw_data *d, lw_constraint_def def[6])
{
    double q[64], v[64];
    for (int k = 0; k < m->nv; ++k) {
        v[k] = k < 6 ? check_random(-0.2, 0.2) : 0.0;
    }
    CHECK_INT(lw_integrate(m, m->q_reference, v, 1.0, q), LW_OK);
    for (int k = 6; k < m->nv; ++k) {
        const lw_dof *dof = &m->dof[m->v_tree[k]];
        q[lw_position_of_dof(m, k)] = check_random(dof->lower, dof->upper);
    }
    for (int i = 0; i < 6; ++i) {
        CHECK_INT(lw_pose_of_frame(m, d, q, def[i].frame, &def[i].target), LW_OK);
    }
}

// bench/bench_constraints.c counts more of them.
TEST(two_arms_base_and_four_feet_are_solved_together_C12)
{
    enum { TASKS = 40 };
    lw_model *m = shipped_model("two_arms/two_arms.xml");
    lw_constraint_def def[6];
    for (int i = 0; i < 6; ++i) {
        def[i] =
            of_frame(m, whole[i], i < 2 ? LW_CONSTRAINT_POSE : LW_CONSTRAINT_POSITION, whole[i]);
    }
    solver s = solve(m, 6, def, NULL, NULL);
    int solved = 0;
    for (int task = 0; task < TASKS; ++task) {
        random_task(m, s.d, def);
        const bool is_far = task % 10 == 9;
        def[0].target.p.x += is_far ? 2.0 : 0.0;
        for (int i = 0; i < 6; ++i) {
            CHECK_INT(lw_constraints_update(s.set, i, &def[i]), LW_OK);
        }
        CHECK_INT(lw_constraints_solve(s.set, NULL, &s.found), LW_OK);
        check_case("task %d", task);
        if (is_far) {
            CHECK_INT(s.found.status, LW_CONSTRAINTS_BEST);
            CHECK(s.found.kkt <= 1e-9);
            CHECK(!s.found.constraint[0].is_met);
            continue;
        }
        solved += s.found.status == LW_CONSTRAINTS_SOLVED;
        for (int i = 0; i < 6 && s.found.status == LW_CONSTRAINTS_SOLVED; ++i) {
            const lw_pose X = pose_at(&s, s.found.q, whole[i]);
            CHECK(distance3(X.p, def[i].target.p) < 1e-8);
        }
    }
    CHECK(solved >= TASKS * 9 / 10 - 1);
    end(&s);
}

// --- Rates ------------------------------------------------------------------------------------

typedef struct rates {
    lw_model *m;
    lw_data *d;
    lw_constraints *set;
} rates;

static rates begin_rates(lw_model *m, const char *frame, int dof)
{
    lw_constraint_def def[2] = {of_frame(m, "twist", LW_CONSTRAINT_TWIST, frame),
                                lw_default_constraint_def("elbow", LW_CONSTRAINT_JOINT)};
    def[1].dof = dof;
    def[1].level = 1;
    rates r = {.m = m, .d = new_data(m)};
    CHECK_INT(lw_constraints_create(m, 2, def, NULL, &r.set, NULL), LW_OK);
    return r;
}

static void end_rates(rates *r)
{
    lw_constraints_destroy(r->set);
    lw_data_destroy(r->d);
    lw_model_destroy(r->m);
}

TEST(rates_give_the_twist_and_keep_priorities)
{
    rates r = begin_rates(shipped_model("panda_class.xml"), "link7", 2);
    const double rate[7] = {0.1, -0.2, 0.3, 0.05, -0.04, 0.02, 0.5};
    double v[16], J[6 * 16], without[16];
    CHECK_INT(lw_constraint_rates(r.set, r.m->q_reference, rate, NULL, v), LW_OK);
    CHECK_INT(lw_frame_jacobian(r.m, r.d, r.m->q_reference, lw_find_frame(r.m, "link7"),
                                LW_IN_WORLD, NULL, J),
              LW_OK);
    for (int i = 0; i < 6; ++i) {
        double sum = 0.0;
        for (int k = 0; k < r.m->nv; ++k) {
            sum += J[i * r.m->nv + k] * v[k];
        }
        CHECK_NEAR(sum, rate[i], 1e-11); // 1e-14 of damping over the square of a pivot of 0.05
    }
    CHECK_NEAR(v[2], 0.5, 1e-9); // one joint more than rows: the second level is met too
    double zero[7] = {0.0};
    CHECK_INT(lw_constraint_rates(r.set, r.m->q_reference, zero, NULL, without), LW_OK);
    for (int k = 0; k < r.m->nv; ++k) {
        CHECK_NEAR(without[k], 0.0, 1e-15);
    }
    end_rates(&r);
}

// A straight arm is singular: rates through it are bounded, and change little from step to step.
TEST(rates_do_not_jump_through_a_singular_configuration)
{
    lw_model *m = compile_text("planar.xml", planar, NULL);
    lw_constraint_def def = of_frame(m, "twist", LW_CONSTRAINT_POSITION, "c.tip");
    lw_constraints *set = NULL;
    CHECK_INT(lw_constraints_create(m, 1, &def, NULL, &set, NULL), LW_OK);
    const double rate[3] = {-0.5, 0.0, 0.0}, h = 1e-4;
    double last[3] = {0.0}, largest_change = 0.0, largest_rate = 0.0;
    for (int i = -5000; i <= 5000; ++i) {
        const double bend = i * h, q[3] = {0.3 - bend, bend, 0.7 * bend};
        double v[3];
        CHECK_INT(lw_constraint_rates(set, q, rate, NULL, v), LW_OK);
        for (int k = 0; k < 3; ++k) {
            largest_rate = fmax(largest_rate, fabs(v[k]));
            largest_change = i > -5000 ? fmax(largest_change, fabs(v[k] - last[k])) : 0.0;
            last[k] = v[k];
        }
    }
    CHECK(largest_rate < 20.0);      // 0.5 / (2 * damping) bounds it, times sqrt(3)
    CHECK(largest_change < 1e3 * h); // a Lipschitz constant, not a jump of the order of 10
    lw_constraints_destroy(set);
    lw_model_destroy(m);
}

TEST(rates_respect_limits)
{
    rates r = begin_rates(shipped_model("panda_class.xml"), "link7", 2);
    double rate[7] = {0.0, 0.0, 0.0, 4.0, 3.0, 0.0, 0.0}, v[16], q[16];
    CHECK_INT(lw_constraint_rates(r.set, r.m->q_reference, rate, NULL, v), LW_OK);
    for (int k = 0; k < r.m->nv; ++k) {
        CHECK(fabs(v[k]) <= r.m->dof[r.m->v_tree[k]].max_velocity + 1e-9);
    }
    const lw_rate_options options = {.dt = 0.01};
    memcpy(q, r.m->q_reference, (size_t)r.m->nq * sizeof *q);
    q[5] = r.m->dof[r.m->v_tree[5]].upper;
    CHECK_INT(lw_constraint_rates(r.set, q, rate, &options, v), LW_OK);
    CHECK(v[5] <= 1e-12);
    rate[0] = (double)NAN;
    CHECK_INT(lw_constraint_rates(r.set, q, rate, NULL, v), LW_ERR_NUMBER);
    end_rates(&r);
}

int main(void)
{
    RUN(a_cut_four_bar_equals_its_closed_form_C22);
    RUN(an_appendage_and_the_whole_are_solved_on_one_model_C02);
    RUN(a_limit_that_holds_a_constraint_back_is_named);
    RUN(conflicts_are_grouped_by_what_they_push);
    RUN(a_relative_pose_is_invariant_to_the_base_C12);
    RUN(a_set_that_moves_nothing_is_evaluated);
    RUN(the_same_bits_come_out_on_every_run);
    RUN(out_of_reach_is_as_near_as_another_program_found_C43);
    RUN(a_head_looks_where_atan2_says);
    RUN(two_arms_base_and_four_feet_are_solved_together_C12);
    RUN(rates_give_the_twist_and_keep_priorities);
    RUN(rates_do_not_jump_through_a_singular_configuration);
    RUN(rates_respect_limits);
    RUN(rows_have_the_gradient_of_their_squares_C11_C35);
    RUN(an_arm_within_reach_meets_its_target_C43);
    RUN(an_arm_out_of_reach_points_at_its_target_C43);
    RUN(levels_are_strict_priorities_C12);
    RUN(a_level_out_of_reach_is_held_at_its_best_C12);
    RUN(a_posture_is_kept_in_the_null_space_C12);
    return REPORT();
}
