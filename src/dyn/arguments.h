// Arguments that the functions of dynamics share.
#ifndef LWI_ARGUMENTS_H
#define LWI_ARGUMENTS_H

#include "../kin/closure.h"
#include "../kin/finite.h"

/// Model, data and position. The stage of the data ends here.
static inline lw_status check_position(const lw_model *m, lw_data *d, const double *q)
{
    if (!m || !d || d->model != m || (!q && m->nq > 0)) {
        return LW_ERR_ARGUMENT;
    }
    d->stage = LW_STAGE_NONE;
    return lwi_check_position(m, q);
}

/// A velocity, an acceleration or a force [nv].
static inline lw_status check_vector(const lw_model *m, const double *x)
{
    if (!x && m->nv > 0) {
        return LW_ERR_ARGUMENT;
    }
    return lwi_all_finite(x, m->nv) ? LW_OK : LW_ERR_NUMBER;
}

/// Position, and two vectors.
static inline lw_status check_state(const lw_model *m, lw_data *d, const double *q, const double *v,
                                    const double *x)
{
    lw_status status = check_position(m, d, q);
    if (status == LW_OK) {
        status = check_vector(m, v);
    }
    return status == LW_OK ? check_vector(m, x) : status;
}

/// LW_ERR_NUMBER where a result [nv] has overflowed.
static inline lw_status check_result(const lw_model *m, const double *x)
{
    return lwi_all_finite(x, m->nv) ? LW_OK : LW_ERR_NUMBER;
}

#endif
