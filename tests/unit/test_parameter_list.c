// Parameters by name: what a name means, along which axes, and what is refused.
#include "check.h"
#include "closed_zoo.h"
#include "load_text.h"
#include "objects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A machine of the zoo with its parameters.
typedef struct subject {
    lw_mech *mech;
    lw_model *m;
    lw_data *d;
    lw_parameters *p;
} subject;

static bool begin(subject *s, const char *name)
{
    const closed_machine *machine = closed_zoo_find(name);
    *s = (subject){.mech = machine ? machine->build(false) : NULL};
    s->m = s->mech ? compile_checked(s->mech, NULL) : NULL;
    s->d = s->m ? new_data(s->m) : NULL;
    return CHECK(s->d != NULL) &&
           CHECK_INT(lw_parameters_create(s->mech, NULL, s->m, &s->p), LW_OK);
}

static void end(subject *s)
{
    lw_parameters_destroy(s->p);
    lw_data_destroy(s->d);
    lw_model_destroy(s->m);
    lw_mech_destroy(s->mech);
}

// D37: the direction of an axis has three parameters, and making it longer does nothing.
TEST(D37_axis_of_the_palletiser)
{
    subject s;
    if (begin(&s, "palletiser")) {
        const lw_model *m = s.m;
        lw_data *d = s.d;
        const lw_parameters *p = s.p;
        int list[3];
        double J[6 * 3], q[8], size = 0.0;
        for (int k = 0; k < m->nq; ++k) {
            q[k] = m->q_reference[k] + 0.1;
        }
        CHECK_INT(lw_parameters_find(p, "R3.axis", list, 3), 3);
        CHECK_INT(lw_parameters_find(p, "R3.axis.y", list + 1, 3), 1);
        CHECK_TEXT(lw_parameters_name(p, list[1]), "R3.axis.y");
        const int frame = lw_find_frame(m, "R5.b");
        CHECK(frame >= 0);
        CHECK_INT(lw_parameters_find(p, "R3.axis", list, 3), 3);
        CHECK_INT(lw_parameter_jacobian(m, d, p, q, frame, LW_IN_WORLD, 3, list, J, NULL), LW_OK);
        for (int r = 0; r < 6; ++r) {
            double along = 0.0;
            for (int k = 0; k < 3; ++k) {
                along += J[3 * r + k] * lw_parameters_value(p, list[k]);
                size = fmax(size, fabs(J[3 * r + k]));
            }
            CHECK_NEAR(along, 0.0, 1e-15);
        }
        CHECK(size > 0.01); // turning it aside does something

        CHECK_INT(lw_parameters_find(p, "LAB.length", list, 1), 1);
        CHECK_NEAR(lw_parameters_value(p, list[0]), 1.2, 0.0);
        CHECK_INT(lw_parameters_find(p, "LAB.width", list, 1), 0);
        CHECK_INT(lw_parameters_find(p, "", list, 1), 0);
        CHECK_TEXT(lw_parameters_name(p, -1), "");
        CHECK_TEXT(lw_parameters_name(p, lw_parameters_count(p)), "");
    }
    end(&s);
}

// The axes asked for only turn the result, and a ratio is a size at the other's size.
TEST(parameter_jacobian_along_the_axes_of_the_frame_and_by_a_ratio)
{
    subject s;
    if (begin(&s, "planetary")) {
        const lw_model *m = s.m;
        lw_data *d = s.d;
        const lw_parameters *p = s.p;
        const int n = lw_parameters_count(p), frame = lw_find_frame(m, "planet");
        int *list = calloc((size_t)n, sizeof *list);
        double *world = calloc(6 * (size_t)n, sizeof *world), *own = calloc(6 * (size_t)n, 8);
        double q[4] = {0.7, -0.4, 0.0, 0.0};
        for (int k = 0; k < n; ++k) {
            list[k] = k;
        }
        CHECK_INT(lw_parameter_jacobian(m, d, p, q, frame, LW_IN_WORLD, n, list, world, NULL),
                  LW_OK);
        CHECK_INT(lw_parameter_jacobian(m, d, p, q, frame, LW_IN_FRAME, n, list, own, NULL), LW_OK);
        lw_pose X;
        lw_pose_of_frame(m, d, q, frame, &X);
        for (int k = 0; k < n; ++k) {
            for (int half = 0; half < 2; ++half) {
                const double *a = world + 3 * half * n + k, *b = own + 3 * half * n + k;
                const lw_vec3 w = lw_vec3_of(a[0], a[n], a[2 * n]);
                const lw_vec3 turned = lw_rotate_back(&X.R, w);
                CHECK_NEAR(b[0], turned.x, 1e-14 * (1.0 + lw_norm3(w)));
                CHECK_NEAR(b[n], turned.y, 1e-14 * (1.0 + lw_norm3(w)));
                CHECK_NEAR(b[2 * n], turned.z, 1e-14 * (1.0 + lw_norm3(w)));
            }
        }
        int ratio, size1, size2;
        CHECK_INT(lw_parameters_find(p, "sun_planet.ratio", &ratio, 1), 1);
        CHECK_INT(lw_parameters_find(p, "sun_planet.size1", &size1, 1), 1);
        CHECK_INT(lw_parameters_find(p, "sun_planet.size2", &size2, 1), 1);
        double felt = 0.0;
        for (int r = 0; r < 6; ++r) {
            const double by_ratio = world[r * n + ratio], by_size = world[r * n + size2];
            CHECK_NEAR(by_ratio, by_size * lw_parameters_value(p, size1), 1e-13);
            felt = fmax(felt, fabs(by_ratio));
        }
        CHECK(felt > 0.01);
        free(list);
        free(world);
        free(own);
    }
    end(&s);
}

TEST(parameters_refuse_bad_arguments)
{
    lw_mech *mech = closed_zoo[0].build(false), *other = closed_zoo[1].build(true);
    lw_model *m = compile_checked(mech, NULL), *tree = compile_checked(other, NULL);
    lw_data *d = new_data(m);
    lw_parameters *p = NULL;
    double J[6] = {7, 7, 7, 7, 7, 7}, q[32];
    const int one[1] = {0}, beyond[1] = {1 << 20};
    memcpy(q, m->q_reference, (size_t)m->nq * sizeof *q);
    CHECK_INT(lw_parameters_create(mech, NULL, tree, &p), LW_ERR_ARGUMENT);
    CHECK(p == NULL);
    CHECK_INT(lw_parameters_create(NULL, NULL, m, &p), LW_ERR_ARGUMENT);
    CHECK_INT(lw_parameters_create(mech, NULL, m, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_parameters_create(mech, NULL, m, &p), LW_OK);
    CHECK_INT(lw_parameter_jacobian(m, d, p, q, 0, LW_IN_WORLD, 1, beyond, J, NULL),
              LW_ERR_ARGUMENT);
    CHECK_INT(lw_parameter_jacobian(m, d, p, q, -1, LW_IN_WORLD, 1, one, J, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_parameter_jacobian(m, d, NULL, q, 0, LW_IN_WORLD, 1, one, J, NULL),
              LW_ERR_ARGUMENT);
    q[0] = (double)NAN;
    CHECK_INT(lw_parameter_jacobian(m, d, p, q, 0, LW_IN_WORLD, 1, one, J, NULL), LW_ERR_NUMBER);
    for (int k = 0; k < 6; ++k) {
        CHECK_NEAR(J[k], 7.0, 0.0);
    }
    lw_parameters_destroy(p);
    lw_parameters_destroy(NULL);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_model_destroy(tree);
    lw_mech_destroy(mech);
    lw_mech_destroy(other);
}

int main(void)
{
    RUN(D37_axis_of_the_palletiser);
    RUN(parameter_jacobian_along_the_axes_of_the_frame_and_by_a_ratio);
    RUN(parameters_refuse_bad_arguments);
    return REPORT();
}
