// linkwork/model.h: the compiled model and the scratch data that algorithms work in.
//
// Stable. Real-time safe unless stated otherwise; thread safe by const (linkwork/base.h).
#ifndef LINKWORK_MODEL_H
#define LINKWORK_MODEL_H

#include <linkwork/kinds.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A frame that can be asked for: of a link, of a named frame on it, or of a joint's port.
typedef struct lw_frame_info {
    const char *name; ///< "link", "link.frame", "joint.a", "joint.b"
    int body;         ///< the body that it is fixed to, -1 for the world
    lw_pose X_BF;     ///< where it is there
} lw_frame_info;

/// A link as described: where the inertia of the bodies comes from. Several may be merged in a
/// body.
typedef struct lw_link_info {
    const char *name;
    int frame;      ///< its own frame, which has the body
    double mass;    ///< kg
    lw_pose X_FI;   ///< centre of mass, and axes of the tensor, in its frame
    lw_sym3 tensor; ///< about the centre of mass, in those axes, kg m^2
    int joint;      ///< next described joint on the way to the world, fixed ones too; -1 for none
} lw_link_info;

/// A joint as described. It carries one body of the tree, or several where it was split.
typedef struct lw_joint_info {
    const char *name;
    lw_joint_type type; ///< fixed where the level of its assembly locks it
    int body, nbody;    ///< bodies body .. body + nbody - 1; nbody is 0 for a fixed joint
    int q, nq, v, nv;   ///< its tree coordinates
    int frame_a, frame_b;
    int joint;     ///< next described joint on the way to the world, -1 for none
    bool is_shaft; ///< of a drive, or between gearboxes: it carries a body without mass, on the
                   ///< world
    bool is_transmission; ///< it belongs to the transmission (lw_role)
} lw_joint_info;

/// A motor as described (lw_drive_def). What its shaft has besides is that of
/// its degree of freedom.
typedef struct lw_drive_info {
    const char *name;
    int dof; ///< tree velocity of its shaft, or of the joint that it turns without one
    int ncurve;
    const double *curve; ///< [ncurve] speed, effort, ...
    double inertia, max_force, max_velocity;
    double stall_force, no_load_velocity, continuous_force;
} lw_drive_info;

/// A rod or a joint that closes a loop.
typedef struct lw_loop_info {
    const char *name;
    bool is_rod;
    lw_joint_type type; ///< of a closing joint
    int frame[2];       ///< the frames that it ties
    double length;      ///< of a rod, m
    double mass;        ///< of a rod, kg
    int nrow;           ///< conditions that it sets
    int rank;           ///< how many of these its own loop can feel: the others hold by themselves
    int step;           ///< that closes it, or -1 where other loops close it too
} lw_loop_info;

/// A pair of wheels, as found in the reference configuration, or an equation between axes: sum of
/// share * v = 0 over its degrees of freedom.
typedef struct lw_gear_info {
    const char *name;
    lw_gear_type type;
    double size[2];   ///< as described: pitch radii in m, or numbers of teeth
    int body[2];      ///< that the wheels are fixed to, -1 for the world, and where there are none
    lw_pose X_BW[2];  ///< centres of the wheels there, with z along the axis that each turns about,
                      ///< or along which a rack slides
    int carrier;      ///< body that carries both, -1 for the world
    double turn[2];   ///< of the rates of the wheels against the carrier, about their z (a rack's
                      ///< along it): turn[0] w0 + turn[1] w1 = 0; of a gearbox of its first axis
    double radius[2]; ///< pitch radii, m, as described or as the wheels lie; 0 where neither
                      ///< determines them
    int ndof;
    const int *dof;      ///< [ndof] tree velocities
    const double *share; ///< [ndof]
    int step;            ///< that the gear is part of, or -1 where other gears say the same
} lw_gear_info;

/// How a step of the closure program finds the positions of its targets.
typedef enum lw_step_kind {
    LW_STEP_FUNCTION = 0, ///< a law of one degree of freedom: polynomial, table or callback
    LW_STEP_LINEAR = 1,   ///< a constant matrix times several degrees of freedom, plus constants
    LW_STEP_ROD_REVOLUTE = 2,  ///< A cos q + B sin q + C = 0
    LW_STEP_ROD_PRISMATIC = 3, ///< a quadratic
    LW_STEP_PLANAR = 4,        ///< a planar loop with three joints to solve for, in closed form
    LW_STEP_BLOCK = 5,         ///< Newton's method
    LW_STEP_SPHERES = 6,       ///< a platform that does not rotate, where three spheres meet
    LW_STEP_LEG = 7, ///< one leg that holds a distance: A cos q + B sin q + C = 0 or a quadratic
    LW_STEP_SPHERICAL = 8, ///< a loop of axes that meet in one point, in closed form
    LW_STEP_SYMMETRIC = 9  ///< a linkage of Bennett or Bricard, in closed form
} lw_step_kind;

/// One step of the closure program: it gives the tree coordinates of its targets from those of its
/// sources. Positions, velocities and accelerations go through the steps in order, forces in
/// reverse.
typedef struct lw_step_info {
    lw_step_kind kind;
    const char *name; ///< of the coupling, or of its first loop
    int ntarget, nsource, nloop;
    const int *target, *source; ///< [ntarget], [nsource] tree velocities
    const int *loop;            ///< [nloop]
    int branch;                 ///< of a closed form: 1 or -1; else 0
    int ncoefficient;
    lw_law law;                ///< of a function
    const double *coefficient; ///< [ncoefficient] of a polynomial: c0, c1, ...; of a table as
                               ///< lw_spring_info has it
                               ///< [ntarget * (1 + nsource)] of a linear step: constant, then row
                               ///< [4 + 3 * ntarget] of a symmetric loop: axes (4: Bennett's, 6:
                               ///< Bricard's); the constant of its law y(x); sign and constant of
                               ///< x from the source; of each target: 0 for x or 1 for y, its sign
                               ///< and a constant
    double condition;      ///< condition number of what it solves in the reference configuration,
                           ///< infinite where that is singular; 0 for couplings, gears and linear
                           ///< steps. Rows are over their largest possible entries, slides over the
                           ///< size of their loop
    double condition_near; ///< the largest within 0.02 rad of there; infinite where the loop opens
    int nunknown; ///< of a block: the targets that are solved for together; others follow leg by
                  ///< leg. Else 0
} lw_step_info;

/// "function", "linear", "rod, revolute", ...; never null.
LW_API const char *lw_step_kind_name(lw_step_kind kind);

/// A load as described: a constant wrench at a frame.
typedef struct lw_load_info {
    const char *name;
    int body;              ///< -1: on the world, without effect
    lw_pose X_BF;          ///< where it acts
    lw_axes axes;          ///< that both are given along
    lw_vec3 force, torque; ///< N, N m
    int joint;             ///< next described joint on the way to the world, -1 for none
} lw_load_info;

/// A wheel as described (lw_wheel_def), with the joints that turn it.
typedef struct lw_wheel_info {
    const char *name;
    int body;       ///< that turns with it
    lw_vec3 center; ///< there
    lw_vec3 axis;   ///< of its axle, there, of length 1
    double radius, width, section, roller;
    bool driven;
    lw_steering steering;
    int axle;         ///< tree velocity that turns it
    double axle_sign; ///< -1 where that turns it about -axis, else 1
    int steer;        ///< tree velocity that steers it, or -1
} lw_wheel_info;

/// A spring between two points, or a torsion between two axes, as lw_spring_def describes it.
typedef struct lw_spring_info {
    const char *name;
    bool is_torsion;
    int body[2];     ///< of a spring: the bodies of its ends, -1 for the world
    lw_vec3 p[2];    ///< its ends there, in body coordinates
    int dof[2];      ///< of a torsion: tree velocities of `in` and `out`, -1 where an end rests
    int position[2]; ///< their tree positions
    lw_law law;
    int ncoefficient;
    const double *coefficient; ///< [ncoefficient] c0, c1, ...; of a table all positions, then all
                               ///< forces, then the second derivatives at these points
    double preload, free, damping, backlash, loss, loss_speed;
    lw_spring_side side;
    lw_spring_along along;
    lw_vec3 normal; ///< of LW_SPRING_NORMAL: that of the plane, in coordinates of body[0]
} lw_spring_info;

/// A shape as described, on its body.
typedef struct lw_shape_info {
    const char *name;      ///< may be empty
    const char *mesh;      ///< as written; empty unless type is LW_SHAPE_MESH
    const char *mesh_file; ///< where it was found, or empty
    const char *link;
    int body;  ///< -1: on the world
    int joint; ///< next described joint on the way to the world, fixed ones too; -1 for none
    lw_pose X_BS;
    lw_shape_role role;
    lw_shape_type type;
    lw_vec3 size;
    int bound;      ///< shape that encloses it, or -1
    int data;       ///< of a mesh: number in lw_model.mesh, or -1 where its file was not read
    bool is_convex; ///< of a mesh: its convex hull is meant
    bool has_color; ///< false: whoever draws it chooses one
    lw_color color;
} lw_shape_info;

/// A mechanism, compiled for computation. Read it freely, never write it: one model may serve any
/// number of threads, each with its own lw_data. It holds no state.
///
/// Bodies are numbered depth first, so that parent[i] < i and the bodies of the subtree of body i
/// are i + 1 .. subtree_end[i] - 1; no algorithm here recurses. All arrays live in one block.
///
/// Users see independent coordinates (nq, nv). The tree has coordinates of its own (tree_nq,
/// tree_nv), in the order of the bodies; where there are no closure steps the two are the same.
typedef struct lw_model {
    const char *name;
    int nbody;  ///< moving bodies; the world is not counted
    int nq;     ///< length of a position vector q
    int nv;     ///< length of a velocity vector v, and of tau
    int nframe; ///< frames of links and on links; more, of joint ports, follow up to nframe_all
    int nframe_all;
    int nlink;
    int njoint;
    int nstep;
    int nloop;
    int ngear;
    int ndrive;
    int nload;
    int nwheel;
    int nspring;
    int nshape;
    int nmesh;
    int tree_nq, tree_nv;
    double mass;     ///< of all bodies that move, and of what is fixed to the ground, kg
    lw_vec3 gravity; ///< in world coordinates, m/s^2

    const int *parent;            ///< [nbody] parent body, -1 for the world
    const int *subtree_end;       ///< [nbody] one past the last body of the subtree of body i
    const lw_tree_joint *carrier; ///< [nbody] joint that carries body i
    const int *joint;             ///< [nbody] the described joint it belongs to
    const int *q_start;           ///< [nbody+1] body i owns tree q[q_start[i] .. q_start[i+1])
    const int *v_start;           ///< [nbody+1] the same for tree v
    const double *lead;           ///< [nbody] m per radian, of screws
    const lw_pose *X_PJ;          ///< [nbody] body frame at zero position, in the parent
    const lw_inertia *inertia;    ///< [nbody] in body coordinates, about the body's origin
    const char *const *body_name; ///< [nbody] its first link, or its joint where it has none

    const char *const *position_name;      ///< [nq]
    const char *const *velocity_name;      ///< [nv]
    const int *q_tree;                     ///< [nq] tree position of independent position k
    const int *v_tree;                     ///< [nv] the same for velocities
    const double *q_reference;             ///< [nq] the reference configuration
    const double *tree_q_reference;        ///< [tree_nq] the same through the closure steps
    const lw_dof *dof;                     ///< [tree_nv] limits, friction and so on
    const char *const *tree_velocity_name; ///< [tree_nv]

    const lw_frame_info *frame;   ///< [nframe_all]
    const lw_link_info *link;     ///< [nlink] massless ones, and those fixed to the ground, too
    const lw_joint_info *joints;  ///< [njoint]
    const lw_step_info *step;     ///< [nstep]
    const lw_loop_info *loop;     ///< [nloop]
    const lw_gear_info *gear;     ///< [ngear]
    const lw_drive_info *drive;   ///< [ndrive]
    const lw_load_info *load;     ///< [nload]
    const lw_wheel_info *wheel;   ///< [nwheel]
    const lw_spring_info *spring; ///< [nspring] springs and torsions
    const lw_shape_info *shape;   ///< [nshape]
    const lw_mesh *mesh;          ///< [nmesh] each once, whatever number of shapes have it

    const struct lwi_kernel *kernel; ///< private
} lw_model;

/// Frees a model that lw_compile() made; not a copy, nor one of a lw_machine. Not real-time safe.
LW_API void lw_model_destroy(lw_model *m);

/// Bytes of a model, all in one block; 0 for null.
LW_API size_t lw_model_size(const lw_model *m);

/// A copy of a model in memory that the caller owns.
/// @param mem aligned for max_align_t, at least lw_model_size(m) bytes; must outlive the copy
LW_API lw_status lw_model_copy(const lw_model *m, void *mem, lw_model **copy);

/// A number that depends on every bit of the model, to prove that it did not change. Where it lies
/// does not count: a copy has the same.
LW_API unsigned long long lw_model_hash(const lw_model *m);

/// The frame of this name: in full ("link", "link.frame", "joint.a", "joint.b"), or, where it
/// stands only once, the part behind the last '.' or '/'. -1 if there is none or it is ambiguous.
LW_API int lw_find_frame(const lw_model *m, const char *name);

/// Index in q of a position, in v of a velocity, and of a body, by name; -1 if there is none.
LW_API int lw_find_position(const lw_model *m, const char *name);
LW_API int lw_find_velocity(const lw_model *m, const char *name);
LW_API int lw_find_body(const lw_model *m, const char *name);

/// Position in q of degree of freedom k of v; -1 for one of a spherical or free joint, which has
/// none of its own.
LW_API int lw_position_of_dof(const lw_model *m, int k);

/// Work space for one thread and one model, made once: functions that compute in it allocate
/// nothing, but where they say so. The model must outlive it.
typedef struct lw_data lw_data;

/// Bytes that lw_data_init() needs for this model; 0 for null.
LW_API size_t lw_data_size(const lw_model *m);

/// Lays out a lw_data in memory that the caller owns, for systems without a heap.
/// @param mem aligned to 64 bytes, at least lw_data_size(m) bytes; must outlive the result
LW_API lw_status lw_data_init(const lw_model *m, void *mem, lw_data **d);

/// The same on the heap. LW_ERR_MEMORY if allocation fails. Free with lw_data_destroy().
/// Not real-time safe.
LW_API lw_status lw_data_create(const lw_model *m, lw_data **d);
LW_API void lw_data_destroy(lw_data *d);

/// How far the results in a lw_data reach. A function that reads earlier results names the stage it
/// needs, and checks it.
typedef enum lw_stage {
    LW_STAGE_NONE = 0,
    LW_STAGE_POSITION = 1,    ///< after lw_forward_position()
    LW_STAGE_VELOCITY = 2,    ///< after lw_forward_velocity()
    LW_STAGE_ACCELERATION = 3 ///< after lw_forward_acceleration()
} lw_stage;

/// LW_STAGE_NONE for null.
LW_API lw_stage lw_data_stage(const lw_data *d);

/// Why a computation failed. Indices are -1 where they do not apply.
typedef struct lw_failure {
    lw_status status; ///< that the computation returned
    int loop;         ///< lw_model.loop that cannot be closed or is at a singular configuration
    int tree_dof;     ///< tree velocity: the dependent degree of freedom without a definite rate
                      ///< at that singular configuration
    int dof;          ///< index in v: the degree of freedom that moves no inertia
    int state;        ///< of a batch: the first state that failed
    double gap;       ///< m: how far the ends of an open loop stay apart where they come nearest
    double followed;  ///< fraction of the straight path to q that a Newton block followed; 1 where
                      ///< it did not fail
} lw_failure;

/// What the data holds about the status that the last function on it returned.
LW_API lw_failure lw_data_failure(const lw_data *d, lw_status status);

/// Writes a failure as a sentence, with names of the model: "a loop cannot be closed: loop
/// "coupler", whose ends stay 0.12 m apart". Ends with a zero, cut to `size` bytes. Returns the
/// length of the whole text. Not real-time safe.
LW_API int lw_failure_text(const lw_model *m, const lw_failure *failure, char *text, size_t size);

// Newton blocks, the steps without a closed form, start where they were closed last on this data,
// and first in the reference configuration. They keep to the assembly branch that a straight motion
// of their sources leads to from there. Strides of any length are followed along that path, in
// pieces over which the Jacobian changes little, and are refused where a singular configuration is
// on it. Steps of up to 0.01 rad and 0.01 m are taken whole where Newton's method contracts at
// once; those may step over a singular configuration where branches cross and none ends. A
// configuration that closes only beyond a singular one answers LW_ERR_SINGULAR where that is found,
// and else LW_ERR_LOOP_OPEN. A failed call leaves the start of the next as it was.

/// Iterations of Newton's method, each the solution of one linear system, in the block that took
/// most of them in the last sweep of positions; 0 where a model has closed forms only.
LW_API int lw_data_iterations(const lw_data *d);

/// Bounds these iterations for each block and call; beyond, the call answers LW_ERR_LOOP_OPEN.
/// 0 for the default, 500, of which a motion in steps of a millisecond takes 3 or fewer.
/// LW_ERR_ARGUMENT for a negative number.
LW_API lw_status lw_data_limit_iterations(lw_data *d, int most);

/// Lets Newton blocks start in the reference configuration again, as on new data: answers do not
/// depend on what was asked before.
LW_API void lw_data_restart(lw_data *d);

#ifdef __cplusplus
}
#endif
#endif
