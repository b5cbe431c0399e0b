// Progress of long work on standard error: on a terminal, or as JSON for programs (--progress).
#ifndef PROGRESS_H
#define PROGRESS_H

#include "support/args.h"

typedef enum progress_mode {
    PROGRESS_NONE,
    PROGRESS_TERMINAL,
    PROGRESS_JSON ///< a line each: {"progress": 0.5, "stage": "code"}
} progress_mode;

/// What --progress asks for; a terminal is used by default where there is one.
int progress_open(const command_line *args, progress_mode *mode);

/// Says how far it is, from 0 to 1, and what is under way: words without quotes.
void progress_show(progress_mode mode, double share, const char *stage);

/// Removes the line of a terminal.
void progress_clear(progress_mode mode);

#endif
