// linkwork/float.h: the same recursions in float arithmetic, for controllers without fast double.
//
// Stable. Real-time safe unless stated otherwise; thread safe by const (linkwork/base.h).
//
// A model is converted once, with double; after that no function here uses double. The kernels are
// those of linkwork/dynamics.h, compiled for another scalar. Expect results to some 1e-5 of their
// largest number; masses, lengths and inertias that lie many powers of ten apart cost digits, and
// near a singular configuration of a loop, where the sine of the angle by which it is missed is s,
// rounding counts 1/s times in rates and 1/s^2 times in mass matrices.
//
// Planar loops are solved in closed form, as in double. All other loops are solved by Newton's
// method, also where double has a closed form: from the data's last solution, or from the reference
// configuration of the model, along a straight path of the independent joints. An assembly that
// this path cannot reach is not found.
//
// The time of a function does not depend on the values as long as angles stay below 6000 radians,
// but for loops that are not planar. Each needs no earlier call, returns LW_OK or a status, and
// writes its outputs only on LW_OK:
//
//   LW_ERR_ARGUMENT   null where none is allowed, or data of another model
//   LW_ERR_NUMBER     a number in q, v, a or tau is not finite, or a quaternion in q is zero
//   LW_ERR_LOOP_OPEN  a loop cannot be closed at q
//   LW_ERR_SINGULAR   a loop is at a singular configuration, nearer than 1e-3 (planar) or 1e-4 as a
//                     sine; else only where said
#ifndef LINKWORK_FLOAT_H
#define LINKWORK_FLOAT_H

#include <linkwork/dynamics.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A moment and a force, or any two vectors that belong together.
typedef struct lw_force32 {
    float ang[3], lin[3];
} lw_force32;

typedef struct lw_pose32 {
    float R[9]; ///< row by row
    float p[3];
} lw_pose32;

/// A model for float arithmetic: a copy that holds all it needs.
typedef struct lw_model32 lw_model32;

/// Bytes of the copy. 0 for null, and for a model with joints or couplings by callbacks, which are
/// in double.
LW_API size_t lw_model32_size(const lw_model *m);

/// Makes the copy in memory that the caller owns. LW_ERR_UNSUPPORTED, with a diagnostic that names
/// the first joint or coupling by callbacks, where lw_model32_size() is 0. Not real-time safe.
/// @param mem aligned to 64 bytes, at least lw_model32_size(m) bytes; must outlive the copy
LW_API lw_status lw_model32_init(const lw_model *m, void *mem, lw_model32 **copy,
                                 lw_report *report);

/// The same on the heap. LW_ERR_MEMORY if allocation fails. Free with lw_model32_destroy().
/// Not real-time safe.
LW_API lw_status lw_model32_create(const lw_model *m, lw_model32 **copy, lw_report *report);
LW_API void lw_model32_destroy(lw_model32 *m);

/// Lengths of its vectors: those of the model that it was made of.
LW_API int lw_model32_nq(const lw_model32 *m);
LW_API int lw_model32_nv(const lw_model32 *m);
LW_API int lw_model32_nbody(const lw_model32 *m);

/// Work space for one thread and one model.
typedef struct lw_data32 lw_data32;

/// Bytes that lw_data32_init() needs; 0 for null.
LW_API size_t lw_data32_size(const lw_model32 *m);

/// Lays one out in memory that the caller owns.
/// @param mem aligned to 64 bytes, at least lw_data32_size(m) bytes; must outlive the result
LW_API lw_status lw_data32_init(const lw_model32 *m, void *mem, lw_data32 **d);

/// The same on the heap. LW_ERR_MEMORY if allocation fails. Free with lw_data32_destroy().
/// Not real-time safe.
LW_API lw_status lw_data32_create(const lw_model32 *m, lw_data32 **d);
LW_API void lw_data32_destroy(lw_data32 *d);

/// Options as in lw_set_dynamics_options(); this converts double.
/// @param options null for those of new data
LW_API lw_status lw_set_dynamics_options32(lw_data32 *d, const lw_dynamics_options *options);

/// Poses of frames in the world.
/// @param frame [nframe] indices as in the model; null for the frames 0 .. nframe - 1
/// @param X_WF  [nframe]
LW_API lw_status lw_forward_position32(const lw_model32 *m, lw_data32 *d, const float *q,
                                       int nframe, const int *frame, lw_pose32 *X_WF);

/// As lw_inverse_dynamics().
/// @param f_ext [nbody] or null
/// @param tau   [nv]; may be the same array as a
LW_API lw_status lw_inverse_dynamics32(const lw_model32 *m, lw_data32 *d, const float *q,
                                       const float *v, const float *a, const lw_force32 *f_ext,
                                       float *tau);

/// As lw_mass_matrix().
/// @param M [nv*nv]
LW_API lw_status lw_mass_matrix32(const lw_model32 *m, lw_data32 *d, const float *q, float *M);

/// As lw_forward_dynamics(), LW_ERR_SINGULAR included.
/// @param a [nv]; may be the same array as tau
LW_API lw_status lw_forward_dynamics32(const lw_model32 *m, lw_data32 *d, const float *q,
                                       const float *v, const float *tau, const lw_force32 *f_ext,
                                       float *a);

/// As lw_data_failure().
LW_API lw_failure lw_data32_failure(const lw_data32 *d, lw_status status);

#ifdef __cplusplus
}
#endif
#endif
