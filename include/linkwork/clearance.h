// linkwork/clearance.h: the clearance of a mechanism as a constraint of linkwork/constraints.h.
//
// Experimental. Real-time safe only where stated; thread safe by const (linkwork/base.h).
//
// A clearance is the smallest distance of all pairs of links that a lw_collide checks. As a row
// with a lower bound it keeps the links apart while other constraints are solved for:
//
//   lw_constraint_def def = lw_default_constraint_def("clearance", LW_CONSTRAINT_USER);
//   def.nrow = 1;
//   def.kind = lw_clearance_kind();
//   def.self = clearance;
//   def.lower = 0.05;
//   def.upper = INFINITY;
#ifndef LINKWORK_CLEARANCE_H
#define LINKWORK_CLEARANCE_H

#include <linkwork/collide.h>
#include <linkwork/constraints.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_clearance lw_clearance;

/// Makes a clearance, with data of its own, for one set of constraints at a time. Not real-time
/// safe.
/// @param collide of the model, borrowed; pairs that it does not check do not count
/// @param most    m: a distance beyond this counts as this, and has no derivative; 1e9 at the most,
///                which is the clearance where no pair is checked
LW_API lw_status lw_clearance_create(const lw_model *m, lw_collide *collide, double most,
                                     lw_clearance **clearance);

/// Frees it. Not real-time safe.
LW_API void lw_clearance_destroy(lw_clearance *clearance);

/// One row: the smallest distance, m, negative where links overlap, and its derivative through
/// loops and gears; where two pairs are equally near, that of one. Its functions are real-time
/// safe. Real-time safe.
LW_API const lw_constraint_kind *lw_clearance_kind(void);

#ifdef __cplusplus
}
#endif
#endif
