#include "load_text.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *findings_text(const lw_report *report)
{
    char *all = calloc(1, 1);
    size_t used = 0;
    for (int i = 0; all && i < lw_report_count(report); ++i) {
        const lw_finding finding = lw_report_finding(report, i);
        const int length = lw_finding_format(&finding, NULL, 0);
        char *larger = realloc(all, used + (size_t)length + 2);
        if (!larger) {
            break;
        }
        all = larger;
        lw_finding_format(&finding, all + used, (size_t)length + 1);
        used += (size_t)length;
        all[used++] = '\n';
        all[used] = '\0';
    }
    return all;
}

// Takes what a load gave, compiles it, and prints the findings where either failed.
static lw_model *finish(lw_status status, lw_mech *mech, lw_mech **out,
                        const lw_compile_options *options, lw_report *report)
{
    lw_model *model = NULL;
    if (status == LW_OK) {
        status = lw_compile(mech, options, &model, report);
    }
    if (!CHECK_INT(status, LW_OK)) {
        char *text = findings_text(report);
        printf("%s", text);
        free(text);
    }
    if (out) {
        *out = mech;
    } else {
        lw_mech_destroy(mech);
    }
    lw_report_destroy(report);
    return model;
}

static lw_model *load_path(const char *path, lw_mech **mech, const lw_compile_options *options)
{
    lw_report *report = lw_report_create();
    lw_mech *made = NULL;
    const lw_status status = lw_load_file(path, NULL, &made, report);
    return finish(status, made, mech, options, report);
}

static lw_model *load_shipped(const char *name, const lw_compile_options *options)
{
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s", LINKWORK_SOURCE_DIR, name);
    return load_path(path, NULL, options);
}

lw_model *compile_text(const char *name, const char *text, lw_mech **mech)
{
    lw_report *report = lw_report_create();
    lw_mech *made = NULL;
    const lw_status status = lw_load_text(name, text, strlen(text), NULL, &made, report);
    return finish(status, made, mech, NULL, report);
}

lw_model *compile_path(const char *path, lw_mech **mech)
{
    return load_path(path, mech, NULL);
}

lw_model *shipped_model(const char *name)
{
    return load_shipped(name, NULL);
}

lw_model *shipped_model_at(const char *name, lw_level level)
{
    const lw_level_choice all = {"*", level};
    lw_compile_options options = lw_default_compile_options();
    options.level = &all;
    options.nlevel = 1;
    return load_shipped(name, &options);
}

char *findings_of_text(const char *name, const char *text)
{
    lw_report *report = lw_report_create();
    lw_mech *mech = NULL;
    lw_model *model = NULL;
    if (lw_load_text(name, text, strlen(text), NULL, &mech, report) == LW_OK) {
        lw_compile(mech, NULL, &model, report);
    }
    char *all = findings_text(report);
    lw_model_destroy(model);
    lw_mech_destroy(mech);
    lw_report_destroy(report);
    return all;
}
