// One state, several functions (lw_set_state): results are those of stateless calls bit by bit,
// in every order, on every machine, whatever is computed in between; and states that are not there
// are refused.
#include "arrays.h"
#include "check.h"
#include "closed_zoo.h"
#include "model/data.h"
#include "objects.h"
#include "zoo.h"

#include <linkwork/linkwork.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct subject {
    const lw_model *m;
    lw_data *d;
    int tip;
    double *q, *v, *a; ///< the state
    double *other;     ///< [nq] another one
} subject;

typedef lw_status computation(const subject *s, const double *q, const double *v, double *out);

static lw_status poses(const subject *s, const double *q, const double *v, double *out)
{
    (void)v;
    const lw_status status = lw_forward_position(s->m, s->d, q);
    return status == LW_OK ? lw_frame_pose(s->m, s->d, s->tip, (lw_pose *)(void *)out) : status;
}

static lw_status velocity(const subject *s, const double *q, const double *v, double *out)
{
    const lw_status status = lw_forward_velocity(s->m, s->d, q, v);
    return status == LW_OK
               ? lw_frame_velocity(s->m, s->d, s->tip, LW_IN_WORLD, (lw_motion *)(void *)out)
               : status;
}

static lw_status acceleration(const subject *s, const double *q, const double *v, double *out)
{
    const lw_status status = lw_forward_acceleration(s->m, s->d, q, v, s->a);
    return status == LW_OK
               ? lw_frame_acceleration(s->m, s->d, s->tip, LW_IN_WORLD, (lw_motion *)(void *)out)
               : status;
}

static lw_status jacobian(const subject *s, const double *q, const double *v, double *out)
{
    (void)v;
    return lw_frame_jacobian(s->m, s->d, q, s->tip, LW_IN_WORLD, NULL, out);
}

static lw_status jacobian_in_frame(const subject *s, const double *q, const double *v, double *out)
{
    (void)v;
    return lw_frame_jacobian(s->m, s->d, q, s->tip, LW_IN_FRAME, NULL, out);
}

static lw_status inverse_dynamics(const subject *s, const double *q, const double *v, double *out)
{
    return lw_inverse_dynamics(s->m, s->d, q, v, s->a, NULL, out);
}

static lw_status bias_forces(const subject *s, const double *q, const double *v, double *out)
{
    return lw_bias_forces(s->m, s->d, q, v, out);
}

static lw_status gravity_forces(const subject *s, const double *q, const double *v, double *out)
{
    (void)v;
    return lw_gravity_forces(s->m, s->d, q, out);
}

static lw_status mass_matrix(const subject *s, const double *q, const double *v, double *out)
{
    (void)v;
    return lw_mass_matrix(s->m, s->d, q, out);
}

static lw_status mass_matrix_upper(const subject *s, const double *q, const double *v, double *out)
{
    (void)v;
    const lw_status status = lw_mass_matrix_upper(s->m, s->d, q, out);
    for (int i = 0; i < s->m->nv * s->m->nv; ++i) {
        out[i] = i % s->m->nv < i / s->m->nv ? 0.0 : out[i]; // which is undefined
    }
    return status;
}

static lw_status forward_dynamics(const subject *s, const double *q, const double *v, double *out)
{
    return lw_forward_dynamics(s->m, s->d, q, v, s->a, NULL, out);
}

static computation *const reusing[] = {poses,
                                       velocity,
                                       acceleration,
                                       jacobian,
                                       jacobian_in_frame,
                                       inverse_dynamics,
                                       bias_forces,
                                       gravity_forces,
                                       mass_matrix,
                                       mass_matrix_upper,
                                       forward_dynamics};
enum { NREUSING = sizeof reusing / sizeof *reusing };

// Those that overwrite what is held.
static lw_status frame_pose(const subject *s, const double *q, const double *v, double *out)
{
    (void)v;
    return lw_pose_of_frame(s->m, s->d, q, s->tip, (lw_pose *)(void *)out);
}

static lw_status tree_state(const subject *s, const double *q, const double *v, double *out)
{
    return lw_tree_state(s->m, s->d, q, v, s->a, NULL, out, out);
}

static lw_status loop_gap(const subject *s, const double *q, const double *v, double *out)
{
    (void)v;
    return lw_loop_gap(s->m, s->d, q, out);
}

static lw_status jacobian_rate(const subject *s, const double *q, const double *v, double *out)
{
    return lw_frame_jacobian_rate(s->m, s->d, q, v, s->tip, LW_IN_WORLD, NULL, out);
}

static lw_status coriolis(const subject *s, const double *q, const double *v, double *out)
{
    return lw_coriolis_matrix(s->m, s->d, q, v, out);
}

static lw_status inverse_mass(const subject *s, const double *q, const double *v, double *out)
{
    (void)v;
    return lw_inverse_mass_matrix(s->m, s->d, q, out);
}

static lw_status actuators(const subject *s, const double *q, const double *v, double *out)
{
    return lw_actuator_forces(s->m, s->d, q, v, s->a, NULL, s->m->nv, s->m->v_tree, NULL, out, NULL,
                              NULL);
}

static lw_status momentum(const subject *s, const double *q, const double *v, double *out)
{
    return lw_momentum(s->m, s->d, q, v, (lw_force *)(void *)out);
}

static lw_status derivatives(const subject *s, const double *q, const double *v, double *out)
{
    return lw_inverse_dynamics_derivatives(s->m, s->d, q, v, s->a, NULL, out, NULL, NULL);
}

static computation *const overwriting[] = {frame_pose,    tree_state, loop_gap,
                                           jacobian_rate, coriolis,   inverse_mass,
                                           actuators,     momentum,   derivatives};
enum { NOVERWRITING = sizeof overwriting / sizeof *overwriting };

// Largest result: of a mass matrix, a Jacobian or a pose.
static int result_size(const lw_model *m)
{
    return m->nv * m->nv + 6 * m->tree_nv + 12;
}

static void compare(const subject *s, int which, const double *want, lw_status wanted)
{
    double *got = numbers(result_size(s->m));
    CHECK_INT(reusing[which](s, lw_held_position(s->d), lw_held_velocity(s->d), got), wanted);
    if (wanted == LW_OK &&
        !CHECK(memcmp(got, want, (size_t)result_size(s->m) * sizeof *got) == 0)) {
        check_case("function %d", which);
    }
    free(got);
}

static void law(const subject *s)
{
    const int n = result_size(s->m);
    double *want = numbers(NREUSING * n);
    lw_status status[NREUSING];
    for (int k = 0; k < NREUSING; ++k) {
        lw_data_restart(s->d); // blocks begin at the same place
        status[k] = reusing[k](s, s->q, s->v, want + k * n);
    }
    lw_data_restart(s->d);
    CHECK_INT(lw_set_state(s->m, s->d, s->q, s->v), LW_OK);
    CHECK(memcmp(lw_held_position(s->d), s->q, (size_t)s->m->nq * sizeof *s->q) == 0);
    for (int trial = 0; trial < 60; ++trial) {
        const int k = trial < NREUSING ? trial : (int)check_random(0, NREUSING - 1e-9);
        compare(s, k, want + k * n, status[k]);
        CHECK_INT(lw_held_stage(s->d), LW_STAGE_VELOCITY);
    }
    // Poses stay while dynamics and Jacobians are computed at the same state.
    lw_pose X;
    CHECK_INT(lw_forward_position(s->m, s->d, lw_held_position(s->d)), LW_OK);
    for (int k = 3; k < NREUSING; ++k) {
        compare(s, k, want + k * n, status[k]);
        CHECK_INT(lw_data_stage(s->d), LW_STAGE_POSITION);
        CHECK_INT(lw_frame_pose(s->m, s->d, s->tip, &X), LW_OK);
        CHECK(memcmp(&X, want, sizeof X) == 0);
    }
    free(want);
}

// Whatever overwrites the work space, at this state or at another one.
static void law_between(const subject *s)
{
    const int n = result_size(s->m);
    double *want = numbers(NREUSING * n), *between = numbers(n + s->m->tree_nv);
    lw_status status[NREUSING];
    for (int k = 0; k < NREUSING; ++k) {
        status[k] = reusing[k](s, s->q, s->v, want + k * n);
    }
    for (int k = 0; k < NREUSING; ++k) {
        for (int i = 0; i < NOVERWRITING + NREUSING; ++i) {
            CHECK_INT(lw_set_state(s->m, s->d, s->q, s->v), LW_OK);
            CHECK_INT(lw_held_stage(s->d), LW_STAGE_VELOCITY);
            const bool is_other = i >= NOVERWRITING;
            const double *at = is_other ? s->other : lw_held_position(s->d);
            computation *f = is_other ? reusing[i - NOVERWRITING] : overwriting[i];
            (void)f(s, at, lw_held_velocity(s->d), between);
            CHECK_INT(lw_held_stage(s->d), LW_STAGE_NONE);
            compare(s, k, want + k * n, status[k]);
        }
    }
    // Another velocity at the same position, and this one again.
    lw_status found = lw_set_state(s->m, s->d, s->q, s->v);
    found =
        found == LW_OK ? lw_bias_forces(s->m, s->d, lw_held_position(s->d), s->a, between) : found;
    CHECK_INT(found, LW_OK);
    CHECK(lw_held_stage(s->d) >= LW_STAGE_POSITION);
    for (int k = NREUSING - 1; k >= 0; --k) {
        compare(s, k, want + k * n, status[k]);
    }
    CHECK_INT(lw_bias_forces(s->m, s->d, s->q, s->a, want), LW_OK);
    CHECK(memcmp(between, want, (size_t)s->m->nv * sizeof *want) == 0);
    free(want);
    free(between);
}

static void begin_subject(const lw_model *m, lw_data *d, subject *s)
{
    *s = (subject){
        m, d, m->nframe_all - 1, numbers(m->nq), numbers(m->nv), numbers(m->nv), numbers(m->nq)};
    for (int i = m->nframe - 1; i >= 0 && m->frame[s->tip].body < 0; --i) {
        s->tip = i;
    }
}

static void end_subject(subject *s)
{
    free(s->q);
    free(s->v);
    free(s->a);
    free(s->other);
}

static void visit_open(const lw_model *m, lw_data *d)
{
    subject s;
    begin_subject(m, d, &s);
    zoo_state(m, s.other, s.v, s.a);
    zoo_state(m, s.q, s.v, s.a);
    law(&s);
    if (m->nv < 12) {
        law_between(&s);
    }
    end_subject(&s);
}

TEST(C26_a_held_state_gives_the_results_of_stateless_calls)
{
    every_machine(visit_open);
}

TEST(C26_a_held_state_of_closed_mechanisms_gives_the_results_of_stateless_calls)
{
    for (int k = 0; k < closed_zoo_count; ++k) {
        check_case("%s", closed_zoo[k].name);
        lw_model *m = closed_model(closed_zoo[k].build(false));
        lw_data *d = new_data(m);
        subject s;
        begin_subject(m, d, &s);
        closed_state(m, closed_zoo[k].reach, s.other, s.v, s.a);
        closed_state(m, closed_zoo[k].reach, s.q, s.v, s.a);
        law(&s);
        if (!closed_zoo[k].is_iterated) { // whose last digits depend on where blocks begin
            law_between(&s);
        }
        end_subject(&s);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
}

// The loops are not closed again: the sweep is what counts iterations.
TEST(C26_a_held_state_closes_its_loops_once)
{
    int nblock = 0;
    for (int k = 0; k < closed_zoo_count; ++k) {
        if (!closed_zoo[k].is_iterated) {
            continue;
        }
        check_case("%s", closed_zoo[k].name);
        lw_model *m = closed_model(closed_zoo[k].build(false));
        lw_data *d = new_data(m);
        subject s;
        begin_subject(m, d, &s);
        closed_state(m, closed_zoo[k].reach, s.q, s.v, s.a);
        double *out = numbers(result_size(m));
        CHECK_INT(lw_set_state(m, d, s.q, s.v), LW_OK);
        const int iterations = lw_data_iterations(d);
        nblock += iterations > 0;
        for (int i = 0; i < NREUSING; ++i) {
            d->iterations.used = -1;
            (void)reusing[i](&s, lw_held_position(d), lw_held_velocity(d), out);
            CHECK_INT(d->iterations.used, -1);
        }
        free(out);
        end_subject(&s);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    CHECK(nblock > 0);
}

TEST(C26_states_that_are_not_there_are_refused)
{
    lw_model *m = zoo_model(ZOO_MIXED), *another = zoo_model(ZOO_FREE);
    lw_data *d = new_data(m);
    subject s;
    begin_subject(m, d, &s);
    zoo_state(m, s.q, s.v, s.a);
    double *out = numbers(result_size(m));
    CHECK(!lw_held_position(NULL) && !lw_held_velocity(NULL));
    CHECK_INT(lw_held_stage(NULL), LW_STAGE_NONE);
    CHECK(!lw_held_position(d) && !lw_held_velocity(d));
    CHECK_INT(lw_set_state(m, d, NULL, s.v), LW_ERR_ARGUMENT);
    CHECK_INT(lw_set_state(another, d, s.q, s.v), LW_ERR_ARGUMENT);
    CHECK_INT(mass_matrix(&s, lw_held_position(d), NULL, out), LW_ERR_ARGUMENT);

    // Positions alone.
    CHECK_INT(lw_set_state(m, d, s.q, NULL), LW_OK);
    const double *q = lw_held_position(d), *v = lw_held_velocity(d);
    CHECK_INT(lw_held_stage(d), LW_STAGE_POSITION);
    CHECK_INT(mass_matrix(&s, q, NULL, out), LW_OK);
    CHECK_INT(inverse_dynamics(&s, q, v, out), LW_ERR_NUMBER);
    CHECK_INT(velocity(&s, q, v, out), LW_ERR_NUMBER);
    CHECK_INT(inverse_dynamics(&s, q, s.v, out), LW_OK);

    // A state that fails leaves none, even to those who kept the addresses.
    s.q[0] = (double)NAN;
    CHECK_INT(lw_set_state(m, d, s.q, s.v), LW_ERR_NUMBER);
    CHECK(!lw_held_position(d) && !lw_held_velocity(d));
    CHECK_INT(lw_held_stage(d), LW_STAGE_NONE);
    for (int k = 0; k < NREUSING; ++k) {
        CHECK_INT(reusing[k](&s, q, v, out), LW_ERR_NUMBER);
    }
    CHECK_INT(lw_set_state(m, d, m->q_reference, s.v), LW_OK);
    lw_data_restart(d);
    CHECK_INT(lw_held_stage(d), LW_STAGE_NONE);
    CHECK_INT(mass_matrix(&s, q, v, out), LW_OK);
    free(out);
    end_subject(&s);
    lw_data_destroy(d);
    lw_model_destroy(m);
    lw_model_destroy(another);
}

TEST(C26_a_loop_that_cannot_be_closed_leaves_no_state)
{
    int nopen = 0;
    for (int k = 0; k < closed_zoo_count; ++k) {
        check_case("%s", closed_zoo[k].name);
        lw_model *m = closed_model(closed_zoo[k].build(false));
        lw_data *d = new_data(m);
        double *q = numbers(m->nq);
        for (int trial = 0; trial < 10; ++trial) {
            for (int i = 0; i < m->nq; ++i) {
                q[i] = check_random(-3, 3);
            }
            CHECK_INT(lw_set_state(m, d, m->q_reference, NULL), LW_OK);
            const lw_status status = lw_set_state(m, d, q, NULL);
            CHECK((lw_held_position(d) != NULL) == (status == LW_OK));
            nopen += status == LW_ERR_LOOP_OPEN;
        }
        free(q);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    CHECK(nopen > 0);
}

// A source of no force that uses the data of the simulation for another state, where there is one.
static lw_status look_elsewhere(void *context, const lw_model *m, lw_data *d, double t,
                                const double *q, const double *v, double *tau, lw_force *f_ext)
{
    const double *other = context;
    (void)t;
    (void)q;
    (void)v;
    (void)tau;
    (void)f_ext;
    if (other) {
        (void)lw_forward_position(m, d, other); // its loops may be open
    }
    return LW_OK;
}

static void fall(const lw_model *m, lw_method method, double *other, double *end)
{
    const lw_force_source source = {.add = look_elsewhere, .context = other};
    lw_sim_def def = lw_default_sim_def();
    def.method = method;
    def.step = 1e-3;
    def.source = &source;
    def.nsource = 1;
    lw_sim *sim = NULL;
    CHECK_INT(lw_sim_create(m, &def, &sim), LW_OK);
    CHECK_INT(lw_sim_advance(sim, 0.02), LW_OK);
    const bool has_loops = sim && m->nstep > 0 && lw_held_stage(lw_sim_data(sim)) != LW_STAGE_NONE;
    memcpy(end, lw_sim_state(sim), (size_t)(m->nq + m->nv) * sizeof *end);
    end[m->nq + m->nv] = has_loops;
    lw_sim_destroy(sim);
}

// A step is checked for leaps at its end, and the next begins with what that has found.
TEST(C26_steps_go_on_from_the_state_that_the_data_holds)
{
    static const lw_method methods[] = {LW_METHOD_EULER, LW_METHOD_RK4, LW_METHOD_DOPRI5};
    int nheld = 0;
    for (int k = 0; k < closed_zoo_count; ++k) {
        if (closed_zoo[k].is_iterated) {
            continue;
        }
        check_case("%s", closed_zoo[k].name);
        lw_model *m = closed_model(closed_zoo[k].build(false));
        lw_data *d = new_data(m);
        subject s;
        begin_subject(m, d, &s);
        closed_state(m, closed_zoo[k].reach, s.other, s.v, s.a);
        double *end = numbers(m->nq + m->nv + 1), *again = numbers(m->nq + m->nv + 1);
        for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
            fall(m, methods[i], NULL, end);
            fall(m, methods[i], s.other, again);
            nheld += end[m->nq + m->nv] > 0.0;
            for (int j = 0; j < m->nq + m->nv; ++j) {
                CHECK(end[j] == again[j]);
            }
        }
        free(end);
        free(again);
        end_subject(&s);
        lw_data_destroy(d);
        lw_model_destroy(m);
    }
    CHECK(nheld > 0);
}

int main(void)
{
    RUN(C26_a_held_state_gives_the_results_of_stateless_calls);
    RUN(C26_a_held_state_of_closed_mechanisms_gives_the_results_of_stateless_calls);
    RUN(C26_a_held_state_closes_its_loops_once);
    RUN(C26_states_that_are_not_there_are_refused);
    RUN(C26_steps_go_on_from_the_state_that_the_data_holds);
    RUN(C26_a_loop_that_cannot_be_closed_leaves_no_state);
    return REPORT();
}
