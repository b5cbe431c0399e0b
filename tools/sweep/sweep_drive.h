// Runs a plan into a folder: on threads, as ranks of MPI, or as a shard of a job array.
#ifndef SWEEP_DRIVE_H
#define SWEEP_DRIVE_H

#include "support/job.h"

/// Options that every command on sweeps has.
#define OPTIONS_SWEEP                                                                              \
    OPT_OUTPUT, OPT_SHARD, OPT_THREADS, OPT_CASE, OPT_MAX_SECONDS, OPT_PROGRESS, OPT_CSV, OPT_JSON
#define NOTE_SWEEP_OUTPUT                                                                          \
    {                                                                                              \
        OPT_OUTPUT, "The folder of the results. What is finished there is not computed again."     \
    }
#define KEYS_SWEEP                                                                                 \
    "cases, done, failed, files, columns (name, count, mean, deviation, min, min_case, max, "      \
    "max_case, q05, median, q95); with --case: case, status, reason, inputs, columns"

/// Reads a plan from a text, and does what the options say: replays one case, or computes what is
/// not finished, merges and prints. `name` stands for the plan in messages; models are looked for
/// from its folder.
int drive_plan(job *work, const char *name, const char *text, size_t size);

/// The same for a plan that a command has written: it is kept as plan.xml in the folder of -o.
int drive_written(job *work, const char *text);

/// Whether the folder of -o has a result.
bool drive_is_finished(job *work);

/// What is finished in a folder, and merging it.
int drive_status(job *work, const char *dir);
int drive_merge(job *work, const char *dir);

#endif
