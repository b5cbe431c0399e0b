#include "set_parameter.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 200 };

// Position of a word in a list; -1 for none.
static int index_of(const char *word, const char *const *list, int count)
{
    for (int i = 0; i < count; ++i) {
        if (strcmp(word, list[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static lw_status set_placement(lw_placement *placement, const char *number, double value)
{
    static const char *const rpy[] = {"x", "y", "z", "roll", "pitch", "yaw"};
    static const char *const quat[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    static const char *const dh[] = {"alpha", "a", "theta", "d"};
    int k = -1;
    switch (placement->form) {
    case LW_PLACEMENT_IDENTITY:
        *placement = lw_placement_rpy((lw_vec3){0.0, 0.0, 0.0}, (lw_vec3){0.0, 0.0, 0.0});
        k = index_of(number, rpy, 6);
        break;
    case LW_PLACEMENT_RPY:
        k = index_of(number, rpy, 6);
        break;
    case LW_PLACEMENT_QUAT:
        k = index_of(number, quat, 7);
        break;
    case LW_PLACEMENT_DH:
        k = index_of(number, dh, 4);
        break;
    default:
        break;
    }
    if (k < 0) {
        return LW_ERR_UNSUPPORTED;
    }
    placement->value[k] = value;
    return LW_OK;
}

static lw_status set_axis(lw_vec3 *axis, const char *number, double value)
{
    static const char *const xyz[] = {"x", "y", "z"};
    double *const at[3] = {&axis->x, &axis->y, &axis->z};
    const int k = index_of(number, xyz, 3);
    if (k < 0) {
        return LW_ERR_UNSUPPORTED;
    }
    *at[k] = value;
    return LW_OK;
}

// "before.x", "dh.alpha", "axis.y", "pitch" of a joint.
static lw_status set_in_joint(lw_mech *mech, lw_part part, char *field, double value)
{
    lw_joint_def def;
    lw_status status = lw_get_joint_def(mech, part, &def);
    if (status != LW_OK) {
        return LW_ERR_UNSUPPORTED;
    }
    char *number = strchr(field, '.');
    if (!number) {
        def.pitch = value;
        status = strcmp(field, "pitch") == 0 ? LW_OK : LW_ERR_UNSUPPORTED;
    } else {
        *number++ = '\0';
        status = strcmp(field, "before") == 0 || strcmp(field, "dh") == 0
                     ? set_placement(&def.before, number, value)
                 : strcmp(field, "after") == 0 ? set_placement(&def.after, number, value)
                 : strcmp(field, "axis") == 0  ? set_axis(&def.axis, number, value)
                 : strcmp(field, "axis2") == 0 ? set_axis(&def.axis2, number, value)
                                               : LW_ERR_UNSUPPORTED;
    }
    return status == LW_OK ? lw_set_joint_def(mech, part, &def) : status;
}

lw_status lwi_set_parameter(lw_mech *mech, const char *name, double value)
{
    char text[NAME_SIZE];
    if (snprintf(text, sizeof text, "%s", name) >= NAME_SIZE) {
        return LW_ERR_UNSUPPORTED;
    }
    // A part's own name may contain dots: the longest that is one counts.
    for (char *dot = strrchr(text, '.'); dot; dot = strrchr(text, '.')) {
        *dot = '\0';
        const lw_part joint = lw_find_part(mech, text, LW_PART_JOINT);
        const lw_part rod = lw_find_part(mech, text, LW_PART_ROD);
        char field[NAME_SIZE];
        snprintf(field, sizeof field, "%s", name + (dot - text) + 1);
        lw_rod_def def;
        if (joint.index >= 0) {
            return set_in_joint(mech, joint, field, value);
        }
        if (rod.index >= 0 && strcmp(field, "length") == 0 &&
            lw_get_rod_def(mech, rod, &def) == LW_OK) {
            def.length = value;
            return lw_set_rod_def(mech, rod, &def);
        }
    }
    return LW_ERR_UNSUPPORTED;
}
