// linkwork/kinds.h: kinds of joints, degrees of freedom and shapes; the words that description and
// model share.
//
// Stable. Real-time safe only where stated; thread safe by const (linkwork/base.h).
#ifndef LINKWORK_KINDS_H
#define LINKWORK_KINDS_H

#include <linkwork/math.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of parts (linkwork/mech.h). Each kind has names of its own: a link and a joint may share
/// one.
typedef enum lw_part_kind {
    LW_PART_ANY = 0,     ///< for lw_find_part(): the first of the kinds below that has the name
    LW_PART_REMOVED = 1, ///< the part was removed, or there is no such part
    LW_PART_GROUND = 2,
    LW_PART_LINK = 3,
    LW_PART_JOINT = 4,
    LW_PART_LOAD = 5,
    LW_PART_ROD = 6,
    LW_PART_ASSEMBLY = 7,
    LW_PART_DRIVE = 8,
    LW_PART_GEARBOX = 9,
    LW_PART_SPRING = 10,
    LW_PART_TORSION = 11,
    LW_PART_WHEEL = 12
} lw_part_kind;

/// "ground", "link", ...; never null.
LW_API const char *lw_part_kind_name(lw_part_kind kind);

typedef enum lw_joint_type {
    LW_JOINT_FIXED = 0,
    LW_JOINT_REVOLUTE = 1,    ///< about axis
    LW_JOINT_PRISMATIC = 2,   ///< along axis
    LW_JOINT_SCREW = 3,       ///< about axis, and along it by pitch per revolution
    LW_JOINT_CYLINDRICAL = 4, ///< about axis, then along it: angle, travel
    LW_JOINT_UNIVERSAL = 5,   ///< about axis, then about axis2 as rotated: first, second
    LW_JOINT_SPHERICAL = 6,   ///< quaternion, velocity in body coordinates
    LW_JOINT_PLANAR = 7,      ///< in the plane normal to axis, then about it: x, y, angle
    LW_JOINT_FREE = 8,        ///< position and quaternion, velocity in body coordinates
    LW_JOINT_USER = 9         ///< by callbacks
} lw_joint_type;

/// What carries a body of the tree. Joints of one degree of freedom act about or along z of the
/// body's own frame; the compiler rotates the frames so, and splits the other joints into these.
typedef enum lw_tree_joint {
    LW_TREE_REVOLUTE = 0,  ///< about z
    LW_TREE_PRISMATIC = 1, ///< along z
    LW_TREE_SCREW = 2,     ///< about z, and along it by `lead` per radian
    LW_TREE_SPHERICAL = 3, ///< quaternion; velocity in body coordinates
    LW_TREE_FREE = 4, ///< position, quaternion; velocity in body coordinates, angular part first
    LW_TREE_USER = 5  ///< callbacks
} lw_tree_joint;

enum { LW_MAX_DOF = 6 }; ///< of one joint

/// What belongs to one degree of freedom of a joint. No limit is written as an infinite value.
typedef struct lw_dof {
    double lower, upper;     ///< rad or m; -inf, inf
    double max_velocity;     ///< rad/s or m/s; inf
    double max_acceleration; ///< rad/s^2 or m/s^2; inf
    double max_force;        ///< N m or N; inf
    double damping;          ///< viscous, N m s/rad or N s/m
    double friction;         ///< Coulomb, N m or N
    double rotor_inertia;    ///< reflected to the joint, kg m^2 or kg
    double stiffness;        ///< spring along the degree of freedom, N m/rad or N/m
    double spring_rest;      ///< position at which that spring is relaxed, rad or m
    double reference;        ///< position in the reference configuration, rad or m
} lw_dof;

/// The speed within which the jump of Coulomb friction is smoothed by default, rad/s or m/s, in all
/// computations (lw_dynamics_options, lw_derive_options, lw_engine_options, lw_sim_def).
#define LW_FRICTION_SPEED 1e-3

/// A joint by callbacks. The callbacks must not fail, print or allocate, must depend on their
/// arguments alone, and may be called from several threads at once.
typedef struct lw_user_joint {
    int nv; ///< degrees of freedom, 1 to LW_MAX_DOF; as many positions, whose rates are the
            ///< velocities

    /// Pose of the moving frame in the joint's base frame.
    void (*pose)(const void *context, const double *q, lw_pose *X);

    /// S[nv]: velocity of the moving frame for unit rate of each degree of freedom, in its own
    /// coordinates.
    void (*motion)(const void *context, const double *q, lw_motion *S);

    /// dS/dt * v, in the coordinates of the moving frame. Null where S is constant.
    void (*bias)(const void *context, const double *q, const double *v, lw_motion *rate);

    const void *context; ///< must outlive every model compiled from it
} lw_user_joint;

/// Positions and velocities that a joint of this type has; 0 for LW_JOINT_USER, whose definition
/// has its own.
LW_API int lw_joint_type_nq(lw_joint_type type);
LW_API int lw_joint_type_nv(lw_joint_type type);

/// "revolute", "prismatic", ...; never null.
LW_API const char *lw_joint_type_name(lw_joint_type type);

/// How a degree of freedom follows another, y = f(x).
typedef enum lw_law {
    LW_LAW_POLYNOMIAL = 0, ///< c0 + c1 x + c2 x^2 + ...
    LW_LAW_TABLE = 1,      ///< points, joined by cubics with continuous second derivatives
    LW_LAW_FUNCTION = 2    ///< a callback
} lw_law;

/// A law by a callback, which must not fail, print or allocate, must depend on its arguments alone,
/// and may be called from several threads at once.
typedef struct lw_coupling_function {
    /// f[0] = f(x), f[1] and f[2] its first two derivatives.
    void (*at)(const void *context, double x, double f[3]);
    const void *context; ///< must outlive every model compiled from it
} lw_coupling_function;

/// Which way a spring acts.
typedef enum lw_spring_side {
    LW_SPRING_BOTH = 0,
    LW_SPRING_TENSION = 1,    ///< only where it is stretched beyond its free length, as a cord
    LW_SPRING_COMPRESSION = 2 ///< only where it is pressed below its free length, as a buffer
} lw_spring_side;

/// What the length of a spring is.
typedef enum lw_spring_along {
    LW_SPRING_LINE = 0,  ///< the distance of its ends
    LW_SPRING_NORMAL = 1 ///< the height of its second end above the plane z = 0 of its first one:
                         ///< with LW_SPRING_COMPRESSION a contact
} lw_spring_along;

typedef enum lw_gear_type {
    LW_GEAR_SPUR = 0,      ///< parallel axes, teeth outside of both
    LW_GEAR_INTERNAL = 1,  ///< parallel axes, one wheel within the other, which is larger
    LW_GEAR_BEVEL = 2,     ///< axes that meet
    LW_GEAR_WORM = 3,      ///< crossing axes; the worm comes first
    LW_GEAR_RACK = 4,      ///< the pinion comes first; the second slides
    LW_GEAR_BELT = 5,      ///< parallel axes that rotate the same way, by a belt
    LW_GEAR_CHAIN = 6,     ///< the same by a chain
    LW_GEAR_PLANETARY = 7, ///< sun, then ring, about one axis; planets on a carrier between them
    LW_GEAR_BOX = 8,       ///< of a compiled model only: an equation of a gearbox between axes
    LW_GEAR_SHAFT = 9      ///< likewise: two axes that rotate as one
} lw_gear_type;

/// "spur", "internal", ...; never null.
LW_API const char *lw_gear_type_name(lw_gear_type type);

/// What a part is there for. Levels of detail (lw_level) leave the structure as it is, and leave
/// out or lock what only transmits.
typedef enum lw_role {
    LW_ROLE_BY_KIND = 0, ///< not given: from the kind, and from what it is connected to
    LW_ROLE_STRUCTURAL = 1,
    LW_ROLE_TRANSMISSION = 2
} lw_role;

/// How much of an assembly a model has.
typedef enum lw_level {
    LW_LEVEL_UNSET = 0,  ///< as the assembly around it; low where none is given at all
    LW_LEVEL_HIGH = 1,   ///< the structure alone: transmission parts are left out
    LW_LEVEL_MIDDLE = 2, ///< transmission parts are locked to the links that carry them
    LW_LEVEL_LOW = 3     ///< every part
} lw_level;

/// "high", "middle", "low"; "" for LW_LEVEL_UNSET.
LW_API const char *lw_level_name(lw_level level);

/// A level for an assembly and all within it.
typedef struct lw_level_choice {
    const char *assembly; ///< its full name, "arm/wrist"; "*" for the whole mechanism
    lw_level level;
} lw_level_choice;

/// Who turns the steering joint of a wheel: the next joint above its axle that turns about another
/// direction.
typedef enum lw_steering {
    LW_STEERING_NONE = 0,   ///< it has none
    LW_STEERING_DRIVEN = 1, ///< a motor
    LW_STEERING_CASTOR = 2  ///< the motion of the vehicle
} lw_steering;

typedef enum lw_axes {
    LW_IN_FRAME = 0, ///< along the axes of the frame itself
    LW_IN_WORLD = 1  ///< along the axes of the world
} lw_axes;

typedef enum lw_shape_type {
    LW_SHAPE_BOX = 0,      ///< size: full lengths along x, y, z
    LW_SHAPE_SPHERE = 1,   ///< size.x: radius
    LW_SHAPE_CYLINDER = 2, ///< size.x: radius, size.z: full length along z
    LW_SHAPE_CAPSULE = 3,  ///< size.x: radius, size.z: length of the cylinder between the two caps
    LW_SHAPE_MESH = 4      ///< size: scale along x, y, z
} lw_shape_type;

/// Triangles over vertices: what a mesh file holds, before its scale. Vertices alone are points.
typedef struct lw_mesh {
    int nvertex, ntriangle;
    const lw_vec3 *vertex; ///< [nvertex]
    const int *triangle;   ///< [3 ntriangle] vertices, counter-clockwise seen from outside
    bool is_terrain;       ///< a height field: what is below it, along z, is inside
} lw_mesh;

/// What a shape is painted with: red, green and blue (sRGB) and opacity, each from 0 to 1.
typedef struct lw_color {
    double r, g, b, a;
} lw_color;

typedef enum lw_shape_role {
    LW_SHAPE_COLLISION = 0, ///< what may not touch
    LW_SHAPE_VISUAL = 1,    ///< what is seen
    LW_SHAPE_BOUND = 2      ///< encloses the shapes that name it as their bound
} lw_shape_role;

#ifdef __cplusplus
}
#endif
#endif
