// Names of enumerators, both ways. Enumerations with a function of their own are asked for it.
#include <linkwork/names.h>
#include <linkwork/symbolic.h>

#include <string.h>

enum { MOST = 8 }; // names of one enumeration here

/// In the order of their numbers.
static const char *const words[LW_ENUM_COUNT][MOST] = {
    [LW_ENUM_SEVERITY] = {"note", "warning", "error"},
    [LW_ENUM_LAW] = {"polynomial", "table", "function"},
    [LW_ENUM_SPRING_SIDE] = {"both", "tension", "compression"},
    [LW_ENUM_ROLE] = {NULL, "structural", "transmission"},
    [LW_ENUM_AXES] = {"frame", "world"},
    [LW_ENUM_SHAPE_TYPE] = {"box", "sphere", "cylinder", "capsule", "mesh"},
    [LW_ENUM_SHAPE_ROLE] = {"collision", "visual", "bound"},
    [LW_ENUM_STAGE] = {"none", "position", "velocity", "acceleration"},
    [LW_ENUM_PROFILE] = {"trapezoid", "s-curve", "quintic"},
    [LW_ENUM_METHOD] = {"euler", "rk4", "dopri5", "dopri853"},
    [LW_ENUM_CONTROL_LAW] = {"pd", "pd+gravity", "computed-torque"},
};

static int count_of(lw_enum enumeration)
{
    switch (enumeration) {
    case LW_ENUM_STATUS:
        return LW_STATUS_COUNT;
    case LW_ENUM_DIAGNOSTIC:
        return LW_DIAG_COUNT;
    case LW_ENUM_JOINT_TYPE:
        return LW_JOINT_USER + 1;
    case LW_ENUM_GEAR_TYPE:
        return LW_GEAR_SHAFT + 1;
    case LW_ENUM_LEVEL:
        return LW_LEVEL_LOW + 1;
    case LW_ENUM_STEP_KIND:
        return LW_STEP_SYMMETRIC + 1;
    case LW_ENUM_FUNCTION:
        return LW_FUNCTION_COUNT;
    case LW_ENUM_FORM:
        return LW_FORM_UICKER + 1;
    case LW_ENUM_PART_KIND:
        return LW_PART_WHEEL + 1;
    default:
        return (int)enumeration >= 0 && enumeration < LW_ENUM_COUNT ? MOST : 0;
    }
}

const char *lw_enum_name(lw_enum enumeration, int value)
{
    if (value < 0 || value >= count_of(enumeration)) {
        return NULL;
    }
    switch (enumeration) {
    case LW_ENUM_STATUS:
        return lw_status_name((lw_status)value);
    case LW_ENUM_DIAGNOSTIC:
        return lw_diagnostic_name((lw_diagnostic_code)value);
    case LW_ENUM_JOINT_TYPE:
        return lw_joint_type_name((lw_joint_type)value);
    case LW_ENUM_GEAR_TYPE:
        return lw_gear_type_name((lw_gear_type)value);
    case LW_ENUM_LEVEL:
        return value == LW_LEVEL_UNSET ? NULL : lw_level_name((lw_level)value);
    case LW_ENUM_STEP_KIND:
        return lw_step_kind_name((lw_step_kind)value);
    case LW_ENUM_FUNCTION:
        return lw_function_name((lw_function)value);
    case LW_ENUM_FORM:
        return lw_form_name((lw_form)value);
    case LW_ENUM_PART_KIND:
        return value <= LW_PART_REMOVED ? NULL : lw_part_kind_name((lw_part_kind)value);
    default:
        return words[enumeration][value];
    }
}

int lw_enum_value(lw_enum enumeration, const char *name)
{
    const int count = count_of(enumeration);
    for (int value = 0; name && value < count; ++value) {
        const char *known = lw_enum_name(enumeration, value);
        if (known && strcmp(known, name) == 0) {
            return value;
        }
    }
    return -1;
}
