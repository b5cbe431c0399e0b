// Derivatives of tau by inertial parameters, one by one and all at once.
#include <linkwork/linkwork.h>

#include "arrays.h"
#include "check.h"
#include "complex_dynamics.h"
#include "objects.h"
#include "zoo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct situation {
    double *q, *v, *a, *tau;
} situation;

static situation make_situation(const lw_model *m)
{
    situation s = {numbers(m->nq), numbers(m->nv), numbers(m->nv), numbers(m->nv)};
    zoo_state(m, s.q, s.v, s.a);
    return s;
}

static void free_situation(situation *s)
{
    free(s->q);
    free(s->v);
    free(s->a);
    free(s->tau);
}

// tau of the same machine with other inertias, without loads and with ideal joints, by an
// implementation that shares nothing with the library.
static void tau_for(const lw_model *m, const lw_dynamics_options *options, const situation *s,
                    const lw_inertia *inertia, double *tau)
{
    lw_model other = *m;
    other.inertia = inertia;
    other.nload = 0;
    lw_dynamics_options ideal = *options;
    ideal.is_ideal = true;
    double complex *q = calloc((size_t)(m->nq + 3 * m->nv), sizeof *q);
    double complex *v = q + m->nq, *a = v + m->nv, *result = a + m->nv;
    for (int k = 0; k < m->nq; ++k) {
        q[k] = s->q[k];
    }
    for (int k = 0; k < m->nv; ++k) {
        v[k] = s->v[k];
        a[k] = s->a[k];
    }
    complex_inverse_dynamics(&other, &ideal, q, v, a, NULL, result);
    for (int k = 0; k < m->nv; ++k) {
        tau[k] = creal(result[k]);
    }
    free(q);
}

static lw_dynamics_options moving_world(const lw_model *m)
{
    lw_dynamics_options options = lw_default_dynamics_options(m);
    options.base_velocity = (lw_motion){{0.3, -0.2, 0.5}, {1.0, 0.4, -0.6}};
    options.base_acceleration = (lw_motion){{-0.1, 0.7, 0.2}, {0.5, -0.8, 0.3}};
    return options;
}

// tau is linear in the ten numbers of a body, so the tau of a machine in which one of them is 1 and
// all others are 0 is the derivative, with no difference to round.
static void visit_sensitivity(const lw_model *m, lw_data *d)
{
    if (!complex_can(m)) {
        return;
    }
    situation s = make_situation(m);
    const lw_dynamics_options options = moving_world(m);
    CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
    lw_inertia *inertia = calloc((size_t)m->nbody, sizeof *inertia);
    double *wanted = numbers(m->nv), *dtau = numbers(m->nv * LW_BODY_PARAMETER_COUNT);
    for (int i = 0; i < m->nbody; ++i) {
        lw_inertial_parameter ten[LW_BODY_PARAMETER_COUNT];
        for (int k = 0; k < LW_BODY_PARAMETER_COUNT; ++k) {
            CHECK_INT(lw_parameter_of_body(m, i, (lw_body_parameter)k, &ten[k]), LW_OK);
        }
        CHECK_INT(lw_inertial_sensitivity(m, d, s.q, s.v, s.a, LW_BODY_PARAMETER_COUNT, ten, dtau),
                  LW_OK);
        for (int k = 0; k < LW_BODY_PARAMETER_COUNT; ++k) {
            inertia[i] = ten[k].rate;
            tau_for(m, &options, &s, inertia, wanted);
            const double margin = 1e-12 * (1.0 + largest(wanted, m->nv));
            for (int j = 0; j < m->nv; ++j) {
                CHECK_NEAR(dtau[j * LW_BODY_PARAMETER_COUNT + k], wanted[j], margin);
            }
        }
        memset(&inertia[i], 0, sizeof inertia[i]);
    }
    free(inertia);
    free(wanted);
    free(dtau);
    free_situation(&s);
}

TEST(D39_sensitivities_to_all_ten_parameters_of_each_body_are_exact)
{
    every_machine(visit_sensitivity);
}

static void visit_regressor(const lw_model *m, lw_data *d)
{
    situation s = make_situation(m);
    const int width = 10 * m->nbody;
    double *Y = numbers(m->nv * width), *p = numbers(width), *dtau = numbers(m->nv * width);
    lw_inertial_parameter *all = calloc((size_t)width + 1, sizeof *all);
    lw_dynamics_options options = moving_world(m);
    options.is_ideal = true;
    CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
    CHECK_INT(lw_inertial_parameters(m, p), LW_OK);
    CHECK_INT(lw_regressor(m, d, s.q, s.v, s.a, Y), LW_OK);

    // Y p = tau
    if (m->nload > 0) {
        tau_for(m, &options, &s, m->inertia, s.tau);
    } else {
        CHECK_INT(lw_inverse_dynamics(m, d, s.q, s.v, s.a, NULL, s.tau), LW_OK);
    }
    const double margin = 1e-12 * (1.0 + largest(s.tau, m->nv));
    for (int i = 0; i < m->nv; ++i) {
        double sum = 0.0;
        for (int k = 0; k < width; ++k) {
            sum += Y[i * width + k] * p[k];
        }
        CHECK_NEAR(sum, s.tau[i], margin);
    }

    // Column by column it is the sensitivity.
    for (int k = 0; k < width; ++k) {
        CHECK_INT(lw_parameter_of_body(m, k / 10, (lw_body_parameter)(k % 10), &all[k]), LW_OK);
    }
    CHECK_INT(lw_inertial_sensitivity(m, d, s.q, s.v, s.a, width, all, dtau), LW_OK);
    for (int k = 0; k < m->nv * width; ++k) {
        if (!CHECK_NEAR(Y[k], dtau[k], 1e-12 * (1.0 + fabs(dtau[k])))) {
            break;
        }
    }
    free(Y);
    free(p);
    free(dtau);
    free(all);
    free_situation(&s);
}

TEST(D39_regressor_times_parameters_is_tau)
{
    every_machine(visit_regressor);
}

// A body acts only on the joints that carry it.
TEST(regressor_is_zero_for_joints_that_do_not_carry_the_body)
{
    lw_model *m = zoo_model(ZOO_BRANCHED);
    lw_data *d = new_data(m);
    situation s = make_situation(m);
    const int width = 10 * m->nbody;
    double *Y = numbers(m->nv * width);
    CHECK_INT(lw_regressor(m, d, s.q, s.v, s.a, Y), LW_OK);
    int zeros = 0;
    for (int i = 0; i < m->nbody; ++i) {
        for (int b = 0; b < m->nbody; ++b) {
            const bool carries = i <= b && b < m->subtree_end[i];
            for (int j = m->v_start[i]; j < m->v_start[i + 1] && !carries; ++j) {
                CHECK(largest(Y + j * width + 10 * b, 10) == 0.0);
                ++zeros;
            }
        }
    }
    CHECK(zeros > 0);
    free(Y);
    free_situation(&s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// --- Links ------------------------------------------------------------------------------------

static void tau_of_variant(zoo_kind kind, const char *link, lw_link_parameter parameter,
                           double change, const situation *s, double *tau)
{
    lw_model *m = zoo_variant(kind, link, parameter, change);
    lw_data *d = new_data(m);
    CHECK_INT(lw_inverse_dynamics(m, d, s->q, s->v, s->a, NULL, tau), LW_OK);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// The numbers of the description are changed and the machine is compiled anew. tau is linear in
// mass and tensor and quadratic in the centre, so the central difference is exact for all ten.
static void check_link(zoo_kind kind, const char *link)
{
    lw_model *m = zoo_model(kind);
    lw_data *d = new_data(m);
    situation s = make_situation(m);
    double *ahead = numbers(m->nv), *behind = numbers(m->nv), *dtau = numbers(m->nv);
    for (int k = 0; k < LW_LINK_FIRST_MOMENT_X; ++k) {
        const lw_link_parameter kind_of = (lw_link_parameter)k;
        char name[64];
        snprintf(name, sizeof name, "%s.%s", link, lw_link_parameter_name(kind_of));
        check_case("%s: %s", zoo_name(kind), name);
        const double h = k < LW_LINK_INERTIA_XX ? 0.25 : 1e-3; // stays a possible body
        lw_inertial_parameter parameter;
        if (!CHECK_INT(lw_find_parameter(m, name, &parameter), LW_OK)) {
            continue;
        }
        CHECK_INT(lw_inertial_sensitivity(m, d, s.q, s.v, s.a, 1, &parameter, dtau), LW_OK);
        tau_of_variant(kind, link, kind_of, h, &s, ahead);
        tau_of_variant(kind, link, kind_of, -h, &s, behind);
        const double margin = 1e-13 * (largest(ahead, m->nv) + 1.0) / h;
        for (int i = 0; i < m->nv; ++i) {
            CHECK_NEAR(dtau[i], (ahead[i] - behind[i]) / (2.0 * h), margin);
        }
    }
    free(ahead);
    free(behind);
    free(dtau);
    free_situation(&s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(D39_sensitivities_to_the_numbers_of_a_link)
{
    check_link(ZOO_REVOLUTE, "tool"); // merged into the last body, the paper's payload
    check_link(ZOO_REVOLUTE, "l5");   // the link it is merged with
    check_link(ZOO_BRANCHED, "plate");
    check_link(ZOO_MIXED, "l2");
    check_link(ZOO_SPHERICAL, "l0");
    check_link(ZOO_FREE, "l0");
    check_link(ZOO_LOADED, "l3");
    check_link(ZOO_COUPLED, "l5");
    check_link(ZOO_USER, "l3");
}

// The first moment of a link, with mass and tensor about the link's origin held: what moving the
// centre does beside the change of that tensor.
TEST(first_moment_of_a_link_is_what_moves_with_the_centre)
{
    lw_model *m = zoo_model(ZOO_REVOLUTE);
    int tool = 0;
    while (tool < m->nlink && strcmp(m->link[tool].name, "tool") != 0) {
        ++tool;
    }
    const lw_pose *X = &m->frame[m->link[tool].frame].X_BF;
    for (int axis = 0; axis < 3; ++axis) {
        lw_inertial_parameter p;
        CHECK_INT(
            lw_parameter_of_link(m, tool, (lw_link_parameter)(LW_LINK_FIRST_MOMENT_X + axis), &p),
            LW_OK);
        const lw_vec3 e = {axis == 0, axis == 1, axis == 2};
        const lw_inertia unit = {0.0, e, {0, 0, 0, 0, 0, 0}};
        const lw_inertia moved = lw_inertia_move(X, &unit);
        CHECK_INT(p.body, m->nbody - 1);
        CHECK_INT(memcmp(&p.rate, &moved, sizeof moved), 0);
    }
    lw_model_destroy(m);
}

TEST(names_of_parameters)
{
    lw_model *m = zoo_model(ZOO_REVOLUTE);
    lw_inertial_parameter p;
    CHECK_INT(lw_find_parameter(m, "tool.mass", &p), LW_OK);
    CHECK_INT(p.body, 5);
    CHECK_NEAR(p.rate.mass, 1.0, 0.0);
    CHECK_INT(lw_find_parameter(m, "l0.inertia.xy", &p), LW_OK);
    CHECK_INT(p.body, 0);
    const char *const unknown[] = {
        "tool", "tool.", "tool.weight",     "tool.center", "tool.mass.x", "nothing.mass", ".mass",
        "mass", "",      "tool.inertia.yx", "tool..mass"};
    for (size_t k = 0; k < sizeof unknown / sizeof *unknown; ++k) {
        check_case("\"%s\"", unknown[k]);
        CHECK_INT(lw_find_parameter(m, unknown[k], &p), LW_ERR_NAME);
    }
    for (int k = 0; k < LW_LINK_PARAMETER_COUNT; ++k) {
        char name[64];
        snprintf(name, sizeof name, "l2.%s", lw_link_parameter_name((lw_link_parameter)k));
        CHECK_INT(lw_find_parameter(m, name, &p), LW_OK);
    }
    CHECK_TEXT(lw_link_parameter_name(LW_LINK_CENTER_Y), "center.y");
    CHECK_TEXT(lw_link_parameter_name(LW_LINK_PARAMETER_COUNT), "");
    lw_model_destroy(m);
}

TEST(D51_sensitivities_refuse_bad_arguments)
{
    lw_model *m = zoo_model(ZOO_REVOLUTE);
    lw_data *d = new_data(m);
    situation s = make_situation(m);
    double dtau[6] = {7, 7, 7, 7, 7, 7};
    lw_inertial_parameter p;
    CHECK_INT(lw_parameter_of_body(m, 6, LW_BODY_MASS, &p), LW_ERR_ARGUMENT);
    CHECK_INT(lw_parameter_of_body(m, -1, LW_BODY_MASS, &p), LW_ERR_ARGUMENT);
    CHECK_INT(lw_parameter_of_body(m, 0, LW_BODY_PARAMETER_COUNT, &p), LW_ERR_ARGUMENT);
    CHECK_INT(lw_parameter_of_link(m, m->nlink, LW_LINK_MASS, &p), LW_ERR_ARGUMENT);
    CHECK_INT(lw_parameter_of_link(m, 0, LW_LINK_PARAMETER_COUNT, &p), LW_ERR_ARGUMENT);
    CHECK_INT(lw_parameter_of_body(m, 3, LW_BODY_MASS, &p), LW_OK);
    p.body = 6;
    CHECK_INT(lw_inertial_sensitivity(m, d, s.q, s.v, s.a, 1, &p, dtau), LW_ERR_ARGUMENT);
    p.body = 3;
    CHECK_INT(lw_inertial_sensitivity(m, d, s.q, s.v, s.a, -1, &p, dtau), LW_ERR_ARGUMENT);
    CHECK_INT(lw_inertial_sensitivity(m, d, s.q, s.v, s.a, 1, NULL, dtau), LW_ERR_ARGUMENT);
    CHECK_INT(lw_inertial_sensitivity(m, d, s.q, s.v, s.a, 1, &p, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_inertial_sensitivity(m, d, s.q, s.v, s.a, 0, NULL, NULL), LW_OK);
    s.v[4] = (double)NAN;
    CHECK_INT(lw_inertial_sensitivity(m, d, s.q, s.v, s.a, 1, &p, dtau), LW_ERR_NUMBER);
    CHECK_INT(lw_regressor(m, d, s.q, s.v, s.a, dtau), LW_ERR_NUMBER);
    CHECK_INT(lw_regressor(m, d, s.q, s.v, s.a, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_inertial_parameters(m, NULL), LW_ERR_ARGUMENT);
    for (int k = 0; k < 6; ++k) {
        CHECK_NEAR(dtau[k], 7.0, 0.0);
    }
    // What is fixed to the world has no effect.
    s.v[4] = 0.0;
    p.body = -1;
    CHECK_INT(lw_inertial_sensitivity(m, d, s.q, s.v, s.a, 1, &p, dtau), LW_OK);
    CHECK(largest(dtau, 6) == 0.0);
    free_situation(&s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

int main(void)
{
    RUN(D39_sensitivities_to_all_ten_parameters_of_each_body_are_exact);
    RUN(D39_regressor_times_parameters_is_tau);
    RUN(regressor_is_zero_for_joints_that_do_not_carry_the_body);
    RUN(D39_sensitivities_to_the_numbers_of_a_link);
    RUN(first_moment_of_a_link_is_what_moves_with_the_centre);
    RUN(names_of_parameters);
    RUN(D51_sensitivities_refuse_bad_arguments);
    return REPORT();
}
