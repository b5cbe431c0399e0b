// A compile under way. Each pass reads what the passes before it left here and adds its own; pack
// copies the result into one block. All memory comes from the arena and goes with it.
#ifndef LWI_BUILD_H
#define LWI_BUILD_H

#include <linkwork/compile.h>

#include "../base/arena.h"
#include "../base/names.h"
#include "../parts/parts.h"

/// A description in its place: the machine itself is instance 0, every use of an assembly one more.
typedef struct lwi_instance {
    const lw_mech *mech;
    const char *prefix; ///< "leg1/" of its names; empty for instance 0
    int first_flat;     ///< its part p is flat part first_flat + p
    int base;           ///< the part that hangs where the assembly hangs, or -1
    int flat;           ///< the assembly that it is the inside of; -1 for instance 0
} lwi_instance;

/// A part of the machine with all assemblies opened.
typedef struct lwi_flat {
    lwi_kind kind;
    int instance, part;
    int inside;       ///< of an assembly: its instance
    const char *name; ///< with the prefix
    lw_place place;
    int feeder, feeder_port; ///< flat part and port that port a hangs on; -1 for none

    int body;     ///< body that port a is fixed to, -1 for the world        (merge)
    lw_pose X_BA; ///< port a there; for joints, the joint frame at rest
    int joint;    ///< of a joint: its number in build.joint                 (merge)
} lwi_flat;

/// A joint with what the tree makes of it.
typedef struct lwi_built_joint {
    lw_joint_info info;
    const lwi_joint *def; ///< null for the free joint that an option adds
    int flat;             ///< -1 likewise
    int body_b;           ///< body that port b is fixed to
    lw_pose X_Bb;         ///< port b there
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

/// A freedom of a joint.
typedef struct lwi_freedom_at {
    int flat; ///< the joint
    int freedom;
} lwi_freedom_at;

/// A coupling with its ends found.
typedef struct lwi_built_step {
    lwi_freedom_at source, target;
    lw_step_info info; ///< indices of the tree's coordinates are set by number
    const double *coefficient;
    lw_place place;
} lwi_built_step;

typedef struct lwi_build {
    const lw_mech *mech;
    lw_compile_options options;
    lwi_arena *arena;
    lw_report *report;

    lwi_instance *instance; ///< elaborate
    int ninstance;
    lwi_flat *flat;
    int nflat;
    lwi_built_step *step; ///< resolve; put in order by number
    int nstep;
    int suggestions; ///< how often a "did you mean" was looked for
    int *order;      ///< span: flat parts, feeders first, depth first
    int norder;

    lwi_built_body *body; ///< merge
    int nbody;
    lwi_built_joint *joint;
    int njoint;
    double ground_mass;

    int tree_nq, tree_nv; ///< number
    const char **tree_q_name, **tree_v_name;
    const lw_freedom **freedom; ///< [tree_nv]
    int *q_tree, *v_tree;       ///< independent coordinates
    int nq, nv;
    double *tree_q_reference;

    lw_model *model; ///< pack
} lwi_build;

// The passes, in their order. Each returns LW_OK when the next one can work on what it left.
lw_status lwi_pass_elaborate(lwi_build *b);
lw_status lwi_pass_resolve(lwi_build *b);
lw_status lwi_pass_span(lwi_build *b);
lw_status lwi_pass_merge(lwi_build *b);
lw_status lwi_pass_number(lwi_build *b);
lw_status lwi_pass_check(lwi_build *b);
lw_status lwi_pass_pack(lwi_build *b);

/// Out of memory: records it and returns the status.
lw_status lwi_build_no_memory(lwi_build *b);

/// The pose of a port of a flat part, in the body that it is fixed to. Needs merge for that part.
lw_pose lwi_port_pose(const lwi_build *b, int flat, int port, int *body);

/// The words for the freedoms of a joint, by type: "x", "angle"; empty where the joint's own name
/// serves. `positions` asks for position coordinates, else velocities.
const char *lwi_freedom_suffix(lw_joint_type type, int nv, int i, bool positions, char text[16]);

#endif
