// A table of parameters under way.
#ifndef LWI_PARAMETER_BUILD_H
#define LWI_PARAMETER_BUILD_H

#include "../model/parameter_table.h"
#include "build.h"

typedef struct lwi_parameter_build {
    lwi_build *b;
    lwi_arena *out; ///< of the result
    bool is_short;  ///< memory was
    int *parent;    ///< [nplace] smaller numbers
    int nlocation;
    int *part_location, *b_location,
        *frame_location; ///< [nflat] of a part, its port b, its first frame
    int *loop_location;  ///< [2*nloop]
    lwi_action *action;
    int naction, action_room;
    lwi_parameter *at;
    int count, room;
} lwi_parameter_build;

/// One end of what an axis does: a turn of the frame X of a body and of all behind a place.
typedef struct lwi_axis_end {
    int location, body;
    lw_pose X;
    double sign;
} lwi_axis_end;

int lwi_add_location(lwi_parameter_build *t, int parent);

/// The place of a port of a flat part; -1 for none.
int lwi_port_location(const lwi_parameter_build *t, int flat, int port);

/// Two texts with another between them, kept with the result.
const char *lwi_put_together(lwi_parameter_build *t, const char *one, const char *between,
                             const char *other);

/// The parameter "stem.tail"; NULL if allocation fails.
lwi_parameter *lwi_add_parameter(lwi_parameter_build *t, const char *stem, const char *tail,
                                 double value, const double *source);

/// The numbers of a placement, which moves all behind `place`, from the frame X of a body.
void lwi_add_placement(lwi_parameter_build *t, int location, int body, const lw_pose *X,
                       const char *stem, const lw_placement *placement);

/// The three components of an axis.
void lwi_add_axis(lwi_parameter_build *t, const char *stem, const lw_vec3 *axis,
                  const lwi_axis_end *end, int nend);

/// Loops, gears and couplings, behind all parts of the tree.
void lwi_add_closure_parameters(lwi_parameter_build *t);

/// The row of gear g.
lwi_gear_row lwi_make_gear_row(lwi_parameter_build *t, int g);

#endif
