// The solver object of inverse kinematics, and what the solvers of the classes write into it.
//
// A class is a pair of functions, as in six.h: lwi_..._of() recognises an arm at creation,
// lwi_..._solve() writes candidates for a target. Everything else happens once, in solve.c:
// verification by forward kinematics, Newton's method, duplicates, limits and independent
// coordinates.
#ifndef LWI_SOLVE_H
#define LWI_SOLVE_H

#include <linkwork/ik.h>

#include "candidate.h"
#include "chain.h"
#include "eliminate.h"
#include "few.h"
#include "ik_kernels.h"
#include "locked.h"
#include "numeric.h"
#include "six.h"
#include "swivel.h"

/// Axes that are nearly parallel, rad, or nearly intersect, in lengths of the arm: those of
/// calibrated arms, which are off by some tenths of a degree and some millimetres.
#define LWI_NEAR_ANGLE 2e-2
#define LWI_NEAR_DISTANCE 1e-2

/// Which pair of functions solves the chain.
typedef enum lwi_ik_kind {
    LWI_IK_SIX,      ///< six.h
    LWI_IK_FEW,      ///< few.h
    LWI_IK_SWIVEL,   ///< swivel.h
    LWI_IK_LOCKED,   ///< locked.h
    LWI_IK_GENERAL,  ///< eliminate.h
    LWI_IK_PLATFORM, ///< closed_chain.h
    LWI_IK_LEVEL,    ///< level_chain.h
    LWI_IK_NUMERIC   ///< numeric.h, or closed_search.c
} lwi_ik_kind;

enum {
    LWI_IK_ROLES = 4,
    LWI_IK_SOLUTIONS = 64 ///< that a result can have
};

typedef struct lwi_closed_chain lwi_closed_chain; ///< closed_chain.h

/// An independent coordinate that a target determines: of the chain, or driven by it.
typedef struct lwi_ik_coordinate {
    int q;      ///< index in q
    int bit;    ///< of lw_ik_solution.outside
    bool winds; ///< whole turns change nothing
    double lower, upper;
} lwi_ik_coordinate;

struct lw_ik {
    const lw_model *model;
    lw_ik_def def; ///< with defaults filled in
    lwi_ik_kind kind;
    lwi_chain chain;
    lw_ik_info info;
    char class_text[120]; ///< where its class_name is put together
    bool is_near;         ///< candidates are starts of Newton's method
    double length;        ///< of the arm, m
    double tolerance;     ///< of exact solutions
    double lower[LW_IK_JOINTS], upper[LW_IK_JOINTS];
    int ncoordinate;
    lwi_ik_coordinate coordinate[LW_IK_JOINTS + LW_IK_DRIVEN];

    lwi_ik_rows rows;  ///< of the task
    lwi_frames frames; ///< of chain.arm
    const lwi_ik_kernels *kernels;
    lwi_six six;
    lwi_few few;
    lwi_swivel swivel;
    double swivel_bound[LWI_SWIVEL_BOUNDS + 1]; ///< of lw_ik_arcs(), too large for a stack
    lwi_locked locked;
    unsigned fixed;   ///< bit i: joint i is given, and Newton's method leaves it
    bool insists;     ///< all candidates are refined: the target seems out of reach
    bool is_sampling; ///< the redundancy is sampled: nothing is solved numerically
    lwi_role role[LWI_IK_ROLES];
    int nrole; ///< that are taken at first; all of them before a target counts as out of reach
    lwi_elimination *elimination; ///< work space of eliminate.h
    lw_data *data;                ///< null unless the model has closure steps
    lwi_closed_chain *closed;     ///< null unless closure steps have to do with the chain

    // Of the last target.
    lw_status status;
    lw_pose X_BT; ///< the target as it was given, with a rotation that is one
    lw_pose X;    ///< in the base frame, without what joints that are held contribute
    double *seed; ///< [nq]
    double *tree; ///< [tree_nq] of the seed
    lwi_candidates candidates, spare;
    double residual[LWI_CANDIDATES];
    double position[LWI_ARM_JOINTS][LWI_CANDIDATES]; ///< of the candidates' joints
    int nsolution;
    lw_ik_solution solution[LWI_IK_SOLUTIONS];
    lwi_candidate kept[LWI_IK_SOLUTIONS]; ///< what the solutions were made of
    double *q;                            ///< [LWI_IK_SOLUTIONS * nq]
    unsigned doubts; ///< bit i: candidate i was lost or found twice, and may stand for another one
    lw_ik_result result;
};

/// Finds the class of the chain, and fills in `info`.
lw_status lwi_ik_classify(lw_ik *ik, lw_report *report);

/// The position of joint i of the chain within its limits, or as it is where no winding is.
double lwi_ik_wind(const lw_ik *ik, int i, double x, bool *is_inside);

/// The body that joint i of the chain carries, or driven joint i - LW_IK_JOINTS.
int lwi_ik_body_of(const lw_ik *ik, int i);

/// Candidates of a redundant chain for its target, by one choice of roles. Where the target gives
/// no redundancy it is that of `start`.
void lwi_redundant_solve(lw_ik *ik, const lw_ik_target *target, const lwi_angle *start, int role);

/// The whole range of the redundancy: one turn, or the limits of the joint that is given.
void lwi_redundancy_range(const lw_ik *ik, double *from, double *to);

/// Chooses the class of a redundant chain.
void lwi_redundant_classify(lw_ik *ik);

/// Whether the chain has the redundancy that the definition gives: LW_ERR_ARGUMENT for a joint that
/// is not part of it, LW_ERR_UNSUPPORTED for a chain that has none, or no swivel angle.
lw_status lwi_redundancy_check(const lw_ik *ik, lw_report *report);

/// Verifies the candidates, and adds those that are solutions and are not there yet.
void lwi_ik_accept(lw_ik *ik);

#endif
