// Why a computation failed: from what the data recorded, and in words.
#include "failure.h"

#include "data.h"

#include <math.h>
#include <stdio.h>

lw_failure lw_data_failure(const lw_data *d, lw_status status)
{
    lw_failure failure = lwi_failure_of(status);
    const bool is_singular = status == LW_ERR_SINGULAR;
    if (!d || !(is_singular || status == LW_ERR_LOOP_OPEN || status == LW_ERR_NO_CONVERGENCE)) {
        return failure;
    }
    if (d->closure_status != LW_OK) {
        failure.loop = d->fault.loop;
        failure.gap = d->fault.gap;
        failure.followed = d->fault.followed;
    }
    if (is_singular) {
        failure.tree_dof = d->closure_status == LW_ERR_SINGULAR ? d->fault.dof : -1;
        failure.dof = d->singular_dof;
    }
    return failure;
}

// How far a Newton block came on the way to q; empty where it did not stop.
static void path_text(const lw_failure *failure, char text[80])
{
    text[0] = '\0';
    if (failure->followed < 1.0) {
        snprintf(text, 80, "; %.6g %% of the straight path there was followed",
                 floor(1e3 * failure->followed) / 10.0);
    }
}

int lw_failure_text(const lw_model *m, const lw_failure *failure, char *text, size_t size)
{
    if (!failure || (!text && size > 0)) {
        return 0;
    }
    const char *what = lw_status_text(failure->status);
    const bool is_singular = failure->status == LW_ERR_SINGULAR;
    const int loop = m && failure->loop >= 0 && failure->loop < m->nloop ? failure->loop : -1;
    const char *name = loop >= 0 ? m->loop[loop].name : "";
    char path[80];
    path_text(failure, path);
    if (loop >= 0 && !is_singular && isfinite(failure->gap)) {
        return snprintf(text, size, "%s: loop \"%s\", whose ends stay %.6g m apart%s", what, name,
                        failure->gap, path);
    }
    if (loop >= 0 && failure->followed < 1.0) {
        return snprintf(text, size, "%s: loop \"%s\" meets a singular configuration%s", what, name,
                        path);
    }
    if (loop >= 0 && failure->tree_dof >= 0 && failure->tree_dof < m->tree_nv) {
        return snprintf(text, size,
                        "%s: loop \"%s\" is at a singular configuration, where \"%s\" has no "
                        "definite rate",
                        what, name, m->tree_velocity_name[failure->tree_dof]);
    }
    if (loop >= 0) {
        return snprintf(text, size, "%s: loop \"%s\"%s", what, name,
                        is_singular ? " is at a singular configuration" : "");
    }
    if (m && failure->dof >= 0 && failure->dof < m->nv) {
        return snprintf(text, size, "%s: %s moves no inertia", what,
                        m->velocity_name[failure->dof]);
    }
    if (failure->state >= 0) {
        return snprintf(text, size, "%s: state %d of the batch", what, failure->state);
    }
    return snprintf(text, size, "%s", what);
}
