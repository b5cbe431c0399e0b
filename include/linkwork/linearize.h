// linkwork/linearize.h: linearized motion about a state: matrices, eigenvalues, frequencies and
// damping.
//
// Stable. Real-time safe only where stated; thread safe by const (linkwork/base.h).
#ifndef LINKWORK_LINEARIZE_H
#define LINKWORK_LINEARIZE_H

#include <linkwork/control.h>
#include <linkwork/derivatives.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The equation of motion about a state of rest q, under forces tau: with the small changes
/// x = (dq, dv), where dq goes along the velocities (lw_integrate), and u of tau,
///
///   dx/dt = A x + B u.
///
/// Springs and dampers of joints are in it, Coulomb friction is not. Real-time safe.
///
/// @param tau      [nv] or null for those that hold the machine at rest
/// @param residual the largest acceleration at that state, 0 where it is an equilibrium; or null
/// @param A        [2nv*2nv] row by row
/// @param B        [2nv*nv] row by row; not null, because it also serves as work space
LW_API lw_status lw_linearize(const lw_model *m, lw_data *d, const double *q, const double *tau,
                              double *residual, double *A, double *B);

/// The same for a machine that a controller holds: dx/dt = A x, where A has what the controller
/// answers to x. It is taken to look at every instant, whatever its period and delay. LW_ERR_MOTION
/// where a limit of a drive holds its forces back there, LW_ERR_UNSUPPORTED for the laws for
/// contact. Allocates.
///
/// @param t        s; the time of the trajectory, which should rest then
/// @param q        [nq]
/// @param residual the largest acceleration there, 0 where it rests; or null
/// @param A        [2nv*2nv] row by row
LW_API lw_status lw_linearize_controlled(lw_controller *controller, lw_data *d, double t,
                                         const double *q, double *residual, double *A);

/// Goes from q to where the machine rests under the controller: without gravity in its law it sags.
/// Newton's method; LW_ERR_NO_CONVERGENCE where it finds no rest, and LW_ERR_MOTION where limits of
/// drives are in the way: q is left as it was. Allocates.
/// @param q [nq] changed in place
LW_API lw_status lw_controlled_equilibrium(lw_controller *controller, lw_data *d, double t,
                                           double *q);

/// Eigenvalues of a real matrix, by balancing, reduction to Hessenberg form and the QR method with
/// double shifts. LW_ERR_NO_CONVERGENCE where they need more than 60 n sweeps, LW_ERR_NUMBER
/// where the matrix is not finite. Real-time safe.
/// @param A  [n*n] row by row; destroyed
/// @param re,im [n] conjugate pairs stand together, the one with the positive part first
LW_API lw_status lw_eigenvalues(int n, double *A, double *re, double *im);

#ifdef __cplusplus
}
#endif
#endif
