// What the functions of dynamics promise besides numbers: statuses, outputs left alone, models that
// do not change, results that depend on nothing but their arguments.
#include "check.h"
#include "laws.h"
#include "load_text.h"
#include "objects.h"
#include "random_mech.h"
#include "zoo.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, UNTOUCHED = 12345 };

// Every function of the header, with a state and its outputs in one row of numbers.
typedef lw_status evaluate(const lw_model *m, lw_data *d, const double *q, const double *v,
                           const double *a, double *out);

static lw_status inverse(const lw_model *m, lw_data *d, const double *q, const double *v,
                         const double *a, double *out)
{
    return lw_inverse_dynamics(m, d, q, v, a, NULL, out);
}

static lw_status forward(const lw_model *m, lw_data *d, const double *q, const double *v,
                         const double *a, double *out)
{
    return lw_forward_dynamics(m, d, q, v, a, NULL, out);
}

static lw_status mass(const lw_model *m, lw_data *d, const double *q, const double *v,
                      const double *a, double *out)
{
    (void)v;
    (void)a;
    return lw_mass_matrix(m, d, q, out);
}

static lw_status gravity(const lw_model *m, lw_data *d, const double *q, const double *v,
                         const double *a, double *out)
{
    (void)v;
    (void)a;
    return lw_gravity_forces(m, d, q, out);
}

static lw_status bias(const lw_model *m, lw_data *d, const double *q, const double *v,
                      const double *a, double *out)
{
    (void)a;
    return lw_bias_forces(m, d, q, v, out);
}

static lw_status coriolis(const lw_model *m, lw_data *d, const double *q, const double *v,
                          const double *a, double *out)
{
    (void)a;
    return lw_coriolis_matrix(m, d, q, v, out);
}

static lw_status kinetic(const lw_model *m, lw_data *d, const double *q, const double *v,
                         const double *a, double *out)
{
    (void)a;
    return lw_kinetic_energy(m, d, q, v, out);
}

static lw_status potential(const lw_model *m, lw_data *d, const double *q, const double *v,
                           const double *a, double *out)
{
    (void)v;
    (void)a;
    return lw_potential_energy(m, d, q, out);
}

static lw_status momentum(const lw_model *m, lw_data *d, const double *q, const double *v,
                          const double *a, double *out)
{
    (void)a;
    return lw_momentum(m, d, q, v, (lw_force *)(void *)out);
}

static lw_status centroidal(const lw_model *m, lw_data *d, const double *q, const double *v,
                            const double *a, double *out)
{
    (void)a;
    return lw_centroidal_momentum(m, d, q, v, (lw_force *)(void *)out, NULL);
}

static lw_status centroidal_rate(const lw_model *m, lw_data *d, const double *q, const double *v,
                                 const double *a, double *out)
{
    return lw_centroidal_momentum_rate(m, d, q, v, a, (lw_force *)(void *)out);
}

static lw_status centroidal_matrix(const lw_model *m, lw_data *d, const double *q, const double *v,
                                   const double *a, double *out)
{
    (void)v;
    (void)a;
    return lw_centroidal_momentum_matrix(m, d, q, out);
}

static lw_status reactions(const lw_model *m, lw_data *d, const double *q, const double *v,
                           const double *a, double *out)
{
    return lw_reaction_forces(m, d, q, v, a, NULL, (lw_force *)(void *)out);
}

static const struct {
    const char *name;
    evaluate *run;
    bool takes_v, takes_a;
} FUNCTIONS[] = {
    {"inverse dynamics", inverse, true, true},
    {"forward dynamics", forward, true, true},
    {"mass matrix", mass, false, false},
    {"gravity", gravity, false, false},
    {"bias", bias, true, false},
    {"Coriolis", coriolis, true, false},
    {"kinetic energy", kinetic, true, false},
    {"potential energy", potential, false, false},
    {"momentum", momentum, true, false},
    {"centroidal", centroidal, true, false},
    {"centroidal rate", centroidal_rate, true, true},
    {"matrix", centroidal_matrix, false, false},
    {"reactions", reactions, true, true},
};
enum { NFUNCTION = sizeof FUNCTIONS / sizeof *FUNCTIONS };

static size_t room_of(const lw_model *m)
{
    const size_t n = (size_t)m->nv, b = (size_t)m->nbody;
    return 6 * n + n * n + 6 * b + 16;
}

static void refused(const lw_model *m, lw_data *d, evaluate *run, const law_state *s,
                    const char *what)
{
    const size_t n = room_of(m);
    double *out = malloc(n * sizeof *out);
    for (size_t k = 0; k < n; ++k) {
        out[k] = UNTOUCHED;
    }
    if (!CHECK_INT(run(m, d, s->q, s->v, s->a, out), LW_ERR_NUMBER)) {
        printf("with %s\n", what);
    }
    for (size_t k = 0; k < n; ++k) {
        CHECK(out[k] == UNTOUCHED);
    }
    free(out);
}

static void visit_D51(const lw_model *m, lw_data *d)
{
    law_state s;
    const bool is_good = law_make(m, d, &s);
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int f = 0; f < NFUNCTION && is_good && m->nv > 0; ++f) {
        const double value = bad[f % 3];
        const int i = (int)check_random(0, m->nq), k = (int)check_random(0, m->nv);
        const double q = s.q[i], v = s.v[k], a = s.a[k];
        s.q[i] = value;
        refused(m, d, FUNCTIONS[f].run, &s, FUNCTIONS[f].name);
        s.q[i] = q;
        s.v[k] = value;
        if (FUNCTIONS[f].takes_v) {
            refused(m, d, FUNCTIONS[f].run, &s, FUNCTIONS[f].name);
        }
        s.v[k] = v;
        s.a[k] = value;
        if (FUNCTIONS[f].takes_a) {
            refused(m, d, FUNCTIONS[f].run, &s, FUNCTIONS[f].name);
        }
        s.a[k] = a;
    }
    law_free(&s);
}

TEST(D51_what_is_not_finite_is_refused_and_outputs_stay)
{
    every_machine(visit_D51);
}

// Numbers of a model may be so large that results overflow: that is no success.
TEST(D51_results_that_overflow_are_no_success)
{
    for (int closed = 0; closed < 2; ++closed) {
        char text[900];
        snprintf(
            text, sizeof text,
            "<linkwork version=\"1\" name=\"huge\"><ground/>"
            "<joint name=\"a\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" to=\"x\"/>"
            "<link name=\"x\" mass=\"1e300\" center=\"1 0 0\" inertia=\"1 1 1\"/>"
            "<joint name=\"b\" type=\"revolute\" axis=\"0 1 0\" from=\"ground\" to=\"y\"/>"
            "<link name=\"y\" mass=\"1e-300\" center=\"1 0 0\" inertia=\"1e-300 1e-300 1e-300\""
            "/>%s</linkwork>",
            closed ? "<coupling joint=\"b\" of=\"a\" polynomial=\"0 1e150\"/>" : "");
        lw_model *m = compile_text("huge.xml", text, NULL);
        lw_data *d = new_data(m);
        const double q[2] = {0.0}, zero[2] = {0.0}, a[2] = {1e10, 1e10}, v[2] = {1e200, 1e200};
        double tau[2] = {0.0, 0.0};
        CHECK_INT(lw_inverse_dynamics(m, d, q, zero, a, NULL, tau), LW_ERR_NUMBER);
        CHECK_INT(lw_inverse_dynamics(m, d, q, zero, zero, NULL, tau), LW_OK);
        CHECK(isfinite(tau[0]) && isfinite(tau[1]));
        CHECK_INT(lw_bias_forces(m, d, q, v, tau), LW_ERR_NUMBER);
        if (!closed) {
            const double large[2] = {0.0, 1e200};
            CHECK_INT(lw_forward_dynamics(m, d, q, zero, large, NULL, tau), LW_ERR_NUMBER);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

TEST(D51_a_quaternion_of_length_zero_is_refused)
{
    lw_model *m = zoo_model(ZOO_FREE);
    lw_data *d = m ? new_data(m) : NULL;
    law_state s = {0};
    if (d && law_make(m, d, &s)) {
        memset(&s.q[3], 0, 4 * sizeof *s.q);
        for (int f = 0; f < NFUNCTION; ++f) {
            refused(m, d, FUNCTIONS[f].run, &s, FUNCTIONS[f].name);
        }
    }
    law_free(&s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// A quaternion may have any other length.
TEST(D51_quaternions_are_used_as_if_normalised)
{
    lw_model *m = zoo_model(ZOO_FREE);
    lw_data *d = m ? new_data(m) : NULL;
    law_state s = {0};
    if (d && law_make(m, d, &s)) {
        const size_t n = room_of(m);
        double *one = calloc(n, sizeof *one), *other = calloc(n, sizeof *other);
        for (int f = 0; f < NFUNCTION; ++f) {
            CHECK_INT(FUNCTIONS[f].run(m, d, s.q, s.v, s.a, one), LW_OK);
            for (int k = 0; k < 4; ++k) {
                s.q[3 + k] *= -3.5;
            }
            CHECK_INT(FUNCTIONS[f].run(m, d, s.q, s.v, s.a, other), LW_OK);
            CHECK_CLOSE(other, one, (int)n, 1e-12 * (1 + largest(one, (int)n)));
        }
        free(one);
        free(other);
    }
    law_free(&s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(D51_arguments_are_checked)
{
    lw_model *m = zoo_model(ZOO_REVOLUTE), *other = zoo_model(ZOO_REVOLUTE);
    lw_data *d = m ? new_data(m) : NULL;
    law_state s = {0};
    if (d && other && law_make(m, d, &s)) {
        double *out = calloc(room_of(m), sizeof *out);
        for (int f = 0; f < NFUNCTION; ++f) {
            evaluate *run = FUNCTIONS[f].run;
            CHECK_INT(run(NULL, d, s.q, s.v, s.a, out), LW_ERR_ARGUMENT);
            CHECK_INT(run(m, NULL, s.q, s.v, s.a, out), LW_ERR_ARGUMENT);
            CHECK_INT(run(other, d, s.q, s.v, s.a, out), LW_ERR_ARGUMENT);
            CHECK_INT(run(m, d, NULL, s.v, s.a, out), LW_ERR_ARGUMENT);
            CHECK_INT(run(m, d, s.q, s.v, s.a, NULL), LW_ERR_ARGUMENT);
            if (FUNCTIONS[f].takes_v) {
                CHECK_INT(run(m, d, s.q, NULL, s.a, out), LW_ERR_ARGUMENT);
            }
            if (FUNCTIONS[f].takes_a) {
                CHECK_INT(run(m, d, s.q, s.v, NULL, out), LW_ERR_ARGUMENT);
            }
        }
        free(out);
        lw_force f;
        CHECK_INT(lw_add_force_at_frame(m, d, -1, LW_IN_FRAME, &f, s.f_ext), LW_ERR_ARGUMENT);
        CHECK_INT(lw_add_force_at_frame(m, d, m->nframe_all, LW_IN_FRAME, &f, s.f_ext),
                  LW_ERR_ARGUMENT);
        CHECK_INT(lw_add_force_at_frame(m, d, 1, LW_IN_WORLD, &f, s.f_ext), LW_ERR_STAGE);
        CHECK_INT(lw_set_dynamics_options(NULL, NULL), LW_ERR_ARGUMENT);
        lw_dynamics_options options = lw_default_dynamics_options(m);
        options.gravity.y = (double)NAN;
        CHECK_INT(lw_set_dynamics_options(d, &options), LW_ERR_NUMBER);
        CHECK_NEAR(lw_get_dynamics_options(d).gravity.z, m->gravity.z, 0.0);
        CHECK_INT(lw_data_failure(NULL, LW_ERR_SINGULAR).dof, -1);
    }
    law_free(&s);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_model_destroy(other);
}

// Outputs may stand in the place of inputs where the header says so.
static void visit_aliases(const lw_model *m, lw_data *d)
{
    law_state s;
    if (law_make(m, d, &s)) {
        const size_t size = (size_t)m->nv * sizeof *s.x;
        CHECK_INT(lw_inverse_dynamics(m, d, s.q, s.v, s.a, s.f_ext, s.x), LW_OK);
        memcpy(s.y, s.a, size);
        CHECK_INT(lw_inverse_dynamics(m, d, s.q, s.v, s.y, s.f_ext, s.y), LW_OK);
        CHECK(memcmp(s.x, s.y, size) == 0);
        CHECK_INT(lw_bias_forces(m, d, s.q, s.v, s.x), LW_OK);
        memcpy(s.y, s.v, size);
        CHECK_INT(lw_bias_forces(m, d, s.q, s.y, s.y), LW_OK);
        CHECK(memcmp(s.x, s.y, size) == 0);
        memcpy(s.y, s.a, size);
        if (lw_forward_dynamics(m, d, s.q, s.v, s.a, s.f_ext, s.x) == LW_OK) {
            CHECK_INT(lw_forward_dynamics(m, d, s.q, s.v, s.y, s.f_ext, s.y), LW_OK);
            CHECK(memcmp(s.x, s.y, size) == 0);
        }
    }
    law_free(&s);
}

TEST(D38_outputs_may_take_the_place_of_inputs)
{
    every_machine(visit_aliases);
}

// --- K15: degrees of freedom that move nothing
// ----------------------------------------------------------

static lw_part joint_about(lw_mech *mech, lw_port port, const char *name, lw_vec3 axis,
                           lw_joint_type type)
{
    lw_joint_def joint = lw_default_joint_def();
    joint.name = name;
    joint.type = type;
    joint.axis = axis;
    const lw_part part = lw_add_joint(mech, &joint);
    CHECK_INT(lw_connect(mech, port, lw_port_of(mech, part, "a")), LW_OK);
    return part;
}

static lw_port add_link(lw_mech *mech, lw_part joint, const char *name, double m)
{
    lw_link_def link = lw_default_link_def();
    link.name = name;
    link.mass = m;
    link.inertial = lw_placement_xyz(0.3, 0, 0.1);
    link.inertia = (lw_sym3){m, m, m, 0, 0, 0};
    link.b = lw_placement_xyz(0.5, 0, 0);
    const lw_part part = lw_add_link(mech, &link);
    CHECK_INT(lw_connect(mech, lw_port_of(mech, joint, "b"), lw_port_of(mech, part, "a")), LW_OK);
    return lw_port_of(mech, part, "b");
}

// Two joints with the given axes; the link between them, or the last one, has no mass.
static void check_singular(lw_vec3 first, lw_vec3 second, lw_joint_type type, double between,
                           double tip, const char *singular_dof)
{
    lw_mech *mech = new_mech("singular");
    lw_ground_def ground = lw_default_ground_def();
    lw_port port = lw_port_of(mech, lw_add_ground(mech, &ground), "b");
    const lw_part base = joint_about(mech, port, "base", lw_vec3_of(0, 0, 1), LW_JOINT_REVOLUTE);
    port = add_link(mech, base, "column", 2.0);
    const lw_part one = joint_about(mech, port, "one", first, type);
    if (between > 0.0) {
        port = add_link(mech, one, "between", between);
    } else {
        port = lw_port_of(mech, one, "b");
    }
    const lw_part two = joint_about(mech, port, "two", second, type);
    add_link(mech, two, "tip", tip);
    lw_model *m = compile_checked(mech, NULL);
    lw_data *d = m ? new_data(m) : NULL;
    if (d && CHECK_INT(m->nv, 3)) {
        const double q[3] = {0.3, 0, 0}, v[3] = {1, 2, 3}, tau[3] = {1, 1, 1};
        double a[3] = {UNTOUCHED, UNTOUCHED, UNTOUCHED};
        const lw_status status = lw_forward_dynamics(m, d, q, v, tau, NULL, a);
        if (singular_dof) {
            CHECK_INT(status, LW_ERR_SINGULAR);
            const int k = lw_data_failure(d, LW_ERR_SINGULAR).dof;
            CHECK(k >= 0 && k < 3);
            CHECK_TEXT(k >= 0 ? m->velocity_name[k] : "", singular_dof);
            CHECK(a[0] == UNTOUCHED && a[1] == UNTOUCHED && a[2] == UNTOUCHED);
        } else {
            CHECK_INT(status, LW_OK);
        }
    }
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_mech_destroy(mech);
}

TEST(K15_a_dof_that_moves_no_inertia_is_named)
{
    const lw_vec3 x = {1, 0, 0}, y = {0, 1, 0}, odd = {0.36, 0.48, 0.8};
    check_singular(y, x, LW_JOINT_REVOLUTE, 0.5, 0.0, "two");     // a tip without mass
    check_singular(odd, odd, LW_JOINT_REVOLUTE, 0.0, 1.0, "one"); // two joints about one axis
    check_singular(x, x, LW_JOINT_PRISMATIC, 0.0, 1.0, "one");
    check_singular(odd, odd, LW_JOINT_PRISMATIC, 0.0, 1.0, "one");
    check_singular(x, y, LW_JOINT_REVOLUTE, 0.0, 1.0, NULL); // a universal joint is none of these
    check_singular(x, odd, LW_JOINT_PRISMATIC, 0.0, 1.0, NULL);
    check_singular(y, x, LW_JOINT_REVOLUTE, 0.5, 1e-9, NULL); // light is not massless
}

// --- C24: stateless models --------------------------------------------------------------------

typedef struct share {
    const lw_model *m;
    const law_state *s;
    double *out;
    size_t size;
} share;

static void run_all(const lw_model *m, lw_data *d, const law_state *s, double *out, size_t n)
{
    for (int f = 0; f < NFUNCTION; ++f) {
        FUNCTIONS[f].run(m, d, s->q, s->v, s->a, out + (size_t)f * n);
    }
}

static void *run_share(void *argument)
{
    const share *part = argument;
    lw_data *d = new_data(part->m);
    for (int k = 0; k < 50 && d; ++k) {
        run_all(part->m, d, part->s, part->out, part->size);
    }
    lw_data_destroy(d);
    return NULL;
}

static void visit_C24(const lw_model *m, lw_data *d)
{
    enum { THREADS = 4 };
    law_state s;
    if (law_make(m, d, &s) && m->nv <= MOST) {
        const unsigned long long hash = lw_model_hash(m);
        const size_t n = room_of(m), bytes = NFUNCTION * n * sizeof(double);
        double *first = calloc(NFUNCTION * n, sizeof *first);
        run_all(m, d, &s, first, n);
        pthread_t thread[THREADS];
        share part[THREADS];
        for (int k = 0; k < THREADS; ++k) {
            part[k] = (share){m, &s, calloc(NFUNCTION * n, sizeof(double)), n};
            CHECK(pthread_create(&thread[k], NULL, run_share, &part[k]) == 0);
        }
        for (int k = 0; k < THREADS; ++k) {
            pthread_join(thread[k], NULL);
            CHECK(memcmp(part[k].out, first, bytes) == 0);
            free(part[k].out);
        }
        CHECK(lw_model_hash(m) == hash);
        free(first);
    }
    law_free(&s);
}

TEST(C24_threads_share_a_model_and_get_the_same_bits)
{
    every_machine(visit_C24);
}

// Results do not depend on what the data was used for before.
static void visit_order(const lw_model *m, lw_data *d)
{
    law_state s, t;
    const bool is_good = law_make(m, d, &s);
    if (law_make(m, d, &t) && is_good) {
        const size_t n = room_of(m);
        double *fresh = calloc(n, sizeof *fresh), *used = calloc(n, sizeof *used);
        for (int f = 0; f < NFUNCTION; ++f) {
            lw_data *e = new_data(m);
            memset(fresh, 0, n * sizeof *fresh);
            memset(used, 0, n * sizeof *used);
            FUNCTIONS[f].run(m, e, s.q, s.v, s.a, fresh);
            for (int g = 0; g < NFUNCTION; ++g) {
                FUNCTIONS[g].run(m, d, t.q, t.v, t.a, used);
            }
            memset(used, 0, n * sizeof *used);
            FUNCTIONS[f].run(m, d, s.q, s.v, s.a, used);
            CHECK(memcmp(fresh, used, n * sizeof *fresh) == 0);
            lw_data_destroy(e);
        }
        free(fresh);
        free(used);
    }
    law_free(&s);
    law_free(&t);
}

TEST(C24_no_function_depends_on_an_earlier_call)
{
    every_machine(visit_order);
}

int main(void)
{
    RUN(D51_what_is_not_finite_is_refused_and_outputs_stay);
    RUN(D51_results_that_overflow_are_no_success);
    RUN(D51_a_quaternion_of_length_zero_is_refused);
    RUN(D51_quaternions_are_used_as_if_normalised);
    RUN(D51_arguments_are_checked);
    RUN(D38_outputs_may_take_the_place_of_inputs);
    RUN(K15_a_dof_that_moves_no_inertia_is_named);
    RUN(C24_threads_share_a_model_and_get_the_same_bits);
    RUN(C24_no_function_depends_on_an_earlier_call);
    return REPORT();
}
