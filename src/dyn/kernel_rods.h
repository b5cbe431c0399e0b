// Rods with mass within Newton-Euler, over the scalar of real.h: between the way outward, which
// gives the accelerations of their ends, and the way inward, which carries their forces.
//
// All mass of a thin rod lies on the line between its ends and moves in proportion, so that the
// ends need the forces m/6 (2 a1 + a2) and m/6 (a1 + 2 a2) for their accelerations, gravity
// included as an upward acceleration (kin/rod_ends.h). Both are formed in the axes of the body that
// the two branches of the loop are attached to.
#ifndef LWI_KERNEL_RODS_H
#define LWI_KERNEL_RODS_H

#include "../model/scalar_program.h"
#include "kernel_rnea.h"

/// One end: its body (-1: the world), and its place along the axes that the kernels use.
typedef struct rod_end {
    int body;
    vec3 r;
} rod_end;

LWI_INLINE rod_end rod_end_of(const tree *t, const closure_loop *loop, int side,
                              const number world_phi[2])
{
    const int n = loop->npath[side];
    rod_end end = {.body = n > 0 ? loop->path[side][n - 1]
                                 : t->segment[loop->path[1 - side][0]].parent};
    const segment *b = end.body < 0 ? NULL : &t->segment[end.body];
    const constant3 p = loop->X[side].p;
    end.r = rotate_back_z(real_of(b ? b->cos_phi : world_phi[0]),
                          real_of(b ? b->sin_phi : world_phi[1]),
                          (vec3){real_of(p.x), real_of(p.y), real_of(p.z)});
    return end;
}

/// Acceleration of an end, along the axes of the common body.
LWI_INLINE vec3 end_acceleration(const tree *t, const closure_loop *loop, int side, rod_end end,
                                 const moving *world, const moving *kept)
{
    const moving *B = end.body < 0 ? world : &kept[end.body];
    vec3 a = add3(B->a, mul3(&B->U, end.r));
    for (int k = loop->npath[side] - 1; k >= 0; --k) {
        const int i = loop->path[side][k];
        LWI_BY_ROTATION(&t->segment[i], how, a = rotate_out(&t->segment[i], &t->joint[i], a, how))
    }
    return a;
}

/// Adds a force that an end needs, given along the axes of the common body.
LWI_INLINE void add_end_force(const tree *t, const closure_loop *loop, int side, rod_end end,
                              vec3 f, pair3 *force)
{
    for (int k = 0; k < loop->npath[side]; ++k) {
        const int i = loop->path[side][k];
        LWI_BY_ROTATION(&t->segment[i], how, f = rotate_in(&t->segment[i], &t->joint[i], f, how))
    }
    if (end.body >= 0) {
        pair3 *own = &force[end.body];
        *own = add6(*own, (pair3){cross3(end.r, f), f});
    }
}

static inline void add_rod(const tree *t, const closure_loop *loop, number mass,
                           const number world_phi[2], const moving *world, const moving *kept,
                           pair3 *force)
{
    const rod_end one = rod_end_of(t, loop, 0, world_phi), two = rod_end_of(t, loop, 1, world_phi);
    const vec3 a1 = end_acceleration(t, loop, 0, one, world, kept);
    const vec3 a2 = end_acceleration(t, loop, 1, two, world, kept);
    const real share = real_of(mass / 6);
    const vec3 sum = add3(a1, a2);
    add_end_force(t, loop, 0, one, scale3(share, add3(sum, a1)), force);
    add_end_force(t, loop, 1, two, scale3(share, add3(sum, a2)), force);
}

#if !defined(LWI_REAL_FLOAT)
/// Adds what the rods need to the forces of the bodies at their ends.
/// @param kept motions of these bodies (lwi_segment.is_kept)
static inline void add_rods(const tree *t, const lw_model *m, const moving *world,
                            const moving *kept, pair3 *force)
{
    const lwi_program *program = m->kernel->program;
    for (int k = 0; k < m->nloop; ++k) {
        if (m->loop[k].mass > 0.0) {
            add_rod(t, &program->loop[k], m->loop[k].mass, m->kernel->world_phi, world, kept,
                    force);
        }
    }
}
#endif

#endif
