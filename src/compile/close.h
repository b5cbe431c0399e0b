// The pieces of the pass that closes loops, in their order.
#ifndef LWI_CLOSE_H
#define LWI_CLOSE_H

#include "../loop/loop.h"
#include "build.h"

/// The rows of all gears on the rates of the tree, from their geometry.
lw_status lwi_find_gears(lwi_build *b);

/// What the row of a gear is judged against: its largest share, where slides count by their units.
double lwi_gear_unit(const lwi_build *b, const lwi_built_gear *gear);

/// A configuration near the reference in which all loops are closed, for ranks: b->rank_q.
lw_status lwi_close_approximately(lwi_build *b);

/// Which degrees of freedom are dependent: fills b->is_target from the marks of the description and
/// the rank of all constraints where they hold.
lw_status lwi_choose_dependents(lwi_build *b);

/// Names of joints that would do better than the targets of a step as its dependent ones, as "a"
/// and "b", or nothing where none would by far.
lw_status lwi_better_dependents(lwi_build *b, const lwi_step *step, char *text, size_t size);

/// Makes a step of a coupling's law, for lwi_law_at().
lw_status lwi_make_law(lwi_build *b, const lw_coupling_def *def, lwi_step *step);

/// Which constraint determines which dependent degrees of freedom, and in which order: fills
/// b->step.
lw_status lwi_order_steps(lwi_build *b);

/// Where a step has its degrees of freedom, and the rows of its gears. column_of [tree_nv] is
/// scratch.
lw_status lwi_index_step(lwi_build *b, lwi_built_step *built, int *column_of);

/// The branch of each closed form, and the reference configuration with all loops closed.
lw_status lwi_assemble(lwi_build *b);

/// Makes a closed block a step of three spheres where its platform does not rotate; `named` is the
/// branch that the description names, or 0, and q [tree_nq] the closed reference.
lw_status lwi_find_spheres(lwi_build *b, const lwi_program *program, lwi_step *step, int named,
                           const double *q);

/// Reduces a block whose loops are all legs to the joints that these share. q [tree_nq] is the
/// closed reference.
lw_status lwi_tear(lwi_build *b, const lwi_program *program, lwi_step *step, const double *q);

/// Makes a closed block that is one loop in space a step in closed form where it has one; `named`
/// as above.
lw_status lwi_find_spatial_loop(lwi_build *b, const lwi_program *program, lwi_step *step, int named,
                                const lwi_loop_work *work, double *q);

/// Whether loops that no step closes stay closed where the mechanism moves; an error for each that
/// does not.
lw_status lwi_check_redundant(lwi_build *b, const lwi_program *program, const lwi_loop_work *work);

/// The mechanism with its independent degrees of freedom moved a little, in directions that a seed
/// gives.
typedef struct lwi_probe {
    lwi_step moving; ///< its targets are all independent degrees of freedom
    double *change;  ///< [moving.ntarget]
    double *q;       ///< [tree_nq] where it was moved to
} lwi_probe;

lw_status lwi_make_probe(lwi_build *b, unsigned long long seed, lwi_probe *p);

/// Moves it by `reach`, radians or shares of the sizes of loops, and closes the loops. Returns the
/// first step that cannot be, or b->nstep.
int lwi_probe_at(lwi_build *b, const lwi_program *program, const lwi_loop_work *work,
                 const lwi_probe *p, double reach);

#define LWI_NEARBY 0.02 ///< how far from the reference steps are judged

/// Condition numbers of all steps with loops, in the reference and around it, and a warning where
/// they are poor.
lw_status lwi_judge_steps(lwi_build *b, const lwi_program *program, const lwi_loop_work *work);

/// A warning for every joint of which the closed reference is far from the given one [tree_nq].
void lwi_warn_of_moves(lwi_build *b, const double *given);

/// Work space for the largest step.
lw_status lwi_make_loop_work(lwi_build *b, int matrix, int damped, lwi_loop_work *work);

#endif
