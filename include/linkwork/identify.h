// linkwork/identify.h: parameters of a robot from measurements: identification of masses, friction
// and drive gains from torques, motions that excite them, and calibration of the geometry.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// Part of liblinkwork_identify, which is built where LAPACKE is found.
//
// Joint torques are linear in the inertial parameters of the bodies and in what each joint adds:
//
//   tau = W(q, v, a) p
//
// A lw_regression has the columns of W with their names, and which combinations of them joint
// torques distinguish: the base parameters. lw_identify() estimates these from a log.
#ifndef LINKWORK_IDENTIFY_H
#define LINKWORK_IDENTIFY_H

#include <linkwork/compile.h>
#include <linkwork/parameters.h>

#ifdef __cplusplus
extern "C" {
#endif

// --- Columns ----------------------------------------------------------------------------------

/// What a degree of freedom of the tree adds to the inertial parameters, as bits of a set.
typedef enum lw_joint_columns {
    LW_COLUMN_VISCOUS = 1, ///< "J.damping", N m s/rad or N s/m
    LW_COLUMN_COULOMB = 2, ///< "J.friction", N m or N, with the smoothed jump of the model
    LW_COLUMN_OFFSET = 4,  ///< "J.offset": a constant of the measured torque, N m or N
    LW_COLUMN_ROTOR = 8,   ///< "J.rotor_inertia", kg m^2 or kg
    LW_COLUMN_SPRING = 16  ///< "J.stiffness", about the rest position of the model
} lw_joint_columns;

typedef struct lw_regression_def {
    unsigned columns;        ///< of lw_joint_columns, for every joint of one degree of freedom
    int nheld;               ///< parameters that keep the value of the model
    const char *const *held; ///< [nheld] their names; a name of a link or joint holds all of it
} lw_regression_def;

typedef struct lw_regression lw_regression;

/// What there is. A parameter of body i is named after its first link, and is about the origin and
/// along the axes of that link's frame: "L.m", "L.mx" to "L.mz" (first moment), "L.Ixx", "L.Iyy",
/// "L.Izz", "L.Ixy", "L.Ixz", "L.Iyz" (entries of the tensor). Links that are fixed to it count as
/// part of it.
typedef struct lw_regression_info {
    int nparameter;
    const char *const *name; ///< [nparameter]
    const double *value;     ///< [nparameter] in the model
    const bool *is_held;     ///< [nparameter]
    int nbase;               ///< base parameters
    const int *column;       ///< [nbase] the parameter that leads each
    const double *K;         ///< [nbase*nparameter] base parameter r = sum of K[r][c] p[c], held
                             ///< ones left out: tau = sum over r of W[column[r]] * (base parameter
                             ///< r), and the torques of what is held
    const bool *has_effect;  ///< [nparameter] false where torques do not depend on it at all
    int nstructural;         ///< inertial base parameters by the exact recursion over the tree; -1
                             ///< for mechanisms with closure steps, which it does not cover
    int ninertial;           ///< the same by elimination of W at random states
} lw_regression_info;

/// Columns and base parameters of a model, which has to outlive it.
/// @param def null for inertial parameters alone
/// @return LW_ERR_NAME for a held name that there is not, with a diagnostic; else as lw_regressor()
LW_API lw_status lw_regression_create(const lw_model *m, const lw_regression_def *def,
                                      lw_regression **regression, lw_report *report);
LW_API void lw_regression_destroy(lw_regression *regression);
LW_API const lw_regression_info *lw_regression_describe(const lw_regression *regression);

/// W [nv*nparameter] row by row at a state.
LW_API lw_status lw_regression_rows(const lw_regression *regression, lw_data *d, const double *q,
                                    const double *v, const double *a, double *W);

// --- Logs -------------------------------------------------------------------------------------

/// States and torques of a motion: samples of independent coordinates.
typedef struct lw_log {
    int n;
    double *t;   ///< [n] s
    double *q;   ///< [n*nq]
    double *v;   ///< [n*nv]
    double *a;   ///< [n*nv]
    double *tau; ///< [n*nv]
} lw_log;

/// How measured positions become velocities and accelerations.
typedef struct lw_filter_def {
    double cutoff; ///< Hz, of a Butterworth low-pass of order 4 that runs forward and backward over
                   ///< positions and torques alike; 0: a fifth of the rate of the samples
    double period; ///< s: the motion repeats; positions are a Fourier series, whose derivatives are
                   ///< exact; 0: they are filtered and differentiated
    int harmonics; ///< of that series; 0: 10
    int decimate;  ///< keep one sample in so many after filtering; 0: one per half period of the
                   ///< cutoff frequency, so that the noise of what is kept is not correlated
} lw_filter_def;

/// Conditions a log: equal time steps are required. Velocities and accelerations are made from
/// positions; samples next to both ends, where the filter has not settled, are left out.
/// @param raw  t, q and tau are read; every coordinate must be one of a one-degree joint
/// @param out  arrays of its own, to be freed with lw_log_free()
/// @return LW_ERR_MOTION where time steps differ or the log is too short, with a diagnostic
LW_API lw_status lw_log_condition(const lw_model *m, const lw_log *raw, const lw_filter_def *def,
                                  lw_log *out, lw_report *report);
LW_API void lw_log_free(lw_log *log);

// --- Estimation -------------------------------------------------------------------------------

typedef struct lw_identify_def {
    bool is_robust;     ///< Huber's weights beyond 1.345 sigma, iterated
    bool is_consistent; ///< also all parameters of bodies that real ones can have
    double prior;       ///< weight of the model's own values in that, in units of the noise; 1
    bool has_gains;     ///< the log has motor currents: one gain per joint is unknown as well, and
                        ///< at least one parameter with effect must be held to fix the scale
    const lw_log *instruments; ///< the same motion with other noise, or its command: the estimate
                               ///< then has no bias from noise in the positions; may be null
} lw_identify_def;

/// Weighted least squares with consistent parameters.
LW_API lw_identify_def lw_default_identify_def(void);

/// An estimate. Arrays are its own.
typedef struct lw_estimate {
    int nbase, nparameter, nv;
    double *base;       ///< [nbase]
    double *sigma;      ///< [nbase] standard deviations
    double *full;       ///< [nparameter] physically consistent; null where that was not requested
    double *gain;       ///< [nv] torque per unit of the log; null without has_gains
    double *gain_sigma; ///< [nv]
    double *noise;      ///< [nv] standard deviation of the torques about the fit
    double condition;   ///< of the columns, each scaled to length one
    int nsample;
    int noutlier; ///< torques of a robust estimate that are off by more than four sigma
} lw_estimate;

/// Estimates base parameters by weighted least squares, with the noise of each joint's torque from
/// its residuals (iterated).
/// @return LW_ERR_SINGULAR where the motion does not excite all of them: the report names the
///         parameters; LW_ERR_NO_CONVERGENCE of the consistent fit
LW_API lw_status lw_identify(const lw_regression *regression, const lw_log *log,
                             const lw_identify_def *def, lw_estimate *estimate, lw_report *report);
LW_API void lw_estimate_free(lw_estimate *estimate);

/// Root mean square of tau - W p over a log, for each degree of freedom, and of tau itself.
/// @param error, size [nv]
LW_API lw_status lw_identify_error(const lw_regression *regression, const lw_estimate *estimate,
                                   const lw_log *log, double *error, double *size);

/// The torques that an estimate predicts for a log, tau [n*nv].
LW_API lw_status lw_identify_predict(const lw_regression *regression, const lw_estimate *estimate,
                                     const lw_log *log, double *tau);

/// Puts consistent parameters into a description that the model was compiled from: the inertia of
/// a body into its first link, none into the links that are fixed to it; friction, rotor inertia
/// and stiffness into joints.
/// @return LW_ERR_ARGUMENT without consistent parameters; LW_ERR_UNSUPPORTED for parts of
/// assemblies
LW_API lw_status lw_identify_apply(const lw_regression *regression, const lw_estimate *estimate,
                                   lw_mech *mech, lw_report *report);

// --- Excitation -------------------------------------------------------------------------------

/// A periodic motion, q_j(t) = c_j + sum over l of (a sin(l w t) - b cos(l w t)) / (l w), with
/// w = 2 pi / period (Swevers and others 1997).
typedef struct lw_excitation {
    int nv, harmonics;
    double period;
    double *coefficient; ///< [nv * (1 + 2*harmonics)] c, a1, b1, a2, b2, ...
    double condition;    ///< of the base columns over one period, each scaled to length one
    double log_det;      ///< of their scaled information
} lw_excitation;

typedef struct lw_excite_def {
    double period;       ///< s; 10
    int harmonics;       ///< 5
    double share;        ///< of the range of positions, velocities, accelerations that is used; 0.9
    double max_velocity; ///< rad/s, m/s for joints without a limit; 2
    double max_acceleration; ///< 5
    int evaluations;         ///< bound of the search; 4000
    unsigned long long seed;
    /// Whether a configuration is allowed, for collisions; may be null.
    bool (*is_free)(void *context, const double *q);
    /// Called now and then with the share done and the condition so far; false cancels. May be
    /// null.
    bool (*progress)(void *context, double share, double condition);
    void *context;
} lw_excite_def;

/// The values above.
LW_API lw_excite_def lw_default_excite_def(void);

/// Searches a motion with much information on the base parameters within position, velocity,
/// acceleration and torque limits. Mechanisms of joints with one degree of freedom.
/// @return LW_ERR_MOTION where none within the limits was found, or it was cancelled
LW_API lw_status lw_excite(const lw_regression *regression, const lw_excite_def *def,
                           lw_excitation *excitation, lw_report *report);
LW_API void lw_excitation_free(lw_excitation *excitation);

/// Position, velocity and acceleration [nv] at a time.
LW_API void lw_excitation_at(const lw_excitation *excitation, double t, double *q, double *v,
                             double *a);

// --- Calibration ------------------------------------------------------------------------------

/// What was measured of a point or frame of the mechanism in each configuration.
typedef enum lw_measurement {
    LW_MEASURE_POSE = 0,     ///< x y z qw qx qy qz of the frame, in the measuring device's frame
    LW_MEASURE_POSITION = 1, ///< x y z of its origin
    LW_MEASURE_DISTANCE = 2, ///< of its origin from a known point
    LW_MEASURE_PLANE = 3,    ///< nothing: its origin is on one plane, whose normal is about known
    LW_MEASURE_POINT = 4     ///< nothing: its origin is at one point, which is not known
} lw_measurement;

typedef struct lw_calibrate_def {
    lw_measurement kind;
    const char *frame;      ///< name, as lw_find_frame() takes it
    int n;                  ///< configurations
    const double *q;        ///< [n*nq]
    const double *measured; ///< [n*7], [n*3], [n] or null, as the kind has it
    lw_vec3 known;          ///< the point of distances, in the world; the normal of a plane

    int nparameter; ///< kinematic parameters (linkwork/parameters.h); 0: the placements of all
                    ///< joints that carry the frame; -1: none
    const char *const
        *parameter;   ///< [nparameter] names; one that stands for several means them all
    bool has_base;    ///< also the pose of the world in the device's frame: "base.x" to "base.rz"
    bool has_tool;    ///< also the placement of the measured frame: "tool.x" to "tool.rz"
    bool has_offsets; ///< also a constant for each coordinate: "J.offset"
    bool has_compliance; ///< also the compliance of each joint under gravity: "J.compliance"

    double sigma_length, sigma_angle;       ///< noise of the measurements, m and rad; 1e-4, 1e-4
    double expected_length, expected_angle; ///< size of the errors that are sought; 5e-3, 1e-2
    int iterations;                         ///< at most; 30
} lw_calibrate_def;

/// The values above, without measurements.
LW_API lw_calibrate_def lw_default_calibrate_def(lw_measurement kind, const char *frame);

typedef struct lw_calibrated {
    char *name;
    double nominal, value; ///< of the description; of base, tool, offsets and compliance from zero
    double sigma;          ///< infinite where it is not identifiable alone
    bool is_identifiable;  ///< no combination with others leaves all measurements as they are
} lw_calibrated;

/// The result of a calibration. Arrays are its own.
typedef struct lw_calibration {
    int n, rank;
    lw_calibrated *parameter;   ///< [n]
    int nnull;                  ///< n - rank: combinations without effect
    char **null;                ///< [nnull] each as a sentence
    double before[2], after[2]; ///< RMS of the errors of position, m, and of orientation, rad
    double condition;           ///< of the identifiable part, columns in the expected errors
    int iterations;
} lw_calibration;

/// Finds kinematic parameters from measurements, by Levenberg's and Marquardt's method on the
/// parameter Jacobian, through loops and gears. Directions that measurements cannot distinguish
/// stay as near to the description as possible, in units of the expected errors, and are named. On
/// success the description has the new values; base, tool, offsets and compliance are reported
/// only.
/// @param options of the compile; null for the default
/// @return LW_ERR_NAME for a name that there is not, LW_ERR_UNSUPPORTED for a parameter that cannot
///         be set, LW_ERR_NO_CONVERGENCE, also where a kinematic parameter would have to change by
///         more than 30 times its expected error, and what the compile returns; the description is
///         then as it was
LW_API lw_status lw_calibrate(lw_mech *mech, const lw_compile_options *options,
                              const lw_calibrate_def *def, lw_calibration *calibration,
                              lw_report *report);
LW_API void lw_calibration_free(lw_calibration *calibration);

/// The errors of other measurements, which were not used: RMS of position and of orientation.
/// @param def        the same but for n, q and measured
/// @param error      [2]
LW_API lw_status lw_calibration_error(const lw_mech *mech, const lw_compile_options *options,
                                      const lw_calibrate_def *def,
                                      const lw_calibration *calibration, double *error);

/// Chooses configurations with much information among def->n candidates: the largest determinant,
/// by adding and then exchanging (DETMAX; Mitchell 1974). def->measured is not read.
/// @param chosen [nchosen] numbers of candidates
/// @return LW_ERR_ARGUMENT where there are fewer candidates than wanted
LW_API lw_status lw_calibrate_select(const lw_mech *mech, const lw_compile_options *options,
                                     const lw_calibrate_def *def, int nchosen, int *chosen,
                                     lw_report *report);

#ifdef __cplusplus
}
#endif
#endif
