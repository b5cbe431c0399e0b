// linkwork/generated.h: equations compiled while the program runs. The only part of the library
// that starts a compiler and loads what it made.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
#ifndef LINKWORK_GENERATED_H
#define LINKWORK_GENERATED_H

#include <linkwork/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The compiler and where it works. No shell is started, and nothing is asked of the environment
/// but where programs are.
typedef struct lw_compiler {
    /// A C compiler that takes the options of GCC: a name or a path, with options behind blanks.
    /// Null for "cc".
    const char *command;

    /// A folder that keeps what was compiled, by the digest of its source; made where it is not
    /// there. It must be the user's own, with no access for others. Null to keep nothing.
    const char *cache;

    /// Where a private folder is made for the work, and removed again. Null for "/tmp"; not used
    /// where there is a cache.
    const char *temporary;
} lw_compiler;

/// Letters of a function that is compiled at most: compilers take a time that grows faster than
/// them, about 5 s for these.
enum { LW_LONGEST_CODE = 220000 };

/// Derives the functions that the options ask for, writes them as C, compiles that, and loads it.
///
/// Where there is no compiler, or anything else stands against it, the same equations are run
/// operation by operation: the answers are the same, the report says why in a warning, and the name
/// of the engine is "interpreted" instead of "generated". So are functions whose code is longer
/// than LW_LONGEST_CODE, with a note (lw_engine_interpreted()). Functions that cannot be derived
/// for this machine are left out, with a note.
///
/// @param options  null for the default
/// @param compiler null for "cc" and no cache
LW_API lw_status lw_engine_generated(const lw_model *m, const lw_engine_options *options,
                                     const lw_compiler *compiler, lw_engine **engine,
                                     lw_report *report);

/// Compiles a C source that defines `double linkwork_self_check(void)`, loads it, and calls that.
/// @param compiler null for "cc" and no cache
/// @param worst    what it returned
/// @return LW_ERR_FILE where it cannot be compiled or loaded, with a warning in the report,
///         LW_ERR_NAME where it has no such function
LW_API lw_status lw_run_self_check(const lw_compiler *compiler, const char *source, double *worst,
                                   lw_report *report);

#ifdef __cplusplus
}
#endif
#endif
