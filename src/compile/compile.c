// The compiler: named passes over one build.
#include "build.h"

#include "../base/report.h"
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

static const struct {
    const char *name;
    lw_status (*run)(lwi_build *b);
} passes[LWI_NPASS] = {
    {"elaborate", lwi_pass_elaborate}, // open the assemblies, give every part its full name
    {"levels", lwi_pass_levels},       // how much of each assembly the model has
    {"simplify", lwi_pass_simplify},   // transmission parts that are locked or left out
    {"resolve", lwi_pass_resolve},     // couplings: whose degree of freedom follows whose
    {"span", lwi_pass_span},           // the tree that is connected to the ground
    {"axes", lwi_pass_axes},           // drives, gearboxes and the joints that they drive
    {"merge", lwi_pass_merge},         // parts that cannot move against each other are one body
    {"number", lwi_pass_number},       // coordinates of the tree
    {"close", lwi_pass_close},     // loops, gears, couplings: what depends on what, and the order
    {"lump", lwi_pass_lump},       // rods that are locked are added to the bodies that carry them
    {"springs", lwi_pass_springs}, // their ends, and how long they are in the reference
    {"check", lwi_pass_check},     // numbers and inertias
    {"pack", lwi_pass_pack},       // one block
};

lw_status lwi_compile_begin(lwi_compilation *c, const lw_mech *mech,
                            const lw_compile_options *options, const lwi_compile_memory *memory,
                            lwi_pass last)
{
    static const lwi_compile_memory heap = {.model = {0}};
    memory = memory ? memory : &heap;
    memset(c, 0, sizeof *c);
    lwi_build *b = &c->build;
    b->mech = mech;
    b->options = options ? *options : lw_default_compile_options();
    b->arena = &c->arena;
    b->reserve = memory->model;
    if (memory->work.block) {
        lwi_arena_init_fixed(&c->arena, memory->work.block, memory->work.size);
    }
    // Errors are counted in a report even where the caller wants none: a pass that records one and
    // goes on must still fail the compile.
    c->has_own_report = !memory->report.block;
    if (memory->report.block) {
        b->report = lwi_report_create_fixed(memory->report.block, memory->report.size);
    } else {
        lw_report_create(&b->report);
    }
    lw_status status = b->report ? LW_OK : LW_ERR_MEMORY;
    for (int i = 0; i <= (int)last && status == LW_OK; ++i) {
        const bool has_error = i == LWI_PASS_PACK && lw_report_errors(b->report) > 0;
        status = has_error ? LW_ERR_MODEL : passes[i].run(b); // nothing is packed that has an error
    }
    // The status of the whole is that of the first error; memory before all.
    for (int i = lw_report_count(b->report) - 1; i >= 0 && status != LW_ERR_MEMORY; --i) {
        const lw_diagnostic found = lw_report_diagnostic(b->report, i);
        status = found.severity == LW_ERROR ? found.status : status;
    }
    return status;
}

void lwi_compile_end(lwi_compilation *c, lw_report *report)
{
    lwi_report_append(report, c->build.report);
    if (c->has_own_report) {
        lw_report_destroy(c->build.report);
    }
    lwi_arena_free(&c->arena);
}

const char *lw_compile_stage_name(int stage)
{
    return stage >= 0 && stage < LWI_NPASS ? passes[stage].name : NULL;
}

lw_status lw_compile_stage(const lw_mech *mech, const lw_compile_options *options, int stage,
                           void (*line)(void *context, const char *text), void *context,
                           lw_report *report)
{
    if (!mech || !line || !lw_compile_stage_name(stage)) {
        return LW_ERR_ARGUMENT;
    }
    lwi_compilation c;
    const lw_status status = lwi_compile_begin(&c, mech, options, NULL, (lwi_pass)stage);
    if (status == LW_OK) {
        lwi_stage_print[stage](&c.build, &(lwi_lines){line, context});
    }
    lw_model_destroy(c.build.model);
    lwi_compile_end(&c, report);
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
    lwi_compilation c;
    const lw_status status = lwi_compile_begin(&c, mech, options, NULL, LWI_PASS_PACK);
    *model = status == LW_OK ? c.build.model : NULL;
    lwi_compile_end(&c, report);
    return status;
}
