// Quasi-statics (C10, C11, R51): closed forms and numbers of an independent program, differences of
// loaded equilibria, loads at which mechanisms buckle.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"

#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static const double half_pi = 1.5707963267948966;

// A chain of links in the plane of x and z, angles upward from x, with a point mass at the end of
// each and a frame "tip".
static lw_model *planar_chain(int n, const double *length, const double *mass, const char *more)
{
    static char text[20000];
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "<linkwork version=\"1\" name=\"chain\"><ground/>"
                                 "<link name=\"l0\" at=\"ground\"/>");
    for (int i = 0; i < n; ++i) {
        at += (size_t)snprintf(
            text + at, sizeof text - at,
            "<joint name=\"q%d\" type=\"revolute\" axis=\"0 -1 0\" from=\"l%d\" to=\"l%d\" "
            "xyz=\"%.17g 0 0\"/><link name=\"l%d\" mass=\"%.17g\" center=\"%.17g 0 0\">%s",
            i + 1, i, i + 1, i > 0 ? length[i - 1] : 0.0, i + 1, mass[i],
            mass[i] > 0.0 ? length[i] : 0.0, i + 1 < n ? "</link>" : "");
    }
    snprintf(text + at, sizeof text - at,
             "<frame name=\"tip\" xyz=\"%.17g 0 0\"/></link>%s</linkwork>", length[n - 1], more);
    return compile_text("chain.xml", text, NULL);
}

static lw_statics *new_statics(const lw_model *m, const double *stiffness, int nload,
                               const lw_static_load *load)
{
    lw_statics *s = NULL;
    const lw_statics_def def = {.stiffness = stiffness, .nload = nload, .load = load};
    CHECK_INT(lw_statics_create(m, &def, &s), LW_OK);
    return s;
}

static lw_static_load force_at(const lw_model *m, const char *frame, double x, double y, double z)
{
    return (lw_static_load){lw_find_frame(m, frame), LW_IN_WORLD, {{0, 0, 0}, {x, y, z}}};
}

static lw_vec3 tip_at(const lw_model *m, lw_data *d, const char *frame, const double *q)
{
    lw_pose X = lw_pose_identity();
    CHECK_INT(lw_pose_of_frame(m, d, q, lw_find_frame(m, frame), &X), LW_OK);
    return X.p;
}

static double number_at(const json_t *object, const char *key, int i)
{
    const json_t *value = json_object_get(object, key);
    return json_number_value(i < 0 ? value : json_array_get(value, (size_t)i));
}

TEST(C10_sag_of_one_and_two_joints_is_that_of_the_closed_form)
{
    json_t *file = reference_read("statics_oracles.json");
    if (!file) {
        return;
    }
    size_t k;
    json_t *one;
    json_array_foreach(json_object_get(file, "one_joint"), k, one)
    {
        const double l = number_at(one, "l", -1), mass = number_at(one, "m", -1);
        const double K = number_at(one, "k", -1), command = 0.0;
        lw_model *m = planar_chain(1, &l, &mass, "");
        lw_data *d = new_data(m);
        lw_statics *s = new_statics(m, &K, 0, NULL);
        double q = 0.0;
        lw_deflection found;
        CHECK_INT(lw_deflect(s, d, &command, &q, &found), LW_OK);
        CHECK(found.is_stable && found.steps <= 6 && found.residual <= 1e-12);
        CHECK_NEAR(q, -number_at(one, "deflection", -1), 1e-15);
        CHECK_NEAR(tip_at(m, d, "tip", &q).z, -number_at(one, "drop", -1), 1e-15);
        lw_statics_destroy(s);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    json_array_foreach(json_object_get(file, "two_joints"), k, one)
    {
        double l[2], mass[2], K[2], command[2], q[2], back[2];
        for (int i = 0; i < 2; ++i) {
            l[i] = number_at(one, "l", i);
            mass[i] = number_at(one, "tip_masses", i);
            K[i] = number_at(one, "K", i);
            q[i] = command[i] = number_at(one, "motor", i);
        }
        lw_model *m = planar_chain(2, l, mass, "");
        lw_data *d = new_data(m);
        lw_statics *s = new_statics(m, K, 0, NULL);
        lw_deflection found;
        CHECK_INT(lw_deflect(s, d, command, q, &found), LW_OK);
        CHECK(found.is_stable && found.steps <= 6);
        const lw_vec3 tip = tip_at(m, d, "tip", q);
        CHECK_NEAR(tip.x, number_at(one, "tip", 0), 1e-14);
        CHECK_NEAR(tip.z, number_at(one, "tip", 1), 1e-14);
        double wanted[2] = {command[0], command[1]};
        CHECK_INT(lw_compensate(s, d, wanted, back), LW_OK);
        for (int i = 0; i < 2; ++i) {
            CHECK_NEAR(q[i], number_at(one, "q", i), 1e-14);
            CHECK_NEAR(back[i], number_at(one, "compensated_motor", i), 1e-14);
        }
        lw_statics_destroy(s);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    json_decref(file);
}

TEST(C10_robots_sag_as_an_independent_program_has_it)
{
    json_t *file = reference_read("statics_oracles.json");
    if (!file) {
        return;
    }
    size_t k;
    json_t *one;
    json_array_foreach(json_object_get(file, "robots"), k, one)
    {
        char path[200];
        snprintf(path, sizeof path, "models/%s", json_string_value(json_object_get(one, "model")));
        const char *frame = json_string_value(json_object_get(one, "frame"));
        check_case("%s", path);
        lw_model *m = shared_model(path, false);
        if (!m) {
            continue;
        }
        lw_data *d = new_data(m);
        double K[MOST] = {0.0}, command[MOST], q[MOST], back[MOST], C[36];
        memcpy(command, m->q_reference, (size_t)m->nq * sizeof *command);
        const int n = (int)json_array_size(json_object_get(one, "joints"));
        int at[MOST];
        for (int i = 0; i < n; ++i) {
            const char *name =
                json_string_value(json_array_get(json_object_get(one, "joints"), (size_t)i));
            at[i] = lw_find_position(m, name);
            K[lw_find_velocity(m, name)] = number_at(one, "K", i);
            command[at[i]] = number_at(one, "motor", i);
        }
        const char *key = "tip_force_world_at_frame_origin";
        const lw_static_load load = force_at(m, frame, number_at(one, key, 0),
                                             number_at(one, key, 1), number_at(one, key, 2));
        lw_statics *s = new_statics(m, K, 1, &load);
        CHECK_INT(lw_statics_unknowns(s, NULL), n);
        lw_deflection found;
        memcpy(q, command, sizeof q);
        CHECK_INT(lw_deflect(s, d, command, q, &found), LW_OK);
        CHECK(found.is_stable && found.steps <= 6);
        // Rounding of an angle beyond 1 rad, times the stiffness, is 1e-12 N m.
        CHECK(found.residual <= 2e-12);
        const lw_vec3 tip = tip_at(m, d, frame, q);
        CHECK_NEAR(tip.x, number_at(one, "tip_position", 0), 1e-13);
        CHECK_NEAR(tip.y, number_at(one, "tip_position", 1), 1e-13);
        CHECK_NEAR(tip.z, number_at(one, "tip_position", 2), 1e-13);
        CHECK_INT(lw_cartesian_compliance(s, d, q, load.frame, LW_IN_WORLD, C), LW_OK);
        for (int i = 0; i < 9; ++i) {
            const json_t *row =
                json_array_get(json_object_get(one, "compliance_translation"), (size_t)(i / 3));
            const double want = json_number_value(json_array_get(row, (size_t)(i % 3)));
            CHECK_NEAR(C[(3 + i / 3) * 6 + 3 + i % 3], want, 1e-13); // of differences there
        }
        double wanted[MOST];
        memcpy(wanted, command, sizeof wanted);
        CHECK_INT(lw_compensate(s, d, wanted, back), LW_OK);
        for (int i = 0; i < n; ++i) {
            CHECK_NEAR(q[at[i]], number_at(one, "q", i), 1e-14);
            const char *compensated = "compensated_motor_for_link_side_at_motor_values";
            CHECK_NEAR(back[at[i]], number_at(one, compensated, i), 1e-14);
        }
        // The tip is then where it was wanted.
        memcpy(q, back, sizeof q);
        CHECK_INT(lw_deflect(s, d, back, q, NULL), LW_OK);
        const lw_vec3 goal = tip_at(m, d, frame, command);
        CHECK(lw_norm3(lw_sub3(tip_at(m, d, frame, q), goal)) <= 1e-12);
        lw_statics_destroy(s);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    json_decref(file);
}

// K_x of the plane, and the load term in it.
TEST(C10_stiffness_has_the_load_term)
{
    json_t *file = reference_read("statics_oracles.json");
    if (!file) {
        return;
    }
    size_t k;
    json_t *one;
    json_array_foreach(json_object_get(file, "cartesian_stiffness"), k, one)
    {
        double l[2], mass[2] = {0.0, 0.0}, K[2], q[2], C[36], part[4], stiffness[4], skew[4];
        for (int i = 0; i < 2; ++i) {
            l[i] = number_at(one, "l", i);
            K[i] = number_at(one, "K", i);
            q[i] = number_at(one, "q", i);
        }
        lw_model *m = planar_chain(2, l, mass, "");
        lw_data *d = new_data(m);
        for (int loaded = 0; loaded < 2; ++loaded) {
            const double x = loaded ? number_at(one, "force", 0) : 0.0;
            const double z = loaded ? number_at(one, "force", 1) : 0.0;
            const lw_static_load load = force_at(m, "tip", x, 0, z);
            lw_statics *s = new_statics(m, K, 1, &load);
            CHECK_INT(lw_cartesian_compliance(s, d, q, load.frame, LW_IN_WORLD, C), LW_OK);
            for (int i = 0; i < 4; ++i) { // x and z
                part[i] = C[(3 + 2 * (i / 2)) * 6 + 3 + 2 * (i % 2)];
            }
            int rank = 0;
            CHECK_INT(lw_cartesian_stiffness(2, part, stiffness, skew, &rank), LW_OK);
            CHECK_INT(rank, 2);
            for (int i = 0; i < 4; ++i) {
                const json_t *rows = json_object_get(one, loaded ? "K_loaded" : "K_salisbury");
                const json_t *row = json_array_get(rows, (size_t)(i / 2));
                CHECK_NEAR(stiffness[i], json_number_value(json_array_get(row, (size_t)(i % 2))),
                           1e-10);
                CHECK_NEAR(skew[i], 0.0, 1e-10);
            }
            lw_statics_destroy(s);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    json_decref(file);
}

// The compliance equals differences of loaded equilibria, for forces, moments and follower loads,
// on an open arm, one on elastic shafts and a closed mechanism.
TEST(R51_compliance_is_the_difference_of_loaded_equilibria)
{
    static const struct {
        const char *file, *frame;
    } one[] = {
        {"ur5_class.xml", "tool"}, {"hr120/hr120.xml", NULL}, {"closed/palletiser.xml", NULL}};
    for (int i = 0; i < 3; ++i) {
        lw_model *m = shipped_model(one[i].file);
        if (!CHECK(m && m->nq <= MOST)) {
            lw_model_destroy(m);
            continue;
        }
        lw_data *d = new_data(m);
        int frame = one[i].frame ? lw_find_frame(m, one[i].frame) : -1;
        frame = frame >= 0 ? frame : m->nframe - 1;
        for (int axes = 0; axes < 2; ++axes) {
            check_case("%s, axes %d", one[i].file, axes);
            double K[MOST] = {0.0}, q[MOST], low[MOST], high[MOST], C[36];
            lw_statics *s = NULL;
            CHECK_INT(lw_statics_create(m, NULL, &s), LW_OK);
            for (int k = 0; k < m->nv && lw_statics_unknowns(s, NULL) == 0; ++k) {
                K[k] = 2e4 + 1e3 * k; // no shafts: all drives are elastic
            }
            lw_statics_destroy(s);
            lw_static_load load[2] = {
                {frame, axes ? LW_IN_WORLD : LW_IN_FRAME, {{6, -9, 4}, {40, 25, -60}}},
                {frame, LW_IN_WORLD, {{0, 0, 0}, {0, 0, 0}}}};
            s = new_statics(m, K, 2, load);
            memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
            lw_deflection found;
            CHECK_INT(lw_deflect(s, d, m->q_reference, q, &found), LW_OK);
            CHECK(found.is_stable);
            CHECK_INT(lw_cartesian_compliance(s, d, q, frame, LW_IN_WORLD, C), LW_OK);
            for (int c = 0; c < 6; ++c) {
                const double h = 1e-1;
                lw_pose X[2];
                for (int side = 0; side < 2; ++side) {
                    double *w = &load[1].wrench.ang.x, *at = side ? high : low;
                    memset(&load[1].wrench, 0, sizeof load[1].wrench);
                    w[c] = side ? h : -h;
                    CHECK_INT(lw_statics_set_load(s, 1, &load[1]), LW_OK);
                    memcpy(at, q, (size_t)m->nq * sizeof *q);
                    CHECK_INT(lw_deflect(s, d, m->q_reference, at, NULL), LW_OK);
                    CHECK_INT(lw_pose_of_frame(m, d, at, frame, &X[side]), LW_OK);
                }
                const lw_mat3 back = lw_transpose3(&X[0].R), R = lw_mul3(&X[1].R, &back);
                const lw_vec3 w = lw_log3(&R), v = lw_sub3(X[1].p, X[0].p);
                const double moved[] = {w.x, w.y, w.z, v.x, v.y, v.z};
                for (int r = 0; r < 6; ++r) {
                    CHECK_NEAR(C[r * 6 + c] * 2 * h, moved[r],
                               1e-7 * 2 * h * fabs(C[r * 6 + r]) + 2e-14);
                }
            }
            lw_statics_destroy(s);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// A moment that keeps its direction makes the stiffness unsymmetric, by a term of its own.
TEST(R51_commutator_of_a_moment_depends_on_nothing_else)
{
    lw_model *m = shipped_model("ur5_class.xml");
    lw_data *d = new_data(m);
    const double K[] = {8000, 9000, 6000, 1500, 1200, 900};
    const int frame = m->nframe - 1;
    const lw_vec3 n = {7, -11, 13};
    const lw_static_load load = {frame, LW_IN_WORLD, {n, {5, 9, -20}}};
    lw_statics *s = new_statics(m, K, 1, &load);
    double q[6] = {0.3, -1.0, 1.2, -0.5, 0.7, 0.2}, C[36], stiffness[36], skew[36];
    const double command[6] = {0.3, -1.0, 1.2, -0.5, 0.7, 0.2};
    CHECK_INT(lw_deflect(s, d, command, q, NULL), LW_OK);
    CHECK_INT(lw_cartesian_compliance(s, d, q, frame, LW_IN_WORLD, C), LW_OK);
    int rank = 0;
    CHECK_INT(lw_cartesian_stiffness(6, C, stiffness, skew, &rank), LW_OK);
    CHECK_INT(rank, 6);
    const double cross[9] = {0, -n.z, n.y, n.z, 0, -n.x, -n.y, n.x, 0};
    for (int i = 0; i < 36; ++i) {
        const int r = i / 6, c = i % 6;
        CHECK_NEAR(skew[i], r < 3 && c < 3 ? -0.5 * cross[r * 3 + c] : 0.0, 1e-6);
        CHECK_NEAR(stiffness[i], stiffness[c * 6 + r], 1e-12);
    }
    lw_statics_destroy(s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Work of the tip force around a closed path of loads is zero; without the load term it is not.
TEST(R51_no_energy_is_gained_around_a_closed_path_of_loads)
{
    const double l[2] = {1, 1}, mass[2] = {4, 2}, K[2] = {800, 400}, command[2] = {0.5, 1.0};
    lw_model *m = planar_chain(2, l, mass, "");
    lw_data *d = new_data(m);
    lw_static_load load = force_at(m, "tip", 0, 0, 0);
    lw_statics *s = new_statics(m, K, 1, &load);
    double q[2] = {0.5, 1.0}, work = 0.0, size = 0.0;
    const int steps = 256; // the trapezoidal rule of a periodic integrand converges exponentially
    for (int i = 0; i <= steps; ++i) {
        const double t = 4.0 * half_pi * i / steps;
        load.wrench.lin = lw_vec3_of(60.0 * cos(t), 0.0, 60.0 * sin(t) + 20.0);
        CHECK_INT(lw_statics_set_load(s, 0, &load), LW_OK);
        CHECK_INT(lw_deflect(s, d, command, q, NULL), LW_OK);
        // dx = C dw: the path of the tip from compliances alone.
        double C[36];
        CHECK_INT(lw_cartesian_compliance(s, d, q, load.frame, LW_IN_WORLD, C), LW_OK);
        const lw_vec3 rate = {-60.0 * sin(t), 0.0, 60.0 * cos(t)};
        const double f[3] = {load.wrench.lin.x, 0.0, load.wrench.lin.z};
        const double g[3] = {rate.x, rate.y, rate.z};
        double power = 0.0;
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
                power += f[r] * C[(3 + r) * 6 + 3 + c] * g[c];
            }
        }
        if (i < steps) {
            work += power * 4.0 * half_pi / steps;
            size += fabs(power) * 4.0 * half_pi / steps;
        }
    }
    CHECK(size > 0.1);
    CHECK_NEAR(work, 0.0, 1e-10);
    lw_statics_destroy(s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Cantilever of n springs at the middles of n segments: the deflection of a beam with order 2.
TEST(C10_a_cantilever_converges_with_order_two)
{
    const double P = 1e-3, L = 1.0, EI = 50.0, beam = P * L * L * L / (3.0 * EI);
    double before = 0.0;
    for (int n = 1; n <= 16; n *= 2) {
        double length[MOST], mass[MOST] = {0.0}, K[MOST], q[MOST] = {0.0}, command[MOST] = {0.0};
        const double segment = L / n;
        char fixed[200];
        // The first spring is half a segment out.
        for (int i = 0; i < n; ++i) {
            length[i] = i + 1 < n ? segment : 0.5 * segment;
            K[i] = EI / segment;
        }
        snprintf(fixed, sizeof fixed,
                 "<load name=\"P\" at=\"tip\" force=\"0 0 %.17g\" "
                 "axes=\"world\"/>",
                 P);
        lw_model *m = planar_chain(n, length, mass, fixed);
        lw_data *d = new_data(m);
        lw_statics *s = new_statics(m, K, 0, NULL);
        CHECK_INT(lw_deflect(s, d, command, q, NULL), LW_OK);
        const double sag = tip_at(m, d, "tip", q).z, error = fabs(sag - beam) / beam;
        CHECK_NEAR(sag, beam * (1.0 - 1.0 / (4.0 * n * n)), 1e-8 * beam); // and nonlinear by that
        CHECK(n == 1 || fabs(before / error - 4.0) < 1e-4);
        before = error;
        lw_statics_destroy(s);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

TEST(R51_an_inverted_pendulum_buckles_at_its_stiffness)
{
    const double l = 0.7, mass = 3.0, K = 50.0, command = half_pi;
    lw_model *m = planar_chain(1, &l, &mass, "");
    lw_data *d = new_data(m);
    lw_statics *s = new_statics(m, &K, 0, NULL);
    double q = command, factor = 0.0;
    CHECK_INT(lw_load_factor(s, d, &command, LW_SCALE_ALL, 100.0, &factor, &q), LW_OK);
    CHECK_NEAR(factor * mass * 9.81 * l / K, 1.0, 1e-10);
    lw_deflection found;
    CHECK_INT(lw_statics_scale(s, 1.01 * factor, 1.0), LW_OK);
    q = command;
    CHECK_INT(lw_deflect(s, d, &command, &q, &found), LW_OK);
    CHECK(!found.is_stable);
    lw_statics_destroy(s);
    // Hanging it never buckles.
    const double down = -half_pi;
    s = new_statics(m, &K, 0, NULL);
    CHECK_INT(lw_load_factor(s, d, &down, LW_SCALE_ALL, 100.0, &factor, &q), LW_OK);
    CHECK(isinf(factor));
    lw_statics_destroy(s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(R51_upright_chains_buckle_at_the_load_of_the_closed_form)
{
    json_t *file = reference_read("statics_oracles.json");
    if (!file) {
        return;
    }
    size_t k;
    json_t *row;
    const json_t *chains = json_object_get(file, "inverted_chain_buckling");
    json_array_foreach(json_object_get(chains, "P_cr_times_l_over_k"), k, row)
    {
        const int n = (int)json_integer_value(json_array_get(row, 0));
        const double want = json_number_value(json_array_get(row, 1));
        double length[MOST], mass[MOST] = {0.0}, K[MOST], command[MOST] = {0.0}, q[MOST];
        for (int i = 0; i < n; ++i) {
            length[i] = 0.4;
            K[i] = 30.0;
        }
        command[0] = half_pi;
        lw_model *m = planar_chain(n, length, mass, "");
        lw_data *d = new_data(m);
        const lw_static_load load = force_at(m, "tip", 0, 0, -1.0);
        lw_statics *s = new_statics(m, K, 1, &load);
        double factor = 0.0;
        CHECK_INT(lw_load_factor(s, d, command, LW_SCALE_APPLIED, 1e4, &factor, q), LW_OK);
        CHECK_NEAR(factor * 0.4 / 30.0, want, 1e-10);
        lw_statics_destroy(s);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    json_decref(file);
}

// A rod that stands on an elastic joint, with a mass that is driven along it: stable where the mass
// is below k / (m g), wherever the search begins.
TEST(R51_stability_is_that_of_where_the_search_ends)
{
    const double K[2] = {100.0, 1e4}, mass = 10.0, highest = K[0] / (mass * 9.81);
    lw_model *m = compile_text(
        "rod.xml",
        "<linkwork version='1' name='rod'><ground/>"
        "<joint name='pivot' type='revolute' axis='0 1 0' from='ground' to='rod'/>"
        "<link name='rod'/><joint name='slide' type='prismatic' axis='0 0 1' from='rod' to='ball'/>"
        "<link name='ball' mass='10'/></linkwork>",
        NULL);
    lw_data *d = new_data(m);
    lw_statics *s = new_statics(m, K, 0, NULL);
    for (int i = 0; i < 200; ++i) {
        const double end = (i % 2 ? check_random(0.2, 0.9) : check_random(1.1, 2)) * highest;
        const double begin = check_random(0.2, i % 2 ? 2 : 0.9) * highest;
        const double command[2] = {0.0, end + mass * 9.81 / K[1]};
        double q[2] = {0.0, begin};
        lw_deflection found;
        check_case("from %g m to %g m", begin, end);
        CHECK_INT(lw_deflect(s, d, command, q, &found), LW_OK);
        CHECK_NEAR(q[1], end, 1e-14);
        CHECK(q[0] == 0.0 && found.is_stable == (end < highest));
    }
    lw_statics_destroy(s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(R51_payload_at_which_the_tip_is_off)
{
    const double l = 1.0, none = 0.0, K = 1000.0, command = 0.0;
    lw_model *m = planar_chain(1, &l, &none, "");
    lw_data *d = new_data(m);
    lw_statics *s = new_statics(m, &K, 0, NULL);
    double q, mass;
    const int tip = lw_find_frame(m, "tip");
    // A chord of e is the angle 2 asin(e/2); the mass follows from K angle = m g cos(angle).
    const double e = 0.05, angle = 2.0 * asin(0.5 * e);
    CHECK_INT(lw_payload_limit(s, d, &command, tip, e, 100.0, &mass, &q), LW_OK);
    CHECK_NEAR(mass, K * angle / (9.81 * cos(angle)), 1e-11);
    CHECK_INT(lw_payload_limit(s, d, &command, tip, e, 1.0, &mass, &q), LW_OK);
    CHECK(isinf(mass));
    CHECK_INT(lw_payload_limit(s, d, &command, tip, 0.0, 1.0, &mass, &q), LW_ERR_ARGUMENT);
    lw_statics_destroy(s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

#define VIRTUAL_ARM                                                                                \
    "<linkwork version=\"1\" name=\"soft\"><ground/>"                                              \
    "<joint name=\"turn\" type=\"revolute\" axis=\"0 0 1\" from=\"ground\" to=\"post\"/>"          \
    "<link name=\"post\" mass=\"5\" inertia=\"0.1 0.1 0.1\"/>"                                     \
    "<joint name=\"lift\" type=\"revolute\" axis=\"0 -1 0\" from=\"post\" to=\"arm\"/>"            \
    "<link name=\"arm\" mass=\"8\" center=\"0.4 0 0\" inertia=\"0.1 0.5 0.5\"/>"                   \
    "<joint name=\"bend\" type=\"revolute\" axis=\"0 -1 0\" from=\"arm\" to=\"rest\" xyz=\"0.4 0 " \
    "0\" stiffness=\"9000\"/><link name=\"rest\"/>"                                                \
    "<joint name=\"twist\" type=\"revolute\" axis=\"1 0 0\" from=\"rest\" to=\"half\"/>"           \
    "<link name=\"half\"/>"                                                                        \
    "<torsion name=\"stiffening\" out=\"twist\" polynomial=\"0 4000 0 1e6\"/>"                     \
    "<joint name=\"elbow\" type=\"revolute\" axis=\"0 -1 0\" from=\"half\" to=\"fore\" xyz=\"0.4 " \
    "0 0\" reference=\"-0.6\"/>"                                                                   \
    "<link name=\"fore\" mass=\"4\" center=\"0.3 0.05 0\" inertia=\"0.1 0.2 0.2\">"                \
    "<frame name=\"tip\" xyz=\"0.6 0 0\"/></link>"                                                 \
    "</linkwork>"

// Virtual joints, a stiffening bearing and elastic drives together: what is commanded is reached.
TEST(C10_virtual_joints_sag_and_are_compensated)
{
    lw_model *m = compile_text("soft.xml", VIRTUAL_ARM, NULL);
    if (!CHECK(m)) {
        return;
    }
    lw_data *d = new_data(m);
    const int tip = lw_find_frame(m, "tip"), elbow = lw_find_velocity(m, "elbow");
    double K[5] = {0.0}, q[5], command[5];
    K[elbow] = 3000.0;
    const lw_static_load load = {tip, LW_IN_WORLD, {{0, 0, 0}, {10, 30, -80}}};
    lw_statics *s = new_statics(m, K, 1, &load);
    CHECK_INT(lw_statics_unknowns(s, NULL), 3);
    memcpy(q, m->q_reference, sizeof q);
    lw_deflection found;
    CHECK_INT(lw_deflect(s, d, m->q_reference, q, &found), LW_OK);
    CHECK(found.is_stable && found.steps <= 6);
    lw_pose goal, X;
    CHECK_INT(lw_pose_of_frame(m, d, m->q_reference, tip, &goal), LW_OK);
    CHECK_INT(lw_pose_of_frame(m, d, q, tip, &X), LW_OK);
    CHECK(lw_norm3(lw_sub3(X.p, goal.p)) > 0.01); // it does sag
    // Three joints bring a point anywhere, but no axes: the goal's axes are those that they can
    // have there.
    double start[5] = {0.3, 0.2, 0.0, 0.0, -0.9};
    double near[5];
    memcpy(near, start, sizeof near);
    CHECK_INT(lw_compensate(s, d, near, command), LW_OK);
    CHECK_INT(lw_pose_of_frame(m, d, near, tip, &goal), LW_OK);
    double moved[5] = {0.32, 0.23, 0.0, 0.0, -0.95};
    CHECK_INT(lw_compensate_frame(s, d, tip, &goal, moved, command), LW_OK);
    memcpy(q, command, sizeof q);
    CHECK_INT(lw_deflect(s, d, command, q, &found), LW_OK);
    CHECK_INT(lw_pose_of_frame(m, d, q, tip, &X), LW_OK);
    CHECK(lw_norm3(lw_sub3(X.p, goal.p)) <= 1e-12);
    lw_statics_destroy(s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Motors behind shafts of every law: the joint is brought to where it is wanted.
TEST(C10_motors_behind_shafts_of_any_law_are_compensated)
{
    static const char *const law[] = {"stiffness=\"40\"", "polynomial=\"0 30 0 5e3\"",
                                      "table=\"-1 -60 -0.2 -8 0 0 0.2 8 1 60\" free=\"0\"",
                                      "stiffness=\"40\" backlash=\"0.05\""};
    for (int i = 0; i < 4; ++i) {
        check_case("%s", law[i]);
        char text[2000];
        snprintf(text, sizeof text,
                 "<linkwork version=\"1\" name=\"shafts\"><ground/>"
                 "<joint name=\"a\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" to=\"upper\"/>"
                 "<link name=\"upper\" mass=\"10\" center=\"0.5 0 0\" inertia=\"0.1 0.4 0.4\"/>"
                 "<joint name=\"b\" type=\"revolute\" axis=\"0 1 0\" from=\"upper\" to=\"fore\" "
                 "xyz=\"1 0 0\"/><link name=\"fore\" mass=\"4\" center=\"0.4 0 0\" "
                 "inertia=\"0.1 0.1 0.1\"><frame name=\"tip\" xyz=\"0.8 0 0\"/></link>"
                 "<drive name=\"m1\" inertia=\"1e-3\"/><drive name=\"m2\" inertia=\"1e-3\"/>"
                 "<torsion name=\"s1\" in=\"m1\" out=\"g1.in\" %s/>"
                 "<torsion name=\"s2\" in=\"m2\" out=\"g2.in\" %s/>"
                 "<gearbox name=\"g1\" out=\"a\" ratio=\"20\"/>"
                 "<gearbox name=\"g2\" out=\"b\" ratio=\"15\"/></linkwork>",
                 law[i], law[i]);
        lw_model *m = compile_text("shafts.xml", text, NULL);
        if (!CHECK(m && m->nq == 4)) {
            lw_model_destroy(m);
            continue;
        }
        lw_data *d = new_data(m);
        lw_statics *s = new_statics(m, NULL, 0, NULL);
        const int a = lw_find_position(m, "a"), b = lw_find_position(m, "b");
        double wanted[4] = {0.0}, command[4], q[4];
        wanted[a] = -0.4;
        wanted[b] = 0.7;
        CHECK_INT(lw_compensate(s, d, wanted, command), LW_OK);
        CHECK(fabs(command[a] + 0.4) > 1e-3);
        memcpy(q, command, sizeof q);
        lw_deflection found;
        CHECK_INT(lw_deflect(s, d, command, q, &found), LW_OK);
        CHECK(found.is_stable);
        CHECK_NEAR(q[a], -0.4, 1e-12);
        CHECK_NEAR(q[b], 0.7, 1e-12);
        lw_statics_destroy(s);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// A joint pressed onto a plane: k (q - command) = F l cos q with the force F of the contact, of
// each law; and nothing where it does not touch.
TEST(C11_contacts_of_any_law_bear_what_the_drive_presses)
{
    static const char *const law[] = {"stiffness=\"2e4\"", "polynomial=\"0 1e4 0 1e9\"",
                                      "table=\"-0.1 -4000 -0.01 -200 0 0 0.1 1\""};
    for (int i = 0; i < 3; ++i) {
        check_case("%s", law[i]);
        const double l = 0.8, none = 0.0, K = 500.0;
        char more[300];
        snprintf(more, sizeof more,
                 "<spring name=\"rock\" along=\"normal\" from=\"ground\" to=\"tip\" "
                 "side=\"compression\" %s/>",
                 law[i]);
        lw_model *m = planar_chain(1, &l, &none, more);
        lw_data *d = new_data(m);
        lw_statics *s = new_statics(m, &K, 0, NULL);
        for (int side = -1; side <= 1; side += 2) { // pressed into the plane, and above it
            const double command = 0.2 * side;
            double q = command, rest = 0.0;
            lw_deflection found;
            lw_spring_state contact;
            CHECK_INT(lw_deflect(s, d, &command, &q, &found), LW_OK);
            CHECK(found.is_stable);
            CHECK_INT(lw_spring_states(m, d, &q, &rest, &contact), LW_OK);
            CHECK_NEAR(K * (command - q), contact.force * l * cos(q), 1e-10);
            CHECK(side > 0 ? contact.force == 0.0 : contact.force < -50.0);
            CHECK(side < 0 || q == command);
        }
        lw_statics_destroy(s);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

TEST(C10_bad_input_is_refused)
{
    const double l = 1.0, mass = 1.0, good = 100.0, bad = -1.0, none = (double)NAN, command = 0.0;
    lw_model *m = planar_chain(1, &l, &mass, "");
    lw_data *d = new_data(m);
    lw_statics *s = NULL;
    CHECK_INT(lw_statics_create(m, &(lw_statics_def){.stiffness = &bad}, &s), LW_ERR_ARGUMENT);
    CHECK_INT(lw_statics_create(m, &(lw_statics_def){.stiffness = &none}, &s), LW_ERR_NUMBER);
    CHECK_INT(lw_statics_create(m, &(lw_statics_def){.nload = 1}, &s), LW_ERR_ARGUMENT);
    lw_static_load load = {99, LW_IN_WORLD, {{0, 0, 0}, {0, 0, 0}}};
    CHECK_INT(lw_statics_create(m, &(lw_statics_def){.nload = 1, .load = &load}, &s),
              LW_ERR_ARGUMENT);
    load.frame = 0;
    load.wrench.lin.x = (double)NAN;
    CHECK_INT(lw_statics_create(m, &(lw_statics_def){.nload = 1, .load = &load}, &s),
              LW_ERR_NUMBER);
    CHECK(s == NULL);
    s = new_statics(m, &good, 0, NULL);
    double q = (double)NAN, factor, C[36] = {0.0}, K[36];
    CHECK_INT(lw_deflect(s, d, &command, &q, NULL), LW_ERR_NUMBER);
    CHECK_INT(lw_deflect(s, NULL, &command, &q, NULL), LW_ERR_ARGUMENT);
    q = 0.0;
    CHECK_INT(lw_load_factor(s, d, &command, LW_SCALE_ALL, 0.0, &factor, &q), LW_ERR_ARGUMENT);
    CHECK_INT(lw_cartesian_compliance(s, d, &q, 99, LW_IN_WORLD, C), LW_ERR_ARGUMENT);
    CHECK_INT(lw_cartesian_stiffness(7, C, K, NULL, NULL), LW_ERR_ARGUMENT);
    int rank = -1;
    CHECK_INT(lw_cartesian_stiffness(6, C, K, NULL, &rank), LW_OK);
    CHECK_INT(rank, 0); // nothing yields
    const double flat[9] = {1e-4, 2e-5, 0.0, 2e-5, 3e-4, 0.0, 0.0, 0.0, 1e-36};
    CHECK_INT(lw_cartesian_stiffness(3, flat, K, NULL, &rank), LW_OK);
    CHECK_INT(rank, 2); // what rounding leaves is rigid
    lw_statics_destroy(s);
    lw_statics_destroy(NULL);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(C10_sag_of_one_and_two_joints_is_that_of_the_closed_form);
    RUN(C10_robots_sag_as_an_independent_program_has_it);
    RUN(C10_stiffness_has_the_load_term);
    RUN(R51_compliance_is_the_difference_of_loaded_equilibria);
    RUN(R51_commutator_of_a_moment_depends_on_nothing_else);
    RUN(R51_no_energy_is_gained_around_a_closed_path_of_loads);
    RUN(C10_a_cantilever_converges_with_order_two);
    RUN(R51_an_inverted_pendulum_buckles_at_its_stiffness);
    RUN(R51_upright_chains_buckle_at_the_load_of_the_closed_form);
    RUN(R51_stability_is_that_of_where_the_search_ends);
    RUN(R51_payload_at_which_the_tip_is_off);
    RUN(C10_virtual_joints_sag_and_are_compensated);
    RUN(C10_motors_behind_shafts_of_any_law_are_compensated);
    RUN(C11_contacts_of_any_law_bear_what_the_drive_presses);
    RUN(C10_bad_input_is_refused);
    return REPORT();
}
