// Diagnostic the files that a model file names, and only where it may look.
#define _XOPEN_SOURCE 700 // realpath()

#include "file.h"

#include "xml_text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// One search: the first file that is found and may be read ends it.
typedef struct search {
    const lw_load_options *options;
    const char *folder; ///< of the model file
    char *base;         ///< the same, links followed; null where it does not exist
    char *root;         ///< the model's folder: base, or the package it lies in
    char *meshes;       ///< "meshes" beside the folder of the file; null where there is none
    char *path;         ///< what was found
    bool is_outside;    ///< something was found that may not be read
    bool is_lacking;    ///< the package was found without the file
    bool is_short;
} search;

static char *join(search *s, const char *folder, const char *rest)
{
    lwi_text text = {0};
    lwi_text_add(&text, folder);
    lwi_text_add(&text, "/");
    lwi_text_add(&text, rest);
    s->is_short |= text.is_short;
    if (text.is_short) {
        lwi_text_free(&text);
    }
    return text.at;
}

// A path with all links followed; null where there is no such file.
static char *real_path(search *s, const char *path)
{
    char *real = realpath(path, NULL);
    s->is_short |= !real && errno == ENOMEM;
    return real;
}

// Both with all links followed.
static bool is_inside(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    if (strcmp(folder, "/") == 0) {
        return true;
    }
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool is_inside_path(search *s, const char *real)
{
    bool is_found = false;
    for (int i = 0; i < s->options->npath && !is_found; ++i) {
        char *folder = real_path(s, s->options->path[i]);
        is_found = folder && is_inside(real, folder);
        free(folder);
    }
    return is_found;
}

static bool is_done(const search *s)
{
    return s->path || s->is_short;
}

// Takes folder/rest if it is there and lies in a folder that may be read; `package` is one more
// such folder, or null.
static void try_file(search *s, const char *folder, const char *rest, const char *package)
{
    char *joined = is_done(s) ? NULL : join(s, folder, rest);
    char *real = joined ? real_path(s, joined) : NULL;
    free(joined);
    if (!real) {
        return;
    }
    if ((s->root && is_inside(real, s->root)) || (package && is_inside(real, package)) ||
        (s->meshes && is_inside(real, s->meshes)) || is_inside_path(s, real)) {
        s->path = real;
        return;
    }
    s->is_outside = true;
    free(real);
}

static bool is_there(search *s, const char *folder, const char *rest)
{
    char *name = join(s, folder, rest);
    const bool is_found = name && access(name, F_OK) == 0;
    free(name);
    return is_found;
}

static bool holds_package_file(search *s, const char *folder)
{
    return is_there(s, folder, "package.xml");
}

// Cuts the last part off a real path; false at the top.
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || (slash == path && slash[1] == '\0')) {
        return false;
    }
    slash[slash == path ? 1 : 0] = '\0';
    return true;
}

// The model's folder is the package around the file, so that its ../meshes are inside. Where no
// package.xml says which folder that is, as after a copy, only folders "meshes" above are read:
// urdf/arm.urdf, meshes/a.stl.
static void find_root(search *s)
{
    enum { LEVELS = 4 }; // a robot's file lies rarely deeper in its package
    s->base = real_path(s, s->folder);
    char *up = s->base ? strdup(s->base) : NULL;
    s->root = s->base ? strdup(s->base) : NULL;
    s->is_short |= s->base && (!up || !s->root);
    for (int i = 0; i < LEVELS && up && s->root && !is_done(s); ++i) {
        if (up[1] != '\0' && holds_package_file(s, up)) { // the whole disk is no package
            strcpy(s->root, up);                          // never longer than the folder itself
            break;
        }
        char *meshes = s->meshes || i == 0 ? NULL : join(s, up, "meshes");
        s->meshes = meshes ? real_path(s, meshes) : s->meshes;
        free(meshes);
        if (!go_up(up)) {
            break;
        }
    }
    free(up);
}

// Tries `package` as the folder of a package, if it is one: inside the model's folder any folder
// is, elsewhere it must say so.
static void try_package(search *s, const char *package, const char *rest)
{
    char *real = is_done(s) ? NULL : real_path(s, package);
    const bool is_package = real && ((s->root && is_inside(real, s->root)) ||
                                     is_inside_path(s, real) || holds_package_file(s, real));
    if (is_package) {
        try_file(s, real, rest, real);
    }
    // A folder of that name around the model is the package too, even if it does not say so.
    if (is_package || (real && s->base && is_inside(s->base, real))) {
        s->is_lacking |= !is_there(s, real, rest);
    }
    free(real);
}

static bool has_name(const char *folder, const char *name)
{
    const char *slash = strrchr(folder, '/');
    return strcmp(slash ? slash + 1 : folder, name) == 0;
}

static void try_package_in(search *s, const char *folder, const char *name, const char *rest)
{
    if (has_name(folder, name)) {
        try_package(s, folder, rest);
    }
    char *inner = is_done(s) ? NULL : join(s, folder, name);
    if (inner) {
        try_package(s, inner, rest);
    }
    free(inner);
}

// A path that climbs above where it starts.
static bool is_climbing(const char *path)
{
    int depth = 0;
    while (*path) {
        const size_t length = strcspn(path, "/");
        if (length == 2 && path[0] == '.' && path[1] == '.') {
            --depth;
        } else if (length > 0 && !(length == 1 && path[0] == '.')) {
            ++depth;
        }
        if (depth < 0) {
            return true;
        }
        path += length + (path[length] == '/');
    }
    return false;
}

// `address` is NAME/rest and is cut in two here.
static void find_in_package(search *s, char *address)
{
    char *slash = strchr(address, '/');
    if (!slash) {
        return;
    }
    *slash = '\0';
    const char *name = address, *rest = slash + 1;
    if (is_climbing(name) || is_climbing(rest)) {
        s->is_outside = true;
        return;
    }
    char *up = *name && s->base ? strdup(s->base) : NULL;
    s->is_short |= *name && s->base && !up;
    while (up && !is_done(s)) {
        try_package_in(s, up, name, rest);
        if (!go_up(up)) {
            break;
        }
    }
    free(up);
    for (int i = 0; i < s->options->npath && *name; ++i) {
        try_package_in(s, s->options->path[i], name, rest);
    }
    // A package whose folder was renamed, or "package:///rest".
    static const char usual[] = "meshes/";
    if (s->meshes && strncmp(rest, usual, sizeof usual - 1) == 0) {
        try_file(s, s->meshes, rest + sizeof usual - 1, NULL);
    }
    if (s->root) {
        try_file(s, s->root, rest, NULL);
    }
    for (int i = 0; i < s->options->npath; ++i) {
        try_file(s, s->options->path[i], rest, NULL);
    }
}

static void find_plain(search *s, const char *path)
{
    if (path[0] == '/') {
        try_file(s, "", path + 1, NULL);
        return;
    }
    try_file(s, s->folder, path, NULL);
    for (int i = 0; i < s->options->npath; ++i) {
        try_file(s, s->options->path[i], path, NULL);
    }
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// "%20" and the like, as addresses have them. A zero byte ends no name here: it is left as it is.
static void decode(char *address)
{
    char *to = address;
    for (const char *from = address; *from; ++from) {
        const int high = *from == '%' ? hex_value(from[1]) : -1;
        const int low = high >= 0 ? hex_value(from[2]) : -1;
        if (low >= 0 && 16 * high + low > 0) {
            *to++ = (char)(16 * high + low);
            from += 2;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
}

const char *lwi_package_part(const char *reference)
{
    static const char *const package[] = {"package://", "model://"};
    for (size_t i = 0; i < sizeof package / sizeof *package; ++i) {
        const size_t length = strlen(package[i]);
        if (strncmp(reference, package[i], length) == 0) {
            return reference + length;
        }
    }
    return NULL;
}

static void find(search *s, const char *reference)
{
    static const char file[] = "file://";
    const char *part = lwi_package_part(reference);
    if (part) {
        char *address = strdup(part);
        s->is_short |= !address;
        if (address) {
            decode(address);
            find_in_package(s, address);
        }
        free(address);
        return;
    }
    if (strncmp(reference, file, sizeof file - 1) == 0) {
        const char *rest = reference + sizeof file - 1;
        rest += strncmp(rest, "localhost/", 10) == 0 ? 9 : 0;
        char *address = strdup(rest);
        s->is_short |= !address;
        if (address) {
            decode(address);
            find_plain(s, address);
        }
        free(address);
        return;
    }
    // Any other scheme is no file.
    if (!strstr(reference, "://")) {
        find_plain(s, reference);
    }
}

lwi_found lwi_find_file(const char *folder, const lw_load_options *options, const char *reference,
                        char **path)
{
    search s = {.options = options, .folder = folder};
    *path = NULL;
    find_root(&s);
    if (!s.is_short && *reference) {
        find(&s, reference);
    }
    free(s.meshes);
    free(s.base);
    free(s.root);
    if (s.is_short) {
        free(s.path);
        return LWI_FOUND_SHORT;
    }
    *path = s.path;
    return s.path         ? LWI_FOUND
           : s.is_outside ? LWI_FOUND_OUTSIDE
           : s.is_lacking ? LWI_FOUND_LACKING
                          : LWI_FOUND_NOT;
}
