// What kinematics.h promises besides the numbers: stages, refusals that leave outputs alone, work
// on the ancestors only; and moving along velocities and back.
#include "check.h"
#include "load_text.h"
#include "model/data.h"
#include "model/kernel.h"
#include "objects.h"
#include "random_mech.h"

#include <linkwork/kinematics.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200 };

static lw_model *free_and_coupled(lw_data **d)
{
    random_mech_options options = random_mech_default();
    options.njoint = 10;
    for (unsigned long long seed = 1;; ++seed) {
        lw_model *m = random_model(seed, &options);
        if (m->kernel->nquat >= 2 && m->nstep >= 1 && m->nbody >= 10) {
            *d = new_data(m);
            return m;
        }
        lw_model_destroy(m);
    }
}

static bool is_ancestor(const lw_model *m, int i, int body)
{
    while (body > i) {
        body = m->parent[body];
    }
    return body == i;
}

// Poses of other bodies are filled with a pattern, and it must still be there.
TEST(D33_partial_evaluation_touches_the_ancestors_only)
{
    random_mech_options options = random_mech_default();
    options.njoint = 14;
    options.chain = 0.4;
    for (unsigned long long seed = 1; seed <= 30; ++seed) {
        lw_model *m = random_model(seed, &options);
        lw_data *d = new_data(m);
        double q[MOST], J[6 * MOST];
        random_state(m, q, NULL, NULL);
        check_case("random machine %d", (int)seed);
        for (int frame = 0; frame < m->nframe_all; ++frame) {
            lw_pose full, part, poison;
            memset(&poison, 0xa5, sizeof poison);
            CHECK_INT(lw_forward_position(m, d, q), LW_OK);
            CHECK_INT(lw_frame_pose(m, d, frame, &full), LW_OK);
            const bool by_jacobian = frame % 2;
            for (int i = 0; i < m->nbody; ++i) {
                d->X_WB[i] = poison;
            }
            CHECK_INT(lw_pose_of_frame(m, d, q, frame, &part), LW_OK);
            CHECK(memcmp(&full, &part, sizeof full) == 0); // the same value to the last bit
            CHECK_INT(lw_data_stage(d), LW_STAGE_NONE);
            if (by_jacobian) {
                for (int i = 0; i < m->nbody; ++i) {
                    d->X_WB[i] = poison;
                }
                CHECK_INT(lw_frame_jacobian(m, d, q, frame, LW_IN_WORLD, NULL, J), LW_OK);
            }
            for (int i = 0; i < m->nbody; ++i) {
                const bool is_touched = memcmp(&d->X_WB[i], &poison, sizeof poison) != 0;
                CHECK_INT(is_touched, is_ancestor(m, i, m->frame[frame].body));
            }
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

TEST(D51_stages_are_checked)
{
    lw_data *d;
    lw_model *m = free_and_coupled(&d);
    double q[MOST], v[MOST], a[MOST];
    random_state(m, q, v, a);
    lw_pose X, *all = calloc((size_t)m->nframe, sizeof *all);
    lw_motion motion;
    CHECK_INT(lw_frame_pose(m, d, 0, &X), LW_ERR_STAGE);
    CHECK_INT(lw_frame_poses(m, d, all), LW_ERR_STAGE);
    CHECK_INT(lw_relative_pose(m, d, 0, 1, &X), LW_ERR_STAGE);
    CHECK_INT(lw_frame_velocity(m, d, 0, LW_IN_WORLD, &motion), LW_ERR_STAGE);
    CHECK_INT(lw_forward_position(m, d, q), LW_OK);
    CHECK_INT(lw_frame_poses(m, d, all), LW_OK);
    CHECK_INT(lw_frame_velocity(m, d, 0, LW_IN_WORLD, &motion), LW_ERR_STAGE);
    CHECK_INT(lw_forward_velocity(m, d, q, v), LW_OK);
    CHECK_INT(lw_frame_velocity(m, d, 0, LW_IN_WORLD, &motion), LW_OK);
    CHECK_INT(lw_frame_acceleration(m, d, 0, LW_IN_WORLD, &motion), LW_ERR_STAGE);
    CHECK_INT(lw_forward_acceleration(m, d, q, v, a), LW_OK);
    CHECK_INT(lw_frame_acceleration(m, d, 0, LW_IN_WORLD, &motion), LW_OK);
    CHECK_INT(lw_frame_velocity(m, d, 0, LW_IN_WORLD, &motion), LW_OK);
    CHECK_INT(lw_pose_of_frame(m, d, q, 0, &X), LW_OK); // spoils what was there
    CHECK_INT(lw_frame_pose(m, d, 0, &X), LW_ERR_STAGE);
    free(all);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Every function that takes numbers, with all its outputs in one block.
typedef struct outputs {
    lw_pose X;
    lw_motion rate;
    lw_vec3 center;
    double J[6 * MOST], q[MOST], v[MOST];
} outputs;

static void call_all(const lw_model *m, lw_data *d, const double *q, const double *v,
                     const double *a, lw_status want, outputs *out)
{
    const int frame = m->nframe - 1;
    CHECK_INT(lw_forward_acceleration(m, d, q, v, a), want);
    if (want != LW_OK) {
        CHECK_INT(lw_data_stage(d), LW_STAGE_NONE);
    }
    if (a[0] == 0) {
        CHECK_INT(lw_forward_velocity(m, d, q, v), want);
        CHECK_INT(lw_frame_jacobian_rate_times_v(m, d, q, v, frame, LW_IN_WORLD, NULL, &out->rate),
                  want);
        CHECK_INT(lw_integrate(m, q, v, 0.1, out->q), want);
        CHECK_INT(lw_position_rate(m, q, v, out->q), want);
    }
    if (a[0] == 0 && v[0] == 0) {
        CHECK_INT(lw_forward_position(m, d, q), want);
        CHECK_INT(lw_pose_of_frame(m, d, q, frame, &out->X), want);
        CHECK_INT(lw_frame_jacobian(m, d, q, frame, LW_IN_WORLD, NULL, out->J), want);
        CHECK_INT(lw_center_of_mass(m, d, q, &out->center, out->J), want);
        CHECK_INT(lw_difference(m, q, m->q_reference, out->v), want);
        CHECK_INT(lw_difference(m, m->q_reference, q, out->v), want);
    }
}

TEST(D51_numbers_that_are_none_are_refused_and_outputs_left_alone)
{
    lw_data *d;
    lw_model *m = free_and_coupled(&d);
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    double q[MOST] = {0}, v[MOST] = {0}, a[MOST] = {0};
    outputs *out = malloc(sizeof *out), *pattern = malloc(sizeof *pattern);
    memset(out, 0x3c, sizeof *out);
    memset(pattern, 0x3c, sizeof *pattern);
    memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < m->nq; ++i) {
            q[i] = bad[k];
            call_all(m, d, q, v, a, LW_ERR_NUMBER, out);
            q[i] = m->q_reference[i];
        }
        v[0] = bad[k];
        call_all(m, d, q, v, a, LW_ERR_NUMBER, out);
        v[0] = 1; // the other functions are left out of what follows
        a[m->nv - 1] = bad[k];
        a[0] = m->nv > 1 ? 1 : bad[k];
        call_all(m, d, q, v, a, LW_ERR_NUMBER, out);
        v[0] = a[0] = a[m->nv - 1] = 0;
        CHECK_INT(lw_integrate(m, q, v, bad[k], out->q), LW_ERR_NUMBER);
        const lw_vec3 point = {0, bad[k], 0};
        CHECK_INT(lw_frame_jacobian(m, d, q, 0, LW_IN_WORLD, &point, out->J), LW_ERR_NUMBER);
        CHECK_INT(lw_frame_jacobian_rate_times_v(m, d, q, v, 0, LW_IN_WORLD, &point, &out->rate),
                  LW_ERR_NUMBER);
    }
    for (int k = 0; k < m->kernel->nquat; ++k) { // a quaternion of no length, or of far too much
        double *quat = &q[m->kernel->quat[k].q];
        const double kept[4] = {quat[0], quat[1], quat[2], quat[3]};
        quat[0] = quat[1] = quat[2] = quat[3] = 0;
        call_all(m, d, q, v, a, LW_ERR_NUMBER, out);
        quat[1] = 1e200;
        call_all(m, d, q, v, a, LW_ERR_NUMBER, out);
        quat[1] = 1e-160;
        call_all(m, d, q, v, a, LW_ERR_NUMBER, out);
        memcpy(quat, kept, sizeof kept);
    }
    CHECK(memcmp(out, pattern, sizeof *out) == 0);
    call_all(m, d, q, v, a, LW_OK, out);
    free(out);
    free(pattern);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(D51_arguments_are_checked)
{
    lw_data *d, *other_d;
    lw_model *m = free_and_coupled(&d);
    random_mech_options options = random_mech_default();
    lw_model *other = random_model(99, &options);
    other_d = new_data(other);
    double q[MOST], v[MOST], J[6 * MOST];
    random_state(m, q, v, NULL);
    lw_pose X;
    lw_motion motion;
    CHECK_INT(lw_forward_velocity(m, d, q, v), LW_OK);
    CHECK_INT(lw_forward_position(NULL, d, q), LW_ERR_ARGUMENT);
    CHECK_INT(lw_forward_position(m, NULL, q), LW_ERR_ARGUMENT);
    CHECK_INT(lw_forward_position(m, d, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_forward_position(m, other_d, q), LW_ERR_ARGUMENT); // data of another model
    CHECK_INT(lw_forward_velocity(m, d, q, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_forward_acceleration(m, d, q, v, NULL), LW_ERR_ARGUMENT);
    static const int odd[] = {-1, 1 << 30};
    for (int k = 0; k < 2; ++k) {
        CHECK_INT(lw_frame_pose(m, d, odd[k], &X), LW_ERR_ARGUMENT);
        CHECK_INT(lw_relative_pose(m, d, 0, odd[k], &X), LW_ERR_ARGUMENT);
        CHECK_INT(lw_relative_pose(m, d, odd[k], 0, &X), LW_ERR_ARGUMENT);
        CHECK_INT(lw_pose_of_frame(m, d, q, odd[k], &X), LW_ERR_ARGUMENT);
        CHECK_INT(lw_frame_velocity(m, d, odd[k], LW_IN_WORLD, &motion), LW_ERR_ARGUMENT);
        CHECK_INT(lw_frame_jacobian(m, d, q, odd[k], LW_IN_WORLD, NULL, J), LW_ERR_ARGUMENT);
    }
    CHECK_INT(lw_frame_pose(m, d, m->nframe_all, &X), LW_ERR_ARGUMENT);
    CHECK_INT(lw_frame_pose(m, d, 0, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_frame_poses(m, d, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_tree_state(m, d, NULL, NULL, NULL, J, NULL, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_tree_state(m, d, q, NULL, NULL, NULL, J, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_tree_state(m, d, q, v, NULL, NULL, NULL, J), LW_ERR_ARGUMENT);
    CHECK_INT(lw_frame_velocity(m, d, 0, (lw_axes)7, &motion), LW_ERR_ARGUMENT);
    CHECK_INT(lw_frame_jacobian(m, d, q, 0, (lw_axes)7, NULL, J), LW_ERR_ARGUMENT);
    CHECK_INT(lw_frame_jacobian(m, d, q, 0, LW_IN_WORLD, NULL, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_center_of_mass(m, d, q, NULL, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_integrate(m, q, v, 1, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_difference(NULL, q, q, v), LW_ERR_ARGUMENT);
    CHECK_INT(lw_position_rate(m, q, NULL, J), LW_ERR_ARGUMENT);
    CHECK_INT(lw_data_stage(d), LW_STAGE_VELOCITY); // a refused call spoils nothing
    CHECK_INT(lw_data_stage(NULL), LW_STAGE_NONE);
    lw_data_destroy(d);
    lw_data_destroy(other_d);
    lw_model_destroy(m);
    lw_model_destroy(other);
}

// Quaternions of any length stand for the same turn.
TEST(D32_quaternions_need_not_be_normalised)
{
    lw_data *d;
    lw_model *m = free_and_coupled(&d);
    double q[MOST], scaled[MOST];
    random_state(m, q, NULL, NULL);
    memcpy(scaled, q, sizeof q);
    for (int k = 0; k < m->kernel->nquat; ++k) {
        for (int i = 0; i < 4; ++i) {
            scaled[m->kernel->quat[k].q + i] *= k % 2 ? 1e40 : -3e-40;
        }
    }
    for (int f = 0; f < m->nframe; ++f) {
        lw_pose X, Y;
        CHECK_INT(lw_pose_of_frame(m, d, q, f, &X), LW_OK);
        CHECK_INT(lw_pose_of_frame(m, d, scaled, f, &Y), LW_OK);
        CHECK_NEAR(lw_norm3(lw_sub3(X.p, Y.p)), 0, 1e-14);
        for (int i = 0; i < 3; ++i) {
            CHECK_NEAR(lw_norm3(lw_sub3(X.R.row[i], Y.R.row[i])), 0, 1e-14);
        }
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// --- Integrate and difference -----------------------------------------------------------------

static double length_of(const lw_model *m, const double *q, int k)
{
    const double *w = &q[m->kernel->quat[k].q];
    return sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
}

TEST(D32_difference_undoes_integrate)
{
    lw_data *d;
    lw_model *m = free_and_coupled(&d);
    double q0[MOST], q1[MOST], v[MOST], back[MOST], again[MOST];
    for (int k = 0; k < 200; ++k) {
        random_state(m, q0, v, NULL);
        const double turn = k % 3 == 0 ? 1e-9 : k % 3 == 1 ? 0.8 : 1.5; // below half a turn in all
        CHECK_INT(lw_integrate(m, q0, v, turn * 0.5, q1), LW_OK);
        CHECK_INT(lw_difference(m, q0, q1, back), LW_OK);
        for (int i = 0; i < m->nv; ++i) {
            CHECK_NEAR(back[i], turn * 0.5 * v[i], 3e-15);
        }
        for (int i = 0; i < m->kernel->nquat; ++i) {
            CHECK_NEAR(length_of(m, q1, i), 1, 3e-16);
        }
        // And any two positions are joined by their difference.
        random_state(m, q1, NULL, NULL);
        CHECK_INT(lw_difference(m, q0, q1, back), LW_OK);
        CHECK_INT(lw_integrate(m, q0, back, 1, again), LW_OK);
        CHECK_INT(lw_difference(m, again, q1, back), LW_OK);
        for (int i = 0; i < m->nv; ++i) {
            CHECK_NEAR(back[i], 0, 1e-14);
        }
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

static lw_model *free_body(void)
{
    lw_mech *mech = new_mech("body");
    lw_joint_def def = lw_default_joint_def();
    def.name = "j";
    def.type = LW_JOINT_FREE;
    lw_add_joint(mech, &def);
    lw_model *m = compile_checked(mech, NULL);
    lw_mech_destroy(mech);
    return m;
}

// A body that turns and moves at constant rates along its own axes flies on a helix.
TEST(D32_constant_body_velocity_is_a_screw)
{
    lw_model *m = free_body();
    const double q[7] = {1, 2, 3, 1, 0, 0, 0};
    static const double rate[] = {0, 1e-12, 1e-5, 9.9e-3, 1.01e-2, 0.1, 1, 3, 30};
    for (size_t k = 0; k < sizeof rate / sizeof *rate; ++k) {
        const double w = rate[k], v[6] = {0, 0, w, 2, 0, 0.5};
        double out[7];
        CHECK_INT(lw_integrate(m, q, v, 1, out), LW_OK);
        const double x = w < 1e-6 ? 2 : 2 * sin(w) / w;
        const double y = w < 1e-6 ? w : 2 * 2 * sin(w / 2) * sin(w / 2) / w;
        CHECK_NEAR(out[0], 1 + x, 1e-15);
        CHECK_NEAR(out[1], 2 + y, 1e-15);
        CHECK_NEAR(out[2], 3.5, 1e-15);
        CHECK_NEAR(out[3], cos(w / 2), 3e-16);
        CHECK_NEAR(out[6], sin(w / 2), 3e-16);
    }
    lw_model_destroy(m);
}

TEST(D32_large_and_exact_half_turns)
{
    lw_model *m = free_body();
    double q[7] = {0, 0, 0, 1, 0, 0, 0}, out[7], v[6] = {0};
    // Many turns leave the fraction of a turn.
    const double turn = 6.283185307179586;
    v[0] = 1000 * turn + 0.5;
    CHECK_INT(lw_integrate(m, q, v, 1, out), LW_OK);
    CHECK_NEAR(fabs(out[3]), cos(0.25), 1e-12);
    CHECK_NEAR(fabs(out[4]), sin(0.25), 1e-12);
    CHECK_INT(lw_difference(m, q, out, v), LW_OK);
    CHECK_NEAR(v[0], 0.5, 2e-12);

    // Exactly half a turn: either way round is right, and it is half a turn.
    const double half[7] = {1, 2, 3, 0, 0, 1, 0};
    CHECK_INT(lw_difference(m, q, half, v), LW_OK);
    CHECK_NEAR(fabs(v[1]), turn / 2, 1e-15);
    CHECK_INT(lw_integrate(m, q, v, 1, out), LW_OK);
    CHECK_NEAR(fabs(out[5]), 1, 1e-15);
    CHECK_NEAR(out[0], 1, 1e-15);
    CHECK_NEAR(out[2], 3, 1e-15);

    // The other sign of a quaternion is the same turn.
    const double minus[7] = {0, 0, 0, -1, 0, 0, 0};
    CHECK_INT(lw_difference(m, q, minus, v), LW_OK);
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(v[i], 0, 0);
    }
    // In place, and steps that cannot be measured.
    v[5] = 2;
    CHECK_INT(lw_integrate(m, q, v, 0.5, q), LW_OK);
    CHECK_NEAR(q[2], 1, 0);
    v[0] = 1e200;
    CHECK_INT(lw_integrate(m, q, v, 1, out), LW_ERR_NUMBER);
    CHECK_INT(lw_integrate(m, q, v, 1e200, out), LW_ERR_NUMBER);
    CHECK_INT(lw_integrate(m, q, v, 1e-199, out), LW_OK);
    lw_model_destroy(m);
}

TEST(D32_the_rate_of_positions_is_the_slope_of_integrate)
{
    lw_data *d;
    lw_model *m = free_and_coupled(&d);
    double q[MOST], v[MOST], rate[MOST], ahead[MOST], behind[MOST];
    const double h = 1e-5;
    for (int k = 0; k < 50; ++k) {
        random_state(m, q, v, NULL);
        CHECK_INT(lw_position_rate(m, q, v, rate), LW_OK);
        CHECK_INT(lw_integrate(m, q, v, h, ahead), LW_OK);
        CHECK_INT(lw_integrate(m, q, v, -h, behind), LW_OK);
        for (int i = 0; i < m->nq; ++i) {
            CHECK_NEAR((ahead[i] - behind[i]) / (2 * h), rate[i], 1e-8); // h^2 v^3 / 24
        }
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(D33_partial_evaluation_touches_the_ancestors_only);
    RUN(D51_stages_are_checked);
    RUN(D51_numbers_that_are_none_are_refused_and_outputs_left_alone);
    RUN(D51_arguments_are_checked);
    RUN(D32_quaternions_need_not_be_normalised);
    RUN(D32_difference_undoes_integrate);
    RUN(D32_constant_body_velocity_is_a_screw);
    RUN(D32_large_and_exact_half_turns);
    RUN(D32_the_rate_of_positions_is_the_slope_of_integrate);
    return REPORT();
}
