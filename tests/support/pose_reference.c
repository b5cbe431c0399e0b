#include "pose_reference.h"
#include "objects.h"

#include "check.h"

lw_pose pose_at(const lw_model *m, const double *q, const char *frame)
{
    lw_pose X = lw_pose_identity();
    lw_data *d = new_data(m);
    const int f = lw_find_frame(m, frame);
    CHECK(f >= 0);
    CHECK_INT(lw_pose_of_frame(m, d, q, f, &X), LW_OK);
    lw_data_destroy(d);
    return X;
}
