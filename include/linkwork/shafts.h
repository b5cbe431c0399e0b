// linkwork/shafts.h: motors behind elastic shafts, and the joints that they turn.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A torsion leaves what is on its one side free against the other: a motor then has a degree of
// degree of freedom of its own beside that of the joint that it turns, and follows it as
// lw_shaft_ratios() says were the shaft rigid. Motors and joints that are tied in this way form
// groups. In a group the motors may determine the joints, several motors may turn one joint
// together, or motors may be too few: then no controller can hold the joints by them.
#ifndef LINKWORK_SHAFTS_H
#define LINKWORK_SHAFTS_H

#include <linkwork/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// All degrees of freedom are indices in v. All arrays are null where nothing follows.
typedef struct lw_shafts {
    const lw_model *model;
    int nfollower;
    const int *follower; ///< [nfollower] those behind elastic shafts
    const double *G;     ///< [nv*nv] of lw_shaft_ratios(), in the reference configuration
    int ngroup;
    const int *group; ///< [nv] 1 to ngroup; 0 for a degree of freedom that is tied to no other

    // Of all groups whose motors determine their joints. The motors are the followers with a drive,
    // or all followers of a group without drives.
    int nmotor, njoint, nmoved;
    const int *motor;      ///< [nmotor]
    const int *joint;      ///< [nmoved] njoint joints, then followers that are no motors
    const double *inverse; ///< [nv*nv] joints at rigid shafts, by least squares of the motors
} lw_shafts;

/// From the ratios in the reference configuration. Nothing follows where loops do not close there
/// (which is returned as a status). Allocates. Free with lw_shafts_free(), after failure too.
LW_API lw_status lw_shafts_create(const lw_model *m, lw_shafts *shafts);
LW_API void lw_shafts_free(lw_shafts *shafts);

/// Whether a degree of freedom follows others through elastic shafts; by its index in v, or in q.
LW_API bool lw_shafts_follows(const lw_shafts *shafts, int k);
LW_API bool lw_shafts_follows_at(const lw_shafts *shafts, int position);

/// Sets the followers in positions [nq], or in velocities or accelerations [nv], by the others.
LW_API void lw_shafts_follow_position(const lw_shafts *shafts, double *q);
LW_API void lw_shafts_follow(const lw_shafts *shafts, double *x);

/// G' tau in place: forces along a motion of the others, at rigid shafts; 0 for followers.
LW_API void lw_shafts_gather(const lw_shafts *shafts, double *tau);

/// Motors and their joints, over rigid gears and elastic shafts alike, in the reference
/// configuration: adds a warning where motors do not determine all joints that they reach, and a
/// note where they share joints. Motors are the drives, or what follows in a model without drives.
/// Joints that no motor reaches are no matter of this: controllers act on them directly.
LW_API void lw_shafts_report(const lw_model *m, lw_location location, lw_report *report);

// --- Ratios of gears --------------------------------------------------------------------------

/// How many bodies of the tree are shafts of drives or between gearboxes. They are the last ones.
LW_API int lw_shaft_count(const lw_model *m);

/// Dependent degrees of freedom that follow linearly from independent ones, through gears, mimic
/// joints and linear couplings: positions are ratio q + offset, rates are ratio v. And of these the
/// drives, with the joints that they rotate.
typedef struct lw_gear_ratios {
    int nrow;
    const int *dof;       ///< [nrow] in the velocities of the tree
    const double *ratio;  ///< [nrow*nv]
    const double *offset; ///< [nrow]

    int ndrive, njoint;
    const int *drive;          ///< [ndrive] in the velocities of the tree
    const int *joint;          ///< [njoint] in v: those that any of these drives rotates with
    const double *drive_ratio; ///< [ndrive*njoint] revolutions of a drive for one of a joint
    const double *inverse;     ///< [njoint*ndrive]; NULL if the drives do not determine the joints
} lw_gear_ratios;

/// Allocates. LW_ERR_LIMIT if a matrix has more than two million entries. Free with
/// lw_gear_ratios_free(), after failure too.
LW_API lw_status lw_gear_ratios_create(const lw_model *m, lw_gear_ratios *ratios);
LW_API void lw_gear_ratios_free(lw_gear_ratios *ratios);

#ifdef __cplusplus
}
#endif
#endif
