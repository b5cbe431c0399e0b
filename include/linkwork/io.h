// linkwork/io.h: reading and writing model files. The only part of the library that needs expat.
//
// Stable. Real-time safe only where stated; thread safe by const (linkwork/base.h).
#ifndef LINKWORK_IO_H
#define LINKWORK_IO_H

#include <linkwork/configure.h>
#include <linkwork/mech.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lw_format {
    LW_FORMAT_UNKNOWN = 0,  ///< none; cannot be written
    LW_FORMAT_LINKWORK = 1, ///< linkwork XML
    LW_FORMAT_URDF = 2
} lw_format;

typedef struct lw_load_options {
    /// Folders, besides the file's own, in which package:// addresses, meshes and mounted files may
    /// lie. Paths that lead out of all of them are refused.
    const char *const *path;
    int npath;
} lw_load_options;

/// No further folders.
LW_API lw_load_options lw_default_load_options(void);

/// Reads a description from a file; its format is detected from its content. Goes on after an error
/// where it can, so that the report holds all of them; what it does not use is reported as a
/// warning. On failure *mech is null; else it is freed with lw_mech_destroy().
/// @param options null for the default
LW_API lw_status lw_load_file(const char *path, const lw_load_options *options, lw_mech **mech,
                              lw_report *report);

/// The same from memory. `name` stands for the file in diagnostics; its folder is where mounted
/// files and meshes are looked for.
LW_API lw_status lw_load_text(const char *name, const char *text, size_t size,
                              const lw_load_options *options, lw_mech **mech, lw_report *report);

/// Writes a description, whole or not at all. What the format cannot hold is listed in the report,
/// a warning each.
LW_API lw_status lw_save_file(const lw_mech *mech, lw_format format, const char *path,
                              lw_report *report);

/// The same into memory.
/// @param text ends with a zero and is freed with lw_text_free(); null on failure
/// @param size its length without that zero
LW_API lw_status lw_save_text(const lw_mech *mech, lw_format format, char **text, size_t *size,
                              lw_report *report);

// --- Specifications -----------------------------------------------------------------------------

/// Reads a specification (linkwork/configure.h, docs/howto/configure.md) from a file. Goes on after
/// an error, so that the report holds all of them; on failure *spec is null. The path must outlive
/// the specification, whose diagnostics name it.
LW_API lw_status lw_spec_load(const char *path, lw_spec **spec, lw_report *report);

/// The same from memory; `name` stands for the file in diagnostics.
LW_API lw_status lw_spec_load_text(const char *name, const char *text, size_t size, lw_spec **spec,
                                   lw_report *report);

/// Adds the rules of a file to those that a specification is checked by.
LW_API lw_status lw_rules_load(lw_spec *spec, const char *path, lw_report *report);

/// The same from memory.
LW_API lw_status lw_rules_load_text(lw_spec *spec, const char *name, const char *text, size_t size,
                                    lw_report *report);

// --- SRDF --------------------------------------------------------------------------------------

/// A pair of links whose collisions are not checked.
typedef struct lw_disabled_pair {
    const char *link[2];
    const char *reason; ///< "Adjacent", "Never", "Default", "User", ...; may be empty
    lw_location location;
} lw_disabled_pair;

/// A named configuration of a group of joints.
typedef struct lw_group_state {
    const char *name, *group;
    int njoint;
    const char *const *joint; ///< [njoint]
    const double *position;   ///< [njoint]
    lw_location location;
} lw_group_state;

/// What is used of an SRDF file: the pairs that it disables, and its named configurations.
typedef struct lw_srdf {
    const char *robot; ///< its name
    int npair;
    const lw_disabled_pair *pair; ///< [npair]
    int nstate;
    const lw_group_state *state; ///< [nstate]
} lw_srdf;

/// Reads an SRDF file: its `disable_collisions`, and each `group_state` with joints of one
/// position. The other elements, and pairs that do not name two links, are reported as not used. On
/// failure *srdf is null; else it is freed with lw_srdf_destroy().
LW_API lw_status lw_srdf_load(const char *path, lw_srdf **srdf, lw_report *report);
LW_API void lw_srdf_destroy(lw_srdf *srdf);

/// Writes pairs as an SRDF file, whole or not at all. Configurations are not written.
LW_API lw_status lw_srdf_save(const lw_srdf *srdf, const char *path, lw_report *report);

/// The same into memory, as lw_save_text() does.
LW_API lw_status lw_srdf_save_text(const lw_srdf *srdf, char **text, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
