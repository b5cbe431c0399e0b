// Mesh files that a model names: found, and looked into for faults.
#include "file.h"
#include "loader.h"

#include "../base/array.h"
#include "../base/report.h"
#include "../geom/mesh.h"
#include "../parts/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of one load, so that it stays quick.
enum {
    MOST_MESH_BYTES = 128 * 1024 * 1024, // looked into
    MOST_LOST = 500                      // searched for in vain
};

// A mesh that lies is refused; any other fault is a warning, as the machine moves without meshes.
static lw_status check_bytes(lwi_mesh_kind kind, const char *bytes, size_t size,
                             const char *reference, lw_place place, lw_report *report)
{
    char clip[LWI_CLIP_SIZE], line[32] = "";
    lwi_mesh_fault fault;
    if (lwi_mesh_read(kind, bytes, size, NULL, &fault) == LW_OK) {
        return LW_OK;
    }
    if (fault.line) {
        snprintf(line, sizeof line, ", line %d", fault.line);
    }
    lw_report_add(report, fault.is_lie ? LW_ERROR : LW_WARNING, fault.is_lie ? LW_ERR_FILE : LW_OK,
                  LW_DIAG_MESH_INVALID, place, "mesh \"%s\"%s: %s", lwi_clip(reference, clip), line,
                  fault.text);
    return fault.is_lie ? LW_ERR_FILE : LW_OK;
}

static lw_status look_into(lwi_loader *loader, const char *reference, const char *path,
                           lw_place place, lw_report *report)
{
    char clip[LWI_CLIP_SIZE], *bytes = NULL;
    size_t size = 0;
    if (!lwi_is_regular_file(path)) {
        return lwi_report_error(report, place, LW_ERR_FILE,
                                "mesh \"%s\" is a folder, a device or a pipe, not a file",
                                lwi_clip(reference, clip));
    }
    const lwi_mesh_kind kind = lwi_mesh_kind_of(path);
    if (kind == LWI_MESH_OTHER || loader->mesh_bytes > MOST_MESH_BYTES) {
        return LW_OK;
    }
    lw_status status = lwi_read_file(path, LWI_MESH_FILE_LIMIT, place, &bytes, &size, NULL);
    if (status == LW_ERR_LIMIT) {
        lwi_report_note(report, place, LW_DIAG_MESH_UNCHECKED,
                        "mesh \"%s\" is large and was not looked into", lwi_clip(reference, clip));
        status = LW_OK;
    } else if (status == LW_ERR_FILE) {
        lwi_report_warning(report, place, LW_DIAG_MESH_UNREADABLE, "mesh \"%s\" cannot be read",
                           lwi_clip(reference, clip));
        status = LW_OK;
    } else if (status == LW_OK) {
        loader->mesh_bytes += size;
        status = check_bytes(kind, bytes, size, reference, place, report);
    }
    free(bytes);
    return status;
}

// Finds and checks a mesh that was not asked for before.
static lw_status find_new(const lwi_load_context *context, const char *reference, lw_place place,
                          const char **kept, lw_report *report)
{
    lwi_loader *loader = context->loader;
    char clip[LWI_CLIP_SIZE], *path = NULL;
    lw_status status = LW_OK;
    if (loader->nmesh_lost >= MOST_LOST) {
        return LW_OK;
    }
    switch (lwi_find_file(context->folder, context->options, reference, &path)) {
    case LWI_FOUND:
        status = look_into(loader, reference, path, place, report);
        if (status == LW_OK) {
            *kept = lwi_arena_text(&loader->arena, path, strlen(path));
            status = *kept ? LW_OK : LW_ERR_MEMORY;
        }
        break;
    case LWI_FOUND_NOT:
        lwi_report_warning(report, place, LW_DIAG_MESH_MISSING, "mesh \"%s\" is not found%s",
                           lwi_clip(reference, clip),
                           ++loader->nmesh_lost < MOST_LOST ? ""
                                                            : "; no more meshes are looked for");
        break;
    case LWI_FOUND_OUTSIDE:
        status = lwi_report_error(report, place, LW_ERR_FILE,
                                  "mesh \"%s\" leads out of the model's folder and the folders of "
                                  "the search path",
                                  lwi_clip(reference, clip));
        break;
    case LWI_FOUND_SHORT:
        status = LW_ERR_MEMORY;
        break;
    }
    free(path);
    return status;
}

static bool remember(lwi_loader *loader, const char *key, const char *path, lw_status status)
{
    lwi_mesh_file *mesh =
        lwi_array_reserve(loader->mesh, loader->nmesh, &loader->mesh_room, sizeof *mesh);
    if (!mesh) {
        return false;
    }
    loader->mesh = mesh;
    const char *kept = lwi_arena_text(&loader->arena, key, strlen(key));
    if (!kept || !lwi_names_add(&loader->mesh_names, kept, loader->nmesh)) {
        return false;
    }
    loader->mesh[loader->nmesh++] = (lwi_mesh_file){path, status};
    return true;
}

const char *lwi_find_mesh(const lwi_load_context *context, const char *reference, lw_place place,
                          lw_status *status, lw_report *report)
{
    lwi_loader *loader = context->loader;
    const char *path = NULL;
    lwi_text key = {0};
    *status = LW_ERR_MEMORY;
    lwi_text_add(&key, context->file);
    lwi_text_add(&key, "\n");
    lwi_text_add(&key, reference);
    if (key.is_short) {
        goto done;
    }
    const int known = lwi_names_find(&loader->mesh_names, key.at);
    if (known >= 0) {
        *status = loader->mesh[known].status;
        path = loader->mesh[known].path;
        goto done;
    }
    *status = find_new(context, reference, place, &path, report);
    if (*status != LW_ERR_MEMORY && !remember(loader, key.at, path, *status)) {
        *status = LW_ERR_MEMORY;
        path = NULL;
    }

done:
    lwi_text_free(&key);
    return path;
}
