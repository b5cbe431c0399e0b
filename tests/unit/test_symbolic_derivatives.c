// Derived derivatives: laws that tie them to the functions that they are derivatives of, without
// the numeric engine, and their operation counts beside those of CasADi. test_symbolic_models.c
// compares them with the numeric engine.
#include "arrays.h"
#include "check.h"
#include "load_text.h"
#include "objects.h"
#include "reference.h"

#include <linkwork/derivatives.h>
#include <linkwork/engine.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Trees with every kind of joint, a free base, gears, closed forms, a Newton block, legs, springs
// and friction.
static const char *const machines[] = {
    "ur5_class.xml",           "stanford.xml",        "scara.xml",
    "rocky7_class.xml",        "vibran6.xml",         "closed/four_bar.xml",
    "closed/slider_crank.xml", "closed/delta.xml",    "closed/driven_wrist.xml",
    "closed/rssr.xml",         "closed/stewart.xml",  "closed/palletiser.xml",
    "closed/bennett.xml",      "closed/excavator.xml"};

typedef struct machine {
    lw_model *m;
    lw_data *d;
    lw_derivation *of;
    int frame;
    double *q, *v, *a, *tau, *one, *two, *matrix, *forward, *aside;
} machine;

static bool open_machine(machine *p, lw_model *m, unsigned functions)
{
    *p = (machine){.m = m};
    if (!CHECK(m != NULL)) {
        return false;
    }
    lw_derive_options options = lw_default_derive_options();
    lw_report *report = new_report();
    const int square = 3 * m->nv * m->nv + 6 * m->nv;
    p->frame = m->nframe - 1;
    options.functions = functions;
    options.effort = 0;
    options.frame = p->frame;
    p->d = new_data(m);
    p->q = numbers(m->nq);
    p->aside = numbers(m->nq);
    p->v = numbers(m->nv);
    p->a = numbers(m->nv);
    p->tau = numbers(m->nv);
    p->one = numbers(square);
    p->two = numbers(square);
    p->matrix = numbers(square);
    p->forward = numbers(square);
    const bool is_good =
        CHECK(p->d != NULL) && CHECK_INT(lw_derive(m, &options, &p->of, report), LW_OK);
    lw_report_destroy(report);
    unsigned long long seed = 11;
    if (is_good) {
        lw_random_state(m, p->d, &seed, 0.1, p->q, p->v, p->a, p->tau);
    }
    return is_good;
}

static void close_machine(machine *p)
{
    double *const arrays[] = {p->q,   p->v,      p->a,       p->tau,  p->one,
                              p->two, p->matrix, p->forward, p->aside};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        free(arrays[i]);
    }
    lw_derivation_destroy(p->of);
    lw_data_destroy(p->d);
    lw_model_destroy(p->m);
}

static lw_model *shipped(const char *name)
{
    char path[500];
    snprintf(path, sizeof path, LINKWORK_SOURCE_DIR "/models/%s", name);
    check_case("%s", name);
    return compile_file(path, false);
}

// A function at q, v, a with one of these moved along degree of freedom `dof` by h.
static bool run_aside(machine *p, lw_function f, int block, int dof, double h, double *out)
{
    double *x = block == 1 ? p->v : p->a, *unit = numbers(p->m->nv);
    const double before = x[dof];
    unit[dof] = 1.0;
    bool is_good = CHECK_INT(lw_integrate(p->m, p->q, unit, block == 0 ? h : 0.0, p->aside), LW_OK);
    x[dof] += block == 0 ? 0.0 : h;
    is_good = is_good &&
              CHECK_INT(lw_derivation_run(p->of, f, p->aside, p->v, p->a, 0, NULL, out), LW_OK);
    x[dof] = before;
    free(unit);
    return is_good;
}

// Column `dof` of a derivative, by central differences of sixth order.
static bool difference(machine *p, lw_function f, int block, int dof, int n, double *sum, double *x)
{
    static const double share[3] = {45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0}, h = 0x1p-8;
    for (int i = 0; i < n; ++i) {
        sum[i] = 0.0;
    }
    for (int k = 1; k <= 3; ++k) {
        for (int sign = -1; sign <= 1; sign += 2) {
            if (!run_aside(p, f, block, dof, sign * k * h, x)) {
                return false;
            }
            for (int i = 0; i < n; ++i) {
                sum[i] += sign * share[k - 1] * x[i] / h;
            }
        }
    }
    return true;
}

TEST(D36_R45_derivatives_are_differences_of_inverse_dynamics)
{
    const lw_function derivatives = LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES;
    for (size_t k = 0; k < sizeof machines / sizeof *machines; ++k) {
        machine p;
        if (open_machine(&p, shipped(machines[k]),
                         1u << derivatives | 1u << LW_FUNCTION_INVERSE_DYNAMICS) &&
            CHECK_INT(lw_derivation_run(p.of, derivatives, p.q, p.v, p.a, 0, NULL, p.matrix),
                      LW_OK)) {
            const int n = p.m->nv;
            // The differences are cut off at h^6 and lose digits to h.
            const double tolerance = 2e-8 * largest(p.matrix, 3 * n * n);
            for (int c = 0; c < 3 * n; ++c) {
                if (!difference(&p, LW_FUNCTION_INVERSE_DYNAMICS, c / n, c % n, n, p.one, p.two)) {
                    break;
                }
                for (int i = 0; i < n; ++i) {
                    CHECK_NEAR(p.matrix[(c / n * n + i) * n + c % n], p.one[i], tolerance);
                }
            }
        }
        close_machine(&p);
    }
}

// M da/dx = -dtau/dx at the accelerations themselves, and M da/dtau = 1; the inverse of M by itself
// is da/dtau, and symmetric bit by bit.
TEST(R45_forward_derivatives_solve_those_of_inverse)
{
    const lw_function inverse = LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES,
                      forward = LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES,
                      dynamics = LW_FUNCTION_FORWARD_DYNAMICS,
                      inverse_mass = LW_FUNCTION_INVERSE_MASS_MATRIX;
    for (size_t k = 0; k < sizeof machines / sizeof *machines; ++k) {
        machine p;
        lw_model *m = shipped(machines[k]);
        if (m && open_machine(&p, m, 1u << inverse)) {
            lw_derivation *of = NULL;
            lw_derive_options options = lw_default_derive_options();
            options.functions = 1u << forward | 1u << dynamics | 1u << inverse_mass;
            options.effort = 0;
            const lw_status status = lw_derive(m, &options, &of, NULL);
            CHECK(status == LW_OK || status == LW_ERR_SINGULAR);
            const int n = m->nv;
            if (of &&
                CHECK_INT(lw_derivation_run(of, dynamics, p.q, p.v, p.tau, 0, NULL, p.a), LW_OK)) {
                CHECK_INT(lw_derivation_run(of, forward, p.q, p.v, p.tau, 0, NULL, p.forward),
                          LW_OK);
                CHECK_INT(lw_derivation_run(p.of, inverse, p.q, p.v, p.a, 0, NULL, p.matrix),
                          LW_OK);
                const double *M = p.matrix + 2 * n * n;
                for (int e = 0; e < 3 * n * n; ++e) {
                    const int block = e / (n * n), i = e / n % n, j = e % n;
                    double sum = block < 2 ? p.matrix[e] : -(double)(i == j), size = fabs(sum);
                    for (int l = 0; l < n; ++l) {
                        const double part = M[i * n + l] * p.forward[(block * n + l) * n + j];
                        sum += part;
                        size += fabs(part);
                    }
                    CHECK_NEAR(sum, 0.0, 1e-11 * (1.0 + size));
                }
                const double *by_tau = p.forward + 2 * n * n;
                const double most = largest(by_tau, n * n);
                CHECK_INT(lw_derivation_run(of, inverse_mass, p.q, NULL, NULL, 0, NULL, p.one),
                          LW_OK);
                for (int e = 0; e < n * n; ++e) {
                    CHECK_NEAR(p.one[e], by_tau[e], 1e-11 * most);
                    CHECK_NEAR(p.one[e], p.one[e % n * n + e / n], 0.0);
                }
            }
            lw_derivation_destroy(of);
            close_machine(&p);
        }
    }
}

TEST(D36_jacobian_rate)
{
    const lw_function rate = LW_FUNCTION_JACOBIAN_RATE;
    for (size_t k = 0; k < sizeof machines / sizeof *machines; ++k) {
        machine p;
        if (open_machine(&p, shipped(machines[k]), 1u << rate | 1u << LW_FUNCTION_JACOBIAN) &&
            CHECK_INT(lw_derivation_run(p.of, rate, p.q, p.v, NULL, 0, NULL, p.matrix), LW_OK)) {
            const int n = p.m->nv;
            CHECK_INT(
                lw_frame_jacobian_rate(p.m, p.d, p.q, p.v, p.frame, LW_IN_WORLD, NULL, p.forward),
                LW_OK);
            const double size = 1.0 + largest(p.matrix, 6 * n);
            for (int i = 0; i < 6 * n; ++i) {
                CHECK_NEAR(p.forward[i], p.matrix[i], 1e-11 * size);
            }
            // Each entry is the sum of its derivatives by positions times the velocities.
            for (int i = 0; i < 6 * n; ++i) {
                p.forward[i] = 0.0;
            }
            for (int c = 0; c < n; ++c) {
                if (difference(&p, LW_FUNCTION_JACOBIAN, 0, c, 6 * n, p.one, p.two)) {
                    for (int i = 0; i < 6 * n; ++i) {
                        p.forward[i] += p.one[i] * p.v[c];
                    }
                }
            }
            for (int i = 0; i < 6 * n; ++i) {
                CHECK_NEAR(p.matrix[i], p.forward[i], 1e-8 * (1.0 + largest(p.matrix, 6 * n)));
            }
        }
        close_machine(&p);
    }
}

// CasADi differentiates the recursion into 1576 multiplications and 1112 additions for the UR5,
// and 7268 of both for the Panda. The goal is 0.6 of these; this is without a search.
TEST(R45_fewer_operations_than_casadi)
{
    static const struct {
        const char *file;
        int most;
    } robots[] = {{"models/urdf/ur5.urdf", 1613}, {"models/urdf/panda.urdf", 4361}};
    for (int k = 0; k < 2; ++k) {
        machine p = {0};
        lw_model *m = shared_model(robots[k].file, false);
        const lw_function f = LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES;
        if (m && open_machine(&p, m, 1u << f)) {
            const lw_counts c = lw_derivation_counts(p.of, f);
            printf("%s: %d multiplications, %d additions\n", robots[k].file, c.mul, c.add);
            CHECK(c.mul + c.add + c.div + c.sqrt <= robots[k].most);
        }
        if (m) {
            close_machine(&p);
        }
    }
}

// By numbers of the model, through all kinds of closure: against differences of models in which the
// number of the description is another.
TEST(D36_D39_derivatives_by_parameters)
{
    // Nothing to differentiate by; lengths where equations have numbers for them.
    static const struct {
        const char *file, *input;
        lw_status status;
    } bad[] = {{"ur5_class.xml", NULL, LW_ERR_ARGUMENT},
               {"closed/delta.xml", "l_left1", LW_ERR_UNSUPPORTED},
               {"closed/four_bar.xml", "py_crank", LW_ERR_UNSUPPORTED},
               {"closed/bennett.xml", "a_two", LW_ERR_UNSUPPORTED},
               {"closed/stewart.xml", "px_cylinder1", LW_ERR_UNSUPPORTED}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        lw_model *m = shipped(bad[i].file);
        lw_derivation *of = NULL;
        lw_derive_options options = lw_default_derive_options();
        options.functions = 1u << LW_FUNCTION_PARAMETER_DERIVATIVES;
        options.inputs = bad[i].input;
        options.effort = 0;
        CHECK_INT(lw_derive(m, &options, &of, NULL), bad[i].status);
        CHECK(!of);
        lw_model_destroy(m);
    }

    static const struct {
        const char *file, *input, *name;
    } all[] = {{"ur5_class.xml", "m_forearm", "forearm.mass"},
               {"closed/palletiser.xml", "l_LAB", "LAB.length"},
               {"closed/palletiser.xml", "m_LAB", "LAB.mass"},
               {"closed/palletiser.xml", "f_R2", "R2.friction"},
               {"closed/palletiser.xml", "a_L34", "R3.before.z"},
               {"closed/palletiser.xml", "m_Payload", "Payload.mass"},
               {"closed/four_bar.xml", "m_rocker", "rocker.mass"},
               {"closed/four_bar.xml", "px_rocker", "rocker.before.x"},
               {"closed/slider_crank.xml", "l_conrod", "conrod.length"},
               {"closed/delta.xml", "px_arm1", "arm1.before.x"},
               {"closed/delta.xml", "m_left2", "left2.mass"},
               {"closed/rssr.xml", "m_rocker", "rocker.mass"},
               {"closed/rssr.xml", "px_ball", "crank.pin.x"},
               {"closed/stewart.xml", "m_platform", "platform.mass"},
               {"closed/stewart_sps.xml", "m_platform", "platform.mass"},
               {"closed/stewart_sps.xml", "px_foot2", "ground.foot2.x"},
               {"closed/stephenson.xml", "px_arm", "coupler.third.z"},
               {"panda_class.xml", "c1_gripper", "gripper.c1"},
               {"closed/driven_wrist.xml", "m_hand", "hand.mass"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        char path[500];
        lw_mech *mech = NULL;
        lw_derivation *of = NULL;
        lw_variation *x = NULL;
        snprintf(path, sizeof path, LINKWORK_SOURCE_DIR "/models/%s", all[i].file);
        check_case("%s, %s", all[i].file, all[i].input);
        lw_model *m = compile_path(path, &mech);
        lw_data *d = m ? new_data(m) : NULL;
        lw_derive_options options = lw_default_derive_options();
        options.functions = 1u << LW_FUNCTION_PARAMETER_DERIVATIVES;
        options.inputs = all[i].input;
        options.effort = 0;
        if (CHECK_INT(lw_derive(m, &options, &of, NULL), LW_OK) &&
            CHECK_INT(lw_variation_create(mech, NULL, m, all[i].name, &x), LW_OK) &&
            CHECK_INT(lw_derivation_nsymbol(of), 1)) {
            double q[64], v[64], a[64], tau[64], want[64], got[64];
            unsigned long long seed = 7;
            CHECK_INT(lw_derivation_size(of, LW_FUNCTION_PARAMETER_DERIVATIVES), m->nv);
            lw_random_state(m, d, &seed, 0.1, q, v, a, tau);
            CHECK_INT(lw_force_sensitivity(m, d, x, q, v, a, NULL, want), LW_OK);
            CHECK_INT(
                lw_derivation_run(of, LW_FUNCTION_PARAMETER_DERIVATIVES, q, v, a, 0, NULL, got),
                LW_OK);
            const double size = largest(want, m->nv);
            CHECK(size > 1e-6);
            for (int k = 0; k < m->nv; ++k) {
                CHECK_NEAR(got[k], want[k], 1e-7 * size);
            }
        }
        lw_variation_destroy(x);
        lw_derivation_destroy(of);
        lw_data_destroy(d);
        lw_model_destroy(m);
        lw_mech_destroy(mech);
    }
}

// Lengths of planar loops and of legs are inputs that the equations follow: at other values they
// are those of the mechanism that is described with these.
TEST(lengths_of_loops_are_inputs)
{
    static const struct {
        const char *file, *input, *name;
        double change;
    } all[] = {{"closed/four_bar.xml", "px_rocker", "ground.right.x", 0.02},
               {"closed/stephenson.xml", "px_arm", "coupler.third.z", 0.01},
               {"closed/rssr.xml", "px_ball", "crank.pin.x", 0.005},
               {"closed/stewart_sps.xml", "px_foot2", "ground.foot2.x", 0.01}};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        char path[500];
        lw_mech *mech = NULL;
        lw_model *other = NULL;
        lw_derivation *of = NULL;
        double before;
        snprintf(path, sizeof path, LINKWORK_SOURCE_DIR "/models/%s", all[i].file);
        check_case("%s, %s", all[i].file, all[i].input);
        lw_model *m = compile_path(path, &mech);
        lw_derive_options options = lw_default_derive_options();
        options.inputs = all[i].input;
        options.effort = 0;
        if (CHECK_INT(lw_derive(m, &options, &of, NULL), LW_OK) &&
            CHECK_INT(lw_get_parameter(mech, all[i].name, &before), LW_OK) &&
            CHECK_INT(lw_set_parameter(mech, all[i].name, before + all[i].change), LW_OK) &&
            CHECK_INT(lw_compile(mech, NULL, &other, NULL), LW_OK)) {
            double q[64], v[64], a[64], tau[64], want[64], got[64];
            const double value = lw_derivation_symbol(of, 0).value + all[i].change;
            unsigned long long seed = 7;
            lw_data *d = new_data(other);
            lw_random_state(other, d, &seed, 0.1, q, v, a, tau);
            lw_data_restart(d);
            CHECK_INT(lw_inverse_dynamics(other, d, q, v, a, NULL, want), LW_OK);
            CHECK_INT(lw_derivation_run(of, LW_FUNCTION_INVERSE_DYNAMICS, q, v, a, 0, &value, got),
                      LW_OK);
            for (int k = 0; k < other->nv; ++k) {
                CHECK_NEAR(got[k], want[k], 1e-10 * largest(want, other->nv));
            }
            lw_data_destroy(d);
        }
        lw_derivation_destroy(of);
        lw_model_destroy(other);
        lw_model_destroy(m);
        lw_mech_destroy(mech);
    }
}

int main(void)
{
    RUN(lengths_of_loops_are_inputs);
    RUN(D36_R45_derivatives_are_differences_of_inverse_dynamics);
    RUN(R45_forward_derivatives_solve_those_of_inverse);
    RUN(D36_jacobian_rate);
    RUN(D36_D39_derivatives_by_parameters);
    RUN(R45_fewer_operations_than_casadi);
    return REPORT();
}
