// Numbers in memory as the lanes of real.h: side by side in rows, or apart in records.
#ifndef LWI_KERNEL_LANES_H
#define LWI_KERNEL_LANES_H

#include <linkwork/math.h>

#include "../math/real.h"

#include <string.h>

static inline real load(const double *x)
{
    real r;
    memcpy(&r, x, sizeof r);
    return r;
}

static inline void store(real x, double *to)
{
    memcpy(to, &x, sizeof x);
}

/// Three rows.
static inline vec3 load3(const double *x, size_t stride)
{
    return (vec3){load(x), load(x + stride), load(x + 2 * stride)};
}

static inline void store3(vec3 x, double *to, size_t stride)
{
    store(x.x, to);
    store(x.y, to + stride);
    store(x.z, to + 2 * stride);
}

/// The first lanes alone, where the entries behind them must stay.
static inline void store_some3(vec3 x, double *to, size_t stride, int count)
{
    if (count == LANES) {
        store3(x, to, stride);
        return;
    }
    for (int k = 0; k < count; ++k) {
        to[k] = real_lane(x.x, k);
        to[stride + (size_t)k] = real_lane(x.y, k);
        to[2 * stride + (size_t)k] = real_lane(x.z, k);
    }
}

/// Entries that are apart in memory; the last one again where there are fewer than lanes.
typedef struct spacing {
    size_t step[LANES];
} spacing;

static inline spacing spacing_of(size_t bytes, int count)
{
    spacing s;
    for (int k = 0; k < LANES; ++k) {
        s.step[k] = (size_t)(k < count ? k : count - 1) * (bytes / sizeof(double));
    }
    return s;
}

static inline real gather(const double *x, const spacing *s)
{
    real r = {0};
    for (int k = 0; k < LANES; ++k) {
        r[k] = x[s->step[k]];
    }
    return r;
}

static inline vec3 gather3(const lw_vec3 *v, const spacing *s)
{
    return (vec3){gather(&v->x, s), gather(&v->y, s), gather(&v->z, s)};
}

#endif
