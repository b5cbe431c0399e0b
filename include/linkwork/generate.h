// linkwork/generate.h: source code from derived equations.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
#ifndef LINKWORK_GENERATE_H
#define LINKWORK_GENERATE_H

#include <linkwork/symbolic.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lw_language {
    LW_LANGUAGE_C = 0,          ///< C99 that needs <math.h> and nothing else
    LW_LANGUAGE_PYTHON = 1,     ///< a module of Python 3
    LW_LANGUAGE_JAVASCRIPT = 2, ///< an ECMAScript module
    /// A module of Fortran 2008; not of loads, nor of mechanisms with loops that have no closed
    /// form.
    LW_LANGUAGE_FORTRAN = 3
} lw_language;

typedef enum lw_real {
    LW_REAL_DOUBLE = 0,
    LW_REAL_FLOAT = 1 ///< C only
} lw_real;

/// Where sines and cosines of angles come from, unless they are inputs
/// (lw_derive_options.is_sincos_input).
typedef enum lw_sincos {
    LW_SINCOS_LIBRARY = 0, ///< sin() and cos() of <math.h>, good for all angles
    /// A function in the file, several angles at once: several times faster. The error is below
    /// 4e-16 for angles up to 1.6e6 and then grows as the spacing of angles does (float: 2e-7,
    /// 3200). In C; other languages have that of their library.
    LW_SINCOS_INLINE = 1
} lw_sincos;

/// One file of C or two.
typedef enum lw_c_part {
    LW_C_WHOLE = 0,  ///< a header with everything in it, as static inline functions
    LW_C_HEADER = 1, ///< a header that declares the functions
    LW_C_SOURCE = 2  ///< what defines them, to be compiled once; it includes that header
} lw_c_part;

typedef struct lw_generate_options {
    lw_language language;
    lw_real real;
    lw_sincos sincos;

    /// States that one call computes side by side, in a vector type of GCC and Clang: 2, 4, 8 or
    /// 16; 1 for plain numbers. C only, with sines and cosines from the file or as inputs.
    int lanes;

    /// One function PREFIX_all() fills the results of all functions, and computes what they share
    /// once. For functions that were derived together (lw_derive_options.is_apart is false), and
    /// not for inverse and forward dynamics at once.
    bool is_joined;

    /// Each function in two, as VIBRAN wrote them (Bansevicius and others 2004): one that fills a
    /// sorted dictionary d of products of sines and cosines, PREFIX_..._dictionary(), and one that
    /// computes the results from it. C only.
    bool has_dictionary;

    /// Float leaves out terms that it cannot see: those whose numbers are below 2^-25 of those of
    /// their whole sum, with sines and cosines taken for 1, at all velocities, accelerations and
    /// forces from 1e-3 to 1e3. True keeps them.
    bool keeps_small;

    /// Adds the mechanism as a plant for simulators, such as an S-function of Simulink: states are
    /// q, then v, inputs are joint forces. PREFIX_derivative() fills the rates of the states,
    /// PREFIX_step() takes a step of the classic Runge-Kutta method with the inputs held, and
    /// brings quaternions back to length 1. C only, one state per call, with forward dynamics among
    /// the functions, and numbers folded in.
    bool has_plant;

    lw_c_part part;     ///< C only
    const char *header; ///< the header's own name, which a source file includes; NULL for PREFIX.h

    /// How the code was made, for a comment at its head: a command, say; NULL for nothing. Lines
    /// are kept as they are.
    const char *origin;

    /// What every name in the code begins with; NULL for the model's name. Made an identifier
    /// whatever it holds.
    const char *prefix;
} lw_generate_options;

/// C, double, sines and cosines of the file's own, one state a call.
LW_API lw_generate_options lw_default_generate_options(void);

/// Writes code for all functions that were derived.
///
/// The code allocates nothing, has no branch, no loop and no global that can be written; but loops
/// of a mechanism that have no closed form are closed by a bounded iteration, from a state x that
/// is an argument (lw_derive() notes them), and where that fails all results are NaN. The same
/// derivation and options give the same bytes on every computer. In the file are: where it comes
/// from, what each function costs, units and shapes, and a self check against known answers.
/// Functions that share what they can are written one by one all the same, unless they are joined.
/// The known answers are
/// computed by lw_derivation_run(), so that the derivation serves one thread at a time.
///
/// @param options NULL for the default
/// @param report  gets what stands against it; may be NULL
/// @param text    ends with a zero and is freed with lw_text_free(); NULL on failure
/// @return LW_ERR_ARGUMENT for options that do not go together, LW_ERR_NUMBER where a number of the
///         model is beyond float
LW_API lw_status lw_generate(lw_derivation *derivation, const lw_generate_options *options,
                             char **text, size_t *size, lw_report *report);

/// What a function costs in the code that lw_generate() writes by these options: less than
/// lw_derivation_counts() where terms that float cannot see are left out.
/// @param options NULL for the default
LW_API lw_status lw_generate_counts(const lw_derivation *derivation,
                                    const lw_generate_options *options, lw_function function,
                                    lw_counts *counts);

/// Makes an identifier of C and Python from any text, as the generated code has it: "upper arm"
/// gives "upper_arm".
/// @param size of the identifier's buffer, with the closing zero; at least 8
LW_API void lw_identifier(const char *text, char *identifier, size_t size);

/// Gains of the axis controllers, as lw_controller_gains() gives them for a bandwidth.
typedef struct lw_control_numbers {
    const double *pd_kp, *pd_kd;         ///< [nv] of LW_CONTROL_PD and LW_CONTROL_PD_GRAVITY
    const double *torque_kp, *torque_kd; ///< [nv] of LW_CONTROL_COMPUTED_TORQUE
    double bandwidth;                    ///< Hz, for a comment
    double damping;                      ///< likewise
} lw_control_numbers;

/// Writes axis controllers in C: PD, PD with gravity, computed torque, all with one interface, held
/// within the forces of the model; and a set point within range, velocity and acceleration of each
/// joint. They call the functions gravity and inverse_dynamics of lw_generate() with this prefix.
/// @param prefix NULL for the model's name
/// @param header file of those functions, which is included
/// @param text   ends with a zero and is freed with lw_text_free(); NULL on failure
/// @return LW_ERR_ARGUMENT for null, and for joints whose positions are not as many as velocities
LW_API lw_status lw_generate_controllers(const lw_model *m, const lw_control_numbers *control,
                                         const char *prefix, const char *header, char **text);

#ifdef __cplusplus
}
#endif
#endif
