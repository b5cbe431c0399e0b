// One motion at several levels of detail: what is compared, and what is told of it.
#ifndef TOOL_COMPARE_H
#define TOOL_COMPARE_H

#include "report/output.h"
#include "support/args.h"
#include "support/robot_file.h"

#include <linkwork/shafts.h>

/// The machine at one choice of levels. Arrays by joint have the common joints, in the order of the
/// guide.
typedef struct variant {
    char *spec;
    robot robot;
    const lw_model *m; ///< of the robot
    lw_data *d;
    lw_shafts shafts;
    int *q_of, *v_of;                       ///< [nq], [nv] the common coordinates, here
    double *q, *v, *a;                      ///< [samples * its own nq or nv] the motion
    double *tau;                            ///< [samples * nv]
    double *peak, *largest, *rms, *inertia; ///< [nv]
    double ns;
} variant;

/// Coordinates of all choices are those of the guide, which has the fewest, and for each choice the
/// degrees of freedom behind its elastic shafts. Differences are from the yardstick, the last
/// choice.
typedef struct comparison {
    const command_line *args;
    robot robot;
    variant at[MOST_LEVELS];
    int count;
    const variant *guide;
    int nq, nv;          ///< common coordinates
    const char **name;   ///< [nv] of the common joints
    int *position, *dof; ///< [nq], [nv] of the guide
    int samples;
    double duration; ///< 0 for given states
    double *q;       ///< [samples * nq] of the guide, all of its coordinates
    double *v, *a;   ///< [samples * nv]
} comparison;

/// The last choice, from which differences are told.
const variant *compare_yardstick(const comparison *c);

/// Complains that memory is short.
int compare_no_memory(void);

/// Zeros [rows * columns]; null where memory is short.
double *compare_numbers(int rows, int columns);

void compare_json(output *out, const comparison *c);

/// False where memory is short.
bool compare_text(output *out, const comparison *c);

/// A panel for each joint with a curve for each choice.
int compare_plot(const comparison *c, const char *path);

#endif
