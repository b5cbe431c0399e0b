// linkwork/batch.h: the same computation for many states at once.
//
// Stable. Real-time safe unless stated otherwise; thread safe by const (linkwork/base.h).
//
// States are processed side by side in the vectors of the processor: four where it has AVX2 or
// AVX-512, which is asked for at run time, and two elsewhere: trees, and closed mechanisms whose
// steps are linear, polynomials or planar closed forms, which take a third of the time of single
// calls. Loops in space and laws other than polynomials are closed one state after the other, and
// only what follows goes side by side: a delta takes 0.7 of single calls, and a Newton block, whose
// closure is most of the time, gains little. Mechanisms with springs go state by state, and gain
// nothing. lw_batch_one_by_one() and `linkwork bench` say so. Without fused products results differ
// by rounding. On one machine a result depends on nothing but its state, neither on its neighbours
// nor on the number of threads; of Newton blocks, which start from the state before, that holds for
// the assembly, and for numbers up to rounding.
//
// Arrays hold one state after the other: q [n*nq], v [n*nv] and so on. A batch is made once; after
// that these functions are as real-time safe as their runner.
//
// Each function returns LW_OK or a status, and looks at all its input before it writes anything:
//
//   LW_ERR_ARGUMENT   null where none is allowed, a negative count, a batch of another model
//   LW_ERR_NUMBER     a number in q, v, a or tau is not finite, or a quaternion in q is zero
//   LW_ERR_SINGULAR   a degree of freedom of some state moves no inertia (forward dynamics), or a
//                     loop of it cannot be closed or is at a singular configuration. Forces and
//                     accelerations of such states are zero, poses and mass matrices of them are
//                     not written, and the results of all other states are good
//
// lw_batch_failure() then returns the first of these states.
#ifndef LINKWORK_BATCH_H
#define LINKWORK_BATCH_H

#include <linkwork/dynamics.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A share of the work, for a thread pool of the caller's (or linkwork/openmp.h).
typedef void lw_batch_task(void *argument, int block, int worker);

/// Who runs the shares. The library itself starts no threads.
typedef struct lw_batch_runner {
    int nworker; ///< how many tasks may run at the same time, at least 1

    /// Calls task(argument, block, worker) once for every block from 0 to nblock - 1, in any order
    /// and on any thread, and returns when all have returned. No two tasks that run at the same
    /// time may have the same worker, which is a number from 0 to nworker - 1.
    void (*run)(void *context, int nblock, int nworker, lw_batch_task *task, void *argument);

    void *context;
} lw_batch_runner;

typedef struct lw_batch lw_batch;

/// Work space for batches of one model. LW_ERR_MEMORY if allocation fails, LW_ERR_ARGUMENT for a
/// runner without workers. Free with lw_batch_destroy(). Not real-time safe.
/// @param runner null: all on the calling thread
LW_API lw_status lw_batch_create(const lw_model *m, const lw_batch_runner *runner, lw_batch **b);
LW_API void lw_batch_destroy(lw_batch *b);

/// Options for all states, as lw_set_dynamics_options() sets them in data; null for the default.
LW_API lw_status lw_batch_set_options(lw_batch *b, const lw_dynamics_options *options);

/// The first state of the last computation that failed (lw_failure.state), for the status that it
/// returned. The same state in a lw_data has the other fields.
LW_API lw_failure lw_batch_failure(const lw_batch *b, lw_status status);

/// How many states are processed side by side, and by what: "AVX-512", "AVX2" or "generic".
LW_API int lw_batch_lanes(void);
LW_API const char *lw_batch_engine(void);

/// What of this model goes one state after the other, as words: "springs", "loops in space", "laws
/// of couplings", "rods with mass". Null where nothing does.
LW_API const char *lw_batch_one_by_one(const lw_batch *b);

/// Poses of frames in the world.
/// @param frame [nframe] indices; null for the frames 0 .. nframe - 1
/// @param X_WF  [n*nframe]
LW_API lw_status lw_forward_position_batch(const lw_model *m, lw_batch *b, int n, const double *q,
                                           int nframe, const int *frame, lw_pose *X_WF);

/// tau of each state, as lw_inverse_dynamics() gives it.
/// @param f_ext [n*nbody] or null
/// @param tau   [n*nv]; may be the same array as a
LW_API lw_status lw_inverse_dynamics_batch(const lw_model *m, lw_batch *b, int n, const double *q,
                                           const double *v, const double *a, const lw_force *f_ext,
                                           double *tau);

/// Mass matrices, as lw_mass_matrix() gives them.
/// @param M [n*nv*nv]
LW_API lw_status lw_mass_matrix_batch(const lw_model *m, lw_batch *b, int n, const double *q,
                                      double *M);

/// Accelerations of each state, as lw_forward_dynamics() gives them.
/// @param f_ext [n*nbody] or null
/// @param a     [n*nv]; may be the same array as tau
LW_API lw_status lw_forward_dynamics_batch(const lw_model *m, lw_batch *b, int n, const double *q,
                                           const double *v, const double *tau,
                                           const lw_force *f_ext, double *a);

#ifdef __cplusplus
}
#endif
#endif
