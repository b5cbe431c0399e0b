// Mesh files that a model names: found, and looked into for faults.
#include "file.h"
#include "loader.h"

#include "../base/array.h"
#include "../base/report.h"
#include "../geom/mesh_check.h"
#include "../parts/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of one load, so that it stays quick.
enum {
    MOST_MESH_BYTES = 128 * 1024 * 1024, // looked into
    MOST_LOST = 500,                     // searched for in vain
    MOST_POINTER_BYTES = 1024            // of a file in place of a mesh, by Git LFS
};

// False if allocation fails.
static bool count_fault(lwi_loader *loader, int which, const char *reference, lw_location location)
{
    lwi_mesh_tally *tally = &loader->tally[which];
    if (tally->count++ == 0) {
        tally->first = lwi_arena_text(&loader->arena, reference, strlen(reference));
        tally->location = location;
    }
    return tally->first != NULL;
}

static lw_status check_surface(lwi_loader *loader, const lwi_mesh *mesh, bool is_array,
                               const char *reference, lw_location location)
{
    const lw_mesh view = lwi_mesh_view(mesh);
    const lwi_mesh_surface surface = lwi_mesh_check(&view);
    const bool has[LWI_MESH_TALLIES] = {
        [LWI_MESH_EMPTY] = mesh->ntriangle == 0 && !is_array,
        [LWI_MESH_DEGENERATE] = surface.ndegenerate > 0,
        [LWI_MESH_OPEN] = surface.is_open && !mesh->is_terrain,
        [LWI_MESH_INSIDE_OUT] = !surface.is_open && (surface.is_mixed || surface.volume < 0.0)};
    bool is_counted = true;
    for (int i = LWI_MESH_EMPTY; i < LWI_MESH_TALLIES; ++i) {
        is_counted = is_counted && (!has[i] || count_fault(loader, i, reference, location));
    }
    return is_counted ? LW_OK : LW_ERR_MEMORY;
}

// Kinematics and dynamics need no mesh: whatever is wrong with one is a warning. LW_ERR_FILE for a
// mesh that cannot be used.
static lw_status take_bytes(lwi_loader *loader, lwi_mesh_kind kind, const char *bytes, size_t size,
                            const char *reference, lw_location location, lwi_mesh *mesh,
                            lw_report *report)
{
    char clip[LWI_CLIP_SIZE], line[32] = "";
    lwi_mesh_fault fault;
    lw_status status = lwi_mesh_read(kind, bytes, size, mesh, &fault);
    if (status == LW_OK) {
        status = lwi_mesh_weld(mesh);
        status = status == LW_OK
                     ? check_surface(loader, mesh, kind == LWI_MESH_NPY, reference, location)
                     : status;
    }
    if (status == LW_OK || status == LW_ERR_MEMORY || status == LW_ERR_UNSUPPORTED) {
        return status == LW_ERR_MEMORY ? status : LW_OK;
    }
    if (fault.line) {
        snprintf(line, sizeof line, ", line %d", fault.line);
    }
    lwi_report_warning(report, location, LW_DIAG_MESH_INVALID, "mesh \"%s\"%s: %s",
                       lwi_clip(reference, clip), line, fault.text);
    return LW_ERR_FILE;
}

// LW_ERR_FILE for a mesh that cannot be used, which was reported.
static lw_status look_into(lwi_loader *loader, const char *reference, const char *path,
                           lw_location location, lwi_mesh *mesh, lw_report *report)
{
    char clip[LWI_CLIP_SIZE], *bytes = NULL;
    size_t size = 0;
    if (!lwi_is_regular_file(path)) {
        lwi_report_warning(report, location, LW_DIAG_MESH_UNREADABLE,
                           "mesh \"%s\" is a folder, a device or a pipe, not a file",
                           lwi_clip(reference, clip));
        return LW_ERR_FILE;
    }
    const lwi_mesh_kind kind = lwi_mesh_kind_of(path);
    if (loader->mesh_bytes > MOST_MESH_BYTES) {
        return LW_OK;
    }
    const size_t limit = kind == LWI_MESH_OTHER ? MOST_POINTER_BYTES : LWI_MESH_FILE_LIMIT;
    lw_status status = lwi_read_file(path, limit, location, &bytes, &size, NULL);
    if (status == LW_ERR_LIMIT && kind == LWI_MESH_OTHER) {
        status = LW_OK;
    } else if (status == LW_ERR_LIMIT) {
        lwi_report_note(report, location, LW_DIAG_MESH_UNCHECKED,
                        "mesh \"%s\" is large and was not looked into", lwi_clip(reference, clip));
        status = LW_OK;
    } else if (status == LW_ERR_FILE) {
        lwi_report_warning(report, location, LW_DIAG_MESH_UNREADABLE, "mesh \"%s\" cannot be read",
                           lwi_clip(reference, clip));
    } else if (status == LW_OK) {
        loader->mesh_bytes += size;
        status = take_bytes(loader, kind, bytes, size, reference, location, mesh, report);
    }
    free(bytes);
    return status;
}

static lw_status add_lost(lwi_loader *loader, const char *reference, lw_location location,
                          bool has_package)
{
    lwi_lost_mesh *lost =
        lwi_array_reserve(loader->lost, loader->nlost, &loader->lost_room, sizeof *lost);
    loader->lost = lost ? lost : loader->lost;
    const char *kept = lwi_arena_text(&loader->arena, reference, strlen(reference));
    if (!lost || !kept) {
        return LW_ERR_MEMORY;
    }
    lost[loader->nlost++] = (lwi_lost_mesh){kept, location, has_package};
    return LW_OK;
}

// Finds and checks a mesh that was not requested before.
static lw_status find_new(const lwi_load_context *context, const char *reference,
                          lw_location location, lwi_found_mesh *kept, lw_report *report)
{
    lwi_loader *loader = context->loader;
    char clip[LWI_CLIP_SIZE], *path = NULL;
    lw_status status = LW_OK;
    if (loader->nlost >= MOST_LOST) {
        return LW_OK;
    }
    const lwi_found found = lwi_find_file(context->folder, context->options, reference, &path);
    switch (found) {
    case LWI_FOUND:
        status = look_into(loader, reference, path, location, &kept->data, report);
        if (status == LW_OK) {
            kept->path = lwi_arena_text(&loader->arena, path, strlen(path));
            status = kept->path ? LW_OK : LW_ERR_MEMORY;
        }
        break;
    case LWI_FOUND_NOT:
    case LWI_FOUND_LACKING:
        status = add_lost(loader, reference, location, found == LWI_FOUND_LACKING);
        break;
    case LWI_FOUND_OUTSIDE:
        lwi_report_warning(report, location, LW_DIAG_MESH_OUTSIDE,
                           "mesh \"%s\" leads out of the model's folder and the folders of the "
                           "search path, and is not read; --path DIR adds a folder",
                           lwi_clip(reference, clip));
        break;
    case LWI_FOUND_SHORT:
        status = LW_ERR_MEMORY;
        break;
    }
    free(path);
    return status == LW_ERR_MEMORY ? status : LW_OK;
}

// Whether one cure would find both.
static bool are_lost_alike(const lwi_lost_mesh *one, const lwi_lost_mesh *other)
{
    const char *p1 = lwi_package_part(one->reference), *p2 = lwi_package_part(other->reference);
    if (!p1 || !p2) {
        return !p1 && !p2;
    }
    const size_t length = strcspn(p1, "/");
    return one->has_package == other->has_package && length == strcspn(p2, "/") &&
           memcmp(p1, p2, length) == 0;
}

// Those like this one with it; none where it was reported with one before.
static void report_lost(const lwi_loader *loader, int i, lw_report *report)
{
    const lwi_lost_mesh *lost = &loader->lost[i];
    char clip[2][LWI_CLIP_SIZE], cure[LWI_CLIP_SIZE + 80], count[48] = "mesh";
    int n = 0;
    for (int k = 0; k < loader->nlost; ++k) {
        const bool is_alike = are_lost_alike(lost, &loader->lost[k]);
        if (is_alike && k < i) {
            return;
        }
        n += is_alike;
    }
    const char *part = lwi_package_part(lost->reference);
    lwi_clip(part ? part : "", clip[0]);
    clip[0][strcspn(clip[0], "/")] = '\0';
    if (!part) {
        snprintf(cure, sizeof cure, "--path DIR adds a folder to search");
    } else if (lost->has_package) {
        snprintf(cure, sizeof cure, "the package \"%s\" is found, but does not contain %s", clip[0],
                 n > 1 ? "them" : "it");
    } else {
        snprintf(cure, sizeof cure, "--path DIR adds a folder that contains the package \"%s\"",
                 clip[0]);
    }
    if (n > 1) {
        snprintf(count, sizeof count, "%d%s meshes, the first", n,
                 loader->nlost < MOST_LOST ? "" : " or more");
    }
    lwi_report_warning(report, lost->location, LW_DIAG_MESH_MISSING, "not found: %s \"%s\"; %s",
                       count, lwi_clip(lost->reference, clip[1]), cure);
}

void lwi_report_meshes(const lwi_loader *loader, lw_report *report)
{
    static const struct {
        lw_diagnostic_code code;
        const char *text;
    } fault[LWI_MESH_TALLIES] = {
        [LWI_MESH_EMPTY] = {LW_DIAG_MESH_EMPTY, "it has no triangles"},
        [LWI_MESH_DEGENERATE] = {LW_DIAG_MESH_DEGENERATE, "it has triangles without area"},
        [LWI_MESH_OPEN] = {LW_DIAG_MESH_OPEN, "it is open: some edges have a triangle on one side "
                                              "only"},
        [LWI_MESH_INSIDE_OUT] = {LW_DIAG_MESH_INSIDE_OUT, "its triangles, or some of them, face "
                                                          "inward"},
    };
    for (int i = 0; i < loader->nlost; ++i) {
        report_lost(loader, i, report);
    }
    for (int i = LWI_MESH_EMPTY; i < LWI_MESH_TALLIES; ++i) {
        const lwi_mesh_tally *tally = &loader->tally[i];
        char clip[LWI_CLIP_SIZE], others[48] = "";
        if (tally->count > 1) {
            snprintf(others, sizeof others, " (and so with %d more meshes)", tally->count - 1);
        }
        if (tally->count > 0) {
            lwi_report_warning(report, tally->location, fault[i].code, "mesh \"%s\": %s%s",
                               lwi_clip(tally->first, clip), fault[i].text, others);
        }
    }
}

static bool remember(lwi_loader *loader, const char *key, const lwi_found_mesh *found)
{
    lwi_found_mesh *mesh =
        lwi_array_reserve(loader->mesh, loader->nmesh, &loader->mesh_room, sizeof *mesh);
    if (!mesh) {
        return false;
    }
    loader->mesh = mesh;
    const char *kept = lwi_arena_text(&loader->arena, key, strlen(key));
    if (!kept || !lwi_names_add(&loader->mesh_names, kept, loader->nmesh)) {
        return false;
    }
    loader->mesh[loader->nmesh++] = *found;
    return true;
}

void lwi_forget_meshes(lwi_loader *loader)
{
    for (int i = 0; i < loader->nmesh; ++i) {
        lwi_mesh_free(&loader->mesh[i].data);
    }
    loader->nmesh = 0;
}

lw_status lwi_find_mesh(const lwi_load_context *context, lw_shape_def *def, lw_location location,
                        lw_mesh *data, lw_report *report)
{
    lwi_loader *loader = context->loader;
    lwi_found_mesh found = {0};
    lwi_text key = {0};
    lw_status status = LW_ERR_MEMORY;
    lwi_text_add(&key, context->file);
    lwi_text_add(&key, "\n");
    lwi_text_add(&key, def->mesh);
    if (key.is_short) {
        goto done;
    }
    const int known = lwi_names_find(&loader->mesh_names, key.at);
    if (known >= 0) {
        status = LW_OK;
        found = loader->mesh[known];
        goto done;
    }
    status = find_new(context, def->mesh, location, &found, report);
    if (status == LW_OK && !remember(loader, key.at, &found)) {
        status = LW_ERR_MEMORY;
    }
    if (status != LW_OK) {
        lwi_mesh_free(&found.data);
        found.path = NULL;
    }

done:
    *data = lwi_mesh_view(&found.data);
    def->mesh_file = found.path;
    def->data = data->nvertex > 0 ? data : NULL;
    lwi_text_free(&key);
    return status;
}
