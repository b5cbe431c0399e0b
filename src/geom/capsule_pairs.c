// Many pairs of capsules: kernels do the usual ones, and what they leave is done one by one.
#include "capsule_pairs.h"

#include "../base/cpu.h"
#include "segment_pair.h"

#include <float.h>
#include <math.h>

static const lwi_capsule_pairs *select_kernels(void)
{
    const lwi_cpu level = lwi_cpu_level();
    const lwi_capsule_pairs *fitting = level >= LWI_CPU_AVX512 ? lwi_capsule_pairs_avx512() : NULL;
    fitting = fitting || level < LWI_CPU_AVX2 ? fitting : lwi_capsule_pairs_avx2();
    return fitting ? fitting : lwi_capsule_pairs_generic();
}

/// One pair that the kernels left.
typedef struct odd_pair {
    lw_status status;
    double distance, lower, upper, s, t;
} odd_pair;

// The same capsule with an axis of length one as far as double has it, which that of floats has
// not.
static lwi_capsule with_unit_axis(const lwi_capsule *c, double *length)
{
    const double square = lw_dot3(c->u, c->u);
    *length = fabs(square - 1.0) <= 1e-6 ? sqrt(square) : 1.0;
    return (lwi_capsule){c->p, lw_scale3(1.0 / *length, c->u), c->half * *length, c->radius};
}

static odd_pair find_odd(const lwi_capsule *a, const lwi_capsule *b)
{
    double length_a, length_b;
    const lwi_capsule first = with_unit_axis(a, &length_a), second = with_unit_axis(b, &length_b);
    lw_distance d;
    odd_pair r = {.lower = -HUGE_VAL, .upper = HUGE_VAL};
    r.status = lwi_find_capsule_distance(&first, &second, &d);
    if (r.status == LW_OK) {
        const lw_vec3 on_a = lw_sub3(d.point[0], lw_scale3(a->radius, d.normal));
        const lw_vec3 on_b = lw_add3(d.point[1], lw_scale3(b->radius, d.normal));
        r.distance = d.distance;
        r.lower = d.lower;
        r.upper = d.upper;
        r.s = lwi_clamp(lw_dot3(first.u, lw_sub3(on_a, a->p)) / length_a, a->half);
        r.t = lwi_clamp(lw_dot3(second.u, lw_sub3(on_b, b->p)) / length_b, b->half);
    }
    return r;
}

#define real double
#define PAIRS_CALL lw_find_capsule_distances
#define PAIRS_KERNEL distances
#define PAIRS_IN lw_capsules
#define PAIRS_OUT lw_capsule_distances
#define PAIRS_ROUNDING 0.0 // of an interval in double
#include "capsule_pairs_call.h"
#undef real
#undef PAIRS_CALL
#undef PAIRS_KERNEL
#undef PAIRS_IN
#undef PAIRS_OUT
#undef PAIRS_ROUNDING

#define real float
#define PAIRS_CALL lw_find_capsule_distances32
#define PAIRS_KERNEL distances32
#define PAIRS_IN lw_capsules32
#define PAIRS_OUT lw_capsule_distances32
#define PAIRS_ROUNDING ((double)FLT_EPSILON)
#include "capsule_pairs_call.h"
