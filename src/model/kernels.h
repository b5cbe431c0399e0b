// The inner loops of the library: one table of functions per instruction set, selected once, when a
// lw_data or a lw_batch is created. The same text is compiled for each of them
// (dyn/kernels_*.c); results differ by rounding alone.
#ifndef LWI_KERNELS_H
#define LWI_KERNELS_H

#include <linkwork/model.h>

struct lwi_dof_tree;  // dof_tree.h
struct lwi_state;     // dyn/world.h
struct lwi_matrices;  // dyn/derivative_sweep.h
struct lwi_batch_job; // dyn/batch_job.h

/// Functions that compute several numbers of one state side by side in one register.
typedef struct lwi_lane_kernels {
    /// s[k] = sin(x[k]), c[k] = cos(x[k]) for k < n, with the error of sincos.h. The three do not
    /// overlap; they may be vectors of doubles as well.
    void (*sincos)(int n, const double *x, double *s, double *c);
    /// Motion of all bodies, in d->world, and of joints that are not revolute, in d->S and as
    /// columns (dyn/kernel_outward.h).
    void (*outward)(const lw_model *m, lw_data *d, const struct lwi_state *at, bool is_eliminated);
    /// Derivatives in tree coordinates (dyn/derivative_sweep.h): rows of bodies and degrees of
    /// freedom, then all pairs of these.
    void (*derivative_columns)(const lw_model *m, lw_data *d, const struct lwi_state *at,
                               const lw_force *f_ext);
    /// The same for the accelerations `a` that `drive` gives a tree without user joints, which are
    /// found on the way. Returns -1, or a degree of freedom that moves no inertia. Overwrites
    /// `drive`, d->acc and d->work. at->a is all zero.
    int (*forward_columns)(const lw_model *m, lw_data *d, const struct lwi_state *at,
                           const lw_force *f_ext, const double *rotor, double *drive, double *a);
    /// With the rows of these: X = sign * M^-1 X for ncolumn right-hand sides row by row, where the
    /// tree is deep. nv and ncolumn are at least four.
    void (*deep_solve)(const lw_model *m, lw_data *d, double sign, int ncolumn, double *X);
    void (*derivative_pairs)(const lw_model *m, lw_data *d, const struct lwi_matrices *out);
    /// M = L' D L, in the lower triangle [n*n] of M. Returns -1, or the degree of freedom whose
    /// pivot is not above 64 epsilon of its entry on the diagonal.
    int (*factor)(const struct lwi_dof_tree *t, double *M);
    /// With these factors: solves L' Y = B and L' D L X = sign * B for ncolumn right-hand sides row
    /// by row, in place; and puts the inverse of L' D L, both triangles, in its place, with
    /// workspace `sum` [n].
    void (*factor_half_solve)(const struct lwi_dof_tree *t, const double *L, int ncolumn,
                              double *Y);
    void (*factor_solve)(const struct lwi_dof_tree *t, const double *L, double sign, int ncolumn,
                         double *X);
    void (*factor_invert)(const struct lwi_dof_tree *t, double *L, double *sum);
    void (*small_product)(int n, const double *B, double *X);
    /// After closure_motion() with zero accelerations, where d->wide is not NULL: bias h [nv] and
    /// M [nv*nv] in independent coordinates, out of one recursion. NULL without registers of four
    /// doubles.
    void (*bias_and_mass)(const lw_model *m, lw_data *d, const lw_force *f_ext, double *h,
                          double *M);
} lwi_lane_kernels;

/// Functions that compute several states side by side.
typedef struct lwi_batch_kernels {
    int lanes; ///< states per step
    /// Bytes of workspace for one worker, LWI_ALIGN of which are zero before its first run.
    size_t (*size)(const lw_model *m);
    /// Whether all n numbers are finite.
    bool (*all_finite)(const double *x, size_t n);
    /// Computes the states first .. first + count - 1. Returns the first one that is singular, or
    /// -1. With `d`, loops are closed by it, one state after the other.
    int (*run)(const struct lwi_batch_job *job, int first, int count, void *work,
               struct lw_data *d);
} lwi_batch_kernels;

typedef struct lwi_kernels {
    const char *name;

    // Forward sweeps of models with closure steps (kin/closure.h). Results are in the d->tree_...
    // arrays; `needed` [nstep] marks the steps to take, NULL for all.
    lw_status (*closure_position)(const lw_model *m, lw_data *d, const double *q,
                                  const bool *needed);
    lw_status (*closure_rotations)(const lw_model *m, lw_data *d, const double *q,
                                   const bool *needed);
    void (*closure_angles)(const lw_model *m, lw_data *d);
    lw_status (*closure_rates)(const lw_model *m, lw_data *d, const bool *needed);
    lw_status (*closure_velocity)(const lw_model *m, lw_data *d, const double *v);
    lw_status (*closure_motion)(const lw_model *m, lw_data *d, const double *q, const double *v,
                                const double *a);
    void (*closure_acceleration)(const lw_model *m, lw_data *d, const double *a);
    void (*closure_forces)(const lw_model *m, const lw_data *d, double *tree, double *out);

    /// Fills d->X_WB for all bodies.
    void (*tree_poses)(const lw_model *m, lw_data *d, const double *tree_q);
    /// The same for the n bodies of d->path, the world's child last.
    void (*path_poses)(const lw_model *m, lw_data *d, const double *tree_q, int n);
    /// Jacobian columns of the revolute, spherical and free bodies of d->path for the point p_W,
    /// along world axes; entries that are zero are not set. Returns whether these are all bodies.
    bool (*joint_columns)(const lw_model *m, const lw_data *d, int n, lw_vec3 p_W, double *J);
    /// Poses of n frames from the first on.
    void (*frame_poses)(const lw_model *m, const lw_data *d, int first, int n, lw_pose *X_WF);

    // Recursions of dynamics for one state, in tree coordinates.

    /// Leaves the forces through the joints in d->work, for joint_wrenches(). Where the model has
    /// closure steps, sines and cosines are those that the closure sweep left.
    /// @param has_rods with the rods that have mass
    void (*inverse_dynamics)(const lw_model *m, lw_data *d, const double *q, const double *v,
                             const double *a, const lw_force *f_ext, bool has_rods, double *tau);
    /// M [nv*nv]. With closure steps it needs the rates, and fronts (fronts.h); uses d->tree_J.
    /// @param is_upper what is below the diagonal need not be set
    void (*mass_matrix)(const lw_model *m, lw_data *d, const double *q, bool is_upper, double *M);
    /// Returns a degree of freedom that moves no inertia, or -1; `a` is then untouched.
    int (*forward_dynamics)(const lw_model *m, lw_data *d, const double *q, const double *v,
                            const double *tau, const lw_force *f_ext, double *a);
    /// After closure_motion() with zero accelerations, where the model has fronts (fronts.h), in
    /// tree coordinates: `tau` acts on all degrees of freedom of the tree, and `a` may be `tau`.
    int (*forward_dynamics_closed)(const lw_model *m, lw_data *d, const double *tau,
                                   const lw_force *f_ext, double *a);
    /// Forces that balance gravity.
    void (*gravity_forces)(const lw_model *m, lw_data *d, const double *q, double *tau);
    /// Momentum and first moment of the bodies, about the world's origin.
    void (*momentum)(const lw_model *m, lw_data *d, const double *q, const double *v,
                     lw_force *momentum, lw_vec3 *h);
    /// Momentum of the bodies for unit rates of all degrees of freedom, angular part first,
    /// [6*tree_nv] row by row, about the centre of all mass, which it returns.
    /// @param of_rods first moment of the rods, whose mass `mass` includes
    lw_vec3 (*momentum_rows)(const lw_model *m, lw_data *d, const double *q, double mass,
                             lw_vec3 of_rods, double *rows);
    /// After inverse dynamics: the sum of what the world gives to the bodies that it carries, and
    /// the first moment of all bodies, about the origin of the first, which it returns.
    lw_vec3 (*root_forces)(const lw_model *m, const lw_data *d, lw_force *sum, lw_vec3 *h);
    /// After inverse dynamics: the forces through the joints [nbody], in body coordinates.
    void (*joint_wrenches)(const lw_model *m, const lw_data *d, lw_force *force);

    const lwi_lane_kernels *lane;
    const lwi_batch_kernels *batch;
} lwi_kernels;

/// Those that fit the processor.
const lwi_kernels *lwi_select_kernels(void);

// Each of them; NULL where the compiler does not support the instruction set.
extern const lwi_kernels *const lwi_kernels_generic;
extern const lwi_kernels *const lwi_kernels_avx2;
extern const lwi_kernels *const lwi_kernels_avx512;
extern const lwi_lane_kernels lwi_lane_kernels_generic, lwi_lane_kernels_avx2,
    lwi_lane_kernels_avx512;
extern const lwi_batch_kernels lwi_batch_kernels_generic, lwi_batch_kernels_avx2,
    lwi_batch_kernels_avx512;

#endif
