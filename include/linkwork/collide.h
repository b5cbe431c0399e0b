// linkwork/collide.h: how far the links of a mechanism are from each other.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A lw_collide has the collision shapes of a model as solids, and the pairs of links that are
// checked. Links of one body and links that a joint, a closing joint or a gear connects are not
// checked unless that is requested; each such pair has its reason. Over a fixed joint a link with
// shapes is a neighbour no more: a table that is fixed to the foot of an arm is checked against the
// link that the first joint moves. Distances are those of linkwork/geometry.h, with an interval
// that contains the exact one of the shapes at the poses that were computed: what rounding moves
// the poses themselves is not in it, 1e-10 m for a link that is 1e6 m from the origin.
//
// Meshes are surfaces of linkwork/surface.h, closed ones with what they enclose. Those whose file
// was not read are left out: lw_collide_info counts them.
//
// Shapes that bound others (LW_SHAPE_BOUND) make a tree: what is inside of one is looked at only
// where the bound itself is not proven to be apart. A bound that its shapes reach out of is made as
// much larger; a mesh bounds nothing. Where a link has many shapes side by side, such as the
// objects of a scene, boxes around neighbours make a tree of their own.
#ifndef LINKWORK_COLLIDE_H
#define LINKWORK_COLLIDE_H

#include <linkwork/geometry.h>
#include <linkwork/model.h>
#include <linkwork/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_collide lw_collide;

/// Why a pair of links is checked or not.
typedef enum lw_pair_reason {
    LW_PAIR_CHECKED = 0,
    LW_PAIR_SAME_BODY = 1, ///< they do not move against each other
    LW_PAIR_ADJACENT = 2,  ///< a joint, a closing joint or a gear connects them
    LW_PAIR_DECLARED = 3,  ///< lw_collide_allow() was called
    LW_PAIR_ALWAYS = 4,    ///< they overlap at the reference and in all samples
    LW_PAIR_NEVER = 5,     ///< proven not to touch anywhere within the limits of the joints
    LW_PAIR_UNSEEN = 6     ///< they touched in none of the samples: no proof
} lw_pair_reason;

typedef struct lw_collide_pair {
    int frame[2]; ///< of the links, in the model; their names are those of the links
    lw_pair_reason reason;
    const char *joint; ///< that connects them, or gear; else null
    int samples;       ///< states that lw_collide_search_pairs() looked at; where none of them was
                       ///< in contact, at most 3 / samples of all states are, at 95 % confidence
} lw_collide_pair;

typedef struct lw_collide_info {
    int nlink;  ///< links with solids
    int nsolid; ///< shapes that are used
    int nmesh;  ///< shapes that are not: meshes that were not read
    int npair;
    const lw_collide_pair *pair; ///< [npair]
    const int *link;             ///< [nlink] their frames, in the model
} lw_collide_info;

/// Makes the solids and pairs of a model, which has to outlive it. Not real-time safe.
/// @param report may be null; a warning where meshes are left out
/// @return LW_ERR_NUMBER for a shape that lw_check_solid() refuses, LW_ERR_LIMIT for too many links
LW_API lw_status lw_collide_create(const lw_model *m, lw_collide **collide, lw_report *report);

/// Frees it. Not real-time safe.
LW_API void lw_collide_destroy(lw_collide *collide);

/// What there is; null for null. Real-time safe.
LW_API const lw_collide_info *lw_collide_describe(const lw_collide *collide);

/// How the shapes of two links are compared. All give the same verdicts but the last.
typedef enum lw_collide_method {
    LW_COLLIDE_TREES = 0,  ///< balls round links, bounding shapes from coarse to fine, then shapes
    LW_COLLIDE_SHAPES = 1, ///< balls round links, then all shapes
    LW_COLLIDE_ALL = 2,    ///< every shape with every other one, and of meshes every triangle
    LW_COLLIDE_COARSE = 3  ///< the outermost bounding shapes alone: a check is free or uncertain;
                           ///< distances are those of LW_COLLIDE_TREES
} lw_collide_method;

/// Chooses the method; the first one until then. Real-time safe.
LW_API lw_status lw_collide_use(lw_collide *collide, lw_collide_method method);

/// How many pairs were compared, but for balls.
typedef struct lw_collide_count {
    long long shapes;           ///< of two shapes; a mesh is one
    long long bounds;           ///< with a bounding shape on either side
    long long boxes, triangles; ///< within meshes
} lw_collide_count;

/// What was counted since the last call, which starts again at zero; states side by side are
/// counted only where double decides. Real-time safe.
LW_API lw_collide_count lw_collide_take_count(lw_collide *collide);

/// Leaves a pair out, or checks it from now on, whatever its reason was. Real-time safe.
LW_API lw_status lw_collide_allow(lw_collide *collide, int pair, bool is_allowed);

typedef struct lw_pair_search {
    int samples;       ///< random states within the limits, at least 1
    unsigned seed;     ///< the same numbers give the same states
    bool allow_unseen; ///< leave out pairs that touch in none of them, without a proof
} lw_pair_search;

/// Leaves out checked pairs that overlap at the reference and in all samples, and those that are
/// proven never to touch: ranges of the joints between the two are halved until the distance in the
/// middle of each exceeds what the way to its corners can change. Joints without limits rotate once
/// around; pairs with dependent, spherical or free joints between them, and those that take more
/// than 4096 parts, are not proven. Not real-time safe: it takes long, but allocates nothing.
/// @return as lw_forward_position() at the reference
LW_API lw_status lw_collide_search_pairs(lw_collide *collide, lw_data *d,
                                         const lw_pair_search *search);

/// The nearest two shapes of a pair of links.
typedef struct lw_contact {
    int pair;
    int shape[2]; ///< of the model, in the order of the pair's links
    lw_distance distance;
} lw_contact;

/// All checked pairs that are not proven to be farther apart than a cut-off, the nearest first.
/// Leaves the stage of the data at LW_STAGE_POSITION. Real-time safe.
/// @param q       as of lw_collide_check()
/// @param cutoff  m; INFINITY for all pairs
/// @param contact [most]
/// @param count   how many there are, of which the first `most` are written
/// @return as lw_forward_position(), and LW_ERR_NUMBER for a solid that is 1e49 m away
LW_API lw_status lw_collide_distances(lw_collide *collide, lw_data *d, const double *q,
                                      double cutoff, int most, lw_contact *contact, int *count);

/// The smallest distance of all checked pairs; pair -1 where there is none. Leaves the stage of the
/// data at LW_STAGE_POSITION. Real-time safe.
/// @param q as of lw_collide_check()
LW_API lw_status lw_collide_nearest(lw_collide *collide, lw_data *d, const double *q,
                                    lw_contact *contact);

/// Whether any checked pair is nearer than a margin; free only where that is proven for all pairs.
/// It stops at the first pair that is hit, and begins with pairs that were hit often: which one of
/// several is found depends on the states before. Leaves the stage of the data at
/// LW_STAGE_POSITION. Real-time safe.
/// @param q       [nq]; null for the poses that the data has (LW_ERR_STAGE where it has none)
/// @param contact the pair that is hit, or that is uncertain; may be null
LW_API lw_status lw_collide_check(lw_collide *collide, lw_data *d, const double *q, double margin,
                                  lw_verdict *verdict, lw_contact *contact);

/// lw_collide_check() for many states, given by the poses of the links: those of
/// lw_forward_position_batch() for the frames lw_collide_info.link. Several states are checked side
/// by side, first in float: what that decides is what double would decide, because it counts only
/// where the errors of floats, taken as 6e-6 of the size of the mechanism, cannot have made it so;
/// the rest is checked in double. Real-time safe.
/// @param X_WL    [n*nlink] links in the world, state by state
/// @param verdict [n]
/// @return LW_ERR_NUMBER where a pose is not finite
LW_API lw_status lw_collide_check_poses(lw_collide *collide, int n, const lw_pose *X_WL,
                                        double margin, lw_verdict *verdict);

/// The gradient of a distance over the independent coordinates, through loops and gears: where the
/// nearest points are unique it is the derivative, elsewhere that of one choice of them. Leaves the
/// stage of the data at LW_STAGE_NONE. Real-time safe.
/// @param gradient [nv] m/rad, m/m
/// @param work     [6*nv]
LW_API lw_status lw_collide_gradient(const lw_collide *collide, lw_data *d, const double *q,
                                     const lw_contact *contact, double *work, double *gradient);

/// Where the two shapes of a contact touch, at the poses that the data has; no points where one of
/// them is a mesh that is not convex. Real-time safe.
/// @param slack as of lw_find_patch()
/// @return LW_ERR_STAGE where the data has no poses
LW_API lw_status lw_collide_patch(const lw_collide *collide, const lw_data *d,
                                  const lw_contact *contact, double slack, lw_contact_patch *patch);

typedef struct lw_motion_check {
    double margin;     ///< m
    double resolution; ///< share of the motion below which nothing is resolved, 1e-9 to 1
} lw_motion_check;

typedef struct lw_motion_verdict {
    lw_verdict verdict; ///< free: proven along the whole motion; hit: proven at t[1]; uncertain: a
                        ///< pair came nearer than what is resolved, or is_sampled
    double t[2];        ///< proven to be free before t[0]; of a hit, proven at t[1]
    lw_contact contact; ///< at t[1]; pair -1 where none came near
    bool is_sampled; ///< closed loops: their joints do not move evenly, and nothing is proven but
                     ///< hits
    int states, distances; ///< how many were computed
} lw_motion_verdict;

/// Whether any checked pair comes nearer than a margin while the mechanism moves from q0 to q1 in
/// unit time, as lw_integrate() does: joints evenly, quaternions the short way. Leaves the stage of
/// the data at LW_STAGE_POSITION. Real-time safe; at most 1 / resolution states are computed for
/// each pair.
/// @param q0,q1 [nq]
/// @return as lw_forward_position()
LW_API lw_status lw_collide_motion(lw_collide *collide, lw_data *d, const double *q0,
                                   const double *q1, const lw_motion_check *check,
                                   lw_motion_verdict *result);

/// The same while the degrees of freedom follow a trajectory with nv axes, as of
/// lw_trajectory_state(); times of the result are those of the trajectory, s. It is proven part by
/// part, with the largest speed that each joint has within the part. Leaves the stage of the data
/// at LW_STAGE_POSITION. Real-time safe.
/// @return LW_ERR_ARGUMENT where the trajectory has another number of axes; else as
/// lw_forward_position()
LW_API lw_status lw_collide_trajectory(lw_collide *collide, lw_data *d,
                                       const lw_trajectory *trajectory,
                                       const lw_motion_check *check, lw_motion_verdict *result);

#ifdef __cplusplus
}
#endif
#endif
