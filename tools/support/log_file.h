// Logs of a robot: times, positions and torques in the columns of a table.
#ifndef LOG_FILE_H
#define LOG_FILE_H

#include "support/job.h"

#include <linkwork/identify.h>

/// Reads a log: columns t, q.NAME or NAME, and tau.NAME for every independent coordinate, as
/// `simulate` writes them; others are left alone. Refuses what looks like degrees, and times that
/// do not advance evenly. Arrays are of the command's pool. Complains and returns an exit code.
int log_read(const job *work, const char *path, lw_log *log);

/// The words of --columns, in the order of the bits of lw_joint_columns.
const char *joint_column_word(int i);

/// Prints what the library reported from diagnostic `first` on, or the status; returns its exit
/// code.
int library_failure(const job *work, int first, lw_status status);

#endif
