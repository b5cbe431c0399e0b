// Loops whose joints all turn about one direction or slide across it, in two dimensions.
//
// Every body of such a loop has two axes within the plane that agree with its parent's where the
// joint between them is at zero, so that its direction is the sum of the angles before it. A joint
// is then its offset from the joint before, along the axes of the body in between, and the way it
// turns or slides. One sine and cosine and eight products a joint are all that positions cost.
#ifndef LWI_PLANE_H
#define LWI_PLANE_H

#include "loop.h"

typedef struct lwi_vec2 {
    double x, y;
} lwi_vec2;

typedef struct lwi_plane_joint {
    int q, v;   ///< tree coordinates
    int column; ///< in the matrix of the step
    bool is_slide;
    double sign;     ///< of a joint that turns: 1 where its axis is along the normal, else -1
    lwi_vec2 offset; ///< from the origin of the body before
    lwi_vec2 slide;  ///< direction, where it slides
} lwi_plane_joint;

typedef struct lwi_plane_side {
    int n;
    const lwi_plane_joint *joint;
    lwi_vec2 end;   ///< of the branch, in its last body
    lwi_vec2 along; ///< direction of a closing joint that slides, likewise
} lwi_plane_side;

typedef struct lwi_plane {
    lwi_plane_side side[2];
    double length2; ///< of a rod: its square within the plane
    bool slides;    ///< the closing joint does
    int first;      ///< its first record in lwi_loop_work.plane
} lwi_plane;

/// Where a joint is, in the frame of the common body; and its direction, where it slides.
typedef struct lwi_plane_record {
    lwi_vec2 p, dir;
} lwi_plane_record;

enum { LWI_PLANE_ENDS = 2 }; ///< records behind those of the joints: p the end, dir the direction

/// As lwi_step_position() and lwi_step_rates(), for steps of one planar loop. Positions leave the
/// records of the loop in the work space; rates and bias read them.
lw_status lwi_plane_position(const lw_model *m, const lwi_plane *plane, const lwi_step *step,
                             const lwi_loop_work *work, double *q, lwi_closure_fault *fault);
lw_status lwi_plane_rates(const lwi_plane *plane, const lwi_step *step, const lwi_loop_work *work,
                          double *K, lwi_closure_fault *fault);
void lwi_plane_bias(const lwi_plane *plane, const lwi_step *step, const lwi_loop_work *work,
                    const double *v, double *bias);

#endif
