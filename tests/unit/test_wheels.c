// Wheels: from a motion of the base to its wheels, and back.
#include "check.h"
#include "load_text.h"
#include "reference.h"
#include "vehicle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

typedef struct bench {
    lw_model *m;
    lw_data *d;
    lw_wheels *w;
    double q[64];
    lw_wheel_command command[MOST];
    lw_drive_result result;
} bench;

static bench begin(lw_model *m)
{
    bench b = {.m = m};
    if (CHECK(m != NULL) && CHECK_INT(lw_data_create(m, &b.d), LW_OK) &&
        CHECK_INT(lw_wheels_create(m, &b.w), LW_OK)) {
        memcpy(b.q, m->q_reference, (size_t)m->nq * sizeof *b.q);
    }
    return b;
}

static void end(bench *b)
{
    lw_wheels_destroy(b->w);
    lw_data_destroy(b->d);
    lw_model_destroy(b->m);
}

static lw_motion planar(double vx, double vy, double turn)
{
    return (lw_motion){{0, 0, turn}, {vx, vy, 0}};
}

static void drive(bench *b, lw_motion twist)
{
    CHECK_INT(lw_drive(b->m, b->d, b->w, b->q, &twist, NULL, b->command, &b->result), LW_OK);
}

// Puts the steering joints where the commands have them.
static void take_angles(bench *b)
{
    for (int k = 0; k < b->m->nwheel; ++k) {
        const int steer = b->m->wheel[k].steer;
        for (int v = 0; v < b->m->nv && steer >= 0; ++v) {
            if (b->m->v_tree[v] == steer) {
                b->q[lw_position_of_dof(b->m, v)] = b->command[k].steer;
            }
        }
    }
}

static int wheel_of(const lw_model *m, const char *name)
{
    return lw_model_find(m, LW_LIST_WHEELS, name);
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void check_wheels(const bench *b, const json_t *wheels)
{
    const char *name;
    const json_t *wanted;
    json_object_foreach((json_t *)wheels, name, wanted)
    {
        const int k = wheel_of(b->m, name);
        check_case("%s", name);
        CHECK_NEAR(b->command[k].steer, number(wanted, "steer"), 1e-15);
        const double omega = number(wanted, "omega");
        CHECK_NEAR(b->command[k].speed, omega, 1e-15 * fmax(1, fabs(omega)));
        CHECK_NEAR(b->command[k].side_slip, 0, 1e-16);
    }
}

TEST(C17_six_wheels_of_a_published_rover_in_a_turn)
{
    json_t *file = reference_read("mobility_oracles.json");
    if (!file) {
        return;
    }
    bench b = begin(vehicle(0.075, 6, osr_wheel));
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(file, "osr_turn_left"), i, row)
    {
        const double v = number(row, "v"), turn = v / number(row, "R");
        drive(&b, planar(v, 0, turn));
        check_wheels(&b, json_object_get(row, "wheels"));
        CHECK_NEAR(b.result.slip, 0, 1e-16);
        // In reverse the wheels stand as they stood, and turn back.
        drive(&b, planar(-v, 0, -turn));
        const int k = wheel_of(b.m, "front_left");
        CHECK_NEAR(b.command[k].speed,
                   -number(json_object_get(json_object_get(row, "wheels"), "front_left"), "omega"),
                   1e-14);
        CHECK(b.command[k].is_reversed);
    }
    json_array_foreach(json_object_get(file, "osr_turn_in_place"), i, row)
    {
        drive(&b, planar(0, 0, number(row, "turn_rate")));
        check_wheels(&b, json_object_get(row, "wheels"));
    }
    json_decref(file);
    end(&b);
}

// The published program steers its rear wheels by the distance of the front ones; its front and
// middle wheels are ours.
TEST(C17_front_and_middle_wheels_of_the_published_table)
{
    json_t *file = reference_read("osr_rover_wheel_kinematics.json");
    if (!file) {
        return;
    }
    bench b = begin(vehicle(0.075, 6, osr_wheel));
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(file, "table"), i, row)
    {
        const double v = number(row, "speed"), R = number(row, "turning_radius");
        const json_t *omega = json_object_get(row, "wheel_omega");
        static const char *const wheel[4] = {"front_left", "front_right", "middle_left",
                                             "middle_right"};
        static const char *const key[4] = {"corner_closest", "corner_farthest", "middle_closest",
                                           "middle_farthest"};
        drive(&b, planar(v, 0, v / R));
        for (int k = 0; k < 4; ++k) {
            const double wanted = number(omega, key[k]);
            check_case("R %g, %s", R, wheel[k]);
            CHECK_NEAR(b.command[wheel_of(b.m, wheel[k])].speed, wanted, 1e-15 * fmax(1, wanted));
        }
        CHECK_NEAR(b.command[wheel_of(b.m, "front_left")].steer,
                   number(row, "corner_closest_angle"), 1e-15);
        CHECK_NEAR(b.command[wheel_of(b.m, "front_right")].steer,
                   number(row, "corner_farthest_angle"), 1e-15);
    }
    json_decref(file);
    end(&b);
}

TEST(C19_skid_steer_is_the_least_squares_motion)
{
    json_t *file = reference_read("mobility_oracles.json");
    if (!file) {
        return;
    }
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(file, "skid_steer_four_wheels"), i, row)
    {
        const double a = number(row, "a"), c = number(row, "b");
        const vehicle_wheel wheel[4] = {{"fl", a, c, 0, 0, 0, "none"},
                                        {"fr", a, -c, 0, 0, 0, "none"},
                                        {"rl", -a, c, 0, 0, 0, "none"},
                                        {"rr", -a, -c, 0, 0, 0, "none"}};
        bench b = begin(vehicle(number(row, "r"), 4, wheel));
        const double left = number(row, "omega_left"), right = number(row, "omega_right");
        const double speed[4] = {left, right, left, right};
        const lw_odometry_options unit = {.rolling = 1, .side = 1, .height = 1};
        lw_odometry_result found;
        CHECK_INT(lw_odometry(b.m, b.d, b.w, b.q, speed, NULL, &unit, NULL, NULL, &found), LW_OK);
        CHECK_NEAR(found.twist.lin.x, number(row, "vx"), 1e-15);
        CHECK_NEAR(found.twist.lin.y, number(row, "vy"), 1e-15);
        CHECK_NEAR(found.twist.ang.z, number(row, "turn_rate"), 1e-15);
        CHECK_NEAR(sqrt(found.chi_square), number(row, "residual_norm"), 1e-15);
        lw_mobility mobility;
        CHECK_INT(lw_wheel_mobility(b.m, b.d, b.w, b.q, &mobility), LW_OK);
        CHECK_INT(mobility.mobility, 1);
        CHECK_INT(mobility.steerability, 0);
        end(&b);
    }
    json_decref(file);
}

// A URDF has no wheels: a file that includes it puts them onto its links, whose axles are along z.
// Radius and distance are those of its shapes and joints. These are turned by 1.57 and not by a
// quarter turn, which moves both contacts to the left by 26 micrometres.
TEST(C19_wheels_are_put_onto_an_included_urdf)
{
    static const char *const text =
        "<linkwork version='1' name='burger'><ground/>"
        "<joint name='root' type='free' from='ground' to='base_footprint'/>"
        "<include file='turtlebot3_burger.urdf'/>"
        "<wheel name='left' at='wheel_left_link' axis='0 0 1' radius='0.033'/>"
        "<wheel name='right' at='wheel_right_link' axis='0 0 1' radius='0.033'/></linkwork>";
    if (!shared_file("models/urdf/turtlebot3_burger.urdf")) {
        return;
    }
    char name[1024];
    snprintf(name, sizeof name, "%s/models/urdf/burger.xml", shared_dir());
    bench b = begin(compile_text(name, text, NULL));
    if (b.w && CHECK_INT(b.m->nwheel, 2)) {
        drive(&b, planar(0.1, 0, 0.5));
        const double aside = 0.033 * cos(1.57);
        CHECK_NEAR(b.command[0].speed, (0.1 - 0.5 * (0.08 + aside)) / 0.033, 1e-12);
        CHECK_NEAR(b.command[1].speed, (0.1 + 0.5 * (0.08 - aside)) / 0.033, 1e-12);
        CHECK_NEAR(b.result.slip, 0, 1e-15);
        const double speed[2] = {b.command[0].speed, b.command[1].speed};
        lw_odometry_result found;
        CHECK_INT(lw_odometry(b.m, b.d, b.w, b.q, speed, NULL, NULL, NULL, NULL, &found), LW_OK);
        CHECK_NEAR(found.twist.lin.x, 0.1, 1e-13);
        CHECK_NEAR(found.twist.ang.z, 0.5, 1e-13);
    }
    end(&b);
}

// Offsets of the wheel from its steering axis, castors and rollers: whatever stands right has no
// slip, and the wheels give the motion back.
static const vehicle_wheel odd_wheel[] = {
    {"offset", 0.3, 0.2, -0.05, 0.04, 0, "driven"}, {"castor", -0.4, 0.1, -0.06, 0, 0, "castor"},
    {"omni", 0.1, -0.3, 0, 0, 90, "none"},          {"mecanum", -0.2, -0.25, 0, 0, 45, "none"},
    {"other", 0.2, 0.35, 0, 0, -45, "none"},        {"leading", 0.35, -0.2, 0.03, 0, 0, "driven"},
};

/// Whether the vehicle turns about a point that is nearer to the steering axis of a wheel than the
/// wheel is: no angle brings the axle of such a wheel through it.
static bool turns_within_a_trail(lw_motion twist)
{
    bool any = false;
    for (size_t k = 0; k < sizeof odd_wheel / sizeof *odd_wheel; ++k) {
        const vehicle_wheel *w = &odd_wheel[k];
        const double turn = twist.ang.z;
        const double speed = hypot(twist.lin.x - turn * w->y, twist.lin.y + turn * w->x);
        any = any || (w->trail != 0 && speed <= fabs(turn * w->trail));
    }
    return any;
}

static void check_round_trip(bench *b)
{
    double speed[MOST], rate[MOST];
    const int n = b->m->nwheel;
    for (int i = 0; i < 200; ++i) {
        const double ahead = check_random(-1, 1), aside = check_random(-1, 1);
        const lw_motion twist = planar(ahead, aside, check_random(-1, 1));
        if (turns_within_a_trail(twist)) {
            continue;
        }
        // World pose and heading count for nothing.
        b->q[0] = check_random(-5, 5);
        const double yaw = check_random(-3, 3);
        b->q[3] = cos(yaw / 2);
        b->q[6] = sin(yaw / 2);
        drive(b, twist);
        CHECK_NEAR(b->result.slip, 0, 1e-14);
        take_angles(b);
        drive(b, twist); // where they stand now is where they should stand
        for (int k = 0; k < n; ++k) {
            speed[k] = b->command[k].speed;
        }
        lw_odometry_result found;
        lw_wheel_slip slip[MOST];
        CHECK_INT(lw_odometry(b->m, b->d, b->w, b->q, speed, NULL, NULL, rate, slip, &found),
                  LW_OK);
        CHECK_INT(found.slipping, -1);
        const double *x = &found.twist.ang.x, *wanted = &twist.ang.x;
        for (int k = 0; k < 6; ++k) {
            CHECK_NEAR(x[k], wanted[k], 1e-13);
        }
        const lw_wheels_info info = lw_wheels_describe(b->w);
        for (int k = 0; k < info.npassive; ++k) {
            CHECK_NEAR(rate[k], 0, 1e-12); // a castor in a steady turn stands still
        }
    }
}

TEST(C17_wheels_of_every_kind_roll_and_give_the_motion_back)
{
    bench b = begin(vehicle(0.1, 6, odd_wheel));
    check_round_trip(&b);
    CHECK_INT(lw_wheels_describe(b.w).npassive, 1);
    end(&b);
}

static void add_mecanum_wheel(lw_mech *mech, const char *name, double x, double y)
{
    lw_link_def link = lw_default_link_def();
    lw_joint_def joint = lw_default_joint_def();
    lw_wheel_def wheel = lw_default_wheel_def();
    char axle[32], tyre[32];
    snprintf(axle, sizeof axle, "%s_axle", name);
    snprintf(tyre, sizeof tyre, "%s_tyre", name);
    link.name = name;
    link.mass = 1.0;
    joint.name = axle;
    joint.type = LW_JOINT_REVOLUTE;
    joint.axis = lw_vec3_of(0, 1, 0);
    joint.before = lw_placement_xyz(x, y, 0.05);
    wheel.radius = 0.05;
    wheel.roller = x * y > 0 ? 0.78539816339744831 : -0.78539816339744831;
    wheel.name = tyre;
    lw_add_link(mech, &link);
    lw_add_joint(mech, &joint);
    lw_add_wheel(mech, &wheel);
    CHECK_INT(lw_connect_named(mech, "base", axle), LW_OK);
    CHECK_INT(lw_connect_named(mech, axle, name), LW_OK);
    CHECK_INT(lw_connect_named(mech, name, tyre), LW_OK);
}

// The usual base on mecanum wheels, made by calls, has the published kinematics: of the front left
// one (vx - vy - (a + b) turn) / r, and likewise with other signs.
TEST(C19_mecanum_wheels_made_by_calls_turn_as_published)
{
    const double a = 0.2, b = 0.15, r = 0.05;
    static const char *const name[4] = {"front_left", "front_right", "rear_left", "rear_right"};
    static const int sign[4][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
    lw_mech *mech = NULL;
    lw_model *m = NULL;
    CHECK_INT(lw_mech_create("base", &mech), LW_OK);
    lw_link_def link = lw_default_link_def();
    link.name = "base";
    lw_add_link(mech, &link);
    for (int k = 0; k < 4; ++k) {
        add_mecanum_wheel(mech, name[k], sign[k][0] * a, sign[k][1] * b);
    }
    CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_OK);
    lw_mech_destroy(mech);
    bench v = begin(m);
    for (int i = 0; i < 20; ++i) {
        const lw_motion t = planar(check_random(-1, 1), check_random(-1, 1), check_random(-1, 1));
        double speed[4];
        drive(&v, t);
        for (int k = 0; k < 4; ++k) {
            const int across = sign[k][0] * sign[k][1];
            const double along = t.lin.x - sign[k][1] * (a + b) * t.ang.z;
            CHECK_NEAR(v.command[k].speed, (along - across * t.lin.y) / r, 1e-13);
            speed[k] = v.command[k].speed;
        }
        lw_odometry_result found;
        CHECK_INT(lw_odometry(v.m, v.d, v.w, v.q, speed, NULL, NULL, NULL, NULL, &found), LW_OK);
        CHECK_NEAR(found.twist.lin.y, t.lin.y, 1e-14);
        CHECK_NEAR(found.twist.ang.z, t.ang.z, 1e-14);
    }
    end(&v);
}

TEST(C18_a_car_is_brought_to_what_it_can_follow)
{
    const vehicle_wheel wheel[4] = {{"fl", 0.5, 0.3, 0, 0, 0, "driven"},
                                    {"fr", 0.5, -0.3, 0, 0, 0, "driven"},
                                    {"rl", 0, 0.3, 0, 0, 0, "none"},
                                    {"rr", 0, -0.3, 0, 0, 0, "none"}};
    bench b = begin(vehicle(0.1, 4, wheel));
    const lw_motion twist = planar(1, 0.5, 0.3);
    const lw_drive_options projects = {.projects = true};
    lw_mobility mobility;
    CHECK_INT(lw_wheel_mobility(b.m, b.d, b.w, b.q, &mobility), LW_OK);
    CHECK_INT(mobility.mobility, 1);
    CHECK_INT(mobility.steerability, 1);
    drive(&b, twist);
    CHECK_NEAR(b.command[2].side_slip, 0.5, 1e-15);
    CHECK_NEAR(b.result.slip, sqrt(0.5), 1e-15);
    CHECK_INT(lw_drive(b.m, b.d, b.w, b.q, &twist, &projects, b.command, &b.result), LW_OK);
    CHECK_NEAR(b.result.slip, 0, 1e-15);
    CHECK_NEAR(b.result.twist.lin.x, 1, 1e-15);
    CHECK_NEAR(b.result.twist.lin.y, 0, 1e-15);
    CHECK_NEAR(b.result.twist.ang.z, 0.3, 1e-15);
    // Steered against each other the axles do not meet.
    drive(&b, planar(1, 0, 0.5));
    take_angles(&b);
    CHECK_INT(lw_wheel_mobility(b.m, b.d, b.w, b.q, &mobility), LW_OK);
    CHECK_INT(mobility.mobility, 1);
    b.q[7] += 0.2;
    CHECK_INT(lw_wheel_mobility(b.m, b.d, b.w, b.q, &mobility), LW_OK);
    CHECK_INT(mobility.mobility, 0);
    end(&b);
}

TEST(the_nearer_angle_within_the_limits_is_taken_and_speeds_are_reduced_alike)
{
    bench b = begin(shipped_model("rover/rover.xml"));
    lw_mobility mobility;
    CHECK_INT(lw_wheel_mobility(b.m, b.d, b.w, b.q, &mobility), LW_OK);
    CHECK_INT(mobility.mobility, 1);
    CHECK_INT(mobility.steerability, 1);
    CHECK_INT(lw_wheels_describe(b.w).npassive, 3); // a rocker and two bogies
    // 22.9 degrees/s at 0.125 m: 0.05 m/s forward and in reverse.
    for (int sign = -1; sign <= 1; sign += 2) {
        drive(&b, planar(sign * 0.2, 0, 0));
        CHECK_NEAR(b.result.scale, 22.9 * 0.017453292519943295 * 0.125 / 0.2, 1e-12);
        CHECK_NEAR(b.result.twist.lin.x, sign * 22.9 * 0.017453292519943295 * 0.125, 1e-12);
    }
    drive(&b, planar(0, 0, 0.01));
    take_angles(&b);
    const double left = b.command[0].steer;
    drive(&b, planar(0, 0, -0.01));
    CHECK_NEAR(b.command[0].steer, left, 1e-15); // backward, not around
    drive(&b, planar(0, 0, 0));
    CHECK(b.command[0].is_held);
    CHECK_NEAR(b.command[0].steer, left, 0);
    end(&b);
}

// Speeds of contacts are differences of poses: the wheel, carried along with the twist that the
// odometry found, leaves its contact where it was.
TEST(rolling_equals_differences_of_poses)
{
    bench b = begin(shipped_model("rover/rover.xml"));
    const lw_motion twist = planar(0.03, 0, 0.05);
    static const char *const moved[] = {"left_rocker", "left_bogie", "right_bogie"};
    for (int k = 0; k < 3; ++k) { // on rough ground
        b.q[lw_find_position(b.m, moved[k])] = 0.1 * (k + 1);
    }
    drive(&b, twist);
    take_angles(&b);
    double speed[MOST], v[64] = {0}, next[64];
    lw_vec3 normal[MOST];
    lw_wheel_contact at[MOST], after[MOST];
    for (int k = 0; k < b.m->nwheel; ++k) {
        normal[k] = lw_vec3_of(check_random(-0.2, 0.2), check_random(-0.2, 0.2), 1);
        speed[k] = check_random(-0.3, 0.3);
        for (int i = 0; i < b.m->nv; ++i) {
            if (b.m->v_tree[i] == b.m->wheel[k].axle) {
                v[i] = speed[k];
            }
        }
    }
    const lw_odometry_options options = {.normal = normal};
    lw_odometry_result found;
    lw_wheel_slip slip[MOST];
    double rate[3];
    CHECK_INT(lw_odometry(b.m, b.d, b.w, b.q, speed, NULL, &options, rate, slip, &found), LW_OK);
    const lw_wheels_info info = lw_wheels_describe(b.w);
    for (int k = 0; k < info.npassive; ++k) {
        v[info.passive[k]] = rate[k];
    }
    memcpy(v, &found.twist, 6 * sizeof *v);
    CHECK_INT(lw_wheel_contacts(b.m, b.d, b.w, b.q, normal, at), LW_OK);
    const double h = 1e-6;
    lw_vec3 moves[MOST][2];
    for (int side = 0; side < 2; ++side) {
        CHECK_INT(lw_integrate(b.m, b.q, v, side ? h : -h, next), LW_OK);
        CHECK_INT(lw_forward_position(b.m, b.d, next), LW_OK);
        CHECK_INT(lw_wheel_contacts(b.m, b.d, b.w, next, normal, after), LW_OK);
        for (int k = 0; k < b.m->nwheel; ++k) { // the point of the wheel that touched
            const int body = b.m->wheel[k].body;
            int f = 0;
            while (b.m->frame[f].body != body) {
                ++f;
            }
            lw_pose X_now, X_next;
            CHECK_INT(lw_pose_of_frame(b.m, b.d, b.q, f, &X_now), LW_OK);
            const lw_pose back = lw_pose_inverse(&X_now);
            const lw_vec3 on_wheel = lw_pose_apply(&back, at[k].point);
            CHECK_INT(lw_pose_of_frame(b.m, b.d, next, f, &X_next), LW_OK);
            moves[k][side] = lw_pose_apply(&X_next, on_wheel);
        }
    }
    for (int k = 0; k < b.m->nwheel; ++k) {
        const lw_vec3 u = lw_scale3(0.5 / h, lw_sub3(moves[k][1], moves[k][0]));
        CHECK_NEAR(lw_dot3(u, at[k].forward), slip[k].slip, 1e-9);
        CHECK_NEAR(lw_dot3(u, at[k].side), slip[k].side_slip, 1e-9);
    }
    end(&b);
}

static double normal_deviate(void)
{
    const double a = check_random(1e-12, 1), c = check_random(0, 6.283185307179586);
    return sqrt(-2 * log(a)) * cos(c);
}

// One wheel slips by 30 %, all encoders have 1 % of noise.
TEST(the_slipping_wheel_is_named)
{
    const char *many = getenv("LINKWORK_TRIALS");
    const int trials = many ? atoi(many) : 500;
    bench b = begin(vehicle(0.075, 6, osr_wheel));
    const double v = 0.2;
    const lw_odometry_options options = {.rolling = 0.01 * v, .side = 0.01 * v, .height = 0.01 * v};
    int named = 0, false_alarms = 0;
    for (int i = 0; i < trials; ++i) {
        const int wrong = i % 6;
        double speed[6];
        drive(&b, planar(v, 0, check_random(-0.3, 0.3)));
        take_angles(&b);
        drive(&b, b.result.twist);
        lw_odometry_result found;
        for (int k = 0; k < 6; ++k) {
            speed[k] = b.command[k].speed + 0.01 * v / 0.075 * normal_deviate();
        }
        CHECK_INT(lw_odometry(b.m, b.d, b.w, b.q, speed, NULL, &options, NULL, NULL, &found),
                  LW_OK);
        false_alarms += found.slipping >= 0;
        speed[wrong] += 0.3 * b.command[wrong].speed;
        CHECK_INT(lw_odometry(b.m, b.d, b.w, b.q, speed, NULL, &options, NULL, NULL, &found),
                  LW_OK);
        named += found.slipping == wrong;
    }
    printf("the slipping wheel is named in %d of %d trials, %d false alarms\n", named, trials,
           false_alarms);
    CHECK(named >= 0.99 * trials);
    CHECK(false_alarms <= 0.01 * trials);
    end(&b);
}

TEST(odometry_is_exact_on_SE3)
{
    const lw_motion twist = {{0.1, -0.2, 0.7}, {0.4, 0.1, -0.05}};
    lw_pose once = lw_pose_identity(), many = once;
    once = lw_pose_advance(&once, &twist, 10);
    for (int i = 0; i < 1000; ++i) {
        many = lw_pose_advance(&many, &twist, 0.01);
    }
    CHECK_NEAR(lw_norm3(lw_sub3(once.p, many.p)), 0, 1e-13);
    // A planar circle, in closed form.
    const lw_motion turn = planar(0.5, 0, 0.25);
    lw_pose X = lw_pose_identity();
    X = lw_pose_advance(&X, &turn, 3);
    CHECK_NEAR(X.p.x, 2 * sin(0.75), 1e-15);
    CHECK_NEAR(X.p.y, 2 * (1 - cos(0.75)), 1e-15);
}

#define WHEEL_ON(where, more)                                                                      \
    "<linkwork version='1' name='bad'><ground/>\n"                                                 \
    "<joint name='root' type='free' from='ground' to='body'/>\n"                                   \
    "<link name='body' mass='1' inertia='1 1 1'/>\n"                                               \
    "<joint name='axle' type='revolute' axis='0 1 0' from='body' to='hub'/>\n"                     \
    "<link name='hub' mass='1' inertia='1 1 1'><frame name='off' xyz='0.1 0 0'/></link>\n"         \
    "<wheel name='w' at='" where "' " more "/></linkwork>"

static void check_bad(const char *text, const char *wanted)
{
    char *lines = diagnostics_of_text("bad.xml", text);
    CHECK_HAS(lines, wanted);
    free(lines);
}

TEST(bad_wheels_are_named)
{
    check_bad(WHEEL_ON("body", "radius='0.1'"),
              "bad.xml:6:1: error: wheel \"w\" has no axle: body");
    check_bad(WHEEL_ON("ground", "radius='0.1'"), "wheel \"w\" has no axle: the ground");
    check_bad(WHEEL_ON("hub.off", "radius='0.1'"),
              "has no axle: its centre is 0.1 m beside the axis of the joint of hub");
    check_bad(WHEEL_ON("hub", "radius='0.1' axis='1 0 0'"),
              "has no axle: the joint of hub turns about another axis, (0, 1, 0) here");
    check_bad(WHEEL_ON("hub", "radius='0.1' steering='driven'"),
              "error: wheel \"w\" is steered, but no revolute joint");
    check_bad(WHEEL_ON("hub", "radius='0'"), "radius is 0, must be positive");
    check_bad(WHEEL_ON("hub", ""), "radius is 0, must be positive");
    check_bad(WHEEL_ON("hub", "radius='0.1' width='-1'"), "width is -1");
    check_bad(WHEEL_ON("hub", "radius='0.1' section='0.2'"), "section 0.2 is larger");
    check_bad(WHEEL_ON("hub", "radius='0.1' roller='90'"), "rollers are at 90 rad, must be");
    check_bad(WHEEL_ON("hub", "radius='0.1' axis='0 0 0'"), "has no direction");
    check_bad(WHEEL_ON("hub", "radius='0.1' stering='none'"), "did you mean \"steering\"");
    lw_model *m = vehicle(0.1, 6, odd_wheel);
    CHECK_INT(lw_wheels_init(m, NULL, NULL), LW_ERR_ARGUMENT);
    lw_model_destroy(m);
    m = shipped_model("ur5_class.xml");
    lw_wheels *w;
    CHECK_INT(lw_wheels_create(m, &w), LW_ERR_ARGUMENT);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(C17_six_wheels_of_a_published_rover_in_a_turn);
    RUN(C17_front_and_middle_wheels_of_the_published_table);
    RUN(C19_skid_steer_is_the_least_squares_motion);
    RUN(C19_wheels_are_put_onto_an_included_urdf);
    RUN(C17_wheels_of_every_kind_roll_and_give_the_motion_back);
    RUN(C19_mecanum_wheels_made_by_calls_turn_as_published);
    RUN(C18_a_car_is_brought_to_what_it_can_follow);
    RUN(the_nearer_angle_within_the_limits_is_taken_and_speeds_are_reduced_alike);
    RUN(rolling_equals_differences_of_poses);
    RUN(the_slipping_wheel_is_named);
    RUN(odometry_is_exact_on_SE3);
    RUN(bad_wheels_are_named);
    return REPORT();
}
