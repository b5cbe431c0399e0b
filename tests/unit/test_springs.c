// Springs between ports and torsions between axes: forces are gradients of the energy stored, what
// one end gives the other takes, all ways to accelerations agree, and bad ones are refused.
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "spring_tree.h"

#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 24 };

// Joints of every kind between the ends, a table, a polynomial, and springs that branch.
static const char *const tree = SPRING_TREE(
    "") "<spring name=\"s1\" from=\"post\" to=\"hook\" stiffness=\"500\" damping=\"30\" "
        "free=\"0.1\" "
        "preload=\"20\"/>\n"
        "<spring name=\"s2\" from=\"hand.thumb\" to=\"ball.eye\" polynomial=\"3 40 -5 7\" "
        "damping=\"2\" free=\"0.4\"/>\n"
        "<spring name=\"s3\" from=\"tip\" to=\"post\" table=\"0.1 -40 0.3 -35 0.5 -33 0.9 -28\" "
        "free=\"0\" damping=\"1\"/>\n"
        "<spring name=\"s4\" from=\"arm\" to=\"ball\" stiffness=\"30\" free=\"0.2\" "
        "side=\"tension\" "
        "damping=\"0.5\"/>\n"
        "<spring name=\"c1\" along=\"normal\" from=\"hand.thumb\" to=\"ball.eye\" "
        "polynomial=\"0 60 -5 7\" damping=\"2\" free=\"-0.4\"/>\n"
        "<spring name=\"c2\" along=\"normal\" from=\"post\" to=\"tip\" stiffness=\"90\" "
        "side=\"compression\" free=\"3\" damping=\"1\"/>\n"
        "<torsion name=\"t1\" in=\"j1\" out=\"j3.angle\" stiffness=\"4\" damping=\"0.7\" "
        "loss=\"0.1\"/>\n"
        "<torsion name=\"t2\" in=\"j3.travel\" table=\"-1 -3 0 0 1 5\" free=\"0.05\" "
        "damping=\"2\"/>\n"
        "</linkwork>\n";

// A motor that drives a joint through an elastic gear.
static const char *const elastic =
    "<linkwork version=\"1\" name=\"elastic\">\n"
    "<ground gravity=\"0 0 0\"/>\n"
    "<joint name=\"j\" type=\"revolute\" from=\"ground\" to=\"arm\"/>\n"
    "<link name=\"arm\" mass=\"1\" inertia=\"0.5 0.5 0.5\"/>\n"
    "<drive name=\"m\" inertia=\"0.002\" out=\"box.in\"/>\n"
    "<gearbox name=\"box\" ratio=\"10\" out=\"shaft.in\"/>\n"
    "<torsion name=\"shaft\" out=\"j\" stiffness=\"80\"/>\n"
    "</linkwork>\n";

typedef struct machine {
    lw_model *m;
    lw_data *d, *ideal;
    double q[MOST], v[MOST], a[MOST], tau[MOST];
} machine;

static machine begin(const char *text)
{
    machine k = {.m = compile_text("springs.xml", text, NULL)};
    if (!CHECK(k.m)) {
        return k;
    }
    k.d = new_data(k.m);
    k.ideal = new_data(k.m);
    lw_dynamics_options options = lw_default_dynamics_options(k.m);
    options.is_ideal = true;
    CHECK_INT(lw_set_dynamics_options(k.ideal, &options), LW_OK);
    double step[MOST];
    for (int i = 0; i < k.m->nv; ++i) {
        step[i] = check_random(-0.3, 0.3);
        k.v[i] = check_random(-1.0, 1.0);
        k.a[i] = check_random(-1.0, 1.0);
    }
    CHECK_INT(lw_integrate(k.m, k.m->q_reference, step, 1.0, k.q), LW_OK);
    return k;
}

static void end(machine *k)
{
    lw_data_destroy(k->d);
    lw_data_destroy(k->ideal);
    lw_model_destroy(k->m);
}

// Forces in float, and the forces that its accelerations need, at the state that float sees. The
// springs' own forces, up to some hundreds, are what rounding is measured by.
static void check_float(machine *k)
{
    const int nv = k->m->nv;
    lw_model32 *m = new_model32(k->m);
    lw_data32 *d = m ? new_data32(m) : NULL;
    double q[MOST], state[3][MOST], tau[MOST], back[MOST];
    float q32[MOST], part[3][MOST], a[MOST];
    for (int i = 0; i < k->m->nq; ++i) {
        q32[i] = (float)k->q[i];
        q[i] = (double)q32[i];
    }
    const double *from[] = {k->v, k->a, k->tau};
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < nv; ++i) {
            part[j][i] = (float)from[j][i];
            state[j][i] = (double)part[j][i];
        }
    }
    if (CHECK(d != NULL)) {
        CHECK_INT(lw_inverse_dynamics(k->m, k->d, q, state[0], state[1], NULL, tau), LW_OK);
        CHECK_INT(lw_inverse_dynamics32(m, d, q32, part[0], part[1], NULL, a), LW_OK);
        for (int i = 0; i < nv; ++i) {
            CHECK_NEAR((double)a[i], tau[i], 1e-5 * 300.0);
        }
        CHECK_INT(lw_forward_dynamics32(m, d, q32, part[0], part[2], NULL, a), LW_OK);
        for (int i = 0; i < nv; ++i) {
            back[i] = (double)a[i];
        }
        CHECK_INT(lw_inverse_dynamics(k->m, k->d, q, state[0], back, NULL, tau), LW_OK);
        for (int i = 0; i < nv; ++i) {
            CHECK_NEAR(tau[i], state[2][i], 1e-5 * 300.0);
        }
    }
    lw_data32_destroy(d);
    lw_model32_destroy(m);
}

static double energy_along(machine *k, const double *q, int i, double h)
{
    double step[MOST] = {0.0}, moved[MOST], energy = (double)NAN;
    step[i] = h;
    CHECK_INT(lw_integrate(k->m, q, step, 1.0, moved), LW_OK);
    CHECK_INT(lw_potential_energy(k->m, k->d, moved, &energy), LW_OK);
    return energy;
}

// Fourth order, so that steps of 1e-3 leave 1e-12 of truncation and 1e-13 of rounding a step.
static double slope(machine *k, const double *q, int i)
{
    const double h = 1e-3;
    return (8.0 * (energy_along(k, q, i, h) - energy_along(k, q, i, -h)) -
            (energy_along(k, q, i, 2 * h) - energy_along(k, q, i, -2 * h))) /
           (12.0 * h);
}

static void check_gradient(const char *text)
{
    machine k = begin(text);
    const double rest[MOST] = {0.0};
    for (int i = 0; k.m && i < k.m->nv; ++i) {
        CHECK_INT(lw_bias_forces(k.m, k.d, k.q, rest, k.tau), LW_OK);
        CHECK_NEAR(k.tau[i], slope(&k, k.q, i), 1e-8);
    }
    end(&k);
}

TEST(D03_R29_forces_at_rest_are_the_gradient_of_the_energy)
{
    for (int round = 0; round < 5; ++round) {
        check_gradient(tree);
        check_gradient(spring_loop);
        check_gradient(elastic);
    }
}

static void check_ways(const char *text)
{
    machine k = begin(text);
    double a[MOST], M[MOST * MOST], h[MOST], many[2 * MOST], two[6][2 * MOST];
    if (!k.m) {
        return;
    }
    const int nq = k.m->nq, nv = k.m->nv;
    CHECK_INT(lw_inverse_dynamics(k.m, k.d, k.q, k.v, k.a, NULL, k.tau), LW_OK);
    CHECK_INT(lw_forward_dynamics(k.m, k.d, k.q, k.v, k.tau, NULL, a), LW_OK);
    CHECK_INT(lw_mass_matrix(k.m, k.d, k.q, M), LW_OK);
    CHECK_INT(lw_bias_forces(k.m, k.d, k.q, k.v, h), LW_OK);
    for (int i = 0; i < nv; ++i) {
        double sum = h[i];
        for (int j = 0; j < nv; ++j) {
            sum += M[i * nv + j] * k.a[j];
        }
        CHECK_NEAR(sum, k.tau[i], 1e-11);
        CHECK_NEAR(a[i], k.a[i], 1e-9); // masses of shafts are small, and so divide rounding
    }
    lw_batch *batch = new_batch(k.m, NULL);
    for (int s = 0; s < 2; ++s) {
        memcpy(two[0] + s * nq, k.q, (size_t)nq * sizeof *k.q);
        memcpy(two[1] + s * nv, k.v, (size_t)nv * sizeof *k.v);
        memcpy(two[2] + s * nv, k.a, (size_t)nv * sizeof *k.a);
    }
    CHECK_INT(lw_inverse_dynamics_batch(k.m, batch, 2, two[0], two[1], two[2], NULL, many), LW_OK);
    for (int i = 0; i < 2 * nv; ++i) {
        CHECK_NEAR(many[i], k.tau[i % nv], 1e-11);
    }
    lw_batch_destroy(batch);
    check_float(&k);
    end(&k);
}

TEST(all_ways_to_forces_and_accelerations_agree)
{
    for (int round = 0; round < 5; ++round) {
        check_ways(tree);
        check_ways(spring_loop);
        check_ways(elastic);
    }
}

static void check_derivatives(const char *text)
{
    machine k = begin(text);
    double by_q[MOST * MOST], by_v[MOST * MOST], M[MOST * MOST];
    if (!k.m) {
        return;
    }
    const int nv = k.m->nv;
    const double h = 1e-5;
    CHECK_INT(lw_inverse_dynamics_derivatives(k.m, k.d, k.q, k.v, k.a, NULL, by_q, by_v, M), LW_OK);
    for (int j = 0; j < nv; ++j) {
        double step[MOST] = {0.0}, moved[MOST], v[MOST], tau[4][MOST];
        for (int side = 0; side < 2; ++side) {
            step[j] = side ? h : -h;
            CHECK_INT(lw_integrate(k.m, k.q, step, 1.0, moved), LW_OK);
            CHECK_INT(lw_inverse_dynamics(k.m, k.d, moved, k.v, k.a, NULL, tau[side]), LW_OK);
            memcpy(v, k.v, sizeof v);
            v[j] += step[j];
            CHECK_INT(lw_inverse_dynamics(k.m, k.d, k.q, v, k.a, NULL, tau[2 + side]), LW_OK);
        }
        for (int i = 0; i < nv; ++i) { // central differences: h^2 and rounding over h
            CHECK_NEAR(by_q[i * nv + j], (tau[1][i] - tau[0][i]) / (2 * h), 2e-6);
            CHECK_NEAR(by_v[i * nv + j], (tau[3][i] - tau[2][i]) / (2 * h), 2e-6);
        }
    }
    end(&k);
}

TEST(derivatives_are_those_of_differences)
{
    for (int round = 0; round < 5; ++round) {
        check_derivatives(tree);
        check_derivatives(spring_loop);
        check_derivatives(elastic);
    }
}

// Two bodies in space and a spring with a damper between them: momentum cannot change.
TEST(what_one_end_gives_the_other_takes)
{
    machine k = begin("<linkwork version=\"1\" name=\"pair\">\n<ground gravity=\"0 0 0\"/>\n"
                      "<joint name=\"j1\" type=\"free\" from=\"ground\" to=\"a\"/>\n"
                      "<link name=\"a\" mass=\"1\" inertia=\"0.1 0.2 0.25\" center=\"0 0.1 0\">"
                      "<frame name=\"p\" xyz=\"0.1 0.2 0.3\"/></link>\n"
                      "<joint name=\"j2\" type=\"free\" from=\"ground\" to=\"b\" xyz=\"1 0 0\"/>\n"
                      "<link name=\"b\" mass=\"3\" inertia=\"0.3 0.2 0.25\">"
                      "<frame name=\"p\" xyz=\"0.3 -0.2 0.1\"/></link>\n"
                      "<spring name=\"s\" from=\"a.p\" to=\"b.p\" stiffness=\"70\" free=\"0.2\" "
                      "damping=\"3\"/>\n</linkwork>\n");
    if (!k.m) {
        return;
    }
    const double none[MOST] = {0.0}, h = 1e-5;
    double a[MOST], moved[MOST], step[MOST], v[MOST];
    CHECK_INT(lw_forward_dynamics(k.m, k.d, k.q, k.v, none, NULL, a), LW_OK);
    CHECK(fabs(a[3]) > 1.0); // it does pull
    lw_force momentum[2];
    for (int side = 0; side < 2; ++side) {
        const double t = side ? h : -h;
        for (int i = 0; i < k.m->nv; ++i) {
            step[i] = t * k.v[i];
            v[i] = k.v[i] + t * a[i];
        }
        CHECK_INT(lw_integrate(k.m, k.q, step, 1.0, moved), LW_OK);
        CHECK_INT(lw_momentum(k.m, k.d, moved, v, &momentum[side]), LW_OK);
    }
    const double *one = &momentum[0].ang.x, *two = &momentum[1].ang.x;
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR((two[i] - one[i]) / (2 * h), 0.0, 1e-7); // against forces of tens
    }
    end(&k);
}

// Contacts in float, at the state that float sees.
TEST(C11_contacts_in_float_are_those_in_double)
{
    machine k = begin("<linkwork version=\"1\" name=\"pair\">\n<ground/>\n"
                      "<joint name=\"j1\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" "
                      "to=\"a\"/>\n<link name=\"a\" mass=\"1\" inertia=\"0.1 0.2 0.25\">"
                      "<frame name=\"p\" xyz=\"0.1 0.2 0.3\" rpy=\"0.4 0.3 0.2\"/></link>\n"
                      "<joint name=\"j2\" type=\"revolute\" axis=\"1 0 0\" from=\"a\" to=\"b\" "
                      "xyz=\"1 0 0\"/>\n<link name=\"b\" mass=\"3\" inertia=\"0.3 0.2 0.25\">"
                      "<frame name=\"p\" xyz=\"0.3 -0.2 0.1\"/></link>\n"
                      "<spring name=\"s\" along=\"normal\" from=\"ground\" to=\"b.p\" "
                      "stiffness=\"70\" free=\"9\" side=\"compression\" damping=\"3\"/>\n"
                      "<spring name=\"t\" along=\"normal\" from=\"a.p\" to=\"b.p\" "
                      "stiffness=\"70\" free=\"2\" damping=\"3\"/>\n</linkwork>\n");
    lw_model32 *m32 = k.m ? new_model32(k.m) : NULL;
    lw_data32 *d32 = m32 ? new_data32(m32) : NULL;
    if (CHECK(d32 != NULL)) {
        float q[2], v[2], a[2], tau[2];
        for (int i = 0; i < 2; ++i) {
            k.q[i] = (double)(q[i] = (float)k.q[i]);
            k.v[i] = (double)(v[i] = (float)k.v[i]);
            k.a[i] = (double)(a[i] = (float)k.a[i]);
        }
        CHECK_INT(lw_inverse_dynamics(k.m, k.d, k.q, k.v, k.a, NULL, k.tau), LW_OK);
        CHECK_INT(lw_inverse_dynamics32(m32, d32, q, v, a, NULL, tau), LW_OK);
        for (int i = 0; i < 2; ++i) {
            CHECK_NEAR((double)tau[i], k.tau[i], 2e-3); // 1e-6 of the forces of the springs
        }
    }
    lw_data32_destroy(d32);
    lw_model32_destroy(m32);
    end(&k);
}

// The same force as an external one on a machine without the spring.
TEST(reactions_feel_springs_as_forces_on_bodies)
{
    machine k = begin(tree);
    double tau[MOST];
    lw_spring_state state[8];
    lw_force with[MOST], without[MOST], f_ext[MOST];
    if (!k.m) {
        return;
    }
    CHECK_INT(lw_spring_states(k.m, k.d, k.q, k.v, state), LW_OK);
    CHECK_INT(lw_reaction_forces(k.m, k.d, k.q, k.v, k.a, NULL, with), LW_OK);
    memset(f_ext, 0, sizeof f_ext);
    for (int s = 0; s < 6; ++s) {
        const lw_spring_info *spring = &k.m->spring[s];
        lw_pose X_WB[2];
        CHECK_INT(lw_forward_position(k.m, k.ideal, k.q), LW_OK);
        for (int side = 0; side < 2; ++side) {
            lw_pose X = lw_pose_identity();
            for (int f = 0; f < k.m->nframe_all && spring->body[side] >= 0; ++f) {
                if (k.m->frame[f].body == spring->body[side]) {
                    lw_pose X_WF;
                    CHECK_INT(lw_frame_pose(k.m, k.ideal, f, &X_WF), LW_OK);
                    const lw_pose X_FB = lw_pose_inverse(&k.m->frame[f].X_BF);
                    X = lw_pose_mul(&X_WF, &X_FB);
                }
            }
            X_WB[side] = X;
        }
        // A plane acts along its normal, at the point.
        const bool is_plane = spring->along == LW_SPRING_NORMAL;
        const lw_vec3 to = lw_pose_apply(&X_WB[1], spring->p[1]),
                      from = lw_pose_apply(&X_WB[0], spring->p[0]);
        const lw_vec3 at[2] = {is_plane ? to : from, to}, way = lw_sub3(to, from);
        const lw_vec3 u =
            is_plane ? lw_rotate(&X_WB[0].R, spring->normal) : lw_scale3(1.0 / lw_norm3(way), way);
        CHECK_NEAR(lw_dot3(u, way), state[s].x, 1e-13);
        for (int side = 0; side < 2; ++side) {
            if (spring->body[side] >= 0) {
                const lw_mat3 *R = &X_WB[side].R;
                const lw_vec3 f =
                    lw_rotate_back(R, lw_scale3((side ? -1.0 : 1.0) * state[s].force, u));
                const lw_vec3 arm = lw_rotate_back(R, lw_sub3(at[side], X_WB[side].p));
                lw_force *own = &f_ext[spring->body[side]];
                own->lin = lw_add3(own->lin, f);
                own->ang = lw_add3(own->ang, lw_cross3(arm, f));
            }
        }
    }
    // No joint of this machine has forces of its own: ideal leaves out the springs alone.
    CHECK_INT(lw_reaction_forces(k.m, k.ideal, k.q, k.v, k.a, f_ext, without), LW_OK);
    for (int i = 0; i < 6 * k.m->nbody; ++i) {
        CHECK_NEAR((&with[0].ang.x)[i], (&without[0].ang.x)[i], 1e-11);
    }
    CHECK_INT(lw_inverse_dynamics(k.m, k.ideal, k.q, k.v, k.a, f_ext, tau), LW_OK);
    CHECK_INT(lw_inverse_dynamics(k.m, k.d, k.q, k.v, k.a, NULL, k.tau), LW_OK);
    const int ball = lw_find_velocity(k.m, "j4.wx"); // which no torsion is at
    for (int i = ball; CHECK(ball >= 0) && i < ball + 6; ++i) {
        CHECK_NEAR(k.tau[i], tau[i], 1e-11);
    }
    end(&k);
}

// A slider on one torsion, whose law is asked point by point.
static void check_law(const char *attributes, int n, const double (*wanted)[4])
{
    char text[1000];
    snprintf(text, sizeof text,
             "<linkwork version=\"1\" name=\"one\">\n<ground/>\n"
             "<joint name=\"j\" type=\"prismatic\" from=\"ground\" to=\"a\"/>\n"
             "<link name=\"a\" mass=\"1\"/>\n<torsion name=\"t\" in=\"j\" %s/>\n</linkwork>\n",
             attributes);
    lw_model *m = compile_text("one.xml", text, NULL);
    lw_data *d = m ? new_data(m) : NULL;
    for (int k = 0; CHECK(d) && k < n; ++k) {
        lw_spring_state state;
        check_case("%s at %g", attributes, wanted[k][0]);
        CHECK_INT(lw_spring_states(m, d, &wanted[k][0], &wanted[k][1], &state), LW_OK);
        CHECK_NEAR(state.force, wanted[k][2], 1e-12);
        CHECK_NEAR(state.energy, wanted[k][3], 1e-12);
        CHECK_NEAR(state.x, wanted[k][0], 0.0);
        CHECK_NEAR(state.rate, wanted[k][1], 0.0);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(laws_act_as_they_say)
{
    const double linear[][4] = {
        {0.5, 0, 10 + 40 * 0.3, 10 * 0.3 + 20 * 0.09}, {0.2, 2, 10 + 6, 0}, {0, 0, 2, -1.2}};
    check_law("stiffness=\"40\" preload=\"10\" free=\"0.2\" damping=\"3\"", 3, linear);
    const double cord[][4] = {{0.5, 0, 12, 1.8}, {0.1, 5, 0, 0},    {0.2, 5, 0, 0},
                              {0.5, -9, 0, 1.8}, {0.5, 1, 15, 1.8}, {0.5, 9, 24, 1.8}};
    check_law("stiffness=\"40\" free=\"0.2\" side=\"tension\" damping=\"3\"", 6, cord);
    const double buffer[][4] = {{0.5, 2, 0, 0}, {0.1, 0, -4, 0.2}, {0.1, -1, -7, 0.2}};
    check_law("stiffness=\"40\" free=\"0.2\" side=\"compression\" damping=\"3\"", 3, buffer);
    const double play[][4] = {{0.1, 5, 0, 0}, {0.3, 0, 4, 0.2}, {-0.5, 0, -12, 1.8}};
    check_law("stiffness=\"40\" free=\"0\" backlash=\"0.4\" damping=\"3\"", 3, play);
    const double cubic[][4] = {{2, 0, 1 + 4 + 24, 2 + 4 + 12}, {-1, 0, 1 - 2 - 3, -1 + 1 + 0.75}};
    check_law("polynomial=\"1 2 0 3\" free=\"0\"", 2, cubic);
    // Three points on a line make a line, within and beyond them.
    const double line[][4] = {{0.5, 0, 2, 0.75}, {3, 0, 7, 12}, {-2, 0, -3, 2}};
    check_law("table=\"-1 -1 0 1 2 5\" free=\"0\"", 3, line);
    const double damper[][4] = {{0.5, 2, 10, 0}};
    check_law("damping=\"5\"", 1, damper);
}

// The natural spline through (0, 0), (1, 1), (2, 0) has the slope 3/2 at its ends and the integral
// 5/8 over each half.
TEST(energy_of_a_table_is_its_integral)
{
    const double hat[][4] = {{0.5, 0, 0.6875, 0.75 * 0.25 - 1.0 / 128},
                             {1, 0, 1, 0.625},
                             {2, 0, 0, 1.25},
                             {3, 0, -1.5, 1.25 - 0.75},
                             {-1, 0, -1.5, 0.75}};
    check_law("table=\"0 0 1 1 2 0\" free=\"0\"", 5, hat);
}

TEST(loss_is_friction_in_proportion_to_the_torque)
{
    lw_model *m = compile_text(
        "loss.xml",
        "<linkwork version=\"1\" name=\"loss\">\n<ground gravity=\"0 0 0\"/>\n"
        "<joint name=\"j\" type=\"revolute\" from=\"ground\" to=\"a\"/>\n"
        "<link name=\"a\" mass=\"1\" inertia=\"1 1 1\"/>\n<drive name=\"m\" inertia=\"1\" "
        "out=\"t.in\"/>\n"
        "<torsion name=\"t\" out=\"j\" stiffness=\"10\" loss=\"0.05\"/>\n</linkwork>\n",
        NULL);
    lw_data *d = m ? new_data(m) : NULL;
    if (!CHECK(d) || !CHECK_INT(m->nv, 2)) {
        return;
    }
    const int j = lw_find_velocity(m, "j"), drive = 1 - j;
    double q[2] = {0}, v[2] = {2.0, 2.0}, rest[2] = {0}, tau[2];
    q[drive] = 0.3;
    lw_spring_state state;
    CHECK_INT(lw_inverse_dynamics(m, d, q, v, rest, NULL, tau), LW_OK);
    CHECK_INT(lw_spring_states(m, d, q, v, &state), LW_OK);
    CHECK_NEAR(state.force, 3.0, 1e-15);
    CHECK_NEAR(tau[drive], 3.0, 1e-15);
    CHECK_NEAR(tau[j], -3.0 + 0.15, 1e-15); // tanh(200) is 1
    CHECK_NEAR(state.loss, 0.3, 1e-15);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// A motor against an arm through a shaft of stiffness k: with the rotor's inertia as the gear shows
// it, they swing against each other with k (1/I + 1/(N^2 J)).
TEST(R48_an_elastic_gear_has_its_frequency)
{
    lw_model *m = compile_text("elastic.xml", elastic, NULL);
    lw_data *d = m ? new_data(m) : NULL;
    if (!CHECK(d) || !CHECK_INT(m->nv, 2)) {
        return;
    }
    const double square = 80.0 * (1.0 / 0.5 + 1.0 / (100.0 * 0.002));
    const int j = lw_find_velocity(m, "j");
    double q[2] = {0}, v[2] = {0}, none[2] = {0}, a[2];
    q[j] = 0.01;
    CHECK_INT(lw_forward_dynamics(m, d, q, v, none, NULL, a), LW_OK);
    const double twist = a[j] - a[1 - j] / (strcmp(m->velocity_name[1 - j], "m") == 0 ? 10.0 : 1.0);
    CHECK_NEAR(twist, -square * 0.01, 1e-10);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Stretches along a whole motion: what damping takes is missing from the energy.
static void check_energy(const char *text, double t_end, double max_step, double tolerance)
{
    lw_model *m = compile_text("energy.xml", text, NULL);
    lw_sim_def def = lw_default_sim_def();
    def.counts_work = true;
    def.max_step = max_step;
    lw_sim *sim = m ? new_sim(m, &def) : NULL;
    if (!CHECK(sim)) {
        return;
    }
    double v[MOST], energy[2] = {0, 0};
    for (int i = 0; i < m->nv; ++i) {
        v[i] = check_random(-0.5, 0.5);
    }
    CHECK_INT(lw_sim_reset(sim, 0.0, NULL, v), LW_OK);
    for (int when = 0; when < 2; ++when) {
        double kinetic, potential;
        const double *q = lw_sim_position(sim), *w = lw_sim_velocity(sim);
        CHECK_INT(lw_kinetic_energy(m, lw_sim_data(sim), q, w, &kinetic), LW_OK);
        CHECK_INT(lw_potential_energy(m, lw_sim_data(sim), q, &potential), LW_OK);
        energy[when] = kinetic + potential;
        if (when == 0) {
            CHECK_INT(lw_sim_advance(sim, t_end), LW_OK);
        }
    }
    const double work = lw_sim_get_info(sim).work;
    CHECK_NEAR(energy[1] - energy[0], work, tolerance);
    CHECK(strstr(text, "damping") ? work < -1e-3 : work == 0.0);
    lw_sim_destroy(sim);
    lw_model_destroy(m);
}

TEST(energy_of_motions_with_springs_is_conserved_but_for_losses)
{
    check_energy(elastic, 1.0, (double)INFINITY, 1e-10);
    // The work is integrated along with the motion, but does not govern the step: over the kinks of
    // the cord its error is that of a step in the power, 1 W by 1e-4 s by 1e-3.
    check_energy(tree, 0.5, 1e-4, 2e-7);
    check_energy(spring_loop, 0.3, (double)INFINITY, 1e-8); // third derivatives of a table jump
}

TEST(files_and_copies_keep_springs)
{
    const char *const text[] = {tree, spring_loop, elastic};
    for (int k = 0; k < 3; ++k) {
        lw_mech *mech = NULL, *again = NULL;
        lw_model *m = compile_text("springs.xml", text[k], &mech);
        char *saved = NULL;
        size_t size = 0;
        CHECK_INT(lw_save_text(mech, LW_FORMAT_LINKWORK, &saved, &size, NULL), LW_OK);
        lw_model *n = compile_text("again.xml", saved, &again);
        if (CHECK(m && n)) {
            CHECK(lw_model_hash(m) == lw_model_hash(n));
            void *room = aligned_alloc(64, lw_model_size(m));
            lw_model *copy = copy_of(m, room);
            CHECK(lw_model_hash(copy) == lw_model_hash(m));
            CHECK_TEXT(copy->spring[0].name, m->spring[0].name);
            free(room);
        }
        free(saved);
        lw_model_destroy(m);
        lw_model_destroy(n);
        lw_mech_destroy(mech);
        lw_mech_destroy(again);
    }
}

TEST(levels_leave_torsions_out)
{
    lw_mech *mech = NULL;
    lw_model_destroy(compile_text("elastic.xml", elastic, &mech));
    const lw_level_choice high = {"*", LW_LEVEL_HIGH};
    lw_compile_options options = lw_default_compile_options();
    options.level = &high;
    options.nlevel = 1;
    lw_model *m = NULL;
    CHECK_INT(lw_compile(mech, &options, &m, NULL), LW_OK);
    if (CHECK(m)) {
        CHECK_INT(m->nspring, 0);
        CHECK_INT(m->nv, 1);
    }
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

#define BAD_HEAD                                                                                   \
    "<linkwork version=\"1\" name=\"bad\">\n<ground/>\n"                                           \
    "<joint name=\"j\" type=\"revolute\" from=\"ground\" to=\"a\"/>\n<link name=\"a\" "            \
    "mass=\"1\"/>\n"

TEST(bad_springs_are_told_with_their_place)
{
    static const struct {
        const char *line, *diagnostic;
    } bad[] = {
        {"<spring name=\"s\" from=\"ground\" to=\"b\" stiffness=\"1\"/>", "bad.xml:5:"},
        {"<spring name=\"s\" from=\"ground\" stiffness=\"1\"/>",
         "bad.xml:5:1: error: spring \"s\" pulls nothing: its port a2 is connected to nothing"},
        {"<spring name=\"s\" from=\"ground\" to=\"a\" stiffness=\"1\" table=\"0 0 1 1\"/>",
         "bad.xml:5:1: error: <spring>: one law, please"},
        {"<spring name=\"s\" from=\"ground\" to=\"a\" table=\"0 0 1\"/>",
         "bad.xml:5:46: error: spring \"s\": a table has 4 to 2000 numbers, in pairs"},
        {"<spring name=\"s\" from=\"ground\" to=\"a\" table=\"0 0 1 1 1 2\"/>",
         "bad.xml:5:1: error: spring \"s\": the positions of a table must rise"},
        {"<spring name=\"s\" from=\"ground\" to=\"a\" damping=\"-1\"/>",
         "bad.xml:5:1: error: spring \"s\": damping is -1, must be finite and not negative"},
        {"<spring name=\"s\" from=\"ground\" to=\"a\" free=\"-1\"/>", "free length is -1"},
        {"<spring name=\"s\" from=\"ground\" to=\"a\" loss=\"0.1\"/>",
         "<spring> has no attribute \"loss\""},
        {"<spring name=\"s\" from=\"ground\" to=\"a\" stiffness=\"soft\"/>", "bad.xml:5:"},
        {"<spring name=\"s\" from=\"ground\" to=\"a\" side=\"left\"/>", "bad.xml:5:"},
        {"<spring name=\"s\" from=\"ground\" to=\"a\" preload=\"3\" side=\"tension\"/>",
         "its force begins at zero"},
        {"<spring name=\"s\" from=\"ground\" to=\"a\" polynomial=\"2 3\" backlash=\"0.1\"/>",
         "its force begins at zero"},
        {"<link name=\"b\" at=\"a\"/><spring name=\"s\" from=\"a\" to=\"b\" stiffness=\"1\"/>",
         "bad.xml:5:24: warning: spring \"s\": both ends are on one body, so it does nothing"},
        {"<torsion name=\"t\" stiffness=\"3\"/>",
         "bad.xml:5:1: error: torsion \"t\": its axis \"in\" is connected with nothing"},
        {"<torsion name=\"t\" in=\"j\" out=\"j\" stiffness=\"3\"/>",
         "bad.xml:5:1: error: torsion \"t\": both ends are on one axis"},
        {"<torsion name=\"t\" in=\"j\" loss=\"2\"/>", "loss is a share of at most 1"},
        {"<torsion name=\"t\" in=\"k\"/>", "bad.xml:5:"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s\n</linkwork>\n", BAD_HEAD, bad[k].line);
        char *diagnostics = diagnostics_of_text("bad.xml", text);
        check_case("%s", bad[k].line);
        CHECK_HAS(diagnostics, bad[k].diagnostic);
        free(diagnostics);
    }
}

TEST(C11_contacts_without_stiffness_are_refused_with_their_location)
{
    static const char *const law[] = {"stiffness=\"0\"", "stiffness=\"-3\""};
    for (int i = 0; i < 2; ++i) {
        char text[600];
        snprintf(text, sizeof text,
                 "<linkwork version=\"1\" name=\"c\"><ground/>\n"
                 "<joint name=\"j\" type=\"prismatic\" from=\"ground\" to=\"a\"/>\n"
                 "<link name=\"a\" mass=\"1\"/>\n"
                 "<spring name=\"rock\" along=\"normal\" from=\"ground\" to=\"a\" %s/>\n"
                 "</linkwork>",
                 law[i]);
        char *found = diagnostics_of_text("c.xml", text);
        CHECK_HAS(found, "c.xml:4:1: error: spring \"rock\": stiffness of a contact is");
        CHECK_HAS(found, "must be above zero");
        free(found);
    }
}

TEST(definitions_by_calls_are_checked)
{
    lw_mech *mech = new_mech("calls");
    lw_spring_def def = lw_default_spring_def();
    def.name = "s";
    def.ncoefficient = 17;
    CHECK_INT(lw_add_spring(mech, &def).index, -1);
    CHECK_HAS(lw_mech_message(mech), "at most 16 coefficients");
    def.law = LW_LAW_TABLE;
    def.ncoefficient = 5;
    CHECK_INT(lw_add_torsion(mech, &def).index, -1);
    def = lw_default_spring_def();
    def.name = "s";
    const lw_part spring = lw_add_spring(mech, &def), torsion = lw_add_torsion(mech, &def);
    CHECK(spring.index >= 0 && torsion.index >= 0);
    CHECK_INT(lw_find_part(mech, "s", LW_PART_SPRING).index, spring.index);
    CHECK_INT(lw_find_part(mech, "s", LW_PART_TORSION).index, torsion.index);
    CHECK(lw_port_of(mech, spring, "a1").index >= 0 && lw_port_of(mech, torsion, "out").index >= 0);
    CHECK_INT(lw_port_of(mech, spring, "b").index, -1);
    CHECK_INT(lw_connect_named(mech, "s.a1", "s.in"), LW_ERR_PORT_KIND);
    CHECK_INT(lw_spring_states(NULL, NULL, NULL, NULL, NULL), LW_ERR_ARGUMENT);
    lw_mech_destroy(mech);
}

// A spring whose ends meet has no direction: it acts with no force, not with one that is no number.
TEST(ends_that_meet_and_states_that_are_no_numbers)
{
    lw_model *m = compile_text("meet.xml",
                               "<linkwork version='1' name='meet'><ground/>"
                               "<joint name='j' type='prismatic' from='ground' to='slider'/>"
                               "<link name='slider' mass='1'/>"
                               "<spring name='s' from='ground' to='slider' stiffness='10' "
                               "free='0.5' damping='1'/></linkwork>",
                               NULL);
    lw_data *d = m ? new_data(m) : NULL;
    double q = 0.0, v = 1.0, tau = 0.0;
    const double a = 0.0;
    lw_spring_state state;
    CHECK_INT(lw_spring_states(m, d, &q, &v, &state), LW_OK);
    CHECK(state.x == 0.0 && isfinite(state.force));
    CHECK_INT(lw_inverse_dynamics(m, d, &q, &v, &a, NULL, &tau), LW_OK);
    CHECK(isfinite(tau));
    v = (double)NAN;
    CHECK_INT(lw_spring_states(m, d, &q, &v, &state), LW_ERR_NUMBER);
    v = 0.0;
    q = (double)INFINITY;
    CHECK_INT(lw_spring_states(m, d, &q, &v, &state), LW_ERR_NUMBER);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(ends_that_meet_and_states_that_are_no_numbers);
    RUN(D03_R29_forces_at_rest_are_the_gradient_of_the_energy);
    RUN(all_ways_to_forces_and_accelerations_agree);
    RUN(derivatives_are_those_of_differences);
    RUN(what_one_end_gives_the_other_takes);
    RUN(C11_contacts_in_float_are_those_in_double);
    RUN(reactions_feel_springs_as_forces_on_bodies);
    RUN(laws_act_as_they_say);
    RUN(energy_of_a_table_is_its_integral);
    RUN(loss_is_friction_in_proportion_to_the_torque);
    RUN(R48_an_elastic_gear_has_its_frequency);
    RUN(energy_of_motions_with_springs_is_conserved_but_for_losses);
    RUN(files_and_copies_keep_springs);
    RUN(levels_leave_torsions_out);
    RUN(bad_springs_are_told_with_their_place);
    RUN(C11_contacts_without_stiffness_are_refused_with_their_location);
    RUN(definitions_by_calls_are_checked);
    return REPORT();
}
