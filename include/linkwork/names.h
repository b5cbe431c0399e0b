// linkwork/names.h: names of enumerators and of what a model contains, for programs that read and
// print words: language bindings, editors, configuration files.
//
// Stable. Real-time safe unless stated otherwise; thread safe by const (linkwork/base.h).
#ifndef LINKWORK_NAMES_H
#define LINKWORK_NAMES_H

#include <linkwork/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The enumerations whose values have names.
typedef enum lw_enum {
    LW_ENUM_STATUS = 0,
    LW_ENUM_SEVERITY = 1,
    LW_ENUM_DIAGNOSTIC = 2,
    LW_ENUM_JOINT_TYPE = 3,
    LW_ENUM_GEAR_TYPE = 4,
    LW_ENUM_LAW = 5,
    LW_ENUM_SPRING_SIDE = 6,
    LW_ENUM_ROLE = 7,
    LW_ENUM_LEVEL = 8,
    LW_ENUM_AXES = 9,
    LW_ENUM_SHAPE_TYPE = 10,
    LW_ENUM_SHAPE_ROLE = 11,
    LW_ENUM_STEP_KIND = 12,
    LW_ENUM_STAGE = 13,
    LW_ENUM_PROFILE = 14,
    LW_ENUM_METHOD = 15,
    LW_ENUM_CONTROL_LAW = 16,
    LW_ENUM_FUNCTION = 17,
    LW_ENUM_FORM = 18,
    LW_ENUM_PART_KIND = 19,
    LW_ENUM_COUNT = 20 ///< not an enumeration
} lw_enum;

/// The name of a value, as files and the program write it: "revolute", "dopri853", "loop-open".
/// Null where the enumeration has no such value, or the value no name.
LW_API const char *lw_enum_name(lw_enum enumeration, int value);

/// The value of a name; -1 where there is none. No enumeration has negative values.
LW_API int lw_enum_value(lw_enum enumeration, const char *name);

/// What a model has lists of. Indices are those of the arrays of lw_model.
typedef enum lw_list {
    LW_LIST_BODIES = 0,
    LW_LIST_POSITIONS = 1,       ///< of q
    LW_LIST_VELOCITIES = 2,      ///< of v: the degrees of freedom
    LW_LIST_TREE_VELOCITIES = 3, ///< degrees of freedom of the tree
    LW_LIST_FRAMES = 4,          ///< joint ports included
    LW_LIST_LINKS = 5,
    LW_LIST_JOINTS = 6, ///< as described
    LW_LIST_STEPS = 7,  ///< of the closure program
    LW_LIST_LOOPS = 8,
    LW_LIST_GEARS = 9,
    LW_LIST_DRIVES = 10,
    LW_LIST_LOADS = 11,
    LW_LIST_SPRINGS = 12,
    LW_LIST_SHAPES = 13,
    LW_LIST_WHEELS = 14,
    LW_LIST_COUNT = 15 ///< not a list
} lw_list;

/// The length of a list; 0 where an argument is not one.
LW_API int lw_model_count(const lw_model *m, lw_list list);

/// The name of one entry, borrowed from the model; null where the index is out of range.
LW_API const char *lw_model_name(const lw_model *m, lw_list list, int index);

/// The first entry of this name; -1 where there is none. lw_find_frame() also finds frames by the
/// last part of their names.
LW_API int lw_model_find(const lw_model *m, lw_list list, const char *name);

#ifdef __cplusplus
}
#endif
#endif
