// Rotations in their forms and back, everywhere and where the formulas are delicate; inertias in
// other frames.
#include "check.h"
#include "random_mech.h"

#include <linkwork/math.h>
#include <linkwork/mech.h>

static const double PI = 3.14159265358979323846;

static double difference(const lw_mat3 *A, const lw_mat3 *B)
{
    double worst = 0;
    for (int i = 0; i < 3; ++i) {
        const lw_vec3 d = lw_sub3(A->row[i], B->row[i]);
        worst = fmax(worst, fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z))));
    }
    return worst;
}

// How far R is from a rotation.
static double defect(const lw_mat3 *R)
{
    const lw_mat3 T = lw_transpose3(R), one = lw_mat3_identity();
    const lw_mat3 E = lw_mul3(R, &T);
    const double det = lw_dot3(R->row[0], lw_cross3(R->row[1], R->row[2]));
    return fmax(difference(&E, &one), fabs(det - 1));
}

// Roll, pitch and yaw give the rotation back even where each alone is uncertain.
TEST(C38_roll_pitch_yaw_and_back)
{
    static const double from_pole[] = {1, 1e-3, 1e-6, 1e-9, 1e-11, 3e-12, 1e-12, 3e-13, 1e-14, 0};
    for (int k = 0; k < 2000; ++k) {
        const double pitch = PI / 2 - from_pole[k % 10];
        const lw_mat3 R =
            lw_rotation_rpy(check_random(-PI, PI), k % 3 ? pitch : -pitch, check_random(-PI, PI));
        const lw_vec3 rpy = lw_rpy_of(&R);
        const lw_mat3 back = lw_rotation_rpy(rpy.x, rpy.y, rpy.z);
        CHECK_NEAR(difference(&R, &back), 0, 3e-12); // where roll is set to zero, that much is lost
        if (from_pole[k % 10] > 2e-12) {
            CHECK_NEAR(difference(&R, &back), 0, 1e-15);
        }
        CHECK(fabs(rpy.y) <= PI / 2);
    }
}

TEST(R15_rotation_vectors_and_back)
{
    static const double angle[] = {0, 1e-300, 1e-160, 1e-9, 1e-8, 1e-4, 0.5, 3, 3.1415926, 1e-7};
    for (int k = 0; k < 1000; ++k) {
        const lw_vec3 w = lw_scale3(angle[k % 10], random_unit());
        const lw_mat3 R = lw_exp3(w);
        const lw_vec3 back = lw_log3(&R);
        CHECK_NEAR(defect(&R), 0, 3e-15); // the axis is rounded, and counts twice
        // Half a turn away the sign of the axis is lost in the last bits.
        CHECK_NEAR(lw_norm3(lw_sub3(back, w)), 0, 1e-15 + 4e-16 * angle[k % 10]);
    }
    for (int k = 0; k < 100; ++k) { // exactly half a turn: either way round
        const lw_vec3 axis = random_unit();
        const lw_mat3 R = lw_rotation(axis, PI);
        const lw_vec3 back = lw_log3(&R);
        CHECK_NEAR(lw_norm3(back), PI, 1e-15);
        CHECK_NEAR(fabs(lw_dot3(back, axis)), PI, 1e-14);
    }
}

TEST(R15_quaternions_and_back)
{
    for (int k = 0; k < 1000; ++k) {
        const lw_mat3 R = random_rotation();
        const lw_quat q = lw_quat_of(&R);
        CHECK(q.w >= 0);
        CHECK_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 5e-16);
        static const double scale[] = {1, -2, 1e-160, 1e160, 1e300};
        const double s = scale[k % 5];
        const lw_mat3 back = lw_rotation_quat((lw_quat){s * q.w, s * q.x, s * q.y, s * q.z});
        CHECK_NEAR(difference(&R, &back), 0, 2e-15);
    }
    const double half[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int k = 0; k < 4; ++k) { // each of the four branches at its centre
        const lw_mat3 R =
            lw_rotation_quat((lw_quat){half[k][0], half[k][1], half[k][2], half[k][3]});
        const lw_quat q = lw_quat_of(&R);
        CHECK_NEAR(q.w * half[k][0] + q.x * half[k][1] + q.y * half[k][2] + q.z * half[k][3], 1, 0);
    }
}

TEST(C41_frames_are_turned_so_that_z_is_the_axis)
{
    for (int k = 0; k < 500; ++k) {
        const double e = k % 5 ? 0.0 : 1e-9;
        const lw_vec3 plain[] = {{1, e, 0},  {-1, 0, e}, {e, 1, 0},
                                 {0, -1, e}, {0, e, 1},  {e, 0, -1}};
        const lw_vec3 z = k < 200 ? lw_unit3(plain[k % 6]) : random_unit();
        const lw_mat3 R = lw_rotation_to_z(z);
        CHECK_NEAR(defect(&R), 0, 1e-15);
        CHECK(R.row[0].z == z.x && R.row[1].z == z.y && R.row[2].z == z.z);
    }
    const lw_mat3 one = lw_mat3_identity(), R = lw_rotation_to_z(lw_vec3_of(0, 0, 1));
    CHECK(difference(&R, &one) == 0);
}

// All forms of a placement of one pose are that pose.
TEST(C38_placements_in_every_form)
{
    for (int k = 0; k < 200; ++k) {
        const lw_pose X = random_pose();
        const lw_quat q = lw_quat_of(&X.R);
        const lw_placement form[] = {lw_placement_of_pose(&X), lw_placement_quat(X.p, q),
                                     lw_placement_rpy(X.p, lw_rpy_of(&X.R))};
        for (int i = 0; i < 3; ++i) {
            const lw_pose Y = lw_placement_pose(&form[i]);
            CHECK_NEAR(difference(&X.R, &Y.R), 0, 2e-15);
            CHECK_NEAR(lw_norm3(lw_sub3(X.p, Y.p)), 0, 0);
        }
        // Rx(alpha) Tx(a) Rz(theta) Tz(d), one after the other.
        const double alpha = check_random(-3, 3), a = check_random(-1, 1);
        const double theta = check_random(-3, 3), d = check_random(-1, 1);
        const lw_pose rx = {lw_rotation(lw_vec3_of(1, 0, 0), alpha), {0, 0, 0}};
        const lw_pose tx = {lw_mat3_identity(), {a, 0, 0}};
        const lw_pose rz = {lw_rotation(lw_vec3_of(0, 0, 1), theta), {0, 0, 0}};
        const lw_pose tz = {lw_mat3_identity(), {0, 0, d}};
        const lw_pose left = lw_pose_mul(&rx, &tx), right = lw_pose_mul(&rz, &tz);
        const lw_pose want = lw_pose_mul(&left, &right);
        const lw_placement dh = lw_placement_dh(alpha, a, theta, d);
        const lw_pose got = lw_placement_pose(&dh);
        CHECK_NEAR(difference(&got.R, &want.R), 0, 5e-16);
        CHECK_NEAR(lw_norm3(lw_sub3(got.p, want.p)), 0, 3e-16);
    }
    const lw_placement none = lw_placement_identity();
    const lw_pose X = lw_placement_pose(&none), one = lw_pose_identity();
    CHECK(difference(&X.R, &one.R) == 0);
}

// Moving there and back, and in one step or two, is the same.
TEST(D02_inertias_in_other_frames)
{
    for (int k = 0; k < 200; ++k) {
        const lw_sym3 tensor = {0.3, 0.4, 0.5, 0.05, -0.02, 0.03};
        const lw_inertia own = lw_inertia_of(2, lw_vec3_of(0.1, -0.2, 0.3), tensor);
        const lw_pose X_AB = random_pose(), X_BC = random_pose();
        const lw_pose X_AC = lw_pose_mul(&X_AB, &X_BC), back = lw_pose_inverse(&X_AB);
        const lw_inertia in_B = lw_inertia_move(&X_BC, &own);
        const lw_inertia in_A = lw_inertia_move(&X_AB, &in_B);
        const lw_inertia direct = lw_inertia_move(&X_AC, &own);
        const lw_inertia again = lw_inertia_move(&back, &in_A);
        CHECK_NEAR(in_A.tensor.xx, direct.tensor.xx, 1e-14);
        CHECK_NEAR(in_A.tensor.yz, direct.tensor.yz, 1e-14);
        CHECK_NEAR(in_A.first_moment.y, direct.first_moment.y, 5e-15);
        CHECK_NEAR(again.tensor.zz, in_B.tensor.zz, 1e-14);
        CHECK_NEAR(again.tensor.xy, in_B.tensor.xy, 1e-14);
        CHECK_NEAR(again.first_moment.x, in_B.first_moment.x, 5e-15);
        // The tensor about the centre of mass keeps its trace wherever it is seen from.
        const lw_vec3 c = lw_scale3(1 / in_A.mass, in_A.first_moment);
        const double trace = in_A.tensor.xx + in_A.tensor.yy + in_A.tensor.zz;
        CHECK_NEAR(trace - 2 * in_A.mass * lw_dot3(c, c), 1.2, 1e-14);
    }
}

int main(void)
{
    RUN(C38_roll_pitch_yaw_and_back);
    RUN(R15_rotation_vectors_and_back);
    RUN(R15_quaternions_and_back);
    RUN(C41_frames_are_turned_so_that_z_is_the_axis);
    RUN(C38_placements_in_every_form);
    RUN(D02_inertias_in_other_frames);
    return REPORT();
}
