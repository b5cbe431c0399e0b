// Loops with closed forms, and a planetary set however its joints point. tests/slow has ten times
// as many loops.
#include "check.h"
#include "closed_zoo.h"
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
    static const char *const types[] = {"RRR", "RRP", "RPR", "PRR", "RPP", "PRP", "PPR"};
    for (int k = 0; k < 7; ++k) {
        check_planar_loops(types[k], MACHINES);
    }
}

// Sun, carrier and ring turn about one axis, the planet about one on the carrier. Any joint may
// point the other way and have its wheel on either side.
static lw_mech *planetary(unsigned flips)
{
    lw_mech *mech = lw_mech_create("planetary");
    const char *links[] = {"base", "sun", "carrier", "ring", "planet"};
    for (int i = 0; i < 5; ++i) {
        zoo_link(mech, links[i], 1.0, lw_vec3_of(0.0, 0.0, 0.0));
    }
    zoo_frame(mech, "carrier", "pin", lw_place_xyz(0.03, 0.0, 0.01));
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
        lw_mech *mech = planetary(flips);
        lw_model *m = zoo_compile(mech);
        lw_mech_destroy(mech);
        if (!CHECK(m != NULL)) {
            continue;
        }
        lw_data *d = lw_data_create(m);
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

int main(void)
{
    RUN(R22_R23_planetary_set_follows_willis_however_its_joints_point);
    RUN(D19_rod_with_a_revolute_joint_closes_in_closed_form);
    RUN(D20_rod_with_a_prismatic_joint_closes_in_closed_form);
    RUN(D26_planar_loops_of_every_kind_close_in_closed_form);
    return REPORT();
}
