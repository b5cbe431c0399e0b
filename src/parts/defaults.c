// Default definitions.
#include <linkwork/mech.h>

lw_ground_def lw_default_ground_def(void)
{
    return (lw_ground_def){.name = "ground", .gravity = {0.0, 0.0, -9.81}};
}

lw_link_def lw_default_link_def(void)
{
    return (lw_link_def){.name = ""};
}

lw_joint_def lw_default_joint_def(void)
{
    lw_joint_def def = {
        .name = "", .type = LW_JOINT_FIXED, .axis = {0.0, 0.0, 1.0}, .axis2 = {1.0, 0.0, 0.0}};
    for (int i = 0; i < LW_MAX_DOF; ++i) {
        def.dof[i] = (lw_dof){.lower = -(double)INFINITY,
                              .upper = (double)INFINITY,
                              .max_velocity = (double)INFINITY,
                              .max_acceleration = (double)INFINITY,
                              .max_force = (double)INFINITY};
    }
    return def;
}

lw_rod_def lw_default_rod_def(void)
{
    return (lw_rod_def){.name = ""};
}

lw_gear_def lw_default_gear_def(void)
{
    return (lw_gear_def){.name = "", .type = LW_GEAR_SPUR, .size = {1.0, 1.0}, .hand = 1};
}

const char *lw_gear_type_name(lw_gear_type type)
{
    static const char *const name[] = {"spur", "internal", "bevel",     "worm",    "rack",
                                       "belt", "chain",    "planetary", "gearbox", "shaft"};
    return (int)type >= 0 && type <= LW_GEAR_SHAFT ? name[type] : "unknown";
}

lw_drive_def lw_default_drive_def(void)
{
    const double none = (double)INFINITY;
    return (lw_drive_def){.name = "",
                          .max_force = none,
                          .max_velocity = none,
                          .stall_force = none,
                          .no_load_velocity = none,
                          .continuous_force = none};
}

lw_gearbox_def lw_default_gearbox_def(void)
{
    return (lw_gearbox_def){.name = "", .form = LW_GEARBOX_RATIO, .nin = 1, .nout = 1};
}

const char *lw_level_name(lw_level level)
{
    static const char *const name[] = {"", "high", "middle", "low"};
    return (int)level >= 0 && level <= LW_LEVEL_LOW ? name[level] : "unknown";
}

lw_coupling_def lw_default_coupling_def(void)
{
    return (lw_coupling_def){.name = NULL};
}

lw_wheel_def lw_default_wheel_def(void)
{
    return (lw_wheel_def){.name = "", .axis = {0.0, 1.0, 0.0}, .driven = true};
}

lw_load_def lw_default_load_def(void)
{
    return (lw_load_def){.name = "", .axes = LW_IN_FRAME};
}

lw_spring_def lw_default_spring_def(void)
{
    return (lw_spring_def){.name = "", .free = (double)NAN, .loss_speed = 0.01};
}

lw_shape_def lw_default_shape_def(void)
{
    return (lw_shape_def){.role = LW_SHAPE_COLLISION, .size = {1.0, 1.0, 1.0}, .bound = -1};
}
