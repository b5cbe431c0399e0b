#include "finite.h"

#include "../model/kernel.h"

static bool has_length(const double *q)
{
    static const double least = 1e-200,
                        most = 1e200; // where its square and its inverse keep digits
    const double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return n > least && n < most;
}

bool lwi_quaternions_are_good(const lw_model *m, const double *q)
{
    for (int k = 0; k < m->kernel->nquat; ++k) {
        if (!has_length(&q[m->kernel->quat[k].q])) {
            return false;
        }
    }
    return true;
}

lw_status lwi_check_position(const lw_model *m, const double *q)
{
    return lwi_all_finite(q, m->nq) && lwi_quaternions_are_good(m, q) ? LW_OK : LW_ERR_NUMBER;
}
