// The pieces of the pass that closes loops, in their order.
#ifndef LWI_CLOSE_H
#define LWI_CLOSE_H

#include "build.h"
#include "loop.h"

/// The rows of all gears on the rates of the tree, from their geometry.
lw_status lwi_find_gears(lwi_build *b);

/// What the row of a gear is judged against: its largest share, where slides count by their units.
double lwi_gear_unit(const lwi_build *b, const lwi_built_gear *gear);

/// A configuration near the reference in which all loops are closed, for ranks: b->rank_q.
lw_status lwi_close_roughly(lwi_build *b);

/// Which freedoms are dependent: fills b->is_target from the marks of the description and the rank
/// of all constraints where they hold.
lw_status lwi_choose_dependents(lwi_build *b);

/// Makes a step of a coupling's law, for lwi_law_at().
lw_status lwi_make_law(lwi_build *b, const lw_coupling_def *def, lwi_step *step);

/// Which constraint determines which dependent freedoms, and in which order: fills b->step.
lw_status lwi_order_steps(lwi_build *b);

/// The branch of each closed form, and the reference configuration with all loops closed.
lw_status lwi_assemble(lwi_build *b);

/// Whether loops that no step closes stay closed where the machine moves; an error for each that
/// does not.
lw_status lwi_check_redundant(lwi_build *b, const lwi_program *program, const lwi_loop_work *work);

/// Work space for the largest step.
lw_status lwi_make_loop_work(lwi_build *b, int matrix, int damped, lwi_loop_work *work);

#endif
