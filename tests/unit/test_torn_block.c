// Blocks of legs: six unknowns of a hexapod, the passive joints leg by leg.
#include "check.h"
#include "load_text.h"
#include "objects.h"

#include <linkwork/dynamics.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

/// How the six legs of a hexapod with rotary arms are described.
typedef enum leg_kind { RODS, UNIVERSAL, OBLIQUE, BALLS } leg_kind;

// A hexapod: six cranks in pairs, links of 0.5 m from each to the platform. The links are rods; or
// bodies on universal joints with a ball at the other end, whose axes are square or not; or rods at
// a platform that a ball joint carries, three of them.
static lw_model *hexapod(leg_kind kind)
{
    char text[16384];
    const int nleg = kind == BALLS ? 3 : 6;
    size_t n = (size_t)snprintf(text, sizeof text,
                                "<linkwork version='1' name='hexapod'><ground><frame name='top' "
                                "xyz='0 0 0.4'/>");
    for (int i = 0; i < nleg; ++i) {
        const double a = nleg == 3 ? 2.1 * i : 2.0943951023931953 * (i / 2) + (i % 2 ? 0.3 : -0.3);
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "<frame name='s%d' xyz='%.17g %.17g 0' rpy='0 0 %.17g'/>", i,
                              0.3 * cos(a), 0.3 * sin(a), a);
    }
    n += (size_t)snprintf(
        text + n, sizeof text - n,
        "</ground><joint name='platform' type='%s' from='ground%s' to='platform' "
        "dependent='true'>%s</joint><link name='platform' mass='2' inertia='0.02 0.02 0.03'>",
        kind == BALLS ? "spherical" : "free", kind == BALLS ? ".top" : "",
        kind == BALLS ? "" : "<dof name='vz' reference='0.4'/>");
    for (int i = 0; i < nleg; ++i) {
        const double a = nleg == 3 ? 2.1 * i : 2.0943951023931953 * (i / 2) + (i % 2 ? 0.8 : -0.8);
        n += (size_t)snprintf(text + n, sizeof text - n, "<frame name='p%d' xyz='%.17g %.17g %g'/>",
                              i, 0.2 * cos(a), 0.2 * sin(a), nleg == 3 ? 0.05 * i : 0.0);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "</link>");
    for (int i = 0; i < nleg; ++i) {
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "<joint name='c%d' type='revolute' axis='0 1 0' from='ground.s%d' "
                              "to='crank%d' max_force='10'/><link name='crank%d' mass='0.3' "
                              "center='0.05 0 0' inertia='1e-3 1e-3 1e-3'>"
                              "<frame name='end' xyz='0.1 0 0'/></link>",
                              i, i, i, i);
        if (kind == RODS || kind == BALLS) {
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "<rod name='leg%d' from='crank%d.end' to='platform.p%d' "
                                  "length='0.5'/>",
                                  i, i, i);
        } else {
            n += (size_t)snprintf(
                text + n, sizeof text - n,
                "<joint name='u%d' type='universal' axis='1 0 0' axis2='%s' from='crank%d.end' "
                "to='link%d' dependent='true'/><link name='link%d' mass='0.2' "
                "center='0 0 0.25' inertia='4e-3 4e-3 1e-5'><frame name='end' "
                "xyz='0.3 0 0.4'/></link><joint name='leg%d' type='spherical' closing='true' "
                "from='link%d.end' to='platform.p%d'/>",
                i, kind == OBLIQUE ? "0.3 1 0.1" : "0 1 0", i, i, i, i, i, i);
        }
    }
    snprintf(text + n, sizeof text - n, "</linkwork>");
    return compile_text("hexapod.xml", text, NULL);
}

static void draw(const lw_model *m, double reach, double *q)
{
    for (int i = 0; i < m->nv; ++i) {
        q[i] = m->q_reference[i] + check_random(-reach, reach);
    }
}

// Loops close; velocities and accelerations of all joints of the tree are the differences of their
// positions and velocities along the motion.
static void check_motion(const char *name, lw_model *m, int nunknown, double reach)
{
    lw_data *d = m ? new_data(m) : NULL;
    const double h = 1e-5;
    int closed = 0;
    double worst = 0.0;
    check_case("%s", name);
    if (!CHECK(d) || !CHECK_INT(m->step[0].nunknown, nunknown)) {
        return;
    }
    for (int n = 0; n < 200; ++n) {
        double q[MOST], v[MOST], a[MOST], p[MOST], w[MOST], gap;
        double tq[3][MOST], tv[3][MOST], ta[MOST];
        draw(m, reach, q);
        if (lw_loop_gap(m, d, q, &gap) != LW_OK) {
            continue;
        }
        worst = fmax(worst, gap);
        ++closed;
        for (int i = 0; i < m->nv; ++i) {
            v[i] = check_random(-1.0, 1.0);
            a[i] = check_random(-1.0, 1.0);
        }
        CHECK_INT(lw_tree_state(m, d, q, v, a, tq[1], tv[1], ta), LW_OK);
        for (int k = 0; k < 3; k += 2) {
            const double t = (k - 1) * h;
            for (int i = 0; i < m->nv; ++i) {
                p[i] = q[i] + t * v[i] + 0.5 * t * t * a[i];
                w[i] = v[i] + t * a[i];
            }
            CHECK_INT(lw_tree_state(m, d, p, w, NULL, tq[k], tv[k], NULL), LW_OK);
        }
        for (int i = 0; i < m->nbody; ++i) {
            for (int k = 0; k < m->v_start[i + 1] - m->v_start[i]; ++k) {
                const int at = m->v_start[i] + k, from = m->q_start[i] + k;
                const double size = 1.0 + fabs(tv[1][at]) + fabs(ta[at]);
                CHECK_NEAR((tv[2][at] - tv[0][at]) / (2.0 * h), ta[at], 1e-6 * size * size);
                if (m->v_start[i + 1] - m->v_start[i] == 1) {
                    CHECK_NEAR((tq[2][from] - tq[0][from]) / (2.0 * h), tv[1][at],
                               1e-6 * size * size);
                }
            }
        }
    }
    CHECK(closed > 150);
    CHECK_NEAR(worst, 0.0, 2e-14);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(D24_D26_R17_legs_of_any_kind_close_and_move_as_their_rates_say)
{
    check_motion("rods", hexapod(RODS), 6, 0.3);
    check_motion("universal", hexapod(UNIVERSAL), 6, 0.3);
    check_motion("oblique", hexapod(OBLIQUE), 6, 0.3);
    check_motion("balls", hexapod(BALLS), 3, 0.2);
    check_motion("stewart", shipped_model("closed/stewart.xml"), 6, 0.06);
}

// The platform does not know how its legs are made.
TEST(R17_rods_and_bodies_of_the_same_length_carry_the_platform_alike)
{
    lw_model *m[3] = {hexapod(RODS), hexapod(UNIVERSAL), hexapod(OBLIQUE)};
    lw_data *d[3] = {NULL, NULL, NULL};
    for (int k = 0; k < 3 && m[k]; ++k) {
        d[k] = new_data(m[k]);
    }
    for (int n = 0; n < 200 && d[0] && d[1] && d[2]; ++n) {
        double q[MOST];
        lw_pose X[3];
        draw(m[0], 0.3, q);
        for (int k = 0; k < 3; ++k) {
            const int frame = lw_find_frame(m[k], "platform.p0");
            CHECK_INT(lw_pose_of_frame(m[k], d[k], q, frame, &X[k]), LW_OK);
            CHECK_NEAR(lw_norm3(lw_sub3(X[k].p, X[0].p)), 0.0, 1e-12);
        }
    }
    for (int k = 0; k < 3; ++k) {
        lw_data_destroy(d[k]);
        lw_model_destroy(m[k]);
    }
}

// The forces of the reduced system do the work that the legs do (paper 004): power of the drives is
// the rate of the kinetic energy where gravity is off.
TEST(R27_forces_through_torn_legs_balance_power)
{
    for (int kind = UNIVERSAL; kind <= OBLIQUE; ++kind) {
        lw_model *m = hexapod((leg_kind)kind);
        lw_data *d = m ? new_data(m) : NULL;
        lw_dynamics_options options = lw_default_dynamics_options(m);
        options.gravity = lw_vec3_of(0.0, 0.0, 0.0);
        CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
        for (int n = 0; n < 20 && d; ++n) {
            double q[MOST], v[MOST], a[MOST], tau[MOST], p[MOST], w[MOST], energy[2];
            const double h = 1e-5;
            double power = 0.0;
            draw(m, 0.2, q);
            for (int i = 0; i < m->nv; ++i) {
                v[i] = check_random(-1.0, 1.0);
                a[i] = check_random(-1.0, 1.0);
            }
            CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, NULL, tau), LW_OK);
            for (int k = 0; k < 2; ++k) {
                const double t = k ? h : -h;
                for (int i = 0; i < m->nv; ++i) {
                    p[i] = q[i] + t * v[i] + 0.5 * t * t * a[i];
                    w[i] = v[i] + t * a[i];
                }
                CHECK_INT(lw_kinetic_energy(m, d, p, w, &energy[k]), LW_OK);
            }
            for (int i = 0; i < m->nv; ++i) {
                power += tau[i] * v[i];
            }
            CHECK_NEAR(power, (energy[1] - energy[0]) / (2.0 * h), 1e-7 * (1.0 + fabs(power)));
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// The leg that is too long or too short for the others is named, with the length that it has to
// give way by: what is beyond the last length with which the platform closes, found by bisection.
TEST(D22_R20_the_leg_that_cannot_reach_is_named_and_by_how_much)
{
    lw_model *m = shipped_model("closed/stewart.xml");
    int open = 0;
    for (int k = 0; k < 12 && CHECK(m); ++k) {
        const int leg = k / 2;
        const double sign = k % 2 ? 1.0 : -1.0;
        double q[MOST], low = 0.0, high = k % 2 ? 0.8 : 0.6;
        memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
        for (int n = 0; n < 30; ++n) {
            const double middle = 0.5 * (low + high);
            q[leg] = m->q_reference[leg] + sign * middle;
            lw_data *fresh = new_data(m); // a path from the reference
            *(lw_forward_position(m, fresh, q) == LW_OK ? &low : &high) = middle;
            lw_data_destroy(fresh);
        }
        check_case("leg %d, %s", leg + 1, k % 2 ? "longer" : "shorter");
        q[leg] = m->q_reference[leg] + sign * (low + 0.05);
        lw_data *d = new_data(m);
        const lw_status status = lw_forward_position(m, d, q);
        const lw_failure failure = lw_data_failure(d, status);
        CHECK(status == LW_ERR_LOOP_OPEN || status == LW_ERR_SINGULAR);
        if (status == LW_ERR_LOOP_OPEN) { // else it closes beyond, on another branch
            char name[16];
            ++open;
            snprintf(name, sizeof name, "ball%d", leg + 1);
            CHECK_TEXT(m->loop[failure.loop].name, name);
            CHECK_NEAR(failure.gap, 0.05, 0.002);
        }
        lw_data_destroy(d);
    }
    CHECK(open >= 6);
    lw_model_destroy(m);
}

// Where one leg is too long for the others the gap grows with the leg.
TEST(D22_R20_a_leg_that_cannot_reach_is_named_with_its_gap)
{
    lw_model *m = shipped_model("closed/stewart.xml");
    lw_data *d = m ? new_data(m) : NULL;
    double before = 0.0;
    for (int k = 0; k < 3 && CHECK(d); ++k) {
        double q[MOST];
        memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
        q[2] += 1.5 + 0.2 * k;
        CHECK_INT(lw_forward_position(m, d, q), LW_ERR_LOOP_OPEN);
        const lw_failure failure = lw_data_failure(d, LW_ERR_LOOP_OPEN);
        CHECK(failure.loop >= 0);
        CHECK(failure.gap > before && failure.gap < 2.0);
        CHECK(failure.followed < 1.0);
        before = failure.gap;
        // Afterwards it goes on from where it was closed.
        CHECK_INT(lw_forward_position(m, d, m->q_reference), LW_OK);
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Strides and small steps lead to the same passive joints, whole turns and all.
TEST(D21_passive_joints_keep_their_branch)
{
    lw_model *m = hexapod(OBLIQUE);
    lw_data *d = m ? new_data(m) : NULL, *e = m ? new_data(m) : NULL;
    double q[MOST], to[MOST], at[MOST], x[MOST], y[MOST];
    for (int n = 0; n < 30 && CHECK(d && e); ++n) {
        memcpy(q, n > 0 ? to : m->q_reference, sizeof q);
        draw(m, 0.3, to);
        CHECK_INT(lw_tree_state(m, d, to, NULL, NULL, x, NULL, NULL), LW_OK);
        for (int k = 1; k <= 50; ++k) {
            for (int i = 0; i < m->nv; ++i) {
                at[i] = k < 50 ? q[i] + (to[i] - q[i]) * k / 50.0 : to[i];
            }
            CHECK_INT(lw_tree_state(m, e, at, NULL, NULL, y, NULL, NULL), LW_OK);
        }
        for (int i = 0; i < m->tree_nq; ++i) {
            CHECK_NEAR(x[i], y[i], 1e-11);
        }
    }
    lw_data_destroy(d);
    lw_data_destroy(e);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(D24_D26_R17_legs_of_any_kind_close_and_move_as_their_rates_say);
    RUN(R17_rods_and_bodies_of_the_same_length_carry_the_platform_alike);
    RUN(R27_forces_through_torn_legs_balance_power);
    RUN(D22_R20_the_leg_that_cannot_reach_is_named_and_by_how_much);
    RUN(D22_R20_a_leg_that_cannot_reach_is_named_with_its_gap);
    RUN(D21_passive_joints_keep_their_branch);
    return REPORT();
}
