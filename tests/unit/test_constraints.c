// The constraint solver (C02, C11, C12, C22, C35, C43): rows against differences, closed-form
// answers, priorities, limits, conflicts, and what is refused.
#include "arrays.h"
#include "check.h"
#include "load_text.h"
#include "objects.h"

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

int main(void)
{
    RUN(rows_have_the_gradient_of_their_squares_C11_C35);
    RUN(an_arm_within_reach_meets_its_target_C43);
    RUN(an_arm_out_of_reach_points_at_its_target_C43);
    RUN(levels_are_strict_priorities_C12);
    RUN(a_level_out_of_reach_is_held_at_its_best_C12);
    RUN(a_posture_is_kept_in_the_null_space_C12);
    return REPORT();
}
