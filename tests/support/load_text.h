// Reading and compiling machines that stand in a test as text or in a file, and the diagnostics of
// that.
#ifndef LOAD_TEXT_H
#define LOAD_TEXT_H

#include <linkwork/io.h>
#include <linkwork/linkwork.h>

#include <glob.h>

/// Loads a text, for which `name` stands as its file; or that file, where the text is null. Null,
/// with a failed check that prints the diagnostics, when that fails.
lw_mech *load_checked(const char *name, const char *text);

/// Compiles; null, with a failed check that prints the diagnostics, when that fails.
lw_model *compile_checked(const lw_mech *mech, const lw_compile_options *options);

/// Loads and compiles a text; `name` stands for its file. Null, with a failed check that prints the
/// diagnostics, when that fails. *mech is the caller's, where it is asked for.
lw_model *compile_text(const char *name, const char *text, lw_mech **mech);

/// The same for a file.
lw_model *compile_path(const char *path, lw_mech **mech);

/// A machine of the folder models: "closed/delta.xml".
lw_model *shipped_model(const char *name);

/// The same with the first `from` in its text replaced by `to`.
lw_model *shipped_model_with(const char *name, const char *from, const char *to);

/// The delta with one rod on an arm of its own, which follows the other: the same motion, but the
/// rods are no pair, and Newton's method has to find it.
lw_model *iterated_delta(void);

/// "bennett" or "bricard" with a closing joint that may slide as well, but cannot: the same motion
/// without the closed form.
lw_model *iterated_linkage(const char *name);

lw_model *shipped_model_at(const char *name, lw_level level); ///< all of it

/// The files of the folder models and of those in it. Free with globfree().
void shipped_paths(glob_t *found);

/// All diagnostics, a line each, of loading and compiling a text. Free with free().
char *diagnostics_of_text(const char *name, const char *text);

/// The lines of a report. Free with free().
char *diagnostics_text(const lw_report *report);
void print_diagnostics(const lw_report *report);

/// The first line of the report that contains a text, in a static buffer; "" where there is none.
const char *diagnostic_with(const lw_report *report, const char *part);

/// Whether a line of the report begins with a text.
bool has_diagnostic(const lw_report *report, const char *beginning);

#endif
