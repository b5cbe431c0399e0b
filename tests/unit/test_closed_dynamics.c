// Dynamics of closed machines: against the equations of their cut trees with multipliers, and the
// laws that hold whatever the machine is.
#include "arrays.h"
#include "check.h"
#include "closed_zoo.h"
#include "cut_tree.h"
#include "objects.h"

#include "model/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, STATES = 12 };

typedef struct state {
    double q[MOST], v[MOST], a[MOST], tau[MOST];
} state;

typedef void (*visitor)(const closed_machine *machine, const lw_model *m, lw_data *d,
                        const state *s);

// Every machine of the zoo, at states where its loops close.
static void visit(visitor check)
{
    for (int i = 0; i < closed_zoo_count; ++i) {
        const closed_machine *machine = &closed_zoo[i];
        check_case("%s", machine->name);
        lw_model *m = closed_model(machine->build(false));
        if (!CHECK(m != NULL)) {
            continue;
        }
        lw_data *d = new_data(m);
        int good = 0;
        for (int k = 0; k < STATES; ++k) {
            check_case("%s, state %d", machine->name, k);
            state s;
            closed_state(m, machine->reach, s.q, s.v, s.a);
            const lw_status status = lw_inverse_dynamics(m, d, s.q, s.v, s.a, NULL, s.tau);
            if (status == LW_OK) {
                ++good;
                check(machine, m, d, &s);
            } else {
                CHECK(status == LW_ERR_LOOP_OPEN);
            }
        }
        CHECK(good > STATES / 2);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

static void check_same(const double *x, const double *wanted, int n, double tolerance)
{
    const double size = fmax(1.0, largest(wanted, n));
    for (int i = 0; i < n; ++i) {
        CHECK_NEAR(x[i], wanted[i], tolerance * size);
    }
}

// M a + h = S' tau + J' lambda in tree coordinates, solved for tau and lambda: as many unknowns as
// drives and conditions. Forces here reach 3000 N m and more, and the conditions' rows are read off
// poses good to 1e-16, hence 1e-10 of the largest force.
static void inverse_by_multipliers(const closed_machine *machine, const lw_model *m, lw_data *d,
                                   const state *s)
{
    cut_tree cut;
    if (machine->has_heavy || !cut_open(machine, m, &cut)) {
        return;
    }
    cut_update(&cut, d);
    const int n = cut.n, ncolumn = m->nv + cut.nrow;
    double *A = calloc((size_t)(n * ncolumn), sizeof *A), need[MOST], x[2 * MOST], left;
    CHECK(lw_inverse_dynamics(cut.tree, cut.d, cut.q, cut.v, cut.a, NULL, need) == LW_OK);
    const double size = fmax(1.0, largest(need, n));
    for (int i = 0; i < n; ++i) {
        for (int r = 0; r < cut.nrow; ++r) {
            A[i * ncolumn + m->nv + r] = cut.J[r * n + i];
        }
    }
    for (int k = 0; k < m->nv; ++k) {
        A[m->v_tree[k] * ncolumn + k] = 1.0;
    }
    solve_any(n, ncolumn, A, need, x, &left);
    CHECK_NEAR(left, 0.0, 1e-10 * size);
    for (int k = 0; k < m->nv; ++k) {
        CHECK_NEAR(s->tau[k], x[k], 1e-10 * size);
    }
    free(A);
    cut_close(&cut);
}

TEST(D25_R27_inverse_dynamics_is_the_solution_with_multipliers)
{
    visit(inverse_by_multipliers);
}

// (M -J'; J 0) (a; lambda) = (S' tau - h; -bias) for the tree accelerations.
static void forward_by_multipliers(const closed_machine *machine, const lw_model *m, lw_data *d,
                                   const state *s)
{
    cut_tree cut;
    if (machine->has_heavy || !cut_open(machine, m, &cut)) {
        return;
    }
    cut_update(&cut, d);
    const int n = cut.n, all = n + cut.nrow;
    double *A = calloc((size_t)(all * all), sizeof *A), b[2 * MOST], x[2 * MOST], M[MOST * MOST];
    double left;
    CHECK(lw_bias_forces(cut.tree, cut.d, cut.q, cut.v, b) == LW_OK);
    CHECK(lw_mass_matrix(cut.tree, cut.d, cut.q, M) == LW_OK);
    for (int i = 0; i < n; ++i) {
        b[i] = -b[i];
        memcpy(&A[i * all], &M[i * n], (size_t)n * sizeof *A);
        for (int r = 0; r < cut.nrow; ++r) {
            A[i * all + n + r] = -cut.J[r * n + i];
            A[(n + r) * all + i] = cut.J[r * n + i];
        }
    }
    for (int r = 0; r < cut.nrow; ++r) {
        b[n + r] = -cut.bias[r];
    }
    for (int k = 0; k < m->nv; ++k) {
        b[m->v_tree[k]] += s->tau[k];
    }
    solve_any(all, all, A, b, x, &left);
    // A light machine beside a heavy one makes M ill-conditioned by its own units: 1e-9.
    check_same(x, cut.a, n, 1e-9);
    double a[MOST];
    CHECK(lw_forward_dynamics(m, d, s->q, s->v, s->tau, NULL, a) == LW_OK);
    check_same(a, s->a, m->nv, 1e-9);
    free(A);
    cut_close(&cut);
}

TEST(D25_forward_dynamics_is_the_solution_with_multipliers)
{
    visit(forward_by_multipliers);
}

static void mass_matrix_laws(const closed_machine *machine, const lw_model *m, lw_data *d,
                             const state *s)
{
    (void)machine;
    const int n = m->nv;
    double M[MOST * MOST], h[MOST], column[MOST], a[MOST];
    CHECK(lw_mass_matrix(m, d, s->q, M) == LW_OK);
    CHECK(lw_bias_forces(m, d, s->q, s->v, h) == LW_OK);
    const double size = fmax(1.0, largest(M, n * n)) + fmax(1.0, largest(h, n));
    double twice = 0.0;
    for (int k = 0; k < n; ++k) {
        memset(a, 0, sizeof a);
        a[k] = 1.0;
        CHECK(lw_inverse_dynamics(m, d, s->q, s->v, a, NULL, column) == LW_OK);
        for (int i = 0; i < n; ++i) {
            CHECK_NEAR(column[i] - h[i], M[i * n + k], 1e-12 * size);
            twice += s->v[i] * M[i * n + k] * s->v[k];
        }
    }
    double energy;
    CHECK(lw_kinetic_energy(m, d, s->q, s->v, &energy) == LW_OK);
    CHECK_NEAR(energy, twice / 2, 1e-12 * size);
    CHECK(lw_forward_dynamics(m, d, s->q, s->v, s->tau, NULL, a) == LW_OK);
    check_same(a, s->a, n, 1e-9);
}

TEST(mass_matrix_is_the_columns_of_inverse_dynamics_and_forward_dynamics_undoes_it)
{
    visit(mass_matrix_laws);
}

// Where the machine is after time t, with velocity v at first and dv/dt = a: exact to first order.
static double energy_at(const lw_model *m, lw_data *d, const state *s, double t)
{
    double q[MOST], v[MOST], kinetic = 0.0, potential = 0.0;
    lw_integrate(m, s->q, s->v, t, q);
    for (int k = 0; k < m->nv; ++k) {
        v[k] = s->v[k] + t * s->a[k];
    }
    CHECK(lw_kinetic_energy(m, d, q, v, &kinetic) == LW_OK);
    CHECK(lw_potential_energy(m, d, q, &potential) == LW_OK);
    return kinetic + potential;
}

// Differences of order four with h = 1e-3: derivatives of these machines grow to about 100 times
// per order at most, so the error is below 1e-6 of the energy.
static void energy_balance(const closed_machine *machine, const lw_model *m, lw_data *d,
                           const state *s)
{
    (void)machine;
    const double h = 1e-3;
    double power = 0.0;
    for (int i = 0; i < m->tree_nv; ++i) {
        power -= m->dof[i].damping * d->tree_v[i] * d->tree_v[i];
    }
    for (int k = 0; k < m->nv; ++k) {
        power += s->tau[k] * s->v[k];
    }
    double q[MOST];
    lw_integrate(m, s->q, s->v, 2 * h, q);
    if (lw_forward_position(m, d, q) != LW_OK) {
        return; // the loop opens right here
    }
    const double rate = (8.0 * (energy_at(m, d, s, h) - energy_at(m, d, s, -h)) -
                         (energy_at(m, d, s, 2 * h) - energy_at(m, d, s, -2 * h))) /
                        (12.0 * h);
    CHECK_NEAR(rate, power, 1e-5 * (fabs(power) + fabs(energy_at(m, d, s, 0.0)) + 1.0));
}

TEST(power_of_the_drives_is_the_rate_of_energy)
{
    visit(energy_balance);
}

static void coriolis_laws(const closed_machine *machine, const lw_model *m, lw_data *d,
                          const state *s)
{
    (void)machine;
    const int n = m->nv;
    double C[MOST * MOST], h[MOST], still[MOST], zero[MOST] = {0};
    lw_dynamics_options options = lw_default_dynamics_options(m);
    options.is_ideal = true; // no springs and dampers in h
    CHECK(lw_set_dynamics_options(d, &options) == LW_OK);
    CHECK(lw_coriolis_matrix(m, d, s->q, s->v, C) == LW_OK);
    CHECK(lw_bias_forces(m, d, s->q, s->v, h) == LW_OK);
    CHECK(lw_gravity_forces(m, d, s->q, still) == LW_OK);
    double rest[MOST];
    CHECK(lw_bias_forces(m, d, s->q, zero, rest) == LW_OK);
    check_same(still, rest, n, 1e-12);
    const double size = fmax(1.0, largest(h, n)) + fmax(1.0, largest(C, n * n));
    for (int i = 0; i < n; ++i) {
        double sum = still[i];
        for (int k = 0; k < n; ++k) {
            sum += C[i * n + k] * s->v[k];
        }
        CHECK_NEAR(sum, h[i], 1e-11 * size);
    }
    // C + C' = dM/dt, by differences of order four; rotors, which turn at rates that loops change,
    // are in both now.
    CHECK(lw_set_dynamics_options(d, NULL) == LW_OK);
    CHECK(lw_coriolis_matrix(m, d, s->q, s->v, C) == LW_OK);
    static double M[4][MOST * MOST];
    const double step = 1e-3;
    for (int k = 0; k < 4; ++k) {
        double q[MOST];
        lw_integrate(m, s->q, s->v, step * (k < 2 ? k - 2 : k - 1), q);
        if (lw_mass_matrix(m, d, q, M[k]) != LW_OK) {
            return;
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            const int at = i * n + k;
            const double rate =
                (8.0 * (M[2][at] - M[1][at]) - (M[3][at] - M[0][at])) / (12.0 * step);
            CHECK_NEAR(C[at] + C[k * n + i], rate, 1e-5 * size);
        }
    }
}

TEST(D25_coriolis_matrix_gives_the_forces_and_the_rate_of_mass)
{
    visit(coriolis_laws);
}

static void momentum_laws(const closed_machine *machine, const lw_model *m, lw_data *d,
                          const state *s)
{
    (void)machine;
    const int n = m->nv;
    double A[6 * MOST], J[3 * MOST];
    lw_force p;
    lw_vec3 center, same;
    CHECK(lw_centroidal_momentum(m, d, s->q, s->v, &p, &center) == LW_OK);
    CHECK(lw_centroidal_momentum_matrix(m, d, s->q, A) == LW_OK);
    CHECK(lw_center_of_mass(m, d, s->q, &same, J) == LW_OK);
    CHECK_NEAR(lw_norm3(lw_sub3(center, same)), 0.0, 1e-13);
    const double wanted[6] = {p.ang.x, p.ang.y, p.ang.z, p.lin.x, p.lin.y, p.lin.z};
    double moving = 0.0;
    for (int i = 0; i < m->nbody; ++i) {
        moving += m->inertia[i].mass;
    }
    for (int k = 0; k < m->nloop; ++k) {
        moving += m->loop[k].mass;
    }
    for (int r = 0; r < 6; ++r) {
        double sum = 0.0, of_center = 0.0;
        for (int k = 0; k < n; ++k) {
            sum += A[r * n + k] * s->v[k];
            of_center += r < 3 ? 0.0 : moving * J[(r - 3) * n + k] * s->v[k];
        }
        CHECK_NEAR(sum, wanted[r], 1e-12 * fmax(1.0, largest(wanted, 6)));
        if (r >= 3) {
            CHECK_NEAR(of_center, wanted[r], 1e-12 * fmax(1.0, largest(wanted, 6)));
        }
    }
}

TEST(momentum_is_its_matrix_times_velocity)
{
    visit(momentum_laws);
}

// A uniform coupler as a rod, and as a body with the inertia of a thin rod.
TEST(D06_rod_with_mass_is_a_thin_body)
{
    const double mass = 2.0, length = 0.9;
    // The second is the same machine with the coupler as a link that hangs on the crank.
    lw_mech *mech[2] = {closed_zoo_find("rod four-bar")->build(false),
                        closed_zoo_find("rod four-bar")->build(true)};
    lw_link_def coupler = zoo_link_def("coupler", mass, lw_vec3_of(length / 2, 0.0, 0.0));
    const double I = mass * length * length / 12;
    coupler.inertia = (lw_sym3){0.0, I, I, 0.0, 0.0, 0.0};
    CHECK(lw_add_link(mech[1], &coupler).index >= 0);
    lw_joint_def pin = zoo_joint_def("pin", LW_JOINT_REVOLUTE, lw_vec3_of(0.0, 0.0, 1.0));
    pin.dof[0].reference = -0.45;
    zoo_hang(mech[1], &pin, "crank.tip", "coupler");
    zoo_frame(mech[1], "coupler", "tip", lw_placement_xyz(length, 0.0, 0.0));
    lw_joint_def last = zoo_joint_def("last", LW_JOINT_REVOLUTE, lw_vec3_of(0.0, 0.0, 1.0));
    last.closing = true;
    CHECK(lw_add_joint(mech[1], &last).index >= 0);
    zoo_join(mech[1], "coupler.tip", "last.a");
    zoo_join(mech[1], "follower.tip", "last.b");
    lw_model *m[2];
    lw_data *d[2];
    for (int k = 0; k < 2; ++k) {
        m[k] = closed_model(mech[k]);
        d[k] = new_data(m[k]);
    }
    // Springs of dependent joints differ in what they hang on, not in what they do; the pin has
    // none. Which joint of the second is independent is the compiler's choice: the crank's.
    if (CHECK(m[0] && m[1]) && CHECK_INT(m[1]->nv, 1) && CHECK_TEXT(m[1]->velocity_name[0], "j1")) {
        for (int n = 0; n < 20; ++n) {
            double q[1] = {check_random(-3.0, 3.0)}, v[1] = {1.3}, a[1] = {-0.7}, tau[2][1];
            double M[2][1], T[2], V[2], C[2][1];
            lw_force p[2];
            for (int k = 0; k < 2; ++k) {
                CHECK(lw_inverse_dynamics(m[k], d[k], q, v, a, NULL, tau[k]) == LW_OK);
                CHECK(lw_mass_matrix(m[k], d[k], q, M[k]) == LW_OK);
                CHECK(lw_kinetic_energy(m[k], d[k], q, v, &T[k]) == LW_OK);
                CHECK(lw_potential_energy(m[k], d[k], q, &V[k]) == LW_OK);
                CHECK(lw_momentum(m[k], d[k], q, v, &p[k]) == LW_OK);
                CHECK(lw_coriolis_matrix(m[k], d[k], q, v, C[k]) == LW_OK);
            }
            CHECK_NEAR(tau[0][0], tau[1][0], 1e-11);
            CHECK_NEAR(M[0][0], M[1][0], 1e-12);
            CHECK_NEAR(T[0], T[1], 1e-12);
            CHECK_NEAR(V[0], V[1], 1e-12);
            CHECK_NEAR(C[0][0], C[1][0], 1e-11);
            CHECK_NEAR(lw_norm3(lw_sub3(p[0].lin, p[1].lin)), 0.0, 1e-12);
            CHECK_NEAR(lw_norm3(lw_sub3(p[0].ang, p[1].ang)), 0.0, 1e-12);
        }
        CHECK_NEAR(m[0]->mass, m[1]->mass, 1e-14);
    }
    for (int k = 0; k < 2; ++k) {
        lw_data_destroy(d[k]);
        lw_model_destroy(m[k]);
    }
}

// All bodies and rods of a machine that itself moves and turns, as if it hung on a free joint.
static void moving_world(const closed_machine *machine, const lw_model *m, lw_data *d,
                         const state *s)
{
    (void)machine;
    lw_dynamics_options options = lw_default_dynamics_options(m);
    double tau[MOST], lifted[MOST];
    // A world that accelerates by -g weighs as one that rests under gravity g.
    options.base_acceleration.lin = lw_scale3(-1.0, options.gravity);
    options.gravity = lw_vec3_of(0.0, 0.0, 0.0);
    CHECK(lw_set_dynamics_options(d, &options) == LW_OK);
    CHECK(lw_inverse_dynamics(m, d, s->q, s->v, s->a, NULL, lifted) == LW_OK);
    check_same(lifted, s->tau, m->nv, 1e-12);
    // Turning the world does work by its own means, so energy in inertial space is no check here:
    // a uniform velocity changes nothing.
    options = lw_default_dynamics_options(m);
    options.base_velocity.lin = lw_vec3_of(3.0, -2.0, 1.0);
    CHECK(lw_set_dynamics_options(d, &options) == LW_OK);
    CHECK(lw_inverse_dynamics(m, d, s->q, s->v, s->a, NULL, tau) == LW_OK);
    check_same(tau, s->tau, m->nv, 1e-12);
    CHECK(lw_set_dynamics_options(d, NULL) == LW_OK);
}

TEST(R26_a_world_in_motion_reaches_loops_and_rods)
{
    visit(moving_world);
}

static void closed_forms(const closed_machine *machine, const lw_model *m, lw_data *d,
                         const state *s)
{
    (void)d;
    (void)s;
    for (int k = 0; k < m->nstep && !machine->is_iterated; ++k) {
        CHECK(m->step[k].kind != LW_STEP_BLOCK);
    }
}

TEST(D28_machines_with_closed_forms_take_no_iteration)
{
    visit(closed_forms);
}

// --- The palletiser -----------------------------------------------------------------------------

TEST(D16_palletiser_keeps_its_flange_parallel_to_the_ground)
{
    lw_model *m = closed_model(zoo_palletiser(0, 0.0, false));
    if (!CHECK(m != NULL) || !CHECK_INT(m->nv, 4)) {
        return;
    }
    lw_data *d = new_data(m);
    const int flange = lw_find_frame(m, "Payload");
    double tilt = 0.0, gap = 0.0;
    int closed = 0;
    for (int n = 0; n < 100000; ++n) {
        // The arms reach the singular configurations of their parallelograms at a quarter turn in
        // the world.
        const double upper = check_random(-1.4, 1.4), fore = check_random(-1.4, 1.4);
        const double q[4] = {check_random(-3.0, 3.0), upper, fore - upper, check_random(-3.0, 3.0)};
        if (lw_forward_position(m, d, q) != LW_OK) {
            continue;
        }
        ++closed;
        lw_pose X, Y[2];
        lw_frame_pose(m, d, flange, &X);
        tilt = fmax(tilt, hypot(X.R.row[0].z, X.R.row[1].z));
        for (int k = 0; k < 2; ++k) {
            lw_frame_pose(m, d, m->loop[k].frame[0], &Y[0]);
            lw_frame_pose(m, d, m->loop[k].frame[1], &Y[1]);
            gap = fmax(gap, fabs(lw_norm3(lw_sub3(Y[0].p, Y[1].p)) - m->loop[k].length));
        }
    }
    CHECK_INT(closed, 100000);
    CHECK_NEAR(tilt, 0.0, 1e-12);
    CHECK_NEAR(gap, 0.0, 1e-13);
    lw_data_destroy(d);
    lw_model_destroy(m);
}

TEST(D27_palletiser_solves_R6_by_LAB_then_R4_by_LCD_however_declared)
{
    for (int shuffle = 0; shuffle < 6; ++shuffle) {
        check_case("order %d", shuffle);
        lw_model *m = closed_model(zoo_palletiser(shuffle, 0.0, false));
        if (!CHECK(m != NULL) || !CHECK_INT(m->nstep, 2)) {
            lw_model_destroy(m);
            continue;
        }
        static const char *const target[] = {"R6", "R4"}, *const rod[] = {"LAB", "LCD"};
        for (int s = 0; s < 2; ++s) {
            const lw_step_info *step = &m->step[s];
            CHECK_INT((int)step->kind, (int)LW_STEP_ROD_REVOLUTE);
            CHECK_INT(step->ntarget, 1);
            CHECK_INT(step->nloop, 1);
            CHECK_TEXT(m->tree_velocity_name[step->target[0]], target[s]);
            CHECK_TEXT(m->loop[step->loop[0]].name, rod[s]);
        }
        lw_model_destroy(m);
    }
}

int main(void)
{
    RUN(D25_R27_inverse_dynamics_is_the_solution_with_multipliers);
    RUN(D25_forward_dynamics_is_the_solution_with_multipliers);
    RUN(mass_matrix_is_the_columns_of_inverse_dynamics_and_forward_dynamics_undoes_it);
    RUN(power_of_the_drives_is_the_rate_of_energy);
    RUN(D25_coriolis_matrix_gives_the_forces_and_the_rate_of_mass);
    RUN(momentum_is_its_matrix_times_velocity);
    RUN(D06_rod_with_mass_is_a_thin_body);
    RUN(R26_a_world_in_motion_reaches_loops_and_rods);
    RUN(D28_machines_with_closed_forms_take_no_iteration);
    RUN(D16_palletiser_keeps_its_flange_parallel_to_the_ground);
    RUN(D27_palletiser_solves_R6_by_LAB_then_R4_by_LCD_however_declared);
    return REPORT();
}
