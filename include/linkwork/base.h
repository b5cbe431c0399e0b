// linkwork/base.h: status codes, diagnostics with their places, and what every other header needs.
//
// Stable. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// What holds for the whole library, unless a comment says otherwise:
//
//   results   A function that can fail returns a lw_status, and writes its outputs on LW_OK only;
//             an object that it should make is null otherwise. Null where none is allowed, and an
//             index out of range, are LW_ERR_ARGUMENT.
//   order     Objects first (model, data), then inputs, then outputs; a report comes last.
//   life      lw_..._create() makes an object, lw_..._destroy() frees it and accepts null. What is
//             handed out otherwise is borrowed from the object that was asked. lw_..._init() lays
//             the object out in memory of the caller's, who frees that and destroys nothing.
//             lw_..._free() frees what a struct of the caller's holds.
//   threads   There are no globals. A function reads the objects that it takes by const and changes
//             those that it takes without: any number of threads may share an object that none of
//             them changes, such as a model; an object that is changed serves one thread at a time.
//             Functions that allow more say "Thread safe."
//   real time A function is real-time safe where it allocates nothing, takes no lock, makes no
//             system call and does not recurse. The first lines of each header say whether its
//             functions are; a function that differs says "Real-time safe." or "Not real-time
//             safe." tests/alloc proves each of these statements.
//   promise   The first lines of each header say "Stable." or "Experimental."
//             (docs/reference/compatibility.md)
//   units     SI, and radians. Forces along degrees of freedom are N m where these are angles and
//             N where they are lengths.
//   arrays    [n] in a comment is the length that the caller provides; matrices are row by row.
#ifndef LINKWORK_BASE_H
#define LINKWORK_BASE_H

// LW_DECLARATIONS_ONLY leaves out what readers of C declarations, such as cffi, do not take:
// headers of the system, attributes and inline functions. Run the headers through `cc -E -P` with
// it.
#ifndef LW_DECLARATIONS_ONLY
#include <stdbool.h>
#include <stddef.h>
#endif

#include "diagnostic.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && !defined(LW_DECLARATIONS_ONLY)
#define LW_API __attribute__((visibility("default")))
#define LW_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define LW_API
#define LW_PRINTF(text, first)
#endif

#define LW_VERSION_MAJOR 0
#define LW_VERSION_MINOR 1
#define LW_VERSION_PATCH 0
#define LW_VERSION "0.1.0"

// One list gives the statuses, their numbers, names and texts: lw_status_name() and
// lw_status_text() expand it too. Numbers and names never change, and are never used again for
// another status.
//
//   X(constant, number, name, text)
#define LW_STATUS_LIST(X)                                                                          \
    X(LW_OK, 0, "ok", "good")                                                                      \
    X(LW_ERR_ARGUMENT, 1, "argument", "an argument is null, out of range or of the wrong size")    \
    X(LW_ERR_MEMORY, 2, "memory", "not enough memory")                                             \
    X(LW_ERR_LIMIT, 3, "limit", "larger than this library accepts")                                \
    X(LW_ERR_FILE, 4, "file", "a file cannot be read or written")                                  \
    X(LW_ERR_SYNTAX, 5, "syntax", "a file is not well formed")                                     \
    X(LW_ERR_MODEL, 6, "model", "the description is not a mechanism that can be computed")         \
    X(LW_ERR_NAME, 7, "name", "a name is unknown, missing or used twice")                          \
    X(LW_ERR_PORT_UNKNOWN, 8, "port-unknown", "the part has no such port")                         \
    X(LW_ERR_PORT_KIND, 9, "port-kind", "a frame port and an axis port cannot be connected")       \
    X(LW_ERR_PORT_BOTH_A, 10, "port-both-a", "two A ports cannot be connected")                    \
    X(LW_ERR_PORT_BOTH_B, 11, "port-both-b", "two B ports cannot be connected")                    \
    X(LW_ERR_PORT_TAKEN, 12, "port-taken", "the A port is connected already")                      \
    X(LW_ERR_PORT_SAME_PART, 13, "port-same-part", "a part cannot be connected to itself")         \
    X(LW_ERR_PORT_CYCLE, 14, "port-cycle", "the connection would close a cycle of parts")          \
    X(LW_ERR_PORT_FOREIGN, 15, "port-foreign", "the port belongs to another description")          \
    X(LW_ERR_PORT_PROTECTED, 16, "port-protected",                                                 \
      "the inside of an assembly is reached through its gateways only")                            \
    X(LW_ERR_PORT_FREE, 17, "port-free", "the two ports are not connected with each other")        \
    X(LW_ERR_FROZEN, 18, "frozen",                                                                 \
      "the description is in use as an assembly and cannot be edited")                             \
    X(LW_ERR_NUMBER, 19, "number", "a number is not finite")                                       \
    X(LW_ERR_STAGE, 20, "stage", "an earlier computation that this one needs has not been made")   \
    X(LW_ERR_SINGULAR, 21, "singular", "a matrix is singular")                                     \
    X(LW_ERR_LOOP_OPEN, 22, "loop-open", "a loop cannot be closed")                                \
    X(LW_ERR_NO_CONVERGENCE, 23, "no-convergence", "an iteration did not converge")                \
    X(LW_ERR_BUSY, 24, "busy", "still in use by another thread")                                   \
    X(LW_ERR_UNSUPPORTED, 25, "unsupported", "not possible for this mechanism or in this build")   \
    X(LW_ERR_MOTION, 26, "motion", "a motion cannot keep its limits")

typedef enum lw_status {
#define LW_STATUS_CODE(constant, number, name, text) constant = number,
    LW_STATUS_LIST(LW_STATUS_CODE)
#undef LW_STATUS_CODE
        LW_STATUS_COUNT = 27 ///< not a status: one more than the highest number
} lw_status;

/// The name of a status, such as "port-taken", which is the code of an error: stable, for programs
/// to compare. What a status means, in one phrase. Never null. Real-time safe.
LW_API const char *lw_status_name(lw_status status);
LW_API const char *lw_status_text(lw_status status);

/// The version of the library that is running, as "major.minor.patch".
LW_API const char *lw_version(void);

/// Frees a text that a function of the library made. Accepts null.
LW_API void lw_text_free(char *text);

/// Help for a misspelt name: the nearest of those that are known, or a synonym ("hinge", "com").
/// Begin with the wanted text, offer the others one by one; `best` is then the one that was meant,
/// or null where none is near enough. Texts are borrowed. Of very many names only the first twenty
/// thousand are looked at. Read `best` and leave the rest to the functions below.
typedef struct lw_nearest {
    const char *wanted, *best;
    int distance; ///< letters to insert, delete, replace or swap
    int offers;   ///< so far
} lw_nearest;

/// Begins a search for a text, and compares one candidate with it.
LW_API void lw_nearest_init(lw_nearest *nearest, const char *wanted);
LW_API void lw_nearest_offer(lw_nearest *nearest, const char *candidate);

/// Reads a finite decimal number that fills text[0 .. length), the same in every locale and
/// correctly rounded: no blanks, no "nan", no "inf", no hexadecimal, no overflow. False if it is
/// not one; *out is then untouched.
LW_API bool lw_parse_number(const char *text, size_t length, double *out);

/// A place in a file. Line and column count from 1; 0 means unknown. The text of `file` is borrowed
/// from whoever made the place.
typedef struct lw_location {
    const char *file; ///< null where a thing was made by calls
    int line, column;
} lw_location;

typedef enum lw_severity {
    LW_NOTE = 0,    ///< worth knowing
    LW_WARNING = 1, ///< computable, but probably not what was meant
    LW_ERROR = 2    ///< cannot be computed
} lw_severity;

/// Something found in a file or in a description.
typedef struct lw_diagnostic {
    lw_severity severity;
    lw_status status;        ///< LW_OK for notes and warnings
    lw_diagnostic_code code; ///< LW_DIAG_ERROR for errors
    lw_location location;
    const char *message;
} lw_diagnostic;

/// The name of a code, such as "mesh-missing", and what it means. Never null.
LW_API const char *lw_diagnostic_name(lw_diagnostic_code code);
LW_API const char *lw_diagnostic_text(lw_diagnostic_code code);

/// The name of the code of a diagnostic: that of its status for an error. Never null.
LW_API const char *lw_diagnostic_code_name(const lw_diagnostic *diagnostic);

/// Diagnostics, in the order in which they were found. Every function that takes a report accepts
/// null and then reports by its status alone.
typedef struct lw_report lw_report;

/// An empty report. LW_ERR_MEMORY if allocation fails. Free with lw_report_destroy().
LW_API lw_status lw_report_create(lw_report **report);
LW_API void lw_report_destroy(lw_report *report);

/// The report drops warnings and notes of this code from now on, without counting them. Errors
/// cannot be silenced.
LW_API void lw_report_silence(lw_report *report, lw_diagnostic_code code);

/// Forgets all diagnostics; texts handed out before are gone. What was silenced remains so.
LW_API void lw_report_clear(lw_report *report);

/// How many diagnostics are kept; how many errors there were, kept or not; and how many diagnostics
/// were not kept: after the first thousand of one severity only their number is. 0 for null.
LW_API int lw_report_count(const lw_report *report);
LW_API int lw_report_errors(const lw_report *report);
LW_API int lw_report_dropped(const lw_report *report);

/// Diagnostic number i, borrowed until the report changes; an empty note when i is out of range.
LW_API lw_diagnostic lw_report_diagnostic(const lw_report *report, int i);

/// Writes "arm.urdf:14:9: error: link ...", or "arm.urdf:14:9: warning: mesh ... [mesh-missing]",
/// with a closing zero, cut to `size` bytes. Returns the length of the whole text.
LW_API int lw_diagnostic_format(const lw_diagnostic *diagnostic, char *text, size_t size);

/// Adds a diagnostic of the caller's own; texts are copied. The code of an error is always
/// LW_DIAG_ERROR; other programs give their warnings and notes LW_DIAG_USER.
LW_API void lw_report_add(lw_report *report, lw_severity severity, lw_status status,
                          lw_diagnostic_code code, lw_location location, const char *format, ...)
    LW_PRINTF(6, 7);

#ifdef __cplusplus
}
#endif
#endif
