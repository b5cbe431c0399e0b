// Motion of all bodies for the derivatives (world.h), and where their common point is.
#ifndef LWI_KERNEL_OUTWARD_H
#define LWI_KERNEL_OUTWARD_H

#include "../math/kernel_sincos.h"
#include "derivative_sweep.h"

/// Whether each body from root i on carries the next one alone.
static inline bool is_chain_from(const lw_model *m, int i)
{
    const lwi_segment *body = m->kernel->segment;
    const int end = body[i].subtree_end;
    while (i + 1 < end && body[i + 1].parent == i) {
        ++i;
    }
    return i + 1 == end;
}

static inline void move_world_body(lw_vec3 c, lwi_world_body *B)
{
    B->X.p = lw_sub3(B->X.p, c);
    B->vel.lin = lw_add3(B->vel.lin, lw_cross3(B->vel.ang, c));
    B->acc.lin = lw_add3(B->acc.lin, lw_cross3(B->acc.ang, c));
}

/// Moves the common point of the bodies from `first` to `tip` to the origin of the latter.
static inline void move_to_tip(const lw_model *m, lw_data *d, int first, int tip,
                               lwi_world_body *root)
{
    const lw_vec3 c = d->world[tip].X.p;
    move_world_body(c, root);
    for (int i = first; i <= tip; ++i) {
        const lwi_segment *b = &m->kernel->segment[i];
        move_world_body(c, &d->world[i]);
        for (int k = b->v; b->carrier != LW_TREE_REVOLUTE && k < b->v + b->nv; ++k) {
            lw_motion *S = &d->S[k];
            S->lin = lw_add3(S->lin, lw_cross3(S->ang, c));
        }
    }
}

/// Motion of all bodies, and the columns of joints that are not revolute.
/// @param is_eliminated what follows takes out joints from the tips inward. It keeps its digits
///                      where those that move little are near the common point: the inertia of a
///                      wrist is lost beside the square of its distance from the root, and that of
///                      an arm is not beside its distance from the wrist. So chains have it at
///                      their tip.
static __attribute__((noinline)) void outward(const lw_model *m, lw_data *d, const lwi_state *at,
                                              bool is_eliminated)
{
    const lwi_segment *body = m->kernel->segment;
    lwi_world_body ground, root;
    lwi_world_ground(d, &ground);
    LWI_SINCOS(m->tree_nq, at->q, d->sine, d->cosine);
    for (int first = 0, end; first < m->nbody; first = end) {
        end = body[first].subtree_end;
        for (int i = first; i < end; ++i) {
            if (body[i].carrier == LW_TREE_REVOLUTE) {
                lwi_world_revolute(m, d, i, at, &ground, &root);
            } else {
                lwi_world_any_joint(m, d, i, at, &ground, &root);
            }
        }
        if (is_eliminated && is_chain_from(m, first)) {
            move_to_tip(m, d, first, end - 1, &root);
        }
        for (int i = first; i < end && !m->kernel->all_revolute; ++i) {
            if (body[i].carrier != LW_TREE_REVOLUTE) {
                lwi_sweep_columns(m, d, i, at, i == first ? &root : &d->world[body[i].parent]);
            }
        }
    }
}

#endif
