// The compiler: named passes over one build.
#include "build.h"

#include "../base/report.h"
#include "compile_passes.h"
#include "stage.h"

#include <string.h>

lw_compile_options lw_default_compile_options(void)
{
    return (lw_compile_options){.free_base = false};
}

lw_status lwi_build_no_memory(lwi_build *b)
{
    return lwi_report_error(b->report, (lw_location){0}, LW_ERR_MEMORY,
                            "not enough memory to compile \"%s\"", b->mech->name);
}

const char *lwi_build_dotted(lwi_build *b, const char *owner, const char *name)
{
    const size_t n = strlen(owner), more = strlen(name);
    char *text = lwi_arena_take(b->arena, n + more + 2, 1);
    if (text) {
        memcpy(text, owner, n);
        text[n] = '.';
        memcpy(text + n + 1, name, more);
    }
    return text;
}

lw_status lwi_build_run(lwi_build *b, int npass, lw_status (*const *pass)(lwi_build *b))
{
    lw_status status = LW_OK;
    for (int i = 0; i < npass && status == LW_OK; ++i) {
        status = pass[i](b);
    }
    return status;
}

typedef struct pass {
    const char *name;
    lw_status (*run)(lwi_build *b);
} pass;

static const pass passes[] = {
    {"elaborate", lwi_pass_elaborate}, // open the assemblies, give every part its full name
    {"levels", lwi_pass_levels},       // how much of each assembly the model has
    {"simplify", lwi_pass_simplify},   // transmission parts that are locked or left out
    {"resolve", lwi_pass_resolve},     // couplings: whose degree of freedom follows whose
    {"span", lwi_pass_span},           // the tree that hangs on the ground
    {"axes", lwi_pass_axes},           // drives, gearboxes and the joints that they turn
    {"merge", lwi_pass_merge},         // parts that cannot move against each other are one body
    {"number", lwi_pass_number},       // coordinates of the tree
    {"close", lwi_pass_close},     // loops, gears, couplings: what depends on what, and the order
    {"lump", lwi_pass_lump},       // rods that are locked are added to the bodies that carry them
    {"springs", lwi_pass_springs}, // their ends, and how long they are in the reference
    {"check", lwi_pass_check},     // numbers and inertias
    {"pack", lwi_pass_pack},       // one block
};

_Static_assert(sizeof passes / sizeof *passes == LWI_NSTAGE, "each pass has a way to be printed");

// The first n passes. The status of the whole is that of the first error; memory trumps all.
static lw_status run_passes(lwi_build *build, int n)
{
    lw_status status = LW_OK;
    for (int i = 0; i < n && status == LW_OK; ++i) {
        status = passes[i].run(build);
        const bool is_last_look = i == LWI_NSTAGE - 2; // nothing is packed that has an error
        if (is_last_look && status == LW_OK && lw_report_errors(build->report) > 0) {
            status = LW_ERR_MODEL;
        }
    }
    for (int i = lw_report_count(build->report) - 1; i >= 0 && status != LW_ERR_MEMORY; --i) {
        const lw_diagnostic f = lw_report_diagnostic(build->report, i);
        status = f.severity == LW_ERROR ? f.status : status;
    }
    return status;
}

lw_status lwi_compile(const lw_mech *mech, const lw_compile_options *options, lwi_arena *arena,
                      lw_report *diagnostics, const lwi_reserve *room, lw_model **model)
{
    lwi_build build = {.mech = mech, .arena = arena, .report = diagnostics, .room = *room};
    build.options = *options;
    const lw_status status = run_passes(&build, LWI_NSTAGE);
    *model = status == LW_OK ? build.model : NULL;
    return status;
}

const char *lw_compile_stage_name(int stage)
{
    return stage >= 0 && stage < LWI_NSTAGE ? passes[stage].name : NULL;
}

lw_status lw_compile_stage(const lw_mech *mech, const lw_compile_options *options, int stage,
                           void (*line)(void *context, const char *text), void *context,
                           lw_report *report)
{
    if (!mech || !line || !lw_compile_stage_name(stage)) {
        return LW_ERR_ARGUMENT;
    }
    lw_report *diagnostics = NULL;
    if (lw_report_create(&diagnostics) != LW_OK) {
        return LW_ERR_MEMORY;
    }
    lwi_arena arena = {0};
    lwi_build build = {.mech = mech, .arena = &arena, .report = diagnostics};
    build.options = options ? *options : lw_default_compile_options();
    const lw_status status = run_passes(&build, stage + 1);
    if (status == LW_OK) {
        lwi_stage_print[stage](&build, &(lwi_lines){line, context});
    }
    lw_model_destroy(build.model);
    lwi_report_append(report, diagnostics);
    lw_report_destroy(diagnostics);
    lwi_arena_free(&arena);
    return status;
}

lw_status lw_compile(const lw_mech *mech, const lw_compile_options *options, lw_model **model,
                     lw_report *report)
{
    if (!model) {
        return LW_ERR_ARGUMENT;
    }
    *model = NULL;
    if (!mech) {
        return LW_ERR_ARGUMENT;
    }
    // Errors are counted in a report even where the caller wants none: a pass that records one and
    // goes on must still fail the compile.
    lw_report *diagnostics = NULL;
    if (lw_report_create(&diagnostics) != LW_OK) {
        return LW_ERR_MEMORY;
    }
    lwi_arena arena = {0};
    const lw_compile_options standard = lw_default_compile_options();
    const lwi_reserve heap = {0};
    const lw_status status =
        lwi_compile(mech, options ? options : &standard, &arena, diagnostics, &heap, model);
    lwi_report_append(report, diagnostics);
    lw_report_destroy(diagnostics);
    lwi_arena_free(&arena);
    return status;
}
