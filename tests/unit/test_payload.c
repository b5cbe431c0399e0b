// A load from joint torques (K36, D39).
#include "check.h"
#include "load_text.h"

#include <linkwork/dynamics.h>
#include <linkwork/payload.h>

#include <math.h>
#include <stdlib.h>

static double normal(void)
{
    const double u = check_random(0.0, 1.0), v = check_random(0.0, 1.0);
    return sqrt(-2.0 * log(1.0 - u)) * cos(6.283185307179586 * v);
}

enum { N = 200 };

// One second of motion of all joints, at 200 Hz, with a load that only the truth has.
static lw_payload_estimate carry(const char *model, double noise, double forgetting)
{
    lw_payload_estimate found = {0};
    lw_model *m = shipped_model(model);
    lw_data *d = NULL;
    if (!m || lw_data_create(m, &d) != LW_OK) {
        lw_model_destroy(m);
        return found;
    }
    const int frame = lw_find_frame(m, "tool0") >= 0 ? lw_find_frame(m, "tool0") : m->nframe - 1;
    const lw_inertia load = lw_inertia_of(3.0, lw_vec3_of(0.02, -0.03, 0.08),
                                          (lw_sym3){0.02, 0.015, 0.01, 1e-3, -2e-3, 5e-4});
    const lw_inertial_parameter truth = {m->frame[frame].body,
                                         lw_inertia_move(&m->frame[frame].X_BF, &load)};
    const int nv = m->nv;
    double *block = calloc((size_t)(17 * nv + N * nv), sizeof *block);
    double *q = block, *v = q + nv, *a = v + nv, *tau = a + nv, *sigma = tau + nv,
           *added = sigma + nv, *work = added + nv;
    lw_payload payload;
    CHECK_INT(lw_payload_begin(m, frame, forgetting, &payload), LW_OK);
    check_seed(5);
    for (int i = 0; i < N; ++i) {
        const double t = i / (double)N;
        for (int j = 0; j < nv; ++j) {
            const double w = 4.0 + j, x = w * t + j;
            q[j] = m->q_reference[j] + 0.5 * sin(x);
            v[j] = 0.5 * w * cos(x);
            a[j] = -0.5 * w * w * sin(x);
        }
        CHECK_INT(lw_inverse_dynamics(m, d, q, v, a, NULL, tau), LW_OK);
        CHECK_INT(lw_inertial_sensitivity(m, d, q, v, a, 1, &truth, added), LW_OK);
        for (int j = 0; j < nv; ++j) {
            sigma[j] = noise > 0.0 ? noise * 50.0 : 1e-9; // of a torque of 50 N m
            tau[j] += added[j] + (noise > 0.0 ? sigma[j] * normal() : 0.0);
        }
        CHECK_INT(lw_payload_add(m, d, &payload, q, v, a, tau, sigma, work), LW_OK);
    }
    CHECK_INT(payload.nsample, N);
    CHECK_INT(lw_payload_result(&payload, &found), LW_OK);
    free(block);
    lw_data_destroy(d);
    lw_model_destroy(m);
    return found;
}

TEST(K36_a_load_is_found_exactly_without_noise)
{
    static const char *const models[] = {"ur5_class.xml", "panda_class.xml"};
    for (int i = 0; i < 2; ++i) {
        const lw_payload_estimate e = carry(models[i], 0.0, 1.0);
        check_case("%s", models[i]);
        CHECK_NEAR(e.mass, 3.0, 1e-7);
        CHECK_NEAR(e.center.x, 0.02, 1e-7);
        CHECK_NEAR(e.center.y, -0.03, 1e-7);
        CHECK_NEAR(e.center.z, 0.08, 1e-7);
    }
}

TEST(K36_three_kilograms_are_found_to_one_per_cent_with_noise)
{
    const lw_payload_estimate e = carry("ur5_class.xml", 0.01, 1.0);
    CHECK_NEAR(e.mass, 3.0, 0.03);
    CHECK(e.mass_sigma > 0.0 && fabs(e.mass - 3.0) < 4.0 * e.mass_sigma);
}

TEST(K36_bad_samples_leave_the_estimate_as_it_was)
{
    lw_model *m = shipped_model("scara.xml");
    lw_data *d = NULL;
    CHECK_INT(lw_data_create(m, &d), LW_OK);
    lw_payload payload, before;
    CHECK_INT(lw_payload_begin(m, -1, 1.0, &payload), LW_ERR_ARGUMENT);
    CHECK_INT(lw_payload_begin(m, m->nframe - 1, 0.0, &payload), LW_ERR_ARGUMENT);
    CHECK_INT(lw_payload_begin(m, m->nframe - 1, 1.0, &payload), LW_OK);
    double zero[8] = {0}, tau[8] = {0}, sigma[8] = {1, 1, 1, 1, 1, 1, 1, 1}, work[88];
    tau[1] = (double)NAN;
    before = payload;
    CHECK_INT(lw_payload_add(m, d, &payload, m->q_reference, zero, zero, tau, sigma, work),
              LW_ERR_NUMBER);
    tau[1] = 0.0, sigma[0] = 0.0;
    CHECK_INT(lw_payload_add(m, d, &payload, m->q_reference, zero, zero, tau, sigma, work),
              LW_ERR_NUMBER);
    CHECK_INT(payload.nsample, before.nsample);
    CHECK_NEAR(payload.information[0], before.information[0], 0.0);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(K36_a_load_is_found_exactly_without_noise);
    RUN(K36_three_kilograms_are_found_to_one_per_cent_with_noise);
    RUN(K36_bad_samples_leave_the_estimate_as_it_was);
    return REPORT();
}
