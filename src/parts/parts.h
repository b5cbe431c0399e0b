// The description as it is stored. The compiler and the writers read it; only src/parts changes it.
#ifndef LWI_PARTS_H
#define LWI_PARTS_H

#include <linkwork/mech.h>

#include "../base/arena.h"
#include "../base/name_table.h"
#include "../base/report.h"
#include "../math/joint_types.h"

enum { LWI_FIRST_KIND = LW_PART_GROUND, LWI_KIND_COUNT = LW_PART_WHEEL + 1 };

/// Port numbers that every part of a kind has; frames, gateways, axes of gearboxes and the several
/// axes of a joint follow from LWI_PORT_FIRST_FRAME.
enum {
    LWI_PORT_A, ///< of every part but the ground and what has axes only
    LWI_PORT_B, ///< of ground, link and joint; a second A port of rods, springs and closing joints
    LWI_PORT_AXIS, ///< of a joint and of a drive
    LWI_PORT_FIRST_FRAME
};

/// A named frame on a link or on the ground.
typedef struct lwi_part_frame {
    const char *name;
    lw_placement placement;
    lw_location location;
    int next; ///< next frame of the same part, or -1
    int port; ///< its port number
    int part;
} lwi_part_frame;

/// A shape on a link or on the ground.
typedef struct lwi_shape {
    lw_shape_def def;
    int next; ///< next shape of the same part, or -1
    int part;
} lwi_shape;

/// Whether a port is an A port, a B port or an axis port.
typedef enum lwi_port_side { LWI_SIDE_A, LWI_SIDE_B, LWI_SIDE_AXIS, LWI_SIDE_NONE } lwi_port_side;

/// A gateway: a port of the inside that is a port of the assembly.
typedef struct lwi_gateway {
    const char *name;
    lw_port port;
    lwi_port_side side; ///< of the port it stands for, at whatever depth that is
} lwi_gateway;

/// A connection of an A port that is not its part's port a: an A gateway of an assembly.
typedef struct lwi_connection {
    lw_port b, a;
} lwi_connection;

/// Two axis ports that rotate as one.
typedef struct lwi_axis_link {
    lw_port one, other;
} lwi_axis_link;

/// A joint by its zero position, in the base frame; its own frame is parallel to the base there.
typedef struct lwi_zero_form {
    lw_vec3 point;
    lw_placement link; ///< of what it carries
} lwi_zero_form;

/// Any part. Its handle is its index in lw_mech.part, which is never used again: a part that is
/// removed keeps its place and its name, and becomes LW_PART_REMOVED.
typedef struct lwi_part {
    lw_part_kind kind;
    void *def; ///< lw_link_def and so on, by as_link() and so on; lwi_assembly of an assembly
    const char *name;
    lw_location location;
    lw_port feeder;  ///< the B port that its port a is connected to; part -1 while it is free
    lw_port feeder2; ///< the same for the second A port of a rod, a spring or a closing joint
    int set;         ///< another part of the same tree, or itself: union-find, for cycles
    int first_frame, last_frame, nframe;
    int *frames;     ///< [nframe] its frames by port, with capacity for the next power of two
    bool is_exposed; ///< its port a is a gateway
    int first_shape, last_shape, nshape;
    lw_role role;
    lw_level level;            ///< of an assembly
    const lwi_zero_form *zero; ///< of a joint that is given so, else null
} lwi_part;

/// A level for an assembly that may be further inside.
typedef struct lwi_level_choice {
    const char *assembly;
    lw_level level;
    lw_location location;
} lwi_level_choice;

typedef struct lwi_assembly {
    lw_mech *inside;
    int *connection; ///< [gateways of the inside] lw_mech.connection of an A gateway + 1, or 0
} lwi_assembly;

#define LWI_ARRAY(type)                                                                            \
    struct {                                                                                       \
        type *at;                                                                                  \
        int count, room;                                                                           \
    }

struct lw_mech {
    lwi_arena arena; ///< texts and name tables
    const char *name;
    int users;         ///< assemblies that share it, its maker, and copies
    lw_mech *original; ///< of a copy (own_inside.c), which borrows its texts; else NULL
    bool is_frozen;
    int ground; ///< part, or -1
    int root;   ///< part of the tree that is the mechanism where there is no ground and other trees
                ///< are left out; -1 for the only tree

    LWI_ARRAY(lwi_part) part;
    int nassembly; ///< parts that are assemblies
    LWI_ARRAY(lwi_part_frame) frame;
    LWI_ARRAY(lwi_shape) shape;
    LWI_ARRAY(lw_coupling_def) coupling;
    LWI_ARRAY(lw_gear_def) gear;
    LWI_ARRAY(lwi_gateway) gateway;
    LWI_ARRAY(lwi_connection) connection;
    LWI_ARRAY(lwi_level_choice) choice;
    lw_level level; ///< of itself, where nothing around it says another
    LWI_ARRAY(lwi_axis_link) axis_link;
    bool sets_are_stale; ///< a disconnection has made the union-find too coarse

    lwi_names names[LWI_KIND_COUNT]; ///< of the parts of each kind
    lwi_names frame_names;           ///< frame + 1 by short name; 0 where it stands twice
    lwi_names part_frames;           ///< frame by "12.name", the number of its part before it
    lwi_names gateway_names;
    lwi_names mesh_names; ///< shape by the file of its mesh
    bool has_slash;       ///< a part's name looks as if it were inside an assembly

    // What the assemblies hold once they are opened, and the bytes of names that takes. Insides
    // cannot be edited, so these are sums.
    long long inside_items, inside_bytes;
    long long name_bytes; ///< of the parts here

    char message[4096]; ///< why the last call was refused; capacity for two ports with long names
    int suggestions;    ///< how often a "did you mean" was looked for
    lw_mech *next_to_free;
    lw_location last_location; ///< its file name is kept, and most places share it
};

// The definition of a part, by its kind.
static inline const lw_ground_def *as_ground(const lwi_part *part)
{
    return part->def;
}

static inline const lw_link_def *as_link(const lwi_part *part)
{
    return part->def;
}

static inline const lw_joint_def *as_joint(const lwi_part *part)
{
    return part->def;
}

static inline const lw_load_def *as_load(const lwi_part *part)
{
    return part->def;
}

static inline const lw_wheel_def *as_wheel(const lwi_part *part)
{
    return part->def;
}

static inline const lw_rod_def *as_rod(const lwi_part *part)
{
    return part->def;
}

static inline const lwi_assembly *as_assembly(const lwi_part *part)
{
    return part->def;
}

static inline const lw_drive_def *as_drive(const lwi_part *part)
{
    return part->def;
}

static inline const lw_gearbox_def *as_gearbox(const lwi_part *part)
{
    return part->def;
}

static inline const lw_spring_def *as_spring(const lwi_part *part)
{
    return part->def;
}

/// Degrees of freedom of a joint; 0 where a user joint has no number that makes sense.
int lwi_joint_nv(const lw_joint_def *joint);

// --- The table of kinds -----------------------------------------------------------------------

/// What a definition is checked with. Messages begin with `what` and "name".
typedef struct lwi_check {
    lw_report *report;
    const lw_mech *mech;
    const lwi_part *part;
    const char *what, *name;
    lw_location location;
} lwi_check;

/// What a kind of part is. Definitions begin with their name.
typedef struct lwi_kind_row {
    const char *name; ///< for messages, and before the colon of "joint:NAME"
    size_t size;      ///< of its definition
    size_t location;  ///< offset of lw_location in it
    size_t role;      ///< offset of lw_role, or 0

    /// Numbers that the definition points to, and that are copied: offset of the pointer, or 0, how
    /// many there are, and the range that can be copied in words. A count of -1 is out of that
    /// range.
    size_t numbers;
    int (*count)(const void *def);
    const char *range;

    /// The ports that every part of the kind has, by number; no name: none.
    struct {
        const char *name;
        lwi_port_side side;
    } port[LWI_PORT_FIRST_FRAME];

    /// Axis ports from LWI_PORT_FIRST_FRAME on, by name; null beyond the last.
    const char *(*axis)(const void *def, int i);
    bool carries_frames;             ///< frames and shapes
    bool has_axes_only;              ///< it is connected to axes alone, and to no frame
    bool is_leaf;                    ///< it hangs on one B port, and carries nothing
    bool is_closer;                  ///< it is connected to two B ports, and carries nothing
    bool can_be_root;                ///< other parts can be connected to it
    bool is_transmission;            ///< it belongs to the transmission unless its role is given
    double (*mass)(const void *def); ///< or null

    void (*validate)(const lwi_check *check, const void *def);
} lwi_kind_row;

/// The row of a kind; that of LW_PART_REMOVED where there is no such kind.
const lwi_kind_row *lwi_kind_row_of(lw_part_kind kind);

/// Mass of a part by itself, kg.
double lwi_part_mass(const lwi_part *part);

/// The part of a handle, or null where there is none or it was removed.
const lwi_part *lwi_part_at(const lw_mech *mech, lw_part part);

/// Reports everything that is wrong with the definitions of a description by themselves. What needs
/// the whole mechanism is left to the passes of the compile.
void lwi_validate(const lw_mech *mech, lw_report *report);

// --- Ports ------------------------------------------------------------------------------------

/// The name of a port, for messages and files: "a", "b", "axis", a frame's or a gateway's name.
const char *lwi_port_name(const lw_mech *mech, lw_port port);

lwi_port_side lwi_port_side_of(const lw_mech *mech, lw_port port);

/// A port by its part's number and its own name.
typedef struct lwi_port_ref {
    int part;         ///< -1: none
    const char *port; ///< borrowed from the text, or the default
} lwi_port_ref;

/// Where names are looked up: in the parts of a file that is read, or in a description. So all
/// agree on what a text means.
typedef struct lwi_port_lookup {
    const void *context;
    int (*find)(const void *context, const char *name, lw_part_kind kind);
    bool (*has_port)(const void *context, int part, const char *port);
} lwi_port_lookup;

/// The longest part name that fits wins, and among kinds the first of ground, link, joint, load,
/// rod, assembly, ... that has the port; "joint:NAME" requests one kind.
/// @param default_port of a part without a port; null: such a text means no port
lwi_port_ref lwi_resolve_port(const lwi_port_lookup *lookup, const char *text,
                              const char *default_port);

/// The part of a description by kind and name, or -1; a lwi_port_lookup.find over a lw_mech.
int lwi_find_part_of_kind(const void *mech, const char *name, lw_part_kind kind);

/// The part by which an assembly is connected, its port a: its ground, or its only root; -1 where
/// it has neither or several roots.
int lwi_mech_base(const lw_mech *mech);

/// The first part from `begin` on that is connected to nothing and to which others may be
/// connected; -1 for none.
int lwi_find_root(const lw_mech *mech, int begin);

/// Where the frames of links and the ports b of joints are with every joint at zero, from the
/// ground, or from the root of each tree.
typedef struct lwi_zero_poses {
    lw_pose *X;     ///< [npart]
    bool *is_known; ///< [npart] false for assemblies, and for what is connected to them
    int *order;     ///< [npart] the parts, feeders first
} lwi_zero_poses;

/// False if allocation fails.
bool lwi_find_zero_poses(const lw_mech *mech, lwi_arena *arena, lwi_zero_poses *zero);

/// The pose of the port that a part is connected to; false where that is not known.
bool lwi_zero_feeder(const lw_mech *mech, const lwi_zero_poses *zero, int part, lw_pose *X);

/// Marks a joint as given by its zero position, which before and after agree with. False when
/// memory is short.
bool lwi_set_zero_form(lw_mech *mech, int part, const lwi_zero_form *form);

/// Whether a joint is given by its zero position, and is there still.
bool lwi_has_zero_form(const lw_mech *mech, const lwi_zero_poses *zero, int part);

/// The words for the degrees of freedom of a joint, by type: "x", "angle"; empty where the joint's
/// own name serves. `positions` requests position coordinates, else velocities.
const char *lwi_dof_suffix(lw_joint_type type, int nv, int i, bool positions, char text[16]);

/// Which degree of freedom of a joint an axis port is; -1 where the joint has several and the port
/// does not tell, or has none that an axis could carry.
int lwi_axis_dof(const lw_joint_def *joint, int port);

/// Axes of a joint, a drive, a gearbox or a torsion.
int lwi_axis_count(const lwi_part *part);

/// Whether the part is made of axes alone, and is connected to nothing: a drive, a gearbox or a
/// torsion.
bool lwi_has_axes_only(lw_part_kind kind);

/// Whether the part hangs on one port and carries nothing: a load or a wheel.
bool lwi_is_leaf(lw_part_kind kind);

/// Whether the part is connected to two ports and carries nothing: rods and closing joints, which
/// close loops, and springs.
bool lwi_is_closer(const lwi_part *part);

/// Whether all four numbers are from 0 to 1.
static inline bool lwi_is_color(const lw_color *c)
{
    return c->r >= 0.0 && c->r <= 1.0 && c->g >= 0.0 && c->g <= 1.0 && c->b >= 0.0 && c->b <= 1.0 &&
           c->a >= 0.0 && c->a <= 1.0;
}

/// The frame of this name on a part, as an index into mech->frame; -1 if there is none.
int lwi_find_frame_of(const lw_mech *mech, int part, const char *name);

/// Parts, frames, shapes, couplings and gears with all assemblies opened, and the bytes of their
/// names; very large numbers stop growing.
long long lwi_mech_items(const lw_mech *mech);
long long lwi_mech_name_bytes(const lw_mech *mech);

/// The gateway of the inside that a port of an assembly stands for; null for port a.
const lwi_gateway *lwi_gateway_of(const lw_mech *inside, int port);

#endif
