// linkwork/symbolic.h: equations of motion in closed form.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// The equations are derived anew from the tree and the closure program of a compiled model: nothing
// here calls the numeric algorithms, so that the two can check each other.
#ifndef LINKWORK_SYMBOLIC_H
#define LINKWORK_SYMBOLIC_H

#include <linkwork/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What can be derived. Shapes as in kinematics.h, dynamics.h and derivatives.h; the names in
/// brackets are those of lw_function_result().
typedef enum lw_function {
    LW_FUNCTION_POSES = 0,    ///< X [nframe * 12] rotation row by row, then position, per frame
    LW_FUNCTION_JACOBIAN = 1, ///< J [6 * nv] of lw_derive_options.frame, world axes, its origin
    LW_FUNCTION_INVERSE_DYNAMICS = 2, ///< tau [nv] from q, v, a
    LW_FUNCTION_MASS_MATRIX = 3,      ///< M [nv * nv]
    LW_FUNCTION_CORIOLIS_MATRIX = 4,  ///< C [nv * nv]: C v velocity forces, dM/dt - 2 C skew
    LW_FUNCTION_CHRISTOFFEL = 5, ///< B [nv * nv * nv] of nv matrices: (C v)_i = sum B_ikl v_k v_l
    LW_FUNCTION_GRAVITY = 6,     ///< G [nv]
    LW_FUNCTION_FORWARD_DYNAMICS = 7, ///< acc [nv] from q, v, tau
    LW_FUNCTION_ENERGY = 8,           ///< E [2] kinetic, potential
    LW_FUNCTION_REGRESSOR = 9,        ///< Y [nv * 10 * nbody]
    LW_FUNCTION_ELEMENTS = 10, ///< the upper half of H [nv (nv + 1) / 2], row by row, then the
                               ///< different B_ikl, k <= l [nv * nv (nv + 1) / 2], then G [nv]
    LW_FUNCTION_LOADS = 11,    ///< Q [nv] generalised forces of the loads and of an unbalance
    LW_FUNCTION_INVERSE_KINEMATICS =
        12, ///< Q [8 * (nq + 1)] from the pose X [12] of lw_derive_options.frame in the world
            ///< (rotation row by row, then position): a row for each solution, of positions and
            ///< then 1, or 0 where the solution is not real; joints that the pose does not
            ///< determine are 0. Models with planar loops have 16 rows. Of a chain of two parallel
            ///< axes, as of a five-bar, and of three axes, as of a leg, the position alone counts
    LW_FUNCTION_INVERSE_DYNAMICS_DERIVATIVES =
        13, ///< dtau [3 * nv * nv] from q, v, a: three matrices, dtau/dq, dtau/dv and M, as
            ///< lw_inverse_dynamics_derivatives() has them
    LW_FUNCTION_FORWARD_DYNAMICS_DERIVATIVES =
        14, ///< dacc [3 * nv * nv] from q, v, tau: da/dq, da/dv and da/dtau, as
            ///< lw_forward_dynamics_derivatives() has them
    LW_FUNCTION_JACOBIAN_RATE = 15, ///< dJ [6 * nv] the rate of J for velocities v
    LW_FUNCTION_PARAMETER_DERIVATIVES =
        16, ///< dtau_dp [nv * nsymbol] from q, v, a: derivatives of tau by all that are symbols
            ///< (lw_derivation_symbol()), a column each; independent positions are held, dependent
            ///< ones follow
    LW_FUNCTION_INVERSE_MASS_MATRIX = 17, ///< Minv [nv * nv], as lw_inverse_mass_matrix() has it
    LW_FUNCTION_COUNT = 18                ///< not a function
} lw_function;

/// "inverse_dynamics" and so on, and the array it fills: "tau", "M", ...; never NULL.
LW_API const char *lw_function_name(lw_function function);
LW_API const char *lw_function_result(lw_function function);

/// How many numbers it gives for this model; 0 where an argument makes no sense, where an int
/// cannot hold it, and for derivatives by parameters, which lw_derivation_size() has.
LW_API int lw_function_size(const lw_model *m, lw_function function);

/// How equations are derived.
typedef enum lw_form {
    LW_FORM_CHEAPEST = 0,  ///< whichever of the others costs least, with the reason in the report
    LW_FORM_RECURSIVE = 1, ///< customised recursive Newton-Euler, unrolled
    LW_FORM_LAGRANGE = 2,  ///< M, C, G in closed form
    LW_FORM_UICKER = 3     ///< H, C, g of Uicker and Kahn, with a dictionary of monomials
} lw_form;

/// "cheapest", "recursive", "lagrange", "uicker"; never NULL.
LW_API const char *lw_form_name(lw_form form);

/// What is made small: all operations, multiplications before additions, or instructions where a
/// multiplication and an addition are one.
typedef enum lw_cost {
    LW_COST_OPERATIONS = 0,
    LW_COST_MULTIPLICATIONS = 1,
    LW_COST_INSTRUCTIONS = 2
} lw_cost;

/// Operations of straight-line code. What depends on parameters only is computed once and not
/// counted; a change of sign is free.
typedef struct lw_counts {
    int mul, add, div, sqrt, sincos, other;
} lw_counts;

/// A rotor that is out of balance (Bansevicius and others 2004, eq. 3): it pulls at the origin of a
/// frame with the force mass * radius * speed^2, which rotates about z of the frame from x to y.
typedef struct lw_unbalance {
    int frame;
    double mass;   ///< kg
    double radius; ///< m
    double speed;  ///< rad/s
} lw_unbalance;

typedef struct lw_derive_options {
    unsigned functions; ///< bits 1u << lw_function
    lw_form form;
    lw_cost cost;
    int effort;           ///< of the search for cheaper equations: 0 for none, 1 for seconds, 2 and
                          ///< 3 for minutes; 1 by default
    bool is_symbolic;     ///< parameters stay symbols; else their numbers are folded in
    bool is_sincos_input; ///< sines and cosines of the angles are inputs

    /// Names of parameters (lw_symbol_info) with commas between them that stay symbols of their own
    /// whatever their values are: zeros too, and moments that equal others. With is_symbolic they
    /// come beside all that are not zero; else all others are folded in. "m_*" names one of every
    /// body, "*_tool" all of one body but lengths that are zero, "*" all of them; "load=m_tool"
    /// gives an input a name of its own, which may stand for several parameters, also negative:
    /// "arm=a_fore,arm=-a_upper". Null for none; borrowed as long as the derivation lives.
    const char *inputs;

    bool is_ideal;         ///< without friction, damping, stiffness and rotor inertia
    bool is_frictionless;  ///< without Coulomb friction
    double friction_speed; ///< as in lw_dynamics_options
    bool is_apart;         ///< one tape a function; else all functions share what they can
    int frame;             ///< of the Jacobian, and of inverse kinematics
    size_t max_nodes;      ///< largest graph of values, in nodes; 0 for the default

    /// Entries of a rotation that are within this of 0 or 1 are these, and lengths and moments that
    /// are smaller beside the largest of their kind are zero. 0 for 1e-13, which is what computing
    /// leaves; at most 0.01. Files that write a right angle as 1.5708 need more, as noted by the
    /// report.
    double rounding;

    /// Acts beside the loads of the model, as a function of time; NULL for none.
    const lw_unbalance *unbalance;

    /// Symbols and documents have products of inertia as integrals, Ixy = integral of x y dm, so
    /// that the tensor has -Ixy, -Ixz and -Iyz; else Ixy is the entry of the tensor itself, as in
    /// all other functions.
    bool has_product_integrals;

    /// A figure for documents in LaTeX, below their title: text that stands as it is. Borrowed as
    /// long as the derivation lives; NULL for none.
    const char *figure;
} lw_derive_options;

/// Inverse dynamics in the cheapest form, numbers folded in, default effort.
LW_API lw_derive_options lw_default_derive_options(void);

/// Equations in memory. Free with lw_derivation_destroy().
typedef struct lw_derivation lw_derivation;

/// Derives the functions that the options select.
///
/// @param options null for the default
/// @param report  gets the form that was chosen and why, and what could not be derived; may be null
/// @return LW_ERR_UNSUPPORTED if the model has a part without a formula (a user joint, a
///         table), LW_ERR_SINGULAR where forward dynamics meets a degree of freedom without
///         inertia,
///         LW_ERR_LIMIT where the equations grow beyond max_nodes, LW_ERR_ARGUMENT where there is
///         no parameter that the inputs name; each with a diagnostic. *derivation
///         is then null.
LW_API lw_status lw_derive(const lw_model *m, const lw_derive_options *options,
                           lw_derivation **derivation, lw_report *report);
LW_API void lw_derivation_destroy(lw_derivation *d);

/// The form that a function was derived in. Functions that have only one form return
/// LW_FORM_RECURSIVE.
LW_API lw_form lw_derivation_form(const lw_derivation *d, lw_function function);

/// Operations of one function by itself where functions are apart, else of all together; zeros
/// where it was not derived.
LW_API lw_counts lw_derivation_counts(const lw_derivation *d, lw_function function);

/// The same for one form of inverse dynamics or of the elements, of all forms that were tried.
/// False where it was not.
LW_API bool lw_derivation_form_counts(const lw_derivation *d, lw_function function, lw_form form,
                                      lw_counts *counts);

/// A number of the model that stays a symbol.
typedef struct lw_symbol_info {
    const char *name;   ///< with the part that it belongs to: "m_forearm"
    const char *symbol; ///< as it stands in equations: "m2"
    const char *meaning;
    double value; ///< in this model
    /// Axes x, y, z are those of the body's frame, with z along the joint's axis. Where they, or
    /// the origin, are not those of the link that the body is named after, how they stand there: "x
    /// is (0, 0, -1) in the frame of the link"; else "".
    const char *axes;
} lw_symbol_info;

/// How many numbers a function gives; as lw_function_size(), or nv for each symbol.
LW_API int lw_derivation_size(const lw_derivation *d, lw_function function);

/// How many symbols there are, and one of them, borrowed from the derivation.
LW_API int lw_derivation_nsymbol(const lw_derivation *d);
LW_API lw_symbol_info lw_derivation_symbol(const lw_derivation *d, int i);

/// Computes a function by running through its operations one by one. Allocates nothing, but writes
/// into the derivation: one thread at a time.
///
/// @param q, v  [nq], [nv]; for inverse kinematics q is the pose X [12]
/// @param a     [nv] accelerations; for forward dynamics forces; may be null where the function
///              reads none
/// @param time  s; for loads that depend on it
/// @param value [nsymbol] of the symbols, or NULL for those of the model
/// @param out   [lw_derivation_size()]
LW_API lw_status lw_derivation_run(lw_derivation *d, lw_function function, const double *q,
                                   const double *v, const double *a, double time,
                                   const double *value, double *out);

/// A function in shares, for several threads that compute one result: elements of a matrix in
/// closed form need nothing of each other. What two shares need, both compute.
typedef struct lw_shares lw_shares;

/// Divides the elements of a function of a derivation, which has to outlive the shares, and is not
/// run beside them.
/// @param nshare 1 to 1024
/// @return LW_ERR_ARGUMENT for a function that was not derived
LW_API lw_status lw_shares_create(lw_derivation *d, lw_function function, int nshare,
                                  lw_shares **shares);

/// Frees them. Accepts null.
LW_API void lw_shares_destroy(lw_shares *shares);

/// Takes a state, as of lw_derivation_run(), and writes zeros to `out`: before the shares are run,
/// by one thread.
LW_API lw_status lw_shares_begin(lw_shares *shares, const double *q, const double *v,
                                 const double *a, double time, const double *value, double *out);

/// Computes the elements of one share, with the bits of lw_derivation_run(). Threads may run
/// different shares at the same time. Allocates nothing.
LW_API lw_status lw_shares_run(lw_shares *shares, int share, double *out);

/// Base parameters: the least numbers of combinations of inertial parameters that joint forces
/// distinguish. Row r of K gives combination r = sum over K[r][c] p[c], with p as in the columns of
/// the regressor (lw_inertial_parameters()); with column[r] the parameter that leads it,
///
///   tau = sum over r of Y[.][column[r]] * (combination r)
///
/// for ideal joints without loads. Found by elimination of the derived regressor at random states.
/// @param rank   how many combinations there are
/// @param column [10*nbody], of which rank are filled
/// @param K      [10*nbody * 10*nbody] row by row, of which rank rows are filled
LW_API lw_status lw_base_parameters(const lw_model *m, int *rank, int *column, double *K,
                                    lw_report *report);

typedef enum lw_document {
    LW_DOCUMENT_TEXT = 0,
    LW_DOCUMENT_MARKDOWN = 1,
    LW_DOCUMENT_LATEX = 2 ///< whole: it needs amsmath, longtable and geometry, and takes the fonts
                          ///< of lmodern and the figure with pict2e where these are installed
} lw_document;

/// Writes the derivation as a document that a person can follow and check: frames and table of
/// Denavit and Hartenberg, symbols, each step, the equations, which elements vanish, base
/// parameters, and operation counts beside those of the literature.
/// @param text ends with a zero and is freed with lw_text_free(); NULL on failure
LW_API lw_status lw_derivation_document(const lw_derivation *d, lw_document format, char **text);

/// The two conventions for rows of Denavit and Hartenberg.
typedef enum lw_dh_convention {
    LW_DH_CRAIG = 0, ///< Rx(alpha) Tx(a) Rz(theta) Tz(d): frame i is on the axis of joint i
    LW_DH_PAUL = 1   ///< Rz(theta) Tz(d) Tx(a) Rx(alpha): frame i is on the axis of joint i + 1
} lw_dh_convention;

typedef struct lw_dh_row {
    double alpha, a, theta, d; ///< rad, m; the joint adds its position to theta or d
    int dof;                   ///< of the tree
    bool is_prismatic;         ///< adds to d
} lw_dh_row;

enum { LW_DH_MOST = 64 }; ///< rows

/// The parameters of Denavit and Hartenberg of the chain from the world to a frame, from the axes
/// of its joints: the pose of the frame is base * rows * tip. Where axes are parallel or meet, so
/// that they leave a choice, shifts are zero and x goes on as it was. What is along the first and
/// the last axis is in their rows, so that base and tip are the identity for most robots.
///
/// @param row   [most] of which *count are filled
/// @param base  pose of frame 0 in the world
/// @param tip   pose of the frame in the last one
/// @return LW_ERR_UNSUPPORTED where a joint of the chain has several degrees of freedom or depends
///         on others, LW_ERR_LIMIT where it has more than `most` or LW_DH_MOST joints
LW_API lw_status lw_dh_table(const lw_model *m, int frame, lw_dh_convention convention, int most,
                             lw_dh_row *row, int *count, lw_pose *base, lw_pose *tip);

#ifdef __cplusplus
}
#endif
#endif
