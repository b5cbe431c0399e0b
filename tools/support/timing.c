#include "support/timing.h"

#include "support/cycle_chain.h"

#include <linkwork/derivatives.h>
#include <linkwork/dynamics.h>
#include <linkwork/engine.h>
#include <linkwork/kinematics.h>

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum {
    LARGEST_MATRIX = 1500, // degrees of freedom; three such matrices take 54 MB
    BLOCKS = 40            // of which the quickest counts: other programs only ever add time
};

// --- States -----------------------------------------------------------------------------------

static double *room(size_t rows, size_t columns)
{
    return calloc(rows * columns + 1, sizeof(double));
}

bool timing_init(timing_bench *bench, const lw_model *m, lw_data *d, int frame)
{
    const size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
    *bench = (timing_bench){.m = m, .d = d, .frame = frame};
    bench->q = room(TIMING_STATES, nq);
    bench->v = room(TIMING_STATES, nv);
    bench->a = room(TIMING_STATES, nv);
    bench->tau = room(TIMING_STATES, nv);
    bench->vector = room(1, nq + nv);
    bench->J = room(6, nv);
    bench->pose = calloc((size_t)m->nframe + 1, sizeof *bench->pose);
    bool is_good =
        bench->q && bench->v && bench->a && bench->tau && bench->vector && bench->J && bench->pose;
    if (m->nv <= LARGEST_MATRIX) {
        for (int i = 0; i < 3; ++i) {
            bench->matrix[i] = room(nv, nv);
            is_good = is_good && bench->matrix[i];
        }
        bench->regressor = room(10 * (size_t)m->nbody, nv);
        is_good = is_good && bench->regressor;
    }
    if (!is_good) {
        return false;
    }
    unsigned long long seed = 1;
    for (size_t k = 0; k < TIMING_STATES; ++k) {
        lw_random_state(m, d, &seed, 1, bench->q + k * nq, bench->v + k * nv, bench->a + k * nv,
                        bench->tau + k * nv);
    }
    return true;
}

void timing_free(timing_bench *bench)
{
    free(bench->q);
    free(bench->v);
    free(bench->a);
    free(bench->tau);
    free(bench->vector);
    free(bench->J);
    free(bench->pose);
    for (int i = 0; i < 3; ++i) {
        free(bench->matrix[i]);
    }
    free(bench->regressor);
    *bench = (timing_bench){0};
}

// --- Functions --------------------------------------------------------------------------------

static const double *q_of(const timing_bench *bench, int k)
{
    return bench->q + (size_t)k * (size_t)bench->m->nq;
}

static const double *v_of(const timing_bench *bench, int k)
{
    return bench->v + (size_t)k * (size_t)bench->m->nv;
}

static const double *a_of(const timing_bench *bench, int k)
{
    return bench->a + (size_t)k * (size_t)bench->m->nv;
}

static lw_status run_position(timing_bench *b, int k)
{
    return lw_forward_position(b->m, b->d, q_of(b, k));
}

static lw_status run_velocity(timing_bench *b, int k)
{
    return lw_forward_velocity(b->m, b->d, q_of(b, k), v_of(b, k));
}

static lw_status run_acceleration(timing_bench *b, int k)
{
    return lw_forward_acceleration(b->m, b->d, q_of(b, k), v_of(b, k), a_of(b, k));
}

static lw_status run_all_poses(timing_bench *b, int k)
{
    const lw_status status = lw_forward_position(b->m, b->d, q_of(b, k));
    return status != LW_OK ? status : lw_frame_poses(b->m, b->d, b->pose);
}

static lw_status run_one_pose(timing_bench *b, int k)
{
    return lw_pose_of_frame(b->m, b->d, q_of(b, k), b->frame, b->pose);
}

static lw_status run_jacobian(timing_bench *b, int k)
{
    return lw_frame_jacobian(b->m, b->d, q_of(b, k), b->frame, LW_IN_WORLD, NULL, b->J);
}

static lw_status run_jacobian_rate(timing_bench *b, int k)
{
    lw_motion rate;
    return lw_frame_jacobian_rate_times_v(b->m, b->d, q_of(b, k), v_of(b, k), b->frame, LW_IN_WORLD,
                                          NULL, &rate);
}

static lw_status run_center(timing_bench *b, int k)
{
    lw_vec3 center;
    return lw_center_of_mass(b->m, b->d, q_of(b, k), &center, b->J);
}

static lw_status run_integrate(timing_bench *b, int k)
{
    return lw_integrate(b->m, q_of(b, k), v_of(b, k), 1e-3, b->vector);
}

static lw_status run_inverse(timing_bench *b, int k)
{
    return lw_inverse_dynamics(b->m, b->d, q_of(b, k), v_of(b, k), a_of(b, k), NULL, b->vector);
}

static lw_status run_forward(timing_bench *b, int k)
{
    const double *tau = b->tau + (size_t)k * (size_t)b->m->nv;
    return lw_forward_dynamics(b->m, b->d, q_of(b, k), v_of(b, k), tau, NULL, b->vector);
}

static lw_status run_mass(timing_bench *b, int k)
{
    return lw_mass_matrix(b->m, b->d, q_of(b, k), b->matrix[0]);
}

static lw_status run_gravity(timing_bench *b, int k)
{
    return lw_gravity_forces(b->m, b->d, q_of(b, k), b->vector);
}

static lw_status run_bias(timing_bench *b, int k)
{
    return lw_bias_forces(b->m, b->d, q_of(b, k), v_of(b, k), b->vector);
}

static lw_status run_coriolis(timing_bench *b, int k)
{
    return lw_coriolis_matrix(b->m, b->d, q_of(b, k), v_of(b, k), b->matrix[0]);
}

static lw_status run_kinetic(timing_bench *b, int k)
{
    return lw_kinetic_energy(b->m, b->d, q_of(b, k), v_of(b, k), b->vector);
}

static lw_status run_inverse_derivatives(timing_bench *b, int k)
{
    return lw_inverse_dynamics_derivatives(b->m, b->d, q_of(b, k), v_of(b, k), a_of(b, k), NULL,
                                           b->matrix[0], b->matrix[1], b->matrix[2]);
}

static lw_status run_forward_derivatives(timing_bench *b, int k)
{
    const double *tau = b->tau + (size_t)k * (size_t)b->m->nv;
    return lw_forward_dynamics_derivatives(b->m, b->d, q_of(b, k), v_of(b, k), tau, NULL, NULL,
                                           b->matrix[0], b->matrix[1], b->matrix[2]);
}

static lw_status run_regressor(timing_bench *b, int k)
{
    return lw_regressor(b->m, b->d, q_of(b, k), v_of(b, k), a_of(b, k), b->regressor);
}

static lw_status run_engine(timing_bench *b, int k)
{
    const lw_engine_state state = {b->m->nq,   b->m->nv,   q_of(b, k),
                                   v_of(b, k), a_of(b, k), b->tau + (size_t)k * (size_t)b->m->nv};
    return lw_engine_run(b->engine, b->which, &state, b->result);
}

const timing_case timing_engine = {"engine", run_engine, 0};
const timing_case timing_position = {"forward_position", run_position, 0};
const timing_case timing_inverse = {"inverse_dynamics", run_inverse, 0};
const timing_case timing_poses = {"frame_poses", run_all_poses, 0};
const timing_case timing_jacobian = {"frame_jacobian", run_jacobian, 0};

const timing_case timing_cases[] = {
    {"forward_position", run_position, 0},
    {"forward_velocity", run_velocity, 0},
    {"forward_acceleration", run_acceleration, 0},
    {"frame_poses", run_all_poses, 0},
    {"pose_of_frame", run_one_pose, 0},
    {"frame_jacobian", run_jacobian, 0},
    {"frame_jacobian_rate_times_v", run_jacobian_rate, 0},
    {"center_of_mass", run_center, 0},
    {"integrate", run_integrate, 0},
    {"inverse_dynamics", run_inverse, 0},
    {"mass_matrix", run_mass, 1},
    {"forward_dynamics", run_forward, 0},
    {"gravity_forces", run_gravity, 0},
    {"bias_forces", run_bias, 0},
    {"coriolis_matrix", run_coriolis, 1},
    {"kinetic_energy", run_kinetic, 0},
    {"inverse_dynamics_derivatives", run_inverse_derivatives, 3},
    {"forward_dynamics_derivatives", run_forward_derivatives, 3},
    {"regressor", run_regressor, 1},
    {NULL, NULL, 0},
};

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

static lw_status run_block(timing_bench *bench, const timing_case *what, long long count,
                           double *seconds)
{
    lw_status worst = LW_OK;
    const double start = timing_now();
    for (long long i = 0; i < count; ++i) {
        const lw_status status = what->run(bench, (int)(i % TIMING_STATES));
        worst = status != LW_OK ? status : worst;
    }
    *seconds = timing_now() - start;
    return worst;
}

lw_status timing_measure(timing_bench *bench, const timing_case *what, double seconds, double *ns,
                         long long *calls)
{
    if (what->needs_matrix > 0 && !bench->matrix[0]) {
        return LW_ERR_LIMIT;
    }
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
    *ns = 1e9 * best / (double)count;
    return LW_OK;
}
