// Levels of detail: what belongs to the transmission, what each level makes of it, and what must
// stay the same between levels.
#include "check.h"
#include "level_choices.h"
#include "load_text.h"
#include "objects.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const hr120 = LINKWORK_SOURCE_DIR "/models/hr120/hr120.xml";
static const lw_level each[3] = {LW_LEVEL_HIGH, LW_LEVEL_MIDDLE, LW_LEVEL_LOW};

static lw_model *compile_at(const lw_mech *mech, const char *levels, bool free_base)
{
    choice_list list;
    read_choices(levels, &list);
    lw_compile_options options = options_at(&list);
    options.free_base = free_base;
    return compile_checked(mech, &options);
}

enum { MOST = 40 };

// Motors behind elastic shafts where rigid shafts would have them: positions, rates, accelerations.
static void follow(const lw_model *m, lw_data *d, const double *G, double *q, double *v, double *a)
{
    (void)d;
    for (int e = 0; e < m->nv; ++e) {
        if (G[e * m->nv + e] != 0.0) {
            continue;
        }
        q[e] = v[e] = a[e] = 0.0; // their reference is zero
        for (int k = 0; k < m->nv; ++k) {
            const double ratio = k == e ? 0.0 : G[e * m->nv + k];
            q[e] += ratio * (q[k] - m->q_reference[k]);
            v[e] += ratio * v[k];
            a[e] += ratio * a[k];
        }
    }
}

// Torques at a state that depends on the names of the coordinates, at the joints that `names` has;
// motors behind elastic shafts follow these.
static bool torque(const lw_model *m, const lw_model *names, double *tau)
{
    double q[MOST], v[MOST] = {0.0}, a[MOST] = {0.0}, own[MOST], G[MOST * MOST];
    int nfollower;
    lw_data *d = new_data(m);
    memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
    CHECK_INT(lw_shaft_ratios(m, d, m->q_reference, &nfollower, G), LW_OK);
    CHECK_INT(m->nv, names->nv + nfollower);
    for (int k = 0; k < names->nv; ++k) {
        const int at = lw_find_velocity(m, names->velocity_name[k]);
        if (!CHECK(at >= 0) || !CHECK_INT(m->nq, m->nv)) {
            lw_data_destroy(d);
            return false;
        }
        q[at] += 0.3 * sin(1.0 + k);
        v[at] = cos(2.0 * k);
        a[at] = 1.0 + sin(3.0 * k);
    }
    follow(m, d, G, q, v, a);
    const bool is_good = CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, NULL, own), LW_OK);
    for (int k = 0; k < names->nv; ++k) {
        const int at = lw_find_velocity(m, names->velocity_name[k]);
        tau[k] = own[at];
        for (int e = 0; e < m->nv; ++e) {
            tau[k] += G[e * m->nv + e] == 0.0 ? G[e * m->nv + at] * own[e] : 0.0;
        }
    }
    lw_data_destroy(d);
    return is_good;
}

// --- Conservation -----------------------------------------------------------------------------

// Moved as one rigid body the machine has the same inertia: with the base free, the first six rows
// and columns of the mass matrix, which hold mass, first moment and inertia. Gears lock the rotors
// as the main joints stand still.
static void check_conserved(const lw_mech *mech, const char *one, const char *two)
{
    lw_model *m[2] = {compile_at(mech, one, true), compile_at(mech, two, true)};
    double *M[2] = {NULL, NULL};
    for (int i = 0; i < 2 && m[i]; ++i) {
        const int nv = m[i]->nv;
        lw_data *d = new_data(m[i]);
        M[i] = calloc((size_t)nv * (size_t)nv, sizeof **M);
        CHECK_INT(lw_mass_matrix(m[i], d, m[i]->q_reference, M[i]), LW_OK);
        CHECK_TEXT(m[i]->velocity_name[0], "root.wx");
        lw_data_destroy(d);
    }
    double largest = 0.0;
    for (int k = 0; k < 36 && m[0] && m[1]; ++k) {
        largest = fmax(largest, fabs(M[1][k / 6 * m[1]->nv + k % 6]));
    }
    for (int k = 0; k < 36 && m[0] && m[1]; ++k) {
        check_case("row %d, column %d", k / 6, k % 6);
        // Sums of some dozens of numbers in another order.
        CHECK_NEAR(M[0][k / 6 * m[0]->nv + k % 6], M[1][k / 6 * m[1]->nv + k % 6], 1e-12 * largest);
    }
    CHECK_NEAR(m[0]->mass, m[1]->mass, 1e-12 * m[1]->mass);
    free(M[0]);
    free(M[1]);
    lw_model_destroy(m[0]);
    lw_model_destroy(m[1]);
}

TEST(R10_middle_level_conserves_mass_moment_and_inertia)
{
    lw_mech *mech = load_checked(hr120, NULL);
    check_conserved(mech, "*=middle", "*=low");
    check_conserved(mech, "base=middle wrist=low", "*=low");
    check_conserved(mech, "base=low wrist=middle", "base=middle wrist=low");
    lw_mech_destroy(mech);
}

// Joints of every type, rods and closing joints in the transmission, away from their zeros.
static const char *const odd_transmission =
    "<linkwork version='1' name='odd'><ground/>"
    "<link name='house' at='ground' mass='5' inertia='1 1 1'/>"
    "<joint name='main' type='revolute' axis='0 1 0' from='house' to='arm' reference='0.2'/>"
    "<link name='arm' mass='3' center='0.3 0 0' inertia='0.1 0.2 0.2'>"
    "<frame name='pin' xyz='0.4 0 0.1'/></link>"
    "<joint name='crank' type='revolute' axis='0 1 0' from='house' to='crank' xyz='0.1 0 -0.3'"
    " reference='0.4' role='transmission'/>"
    "<link name='crank' mass='1' center='0.1 0.02 0' inertia='0.01 0.02 0.03'>"
    "<frame name='pin' xyz='0.3 0 0'/></link>"
    "<rod name='rod' from='crank.pin' to='arm.pin' mass='2'/>"
    "<joint name='screw' type='screw' pitch='0.3' axis='1 1 0' from='arm' to='nut' xyz='0 0.1 0'"
    " reference='0.7' role='transmission'/>"
    "<link name='nut' mass='0.5' center='0.01 0 0' inertia='0.001 0.002 0.002'/>"
    "<joint name='tube' type='cylindrical' axis='0 0 1' from='nut' to='tube'>"
    "<dof name='angle' reference='0.5'/><dof name='travel' reference='0.2'/></joint>"
    "<link name='tube' mass='0.4' center='0.03 0 0' inertia='0.001 0.002 0.002'/>"
    "<joint name='cross' type='universal' axis='0 0 1' axis2='1 0 0' from='arm' to='cross'>"
    "<dof name='first' reference='-0.5'/><dof name='second' reference='0.9'/></joint>"
    "<link name='cross' mass='0.3' center='0.05 0 0.02' inertia='0.001 0.002 0.002'"
    " role='transmission'/>"
    "<joint name='table' type='planar' axis='0 1 1' from='arm' to='table' role='transmission'>"
    "<dof name='x' reference='0.1'/><dof name='y' reference='-0.2'/>"
    "<dof name='angle' reference='0.4'/></joint>"
    "<link name='table' mass='0.2' center='0.05 0 0' inertia='0.001 0.002 0.003'/>"
    "<joint name='ball' type='spherical' from='house' to='ball' role='transmission'>"
    "<dof name='wx' reference='0.3'/><dof name='wz' reference='-0.6'/></joint>"
    "<link name='ball' mass='0.7' center='0.05 0.1 0' inertia='0.001 0.002 0.003'/>"
    "<joint name='slide' type='prismatic' axis='0 0 1' from='house' to='slide' reference='0.25'"
    " role='transmission'/><link name='slide' mass='0.9' inertia='0.001 0.002 0.003'/>"
    "</linkwork>";

TEST(R10_joints_of_every_type_and_rods_are_held_in_their_reference)
{
    lw_mech *mech = load_checked("odd.xml", odd_transmission);
    check_conserved(mech, "*=middle", "*=low");
    lw_model *high = compile_at(mech, "*=high", false),
             *middle = compile_at(mech, "*=middle", false);
    CHECK_INT(high->nbody, 1);
    CHECK_INT(middle->nbody, 1);
    CHECK_INT(high->nloop + middle->nloop, 0);
    CHECK_NEAR(high->mass, 8.0, 1e-15);
    CHECK_NEAR(middle->mass, 14.0, 1e-14);
    CHECK_TEXT(high->velocity_name[0], "main");
    lw_model_destroy(high);
    lw_model_destroy(middle);
    lw_mech_destroy(mech);
}

// --- Coordinates ------------------------------------------------------------------------------

TEST(R07_main_joints_are_the_coordinates_at_every_level)
{
    static const char *const main_joint[] = {"base/S",   "base/V",  "base/H",
                                             "wrist/R2", "wrist/B", "wrist/R1"};
    static const char *const levels[] = {"*=high", "*=middle", "*=low", "base=high",
                                         "wrist=high base=middle"};
    lw_mech *mech = load_checked(hr120, NULL);
    for (int i = 0; i < 5; ++i) {
        check_case("%s", levels[i]);
        lw_model *m = compile_at(mech, levels[i], false);
        CHECK(m->nv >= 6);
        for (int k = 0; k < 6 && k < m->nv; ++k) {
            CHECK_TEXT(m->velocity_name[k], main_joint[k]);
        }
        // What else there is are the motors before their elastic shafts, of what is at low.
        CHECK_INT(m->nv, i == 2 ? 12 : i == 3 ? 9 : 6);
        for (int k = 6; k < m->nv; ++k) {
            CHECK_HAS(m->velocity_name[k], "/motor_");
        }
        lw_model_destroy(m);
    }
    lw_mech_destroy(mech);
}

TEST(a_file_that_drives_by_motors_has_main_joints_at_other_levels_and_says_so)
{
    lw_mech *mech = load_checked(
        "driven.xml", "<linkwork version='1' name='driven'><ground/>"
                      "<joint name='motor' type='revolute' from='ground' to='rotor'/>"
                      "<link name='rotor' mass='1' inertia='1 1 1' role='transmission'/>"
                      "<joint name='main' type='revolute' from='ground' to='arm' xyz='1 0 0' "
                      "dependent='true'/><link name='arm' mass='1' inertia='1 1 1'/>"
                      "<gear name='g' type='spur' first='rotor' second='arm' ratio='3'/>"
                      "</linkwork>");
    for (int i = 0; i < 3; ++i) {
        const lw_level_choice choice = {"*", each[i]};
        lw_compile_options options = lw_default_compile_options();
        options.level = &choice;
        options.nlevel = 1;
        lw_report *report = new_report();
        lw_model *m = NULL;
        CHECK_INT(lw_compile(mech, &options, &m, report), LW_OK);
        char *lines = diagnostics_text(report);
        if (each[i] == LW_LEVEL_LOW) {
            CHECK_TEXT(m->velocity_name[0], "motor");
        } else {
            CHECK_TEXT(m->velocity_name[0], "main");
            CHECK_HAS(lines, "\"main\" is marked dependent, but nothing determines it at these");
        }
        free(lines);
        lw_report_destroy(report);
        lw_model_destroy(m);
    }
    lw_mech_destroy(mech);
}

// Where gears alone say it, a coordinate of the wrist asks the motors for: R12 of the checklist.
TEST(R12_motors_of_the_wrist_follow_from_its_joints)
{
    // Rows motor_R2, motor_B, motor_R1 over R2, B, R1, from the teeth: trains of idlers turn the
    // sign twice, and seen from the tube the shafts have lost R2.
    const double wanted[3][3] = {{60, 0, 0}, {20, -62.5, 0}, {20, -40, -50}};
    static const char *const pinion[] = {"wrist/pinion_R2", "wrist/pinion_B", "wrist/pinion_R1"};
    static const char *const motor[] = {"wrist/motor_R2", "wrist/motor_B", "wrist/motor_R1"};
    lw_mech *mech = load_checked(hr120, NULL);
    lw_model *m = compile_at(mech, "*=low", false);
    lw_data *d = new_data(m);
    for (int k = 0; k < 3; ++k) {
        double q[12] = {0.0};
        q[3 + k] = 0.1;
        CHECK_INT(lw_forward_position(m, d, q), LW_OK);
        for (int i = 0; i < 3; ++i) {
            char name[64];
            snprintf(name, sizeof name, "%s.b", pinion[i]);
            lw_pose X, Y;
            CHECK_INT(lw_frame_pose(m, d, lw_find_frame(m, name), &X), LW_OK);
            snprintf(name, sizeof name, "%s.a", pinion[i]);
            CHECK_INT(lw_frame_pose(m, d, lw_find_frame(m, name), &Y), LW_OK);
            const lw_pose back = lw_pose_inverse(&Y), turn = lw_pose_mul(&back, &X);
            const double angle = atan2(turn.R.row[2].y, turn.R.row[1].y);
            check_case("%s by coordinate %d", pinion[i], k);
            CHECK_NEAR(sin(angle - 0.1 * wanted[i][k]), 0.0, 1e-12);
        }
    }
    // The motors would follow just so, were their shafts rigid.
    double G[12 * 12];
    int nfollower = 0;
    CHECK_INT(lw_shaft_ratios(m, d, m->q_reference, &nfollower, G), LW_OK);
    CHECK_INT(nfollower, 6);
    for (int i = 0; i < 3; ++i) {
        const int e = lw_find_velocity(m, motor[i]);
        for (int k = 0; k < m->nv && CHECK(e >= 6); ++k) {
            CHECK_NEAR(G[e * m->nv + k], k >= 3 && k < 6 ? wanted[i][k - 3] : 0.0, 1e-12);
        }
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

// --- Low level --------------------------------------------------------------------------------

// A turntable about z carries a fork that may tilt about y, with a disc about x, and a rotor that
// a gear turns the other way n times as fast.
static const char *const gyroscope =
    "<linkwork version='1' name='gyro'><ground gravity='0 0 0'/>"
    "<joint name='table' type='revolute' axis='0 0 1' from='ground' to='table'/>"
    "<link name='table' mass='1' inertia='1 1 1'/>"
    "<joint name='tilt' type='revolute' axis='0 1 0' from='table' to='fork'/>"
    "<link name='fork' mass='2' inertia='0.3 0.3 0.3'/>"
    "<joint name='disc' type='revolute' axis='1 0 0' from='fork' to='disc'/>"
    "<link name='disc' mass='1' inertia='0.02 0.01 0.01'/>"
    "<joint name='motor' type='revolute' axis='1 0 0' from='fork' to='rotor'/>"
    "<link name='rotor' mass='1' inertia='0.003 0.002 0.002' role='transmission'/>"
    "<joint name='side' type='revolute' axis='1 0 0' from='fork' to='side' xyz='0 0.1 0'/>"
    "<link name='side' role='transmission'/>"
    "<gear name='g1' type='spur' first='rotor' second='side' ratio='1'/>"
    "<gear name='g2' type='belt' first='side' second='disc' ratio='50'/></linkwork>";

TEST(R30_gyroscopic_torque_of_a_spinning_rotor_is_exact_at_the_low_level)
{
    const double w = 1.5, spin = 2.0, J_disc = 0.02, J_rotor = 0.003, n = 50.0;
    lw_mech *mech = load_checked("gyro.xml", gyroscope);
    for (int i = 0; i < 3; ++i) {
        char levels[16];
        snprintf(levels, sizeof levels, "*=%s", lw_level_name(each[i]));
        check_case("%s", levels);
        lw_model *m = compile_at(mech, levels, false);
        lw_data *d = new_data(m);
        const double q[3] = {0.4, 0.0, 0.7}, v[3] = {w, 0.0, spin}, a[3] = {0.0, 0.0, 0.5};
        double tau[3];
        CHECK_INT(m->nv, 3);
        CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, NULL, tau), LW_OK);
        // The spin of both along x is carried around z: a torque about y of w times that spin.
        const bool is_low = each[i] == LW_LEVEL_LOW;
        const double L = J_disc * spin - (is_low ? J_rotor * n * spin : 0.0);
        CHECK_NEAR(tau[1], w * L, 1e-14);
        CHECK_NEAR(tau[2], 0.5 * (J_disc + (is_low ? n * n * J_rotor : 0.0)), 1e-14);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    lw_mech_destroy(mech);
}

// --- Mixed levels -----------------------------------------------------------------------------

TEST(R11_wrist_low_on_a_base_at_any_level_has_the_torques_of_all_low)
{
    static const char *const levels[] = {"base=high wrist=low", "base=middle wrist=low"};
    lw_mech *mech = load_checked(hr120, NULL);
    lw_model *low = compile_at(mech, "*=low", false), *high = compile_at(mech, "*=high", false);
    double wanted[MOST], tau[MOST];
    torque(low, high, wanted);
    for (int i = 0; i < 2; ++i) {
        lw_model *m = compile_at(mech, levels[i], false);
        CHECK(m->nbody < low->nbody);
        if (torque(m, high, tau)) {
            for (int k = 3; k < 6; ++k) {
                // The base moves alike at every level, so only rounding differs.
                CHECK_NEAR(tau[k], wanted[k], 1e-10 * (1.0 + fabs(wanted[k])));
            }
            CHECK(fabs(tau[0] - wanted[0]) > 1.0);
        }
        lw_model_destroy(m);
    }
    lw_model_destroy(high);
    lw_model_destroy(low);
    lw_mech_destroy(mech);
}

TEST(forward_dynamics_undo_inverse_dynamics_at_every_level)
{
    static const char *const levels[] = {"*=high", "*=middle", "*=low", "base=high wrist=low"};
    lw_mech *mech = load_checked(hr120, NULL);
    for (int i = 0; i < 4; ++i) {
        check_case("%s", levels[i]);
        lw_model *m = compile_at(mech, levels[i], false);
        lw_data *d = new_data(m);
        double q[MOST] = {0.3, 0.2, -0.3, 0.4, 0.5, 0.6}, v[MOST] = {1, -0.5, 0.7, 2, -1, 1.5};
        double a[MOST] = {1, 2, -1, 0.5, 3, -2}, tau[MOST], back[MOST], G[MOST * MOST];
        int nfollower;
        CHECK_INT(lw_shaft_ratios(m, d, m->q_reference, &nfollower, G), LW_OK);
        follow(m, d, G, q, v, a);
        for (int k = 6; k < m->nv; ++k) {
            q[k] += 0.02 * k; // shafts that are wound up
        }
        CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, NULL, tau), LW_OK);
        CHECK_INT(lw_forward_dynamics(m, d, q, v, tau, NULL, back), LW_OK);
        for (int k = 0; k < m->nv; ++k) {
            // Torques of some thousand N m on inertias of a few kg m^2; of motors some N m on 1e-3.
            CHECK_NEAR(back[k], a[k], 1e-11 * (1.0 + fabs(a[k])));
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    lw_mech_destroy(mech);
}

// --- Flat and nested --------------------------------------------------------------------------

// A geared joint with an arm behind it; gives the port that the next one hangs on.
static lw_port add_axis(lw_mech *mech, lw_port at, int number, lw_vec3 axis)
{
    char name[4][16];
    static const char *const word[4] = {"turn", "arm", "motor", "rotor"};
    for (int k = 0; k < 4; ++k) {
        snprintf(name[k], sizeof name[k], "%s%d", word[k], number);
    }
    lw_joint_def joint = lw_default_joint_def();
    joint.type = LW_JOINT_REVOLUTE;
    joint.axis = axis;
    joint.name = name[0];
    const lw_part turn = lw_add_joint(mech, &joint);
    lw_link_def link = lw_default_link_def();
    link.mass = 2.0 + number;
    link.inertial = lw_placement_xyz(0.1, 0.02 * number, 0.2);
    link.inertia = (lw_sym3){0.1, 0.2, 0.15, 0.0, 0.0, 0.0};
    link.b = lw_placement_xyz(0.1, 0.0, 0.4);
    link.name = name[1];
    const lw_part arm = lw_add_link(mech, &link);
    joint.name = name[2];
    joint.before = lw_placement_xyz(0.05, 0.0, -0.1);
    const lw_part motor = lw_add_joint(mech, &joint);
    link.name = name[3];
    link.mass = 0.4;
    link.inertia = (lw_sym3){0.001, 0.001, 0.002, 0.0, 0.0, 0.0};
    link.role = LW_ROLE_TRANSMISSION;
    const lw_part rotor = lw_add_link(mech, &link);
    lw_gear_def gear = lw_default_gear_def();
    gear.name = name[2];
    gear.wheel[0] = name[3];
    gear.wheel[1] = name[1];
    gear.size[1] = 20.0 + number;
    CHECK_INT(lw_add_gear(mech, &gear), LW_OK);
    if (at.index >= 0) {
        CHECK_INT(lw_connect(mech, at, lw_port_of(mech, turn, "a")), LW_OK);
        CHECK_INT(lw_connect(mech, at, lw_port_of(mech, motor, "a")), LW_OK);
    }
    CHECK_INT(lw_connect(mech, lw_port_of(mech, turn, "b"), lw_port_of(mech, arm, "a")), LW_OK);
    CHECK_INT(lw_connect(mech, lw_port_of(mech, motor, "b"), lw_port_of(mech, rotor, "a")), LW_OK);
    return lw_port_of(mech, arm, "b");
}

static const lw_vec3 axes[3] = {{0, 0, 1}, {0, 1, 0}, {1, 0.5, 0}};

static lw_mech *make_flat(void)
{
    lw_mech *mech = new_mech("flat");
    const lw_ground_def ground = lw_default_ground_def();
    lw_port at = lw_port_of(mech, lw_add_ground(mech, &ground), "b");
    for (int k = 0; k < 3; ++k) {
        at = add_axis(mech, at, k + 1, axes[k]);
    }
    return mech;
}

// The third axis in an assembly that is in one with the second, and so on.
static lw_mech *make_nested(void)
{
    lw_mech *inside = NULL;
    for (int k = 2; k >= 0; --k) {
        lw_mech *mech = new_mech("nested");
        const lw_ground_def ground = lw_default_ground_def();
        lw_port at = lw_port_of(mech, lw_add_ground(mech, &ground), "b");
        at = add_axis(mech, at, k + 1, axes[k]);
        if (inside) {
            const lw_part part = lw_add_assembly(mech, "inner", inside, (lw_location){0});
            CHECK_INT(lw_connect(mech, at, lw_port_of(mech, part, "a")), LW_OK);
            lw_mech_destroy(inside);
        }
        inside = mech;
    }
    return inside;
}

TEST(D08_flat_and_nested_give_the_same_bits_at_every_level)
{
    lw_mech *flat = make_flat(), *nested = make_nested();
    for (int i = 0; i < 3; ++i) {
        char levels[16];
        snprintf(levels, sizeof levels, "*=%s", lw_level_name(each[i]));
        check_case("%s", levels);
        lw_model *one = compile_at(flat, levels, false), *two = compile_at(nested, levels, false);
        const double q[3] = {0.3, -0.4, 0.9}, v[3] = {1.0, 2.0, -1.5}, a[3] = {0.5, -3.0, 1.0};
        double tau[2][3], M[2][9];
        lw_data *d[2] = {new_data(one), new_data(two)};
        CHECK_INT(one->nbody, each[i] == LW_LEVEL_LOW ? 6 : 3);
        CHECK_INT(two->nbody, one->nbody);
        CHECK_INT(lw_inverse_dynamics(one, d[0], q, v, a, NULL, tau[0]), LW_OK);
        CHECK_INT(lw_inverse_dynamics(two, d[1], q, v, a, NULL, tau[1]), LW_OK);
        CHECK_INT(lw_mass_matrix(one, d[0], q, M[0]), LW_OK);
        CHECK_INT(lw_mass_matrix(two, d[1], q, M[1]), LW_OK);
        CHECK(memcmp(tau[0], tau[1], sizeof tau[0]) == 0);
        CHECK(memcmp(M[0], M[1], sizeof M[0]) == 0);
        lw_data_destroy(d[0]);
        lw_data_destroy(d[1]);
        lw_model_destroy(one);
        lw_model_destroy(two);
    }
    lw_mech_destroy(flat);
    lw_mech_destroy(nested);
}

int main(void)
{
    RUN(R10_middle_level_conserves_mass_moment_and_inertia);
    RUN(R10_joints_of_every_type_and_rods_are_held_in_their_reference);
    RUN(R07_main_joints_are_the_coordinates_at_every_level);
    RUN(a_file_that_drives_by_motors_has_main_joints_at_other_levels_and_says_so);
    RUN(R12_motors_of_the_wrist_follow_from_its_joints);
    RUN(R30_gyroscopic_torque_of_a_spinning_rotor_is_exact_at_the_low_level);
    RUN(R11_wrist_low_on_a_base_at_any_level_has_the_torques_of_all_low);
    RUN(forward_dynamics_undo_inverse_dynamics_at_every_level);
    RUN(D08_flat_and_nested_give_the_same_bits_at_every_level);
    return REPORT();
}
