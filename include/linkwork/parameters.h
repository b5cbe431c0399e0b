// linkwork/parameters.h: how poses depend on the kinematic parameters of the parts, through loops
// and gears as well.
//
// Stable. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// Every number of the description that places something is a parameter, named after its part:
//
//   L12.b.x              port b of a link, and likewise every frame on a link or on the ground
//   R3.before.roll       joint frame from the port that feeds the joint
//   R3.after.qw          port b from the moving joint frame
//   R4.dh.alpha          the same as `before`, where it is written so
//   R3.axis.x            direction of the axis; axis2 of universal joints
//   spindle.pitch        of screws, m per revolution
//   LAB.length           of rods
//   g1.size1, g1.size2   of gears, and g1.ratio, which is size2 / size1 at the same size1
//   mimic.c1             coefficients of couplings; without a name "follower.coupling.c1"
//
// A placement has the numbers it is written with: x y z roll pitch yaw (those of no placement are
// zero, and may vary), x y z qw qx qy qz, alpha a theta d, and for a matrix x y z and turn.x turn.y
// turn.z, small rotations about the axes of the frame in which it is placed. Parts within
// assemblies have names with the prefix of their assembly, and each use of it has parameters of its
// own.
//
// A parameter varies while all others are held, and with them what the compiler took from the
// reference configuration: the lengths of rods that have none of their own, and how gears mesh
// there. Independent positions are held; dependent ones follow.
#ifndef LINKWORK_PARAMETERS_H
#define LINKWORK_PARAMETERS_H

#include <linkwork/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// All kinematic parameters of one description, made by lw_parameters_create()
/// (linkwork/compile.h). Read it freely: it may serve any number of threads.
typedef struct lw_parameters lw_parameters;

/// Frees the list. Accepts null.
LW_API void lw_parameters_destroy(lw_parameters *parameters);

/// How many there are; 0 for null.
LW_API int lw_parameters_count(const lw_parameters *parameters);

/// Name of parameter i, borrowed from the list; empty when i is out of range.
LW_API const char *lw_parameters_name(const lw_parameters *parameters, int i);

/// Value of parameter i in the description; 0 when i is out of range. For a rod without a length it
/// is that of the reference configuration.
LW_API double lw_parameters_value(const lw_parameters *parameters, int i);

/// The parameters that a name means: the one of this name, or all whose names go on behind it with
/// a dot ("R3.axis": three, "R3": all of that part). Returns how many there are, 0 for none; the
/// first `size` of them are put into list.
/// @param list [size], may be null where size is 0
LW_API int lw_parameters_find(const lw_parameters *parameters, const char *name, int *list,
                              int size);

/// Derivatives of the pose of a frame by parameters, at q [nq]: column k is its turning (rows 0 to
/// 2) and the velocity of its origin (rows 3 to 5) for unit rate of parameter list[k], along the
/// axes requested. Analytic. Leaves the stage of the data at LW_STAGE_NONE.
///
/// A parameter may not be free to vary alone: a four-bar linkage with one axis out of parallel has
/// no way to close. The dependent positions then follow as near as they can, in the sense of least
/// squares over the conditions of each step, and `opening` has how fast the loops come apart. It
/// is zero, but for rounding, where they can stay closed.
///
/// Real-time safe. LW_ERR_ARGUMENT, LW_ERR_NUMBER and what the closure of the model answers.
/// LW_ERR_SINGULAR also where a parallelogram stands flat: its angles do not depend on the position
/// there, but on its lengths without bound.
///
/// @param list    [n] numbers of parameters
/// @param J       [6*n], row by row
/// @param opening [n] gap per unit of the parameter, in m and rad; or null
LW_API lw_status lw_parameter_jacobian(const lw_model *m, lw_data *d,
                                       const lw_parameters *parameters, const double *q, int frame,
                                       lw_axes axes, int n, const int *list, double *J,
                                       double *opening);

/// A number of the description and models in which it is a little different, made by
/// lw_variation_create() (linkwork/compile.h) for lw_force_sensitivity() (linkwork/derivatives.h).
/// For one thread at a time.
typedef struct lw_variation lw_variation;

/// Frees it. Accepts null.
LW_API void lw_variation_destroy(lw_variation *variation);

#ifdef __cplusplus
}
#endif
#endif
