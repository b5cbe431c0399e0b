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
    RUN(C13_clearances_refuse_bad_arguments);
    return REPORT();
}
