// The kernels that compute several numbers of one state side by side, and the table of
// model/kernels.h that has them. They need a translation unit of their own, because real.h has one
// scalar in each. The including file has defined the names of what it defines, LWI_SINCOS and
// LWI_LANE_KERNELS.
#ifndef LWI_KERNEL_LANE_TABLE_H
#define LWI_KERNEL_LANE_TABLE_H

#include "../math/kernel_sincos.h"
#include "../model/kernels.h"
#include "kernel_deep_solve.h"
#include "kernel_derivatives.h"

#if LWI_REAL_LANES == 4
#include "kernel_columns.h"
#endif

void LWI_SINCOS(int n, const double *x, double *s, double *c)
{
    sincos_all(n, x, s, c);
}

const lwi_lane_kernels LWI_LANE_KERNELS = {
#if LWI_REAL_LANES == 4
    .bias_and_mass = bias_and_mass,
#endif
    .sincos = LWI_SINCOS,
    .outward = outward,
    .derivative_columns = derivative_columns,
    .forward_columns = forward_columns,
    .deep_solve = deep_solve,
    .derivative_pairs = derivative_pairs,
    .factor = factor,
    .factor_half_solve = factor_half_solve,
    .factor_solve = factor_solve,
    .factor_invert = factor_invert,
    .small_product = small_product,
};

#endif
