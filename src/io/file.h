// Files whole: reading them within a limit, writing them whole or not at all, and diagnostic the
// files that a model file names.
#ifndef LWI_FILE_H
#define LWI_FILE_H

#include <linkwork/io.h>

enum {
    LWI_MODEL_FILE_LIMIT = 128 * 1024 * 1024, ///< bytes of a model file
    LWI_MESH_FILE_LIMIT = 64 * 1024 * 1024    ///< bytes of a mesh that is looked into
};

/// Reads a regular file whole; a zero follows the last byte and is not counted. Devices, pipes,
/// folders and files over the limit are refused without being read. Errors stand at `place`, or at
/// the file itself where that has no file. Free *text with free().
lw_status lwi_read_file(const char *path, size_t limit, lw_location location, char **text,
                        size_t *size, lw_report *report);

/// Whether this is a file, and not a folder, a device or a pipe.
bool lwi_is_regular_file(const char *path);

/// Writes a file whole or not at all: under another name beside it, which then takes its place. On
/// failure nothing is left behind and an older file stays as it was.
lw_status lwi_write_file(const char *path, const char *text, size_t size, lw_report *report);

/// The folder part of a path, "." where it has none; NULL if allocation fails. Free with free().
char *lwi_folder_of(const char *path);

typedef enum lwi_found {
    LWI_FOUND,         ///< *path is where
    LWI_FOUND_NOT,     ///< there is no such file
    LWI_FOUND_LACKING, ///< nor is it in the folder of its package, which is there
    LWI_FOUND_OUTSIDE, ///< it leads out of the folders that may be read
    LWI_FOUND_SHORT    ///< memory was short
} lwi_found;

/// The NAME/rest of package://NAME/rest or model://NAME/rest; null for any other reference.
const char *lwi_package_part(const char *reference);

/// Finds what a reference in a model file means:
///
///   package://NAME/rest  (or model://) in the folder NAME inside or beside the model's folder,
///   upward,
///                        or inside a folder of options->path; outside these only a folder that
///                        holds a package.xml counts
///   file:///rest         that file
///   anything else        from the model's folder, then from each folder of options->path
///
/// What is found must lie, links followed, in the model's folder (the nearest one above the file
/// that holds a package.xml, else the file's own), in such a package, or in a folder of
/// options->path. Free *path with free(); it is null unless LWI_FOUND.
lwi_found lwi_find_file(const char *folder, const lw_load_options *options, const char *reference,
                        char **path);

#endif
