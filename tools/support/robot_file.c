#include "support/robot_file.h"

#include "support/files.h"
#include "support/message.h"
#include "support/numeral.h"

#include <linkwork/dynamics.h>
#include <linkwork/shafts.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARNINGS_SHOWN = 3 }; // of one code, by commands other than check, which shows all

// --- Diagnostics ---------------------------------------------------------------------------------

static void print_diagnostic(const lw_diagnostic *diagnostic)
{
    char text[512];
    const int length = lw_diagnostic_format(diagnostic, text, sizeof text);
    if (length < (int)sizeof text) {
        fprintf(stderr, "%s\n", text);
        return;
    }
    char *whole = malloc((size_t)length + 1);
    if (whole) {
        lw_diagnostic_format(diagnostic, whole, (size_t)length + 1);
    }
    fprintf(stderr, "%s\n", whole ? whole : text);
    free(whole);
}

static int silence(lw_report *report, const char *name)
{
    lw_nearest near;
    lw_nearest_init(&near, name);
    for (int i = LW_DIAG_ERROR + 1; i < LW_DIAG_COUNT; ++i) {
        const char *known = lw_diagnostic_name((lw_diagnostic_code)i);
        if (strcmp(name, known) == 0) {
            lw_report_silence(report, (lw_diagnostic_code)i);
            return EXIT_GOOD;
        }
        lw_nearest_offer(&near, known);
    }
    char text[SUGGEST_SIZE];
    return complain(EXIT_USAGE, "--silence: no warning has the code \"%s\"%s", name,
                    suggest_text(&near, text));
}

int report_open(const command_line *args, lw_report **report)
{
    if (lw_report_create(report) != LW_OK) {
        return no_memory();
    }
    int code = EXIT_GOOD;
    for (int i = 0; code == EXIT_GOOD && i < args_count(args, OPT_SILENCE); ++i) {
        code = silence(*report, args_value_at(args, OPT_SILENCE, i));
    }
    return code;
}

int run_open(const command_line *args, const char *path, const lw_model *m, lw_run **run)
{
    lw_report *report = NULL;
    const int code = report_open(args, &report);
    if (code != EXIT_GOOD) {
        lw_report_destroy(report);
        return code;
    }
    const lw_status status = lw_run_load(path, m, run, report);
    print_diagnostics(report, 0);
    lw_report_destroy(report);
    if (status == LW_OK) {
        return EXIT_GOOD;
    }
    return status == LW_ERR_FILE || status == LW_ERR_MEMORY ? EXIT_FILE : EXIT_INPUT;
}

int count_diagnostics(const lw_report *report, lw_severity severity)
{
    int count = 0;
    for (int i = 0; i < lw_report_count(report); ++i) {
        count += lw_report_diagnostic(report, i).severity == severity;
    }
    return count;
}

static void print_dropped(const lw_report *report)
{
    if (lw_report_dropped(report) > 0) {
        fprintf(stderr, "linkwork: and %d more diagnostics\n", lw_report_dropped(report));
    }
}

void print_diagnostics(const lw_report *report, int first)
{
    for (int i = first; i < lw_report_count(report); ++i) {
        const lw_diagnostic diagnostic = lw_report_diagnostic(report, i);
        print_diagnostic(&diagnostic);
    }
    print_dropped(report);
}

static bool is_known(const lw_diagnostic *a, const lw_report *known)
{
    for (int i = 0; i < lw_report_count(known); ++i) {
        const lw_diagnostic b = lw_report_diagnostic(known, i);
        const lw_location *x = &a->location, *y = &b.location;
        if (x->line == y->line && x->column == y->column && strcmp(a->message, b.message) == 0 &&
            (x->file == y->file || (x->file && y->file && file_is_same(x->file, y->file)))) {
            return true;
        }
    }
    return false;
}

void print_new_diagnostics(const lw_report *report, const lw_report *known)
{
    for (int i = 0; i < lw_report_count(report); ++i) {
        const lw_diagnostic diagnostic = lw_report_diagnostic(report, i);
        if (!is_known(&diagnostic, known)) {
            print_diagnostic(&diagnostic);
        }
    }
    print_dropped(report);
}

// Errors are all shown; of the warnings, which a good model may have by the dozen, the first few of
// each code: those of the compile before those of the file, since a mechanism without masses
// matters more than the meshes that it lacks.
static void print_some_diagnostics(const robot *r, const char *path)
{
    const lw_report *report = r->report;
    const int count = lw_report_count(report);
    int shown[LW_DIAG_COUNT] = {0}, hidden = 0;
    for (int i = 0; i < count; ++i) {
        const lw_diagnostic diagnostic = lw_report_diagnostic(report, (r->nread + i) % count);
        if (diagnostic.severity == LW_NOTE) {
            continue;
        }
        if (diagnostic.severity == LW_ERROR || ++shown[diagnostic.code] <= WARNINGS_SHOWN) {
            print_diagnostic(&diagnostic);
        } else {
            ++hidden;
        }
    }
    if (hidden > 0) {
        fprintf(stderr, "linkwork: %d more warning%s; all of them: linkwork check %s\n", hidden,
                hidden == 1 ? "" : "s", path);
    }
}

// A file that cannot be read is a file error; the same reported at a line of another file, which
// mounts it, is a bad model. So is a bad definition at a line of the file, and one whose loops do
// not close: no number was requested yet.
static int exit_code_of_load(lw_status status, const lw_report *report)
{
    const bool may_be_input = status == LW_ERR_FILE || status == LW_ERR_ARGUMENT;
    for (int i = 0; may_be_input && i < lw_report_count(report); ++i) {
        const lw_diagnostic diagnostic = lw_report_diagnostic(report, i);
        if (diagnostic.severity == LW_ERROR && diagnostic.location.line > 0) {
            return EXIT_INPUT;
        }
    }
    const int code = exit_code_of(status);
    return code == EXIT_NUMERIC ? EXIT_INPUT : code;
}

// --- Levels -----------------------------------------------------------------------------------

// "ASSEMBLY=LEVEL", or "LEVEL" alone for the whole mechanism; changes the text.
static int read_choice(char *text, lw_level_choice *choice)
{
    static const lw_level level[] = {LW_LEVEL_HIGH, LW_LEVEL_MIDDLE, LW_LEVEL_LOW};
    char *equals = strrchr(text, '=');
    const char *word = equals ? equals + 1 : text;
    lw_nearest near;
    lw_nearest_init(&near, word);
    for (int i = 0; i < 3; ++i) {
        const char *known = lw_level_name(level[i]);
        if (strcmp(known, word) == 0) {
            *choice = (lw_level_choice){equals ? text : "*", level[i]};
            if (equals) {
                *equals = '\0';
            }
            return EXIT_GOOD;
        }
        lw_nearest_offer(&near, known);
    }
    char suggestion[SUGGEST_SIZE];
    return complain(EXIT_USAGE, "there is no level \"%s\"%s (high, middle or low)", word,
                    suggest_text(&near, suggestion));
}

// Of two levels for one assembly it is unclear which one was meant.
static int check_given_once(const lw_level_choice *level, int first, int last)
{
    for (int i = first; i < last; ++i) {
        if (strcmp(level[i].assembly, level[last].assembly) == 0) {
            return complain(EXIT_USAGE, "the level of \"%s\" is given twice", level[i].assembly);
        }
    }
    return EXIT_GOOD;
}

static int read_levels(robot *r, const command_line *args)
{
    const int count = args_count(args, OPT_LEVEL);
    r->level = memory_get(args->pool, (size_t)count, sizeof *r->level);
    int code = EXIT_GOOD;
    for (int i = 0; i < count && code == EXIT_GOOD; ++i) {
        const char *text = args_value_at(args, OPT_LEVEL, i);
        if (!strchr(text, '=')) {
            return complain(EXIT_USAGE, "--level is ASSEMBLY=LEVEL, such as *=high, not \"%s\"",
                            text);
        }
        code = read_choice(memory_text(args->pool, "%s", text), &r->level[i]);
        if (code == EXIT_GOOD) {
            code = check_given_once(r->level, 0, r->nlevel++);
        }
    }
    return code;
}

// Compiles what was loaded once more, with the levels of detail that `spec` gives on top of those
// of the options: "high", or "wrist=low+base=high". Returns an exit code.
static int robot_at_levels(const robot *r, const command_line *args, const char *spec,
                           lw_model **model, lw_report *report)
{
    lw_compile_options options = robot_options(r, args);
    int count = 0, code = EXIT_GOOD;
    char **part = memory_split(args->pool, spec, '+', &count);
    lw_level_choice *level = memory_get(args->pool, (size_t)(r->nlevel + count), sizeof *level);
    options.nlevel = r->nlevel;
    for (int i = 0; i < r->nlevel; ++i) {
        level[i] = r->level[i];
    }
    for (int i = 0; i < count && code == EXIT_GOOD; ++i) {
        code = read_choice(part[i], &level[options.nlevel]);
        if (code == EXIT_GOOD) {
            code = check_given_once(level, r->nlevel, options.nlevel++);
        }
    }
    options.level = level;
    return code == EXIT_GOOD
               ? exit_code_of_load(lw_compile(r->mech, &options, model, report), report)
               : code;
}

int split_levels(const command_line *args, const char *text, char ***spec, int *count)
{
    *spec = memory_split(args->pool, text, ',', count);
    return *count <= MOST_LEVELS
               ? EXIT_GOOD
               : complain(EXIT_USAGE, "--levels takes at most %d choices", MOST_LEVELS);
}

// --- Loading ----------------------------------------------------------------------------------

// A failure that left no diagnostic still gets a message.
static void explain_failure(robot *r, lw_status status, const char *path)
{
    if (status != LW_OK && lw_report_errors(r->report) == 0) {
        const lw_location location = {path, 0, 0};
        lw_report_add(r->report, LW_ERROR, status, LW_DIAG_ERROR, location, "%s",
                      lw_status_text(status));
    }
}

static lw_status load(robot *r, const command_line *args, const char *path, const char *text,
                      size_t size, lw_mech **mech)
{
    lw_load_options options = lw_default_load_options();
    const int npath = args_count(args, OPT_PATH);
    const char **folder = memory_get(args->pool, (size_t)npath, sizeof *folder);
    for (int i = 0; i < npath; ++i) {
        folder[i] = args_value_at(args, OPT_PATH, i);
    }
    options.path = folder;
    options.npath = npath;
    return text ? lw_load_text(path, text, size, &options, mech, r->report)
                : lw_load_file(path, &options, mech, r->report);
}

// The ground, which a description without one gets: the root is the link that nothing carries.
static lw_part ground_of(lw_mech *mech)
{
    lw_part ground = {-1};
    for (int i = 0; i < lw_get_part_count(mech) && ground.index < 0; ++i) {
        const lw_part part = {i};
        ground = lw_get_part_kind(mech, part) == LW_PART_GROUND ? part : ground;
    }
    if (ground.index >= 0) {
        return ground;
    }
    const lw_ground_def def = lw_default_ground_def();
    ground = lw_add_ground(mech, &def);
    bool is_rooted = ground.index < 0;
    for (int i = 0; i < lw_get_part_count(mech) && !is_rooted; ++i) {
        const lw_part part = {i};
        is_rooted =
            lw_get_part_kind(mech, part) == LW_PART_LINK &&
            lw_connect(mech, lw_port_of(mech, ground, "b"), lw_port_of(mech, part, "a")) == LW_OK;
    }
    return ground;
}

// Hands on what was found in a mesh that is taken alone, at the mesh: not at the description around
// it, which nobody wrote. One that cannot be used is an error here, of its file or of what is in
// it.
static lw_status pass_on(lw_report *report, const lw_report *found, const char *path)
{
    lw_status status = LW_OK;
    for (int i = 0; i < lw_report_count(found); ++i) {
        const lw_diagnostic d = lw_report_diagnostic(found, i);
        const lw_status lost = d.code == LW_DIAG_MESH_INVALID ? LW_ERR_SYNTAX
                               : d.code == LW_DIAG_MESH_MISSING || d.code == LW_DIAG_MESH_UNREADABLE
                                   ? LW_ERR_FILE
                                   : LW_OK;
        lw_report_add(report, lost == LW_OK ? d.severity : LW_ERROR,
                      lost == LW_OK ? d.status : lost, d.code, (lw_location){path, 0, 0}, "%s%s",
                      lost == LW_OK ? "" : "the mesh cannot be used: ", d.message);
        status = lost == LW_OK ? status : lost;
    }
    return status;
}

// A mesh as the description of a mechanism whose ground it is.
static lw_status load_mesh(robot *r, const command_line *args, const char *path, const char *text,
                           lw_mech **mech)
{
    lw_report *const report = r->report;
    lw_status status = lw_report_create(&r->report);
    if (status == LW_OK) {
        status = load(r, args, path, text, strlen(text), mech);
        const lw_status lost = pass_on(report, r->report, path);
        lw_report_destroy(r->report);
        status = status == LW_OK ? lost : status;
    }
    r->report = report;
    return status;
}

// A text as the value of an attribute.
static const char *escaped(memory *pool, const char *text, size_t length)
{
    char *out = memory_get(pool, 6 * length + 1, 1), *end = out;
    for (size_t i = 0; i < length; ++i) {
        const char c = text[i];
        end += sprintf(end, c == '&' || c == '<' || c == '\'' ? "&#%d;" : "%c", c);
    }
    return out;
}

// A frame of a link, or the origin of a link by its name; without a name that of the ground.
static lw_port port_of(const robot *r, const char *name)
{
    const lw_port frame = name ? lw_find_port(r->mech, name) : (lw_port){{-1}, -1};
    const lw_part link = name ? lw_find_part(r->mech, name, LW_PART_LINK) : ground_of(r->mech);
    return frame.index >= 0 ? frame : lw_port_of(r->mech, link, "b");
}

// Another description as an assembly, at a frame or, without one, at the ground.
static lw_status attach(robot *r, const command_line *args, const char *path, const char *frame)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    const bool is_mesh =
        dot && (strcmp(dot, ".npy") == 0 || strcmp(dot, ".obj") == 0 || strcmp(dot, ".stl") == 0);
    const char *file = slash ? slash + 1 : path;
    const char *text =
        is_mesh ? memory_text(args->pool,
                              "<linkwork version='1' name='%s'><ground><mesh file='%s'/></ground>"
                              "</linkwork>",
                              escaped(args->pool, file, (size_t)(dot - file)),
                              escaped(args->pool, file, strlen(file)))
                : NULL;
    const lw_location nowhere = {path, 0, 0};
    lw_mech *inside = NULL;
    lw_status status =
        text ? load_mesh(r, args, path, text, &inside) : load(r, args, path, NULL, 0, &inside);
    if (status != LW_OK) {
        lw_mech_destroy(inside);
        return status;
    }
    const lw_part part = lw_add_assembly(r->mech, lw_mech_name(inside), inside, nowhere);
    const lw_port port = port_of(r, frame);
    status =
        part.index < 0 ? LW_ERR_NAME : lw_connect(r->mech, port, lw_port_of(r->mech, part, "a"));
    if (status != LW_OK) {
        const char *why = port.index < 0
                              ? memory_text(args->pool,
                                            "there is no frame or link \"%s\"; 'linkwork info' "
                                            "lists the frames",
                                            frame)
                              : lw_mech_message(r->mech);
        status = port.index < 0 ? LW_ERR_NAME : status;
        lw_report_add(r->report, LW_ERROR, status, LW_DIAG_ERROR, nowhere, "cannot be attached: %s",
                      why);
    } else if (!frame) {
        r->scene[r->nscene++] = memory_text(args->pool, "%s", lw_mech_name(inside));
    }
    lw_mech_destroy(inside);
    return status;
}

static lw_status attach_all(robot *r, const command_line *args)
{
    lw_status status = LW_OK;
    r->scene = memory_get(args->pool, (size_t)args_count(args, OPT_SCENE), sizeof *r->scene);
    for (int i = 0; i < args_count(args, OPT_SCENE) && status == LW_OK; ++i) {
        status = attach(r, args, args_value_at(args, OPT_SCENE, i), NULL);
    }
    for (int i = 0; i < args_count(args, OPT_ATTACH) && status == LW_OK; ++i) {
        char *frame = memory_text(args->pool, "%s", args_value_at(args, OPT_ATTACH, i));
        char *equals = strchr(frame, '=');
        if (!equals || equals == frame || !equals[1]) {
            lw_report_add(r->report, LW_ERROR, LW_ERR_ARGUMENT, LW_DIAG_ERROR,
                          (lw_location){"--attach", 0, 0}, "FRAME=FILE is needed, not \"%s\"",
                          args_value_at(args, OPT_ATTACH, i));
            return LW_ERR_ARGUMENT;
        }
        *equals = '\0';
        status = attach(r, args, equals + 1, frame);
    }
    return status;
}

// --branch: "LOOP=+" or "LOOP=-".
static lw_status set_branches(robot *r, const command_line *args)
{
    for (int i = 0; i < args_count(args, OPT_BRANCH); ++i) {
        char *name = memory_text(args->pool, "%s", args_value_at(args, OPT_BRANCH, i));
        char *sign = strrchr(name, '=');
        const char *why = "LOOP=+ or LOOP=- is needed";
        lw_status status = LW_ERR_ARGUMENT;
        if (sign && (strcmp(sign, "=+") == 0 || strcmp(sign, "=-") == 0)) {
            *sign = '\0';
            status = lw_set_branch(r->mech, name, sign[1] == '+' ? 1 : -1);
            why = lw_status_text(status);
            if (status == LW_ERR_UNSUPPORTED) {
                why = "there is no rod or closing joint of this name";
                status = LW_ERR_ARGUMENT;
            }
        }
        if (status != LW_OK) {
            lw_report_add(r->report, LW_ERROR, status, LW_DIAG_ERROR,
                          (lw_location){"--branch", 0, 0}, "%s: %s",
                          args_value_at(args, OPT_BRANCH, i), why);
            return status;
        }
    }
    return LW_OK;
}

lw_compile_options robot_options(const robot *r, const command_line *args)
{
    lw_compile_options options = lw_default_compile_options();
    options.free_base = args_has(args, OPT_FREE_BASE);
    options.level = r->level;
    options.nlevel = r->nlevel;
    options.scene = r->scene;
    options.nscene = r->nscene;
    return options;
}

// Data of the model, with the options of dynamics that were requested.
static lw_status make_data(robot *r, const command_line *args)
{
    const lw_status status = lw_data_create(r->model, &r->data);
    if (status != LW_OK) {
        return status;
    }
    lw_dynamics_options dynamics = lw_default_dynamics_options(r->model);
    dynamics.is_ideal = args_has(args, OPT_IDEAL);
    args_friction_speed(args, &dynamics.friction_speed);
    return lw_set_dynamics_options(r->data, &dynamics);
}

static lw_status compile(robot *r, const command_line *args)
{
    const lw_compile_options options = robot_options(r, args);
    const lw_status status = lw_compile(r->mech, &options, &r->model, r->report);
    return status == LW_OK ? make_data(r, args) : status;
}

int robot_open_at_levels(robot *out, const robot *r, const command_line *args, const char *spec)
{
    *out = (robot){0};
    int code = report_open(args, &out->report);
    if (code != EXIT_GOOD) {
        return code;
    }
    code = robot_at_levels(r, args, spec, &out->model, out->report);
    if (code != EXIT_GOOD) {
        print_diagnostics(out->report, 0);
    } else if (make_data(out, args) != LW_OK) {
        code = no_memory();
    }
    return code;
}

int robot_open_again(robot *out, const robot *r, const command_line *args)
{
    *out = (robot){0};
    const int code = report_open(args, &out->report);
    if (code != EXIT_GOOD) {
        return code;
    }
    const lw_compile_options options = robot_options(r, args);
    lw_status status = lw_compile(r->mech, &options, &out->model, out->report);
    if (status != LW_OK) {
        print_diagnostics(out->report, 0);
        return exit_code_of(status);
    }
    return make_data(out, args) == LW_OK ? EXIT_GOOD : no_memory();
}

static lw_status fit_meshes(robot *r, double slack)
{
    lw_fit_options options = lw_default_fit_options();
    options.slack = slack;
    options.most = 1024;
    return lw_fit_shapes(r->mech, &options, r->report, NULL);
}

static int open_as(robot *r, const command_line *args, const char *path, const char *text,
                   size_t size)
{
    *r = (robot){0};
    int code = report_open(args, &r->report);
    if (code == EXIT_GOOD) {
        code = read_levels(r, args);
    }
    double speed = 0.0, slack = 0.0;
    code = code == EXIT_GOOD ? args_friction_speed(args, &speed) : code;
    code = code == EXIT_GOOD ? args_number(args, OPT_FIT, 1e-6, 1e6, &slack) : code;
    if (code != EXIT_GOOD) {
        return code;
    }
    lw_status status = load(r, args, path, text, size, &r->mech);
    status = status == LW_OK && slack > 0.0 ? fit_meshes(r, slack) : status;
    status = status == LW_OK ? attach_all(r, args) : status;
    status = status == LW_OK ? set_branches(r, args) : status;
    r->nread = lw_report_count(r->report);
    if (status == LW_OK) {
        status = compile(r, args);
    }
    explain_failure(r, status, path);
    return exit_code_of_load(status, r->report);
}

int robot_open_text(robot *r, const command_line *args, const char *name, const char *text,
                    size_t size)
{
    const int code = open_as(r, args, name, text, size);
    print_some_diagnostics(r, name);
    return code;
}

int robot_open_silently(robot *r, const command_line *args)
{
    const char *path = args->operand[0];
    if (strcmp(path, "-") != 0) {
        return open_as(r, args, path, NULL, 0);
    }
    const char *state = args_value(args, OPT_STATE);
    if (state && strcmp(state, "-") == 0) {
        *r = (robot){0};
        return complain(EXIT_USAGE, "the model and --state cannot both be standard input");
    }
    *r = (robot){0};
    char *text = NULL;
    size_t size = 0;
    int code = file_read("-", &text, &size);
    if (code == EXIT_GOOD) {
        code = open_as(r, args, "stdin", text, size);
    }
    free(text);
    return code;
}

int robot_open(robot *r, const command_line *args)
{
    const int code = robot_open_silently(r, args);
    print_some_diagnostics(r, args->operand[0]);
    return code;
}

void robot_check_drives(const robot *r, const command_line *args)
{
    if (r->model && r->model->ndrive > 0) {
        const char *path = args->operand[0];
        const lw_location location = {.file = strcmp(path, "-") == 0 ? "stdin" : path};
        lw_shafts_report(r->model, location, r->report);
    }
}

void robot_close(robot *r)
{
    lw_data_destroy(r->data);
    lw_model_destroy(r->model);
    lw_mech_destroy(r->mech);
    lw_report_destroy(r->report);
    *r = (robot){0};
}

// --- Frames -----------------------------------------------------------------------------------

static const char *short_name(const char *name)
{
    const char *last = name;
    for (const char *c = name; *c; ++c) {
        if (*c == '.' || *c == '/') {
            last = c + 1;
        }
    }
    return last;
}

int robot_find_frame(const lw_model *m, const char *name)
{
    const int found = lw_find_frame(m, name);
    if (found >= 0) {
        return found;
    }
    int count = 0, first = -1, second = -1;
    lw_nearest near;
    lw_nearest_init(&near, name);
    for (int i = 0; i < m->nframe_all; ++i) {
        const char *candidate = m->frame[i].name;
        if (strcmp(short_name(candidate), name) == 0) {
            second = first < 0 || second >= 0 ? second : i;
            first = first < 0 ? i : first;
            ++count;
        }
        lw_nearest_offer(&near, candidate);
        lw_nearest_offer(&near, short_name(candidate));
    }
    if (count > 1) {
        complain(EXIT_USAGE,
                 "%d frames are called \"%s\": give the whole name, as \"%s\" or \"%s\"", count,
                 name, m->frame[first].name, m->frame[second].name);
        return -1;
    }
    char text[SUGGEST_SIZE];
    suggest_text(&near, text);
    complain(EXIT_USAGE, "there is no frame \"%s\"%s", name,
             *text ? text : "; 'linkwork info' lists them");
    return -1;
}

int robot_tip(const lw_model *m)
{
    int *depth = calloc((size_t)m->nbody + 1, sizeof *depth);
    int tip = -1, deepest = -1;
    for (int i = 0; depth && i < m->nbody; ++i) {
        depth[i + 1] = 1 + (m->parent[i] < 0 ? 0 : depth[m->parent[i] + 1]);
    }
    for (int i = 0; depth && i < m->nframe; ++i) {
        const int here = depth[m->frame[i].body + 1];
        if (here >= deepest) {
            deepest = here;
            tip = i;
        }
    }
    free(depth);
    return tip;
}
