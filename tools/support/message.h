// Exit codes of the program, and its error messages.
#ifndef MESSAGE_H
#define MESSAGE_H

#include <linkwork/dynamics.h>

/// What scripts rely on; docs and --help repeat it.
enum {
    EXIT_GOOD = 0,
    EXIT_INPUT = 1,   ///< a model that cannot be read or computed with
    EXIT_USAGE = 2,   ///< options, names or values that make no sense
    EXIT_FILE = 3,    ///< a file or device that cannot be read or written, or memory is short
    EXIT_NUMERIC = 4, ///< a calculation that has no answer
    EXIT_STOPPED = 75 ///< stopped before the end; the same command goes on from there
};

/// Of the same, for --help.
#define EXIT_CODES                                                                                 \
    "Exit codes: 0 good, 1 bad input, 2 bad usage, 3 file or device error,\n"                      \
    "4 numeric failure, 75 stopped: the same command goes on.\n"

/// Prints "linkwork: ..." to standard error and returns the code, so that a failing path is one
/// statement.
int complain(int exit_code, const char *format, ...) LW_PRINTF(2, 3);

/// The exit code that a failed calculation or a refused description has.
int exit_code_of(lw_status status);

/// Complains of a calculation on this data that failed, with the reason, after a text such as
/// "state 3: ". Returns the exit code.
int complain_of(const lw_model *m, const lw_data *d, lw_status status, const char *format, ...)
    LW_PRINTF(4, 5);

/// Complains that allocation failed.
int no_memory(void);

/// Writes "; did you mean \"...\"?" for a misspelt name, or nothing if no candidate is near.
/// Returns text.
enum { SUGGEST_SIZE = 160 };
const char *suggest_text(const lw_nearest *near, char text[SUGGEST_SIZE]);

#endif
