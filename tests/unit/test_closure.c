// Loops: closed forms against the geometry they must satisfy, rates against differences, order and
// choice of dependent joints.
#include "check.h"

#include <linkwork/compile.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lw_vec3 random_vec3(double size)
{
    return lw_vec3_of(check_random(-size, size), check_random(-size, size),
                      check_random(-size, size));
}

static lw_placement random_place(double size)
{
    return lw_place_rpy(random_vec3(size), random_vec3(3.0));
}

static void add_link(lw_mech *mech, const char *name)
{
    lw_link_def def = lw_default_link_def();
    def.name = name;
    def.mass = 1.0;
    def.inertia = (lw_sym3){0.1, 0.1, 0.1, 0.0, 0.0, 0.0};
    CHECK(lw_add_link(mech, &def).index >= 0);
}

static void add_frame(lw_mech *mech, const char *link, const char *name, lw_placement at)
{
    CHECK(lw_add_frame(mech, lw_find_part(mech, link, 'l'), name, &at, (lw_place){0}).index >= 0);
}

static lw_joint_def joint_def(const char *name, lw_joint_type type, lw_vec3 axis)
{
    lw_joint_def def = lw_default_joint_def();
    def.name = name;
    def.type = type;
    def.axis = axis;
    return def;
}

static void join(lw_mech *mech, const char *one, const char *other)
{
    if (!CHECK(lw_connect_named(mech, one, other) == LW_OK)) {
        printf("%s\n", lw_mech_message(mech));
    }
}

// A joint between a frame of one link and another link.
static void hang(lw_mech *mech, const lw_joint_def *def, const char *from, const char *link)
{
    char text[64];
    CHECK(lw_add_joint(mech, def).index >= 0);
    snprintf(text, sizeof text, "%s.a", def->name);
    join(mech, from, text);
    snprintf(text, sizeof text, "%s.b", def->name);
    char to[64];
    snprintf(to, sizeof to, "%s.a", link);
    join(mech, text, to);
}

static lw_model *compile(const lw_mech *mech)
{
    lw_model *model = NULL;
    lw_report *report = lw_report_create();
    const lw_status status = lw_compile(mech, NULL, &model, report);
    for (int i = 0; i < lw_report_count(report) && status != LW_OK; ++i) {
        char text[256];
        const lw_finding finding = lw_report_finding(report, i);
        lw_finding_format(&finding, text, sizeof text);
        printf("%s\n", text);
    }
    lw_report_destroy(report);
    return model;
}

// How far the ends of loop k are from what it asks for, in the poses of the data.
static double rod_error(const lw_model *m, const lw_data *d, int k)
{
    lw_pose X[2];
    lw_frame_pose(m, d, m->loop[k].frame[0], &X[0]);
    lw_frame_pose(m, d, m->loop[k].frame[1], &X[1]);
    return fabs(lw_norm3(lw_sub3(X[0].p, X[1].p)) - m->loop[k].length);
}

// One loop: ground - j1 - j2 - (dependent) - tip, tied by a rod to ground - k1. Types and places at
// random; the reference closes it, because the rod's length is taken there.
static lw_mech *random_rod_loop(lw_joint_type dependent)
{
    static const lw_joint_type any[] = {LW_JOINT_REVOLUTE,  LW_JOINT_PRISMATIC,
                                        LW_JOINT_SCREW,     LW_JOINT_CYLINDRICAL,
                                        LW_JOINT_UNIVERSAL, LW_JOINT_SPHERICAL};
    lw_mech *mech = lw_mech_create("rod");
    const char *links[] = {"base", "l1", "l2", "l3", "r1"};
    for (int i = 0; i < 5; ++i) {
        add_link(mech, links[i]);
        add_frame(mech, links[i], i == 0 ? "f0" : links[i] + 0, random_place(0.5));
    }
    add_frame(mech, "base", "g0", random_place(0.5));
    lw_joint_def j1 = joint_def("j1", any[(int)check_random(0, 6)], random_vec3(1.0));
    j1.pitch = check_random(-0.3, 0.3);
    hang(mech, &j1, "base.f0", "l1");
    lw_joint_def j2 = joint_def("j2", dependent, random_vec3(1.0));
    j2.dependent = true;
    hang(mech, &j2, "l1.l1", "l2");
    const lw_joint_def j3 = joint_def("j3", any[(int)check_random(0, 6)], random_vec3(1.0));
    hang(mech, &j3, "l2.l2", "l3");
    const lw_joint_def k1 = joint_def("k1", any[(int)check_random(0, 6)], random_vec3(1.0));
    hang(mech, &k1, "base.g0", "r1");
    lw_rod_def rod = lw_default_rod_def();
    rod.name = "rod";
    lw_add_rod(mech, &rod);
    join(mech, "l3.l3", "rod.a1");
    join(mech, "r1.r1", "rod.a2");
    return mech;
}

static void perturb(const lw_model *m, double size, double *q, double *v, double *a)
{
    double step[64];
    for (int i = 0; i < m->nv; ++i) {
        step[i] = check_random(-size, size);
        v[i] = check_random(-1.0, 1.0);
        a[i] = check_random(-1.0, 1.0);
    }
    lw_integrate(m, m->q_reference, step, 1.0, q);
}

// Velocity and acceleration of a frame against central differences of its position along the
// motion with the given v and a. Differences of order four with h = 1e-3 are good to about 1e-9.
static void check_rates(const lw_model *m, lw_data *d, int frame, const double *q, const double *v,
                        const double *a)
{
    enum { POINTS = 5 };
    const double h = 2e-3;
    lw_vec3 p[POINTS];
    for (int k = 0; k < POINTS; ++k) {
        const double t = (k - 2) * h;
        double rate[64], at[64];
        // q(t) with dv/dt = a held constant: v t + a t^2 / 2 in one go is exact for scalar joints,
        // so quaternion joints are left out by the callers.
        for (int i = 0; i < m->nv; ++i) {
            rate[i] = v[i] * t + 0.5 * a[i] * t * t;
        }
        lw_integrate(m, q, rate, 1.0, at);
        if (lw_forward_position(m, d, at) != LW_OK) {
            return; // the loop opens right here
        }
        lw_pose X;
        lw_frame_pose(m, d, frame, &X);
        p[k] = X.p;
    }
    lw_motion velocity, acceleration;
    if (!CHECK(lw_forward_acceleration(m, d, q, v, a) == LW_OK)) {
        return;
    }
    lw_frame_velocity(m, d, frame, LW_IN_WORLD, &velocity);
    lw_frame_acceleration(m, d, frame, LW_IN_WORLD, &acceleration);
    const lw_vec3 d1 = lw_scale3(1.0 / (12.0 * h),
                                 lw_add3(lw_sub3(p[0], p[4]), lw_scale3(8.0, lw_sub3(p[3], p[1]))));
    const lw_vec3 d2 = lw_scale3(1.0 / (12.0 * h * h),
                                 lw_sub3(lw_scale3(16.0, lw_add3(p[1], p[3])),
                                         lw_add3(lw_add3(p[0], p[4]), lw_scale3(30.0, p[2]))));
    // Near a dead centre derivatives of any order grow without bound, and differences mean nothing.
    const double wild = lw_norm3(velocity.lin) + sqrt(lw_norm3(acceleration.lin));
    if (wild < 2.0) {
        CHECK_NEAR(lw_norm3(lw_sub3(d1, velocity.lin)), 0.0, 1e-6);
        CHECK_NEAR(lw_norm3(lw_sub3(d2, acceleration.lin)), 0.0, 1e-4);
    }
}

static bool has_quaternion(const lw_model *m)
{
    return m->nq != m->nv;
}

static void check_rod_loops(lw_joint_type dependent)
{
    int closed = 0;
    for (int n = 0; n < 400; ++n) {
        lw_mech *mech = random_rod_loop(dependent);
        lw_model *m = compile(mech);
        lw_mech_destroy(mech);
        if (!CHECK(m != NULL)) {
            continue;
        }
        lw_data *d = lw_data_create(m);
        CHECK_INT(m->nv, m->tree_nv - 1);
        CHECK_INT(m->nstep, 1);
        CHECK(m->step[0].kind ==
              (dependent == LW_JOINT_REVOLUTE ? LW_STEP_ROD_REVOLUTE : LW_STEP_ROD_PRISMATIC));
        const int frame = lw_find_frame(m, "l3.l3");
        for (int k = 0; k < 25; ++k) {
            double q[64], v[64], a[64];
            perturb(m, 0.5, q, v, a);
            const lw_status status = lw_forward_position(m, d, q);
            CHECK(status == LW_OK || status == LW_ERR_LOOP_OPEN);
            if (status == LW_OK) {
                ++closed;
                CHECK_NEAR(rod_error(m, d, 0), 0.0, 1e-13);
                if (k == 0 && !has_quaternion(m)) {
                    check_rates(m, d, frame, q, v, a);
                }
            }
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    CHECK(closed > 3000); // most of the 10000 states close
}

TEST(D19_rod_with_a_revolute_joint_closes_in_closed_form)
{
    check_rod_loops(LW_JOINT_REVOLUTE);
}

TEST(D20_rod_with_a_prismatic_joint_closes_in_closed_form)
{
    check_rod_loops(LW_JOINT_PRISMATIC);
}

// A planar loop of random links in a random plane: crank - (dependent) and ground - (dependent),
// closed by a joint. Types of the three unknown joints as letters.
static lw_mech *planar_loop(const char *types, bool on_one_side)
{
    lw_mech *mech = lw_mech_create("planar");
    const lw_vec3 normal = {0.0, 0.0, 1.0};
    const char *links[] = {"base", "crank", "second", "third"};
    for (int i = 0; i < 4; ++i) {
        add_link(mech, links[i]);
    }
    // One fixed turn of the whole plane, so that nothing lies along coordinate axes.
    add_frame(mech, "base", "plane", random_place(1.0));
    lw_joint_def def[4];
    char name[4][8] = {"crank_j", "d1", "d2", "close"};
    for (int i = 0; i < 4; ++i) {
        const bool is_slide = i > 0 && types[i - 1] == 'P';
        const double angle = check_random(-3.0, 3.0);
        def[i] = joint_def(name[i], is_slide ? LW_JOINT_PRISMATIC : LW_JOINT_REVOLUTE,
                           is_slide ? lw_vec3_of(cos(angle), sin(angle), 0.0) : normal);
        def[i].before = lw_place_rpy(lw_vec3_of(check_random(-1, 1), check_random(-1, 1), 0.0),
                                     lw_vec3_of(0.0, 0.0, check_random(-3, 3)));
        def[i].dependent = i == 1 || i == 2;
        if (!is_slide && check_random(0, 1) < 0.5) {
            def[i].axis = lw_vec3_of(0.0, 0.0, -1.0);
        }
    }
    strcpy(name[0], "j0");
    def[0].name = "j0";
    lw_joint_def carry = joint_def("carry", LW_JOINT_FIXED, normal);
    hang(mech, &carry, "base.plane", "third"); // stands in for the ground within the plane
    hang(mech, &def[0], "third.b", "crank");
    hang(mech, &def[1], "crank.b", "second");
    add_link(mech, "fourth");
    hang(mech, &def[2], on_one_side ? "second.b" : "third.b", "fourth");
    def[3].closing = true;
    def[3].after = lw_place_rpy(lw_vec3_of(check_random(-1, 1), check_random(-1, 1), 0.0),
                                lw_vec3_of(0.0, 0.0, check_random(-3, 3)));
    lw_add_joint(mech, &def[3]);
    join(mech, on_one_side ? "third.b" : "second.b", "close.a");
    join(mech, "fourth.b", "close.b");
    return mech;
}

TEST(D26_planar_loops_of_every_kind_close_in_closed_form)
{
    static const char *const types[] = {"RRR", "RRP", "RPR", "PRR", "RPP", "PRP", "PPR"};
    for (int t = 0; t < 7; ++t) {
        int closed = 0, tried = 0;
        for (int n = 0; n < 300; ++n) {
            check_case("%s, machine %d", types[t], n);
            lw_mech *mech = planar_loop(types[t], n % 2);
            lw_model *m = NULL;
            const lw_status status = lw_compile(mech, NULL, &m, NULL);
            lw_mech_destroy(mech);
            CHECK(status == LW_OK || status == LW_ERR_LOOP_OPEN); // random lengths may not reach
            if (!m) {
                continue;
            }
            lw_data *d = lw_data_create(m);
            CHECK_INT(m->nv, 1);
            CHECK_INT((int)m->step[0].kind, (int)LW_STEP_PLANAR);
            for (int k = 0; k < 20; ++k) {
                double q[1] = {m->q_reference[0] + check_random(-0.5, 0.5)}, v[1] = {1.0};
                const double a[1] = {0.5};
                ++tried;
                if (lw_forward_position(m, d, q) != LW_OK) {
                    continue;
                }
                ++closed;
                // What the closing joint asks for: one point, or one line, in common.
                lw_pose X[2];
                lw_frame_pose(m, d, m->loop[0].frame[0], &X[0]);
                lw_frame_pose(m, d, m->loop[0].frame[1], &X[1]);
                const lw_pose back = lw_pose_inverse(&X[0]), Y = lw_pose_mul(&back, &X[1]);
                CHECK_NEAR(hypot(Y.p.x, Y.p.y), 0.0, 1e-12);
                CHECK_NEAR(m->loop[0].type == LW_JOINT_REVOLUTE ? Y.p.z : Y.R.row[0].y, 0.0, 1e-12);
                CHECK_NEAR(hypot(Y.R.row[0].z, Y.R.row[1].z), 0.0, 1e-12);
                if (k == 0) {
                    check_rates(m, d, lw_find_frame(m, "second"), q, v, a);
                }
            }
            lw_data_destroy(d);
            lw_model_destroy(m);
        }
        CHECK(closed > tried / 3);
        CHECK(tried > 500);
    }
}

// Sun, carrier and ring turn about one axis, the planet about one on the carrier. Any joint may
// point the other way and have its wheel on either side.
static lw_mech *planetary(unsigned flips)
{
    lw_mech *mech = lw_mech_create("planetary");
    const char *links[] = {"base", "sun", "carrier", "ring", "planet"};
    for (int i = 0; i < 5; ++i) {
        add_link(mech, links[i]);
    }
    add_frame(mech, "carrier", "pin", lw_place_xyz(0.03, 0.0, 0.01));
    const char *joints[] = {"sun_j", "carrier_j", "ring_j", "planet_j"};
    for (int i = 0; i < 4; ++i) {
        lw_joint_def def = joint_def(joints[i], LW_JOINT_REVOLUTE,
                                     lw_vec3_of(0.0, 0.0, flips >> i & 1 ? -1.0 : 1.0));
        def.dependent = i >= 2;
        hang(mech, &def, i == 3 ? "carrier.pin" : "base.b", i == 3 ? "planet" : links[1 + i]);
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
        lw_model *m = compile(mech);
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
