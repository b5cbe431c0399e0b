// linkwork/run.h: run files, which describe what a simulation does. Part of liblinkwork_io.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// docs/reference/simulate.md describes the format.
#ifndef LINKWORK_RUN_H
#define LINKWORK_RUN_H

#include <linkwork/control.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What integrates: the method of lw_run.sim, or one of linkwork/stiff.h.
typedef enum lw_run_solver { LW_RUN_OWN = 0, LW_RUN_CVODE = 1, LW_RUN_IDA = 2 } lw_run_solver;

/// What a program is to do where two links come nearer than a margin.
typedef enum lw_run_collision {
    LW_RUN_COLLISION_IGNORE = 0,
    LW_RUN_COLLISION_WARN = 1,
    LW_RUN_COLLISION_STOP = 2
} lw_run_collision;

/// A simulation that is ready to be made: read it, do not write it. All that it points to is its
/// own and lives until lw_run_destroy(), but for the model.
typedef struct lw_run {
    const char *name;                ///< of the run; empty where it has none
    double duration;                 ///< s
    double every;                    ///< s between two rows of output; 0 for every step, -1 for
                                     ///< a choice of the program's
    const double *q, *v;             ///< [nq], [nv] the state in which it begins
    const lw_trajectory *trajectory; ///< or null
    lw_controller *controller;       ///< or null
    lw_run_solver solver;            ///< whether the method of `sim` is used
    lw_run_collision collision;      ///< what to do where links come nearer than `margin`, m; a
    double margin;                   ///< program's matter, not that of `sim`
    lw_sim_def sim;                  ///< for lw_sim_create(), with all forces and the controller
} lw_run;

/// Reads a run file for a model. Goes on after an error where it can; what it does not use is a
/// warning. On failure *run is null and the report has errors with locations.
LW_API lw_status lw_run_load(const char *path, const lw_model *m, lw_run **run, lw_report *report);

/// The same from memory; `name` stands for the file in diagnostics.
LW_API lw_status lw_run_load_text(const char *name, const char *text, size_t size,
                                  const lw_model *m, lw_run **run, lw_report *report);
LW_API void lw_run_destroy(lw_run *run);

#ifdef __cplusplus
}
#endif
#endif
