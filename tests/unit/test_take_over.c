// A simulation goes on with another model: momentum when parts are picked up, velocities when they
// are put down (D42).
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/linkwork.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A mechanism before and after a change, and a simulation of each.
typedef struct change {
    lw_mech *mech[2];
    lw_model *m[2];
    lw_sim *sim[2];
    lw_data *d[2];
    lw_take_over result;
} change;

static change begin(const char *before, const char *after, const double *q, const double *v)
{
    change c = {0};
    lw_sim_def def = lw_default_sim_def();
    def.method = LW_METHOD_RK4;
    for (int i = 0; i < 2; ++i) {
        c.m[i] = compile_text(i ? "after.xml" : "before.xml", i ? after : before, &c.mech[i]);
        c.sim[i] = new_sim(c.m[i], &def);
        c.d[i] = new_data(c.m[i]);
        CHECK(c.sim[i] && c.d[i]);
    }
    CHECK_INT(lw_sim_reset(c.sim[0], 0.25, q, v), LW_OK);
    return c;
}

static void end(change *c)
{
    for (int i = 0; i < 2; ++i) {
        lw_sim_destroy(c->sim[i]);
        lw_data_destroy(c->d[i]);
        lw_model_destroy(c->m[i]);
        lw_mech_destroy(c->mech[i]);
    }
}

static void take_over(change *c, const lw_incoming *incoming, int n)
{
    CHECK_INT(lw_sim_take_over(c->sim[1], c->sim[0], incoming, n, &c->result), LW_OK);
    CHECK(lw_sim_time(c->sim[1]) == 0.25);
}

static double energy(const change *c, int i)
{
    double T = 0.0;
    CHECK_INT(lw_kinetic_energy(c->m[i], c->d[i], lw_sim_position(c->sim[i]),
                                lw_sim_velocity(c->sim[i]), &T),
              LW_OK);
    return T;
}

// A beam that rotates about z, as in the plane, with a part at its tip: I+ w+ = I w.
#define BEAM(payload)                                                                              \
    "<linkwork version='1' name='beam'><ground gravity='0 0 0'/>"                                  \
    "<joint name='j' type='revolute' from='ground' to='beam'/>"                                    \
    "<link name='beam' mass='2' center='0.5 0 0' inertia='0 0.1 0.1'><b xyz='0.8 0 "               \
    "0'/></link>" payload "</linkwork>"
#define PAYLOAD                                                                                    \
    "<joint name='grip' type='fixed' from='beam' to='payload'/>"                                   \
    "<link name='payload' mass='3' inertia='0.01 0.01 0.04'/>"

TEST(D42_one_joint_catches_a_part_at_rest)
{
    const double q = 0.3, v = 2.0;
    change c = begin(BEAM(""), BEAM(PAYLOAD), &q, &v);
    take_over(&c, NULL, 0);
    const double I = 0.1 + 2.0 * 0.25, more = 0.04 + 3.0 * 0.64;
    const double w = I * v / (I + more);
    CHECK_NEAR(lw_sim_velocity(c.sim[1])[0], w, 1e-15);
    CHECK(lw_sim_position(c.sim[1])[0] == q);
    CHECK_NEAR(c.result.energy_lost, 0.5 * I * v * v - 0.5 * (I + more) * w * w, 1e-14);
    CHECK_INT(c.result.nimpact, 1);
    CHECK(c.result.shift < 1e-15);
    end(&c);
}

// The part comes along with a velocity of its own: what it brings about the axis counts.
TEST(D42_one_joint_catches_a_part_that_moves)
{
    const double q = 0.0, v = 2.0;
    change c = begin(BEAM(""), BEAM(PAYLOAD), &q, &v);
    const lw_incoming part = {"payload", {{0.0, 0.0, 1.5}, {7.0, -0.6, 0.2}}};
    take_over(&c, &part, 1);
    const double I = 0.1 + 2.0 * 0.25, more = 0.04 + 3.0 * 0.64;
    const double w = (I * v + 0.04 * 1.5 + 3.0 * 0.8 * -0.6) / (I + more);
    CHECK_NEAR(lw_sim_velocity(c.sim[1])[0], w, 1e-15);
    const double before =
        0.5 * I * v * v + 0.5 * 0.04 * 1.5 * 1.5 + 0.5 * 3.0 * (49.0 + 0.36 + 0.04);
    CHECK_NEAR(c.result.energy_lost, before - 0.5 * (I + more) * w * w, 1e-12);
    end(&c);
}

// Where the part has just the velocity of the tip nothing happens.
TEST(D42_a_part_that_moves_along_is_caught_without_loss)
{
    const double q = 0.0, v = 2.0;
    change c = begin(BEAM(""), BEAM(PAYLOAD), &q, &v);
    const lw_incoming part = {"payload", {{0.0, 0.0, 2.0}, {0.0, 1.6, 0.0}}};
    take_over(&c, &part, 1);
    CHECK(lw_sim_velocity(c.sim[1])[0] == v);
    CHECK(c.result.energy_lost == 0.0 && c.result.nimpact == 0);
    end(&c);
}

TEST(D42_letting_go_changes_no_velocity)
{
    const double q = 0.3, v = 2.0;
    change c = begin(BEAM(PAYLOAD), BEAM(""), &q, &v);
    take_over(&c, NULL, 0);
    CHECK(lw_sim_velocity(c.sim[1])[0] == v);
    CHECK(c.result.energy_lost == 0.0);
    end(&c);
}

// Two links of a double pendulum; the part at the tip is a point mass. In the plane, with the two
// absolute angles a1, a2: M = [[I1 + m2 l1^2, m2 l1 c2 cos(a2 - a1)], [., I2]], and the point adds
// m (l1 e1' , l2 e2') (l1 e1', l2 e2')'.
#define DOUBLE(payload)                                                                            \
    "<linkwork version='1' name='double'><ground gravity='0 0 0'/>"                                \
    "<joint name='j1' type='revolute' from='ground' to='l1'/>"                                     \
    "<link name='l1' mass='2' center='0.3 0 0' inertia='0 0.1 0.1'><b xyz='0.7 0 0'/></link>"      \
    "<joint name='j2' type='revolute' from='l1' to='l2'/>"                                         \
    "<link name='l2' mass='1' center='0.2 0 0' inertia='0 0.05 0.05'><b xyz='0.5 0 "               \
    "0'/></link>" payload "</linkwork>"

TEST(D42_two_joints_catch_a_point_mass_at_rest)
{
    const double q[2] = {0.4, 0.9}, v[2] = {1.2, -0.7};
    change c = begin(DOUBLE(""),
                     DOUBLE("<joint name='grip' type='fixed' from='l2' to='p'/>"
                            "<link name='p' mass='1.5'/>"),
                     q, v);
    take_over(&c, NULL, 0);
    const double c21 = cos(q[1]), l1 = 0.7, l2 = 0.5, m = 1.5;
    const double A[3] = {0.1 + 2.0 * 0.09 + 1.0 * l1 * l1, 1.0 * l1 * 0.2 * c21, 0.05 + 0.04};
    const double B[3] = {A[0] + m * l1 * l1, A[1] + m * l1 * l2 * c21, A[2] + m * l2 * l2};
    const double w1 = v[0], w2 = v[0] + v[1]; // absolute rates
    const double p1 = A[0] * w1 + A[1] * w2, p2 = A[1] * w1 + A[2] * w2;
    const double det = B[0] * B[2] - B[1] * B[1];
    const double u1 = (B[2] * p1 - B[1] * p2) / det, u2 = (B[0] * p2 - B[1] * p1) / det;
    CHECK_NEAR(lw_sim_velocity(c.sim[1])[0], u1, 1e-14);
    CHECK_NEAR(lw_sim_velocity(c.sim[1])[1], u2 - u1, 1e-14);
    const double T0 = 0.5 * (p1 * w1 + p2 * w2), T1 = 0.5 * (p1 * u1 + p2 * u2);
    CHECK_NEAR(c.result.energy_lost, T0 - T1, 1e-14);
    end(&c);
}

// An arm on a base that floats catches a part that floats too: nothing acts from outside, so linear
// and angular momentum of all of it are conserved; then it lets go again.
#define FLOATING(part)                                                                             \
    "<linkwork version='1' name='floating'><ground gravity='0 0 0'/>"                              \
    "<joint name='base' type='free' from='ground' to='hull'/>"                                     \
    "<link name='hull' mass='9' inertia='1 2 1.5'><b xyz='0.2 0 0.3' rpy='0.1 0.2 0.3'/></link>"   \
    "<joint name='j1' type='revolute' axis='0 1 0' from='hull' to='l1'/>"                          \
    "<link name='l1' mass='2' center='0.3 0 0.1' inertia='0.1 0.2 0.15'><b xyz='0.7 0 0'/></link>" \
    "<joint name='j2' type='revolute' axis='1 0 1' from='l1' to='l2'/>"                            \
    "<link name='l2' mass='1' center='0.2 0.1 0' inertia='0.05 0.05 0.06'>"                        \
    "<b xyz='0.5 0 0'/></link>" part "</linkwork>"
#define PART "<link name='part' mass='4' center='0.1 0 0.05' inertia='0.3 0.2 0.25'/>"
#define HELD "<joint name='grip' type='fixed' from='l2' to='part'/>" PART
#define LOOSE "<joint name='drift' type='free' from='ground' to='part'/>" PART

static lw_force momentum(const change *c, int i)
{
    lw_force h = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    CHECK_INT(
        lw_momentum(c->m[i], c->d[i], lw_sim_position(c->sim[i]), lw_sim_velocity(c->sim[i]), &h),
        LW_OK);
    return h;
}

static void check_same_momentum(const change *c)
{
    const lw_force a = momentum(c, 0), b = momentum(c, 1);
    CHECK_NEAR(lw_norm3(lw_sub3(a.ang, b.ang)), 0.0, 1e-12 * (1.0 + lw_norm3(a.ang)));
    CHECK_NEAR(lw_norm3(lw_sub3(a.lin, b.lin)), 0.0, 1e-12 * (1.0 + lw_norm3(a.lin)));
}

static int position_of(const lw_model *m, const char *name)
{
    const int i = lw_find_position(m, name);
    CHECK(i >= 0);
    return i;
}

TEST(D42_a_floating_arm_conserves_momentum_when_it_catches)
{
    lw_mech *mech;
    lw_model *m = compile_text("loose.xml", FLOATING(LOOSE), &mech);
    double q[16], v[14];
    memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
    q[position_of(m, "j1")] = 0.4;
    q[position_of(m, "j2")] = -0.7;
    q[position_of(m, "base.z")] = 0.6;
    for (int k = 0; k < m->nv; ++k) {
        v[k] = 0.3 * sin(1.0 + 2.0 * k);
    }
    // The part is where the gripper will hold it.
    lw_data *d = new_data(m);
    lw_pose X;
    CHECK_INT(lw_forward_position(m, d, q), LW_OK);
    CHECK_INT(lw_frame_pose(m, d, lw_find_frame(m, "l2"), &X), LW_OK);
    const lw_quat r = lw_quat_of(&X.R);
    const lw_vec3 tip = lw_add3(X.p, lw_rotate(&X.R, lw_vec3_of(0.5, 0.0, 0.0)));
    const double pose[7] = {tip.x, tip.y, tip.z, r.w, r.x, r.y, r.z};
    memcpy(q + position_of(m, "drift.x"), pose, sizeof pose);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);

    change c = begin(FLOATING(LOOSE), FLOATING(HELD), q, v);
    take_over(&c, NULL, 0);
    check_same_momentum(&c);
    CHECK(c.result.shift < 1e-14);
    CHECK(c.result.energy_lost > 0.01);
    CHECK_NEAR(energy(&c, 0) - energy(&c, 1), c.result.energy_lost, 1e-13);

    // And lets go: no velocity jumps, momentum and energy stay, and the part flies on.
    change back = begin(FLOATING(HELD), FLOATING(LOOSE), lw_sim_position(c.sim[1]),
                        lw_sim_velocity(c.sim[1]));
    take_over(&back, NULL, 0);
    check_same_momentum(&back);
    CHECK(back.result.shift < 1e-14);
    CHECK_NEAR(energy(&back, 0), energy(&back, 1), 1e-13);
    for (int k = 0; k < back.m[0]->nv; ++k) {
        const int i = lw_find_velocity(back.m[1], back.m[0]->velocity_name[k]);
        CHECK_NEAR(lw_sim_velocity(back.sim[1])[i], lw_sim_velocity(back.sim[0])[k], 1e-13);
    }
    CHECK_INT(lw_sim_advance(back.sim[1], 0.5), LW_OK);
    end(&back);
    end(&c);
}

// The loop of a four-bar linkage, with a rotor: the coordinate that was independent may follow now.
TEST(D42_a_closed_mechanism_catches_a_part)
{
#define FOURBAR(payload)                                                                           \
    "<linkwork version='1' name='fourbar'><ground gravity='0 0 0'>"                                \
    "<frame name='far' xyz='1 0 0'/></ground>"                                                     \
    "<joint name='crank' type='revolute' axis='0 1 0' from='ground' to='c' rotor_inertia='0.2'/>"  \
    "<link name='c' mass='1' center='0 0 0.2' inertia='0.1 0.1 0.1'><b xyz='0 0 0.4'/></link>"     \
    "<joint name='rocker' type='revolute' axis='0 1 0' from='ground.far' to='r' "                  \
    "dependent='true'/>"                                                                           \
    "<link name='r' mass='2' center='0 0 0.3' inertia='0.2 0.2 0.2'><b xyz='0 0 0.7'/></link>"     \
    "<rod name='bar' from='c' to='r' mass='0.5'/>" payload "</linkwork>"
    const double q = 0.2, v = 1.5;
    change c = begin(FOURBAR(""),
                     FOURBAR("<joint name='grip' type='fixed' from='r' to='p'/>"
                             "<link name='p' mass='2' inertia='0.1 0.1 0.1'/>"),
                     &q, &v);
    take_over(&c, NULL, 0);
    double M[2];
    for (int i = 0; i < 2; ++i) {
        CHECK_INT(lw_mass_matrix(c.m[i], c.d[i], &q, &M[i]), LW_OK);
    }
    CHECK_NEAR(lw_sim_velocity(c.sim[1])[0], M[0] * v / M[1], 1e-14);
    CHECK_NEAR(c.result.energy_lost, 0.5 * M[0] * v * v * (1.0 - M[0] / M[1]), 1e-14);
    end(&c);
}

TEST(D42_taking_over_refuses_nonsense)
{
    const double q = 0.3, v = 2.0;
    change c = begin(BEAM(""), BEAM(PAYLOAD), &q, &v);
    CHECK_INT(lw_sim_take_over(NULL, c.sim[0], NULL, 0, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_sim_take_over(c.sim[1], NULL, NULL, 0, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_sim_take_over(c.sim[0], c.sim[0], NULL, 0, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_sim_take_over(c.sim[1], c.sim[0], NULL, 1, NULL), LW_ERR_ARGUMENT);
    lw_incoming bad = {NULL, {{0, 0, 0}, {0, 0, 0}}};
    CHECK_INT(lw_sim_take_over(c.sim[1], c.sim[0], &bad, 1, NULL), LW_ERR_ARGUMENT);
    bad = (lw_incoming){"payload", {{0, 0, 0}, {0, (double)NAN, 0}}};
    CHECK_INT(lw_sim_take_over(c.sim[1], c.sim[0], &bad, 1, NULL), LW_ERR_NUMBER);
    CHECK(lw_sim_time(c.sim[1]) == 0.0);
    end(&c);
}

int main(void)
{
    RUN(D42_one_joint_catches_a_part_at_rest);
    RUN(D42_one_joint_catches_a_part_that_moves);
    RUN(D42_a_part_that_moves_along_is_caught_without_loss);
    RUN(D42_letting_go_changes_no_velocity);
    RUN(D42_two_joints_catch_a_point_mass_at_rest);
    RUN(D42_a_floating_arm_conserves_momentum_when_it_catches);
    RUN(D42_a_closed_mechanism_catches_a_part);
    RUN(D42_taking_over_refuses_nonsense);
    return REPORT();
}
