// Exit codes of the program, and what it says when something is wrong.
#ifndef MESSAGE_H
#define MESSAGE_H

#include <linkwork/base.h>

/// What scripts rely on; docs and --help repeat it.
enum {
    EXIT_GOOD = 0,
    EXIT_INPUT = 1,  ///< a model that cannot be read or computed with
    EXIT_USAGE = 2,  ///< options, names or values that make no sense
    EXIT_FILE = 3,   ///< a file or device that cannot be read or written, or memory is short
    EXIT_NUMERIC = 4 ///< a calculation that has no answer
};

/// Prints "linkwork: ..." to standard error and returns the code, so that a failing path is one
/// statement.
int complain(int exit_code, const char *format, ...) LW_PRINTF(2, 3);

/// The exit code that a failed calculation or a refused description has.
int exit_code_of(lw_status status);

#endif
