// Simulation against published solutions: the IFToMM benchmarks, the Test Set for IVP Solvers, and
// Kane's chaotic pendulum.
#include "check.h"
#include "closed_zoo.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"
#include "squeezer.h"

#include "model/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

static lw_mech *begin(lw_vec3 gravity)
{
    lw_mech *mech = new_mech("machine");
    lw_ground_def ground = lw_default_ground_def();
    ground.gravity = gravity;
    CHECK(lw_add_ground(mech, &ground).index >= 0);
    return mech;
}

static double energy_of(const lw_sim *sim, const lw_model *m, lw_data *d)
{
    double kinetic = (double)NAN, potential = (double)NAN;
    CHECK(lw_kinetic_energy(m, d, lw_sim_position(sim), lw_sim_velocity(sim), &kinetic) == LW_OK);
    CHECK(lw_potential_energy(m, d, lw_sim_position(sim), &potential) == LW_OK);
    return kinetic + potential;
}

// Goes through the table of a reference and compares the places of frames with it.
static void follow(const lw_model *m, const json_t *table, const double *v0,
                   const char *const *frame, const char *const *key, int nframe, double tolerance,
                   double drift)
{
    lw_sim_def def = lw_default_sim_def();
    lw_sim *sim = new_sim(m, &def);
    // The simulation's own: loops that are solved by Newton's method are warm in it.
    lw_data *d = lw_sim_data(sim);
    CHECK(lw_sim_reset(sim, 0.0, NULL, v0) == LW_OK);
    const double energy = energy_of(sim, m, d);
    for (size_t i = 0; i < json_array_size(table); ++i) {
        const json_t *row = json_array_get(table, i);
        const double t = number(row, "t");
        check_case("t = %g", t);
        if (!CHECK_INT(lw_sim_advance(sim, t), LW_OK)) {
            break;
        }
        CHECK(lw_forward_position(m, d, lw_sim_position(sim)) == LW_OK);
        for (int k = 0; k < nframe; ++k) {
            lw_pose X;
            CHECK(lw_frame_pose(m, d, lw_find_frame(m, frame[k]), &X) == LW_OK);
            double want[3] = {number(row, "x"), number(row, "y"), 0.0};
            if (key) {
                reference_numbers(json_object_get(row, key[k]), want, 3);
            }
            CHECK_NEAR(X.p.x, want[0], tolerance);
            CHECK_NEAR(X.p.y, want[1], tolerance);
            CHECK_NEAR(X.p.z, want[2], tolerance);
        }
        CHECK_NEAR(energy_of(sim, m, d) - energy, 0.0, drift);
        double gap = (double)NAN;
        CHECK(lw_loop_gap(m, d, lw_sim_position(sim), &gap) == LW_OK);
        CHECK_NEAR(gap, 0.0, 1e-9);
    }
    lw_sim_destroy(sim);
}

static const json_t *table_of(const json_t *file, const char *problem)
{
    return json_object_get(json_object_get(file, problem), "computed_here");
}

TEST(R17_iftomm_A01_simple_pendulum)
{
    json_t *file = reference_read("iftomm_A01_A05.json");
    if (!file) {
        return;
    }
    lw_mech *mech = begin(lw_vec3_of(0.0, -9.81, 0.0));
    lw_link_def bar = lw_default_link_def();
    bar.name = "bar";
    bar.mass = 1.0;
    bar.inertial = lw_placement_xyz(-1.0, 0.0, 0.0);
    CHECK(lw_add_link(mech, &bar).index >= 0);
    zoo_frame(mech, "bar", "tip", lw_placement_xyz(-1.0, 0.0, 0.0));
    const lw_joint_def turn = zoo_joint_def("turn", LW_JOINT_REVOLUTE, lw_vec3_of(0.0, 0.0, 1.0));
    zoo_hang(mech, &turn, "ground.b", "bar");
    lw_model *m = compile_checked(mech, NULL);
    const char *const tip[] = {"bar.tip"};
    // The file is good to 1e-11; over 10 s a relative error of 1e-13 a step grows to 1e-10.
    follow(m, table_of(file, "A01_simple_pendulum"), NULL, tip, NULL, 1, 1e-9, 1e-10);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
    json_decref(file);
}

static void rod(lw_mech *mech, const char *name)
{
    lw_link_def def = lw_default_link_def();
    def.name = name;
    def.mass = 1.0;
    def.inertial = lw_placement_xyz(0.5, 0.0, 0.0);
    def.inertia = (lw_sym3){0.0, 1.0 / 12.0, 1.0 / 12.0, 0.0, 0.0, 0.0};
    CHECK(lw_add_link(mech, &def).index >= 0);
    zoo_frame(mech, name, "tip", lw_placement_xyz(1.0, 0.0, 0.0));
}

// N windows of four rods in a row: N + 1 rods on the ground, N rods across.
static lw_mech *windows(int n)
{
    const double quarter = 1.5707963267948966;
    lw_mech *mech = begin(lw_vec3_of(0.0, -9.81, 0.0));
    char name[32], port[32], other[32];
    for (int i = 0; i <= n; ++i) {
        snprintf(name, sizeof name, "rod%d", i);
        rod(mech, name);
        snprintf(port, sizeof port, "foot%d", i);
        lw_joint_def def = zoo_joint_def(port, LW_JOINT_REVOLUTE, lw_vec3_of(0.0, 0.0, 1.0));
        def.before = lw_placement_xyz(i, 0.0, 0.0);
        def.dof[0].reference = quarter;
        def.dependent = i > 0;
        zoo_hang(mech, &def, "ground.b", name);
    }
    for (int i = 0; i < n; ++i) {
        snprintf(name, sizeof name, "bar%d", i);
        rod(mech, name);
        snprintf(port, sizeof port, "knee%d", i);
        lw_joint_def def = zoo_joint_def(port, LW_JOINT_REVOLUTE, lw_vec3_of(0.0, 0.0, 1.0));
        def.dof[0].reference = -quarter;
        def.dependent = true;
        snprintf(other, sizeof other, "rod%d.tip", i);
        zoo_hang(mech, &def, other, name);
        snprintf(port, sizeof port, "pin%d", i);
        lw_joint_def pin = zoo_joint_def(port, LW_JOINT_REVOLUTE, lw_vec3_of(0.0, 0.0, 1.0));
        pin.closing = true;
        CHECK(lw_add_joint(mech, &pin).index >= 0);
        snprintf(name, sizeof name, "bar%d.tip", i);
        snprintf(other, sizeof other, "pin%d.a", i);
        zoo_join(mech, name, other);
        snprintf(name, sizeof name, "rod%d.tip", i + 1);
        snprintf(other, sizeof other, "pin%d.b", i);
        zoo_join(mech, name, other);
    }
    return mech;
}

// Through the position in which all rods lie in one line, twice a turn.
TEST(R17_iftomm_A02_windows_of_four_bars)
{
    json_t *file = reference_read("iftomm_A01_A05.json");
    if (!file) {
        return;
    }
    static const struct {
        int n;
        const char *problem;
    } size[] = {{2, "A02_N_four_bar_N2"}, {40, "A02_N_four_bar_N40"}};
    for (int k = 0; k < 2; ++k) {
        lw_model *m = closed_model(windows(size[k].n));
        const double v0[1] = {-1.0};
        const char *const tip[] = {"rod0.tip"};
        if (CHECK(m != NULL) && CHECK_INT(m->nv, 1)) {
            // The file is good to 1e-11, in a motion that passes its unstable upper position slowly
            // six times: an error grows there by about ten each time.
            follow(m, table_of(file, size[k].problem), v0, tip, NULL, 1, 1e-7, 1e-8);
        }
        lw_model_destroy(m);
    }
    json_decref(file);
}

static lw_mech *bricard(const json_t *problem)
{
    double P[18], axis[18];
    reference_numbers(json_object_get(problem, "points"), P, 18);
    reference_numbers(json_object_get(problem, "axes"), axis, 18);
    lw_mech *mech = begin(lw_vec3_of(0.0, -9.81, 0.0));
    char name[32], port[32];
    for (int i = 0; i < 5; ++i) { // rod i + 1 from P[i] to P[i+1], with the axes of the world
        double way[3];
        lw_link_def def = lw_default_link_def();
        snprintf(name, sizeof name, "rod%d", i + 1);
        def.name = name;
        def.mass = 1.0;
        for (int k = 0; k < 3; ++k) {
            way[k] = P[3 * (i + 1) + k] - P[3 * i + k];
        }
        def.inertial = lw_placement_xyz(0.5 * way[0], 0.5 * way[1], 0.5 * way[2]);
        // A bar of length 1 with a square section of 0.1: 2 * 0.1^2 / 12 along it.
        const double across = (1.0 + 0.01) / 12.0, along = 0.02 / 12.0;
        def.inertia = (lw_sym3){way[0] != 0.0 ? along : across,
                                way[1] != 0.0 ? along : across,
                                way[2] != 0.0 ? along : across,
                                0.0,
                                0.0,
                                0.0};
        CHECK(lw_add_link(mech, &def).index >= 0);
        zoo_frame(mech, name, "tip", lw_placement_xyz(way[0], way[1], way[2]));
        snprintf(port, sizeof port, "q%d", i + 1);
        lw_joint_def joint = zoo_joint_def(
            port, LW_JOINT_REVOLUTE, lw_vec3_of(axis[3 * i], axis[3 * i + 1], axis[3 * i + 2]));
        joint.before = i == 0 ? lw_placement_xyz(P[0], P[1], P[2]) : joint.before;
        joint.dependent = i > 0;
        snprintf(port, sizeof port, i == 0 ? "ground.b" : "rod%d.tip", i);
        zoo_hang(mech, &joint, port, name);
    }
    lw_joint_def last =
        zoo_joint_def("q6", LW_JOINT_REVOLUTE, lw_vec3_of(axis[15], axis[16], axis[17]));
    last.closing = true;
    last.before = lw_placement_xyz(0.0, 0.0, 0.0);
    CHECK(lw_add_joint(mech, &last).index >= 0);
    lw_link_def post = lw_default_link_def();
    post.name = "post";
    CHECK(lw_add_link(mech, &post).index >= 0);
    lw_joint_def fixed = zoo_joint_def("fixed", LW_JOINT_FIXED, lw_vec3_of(0.0, 0.0, 1.0));
    fixed.before = lw_placement_xyz(P[15], P[16], P[17]);
    zoo_hang(mech, &fixed, "ground.b", "post");
    zoo_join(mech, "rod5.tip", "q6.a");
    zoo_join(mech, "post.b", "q6.b");
    return mech;
}

TEST(R17_iftomm_A04_bricard)
{
    json_t *file = reference_read("iftomm_A01_A05.json");
    if (!file) {
        return;
    }
    const json_t *problem = json_object_get(file, "A04_bricard");
    lw_model *m = closed_model(bricard(problem));
    if (CHECK(m != NULL) && CHECK_INT(m->nv, 1)) {
        const char *const frame[] = {"rod3.tip", "rod2.tip", "rod1.tip"};
        const char *const key[] = {"P3", "P2", "P1"};
        // The file is good to 5e-9.
        follow(m, table_of(file, "A04_bricard"), NULL, frame, key, 3, 1e-7, 1e-6);
    }
    lw_model_destroy(m);
    json_decref(file);
}

TEST(R17_chaotic_double_pendulum_to_its_stated_digits)
{
    json_t *file = reference_read("drake_chaotic_babyboot.json");
    if (!file) {
        return;
    }
    const json_t *p = json_object_get(file, "model"), *want = json_object_get(file, "expected");
    const double degree = 3.14159265358979323846 / 180.0;
    lw_mech *mech = begin(lw_vec3_of(0.0, 0.0, -number(p, "g")));
    lw_link_def def = lw_default_link_def();
    def.name = "A";
    def.mass = number(p, "mA");
    def.inertial = lw_placement_xyz(0.0, 0.0, -number(p, "LA"));
    def.inertia = (lw_sym3){number(p, "IAx"), number(p, "IAx"), 0.0, 0.0, 0.0, 0.0};
    CHECK(lw_add_link(mech, &def).index >= 0);
    def.name = "B";
    def.mass = number(p, "mB");
    def.inertial = lw_placement_xyz(0.0, 0.0, -number(p, "LB"));
    def.inertia = (lw_sym3){number(p, "IBx"), number(p, "IBy"), number(p, "IBz"), 0.0, 0.0, 0.0};
    CHECK(lw_add_link(mech, &def).index >= 0);
    lw_joint_def joint = zoo_joint_def("qA", LW_JOINT_REVOLUTE, lw_vec3_of(1.0, 0.0, 0.0));
    zoo_hang(mech, &joint, "ground.b", "A");
    joint = zoo_joint_def("qB", LW_JOINT_REVOLUTE, lw_vec3_of(0.0, 0.0, 1.0));
    zoo_hang(mech, &joint, "A.b", "B");
    lw_model *m = compile_checked(mech, NULL);
    lw_sim_def sim_def = lw_default_sim_def();
    lw_sim *sim = new_sim(m, &sim_def);
    const double q0[2] = {90.0 * degree, 1.0 * degree};
    CHECK(lw_sim_reset(sim, 0.0, q0, NULL) == LW_OK);
    CHECK(lw_sim_advance(sim, number(file, "t_end")) == LW_OK);
    // Seven digits are what independent solvers agree upon.
    CHECK_NEAR(lw_sim_position(sim)[0] / degree, number(want, "qA_deg"), 2e-6);
    CHECK_NEAR(lw_sim_position(sim)[1] / degree, number(want, "qB_deg"), 2e-5);
    CHECK_NEAR(lw_sim_velocity(sim)[0], number(want, "qADt"), 1e-6);
    CHECK_NEAR(lw_sim_velocity(sim)[1], number(want, "qBDt"), 1e-5);
    lw_sim_destroy(sim);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
    json_decref(file);
}

// --- Andrews' squeezer ------------------------------------------------------------------------

static lw_status drive_and_spring(void *context, const lw_model *m, lw_data *d, double t,
                                  const double *q, const double *v, double *tau, lw_force *f_ext)
{
    const json_t *file = context;
    (void)t;
    (void)v;
    tau[0] += squeezer_parameter(file, "mom");
    return squeezer_spring(m, d, file, q, f_ext);
}

static int tree_index(const lw_model *m, const char *name)
{
    int i = 0;
    while (strcmp(m->tree_velocity_name[i], name) != 0) {
        ++i;
    }
    return i;
}

// The same 27 values from the equations of motion with all seven angles and six multipliers, by
// extrapolation of Gragg's steps, in another language. Runs with 300 and 500 steps agree to 1e-10.
//
// The file's own values are from constraints on positions alone (index 3), and less exact where a
// derivative is more: at the angles of the file, its rates break the differentiated constraints
// by 2e-8 and its accelerations by 1.3e-6, and both runs differ from it by that.
static const double squeezer_again[27] = {
    15.8107711952,  -15.7563710584, 0.0408222401197, -0.534730116342, 0.52440996588,
    0.534730116342, 1.04808074104,  1139.92030226,   -1424.37929518,  11.0329119107,
    19.2933741051,  0.573569914833, -19.2933741051,  0.323179149246,  -24631.763123,
    51850.3196365,  324102.600708,  566749.422001,   16743.6354183,   -566749.422001,
    9826.50780156,  199.175348105,  -29.7553099751,  23.0665436116,   31.4527252757,
    22.6424947864,  11.6173923526,
};

// Angles, rates, accelerations and the forces in the pins, in the order of the file.
static void squeezer_values(const lw_model *m, lw_data *d, const json_t *file, double q, double v,
                            double a, double *y)
{
    lw_force f[SQUEEZER_N] = {0}, force[6];
    CHECK(squeezer_spring(m, d, file, &q, f) == LW_OK);
    CHECK(lw_loop_forces(m, d, &q, &v, &a, f, force, NULL, NULL) == LW_OK);
    for (int k = 0; k < SQUEEZER_N; ++k) {
        const int i = tree_index(m, squeezer_angle[k]);
        y[k] = d->tree_q[i];
        y[7 + k] = d->tree_v[i];
        y[14 + k] = d->tree_a[i];
    }
    CHECK(lw_forward_position(m, d, &q) == LW_OK);
    static const char *const loop[] = {"F3", "F4", "F6"};
    for (int k = 0; k < m->nloop; ++k) {
        lw_pose X;
        CHECK(lw_frame_pose(m, d, m->loop[k].frame[1], &X) == LW_OK);
        const lw_vec3 push = lw_rotate(&X.R, force[2 * k + 1].lin);
        for (int j = 0; j < 3; ++j) {
            if (strcmp(m->loop[k].name, loop[j]) == 0) {
                y[21 + 2 * j] = push.x;
                y[22 + 2 * j] = push.y;
            }
        }
    }
}

// The largest relative difference of values `from` to `to`; angles may differ by turns.
static double squeezer_error(const double *y, const double *want, int from, int to)
{
    double worst = 0.0;
    for (int k = from; k < to; ++k) {
        const double off = k < SQUEEZER_N ? remainder(y[k] - want[k], 6.283185307179586476925286766)
                                          : y[k] - want[k];
        worst = fmax(worst, fabs(off / want[k]));
    }
    return worst;
}

static void check_squeezer(const lw_model *m, lw_sim *sim, const json_t *file, const double *want)
{
    lw_data *d = new_data(m);
    double a[1], y[27];
    CHECK(lw_sim_forces(sim, a, NULL) == LW_OK);
    squeezer_values(m, d, file, lw_sim_position(sim)[0], lw_sim_velocity(sim)[0], a[0], y);
    CHECK_NEAR(squeezer_error(y, squeezer_again, 0, 27), 0.0, 1e-9);
    CHECK_NEAR(squeezer_error(y, want, 0, 7), 0.0, 1e-9); // angles: nine digits
    // What the file's rates and accelerations are good for.
    CHECK_NEAR(squeezer_error(y, want, 7, 14), 0.0, 6e-8);
    CHECK_NEAR(squeezer_error(y, want, 14, 27), 0.0, 1.4e-6);
    squeezer_values(m, d, file, want[0], want[7], want[14], y);
    CHECK_NEAR(squeezer_error(y, want, 0, 7), 0.0, 1e-14);
    CHECK(squeezer_error(y, want, 7, 14) > 2e-8);
    CHECK(squeezer_error(y, want, 14, 21) > 1.3e-6);
    lw_data_destroy(d);
}

TEST(R17_andrews_squeezer_after_30_ms)
{
    json_t *file = reference_read("andrews_squeezer.json");
    if (!file) {
        return;
    }
    double q0[SQUEEZER_N], y[27];
    reference_numbers(json_object_get(file, "q0"), q0, SQUEEZER_N);
    CHECK_INT(reference_numbers(json_object_get(file, "y_ref"), y, 27), 27);
    lw_model *m = closed_model(squeezer(file, q0));
    if (CHECK(m != NULL) && CHECK_INT(m->nv, 1)) {
        const lw_force_source source = {drive_and_spring, file};
        lw_sim_def def = lw_default_sim_def();
        def.nsource = 1;
        def.source = &source;
        for (int method = LW_METHOD_DOPRI5; method <= LW_METHOD_DOPRI853; ++method) {
            def.method = (lw_method)method;
            lw_sim *sim = new_sim(m, &def);
            CHECK(lw_sim_reset(sim, 0.0, q0, NULL) == LW_OK);
            CHECK_INT(lw_sim_advance(sim, 0.03), LW_OK);
            check_squeezer(m, sim, file, y);
            lw_sim_destroy(sim);
        }
    }
    lw_model_destroy(m);
    json_decref(file);
}

// --- Car axis ---------------------------------------------------------------------------------

typedef struct axis_state {
    double angle, rate, rate2; ///< of the line between the wheels
} axis_state;

static axis_state axis_at(const json_t *p, double t)
{
    const double r = number(p, "r"), w = number(p, "w"), L = number(p, "L");
    const double s = r * sin(w * t) / L, ds = r * w * cos(w * t) / L, c = sqrt(1.0 - s * s);
    const axis_state x = {asin(s), ds / c, -w * w * s / c + s * ds * ds / (c * c * c)};
    return x;
}

// Seen from the line between the wheels, which turns: the world of the model moves. The left mass
// then slides across that line, and the right one is at the end of a rod on the left one.
static lw_status axis_forces(void *context, const lw_model *m, lw_data *d, double t,
                             const double *q, const double *v, double *tau, lw_force *f_ext)
{
    const json_t *p = json_object_get((const json_t *)context, "parameters");
    const axis_state x = axis_at(p, t);
    lw_dynamics_options options = lw_default_dynamics_options(m);
    const double g = number(p, "g"), L = number(p, "L"), L0 = number(p, "L0");
    (void)v;
    (void)tau;
    options.gravity = lw_vec3_of(-g * sin(x.angle), -g * cos(x.angle), 0.0);
    options.base_velocity.ang = lw_vec3_of(0.0, 0.0, x.rate);
    options.base_acceleration.ang = lw_vec3_of(0.0, 0.0, x.rate2);
    CHECK(lw_set_dynamics_options(d, &options) == LW_OK);
    const lw_status status = lw_forward_position(m, d, q);
    if (status != LW_OK) {
        return status;
    }
    static const char *const end[2] = {"left", "right.tip"};
    for (int k = 0; k < 2; ++k) {
        const int frame = lw_find_frame(m, end[k]);
        lw_pose X;
        CHECK(lw_frame_pose(m, d, frame, &X) == LW_OK);
        const lw_vec3 way = lw_sub3(X.p, lw_vec3_of(k == 0 ? 0.0 : L, 0.0, 0.0));
        const double length = lw_norm3(way);
        const lw_force push = {{0, 0, 0}, lw_scale3((L0 - length) / length, way)};
        CHECK(lw_add_force_at_frame(m, d, frame, LW_IN_WORLD, &push, f_ext) == LW_OK);
    }
    return LW_OK;
}

TEST(R17_car_axis_after_3_s)
{
    json_t *file = reference_read("car_axis.json");
    if (!file) {
        return;
    }
    const json_t *p = json_object_get(file, "parameters");
    double want[10];
    reference_numbers(json_object_get(file, "y_ref"), want, 10);
    const double mass = 0.5 * number(p, "M") * number(p, "eps") * number(p, "eps");
    const double L = number(p, "L");
    lw_mech *mech = begin(lw_vec3_of(0.0, 0.0, 0.0));
    lw_link_def def = lw_default_link_def();
    def.name = "left";
    def.mass = mass;
    CHECK(lw_add_link(mech, &def).index >= 0);
    def.name = "right";
    def.inertial = lw_placement_xyz(L, 0.0, 0.0);
    CHECK(lw_add_link(mech, &def).index >= 0);
    zoo_frame(mech, "right", "tip", lw_placement_xyz(L, 0.0, 0.0));
    lw_joint_def joint = zoo_joint_def("slide", LW_JOINT_PRISMATIC, lw_vec3_of(0.0, 1.0, 0.0));
    zoo_hang(mech, &joint, "ground.b", "left");
    joint = zoo_joint_def("turn", LW_JOINT_REVOLUTE, lw_vec3_of(0.0, 0.0, 1.0));
    zoo_hang(mech, &joint, "left.b", "right");
    lw_model *m = compile_checked(mech, NULL);
    const lw_force_source source = {axis_forces, file};
    lw_sim_def sim_def = lw_default_sim_def();
    sim_def.nsource = 1;
    sim_def.source = &source;
    lw_sim *sim = new_sim(m, &sim_def);
    // The masses begin at (0, 1/2) and (1, 1/2) with velocities (-1/2, 0); the line turns with 1.
    const double q0[2] = {0.5, 0.0}, v0[2] = {0.0, -1.0};
    CHECK(lw_sim_reset(sim, 0.0, q0, v0) == LW_OK);
    CHECK_INT(lw_sim_advance(sim, number(file, "t_end")), LW_OK);
    const double *q = lw_sim_position(sim), *v = lw_sim_velocity(sim);
    const axis_state x = axis_at(p, 3.0);
    const double c = cos(x.angle), s = sin(x.angle);
    const double location[2][2] = {{0.0, q[0]}, {L * cos(q[1]), q[0] + L * sin(q[1])}};
    const double speed[2][2] = {{0.0, v[0]}, {-L * sin(q[1]) * v[1], v[0] + L * cos(q[1]) * v[1]}};
    for (int k = 0; k < 2; ++k) {
        const double ux = speed[k][0] - x.rate * location[k][1];
        const double uy = speed[k][1] + x.rate * location[k][0];
        // Sixteen digits are given; the motion itself multiplies an error by about 1e3.
        CHECK_NEAR(c * location[k][0] - s * location[k][1], want[2 * k], 1e-9);
        CHECK_NEAR(s * location[k][0] + c * location[k][1], want[2 * k + 1], 1e-9);
        CHECK_NEAR(c * ux - s * uy, want[4 + 2 * k], 1e-8);
        CHECK_NEAR(s * ux + c * uy, want[5 + 2 * k], 1e-8);
    }
    lw_sim_destroy(sim);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
    json_decref(file);
}

int main(void)
{
    RUN(R17_iftomm_A01_simple_pendulum);
    RUN(R17_iftomm_A02_windows_of_four_bars);
    RUN(R17_iftomm_A04_bricard);
    RUN(R17_chaotic_double_pendulum_to_its_stated_digits);
    RUN(R17_andrews_squeezer_after_30_ms);
    RUN(R17_car_axis_after_3_s);
    return REPORT();
}
