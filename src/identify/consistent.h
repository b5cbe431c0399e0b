// Inertial parameters that rigid bodies can have.
#ifndef LWI_CONSISTENT_H
#define LWI_CONSISTENT_H

#include "regression.h"

/// Fills estimate->full with the parameters nearest to the estimated base parameters, whose
/// covariance is the leading block of S [stride*stride], and to those of the model.
lw_status lwi_consistent_fit(const lw_regression *r, int stride, const double *S, double prior,
                             lw_estimate *estimate, lw_report *report);

#endif
