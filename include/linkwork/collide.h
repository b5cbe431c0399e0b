// linkwork/collide.h: how far the links of a mechanism are from each other.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A lw_collide has the collision shapes of a model as solids, and the pairs of links that are
// checked. Links of one body and links that a joint, a closing joint or a gear connects are not
// checked unless that is requested; each such pair has its reason. Distances are those of
// linkwork/geometry.h, with an interval that contains the exact one.
//
// Meshes are surfaces of linkwork/surface.h, closed ones with what they enclose. Those whose file
// was not read are left out: lw_collide_info counts them. Shapes that only bound others are left
// out.
#ifndef LINKWORK_COLLIDE_H
#define LINKWORK_COLLIDE_H

#include <linkwork/geometry.h>
#include <linkwork/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_collide lw_collide;

/// Why a pair of links is checked or not.
typedef enum lw_pair_reason {
    LW_PAIR_CHECKED = 0,
    LW_PAIR_SAME_BODY = 1, ///< they do not move against each other
    LW_PAIR_ADJACENT = 2,  ///< a joint, a closing joint or a gear connects them
    LW_PAIR_DECLARED = 3   ///< lw_collide_allow() was called
} lw_pair_reason;

typedef struct lw_collide_pair {
    int frame[2]; ///< of the links, in the model; their names are those of the links
    lw_pair_reason reason;
    const char *joint; ///< that connects them, or gear; else null
} lw_collide_pair;

typedef struct lw_collide_info {
    int nlink;  ///< links with solids
    int nsolid; ///< shapes that are used
    int nmesh;  ///< shapes that are not: meshes that were not read
    int npair;
    const lw_collide_pair *pair; ///< [npair]
} lw_collide_info;

/// Makes the solids and pairs of a model, which has to outlive it. Not real-time safe.
/// @param report may be null; a warning where meshes are left out
/// @return LW_ERR_NUMBER for a shape that lw_check_solid() refuses, LW_ERR_LIMIT for too many links
LW_API lw_status lw_collide_create(const lw_model *m, lw_collide **collide, lw_report *report);

/// Frees it. Not real-time safe.
LW_API void lw_collide_destroy(lw_collide *collide);

/// What there is; null for null. Real-time safe.
LW_API const lw_collide_info *lw_collide_describe(const lw_collide *collide);

/// Leaves a pair out, or checks it from now on, whatever its reason was. Real-time safe.
LW_API lw_status lw_collide_allow(lw_collide *collide, int pair, bool is_allowed);

/// The nearest two shapes of a pair of links.
typedef struct lw_contact {
    int pair;
    int shape[2]; ///< of the model, in the order of the pair's links
    lw_distance distance;
} lw_contact;

/// All checked pairs that are not proven to be farther apart than a cut-off, the nearest first.
/// Leaves the stage of the data at LW_STAGE_POSITION. Real-time safe.
/// @param q       [nq]
/// @param cutoff  m; INFINITY for all pairs
/// @param contact [most]
/// @param count   how many there are, of which the first `most` are written
/// @return as lw_forward_position(), and LW_ERR_NUMBER for a solid that is 1e49 m away
LW_API lw_status lw_collide_distances(lw_collide *collide, lw_data *d, const double *q,
                                      double cutoff, int most, lw_contact *contact, int *count);

/// Whether any checked pair is nearer than a margin, and the first that is; free only where that is
/// proven for all pairs. Leaves the stage of the data at LW_STAGE_POSITION. Real-time safe.
/// @param contact the pair that is hit, or that is uncertain; may be null
LW_API lw_status lw_collide_check(lw_collide *collide, lw_data *d, const double *q, double margin,
                                  lw_verdict *verdict, lw_contact *contact);

/// The gradient of a distance over the independent coordinates, through loops and gears: where the
/// nearest points are unique it is the derivative, elsewhere that of one choice of them. Leaves the
/// stage of the data at LW_STAGE_NONE. Real-time safe.
/// @param gradient [nv] m/rad, m/m
/// @param work     [6*nv]
LW_API lw_status lw_collide_gradient(const lw_collide *collide, lw_data *d, const double *q,
                                     const lw_contact *contact, double *work, double *gradient);

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

#ifdef __cplusplus
}
#endif
#endif
