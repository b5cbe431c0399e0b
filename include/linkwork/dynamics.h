// linkwork/dynamics.h: forces, accelerations, mass matrix, energy and momentum of a compiled model.
//
// Stable. Real-time safe unless stated otherwise; thread safe by const (linkwork/base.h).
//
// The time of a function does not depend on the values, but for Newton blocks, which are bounded
// (lw_data_limit_iterations). None needs an earlier call but where its comment names a stage; each
// leaves the stage of the data at LW_STAGE_NONE but where its comment states otherwise. Several at
// one state need not repeat its loops and sines: lw_set_state() in kinematics.h.
//
// Each returns LW_OK or a status, and writes its outputs only on LW_OK:
//
//   LW_ERR_ARGUMENT   NULL where none is allowed, data of another model, an index out of range
//   LW_ERR_NUMBER     a number in q, v, a or tau is not finite, or a quaternion in q is zero; and
//                     where a computed force or acceleration is not finite, because numbers of the
//                     model or the state are too large or one in f_ext is not finite: then the
//                     output is written all the same
//   LW_ERR_SINGULAR   only where said, and where a loop is at a singular configuration: the rates
//                     of its dependent degrees of freedom are then not determined
//   LW_ERR_LOOP_OPEN  where a loop cannot be closed at q
//   LW_ERR_LIMIT      where closure steps make more than 4 million pairs of a joint and a degree of
//                     freedom that moves it, or that is under way between joints that it moves;
//                     where springs, or rods with mass, tie a tree of more than 2000 degrees of
//                     freedom
//
// On LW_OK the results of lw_inverse_dynamics(), lw_forward_dynamics(), lw_bias_forces() and
// lw_gravity_forces() are finite. Matrices, energies and reactions are not looked at: those of a
// model whose numbers are too large may not be finite.
//
// lw_data_failure() returns which loop, and how far its ends stay apart. A closed mechanism is used
// like an open one: its loops, gears and couplings hold in every function below, and rods with mass
// count everywhere.
//
// Positions q [nq], velocities v [nv], accelerations a [nv] = dv/dt and forces tau [nv] are the
// independent ones. Quaternions in q are used as if normalised. The equation of motion is
//
//   M(q) a + h(q, v) = tau + J' f_ext
//   h = (Coriolis and centrifugal) + (gravity) + joint forces - loads
//
// where M contains the rotor inertias and the joint forces are, degree of freedom
// by degree of freedom,
//
//   damping * v + friction * s(v / friction_speed) + stiffness * (q - spring_rest),
//
//   s(x) = x (3 - x^2) / 2 for |x| < 1, else sign(x)
//
// (beyond friction_speed, an option below, this is Coulomb friction, friction * sign(v), exactly)
// and those of springs and torsions (lw_model.spring): F dx/dq for the force F of each and its
// length or twist x. Joints' own springs act on degrees of freedom that have a position of their
// own; spherical and free joints have none. Loads are the constant wrenches of the description
// (lw_model.load); they always act.
#ifndef LINKWORK_DYNAMICS_H
#define LINKWORK_DYNAMICS_H

#include <linkwork/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What the functions below take into account. It is kept in the data, and holds for every function
/// that is given this data until it is set anew.
typedef struct lw_dynamics_options {
    /// Leaves out damping, friction, stiffness and rotor inertia of the joints, and springs.
    bool is_ideal;

    /// Leaves out the Coulomb friction of the joints alone.
    bool is_frictionless;

    /// Speed within which the jump of Coulomb friction at rest is smoothed, rad/s or m/s. At first
    /// LW_FRICTION_SPEED, so that rounding errors in v do not switch friction on and off. 0 keeps
    /// the jump, sign(v) with sign(0) = 0.
    double friction_speed;

    /// Acceleration of free fall, along the axes of the world, m/s^2. At first that of the model.
    lw_vec3 gravity;

    /// Motion of the world frame itself within inertial space, along the axes of the world: angular
    /// velocity and velocity of its origin; angular acceleration and acceleration of its origin
    /// (the second derivative of its position). At first zero. Give the gravity that fits a base
    /// that rotates. It enters inverse and forward dynamics, bias forces and reactions, and its
    /// velocity kinetic energy and momentum.
    lw_motion base_velocity, base_acceleration;
} lw_dynamics_options;

/// What holds in data that has just been made: joints as described, the model's gravity, a world at
/// rest.
LW_API lw_dynamics_options lw_default_dynamics_options(const lw_model *m);

/// Sets what holds in this data from now on. LW_ERR_NUMBER where a number is not finite
/// or friction_speed is negative.
/// @param options NULL for the default
LW_API lw_status lw_set_dynamics_options(lw_data *d, const lw_dynamics_options *options);
LW_API lw_dynamics_options lw_get_dynamics_options(const lw_data *d);

// --- Equation of motion -----------------------------------------------------------------------

/// Joint forces that produce a given motion: tau = M(q) a + h(q, v) - J' f_ext.
/// Recursive Newton-Euler, O(nbody).
///
/// @param f_ext  [nbody] force on each body, in body coordinates about the body's origin (see
///               lw_add_force_at_frame); NULL for none
/// @param tau    [nv]; may be the same array as a
LW_API lw_status lw_inverse_dynamics(const lw_model *m, lw_data *d, const double *q,
                                     const double *v, const double *a, const lw_force *f_ext,
                                     double *tau);

/// Mass matrix. Composite rigid bodies, O(nbody * depth).
/// @param M [nv*nv] row by row, both triangles
LW_API lw_status lw_mass_matrix(const lw_model *m, lw_data *d, const double *q, double *M);

/// The same, of which only entries k >= i of row i are set: what is below the diagonal is
/// undefined. Deep trees take half the time.
LW_API lw_status lw_mass_matrix_upper(const lw_model *m, lw_data *d, const double *q, double *M);

/// Accelerations that joint forces cause: a = M^-1 (tau - h + J' f_ext).
///
/// Articulated bodies, O(nbody); the mass matrix and its factors, O(nv^3), where the model has
/// closure steps or rods with mass.
///
/// LW_ERR_SINGULAR where a degree of freedom moves no inertia (a massless tip): lw_failure.dof.
/// @param a [nv]; may be the same array as tau
LW_API lw_status lw_forward_dynamics(const lw_model *m, lw_data *d, const double *q,
                                     const double *v, const double *tau, const lw_force *f_ext,
                                     double *a);

/// Joint forces that balance gravity at rest: the gradient of its potential. Neither
/// springs nor loads are in it.
/// @param tau [nv]
LW_API lw_status lw_gravity_forces(const lw_model *m, lw_data *d, const double *q, double *tau);

/// h(q, v): what lw_inverse_dynamics() gives for a = 0 and no external force.
/// @param tau [nv]; may be the same array as v
LW_API lw_status lw_bias_forces(const lw_model *m, lw_data *d, const double *q, const double *v,
                                double *tau);

/// The Coriolis matrix by which C v are the Coriolis and centrifugal forces and dM/dt - 2 C is
/// skew. A world in motion is not in it. O(nbody * depth); with closure steps O(tree_nv^2 * nv),
/// and 2 nv sweeps of velocities through them.
/// @param C [nv*nv] row by row
LW_API lw_status lw_coriolis_matrix(const lw_model *m, lw_data *d, const double *q, const double *v,
                                    double *C);

// --- Forces at bodies and joints --------------------------------------------------------------

/// Adds a moment and a force that act at the origin of a frame to f_ext [nbody], as the functions
/// above take it. A frame on the world takes any force without effect.
/// Needs LW_STAGE_POSITION for axes LW_IN_WORLD, nothing for LW_IN_FRAME. Keeps the stage.
LW_API lw_status lw_add_force_at_frame(const lw_model *m, const lw_data *d, int frame, lw_axes axes,
                                       const lw_force *force, lw_force *f_ext);

/// Reactions: the whole moment and force that the parent side exerts on each body through the joint
/// that carries it, constraint forces and driving force together. The forces of rods and closing
/// joints, as lw_loop_forces() gives them, act on the bodies too; gears and couplings are taken to
/// act within the joints, as generalised forces.
/// @param f_ext    [nbody] or NULL
/// @param reaction [nbody] in body coordinates about the body's origin
LW_API lw_status lw_reaction_forces(const lw_model *m, lw_data *d, const double *q, const double *v,
                                    const double *a, const lw_force *f_ext, lw_force *reaction);

/// The reaction through a joint as described, as the moment and force at a frame: port a or b of
/// the joint, or any other. Acts on the side of port b.
///
/// Needs LW_STAGE_POSITION (lw_forward_position() at the same q). A fixed joint, which is no joint
/// of the model, needs LW_STAGE_ACCELERATION (lw_forward_acceleration() at the same state), and
/// what acts on its body besides links, loads and joints (external forces, loops) is taken to act
/// behind it; a sensor that carries a tool reads what it should. Keeps the stage. O(1), for fixed
/// joints O(nlink * depth).
/// @param reaction [nbody] from lw_reaction_forces()
LW_API lw_status lw_reaction_at_frame(const lw_model *m, const lw_data *d, const lw_force *reaction,
                                      int joint, int frame, lw_axes axes, lw_force *force);

/// A spring or a torsion in one state.
typedef struct lw_spring_state {
    double x, rate; ///< length or twist, m or rad, and its rate
    double force;   ///< N or N m: pulls the ends together, or rotates `in` back and `out` on
    double energy;  ///< stored, J
    double loss;    ///< power that damping and friction take, W
} lw_spring_state;

/// The states of all springs, whether the options take them into account or not.
/// @param state [nspring]
LW_API lw_status lw_spring_states(const lw_model *m, lw_data *d, const double *q, const double *v,
                                  lw_spring_state *state);

/// Forces within loops, for a given motion.
///
/// Cut all loops, let these forces act on the bodies (lw_add_force_at_frame() with LW_IN_FRAME) and
/// on the degrees of freedom of the tree: the mechanism moves as before, and its
/// dependent degrees of freedom need no drive. Where a mechanism is over-constrained they are not
/// determined by its motion alone; then those of each step of the closure program are the ones of
/// least sum of squares, in N and N m, and a loop that no step closes (lw_loop_info.step is -1)
/// bears nothing but the inertia of its rod.
///
/// @param force    [2*nloop] on the body at each end of each loop: a moment and a force at the
///                 origin of lw_loop_info.frame[0], [1], along the axes of that frame; or NULL.
///                 Without mass in the rod the two balance
/// @param tension  [nloop] of rods, N, negative where a rod is pressed; 0 for closing joints; or
///                 NULL. In a rod with mass the force along it varies: this is the constraint's
///                 part of it, to which the inertia and gravity of the rod at each end come
/// @param coupling [tree_nv] the generalised force by which gears and couplings act on each
///                 degree of freedom of the tree: forces within the teeth, seen by the joints;
///                 or NULL
LW_API lw_status lw_loop_forces(const lw_model *m, lw_data *d, const double *q, const double *v,
                                const double *a, const lw_force *f_ext, lw_force *force,
                                double *tension, double *coupling);

/// What passes through the teeth of each gear, or through its belt or chain, for a given motion.
///
/// The teeth act on the first wheel with this moment about its axis (z of lw_gear_info.X_BW[0]), on
/// the second with turn[1] / turn[0] of it (a force along its z on a rack), and on the carrier with
/// what balances the two. The force is the tangential one at the pitch circle: moment over radius;
/// what teeth press besides, by their flank or helix angle, is not in it. Of a gearbox the moment
/// is that on the first axis of its row. A gear that others make redundant (step is -1) bears
/// nothing.
///
/// @param moment [ngear] N m
/// @param force  [ngear] N, signed as the moment; 0 where lw_gear_info.radius[0] is; or NULL
LW_API lw_status lw_gear_forces(const lw_model *m, lw_data *d, const double *q, const double *v,
                                const double *a, const lw_force *f_ext, double *moment,
                                double *force);

/// Forces of drives that sit at any degrees of freedom of the tree, dependent ones too, for a given
/// motion.
///
/// Drives move with dq_a = Psi' v, and do the same work as the forces tau of lw_inverse_dynamics():
/// Psi tau_a = tau. The rank of Psi decides: with as many drives as nv and full rank the answer is
/// exact and the only one; with more, of all answers it is the one with the least sum of
/// weight * force^2; with a rank below nv, drives can make only some motions.
///
/// LW_ERR_SINGULAR where they cannot make this one: the outputs are then written all the same, and
/// leave the least sum of squares of the residual. LW_ERR_ARGUMENT for a degree of freedom given
/// twice.
///
/// @param nactuator with closure steps at most 128, or as many as the model has drives; else
///                 LW_ERR_LIMIT
/// @param dof      [nactuator] indices in lw_model.tree_velocity_name, none twice
/// @param weight   [nactuator] all positive; NULL for 1
/// @param force    [nactuator]
/// @param rank     of Psi; or NULL
/// @param residual [nv] tau - Psi force; or NULL
LW_API lw_status lw_actuator_forces(const lw_model *m, lw_data *d, const double *q, const double *v,
                                    const double *a, const lw_force *f_ext, int nactuator,
                                    const int *dof, const double *weight, double *force, int *rank,
                                    double *residual);

/// The degrees of freedom behind elastic shafts. A torsion leaves what is on its one side free
/// against the other: a motor then has a coordinate of its own beside that of the joint that it
/// drives. Were all torsions with an elastic force rigid, such degrees of freedom of the
/// transmission would follow the others: v = G v. A follower's row of G has its ratios, and its
/// column is zero; every other degree of freedom has a row and a column of the unit matrix. So
/// torques along a motion of the others alone, at rigid shafts, are G' tau.
///
/// @param nfollower how many degrees of freedom follow: those whose G[k*nv + k] is 0
/// @param G         [nv*nv]
LW_API lw_status lw_shaft_ratios(const lw_model *m, lw_data *d, const double *q, int *nfollower,
                                 double *G);

/// The forces that a motor can give at a speed: *least <= 0 <= *most. See lw_drive_def.
/// LW_ERR_ARGUMENT for a drive that there is not, LW_ERR_NUMBER for a speed that is not a number.
LW_API lw_status lw_drive_range(const lw_model *m, int drive, double speed, double *least,
                                double *most);

/// Holds the forces tau that somebody asks for within what the motors can give in this state:
/// through gears and loops they are split onto the drives, as lw_actuator_forces() does, each is
/// held within its range at the speed that it has, and what they give together comes back. What no
/// drive can give, at a joint without one, stays as it is. A model without drives changes nothing.
///
/// @param tau    [nv] changed in place
/// @param effort [ndrive] of each motor, after that; or NULL
/// @param nheld  how many motors could not give what was requested; or NULL
LW_API lw_status lw_limit_drives(const lw_model *m, lw_data *d, const double *q, const double *v,
                                 double *tau, double *effort, int *nheld);

// --- Energy and momentum ----------------------------------------------------------------------

/// Kinetic energy in J, rotors included: v' M v / 2 while the world rests.
LW_API lw_status lw_kinetic_energy(const lw_model *m, lw_data *d, const double *q, const double *v,
                                   double *energy);

/// Potential energy in J, of gravity (zero at the origin of the world) and of the springs. Links
/// fixed to the ground are not included: theirs is constant.
LW_API lw_status lw_potential_energy(const lw_model *m, lw_data *d, const double *q,
                                     double *energy);

/// Angular momentum about the world's origin and linear momentum of all bodies, in world axes.
/// Rotor inertias have no part in it.
LW_API lw_status lw_momentum(const lw_model *m, lw_data *d, const double *q, const double *v,
                             lw_force *momentum);

/// The same about the centre of mass. LW_ERR_SINGULAR where nothing that moves has mass.
/// @param center in the world; NULL where it is not wanted
LW_API lw_status lw_centroidal_momentum(const lw_model *m, lw_data *d, const double *q,
                                        const double *v, lw_force *momentum, lw_vec3 *center);

/// Its rate for the accelerations a [nv], along the axes of a world that rests: what forces from
/// outside, gravity among them, have to give together. A a, and what velocities cause, which is
/// left where a is zero. LW_ERR_SINGULAR as above.
LW_API lw_status lw_centroidal_momentum_rate(const lw_model *m, lw_data *d, const double *q,
                                             const double *v, const double *a, lw_force *rate);

/// The matrix A for which A v is the momentum about the centre of mass, while the world rests.
/// LW_ERR_SINGULAR as above.
/// @param A [6*nv] row by row, angular rows first
LW_API lw_status lw_centroidal_momentum_matrix(const lw_model *m, lw_data *d, const double *q,
                                               double *A);

// --- Behind one interface ---------------------------------------------------------------------

/// Who computes the dynamics of a model: the algorithms of this header, derived equations, compiled
/// code (lw_engine_dynamics() in engine.h) or functions of one's own. What uses it need not know.
typedef struct lw_dynamics_component {
    /// tau [nv] for q, v, a.
    lw_status (*inverse_dynamics)(void *self, const double *q, const double *v, const double *a,
                                  double *tau);
    /// tau [nv] that balances gravity at q.
    lw_status (*gravity_forces)(void *self, const double *q, double *tau);
    void *self;
} lw_dynamics_component;

#ifdef __cplusplus
}
#endif
#endif
