// Compiling and running generated sources in tests, and counting what stands in them.
#ifndef COMPILED_H
#define COMPILED_H

#include <linkwork/symbolic.h>

#include <stdbool.h>

/// A new folder below the system's folder for such; removed with everything in it by
/// compiled_remove().
bool compiled_folder(char folder[64]);
void compiled_remove(const char *folder);

/// Whether a program is on this machine.
bool compiled_has(const char *program);

/// Writes folder/name.
bool compiled_write(const char *folder, const char *name, const char *text);

/// Runs a command within the folder and gives its exit code; what it prints goes to folder/log.
int compiled_run(const char *folder, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Shows the last lines of folder/log, for a test that failed.
void compiled_show_log(const char *folder);

/// The flags that generated C promises to be clean under.
#define COMPILED_STRICT "-std=c99 -Wall -Wextra -Wconversion -Wshadow -Werror"

/// Compiles a program that includes the text as "arm.h" and calls arm_self_check(), under strict
/// and more flags, and checks that its error is below the tolerance.
void compiled_self_check(const char *folder, const char *compiler, const char *flags,
                         const char *text, const char *tolerance);

/// Counts the operators and calls in the body of PREFIX_function of a C or Python text, by reading
/// its letters: this knows nothing of tapes. False where the function is not there.
/// @param head how the definition begins, "_inverse_dynamics(" or "def inverse_dynamics("
bool compiled_recount(const char *text, const char *head, lw_counts *counts);

#endif
