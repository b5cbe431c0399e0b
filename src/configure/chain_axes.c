// Axes of a chain at its zero position: as they are given, or from rows of Denavit and Hartenberg.

#include "spec.h"

#include <string.h>

bool lwi_chain_row(const lw_spec *spec, int joint, lw_placement *before, lw_placement *after)
{
    static const char *const name[4] = {"alpha", "a", "theta", "d"};
    double row[4];
    char path[LWI_SPEC_PATH];
    for (int k = 0; k < 4; ++k) {
        if (!lwi_spec_numbers(spec, lwi_spec_path(path, "joint", joint, name[k]), 1, &row[k])) {
            return false;
        }
    }
    const char *rows = lw_spec_get(spec, "rows");
    if (!rows) {
        return false;
    }
    const bool is_craig = strcmp(rows, "craig") == 0;
    *before = is_craig ? lw_placement_dh(row[0], row[1], row[2], row[3])
                       : lw_placement_dh(0.0, 0.0, row[2], row[3]);
    *after = is_craig ? lw_placement_identity() : lw_placement_dh(row[0], row[1], 0.0, 0.0);
    return true;
}

static bool axis_of_rows(const lw_spec *spec, int joint, lw_vec3 *direction, lw_vec3 *point)
{
    lw_pose at = lw_pose_identity();
    for (int i = 1; i <= joint; ++i) {
        lw_placement before, after;
        if (!lwi_chain_row(spec, i, &before, &after)) {
            return false;
        }
        const lw_pose X = lw_placement_pose(&before), Y = lw_placement_pose(&after);
        at = lw_pose_mul(&at, &X);
        if (i < joint) {
            at = lw_pose_mul(&at, &Y);
        }
    }
    *direction = lw_vec3_of(at.R.row[0].z, at.R.row[1].z, at.R.row[2].z);
    if (point) {
        *point = at.p;
    }
    return true;
}

bool lwi_chain_axis(const lw_spec *spec, int joint, lw_vec3 *direction, lw_vec3 *point)
{
    if (joint < 1 || joint > spec->njoint) {
        return false;
    }
    if (lw_spec_get(spec, "rows")) {
        return axis_of_rows(spec, joint, direction, point);
    }
    char path[LWI_SPEC_PATH];
    double axis[3], shift[3];
    if (!lwi_spec_numbers(spec, lwi_spec_path(path, "joint", joint, "axis"), 3, axis)) {
        return false;
    }
    *direction = lw_vec3_of(axis[0], axis[1], axis[2]);
    if (lw_norm3(*direction) > 0.0) {
        *direction = lw_unit3(*direction);
    }
    if (!point) {
        return true;
    }
    *point = lw_vec3_of(0.0, 0.0, 0.0);
    for (int i = 1; i <= joint; ++i) {
        if (!lwi_spec_numbers(spec, lwi_spec_path(path, "joint", i, "shift"), 3, shift)) {
            return false;
        }
        *point = lw_add3(*point, lw_vec3_of(shift[0], shift[1], shift[2]));
    }
    return true;
}
