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
        static const char *const own[] = {"pitch",         "damping", "friction", "stiffness",
                                          "rotor_inertia", "lower",   "upper"};
        lw_dof *dof = &def.dof[0];
        double *const at[] = {&def.pitch,          &dof->damping, &dof->friction, &dof->stiffness,
                              &dof->rotor_inertia, &dof->lower,   &dof->upper};
        const int k = index_of(field, own, 7);
        if (k < 0) {
            return LW_ERR_UNSUPPORTED;
        }
        *at[k] = value;
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

static lw_status set_in_link(lw_mech *mech, lw_part part, char *field, double value)
{
    static const char *const tensor[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    static const char *const xyz[] = {"x", "y", "z"};
    lw_link_def def;
    if (lw_get_link_def(mech, part, &def) != LW_OK) {
        return LW_ERR_UNSUPPORTED;
    }
    double *const moment[] = {&def.inertia.xx, &def.inertia.yy, &def.inertia.zz,
                              &def.inertia.xy, &def.inertia.xz, &def.inertia.yz};
    char *number = strchr(field, '.');
    lw_status status = LW_ERR_UNSUPPORTED;
    if (!number) {
        def.mass = value;
        status = strcmp(field, "mass") == 0 ? LW_OK : LW_ERR_UNSUPPORTED;
    } else {
        *number++ = '\0';
        const int k = index_of(number, tensor, 6);
        if (strcmp(field, "b") == 0) {
            status = set_placement(&def.b, number, value);
        } else if (strcmp(field, "center") == 0 && index_of(number, xyz, 3) >= 0) {
            status = set_placement(&def.inertial, number, value);
        } else if (strcmp(field, "inertia") == 0 && k >= 0) {
            *moment[k] = value;
            status = LW_OK;
        }
    }
    return status == LW_OK ? lw_set_link_def(mech, part, &def) : status;
}

static lw_status set_in_rod(lw_mech *mech, lw_part part, const char *field, double value)
{
    lw_rod_def def;
    if (lw_get_rod_def(mech, part, &def) != LW_OK) {
        return LW_ERR_UNSUPPORTED;
    }
    if (strcmp(field, "length") == 0) {
        def.length = value;
    } else if (strcmp(field, "mass") == 0) {
        def.mass = value;
    } else {
        return LW_ERR_UNSUPPORTED;
    }
    return lw_set_rod_def(mech, part, &def);
}

static lw_status set_in_drive(lw_mech *mech, lw_part part, const char *field, double value)
{
    static const char *const name[] = {"inertia", "damping", "friction", "max_force",
                                       "max_velocity"};
    lw_drive_def def;
    const int k = index_of(field, name, 5);
    if (k < 0 || lw_get_drive_def(mech, part, &def) != LW_OK) {
        return LW_ERR_UNSUPPORTED;
    }
    double *const at[] = {&def.inertia, &def.damping, &def.friction, &def.max_force,
                          &def.max_velocity};
    *at[k] = value;
    return lw_set_drive_def(mech, part, &def);
}

static lw_status set_in_gearbox(lw_mech *mech, lw_part part, const char *field, double value)
{
    lw_gearbox_def def;
    if (strcmp(field, "ratio") != 0 || lw_get_gearbox_def(mech, part, &def) != LW_OK ||
        def.form != LW_GEARBOX_RATIO || def.nin != 1 || def.nout != 1) {
        return LW_ERR_UNSUPPORTED;
    }
    def.coefficient = &value;
    return lw_set_gearbox_def(mech, part, &def);
}

static lw_status set_in_spring(lw_mech *mech, lw_part part, const char *field, double value)
{
    static const char *const name[] = {"preload", "free", "damping", "backlash"};
    lw_spring_def def;
    if (lw_get_spring_def(mech, part, &def) != LW_OK) {
        return LW_ERR_UNSUPPORTED;
    }
    double *const at[] = {&def.preload, &def.free, &def.damping, &def.backlash};
    double line[2] = {0.0, value};
    const int k = index_of(field, name, 4);
    if (k >= 0) {
        *at[k] = value;
    } else if (strcmp(field, "stiffness") == 0 && def.law == LW_LAW_POLYNOMIAL &&
               def.ncoefficient <= 2) {
        line[0] = def.ncoefficient > 0 ? def.coefficient[0] : 0.0;
        def.coefficient = line;
        def.ncoefficient = 2;
    } else {
        return LW_ERR_UNSUPPORTED;
    }
    return lw_set_spring_def(mech, part, &def);
}

static lw_status set_in_part(lw_mech *mech, const char *name, char *field, double value)
{
    static const lw_part_kind kind[] = {LW_PART_JOINT,  LW_PART_ROD,     LW_PART_LINK,
                                        LW_PART_DRIVE,  LW_PART_GEARBOX, LW_PART_SPRING,
                                        LW_PART_TORSION};
    for (int k = 0; k < (int)(sizeof kind / sizeof *kind); ++k) {
        const lw_part part = lw_find_part(mech, name, kind[k]);
        if (part.index < 0) {
            continue;
        }
        switch (kind[k]) {
        case LW_PART_JOINT:
            return set_in_joint(mech, part, field, value);
        case LW_PART_ROD:
            return set_in_rod(mech, part, field, value);
        case LW_PART_LINK:
            return set_in_link(mech, part, field, value);
        case LW_PART_DRIVE:
            return set_in_drive(mech, part, field, value);
        case LW_PART_GEARBOX:
            return set_in_gearbox(mech, part, field, value);
        default:
            return set_in_spring(mech, part, field, value);
        }
    }
    return LW_ERR_NAME;
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
        char field[NAME_SIZE];
        snprintf(field, sizeof field, "%s", name + (dot - text) + 1);
        const lw_status status = set_in_part(mech, text, field, value);
        if (status != LW_ERR_NAME) {
            return status;
        }
    }
    return LW_ERR_UNSUPPORTED;
}
