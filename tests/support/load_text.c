#include "load_text.h"
#include "objects.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *diagnostics_text(const lw_report *report)
{
    char *all = calloc(1, 1);
    size_t used = 0;
    for (int i = 0; all && i < lw_report_count(report); ++i) {
        const lw_diagnostic diagnostic = lw_report_diagnostic(report, i);
        const int length = lw_diagnostic_format(&diagnostic, NULL, 0);
        char *larger = realloc(all, used + (size_t)length + 2);
        if (!larger) {
            break;
        }
        all = larger;
        lw_diagnostic_format(&diagnostic, all + used, (size_t)length + 1);
        used += (size_t)length;
        all[used++] = '\n';
        all[used] = '\0';
    }
    return all;
}

void print_diagnostics(const lw_report *report)
{
    char *text = diagnostics_text(report);
    printf("%s", text);
    free(text);
}

const char *diagnostic_with(const lw_report *report, const char *part)
{
    static char line[1024];
    for (int i = 0; i < lw_report_count(report); ++i) {
        const lw_diagnostic diagnostic = lw_report_diagnostic(report, i);
        lw_diagnostic_format(&diagnostic, line, sizeof line);
        if (strstr(line, part)) {
            return line;
        }
    }
    return "";
}

bool has_diagnostic(const lw_report *report, const char *beginning)
{
    char *text = diagnostics_text(report);
    const size_t length = strlen(beginning);
    bool is_there = false;
    for (const char *line = text; *line && !is_there; line = strchr(line, '\n') + 1) {
        is_there = strncmp(line, beginning, length) == 0;
    }
    free(text);
    return is_there;
}

lw_mech *load_checked(const char *name, const char *text)
{
    lw_mech *mech = NULL;
    lw_report *report = new_report();
    const lw_status status = text ? lw_load_text(name, text, strlen(text), NULL, &mech, report)
                                  : lw_load_file(name, NULL, &mech, report);
    if (!CHECK_INT(status, LW_OK)) {
        print_diagnostics(report);
    }
    lw_report_destroy(report);
    return mech;
}

lw_model *compile_checked(const lw_mech *mech, const lw_compile_options *options)
{
    lw_model *model = NULL;
    lw_report *report = new_report();
    if (!CHECK_INT(lw_compile(mech, options, &model, report), LW_OK)) {
        print_diagnostics(report);
    }
    lw_report_destroy(report);
    return model;
}

// Compiles what was loaded, if anything, and hands it to whoever asked for it.
static lw_model *finish(lw_mech *mech, lw_mech **out, const lw_compile_options *options)
{
    lw_model *model = mech ? compile_checked(mech, options) : NULL;
    if (out) {
        *out = mech;
    } else {
        lw_mech_destroy(mech);
    }
    return model;
}

static lw_model *load_shipped(const char *name, const lw_compile_options *options)
{
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s", LINKWORK_SOURCE_DIR, name);
    return finish(load_checked(path, NULL), NULL, options);
}

lw_model *compile_text(const char *name, const char *text, lw_mech **mech)
{
    return finish(load_checked(name, text), mech, NULL);
}

lw_model *compile_path(const char *path, lw_mech **mech)
{
    return finish(load_checked(path, NULL), mech, NULL);
}

lw_model *shipped_model(const char *name)
{
    return load_shipped(name, NULL);
}

lw_model *shipped_model_with(const char *name, const char *from, const char *to)
{
    enum { MOST = 1 << 16 };
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s", LINKWORK_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, MOST), *changed = calloc(1, MOST);
    const size_t n = file && text ? fread(text, 1, MOST / 2, file) : 0;
    char *at = n > 0 && changed ? strstr(text, from) : NULL;
    lw_model *m = NULL;
    if (CHECK(at)) {
        *at = '\0';
        snprintf(changed, MOST, "%s%s%s", text, to, at + strlen(from));
        m = compile_text(name, changed, NULL);
    }
    if (file) {
        fclose(file);
    }
    free(text);
    free(changed);
    return m;
}

lw_model *iterated_delta(void)
{
    return shipped_model_with(
        "closed/delta.xml", "<rod name=\"right1\" from=\"arm1.right\"",
        "<joint name='twin' type='revolute' axis='0 1 0' from='ground.side1' to='twin'/>"
        "<link name='twin'><frame name='right' xyz='0.3 -0.05 0'/></link>"
        "<coupling joint='twin' of='arm1' polynomial='0 1'/><rod name='right1' from='twin.right'");
}

lw_model *iterated_linkage(const char *name)
{
    char file[100];
    snprintf(file, sizeof file, "closed/%s.xml", name);
    return shipped_model_with(file, "type=\"revolute\" closing", "type=\"cylindrical\" closing");
}

lw_model *shipped_model_at(const char *name, lw_level level)
{
    const lw_level_choice all = {"*", level};
    lw_compile_options options = lw_default_compile_options();
    options.level = &all;
    options.nlevel = 1;
    return load_shipped(name, &options);
}

void shipped_paths(glob_t *found)
{
    *found = (glob_t){0};
    glob(LINKWORK_SOURCE_DIR "/models/*.xml", 0, NULL, found);
    glob(LINKWORK_SOURCE_DIR "/models/*/*.xml", GLOB_APPEND, NULL, found);
}

char *diagnostics_of_text(const char *name, const char *text)
{
    lw_report *report = new_report();
    lw_mech *mech = NULL;
    lw_model *model = NULL;
    if (lw_load_text(name, text, strlen(text), NULL, &mech, report) == LW_OK) {
        lw_compile(mech, NULL, &model, report);
    }
    char *all = diagnostics_text(report);
    lw_model_destroy(model);
    lw_mech_destroy(mech);
    lw_report_destroy(report);
    return all;
}
