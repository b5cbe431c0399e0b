// Derivatives of inverse and forward dynamics, on every machine there is: against a complex step
// through an independent implementation, against differences of the library's own functions, and by
// the laws that hold between them.
#include <linkwork/linkwork.h>

#include "arrays.h"
#include "dyn/derivative_sweep.h" // before <complex.h>, which takes the letter I
#include "objects.h"

#include "check.h"
#include "complex_dynamics.h"
#include "load_text.h"
#include "random_mech.h"
#include "zoo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A state with everything: external forces, a world in motion, a weight of its own.
typedef struct situation {
    double *q, *v, *a, *tau;
    lw_force *f_ext;
    double *by_q, *by_v, *by_a;
    lw_dynamics_options options;
} situation;

static situation make_situation(const lw_model *m, lw_data *d)
{
    const int n = m->nv;
    situation s = {numbers(m->nq),
                   numbers(n),
                   numbers(n),
                   numbers(n),
                   calloc((size_t)m->nbody + 1, sizeof(lw_force)),
                   numbers(n * n),
                   numbers(n * n),
                   numbers(n * n),
                   lw_default_dynamics_options(m)};
    zoo_state(m, s.q, s.v, s.a);
    for (int i = 0; i < m->nbody; ++i) {
        s.f_ext[i] = (lw_force){random3(1.0), random3(5.0)};
    }
    s.options.base_velocity = (lw_motion){random3(0.5), random3(1.0)};
    s.options.base_acceleration = (lw_motion){random3(0.5), random3(1.0)};
    CHECK_INT(lw_set_dynamics_options(d, &s.options), LW_OK);
    return s;
}

static void free_situation(situation *s)
{
    free(s->q);
    free(s->v);
    free(s->a);
    free(s->tau);
    free(s->f_ext);
    free(s->by_q);
    free(s->by_v);
    free(s->by_a);
}

// Each row is one force, with a size of its own; rows that are zero by cancellation keep the
// rounding of what cancels, some epsilon of the whole matrix and of the external forces, which are
// of the size of 1.
static void check_rows(int n, const double *actual, const double *wanted, double tolerance)
{
    const double floor = 1e-14 * (1.0 + largest(wanted, n * n));
    for (int i = 0; i < n; ++i) {
        const double margin = tolerance * largest(wanted + i * n, n) + floor;
        for (int j = 0; j < n; ++j) {
            if (!CHECK_NEAR(actual[i * n + j], wanted[i * n + j], margin)) {
                return; // one line a matrix is enough
            }
        }
    }
}

static void complex_column(const lw_model *m, const situation *s, int k, int which, double *column)
{
    const double h = 1e-80; // its square vanishes beside 1, so nothing is cut off
    double complex *q = calloc((size_t)(m->nq + 3 * m->nv), sizeof *q);
    double complex *v = q + m->nq, *a = v + m->nv, *tau = a + m->nv;
    complex_move(m, s->q, k, which == 0 ? h : 0.0, q);
    for (int j = 0; j < m->nv; ++j) {
        v[j] = s->v[j];
        a[j] = s->a[j];
    }
    v[k] += which == 1 ? h * (double complex)_Complex_I : 0.0;
    a[k] += which == 2 ? h * (double complex)_Complex_I : 0.0;
    complex_inverse_dynamics(m, &s->options, q, v, a, s->f_ext, tau);
    for (int j = 0; j < m->nv; ++j) {
        column[j * m->nv] = cimag(tau[j]) / h;
    }
    free(q);
}

// Both sides round their sums of forces and levers, a few hundred epsilon of the largest of them;
// 1e-11 of the largest entry of the row leaves room for rows that are small by cancellation.
static void visit_complex(const lw_model *m, lw_data *d)
{
    if (!complex_can(m)) {
        return;
    }
    const int n = m->nv;
    situation s = make_situation(m, d);
    CHECK_INT(lw_inverse_dynamics_derivatives(m, d, s.q, s.v, s.a, s.f_ext, s.by_q, s.by_v, s.by_a),
              LW_OK);
    double *wanted = numbers(n * n);
    const double *const actual[] = {s.by_q, s.by_v, s.by_a};
    for (int which = 0; which < 3; ++which) {
        for (int k = 0; k < n; ++k) {
            complex_column(m, &s, k, which, wanted + k);
        }
        check_rows(n, actual[which], wanted, 1e-11);
    }
    free(wanted);
    free_situation(&s);
}

TEST(derivatives_of_inverse_dynamics_match_a_complex_step)
{
    every_machine(visit_complex);
}

// --- Differences ------------------------------------------------------------------------------

typedef lw_status (*evaluation)(const lw_model *m, lw_data *d, const double *q, const double *v,
                                const double *x, const lw_force *f_ext, double *result);

// Column k of the derivative by q: central differences of sixth order along the velocity. With
// steps of h = 2^-7 they cut off h^6/140 of the seventh derivative, 2e-13 for a product of two
// sines of one angle, and their rounding is 2 epsilon/h of the value, 5e-14.
static void difference_by_q(const lw_model *m, lw_data *d, const situation *s, evaluation f,
                            const double *x, double h, int k, double *column)
{
    static const double WEIGHT[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
    double *q = numbers(m->nq), *v = numbers(m->nv), *result = numbers(m->nv);
    v[k] = 1.0;
    for (int i = 0; i < m->nv; ++i) {
        column[i * m->nv] = 0.0;
    }
    for (int step = -3; step <= 3; ++step) {
        if (step == 0) {
            continue;
        }
        const double weight = (step < 0 ? -1.0 : 1.0) * WEIGHT[abs(step) - 1] / h;
        CHECK_INT(lw_integrate(m, s->q, v, step * h, q), LW_OK);
        CHECK_INT(f(m, d, q, s->v, x, s->f_ext, result), LW_OK);
        for (int i = 0; i < m->nv; ++i) {
            column[i * m->nv] += weight * result[i];
        }
    }
    free(q);
    free(v);
    free(result);
}

// Column k of the derivative by v: tau is quadratic in v, and so is the acceleration, so a central
// difference is exact. Coulomb friction must not change sign: the step is below every |v|.
static void difference_by_v(const lw_model *m, lw_data *d, const situation *s, evaluation f,
                            const double *x, int k, double *column)
{
    double *v = numbers(m->nv), *ahead = numbers(m->nv), *behind = numbers(m->nv);
    memcpy(v, s->v, (size_t)m->nv * sizeof *v);
    const double h = 0.5 * fabs(v[k]);
    v[k] = s->v[k] + h;
    CHECK_INT(f(m, d, s->q, v, x, s->f_ext, ahead), LW_OK);
    v[k] = s->v[k] - h;
    CHECK_INT(f(m, d, s->q, v, x, s->f_ext, behind), LW_OK);
    for (int i = 0; i < m->nv; ++i) {
        column[i * m->nv] = (ahead[i] - behind[i]) / (2.0 * h);
    }
    free(v);
    free(ahead);
    free(behind);
}

static void no_slow_joints(const lw_model *m, situation *s)
{
    for (int k = 0; k < m->nv; ++k) {
        s->v[k] += s->v[k] < 0.0 ? -0.5 : 0.5;
    }
}

// Normwise, 1e-9 of the largest entry of the matrix and 1e-12 of the largest force, which the
// rounding of the differences is in proportion to.
static void check_all(int n, const double *actual, const double *wanted, double force)
{
    const double margin = 1e-9 * largest(wanted, n * n) + 1e-12 * (1.0 + force);
    for (int i = 0; i < n * n; ++i) {
        if (!CHECK_NEAR(actual[i], wanted[i], margin)) {
            return;
        }
    }
}

static void visit_differences(const lw_model *m, lw_data *d)
{
    const int n = m->nv;
    situation s = make_situation(m, d);
    no_slow_joints(m, &s);
    CHECK_INT(lw_inverse_dynamics(m, d, s.q, s.v, s.a, s.f_ext, s.tau), LW_OK);
    CHECK_INT(lw_inverse_dynamics_derivatives(m, d, s.q, s.v, s.a, s.f_ext, s.by_q, s.by_v, s.by_a),
              LW_OK);
    double *by_q = numbers(n * n), *by_v = numbers(n * n), *M = numbers(n * n);
    for (int k = 0; k < n; ++k) {
        difference_by_q(m, d, &s, lw_inverse_dynamics, s.a, 0x1p-7, k, by_q + k);
        difference_by_v(m, d, &s, lw_inverse_dynamics, s.a, k, by_v + k);
    }
    CHECK_INT(lw_mass_matrix(m, d, s.q, M), LW_OK);
    const double force = largest(s.tau, n);
    check_all(n, s.by_q, by_q, force);
    check_all(n, s.by_v, by_v, force);
    check_rows(n, s.by_a, M, 1e-12); // two algorithms for one matrix
    free(by_q);
    free(by_v);
    free(M);
    free_situation(&s);
}

TEST(derivatives_of_inverse_dynamics_match_differences)
{
    every_machine(visit_differences);
}

// --- Forward dynamics -------------------------------------------------------------------------

// X = A B
static void multiply(int n, const double *A, const double *B, double *X)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k) {
                sum += A[i * n + k] * B[k * n + j];
            }
            X[i * n + j] = sum;
        }
    }
}

// M da = -dtau, at the acceleration that belongs to tau. Both sides of an equation that was solved
// differ by some epsilon of the sizes of its factors, times the degrees of freedom in a row.
static void check_solved(int n, const double *M, const double *X, const double *B, double sign)
{
    double *MX = numbers(n * n);
    multiply(n, M, X, MX);
    const double margin = 1e-13 * n * largest(M, n * n) * largest(X, n * n) + 1e-14;
    for (int i = 0; i < n * n; ++i) {
        if (!CHECK_NEAR(MX[i], sign * B[i], margin)) {
            break;
        }
    }
    free(MX);
}

// M a = M b: accelerations that were found in two ways, whatever the condition of M.
static void check_same_forces(int n, const double *M, const double *a, const double *b)
{
    const double margin = 1e-14 * n * largest(M, n * n) * largest(b, n);
    for (int i = 0; i < n; ++i) {
        double difference = 0.0;
        for (int k = 0; k < n; ++k) {
            difference += M[i * n + k] * (a[k] - b[k]);
        }
        CHECK_NEAR(difference, 0.0, margin);
    }
}

static void visit_forward(const lw_model *m, lw_data *d)
{
    const int n = m->nv;
    situation s = make_situation(m, d);
    double *a = numbers(n), *again = numbers(n), *one = numbers(n * n);
    double *da_dq = numbers(n * n), *da_dv = numbers(n * n), *da_dtau = numbers(n * n);
    for (int k = 0; k < n; ++k) {
        s.tau[k] = check_random(-5.0, 5.0);
        one[k * n + k] = 1.0;
    }
    const lw_status status =
        lw_forward_dynamics_derivatives(m, d, s.q, s.v, s.tau, s.f_ext, a, da_dq, da_dv, da_dtau);
    if (status == LW_ERR_SINGULAR) {
        CHECK(lw_data_failure(d, LW_ERR_SINGULAR).dof >=
              0); // a published robot with a massless tip
    } else if (CHECK_INT(status, LW_OK)) {
        CHECK_INT(lw_forward_dynamics(m, d, s.q, s.v, s.tau, s.f_ext, again), LW_OK);
        CHECK_INT(
            lw_inverse_dynamics_derivatives(m, d, s.q, s.v, a, s.f_ext, s.by_q, s.by_v, s.by_a),
            LW_OK);
        check_same_forces(n, s.by_a, a, again);
        check_solved(n, s.by_a, da_dq, s.by_q, -1.0);
        check_solved(n, s.by_a, da_dv, s.by_v, -1.0);
        check_solved(n, s.by_a, da_dtau, one, 1.0);
        CHECK_INT(lw_inverse_mass_matrix(m, d, s.q, da_dtau), LW_OK);
        check_solved(n, s.by_a, da_dtau, one, 1.0);
        for (int k = 0; k < n * n; ++k) {
            CHECK_NEAR(da_dtau[k], da_dtau[k % n * n + k / n], 0.0);
        }
    }
    free(a);
    free(again);
    free(one);
    free(da_dq);
    free(da_dv);
    free(da_dtau);
    free_situation(&s);
}

TEST(derivatives_of_forward_dynamics_solve_their_equations)
{
    every_machine(visit_forward);
}

// Light wrists far from their roots: elimination about the root would lose two of their digits.
TEST(accelerations_beside_derivatives_are_those_of_forward_dynamics)
{
    static const char *const light[] = {"puma560.xml", "stanford.xml", "scara.xml",
                                        "two_arm_cell.xml"};
    for (size_t which = 0; which < sizeof light / sizeof *light; ++which) {
        check_case("%s", light[which]);
        lw_model *m = shipped_model(light[which]);
        lw_data *d = m ? new_data(m) : NULL;
        for (int state = 0; d && state < 50; ++state) {
            const int n = m->nv;
            situation s = make_situation(m, d);
            double *a = numbers(n), *again = numbers(n);
            CHECK_INT(lw_forward_dynamics(m, d, s.q, s.v, s.a, NULL, a), LW_OK);
            CHECK_INT(lw_forward_dynamics_derivatives(m, d, s.q, s.v, s.a, NULL, again, s.by_q,
                                                      s.by_v, s.by_a),
                      LW_OK);
            for (int k = 0; k < n; ++k) {
                CHECK_NEAR(again[k], a[k], 4e-13 * largest(a, n));
            }
            free(a);
            free(again);
            free_situation(&s);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// Trees so deep that articulated bodies solve instead of factors; one is a chain, others fork.
TEST(derivatives_of_forward_dynamics_of_deep_trees)
{
    random_mech_options options = random_mech_default();
    options.njoint = 40;
    options.types = RANDOM_ALL_TYPES & ~RANDOM_TYPE(LW_JOINT_USER);
    options.coupled = 0.0;
    options.has_joint_forces = true;
    options.nload = 2;
    for (unsigned long long seed = 1; seed <= 4; ++seed) {
        options.chain = seed == 1 ? 1.0 : 0.98;
        check_case("seed %d", (int)seed);
        lw_model *m = random_model(seed, &options);
        lw_data *d = m ? new_data(m) : NULL;
        if (d) {
            CHECK(d->dofs.is_deep);
            visit_forward(m, d);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// How far accelerations move when q, v and tau are rounded: half a unit in the last place each,
// from larger changes of random signs.
static double moved_by_rounding(const lw_model *m, lw_data *d, const situation *s, const double *a)
{
    const int n = m->nv;
    double *q = numbers(n), *v = numbers(n), *tau = numbers(n), *moved = numbers(n);
    double most = 0.0;
    for (int trial = 0; trial < 5; ++trial) {
        for (int k = 0; k < n; ++k) {
            q[k] = s->q[k] * (1.0 + check_random(-0x1p-30, 0x1p-30));
            v[k] = s->v[k] * (1.0 + check_random(-0x1p-30, 0x1p-30));
            tau[k] = s->tau[k] * (1.0 + check_random(-0x1p-30, 0x1p-30));
        }
        CHECK_INT(lw_forward_dynamics(m, d, q, v, tau, NULL, moved), LW_OK);
        for (int k = 0; k < n; ++k) {
            moved[k] -= a[k];
        }
        most = fmax(most, 0x1p-23 * largest(moved, n));
    }
    free(q);
    free(v);
    free(tau);
    free(moved);
    return most;
}

// Where joints carry many others, accelerations that are found in two ways differ in their twelfth
// digit and before. Inputs that are rounded move them as far, but for what a few more roundings
// make: the equations have no more digits.
TEST(accelerations_beside_derivatives_have_the_digits_that_inputs_have)
{
    random_mech_options options = random_mech_default();
    options.types = RANDOM_TYPE(LW_JOINT_REVOLUTE);
    options.coupled = 0.0;
    options.chain = 1.0;
    for (options.njoint = 10; options.njoint <= 40; options.njoint += 10) {
        check_case("%d joints", options.njoint);
        lw_model *m = random_model(1, &options);
        lw_data *d = m ? new_data(m) : NULL;
        if (d) {
            const int n = m->nv;
            situation s = make_situation(m, d);
            double *a = numbers(n), *other = numbers(n);
            CHECK_INT(lw_inverse_dynamics(m, d, s.q, s.v, s.a, NULL, s.tau), LW_OK);
            CHECK_INT(lw_forward_dynamics(m, d, s.q, s.v, s.tau, NULL, a), LW_OK);
            CHECK_INT(lw_forward_dynamics_derivatives(m, d, s.q, s.v, s.tau, NULL, other, s.by_q,
                                                      s.by_v, s.by_a),
                      LW_OK);
            const double margin = 16.0 * moved_by_rounding(m, d, &s, a);
            for (int k = 0; k < n; ++k) {
                CHECK_NEAR(other[k], a[k], margin);
            }
            free(a);
            free(other);
            free_situation(&s);
        }
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// The zoo has well-shaped mass matrices, so that differences of accelerations keep their digits.
TEST(derivatives_of_forward_dynamics_match_differences)
{
    for (int kind = 0; kind < ZOO_COUNT; ++kind) {
        check_case("zoo, %s", zoo_name((zoo_kind)kind));
        lw_model *m = zoo_model((zoo_kind)kind);
        lw_data *d = new_data(m);
        const int n = m->nv;
        situation s = make_situation(m, d);
        double *by_q = numbers(n * n), *by_v = numbers(n * n), *a = numbers(n);
        for (int k = 0; k < n; ++k) {
            s.tau[k] = check_random(-5.0, 5.0);
        }
        CHECK_INT(lw_forward_dynamics_derivatives(m, d, s.q, s.v, s.tau, s.f_ext, a, s.by_q, s.by_v,
                                                  s.by_a),
                  LW_OK);
        for (int k = 0; k < n; ++k) {
            difference_by_q(m, d, &s, lw_forward_dynamics, s.tau, 0x1p-10, k, by_q + k);
            difference_by_v(m, d, &s, lw_forward_dynamics, s.tau, k, by_v + k);
        }
        check_all(n, s.by_q, by_q, 100.0 * largest(a, n));
        check_all(n, s.by_v, by_v, 100.0 * largest(a, n));
        free(by_q);
        free(by_v);
        free(a);
        free_situation(&s);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// --- Laws -------------------------------------------------------------------------------------

// Where a free machine is does not matter: ten kilometres away every digit but those of the
// position itself is the same.
TEST(derivatives_do_not_depend_on_the_place)
{
    lw_model *m = zoo_model(ZOO_FREE);
    lw_data *d = new_data(m);
    const int n = m->nv;
    situation s = make_situation(m, d);
    CHECK_INT(lw_set_dynamics_options(d, NULL), LW_OK);
    double *by_q = numbers(n * n), *by_v = numbers(n * n), *M = numbers(n * n);
    CHECK_INT(lw_inverse_dynamics_derivatives(m, d, s.q, s.v, s.a, s.f_ext, by_q, by_v, M), LW_OK);
    for (int k = 0; k < 3; ++k) {
        s.q[k] += 1e4;
    }
    CHECK_INT(lw_inverse_dynamics_derivatives(m, d, s.q, s.v, s.a, s.f_ext, s.by_q, s.by_v, s.by_a),
              LW_OK);
    check_rows(n, s.by_q, by_q, 1e-13);
    check_rows(n, s.by_v, by_v, 1e-13);
    check_rows(n, s.by_a, M, 1e-13);
    free(by_q);
    free(by_v);
    free(M);
    free_situation(&s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// Branches that share no joint do not know of each other: exact zeros, whatever was there before.
TEST(derivatives_between_trees_are_exactly_zero)
{
    lw_model *m = zoo_model(ZOO_BRANCHED);
    lw_data *d = new_data(m);
    const int n = m->nv;
    situation s = make_situation(m, d);
    for (int i = 0; i < n * n; ++i) {
        s.by_q[i] = s.by_v[i] = s.by_a[i] = 1.0;
    }
    CHECK_INT(lw_inverse_dynamics_derivatives(m, d, s.q, s.v, s.a, s.f_ext, s.by_q, s.by_v, s.by_a),
              LW_OK);
    int second = 1; // the other root
    while (m->parent[second] >= 0) {
        ++second;
    }
    const int first_v = m->v_start[second];
    CHECK(first_v > 0 && first_v < n);
    for (int i = 0; i < first_v; ++i) {
        for (int j = first_v; j < n; ++j) {
            CHECK(s.by_q[i * n + j] == 0.0 && s.by_q[j * n + i] == 0.0);
            CHECK(s.by_v[i * n + j] == 0.0 && s.by_v[j * n + i] == 0.0);
            CHECK(s.by_a[i * n + j] == 0.0 && s.by_a[j * n + i] == 0.0);
        }
    }
    free_situation(&s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// The sweeps for any processor and those for this one differ by rounding alone.
static void visit_both(const lw_model *m, lw_data *d)
{
    const int n = m->tree_nv;
    situation s = make_situation(m, d);
    double *two[3], *wide[3];
    lwi_state at;
    for (int k = 0; k < 3; ++k) {
        two[k] = numbers(n * n);
        wide[k] = numbers(n * n);
    }
    if (CHECK_INT(lwi_bring_state(m, d, s.q, s.v, s.a, &at), LW_OK)) {
        const lwi_matrices one = {.by_q = two[0], .by_v = two[1], .M = two[2]};
        const lwi_matrices other = {.by_q = wide[0], .by_v = wide[1], .M = wide[2]};
        lwi_kernels_generic->lane->derivative_columns(m, d, &at, s.f_ext);
        lwi_kernels_generic->lane->derivative_pairs(m, d, &one);
        d->kernels->lane->derivative_columns(m, d, &at, s.f_ext);
        d->kernels->lane->derivative_pairs(m, d, &other);
        for (int k = 0; k < 3; ++k) {
            check_rows(n, two[k], wide[k], 1e-11);
        }
    }
    for (int k = 0; k < 3; ++k) {
        free(two[k]);
        free(wide[k]);
    }
    free_situation(&s);
}

TEST(derivatives_are_the_same_on_any_processor)
{
    if (lwi_select_kernels() == lwi_kernels_generic) {
        check_skip("this processor has no AVX2, or the build does not use it");
        return;
    }
    every_machine(visit_both);
}

// --- Arguments --------------------------------------------------------------------------------

TEST(each_output_of_the_derivatives_may_be_left_out)
{
    for (int kind = 0; kind < ZOO_COUNT; ++kind) {
        lw_model *m = zoo_model((zoo_kind)kind);
        lw_data *d = new_data(m);
        const int n = m->nv;
        situation s = make_situation(m, d);
        double *part[3] = {numbers(n * n), numbers(n * n), numbers(n * n)};
        const double *const all[3] = {s.by_q, s.by_v, s.by_a};
        CHECK_INT(
            lw_inverse_dynamics_derivatives(m, d, s.q, s.v, s.a, NULL, s.by_q, s.by_v, s.by_a),
            LW_OK);
        for (unsigned set = 0; set < 8; ++set) {
            check_case("zoo, %s, outputs %u", zoo_name((zoo_kind)kind), set);
            CHECK_INT(lw_inverse_dynamics_derivatives(
                          m, d, s.q, s.v, s.a, NULL, set & 1u ? part[0] : NULL,
                          set & 2u ? part[1] : NULL, set & 4u ? part[2] : NULL),
                      LW_OK);
            for (int k = 0; k < 3; ++k) {
                if (set & 1u << k) {
                    CHECK_INT(memcmp(part[k], all[k], (size_t)(n * n) * sizeof(double)), 0);
                    memset(part[k], 0, (size_t)(n * n) * sizeof(double));
                }
            }
        }
        for (int k = 0; k < 3; ++k) {
            free(part[k]);
        }
        free_situation(&s);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

TEST(D51_derivatives_refuse_bad_arguments_and_leave_outputs_alone)
{
    lw_model *m = zoo_model(ZOO_FREE), *other = zoo_model(ZOO_REVOLUTE);
    lw_data *d = new_data(m), *foreign = new_data(other);
    const int n = m->nv;
    situation s = make_situation(m, d);
    for (int i = 0; i < n * n; ++i) {
        s.by_q[i] = s.by_v[i] = s.by_a[i] = 7.0;
    }
#define DERIVATIVES(model, data, q, v, a)                                                          \
    lw_inverse_dynamics_derivatives(model, data, q, v, a, NULL, s.by_q, s.by_v, s.by_a)
    CHECK_INT(DERIVATIVES(NULL, d, s.q, s.v, s.a), LW_ERR_ARGUMENT);
    CHECK_INT(DERIVATIVES(m, NULL, s.q, s.v, s.a), LW_ERR_ARGUMENT);
    CHECK_INT(DERIVATIVES(m, foreign, s.q, s.v, s.a), LW_ERR_ARGUMENT);
    CHECK_INT(DERIVATIVES(m, d, NULL, s.v, s.a), LW_ERR_ARGUMENT);
    CHECK_INT(DERIVATIVES(m, d, s.q, NULL, s.a), LW_ERR_ARGUMENT);
    CHECK_INT(DERIVATIVES(m, d, s.q, s.v, NULL), LW_ERR_ARGUMENT);
    double *const vector[] = {s.q, s.v, s.a};
    for (int k = 0; k < 3; ++k) {
        for (int bad = 0; bad < 2; ++bad) {
            const double kept = vector[k][2];
            vector[k][2] = bad ? (double)NAN : (double)INFINITY;
            CHECK_INT(DERIVATIVES(m, d, s.q, s.v, s.a), LW_ERR_NUMBER);
            vector[k][2] = kept;
        }
    }
    for (int k = 3; k < 7; ++k) {
        s.q[k] = 0.0; // the quaternion of the free joint
    }
    CHECK_INT(DERIVATIVES(m, d, s.q, s.v, s.a), LW_ERR_NUMBER);
    CHECK_INT(
        lw_forward_dynamics_derivatives(m, d, s.q, s.v, s.tau, NULL, NULL, s.by_q, s.by_v, s.by_a),
        LW_ERR_NUMBER);
    CHECK_INT(
        lw_forward_dynamics_derivatives(m, d, s.q, s.v, s.tau, NULL, NULL, s.by_q, s.by_v, NULL),
        LW_ERR_ARGUMENT);
#undef DERIVATIVES
    for (int i = 0; i < n * n; ++i) {
        CHECK(s.by_q[i] == 7.0 && s.by_v[i] == 7.0 && s.by_a[i] == 7.0);
    }
    free_situation(&s);
    lw_data_destroy(d);
    lw_data_destroy(foreign);
    lw_model_destroy(m);
    lw_model_destroy(other);
}

int main(void)
{
    RUN(derivatives_of_inverse_dynamics_match_a_complex_step);
    RUN(derivatives_of_inverse_dynamics_match_differences);
    RUN(derivatives_of_forward_dynamics_solve_their_equations);
    RUN(derivatives_of_forward_dynamics_of_deep_trees);
    RUN(accelerations_beside_derivatives_are_those_of_forward_dynamics);
    RUN(accelerations_beside_derivatives_have_the_digits_that_inputs_have);
    RUN(derivatives_of_forward_dynamics_match_differences);
    RUN(derivatives_do_not_depend_on_the_place);
    RUN(derivatives_between_trees_are_exactly_zero);
    RUN(derivatives_are_the_same_on_any_processor);
    RUN(each_output_of_the_derivatives_may_be_left_out);
    RUN(D51_derivatives_refuse_bad_arguments_and_leave_outputs_alone);
    return REPORT();
}
