// run_linkwork CASE SOURCE SHARED [FUNCTION]: times linkwork, and the hand-written yardsticks where
// the model is an arm of six or seven joints.
//
// With `count FUNCTION N` behind the three it evaluates N states once each and times nothing, for a
// tool that counts instructions; with `worst FUNCTION N` it times N evaluations one by one, and
// prints the median and the largest, in ns.
#include "bench_generated.h"
#include "bench_problem.h"
#include "measure.h"
#include "real_time.h"
#include "tool_change.h"
#include "uicker_kahn.h"
#include "yardstick.h"

#include "../src/base/cpu.h"
#include "../tools/support/cycle_chain.h"

#include <linkwork/openmp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// States that a batch takes in one call: enough to fill vectors and threads, and its answers stay
/// in the caches.
enum { BATCH = 64 };

/// States of the rows that show what it helps to see few states over and over, as other benchmarks
/// do.
enum { FEW_STATES = 64 };

/// States of the batch that shows what a second thread gives: so long that waking it does not
/// count.
enum { LARGE_BATCH = 20000 };

/// Of falls, in s; then they begin anew, which takes the place of one step in a hundred.
static const double FALL_TIME = 0.1;

typedef struct engine {
    bench_problem p;
    lw_batch *batch, *threads; ///< on one thread, and on two
    lw_status status;          ///< the last one that was not good
    lw_pose *poses;
    double *J, *tau, *a, *A, *B, *C;
    double *many; ///< [BATCH*nv*nv] answers of a batch, or derivatives by generated code
    double
        *tiled[4]; ///< [LARGE_BATCH] q, v, a, and tau of the states over and over; null: too large
    bool has_arm;
    hand_arm arm;
    bool has_code;
    generated_code code;      ///< of the function that is timed
    double *packed[3], *wide; ///< [nstate] q, v, a of four states side by side; a result of four
    tool_change tool;         ///< of the palletiser
    real_time simulation;     ///< likewise
    lw_sim *fall, *euler;     ///< RK4 and semi-implicit Euler without any drive
} engine;

enum { LANES = 4 }; ///< states that generated code takes side by side

static void note(engine *e, lw_status status)
{
    if (status != LW_OK) {
        e->status = status;
    }
}

static const double *q_of(const engine *e, int i)
{
    return e->p.q + (size_t)i * (size_t)e->p.m->nq;
}

static const double *v_of(const engine *e, int i)
{
    return e->p.v + (size_t)i * (size_t)e->p.m->nv;
}

static const double *a_of(const engine *e, int i)
{
    return e->p.a + (size_t)i * (size_t)e->p.m->nv;
}

static const double *tau_of(const engine *e, int i)
{
    return e->p.tau + (size_t)i * (size_t)e->p.m->nv;
}

static void call_poses(void *context, int i)
{
    engine *e = context;
    note(e, lw_forward_position(e->p.m, e->p.d, q_of(e, i)));
}

static void call_link_poses(void *context, int i)
{
    engine *e = context;
    note(e, lw_forward_position(e->p.m, e->p.d, q_of(e, i)));
    note(e, lw_frame_poses(e->p.m, e->p.d, e->poses));
}

static void call_jacobian(void *context, int i)
{
    engine *e = context;
    note(e, lw_frame_jacobian(e->p.m, e->p.d, q_of(e, i), e->p.tip, LW_IN_WORLD, NULL, e->J));
}

static void call_inverse_dynamics(void *context, int i)
{
    engine *e = context;
    note(e, lw_inverse_dynamics(e->p.m, e->p.d, q_of(e, i), v_of(e, i), a_of(e, i), NULL, e->tau));
}

static void call_mass_matrix(void *context, int i)
{
    engine *e = context;
    note(e, lw_mass_matrix(e->p.m, e->p.d, q_of(e, i), e->A));
}

static void call_mass_matrix_upper(void *context, int i)
{
    engine *e = context;
    note(e, lw_mass_matrix_upper(e->p.m, e->p.d, q_of(e, i), e->A));
}

static void call_inverse_mass(void *context, int i)
{
    engine *e = context;
    note(e, lw_inverse_mass_matrix(e->p.m, e->p.d, q_of(e, i), e->A));
}

static void call_forward_dynamics(void *context, int i)
{
    engine *e = context;
    note(e, lw_forward_dynamics(e->p.m, e->p.d, q_of(e, i), v_of(e, i), tau_of(e, i), NULL, e->a));
}

/// Poses, the Jacobian of the tip, inverse dynamics and the mass matrix, as a controller needs them
/// at one state: by themselves, and after lw_set_state().
static void find_all(engine *e, const double *q, const double *v, int i)
{
    note(e, lw_forward_position(e->p.m, e->p.d, q));
    note(e, lw_frame_jacobian(e->p.m, e->p.d, q, e->p.tip, LW_IN_WORLD, NULL, e->J));
    note(e, lw_inverse_dynamics(e->p.m, e->p.d, q, v, a_of(e, i), NULL, e->tau));
    note(e, lw_mass_matrix(e->p.m, e->p.d, q, e->A));
}

static void call_one_state(void *context, int i)
{
    engine *e = context;
    find_all(e, q_of(e, i), v_of(e, i), i);
}

static void call_held_state(void *context, int i)
{
    engine *e = context;
    note(e, lw_set_state(e->p.m, e->p.d, q_of(e, i), v_of(e, i)));
    find_all(e, lw_held_position(e->p.d), lw_held_velocity(e->p.d), i);
}

static void call_inverse_derivatives(void *context, int i)
{
    engine *e = context;
    note(e, lw_inverse_dynamics_derivatives(e->p.m, e->p.d, q_of(e, i), v_of(e, i), a_of(e, i),
                                            NULL, e->A, e->B, NULL));
}

static void call_forward_derivatives(void *context, int i)
{
    engine *e = context;
    note(e, lw_forward_dynamics_derivatives(e->p.m, e->p.d, q_of(e, i), v_of(e, i), tau_of(e, i),
                                            NULL, e->a, e->A, e->B, e->C));
}

static void call_inverse_derivatives_mass(void *context, int i)
{
    engine *e = context;
    note(e, lw_inverse_dynamics_derivatives(e->p.m, e->p.d, q_of(e, i), v_of(e, i), a_of(e, i),
                                            NULL, e->A, e->B, e->C));
}

static void call_momentum(void *context, int i)
{
    engine *e = context;
    lw_force momentum;
    note(e, lw_centroidal_momentum(e->p.m, e->p.d, q_of(e, i), v_of(e, i), &momentum, NULL));
}

static void call_momentum_rate(void *context, int i)
{
    engine *e = context;
    lw_force rate;
    note(e, lw_centroidal_momentum_rate(e->p.m, e->p.d, q_of(e, i), v_of(e, i), a_of(e, i), &rate));
}

static void call_momentum_matrix(void *context, int i)
{
    engine *e = context;
    note(e, lw_centroidal_momentum_matrix(e->p.m, e->p.d, q_of(e, i), e->J));
}

static void call_poses_batch(void *context, int i)
{
    engine *e = context;
    const lw_model *m = e->p.m;
    note(e, lw_forward_position_batch(m, e->batch, BATCH, q_of(e, BATCH * i), m->nframe, NULL,
                                      e->poses));
}

static void call_inverse_dynamics_batch(void *context, int i)
{
    engine *e = context;
    note(e, lw_inverse_dynamics_batch(e->p.m, e->batch, BATCH, q_of(e, BATCH * i),
                                      v_of(e, BATCH * i), a_of(e, BATCH * i), NULL, e->many));
}

static void call_large(engine *e, lw_batch *batch)
{
    note(e, lw_inverse_dynamics_batch(e->p.m, batch, LARGE_BATCH, e->tiled[0], e->tiled[1],
                                      e->tiled[2], NULL, e->tiled[3]));
}

static void call_one_thread(void *context, int i)
{
    engine *e = context;
    (void)i;
    call_large(e, e->batch);
}

#ifdef _OPENMP
static void call_two_threads(void *context, int i)
{
    engine *e = context;
    (void)i;
    call_large(e, e->threads);
}
#endif

static void call_mass_matrix_batch(void *context, int i)
{
    engine *e = context;
    note(e, lw_mass_matrix_batch(e->p.m, e->batch, BATCH, q_of(e, BATCH * i), e->many));
}

static void call_forward_dynamics_batch(void *context, int i)
{
    engine *e = context;
    note(e, lw_forward_dynamics_batch(e->p.m, e->batch, BATCH, q_of(e, BATCH * i),
                                      v_of(e, BATCH * i), tau_of(e, BATCH * i), NULL, e->many));
}

static void call_hand(void *context, int i)
{
    engine *e = context;
    hand_rnea(&e->arm, q_of(e, i), v_of(e, i), a_of(e, i), e->tau);
}

static void call_hand_seven(void *context, int i)
{
    engine *e = context;
    hand_rnea_seven(&e->arm, q_of(e, i), v_of(e, i), a_of(e, i), e->tau);
}

#ifdef HAND_HAS_AVX2
static void call_hand_avx2(void *context, int i)
{
    engine *e = context;
    hand_rnea_avx2(&e->arm, q_of(e, i), v_of(e, i), a_of(e, i), e->tau);
}

static void call_hand_seven_avx2(void *context, int i)
{
    engine *e = context;
    hand_rnea_seven_avx2(&e->arm, q_of(e, i), v_of(e, i), a_of(e, i), e->tau);
}

static void call_hand_own(void *context, int i)
{
    engine *e = context;
    hand_rnea_own(&e->arm, q_of(e, i), v_of(e, i), a_of(e, i), e->tau);
}

static void call_hand_seven_own(void *context, int i)
{
    engine *e = context;
    hand_rnea_seven_own(&e->arm, q_of(e, i), v_of(e, i), a_of(e, i), e->tau);
}
#endif

static void call_uicker_kahn(void *context, int i)
{
    engine *e = context;
    uicker_kahn(&e->arm, q_of(e, i), v_of(e, i), a_of(e, i), e->tau);
}

/// A chain that tells how long a cycle is. The clock that counts at one rate whatever the processor
/// does would not.
static void call_cycles(void *context, int i)
{
    (void)context;
    unsigned long x = cycle_chain((unsigned long)i, BENCH_CYCLES);
    bench_keep(&x);
}

static void call_products(void *context, int i)
{
    (void)context;
    unsigned long x = cycle_chain_of_products((unsigned long)i, BENCH_CYCLES);
    bench_keep(&x);
}

static void call_tool_change(void *context, int i)
{
    engine *e = context;
    (void)i;
    note(e, tool_change_next(&e->tool));
}

static void call_generated_inverse(void *context, int i)
{
    engine *e = context;
    e->code.call(q_of(e, i), v_of(e, i), a_of(e, i), e->tau);
}

static void call_generated_mass(void *context, int i)
{
    engine *e = context;
    e->code.call(q_of(e, i), NULL, NULL, e->A);
}

static void call_generated_forward(void *context, int i)
{
    engine *e = context;
    e->code.call(q_of(e, i), v_of(e, i), tau_of(e, i), e->a);
}

static void call_generated_derivatives(void *context, int i)
{
    engine *e = context;
    e->code.call(q_of(e, i), v_of(e, i), a_of(e, i), e->many);
}

static void call_generated_lanes(void *context, int i)
{
    engine *e = context;
    const size_t nq = (size_t)e->p.m->nq, nv = (size_t)e->p.m->nv, at = LANES * (size_t)i;
    e->code.call(e->packed[0] + at * nq, e->packed[1] + at * nv, e->packed[2] + at * nv, e->wide);
}

static void call_step_euler(void *context, int i)
{
    engine *e = context;
    (void)i;
    note(e, real_time_step(&e->simulation, 0));
}

static void call_step_rk4(void *context, int i)
{
    engine *e = context;
    (void)i;
    note(e, real_time_step(&e->simulation, 1));
}

/// A step of a mechanism without any drive, from the reference again and again: nothing holds such
/// a fall within what a step of 1 ms resolves, nor on this side of a singular configuration.
static void fall(engine *e, lw_sim *sim)
{
    const double t = lw_sim_time(sim);
    note(e, t < FALL_TIME ? lw_sim_step(sim, t + 1e-3) : lw_sim_reset(sim, 0.0, NULL, NULL));
}

/// One step of 1 ms: four evaluations of forward dynamics, and what the step adds to them.
static void call_step_fall(void *context, int i)
{
    engine *e = context;
    (void)i;
    fall(e, e->fall);
}

/// The same with one evaluation.
static void call_step_fall_euler(void *context, int i)
{
    engine *e = context;
    (void)i;
    fall(e, e->euler);
}

typedef enum kind {
    VECTOR, ///< an answer of nv numbers, or of poses
    SQUARE, ///< of nv * nv numbers: not for chains of thousands
    CUBE,   ///< likewise, whose time may grow as nv^3
    FEW,    ///< few states
    BATCHED,
    LARGE,
    YARDSTICK,
    YARDSTICK_SEVEN, ///< for an arm of seven joints
    CYCLES,          ///< where times are told in cycles
    TOOL,
    FALL,      ///< a step of a simulation
    GENERATED, ///< code of the machine's own
    LANED      ///< the same for several states at once
} kind;

typedef struct function {
    const char *name;
    bench_call *call;
    kind kind;
} function;

static const function functions[] = {
    {"poses", call_poses, VECTOR},
    {"link_poses", call_link_poses, VECTOR},
    {"jacobian", call_jacobian, VECTOR},
    {"inverse_dynamics", call_inverse_dynamics, VECTOR},
    {"mass_matrix", call_mass_matrix, SQUARE},
    {"mass_matrix_upper", call_mass_matrix_upper, SQUARE},
    {"inverse_mass", call_inverse_mass, CUBE},
    {"forward_dynamics", call_forward_dynamics, VECTOR},
    {"one_state", call_one_state, SQUARE},
    {"held_state", call_held_state, SQUARE},
    {"inverse_dynamics_few", call_inverse_dynamics, FEW},
    {"mass_matrix_few", call_mass_matrix, FEW},
    {"forward_dynamics_few", call_forward_dynamics, FEW},
    {"inverse_derivatives", call_inverse_derivatives, SQUARE},
    {"forward_derivatives", call_forward_derivatives, CUBE},
    {"inverse_derivatives_mass", call_inverse_derivatives_mass, SQUARE},
    {"momentum", call_momentum, VECTOR},
    {"momentum_rate", call_momentum_rate, VECTOR},
    {"momentum_matrix", call_momentum_matrix, VECTOR},
    {"poses_batch", call_poses_batch, BATCHED},
    {"inverse_dynamics_batch", call_inverse_dynamics_batch, BATCHED},
    {"mass_matrix_batch", call_mass_matrix_batch, BATCHED},
    {"forward_dynamics_batch", call_forward_dynamics_batch, BATCHED},
    {"large_batch", call_one_thread, LARGE},
#ifdef _OPENMP
    {"large_batch_threads", call_two_threads, LARGE},
#endif
    {"hand", call_hand, YARDSTICK},
    {"hand", call_hand_seven, YARDSTICK_SEVEN},
#ifdef HAND_HAS_AVX2
    {"hand_avx2", call_hand_avx2, YARDSTICK},
    {"hand_avx2", call_hand_seven_avx2, YARDSTICK_SEVEN},
    {"hand_own", call_hand_own, YARDSTICK},
    {"hand_own", call_hand_seven_own, YARDSTICK_SEVEN},
#endif
    {"uicker_kahn", call_uicker_kahn, YARDSTICK},
    {"cycles", call_cycles, CYCLES},
    {"tool_change", call_tool_change, TOOL},
    {"generated_inverse", call_generated_inverse, GENERATED},
    {"generated_mass", call_generated_mass, GENERATED},
    {"generated_forward", call_generated_forward, GENERATED},
    {"generated_derivatives", call_generated_derivatives, GENERATED},
    {"generated_mass_o2", call_generated_mass, GENERATED},
    {"generated_mass_o3", call_generated_mass, GENERATED},
    {"generated_forward_o2", call_generated_forward, GENERATED},
    {"generated_forward_o3", call_generated_forward, GENERATED},
    {"generated_lanes", call_generated_lanes, LANED},
    {"step_euler", call_step_euler, TOOL},
    {"step_rk4", call_step_rk4, TOOL},
    {"step_fall", call_step_fall, FALL},
    {"step_fall_euler", call_step_fall_euler, FALL},
};

enum { NFUNCTION = sizeof functions / sizeof *functions };

/// Degrees of freedom of those with answers of nv * nv numbers, with times of nv^3, and batches.
enum { MOST_SQUARE = 1000, MOST_CUBE = 300, MOST_BATCHED = 100 };

/// Whether code of the machine's own is timed: to derive it takes a while.
static bool has_code(const char *name)
{
    return strcmp(name, "ur5") == 0 || strcmp(name, "panda") == 0;
}

static bool is_code(const function *f)
{
    return f->kind == GENERATED || f->kind == LANED;
}

static lw_function function_of(const function *f)
{
    return f->call == call_generated_mass          ? LW_FUNCTION_MASS_MATRIX
           : f->call == call_generated_forward     ? LW_FUNCTION_FORWARD_DYNAMICS
           : f->call == call_generated_derivatives ? LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES
                                                   : LW_FUNCTION_INVERSE_DYNAMICS;
}

/// For the compiler of generated code, by the end of the name; NULL for -O2 and the instructions
/// that the processor has.
static const char *flags_of(const function *f)
{
    const char *end = strrchr(f->name, '_');
    return end && strcmp(end, "_o2") == 0 ? "-O2" : end && strcmp(end, "_o3") == 0 ? "-O3" : NULL;
}

static bool is_yardstick(const function *f)
{
    return f->kind == YARDSTICK || f->kind == YARDSTICK_SEVEN;
}

static bool is_for_arm(const engine *e, const function *f)
{
    return e->has_arm && (f->kind == YARDSTICK_SEVEN) == (e->arm.joints == HAND_MOST_JOINTS);
}

static bool is_wanted(const engine *e, const function *f)
{
#ifdef HAND_HAS_AVX2
    if (is_yardstick(f) && strcmp(f->name, "hand") != 0 && f->call != call_uicker_kahn &&
        lwi_cpu_level() < LWI_CPU_AVX2) {
        return false;
    }
#endif
    const int nv = e->p.m->nv;
    return f->kind == VECTOR || (f->kind == SQUARE && nv <= MOST_SQUARE) ||
           (f->kind == CUBE && nv <= MOST_CUBE) ||
           (f->kind == FEW && nv <= MOST_BATCHED && e->p.nstate >= FEW_STATES) ||
           (f->kind == BATCHED && nv <= MOST_BATCHED && e->p.nstate >= BATCH) ||
           (f->kind == FALL && e->fall) || (f->kind == LARGE && e->tiled[3]) ||
           (is_yardstick(f) && is_for_arm(e, f)) ||
           ((f->kind == CYCLES || f->kind == TOOL) && e->tool.machine) ||
           (is_code(f) && e->has_code);
}

/// How far a yardstick or a batch is from the answers of one state at a time. Poses and mass
/// matrices of batches are left to the tests.
static double worst_of(engine *e, const function *f)
{
    const size_t nv = (size_t)e->p.m->nv;
    double worst = 0.0;
    for (int i = 0; is_yardstick(f) && i < e->p.nstate; i += 10) {
        f->call(e, i);
        worst = fmax(worst, bench_difference(e->tau, tau_of(e, i), (int)nv));
    }
    const bool is_forward = f->call == call_forward_dynamics_batch;
    if (is_forward || f->call == call_inverse_dynamics_batch) {
        f->call(e, 0);
        for (int i = 0; i < BATCH; ++i) {
            worst = fmax(worst, bench_difference(e->many + (size_t)i * nv,
                                                 is_forward ? a_of(e, i) : tau_of(e, i), (int)nv));
        }
    }
    return worst;
}

/// The same for generated code.
static double worst_of_code(engine *e, const function *f)
{
    const int nv = e->p.m->nv;
    double worst = 0.0;
    for (int i = 0; i + LANES <= e->p.nstate; i += LANES) {
        if (f->kind == LANED) {
            f->call(e, i / LANES);
            for (int k = 0; k < LANES; ++k) {
                for (int j = 0; j < nv; ++j) {
                    e->tau[j] = e->wide[LANES * j + k];
                }
                worst = fmax(worst, bench_difference(e->tau, tau_of(e, i + k), nv));
            }
            continue;
        }
        f->call(e, i);
        if (f->call == call_generated_mass) {
            note(e, lw_mass_matrix(e->p.m, e->p.d, q_of(e, i), e->B));
            worst = fmax(worst, bench_difference(e->A, e->B, nv * nv));
        } else if (f->call == call_generated_forward) {
            worst = fmax(worst, bench_difference(e->a, a_of(e, i), nv));
        } else if (f->call == call_generated_derivatives) {
            double *of[3] = {e->A, e->B, e->C}; // by q, v and a, each of a size of its own
            note(e, lw_inverse_dynamics_derivatives(e->p.m, e->p.d, q_of(e, i), v_of(e, i),
                                                    a_of(e, i), NULL, of[0], of[1], of[2]));
            for (int k = 0; k < 3; ++k) {
                worst = fmax(worst, bench_difference(e->many + k * nv * nv, of[k], nv * nv));
            }
        } else {
            worst = fmax(worst, bench_difference(e->tau, tau_of(e, i), nv));
        }
    }
    return worst;
}

static double time_of(engine *e, const function *f)
{
    switch (f->kind) {
    case LANED:
        return bench_time(f->call, e, e->p.nstate / LANES) / LANES;
    case BATCHED:
        return bench_time(f->call, e, e->p.nstate / BATCH) / BATCH;
    case FEW:
        return bench_time(f->call, e, FEW_STATES);
    case LARGE:
        return bench_time(f->call, e, 1) / LARGE_BATCH;
    case CYCLES: {
        // Two chains that contradict each other are no clock: no time, and no table of cycles.
        const double chain = bench_time(f->call, e, e->p.nstate);
        const double products = bench_time(call_products, e, e->p.nstate);
        return cycle_rate(chain / BENCH_CYCLES, products / BENCH_CYCLES) > 0.0 ? chain : 0.0;
    }
    default:
        return bench_time(f->call, e, e->p.nstate);
    }
}

static double *tile(const double *x, int nstate, int n)
{
    const size_t one = (size_t)n, length = (size_t)nstate;
    double *tiled = calloc(LARGE_BATCH * one, sizeof *tiled);
    for (size_t i = 0; tiled && i < LARGE_BATCH; ++i) {
        memcpy(tiled + i * one, x + i % length * one, one * sizeof *x);
    }
    return tiled;
}

/// Element by element, four states side by side. Aligned as vectors of four must be.
static double *pack(const double *x, int nstate, int n)
{
    const size_t one = (size_t)n, count = (size_t)nstate / LANES * LANES;
    double *packed = aligned_alloc(64, (count * one * sizeof *packed + 64) / 64 * 64);
    for (size_t i = 0; packed && i < count; ++i) {
        for (size_t k = 0; k < one; ++k) {
            packed[(i / LANES * one + k) * LANES + i % LANES] = x[i * one + k];
        }
    }
    return packed;
}

/// The states over and over, for arms; those of larger machines would leave the caches.
static bool tile_states(engine *e)
{
    const lw_model *m = e->p.m;
    if (m->nv > 10) {
        return true;
    }
    e->tiled[0] = tile(e->p.q, e->p.nstate, m->nq);
    e->tiled[1] = tile(e->p.v, e->p.nstate, m->nv);
    e->tiled[2] = tile(e->p.a, e->p.nstate, m->nv);
    e->tiled[3] = tile(e->p.tau, e->p.nstate, m->nv);
    return e->tiled[0] && e->tiled[1] && e->tiled[2] && e->tiled[3];
}

static bool engine_open(engine *e)
{
    const lw_model *m = e->p.m;
    const size_t nv = (size_t)m->nv, square = m->nv <= MOST_SQUARE ? nv * nv : 1;
    lw_dynamics_options options = lw_get_dynamics_options(e->p.d);
    const lw_batch_runner runner = lw_openmp_runner(2);
    if (lw_batch_create(m, NULL, &e->batch) != LW_OK ||
        lw_batch_create(m, &runner, &e->threads) != LW_OK ||
        lw_batch_set_options(e->batch, &options) != LW_OK ||
        lw_batch_set_options(e->threads, &options) != LW_OK) {
        return false;
    }
    lw_sim_def fall = lw_default_sim_def();
    fall.method = LW_METHOD_RK4;
    fall.step = 1e-3;
    lw_sim_def euler = fall;
    euler.method = LW_METHOD_EULER;
    if (lw_sim_create(m, &fall, &e->fall) != LW_OK ||
        lw_sim_create(m, &euler, &e->euler) != LW_OK) {
        return false;
    }
    // The first step also finds where the mechanism begins. What is wrong shows in the next.
    (void)lw_sim_step(e->fall, 1e-3);
    (void)lw_sim_step(e->euler, 1e-3);
    e->poses = calloc(BATCH * (size_t)m->nframe, sizeof *e->poses);
    e->many = calloc(m->nv <= MOST_BATCHED ? BATCH * square : 1, sizeof(double));
    e->J = calloc(6 * nv, sizeof(double));
    e->tau = calloc(nv, sizeof(double));
    e->a = calloc(nv, sizeof(double));
    e->A = calloc(square, sizeof(double));
    e->B = calloc(square, sizeof(double));
    e->C = calloc(square, sizeof(double));
    e->has_arm = hand_arm_of(m, &e->arm);
    e->packed[0] = pack(e->p.q, e->p.nstate, m->nq);
    e->packed[1] = pack(e->p.v, e->p.nstate, m->nv);
    e->packed[2] = pack(e->p.a, e->p.nstate, m->nv);
    e->wide = aligned_alloc(64, (LANES * nv * sizeof(double) + 64) / 64 * 64);
    if (!e->packed[0] || !e->packed[1] || !e->packed[2] || !e->wide) {
        return false;
    }
    return tile_states(e) && e->poses && e->many && e->J && e->tau && e->a && e->A && e->B && e->C;
}

static void engine_free(engine *e)
{
    lw_sim_destroy(e->fall);
    lw_sim_destroy(e->euler);
    lw_batch_destroy(e->batch);
    lw_batch_destroy(e->threads);
    free(e->poses);
    free(e->many);
    for (int k = 0; k < 4; ++k) {
        free(e->tiled[k]);
    }
    for (int k = 0; k < 3; ++k) {
        free(e->packed[k]);
    }
    free(e->wide);
    free(e->J);
    free(e->tau);
    free(e->a);
    free(e->A);
    free(e->B);
    free(e->C);
    problem_free(&e->p);
}

/// Loads the code of a function, which is made where it is not there. False with the reason in
/// e->code.why.
static bool open_code(engine *e, const char *name, const function *f)
{
    e->code =
        generated_open(e->p.m, name, function_of(f), f->kind == LANED ? LANES : 1, flags_of(f));
    return e->code.call != NULL;
}

static void run(engine *e, const char *name, const char *only)
{
    for (int k = 0; k < NFUNCTION; ++k) {
        const function *f = &functions[k];
        if (!is_wanted(e, f) || (only && strcmp(only, f->name) != 0)) {
            continue;
        }
        e->status = LW_OK;
        if (is_code(f)) {
            if (!open_code(e, name, f)) {
                bench_print_none(f->name, e->code.why);
                continue;
            }
            if (f->call == call_generated_inverse) {
                bench_print_time("compile_inverse", 1e9 * e->code.seconds, 0.0);
            }
        }
        const double worst = is_code(f) ? worst_of_code(e, f) : worst_of(e, f);
        const double ns = time_of(e, f);
        if (e->status == LW_OK) {
            bench_print_time(f->name, ns, worst);
        } else {
            bench_print_none(f->name, lw_status_text(e->status));
        }
    }
}

/// The function of this name, with its code; NULL where there is none.
static const function *find_function(engine *e, const char *which, const char *name)
{
    for (int k = 0; k < NFUNCTION; ++k) {
        const function *f = &functions[k];
        if (strcmp(f->name, name) == 0 && is_wanted(e, f)) {
            return is_code(f) && !open_code(e, which, f) ? NULL : f;
        }
    }
    return NULL;
}

/// Evaluates every state once.
static bool count(engine *e, const char *which, const char *name)
{
    const function *f = find_function(e, which, name);
    const int calls = !f                   ? 0
                      : f->kind == BATCHED ? e->p.nstate / BATCH
                      : f->kind == LANED   ? e->p.nstate / LANES
                      : f->kind == LARGE   ? 1
                                           : e->p.nstate;
    for (int i = 0; i < calls; ++i) {
        f->call(e, i);
    }
    return f && e->status == LW_OK;
}

/// Times n evaluations one by one.
static bool worst(engine *e, const char *which, const char *name, int n)
{
    const function *f = find_function(e, which, name);
    double median, largest;
    if (!f || f->kind == BATCHED || f->kind == LARGE || f->kind == LANED ||
        !bench_worst(f->call, e, e->p.nstate, n, &median, &largest) || e->status != LW_OK) {
        return false;
    }
    printf("worst %s %.0f %.0f\n", name, median, largest);
    return true;
}

int main(int argc, char **argv)
{
    engine e = {0};
    if (argc == 2 && strcmp(argv[1], "about") == 0) {
        printf("%s\n", BENCH_ABOUT);
        return 0;
    }
    const bool has_number = argc == 7 && atoi(argv[6]) > 0;
    const bool is_count = has_number && strcmp(argv[4], "count") == 0;
    const bool is_worst = has_number && strcmp(argv[4], "worst") == 0;
    if (argc != 4 && argc != 5 && !is_count && !is_worst) {
        fprintf(stderr, "usage: run_linkwork CASE SOURCE SHARED [FUNCTION]\n"
                        "       run_linkwork CASE SOURCE SHARED count|worst FUNCTION N\n");
        return 2;
    }
    if (problem_open(argv[1], argv[2], argv[3], is_count ? atoi(argv[6]) : 0, &e.p) != BENCH_GOOD) {
        return 1;
    }
    e.has_code = has_code(argv[1]);
    bool is_good = engine_open(&e);
    if (is_good && strcmp(argv[1], "models/closed/palletiser.xml") == 0) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[2], argv[1]);
        is_good = tool_change_open(path, &e.tool) && real_time_open(e.p.m, &e.simulation);
    }
    if (is_good && is_count) {
        is_good = count(&e, argv[1], argv[5]);
    } else if (is_good && is_worst) {
        is_good = worst(&e, argv[1], argv[5], atoi(argv[6]));
    } else if (is_good) {
        run(&e, argv[1], argc == 5 ? argv[4] : NULL);
    }
    real_time_close(&e.simulation);
    tool_change_close(&e.tool);
    engine_free(&e);
    return is_good ? 0 : 1;
}
