// What the readers and writers of the formats are given, and what they give.
#ifndef LWI_FORMAT_H
#define LWI_FORMAT_H

#include <linkwork/io.h>

#include "xml.h"
#include "xml_text.h"

/// The files of one load: those read and those that wait for others. See load.c.
typedef struct lwi_loader lwi_loader;

/// What a reader knows of the file that it reads.
typedef struct lwi_load_context {
    const char *file;               ///< as diagnostics name it
    const char *folder;             ///< where references of the file start
    const lw_load_options *options; ///< never null
    lwi_loader *loader;
} lwi_load_context;

// A reader makes a description of a document. It goes on after an error where it can. On failure
// *mech is null and the report tells why. The root element is already known to be of its format.
lw_status lwi_native_read(lwi_xml_doc *doc, const lwi_load_context *context, lw_mech **mech,
                          lw_report *report);
lw_status lwi_urdf_read(lwi_xml_doc *doc, const lwi_load_context *context, lw_mech **mech,
                        lw_report *report);

// A writer adds a whole file to `out`, with a warning for everything that its format cannot hold.
lw_status lwi_native_write(const lw_mech *mech, lwi_text *out, lw_report *report);

/// Reports what no format can hold, as an enumerator that there is not; the status of that.
lw_status lwi_refuse_unwritable(const lw_mech *mech, lw_report *report);
lw_status lwi_urdf_write(const lw_mech *mech, lwi_text *out, lw_report *report);

/// Gives the description in another model file, of any format, that the file of this context names
/// at `place`. The description is the loader's and lives until the load ends: make an assembly of
/// it, and do not destroy it. The same file gives the same description each time.
///
/// Nothing recurses here: a file that has not been read yet gives LW_ERR_STAGE, without a
/// diagnostic. The reader then goes on (so that all its files get known), and returns any failure
/// at its end; the loader reads those files and calls the reader anew with the same document,
/// forgetting what it had reported. Every other failure has been reported: a missing file, one with
/// errors, one that leads out of the model's folders, files that mount each other in a circle (the
/// message names the chain), and files nested deeper than LWI_MAX_NESTING.
lw_status lwi_load_nested(const lwi_load_context *context, const char *reference,
                          lw_location location, lw_mech **mech, lw_report *report);

enum { LWI_MAX_NESTING = 16 };

/// Finds the mesh that a shape names, and reads it: def->mesh_file is the path where it lies, or
/// null, and def->data what it holds, or null; both are valid until the load ends. A missing or bad
/// mesh is a warning at `location`, once a file.
/// @param data where def->data points to
lw_status lwi_find_mesh(const lwi_load_context *context, lw_shape_def *def, lw_location location,
                        lw_mesh *data, lw_report *report);

#endif
