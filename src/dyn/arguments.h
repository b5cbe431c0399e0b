// Arguments that the functions of dynamics share.
#ifndef LWI_ARGUMENTS_H
#define LWI_ARGUMENTS_H

#include "../kin/closure.h"
#include "../kin/finite.h"
#include "../kin/held_state.h"

/// Model, data and position. The stage of the data ends here.
static inline lw_status check_position(const lw_model *m, lw_data *d, const double *q)
{
    if (!m || !d || d->model != m || (!q && m->nq > 0)) {
        return LW_ERR_ARGUMENT;
    }
    lwi_drop_results(d);
    return lwi_check_position(m, q);
}

/// The same for functions that reuse what the data holds of q, and keep it.
static inline lw_status begin_position(const lw_model *m, lw_data *d, const double *q)
{
    return !m || !d || d->model != m || (!q && m->nq > 0) ? LW_ERR_ARGUMENT : lwi_begin_at(m, d, q);
}

/// A velocity, an acceleration or a force [nv].
static inline lw_status check_vector(const lw_model *m, const double *x)
{
    if (!x && m->nv > 0) {
        return LW_ERR_ARGUMENT;
    }
    return lwi_all_finite(x, m->nv) ? LW_OK : LW_ERR_NUMBER;
}

/// Two vectors, where the position before them is good.
static inline lw_status check_vectors(const lw_model *m, lw_status status, const double *v,
                                      const double *x)
{
    if (status != LW_OK || ((!v || !x) && m->nv > 0)) {
        return status != LW_OK ? status : LW_ERR_ARGUMENT;
    }
    double sum = 0.0; // as in lwi_all_finite(), of both in one loop
    for (int k = 0; k < m->nv; ++k) {
        sum += 0.0 * v[k];
        sum += 0.0 * x[k];
    }
    return sum == 0.0 ? LW_OK : LW_ERR_NUMBER;
}

/// Position, and two vectors.
static inline lw_status check_state(const lw_model *m, lw_data *d, const double *q, const double *v,
                                    const double *x)
{
    return check_vectors(m, check_position(m, d, q), v, x);
}

/// As begin_position().
static inline lw_status begin_state(const lw_model *m, lw_data *d, const double *q, const double *v,
                                    const double *x)
{
    return check_vectors(m, begin_position(m, d, q), v, x);
}

/// LW_ERR_NUMBER where a result [nv] has overflowed. A sum is finite only where all its terms are;
/// results near the largest number, whose sum is not, count as too large as well.
static inline lw_status check_result(const lw_model *m, const double *x)
{
    double sum = 0.0;
    for (int k = 0; k < m->nv; ++k) {
        sum += x[k];
    }
    return sum - sum == 0.0 ? LW_OK : LW_ERR_NUMBER;
}

/// Whether closure steps couple so much that no order of elimination was made (model/fronts.h).
static inline bool is_unplanned(const lw_model *m)
{
    return m->nstep > 0 && !m->kernel->program->fronts;
}

/// Whether angles are read, and not only their sines: for springs.
static inline bool lwi_needs_angles(const lw_model *m, const lw_data *d)
{
    return (m->kernel->has_joint_forces || m->nspring > 0) && !d->settings.is_ideal;
}

#endif
