// Andrews' squeezing mechanism against the Test Set for IVP Solvers: seven bodies in the plane,
// three loops that meet in one point, a spring. The test set's equations are
//
//   M q'' + G' lambda = f,   0 = g(q),
//
// where g are the differences of the places of that point as bodies 2 and 3, 2 and 4, 2 and 6 see
// it, so that lambda is the force on bodies 3, 4 and 6 there, along the axes of the world.
#include "check.h"
#include "closed_zoo.h"
#include "objects.h"
#include "reference.h"
#include "squeezer.h"

#include "model/data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define N SQUEEZER_N
#define P(name) squeezer_parameter(file, #name)

static void spring(const lw_model *m, lw_data *d, const json_t *file, const double *q, lw_force *f)
{
    memset(f, 0, (size_t)m->nbody * sizeof *f);
    CHECK(squeezer_spring(m, d, file, q, f) == LW_OK);
}

static int tree_index(const lw_model *m, const char *name)
{
    for (int i = 0; i < m->tree_nv; ++i) {
        if (strcmp(m->tree_velocity_name[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

// All that the file tells of one state, from beta and its rate alone: each number to `tolerance` of
// the largest of its kind.
static void check_state_of(const lw_model *m, lw_data *d, const json_t *file, const double *q,
                           const double *v, const double *a, const double *lambda, double tolerance)
{
    const double turns = 6.283185307179586476925286766559;
    const double tau[1] = {P(mom)};
    double got[1], size[3] = {1.0, 1.0, 1.0};
    lw_force f[N], force[6];
    spring(m, d, file, q, f);
    CHECK(lw_forward_dynamics(m, d, q, v, tau, f, got) == LW_OK);
    CHECK(lw_loop_forces(m, d, q, v, got, f, force, NULL, NULL) == LW_OK);
    for (int k = 0; k < N; ++k) {
        size[0] = fmax(size[0], fabs(v[k]));
        size[1] = fmax(size[1], fabs(a[k]));
        size[2] = fmax(size[2], k < 6 ? fabs(lambda[k]) : 0.0);
    }
    for (int k = 0; k < N; ++k) {
        check_case("%s", squeezer_angle[k]);
        const int i = tree_index(m, squeezer_angle[k]);
        const double off = d->tree_q[i] - q[k];
        CHECK_NEAR(off - turns * nearbyint(off / turns), 0.0, tolerance);
        CHECK_NEAR(d->tree_v[i], v[k], tolerance * size[0]);
        CHECK_NEAR(d->tree_a[i], a[k], tolerance * size[1]);
    }
    CHECK(lw_forward_position(m, d, q) == LW_OK);
    static const char *const loop[] = {"F3", "F4", "F6"};
    for (int k = 0; k < m->nloop; ++k) {
        check_case("loop %s", m->loop[k].name);
        lw_pose X;
        CHECK(lw_frame_pose(m, d, m->loop[k].frame[1], &X) == LW_OK);
        const lw_vec3 push = lw_rotate(&X.R, force[2 * k + 1].lin);
        for (int j = 0; j < 3; ++j) {
            if (strcmp(m->loop[k].name, loop[j]) == 0) {
                CHECK_NEAR(push.x, lambda[2 * j], tolerance * size[2]);
                CHECK_NEAR(push.y, lambda[2 * j + 1], tolerance * size[2]);
            }
        }
        CHECK_NEAR(push.z, 0.0, 1e-9 * size[2]); // nothing pushes out of the plane
        CHECK_NEAR(lw_norm3(force[2 * k + 1].ang), 0.0, 1e-9 * size[2]);
    }
}

TEST(R17_andrews_squeezer_accelerations_and_multipliers)
{
    json_t *file = reference_read("andrews_squeezer.json");
    if (!file) {
        return;
    }
    double q0[N], v0[N], a0[N], lambda0[6], y[27];
    reference_numbers(json_object_get(file, "q0"), q0, N);
    reference_numbers(json_object_get(file, "qd0"), v0, N);
    reference_numbers(json_object_get(file, "qdd0"), a0, N);
    reference_numbers(json_object_get(file, "lambda0"), lambda0, 6);
    CHECK_INT(reference_numbers(json_object_get(file, "y_ref"), y, 27), 27);
    lw_model *m = closed_model(squeezer(file, q0));
    if (CHECK(m != NULL) && CHECK_INT(m->nv, 1)) {
        lw_data *d = new_data(m);
        // The initial values are given to 17 digits, and close the loops to 1e-13; accelerations
        // of 1e4 and a spring of 4530 N/m leave 1e-9 of that.
        check_state_of(m, d, file, q0, v0, a0, lambda0, 1e-9);
        // At the end of the test the file is as good as its integrator: 1e-9 in q at best, and 1e-6
        // of the largest acceleration and multiplier.
        check_state_of(m, d, file, y, y + 7, y + 14, y + 21, 2e-6);
        lw_data_destroy(d);
    }
    lw_model_destroy(m);
    json_decref(file);
}

int main(void)
{
    RUN(R17_andrews_squeezer_accelerations_and_multipliers);
    return REPORT();
}
