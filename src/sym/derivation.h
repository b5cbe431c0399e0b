// A derivation, as documents and emitters read it.
#ifndef LWI_DERIVATION_H
#define LWI_DERIVATION_H

#include "../expr/tape_loop.h"
#include "symbolic_model.h"

enum { LWI_FORMS = 4 }; ///< of lw_form

/// Counts of the forms that were tried for one function.
typedef struct lwi_form_counts {
    bool is_tried[LWI_FORMS];
    bool is_searched[LWI_FORMS]; ///< for cheaper operations; else as written
    lw_counts counts[LWI_FORMS];
} lwi_form_counts;

struct lw_derivation {
    lw_model *model; ///< a copy, so that it lives as long as the derivation
    lw_derive_options options;
    lw_unbalance unbalance; ///< if the options have one
    lwi_arena arena;
    lw_symbol_info *symbol;
    int nsymbol;
    lwi_tape *tape[LW_FUNCTION_COUNT]; ///< functions derived together share one tape
    lwi_tape_loops *loops;             ///< that run before each of them, or NULL
    lw_form form[LW_FUNCTION_COUNT];
    lwi_form_counts tried[LW_FUNCTION_COUNT];
    double *input, *work, *result;         ///< workspace for the largest tape
    double *state, *parameter, *loop_work; ///< of the loops
};

/// The code of a function; NULL if it was not derived. Its outputs are named by
/// lw_function_result(), so that each function finds its own in a shared tape. Inputs:
///
///   LWI_POSITION      q[index], independent positions
///   LWI_VELOCITY      v[index]
///   LWI_ACCELERATION  a[index]
///   LWI_FORCE         tau[index], of forward dynamics
///   LWI_SINE, _COSINE of q[index], if lw_derive_options.is_sincos_input
///   LWI_TIME
///   LWI_POSE          X[index], of inverse kinematics
///   LWI_PARAMETER     lw_derivation_symbol(index)
///   LWI_SOLVED        state of the loops, which run first
///
/// An output that is not in the tape is zero: emitters write all lw_function_size() entries.
const lwi_tape *lwi_derivation_tape(const lw_derivation *d, lw_function function);

/// The inputs of a function's tape in a state, as of lw_derivation_run(), to d->input; loops are
/// closed there.
lw_status lwi_derivation_inputs(lw_derivation *d, lw_function function, const double *q,
                                const double *v, const double *a, double time, const double *value);

/// Allocates input, work, result and the workspace of the loops; and frees them.
lw_status lwi_derivation_workspace(lw_derivation *d);
void lwi_derivation_workspace_free(lw_derivation *d);

/// Whether closed forms can be derived by polynomials: a tree of revolute and prismatic joints, of
/// which some may follow others linearly. If not, `why` names what prevents it.
enum { LWI_WHY_SIZE = 200 };
bool lwi_has_closed_form(const lw_model *m, char why[LWI_WHY_SIZE]);

/// The loops of code of a model, as tapes; NULL where there are none. Free with
/// lwi_tape_loops_destroy().
lw_status lwi_make_loop_tapes(const lwi_symbolic *k, const lwi_select_options *select,
                              lwi_tape_loops **out);

// --- How (functions.c, closed_form.c) ---------------------------------------------------------

/// Fills out [lw_function_size()]. A failure is in the status, with a diagnostic.
/// @param frame of the Jacobian, and of inverse kinematics
lw_status lwi_derive_function(lwi_symbolic *k, lw_function function, int frame, lwi_expr *out);

enum {
    LWI_MOST_TERMS = 30000, ///< of all elements together; beyond that expansion does not pay
    LWI_MOST_EXPANDED = 8   ///< joints; beyond that it is not tried
};

/// As lwi_derive_function(), for LW_FORM_LAGRANGE and LW_FORM_UICKER and the functions that have
/// forms. LW_ERR_LIMIT where there are more terms than that.
lw_status lwi_derive_closed_form(lwi_symbolic *k, lw_function function, lw_form form,
                                 lwi_expr *out);

#endif
