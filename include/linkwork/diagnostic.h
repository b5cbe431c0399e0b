// linkwork/diagnostic.h: the codes of warnings and notes. Included by base.h, which has the
// functions.
#ifndef LINKWORK_DIAGNOSTIC_H
#define LINKWORK_DIAGNOSTIC_H

#ifdef __cplusplus
extern "C" {
#endif

// One row per code. Names are stable: programs compare them, and users silence by them. New rows go
// to the end of their group; docs/reference/diagnostics.md has the same rows, which a test compares.
//
//   X(constant, name, meaning)
#define LW_DIAGNOSTIC_LIST(X)                                                                      \
    X(LW_DIAG_ERROR, "error", "an error; its status is the code")                                  \
    X(LW_DIAG_USER, "user", "a diagnostic of the calling program")                                 \
    /* Reading files. */                                                                           \
    X(LW_DIAG_UNUSED_ELEMENT, "unused-element", "an element of the file is not used")              \
    X(LW_DIAG_UNUSED_ATTRIBUTE, "unused-attribute", "an attribute is not used")                    \
    X(LW_DIAG_UNUSED_ASSEMBLY, "unused-assembly", "an assembly is defined but never mounted")      \
    X(LW_DIAG_REPEATED_ELEMENT, "repeated-element",                                                \
      "an element that may appear once is repeated; the first one is used")                        \
    X(LW_DIAG_XML_DECLARATION, "xml-declaration", "the XML declaration does not come first")       \
    X(LW_DIAG_XACRO, "xacro", "the file contains xacro macros that were not expanded")             \
    X(LW_DIAG_ROBOT_UNNAMED, "robot-unnamed", "the robot has no name")                             \
    X(LW_DIAG_MIMIC_FIXED, "mimic-fixed", "a <mimic> on or of a fixed joint is ignored")           \
    X(LW_DIAG_LIMIT_MISSING, "limit-missing", "a joint has no limits and is taken as unlimited")   \
    X(LW_DIAG_INERTIA_MISSING, "inertia-missing", "a link has a mass but no inertia")              \
    X(LW_DIAG_ROTOR_IGNORED, "rotor-ignored", "a rotor inertia drives no single joint")            \
    X(LW_DIAG_TRANSMISSION_JOINT, "transmission-joint",                                            \
      "a <transmission> names a joint that does not exist")                                        \
    /* Shapes and meshes. */                                                                       \
    X(LW_DIAG_SHAPE_MISSING, "shape-missing", "a <visual> or <collision> has no shape")            \
    X(LW_DIAG_SHAPE_OUTSIDE, "shape-outside", "a shape reaches out of its bounding shape")         \
    X(LW_DIAG_MESH_UNNAMED, "mesh-unnamed", "a <mesh> names no file")                              \
    X(LW_DIAG_MESH_MISSING, "mesh-missing", "a mesh file was not found")                           \
    X(LW_DIAG_MESH_OUTSIDE, "mesh-outside", "a mesh lies outside the folders that may be read")    \
    X(LW_DIAG_MESH_UNREADABLE, "mesh-unreadable", "a mesh file cannot be read")                    \
    X(LW_DIAG_MESH_UNCHECKED, "mesh-unchecked", "a mesh file is too large to be checked")          \
    X(LW_DIAG_MESH_INVALID, "mesh-invalid", "the content of a mesh file is not a mesh")            \
    X(LW_DIAG_MESH_EMPTY, "mesh-empty", "a mesh has no triangles")                                 \
    X(LW_DIAG_MESH_DEGENERATE, "mesh-degenerate", "triangles of a mesh have no area")              \
    X(LW_DIAG_MESH_OPEN, "mesh-open", "the triangles of a mesh enclose no volume")                 \
    X(LW_DIAG_MESH_INSIDE_OUT, "mesh-inside-out",                                                  \
      "all or some triangles of a closed mesh face inward")                                        \
    /* Physical plausibility. */                                                                   \
    X(LW_DIAG_INERTIA_WITHOUT_MASS, "inertia-without-mass", "a link has inertia but no mass")      \
    X(LW_DIAG_INERTIA_NOT_POSITIVE, "inertia-not-positive",                                        \
      "a link has a negative principal moment of inertia")                                         \
    X(LW_DIAG_INERTIA_TRIANGLE, "inertia-triangle",                                                \
      "principal moments of inertia violate the triangle inequality")                              \
    X(LW_DIAG_JOINT_WITHOUT_MASS, "joint-without-mass", "nothing beyond a joint has mass")         \
    X(LW_DIAG_COEFFICIENT_NEGATIVE, "coefficient-negative",                                        \
      "damping, friction, stiffness or rotor inertia of a joint is negative")                      \
    X(LW_DIAG_LIMIT_ORDER, "limit-order", "a lower limit is above the upper limit")                \
    X(LW_DIAG_LIMIT_NEGATIVE, "limit-negative",                                                    \
      "a limit of velocity, acceleration or effort is negative")                                   \
    X(LW_DIAG_CENTRE_FAR, "centre-far", "a centre of mass is far away from the mechanism")         \
    X(LW_DIAG_LIMIT_DEGREES, "limit-degrees", "limits in radians look like degrees")               \
    X(LW_DIAG_REFERENCE_LIMIT, "reference-limit",                                                  \
      "the reference configuration is outside joint limits")                                       \
    X(LW_DIAG_POSITION_LIMIT, "position-limit", "a given position is beyond a joint limit")        \
    X(LW_DIAG_AXIS_LENGTH, "axis-length",                                                          \
      "the axis of a joint in a URDF file is not a unit vector")                                   \
    /* Loops, gears, springs and levels of detail. */                                              \
    X(LW_DIAG_DEPENDENT_CHOSEN, "dependent-chosen", "a joint was chosen as dependent")             \
    X(LW_DIAG_DEPENDENT_RELEASED, "dependent-released",                                            \
      "a joint marked dependent is independent at these levels of detail")                         \
    X(LW_DIAG_LOOP_REDUNDANT, "loop-redundant", "a loop is closed by others already")              \
    X(LW_DIAG_LOOP_BRANCH_UNUSED, "loop-branch-unused",                                            \
      "a loop without a closed form names a branch, which is not used")                            \
    X(LW_DIAG_REFERENCE_OPEN, "reference-open",                                                    \
      "loops do not close in the reference configuration; a closed one nearby is used")            \
    X(LW_DIAG_DRIVE_DEPENDENT, "drive-dependent", "a driven joint has to be dependent")            \
    X(LW_DIAG_CLOSING_AXIS, "closing-axis",                                                        \
      "the axis of a closing joint fits no other joint of its loop")                               \
    X(LW_DIAG_LOOP_CONDITION, "loop-condition",                                                    \
      "a loop is close to a singular configuration in the reference")                              \
    X(LW_DIAG_LOOP_SINGULAR, "loop-singular",                                                      \
      "a loop is singular or cannot be closed near the reference")                                 \
    X(LW_DIAG_REFERENCE_MOVED, "reference-moved",                                                  \
      "a joint moved far from its reference to close loops")                                       \
    X(LW_DIAG_UNCONNECTED, "unconnected", "a part connected to nothing is left out")               \
    X(LW_DIAG_GEAR_DISTANCE, "gear-distance", "pitch radii do not fit the distance of the axes")   \
    X(LW_DIAG_GEAR_REDUNDANT, "gear-redundant", "a gear only repeats what others impose")          \
    X(LW_DIAG_SPRING_IDLE, "spring-idle", "both ends of a spring are on one body")                 \
    X(LW_DIAG_LEVEL_SUMMARY, "level-summary", "what a level of detail leaves out")                 \
    X(LW_DIAG_LEVEL_ALIKE, "level-alike", "no part is marked as transmission")                     \
    X(LW_DIAG_SHAFTS_RELAXED, "shafts-relaxed", "no equilibrium on elastic shafts was found")      \
    X(LW_DIAG_MOTORS_UNDETERMINED, "motors-few",                                                   \
      "motors do not determine the joints that they reach")                                        \
    X(LW_DIAG_MOTORS_SHARE, "motors-share", "motors turn one joint together")                      \
    /* Equations, code and engines. */                                                             \
    X(LW_DIAG_FORM_CHOSEN, "form-chosen", "which form of the equations was taken")                 \
    X(LW_DIAG_CLOSED_FORM_NONE, "closed-form-none", "the equations have no closed form")           \
    X(LW_DIAG_CLOSED_FORM_LARGE, "closed-form-large", "a closed form grows too large")             \
    X(LW_DIAG_NEWTON_UNROLLED, "newton-unrolled",                                                  \
      "a loop is solved by unrolled Newton iterations")                                            \
    X(LW_DIAG_AXIS_SKEW, "axis-skew", "an axis is slightly off a right angle")                     \
    X(LW_DIAG_FUNCTION_OMITTED, "function-omitted", "an engine lacks a function")                  \
    X(LW_DIAG_FUNCTION_INTERPRETED, "function-interpreted",                                        \
      "a function is interpreted instead of compiled")                                             \
    X(LW_DIAG_COMPILER, "compiler", "the C compiler or its cache cannot be used")                  \
    /* Inverse kinematics. */                                                                      \
    X(LW_DIAG_IK_ROWS, "ik-rows", "a task has more rows than the chain has degrees of freedom")    \
    /* Writing files. */                                                                           \
    X(LW_DIAG_LOST, "lost", "the target format cannot represent this")                             \
    X(LW_DIAG_ROUNDED, "rounded", "the target format represents this only rounded")                \
    X(LW_DIAG_FRAME_AS_LINK, "frame-as-link", "a frame is written as a link on a fixed joint")     \
    X(LW_DIAG_CHARACTER_REPLACED, "character-replaced",                                            \
      "a name contains characters that XML cannot represent")

typedef enum lw_diagnostic_code {
#define LW_DIAGNOSTIC_CODE(constant, name, meaning) constant,
    LW_DIAGNOSTIC_LIST(LW_DIAGNOSTIC_CODE)
#undef LW_DIAGNOSTIC_CODE
        LW_DIAG_COUNT ///< not a code
} lw_diagnostic_code;

#ifdef __cplusplus
}
#endif
#endif
