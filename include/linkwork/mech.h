// linkwork/mech.h: the editable description of a mechanism, as parts joined at ports.
//
// Stable. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A description is made at leisure, by calls or by a reader, and compiled (linkwork/compile.h) into
// a model that computes. It holds no state: no positions, velocities or forces. One thread at a
// time may edit it; no model made of it changes by that.
//
// Parts meet at ports. A frame port is either an A port, through which a part is connected to
// another, or a B port, to which other parts may be connected. lw_connect() joins one B port with
// one A port: a part has one A port and any number of B ports; one B port may feed many A ports. So
// the connections make trees, and the tree that is connected to the ground is the mechanism. An
// axis port carries the motion of a joint's degree of freedom or of a shaft, not a frame;
// lw_connect() joins two axis ports, which then rotate as one, and an axis may be joined with many.
//
//   part      ports
//   ground    b, and every frame added to it (all B)
//   link      a (A), b (B), and every frame added to it (B)
//   joint     a (A), b (B; an A port where the joint closes a loop), axis (an axis port); joints of
//             several degrees of freedom have an axis port by the name of each: first, second,
//             angle, ...
//   rod       a1, a2 (both A)
//   load      a (A)
//   wheel     a (A)
//   spring    a1, a2 (both A)
//   torsion   in, out (both axis ports)
//   drive     axis
//   gearbox   in, out; where a side has several: in1, in2, ..., out1, out2, ... (all axis ports)
//   assembly  a (A, where its inside is connected), and every gateway that the inside exposes
//
// Definitions are structs with a default function: take the default, set what differs, add. A
// bad definition is kept, and the compile reports all of them at once, with their locations; the
// part that lw_add_...() returned may be used as if it were good. Texts and arrays are copied.
#ifndef LINKWORK_MECH_H
#define LINKWORK_MECH_H

#include <linkwork/fit.h>
#include <linkwork/kinds.h>
#include <linkwork/math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_mech lw_mech;

/// A part of a description; index -1 is no part.
typedef struct lw_part {
    int index;
} lw_part;

/// A port of a part; index -1 is no port.
typedef struct lw_port {
    lw_part part;
    int index;
} lw_port;

// --- Placements -------------------------------------------------------------------------------

/// How a pose is written. The numbers are kept as given, so that writers return them to the last
/// bit and calibration can name them.
typedef enum lw_placement_form {
    LW_PLACEMENT_IDENTITY = 0, ///< no numbers
    LW_PLACEMENT_RPY = 1,      ///< x y z roll pitch yaw (fixed axes, as in URDF)
    LW_PLACEMENT_QUAT = 2,     ///< x y z qw qx qy qz
    LW_PLACEMENT_MATRIX = 3,   ///< nine entries of R, row by row, then x y z
    LW_PLACEMENT_DH = 4        ///< alpha a theta d: Rx(alpha) Tx(a) Rz(theta) Tz(d)
} lw_placement_form;

/// A pose as it is written. Lengths in m, angles in rad.
typedef struct lw_placement {
    lw_placement_form form;
    double value[12];
} lw_placement;

/// Placements in each form; that of a pose is a matrix.
LW_API lw_placement lw_placement_identity(void);
LW_API lw_placement lw_placement_xyz(double x, double y, double z);
LW_API lw_placement lw_placement_rpy(lw_vec3 xyz, lw_vec3 roll_pitch_yaw);
LW_API lw_placement lw_placement_quat(lw_vec3 xyz, lw_quat quat);
LW_API lw_placement lw_placement_of_pose(const lw_pose *X);
LW_API lw_placement lw_placement_dh(double alpha, double a, double theta, double d);

/// The pose of a placement. A matrix is used as it is. Null is no placement here and above:
/// the identity.
LW_API lw_pose lw_placement_pose(const lw_placement *placement);

// --- Definitions ------------------------------------------------------------------------------

/// The inertial frame of the mechanism. A description without a ground gets one under its only
/// root.
typedef struct lw_ground_def {
    const char *name; ///< "ground"
    lw_vec3 gravity;  ///< m/s^2; (0, 0, -9.81)
    lw_location location;
} lw_ground_def;

/// A rigid body, or only a frame where it has no mass.
typedef struct lw_link_def {
    const char *name;
    double mass;           ///< kg; 0
    lw_placement inertial; ///< the centre of mass and the axes of `inertia`, from port a
    lw_sym3 inertia;       ///< tensor about the centre of mass, kg m^2
    lw_placement b;        ///< port b from port a; identity
    lw_role role;
    lw_location location;
} lw_link_def;

enum { LW_BRANCH_OTHER = 2 }; ///< not that of the reference configuration

/// What a closing joint is given by.
typedef enum lw_closing_sides {
    LW_SIDES_FRAMES = 0, ///< a frame on each side: `before` and `after`
    LW_SIDES_POINTS = 1, ///< a point on each side: `after` has a position only, and the directions
                         ///< are those that the joint frame has in the reference configuration
    LW_SIDES_REFERENCE = 2 ///< one frame, `before`: on the other side it is where it is in the
                           ///< reference configuration, in which the loop is closed then; `after`
                           ///< is not used
} lw_closing_sides;

typedef struct lw_joint_def {
    const char *name;
    lw_joint_type type;
    lw_vec3 axis;           ///< in the joint frame, any length but zero; (0, 0, 1)
    lw_vec3 axis2;          ///< second axis of a universal joint; (1, 0, 0)
    double pitch;           ///< of a screw, m per revolution
    lw_placement before;    ///< joint frame from the port that feeds a
    lw_placement after;     ///< port b from the moving joint frame
    lw_dof dof[LW_MAX_DOF]; ///< in the order of the type's degrees of freedom
    bool closing; ///< the joint closes a loop: port b is connected to a B port too, and `after` is
                  ///< the moving joint frame from the port that feeds b. It has no coordinates.
    lw_closing_sides sides; ///< of a closing joint
    int branch;         ///< of a closing joint that is solved in closed form: as lw_rod_def.branch
    bool dependent;     ///< the joint has no drive: a loop or a coupling gives its position
    lw_user_joint user; ///< for LW_JOINT_USER
    lw_role role;
    lw_location location;
} lw_joint_def;

/// A rigid rod with a ball joint at each end. It keeps the distance of the two ports it is
/// connected to, and so takes one degree of freedom from the mechanism.
typedef struct lw_rod_def {
    const char *name;
    double length; ///< m; 0 takes the distance in the reference configuration
    double mass;   ///< kg, spread evenly along a thin rod; 0
    int branch; ///< of the two ways to close: 1 or -1, 0 for that of the reference configuration,
                ///< or LW_BRANCH_OTHER
    lw_role role;
    lw_location location;
} lw_rod_def;

/// Two wheels that mesh, or that a belt or chain connects. Names the two parts that carry the
/// wheels; the carrier of both, the degrees of freedom that take part and all signs are found from
/// the geometry of the reference configuration.
typedef struct lw_gear_def {
    const char *name;
    lw_gear_type type;
    const char *wheel[2]; ///< links, or frames of links ("shaft.wheel"): their origin is the centre
    const char *carrier;  ///< of a planetary gear alone: the link that carries the planets, however
                          ///< many; those are no parts
    double size[2]; ///< pitch radii in m, or numbers of teeth: only their ratio counts, but for
                    ///< a rack, whose pinion has a radius and whose second size is not used
    bool has_radii; ///< the sizes are radii, not teeth; without, radii that follow from the
                    ///< geometry are used where a force at the teeth is requested
    int hand;       ///< of a worm: 1 right-handed, -1 left-handed
    lw_role role;
    lw_location location;
} lw_gear_def;

/// A motor without a placement: an inertia that rotates about its own shaft, and what limits it.
/// Its shaft becomes a degree of freedom of the tree that no link is connected to; through the axes
/// that it is connected with it follows the joints, and its inertia is felt there by the square of
/// the ratio. Where a joint is marked dependent the drive is independent instead, and its
/// coordinate stands in q. The first drive at the axis of a joint that has only limits, and neither
/// inertia, damping, friction nor a reference, needs no shaft: its degree of freedom is that of the
/// joint.
///
/// In the direction in which it rotates, a motor gives the least of max_force, of the line from
/// stall_force at rest to nothing at no_load_velocity, and of its curve; against that direction,
/// as much as at rest. lw_limit_drives() holds forces within that, and so do simulations.
///
/// The inertia is about the shaft alone: no weight, and none of the gyroscopic moments that a rotor
/// has which is carried around. A rotor that is to have those is a link with a joint of its own,
/// and gears between links (lw_gear_def).
typedef struct lw_drive_def {
    const char *name;
    double inertia;      ///< of the rotor about its shaft, kg m^2; of a linear motor kg; 0
    double max_force;    ///< peak, N m or N; inf
    double max_velocity; ///< rad/s or m/s; inf
    double damping;      ///< viscous, N m s/rad or N s/m
    double friction;     ///< Coulomb, N m or N
    double reference;    ///< position of the shaft in the reference configuration

    double stall_force;      ///< at rest, N m or N; inf; with no_load_velocity, or neither
    double no_load_velocity; ///< rad/s or m/s; inf
    double continuous_force; ///< root mean square that it bears for long, N m or N; inf
    int ncurve;              ///< numbers of the curve, 4 to 2000, or 0
    const double *curve;     ///< [ncurve] speed, effort, ... with rising speeds from 0 on, joined
                             ///< by straight lines; beyond the last there is nothing
    lw_location location;
} lw_drive_def;

enum { LW_MAX_AXES = 16 }; ///< of a gearbox, on each side

typedef enum lw_gearbox_form {
    LW_GEARBOX_RATIO = 0, ///< in = N out: 100 is a hundred revolutions of `in` for one of `out`
    LW_GEARBOX_MATRIX = 1 ///< out = A in, from motors to joints
} lw_gearbox_form;

/// Gears between axes, as drives and joints expose them: one ratio, or a matrix for a differential.
/// It has neither placement nor carrier; its signs are those of its numbers.
typedef struct lw_gearbox_def {
    const char *name;
    lw_gearbox_form form;
    int nin, nout;             ///< axes on each side, 1 to LW_MAX_AXES; 1, 1
    const double *coefficient; ///< [nin*nout] N row by row for each `in`, or A row by row for each
                               ///< `out`; rad/rad, rad/m ...; null for a ratio of 1
    lw_location location;
} lw_gearbox_def;

/// A spring, a damper, or both: a line between two frame ports (lw_add_spring), or a twist between
/// two axes (lw_add_torsion): an elastic shaft, the stiffness of a gear, or a spring along a joint.
///
/// With x the distance of the ports, or the position of axis `in` less that of axis `out`, the
/// stretch is s = x - free, less half of the backlash on either side, and the force
///
///   F = preload + law(s) + damping * dx/dt
///
/// pulls the ports together, or rotates `in` back and `out` on. A spring that pushes has a negative
/// force. An end of a torsion that is connected with nothing rests. Of a contact with a plane
/// (LW_SPRING_NORMAL) x is the height of its second port above the plane, and the force is along
/// the normal, z of its first port, without friction.
///
/// Where a spring acts on one side only, or has backlash, its force begins at zero: no preload, and
/// law(0) = 0. Outside of its range it has no damping either, and within no more damping than
/// elastic force, so that it neither pulls on the wrong side nor begins by a jump.
typedef struct lw_spring_def {
    const char *name;
    lw_law law;                ///< LW_LAW_POLYNOMIAL or LW_LAW_TABLE
    int ncoefficient;          ///< of a polynomial 0 to 16, 0 for a damper alone
    const double *coefficient; ///< [ncoefficient] c0, c1, ...: {0, c} is a linear spring;
                               ///< of a table: s0, F0, s1, F1, ... with rising s, 4 to 2000 numbers
    double preload;            ///< N or N m; 0
    double free;               ///< m or rad; NAN takes x in the reference configuration
    double damping;            ///< viscous, N s/m or N m s/rad; 0
    double backlash;           ///< the whole play, m or rad; 0
    double loss;       ///< of a torsion: friction at `out`, as a share of its own torque; 0 to 1; 0
    double loss_speed; ///< rad/s: the friction is loss * |F| * tanh(speed of `out` / loss_speed)
    lw_spring_side side;
    lw_spring_along along; ///< of a spring; the free height above a plane is 0 where it is NAN
    lw_role role;          ///< a torsion belongs to the transmission unless its role is structural
    lw_location location;
} lw_spring_def;

/// A dependent degree of freedom as a function of another one: q_i = f(q_k).
typedef struct lw_coupling_def {
    const char *name;          ///< may be null
    const char *dependent;     ///< joint, or joint.dof for joints of several
    const char *source;        ///< likewise; may be dependent itself
    lw_law law;                ///< a polynomial
    int ncoefficient;          ///< of a polynomial, 1 to 16: 2 for a linear law
    const double *coefficient; ///< [ncoefficient] c0, c1, ...
                               ///< of a table: x0, y0, x1, y1, ... with rising x, 4 to 2000 numbers
    lw_coupling_function function; ///< of LW_LAW_FUNCTION
    lw_location location;
} lw_coupling_def;

/// A constant force and torque at the frame that its port a is connected to.
typedef struct lw_load_def {
    const char *name;
    lw_axes axes;          ///< that both are given along
    lw_vec3 force, torque; ///< N, N m
    lw_location location;
} lw_load_def;

/// A wheel that rolls on the ground, at the frame that its port a is connected to: its centre. The
/// joint that carries the link is its axle. It has neither mass nor shape of its own: those of the
/// link count.
typedef struct lw_wheel_def {
    const char *name;
    lw_vec3 axis;  ///< of the axle, in the frame; a positive speed rolls along axis x up; (0, 1, 0)
    double radius; ///< to where it touches the ground, m
    double width;  ///< along the axle, m; 0
    double section; ///< radius of its cross section, that of a torus, m; 0: a disc
    double roller;  ///< from the axle to the axes of rollers on its rim, where they touch the
                    ///< ground, about its upward normal: pi/2 of an omni wheel, +-pi/4 of a
                    ///< mecanum wheel (front left and rear right usually +); 0: no rollers
    bool driven;    ///< a motor turns the axle; true
    lw_steering steering;
    lw_location location;
} lw_wheel_def;

/// A shape on a link or on the ground. It has no mass; linkwork/collide.h finds contacts.
typedef struct lw_shape_def {
    const char *name; ///< may be null
    lw_shape_role role;
    lw_shape_type type;
    lw_vec3 size;           ///< m, or the scale of a mesh; as lw_shape_type has it
    lw_placement placement; ///< from port a of the link
    const char *mesh;       ///< path as written in the file
    const char *mesh_file;  ///< where that file was found, or null
    const lw_mesh *data;    ///< what it holds, or null where it was not read; copied
    int bound;              ///< shape of the same link that encloses this one, or -1
    bool is_convex;         ///< of a mesh: its convex hull is meant
    bool has_color;         ///< false: whoever draws it chooses one
    lw_color color;
    lw_location location;
} lw_shape_def;

/// Definitions with the values that the comments of their fields name, and zeros elsewhere.
LW_API lw_ground_def lw_default_ground_def(void);
LW_API lw_link_def lw_default_link_def(void);
LW_API lw_joint_def lw_default_joint_def(void);
LW_API lw_rod_def lw_default_rod_def(void);
LW_API lw_gear_def lw_default_gear_def(void);
LW_API lw_drive_def lw_default_drive_def(void);
LW_API lw_gearbox_def lw_default_gearbox_def(void);
LW_API lw_coupling_def lw_default_coupling_def(void);
LW_API lw_load_def lw_default_load_def(void);
LW_API lw_wheel_def lw_default_wheel_def(void);
LW_API lw_spring_def lw_default_spring_def(void);
LW_API lw_shape_def lw_default_shape_def(void);

// --- Making and editing -----------------------------------------------------------------------

/// An empty description. LW_ERR_MEMORY if allocation fails. Free with lw_mech_destroy().
LW_API lw_status lw_mech_create(const char *name, lw_mech **mech);

/// A description that is used as an assembly lives until the last of its users is destroyed.
LW_API void lw_mech_destroy(lw_mech *mech);

/// Its name; empty for null.
LW_API const char *lw_mech_name(const lw_mech *mech);

/// Each returns part -1 if allocation fails, the description is frozen, or an argument is null.
LW_API lw_part lw_add_ground(lw_mech *mech, const lw_ground_def *def);
LW_API lw_part lw_add_link(lw_mech *mech, const lw_link_def *def);
LW_API lw_part lw_add_joint(lw_mech *mech, const lw_joint_def *def);
LW_API lw_part lw_add_load(lw_mech *mech, const lw_load_def *def);
LW_API lw_part lw_add_wheel(lw_mech *mech, const lw_wheel_def *def);
LW_API lw_part lw_add_rod(lw_mech *mech, const lw_rod_def *def);
LW_API lw_part lw_add_drive(lw_mech *mech, const lw_drive_def *def);

/// Likewise; part -1 also where the number of coefficients is out of range.
LW_API lw_part lw_add_spring(lw_mech *mech, const lw_spring_def *def);
LW_API lw_part lw_add_torsion(lw_mech *mech, const lw_spring_def *def);

/// Likewise; part -1 also where the numbers of axes are out of range.
LW_API lw_part lw_add_gearbox(lw_mech *mech, const lw_gearbox_def *def);

/// Adds a named frame, a B port, to a link or to the ground. Tool points, sensors, cameras and
/// mount points are frames. Port -1 as above.
LW_API lw_port lw_add_frame(lw_mech *mech, lw_part part, const char *name,
                            const lw_placement *placement, lw_location location);

/// Adds a shape to a link or to the ground; returns its number there, or -1 as above.
LW_API int lw_add_shape(lw_mech *mech, lw_part part, const lw_shape_def *def);

/// Replaces the collision meshes of the links of a description, but not those of its assemblies, by
/// fits. What stands inside of such a mesh, terrain, and meshes that were not read stay as they
/// are.
/// @param report a warning for each mesh whose slack was not reached, and which is kept; may be
/// null
/// @param count  meshes that were replaced; may be null
/// @return LW_ERR_FROZEN, LW_ERR_MEMORY, or as lw_fit_mesh()
LW_API lw_status lw_fit_shapes(lw_mech *mech, const lw_fit_options *options, lw_report *report,
                               int *count);

/// Ties degrees of freedom that parts have, by their names; parts may be added later.
/// LW_ERR_ARGUMENT, LW_ERR_FROZEN or LW_ERR_MEMORY; a definition that is bad is left to the
/// compile.
LW_API lw_status lw_add_coupling(lw_mech *mech, const lw_coupling_def *def);
LW_API lw_status lw_add_gear(lw_mech *mech, const lw_gear_def *def);

/// Makes `inside` one part of `mech`; part -1 as above. Its parts get names that begin with
/// "name/"; they are reached through its gateways only. From then on `inside` cannot be edited, and
/// many assemblies may share it. A ground within it stands for the place where it is mounted, and
/// so does its only root where it has no ground: that place is port a.
LW_API lw_part lw_add_assembly(lw_mech *mech, const char *name, lw_mech *inside,
                               lw_location location);

/// Marks all parts of an assembly as those of the transmission, or to the structure.
/// LW_ERR_ARGUMENT for what is no assembly or no role, LW_ERR_FROZEN; so for the two below.
LW_API lw_status lw_set_assembly_role(lw_mech *mech, lw_part assembly, lw_role role);

/// The level of detail of an assembly and of all within it that have none of their own; part -1 is
/// the description itself. The options of lw_compile() come before all descriptions, and what an
/// outer description has before what an inner one has.
LW_API lw_status lw_set_level(lw_mech *mech, lw_part assembly, lw_level level);

/// The same by name, for an assembly at any depth, "arm/wrist"; the compile reports a name that
/// there is not.
LW_API lw_status lw_choose_level(lw_mech *mech, const lw_level_choice *choice,
                                 lw_location location);

/// Makes a port of a part a gateway: a port of every assembly made of this description.
/// LW_ERR_PORT_UNKNOWN, LW_ERR_NAME for a name that is empty, "a" or taken, LW_ERR_FROZEN.
LW_API lw_status lw_expose(lw_mech *mech, lw_port port, const char *gateway);

/// Finds a part by its kind and name; part -1 if there is none.
LW_API lw_part lw_find_part(const lw_mech *mech, const char *name, lw_part_kind kind);

/// Handles of the parts are 0 .. count - 1, those of removed parts too.
LW_API int lw_get_part_count(const lw_mech *mech);

/// LW_PART_REMOVED where the part was removed or there is none.
LW_API lw_part_kind lw_get_part_kind(const lw_mech *mech, lw_part part);

/// The name of a part, also of one that was removed; empty where there is none. Borrowed from the
/// description.
LW_API const char *lw_get_part_name(const lw_mech *mech, lw_part part);

/// Where a part is described. Parts within assemblies have the names of these before their own,
/// "left/wrist/hand". All zeros where there is none, line 0 where calls made it. Borrowed from the
/// description.
LW_API lw_location lw_locate_part(const lw_mech *mech, const char *name, lw_part_kind kind);

/// The port of a part by its name; port -1 if there is none.
LW_API lw_port lw_port_of(const lw_mech *mech, lw_part part, const char *name);

/// The port that "part.port" or "kind:part.port" names, as in files; port -1 if there is none. A
/// frame whose name is unique among all links needs no part.
LW_API lw_port lw_find_port(const lw_mech *mech, const char *name);

/// Joins a B port and an A port, or two axis ports, in either order. A refused connection changes
/// nothing; lw_mech_message() then has the ends and the reason:
///
///   LW_ERR_PORT_KIND       a frame port and an axis port
///   LW_ERR_PORT_BOTH_A     two A ports
///   LW_ERR_PORT_BOTH_B     two B ports
///   LW_ERR_PORT_TAKEN      the A port is connected elsewhere, or the two axis ports are joined
///   already LW_ERR_PORT_SAME_PART  both ports belong to one part LW_ERR_PORT_CYCLE      the B port
///   is connected, at some distance, to the part of the A port LW_ERR_PORT_UNKNOWN    a port that
///   its part does not have LW_ERR_PORT_FOREIGN    a part that this description does not have
///   LW_ERR_PORT_PROTECTED  a name that leads into an assembly (lw_connect_named)
///   LW_ERR_FROZEN          the description is in use as an assembly
LW_API lw_status lw_connect(lw_mech *mech, lw_port one, lw_port other);

/// The same with names as lw_find_port() takes them. A part without a port means its port b where
/// the other end is an A port, its port a where that is a B port, its axis where that is an axis;
/// of two such parts the first carries the second: ("ground", "base_link") connects ground.b with
/// base_link.a.
LW_API lw_status lw_connect_named(lw_mech *mech, const char *one, const char *other);

/// Takes a connection apart; LW_ERR_PORT_FREE where there is none between the two.
LW_API lw_status lw_disconnect(lw_mech *mech, lw_port one, lw_port other);

/// The same with names as lw_connect_named() takes them.
LW_API lw_status lw_disconnect_named(lw_mech *mech, const char *one, const char *other);

/// The definition of a part, as it was added or set last. Texts and arrays are borrowed from the
/// description until the part is set again. LW_ERR_ARGUMENT where the part is of another kind.
/// lw_get_spring_def() serves springs and torsions.
LW_API lw_status lw_get_ground_def(const lw_mech *mech, lw_part part, lw_ground_def *def);
LW_API lw_status lw_get_link_def(const lw_mech *mech, lw_part part, lw_link_def *def);
LW_API lw_status lw_get_joint_def(const lw_mech *mech, lw_part part, lw_joint_def *def);
LW_API lw_status lw_get_load_def(const lw_mech *mech, lw_part part, lw_load_def *def);
LW_API lw_status lw_get_wheel_def(const lw_mech *mech, lw_part part, lw_wheel_def *def);
LW_API lw_status lw_get_rod_def(const lw_mech *mech, lw_part part, lw_rod_def *def);
LW_API lw_status lw_get_drive_def(const lw_mech *mech, lw_part part, lw_drive_def *def);
LW_API lw_status lw_get_gearbox_def(const lw_mech *mech, lw_part part, lw_gearbox_def *def);
LW_API lw_status lw_get_spring_def(const lw_mech *mech, lw_part part, lw_spring_def *def);

/// Another definition for a part: masses, inertias, friction, limits, placements. The name, the
/// connections and the handle stay; the name in `def` is not used, nor is a location without a
/// file. A definition that is bad changes nothing, and lw_mech_message() has the reason:
///
///   LW_ERR_ARGUMENT    a part of another kind, or one that was removed
///   LW_ERR_PORT_TAKEN  a port that is connected would be no port, or a port of another side
///   LW_ERR_FROZEN      the description is in use as an assembly
///
/// and what lw_compile() would report of such a definition by itself. Takes no memory, except where
/// a curve, a ratio or a law has more numbers than before. A model sees the change when it is
/// compiled again: lw_compile(), lw_machine_commit().
LW_API lw_status lw_set_ground_def(lw_mech *mech, lw_part part, const lw_ground_def *def);
LW_API lw_status lw_set_link_def(lw_mech *mech, lw_part part, const lw_link_def *def);
LW_API lw_status lw_set_joint_def(lw_mech *mech, lw_part part, const lw_joint_def *def);
LW_API lw_status lw_set_load_def(lw_mech *mech, lw_part part, const lw_load_def *def);
LW_API lw_status lw_set_wheel_def(lw_mech *mech, lw_part part, const lw_wheel_def *def);
LW_API lw_status lw_set_rod_def(lw_mech *mech, lw_part part, const lw_rod_def *def);
LW_API lw_status lw_set_drive_def(lw_mech *mech, lw_part part, const lw_drive_def *def);
LW_API lw_status lw_set_gearbox_def(lw_mech *mech, lw_part part, const lw_gearbox_def *def);
LW_API lw_status lw_set_spring_def(lw_mech *mech, lw_part part, const lw_spring_def *def);

/// Another placement for a frame that lw_add_frame() made; what is wrong with it is reported by the
/// compile. LW_ERR_PORT_UNKNOWN for a port that is no frame, LW_ERR_FROZEN.
LW_API lw_status lw_set_frame_placement(lw_mech *mech, lw_port frame,
                                        const lw_placement *placement);

/// The number of the description that a name means, read and set: those of linkwork/parameters.h
/// for a joint's placements, axes and pitch, for frames and for a rod's length; LINK.mass,
/// LINK.center.x, LINK.inertia.xx; ROD.mass; JOINT.damping, friction, stiffness, rotor_inertia,
/// lower, upper; DRIVE.inertia, damping, friction, max_force, max_velocity; GEARBOX.ratio, ratio12;
/// GEAR.size1, size2, ratio; COUPLING.c0, c1; SPRING.stiffness, preload, free, damping, backlash.
/// Parts within assemblies have the names of these before their own, "left/wrist/hand.mass": what
/// is set there holds for this one assembly, whatever others are made of the same description.
/// LW_ERR_UNSUPPORTED for others; LW_ERR_FROZEN.
LW_API lw_status lw_get_parameter(lw_mech *mech, const char *name, double *value);
LW_API lw_status lw_set_parameter(lw_mech *mech, const char *name, double value);

/// Which of its two ways a loop closes that has a closed form, +1 or -1: the rod or the closing
/// joint by its name, within assemblies as lw_set_parameter() has it. LW_ERR_UNSUPPORTED where
/// there is none, LW_ERR_ARGUMENT for another number; LW_ERR_FROZEN.
LW_API lw_status lw_set_branch(lw_mech *mech, const char *name, int branch);

/// Removes a part with its frames, shapes and connections. What was connected to it is free. Its
/// handle is never used again: functions report it as a part that was removed. Its memory is freed
/// with the description.
///
///   LW_ERR_ARGUMENT    there is no such part, or it was removed already
///   LW_ERR_PORT_TAKEN  a gateway, a gear or a coupling names it; lw_mech_message() has its name
///   LW_ERR_FROZEN      the description is in use as an assembly
LW_API lw_status lw_remove_part(lw_mech *mech, lw_part part);

/// Removes a gear by its name, and a coupling by its dependent degree of freedom. LW_ERR_NAME where
/// there is none, LW_ERR_FROZEN.
LW_API lw_status lw_remove_gear(lw_mech *mech, const char *name);
LW_API lw_status lw_remove_coupling(lw_mech *mech, const char *dependent);

/// The forms in which joints can be placed; linkwork XML writes each as it is.
typedef enum lw_joint_form {
    LW_FORM_TRANSFORM = 0, ///< homogeneous transforms
    LW_FORM_ZERO = 1,      ///< axes and points at the zero position: the product of exponentials
    LW_FORM_PAUL = 2,      ///< Denavit-Hartenberg rows: Rz(theta) Tz(d) Tx(a) Rx(alpha)
    LW_FORM_CRAIG = 3      ///< Denavit-Hartenberg rows: Rx(alpha) Tx(a) Rz(theta) Tz(d)
} lw_joint_form;

/// Brings the joints of a description into one form, wherever possible; coordinates and named
/// frames stay where they are. The two forms of rows move link frames onto the axes, and add frames
/// named "dh" where a row begins at no frame that is there. Joints that must stay transforms, and
/// assemblies, which keep their joints' forms, are listed in the report, a warning each.
/// LW_ERR_ARGUMENT, LW_ERR_FROZEN; LW_ERR_MEMORY, after which the description may be used no more.
LW_API lw_status lw_set_joint_form(lw_mech *mech, lw_joint_form form, lw_report *report);

/// Why the last call on this description was refused, in words; empty when it was not.
LW_API const char *lw_mech_message(const lw_mech *mech);

#ifdef __cplusplus
}
#endif
#endif
