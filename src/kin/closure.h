// Sweeps through the closure program: from independent coordinates to those of the tree, and forces
// back. Where a model has no steps the two are the same, and nothing is copied.
#ifndef LWI_CLOSURE_H
#define LWI_CLOSURE_H

#include <linkwork/model.h>

#include "../model/data.h"
#include "../model/kernel.h"

/// Tree positions for q: q itself, or d->tree_q. NULL where a loop cannot be closed: d->fault
/// contains which, and lwi_closure_status() the status.
const double *lwi_closure_position(const lw_model *m, lw_data *d, const double *q);

/// The same, but of joints in planar closed forms only sines and cosines are found: what poses and
/// the recursions need. lwi_closure_angles() finds the rest.
const double *lwi_closure_rotations(const lw_model *m, lw_data *d, const double *q);

/// After lwi_closure_rotations() or lwi_closure_motion(): the positions that these left out of
/// d->tree_q. Nothing to do where none are.
void lwi_closure_angles(const lw_model *m, lw_data *d);

/// Prepares the sweeps of rates and forces below. Needs the position sweep. False at a singular
/// configuration, as above. lwi_closure_velocity() includes it.
bool lwi_closure_rates(const lw_model *m, lw_data *d);

/// The same two for the degrees of freedom that carry a body, and what they depend on: the other
/// entries of d->tree_q and the rates of other steps are as they were. Body -1 is the world.
const double *lwi_closure_position_of_body(const lw_model *m, lw_data *d, const double *q,
                                           int body);
bool lwi_closure_rates_of_body(const lw_model *m, lw_data *d, int body);

/// The position sweep of a model with steps through those in question: needed [nstep]. Of joints in
/// planar closed forms only sines and cosines are found, in d->loop_work.
const double *lwi_closure_position_of_steps(const lw_model *m, lw_data *d, const double *q,
                                            const bool *needed);

/// Tree velocities for v: v itself, or d->tree_v. Needs the position sweep. NULL at a singular
/// configuration.
const double *lwi_closure_velocity(const lw_model *m, lw_data *d, const double *v);

/// Tree accelerations for a: a itself, or d->tree_a. Needs the velocity sweep; NULL means zero,
/// and then only what v causes by itself remains.
const double *lwi_closure_acceleration(const lw_model *m, lw_data *d, const double *a);

/// Positions and velocities: the two sweeps together.
const double *lwi_closure_state(const lw_model *m, lw_data *d, const double *q, const double *v);

/// Positions, velocities and accelerations of a model with steps, in one sweep: d->tree_q, tree_v
/// and tree_a. NULL stands for zero. Positions as by lwi_closure_rotations(). Without steps there
/// is nothing to do.
lw_status lwi_closure_motion(const lw_model *m, lw_data *d, const double *q, const double *v,
                             const double *a);

/// Fills in the dependent entries of G x, where dv_tree = G dv: those of x stand at m->v_tree in
/// `tree` [tree_nv]. Needs the rates.
void lwi_closure_spread(const lw_model *m, const lw_data *d, double *tree);

/// Column k of G. Needs the rates.
/// @param column [tree_nv]
void lwi_closure_column(const lw_model *m, const lw_data *d, int k, double *column);

/// Fills d->fronts.g, the entries of G, where the model has fronts (model/fronts.h). Needs the
/// rates.
void lwi_closure_compose(const lw_model *m, lw_data *d);

/// Maps tree forces to independent ones, out = G' tree, where dv_tree = G dv. `tree` [tree_nv] is
/// changed on the way; entries of both are `stride` doubles apart. `out` may be `tree`.
void lwi_closure_transpose(const lw_model *m, const lw_data *d, double *tree, int stride,
                           double *out);

/// The same for n rows in place, each [tree_nv] of which the first nv entries are used afterwards.
/// Nothing to do without steps.
void lwi_closure_transpose_rows(const lw_model *m, const lw_data *d, int n, double *tree);

//// From the sources of a step to its targets.
static inline void step_across(const lwi_step *step, const double *K, const double *bias, double *x)
{
    const int ns = step->nsource;
    for (int t = 0; t < step->ntarget; ++t) {
        double sum = bias ? bias[t] : 0.0;
        for (int k = 0; k < ns; ++k) {
            sum += K[t * ns + k] * x[step->source[k]];
        }
        x[step->target[t]] = sum;
    }
}

/// Why the last sweep failed.
static inline lw_status lwi_closure_status(const lw_data *d)
{
    return d->closure_status;
}

#endif
