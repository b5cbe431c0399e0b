// linkwork/views.h: appendages of a mechanism, by themselves and together.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A view is a part of one model that is controlled for itself: an arm, a mast, a vehicle on its
// wheels, a body on its legs. It contains the coordinates that it may change and the tasks of its
// ends, and nothing of the state, which stays with the caller: views of one model share q. Several
// views together are a view as well (LW_VIEW_MECHANISM), solved by one call.
//
// All kinds answer the same function, lw_view_solve(), by the constraint solver. A specialised
// solver can take its place (lw_view_override()); its answers are checked by the same rows, and
// callers stay as they are.
#ifndef LINKWORK_VIEWS_H
#define LINKWORK_VIEWS_H

#include <linkwork/constraints.h>
#include <linkwork/ik.h>
#include <linkwork/wheels.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a view is of. It decides which coordinates are its own.
typedef enum lw_view_kind {
    LW_VIEW_MECHANISM = 0,   ///< members together; without members all coordinates
    LW_VIEW_MANIPULATOR = 1, ///< the joints from the base to the frames of its tasks
    LW_VIEW_WHEELED = 2,     ///< the motion of the body that the wheels carry, across its z axis:
                             ///< by its free joint, or by the joints between it and the world
    LW_VIEW_LEGGED = 3       ///< the joints from the base to its feet: with the body as base they
                             ///< swing, with the world a body moves on feet that stand
} lw_view_kind;

/// "mechanism", "manipulator", "wheeled", "legged"; never null.
LW_API const char *lw_view_kind_name(lw_view_kind kind);

typedef struct lw_view lw_view;

/// A view. lw_default_view_def() fills it.
typedef struct lw_view_def {
    lw_view_kind kind;
    const char *name; ///< for messages; copied
    int base;         ///< frame that manipulators and legs begin at; -1: the world
    int ntask;        ///< may be 0 where the view is a member only: a vehicle that goes along
    const lw_constraint_def *task; ///< [ntask] of its ends: lw_constraint_def.frame is an end.
                                   ///< Targets may be relative to any frame, or the world; copied
    int nmember;                   ///< of a mechanism
    lw_view *const *member; ///< [nmember] views of the same model, whose coordinates and tasks it
                            ///< has, before its own; must outlive it
    lw_constraint_options options; ///< zeros: the kind decides what moves; 60 starts, 24 repeats
} lw_view_def;

/// A view from the world, without tasks and members.
LW_API lw_view_def lw_default_view_def(lw_view_kind kind, const char *name);

/// Errors are in the report, with the name of the view: no joint from its base to its ends, a
/// vehicle without wheels or fixed to the world (LW_ERR_MODEL), two tasks of one foot, a member of
/// another model (LW_ERR_ARGUMENT); and as lw_constraints_create(). The model must outlive it.
LW_API lw_status lw_view_create(const lw_model *m, const lw_view_def *def, lw_view **view,
                                lw_report *report);
LW_API void lw_view_destroy(lw_view *view);

/// What a view is of; everything is borrowed from it.
typedef struct lw_view_info {
    lw_view_kind kind;
    const char *name;
    const lw_model *model;
    int base;  ///< frame that it begins at, of wheels what they carry; -1: the world
    int ntask; ///< those of its members first
    const lw_constraint_def *task; ///< [ntask] with the targets of the last solution
    int ndof;
    const int *dof;      ///< [ndof] indices in v of the coordinates that it may change
    lw_constraints *set; ///< for lw_constraint_rates(), which moves the same coordinates; null
                         ///< without tasks
    lw_wheels *wheels; ///< for lw_drive(), lw_odometry() and lw_stand(); of a mechanism those of a
                       ///< member; null without
} lw_view_info;

/// Zeros and null for null. Real-time safe.
LW_API lw_view_info lw_view_describe(const lw_view *view);

/// The targets that a configuration meets: where the ends are, of LW_CONSTRAINT_LOOK_AT a point 1 m
/// ahead. Types that have no such target keep theirs: directions, distances, joints. As
/// lw_forward_position(). Real-time safe.
/// @param q      [nq]
/// @param target [ntask] as lw_view_solve() reads them
LW_API lw_status lw_view_targets(lw_view *view, const double *q, lw_pose *target);

/// A configuration that meets the tasks of a view, where all else stays as in the seed; or the best
/// there is, with the certificate of linkwork/constraints.h. As lw_constraints_solve();
/// LW_ERR_ARGUMENT for a view without tasks, and as lw_constraints_update(). Real-time safe where
/// an override is.
/// @param seed   [nq]; null for the reference configuration
/// @param target [ntask] lw_constraint_def.target of each task; null: as they are. Other numbers
///               are changed by lw_constraints_update() of lw_view_info.set
LW_API lw_status lw_view_solve(lw_view *view, const double *seed, const lw_pose *target,
                               lw_constraint_result *result);

// --- Solvers in exchange ----------------------------------------------------------------------

/// A solver of one's own for one view.
/// @param target [ntask]
/// @param q      [nq] the seed; on LW_OK the answer. Coordinates that are not the view's are not
///               taken from it
typedef lw_status lw_view_function(void *self, const lw_view *view, const lw_pose *target,
                                   double *q);

/// Lets a solver of one's own answer lw_view_solve(). What it returns is evaluated by the rows of
/// the tasks; where it does not meet them, or fails, the generic solver goes on from there, so that
/// a result is as good as it says in any case. Null takes it back. LW_ERR_ARGUMENT for a view
/// without tasks. Real-time safe.
LW_API lw_status lw_view_override(lw_view *view, lw_view_function *function, void *self);

/// A solver for a view with one LW_CONSTRAINT_POSE: the solution of `self`, a lw_ik of the same two
/// frames, that is nearest to the seed and within the limits. LW_ERR_NO_CONVERGENCE without one,
/// LW_ERR_ARGUMENT for another view. Real-time safe.
LW_API lw_status lw_view_by_ik(void *self, const lw_view *view, const lw_pose *target, double *q);

/// Both solvers of a view on the same targets.
typedef struct lw_view_comparison {
    int ntarget;
    int override_solved; ///< targets that the override meets by itself, within the tolerance
    int generic_solved;  ///< that the generic solver meets
    int certified;       ///< of the others of the generic solver: those with LW_CONSTRAINTS_BEST
    int generic_only, override_only; ///< targets that one of them alone meets
    double worst;                    ///< residual of the override where it meets the tasks
} lw_view_comparison;

/// Tries both solvers on targets that can be reached, because configurations reach them.
/// @param n    configurations
/// @param q    [n*nq]
/// @param seed [nq] where solvers start; null for the reference configuration
LW_API lw_status lw_view_compare(lw_view *view, int n, const double *q, const double *seed,
                                 lw_view_comparison *comparison);

#ifdef __cplusplus
}
#endif
#endif
