// Forces that are no inertia, over the scalar of real.h: on bodies from outside, and within joints.
#ifndef LWI_KERNEL_FORCES_H
#define LWI_KERNEL_FORCES_H

#include "kernel_tree.h"

/// The force on body i out of one array of the caller's for each lane: six numbers per body, moment
/// first, along the axes of the body as the caller has it.
static inline pair3 external_force(const segment *b, int i, const number *const f_ext[LANES])
{
    real x[6] = {0};
    for (int lane = 0; lane < LANES; ++lane) {
        for (int k = 0; k < 6; ++k) {
            x[k] = real_set_lane(x[k], lane, f_ext[lane][6 * i + k]);
        }
    }
    const real c = real_of(b->cos_phi), s = real_of(b->sin_phi);
    return (pair3){rotate_back_z(c, s, (vec3){x[0], x[1], x[2]}),
                   rotate_back_z(c, s, (vec3){x[3], x[4], x[5]})};
}

/// Takes the external forces from those that the bodies need.
static inline void subtract_external(const tree *t, const number *const f_ext[LANES], pair3 *force)
{
    for (int i = 0; i < t->nbody; ++i) {
        force[i] = sub6(force[i], external_force(&t->segment[i], i, f_ext));
    }
}

/// Along the axes of body i, a vector that is given along those of the world.
static inline vec3 rotate_from_world(const tree *t, int i, vec3 v)
{
    const real zero = {0}, one = zero + 1;
    vec3 x = {one, zero, zero}, y = {zero, one, zero}, z = {zero, zero, one};
    for (int k = i; k >= 0; k = t->segment[k].parent) {
        const segment *b = &t->segment[k];
        const placed_joint *j = &t->joint[k];
        LWI_BY_ROTATION(b, how, x = rotate_out(b, j, x, how); y = rotate_out(b, j, y, how);
                        z = rotate_out(b, j, z, how))
    }
    return (vec3){dot3(x, v), dot3(y, v), dot3(z, v)};
}

/// The same for the loads of the model. Needs the joints.
static inline void subtract_loads(const tree *t, int nload, const constant_load *load, pair3 *force)
{
    for (int k = 0; k < nload; ++k) {
        const constant_load *from = &load[k];
        pair3 f = {vec3_of(from->torque), vec3_of(from->force)};
        if (from->is_in_world) {
            f.ang = rotate_from_world(t, from->body, f.ang);
            f.lin = rotate_from_world(t, from->body, f.lin);
        }
        f.ang = add3(f.ang, cross3(vec3_of(from->p), f.lin));
        force[from->body] = sub6(force[from->body], f);
    }
}

/// lwi_coulomb_share() of friction.h over any scalar.
static inline real coulomb_share(real x)
{
    const real zero = {0}, one = zero + 1;
    x = select_real(is_less(one, x), one, x);
    x = select_real(is_less(x, -one), -one, x);
    return x * ((number)1.5 - (number)0.5 * x * x);
}

/// Forces within a degree of freedom without its rotor inertia.
/// @param friction_rate as in lwi_settings
static inline real passive_force(const passive *p, number friction_rate, const real *q, real v)
{
    real force = p->damping * v;
    if (p->friction != 0) { // a property of the model: the time does not depend on the state
        force += p->friction * coulomb_share(friction_rate * v);
    }
    return p->q >= 0 ? force + p->stiffness * (q[p->q] - p->rest) : force;
}

#endif
