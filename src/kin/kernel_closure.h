// The steps of a simple closure program, over the scalar of real.h: every one gives one degree of
// freedom from one other (lwi_program.is_simple).
//
// Each step is y = f(x) with f a polynomial: dy = f' dx, and ddy = f' ddx + f'' dx^2. Transposed, a
// force on y is f' times that force on x. A step's source is independent or the target of an
// earlier step, so forward in list order and backward in reverse order meet every value complete.
#ifndef LWI_KERNEL_CLOSURE_H
#define LWI_KERNEL_CLOSURE_H

#include "../math/real.h"
#include "../model/program.h"

/// The dependent positions, from the independent ones that are in q already, with slopes and
/// curvatures [nstep] of the steps there.
static inline void close_positions(int nstep, const lwi_step *step, const number *coefficient,
                                   real *q, real *slope, real *curve)
{
    for (int s = 0; s < nstep; ++s) {
        const number *c = &coefficient[step[s].first_coefficient];
        const real x = q[step[s].source_q[0]];
        // Horner for the value and its first two derivatives.
        real y = {0}, first = {0}, second = {0};
        for (int k = step[s].ncoefficient - 1; k >= 0; --k) {
            second = second * x + first;
            first = first * x + y;
            y = y * x + c[k];
        }
        q[step[s].target_q[0]] = y;
        slope[s] = first;
        curve[s] = 2 * second;
    }
}

static inline void close_velocities(int nstep, const lwi_step *step, const real *slope, real *v)
{
    for (int s = 0; s < nstep; ++s) {
        v[step[s].target[0]] = slope[s] * v[step[s].source[0]];
    }
}

static inline void close_accelerations(int nstep, const lwi_step *step, const real *slope,
                                       const real *curve, const real *v, real *a)
{
    for (int s = 0; s < nstep; ++s) {
        const real dx = v[step[s].source[0]];
        a[step[s].target[0]] = slope[s] * a[step[s].source[0]] + curve[s] * dx * dx;
    }
}

/// Forces on dependent degrees of freedom go to those that they depend on; entries are `stride`
/// apart.
static inline void close_forces(int nstep, const lwi_step *step, const real *slope, size_t stride,
                                real *tau)
{
    for (int s = nstep - 1; s >= 0; --s) {
        tau[(size_t)step[s].source[0] * stride] +=
            slope[s] * tau[(size_t)step[s].target[0] * stride];
    }
}

/// The same for rows and columns of a symmetric matrix [n*n].
static inline void close_matrix(int nstep, const lwi_step *step, const real *slope, size_t n,
                                real *A)
{
    for (int s = nstep - 1; s >= 0; --s) {
        const size_t x = (size_t)step[s].source[0], y = (size_t)step[s].target[0];
        for (size_t i = 0; i < n; ++i) {
            A[x * n + i] += slope[s] * A[y * n + i];
        }
        for (size_t i = 0; i < n; ++i) {
            A[i * n + x] += slope[s] * A[i * n + y];
        }
    }
}

#endif
