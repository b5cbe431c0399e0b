// Reading model files and the files that they mount.
//
// Files that mount others wait on a stack, so that nothing recurses: a reader that requests a file
// which has not been read yet fails quietly, that file is read, and the reader is called anew.
#define _XOPEN_SOURCE 700 // realpath()

#include "file.h"
#include "loader.h"

#include "../base/array.h"
#include "../base/report.h"
#include "../parts/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

lw_load_options lw_default_load_options(void)
{
    return (lw_load_options){0};
}

// --- Files of a load --------------------------------------------------------------------------

static const char *keep(lwi_loader *loader, const char *text)
{
    return text ? lwi_arena_text(&loader->arena, text, strlen(text)) : NULL;
}

// Puts a file on the stack, to be read next.
static bool push(lwi_loader *loader, int file)
{
    int *stack =
        lwi_array_reserve(loader->stack, loader->nstack, &loader->stack_room, sizeof *stack);
    if (!stack) {
        return false;
    }
    loader->stack = stack;
    loader->stack[loader->nstack++] = file;
    return true;
}

// A file by its name in diagnostics and by its real path; -1 if allocation fails.
static int add_file(lwi_loader *loader, const char *name, const char *real, int mounted_by)
{
    lwi_file **list =
        lwi_array_reserve(loader->file, loader->nfile, &loader->file_room, sizeof *list);
    if (!list) {
        return -1;
    }
    loader->file = list;
    char *folder = lwi_folder_of(name);
    lwi_file *file = lwi_arena_take(&loader->arena, 1, sizeof *file);
    const char *kept_folder = keep(loader, folder);
    free(folder);
    if (!file || !kept_folder) {
        return -1;
    }
    file->context.file = keep(loader, name);
    file->context.folder = kept_folder;
    file->context.options = &loader->options;
    file->context.loader = loader;
    file->real = keep(loader, real);
    file->mounted_by = mounted_by;
    file->depth = mounted_by < 0 ? 0 : loader->file[mounted_by]->depth + 1;
    if (!file->context.file || !file->real ||
        !lwi_names_add(&loader->file_names, file->real, loader->nfile)) {
        return -1;
    }
    loader->file[loader->nfile] = file;
    return loader->nfile++;
}

// Gives everything back but the first description, which the caller has taken.
static void close_loader(lwi_loader *loader)
{
    for (int i = 0; i < loader->nfile; ++i) {
        lwi_xml_destroy(loader->file[i]->doc);
        lw_mech_destroy(loader->file[i]->mech);
    }
    free(loader->file);
    free(loader->stack);
    lwi_forget_meshes(loader);
    free(loader->mesh);
    free(loader->lost);
    lwi_arena_free(&loader->arena);
}

// --- One file ---------------------------------------------------------------------------------

static lw_status report_root(const lwi_xml_node *root, lw_report *report)
{
    char clip[LWI_CLIP_SIZE];
    static const char *const others[][2] = {{"mujoco", "MJCF, which is not read yet"},
                                            {"sdf", "SDF, which is not read yet"},
                                            {"COLLADA", "a shape, not a mechanism"},
                                            {"run", "a run file; it goes behind --run"},
                                            {"constraints", "a file of constraints; it goes behind "
                                                            "--constraints"},
                                            {"sweep", "a plan; 'linkwork sweep' runs it"},
                                            {"specification", "a specification; 'linkwork "
                                                              "configure' makes its robot"},
                                            {"html", "a web page"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        if (strcmp(root->tag, others[i][0]) == 0) {
            return lwi_report_error(report, root->at, LW_ERR_UNSUPPORTED,
                                    "<%s> is %s; machines are read from linkwork XML and URDF",
                                    others[i][0], others[i][1]);
        }
    }
    return lwi_report_error(report, root->at, LW_ERR_SYNTAX,
                            "the root element is <%s>, neither <linkwork> nor <robot>",
                            lwi_clip(root->tag, clip));
}

static lw_format format_of(const lwi_xml_node *root)
{
    return strcmp(root->tag, "robot") == 0      ? LW_FORMAT_URDF
           : strcmp(root->tag, "linkwork") == 0 ? LW_FORMAT_LINKWORK
                                                : LW_FORMAT_UNKNOWN;
}

static lw_status parse_file(lwi_file *file, lw_report *report)
{
    char *text = NULL;
    size_t size = 0;
    const lw_location nowhere = {NULL, 0, 0};
    lw_status status =
        lwi_read_file(file->context.file, LWI_MODEL_FILE_LIMIT, nowhere, &text, &size, report);
    if (status == LW_OK) {
        status = lwi_xml_parse(file->context.file, text, size, &file->doc, report);
    }
    free(text);
    return status;
}

static lw_status call_reader(lwi_file *file, lw_report *report)
{
    lwi_xml_node *root = lwi_xml_root(file->doc);
    switch (format_of(root)) {
    case LW_FORMAT_URDF:
        return lwi_urdf_read(file->doc, &file->context, &file->mech, report);
    case LW_FORMAT_LINKWORK:
        return lwi_native_read(file->doc, &file->context, &file->mech, report);
    default:
        return report_root(root, report);
    }
}

static void finish(lwi_loader *loader, lwi_file *file, lw_status status)
{
    file->state = LWI_FILE_DONE;
    file->status = status;
    lwi_xml_destroy(file->doc);
    file->doc = NULL;
    --loader->nstack;
}

// Reads the file on top of the stack, or puts files above it that it needs.
static lw_status read_top(lwi_loader *loader, lw_report *report)
{
    const int index = loader->stack[loader->nstack - 1];
    const int height = loader->nstack;
    lwi_file *file = loader->file[index];
    if (file->state == LWI_FILE_DONE) {
        --loader->nstack;
        return LW_OK;
    }
    lw_status status = LW_OK;
    if (!file->doc) {
        status = parse_file(file, report);
        if (status != LW_OK) {
            finish(loader, file, status);
            return status == LW_ERR_MEMORY ? status : LW_OK;
        }
    }
    // Diagnostics of a call that has to be repeated would be told twice.
    lw_report *diagnostics = NULL;
    if (report && lw_report_create(&diagnostics) != LW_OK) {
        return LW_ERR_MEMORY;
    }
    const size_t mesh_bytes = loader->mesh_bytes;
    const int nlost = loader->nlost;
    lwi_mesh_tally tally[LWI_MESH_TALLIES];
    memcpy(tally, loader->tally, sizeof tally);
    file->state = LWI_FILE_WAITING;
    loader->current = index;
    status = call_reader(file, diagnostics);
    if (loader->nstack > height) {
        lw_mech_destroy(file->mech);
        file->mech = NULL;
        // What was told of its meshes is forgotten as well.
        lwi_names_init(&loader->mesh_names, &loader->arena);
        lwi_forget_meshes(loader);
        loader->mesh_bytes = mesh_bytes;
        loader->nlost = nlost;
        memcpy(loader->tally, tally, sizeof tally);
    } else {
        lwi_report_append(report, diagnostics);
        finish(loader, file, status);
    }
    lw_report_destroy(diagnostics);
    return status == LW_ERR_MEMORY ? status : LW_OK;
}

// --- Mounted files ----------------------------------------------------------------------------

// "a.xml -> b.xml -> c.xml", from the first file to this one.
static void add_chain(const lwi_loader *loader, int file, lwi_text *text)
{
    int chain[LWI_MAX_NESTING + 1];
    int count = 0;
    for (; file >= 0 && count <= LWI_MAX_NESTING; file = loader->file[file]->mounted_by) {
        chain[count++] = file;
    }
    while (count > 0) {
        char clip[LWI_CLIP_SIZE];
        lwi_text_add(text, lwi_clip(loader->file[chain[--count]]->context.file, clip));
        lwi_text_add(text, " -> ");
    }
}

static lw_status report_chain(const lwi_loader *loader, const char *reference, lw_location location,
                              lw_status status, const char *why, lw_report *report)
{
    char clip[LWI_CLIP_SIZE];
    lwi_text chain = {0};
    add_chain(loader, loader->current, &chain);
    lwi_report_error(report, location, status, "%s: %s%s", why, chain.at ? chain.at : "",
                     lwi_clip(reference, clip));
    lwi_text_free(&chain);
    return status;
}

static lw_status report_lost(const char *reference, lw_location location, bool is_outside,
                             lw_report *report)
{
    char clip[LWI_CLIP_SIZE];
    if (is_outside) {
        return lwi_report_error(report, location, LW_ERR_FILE,
                                "\"%s\" leads out of the model's folder and the folders of the "
                                "search path; --path DIR adds a folder",
                                lwi_clip(reference, clip));
    }
    return lwi_report_error(report, location, LW_ERR_FILE, "\"%s\" is not found",
                            lwi_clip(reference, clip));
}

// A file that is known, and was or was not read.
static lw_status give_file(lwi_loader *loader, int index, const char *reference,
                           lw_location location, lw_mech **mech, lw_report *report)
{
    lwi_file *file = loader->file[index];
    char clip[LWI_CLIP_SIZE];
    if (file->state == LWI_FILE_WAITING) {
        return report_chain(loader, reference, location, LW_ERR_MODEL,
                            "files mount each other in a circle", report);
    }
    if (file->state == LWI_FILE_NEW) {
        file->mounted_by = loader->current;
        file->depth = loader->file[loader->current]->depth + 1;
        if (file->depth > LWI_MAX_NESTING) {
            return report_chain(loader, reference, location, LW_ERR_LIMIT,
                                "files are mounted more than 16 deep", report);
        }
        return push(loader, index) ? LW_ERR_STAGE : LW_ERR_MEMORY;
    }
    if (file->status != LW_OK) {
        return lwi_report_error(report, location, file->status,
                                "\"%s\" cannot be used here: it has errors",
                                lwi_clip(reference, clip));
    }
    *mech = file->mech;
    return LW_OK;
}

// The name that diagnostics show: as a person would write it, where the reference is a plain path.
static char *name_of(const char *folder, const char *reference, const char *real)
{
    if (reference[0] == '/' || strstr(reference, "://")) {
        return strdup(real);
    }
    lwi_text name = {0};
    if (strcmp(folder, ".") != 0) {
        lwi_text_add(&name, folder);
        lwi_text_add(&name, "/");
    }
    lwi_text_add(&name, reference);
    if (name.is_short) {
        lwi_text_free(&name);
        return NULL;
    }
    // It may have been found elsewhere, over the search path.
    char *there = realpath(name.at, NULL);
    const bool is_same = there && strcmp(there, real) == 0;
    free(there);
    if (!is_same) {
        lwi_text_free(&name);
        return strdup(real);
    }
    return name.at;
}

lw_status lwi_load_nested(const lwi_load_context *context, const char *reference,
                          lw_location location, lw_mech **mech, lw_report *report)
{
    lwi_loader *loader = context->loader;
    char *real = NULL, *name = NULL;
    *mech = NULL;
    lw_status status = LW_ERR_MEMORY;
    const lwi_found found = lwi_find_file(context->folder, context->options, reference, &real);
    if (found == LWI_FOUND_SHORT) {
        return status;
    }
    if (found != LWI_FOUND) {
        return report_lost(reference, location, found == LWI_FOUND_OUTSIDE, report);
    }
    int index = lwi_names_find(&loader->file_names, real);
    if (index < 0) {
        name = name_of(context->folder, reference, real);
        index = name ? add_file(loader, name, real, loader->current) : -1;
    }
    if (index >= 0) {
        status = give_file(loader, index, reference, location, mech, report);
    }
    free(name);
    free(real);
    return status;
}

// --- The public functions ---------------------------------------------------------------------

// Starts a load at a file; its text is read later, or is already in `doc`.
static lw_status load(const char *name, lwi_xml_doc *doc, const lw_load_options *options,
                      lw_mech **mech, lw_report *report)
{
    lwi_loader loader = {.options = options ? *options : lw_default_load_options()};
    lwi_names_init(&loader.file_names, &loader.arena);
    lwi_names_init(&loader.mesh_names, &loader.arena);
    lw_status status = LW_ERR_MEMORY;
    char *real = realpath(name, NULL);
    const int first =
        real || errno != ENOMEM ? add_file(&loader, name, real ? real : name, -1) : -1;
    free(real);
    if (first < 0 || !push(&loader, first)) {
        lwi_xml_destroy(doc);
        goto done;
    }
    loader.file[first]->doc = doc;
    status = LW_OK;
    while (loader.nstack > 0 && status == LW_OK) {
        status = read_top(&loader, report);
    }
    if (status == LW_OK) {
        lwi_report_meshes(&loader, report);
        status = loader.file[first]->status;
        *mech = loader.file[first]->mech;
        loader.file[first]->mech = NULL; // now the caller's
        if (*mech) {
            (*mech)->root = lwi_mech_base(*mech); // parts may be added beside it later
        }
    }

done:
    close_loader(&loader);
    return status;
}

// A load that ran out of memory says so too, where there is memory left to say it.
static lw_status end_load(const char *name, lw_status status, lw_report *report)
{
    if (status == LW_ERR_MEMORY) {
        lwi_report_error(report, (lw_location){name, 0, 0}, status, "not enough memory");
    }
    return status;
}

static bool is_good(const lw_load_options *options)
{
    if (!options) {
        return true;
    }
    bool is_whole = options->npath >= 0 && (options->npath == 0 || options->path);
    for (int i = 0; is_whole && i < options->npath; ++i) {
        is_whole = options->path[i] != NULL;
    }
    return is_whole;
}

lw_status lw_load_file(const char *path, const lw_load_options *options, lw_mech **mech,
                       lw_report *report)
{
    if (mech) {
        *mech = NULL;
    }
    if (!path || !mech || !is_good(options)) {
        return LW_ERR_ARGUMENT;
    }
    return end_load(path, load(path, NULL, options, mech, report), report);
}

lw_status lw_load_text(const char *name, const char *text, size_t size,
                       const lw_load_options *options, lw_mech **mech, lw_report *report)
{
    lwi_xml_doc *doc = NULL;
    if (mech) {
        *mech = NULL;
    }
    if (!name || (!text && size) || !mech || !is_good(options)) {
        return LW_ERR_ARGUMENT;
    }
    lw_status status = size > LWI_MODEL_FILE_LIMIT
                           ? lwi_report_error(report, (lw_location){name, 0, 0}, LW_ERR_LIMIT,
                                              "is larger than %d MiB", LWI_MODEL_FILE_LIMIT >> 20)
                           : lwi_xml_parse(name, size ? text : "", size, &doc, report);
    if (status == LW_OK) {
        status = load(name, doc, options, mech, report);
    }
    return end_load(name, status, report);
}
