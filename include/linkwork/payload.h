// linkwork/payload.h: what a robot carries, estimated from its joint torques while it moves.
//
// Experimental. Real-time safe unless stated otherwise; thread safe by const (linkwork/base.h).
//
// The torques of a model differ from the measured ones by those of a load that the model does not
// have, and these are linear in its ten inertial parameters. Each sample adds its equations to a
// recursive least-squares estimate; lw_payload_result() may be called at any time.
#ifndef LINKWORK_PAYLOAD_H
#define LINKWORK_PAYLOAD_H

#include <linkwork/derivatives.h>

#ifdef __cplusplus
extern "C" {
#endif

/// An estimate under way; the caller's, and valid after lw_payload_begin().
typedef struct lw_payload {
    int frame;              ///< that the load is fixed to; its parameters are about and along it
    double forgetting;      ///< weight of what is one sample old, 0 to 1; 1 keeps everything
    int nsample;            ///< so far
    double information[55]; ///< private: lower triangle of the normal matrix
    double moment[10];      ///< private: right-hand side
} lw_payload;

/// What was found, with standard deviations.
typedef struct lw_payload_estimate {
    lw_inertia inertia; ///< about the origin of the frame, along its axes
    double sigma[10];   ///< in the order of lw_body_parameter
    double mass;        ///< kg, as in the inertia
    lw_vec3 center;     ///< m, in the frame; zero where the mass is not above zero
    double mass_sigma;  ///< kg
} lw_payload_estimate;

/// Begins an estimate for a load at a frame. Before the first sample the load is 0 with standard
/// deviations of 1000 kg, 1000 kg m and 100 kg m^2.
/// @return LW_ERR_ARGUMENT for a frame that does not move, and forgetting outside of (0, 1]
LW_API lw_status lw_payload_begin(const lw_model *m, int frame, double forgetting,
                                  lw_payload *payload);

/// Adds a sample of measured torques.
/// @param tau   [nv] measured
/// @param sigma [nv] standard deviations of their noise, above zero
/// @param work  [11*nv]
/// @return as lw_inverse_dynamics(); LW_ERR_NUMBER for torques that are not finite. The estimate is
///         then as it was.
LW_API lw_status lw_payload_add(const lw_model *m, lw_data *d, lw_payload *payload, const double *q,
                                const double *v, const double *a, const double *tau,
                                const double *sigma, double *work);

/// The estimate so far.
LW_API lw_status lw_payload_result(const lw_payload *payload, lw_payload_estimate *estimate);

#ifdef __cplusplus
}
#endif
#endif
