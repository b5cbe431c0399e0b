// What the derivations over trees of bodies share: pseudo-inertias, runs of parallel joints, and
// the motion of a body in the Newton-Euler recursion with alternative ways to parts of it. These
// have the same values; what is made first is where a search begins.
#ifndef LWI_BODY_MOTION_H
#define LWI_BODY_MOTION_H

#include "body_tree.h"

// --- Pseudo-inertia (pseudo.c) ----------------------------------------------------------------

/// The second moments of a body's mass, as a symmetric matrix of four rows
///
///     P = [ Sigma  h ]    Sigma = integral of r r^T dm, h of r dm, m of dm.
///         [ h^T    m ]
///
/// It moves from frame to frame as X P X^T, and the inertia tensor is trace(Sigma) 1 - Sigma.
/// A revolute joint cannot distinguish from its parent what lies on its axis: m, h_z and Sigma_zz.
typedef struct lwi_pseudo {
    lwi_sym S;
    lwi_vec h;
    lwi_expr m;
} lwi_pseudo;

/// The place of S[i][k] in the list of six.
static inline int lwi_pseudo_index(int i, int k)
{
    return i == k ? i : i + k + 2;
}

lwi_pseudo lwi_pseudo_of(lwi_graph *g, const lwi_sym_body *body);
/// Writes it back as mass, first moment and tensor.
void lwi_pseudo_store(lwi_graph *g, const lwi_pseudo *P, lwi_sym_body *body);

lwi_pseudo lwi_pseudo_add(lwi_graph *g, const lwi_pseudo *a, const lwi_pseudo *b);

/// The same mass seen from a frame in which the old one is at X.
lwi_pseudo lwi_pseudo_move(lwi_graph *g, const lwi_pseudo *P, const lwi_frame *X);
lwi_pseudo lwi_pseudo_shift(lwi_graph *g, const lwi_pseudo *P, lwi_vec p);

/// The same mass after the rotation of its joint, along axes that do not rotate with it; for joints
/// of one degree of freedom.
lwi_pseudo lwi_pseudo_rotate(lwi_graph *g, const lwi_pseudo *P, const lwi_sym_body *body);

/// The same mass seen from the parent, for joints of one degree of freedom: first the joint's
/// rotation, which changes few entries, then the fixed placement.
lwi_pseudo lwi_pseudo_to_parent(lwi_graph *g, const lwi_pseudo *P, const lwi_sym_body *body);

// --- Runs of parallel joints (parallel_axes.c) ------------------------------------------------

/// Whether a body's z is along that of its parent, or against it.
bool lwi_is_parallel(const lwi_sym_body *body);

/// The last body of the run of parallel joints that begins with `first`: revolute joints with known
/// angles, each the only child of the one before, along the same axes at angle zero. The motion of
/// such a body depends on one absolute angle, the sum of those of its run. `first` itself if there
/// is no run.
int lwi_end_of_run(const lwi_sym_tree *tree, int first);

/// The first run of two bodies or more above a base that rotates about another direction.
typedef struct lwi_run {
    int base;        ///< the last joint before it
    int first, last; ///< its bodies; first is greater if there is no run
} lwi_run;

lwi_run lwi_find_run(const lwi_sym_tree *tree);

// --- Motion (newton_euler.c, parallel_motion.c, thin_body.c) ----------------------------------

/// How a body moves, in its own coordinates.
typedef struct lwi_body_motion {
    lwi_vec w;  ///< angular velocity
    lwi_vec dw; ///< angular acceleration
    lwi_mat U;  ///< dw x + w x w x: the acceleration of a point r is a + U r
    lwi_vec a;  ///< acceleration of the origin minus gravity
    lwi_vec p;  ///< the body's origin in the parent
    lwi_vec f, n;
    lwi_vec rest; ///< n without the moment of the body's own Sigma
    lwi_vec spin; ///< that moment

    // Of bodies of a run of parallel joints, where a = lift u + plain:
    lwi_vec u;     ///< the axis of the base
    lwi_expr lift; ///< gravity, and the part of the centripetal acceleration along u
    lwi_vec plain; ///< the others
} lwi_body_motion;

static inline bool lwi_is_loaded(const lwi_sym_body *body)
{
    bool is_some = false;
    for (int k = 0; k < 3; ++k) {
        is_some = is_some || body->moment.e[k] != LWI_ZERO || body->force.e[k] != LWI_ZERO;
    }
    return is_some;
}

/// The motion of one body of a run from that of the base, by its absolute angle: fills u.
void lwi_rotate_from_base(lwi_graph *g, const lwi_sym_tree *tree, lwi_body_motion *all, lwi_run run,
                          int i);

/// The acceleration of the origin of one body of a run, after those before it: fills lift and
/// plain.
void lwi_run_acceleration(lwi_graph *g, const lwi_sym_tree *tree, lwi_body_motion *all, lwi_run run,
                          int i);

/// The moment of the Sigma of a body of a run about its own axis and about that of the base, if u
/// is across its axis.
void lwi_run_moments(lwi_graph *g, const lwi_sym_tree *tree, const lwi_body_motion *all,
                     lwi_run run, int i);

/// The moment about the axis of the base joint, when the forces on all bodies of the run are known.
void lwi_run_power(lwi_graph *g, const lwi_sym_tree *tree, const lwi_body_motion *all, lwi_run run);

/// Whether all moments of a body but its S_xx and S_yy are along one axis across z and along z; the
/// number of that axis, or -1.
int lwi_thin_axis(const lwi_pseudo *P);

/// Force and moment of such a body at the end of a chain, along axes that do not rotate with its
/// joint.
/// @param still the motion along these axes
void lwi_thin_force(lwi_graph *g, const lwi_sym_body *body, const lwi_pseudo *P, int axis,
                    const lwi_body_motion *still);

#endif
