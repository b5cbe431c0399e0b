// Laws of dynamics, over every machine there is and random states.
//
// Tolerances are shares of the largest number in question: 1e-12 between two recursions, 1e-10
// where a mass matrix is inverted, 1e-6 against central differences.
#include "check.h"
#include "laws.h"
#include "zoo.h"

#include <math.h>
#include <string.h>

enum { STATES = 3 };

// Runs a law on some states of a machine.
static void on_states(const lw_model *m, lw_data *d,
                      void (*law)(const lw_model *m, lw_data *d, law_state *s))
{
    for (int k = 0; k < STATES; ++k) {
        law_state s;
        if (law_make(m, d, &s)) {
            law(m, d, &s);
        }
        law_free(&s);
    }
}

static void forward_undoes_inverse(const lw_model *m, lw_data *d, law_state *s)
{
    CHECK_INT(lw_inverse_dynamics(m, d, s->q, s->v, s->a, s->f_ext, s->x), LW_OK);
    const lw_status status = lw_forward_dynamics(m, d, s->q, s->v, s->x, s->f_ext, s->y);
    if (status == LW_ERR_SINGULAR) { // robots whose tips have no mass
        CHECK(lw_data_failure(d, LW_ERR_SINGULAR).dof >= 0 &&
              lw_data_failure(d, LW_ERR_SINGULAR).dof < m->nv);
        return;
    }
    CHECK_INT(status, LW_OK);
    CHECK_INT(lw_data_failure(d, LW_ERR_SINGULAR).dof, -1);
    // Through the forces, which stay exact where a light tip makes accelerations uncertain.
    CHECK_INT(lw_inverse_dynamics(m, d, s->q, s->v, s->y, s->f_ext, s->z), LW_OK);
    CHECK_CLOSE(s->z, s->x, s->nv, 1e-10 * fmax(largest(s->x, s->nv), 1.0));
}

static void visit_D40_round_trip(const lw_model *m, lw_data *d)
{
    on_states(m, d, forward_undoes_inverse);
}

TEST(D38_D40_forward_dynamics_undoes_inverse_dynamics)
{
    every_machine(visit_D40_round_trip);
}

static void mass_matrix_from_columns(const lw_model *m, lw_data *d, law_state *s)
{
    const int n = s->nv;
    CHECK_INT(lw_mass_matrix(m, d, s->q, s->M), LW_OK);
    CHECK_INT(lw_bias_forces(m, d, s->q, s->v, s->y), LW_OK);
    const double tolerance = 1e-12 * (largest(s->M, n * n) + largest(s->y, n));
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < n; ++i) {
            s->a[i] = i == k ? 1.0 : 0.0;
        }
        CHECK_INT(lw_inverse_dynamics(m, d, s->q, s->v, s->a, NULL, s->x), LW_OK);
        for (int i = 0; i < n; ++i) {
            s->x[i] -= s->y[i];
            s->z[i] = s->M[i * n + k];
            CHECK(s->M[i * n + k] == s->M[k * n + i]);
        }
        CHECK_CLOSE(s->z, s->x, n, tolerance);
    }
}

static void visit_K13_columns(const lw_model *m, lw_data *d)
{
    on_states(m, d, mass_matrix_from_columns);
}

TEST(D40_K13_mass_matrix_is_inverse_dynamics_of_unit_accelerations)
{
    every_machine(visit_K13_columns);
}

// Cholesky, in place; false where a pivot is not above rounding.
static bool is_positive(double *A, int n)
{
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < k; ++i) {
            double sum = A[k * n + i];
            for (int j = 0; j < i; ++j) {
                sum -= A[k * n + j] * A[i * n + j];
            }
            A[k * n + i] = sum / A[i * n + i];
        }
        const double pivot = A[k * n + k] - inner(&A[k * n], &A[k * n], k);
        if (!(pivot > 1e-14 * A[k * n + k])) {
            return false;
        }
        A[k * n + k] = sqrt(pivot);
    }
    return true;
}

static void positive_or_reported(const lw_model *m, lw_data *d, law_state *s)
{
    CHECK_INT(lw_mass_matrix(m, d, s->q, s->M), LW_OK);
    const lw_status status = lw_forward_dynamics(m, d, s->q, s->v, s->a, NULL, s->x);
    CHECK_INT(status, is_positive(s->M, s->nv) ? LW_OK : LW_ERR_SINGULAR);
}

static void visit_K15_positive(const lw_model *m, lw_data *d)
{
    on_states(m, d, positive_or_reported);
}

TEST(K15_mass_matrix_is_positive_definite_or_reported)
{
    every_machine(visit_K15_positive);
}

// v' M v / 2 against the sum over bodies.
static void kinetic_energy_both_ways(const lw_model *m, lw_data *d, law_state *s)
{
    double energy;
    CHECK_INT(lw_mass_matrix(m, d, s->q, s->M), LW_OK);
    times(s->M, s->v, s->nv, s->x);
    CHECK_INT(lw_kinetic_energy(m, d, s->q, s->v, &energy), LW_OK);
    const double want = inner(s->v, s->x, s->nv) / 2;
    CHECK_NEAR(energy, want, 1e-12 * fmax(fabs(want), 1e-3));
}

static void visit_K14_energy(const lw_model *m, lw_data *d)
{
    on_states(m, d, kinetic_energy_both_ways);
}

TEST(K14_kinetic_energy_is_half_v_M_v)
{
    every_machine(visit_K14_energy);
}

static void make_ideal(const lw_model *m, lw_data *d, bool is_ideal)
{
    lw_dynamics_options options = lw_default_dynamics_options(m);
    options.is_ideal = is_ideal;
    CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
}

static void coriolis_matrix(const lw_model *m, lw_data *d, law_state *s)
{
    const int n = s->nv;
    make_ideal(m, d, true);
    // C v is what velocities add to the bias.
    CHECK_INT(lw_coriolis_matrix(m, d, s->q, s->v, s->C), LW_OK);
    times(s->C, s->v, n, s->x);
    CHECK_INT(lw_bias_forces(m, d, s->q, s->v, s->y), LW_OK);
    const double size = largest(s->y, n);
    for (int k = 0; k < n; ++k) {
        s->a[k] = 0.0;
    }
    CHECK_INT(lw_bias_forces(m, d, s->q, s->a, s->z), LW_OK);
    for (int k = 0; k < n; ++k) {
        s->y[k] -= s->z[k];
    }
    CHECK_CLOSE(s->x, s->y, n, 1e-11 * fmax(size + largest(s->z, n), 1e-6));

    // dM/dt by central differences along v.
    const double h = 1e-5;
    bool is_closed = true;
    for (int side = -1; side <= 1; side += 2) {
        CHECK_INT(lw_integrate(m, s->q, s->v, side * h, s->q2), LW_OK);
        is_closed = lw_mass_matrix(m, d, s->q2, s->M) == LW_OK && is_closed;
        for (int k = 0; k < n * n; ++k) {
            s->C[k] -= side * s->M[k] / (4 * h); // C - dM/dt / 2
        }
    }
    const double tolerance = 1e-6 * fmax(largest(s->M, n * n), largest(s->C, n * n));
    for (int i = 0; i < n && is_closed; ++i) {
        for (int k = 0; k <= i; ++k) {
            CHECK_NEAR(s->C[i * n + k], -s->C[k * n + i], tolerance);
        }
    }
    make_ideal(m, d, false);
}

static void visit_coriolis(const lw_model *m, lw_data *d)
{
    on_states(m, d, coriolis_matrix);
}

TEST(K17_coriolis_matrix_gives_the_forces_and_is_skew_beside_the_rate_of_M)
{
    every_machine(visit_coriolis);
}

static void weight_is_the_gradient_of_potential_energy(const lw_model *m, lw_data *d, law_state *s)
{
    const int n = s->nv;
    const double h = 1e-5;
    make_ideal(m, d, true);
    CHECK_INT(lw_gravity_forces(m, d, s->q, s->x), LW_OK);
    double level;
    CHECK_INT(lw_potential_energy(m, d, s->q, &level), LW_OK);
    bool is_closed = true;
    for (int k = 0; k < n; ++k) {
        double energy[2] = {0, 0};
        for (int i = 0; i < n; ++i) {
            s->v[i] = i == k ? 1.0 : 0.0;
        }
        for (int side = 0; side < 2; ++side) {
            CHECK_INT(lw_integrate(m, s->q, s->v, side ? h : -h, s->q2), LW_OK);
            is_closed = lw_potential_energy(m, d, s->q2, &energy[side]) == LW_OK && is_closed;
        }
        s->y[k] = (energy[1] - energy[0]) / (2 * h);
    }
    if (is_closed) {
        CHECK_CLOSE(s->x, s->y, n, 1e-6 * fmax(largest(s->x, n), 1e-2 * fabs(level) + 1e-3));
    }
    make_ideal(m, d, false);
}

static void visit_K16_weight(const lw_model *m, lw_data *d)
{
    on_states(m, d, weight_is_the_gradient_of_potential_energy);
}

TEST(K16_weight_is_the_gradient_of_potential_energy)
{
    every_machine(visit_K16_weight);
}

// Energy after a small step along the motion: positions by v and a, velocities by a.
static double energy_after(const lw_model *m, lw_data *d, const law_state *s, const double *a,
                           double h, double *v, bool *is_closed)
{
    double kinetic = 0, potential = 0;
    for (int k = 0; k < s->nv; ++k) {
        v[k] = s->v[k] + h / 2 * a[k];
    }
    CHECK_INT(lw_integrate(m, s->q, v, h, s->q2), LW_OK);
    for (int k = 0; k < s->nv; ++k) {
        v[k] = s->v[k] + h * a[k];
    }
    *is_closed = *is_closed && lw_kinetic_energy(m, d, s->q2, v, &kinetic) == LW_OK &&
                 lw_potential_energy(m, d, s->q2, &potential) == LW_OK;
    return kinetic + potential;
}

// The rate of energy is the power of drives and loads less what dampers and friction take. Both
// come from bias forces with one thing at a time switched off, the energy from sums over bodies.
static void energy_rate_is_power(const lw_model *m, lw_data *d, law_state *s)
{
    const int n = s->nv;
    const double h = 1e-5;
    bool is_closed = true;
    double power = 0.0;
    CHECK_INT(lw_inverse_dynamics(m, d, s->q, s->v, s->a, NULL, s->x), LW_OK);
    power += inner(s->x, s->v, n);
    // Damping and friction: of what ideal joints lack the part that turns with v. (Springs, and
    // rotors that a curved coupling accelerates, do not.)
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < n; ++k) {
            s->z[k] = side ? -s->v[k] : s->v[k];
        }
        for (int is_ideal = 0; is_ideal < 2; ++is_ideal) {
            make_ideal(m, d, is_ideal);
            CHECK_INT(lw_bias_forces(m, d, s->q, s->z, s->y), LW_OK);
            power += (is_ideal == side ? -0.5 : 0.5) * inner(s->y, s->v, n);
        }
    }
    // Loads: the bias at rest without joints and weight.
    lw_dynamics_options options = lw_default_dynamics_options(m);
    options.is_ideal = true;
    options.gravity = lw_vec3_of(0, 0, 0);
    CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
    for (int k = 0; k < n; ++k) {
        s->z[k] = 0.0;
    }
    CHECK_INT(lw_bias_forces(m, d, s->q, s->z, s->y), LW_OK);
    power -= inner(s->y, s->v, n);
    make_ideal(m, d, false);

    const double after = energy_after(m, d, s, s->a, h, s->y, &is_closed);
    const double before = energy_after(m, d, s, s->a, -h, s->y, &is_closed);
    if (is_closed) {
        const double scale = largest(s->x, n) * largest(s->v, n) * n + fabs(after);
        CHECK_NEAR((after - before) / (2 * h), power, 1e-6 * fmax(scale, 1e-3));
    }
}

static void visit_power(const lw_model *m, lw_data *d)
{
    on_states(m, d, energy_rate_is_power);
}

TEST(D38_rate_of_energy_is_power)
{
    every_machine(visit_power);
}

static void put_force(double out[6], lw_force f)
{
    const double x[6] = {f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z};
    for (int k = 0; k < 6; ++k) {
        out[k] = x[k];
    }
}

static void momentum_three_ways(const lw_model *m, lw_data *d, law_state *s)
{
    lw_force about_origin, about_center;
    lw_vec3 center;
    CHECK_INT(lw_momentum(m, d, s->q, s->v, &about_origin), LW_OK);
    const lw_status status = lw_centroidal_momentum(m, d, s->q, s->v, &about_center, &center);
    if (status == LW_ERR_SINGULAR) {
        return; // nothing that moves has mass
    }
    double *A = s->nv >= 6 ? s->M : NULL; // room for 6 * nv
    double got[6], want[6];
    put_force(want, about_center);
    const double scale = 1.0 + largest(want, 6);
    about_origin.ang = lw_sub3(about_origin.ang, lw_cross3(center, about_origin.lin));
    put_force(got, about_origin);
    CHECK_CLOSE(got, want, 6, 1e-11 * scale);
    if (A && CHECK_INT(lw_centroidal_momentum_matrix(m, d, s->q, A), LW_OK)) {
        for (int r = 0; r < 6; ++r) {
            got[r] = inner(&A[r * s->nv], s->v, s->nv);
        }
        CHECK_CLOSE(got, want, 6, 1e-11 * scale);
    }
    lw_vec3 same;
    CHECK_INT(lw_center_of_mass(m, d, s->q, &same, NULL), LW_OK);
    CHECK_NEAR(lw_norm3(lw_sub3(same, center)), 0.0, 1e-12 * (1.0 + lw_norm3(center)));
}

// Momentum after a short time of constant velocities.
static bool momentum_at(const lw_model *m, lw_data *d, law_state *s, double time, double *p)
{
    lw_force momentum;
    if (lw_integrate(m, s->q, s->v, time, s->q2) != LW_OK ||
        lw_centroidal_momentum(m, d, s->q2, s->v, &momentum, NULL) != LW_OK) {
        return false;
    }
    put_force(p, momentum);
    return true;
}

static void rate_two_ways(const lw_model *m, lw_data *d, law_state *s)
{
    enum { POINTS = 4 };
    static const double at[POINTS] = {-2, -1, 1, 2}, weight[POINTS] = {1, -8, 8, -1};
    const double step = 0x1p-10;
    lw_dynamics_options at_rest = lw_default_dynamics_options(m);
    const lw_dynamics_options options = lw_get_dynamics_options(d);
    CHECK_INT(lw_set_dynamics_options(d, &at_rest), LW_OK);
    double p[6], coasting[6], rate[6], want[6] = {0};
    lw_force f;
    memset(s->z, 0, (size_t)s->nv * sizeof *s->z);
    bool is_good = lw_centroidal_momentum_rate(m, d, s->q, s->v, s->z, &f) == LW_OK;
    put_force(coasting, f);
    for (int k = 0; k < POINTS && is_good; ++k) {
        is_good = momentum_at(m, d, s, at[k] * step, p);
        for (int r = 0; r < 6 && is_good; ++r) {
            want[r] += weight[k] * p[r] / (12.0 * step);
        }
    }
    if (is_good) {
        CHECK_CLOSE(coasting, want, 6, 1e-7 * (1.0 + largest(want, 6)));
    }
    double *A = is_good && s->nv >= 6 ? s->M : NULL; // room for 6 * nv
    if (A && CHECK_INT(lw_centroidal_momentum_matrix(m, d, s->q, A), LW_OK)) {
        CHECK_INT(lw_centroidal_momentum_rate(m, d, s->q, s->v, s->a, &f), LW_OK);
        put_force(rate, f);
        for (int r = 0; r < 6; ++r) {
            want[r] = coasting[r] + inner(&A[r * s->nv], s->a, s->nv);
        }
        CHECK_CLOSE(rate, want, 6, 1e-11 * (1.0 + largest(want, 6)));
    }
    CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
}

static void visit_momentum(const lw_model *m, lw_data *d)
{
    on_states(m, d, momentum_three_ways);
    on_states(m, d, rate_two_ways);
}

TEST(D38_momentum_about_origin_and_centre_and_by_its_matrix)
{
    every_machine(visit_momentum);
}

static lw_force momentum_after(const lw_model *m, lw_data *d, const law_state *s, const double *a,
                               double h, double *v)
{
    lw_force p = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < s->nv; ++k) {
        v[k] = s->v[k] + h / 2 * a[k];
    }
    CHECK_INT(lw_integrate(m, s->q, v, h, s->q2), LW_OK);
    for (int k = 0; k < s->nv; ++k) {
        v[k] = s->v[k] + h * a[k];
    }
    CHECK_INT(lw_momentum(m, d, s->q2, v, &p), LW_OK);
    return p;
}

// Drives within a machine that floats without weight cannot change its momentum.
static void drives_keep_momentum(const lw_model *m, lw_data *d, law_state *s)
{
    const double h = 1e-5;
    lw_dynamics_options options = lw_default_dynamics_options(m);
    options.gravity = lw_vec3_of(0, 0, 0);
    options.is_ideal = true;
    CHECK_INT(lw_set_dynamics_options(d, &options), LW_OK);
    for (int k = 0; k < 6; ++k) {
        s->a[k] = 0.0; // nothing pushes the base
    }
    if (lw_forward_dynamics(m, d, s->q, s->v, s->a, NULL, s->x) == LW_OK) {
        double before[6], after[6];
        put_force(before, momentum_after(m, d, s, s->x, -h, s->y));
        put_force(after, momentum_after(m, d, s, s->x, h, s->y));
        const double speed = 1.0 + largest(s->x, s->nv);
        CHECK_CLOSE(after, before, 6, 1e-9 * (1.0 + largest(before, 6)) * speed);
    }
    CHECK_INT(lw_set_dynamics_options(d, NULL), LW_OK);
}

static void visit_floating(const lw_model *m, lw_data *d)
{
    const bool floats = m->nbody > 0 && m->carrier[0] == LW_TREE_FREE &&
                        m->subtree_end[0] == m->nbody && m->nload == 0 && m->nv == m->tree_nv;
    if (floats) {
        on_states(m, d, drives_keep_momentum);
    }
}

TEST(D38_drives_keep_the_momentum_of_a_floating_machine)
{
    every_machine(visit_floating);
}

int main(void)
{
    RUN(D38_D40_forward_dynamics_undoes_inverse_dynamics);
    RUN(D40_K13_mass_matrix_is_inverse_dynamics_of_unit_accelerations);
    RUN(K15_mass_matrix_is_positive_definite_or_reported);
    RUN(K14_kinetic_energy_is_half_v_M_v);
    RUN(K17_coriolis_matrix_gives_the_forces_and_is_skew_beside_the_rate_of_M);
    RUN(K16_weight_is_the_gradient_of_potential_energy);
    RUN(D38_rate_of_energy_is_power);
    RUN(D38_momentum_about_origin_and_centre_and_by_its_matrix);
    RUN(D38_drives_keep_the_momentum_of_a_floating_machine);
    return REPORT();
}
