// Clearance as a row of constraints (C13): its derivative against differences, and as a bound that
// holds while a target is solved for.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/clearance.h>
#include <linkwork/kinematics.h>

#include <math.h>

// A planar arm beside a post.
static const char machine[] =
    "<linkwork version='1' name='m'><ground><sphere radius='0.1' xyz='1.1 0.45 0'/></ground>"
    "<joint name='j1' type='revolute' from='ground' to='a'/>"
    "<link name='a' mass='1' center='0.5 0 0' inertia='1 1 1'><frame name='tip' xyz='0.8 0 0'/>"
    "<capsule radius='0.05' length='0.7' xyz='0.4 0 0' rpy='0 1.5707963267948966 0'/></link>"
    "<joint name='j2' type='revolute' from='a.tip' to='b'/>"
    "<link name='b' mass='1' center='0.5 0 0' inertia='1 1 1'><frame name='tip' xyz='0.8 0 0'/>"
    "<capsule radius='0.05' length='0.7' xyz='0.4 0 0' rpy='0 1.5707963267948966 0'/></link>"
    "<joint name='j3' type='revolute' from='b.tip' to='c'/>"
    "<link name='c' mass='1' center='0.2 0 0' inertia='1 1 1'><frame name='tip' xyz='0.4 0 0'/>"
    "<capsule radius='0.04' length='0.35' xyz='0.2 0 0' rpy='0 1.5707963267948966 0'/></link>"
    "</linkwork>";

// Solves for a tip position from a seed, with or without the bound; returns the clearance there.
static double clearance_at_target(const lw_model *m, lw_collide *collide, bool is_bounded,
                                  lw_vec3 target, const double *seed)
{
    lw_clearance *clearance = NULL;
    lw_constraints *set = NULL;
    lw_constraint_result found = {0};
    CHECK_INT(lw_clearance_create(m, collide, 0.5, &clearance), LW_OK);
    lw_constraint_def def[2] = {lw_default_constraint_def("reach", LW_CONSTRAINT_POSITION),
                                lw_default_constraint_def("clear", LW_CONSTRAINT_USER)};
    def[0].frame = lw_find_frame(m, "c.tip");
    def[0].target.p = target;
    def[1].nrow = 1;
    def[1].kind = lw_clearance_kind();
    def[1].self = clearance;
    def[1].lower = 0.03;
    def[1].upper = (double)INFINITY;
    CHECK_INT(lw_constraints_create(m, is_bounded ? 2 : 1, def, NULL, &set, NULL), LW_OK);
    CHECK_INT(lw_constraints_solve(set, seed, &found), LW_OK);
    CHECK_INT(found.status, LW_CONSTRAINTS_SOLVED);
    lw_data *d = new_data(m);
    lw_contact near;
    int count = 0;
    CHECK_INT(lw_collide_distances(collide, d, found.q, HUGE_VAL, 1, &near, &count), LW_OK);
    lw_pose X;
    CHECK_INT(lw_pose_of_frame(m, d, found.q, def[0].frame, &X), LW_OK);
    CHECK_NEAR(lw_norm3(lw_sub3(X.p, target)), 0.0, 1e-6);
    lw_data_destroy(d);
    lw_constraints_destroy(set);
    lw_clearance_destroy(clearance);
    return near.distance.distance;
}

TEST(C13_a_clearance_holds_as_a_bound_while_a_target_is_reached)
{
    lw_model *m = compile_text("m.xml", machine, NULL);
    lw_collide *collide = NULL;
    CHECK_INT(lw_collide_create(m, &collide, NULL), LW_OK);
    const double seed[3] = {0.1, 0.6, 0.9};
    const lw_vec3 target = {1.05, 0.75, 0.0};
    const double free = clearance_at_target(m, collide, false, target, seed);
    const double bound = clearance_at_target(m, collide, true, target, seed);
    check_case("without the bound %g, with it %g", free, bound);
    CHECK(free < 0.02);
    CHECK(bound > 0.03 - 1e-6);
    lw_collide_destroy(collide);
    lw_model_destroy(m);
}

// The row at a configuration, as the solver asks for it; all joints are about z.
static double row_at(const lw_model *m, lw_data *d, lw_clearance *clearance, const double *q,
                     double *J)
{
    static const char *const link[] = {"a", "b", "c"};
    lw_motion S[3];
    double value = 0.0;
    const lw_constraint_state at = {.model = m, .data = d, .q = q, .tree_q = q, .S = S};
    CHECK_INT(lw_forward_position(m, d, q), LW_OK);
    for (int k = 0; k < 3; ++k) {
        lw_pose X;
        CHECK_INT(lw_frame_pose(m, d, lw_find_frame(m, link[k]), &X), LW_OK);
        S[k] = (lw_motion){{0, 0, 1}, {X.p.y, -X.p.x, 0}};
    }
    for (int k = 0; J && k < 3; ++k) {
        J[k] = 0.0;
    }
    CHECK_INT(lw_clearance_kind()->evaluate(clearance, &at, &value, J), LW_OK);
    return value;
}

TEST(C13_the_derivative_of_a_clearance_is_its_differences)
{
    lw_model *m = compile_text("m.xml", machine, NULL);
    lw_collide *collide = NULL;
    lw_clearance *clearance = NULL;
    lw_data *d = new_data(m);
    int compared = 0;
    CHECK_INT(lw_collide_create(m, &collide, NULL), LW_OK);
    CHECK_INT(lw_clearance_create(m, collide, 0.4, &clearance), LW_OK);
    for (int n = 0; n < 100; ++n) {
        double q[3], J[3];
        for (int k = 0; k < 3; ++k) {
            q[k] = check_random(-1.5, 1.5);
        }
        check_case("state %d", n);
        const double here = row_at(m, d, clearance, q, J);
        for (int k = 0; k < 3; ++k) {
            const double was = q[k];
            q[k] = was + 1e-6;
            const double after = row_at(m, d, clearance, q, NULL);
            q[k] = was - 1e-6;
            const double before = row_at(m, d, clearance, q, NULL);
            q[k] = was;
            if (fabs(after + before - 2.0 * here) < 1e-10) { // else another pair gets nearer
                CHECK_NEAR(J[k], (after - before) / 2e-6, 1e-6);
                compared += J[k] != 0.0;
            }
        }
        CHECK(here < 0.4 || (J[0] == 0.0 && J[1] == 0.0 && J[2] == 0.0));
    }
    check_case("%d compared", compared);
    CHECK(compared > 60);
    lw_clearance_destroy(clearance);
    lw_collide_destroy(collide);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(C13_clearances_refuse_bad_arguments)
{
    lw_model *m = compile_text("m.xml", machine, NULL);
    lw_collide *collide = NULL;
    lw_clearance *clearance = NULL;
    CHECK_INT(lw_collide_create(m, &collide, NULL), LW_OK);
    CHECK_INT(lw_clearance_create(NULL, collide, 1.0, &clearance), LW_ERR_ARGUMENT);
    CHECK_INT(lw_clearance_create(m, NULL, 1.0, &clearance), LW_ERR_ARGUMENT);
    CHECK_INT(lw_clearance_create(m, collide, (double)NAN, &clearance), LW_ERR_ARGUMENT);
    CHECK_INT(lw_clearance_create(m, collide, 1.0, NULL), LW_ERR_ARGUMENT);
    CHECK(!clearance);
    lw_clearance_destroy(NULL);
    lw_collide_destroy(collide);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(C13_a_clearance_holds_as_a_bound_while_a_target_is_reached);
    RUN(C13_the_derivative_of_a_clearance_is_its_differences);
    RUN(C13_clearances_refuse_bad_arguments);
    return REPORT();
}
