// Spatial motions, forces and inertias (Featherstone 2008), in double.
#ifndef LWI_SPATIAL_H
#define LWI_SPATIAL_H

#include <linkwork/math.h>

/// s x + y
static inline lw_vec3 lwi_axpy3(double s, lw_vec3 x, lw_vec3 y)
{
    const lw_vec3 r = {s * x.x + y.x, s * x.y + y.y, s * x.z + y.z};
    return r;
}

static inline lw_motion lwi_motion_add(lw_motion a, lw_motion b)
{
    const lw_motion r = {lw_add3(a.ang, b.ang), lw_add3(a.lin, b.lin)};
    return r;
}

/// s x + y
static inline lw_motion lwi_motion_axpy(double s, lw_motion x, lw_motion y)
{
    const lw_motion r = {lwi_axpy3(s, x.ang, y.ang), lwi_axpy3(s, x.lin, y.lin)};
    return r;
}

/// Rate of change of the motion b that is carried along with velocity a.
static inline lw_motion lwi_motion_cross(const lw_motion *a, lw_motion b)
{
    const lw_motion r = {lw_cross3(a->ang, b.ang),
                         lw_add3(lw_cross3(a->ang, b.lin), lw_cross3(a->lin, b.ang))};
    return r;
}

static inline double lwi_power(lw_motion a, lw_force f)
{
    return lw_dot3(a.ang, f.ang) + lw_dot3(a.lin, f.lin);
}

static inline lw_force lwi_force_add(lw_force a, lw_force b)
{
    const lw_force r = {lw_add3(a.ang, b.ang), lw_add3(a.lin, b.lin)};
    return r;
}

/// Momentum for a velocity, or force for a spatial acceleration.
static inline lw_force inertia_times(const lw_inertia *I, const lw_motion *v)
{
    const lw_force r = {
        lw_add3(lw_sym3_mul(&I->tensor, v->ang), lw_cross3(I->first_moment, v->lin)),
        lw_add3(lw_scale3(I->mass, v->lin), lw_cross3(v->ang, I->first_moment))};
    return r;
}

#endif
