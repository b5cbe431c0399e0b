// Closure steps without loops, over the scalar of real.h: linear ones, and polynomials y = f(x) of
// one degree of freedom.
//
// dy = K dx, and ddy = K ddx + b; transposed, a force on y is K' times that force on x. A step's
// sources are independent or targets of earlier steps, so forward in list order and backward in
// reverse order meet every value complete. K and b are laid out as in lw_data: from step.rate and
// step.bias on.
#ifndef LWI_KERNEL_CLOSURE_H
#define LWI_KERNEL_CLOSURE_H

#include "../math/real.h"
#include "../model/scalar_program.h"

/// Positions of the targets, K, and in the place of b the second derivative of a polynomial.
/// @param c the step's coefficients
static inline void close_step(const closure_step *step, const number *c, real *q, real *K,
                              real *bias)
{
    if (step->kind == LW_STEP_LINEAR) {
        for (int t = 0; t < step->ntarget; ++t, c += 1 + step->nsource) {
            real y = real_of(c[0]);
            for (int k = 0; k < step->nsource; ++k) {
                y += c[1 + k] * q[step->source_q[k]];
                *K++ = real_of(c[1 + k]);
            }
            q[step->target_q[t]] = y;
            bias[t] = (real){0};
        }
        return;
    }
    const real x = q[step->source_q[0]];
    // Horner for the value and its first two derivatives.
    real y = {0}, first = {0}, second = {0};
    for (int k = step->ncoefficient - 1; k >= 0; --k) {
        second = second * x + first;
        first = first * x + y;
        y = y * x + c[k];
    }
    q[step->target_q[0]] = y;
    K[0] = first;
    bias[0] = 2 * second;
}

/// b from what close_step() left, for the velocities v.
static inline void close_bias(const closure_step *step, const real *v, real *bias)
{
    const real dx = v[step->source[0]];
    for (int t = 0; t < step->ntarget; ++t) { // zero for linear ones
        bias[t] *= dx * dx;
    }
}

/// From the sources of a step to its targets; without b where that is NULL.
static inline void cross_step(const closure_step *step, const real *K, const real *bias, real *x)
{
    for (int t = 0; t < step->ntarget; ++t) {
        real sum = bias ? bias[t] : (real){0};
        for (int k = 0; k < step->nsource; ++k) {
            sum += *K++ * x[step->source[k]];
        }
        x[step->target[t]] = sum;
    }
}

static inline void close_accelerations(int nstep, const closure_step *step, const real *K,
                                       const real *bias, real *a)
{
    for (int s = 0; s < nstep; ++s) {
        cross_step(&step[s], K + step[s].rate, bias ? bias + step[s].bias : NULL, a);
    }
}

/// Forces on dependent degrees of freedom go to those that they depend on.
static inline void close_forces(int nstep, const closure_step *step, const real *K, real *tau)
{
    for (int s = nstep - 1; s >= 0; --s) {
        const real *entry = K + step[s].rate;
        for (int t = 0; t < step[s].ntarget; ++t) {
            const real force = tau[step[s].target[t]];
            for (int k = 0; k < step[s].nsource; ++k) {
                tau[step[s].source[k]] += *entry++ * force;
            }
        }
    }
}

/// The same for rows and columns of a symmetric matrix [n*n].
static inline void close_matrix(int nstep, const closure_step *step, const real *K, size_t n,
                                real *A)
{
    for (int s = nstep - 1; s >= 0; --s) {
        const real *entry = K + step[s].rate;
        for (int t = 0; t < step[s].ntarget; ++t) {
            const size_t y = (size_t)step[s].target[t];
            for (int k = 0; k < step[s].nsource; ++k, ++entry) {
                const size_t x = (size_t)step[s].source[k];
                for (size_t i = 0; i < n; ++i) {
                    A[x * n + i] += *entry * A[y * n + i];
                }
                for (size_t i = 0; i < n; ++i) {
                    A[i * n + x] += *entry * A[i * n + y];
                }
            }
        }
    }
}

#endif
