// The scratch of one thread. Public functions of every layer above work in it.
#ifndef LWI_DATA_H
#define LWI_DATA_H

#include <linkwork/model.h>

#include "derivative_rows.h"
#include "dof_tree.h"
#include "fronts.h"
#include "kernel_sizes.h"
#include "kernels.h"
#include "loop_work.h"

/// A body with all that it carries.
typedef struct lwi_subtree {
    double mass;
    lw_vec3 moment; ///< first moment about the world's origin
} lwi_subtree;

/// A rod with mass (dyn/rod_derivatives.c).
typedef struct lwi_heavy_rod {
    struct {
        int body;        ///< -1 for the world
        lw_vec3 r, u, a; ///< where it is about the origin of its root, and how it moves
    } end[2];
    lw_vec3 f[2]; ///< that it needs there
    double sixth; ///< of its mass
} lwi_heavy_rod;

/// What lw_dynamics_options holds.
typedef struct lwi_settings {
    bool is_ideal, is_frictionless;
    bool is_unloaded;     ///< loads of the model do not act
    double friction_rate; ///< 1 / friction_speed; the largest number for 0
    lw_vec3 gravity;
    lw_motion base_velocity, base_acceleration;
} lwi_settings;

/// One degree of freedom of a loop (dyn/closure_derivatives.c).
typedef struct lwi_bend {
    lw_motion S; ///< of the second end frame against the first, about the origin of the second
    int column;  ///< in the matrices of the step
    int body;
    int at; ///< its joint on the way from the first end to the second; negative on the first branch
} lwi_bend;

/// How the rates of closure steps change, where the model has any. Sizes of `rows`, `matrix`,
/// `pair`, `F`, `square` and `multiplier` are those of the step that needs most.
typedef struct lwi_rate_work {
    double *v_by_q, *a_by_q,
        *a_by_v;        ///< as lw_data.rate: what sources of a step add to its targets
    double *rows;       ///< [4*nrow*(ntarget+nsource)]
    double *matrix;     ///< [nrow*(ntarget+nrow)]
    double *F;          ///< [ntarget*nrow]
    double *multiplier; ///< [nrow]
    double *pair;       ///< [(ntarget+nsource)^2]
    lwi_bend *dof;      ///< [lwi_program.longest]
    bool *is_bent;      ///< [nstep] rates of its targets change
    double
        *inverse;   ///< [ntarget*nrow] of each step, one after the other (kin/parameter_jacobian.c)
    double *square; ///< [ntarget*ntarget]
} lwi_rate_work;

/// What dynamics with closure steps works in (fronts.h). Entries are those of G, or have its zeros.
typedef struct lwi_front_data {
    double *g, *g_dot;                ///< [nentry] G, and its rate
    double *v_by_q, *a_by_q, *a_by_v; ///< [nentry] derivatives of the tree's motion, beyond G
    void *F;                          ///< [6*nfront] doubles
    double *D;                        ///< [nslot*nslot]
    double *r;                        ///< [3*nslot]
    double *share;                    ///< [nshare]
    double *row;                      ///< [3*dof_stride] of the tree's derivatives
    double *sum;                      ///< [3*nv]
} lwi_front_data;

/// The state of lw_set_state(), and what is kept of it beside tree_q, tree_v, rate, rate_bias and
/// loop_work: those of models with closure steps stay as long as `stage` does (kin/held_state.h).
typedef struct lwi_held_state {
    lw_stage stage;        ///< LW_STAGE_NONE after anything that may overwrite the above
    int has_poses;         ///< bool: at this state X_WB are those of lwi_kernels.tree_poses
    bool is_set;           ///< q and v have numbers
    double *q, *v;         ///< [nq], [nv]
    double *sine, *cosine; ///< [nbody] as the recursions need them; unused with closure steps
} lwi_held_state;

enum { LWI_MOST_ITERATIONS = 500 }; ///< of Newton's method in a block, by default

enum {
    /// Mass matrices that are factored are made up to this many degrees of freedom, which are
    /// 32 MB; beyond, functions that need them answer LW_ERR_LIMIT.
    LWI_DENSE = 2000,
    /// So many actuators can sit on any joints of a mechanism with closure steps, or as many as it
    /// has drives.
    LWI_MOST_SPLIT = 128
};

struct lw_data {
    const lw_model *model;      ///< the model it was made for; checked by every public function
    const lwi_kernels *kernels; ///< for this processor (kernels.h)
    lw_stage stage;
    lwi_held_state held;
    int singular_dof; ///< degree of freedom that made the last function singular, or -1
    int nrod_mass;    ///< rods with mass

    lwi_dof_tree dofs; ///< the independent ones

    // Tree coordinates, filled by the closure sweeps where the model has steps.
    double *tree_q;    ///< [tree_nq]
    double *tree_v;    ///< [tree_nv]
    double *tree_a;    ///< [tree_nv]
    double *tree_tau;  ///< [tree_nv]
    double *rate;      ///< K of each step at tree_q, one after the other; those of linear steps are
                       ///< set from the beginning
    double *rate_bias; ///< b of each step at tree_q and tree_v
    lwi_front_data fronts;
    lwi_loop_work loop_work;
    bool angles_are_due; ///< tree_q lacks angles whose sines and cosines are in loop_work
    lwi_iterations iterations;
    bool *needed_step; ///< [nstep] those that one frame depends on
    lwi_rate_work rate_work;
    lw_status closure_status;
    lwi_closure_fault fault; ///< of the last sweep that failed

    // Kinematics, in the order of the bodies.
    lw_pose *X_WB;  ///< [nbody] body in world
    lw_motion *vel; ///< [nbody] angular velocity, and velocity of the body's origin, in body axes
    lw_motion *acc; ///< [nbody] angular acceleration, and acceleration of the origin, in body axes
    lwi_subtree *subtree; ///< [nbody]
    double *angle;        ///< [nbody] of revolute joints
    int *path;            ///< [nbody] bodies between the world and a frame

    double *tree_J; ///< [6*tree_nv]

    // Derivatives, sensitivities and regressors (dyn/world.h).
    double *sine, *cosine;          ///< [tree_nq] of all positions, whether angles or not
    lwi_world_body *world;          ///< [nbody]
    lw_motion *S;                   ///< [tree_nv] in the same frame
    double *body_row;               ///< [rows * body_stride]
    double *dof_row;                ///< [LWI_DOF_ROWS * dof_stride]
    size_t body_stride, dof_stride; ///< length of a row
    int *run;       ///< [nbody] where bodies begin that are each the child of the one before
    int *path_dof;  ///< [dof_stride] degrees of freedom of a way
    double *v_work; ///< [nv] an acceleration between two functions

    // Dynamics: options, and workspace of the recursions.
    lwi_settings settings;
    lw_inertia *composite; ///< [nbody] each with all that it carries
    void *work;            ///< laid out by dyn/kernel_work.h
    void *wide;            ///< workspace of dyn/kernel_columns.h; NULL where it is not used
    double *M;             ///< [nv*nv] for forward dynamics by factors; NULL where there are none
    int nsplit;            ///< actuators that forces can be split onto (dyn/actuators.c)
    double *split[2];      ///< [nv*nsplit]

    // Forces of loops (dyn/loop_forces.c), where the model has loops.
    lw_force *applied;    ///< [nbody] on the bodies, loops and rods included
    lw_force *loop_force; ///< [2*nloop] on the two bodies of each loop, in their coordinates
    double *tension;      ///< [nloop]
    lwi_heavy_rod *rod;   ///< [nloop] where any has mass, along the axes of lw_data.world
    double *rod_J;        ///< [24*tree_nv] of the ends of a rod and more, where any has mass

    double *drive_force; ///< [ndrive] (dyn/drives.c)

    // Springs (dyn/springs.c), where the model has any.
    double *spring_row; ///< [tree_nv] change of length for unit rate of each degree of freedom
    double *spring_tau; ///< [tree_nv]
    lw_vec3 *spring_s;  ///< [4*tree_nv] velocities of the two ends, likewise, and axes of rotation
    lw_force *spring_force; ///< [nbody] on the bodies
};

/// Begins a computation that overwrites results of earlier ones.
static inline void lwi_drop_results(lw_data *d)
{
    d->stage = LW_STAGE_NONE;
    d->held.stage = LW_STAGE_NONE;
    d->held.has_poses = false;
}

#endif
