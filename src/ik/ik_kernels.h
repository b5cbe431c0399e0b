// What inverse kinematics computes on several branches side by side: the closed forms of six joints
// behind their first roots, forward kinematics of candidates, and Newton's method on them. And what
// it computes again and again on one configuration.
#ifndef LWI_IK_KERNELS_H
#define LWI_IK_KERNELS_H

#include "frames.h"
#include "six.h"

typedef struct lwi_ik_kernels {
    /// Adds the candidates of a class, two for each front.
    void (*solve_six)(const lwi_six *six, const lwi_six_target *target, lwi_candidates *out);

    /// How far each candidate is from the pose: m and rad, of the rows of the task. An error of
    /// rotation by t counts as 2 sin(t / 2).
    void (*verify)(const lwi_frames *frames, lwi_ik_rows rows, const lw_pose *X,
                   const lwi_candidates *list, double residual[LWI_CANDIDATES]);

    /// Newton's method on the candidates whose residual is within a range, at most `steps`; the
    /// residuals are those of verify(), and become those of what is found. Joints with a bit in
    /// `held` stay.
    void (*refine)(const lwi_frames *frames, lwi_ik_rows rows, const lw_pose *X,
                   const lwi_refine_def *def, lwi_candidates *list,
                   double residual[LWI_CANDIDATES]);

    /// Positions of the joints of all candidates; angles within -pi and pi.
    void (*positions)(const lwi_frames *frames, const lwi_candidates *list,
                      double value[LWI_ARM_JOINTS][LWI_CANDIDATES]);

    /// The Jacobian and the error of one configuration, in the rows of the task. Displacements are
    /// multiplied by `weight`.
    void (*posture)(const lwi_frames *frames, lwi_ik_rows rows, const lw_pose *X, double weight,
                    const double *q, lwi_posture *out);

    /// The shortest step d of the least |J d - e|^2 + lambda |d|^2, for chains of at least as many
    /// joints as rows.
    void (*step)(int n, const lwi_posture *at, double lambda, double *d);
} lwi_ik_kernels;

/// The fastest that the processor has.
const lwi_ik_kernels *lwi_get_ik_kernels(void);

/// For any processor, and for those with AVX2 and fused products; null where the build has none.
const lwi_ik_kernels *lwi_ik_kernels_generic(void);
const lwi_ik_kernels *lwi_ik_kernels_avx2(void);

#endif
