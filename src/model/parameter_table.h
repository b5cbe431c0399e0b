// Kinematic parameters as they act on a compiled model. Off the path of all other computations: the
// table is made on demand, from the description, and nothing in the model refers to it.
//
// A parameter of a placement is a virtual joint: all that is attached behind it moves by a constant
// twist of the body it belongs to. What is attached behind what follows from the locations of the
// description, which are numbered so that those behind a place stand in a row.
#ifndef LWI_PARAMETER_TABLE_H
#define LWI_PARAMETER_TABLE_H

#include <linkwork/parameters.h>

#include "../base/arena.h"
#include "program.h"

/// Moves all places first .. end - 1.
typedef struct lwi_action {
    int first, end;
    int body;        ///< in whose coordinates the twist is, about its origin; -1 for the world
    int q;           ///< tree position that the twist is multiplied by, or -1
    lw_motion twist; ///< for unit rate of the parameter
} lwi_action;

/// What a parameter does to a row of the closure program by itself.
typedef enum lwi_effect {
    LWI_EFFECT_NONE,
    LWI_EFFECT_LENGTH, ///< of a rod
    LWI_EFFECT_COSINE, ///< of the axes of a closing universal joint
    LWI_EFFECT_LEAD,   ///< of a closing screw
    LWI_EFFECT_GEAR,   ///< a size of a gear
    LWI_EFFECT_RATIO,  ///< a number of a gearbox: the share of one degree of freedom
    LWI_EFFECT_COUPLING
} lwi_effect;

typedef struct lwi_parameter {
    const char *name;
    double value;
    const double *source; ///< the number in the description, or NULL; valid while that lives
    int action, naction;
    lwi_effect effect;
    int index;   ///< loop, gear, or step of a coupling
    int which;   ///< wheel of a gear, degree of freedom of a gearbox's row, power of a coupling
    double rate; ///< of what the effect changes, for unit rate of the parameter
} lwi_parameter;

/// The row of a gear: sum of share * (q - reference) over its degrees of freedom.
typedef struct lwi_gear_row {
    int step, row; ///< where it is solved; -1 where others imply it
    int ndof, nfirst;
    const int *v, *q;
    const double *share, *reference;
} lwi_gear_row;

struct lw_parameters {
    lwi_arena arena;
    int nbody, nframe_all, nloop, nstep, tree_nv; ///< of the model
    lwi_parameter *at;
    int count;
    lwi_action *action;
    const int *frame_location; ///< [nframe_all] -1 for a frame that nothing moves
    const int *loop_location;  ///< [2*nloop]
    const lwi_gear_row *gear;
    int ngear;
};

#endif
