// Writing linkwork XML: native_write.c walks the description, native_write_parts.c writes its
// parts.
#ifndef LWI_NATIVE_WRITE_H
#define LWI_NATIVE_WRITE_H

#include "native.h"

/// A description that is written as a named assembly.
typedef struct lwi_native_inside {
    const lw_mech *mech;
    const char *name;
} lwi_native_inside;

typedef struct lwi_native_writer {
    lwi_text *out;
    lw_report *report;
    lw_status status; ///< the first failure
    lwi_arena arena;
    int indent;
    lwi_names inside_names; ///< names that are taken
    lwi_names known;        ///< insides by their address, as text
    lwi_native_inside *inside;
    int ninside, inside_room;
} lwi_native_writer;

/// What the parts of one description need to know of each other.
typedef struct lwi_native_out {
    lwi_native_writer *writer;
    const lw_mech *mech;
    int *carries;   ///< [npart] of a joint: the part that it names in "to", or -1
    bool *is_named; ///< [npart] a joint names it so
    lwi_zero_poses zero;
} lwi_native_out;

/// Opens a line with its indent and "<tag".
void lwi_native_open(lwi_native_writer *writer, const char *tag);

/// A number or several as an attribute; one that is not finite cannot be written and is reported.
void lwi_native_attr_numbers(lwi_native_writer *writer, const char *attr, const double *value,
                             int count, lw_location location);

/// The placement as attributes; nothing for the identity.
void lwi_native_attr_placement(lwi_native_writer *writer, const lw_placement *placement,
                               lw_location location);

/// A port as an attribute, in the shortest form that means it and no other.
void lwi_native_attr_port(const lwi_native_out *out, const char *attr, lw_port port,
                          const char *default_port);

/// The role of a part and the level of an assembly as attributes, where they are said.
void lwi_native_attr_role(lwi_native_writer *writer, lw_role role);
void lwi_native_attr_level(lwi_native_writer *writer, lw_level level);

/// The name under which an inside is written.
const char *lwi_native_inside_name(const lwi_native_writer *writer, const lw_mech *inside);

void lwi_native_write_part(const lwi_native_out *out, int part);

#endif
