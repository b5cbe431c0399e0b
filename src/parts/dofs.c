// Names of the degrees of freedom of a joint, and which of them an axis port carries.
#include "parts.h"

#include <stdio.h>

static const char *const position_word[][7] = {
    [LW_JOINT_CYLINDRICAL] = {"angle", "travel"},
    [LW_JOINT_UNIVERSAL] = {"first", "second"},
    [LW_JOINT_SPHERICAL] = {"qw", "qx", "qy", "qz"},
    [LW_JOINT_PLANAR] = {"x", "y", "angle"},
    [LW_JOINT_FREE] = {"x", "y", "z", "qw", "qx", "qy", "qz"},
    [LW_JOINT_USER] = {NULL},
};

static const char *const velocity_word[][6] = {
    [LW_JOINT_CYLINDRICAL] = {"angle", "travel"},
    [LW_JOINT_UNIVERSAL] = {"first", "second"},
    [LW_JOINT_SPHERICAL] = {"wx", "wy", "wz"},
    [LW_JOINT_PLANAR] = {"x", "y", "angle"},
    [LW_JOINT_FREE] = {"wx", "wy", "wz", "vx", "vy", "vz"},
    [LW_JOINT_USER] = {NULL},
};

const char *lwi_dof_suffix(lw_joint_type type, int nv, int i, bool positions, char text[16])
{
    if (type == LW_JOINT_USER && nv > 1) {
        snprintf(text, 16, "%d", i + 1);
        return text;
    }
    const char *word = positions ? position_word[type][i] : velocity_word[type][i];
    return word ? word : "";
}

bool lwi_has_scalar_dofs(lw_joint_type type)
{
    return type != LW_JOINT_SPHERICAL && type != LW_JOINT_FREE;
}

int lwi_axis_dof(const lwi_joint *joint, int port)
{
    if (!lwi_has_scalar_dofs(joint->type) || joint->nv == 0) {
        return -1;
    }
    if (port == LWI_PORT_AXIS) {
        return joint->nv == 1 ? 0 : -1;
    }
    const int i = port - LWI_PORT_FIRST_FRAME;
    return joint->nv > 1 && i >= 0 && i < joint->nv ? i : -1;
}
