// A compile under way. Each pass reads what the passes before it left here and adds its own; pack
// copies the result into one block. All memory comes from the arena and goes with it.
#ifndef LWI_BUILD_H
#define LWI_BUILD_H

#include <linkwork/compile.h>

#include "../base/arena.h"
#include "../base/name_table.h"
#include "../base/report.h"
#include "../model/fronts.h"
#include "../model/kernel.h"
#include "../model/program.h"
#include "../parts/parts.h"

/// Memory of the caller's for a compile, aligned to LWI_ALIGN; null blocks are taken from the heap.
typedef struct lwi_reserve {
    void *block;
    size_t size;
} lwi_reserve;

typedef struct lwi_compile_memory {
    lwi_reserve model, work, report;
} lwi_compile_memory;

enum { LWI_MOST_NEAR = 4 }; ///< configurations around the reference that a choice is judged at

/// A description in its place: the mechanism itself is instance 0, every use of an assembly one
/// more.
typedef struct lwi_instance {
    const lw_mech *mech;
    const char *prefix; ///< "leg1/" of its names; empty for instance 0
    int first_flat;     ///< its part p is flat part first_flat + p
    int base;           ///< the part that is the port a of the assembly, or -1
    int flat;           ///< the assembly that it is the inside of; -1 for instance 0
    int parent;         ///< the instance that it is in; -1 for instance 0
    int depth;
    lw_level level; ///< never LW_LEVEL_UNSET                              (levels)
    int level_rank; ///< who said so: the smaller, the further outside
    lw_role role;   ///< of all its parts that say nothing themselves
} lwi_instance;

/// A part of the mechanism with all assemblies opened.
typedef struct lwi_flat {
    lw_part_kind kind;
    int instance, part;
    int inside;       ///< of an assembly: its instance
    const char *name; ///< with the prefix
    lw_location location;
    bool is_left_out;          ///< is connected to nothing, and the options allow that;
                               ///< or its level has no such part
    bool is_transmission;      ///<                                          (simplify)
    bool is_locked;            ///< a joint that its level holds in its reference position
    bool is_closer;            ///< a rod, a closing joint or a spring: not part of the tree
    int feeder, feeder_port;   ///< flat part and port that port a is connected to; -1 for none
    int feeder2, feeder2_port; ///< of a closer: the same for its second A port

    int body;     ///< body that port a is fixed to, -1 for the world        (merge)
    lw_pose X_BA; ///< port a there; for joints, the joint frame at rest
    int joint;    ///< of a joint: its number in build.joint                 (merge)
} lwi_flat;

/// A degree of freedom of a joint, the shaft of a drive, or an end of a gearbox.
typedef struct lwi_axis {
    int flat;
    int end;    ///< degree of freedom of the joint, or axis of the gearbox, those of `in` first
    int set;    ///< another axis that rotates as one with it, or itself: union-find
    int v;      ///< its tree velocity, or -1                                    (merge, close)
    int shared; ///< that of the axes which rotate as one with it, or -1       (close)
} lwi_axis;

/// An axis that has a degree of freedom of its own: of a drive, or between gearboxes.
typedef struct lwi_shaft {
    int axis;
    const char *name;
    const lw_dof *dof;
} lwi_shaft;

/// A joint with what the tree makes of it.
typedef struct lwi_built_joint {
    lw_joint_info info;
    const lw_joint_def *def; ///< null for the free joint that an option adds, and for shafts
    const lw_dof *dof;       ///< of a shaft
    int flat;                ///< -1 for the free joint; of a shaft: drive or gearbox
    int body_b;              ///< body that port b is fixed to
    lw_pose X_Bb;            ///< port b there
} lwi_built_joint;

typedef struct lwi_built_body {
    int parent, joint;
    lw_tree_joint carrier;
    int q, nq, v, nv; ///< tree coordinates
    int subtree_end;
    double lead;
    lw_pose X_PJ;
    lw_inertia inertia;
    const char *name;
} lwi_built_body;

/// A degree of freedom of a joint.
typedef struct lwi_dof_at {
    int flat; ///< the joint
    int dof;
} lwi_dof_at;

/// A coupling with its ends found.
typedef struct lwi_built_coupling {
    const lw_coupling_def *def;
    lwi_dof_at source_at, target_at;
    int source, target; ///< tree velocities                          (number)
} lwi_built_coupling;

/// A loop before and after it is assigned to a step.
typedef struct lwi_built_loop {
    int flat;
    int end_body[2];
    lw_pose X_placed[2]; ///< of a closing joint: its end frames, before z is rotated along the axis
    lwi_loop loop;
    int ndof;       ///< of both branches
    const int *dof; ///< [nfreedom] their tree velocities, in path order
    int rank, step;
} lwi_built_loop;

/// A gear as a row on rates: sum of share * v = 0 over its degrees of freedom.
typedef struct lwi_built_gear {
    const char *name, *prefix; ///< prefix of its instance, where the name has none
    const char *word;          ///< "gear", "gearbox", "drive"
    lw_location location;
    lw_gear_type type;
    double size[2];
    const lw_gear_def *def;    ///< null for a row of axes
    const lw_gearbox_def *box; ///< of a gearbox
    int row;                   ///< its equation there
    int instance;
    int ndof;
    const int *dof; ///< [nfreedom] tree velocities
    const double *share;
    int nfirst;      ///< how many of these turn the first wheel
    int body[2];     ///< of the wheels
    lw_pose X_BW[2]; ///< their centres there, with z along their axes
    int carrier;
    double turn[2], radius[2];
} lwi_built_gear;

/// A step of the closure program with the names that messages need.
typedef struct lwi_built_step {
    lwi_step step;
    const char *name;
    lw_location location;
    int ngear;
    const int *gear; ///< into build.gear
} lwi_built_step;

typedef struct lwi_build {
    const lw_mech *mech;
    lw_compile_options options;
    lwi_reserve reserve; ///< for the model
    lwi_arena *arena;
    lw_report *report;

    lwi_instance *instance; ///< elaborate
    int ninstance;
    lwi_flat *flat;
    int nflat;
    bool is_simplified;           ///< simplify: some part is locked or left out by its level
    lwi_built_coupling *coupling; ///< resolve
    int ncoupling;
    int suggestions; ///< how often a "did you mean" was looked for
    int *order;      ///< span: flat parts, feeders first, depth first
    int norder;
    lwi_axis *axis; ///< axes
    int naxis;
    int *first_axis; ///< [nflat] first axis of a part, or -1
    lwi_shaft *shaft;
    int nshaft;
    int *drive; ///< [ndrive] axes of the drives that take part
    int ndrive;
    int *joint_above; ///< pack: [nflat] next joint on the way to the world, or -1

    const lw_joint_def **held; ///< merge: [nflat] universal joint in place of a ball joint, or NULL
    lwi_built_body *body;
    int nbody;
    lwi_built_joint *joint;
    int njoint;
    double ground_mass;

    int tree_nq, tree_nv; ///< number
    const char **tree_q_name, **tree_v_name;
    const lw_dof **dof;                  ///< [tree_nv]
    double *tree_q_reference;            ///< closed by close
    const double *rank_q;                ///< [tree_nq] close: where ranks are taken
    const double *near_q[LWI_MOST_NEAR]; ///< [nnear] close: closed configurations around it
    int nnear;
    bool may_give_way; ///< close: no joint is marked, and all of them moved to get there
    int open_loop;     ///< close: one that stays open there, or -1
    double open_gap;
    double *unit; ///< [tree_nv] close: 1 for angles, for slides a length that is typical of them

    lw_model draft; ///< close: as much of the model as loops need
    lwi_kernel draft_kernel;
    lwi_built_loop *loop;
    int nloop;
    lwi_built_gear *gear;
    int ngear;
    lwi_built_step *step; ///< in the order in which they run
    int nstep;
    int nplane_record, nplane_solve;          ///< work space of planar closed forms
    int nleg, nleg_motion, nleg_row, nbranch; ///< the same of legs
    char *is_target;                          ///< [tree_nv] some step gives this degree of freedom
    int *q_tree, *v_tree;                     ///< independent coordinates
    int nq, nv;
    lw_spring_info *spring; ///< springs
    int nspring;

    const lw_mesh **mesh; ///< pack: those of shapes, each once
    int nmesh;
    lwi_fronts *fronts; ///< pack: NULL without steps
    lw_model *model;
} lwi_build;

/// The passes, in their order.
typedef enum lwi_pass {
    LWI_PASS_ELABORATE,
    LWI_PASS_LEVELS,
    LWI_PASS_SIMPLIFY,
    LWI_PASS_RESOLVE,
    LWI_PASS_SPAN,
    LWI_PASS_AXES,
    LWI_PASS_MERGE,
    LWI_PASS_NUMBER,
    LWI_PASS_CLOSE,
    LWI_PASS_LUMP,
    LWI_PASS_SPRINGS,
    LWI_PASS_CHECK,
    LWI_PASS_PACK,
    LWI_NPASS
} lwi_pass;

/// A compile with its memory. Must not be moved between the two functions below.
typedef struct lwi_compilation {
    lwi_build build;
    lwi_arena arena;
    bool has_own_report;
} lwi_compilation;

/// Runs the passes up to `last`, that included: every function that reads a description does it by
/// this. What the passes left is in c->build. The status is that of the first error.
/// lwi_compile_end() must follow in any case.
/// @param options null for the default
/// @param memory  null for the heap
lw_status lwi_compile_begin(lwi_compilation *c, const lw_mech *mech,
                            const lw_compile_options *options, const lwi_compile_memory *memory,
                            lwi_pass last);

/// Adds the diagnostics to the report and frees the rest. A model that was packed is the caller's.
void lwi_compile_end(lwi_compilation *c, lw_report *report);

// Each returns LW_OK when the next one can work on what it left.
lw_status lwi_pass_elaborate(lwi_build *b);
lw_status lwi_pass_levels(lwi_build *b);
lw_status lwi_pass_simplify(lwi_build *b);
lw_status lwi_pass_resolve(lwi_build *b);
lw_status lwi_pass_span(lwi_build *b);
lw_status lwi_pass_axes(lwi_build *b);
lw_status lwi_pass_merge(lwi_build *b);
lw_status lwi_pass_number(lwi_build *b);
lw_status lwi_pass_close(lwi_build *b);
lw_status lwi_pass_lump(lwi_build *b);
lw_status lwi_pass_springs(lwi_build *b);
lw_status lwi_pass_check(lwi_build *b);
lw_status lwi_pass_pack(lwi_build *b);

/// The description that a part is from, and the part there.
static inline const lw_mech *mech_of(const lwi_build *b, const lwi_flat *flat)
{
    return b->instance[flat->instance].mech;
}

static inline const lwi_part *part_of(const lwi_build *b, const lwi_flat *flat)
{
    return &mech_of(b, flat)->part.at[flat->part];
}

/// "owner.name" in the arena; null if allocation fails.
const char *lwi_build_dotted(lwi_build *b, const char *owner, const char *name);

/// Whether the level of its assembly has no use for a gear.
bool lwi_is_gear_left_out(const lwi_build *b, int instance, const lw_gear_def *gear);

/// The pose that a joint has in its reference position: its moving frame in its frame at rest.
lw_pose lwi_reference_motion(const lw_joint_def *def);

/// A port of a part from the part's own frame: of a joint, from its frame at rest, in the reference
/// position.
lw_pose lwi_port_from_part(const lwi_build *b, const lwi_flat *flat, int port);

/// Holds the rotation of legs between two ball joints about themselves (b->held).
lw_status lwi_hold_idle_rotations(lwi_build *b);

/// Where a wheel of a gear is: the port that its name means, or port -1.
lw_port lwi_wheel_port(const lw_mech *mech, const char *name);

/// The pose of a body in the reference configuration. Needs close.
lw_pose lwi_reference_pose(const lwi_build *b, int body);

/// Follows a port inward through gateways to the part that has it. -1 where an assembly has no one
/// part to hang by.
int lwi_find_end(const lwi_build *b, int instance, lw_port port, int *port_index);

/// Out of memory: records it and returns the status.
lw_status lwi_build_no_memory(lwi_build *b);

/// Lists the coordinates that no step gives (b->is_target).
lw_status lwi_find_independent(lwi_build *b);

/// The body whose joint has a tree velocity.
int lwi_body_of_v(const lwi_build *b, int v);

/// Tree position of a tree velocity, or -1 where it belongs to a quaternion.
int lwi_q_of_v(const lwi_build *b, int v);

/// Whether a tree velocity is one of translation.
bool lwi_is_slide(const lwi_build *b, int v);

/// X times the pose of a placement.
lw_pose lwi_place_after(const lw_pose *X, const lw_placement *placement);

/// " (file:line:column)" of a place, or empty, for the second place of a message.
const char *lwi_location_aside(lw_location location, char text[LWI_LOCATION_SIZE + 3]);

/// The pose of a port of a flat part, in the body that it is fixed to. Needs merge for that part.
/// Warns about shapes of a part that reach out of their bounding shape.
/// Reports a wheel that no joint turns about its axle, or that nothing steers though it should.
void lwi_check_wheel(lwi_build *b, const lwi_flat *flat);
lw_status lwi_check_shapes(lwi_build *b, const lwi_flat *flat);

lw_pose lwi_port_pose(const lwi_build *b, int flat, int port, int *body);

#endif
