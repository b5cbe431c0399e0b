// Loading a model for a command: read, compile, report what was found.
#ifndef ROBOT_FILE_H
#define ROBOT_FILE_H

#include <linkwork/compile.h>
#include <linkwork/io.h>
#include <linkwork/run.h>

#include "support/args.h"

/// Everything that a command works with.
typedef struct robot {
    lw_mech *mech;
    lw_model *model;
    lw_data *data;
    lw_report *report;      ///< all diagnostics
    int nread;              ///< those of the file; the rest are of the compile
    lw_level_choice *level; ///< [nlevel] as the options require
    int nlevel;
    const char **scene; ///< [nscene] assemblies of --scene
    int nscene;
} robot;

/// Loads args->operand[0] as the options require, and prints diagnostics to standard error. Returns
/// an exit code; robot_close() is due either way.
int robot_open(robot *r, const command_line *args);

/// The same without printing anything.
int robot_open_silently(robot *r, const command_line *args);

/// The same from a text in memory.
int robot_open_text(robot *r, const command_line *args, const char *name, const char *text,
                    size_t size);

/// The same as a robot of its own with data, which borrows nothing but the description; prints
/// diagnostics where that fails. robot_close() is due either way.
int robot_open_at_levels(robot *out, const robot *r, const command_line *args, const char *spec);

/// The same from the description as it is now, at the levels of the robot.
int robot_open_again(robot *out, const robot *r, const command_line *args);

/// Adds to the report where drives do not determine the joints that they reach, or share them.
void robot_check_drives(const robot *r, const command_line *args);

/// The choices of --levels, which are specs for these functions: (*spec)[0 .. *count). Returns an
/// exit code.
enum { MOST_LEVELS = 16 };
int split_levels(const command_line *args, const char *text, char ***spec, int *count);

/// The options that the model of the robot was compiled with; they borrow from it.
lw_compile_options robot_options(const robot *r, const command_line *args);

void robot_close(robot *r);

/// Prints one diagnostic, or all from number `first` on, to standard error.
void print_diagnostics(const lw_report *report, int first);

/// Prints all but those that another report has of the same place, by whatever name of the file.
void print_new_diagnostics(const lw_report *report, const lw_report *known);

/// Makes a report without the codes of --silence. Returns an exit code; destroy *report either way.
int report_open(const command_line *args, lw_report **report);

/// Loads a run file for a model, and prints diagnostics to standard error. Returns an exit code.
int run_open(const command_line *args, const char *path, const lw_model *m, lw_run **run);

/// How many diagnostics have this severity.
int count_diagnostics(const lw_report *report, lw_severity severity);

/// The index of a frame by its name; complains and returns -1 where there is none or several.
int robot_find_frame(const lw_model *m, const char *name);

/// The frame that a newcomer would call the tip: it is connected to the most joints, and is the
/// last of those. -1 for a model without frames, or if allocation fails.
int robot_tip(const lw_model *m);

#endif
