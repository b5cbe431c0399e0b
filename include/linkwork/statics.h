// linkwork/statics.h: equilibrium of elastic mechanisms: sag, the command that compensates it,
// stiffness at a frame, and how much load a mechanism bears.
//
// Experimental. Real-time safe unless stated otherwise; thread safe by const (linkwork/base.h).
//
// Each degree of freedom of a mechanism that is commanded to a configuration is one of these:
//
//   held       stays where the command puts it;
//   elastic    has a drive of stiffness k (lw_statics_def): k (q - command) is its spring;
//   settling   goes to where the mechanism's own forces balance: a joint on an elastic shaft
//              (a torsion; its motor is held), or a virtual joint, which stands for the compliance
//              of a link or a bearing: a joint with a stiffness, or a torsion, of its own.
//
// Everything else that acts is in the model: gravity, loads, springs, torsions of any law (linear,
// stiffening, tabulated, with backlash or on one side), contacts with planes, closed loops. The
// residual of an equilibrium is
//
//   r(q) = K (q - command) + tau(q) - sum of J' w = 0,
//
// with tau of lw_inverse_dynamics() at rest and the wrenches w of lw_static_load.
#ifndef LINKWORK_STATICS_H
#define LINKWORK_STATICS_H

#include <linkwork/dynamics.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A wrench at the origin of a frame. Along the axes of the world it keeps its direction (a dead
/// load), along those of the frame it rotates with it (a follower load).
typedef struct lw_static_load {
    int frame;
    lw_axes axes;
    lw_force wrench; ///< N m, N
} lw_static_load;

/// What a degree of freedom does.
typedef enum lw_static_role {
    LW_STATIC_BY_MODEL = 0, ///< elastic with a stiffness, else settling or held by the model
    LW_STATIC_HELD = 1,
    LW_STATIC_SETTLES = 2
} lw_static_role;

typedef struct lw_statics_def {
    const double *stiffness;    ///< [nv] of elastic drives, N m/rad or N/m; 0: none; NULL: none
    const lw_static_role *role; ///< [nv], or NULL for LW_STATIC_BY_MODEL
    int nload;
    const lw_static_load *load; ///< [nload]
} lw_statics_def;

/// A mechanism with its compliance, and workspace. One per thread.
typedef struct lw_statics lw_statics;

/// LW_ERR_ARGUMENT where a stiffness is negative or of a degree of freedom without a position of
/// its own, LW_ERR_NUMBER where a number is not finite. Keeps the model. Not real-time safe. Free
/// with lw_statics_destroy().
LW_API lw_status lw_statics_create(const lw_model *m, const lw_statics_def *def,
                                   lw_statics **statics);
/// Not real-time safe.
LW_API void lw_statics_destroy(lw_statics *statics);

/// The degrees of freedom that deflect: elastic and settling ones.
/// @param dof where they are, as indices in v, until the object is destroyed; or NULL
LW_API int lw_statics_unknowns(const lw_statics *statics, const int **dof);

/// Replaces one of the loads of the definition.
LW_API lw_status lw_statics_set_load(lw_statics *statics, int index, const lw_static_load *load);

/// Multiplies gravity and the model's loads by `own`, those of the definition by `applied`. Both
/// are 1 at first.
LW_API lw_status lw_statics_scale(lw_statics *statics, double own, double applied);

/// What an equilibrium was found by.
typedef struct lw_deflection {
    int steps;       ///< of Newton's method
    double residual; ///< largest force that is left, N m or N
    bool is_stable;  ///< the symmetric part of the slopes is positive definite there
} lw_deflection;

/// The configuration in which the mechanism rests for a command. Where elastic shafts leave motors
/// free against the joints that they drive, the command is that of the joints, and motors stand
/// where rigid shafts would put them.
///
/// LW_ERR_NO_CONVERGENCE where no equilibrium is found. One that is not stable (is_stable) is
/// returned all the same where the search begins there: an inverted pendulum rests upright beyond
/// the load that it bears.
/// @param command [nq]
/// @param q       [nq] in: where the search begins, the command or the last answer; what is held is
///                set by the command
/// @param found   or NULL
LW_API lw_status lw_deflect(lw_statics *statics, lw_data *d, const double *command, double *q,
                            lw_deflection *found);

/// The command for which elastic drives and motors bring the joints that they drive to q, exactly:
/// command = q + K^-1 (tau - J' w), and by Newton's method through shafts with other laws. Virtual
/// joints settle, and are changed in q.
/// @param q       [nq] what is commanded and held; in place where virtual joints settle
/// @param command [nq]
LW_API lw_status lw_compensate(lw_statics *statics, lw_data *d, double *q, double *command);

/// The command for which the origin and the axes of a frame are where a rigid mechanism would have
/// them, virtual joints and all: `q` goes to the loaded equilibrium, with the least change of the
/// joints that are commanded. LW_ERR_NO_CONVERGENCE where the frame cannot be brought there.
/// @param goal    pose of the frame in the world
/// @param q       [nq] in: the configuration of the rigid mechanism; out: the loaded one
/// @param command [nq]
LW_API lw_status lw_compensate_frame(lw_statics *statics, lw_data *d, int frame,
                                     const lw_pose *goal, double *q, double *command);

/// Compliance of a frame at a loaded equilibrium: the motion of the frame (rotation first, as rows
/// of lw_frame_jacobian()) for a small wrench that comes to the loads, C = J S^-1 J', where S are
/// the slopes of r(q). The change of loads and gravity as the mechanism deflects is in S, and so in
/// C. LW_ERR_SINGULAR at a buckling load.
/// @param q [nq] from lw_deflect()
/// @param C [36] row by row
LW_API lw_status lw_cartesian_compliance(lw_statics *statics, lw_data *d, const double *q,
                                         int frame, lw_axes axes, double C[36]);

/// Semi-axes of the ellipsoid of a symmetric matrix [n*n], n at most 6: eigenvalues, smallest
/// first, and eigenvectors of length 1.
/// @param vector [n*n] row by row: row i belongs to value i
LW_API lw_status lw_principal_axes(int n, const double *A, double *value, double *vector);

/// Stiffness of a compliance [n*n], n at most 6: its inverse over the directions in which it
/// yields, the pseudo-inverse; rotations and translations should not be mixed where it is singular.
/// K is zero along the n - rank directions that do not yield. They are rigid, not soft: with a rank
/// below n, the stiffness along an axis is one over its value in lw_principal_axes() of C.
/// Moments that keep their direction in the world are not the slope of an energy: they make the
/// stiffness unsymmetric, and its skew part is the commutator -[m x] / 2 in the rows of rotations,
/// whatever the mechanism is. LW_ERR_NUMBER where C is not finite.
/// @param K          [n*n] symmetric part
/// @param commutator [n*n] skew part, or NULL
/// @param rank       directions in which it yields, or NULL
LW_API lw_status lw_cartesian_stiffness(int n, const double *C, double *K, double *commutator,
                                        int *rank);

/// What grows on the way to a load factor.
typedef enum lw_load_scaling {
    LW_SCALE_ALL = 0,    ///< gravity, loads of the model and those of the definition
    LW_SCALE_APPLIED = 1 ///< those of the definition alone
} lw_load_scaling;

/// The factor of the loads up to which the equilibrium that begins at no load stays stable: where
/// it buckles, or snaps through, or leads to where loops can no longer be closed. Infinite where
/// that is beyond `most`. Time is bounded, but long. Not real-time safe.
/// @param q [nq] out: the last stable equilibrium, at the factor or at `most`
LW_API lw_status lw_load_factor(lw_statics *statics, lw_data *d, const double *command,
                                lw_load_scaling scaling, double most, double *factor, double *q);

/// The point mass at the origin of a frame for which the frame is `error` away from where the
/// command has it, m. Infinite where it is not so far away with `most` kg; 0 where it is
/// without any; less than where the mechanism buckles in any case. Not real-time safe.
/// @param q [nq] out: the equilibrium with that mass
LW_API lw_status lw_payload_limit(lw_statics *statics, lw_data *d, const double *command, int frame,
                                  double error, double most, double *mass, double *q);

/// Lets joints rest on elastic shafts: motors stand where rigid shafts would put them for q, and
/// the joints that they drive move, by some thousandths, to where shafts, springs and gravity
/// balance. So a simulation begins at rest, and a controller sees no error. Nothing changes where
/// there are no such motors.
///
/// Within backlash there are many places of rest: the nearest one is taken, so joints that nothing
/// pushes stay in the middle of their play. LW_ERR_NO_CONVERGENCE where no rest is found: q then
/// has the motors as above, and the joints as they were. Not real-time safe.
/// @param q [nq] changed in place
LW_API lw_status lw_shaft_equilibrium(const lw_model *m, lw_data *d, double *q);

#ifdef __cplusplus
}
#endif
#endif
