// Solving with the mass matrix along the tree.
#include <linkwork/linkwork.h>

#include "arrays.h"
#include "check.h"
#include "objects.h"
#include "zoo.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct situation {
    double *q, *v, *a;
    double *M, *L, *inverse, *product; // [nv*nv]
} situation;

static situation make_situation(const lw_model *m)
{
    const int n = m->nv;
    situation s = {numbers(m->nq), numbers(n),     numbers(n),    numbers(n * n),
                   numbers(n * n), numbers(n * n), numbers(n * n)};
    zoo_state(m, s.q, s.v, s.a);
    return s;
}

static void free_situation(situation *s)
{
    free(s->q);
    free(s->v);
    free(s->a);
    free(s->M);
    free(s->L);
    free(s->inverse);
    free(s->product);
}

// Fills M and L. False for a published robot with a part that moves no mass.
static bool factor(const lw_model *m, lw_data *d, situation *s)
{
    CHECK_INT(lw_mass_matrix(m, d, s->q, s->M), LW_OK);
    memcpy(s->L, s->M, (size_t)(m->nv * m->nv) * sizeof *s->L);
    const lw_status status = lw_mass_factor(m, d, s->L);
    if (status == LW_ERR_SINGULAR) {
        const int k = lw_data_failure(d, LW_ERR_SINGULAR).dof;
        CHECK(k >= 0 && k < m->nv);
        return false;
    }
    CHECK_INT(lw_data_failure(d, LW_ERR_SINGULAR).dof, -1);
    return CHECK_INT(status, LW_OK);
}

// L' D L = M, entry by entry: each is a sum of products whose sizes its own diagonal entries bound.
static void visit_product(const lw_model *m, lw_data *d)
{
    const int n = m->nv;
    situation s = make_situation(m);
    for (int i = 0; factor(m, d, &s) && i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (int k = i; k < n; ++k) {
                const double L_ki = k == i ? 1.0 : s.L[k * n + i];
                const double L_kj = k == j ? 1.0 : s.L[k * n + j];
                sum += L_ki * s.L[k * n + k] * L_kj;
            }
            const double size = sqrt(s.M[i * n + i] * s.M[j * n + j]);
            CHECK_NEAR(sum, s.M[i * n + j], 1e-14 * n * size);
        }
    }
    free_situation(&s);
}

TEST(factors_of_the_mass_matrix_multiply_to_it)
{
    every_machine(visit_product);
}

// The residual of a stable solution is some epsilon of the sizes of its factors, whatever the
// condition of M. Columns are `stride` apart.
static void check_residual(int n, const double *M, const double *x, int stride, const double *b)
{
    double size = 0.0;
    for (int k = 0; k < n; ++k) {
        size = fmax(size, fabs(x[k * stride]));
    }
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int k = 0; k < n; ++k) {
            sum += M[i * n + k] * x[k * stride];
        }
        CHECK_NEAR(sum, b[i * stride], 1e-13 * n * largest(M + i * n, n) * size + 1e-14);
    }
}

static void visit_solve(const lw_model *m, lw_data *d)
{
    enum { COLUMNS = 3 };
    const int n = m->nv;
    situation s = make_situation(m);
    double *X = numbers(n * COLUMNS), *B = numbers(n * COLUMNS), *x = numbers(n);
    if (factor(m, d, &s)) {
        for (int k = 0; k < n * COLUMNS; ++k) {
            X[k] = B[k] = check_random(-1.0, 1.0);
        }
        CHECK_INT(lw_mass_solve(m, d, s.L, COLUMNS, X), LW_OK);
        for (int c = 0; c < COLUMNS; ++c) {
            check_residual(n, s.M, X + c, COLUMNS, B + c);
        }
        // One column alone solves the same system; which multiplications and additions are fused
        // may differ from several, so not to the last bit.
        for (int k = 0; k < n; ++k) {
            x[k] = B[k * COLUMNS + 1];
        }
        CHECK_INT(lw_mass_solve(m, d, s.L, 1, x), LW_OK);
        for (int k = 0; k < n; ++k) {
            X[k] = B[k * COLUMNS + 1];
        }
        check_residual(n, s.M, x, 1, X);
    }
    free(X);
    free(B);
    free(x);
    free_situation(&s);
}

TEST(K15_solving_with_the_mass_matrix)
{
    every_machine(visit_solve);
}

static void visit_inverse(const lw_model *m, lw_data *d)
{
    const int n = m->nv;
    situation s = make_situation(m);
    if (factor(m, d, &s)) {
        CHECK_INT(lw_mass_inverse(m, d, s.L, s.inverse), LW_OK);
        double *one = numbers(n * n);
        for (int k = 0; k < n; ++k) {
            one[k * n + k] = 1.0;
        }
        for (int c = 0; c < n; ++c) {
            check_residual(n, s.M, s.inverse + c, n, one + c);
            for (int r = 0; r < c; ++r) {
                CHECK_NEAR(s.inverse[r * n + c], s.inverse[c * n + r], 0.0);
            }
        }
        // In place.
        CHECK_INT(lw_mass_inverse(m, d, s.L, s.L), LW_OK);
        CHECK_INT(memcmp(s.L, s.inverse, (size_t)(n * n) * sizeof *s.L), 0);
        free(one);
    }
    free_situation(&s);
}

TEST(inverse_of_the_mass_matrix)
{
    every_machine(visit_inverse);
}

// Degrees of freedom of different branches are not coupled by M, and the factors do not couple them
// either.
static void visit_sparsity(const lw_model *m, lw_data *d)
{
    if (m->nstep > 0) {
        return;
    }
    const int n = m->nv;
    situation s = make_situation(m);
    if (factor(m, d, &s)) {
        for (int i = 0; i < m->nbody; ++i) {
            for (int j = 0; j < i; ++j) {
                const bool is_before = i < m->subtree_end[j];
                for (int k = m->v_start[i]; k < m->v_start[i + 1] && !is_before; ++k) {
                    for (int l = m->v_start[j]; l < m->v_start[j + 1]; ++l) {
                        CHECK(s.L[k * n + l] == 0.0);
                    }
                }
            }
        }
    }
    free_situation(&s);
}

TEST(factors_have_exact_zeros_between_branches)
{
    every_machine(visit_sparsity);
    // And there are branches to look at.
    lw_model *m = zoo_model(ZOO_BRANCHED);
    CHECK(m->subtree_end[1] < m->subtree_end[0]);
    lw_model_destroy(m);
}

// A Newton step with dense Gauss elimination agrees: nothing is lost by leaving the zeros out.
TEST(factors_of_a_coupled_machine_are_dense_and_right)
{
    lw_model *m = zoo_model(ZOO_COUPLED);
    lw_data *d = new_data(m);
    situation s = make_situation(m);
    const int n = m->nv;
    CHECK(factor(m, d, &s));
    // j7 hangs on the ground beside the chain j0 .. j5, but j6 before it depends on j3: coupled.
    const int j3 = lw_find_velocity(m, "j3"), j7 = lw_find_velocity(m, "j7");
    CHECK(j3 >= 0 && j7 >= 0);
    CHECK(s.M[j7 * n + j3] != 0.0 && s.L[j7 * n + j3] != 0.0);
    free_situation(&s);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// --- Singular ---------------------------------------------------------------------------------

// A chain, of which the last link has the given mass at a distance from its axis.
static lw_model *make_chain(int n, double tip_mass, double distance)
{
    lw_mech *mech = new_mech("chain");
    const lw_ground_def ground_def = lw_default_ground_def();
    lw_part at = lw_add_ground(mech, &ground_def);
    for (int k = 0; k < n; ++k) {
        char joint_name[8], link_name[8];
        snprintf(joint_name, sizeof joint_name, "j%d", k);
        snprintf(link_name, sizeof link_name, "l%d", k);
        lw_joint_def joint = lw_default_joint_def();
        joint.name = joint_name;
        joint.type = LW_JOINT_REVOLUTE;
        joint.axis = lw_vec3_of(0, 1, 0);
        joint.before = lw_placement_xyz(k > 0 ? 0.3 : 0.0, 0, 0);
        lw_link_def link = lw_default_link_def();
        link.name = link_name;
        link.mass = k < n - 1 ? 1.0 : tip_mass;
        link.inertial = lw_placement_xyz(k < n - 1 ? 0.1 : distance, 0, 0);
        const lw_part j = lw_add_joint(mech, &joint), l = lw_add_link(mech, &link);
        CHECK_INT(lw_connect(mech, lw_port_of(mech, at, "b"), lw_port_of(mech, j, "a")), LW_OK);
        CHECK_INT(lw_connect(mech, lw_port_of(mech, j, "b"), lw_port_of(mech, l, "a")), LW_OK);
        at = l;
    }
    lw_model *m = NULL;
    CHECK_INT(lw_compile(mech, NULL, &m, NULL), LW_OK);
    lw_mech_destroy(mech);
    return m;
}

// Kernels of short chains have their number of degrees of freedom as a constant.
TEST(inverse_of_chains)
{
    for (int n = 3; n <= 9; ++n) {
        lw_model *m = make_chain(n, 1.0, 0.1);
        lw_data *d = new_data(m);
        visit_inverse(m, d);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

static lw_status factor_two(double tip_mass, double distance, int *singular_dof)
{
    lw_model *m = make_chain(2, tip_mass, distance);
    lw_data *d = new_data(m);
    const double q[2] = {0.3, 0.7};
    double M[4];
    CHECK_INT(lw_mass_matrix(m, d, q, M), LW_OK);
    const lw_status status = lw_mass_factor(m, d, M);
    *singular_dof = lw_data_failure(d, LW_ERR_SINGULAR).dof;
    lw_data_destroy(d);
    lw_model_destroy(m);
    return status;
}

TEST(K15_a_massless_tip_is_singular_and_its_joint_is_named)
{
    int singular_dof = -2;
    CHECK_INT(factor_two(0.0, 0.0, &singular_dof), LW_ERR_SINGULAR);
    CHECK_INT(singular_dof, 1); // the tip
    CHECK_INT(factor_two(0.5, 0.0, &singular_dof), LW_ERR_SINGULAR);
    CHECK_INT(singular_dof, 1); // a mass on the axis is none for the joint
    CHECK_INT(factor_two(1e-6, 1e-3, &singular_dof), LW_OK);
    CHECK_INT(singular_dof, -1); // very light is not massless
}

// Forward dynamics and its derivatives name the same joint.
TEST(derivatives_of_forward_dynamics_name_the_singular_joint)
{
    lw_model *m = make_chain(2, 0.0, 0.0);
    lw_data *d = new_data(m);
    const double q[2] = {0.3, 0.7}, v[2] = {0, 0}, tau[2] = {1, 1};
    double A[4], B[4], C[4];
    CHECK_INT(lw_forward_dynamics_derivatives(m, d, q, v, tau, NULL, NULL, A, B, C),
              LW_ERR_SINGULAR);
    CHECK_INT(lw_data_failure(d, LW_ERR_SINGULAR).dof, 1);
    CHECK_TEXT(m->velocity_name[lw_data_failure(d, LW_ERR_SINGULAR).dof], "j1");
    CHECK_INT(lw_inverse_mass_matrix(m, d, q, A), LW_ERR_SINGULAR);
    CHECK_INT(lw_data_failure(d, LW_ERR_SINGULAR).dof, 1);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

// --- Inertia at a frame -----------------------------------------------------------------------

// At rest and without weight, a force f at a frame accelerates it by J M^-1 J' f.
static void visit_operational(const lw_model *m, lw_data *d)
{
    const int n = m->nv;
    situation s = make_situation(m);
    double *J = numbers(6 * n), *tau = numbers(n);
    double mobility[36], inertia[36];
    const int frame = m->nframe - 1;
    lw_dynamics_options options = lw_default_dynamics_options(m);
    options.is_ideal = true; // springs would push too
    options.gravity = lw_vec3_of(0, 0, 0);
    CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
    memset(s.v, 0, (size_t)n * sizeof *s.v);
    CHECK_INT(lw_frame_jacobian(m, d, s.q, frame, LW_IN_WORLD, NULL, J), LW_OK);
    if (m->nload == 0 && factor(m, d, &s)) {
        const lw_status status = lw_operational_inertia(m, d, s.L, 6, J, mobility, inertia);
        const double f[6] = {0.3, -0.2, 0.5, 1.0, -2.0, 0.7};
        for (int k = 0; k < n; ++k) {
            for (int r = 0; r < 6; ++r) {
                tau[k] += J[r * n + k] * f[r];
            }
        }
        CHECK_INT(lw_forward_dynamics(m, d, s.q, s.v, tau, NULL, s.a), LW_OK);
        double size = 1e-300;
        for (int r = 0; r < 6; ++r) {
            size = fmax(size, largest(mobility + 6 * r, 6));
        }
        for (int r = 0; r < 6; ++r) {
            double felt = 0.0, seen = 0.0;
            for (int c = 0; c < 6; ++c) {
                felt += mobility[r * 6 + c] * f[c];
            }
            for (int k = 0; k < n; ++k) {
                seen += J[r * n + k] * s.a[k];
            }
            CHECK_NEAR(felt, seen, 1e-9 * size); // two solutions with M, of its condition
        }
        if (n < 6) {
            CHECK_INT(status, LW_ERR_SINGULAR);
        } else if (status == LW_OK) {
            for (int r = 0; r < 36; ++r) {
                double sum = 0.0;
                for (int k = 0; k < 6; ++k) {
                    sum += inertia[r / 6 * 6 + k] * mobility[k * 6 + r % 6];
                }
                CHECK_NEAR(sum, r / 6 == r % 6, 1e-12 * size * largest(inertia, 36));
            }
        } else {
            CHECK_INT(status,
                      LW_ERR_SINGULAR); // a frame that hangs on fewer than six degrees of freedom
        }
    }
    free(J);
    free(tau);
    free_situation(&s);
}

TEST(inertia_at_a_frame_is_what_a_force_there_feels)
{
    every_machine(visit_operational);
}

// A point mass on a slide feels as heavy as it is.
TEST(inertia_at_a_frame_in_closed_form)
{
    lw_model *m = make_chain(2, 2.0, 0.5);
    lw_data *d = new_data(m);
    const double q[2] = {0.0, 0.5 * acos(-1.0)};
    double M[4], J[12];
    CHECK_INT(lw_mass_matrix(m, d, q, M), LW_OK);
    CHECK_INT(lw_mass_factor(m, d, M), LW_OK);
    // The tip mass, seen at itself along its own circle: the other link is pushed along its length
    // only, so the mass alone resists.
    lw_vec3 tip = {0.5, 0, 0};
    const int fore = lw_find_frame(m, "l1");
    CHECK_INT(lw_frame_jacobian(m, d, q, fore, LW_IN_FRAME, &tip, J), LW_OK);
    double mobility = 0.0, inertia = 0.0;
    CHECK_INT(lw_operational_inertia(m, d, M, 1, J + 5 * 2, &mobility, &inertia), LW_OK);
    CHECK_NEAR(inertia, 2.0, 1e-14);
    CHECK_NEAR(mobility, 0.5, 1e-14);
    CHECK_INT(lw_data_failure(d, LW_ERR_SINGULAR).dof, -1);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(D51_solving_refuses_bad_arguments)
{
    lw_model *m = make_chain(2, 1.0, 0.2), *other = zoo_model(ZOO_REVOLUTE);
    lw_data *d = new_data(m), *foreign = new_data(other);
    double M[4] = {2, 0, 1, 2}, x[2] = {1, 1}, J[14] = {0}, out[49];
    CHECK_INT(lw_mass_factor(NULL, d, M), LW_ERR_ARGUMENT);
    CHECK_INT(lw_mass_factor(m, foreign, M), LW_ERR_ARGUMENT);
    CHECK_INT(lw_mass_factor(m, d, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_mass_solve(m, d, NULL, 1, x), LW_ERR_ARGUMENT);
    CHECK_INT(lw_mass_solve(m, d, M, -1, x), LW_ERR_ARGUMENT);
    CHECK_INT(lw_mass_solve(m, d, M, 1, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_mass_inverse(m, d, NULL, M), LW_ERR_ARGUMENT);
    CHECK_INT(lw_mass_inverse(m, d, M, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_inverse_mass_matrix(m, d, x, NULL), LW_ERR_ARGUMENT);
    CHECK_INT(lw_inverse_mass_matrix(m, d, NULL, out), LW_ERR_ARGUMENT);
    CHECK_INT(lw_inverse_mass_matrix(m, foreign, x, out), LW_ERR_ARGUMENT);
    CHECK_INT(lw_operational_inertia(m, d, M, 0, J, out, out), LW_ERR_ARGUMENT);
    CHECK_INT(lw_operational_inertia(m, d, M, 7, J, out, out), LW_ERR_ARGUMENT);
    CHECK_INT(lw_operational_inertia(m, d, M, 1, NULL, out, out), LW_ERR_ARGUMENT);
    CHECK_INT(lw_operational_inertia(m, d, NULL, 1, J, out, out), LW_ERR_ARGUMENT);
    M[3] = (double)NAN; // not looked for, but not taken for a pivot either
    CHECK_INT(lw_mass_factor(m, d, M), LW_ERR_SINGULAR);
    lw_data_destroy(d);
    lw_data_destroy(foreign);
    lw_model_destroy(m);
    lw_model_destroy(other);
}

int main(void)
{
    RUN(factors_of_the_mass_matrix_multiply_to_it);
    RUN(K15_solving_with_the_mass_matrix);
    RUN(inverse_of_the_mass_matrix);
    RUN(inverse_of_chains);
    RUN(factors_have_exact_zeros_between_branches);
    RUN(factors_of_a_coupled_machine_are_dense_and_right);
    RUN(K15_a_massless_tip_is_singular_and_its_joint_is_named);
    RUN(derivatives_of_forward_dynamics_name_the_singular_joint);
    RUN(inertia_at_a_frame_is_what_a_force_there_feels);
    RUN(inertia_at_a_frame_in_closed_form);
    RUN(D51_solving_refuses_bad_arguments);
    return REPORT();
}
