// Couplings by tables and by callbacks (C34); polynomials are tested with the compiler.
#include "check.h"
#include "objects.h"

#include <linkwork/linkwork.h>

#include <math.h>
#include <stdlib.h>

static void sine_law(const void *context, double x, double f[3])
{
    const double a = *(const double *)context;
    f[0] = a * sin(x);
    f[1] = a * cos(x);
    f[2] = -a * sin(x);
}

// Two joints in a row, the second of which follows the first.
static lw_mech *follower(const lw_coupling_def *law)
{
    lw_mech *mech = new_mech("follower");
    lw_link_def link = lw_default_link_def();
    link.mass = 1.0;
    link.inertia = (lw_sym3){0.1, 0.2, 0.3, 0.0, 0.0, 0.0};
    link.inertial = lw_placement_xyz(0.3, 0.1, 0.0);
    link.b = lw_placement_xyz(0.5, 0.0, 0.0);
    link.name = "one";
    lw_add_link(mech, &link);
    link.name = "two";
    lw_add_link(mech, &link);
    const lw_ground_def ground = lw_default_ground_def();
    lw_add_ground(mech, &ground);
    lw_joint_def joint = lw_default_joint_def();
    joint.type = LW_JOINT_REVOLUTE;
    joint.axis = lw_vec3_of(0.0, 1.0, 0.0);
    joint.name = "lead";
    lw_add_joint(mech, &joint);
    joint.name = "follow";
    lw_add_joint(mech, &joint);
    CHECK_INT(lw_connect_named(mech, "ground.b", "lead.a"), LW_OK);
    CHECK_INT(lw_connect_named(mech, "lead.b", "one.a"), LW_OK);
    CHECK_INT(lw_connect_named(mech, "one.b", "follow.a"), LW_OK);
    CHECK_INT(lw_connect_named(mech, "follow.b", "two.a"), LW_OK);
    lw_coupling_def def = *law;
    def.dependent = "follow";
    def.source = "lead";
    CHECK_INT(lw_add_coupling(mech, &def), LW_OK);
    return mech;
}

static double follow_at(const lw_model *m, lw_data *d, double q, double v, double *rate,
                        double *curve)
{
    lw_pose X;
    lw_motion velocity, acceleration;
    const double a = 0.0;
    const int one = lw_find_frame(m, "one"), two = lw_find_frame(m, "two");
    CHECK_INT(lw_forward_acceleration(m, d, &q, &v, &a), LW_OK);
    lw_relative_pose(m, d, one, two, &X);
    lw_frame_velocity(m, d, two, LW_IN_WORLD, &velocity);
    lw_frame_acceleration(m, d, two, LW_IN_WORLD, &acceleration);
    *rate = velocity.ang.y / v - 1.0;
    *curve = acceleration.ang.y / (v * v);
    return atan2(X.R.row[0].z, X.R.row[0].x);
}

TEST(C34_a_callback_gives_position_and_two_derivatives)
{
    const double a = 0.7;
    const lw_coupling_def law = {.law = LW_LAW_FUNCTION, .function = {sine_law, &a}};
    lw_mech *mech = follower(&law);
    lw_model *m;
    CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_OK);
    CHECK_INT(m->nv, 1);
    lw_data *d = new_data(m);
    for (double q = -2.0; q < 2.0; q += 0.17) {
        double rate, curve;
        CHECK_NEAR(follow_at(m, d, q, 1.3, &rate, &curve), a * sin(q), 1e-14);
        CHECK_NEAR(rate, a * cos(q), 1e-14);
        CHECK_NEAR(curve, -a * sin(q), 1e-14);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

// A natural spline through n points of a smooth function is off by (h^4 / 384) max f'''' away from
// its ends; its pieces meet with equal first and second derivatives.
TEST(C34_a_table_is_smooth_and_close_to_its_function)
{
    enum { POINTS = 41 };
    double table[2 * POINTS];
    for (int k = 0; k < POINTS; ++k) {
        table[2 * k] = -2.0 + 0.1 * k;
        table[2 * k + 1] = sin(table[2 * k]);
    }
    const lw_coupling_def law = {
        .law = LW_LAW_TABLE, .ncoefficient = 2 * POINTS, .coefficient = table};
    lw_mech *mech = follower(&law);
    lw_model *m;
    CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_OK);
    lw_data *d = new_data(m);
    double rate, curve, rate2, curve2;
    for (double q = -1.2; q < 1.2; q += 0.031) {
        CHECK_NEAR(follow_at(m, d, q, 1.0, &rate, &curve), sin(q), 1e-6);
        CHECK_NEAR(rate, cos(q), 1e-4);
        CHECK_NEAR(curve, -sin(q), 2e-3);
    }
    for (int k = 0; k < POINTS; ++k) { // through every point, and smooth there
        const double h = 1e-9, x = table[2 * k];
        CHECK_NEAR(follow_at(m, d, x, 1.0, &rate, &curve), table[2 * k + 1], 1e-14);
        follow_at(m, d, x - h, 1.0, &rate, &curve);
        follow_at(m, d, x + h, 1.0, &rate2, &curve2);
        CHECK_NEAR(rate, rate2, 1e-7);
        CHECK_NEAR(curve, curve2, 1e-7);
    }
    // Beyond the ends along the last tangent.
    const double end = follow_at(m, d, 2.0, 1.0, &rate, &curve);
    CHECK_NEAR(follow_at(m, d, 2.5, 1.0, &rate2, &curve2), end + 0.5 * rate, 1e-13);
    CHECK_NEAR(rate2, rate, 1e-14);
    CHECK_NEAR(curve2, 0.0, 1e-14);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

TEST(C34_power_balance_through_a_table)
{
    const double table[] = {-3.0, 1.0, -1.0, 0.2, 0.5, -0.4, 3.0, -1.0};
    const lw_coupling_def law = {.law = LW_LAW_TABLE, .ncoefficient = 8, .coefficient = table};
    lw_mech *mech = follower(&law);
    lw_model *m;
    CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_OK);
    lw_data *d = new_data(m);
    for (int k = 0; k < 50; ++k) {
        const double q = check_random(-2.0, 2.0), v = check_random(-1.0, 1.0), a = 0.4;
        double tau, back, M;
        CHECK_INT(lw_inverse_dynamics(m, d, &q, &v, &a, NULL, &tau), LW_OK);
        CHECK_INT(lw_forward_dynamics(m, d, &q, &v, &tau, NULL, &back), LW_OK);
        CHECK_NEAR(back, a, 1e-11);
        CHECK_INT(lw_mass_matrix(m, d, &q, &M), LW_OK);
        CHECK(M > 0.0);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

TEST(C34_bad_tables_are_refused)
{
    const double falling[] = {0.0, 0.0, 0.0, 1.0}, odd[] = {0.0, 0.0, 1.0, 1.0, 2.0};
    const lw_coupling_def bad[] = {
        {.law = LW_LAW_TABLE, .ncoefficient = 4, .coefficient = falling},
        {.law = LW_LAW_TABLE, .ncoefficient = 5, .coefficient = odd},
        {.law = LW_LAW_TABLE, .ncoefficient = 2, .coefficient = odd},
        {.law = LW_LAW_FUNCTION},
        {.law = (lw_law)7, .ncoefficient = 2, .coefficient = odd},
    };
    const char *const why[] = {"must rise", "in pairs", "in pairs", "callback", "unknown law"};
    for (int k = 0; k < 5; ++k) {
        lw_mech *mech = follower(&bad[k]);
        lw_model *m;
        lw_report *report = new_report();
        CHECK(lw_compile(mech, NULL, &m, report) != LW_OK);
        CHECK(m == NULL);
        CHECK_HAS(lw_report_diagnostic(report, 0).message, why[k]);
        lw_report_destroy(report);
        lw_mech_destroy(mech);
    }
}

int main(void)
{
    RUN(C34_a_callback_gives_position_and_two_derivatives);
    RUN(C34_a_table_is_smooth_and_close_to_its_function);
    RUN(C34_power_balance_through_a_table);
    RUN(C34_bad_tables_are_refused);
    return REPORT();
}
