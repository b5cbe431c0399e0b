// A calibration under way: its unknowns, and the equations of measurements.
#ifndef LWI_CALIBRATE_H
#define LWI_CALIBRATE_H

#include "../base/arena.h"

#include <linkwork/identify.h>
#include <linkwork/kinematics.h>

/// What an unknown changes.
typedef enum lwi_unknown_kind {
    LWI_UNKNOWN_KINEMATIC,  ///< a parameter of the description
    LWI_UNKNOWN_BASE,       ///< pose of the world for the measuring device
    LWI_UNKNOWN_TOOL,       ///< placement of the measured frame
    LWI_UNKNOWN_OFFSET,     ///< of a coordinate
    LWI_UNKNOWN_COMPLIANCE, ///< of a coordinate, under gravity
    LWI_UNKNOWN_REFERENCE   ///< of the plane or point
} lwi_unknown_kind;

typedef struct lwi_unknown {
    lwi_unknown_kind kind;
    int index; ///< component of a pose, coordinate, or number of the parameter in the list
    const char *name;
    double nominal, value, scale;
} lwi_unknown;

typedef struct lwi_calibrating {
    lwi_arena arena;
    const lw_calibrate_def *def;
    const lw_compile_options *options;
    int n; ///< unknowns
    lwi_unknown *at;
    int nrow;    ///< of one measurement
    int rows;    ///< of all
    lw_model *m; ///< for the values as they are now
    lw_data *d;
    lw_parameters *parameters;
    int frame;
    int nkinematic;
    int *list;                 ///< [nkinematic] numbers in lw_parameters
    double *q, *tau, *JF, *JP; ///< [nq], [nv], [6*nv], [6*nkinematic]
    double *J, *r;             ///< [rows*n] column by column, in units of noise and scale; [rows]
    double error[2];           ///< RMS of the last evaluation
    bool has_reference;        ///< the point or plane has a first guess
} lwi_calibrating;

/// Unknowns of a description, compiled once. Free with lwi_calibrating_end() either way.
lw_status lwi_calibrating_begin(lwi_calibrating *c, const lw_mech *mech,
                                const lw_compile_options *options, const lw_calibrate_def *def,
                                lw_report *report);
void lwi_calibrating_end(lwi_calibrating *c);

/// Compiles the description with the values as they are, which are written into it.
lw_status lwi_calibrating_compile(lwi_calibrating *c, lw_mech *mech, lw_report *report);

/// Residuals r and, with `has_rates`, J. Returns the sum of squares through `sum`.
lw_status lwi_calibrating_evaluate(lwi_calibrating *c, bool has_rates, double *sum);

#endif
