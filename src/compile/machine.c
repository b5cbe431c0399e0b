// Two buffers for models. Readers count themselves into the one they use; a commit writes only into
// the other, and only while nobody is counted there.
#include <linkwork/machine.h>

#include "build.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { REPORT_CAPACITY = 16384 }; ///< bytes for the diagnostics of one commit

struct lw_machine {
    lw_mech *mech;
    lw_compile_options options;
    void *model_buffer[2];
    size_t model_size;
    void *work;
    size_t work_size;
    void *report_buffer;
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

// The first compile is made on the heap and shows how much memory such a mechanism takes.
static lw_status measure(lw_machine *machine, const lw_machine_def *def, lw_report *report)
{
    lwi_compilation c;
    const lw_status status =
        lwi_compile_begin(&c, machine->mech, &machine->options, NULL, LWI_PASS_PACK);
    if (status == LW_OK) {
        const size_t model = def->model_size ? def->model_size : 4 * lw_model_size(c.build.model);
        const size_t work = def->work_size ? def->work_size : 4 * lwi_arena_size(&c.arena);
        machine->model_size = aligned_size(model);
        machine->work_size = aligned_size(work);
    }
    lw_model_destroy(c.build.model);
    lwi_compile_end(&c, report);
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
    atomic_init(&machine->current, 1); // the first commit goes into buffer 0
    lw_status status = measure(machine, def, report);
    if (status == LW_OK) {
        machine->model_buffer[0] = aligned_alloc(LWI_ALIGN, machine->model_size);
        machine->model_buffer[1] = aligned_alloc(LWI_ALIGN, machine->model_size);
        machine->work = aligned_alloc(LWI_ALIGN, machine->work_size);
        machine->report_buffer = malloc(REPORT_CAPACITY);
        const bool is_good = machine->model_buffer[0] && machine->model_buffer[1] &&
                             machine->work && machine->report_buffer;
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
        free(machine->model_buffer[0]);
        free(machine->model_buffer[1]);
        free(machine->work);
        free(machine->report_buffer);
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
        // buffer it may write next is left again at once. Each round means a commit has succeeded.
        const int k = atomic_load(&machine->current);
        atomic_fetch_add(&machine->users[k], 1);
        if (atomic_load(&machine->current) == k) {
            return machine->model[k];
        }
        atomic_fetch_sub(&machine->users[k], 1);
    }
}

// The buffers never change, so that nothing is read here which a commit may be writing.
static bool is_in_buffer(const lw_machine *machine, int k, const lw_model *model)
{
    return (uintptr_t)model - (uintptr_t)machine->model_buffer[k] < machine->model_size;
}

void lw_machine_release(lw_machine *machine, const lw_model *model)
{
    for (int k = 0; k < 2 && machine && model; ++k) {
        if (is_in_buffer(machine, k, model)) {
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
    const lwi_compile_memory memory = {{machine->model_buffer[spare], machine->model_size},
                                       {machine->work, machine->work_size},
                                       {machine->report_buffer, REPORT_CAPACITY}};
    lwi_compilation c;
    const lw_status status =
        lwi_compile_begin(&c, machine->mech, &machine->options, &memory, LWI_PASS_PACK);
    if (status == LW_OK) {
        machine->model[spare] = c.build.model;
        atomic_store(&machine->current, spare);
        atomic_fetch_add(&machine->version, 1);
    }
    lwi_compile_end(&c, report);
    return status;
}

int lw_machine_version(const lw_machine *machine)
{
    return machine ? atomic_load(&machine->version) : 0;
}
