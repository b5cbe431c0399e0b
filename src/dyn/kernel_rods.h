// Rods with mass within Newton-Euler, over the scalar of real.h: between the way outward, which
// gives the accelerations of their ends, and the way inward, which carries their forces.
//
// All mass of a thin rod lies on the line between its ends and moves in proportion, so that the
// ends need the forces m/6 (2 a1 + a2) and m/6 (a1 + 2 a2) for their accelerations, weight included
// as an upward acceleration (kin/rod_ends.h). Both are formed in the axes of the body that the two
// branches of the loop hang on.
#ifndef LWI_KERNEL_RODS_H
#define LWI_KERNEL_RODS_H

#include "../model/program.h"
#include "kernel_rnea.h"

/// One end: its body (-1: the world), and its place along the axes that the kernels use.
typedef struct rod_end {
    int body;
    vec3 r;
} rod_end;

static inline rod_end rod_end_of(const tree *t, const lwi_loop *loop, int side,
                                 const double world_phi[2])
{
    const int n = loop->npath[side];
    rod_end end = {.body = n > 0 ? loop->path[side][n - 1]
                                 : t->segment[loop->path[1 - side][0]].parent};
    const segment *b = end.body < 0 ? NULL : &t->segment[end.body];
    const lw_vec3 p = loop->X[side].p;
    end.r =
        turn_back_z(real_of(b ? b->cos_phi : world_phi[0]), real_of(b ? b->sin_phi : world_phi[1]),
                    (vec3){real_of(p.x), real_of(p.y), real_of(p.z)});
    return end;
}

static inline void add_rod(const tree *t, const lwi_loop *loop, number mass,
                           const double world_phi[2], const moving *world, const moving *kept,
                           pair3 *force)
{
    rod_end end[2];
    vec3 a[2];
    for (int side = 0; side < 2; ++side) {
        end[side] = rod_end_of(t, loop, side, world_phi);
        const moving *B = end[side].body < 0 ? world : &kept[end[side].body];
        a[side] = add3(B->a, mul3(&B->U, end[side].r));
        for (int k = loop->npath[side] - 1; k >= 0; --k) {
            const int i = loop->path[side][k];
            LWI_BY_TURN(&t->segment[i], how,
                        a[side] = turn_out(&t->segment[i], &t->joint[i], a[side], how))
        }
    }
    const vec3 sum = add3(a[0], a[1]);
    for (int side = 0; side < 2; ++side) {
        vec3 f = scale3(real_of(mass / 6), add3(sum, a[side]));
        for (int k = 0; k < loop->npath[side]; ++k) {
            const int i = loop->path[side][k];
            LWI_BY_TURN(&t->segment[i], how, f = turn_in(&t->segment[i], &t->joint[i], f, how))
        }
        if (end[side].body >= 0) {
            pair3 *own = &force[end[side].body];
            *own = add6(*own, (pair3){cross3(end[side].r, f), f});
        }
    }
}

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
