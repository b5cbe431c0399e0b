// The hand-written yardsticks of bench/ must be right, or their times mean nothing. Each is a
// derivation of its own, and neither uses the library.
#include "../../bench/opw.h"
#include "../../bench/uicker_kahn.h"
#include "../../bench/yardstick.h"

#include "check.h"
#include "reference.h"

#include <math.h>
#include <string.h>

/// A random arm: turned and shifted frames, and inertias of rods and plates that could exist.
static hand_arm random_arm(void)
{
    hand_arm arm = {.joints = HAND_JOINTS};
    for (int i = 0; i < HAND_JOINTS; ++i) {
        hand_link *link = &arm.link[i];
        const double roll = check_random(-3, 3), pitch = check_random(-1.5, 1.5);
        const lw_mat3 R = lw_rotation_rpy(roll, pitch, check_random(-3, 3));
        for (int row = 0; row < 3; ++row) {
            link->R[3 * row] = R.row[row].x;
            link->R[3 * row + 1] = R.row[row].y;
            link->R[3 * row + 2] = R.row[row].z;
            link->p[row] = check_random(-1, 1);
            link->center[row] = check_random(-0.5, 0.5);
            link->I[row] = check_random(1, 1.5);
            link->I[3 + row] = check_random(-0.2, 0.2);
        }
        link->mass = check_random(0.5, 5);
    }
    for (int k = 0; k < 3; ++k) {
        arm.gravity[k] = check_random(-9, 9);
    }
    return arm;
}

TEST(V01_hand_written_newton_euler_and_uicker_kahn_agree)
{
    for (int n = 0; n < 100; ++n) {
        const hand_arm arm = random_arm();
        double q[HAND_JOINTS], v[HAND_JOINTS], a[HAND_JOINTS];
        double newton[HAND_JOINTS], lagrange[HAND_JOINTS];
        for (int i = 0; i < HAND_JOINTS; ++i) {
            q[i] = check_random(-4, 4);
            v[i] = check_random(-2, 2);
            a[i] = check_random(-5, 5);
        }
        hand_rnea(&arm, q, v, a, newton);
        uicker_kahn(&arm, q, v, a, lagrange);
        for (int i = 0; i < HAND_JOINTS; ++i) {
            // Torques are up to some 1e3 N m: 1e-12 of that, for two algorithms without a
            // subtraction in common.
            CHECK_NEAR(newton[i], lagrange[i], 1e-12 * (100.0 + fabs(newton[i])));
        }
    }
}

// With an empty last link, or a first link that rests at zero, an arm of seven joints is one of
// six.
TEST(seven_joints_have_the_torques_of_six)
{
    for (int n = 0; n < 100; ++n) {
        const hand_arm six = random_arm();
        const bool is_first = n % 2 == 0;
        hand_arm seven = {.joints = HAND_MOST_JOINTS};
        double q[HAND_MOST_JOINTS] = {0}, v[HAND_MOST_JOINTS] = {0}, a[HAND_MOST_JOINTS] = {0};
        double want[HAND_JOINTS], got[HAND_MOST_JOINTS];
        for (int i = 0; i < HAND_JOINTS; ++i) {
            seven.link[i + is_first] = six.link[i];
            q[i + is_first] = check_random(-4, 4);
            v[i + is_first] = check_random(-2, 2);
            a[i + is_first] = check_random(-5, 5);
        }
        hand_link *added = &seven.link[is_first ? 0 : HAND_JOINTS];
        *added = six.link[3];
        if (is_first) {
            *added = (hand_link){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .mass = 1};
        } else {
            added->mass = 0;
            memset(added->I, 0, sizeof added->I);
            q[HAND_JOINTS] = v[HAND_JOINTS] = a[HAND_JOINTS] = 1;
        }
        memcpy(seven.gravity, six.gravity, sizeof six.gravity);
        hand_rnea(&six, q + is_first, v + is_first, a + is_first, want);
        hand_rnea_seven(&seven, q, v, a, got);
        for (int i = 0; i < HAND_JOINTS; ++i) {
            // The same operations, but for those with zeros and ones.
            CHECK_NEAR(got[i + is_first], want[i], 1e-13 * (100.0 + fabs(want[i])));
        }
    }
}

TEST(D45_yardsticks_give_the_torques_of_independent_programs)
{
    lw_model *m = shared_model("models/urdf/ur5.urdf", false);
    json_t *file = m ? reference_read("vectors/ur5.urdf.json") : NULL;
    hand_arm arm = {0};
    if (file && CHECK(hand_arm_of(m, &arm)) && CHECK(reference_count(file) > 0)) {
        for (int n = 0; n < reference_count(file); ++n) {
            reference_state state;
            check_case("state %d", n);
            if (!reference_state_read(file, n, m, &state)) {
                continue;
            }
            double newton[HAND_JOINTS], lagrange[HAND_JOINTS];
            hand_rnea(&arm, state.q, state.v, state.a, newton);
            uicker_kahn(&arm, state.q, state.v, state.a, lagrange);
            for (int i = 0; i < HAND_JOINTS; ++i) {
                // The peers agree among themselves to 1e-14 at torques of up to 60 N m.
                CHECK_NEAR(newton[i], state.tau[i], 1e-12 * 60);
                CHECK_NEAR(lagrange[i], state.tau[i], 1e-12 * 60);
            }
            reference_free(&state);
        }
    }
    json_decref(file);
    lw_model_destroy(m);
}

// --- Inverse kinematics of an ortho-parallel arm ------------------------------------------------

static lw_pose rotated(const lw_pose *X, lw_vec3 offset, lw_vec3 axis, double angle)
{
    lw_pose step = {.R = lw_exp3(lw_scale3(angle, axis)), .p = offset};
    return lw_pose_mul(X, &step);
}

static lw_pose opw_pose(const opw_arm *arm, const double q[6])
{
    const lw_vec3 y = {0, 1, 0}, z = {0, 0, 1};
    lw_pose X = lw_pose_identity();
    X = rotated(&X, lw_vec3_of(0, 0, 0), z, q[0]);
    X = rotated(&X, lw_vec3_of(arm->a1, arm->b, arm->c1), y, q[1]);
    X = rotated(&X, lw_vec3_of(0, 0, arm->c2), y, q[2]);
    X = rotated(&X, lw_vec3_of(arm->a2, 0, arm->c3), z, q[3]);
    X = rotated(&X, lw_vec3_of(0, 0, 0), y, q[4]);
    X = rotated(&X, lw_vec3_of(0, 0, 0), z, q[5]);
    X.p = lw_pose_apply(&X, lw_vec3_of(0, 0, arm->c4));
    return X;
}

TEST(every_solution_of_the_ortho_parallel_formula_reaches_the_pose)
{
    const opw_arm arm = {0.1, -0.135, 0.02, 0.615, 0.705, 0.755, 0.085};
    int exact = 0;
    for (int i = 0; i < 1000; ++i) {
        double wanted[6], q[8][6];
        for (int k = 0; k < 6; ++k) {
            wanted[k] = check_random(-3, 3);
        }
        const lw_pose X = opw_pose(&arm, wanted);
        double R[9];
        memcpy(R, X.R.row, sizeof R);
        opw_solve(&arm, R, (const double[3]){X.p.x, X.p.y, X.p.z}, q);
        bool is_found = false;
        for (int k = 0; k < 8; ++k) {
            const lw_pose Y = opw_pose(&arm, q[k]);
            if (isnan(q[k][0] + q[k][1] + q[k][2])) {
                continue;
            }
            CHECK_NEAR(lw_norm3(lw_sub3(Y.p, X.p)), 0, 1e-9);
            double off = 0;
            for (int j = 0; j < 6; ++j) {
                off = fmax(off, fabs(sin(0.5 * (q[k][j] - wanted[j]))));
            }
            is_found = is_found || off < 1e-6;
            ++exact;
        }
        CHECK(is_found);
    }
    CHECK(exact > 4000);
}

int main(void)
{
    RUN(V01_hand_written_newton_euler_and_uicker_kahn_agree);
    RUN(seven_joints_have_the_torques_of_six);
    RUN(D45_yardsticks_give_the_torques_of_independent_programs);
    RUN(every_solution_of_the_ortho_parallel_formula_reaches_the_pose);
    return REPORT();
}
