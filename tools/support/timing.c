#include "support/timing.h"

#include "support/cycle_chain.h"

#include <linkwork/derivatives.h>
#include <linkwork/dynamics.h>
#include <linkwork/engine.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <time.h>

enum {
    LARGEST_MATRIX = 1500, // degrees of freedom; three such matrices take 54 MB
    BLOCKS = 40            // of which the quickest counts: other programs only ever add time
};

// --- States -----------------------------------------------------------------------------------

void timing_init(timing_bench *bench, memory *pool, const lw_model *m, lw_data *d, int frame)
{
    const size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
    *bench = (timing_bench){.m = m, .d = d, .frame = frame};
    bench->q = memory_numbers(pool, TIMING_STATES, m->nq);
    bench->v = memory_numbers(pool, TIMING_STATES, m->nv);
    bench->a = memory_numbers(pool, TIMING_STATES, m->nv);
    bench->tau = memory_numbers(pool, TIMING_STATES, m->nv);
    bench->vector = memory_numbers(pool, 1, m->nq + m->nv);
    bench->J = memory_numbers(pool, 6, m->nv);
    bench->pose = memory_get(pool, (size_t)m->nframe, sizeof *bench->pose);
    for (int i = 0; i < 3 && m->nv <= LARGEST_MATRIX; ++i) {
        bench->matrix[i] = memory_numbers(pool, m->nv, m->nv);
        bench->regressor = memory_numbers(pool, 10 * m->nbody, m->nv);
    }
    bench->batch_out = memory_numbers(pool, TIMING_STATES, m->nv);
    unsigned long long seed = 1;
    for (size_t k = 0; k < TIMING_STATES; ++k) {
        lw_random_state(m, d, &seed, 1, bench->q + k * nq, bench->v + k * nv, bench->a + k * nv,
                        bench->tau + k * nv);
    }
}

// --- Functions --------------------------------------------------------------------------------

const timing_case timing_cases[] = {
    {"forward_position", TIMING_POSITION, 0},
    {"forward_velocity", TIMING_VELOCITY, 0},
    {"forward_acceleration", TIMING_ACCELERATION, 0},
    {"frame_poses", TIMING_POSES, 0},
    {"pose_of_frame", TIMING_ONE_POSE, 0},
    {"frame_jacobian", TIMING_JACOBIAN, 0},
    {"frame_jacobian_rate_times_v", TIMING_JACOBIAN_RATE, 0},
    {"center_of_mass", TIMING_CENTER, 0},
    {"integrate", TIMING_INTEGRATE, 0},
    {"inverse_dynamics", TIMING_INVERSE, 0},
    {"mass_matrix", TIMING_MASS, 1},
    {"inverse_mass_matrix", TIMING_INVERSE_MASS, 1},
    {"forward_dynamics", TIMING_FORWARD, 0},
    {"gravity_forces", TIMING_GRAVITY, 0},
    {"bias_forces", TIMING_BIAS, 0},
    {"coriolis_matrix", TIMING_CORIOLIS, 1},
    {"kinetic_energy", TIMING_KINETIC, 0},
    {"inverse_dynamics_derivatives", TIMING_INVERSE_DERIVATIVES, 3},
    {"forward_dynamics_derivatives", TIMING_FORWARD_DERIVATIVES, 3},
    {"regressor", TIMING_REGRESSOR, 1},
    {"inverse_dynamics_batch", TIMING_INVERSE_BATCH, 0},
    {"forward_dynamics_batch", TIMING_FORWARD_BATCH, 0},
    {NULL, TIMING_ENGINE, 0},
};

// One evaluation at state k. The switch costs a nanosecond at most.
static lw_status run(timing_bench *b, timing_function which, int k)
{
    const lw_model *m = b->m;
    lw_data *d = b->d;
    const size_t nv = (size_t)m->nv, at = (size_t)k;
    const double *q = b->q + at * (size_t)m->nq, *v = b->v + at * nv, *a = b->a + at * nv;
    const double *tau = b->tau + at * nv;
    double *const *M = b->matrix;
    lw_motion rate;
    lw_vec3 center;
    switch (which) {
    case TIMING_POSITION:
        return lw_forward_position(m, d, q);
    case TIMING_VELOCITY:
        return lw_forward_velocity(m, d, q, v);
    case TIMING_ACCELERATION:
        return lw_forward_acceleration(m, d, q, v, a);
    case TIMING_POSES: {
        const lw_status status = lw_forward_position(m, d, q);
        return status != LW_OK ? status : lw_frame_poses(m, d, b->pose);
    }
    case TIMING_ONE_POSE:
        return lw_pose_of_frame(m, d, q, b->frame, b->pose);
    case TIMING_JACOBIAN:
        return lw_frame_jacobian(m, d, q, b->frame, LW_IN_WORLD, NULL, b->J);
    case TIMING_JACOBIAN_RATE:
        return lw_frame_jacobian_rate_times_v(m, d, q, v, b->frame, LW_IN_WORLD, NULL, &rate);
    case TIMING_CENTER:
        return lw_center_of_mass(m, d, q, &center, b->J);
    case TIMING_INTEGRATE:
        return lw_integrate(m, q, v, 1e-3, b->vector);
    case TIMING_INVERSE:
        return lw_inverse_dynamics(m, d, q, v, a, NULL, b->vector);
    case TIMING_FORWARD:
        return lw_forward_dynamics(m, d, q, v, tau, NULL, b->vector);
    case TIMING_MASS:
        return lw_mass_matrix(m, d, q, M[0]);
    case TIMING_INVERSE_MASS:
        return lw_inverse_mass_matrix(m, d, q, M[0]);
    case TIMING_GRAVITY:
        return lw_gravity_forces(m, d, q, b->vector);
    case TIMING_BIAS:
        return lw_bias_forces(m, d, q, v, b->vector);
    case TIMING_CORIOLIS:
        return lw_coriolis_matrix(m, d, q, v, M[0]);
    case TIMING_KINETIC:
        return lw_kinetic_energy(m, d, q, v, b->vector);
    case TIMING_INVERSE_DERIVATIVES:
        return lw_inverse_dynamics_derivatives(m, d, q, v, a, NULL, M[0], M[1], M[2]);
    case TIMING_FORWARD_DERIVATIVES:
        return lw_forward_dynamics_derivatives(m, d, q, v, tau, NULL, NULL, M[0], M[1], M[2]);
    case TIMING_REGRESSOR:
        return lw_regressor(m, d, q, v, a, b->regressor);
    case TIMING_INVERSE_BATCH:
        return lw_inverse_dynamics_batch(m, b->batch, TIMING_STATES, b->q, b->v, b->a, NULL,
                                         b->batch_out);
    case TIMING_FORWARD_BATCH:
        return lw_forward_dynamics_batch(m, b->batch, TIMING_STATES, b->q, b->v, b->tau, NULL,
                                         b->batch_out);
    case TIMING_ENGINE: {
        const lw_engine_state state = {m->nq, m->nv, q, v, a, tau};
        return lw_engine_run(b->engine, b->which, &state, b->result);
    }
    }
    return LW_ERR_ARGUMENT;
}

// --- Clock ------------------------------------------------------------------------------------

double timing_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// A processor's counter would not do: it goes at one rate, whatever the clock does.
double timing_cycles(void)
{
#if defined CYCLE_CHAIN_WORKS
    enum { LENGTH = 100000 };
    double chain = HUGE_VAL, products = HUGE_VAL; // s
    unsigned long x = 1;
    for (int block = 0; block < BLOCKS; ++block) {
        const double start = timing_now();
        x = cycle_chain(x, LENGTH);
        const double middle = timing_now();
        x = cycle_chain_of_products(x, LENGTH);
        chain = fmin(chain, middle - start);
        products = fmin(products, timing_now() - middle);
    }
    return cycle_rate(1e9 * chain / LENGTH, 1e9 * products / LENGTH);
#else
    return 0;
#endif
}

static lw_status run_block(timing_bench *bench, timing_function what, long long count,
                           double *seconds)
{
    lw_status worst = LW_OK;
    const double start = timing_now();
    for (long long i = 0; i < count; ++i) {
        const lw_status status = run(bench, what, (int)(i % TIMING_STATES));
        worst = status != LW_OK ? status : worst;
    }
    *seconds = timing_now() - start;
    return worst;
}

lw_status timing_measure(timing_bench *bench, timing_function what, double seconds, double *ns,
                         long long *calls)
{
    // A block is long enough when the clock's own steps no longer matter.
    const double enough = seconds / (BLOCKS + 2);
    long long count = 1;
    double taken = 0;
    *calls = 0;
    for (;;) {
        double again;
        const lw_status status = run_block(bench, what, count, &taken);
        if (status != LW_OK) {
            return status;
        }
        // Twice: a first run may have been interrupted, or have met a cold cache.
        run_block(bench, what, count, &again);
        taken = again < taken ? again : taken;
        *calls += 2 * count;
        if (taken >= enough || count > (1LL << 40)) {
            break;
        }
        count = taken > 0.1 * enough ? (long long)((double)count * 1.1 * enough / taken) + 1
                                     : 8 * count;
    }
    double best = taken;
    for (int i = 1; i < BLOCKS; ++i) {
        run_block(bench, what, count, &taken);
        *calls += count;
        best = taken < best ? taken : best;
    }
    const bool is_batch = what == TIMING_INVERSE_BATCH || what == TIMING_FORWARD_BATCH;
    *ns = 1e9 * best / (double)count / (is_batch ? TIMING_STATES : 1);
    return LW_OK;
}
