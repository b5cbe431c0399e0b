// Loops with closed forms, and a planetary set however its joints point. tests/slow has ten times
// as many loops.
#include "check.h"
#include "closed_zoo.h"
#include "load_text.h"
#include "objects.h"
#include "random_loops.h"

enum { MACHINES = 400 }; // in 25 configurations each

TEST(D19_rod_with_a_revolute_joint_closes_in_closed_form)
{
    check_rod_loops(LW_JOINT_REVOLUTE, MACHINES);
}

TEST(D20_rod_with_a_prismatic_joint_closes_in_closed_form)
{
    check_rod_loops(LW_JOINT_PRISMATIC, MACHINES);
}

TEST(D26_planar_loops_of_every_kind_close_in_closed_form)
{
    check_planar_loops(MACHINES);
}

// Sun, carrier and ring turn about one axis, the planet about one on the carrier. Any joint may
// point the other way and have its wheel on either side.
static lw_mech *planetary(unsigned flips)
{
    lw_mech *mech = new_mech("planetary");
    const char *links[] = {"base", "sun", "carrier", "ring", "planet"};
    for (int i = 0; i < 5; ++i) {
        zoo_link(mech, links[i], 1.0, lw_vec3_of(0.0, 0.0, 0.0));
    }
    zoo_frame(mech, "carrier", "pin", lw_placement_xyz(0.03, 0.0, 0.01));
    const char *joints[] = {"sun_j", "carrier_j", "ring_j", "planet_j"};
    for (int i = 0; i < 4; ++i) {
        lw_joint_def def = zoo_joint_def(joints[i], LW_JOINT_REVOLUTE,
                                         lw_vec3_of(0.0, 0.0, flips >> i & 1 ? -1.0 : 1.0));
        def.dependent = i >= 2;
        zoo_hang(mech, &def, i == 3 ? "carrier.pin" : "base.b", i == 3 ? "planet" : links[1 + i]);
    }
    lw_gear_def gear = lw_default_gear_def();
    gear.name = "sun_planet";
    gear.wheel[0] = flips >> 4 & 1 ? "planet" : "sun";
    gear.wheel[1] = flips >> 4 & 1 ? "sun" : "planet";
    gear.size[flips >> 4 & 1] = 20;
    gear.size[~flips >> 4 & 1] = 16;
    CHECK(lw_add_gear(mech, &gear) == LW_OK);
    gear.name = "planet_ring";
    gear.type = LW_GEAR_INTERNAL;
    gear.wheel[0] = "planet";
    gear.wheel[1] = "ring";
    gear.size[0] = 16;
    gear.size[1] = 52;
    CHECK(lw_add_gear(mech, &gear) == LW_OK);
    return mech;
}

// Angular velocities about +z in the world; Willis: (w_ring - w_c) / (w_sun - w_c) = -20 / 52, and
// the planet from no slip at the sun: 16 (w_planet - w_c) = -20 (w_sun - w_c).
TEST(R22_R23_planetary_set_follows_willis_however_its_joints_point)
{
    for (unsigned flips = 0; flips < 32; ++flips) {
        check_case("flips %u", flips);
        lw_model *m = closed_model(planetary(flips));
        if (!CHECK(m != NULL)) {
            continue;
        }
        lw_data *d = new_data(m);
        CHECK_INT(m->nv, 2);
        const double q[2] = {0.3, -0.4}, v[2] = {1.5, -0.7};
        CHECK(lw_forward_velocity(m, d, q, v) == LW_OK);
        double w[4];
        const char *links[] = {"sun", "carrier", "ring", "planet"};
        for (int i = 0; i < 4; ++i) {
            lw_motion velocity;
            lw_frame_velocity(m, d, lw_find_frame(m, links[i]), LW_IN_WORLD, &velocity);
            w[i] = velocity.ang.z;
        }
        CHECK_NEAR(52 * (w[2] - w[1]), -20 * (w[0] - w[1]), 1e-12);
        CHECK_NEAR(16 * (w[3] - w[1]), -20 * (w[0] - w[1]), 1e-12);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// A crank of r, a rod of l in line with the slide: x = r cos q + sqrt(l^2 - (r sin q)^2), and its
// first two derivatives in time.
TEST(D19_the_tree_state_has_the_dependent_joint)
{
    lw_mech *mech = new_mech("slider_crank");
    zoo_link(mech, "base", 1.0, lw_vec3_of(0.0, 0.0, 0.0));
    zoo_link(mech, "crank", 1.0, lw_vec3_of(0.0, 0.0, 0.0));
    zoo_link(mech, "piston", 1.0, lw_vec3_of(0.0, 0.0, 0.0));
    const double r = 0.05, l = 0.18;
    zoo_frame(mech, "crank", "pin", lw_placement_xyz(r, 0.0, 0.0));
    lw_joint_def turn = zoo_joint_def("turn", LW_JOINT_REVOLUTE, lw_vec3_of(0.0, 0.0, 1.0));
    lw_joint_def slide = zoo_joint_def("slide", LW_JOINT_PRISMATIC, lw_vec3_of(1.0, 0.0, 0.0));
    slide.dependent = true;
    slide.dof[0].reference = 0.2;
    zoo_hang(mech, &turn, "base.b", "crank");
    zoo_hang(mech, &slide, "base.b", "piston");
    lw_rod_def rod = lw_default_rod_def();
    rod.name = "rod";
    rod.length = l;
    lw_add_rod(mech, &rod);
    CHECK_INT(lw_connect_named(mech, "rod.a1", "crank.pin"), LW_OK);
    CHECK_INT(lw_connect_named(mech, "rod.a2", "piston.b"), LW_OK);
    lw_model *m = closed_model(mech);
    lw_data *d = m ? new_data(m) : NULL;
    if (CHECK(d) && CHECK_INT(m->nv, 1) && CHECK_INT(m->tree_nv, 2)) {
        const double q = 0.7, v = 3.0, a = -2.0, s = r * sin(q), c = r * cos(q);
        const double w = sqrt(l * l - s * s), dw = -s * c / w;
        const double slope = -s + dw;
        const double bend = -c - (c * c - s * s) / w + s * c * dw / (w * w);
        double tree_q[2], tree_v[2], tree_a[2];
        CHECK_INT(lw_tree_state(m, d, &q, &v, &a, tree_q, tree_v, tree_a), LW_OK);
        CHECK_NEAR(tree_q[0], q, 0.0);
        CHECK_NEAR(tree_q[1], c + w, 1e-14);
        CHECK_NEAR(tree_v[1], slope * v, 1e-13);
        CHECK_NEAR(tree_a[1], slope * a + bend * v * v, 1e-12);
        double only_q[2];
        CHECK_INT(lw_tree_state(m, d, &q, NULL, NULL, only_q, NULL, NULL), LW_OK);
        CHECK_NEAR(only_q[1], tree_q[1], 0.0);
        const double bad = (double)NAN;
        CHECK_INT(lw_tree_state(m, d, &bad, NULL, NULL, only_q, NULL, NULL), LW_ERR_NUMBER);
        CHECK_NEAR(only_q[1], tree_q[1], 0.0); // untouched
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// A crank, a rod and a rocker from a nanometre to a million kilometres: angles have no size.
TEST(D19_rods_of_every_size)
{
    double first = 0.0;
    for (int power = -9; power <= 9; power += 3) {
        const double size = pow(10.0, power), at[] = {0.0, 0.4 * size}, tip[] = {0.1, 0.3};
        lw_mech *mech = new_mech("sizes");
        const char *link[] = {"crank", "rocker"}, *joint[] = {"j1", "j2"};
        zoo_link(mech, "base", 1.0, lw_vec3_of(0.0, 0.0, 0.0));
        for (int i = 0; i < 2; ++i) {
            zoo_link(mech, link[i], 1.0, lw_vec3_of(0.0, 0.0, 0.0));
            zoo_frame(mech, link[i], "tip", lw_placement_xyz(tip[i] * size, 0.0, 0.0));
            lw_joint_def def = zoo_joint_def(joint[i], LW_JOINT_REVOLUTE, lw_vec3_of(0, 0, 1));
            def.before = lw_placement_xyz(at[i], 0.0, 0.0);
            def.dependent = i == 1;
            def.dof[0].reference = i == 0 ? 1.0 : 1.6;
            zoo_hang(mech, &def, "base.b", link[i]);
        }
        zoo_rod(mech, "rod", "crank.tip", "rocker.tip", 0.35 * size, 0.0);
        lw_model *m = compile_checked(mech, NULL);
        lw_data *d = m ? new_data(m) : NULL;
        lw_pose X;
        const double q = 1.3;
        check_case("1e%d m", power);
        if (CHECK(d) &&
            CHECK_INT(lw_pose_of_frame(m, d, &q, lw_find_frame(m, "rocker"), &X), LW_OK)) {
            const double angle = atan2(X.R.row[1].x, X.R.row[0].x);
            first = power == -9 ? angle : first;
            CHECK_NEAR(angle, first, 1e-14);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
        lw_mech_destroy(mech);
    }
}

int main(void)
{
    RUN(D19_the_tree_state_has_the_dependent_joint);
    RUN(R22_R23_planetary_set_follows_willis_however_its_joints_point);
    RUN(D19_rod_with_a_revolute_joint_closes_in_closed_form);
    RUN(D19_rods_of_every_size);
    RUN(D20_rod_with_a_prismatic_joint_closes_in_closed_form);
    RUN(D26_planar_loops_of_every_kind_close_in_closed_form);
    return REPORT();
}
