// One motion at several levels of detail: what is compared, and what is printed of it.
#ifndef TOOL_COMPARE_H
#define TOOL_COMPARE_H

#include "report/output.h"
#include "support/args.h"
#include "support/robot_file.h"

#include <linkwork/shafts.h>

/// The mechanism at one choice of levels. Arrays by joint have the common joints, in the order of
/// the guide.
typedef struct variant {
    const char *spec;
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
    memory *pool;
    const robot *robot; ///< as the file has
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

/// The last choice, which the others are compared with.
const variant *compare_yardstick(const comparison *c);

void compare_json(output *out, const comparison *c);

void compare_text(output *out, const comparison *c);

/// A panel for each joint with a curve for each choice.
int compare_plot(const comparison *c, const char *path);

#endif
