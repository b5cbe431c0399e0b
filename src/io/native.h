// Reading linkwork XML. docs/reference/format.md describes the format; here is how its reader is
// divided:
//
//   native_grammar.c  which elements and attributes there are
//   native_values.c   placements, angles, words
//   native_scope.c    the parts of one description, and what is connected to what
//   native_zero.c     joints given by their zero position
//   native_kinds.c    the table of the elements of parts
//   native_fields.c   attributes by that table
//   native_joint.c    joints
//   native_shape.c    shapes
//   native_gear.c     gears
//   native_level.c    levels of detail
//   native_axes.c     the axes that drives, gearboxes and torsions are joined with
//   native_include.c  parts of other files, taken into this one
//   native_read.c     the rest: the file, its assemblies, frames, couplings, gateways
#ifndef LWI_NATIVE_H
#define LWI_NATIVE_H

#include "../base/arena.h"
#include "../base/name_table.h"
#include "../base/report.h"
#include "../parts/parts.h"
#include "format.h"

/// The end of a message that may name the nearest known word: three texts for "%s%s%s".
#define LWI_MEANT(nearest)                                                                         \
    (nearest).best ? "; did you mean \"" : "", (nearest).best ? (nearest).best : "",               \
        (nearest).best ? "\"?" : ""

/// An assembly that the file defines.
typedef struct lwi_native_assembly {
    lwi_xml_node *node;
    lw_mech *inside; ///< held by the reader until it is done; null while it has not been read
    bool is_used;
} lwi_native_assembly;

typedef struct lwi_native_reader {
    const lwi_load_context *context;
    lw_report *report;
    lwi_arena arena;  ///< all that lives only while the file is read
    lw_status status; ///< the first failure
    bool in_degrees;  ///< angles of this file are degrees
    lwi_names assembly_names;
    lwi_native_assembly *assembly;
    int nassembly;
    int nsuggestion; ///< how often a name was looked for among all names; it is not done forever
} lwi_native_reader;

/// Remembers a failure and returns whether all is well with this one.
bool lwi_native_good(lwi_native_reader *reader, lw_status status);

/// Likewise, for what returns null or -1 if allocation fails.
bool lwi_native_has_memory(lwi_native_reader *reader, bool is_there, lw_location location);

/// The only child of this tag, or null; a second one is reported.
lwi_xml_node *lwi_native_only(lwi_native_reader *reader, lwi_xml_node *node, const char *tag);

/// Reports every element, attribute and text that the format does not have.
lw_status lwi_native_check_grammar(lwi_xml_node *root, lw_report *report);

/// The attributes of an element and the elements that may stand in it, each list ended by a null;
/// null where there is no such element.
const char *const *lwi_native_attributes(const char *tag);
const char *const *lwi_native_children(const char *tag);

/// Whether the tag is that of a shape.
bool lwi_native_is_shape(const char *tag);

// --- Values -----------------------------------------------------------------------------------

/// The angle in radians that a number of this file means.
double lwi_native_angle(const lwi_native_reader *reader, double value);

/// Whether an attribute is there.
bool lwi_native_has(lwi_xml_node *node, const char *attr);

/// The placement that the attributes of an element give; *out is left as it is where there are
/// none.
lw_status lwi_native_placement(lwi_native_reader *reader, lwi_xml_node *node, lw_placement *out);

lw_status lwi_native_vector(lwi_native_reader *reader, lwi_xml_node *node, const char *attr,
                            bool is_needed, lw_vec3 *out);

/// The number of the word that an attribute holds; -1 where it is missing or, reported, unknown.
/// Words end with a null.
int lwi_native_word(lwi_native_reader *reader, lwi_xml_node *node, const char *attr,
                    const char *const *words);

// --- References -------------------------------------------------------------------------------

typedef lwi_port_ref lwi_native_ref;

// --- The parts of one description -------------------------------------------------------------

typedef struct lwi_native_part {
    lwi_xml_node *node; ///< null for a part of an included file, which is whole already
    lw_part_kind kind;
    const char *name;
    lw_part part;               ///< in the description; -1 while, or because, it is not there
    lwi_native_ref feeder;      ///< the B port that its port a is connected to
    lw_location hung_at;        ///< where the file says so
    const lw_pose *zero[2];     ///< of a joint given by its zero position: before and after
    const lwi_zero_form *given; ///< of such a joint too
    lw_joint_type type;         ///< of a joint
    bool has_type;              ///< and that it is known
    bool is_closing;            ///< likewise
} lwi_native_part;

/// A connection of an A port that is not the port a of its part.
typedef struct lwi_native_link {
    lwi_native_ref b, a;
    lw_location at;
    struct lwi_native_link *next;
} lwi_native_link;

enum { LWI_NATIVE_SEVERAL = -2 }; ///< parts that have a frame of the same name

typedef struct lwi_native_scope {
    lwi_native_reader *reader;
    lwi_xml_node *node; ///< <linkwork> or <assembly>
    lw_mech *mech;
    lwi_native_part *part; ///< in the order of the file
    int npart;
    lwi_names names[LWI_KIND_COUNT];
    lwi_names frames;     ///< by short name: the number of the part, or LWI_NATIVE_SEVERAL
    lwi_names frame_keys; ///< by part and name: the number of the frame
    lwi_xml_node **frame;
    int nframe;
    lwi_native_link *link; ///< the last first
    bool has_zero;         ///< some joint is given by its zero position
} lwi_native_scope;

/// Lists the parts of a scope and finds what each is connected to. Memory comes from the reader's
/// arena.
void lwi_native_collect(lwi_native_scope *scope);

/// What an attribute refers to, with `default_port` where it names a part alone. Part -1, reported,
/// where there is no such thing.
lwi_native_ref lwi_native_find(lwi_native_scope *scope, lwi_xml_node *node, const char *attr,
                               const char *default_port, lw_location *at);

/// The same for a text that stands at a place.
lwi_native_ref lwi_native_find_text(lwi_native_scope *scope, const char *text,
                                    const char *default_port, lw_location at);

/// The port in the description; port -1, reported, where the part has none of that name. Where the
/// part itself could not be made nothing more is said.
lw_port lwi_native_port(lwi_native_scope *scope, lwi_native_ref ref, lw_location at);

/// The frame of a link or of the ground, or null.
lwi_xml_node *lwi_native_frame(const lwi_native_scope *scope, int part, const char *name);

/// Takes included files into the description, and does what this file says of their parts.
void lwi_native_include(lwi_native_scope *scope);

/// Whether all names may be looked through once more for one that was meant.
bool lwi_native_may_suggest(lwi_native_reader *reader);

/// Places the joints that are given by their zero position.
void lwi_native_place_zero(lwi_native_scope *scope);

// --- Definitions ------------------------------------------------------------------------------

/// The axes and the pitch of a joint, as far as its type has them; others get a warning.
void lwi_native_joint_axes(lwi_native_reader *reader, lwi_xml_node *node, bool needs_pitch,
                           lw_joint_def *def);

/// The type of a joint. False, reported, where it is not one.
bool lwi_native_joint_type(lwi_native_reader *reader, lwi_xml_node *node, lw_joint_type *type);

/// Where the joint frame and port b of a joint are that is not given by its zero position. Nothing
/// is reported while the reader's report is null.
lw_status lwi_native_joint_placements(lwi_native_reader *reader, lwi_xml_node *node,
                                      lw_placement *before, lw_placement *after);

void lwi_native_add_joint(lwi_native_scope *scope, lwi_native_part *part);
void lwi_native_add_assembly(lwi_native_scope *scope, lwi_native_part *part);
void lwi_native_add_frames(lwi_native_scope *scope, lwi_native_part *part);
void lwi_native_add_gears(lwi_native_scope *scope);

/// How many axes a side of a gearbox has: as many as `list` names, or as `count` says, or one; 0,
/// reported, where that is out of range.
int lwi_native_count_axes(lwi_native_reader *reader, lwi_xml_node *node, const char *list,
                          const char *count);

/// Joins the axes that drives and gearboxes name.
void lwi_native_connect_axes(lwi_native_scope *scope);

/// Whether a joint, a drive or a gearbox of this file may have an axis port of that name.
bool lwi_native_is_axis(const lwi_native_part *part, const char *port);

/// The role of a part, and the level of an assembly, that an element says.
lw_role lwi_native_role(lwi_native_reader *reader, lwi_xml_node *node);
lw_level lwi_native_level(lwi_native_reader *reader, lwi_xml_node *node);

/// The level of the description itself, and those it chooses for assemblies within.
void lwi_native_add_levels(lwi_native_scope *scope);

/// What an element says of the degrees of freedom of a joint, on top of what its definition has.
void lwi_native_read_dofs(lwi_native_reader *reader, lwi_xml_node *node, lw_joint_def *def);
void lwi_native_add_shapes(lwi_native_scope *scope, lwi_native_part *part);

#endif
