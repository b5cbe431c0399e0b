// The model that the studio shows: its file, its configuration, and what is computed of them for
// every frame. It stays the last good one while the file is broken.
#ifndef SHOWN_H
#define SHOWN_H

#include <linkwork/constraints.h>
#include <linkwork/io.h>

#include "support/robot_file.h"

#include <sys/stat.h>

/// A file that the model was read from, as it was then.
typedef struct watched_file {
    char *path;
    struct timespec time;
    long long size;
    unsigned long long inode;
} watched_file;

typedef struct shown {
    const command_line *args; ///< of the program
    command_line line;        ///< model options of args, and those that were edited
    memory pool;              ///< of the model
    robot robot;
    const lw_model *m;
    int version;     ///< rises with every model
    char *folder;    ///< of the model file, with '/' at its end; may be empty
    lw_report *last; ///< of the last attempt to load, which may have failed
    bool is_stale;   ///< the file has errors, and what is shown is older

    double *q;            ///< [nq] the last configuration that could be computed
    double *tree_q;       ///< [tree_nq]
    lw_pose *X_WB;        ///< [nbody]
    int *frame_of_body;   ///< [nbody] a frame that moves with it, or -1
    char message[512];    ///< why the last configuration was refused; empty if it was not
    double microseconds;  ///< that the last evaluation took
    lw_failure failure;   ///< of it
    lw_constraints *drag; ///< solver for one frame, or NULL
    int drag_frame;

    lw_srdf *srdf; ///< of --srdf, as it was read last without errors; NULL for none

    double began; ///< s of the real time clock: the model began to be read
    int nwatched;
    watched_file *watched; ///< [nwatched]
} shown;

/// Opens the model of the command line. Prints diagnostics, and returns an exit code.
int shown_open(shown *s, const command_line *args);
void shown_close(shown *s);

/// Reads the file again with other options (NULL: the same), and keeps the configuration by names.
/// False where that fails: everything is as it was, but for `last` and `is_stale`.
bool shown_reload(shown *s, const given_option *options, int noption);

/// Whether a file of the model has changed since it was read or asked for last.
bool shown_has_changed(shown *s);

/// Moves to q [nq]. False where it cannot be computed, with a message; everything stays.
bool shown_move(shown *s, const double *q);

/// Moves so that a frame is at a pose, or as near as it can be. False as above.
/// @param residual of the pose, m and rad
bool shown_drag(shown *s, int frame, const lw_pose *X_WF, double *residual);

/// Poses as shown_poses() has them where a loop closes the other way (branch 1 or -1), at the same
/// independent positions; null where it does not.
json_t *shown_other_branch(const shown *s, const char *loop, int branch);

/// For each closure step how many times faster its joints move at the most than the independent
/// ones, in SI units; null where the configuration is singular. It rises beyond all bounds there.
json_t *shown_gains(shown *s);

/// {conditions: for each closure step its condition number, null where it is singular; gap: the
/// widest that is left of all loops, m, null where one is open}.
json_t *shown_conditions(shown *s);

/// Position and quaternion (w, x, y, z) of a body; those of all bodies, as JSON.
void shown_pose(const shown *s, int body, double value[7]);
json_t *shown_poses(const shown *s);

/// A path without the folder of the model, or without its folders where it is elsewhere.
const char *shown_name(const shown *s, const char *path);

#endif
