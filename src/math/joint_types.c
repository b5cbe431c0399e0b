// The table of joint types. A new type is one row here, and its arithmetic where no piece of the
// tree has it already.
#include "joint_types.h"

#define ABOUT(axis)                                                                                \
    {                                                                                              \
        LW_TREE_REVOLUTE, axis                                                                     \
    }
#define ALONG(axis)                                                                                \
    {                                                                                              \
        LW_TREE_PRISMATIC, axis                                                                    \
    }

static const lwi_joint_row table[LWI_JOINT_TYPES] = {
    [LW_JOINT_FIXED] = {.name = "fixed", .urdf = "fixed", .nclosing = 6},
    [LW_JOINT_REVOLUTE] = {.name = "revolute",
                           .urdf = "revolute",
                           .nq = 1,
                           .nv = 1,
                           .is_rotation = {true},
                           .has_axis = true,
                           .has_form = true,
                           .nclosing = 5,
                           .npiece = 1,
                           .piece = {ABOUT(LWI_AXIS_FIRST)}},
    [LW_JOINT_PRISMATIC] = {.name = "prismatic",
                            .urdf = "prismatic",
                            .nq = 1,
                            .nv = 1,
                            .has_axis = true,
                            .has_form = true,
                            .nclosing = 5,
                            .npiece = 1,
                            .piece = {ALONG(LWI_AXIS_FIRST)}},
    [LW_JOINT_SCREW] = {.name = "screw",
                        .nq = 1,
                        .nv = 1,
                        .is_rotation = {true},
                        .has_axis = true,
                        .has_pitch = true,
                        .has_form = true,
                        .nclosing = 5,
                        .npiece = 1,
                        .piece = {{LW_TREE_SCREW, LWI_AXIS_FIRST}}},
    [LW_JOINT_CYLINDRICAL] = {.name = "cylindrical",
                              .nq = 2,
                              .nv = 2,
                              .position = {"angle", "travel"},
                              .velocity = {"angle", "travel"},
                              .is_rotation = {true, false},
                              .has_axis = true,
                              .has_form = true,
                              .nclosing = 4,
                              .npiece = 2,
                              .piece = {ABOUT(LWI_AXIS_FIRST), ALONG(LWI_AXIS_FIRST)}},
    [LW_JOINT_UNIVERSAL] = {.name = "universal",
                            .nq = 2,
                            .nv = 2,
                            .position = {"first", "second"},
                            .velocity = {"first", "second"},
                            .is_rotation = {true, true},
                            .has_axis = true,
                            .has_axis2 = true,
                            .has_form = true,
                            .nclosing = 4,
                            .npiece = 2,
                            .piece = {ABOUT(LWI_AXIS_FIRST), ABOUT(LWI_AXIS_SECOND)}},
    [LW_JOINT_SPHERICAL] = {.name = "spherical",
                            .nq = 4,
                            .nv = 3,
                            .position = {"qw", "qx", "qy", "qz"},
                            .velocity = {"wx", "wy", "wz"},
                            .is_rotation = {true, true, true},
                            .has_quaternion = true,
                            .nclosing = 3,
                            .npiece = 1,
                            .piece = {{LW_TREE_SPHERICAL, LWI_AXIS_NONE}}},
    [LW_JOINT_PLANAR] = {.name = "planar",
                         .urdf = "planar",
                         .nq = 3,
                         .nv = 3,
                         .position = {"x", "y", "angle"},
                         .velocity = {"x", "y", "angle"},
                         .is_rotation = {false, false, true},
                         .has_axis = true,
                         .nclosing = 3,
                         .npiece = 3,
                         .piece = {ALONG(LWI_AXIS_ACROSS_X), ALONG(LWI_AXIS_ACROSS_Y),
                                   ABOUT(LWI_AXIS_FIRST)}},
    [LW_JOINT_FREE] = {.name = "free",
                       .urdf = "floating",
                       .nq = 7,
                       .nv = 6,
                       .position = {"x", "y", "z", "qw", "qx", "qy", "qz"},
                       .velocity = {"wx", "wy", "wz", "vx", "vy", "vz"},
                       .is_rotation = {true, true, true},
                       .has_quaternion = true,
                       .npiece = 1,
                       .piece = {{LW_TREE_FREE, LWI_AXIS_NONE}}},
    [LW_JOINT_USER] = {.name = "user",
                       .is_rotation = {true, true, true, true, true, true},
                       .npiece = 1,
                       .piece = {{LW_TREE_USER, LWI_AXIS_NONE}}},
};

const lwi_joint_row *lwi_joint_row_of(lw_joint_type type)
{
    static const lwi_joint_row unknown = {.name = "unknown"};
    return (int)type >= 0 && (int)type < LWI_JOINT_TYPES ? &table[type] : &unknown;
}

int lw_joint_type_nq(lw_joint_type type)
{
    return lwi_joint_row_of(type)->nq;
}

int lw_joint_type_nv(lw_joint_type type)
{
    return lwi_joint_row_of(type)->nv;
}

const char *lw_joint_type_name(lw_joint_type type)
{
    return lwi_joint_row_of(type)->name;
}

lw_vec3 lwi_piece_axis(lwi_joint_axis which, lw_vec3 axis, lw_vec3 axis2)
{
    if (which == LWI_AXIS_SECOND) {
        return axis2;
    }
    if (which == LWI_AXIS_ACROSS_X || which == LWI_AXIS_ACROSS_Y) {
        const lw_mat3 N = lw_rotation_to_z(lw_unit3(axis));
        const lw_mat3 column = lw_transpose3(&N);
        return column.row[which - LWI_AXIS_ACROSS_X];
    }
    return axis;
}
