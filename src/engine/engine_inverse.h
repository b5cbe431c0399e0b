// Inverse kinematics as a function of engines: all solutions for the pose that a state gives.
#ifndef LWI_ENGINE_INVERSE_H
#define LWI_ENGINE_INVERSE_H

#include <linkwork/ik.h>
#include <linkwork/symbolic.h>

/// Fills Q, as LW_FUNCTION_INVERSE_KINEMATICS has it, for the pose of a frame at q.
typedef struct lwi_inverse lwi_inverse;

/// Null, with LW_OK, where the chain from the world to the frame has no inverse kinematics of which
/// every joint is independent.
lw_status lwi_inverse_create(const lw_model *m, int frame, lw_ik_solver solver,
                             lwi_inverse **inverse);
void lwi_inverse_destroy(lwi_inverse *inverse);

/// LW_ERR_LIMIT where there are more solutions than rows. A solution that need not be the only one
/// is marked by 2 instead of 1.
lw_status lwi_inverse_run(lwi_inverse *inverse, const double *q, double *Q);

/// The pose of a frame in the world as X [12] of LW_FUNCTION_INVERSE_KINEMATICS.
lw_status lwi_inverse_pose(const lw_model *m, lw_data *d, int frame, const double *q, double X[12]);

/// How far two sets of solutions for the pose at q are apart: the largest change of a joint from a
/// real solution of one to the nearest of the other, or from q to the nearest of each. Angles count
/// by what is left of whole turns. A set that need not be whole is only checked to be
/// among the other.
double lwi_solutions_apart(const lw_model *m, const double *q, const double *Q,
                           const double *other);

#endif
