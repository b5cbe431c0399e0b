// linkwork/machine.h: a description and its model, changed while others compute.
//
// Stable. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// One thread edits the description and commits; any number of others compute on the model that was
// current when they requested it. A commit compiles into a spare buffer and makes the new model
// current in one step: nobody ever sees half of a change. A commit that fails changes nothing.
// After lw_machine_create() nothing here allocates, so that a tool can be changed by a controller:
//
//     lw_disconnect_named(mech, "flange", "payload_joint");
//     lw_connect_named(mech, "flange", "tool_joint");
//     lw_machine_commit(machine, report);       // takes effect at once, or not at all
//
// Parts that may be needed later are added to the description before, and left connected to
// nothing: a commit leaves them out, with a warning each. The mechanism is what is connected to
// the ground; without a ground, as from a URDF file, it is the tree of the root that was described
// first, and stays that tree whatever is connected to it or taken off. A mechanism in which nothing
// moves or has mass, because all links are connected to nothing, is an error.
#ifndef LINKWORK_MACHINE_H
#define LINKWORK_MACHINE_H

#include <linkwork/compile.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_machine lw_machine;

typedef struct lw_machine_def {
    lw_compile_options options; ///< leave_out_loose is on
    size_t model_size;          ///< bytes of the largest model; 0: four times the first one
    size_t work_size;           ///< bytes for compiling it; 0: four times those of the first one
} lw_machine_def;

/// Sizes from the first compile; parts that are connected to nothing are left out.
LW_API lw_machine_def lw_default_machine_def(void);

/// Compiles a description for the first time and sets all memory aside. The description stays the
/// caller's: it must outlive the lw_machine, and only the committing thread may touch it.
/// @param def null for the default
LW_API lw_status lw_machine_create(lw_mech *mech, const lw_machine_def *def, lw_machine **machine,
                                   lw_report *report);

/// No model of it may be in use any more.
LW_API void lw_machine_destroy(lw_machine *machine);

/// The current model, held until lw_machine_release(). Real-time safe. Thread safe.
LW_API const lw_model *lw_machine_acquire(lw_machine *machine);

/// Gives a model back. Real-time safe. Thread safe.
LW_API void lw_machine_release(lw_machine *machine, const lw_model *model);

/// Compiles the description as it is now and makes the result current. Real-time safe without a
/// report.
///
///   LW_ERR_BUSY    somebody still holds the model before the current one; try again later
///   LW_ERR_MEMORY  the memory set aside is too small
///
/// and whatever lw_compile() returns. On failure the current model stays current.
LW_API lw_status lw_machine_commit(lw_machine *machine, lw_report *report);

/// How often a commit has succeeded: a thread compares it to see that the model has changed.
/// Real-time safe. Thread safe.
LW_API int lw_machine_version(const lw_machine *machine);

#ifdef __cplusplus
}
#endif
#endif
