// linkwork/diagnostic.h: the codes of warnings and notes. Included by base.h, which has the
// functions.
//
// Stable. Real-time safe only where stated; thread safe by const (linkwork/base.h).
#ifndef LINKWORK_DIAGNOSTIC_H
#define LINKWORK_DIAGNOSTIC_H

#ifdef __cplusplus
extern "C" {
#endif

// One row per code. Numbers and names never change and are never used again: programs compare them,
// and users silence by them. A new row goes to the end of its group and takes LW_DIAG_COUNT as its
// number; docs/reference/diagnostics.md has the same rows, which a test compares.
//
//   X(constant, number, name, meaning)
#define LW_DIAGNOSTIC_LIST(X)                                                                      \
    X(LW_DIAG_ERROR, 0, "error", "an error; its status is the code")                               \
    X(LW_DIAG_USER, 1, "user", "a diagnostic of the calling program")                              \
    /* Reading files. */                                                                           \
    X(LW_DIAG_UNUSED_ELEMENT, 2, "unused-element", "an element of the file is not used")           \
    X(LW_DIAG_UNUSED_ATTRIBUTE, 3, "unused-attribute", "an attribute is not used")                 \
    X(LW_DIAG_UNUSED_ASSEMBLY, 4, "unused-assembly", "an assembly is defined but never mounted")   \
    X(LW_DIAG_REPEATED_ELEMENT, 5, "repeated-element",                                             \
      "an element that may appear once is repeated; the first one is used")                        \
    X(LW_DIAG_XML_DECLARATION, 6, "xml-declaration", "the XML declaration does not come first")    \
    X(LW_DIAG_XACRO, 7, "xacro", "the file contains xacro macros that were not expanded")          \
    X(LW_DIAG_ROBOT_UNNAMED, 8, "robot-unnamed", "the robot has no name")                          \
    X(LW_DIAG_MIMIC_FIXED, 9, "mimic-fixed", "a <mimic> on or of a fixed joint is ignored")        \
    X(LW_DIAG_LIMIT_MISSING, 10, "limit-missing",                                                  \
      "a joint has no limits and is taken as unlimited")                                           \
    X(LW_DIAG_INERTIA_MISSING, 11, "inertia-missing", "a link has a mass but no inertia")          \
    X(LW_DIAG_ROTOR_IGNORED, 12, "rotor-ignored", "a rotor inertia drives no single joint")        \
    X(LW_DIAG_TRANSMISSION_JOINT, 13, "transmission-joint",                                        \
      "a <transmission> names a joint that does not exist")                                        \
    /* Shapes and meshes. */                                                                       \
    X(LW_DIAG_SHAPE_MISSING, 14, "shape-missing", "a <visual> or <collision> has no shape")        \
    X(LW_DIAG_SHAPE_OUTSIDE, 15, "shape-outside", "a shape reaches out of its bounding shape")     \
    X(LW_DIAG_MESH_UNNAMED, 16, "mesh-unnamed", "a <mesh> names no file")                          \
    X(LW_DIAG_MESH_MISSING, 17, "mesh-missing", "a mesh file was not found")                       \
    X(LW_DIAG_MESH_OUTSIDE, 18, "mesh-outside",                                                    \
      "a mesh lies outside the folders that may be read")                                          \
    X(LW_DIAG_MESH_UNREADABLE, 19, "mesh-unreadable", "a mesh file cannot be read")                \
    X(LW_DIAG_MESH_UNCHECKED, 20, "mesh-unchecked", "a mesh file is too large to be checked")      \
    X(LW_DIAG_MESH_INVALID, 21, "mesh-invalid", "the content of a mesh file is not a mesh")        \
    X(LW_DIAG_MESH_EMPTY, 22, "mesh-empty", "a mesh has no triangles")                             \
    X(LW_DIAG_MESH_DEGENERATE, 23, "mesh-degenerate", "triangles of a mesh have no area")          \
    X(LW_DIAG_MESH_OPEN, 24, "mesh-open", "the triangles of a mesh enclose no volume")             \
    X(LW_DIAG_MESH_INSIDE_OUT, 25, "mesh-inside-out",                                              \
      "all or some triangles of a closed mesh face inward")                                        \
    X(LW_DIAG_MATERIAL, 79, "material",                                                            \
      "a <material> has no color that can be used, or is not defined")                             \
    /* Physical plausibility. */                                                                   \
    X(LW_DIAG_INERTIA_WITHOUT_MASS, 26, "inertia-without-mass", "a link has inertia but no mass")  \
    X(LW_DIAG_INERTIA_NOT_POSITIVE, 27, "inertia-not-positive",                                    \
      "a link has a negative principal moment of inertia")                                         \
    X(LW_DIAG_INERTIA_TRIANGLE, 28, "inertia-triangle",                                            \
      "principal moments of inertia violate the triangle inequality")                              \
    X(LW_DIAG_JOINT_WITHOUT_MASS, 29, "joint-without-mass", "nothing beyond a joint has mass")     \
    X(LW_DIAG_COEFFICIENT_NEGATIVE, 30, "coefficient-negative",                                    \
      "damping, friction, stiffness or rotor inertia of a joint is negative")                      \
    X(LW_DIAG_LIMIT_ORDER, 31, "limit-order", "a lower limit is above the upper limit")            \
    X(LW_DIAG_LIMIT_NEGATIVE, 32, "limit-negative",                                                \
      "a limit of velocity, acceleration or effort is negative")                                   \
    X(LW_DIAG_CENTRE_FAR, 33, "centre-far", "a centre of mass is far away from the mechanism")     \
    X(LW_DIAG_LIMIT_DEGREES, 34, "limit-degrees", "limits in radians look like degrees")           \
    X(LW_DIAG_REFERENCE_LIMIT, 35, "reference-limit",                                              \
      "the reference configuration is outside joint limits")                                       \
    X(LW_DIAG_POSITION_LIMIT, 36, "position-limit", "a given position is beyond a joint limit")    \
    X(LW_DIAG_AXIS_LENGTH, 37, "axis-length",                                                      \
      "the axis of a joint in a URDF file is not a unit vector")                                   \
    /* Loops, gears, springs and levels of detail. */                                              \
    X(LW_DIAG_DEPENDENT_CHOSEN, 38, "dependent-chosen", "a joint was chosen as dependent")         \
    X(LW_DIAG_DEPENDENT_RELEASED, 39, "dependent-released",                                        \
      "a joint marked dependent is independent at these levels of detail")                         \
    X(LW_DIAG_LOOP_REDUNDANT, 40, "loop-redundant", "a loop is closed by others already")          \
    X(LW_DIAG_LOOP_BRANCH_UNUSED, 41, "loop-branch-unused",                                        \
      "a loop without a closed form names a branch, which is not used")                            \
    X(LW_DIAG_REFERENCE_OPEN, 42, "reference-open",                                                \
      "loops do not close in the reference configuration; a closed one nearby is used")            \
    X(LW_DIAG_DRIVE_DEPENDENT, 43, "drive-dependent", "a driven joint has to be dependent")        \
    X(LW_DIAG_CLOSING_AXIS, 44, "closing-axis",                                                    \
      "the axis of a closing joint fits no other joint of its loop")                               \
    X(LW_DIAG_LOOP_CONDITION, 45, "loop-condition",                                                \
      "a loop is close to a singular configuration in the reference")                              \
    X(LW_DIAG_LOOP_SINGULAR, 46, "loop-singular",                                                  \
      "a loop is singular or cannot be closed near the reference")                                 \
    X(LW_DIAG_REFERENCE_MOVED, 47, "reference-moved",                                              \
      "a joint moved far from its reference to close loops")                                       \
    X(LW_DIAG_UNCONNECTED, 48, "unconnected", "a part connected to nothing is left out")           \
    X(LW_DIAG_GEAR_DISTANCE, 49, "gear-distance",                                                  \
      "pitch radii do not fit the distance of the axes")                                           \
    X(LW_DIAG_GEAR_REDUNDANT, 50, "gear-redundant", "a gear only repeats what others impose")      \
    X(LW_DIAG_SPRING_IDLE, 51, "spring-idle", "both ends of a spring are on one body")             \
    X(LW_DIAG_LEVEL_SUMMARY, 52, "level-summary", "what a level of detail leaves out")             \
    X(LW_DIAG_LEVEL_ALIKE, 53, "level-alike", "no part is marked as transmission")                 \
    X(LW_DIAG_SHAFTS_RELAXED, 54, "shafts-relaxed", "no equilibrium on elastic shafts was found")  \
    X(LW_DIAG_MOTORS_UNDETERMINED, 55, "motors-few",                                               \
      "motors do not determine the joints that they reach")                                        \
    X(LW_DIAG_MOTORS_SHARE, 56, "motors-share", "motors turn one joint together")                  \
    X(LW_DIAG_ROTATION_HELD, 71, "rotation-held",                                                  \
      "a leg between two ball joints is held against rotation about itself")                       \
    /* Equations, code and engines. */                                                             \
    X(LW_DIAG_FORM_CHOSEN, 57, "form-chosen", "which form of the equations was taken")             \
    X(LW_DIAG_CLOSED_FORM_NONE, 58, "closed-form-none", "the equations have no closed form")       \
    X(LW_DIAG_CLOSED_FORM_LARGE, 59, "closed-form-large", "a closed form grows too large")         \
    X(LW_DIAG_NEWTON_LOOP, 60, "newton-loop",                                                      \
      "a closed loop is solved by Newton's method in a loop of code")                              \
    X(LW_DIAG_AXIS_SKEW, 61, "axis-skew", "an axis is slightly off a right angle")                 \
    X(LW_DIAG_FUNCTION_OMITTED, 62, "function-omitted", "an engine lacks a function")              \
    X(LW_DIAG_FUNCTION_INTERPRETED, 63, "function-interpreted",                                    \
      "a function is interpreted instead of compiled")                                             \
    X(LW_DIAG_COMPILER, 64, "compiler", "the C compiler or its cache cannot be used")              \
    /* Inverse kinematics. */                                                                      \
    X(LW_DIAG_IK_ROWS, 65, "ik-rows",                                                              \
      "a task has more rows than the chain has degrees of freedom")                                \
    X(LW_DIAG_CONSTRAINTS_CONTRADICT, 72, "constraints-contradict",                                \
      "two constraints of one level give one thing different targets")                             \
    X(LW_DIAG_MOTION_SLOWED, 77, "motion-slowed",                                                  \
      "a move of a tool is slowed by limits of joints")                                            \
    /* Writing files. */                                                                           \
    X(LW_DIAG_LOST, 66, "lost", "the target format cannot represent this")                         \
    X(LW_DIAG_ROUNDED, 67, "rounded", "the target format represents this only rounded")            \
    X(LW_DIAG_FRAME_AS_LINK, 68, "frame-as-link", "a frame is written as a link on a fixed joint") \
    X(LW_DIAG_CHARACTER_REPLACED, 69, "character-replaced",                                        \
      "a name contains characters that XML cannot represent")                                      \
    /* Collision. */                                                                               \
    X(LW_DIAG_COLLISION_MESH, 70, "collision-mesh", "collision meshes were not read")              \
    X(LW_DIAG_MESH_KEPT, 78, "mesh-kept", "shapes do not fit a mesh to the slack")                 \
    /* Configuration. */                                                                           \
    X(LW_DIAG_RULE_UNUSUAL, 73, "rule-unusual", "a specification is allowed, but unusual")         \
    X(LW_DIAG_RULE_OVERRIDDEN, 74, "rule-overridden", "a violated rule is overridden")             \
    X(LW_DIAG_SYMBOL_ASSUMED, 75, "symbol-assumed", "a value was assumed for a symbol")            \
    X(LW_DIAG_ENGINE_REJECTED, 76, "engine-rejected", "an engine failed its verification")

typedef enum lw_diagnostic_code {
#define LW_DIAGNOSTIC_CODE(constant, number, name, meaning) constant = number,
    LW_DIAGNOSTIC_LIST(LW_DIAGNOSTIC_CODE)
#undef LW_DIAGNOSTIC_CODE
        LW_DIAG_COUNT = 80 ///< not a code: one more than the highest number
} lw_diagnostic_code;

#ifdef __cplusplus
}
#endif
#endif
