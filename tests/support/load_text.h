// Reading machines that stand in a test as text, and the findings of a reader as one text.
#ifndef LOAD_TEXT_H
#define LOAD_TEXT_H

#include <linkwork/io.h>
#include <linkwork/linkwork.h>

/// Loads and compiles a text; `name` stands for its file. Null, with a failed check that prints the
/// findings, when that fails. *mech is the caller's, where it is asked for.
lw_model *compile_text(const char *name, const char *text, lw_mech **mech);

/// The same for a file.
lw_model *compile_path(const char *path, lw_mech **mech);

/// A machine of the folder models: "closed/delta.xml".
lw_model *shipped_model(const char *name);

lw_model *shipped_model_at(const char *name, lw_level level); ///< all of it

/// All findings, a line each, of loading and compiling a text. Free with free().
char *findings_of_text(const char *name, const char *text);

/// The lines of a report. Free with free().
char *findings_text(const lw_report *report);

#endif
