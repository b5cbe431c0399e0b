// Motion of all bodies for the derivatives (world.h), and where their common point is.
#ifndef LWI_KERNEL_OUTWARD_H
#define LWI_KERNEL_OUTWARD_H

#include "../math/kernel_sincos.h"
#include "../math/quad_pose.h"
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

/// lwi_world_body in registers.
typedef struct world_quads {
    quad_frame f;
    quad w, v, al, a;
} world_quads;

LWI_INLINE world_quads load_world(const lwi_world_body *B)
{
    return (world_quads){load_pose(&B->X), quad_of_vec3(B->vel.ang), quad_of_vec3(B->vel.lin),
                         quad_of_vec3(B->acc.ang), quad_of_vec3(B->acc.lin)};
}

/// The fourth of each is overwritten by the next one.
LWI_INLINE void store_world(const world_quads *x, lwi_world_body *B)
{
    double *motion = (double *)&B->vel;
    store_pose(&x->f, &B->X);
    store_quad(motion, x->w);
    store_quad(motion + 3, x->v);
    store_quad(motion + 6, x->al);
    spread_quad(x->a, motion + 9, 1);
}

/// From the parent of body i to the body, for a revolute joint, which nearly all are.
LWI_INLINE void world_revolute(const lw_model *m, const lw_data *d, int i, const lwi_state *at,
                               world_quads *x)
{
    const lwi_segment *b = &m->kernel->segment[i];
    x->f = revolute_after(&x->f, &m->X_PJ[i], b->is_shifted, d->sine[b->q], d->cosine[b->q]);
    const double v = at->v[b->v], a = at->a[b->v];
    const quad z = x->f.z, s = cross_quad(x->f.o, z);
    const quad slide = turned(add4(cross_back(x->w, s), cross_back(x->v, z)));
    x->al = add4(add4(x->al, scale4(a, z)), scale4(v, cross_quad(x->w, z)));
    x->a = add4(add4(x->a, scale4(a, s)), scale4(v, slide));
    x->w = add4(x->w, scale4(v, z));
    x->v = add4(x->v, scale4(v, s));
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
        world_quads x;
        int held = -1; // the body of x
        end = body[first].subtree_end;
        for (int i = first; i < end; ++i) {
            const int parent = body[i].parent;
            if (body[i].carrier != LW_TREE_REVOLUTE) {
                lwi_world_any_joint(m, d, i, at, &ground, &root);
                continue;
            }
            if (parent < 0) {
                lwi_world_root(&ground, m->X_PJ[i].p, &root);
            }
            if (parent < 0 || parent != held) {
                x = load_world(parent < 0 ? &root : &d->world[parent]);
            }
            world_revolute(m, d, i, at, &x);
            store_world(&x, &d->world[i]);
            held = i;
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
