// Motions that textbooks know in closed form: normal modes, tops, pendulums, curves of equal time.
// Simulations run at the default accuracy, which is near the roundings; tolerances are what these
// leave after some hundred steps.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/linearize.h>
#include <linkwork/simulate.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

// Frequencies of linearized motion about the reference, in rad/s, ascending; one for each degree of
// freedom.
static void frequencies(const lw_model *m, double *omega)
{
    enum { MOST = 12 };
    double A[4 * MOST * MOST], B[2 * MOST * MOST], re[2 * MOST], im[2 * MOST];
    const int n = m->nv;
    lw_data *d = new_data(m);
    if (CHECK(n <= MOST && lw_linearize(m, d, m->q_reference, NULL, NULL, A, B) == LW_OK)) {
        CHECK(lw_eigenvalues(2 * n, A, re, im) == LW_OK);
        int found = 0;
        for (int i = 0; i < 2 * n && found < n; ++i) {
            if (im[i] >= 0.0) {
                int k = found++;
                for (; k > 0 && omega[k - 1] > im[i]; --k) {
                    omega[k] = omega[k - 1];
                }
                omega[k] = im[i];
            }
        }
        CHECK_INT(found, n);
    }
    lw_data_destroy(d);
}

// Two equal masses on two equal threads: omega^2 = (2 -+ sqrt 2) g / l.
TEST(modes_of_the_double_pendulum)
{
    lw_model *m = compile_text(
        "double.xml",
        "<linkwork version=\"1\" name=\"double\"><ground/>\n"
        "<joint name=\"a\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" to=\"upper\"/>\n"
        "<link name=\"upper\" mass=\"1.5\" center=\"0 0 -0.7\"/>\n"
        "<joint name=\"b\" type=\"revolute\" axis=\"0 1 0\" from=\"upper\" to=\"lower\" "
        "xyz=\"0 0 -0.7\"/>\n"
        "<link name=\"lower\" mass=\"1.5\" center=\"0 0 -0.7\"/></linkwork>\n",
        NULL);
    double omega[2];
    frequencies(m, omega);
    CHECK_NEAR(omega[0], sqrt((2.0 - sqrt(2.0)) * 9.81 / 0.7), 1e-12);
    CHECK_NEAR(omega[1], sqrt((2.0 + sqrt(2.0)) * 9.81 / 0.7), 1e-12);
    lw_model_destroy(m);
}

// Equal discs in a row on equal shafts, the first one on the wall:
// omega_k = 2 sqrt(c / J) sin((2k - 1) / (2n + 1) pi / 2).
TEST(modes_of_a_torsional_chain)
{
    enum { N = 6 };
    char text[4096] = "<linkwork version=\"1\" name=\"chain\"><ground/>\n";
    for (int k = 0; k < N; ++k) {
        char line[600], in[40] = "";
        if (k > 0) {
            snprintf(in, sizeof in, "in=\"d%d\" ", k - 1);
        }
        snprintf(line, sizeof line,
                 "<joint name=\"d%d\" type=\"revolute\" from=\"ground\" to=\"disc%d\"/>"
                 "<link name=\"disc%d\" mass=\"1\" inertia=\"0.1 0.1 0.02\"/>"
                 "<torsion name=\"s%d\" %sout=\"d%d\" stiffness=\"50\"/>\n",
                 k, k, k, k, in, k);
        strcat(text, line);
    }
    strcat(text, "</linkwork>\n");
    lw_model *m = compile_text("chain.xml", text, NULL);
    double omega[N];
    frequencies(m, omega);
    for (int k = 1; k <= N; ++k) {
        CHECK_NEAR(omega[k - 1], 100.0 * sin((2 * k - 1) * PI / (2.0 * (2 * N + 1))), 1e-10);
    }
    lw_model_destroy(m);
}

// A motor of inertia J1 drives a load J2 through a gearbox of ratio n and an elastic shaft behind
// it: omega^2 = c (1 / J2 + 1 / (n^2 J1)), and the whole train turns freely.
TEST(modes_of_a_geared_drive)
{
    lw_model *m = compile_text(
        "geared.xml",
        "<linkwork version=\"1\" name=\"geared\"><ground/>\n"
        "<joint name=\"load\" type=\"revolute\" from=\"ground\" to=\"drum\"/>\n"
        "<link name=\"drum\" mass=\"9\" inertia=\"1 1 0.8\"/>\n"
        "<drive name=\"motor\" inertia=\"3e-4\" out=\"box.in\"/><gearbox name=\"box\" "
        "ratio=\"-40\"/>\n"
        "<torsion name=\"shaft\" in=\"box.out\" out=\"load\" stiffness=\"2000\"/></linkwork>\n",
        NULL);
    double omega[2];
    frequencies(m, omega);
    CHECK_NEAR(omega[0], 0.0, 1e-5); // a double zero: the root of a rounding
    CHECK_NEAR(omega[1], sqrt(2000.0 * (1.0 / 0.8 + 1.0 / (1600.0 * 3e-4))), 1e-10);
    lw_model_destroy(m);
}

// A simulation of m from q, v until t. The caller's are overwritten with where it ends.
static void run(const lw_model *m, double t, double *q, double *v,
                const lw_dynamics_options *options)
{
    const lw_sim_def def = lw_default_sim_def();
    lw_sim *sim = new_sim(m, &def);
    if (CHECK(sim && lw_set_dynamics_options(lw_sim_data(sim), options) == LW_OK)) {
        CHECK_INT(lw_sim_reset(sim, 0.0, q, v), LW_OK);
        CHECK_INT(lw_sim_advance(sim, t), LW_OK);
        memcpy(q, lw_sim_position(sim), (size_t)m->nq * sizeof *q);
        memcpy(v, lw_sim_velocity(sim), (size_t)m->nv * sizeof *v);
    }
    lw_sim_destroy(sim);
}

// A heavy symmetric top on its tip, whose axis leans by theta and goes around at a steady rate p:
// (A - C) p^2 cos theta - C s p + m g h = 0, with s the spin about the axis less that of the
// precession, and moments A across, C along the axis about the tip.
TEST(steady_precession_of_a_top)
{
    lw_model *m = compile_text(
        "top.xml",
        "<linkwork version=\"1\" name=\"top\"><ground/>\n"
        "<joint name=\"tip\" type=\"spherical\" from=\"ground\" to=\"top\"/>\n"
        "<link name=\"top\" mass=\"0.5\" center=\"0 0 0.1\" inertia=\"0.001 0.001 0.0012\"/>"
        "</linkwork>\n",
        NULL);
    const double A = 0.001 + 0.5 * 0.01, C = 0.0012, theta = 0.6, p = 3.0;
    const double s = ((A - C) * p * p * cos(theta) + 0.5 * 9.81 * 0.1) / (C * p);
    // Turned about y by theta; in body axes the precession is p (-sin theta, 0, cos theta).
    double q[4] = {cos(0.5 * theta), 0.0, sin(0.5 * theta), 0.0};
    double v[3] = {-p * sin(theta), 0.0, p * cos(theta) + s};
    const double t = 2.5 * PI / p; // one turn and a quarter: the axis leans towards y
    run(m, t, q, v, NULL);
    lw_data *d = new_data(m);
    lw_pose X;
    CHECK(lw_forward_position(m, d, q) == LW_OK &&
          lw_frame_pose(m, d, lw_find_frame(m, "top"), &X) == LW_OK);
    CHECK_NEAR(X.R.row[0].z, 0.0, 1e-10);
    CHECK_NEAR(X.R.row[1].z, sin(theta), 1e-10);
    CHECK_NEAR(X.R.row[2].z, cos(theta), 1e-10);
    CHECK_NEAR(v[2], p * cos(theta) + s, 1e-9); // the spin about the axis is kept
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// A free symmetric body: its angular velocity goes around the axis at (C - A) / A times the spin.
TEST(free_nutation)
{
    lw_model *m =
        compile_text("free.xml",
                     "<linkwork version=\"1\" name=\"free\"><ground gravity=\"0 0 0\"/>\n"
                     "<joint name=\"j\" type=\"free\" from=\"ground\" to=\"body\"/>\n"
                     "<link name=\"body\" mass=\"2\" inertia=\"0.3 0.3 0.5\"/></linkwork>\n",
                     NULL);
    double q[7] = {0, 0, 0, 1, 0, 0, 0}, v[6] = {0.4, 0.0, 6.0, 0.1, -0.2, 0.3};
    const double t = 2.0, rate = (0.5 - 0.3) / 0.3 * 6.0;
    run(m, t, q, v, NULL);
    CHECK_NEAR(v[0], 0.4 * cos(rate * t), 1e-10);
    CHECK_NEAR(v[1], 0.4 * sin(rate * t), 1e-10);
    CHECK_NEAR(v[2], 6.0, 1e-10);
    CHECK_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2], 4.0 * (0.01 + 0.04 + 0.09), 1e-9);
    lw_model_destroy(m);
}

// A mass between equal springs on a table that turns (Foucault): seen from rest it is a plain
// oscillation, so its plane goes around on the table the other way.
TEST(oscillations_on_a_turntable)
{
    lw_model *m = compile_text(
        "table.xml",
        "<linkwork version=\"1\" name=\"table\"><ground/>\n"
        "<joint name=\"x\" type=\"prismatic\" axis=\"1 0 0\" from=\"ground\" to=\"slide\" "
        "stiffness=\"18\"/><link name=\"slide\"/>\n"
        "<joint name=\"y\" type=\"prismatic\" axis=\"0 1 0\" from=\"slide\" to=\"mass\" "
        "stiffness=\"18\"/><link name=\"mass\" mass=\"2\"/></linkwork>\n",
        NULL);
    const double omega = 3.0, turn = 0.4, t = 7.0;
    lw_dynamics_options options = lw_default_dynamics_options(m);
    options.base_velocity.ang.z = turn;
    double q[2] = {0.5, 0.0}, v[2] = {0.0, -turn * 0.5}; // at rest, seen from outside
    run(m, t, q, v, &options);
    const double r = 0.5 * cos(omega * t);
    CHECK_NEAR(q[0], r * cos(turn * t), 1e-10);
    CHECK_NEAR(q[1], -r * sin(turn * t), 1e-10);
    lw_model_destroy(m);
}

// A mass on a thread that goes around in a circle: p^2 = g / (l cos theta).
TEST(conical_pendulum)
{
    lw_model *m = compile_text(
        "cone.xml",
        "<linkwork version=\"1\" name=\"cone\"><ground/>\n"
        "<joint name=\"j\" type=\"universal\" axis=\"1 0 0\" axis2=\"0 1 0\" from=\"ground\" "
        "to=\"bob\"/>\n<link name=\"bob\" mass=\"3\" center=\"0 0 -1.2\"/></linkwork>\n",
        NULL);
    const double theta = 0.9, p = sqrt(9.81 / (1.2 * cos(theta)));
    // The bob is at 1.2 (-sin b, sin a cos b, -cos a cos b); it begins on the side of -x.
    double q[2] = {0.0, theta}, v[2] = {-p * tan(theta), 0.0};
    run(m, 2.5 * PI / p, q, v, NULL); // then it is on the side of -y
    CHECK_NEAR(sin(q[1]), 0.0, 1e-10);
    CHECK_NEAR(sin(q[0]) * cos(q[1]), -sin(theta), 1e-10);
    lw_model_destroy(m);
}

static void along_x(const void *context, double u, double f[3])
{
    const double r = *(const double *)context;
    f[0] = r * (u + sin(u));
    f[1] = r * (1.0 + cos(u));
    f[2] = -r * sin(u);
}

static void along_z(const void *context, double u, double f[3])
{
    const double r = *(const double *)context;
    f[0] = r * (1.0 - cos(u));
    f[1] = r * sin(u);
    f[2] = r * cos(u);
}

// A bead on a cycloid swings with the period 4 pi sqrt(r / g), however far (Huygens).
TEST(a_cycloid_has_one_period_for_all_swings)
{
    static const double r = 0.3;
    lw_mech *mech = NULL;
    lw_model *first = compile_text(
        "cycloid.xml",
        "<linkwork version=\"1\" name=\"cycloid\"><ground/>\n"
        "<joint name=\"u\" type=\"revolute\" from=\"ground\" to=\"wheel\"/><link "
        "name=\"wheel\"/>\n"
        "<joint name=\"x\" type=\"prismatic\" axis=\"1 0 0\" from=\"ground\" to=\"slide\"/>"
        "<link name=\"slide\"/>\n"
        "<joint name=\"z\" type=\"prismatic\" axis=\"0 0 1\" from=\"slide\" to=\"bead\"/>"
        "<link name=\"bead\" mass=\"0.2\"/></linkwork>\n",
        &mech);
    lw_coupling_def coupling = lw_default_coupling_def();
    coupling.source = "u";
    coupling.law = LW_LAW_FUNCTION;
    coupling.dependent = "x";
    coupling.function = (lw_coupling_function){along_x, &r};
    CHECK_INT(lw_add_coupling(mech, &coupling), LW_OK);
    coupling.dependent = "z";
    coupling.function = (lw_coupling_function){along_z, &r};
    CHECK_INT(lw_add_coupling(mech, &coupling), LW_OK);
    lw_model *m = NULL;
    if (CHECK(lw_compile(mech, NULL, &m, NULL) == LW_OK) && CHECK_INT(m->nv, 1)) {
        for (int k = 1; k <= 5; ++k) {
            // The way along the curve is 4 r sin(u / 2), and goes as a cosine.
            check_case("from %g", 0.5 * k);
            double q[1] = {0.5 * k}, v[1] = {0.0};
            const double t = 5.3 * sqrt(r / 9.81);
            run(m, t, q, v, NULL);
            CHECK_NEAR(sin(0.5 * q[0]), sin(0.25 * k) * cos(0.5 * 5.3), 1e-11);
        }
    }
    lw_model_destroy(m);
    lw_model_destroy(first);
    lw_mech_destroy(mech);
}

int main(void)
{
    RUN(modes_of_the_double_pendulum);
    RUN(modes_of_a_torsional_chain);
    RUN(modes_of_a_geared_drive);
    RUN(steady_precession_of_a_top);
    RUN(free_nutation);
    RUN(oscillations_on_a_turntable);
    RUN(conical_pendulum);
    RUN(a_cycloid_has_one_period_for_all_swings);
    return REPORT();
}
