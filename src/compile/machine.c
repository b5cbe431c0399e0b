// Two rooms for models. Readers count themselves into the one they use; a commit writes only into
// the other, and only while nobody is counted there.
#include <linkwork/machine.h>

#include "../base/report.h"
#include "../parts/parts.h"
#include "compile_passes.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { REPORT_ROOM = 16384 }; ///< bytes for the diagnostics of one commit

struct lw_machine {
    lw_mech *mech;
    lw_compile_options options;
    void *room[2];
    size_t model_size;
    void *work;
    size_t work_size;
    void *report_room;
    lw_model *model[2];
    atomic_int users[2];
    atomic_int current;
    atomic_int version;
};

lw_machine_def lw_default_machine_def(void)
{
    lw_machine_def def = {.options = lw_default_compile_options()};
    def.options.leave_out_loose = true;
    return def;
}

// The first compile is made on the heap and tells how much room such a machine takes.
static lw_status measure(lw_machine *machine, const lw_machine_def *def, lw_report *report)
{
    lwi_arena arena = {0};
    lw_model *model = NULL;
    lw_report *diagnostics = NULL;
    lw_status status = lw_report_create(&diagnostics);
    if (status == LW_OK) {
        const lwi_reserve none = {0};
        status = lwi_compile(machine->mech, &machine->options, &arena, diagnostics, &none, &model);
        lwi_report_append(report, diagnostics);
    }
    if (status == LW_OK) {
        machine->model_size = def->model_size ? def->model_size : 4 * lw_model_size(model);
        machine->work_size = def->work_size ? def->work_size : 4 * lwi_arena_size(&arena);
        machine->model_size = aligned_size(machine->model_size);
        machine->work_size = aligned_size(machine->work_size);
    }
    lw_model_destroy(model);
    lw_report_destroy(diagnostics);
    lwi_arena_free(&arena);
    return status;
}

lw_status lw_machine_create(lw_mech *mech, const lw_machine_def *def, lw_machine **out,
                            lw_report *report)
{
    if (out) {
        *out = NULL;
    }
    if (!mech || !out) {
        return LW_ERR_ARGUMENT;
    }
    const lw_machine_def standard = lw_default_machine_def();
    def = def ? def : &standard;
    lw_machine *machine = calloc(1, sizeof *machine);
    if (!machine) {
        return LW_ERR_MEMORY;
    }
    machine->mech = mech;
    machine->options = def->options;
    mech->root = mech->root < 0 ? lwi_find_root(mech, 0) : mech->root;
    atomic_init(&machine->current, 1); // the first commit goes into room 0
    lw_status status = measure(machine, def, report);
    if (status == LW_OK) {
        machine->room[0] = aligned_alloc(LWI_ALIGN, machine->model_size);
        machine->room[1] = aligned_alloc(LWI_ALIGN, machine->model_size);
        machine->work = aligned_alloc(LWI_ALIGN, machine->work_size);
        machine->report_room = malloc(REPORT_ROOM);
        const bool is_good =
            machine->room[0] && machine->room[1] && machine->work && machine->report_room;
        status = is_good ? lw_machine_commit(machine, NULL) : LW_ERR_MEMORY;
    }
    if (status != LW_OK) {
        lw_machine_destroy(machine);
        return status;
    }
    *out = machine;
    return LW_OK;
}

void lw_machine_destroy(lw_machine *machine)
{
    if (machine) {
        free(machine->room[0]);
        free(machine->room[1]);
        free(machine->work);
        free(machine->report_room);
        free(machine);
    }
}

const lw_model *lw_machine_acquire(lw_machine *machine)
{
    if (!machine) {
        return NULL;
    }
    for (;;) {
        // Counted in first, then checked: a commit that has passed in between is seen, and the
        // room it may write next is left again at once. Each turn means a commit has succeeded.
        const int k = atomic_load(&machine->current);
        atomic_fetch_add(&machine->users[k], 1);
        if (atomic_load(&machine->current) == k) {
            return machine->model[k];
        }
        atomic_fetch_sub(&machine->users[k], 1);
    }
}

// The rooms never change, so that nothing is read here which a commit may be writing.
static bool is_in_room(const lw_machine *machine, int k, const lw_model *model)
{
    return (uintptr_t)model - (uintptr_t)machine->room[k] < machine->model_size;
}

void lw_machine_release(lw_machine *machine, const lw_model *model)
{
    for (int k = 0; k < 2 && machine && model; ++k) {
        if (is_in_room(machine, k, model)) {
            atomic_fetch_sub(&machine->users[k], 1);
            return;
        }
    }
}

lw_status lw_machine_commit(lw_machine *machine, lw_report *report)
{
    if (!machine) {
        return LW_ERR_ARGUMENT;
    }
    const int spare = 1 - atomic_load(&machine->current);
    if (atomic_load(&machine->users[spare]) != 0) {
        return lwi_report_error(report, (lw_location){0}, LW_ERR_BUSY,
                                "the model before the current one is still in use");
    }
    lwi_arena arena;
    lwi_arena_init_fixed(&arena, machine->work, machine->work_size);
    lw_report *diagnostics = lwi_report_create_fixed(machine->report_room, REPORT_ROOM);
    const lwi_reserve room = {machine->room[spare], machine->model_size};
    lw_model *model = NULL;
    const lw_status status =
        lwi_compile(machine->mech, &machine->options, &arena, diagnostics, &room, &model);
    lwi_report_append(report, diagnostics);
    if (status == LW_OK) {
        machine->model[spare] = model;
        atomic_store(&machine->current, spare);
        atomic_fetch_add(&machine->version, 1);
    }
    return status;
}

int lw_machine_version(const lw_machine *machine)
{
    return machine ? atomic_load(&machine->version) : 0;
}
