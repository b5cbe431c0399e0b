// Denavit and Hartenberg's parameters, found from axes.
#ifndef LWI_MATH_DENAVIT_H
#define LWI_MATH_DENAVIT_H

#include <linkwork/math.h>

/// A frame from the one before, after Craig: a rotation by alpha about x, a shift by a along x, a
/// rotation by theta about z and a shift by d along z; the joint adds its position to theta, or to
/// d where it slides.
typedef struct lwi_denavit {
    double alpha, a, d, theta;
} lwi_denavit;

/// The frame on the axis z of `at` that continues from `before`: its x is that of `before`, rotated
/// into the plane across z, and its origin is where the common normal of the two axes meets z, or
/// nearest to the origin of `before` where they are parallel.
lw_pose lwi_denavit_continue(const lw_pose *before, const lw_pose *at);

/// The frame on the axis of `own` whose x points to the axis z of `next`. Where both are one axis,
/// `own`; where they meet, x has the direction nearer to that of `own`.
lw_pose lwi_denavit_toward(const lw_pose *own, const lw_pose *next);

/// Frame Y from frame X, whose x is the common normal of both axes z. Numbers below `nothing` are
/// zero.
lwi_denavit lwi_denavit_row(const lw_pose *X, const lw_pose *Y, double nothing);

#endif
