// Small algebra on pairs of numbers that are computed side by side
// (model/records.h).
#ifndef LWI_PAIRS_H
#define LWI_PAIRS_H

#include "../model/records.h"

static inline lwi_pair3 lwi_pair3_of(lw_vec3 a, lw_vec3 b)
{
    const lwi_pair3 r = {{a.x, b.x}, {a.y, b.y}, {a.z, b.z}};
    return r;
}

static inline lwi_pair6 lwi_pair6_of(lw_motion a, lw_motion b)
{
    const lwi_pair6 r = {lwi_pair3_of(a.ang, b.ang), lwi_pair3_of(a.lin, b.lin)};
    return r;
}

static inline lw_motion lwi_pair6_lane(const lwi_pair6 *a, int lane)
{
    const lw_motion r = {{a->ang.x[lane], a->ang.y[lane], a->ang.z[lane]},
                         {a->lin.x[lane], a->lin.y[lane], a->lin.z[lane]}};
    return r;
}

static inline lwi_pair3 lwi_pair3_add(lwi_pair3 a, lwi_pair3 b)
{
    const lwi_pair3 r = {a.x + b.x, a.y + b.y, a.z + b.z};
    return r;
}

static inline lwi_pair3 lwi_pair3_cross(lwi_pair3 a, lwi_pair3 b)
{
    const lwi_pair3 r = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return r;
}

static inline lwi_pair lwi_pair3_dot(lwi_pair3 a, lwi_pair3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

#endif
