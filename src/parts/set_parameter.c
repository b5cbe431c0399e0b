// Numbers of a description by name: one walk reads them and writes them.
#include "edit.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 200 };

/// What is done with a number.
typedef struct access {
    bool is_write;
    double value; ///< to write, or read
} access;

static void use(access *x, double *at)
{
    if (x->is_write) {
        *at = x->value;
    } else {
        x->value = *at;
    }
}

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

static lw_status use_placement(lw_placement *placement, const char *number, access *x)
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
    use(x, &placement->value[k]);
    return LW_OK;
}

static lw_status use_axis(lw_vec3 *axis, const char *number, access *x)
{
    static const char *const xyz[] = {"x", "y", "z"};
    double *const at[3] = {&axis->x, &axis->y, &axis->z};
    const int k = index_of(number, xyz, 3);
    if (k < 0) {
        return LW_ERR_UNSUPPORTED;
    }
    use(x, at[k]);
    return LW_OK;
}

// "before.x", "dh.alpha", "axis.y", "pitch" of a joint.
static lw_status use_in_joint(lw_mech *mech, lw_part part, char *field, access *x)
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
        use(x, at[k]);
    } else {
        *number++ = '\0';
        status = strcmp(field, "before") == 0 || strcmp(field, "dh") == 0
                     ? use_placement(&def.before, number, x)
                 : strcmp(field, "after") == 0 ? use_placement(&def.after, number, x)
                 : strcmp(field, "axis") == 0  ? use_axis(&def.axis, number, x)
                 : strcmp(field, "axis2") == 0 ? use_axis(&def.axis2, number, x)
                                               : LW_ERR_UNSUPPORTED;
    }
    return status == LW_OK && x->is_write ? lw_set_joint_def(mech, part, &def) : status;
}

// A frame of a link or of the ground.
static lw_status use_in_frame(lw_mech *mech, lw_part part, const char *frame, const char *number,
                              access *x)
{
    const int index = lwi_find_frame_of(mech, part.index, frame);
    if (index < 0) {
        return LW_ERR_UNSUPPORTED;
    }
    lw_placement placement = mech->frame.at[index].placement;
    const lw_status status = use_placement(&placement, number, x);
    if (status != LW_OK || !x->is_write) {
        return status;
    }
    return lw_set_frame_placement(mech, lw_port_of(mech, part, frame), &placement);
}

static lw_status use_in_ground(lw_mech *mech, lw_part part, char *field, access *x)
{
    char *number = strrchr(field, '.');
    if (!number) {
        return LW_ERR_UNSUPPORTED;
    }
    *number++ = '\0';
    return use_in_frame(mech, part, field, number, x);
}

static lw_status use_in_link(lw_mech *mech, lw_part part, char *field, access *x)
{
    static const char *const tensor[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    static const char *const xyz[] = {"x", "y", "z"};
    lw_link_def def;
    if (lw_get_link_def(mech, part, &def) != LW_OK) {
        return LW_ERR_UNSUPPORTED;
    }
    double *const moment[] = {&def.inertia.xx, &def.inertia.yy, &def.inertia.zz,
                              &def.inertia.xy, &def.inertia.xz, &def.inertia.yz};
    char *number = strrchr(field, '.');
    lw_status status = LW_ERR_UNSUPPORTED;
    if (!number) {
        if (strcmp(field, "mass") == 0) {
            use(x, &def.mass);
            status = LW_OK;
        }
    } else {
        *number++ = '\0';
        const int k = index_of(number, tensor, 6);
        if (strcmp(field, "b") == 0) {
            status = use_placement(&def.b, number, x);
        } else if (strcmp(field, "center") == 0 && index_of(number, xyz, 3) >= 0) {
            status = use_placement(&def.inertial, number, x);
        } else if (strcmp(field, "inertia") == 0 && k >= 0) {
            use(x, moment[k]);
            status = LW_OK;
        } else {
            return use_in_frame(mech, part, field, number, x);
        }
    }
    return status == LW_OK && x->is_write ? lw_set_link_def(mech, part, &def) : status;
}

static lw_status use_in_rod(lw_mech *mech, lw_part part, const char *field, access *x)
{
    lw_rod_def def;
    if (lw_get_rod_def(mech, part, &def) != LW_OK) {
        return LW_ERR_UNSUPPORTED;
    }
    if (strcmp(field, "length") == 0) {
        use(x, &def.length);
    } else if (strcmp(field, "mass") == 0) {
        use(x, &def.mass);
    } else {
        return LW_ERR_UNSUPPORTED;
    }
    return x->is_write ? lw_set_rod_def(mech, part, &def) : LW_OK;
}

static lw_status use_in_drive(lw_mech *mech, lw_part part, const char *field, access *x)
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
    use(x, at[k]);
    return x->is_write ? lw_set_drive_def(mech, part, &def) : LW_OK;
}

static lw_status use_in_gearbox(lw_mech *mech, lw_part part, const char *field, access *x)
{
    enum { MOST = 81 };
    lw_gearbox_def def;
    if (strncmp(field, "ratio", 5) != 0 || lw_get_gearbox_def(mech, part, &def) != LW_OK ||
        def.form != LW_GEARBOX_RATIO) {
        return LW_ERR_UNSUPPORTED;
    }
    // "ratio", or "ratio12" of the first row and second column.
    const bool is_one = def.nin == 1 && def.nout == 1;
    const int row = is_one ? 0 : field[5] - '1', column = is_one || row < 0 ? 0 : field[6] - '1';
    if (field[is_one ? 5 : 7 * (row >= 0 && column >= 0)] != '\0' || row < 0 || row >= def.nin ||
        column < 0 || column >= def.nout || def.nin * def.nout > MOST) {
        return LW_ERR_UNSUPPORTED;
    }
    double ratio[MOST];
    memcpy(ratio, def.coefficient, (size_t)(def.nin * def.nout) * sizeof *ratio);
    use(x, &ratio[row * def.nout + column]);
    def.coefficient = ratio;
    return x->is_write ? lw_set_gearbox_def(mech, part, &def) : LW_OK;
}

static lw_status use_in_spring(lw_mech *mech, lw_part part, const char *field, access *x)
{
    static const char *const name[] = {"preload", "free", "damping", "backlash"};
    lw_spring_def def;
    if (lw_get_spring_def(mech, part, &def) != LW_OK) {
        return LW_ERR_UNSUPPORTED;
    }
    double *const at[] = {&def.preload, &def.free, &def.damping, &def.backlash};
    double line[2] = {0.0, 0.0};
    const int k = index_of(field, name, 4);
    if (k >= 0) {
        use(x, at[k]);
    } else if (strcmp(field, "stiffness") == 0 && def.law == LW_LAW_POLYNOMIAL &&
               def.ncoefficient <= 2) {
        for (int i = 0; i < def.ncoefficient; ++i) {
            line[i] = def.coefficient[i];
        }
        use(x, &line[1]);
        def.coefficient = line;
        def.ncoefficient = 2;
    } else {
        return LW_ERR_UNSUPPORTED;
    }
    return x->is_write ? lw_set_spring_def(mech, part, &def) : LW_OK;
}

static lw_status use_in_kind(lw_mech *mech, lw_part part, lw_part_kind kind, char *field, access *x)
{
    switch (kind) {
    case LW_PART_JOINT:
        return use_in_joint(mech, part, field, x);
    case LW_PART_ROD:
        return use_in_rod(mech, part, field, x);
    case LW_PART_LINK:
        return use_in_link(mech, part, field, x);
    case LW_PART_GROUND:
        return use_in_ground(mech, part, field, x);
    case LW_PART_DRIVE:
        return use_in_drive(mech, part, field, x);
    case LW_PART_GEARBOX:
        return use_in_gearbox(mech, part, field, x);
    default:
        return use_in_spring(mech, part, field, x);
    }
}

// --- What is no part --------------------------------------------------------------------------

static lw_status use_in_gear(lw_mech *mech, const char *name, const char *field, access *x)
{
    for (int i = 0; i < mech->gear.count; ++i) {
        lw_gear_def *def = &mech->gear.at[i];
        if (strcmp(def->name, name) != 0) {
            continue;
        }
        if (strcmp(field, "size1") == 0) {
            use(x, &def->size[0]);
            return LW_OK;
        }
        if (strcmp(field, "size2") == 0 && def->type != LW_GEAR_RACK) {
            use(x, &def->size[1]);
            return LW_OK;
        }
        if (strcmp(field, "ratio") == 0 && def->type != LW_GEAR_RACK) {
            double ratio = def->size[1] / def->size[0];
            use(x, &ratio);
            def->size[1] = x->is_write ? ratio * def->size[0] : def->size[1];
            return LW_OK;
        }
        return LW_ERR_UNSUPPORTED;
    }
    return LW_ERR_NAME;
}

// A coupling by its name, or as "follower.coupling" by its dependent degree of freedom.
static bool is_coupling(const lw_coupling_def *def, const char *name)
{
    const size_t n = strlen(def->dependent);
    return def->name && *def->name
               ? strcmp(def->name, name) == 0
               : strncmp(def->dependent, name, n) == 0 && strcmp(name + n, ".coupling") == 0;
}

static lw_status use_in_coupling(lw_mech *mech, const char *name, const char *field, access *x)
{
    for (int i = 0; i < mech->coupling.count; ++i) {
        lw_coupling_def *def = &mech->coupling.at[i];
        for (int k = 0; k < def->ncoefficient && is_coupling(def, name); ++k) {
            char own[16];
            snprintf(own, sizeof own, "c%d", k);
            if (def->law == LW_LAW_POLYNOMIAL && strcmp(field, own) == 0) {
                double value = def->coefficient[k];
                use(x, &value);
                if (x->is_write) {
                    double *copy =
                        lwi_arena_take(&mech->arena, (size_t)def->ncoefficient, sizeof *copy);
                    if (!copy) {
                        return lwi_refuse(mech, LW_ERR_MEMORY, "not enough memory");
                    }
                    memcpy(copy, def->coefficient, (size_t)def->ncoefficient * sizeof *copy);
                    copy[k] = value;
                    def->coefficient = copy;
                }
                return LW_OK;
            }
        }
    }
    return LW_ERR_NAME;
}

// --- Finding it -------------------------------------------------------------------------------

// Parts of different kinds may have one name: the first that has such a number counts.
static lw_status use_in_part(lw_mech *mech, const char *name, const char *field, access *x)
{
    static const lw_part_kind kind[] = {LW_PART_JOINT,   LW_PART_ROD,     LW_PART_LINK,
                                        LW_PART_DRIVE,   LW_PART_GEARBOX, LW_PART_SPRING,
                                        LW_PART_TORSION, LW_PART_GROUND};
    lw_status status = LW_ERR_NAME;
    for (int k = 0; k < (int)(sizeof kind / sizeof *kind); ++k) {
        const lw_part part = lw_find_part(mech, name, kind[k]);
        if (part.index >= 0) {
            char text[NAME_SIZE];
            snprintf(text, sizeof text, "%s", field);
            status = use_in_kind(mech, part, kind[k], text, x);
            if (status != LW_ERR_UNSUPPORTED) {
                return status;
            }
        }
    }
    if (status == LW_ERR_NAME || status == LW_ERR_UNSUPPORTED) {
        const lw_status gear = use_in_gear(mech, name, field, x);
        status = gear == LW_ERR_NAME ? status : gear;
    }
    if (status == LW_ERR_NAME || status == LW_ERR_UNSUPPORTED) {
        const lw_status coupling = use_in_coupling(mech, name, field, x);
        status = coupling == LW_ERR_NAME ? status : coupling;
    }
    return status;
}

static lw_status use_own(lw_mech *mech, const char *name, access *x)
{
    char text[NAME_SIZE];
    if (snprintf(text, sizeof text, "%s", name) >= NAME_SIZE) {
        return LW_ERR_UNSUPPORTED;
    }
    // A part's own name may contain dots: the longest that is one counts.
    for (char *dot = strrchr(text, '.'); dot; dot = strrchr(text, '.')) {
        *dot = '\0';
        const lw_status status = use_in_part(mech, text, name + (dot - text) + 1, x);
        if (status != LW_ERR_NAME) {
            return status;
        }
    }
    return LW_ERR_UNSUPPORTED;
}

// Whichever description has the name, this one or an assembly within it: `own` uses it there. An
// assembly that is written gets a description of its own first.
static lw_status use_anywhere(lw_mech *mech, const char *name, access *x,
                              lw_status (*own)(lw_mech *mech, const char *name, access *x))
{
    if (x->is_write && !lwi_may_edit(mech)) {
        return LW_ERR_FROZEN;
    }
    lw_status status = own(mech, name, x);
    while (status == LW_ERR_UNSUPPORTED) {
        const lw_part part = lwi_assembly_of(mech, name, &name);
        if (part.index < 0) {
            break;
        }
        lw_mech *inside = x->is_write ? lwi_own_inside(mech, part.index)
                                      : as_assembly(&mech->part.at[part.index])->inside;
        if (!inside) {
            return LW_ERR_MEMORY;
        }
        const bool is_frozen = inside->is_frozen;
        inside->is_frozen = false;
        status = own(inside, name, x);
        inside->is_frozen = is_frozen;
        mech = inside;
    }
    return status;
}

lw_status lw_set_parameter(lw_mech *mech, const char *name, double value)
{
    access x = {true, value};
    return mech && name ? use_anywhere(mech, name, &x, use_own) : LW_ERR_ARGUMENT;
}

lw_status lw_get_parameter(lw_mech *mech, const char *name, double *value)
{
    access x = {false, 0.0};
    const lw_status status =
        mech && name && value ? use_anywhere(mech, name, &x, use_own) : LW_ERR_ARGUMENT;
    if (status == LW_OK) {
        *value = x.value;
    }
    return status;
}

static lw_status set_own_branch(lw_mech *mech, const char *name, access *x)
{
    const int branch = x->value > 0 ? 1 : -1;
    const lw_part rod = lw_find_part(mech, name, LW_PART_ROD);
    const lw_part joint = lw_find_part(mech, name, LW_PART_JOINT);
    lw_rod_def of_rod;
    lw_joint_def of_joint;
    if (lw_get_rod_def(mech, rod, &of_rod) == LW_OK) {
        of_rod.branch = branch;
        return lw_set_rod_def(mech, rod, &of_rod);
    }
    if (lw_get_joint_def(mech, joint, &of_joint) == LW_OK && of_joint.closing) {
        of_joint.branch = branch;
        return lw_set_joint_def(mech, joint, &of_joint);
    }
    return LW_ERR_UNSUPPORTED;
}

lw_status lw_set_branch(lw_mech *mech, const char *name, int branch)
{
    access x = {true, branch};
    return mech && name && (branch == 1 || branch == -1)
               ? use_anywhere(mech, name, &x, set_own_branch)
               : LW_ERR_ARGUMENT;
}
