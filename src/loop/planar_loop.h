// Loops whose joints all rotate about one direction or slide across it, in two dimensions.
//
// Every body of such a loop has two axes within the plane that agree with its parent's where the
// joint between them is at zero, so that its direction is the sum of the angles before it. A joint
// is then its offset from the joint before, along the axes of the body in between, and the way it
// rotates or slides. One sine and cosine and eight multiplications per joint are all that positions
// cost.
#ifndef LWI_PLANE_H
#define LWI_PLANE_H

#include "loop.h"

/// As lwi_step_position() and lwi_step_rates(), for steps of one planar loop. Positions leave the
/// records of the loop in the work space; rates and bias read them.
lw_status lwi_plane_position(const lw_model *m, const lwi_plane *plane, const lwi_step *step,
                             const lwi_loop_work *work, double *q, lwi_closure_fault *fault);
lw_status lwi_plane_rates(const lwi_plane *plane, const lwi_step *step, const lwi_loop_work *work,
                          double *K, lwi_closure_fault *fault);
void lwi_plane_bias(const lwi_plane *plane, const lwi_step *step, const lwi_loop_work *work,
                    const double *v, double *bias);

#endif
