// linkwork/engine.h: one interface to every way of computing a machine.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// An engine answers the functions of symbolic.h for one model. The numeric algorithms, the derived
// equations run step by step, code that was generated, compiled and loaded (generated.h), and a
// user's own routines are engines alike: whoever computes with one can be given another.
// lw_verify() compares any set of them.
//
// An engine serves one thread at a time; models are shared.
#ifndef LINKWORK_ENGINE_H
#define LINKWORK_ENGINE_H

#include <linkwork/dynamics.h>
#include <linkwork/ik.h>
#include <linkwork/symbolic.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a function is computed from. Arrays that it does not read may be null.
typedef struct lw_engine_state {
    int nq, nv;        ///< lengths, which must be the model's
    const double *q;   ///< [nq]
    const double *v;   ///< [nv]
    const double *a;   ///< [nv]
    const double *tau; ///< [nv] read by forward dynamics
} lw_engine_state;

/// Computes one function into result [lw_function_size()]. The engine has seen to it that sizes are
/// right and that all numbers are finite.
typedef lw_status lw_engine_function(void *self, lw_function which, const lw_engine_state *state,
                                     double *result);

/// An engine of one's own.
typedef struct lw_engine_def {
    const char *name;            ///< copied
    unsigned functions;          ///< bits 1u << lw_function that it has
    lw_engine_function *run;     ///< computes any of these
    void *self;                  ///< handed to it
    void (*destroy)(void *self); ///< may be null
    void (*restart)(void *self); ///< forgets earlier calls; null where no answer depends on them

    /// Why it runs a function operation by operation, as lw_engine_interpreted(); may be null.
    const char *(*interpreted)(void *self, lw_function which);
} lw_engine_def;

typedef struct lw_engine_options {
    bool is_ideal;         ///< without friction, damping, stiffness and rotor inertia
    bool is_frictionless;  ///< without Coulomb friction
    double friction_speed; ///< as in lw_dynamics_options
    bool is_guarded;       ///< refuses positions beyond the limits of the joints: LW_ERR_LIMIT
    int frame;             ///< of the Jacobian, and of inverse kinematics
    unsigned functions;    ///< bits 1u << lw_function that are derived; the numeric engine has all
                           ///< but inverse kinematics, which it has where it is asked for: the
                           ///< solutions for the pose that q gives the frame
    lw_cost cost;          ///< that derived equations make small
    int effort;            ///< of the derivation, 0 to 3
} lw_engine_options;

/// Joints as described, the last frame, and the functions that controllers need: poses, Jacobian,
/// inverse and forward dynamics, mass matrix, gravity, energy and Coriolis matrix. Effort 0, so
/// that an engine is there at once: a search for cheaper equations takes seconds a function.
LW_API lw_engine_options lw_default_engine_options(const lw_model *m);

typedef struct lw_engine lw_engine;

/// Makes an engine of functions of one's own. The model must outlive it. On failure `self` stays
/// the caller's.
/// @param options null for the default; so for the others below
LW_API lw_status lw_engine_create(const lw_model *m, const lw_engine_options *options,
                                  const lw_engine_def *def, lw_engine **engine);
LW_API void lw_engine_destroy(lw_engine *engine);

/// The algorithms of kinematics.h and dynamics.h.
LW_API lw_status lw_engine_numeric(const lw_model *m, const lw_engine_options *options,
                                   lw_engine **engine);

/// Inverse kinematics alone, by a solver of ik.h: for comparisons. That of LW_IK_BY_SEARCH finds
/// one solution, which is marked by 2 instead of 1. LW_ERR_UNSUPPORTED where the chain from the
/// world to the frame has no such solver, or joints that depend on others.
LW_API lw_status lw_engine_inverse_kinematics(const lw_model *m, const lw_engine_options *options,
                                              lw_ik_solver solver, lw_engine **engine);

/// Derived equations, run operation by operation. Functions that cannot be derived for this machine
/// are left out, with a diagnostic.
LW_API lw_status lw_engine_symbolic(const lw_model *m, const lw_engine_options *options,
                                    lw_engine **engine, lw_report *report);

/// Lets a routine of one's own answer one function instead. What was there before stays reachable
/// by lw_engine_run_generic().
/// @param function null to take it back
LW_API lw_status lw_engine_override(lw_engine *engine, lw_function which,
                                    lw_engine_function *function, void *self);

/// Lets an engine answer as if it were new. The numeric engine and compiled code follow loops
/// without a closed form from where they were closed last, so that answers may depend on the way
/// (lw_data_restart()); equations that are interpreted begin at the reference configuration.
LW_API void lw_engine_restart(lw_engine *engine);

/// Its name; its model; whether it has a function.
LW_API const char *lw_engine_name(const lw_engine *engine);
LW_API const lw_model *lw_engine_model(const lw_engine *engine);
LW_API bool lw_engine_has(const lw_engine *engine, lw_function which);

/// Why an engine of compiled code runs a function operation by operation all the same; null where
/// it does not.
LW_API const char *lw_engine_interpreted(const lw_engine *engine, lw_function which);

/// Computes a function. Real-time safe, unless a user's routine is not.
///
/// @param result [lw_function_size()] written on LW_OK only; may be one of the inputs
/// @return LW_ERR_ARGUMENT for null or wrong lengths, LW_ERR_NUMBER where an input or a result is
///         not finite, LW_ERR_SINGULAR where forward dynamics has no answer, LW_ERR_LOOP_OPEN where
///         a loop cannot be closed, LW_ERR_LIMIT as the options say, LW_ERR_UNSUPPORTED where the
///         engine has no such function
LW_API lw_status lw_engine_run(lw_engine *engine, lw_function which, const lw_engine_state *state,
                               double *result);

/// The same without overrides. Real-time safe.
LW_API lw_status lw_engine_run_generic(lw_engine *engine, lw_function which,
                                       const lw_engine_state *state, double *result);

// --- The same by name, for engines whose model the caller knows -------------------------------

/// tau [nv] for q, v, a. Real-time safe.
LW_API lw_status lw_engine_inverse_dynamics(lw_engine *engine, const double *q, const double *v,
                                            const double *a, double *tau);
/// a [nv] for q, v, tau. Real-time safe.
LW_API lw_status lw_engine_forward_dynamics(lw_engine *engine, const double *q, const double *v,
                                            const double *tau, double *a);
/// M [nv*nv] at q. Real-time safe.
LW_API lw_status lw_engine_mass_matrix(lw_engine *engine, const double *q, double *M);

/// An engine as a component that controllers use (lw_controller_use()), which must not outlive it.
LW_API lw_dynamics_component lw_engine_dynamics(lw_engine *engine);

// --- Comparing --------------------------------------------------------------------------------

/// A state within the limits of the joints at which loops can be closed, the same on every machine.
/// @param seed  any number; changed
/// @param reach how far from the reference configuration, 0 to 1
/// @param q    [nq]
/// @param v    [nv]
/// @param a, tau [nv], or null
LW_API void lw_random_state(const lw_model *m, lw_data *d, unsigned long long *seed, double reach,
                            double *q, double *v, double *a, double *tau);

typedef struct lw_verify_options {
    int nstate;              ///< random states
    unsigned long long seed; ///< of these
    double tolerance;        ///< 0 for the default of each function
} lw_verify_options;

/// 100 states, seed 1.
LW_API lw_verify_options lw_default_verify_options(void);

/// How far two engines are apart in one function.
typedef struct lw_verify_pair {
    int engine[2];
    lw_function function;

    /// The largest difference of an element, relative to the largest element at that state, or to
    /// what is usual for this machine where that is less: the middle one of some states, and not
    /// less than a thousandth of what its mass and lengths make of it. That of forward
    /// dynamics is multiplied by the mass matrix first: it is the force that is missing, relative
    /// to the largest force. Where one of the two refuses a state that the other answers it is 1 at
    /// least; but loops without a closed form are followed in a bounded number of steps, so that
    /// one may call open what the other closes: such states are counted.
    /// It is 1 where there is no state that both answer. Of inverse kinematics it is the largest
    /// change of a joint (rad, m) from a solution of one to the nearest of the other, or from q to
    /// the nearest of each.
    double worst;
    double size; ///< that it is relative to
    double tolerance;
    int nanswered;       ///< states that both answer
    int nopen;           ///< states at which both say that a loop is open
    int nrefused;        ///< states at which one does, of machines with loops without a closed form
    lw_status status[2]; ///< of the last refusal; LW_OK where there was none
    lw_engine_state state; ///< at which it is worst, borrowed from the verification
} lw_verify_pair;

typedef struct lw_verification lw_verification;

/// Compares every engine with every other, in all functions that both have. All must be of one
/// model.
/// @param options null for the default
LW_API lw_status lw_verify(int nengine, lw_engine *const *engine, const lw_verify_options *options,
                           lw_verification **verification);
LW_API void lw_verification_destroy(lw_verification *verification);

/// How many pairs of engines and functions were compared, and one of them.
LW_API int lw_verification_count(const lw_verification *verification);
LW_API lw_verify_pair lw_verification_pair(const lw_verification *verification, int i);

/// Whether every pair is within its tolerance.
LW_API bool lw_verification_agrees(const lw_verification *verification);

/// An engine that answers by the first of several that is good: all are verified against the last
/// one, which is trusted; those that differ are left out, a warning each (engine-rejected). Where
/// an engine cannot answer later on, because it lacks the function, does not converge or gives what
/// is no number, the next one does. Its name is that of the first one left.
/// @param engine [n] of one model, in order of preference; borrowed as long as the new one lives
/// @param options of the verification, or null
LW_API lw_status lw_engine_fallback(int n, lw_engine *const *engine,
                                    const lw_verify_options *options, lw_engine **chosen,
                                    lw_report *report);

#ifdef __cplusplus
}
#endif
#endif
