// The motion of a body in Newton and Euler's recursion, and ways to parts of it besides the
// recursion. These land on the same values; what is made first is where a search begins.
#ifndef LWI_BODY_MOTION_H
#define LWI_BODY_MOTION_H

#include "parallel_axes.h"
#include "pseudo.h"

/// How a body moves, in its own coordinates.
typedef struct lwi_body_motion {
    lwi_expr w[3];  ///< angular velocity
    lwi_expr dw[3]; ///< angular acceleration
    lwi_expr U[9];  ///< dw x + w x w x: the acceleration of a point r is a + U r
    lwi_expr a[3];  ///< of the origin, gravity taken off
    lwi_expr E[9];  ///< the body's axes in those of the parent
    lwi_expr p[3];  ///< the body's origin there
    lwi_expr f[3], n[3];
    lwi_expr rest[3]; ///< n without the moment of the body's own Sigma
    lwi_expr spin[3]; ///< that moment

    // Of bodies of a run of parallel joints, where a = lift u + plain:
    lwi_expr u[3];     ///< the axis of the base
    lwi_expr lift;     ///< weight, and the share of the base's rate along u
    lwi_expr plain[3]; ///< the others
} lwi_body_motion;

/// The motion of one body of a run from that of the base, by its absolute angle: fills u.
void lwi_turn_from_base(lwi_graph *g, const lwi_robot *robot, lwi_body_motion *all, lwi_run run,
                        int i);

/// The acceleration of the origin of one body of a run, after those before it: fills lift and
/// plain.
void lwi_run_acceleration(lwi_graph *g, const lwi_robot *robot, lwi_body_motion *all, lwi_run run,
                          int i);

/// What the Sigma of a body of a run asks for about its own axis and about that of the base, where
/// u is across its axis.
void lwi_run_moments(lwi_graph *g, const lwi_robot *robot, const lwi_body_motion *all, lwi_run run,
                     int i);

/// The moment about the axis of the base joint, when the forces on all bodies of the run are known.
void lwi_run_power(lwi_graph *g, const lwi_robot *robot, const lwi_body_motion *all, lwi_run run);

/// Whether all moments of a body but its S_xx and S_yy are along one axis across z and along z; the
/// number of that axis, or -1.
int lwi_thin_axis(const lwi_pseudo *P);

/// Force and moment of such a body at the end of a chain, along axes that do not turn with its
/// joint.
/// @param still the motion along these axes
void lwi_thin_force(lwi_graph *g, const lwi_robot_body *body, const lwi_pseudo *P, int axis,
                    const lwi_body_motion *still);

#endif
