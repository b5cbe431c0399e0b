// linkwork/ik.h: inverse kinematics of a chain of joints between two frames: every solution.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A lw_ik is created once for a model and two frames. Creation classifies the chain from its joint
// axes in space and chooses the solver: a closed form where the geometry has one, elimination for
// six revolute joints of any geometry, damped least squares otherwise (lw_ik_info). Solving then
// allocates nothing and has bounded work.
//
// Every solution is verified by forward kinematics before it is returned.
#ifndef LINKWORK_IK_H
#define LINKWORK_IK_H

#include <linkwork/model.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    LW_IK_JOINTS = 8,  ///< of one DoF, at most, between the frames
    LW_IK_DRIVEN = 24, ///< joints outside the chain that its loops and gears determine, at most
    LW_IK_FACTS = 16,  ///< of lw_ik_info
    LW_IK_STEPS = 12   ///< of lw_ik_info
};

/// What of the tip the target prescribes.
typedef enum lw_ik_task {
    LW_IK_POSE = 0,      ///< position and orientation: six rows
    LW_IK_POSITION = 1,  ///< position alone: three rows
    LW_IK_DIRECTION = 2, ///< position, and the direction of the tip's z axis: five rows
    LW_IK_PLANAR = 3     ///< pose within the plane that the chain moves in: three rows
} lw_ik_task;

/// How the redundancy of a chain with more joints than the task has rows is fixed.
typedef enum lw_ik_redundancy {
    LW_IK_FREE = 0, ///< the chain is not redundant, or its joint is chosen as suits the closed form
    LW_IK_HOLD = 1, ///< a joint keeps a given value
    LW_IK_SWIVEL = 2, ///< the angle of the elbow about the line from shoulder to wrist is given,
                      ///< stereographic: singular on a half line only
    LW_IK_SWIVEL_CONVENTIONAL = 3 ///< the same, from the plane of swivel_reference; singular on its
                                  ///< line
} lw_ik_redundancy;

/// Which solver is taken; others than the best are for comparisons, and for following a path.
typedef enum lw_ik_solver {
    LW_IK_BEST = 0,           ///< by the class of the chain
    LW_IK_BY_ELIMINATION = 1, ///< of six revolute joints, though they may have a closed form
    LW_IK_BY_SEARCH = 2       ///< damped least squares: one solution, within the limits; next to
                              ///< the seed where that is next to one, as along a path
} lw_ik_solver;

typedef struct lw_ik_def {
    int base; ///< frame that targets are given in; -1 for the world
    int tip;  ///< frame that reaches the target
    lw_ik_task task;
    bool is_certain;     ///< elimination with four choices of roles instead of two: twice the time,
                         ///< and solutions of special geometries that two may miss
    bool ignores_limits; ///< in_limits is then always true
    double tolerance;    ///< of an exact solution, m and rad; 0 for 1e-12 times the length of the
                         ///< arm, but not less than 1e-12, nor than the rounding of
                         ///< positions far from the base
    lw_ik_redundancy redundancy;
    int hold; ///< with LW_IK_HOLD: index in q of the joint that keeps its value
    lw_vec3 swivel_axis, swivel_reference; ///< with LW_IK_SWIVEL, in the base frame: the line that
                                           ///< the stereographic angle is singular on, and the
                                           ///< direction of angle zero, across it
    int iterations;                        ///< of one start of the numeric solver; 0 for 40
    int starts;                            ///< of the numeric solver; 0 for 200
    lw_ik_solver solver;
} lw_ik_def;

/// The pose of frame `tip` in frame `base`; everything else is zero, the swivel is about -z from y.
LW_API lw_ik_def lw_default_ik_def(int base, int tip);

/// Where the tip is to be.
typedef struct lw_ik_target {
    lw_pose X_BT;        ///< tip in base. LW_IK_POSITION reads p, LW_IK_DIRECTION p and the third
                         ///< column of R
    bool has_redundancy; ///< `redundancy` is given; otherwise it is that of the seed
    double redundancy;   ///< value of the joint that is held, or the swivel angle
} lw_ik_target;

/// Which of the solutions this is, by the signs of the roots that lead to it: the same along a path
/// as long as no two solutions meet. Of arms that are nearly of a class (LW_IK_NEAR_CLOSED_FORM)
/// these are the signs of the branch of that class that a solution comes from; solutions beyond
/// the number of its branches, which such arms may have next to singular poses, have zeros.
/// Where the class has a quartic instead of roots, and after elimination, the signs that it lacks
/// are 0: `index` alone is then different, and not stable along a path; lw_ik_nearest() to the last
/// solution is.
typedef struct lw_ik_branch {
    signed char shoulder, elbow, wrist; ///< -1, 1, or 0 where the class has no such root
    int index;                          ///< of the solution, unique within a result
} lw_ik_branch;

typedef struct lw_ik_solution {
    const double *q; ///< [nq] independent coordinates; those outside the chain are the seed's.
                     ///< Angles are wrapped into the limits, or to (-pi, pi] without limits
    double residual; ///< sqrt(|p - p*|^2 + |log(R* R')|^2) by forward kinematics, m and rad, of the
                     ///< rows of the task
    lw_ik_branch branch;
    bool in_limits; ///< of the joints of the chain, and of lw_ik_info.driven; limits of joints
                    ///< that only depend on these are not looked at: lw_tree_state() has
                    ///< their positions, and lw_constraints_solve() keeps them
    bool is_same_assembly; ///< forward kinematics of a new lw_data leads from q to the target: on
                           ///< the branch of the reference, and with the path that Newton blocks
                           ///< follow from there not barred by a singular configuration; true where
                           ///< the closure has neither blocks nor three spheres. Of solutions
                           ///< outside the limits it is not looked for, and false
    bool is_exact;         ///< the residual is within the tolerance
    unsigned undetermined; ///< bit i: the target does not determine joint i of the chain, which has
                           ///< the seed's value
    unsigned outside;      ///< bit i: no winding of joint i of the chain is within its limits;
                           ///< bit LW_IK_JOINTS + k: that of lw_ik_info.driven[k]
} lw_ik_solution;

typedef struct lw_ik_result {
    int nsolution; ///< exact ones; 1 where there is none: the nearest configuration
    const lw_ik_solution *solution; ///< [nsolution], borrowed from the lw_ik until it solves again
    int nwithin;                    ///< how many of them are exact and within the limits
    int nlost;       ///< candidates that did not become solutions; those of classes with a fixed
                     ///< number of roots are where the pose has fewer
    double distance; ///< 0, or the residual of the nearest configuration out of reach
    unsigned limits; ///< where nwithin is 0: bit i: joint i is outside in some solution
    int open_loop; ///< where legs cannot reach: index in lw_model.loop of the one that is farthest
                   ///< from being closed; else -1
    double gap;    ///< how far its ends stay apart, m
    double redundancy; ///< of a chain with lw_ik_info.redundancy: the value that solutions are for
} lw_ik_result;

/// A solver for one chain, used by one thread at a time. The model must outlive it.
typedef struct lw_ik lw_ik;

/// Bytes that lw_ik_init() needs; 0 for null, and for frames that are not of the model.
LW_API size_t lw_ik_size(const lw_model *m, const lw_ik_def *def);

/// Lays out a solver in memory that the caller owns, and classifies the chain. Errors are in the
/// report: no joint between the frames (LW_ERR_ARGUMENT), too many joints (LW_ERR_LIMIT), a joint
/// that no solver handles, and a joint to hold or a swivel angle for a chain that is not redundant
/// or has no such angle (LW_ERR_UNSUPPORTED). A task with more rows than the chain has degrees of
/// freedom is a warning: it is solved in the sense of least squares.
/// @param mem aligned to 64 bytes, at least lw_ik_size() bytes; must outlive the result
LW_API lw_status lw_ik_init(const lw_model *m, const lw_ik_def *def, void *mem, lw_ik **ik,
                            lw_report *report);

/// The same on the heap. Free with lw_ik_destroy().
LW_API lw_status lw_ik_create(const lw_model *m, const lw_ik_def *def, lw_ik **ik,
                              lw_report *report);
LW_API void lw_ik_destroy(lw_ik *ik);

/// All solutions for a target. LW_OK also where the target is out of reach: the result then has one
/// solution that is not exact. LW_ERR_NUMBER where a number is not finite or the square of a
/// length is not, LW_ERR_ARGUMENT where X_BT.R is no rotation (to 1e-6). Real-time safe.
/// @param seed [nq] joints outside the chain keep these values, and so do joints that the target
///             does not determine; null for the reference configuration
LW_API lw_status lw_ik_solve(lw_ik *ik, const lw_ik_target *target, const double *seed,
                             lw_ik_result *result);

/// What was wrong with the last lw_ik_solve(), in one sentence: the argument that was refused, how
/// far the target is out of reach, or which limits exclude every solution; empty where nothing was.
/// Cut to `size` bytes. Returns the length of the whole text. Not real-time safe.
LW_API int lw_ik_message(const lw_ik *ik, char *text, size_t size);

/// What lw_ik_nearest() minimises over the joints of the chain.
typedef enum lw_ik_metric {
    LW_IK_LARGEST_CHANGE = 0, ///< max |w_i dq_i|
    LW_IK_SUM_OF_SQUARES = 1  ///< sum (w_i dq_i)^2
} lw_ik_metric;

/// The solution of the last lw_ik_solve() that is nearest to q0, windings included. Only solutions
/// within the limits count. Returns its index, or -1 where there is none and where q0 or a weight
/// is not finite. Real-time safe.
/// @param q0     [nq]
/// @param weight [nq] or null for ones; their signs do not matter, nor does a common factor
/// @param q      [nq] the solution, each joint wound toward q0
LW_API int lw_ik_nearest(const lw_ik *ik, const double *q0, lw_ik_metric metric,
                         const double *weight, double *q);

/// Runs through the windings of a solution of the last lw_ik_solve() within the limits: joints that
/// are wider than one turn repeat after it. Begin with *winding = 0; returns false when there are
/// no more. A joint without limits is wound within one turn of the solution. Real-time safe.
/// @param q [nq]
LW_API bool lw_ik_next_winding(const lw_ik *ik, int solution, long *winding, double *q);

/// How many there are. Real-time safe.
LW_API long lw_ik_winding_count(const lw_ik *ik, int solution);

/// Values of the redundancy, equally spaced from one end of a range: zero `next` to begin again.
typedef struct lw_ik_samples {
    double from, to; ///< the range; the whole of it where both are zero
    int count;       ///< of samples
    int next;        ///< the number of the next one
} lw_ik_samples;

/// Solves for the next value of the redundancy; false when there are no more, and where the chain
/// is not redundant or the target is refused. target->redundancy becomes the value. Where it
/// has no solution the result has none: nothing is solved numerically. Real-time safe.
LW_API bool lw_ik_next_sample(lw_ik *ik, lw_ik_target *target, const double *seed,
                              lw_ik_samples *samples, lw_ik_result *result);

/// A range of the redundancy, from < to, on which the solution of a branch exists and respects the
/// limits. Swivel angles may exceed pi at its upper end.
typedef struct lw_ik_arc {
    double from, to;
    lw_ik_branch branch; ///< index -1
} lw_ik_arc;

/// The ranges of the redundancy within the limits, for each branch in ascending order. Ends are
/// exact for swivel angles: limits are met where expressions in their sine and cosine vanish.
/// Otherwise they are found from 128 samples, and bisected to 1e-10 of the range: narrower arcs may
/// be missed, and classes without labels of branches have arcs where any solution is within the
/// limits. LW_ERR_UNSUPPORTED for a chain that is not redundant, LW_ERR_LIMIT where there are more
/// than `most`, which is then their count; otherwise as lw_ik_solve(). Real-time safe.
/// @param arc [most]
LW_API lw_status lw_ik_arcs(lw_ik *ik, const lw_ik_target *target, const double *seed, int most,
                            lw_ik_arc *arc, int *count);

/// How a chain is solved.
typedef enum lw_ik_method {
    LW_IK_CLOSED_FORM = 0,      ///< a fixed list of subproblems
    LW_IK_NEAR_CLOSED_FORM = 1, ///< the closed form of a nearby geometry, then Newton's method
    LW_IK_ELIMINATION = 2,      ///< an eigenvalue problem for six revolute joints
    LW_IK_NUMERIC = 3 ///< damped least squares from many starts: no claim to find all solutions
} lw_ik_method;

/// A property of the axes that the classification used. Axes count from 0 at the base.
typedef enum lw_ik_property {
    LW_IK_PARALLEL = 0,     ///< axes first .. last are parallel; margin in rad
    LW_IK_INTERSECTING = 1, ///< axes first and last intersect; margin in m
    LW_IK_SPHERICAL = 2     ///< axes first .. last meet in one point; margin in m
} lw_ik_property;

typedef struct lw_ik_fact {
    lw_ik_property property;
    int first, last;
    double margin; ///< how far it is from being exact
} lw_ik_fact;

/// One subproblem of the closed form, in the order of solution.
typedef struct lw_ik_step {
    int njoint, joint[3];   ///< of the chain, that it determines
    int nsolution;          ///< at most
    const char *subproblem; ///< "SP4", "SP1", "quadratic", ...
    const char *equation;   ///< in symbols of the derivation
} lw_ik_step;

/// What the classification found; for `explain` and derivations.
typedef struct lw_ik_info {
    const char *class_name; ///< "spherical wrist, axes 2 and 3 parallel", ...; never null
    lw_ik_method method;
    bool is_reversed; ///< the class holds for the chain seen from its tip
    int njoint;
    int position[LW_IK_JOINTS]; ///< [njoint] index in q; -1 for a joint that depends on others
    int body[LW_IK_JOINTS];     ///< [njoint] that it carries
    lw_vec3 axis[LW_IK_JOINTS], point[LW_IK_JOINTS]; ///< at zero position, in the base frame
    bool is_prismatic[LW_IK_JOINTS];
    int ndriven;              ///< joints outside the chain that its loops and gears determine
    int driven[LW_IK_DRIVEN]; ///< [ndriven] index in q
    int dof;      ///< degrees of freedom of the tip: the number of joints, or fewer where loops and
                  ///< gears tie them
    lw_pose X_BT; ///< at zero position
    double length;      ///< of the arm, m
    int rows;           ///< of the task
    int most_solutions; ///< that a result can have
    int nfact;
    lw_ik_fact fact[LW_IK_FACTS];
    int nstep;
    lw_ik_step step[LW_IK_STEPS];
    lw_ik_redundancy redundancy; ///< what lw_ik_target.redundancy gives: the value of joint `held`,
                                 ///< or a swivel angle; LW_IK_FREE where it is not read
    int held;                    ///< with LW_IK_HOLD: joint of the chain; else -1
} lw_ik_info;

/// Null for null.
LW_API const lw_ik_info *lw_ik_describe(const lw_ik *ik);

#ifdef __cplusplus
}
#endif
#endif
