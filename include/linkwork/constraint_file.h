// linkwork/constraint_file.h: files with a set of constraints. Part of liblinkwork_io.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// docs/reference/constraints.md describes the format.
#ifndef LINKWORK_CONSTRAINT_FILE_H
#define LINKWORK_CONSTRAINT_FILE_H

#include <linkwork/collide.h>
#include <linkwork/constraints.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A set as a file describes it, ready for lw_constraints_create(): read it, do not write it. Sets
/// of one list with clearances are used by one thread at a time. All
/// that it points to is its own and lives until lw_constraint_list_destroy().
typedef struct lw_constraint_list {
    const char *name;             ///< of the set; empty where it has none
    int n;                        ///< at least 1
    const lw_constraint_def *def; ///< [n] with their locations
    lw_constraint_options options;
    const double *seed;  ///< [nq] where the search begins
    bool has_seed;       ///< the file gives it; otherwise it is the reference configuration
    lw_collide *collide; ///< of its clearances, whose pairs may be chosen; null where it has none
} lw_constraint_list;

/// Reads a file of constraints for a model. Goes on after an error where it can; what it does not
/// use is a warning. On failure *list is null and the report has errors with locations.
LW_API lw_status lw_constraint_list_load(const char *path, const lw_model *m,
                                         lw_constraint_list **list, lw_report *report);

/// The same from memory; `name` stands for the file in diagnostics.
LW_API lw_status lw_constraint_list_load_text(const char *name, const char *text, size_t size,
                                              const lw_model *m, lw_constraint_list **list,
                                              lw_report *report);
LW_API void lw_constraint_list_destroy(lw_constraint_list *list);

#ifdef __cplusplus
}
#endif
#endif
