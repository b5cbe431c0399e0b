// The recursions for one state, in double and in tree coordinates. They exist more than once:
// compiled for any processor, and for those that have fused products and more registers; the same
// text, chosen when they are asked for.
#ifndef LWI_RECURSIONS_H
#define LWI_RECURSIONS_H

#include "../model/data.h"
#include "../model/kernel.h"

typedef struct lwi_recursions {
    /// Leaves the forces through the joints in d->work, for lwi_joint_forces().
    void (*inverse_dynamics)(const lw_model *m, lw_data *d, const double *q, const double *v,
                             const double *a, const lw_force *f_ext, double *tau);

    /// The same with rods that have mass; where the model has closure steps, sines and cosines are
    /// those that the closure sweep left.
    void (*closed_inverse_dynamics)(const lw_model *m, lw_data *d, const double *q, const double *v,
                                    const double *a, const lw_force *f_ext, double *tau);

    /// M [tree_nv*tree_nv]
    void (*mass_matrix)(const lw_model *m, lw_data *d, const double *q, double *M);

    /// Returns a degree of freedom that moves no inertia, or -1; `a` is then untouched.
    int (*forward_dynamics)(const lw_model *m, lw_data *d, const double *q, const double *v,
                            const double *tau, const lw_force *f_ext, double *a);

    /// Forces that hold the weight.
    void (*gravity_forces)(const lw_model *m, lw_data *d, const double *q, double *tau);
} lwi_recursions;

/// Whether angles are read, and not only their sines: for springs.
static inline bool lwi_needs_angles(const lw_model *m, const lw_data *d)
{
    return (m->kernel->has_joint_forces || m->nspring > 0) && !d->settings.is_ideal;
}

/// Those that fit the processor.
const lwi_recursions *lwi_get_recursions(void);

/// For any processor.
const lwi_recursions *lwi_recursions_generic(void);

/// Null where they were not compiled.
const lwi_recursions *lwi_recursions_avx2(void);
const lwi_recursions *lwi_recursions_avx512(void);

/// After inverse dynamics: the forces through the joints [nbody], in body coordinates.
void lwi_joint_forces(const lw_model *m, const lw_data *d, lw_force *force);

#endif
