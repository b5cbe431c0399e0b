// A section between two knots: polynomials of the joints.
#ifndef LWI_FOLLOW_H
#define LWI_FOLLOW_H

#include "planner.h"

/// An interval of a span: how long it takes, and the parameter with its derivatives at both ends.
typedef struct lwi_interval {
    double h;
    double from[4], to[4];
} lwi_interval;

/// Interval k of a span.
lwi_interval lwi_interval_of(const lwi_span *span, int k);

/// Position, velocity and acceleration of active joint i at a knot, for these derivatives of the
/// parameter.
void lwi_interval_state(const lwi_planner *p, const double *knot, const double u[4], int i,
                        double x[3]);

/// The polynomial of active joint i over an interval whose knots begin at `knot`.
lwi_piece lwi_interval_piece(const lwi_planner *p, const double *knot, const lwi_interval *at,
                             int i);

#endif
