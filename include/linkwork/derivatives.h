// linkwork/derivatives.h: derivatives of the equation of motion by state and by inertial
// parameters, and solving with the mass matrix.
//
// Stable. Real-time safe unless stated otherwise; thread safe by const (linkwork/base.h).
//
// The time of a function does not depend on the values, but for Newton blocks, which are bounded
// (lw_data_limit_iterations). None needs an earlier call; those that evaluate the mechanism leave
// the stage of the data at LW_STAGE_NONE. The options of the data (linkwork/dynamics.h: ideal
// joints, gravity, motion of the world) hold here too.
//
// Each returns LW_OK or a status, and writes its outputs only on LW_OK but where said:
//
//   LW_ERR_ARGUMENT   NULL where none is allowed, data of another model, an index out of range
//   LW_ERR_NUMBER     a number in q, v, a or tau is not finite, or a quaternion in q is zero
//                     (forces, factors and right-hand sides are not looked at)
//   LW_ERR_SINGULAR   only where said; lw_failure.dof is the degree of freedom
//
// Matrices are row-major. A derivative by q is taken along the velocity directions: column k holds
// the rate of change while q moves with unit velocity k (lw_integrate), so it has nv columns; for a
// quaternion that is a rotation about the axes of the body. v, a, tau and f_ext are held.
#ifndef LINKWORK_DERIVATIVES_H
#define LINKWORK_DERIVATIVES_H

#include <linkwork/dynamics.h>
#include <linkwork/parameters.h>

#ifdef __cplusplus
extern "C" {
#endif

// --- By state ---------------------------------------------------------------------------------

/// Derivatives of tau = lw_inverse_dynamics(q, v, a, f_ext). Analytic, O(nbody * depth); through
/// loops and gears O(tree_nv * (tree_nv + nv)), and exact too: each closure step is differentiated
/// by its own conditions. Rods with mass are in them.
///
/// Loads, external forces (held in body coordinates), damping, friction, stiffness and rotor
/// inertia are in them; friction with a jump (friction_speed 0) has the slope 0. The one thing that
/// is differenced is the motion subspace of a user joint that gives a bias: the sixth-order central
/// difference of its callbacks over steps of 2^-7 (rad or m), good to about 1e-13 where they are
/// smooth on the scale of 1.
///
/// @param f_ext    [nbody] or NULL, as in lw_inverse_dynamics()
/// @param dtau_dq  [nv*nv] or NULL
/// @param dtau_dv  [nv*nv] or NULL
/// @param M        [nv*nv] or NULL; the derivative by a, which is the mass matrix
LW_API lw_status lw_inverse_dynamics_derivatives(const lw_model *m, lw_data *d, const double *q,
                                                 const double *v, const double *a,
                                                 const lw_force *f_ext, double *dtau_dq,
                                                 double *dtau_dv, double *M);

/// Derivatives of a = lw_forward_dynamics(q, v, tau, f_ext), from those of inverse dynamics:
/// da/dq = -M^-1 dtau/dq, da/dv = -M^-1 dtau/dv, da/dtau = M^-1. O(nbody * depth * nv).
///
/// LW_ERR_SINGULAR where a degree of freedom moves no inertia.
/// @param a              [nv] the acceleration itself, or NULL
/// @param da_dq, da_dv   [nv*nv] or NULL
/// @param da_dtau        [nv*nv]; not NULL, because it also serves as workspace
LW_API lw_status lw_forward_dynamics_derivatives(const lw_model *m, lw_data *d, const double *q,
                                                 const double *v, const double *tau,
                                                 const lw_force *f_ext, double *a, double *da_dq,
                                                 double *da_dv, double *da_dtau);

// --- By inertial parameters -------------------------------------------------------------------

/// The ten numbers of a link as its description gives them; each is varied while the other nine are
/// held. tau is linear in the mass and in the tensor, and quadratic in the centre.
///
/// The first moment stands beside them: it is varied while mass and tensor about the origin of the
/// link's frame are held, and tau is linear in it.
typedef enum lw_link_parameter {
    LW_LINK_MASS = 0,     ///< "link.mass"; centre, and tensor about the centre, are held
    LW_LINK_CENTER_X = 1, ///< "link.center.x" along the axes of the link's frame
    LW_LINK_CENTER_Y = 2,
    LW_LINK_CENTER_Z = 3,
    LW_LINK_INERTIA_XX = 4, ///< "link.inertia.xx" about the centre, in the axes it was described in
    LW_LINK_INERTIA_YY = 5,
    LW_LINK_INERTIA_ZZ = 6,
    LW_LINK_INERTIA_XY = 7, ///< entry xy of the tensor, and yx with it
    LW_LINK_INERTIA_XZ = 8,
    LW_LINK_INERTIA_YZ = 9,
    LW_LINK_FIRST_MOMENT_X = 10, ///< "link.first_moment.x" along the axes of the link's frame
    LW_LINK_FIRST_MOMENT_Y = 11,
    LW_LINK_FIRST_MOMENT_Z = 12,
    LW_LINK_PARAMETER_COUNT = 13 ///< not a parameter
} lw_link_parameter;

/// The ten numbers of a body in lw_model.inertia, about the body's origin and in body coordinates,
/// in the order of the columns of the regressor. Each is varied while the other nine are held, and
/// tau is linear in all of them.
typedef enum lw_body_parameter {
    LW_BODY_MASS = 0,
    LW_BODY_FIRST_MOMENT_X = 1,
    LW_BODY_FIRST_MOMENT_Y = 2,
    LW_BODY_FIRST_MOMENT_Z = 3,
    LW_BODY_TENSOR_XX = 4,
    LW_BODY_TENSOR_YY = 5,
    LW_BODY_TENSOR_ZZ = 6,
    LW_BODY_TENSOR_XY = 7,
    LW_BODY_TENSOR_XZ = 8,
    LW_BODY_TENSOR_YZ = 9,
    LW_BODY_PARAMETER_COUNT = 10 ///< ten
} lw_body_parameter;

/// A direction in which the inertia of a body varies. Any inertial parameter is one: of a body, of
/// one of the links that were merged into it, or of the caller's own making (a load picked up).
typedef struct lw_inertial_parameter {
    int body;        ///< -1: fixed to the world, without effect on tau
    lw_inertia rate; ///< derivative of lw_model.inertia[body] by the parameter
} lw_inertial_parameter;

/// One of the ten numbers of a body.
LW_API lw_status lw_parameter_of_body(const lw_model *m, int body, lw_body_parameter kind,
                                      lw_inertial_parameter *parameter);

/// One of the numbers of a link, as a change of the body that it was merged into.
/// @param link index in lw_model.link
LW_API lw_status lw_parameter_of_link(const lw_model *m, int link, lw_link_parameter kind,
                                      lw_inertial_parameter *parameter);

/// The parameter of a link that a name means: "link.mass", "link.center.x", "link.inertia.xy",
/// "link.first_moment.z". LW_ERR_NAME if there is none.
LW_API lw_status lw_find_parameter(const lw_model *m, const char *name,
                                   lw_inertial_parameter *parameter);

/// "mass", "center.x", "inertia.xx", ...: what follows the name of the link and a dot. Never NULL.
LW_API const char *lw_link_parameter_name(lw_link_parameter kind);

/// Derivatives of tau by inertial parameters, by one outward pass and, for each parameter, an
/// inward pass that touches only the joints between its body and the world. Gravity is in them;
/// rotor inertia, joint forces, loads and external forces do not depend on these parameters.
///
/// @param parameter [nparameter]
/// @param dtau      [nv*nparameter] row by row: column k belongs to parameter k
LW_API lw_status lw_inertial_sensitivity(const lw_model *m, lw_data *d, const double *q,
                                         const double *v, const double *a, int nparameter,
                                         const lw_inertial_parameter *parameter, double *dtau);

/// The regressor: tau = Y p for ideal joints, no loads and no external forces, where p are the
/// parameters of lw_inertial_parameters(). Joint forces, rotor inertia and the mass of rods are not
/// in Y.
/// Column 10 * body + kind (lw_body_parameter) is zero for joints that do not carry the body.
/// @param Y [nv * 10*nbody] row by row
LW_API lw_status lw_regressor(const lw_model *m, lw_data *d, const double *q, const double *v,
                              const double *a, double *Y);

/// The inertial parameters of all bodies, in the order of the columns of the regressor.
/// @param p [10*nbody]
LW_API lw_status lw_inertial_parameters(const lw_model *m, double *p);

// --- By any number of the description ---------------------------------------------------------

/// Derivative of tau by a number of the description, through loops and gears; independent positions
/// are held, dependent ones follow. It is the central difference of sixth order over the models of
/// the variation: good to about 1e-10 of the largest force. lw_inertial_sensitivity() has that of
/// links without differences.
///
/// What loops of the other models answer is returned as it is. Not real-time safe.
/// @param d    of m; its options hold
/// @param dtau [nv]
LW_API lw_status lw_force_sensitivity(const lw_model *m, lw_data *d, lw_variation *variation,
                                      const double *q, const double *v, const double *a,
                                      const lw_force *f_ext, double *dtau);

// --- Solving with the mass matrix -------------------------------------------------------------

/// M^-1 at q, both triangles alike to the bit: how a unit force at each degree of freedom
/// accelerates all of them. Needs no mass matrix; deep trees are inverted by their articulated
/// bodies, O(nv * nbody), others by factors, O(nv^2 * depth).
///
/// LW_ERR_SINGULAR where a degree of freedom moves no inertia; `inverse` then has no meaning.
/// @param inverse [nv*nv]
LW_API lw_status lw_inverse_mass_matrix(const lw_model *m, lw_data *d, const double *q,
                                        double *inverse);

/// Factors a mass matrix along the tree: M = L' D L, where L is unit lower triangular and has no
/// entry between degrees of freedom of different branches (Featherstone 2005); O(nv * depth^2).
/// With closure steps every degree of freedom counts as coupled with every other.
///
/// LW_ERR_SINGULAR where a degree of freedom moves no inertia: its entry of D is not above 64
/// epsilon of its entry of M. M is then half factored.
///
/// @param M [nv*nv] in: a mass matrix of this model, of which the lower triangle is read; out: D on
///          the diagonal, L below it; what is above is left alone
LW_API lw_status lw_mass_factor(const lw_model *m, lw_data *d, double *M);

/// Solves M X = B. O(nv * depth * ncolumn).
/// @param L from lw_mass_factor()
/// @param X [nv*ncolumn] row by row; in: B, out: X
LW_API lw_status lw_mass_solve(const lw_model *m, lw_data *d, const double *L, int ncolumn,
                               double *X);

/// M^-1, both triangles. O(nv^2 * depth).
/// @param L       from lw_mass_factor()
/// @param inverse [nv*nv]; may be L
LW_API lw_status lw_mass_inverse(const lw_model *m, lw_data *d, const double *L, double *inverse);

/// Inertia felt at a frame: (J M^-1 J')^-1 for the Jacobian of lw_frame_jacobian(), or for any
/// other with one to six rows (only the rows of a position, say).
///
/// LW_ERR_SINGULAR where the rows are dependent, as at a singular pose or for six rows and fewer
/// degrees of freedom; `mobility` is valid then too, `inertia` untouched, and
/// lw_failure.dof is -1.
///
/// @param L        from lw_mass_factor()
/// @param J        [nrow*nv]
/// @param mobility [nrow*nrow] J M^-1 J', or NULL
/// @param inertia  [nrow*nrow] its inverse, or NULL
LW_API lw_status lw_operational_inertia(const lw_model *m, lw_data *d, const double *L, int nrow,
                                        const double *J, double *mobility, double *inertia);

#ifdef __cplusplus
}
#endif
#endif
