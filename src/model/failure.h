// A failure that is no more than its status.
#ifndef LWI_FAILURE_H
#define LWI_FAILURE_H

#include <linkwork/model.h>

static inline lw_failure lwi_failure_of(lw_status status)
{
    const lw_failure r = {status, -1, -1, -1, -1, 0.0, 1.0};
    return r;
}

#endif
